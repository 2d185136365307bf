"""The result of a simulation, and its table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UserReport:
    """One submitter. ``asked`` and ``got`` are parts (0..1) of what the machine could do in the time; waits are
    seconds until the first start of a job, of the jobs that started."""

    name: str
    factor: float
    priority: float
    submitted: int
    finished: int
    evicted: int
    asked: float
    got: float
    held: float
    mean_wait: float
    median_wait: float
    longest_wait: float


@dataclass(frozen=True, slots=True)
class Report:
    """All submitters by name, and the pool: ``seconds`` of virtual time, ``capacity`` in slot weight, ``digest`` of
    the history (equal for equal histories)."""

    users: tuple[UserReport, ...]
    seconds: float
    capacity: float
    utilisation: float
    cycles: int
    submitted: int
    finished: int
    digest: int

    def user(self, name: str) -> UserReport:
        """The submitter called ``name`` (without domain). KeyError when it does not exist."""
        for user in self.users:
            if user.name == name:
                return user
        raise KeyError(name)


_COLUMNS = ("User", "Factor", "Prio", "Jobs", "Done", "Evict", "Asked%", "Got%", "Wait", "Median", "Longest")


def table(report: Report, title: str = "") -> Iterator[str]:
    """The lines of the table."""
    if title:
        yield title
    yield (
        f"{span(report.seconds)} on {report.capacity:g} cores: {report.finished} of {report.submitted} jobs finished, "
        f"{report.utilisation:.1%} of the machine used, {report.cycles} negotiation cycles"
    )
    yield ""
    rows = [_COLUMNS, *(_row(user) for user in report.users)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    for row in rows:
        first = row[0].ljust(widths[0])
        yield "  ".join([first, *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))])


def _row(user: UserReport) -> tuple[str, ...]:
    return (
        user.name,
        f"{user.factor:g}",
        f"{user.priority:.2f}",
        str(user.submitted),
        str(user.finished),
        str(user.evicted),
        f"{100 * user.asked:.1f}",
        f"{100 * user.got:.1f}",
        span(user.mean_wait),
        span(user.median_wait),
        span(user.longest_wait),
    )


def span(seconds: float) -> str:
    """Return a time in at most two units: 12s, 3m20s, 5h10m, 2d03h."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    if whole < 86400:
        return f"{whole // 3600}h{whole % 3600 // 60:02d}m"
    return f"{whole // 86400}d{whole % 86400 // 3600:02d}h"
