"""The configuration of this process as a mapping."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

from condor_py.htcondor import session
from condor_py.model.errors import CondorError


class Param(MutableMapping[str, Any]):
    """The configuration of this process: knob -> value, integers and truth values for knobs of these kinds.

    Assigning changes what this process reads, nothing else.
    """

    def __getitem__(self, key: str) -> Any:
        _check(key)
        config = session.pool().config
        if config.setting(key) is None:
            raise KeyError(key)
        text = config.string(key)
        kind = _kind(key)
        try:
            if kind == "i":
                return config.integer(key)
            if kind == "r":
                return config.real(key)
            if kind == "b":
                return config.boolean(key)
        except CondorError:
            pass  # a value that does not fit its kind is shown as it stands
        return text

    def __setitem__(self, key: str, value: str) -> None:
        _check(key)
        if not isinstance(value, str):
            raise TypeError("value must be a string")
        from condor_py.config.settings import OVERRIDE

        session.pool().config.macros.set(key, value, OVERRIDE)

    def __delitem__(self, key: str) -> None:
        _check(key)
        config = session.pool().config
        if config.setting(key) is None:
            raise KeyError(key)
        config.macros.unset(key)

    def __iter__(self) -> Iterator[str]:
        return iter(session.pool().config.names())

    def __len__(self) -> int:
        return len(session.pool().config.names())


def _check(key: object) -> None:
    if not isinstance(key, str):
        raise TypeError("key must be a string")


def _kind(key: str) -> str:
    from condor_py.config.params import PARAMS

    found = PARAMS.get(key.lower())
    return found[2] if found else "s"
