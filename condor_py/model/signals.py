"""Signals as users name them."""

from __future__ import annotations

# What is around it makes enumerations of all numbers, which takes a tool two milliseconds.
import _signal as signal  # type: ignore[import-not-found]

#: What a virtual machine gets that has to go and may come back: it is saved, if its job wants that. (Any other signal
#: but SIGKILL presses its power button.)
MACHINE_EVICT = int(signal.SIGTSTP)
#: 0 is no signal at all, which a job may want.
_VALID = frozenset((0, *(int(number) for number in signal.valid_signals())))


def signal_of(text: str) -> int | None:
    """The number of a signal by its name (``SIGTERM``, ``term``) or number; None for one that does not exist."""
    name = text.strip().strip('"').upper()
    if name.isascii() and name.isdigit() and len(name) < 4:
        return int(name) if int(name) in _VALID else None
    name = name if name.startswith("SIG") else "SIG" + name
    found = None if name.startswith("SIG_") else getattr(signal, name, None)  # SIG_DFL is none
    return found if isinstance(found, int) else None


def signal_text(number: int) -> str:
    """Return the name of a signal in a sentence. A number that the machine does not have is allowed: a container may
    end so."""
    try:
        return signal.strsignal(number) or "Unknown signal"
    except ValueError:
        return f"Unknown signal {number}"


def exit_reason(number: int) -> str:
    """Return the text of ExitReason for a program that a signal has killed."""
    return f"died on signal {number} ({signal_text(number)})"
