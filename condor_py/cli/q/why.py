"""``condor_q -why`` (ours): what jobs wait for, in a row for those of a batch that wait for the same, or all of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from condor_py.cli.output import renderers
from condor_py.cli.output.terminal import cut, pad, text_width
from condor_py.cli.q.source import Source
from condor_py.cli.waiting import Around, around_pool
from condor_py.cli.waiting.alike import Alike, alike
from condor_py.cli.waiting.reasons import Expected, clock
from condor_py.client.pool import Pool
from condor_py.client.queue_view import Groups
from condor_py.model.ids import JobId

#: A table tells when jobs start where no more wait: that takes a forecast for all of them.
_MOST_FORECAST = 10_000
_HEADS = ("OWNER", "BATCH_NAME", "JOBS", "ST", "SINCE", "START", "WHY")
_RIGHT = (2, 4, 5)
#: What is said of jobs that nothing keeps from starting.
FREE = "nothing keeps it from starting: the next negotiation cycle may start it"


class _Part(NamedTuple):
    """Jobs of one cluster that wait for the same, and what is known of the first of them."""

    found: Alike
    owner: str
    batch: str
    expected: Expected | None

    @property
    def text(self) -> str:
        """All reasons in one line."""
        never = any(reason.final for reason in self.found.reasons) and not self.found.held
        return ("never runs here: " if never else "") + ("; ".join(one.text for one in self.found.reasons) or FREE)


def why_text(source: Source, groups: Groups, *, as_json: bool, each: bool, width: int | None) -> str:
    """The answer about the jobs of ``groups``; ``each``: about single jobs, with all that is known. ``width`` cuts the
    rows of the table."""
    view, pool = source.view, source.pool
    assert view is not None
    assert pool is not None
    around = around_pool(pool, view)
    starts: Mapping[JobId, Expected] = {}
    whole = each or view.table.count() <= _MOST_FORECAST
    if whole:
        starts, around = _with_forecast(source, pool, around)
    else:
        from condor_py.cli.q.forecast import expected_ends

        around = around._replace(end=expected_ends(pool))
    parts = [_part(source, found, starts) for found in alike(view, groups, around)]
    if as_json:
        return json.dumps([_as_json(part) for part in parts], indent=1) + "\n"
    if each:
        return source.title() + "".join(_full(part) for part in parts)
    if not parts:
        return source.title() + "No job waits, and none is held.\n"
    text = source.title() + _table(parts, width)
    if not whole:
        text += f"START is left out above {_MOST_FORECAST:,} jobs; condor_q -forecast computes it.\n"
    return text


def _with_forecast(source: Source, pool: Pool, around: Around) -> tuple[Mapping[JobId, Expected], Around]:
    """Return when jobs start, and the surroundings with the times at which running jobs end."""
    from condor_py.cli.q.forecast import expected_starts

    starts, end = expected_starts(pool, source.jobs, around.slots)
    return starts, around._replace(end=end)


def _part(source: Source, found: Alike, starts: Mapping[JobId, Expected]) -> _Part:
    first = source.chosen([(found.cluster, found.procs[:1])])[0]
    batch = renderers.batch_name(None, first) or f"ID: {found.cluster}"
    times = [one for proc in found.procs if (one := starts.get(JobId(found.cluster, proc))) is not None]
    expected = None if found.held else min(times, default=None)
    return _Part(found, first.eval_str("Owner") or "?", batch, expected)


# ---- the table ------------------------------------------------------------------------------------------------


def _table(parts: Iterable[_Part], width: int | None) -> str:
    rows: dict[tuple[str, str, str, str], list[_Part]] = {}
    for part in parts:
        rows.setdefault((part.owner, part.batch, "H" if part.found.held else "I", part.text), []).append(part)
    lines = [_HEADS, *(_cells(*key, members) for key, members in rows.items())]
    sizes = [max(text_width(line[at]) for line in lines) for at in range(len(_HEADS) - 1)]
    shown = []
    for line in lines:
        cells = [pad(text, size, at not in _RIGHT) for at, (text, size) in enumerate(zip(line, sizes, strict=False))]
        text = " ".join([*cells, line[-1]])
        shown.append((text if width is None else cut(text, width - 1)).rstrip() + "\n")
    return "".join(shown)


def _cells(owner: str, batch: str, state: str, text: str, members: list[_Part]) -> tuple[str, ...]:
    jobs = sum(len(part.found.procs) for part in members)
    since = min((part.found.since for part in members if part.found.since), default=0)
    expected = min((part.expected for part in members if part.expected is not None), default=None)
    start = "" if expected is None else clock(expected.at)
    return owner, batch, str(jobs), state, clock(since) if since else "", start, text


# ---- all that is known of some jobs ---------------------------------------------------------------------------


def _full(part: _Part) -> str:
    """The lines about jobs that wait for the same."""
    found = part.found
    count = len(found.procs)
    verb = "held" if found.held else "waiting"
    lines = [f"{_ids(found)} ({part.owner}, {part.batch}): {f'{count:,} jobs ' if count > 1 else ''}{verb}\n"]
    lines += [f"  {name:<12} {text}\n" for name, text in _facts(part)]
    return "".join(lines)


def _facts(part: _Part) -> Iterator[tuple[str, str]]:
    found = part.found
    for reason in found.reasons:
        yield "held for" if found.held else "never runs" if reason.final else "waits for", reason.what
        for holder in reason.holders:
            yield "held by", holder.line
        if reason.help:
            yield "what helps", reason.help
    if not found.reasons:
        yield "waits for", FREE
    if found.since:
        yield "since", clock(found.since)
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


def _as_json(part: _Part) -> dict[str, Any]:
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
