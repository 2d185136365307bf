"""The sections of a report, charts with a table behind each, and the page that they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from condor_py.cli.history import lives
from condor_py.cli.plots import scale
from condor_py.cli.plots.chart import Areas, Bars, Gantt
from condor_py.cli.plots.svg import Row, Series
from condor_py.cli.report import html
from condor_py.cli.report.advice import advice
from condor_py.cli.report.batches import LANES
from condor_py.cli.report.figures import LONGEST, Amounts, Cut, Entitlement, Figures, Waits, largest, owner_of
from condor_py.cli.report.parts import Advices, Column, Figure, Part, Section, Table, Text

#: Users in a table, and those in a chart; bins of time in a table.
_ROWS, _SHOWN, _TIMES = 40, 7, 28
_REST = "others"


def page(figures: Figures, host: str) -> str:
    """The page."""
    period = figures.period
    begin, end = scale.moment(period.since), scale.moment(period.until)
    whose = f" by {figures.owner}" if figures.owner is not None else ""
    if figures.batch is not None:
        whose += f" for {figures.batch}"
    shown = sections(figures)
    body = html.cards(summary(figures)) + "".join(map(html.section, shown))
    links = [(one.name, one.heading) for one in shown]
    counted = "<h2>How it was counted</h2>" + "".join(map(html.paragraph, (*HOW, *figures.notes)))
    return html.page(f"Use of {host}{whose}", f"{begin} to {end}", links, body, counted)


def sections(figures: Figures) -> list[Section]:
    """All sections of a report."""
    return [make(figures) for make in (_use, _slots, _waiting, _batches, _efficiency, _failures, _evictions)]


def summary(figures: Figures) -> list[tuple[str, str]]:
    """Return the figures that stand out: (figure, what it is)."""
    total, waits = figures.total, figures.waits()
    return [
        (f"{total.jobs:,}", "jobs left the queue"),
        (scale.number(figures.run_hours), "core-hours used"),
        (scale.span(waits.median) if waits.jobs else "-", "median waiting time"),
        (percent(total.failed, total.completed), "of the completed jobs failed"),
        (percent(total.cpu, total.cores), "of the cores' time was busy"),
        (scale.number(figures.badput), "core-hours in runs cut short"),
    ]


def percent(part: float, whole: float) -> str:
    """A part of a whole; a dash where there is no whole."""
    return f"{100 * part / whole:.1f} %" if whole > 0 else "-"


#: How the figures are made.
HOW = (
    "Jobs count when they left the queue in this time. Core-hours and efficiency leave out those of the local, "
    "scheduler and grid universes, which use no slot. The waiting time of a job is that from its submission to its "
    "first start; 9 of 10 waited no longer than the second figure.",
    "Entitled is what the fair share gave: the user's share by priority of what was there, added up over the "
    "negotiation cycles in which the user had jobs. Due is what of it was also asked for. Weight is slot weight, which "
    "is cores unless SLOT_WEIGHT says otherwise.",
)


# -- use against entitlement -----------------------------------------------------------------------------------------


def _use(figures: Figures) -> Section:
    if figures.batch is not None:
        parts: list[Part] = [Text("Users and groups are entitled to slots, batches are not.")]
    else:
        parts = _entitlement("user", figures.entitled)
    if figures.quotas:
        parts += _entitlement("group", figures.quotas)
    parts.append(_jobs("Jobs by user", "User", figures.users))
    if figures.groups:
        parts.append(_jobs("Jobs by group", "Group", figures.groups))
    return Section("use", "Use and entitlement", parts)


def _entitlement(what: str, entitled: dict[str, Entitlement]) -> list[Part]:
    if not entitled:
        return [Text("No negotiation cycles are on record for this time, so nothing is known of entitlement.")]
    says = {name: one for name, one in entitled.items() if one.used or one.asked or one.due or one.lost}
    names = sorted(says, key=lambda name: (-says[name].used, -says[name].asked, name))
    if not names:
        return [Text(f"No {what} used or asked for anything in this time.")]
    shown = names[:_SHOWN]
    chart = Bars(
        f"Use and what was due, by {what}",
        ("used", "due"),
        [Row(_short(name, entitled[name]), (entitled[name].used, entitled[name].due)) for name in shown],
    )
    columns = [Column(what.capitalize()), *map(Column, ("Used", "Due", "Entitled", "Asked for", "Used of due"))]
    if what == "user":
        columns += map(Column, ("Jobs waited", "Priority", "Factor", "Slots lost"))
    rows = [_entitled_row(name, entitled[name], what) for name in names[:_ROWS]]
    caption = f"Slot weight hours by {what}" + _left_out(len(names))
    return [Figure(f"Slot weight hours used and due, by {what}", chart), Table(caption, columns, rows, folded=True)]


def _short(name: str, one: Entitlement) -> str:
    return owner_of(name, one.group) if "@" in name else name


def _entitled_row(name: str, one: Entitlement, what: str) -> list[str]:
    row = [name, *map(scale.number, (one.used, one.due, one.entitled, one.asked)), percent(one.used, one.due)]
    if what == "user":
        row += [scale.span(one.waiting), f"{one.priority:,.2f}", scale.number(one.factor), str(one.lost)]
    return row


def _left_out(count: int) -> str:
    return f" (the first {_ROWS} of {count}; the JSON has all)" if count > _ROWS else ""


def _jobs(caption: str, first: str, amounts: dict[str, Amounts]) -> Part:
    if not amounts:
        return Text("No job left the queue in this time.")
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
    return Table(caption + _left_out(len(names)), columns, rows)


# -- over time -------------------------------------------------------------------------------------------------------


def _slots(figures: Figures) -> Section:
    since, until = figures.shown
    width = figures.cores.width
    begin, end = since // width * width, -(-until // width) * width
    kept = figures.cores.top(_SHOWN, _REST)
    series = [Series(name, [value / width for value in kept.values(name, begin, end)]) for name in kept.kept]
    limit = figures.pool_weight()
    chart = Areas("Cores in use over time, by user", begin, width, series, limit)
    caption = "Cores in use by user" + ("; the dashed line is the whole pool" if limit else "")
    jobs = figures.finished.top(_SHOWN, _REST, kept.kept)
    done = [Series(name, list(jobs.values(name, begin, end))) for name in jobs.kept]
    finished = Areas("Jobs that left the queue over time, by user", begin, width, done)
    parts = [
        Figure(caption, chart),
        _over_time("Cores in use (mean)", begin, width, series, mean=True),
        Figure("Jobs that left the queue, by user", finished),
        _over_time("Jobs that left the queue", begin, width, done, mean=False),
    ]
    return Section("slots", "Slots over time", parts)


def _over_time(caption: str, begin: int, width: int, series: Sequence[Series], mean: bool) -> Part:
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
        return Text("Nothing in this time.")
    columns = [Column("From"), *(Column(one.name) for one in series)]
    return Table(f"{caption}, by {scale.span(step * width)}", columns, rows, folded=True)


# -- waiting ---------------------------------------------------------------------------------------------------------


def _waiting(figures: Figures) -> Section:
    found = _waits(figures)
    if not figures.waiting:
        return found
    ordered = sorted(figures.waiting, key=lambda one: (-one.jobs, one.since))
    rows = [
        [one.owner, one.batch, f"{one.jobs:,}", scale.moment(one.since), one.text[:LONGEST]] for one in ordered[:_ROWS]
    ]
    columns = [Column("User"), Column("Batch", words=True), Column("Jobs"), Column("Since"), Column("Why", words=True)]
    now = Table("Jobs that wait now" + _left_out(len(ordered)), columns, rows)
    return found._replace(parts=[*found.parts, now])


def _waits(figures: Figures) -> Section:
    waits = {name: figures.waits(name) for name in figures.users}
    names = sorted((name for name in waits if waits[name].jobs), key=lambda name: (-waits[name].median, name))
    if not names:
        return Section("waiting", "Waiting times", [Text("No job that left the queue had ever started.")])
    by_jobs = sorted(names, key=lambda name: -waits[name].jobs)[:_SHOWN]
    rows_of_chart = [Row(name, (waits[name].median, waits[name].most)) for name in by_jobs]
    chart = Bars("Waiting times by user", ("median", "9 of 10"), rows_of_chart, seconds=True)
    rows = [_waits_row("all", figures.waits(), sum(figures.never_started.values()))] if len(waits) > 1 else []
    rows += [_waits_row(name, waits[name], figures.never_started.get(name, 0)) for name in names[:_ROWS]]
    columns = [Column("User"), *map(Column, ("Started", "Median", "9 of 10", "Worst", "Never started"))]
    shown = Figure("Median, and what 9 of 10 jobs did not exceed", chart)
    table = Table("From submission to the first start", columns, rows, folded=True)
    return Section("waiting", "Waiting times", [shown, table])


def _waits_row(name: str, waits: Waits, never: int) -> list[str]:
    return [name, str(waits.jobs), *map(scale.span, (waits.median, waits.most, waits.worst)), str(never)]


# -- efficiency ------------------------------------------------------------------------------------------------------


def _efficiency(figures: Figures) -> Section:
    names = [name for name in largest(figures.users) if figures.users[name].wall > 0]
    if not names:
        return Section("efficiency", "Efficiency", [Text("No job that left the queue had run on a slot.")])
    rows = []
    for name in names[:_ROWS]:
        one = figures.users[name]
        rows.append([
            name, scale.number(one.cores), scale.number(one.cpu), percent(one.cpu, one.cores),
            scale.number(one.memory_asked), scale.number(one.memory_used), percent(one.memory_used, one.memory_asked),
        ])  # fmt: skip
    columns = [Column("User"), *map(Column, (
        "Core-hours", "CPU-hours", "CPU", "GB-hours asked for", "GB-hours used", "Memory"))]  # fmt: skip
    chart = Bars(
        "Part of what was asked for that was used, by user",
        ("cpu %", "memory %"),
        [
            Row(name, (_part(u.cpu, u.cores), _part(u.memory_used, u.memory_asked)))
            for name in names[:_SHOWN]
            for u in (figures.users[name],)
        ],
    )
    shown = Figure("Used, in per cent of what was asked for", chart)
    table = Table("Asked for and used" + _left_out(len(names)), columns, rows, folded=True)
    return Section("efficiency", "Efficiency", [shown, table, _advice(figures)])


def _part(part: float, whole: float) -> float:
    return 100 * part / whole if whole > 0 else 0.0


def _advice(figures: Figures) -> Part:
    found = advice(figures.kinds.values())
    if not found:
        return Text("No job asked for much more than it used.")
    return Advices("Advice", [(f"{one.owner}, {one.label}: {one.says}.", one.instead) for one in found])


# -- what went wrong -------------------------------------------------------------------------------------------------


def _failures(figures: Figures) -> Section:
    parts: list[Part] = []
    names = [name for name in largest(figures.users) if figures.users[name].failed]
    if names:
        chart = Bars("Failed jobs by user", ("failed",), [
            Row(name, (figures.users[name].failed,)) for name in names[:_SHOWN]])  # fmt: skip
        rows = [
            [owner, how, str(count)]
            for (owner, how), count in sorted(figures.failures.items(), key=lambda item: -item[1])
        ]
        columns = [Column("User"), Column("Ended with", words=True), Column("Jobs")]
        parts.append(Figure("Completed jobs with an exit code other than 0, or ended by a signal", chart))
        parts.append(Table("Failures" + _left_out(len(rows)), columns, rows[:_ROWS], folded=True))
    else:
        parts.append(Text("No completed job failed."))
    held = "Holds, by reason" if figures.every_hold else "Jobs that are or were on hold, by their last reason"
    parts.append(_reasons(held, figures.holds, lambda cut: []))
    return Section("failures", "Failures and holds", parts)


def _reasons(caption: str, cuts: dict[tuple[int, str], Cut], more: Callable[[Cut], list[str]]) -> Part:
    if not cuts:
        return Text(f"{caption}: none.")
    ordered = sorted(cuts.values(), key=lambda cut: (-cut.hours, -cut.count, cut.code, cut.reason))
    rows = [[cut.reason or "(no reason)", str(cut.code), str(cut.count), *more(cut), cut.example] for cut in ordered]
    headings = [Column("Reason"), Column("Code"), Column("Count")]
    headings += [Column("Core-hours")] * len(more(ordered[0])) + [Column("For example", words=True)]
    return Table(caption + _left_out(len(rows)), headings, rows[:_ROWS])


def _batches(figures: Figures) -> Section:
    found = figures.batches.largest()
    if not found:
        return Section("batches", "Batches", [Text("No runs of clusters of several jobs are on record for this time.")])
    parts: list[Part] = [
        Text(
            "The largest of the batches (clusters of several jobs) that ended last: a row a job, a bar a run, coloured "
            "by what became of it. condor_history CLUSTER -plot draws any batch, condor_history JOB -plot one job."
        )
    ]
    for batch in found:
        begin, end = lives.bounds(batch.runs)
        lanes, count = lives.lanes_of_jobs(batch.runs, LANES)
        title = f"Cluster {batch.cluster} of {batch.owner}: {batch.name}"
        outcomes = ", ".join(f"{number:,} {kind}" for kind, number in batch.outcomes().items())
        shown = f", of which {len(lanes)} are shown" if len(lanes) < count else ""
        caption = f"{title}. {count:,} jobs{shown}; runs: {outcomes}; {scale.number(batch.hours)} core-hours"
        parts.append(Figure(caption, Gantt(title, lives.KINDS, lanes, begin, end)))
    return Section("batches", "Batches", parts)


def _evictions(figures: Figures) -> Section:
    count = sum(cut.count for cut in figures.cuts.values())
    text = (
        f"{figures.runs:,} runs ended, {count:,} of them were cut short after {scale.number(figures.badput)} "
        f"core-hours. {scale.number(figures.drained)} slot weight hours were drained."
    )
    parts: list[Part] = [Text(text)]
    if figures.badput > 0:
        ordered = sorted(figures.cuts.values(), key=lambda cut: -cut.hours)[:_SHOWN]
        rows = [Row(cut.reason or f"code {cut.code}", (cut.hours,)) for cut in ordered]
        caption = "Core-hours of runs that were cut short, by reason"
        parts.append(Figure(caption, Bars(caption, ("core-hours",), rows)))
    parts.append(_reasons("Runs that were cut short, by reason", figures.cuts, lambda cut: [scale.number(cut.hours)]))
    if figures.drains:
        parts.append(_drains(figures))
    return Section("evictions", "Evictions and drains", parts)


def _drains(figures: Figures) -> Table:
    rows = [
        [scale.moment(one.begin), scale.moment(one.end), scale.span(one.end - one.begin), scale.number(one.hours)]
        for one in figures.drains[:_ROWS]
    ]
    columns = [Column("From"), *map(Column, ("To", "Lasted", "Slot weight hours"))]
    return Table("Times in which slots were drained" + _left_out(len(figures.drains)), columns, rows)
