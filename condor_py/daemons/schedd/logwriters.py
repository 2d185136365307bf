"""Writers of event logs: the schedd itself where the file system is this machine's own and answers at once, a helper of
the user everywhere else (``daemons.common.helper``), one for each of the user's file systems."""

from __future__ import annotations

import fcntl
import os
import select
import time
from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from condor_py.client.lateevents import Log
from condor_py.client.userlog import Outcome, Request, Then, make_folder
from condor_py.daemons.common.errand import Errand
from condor_py.daemons.common.helper import Helper
from condor_py.daemons.common.loop import Loop, monotonic
from condor_py.machine.probes.mounts import Mounts
from condor_py.machine.run.identity import Account, account, as_user
from condor_py.model.errors import NoSpace, StoreError
from condor_py.store.event_log import LastStates, append, last_states
from condor_py.store.fs import BoundFs, RealFs, can_bind

#: Helpers of one account at most: it may have mounted hundreds of file systems.
_MOST = 4
#: Seconds after which a helper that has nothing to do is let go.
_IDLE = 60.0
#: Seconds that all the logs that helpers read may take when the schedd starts, and the last answers when it ends.
_PATIENCE, _LAST_PATIENCE = 10.0, 2.0
#: Seconds for the lock of a log that somebody else holds.
_LOCK_PATIENCE = 5.0
_LOCK_PAUSE = 0.05


class LogWriters:
    """The helpers of all accounts."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._mounts = Mounts()
        self._can_bind = can_bind()
        self._helpers: dict[tuple[str, str], Helper] = {}
        self._left = _PATIENCE
        self._sweeping = False

    def file_system(self, path: str) -> BoundFs | None:
        """The file system of a log that the schedd may write itself; None when a helper has to."""
        mount = self._mounts.of(path)
        return BoundFs(mount.point) if mount.is_local and self._can_bind else None

    def write(self, log: Log, request: Request, then: Then) -> None:
        """Let a helper append events."""
        path, owner = log
        key = owner, self._mounts.of(path).point
        helper = self._helpers.get(key)
        if helper is None or not helper.lives:
            if not self._may_have_another(owner):
                then(Outcome(0, f"{path}: its owner has too many file systems that do not answer"), "")
                return
            helper = self._helpers[key] = Helper(self._loop, _writer(owner), partial(_append, os.getpid()))
            self._sweep_later()
        helper.ask(request, lambda answer, why: then(None if answer is None else Outcome(*answer), why))

    def _may_have_another(self, owner: str) -> bool:
        its_own = [key for key in self._helpers if key[0] == owner]
        for key in its_own:
            if len(its_own) >= _MOST and not self._helpers[key].busy:
                self._helpers.pop(key).close()
                return True
        return len(its_own) < _MOST

    def _sweep_later(self) -> None:
        if not self._sweeping:
            self._sweeping = True
            self._loop.after(_IDLE, self._sweep)

    def _sweep(self) -> None:
        """Lets go of helpers that have nothing to do."""
        self._sweeping = False
        for key, helper in list(self._helpers.items()):
            if not helper.busy:
                helper.close()
                del self._helpers[key]
        if self._helpers:
            self._sweep_later()

    def read(self, wanted: Mapping[Log, Collection[int]]) -> dict[Log, LastStates | str]:
        """Read the last states of clusters from logs, in a child for each account and file system; a log that cannot be
        read has the reason instead. Only the starting schedd waits for that, and not for long."""
        groups: dict[tuple[str, str], list[tuple[Log, Collection[int]]]] = {}
        for log, clusters in wanted.items():
            groups.setdefault((log[1], self._mounts.of(log[0]).point), []).append((log, clusters))
        found: dict[Log, LastStates | str] = {}
        loop = Loop()
        running: dict[Errand, list[Log]] = {}
        for (owner, _), logs in groups.items():
            errand = Errand(loop, partial(_read, owner, logs), partial(self._has_read, found, logs), alone=True)
            running[errand] = [log for log, _ in logs]
        until = monotonic() + self._left
        while len(found) < len(wanted) and (left := until - monotonic()) > 0:
            loop.turn(left)
        self._left = max(0.0, until - monotonic())
        for errand, its_logs in running.items():
            if any(log not in found for log in its_logs):
                errand.stop()
                found |= {log: f"{log[0]}: its file system does not answer" for log in its_logs}
        loop.close()
        return found

    def _has_read(
        self, found: dict[Log, LastStates | str], logs: list[tuple[Log, Collection[int]]], answer: Any, why: str
    ) -> None:
        found |= dict(answer) if answer is not None else {log: f"{log[0]}: {why}" for log, _ in logs}

    def finish(self) -> None:
        """The schedd ends: helpers may finish what they are at, for a moment."""
        until = monotonic() + _LAST_PATIENCE
        while busy := [helper for helper in self._helpers.values() if helper.busy]:
            ready, _, _ = select.select(busy, [], [], max(0.0, until - monotonic()))
            if not ready:
                break
            for helper in ready:
                helper.read()
        for helper in self._helpers.values():
            helper.close()
        self._helpers.clear()


def _writer(owner: str) -> Account | None:
    return account(owner) if os.geteuid() == 0 else None


class _LockedFs(RealFs):
    """In a helper: nothing is written when the schedd is no more. The next one may have read the log, and would not
    know of it; it reads under the same lock (``_read``)."""

    def __init__(self, schedd: int) -> None:
        self._schedd = schedd

    def lock(self, handle: int) -> bool:
        locked = _lock(handle, fcntl.LOCK_EX)
        if os.getppid() != self._schedd:
            os._exit(0)
        return locked


def _lock(handle: int, how: int) -> bool:
    until = time.monotonic() + _LOCK_PATIENCE
    while True:
        try:
            fcntl.flock(handle, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(_LOCK_PAUSE)
        except OSError:
            return False
        else:
            return True


def _append(schedd: int, words: list[Any]) -> Outcome:
    """In a helper: appends events to a log."""
    request, fs = Request(*words), _LockedFs(schedd)
    path, texts = request.path, request.texts
    if request.begins:
        make_folder(path)
    try:
        append(path, texts, durable=request.durable, unsure=request.unsure, fs=fs)
    except NoSpace as error:
        return Outcome(error.done, str(error))
    except StoreError as error:
        return Outcome(0, str(error), error.lasts)
    return Outcome(len(texts), "")


class _SharedFs(RealFs):
    """In a child that reads: it waits for a helper of the schedd before that is still writing."""

    def open_read(self, path: str) -> int:
        handle = super().open_read(path)
        _lock(handle, fcntl.LOCK_SH)
        return handle


def _read(owner: str, logs: list[tuple[Log, Collection[int]]]) -> list[tuple[Log, LastStates | str]]:
    """In a child: what logs have of clusters."""
    found: list[tuple[Log, LastStates | str]] = []
    with as_user(_writer(owner)):
        for log, clusters in logs:
            try:
                found.append((log, last_states(log[0], clusters, _SharedFs())))
            except Exception as error:  # it is the user's, and the others are other files
                found.append((log, str(error)))
    return found
