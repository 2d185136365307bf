"""Amounts over time in bins of one width, which grows with the time that they span, so that their number is bounded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

#: How many bins one series has at most, and widths in seconds, of which each divides the next.
MOST = 400
_WIDTHS = (1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 604800)


class Bins:
    """Named series of amounts. ``width`` seconds a bin; bins begin at multiples of it."""

    def __init__(self, width: int = 1, most: int = MOST) -> None:
        self.width = width
        self._most = most
        self._series: dict[str, dict[int, float]] = {}
        self._first: int | None = None
        self._last = 0

    def add(self, name: str, when: float, amount: float = 1.0) -> None:
        """``amount`` at a moment."""
        self._reach(when, when)
        self._put(name, int(when // self.width), amount)

    def spread(self, name: str, begin: float, end: float, rate: float) -> None:
        """``rate`` a second from ``begin`` to ``end``: each bin gets its part."""
        if end <= begin or not rate:
            return
        self._reach(begin, end)
        width = self.width
        for index in range(int(begin // width), int(-(-end // width))):
            part = min(end, (index + 1) * width) - max(begin, index * width)
            self._put(name, index, rate * part)

    def _put(self, name: str, index: int, amount: float) -> None:
        series = self._series.setdefault(name, {})
        series[index] = series.get(index, 0.0) + amount

    def _reach(self, begin: float, end: float) -> None:
        """Widens the bins until all of the stretch and what was there fit."""
        if self._first is not None:
            begin, end = min(begin, self._first), max(end, self._last)
        while (end // self.width) - (begin // self.width) >= self._most:
            self._next_width()
        self._first, self._last = int(begin), int(end)

    def widen(self, width: int) -> None:
        """Makes the bins at least so wide."""
        while self.width < width:
            self._next_width()

    def _next_width(self) -> None:
        """The next round width, which is a multiple of this one."""
        wider = next((one for one in _WIDTHS if one > self.width and one % self.width == 0), 2 * self.width)
        parts, self.width = wider // self.width, wider
        for name, series in self._series.items():
            merged: dict[int, float] = {}
            for index, amount in series.items():
                merged[index // parts] = merged.get(index // parts, 0.0) + amount
            self._series[name] = merged

    @property
    def kept(self) -> list[str]:
        """The series, in the order in which they came, or that ``top`` gave them."""
        return list(self._series)

    @property
    def names(self) -> list[str]:
        """The series, the largest sum first."""
        return sorted(self._series, key=lambda name: (-sum(self._series[name].values()), name))

    def bounds(self) -> tuple[int, int]:
        """Return the begin of the first bin and the end of the last one; (0, 0) when empty."""
        indices = [index for series in self._series.values() for index in series]
        return (min(indices) * self.width, (max(indices) + 1) * self.width) if indices else (0, 0)

    def values(self, name: str, begin: int, end: int) -> Iterator[float]:
        """The amounts of the bins from ``begin`` to ``end``, which are bounds of bins."""
        series = self._series.get(name, {})
        for index in range(begin // self.width, end // self.width):
            yield series.get(index, 0.0)

    def top(self, count: int, rest: str, first: Sequence[str] = ()) -> Bins:
        """The same with the largest ``count`` series, and all others as one, called ``rest``; series of the names in
        ``first`` come before others."""
        names = [name for name in first if name in self._series]
        names += [name for name in self.names if name not in names]
        count = len(names) if len(names) <= count + 1 else count
        found = Bins(self.width, self._most)
        found._first, found._last = self._first, self._last
        found._series = {name: self._series[name] for name in names[:count]}
        for name in names[count:]:
            others = found._series.setdefault(rest, {})
            for index, amount in self._series[name].items():
                others[index] = others.get(index, 0.0) + amount
        return found
