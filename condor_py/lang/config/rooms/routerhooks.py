"""Knobs of the job router's hooks."""

from __future__ import annotations

import re

from condor_py.lang.config.settings import Config
from condor_py.model.settings.router import RouterHooks

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
