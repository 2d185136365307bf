"""The analysis that a command line asks for, and the jobs that ``-unmatchable`` leaves."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from condor_py.cli.output.terminal import display_width, is_terminal
from condor_py.cli.q.analysis.autoclusters import UNGROUPED, Clusters, Numbers, Row, known_of, represented
from condor_py.cli.q.analysis.counts import (
    AT_WORK,
    HELD,
    IDLE,
    Counts,
    Mode,
    Schedd,
    Situation,
    count_slots,
    no_schedd,
)
from condor_py.cli.q.analysis.look import Look, look
from condor_py.cli.q.analysis.pretty import wrapped
from condor_py.cli.q.analysis.requirements import (
    expression,
    numbered,
    own_attributes,
    table,
    target_attributes,
    used_names,
)
from condor_py.cli.q.analysis.reverse import reverse_analysis
from condor_py.cli.q.analysis.slots import Slots, find_slots
from condor_py.cli.q.analysis.standing import Standing, is_nice, standing
from condor_py.cli.q.request import Request
from condor_py.cli.q.source import Source, job_key
from condor_py.cli.waiting import Around, limited_records, schedd_ad, why_it_waits
from condor_py.core.jobs.autorequests import AUTOMATIC
from condor_py.lang.classad.ad import ClassAd
from condor_py.model.states import OF_SCHEDD, ON_CLAIMS, Universe

# The analysis of one job: what its Requirements ask for, and how many slots there are for it.

_MPI = 8


class Page(NamedTuple):
    """The widths that texts are broken at: of the screen, and of tables."""

    screen: int
    tables: int


def job_analysis(job: ClassAd, situation: Situation, look: Look, page: Page, known: ClassAd | None, mode: Mode) -> str:
    """Return the text. ``known`` is what the schedd knows of the job's autocluster."""
    counts = count_slots(job, situation, mode)
    text = ""
    if look.always or counts.rejected:
        if not look.always:
            look = look.each_step()
        text = requirements_analysis(job, situation.slots, look, page, parts=mode == "all") + "\n"
    if counts.total:
        text += totals(job, counts, situation.known, verbose=look.verbose)
    return text + "\n" + run_state(job, counts.state, known)


def requirements_analysis(job: ClassAd, slots: Slots, look: Look, page: Page, *, parts: bool) -> str:
    """The sections about Requirements, and a warning where slots are not what the job waits for."""
    cluster, proc = job_key(job)
    name = f"{cluster}.{proc:03d}"
    written = expression(job, "Requirements")
    several = len(slots) > 1
    text = ""
    if written is not None:
        text += f"The Requirements expression for job {name} is\n\n    {wrapped(written, 4, page.screen)}\n\n"
        text += numbered(job, frozenset(), look) + "\n"
    shows_parts = parts or not several
    if look.steps and look.attributes:
        text += f"Job {name} defines the following attributes:\n\n"
        text += _attributes(job, slots, shows_parts=shows_parts) + "\n"
    if look.steps:
        text += f"The Requirements expression for job {name} reduces to these conditions:\n\n"
        if written is not None:
            text += table(job, frozenset(), slots.targets(parts=shows_parts), "Slot", look, page.tables)
    return text + _universe(job)


def _attributes(job: ClassAd, slots: Slots, *, shows_parts: bool) -> str:
    """The attributes of a job that Requirements use, and those of the only slot or of the machine asked for."""
    own, asked = used_names(job)
    sources = [one.source for one in AUTOMATIC if one.request in own and job.has(one.source)]
    text = own_attributes(job, [*own, *sources], ["Requirements"])
    if slots.label is None and len(slots) != 1:
        return text
    for slot in slots:
        if slot.sub_id > 0 and slot.drained is None and not shows_parts:
            continue
        text += target_attributes(slot.ad, asked, job)
        if slot.drained is not None:
            text += target_attributes(slot.drained, asked, job, drained=True)
    return text


def _universe(job: ClassAd) -> str:
    """Return a warning about the analysis of jobs of some universes; empty for the others."""
    universe = job.eval_int("JobUniverse", 0)
    if universe in ON_CLAIMS:
        return ""
    if universe == Universe.GRID:
        if "$$" in job.eval_str("GridResource", ""):
            return ""
        return "\nWARNING: Analysis is only meaningful for Grid universe jobs using matchmaking.\n"
    if universe == _MPI:
        return "\nWARNING: Analysis is meaningless for MPI universe jobs.\n"
    if universe in OF_SCHEDD:
        return "\nWARNING: Analysis is not complete for Scheduler or Local universe jobs.\n"
    return "\nWARNING: Job universe unknown.  Analysis may not be meaningful.\n"


# The schedd as the analysis of local and scheduler jobs sees it.


def schedd_of(source: Source) -> Schedd:
    """Return a function for the ad of the schedd with what it starts itself; None without a pool."""

    @cache
    def ad() -> ClassAd | None:
        pool, view = source.pool, source.view
        return None if pool is None or view is None else schedd_ad(pool, view)

    return ad


# Jobs by autocluster: ``-analyze:summary``, and the list of jobs that no slot takes.

_ROW = "{:<13} {:>12} {:>12} {:>11} {:>11} {:>10} {:>9} {}"
_HEADS = (
    ("", " Autocluster", "   Matches  ", "  Machine  ", "  Running  ", "  Serving ", "", ""),
    (" JobId", "Members/Idle", "Requirements", "Rejects Job", " Users Job ", "Other User", "Available", "Owner"),
    ("-" * 13, "-" * 12, "-" * 12, "-" * 11, "-" * 11, "-" * 10, "-" * 9, "-----"),
)


def summary(clusters: Clusters, situation: Situation, *, verbose: bool) -> str:
    """A row an autocluster: how many slots it matches, and what they do."""
    slots = situation.slots
    label = "" if slots.label is None else f"{slots.label}: "
    lines = [f"{label}Analyzing matches for {len(slots)} slots", *(_ROW.format(*head) for head in _HEADS)]
    lines += [_summary_row(row, situation, verbose=verbose) for row in represented(clusters)]
    return "".join(line + "\n" for line in lines)


def _summary_row(row: Row, situation: Situation, *, verbose: bool) -> str:
    counts = count_slots(row.job, situation, "all")
    states = [ad.eval_int("JobStatus") for ad in row.members]
    running = sum(state in AT_WORK for state in states)
    shown = f"{f'{running}/' if running else ''}{len(counts.mine)}"
    cluster, proc = job_key(row.job)
    group = ""
    if row.number >= 0:
        group = f"{f'{row.number}:' if verbose else ''}{len(states)}/{states.count(IDLE)}"
    return (
        f"{f'{cluster}.{proc}':<13} {group:<12} {counts.total - len(counts.rejected):>12} "
        f"{len(counts.rejecting):>11} {shown:>11} {counts.serving - len(counts.mine):>10} "
        f"{len(counts.willing):>9} {row.job.eval_str('Owner', '')}"
    )


def unmatched(clusters: Clusters, situation: Situation) -> str:
    """A line for each autocluster that no slot takes, not even if it were drained."""
    lines = []
    for row in represented(clusters):
        counts = count_slots(row.job, situation, "whole")
        if not counts.both:
            what = "All slots reject" if counts.matched else "No slots match"
            ids = "".join(" {}.{}".format(*job_key(job)) for job in row.members)
            lines.append(f"{what} autocluster {row.number}, jobs :{ids}\n")
    return "".join(lines)


# What the analysis of a waiting job says beyond HTCondor's lines: the reasons why it waits, and what would help.


class Lacks:
    """Return why jobs wait, by the slots of the pool or by those of a file."""

    def __init__(self, source: Source, slots: Slots, schedd: Schedd) -> None:
        self._source = source
        self._slots = slots
        self._schedd = schedd

    def text(self, job: ClassAd) -> str:
        """A line a reason, and one for what helps; "" where nothing keeps the job from running."""
        lines = []
        held = job.eval_int("JobStatus") == HELD  # the analysis has given the reason
        for reason in why_it_waits(job, self._around):
            if not held:
                lines.append(f"{'It will never run here' if reason.final else 'Why it waits'}: {reason.text}\n")
            if reason.help:
                lines.append(f"What helps: {reason.help}\n")
        return "".join(lines)

    @cached_property
    def _around(self) -> Around:
        return Around(self._ads, time.time(), self._accounts, self._schedd, self._end, lambda: self._limited)

    @cached_property
    def _limited(self) -> Sequence[ClassAd]:
        view = self._source.view
        return () if view is None else limited_records(view)

    @cached_property
    def _ads(self) -> list[ClassAd]:
        if self._source.pool is None:
            return [slot.ad for slot in self._slots]
        wanted = {slot.machine for slot in self._slots}
        return [
            ad for ad in self._source.pool.ads("STARTD")
            if ad.has("SlotID") and ad.eval_str("Machine") in wanted
        ]  # fmt: skip

    def _accounts(self) -> Sequence[ClassAd]:
        pool = self._source.pool
        return () if pool is None else pool.ads("ACCOUNTING")

    @cached_property
    def _end(self) -> Callable[[ClassAd], float] | None:
        """Return a function that gives the end of what runs on a slot; None where the source has no pool."""
        if self._source.pool is None:
            return None
        from condor_py.cli.q.forecast import expected_ends

        return expected_ends(self._source.pool)


_WIDTH = 80


def analysis(request: Request, source: Source, jobs: Sequence[ClassAd]) -> str:
    """The analysis of ``jobs`` against the slots of the pool (or of ``-slotads``). Raises CondorError."""
    wanted = look(request.args)
    slots = find_slots(request.args, source.pool)
    mode: Mode = "all" if slots.only_parts and wanted.always else "whole"
    if wanted.verbose and slots.only_parts:
        sys.stderr.write("Fetch returned only Static and Dynamic slots, setting match mode to All\n")
    known = standing(request.args, source, wanted.priorities)
    if known is not None:
        known.tell([slot.ad for slot in slots])
    if not source.online:
        jobs = _once(jobs)
    if wanted.verbose:
        _tell_jobs(jobs, source)
    situation = Situation(slots, schedd_of(source), known)
    numbers = Numbers(online=source.online)
    page = _page(request)
    if not wanted.reverse and wanted.mode == "jobs":
        autoclusters = known_of(numbers, jobs, source.jobs) if source.online else {}
        situation = situation._replace(known=known if wanted.priorities else None)
        lacks = Lacks(source, slots, situation.schedd) if source.online or is_terminal() else None
        parts = []
        for job in jobs:
            parts.append(job_analysis(job, situation, wanted, page, autoclusters.get(numbers.of(job)), mode))
            parts.append("" if lacks is None else lacks.text(job))
        return "".join(parts)
    clusters = numbers.clusters(jobs)
    if wanted.verbose:
        _tell(clusters)
    return _grouped(clusters, situation, wanted, page)


def _grouped(clusters: Clusters, situation: Situation, wanted: Look, page: Page) -> str:
    if wanted.reverse:
        return reverse_analysis(situation.slots, clusters, wanted, page.tables)
    if wanted.mode == "summary":
        return summary(clusters, situation._replace(schedd=no_schedd), verbose=wanted.verbose)
    return unmatched(clusters, situation._replace(known=None))


def _tell_jobs(jobs: Sequence[ClassAd], source: Source) -> None:
    sys.stderr.write(f"Fetching job ads... {len(jobs)} ads{'' if source.online else '.'}\n")
    sys.stderr.write("" if source.online else "\n")


def _tell(clusters: Clusters) -> None:
    """Write what ``-verbose`` reports about the groups of jobs to standard error."""
    jobs = sum(map(len, clusters.values()))
    alone = len(clusters.get(UNGROUPED, ()))
    grouped = sum(number != UNGROUPED for number in clusters)
    sys.stderr.write(
        f"\nBuilding autocluster map of {jobs} Jobs...{grouped} autoclusters and {alone} Jobs with no autocluster\n"
    )


def _once(jobs: Iterable[ClassAd]) -> list[ClassAd]:
    """Jobs of a file, each number once."""
    found: dict[tuple[int | None, int | None], ClassAd] = {}
    for number, job in enumerate(jobs):
        cluster, proc = job.eval_int("ClusterId"), job.eval_int("ProcId")
        if found.setdefault((cluster, number if proc is None else proc), job) is not job:
            sys.stderr.write("Error: Two results with the same ID.\n")
    return list(found.values())


def _page(request: Request) -> Page:
    screen = request.width or display_width() or _WIDTH
    return Page(screen, screen if request.width == 0 else _WIDTH)


def unmatchable(request: Request, source: Source, jobs: Sequence[ClassAd]) -> list[ClassAd]:
    """The jobs that no slot and its job both accept, not even if it were drained (``-unmatchable``)."""
    situation = Situation(find_slots(request.args, source.pool), schedd_of(source))
    if not source.online:
        jobs = _once(jobs)
    found = [job for job in jobs if not count_slots(job, situation, "whole").both]
    if request.args.has("verbose"):
        _tell_jobs(found, source)
    return found


_NAMED = 10


def totals(job: ClassAd, counts: Counts, known: Standing | None, *, verbose: bool) -> str:
    """Return how many slots would run a job and how many would not; with ``verbose`` with some of their names."""
    how = "ignoring" if known is None else "considering"
    verbose = verbose and not counts.schedd_only
    lines = [
        *_submitter(job, known),
        "",
        f"{_job(job)}:  Run analysis summary {how} user priority.  Of {counts.total} slots on "
        f"{counts.machines} machines,",
        _line(counts.rejected, "slots are rejected by your job's requirements", verbose),
        _line(counts.rejecting, "slots reject your job because of their own requirements", verbose),
    ]
    nice = known is not None and is_nice(job)
    lines += _ignoring(counts, verbose) if known is None else _considering(counts, verbose, nice=nice)
    lines.append(_line(counts.willing, "slots match and are willing to run your job", verbose))
    if counts.if_drained:
        lines.append(_line(counts.if_drained, "slots would match if drained", verbose))
    if nice:
        lines += [
            "",
            '\t(*)  Since this is a "nice-user" job, it has a',
            "\t     very low priority and is unlikely to preempt other jobs.",
        ]
    return "\n".join(lines + _warning(counts)) + "\n"


def _submitter(job: ClassAd, known: Standing | None) -> list[str]:
    name = None if known is None else known.submitter(job)
    if known is None or name is None:
        return []
    return [f"Submittor {name} has a priority of {known.priorities[name]:.3f}"]


def _job(job: ClassAd) -> str:
    cluster, proc = job_key(job)
    return f"{cluster:03d}.{proc:03d}"


def _considering(counts: Counts, verbose: bool, *, nice: bool) -> list[str]:
    better = _line(counts.better, "slots match but are serving users with a better priority in the pool", False)
    return [
        _line(counts.mine, "slots match and are already running one of your jobs", False),
        f"{better}{'(*)' if nice else ''}{_names(counts.better, verbose)}",
        _line(counts.kept, "slots match but will not currently preempt their existing job", verbose),
        _line(counts.offline, "slots match but are currently offline\n", verbose),
    ]


def _ignoring(counts: Counts, verbose: bool) -> list[str]:
    lines = []
    if counts.mine:
        lines.append(_line(counts.mine, "slots match and are already running your jobs", False))
    if counts.serving:
        lines.append(_line(counts.better, "slots match but are serving other users", verbose))
    if counts.offline:
        lines.append(_line(counts.offline, "slots match but are currently offline", verbose))
    return lines


def _warning(counts: Counts) -> list[str]:
    if counts.both:
        return []
    if not counts.matched:
        return ["", "WARNING:  Be advised:", "   No machines matched the job's constraints"]
    return [
        "",
        "WARNING:  Be advised:",
        "   Job did not match any machines' constraints",
        "   To see why, pick a machine that you think should match and add",
        "     -reverse -machine <name>",
        "   to your query.",
    ]


def _line(names: list[str], text: str, verbose: bool) -> str:
    return f"  {len(names):5d} {text}{_names(names, verbose)}"


def _names(names: list[str], verbose: bool) -> str:
    if not verbose or not names:
        return ""
    return f": {', '.join(names[:_NAMED])}{', ...' if len(names) > _NAMED else ''}"


def run_state(job: ClassAd, state: str, known: ClassAd | None) -> str:
    """Return why a job does not wait for a slot (``state``), and when it was matched and refused; ``known`` is what the
    schedd knows of its autocluster."""
    lines = ["", f"{_job(job)}:  {state}", ""] if state else []
    matched = job.eval_int("LastMatchTime", 0)
    rejected = job.eval_int("LastRejMatchTime", 0)
    if matched:
        lines.append(f"Last successful match: {time.ctime(matched)}")
    elif rejected:
        lines.append("No successful match recorded.")
    if rejected > matched:
        lines.append(f"Last failed match: {time.ctime(rejected)}{_negotiator(job)}")
        reason = job.eval_str("LastRejMatchReason")
        if reason is not None:
            lines.append(f"Reason for last match failure: {reason}")
    elif known is not None:
        lines += _autocluster(known, matched)
    return "".join(line + "\n" for line in lines)


def _negotiator(ad: ClassAd) -> str:
    name = ad.eval_str("LastRejMatchNegotiator")
    return f" from {name}" if name else ""


def _autocluster(known: ClassAd, matched: int) -> list[str]:
    lines = []
    rejected = known.eval_int("LastRejMatchTime", 0)
    if rejected > matched:
        lines.append(f"Last failed match for this autocluster: {time.ctime(rejected)}{_negotiator(known)}")
        reason = known.eval_str("LastRejMatchReason")
        if reason is not None:
            lines.append(f"\tReason: {reason}")
    last = known.eval_int("LastMatchTime")
    if last is not None:
        lines.append(f"Last successful match for this autocluster: {time.ctime(last)}")
    running, completed = known.eval_int("NumRunning"), known.eval_int("NumCompleted")
    if running is not None or completed is not None:
        done = f" and {completed} completed" if completed else ""
        lines.append(f"This autocluster currently has {running or 0} running{done} jobs.")
    return lines
