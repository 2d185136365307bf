"""The history: what condor_report says of a time, a user or a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from condor_py.cli.times import Period, period
from condor_py.cli.web.page import (
    NUMBER,
    TEXT,
    WHOLE,
    Asked,
    BadRequest,
    Data,
    Page,
    Parameter,
    array,
    maybe,
    record,
)  # fmt: skip
from condor_py.cli.web.works import works_of
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.cli.web.live import Watch
    from condor_py.cli.web.work import Steps
    from condor_py.client.pool import Pool

#: Times that one click shows.
_TIMES = ("12h", "day", "week", "month", "90d", "365d")
_LONGEST_NAME = 200
#: Records that are read of each history, the newest: those of half a minute.
_MOST_RECORDS = 500_000


def view(watch: Watch, asked: Asked) -> Data:
    """Return the report on the asked time, or how far the reading of it is. BadRequest."""
    words = {name: _word(asked, name) for name in ("last", "since", "until", "user", "batch")}
    if words["since"] or words["until"]:
        words["last"] = None
    if words["user"] == "me":
        words["user"] = asked.viewer.name
    span = _span(words, asked.now)
    request = {
        "since": span.since, "until": span.until, "user": words["user"], "batch": words["batch"], "now": asked.now,
    }  # fmt: skip
    key = "\0".join(words[name] or "" for name in words)
    newer_than = asked.number("newer_than", 0, most=asked.now)
    state = works_of(watch).ask("history", key, request, newer_than=newer_than, user=asked.viewer.name)
    found = state.result or {"summary": [], "sections": [], "notes": [], "report": None, "sizes": None}
    shown = found["report"] or request
    return {
        "asked": words,
        "since": shown["since"],
        "until": shown["until"],
        "reading": None if state.works is None else {"records": state.steps, "seconds": asked.now - int(state.works)},
        "failed": state.failed,
        "again": state.again,
        "made": int(state.made) or None,
        "times": list(_TIMES),
        **found,
    }


def work(pool: Pool, request: Mapping[str, Any], steps: Steps) -> Data:
    """Return the report on a time: ``since`` and ``until`` in Unix seconds, ``user`` and ``batch`` (None: all), and
    ``now``, when it was asked for."""
    from condor_py.cli.report import data
    from condor_py.cli.report.figures import Figures
    from condor_py.cli.report.gather import Gathering, Histories, first_record
    from condor_py.cli.report.page import HOW, sections, summary
    from condor_py.cli.report.parts import data as section_data
    from condor_py.cli.report.sizes import Sizes, section, told
    from condor_py.lang.config.build import build
    from condor_py.model.settings.sizing import AutoRequests

    asked = Period(request["since"], request["until"])
    figures = Figures(asked, request["user"], request["batch"], first_record(pool))
    sizes = Sizes(asked, build(AutoRequests, pool.config), request["user"], request["batch"])
    histories = Histories(pool, asked, figures.notes, steps, _MOST_RECORDS)
    Gathering(pool, figures, histories, sizes, request["now"]).everything()
    return {
        "summary": [{"figure": figure, "meaning": meaning} for figure, meaning in summary(figures)],
        "sections": [section_data(one) for one in (*sections(figures), section(sizes))],
        "notes": [*figures.notes, *HOW],
        "report": data(figures, pool.settings.host, pool.now()),
        "sizes": told(sizes),
    }


def _word(asked: Asked, name: str) -> str | None:
    """Return a parameter; None for one that is empty. BadRequest for one that is too long or not printable."""
    text = asked.parameters.get(name, "").strip()
    if len(text) > _LONGEST_NAME or not text.isprintable():
        raise BadRequest(f"{name} is a printable word of at most {_LONGEST_NAME} characters")
    return text or None


def _span(words: Mapping[str, str | None], now: int) -> Period:
    try:
        return period("the time", words["since"], words["until"], words["last"], now, dash="")
    except CondorError as error:
        raise BadRequest(str(error)) from None


PAGE = Page(
    name="history",
    title="History",
    view=view,
    schema=record(
        asked=record(**{name: maybe(TEXT) for name in ("last", "since", "until", "user", "batch")}),
        since=WHOLE,
        until=WHOLE,
        reading=maybe(record(records=WHOLE, seconds=NUMBER)),
        failed=TEXT,
        again=NUMBER,
        made=maybe(WHOLE),
        times=array(TEXT),
        summary=array(record(figure=TEXT, meaning=TEXT)),
        sections=array(record(name=TEXT, heading=TEXT, parts=array({"type": "object"}))),
        notes=array(TEXT),
        report=maybe({"type": "object", "description": "the object that condor_report -json prints"}),
        sizes=maybe({"type": "object", "description": "the object that condor_report -sizes -json prints"}),
    ),
    parameters=(
        Parameter("last", "the time up to now, without since and until: day, week, month, or a length (12h, 3d)"),
        Parameter("since", "from then on: a day (2026-11-21), a time (2026-11-21T18:00), 3d, Unix seconds"),
        Parameter("until", "up to then, which is not included"),
        Parameter("user", "only the jobs of this account (me: your own)"),
        Parameter("newer_than", "read again what was read at this time (Unix seconds) or before", WHOLE),
        Parameter("batch", "only the jobs of a batch name, of a program, or of a cluster number"),
    ),
)
