"""Knobs of the hooks that run at the access point."""

from __future__ import annotations

import re

from condor_py.lang.config.settings import Config
from condor_py.model.settings.schedd import ShadowHook, ShadowHooks

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
    )


def _hook(config: Config, keyword: str) -> ShadowHook:
    name = f"{keyword}_HOOK_SHADOW_PREPARE_JOB"
    return ShadowHook(
        keyword,
        config.path(name),
        config.string(f"{name}_ARGS"),
        config.integer(f"{name}_TIMEOUT", 120),
    )
