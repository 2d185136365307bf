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
    from typing import NoReturn

#: New objects between two looks for garbage.
_OBJECTS = 50_000
#: Programs whose children are to have what is compiled, and not to compile it each for himself.
_FORKING = frozenset(("condor_gridmanager", "condor_starter"))
#: Daemons that serve for long: what is put off in them is made when it is needed or when nobody wants anything
#: (``model.unmade``).
_DAEMONS = frozenset(f"condor_{name}" for name in ("defrag", "job_router", "negotiator", "rooster", "schedd", "startd"))


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
    looks at all of them again and again (what daemons do against that: ``daemon.main``)."""
    if sys.flags.no_site:
        sys.meta_path.append(_Packages())
    if program in _DAEMONS:
        from condor_py.model.unmade import waiting
        from condor_py.tools import laterclasses

        lightpatterns.install(waiting)
        lightmodules.install(True)
        laterclasses.install(waiting)
        return
    gc.set_threshold(_OBJECTS)
    lightpatterns.install()
    lightmodules.install(program in _FORKING)
