"""Reader of the notices that the script of ``wrapper`` leaves in their directory."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from condor_py.model.gridjobs import Ending

BEGAN, ENDED, SAID = ".began", ".ended", ".said"
_CODE = re.compile(r"[0-9]{1,9}")
_TIMES = re.compile(r"(\d+)m(\d+[.,]?\d*)s\s+(\d+)m(\d+[.,]?\d*)s")
#: Above this code a shell reports a signal, if it printed something too.
_SIGNALLED = 128
#: Bytes of a notice that are read.
_MOST = 4096


class Beginning(NamedTuple):
    """The number of the batch job, where it runs and since when (Unix seconds), and how often it has begun."""

    number: str
    host: str
    when: float
    times: int = 1


def _read(path: str) -> tuple[str, float] | None:
    """A notice and the time when it was written; None before the first."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(descriptor, _MOST).decode("utf-8", "replace"), os.fstat(descriptor).st_mtime
    except OSError:
        return None
    finally:
        os.close(descriptor)


def beginning(directory: str, name: str) -> Beginning | None:
    """Return the last recorded beginning of a job; None if there is none yet."""
    found = _read(f"{directory}/{name}{BEGAN}")
    if found is None or not found[0].endswith("\n"):
        return None
    lines = found[0].splitlines()
    number, _, host = lines[-1].strip().partition(" ")
    return Beginning(number, host.strip(), found[1], len(lines))


def ending(directory: str, name: str) -> Ending | None:
    """Describe how a job has ended; None while it has not, or the notice is not complete."""
    found = _read(f"{directory}/{name}{ENDED}")
    if found is None or not found[0].endswith("\n"):
        return None
    text, when = found
    lines = text.splitlines()
    word, _, number = lines[-1].partition(" ")
    said = _read(f"{directory}/{name}{SAID}")
    complaint = " ".join(said[0].split()) if said is not None else ""
    begun = beginning(directory, name)
    began = begun.when if begun is not None else when
    code = int(number) if _CODE.fullmatch(number) else None
    if word == "cannot" or code is None:
        why, which = f"The job could not be started: {_plain(complaint)}", code or 0
        return Ending(1, began=began, ended=when, failure=why, failure_errno=which)
    user, system = _cpu(lines)
    if word == "signal":
        return Ending(None, code, user, system, 0, began, when)
    if word == "exit" and code > _SIGNALLED and complaint:
        return Ending(None, code - _SIGNALLED, user, system, 0, began, when)
    return Ending(code, None, user, system, 0, began, when)


def _plain(complaint: str) -> str:
    """Return a shell's complaint without the name of our script and the number of a line."""
    return re.sub(r"^\S+: (?:line )?\d+: ", "", complaint)


def _cpu(lines: list[str]) -> tuple[float, float]:
    """CPU seconds of the children of the shell: the second line of ``times``."""
    found = _TIMES.match(lines[1]) if len(lines) > 2 else None
    if found is None:
        return 0.0, 0.0
    numbers = [float(text.replace(",", ".")) for text in found.groups()]
    return numbers[0] * 60 + numbers[1], numbers[2] * 60 + numbers[3]
