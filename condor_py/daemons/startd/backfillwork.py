"""Backfill work: the programs that compute while no job wants the slots, one for all (BOINC) or one a slot (COMMAND).

None of them is ours: each gets an account, a control group, and no more of our environment than a path. All that it has
started is dead before its end is reported.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from condor_py.core.slots import events as on
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.common.remover import Remover
from condor_py.daemons.starter.jobfamily import group_name
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import Config
from condor_py.lang.config.builders.backfill import backfill as backfill_knobs
from condor_py.lang.submit.env import parse_environment
from condor_py.machine.probes import jobgroup, process
from condor_py.machine.probes.jobgroup import GroupDoor, JobGroup, Limits
from condor_py.machine.run.identity import Account, UnknownAccount, account, account_of, as_user
from condor_py.machine.run.spawning import Launch, start
from condor_py.model.arguments import ArgumentError, words_of
from condor_py.model.settings.backfill import BoincSettings, CommandSettings
from condor_py.model.settings.starter import StarterSettings

_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(slots=True)
class _Client:
    """A program that runs. ``room`` is its scratch directory, "" for none."""

    process: subprocess.Popen[bytes]
    group: JobGroup | None
    room: str

    def family(self) -> set[int]:
        """Its processes, as far as they live."""
        pid = self.process.pid
        found = process.session_pids(pid)
        if self.process.returncode is None:  # afterwards the number may be another process's
            found |= {pid, *process.descendants(pid)}
        if self.group is not None:
            found |= self.group.members()
        elif self.room:
            found |= process.find_by_environ("_CONDOR_SCRATCH_DIR", self.room)
        return {pid for pid in found if process.alive(pid)}

    def kill(self) -> None:
        """Kills all of them."""
        if self.group is not None:
            self.group.kill()
        process.kill_family(self.family)


class BackfillWork:
    """Starts and stops clients, by the names of their slots ("" is that of all); and reports when they begin and end.

    ``named_ad`` gives the ad of a slot.
    """

    def __init__(
        self,
        loop: Loop,
        log: Callable[[str], None],
        config: Config,
        starter: StarterSettings,
        named_ad: Callable[[str], ClassAd | None],
        handle: Callable[[on.Event], object],
    ) -> None:
        self._loop = loop
        self._log = log
        self._named_ad = named_ad
        self._handle = handle
        self._settings = backfill_knobs(config)
        self._starter = starter
        self._clients: dict[str, _Client] = {}
        self._wanted: set[str] = set()
        self._remover = Remover(loop, log)

    def prepare(self, config: Config, starter: StarterSettings) -> Callable[[], None]:
        """Other programs; those that run stay until they are stopped."""
        settings = backfill_knobs(config)

        def take() -> None:
            self._settings, self._starter = settings, starter

        return take

    def start(self, slot: str) -> None:
        """Starts a client, unless it is stopped before we come to it."""
        self._wanted.add(slot)
        self._loop.soon(lambda: self._start(slot))

    def stop(self, slot: str) -> None:
        """Kills a client; one that was never started is gone at once."""
        self._wanted.discard(slot)
        if slot in self._clients:
            self._clients[slot].kill()
        else:
            self._loop.soon(lambda: self._handle(on.BackfillGone(slot=slot)))

    def stop_all(self) -> None:
        """The startd leaves."""
        self._wanted.clear()
        for client in self._clients.values():
            client.kill()
            self._clear(client)

    def _start(self, slot: str) -> None:
        if slot not in self._wanted or slot in self._clients:
            return
        try:
            client = self._clients[slot] = self._spawn(slot)
        except (OSError, subprocess.SubprocessError, ArgumentError, UnknownAccount) as error:
            what = f"the backfill command of {slot}" if slot else "BOINC client"
            self._log(f"ERROR spawning {what}, can't start backfill: {error}")
            self._handle(on.BackfillStarted(ok=False, slot=slot))
            return
        self._loop.on_exit(client.process.pid, lambda status: self._gone(slot, status))
        self._handle(on.BackfillStarted(slot=slot))

    def _gone(self, slot: str, status: int) -> None:
        client = self._clients.pop(slot, None)
        if client is not None:
            client.process.returncode = os.waitstatus_to_exitcode(status)
            client.kill()
            self._clear(client)
        self._handle(on.BackfillGone(status, slot))

    def _clear(self, client: _Client) -> None:
        if client.group is not None:
            client.group.clear()
        if client.room:
            self._remover.take_away(client.room)

    # -- starting

    def _spawn(self, slot: str) -> _Client:
        """OSError, ArgumentError, UnknownAccount and others: it cannot be started."""
        settings = self._settings
        if isinstance(settings, CommandSettings) and slot:
            return self._spawn_command(settings, slot)
        if isinstance(settings, BoincSettings) and not slot:
            return self._spawn_boinc(settings)
        raise OSError(0, "there is no backfill client to start")

    def _spawn_boinc(self, settings: BoincSettings) -> _Client:
        owner = _owner(settings.owner, "BOINC_Owner")
        argv = [settings.executable, *words_of(settings.arguments)]
        environment = {**_environment(owner), **_given(settings.environment)}
        with _appended(settings.output, owner) as out, _appended(settings.error, owner) as err:
            return self._launch("backfill0@boinc", argv, environment, settings.directory or "/", owner, (out, err))

    def _spawn_command(self, settings: CommandSettings, slot: str) -> _Client:
        ad = self._named_ad(slot)
        number, cpus = (0, 1) if ad is None else (ad.eval_int("SlotID", 0) or 0, max(1, ad.eval_int("Cpus", 1) or 1))
        memory = (ad.eval_int("Memory", 0) or 0) << 20 if ad is not None else 0
        owner = _owner(settings.owner, "BACKFILL_COMMAND_OWNER")
        argv = words_of(settings.line(number))
        if not argv:
            raise OSError(0, "BACKFILL_COMMAND is empty")
        room = self._room(slot, owner)
        own = {"_CONDOR_SLOT": slot.partition("@")[0], "_CONDOR_SCRATCH_DIR": room, "TMPDIR": room}
        threads = {"OMP_NUM_THREADS": str(cpus)}
        environment = {**_environment(owner), **threads, **_given(settings.environment), **own}
        try:
            with _appended(settings.output, owner) as out:
                return self._launch(
                    slot, argv, environment, settings.directory or room, owner, (out, out),
                    room=room, memory=memory, niceness=settings.niceness,
                )  # fmt: skip
        except BaseException:
            self._remover.take_away(room)
            raise

    def _room(self, slot: str, owner: Account | None) -> str:
        """A new scratch directory; one that is left over is found by its name at the next start."""
        from tempfile import mkdtemp

        tag = slot.partition("@")[0]
        room = mkdtemp(prefix=f"dir_backfill_{tag}_", dir=self._starter.execute)
        if owner is not None:
            os.chown(room, owner.uid, owner.gid)
        return room

    def _launch(
        self,
        slot: str,
        argv: list[str],
        environment: dict[str, str],
        directory: str,
        owner: Account | None,
        streams: tuple[IO[bytes], IO[bytes]],
        *,
        room: str = "",
        memory: int = 0,
        niceness: int = 0,
    ) -> _Client:
        base = self._starter.base_cgroup
        group = jobgroup.create(base, group_name(self._starter.execute, slot, os.getpid())) if base else None
        if group is not None:
            hard = memory if self._starter.cgroup_memory_limit_policy == "hard" else 0
            group.limit(Limits(hard=hard))
        door = GroupDoor(group, None) if group is not None else None
        try:
            launch = Launch(argv, environment, directory, owner, door=door, niceness=niceness)
            return _Client(start(launch, subprocess.DEVNULL, *streams), group, room)
        except BaseException:
            if group is not None:
                group.clear()
            raise


def _owner(name: str, knob: str) -> Account | None:
    """The account that the program gets; only root can choose. UnknownAccount: never root's unless it is asked for."""
    if os.geteuid() != 0:
        return None
    if not name:
        raise UnknownAccount(f"{knob} is not set, and nothing runs as root without being asked to")
    return account(name)


def _environment(owner: Account | None) -> dict[str, str]:
    """Return the environment for an account, independent of ours."""
    who = owner or account_of(os.geteuid())
    known = {"HOME": who.home, "USER": who.name, "LOGNAME": who.name} if who is not None else {}
    return {"PATH": _PATH, **known}


def _given(text: str) -> dict[str, str]:
    return {name: value for name, value in parse_environment(text).items() if value is not None}


def _appended(path: str, owner: Account | None) -> IO[bytes]:
    """Opened as the client, which may put a link there."""
    with as_user(owner):
        return open(path or os.devnull, "ab")
