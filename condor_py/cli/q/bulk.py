"""Rows of many jobs at once, column by column, without reading an ad where a few attributes tell the cell.

Most cells of a cluster's jobs are alike. A column names the attributes that its cell depends on; jobs of one cluster
that say the same of those have the same cell, which is computed once, from an ad of these attributes alone. Where that
cannot be known (an unknown renderer, a function in an expression) every cell is computed from the job's whole ad.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, repeat
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
    """The cells of one column: ``found`` has one a job, ``distinct`` every computed cell once or more.

    ``known`` has the cells of what jobs said, by what their cluster said.
    """

    __slots__ = ("column", "distinct", "found", "known")

    def __init__(self, column: Column) -> None:
        self.column = column
        self.found: list[Any] = []
        self.distinct: list[Any] = []
        self.known: dict[object, dict[object, Any]] = {}

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
    wanted = [_reads(column) for column in mask.columns]
    for cluster, procs in groups:
        _Group(source, cluster, procs).add(columns, wanted)
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

    def cell(self, ad: ClassAd, target: ClassAd | None = None) -> Any:
        return is_true(ad.raw(self.ask, target))


def fitting(constraints: Sequence[str], source: Source, groups: Groups) -> Groups | None:
    """The jobs for which all constraints are true; None when that takes their whole ads, or one does not parse."""
    if not all(map(is_valid, constraints)):
        return None
    tests = [_Test(text) for text in constraints]
    wanted = [_reads(test) for test in tests]
    if None in wanted:
        return None
    found: Groups = []
    columns = [Cells(test) for test in tests]
    for cluster, procs in groups:
        for column in columns:
            column.found = []
        _Group(source, cluster, procs).add(columns, wanted)
        verdicts = zip(*(column.found for column in columns), strict=True)
        left = [proc for proc, verdict in zip(procs, verdicts, strict=True) if all(verdict)]
        if left:
            found.append((cluster, left))
    return found


class _Group:
    """Jobs of one cluster."""

    def __init__(self, source: Source, cluster: int, procs: Sequence[int]) -> None:
        self.source = source
        self.cluster = cluster
        self.procs = procs
        self.parent = source.cluster(cluster)
        self._whole: dict[int, ClassAd] = {}

    def add(self, columns: Sequence[Cells], wanted: Sequence[frozenset[str] | None]) -> None:
        """Adds the cells of these jobs to every column."""
        closed = [None if reads is None else self._closure(reads) for reads in wanted]
        keys = tuple(sorted(set().union(*(reads for reads in closed if reads is not None))))
        if len(keys) > _MOST_READS or self.parent is None:
            closed, keys = [None] * len(columns), ()
        view = self.source.view
        assert view is not None
        own = dict(zip(keys, view.table.own_texts(self.cluster, self.procs, keys), strict=True))
        hidden = self.source.hidden
        said = {key: texts for key, texts in own.items() if key not in hidden and texts.count(None) != len(texts)}
        for column, reads in zip(columns, closed, strict=True):
            if reads is None:
                found = [column.column.cell(self._ad(index)) for index in range(len(self.procs))]
                column.found += found
                column.distinct += found
            else:
                common = tuple((key, view.cluster_text(self.cluster, key)) for key in sorted(reads))
                self._add_alike(column, {key: said[key] for key, _ in common if key in said}, common)

    def _add_alike(self, column: Cells, said: dict[str, list[str | None]], common: object) -> None:
        """Adds cells that depend only on what the jobs ``said``, and on what their cluster says: ``common``."""
        keys = tuple(said)
        count = len(self.procs)
        if not keys:
            cell = self._cell(column.column, (), ())
            column.distinct.append(cell)
            column.found += [cell] * count
            return
        one = len(keys) == 1
        told: Sequence[Any] = said[keys[0]] if one else list(zip(*said.values(), strict=True))
        known = column.known.setdefault((common, keys), {})
        unlike = set()
        for texts in set(told).difference(known):
            cell = known[texts] = self._cell(column.column, keys, (texts,) if one else texts)
            if cell is _UNLIKE:
                unlike.add(texts)
            else:
                column.distinct.append(cell)
        found = list(map(known.__getitem__, told))
        if unlike:
            for index, texts in enumerate(told):
                if texts in unlike:
                    found[index] = column.column.cell(self._ad(index))
                    column.distinct.append(found[index])
            for texts in unlike:
                del known[texts]
        column.found += found

    def _cell(self, column: Column, keys: tuple[str, ...], texts: tuple[str | None, ...]) -> Any:
        """The cell of all jobs that say this; _UNLIKE where it takes their whole ads to tell."""
        ad = ClassAd()
        ad.parent = self.parent
        for key, text in zip(keys, texts, strict=True):
            if text is not None:
                binding = bind(key, text)
                computed = binding.value is COMPUTED and _ARITHMETIC.fullmatch(text) is None
                if computed and plain_names(binding.node) != set():
                    return _UNLIKE
                ad.attrs[key] = binding
        return column.cell(ad)

    def _ad(self, index: int) -> ClassAd:
        ad = self._whole.get(index)
        if ad is None:
            ad = self._whole[index] = self.source.chosen([(self.cluster, [self.procs[index]])])[0]
        return ad

    def _closure(self, reads: frozenset[str]) -> frozenset[str] | None:
        """``reads`` and what the cluster's expressions for them refer to; None when that is unknown."""
        found: set[str] = set()
        work = list(reads)
        while work:
            key = work.pop()
            if key in found:
                continue
            found.add(key)
            binding = self.parent.attrs.get(key) if self.parent is not None else None
            if binding is not None and binding.value is COMPUTED:
                names = plain_names(binding.node)
                if names is None:
                    return None
                work.extend(names)
        return frozenset(found)


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
