"""Modules that are imported when they are first used: most runs of a tool use few of those that it names."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def loaded(name: str) -> ModuleType:
    """The module, imported if it is not yet. ``importlib``, which does the same, is half a millisecond itself."""
    __import__(name)
    return sys.modules[name]


def built(name: str) -> Any:
    """A module in C; None where it could not be built, or is not wanted: ``CONDOR_PY_NO_EXT=1`` in the environment."""
    if os.environ.get("CONDOR_PY_NO_EXT") == "1":
        return None
    try:
        return loaded(name)
    except ImportError:
        return None


def why_not_built(name: str) -> str:
    """Return the reason why a module in C is not used."""
    if os.environ.get("CONDOR_PY_NO_EXT") == "1":
        return "CONDOR_PY_NO_EXT=1 is in the environment"
    try:
        loaded(name)
    except ImportError as error:
        return str(error)
    return "it was built from other sources than the rest"


class Later:
    """Represents a module. To the type checker it is imported: ``if TYPE_CHECKING: ... else: x = Later(...)``."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> object:
        return getattr(loaded(self.__name__), name)
