"""Users of a machine that loses its power: what they do, what was acknowledged to them, and what must be true after.

A job has a tag (attribute Tag) that no other submit has: numbers of clusters that nobody was told of may come again.
Its program tells of each run in a file outside of the machine, which no crash touches.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "crash"))

from pool import PersonalPool
from stories import story_of, told_runs

from condor_py.lang.classad import ClassAd
from condor_py.store.check import check_spool
from condor_py.store.history import forwards, history_files
from condor_py.store.job_queue import JobQueue

#: Lines that a job prints; more than two blocks of a disk.
LINES = 2000
_HELD, _COMPLETED, _REMOVED = "5", "4", "3"
#: Reasons of holds that users ask for: by condor_hold, in the submit; and files of a submit that never came.
_ASKED_HOLDS = ("1", "15", "16")
USER = "root@example.net"

_JOB = """#!/bin/sh
echo "$1.$2" >> {ran}
sleep "$3"
seq {lines}
echo "end of $1.$2"
[ "$4" ] && cat in.txt > out.dat
exit 0
"""
_COMMON = """executable = {job}
arguments = "$(tag) $(Process) $(seconds:0.02) $(files)"
+Tag = "$(tag)"
log = $(tag).log
output = $(tag).$(Process).out
"""
_HERE = "transfer_executable = false\nshould_transfer_files = no\n"
_AWAY = """files = yes
should_transfer_files = yes
transfer_input_files = in.txt
transfer_output_files = out.dat
transfer_output_remaps = "out.dat = $(tag).$(Process).dat"
"""
_DESCRIPTIONS = {
    "plain": _HERE + "queue 2\n",
    "node": _HERE + "queue\n",
    "away": _AWAY + "queue\n",
    "spooled": _AWAY.replace('transfer_output_remaps = "out.dat = $(tag).$(Process).dat"\n', "") + "queue\n",
    "held": _HERE + "hold = true\nqueue 3\n",
    "long": _HERE + "queue\n",
    "factory": _HERE + "max_materialize = 1\nqueue 3\n",
}
_DAG = """JOB A node.sub
JOB B node.sub
JOB C node.sub
VARS A tag="dagA"
VARS B tag="dagB"
VARS C tag="dagC"
PARENT A CHILD B C
"""


def prepare(pool: PersonalPool, outside: Path) -> None:
    """The files of the users: programs outside of the machine, descriptions in the work directory."""
    job = outside / "job.sh"
    job.write_text(_JOB.format(ran=outside / "ran", lines=LINES))
    job.chmod(0o755)
    (outside / "ran").touch()
    for name, text in _DESCRIPTIONS.items():
        (pool.work / f"{name}.sub").write_text(_COMMON.format(job=job) + text)
    (pool.work / "in.txt").write_text("input\n" * LINES)
    (pool.work / "d.dag").write_text(_DAG)


@dataclass
class Submit:
    """Jobs of one submit: ``asked`` when its command was started, ``acked`` when it has exited with 0."""

    tag: str
    kind: str
    count: int
    acked: bool = False
    cluster: str = ""
    #: What was acknowledged of its jobs, by proc: attributes with their text, holds, releases, removals.
    attributes: dict[tuple[int, str], str] = field(default_factory=dict)
    held: set[int] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)
    #: Changes that were asked for, and of which no answer came.
    unsure: set[tuple[int, str]] = field(default_factory=set)
    fetched: bool = False

    @property
    def log(self) -> str:
        """Its event log."""
        return f"{self.tag}.log"


#: What comes back of a condor_wait that finds no log yet.
NO_LOG = "no log"
#: A command and its words. What comes back is what it printed; None when it was not heard of its end.
Step = tuple[str, ...]
Story = Generator[Step, str | None, None]


class Users:
    """All that was asked and acknowledged since the disk was last new. ``seen`` has the events that a reader of the
    logs has told of: log, number, job."""

    def __init__(self, choose: Random) -> None:
        self.submits: dict[str, Submit] = {}
        self.seen: Counter[tuple[str, int, str]] = Counter()
        self.factor: str | None = None
        self.factors: set[str] = set()
        self._choose = choose
        self._tags = 0

    def _submit(self, kind: str, count: int, *options: str, tag: str = "") -> Generator[Step, str | None, Submit]:
        self._tags += 1
        made = Submit(tag or f"t{self._tags}", kind, count)
        self.submits[made.tag] = made
        said = yield ("condor_submit", *options, f"tag={made.tag}", f"{kind}.sub")
        number = re.search(r"submitted to cluster (\d+)", said or "")
        if number is not None:
            made.acked, made.cluster = True, number[1]
        return made

    def _of(self, submit: Submit, proc: int) -> tuple[str, str]:
        return "-constraint", f'Tag == "{submit.tag}" && ProcId == {proc}'

    def _change(self, submit: Submit, proc: int, what: str, *step: str) -> Generator[Step, str | None, bool]:
        """A change of a job, which may be in force although no answer comes."""
        submit.unsure.add((proc, what))
        done = (yield step) is not None
        if done:
            submit.unsure.discard((proc, what))
        return done

    def runs(self) -> Story:
        """Jobs that run where they were submitted, and jobs that travel."""
        here = yield from self._submit("plain", 2)
        away = yield from self._submit("away", 1)
        yield ("condor_wait", here.log)
        yield ("condor_wait", away.log)

    def first(self) -> Story:
        """The same, with a pool that has never run before."""
        yield from self.runs()

    def edits(self) -> Story:
        """Changes of jobs, and of a priority."""
        made = yield from self._submit("held", 3)
        made.held |= {0, 1, 2}
        word = f'"w{self._choose.randrange(100)}"'
        if (yield from self._change(made, 0, "Marker", "condor_qedit", *self._of(made, 0), "Marker", word)):
            made.attributes[0, "Marker"] = word
        number = str(self._choose.randrange(1, 50))
        if (yield from self._change(made, 0, "JobPrio", "condor_prio", "-p", number, f"{made.cluster}.0")):
            made.attributes[0, "JobPrio"] = number
        factor = str(self._choose.randrange(2, 1000))
        self.factors.add(factor)
        if (yield ("condor_userprio", "-setfactor", USER, factor)) is not None:
            self.factor, self.factors = factor, set()
        made.held.discard(0)
        yield from self._change(made, 0, "release", "condor_release", *self._of(made, 0))
        made.held.discard(1)
        if (yield from self._change(made, 1, "remove", "condor_rm", *self._of(made, 1))):
            made.removed.add(1)

    def holds(self) -> Story:
        """A job that runs is held and removed."""
        made = yield from self._submit("long", 1, "seconds=20")
        if (yield from self._change(made, 0, "hold", "condor_hold", *self._of(made, 0))):
            made.held.add(0)
        made.held.discard(0)
        if (yield from self._change(made, 0, "remove", "condor_rm", *self._of(made, 0))):
            made.removed.add(0)

    def spools(self) -> Story:
        """A job whose files are spooled, and fetched when it has ended."""
        made = yield from self._submit("spooled", 1, "-spool")
        while (yield ("is_over", made.tag)) != "":
            pass
        made.fetched = (yield ("condor_transfer_data", "-constraint", f'Tag == "{made.tag}"')) is not None

    def graph(self) -> Story:
        """A DAG."""
        if "dag" in self.submits:
            return
        self.submits["dag"] = dag = Submit("dag", "dag", 1)
        dag.acked = (yield ("condor_submit_dag", "-append", '+Tag = "dag"', "d.dag")) is not None
        for name in "ABC":
            self.submits[f"dag{name}"] = Submit(f"dag{name}", "plain", 1)
        yield ("condor_wait", "d.dag.dagman.log")

    def materializes(self) -> Story:
        """A factory."""
        made = yield from self._submit("factory", 3)
        while (yield ("condor_wait", "-num", "3", made.log)) == NO_LOG:
            pass


# -- what is left


@dataclass
class Found:
    """A job as the queue or the history has it."""

    job: str
    tag: str
    values: dict[str, str]

    @property
    def status(self) -> str:
        """JobStatus."""
        return self.values.get("JobStatus", "")

    @property
    def proc(self) -> int:
        """ProcId."""
        return int(self.job.partition(".")[2])


_ASKED = ("JobStatus", "HoldReasonCode", "HoldReason", "StageInFinish", "Marker", "JobPrio", "ExitCode")


def _is_factory(ad: ClassAd | None) -> bool:
    return ad is not None and ad.text("JobMaterializeDigestFile") is not None


def queued(pool: PersonalPool) -> list[Found]:
    """The jobs in the queue, and factories, which have no status."""
    queue = JobQueue(str(pool.spool / "job_queue.log"), readonly=True, lasting=False)
    factories = (number for number in queue.clusters() if _is_factory(queue.cluster(number)))
    found = [Found(f"{number}.-1", "", {}) for number in factories]
    for job, ad in queue.jobs():
        values = {name: text for name in _ASKED if (text := ad.text(name)) is not None}
        found.append(Found(str(job), (ad.text("Tag") or "").strip('"'), values))
    queue.close()
    return found


def recorded(pool: PersonalPool) -> list[Found]:
    """The jobs in the history."""
    found = []
    for path in history_files(str(pool.spool / "history")):
        for record in forwards(path):
            values = dict(re.findall(r"^(\w+) = (.*)$", record.text, re.MULTILINE))
            job = f"{values.get('ClusterId', '?')}.{values.get('ProcId', '?')}"
            found.append(Found(job, values.get("Tag", "").strip('"'), values))
    return found


def wrong_holds(users: Users, jobs: list[Found]) -> Iterator[str]:
    """Findings about the jobs that are left in the queue when all others have ended."""
    by_tag = {(each.tag, each.proc): each for each in jobs}
    for each in jobs:
        code = each.values.get("HoldReasonCode", "")
        if each.status == _HELD and code not in _ASKED_HOLDS:
            yield f"{each.tag}.{each.proc} is held: {each.values.get('HoldReason')}"
        submit = users.submits.get(each.tag)
        if submit is not None and submit.acked and submit.kind == "spooled" and code == "16":
            yield f"{each.tag}: its files were spooled, and it waits for them"
    for submit in users.submits.values():
        for proc in submit.held if submit.acked else ():
            job = by_tag.get((submit.tag, proc))
            if job is None or job.status != _HELD:
                yield f"{submit.tag}.{proc} was held, and is {job.status if job else 'not in the queue'}"


class Judge:
    """Compares what is left of a pool with what its users know."""

    def __init__(
        self, users: Users, pool: PersonalPool, outside: Path, *, logs_are_kept: bool, may_have_holes: bool
    ) -> None:
        self._users, self._pool, self._outside, self._logs_are_kept = users, pool, outside, logs_are_kept
        self._may_have_holes = may_have_holes
        self._history = recorded(pool)
        self._events: dict[str, list[tuple[int, str]]] = {}

    def findings(self) -> Iterator[str]:
        """All that should not be, when every job has left the queue."""
        yield from (str(problem) for problem in check_spool(str(self._pool.spool)))
        yield from self._left_behind()
        for path in self._pool.log.glob("*Log"):
            for line in path.read_text(errors="replace").splitlines():
                if "Traceback" in line:
                    yield f"{path.name} has a traceback"
                    break
        twice = Counter((each.job, each.tag) for each in self._history)
        yield from (f"{tag} ({job}) is in the history {n} times" for (job, tag), n in twice.items() if n > 1)
        for submit in self._users.submits.values():
            yield from self._of_submit(submit)
        yield from self._untold_runs()
        if self._logs_are_kept:
            yield from self._events_that_were_seen()

    def _left_behind(self) -> Iterator[str]:
        """Copies of damaged files. Where a write may lose its first part and keep the rest, a history that has a record
        behind such a hole is kept aside."""
        for path in self._pool.spool.glob("*.damaged*"):
            is_hole = path.name.startswith("history.") and b"\0" in path.read_bytes()
            if not (self._may_have_holes and is_hole):
                yield f"left behind: {path.name}"

    def _of_submit(self, submit: Submit) -> Iterator[str]:
        jobs = {each.proc: each for each in self._history if each.tag == submit.tag}
        if submit.acked and (missing := sorted(set(range(submit.count)) - set(jobs))):
            yield f"{submit.tag} ({submit.kind}) was submitted, and procs {missing} are lost"
        if jobs and len(jobs) != submit.count:
            yield f"{submit.tag} ({submit.kind}) has {len(jobs)} of {submit.count} jobs in the history"
        for proc, job in jobs.items():
            yield from self._of_job(submit, proc, job)

    def _of_job(self, submit: Submit, proc: int, job: Found) -> Iterator[str]:
        name = f"{submit.tag}.{proc} ({submit.kind}, {job.job})"
        if proc in submit.removed and job.status != _REMOVED:
            yield f"{name} was removed, and ended with JobStatus {job.status}"
        for (of, attribute), text in submit.attributes.items():
            if of == proc and job.values.get(attribute) != text:
                yield f"{name}: {attribute} was set to {text}, and is {job.values.get(attribute)}"
        if submit.kind != "dag" and (story := self._story(submit, job.job)):
            yield f"{name} {story}"
        if job.status == _COMPLETED:
            if job.values.get("ExitCode") != "0":
                yield f"{name} exited with {job.values.get('ExitCode')}"
            elif submit.kind != "dag":
                yield from self._output(submit, proc, name)

    def _story(self, submit: Submit, job: str) -> str:
        if not self._logs_are_kept:
            return ""
        numbers = [number for number, each in self._events_of(submit.log) if each == job and number in _TOLD]
        fault = story_of(numbers)
        return f"{fault}: {numbers}" if fault else ""

    def _events_of(self, log: str) -> list[tuple[int, str]]:
        if log not in self._events:
            self._events[log] = self._pool.events(log)
        return self._events[log]

    def _output(self, submit: Submit, proc: int, name: str) -> Iterator[str]:
        if submit.kind == "spooled" and not submit.fetched:
            return
        lines = "".join(f"{number}\n" for number in range(1, LINES + 1))
        yield from self._content(f"{submit.tag}.{proc}.out", f"{lines}end of {submit.tag}.{proc}\n", name)
        if submit.kind in ("away", "spooled"):
            output = "out.dat" if submit.kind == "spooled" else f"{submit.tag}.{proc}.dat"
            yield from self._content(output, "input\n" * LINES, name)

    def _content(self, file: str, wanted: str, name: str) -> Iterator[str]:
        try:
            found = (self._pool.work / file).read_text(errors="replace")
        except FileNotFoundError:
            yield f"{name} has completed, and {file} does not exist"
            return
        if found != wanted:
            yield f"{name} has completed, and {file} is not whole: {len(found)} of {len(wanted)} bytes, " + (
                f"{found.count(chr(0))} of them zero"
            )

    def _untold_runs(self) -> Iterator[str]:
        """Runs that no event tells of."""
        ran = Counter((self._outside / "ran").read_text().split())
        for submit in self._users.submits.values():
            told: Counter[str] = Counter()
            for each in (job for job in self._history if job.tag == submit.tag):
                numbers = [number for number, job in self._events_of(submit.log) if job == each.job and number in _TOLD]
                told[f"{submit.tag}.{each.proc}"] += told_runs(numbers)
            for proc in range(submit.count):
                name = f"{submit.tag}.{proc}"
                if self._logs_are_kept and ran[name] > told[name]:
                    yield f"{name} ran {ran[name]} times, and its log tells of {told[name]}"

    def _events_that_were_seen(self) -> Iterator[str]:
        """Ends, holds and submits that a reader of the log has seen."""
        jobs = {each.job for each in self._history}
        for (log, number, job), count in self._users.seen.items():
            if number in (0, 5, 9, 12, 13) and job in jobs and self._events_of(log).count((number, job)) < count:
                yield f"event {number} of {job} in {log} was seen, and is not there any more"


_TOLD = frozenset((0, 1, 4, 5, 7, 9, 12, 13, 22, 23, 24))
