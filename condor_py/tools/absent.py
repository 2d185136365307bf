"""What stands for modules of Python that tools take little from."""

from __future__ import annotations

import sys

from condor_py.model.later import loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_Module: Any = type(sys)
#: What the names of our own modules begin with.
PACKAGE = __name__.partition(".")[0] + "."


class Absent(_Module):  # type: ignore[misc]
    """Stands for a module until somebody uses something of it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.real(), name)

    def real(self) -> ModuleType:
        """The module itself, which then takes its place."""
        name: str = self.__name__
        if sys.modules.get(name) is self:
            del sys.modules[name]
        __import__(name)
        real = sys.modules[name]
        self.__dict__.update(real.__dict__)
        return real


class Shared(Absent):
    """Stands for a module that modules of condor_py get something light of, also when somebody else has had the real
    one imported."""

    def __init__(self, name: str, place: str, words: str) -> None:
        """``words``, a dictionary of the module ``place`` of this package, is what there is for ours."""
        super().__init__(name)
        self.__dict__["_told"] = f"{__package__}.{place}", words

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        asking = sys._getframe(1).f_globals.get("__name__", "")
        if asking.startswith(PACKAGE):
            words = self.__dict__.get("_words")
            if words is None:
                place, own = self.__dict__["_told"]
                words = self.__dict__["_words"] = getattr(loaded(place), own)
            if name in words:
                return words[name]
        return getattr(self.real(), name)

    def real(self) -> ModuleType:
        """The module itself."""
        real: ModuleType | None = self.__dict__.get("_real")
        if real is None:
            name: str = self.__name__
            del sys.modules[name]
            try:
                real = self.__dict__["_real"] = __import__(name)
            finally:
                sys.modules[name] = self
        return real


def python(name: str) -> Any:
    """A module of Python as it is."""
    module = sys.modules.get(name)
    return module.real() if isinstance(module, Absent) else __import__(name)
