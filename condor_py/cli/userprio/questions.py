"""The questions of condor_userprio that HTCondor does not answer: -whatif, -plot and -explain."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from condor_py.cli.output.files import replace
from condor_py.cli.plots import blocks, scale, svg
from condor_py.cli.plots.bins import Bins
from condor_py.cli.plots.blocks import levels
from condor_py.cli.plots.scale import moment
from condor_py.cli.plots.svg import Series
from condor_py.cli.times import period
from condor_py.cli.userprio import explain, whatif
from condor_py.cli.userprio.history import Stretch, read
from condor_py.cli.userprio.past import Times, face_to_face, look_back, named
from condor_py.client.accounting_ads import accounting_ads
from condor_py.model.errors import CondorError, StoreError
from condor_py.model.texts import printable
from condor_py.store.cyclelog import records

if TYPE_CHECKING:
    from condor_py.cli.options import Args
    from condor_py.client.pool import Pool
    from condor_py.model.cyclerecords import CycleRecord


_DAY = 86400


def answer(args: Args, is_wanted: Callable[[str], bool], pool: Pool) -> None:
    """Answers what was asked of the users whose full name is wanted. Raises CondorError."""
    if args.has("whatif"):
        what_if(args, pool)
    elif args.has("explain"):
        explain_submitter(args, pool)
    else:
        plot_series(args, is_wanted, pool)


def what_if(args: Args, pool: Pool) -> None:
    """The shares now, and after changes."""
    ads = accounting_ads(pool)
    queued = None if args.has("allusers") else whatif.with_jobs(pool.ads("SUBMITTERS"))
    users = whatif.users_of(ads, 0 if args.has("allusers") else pool.now() - _DAY, queued)
    changes = [change for use in args.all("whatif") for change in use.values]
    after = whatif.changed(ads, users, changes)
    weight = whatif.weight_of(pool.ads("STARTD"), float(pool.config.integer("DETECTED_CPUS", 1)))
    sys.stdout.writelines(f"{line}\n" for line in whatif.lines(ads, users, after, weight))


def _period(args: Args, pool: Pool) -> tuple[int, int]:
    """The time that -since and -until name; without them the last day for -explain, else all that is on record."""
    if not args.has("since") and not args.has("until"):
        return (pool.now() - _DAY if args.has("explain") else 0), pool.now() + 1
    return period("condor_userprio", args.text("since") or "1970-01-02", args.text("until"), None, pool.now())


def plot_series(args: Args, is_wanted: Callable[[str], bool], pool: Pool) -> None:
    """Priority and use over time, on the terminal or into a file."""
    found = {name: parts for name, parts in read(pool, *_period(args, pool)).items() if is_wanted(name)}
    if not found:
        raise CondorError("condor_userprio: nothing is on record of the use of these users in this time")
    charts = Charts(found)
    path = args.text("svg")
    if path is None:
        sys.stdout.writelines(f"{line}\n" for line in text_lines(charts, get_terminal_size().columns, levels()))
        return
    replace("condor_userprio", path, document(charts))


def explain_submitter(args: Args, pool: Pool) -> None:
    """Explain why a submitter got their share."""
    path, (since, until) = pool.config.path("NEGOTIATION_HISTORY"), _period(args, pool)
    times = look_back(_records(path, since), since, until)
    if not times.end:
        raise CondorError("condor_userprio: no negotiation cycles are on record for this time (NEGOTIATION_HISTORY)")
    who = pool.owner if args.text("explain") == "me" else args.text("explain", "")
    others = [name for word in args.positional for name in _on_record(times, word)]
    for number, name in enumerate(_on_record(times, who)):
        against = face_to_face(_records(path, since), name, explain.compared(times, name, others), since, until)
        lines = [*([""] if number else []), *explain.lines(times, name, against)]
        sys.stdout.writelines(f"{printable(line)}\n" for line in lines)


def _records(path: str, since: int) -> Iterator[CycleRecord]:
    """The records of cycles. CondorError when they cannot be read."""
    try:
        yield from records(path, since) if path else ()
    except StoreError as error:
        raise CondorError(f"condor_userprio: {error}") from None


def _on_record(times: Times, word: str) -> list[str]:
    """The submitters whom a word means. CondorError for none."""
    found = named(times, word)
    if not found:
        stretch = f"from {moment(times.begin)} to {moment(times.end)}"
        raise CondorError(f"condor_userprio: {word} had no jobs in the queue {stretch}: nothing is on record")
    return found


#: So many submitters have a line of their own, those with most use; and so many bins a chart has.
_MOST, _BINS = 20, 240
_PRIORITY, _USE = "Real priority (smaller is better)", "Slot weight in use"


class Charts:
    """Data to draw: ``priority`` and ``use`` by submitter from ``begin`` on, in bins of ``width`` seconds."""

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
