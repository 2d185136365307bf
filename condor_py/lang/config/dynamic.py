"""Settings that a running daemon was given: persistent ones, which outlive it, and those until it restarts.

Layout, as HTCondor's: ``PERSISTENT_CONFIG_DIR/.config.SCHEDD`` holds one line, ``RUNTIME_CONFIG_ADMIN = a, b``; the
text of setting ``a`` is the file ``.config.SCHEDD.a`` next to it. ``store.runtime_config`` writes them.
"""

from __future__ import annotations

import os
from functools import cache

from condor_py.model.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from condor_py.lang.config.settings import Config

RUNTIME = "<runtime>"
LIST_KNOB = "RUNTIME_CONFIG_ADMIN"


@cache
def _list() -> re.Pattern[str]:
    import re

    return re.compile(rf"\s*{LIST_KNOB}\s*=\s*(.*)", re.IGNORECASE)


@cache
def _use() -> re.Pattern[str]:
    import re

    return re.compile(r"\s*use\s+(\w+)\s*:\s*(\w+)", re.IGNORECASE)


class Dynamic:
    """The settings that a process takes over after files and environment.

    ``persistent`` is the path of the list of persistent settings, "" when there are none to be read; ``runtime`` are
    (key, text) in the order in which they were first set.
    """

    __slots__ = ("persistent", "runtime")

    def __init__(self, persistent: str = "", runtime: tuple[tuple[str, str], ...] = ()) -> None:
        self.persistent = persistent
        self.runtime = runtime


class Piece:
    """The text of one setting, and where it comes from."""

    __slots__ = ("line", "source", "text")

    def __init__(self, source: str, line: int, text: str) -> None:
        self.source = source
        self.line = line
        self.text = text


def persistent_path(config: Config) -> str:
    """Return the path of the persistent settings of ``config``'s process. "" when it may have none, or no knob gives a
    path.

    ConfigError when ENABLE_PERSISTENT_CONFIG is no truth value.
    """
    if not config.boolean("ENABLE_PERSISTENT_CONFIG"):
        return ""
    own = config.path(f"{config.subsystem}_CONFIG")
    if own:
        return own
    directory = config.path("PERSISTENT_CONFIG_DIR")
    return f"{directory}/.config.{config.subsystem}" if directory else ""


def pieces(dynamic: Dynamic) -> Iterator[Piece]:
    """The persistent settings, then those of the running daemon. ConfigError when a file cannot be read or trusted."""
    if dynamic.persistent:
        for key in listed(dynamic.persistent):
            path = f"{dynamic.persistent}.{key}"
            try:
                yield Piece(path, 0, _read_own(path))
            except FileNotFoundError:
                raise ConfigError(f"{dynamic.persistent} lists {key}, but {path} is not there") from None
    for number, (_, text) in enumerate(dynamic.runtime):
        yield Piece(RUNTIME, number, text)


def listed(path: str) -> list[str]:
    """The keys of the persistent settings that the file ``path`` lists; none when there is no such file."""
    try:
        text = _read_own(path)
    except FileNotFoundError:
        return []
    found = _list().match(text)
    if found is None:
        raise ConfigError(f"{path}: not a list of persistent settings ({LIST_KNOB} = ...): remove the file")
    return found[1].replace(",", " ").split()


def assigned(text: str) -> str:
    """The name that ``NAME = VALUE`` sets; ``$CATEGORY.TEMPLATE`` for ``use CATEGORY : TEMPLATE``; "" for neither."""
    found = _use().match(text)
    if found is not None:
        return f"${found[1]}.{found[2]}"
    name, equals, _ = text.partition("=")
    return name.strip() if equals else ""


def _read_own(path: str) -> str:
    """The text of a file that belongs to this process's user: any other user who could write it could give orders.

    FileNotFoundError when it is not there, ConfigError otherwise.
    """
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            owner, mine = os.fstat(file.fileno()).st_uid, os.geteuid()
            text = file.read()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ConfigError(f"cannot read the persistent setting {path}: {error.strerror}") from None
    if owner != mine:
        raise ConfigError(
            f"Configuration Error File <{path}>, running as uid {mine} yet runtime config file owned by uid {owner}!"
        )
    return text
