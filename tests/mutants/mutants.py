"""Changes the code in small ways, one at a time, and says which changes the unit tests of a room do not notice.

    tests/mutants/run                              a sample of 100 changes of every room
    tests/mutants/run -n 200 -seed 1 core/jobs     another number, another sample, one room
    tests/mutants/run -n 0 core/accounts           all changes
    tests/mutants/run -again OUTPUT core/jobs      only those that lived in an earlier output
    tests/mutants/run -file reuse.py,pace.py core/jobs    of these files
    tests/mutants/run -quick -n 0 core/jobs        with the quick tests only: what lives is for -again to try
    tests/mutants/run -full core/accounts          tests that make their own examples make all of them, not a few
    tests/mutants/run -show core/jobs/pace.py:31:4:left-out
    tests/mutants/run -reached cli                 which part of the changes of each file any test gets to

Which lines every test gets to is noted once and kept in .mutants, as long as the test and these lines are the same.
The sample is the same for the same code, number and seed. A change that lives says what no test protects: write the
test that somebody would miss, or remove the code that nobody needs. What changes nothing that anybody could see is
listed in equivalent.tsv beside this, with the reason, and not drawn. The score is the share of changes noticed.

Own code, not mutmut or cosmic-ray: a sample of a thousand changes has to fit into minutes of one processor. cosmic-ray
starts a new pytest for each change (1 to 3 seconds here, before the first test). mutmut forks, as we do, but puts all
variants of all functions into the files and leaves out tables and what runs at import, where half of our rules stand;
and neither drops a condition of an ``and`` or the order of a sort, which is what went unnoticed here before. See
mutations.py for what is changed and forkserver.py for how it is tried.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from forkserver import at_import, tests_of_file
from mutations import Mutant, mutants_of

ROOT = Path(__file__).resolve().parents[2]
ROOMS = {
    "core/accounts": ("tests/unit/accountant",),
    "core/match": ("tests/unit/negotiator",),
    "core/jobs": ("tests/unit/schedd",),
    "core/slots": ("tests/unit/startd",),
    "core/dag": ("tests/unit/dagman",),
    "store": (
        *("tests/unit/store", "tests/unit/tools/test_store_cred.py", "tests/unit/tools/test_tokens.py"),
        *("tests/unit/tools/test_store_check.py", "tests/unit/daemon/test_notices.py"),
        *("tests/unit/starter/test_backingfile.py", "tests/unit/daemon/test_departures.py"),
        "tests/unit/daemon/test_userlog.py",
    ),
    "lang/config": (
        *("tests/unit/config", "tests/unit/mistakes/test_configuration.py", "tests/golden/config", "tests/spec/config"),
        *("tests/unit/tools/test_config_val.py", "tests/unit/startd/test_knobs.py", "tests/unit/startd/test_cron.py"),
        *("tests/unit/startd/test_configuration.py", "tests/unit/startd/test_transferqueue.py"),
        *("tests/unit/daemon/test_configuration.py", "tests/unit/daemon/test_logfile.py"),
        *("tests/unit/daemon/test_resource_limits.py", "tests/unit/daemon/test_accounts_of_jobs.py"),
        *(
            "tests/unit/classad/test_usermap.py",
            "tests/unit/classad/test_user_modules.py",
            "tests/unit/web/test_site.py",
        ),
        *("tests/unit/daemon/test_local_tokens.py", "tests/unit/daemon/test_notices.py"),
    ),
    "lang/submit": (
        *("tests/unit/submit", "tests/unit/mistakes/test_submits.py", "tests/golden/submit", "tests/spec/submit"),
        *("tests/unit/schedd/test_factories.py", "tests/unit/test_htcondor_submit.py"),
    ),
    "machine/run": (
        *("tests/unit/starter", "tests/unit/daemon/test_catalogs.py", "tests/unit/tools/test_manifest.py"),
        *("tests/unit/daemon/test_notices.py", "tests/unit/daemon/test_machines_tried.py"),
    ),
    "daemons/starter": (
        *("tests/unit/starter", "tests/unit/runs", "tests/unit/daemon/test_chirp.py"),
        *("tests/unit/daemon/test_catalogs.py", "tests/unit/daemon/test_edited_hooks.py"),
        "tests/unit/daemon/test_accounts_of_jobs.py",
    ),
    "cli": (
        *("tests/unit/tools", "tests/unit/mistakes", "tests/golden/tools", "tests/golden/status"),
        *("tests/golden/submit", "tests/golden/dagman", "tests/golden/userprio", "tests/golden/gpu"),
        *("tests/golden/config", "tests/unit/dagman/test_dagman_start.py", "tests/unit/router", "tests/unit/web"),
        *("tests/unit/negotiator/test_explaining.py", "tests/unit/store/test_pool_history.py"),
        *("tests/unit/hardware/test_gpu.py", "tests/unit/hardware/test_benchmark.py"),
        *("tests/unit/classad/test_formats.py", "tests/spec/config/test_config_val.py"),
    ),
}
#: Tests that read the tables of all files of a room.
TABLES = {
    "cli": ("tests/unit/tools/test_generated.py",),
    "lang/config": ("tests/spec/config/test_templates_against_htcondor.py", "tests/golden/config/test_transcripts.py"),
}
COPIED = ("condor_py", "tests", "bin", "etc", "man", "docs", "completions", "pyproject.toml", "setup.py")
NOT_COPIED = shutil.ignore_patterns("__pycache__", ".venv*", ".*_cache", ".hypothesis", "clients", "mutants")


def options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "tests/mutants/run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(ROOMS)}; all if none is named")
    parser.add_argument("-n", type=int, default=100, metavar="NUMBER", help="changes of each room (100; 0: all)")
    parser.add_argument("-seed", type=int, default=1, metavar="N", help="which sample (1)")
    parser.add_argument("-file", default="", metavar="NAME", help="only files whose path ends so (several: A,B)")
    parser.add_argument("-show", metavar="ID", help="show one change and try it")
    parser.add_argument("-again", type=Path, metavar="OUTPUT", help="only those that lived in an earlier output")
    parser.add_argument("-full", action="store_true", help="tests that make their own examples make as many as always")
    parser.add_argument("-quick", action="store_true", help="leave out slow tests")
    parser.add_argument("-reached", action="store_true", help="try nothing: show which changes any test gets to")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, metavar="NUMBER", help="processes (processors)")
    parser.add_argument("-v", action="store_true", help="a line for every change")
    found = parser.parse_args(argv)
    wrong = [room for room in found.rooms if room not in ROOMS]
    if wrong:
        parser.error(f"no such room: {' '.join(wrong)}")
    return found


def files_of(room: str) -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "condor_py" / room).rglob("*.py"))


def known_equivalent() -> dict[tuple[str, str, str, str], str]:
    """Reasons by (file, function, line of code, change)."""
    known = {}
    for line in Path(__file__).with_name("equivalent.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            *place, reason = line.split("\t")
            path, function, text, change = place
            known[path, function, text, change] = reason
    return known


def key_of(mutant: Mutant) -> tuple[str, str, str, str]:
    function = mutant.function[0] if mutant.function else ""
    return mutant.path.removeprefix("condor_py/"), function, mutant.text, mutant.change


def drawn(room: str, found: argparse.Namespace) -> list[Mutant]:
    """The changes to try: in order of place, without those known to change nothing."""
    known = known_equivalent()
    everything = [mutant for path in files_of(room) for mutant in mutants_of(ROOT, path)]
    stale = {key for key in known if key[0].startswith(f"{room}/")} - {key_of(mutant) for mutant in everything}
    for key in sorted(stale):
        print("equivalent.tsv speaks of what is no more: " + "\t".join(key), file=sys.stderr)
    ends = tuple(found.file.split(","))
    left = [mutant for mutant in everything if key_of(mutant) not in known and mutant.path.endswith(ends)]
    if found.again:
        before = lived_before(found.again.read_text().splitlines())
        return [mutant for mutant in left if (mutant.id.partition(":")[0], mutant.text, mutant.change) in before]
    if 0 < found.n < len(left):
        chosen = set(random.Random(found.seed).sample([mutant.id for mutant in left], found.n))
        left = [mutant for mutant in left if mutant.id in chosen]
    return left


def lived_before(lines: list[str]) -> set[tuple[str, ...]]:
    """(file, line of code, change) of those that lived in an earlier output; lines may have moved since."""
    texts = [(at, line.strip()) for at, line in enumerate(lines) if line.startswith("      ")]
    pairs = zip(texts[::2], texts[1::2], strict=True)
    return {(lines[at - 1].strip().partition(":")[0], text, change) for (at, text), (_, change) in pairs}


class Tree:
    """A copy of the tree, in memory if the machine has such a place, for as long as the block lasts."""

    def __enter__(self) -> Path:
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self._top = Path(tempfile.mkdtemp(prefix="condor_py-mutants-", dir=memory))
        self._top.chmod(0o755)
        tree = self._top / "tree"
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, tree / name, symlinks=True, ignore=NOT_COPIED)
            else:
                tree.mkdir(exist_ok=True)
                shutil.copy2(ROOT / name, tree / name)
        return tree

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._top, ignore_errors=True)


@contextlib.contextmanager
def servers(jobs: list[dict[str, Any]], said: int = subprocess.DEVNULL) -> Iterator[list[subprocess.Popen[bytes]]]:
    """A forkserver in a tree of its own for every job; what they say goes to ``said``."""
    with contextlib.ExitStack() as stack:
        started = []
        for job in jobs:
            tree = stack.enter_context(Tree())
            place = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="condor_py-mutants-", ignore_cleanup_errors=True)
            )
            os.chmod(place, 0o755)
            job["scratch"] = f"{place}/scratch"
            (tree.parent / "job").write_bytes(pickle.dumps(job))
            program = (sys.executable, str(Path(__file__).with_name("forkserver.py")), str(tree.parent / "job"))
            started.append(
                subprocess.Popen(
                    ["sh", "-c", f'exec "$@" 3>&{said} {said}>&-', "sh", *program] if said > 0 else program,
                    cwd=tree,
                    env={
                        "CONDOR_PY_ORACLE24": str(ROOT / ".venv24" / "bin" / "python"),
                        **os.environ,
                        "PYTHONPATH": str(tree),
                        "PYTHONDONTWRITEBYTECODE": "1",
                        "PYTHONHASHSEED": "0",
                    },
                    stdout=subprocess.DEVNULL,
                    pass_fds=[said] if said > 0 else (),
                )
            )
        try:
            yield started
        finally:
            for server in started:
                server.terminate()
                server.wait()


class Notes:
    """Which lines of a room every test gets to, and what it takes: kept in ``.mutants``."""

    def __init__(self, room: str) -> None:
        self._files = files_of(room)
        self._tests = sorted(
            {
                str(path.relative_to(ROOT))
                for name in ROOMS[room]
                for path in ((ROOT / name).rglob("test_*.py") if (ROOT / name).is_dir() else [ROOT / name])
            }
        )
        self._kept = ROOT / ".mutants" / f"{room.replace('/', '-')}.pickle"
        self._notes: dict[str, tuple[str, dict[str, Any]]] = {}
        if self._kept.exists():
            self._notes = pickle.loads(self._kept.read_bytes())

    def _key(self, test: str, notes: dict[str, Any]) -> str:
        """What the notes of a file of tests hold for: the file, its helpers, and the code that it gets to."""
        path = ROOT / test
        helpers = [each for each in path.parent.glob("*.py") if not each.name.startswith("test_")]
        code = {ROOT / file for each in notes.values() for file, _ in each[1]}
        texts = [each.read_bytes() if each.exists() else b"" for each in sorted({path, *helpers, *code})]
        return hashlib.sha256(b"\0".join(texts)).hexdigest()

    def of_all(self, workers: int) -> dict[str, Any]:
        """By test: (seconds, lines, whether it fails without any change)."""
        missing = [
            test
            for test in self._tests
            if test not in self._notes or self._notes[test][0] != self._key(test, self._notes[test][1])
        ]
        if missing:
            began = time.monotonic()
            with tempfile.TemporaryDirectory() as directory:
                kept = [Path(directory) / str(number) for number in range(min(workers, len(missing)))]
                shares = [missing[number :: len(kept)] for number in range(len(kept))]
                common = {"files": self._files, "full": False, "quick": False}
                jobs = [{**common, "look": share, "keep": str(keep)} for share, keep in zip(shares, kept, strict=True)]
                with servers(jobs) as started:
                    for server in started:
                        server.wait()
                found = {name: test for keep in kept for name, test in pickle.loads(keep.read_bytes()).items()}
            for test in missing:
                notes = {name: each for name, each in found.items() if name.partition("::")[0] == test}
                self._notes[test] = self._key(test, notes), notes
            self._kept.parent.mkdir(exist_ok=True)
            self._kept.write_bytes(pickle.dumps(self._notes))
            print(f"noted the lines of {len(missing)} files of tests in {time.monotonic() - began:.0f} s", flush=True)
        return {name: each for test in self._tests for name, each in self._notes[test][1].items()}


def tried(room: str, mutants: list[Mutant], found: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """What became of each change, as it happens."""
    tests = Notes(room).of_all(found.j)
    bad = sorted(name for name, test in tests.items() if test[2])
    yield {"tests": len(tests) - len(bad), "bad": bad}
    paths = sorted({mutant.path for mutant in mutants})
    parts = [[each for each in mutants if paths.index(each.path) % found.j == number] for number in range(found.j)]
    tables = TABLES.get(room, ())
    common = {"files": files_of(room), "tests": tests, "tables": tables, "full": found.full, "quick": found.quick}
    ours, theirs = os.pipe()
    with servers([{**common, "mutants": part} for part in parts if part], theirs), open(ours) as lines:
        os.close(theirs)
        yield from (json.loads(line) for line in lines)


def judge(room: str, mutants: list[Mutant], found: argparse.Namespace) -> bool:
    """Tries the changes, prints who survived, as it turns out, and the score; False if that could not be done."""
    began = time.monotonic()
    by_id = {mutant.id: mutant for mutant in mutants}
    fates: dict[str, str] = {}
    broken = 0
    for result in tried(room, mutants, found):
        if "bad" in result:
            print(f"{room}: {len(mutants)} changes, {result['tests']} tests", flush=True)
            for name in result["bad"]:
                print(f"  left out, as it fails without any change: {name}", flush=True)
            continue
        fates[result["id"]] = result["how"]
        broken += result.get("by", "").endswith("(broke off)")
        if result["how"] != "killed":
            lived(by_id[result["id"]], result["how"])
        elif found.v:
            print(f"  {result['id']} {result['how']} {result.get('by', '')}", flush=True)
    counts = Counter(fates.values())
    for mutant in mutants:
        if mutant.id not in fates:
            lived(mutant, "not tried")
    score, seconds = 100 * counts["killed"] / max(1, len(fates)), time.monotonic() - began
    how = f"{counts['killed']} of {len(fates)} noticed ({broken} by a crash or a hang)"
    print(f"{room}: {how}, {score:.1f} %, in {seconds:.0f} s", flush=True)
    return len(fates) == len(by_id)


def lines_at_import(files: list[str]) -> set[tuple[str, int]]:
    """The lines (path, number) of these files that run when they are imported."""
    with tempfile.TemporaryDirectory() as directory:
        kept = Path(directory) / "lines"
        with servers([{"files": files, "keep": str(kept), "full": False}]) as started:
            started[0].wait()
        return set(pickle.loads(kept.read_bytes()))


def reached(room: str, mutants: list[Mutant], found: argparse.Namespace) -> bool:
    """Prints which part of the changes of each file any test gets to, the file with most others first."""
    tests = Notes(room).of_all(found.j)
    lines = {line for test in tests.values() for line in test[1]}
    imported = lines_at_import(files_of(room))
    known = {"tests": tests, "files": files_of(room)}
    used = {path for path in files_of(room) if tests_of_file(known, path)}
    by_file: dict[str, list[bool]] = {}
    for each in mutants:
        there = any((each.path, line) in lines for line in range(each.lines[0], each.lines[1] + 1))
        by_file.setdefault(each.path, []).append(there or (each.path in used and at_import(each, imported)))
    for path, there in sorted(by_file.items(), key=lambda each: sum(each[1]) - len(each[1])):
        print(f"{sum(there):5} of {len(there):5}  {path.removeprefix('condor_py/')}")
    total = [each for there in by_file.values() for each in there]
    print(f"{room}: tests get to {sum(total)} of {len(total)} changes, {100 * sum(total) / max(1, len(total)):.1f} %")
    return True


def lived(mutant: Mutant, how: str) -> None:
    how = "" if how == "survived" else f" ({how})"
    print(f"  {mutant.id}{how}\n      {mutant.text}\n      {mutant.change}", flush=True)


def show(found: argparse.Namespace) -> bool:
    """Prints one change as a difference of texts and tries it."""
    name = found.show
    path = "condor_py/" + name.partition(":")[0]
    room = next((room for room in ROOMS if path.startswith(f"condor_py/{room}/")), None)
    everything = mutants_of(ROOT, path) if room and (ROOT / path).exists() else []
    mutant = next((each for each in everything if each.id == name), None)
    if room is None or mutant is None:
        print(f"no change is called {name}", file=sys.stderr)
        return False
    print(f"{mutant.path}:{mutant.line}\n- {mutant.text}\n  {mutant.change}\n" + "\t".join((*key_of(mutant), "REASON")))
    found.v = found.full = True
    return judge(room, [mutant], found)


def main(argv: list[str]) -> int:
    found = options(argv)
    os.nice(10)
    if found.show:
        return 0 if show(found) else 1
    if found.reached:
        found.n = 0
    done = [(reached if found.reached else judge)(room, drawn(room, found), found) for room in found.rooms or ROOMS]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
