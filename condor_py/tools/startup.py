"""What makes Python itself start sooner for a tool: what most tools never need is looked for when it is needed."""

from __future__ import annotations

import atexit
import gc
import os
import re
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import NoReturn

_of_re = re._compile  # type: ignore[attr-defined]
#: New objects between two looks for garbage.
_OBJECTS = 50_000
#: Programs whose children are to have what is compiled, and not to compile it each for himself.
_FORKING = frozenset(("condor_gridmanager", "condor_job_router", "condor_master", "condor_starter"))


class _Packages:
    """Finds installed packages. Python was started without them (-S), because looking for them takes longer than the
    interpreter, and most tools need none."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As other finders do; at the first name that is not Python's own, what is installed is looked for."""
        if path is not None or name in sys.stdlib_module_names or name == "org":  # copy.py asks for that of Jython
            return None
        import site

        sys.meta_path.remove(self)
        site.main()
        specs = (finder.find_spec(name, None) for finder in list(sys.meta_path))
        return next((spec for spec in specs if spec is not None), None)


class _Inspect(type(sys)):  # type: ignore[misc]
    """Stands for the module ``inspect``, which ``dataclasses`` imports and has use for in classes without docstring
    only: it takes as long as a third of all that a tool imports."""

    def __getattr__(self, name: str) -> object:
        from importlib import import_module

        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get("inspect") is self:
            del sys.modules["inspect"]
        real = import_module("inspect")
        self.__dict__.update(real.__dict__)
        return getattr(real, name)


class _Pattern:
    """A regular expression that is compiled when it is first used: a tool imports fifty and uses a few."""

    def __init__(self, pattern: Any, flags: Any) -> None:
        self._asked = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        if name == "real":
            self.real = value = _compile(*self._asked)
        else:
            value = getattr(self.real, name)
            self.__dict__[name] = value
        return value


def _compile(pattern: Any, flags: Any) -> Any:
    """What ``re`` compiles its patterns with, for patterns that were compiled and those that wait for it."""
    return pattern.real if type(pattern) is _Pattern else _of_re(pattern, flags)


def _compile_later(pattern: Any, flags: Any = 0) -> Any:
    """``re.compile``: what modules make when they are imported waits. Whoever compiles while he works may be told of a
    mistake in somebody's pattern at once."""
    if sys._getframe(1).f_code.co_name == "<module>":
        return _Pattern(pattern, flags)
    return _compile(pattern, flags)


def _create_later(create: Any) -> Any:
    """What ``dataclasses`` makes methods with: they are compiled when they are first called. A tool has forty such
    classes and uses ten, and to compile the methods of one takes a millisecond."""

    def create_fn(name: str, *text: Any, **scopes: Any) -> Any:
        def method(this: Any, *values: Any, **named: Any) -> Any:
            real = create(name, *text, **scopes)
            real.__qualname__ = method.__qualname__
            for kind in type(this).__mro__:
                if kind.__dict__.get(name) is method:
                    setattr(kind, name, real)
            return real(this, *values, **named)

        method.__name__ = name
        return method

    return create_fn


def _named_tuple(name: str, types: Any, module: str, defaults: Any = ()) -> Any:
    """What ``typing`` makes a NamedTuple with; annotations stay the texts that they are and are not parsed."""
    from collections import namedtuple

    fields = dict(types)
    made = namedtuple(name, fields, defaults=defaults, module=module)  # type: ignore[misc]
    made.__annotations__ = made.__new__.__annotations__ = fields
    return made


def _classes_later() -> None:
    """Classes of modules are made with what they need at once only. These are inner parts of Python: a version that
    does it otherwise is left as it is."""
    import dataclasses
    import typing

    if hasattr(dataclasses, "_create_fn"):
        dataclasses._create_fn = _create_later(dataclasses._create_fn)
    if sys.version_info < (3, 14) and hasattr(typing, "_make_nmtuple"):
        typing._make_nmtuple = _named_tuple


def leave(code: int) -> NoReturn:
    """Ends the process of a tool that has written everything: taking all modules apart again would take a tenth of its
    time. Where others still work, in threads, Python ends as it always does."""
    threads = sys.modules.get("threading")
    if threads is not None and threads.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            sys.exit(code)  # which knows what to say
    os._exit(code & 0xFF)


def lighten(program: str) -> None:
    """To be called before anything else is imported. Modules are no garbage: whoever collects it while they are made
    looks at all of them again and again."""
    gc.set_threshold(_OBJECTS)
    if sys.flags.no_site:
        sys.meta_path.append(_Packages())
    re.compile = _compile_later
    re._compile = _compile  # type: ignore[attr-defined]
    if "inspect" not in sys.modules:
        sys.modules["inspect"] = _Inspect("inspect")
    if program not in _FORKING:
        _classes_later()
