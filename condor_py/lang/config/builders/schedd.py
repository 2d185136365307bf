"""Knobs of the schedd, its statistics, and the hooks that prepare jobs at the access point."""

from __future__ import annotations

import re
from collections.abc import Iterator

from condor_py.lang.classad import quote_string
from condor_py.lang.config.build import build
from condor_py.lang.config.builders.daemon import most_auto_memory, names
from condor_py.lang.config.builders.paths import spool_mode
from condor_py.lang.config.builders.requests import claim_worklife
from condor_py.lang.config.builders.submit import edit_rules, notify_urls, rounding_rule
from condor_py.lang.config.builders.superusers import super_users
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.credentials import CredentialSettings
from condor_py.model.settings.schedd import (
    PolicyRule,
    Rounding,
    ScheddSettings,
    ShadowHook,
    ShadowHooks,
    StatisticsSettings,
    SystemPolicy,
)
from condor_py.model.settings.sizing import AutoRequests

#: Fields of Rounding, and the attributes that they are about.
_MEASURED = (("resident", "ResidentSetSize"), ("image", "ImageSize"), ("disk", "DiskUsage"))


def schedd(config: Config) -> ScheddSettings:
    """Settings of the schedd core; ConfigError names the knob."""
    common = names(config)
    return build(
        ScheddSettings,
        config,
        uid_domain=common.uid_domain,
        notify_urls=notify_urls(config),
        schedd_name=common.schedd_name,
        schedd_address=common.address,
        spool_mode=spool_mode(config),
        local_execute=config.path("LOCAL_UNIV_EXECUTE") or f"{config.path('SPOOL')}/local_univ_execute",
        machine=tuple(_of_machine(config)),
        claim_worklife=claim_worklife(config),
        direct_attach_interval=_direct_attach_interval(config, common.schedd_name),
        system_periodic=_system_policy(config),
        spawn_attributes=_spawn_attributes(config),
        transfer_attributes=(
            ("INPUT", _transfer_attributes(config, "INPUT_JOB_ATTRS")),
            ("OUTPUT", _transfer_attributes(config, "OUTPUT_JOB_ATTRS")),
            ("CHECKPOINT", _transfer_attributes(config, "CHECKPOINT_JOB_ATTRS")),
        ),
        remove_significant_pattern=_pattern(config, "REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX"),
        queue_super_users=super_users(config),
        rounding=build(Rounding, config, **{field: rounding_rule(config, name) for field, name in _MEASURED}),
        auto_requests=build(AutoRequests, config, memory_max=most_auto_memory(config)),
        statistics=schedd_statistics(config),
        edit_rules=edit_rules(config),
    )


def _of_machine(config: Config) -> Iterator[tuple[str, str]]:
    """Yield what jobs of the local and scheduler universes may require of their machine, as slots have it."""
    for name in ("Arch", "OpSys", "OpSysAndVer"):
        yield name, quote_string(config.string(name.upper()))
    version = config.string("OPSYSVER")
    yield "OpSysVer", version if version.isascii() and version.isdigit() else quote_string(version)


def _system_policy(config: Config) -> SystemPolicy:
    return build(
        SystemPolicy,
        config,
        hold=_rules(config, "SYSTEM_PERIODIC_HOLD"),
        release=_rules(config, "SYSTEM_PERIODIC_RELEASE"),
        remove=_rules(config, "SYSTEM_PERIODIC_REMOVE"),
        vacate=_rules(config, "SYSTEM_PERIODIC_VACATE"),
    )


def _rules(config: Config, base: str) -> tuple[PolicyRule, ...]:
    """The expressions of ``base``_NAMES, then ``base`` itself; reasons and subcodes by name, too."""
    rules = []
    for knob in (*(f"{base}_{name}" for name in config.list(f"{base}_NAMES") if name.upper() != "NAMES"), base):
        expression = config.expression(knob)
        if expression and expression.strip().lower() not in ("false", "0"):
            reason, subcode = config.expression(f"{knob}_REASON"), config.expression(f"{knob}_SUBCODE")
            rules.append(PolicyRule(base, expression, reason, subcode))
    return tuple(rules)


def _spawn_attributes(config: Config) -> tuple[str, ...]:
    words = tuple(config.list("SPAWN_JOB_ATTRS"))
    return ("all",) if [word.lower() for word in words] == ["all"] else words


def _transfer_attributes(config: Config, own: str) -> tuple[str, ...]:
    """An empty list of one kind counts; only where there is none at all, the common one does."""
    given = any(macro.name.upper() == own for macro in config.macros)
    return tuple(config.list(own if given else "TRANSFER_JOB_ATTRS"))


def _direct_attach_interval(config: Config, own: str) -> int:
    """0 unless the startd is to offer its slots to the schedd of this name."""
    wanted = config.string("STARTD_DIRECT_ATTACH_SCHEDD_NAME").lower()
    if not wanted or wanted not in (own.lower(), own.lower().partition("@")[0]):
        return 0
    return config.integer("STARTD_DIRECT_ATTACH_INTERVAL")


def _pattern(config: Config, name: str) -> str:
    """The text of a regular expression; ConfigError for one that cannot be read."""
    text = config.string(name)
    try:
        re.compile(text)
    except re.error as error:
        raise ConfigError(f"{name} is not a regular expression: {error} in {text}", name) from None
    return text


_HOOK = re.compile(r"(\w+?)_HOOK_SHADOW_PREPARE_JOB\Z", re.IGNORECASE)


def shadow_hooks(config: Config) -> ShadowHooks:
    """``<Keyword>_HOOK_SHADOW_PREPARE_JOB`` of every keyword that has one, and which keyword counts."""
    keywords: dict[str, str] = {}
    for macro in config.macros:
        match = _HOOK.match(macro.name.partition(".")[2] or macro.name)
        if match:
            keywords.setdefault(match[1].lower(), match[1])
    found = [_hook(config, keyword) for keyword in keywords.values()]
    return ShadowHooks(
        tuple(hook for hook in found if hook.path),
        config.string("SHADOW_JOB_HOOK_KEYWORD"),
        config.string("SHADOW_DEFAULT_JOB_HOOK_KEYWORD"),
        build(CredentialSettings, config),
    )


def _hook(config: Config, keyword: str) -> ShadowHook:
    name = f"{keyword}_HOOK_SHADOW_PREPARE_JOB"
    return ShadowHook(
        keyword,
        config.path(name),
        config.string(f"{name}_ARGS"),
        config.integer(f"{name}_TIMEOUT", 120),
    )


_EVERYBODY = ("default", "all")
_SCHEDD = ("SCHEDULER", "SCHEDD")
#: The first of them that has a value counts.
_QUANTUM = ("STATISTICS_WINDOW_QUANTUM_SCHEDULER", "STATISTICS_WINDOW_QUANTUM_SCHEDD", "STATISTICS_WINDOW_QUANTUM")
_WINDOW = ("STATISTICS_WINDOW_SECONDS_SCHEDULER", "STATISTICS_WINDOW_SECONDS_SCHEDD", "STATISTICS_WINDOW_SECONDS")


def schedd_statistics(config: Config) -> StatisticsSettings:
    """Of the schedd; ConfigError names the knob."""
    quantum = max(1, _first(config, _QUANTUM))
    window = max(quantum, _first(config, _WINDOW))
    wanted = config.string("STATISTICS_TO_PUBLISH") or "DEFAULT"
    named = frozenset(name.lower() for name in config.list("STATISTICS_TO_PUBLISH_LIST"))
    return published(wanted, _SCHEDD, StatisticsSettings(window, quantum, named=named))


def _first(config: Config, knobs: tuple[str, ...]) -> int:
    *own, usual = knobs
    return config.integer(next((name for name in own if config.string(name).strip()), usual))


def published(text: str, called: tuple[str, ...], usual: StatisticsSettings) -> StatisticsSettings:
    """Apply the value of STATISTICS_TO_PUBLISH to ``usual`` for the daemon that is called one of ``called``. The value
    has items ``DAEMON:options``; the last one for this daemon counts. Unknown options change nothing."""
    nothing = usual._replace(level=0, recent=False)
    mine = {*_EVERYBODY, *(name.lower() for name in called)}
    found = nothing  # a list that does not name this daemon has none of it
    for item in re.split(r"[,\s]+", text):
        name, _, options = item.partition(":")
        if name.lower() in mine:
            found = nothing if options.lower() == "none" else _with(usual, options)
    return found


def _with(settings: StatisticsSettings, options: str) -> StatisticsSettings:
    without = False  # an exclamation mark is about all that follows it
    for letter in options.lower():
        if letter == "!":
            without = True
        elif letter in "0123":
            settings = settings._replace(level=int(letter))
        elif letter == "r":
            settings = settings._replace(recent=not without)
        elif letter == "z":
            settings = settings._replace(nonzero=not without)
    return settings
