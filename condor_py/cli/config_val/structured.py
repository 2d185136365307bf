"""-json and -toml: the settings for programs.

A table by name; each setting has ``value`` (macros expanded), ``raw`` (as it was written), ``at`` (where) and, where
there is one, ``default``. A name that is not defined is null in JSON and left out in TOML, which has no such value.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from condor_py.model import packages

if TYPE_CHECKING:
    from condor_py.lang.config import Config

Entry = dict[str, str]


def entry(value: str | None, raw: str, place: str, default: str | None) -> Entry:
    """One setting."""
    found = {"value": value or "", "raw": raw, "at": place}
    return found if default is None else {**found, "default": default}


def print_local(config: Config, names: Sequence[str], form: str) -> int:
    """The settings ``names`` as the files have them; 1 when one is not defined."""
    from condor_py.lang.config.shown import shown_default

    found: dict[str, Entry | None] = {}
    for name in names:
        setting = config.setting(name)
        if setting is None:
            found[name] = None
        else:
            found[setting.name] = entry(config.expanded(name), setting.raw, setting.place, shown_default(config, name))
    write(found, form)
    return 1 if None in found.values() else 0


def write(data: Mapping[str, Any] | list[Any], form: str) -> None:
    """``data`` on stdout as "json" or "toml" (a list becomes the array of tables ``finding``)."""
    if form == "json":
        import json

        sys.stdout.write(json.dumps(data, indent=2) + "\n")
        return
    packages.make_known()
    import tomli_w

    tables = {"finding": data} if isinstance(data, list) else {k: v for k, v in data.items() if v is not None}
    sys.stdout.write(tomli_w.dumps(tables))
