"""The totals under condor_q's tables."""

from __future__ import annotations

from condor_py.lang.classad.ad import ClassAd
from condor_py.model.states import Universe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_WORDS = ("completed", "removed", "idle", "running", "held", "suspended")
#: JobStatus -> index in _WORDS; transferring output counts as running.
_INDEX = {1: 2, 2: 3, 3: 1, 4: 0, 5: 4, 6: 3, 7: 5}
#: The spaces in place of the columns of "all users" where there is no schedd to count them.
_OFFLINE_PADDING = " " * 51


class Totals:
    """Jobs counted by state; scheduler universe jobs are not counted."""

    __slots__ = ("counts",)

    def __init__(self) -> None:
        self.counts = [0] * len(_WORDS)

    def add(self, ad: ClassAd) -> None:
        """Count one job."""
        if ad.eval_int("JobUniverse") == Universe.SCHEDULER:
            return
        index = _INDEX.get(ad.eval_int("JobStatus", 0))
        if index is not None:
            self.counts[index] += 1

    def add_all(self, ads: Iterable[ClassAd]) -> Totals:
        """Count these jobs; returns self."""
        for ad in ads:
            self.add(ad)
        return self

    def add_text(self, universe: str | None, status: str | None, count: int) -> bool:
        """Count jobs by the expression texts of JobUniverse and JobStatus; False when those need evaluation."""
        if not is_plain(universe) or not is_plain(status):
            return False
        if universe is None or int(universe) != Universe.SCHEDULER:
            index = _INDEX.get(int(status or 0))
            if index is not None:
                self.counts[index] += count
        return True

    def text(self) -> str:
        """``3 jobs; 0 completed, ...``."""
        parts = ", ".join(f"{count} {word}" for count, word in zip(self.counts, _WORDS, strict=True))
        return f"{sum(self.counts)} jobs; {parts}"


def is_plain(text: str | None) -> bool:
    """Whether an expression text is nothing or a plain number, which needs no evaluation."""
    return text is None or (text.isascii() and text.isdigit())


def footer(query: Totals, mine: tuple[str, Totals] | None, everyone: Totals | None, *, blank_before: bool) -> str:
    """The block of totals. ``mine`` is shown when "my jobs" was in force; ``everyone`` is None offline."""
    lead = "\n" if blank_before else ""
    first = f"{lead}Total for query: {query.text()}"
    if everyone is None:
        return f"{first}{_OFFLINE_PADDING}\n\n"
    middle = f"Total for {mine[0]}: {mine[1].text()} \n" if mine is not None else ""
    return f"{first} \n{middle}Total for all users: {everyone.text()}\n\n"
