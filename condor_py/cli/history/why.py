"""``condor_history -why`` (ours), and the runs that ``condor_q -why`` shows: why each run of a job ended."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from condor_py.cli.history.endings import Ending, endings
from condor_py.cli.history.query import Query, Search, query_of
from condor_py.cli.options import Args
from condor_py.cli.output.conversion import date, elapsed
from condor_py.cli.output.terminal import cut, pad, text_width
from condor_py.client.pool import Pool, open_pool
from condor_py.lang.classad.ad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.texts import printable
from condor_py.store.history import all_records

_HEADS = ("ID", "RUN", "STARTED", "ENDED", "TIME", "SLOT", "WHY IT ENDED")
#: Widths of a table that is written while it is read.
_SIZES = (9, 3, 11, 11, 10, 14)
_RIGHT = (1, 4)
#: Options that -why has no meaning with.
_CONFLICTS = (
    "long", "xml", "toml", "autoformat", "format", "print-format", "attributes", "epochs", "transfer-history", "daemon",
    "startd", "userlog", "directory", "file", "search", "type", "name", "pool", "extract", "plot", "svg", "forwards",
)  # fmt: skip


def show_why(args: Args, width: int | None) -> None:
    """Write the answer to a command line; ``width`` cuts the rows. Raises CondorError."""
    other = args.last(*_CONFLICTS)
    if other is not None:
        raise CondorError(f"Error: -why conflicts with {other.spelling}; its form for programs is -json")
    pool = open_pool()
    asked = [query_of(args, "", frozenset({kind}), remote=False, runs=kind == "EPOCH") for kind in ("EPOCH", "JOB")]
    limit = asked[0].limit
    runs, jobs = (query._replace(limit=0) for query in asked)
    found = endings(_ads(pool, "JOB_EPOCH_HISTORY", runs), _ads(pool, "HISTORY", jobs))
    if runs.ids:
        found = iter(sorted(found, key=_order))
    shown = (one for number, one in enumerate(found) if not limit or number < limit)
    if args.has("json") or args.has("jsonl"):
        _write_json(shown, lines=args.has("jsonl"))
        return
    for line in table_lines(list(shown) if runs.ids else shown):
        sys.stdout.write((line if width is None else cut(line, width)).rstrip() + "\n")


def runs_of(pool: Pool, jobs: Iterable[ClassAd]) -> list[Ending]:
    """Return the runs that have ended of jobs in the queue, the first run first."""
    ads = [ad for ad in jobs if ad.has("NumShadowStarts")]
    ids = tuple((ad.eval_int("ClusterId", 0), ad.eval_int("ProcId", 0)) for ad in ads)
    if not ids:
        return []
    query = Query(ids, frozenset(), None, None, 0, 0, frozenset({"EPOCH"}), False, True, False)
    return sorted(endings(_ads(pool, "JOB_EPOCH_HISTORY", query), (), ads), key=_order)


def row(ending: Ending) -> list[str]:
    """The cells of a run."""
    spent = elapsed(ending.ended - ending.began).strip() if 0 < ending.began <= ending.ended else ""
    slot = ending.slot.partition("@")[0]
    return [
        f"{ending.job.cluster}.{ending.job.proc}", str(ending.run) if ending.run else "-", _date(ending.began),
        _date(ending.ended), spent, slot, printable(ending.text),
    ]  # fmt: skip


def _order(ending: Ending) -> tuple[int, int, int, int]:
    return ending.job.cluster, ending.job.proc, ending.ended, ending.run


def _date(when: int) -> str:
    return date(when).strip() if when else ""


def _ads(pool: Pool, knob: str, query: Query) -> Iterator[ClassAd]:
    """Yield the records that were asked for, newest first; none where no history is kept."""
    path, search = pool.config.path(knob), Search(query)
    for ad, _ in search.through(all_records(path) if path else ()):
        yield ad
    if search.malformed:
        sys.stderr.write(f"WARNING: records of {knob} that cannot be read are left out: {search.malformed}\n")


def table_lines(found: Iterable[Ending]) -> Iterator[str]:
    """Yield the rows of the table. Those of a list are as wide as they need; others are written while they are read."""
    rows: Iterable[list[str]] = map(row, found)
    sizes: tuple[int, ...] = _SIZES
    if isinstance(found, list):
        rows = list(rows)
        sizes = tuple(max(text_width(line[at]) for line in (_HEADS, *rows)) for at in range(len(_HEADS) - 1))
    for line in chain([_HEADS], rows):
        cells = [pad(text, size, at not in _RIGHT) for at, (text, size) in enumerate(zip(line, sizes, strict=False))]
        yield " ".join([*cells, line[-1]])


def _write_json(found: Iterable[Ending], *, lines: bool) -> None:
    if lines:
        for one in found:
            sys.stdout.write(json.dumps(as_json(one)) + "\n")
        return
    sys.stdout.write(json.dumps([as_json(one) for one in found], indent=1) + "\n")


def as_json(ending: Ending) -> dict[str, Any]:
    """Everything about a run."""
    return ending._asdict() | {"job": f"{ending.job.cluster}.{ending.job.proc}", "text": ending.text}
