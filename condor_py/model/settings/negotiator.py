"""Settings of the negotiator and of the accountant. Expressions are ClassAd text; an empty text means "not set"."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.model.settings.knob import Settings, boolean, expression, integer, real, string
from condor_py.model.settings.shared import (
    MODIFY_REQUEST,
    MUST_MODIFY_REQUEST_EXPRS,
    NEGOTIATOR_CYCLE_DELAY,
    NEGOTIATOR_USE_SLOT_WEIGHTS,
    NICE_USER_ACCOUNTING_GROUP_NAME,
)


class GroupSettings(NamedTuple):
    """One accounting group: ``quota`` in slot weight, or a fraction (0..1) of its parent when ``dynamic``."""

    name: str
    quota: float = 0.0
    dynamic: bool = False
    accept_surplus: bool = False
    autoregroup: bool = False


class ConcurrencySettings(NamedTuple):
    """Maxima of concurrency limits, in units: by limit name and by set name (both lower case), and for the
    rest."""

    limits: tuple[tuple[str, float], ...] = ()
    set_defaults: tuple[tuple[str, float], ...] = ()
    default: float = 2308032.0


class NegotiatorSettings(Settings, group="Negotiator"):
    """Rules of a negotiation cycle.

    ``modify_request``: job attribute and the expression that rounds it when a partitionable slot is carved.
    ``cycle_delay``, ``trim_shutdown_threshold`` and the ``max_time_per`` limits are seconds. ``slot_prefix`` begins
    what a slot's ad tells of other slots. ``match_exprs`` are attributes of every slot ad, name
    and expression. ``round_robin_rate`` slot weight. The default of every field is
    HTCondor's.
    """

    use_slot_weights: bool = NEGOTIATOR_USE_SLOT_WEIGHTS
    slot_weight: str = expression("SLOT_WEIGHT", "Cpus", "What a slot counts for.", needed=True, checked=True)
    force_slot_weight: bool = boolean(
        "FORCE_NEGOTIATOR_SLOT_WEIGHT", False, "Whether the negotiator's SLOT_WEIGHT wins over that in slot ads."
    )
    use_weighted_demand: bool = boolean("NEGOTIATOR_USE_WEIGHTED_DEMAND", True, "Whether demand counts by weight.")
    ignore_user_priorities: bool = boolean(
        "NEGOTIATOR_IGNORE_USER_PRIORITIES", False, "Whether all submitters are alike."
    )
    ignore_job_ranks: bool = boolean(
        "NEGOTIATOR_IGNORE_JOB_RANKS", False, "Whether the jobs' rank expressions are ignored."
    )
    use_global_job_prios: bool = boolean(
        "USE_GLOBAL_JOB_PRIOS", False, "Whether job priorities compare across schedds."
    )

    slot_constraint: str = expression(
        "NEGOTIATOR_SLOT_CONSTRAINT", "", "Only slots for which this holds take part.", checked=True
    )
    job_constraint: str = expression(
        "NEGOTIATOR_JOB_CONSTRAINT", "", "Only jobs for which this holds take part.", checked=True
    )
    submitter_constraint: str = expression(
        "NEGOTIATOR_SUBMITTER_CONSTRAINT", None, "Only submitters for which this holds take part.", checked=True
    )
    slot_pool_size_constraint: str = ""
    pre_job_rank: str = expression(
        "NEGOTIATOR_PRE_JOB_RANK",
        "(10000000 * My.Rank) + (1000000 * (RemoteOwner =?= UNDEFINED)) - (100000 * Cpus) - Memory",
        "Order of the slots before the job's own rank.",
        checked=True,
    )
    post_job_rank: str = expression(
        "NEGOTIATOR_POST_JOB_RANK",
        "(RemoteOwner =?= UNDEFINED)"
        " * (ifthenElse(isUndefined(KFlops), 1000, Kflops) - SlotID - 1.0e10*(Offline=?=True))",
        "Order of the slots after the job's own rank.",
        checked=True,
    )

    consider_preemption: bool = boolean(
        "NEGOTIATOR_CONSIDER_PREEMPTION", True, "Whether claimed slots may be taken away by the negotiator."
    )
    cycle_delay: int = NEGOTIATOR_CYCLE_DELAY
    consider_early_preemption: bool = boolean(
        "NEGOTIATOR_CONSIDER_EARLY_PREEMPTION",
        False,
        "Whether slots within their retirement time are candidates for preemption.",
    )
    preemption_requirements: str = expression(
        "PREEMPTION_REQUIREMENTS",
        "False",
        "Condition on slot and job under which a user may be preempted for another.",
        checked=True,
    )
    preemption_requirements_stable: bool = boolean(
        "PREEMPTION_REQUIREMENTS_STABLE",
        True,
        "Whether PREEMPTION_REQUIREMENTS gives the same answer all through a cycle.",
    )
    preemption_rank: str = expression(
        "PREEMPTION_RANK",
        "(RemoteUserPrio * 1000000) - ifThenElse(isUndefined(TotalJobRuntime), 0, TotalJobRuntime)",
        "Order of the slots that may be preempted: higher goes first.",
        checked=True,
    )
    preemption_rank_stable: bool = boolean(
        "PREEMPTION_RANK_STABLE", True, "Whether PREEMPTION_RANK gives the same answer all through a cycle."
    )

    modify_request: tuple[tuple[str, str], ...] = MODIFY_REQUEST
    must_modify_requests: bool = MUST_MODIFY_REQUEST_EXPRS
    depth_first: bool = boolean("NEGOTIATOR_DEPTH_FIRST", False, "Whether one machine is filled before the next.")
    allow_pslot_preemption: bool = boolean(
        "ALLOW_PSLOT_PREEMPTION", False, "Whether dynamic slots may be preempted to make room in their parent."
    )
    cross_slot_prios: bool = boolean(
        "NEGOTIATOR_CROSS_SLOT_PRIOS", False, "Whether a submitter's priority on one slot counts for others."
    )
    slot_prefix: str = "slot"
    trim_shutdown_threshold: int = integer(
        "NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD",
        0,
        "Slots with less than these seconds before their shutdown are left out.",
    )
    unused_claim_timeout: int = integer(
        "UNUSED_CLAIM_TIMEOUT",
        600,
        "Seconds that free slots are kept for a parallel job that waits for more of them; 0 without end, -1 for none.",
    )
    fifo: bool = boolean(
        "DEDICATED_SCHEDULER_USE_FIFO",
        True,
        "Whether a parallel job that waits for slots holds back the parallel jobs of its submitter behind it.",
    )
    gang_preemption_requirements: str = expression(
        "SCHEDD_PREEMPTION_REQUIREMENTS",
        None,
        "Condition on the slot (MY) of a running parallel job and on a waiting one (TARGET) under which the latter may"
        " preempt the former; without SCHEDD_PREEMPTION_RANK none does.",
        checked=True,
    )
    gang_preemption_rank: str = expression(
        "SCHEDD_PREEMPTION_RANK",
        None,
        "Order of the slots whose parallel jobs may be preempted for one: higher goes first; a slot for which it is no"
        " number is spared.",
        checked=True,
    )
    match_exprs: tuple[tuple[str, str], ...] = ()
    inform_startd: bool = boolean(
        "NEGOTIATOR_INFORM_STARTD", False, "Whether the negotiator reports matches to the startd."
    )

    max_time_per_cycle: int = integer("NEGOTIATOR_MAX_TIME_PER_CYCLE", 1200, "Seconds after which a cycle ends.")
    max_time_per_submitter: int = integer(
        "NEGOTIATOR_MAX_TIME_PER_SUBMITTER", 60, "Seconds that one submitter may take of a cycle."
    )
    max_time_per_schedd: int = integer(
        "NEGOTIATOR_MAX_TIME_PER_SCHEDD", 120, "Seconds that one schedd may take of a cycle."
    )
    max_time_per_spin: int = integer(
        "NEGOTIATOR_MAX_TIME_PER_PIESPIN", 120, "Seconds that a submitter may take at one turn."
    )

    concurrency: ConcurrencySettings = ConcurrencySettings()

    groups: tuple[GroupSettings, ...] = ()
    accept_surplus: bool = boolean("GROUP_ACCEPT_SURPLUS", False, "Whether groups share what others leave.")
    autoregroup: bool = boolean(
        "GROUP_AUTOREGROUP", False, "Whether jobs of a group may also run outside of its quota, as of no group."
    )
    group_sort_expr: str = expression(
        "GROUP_SORT_EXPR",
        'ifThenElse(AccountingGroup=?="<none>",3.4e+38,ifThenElse(GroupQuota>0,GroupResourcesInUse/GroupQuota,3.3e+38))',
        "Order in which groups negotiate: lower goes first.",
        needed=True,
        checked=True,
    )
    max_allocation_rounds: int = integer(
        "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS",
        3,
        "How often a cycle recomputes what groups may use.",
        least=1,
        most=1000000000,
    )
    round_robin_rate: float = real(
        "GROUP_QUOTA_ROUND_ROBIN_RATE",
        "1.0e100",
        "Slot weight each group gets in a round of the round robin.",
        least=1,
        most=1e100,
    )
    allow_quota_oversubscription: bool = boolean(
        "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", True, "Whether the sum of static quotas may exceed the pool."
    )
    strict_enforce_quota: bool = boolean(
        "NEGOTIATOR_STRICT_ENFORCE_QUOTA", True, "Whether a match that crosses the quota is refused."
    )


class AccountantSettings(Settings, group="Accountant"):
    """The settings that turn usage into priority, and the factor that a new submitter gets.

    ``halflife`` seconds (PRIORITY_HALFLIFE). ``group_factors``: (group name, GROUP_PRIO_FACTOR_<group>), case does not
    matter. ``group_names``: GROUP_NAMES as configured, without the root. ``local_domain`` empty: no submitter is
    remote.
    """

    halflife: float = real(
        "PRIORITY_HALFLIFE",
        "86400",
        "Seconds in which a user's real priority moves half way to the current usage.",
        least=1e-05,
    )
    default_factor: float = real("DEFAULT_PRIO_FACTOR", "1000", "Priority factor of a user seen for the first time.")
    nice_user_factor: float = real("NICE_USER_PRIO_FACTOR", "1e10", "Priority factor of nice users.")
    nice_user_group: str = NICE_USER_ACCOUNTING_GROUP_NAME
    remote_factor: float = real(
        "REMOTE_PRIO_FACTOR", "1e7", "Priority factor of users of other domains than ACCOUNTANT_LOCAL_DOMAIN."
    )
    local_domain: str = string("ACCOUNTANT_LOCAL_DOMAIN", "", "Domain whose users are local; empty means all are.")
    group_factors: tuple[tuple[str, float], ...] = ()
    group_names: tuple[str, ...] = ()
    use_slot_weights: bool = NEGOTIATOR_USE_SLOT_WEIGHTS
    discount_suspended: bool = boolean(
        "NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES", False, "Whether suspended claims are not charged."
    )
