"""Every time that a job was put on hold, by the global event log (EVENT_LOG), where there is one that reaches back."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from condor_py.cli.times import Period
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.model.errors import StoreError
from condor_py.model.event_types import JobEventType
from condor_py.store.event_log import EventReader, LogEvent
from condor_py.store.event_read import parse

#: A log of more bytes is not read: the history tells of its jobs.
_LARGEST = 200_000_000
_ROTATED = re.compile(r"\.(old|\d+)\Z")


class Hold(NamedTuple):
    """One job was put on hold: code and reason, and the job's id."""

    reason: tuple[int, str]
    job: str


def holds_on_record(path: str, period: Period) -> list[Hold] | None:
    """Each hold in the period; None where the log cannot say: there is none, it is damaged, or it begins later."""
    first: float | None = None
    found: list[Hold] = []
    try:
        for event in _events(path):
            first = event.time if first is None or 0 < event.time < first else first
            if event.number == JobEventType.JOB_HELD and period.since <= event.time < period.until:
                found.append(_hold(event))
    except (StoreError, OSError):
        return None
    return found if first is not None and first <= period.since else None


def _events(path: str) -> Iterator[LogEvent]:
    """The events of the log and of its rotated files."""
    directory, base = os.path.split(path)
    names = [name for name in os.listdir(directory or ".") if _ROTATED.sub("", name) == base]
    for name in names:
        file = os.path.join(directory, name)
        if os.path.getsize(file) > _LARGEST:
            raise StoreError(f"{file} is too large")
        yield from EventReader(file).all()


def _hold(event: LogEvent) -> Hold:
    try:
        ad = ClassAd.from_text_items(parse(event))
    except ClassAdParseError:
        ad = ClassAd()
    reason = ad.eval_int("HoldReasonCode", 0), ad.eval_str("HoldReason", "") or ""
    return Hold(reason, f"{event.cluster}.{event.proc}")
