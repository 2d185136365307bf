"""``condor_submit_dag -forecast`` (ours): how a DAG will run on this machine, without running it.

The core of condor_dagman runs it in virtual time on the slots that the startd advertises. Every job succeeds and other
people's jobs are not seen.
"""

from __future__ import annotations

import os
import posixpath
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from condor_py.cli.submit_dag.foreseen import Durations, Requests
from condor_py.client.dag.files import DagFiles
from condor_py.client.pool import Pool
from condor_py.core.dag import rescue
from condor_py.daemons.dagman.limits import with_options
from condor_py.daemons.dagman.submitter import inside
from condor_py.lang.config.builders.dagman import caps
from condor_py.lang.dag.build import Builder
from condor_py.lang.dag.graph import DONE, NONE, Dag
from condor_py.lang.dag.messages import QUIET, DagError
from condor_py.lang.dag.options import DagmanOptions
from condor_py.model.errors import CondorError
from condor_py.model.settings.dagman import DagmanSettings
from condor_py.simulate.dagmachine import Need, Slot
from condor_py.simulate.dagpath import critical_path, longest_wait, moments
from condor_py.simulate.dagruns import DagSimulation, Job, Outcome, Plan, Stuck

if TYPE_CHECKING:
    from collections.abc import Sequence

    from condor_py.lang.classad import ClassAd

# What ``condor_submit_dag -forecast`` prints.

#: Up to so many nodes have a line each; of more the states are shown at so many moments.
_MOST_LINES, _MOMENTS = 40, 20
_BAR = 40
_MOST_NAMES = 20
_MOST_PROBLEMS = 5


def span(seconds: float) -> str:
    """``0+01:02:03``: days, hours, minutes, seconds."""
    whole = round(seconds)
    days, rest = divmod(whole, 86400)
    return f"{days}+{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"


def forecast_text(
    primary: str,
    dag: Dag,
    outcome: Outcome,
    slots: Sequence[Slot],
    sources: Mapping[str, int],
    problems: Mapping[str, str],
    now: int,
) -> str:
    """The forecast of the DAG ``primary``. ``sources`` counts what told the durations; ``now`` is Unix seconds."""
    cores, memory = sum(slot.free.cpus for slot in slots), sum(slot.free.memory for slot in slots)
    done = sum(1 for node in dag.order if dag.flags[node] & DONE)
    told = ", ".join(f"{count} {source}" for source, count in sources.items())
    lines = [f"Forecast of {primary}: {len(dag.order)} nodes on {cores:.0f} cores and {memory:.0f} MB of memory"]
    lines += [f"Done already: {done}"] if done else []
    lines += [f"Durations: {told}"] if told else []
    if "unknown" in sources:
        lines.append("(unknown ones are taken as one hour; -durations SECONDS, or -durations FILE, tells them)")
    lines += [f"WARNING: node {name}: {why}" for name, why in list(problems.items())[:_MOST_PROBLEMS]]
    lines += ["", *_timeline(dag, outcome), "", *_ending(dag, outcome, cores, now)]
    return "\n".join(lines) + "\n"


def _timeline(dag: Dag, outcome: Outcome) -> list[str]:
    ran = [node for node in range(len(dag)) if outcome.times.begun[node] >= 0]
    return _by_node(dag, outcome, ran) if len(ran) <= _MOST_LINES else _by_time(dag, outcome)


def _by_node(dag: Dag, outcome: Outcome, ran: list[int]) -> list[str]:
    """A line a node, in the order in which they begin."""
    times, whole = outcome.times, max(outcome.seconds, 1e-9)
    width = max([4, *(len(dag.names[node]) for node in ran)])
    lines = [f"{'NODE':<{width}}  {'BEGIN':<10}  {'TAKES':<10}"]
    for node in sorted(ran, key=lambda node: (times.begun[node], node)):
        begun, ended = times.begun[node], times.ended[node]
        ended = ended if ended >= 0 else outcome.seconds
        first = min(_BAR - 1, int(_BAR * begun / whole))
        marks = max(1, round(_BAR * ended / whole) - first)
        lines.append(f"{dag.names[node]:<{width}}  {span(begun)}  {span(ended - begun)}  {' ' * first}{'=' * marks}")
    return lines


def _by_time(dag: Dag, outcome: Outcome) -> list[str]:
    """The states of the nodes at some moments."""
    lines = [f"{'TIME':<10}  {'DONE':>8}  {'RUNNING':>8}  {'WAITING':>8}"]
    total = max(1, len(dag.order))
    for moment in moments(dag, outcome.times, outcome.seconds, _MOMENTS):
        bar = "#" * round(_BAR * moment.done / total)
        lines.append(f"{span(moment.when)}  {moment.done:>8}  {moment.running:>8}  {moment.waiting:>8}  {bar}".rstrip())
    return lines


def _ending(dag: Dag, outcome: Outcome, cores: float, now: int) -> list[str]:
    path = critical_path(dag, outcome.times)
    names = [dag.names[node] for node in path.nodes]
    if len(names) > _MOST_NAMES:
        half = _MOST_NAMES // 2
        names = [*names[:half], f"... {len(names) - 2 * half} more ...", *names[-half:]]
    end = time.strftime("%m/%d/%Y %H:%M:%S", time.localtime(now + outcome.seconds))
    lines = [
        f"Critical path: {span(path.seconds)}  {' > '.join(names)}",
        f"Work:          {span(outcome.core_seconds)} of one core, at most {outcome.most_running} jobs at a time",
    ]
    node, waited = longest_wait(dag, outcome.times)
    if node != NONE:
        lines.append(f"Longest wait:  {span(waited)} for room or a limit, by node {dag.names[node]}")
    if cores and outcome.seconds:
        lines.append(f"Cores in use:  {100 * outcome.core_seconds / cores / outcome.seconds:.0f} %")
    state = "" if outcome.code == 0 else f" (with exit code {outcome.code})"
    return [*lines, f"End:           in {span(outcome.seconds)}, {end}{state}"]


def forecast(options: DagmanOptions, settings: DagmanSettings, pool: Pool) -> str:
    """The forecast as text. Raises CondorError."""
    settings = with_options(settings, options, caps(pool.config), lambda text: None)
    planner = _Planner(pool, options, settings)
    plan = planner.plan(options.dag_files, os.getcwd(), options.is_multi)
    slots = slots_of(pool)
    now = int(time.time())
    try:
        outcome = DagSimulation(slots, settings, now).go(plan)
    except Stuck as stuck:
        asked = ", ".join(f"{value:.0f} {what}" for value, what in zip(stuck.need, _UNITS, strict=True) if value)
        raise CondorError(f"ERROR: node {stuck.node} will never run: its job asks for {asked}") from None
    problems = planner.requests.problems
    return forecast_text(options.primary, plan.dag, outcome, slots, planner.durations.sources, problems, now)


_UNITS = ("core(s)", "MB of memory", "KB of disk", "GPU(s)")


def slots_of(pool: Pool) -> list[Slot]:
    """The slots that the startd advertises; without one, one slot of all cores and memory."""
    found = [slot for ad in pool.ads("STARTD") if (slot := _slot(ad)) is not None]
    if found:
        return found
    from condor_py.machine.probes import cores, memory

    return [Slot(Need(cores.count(), memory.total_mb(), 1e12))]


def _slot(ad: ClassAd) -> Slot | None:
    if not ad.has("SlotID") or ad.eval_bool("DynamicSlot") or ad.eval_bool("BackfillSlot"):
        return None
    parts = ad.eval_bool("PartitionableSlot")
    amounts = (
        (ad.eval_real(f"TotalSlot{what}") if parts else None) or ad.eval_real(what, 0.0) or 0.0
        for what in ("Cpus", "Memory", "Disk", "GPUs")
    )
    return Slot(Need(*amounts), whole=not parts)


class _Planner:
    """Plans of a DAG and of those inside it."""

    def __init__(self, pool: Pool, options: DagmanOptions, settings: DagmanSettings) -> None:
        self._options = options
        self._settings = settings
        self.requests = Requests(pool)
        self.durations = Durations(pool, options.texts["Durations"])
        self._open: list[str] = []

    def plan(self, files: Sequence[str], directory: str, several: bool = False) -> Plan:
        """The plan of a DAG, seen from ``directory``. Raises CondorError."""
        path = os.path.realpath(os.path.join(directory, files[0]))
        if path in self._open:
            raise CondorError(f"ERROR: {files[0]} is a sub-DAG of itself")
        self._open.append(path)
        with inside(directory):
            dag = self._read(files, several)
            log = self._nodes_log(files[0])
            jobs = [self._jobs(dag, node, log) for node in range(len(dag))]
            inner = {
                node: self.plan([file], os.path.join(os.getcwd(), dag.directories[node]))
                for node, file in dag.sub_dags.items()
            }
        self._open.pop()
        priority = self._options.numbers["Priority"] or self._settings.default_priority
        return Plan(dag, lambda node: jobs[node], inner, priority)

    def _jobs(self, dag: Dag, node: int, log: str) -> list[Job]:
        if node in dag.sub_dags or dag.is_settled(node):
            return []
        asked = self.requests.of(dag, node)
        job = Job(asked.need, self.durations.of(dag.names[node], asked.program, log))
        return [job] * asked.jobs

    def _nodes_log(self, file: str) -> str:
        """Where the last run of a DAG has left its events."""
        path = self._settings.default_node_log
        path = path.replace("@(DAG_DIR)", posixpath.dirname(file) or ".").replace("@(DAG_FILE)", os.path.basename(file))
        return os.path.abspath(path)

    def _read(self, files: Sequence[str], several: bool) -> Dag:
        options, language = self._options, self._settings.language
        builder = Builder(DagFiles(), os.getcwd(), language, options.on("UseDagDir"), several=several)
        try:
            for number, name in enumerate(files):
                builder.add(name, number)
            begun = self._begun(files[0], several)
            if begun:
                builder.add_partial(begun)
            builder.check_throttles()
            return builder.finish()
        except DagError as error:
            said = [note.text for note in error.notes if note.level <= QUIET]
            raise CondorError("\n".join(said) or f"ERROR: cannot read {files[0]}") from None

    def _begun(self, primary: str, several: bool) -> str:
        """The rescue or save point file that condor_dagman would go on from; "" for none."""
        options, most = self._options, self._settings.max_rescue_num
        if not self._open[1:]:
            if options.texts["SaveFile"]:
                return rescue.save_point_name(primary, options.texts["SaveFile"], os.getcwd())
            if options.texts["RescueFile"]:
                return options.texts["RescueFile"]
            if options.numbers["DoRescueFrom"] > 0:
                return rescue.rescue_name(primary, several, options.numbers["DoRescueFrom"])
        if not options.numbers["AutoRescue"] or options.on("Force"):
            return ""
        last, _ = rescue.last_rescue(primary, several, most, os.path.exists)
        return rescue.rescue_name(primary, several, last) if last else ""
