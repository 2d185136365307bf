"""The run of condor_dagman: it hands events to the core, and carries out the actions of the core."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from condor_py.client import wire
from condor_py.client.dagman_requests import RequestListener
from condor_py.core.dag import actions as a
from condor_py.core.dag import rescue
from condor_py.core.dag.progress import NodeJobs, ScriptResult
from condor_py.core.dag.run import Run
from condor_py.core.dag.states import EXIT_RESTART, DagStatus, NodeState
from condor_py.daemons.dagman import cycles
from condor_py.daemons.dagman.fulldisk import may_pass
from condor_py.daemons.dagman.jobstate import JobstateLog
from condor_py.daemons.dagman.limits import ATTRIBUTES
from condor_py.daemons.dagman.managerjob import ENDS_JOB, EXIT_CODE, ManagerJob
from condor_py.daemons.dagman.nodeslog import NOOP_PROC, NodesLog, Read, post_event, pre_skip_event
from condor_py.daemons.dagman.nodetext import directory_of
from condor_py.daemons.dagman.outlog import OutLog
from condor_py.daemons.dagman.quitting import Quit
from condor_py.daemons.dagman.reports import Reports
from condor_py.daemons.dagman.scriptjobs import ScriptJobs, ScriptLog
from condor_py.daemons.dagman.start import Lock, Start, save, write_rescue
from condor_py.daemons.dagman.submits import Submits
from condor_py.daemons.dagman.waiting import Waiter
from condor_py.lang.dag.graph import NONE, Dag
from condor_py.lang.dag.messages import VERBOSE
from condor_py.model.errors import CondorError, StoreError, described
from condor_py.model.event_types import JobEventType
from condor_py.model.ids import JobId
from condor_py.model.messages.wakeups import Sync
from condor_py.model.selection import Selection
from condor_py.model.settings.dagman import ThrottleSettings
from condor_py.model.texts import one_line

_AT_WORK = (NodeState.PRERUN, NodeState.SUBMITTED, NodeState.POSTRUN)


class Quiet:
    """Watches how long the nodes log has had no event. After a while it reports which nodes are at work, and checks
    that their jobs are still in the queue. ``read_log`` handles new events of the log; it returns False if it cannot
    be read."""

    def __init__(self, start: Start, run: Run, submits: Submits, read_log: Callable[[], bool]) -> None:
        self._start, self._run, self._submits, self._read_log = start, run, submits, read_log
        self.news()

    def news(self) -> None:
        """Start to count again: there was an event."""
        now = time.monotonic()
        self._since = self._reported = self._asked = now

    def turn(self) -> None:
        """Report or check, if it is time."""
        settings, now = self._start.settings, time.monotonic()
        reports = settings.pending_report_interval > 0 and now - self._reported >= settings.pending_report_interval
        asks = settings.check_queue_interval > 0 and now - self._asked >= settings.check_queue_interval
        waiting = self.waiting() if reports or asks else []
        if not waiting:
            return
        if reports:
            self._reported = now
            self._start.log.say(f"{int(now - self._since)} seconds since last log event")
            self._tell_pending()
        if asks:
            self._asked = now
            self.verify(waiting)

    def _tell_pending(self) -> None:
        """Log the nodes that are at work, in HTCondor's words."""
        p, log = self._run.progress, self._start.log
        log.say("Pending DAG nodes:")
        for node in p.dag.order:
            state = p.state(node)
            if state in _AT_WORK:
                jobs = p.jobs.get(node)
                cluster = jobs.cluster if jobs is not None else -1
                log.say(f"  Node {p.dag.names[node]}, HTCondor ID {cluster}, status {f'STATUS_{state.name}':16}")

    def waiting(self) -> list[int]:
        """Return the nodes with submitted jobs that have not ended."""
        return [node for node, jobs in self._run.progress.jobs.items() if _waits(jobs)]

    def verify(self, waiting: Iterable[int]) -> None:
        """Check that the jobs of these nodes are in the queue, or that the nodes log has their end by now. If neither
        is true the DAG would wait for ever: it is aborted."""
        log, p = self._start.log, self._run.progress
        log.say("Querying local schedd for associated jobs in queue", VERBOSE)
        try:
            queued = self._submits.in_queue()
            self._start.pool.ask("schedd", Sync(), timeout=20.0)  # all events of what has left are written
        except (CondorError, wire.WireError, OSError) as error:
            log.say(f"ERROR: Failed to fetch job ads from local Schedd: {error}")
            return
        if not self._read_log():
            return  # the next turn tries again, and has logged the error
        lost = [node for node in waiting if _waits(p.jobs.get(node)) and p.jobs[node].cluster not in queued]
        if lost and not self._run.is_over:
            self._run.lost(lost)
        else:
            log.say("All pending job states validated", VERBOSE)


def _waits(jobs: NodeJobs | None) -> bool:
    """Whether a node has submitted jobs that have not ended."""
    return jobs is not None and jobs.cluster > 0 and not jobs.are_over


#: Numbers of HTCondor's commands for a running condor_dagman.
_HALT, _RESUME, _THROTTLE = 1, 2, 3


class Commands:
    """Commands of users for the running DAG. ``is_paused``: nothing at all is done until a resume. ``caps`` are the
    administrator's limits; ``publish`` brings the job ad up to date, from which the next condor_dagman takes what users
    have changed."""

    def __init__(self, run: Run, log: OutLog, caps: ThrottleSettings, publish: Callable[[], None]) -> None:
        self._run, self._log, self._caps, self._publish = run, log, caps, publish
        self.is_paused = False

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out a request, and return the answer."""
        command = request.get("DagCommand")
        if command == _HALT:
            self._halt(bool(request.get("IsPause")), one_line(str(request.get("HaltReason") or "")))
        elif command == _RESUME:
            self._resume()
        elif command == _THROTTLE:
            return {"Result": True, **self._throttle(request)}
        elif command is None:
            return {"Result": False, "ErrorString": "No DAG command provided in request"}
        else:
            return {"Result": False, "ErrorString": f"Unknown DAG command ({command}) provided"}
        self._publish()
        return {"Result": True}

    def _halt(self, pause: bool, reason: str) -> None:
        say = self._log.say
        if pause:
            say("DAG Pause: Already-paused DAG" if self.is_paused else "DAG Pause: Freezing all work...")
            self.is_paused = True
        elif self._run.progress.course.is_halted:
            say("DAGMan is already halted")
        else:
            say("Halting DAGMan progess...")
            self._run.halt()
        if reason:
            say(f"{'Pause' if pause else 'Halt'} reason: {reason}")

    def end_pause(self) -> None:
        """Resume work if the DAG is paused."""
        if self.is_paused:
            self._log.say("DAG Un-Pause: Resuming work...")
            self.is_paused = False

    def _resume(self) -> None:
        self.end_pause()
        if self._run.progress.course.is_halted:
            self._log.say("Resuming DAG progress...")
            self._run.resume()

    def _throttle(self, request: dict[str, Any]) -> dict[str, int]:
        given = {}
        for name, field in ATTRIBUTES.items():
            value = request.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                given[field] = max(int(value), 0)
        limits = self._run.progress.limits.changed(**given).under(self._caps)
        self._run.limit(limits)
        self._publish()
        return {name: int(getattr(limits, field)) for name, field in ATTRIBUTES.items()}


#: ProvisionerState of a provisioner that lets the DAG begin.
_PROVISIONED = 2
#: Seconds between checks of the state of a provisioner.
_PROVISIONER_PAUSE = 1.0
#: How often a nodes log that cannot be read is tried again, in recovery after so many seconds.
_MOST_READ_ERRORS = 10
_READ_PAUSE = 0.5


class Program:
    """One DAG, from its start to the exit code."""

    def __init__(
        self,
        start: Start,
        dag: Dag,
        job: ManagerJob,
        lock: Lock,
        waiter: Waiter,
        nodes_log: str,
        listener: RequestListener | None = None,
    ) -> None:
        self.start, self.dag, self.job, self.lock, self.waiter = start, dag, job, lock, waiter
        settings, options = start.settings, start.options
        priority = options.numbers["Priority"] or settings.default_priority
        self.run = Run(dag, settings, job.cluster, priority, settings.always_run_post)
        p = self.run.progress
        self.log = NodesLog(nodes_log, start.patience)
        self.reports = Reports(start, job, p)
        self.jobstate = JobstateLog(p, dag.jobstate_log, str(job.id))
        self.scripts = ScriptJobs()
        self.script_log = ScriptLog(start.primary, start.patience)
        self.submits = Submits(start, self.run, job, self.log)
        self.commands = Commands(self.run, start.log, start.caps, self.reports.publish)
        self.listener = listener
        if listener is not None:
            waiter.listen(listener.fileno())
        self.code: int | None = None
        self._rescue = ""
        self._has_given_up = False
        self._read_errors = 0
        self._next_look = 0.0
        self._quiet = Quiet(start, self.run, self.submits, self._read_log)
        self._halt = rescue.halt_name(start.primary)

    # ---- the run -------------------------------------------------------------------------------------------------

    def go(self, recovery: bool) -> int:
        """Run the DAG; return the exit code."""
        self.start.log.say("Bootstrapping...", VERBOSE)
        self.log.create(keep=recovery)
        self.start.patience.write(self.lock.mark)
        self.waiter.follow(self.log.path)
        self.jobstate.begin(recovery, self.start.rescue_number > 0)
        self.reports.dot()
        self.run.begin(self._now(), recovery, self._known_ends(recovery))
        self._say_actions()
        if not recovery:
            self.start.log.say(f"MultiLogFiles: truncating log file {self.log.path}", VERBOSE)
        if recovery:
            self._recover()
        self.reports.table()
        self._carry_out()
        if self.start.options.on("SetupOnly"):
            self.start.log.say("Exiting after DAG setup (-SetupOnly).")
            self.code = 0
        while self.code is None:
            with self.reports.cycles.measured(cycles.EVENT):
                self._guarded_turn()
            if self.code is None:
                with self.reports.cycles.measured(cycles.SLEEP):
                    self.waiter.wait(self._patience())
        return self._finish(self.code)

    def _recover(self) -> None:
        log = self.start.log
        log.loud("Running in RECOVERY mode... >>>>>>>>>>>>>>>>>>>>>>>>>>>>>>")
        self.submits.wait_for_events()
        # The second reading finds nothing but damage behind which there are more events.
        while not (self._read_log() and self._read_log()) and self._read_errors < _MOST_READ_ERRORS:
            self.waiter.wait(_READ_PAUSE)
        log.say("    ------------------------------")
        log.say("       HTCondor Recovery Complete")
        log.say("    ------------------------------")
        log.loud("...done with RECOVERY mode <<<<<<<<<<<<<<<<<<<<<<<<<<<<<<")
        self.submits.recovered(self.run.progress.jobs.max_noop_id)
        self._carry_out()
        waiting = self._quiet.waiting()
        self.run.recovered(self._now())
        self.jobstate.recovered()
        if waiting and self.job.cluster > 0 and not self.run.is_over:
            log.say(f"{len(waiting)} nodes claim to have jobs submitted to queue. Verifying...")
            self._quiet.verify(waiting)
        if self.job.number("DAG_Status") == DagStatus.HALTED:
            log.say("Restoring halted state.")
            self.run.halt()

    def _guarded_turn(self) -> None:
        """Take a turn. The first error of one breaks the DAG off, with a rescue file; a later one is raised."""
        try:
            self._turn()
        except Quit:
            raise
        except Exception as error:  # whatever it is: what the DAG has done must not be lost
            if may_pass(error) or self._has_given_up or self.run.is_over:
                raise
            self._has_given_up = True
            is_known = isinstance(error, CondorError | OSError)
            self.start.log.loud(f"ERROR: {error if is_known else described(error)}")
            self.run.give_up()
            self._carry_out()

    def _turn(self) -> None:
        """Handle all that has happened, and carry out what the core wants: until it wants nothing more."""
        self._signals()
        if self.listener is not None:
            self.listener.serve(self.commands.answer)
        if self.commands.is_paused:
            self.start.log.flush()
            return
        if not self.run.progress.course.is_halted and os.path.exists(self._halt):
            self.run.halt()
        self._scripts_ended()
        self._read_log()
        self._look_at_provisioner()
        more = True
        while more and self.code is None:
            with self.reports.cycles.measured(cycles.SUBMIT):
                self.run.advance(self._now())
                more = self._carry_out() and self.run.progress.ready.count > 0
            self._read_log()
        self._carry_out()
        if self.code is None:
            self.reports.turn()
            self._quiet.turn()
            self.run.check()
            self._carry_out()
        self.jobstate.flush()
        self.start.log.flush()

    def _scripts_ended(self) -> None:
        """Hand the core the ends of scripts. Those of PRE scripts are written down first: no event records them."""
        ends = list(self.scripts.ended())
        kept = []
        for end in ends:
            if end.kind == "PRE" and not self.run.is_deferred(end.node, end.kind, end.code):
                kept.append((self.dag.names[end.node], end))
        try:
            if kept:
                self.script_log.add(kept)
        except StoreError as error:
            self.start.log.loud(f"WARNING: a PRE script may run again after a restart: {error}")
        for end in ends:
            self.run.script_ended(end.node, end.kind, self._now(), end.code, end.signal)

    def _known_ends(self, recovery: bool) -> list[tuple[int, ScriptResult]]:
        """Read how PRE scripts ended in earlier runs of this DAG; empty when it starts from the beginning."""
        if not recovery:
            self.script_log.remove()
            return []
        try:
            found = self.script_log.read()
        except (StoreError, OSError) as error:
            self.start.log.loud(f"WARNING: PRE scripts may run again: {error}")
            return []
        numbers = self.dag.numbers
        return [(numbers[name], result) for name, result in found if name in numbers]

    def _patience(self) -> float:
        """Return the seconds until the next turn if nothing happens."""
        wake = self.run.wake_at()
        longest = float(self.start.settings.user_log_scan_interval)
        if self.dag.provisioner != NONE and not self.run.progress.course.is_provisioned:
            longest = min(longest, _PROVISIONER_PAUSE)
        if self.run.progress.ready.count and not wake and not self.run.progress.course.is_halted:
            longest = min(longest, 1.0)
        return longest if wake is None else min(longest, max(0.0, wake - time.time()))

    def _now(self) -> int:
        return int(time.time())

    def _signals(self) -> None:
        """Handle the signals that have come: SIGUSR1 when the job was removed, others to hold or shut it down."""
        received = self.waiter.take_signals()
        if signal.SIGUSR1 in received:
            self.commands.end_pause()  # no user can, for a removed job: its FINAL node would never start
            self.run.removed()
            self._carry_out()
        elif received and self.code is None:
            self._leave()

    def _leave(self) -> None:
        """Leave because the job is held or shut down: with an exit code that has it started again, to continue then."""
        self.start.log.say("Got SIGTERM. Performing graceful shutdown.")
        self.reports.table()
        self.reports.publish()
        self.reports.status_file(held=True)
        self.scripts.kill()
        self.code = EXIT_RESTART

    def _finish(self, code: int) -> int:
        self.jobstate.internal(f"DAGMAN_FINISHED {code}")
        self.jobstate.flush()
        if self.run.is_over or self.start.options.on("SetupOnly"):
            self.reports.finish(code)
            if code in ENDS_JOB:
                self.job.write({EXIT_CODE: str(code)})
            self.script_log.remove()
            self.lock.remove()
        return code

    # ---- what happened -------------------------------------------------------------------------------------------

    def _read_log(self) -> bool:
        """Handle the new events of the nodes log. Return whether it could be read."""
        try:
            with self.reports.cycles.measured(cycles.LOG):
                for read in self.log.read():
                    self._event(read)
            self._read_errors = 0
        except (StoreError, OSError) as error:
            self._read_errors += 1
            self.start.log.loud(f"ERROR: failure to read job log: {error}")
            if self._read_errors == _MOST_READ_ERRORS:
                self.start.log.say("DAGMan exiting due to error in log file")
                self.run.log_lost()
        return not self._read_errors

    def _event(self, read: Read) -> None:
        """Log an event, and hand it to the core."""
        event, p = read.event, self.run.progress
        node = self.dag.numbers.get(event.name) if event.name else None
        if node is None:
            node = p.jobs.node_of(event.cluster, event.subproc)
        stamp = time.strftime("%m/%d/%y %H:%M:%S", time.localtime(read.time))
        job = f"({event.cluster}.{event.proc}.{event.subproc}) {{{stamp}}}"
        where = " [recovery mode]" if p.course.is_recovering else ""
        if node is None:
            self.start.log.say(f"Event: {read.title} for unknown Node {job}: ignoring...{where}", VERBOSE)
            return
        self.start.log.say(f"Event: {read.title} for HTCondor Node {self.dag.names[node]} {job}{where}", VERBOSE)
        self.jobstate.event(node, read)
        idle = p.counts.idle_jobs
        self.run.job_event(event, self._now())
        self._quiet.news()
        self.reports.changed()
        self._say_actions()
        if p.counts.idle_jobs != idle:
            self.start.log.say(f"Number of idle job procs: {p.counts.idle_jobs}", VERBOSE)

    def _say_actions(self) -> None:
        """Write the core's messages to the log at once, so that they follow their event; other actions stay pending."""
        for line in self.run.progress.take_first_lines():
            self.start.log.say(line.text, line.level)

    def _look_at_provisioner(self) -> None:
        """Read the state of the provisioner's job, until it lets the DAG begin."""
        p = self.run.progress
        if self.dag.provisioner == NONE or p.course.is_provisioned or time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + _PROVISIONER_PAUSE
        jobs = p.jobs.get(self.dag.provisioner)
        if jobs is None or jobs.cluster < 0:
            return
        try:
            ad = self.start.pool.read_queue().job(JobId(jobs.cluster, jobs.proc))
        except CondorError:
            return
        state = ad.eval_int("ProvisionerState", -1) if ad is not None else -1
        self.start.log.say(f"Provisioner job state: <{state}>")
        if state == _PROVISIONED:
            self.run.provisioned(self._now())

    # ---- what is to be done --------------------------------------------------------------------------------------

    def _carry_out(self) -> bool:
        """Carry out the actions of the core. Return whether nodes were submitted."""
        submitted = False
        while self.code is None and (wanted := self.run.take()):
            for action in wanted:
                submitted = submitted or isinstance(action, a.Submit)
                self._ACTIONS[type(action)](self, action)
        return submitted

    def _submit(self, action: a.Submit) -> None:
        self.submits.carry_out(action.nodes)

    def _run_script(self, action: a.RunScript) -> None:
        dag = self.dag
        script = dag.scripts[action.kind][action.node]
        name, words = dag.names[action.node], action.words
        why = self.scripts.start(action.node, action.kind, name, words, directory_of(self.run.progress, action.node),
                                 script)  # fmt: skip
        if why:
            self.start.log.loud(why)
            self.start.log.loud(f"Error: Failed to execute {action.kind} for Node {name}")
            self.waiter.wake()

    def _kill_scripts(self, action: a.KillScripts) -> None:
        self.scripts.kill()
        self.waiter.wake()  # their ends are handled in the next turn, if there is one for the FINAL node

    def _write_event(self, action: a.WriteEvent) -> None:
        name, now = self.dag.names[action.node], time.time()
        if action.number == JobEventType.PRESKIP:
            made = pre_skip_event(name, self.submits.next_noop_id(), now)
        else:
            jobs = self.run.progress.jobs.get(action.node)
            ids = (-1, 0, 0)
            if jobs is not None and jobs.cluster >= 0:
                ids = (jobs.cluster, NOOP_PROC if jobs.subproc else 0, jobs.subproc)
            made = post_event(name, ids, now, action.code, action.signal)
        self.log.append([made])

    def _remove_jobs(self, action: a.RemoveJobs) -> None:
        self._remove(f"ClusterId == {action.cluster}", action.reason)

    def _remove_all(self, action: a.RemoveAll) -> None:
        if self.job.cluster > 0:
            spared = " && DAGLifetimeJob =!= true" if action.keep_lifetime else ""
            self._remove(f"DAGManJobId == {self.job.cluster}{spared}", action.reason)

    def _remove(self, constraint: str, reason: str) -> None:
        try:
            self.start.pool.act("remove", Selection(constraint=constraint), reason or None)
        except (CondorError, OSError) as error:
            self.start.log.loud(f"ERROR: removing jobs ({constraint}) failed: {error}")

    def _write_rescue(self, action: a.WriteRescue) -> None:
        p = self.run.progress
        retries = None if p.settings.reset_retries_upon_rescue else p.tries.retries
        self._rescue = write_rescue(self.start, self.dag, p.states.raw(), retries, self._rescue)

    def _write_save_point(self, action: a.WriteSavePoint) -> None:
        p = self.run.progress
        name = self.dag.names[action.node]
        path = rescue.save_point_name(self.start.primary, self.dag.save_points[action.node], os.getcwd())
        if self.start.options.on("UseDagDir"):
            path = os.path.join(directory_of(p, action.node), path)
        self.start.log.say(f"Writing Save File to {path}...")
        text = rescue.progress_text(rescue.save_point_header(name), self.dag, self._now(), p.states.raw())
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            if os.path.exists(path):
                os.replace(path, f"{path}.old")
        except OSError as error:
            self.start.log.loud(f"Could not prepare {path}: {error.strerror}")
        save(self.start, path, text)

    def _end(self, action: a.Finish) -> None:
        self.code = action.code

    def _show(self, action: a.ShowStatus) -> None:
        self.reports.table()
        if action.publish:
            self.reports.statistics()
            self.reports.publish()

    _ACTIONS: ClassVar[dict[type, Callable[[Program, Any], None]]] = {
        a.Submit: _submit,
        a.RunScript: _run_script,
        a.WriteEvent: _write_event,
        a.RemoveJobs: _remove_jobs,
        a.RemoveAll: _remove_all,
        a.KillScripts: _kill_scripts,
        a.WriteRescue: _write_rescue,
        a.WriteSavePoint: _write_save_point,
        a.NodeEnded: lambda self, action: self.reports.ended(action.node, action.success),
        a.Noted: lambda self, action: self.jobstate.noted(action),
        a.Say: lambda self, action: self.start.log.say(action.text, action.level),
        a.ShowStatus: _show,
        a.Finish: _end,
    }
