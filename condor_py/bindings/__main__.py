"""``python -m condor_py.bindings``: where the modules ``htcondor2`` and its relatives are, for PYTHONPATH.

``--install`` makes the Python that runs this find them without PYTHONPATH, ``--remove`` takes that back. It is one line
in a file of its own in site-packages, and counts last: a module htcondor2 of another package always comes first.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from importlib.util import find_spec

_NAMES = ("htcondor2", "classad2", "htcondor", "classad", "htchirp")
_FILE = "condor_py_bindings.pth"
_USAGE = "usage: python -m condor_py.bindings [--install | --remove]\n"


def shims() -> str:
    """The directory with the modules."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "shims")


def main(argv: list[str]) -> int:
    """The exit status: 1 when nothing can be installed, 2 for a wrong argument."""
    if not argv:
        sys.stdout.write(shims() + "\n")
        return 0
    if argv not in (["--install"], ["--remove"]):
        sys.stderr.write(_USAGE)
        return 2
    path = os.path.join(sysconfig.get_path("purelib"), _FILE)
    try:
        return _install(path) if argv == ["--install"] else _remove(path)
    except OSError as error:
        sys.stderr.write(f"cannot change {path}: {error.strerror}\n")
        return 1


def _install(path: str) -> int:
    for name in _NAMES:
        place = _place_of(name)
        if place and not place.startswith(shims() + os.sep):
            sys.stderr.write(f"nothing is installed: {sys.executable} has a module {name} already, {place}\n")
            return 1
    with open(path, "w", encoding="utf-8") as file:
        file.write(shims() + "\n")
    sys.stdout.write(f"{path}: {', '.join(_NAMES)} are found by {sys.executable}\n")
    return 0


def _place_of(name: str) -> str:
    found = find_spec(name)
    return "" if found is None else found.origin or ""


def _remove(path: str) -> int:
    if os.path.exists(path):
        os.remove(path)
        sys.stdout.write(f"{path} is removed\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
