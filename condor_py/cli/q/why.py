"""``condor_q -why`` (ours): what jobs wait for, in a row for those of a batch that wait for the same, or all of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from condor_py.cli.output import renderers
from condor_py.cli.output.conversion import date
from condor_py.cli.output.terminal import cut, pad, text_width
from condor_py.cli.q.source import Source, job_key
from condor_py.cli.waiting import Around, around_pool
from condor_py.cli.waiting.alike import WAITING, Alike, alike
from condor_py.cli.waiting.reasons import HELD, Expected, clock
from condor_py.cli.waiting.rows import FREE, Part, Row, part_of, rows_of
from condor_py.cli.waiting.slots import Ends
from condor_py.client.pool import Pool
from condor_py.client.queue_view import Groups
from condor_py.lang.classad.ad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId, grouped
from condor_py.model.texts import printable

if TYPE_CHECKING:
    from condor_py.cli.history.endings import Ending

#: A table tells when jobs start where no more wait: that takes a forecast for all of them.
_MOST_FORECAST = 10_000
_HEADS = ("OWNER", "BATCH_NAME", "JOBS", "ST", "SINCE", "START", "WHY")
_RIGHT = (2, 4, 5)
_NONE = "None of these jobs is in the queue; condor_history -why tells how jobs ended that have left it.\n"
#: Runs that are shown of jobs that are named.
_MOST_RUNS = 20
_STATES = {
    "R": "running", "S": "suspended", "<": "fetching its input", ">": "bringing its output back", "X": "being removed",
    "C": "completed",
}  # fmt: skip


def why_text(source: Source, groups: Groups, *, as_json: bool, each: bool, width: int | None) -> str:
    """The answer about the jobs of ``groups``; ``each``: about single jobs, with all that is known. ``width`` cuts the
    rows of the table. Raises CondorError."""
    view, pool = source.view, source.pool
    if view is None or pool is None:
        raise CondorError("Error: -why needs the pool of this machine")
    around = around_pool(pool, view)
    starts: Mapping[JobId, Expected] = {}
    whole = each or view.table.count() <= _MOST_FORECAST
    if whole:
        starts, around = _with_forecast(source, pool, around)
    else:
        around = around._replace(end=_ends(pool))
    found = (part_of(view, one, starts) for one in alike(view, groups, around))
    parts = [part for part in found if part is not None]
    if as_json:
        return json.dumps(list(_as_json(source, groups, parts, each=each)), indent=1) + "\n"
    if each:
        return source.title() + (_each(source, groups, parts) or _NONE)
    if not parts:
        return source.title() + "No job waits, and none is held.\n"
    text = source.title() + _table(rows_of(parts), width)
    if not whole:
        text += f"START is left out above {_MOST_FORECAST:,} jobs; condor_q -forecast computes it.\n"
    return text


def _each(source: Source, groups: Groups, parts: Iterable[Part]) -> str:
    """All that is known of the jobs that were named."""
    return "".join(map(_full, parts)) + "".join(_others(source, groups))


def _with_forecast(source: Source, pool: Pool, around: Around) -> tuple[Mapping[JobId, Expected], Around]:
    """Return when jobs start, and the surroundings with the times at which running jobs end."""
    from condor_py.cli.q.forecast import expected_starts

    starts, end = expected_starts(pool, source.jobs, around.slots)
    return starts, around._replace(end=end)


def _ends(pool: Pool) -> Ends:
    """Return a function for when the job on a slot is expected to end; the history is read when it is called first."""

    @cache
    def ends() -> Ends:
        from condor_py.cli.q.forecast import expected_ends

        return expected_ends(pool)

    return lambda slot: ends()(slot)


# ---- the table ------------------------------------------------------------------------------------------------


def _table(rows: Iterable[Row], width: int | None) -> str:
    lines = [_HEADS, *map(_cells, rows)]
    sizes = [max(text_width(line[at]) for line in lines) for at in range(len(_HEADS) - 1)]
    shown = []
    for line in lines:
        cells = [pad(text, size, at not in _RIGHT) for at, (text, size) in enumerate(zip(line, sizes, strict=False))]
        text = " ".join([*cells, line[-1]])
        shown.append((text if width is None else cut(text, width - 1)).rstrip() + "\n")
    return "".join(shown)


def _cells(row: Row) -> tuple[str, ...]:
    start = "" if row.expected is None else _day(row.expected.at)
    return row.owner, row.batch, str(row.jobs), "H" if row.held else "I", _day(row.since), start, row.text


def _day(when: int) -> str:
    """A time as condor_q shows it: ``11/20 22:09``; "" for 0."""
    return date(when).strip() if when else ""


# ---- all that is known of some jobs ---------------------------------------------------------------------------


def _full(part: Part) -> str:
    """The lines about jobs that wait for the same."""
    found = part.found
    count = len(found.procs)
    verb = "held" if found.held else "waiting"
    lines = [f"{_ids(found)} ({part.owner}, {part.batch}): {f'{count:,} jobs ' if count > 1 else ''}{verb}\n"]
    lines += [f"  {name:<12} {printable(text)}\n" for name, text in _facts(part)]
    return "".join(lines)


def _facts(part: Part) -> Iterator[tuple[str, str]]:
    found = part.found
    for reason in found.reasons:
        name = "held for" if found.held else "never runs" if reason.final else "waits for"
        yield name, reason.what.removeprefix(HELD)
        for holder in reason.holders:
            yield "held by", holder.line
        if reason.help:
            yield "what helps", reason.help
    if not found.reasons:
        yield "waits for", FREE
    if found.since:
        yield "since", _day(found.since)
    if part.expected is not None:
        yield "starts", start_text(part.expected)


def start_text(expected: Expected) -> str:
    """``about 21:54 (8 of 10 such jobs: 20:51 to 02:45)``."""
    span = f" (8 of 10 such jobs: {clock(expected.early)} to {clock(expected.late)})" if expected.late else ""
    return f"about {clock(expected.at)}{span}"


def _ids(found: Alike) -> str:
    """``7.0``, ``7.0-99`` or ``7.0 ... 7.99`` where others are between."""
    first, last = found.procs[0], found.procs[-1]
    if first == last:
        return f"{found.cluster}.{first}"
    whole = last - first + 1 == len(found.procs)
    return f"{found.cluster}.{first}-{last}" if whole else f"{found.cluster}.{first} ... {found.cluster}.{last}"


# ---- jobs that run, and runs that have ended ------------------------------------------------------------------


def _running(source: Source, groups: Groups) -> Iterator[ClassAd]:
    """Yield the jobs that neither wait nor are held."""
    states = source.view.texts("JobStatus", groups) if source.view is not None else []
    each = ((cluster, proc) for cluster, procs in groups for proc in procs)
    others = [job for job, state in zip(each, states, strict=True) if state not in WAITING]
    yield from source.each(grouped(others))


def _others(source: Source, groups: Groups) -> Iterator[str]:
    """Yield the lines about jobs that run, and about runs that have ended."""
    for ad in _running(source, groups):
        where = f" on {slot}" if (slot := ad.eval_str("RemoteHost", "")) else ""
        since = f" since {day}" if (day := _day(ad.eval_int("EnteredCurrentStatus", 0))) else ""
        yield f"{JobId(*job_key(ad))} ({ad.eval_str('Owner') or '?'}): {_state(ad)}{where}{since}\n"
    runs = _runs(source, groups)
    if runs:
        from condor_py.cli.history.why import table_lines

        yield "\nRuns that have ended:\n"
        yield from (f"{line}\n" for line in table_lines(runs[-_MOST_RUNS:]))
    if len(runs) > _MOST_RUNS:
        yield f"These are the last {_MOST_RUNS} of {len(runs):,}; condor_history -why shows all.\n"


def _state(ad: ClassAd) -> str:
    letters = renderers.job_status(ad.raw("JobStatus"), ad) or "?"
    letter = ">" if ">" in letters else letters[:1]  # what waits for its turn to transfer has a q in front
    return _STATES.get(letter, letter)


def _runs(source: Source, groups: Groups) -> list[Ending]:
    """Return the runs of jobs that have ended, in the order of the jobs."""
    from condor_py.cli.history.why import runs_of

    assert source.pool is not None
    return runs_of(source.pool, source.chosen(groups))


# ---- for programs ---------------------------------------------------------------------------------------------


def _as_json(source: Source, groups: Groups, parts: Iterable[Part], *, each: bool) -> Iterator[dict[str, Any]]:
    """Yield an object for the jobs that wait for the same; of jobs that are named (``each``) also those that run, and
    with the runs that have ended."""
    runs: dict[JobId, list[dict[str, Any]]] = {}
    for run in _runs(source, groups) if each else ():
        runs.setdefault(run.job, []).append(_run_as_json(run))
    for part in parts:
        one = _waiting_as_json(part)
        if each:
            jobs = (JobId(part.found.cluster, proc) for proc in part.found.procs)
            one["runs"] = [run for job in jobs for run in runs.get(job, ())]
        yield one
    for ad in _running(source, groups) if each else ():
        cluster, proc = job_key(ad)
        yield {
            "owner": ad.eval_str("Owner"), "batch": renderers.batch_name(None, ad) or f"ID: {cluster}",
            "cluster": cluster, "procs": [[proc, proc]], "jobs": 1, "state": _state(ad),
            "since": ad.eval_int("EnteredCurrentStatus", 0), "reasons": [],
            "slot": ad.eval_str("RemoteHost"), "runs": runs.get(JobId(cluster, proc), []),
        }  # fmt: skip


def _run_as_json(run: Ending) -> dict[str, Any]:
    from condor_py.cli.history.why import as_json

    return as_json(run)


def _spans(procs: Iterable[int]) -> Iterator[list[int]]:
    """Yield the first and the last of procs that follow each other."""
    span: list[int] = []
    for proc in procs:
        if span and proc == span[1] + 1:
            span[1] = proc
        else:
            if span:
                yield span
            span = [proc, proc]
    if span:
        yield span


def _waiting_as_json(part: Part) -> dict[str, Any]:
    found, expected = part.found, part.expected
    reasons = [
        one._asdict() | {"text": one.text, "holders": [holder._asdict() for holder in one.holders]}
        for one in found.reasons
    ]
    return {
        "owner": part.owner, "batch": part.batch, "cluster": found.cluster, "procs": list(_spans(found.procs)),
        "jobs": len(found.procs), "state": "held" if found.held else "idle", "since": found.since, "reasons": reasons,
        "starts": None if expected is None else expected._asdict(),
    }  # fmt: skip
