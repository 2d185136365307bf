"""The current job of a starter. ``JobWork`` carries out the effects of the starter's core (``core.runs``), and reports
to the core when a step is done or something has happened."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from condor_py.core.runs import events as on
from condor_py.core.runs.effects import Do, Effect, Refuse, Report, Signal, Step, Stopped
from condor_py.core.runs.facts import AT_ONCE, deferral_of, facts_of
from condor_py.daemons.common.errand import Errand
from condor_py.daemons.common.guard import FaultGuard
from condor_py.daemons.common.link import Link
from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.common.loop import Loop, now
from condor_py.daemons.starter.chirp import ChirpServer
from condor_py.daemons.starter.datastarter import DataStarter, log_name
from condor_py.daemons.starter.executors import chirp_address, executor_of
from condor_py.daemons.starter.jobcredentials import JobCredentials
from condor_py.daemons.starter.jobfamily import JobFamily
from condor_py.daemons.starter.joblog import JobLog, StarterUserLog, job_log, starter_user_log
from condor_py.daemons.starter.jobscripts import JobScripts, scripts_wanted
from condor_py.daemons.starter.looks import Looks
from condor_py.daemons.starter.sessions import Sessions
from condor_py.daemons.starter.starterfacts import (
    add_home,
    cores_of,
    door_of,
    log_of_job,
    place_for,
    place_of,
    refuses_plugins,
    starting,
)
from condor_py.daemons.starter.starterhooks import JobHooks, Prepared, hooks_for, last_usage
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.daemons.starter.teller import Teller
from condor_py.daemons.starter.tools import ToolDaemons
from condor_py.daemons.starter.usagerecorder import UsageRecorder
from condor_py.lang.classad import ClassAd, is_true, parse, sent
from condor_py.machine.probes import process
from condor_py.machine.run.builtin_urls import load_movers
from condor_py.machine.run.family import reap_all
from condor_py.machine.run.identity import Account, UnknownAccount, account
from condor_py.machine.run.job import Job, read_job
from condor_py.machine.run.jobad import job_ad_text, provisioned
from condor_py.machine.run.processes import ProcessExecutor
from condor_py.machine.run.run import Run, Stage
from condor_py.machine.run.sandbox import Sandbox, clear_scratch
from condor_py.model.copies import changed
from condor_py.model.messages import runs as say
from condor_py.model.messages.runs import StartJob
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode, Universe


def runner_of(setup: StarterSetup, ad: ClassAd, complain: Callable[[str], None]) -> Account | None:
    """Return the account for a job that may not run as its owner, or does not want to; None for the owner. Only root
    can change accounts."""
    accounts = setup.settings.accounts
    if os.geteuid() != 0:
        return None
    allowed = accounts.allow_owner == "true" or is_true(setup.slot_ad.raw(parse(accounts.allow_owner), ad))
    if allowed and ad.eval_bool("RunAsOwner", True) is not False:
        return None
    is_machine = ad.eval_int("JobUniverse", Universe.VANILLA) == Universe.VM
    return _unless_root(accounts.of_slot(setup.slot_name, is_machine=is_machine), complain)


def _unless_root(name: str, complain: Callable[[str], None]) -> Account:
    """Return the account of a name; that of the user nobody if it does not exist or is root's."""
    try:
        found = account(name)
    except UnknownAccount as error:
        complain(f"{error}: the job runs as nobody")
        return account("nobody")
    if found.uid:
        return found
    complain(f"jobs must not run as {name}: the job runs as nobody")
    return account("nobody")


def clear_account(pattern: str, runner: Account | None) -> None:
    """Kill all processes of a dedicated account: one whose name matches ``pattern``, and that only jobs use."""
    if pattern and runner is not None and runner.uid and os.geteuid() == 0 and re.fullmatch(pattern, runner.name):
        process.kill_family(lambda: process.user_pids(runner.uid))


class JobWork:
    """The parts of a starter, and its current run. ``happened`` hands an event to the core."""

    def __init__(
        self,
        setup: StarterSetup,
        loop: Loop,
        log: DaemonLog,
        guard: FaultGuard,
        link: Link,
        sandbox: Sandbox,
        happened: Callable[[on.Event], None],
    ) -> None:
        self.setup, self.loop, self.log, self.link = setup, loop, log, link
        self._happened = happened
        self.tell = Teller(link, setup.claim_id)
        self._usual_place = self.place = place_of(setup, sandbox, log.write)
        self._provisioned = provisioned(setup.slot_ad)
        self._all_cores = os.sched_getaffinity(0) if setup.cores else frozenset()
        #: The report of the present job as it was at the start, until the startd has the real one.
        self._owed: ExitReport | None = None
        self._run: Run | None = None
        #: The transfer that waits for its turn: its run, the attribute that shows it, the function that begins it.
        self._turn: tuple[Run, str, Callable[[], None]] | None = None
        self._has_turn = False
        #: The work of a data slot, which is no run.
        self._data: DataStarter | None = None
        self._staged: tuple[str, ...] = ()
        self._hooks: JobHooks | None = None
        self._scripts: JobScripts | None = None
        #: The program was killed, and no script runs after it.
        self._killed = False
        self._job_log: JobLog | None = None
        self._pidfd = -1
        #: Whether a plain job runs that the core does not know of yet.
        self._plainly = False
        self._job_ad = ClassAd()
        #: The socket of the schedd whose job that is; "" for a job without one.
        self._schedd = ""
        self._user_log: StarterUserLog | None = None
        self._child = Child(loop, f"starter on {setup.slot_name}")
        settings = setup.settings
        self._family = JobFamily(settings, setup.slot_name, setup.slot_ad, setup.tracking_gid)
        if self._family.warning:
            self.log.write(f"WARNING: {self._family.warning}")
        self._chirp = ChirpServer(loop, settings.chirp, sandbox.root, self._family.helpers, log.write)
        self._sessions = Sessions(
            loop,
            door_of(setup),
            dismiss=lambda: happened(on.Dismiss()),
            last_left=self._one_left,
            use=lambda: self.recorder.text,
            log=log.write,
        )
        self._tools = ToolDaemons(loop, self._one_left, log.write)
        self._credentials = JobCredentials(settings.credentials, loop, log)
        self.recorder = UsageRecorder(settings.usage_record_interval)
        self._looks = Looks(
            loop, guard, settings, self.tell, self._chirp, self.recorder, lambda: happened(on.OverLimit())
        )

    # -- a job comes -------------------------------------------------------------------------------

    def take(self, order: StartJob, body: bytes) -> on.Event | None:
        """Begin the job, or the data slot, that the startd orders. Return the event for the core; None for a plain job,
        which runs already."""
        report = self._owed = ExitReport(order.claim, order.job, order.run)
        if (named := log_of_job(self.setup, order.job)) is not None:
            self.log.retune(named)
        ad = sent.read(body)
        self._job_log = job_log(ad, self.log)
        self._staged = tuple(order.common)
        self.place = place_for(self.setup, self._usual_place, ad)
        if self._all_cores:
            process.bind(cores_of(self.setup, ad) or self._all_cores)
        job = self._read(ad)
        job_ad = job_ad_text(ad, self._provisioned, job, self.place.sandbox.scratch)
        if order.catalogs:
            self._data = DataStarter(
                self.loop, self.place, self.link.send, self._no_data, report, order.catalogs, job, job_ad
            )
            return on.BeginStaging()
        self._schedd = order.schedd
        self._job_ad = ad
        run = self._new_run(job, job_ad)
        if self._is_plain(run):
            if self._start_plainly(run):
                return None
            self._new_run(job, job_ad)  # it could not be started: the general way finds out why
        return on.Begin(facts_of(ad))

    def _new_run(self, job: Job, job_ad: str) -> Run:
        """Make the run of the present job, with its scripts, hooks and log; return it."""
        ad, log, owed = self._job_ad, self.log.write, self._owed
        assert owed is not None
        report = ExitReport(owed.claim_id, owed.job, owed.run)
        add_home(self.setup.settings, ad, job.owner)
        executor = executor_of(self.setup, self._family, ad, log)
        run = self._run = Run(self.place, executor, job, report, job_ad, runner_of(self.setup, ad, log))
        self._scripts, self._killed = None, False
        if scripts_wanted(self.setup.settings.allow_scripts, self.setup.slot_ad, ad, log):
            self._scripts = JobScripts(self.loop, self._family, log, run, ad, self.tell.attributes)
        hooks = hooks_for(self.setup.settings, ad)
        self._hooks = JobHooks(self.loop, log, hooks, run, ad) if hooks is not None else None
        directory = self.place.sandbox.scratch if job.transfer else job.iwd
        self._user_log = starter_user_log(ad, directory, job.transfer, log)
        return run

    # -- plain jobs --------------------------------------------------------------------------------
    #
    # The steps of a plain job are done at once, one after the other, and the core is not asked what follows. It learns
    # of the job when something happens that it has to decide about: an order, or a program that ends while a session or
    # a Chirp connection is open. A job that cannot be started is tried again in the general way, which finds out why.

    def _is_plain(self, run: Run) -> bool:
        """Whether each step of a run is done in a moment: nothing is transferred or waited for, no hook or script takes
        part, and nothing but the program is started."""
        job = run.job
        if job.transfer or job.staged or job.skip_if_dataflow or job.tool is not None:
            return False
        if job.remote_iwd:  # another directory than the program's has to be there, too
            return False
        if self._hooks is not None or self._scripts is not None or self._job_log is not None:
            return False
        if run.runner is not None or type(run.executor) is not ProcessExecutor or self.place is not self._usual_place:
            return False
        return deferral_of(self._job_ad) is AT_ONCE

    def _start_plainly(self, run: Run) -> bool:
        """Start a plain job. False when that failed, and nothing of it is left. A fault after its program was started
        is raised."""
        try:
            started = run.begin(now()) and self._credentials.bring(run, self._job_ad)
            if started and not run.job.is_silent:
                run.check_directory()
            started = started and self._execute_now(run)
        except Exception:  # the general way tries it again, and reports the fault
            if run.executor.pid:  # a program must not be started twice
                raise
            run.give_up("")
            started = False
        if started:
            self._plainly = True
            self._started(run)
            self._watch(run)
        return started

    def hand_over(self) -> None:
        """Let the core decide from now on, if a plain job runs."""
        if self._plainly:
            self._plainly = False
            self._happened(on.Underway(facts_of(self._job_ad)))

    def _end_plainly(self, run: Run) -> None:
        """Do what follows the end of the program of a plain job."""
        self._plainly = False
        self._end_services()
        clear_account(self.setup.settings.accounts.dedicated, run.owner)
        run.conclude(now())
        run.clear(now)
        self._report(run, run.report)

    @property
    def owed(self) -> ExitReport | None:
        """The report, as it was at the start, of the run that the startd has no report of yet; None if there is
        none."""
        return self._owed

    def take_owed(self) -> ExitReport | None:
        """Return ``owed`` and forget it; the caller sends a report."""
        owed, self._owed = self._owed, None
        return owed

    # -- effects -----------------------------------------------------------------------------------

    def take_step(self, step: Step) -> None:
        """Do a step of the present run, if there is one. The core hears of its end by ``Done`` or ``Drained``."""
        if self._run is not None:
            _STEPS[step](self, self._run)

    def carry_out(self, effect: Effect) -> None:
        """Carry out an effect of the core that is no step."""
        if type(effect) is Report:  # the effect of each run: it need not be compared with all others
            self._reported(effect)
            return
        match effect, self._run:
            case Do.KILL_HOOK, _:
                if self._hooks is not None:
                    self._hooks.stop()
                if self._scripts is not None:
                    self._scripts.stop()
            case Do.KILL_CHILD, _:
                self._turn, self._has_turn = None, False
                self._child.stop()
            case Do.CLEAN, _:  # this may take long: messages leave first
                self.link.flush()
                clear_scratch(self.place)
            case ((Do.STAGE | Do.END_STAGING), _):
                self._stage(begins=effect is Do.STAGE)
            case Do.END_SESSIONS, _:
                self._sessions.dismiss()
            case Do(), Run() as run:
                self._do(effect, run)
            case Refuse(code, reason), Run() as run:
                run.refuse(code, reason)
            case Signal(number), Run() as run:
                run.soft_kill(number)
                self._tools.signal(number)
            case Stopped(final), Run() as run:
                run.stop(final=final)

    def _do(self, effect: Do, run: Run) -> None:
        """Carry out an effect on the present run."""
        match effect:
            case Do.WATCH:
                self._watch(run)
            case Do.END_SERVICES:
                self._end_services()
            case Do.SUSPEND:
                self._sessions.suspend()
                self.tell.suspended(run, run.suspend_all())
                self.recorder.mark("suspended")
            case Do.CONTINUE:
                self._sessions.resume()
                run.continue_all()
                self.tell.suspended(run, None)
                self.recorder.mark("continued")
            case Do.KILL:
                self._killed = True
                run.hard_kill()
            case Do.DISMISS:
                run.dismiss()
            case Do.GIVE_UP:
                run.give_up("")
            case Do.TELL_NOT_STARTED:
                self._not_started(run)
            case Do.GIVE_WAY:
                run.give_way()

    def _end_services(self) -> None:
        """End what serves the program while it runs."""
        self._looks.end()
        self.recorder.end()
        self._credentials.end()
        self._sessions.dismiss()
        self._tools.forget()
        self._chirp.close()

    def _done(self, run: Run, step: Step, ok: bool = True) -> None:
        """Report to the core that a step is done, unless its run is over."""
        if self._run is run:
            self._happened(on.Done(step, ok))

    # -- data slots --------------------------------------------------------------------------------

    def _stage(self, *, begins: bool) -> None:
        data = self._data
        if data is None:
            return
        if begins:
            self.log.retune(changed(self.setup.log, path=log_name(self.setup.log.path, self.setup.slot_name)))
            data.begin()
        else:
            data.stop()

    def _no_data(self, report: ExitReport) -> None:
        """The data slot has no files any more."""
        self._owed = report
        self._happened(on.StagingEnded())

    def _data_reported(self) -> None:
        report, self._data = self.take_owed(), None
        if report is not None:
            self.tell.ended(report)

    # -- the start of a job ------------------------------------------------------------------------

    def _try(self, run: Run, step: Step, work: Callable[[], bool]) -> bool:
        """Do a step of the start. If the run is over, report that to the core and return False."""
        try:
            done = work()
        except Exception as error:  # a fault in one job must not harm its claim and the next job
            run.give_up(f"starter on {self.setup.slot_name}: {type(error).__name__}: {error}")
            done = False
        if not done:
            self._done(run, step, False)
        return done

    def _make_scratch(self, run: Run) -> None:
        if self._try(run, Step.MAKE_SCRATCH, lambda: run.begin(now()) and self._credentials.bring(run, self._job_ad)):
            if self._job_log is not None:
                self._job_log.open(self.place.sandbox.scratch, run.submitter)
            if run.job.skip_if_dataflow:
                self.tell.attributes(run, {"DataflowJobSkipped": "false"})
            self._done(run, Step.MAKE_SCRATCH)

    def _ask_hook(self, run: Run, step: Step) -> None:
        """Let the hook prepare the job, if there is one."""

        def decided(prepared: Prepared) -> None:
            if self._run is run:  # else it was stopped meanwhile
                self._done(run, step, self._is_prepared(run, prepared))

        if self._hooks is None:
            self._done(run, step)
        else:
            self._hooks.prepare(transferred=step is Step.ASK_HOOK_AGAIN, then=decided)

    def _is_prepared(self, run: Run, prepared: Prepared) -> bool:
        """Take over the result of a preparing hook; return whether the start continues."""
        if prepared.message:
            self.log.write(prepared.message)
        if prepared.message and (prepared.ok or not prepared.holds):  # else it is the reason of a hold
            self.tell.notice(run, prepared.message, critical=not prepared.ok)
        if prepared.ok:
            self._change(run, prepared)
        else:
            prepared.end(run)
        return prepared.ok

    def _read(self, ad: ClassAd) -> Job:
        """Read the ad of a job. Its plugins for transfers are left out if this machine does not allow them."""
        job = read_job(ad, self.setup.file_system_domain, self._staged)
        if job.wishes.plugins:
            refused = refuses_plugins(self.setup.settings.disable_user_plugins, self.setup.slot_ad, ad)
            if refused is not None:
                job = replace(job, wishes=job.wishes.without_plugins(refused))
        return job

    def _change(self, run: Run, prepared: Prepared) -> None:
        """Apply the changes of a hook to the job."""
        if prepared.changes and self._hooks is not None:
            self._hooks.change(prepared.changes)
            job = self._read(self._job_ad)
            run.change(job, job_ad_text(self._job_ad, self._provisioned, job, self.place.sandbox.scratch))

    def _fetch(self, run: Run) -> None:
        """Fetch the input: at once, or, if it is much, in a child and when it is its turn."""

        def fetched(work: Callable[[], bool]) -> None:
            if self._has_turn:
                self._has_turn = False
                self.link.send(say.TransferOver(self.setup.claim_id))
            if self._try(run, Step.FETCH, work):
                self._done(run, Step.FETCH)

        size = run.job.wishes.input_size_mb << 20
        if run.brings_much or self._queues(run, size):
            begin = partial(self._child.do, run, lambda: run.fetch(now), fetched)
            self._in_turn(run, "TransferringInput", size, begin)
        else:
            fetched(lambda: run.fetch(now))

    def _not_started(self, run: Run) -> None:
        """Report that the program was not started, with the reason."""
        skipped = "its output is newer than its input" if run.report.skipped else ""
        self._chirp.close()
        reason = skipped or run.report.hold_reason or run.report.error
        self.log.write(f"Job {run.report.job} was not started: {reason}")
        if run.invalid_checkpoint:
            self.tell.notice(run, run.invalid_checkpoint, critical=True)
        if run.report.hold_code in (HoldCode.FAILED_TO_CREATE_PROCESS, HoldCode.SINGULARITY_TEST_FAILED):
            run.started(now())  # HTCondor reports the start before it tries
            self.tell.started(run, self.setup.door)

    def _execute(self, run: Run) -> None:
        """Start the program, after PreCmd if there is one."""
        if self._scripts is None:
            self._start(run)
            return

        def prepared(ok: bool) -> None:
            if self._run is not run:
                return  # it was stopped meanwhile
            if ok:
                self._start(run)
            else:
                self._done(run, Step.EXECUTE, False)

        self._scripts.before(prepared)

    def _start(self, run: Run) -> None:
        self.tell.plugins(run)
        if self._try(run, Step.EXECUTE, lambda: self._execute_now(run)):
            self._started(run)
            self._done(run, Step.EXECUTE)

    def _execute_now(self, run: Run) -> bool:
        """Start the program, with a Chirp server for it. False when the run is over."""
        limits = self.setup.settings.transfer.allowed_directories
        host = chirp_address(self.setup, self._job_ad, self.log.write)
        chirp = self._chirp.open(run, self._job_ad, self._schedd, limits, host)
        return run.execute({**chirp, **self._credentials.variables})

    def _started(self, run: Run) -> None:
        """Report that the program was started."""
        run.started(now())
        self.tell.started(run, self.setup.door)
        if self._user_log is not None:
            self._user_log.started(run.owner, self.setup.host)
        self.log.write_all(starting(run.job, run.executor.pid))

    # -- while it runs -----------------------------------------------------------------------------

    def _watch(self, run: Run) -> None:
        """Watch for the end of the program. At its first start begin to measure it, and to admit sessions."""
        self._pidfd = run.executor.watch()
        self.loop.read(self._pidfd, self._ended)
        if not run.was_resumed:
            self._looks.begin(run, self._hooks)
            self._credentials.follow(run)
            self._sessions.admit(run, self._job_ad)
        self._tools.begin(run)

    def _one_left(self) -> None:
        """Report to the core that a session or the tool daemon has ended, if it was the last one."""
        if not self._in_use:
            self._happened(on.SessionsEnded())

    @property
    def _in_use(self) -> bool:
        """Whether a session or the tool daemon keeps the slot after the end of the program."""
        return self._sessions.any_open or self._tools.runs

    def _ended(self) -> None:
        """Handle the end of the program. A plain job ends at once, unless a session or a Chirp connection is open."""
        if self._plainly and (self._in_use or self._chirp.in_use):
            self.hand_over()
        self.loop.forget(self._pidfd)
        os.close(self._pidfd)
        self._pidfd = -1
        run = self._run
        if run is not None:
            run.program_ended()
            if self._plainly:
                self._end_plainly(run)
                return
        self._happened(on.ProgramEnded())

    def _drain(self, run: Run) -> None:
        """Serve the Chirp requests that the program has sent before its end."""

        def drained() -> None:
            if self._run is run:
                self._happened(on.Drained(run.at_checkpoint, self._in_use))

        self._chirp.drain(drained)

    def _save(self, run: Run) -> None:
        """Keep the checkpoint of a program; in a child if it goes to a destination, which may take long."""
        run.pause()
        if not run.saves_much:
            self._saved(run, run.save())
            return
        self._child.do(run, run.save, lambda took: self._saved(run, took()))

    def _saved(self, run: Run, done: bool) -> None:
        if done:
            attributes = run.saved(now())
            if "FailedCheckpoint" not in attributes:
                self.log.write(f"Job {run.report.job} was checkpointed")
                self.recorder.mark("checkpoint")
            self.tell.plugins(run)
            self.tell.attributes(run, attributes)
        else:
            run.not_saved()
        self._done(run, Step.SAVE, done)

    def _ask_to_go_on(self) -> None:
        """Ask whether the program may run again: yes, if the claim would take another job now."""
        if self.setup.settings.check_reactivate:
            self.tell.checkpointed()
        else:
            self._happened(on.Done(Step.ASK_TO_GO_ON))

    def _resume(self, run: Run) -> None:
        resumed = run.resumes(now())
        if resumed:
            self.log.write(f"Job {run.report.job} continues, pid={run.executor.pid}")
        self._done(run, Step.RESUME, resumed)

    # -- its end -----------------------------------------------------------------------------------

    def _conclude(self, run: Run) -> None:
        """End what is left of the program, and run PostCmd if there is one."""
        self.tell.delayed(run, self._chirp.take_delayed())
        clear_account(self.setup.settings.accounts.dedicated, run.owner)
        self._looks.tell_news(run)
        if self._scripts is None or self._killed:
            self._concluded(run)
            return

        def over() -> None:
            if self._run is run:
                self._concluded(run)

        run.executor.end()  # nothing of the program is left when its script starts
        self._scripts.after(over)

    def _concluded(self, run: Run) -> None:
        run.conclude(now())
        if self._hooks is None:
            self._done(run, Step.CONCLUDE)
        else:
            self._hooks.exited(last_usage(run), lambda: self._done(run, Step.CONCLUDE))

    def _clear(self, run: Run) -> None:
        """Transfer the output and remove the scratch directory: at once, or, if it is much, in a child and when it is
        its turn."""
        size = run.report.usage.disk_kb << 10
        if not run.sends_much and not self._queues(run, size):
            run.clear(now)
            self._done(run, Step.CLEAR)
            return

        def clear() -> bool:
            run.clear(now)
            return True

        def cleared(took: Callable[[], bool]) -> None:
            if not took():
                run.clean()
            self._done(run, Step.CLEAR)

        self._in_turn(run, "TransferringOutput", size, partial(self._child.do, run, clear, cleared))

    # -- turns of transfers ------------------------------------------------------------------------

    def _queues(self, run: Run, size: int) -> bool:
        """Whether a transfer of so many bytes has to wait for its turn in the transfer queue."""
        return self.setup.queues_transfers and run.job.transfer and size > self.setup.settings.transfer.queue_bytes

    def _in_turn(self, run: Run, mark: str, size: int, begin: Callable[[], None]) -> None:
        """Begin a transfer of so many bytes: at once, or, if it is large, when the startd gives it its turn. ``mark``
        is the attribute that shows in the job's ad that it is under way."""
        if not self._queues(run, size):
            self.tell.attributes(run, {mark: "true"})
            begin()
            return
        self._turn = run, mark, begin
        user = self._job_ad.eval_text(self.setup.settings.transfer.queue_user)
        self.link.send(say.TransferWanted(self.setup.claim_id, mark == "TransferringInput", str(user)))

    def turn_came(self, *, granted: bool) -> None:
        """Begin the transfer if it is ``granted``; otherwise show in the job's ad that it waits."""
        if self._turn is None:
            return
        run, mark, begin = self._turn
        if granted:
            self._turn, self._has_turn = None, True
            if mark == "TransferringInput":
                run.has_turn(now())
            self.tell.attributes(run, {mark: "true", "TransferQueued": "false"})
            begin()
        else:
            self.tell.attributes(run, {mark: "true", "TransferQueued": "true"})

    def _end_processes(self) -> None:
        """Kill all processes below us: a plugin or a hook may have left some, also where no program was started."""
        self._family.kill_family(lambda: self._family.descendants(os.getpid()))
        reap_all()

    def _reported(self, effect: Report) -> None:
        self._end_processes()
        run = self._run
        if run is None:
            self._data_reported()
        else:
            self._report(run, replace(run.report, vacated=True) if effect.stopped else run.report)

    def _report(self, run: Run, report: ExitReport) -> None:
        """Send the startd the report of a run, which is over."""
        self.tell.plugins(run)
        if report.pid:
            how = f"status={report.exit_code}" if report.exit_signal is None else f"signal={report.exit_signal}"
            self.log.write(f"Process exited, pid={report.pid}, {how}")
        if self._job_log is not None:
            self._job_log.close()
            self._job_log = None
        report = self.recorder.completed(run.executor.judge(report))
        run.executor.close()
        if not report.end_time:
            report = report.but(end_time=now())
        self._run = self._owed = None
        if self._user_log is not None:
            self._user_log.ended(run.owner, report)
        self.tell.ended(report)

    def clock_jumped(self, seconds: float) -> None:
        """Handle a jump of the clock: forwards, the run's times stay; backwards (less than 0), they move with it."""
        if seconds < 0 and self._run is not None:
            self._run.set_back(seconds)

    def leave(self) -> None:
        """End sessions and services, as the starter leaves."""
        if self._data is not None:
            self._data.close()
        self._sessions.dismiss()
        self._sessions.close()
        self._chirp.close()
        if self._run is not None:
            self._run.executor.close()

    def close(self) -> None:
        """Kill what is left of jobs."""
        self._end_processes()
        self._family.close()


_STEPS: dict[Step, Callable[[JobWork, Run], None]] = {
    Step.MAKE_SCRATCH: JobWork._make_scratch,
    Step.ASK_HOOK: partial(JobWork._ask_hook, step=Step.ASK_HOOK),
    Step.ASK_HOOK_AGAIN: partial(JobWork._ask_hook, step=Step.ASK_HOOK_AGAIN),
    Step.FETCH: JobWork._fetch,
    Step.EXECUTE: JobWork._execute,
    Step.DRAIN: JobWork._drain,
    Step.SAVE: JobWork._save,
    Step.ASK_TO_GO_ON: lambda work, run: work._ask_to_go_on(),
    Step.RESUME: JobWork._resume,
    Step.CONCLUDE: JobWork._conclude,
    Step.CLEAR: JobWork._clear,
}


class Child:
    """Does long steps of a run in a child process, one at a time. ``starter`` begins the error if the child fails."""

    def __init__(self, loop: Loop, starter: str) -> None:
        self._loop = loop
        self._starter = starter
        self._errand: Errand | None = None

    def do(self, run: Run, work: Callable[[], bool], then: Callable[[Callable[[], bool]], None]) -> None:
        """Do ``work`` in a child. ``then`` receives a function that takes over the state of the run from the child, and
        returns whether the work succeeded."""

        def step() -> tuple[bool, Stage]:
            load_movers()
            return work(), run.stage()

        def ended(result: tuple[bool, Stage] | None, why: str) -> None:
            self._errand = None
            then(lambda: self._take(run, result, why))

        self._errand = Errand(self._loop, step, ended)

    def stop(self) -> None:
        """Kill the child and all that it has started, without a report."""
        if self._errand is not None:
            self._errand.stop()
            self._errand = None

    def _take(self, run: Run, result: tuple[bool, Stage] | None, why: str) -> bool:
        if result is None:
            run.give_up(f"{self._starter}: {why}")
            return False
        run.take(result[1])
        return result[0]
