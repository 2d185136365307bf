"""kill -9 of whatever works in a pool, while it does all kinds of work.

While jobs of all kinds run, daemons, starters and their helpers, jobs, condor_dagman, hooks, commands in the middle of
a submit, or everything at once are killed at random moments, up to two at a time. A kill counts when it met jobs that
had not ended. After each round there is to be: every job that condor_submit told of in the history, once; a log whose
events tell a possible story, and every run of a program; the whole output of each job; every node of a DAG once; and
nothing left over of what has ended (processes, directories, mounts, control groups, loop devices, sockets). Rounds of
one pool follow one another, so that faults may add up.

Kinds of work that this machine cannot do are left out, and named at the end. Containers need root, podman, runc and
busybox-static; grid jobs need root, slurm-wlm and munge; the pages need the modules of condor_web.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [
    str(_HERE),
    str(_HERE.parents[1]),
    *(str(_HERE.parent / name) for name in ("e2e", "crash", "unit/starter")),
]

from campaign import Campaign, CannotRun, main
from kill_events import History, told_events
from kill_strikes import DAEMONS, WEIGHTS, strike, victims
from kill_traces import differences, traces
from kill_work import KINDS, Batch, DagBatch, Kind
from pool import PersonalPool, wait_for, words_of
from stories import story_of, told_runs

from condor_py.lang.classad import ClassAd
from condor_py.store.check import check_spool
from condor_py.store.job_queue import JobQueue

#: Kills of a round, after which all jobs may end and are looked at.
ROUND = 150
#: Seconds between two kills, at least and at most.
PAUSE = (0.0, 0.25)
#: How often a kill is followed by another one at once.
_TWICE = 0.4
#: Seconds between two kills of what works beside the pool.
_BESIDE = (2.0, 12.0)
#: How often a daemon is killed that does not serve yet.
_EARLY = 0.15
#: Seconds that all jobs of a round may need to end.
_END = 400
#: Seconds in which what has ended is to be gone, and what runs beside the jobs to be there again.
_CLEAN = 60
#: Submits that may be refused in a round before it is given up.
_REFUSED = 5


class Pool:
    """One pool, what it works on, and what was found."""

    def __init__(self, campaign: Campaign, directory: Path, kinds: list[Kind]) -> None:
        self._campaign, self._choose, self._kinds = campaign, campaign.choose, kinds
        knobs = {"MASTER_BACKOFF_CONSTANT": "0", "MASTER_BACKOFF_FACTOR": "0.01", "MAX_HISTORY_LOG": "10000000000"}
        self.pool = PersonalPool(directory, 16, **knobs)
        (directory / "tmp").mkdir()
        self.pool.environment["TMPDIR"] = str(directory / "tmp")
        for kind in kinds:
            kind.prepare(self.pool)
        self._history = History(self.pool.spool / "history")
        self.struck: Counter[str] = Counter()
        self.met: Counter[str] = Counter()
        #: Seconds in which jobs ended after the kills of a round, and in which nothing was to be left over.
        self.seconds: Counter[str] = Counter()
        self.jobs = self.runs = self.reruns = self.released = 0

    def run(self) -> None:
        """Rounds until there were enough kills, and the end of the pool."""
        self.pool.start()
        self._wait_idle()
        before = self._idle_traces()
        number = 0
        try:
            while self._campaign.done < self._campaign.size:
                number += 1
                Round(self, number, before).run()
        finally:
            stopped = self._stop()
        left = differences(stopped, traces(self.pool))
        for name in left:
            self._campaign.found(f"left over by the pool that was stopped: {name}")

    def figures(self) -> dict[str, object]:
        """What was done, for the last line."""
        seconds = {name: round(took) for name, took in self.seconds.items()}
        return {
            "jobs": self.jobs, "runs": self.runs, "reruns": self.reruns, "released": self.released,
            "struck": dict(self.struck), "met": dict(self.met), "seconds of": seconds,
        }  # fmt: skip

    def _wait_idle(self) -> None:
        wait_for(lambda: not [kind for kind in self._kinds if kind.still_wrong(self.pool)], "all kinds are ready")

    def _idle_traces(self) -> Counter[str]:
        for kind in self._kinds:
            kind.rest(True)
        wait_for(lambda: not [path for path in self.pool.execute.iterdir() if path.name.startswith("dir_")], "all rest")
        found = traces(self.pool)
        for kind in self._kinds:
            kind.rest(False)
        return found

    def _stop(self) -> Counter[str]:
        """Stops the pool; what may be left of one."""
        self.pool.stop()
        return Counter()


class Round:
    """Jobs and kills, until there were enough; then the jobs end, and all that is left is looked at."""

    def __init__(self, owner: Pool, number: int, before: Counter[str]) -> None:
        self._owner, self._number, self._before = owner, number, before
        self._pool, self._campaign, self._choose = owner.pool, owner._campaign, owner._choose
        self._kinds = [kind for kind in owner._kinds if kind.has_jobs]
        self._batches: list[Batch] = []
        self._made: Counter[str] = Counter()
        self._is_over = threading.Event()
        self._tools: set[int] = set()
        self._lock = threading.Lock()
        self._refused = 0
        self._begun = -1
        self._was_cut = False

    def run(self) -> None:
        """All of it."""
        size = min(ROUND, self._campaign.size - self._campaign.done)
        feeder = threading.Thread(target=self._feed, args=(random.Random(f"{self._campaign.seed} {self._number}"),))
        beside = threading.Thread(target=self._strike_beside)
        feeder.start()
        beside.start()
        try:
            self._kill(self._campaign.done + size)
        finally:
            self._is_over.set()
            feeder.join()
            beside.join()
        owner, begun = self._owner, time.monotonic()
        if self._settle():
            self._audit()
        ended = time.monotonic()
        self._look_for_leftovers()
        owner.seconds.update(ending=ended - begun, looking=time.monotonic() - ended)
        print(
            f"kills: round {self._number}: {self._campaign.done} kills, {owner.jobs} jobs, {owner.reruns} reruns, "
            f"{len(self._campaign.findings)} findings", file=sys.stderr, flush=True,
        )  # fmt: skip

    # -- work

    def _feed(self, choose: random.Random) -> None:
        """Submits batches, so that there is always work of every kind."""
        while not self._is_over.is_set():
            waiting = [kind for kind in self._kinds if self._live(kind) < kind.count / 2]
            for kind in choose.sample(waiting, len(waiting)):
                if self._is_over.is_set():
                    return
                patience = choose.uniform(0.05, 0.6) if choose.random() < _CUT else None
                self._submit(kind, patience)
            self._is_over.wait(0.1)

    def _live(self, kind: Kind) -> int:
        return sum(batch.live() for batch in list(self._batches) if batch.kind is kind)

    def _submit(self, kind: Kind, patience: float | None) -> None:
        """One batch; a command that is killed counts as a kill."""
        self._made[kind.name] += 1
        name = f"r{self._number}.{kind.name}.{self._made[kind.name]}"
        met = self._live_kinds()
        batch, said = kind.submit(self._pool, name, patience)
        self._batches.append(batch)
        if said.was_killed:
            self._was_cut = True
            self._count("submit", met)
        elif said.code > 0 and ("Traceback" in said.complaint or not kind.needs_schedd):
            self._refused += 1
            self._campaign.found(f"{name}: the submit exits with {said.code}: {said.complaint.strip()[-600:]}")

    # -- kills

    def _kill(self, enough: int) -> None:
        begun = time.monotonic()
        while self._campaign.done < enough:
            time.sleep(self._choose.uniform(*PAUSE))  # the moment is what is random
            self._strike()
            if self._choose.random() < _TWICE:
                self._strike()
            if self._refused > _REFUSED or time.monotonic() - begun > 20 * ROUND:
                raise CannotRun("kills meet no jobs")

    def _strike_beside(self) -> None:
        """Kills what works beside the pool now and then."""
        choose = random.Random(f"beside {self._campaign.seed} {self._number}")
        while not self._is_over.wait(choose.uniform(*_BESIDE)):
            for kind in self._kinds:
                if self._live(kind) and (name := kind.strike(f"mark{self._campaign.done}")):
                    self._count(name, [kind.name])

    def _live_kinds(self) -> list[str]:
        return [kind.name for kind in self._kinds if self._live(kind)]

    def _strike(self) -> None:
        met = self._live_kinds()
        found = victims(self._pool)
        names = [name for name in WEIGHTS if name in found or name == "everything"]
        name = self._choose.choices(names, [WEIGHTS[name] for name in names])[0]
        if name in (*DAEMONS, "everything"):
            if not self._is_ready(name) and self._choose.random() > _EARLY:
                return
            self._begun = self._programs()
        if name == "everything":
            self._strike_everything()
            self._count(name, met)
        elif strike(self._choose.choice(found[name])):
            self._count(name, met)
            if name == "master":
                # what an engine has left that was killed is removed by the next startd
                wait_for(lambda: victims(self._pool).keys() <= {"engine"}, lambda: f"the pool ends: {self._left()}", 60)
                self._pool.start()

    def _left(self) -> dict[str, str]:
        return {kind: words_of(pids) for kind, pids in victims(self._pool).items()}

    def _is_ready(self, name: str) -> bool:
        """Whether a daemon serves, and programs have begun since one was killed: on a slow machine, too, kills are to
        meet running jobs."""
        return (name == "everything" or self._pool.serves(name)) and self._programs() > self._begun

    def _programs(self) -> int:
        """A number that grows when a program begins."""
        paths = [batch.ran for batch in list(self._batches)]
        return sum(path.stat().st_size for path in paths if path.exists())

    def _strike_everything(self) -> None:
        """Kills all processes of the pool, as a machine does that loses its power."""
        while found := [pid for pids in victims(self._pool).values() for pid in pids]:
            for pid in found:
                strike(pid)
        self._pool.start()

    def _count(self, name: str, met: list[str]) -> None:
        """Counts a kill, if it met work."""
        with self._lock:
            if met:
                self._owner.struck[name] += 1
                self._owner.met.update(met)
                self._campaign.step()

    # -- the end

    def _settle(self) -> bool:
        """Waits until the queue is empty; whether it became so."""
        deadline = time.monotonic() + _END
        told = ""
        while time.monotonic() < deadline:
            queue = self._queue()
            wrong = [line for kind in self._kinds for line in kind.collect(self._pool, self._of(kind), queue)]
            told = told or "; ".join(wrong)
            for job, ad in queue.items():
                if ad.eval_int("JobStatus", 0) == 5 and ad.eval_int("HoldReasonCode", 0) != 16:
                    self._judge_hold(job, ad)
            if not queue:
                break
            time.sleep(0.3)
        else:
            rows = self._pool.tool("condor_q", "-allusers", "-af", "ClusterId", "ProcId", "JobUniverse", "JobStatus",
                                   "HoldReason", "UserLog").stdout  # fmt: skip
            self._campaign.found(f"round {self._number}: jobs do not end:\n{rows}")
            self._pool.tool("condor_rm", "-all", check=False)
            wait_for(lambda: not self._queue(), "the queue is empty", 120)
            return False
        if told:
            self._campaign.found(f"round {self._number}: {told}")
        return True

    def _judge_hold(self, job: str, ad: ClassAd) -> None:
        """Releases a job that is held because of a kill; another one is a finding, and is removed."""
        if any(kind.is_held_by_a_kill(ad) for kind in self._kinds):
            self._owner.released += 1
            self._pool.tool("condor_release", job, check=False)
            return
        self._campaign.found(f"round {self._number}: {job} is held: {ad.eval_str('HoldReason', '')}")
        self._pool.tool("condor_rm", job, check=False)

    def _queue(self) -> dict[str, ClassAd]:
        """The jobs of the queue, factories by their cluster."""
        queue = JobQueue(str(self._pool.spool / "job_queue.log"), readonly=True, lasting=False)
        return {f"{job.cluster}.{job.proc}": ad for job, ad in queue.jobs()}

    def _of(self, kind: Kind) -> list[Batch]:
        return [batch for batch in self._batches if batch.kind is kind]

    def _audit(self) -> None:
        """All batches, against the history and their logs."""
        last = {job for batch in self._batches for job in batch.jobs}
        with contextlib.suppress(AssertionError):  # what is missing is told below
            wait_for(lambda: last <= set(self._owner._history.read()), "the history has all", 20)
        records = self._owner._history.read()
        for batch in self._batches:
            self._audit_batch(batch, records)
        for problem in check_spool(str(self._pool.spool)):
            self._campaign.found(f"round {self._number}: {problem}")

    def _audit_batch(self, batch: Batch, records: dict[str, list[dict[str, str]]]) -> None:
        logs = {f'"{log}"' for log in logs_of(batch)}
        events = told_events(logs_of(batch))
        recorded = {job: ads for job, ads in records.items() if ads[0].get("UserLog") in logs}
        ran = Counter(batch.ran.read_text().split("\n")[:-1]) if batch.ran.exists() else Counter()
        jobs = batch.jobs | set(events) | set(recorded) | set(ran)
        found = []
        for job in sorted(jobs):
            numbers, ads = events.get(job, []), recorded.get(job, [])
            if len(ads) != 1:
                found.append(f"{job} is in the history {len(ads)} times")
            if fault := story_of(numbers):
                found.append(f"{job} {fault}: {numbers}")
            if ran[job] > told_runs(numbers):
                found.append(f"{job} ran {ran[job]} times, and its log tells only {numbers}")
            if numbers[-1:] == [5] and ads and (fault := batch.kind.wrong(batch, job)):
                found.append(f"{job} {fault}; its log tells {numbers}")
        found += batch.kind.all_wrong(batch, {job: ads[0] for job, ads in recorded.items()})
        for line in found:
            self._campaign.found(f"{batch.name}: {line}")
        self._owner.jobs += len(jobs)
        self._owner.runs += sum(ran.values())
        self._owner.reruns += sum(count - 1 for count in ran.values())

    def _look_for_leftovers(self) -> None:
        """What there is more than before the kills, when the pool is idle. What a command that was killed has left in
        the spool is removed by the next schedd."""
        owner = self._owner
        if self._was_cut:
            strike(self._pool.pid("schedd"))
        self._wait_empty("goes on", lambda: [fault for kind in owner._kinds if (fault := kind.still_wrong(self._pool))])
        for kind in owner._kinds:
            kind.rest(True)
        self._wait_empty("is left over", self._leftovers)
        for kind in owner._kinds:
            kind.rest(False)

    def _leftovers(self) -> list[str]:
        of_kinds = [trace for kind in self._owner._kinds for trace in kind.traces(self._pool)]
        return differences(self._before, traces(self._pool)) + of_kinds

    def _wait_empty(self, what: str, look: Callable[[], list[str]]) -> None:
        """Looks until each thing was gone at some look; what every look has found is told. A program that comes and
        goes all the time, on a busy machine, is not left over."""
        stays = set(look())

        def is_empty() -> bool:
            stays.intersection_update(look())
            return not stays

        with contextlib.suppress(AssertionError):
            wait_for(is_empty, what, _CLEAN)
        for line in sorted(stays):
            self._campaign.found(f"round {self._number}, what {what}: {line}")


#: How often a submit is cut short.
_CUT = 0.5


def logs_of(batch: Batch) -> list[Path]:
    """The event logs of a batch."""
    return [batch.log, batch.nodes_log] if isinstance(batch, DagBatch) else [batch.log]


# -- the command


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-kinds", default="", metavar="KIND,...", help=f"which work (default all): {', '.join(KINDS)}")
    parser.add_argument("-pools", type=int, default=1, metavar="N", help="so many pools at a time, each with a seed")
    text = "instead: the vanilla jobs alone, in HTCondor's own package, whose Debian root is kept in DIR (root)"
    parser.add_argument("-pool", nargs=2, default=("", ""), metavar=("htcondor", "DIR"), help=text)
    parser.add_argument("-keep", default="", metavar="DIR", help="keep the files of the pool there")


def _chosen(campaign: Campaign) -> tuple[list[Kind], dict[str, str]]:
    """The kinds that run, and why others cannot."""
    names = [name for name in campaign.options.kinds.split(",") if name] or list(KINDS)
    if unknown := [name for name in names if name not in KINDS]:
        raise CannotRun(f"there is no kind {unknown[0]}; there are {', '.join(KINDS)}")
    made = [KINDS[name]() for name in names]
    reasons = {kind.name: reason for kind in made if (reason := kind.why_not())}
    kinds = [kind for kind in made if kind.name not in reasons]
    if not any(kind.has_jobs for kind in kinds):
        raise CannotRun("; ".join(reasons.values()) or "none of these kinds has jobs")
    return kinds, reasons


def one_pool(campaign: Campaign) -> None:
    """The campaign with one pool."""
    kinds, reasons = _chosen(campaign)
    keep = campaign.options.keep
    top = Path(keep) if keep else Path(tempfile.mkdtemp(prefix="condor_py-kills."))
    top.mkdir(parents=True, exist_ok=True)
    top.chmod(0o755)
    made = None
    try:
        made = Pool(campaign, top / "pool", kinds)
        made.run()
    finally:
        for kind in kinds:
            kind.close()
        if not keep:
            shutil.rmtree(top, ignore_errors=True)
        if made is not None:
            campaign.figures |= made.figures()
            campaign.figures |= {"kinds": [kind.name for kind in kinds], "could not": reasons}


def several_pools(campaign: Campaign) -> None:
    """The campaign with a process for each pool; what they found together."""
    count, options = campaign.options.pools, campaign.options
    parts = []
    for number in range(count):
        size = campaign.size // count + (number < campaign.size % count)
        words = ["-n", str(size), "-seed", str(campaign.seed * 1000 + number), "-kinds", options.kinds]
        keep = ["-keep", str(Path(options.keep) / str(number))] if options.keep else []
        parts.append(
            subprocess.Popen([sys.executable, __file__, *words, *keep], stdout=subprocess.PIPE, text=True)
        )  # fmt: skip
    lines: list[str] = []
    try:
        for part in parts:
            lines.append(_last_line(part))
    except KeyboardInterrupt:
        for part in parts:
            part.send_signal(signal.SIGINT)
        lines += [_last_line(part) for part in parts[len(lines) :]]
        raise
    finally:
        for number, (part, line) in enumerate(zip(parts, lines, strict=False)):
            _take_part(campaign, number, part.returncode, line)


def _last_line(part: subprocess.Popen[str]) -> str:
    """What a pool prints last, when it has ended."""
    return part.communicate()[0].strip().rpartition("\n")[2]


def _take_part(campaign: Campaign, number: int, code: int, line: str) -> None:
    """Adds what one pool did; ``code`` is 130 when it was stopped."""
    if code not in (0, 1, 130):
        campaign.found(f"pool {number} ends with {code}")
    if not line.startswith("{"):
        campaign.found(f"pool {number} ends with {code} and tells nothing")
        return
    figures = json.loads(line)
    campaign.done += figures.pop("kills")
    campaign.findings += [f"of pool {number}"] * figures["findings"]
    _add(campaign.figures, figures)


def _add(sums: dict[str, object], figures: dict[str, object]) -> None:
    for name in ("jobs", "runs", "reruns", "released"):
        sums[name] = int(str(sums.get(name, 0))) + int(str(figures.get(name, 0)))
    for name in ("struck", "met", "seconds of"):
        both = Counter(sums.get(name) or {}) + Counter(figures.get(name) or {})  # type: ignore[call-overload]
        sums[name] = dict(both)
    for name in ("kinds", "could not"):
        sums[name] = figures.get(name)


def body(campaign: Campaign) -> None:
    """The campaign as it was asked for."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    name, place = campaign.options.pool
    if name == "htcondor":
        import kill_htcondor

        kill_htcondor.run(campaign, place)
        return
    if name:
        raise CannotRun(f"there is no pool {name}")
    (several_pools if campaign.options.pools > 1 else one_pool)(campaign)


if __name__ == "__main__":
    sys.exit(main(body, name="kills", about=__doc__, unit="kills", size=1000, options=_options))
