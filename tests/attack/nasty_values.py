"""Every attribute of a job that anything reads, with every nasty value, by every way into the queue of root's pool.
After each a job of another account starts within seconds, and no daemon's log tells of a fault.

    nasty_values.py [SEED] [--limit ROUNDS] [--seconds N]
                    [--attribute NAME ...] [--door DOOR ...] [--kind KIND ...] [--value TEXT ...]

A round is one attribute by one door, with all values, three jobs of each. What was found is printed with the command
that finds it again. All rounds take some hours; the test suite has a few of them.
"""

from __future__ import annotations

import argparse
import json
import os
import pwd
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE.parents[1]), str(_HERE.parent / "e2e"), str(_HERE)]

from hostile import VALUES, attributes
from nasty_account import KINDS
from pool import PersonalPool, wait_for
from shared_pool import STRANGER, SharedPool, usable_python

DAEMONS = ("master", "schedd", "startd", "negotiator")
_KINDS = ("Cc", "Zs", "Zl", "Zp", "Cf")
_FAULT = re.compile(r"Traceback \(most recent call last\)| ERROR |given up")
#: Seconds in which the jobs of a round may run.
_MOST_RUNS = 20.0
#: Lines of a log that are shown of a fault, refusals of a round that are, and characters of a refusal.
_SHOWN, _MOST, _LONGEST = 30, 3, 1200
_POOL = {
    # The first slot is for other accounts: whether it is free says nothing of the daemons.
    "NUM_SLOTS": "10",
    "START": '(SlotID <= 2) == (TARGET.Owner == "root")',
    "MAX_JOBS_PER_OWNER": "20000",
    "RUNBENCHMARKS": "0",
    "DAEMON_LIST": "MASTER SCHEDD NEGOTIATOR STARTD JOB_ROUTER",
    "JOB_TRANSFORM_NAMES": "nasty",
    "JOB_TRANSFORM_nasty": "REQUIREMENTS NastyName =!= undefined\nCOPY NastyValue $(MY.NastyName)",
    "JOB_ROUTER_POLLING_PERIOD": "1",
    "JOB_ROUTER_SOURCE_JOB_CONSTRAINT": "NastyRoute =!= undefined",
    "JOB_ROUTER_ROUTE_NAMES": "Nasty",
    "JOB_ROUTER_ROUTE_Nasty": "UNIVERSE vanilla\nMaxJobs = 10000\nMaxIdleJobs = 10000\nDELETE NastyRoute\n"
    "COPY NastyValue $(MY.NastyRouted)",
}


def values(name: str) -> list[str]:
    """What an attribute may be given, as expressions."""
    strange = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in _KINDS]
    visible = [char for char in strange if unicodedata.category(char) != "Cf"] + ["\u200b", "\u202e", "\ufeff"]
    found = [f'"a{char}b"' for char in visible]
    found += [f'"{char}"' for char in " \t\r\x0b\x1b\u2028"]
    found += VALUES
    found += [
        '"' + "x" * (1 << 20) + '"', "1e308", "-1e308", f"{name} + 1", f"TARGET.{name}", f"MY.{name}", "A40",
        "{ A30, A30 }", "(" * 2000 + "1" + ")" * 2000, "{" + "1," * 20_000 + "1}", "!" * 5000 + "true",
        'regexp("(a+)+$", "' + "a" * 40 + 'b")', 'strcat("a", "\\n", "b")', 'strcat("a b", "\x1b[2J")',
        'formatTime(0, "a%nb%tc")', '"$$([formatTime(0, \\"a%nb\\")])"', '"$$(Machine:a b)"', '"$$([1e308 * 10])"',
        "eval(strcat(\"eval(\", \"1\", \")\"))", 'replaceall("", "' + "y" * 1000 + '", "' + "z" * 1000 + '")',
        "time() % 2 == 0", "random(1e308)", '"/dev/zero"', '"/proc/self/mem"', '"/"', '"."', '"a/../../.."', '"~"',
        '"-"', '"-rf"', '"$(x)"', '"`id`"', '"a;b"', '"a,b"', '"a=b"', '"a\'b"', '"a\\"b"', '"http://localhost:1/x"',
    ]  # fmt: skip
    return list(dict.fromkeys(found))


DOORS = ("raw", "submit", "qedit", "transform", "router")


class Account:
    """The process of the other account, and what it is told to do."""

    def __init__(self, pool: SharedPool) -> None:
        program, sockets = str(_HERE / "nasty_account.py"), str(pool.log / "daemon_sock")
        self._program = subprocess.Popen(
            [usable_python(), "-I", program, sockets, str(pool.theirs)],
            env={**pool.environment, "HOME": str(pool.theirs), "PYTHONIOENCODING": "utf-8:surrogateescape"},
            cwd=pool.theirs,
            user=STRANGER,
            group=pwd.getpwnam(STRANGER).pw_gid,
            extra_groups=[],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def do(self, kind: str, door: str, name: str, texts: Sequence[str]) -> tuple[dict[str, str], str]:
        """Has it put jobs into the queue: what was refused and why, and how its program failed."""
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(json.dumps([kind, door, name, list(texts)]) + "\n")
        self._program.stdin.flush()
        refused, failed = json.loads(self._program.stdout.readline())
        return refused, failed

    def end(self) -> None:
        """It goes."""
        self._program.kill()
        self._program.communicate()


# -- the pool, and what others notice ---------------------------------------------------------------------------------


class Judge:
    """A pool that others use, and what they notice."""

    def __init__(self, pool: PersonalPool, seconds: float) -> None:
        self._pool = pool
        self._seconds = seconds
        self._pids = {name: pool.pid(name) for name in DAEMONS}
        self._read = {path: path.stat().st_size for path in pool.log.glob("*Log*")}
        self._good = 0

    def faults(self) -> Iterator[str]:
        """What is wrong now; each fault of a log is told once."""
        for name, pid in self._pids.items():
            try:
                now = self._pool.pid(name)
            except (LookupError, FileNotFoundError):
                now = 0
            if now != pid:
                self._pids[name] = now
                yield f"the {name} has ended"
        if waited := self._another_waits():
            yield waited
        yield from self.logged()

    def _another_waits(self) -> str:
        """A job of another account; why that does not start in time, "" where it does."""
        self._good += 1
        log = f"good{self._good}.log"
        begun = time.monotonic()
        done = self._pool.tool("condor_submit", "-terse", "-", check=False, stdin=_good(log))
        if done.returncode:
            return f"a job of another account is refused: {done.stderr.strip()}"
        try:
            wait_for(lambda: "001 (" in (self._pool.work / log).read_text(), "start", self._seconds)
        except AssertionError:
            return f"a job of another account has not started within {self._seconds:g} s"
        self.longest = max(getattr(self, "longest", 0.0), time.monotonic() - begun)
        return ""

    def logged(self) -> Iterator[str]:
        """Faults that the logs tell of, and that were not told yet."""
        for path in sorted(self._pool.log.glob("*Log*")):
            with open(path, "rb") as file:
                file.seek(self._read.get(path, 0))
                data = file.read()
            self._read[path] = self._read.get(path, 0) + len(data)
            lines = data.decode(errors="replace").splitlines()
            for number, line in enumerate(lines):
                if _FAULT.search(line):
                    yield f"{path.name}: " + "\n".join(text[:300] for text in lines[number : number + _SHOWN])
                    break

    def settle(self) -> None:
        """Waits until the first job of each value has run, as far as they run at all."""
        waiting, words = "ProcId % 3 == 0 && (JobStatus == 1 || JobStatus == 2)", ("-allusers", "-af", "ClusterId")
        left, deadline = -1, time.monotonic() + _MOST_RUNS
        while time.monotonic() < deadline:
            now = len(self._pool.tool("condor_q", *words, "-constraint", waiting, check=False).stdout.splitlines())
            if now in (0, left):
                return
            left = now
            time.sleep(1)

    def clear(self) -> Iterator[str]:
        """Takes all jobs out of the queue; what cannot be taken out."""
        tool = self._pool.tool
        tool("condor_rm", "-all", check=False)
        try:
            wait_for(lambda: not tool("condor_q", "-allusers", "-af", "ClusterId").stdout.strip(), "gone", 15)
        except AssertionError:
            left = tool("condor_q", "-allusers", "-af:j", "JobStatus", "RemoveReason", check=False).stdout.strip()
            tool("condor_rm", "-forcex", "-all", check=False)
            try:
                wait_for(lambda: not tool("condor_q", "-allusers", "-af", "ClusterId").stdout.strip(), "gone", 15)
            except AssertionError:
                yield f"jobs cannot be removed: {left[:300]}"
            else:
                if re.search(r"^\S+ [^3]", left, re.MULTILINE):
                    yield f"jobs are only removed by force: {left[:300]}"


def _good(log: str) -> str:
    return f"executable = /bin/true\ntransfer_executable = false\nrequest_memory = 1\nlog = {log}\nqueue\n"


class Campaign:
    """Rounds in one pool, which is made anew when a round has broken it."""

    def __init__(self, seconds: float, tell: Callable[[str], None]) -> None:
        self._seconds = seconds
        self._tell = tell
        self.found = 0
        self._top: Path | None = None

    def _start(self) -> None:
        self._top = Path(tempfile.mkdtemp(prefix="nasty-", dir="/tmp"))
        self._top.chmod(0o755)
        self._pool = SharedPool(self._top / "pool", cpus=10, **_POOL)
        self._pool.directory.chmod(0o755)
        self._pool.start()
        self._account = Account(self._pool)
        self._judge = Judge(self._pool, self._seconds)

    def round(self, kind: str, door: str, name: str, texts: Sequence[str]) -> None:
        """One attribute of one kind of jobs by one door."""
        if self._top is None:
            self._start()
        refused, failed = self._account.do(kind, door, name, texts)
        told = [failed] if failed else []
        clumsy = [f"{text[:60]!r} is refused so: {why[:2000]}" for text, why in refused.items() if _clumsy(why)]
        told += clumsy[:_MOST]
        told += self._judge.faults()
        self._judge.settle()
        told += self._judge.clear()
        told += self._judge.logged()
        for fault in told:
            self.found += 1
            again = f"--attribute {name} --door {door} --kind {kind}"
            self._tell(f"FOUND by {door} of {name} ({kind}): {fault}\n  again: {again}")
        if told and any("ended" in fault or "cannot be removed" in fault or "not started" in fault for fault in told):
            self.end(check=False)

    def end(self, check: bool = True) -> None:
        """The pool goes."""
        if self._top is None:
            return
        self._account.end()
        try:
            self._pool.stop()
        except AssertionError as error:
            if check:
                self.found += 1
                self._tell(f"FOUND at the end: {error}")
        shutil.rmtree(self._top, ignore_errors=True)
        self._top = None


def _clumsy(why: str) -> bool:
    """Whether a refusal is not one clear line (behind HTCondor's line that says that the submit failed)."""
    text = why.strip().removeprefix("Failed to commit job submission into the queue.\n").replace("\n\t", " ")
    return not text.isprintable() or "Traceback" in text or not text or len(text) > _LONGEST


def run(
    seed: int,
    tell: Callable[[str], None],
    names: Sequence[str] = (),
    doors: Sequence[str] = DOORS,
    kinds: Sequence[str] = (),
    texts: Sequence[str] = (),
    limit: int = 0,
    seconds: float = 5.0,
    until: float = float("inf"),
) -> int:
    """Rounds in the order of a seed, none after a monotonic time; how many faults they found."""
    chance = random.Random(seed)
    rounds = [(door, name) for name in names or attributes() for door in doors]
    chance.shuffle(rounds)
    if os.geteuid() != 0:
        tell("an account that attacks needs a pool of root: not done")
        return 0
    campaign = Campaign(seconds, tell)
    try:
        for number, (door, name) in enumerate(rounds[: limit or None], 1):
            begun = time.monotonic()
            if begun > until:
                break
            kind = chance.choice(kinds or [*KINDS, *["plain", "transfer"] * 4])
            campaign.round(kind, door, name, texts or values(name))
            took = time.monotonic() - begun
            tell(f"{number}/{len(rounds)} {kind} {door} {name}: {took:.1f} s, {campaign.found} found")
    finally:
        campaign.end()
    return campaign.found


def main() -> int:
    """The exit status: 1 when something was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", nargs="?", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--attribute", action="append", default=[])
    parser.add_argument("--door", action="append", default=[], choices=DOORS)
    parser.add_argument("--kind", action="append", default=[], choices=sorted(KINDS))
    parser.add_argument("--value", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=5.0)
    asked = parser.parse_args()
    print(f"seed {asked.seed}", flush=True)
    tell = lambda text: print(text, flush=True)  # noqa: E731
    doors = asked.door or DOORS
    found = run(asked.seed, tell, asked.attribute, doors, asked.kind, asked.value, asked.limit, asked.seconds)
    print(f"{found} found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
