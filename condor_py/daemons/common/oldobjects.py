"""Python's collector of garbage cycles, in a process that holds much for long: it pauses everything while it looks."""

from __future__ import annotations

import gc

from condor_py.daemons.common.loop import monotonic
from condor_py.lang.classad import record
from condor_py.model.ids import forget_texts

#: Seconds that a collection may take before what it has looked through is left alone.
_LONG = 0.01


class _Watch:
    """A watch on garbage collections that freezes the living objects after a long one. What such a collection found
    alive lives long: later ones skip it, so that their pauses stay short."""

    def __init__(self) -> None:
        self._begun = 0.0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._begun = monotonic()
        elif info["generation"] == 2 and monotonic() - self._begun > _LONG:
            gc.freeze()


def leave_old_objects_alone() -> None:
    """From now on, in this process and those that it forks."""
    if not any(isinstance(callback, _Watch) for callback in gc.callbacks):
        gc.callbacks.append(_Watch())


def give_memory_back() -> None:
    """Return freed memory to the system. Python and the C library keep it in large blocks while anything lives in one
    of them: so what is only remembered to save time, and lies anywhere, is forgotten. Other libraries than glibc keep
    little themselves."""
    record.forget()
    forget_texts()
    gc.collect()
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
