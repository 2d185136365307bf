"""Runs the unit tests of a room once for every change of its code, in a child that has imported everything already.

Works in a copy of the tree, which is its current directory: ``python forkserver.py JOB``, JOB being a pickled
dictionary. A job without changes notes which lines every test gets to (also in the programs that it starts) and what
it takes; mutants.py keeps the notes. Two ways to try a change:

* Inside of a function: pytest has collected the tests; a fork gives the function its new code and runs the tests that
  get to the changed lines, those first that killed changes of the same function, then the quick ones.
* What runs at import (tables, classes, or functions called from there), and what changes the variables that a function
  shares (``super()`` left out): a fork that has imported pytest only collects the files with tests that get to the
  changed file, or to files that import it.

Either way the changed file lies in the copy meanwhile, so that programs which tests start see it too. A change is
killed by the first test that fails, and by one that takes much longer than it should. It lives when the tests that
get there have passed, or as many of them, the quickest first, as usually need ``BUDGET`` seconds.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import importlib
import itertools
import json
import os
import pickle
import re
import resource
import select
import shutil
import signal
import sys
import threading
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
#: Seconds of CPU, and of the clock, for the import of tests and of a change that matters at import.
COLLECTING = 120, 900
#: How much later, in nanoseconds, a changed file was written than the one before: Python must not take the compiled
#: form of another change of the same size for that of this one.
LATER = itertools.count(10**10, 10**10)
PHASES = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
#: A test that makes its own examples makes as many as take so many seconds while lines are noted, at least so many;
#: and how many walks the random walks of the schedd are. All, if all are asked for.
EXAMPLES_SECONDS, EXAMPLES, WALKS = 2.0, 30, 30
PR_SET_CHILD_SUBREAPER = 36
#: How much longer than usual a test may take: so many times, and so many seconds.
TIMES, SECONDS = 5, 3.0
#: Seconds of CPU (while lines are noted, which makes them several) of the tests of one change together, at most; all
#: of them, if all are asked for.
BUDGET = 40.0
#: Slower tests (seconds while lines are noted) are left out where quick ones alone are asked for.
QUICK = 1.0


class Trace:
    """Notes which lines of the room's files run. Code of which all lines have run is left alone until ``begin``.

    Programs that a test starts, and forks of it, append their lines to the file ``elsewhere``.
    """

    def __init__(self, files: dict[str, str], elsewhere: str) -> None:
        self._files = files
        self._all: dict[types.CodeType, frozenset[int]] = {}
        self._elsewhere = elsewhere
        self._process = os.getpid()
        self._read = 0
        self.begin()

    def begin(self) -> None:
        """Nothing has run yet."""
        self.lines: set[tuple[str, int]] = set()
        self._left: dict[types.CodeType, set[int]] = {}

    def taken(self) -> set[tuple[str, int]]:
        """All lines since ``begin``."""
        with open(self._elsewhere) as notes:
            notes.seek(self._read)
            for note in notes:
                path, _, line = note.rpartition(":")
                self.lines.add((path, int(line)))
            self._read = notes.tell()
        return self.lines

    def _note(self, path: str, line: int) -> None:
        self.lines.add((path, line))
        if os.getpid() == self._process:
            return
        try:  # a child may be out of descriptors, or see another file system
            notes = os.open(self._elsewhere, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        except OSError:
            return
        os.write(notes, f"{path}:{line}\n".encode())
        os.close(notes)

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
            self._note(path, frame.f_lineno)
        if not left:
            return None

        def local(frame: types.FrameType, event: str, arg: object) -> Callable[..., Any] | None:
            if event == "line" and frame.f_lineno in left:
                left.discard(frame.f_lineno)
                self._note(path, frame.f_lineno)
            return local if left else None

        left.discard(frame.f_lineno)
        return local


#: What a program that a test starts does first while lines are noted; the end of condor_py/__init__.py in the copy.
IN_PROGRAMS = """

def _note_lines(root, elsewhere):
    import os
    import sys

    seen = set()

    def trace(frame, event, arg):
        name = frame.f_code.co_filename
        if not name.startswith(root):
            name = os.path.realpath(name) if "condor_py" in name else ""
            if not name.startswith(root):
                return None
        path = name[len(root):]

        def local(frame, event, arg):
            note = f"{path}:{frame.f_lineno}\\n"
            if note not in seen:
                seen.add(note)
                try:
                    file = os.open(elsewhere, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
                except OSError:
                    return local
                os.write(file, note.encode())
                os.close(file)
            return local

        return local(frame, event, arg)

    sys.settrace(trace)


"""


class Room:
    """The pytest plugin: once the tests are collected, it does the work instead of running them."""

    def __init__(self, job: dict[str, Any], work: Callable[[Room, pytest.Session], None]) -> None:
        self.job = job
        self.root = Path.cwd()
        self._work = work
        self.failed = ""

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
    for item, following in zip(items, [*items[1:], None], strict=False):
        if usual is not None:
            seconds = TIMES * usual.get(item.nodeid, 1.0) + SECONDS
            signal.setitimer(signal.ITIMER_PROF, seconds)
            signal.setitimer(signal.ITIMER_REAL, 4 * seconds)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        yield item
        if room.failed and stop:
            return


def first_look(room: Room, session: pytest.Session) -> dict[str, Any]:
    """What every test usually takes and gets to, and whether it fails without any change: by test."""
    elsewhere = room.job["scratch"] + ".lines"
    with open(elsewhere, "w"):
        os.chmod(elsewhere, 0o666)
    trace = Trace({str(room.root / path): path for path in room.job["files"]}, elsewhere)
    package = room.root / "condor_py" / "__init__.py"
    before = package.read_text()
    package.write_text(f"{before}{IN_PROGRAMS}_note_lines({str(room.root) + '/'!r}, {elsewhere!r})\n")
    tests: dict[str, Any] = {}
    failed = []
    began = cpu()
    threading.settrace(trace)
    sys.settrace(trace)
    for item in run_items(room, session.items, stop=False):
        sys.settrace(None)
        if room.failed == item.nodeid:
            failed.append(item)
        tests[item.nodeid] = (cpu() - began, trace.taken(), False)
        room.failed, began = "", cpu()
        trace.begin()
        sys.settrace(trace)
    sys.settrace(None)
    threading.settrace(None)  # type: ignore[arg-type]
    package.write_text(before)
    for item in run_items(room, failed, stop=False):  # some look at what is imported or traced
        seconds, lines, _ = tests[item.nodeid]
        tests[item.nodeid] = (seconds, lines, room.failed == item.nodeid)
        room.failed = ""
    return tests


def cpu() -> float:
    """Seconds of CPU of this process and of those that it has waited for: the machine may have more to do."""
    return sum(os.times()[:4])


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
        self._functions: dict[tuple[str, int, str], list[types.FunctionType]] = {}
        for each in gc.get_objects():
            if isinstance(each, types.FunctionType) and each.__code__.co_filename.startswith(str(room.root)):
                self._functions.setdefault(place_of(each.__code__), []).append(each)
        if not room.job["full"]:
            fewer_examples(session.items, self._usual)

    def order(self, mutant: Mutant) -> list[pytest.Item]:
        """The tests that get to the changed lines, the likeliest killers first: those that killed changes of the same
        function, then the quick ones and those that kill much."""
        wanted = {(mutant.path, line) for line in range(mutant.lines[0], mutant.lines[1] + 1)}
        kills = self._kills.get((mutant.path, mutant.function), {})
        everywhere = self._kills.get(("", None), {})
        there: list[tuple[float, float, int]] = []
        for at, item in enumerate(self._session.items):
            seconds, lines, _ = self._look["tests"][item.nodeid]
            if not wanted.isdisjoint(lines):
                there.append((-kills.get(item.nodeid, 0), seconds / (1 + everywhere.get(item.nodeid, 0)), at))
        items = [self._session.items[at] for _, _, at in sorted(there)]
        return within_budget(self._room.job, items, self._usual)

    def trial(self, mutant: Mutant) -> dict[str, Any]:
        items = self.order(mutant)
        if not items:
            return {"id": mutant.id, "how": "no test gets there"}
        patched = self.patches(mutant)

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
            for place in ((mutant.path, mutant.function), ("", None)):
                kills = self._kills.setdefault(place, {})
                kills[killer] = kills.get(killer, 0) + 1
        return {"id": mutant.id, "how": "killed" if killer else "survived", "by": killer, "tests": len(items)}

    def patches(self, mutant: Mutant) -> list[tuple[types.FunctionType, types.CodeType]]:
        """The living functions that are changed, with their new code."""
        assert mutant.function is not None
        file = self._room.root / mutant.path
        source = file.read_bytes()
        old = code_of(compile(source, str(file), "exec"), *mutant.function)
        new = code_of(compile(mutant.applied(source), str(file), "exec"), *mutant.function)
        found = self._functions.get(place_of(old), [])
        if any(each.__code__.co_freevars != new.co_freevars for each in found):
            raise ValueError(f"{mutant.id} changes which variables the function shares")
        return [(each, new) for each in found]


def within_budget(job: dict[str, Any], items: list[pytest.Item], usual: dict[str, float]) -> list[pytest.Item]:
    """The first tests, as many as usually run in ``BUDGET`` seconds together."""
    if job["quick"]:
        items = [item for item in items if usual[item.nodeid] <= QUICK]
    if job["full"]:
        return items
    sums = itertools.accumulate(usual[item.nodeid] for item in items)
    return [item for at, (item, seconds) in enumerate(zip(items, sums, strict=True)) if at == 0 or seconds <= BUDGET]


def place_of(code: types.CodeType) -> tuple[str, int, str]:
    return code.co_filename, code.co_firstlineno, code.co_qualname


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
    os.utime(file, ns=(stamps.st_atime_ns, stamps.st_mtime_ns + next(LATER)))
    ours, theirs = os.pipe()
    sys.stdout.flush()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
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
    end_left()
    file.write_bytes(source)
    os.utime(file, ns=(stamps.st_atime_ns, stamps.st_mtime_ns))
    if said and said[-1].startswith("!"):
        return said[-1][1:]
    return (said[-1][1:] if said else "import") + " (broke off)"


def end_left() -> None:
    """Kills what a trial has left, such as jobs of starters that were killed: its orphans are our children."""
    while left := Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        for each in map(int, left):
            os.kill(each, signal.SIGKILL)
            os.waitpid(each, 0)


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


def afresh(job: dict[str, Any], mutant: Mutant) -> dict[str, Any]:
    """Tries a change that matters at import: the files with the tests are imported and collected by the child."""
    usual = {name: test[0] for name, test in job["tests"].items() if not test[2]}
    tables = {name for name in usual if name.partition("::")[0] in job["tables"]}
    touch = dict.fromkeys(tables, 0) | tests_of_file(job, mutant.path)
    touch = {name: distance for name, distance in touch.items() if name in usual}
    if not touch:
        return {"id": mutant.id, "how": "no test gets there"}

    def child(tell: Callable[[str], None]) -> None:
        def work(room: Room, session: pytest.Session) -> None:
            if not job["full"]:
                fewer_examples(session.items, usual)
            items = [item for item in session.items if item.nodeid in touch]
            items.sort(key=lambda each: (touch[each.nodeid], usual[each.nodeid]))
            items = within_budget(job, items, usual)
            for _ in run_items(room, items, usual):
                pass
            tell("!" + room.failed)

        signal.setitimer(signal.ITIMER_PROF, COLLECTING[0])
        signal.setitimer(signal.ITIMER_REAL, COLLECTING[1])
        tell("?collecting")
        pytest.main(arguments(job, sorted({name.partition("::")[0] for name in touch})), plugins=[Room(job, work)])

    killer = in_child(mutant, Path.cwd(), child)
    return {"id": mutant.id, "how": "killed" if killer else "survived", "by": killer, "tests": len(touch)}


def tests_of_file(job: dict[str, Any], path: str) -> dict[str, int]:
    """The tests that get to a file, and those that get to files which import it, as what runs at its import matters to
    them, too: by test, how far from the file they are. Far ones are asked for only where there are none near."""
    if "reach" not in job:
        job["reach"] = {name: {file for file, _ in test[1]} for name, test in job["tests"].items()}
    found: dict[str, int] = {}
    paths = {path}
    for distance in range(4):
        for name, files in job["reach"].items():
            if name not in found and not paths.isdisjoint(files):
                found[name] = distance
        if found and distance:
            break
        paths |= {file for file in job["files"] if any(imports(file, each) for each in paths)}
    return found


@functools.cache
def imports(file: str, other: str) -> bool:
    """Whether a file imports another one."""
    module = module_of(other)
    package, _, name = module.rpartition(".")
    text = Path(file).read_text()
    return (
        re.search(rf"(from|import) {re.escape(module)}\b|from {re.escape(package)} import .*\b{name}\b", text)
        is not None
    )


def arguments(job: dict[str, Any], tests: list[str]) -> list[str]:
    plain = ("-s", "-q", "-p", "no:cacheprovider", "-p", "no:faulthandler")
    return [*tests, *plain, f"--basetemp={job['scratch']}"]


def at_import(mutant: Mutant, imported: set[tuple[str, int]]) -> bool:
    return mutant.function is None or any(
        (mutant.path, line) in imported for line in range(mutant.lines[0], mutant.lines[1] + 1)
    )


def say(result: dict[str, Any]) -> None:
    os.write(3, json.dumps(result).encode() + b"\n")


def lines_at_import(job: dict[str, Any]) -> None:
    """Notes which lines run when the files are imported, in the file ``keep``."""
    with open(job["scratch"] + ".lines", "w"):
        trace = Trace({str(Path.cwd() / path): path for path in job["files"]}, job["scratch"] + ".lines")
    sys.settrace(trace)
    for path in job["files"]:
        importlib.import_module(module_of(path))
    sys.settrace(None)
    Path(job["keep"]).write_bytes(pickle.dumps(trace.lines))


def noted(job: dict[str, Any]) -> None:
    """Notes what the tests of the files ``look`` take and get to, in the file ``keep``."""

    def work(room: Room, session: pytest.Session) -> None:
        for path in job["files"]:
            importlib.import_module(module_of(path))
        Path(job["keep"]).write_bytes(pickle.dumps(first_look(room, session)))

    pytest.main(arguments(job, job["look"]), plugins=[Room(job, work)])


def module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def collected_part(job: dict[str, Any]) -> set[str]:
    """The child that collects: tries what it can, and returns the names of the changes that it left to ``afresh``."""
    elsewhere = job["scratch"] + ".lines"
    with open(elsewhere, "w"):
        trace = Trace({str(Path.cwd() / path): path for path in job["files"]}, elsewhere)
    changed = {(each.path, line) for each in job["mutants"] for line in range(each.lines[0], each.lines[1] + 1)}
    good = {name: test for name, test in job["tests"].items() if not test[2]}
    files = sorted({name.partition("::")[0] for name, test in good.items() if not changed.isdisjoint(test[1])})
    files = files or [min(good).partition("::")[0]]
    left: set[str] = set()

    def work(room: Room, session: pytest.Session) -> None:
        for path in job["files"]:
            importlib.import_module(module_of(path))
        sys.settrace(None)
        session.items[:] = [item for item in session.items if item.nodeid in good]
        collected = Collected(room, session, {"tests": good})
        for mutant in job["mutants"]:
            if at_import(mutant, trace.lines):
                left.add(mutant.id)
                continue
            try:
                say(collected.trial(mutant))
            except ValueError:
                left.add(mutant.id)

    sys.settrace(trace)
    pytest.main(arguments(job, files), plugins=[Room(job, work)])
    return left


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
    if "keep" in job:
        (noted if "look" in job else lines_at_import)(job)
        return 0
    left = Path(job["scratch"] + ".left")
    pid = os.fork()
    if pid == 0:
        try:
            left.write_bytes(pickle.dumps(collected_part(job)))
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    if left.exists():
        names = pickle.loads(left.read_bytes())
        for mutant in job["mutants"]:
            if mutant.id in names:
                say(afresh(job, mutant))
    shutil.rmtree(job["scratch"], ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
