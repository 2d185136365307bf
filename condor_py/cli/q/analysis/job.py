"""The analysis of one job: what its Requirements ask for, and how many slots there are for it."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.cli.q.analysis.counts import LOCAL_UNIVERSE, SCHEDULER_UNIVERSE, Mode, Situation, count_slots
from condor_py.cli.q.analysis.look import Look
from condor_py.cli.q.analysis.pretty import wrapped
from condor_py.cli.q.analysis.requirements import (
    expression,
    numbered,
    own_attributes,
    table,
    target_attributes,
    used_names,
)
from condor_py.cli.q.analysis.slots import Slots
from condor_py.cli.q.analysis.totals import run_state, totals
from condor_py.cli.q.select import job_key
from condor_py.lang.classad.ad import ClassAd

_VANILLA, _MPI, _GRID, _JAVA, _PARALLEL, _VM = 5, 8, 9, 10, 11, 13
_FINE = frozenset((_VANILLA, _JAVA, _PARALLEL, _VM))


class Page(NamedTuple):
    """The widths that texts are broken at: of the screen, and of tables."""

    screen: int
    tables: int


def job_analysis(job: ClassAd, situation: Situation, look: Look, page: Page, told: ClassAd | None, mode: Mode) -> str:
    """The text. ``told`` is what the schedd knows of the job's autocluster."""
    counts = count_slots(job, situation, mode)
    text = ""
    if look.always or counts.rejected:
        if not look.always:
            look = look.each_step()
        text = requirements_analysis(job, situation.slots, look, page, parts=mode == "all") + "\n"
    if counts.total:
        text += totals(job, counts, situation.known, verbose=look.verbose)
    return text + "\n" + run_state(job, counts.state, told)


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
    text = own_attributes(job, own, ["Requirements"])
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
    """What analysis means for jobs of a universe."""
    universe = job.eval_int("JobUniverse", 0)
    if universe in _FINE:
        return ""
    if universe == _GRID:
        if "$$" in job.eval_str("GridResource", ""):
            return ""
        return "\nWARNING: Analysis is only meaningful for Grid universe jobs using matchmaking.\n"
    if universe == _MPI:
        return "\nWARNING: Analysis is meaningless for MPI universe jobs.\n"
    if universe in (SCHEDULER_UNIVERSE, LOCAL_UNIVERSE):
        return "\nWARNING: Analysis is not complete for Scheduler or Local universe jobs.\n"
    return "\nWARNING: Job universe unknown.  Analysis may not be meaningful.\n"
