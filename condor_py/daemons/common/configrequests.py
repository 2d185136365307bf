"""Answers of a daemon to condor_config_val: values as it holds them, and settings of run time.

Everyone on the machine may ask; who may set what, ``DaemonConfiguration`` decides by what the kernel says of callers.
The requests and their answers are in ``model.messages.common``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from condor_py.model.errors import CondorError, PermissionDenied
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.messages.common import (
    ConfigChange,
    ConfigGet,
    ConfigList,
    ConfigNames,
    ConfigNumbers,
    ConfigRequest,
    ConfigSet,
    ConfigSources,
    ConfigStats,
    ConfigSummary,
    ConfigValues,
)
from condor_py.model.messages.wakeups import Done

if TYPE_CHECKING:
    from condor_py.client.wire import Peer
    from condor_py.daemons.common.configuration import DaemonConfiguration, Prepare
    from condor_py.lang.config import Config

#: Settings that one request may ask for: more than there are.
_MOST_NAMES = 10_000


def answer(
    configuration: DaemonConfiguration,
    request: ConfigRequest[Any],
    peer: Peer,
    prepare: Prepare,
    log: Callable[[str], None],
) -> Message:
    """The answer to one request."""
    config = configuration.config
    match request:
        case ConfigGet():
            return ConfigValues([_value(config, name) for name in request.names[:_MOST_NAMES]])
        case ConfigList():
            return ConfigNames(config.names())
        case ConfigSummary():
            from condor_py.lang.config.summary import summary

            return ConfigSources(summary(config, detected=request.detected))
        case ConfigStats():
            from condor_py.lang.config.summary import statistics

            return ConfigNumbers(statistics(config))
        case ConfigChange():
            return _change(configuration, request, peer, prepare, log)
    return Refused("unknown request")


def _value(config: Config, name: str) -> list[Any] | None:
    from condor_py.lang.config.shown import shown_default

    found = config.setting(name)
    if found is None:
        return None
    uses, references = config.uses.get(name.lower(), 0), config.references.get(name.lower(), 0)
    try:
        value = config.expand(found.raw)
    except CondorError as error:
        value = str(error)
    return [found.name, value, found.raw, found.place, shown_default(config, name), uses, references]


def _change(
    configuration: DaemonConfiguration, request: ConfigChange, peer: Peer, prepare: Prepare, log: Callable[[str], None]
) -> Message:
    key, text, persistent = request.key, request.text, request.persistent
    try:
        if isinstance(request, ConfigSet):
            configuration.set(key, text, peer, prepare, persistent=persistent)
        else:
            configuration.unset(key, peer, persistent=persistent)
    except PermissionDenied as error:
        log(f'WARNING: user id {peer.uid} (pid {peer.pid}) is trying to modify "{key}": {error}')
        log("WARNING: Potential security problem, request refused")
        return Refused(str(error))
    except CondorError as error:
        log(f'user id {peer.uid} (pid {peer.pid}) cannot modify "{key}": {error}')
        return Refused(str(error))
    log(f'user id {peer.uid} (pid {peer.pid}) modified "{key}" for the next reconfiguration: {text or "unset"}')
    return Done()
