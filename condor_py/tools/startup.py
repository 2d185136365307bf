"""What makes Python itself start sooner for a tool: what most tools never need is looked for when it is needed."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from condor_py.tools import lightmodules, lightpatterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any, NoReturn

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


class _Annotation:
    """How ``dataclasses`` looks for words of ``typing`` in annotations: in few there are any."""

    def __init__(self, pattern: Any) -> None:
        self._pattern = pattern

    def match(self, text: str) -> Any:
        if "ClassVar" in text or "InitVar" in text or "KW_ONLY" in text:
            return self._pattern.match(text)
        return None


def _classes_later() -> None:
    """Classes of modules are made with what they need at once only. These are inner parts of Python: a version that
    does it otherwise is left as it is."""
    import dataclasses

    if hasattr(dataclasses, "_create_fn"):
        dataclasses._create_fn = _create_later(dataclasses._create_fn)
    if hasattr(dataclasses, "_MODULE_IDENTIFIER_RE"):
        dataclasses._MODULE_IDENTIFIER_RE = _Annotation(dataclasses._MODULE_IDENTIFIER_RE)


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
    lightpatterns.install()
    lightmodules.install(program in _FORKING)
    if program not in _FORKING:
        _classes_later()
