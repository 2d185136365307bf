"""condor_userprio -plot (ours): priority and use over time, as text on a terminal or as SVG in a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from condor_py.cli.plots import blocks, scale, svg
from condor_py.cli.plots.bins import Bins
from condor_py.cli.plots.svg import Series
from condor_py.cli.userprio.history import Stretch

#: So many submitters have a line of their own, those with most use; and so many bins a chart has.
_MOST, _BINS = 20, 240
_PRIORITY, _USE = "Real priority (smaller is better)", "Slot weight in use"


class Charts:
    """What there is to draw: ``priority`` and ``use`` by submitter from ``begin`` on, in bins of ``width`` seconds."""

    def __init__(self, found: Mapping[str, Sequence[Stretch]]) -> None:
        first = min(parts[0].begin for parts in found.values())
        last = max(parts[-1].end for parts in found.values())
        self.width = scale.bin_width(first, max(last, first + 1), _BINS)
        self.begin = first // self.width * self.width
        self.end = max(self.begin + self.width, -(-last // self.width) * self.width)
        use = {name: sum(part.use * (part.end - part.begin) for part in parts) for name, parts in found.items()}
        names = sorted(found, key=lambda name: (-use[name], name))
        self.left_out = names[_MOST:]
        self.priority = [Series(name, self._means(found[name], "priority")) for name in names[:_MOST]]
        self.use = [Series(name, self._means(found[name], "use")) for name in names[:_MOST]]

    def _means(self, parts: Sequence[Stretch], what: str) -> list[float | None]:
        """The mean over each bin; None where nothing is known."""
        bins = Bins(self.width, 1 << 20)
        for part in parts:
            end = max(part.end, part.begin + 1)
            bins.spread("sum", part.begin, end, getattr(part, what))
            bins.spread("seconds", part.begin, end, 1.0)
        pairs = zip(bins.values("sum", self.begin, self.end), bins.values("seconds", self.begin, self.end), strict=True)
        return [total / seconds if seconds else None for total, seconds in pairs]


def text_lines(charts: Charts, columns: int, characters: str) -> Iterator[str]:
    """A row of blocks for each submitter, one scale a panel; ``columns`` of the terminal."""
    for title, series in (_PRIORITY, charts.priority), (_USE, charts.use):
        top = max((value or 0.0 for one in series for value in one.values), default=0.0)
        yield f"{title}, from 0 to {scale.number(top)}"
        yield from blocks.rows(series, columns, characters)
        yield ""
    yield blocks.axis(charts.begin, charts.end, *blocks.width_for(charts.use, columns))
    if charts.left_out:
        yield f"and {len(charts.left_out)} more with less use: name those to be shown"


def document(charts: Charts) -> str:
    """Both panels as one SVG file."""
    drawn = [
        (_PRIORITY, svg.lines(_PRIORITY, charts.begin, charts.width, charts.priority)),
        (_USE, svg.stacked(_USE, charts.begin, charts.width, charts.use)),
    ]
    return svg.document(drawn, f"{scale.moment(charts.begin)} to {scale.moment(charts.end)}")
