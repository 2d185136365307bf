"""CLASSAD_USER_PYTHON_MODULES: Python modules whose functions expressions may call (python_invoke).

A module is looked for in PYTHONPATH and among the installed packages. Root loads one only from a file that no other
account may change: neither the file nor a directory above it may belong to another account, or be writable by others.
"""

from __future__ import annotations

import os
import stat
import sys

import condor_py
from condor_py.lang.config.settings import Config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KNOB = "CLASSAD_USER_PYTHON_MODULES"
_LIBRARIES = "CLASSAD_USER_LIBS"
#: Seconds that one call of a function may take.
_LIMIT = 0.5
#: Complaints that a process makes about failing calls.
_MOST_COMPLAINTS = 50


def install(config: Config, warn: Callable[[str], None] = lambda text: None) -> None:
    """Load the modules; ``warn`` receives what cannot be loaded, and later the calls that fail."""
    for library in config.list(_LIBRARIES):
        warn(
            f"Failed to load ClassAd user library {library}: it is made for HTCondor's programs; {KNOB} has functions"
            " in Python"
        )
    from condor_py.lang.classad.functions import python

    warned: set[str] = set()

    def complain(why: str) -> None:
        if why not in warned and len(warned) < _MOST_COMPLAINTS:
            warned.add(why)
            warn(f"ClassAd function {why}")

    python.complain, python.limit = complain, _LIMIT
    python.modules = {name: found for name in config.list(KNOB) if (found := _load(name, warn)) is not None}


def _load(name: str, warn: Callable[[str], None]) -> object:
    """Import a module; None, with a warning, where that fails."""
    from importlib import import_module

    with _Places():
        why = _problem(name)
        try:
            if not why:
                return import_module(name)
        except Exception as error:  # whatever is wrong in it
            why = f"{type(error).__name__}: {error}"
    warn(f"{KNOB}: cannot load {name}: {why}")
    return None


class _Places:
    """The places in which modules are looked for, while they are."""

    def __enter__(self) -> None:
        from condor_py.model.packages import make_known

        make_known()
        self._before = sys.path
        given = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path.startswith("/")]
        if os.geteuid() == 0:
            given = [path for path in given if not foreign_place(path)]
        own = os.path.join(os.path.dirname(os.path.abspath(condor_py.__file__)), "bindings", "shims")
        self._given = [path for path in (own, *given) if path not in sys.path]
        sys.path = [*self._given, *sys.path]

    def __exit__(self, *error: object) -> None:
        sys.path = [*self._before, *self._given]  # what the modules import later comes after all else


def problem(name: str) -> str:
    """Return why a module cannot be loaded; "" where nothing is known of it, and for one in a package, as a package
    would have to be loaded for that."""
    if "." in name:
        return ""
    with _Places():
        return _problem(name)


def _problem(name: str) -> str:
    from importlib.util import find_spec

    for part in _above(name):
        try:
            found = find_spec(part)
        except (ImportError, ValueError, AttributeError) as error:
            return str(error) or type(error).__name__
        if found is None:
            return f"there is no module {part} in PYTHONPATH or among the installed packages"
        in_file = os.geteuid() == 0 and found.origin not in (None, "built-in", "frozen")
        if in_file and (foreign := foreign_place(str(found.origin))):
            return f"root does not load it: {foreign} may be changed by other accounts"
    return ""


def _above(name: str) -> Iterator[str]:
    """``a``, ``a.b`` and ``a.b.c`` of ``a.b.c``: a package is checked before it is imported."""
    words = name.split(".")
    return (".".join(words[: count + 1]) for count in range(len(words)))


def foreign_place(path: str) -> str:
    """Return the first of a file and the directories above it that an account other than ours and root may change; ""
    if there is none."""
    place = os.path.realpath(path)
    while True:
        try:
            found = os.stat(place)
        except OSError:
            return place
        if found.st_uid not in (0, os.geteuid()) or (found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX):
            return place
        above = os.path.dirname(place)
        if above == place:
            return ""
        place = above
