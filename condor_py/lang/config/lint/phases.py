"""The moments at which policy expressions are evaluated, their subjects, and the attributes that are missing then."""

from __future__ import annotations

from typing import Literal, NamedTuple

Owner = Literal["slot", "job", ""]


class Use(NamedTuple):
    """The use of a knob's expression.

    ``owner`` is whose ad is MY; ``other`` says whether there is a second ad (TARGET). ``undefined`` tells what HTCondor
    does with UNDEFINED where that is not just "no"; empty where it counts as false or zero.
    """

    owner: Owner
    other: bool = True
    undefined: str = ""


_RUNNING = Use("slot")
_NEGOTIATION = Use("slot")
_ALONE = Use("slot", other=False)
_JOB = Use("job", other=False)

#: Knob (lower case, without _VANILLA) -> its use.
USES: dict[str, Use] = {
    "start": Use("slot"),
    "is_owner": Use("slot", other=False, undefined="HTCondor's startd stops"),
    "want_vacate": Use("slot", undefined="HTCondor's startd stops"),
    "slot_weight": Use("slot", other=False, undefined="the slot weighs as much as it has cpus"),
    **dict.fromkeys(("suspend", "continue", "preempt", "kill", "want_suspend"), _RUNNING),
    **dict.fromkeys(("want_hold", "want_hold_reason", "want_hold_subcode"), _RUNNING),
    **dict.fromkeys(("rank", "maxjobretirementtime", "machinemaxvacatetime"), _RUNNING),
    **dict.fromkeys(("preemption_requirements", "preemption_rank"), _NEGOTIATION),
    **dict.fromkeys(("schedd_preemption_requirements", "schedd_preemption_rank"), _NEGOTIATION),
    **dict.fromkeys(("negotiator_pre_job_rank", "negotiator_post_job_rank"), _NEGOTIATION),
    **dict.fromkeys(("runbenchmarks", "negotiator_slot_constraint", "negotiator_slot_poolsize_constraint"), _ALONE),
    **dict.fromkeys(("system_periodic_hold", "system_periodic_release", "system_periodic_remove"), _JOB),
    **dict.fromkeys(("system_periodic_vacate", "negotiator_job_constraint"), _JOB),
    **dict.fromkeys(("append_requirements", "append_req_vanilla", "append_rank", "default_rank"), Use("job")),
}

#: Attributes that a slot has only while a job runs, or a claim is there, and that no job has: a name without a scope
#: that the slot lacks is looked up in the job.
WHILE_CLAIMED = (
    *("JobStart", "JobId", "RemoteOwner", "RemoteUser", "ClientMachine"),
    *("TotalJobRunTime", "TotalJobSuspendTime", "TotalClaimRunTime", "TotalClaimSuspendTime", "LastPeriodicCheckpoint"),
)

#: Attributes of a job that come with the first update of its starter, some seconds after the start.
AFTER_FIRST_UPDATE = frozenset(
    name.lower()
    for name in ("MemoryUsage", "CpusUsage", "GPUsUsage", "GPUsMemoryUsage", "ResidentSetSize", "ScratchDirFileCount")
)
