"""A DAG at work, for condor_dagman and the simulator: see the package."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ParamSpec

from condor_py.core.dag import ending, jobs, nodes, outcomes, scripts, submits
from condor_py.core.dag.actions import Action, JobEvent
from condor_py.core.dag.progress import Progress, ScriptResult
from condor_py.core.dag.scripts import BadArguments
from condor_py.core.dag.states import EXIT_ABORT, EXIT_ERROR, DagStatus, NodeState
from condor_py.lang.dag.graph import DONE, Dag
from condor_py.lang.dag.messages import QUIET
from condor_py.model.settings.dagman import DagmanSettings, ThrottleSettings

Arguments = ParamSpec("Arguments")


class Run:
    """One DAG. Tell it what happened, then do what ``take`` returns, in that order."""

    def __init__(
        self, dag: Dag, settings: DagmanSettings, dagman_id: int = -1, priority: int = 0, always_post: bool = False
    ) -> None:
        self.progress = Progress(dag, settings, dagman_id, priority, always_post)

    def take(self) -> list[Action]:
        """Return the actions to carry out, in order; they are not returned again."""
        return self.progress.take()

    @property
    def is_over(self) -> bool:
        """Whether Finish has been said."""
        return self.progress.course.is_over

    def begin(self, now: int, recovery: bool = False, pre_ends: Iterable[tuple[int, ScriptResult]] = ()) -> None:
        """Count the nodes that are done already, and start what can start. With ``recovery`` nothing starts before
        ``recovered``, and the events of the nodes log are handed over in between; ``pre_ends`` are the ends of PRE
        scripts that were not deferred, in their order."""
        p = self.progress
        p.at(now)
        p.replays.expect(pre_ends)
        for node in p.dag.order:
            if p.dag.flags[node] & DONE:
                nodes.succeed(p, node, starts_children=False)
        p.verbose(f"Number of pre-completed nodes: {p.counts.done}")
        p.course.recover(recovery)
        if not recovery:
            self._start()

    def recovered(self, now: int) -> None:
        """All events of the nodes log have been replayed: continue."""
        p = self.progress
        p.at(now)
        p.course.recover(False)
        ending.continue_break_off(p)
        if p.course.is_over:
            return
        for node in p.dag.order:
            if p.states[node] == NodeState.POSTRUN:
                self._guarded(scripts.run_post, p, node, False)
        if not p.course.has_final:  # else nothing but the FINAL node is left to run
            self._start()
        self._guarded(outcomes.continue_replays, p)

    def _start(self) -> None:
        p = self.progress
        for node in p.dag.services:
            if p.states[node] == NodeState.READY:
                p.say(f"Starting service node {p.dag.names[node]}...", QUIET)
                self._guarded(nodes.start, p, node)
        provisioner = p.dag.provisioner
        if not p.course.is_provisioned:
            if p.states[provisioner] == NodeState.READY:
                p.say("Starting provisioner node...", QUIET)
                self._guarded(nodes.start, p, provisioner)
            return
        self._start_all()

    def _start_all(self) -> None:
        p = self.progress
        for node in p.dag.order:
            if p.can_start(node):
                self._guarded(nodes.start, p, node)

    def provisioned(self, now: int) -> None:
        """The provisioner lets the DAG begin."""
        p = self.progress
        p.at(now)
        if not p.course.is_provisioned:
            p.course.provision()
            self._start_all()

    # ---- what happened -------------------------------------------------------------------------------------------

    def job_event(self, event: JobEvent, now: int) -> None:
        """An event of the nodes log."""
        self.progress.at(now)
        if not self.is_over:
            self._guarded(jobs.handle, self.progress, event)

    def submitted(self, node: int, cluster: int, count: int = 1, proc: int = 0, subproc: int = 0) -> None:
        """The ``count`` jobs of a node are in the queue, the first with this id."""
        submits.submitted(self.progress, node, cluster, count, proc, subproc)

    def submit_failed(self, node: int, now: int, for_good: bool = False) -> None:
        """A node could not be submitted. ``for_good``: it never can."""
        self.progress.at(now)
        self._guarded(outcomes.submit_failed, self.progress, node, for_good)

    def not_submitted(self, node: int) -> None:
        """A node of a Submit has not been tried since one in front of it failed; tell the last one first."""
        submits.not_submitted(self.progress, node)

    def script_ended(self, node: int, kind: str, now: int, code: int | None = None, signal: int | None = None) -> None:
        """A script ended with an exit code or by a signal; one that could not be started has ended with 1."""
        self.progress.at(now)
        if not self.is_over:
            self._guarded(outcomes.script_ended, self.progress, node, kind, code, signal)

    def is_deferred(self, node: int, kind: str, code: int | None) -> bool:
        """Whether a script that ended with ``code`` is to run again later."""
        return scripts.is_deferred(self.progress, node, kind, code)

    def lost(self, found: Iterable[int]) -> None:
        """These nodes have jobs that are neither in the queue nor at their end in the nodes log: break the DAG off."""
        p = self.progress
        for node in found:
            cluster = p.jobs[node].cluster
            name = p.dag.names[node]
            p.say(
                f"ERROR: DAGMan lost track of node {name} (ClusterId={cluster}). Please resubmit DAG from produced "
                "rescue file."
            )
        ending.break_off(p, EXIT_ERROR, DagStatus.ERROR)

    def give_up(self) -> None:
        """Break the DAG off: condor_dagman cannot continue, and has logged why."""
        ending.break_off(self.progress, EXIT_ERROR, DagStatus.ERROR)

    def log_lost(self) -> None:
        """Break the DAG off, without its FINAL node: the nodes log cannot be read any more."""
        self.progress.course.lose_log()
        ending.break_off(self.progress, EXIT_ABORT, DagStatus.ERROR)

    def halt(self) -> None:
        """Start nothing more, but let end what is at work, with its POST script."""
        self.progress.course.halt()

    def resume(self) -> None:
        """Continue after ``halt``."""
        self.progress.course.resume()
        self._guarded(scripts.run_waiting, self.progress, "PRE")

    def limit(self, limits: ThrottleSettings) -> None:
        """New limits; with DAGMAN_REMOVE_JOBS_AFTER_LIMIT_CHANGE nodes that are too many leave the queue and run
        again later."""
        p = self.progress
        before = p.limits
        p.limit(limits)
        if p.settings.remove_jobs_after_limit_change and limits.max_jobs not in (0, before.max_jobs):
            jobs.remove_surplus(p)

    def removed(self) -> None:
        """condor_dagman's own job is being removed (SIGUSR1)."""
        p = self.progress
        p.say("Received SIGUSR1", QUIET)
        ending.break_off(p, EXIT_ABORT, DagStatus.RM, p.settings.remove_node_jobs)

    def turn(self, now: int) -> None:
        """Start scripts that wait, submit what is ready, and see whether the DAG is over."""
        self.advance(now)
        self.check()

    def advance(self, now: int) -> None:
        """The first half of ``turn``: start scripts that wait, and submit what is ready."""
        p = self.progress
        p.at(now)
        if self.is_over:
            return
        if p.replays.due:
            self._guarded(outcomes.continue_replays, p)
        for kind in p.scripts:
            self._guarded(scripts.run_waiting, p, kind)
        submits.cycle(p)

    def check(self) -> None:
        """The second half of ``turn``: see whether the DAG is over."""
        ending.check(self.progress)

    def wake_at(self) -> int | None:
        """Time at which ``turn`` has work even if nothing happened: Unix seconds, or None."""
        p = self.progress
        times = [when for queue in p.scripts.values() for when in queue.not_before.values()]
        if p.ready and p.pace.next_at:
            times.append(p.pace.next_at)
        return min(times, default=None)

    def _guarded(
        self, function: Callable[Arguments, object], *arguments: Arguments.args, **more: Arguments.kwargs
    ) -> None:
        """Call a function; arguments of scripts that are no arguments break the DAG off."""
        try:
            function(*arguments, **more)
        except BadArguments:
            ending.break_off(self.progress, EXIT_ERROR, DagStatus.ERROR)
