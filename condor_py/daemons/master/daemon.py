"""condor_master: starts the daemons of DAEMON_LIST, restarts what dies, and takes everything down with it."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from condor_py.client.lockfile import serving
from condor_py.client.mail import Mailer
from condor_py.daemons.common import ownprograms as programs
from condor_py.daemons.common.configuration import Outcome
from condor_py.daemons.common.hookpath import unusable
from condor_py.daemons.common.link import Link
from condor_py.daemons.common.loop import Loop, Timer, monotonic, now
from condor_py.daemons.common.service import NO_RESTART, PARENT_FD, Service, daemon_environment
from condor_py.daemons.master.obituary import Death, manner, obituary, worth_a_mail
from condor_py.daemons.master.startup import StartReport, StartWatch
from condor_py.lang.config import Config
from condor_py.lang.config.build import build
from condor_py.lang.config.builders.daemon import log as daemon_log
from condor_py.lang.config.builders.daemon import mail as mail_knobs
from condor_py.lang.config.builders.daemon import master as master_knobs
from condor_py.lang.config.builders.daemon import shutdown_program
from condor_py.lang.config.builders.history import pool_history
from condor_py.machine.probes.process import forbid_new_rights
from condor_py.machine.run.identity import Account, UnknownAccount, account
from condor_py.model.errors import StoreError
from condor_py.model.messages import common
from condor_py.model.messages import master as say
from condor_py.model.messages.codec import Message, Refused, onward
from condor_py.model.messages.machine import Drain
from condor_py.model.messages.wakeups import Done
from condor_py.model.settings.history import PoolHistorySettings
from condor_py.model.settings.master import OWN_PREEN, Backoff
from condor_py.model.settings.tokens import TokenSettings
from condor_py.store.ad_store import AdStore
from condor_py.store.signing_keys import make_key

if TYPE_CHECKING:
    from condor_py.machine.probes.jobgroup import JobGroup
    from condor_py.store.pool_history import PoolHistory

#: The order in which daemons are taken down: no job may start while the slots empty.
_DOWN_ORDER = ("GANGLIAD", "DEFRAG", "ROOSTER", "JOB_ROUTER", "NEGOTIATOR", "STARTD", "SCHEDD", "CREDD")
#: A daemon that has withdrawn its ads is gone in so many seconds.
_LEAVES_WITHIN = 30.0
#: Seconds until the first run of condor_preen, at most.
_FIRST_PREEN = 3600.0


def _program(name: str) -> str:
    return f"condor_{name.lower()}"


@dataclass
class _Daemon:
    """One supervised daemon. ``wanted`` is false after condor_off; ``failures`` grow the back-off. ``how`` it is being
    stopped is empty while it runs. ``again`` is when condor_on found it neither gone nor serving."""

    name: str
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    failures: int = 0
    wanted: bool = True
    timer: Timer | None = None
    how: str = ""
    again: float = float("-inf")
    group: JobGroup | None = None
    #: Exit status of the last process, or the negative number of its signal.
    status: int = 0
    killers: list[Timer] = field(default_factory=list)

    @property
    def pid(self) -> int:
        """The process id; 0 while it does not run."""
        return self.process.pid if self.process is not None else 0

    def try_start(
        self,
        command: list[str],
        environment: dict[str, str],
        pipe: int | None,
        log: int,
        now: float,
        identity: Account | None,
    ) -> None:
        """Start the process; ``pipe`` stays open in it, ``log`` takes its output. OSError."""
        self.started = now  # also of a start that fails: the next ones wait
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=() if pipe is None else (pipe,),
            cwd="/",
            start_new_session=True,
            user=None if identity is None else identity.uid,
            group=None if identity is None else identity.gid,
            extra_groups=None if identity is None else identity.groups,
        )
        self.how = ""

    def enter(self, group: JobGroup | None) -> None:
        """Note the control group that the process is in."""
        self.group = group

    def start_later(self, timer: Timer) -> None:
        """Note the timer of the next start."""
        self.timer = timer

    def cancel_start(self) -> None:
        """Drop the start that is due, if there is one."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def stops(self, how: str) -> bool:
        """Note how the process is to be stopped; False if there is none or it is being stopped so."""
        if self.process is None or self.how == how:
            return False
        self.how = how
        return True

    def reap(self) -> int | None:
        """Return the pid of the process if it has ended, with its status in ``status``."""
        process = self.process
        if process is None or process.poll() is None:
            return None
        self.process, self.status = None, process.returncode
        for timer in self.killers:
            timer.cancel()
        self.killers.clear()
        if self.group is not None:
            self.group.close()  # not while starters are in it
        return process.pid

    def fail(self, now: float, recover: float) -> int:
        """Count a failure and return how many there were in a row: the first again after ``recover`` seconds."""
        if now - self.started > recover:
            self.failures = 0
        self.failures += 1
        return self.failures

    def want(self, wanted: bool) -> None:
        """Let it run, or not before the next condor_on."""
        self.wanted = wanted

    def turn_on(self) -> None:
        """Let it run, as if it had never failed."""
        self.wanted, self.failures = True, 0

    def note_leaving(self, now: float) -> None:
        """Remember that it was turned on while its process was about to leave."""
        self.again = now


class _Sampler:
    """The samples of slots and submitters that are kept for condor_stats (KEEP_POOL_HISTORY)."""

    def __init__(self, loop: Loop, ads: AdStore, log: Callable[[str], None]) -> None:
        self._loop, self._ads, self._log = loop, ads, log
        self._settings: PoolHistorySettings | None = None
        self._history: PoolHistory | None = None
        self._timer: Timer | None = None

    def configure(self, settings: PoolHistorySettings) -> None:
        """Begin, change or end the sampling. Samples that are not written are lost then."""
        if settings == self._settings:
            return
        self._settings = settings
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._history = None
        if not settings.kept:
            return
        from condor_py.store.pool_history import PoolHistory  # few pools keep it

        try:
            os.makedirs(settings.directory, 0o755, exist_ok=True)
        except OSError as error:
            self._log(f"ERROR: KEEP_POOL_HISTORY: cannot make {settings.directory}: {error.strerror}")
            return
        self._history = PoolHistory(settings.directory, settings.max_storage)
        self._timer = self._loop.after(float(settings.interval), self._sample)

    def _sample(self) -> None:
        if self._history is None or self._settings is None:
            return
        self._timer = self._loop.after(float(self._settings.interval), self._sample)
        try:
            self._history.sample(self._ads.read("SUBMITTERS"), self._ads.read("STARTD"), int(now()))
        except (OSError, StoreError) as error:
            self._log(f"ERROR: KEEP_POOL_HISTORY: {error}")


class MasterDaemon(Service):
    """Supervisor. Every daemon holds the read end of a pipe of ours; when we die, it notices at once."""

    subsystem = "MASTER"
    kinds = ("MASTER",)
    hears = say.BY_MASTER

    def __init__(self, local_name: str = "") -> None:
        super().__init__(local_name)
        self.knobs, unknown = master_knobs(self.config)
        if self.knobs.disable_setuid and not forbid_new_rights():
            self.log.write("ERROR: DISABLE_SETUID: the kernel does not forbid setuid programs to give rights")
        if unknown:
            self.log.write(f"DAEMON_LIST: not part of this pool, ignored: {', '.join(unknown)}")
        self._pipe_read, self._pipe_write = os.pipe2(os.O_CLOEXEC)
        starts = self.knobs.is_wanted and self.knobs.starts_daemons
        self._daemons = {name: _Daemon(name, wanted=starts) for name in self.knobs.daemons}
        #: Paths of daemons that are other programs; those that have left DAEMON_LIST may still run.
        self._programs = dict(self.knobs.programs)
        self._restarting = False
        #: A command that waits until the startd has drained and left.
        self._after_drain: say.Command | None = None
        #: The program that this process becomes at its end (condor_set_shutdown); empty for none.
        self.shutdown_program = ""
        self._groups_daemons = self.knobs.groups_daemons and bool(self.knobs.base_cgroup)
        self.loop.on_signal(signal.SIGCHLD, self._reap)
        self.ads = AdStore(self.paths.ads)
        self._make_pool_key(self.config)
        self._publish()
        self._publishing = self.loop.every(float(self.knobs.update_interval), self._publish)
        self._sampler = _Sampler(self.loop, self.ads, self.log.write)
        self._sampler.configure(pool_history(self.config))
        for daemon in self._daemons.values():
            self._start(daemon)
        self._preening: subprocess.Popen[bytes] | None = None
        self._preen_due = self.loop.every(
            float(max(1, self.knobs.preen_interval)), self._preen_in_turn, first=_FIRST_PREEN
        )
        #: Probable mistakes of the configuration, for the user who starts the pool.
        self.advice = [*self.configuration.warnings(), *self._about_slots()]
        for line in self.advice:
            self.log.write(line)
        self._leave_if_unwanted()
        if self.knobs.is_wanted and not starts:
            self.log.write("START_DAEMONS flag was set to FALSE.  Not starting daemons.")

    def _make_pool_key(self, config: Config) -> None:
        """Make the key that signs the pool's tokens, if there is none. A pool that cannot have one works without."""
        path = build(TokenSettings, config).pool_key
        try:
            if path and make_key(path):
                self.log.write(f"Created POOL token signing key in file {path}")
        except StoreError as error:
            self.log.write(str(error))

    def _leave_if_unwanted(self) -> None:
        """START_MASTER = false: go."""
        if not self.knobs.is_wanted:
            self.log.write("START_MASTER was set to FALSE, shutting down.")
            self.loop.soon(lambda: self._shutdown("graceful"))

    def watch_start(self, report: Callable[[StartReport], None]) -> None:
        """Call ``report`` once each daemon serves or has died; what it says is in the log, too."""

        def reported(found: StartReport) -> None:
            for line in found.lines:
                self.log.write(line)
            report(found)

        logs = {name: daemon_log(self.config, name).path for name in self._daemons}
        StartWatch(
            self.loop,
            [daemon for daemon in self._daemons.values() if daemon.wanted],
            lambda name, pid: name in self._programs or serving(self.paths, name) == pid,
            logs,
            reported,
        )

    def _about_slots(self) -> list[str]:
        """List complaints about configured slots that are impossible; empty if no slots are configured."""
        configured = any(macro.name.lower().startswith(("num_slots", "slot_type_")) for macro in self.config.macros)
        if "STARTD" not in self.knobs.daemons or not configured:
            return []
        from condor_py.client.configcheck import impossible_slots  # the startd's packages are only needed now

        return impossible_slots(self.config)

    def _own_environment(self, name: str) -> dict[str, str]:
        """<NAME>_ENVIRONMENT of a daemon; a text that cannot be read is logged and left out."""
        text = self.knobs.environments.get(name, "")
        if not text:
            return {}
        from condor_py.lang.submit.env import parse_environment
        from condor_py.model.arguments import ArgumentError  # of no use to other pools

        try:
            return {variable: value or "" for variable, value in parse_environment(text).items()}
        except ArgumentError as error:
            self.log.write(f"ERROR: {name}_ENVIRONMENT is ignored: {error}")
            return {}

    def _arguments(self, name: str, text: str) -> list[str]:
        """The words of <NAME>_ARGS, in which double quotes of the old syntax are plain; a text that cannot be read is
        logged and left out."""
        if not text:
            return []
        from condor_py.model.arguments import ArgumentError, is_v2_quoted, split_v1, split_v2, unquote_v2

        try:
            return split_v2(unquote_v2(text)) if is_v2_quoted(text) else split_v1(text)
        except ArgumentError as error:
            self.log.write(f"ERROR: {name}_ARGS is ignored: {error}")
            return []

    def _command(self, name: str) -> list[str]:
        """The command line of a daemon. What is ours is run by our interpreter."""
        ours = [sys.executable, "-I", "-S", "-X", "utf8"]
        words, path = self._arguments(name, self.knobs.arguments.get(name, "")), self._programs.get(name)
        if path is None:
            return [*ours, programs.COMMANDS, _program(name), *words] if words else [*ours, programs.DAEMONS, name]
        if programs.is_daemon(path):
            local = [] if "-local-name" in words else ["-local-name", name]
            return [*ours, programs.COMMANDS, os.path.basename(path), *local, *words]
        return [*programs.command_line([path]), *words]

    # -- starting and stopping ---------------------------------------------------------------------

    def _start(self, daemon: _Daemon) -> None:
        daemon.cancel_start()
        if daemon.process is not None or not daemon.wanted or self.stopping:
            return
        environment = {**daemon_environment(), **self._own_environment(daemon.name)}
        command = self._command(daemon.name)
        pipe = self._pipe_read if command[0] == sys.executable else None
        if pipe is not None:
            environment[PARENT_FD] = str(pipe)
        try:
            user = self._account(daemon.name)
            daemon.try_start(command, environment, pipe, self.log.fileno(), monotonic(), user)
        except OSError as error:
            self.log.write(f"cannot start {daemon.name}: {error}")
            self._retry(daemon)
            return
        kind = "process" if daemon.name in self._programs else "DaemonCore process"
        self.log.write(f'Started {kind} "{self._shown(daemon.name)}", pid and pgroup = {daemon.pid}')
        if self._groups_daemons:
            self._group(daemon)

    def _account(self, name: str) -> Account | None:
        """The account that a program of an administrator runs as: <NAME>_USERID, else ours (None). OSError if there is
        no such account, and for a program that another account may change if it would run as root."""
        path, user = self._programs.get(name), self.knobs.users.get(name, "")
        if path is None or os.geteuid():
            return None
        if user:
            try:
                return account(user)
            except UnknownAccount as error:
                raise OSError(f"{name}_USERID: {error}") from None
        self._refuse_if_open(path)
        return None

    def _refuse_if_open(self, path: str) -> None:
        """Raise OSError for a program that another account may change if it would run as root."""
        if os.geteuid() == 0 and os.path.exists(path) and "writable" in (problem := unusable(path)):
            raise OSError(errno.EPERM, f"it {problem}: refusing to run it as root", path)

    def _shown(self, name: str) -> str:
        """Return the name of a daemon in the log: its program."""
        return self._programs.get(name) or _program(name)

    def _group(self, daemon: _Daemon) -> None:
        """CGROUP_ALL_DAEMONS: put a daemon into its control group. One that starts again has the same."""
        from condor_py.machine.probes import jobgroup  # few pools have such groups

        pool = (self.config.root or self.paths.local_dir).replace("/", "_")
        group = jobgroup.resident(self.knobs.base_cgroup, f"{daemon.name}_for_{pool}") if os.geteuid() == 0 else None
        if group is None or not group.adopt(daemon.pid):
            self.log.write(f"ERROR: CGROUP_ALL_DAEMONS: no control group for the {daemon.name}")
        daemon.enter(group)

    def _retry(self, daemon: _Daemon) -> float:
        """Starts a daemon that failed again, the first time at once; in how many seconds."""
        delay = self._delay(daemon)
        self.log.write(f"restarting {self._shown(daemon.name)} in {delay:g} seconds")
        daemon.start_later(self.loop.after(delay, lambda: self._start(daemon)))
        return delay

    def _mourn(self, daemon: _Daemon, status: int, delay: float) -> None:
        """PUBLISH_OBITUARIES: send a mail to the address in <SUBSYS>_ADMIN_EMAIL or CONDOR_ADMIN."""
        knobs, path = self.knobs.obituaries, daemon_log(self.config, daemon.name).path
        death = Death(daemon.name, self.settings.host, status, daemon.failures, delay, path)
        if not knobs.send or not worth_a_mail(death):
            return
        mail = mail_knobs(self.config)
        mailer = Mailer(mail, self.log.write, self.condor)
        if mailer.send(knobs.addresses.get(daemon.name) or mail.admin, *obituary(death, knobs.lines)):
            self.log.write(f"Sent mail about the {daemon.name}")

    def _delay(self, daemon: _Daemon) -> float:
        """Seconds until a daemon that has just failed is started again."""
        knobs = self.knobs.backoffs.get(daemon.name, Backoff())
        return knobs.delay(daemon.fail(monotonic(), knobs.recover))

    def _reap(self) -> None:
        self._reap_preen()
        for daemon in self._daemons.values():
            pid = daemon.reap()
            if pid is None:
                continue
            status = daemon.status
            how = f"died due to signal {-status}" if status < 0 else f"exited with status {status}"
            self.log.write(f"The {daemon.name} (pid {pid}) {how}")
            if status == NO_RESTART and monotonic() - daemon.again > _LEAVES_WITHIN:
                self.log.write(f"The {daemon.name} does not want to be started again before condor_on")
                daemon.want(False)
            if daemon.name == "STARTD" and status == NO_RESTART and self._after_drain is not None:
                command, self._after_drain = self._after_drain, None
                self._perform(command)
            if daemon.wanted and daemon.process is None and not self.stopping:
                if daemon.how or status in (3, NO_RESTART):
                    self._start(daemon)
                else:
                    self._mourn(daemon, status, self._retry(daemon))
        if self.stopping:
            self._take_down()

    def _preen_in_turn(self) -> None:
        """PREEN, an hour after the start and every PREEN_INTERVAL (0: never)."""
        if self.knobs.preen_interval > 0 and self.knobs.preen and not self.stopping:
            self._preen()

    def _preen(self) -> None:
        """Run PREEN with PREEN_ARGS; the one before must have ended."""
        program, arguments = self.knobs.preen, self.knobs.preen_arguments
        if not program:
            self.log.write("WARNING: PREEN has no configured value, ignoring command to run Preen.")
            return
        if self._preening is not None:
            pid = self._preening.pid
            self.log.write(f"WARNING: Preen is already running (pid {pid}), ignoring command to run Preen.")
            return
        command = [program]
        if os.path.basename(program) == OWN_PREEN:
            command = [sys.executable, "-I", "-X", "utf8", programs.COMMANDS, OWN_PREEN]
        try:
            if command == [program]:
                self._refuse_if_open(program)
            self._preening = subprocess.Popen(
                [*command, *arguments], env=daemon_environment(), stdin=subprocess.DEVNULL,
                stdout=self.log.fileno(), stderr=self.log.fileno(), cwd="/", start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            self.log.write(f"cannot start condor_preen: {error}")
        else:
            self.log.write(f"Preen pid is {self._preening.pid}")

    def _reap_preen(self) -> None:
        if self._preening is None or self._preening.poll() is None:
            return
        self.log.write(f"Preen (pid {self._preening.pid}) {manner(self._preening.returncode)}")
        self._preening = None

    def _stop(self, daemon: _Daemon, how: str) -> None:
        """SIGTERM or SIGQUIT, and after the time-out what is next harder."""
        daemon.cancel_start()
        if not daemon.stops(how) or daemon.process is None:
            return
        if how == "peaceful" and daemon.name not in self._programs:
            self._ask_to_leave(daemon)
            return
        daemon.process.send_signal(signal.SIGQUIT if how == "fast" else signal.SIGTERM)
        patience = self.knobs.shutdown_fast_timeout if how == "fast" else self.knobs.shutdown_graceful_timeout
        daemon.killers.append(self.loop.after(float(patience), lambda: self._harder(daemon, how)))

    def _ask_to_leave(self, daemon: _Daemon) -> None:
        from condor_py.client.wire import WireError, ask

        try:
            ask(self.paths.socket(daemon.name.lower()), common.Shutdown("peaceful"), timeout=5.0)
        except WireError as error:
            self.log.write(str(error))

    def _harder(self, daemon: _Daemon, how: str) -> None:
        if daemon.process is None:
            return
        if how == "fast":
            self.log.write(f"The {daemon.name} does not obey: killing it")
            daemon.process.kill()
        else:
            self._stop(daemon, "fast")

    # -- signals and commands ----------------------------------------------------------------------

    def message(self, link: Link, message: Message, body: bytes) -> None:
        """Commands of condor_off, condor_on, condor_restart, condor_who."""
        if isinstance(message, say.Status):
            pids = {name: daemon.process.pid for name, daemon in self._daemons.items() if daemon.process is not None}
            off = [name for name, daemon in self._daemons.items() if not daemon.wanted]
            link.send(say.MasterStatus(os.getpid(), pids, off))
            return
        if not self.is_admin(link):
            link.send(Refused("denied"))
            return
        if isinstance(message, say.Command) and message.drain is not None:
            self._drain_first(link, message)
            return
        link.send(Done())
        link.flush()
        match message:
            case say.SetShutdown(program):
                self._set_shutdown(program)
            case say.Command():
                self._perform(message)

    def _perform(self, command: say.Command) -> None:
        """Carry out a command. One that turns PREEN on or off runs condor_preen now, as in HTCondor."""
        if command.program:
            self._set_shutdown(command.program)
        if command.daemon == "PREEN" and isinstance(command, (say.On, say.Off)):
            self._preen()
        for name in [command.daemon] if command.daemon else list(self._daemons):
            daemon = self._daemons.get(name)
            if daemon is not None:
                self._obey_for(daemon, command)
        match command:
            case say.RestartMaster():
                self._shutdown(command.how)
                self._restarting = True
            case say.OffMaster():
                self._shutdown(command.how)
            case say.ReconfigDrained():
                if "STARTD" in self._daemons:
                    self._obey_for(self._daemons["STARTD"], say.On())
                self.reconfig()

    def _drain_first(self, link: Link, command: say.Command) -> None:
        """A command with -drain: the startd drains and leaves, and then it is performed. A startd that ends otherwise
        is started again, and the command waits."""
        from condor_py.client.wire import WireError, ask

        if command.program and shutdown_program(self.config, command.program) is None:
            self._refuse(link, command, f"MASTER_SHUTDOWN_{command.program.upper()} is not set")
            return
        assert command.drain is not None
        drain = onward(Drain, command.drain, on_completion="exit")
        try:
            answer = ask(self.paths.socket("startd"), drain, timeout=20.0)
        except WireError as error:
            self.log.write(f"nothing to drain: {error}")
            link.send(Done())
            link.flush()
            self._perform(command)
            return
        if isinstance(answer, Refused):
            self._refuse(link, command, f"the startd does not drain: {answer.error}")
            return
        self.log.write(f"Draining before {command.op}")
        self._after_drain = command
        link.send(Done())

    def _refuse(self, link: Link, command: say.Command, why: str) -> None:
        """Do nothing of a command with -drain, and tell so."""
        self.log.write(f"Aborting {command.op}: {why}")
        link.send(Refused(why))

    def _obey_for(self, daemon: _Daemon, command: say.Command) -> None:
        """Carry out a command for one daemon."""
        match command:
            case say.Off():
                daemon.want(False)
                self._stop(daemon, command.how)
            case say.On():
                daemon.turn_on()
                if daemon.process is None:
                    self._start(daemon)
                elif self.ads.stamp(daemon.name) is None:  # it is about to leave: on again after that
                    daemon.note_leaving(monotonic())
            case say.Restart():
                daemon.want(True)
                if daemon.process is None:
                    self._start(daemon)
                else:
                    self._stop(daemon, command.how)

    def last_program(self) -> str:
        """Return the program that this process becomes at its end, "" for none: that of condor_set_shutdown, else
        DEFAULT_MASTER_SHUTDOWN_SCRIPT."""
        return self.shutdown_program or self.config.path("DEFAULT_MASTER_SHUTDOWN_SCRIPT")

    def _set_shutdown(self, name: str) -> None:
        """MASTER_SHUTDOWN_<Name> names the program; defined as nothing it takes an earlier one back."""
        path = shutdown_program(self.config, name)
        if path is None:
            self.log.write(f"No shutdown program defined for 'MASTER_SHUTDOWN_{name.upper()}'")
            return
        if path and not os.access(path, os.X_OK):
            self.log.write(f"WARNING: no execute access to shutdown program ({path})")
        self.shutdown_program = path
        self.log.write(f"Setting shutdown program {name.upper()} path to {path}")

    def prepare(self, config: Config) -> Callable[[], None]:
        """Read the settings. When they take effect, daemons that are new in the list start, and others stop."""
        knobs, _ = master_knobs(config)
        history = pool_history(config)

        def take() -> None:
            """Put the new settings in force."""
            self._sampler.configure(history)
            before, self.knobs = self.knobs.daemons, knobs
            self._leave_if_unwanted()
            self._programs.update(knobs.programs)
            self._make_pool_key(config)
            self._preen_due.change(float(max(1, knobs.preen_interval)))
            self._publishing.change(float(knobs.update_interval))
            for name in knobs.daemons:
                if name not in before:
                    daemon = self._daemons.setdefault(name, _Daemon(name))
                    daemon.want(knobs.starts_daemons)
                    self._start(daemon)
            for name, daemon in self._daemons.items():
                if name not in knobs.daemons:
                    daemon.want(False)
                    self._stop(daemon, "graceful")

        return take

    def reconfig(self) -> Outcome:
        """Read the configuration again, and have the other daemons do the same."""
        outcome = super().reconfig()
        if not outcome.failed:
            for daemon in self._listed():
                if daemon.process is not None:
                    daemon.process.send_signal(signal.SIGHUP)
        return outcome

    def reconfig_answer(self, order: common.Reconfig) -> common.Reconfigured:
        """Answer condor_reconfig, which sends the request to the other daemons itself (``alone``) to get their
        answers."""
        outcome = super().reconfig() if order.alone else self.reconfig()
        return common.Reconfigured(*outcome, daemons=[daemon.name for daemon in self._listed()])

    def _listed(self) -> list[_Daemon]:
        """The daemons of DAEMON_LIST that run."""
        return [daemon for daemon in self._daemons.values() if daemon.process and daemon.name in self.knobs.daemons]

    def _shutdown(self, how: str) -> None:
        """A stop holds against a restart that is under way."""
        self._restarting = False
        super()._shutdown(how)

    def shutdown(self, how: str) -> None:
        """Everything goes, in order; the master last."""
        for daemon in self._daemons.values():
            daemon.cancel_start()
        self._take_down()

    def _take_down(self) -> None:
        order = [*self._programs, *_DOWN_ORDER]
        alive = [self._daemons[name] for name in order if name in self._daemons and self._daemons[name].process]
        if not alive:
            self._gone()
            return
        if self.stopping == "fast":
            for daemon in alive:
                self._stop(daemon, "fast")
        else:
            self._stop(alive[0], self.stopping)

    def _gone(self) -> None:
        self.leave(0)

    @property
    def restart_wanted(self) -> bool:
        """Whether condor_restart asked for a fresh master."""
        return self._restarting

    def _publish(self) -> None:
        ad = self.own_ads.make("DaemonMaster", self.settings.master_name, self.settings, int(now()))
        ad.set_int("MasterPid", os.getpid())
        ad.set_str("MasterIpAddr", self.settings.address)
        ad.set_int("MASTER_StartTime", self.born)
        for daemon in self._daemons.values():
            if daemon.process is not None:
                ad.set_int(f"{daemon.name}_StartTime", int(now() - (monotonic() - daemon.started)))
        try:
            self.ads.publish("MASTER", [ad])
        except StoreError as error:
            self.log.write(str(error))
        self.published([ad])
