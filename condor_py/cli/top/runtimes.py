"""The load of a daemon between two of its ads: the figures and the tables of HTCondor's condor_top."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, NamedTuple

from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError

_SUFFIX = "Runtime"
_NOT_THESE = ("DCSocket", "DCPipe")
_NEITHER = ("SCGetAutoCluster_cchit",)
_MISSING = "n/a"
Figure = float | int | str | None


class Shape(NamedTuple):
    """A column: the three lines of its heading, and the form of its numbers ("real", "signed", "count" or "text")."""

    heading: tuple[str, str, str]
    form: str = "real"


COLUMNS: dict[str, Shape] = {
    "TotalRt": Shape(("Total", "Runtime", "(s)")),
    "InstRt": Shape(("Recent", "Runtime", "(s)")),
    "InstAvg": Shape(("Recent", "Avg", "(s)")),
    "TotAvg": Shape(("Lifetime", "Avg", "(s)")),
    "TotMax": Shape(("Lifetime", "Max", "(s)")),
    "TotMin": Shape(("Lifetime", "Min", "(s)")),
    "RtPctAvg": Shape(("Pct of", "Avg", "(%)")),
    "RtPctMax": Shape(("Pct of", "Max", "(%)")),
    "RtSigmas": Shape(("Std", "Devs", ""), "signed"),
    "TotalCt": Shape(("Total", "Count", "(#)"), "count"),
    "InstCt": Shape(("Recent", "Count", "(#)"), "count"),
    "InstRate": Shape(("Recent", "Rate", "(/s)")),
    "AvgRate": Shape(("Lifetime", "Rate", "(/s)")),
    "CtPctAvg": Shape(("Pct of", "Rate", "(%)")),
    "Item": Shape(("", "Name", ""), "text"),
}
SETS: dict[str, tuple[str, ...]] = {
    "all": tuple(COLUMNS),
    "default": ("InstRt", "InstAvg", "TotAvg", "TotMax", "RtPctAvg", "InstRate", "AvgRate", "Item"),
    "runtime": ("InstRt", "InstAvg", "TotAvg", "TotMax", "RtPctAvg", "RtPctMax", "RtSigmas", "Item"),
    "count": ("TotalCt", "InstCt", "InstRate", "AvgRate", "CtPctAvg", "Item"),
}


def sort_column(wanted: str, columns: str) -> str:
    """The column of that name, or what a set of columns is sorted by."""
    found = next((name for name in COLUMNS if name.lower() == wanted.lower()), "")
    return found or ("InstRate" if columns == "count" else "InstRt")


def timed(ad: ClassAd) -> list[str]:
    """The subprocesses whose run times an ad tells."""
    names = [name[: -len(_SUFFIX)] for name in ad if name.endswith(_SUFFIX) and name != _SUFFIX]
    return [name for name in names if not name.startswith(_NOT_THESE) and name not in _NEITHER]


# ---- what is above the table --------------------------------------------------------------------------------


def status(daemon: str, name: str, ad: ClassAd) -> list[str]:
    """The daemon itself: how long it runs, its CPU time and its memory."""
    lines = [f"{daemon} {name} status at {_moment(ad.eval_int('MonitorSelfTime', 0))}:"]
    lines += _joined(ad, "", (("Uptime", "MonitorSelfAge"),), _span)
    lines += _joined(
        ad, "    ", (("SysCpuTime", "MonitorSelfSysCpuTime"), ("UserCpuTime", "MonitorSelfUserCpuTime")), _span
    )
    lines += _joined(ad, "    ", (("Memory", "MonitorSelfImageSize"), ("RSS", "MonitorSelfResidentSetSize")), _size)
    return [*lines, ""]


def _joined(ad: ClassAd, between: str, named: Sequence[tuple[str, str]], form: Any) -> list[str]:
    texts = [f"{word}: {form(value)}" for word, name in named if (value := ad.eval_real(name, None)) is not None]
    return [between.join(texts)] if texts else []


def recent(ad: ClassAd) -> list[str]:
    """Return the duty cycle that the daemon reports."""
    when = ad.eval_int("RecentStatsTickTime", None)
    lines = [f"Recent DC status at {_moment(ad.eval_int('MonitorSelfTime', 0) if when is None else when)}:"]
    text = ""
    duty = ad.eval_real("RecentDaemonCoreDutyCycle", None)
    if duty is not None:
        window = ad.eval_int("RecentStatsLifetime", None)
        text = f"Duty Cycle{'' if window is None else f' (last {window}s)'}: {100 * duty:.2f}%    "
    for window_name in ("4m", "20m", "4h"):
        rate = ad.eval_real(f"DCCommandsPerSecond_{window_name}", None)
        if rate is not None:
            text += f"Ops/second (last {window_name}): {rate:.3f}"
            break
    return [*lines, text, ""]


def between(old: ClassAd, new: ClassAd) -> list[str]:
    """Return the duty cycle of the time between two ads, or the one that the newer one reports. CondorError."""
    duty, commands = _duty(old, new), _difference(old, new, "DCCommands")
    if duty is None or commands is None:
        return recent(new)
    begin, end = _times(old, new)
    return [
        f"DC status from {_moment(begin)} to {_moment(end)}:",
        f"Duty Cycle: {duty:.2f}%    Ops/second: {commands / (end - begin):.3f}",
        "",
    ]


def _duty(old: ClassAd, new: ClassAd) -> float | None:
    waited = _difference(old, new, "DCSelectWaittime")
    cycles, length = _difference(old, new, "DCPumpCycleCount"), _difference(old, new, "DCPumpCycleSum")
    if waited is None or cycles is None or length is None or not cycles or length < 1e-6:
        return None
    return 100 * (1 - waited / length)


def _difference(old: ClassAd, new: ClassAd, name: str) -> float | None:
    before, after = old.eval_real(name, None), new.eval_real(name, None)
    return None if before is None or after is None else after - before


def _times(old: ClassAd, new: ClassAd) -> tuple[int, int]:
    """Return when the two ads were made, in Unix seconds. CondorError when no time passed between them."""
    started = [ad.eval_int("DaemonStartTime", None) for ad in (old, new)]
    lives = [ad.eval_int("StatsLifetime", None) for ad in (old, new)]
    begin, end = (ad.eval_int("MyCurrentTime", 0) for ad in (old, new))
    if None not in started and None not in lives:
        if started[0] != started[1]:
            raise CondorError("Error: Daemon ads have different start times.")
        ticks = [int(start or 0) + int(life or 0) for start, life in zip(started, lives, strict=True)]
        if ticks[0] != ticks[1]:
            begin, end = ticks
    if begin >= end:
        raise CondorError("Error: ClassAds have the same timestamp.")
    return begin, end


# ---- the table ----------------------------------------------------------------------------------------------


def span(old: ClassAd, new: ClassAd) -> str:
    """The line above the table: the time that it is about. CondorError."""
    begin, end = _times(old, new)
    return f"Runtime stats from {_moment(begin)} to {_moment(end)}:"


def rows(old: ClassAd, new: ClassAd, more: Sequence[str]) -> list[dict[str, Figure]]:
    """Return rows on the work of each subprocess, and of each attribute of ``more``, between the ads. CondorError."""
    begin, end = _times(old, new)
    life = new.eval_real("StatsLifetime", None)
    found = []
    for name in [*timed(new), *more]:
        total, count = new.eval_real(name, None), _difference(old, new, name)
        if total is not None and count is not None:
            found.append(_row(name, old, new, total, count, float(end - begin), life))
    return found


def _row(
    name: str, old: ClassAd, new: ClassAd, total: float, count: float, seconds: float, life: float | None
) -> dict[str, Figure]:
    runtime, spent = new.eval_real(name + _SUFFIX, None), _difference(old, new, name + _SUFFIX)
    average, most, least, deviation = (
        new.eval_real(f"{name}{_SUFFIX}{kind}", None) for kind in ("Avg", "Max", "Min", "Std")
    )
    mean = spent / count if spent is not None and count > 0 else None
    rate = total / life if life else None
    return {
        "Item": name.removeprefix("DC"),
        "TotalRt": None if spent is None else runtime,
        "InstRt": spent,
        "InstAvg": mean,
        "TotAvg": average,
        "TotMax": most,
        "TotMin": least,
        "RtPctAvg": _part(mean, average),
        "RtPctMax": _of_range(mean, least, most),
        "RtSigmas": (mean - average) / deviation if mean is not None and average is not None and deviation else None,
        "TotalCt": total,
        "InstCt": count,
        "InstRate": count / seconds,
        "AvgRate": rate,
        "CtPctAvg": _part(count / seconds, rate) if count > 0 else None,
    }


def _part(value: float | None, whole: float | None) -> float | None:
    return 100.0 * value / whole if value is not None and whole else None


def _of_range(value: float | None, least: float | None, most: float | None) -> float | None:
    if value is None or least is None or most is None:
        return None
    return 100.0 if least == most else 100.0 * (value - least) / (most - least)


def table(found: list[dict[str, Figure]], columns: Sequence[str], sorted_by: str) -> list[str]:
    """Three lines of headings, a rule and the rows, those with the largest figures first."""

    def place(row: dict[str, Figure]) -> tuple[bool, Any]:
        value = row[sorted_by]
        return value is not None, value if value is not None else 0

    ordered = sorted(found, key=place, reverse=True)
    cells = [_cells(name, [row[name] for row in ordered]) for name in columns]
    widths = [
        max(len(text) for text in (*COLUMNS[name].heading, *column))
        for name, column in zip(columns, cells, strict=True)
    ]
    headings = [[COLUMNS[name].heading[line] for name in columns] for line in range(3)]
    rule = [
        "-" * (width if COLUMNS[name].form != "text" else len(COLUMNS[name].heading[1]))
        for name, width in zip(columns, widths, strict=True)
    ]
    return [_aligned(line, widths) for line in (*headings, rule, *zip(*cells, strict=True))]


def _aligned(texts: Sequence[str], widths: Sequence[int]) -> str:
    last = len(texts) - 1
    padded = [
        text.ljust(width) if at == last else text.rjust(width)
        for at, (text, width) in enumerate(zip(texts, widths, strict=True))
    ]
    return " ".join(padded).rstrip()


def _cells(name: str, values: Sequence[Figure]) -> list[str]:
    """The numbers of a column, with as many decimals as fit below its heading."""
    shape = COLUMNS[name]
    numbers = [value if isinstance(value, (int, float)) else 0 for value in values]
    digits = max((len(str(int(value))) for value in numbers), default=1) + (shape.form == "signed")
    room = max(map(len, shape.heading))
    decimals = 0 if shape.form == "count" else max(0, room - digits - 1)
    return [
        value if isinstance(value, str) else _MISSING if value is None else f"{value:.{decimals}f}" for value in values
    ]


def _moment(seconds: int) -> str:
    return str(datetime.datetime.fromtimestamp(seconds))


def _span(seconds: float) -> str:
    return str(datetime.timedelta(seconds=int(seconds)))


def _size(kilobytes: float) -> str:
    for suffix in "KMGT":
        if kilobytes < 1000:
            return f"{kilobytes:.1f} {suffix}"
        kilobytes /= 1000
    return f"{kilobytes:.1f} P"
