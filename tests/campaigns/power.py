"""Power is lost: what was acknowledged is there when the machine is up again, and the pool starts by itself.

A pool and its users run in namespaces of their own, on a file system that forgets what was not flushed (forgetfs.c):
SPOOL, LOG, EXECUTE and the directory of the users are on it. All processes are killed at one moment, and the disk then
has what was flushed and, chosen by the seed, any part of what was not that ext4 and xfs may leave (-model journal), or
any other file system that does what POSIX promises (-model strict). Users submit, edit, hold, release, remove, set
priorities, spool and fetch files, and run DAGs and factories.

There are two ways. ``flush``: the power goes at each flush of each story of a user in turn, before it is done, when it
is done and not yet acknowledged, and after that. ``moment``: several stories at once, and the power goes several times
at random moments. After the last crash the pool runs all jobs, and everything is compared with what the commands, the
event logs and the jobs have told: no job lost, none twice in the history, no run untold, output whole, spool without
damage.

The first part of the crashes is of the way ``flush``, the rest of ``moment``. Needs root, /dev/fuse, libfuse3 with
headers, a C compiler, and unshare and nsenter. -keep DIRECTORY keeps the disk of each crash with a finding.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import NamedTuple

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1] / "e2e")]

import campaign
from forgetting import MODELS
from pool import PATIENCE
from power_machine import Machine
from power_work import NO_LOG, USER, Judge, Step, Story, Users, prepare, queued, wrong_holds

WHENS = ("before", "unacked", "after")
#: Part of the crashes that may be at flushes.
_AT_FLUSHES = 0.7
#: Crashes of one disk at random moments.
_IN_A_ROW = 4
#: Seconds for a command, for the pool to start, and for all jobs to end.
_COMMAND, _START, _DRAIN = 60.0 * PATIENCE, 60.0 * PATIENCE, 120.0 * PATIENCE
_CPUS = 4
#: Reads the event logs as their owner does, and tells of each event when it is whole.
_READER = """
import collections, glob, sys, time
sys.path.insert(0, sys.argv[1])
from condor_py.store.event_log import EventReader
readers, seen = {}, collections.deque()
while True:
    for name in glob.glob("*.log"):
        reader = readers.setdefault(name, EventReader(name))
        for event in reader.read():
            seen.append((time.monotonic(), f"{name} {event.number} {event.cluster}.{event.proc}"))
    while seen and seen[0][0] < time.monotonic() - 0.5:  # by then it is flushed
        print(seen.popleft()[1], flush=True)
    time.sleep(0.02)
"""


class Crash(NamedTuple):
    """When the power goes: at a flush, or, without one, so many seconds after the start."""

    flush: int = 0
    when: str = ""
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.when} flush {self.flush}" if self.flush else f"after {self.seconds:.2f} s"


class Try(NamedTuple):
    """One disk: the stories of its users, and the crashes. Where it ``is_local`` the schedd writes event logs itself,
    else helpers do."""

    number: int
    stories: tuple[str, ...]
    crashes: tuple[Crash, ...]
    model: str
    is_local: bool

    def __str__(self) -> str:
        crashes, where = ", ".join(map(str, self.crashes)), "local" if self.is_local else "elsewhere"
        return f"try {self.number} ({'+'.join(self.stories)}, {self.model}, {where}; {crashes})"


STORIES = ("runs", "edits", "spools", "graph", "materializes", "holds", "first")
#: The story of a pool that has never run before, and disks without and with what a pool has left.
_FIRST, _EMPTY, _USED = "first", 0, 1


class Fault(Exception):
    """Something that should not be, with which a try cannot go on."""


class Scene:
    """A machine with a pool, on which one try is made after another."""

    def __init__(self, top: Path, keep: Path | None, logs_are_kept: bool) -> None:
        self._top, self._keep, self._logs_are_kept = top, keep, logs_are_kept
        self.outside = top / "outside"
        self.outside.mkdir(parents=True)
        knobs = {"ENABLE_USERLOG_FSYNC": "true" if logs_are_kept else "false", "DAGMAN_USE_STRICT": "0"}
        self.machine = Machine(top, _CPUS, **knobs)
        prepare(self.machine.pool, self.outside)
        self.machine.disk.save(_EMPTY)
        self._crashed = False
        #: Whether the schedd writes event logs itself, and no helper.
        self._is_local = False

    def close(self) -> None:
        """Nothing is left."""
        self.machine.close()

    # -- tries

    def count_flushes(self, story: str) -> int:
        """Flushes of a story without a crash, from the start of the pool."""
        self._begin(_EMPTY if story == _FIRST else _USED)
        before = self.machine.disk.flushes()
        self._boot(armed=False)
        users = Users(Random(1))
        self._play([getattr(users, story)()], Random(1), None)
        count = self.machine.disk.flushes() - before
        self.machine.switch_off()
        return count

    def prepare_pool(self) -> None:
        """Run the pool once, so that tries begin with one that has run before."""
        self._begin(_EMPTY)
        self._boot(armed=False)
        self.machine.switch_off()
        self.machine.disk.save(_USED)

    def run(self, wanted: Try, seed: int) -> list[str]:
        """Make a try; its findings."""
        choose = Random(f"{seed}/{wanted.number}")
        self._is_local = wanted.is_local
        self._begin(_EMPTY if _FIRST in wanted.stories else _USED)
        users = Users(choose)
        waiting: list[Story] = [getattr(users, story)() for story in wanted.stories]
        found: list[str] = []
        try:
            for crash in wanted.crashes:
                waiting = self._live(crash, users, waiting, choose)
                self.machine.lose_power(choose.getrandbits(32), wanted.model)
            found += self._look(users, wanted.model)
        except Fault as fault:
            found.append(str(fault))
        if found and self._keep is not None:
            self._keep_disk(wanted)
        self.machine.switch_off()
        return found

    def _begin(self, disk: int) -> None:
        self.machine.disk.load(disk)
        (self.outside / "ran").write_text("")

    def _keep_disk(self, wanted: Try) -> None:
        assert self._keep is not None
        place = self._keep / str(wanted.number)
        shutil.rmtree(place, ignore_errors=True)
        skipped = lambda folder, names: [name for name in names if (Path(folder) / name).is_socket()]  # noqa: E731
        shutil.copytree(self.machine.disk.path, place, symlinks=True, ignore=skipped)

    # -- a life of the machine

    def _boot(self, *, armed: bool) -> None:
        """Switch the machine on and start the pool. Where the power may go it is not waited for: nothing may touch the
        disk then."""
        self._crashed = False
        self.machine.switch_on()
        master = self.machine.master(is_local=self._is_local)
        done = self._wait_for(master, armed=armed)
        if not done and not self._crashed:
            raise Fault(f"condor_master does not start: {master.communicate()[0]}")
        if not armed:
            _until(self.machine.is_up, _START, "the pool does not start")

    def _live(self, crash: Crash, users: Users, waiting: list[Story], choose: Random) -> list[Story]:
        """From a start up to the crash; the stories that have not begun are left."""
        if crash.flush:
            self.machine.disk.arm(crash.flush, crash.when)
        deadline = time.monotonic() + crash.seconds if not crash.flush else None
        with open(self._top / "seen", "w+") as told:
            self._boot(armed=True)
            if not self._crashed:
                reader = self.machine.begin(
                    sys.executable, "-I", "-S", "-c", _READER, str(Path(__file__).resolve().parents[2]), out=told
                )
                waiting = self._play(waiting, choose, deadline)
                if not self._crashed and crash.flush:
                    self._crashed = self.machine.disk.has_crashed(1.0)
                if not self._crashed and reader.poll() is not None:
                    told.seek(0)
                    raise Fault(f"the reader of the event logs has ended: {told.read()[-300:]}")
            told.seek(0)
            lines = (line.split() for line in told.read().splitlines())
            users.seen |= Counter((name, int(number), job) for name, number, job in lines)  # each life sees them all
        return waiting

    def _play(self, stories: list[Story], choose: Random, deadline: float | None) -> list[Story]:
        """Do what users do, a command of one story after one of another, until the power goes or all is done. The
        stories that have not begun."""
        begun: dict[int, str | None] = {}
        left = dict(enumerate(stories))
        while left and not self._crashed:
            chosen = choose.choice(sorted(left))
            try:
                step = next(left[chosen]) if chosen not in begun else left[chosen].send(begun[chosen])
            except StopIteration:
                del left[chosen]
                continue
            begun[chosen] = self._do(step, deadline)
        for number in begun:
            if number in left:
                left.pop(number).close()
        return list(left.values())

    def _do(self, step: Step, deadline: float | None) -> str | None:
        """Run a command; what it printed, None when the power went before it was done. A fault when it fails while
        there is power."""
        if deadline is not None and time.monotonic() > deadline:
            self._crashed = True
            return None
        name, *words = step
        if name == "is_over":
            name, words = "condor_q", ["-constraint", f'Tag == "{words[0]}" && JobStatus != 4', "-af", "ClusterId"]
        process = self.machine.tool(name, *words)
        done = self._wait_for(process, armed=True, deadline=deadline)
        if self._crashed and not done:
            return None
        said = str(process.communicate()[0]).strip()
        if not done and name == "condor_wait" and "No such file" in said:
            return NO_LOG
        if not done:
            raise Fault(f"{' '.join((name, *words))} fails: {said[-300:]}")
        return said

    def _wait_for(self, process: object, *, armed: bool, deadline: float | None = None) -> bool:
        """Wait for the end of a command, or of the power; whether it exited with 0."""
        limit = time.monotonic() + _COMMAND
        while process.poll() is None:  # type: ignore[attr-defined]
            if armed and self.machine.disk.has_crashed(0.004):
                self._crashed = True
                armed = False
                limit = time.monotonic() + 0.05  # what needs no disk any more may end
            elif not armed:
                time.sleep(0.004)
            now = time.monotonic()
            if deadline is not None and now > deadline:
                self._crashed = True
                return False
            if now > limit:
                if self._crashed:
                    return False
                raise Fault(f"{process.args[-4:]} does not end")  # type: ignore[attr-defined]
        return bool(process.returncode == 0)  # type: ignore[attr-defined]

    # -- after the last crash

    def _look(self, users: Users, model: str) -> list[str]:
        """Run all that is left, and look at everything."""
        self._boot(armed=False)
        pool = self.machine.pool
        self._drain(users)
        found = list(wrong_holds(users, queued(pool)))
        self._fetch(users)
        found += self._priorities(users)
        if any(each.status == "5" for each in queued(pool)):
            self._tool("condor_rm", "-constraint", "JobStatus == 5")
        _until(lambda: not queued(pool), _DRAIN, lambda: f"jobs that do not leave: {_told(queued(pool))}")
        self._tool("condor_off", "-master", "-fast")
        _until(lambda: not (pool.log / "InstanceLock").exists() or self._is_down(), _START, "the pool does not end")
        judge = Judge(users, pool, self.outside, logs_are_kept=self._logs_are_kept, may_have_holes=model == "strict")
        return found + list(judge.findings())

    def _is_down(self) -> bool:
        return len(list(self.machine._processes())) <= 1

    def _drain(self, users: Users) -> None:
        """Until what is left in the queue is on hold, or waits for its output to be fetched."""

        def is_quiet() -> bool:
            return all(each.status == "5" or (each.status == "4") for each in queued(self.machine.pool))

        _until(is_quiet, _DRAIN, lambda: f"jobs that do not end: {_told(queued(self.machine.pool))}")

    def _fetch(self, users: Users) -> None:
        for submit in users.submits.values():
            if submit.kind == "spooled" and not submit.fetched:
                there = [each for each in queued(self.machine.pool) if each.tag == submit.tag and each.status == "4"]
                if there:
                    self._tool("condor_transfer_data", "-constraint", f'Tag == "{submit.tag}"')
                    submit.fetched = True

    def _priorities(self, users: Users) -> Iterator[str]:
        if users.factor is None:
            return
        said = self._tool("condor_userprio", "-allusers", "-long")
        allowed = {float(factor) for factor in (users.factor, *users.factors)}
        found = {}
        for line in said.splitlines():
            name, _, value = line.partition(" = ")
            found[name] = value
        for name, value in found.items():
            if name.startswith("Name") and value.strip('"') == USER:
                factor = found.get(f"PriorityFactor{name.removeprefix('Name')}", "")
                if float(factor or 0) in allowed:
                    return
                yield f"the factor of {USER} was set to {users.factor}, and is {factor}"
                return
        yield f"the factor of {USER} was set to {users.factor}, and condor_userprio does not have the user"

    def _tool(self, name: str, *words: str) -> str:
        process = self.machine.tool(name, *words)
        done = self._wait_for(process, armed=False)
        said = process.communicate()[0]
        if not done:
            raise Fault(f"after the last start, {' '.join((name, *words))} fails: {said.strip()[-300:]}")
        return said


def _told(jobs: list[object]) -> str:
    return ", ".join(f"{each.tag} ({each.job}) {each.values}" for each in jobs)  # type: ignore[attr-defined]


def _until(condition: Callable[[], object], seconds: float, what: str | Callable[[], str]) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Fault(what if isinstance(what, str) else what())
        time.sleep(0.02)


def tries(size: int, ways: str, models: tuple[str, ...], counts: dict[str, int], choose: Random) -> list[Try]:
    """The tries of a run of this size. ``counts`` has the flushes of each story."""
    made: list[Try] = []
    if ways != "moment":
        points = [(story, flush) for story, count in counts.items() for flush in range(1, count + 1)]
        wanted = [(story, Crash(flush, when)) for story, flush in points for when in WHENS]
        choose.shuffle(wanted)
        for story, crash in wanted[: size if ways == "flush" else max(1, int(size * _AT_FLUSHES))]:
            made.append(Try(len(made), (story,), (crash,), choose.choice(models), choose.random() < 0.6))
    left = size - len(made) if ways != "flush" else 0
    while left > 0:
        stories = tuple(choose.sample(sorted(counts), choose.randrange(min(2, len(counts)), len(counts) + 1)))
        crashes = tuple(Crash(seconds=choose.uniform(0.2, 3.0)) for _ in range(min(left, _IN_A_ROW)))
        made.append(Try(len(made), stories, crashes, choose.choice(models), choose.random() < 0.6))
        left -= len(crashes)
    return made


def body(run: campaign.Campaign) -> None:
    """The campaign."""
    options = run.options
    models = MODELS if options.model == "both" else (options.model,)
    keep = Path(options.keep) if options.keep else None
    top = Path(tempfile.mkdtemp(prefix="power."))
    top.chmod(0o755)
    scenes: list[Scene] = []
    crashes: Counter[str] = Counter()
    lock = threading.Lock()
    try:
        for number in range(options.pools):
            scenes.append(Scene(top / str(number), keep, not options.unflushed_logs))
            scenes[-1].prepare_pool()
        needed = options.way != "moment"
        counts = {story: scenes[0].count_flushes(story) if needed else 0 for story in options.stories.split(",")}
        wanted = iter(tries(run.size, options.way, models, counts, run.choose))

        def work(scene: Scene) -> None:
            while True:
                with lock:
                    one = next(wanted, None)
                if one is None:
                    return
                if options.only is not None and one.number != options.only:
                    continue
                found = scene.run(one, run.seed)
                with lock:
                    for finding in found:
                        run.found(f"{one}: {finding}")
                    run.step(len(one.crashes))
                    crashes["flush" if one.crashes[0].flush else "moment"] += len(one.crashes)
                    crashes[one.model] += len(one.crashes)

        with ThreadPoolExecutor(len(scenes)) as workers:
            begun = [workers.submit(work, scene) for scene in scenes]
            try:
                for done in begun:
                    done.result()
            except BaseException:
                wanted = iter(())  # the tries that run end; no more begin
                raise
        run.figures.update({"flushes": counts, **dict(crashes)})
    finally:
        for scene in scenes:
            scene.close()
        shutil.rmtree(top, ignore_errors=True)


def options(parser: argparse.ArgumentParser) -> None:
    """Options of this campaign."""
    parser.add_argument("-way", choices=("flush", "moment", "both"), default="both", help="when the power goes")
    parser.add_argument("-model", choices=(*MODELS, "both"), default="both", help="what may be lost")
    parser.add_argument("-stories", default=",".join(STORIES), help=f"of {', '.join(STORIES)}")
    parser.add_argument("-pools", type=int, default=1, metavar="COUNT", help="machines at the same time")
    parser.add_argument("-unflushed-logs", action="store_true", help="with ENABLE_USERLOG_FSYNC = false, the default")
    parser.add_argument("-only", type=int, metavar="TRY", help="this try alone")
    parser.add_argument("-keep", metavar="DIRECTORY", help="where to keep disks with findings")


if __name__ == "__main__":
    sys.exit(campaign.main(body, name="power", about=__doc__, unit="crashes", size=1000, options=options))
