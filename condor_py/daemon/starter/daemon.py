"""The starter process: forked by the startd for one claim, runs job after job on it until the claim ends.

It talks to the startd over a socket pair. When that closes, the startd is gone: the job is killed and the starter
leaves.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from dataclasses import replace

from condor_py.access.wire import Head
from condor_py.classad import ClassAd
from condor_py.daemon.common.link import Link
from condor_py.daemon.common.logfile import DaemonLog
from condor_py.daemon.common.loop import Loop, Timer, now
from condor_py.daemon.common.wall import Wall
from condor_py.daemon.starter import privatedirs
from condor_py.daemon.starter.accounts import clear_account, runner_of
from condor_py.daemon.starter.child import Child
from condor_py.daemon.starter.chirp import ChirpServer
from condor_py.daemon.starter.datastarter import DataStarter, log_name
from condor_py.daemon.starter.deferral import Refusal, wait_of
from condor_py.daemon.starter.jobfamily import JobFamily
from condor_py.daemon.starter.looks import Looks
from condor_py.daemon.starter.sessions import Sessions
from condor_py.daemon.starter.starterfacts import door_of, log_of_job, place_of, starting
from condor_py.daemon.starter.starterhooks import JobHooks, Prepared, hooks_for, last_usage
from condor_py.daemon.starter.startersetup import StarterSetup
from condor_py.daemon.starter.starteruserlog import StarterUserLog
from condor_py.daemon.starter.telling import Teller
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode, VacateCode
from condor_py.model.version import CONDOR_VERSION
from condor_py.starter.identity import mark_accounts
from condor_py.starter.job import read_job
from condor_py.starter.jobad import job_ad_text
from condor_py.starter.phases import Do, Order, Phase, Phases
from condor_py.starter.run import Run
from condor_py.starter.sandbox import Sandbox, create_root, remove_scratch, remove_tree

#: Why a user stops a job himself.
_BY_USER = (int(VacateCode.USER_HOLD), int(VacateCode.REMOVED))
#: Characters of an error that a HoldReason shows.
_SHOWN = 200


class StarterDaemon:
    """At most one run at a time."""

    def __init__(self, setup: StarterSetup, sock: socket.socket) -> None:
        self.setup = setup
        self.loop = Loop()
        self.log = DaemonLog(setup.log, "starter", pid=True)
        self.log.write(
            f"** condor_starter (condor_STARTER) STARTING UP\n** {CONDOR_VERSION}\n** PID = {os.getpid()}\n"
            f'Submitting machine is "{setup.host}"'
        )
        self.wall = Wall(self.log.write)
        self.loop.at_fault = self._fault
        self._status = 0
        #: The run that the startd has no report of yet.
        self._owed: ExitReport | None = None
        self.link = Link(self.loop, sock, self._message, self._startd_gone)
        self.tell = Teller(self.link)
        self.phases = Phases()
        self.child = Child(self.loop, f"starter on {setup.slot_name}")
        #: What the phases are about, in all but IDLE and STAGING.
        self.run: Run | None = None
        #: The work of a data slot, which is no run.
        self._data: DataStarter | None = None
        self._staged: tuple[str, ...] = ()
        self._hooks: JobHooks | None = None
        self._deferral_timer = Timer(_do_nothing)
        self._pidfd = -1
        self._job_ad = ClassAd()
        self._user_log = StarterUserLog(self._job_ad, "/", False, self.log.write)
        sandbox = self._sandbox()
        if setup.cores:
            os.sched_setaffinity(0, setup.cores)
        if setup.tracking_gid:
            mark_accounts(setup.tracking_gid)
        self.family = JobFamily(setup.settings, setup.slot_name, setup.slot_ad, setup.tracking_gid)
        self.chirp = ChirpServer(self.loop, setup.settings.chirp, sandbox.root, self.family.helpers, self.log.write)
        self.place = place_of(setup, sandbox, self.log.write)
        self.sessions = Sessions(self.loop, door_of(setup), self.family.join, self._last_session_left, self.log.write)
        self.looks = Looks(self.loop, self.wall, setup.settings, self.tell, self.family, self.chirp)

    def _sandbox(self) -> Sandbox:
        setup = self.setup
        try:
            return create_root(setup.execute, os.getpid(), setup.settings.scratch_mode)
        except OSError as error:
            self.link.send({"op": "unable", "reason": f"cannot make the scratch directory in {setup.execute}: {error}"})
            self.link.flush()
            raise

    def serve(self) -> int:
        """Until the claim ends; the exit status. One that is not 0 asks the startd to look for what is left."""
        self.link.send({"op": "ready", "pid": os.getpid()})
        self.loop.run()
        self.family.close()
        remove_tree(self.place.sandbox.root)
        self.log.write(f"**** condor_starter (condor_STARTER) pid {os.getpid()} EXITING WITH STATUS {self._status}")
        return self._status

    def _fault(self, error: Exception) -> None:
        """Something about the job is more than we can deal with: it is held, and a new starter takes the next."""
        self.wall.fault(error, "a turn of the starter")
        owed, self._owed = self._owed, None
        if owed is None:
            return
        reason = f"The starter could not handle this job: {type(error).__name__}: {error}"[:_SHOWN]
        held = replace(owed, hold_code=int(HoldCode.STARTD_HELD_JOB), hold_reason=reason, end_time=now())
        self.tell.ended(held, at_once=True)
        self._status = 1
        self.loop.stop()
        self.wall.turn("the end of the starter", self._quit)

    # -- messages from the startd ------------------------------------------------------------------

    def _message(self, link: Link, head: Head, body: bytes) -> None:
        match head["op"]:
            case "start":
                self._start(head, body)
            case "soft":
                self._stop(Order.USER if head.get("code", 0) in _BY_USER else Order.SOFT, head)
            case "hard":
                self._stop(Order.HARD, head)
            case "suspend":
                self.sessions.suspended = True
                if self.run is not None and self.phases.with_program:
                    self.tell.suspended(self.run, self.run.suspend_all())
            case "continue":
                self.sessions.suspended = False
                if self.run is not None and self.phases.with_program:
                    self.run.continue_all()
                    self.tell.suspended(self.run, None)
            case "restart":
                self._goes_on(head["ok"])
            case "quit":
                self._quit()

    def _enter(self, phase: Phase) -> None:
        """The next phase, and what entering it causes."""
        for action in self.phases.move(phase):
            self._do(action, {})

    def _stop(self, order: Order, head: Head) -> None:
        """The startd wants the job stopped."""
        for action in self.phases.stop(order):
            self._do(action, head)

    def _do(self, action: Do, head: Head) -> None:
        """One action of the phases. ``head`` is the order to stop, if there is one."""
        match action, self.run:
            case Do.KILL_HOOK, _:
                if self._hooks is not None:
                    self._hooks.stop()
            case Do.KILL_CHILD, _:
                self.child.stop()
            case Do.CLEAN, _:  # removing so much may take long, and nobody waits for it
                self.link.flush()
                remove_scratch(self.place.sandbox)
            case Do.END_STAGING, _:
                if self._data is not None:
                    self._data.stop()
            case Do.FORGET, _:
                self._deferral_timer.cancel()
                self.run = self._data = None
            case Do.END_SERVICES, _:
                self.looks.end()
                self.sessions.dismiss()
                self.chirp.close()
            case Do.SIGNAL, Run() as run:
                is_last = head.get("code", 0) == VacateCode.REMOVED_WITH_OUTPUT
                run.soft_kill(head.get("signal", 0), final=is_last)
            case Do.KILL, Run() as run:
                self.sessions.dismiss()
                run.hard_kill()
            case _, Run() as run:
                self._do_with(action, run)

    def _do_with(self, action: Do, run: Run) -> None:
        match action:
            case Do.AWAIT_PROGRAM:
                assert run.process is not None
                self._pidfd = os.pidfd_open(run.process.pid)
                self.loop.read(self._pidfd, self._ended)
            case Do.ASK_TO_GO_ON:
                self._ask_to_go_on(run)
            case Do.GIVE_UP:
                run.give_up("")
            case Do.FINISH:
                self._finish(run)
            case Do.ABANDON:
                self._report(run, replace(run.report, vacated=True))

    # -- the start of a job ------------------------------------------------------------------------

    def _start(self, head: Head, body: bytes) -> None:
        report = self._owed = ExitReport(claim_id=head["claim"], job=head["job"], run=head["run"])
        if (named := log_of_job(self.setup, head["job"])) is not None:
            self.log.retune(named)
        ad = ClassAd()
        for name, text in json.loads(body).items():
            ad.set_text(name, text)
        self._staged = tuple(head.get("common", ()))
        job = read_job(ad, self.setup.file_system_domain, self._staged)
        job_ad = job_ad_text(ad, self.setup.slot_ad, job, self.place.sandbox.scratch)
        if catalogs := head.get("catalogs"):
            self._enter(Phase.STAGING)
            self.log.retune(replace(self.setup.log, path=log_name(self.setup.log.path, self.setup.slot_name)))
            work = self.place, self.link.send, self._no_data, report, catalogs
            self._data = DataStarter(self.loop, *work, job, job_ad)
            self._data.begin()
            return
        self._enter(Phase.DEFERRED)
        run = self.run = Run(self.place, self.family, job, report, job_ad)
        run.runner = runner_of(self.setup, ad, self.log.write)
        self.chirp.schedd = head.get("schedd", "")
        self._job_ad = ad
        directory = self.place.sandbox.scratch if job.transfer else job.iwd
        self._user_log = StarterUserLog(ad, directory, job.transfer, self.log.write)
        self._defer(run)

    def _defer(self, run: Run) -> None:
        """Launches the job when its time has come."""
        try:
            wait = wait_of(self._job_ad, run.job.job_id, now())
        except Refusal as refusal:
            run.refuse(refusal.code, str(refusal))
            self._report(run, run.report)
            return
        if wait > 0.0:
            self.log.write(f"Job {run.report.job} is deferred for {wait:.0f} seconds")
            self._deferral_timer = self.loop.after(wait, lambda: self._launch(run))
        else:
            self._launch(run)

    def _launch(self, run: Run) -> None:
        self._enter(Phase.PREPARING)
        hooks = hooks_for(self.setup.settings, self._job_ad)
        self._hooks = JobHooks(self.loop, self.log.write, hooks, run, self._job_ad) if hooks is not None else None
        if self._step(run, lambda: run.begin(now())):
            if run.job.skip_if_dataflow:
                self.tell.attributes(run, {"DataflowJobSkipped": "false"})
            self._prepare(run, transferred=False)

    def _prepare(self, run: Run, *, transferred: bool) -> None:
        """Lets the hook prepare the job, if there is one; then the next step of the start."""
        follow = self._execute if transferred else self._fetch

        def decided(prepared: Prepared) -> None:
            if self.run is not run:
                return  # it was stopped meanwhile
            if self._is_prepared(run, prepared):
                follow(run)
            else:
                self._not_started(run)

        if self._hooks is None:
            follow(run)
        else:
            self._hooks.prepare(transferred=transferred, then=decided)

    def _is_prepared(self, run: Run, prepared: Prepared) -> bool:
        """Takes over what a preparing hook told; whether the start goes on."""
        if prepared.message:
            self.log.write(prepared.message)
        if prepared.message and (prepared.ok or not prepared.holds):  # a hold tells it itself
            self.tell.notice(run, prepared.message, critical=not prepared.ok)
        if prepared.ok:
            self._change(run, prepared)
        else:
            prepared.end(run)
        return prepared.ok

    def _change(self, run: Run, prepared: Prepared) -> None:
        if prepared.changes and self._hooks is not None:
            self._hooks.change(prepared.changes)
            job = read_job(self._job_ad, self.setup.file_system_domain, self._staged)
            run.change(job, job_ad_text(self._job_ad, self.setup.slot_ad, job, self.place.sandbox.scratch))

    def _fetch(self, run: Run) -> None:
        self._enter(Phase.FETCHING)
        if not run.brings_much:
            self._fetched(run, lambda: run.fetch(now))
            return
        self.tell.attributes(run, {"TransferringInput": "true"})
        self.child.do(run, lambda: run.fetch(now), lambda took: self._fetched(run, took))

    def _fetched(self, run: Run, step: Callable[[], bool]) -> None:
        if self._step(run, step):
            self._enter(Phase.PREPARING)
            self._prepare(run, transferred=True)

    def _step(self, run: Run, step: Callable[[], bool]) -> bool:
        """One step of the start; False when the run is over, which is reported."""
        try:
            done = step()
        except Exception as error:  # whatever a job does to us, its claim and the next job must not suffer
            run.give_up(f"starter on {self.setup.slot_name}: {type(error).__name__}: {error}")
            done = False
        if not done:
            self._not_started(run)
        return done

    def _not_started(self, run: Run) -> None:
        skipped = "its output is newer than its input" if run.report.skipped else ""
        self.chirp.close()
        reason = skipped or run.report.hold_reason or run.report.error
        self.log.write(f"Job {run.report.job} was not started: {reason}")
        if run.invalid_checkpoint:
            self.tell.notice(run, run.invalid_checkpoint, critical=True)
        if run.report.hold_code == HoldCode.FAILED_TO_CREATE_PROCESS:
            run.started(now())  # HTCondor tells of the start before it tries
            self.tell.started(run, self.setup.door)
        self._report(run, run.report)

    def _execute(self, run: Run) -> None:
        self.tell.plugins(run)
        limits = self.setup.settings.transfer.allowed_directories
        run.variables = self.chirp.open(run, self._job_ad, limits)
        if not self._step(run, lambda: self._limit(run) and run.execute()):
            return
        run.started(now())
        self.tell.started(run, self.setup.door)
        self._user_log.started(run.owner, self.setup.host)
        assert run.process is not None
        self.log.write(starting(run.job, run.process.pid))
        self._enter(Phase.RUNNING)
        self.looks.begin(run, self._hooks)
        self.sessions.admit(run, self._job_ad)

    def _limit(self, run: Run) -> bool:
        """What the program may use, and the directories that only it sees. OSError."""
        self.family.prepare(self._job_ad)
        run.within = self.family.within(self._job_ad)
        privatedirs.give(run, self.setup.settings, self._job_ad, self.log.write)
        return True

    # -- while it runs -----------------------------------------------------------------------------

    def _ended(self) -> None:
        """The program is over. Sessions keep the slot until the last one has ended, unless the job was stopped."""
        self.loop.forget(self._pidfd)
        os.close(self._pidfd)
        self._pidfd = -1
        if self.run is not None:
            self.run.program_ended()
        self._enter(Phase.DRAINING)
        self.chirp.drain(self._drained)

    def _drained(self) -> None:
        run = self.run
        if run is None or self.phases.now is not Phase.DRAINING:
            return
        if run.pauses():
            self._save(run)
        elif run.stopped or not self.sessions.any_open:
            self._finish(run)
        else:
            self._enter(Phase.LINGERING)

    def _save(self, run: Run) -> None:
        """Keeps the checkpoint of a program; one that goes to a destination may be long on its way."""
        self._enter(Phase.SAVING)
        if not run.saves_much:
            self._saved(run, run.save())
            return
        self.child.do(run, run.save, lambda took: self._saved(run, took()))

    def _saved(self, run: Run, done: bool) -> None:
        if not done:
            run.not_saved()
            self._finish(run)
            return
        told = run.saved(now())
        if "FailedCheckpoint" not in told:
            self.log.write(f"Job {run.report.job} was checkpointed")
        self.tell.plugins(run)
        self.tell.attributes(run, told)
        if run.stopped:
            self._finish(run)
        else:
            self._enter(Phase.PAUSED)

    def _ask_to_go_on(self, run: Run) -> None:
        """The program runs again, if the claim would take another job (as if it were one)."""
        if self.setup.settings.check_reactivate:
            self.tell.checkpointed()
        else:
            self._goes_on(True)

    def _goes_on(self, wanted: bool) -> None:
        """What the startd says of a program that waits to be started again."""
        run = self.run
        if run is None or self.phases.now is not Phase.PAUSED:
            return
        if not wanted:
            run.give_way()
        elif run.resumes(now()):
            assert run.process is not None
            self.log.write(f"Job {run.report.job} goes on, pid={run.process.pid}")
            self.family.again()
            self._enter(Phase.RUNNING)
            return
        self._finish(run)

    def _last_session_left(self) -> None:
        if self.run is not None and self.phases.now is Phase.LINGERING:
            self._finish(self.run)

    # -- its end -----------------------------------------------------------------------------------

    def _finish(self, run: Run) -> None:
        self._enter(Phase.EXITING)
        self.tell.delayed(run, self.chirp.delayed.take())
        run.meter.add(*self.family.uncounted(run.counted()))
        clear_account(self.setup.settings.accounts.dedicated, run.owner)
        run.conclude(now())
        if run.sends_much:
            self.tell.attributes(run, {"TransferringOutput": "true"})
        if self._hooks is None:
            self._clear(run)
        else:
            self._hooks.exited(last_usage(run), lambda: self._clear(run))

    def _clear(self, run: Run) -> None:
        """Brings the output back, removes the scratch directory and reports."""
        self._enter(Phase.LEAVING)
        if not run.sends_much:
            self._report(run, run.clear(now))
            return

        def clear() -> bool:
            run.clear(now)
            return True

        def cleared(took: Callable[[], bool]) -> None:
            if not took():
                run.clean()
            self._report(run, run.report)

        self.child.do(run, clear, cleared)

    def _report(self, run: Run, report: ExitReport) -> None:
        self.tell.plugins(run)
        if report.pid:
            how = f"status={report.exit_code}" if report.exit_signal is None else f"signal={report.exit_signal}"
            self.log.write(f"Process exited, pid={report.pid}, {how}")
        report = self.family.judge(report)
        if not report.end_time:
            report = ExitReport.from_wire({**report.to_wire(), "end_time": now()})
        self._enter(Phase.IDLE)
        self._owed = None
        self._user_log.ended(run.owner, report)
        self.tell.ended(report)

    def _no_data(self, report: ExitReport) -> None:
        """The data slot has no files any more."""
        self._enter(Phase.IDLE)
        self._owed = None
        self.tell.ended(report)

    def _quit(self) -> None:
        self._deferral_timer.cancel()
        if self._data is not None:
            self._data.close()
        if self._hooks is not None:
            self._hooks.stop()
        self.child.stop()
        self.sessions.dismiss()
        if self.run is not None and self.phases.with_program:
            self.run.hard_kill()
        self.sessions.close()
        self.chirp.close()
        self.loop.stop()

    def _startd_gone(self, link: Link) -> None:
        self._quit()


def _do_nothing() -> None:
    """The timer that is not set."""
