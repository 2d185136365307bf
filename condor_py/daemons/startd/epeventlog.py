"""STARTD_EVENTLOG: the startd's event log, in the form of the event logs of jobs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress

from condor_py.core.slots import effects as do
from condor_py.core.slots.epevents import event
from condor_py.daemons.common.loop import now
from condor_py.lang.config import Config
from condor_py.lang.config.builders.startd import event_log
from condor_py.model.errors import StoreError
from condor_py.model.event_types import JobEventType
from condor_py.store.fs import FileSystem
from condor_py.store.limited import append_limited


class EpEventLog:
    """Takes the events of the core, and those of the daemon itself."""

    def __init__(self, config: Config, complain: Callable[[str], None]) -> None:
        self._knobs = event_log(config)
        self._complain = complain

    def prepare(self, config: Config) -> Callable[[], None]:
        """Another file or limit; what has been put in force is an event itself."""
        knobs = event_log(config)

        def take() -> None:
            self._knobs = knobs
            self.tell(JobEventType.EP_RECONFIG)

        return take

    def tell(self, kind: JobEventType, **attributes: str) -> None:
        """An event about the startd as a whole."""
        self.obey(event(None, kind, attributes))

    def obey(self, effect: do.Effect) -> bool:
        """Writes an event, if there is a log; False for any other effect."""
        if not isinstance(effect, do.EpEvent):
            return False
        if self._knobs.path:
            try:
                append_limited(self._knobs.path, event_text(effect, now()), self._knobs.max_size, self._move)
            except StoreError as error:
                self._complain(str(error))
        return True

    def _move(self, fs: FileSystem) -> None:
        with suppress(FileNotFoundError):
            fs.rename(self._knobs.path, f"{self._knobs.path}.old")


def event_text(told: do.EpEvent, moment: float) -> bytes:
    """The lines of an event: the slot's numbers stand where a job has its cluster and proc."""
    slot, dslot = told.where
    date = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))
    head = f"{told.number:03d} ({slot:03d}.{dslot:03d}.000) {date}.{int(moment % 1 * 1000):03d} {told.name}\n"
    lines = "".join(f"  {name} = {text}\n" for name, text in told.attributes)
    return f"{head}{lines}...\n".encode("utf-8", "surrogateescape")


def started(log: EpEventLog, slots: int) -> None:
    """The startd is up."""
    log.tell(JobEventType.EP_STARTUP, NumSlots=str(slots))
    log.tell(JobEventType.EP_READY, PID=str(os.getpid()))
