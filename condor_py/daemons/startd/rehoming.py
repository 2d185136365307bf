"""``htcondor ep rehome``: the machine is offered to a schedd without a negotiator, from now on and after restarts, and
may be rebooted once the jobs are gone. The setting is persistent, and the schedd of this machine reads it too.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from condor_py.core.slots import events as on
from condor_py.core.slots.core import Startd
from condor_py.daemons.common.configuration import DaemonConfiguration
from condor_py.daemons.common.loop import Loop, now
from condor_py.daemons.common.program import Ended, Program
from condor_py.lang.config import load
from condor_py.lang.config.dynamic import persistent_path
from condor_py.model.arguments import words_of
from condor_py.model.errors import CondorError, ConfigError, StoreError
from condor_py.model.messages import machine
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.messages.machine import Rehome
from condor_py.model.messages.wakeups import Done
from condor_py.model.states import VacateCode
from condor_py.store.runtime_config import PersistentSettings

_KEY = "rehome"
_KNOB = "STARTD_DIRECT_ATTACH_SCHEDD_NAME"
#: Seconds between looks whether the last job is gone.
_LOOK = 0.2


class Rehoming:
    """One a startd. ``reconfig`` has it read its configuration again."""

    def __init__(
        self,
        loop: Loop,
        log: Callable[[str], None],
        configuration: DaemonConfiguration,
        core: Startd,
        reconfig: Callable[[], object],
        handle: Callable[[on.Event], object],
    ) -> None:
        self._loop = loop
        self._log = log
        self._configuration = configuration
        self._core = core
        self._reconfig = reconfig
        self._handle = handle
        self._reboot = ""

    def answer(self, request: Rehome) -> Message:
        """Obeys a request, or says what is wrong with it."""
        name, pool, cancel, reboot = request.schedd_name, request.schedd_pool, request.cancel, request.reboot
        if not cancel:
            refused = self._refused(name, pool, reboot)
            if refused:
                self._log(f"command_rehome: {refused}")
                return Refused(refused)
        try:
            self._persist("" if cancel else _text(name, pool))
        except (StoreError, ConfigError) as error:
            self._log(f"command_rehome: failed to set persistent config {_KNOB}: {error}")
            return Refused(f"Failed to {'unset' if cancel else 'set'} persistent config")
        self._log(f"command_rehome: {f'cancelled rehome, unset {_KNOB}' if cancel else f'set {_KNOB} = {name}'}")
        self._reconfig()
        if not cancel:
            self._evict(reboot)
        return Done()

    def _refused(self, name: str, pool: str, reboot: bool) -> str:
        """Why a machine does not change its schedd; "" when it does."""
        if not name:
            return "ScheddName not specified"
        if any(character in name + pool for character in "\n\r\0"):
            return "ScheddName is not a name"
        if name == self._configuration.config.string(_KNOB):
            return "Already attached to this schedd"
        if reboot and not self._may_reboot():
            return "Reboot on rehome not permitted by STARTD_REHOME_ALLOW_REBOOT"
        return ""

    def _may_reboot(self) -> bool:
        """STARTD_REHOME_ALLOW_REBOOT has to be true for every slot."""
        text = self._configuration.config.expression("STARTD_REHOME_ALLOW_REBOOT") or "false"
        *slots, _ = self._core.ads(now())
        return bool(slots) and all(ad.eval_text(text) is True for ad in slots)

    def _persist(self, text: str) -> None:
        """For the schedd and for the startd, whose own settles it. StoreError, ConfigError."""
        paths = [persistent_path(load(os.environ, subsystem=subsystem)) for subsystem in ("SCHEDD", "STARTD")]
        if not all(paths):
            raise ConfigError("ENABLE_PERSISTENT_CONFIG is false, or PERSISTENT_CONFIG_DIR is not set")
        schedd, startd = map(PersistentSettings, paths)
        if not text:
            startd.unset(_KEY)
            schedd.unset(_KEY)
            return
        schedd.set(_KEY, text)
        try:
            startd.set(_KEY, text)
        except StoreError:
            schedd.unset(_KEY)
            raise

    def _evict(self, reboot: bool) -> None:
        """Every job goes at once. Before a reboot no other one comes."""
        self._handle(on.Vacate(None, graceful=False, code=VacateCode.STARTD_REHOMING, reason=_KEY))
        if reboot:
            self._reboot = self._configuration.config.string("STARTD_REBOOT_COMMAND") or "/sbin/reboot"
            self._log(f"rehome: host will reboot via '{self._reboot}' once all claims have been evicted")
            self._handle(machine.Drain("fast", _KEY))
            self._look()

    def _look(self) -> None:
        if self._core.has_claims:
            self._loop.after(_LOOK, self._look)
            return
        self._log(f"rehome: running reboot command '{self._reboot}'")
        try:
            Program(self._loop, words_of(self._reboot), on_end=self._rebooted, environment=os.environ)
        except (OSError, ValueError, CondorError) as error:
            self._log(f"rehome: reboot command '{self._reboot}' cannot be run: {error}")
            self._handle(machine.CancelDrain())

    def _rebooted(self, ended: Ended) -> None:
        """The command is over, and the machine still there: perhaps it goes down in a moment."""
        status = ended.exit_code if ended.exit_code is not None else -ended.signal
        self._log(f"rehome: reboot command returned status {status}")
        self._handle(machine.CancelDrain())


def _text(name: str, pool: str) -> str:
    lines = [f"{_KNOB} = {name}\n"]
    if pool:
        lines.append(f"STARTD_DIRECT_ATTACH_SCHEDD_POOL = {pool}\n")
    return "".join(lines)
