"""condor_q's tables with one row a job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from condor_py.cli.output.conversion import Conversion
from condor_py.cli.output.mask import Column, Mask
from condor_py.cli.output.renderers import dag_owner, memory_usage
from condor_py.cli.output.terminal import text_width
from condor_py.cli.q.columns import Clock, Display
from condor_py.cli.q.source import job_key
from condor_py.lang.classad.ad import ClassAd

#: The width of owners, in a narrow table.
OWNER_WIDTH = 14
#: Columns that the marks of a tree get.
_TREE = 3
OWNER_COLUMN = 2


def job_table(
    display: Display, clock: Clock, jobs: Sequence[ClassAd], width: int | None, extra: Iterable[Column] = ()
) -> str:
    """Heading and rows. ``width`` is that of the terminal (rows are cut at one less), None cuts nothing."""
    mask = job_mask(display, clock, extra)
    mask.max_width = None if width is None else width - 1
    rows = [mask.cells(ad) for ad in jobs]
    if display.standard:
        fit_standard(mask, clock, jobs, width)
    return mask.heading() + rows_text(mask, rows)


def fit_standard(mask: Mask, clock: Clock, jobs: Sequence[ClassAd], width: int | None, *, tree: bool = False) -> None:
    """``fit_widths`` for these jobs; in a ``tree`` nodes have their names where others have their owners."""

    def most_memory() -> float:
        return max((memory_usage(None, ad) or 0.0 for ad in jobs), default=0.0)

    fit_widths(mask, clock, _extent(jobs, tree), width, most_memory, _TREE if tree else 0)


def job_mask(display: Display, clock: Clock, extra: Iterable[Column] = ()) -> Mask:
    """The columns of a table, and those that the user appended."""
    mask = Mask(display.columns(clock))
    appended = list(extra)
    if appended:
        mask.columns[-1].auto = mask.columns[-1].left = True
        mask.columns += appended
    return mask


def rows_text(mask: Mask, rows: Iterable[list[Any]]) -> str:
    """The rows, their trailing blanks cut off where nothing else is cut."""
    text = [mask.row(cells) for cells in rows]
    if mask.max_width is not None:
        return "".join(text)
    return "".join(line.rstrip(" \t\n") + "\n" for line in text)


class Extent(NamedTuple):
    """The largest cluster and proc number to show, and the bytes of the longest owner."""

    cluster: int
    proc: int
    owner: int


def fit_widths(
    mask: Mask, clock: Clock, extent: Extent, width: int | None, most_memory: Callable[[], float], tree: int = 0
) -> None:
    """Widens ids, owner and size, and only when one of ids and owner needs it; never with -cputime. ``tree`` columns
    in front of the owner are for what shows whose node it is."""
    if clock.cpu or (extent.cluster < 9999 and extent.proc < 999 and extent.owner <= OWNER_WIDTH):
        return
    columns = mask.columns
    digits = len(str(extent.cluster))
    if digits > 4:
        columns[0].fmt = Conversion(f"%{digits}d.")
        columns[0].width = digits + 1
    digits = len(str(extent.proc))
    if digits > 3:
        columns[1].fmt = Conversion(f"%-{digits}d")
        columns[1].width = digits
    if width is not None and extent.owner > OWNER_WIDTH:
        owner = columns[OWNER_COLUMN]
        owner.width = max(owner.width, min(extent.owner, OWNER_WIDTH + width - 80) + tree)
    for column in columns:
        if is_memory(column):
            column.width = max(column.width, len(f"{most_memory():.1f}"))


def is_memory(column: Column) -> bool:
    """Whether a column shows the size of a job."""
    return column.render is memory_usage


def _extent(jobs: Sequence[ClassAd], tree: bool) -> Extent:
    keys = [job_key(ad) for ad in jobs]
    names = (dag_owner(None, ad) if tree else ad.eval_str("Owner") for ad in jobs)
    return Extent(
        max((key[0] for key in keys), default=0),
        max((key[1] for key in keys), default=0),
        max((text_width(name or "") for name in names), default=0),
    )


def hold_code_rows(mask: Mask, jobs: Sequence[ClassAd]) -> list[list[Any]]:
    """One row for each hold code and sub-code: its oldest job, with the count in the fourth cell."""
    groups: dict[tuple[int, int | None], list[ClassAd]] = {}
    for ad in jobs:
        code = ad.eval_int("HoldReasonCode", -1)
        groups.setdefault((code or 0, ad.eval_int("HoldReasonSubCode")), []).append(ad)
    rows = []
    for _, members in sorted(groups.items(), key=lambda item: _as_text(item[0])):
        cells = mask.cells(members[0])
        cells[3] = len(members)
        rows.append(cells)
    return rows


def _as_text(key: tuple[int, int | None]) -> tuple[str, str]:
    code, sub = key
    return (str(code), "undefined" if sub is None else str(sub))


def in_tree_order(jobs: Sequence[ClassAd]) -> list[ClassAd]:
    """Nodes behind their DAGMan job. Of a node with several procs only the first stands there, the others where their
    ids are, as HTCondor has it."""
    return [ad for ad, _ in _tree(jobs)]


def under_parents(jobs: Sequence[ClassAd], mask: Mask, widest: int | None = None) -> list[list[Any]]:
    """Cells in the order of the tree; the owners (or names) of nodes are marked ``|-`` and indented by depth. They are
    cut at ``widest``."""
    rows: list[list[Any]] = []
    for ad, depth in _tree(jobs):
        cells = mask.cells(ad)
        name = cells[OWNER_COLUMN]
        if isinstance(name, str):
            marks = " " * depth + "|-" if ad.eval_int("DAGManJobId", 0) > 0 else ""
            cells[OWNER_COLUMN] = (marks + name)[:widest]
        rows.append(cells)
    return rows


def _tree(jobs: Sequence[ClassAd]) -> Iterator[tuple[ClassAd, int]]:
    """The jobs in the order of the tree, each with its depth."""
    family = _Family(jobs)
    shown: set[int] = set()
    for root in jobs:
        work = [] if id(root) in shown else [root]
        while work:
            ad = work.pop()
            if id(ad) in shown:
                continue
            shown.add(id(ad))
            yield ad, family.depth(ad)
            work.extend(reversed(family.children.get(id(ad), [])))


class _Family:
    """The nodes of each DAGMan job among some jobs, in the order of their ids."""

    def __init__(self, jobs: Sequence[ClassAd]) -> None:
        self.children: dict[int, list[ClassAd]] = {}
        self._managers = {job_key(ad)[0]: ad for ad in jobs if job_key(ad)[1] == 0}
        before = None
        for ad in jobs:
            cluster, parent = job_key(ad)[0], self._parent(ad)
            if parent is not None and (id(parent) not in self.children or cluster != before):
                self.children.setdefault(id(parent), []).append(ad)
            before = cluster

    def _parent(self, ad: ClassAd) -> ClassAd | None:
        cluster = ad.eval_int("DAGManJobId")
        return None if cluster is None or cluster == job_key(ad)[0] else self._managers.get(cluster)

    def depth(self, ad: ClassAd) -> int:
        """Return how many levels of DAGMan jobs are above a job."""
        above: list[int] = []
        parent = self._parent(ad)
        while parent is not None and id(parent) not in above:
            above.append(id(parent))
            parent = self._parent(parent)
        return len(above)
