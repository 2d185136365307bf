"""<SUBSYS>_CLASSAD_USER_MAP_NAMES: the maps that userMap() finds."""

from __future__ import annotations

import os

from condor_py.lang.config.settings import Config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from condor_py.lang.classad.usermap import UserMap


#: Whether this process has maps, which a reconfig without any takes away.
_installed = False


def names(config: Config, subsystem: str) -> list[str]:
    """The maps that a daemon (or TOOL) is to have."""
    return config.list(f"{subsystem}_CLASSAD_USER_MAP_NAMES")


def install(config: Config, subsystem: str, warn: Callable[[str], None] = lambda text: None) -> None:
    """Reads the maps of a daemon, or of tools; ``warn`` receives what of them cannot be used."""
    global _installed
    wanted = names(config, subsystem)
    if not wanted and not _installed:
        return
    _installed = True
    from condor_py.lang.classad.functions import condor

    maps = {name.lower(): found for name in wanted if (found := _read_map(config, name, warn)) is not None}

    def map_user(name: str, text: str) -> str | None:
        head, _, part = name.partition(".")
        known = maps.get(head.lower())
        return None if known is None else known.output(part or "*", text)

    condor.map_user = map_user


def add(name: str, path: str) -> None:
    """Add a file as the map ``name`` to those of this process. OSError when it cannot be read."""
    global _installed
    from condor_py.lang.classad.functions import condor

    known, before = of_file(path), condor.map_user
    _installed = True

    def map_user(asked: str, text: str) -> str | None:
        head, _, part = asked.partition(".")
        if head.lower() == name.lower():
            return known.output(part or "*", text)
        return before(asked, text)

    condor.map_user = map_user


def of_file(path: str, *, prefixes: bool = False) -> UserMap:
    """The map in a file; what that includes is next to it. OSError when it cannot be read."""
    from condor_py.lang.classad.usermap import UserMap

    read = _beside(os.path.dirname(path))
    return UserMap(read(os.path.basename(path)), read, prefixes=prefixes)


def _beside(folder: str) -> Callable[[str], str]:
    def read(file: str) -> str:
        with open(os.path.join(folder, file), encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read()

    return read


def _read_map(config: Config, name: str, warn: Callable[[str], None]) -> UserMap | None:
    from condor_py.lang.classad.usermap import UserMap

    path = config.string(f"CLASSAD_USER_MAPFILE_{name}")
    prefixes = config.boolean(f"CLASSAD_USER_MAP_PREFIX_{name}", False)
    if path:
        try:
            found = of_file(path, prefixes=prefixes)
        except OSError as error:
            warn(f"CLASSAD_USER_MAPFILE_{name}: cannot read {path}: {error.strerror}")
            return None
    else:
        found = UserMap(config.string(f"CLASSAD_USER_MAPDATA_{name}"), _beside(""), prefixes=prefixes)
    for problem in found.problems:
        warn(f"CLASSAD_USER_MAP{'FILE' if path else 'DATA'}_{name}, {problem}")
    return found
