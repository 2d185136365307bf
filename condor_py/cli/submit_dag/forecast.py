"""``condor_submit_dag -forecast`` (ours): how a DAG will run on this machine, without running it.

The core of condor_dagman runs it in virtual time on the slots that the startd advertises. Every job succeeds and other
people's jobs are not seen.
"""

from __future__ import annotations

import os
import posixpath
import time
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.runtimes import run_times
from condor_py.client.dag.files import DagFiles
from condor_py.client.pool import Pool
from condor_py.client.surroundings import surroundings
from condor_py.core.dag import rescue
from condor_py.core.dag.paths import critical_path, longest_wait, moments
from condor_py.daemons.dagman.limits import with_options
from condor_py.daemons.dagman.nodeslog import NodesLog
from condor_py.daemons.dagman.submitter import inside
from condor_py.lang.classad import ClassAd
from condor_py.lang.config.builders.dagman import caps
from condor_py.lang.config.builders.submit import submit as submit_settings
from condor_py.lang.dag.build import Builder
from condor_py.lang.dag.graph import DONE, NONE, Dag
from condor_py.lang.dag.messages import QUIET, DagError
from condor_py.lang.dag.options import DagmanOptions
from condor_py.lang.submit.build import BuildOptions, clusters_of
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.submit_file import parse
from condor_py.model.errors import CondorError
from condor_py.model.event_types import JobEventType
from condor_py.model.settings.dagman import DagmanSettings
from condor_py.model.sizes import Like
from condor_py.simulate.dagmachine import Need, Slot
from condor_py.simulate.dagruns import DagSimulation, Job, Outcome, Plan, Stuck
from condor_py.simulate.runtimes import UNKNOWN, RunTimes, Sample

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
    """The forecast of the DAG ``primary``. ``sources`` counts the sources of durations; ``now`` is Unix seconds."""
    cores, memory = sum(slot.free.cpus for slot in slots), sum(slot.free.memory for slot in slots)
    done = sum(1 for node in dag.order if dag.flags[node] & DONE)
    by_source = ", ".join(f"{count} {source}" for source, count in sources.items())
    lines = [f"Forecast of {primary}: {len(dag.order)} nodes on {cores:.0f} cores and {memory:.0f} MB of memory"]
    lines += [f"Done already: {done}"] if done else []
    lines += [f"Durations: {by_source}"] if by_source else []
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
    from condor_py.machine.probes import machine

    return [Slot(Need(machine.count(), machine.total_mb(), 1e12))]


def _slot(ad: ClassAd) -> Slot | None:
    if not ad.has("SlotID") or ad.eval_bool("DynamicSlot") or ad.eval_bool("BackfillSlot"):
        return None
    parts = ad.eval_bool("PartitionableSlot")
    amounts = (
        (ad.eval_real(f"TotalSlot{what}") if parts else None) or ad.eval_real(what, 0.0)
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
        """Return the path of the event log that the last run of a DAG has left."""
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
        """The rescue or save point file that condor_dagman would continue from; "" for none."""
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


#: So many nodes of one submit file with different variables tell whether these matter.
_SAMPLES = 50
#: Slots have memory in steps of so many MB.
_MEMORY_STEP = 128
_WITHOUT_SLOT = (7, 12)


class Asked(NamedTuple):
    """The jobs of a node: their number, what each asks for, the program."""

    jobs: int
    need: Need
    program: str


class Requests:
    """Reads submit descriptions, each as often as it has to be."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._settings = submit_settings(pool.config)
        self._surroundings = surroundings()
        self._known: dict[tuple[object, ...], Asked] = {}
        self._samples: dict[tuple[str, str], list[Asked]] = {}
        self._texts: dict[tuple[str, str], str] = {}
        #: Why descriptions could not be read, by node.
        self.problems: dict[str, str] = {}

    def of(self, dag: Dag, node: int) -> Asked:
        """Return the request of a node's jobs; one core where the description cannot be read."""
        place = (dag.directories[node], dag.submits[node])
        key = (*place, id(dag), *dag.variables.get(node, ()))
        found = self._known.get(key) or self._like_the_others(place)
        if found is None:
            try:
                found = self._read(dag, node)
            except (SubmitError, CondorError, OSError) as error:
                text = error.report if isinstance(error, SubmitError) else str(error)
                self.problems[dag.names[node]] = " ".join(text.split())
                found = Asked(1, Need(), "")
            self._samples.setdefault(place, []).append(found)
        self._known[key] = found
        return found

    def _like_the_others(self, place: tuple[str, str]) -> Asked | None:
        """Return the request common to many nodes with this description and various variables; None if they differ."""
        seen = self._samples.get(place, [])
        return seen[0] if len(seen) >= _SAMPLES and len(set(seen)) == 1 else None

    def _read(self, dag: Dag, node: int) -> Asked:
        variables = dag.variables.get(node, ())
        before = [("JOB", dag.names[node]), *((one.name, one.value) for one in variables if one.prepend)]
        behind = [f"{one.name} = {one.value}" for one in variables if not one.prepend]
        name = dag.submits[node]
        with inside(dag.directories[node]):
            text = dag.descriptions.get(name)
            text = self._text(dag.directories[node], name) if text is None else text
            file = parse(text, name, settings=self._settings, surroundings=self._surroundings, defines=before,
                         appends=behind)  # fmt: skip
            drafts = clusters_of(file)
            if not drafts:
                raise file.failure or SubmitError("no jobs queued")
            made = drafts[0].make(1, BuildOptions(user=self._pool.owner, check_executable=False))
            items = {**made.attributes, **next(made.own)}
        return _asked(ClassAd.from_text_items(items.values()), drafts[0].job_count)

    def _text(self, directory: str, name: str) -> str:
        from condor_py.lang.config.loader import read_text

        key = (directory, name)
        if key not in self._texts:
            try:
                self._texts[key] = read_text(name)
            except OSError as error:
                raise CondorError(f"cannot read {name}: {error.strerror}") from None
        return self._texts[key]


def _asked(ad: ClassAd, count: int) -> Asked:
    program = os.path.join(ad.eval_str("Iwd", ""), ad.eval_str("Cmd", ""))
    if ad.eval_int("JobUniverse") in _WITHOUT_SLOT:
        return Asked(count, Need(0, 0, 0, 0), program)
    memory = ad.eval_real("RequestMemory", 0.0)
    need = Need(
        max(1.0, ad.eval_real("RequestCpus", 1.0) or 1.0),
        -(-memory // _MEMORY_STEP) * _MEMORY_STEP,
        ad.eval_real("RequestDisk", 0.0),
        ad.eval_real("RequestGPUs", 0.0),
    )
    return Asked(count, need, program)


class Durations:
    """Run times of jobs, in seconds.

    ``given`` is a number of seconds, or a file with lines ``NODE SECONDS``, in which ``*`` means all other nodes.
    Raises CondorError.
    """

    def __init__(self, pool: Pool, given: str) -> None:
        self._named, self._all = _given(given)
        self._owner = pool.owner
        self._known = RunTimes(()) if self._all is not None else run_times(pool, pool.owner)
        self._learnt: dict[str, Sample] = {}
        self._last_run: dict[str, dict[str, float]] = {}
        self._average: float | None = None
        #: Numbers of nodes by the source of their duration.
        self.sources: dict[str, int] = {}

    def of(self, name: str, program: str, nodes_log: str) -> float:
        """The seconds of each job of a node. ``nodes_log`` is where the last run of its DAG wrote its events."""
        for source, seconds in (
            ("given", self._named.get(name, self._all)),
            ("from the last run", self._from_log(nodes_log).get(name)),
            ("like other jobs of the program", self._of_program(program)),
            ("the mean of all", self._mean()),
        ):
            if seconds is not None:
                self.sources[source] = self.sources.get(source, 0) + 1
                return seconds
        self.sources["unknown"] = self.sources.get("unknown", 0) + 1
        return UNKNOWN

    def _from_log(self, path: str) -> dict[str, float]:
        if path not in self._last_run:
            self._last_run[path] = _from_nodes_log(path) if self._all is None and os.path.exists(path) else {}
        return self._last_run[path]

    def _of_program(self, program: str) -> float | None:
        sample = self._sample(program)
        return sample.mean if sample.how == "of this program" else None

    def _mean(self) -> float | None:
        sample = self._sample("")
        known = [one for run in self._last_run.values() for one in run.values()]
        known += [sample.mean] if sample.times else []
        return fmean(known) if known else None

    def _sample(self, program: str) -> Sample:
        """The run times of the owner's jobs of a program, as condor_q -forecast sees them."""
        if program not in self._learnt:
            self._learnt[program] = self._known.of(Like(self._owner, program))
        return self._learnt[program]


def _given(given: str) -> tuple[dict[str, float], float | None]:
    if not given:
        return {}, None
    try:
        return {}, _seconds(given)
    except ValueError:
        pass
    named: dict[str, float] = {}
    try:
        with open(given, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError as error:
        raise CondorError(f"ERROR: -durations {given}: neither seconds nor a file ({error.strerror})") from None
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            name, seconds = words
            named[name] = _seconds(seconds)
        except ValueError:
            raise CondorError(f"ERROR: {given}:{number}: a node and its seconds are wanted, not '{line}'") from None
    return named, named.pop("*", None)


def _seconds(text: str) -> float:
    """A number of seconds. Raises ValueError."""
    seconds = float(text)
    if not 0 <= seconds < 1e9:
        raise ValueError(text)
    return seconds


def _from_nodes_log(path: str) -> dict[str, float]:
    """The mean seconds of the jobs of each node, as the events of a run tell them."""
    names: dict[int, str] = {}
    begun: dict[tuple[int, int], float] = {}
    taken: dict[str, list[float]] = {}
    try:
        for event, when in NodesLog(path).read():
            job = (event.cluster, event.proc)
            if event.number == JobEventType.SUBMIT:
                names[event.cluster] = event.name
            elif event.number == JobEventType.EXECUTE:
                begun[job] = when
            elif event.number == JobEventType.JOB_TERMINATED and job in begun and event.code == 0:
                taken.setdefault(names.get(event.cluster, ""), []).append(when - begun.pop(job))
    except (CondorError, OSError):
        return {}  # nothing to learn from
    return {name: fmean(seconds) for name, seconds in taken.items() if name}
