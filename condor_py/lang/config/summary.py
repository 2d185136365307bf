"""The settings of a process as a whole: of which kind each is, in the order in which they were read, and numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Literal

from condor_py.lang.config.params import PARAMS
from condor_py.lang.config.settings import DEFAULT, DETECTED, ENVIRONMENT, Config, Setting

#: ``same``: a file or the environment sets what is the default anyway.
Kind = Literal["default", "detected", "environment", "file", "same"]


def kind_of(setting: Setting) -> Kind:
    """Return where a setting comes from, as ``condor_config_val -writeconfig`` sorts them."""
    if setting.origin == DEFAULT:
        return "default"
    if setting.origin == DETECTED:
        return "detected"
    param = PARAMS.get(setting.name.lower())
    if param is not None and (param[1] == setting.raw or param[1].lower() == setting.raw.lower() in ("true", "false")):
        return "same"
    return "environment" if setting.origin == ENVIRONMENT else "file"


def settings(config: Config) -> Iterator[Setting]:
    """Every setting under its own name (whatever the process's prefixes), sorted by name without regard to case."""
    for name in config.names():
        # What HTCondor detects and no file can change is not what a file says.
        macro = config.macros.get(name) if config.detected.fixed(name.lower()) is None else None
        found = Setting(macro.name, macro.value, macro.origin) if macro is not None else config.setting(name)
        if found is not None:
            yield found


def rank(config: Config) -> dict[str, int]:
    """The place of each source in the order of reading; what is not in it (the environment) comes after all."""
    sources = (DETECTED.source, DEFAULT.source, *config.files)
    return {source: index for index, source in reversed(list(enumerate(sources)))}


def summary(config: Config, *, detected: bool) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the settings that differ from the default: (source, [(name, raw text)]), in the order of reading."""
    wanted = ("file", "environment", "detected") if detected else ("file", "environment")
    order = rank(config)

    def place(setting: Setting) -> tuple[int, int, int]:
        origin = setting.origin
        return order.get(origin.source, len(order)), origin.line, origin.offset

    found: dict[str, list[tuple[str, str]]] = {}
    for setting in sorted((one for one in settings(config) if kind_of(one) in wanted), key=place):
        found.setdefault(setting.origin.source, []).append((setting.name, setting.raw))
    return list(found.items())


def statistics(config: Config) -> dict[str, int]:
    """Numbers about a configuration, by HTCondor's names; bytes are those of the texts and of the table alone."""
    macros = list(config.macros)
    texts = sum(len(macro.name.encode("utf-8", "surrogateescape")) for macro in macros)
    texts += sum(len(macro.value.encode("utf-8", "surrogateescape")) for macro in macros)
    return {
        "Macros": len(macros),
        "Used": len(config.uses),
        "Referenced": len(config.uses.keys() | config.references.keys()),
        "Files": len(config.files) + 4,  # detected, default, environment, run time
        "StringBytes": texts,
        "TablesBytes": sys.getsizeof({macro.name: None for macro in macros}),
        "Sorted": len(macros),
    }
