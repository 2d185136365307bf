"""Reasons why a job does not run, as values, and the words that all tools show them in."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

#: How many bytes one of a resource is; others are counted.
_BYTES = {"memory": 1 << 20, "disk": 1 << 10}
_UNITS = ("bytes", "KB", "MB", "GB", "TB", "PB")
#: So many users are named, and so many jobs of each.
_MOST_USERS, _MOST_JOBS = 3, 3


#: The words before the reason of a hold.
HELD = "it is held: "
#: Represents the id of a job in what helps it.
JOB = "{job}"


class Holder(NamedTuple):
    """A user who has what a job waits for: how much of it (for people), by which jobs, since when, and when the first
    of these is expected to end (Unix seconds; 0: not known)."""

    user: str
    share: str
    jobs: tuple[str, ...] = ()
    since: int = 0
    until: float = 0

    @property
    def text(self) -> str:
        """``bob (4, the first until about 21:45)``."""
        until = f", the first until about {clock(self.until)}" if self.until else ""
        return f"{self.user} ({self.share}{until})"

    @property
    def line(self) -> str:
        """Everything that is known: ``bob (4): job 7.0, since 20:45, until about 21:45``."""
        jobs = ", ".join(self.jobs[:_MOST_JOBS])
        more = f" and {len(self.jobs) - _MOST_JOBS} more" if len(self.jobs) > _MOST_JOBS else ""
        several = len(self.jobs) > 1
        parts = [f"{'jobs' if several else 'job'} {jobs}{more}"] if jobs else []
        if self.since:
            parts.append(f"since {clock(self.since)}")
        if self.until:
            parts.append(f"{'the first ' if several else ''}until about {clock(self.until)}")
        return f"{self.user} ({self.share})" + (f": {', '.join(parts)}" if parts else "")


class Expected(NamedTuple):
    """The time at which a job is expected to start (Unix seconds), and the span in which eight of ten do; ``late`` is 0
    where no span is known."""

    at: int
    early: int = 0
    late: int = 0


class Reason(NamedTuple):
    """One reason why a job does not run.

    ``what`` it waits for, the ``holders`` of that (those who have most of it first), ``help``: what would change it,
    ``since`` when it waits (Unix seconds; 0: not known). ``final``: nothing but that help will end it. ``apart``: the
    negotiator does not hear of such a job, so that no forecast of its cycles counts; ``until`` is then when the reason
    ends by itself (Unix seconds; 0: not known).
    In ``help`` JOB represents the id of the job until ``of_job`` names one.
    """

    what: str
    help: str = ""
    final: bool = False
    holders: tuple[Holder, ...] = ()
    since: int = 0
    apart: bool = False
    until: int = 0

    @property
    def text(self) -> str:
        """The reason in one line: ``cpus: wants 4, 0 of 4 free on slot1@host; held by bob (4)``."""
        return f"{self.what}; held by {named(self.holders)}" if self.holders else self.what

    def of_job(self, job: str, since: int) -> Reason:
        """The reason of one job that waits since then."""
        return self._replace(help=self.help.replace(JOB, job), since=self.since or since)


def expected_start(reasons: Sequence[Reason], forecast: Expected | None) -> Expected | None:
    """Return when a job with these reasons starts: what was forecast, unless it waits for something else first."""
    apart = [reason.until for reason in reasons if reason.apart]
    if apart:
        return Expected(max(apart)) if all(apart) else None
    return forecast


def named(holders: Sequence[Holder]) -> str:
    """The users who hold most."""
    return ", ".join(holder.text for holder in holders[:_MOST_USERS])


class Shortage(NamedTuple):
    """A resource of which a job wants more than a slot has free; ``total`` is what the slot has when nothing runs."""

    name: str
    wanted: float
    free: float
    total: float

    def text(self) -> str:
        """``disk: wants 1 GB, 24 MB of 10 GB free``."""
        wanted, free, total = (amount(self.name, value) for value in (self.wanted, self.free, self.total))
        if self.wanted > self.total:
            return f"{self.name}: wants {wanted}, there is {total}"
        return f"{self.name}: wants {wanted}, {free} of {total} free"


def amount(name: str, value: float) -> str:
    """So much of a resource as people read it: ``1.5 GB``, ``2``."""
    size = _BYTES.get(name.lower())
    if size is None:
        return f"{value:g}"
    number, unit = value * size, 0
    while number >= 1024 and unit < len(_UNITS) - 1:
        number /= 1024
        unit += 1
    return f"{number:.0f} {_UNITS[unit]}" if number >= 100 or number == int(number) else f"{number:.1f} {_UNITS[unit]}"


def clock(when: float) -> str:
    """A time for people to the minute: ``18:00``, with the day where it is more than half a day away."""
    form = "%H:%M" if abs(when - time.time()) < 86_400 / 2 else "%m/%d %H:%M"
    return time.strftime(form, time.localtime(when))


def moment(when: float, now: float) -> str:
    """A time for people to the second: ``18:00:00``, with the day where it is not today's."""
    day = time.localtime(when)[:3] == time.localtime(now)[:3]
    return time.strftime("%H:%M:%S" if day else "%m/%d %H:%M", time.localtime(when))
