"""Knobs of the negotiator."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from condor_py.lang.config.rooms.expressions import parsed_expression
from condor_py.lang.config.rooms.requests import modify_request
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.negotiator import (
    DEFAULT_GROUP_SORT_EXPR,
    DEFAULT_POST_JOB_RANK,
    DEFAULT_PRE_JOB_RANK,
    DEFAULT_PREEMPTION_RANK,
    ConcurrencySettings,
    GroupSettings,
    NegotiatorSettings,
)

_MATCH_EXPR = "NegotiatorMatchExpr"
_LIMIT_SUFFIX = "_LIMIT"
_SET_PREFIX = "CONCURRENCY_LIMIT_DEFAULT_"


def negotiator(config: Config) -> NegotiatorSettings:
    """Settings of the negotiator core; ConfigError names the knob."""
    return NegotiatorSettings(
        use_slot_weights=config.boolean("NEGOTIATOR_USE_SLOT_WEIGHTS"),
        slot_weight=parsed_expression(config, "SLOT_WEIGHT", "Cpus"),
        force_slot_weight=config.boolean("FORCE_NEGOTIATOR_SLOT_WEIGHT"),
        use_weighted_demand=config.boolean("NEGOTIATOR_USE_WEIGHTED_DEMAND"),
        ignore_user_priorities=config.boolean("NEGOTIATOR_IGNORE_USER_PRIORITIES"),
        ignore_job_ranks=config.boolean("NEGOTIATOR_IGNORE_JOB_RANKS"),
        use_global_job_prios=config.boolean("USE_GLOBAL_JOB_PRIOS"),
        slot_constraint=parsed_expression(config, "NEGOTIATOR_SLOT_CONSTRAINT"),
        job_constraint=parsed_expression(config, "NEGOTIATOR_JOB_CONSTRAINT"),
        submitter_constraint=parsed_expression(config, "NEGOTIATOR_SUBMITTER_CONSTRAINT"),
        slot_pool_size_constraint=parsed_expression(config, "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT")
        or parsed_expression(config, "GROUP_DYNAMIC_MACH_CONSTRAINT"),
        pre_job_rank=parsed_expression(config, "NEGOTIATOR_PRE_JOB_RANK", DEFAULT_PRE_JOB_RANK),
        post_job_rank=parsed_expression(config, "NEGOTIATOR_POST_JOB_RANK", DEFAULT_POST_JOB_RANK),
        consider_preemption=config.boolean("NEGOTIATOR_CONSIDER_PREEMPTION"),
        cycle_delay=config.integer("NEGOTIATOR_CYCLE_DELAY"),
        consider_early_preemption=config.boolean("NEGOTIATOR_CONSIDER_EARLY_PREEMPTION"),
        preemption_requirements=parsed_expression(config, "PREEMPTION_REQUIREMENTS"),
        preemption_requirements_stable=config.boolean("PREEMPTION_REQUIREMENTS_STABLE"),
        preemption_rank=parsed_expression(config, "PREEMPTION_RANK", DEFAULT_PREEMPTION_RANK),
        preemption_rank_stable=config.boolean("PREEMPTION_RANK_STABLE"),
        modify_request=modify_request(config, partial(parsed_expression, config)),
        must_modify_requests=config.boolean("MUST_MODIFY_REQUEST_EXPRS"),
        depth_first=config.boolean("NEGOTIATOR_DEPTH_FIRST"),
        allow_pslot_preemption=config.boolean("ALLOW_PSLOT_PREEMPTION"),
        cross_slot_prios=config.boolean("NEGOTIATOR_CROSS_SLOT_PRIOS"),
        slot_prefix=config.string("STARTD_RESOURCE_PREFIX", "slot") or "slot",
        trim_shutdown_threshold=config.integer("NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD"),
        match_exprs=tuple(_match_exprs(config)),
        inform_startd=config.boolean("NEGOTIATOR_INFORM_STARTD"),
        max_time_per_cycle=config.integer("NEGOTIATOR_MAX_TIME_PER_CYCLE"),
        max_time_per_submitter=config.integer("NEGOTIATOR_MAX_TIME_PER_SUBMITTER"),
        max_time_per_schedd=config.integer("NEGOTIATOR_MAX_TIME_PER_SCHEDD"),
        max_time_per_spin=config.integer("NEGOTIATOR_MAX_TIME_PER_PIESPIN"),
        concurrency=_concurrency(config),
        groups=tuple(_group(config, name) for name in config.list("GROUP_NAMES")),
        accept_surplus=config.boolean("GROUP_ACCEPT_SURPLUS"),
        autoregroup=config.boolean("GROUP_AUTOREGROUP"),
        group_sort_expr=parsed_expression(config, "GROUP_SORT_EXPR", DEFAULT_GROUP_SORT_EXPR),
        max_allocation_rounds=config.integer("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS"),
        round_robin_rate=config.real("GROUP_QUOTA_ROUND_ROBIN_RATE"),
        allow_quota_oversubscription=config.boolean("NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION"),
        strict_enforce_quota=config.boolean("NEGOTIATOR_STRICT_ENFORCE_QUOTA"),
    )


def _match_exprs(config: Config) -> Iterator[tuple[str, str]]:
    """The macros that NEGOTIATOR_MATCH_EXPRS lists, under their attribute names; undefined ones are passed over."""
    for name in config.list("NEGOTIATOR_MATCH_EXPRS"):
        text = parsed_expression(config, name)
        if text.strip():
            prefixed = name.lower().startswith(_MATCH_EXPR.lower())
            yield (name if prefixed else _MATCH_EXPR + name), text


def _group(config: Config, name: str) -> GroupSettings:
    """One group: its static quota, else its dynamic one, else none."""
    static = config.string(f"GROUP_QUOTA_{name}") != ""
    knob = f"GROUP_QUOTA_{name}" if static else f"GROUP_QUOTA_DYNAMIC_{name}"
    quota = config.real(knob, 0.0)
    if quota < 0 or (not static and quota > 1):
        bounds = "at least 0" if static else "from 0 to 1"
        raise ConfigError(f"{knob}: {config.string(knob)!r} is not valid, it must be a number {bounds}", knob)
    return GroupSettings(
        name=name,
        quota=quota,
        dynamic=not static,
        accept_surplus=config.boolean(f"GROUP_ACCEPT_SURPLUS_{name}", config.boolean("GROUP_ACCEPT_SURPLUS")),
        autoregroup=config.boolean(f"GROUP_AUTOREGROUP_{name}", config.boolean("GROUP_AUTOREGROUP")),
    )


def _concurrency(config: Config) -> ConcurrencySettings:
    """``<NAME>_LIMIT`` and ``CONCURRENCY_LIMIT_DEFAULT[_<SET>]``. What ends so and holds no number is passed over."""
    limits, sets = [], []
    for name in config.names():
        upper = name.upper()
        if upper.startswith(_SET_PREFIX):
            sets.append((name[len(_SET_PREFIX) :].lower(), config.real(name)))
        elif upper.endswith(_LIMIT_SUFFIX) and _is_number(config, name):
            limits.append((name[: -len(_LIMIT_SUFFIX)].lower(), config.real(name)))
    return ConcurrencySettings(tuple(limits), tuple(sets), config.real("CONCURRENCY_LIMIT_DEFAULT"))


def _is_number(config: Config, name: str) -> bool:
    if not config.string(name):
        return False
    try:
        config.real(name)
    except ConfigError:
        return False
    return True
