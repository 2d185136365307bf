"""The folders of the commands of this installation: BIN, SBIN and LIBEXEC unless the configuration sets RELEASE_DIR."""

from __future__ import annotations

import os
import sys

_SAMPLE = "condor_config_val"
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def tools_directory(prefix: str = sys.prefix, package: str = _PACKAGE) -> str:
    """The directory with the commands, "" without one.

    That is ``bin`` of the prefix into which pip has installed the package; of a checkout, ``bin`` of the environment
    that runs us (``prefix``), and that of the checkout (by ``package``) where the environment is the checkout's own
    or has no commands.
    """
    environment = os.path.join(prefix, "bin")
    checkout = os.path.join(os.path.dirname(package), "bin")
    own = os.path.dirname(prefix) == os.path.dirname(package)
    places = [checkout, environment] if own else [environment, checkout]
    # pip puts packages into PREFIX/lib/pythonX.Y/site-packages (or dist-packages), and their commands into PREFIX/bin.
    if os.path.dirname(package).endswith("-packages"):
        places.insert(0, os.path.normpath(os.path.join(package, *[os.pardir] * 4, "bin")))
    return next((place for place in places if os.path.exists(os.path.join(place, _SAMPLE))), "")


def commit(package: str = _PACKAGE) -> str:
    """The commit that is checked out, "" for what is no checkout of git or an unusual one."""
    git = os.path.join(os.path.dirname(package), ".git")
    try:
        head = _line(f"{git}/HEAD")
        if not head.startswith("ref: "):
            return head
        name = head.removeprefix("ref: ")
        if os.path.exists(f"{git}/{name}"):
            return _line(f"{git}/{name}")
        with open(f"{git}/packed-refs", encoding="ascii") as file:
            return next((line.split()[0] for line in file if line.rstrip().endswith(f" {name}")), "")
    except (OSError, ValueError):
        return ""


def _line(path: str) -> str:
    with open(path, encoding="ascii") as file:
        return file.readline(1000).strip()


#: The knobs, in lower case, whose default our own installation decides.
OWN = ("release_dir", "sbin", "libexec")


def default(name: str) -> str | None:
    """The default of the knob ``name`` (lower case) where our own installation decides it; None for all others.

    Daemons and helper programs are with the commands: there is no sbin and no libexec.
    """
    if name not in OWN:
        return None
    directory = tools_directory()
    if not directory:
        return None
    return os.path.dirname(directory) if name == "release_dir" else "$(BIN)"
