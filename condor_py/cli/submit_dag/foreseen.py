"""What is foreseen for the nodes of a DAG: what their jobs ask for, and how long they run."""

from __future__ import annotations

import os
from statistics import fmean
from typing import NamedTuple

from condor_py.cli.runtimes import run_times
from condor_py.client.pool import Pool
from condor_py.client.surroundings import surroundings
from condor_py.daemons.dagman.nodeslog import NodesLog
from condor_py.daemons.dagman.submitter import inside
from condor_py.lang.classad import ClassAd
from condor_py.lang.config.builders.submit import submit as submit_settings
from condor_py.lang.dag.graph import Dag
from condor_py.lang.submit.build import BuildOptions
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.submit_file import parse
from condor_py.model.errors import CondorError
from condor_py.model.event_types import JobEventType
from condor_py.simulate.dagmachine import Need
from condor_py.simulate.runtimes import UNKNOWN, Like, RunTimes, Sample

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
        """What a node's jobs ask for; one core where the description cannot be read."""
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
        """What all of many nodes with this description asked for, when it was the same whatever their variables."""
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
            drafts = file.clusters()
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
    program = os.path.join(ad.eval_str("Iwd") or "", ad.eval_str("Cmd") or "")
    if ad.eval_int("JobUniverse") in _WITHOUT_SLOT:
        return Asked(count, Need(0, 0, 0, 0), program)
    memory = ad.eval_real("RequestMemory", 0.0) or 0.0
    need = Need(
        max(1.0, ad.eval_real("RequestCpus", 1.0) or 1.0),
        -(-memory // _MEMORY_STEP) * _MEMORY_STEP,
        ad.eval_real("RequestDisk", 0.0) or 0.0,
        ad.eval_real("RequestGPUs", 0.0) or 0.0,
    )
    return Asked(count, need, program)


class Durations:
    """How many seconds jobs run. ``given`` is a number of seconds, or a file with lines ``NODE SECONDS``, in which
    ``*`` stands for all other nodes. Raises CondorError."""

    def __init__(self, pool: Pool, given: str) -> None:
        self._named, self._all = _given(given)
        self._owner = pool.owner
        self._known = RunTimes(()) if self._all is not None else run_times(pool, pool.owner)
        self._learnt: dict[str, Sample] = {}
        self._last_run: dict[str, dict[str, float]] = {}
        self._average: float | None = None
        #: How many nodes were told by what.
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
