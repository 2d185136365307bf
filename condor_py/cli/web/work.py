"""A program that does one long work for the pages: ``work.py NAME``, the request as JSON on standard input.

It prints lines of JSON: ``{"steps": 1000}`` while it works, and then ``{"result": ...}`` or ``{"failed": "reason"}``,
with the CPU time that it took: ``{..., "seconds": 1.5}``.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any

#: Seconds after which it is ended, and seconds between two lines about steps.
_LONGEST, _EVERY = 300, 0.25
#: Bytes of memory that it may have.
_MEMORY = 2 << 30
#: The modules whose function ``work`` does it, by name.
WORKS = {
    "history": "condor_py.cli.web.pages.history",
    "lives": "condor_py.cli.web.pages.life",
    "starts": "condor_py.cli.web.pages.why",
    "use": "condor_py.cli.web.pages.shares",
}


class Steps:
    """Print how many steps are done, from time to time."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _EVERY

    def at(self, count: int) -> None:
        """So many steps are done."""
        if count % 256:
            return
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _EVERY
            _say({"steps": count})

    def done(self) -> None:
        """All steps are done."""


def main(name: str) -> int:
    """Do a work. Return the exit status."""
    _say({**answer(name, json.loads(sys.stdin.readline())), "seconds": time.process_time()})
    return 0


def answer(name: str, request: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a work, or in one line why there is none."""
    from importlib import import_module

    from condor_py.client.pool import open_pool
    from condor_py.model.errors import CondorError

    try:
        return {"result": import_module(WORKS[name]).work(open_pool(), request, Steps())}
    except CondorError as error:
        return {"failed": str(error).strip()}
    except TimeoutError:
        return {"failed": f"it takes longer than {_LONGEST} seconds: ask for a shorter time"}
    except MemoryError:
        return {"failed": "there is not enough memory for it: ask for a shorter time"}
    except Exception as error:
        return {"failed": f"a fault of condor_web: {type(error).__name__}: {error}"}


def _say(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _bounded() -> None:
    """Take little from others: a low priority, a bounded time and a bounded memory."""
    import resource

    def too_long(number: int, frame: object) -> None:
        raise TimeoutError

    os.nice(10)
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(_LONGEST)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


if __name__ == "__main__":
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
    sys.path.insert(0, root)
    sys.path.append(sys.path.pop(0))
    _bounded()
    sys.exit(main(sys.argv[1]))
