"""The submits of a running DAG: empty nodes, sub-DAGs and the rest, and what the queue knows of them already."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from condor_py.client import wire
from condor_py.client.queue_view import Groups, QueueView
from condor_py.core.dag.run import Run
from condor_py.core.dag.states import EXIT_ERROR, EXIT_RESTART
from condor_py.daemons.dagman.managerjob import ManagerJob
from condor_py.daemons.dagman.nodeslog import NOOP_PROC, SUBMITS, NodesLog, noop_events
from condor_py.daemons.dagman.nodetext import NodeTexts
from condor_py.daemons.dagman.quitting import Quit
from condor_py.daemons.dagman.start import Start
from condor_py.daemons.dagman.submitter import Failure, Submitted, Submitter
from condor_py.daemons.dagman.templates import NodeText
from condor_py.lang.config.builders.submit import submit as submit_settings
from condor_py.lang.dag.graph import NOOP
from condor_py.lang.dag.messages import VERBOSE
from condor_py.model.errors import CondorError, StoreError
from condor_py.model.ids import JobId
from condor_py.model.messages.wakeups import Sync

#: Seconds that a schedd may take to write the submit events of the jobs in its queue.
_PATIENCE = 120.0


class Submits:
    """Submits the jobs of nodes, and writes the events of empty ones."""

    def __init__(self, start: Start, run: Run, job: ManagerJob, log: NodesLog) -> None:
        self._start, self._run, self._job, self._log = start, run, job, log
        #: The number of the last empty node.
        self._noop_id = 0
        #: The last cluster of this DAG that is known.
        self._newest = 0
        knobs = start.settings
        self._submitter = Submitter(
            start.pool, submit_settings(start.pool.config), knobs.prohibit_multi_jobs, knobs.produce_credentials
        )
        self._texts = NodeTexts(run.progress, start.options, log.path, _inherited(start, job))

    def recovered(self, noop_id: int) -> None:
        """Number empty nodes after those that a former run has numbered up to ``noop_id``."""
        self._noop_id = max(self._noop_id, noop_id)

    def next_noop_id(self) -> int:
        """Return the number of one more empty node."""
        self._noop_id += 1
        return self._noop_id

    def carry_out(self, nodes: Sequence[int]) -> None:
        """Submit nodes in order, and hand each result to the core."""
        left = list(nodes)
        for is_noop, group in groupby(nodes, key=self._is_noop):
            some = list(group)
            if is_noop:
                self._noops(some)
                del left[: len(some)]
            elif self._jobs(some, left) is not None:
                break
        count = len(nodes) - len(left)
        if count:
            self._say(f"Just submitted {count} job{'' if count == 1 else 's'} this cycle...")

    def _say(self, text: str) -> None:
        self._start.log.say(text, VERBOSE)

    def _is_noop(self, node: int) -> bool:
        return bool(self._run.progress.dag.flags[node] & NOOP)

    def _flush_said(self) -> None:
        """Log the core's messages about a submit now, so that they follow the line that names its node."""
        for line in self._run.progress.take_last_lines():
            self._start.log.say(line.text, line.level)

    def _noops(self, nodes: Sequence[int]) -> None:
        """Empty nodes: their events are written here, all at once, and they are over."""
        p = self._run.progress
        first, now = self._noop_id + 1, time.time()
        made = []
        for number, node in enumerate(nodes, first):
            made += noop_events(p.dag.names[node], number, now)
        self._noop_id += len(nodes)
        self._log.append(made)
        for number, node in enumerate(nodes, first):
            self._start.log.say(f"Submitting HTCondor Node {p.dag.names[node]} job(s)...")
            self._run.submitted(node, 0, 1, NOOP_PROC, number)
            self._flush_said()

    def _jobs(self, nodes: Sequence[int], left: list[int]) -> Failure | None:
        run, p = self._run, self._run.progress
        ready, broken = self._with_sub_dags(nodes)
        texts = [self._texts.of(node) for node in ready]
        done, failure = self._submit(ready, texts)
        for node, text, jobs in zip(ready, texts, done, strict=False):
            self._start.log.say(f"Submitting HTCondor Node {p.dag.names[node]} job(s)...")
            if node in p.tries.held:
                self._start.log.say(f"Submitting node {text.name} job(s) on hold")
            self._tell_origin(text)
            if jobs.warning:
                self._start.log.say(jobs.warning)
            run.submitted(node, jobs.cluster, jobs.jobs)
            self._flush_said()
            left.remove(node)
        for warning in self._submitter.warnings:
            self._start.log.say(f" Queue warning: {warning}")
        failure = failure or broken
        if failure is None:
            return None
        if failure.ends_dag:
            self._start.log.say(failure.reason)
            raise Quit(EXIT_ERROR)
        bad = left[0]
        self._tell_failure(p.dag.names[bad], failure, texts[len(done)] if failure is not broken else None)
        for later in reversed(left[1:]):
            run.not_submitted(later)
        run.submit_failed(bad, int(time.time()), failure.for_good)
        return failure

    def _submit(self, nodes: Sequence[int], texts: list[NodeText]) -> tuple[list[Submitted], Failure | None]:
        if not texts:
            return [], None
        done, failure = self._submitter.submit(texts, max(self._newest, self._job.cluster))
        if failure is not None and failure.is_unsure:
            self._start.log.loud(f"WARNING: no answer to a submit ({failure.reason}): looking what is in the queue")
            landed = self._landed()
            done = [landed[text.name] for text in texts if text.name in landed]
            if len(done) == len(texts):
                failure = None
        self._newest = max([self._newest, *(jobs.cluster for jobs in done)])
        return done, failure

    def _landed(self) -> dict[str, Submitted]:
        """Find the jobs of this DAG that the queue has, or had, from submits after the last one that was answered, by
        name of the node.

        Raises Quit when the schedd does not answer for long: the next condor_dagman finds out.
        """
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                self._start.pool.ask("schedd", Sync(), timeout=20.0)
                view = self._start.pool.read_queue()
                ended = self._ended()
                break
            except (CondorError, wire.WireError, OSError) as error:
                if time.monotonic() >= deadline:
                    self._start.log.loud(f"ERROR: {error}")
                    raise Quit(EXIT_RESTART) from None
                time.sleep(1.0)
        counts: Counter[tuple[str, int]] = Counter()
        for cluster, procs in self._mine(view):
            ad = view.job(JobId(cluster, procs[0]))
            if cluster > self._newest and ad is not None:
                counts[ad.eval_str("DAGNodeName", "") or "", cluster] += len(procs)
        self._start.pool.forget_queue()
        return {name: Submitted(cluster, count) for (name, cluster), count in sorted((counts | ended).items())}

    def _ended(self) -> Counter[tuple[str, int]]:
        """Return how often the nodes log has the submit of a node and cluster after the last one that was answered."""
        return Counter((event.name, event.cluster) for event, _ in NodesLog(self._log.path).read()
                       if event.number in SUBMITS and event.name and event.cluster > self._newest)  # fmt: skip

    def _tell_origin(self, text: NodeText) -> None:
        origin = "inline description" if text.description is not None else f"file {text.file}"
        self._start.log.say(f"Submitting node {text.name} from {origin} using direct job submission")

    def _tell_failure(self, name: str, failure: Failure, text: NodeText | None) -> None:
        log = self._start.log
        if text is None:
            log.loud(f"ERROR: condor_submit_dag -no_submit failed for node {name}.")
        else:
            log.say(f"Submitting HTCondor Node {name} job(s)...")
            if failure.reason:  # else its directory cannot be entered
                self._tell_origin(text)
            for line in failure.lines or (f"ERROR: submit attempt failed for node {name}: {failure.reason}",):
                log.loud(line)
        stamp = time.strftime("{%m/%d/%y %H:%M:%S}")
        reason = failure.reason.replace("\n", " ")
        log.say(f"Event: ULOG_SUBMIT_FAILURE for HTCondor Node {name} (-1.-1.-1) {stamp} {reason}", VERBOSE)

    def _with_sub_dags(self, nodes: Sequence[int]) -> tuple[list[int], Failure | None]:
        """The nodes up to the first sub-DAG whose submit file cannot be made."""
        p = self._run.progress
        if not p.settings.generate_subdag_submits:
            return list(nodes), None
        for at, node in enumerate(nodes):
            if node in p.dag.sub_dags and not self._make_sub_dag(node):
                return list(nodes[:at]), Failure("Failed to submit Sub-DAG", for_good=True)
        return list(nodes), None

    def _make_sub_dag(self, node: int) -> bool:
        from condor_py.client.dag.recurse import sub_dag

        p = self._run.progress
        priority = p.ready.priority(node)
        file, directory = p.dag.sub_dags[node], p.dag.directories[node]
        is_retry, start = p.tries.retries.get(node, 0) > 0, self._start
        say, loud = start.log.say, start.log.loud
        return not sub_dag(start.options, file, directory, priority, start.submit_dag, is_retry, say, loud)

    # ---- recovery ------------------------------------------------------------------------------------------------

    def wait_for_events(self) -> None:
        """Return when the nodes log has the submit event of every job of this DAG in the queue. A condor_dagman that
        was killed between its submit and that event would else submit the node again. Raises Quit."""
        deadline = time.monotonic() + _PATIENCE
        log, logged = NodesLog(self._log.path), set[int]()  # which is long: each look reads what is new
        while self._job.cluster > 0:
            try:
                queued = self.queued()
                self._start.pool.ask("schedd", Sync(), timeout=20.0)
            except (CondorError, OSError) as error:
                self._start.log.say(f"Cannot compare the nodes log with the queue yet: {error}", VERBOSE)
                missing = {0}
            else:
                try:
                    logged |= {read.event.cluster for read in log.read() if read.event.number in SUBMITS}
                except StoreError:
                    return  # the recovery that follows cannot read it either, and says so
                missing = queued - logged
                self._newest = max([self._newest, *logged])
            if not missing:
                self._start.pool.forget_queue()
                return
            if time.monotonic() >= deadline:
                self._start.log.loud(f"ERROR: the nodes log lacks the submit events of {len(missing)} cluster(s)")
                raise Quit(EXIT_RESTART)
            self._start.log.flush()
            time.sleep(0.1)

    def queued(self) -> set[int]:
        """The clusters of this DAG's nodes in the queue. Raises CondorError."""
        view = self._start.pool.read_queue()
        mine = self._mine(view)
        names = view.texts("DAGNodeName", mine)
        jobs = [cluster for cluster, procs in mine for _ in procs]
        return {cluster for cluster, name in zip(jobs, names, strict=True) if name is not None}

    def _mine(self, view: QueueView) -> Groups:
        """The jobs of this DAG. A queue of many others is not read for them."""
        return view.table.where(view.groups(), "dagmanjobid", str(self._job.cluster))

    def in_queue(self) -> set[int]:
        """All clusters in the queue, those of other DAGs too: an earlier life of this one may have had another number.
        A factory may have no job at the moment. Raises CondorError."""
        clusters = set(self._start.pool.read_queue().table.clusters())
        self._start.pool.forget_queue()
        return clusters


def _inherited(start: Start, job: ManagerJob) -> dict[str, str]:
    """DAGMAN_INHERIT_ATTRS of condor_dagman's job, under the names that node jobs get them by."""
    settings, found = start.settings, dict[str, str]()
    if job.ad is None:
        return found
    for name in settings.inherit_attrs:
        mine = f"{settings.inherit_attrs_prefix}{name}"
        text = job.ad.text(mine if job.parent > 0 else name)
        if text is not None:
            found[mine] = text
    return found
