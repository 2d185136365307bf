"""Words: why a request found nothing, and the lines of NegotiatorLog and MatchLog."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from condor_py.model.ids import JobId, is_asker, request_name
from condor_py.model.submitters import fault_of, shown

NO_MATCH = "no match found"
#: Ours, where nothing is left for any request, and NO_MATCH says no more than that.
ALL_TAKEN = "no match found: every slot was taken"
LIMIT_EXCEEDED = "submitter limit exceeded"
#: Ours; HTCondor does not say why a submitter was not served to the end.
CEILING_REACHED = "submitter ceiling reached"
QUOTA_REACHED = "accounting group quota reached"
#: What a quota of the submitter's group can be behind.
FOR_LIMITS = (LIMIT_EXCEEDED, QUOTA_REACHED, ALL_TAKEN)
OUT_OF_TIME = "the negotiator ran out of time"
OUT_OF_STEPS = "the expressions of the owner's jobs took too long: the next cycle continues with them"
LOST_A_SLOT = "was preempted less than NEGOTIATOR_CYCLE_DELAY ago, so it preempts no job yet"
PREEMPTION_REQUIREMENTS_FALSE = "PREEMPTION_REQUIREMENTS == False"

CYCLE_STARTED = "---------- Started Negotiation Cycle ----------"
CYCLE_FINISHED = "---------- Finished Negotiation Cycle ----------"
PHASE_1 = "Phase 1:  Obtaining ads from collector ..."
PHASE_2 = "Phase 2:  Performing accounting ..."
PHASE_3 = "Phase 3:  Sorting submitter ads by priority ..."


@dataclass(slots=True)
class Obstacles:
    """Obstacles to one request, noted while its candidates are examined."""

    concurrency: tuple[str, ...] = ()
    lost: bool = False
    policy: bool = False
    limit: bool = False
    ceiling: bool = False
    #: Of a parallel job, what is wrong with its number of nodes.
    nodes: str = ""

    @property
    def is_limited(self) -> bool:
        """Whether a limit is in the way, so that free slots alone do not help."""
        return bool(self.concurrency) or self.ceiling or self.limit

    def reason(self) -> str:
        """HTCondor's wording (LastRejMatchReason), the first that applies."""
        if self.concurrency:
            return f"concurrency limit {', '.join(sorted(set(self.concurrency)))} reached"
        if self.lost:
            return LOST_A_SLOT
        if self.policy:
            return PREEMPTION_REQUIREMENTS_FALSE
        if self.limit:
            return LIMIT_EXCEEDED
        if self.ceiling:
            return CEILING_REACHED
        return self.nodes or NO_MATCH


def too_few_slots(nodes: int, *, ever: bool) -> str:
    """Why a parallel job has to wait: its nodes do not all find a slot now, or never will."""
    if ever:
        return f"not all of the {nodes} nodes of the parallel job find a free slot yet"
    return f"the slots of this pool cannot hold all {nodes} nodes of the parallel job at once"


def behind(cluster: int) -> str:
    """Why a parallel job waits for another one of its submitter."""
    return f"the nodes of the parallel job {cluster} get their slots first (DEDICATED_SCHEDULER_USE_FIFO)"


def why_ignored(submitter: str) -> str:
    """Why a submitter takes no part: its name is not one that the accountant can keep; "" for a good name."""
    fault = fault_of(submitter)
    return fault and f"Ignoring submitter {shown(submitter)}: the name {fault}; condor_qedit changes AccountingGroup"


def snapshot_lines(submitters: int, slots: int) -> tuple[str, ...]:
    """The lines of phase 1."""
    public = submitters + slots
    return (
        PHASE_1,
        "  Getting startd private ads ...",
        "  Getting Scheduler, Submitter and Machine ads ...",
        f"  Sorting {public} ads ...",
        f"Got ads: {public} public and {slots} private",
        f"Public ads include {submitters} submitter, {slots} startd",
    )


def spin_line(spin: int) -> str:
    """The head of a spin of the pie."""
    return f"Phase 4.{spin}:  Negotiating with schedds ..."


def submitter_lines(name: str, schedd: str, spent: int, schedd_spent: int) -> tuple[str, ...]:
    """The head of one submitter's turn, with the seconds that its turns and its schedd's took so far."""
    return (
        f"  Negotiating with {name} at {schedd}",
        f"{spent} seconds so far for this submitter",
        f"{schedd_spent} seconds so far for this schedd",
    )


def request_line(job: JobId, autocluster: int, count: int) -> str:
    """A request is looked at; ``count`` jobs are left of it."""
    number = request_name(job) if is_asker(job) else f"{job.cluster:05d}.{job.proc:05d}"
    return f"    Request {number}: autocluster {autocluster} (request count 1 of {count})"


def preempting_line(
    victim: str, victim_prio: float, old_rank: float, slot: str, name: str, prio: float, new_rank: float
) -> str:
    """Log line for a slot's preemption."""
    return (
        f"      Preempting {victim} (user prio={victim_prio:.2f}, startd rank={old_rank:.2f}) on {slot} "
        f"for {name} (user prio={prio:.2f}, startd rank={new_rank:.2f})"
    )


def matched_lines(job: JobId, name: str, schedd: str, slot: str, victim: str) -> tuple[str, str]:
    """A match was made; ``victim`` "none" where no submitter loses a slot."""
    return (
        f"      Matched {request_name(job)} {name} {schedd} preempting {victim} {schedd} {slot}",
        f"      Successfully matched with {slot}",
    )


def all_matched_lines(jobs: Iterable[JobId], name: str, schedd: str, slots: Iterable[str]) -> list[str]:
    """``matched_lines`` of many jobs, when no submitter loses a slot for them."""
    between = f" {name} {schedd} preempting none {schedd} "
    return [
        line
        for (cluster, proc), slot in zip(jobs, slots, strict=True)
        for line in (
            f"      Matched {cluster}.{proc}{between}{slot}",
            f"      Successfully matched with {slot}",
        )
    ]


def rejected_line(job: JobId, name: str, schedd: str, reason: str) -> str:
    """A request found nothing."""
    return f"      Rejected {request_name(job)} {name} {schedd}: {reason}"


def limit_line(matched: float) -> str:
    """A submitter's turn ends at its limit."""
    return f"    Reached submitter resource limit: {matched:.6f} ... stopping"


def deadline_line(name: str) -> str:
    """A submitter's turn ends because of a time limit."""
    return f"    Reached deadline for {name} ... stopping"


def steps_line(name: str) -> str:
    """A submitter's turn ends because its jobs' expressions have cost enough."""
    return f"    Expressions of {name} took all steps of this cycle ... the next cycle continues with them"


def reserved_line(cluster: int, kept: int, wanted: int) -> str:
    """Free slots are kept for a parallel job that waits for more of them."""
    return f"    Keeping {kept} free slots for the parallel job {cluster}, which wants {wanted}"


def exchange_line(one: str, other: str) -> str:
    """Two users take slots from each other in turn."""
    return f"      {one} and {other} preempt each other in turn: PREEMPTION_REQUIREMENTS allows both"


def ceiling_line(matched: float) -> str:
    """A submitter's turn ends at its ceiling."""
    return f"  This submitter has hit the ceiling (got {matched:.6f} new slots this cycle), stopping negotiation"


def small_limit_line(name: str) -> str:
    """A submitter is passed over until the next spin."""
    return f"  Negotiation with {name} skipped as pieLeft < minSlotWeight"


def no_ceiling_room_line(name: str, room: float) -> str:
    """A submitter leaves the pie because of its ceiling."""
    return f"  Negotiation with {name} skipped because submitterCeiling remaining is {int(room)}"


def pie_finished_line(remaining: int) -> str:
    """The end of one pie."""
    return f" negotiateWithGroup resources used submitterAds length {remaining} "
