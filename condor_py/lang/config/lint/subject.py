"""The configuration as the checks see it: what was set, where, and who refers to it."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from condor_py.lang.config.lint.finding import Finding, Severity
from condor_py.lang.config.lint.known import base_name, is_expression, known, slot_part
from condor_py.lang.config.values import to_list
from condor_py.lang.macro import Macro, MacroError
from condor_py.lang.macro.expand import find_reference
from condor_py.model.errors import ConfigError

if TYPE_CHECKING:
    from condor_py.lang.config import Config

#: Lists of settings that are put into ads as they are.
_ATTRIBUTES = re.compile(
    r"(?:SYSTEM_)?(?:SLOT(?:_TYPE_)?\d+_)?(?:STARTD|SCHEDD|MASTER|NEGOTIATOR|COLLECTOR|SUBMIT)_(?:ATTRS|EXPRS)\Z",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
#: Knobs whose values are names of macros, or of things after which further knobs are named.
_LISTS = re.compile(r".*(?:_names|_joblist|_list|_attrs|_exprs|attributes)\Z", re.IGNORECASE)


class Subject:
    """One loaded configuration."""

    def __init__(self, config: Config) -> None:
        self.config = config
        #: What files and the environment set, in the order in which the names appeared first.
        self.settings: list[Macro] = list(config.macros)
        self._expanded: dict[str, str | None] = {}

    def is_set(self, name: str) -> bool:
        """Whether ``name`` has a value, for everything or for one subsystem, slot or slot type."""
        if self.config.raw(name):
            return True
        end = name.lower()
        return any(macro.name.lower().endswith((f".{end}", f"_{end}")) for macro in self.settings)

    @cached_property
    def attributes(self) -> dict[str, str]:
        """The settings that go into ads, in lower case, with the list that says so."""
        found: dict[str, str] = {}
        for macro in self.settings:
            if _ATTRIBUTES.match(base_name(macro.name)):
                words = to_list(self.expand(macro.value) or "")
                found.update((word.lstrip("+").removeprefix("MY.").lower(), macro.name) for word in words)
        return found

    def is_expression(self, name: str) -> bool:
        """Whether the value of ``name`` is a ClassAd expression: of a knob, or of what goes into ads."""
        attribute = (slot_part(name) or base_name(name)).lower()
        return is_expression(name) or (attribute in self.attributes and known(name) is None)

    def reads_as_knob(self, name: str) -> bool:
        """Whether ``name`` is a knob, and not a macro that other settings put together."""
        return name.lower() not in self.referenced

    def string(self, name: str) -> str:
        """The expanded value of ``name``; "" when it is not defined."""
        return value_of(self.config, name) or ""

    def expand(self, text: str) -> str | None:
        """``text`` with its macros expanded; None when that cannot be done."""
        if text not in self._expanded:
            try:
                self._expanded[text] = self.config.expand(text)
            except MacroError:
                self._expanded[text] = None
        return self._expanded[text]

    @cached_property
    def referenced(self) -> frozenset[str]:
        """The lower-case names that the text of any setting refers to, not counting its own name."""
        found: set[str] = set()
        for macro in self.settings:
            found |= names_in(macro.value) - {macro.name.lower()}
        return frozenset(found)

    @cached_property
    def listed(self) -> frozenset[str]:
        """The lower-case words of all lists of names (STARTD_ATTRS, JOB_TRANSFORM_NAMES, DAEMON_LIST ...)."""
        found: set[str] = set()
        for macro in self.settings:
            if _LISTS.match(macro.name):
                text = self.expand(macro.value) or macro.value
                found.update(word.lower() for word in _WORD.findall(text))
        return frozenset(found)

    def undefined_in(self, text: str) -> list[str]:
        """The names without value or default that the expansion of ``text`` asks for, through other macros too."""
        found: dict[str, None] = {}
        seen: set[str] = set()
        work = [text]
        while work:
            for name, default in _plain_references(work.pop()):
                if name.lower() in seen:
                    continue
                seen.add(name.lower())
                raw = self.config.raw(name)
                if raw:
                    work.append(raw)
                elif default is None:
                    found[name] = None
        return list(found)


def value_of(config: Config, name: str) -> str | None:
    """The expanded value of ``name``; None when it is not defined, its unchanged text when that does not expand."""
    try:
        return config.expanded(name)
    except ConfigError:
        return config.raw(name)


def string_of(config: Config, name: str) -> str:
    """The expanded value of ``name``; "" when it is not defined or does not expand."""
    try:
        return config.string(name)
    except ConfigError:
        return ""


def place_of(config: Config, knob: str) -> tuple[str, str, int]:
    """``knob`` as it was set, with file and line: of its own setting, or of one of a slot or slot type. An error about
    START may be one about SLOT_TYPE_1_START."""
    origin = config.source(knob)
    if origin is not None and origin.line:
        found = config.setting(knob)
        return (found.name if found else knob), origin.source, origin.line
    for macro in config.macros:
        if macro.name.lower().endswith(f"_{knob.lower()}") and macro.origin.line:
            return macro.name, macro.origin.source, macro.origin.line
    return knob, (origin.source if origin else config.root), 0


def _plain_references(text: str) -> list[tuple[str, str | None]]:
    """The ``$(NAME)`` and ``$(NAME:default)`` in ``text``, name and default."""
    found: list[tuple[str, str | None]] = []
    start = 0
    while (reference := find_reference(text, start)) is not None:
        if not reference.function and reference.body:
            found.append((reference.body, reference.default))
        start = reference.start + 2
    return found


def names_in(text: str) -> set[str]:
    """The lower-case names that macro references in ``text`` name, with those in defaults and arguments."""
    found: set[str] = set()
    start = 0
    while (reference := find_reference(text, start)) is not None:
        found.update(word.lower() for word in _WORD.findall(reference.body))
        start = reference.start + 2  # what is in the default or the arguments counts too
    return found


def finding(severity: Severity, macro: Macro, message: str) -> Finding:
    """A finding about ``macro``, at the place where it was set."""
    return Finding(severity, macro.name, macro.origin.source, macro.origin.line, message)
