"""Runs the unit tests of a room once for every change of its code, in a child that has imported everything already.

Works in a copy of the tree, which is its current directory: ``python forkserver.py JOB``, JOB being a pickled
dictionary. Two ways to try a change:

* Inside of a function: pytest has collected the tests; a fork gives the function its new code and runs the tests that
  get to the changed lines, those first that killed changes of the same function, then the quick ones.
* What runs at import (tables, classes, or functions called from there), and what changes the variables that a function
  shares (``super()`` left out): a fork that has imported pytest only collects anew and runs all tests.

Either way the changed file lies in the copy meanwhile, so that programs which tests start see it too. A change is
killed by the first test that fails, and by one that takes much longer than it should.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pickle
import resource
import select
import shutil
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from mutations import Mutant

#: Memory that a changed program may take, in bytes.
MEMORY = 4 << 30
PHASES = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
#: A test that makes its own examples makes as many as take so many seconds while lines are noted, at least so many;
#: and how many walks the random walks of the schedd are. All, if all are asked for.
EXAMPLES_SECONDS, EXAMPLES, WALKS = 2.0, 30, 30
#: How much longer than usual a test may take: so many times, and so many seconds.
TIMES, SECONDS = 5, 3.0
#: Slower tests (seconds while lines are noted) are left out where quick ones alone are asked for.
QUICK = 1.0


class Trace:
    """Notes which lines of the room's files run. Code of which all lines have run is left alone until ``begin``."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files
        self._all: dict[types.CodeType, frozenset[int]] = {}
        self.begin()

    def begin(self) -> None:
        """Nothing has run yet."""
        self.lines: set[tuple[str, int]] = set()
        self._left: dict[types.CodeType, set[int]] = {}

    def __call__(self, frame: types.FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        code = frame.f_code
        path = self._files.get(code.co_filename)
        if path is None:
            return None
        left = self._left.get(code)
        if left is None:
            if code not in self._all:
                self._all[code] = frozenset(line for _, _, line in code.co_lines() if line)
            left = self._left[code] = set(self._all[code])
            self.lines.add((path, frame.f_lineno))
        if not left:
            return None
        add, done = self.lines.add, left.discard

        def local(frame: types.FrameType, event: str, arg: object) -> Callable[..., Any] | None:
            if event == "line":
                add((path, frame.f_lineno))
                done(frame.f_lineno)
            return local if left else None

        done(frame.f_lineno)
        return local


class Room:
    """The pytest plugin: once the tests are collected, it does the work instead of running them."""

    def __init__(self, job: dict[str, Any], work: Callable[[Room, pytest.Session], None]) -> None:
        self.job = job
        self.root = Path.cwd()
        self._work = work
        self.failed = ""
        self.spawned = False

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Failed("errors while collecting")
        self._work(self, session)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


def run_items(
    room: Room, items: list[pytest.Item], usual: dict[str, float] | None = None, stop: bool = True
) -> Iterator[pytest.Item]:
    """Runs tests one after the other, giving each back when it has run; until one fails."""
    for item, following in zip(items, [*items[1:], None], strict=True):
        if usual is not None:
            seconds = TIMES * usual.get(item.nodeid, 1.0) + SECONDS
            signal.setitimer(signal.ITIMER_PROF, seconds)
            signal.setitimer(signal.ITIMER_REAL, 4 * seconds)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        yield item
        if room.failed and stop:
            return


def first_look(room: Room, session: pytest.Session, imported: set[tuple[str, int]]) -> dict[str, Any]:
    """What every test usually takes and gets to."""
    trace = Trace({str(room.root / path): path for path in room.job["files"]})
    tests: dict[str, Any] = {}
    spawned = [False]

    def listen(event: str, args: object) -> None:
        if event in ("subprocess.Popen", "os.fork", "os.posix_spawn", "os.exec"):
            spawned[0] = True

    sys.addaudithook(listen)
    began = time.perf_counter()
    sys.settrace(trace)
    for item in run_items(room, session.items, stop=False):
        sys.settrace(None)
        now = time.perf_counter()
        tests[item.nodeid] = (now - began, trace.lines, spawned[0], room.failed == item.nodeid)
        room.failed, spawned[0], began = "", False, time.perf_counter()
        trace.begin()
        sys.settrace(trace)
    sys.settrace(None)
    return {"tests": tests, "imported": imported, "refused": set()}


def fewer_examples(items: list[pytest.Item], usual: dict[str, float]) -> None:
    """Tests that make their own examples become quick, and do not look for the smallest one that fails."""
    for item in items:
        function = getattr(item, "obj", None)
        own = getattr(function, "_hypothesis_internal_use_settings", None)
        if function is not None and own is not None:
            part = min(1.0, EXAMPLES_SECONDS / max(0.001, usual.get(item.nodeid, 0.0)))
            number = min(own.max_examples, max(EXAMPLES, int(part * own.max_examples)))
            fewer = hypothesis.settings(own, max_examples=number, phases=PHASES)
            getattr(function, "__func__", function)._hypothesis_internal_use_settings = fewer


class Collected:
    """Tries changes inside of functions in forks of the process that has collected the tests."""

    def __init__(self, room: Room, session: pytest.Session, look: dict[str, Any]) -> None:
        self._room, self._session, self._look = room, session, look
        self._kills: dict[tuple[str, object], dict[str, int]] = {}
        self._usual = {name: test[0] for name, test in look["tests"].items()}
        if not room.job["full"]:
            fewer_examples(session.items, self._usual)

    def order(self, mutant: Mutant) -> list[pytest.Item]:
        """The tests that get to the changed lines, or start programs; the likeliest killers first."""
        wanted = {(mutant.path, line) for line in range(mutant.lines[0], mutant.lines[1] + 1)}
        kills = self._kills.get((mutant.path, mutant.function), {})
        there: list[tuple[float, float, int]] = []
        for at, item in enumerate(self._session.items):
            seconds, lines, spawned, _ = self._look["tests"][item.nodeid]
            if self._room.job["quick"] and seconds > QUICK:
                continue
            if spawned or not wanted.isdisjoint(lines):
                there.append((-kills.get(item.nodeid, 0), seconds, at))
        return [self._session.items[at] for _, _, at in sorted(there)]

    def trial(self, mutant: Mutant) -> dict[str, Any]:
        items = self.order(mutant)
        if not items:
            return {"id": mutant.id, "how": "no test gets there"}
        patched = patches(self._room.root, mutant)

        def child(tell: Callable[[str], None]) -> None:
            for function, code in patched:
                function.__code__ = code
            tell("?" + items[0].nodeid)
            for _, following in zip(run_items(self._room, items, self._usual), [*items[1:], None], strict=False):
                if not self._room.failed and following is not None:
                    tell("?" + following.nodeid)
            tell("!" + self._room.failed)

        killer = in_child(mutant, self._room.root, child)
        if killer:
            kills = self._kills.setdefault((mutant.path, mutant.function), {})
            kills[killer] = kills.get(killer, 0) + 1
        return {"id": mutant.id, "how": "killed" if killer else "survived", "by": killer, "tests": len(items)}


def patches(root: Path, mutant: Mutant) -> list[tuple[types.FunctionType, types.CodeType]]:
    """The living functions that are changed, with their new code."""
    assert mutant.function is not None
    path = str(root / mutant.path)
    source = (root / mutant.path).read_bytes()
    old = code_of(compile(source, path, "exec"), *mutant.function)
    new = code_of(compile(mutant.applied(source), path, "exec"), *mutant.function)
    found = [
        each
        for each in gc.get_objects()
        if isinstance(each, types.FunctionType)
        and each.__code__.co_firstlineno == old.co_firstlineno
        and each.__code__.co_filename == path
        and each.__code__.co_qualname == old.co_qualname
    ]
    if any(each.__code__.co_freevars != new.co_freevars for each in found):
        raise ValueError(f"{mutant.id} changes which variables the function shares")
    return [(each, new) for each in found]


def code_of(code: types.CodeType, name: str, at: int) -> types.CodeType:
    """The code of the outermost function of that name (the ``at``-th)."""
    found: list[types.CodeType] = []

    def look(code: types.CodeType) -> None:
        for each in code.co_consts:
            if isinstance(each, types.CodeType):
                if each.co_qualname == name:
                    found.append(each)
                elif name.startswith(each.co_qualname + "."):
                    look(each)

    look(code)
    return found[at]


def in_child(mutant: Mutant, root: Path, work: Callable[[Callable[[str], None]], None]) -> str:
    """Does the work in a fork while the changed file lies in the tree: the test that killed it, or nothing."""
    file = root / mutant.path
    source, stamps = file.read_bytes(), file.stat()
    file.write_bytes(mutant.applied(source))
    os.utime(file, ns=(stamps.st_atime_ns, stamps.st_mtime_ns + 10**10))
    ours, theirs = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            null = os.open(os.devnull, os.O_RDWR)
            for each in (0, 1, 2):
                os.dup2(null, each)
            work(lambda text: void(os.write(theirs, text.encode() + b"\n")))
        finally:
            os._exit(0)
    os.close(theirs)
    said = [line for line in all_of(ours, pid).decode().split("\n") if line]
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    file.write_bytes(source)
    os.utime(file, ns=(stamps.st_atime_ns, stamps.st_mtime_ns))
    if said and said[-1].startswith("!"):
        return said[-1][1:]
    return (said[-1][1:] if said else "import") + " (broke off)"


def all_of(ours: int, pid: int) -> bytes:
    """All that the child says, until it ends: what it leaves running may hold the pipe."""
    said, watch = b"", os.pidfd_open(pid)
    while True:
        ready, _, _ = select.select([ours, watch], [], [])
        if ours in ready:
            more = os.read(ours, 65536)
            said += more
            if more:
                continue
        if watch in ready:
            os.close(ours)
            os.close(watch)
            return said
        time.sleep(0.001)


def void(_: object) -> None:
    """Takes what nobody needs."""


def afresh(job: dict[str, Any], mutant: Mutant, look: dict[str, Any]) -> dict[str, Any]:
    """Tries a change that matters at import: everything is imported and collected by the child."""
    usual = {name: test[0] for name, test in look["tests"].items()}
    touch = {name for name, test in look["tests"].items() if any(path == mutant.path for path, _ in test[1])}
    bad = {name for name, test in look["tests"].items() if test[3]}

    def child(tell: Callable[[str], None]) -> None:
        def work(room: Room, session: pytest.Session) -> None:
            if not job["full"]:
                fewer_examples(session.items, usual)
            items = sorted(session.items, key=lambda each: (each.nodeid not in touch, usual.get(each.nodeid, 0.0)))
            items = [each for each in items if each.nodeid not in bad]
            if job["quick"]:
                items = [each for each in items if usual.get(each.nodeid, 0.0) <= QUICK]
            for _ in run_items(room, items, usual):
                pass
            tell("!" + room.failed)

        signal.setitimer(signal.ITIMER_REAL, 60)
        tell("?collecting")
        pytest.main(arguments(job), plugins=[Room(job, work)])

    killer = in_child(mutant, Path.cwd(), child)
    return {"id": mutant.id, "how": "killed" if killer else "survived", "by": killer, "tests": len(look["tests"])}


def arguments(job: dict[str, Any]) -> list[str]:
    plain = ("-s", "-q", "-p", "no:cacheprovider", "-p", "no:faulthandler")
    return [*job["tests"], *plain, f"--basetemp={job['scratch']}"]


def at_import(mutant: Mutant, imported: set[tuple[str, int]]) -> bool:
    return mutant.function is None or any(
        (mutant.path, line) in imported for line in range(mutant.lines[0], mutant.lines[1] + 1)
    )


def say(result: dict[str, Any]) -> None:
    os.write(3, json.dumps(result).encode() + b"\n")


def collected_part(job: dict[str, Any], keep: Path) -> None:
    """The child that collects: looks, tries what it can, and leaves the rest to ``afresh``."""
    trace = Trace({str(Path.cwd() / path): path for path in job["files"]})

    def work(room: Room, session: pytest.Session) -> None:
        for path in job["files"]:
            importlib.import_module(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        sys.settrace(None)
        looked = os.fork()
        if looked == 0:
            try:
                os.dup2(os.open(os.devnull, os.O_RDWR), 1)
                keep.write_bytes(pickle.dumps(first_look(room, session, trace.lines)))
            finally:
                os._exit(0)
        os.waitpid(looked, 0)
        look = pickle.loads(keep.read_bytes())
        bad = {name for name, test in look["tests"].items() if test[3]}
        session.items[:] = [item for item in session.items if item.nodeid not in bad]
        say({"tests": len(session.items), "bad": sorted(bad)})
        collected = Collected(room, session, look)
        for mutant in job["mutants"]:
            if not at_import(mutant, look["imported"]):
                try:
                    say(collected.trial(mutant))
                except ValueError:
                    look["refused"].add(mutant.id)
        keep.write_bytes(pickle.dumps(look))

    sys.settrace(trace)
    pytest.main(arguments(job), plugins=[Room(job, work)])


def main() -> int:
    job = pickle.loads(Path(sys.argv[1]).read_bytes())
    sys.dont_write_bytecode = True
    hypothesis.settings.register_profile(
        "mutants",
        derandomize=True,
        database=None,
        deadline=None,
        phases=PHASES,
    )
    hypothesis.settings.load_profile("mutants")
    if not job["full"]:
        os.environ["CONDOR_PY_WALKS"] = str(WALKS)
    gc.freeze()
    keep = Path(job["scratch"] + ".look")
    pid = os.fork()
    if pid == 0:
        try:
            collected_part(job, keep)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    if keep.exists():
        look = pickle.loads(keep.read_bytes())
        for mutant in job["mutants"]:
            if at_import(mutant, look["imported"]) or mutant.id in look["refused"]:
                say(afresh(job, mutant, look))
    shutil.rmtree(job["scratch"], ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
