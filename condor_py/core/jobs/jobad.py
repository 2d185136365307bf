"""Values that the core reads from every job's ad."""

from __future__ import annotations

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.numbers import summable
from condor_py.model.ids import JobId
from condor_py.model.states import IN_SLOTS, OF_SCHEDD, Universe

#: A parallel job with more nodes is held: no machine has so many slots, and each cycle would look for them.
MOST_NODES = 1000


def status_of(ad: ClassAd) -> int:
    """JobStatus; 0, which is no status, for a job without one."""
    return ad.eval_int("JobStatus", 0)


def universe_of(ad: ClassAd) -> int:
    """JobUniverse; a job that says none is of the vanilla universe."""
    return ad.eval_int("JobUniverse", Universe.VANILLA)


def cpus_wanted(ad: ClassAd) -> float:
    """RequestCpus as it counts in sums: 1 for a job that says none, and nothing that would make the sum of the others
    meaningless."""
    return summable(ad.eval_real("RequestCpus", 1.0) or 1.0)


def needs_slot(ad: ClassAd) -> bool:
    """Whether a job runs in a slot of the pool."""
    return universe_of(ad) in IN_SLOTS


def run_number(ad: ClassAd) -> int:
    """The number of a job's present or last run, from 0, as the records of runs have it."""
    return max(1, ad.eval_int("NumShadowStarts", 1)) - 1


def was_executed(ad: ClassAd) -> bool:
    """Whether the program of a job's present or last run was executed."""
    begun, executed = ad.eval_int("JobCurrentStartDate", None), ad.eval_int("JobCurrentStartExecutingDate", None)
    return begun is not None and executed is not None and executed >= begun


#: What manages a job that condor_qedit -export, or a schedd that took it, has marked.
MANAGER = "Lumberjack"


def is_away(ad: ClassAd) -> bool:
    """Whether another manager has a job."""
    return ad.eval_str("Managed", None) == "External"


def is_exported(ad: ClassAd) -> bool:
    """Whether a job is with a manager outside; the job router shows what becomes of jobs that it has."""
    return is_away(ad) and ad.eval_str("ManagedManager", None) == MANAGER


def runs_here(ad: ClassAd) -> bool:
    """Whether a job is of the local or the scheduler universe."""
    return universe_of(ad) in OF_SCHEDD


def submitter_of(ad: ClassAd, domain: str) -> str:
    """The unit of accounting: ``[group.]user@domain`` (negotiation manual, accounting groups); ``domain`` is
    ACCOUNTING_DOMAIN."""
    group = ad.eval_str("AccountingGroup", None)
    if group:
        return f"{group}@{domain}"
    user = ad.eval_str("Owner", None) or ad.eval_str("User", None) or "nobody"
    if "@" in user and not ad.eval_str("User", "").startswith(f"{user}@"):  # else it is part of the account's name
        user = user.partition("@")[0]
    return f"{user}@{domain}"


def is_gang(ad: ClassAd) -> bool:
    """Whether the procs of a job's cluster are one parallel job, which gets all its slots together or none."""
    universe = universe_of(ad)
    if universe == Universe.VANILLA:
        return ad.text("WantParallelScheduling") is not None and ad.eval_bool("WantParallelScheduling", False) is True
    return universe == Universe.PARALLEL


def hosts_of(ad: ClassAd) -> int:
    """Number of slots that a proc of a parallel job asks for."""
    return ad.eval_int("MaxHosts", 1)


def follows(job: JobId, ad: ClassAd) -> bool:
    """Whether a proc is part of a parallel job that proc 0 represents: events, policies and the end are those of
    proc 0."""
    return job.proc > 0 and is_gang(ad)
