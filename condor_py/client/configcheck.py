"""Checks a configuration as a whole: lint, and what the cores of the daemons and this machine make of the settings."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from condor_py.lang.config.lint import Finding, arranged, lint
from condor_py.lang.config.lint.subject import place_of, string_of
from condor_py.lang.config.values import to_list
from condor_py.lang.macro.expand import find_reference
from condor_py.model.errors import ConfigError

if TYPE_CHECKING:
    from condor_py.lang.config import Config

#: A statement of a transform that gives an attribute the value of an expression.
_GIVES = re.compile(r"(set|default|evalset)\s+(\S+)\s+(.+)", re.IGNORECASE | re.DOTALL)
_STARTS_WITH = re.compile(r"([A-Za-z]+)\s+[\w./()$]+(?:\s|\Z)(?!\s*=)")


def check(config: Config, seen: Callable[[str], Config] | None = None) -> list[Finding]:
    """All findings about ``config``, in the order of files and lines; ``seen`` as for ``lint``."""
    if not config.files and not len(config.macros):
        return []
    found = lint(config, seen, {"STARTD": (_read_policies, _read_layout)})
    return arranged(config, {*found, *_slots(config), *_transforms(config), *_routes(config)})


def _read_policies(config: Config) -> None:
    """The policy expressions, as the startd reads them. ConfigError."""
    from condor_py.core.slots.policy import check_policies
    from condor_py.lang.config.builders.startd import startd

    check_policies(startd(config))


def _read_layout(config: Config) -> None:
    """The slots, as the startd plans them. ConfigError."""
    for _ in _unmade(config):
        return


# -- slots -----------------------------------------------------------------------------------------


def impossible_slots(config: Config) -> list[str]:
    """A line for each slot that does not fit this machine, or for what is wrong with a slot type."""
    try:
        return [f"{', '.join(knobs)}: {text}" for knobs, text in _unmade(config)]
    except ConfigError as error:
        return [str(error)]


def _slots(config: Config) -> Iterator[Finding]:
    """Slots for which this machine is too small, and shares that cannot be read."""
    theirs = config.seen_by("STARTD")
    warned: set[str] = set()
    try:
        fatal = theirs.string("SLOT_CONFIG_FAILURE_MODE").upper() == "ABORT"
        for knobs, text in _unmade(theirs):
            order = knobs[::-1] if "1st slot" in text else knobs  # the share alone is too large, or it is of too many
            blamed = next((knob for knob in order if _is_set(theirs, knob)), knobs[0])
            if blamed not in warned:
                warned.add(blamed)
                yield Finding("error" if fatal else "warning", *place_of(theirs, blamed), text)
    except ConfigError:
        return  # lint has found it


def _is_set(config: Config, knob: str) -> bool:
    origin = config.source(knob)
    return origin is not None and bool(origin.line)


def _unmade(config: Config) -> Iterator[tuple[tuple[str, ...], str]]:
    """The knobs of each slot that does not fit this machine, and what it asks for and what there is; nothing where
    programs have to tell first what there is (MACHINE_RESOURCE_INVENTORY_<name>). ConfigError."""
    from condor_py.core.slots.layout import machine_resources, plan
    from condor_py.lang.config.builders.machine import probes
    from condor_py.lang.config.builders.startd import startd
    from condor_py.machine.probes import machine

    settings = startd(config)
    if settings.inventories:
        return
    facts = machine.Machine(probes(config)).facts(time.time())
    errors = plan(settings, machine_resources(settings, facts), facts.slot_volumes).errors
    for error in errors:
        text, requesting, available = error.removeprefix("ERROR: ").split("\n")
        number = text.partition("type ")[2].partition(")")[0]
        knobs = (f"NUM_SLOTS_TYPE_{number}", f"SLOT_TYPE_{number}") if number != "0" else ("NUM_SLOTS",)
        yield knobs, f"{text}. {requesting.strip()}; {available.strip()}"


# -- transforms and routes -------------------------------------------------------------------------


def _transforms(config: Config) -> Iterator[Finding]:
    """Job transforms whose rules cannot be read, or have statements or expressions that are none."""
    for names, knob in (
        ("JOB_TRANSFORM_NAMES", "JOB_TRANSFORM_{}"),
        ("JOB_ROUTER_PRE_ROUTE_TRANSFORM_NAMES", "JOB_ROUTER_TRANSFORM_{}"),
        ("JOB_ROUTER_POST_ROUTE_TRANSFORM_NAMES", "JOB_ROUTER_TRANSFORM_{}"),
    ):
        for name in to_list(string_of(config, names)):
            text = config.raw(knob.format(name))
            if text:
                yield from _rules(config, knob.format(name), name, text)


def _rules(config: Config, knob: str, name: str, text: str) -> Iterator[Finding]:
    from condor_py.lang.submit.transform import TransformError, read_rules
    from condor_py.lang.submit.transform_old import is_old, read_old_rules

    try:
        if is_old(text):
            read_old_rules(config.expand(text), name)
            return
        transform = read_rules(text, name, keep_name=True)
    except (TransformError, ConfigError) as error:
        yield Finding("error", *place_of(config, knob), f"the transform is left out: {error}")
        return
    problem = _first_problem(transform.body)
    if problem:
        yield Finding("error", *place_of(config, knob), problem)


def _first_problem(body: str) -> str:
    """Return the error in the first statement of a transform that cannot be carried out; "" when there is none."""
    from condor_py.lang.classad import is_valid
    from condor_py.lang.submit.transform import ENVELOPE, STATEMENTS, statement_lines
    from condor_py.model.spelling import Speller

    words = (*STATEMENTS, *ENVELOPE, "IF", "ELIF", "ELSE", "ENDIF")
    for line in statement_lines(body):
        first = line.text.split(None, 1)[0]
        if first.upper() not in words and _STARTS_WITH.match(line.text):
            like = Speller(words).nearest(first)
            hint = f", did you mean {like}?" if like else f": statements are {', '.join(STATEMENTS)}"
            return f"line {line.number} of the transform: {first} is no statement{hint}"
        gives = _GIVES.match(line.text)
        if gives and not is_valid(_without_references(gives[3])):
            return f"line {line.number} of the transform: {gives[3].strip()!r} is no expression"
        if first.upper() in STATEMENTS and len(line.text.split()) <= STATEMENTS[first.upper()]:
            return f"line {line.number} of the transform: {first} needs {STATEMENTS[first.upper()]} words: {line.text}"
    return ""


def _without_references(text: str) -> str:
    while (reference := find_reference(text)) is not None:
        text = f"{text[: reference.start]}1{text[reference.end :]}"
    return text


def _routes(config: Config) -> Iterator[Finding]:
    """Routes that cannot be read, where the job router is to run."""
    if "JOB_ROUTER" not in (word.upper() for word in to_list(string_of(config, "DAEMON_LIST"))):
        return
    from condor_py.core.routes.oldroutes import BadRoute
    from condor_py.core.routes.table import read_route
    from condor_py.lang.config.builders.router import job_router

    try:
        settings = job_router(config.seen_by("JOB_ROUTER"))
    except ConfigError:
        return  # lint has found it
    for name, text in settings.routes:
        try:
            read_route(name, text, settings)
        except BadRoute as error:
            yield Finding("error", *place_of(config, f"JOB_ROUTER_ROUTE_{name}"), f"the route is left out: {error}")
