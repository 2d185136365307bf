"""Knobs of the startd: machine, slots, policy, and how requests are rounded up."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from condor_py.lang.config.build import build
from condor_py.lang.config.builders.backfill import backfill
from condor_py.lang.config.builders.daemon import debug_level, names, sign_of_life
from condor_py.lang.config.builders.isolation import missing_isolation
from condor_py.lang.config.builders.machine import power
from condor_py.lang.config.builders.requests import claim_worklife, modify_request
from condor_py.lang.config.builders.starter import mapping_method
from condor_py.lang.config.settings import DEFAULT, DETECTED, Config
from condor_py.lang.config.values import to_boolean, to_integer, to_list
from condor_py.lang.macro.evaluate import classad_evaluate
from condor_py.model.errors import ConfigError
from condor_py.model.settings.backfill import CommandSettings
from condor_py.model.settings.shared import POLICY_KNOBS
from condor_py.model.settings.startd import (
    FailureMode,
    FetchHooks,
    MachineResource,
    Pairs,
    SlotPolicy,
    SlotType,
    StartdEventLogSettings,
    StartdSettings,
)
from condor_py.model.texts import LARGEST, as_amount

#: A startd keeps an ad of each slot.
MOST_SLOTS = 20_000
#: Knobs that may differ from slot to slot, and the fields of SlotPolicy that keep them.
_POLICY = POLICY_KNOBS | {"SLOT_WEIGHT": "slot_weight"}
_WITH_VANILLA = ("SUSPEND", "CONTINUE", "PREEMPT", "KILL", "WANT_SUSPEND", "WANT_VACATE")
_TYPE = re.compile(r"(?:\A|\.)NUM_SLOTS_TYPE_([1-9]\d{0,8})\Z", re.IGNORECASE)
_PREFIXES = re.compile(r"(slot_type_\d+|slot\d+(?:_\d+)?)_(.+)\Z", re.IGNORECASE)
_FAILURE_MODES: tuple[FailureMode, ...] = ("CONTINUE", "CLEAR", "ABORT")


def startd(config: Config) -> StartdSettings:
    """Settings of the startd core; ConfigError names the knob."""
    common = names(config)
    overridden = _overridden(config)
    types = tuple(_types(config, overridden))
    work = backfill(config)
    return build(
        StartdSettings,
        config,
        missing_isolation=missing_isolation(config),
        job_networking=not config.boolean("NO_JOB_NETWORKING"),
        startd_name=common.startd_name,
        uid_domain=common.uid_domain,
        filesystem_domain=common.file_system_domain,
        daemon_attrs=_attributes(config, [], {}),
        num_cpus=_chosen(config, "NUM_CPUS"),
        memory_mb=_chosen(config, "MEMORY"),
        disk_kb=_chosen(config, "DISK"),
        resources=tuple(_resources(config)),
        inventories=tuple(_inventories(config)),
        offline=tuple(_offline(config)),
        types=types,
        claim_worklife=claim_worklife(config),
        overrides=tuple(_overrides(config, types, overridden)),
        failure_mode=_failure_mode(config),
        mapping_method=mapping_method(config),
        slot_attrs=tuple(config.list("STARTD_SLOT_ATTRS") + config.list("SYSTEM_STARTD_SLOT_ATTRS")),
        job_attrs=tuple(config.list("SYSTEM_STARTD_JOB_ATTRS") + config.list("STARTD_JOB_ATTRS")),
        latched=tuple(config.list("SYSTEM_STARTD_LATCH_EXPRS") + config.list("STARTD_LATCH_EXPRS")),
        lease=config.integer("MAX_CLAIM_ALIVES_MISSED") * config.integer("ALIVE_INTERVAL"),
        silence=3.0 * sign_of_life(config),
        power=power(config),
        backfill=work is not None,
        backfill_command=work if isinstance(work, CommandSettings) else None,
        fetch_hooks=tuple(_fetch_hooks(config, types, overridden)),
        log_load=debug_level(config, "STARTD", "D_LOAD"),
        log_idle=debug_level(config, "STARTD", "D_KEYBOARD"),
        events=bool(build(StartdEventLogSettings, config).path),
    )


def _fetch_hooks(config: Config, types: tuple[SlotType, ...], overridden: dict[str, set[str]]) -> Iterator[FetchHooks]:
    """The programs of every hook keyword of some slot that has one to fetch work."""
    keywords = {slot_type.policy.hook_keyword for slot_type in types}
    keywords |= {policy.hook_keyword for _, policy in _overrides(config, types, overridden)}
    for keyword in sorted(keywords - {""}):
        fetch = config.path(f"{keyword}_HOOK_FETCH_WORK")
        if fetch:
            reply, evict = config.path(f"{keyword}_HOOK_REPLY_FETCH"), config.path(f"{keyword}_HOOK_EVICT_CLAIM")
            yield FetchHooks(keyword, fetch, reply, evict)


def _chosen(config: Config, name: str) -> int | None:
    """The number that was set; None for what is only a default (the startd asks the hardware itself)."""
    origin = config.source(name)
    return None if origin in (None, DEFAULT, DETECTED) or not config.string(name) else config.integer(name)


def _failure_mode(config: Config) -> FailureMode:
    word = config.string("SLOT_CONFIG_FAILURE_MODE", "CONTINUE").upper()
    for mode in _FAILURE_MODES:
        if mode == word:
            return mode
    knob = "SLOT_CONFIG_FAILURE_MODE"
    raise ConfigError(f"{knob}: {word!r} is not one of {', '.join(_FAILURE_MODES)}", knob)


def _overridden(config: Config) -> dict[str, set[str]]:
    """The knobs that are set for a slot type or number: lower-case prefix to lower-case knob names."""
    found: dict[str, set[str]] = {}
    for macro in config.macros:
        name = macro.name.partition(".")[2] or macro.name
        match = _PREFIXES.match(name)
        if match:
            found.setdefault(match[1].lower(), set()).add(match[2].lower())
    return found


def _numbers_of_types(config: Config) -> set[int]:
    """The numbers for which some NUM_SLOTS_TYPE_<N> is there, of whatever daemon."""
    found = (_TYPE.search(macro.name) for macro in config.macros)
    return {int(match[1]) for match in found if match}


def _types(config: Config, overridden: dict[str, set[str]]) -> Iterator[SlotType]:
    """The slot types with at least one slot; type 0 only where no other is asked for."""
    limit = config.integer("MAX_SLOT_TYPES")
    asked = sorted(n for n in _numbers_of_types(config) if 0 < n <= limit and config.string(f"NUM_SLOTS_TYPE_{n}"))
    counts = {number: _count(config, f"NUM_SLOTS_TYPE_{number}") for number in asked}
    numbered = {number: count for number, count in counts.items() if count > 0}
    for number, count in numbered.items():
        share = config.string(f"SLOT_TYPE_{number}", "auto")
        yield _slot_type(config, number, count, share, default_partitionable=False, overridden=overridden)
    if not numbered:
        partitionable = config.boolean("SLOT_TYPE_0_PARTITIONABLE", True)
        cpus = _chosen(config, "NUM_CPUS") or config.integer("DETECTED_CPUS", 1)
        count = _count(config, "NUM_SLOTS", 1 if partitionable else cpus)
        share = config.string("SLOT_TYPE_0", "auto")
        yield _slot_type(config, 0, count, share, default_partitionable=True, overridden=overridden)


def _count(config: Config, knob: str, default: int = 0) -> int:
    """Return the number of slots that a knob asks for. ConfigError: more than a machine can have."""
    count = config.integer(knob, default)
    if count > MOST_SLOTS:
        raise ConfigError(f"{knob}: {count} slots are more than a machine can have ({MOST_SLOTS})", knob)
    return count


def _slot_type(
    config: Config,
    number: int,
    count: int,
    share: str,
    *,
    default_partitionable: bool,
    overridden: dict[str, set[str]],
) -> SlotType:
    partitionable = config.boolean(f"SLOT_TYPE_{number}_PARTITIONABLE", default_partitionable)
    prefix = config.string(f"SLOT_TYPE_{number}_NAME_PREFIX") or config.string("STARTD_RESOURCE_PREFIX", "slot")
    policy = _policy(config, [f"SLOT_TYPE_{number}"], overridden)
    backfill = config.boolean(f"SLOT_TYPE_{number}_BACKFILL", False)
    return SlotType(number, count, partitionable, share, policy, prefix, backfill)


def _overrides(
    config: Config, types: tuple[SlotType, ...], overridden: dict[str, set[str]]
) -> Iterator[tuple[int, SlotPolicy]]:
    """The policy of each slot number that has knobs of its own (SLOT<N>_<KNOB>)."""
    number = 0
    for slot_type in types:
        for _ in range(slot_type.count):
            number += 1
            if f"slot{number}" in overridden:
                prefixes = [f"SLOT{number}", f"SLOT_TYPE_{slot_type.type_id}"]
                yield number, _policy(config, prefixes, overridden)


def _policy(config: Config, prefixes: list[str], overridden: dict[str, set[str]]) -> SlotPolicy:
    """The policy with the knobs of these prefixes, the first that has one winning."""

    def knob(name: str, default: str = "") -> str:
        for prefix in prefixes:
            if name.lower() in overridden.get(prefix.lower(), ()):
                return config.expression(f"{prefix}_{name}", default)
        return config.expression(name, default)

    standard = SlotPolicy()
    fields = {field: knob(name, getattr(standard, field)) for name, field in _POLICY.items()}
    fields["is_owner"] = knob("IsOwner", fields["is_owner"])
    fields["cpu_busy"] = knob("CpuBusy", knob("CPU_BUSY", standard.cpu_busy))
    vanilla = ((name, knob(f"{name}_VANILLA")) for name in _WITH_VANILLA)
    return build(
        SlotPolicy,
        config,
        **fields,
        hook_keyword=knob("JOB_HOOK_KEYWORD") or config.string("STARTD_JOB_HOOK_KEYWORD"),
        vanilla=tuple((name, text) for name, text in vanilla if text),
        modify_request=modify_request(config, knob),
        consumption=_consumption(config, knob),
        num_claims=_claims(knob("NUM_CLAIMS")),
        attrs=_attributes(config, prefixes, overridden),
    )


def _claims(text: str) -> int | None:
    """Return the number that NUM_CLAIMS or its form for a slot says; None where it says none."""
    value = to_integer(text, classad_evaluate) if text else None
    return None if value is None else max(0, value)


def _consumption(config: Config, knob: Callable[[str, str], str]) -> Pairs:
    """Return what a match takes of each resource, where CONSUMPTION_POLICY is true."""
    wanted = knob("CONSUMPTION_POLICY", "false")
    if wanted.lower() not in ("yes", "t", "y") and not to_boolean(wanted, classad_evaluate):
        return ()
    names = {"gpus": "GPUs", **{name.lower(): name for name in _resource_names(config)}}
    pairs = []
    for name in ("Cpus", "Memory", "Disk", *sorted(names.values(), key=str.lower)):
        default = f"ifthenelse(target.Request{name} =?= undefined,0,target.Request{name})"
        pairs.append((name, knob(f"CONSUMPTION_{name.upper()}", default)))
    return tuple(pairs)


def _resource_names(config: Config) -> list[str]:
    """The custom resources that are configured, by count, ids or inventory."""
    return [resource.name for resource in _resources(config)] + [name for name, _ in _inventories(config)]


def _attributes(config: Config, prefixes: list[str], overridden: dict[str, set[str]]) -> Pairs:
    """STARTD_ATTRS and its relatives with the values of the slot. One that is set to nothing is taken out of the ad,
    one that is not set at all changes nothing there."""
    names = config.list("SYSTEM_STARTD_ATTRS") + config.list("STARTD_ATTRS")
    for prefix in reversed(prefixes):
        names += config.list(f"{prefix}_STARTD_ATTRS")
    pairs: dict[str, tuple[str, str]] = {}
    for name in names:
        text, is_set = config.expression(name), config.source(name) not in (None, DEFAULT, DETECTED)
        for prefix in reversed(prefixes):
            if name.lower() in overridden.get(prefix.lower(), ()):
                text, is_set = config.expression(f"{prefix}_{name}"), True
        if text or is_set:
            pairs[name.lower()] = (name, text)
    return tuple(pairs.values())


def _inventories(config: Config) -> Iterator[tuple[str, str]]:
    """MACHINE_RESOURCE_INVENTORY_<name>: the programs that tell what there is. GPUs have one of their own, unless
    STARTD_DETECT_GPUS is empty."""
    chosen = {name.lower() for name in config.list("MACHINE_RESOURCE_NAMES")}
    found: dict[str, tuple[str, str]] = {}
    for macro in config.macros:
        match = re.match(r"machine_resource_inventory_(\w+)\Z", macro.name, re.IGNORECASE)
        if match and (not chosen or match[1].lower() in chosen) and config.string(macro.name):
            found[match[1].lower()] = (match[1], config.string(macro.name))
    yield from found.values()


def _resources(config: Config) -> Iterator[MachineResource]:
    """MACHINE_RESOURCE_<name>: a count, or ids. MACHINE_RESOURCE_NAMES, if set, chooses among them."""
    chosen = {name.lower() for name in config.list("MACHINE_RESOURCE_NAMES")}
    for macro in config.macros:
        match = re.match(r"machine_resource_(?!names\Z|inventory_)(\w+)\Z", macro.name, re.IGNORECASE)
        if match is None or (chosen and match[1].lower() not in chosen):
            continue
        count, units = _units(config.string(macro.name))
        absent, offline = _units(config.string(f"OFFLINE_{macro.name}"))
        offline = tuple(unit for unit in units if unit in offline)
        units = tuple(unit for unit in units if unit not in offline)
        if units or offline:
            yield MachineResource(match[1], float(len(units)), units, offline=offline)
        elif config.string(macro.name):
            yield MachineResource(match[1], max(0.0, count - absent))


def _units(text: str) -> tuple[float, tuple[str, ...]]:
    """Return how many units of a resource a knob says there are, and their ids: a number has none, an expression may
    give one."""
    if re.fullmatch(r"\d+(\.\d+)?", text, re.ASCII):
        return as_amount(text), ()
    found = classad_evaluate(text) if text else 0
    if isinstance(found, int | float) and not isinstance(found, bool):
        return min(max(0.0, float(found)), float(LARGEST)), ()
    units = tuple(to_list(text))
    return float(len(units)), units


def _offline(config: Config) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The ids of OFFLINE_MACHINE_RESOURCE_<name>, by the name of the resource in lower case."""
    for macro in config.macros:
        match = re.match(r"offline_machine_resource_(\w+)\Z", macro.name, re.IGNORECASE)
        if match and (units := _units(config.string(macro.name))[1]):
            yield match[1].lower(), units
