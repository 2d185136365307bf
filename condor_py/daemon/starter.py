"""The starter process: forked by the startd for one claim, runs job after job on it until the claim ends.

It talks to the startd over a socket pair. When that closes, the startd is gone: the job is killed and the starter
leaves.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

from condor_py.classad import ClassAd
from condor_py.daemon.link import Link
from condor_py.daemon.logfile import DaemonLog
from condor_py.daemon.loop import Loop, Timer, now
from condor_py.daemon.sessions import Door, Sessions
from condor_py.daemon.wire import Head
from condor_py.hardware import process as processes
from condor_py.model.report import ExitReport
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.settings.starter import StarterSettings
from condor_py.model.states import HoldCode
from condor_py.model.version import CONDOR_VERSION
from condor_py.starter.environment import (
    THREAD_VARIABLES,
    SlotFacts,
    base_environment,
    inherited_environment,
)
from condor_py.starter.family import become_subreaper
from condor_py.starter.job import Job, read_job
from condor_py.starter.run import Place, Run
from condor_py.starter.sandbox import create_root, remove_tree

#: Seconds between looks at a running job; the last one repeats.
_SAMPLES = (0.05, 0.2, 0.75, 2.0, 5.0)
#: The look that is told to the schedd (8 s after the start, as STARTER_INITIAL_UPDATE_INTERVAL), and every how many
#: later.
_FIRST_UPDATE = 4
_UPDATE_EVERY = 60


@dataclass(frozen=True, slots=True)
class StarterSetup:
    """What the startd tells a starter at birth."""

    claim_id: str
    slot_name: str
    slot_ad: ClassAd
    execute: str
    bin_dir: str
    host: str
    file_system_domain: str
    ancestors: tuple[str, ...]
    log: LogSettings
    settings: StarterSettings

    @property
    def door(self) -> str:
        """The socket for sessions, named in the starter (its directory is named after its pid)."""
        return f"{self.execute}/dir_{os.getpid()}/.sessions"


class StarterDaemon:
    """At most one run at a time."""

    def __init__(self, setup: StarterSetup, sock: socket.socket) -> None:
        self.setup = setup
        self.loop = Loop()
        self.log = DaemonLog(setup.log.path, setup.log.max_bytes, setup.log.keep, f"(pid:{os.getpid()}) ")
        self.log.write(
            f"** condor_starter (condor_STARTER) STARTING UP\n** {CONDOR_VERSION}\n** PID = {os.getpid()}\n"
            f'Submitting machine is "{setup.host}"'
        )
        self.link = Link(self.loop, sock, self._message, self._startd_gone)
        self.run: Run | None = None
        self._deferred: Run | None = None
        self._deferral_timer = Timer(_do_nothing)
        self._pidfd = -1
        self._sampler = Timer(_do_nothing)
        sandbox = create_root(setup.execute, os.getpid())
        slot = setup.slot_ad
        facts = SlotFacts(
            name=setup.slot_name,
            cpus=max(1, slot.eval_int("Cpus", 1) or 1),
            starter_pid=os.getpid(),
            ancestors=setup.ancestors,
            bin_dir=setup.bin_dir,
            assigned=_assigned(slot),
            thread_variables=setup.settings.num_threads_env_vars or THREAD_VARIABLES,
            extra=setup.settings.job_environment,
            inherited=inherited_environment(setup.settings.inherited, os.environ),
        )
        machine_ad = "".join(f"{name} = {text}\n" for name, text in slot.text_items("sorted"))
        environment = base_environment(facts, sandbox)
        self._job_ad = ClassAd()
        door = Door(
            setup.door, setup.slot_name, slot, setup.settings.enable_ssh_to_job, setup.settings.queue_super_users
        )
        self.sessions = Sessions(self.loop, door, self._last_session_left, self.log.write)
        wrapper = setup.settings.user_job_wrapper
        self.place = Place(setup.slot_name, setup.host, sandbox, machine_ad, environment, wrapper)

    def serve(self) -> None:
        """Until the claim ends."""
        self.link.send({"op": "ready", "pid": os.getpid()})
        self.loop.run()
        remove_tree(self.place.sandbox.root)
        self.log.write(f"**** condor_starter (condor_STARTER) pid {os.getpid()} EXITING WITH STATUS 0")

    # -- messages from the startd ------------------------------------------------------------------

    def _message(self, link: Link, head: Head, body: bytes) -> None:
        match head["op"]:
            case "start":
                self._start(head, body)
            case "soft":
                if not self._end_deferred():
                    self._with_run(lambda run: self._soft_kill(run, head.get("signal", 0)))
            case "hard":
                if not self._end_deferred():
                    self._with_run(self._hard_kill)
            case "suspend":
                self.sessions.suspended = True
                self._with_run(lambda run: run.suspend_all())
            case "continue":
                self.sessions.suspended = False
                self._with_run(lambda run: run.continue_all())
            case "quit":
                self._quit()

    def _with_run(self, action: Callable[[Run], object]) -> None:
        if self.run is not None:
            action(self.run)

    def _soft_kill(self, run: Run, number: int) -> None:
        run.soft_kill(number)
        if run.program_is_over:  # only sessions are left
            self._finish(run)

    def _hard_kill(self, run: Run) -> None:
        self.sessions.dismiss()
        run.hard_kill()
        if run.program_is_over:
            self._finish(run)

    def _start(self, head: Head, body: bytes) -> None:
        ad = ClassAd()
        for name, text in json.loads(body).items():
            ad.set_text(name, text)
        job = read_job(ad, self.setup.file_system_domain)
        report = ExitReport(claim_id=head["claim"], job=head["job"], run=head["run"])
        job_ad = "".join(f"{name} = {text}\n" for name, text in ad.text_items("sorted"))
        run = Run(self.place, processes, job, report, job_ad)
        self._job_ad = ad
        wait = self._deferral(run, ad)
        if wait > 0.0:
            self.log.write(f"Job {head['job']} is deferred for {wait:.0f} seconds")
            self._deferred = run
            self._deferral_timer = self.loop.after(wait, lambda: self._launch(run))
        elif wait == 0.0:
            self._launch(run)

    def _deferral(self, run: Run, ad: ClassAd) -> float:
        """Seconds until the job may execute (deferral_time); negative when that time is missed, which holds it."""
        if ad.text("DeferralTime") is None:
            return 0.0
        due = ad.eval_int("DeferralTime", 0)
        if due <= 0:
            run.refuse(HoldCode.INVALID_DEFERRAL_TIME, f"Invalid deferral time for Job {run.job.job_id}: '{due}'.")
        elif now() - due > ad.eval_int("DeferralWindow", 0) + 1:
            run.refuse(HoldCode.MISSED_DEFERRAL_TIME, f"Job {run.job.job_id} missed its execution time.")
        else:
            return max(0.0, due - now())
        self._report(run, run.report)
        return -1.0

    def _end_deferred(self) -> bool:
        """A deferred job that is stopped never ran; True when there was one."""
        run, self._deferred = self._deferred, None
        self._deferral_timer.cancel()
        if run is None:
            return False
        self._report(run, replace(run.report, vacated=True))
        return True

    def _launch(self, run: Run) -> None:
        self._deferred = None
        job, head = run.job, {"job": run.report.job, "run": run.report.run}
        try:
            running = run.start(now())
        except Exception as error:  # whatever a job does to us, its claim and the next job must not suffer
            run.give_up(f"starter on {self.setup.slot_name}: {type(error).__name__}: {error}")
            running = False
        if not running:
            self.log.write(f"Job {head['job']} was not started: {run.report.hold_reason or run.report.error}")
            self._report(run, run.report)
            return
        run.started(now())
        assert run.process is not None
        self.log.write(_starting(job, run.process.pid))
        self.run = run
        self._pidfd = os.pidfd_open(run.process.pid)
        self.loop.read(self._pidfd, self._ended)
        self._watch(run, 0)
        self.sessions.admit(run, self._job_ad)
        started = {
            "op": "started",
            "pid": run.process.pid,
            "when": run.report.exec_time,
            "scratch": self.place.sandbox.scratch,
            "transfer": run.input_transfer,
            "door": self.setup.door,
        }
        self.link.send({**started, "job": head["job"], "run": head["run"]})

    def _watch(self, run: Run, turn: int) -> None:
        """Samples the job's memory, often at first, and tells the schedd now and then."""

        def look() -> None:
            if self.run is not run:
                return
            usage = run.sample()
            if turn == _FIRST_UPDATE or (turn > _FIRST_UPDATE and (turn - _FIRST_UPDATE) % _UPDATE_EVERY == 0):
                job = {"job": run.report.job, "run": run.report.run}
                self.link.send({"op": "update", "attributes": usage, **job})
            self._watch(run, turn + 1)

        self._sampler.cancel()
        self._sampler = self.loop.after(_SAMPLES[min(turn, len(_SAMPLES) - 1)], look)

    def _ended(self) -> None:
        """The program is over. Sessions keep the slot until the last one has ended, unless the job was stopped."""
        self.loop.forget(self._pidfd)
        os.close(self._pidfd)
        self._pidfd = -1
        run = self.run
        if run is not None:
            run.program_ended()
            if run.stopped or not self.sessions.any_open:
                self._finish(run)

    def _last_session_left(self) -> None:
        if self.run is not None and self.run.program_is_over:
            self._finish(self.run)

    def _finish(self, run: Run) -> None:
        self._sampler.cancel()
        self.sessions.dismiss()
        self.run = None
        self._report(run, run.finish(now))

    def _report(self, run: Run, report: ExitReport) -> None:
        if report.pid:
            how = f"status={report.exit_code}" if report.exit_signal is None else f"signal={report.exit_signal}"
            self.log.write(f"Process exited, pid={report.pid}, {how}")
        if not report.end_time:
            report = ExitReport.from_wire({**report.to_wire(), "end_time": now()})
        self.link.send({"op": "ended", "report": report.to_wire()})

    def _quit(self) -> None:
        self._deferral_timer.cancel()
        self.sessions.dismiss()
        if self.run is not None:
            self.run.hard_kill()
        self.sessions.close()
        self.loop.stop()

    def _startd_gone(self, link: Link) -> None:
        self._quit()


def _starting(job: Job, pid: int) -> str:
    """What the log tells of a start, in the original's words."""
    return (
        f"Starting a VANILLA universe job with ID: {job.job_id}\nIWD: {job.iwd}\nOutput file: {job.stdout}\n"
        f"Error file: {job.stderr}\nRunning job as user {job.owner}\n"
        f"About to exec {' '.join((job.cmd, *job.arguments))}\nCreate_Process succeeded, pid={pid}"
    )


def _assigned(slot: ClassAd) -> tuple[tuple[str, str], ...]:
    """Custom resources with ids: (name, comma-separated ids)."""
    found = []
    for name, _ in slot.text_items("sorted"):
        if name.lower().startswith("assigned") and (ids := slot.eval_str(name, None)):
            found.append((name[len("assigned") :], ids))
    return tuple(found)


def fork_starter(setup: StarterSetup, close: list[int]) -> tuple[int, socket.socket]:
    """Forks a starter; its pid and our end of the pair. ``close`` are descriptors the child must not keep."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    pid = os.fork()
    if pid:
        theirs.close()
        return pid, ours
    status = 1
    try:
        ours.close()
        for descriptor in close:
            os.close(descriptor)
        _forget_parent()
        gc.freeze()  # what the startd had made is never garbage here: leave its pages shared
        StarterDaemon(setup, theirs).serve()
        status = 0
    except BaseException as error:  # the child must never return into the startd's code
        sys.stderr.write(f"condor_starter {os.getpid()}: {type(error).__name__}: {error}\n")
        sys.stderr.flush()
    finally:
        os._exit(status)


def _forget_parent() -> None:
    """Signals as at program start, and our own family."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    # A handler, not SIG_IGN: an ignored signal would stay ignored in the jobs we execute.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(number, _do_nothing)
    become_subreaper()


def _do_nothing(*arguments: object) -> None:
    """The startd ends us by closing our socket."""
