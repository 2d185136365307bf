"""What a daemon answers to condor_config_val: values as it holds them, and settings of run time.

Everyone on the machine may ask; who may set what, ``DaemonConfiguration`` decides by what the kernel says of callers.

| op | asks for | answer |
|---|---|---|
| ``config-get`` | ``names`` | ``values``: for each, [name, value, raw, place, default, uses, references] or null |
| ``config-names`` | | ``names`` of all settings (a pattern of a stranger could keep the daemon busy for hours) |
| ``config-summary`` | ``detected`` | ``sources``: [source, [[name, raw], ...]] in the order of reading |
| ``config-stats`` | | ``stats``: numbers by name |
| ``config-set``, ``config-unset`` | ``key``, ``text``, ``persistent`` | ``ok``, or ``error`` |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from condor_py.model.errors import CondorError, PermissionDenied

if TYPE_CHECKING:
    from condor_py.access.wire import Head, Peer
    from condor_py.config import Config
    from condor_py.daemon.common.configuration import DaemonConfiguration, Prepare

#: Settings that one request may ask for: more than there are.
_MOST_NAMES = 10_000


def answer(
    configuration: DaemonConfiguration, head: Head, peer: Peer, prepare: Prepare, log: Callable[[str], None]
) -> Head:
    """The answer to one ``config-`` request. What is wrong with it becomes its ``error``."""
    config = configuration.config
    operation = head.get("op")
    if operation == "config-get":
        names = head.get("names")
        asked = names[:_MOST_NAMES] if isinstance(names, list) else []
        return {"ok": True, "values": [_value(config, str(name)) for name in asked]}
    if operation == "config-names":
        return {"ok": True, "names": config.names()}
    if operation == "config-summary":
        from condor_py.config.summary import summary

        return {"ok": True, "sources": summary(config, detected=bool(head.get("detected")))}
    if operation == "config-stats":
        from condor_py.config.summary import statistics

        return {"ok": True, "stats": statistics(config)}
    if operation in ("config-set", "config-unset"):
        return _change(configuration, head, peer, prepare, log)
    return {"ok": False, "error": f"unknown request {operation!r}"}


def _value(config: Config, name: str) -> list[Any] | None:
    from condor_py.config.shown import shown_default

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
    configuration: DaemonConfiguration, head: Head, peer: Peer, prepare: Prepare, log: Callable[[str], None]
) -> Head:
    key, text, persistent = str(head.get("key")), str(head.get("text", "")), bool(head.get("persistent"))
    try:
        if head.get("op") == "config-set":
            configuration.set(key, text, peer, prepare, persistent=persistent)
        else:
            configuration.unset(key, peer, persistent=persistent)
    except PermissionDenied as error:
        log(f'WARNING: user id {peer.uid} (pid {peer.pid}) is trying to modify "{key}": {error}')
        log("WARNING: Potential security problem, request refused")
        return {"ok": False, "error": str(error)}
    except CondorError as error:
        log(f'user id {peer.uid} (pid {peer.pid}) cannot modify "{key}": {error}')
        return {"ok": False, "error": str(error)}
    log(f'user id {peer.uid} (pid {peer.pid}) modified "{key}" for the next reconfiguration: {text or "unset"}')
    return {"ok": True}
