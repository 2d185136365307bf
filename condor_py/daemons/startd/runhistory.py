"""Records of runs on this machine (STARTD_HISTORY, STARTD_PER_JOB_HISTORY_DIR) and its event log (STARTD_EVENTLOG)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from condor_py.core.slots import effects as do
from condor_py.core.slots.epevents import event
from condor_py.daemons.common.loop import Loop, now
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import Config
from condor_py.lang.config.build import build
from condor_py.lang.config.builders.history import run_history
from condor_py.model.errors import StoreError
from condor_py.model.event_types import JobEventType
from condor_py.model.settings.startd import StartdEventLogSettings
from condor_py.store.fs import FileSystem
from condor_py.store.history import HistoryWriter, write_per_job
from condor_py.store.limited import append_limited

#: Runs that end within so many seconds are written together.
_TOGETHER = 0.5


@dataclass(slots=True)
class _Files:
    history: HistoryWriter | None
    directory: str


class RunHistory:
    """Takes the records of the core. What cannot be written is logged and lost."""

    def __init__(self, loop: Loop, config: Config, complain: Callable[[str], None]) -> None:
        self._loop = loop
        self._complain = complain
        self._waiting: list[ClassAd] = []
        self._files = _files(config)

    def prepare(self, config: Config) -> Callable[[], None]:
        """Other files, or other limits of theirs."""
        files = _files(config)

        def take() -> None:
            self.flush()
            self._files = files

        return take

    def obey(self, effect: do.Effect) -> bool:
        """Keeps a record until it is written; False for any other effect."""
        if not isinstance(effect, do.RunOver):
            return False
        if not self._waiting:
            self._loop.after(_TOGETHER, self.flush)
        self._waiting.append(effect.ad)
        return True

    def flush(self) -> None:
        """Writes what waits."""
        waiting, self._waiting = self._waiting, []
        try:
            if waiting and self._files.history is not None:
                self._files.history.append(waiting, int(now()))
            for ad in waiting if self._files.directory else ():
                write_per_job(self._files.directory, ad, name=ad.eval_str("GlobalJobId", "") or "")
        except StoreError as error:
            self._complain(str(error))


def _files(config: Config) -> _Files:
    knobs = run_history(config)
    if not knobs.path:
        return _Files(None, knobs.directory)
    writer = HistoryWriter(knobs.path)
    writer.configure(knobs.max_size, knobs.rotations, knobs.every, environment=knobs.environment)
    return _Files(writer, knobs.directory)


class EpEventLog:
    """Takes the events of the core, and those of the daemon itself."""

    def __init__(self, config: Config, complain: Callable[[str], None]) -> None:
        self._knobs = build(StartdEventLogSettings, config)
        self._complain = complain

    def prepare(self, config: Config) -> Callable[[], None]:
        """Another file or limit; what has been put in force is an event itself."""
        knobs = build(StartdEventLogSettings, config)

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


def event_text(event: do.EpEvent, moment: float) -> bytes:
    """The lines of an event: the slot's numbers stand where a job has its cluster and proc."""
    slot, dslot = event.where
    date = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))
    head = f"{event.number:03d} ({slot:03d}.{dslot:03d}.000) {date}.{int(moment % 1 * 1000):03d} {event.name}\n"
    lines = "".join(f"  {name} = {text}\n" for name, text in event.attributes)
    return f"{head}{lines}...\n".encode("utf-8", "surrogateescape")


def started(log: EpEventLog, slots: int) -> None:
    """The startd is up."""
    log.tell(JobEventType.EP_STARTUP, NumSlots=str(slots))
    log.tell(JobEventType.EP_READY, PID=str(os.getpid()))
