"""The configuration of this process as a mapping."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

from condor_py.bindings import session
from condor_py.bindings.commands import daemon_of
from condor_py.bindings.errors import HTCondorIOError
from condor_py.lang.classad import ClassAd
from condor_py.model.messages.codec import A, Request
from condor_py.model.messages.common import ConfigGet, ConfigList, ConfigSet, ConfigUnset

if TYPE_CHECKING:
    from condor_py.lang.config import Config


class Param(MutableMapping[str, Any]):
    """The configuration of this process: knob -> value, integers and truth values for knobs of these kinds.

    Assigning changes what this process reads, nothing else.
    """

    def __getitem__(self, key: str) -> Any:
        _check(key)
        config = session.pool().config
        kind, known = _kind(key), config.setting(key) is not None
        if known and kind in _TYPED and (value := _typed(config, key, kind)) is not None:
            return value
        text = config.string(key) if known else ""
        if not text:  # what is empty counts as not defined
            raise KeyError(key)
        return text

    def __setitem__(self, key: str, value: str) -> None:
        _check(key)
        if not isinstance(value, str):
            raise TypeError("value must be a string")
        from condor_py.lang.config.settings import OVERRIDE

        session.pool().config.macros.set(key, value, OVERRIDE)

    def __delitem__(self, key: str) -> None:
        _check(key)
        session.pool().config.macros.unset(key)

    def __iter__(self) -> Iterator[str]:
        config = session.pool().config
        return (name for name in config.names() if config.string(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class RemoteParam(MutableMapping[str, str]):
    """The configuration of a daemon of this machine: knob -> value as text.

    Assigning sets a value of run time (ENABLE_RUNTIME_CONFIG), which counts when the daemon is reconfigured.
    """

    def __init__(self, location: ClassAd) -> None:
        """``location`` is the ad of a daemon, as ``Collector.locate`` returns it."""
        if location.get("MyAddress") is None:
            raise ValueError("Address not available in location ClassAd.")
        self._pool = session.pool_for(location)
        if not session.is_local(self._pool, str(location["MyAddress"])):
            raise HTCondorIOError("Failed to connect to daemon.")
        self._daemon = daemon_of(location)
        self.refresh()

    def refresh(self) -> None:
        """Ask the daemon for its names again."""
        self._names = {str(name).lower(): str(name) for name in self._ask(ConfigList()).names}

    def __getitem__(self, key: str) -> str:
        _check(key)
        found = self._ask(ConfigGet([key])).values[0]
        if found is None:
            raise KeyError(key)
        return str(found[1])

    def __setitem__(self, key: str, value: str) -> None:
        _check(key)
        if not isinstance(value, str):
            raise TypeError("value must be a string")
        self._ask(ConfigSet(key, f"{key} = {value}"))
        self._names[key.lower()] = key

    def __delitem__(self, key: str) -> None:
        _check(key)
        self._ask(ConfigUnset(key))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names.values())

    def __len__(self) -> int:
        return len(self._names)

    def _ask(self, request: Request[A]) -> A:
        return session.ask(self._pool, self._daemon, request)


def _check(key: object) -> None:
    if not isinstance(key, str):
        raise TypeError("key must be a string")


#: Kinds of knobs whose values are no text: integers, reals and truth values.
_TYPED = "irb"


def _typed(config: Config, key: str, kind: str) -> int | float | bool | None:
    """The value of a knob that is no text, or its default where the knob is empty or has no such value, as in HTCondor;
    None without a default. A number counts although it is out of range."""
    from condor_py.lang.config.values import to_boolean, to_integer, to_real
    from condor_py.lang.macro.evaluate import classad_evaluate

    read = {"i": to_integer, "r": to_real, "b": to_boolean}[kind]
    for text in (config.string(key), config.expand(config.default(key) or "")):
        value = read(text, classad_evaluate) if text else None
        if value is not None:
            return value
    return None


#: Automatic macros that are integers, in lower case.
_NUMBERS = frozenset(
    ("detected_cores", "detected_cpus", "detected_cpus_limit", "detected_physical_cpus", "python3_version_minor")
)


def _kind(key: str) -> str:
    if key.lower() in _NUMBERS:
        return "i"
    from condor_py.lang.config.params import PARAMS
    from condor_py.lang.config.table import other

    found = PARAMS.get(key.lower()) or other(key.lower())
    return found[2] if found else "s"
