"""Who holds the lock of a daemon, by the process id in the file."""

from __future__ import annotations


def lock_holder(path: str) -> int:
    """The process that holds a daemon's lock; 0 for none."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            text = file.read().strip()
    except OSError:
        return 0
    return int(text) if text.isdecimal() and _lives(text) else 0


def _lives(pid: str) -> bool:
    """Whether there is such a process, and not only what is left of one that nobody has waited for."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except (OSError, IndexError):
        return False
