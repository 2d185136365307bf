"""Every state of a small pool, and whether each is as it must be.

One schedd and one startd with the real cores, a disk that keeps what was committed, and a connection that keeps the
order of messages. In every state each thing that may happen next is tried: a message arrives, a batch is committed, a
program exits, a process is killed (the schedd also between the effects of a batch), the connection breaks, a user asks
for something, time passes beyond all leases. In no state may a job be lost, have two live programs, be twice in the
history, or be said to have ended when it did not; the invariants of both cores hold; when nothing is left to do, the
log of each job tells of every start of its program; and from every state there is a way on, without another fault, to
the end of all jobs.

    tests/model/run                         all scopes of the list, one after the other
    tests/model/run schedd startd           some of them
    tests/model/run -most 20000 two-faults  at most so many states

Prints a line of JSON for each scope: states, steps, seconds, whether all states were visited, and what was wrong: the
way there as a list of actions, which ``World.do`` takes again. Exit status 1 when something was wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]

from model_search import Found, search
from model_world import Scope

_CALM = Scope(schedd_deaths=0)
SCOPES = {
    "calm": _CALM,
    "schedd": Scope(),
    "startd": Scope(schedd_deaths=0, startd_deaths=1),
    "starter": Scope(schedd_deaths=0, starter_deaths=1),
    "link": Scope(schedd_deaths=0, broken_links=1),
    "eviction": Scope(schedd_deaths=0, evictions=1),
    "pause": Scope(schedd_deaths=0, pauses=1),
    "hold": Scope(schedd_deaths=0, requests=2, kinds=("hold", "release")),
    "remove": Scope(schedd_deaths=0, requests=1, kinds=("remove",)),
    "vacate": Scope(schedd_deaths=0, requests=1, kinds=("vacate",)),
    "two-jobs": Scope(schedd_deaths=0, jobs=2),
    "remove-and-schedd": Scope(requests=1, kinds=("remove",)),
    "hold-and-schedd": Scope(requests=1, kinds=("hold",)),
    "starter-and-schedd": Scope(starter_deaths=1),
    "schedd-and-startd": Scope(startd_deaths=1),
    "schedd-and-pause": Scope(pauses=1),
    "schedd-twice": Scope(schedd_deaths=2),
    "two-jobs-and-schedd": Scope(jobs=2),
}
#: Seconds between two lines of progress on a terminal.
_OFTEN = 2.0


class _Progress:
    """Shows on a terminal how far a search is."""

    def __init__(self, name: str) -> None:
        self._name, self._shown = name, time.monotonic()

    def show(self, found: Found) -> None:
        """Shows it, if the last time is a while ago."""
        if sys.stderr.isatty() and time.monotonic() - self._shown > _OFTEN:
            self._shown = time.monotonic()
            sys.stderr.write(f"\r{self._name}: {found.states} states, {found.steps} steps ")
            sys.stderr.flush()


def told(name: str, scope: Scope, found: Found, seconds: float) -> dict[str, object]:
    """What is printed of a search."""
    way, why = found.wrong or (found.stuck, "no way leads to an end of all jobs" if found.stuck else "")
    return {
        "scope": name, "states": found.states, "steps": found.steps, "ends": found.ends, "complete": found.is_complete,
        "seconds": round(seconds, 1), "wrong": why, "way": [list(action) for action in way or ()], **asdict(scope),
    }  # fmt: skip


def main(arguments: list[str]) -> int:
    """Runs the searches; the exit status."""
    parser = argparse.ArgumentParser(
        prog="tests/model/run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-most", type=int, default=10**9, metavar="STATES", help="states of a scope at most")
    parser.add_argument("scope", nargs="*", help=f"one of {', '.join(SCOPES)}; all without")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.scope if name not in SCOPES]
    if unknown:
        parser.error(f"there is no scope {unknown[0]!r}: one of {', '.join(SCOPES)}")
    status = 0
    for name in asked.scope or SCOPES:
        begun = time.monotonic()
        found = search(SCOPES[name], asked.most, _Progress(name).show)
        status = 1 if found.wrong or found.stuck else status
        print(json.dumps(told(name, SCOPES[name], found, time.monotonic() - begun)), flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
