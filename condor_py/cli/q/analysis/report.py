"""The analysis that a command line asks for, and the jobs that ``-unmatchable`` leaves."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from condor_py.cli.output.terminal import display_width, is_terminal
from condor_py.cli.q.analysis.autoclusters import UNGROUPED, Clusters, Numbers, known_of
from condor_py.cli.q.analysis.counts import Mode, Situation, count_slots, nobody
from condor_py.cli.q.analysis.groups import summary, unmatched
from condor_py.cli.q.analysis.job import Page, job_analysis
from condor_py.cli.q.analysis.lacks import Lacks
from condor_py.cli.q.analysis.look import Look, look
from condor_py.cli.q.analysis.reverse import reverse_analysis
from condor_py.cli.q.analysis.schedd import schedd_of
from condor_py.cli.q.analysis.slots import find_slots
from condor_py.cli.q.analysis.standing import standing
from condor_py.cli.q.request import Request
from condor_py.cli.q.source import Source
from condor_py.lang.classad.ad import ClassAd

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
        told = known_of(numbers, jobs, source.jobs) if source.online else {}
        situation = situation._replace(known=known if wanted.priorities else None)
        lacks = Lacks(source, slots, situation.schedd) if source.online or is_terminal() else None
        parts = []
        for job in jobs:
            parts.append(job_analysis(job, situation, wanted, page, told.get(numbers.of(job)), mode))
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
        return summary(clusters, situation._replace(schedd=nobody), verbose=wanted.verbose)
    return unmatched(clusters, situation._replace(known=None))


def _tell_jobs(jobs: Sequence[ClassAd], source: Source) -> None:
    sys.stderr.write(f"Fetching job ads... {len(jobs)} ads{'' if source.online else '.'}\n")
    sys.stderr.write("" if source.online else "\n")


def _tell(clusters: Clusters) -> None:
    """What ``-verbose`` says on standard error of how jobs were grouped."""
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
