"""The defaults that ``condor_config_val -default`` prints: HTCondor's, also where another one is in force here.

``shown_defaults.tsv`` lists those that differ and says why.
"""

from __future__ import annotations

import os
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.lang.config.settings import Config

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shown_defaults.tsv")
_MISSING = "-"


def shown_default(config: Config, name: str) -> str | None:
    """The default of ``name`` as HTCondor prints it; None when it has none, and nearly always when that is empty."""
    listed = _listed()
    for key in (*(f"{prefix}.{name}".lower() for prefix in config.prefixes), name.lower()):
        if key in listed:
            return listed[key]
    return config.default(name) or None


def differs(name: str) -> bool:
    """Whether HTCondor's table has another default of ``name`` than the one in force here."""
    return name.lower() in _listed()


@cache
def _listed() -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    with open(_FILE, encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#"):
                name, text, _why = line.rstrip("\n").split("\t")
                found[name.lower()] = None if text == _MISSING else text.replace("\\n", "\n")
    return found
