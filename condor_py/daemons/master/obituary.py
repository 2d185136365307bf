"""The administrator learns by mail of a daemon that died."""

from __future__ import annotations

import os
import signal
from collections import deque
from typing import NamedTuple

#: After so many deaths in a row no more mails are sent.
_MOST = 4
#: What is read of a log's end, at most, in bytes.
_TAIL_BYTES = 1 << 20


class Death(NamedTuple):
    """``status`` is the exit status, or the negative number of a signal; ``failures`` how often it died in a row;
    ``delay`` seconds until it is started again."""

    daemon: str
    host: str
    status: int
    failures: int
    delay: float
    log: str


def worth_a_mail(death: Death) -> bool:
    """Not what an administrator did himself (SIGKILL), nor the same again and again."""
    return death.status not in (0, -signal.SIGKILL) and death.failures <= _MOST


def obituary(death: Death, lines: int) -> tuple[str, str]:
    """Subject and text, with the last ``lines`` of the daemon's log."""
    program = f"condor_{death.daemon.lower()}"
    short = f"died ({-death.status})" if death.status < 0 else f"exited ({death.status})"
    text = [
        f'"{program}" on "{death.host}" {manner(death.status)}.',
        f"It will be started again in {death.delay:g} seconds.",
        "",
    ]
    end = _tail(death.log, lines)
    if end:
        text += [f"The last {len(end)} line(s) of {death.log}:", *end, ""]
    return f"Problem {death.host}: {program} {short}", "\n".join(text)


def manner(status: int) -> str:
    """Describe how a process ended, as the end of a sentence about it."""
    if status >= 0:
        return f"exited with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"died due to {name}"


def _tail(path: str, lines: int) -> list[str]:
    """The last lines of a log, as far as they can be read."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - _TAIL_BYTES))
            return [line.decode(errors="replace").rstrip("\n") for line in deque(file, max(0, lines))]
    except OSError:
        return []
