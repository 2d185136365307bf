"""The report as a page: sections with charts, and a table behind each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from condor_py.cli.plots import scale
from condor_py.cli.plots.svg import Row, Series, bars, escaped, stacked
from condor_py.cli.report import html
from condor_py.cli.report.advice import advice
from condor_py.cli.report.figures import LONGEST, Amounts, Cut, Entitlement, Figures, Waits, largest, owner_of
from condor_py.cli.report.html import Column

#: Users in a table, and those in a chart; bins of time in a table.
_ROWS, _SHOWN, _TIMES = 40, 7, 28
_REST = "others"

Section = tuple[str, str, str]


def page(figures: Figures, host: str) -> str:
    """The page."""
    period = figures.period
    begin, end = scale.moment(period.since), scale.moment(period.until)
    whose = f" by {figures.owner}" if figures.owner is not None else ""
    parts = [make(figures) for make in (_use, _slots, _waiting, _efficiency, _failures, _evictions)]
    body = _summary(figures) + "".join(html.section(name, heading, inside) for name, heading, inside in parts)
    links = [(name, heading) for name, heading, _ in parts]
    return html.page(f"Use of {host}{whose}", f"{begin} to {end}", links, body, _notes(figures))


def _summary(figures: Figures) -> str:
    total, waits = figures.total, figures.waits()
    pairs = [
        (f"{total.jobs:,}", "jobs left the queue"),
        (scale.number(figures.run_hours), "core-hours used"),
        (scale.span(waits.median) if waits.jobs else "-", "median waiting time"),
        (percent(total.failed, total.completed), "of the completed jobs failed"),
        (percent(total.cpu, total.cores), "of the cores' time was busy"),
        (scale.number(figures.badput), "core-hours in runs cut short"),
    ]
    return html.cards(pairs)


def percent(part: float, whole: float) -> str:
    """A part of a whole; a dash where there is no whole."""
    return f"{100 * part / whole:.1f} %" if whole > 0 else "-"


def _notes(figures: Figures) -> str:
    return "<h2>How it was counted</h2>" + "".join(html.paragraph(text) for text in _HOW + tuple(figures.notes))


_HOW = (
    "Jobs count when they left the queue in this time. Core-hours and efficiency leave out those of the local, "
    "scheduler and grid universes, which use no slot. The waiting time of a job is that from its submission to its "
    "first start; 9 of 10 waited no longer than the second figure.",
    "Entitled is what the fair share gave: the user's share by priority of what was there, added up over the "
    "negotiation cycles in which the user had jobs. Due is what of it was also asked for. Weight is slot weight, which "
    "is cores unless SLOT_WEIGHT says otherwise.",
)


# -- use against entitlement -----------------------------------------------------------------------------------------


def _use(figures: Figures) -> Section:
    parts = [_entitlement("user", figures.entitled, figures)]
    if figures.quotas:
        parts.append(_entitlement("group", figures.quotas, figures))
    parts.append(_jobs("Jobs by user", "User", figures.users))
    if figures.groups:
        parts.append(_jobs("Jobs by group", "Group", figures.groups))
    return "use", "Use and entitlement", "".join(parts)


def _entitlement(what: str, entitled: dict[str, Entitlement], figures: Figures) -> str:
    if not entitled:
        return html.paragraph("No negotiation cycles are on record for this time, so nothing is known of entitlement.")
    says = {name: one for name, one in entitled.items() if one.used or one.asked or one.due or one.lost}
    names = sorted(says, key=lambda name: (-says[name].used, -says[name].asked, name))
    if not names:
        return html.paragraph(f"No {what} used or asked for anything in this time.")
    shown = names[:_SHOWN]
    chart = bars(
        f"Use and what was due, by {what}",
        ("used", "due"),
        [Row(_short(name, entitled[name]), (entitled[name].used, entitled[name].due)) for name in shown],
    )
    columns = [Column(what.capitalize()), *map(Column, ("Used", "Due", "Entitled", "Asked for", "Used of due"))]
    if what == "user":
        columns += map(Column, ("Jobs waited", "Priority", "Factor", "Slots lost"))
    rows = [_entitled_row(name, entitled[name], what) for name in names[:_ROWS]]
    caption = f"Slot weight hours by {what}" + _left_out(len(names))
    return html.figure(chart, f"Slot weight hours used and due, by {what}") + _table(caption, columns, rows)


def _table(caption: str, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """The table of what a chart shows, folded behind it."""
    return html.folded(f"Table: {caption}", html.table(caption, columns, rows))


def _short(name: str, one: Entitlement) -> str:
    return owner_of(name, one.group) if "@" in name else name


def _entitled_row(name: str, one: Entitlement, what: str) -> list[str]:
    row = [name, *map(scale.number, (one.used, one.due, one.entitled, one.asked)), percent(one.used, one.due)]
    if what == "user":
        row += [scale.span(one.waiting), f"{one.priority:,.2f}", scale.number(one.factor), str(one.lost)]
    return row


def _left_out(count: int) -> str:
    return f" (the first {_ROWS} of {count}; -json has all)" if count > _ROWS else ""


def _jobs(caption: str, first: str, amounts: dict[str, Amounts]) -> str:
    if not amounts:
        return html.paragraph("No job left the queue in this time.")
    names = largest(amounts)
    rows = [
        [
            name,
            str(a.jobs),
            str(a.completed),
            str(a.failed),
            str(a.removed),
            scale.number(a.wall),
            scale.number(a.cores),
        ]
        for name in names[:_ROWS]
        for a in (amounts[name],)
    ]
    columns = [Column(first), *map(Column, ("Jobs", "Completed", "Failed", "Removed", "Hours", "Core-hours"))]
    return html.table(caption + _left_out(len(names)), columns, rows)


# -- over time -------------------------------------------------------------------------------------------------------


def _slots(figures: Figures) -> Section:
    since, until = figures.shown
    width = figures.cores.width
    begin, end = since // width * width, -(-until // width) * width
    kept = figures.cores.top(_SHOWN, _REST)
    series = [Series(name, [value / width for value in kept.values(name, begin, end)]) for name in kept.kept]
    limit = figures.pool_weight()
    chart = stacked("Cores in use over time, by user", begin, width, series, limit)
    caption = "Cores in use by user" + ("; the dashed line is the whole pool" if limit else "")
    jobs = figures.finished.top(_SHOWN, _REST, kept.kept)
    done = [Series(name, list(jobs.values(name, begin, end))) for name in jobs.kept]
    finished = stacked("Jobs that left the queue over time, by user", begin, width, done)
    return "slots", "Slots over time", (
        html.figure(chart, caption) + _over_time("Cores in use (mean)", begin, width, series, mean=True)
        + html.figure(finished, "Jobs that left the queue, by user")
        + _over_time("Jobs that left the queue", begin, width, done, mean=False)
    )  # fmt: skip


def _over_time(caption: str, begin: int, width: int, series: Sequence[Series], mean: bool) -> str:
    """A table of what a chart shows, in few enough rows to be read; rows without a figure are left out."""
    count = len(series[0].values) if series else 0
    step = max(1, -(-count // _TIMES))
    rows = []
    for first in range(0, count, step):
        cells = []
        for one in series:
            found = [value or 0.0 for value in one.values[first : first + step]]
            cells.append(sum(found) / (len(found) if mean else 1))
        if any(cells):
            rows.append([scale.moment(begin + first * width), *map(scale.number, cells)])
    if not rows:
        return html.paragraph("Nothing in this time.")
    columns = [Column("From"), *(Column(one.name) for one in series)]
    return _table(f"{caption}, by {scale.span(step * width)}", columns, rows)


# -- waiting ---------------------------------------------------------------------------------------------------------


def _waiting(figures: Figures) -> Section:
    name, heading, shown = _waits(figures)
    if not figures.waiting:
        return name, heading, shown
    ordered = sorted(figures.waiting, key=lambda one: (-one.jobs, one.since))
    rows = [
        [one.owner, one.batch, f"{one.jobs:,}", scale.moment(one.since), one.text[:LONGEST]] for one in ordered[:_ROWS]
    ]
    columns = [Column("User"), Column("Batch", words=True), Column("Jobs"), Column("Since"), Column("Why", words=True)]
    return name, heading, shown + html.table("Jobs that wait now" + _left_out(len(ordered)), columns, rows)


def _waits(figures: Figures) -> Section:
    waits = {name: figures.waits(name) for name in figures.users}
    names = sorted((name for name in waits if waits[name].jobs), key=lambda name: (-waits[name].median, name))
    if not names:
        return "waiting", "Waiting times", html.paragraph("No job that left the queue had ever started.")
    by_jobs = sorted(names, key=lambda name: -waits[name].jobs)[:_SHOWN]
    chart = bars(
        "Waiting times by user",
        ("median", "9 of 10"),
        [Row(name, (waits[name].median, waits[name].most)) for name in by_jobs],
        scale.span,
    )
    rows = [_waits_row("all", figures.waits(), sum(figures.never_started.values()))] if len(waits) > 1 else []
    rows += [_waits_row(name, waits[name], figures.never_started.get(name, 0)) for name in names[:_ROWS]]
    columns = [Column("User"), *map(Column, ("Started", "Median", "9 of 10", "Worst", "Never started"))]
    shown = html.figure(chart, "Median, and what 9 of 10 jobs did not exceed")
    return "waiting", "Waiting times", shown + _table("From submission to the first start", columns, rows)


def _waits_row(name: str, waits: Waits, never: int) -> list[str]:
    return [name, str(waits.jobs), *map(scale.span, (waits.median, waits.most, waits.worst)), str(never)]


# -- efficiency ------------------------------------------------------------------------------------------------------


def _efficiency(figures: Figures) -> Section:
    names = [name for name in largest(figures.users) if figures.users[name].wall > 0]
    if not names:
        return "efficiency", "Efficiency", html.paragraph("No job that left the queue had run on a slot.")
    rows = []
    for name in names[:_ROWS]:
        one = figures.users[name]
        rows.append([
            name, scale.number(one.cores), scale.number(one.cpu), percent(one.cpu, one.cores),
            scale.number(one.memory_asked), scale.number(one.memory_used), percent(one.memory_used, one.memory_asked),
        ])  # fmt: skip
    columns = [Column("User"), *map(Column, (
        "Core-hours", "CPU-hours", "CPU", "GB-hours asked for", "GB-hours used", "Memory"))]  # fmt: skip
    chart = bars(
        "Part of what was asked for that was used, by user",
        ("cpu %", "memory %"),
        [
            Row(name, (_part(u.cpu, u.cores), _part(u.memory_used, u.memory_asked)))
            for name in names[:_SHOWN]
            for u in (figures.users[name],)
        ],
    )
    shown = html.figure(chart, "Used, in per cent of what was asked for")
    return (
        "efficiency",
        "Efficiency",
        shown + _table("Asked for and used" + _left_out(len(names)), columns, rows) + _advice(figures),
    )


def _part(part: float, whole: float) -> float:
    return 100 * part / whole if whole > 0 else 0.0


def _advice(figures: Figures) -> str:
    found = advice(figures.kinds.values())
    if not found:
        return html.paragraph("No job asked for much more than it used.")
    says = "".join(
        f"<li>{escaped(f'{one.owner}, {one.label}: {one.says}.')} <code>{escaped(one.instead)}</code> would do.</li>"
        for one in found
    )
    return f'<h3>Advice</h3><ul class="says">{says}</ul>'


# -- what went wrong -------------------------------------------------------------------------------------------------


def _failures(figures: Figures) -> Section:
    parts = []
    names = [name for name in largest(figures.users) if figures.users[name].failed]
    if names:
        chart = bars("Failed jobs by user", ("failed",), [
            Row(name, (figures.users[name].failed,)) for name in names[:_SHOWN]])  # fmt: skip
        rows = [
            [owner, how, str(count)]
            for (owner, how), count in sorted(figures.failures.items(), key=lambda item: -item[1])
        ]
        columns = [Column("User"), Column("Ended with", words=True), Column("Jobs")]
        parts.append(html.figure(chart, "Completed jobs with an exit code other than 0, or ended by a signal"))
        parts.append(_table("Failures" + _left_out(len(rows)), columns, rows[:_ROWS]))
    else:
        parts.append(html.paragraph("No completed job failed."))
    held = "Holds, by reason" if figures.every_hold else "Jobs that are or were on hold, by their last reason"
    parts.append(_reasons(held, figures.holds, lambda cut: []))
    return "failures", "Failures and holds", "".join(parts)


def _reasons(caption: str, cuts: dict[tuple[int, str], Cut], more: Callable[[Cut], list[str]]) -> str:
    if not cuts:
        return html.paragraph(f"{caption}: none.")
    ordered = sorted(cuts.values(), key=lambda cut: (-cut.hours, -cut.count, cut.code, cut.reason))
    rows = [[cut.reason or "(no reason)", str(cut.code), str(cut.count), *more(cut), cut.example] for cut in ordered]
    headings = [Column("Reason"), Column("Code"), Column("Count")]
    headings += [Column("Core-hours")] * len(more(ordered[0])) + [Column("For example", words=True)]
    return html.table(caption + _left_out(len(rows)), headings, rows[:_ROWS])


def _evictions(figures: Figures) -> Section:
    count = sum(cut.count for cut in figures.cuts.values())
    text = (
        f"{figures.runs:,} runs ended, {count:,} of them were cut short after {scale.number(figures.badput)} "
        f"core-hours. {scale.number(figures.drained)} slot weight hours were drained."
    )
    table = _reasons("Runs that were cut short, by reason", figures.cuts, lambda cut: [scale.number(cut.hours)])
    chart = ""
    if figures.badput > 0:
        ordered = sorted(figures.cuts.values(), key=lambda cut: -cut.hours)[:_SHOWN]
        chart = html.figure(
            bars("Core-hours of runs that were cut short, by reason", ("core-hours",), [
                Row(cut.reason or f"code {cut.code}", (cut.hours,)) for cut in ordered]),
            "Core-hours of runs that were cut short, by reason",
        )  # fmt: skip
    return "evictions", "Evictions and drains", html.paragraph(text) + chart + table + _drains(figures)


def _drains(figures: Figures) -> str:
    if not figures.drains:
        return ""
    rows = [
        [scale.moment(one.begin), scale.moment(one.end), scale.span(one.end - one.begin), scale.number(one.hours)]
        for one in figures.drains[:_ROWS]
    ]
    columns = [Column("From"), *map(Column, ("To", "Lasted", "Slot weight hours"))]
    return html.table("Times in which slots were drained" + _left_out(len(figures.drains)), columns, rows)
