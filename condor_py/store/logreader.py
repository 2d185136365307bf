"""The reader of ClassAd logs in use: compiled where it could be built, else its pure twin.

``CONDOR_PY_NO_EXT=1`` in the environment forces the twin (read once, when this module is imported).
"""

from __future__ import annotations

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.kernel import native
from condor_py.lang.classad.record import Binding
from condor_py.model.later import built
from condor_py.store import logreader_py, stored_ad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

__all__ = [
    "COMPILED", "Arrivals", "Loaded", "arrivals", "change", "events", "fill", "image", "job_lines",
    "kinds", "load", "own_texts", "records",
]  # fmt: skip

#: ads by key (None for those in others), jobs by cluster and proc, (key, MyType, TargetType, lines) of other ads, bytes
#: that count, index of what follows them (see adlog.Tail), number and birthdate of the 107 (-1 without).
Loaded: TypeAlias = (
    "tuple[dict[str, Any], dict[int, dict[int, Any]], list[tuple[str, str, str, bytes]], int, int, int, int]"
)


class Arrivals:
    """New jobs in a part of the log of a queue. ``others``: the lines that make no new job, in their order; ``jobs``:
    unread ads of the new ones by cluster and proc; ``lines``: all of it."""

    __slots__ = ("jobs", "lines", "others")

    def __init__(self, others: bytes, jobs: dict[int, dict[int, ClassAd]], lines: bytes) -> None:
        self.others = others
        self.jobs = jobs
        self.lines = lines


def _load() -> tuple[Any, bool]:
    module = built("condor_py.store._logreader")
    if module is None or native is None:  # it makes attributes by the functions of the other extension
        return logreader_py, False
    try:
        module.setup(stored_ad.StoredAd)
    except TypeError:  # it was built for another layout of this class
        return logreader_py, False
    return module, True


_module, COMPILED = _load()
load: Callable[[bytes, bool], Loaded | None] = _module.load
fill: Callable[[dict[str, Binding], bytes], None] = _module.fill
own_texts: Callable[[list[ClassAd], tuple[str, ...], str], list[list[str | None]]] = _module.own_texts
kinds: Callable[[list[ClassAd], tuple[str, ...]], list[list[int]]] = _module.kinds
change: Callable[[list[ClassAd], tuple[Any, ...]], list[ClassAd]] = _module.change
records: Callable[..., tuple[bytes, int, tuple[int, int]]] = _module.records
job_lines: Callable[..., bytes | None] = _module.job_lines
events: Callable[[bytes, int, list[int]], dict[int, dict[int, tuple[int, ...]]]] = _module.events
image: Callable[[int | bytes, int, bool, bytes | None], Any] = _module.image


def arrivals(lines: bytes) -> Arrivals | None:
    """The new jobs in ``lines``, which begin at a record and end with whole transactions; None where anything of that
    is unusual, and for the twin."""
    found = _module.arrivals(lines)
    if found is None or not found[1] or found[2:] != (len(lines), 0):
        return None
    return Arrivals(found[0], found[1], lines)


stored_ad.fill = fill
