"""Rows of many jobs at once, column by column, without reading an ad where a few attributes tell the cell.

Most cells of a column are alike. A column names the attributes that its cell depends on; jobs that say the same of
those, themselves or by their clusters, have the same cell, which is computed once, from an ad of these attributes
alone. Where that cannot be known (an unknown renderer, a function in an expression) the cell is computed from the job's
whole ad.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import compress, islice, repeat
from typing import TYPE_CHECKING, Any

from condor_py.cli.output import conversion, renderers
from condor_py.cli.output.mask import MISSING, Column, Mask
from condor_py.cli.output.terminal import cut, text_width
from condor_py.cli.output.values import is_true
from condor_py.cli.q.columns import Clock, moment
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.dependencies import plain_names
from condor_py.lang.classad.exprtree import is_valid
from condor_py.lang.classad.record import COMPUTED, bind

if TYPE_CHECKING:
    from condor_py.cli.q.source import Source
    from condor_py.client.queue_view import Groups

#: What renderers read besides the source of their column.
_READS: dict[Callable[..., Any], tuple[str, ...]] = {
    moment: (),
    renderers.owner: ("owner",),
    renderers.universe: (),
    renderers.job_id: ("clusterid", "procid", "jobid"),
    renderers.memory_usage: ("memoryusage", "imagesize"),
    renderers.description: ("cmd", "match_exp_jobdescription", "jobdescription", "arguments", "args"),
    Clock.status: ("jobstatus", "transferqueued", "transferringinput", "transferringoutput", "jobcooldownexpiration"),
    Clock.run_time: (
        "remoteusercpu", "servertime", "remotewallclocktime", "jobstatus", "shadowbday", "lastremotewallclocktime",
    ),
}  # fmt: skip
_MOST_READS = 60
#: Rows that are one text.
_ROWS = 10_000
#: Expressions that name nothing, by their look.
_ARITHMETIC = re.compile(r"[-+*/%<>=!&|?:(). 0-9]*")
_UNLIKE: Any = object()


class Cells:
    """The cells of one column: ``found`` has one a job, ``distinct`` every computed cell once or more."""

    __slots__ = ("column", "distinct", "found")

    def __init__(self, column: Column) -> None:
        self.column = column
        self.found: list[Any] = []
        self.distinct: list[Any] = []

    def grow(self) -> None:
        """Widens a growing column to what it has to show."""
        column = self.column
        if column.auto:
            widths = {column.measure(cell) for cell in self.distinct if cell is not MISSING}
            column.width = max([column.width, *widths])

    def aligned(self, before: str, after: str) -> list[str]:
        """The texts of the cells in the width of the column, between what separates columns."""
        column = self.column
        texts = {id(cell): column.text(cell) for cell in self.distinct}
        if column.auto and any(text_width(text) > column.width for text in texts.values()):
            return [f"{before}{self._grown(texts[id(cell)])}{after}" for cell in self.found]
        shown = {key: f"{before}{column.aligned(text)}{after}" for key, text in texts.items()}
        return list(map(shown.__getitem__, map(id, self.found)))

    def _grown(self, text: str) -> str:
        """The text in the width of the column, which grows to hold it: later rows are as wide."""
        self.column.width = max(self.column.width, text_width(text))
        return self.column.aligned(text)


def cells(mask: Mask, source: Source, groups: Groups) -> list[Cells]:
    """The cells of all columns for these jobs of the queue."""
    columns = [Cells(column) for column in mask.columns]
    _Jobs(source, groups).fill(columns)
    for column in columns:
        column.grow()
    return columns


def rows(mask: Mask, columns: Sequence[Cells], *, trim: bool) -> Iterator[str]:
    """The rows of the mask, many in one text; ``trim`` cuts off trailing blanks where the terminal cuts nothing."""
    last = len(columns) - 1
    parts = []
    for index, column in enumerate(columns):
        if not column.column.hidden:
            before = mask.prefix if index and column.column.prefix else ""
            parts.append(column.aligned(before, mask.suffix if index < last and column.column.suffix else ""))
    lines: Iterator[str] = map("".join, zip(*parts, strict=True))
    before, after = mask.row_prefix, mask.row_suffix
    width = mask.max_width
    if width is not None:
        lines = (cut(line, width) for line in lines)
    elif trim:
        lines = map(_trimmed, repeat(before), lines, repeat(after))
        before, after = "", "\n"
    while some := list(islice(lines, _ROWS)):
        yield f"{before}{f'{after}{before}'.join(some)}{after}"


def _trimmed(before: str, line: str, after: str) -> str:
    return f"{before}{line}{after}".rstrip(" \t\n")


class _Test(Column):
    """A column whose cells say whether an expression is true."""

    __slots__ = ()

    def of_value(self, value: Any) -> Any:
        return is_true(value)


def fitting(constraints: Sequence[str], source: Source, groups: Groups) -> Groups | None:
    """The jobs for which all constraints are true; None when that takes their whole ads, or one does not parse."""
    if not all(map(is_valid, constraints)):
        return None
    tests = [Cells(_Test(text)) for text in constraints]
    if any(_reads(test.column) is None for test in tests):
        return None
    _Jobs(source, groups).fill(tests)
    verdicts = map(all, zip(*(test.found for test in tests), strict=True))
    found: Groups = []
    for cluster, procs in groups:
        left = list(compress(procs, islice(verdicts, len(procs))))
        if left:
            found.append((cluster, procs if len(left) == len(procs) else left))
    return found


class _Jobs:
    """Jobs of the queue, with what they say of the attributes that were asked for."""

    def __init__(self, source: Source, groups: Groups) -> None:
        assert source.view is not None
        self._source = source
        self._groups = groups
        self._table = source.view.table
        self._count = sum(len(procs) for _, procs in groups)
        #: The expression of each job, by the lower-case name of the attribute.
        self._texts: dict[str, Sequence[str | None]] = {}
        self._names: dict[str, frozenset[str]] = {}
        #: Expressions that may read anything.
        self._opaque: set[str] = set()
        self._places: dict[int, tuple[int, int]] = {}
        self._whole: dict[int, ClassAd] = {}

    def fill(self, columns: Sequence[Cells]) -> None:
        """Find the cells of these jobs in every column."""
        if not self._count:
            return
        for column, reads in zip(columns, self._closures([_reads(one.column) for one in columns]), strict=True):
            if reads is None:
                column.found = column.distinct = [column.column.cell(self._ad(at)) for at in range(self._count)]
            else:
                self._fill_alike(column, reads)

    def _closures(self, wanted: Sequence[frozenset[str] | None]) -> Sequence[frozenset[str] | None]:
        """For each column the attributes that it reads, and those that their expressions name; None for unknown ones,
        or too many."""
        keys = frozenset[str]().union(*(reads for reads in wanted if reads is not None))
        while True:
            if len(keys) > _MOST_READS:
                return [None] * len(wanted)
            self._read(keys)
            more = keys.union(*map(self._named, keys))
            if more == keys:
                return [None if reads is None else self._closure(reads) for reads in wanted]
            keys = more

    def _closure(self, reads: frozenset[str]) -> frozenset[str]:
        while (more := reads.union(*map(self._named, reads))) != reads:
            reads = more
        return reads

    def _read(self, keys: frozenset[str]) -> None:
        """Find out what the jobs say of some attributes; all in one pass, as it may be one through the whole log."""
        hidden = self._source.hidden
        new = tuple(sorted(keys.difference(self._texts)))
        shown = tuple(key for key in new if key not in hidden)
        if shown:
            self._texts.update(zip(shown, self._table.texts(self._groups, shown), strict=True))
        for key in hidden.intersection(new):
            self._texts[key] = [str(self._source.now) if key == "servertime" else None] * self._count

    def _named(self, key: str) -> frozenset[str]:
        """The attributes that the expressions of the jobs for one name."""
        if key not in self._names:
            found: set[str] = set()
            for text in set(self._texts[key]):
                if text is None or _is_literal(text) or _ARITHMETIC.fullmatch(text) is not None:
                    continue
                binding = bind(key, text)
                if binding.value is COMPUTED:
                    names = plain_names(binding.node)
                    if names is None or not all(name.isascii() for name in names):
                        self._opaque.add(text)
                    else:
                        found |= names
            self._names[key] = frozenset(found)
        return self._names[key]

    def _fill_alike(self, column: Cells, reads: frozenset[str]) -> None:
        """Find the cells of a column that depend on these attributes."""
        common, shared, keys = ClassAd(), [], []
        for key in sorted(reads):
            texts = self._texts[key]
            if texts.count(texts[0]) != self._count:
                keys.append(key)
            elif texts[0] is not None:
                common.attrs[key] = bind(key, texts[0])
                shared.append(texts[0])
        if not self._opaque.isdisjoint(shared):
            column.found = column.distinct = [column.column.cell(self._ad(at)) for at in range(self._count)]
        elif len(keys) == 1 == len(reads) and column.column.shows_value:
            self._fill_values(column, keys[0])
        elif keys:
            rows = list(zip(*(self._texts[key] for key in keys), strict=True))
            known = {texts: self._cell(column.column, common, keys, texts) for texts in set(rows)}
            self._look_up(column, rows, known)
        else:
            column.distinct = [column.column.cell(common)]
            column.found = column.distinct * self._count

    def _fill_values(self, column: Cells, key: str) -> None:
        """Find the cells of a column that shows the value of an attribute."""
        known = {}
        for text in set(self._texts[key]):
            value = COMPUTED if text is None else bind(key, text).value
            alone = value is not COMPUTED
            known[text] = column.column.of_value(value) if alone else self._cell(column.column, None, (key,), (text,))
        self._look_up(column, self._texts[key], known)

    def _look_up(self, column: Cells, texts: Sequence[Any], known: dict[Any, Any]) -> None:
        """Give each job the cell of what it says; of those that are _UNLIKE the one that its whole ad tells."""
        found = list(map(known.__getitem__, texts))
        column.distinct = [cell for cell in known.values() if cell is not _UNLIKE]
        if len(column.distinct) != len(known):
            for at, cell in enumerate(found):
                if cell is _UNLIKE:
                    found[at] = column.column.cell(self._ad(at))
                    column.distinct.append(found[at])
        column.found = found

    def _cell(self, column: Column, common: ClassAd | None, keys: Sequence[str], texts: Sequence[str | None]) -> Any:
        """The cell of all jobs that say this; _UNLIKE where it takes their whole ads to tell."""
        if self._opaque and not self._opaque.isdisjoint(texts):
            return _UNLIKE
        ad = ClassAd()
        ad.parent = common
        for key, text in zip(keys, texts, strict=True):
            if text is not None:
                ad.attrs[key] = bind(key, text)
        return column.cell(ad)

    def _ad(self, at: int) -> ClassAd:
        """The ad of the job at a place."""
        if not self._whole:
            jobs = enumerate((cluster, proc) for cluster, procs in self._groups for proc in procs)
            self._places = dict(jobs)
        ad = self._whole.get(at)
        if ad is None:
            cluster, proc = self._places[at]
            ad = self._whole[at] = self._source.chosen([(cluster, [proc])])[0]
        return ad


def _is_literal(text: str) -> bool:
    """Whether an expression surely is a number or a string, by its look."""
    return text.isdigit() or (text[:1] == '"' and text.find('"', 1) == len(text) - 1 and "\\" not in text)


def _reads(column: Column) -> frozenset[str] | None:
    """Lower-case names of the attributes that the cells of a column depend on; None when unknown."""
    if column.fmt is not None and column.fmt.kind is conversion.TEXT and column.render is None:
        return frozenset()
    names = {column.ask.lower()} if isinstance(column.ask, str) else plain_names(column.ask.node)
    if names is None or not all(name.isascii() for name in names):
        return None
    if column.render is not None:
        more = _READS.get(getattr(column.render, "__func__", column.render))
        if more is None:
            return None
        names = names.union(more)
    return frozenset(names)
