"""Modules that are imported when somebody first uses them: most runs of a tool use few of those that it names."""

from __future__ import annotations

from importlib import import_module


class Later:
    """Stands for a module. To the type checker it is imported: ``if TYPE_CHECKING: ... else: x = Later(...)``."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> object:
        return getattr(import_module(self.__name__), name)
