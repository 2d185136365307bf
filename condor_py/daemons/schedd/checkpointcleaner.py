"""Clearing checkpoints at destinations: older ones while their job runs, all when it has left the queue.

Each clean-up is an errand of its own, so that no other work waits for it. What fails, or is cut off because the schedd
ends, waits for condor_preen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from condor_py.client.spooling import job_folder
from condor_py.daemons.common.loop import Loop, Timer
from condor_py.lang.classad import ClassAd
from condor_py.machine.run.identity import Account, UnknownAccount, account
from condor_py.machine.run.spool import CHECKPOINT
from condor_py.model.ids import JobId
from condor_py.model.later import Later
from condor_py.model.messages.runs import RunUpdate
from condor_py.model.settings.checkpoints import CheckpointSettings

if TYPE_CHECKING:
    from condor_py.daemons.common.errand import Errand
    from condor_py.machine.run import checkpointcleanup
    from condor_py.machine.run.checkpointcleanup import Waiting
else:  # hardly a job has a destination
    checkpointcleanup = Later("condor_py.machine.run.checkpointcleanup")


#: Seconds that setting the lists of a job aside may take: a few calls of the file system.
_PATIENCE = 60.0


class _Retiring(NamedTuple):
    """A job whose lists are to be set aside, what does that, and what follows."""

    job: JobId
    work: Callable[[], Waiting | None]
    then: Callable[[], None]


def _set_aside(
    spool: str, room: str, ad: ClassAd, owner: Account, extra: int, lost: int
) -> Waiting | None:  # the module is loaded by the child
    return checkpointcleanup.set_aside(spool, room, ad, owner, extra, lost)


class CheckpointCleaner:
    """The clean-ups of a schedd."""

    def __init__(self, loop: Loop, spool: str, settings: CheckpointSettings, log: Callable[[str], None]) -> None:
        self._loop = loop
        self._spool = spool
        self._settings = settings
        self._log = log
        #: Jobs whose lists are to be set aside, and those for which a child is at it.
        self._aside: deque[_Retiring] = deque()
        self._setting: set[JobId] = set()
        self._next: deque[Waiting] = deque()
        self._running: dict[str, tuple[Errand, Timer]] = {}

    def configure(self, settings: CheckpointSettings) -> None:
        """Takes other settings."""
        self._settings = settings

    def left(self, job: JobId, ad: ClassAd, then: Callable[[], None]) -> None:
        """A job leaves the queue; its directory of the spool stays until ``then`` is called."""
        self._retire(job, ad, then, -1)

    def updated(self, event: RunUpdate, ad: ClassAd | None) -> None:
        """A running job has reported something: with a new checkpoint it may not need the oldest any more, and one
        that did not get to its destination is of no use."""
        if ad is not None and "CheckpointNumber" in event.attributes:
            lost = int(event.attributes["CheckpointNumber"]) if "FailedCheckpoint" in event.attributes else -1
            self._retire(event.job, ad, lambda: None, self._settings.extra, lost)

    def _retire(self, job: JobId, ad: ClassAd, then: Callable[[], None], extra: int, lost: int = -1) -> None:
        """Lets a child set the lists aside: they lie in directories of the job's owner."""
        if ad.text("CheckpointDestination") is None:
            then()
            return
        room = job_folder(self._spool, job)
        if (ad.eval_str("Iwd", "") or "").rstrip("/") == room:
            room += CHECKPOINT
        try:
            owner = account(ad.eval_str("OsUser", None) or ad.eval_str("Owner", "") or "")
        except UnknownAccount as error:
            self._log(f"cannot clear the checkpoints of job {job}: {error}")
            then()
            return
        self._aside.append(_Retiring(job, partial(_set_aside, self._spool, room, ad, owner, extra, lost), then))
        self._set_next_aside()

    def _set_next_aside(self) -> None:
        """Starts the children for the jobs whose turn it is; one for each job at a time, as one may undo the other."""
        for _ in range(len(self._aside)):
            next_one = self._aside.popleft()
            if len(self._setting) >= self._settings.most or next_one.job in self._setting:
                self._aside.append(next_one)
            else:
                self._set_aside(next_one)

    def _set_aside(self, one: _Retiring) -> None:
        from condor_py.daemons.common.errand import Errand

        def ended(waiting: Waiting | None, why: str) -> None:
            timer.cancel()
            self._setting.discard(one.job)
            if why:
                self._log(f"cannot clear the checkpoints of job {one.job}: {why}")
            one.then()
            if waiting is not None and all(waiting.directory != each.directory for each in self._next):
                self._next.append(waiting)
                self._go_on()
            self._set_next_aside()

        def stop() -> None:
            errand.stop()
            ended(None, f"the directories of its owner do not answer within {_PATIENCE:.0f} seconds")

        self._setting.add(one.job)
        errand = Errand(self._loop, one.work, ended, alone=True)
        timer = self._loop.after(_PATIENCE, stop)

    def _go_on(self) -> None:
        for _ in range(len(self._next)):
            waiting = self._next.popleft()
            if len(self._running) >= self._settings.most or waiting.directory in self._running:
                self._next.append(waiting)
                continue
            self._start(waiting)

    def _start(self, waiting: Waiting) -> None:
        settings, place = self._settings, waiting.directory

        def cleared(errors: list[str] | None, why: str) -> None:
            self._ended(place, [why] if errors is None else errors)

        from condor_py.daemons.common.errand import Errand

        errand = Errand(self._loop, partial(checkpointcleanup.clear_waiting, waiting, settings), cleared, alone=True)
        timer = self._loop.after(float(settings.job_timeout), lambda: self._stop(place))
        self._running[place] = errand, timer

    def _stop(self, place: str) -> None:
        self._running[place][0].stop()
        self._ended(place, [f"it took longer than {self._settings.job_timeout} seconds"])

    def _ended(self, place: str, errors: list[str]) -> None:
        self._running.pop(place)[1].cancel()
        for text in errors:
            self._log(f"The checkpoints of {place} were not all cleared: {text.strip()}")
        self._go_on()
