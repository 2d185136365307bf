"""What makes Python itself start sooner for a tool: what most tools never need is looked for when it is needed."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

#: New objects between two looks for garbage.
_OBJECTS = 50_000


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


def lighten() -> None:
    """To be called before anything else is imported. Modules are no garbage: whoever collects it while they are made
    looks at all of them again and again."""
    gc.set_threshold(_OBJECTS)
    if sys.flags.no_site:
        sys.meta_path.append(_Packages())
    if "inspect" not in sys.modules:
        sys.modules["inspect"] = _Inspect("inspect")
