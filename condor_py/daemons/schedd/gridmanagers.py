"""The gridmanagers that the schedd has started: one for each user who has grid jobs. It leaves when there are none.

A gridmanager that was killed may have left files of jobs that have ended: another one is started to remove them. An
empty directory next to that of its user tells the next schedd that this is to be done.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from condor_py.core.jobs.effects import GridAcknowledge, GridNews
from condor_py.core.jobs.events import GridReported, GridReportsEnd
from condor_py.daemons.common import ownprograms as programs
from condor_py.daemons.common.link import Link
from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.common.loop import monotonic
from condor_py.daemons.common.service import daemon_environment
from condor_py.daemons.schedd.shared import Shared
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.changes import is_storable
from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.model.messages import grid as say
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.record import is_attribute_name
from condor_py.model.settings.daemon import DaemonSettings
from condor_py.model.settings.grid import GridPlaces
from condor_py.store.ad_store import AdStore

if TYPE_CHECKING:
    import subprocess


#: Seconds for which a gridmanager is kept that has nothing to do.
_IDLE = 30.0
#: The same for one that was started to remove files, with which it begins.
_CLEANING = 5.0
#: Seconds until one that died is started again: the first, and the longest.
_AGAIN, _LONGEST = 1.0, 300.0
#: Ending of the name of that empty directory, which exists until the gridmanager of the user has left by itself.
_MARK = ".unclean"
#: One that lived for so many seconds is started again after the shortest time.
_LIVED = 60.0


class _Manager:
    """A gridmanager that runs. ``process`` is kept so that its end is waited for only once."""

    def __init__(self, process: subprocess.Popen[bytes], link: Link, born: float) -> None:
        self.process = process
        self.link = link
        self.born = born


class GridManagers:
    """Carries out the effects that concern them; what they report comes back as events. They print to ``log``."""

    def __init__(
        self,
        shared: Shared,
        log: DaemonLog,
        ads: AdStore,
        settings: Callable[[], DaemonSettings],
        places: Callable[[], GridPlaces],
    ) -> None:
        self._loop, self._queue, self._core, self._inbox = shared.loop, shared.queue, shared.core, shared.inbox
        self._log = log
        self._ads = ads
        self._settings = settings
        self._places = places
        self._managers: dict[str, _Manager] = {}
        self._delays: dict[str, float] = {}
        self._retries: set[str] = set()
        #: Users whose files of ended jobs have yet to be removed.
        self._unclean: set[str] = set()
        self._shown: dict[str, list[ClassAd]] = {}
        self._closing = False

    def clean_up(self) -> None:
        """Start those that have not left before the schedd, or a schedd before it, was killed."""
        for owner in _marked(self._places().sandbox):
            self._unclean.add(owner)
            self._loop.soon(partial(self._start, owner))

    def carry_out(self, effect: GridNews | GridAcknowledge) -> None:
        """One effect of the core."""
        manager = self._managers.get(effect.owner)
        if isinstance(effect, GridAcknowledge):
            if manager is not None:
                manager.link.send(say.GridSettled(effect.number))
        elif manager is not None:
            manager.link.send(self._job_message(effect.job))
        else:
            self._loop.soon(partial(self._start, effect.owner))
        if not self._core.grid_busy(effect.owner):
            self._loop.after(_IDLE, partial(self._dismiss, effect.owner))

    def _job_message(self, job: JobId) -> say.GridJob | say.GridJobGone:
        ad = self._queue.job(job)
        if ad is None or job not in self._core.known:
            return say.GridJobGone(job)
        return say.GridJob(
            job,
            ad.eval_int("JobStatus", 0),
            ad.eval_str("GridResource", ""),
            ad.eval_str("GlobalJobId", "") or f"{self._settings().schedd_name}#{job}",
            ad.eval_str("GridJobId", ""),
            ad.eval_int("GridAttempt", 0),
            ad.eval_str("GridJobStatus", ""),
        )

    # -- starting and ending -----------------------------------------------------------------------

    def _start(self, owner: str) -> None:
        if self._closing or owner in self._managers or owner in self._retries or not self._is_wanted(owner):
            return
        import subprocess  # few schedds have jobs of the grid

        self._mark(owner)
        jobs = self._core.grid_jobs(owner)
        log, loop = self._log, self._loop
        try:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        except OSError as error:  # no descriptor is left
            log.write(f"cannot start a gridmanager for {owner}: {error}")
            self._again(owner, 0.0)
            return
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-X", "utf8", programs.DAEMONS, "GRIDMANAGER", str(theirs.fileno()), owner],
                env=daemon_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log.fileno(),
                stderr=log.fileno(),
                pass_fds=(theirs.fileno(),),
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            log.write(f"cannot start a gridmanager for {owner}: {error}")
            self._again(owner, 0.0)
            return
        finally:
            theirs.close()
        log.write(f"Started condor_gridmanager for {owner}, pid = {process.pid}")
        loop.watch_children()
        link = Link(loop, ours, partial(self._heard, owner), hears=say.FROM_GRIDMANAGER)
        self._managers[owner] = _Manager(process, link, monotonic())
        loop.on_exit(process.pid, partial(self._gone, owner, process))
        for job in jobs:
            link.send(self._job_message(job))
        link.send(say.GridAllTold())
        if not self._core.grid_busy(owner):
            loop.after(_CLEANING, partial(self._dismiss, owner))

    def _mark(self, owner: str) -> None:
        path = f"{self._places().sandbox}/{owner}{_MARK}"
        try:
            os.makedirs(path, 0o755, exist_ok=True)
        except OSError as error:
            self._log.write(f"cannot make {path}: {error.strerror}")

    def _unmark(self, owner: str) -> None:
        with suppress(OSError):
            os.rmdir(f"{self._places().sandbox}/{owner}{_MARK}")

    def _is_wanted(self, owner: str) -> bool:
        return self._core.grid_busy(owner) or owner in self._unclean

    def _dismiss(self, owner: str) -> None:
        """It leaves when nothing is left for it to do."""
        manager = self._managers.get(owner)
        if manager is not None and not self._core.grid_busy(owner):
            manager.link.close()

    def _gone(self, owner: str, process: subprocess.Popen[bytes], status: int) -> None:
        process.returncode = os.waitstatus_to_exitcode(status)
        manager = self._managers.get(owner)
        if manager is None or manager.process is not process:
            return
        del self._managers[owner]
        manager.link.drain()
        manager.link.close()
        self._show(owner, ())
        if self._closing:
            return
        if process.returncode < 0:
            self._unclean.add(owner)
        else:
            self._unclean.discard(owner)
        if self._is_wanted(owner):
            self._log.write(f"The condor_gridmanager of {owner} (pid {process.pid}) exited: status {status}")
            self._again(owner, monotonic() - manager.born)
        else:
            self._delays.pop(owner, None)
            self._unmark(owner)

    def _again(self, owner: str, lived: float) -> None:
        delay = _AGAIN if lived >= _LIVED else min(_LONGEST, self._delays.get(owner, _AGAIN / 2) * 2)
        self._delays[owner] = delay
        self._retries.add(owner)
        self._loop.after(delay, partial(self._retry, owner))

    def _retry(self, owner: str) -> None:
        self._retries.discard(owner)
        self._start(owner)

    def reconfigure(self) -> None:
        """They read the configuration again."""
        for manager in self._managers.values():
            manager.link.send(say.GridReconfig())

    def close(self) -> None:
        """All leave; the remote jobs go on."""
        self._closing = True
        for manager in self._managers.values():
            manager.link.close()

    # -- what they say -----------------------------------------------------------------------------

    def _heard(self, owner: str, link: Link, message: Message, body: bytes) -> None:
        match message:
            case say.GridReports(number, reports):
                for report in reports:
                    self._inbox.news(GridReported(owner, report.job, report))
                self._inbox.news(GridReportsEnd(owner, number))
            case say.GridAds(ads):
                self._show(owner, ads)
            case say.GridAdWanted(job):
                link.send(say.GridAd(job), self._ad_of(owner, job))
            case say.GridJobWanted(job):
                link.send(self._job_message(job))
            case Refused(error):
                self._log.write(f"The gridmanager of {owner} says: {error}")

    def _show(self, owner: str, ads: Sequence[Sequence[Sequence[str]]]) -> None:
        """The resources of a user, among those of the others."""
        self._shown[owner] = [self._grid_ad(owner, items) for items in ads]
        try:
            self._ads.publish("GRID", [ad for mine in self._shown.values() for ad in mine])
        except StoreError as error:
            self._log.write(str(error))

    def _grid_ad(self, owner: str, items: Sequence[Sequence[str]]) -> ClassAd:
        fit = ((name, text) for name, text in items if is_attribute_name(name) and is_storable(text))
        ad = ClassAd.from_text_items(fit)
        settings = self._settings()
        for name, text in (("MyType", "Grid"), ("Owner", owner), ("ScheddName", settings.schedd_name)):
            ad.set_str(name, text)
        ad.set_str("ScheddIpAddr", settings.address)
        return ad

    def _ad_of(self, owner: str, job: JobId) -> bytes:
        """The ad of a job of its user; nothing for one that is not there, or another user's."""
        ad = self._queue.job(job)
        if ad is None or ad.eval_str("Owner", "") != owner:
            return b"{}"
        return json.dumps(dict(ad.pairs()), separators=(",", ":")).encode()


def _marked(sandbox: str) -> list[str]:
    """The users whose gridmanagers may have left files there."""
    try:
        return sorted(name.removesuffix(_MARK) for name in os.listdir(sandbox) if name.endswith(_MARK))
    except OSError:
        return []
