"""The starter process: forked by the startd for one claim, runs job after job on it until the claim ends.

It talks to the startd over a socket pair. When that closes, the startd is gone: the job is killed and the starter
leaves.
"""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import replace

from condor_py.access.wire import Head
from condor_py.classad import ClassAd, is_true, parse
from condor_py.daemon.common.errand import Errand
from condor_py.daemon.common.link import Link
from condor_py.daemon.common.logfile import DaemonLog
from condor_py.daemon.common.loop import Loop, Timer, now
from condor_py.daemon.common.wall import Wall
from condor_py.daemon.starter import privatedirs
from condor_py.daemon.starter.chirp import ChirpServer
from condor_py.daemon.starter.datastarter import DataStarter, log_name
from condor_py.daemon.starter.jobfamily import JobFamily
from condor_py.daemon.starter.sessions import Door, Sessions
from condor_py.daemon.starter.starterfacts import assigned, gpu_uuids, starting
from condor_py.daemon.starter.starterhooks import JobHooks, Prepared, hooks_for, last_usage
from condor_py.daemon.starter.startersetup import StarterSetup
from condor_py.daemon.starter.starteruserlog import StarterUserLog
from condor_py.hardware import process
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode, VacateCode
from condor_py.model.version import CONDOR_VERSION
from condor_py.starter.builtin_urls import load_movers
from condor_py.starter.environment import (
    THREAD_VARIABLES,
    SlotFacts,
    base_environment,
    inherited_environment,
)
from condor_py.starter.family import become_subreaper
from condor_py.starter.identity import Account, UnknownAccount, account, mark_accounts
from condor_py.starter.job import read_job
from condor_py.starter.jobad import job_ad_text
from condor_py.starter.run import Run, Stage
from condor_py.starter.sandbox import Place, create_root, remove_tree

#: Why a user stops a job himself.
_BY_USER = (int(VacateCode.USER_HOLD), int(VacateCode.REMOVED))
#: Characters of an error that a HoldReason shows.
_SHOWN = 200
#: Seconds between the first looks at a running job; then CGROUP_POLLING_INTERVAL or PID_SNAPSHOT_INTERVAL.
_SAMPLES = (0.05, 0.2, 0.75, 2.0, 5.0)


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
        self.run: Run | None = None
        #: The work of a data slot, which is no run.
        self._data: DataStarter | None = None
        self._staged: tuple[str, ...] = ()
        self._deferred: Run | None = None
        self._hooks: JobHooks | None = None
        #: The run that a preparing hook works for.
        self._preparing: Run | None = None
        #: The run whose output is on its way.
        self._leaving: Run | None = None
        #: The child that transfers files for one of these two.
        self._errand: Errand | None = None
        self._deferral_timer = Timer(_do_nothing)
        self._pidfd = -1
        self._sampler = Timer(_do_nothing)
        self._updater = Timer(_do_nothing)
        try:
            sandbox = create_root(setup.execute, os.getpid(), setup.settings.scratch_mode)
        except OSError as error:
            self.link.send({"op": "unable", "reason": f"cannot make the scratch directory in {setup.execute}: {error}"})
            self.link.flush()
            raise
        slot = setup.slot_ad
        if setup.cores:
            os.sched_setaffinity(0, setup.cores)
        if setup.tracking_gid:
            mark_accounts(setup.tracking_gid)
        self.family = JobFamily(setup.settings, setup.slot_name, slot, setup.tracking_gid)
        self.chirp = ChirpServer(self.loop, setup.settings.chirp, sandbox.root, self.family.helpers, self.log.write)
        facts = SlotFacts(
            name=setup.slot_name,
            cpus=max(1, slot.eval_int("Cpus", 1) or 1),
            starter_pid=os.getpid(),
            ancestors=setup.ancestors,
            bin_dir=setup.bin_dir,
            assigned=assigned(slot),
            thread_variables=setup.settings.num_threads_env_vars or THREAD_VARIABLES,
            extra=setup.settings.job_environment,
            inherited=inherited_environment(setup.settings.inherited, os.environ),
            devices=setup.settings.device_variables,
            gpu_uuids=gpu_uuids(slot),
            sets_home=setup.settings.sets_home_env,
            delayed_names=",".join(setup.settings.chirp.delayed_names),
        )
        machine_ad = "".join(f"{name} = {text}\n" for name, text in slot.text_items("sorted"))
        environment = base_environment(facts, sandbox)
        self._job_ad = ClassAd()
        self._user_log = StarterUserLog(self._job_ad, "/", False, self.log.write)
        door = Door(
            setup.door, setup.slot_name, slot, setup.settings.enable_ssh_to_job, setup.settings.queue_super_users
        )
        self.sessions = Sessions(self.loop, door, self.family.join, self._last_session_left, self.log.write)
        wrapper = setup.settings.user_job_wrapper
        transfer = setup.settings.transfer
        self.place = Place(
            setup.slot_name, setup.host, sandbox, machine_ad, environment, wrapper, transfer, self.log.write
        )

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
        self.link.send({"op": "ended", "report": held.to_wire()})
        self.link.flush()
        self._status = 1
        self.loop.stop()
        self.wall.turn("the end of the starter", self._quit)

    # -- messages from the startd ------------------------------------------------------------------

    def _message(self, link: Link, head: Head, body: bytes) -> None:
        match head["op"]:
            case "start":
                self._start(head, body)
            case "soft":
                if self._data is not None:
                    self._data.stop()
                elif not self._end_deferred() and not self._end_leaving(head.get("code", 0) in _BY_USER):
                    self._with_run(lambda run: self._soft_kill(run, head))
            case "hard":
                if self._data is not None:
                    self._data.stop()
                elif not self._end_deferred() and not self._end_leaving(True):
                    self._with_run(self._hard_kill)
                if self.run is None and self._hooks is not None:
                    self._hooks.stop()
            case "suspend":
                self.sessions.suspended = True
                self._with_run(self._suspend)
            case "continue":
                self.sessions.suspended = False
                self._with_run(self._continue)
            case "restart":
                self._goes_on(head["ok"])
            case "quit":
                self._quit()

    def _with_run(self, action: Callable[[Run], object]) -> None:
        if self.run is not None:
            action(self.run)

    def _suspend(self, run: Run) -> None:
        job = {"job": run.report.job, "run": run.report.run}
        self.link.send({"op": "suspended", "processes": run.suspend_all(), **job})

    def _continue(self, run: Run) -> None:
        run.continue_all()
        self.link.send({"op": "suspended", "processes": None, "job": run.report.job, "run": run.report.run})

    def _soft_kill(self, run: Run, head: Head) -> None:
        run.soft_kill(head.get("signal", 0), final=head.get("code", 0) == VacateCode.REMOVED_WITH_OUTPUT)
        if run.program_is_over and self._errand is None:  # only sessions are left; a checkpoint is let finish
            self._finish(run)

    def _hard_kill(self, run: Run) -> None:
        self.sessions.dismiss()
        run.hard_kill()
        if run.program_is_over:
            if self._errand is not None:  # its checkpoint is not to be
                self._errand.stop()
                self._errand = None
            self._finish(run)

    def _name_log(self, job: str) -> None:
        """STARTER_LOG_NAME_APPEND = Cluster or JobId: each job has a log of its own."""
        name = {"cluster": job.partition(".")[0], "jobid": job}.get(self.setup.settings.log_name_append)
        if name is not None:
            self.log.retune(replace(self.setup.log, path=f"{self.setup.log.path}.{name}"))

    def _start(self, head: Head, body: bytes) -> None:
        report = self._owed = ExitReport(claim_id=head["claim"], job=head["job"], run=head["run"])
        self._name_log(head["job"])
        ad = ClassAd()
        for name, text in json.loads(body).items():
            ad.set_text(name, text)
        self._staged = tuple(head.get("common", ()))
        job = read_job(ad, self.setup.file_system_domain, self._staged)
        job_ad = job_ad_text(ad, self.setup.slot_ad, job, self.place.sandbox.scratch)
        if catalogs := head.get("catalogs"):
            self.log.retune(replace(self.setup.log, path=log_name(self.setup.log.path, self.setup.slot_name)))
            work = self.place, self.link.send, self._no_data, report, catalogs
            self._data = DataStarter(self.loop, *work, job, job_ad)
            self._data.begin()
            return
        run = Run(self.place, self.family, job, report, job_ad)
        run.runner = self._runner(ad)
        self.chirp.schedd = head.get("schedd", "")
        self._job_ad = ad
        directory = self.place.sandbox.scratch if job.transfer else job.iwd
        self._user_log = StarterUserLog(ad, directory, job.transfer, self.log.write)
        wait = self._deferral(run, ad)
        if wait > 0.0:
            self.log.write(f"Job {head['job']} is deferred for {wait:.0f} seconds")
            self._deferred = run
            self._deferral_timer = self.loop.after(wait, lambda: self._launch(run))
        elif wait == 0.0:
            self._launch(run)

    def _runner(self, ad: ClassAd) -> Account | None:
        """Whom a job runs as that may not run as its owner, or does not want to; None for the owner. Only root can
        let it."""
        accounts = self.setup.settings.accounts
        if os.geteuid() != 0:
            return None
        allowed = is_true(self.setup.slot_ad.raw(parse(accounts.allow_owner), ad))
        if allowed and ad.eval_bool("RunAsOwner", True) is not False:
            return None
        name = accounts.of_slot(self.setup.slot_name)
        try:
            return account(name)
        except UnknownAccount as error:
            self.log.write(f"{error}: the job runs as nobody")
            return account("nobody")

    def _clear_account(self, run: Run) -> None:
        """Kills all that a dedicated account still runs."""
        pattern, runner = self.setup.settings.accounts.dedicated, run.owner
        if pattern and runner is not None and runner.uid and os.geteuid() == 0 and re.fullmatch(pattern, runner.name):
            process.kill_family(lambda: process.user_pids(runner.uid))

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
        """A job that is stopped while it is deferred or prepared never ran; True when there was one."""
        run, self._deferred = self._deferred or self._preparing, None
        fetching = self._errand if self._preparing is not None else None
        if fetching is not None:
            fetching.stop()
            self._errand = None
        elif self._preparing is not None and self._hooks is not None:
            self._preparing.give_up("")
            self._hooks.stop()
        self._preparing = None
        self._deferral_timer.cancel()
        if run is None:
            return False
        self._report(run, replace(run.report, vacated=True))
        if fetching is not None:  # removing so much may take long, and nobody waits for it
            self.link.flush()
            run.clean()
        return True

    def _end_leaving(self, is_to_end: bool) -> bool:
        """True when a job's output is on its way. That is stopped for the job's user, or when its time is over."""
        run = self._leaving
        if run is None:
            return False
        if is_to_end and self._errand is not None:
            self._errand.stop()
            self._errand = self._leaving = None
            self._report(run, replace(run.report, vacated=True))
            self.link.flush()
            run.clean()
        return True

    def _launch(self, run: Run) -> None:
        self._deferred = None
        hooks = hooks_for(self.setup.settings, self._job_ad)
        self._hooks = JobHooks(self.loop, self.log.write, hooks, run, self._job_ad) if hooks is not None else None
        if self._step(run, lambda: run.begin(now())):
            if run.job.skip_if_dataflow:
                self._tell(run, {"DataflowJobSkipped": "false"})
            self._prepare(run, transferred=False)

    def _prepare(self, run: Run, *, transferred: bool) -> None:
        """Lets the hook prepare the job, if there is one; then the next step of the start."""
        follow = self._execute if transferred else self._fetch

        def decided(prepared: Prepared) -> None:
            if self._preparing is not run:
                return  # it was stopped meanwhile
            self._preparing = None
            if prepared.message:
                self.log.write(prepared.message)
            if prepared.message and (prepared.ok or not prepared.holds):  # a hold tells it itself
                self._notice(run, prepared.message, critical=not prepared.ok)
            if prepared.ok:
                self._change(run, prepared)
                follow(run)
                return
            if prepared.holds:
                run.refuse(HoldCode.HOOK_PREPARE_JOB_FAILURE, prepared.message, prepared.status)
            else:
                run.give_up(prepared.message)
            self._not_started(run)

        self._preparing = run
        if self._hooks is None:
            decided(Prepared(0, ""))
        else:
            self._hooks.prepare(transferred=transferred, then=decided)

    def _notice(self, run: Run, text: str, *, critical: bool) -> None:
        """Something for the user's event log."""
        job = {"job": run.report.job, "run": run.report.run}
        self.link.send({"op": "notice", "text": text, "critical": critical, **job})

    def _change(self, run: Run, prepared: Prepared) -> None:
        if prepared.changes and self._hooks is not None:
            self._hooks.change(prepared.changes)
            job = read_job(self._job_ad, self.setup.file_system_domain, self._staged)
            run.change(job, job_ad_text(self._job_ad, self.setup.slot_ad, job, self.place.sandbox.scratch))

    def _fetch(self, run: Run) -> None:
        if not run.brings_much:
            if self._step(run, lambda: run.fetch(now)):
                self._prepare(run, transferred=True)
            return

        def fetched(result: tuple[bool, Stage] | None, why: str) -> None:
            self._errand = self._preparing = None
            if self._step(run, lambda: self._take(run, result, why)):
                self._prepare(run, transferred=True)

        def fetch() -> tuple[bool, Stage]:
            load_movers()
            return run.fetch(now), run.stage()

        self._tell(run, {"TransferringInput": "true"})
        self._preparing = run
        self._errand = Errand(self.loop, fetch, fetched)

    def _take(self, run: Run, result: tuple[bool, Stage] | None, why: str) -> bool:
        """What a child has done for a run; whether that succeeded, and if nothing came of it, ``why``."""
        if result is None:
            run.give_up(f"starter on {self.setup.slot_name}: {why}")
            return False
        run.take(result[1])
        return result[0]

    def _tell(self, run: Run, attributes: dict[str, str]) -> None:
        """Something about the run for the schedd, now."""
        self.link.send({"op": "update", "attributes": attributes, "job": run.report.job, "run": run.report.run})
        self.link.flush()

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
            self._notice(run, run.invalid_checkpoint, critical=True)
        if run.report.hold_code == HoldCode.FAILED_TO_CREATE_PROCESS:
            run.started(now())  # HTCondor tells of the start before it tries
            self._tell_start(run)
        self._report(run, run.report)

    def _execute(self, run: Run) -> None:
        self._tell_of_plugins(run)
        limits = self.setup.settings.transfer.allowed_directories
        run.variables = self.chirp.open(run, self._job_ad, limits)
        if not self._step(run, lambda: self._limit(run) and run.execute()):
            return
        run.started(now())
        self._tell_start(run)
        self._user_log.started(run.owner, self.setup.host)
        job = run.job
        assert run.process is not None
        self.log.write(starting(job, run.process.pid))
        self.run = run
        self._pidfd = os.pidfd_open(run.process.pid)
        self.loop.read(self._pidfd, self._ended)
        self._watch(run, 0)
        self._tell_later(run, self.setup.settings.initial_update_interval)
        self.sessions.admit(run, self._job_ad)

    def _limit(self, run: Run) -> bool:
        """What the program may use, and the directories that only it sees. OSError."""
        self.family.prepare(self._job_ad)
        run.within = self.family.within(self._job_ad)
        privatedirs.give(run, self.setup.settings, self._job_ad, self.log.write)
        return True

    def _tell_start(self, run: Run) -> None:
        report = run.report
        started = {
            "op": "started",
            "pid": report.pid,
            "when": report.exec_time,
            "scratch": self.place.sandbox.scratch,
            "transfer": report.input_transfer,
            "door": self.setup.door,
        }
        self.link.send({**started, "job": report.job, "run": report.run})

    def _sample(self, run: Run) -> None:
        self.link.send({"op": "sample", "attributes": run.sample()})
        if self.family.too_big():
            run.hard_kill()

    def _watch(self, run: Run, turn: int) -> None:
        """Samples the job's memory, often at first."""

        def look() -> None:
            if self.run is not run:
                return
            self.wall.turn("a look at the job", self._sample, run)
            self._watch(run, turn + 1)

        self._sampler.cancel()
        settings = self.setup.settings
        interval = settings.cgroup_polling_interval if self.family.grouped else settings.pid_snapshot_interval
        self._sampler = self.loop.after(_SAMPLES[turn] if turn < len(_SAMPLES) else max(1, interval), look)

    def _tell_usage(self, run: Run) -> None:
        usage = run.sample()
        metric = self.setup.settings.memory_usage_metric
        if metric:
            usage["MemoryUsage"] = metric
        self._tell(run, usage)
        self._tell_delayed(run)
        if self._hooks is not None:
            self._hooks.update(usage)

    def _tell_delayed(self, run: Run) -> None:
        """What the job wants changed in its ad, by the way."""
        if attributes := self.chirp.delayed.take():
            job = {"job": run.report.job, "run": run.report.run}
            self.link.send({"op": "delayed", "attributes": attributes, **job})

    def _tell_later(self, run: Run, seconds: float) -> None:
        """Tells the schedd (and the hook) what the job uses, and again every STARTER_UPDATE_INTERVAL."""

        def tell() -> None:
            self.wall.turn("an update about the job", self._tell_usage, run)
            self._tell_later(run, self.setup.settings.update_interval)

        self._updater.cancel()
        self._updater = self.loop.after(max(1.0, seconds), tell)

    def _ended(self) -> None:
        """The program is over. Sessions keep the slot until the last one has ended, unless the job was stopped."""
        self.loop.forget(self._pidfd)
        os.close(self._pidfd)
        self._pidfd = -1
        if self.run is not None:
            self.run.program_ended()
        self.chirp.drain(self._over)

    def _over(self) -> None:
        run = self.run
        if run is not None:
            if run.pauses():
                self._save(run)
            elif run.stopped or not self.sessions.any_open:
                self._finish(run)

    def _save(self, run: Run) -> None:
        """Keeps the checkpoint of a program; one that goes to a destination may be long on its way."""
        if not run.saves_much:
            self._saved(run, run.save())
            return

        def sent(result: tuple[bool, Stage] | None, why: str) -> None:
            self._errand = None
            self._saved(run, self._take(run, result, why))

        def send() -> tuple[bool, Stage]:
            load_movers()
            return run.save(), run.stage()

        self._errand = Errand(self.loop, send, sent)

    def _saved(self, run: Run, done: bool) -> None:
        if not done:
            run.not_saved()
            self._finish(run)
            return
        self._checkpointed(run, run.saved(now()))
        if run.stopped:
            self._finish(run)

    def _checkpointed(self, run: Run, told: dict[str, str]) -> None:
        """The program saved a checkpoint. It runs again, if the claim would take another job (as if it were one)."""
        if "FailedCheckpoint" not in told:
            self.log.write(f"Job {run.report.job} was checkpointed")
        self._tell_of_plugins(run)
        self._tell(run, told)
        if run.stopped:
            return
        if self.setup.settings.check_reactivate:
            self.link.send({"op": "checkpointed"})
        else:
            self._goes_on(True)

    def _goes_on(self, wanted: bool) -> None:
        """What the startd says of a program that waits to be started again."""
        run = self.run
        if run is None or not run.paused:
            return
        if not wanted:
            run.give_way()
        elif run.resumes(now()):
            assert run.process is not None
            self.log.write(f"Job {run.report.job} goes on, pid={run.process.pid}")
            self.family.again()
            self._pidfd = os.pidfd_open(run.process.pid)
            self.loop.read(self._pidfd, self._ended)
            return
        self._finish(run)

    def _last_session_left(self) -> None:
        if self.run is not None and self.run.program_is_over:
            self._finish(self.run)

    def _finish(self, run: Run) -> None:
        self._sampler.cancel()
        self.sessions.dismiss()
        self._updater.cancel()
        self.chirp.close()
        self._tell_delayed(run)
        self.run = None
        run.meter.add(*self.family.uncounted(run.counted()))
        self._clear_account(run)
        run.conclude(now())
        if run.sends_much:
            self._tell(run, {"TransferringOutput": "true"})
        if self._hooks is None:
            self._clear(run)
        else:
            self._hooks.exited(last_usage(run), lambda: self._clear(run))

    def _clear(self, run: Run) -> None:
        """Brings the output back, removes the scratch directory and reports."""
        if not run.sends_much:
            self._report(run, run.clear(now))
            return

        def cleared(stage: Stage | None, why: str) -> None:
            self._errand = self._leaving = None
            if stage is None:
                run.give_up(f"starter on {self.setup.slot_name}: {why}")
                run.clean()
            else:
                run.take(stage)
            self._report(run, run.report)

        def clear() -> Stage:
            load_movers()
            run.clear(now)
            return run.stage()

        self._leaving = run
        self._errand = Errand(self.loop, clear, cleared)

    def _tell_of_plugins(self, run: Run) -> None:
        for record in run.news_of_plugins(now()):
            self._tell(run, record)

    def _report(self, run: Run, report: ExitReport) -> None:
        self._tell_of_plugins(run)
        if report.pid:
            how = f"status={report.exit_code}" if report.exit_signal is None else f"signal={report.exit_signal}"
            self.log.write(f"Process exited, pid={report.pid}, {how}")
        report = self.family.judge(report)
        if not report.end_time:
            report = ExitReport.from_wire({**report.to_wire(), "end_time": now()})
        self._owed = None
        self._user_log.ended(run.owner, report)
        self.link.send({"op": "ended", "report": report.to_wire()})

    def _no_data(self, report: ExitReport) -> None:
        """The data slot has no files any more."""
        self._data = self._owed = None
        self.link.send({"op": "ended", "report": report.to_wire()})

    def _quit(self) -> None:
        self._deferral_timer.cancel()
        if self._data is not None:
            self._data.close()
        if self._hooks is not None:
            self._hooks.stop()
        if self._errand is not None:
            self._errand.stop()
        self.sessions.dismiss()
        if self.run is not None:
            self.run.hard_kill()
        self.sessions.close()
        self.chirp.close()
        self.loop.stop()

    def _startd_gone(self, link: Link) -> None:
        self._quit()


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
        status = StarterDaemon(setup, theirs).serve()
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
