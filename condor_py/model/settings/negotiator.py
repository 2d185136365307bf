"""What configuration tells the negotiator. Expressions are ClassAd text; an empty text means "not set"."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_PRE_JOB_RANK = "(10000000 * My.Rank) + (1000000 * (RemoteOwner =?= UNDEFINED)) - (100000 * Cpus) - Memory"
DEFAULT_POST_JOB_RANK = (
    "(RemoteOwner =?= UNDEFINED) * (ifThenElse(isUndefined(KFlops), 1000, Kflops) - SlotID - 1.0e10*(Offline=?=True))"
)
DEFAULT_PREEMPTION_RANK = "(RemoteUserPrio * 1000000) - ifThenElse(isUndefined(TotalJobRuntime), 0, TotalJobRuntime)"
DEFAULT_GROUP_SORT_EXPR = (
    'ifThenElse(AccountingGroup=?="<none>",3.4e+38,ifThenElse(GroupQuota>0,GroupResourcesInUse/GroupQuota,3.3e+38))'
)


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """One accounting group: ``quota`` in slot weight, or a fraction (0..1) of its parent when ``dynamic``."""

    name: str
    quota: float = 0.0
    dynamic: bool = False
    accept_surplus: bool = False
    autoregroup: bool = False


@dataclass(frozen=True, slots=True)
class ConcurrencySettings:
    """Maxima of concurrency limits, in units: by limit name and by set name (both lower case), and for the
    rest."""

    limits: tuple[tuple[str, float], ...] = ()
    set_defaults: tuple[tuple[str, float], ...] = ()
    default: float = 2308032.0


@dataclass(frozen=True, slots=True)
class NegotiatorSettings:
    """Rules of a negotiation cycle.

    ``modify_request``: job attribute and the expression that rounds it when a partitionable slot is carved.
    ``cycle_delay``, ``trim_shutdown_threshold`` and the ``max_time_per`` limits are seconds. ``slot_prefix`` begins
    what a slot's ad tells of other slots. ``match_exprs`` are attributes of every slot ad, name
    and expression. ``round_robin_rate`` slot weight. The default of every field is
    HTCondor's.
    """

    use_slot_weights: bool = True
    slot_weight: str = "Cpus"
    force_slot_weight: bool = False
    use_weighted_demand: bool = True
    ignore_user_priorities: bool = False
    ignore_job_ranks: bool = False
    use_global_job_prios: bool = False

    slot_constraint: str = ""
    job_constraint: str = ""
    submitter_constraint: str = ""
    slot_pool_size_constraint: str = ""
    pre_job_rank: str = DEFAULT_PRE_JOB_RANK
    post_job_rank: str = DEFAULT_POST_JOB_RANK

    consider_preemption: bool = True
    cycle_delay: int = 20
    consider_early_preemption: bool = False
    preemption_requirements: str = "False"
    preemption_requirements_stable: bool = True
    preemption_rank: str = DEFAULT_PREEMPTION_RANK
    preemption_rank_stable: bool = True

    modify_request: tuple[tuple[str, str], ...] = (
        ("RequestCpus", "quantize(RequestCpus,{1})"),
        ("RequestMemory", "quantize(RequestMemory,{128})"),
        ("RequestDisk", "quantize(RequestDisk,{1024})"),
    )
    must_modify_requests: bool = False
    depth_first: bool = False
    allow_pslot_preemption: bool = False
    cross_slot_prios: bool = False
    slot_prefix: str = "slot"
    trim_shutdown_threshold: int = 0
    match_exprs: tuple[tuple[str, str], ...] = ()
    inform_startd: bool = False

    max_time_per_cycle: int = 1200
    max_time_per_submitter: int = 60
    max_time_per_schedd: int = 120
    max_time_per_spin: int = 120

    concurrency: ConcurrencySettings = ConcurrencySettings()

    groups: tuple[GroupSettings, ...] = ()
    accept_surplus: bool = False
    autoregroup: bool = False
    group_sort_expr: str = DEFAULT_GROUP_SORT_EXPR
    max_allocation_rounds: int = 3
    round_robin_rate: float = 1e100
    allow_quota_oversubscription: bool = True
    strict_enforce_quota: bool = True
