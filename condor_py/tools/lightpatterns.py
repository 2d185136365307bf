"""Regular expressions of modules are compiled when they are first used: a tool imports fifty and uses a few, and many
runs get by without ``re``."""

from __future__ import annotations

import sys

from condor_py.tools.absent import Absent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_OPTIMIZED = 1
_METHODS = frozenset(("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"))
#: ``re.A`` and so on.
_FLAGS = {"ASCII": 256, "IGNORECASE": 2, "MULTILINE": 8, "DOTALL": 16, "VERBOSE": 64}
_FLAGS |= {name[0] if name != "VERBOSE" else "X": value for name, value in _FLAGS.items() if name != "DOTALL"}
_FLAGS["S"] = _FLAGS["DOTALL"]


class _Pattern:
    """A regular expression that waits."""

    def __init__(self, pattern: Any, flags: Any) -> None:
        self._asked = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        if name == "real":
            self.real = value = _compile(*self._asked)
        elif name.startswith("__"):
            raise AttributeError(name)
        elif name in _METHODS and _by_module(2):  # the default of an argument
            return lambda *values, **named: getattr(self.real, name)(*values, **named)
        else:
            value = getattr(self.real, name)
            self.__dict__[name] = value
        return value


def _compile(pattern: Any, flags: Any) -> Any:
    """What ``re`` compiles its patterns with, for patterns that were compiled and those that wait for it."""
    if type(pattern) is _Pattern:
        return pattern.real
    return _of_re()(pattern, flags)


def _compile_later(pattern: Any, flags: Any = 0) -> Any:
    """``re.compile``: what modules make when they are imported waits. Whoever compiles while he works may be told of a
    mistake in somebody's pattern at once."""
    if not _by_module(2):
        return _compile(pattern, flags)
    made = _Pattern(pattern, flags)
    if _kept is not None:
        _kept.append(lambda: made.real)
    return made


def _by_module(depth: int) -> bool:
    """Whether a module asks, or the body of a class: neither has local variables as functions have."""
    return not sys._getframe(depth).f_code.co_flags & _OPTIMIZED


def _of_re() -> Any:
    """The function in ``re`` behind all others, which from now on knows of patterns that wait."""
    if not _real:
        standing = sys.modules.get("re")
        module: Any = standing.real() if type(standing) is _Re else __import__("re")
        _take(module)
    return _real[0]


_real: list[Any] = []
_kept: list[Any] | None = None


def _take(module: Any) -> None:
    _real.append(module._compile)
    module.compile, module._compile = _compile_later, _compile


class _Re(Absent):
    """Stands for ``re``."""

    compile = staticmethod(_compile_later)

    def __getattr__(self, name: str) -> Any:
        if name in _FLAGS:
            return _FLAGS[name]
        return super().__getattr__(name)

    def real(self) -> ModuleType:
        """The module itself, which then takes its place."""
        module = super().real()
        if not _real:
            _take(module)
            self.__dict__.update(module.__dict__)
        return module


def install(kept: list[Any] | None = None) -> None:
    """To be called before anything else is imported. What compiles a pattern is put into ``kept``."""
    global _kept
    _kept = kept
    if "re" in sys.modules:
        _of_re()
    else:
        sys.modules["re"] = _Re("re")
