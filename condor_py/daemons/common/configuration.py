"""The configuration of a running daemon: settings of run time, and reading everything again.

A daemon decides once, when it starts, whether it takes settings at run time (ENABLE_RUNTIME_CONFIG,
ENABLE_PERSISTENT_CONFIG and where those are kept): no such setting can change that.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from condor_py.lang.config import Config, load
from condor_py.lang.config.dynamic import Dynamic, assigned, persistent_path
from condor_py.lang.config.lint import Finding, lint, needs_restart
from condor_py.model.errors import CondorError, ConfigError, PermissionDenied
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
    from condor_py.lang.config import Config


#: Reads all settings of a daemon, and returns what puts them in force. ConfigError before anything has changed.
Prepare = Callable[[Config], Callable[[], None]]

#: Access levels of HTCondor that a caller has: everyone on the machine, and the daemon's own user (and root).
_EVERYONE = ("READ", "WRITE")
_OWNER = ("READ", "WRITE", "NEGOTIATOR", "ADMINISTRATOR", "OWNER", "CONFIG", "DAEMON")
_NAME = re.compile(r"\w[\w.]*\Z", re.ASCII)


class Outcome(NamedTuple):
    """The outcome of a reconfiguration.

    ``failed`` says why no setting at all was taken ("" otherwise). ``refused`` are the values that were not taken,
    ``restart`` those that count from the next start of the daemon; each is one line.
    """

    failed: str = ""
    refused: tuple[str, ...] = ()
    restart: tuple[str, ...] = ()


class DaemonConfiguration:
    """The configuration of one daemon. ``config`` is what it holds now; ``local_name`` is that of -local-name."""

    def __init__(self, subsystem: str, local_name: str = "") -> None:
        self._subsystem = subsystem
        self._local_name = local_name
        self.config = load(os.environ, subsystem=subsystem, local_name=local_name)
        self._started = self.config
        self._seen = _stamps(self.config)
        self._runtime: dict[str, str] | None = {} if self.config.boolean("ENABLE_RUNTIME_CONFIG") else None
        self._persistent = persistent_path(self.config)
        if not self._persistent and self.config.boolean("ENABLE_PERSISTENT_CONFIG"):
            raise ConfigError(
                f"ENABLE_PERSISTENT_CONFIG is true, but neither {subsystem}_CONFIG nor PERSISTENT_CONFIG_DIR "
                "is specified in the configuration file"
            )

    def warnings(self) -> list[str]:
        """List the probable mistakes in the configuration, one line each."""
        return [str(finding) for finding in lint(self.config) if finding.severity != "note"]

    # -- reading again -----------------------------------------------------------------------------

    def reload(self, prepare: Prepare) -> Outcome:
        """Reads everything again and puts it in force. A bad value keeps the one that the daemon has, and what cannot
        be read at all leaves everything as it was.
        """
        try:
            fresh = self._load(self._runtime or {})
            refused: dict[str, str] = {}
            while True:
                try:
                    take = prepare(fresh)
                    break
                except ConfigError as error:
                    again = error.knob.lower() in refused
                    line = f"{error}; {_kept(fresh, self.config, error, by_value=again)}"
                    refused.setdefault(error.knob.lower(), line)
        except ConfigError as error:
            return Outcome(failed=str(error))
        restart = tuple(_restart_line(finding) for finding in needs_restart(self._started, fresh))
        self.config = fresh
        self._seen = _stamps(fresh)
        take()
        return Outcome("", tuple(refused.values()), restart)

    def _load(self, runtime: dict[str, str]) -> Config:
        dynamic = Dynamic(self._persistent, tuple(runtime.items()))
        return load(os.environ, subsystem=self._subsystem, local_name=self._local_name, dynamic=dynamic)

    def edited(self) -> Config | None:
        """Return the configuration that the files hold now. None if they have not changed since the last call (or since
        they were read), or if they cannot be read. The configuration in force stays unchanged."""
        seen, self._seen = self._seen, _stamps(self.config)
        if self._seen == seen:
            return None
        try:
            return self._load(self._runtime or {})
        except ConfigError:
            return None

    # -- settings of run time ----------------------------------------------------------------------

    def set(self, key: str, text: str, peer: Peer, prepare: Prepare, *, persistent: bool) -> None:
        """Keeps ``text`` (``NAME = VALUE`` or ``use CATEGORY : NAME``) under ``key``, for the next reconfiguration.

        PermissionDenied when the caller may not, ConfigError when it cannot be read or has a bad value, StoreError when
        it cannot be written.
        """
        self._may(key, peer, persistent=persistent)
        if "\n" in text or assigned(text).lower() != key.lower():
            raise ConfigError(f"not one setting of {key}: {text}")
        runtime = {**(self._runtime or {}), key: text}
        prepare(self._load(runtime))
        if not persistent:
            self._runtime = runtime
            return
        from condor_py.store.runtime_config import PersistentSettings

        PersistentSettings(self._persistent).set(key, text)

    def unset(self, key: str, peer: Peer, *, persistent: bool) -> None:
        """Forgets the setting ``key``, from the next reconfiguration on. Errors as for ``set``."""
        self._may(key, peer, persistent=persistent)
        if not persistent:
            if self._runtime is not None:
                self._runtime.pop(key, None)
            return
        from condor_py.store.runtime_config import PersistentSettings

        PersistentSettings(self._persistent).unset(key)

    def _may(self, key: str, peer: Peer, *, persistent: bool) -> None:
        """Whether settings of this kind are taken, this name may be set, and ``peer`` may set it."""
        if persistent and not self._persistent:
            raise PermissionDenied("ENABLE_PERSISTENT_CONFIG is false")
        if not persistent and self._runtime is None:
            raise PermissionDenied("ENABLE_RUNTIME_CONFIG is false")
        if _NAME.match(key.removeprefix("$")) is None:
            raise ConfigError(f"{key} is not a name of a setting")
        from fnmatch import fnmatch

        for level in _OWNER if peer.uid in (0, os.geteuid()) else _EVERYONE:
            allowed = self.config.list(f"SETTABLE_ATTRS_{level}")
            if any(fnmatch(key.lower(), pattern.lower()) for pattern in allowed):
                return
        raise PermissionDenied(f"no SETTABLE_ATTRS_... of user id {peer.uid} lists {key}")


def _kept(fresh: Config, running: Config, error: ConfigError, *, by_value: bool) -> str:
    """Gives the knob of ``error`` its old setting in ``fresh`` and says so.

    ``by_value`` gives it the old value, whatever that referred to: the old setting did not help. ``error`` again when
    nothing changes, so that every knob is tried at most three times.
    """
    knob = error.knob
    if not knob:
        raise error
    if by_value:
        if not fresh.pin(knob, running):
            raise error
        return f"{knob} stays {running.string(knob) or 'undefined'}"
    # An error of the core names START also when SLOT_TYPE_1_START is the culprit.
    names = {macro.name for config in (fresh, running) for macro in config.macros}
    others = [name for name in sorted(names) if name.lower().endswith((f"_{knob.lower()}", f".{knob.lower()}"))]
    back = [name for name in (knob, *others) if fresh.take_back(name, running)]
    if not back and not fresh.pin(knob, running):
        raise error
    name = back[0] if back else knob
    return f"{name} stays {running.string(name) or 'undefined'}"


def _stamps(config: Config) -> list[tuple[int, int, int]]:
    """Return inode, size and modification time in ns of each configuration file: they change when a file is edited."""
    found = []
    for path in config.files:
        try:
            status = os.stat(path)
        except OSError:
            continue
        found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return found


def _restart_line(finding: Finding) -> str:
    place = f" ({finding.place})" if finding.file else ""
    return f"{finding.knob}{place}: {finding.message}"


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
