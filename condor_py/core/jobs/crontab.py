"""cron_minute, cron_hour, ...: when a job that repeats is to run next (manual: "Time Scheduling for Job Execution").

A schedule gives ``DeferralTime``; the rest (prep time, window) is that of deferred jobs. As with cron, days of the
month and days of the week that are both given are alternatives. Times are local times.
"""

from __future__ import annotations

import re
from time import localtime
from typing import NamedTuple

from condor_py.lang.classad import ClassAd
from condor_py.model.texts import as_integer

#: Attribute, least and greatest value.
_FIELDS = (
    ("CronMinute", 0, 59),
    ("CronHour", 0, 23),
    ("CronDayOfMonth", 1, 31),
    ("CronMonth", 1, 12),
    ("CronDayOfWeek", 0, 7),
)
#: In lower case.
NAMES = frozenset(name.lower() for name, _, _ in _FIELDS)
_STRANGE = re.compile(r"[^0-9,*/\- ]")
#: A schedule that names a day finds it within the 28 years after which the calendar repeats.
_FURTHEST = 28 * 366 * 86400


class BadSchedule(Exception):
    """An invalid schedule; the text is HTCondor's, for the reason of the hold."""


class Schedule(NamedTuple):
    """The values of each field. No ``weekdays`` (0 is Sunday) means that they do not matter."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]

    def has_day(self, day: int, weekday: int) -> bool:
        """Whether a day of the month, which is that day of the week, is one to run on."""
        if not self.weekdays:
            return day in self.days
        return weekday in self.weekdays or (len(self.days) < 31 and day in self.days)


def repeats(ad: ClassAd) -> bool:
    """Whether a job has a schedule."""
    if NAMES.isdisjoint(ad.attrs) and (ad.parent is None or NAMES.isdisjoint(ad.parent.attrs)):
        return False  # as of nearly all jobs
    return any(ad.text(name) is not None for name, _, _ in _FIELDS)


def schedule_of(ad: ClassAd) -> Schedule:
    """The schedule of a job; fields that it does not give are ``*``. BadSchedule."""
    texts = [ad.eval_str(name, "*") or "*" for name, _, _ in _FIELDS]
    wrong = [
        f"Invalid parameter value '{text}' for {name}"
        for text, (name, _, _) in zip(texts, _FIELDS, strict=True)
        if _STRANGE.search(text)
    ]
    if wrong:
        raise BadSchedule("".join(wrong))
    return Schedule(*(_values(text, index) for index, text in enumerate(texts)))


def _values(text: str, index: int) -> frozenset[int]:
    name, least, greatest = _FIELDS[index]
    weekday = name == "CronDayOfWeek"
    found: set[int] = set()
    for item in text.replace(" ", "").split(","):
        part, slash, step_text = item.partition("/")
        step = _number(step_text) if slash else 1
        if step == 0:
            raise BadSchedule(f"Invalid cron attribute: {text}")
        first, last = least, greatest
        if "-" in part:
            begin, _, end = part.partition("-")
            first, last = max(_number(begin), least), min(_number(end), greatest)
        elif "*" in part:
            if weekday:
                continue
        elif part and least <= _number(part) <= greatest:
            first = last = _number(part)
        values = (value % 7 if weekday else value for value in range(first, last + 1))
        found.update(value for value in values if value % step == 0)
    if not found and not weekday:
        raise BadSchedule(f"Invalid cron attribute: {text}")
    return frozenset(() if weekday and len(found) == 7 else found)


def _number(text: str) -> int:
    """The number that a text begins with, 0 for none (as C's atoi)."""
    digits = re.match(r"\d+", text)
    return as_integer(digits[0]) if digits else 0


def next_run(schedule: Schedule, now: int) -> int:
    """The first minute after ``now`` (Unix seconds) that the schedule has. BadSchedule when there never is one."""
    when = now + 60 - now % 60
    end = when + _FURTHEST
    while when < end:
        there = localtime(when)
        if there.tm_mon not in schedule.months or not schedule.has_day(there.tm_mday, (there.tm_wday + 1) % 7):
            # Up to the last hour of the day, then hour by hour: days with a change of the clock are not 24 hours long.
            when += max(1, 23 - there.tm_hour) * 3600 - there.tm_min * 60
        elif there.tm_hour not in schedule.hours:
            when += 3600 - there.tm_min * 60
        elif there.tm_min not in schedule.minutes:
            when += 60
        else:
            return when
    raise BadSchedule("Invalid cron attribute: no such day")
