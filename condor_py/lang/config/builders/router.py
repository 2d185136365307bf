"""Knobs of the job router and its hooks."""

from __future__ import annotations

import re

from condor_py.lang.config.build import build
from condor_py.lang.config.loader import read_text, run_command
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.router import RouterHooks, RouterSettings

#: The routing table before there were transforms: where it may stand.
_OLD = ("JOB_ROUTER_ENTRIES", "JOB_ROUTER_ENTRIES_FILE", "JOB_ROUTER_ENTRIES_CMD")
#: A second schedd, or another than the local one: there is one queue on this machine.
_OTHER_SCHEDDS = (
    "JOB_ROUTER_SCHEDD1_NAME",
    "JOB_ROUTER_SCHEDD1_POOL",
    "JOB_ROUTER_SCHEDD1_JOB_QUEUE_LOG",
    "JOB_ROUTER_SCHEDD1_ADDRESS_FILE",
    "JOB_ROUTER_SCHEDD2_NAME",
    "JOB_ROUTER_SCHEDD2_POOL",
    "JOB_ROUTER_SCHEDD2_JOB_QUEUE_LOG",
    "JOB_ROUTER_SCHEDD2_ADDRESS_FILE",
)


def job_router(config: Config, owner: str = "") -> RouterSettings:
    """Settings of the job router; ConfigError names the knob. ``owner``: whose jobs alone are routed."""
    notes = [*_about_schedds(config), *_about_tokens(config)]
    order = config.list("JOB_ROUTER_ROUTE_NAMES")
    old = tuple(_old_tables(config, notes))
    if not order and not old:
        notes.append("WARNING: JOB_ROUTER_ROUTE_NAMES is not defined, so job routing will not take place.")
    pre, post = (
        _unique(config, "JOB_ROUTER_PRE_ROUTE_TRANSFORM_NAMES"),
        _unique(config, "JOB_ROUTER_POST_ROUTE_TRANSFORM_NAMES"),
    )
    enabled, transforms = bool(order or old), []
    for name in dict.fromkeys((*pre, *post)):
        text = config.raw(f"JOB_ROUTER_TRANSFORM_{name}")
        if text is None:
            notes.append(f"ERROR: JOB_ROUTER_TRANSFORM_{name} not found")
            enabled = False
        else:
            transforms.append((name, text))
    return build(
        RouterSettings,
        config,
        name=_name(config),
        order=tuple(order) if order else None,
        routes=tuple(_routes(config, order, notes)),
        transforms=tuple(transforms),
        pre_route=tuple(pre),
        post_route=tuple(post),
        old=old,
        macro=config.raw,
        owner=owner,
        chirp_prefixes=tuple(word.lower() for word in config.list("CHIRP_DELAYED_UPDATE_PREFIX")),
        hooks=router_hooks(config),
        notes=tuple(notes),
        enabled=enabled,
    )


def _name(config: Config) -> str:
    name = config.string("JOB_ROUTER_NAME")
    if not name or '"' in name or not name.isprintable():
        raise ConfigError(f"JOB_ROUTER_NAME: {name!r} is not a name", "JOB_ROUTER_NAME")
    return name


def _unique(config: Config, knob: str) -> list[str]:
    """Names without their repetitions, whose case does not count."""
    return list({name.lower(): name for name in reversed(config.list(knob))}.values())[::-1]


def _routes(config: Config, order: list[str], notes: list[str]) -> list[tuple[str, str]]:
    """The routes that have a knob of their own; a ClassAd has its macros expanded at once."""
    found: dict[str, tuple[str, str]] = {}
    for name in order:
        raw = config.raw(f"JOB_ROUTER_ROUTE_{name}") if name.upper() != "NAMES" else None
        text = (raw or "").strip()
        if text:
            is_ad = text.startswith(("[", "/*"))
            found.setdefault(name.lower(), (name, config.expand(text).strip() if is_ad else text))
        elif raw is not None:
            notes.append(f"JOB_ROUTER_ROUTE_{name} definition is empty, ignoring.")
    return list(found.values())


def _old_tables(config: Config, notes: list[str]) -> list[tuple[str, str]]:
    """(knob, text) of the routing tables of ClassAds, in the order in which HTCondor read them."""
    used = [knob for knob in (*_OLD, "JOB_ROUTER_DEFAULTS") if config.string(knob).strip()]
    if not used:
        return []
    notes.append(
        f"WARNING: {', '.join(used)}: the syntax of ClassAds is read for older configurations only. Name routes in "
        "JOB_ROUTER_ROUTE_NAMES and define each as JOB_ROUTER_ROUTE_<name>."
    )
    found = [("JOB_ROUTER_ENTRIES", config.string("JOB_ROUTER_ENTRIES"))]
    if path := config.path("JOB_ROUTER_ENTRIES_FILE"):
        try:
            found.append(("JOB_ROUTER_ENTRIES_FILE", config.expand(read_text(path))))
        except OSError as error:
            raise ConfigError(f"JOB_ROUTER_ENTRIES_FILE: {path}: {error.strerror}", "JOB_ROUTER_ENTRIES_FILE") from None
    if command := config.string("JOB_ROUTER_ENTRIES_CMD"):
        found.append(("JOB_ROUTER_ENTRIES_CMD", _output(command)))
    return [(knob, text) for knob, text in found if text.strip()]


def _output(command: str) -> str:
    knob = "JOB_ROUTER_ENTRIES_CMD"
    try:
        status, text = run_command(command)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{knob}: {command}: {error}", knob) from None
    if status:
        raise ConfigError(f"{knob}: {command} exited with status {status}", knob)
    return text


def _about_schedds(config: Config) -> list[str]:
    """Warn that knobs that name a schedd are ignored: routed jobs stay in the queue that they come from."""
    named = [knob for knob in _OTHER_SCHEDDS if config.string(knob)]
    if not named:
        return []
    return [f"WARNING: {', '.join(named)} ignored: jobs are routed inside of this machine's queue."]


def _about_tokens(config: Config) -> list[str]:
    if not config.list("JOB_ROUTER_CREATE_IDTOKEN_NAMES"):
        return []
    return ["WARNING: JOB_ROUTER_CREATE_IDTOKEN_NAMES ignored: no tokens are made on this machine."]


_NAMES = "TRANSLATE_JOB|UPDATE_JOB_INFO|JOB_FINALIZE|JOB_EXIT|JOB_CLEANUP"
_HOOK = re.compile(rf"(\w+?)_(?:HOOK_(?:{_NAMES})|ATTRS_TO_COPY)\Z", re.IGNORECASE)


def router_hooks(config: Config) -> tuple[RouterHooks, ...]:
    """``<Keyword>_HOOK_...`` and ``<Keyword>_ATTRS_TO_COPY`` of every keyword that has one of them.

    JOB_EXIT is the old name of JOB_FINALIZE.
    """
    keywords: dict[str, str] = {}
    for macro in config.macros:
        match = _HOOK.match(macro.name.partition(".")[2] or macro.name)
        if match:
            keywords.setdefault(match[1].lower(), match[1])
    return tuple(
        RouterHooks(
            keyword,
            translate=config.path(f"{keyword}_HOOK_TRANSLATE_JOB"),
            update=config.path(f"{keyword}_HOOK_UPDATE_JOB_INFO"),
            finalize=config.path(f"{keyword}_HOOK_JOB_FINALIZE") or config.path(f"{keyword}_HOOK_JOB_EXIT"),
            cleanup=config.path(f"{keyword}_HOOK_JOB_CLEANUP"),
            copied=tuple(config.list(f"{keyword}_ATTRS_TO_COPY")),
        )
        for keyword in keywords.values()
    )
