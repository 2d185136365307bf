"""Counts the slots that could run a job, and those that could not, by what stands in the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, NamedTuple

from condor_py.cli.q.analysis.slots import Slot, Slots, drained
from condor_py.cli.q.analysis.standing import Standing
from condor_py.core.jobs.local import meets
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdEvaluationError
from condor_py.lang.classad.exprtree import parse
from condor_py.lang.classad.match import requirements_match
from condor_py.lang.classad.values import as_bool
from condor_py.model.states import OF_SCHEDD, Universe

IDLE, RUNNING, REMOVED, COMPLETED, HELD, TRANSFERRING, SUSPENDED = range(1, 8)
AT_WORK = frozenset((RUNNING, TRANSFERRING, SUSPENDED))

#: Which slots of a machine count: all as they are, or all but dynamic ones, and full ones also as if drained.
Mode = Literal["all", "whole"]
_FITS = parse("WithinResourceLimits")
_NO_SCHEDD = "WARNING: A schedd ClassAd is needed to do analysis for scheduler or Local universe jobs.\n"


class Counts:
    """The result of an analysis: lists of slot names, and the numbers that the lists do not give.

    ``state`` says why the job is not waiting for a slot; "" where it is.
    """

    def __init__(self, state: str = "") -> None:
        self.state = state
        #: The schedd was counted, and no slot.
        self.schedd_only = False
        self.total = 0
        self.machines = 0
        self.matched = 0
        self.both = 0
        self.serving = 0
        self.rejected: list[str] = []
        self.rejecting: list[str] = []
        self.offline: list[str] = []
        self.mine: list[str] = []
        self.better: list[str] = []
        self.kept: list[str] = []
        self.willing: list[str] = []
        self.if_drained: list[str] = []


#: Gives the ad of the schedd, or None without one.
Schedd = Callable[[], ClassAd | None]


def no_schedd() -> None:
    """Return no ad: there is no schedd."""


class Situation(NamedTuple):
    """The data that jobs are analysed against: slots, the schedd, the users' standing."""

    slots: Slots
    schedd: Schedd = no_schedd
    known: Standing | None = None


def count_slots(job: ClassAd, situation: Situation, mode: Mode) -> Counts:
    """Counts the slots for one job. Full slots that it would fit if they were drained are remembered as such."""
    if job.eval_str("Owner") is None:
        return Counts("Nothing here.")
    counts = Counts(_state(job))
    if job.eval_int("JobUniverse", 0) in OF_SCHEDD:
        _count_schedd(job, situation.schedd(), counts)
        return counts
    known = situation.known
    submitter = known.submitter(job) if known is not None else None
    if known is not None and submitter is not None:
        job.set_real("SubmitterUserPrio", known.priorities[submitter])
    machines: set[str] = set()
    for slot in situation.slots:
        machines.add(slot.machine)
        if mode == "all" or not slot.dynamic:
            _count(job, slot, situation.slots, counts, mode, known if submitter is not None else None)
    counts.machines = len(machines)
    return counts


def _state(job: ClassAd) -> str:
    status = job.eval_int("JobStatus")
    if status in AT_WORK:
        return "Job is running."
    if status == HELD:
        reason = job.eval_str("HoldReason")
        return f"Job is held.\n\nHold reason: {reason}" if reason else "Job is held."
    if status == REMOVED:
        return "Job is removed."
    if status == COMPLETED:
        return "Job is completed."
    if status == IDLE and job.eval_int("JobCoolDownExpiration", 0) > job.eval_int("ServerTime", int(time.time())):
        return "Job is in cool down."
    return ""


def _count_schedd(job: ClassAd, schedd: ClassAd | None, counts: Counts) -> None:
    """Whether the schedd itself would run a job."""
    if schedd is None:
        text = _NO_SCHEDD
    else:
        local = job.eval_int("JobUniverse") == Universe.LOCAL
        name = "StartLocalUniverse" if local else "StartSchedulerUniverse"
        counts.schedd_only = True
        counts.total = counts.matched = 1
        value = as_bool(schedd.raw(name, job)) if schedd.has(name) else None
        if value is None:
            text = f"This schedd's {name} policy failed to evalute for this job.\n"
        else:
            is_met = meets(job, schedd)
            counts.both = int(value and is_met)
            if not counts.both:
                counts.rejecting.append("")
            text = f"This schedd's {name} evalutes to {'true' if value else 'false'} for this job.\n"
            if not is_met:
                text += "This schedd does not meet the Requirements of this job.\n"
    counts.state += ("\n\n" if counts.state else "") + text


def _count(job: ClassAd, slot: Slot, slots: Slots, counts: Counts, mode: Mode, known: Standing | None) -> None:
    offer, fits = slot.ad, True
    if slot.partitionable and mode == "whole":
        fits = _fits(slot.ad, job)
        if not fits:
            offer = _drained(slot, job, slots)
    counts.total += 1
    if not requirements_match(job, offer):
        counts.rejected.append(slot.name)
        return
    counts.matched += 1
    if not requirements_match(offer, job):
        counts.rejecting.append(slot.name)
        return
    counts.both += 1
    if offer.eval_bool("Offline"):
        counts.offline.append(slot.name)
    taker = _in_the_way(job, offer, counts, known)
    if taker is None:
        taker = counts.willing if fits else counts.if_drained
    taker.append(slot.name)


def _in_the_way(job: ClassAd, offer: ClassAd, counts: Counts, known: Standing | None) -> list[str] | None:
    """The list of slots that are kept from a job like this one; None where the job would get it."""
    user = offer.eval_str("RemoteUser")
    if user is None:
        return None
    counts.serving += 1
    if user == job.eval_str("User", ""):
        return counts.mine
    if known is None or known.is_behind(job, offer):
        return counts.better
    return counts.kept if known.is_kept(job, offer) else None


def _fits(slot: ClassAd, job: ClassAd) -> bool:
    """Whether a job is within what a slot has left; also where the slot does not tell."""
    if not slot.has("WithinResourceLimits"):
        return True
    try:
        return as_bool(slot.raw(_FITS, job)) is not False
    except ClassAdEvaluationError:
        return True


def _drained(slot: Slot, job: ClassAd, slots: Slots) -> ClassAd:
    """Return the slot's ad as it would be if drained, where a job would fit then; else the ad unchanged."""
    ad = drained(slot.ad)
    if ad is None or not _fits(ad, job):
        return slot.ad
    slots.drain(slot, ad)
    return ad
