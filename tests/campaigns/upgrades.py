#!/usr/bin/env python3
"""Upgrades busy pools from older versions to this one, back and forth again: nothing is lost, nothing ends twice.

A round takes one of the older versions (COMMITS, or those of -from) as a wheel in an environment of its own, starts a
pool there, and fills it: running, idle and held jobs, a DAG, a factory, spooled jobs, jobs with transfers, of the
local, scheduler and parallel universe, jobs in the history. While all of that goes on, at moments that the seed
chooses, with or without a drain, condor_setup -upgrade puts this version in its place, -back the old one, and -back
this one again. Tools of each version ask and change the daemons of the other meanwhile: they are served, or refused in
one line. In the end every job has ended once by its event log, its output and the history, the spool is in order and
nothing runs.

-n is the number of rounds. It needs git with the older commits, pip with what it installs, and four minutes a round.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent))

import campaign as campaigns
from campaign import Campaign, CannotRun

ROOT = Path(__file__).resolve().parents[2]
#: States of the project that were landed and used as they were: before containers, DAGs and grids were whole (about
#: 1,000 commits ago), the last one before 0.3.0 was begun (damaged queues are mended, the first wire format), and the
#: state before this one (about 100 commits ago, 0.3.0 as far as it was).
COMMITS = ("413dc018", "d125b243", "1bb7f584")
_NODES = 8
DAG = "".join(f"JOB n{number} node.sub\n" for number in range(_NODES)) + "".join(
    f"PARENT n{number} CHILD n{number + 1}\n" for number in range(_NODES - 1)
)
#: Each job notes when it begins and when it has ended; it takes its first argument in seconds.
SCRIPT = """#!/bin/sh
echo "begin $2" >>{notes}
sleep $1
echo "end $2" >>{notes}
[ -z "${{3-}}" ] || cat $3
"""
SUBMITS = {
    "running": "arguments = 25 $(Cluster).$(Process)\nqueue 2\n",
    "short": "arguments = 2 $(Cluster).$(Process)\nqueue 6\n",
    "idle": "arguments = 1 $(Cluster).$(Process)\nrequirements = Memory > 1000000\nqueue 3\n",
    "held": "arguments = 1 $(Cluster).$(Process)\nhold = true\nqueue 3\n",
    "factory": "arguments = 3 $(Cluster).$(Process)\nmax_materialize = 3\nqueue 25\n",
    "local": "universe = local\narguments = 6 $(Cluster).$(Process)\nqueue\n",
    "scheduler": "universe = scheduler\narguments = 5 $(Cluster).$(Process)\nqueue\n",
    # The end of the first node would end the other one before it has noted its own.
    "parallel": "universe = parallel\nmachine_count = 2\narguments = 7 $(Cluster).$(Process).$(Node)\n"
    '+ParallelShutdownPolicy = "WAIT_FOR_ALL"\nqueue\n',
    "transfer": "should_transfer_files = YES\ntransfer_input_files = large.bin\ntransfer_output_files = large.bin\n"
    "arguments = 4 $(Cluster).$(Process)\noutput = transfer.$(Process).out\n"
    'transfer_output_remaps = "large.bin = back.$(Process).bin"\nqueue 3\n',
}
#: Questions and changes, which any version may put to the daemons of any other; "@" is a job that is held.
TALKS = (
    ("condor_q", "-allusers", "-af", "ClusterId", "JobStatus"), ("condor_q", "-allusers"), ("condor_status",),
    ("condor_userprio", "-allusers"), ("condor_history", "-limit", "3", "-af", "ClusterId"),
    ("condor_q", "-better", "@"),
    ("condor_hold", "@"), ("condor_qedit", "@", "Talked", "1"), ("condor_prio", "-p", "1", "@"), ("condor_reschedule",),
    ("condor_who",), ("condor_ping", "WRITE"), ("condor_config_val", "-schedd", "SPOOL"), ("condor_reconfig",),
    ("condor_ssh_to_job", "@", "true"), ("condor_tail", "@"),
)  # fmt: skip
#: Bytes of a file that travels with a job.
_LARGE = 20 << 20


class Failed(Exception):
    """A command that had to work did not; the text is what it printed."""


def run(*words: object, cwd: Path, check: bool = True, **environment: str) -> str:
    """Run a command; what it prints. Failed when it fails."""
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if check and done.returncode:
        raise Failed(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def wheel(commit: str, top: Path) -> Path:
    """A wheel of a commit ("" is the present working tree) with its modules in C, whose version names the commit."""
    place = top / (commit or "now")
    source = place / "source"
    source.mkdir(parents=True)
    name = commit or run("git", "stash", "create", cwd=ROOT).strip() or "HEAD"
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", name], capture_output=True, check=False)
    if archive.returncode:
        raise CannotRun(f"git has no commit {name} here: {archive.stderr.decode().strip()}")
    subprocess.run(["tar", "x"], cwd=source, input=archive.stdout, check=True)
    package = source / "condor_py" / "__init__.py"
    text = re.sub(r'(__version__ = "[^"]+)"', rf'\1+{commit or "now"}"', package.read_text())
    package.write_text(text)
    words = ("wheel", "-q", "--no-build-isolation", "--no-deps", "-w", place, source)
    run(sys.executable, "-m", "pip", *words, cwd=place)
    shutil.rmtree(source)
    return next(place.glob("*.whl"))


class Trial:
    """One environment and its pool, and a second environment with the old version, for its tools alone."""

    def __init__(self, top: Path, choose: Random, found: Callable[[str], None]) -> None:
        self.top, self.choose, self.found = top, choose, found
        self.prefix, self.old = top / "env", top / "old"
        self.work = top / "work"
        self.work.mkdir()
        self.notes = self.work / "notes"
        self.config = top / "condor_config"
        self.config.write_text(
            f"LOCAL_DIR = {top}/pool\nNUM_CPUS = 8\nMEMORY = 8000\nSTARTD_DETECT_GPUS = false\n"
            f"CONDOR_IDS = {os.geteuid()}.{os.getegid()}\nUID_DOMAIN = example.net\nDAGMAN_USE_STRICT = 0\n"
        )
        self.clusters: dict[str, str] = {}
        #: Jobs of the event log all.log that will have ended, and what they will have noted at their ends.
        self.expected = self.ends = 0
        self.off: list[float] = []
        self.talks = 0

    def tool(self, *words: object, check: bool = True) -> str:
        """Run a command of the environment, whichever version that has now."""
        return run(
            self.prefix / "bin" / str(words[0]), *words[1:], cwd=self.work, check=check, CONDOR_CONFIG=str(self.config)
        )

    @staticmethod
    def say(text: str) -> None:
        """Print how far it is."""
        print(time.strftime("%H:%M:%S"), text, file=sys.stderr, flush=True)

    def expect(self, holds: object, what: str) -> None:
        """Report what does not hold."""
        if not holds:
            self.found(what)

    def wait(self, holds: Callable[[], object], what: str, seconds: float = 300.0) -> None:
        """Wait for something; what does not come is reported."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                self.found(f"did not come: {what}")
                return
            time.sleep(0.3)

    def fill(self) -> None:
        """Submit a bit of everything."""
        script = self.work / "job.sh"
        script.write_text(SCRIPT.format(notes=self.notes))
        script.chmod(0o755)
        (self.work / "input.txt").write_text("from the spool\n")
        (self.work / "large.bin").write_bytes(os.urandom(1 << 20) * (_LARGE >> 20))
        head = f"executable = {script}\nlog = all.log\n"
        kinds = list(SUBMITS)
        self.choose.shuffle(kinds)
        for name in kinds:
            (self.work / f"{name}.sub").write_text(head + SUBMITS[name])
            self.submit(name, "condor_submit", f"{name}.sub")
        spooled = (
            "should_transfer_files = YES\ntransfer_input_files = input.txt\n"
            "arguments = 4 $(Cluster).$(Process) input.txt\noutput = spooled.$(Process).out\nqueue 2\n"
        )
        (self.work / "spooled.sub").write_text(head + spooled)
        self.submit("spooled", "condor_submit", "-spool", "spooled.sub")
        (self.work / "node.sub").write_text(head + "arguments = 5 $(Cluster).$(Process)\nqueue\n")
        (self.work / "chain.dag").write_text(DAG)
        self.submit("dag", "condor_submit_dag", "chain.dag")
        self.expected += _NODES - 1  # the cluster of condor_dagman itself counted as one, and has a log of its own
        self.ends += _NODES - 1

    def submit(self, name: str, *words: str) -> None:
        """Submit a cluster of that name, and count its jobs."""
        told = self.tool(*words)
        found = re.search(r"cluster (\d+)", told)
        if found is None:
            raise Failed(told)
        self.clusters[name] = found[1]
        count = re.search(r"^queue (\d+)", SUBMITS.get(name, "queue 2\n" if name == "spooled" else ""), re.M)
        jobs = int(count[1]) if count else 1
        self.expected += jobs
        self.ends += 2 if name == "parallel" else jobs

    def rows(self, *attributes: str) -> list[list[str]]:
        """Rows of the queue."""
        return [line.split() for line in self.tool("condor_q", "-allusers", "-af", *attributes).splitlines()]

    def noted(self, word: str) -> Counter[str]:
        """How often each job has noted that it begins or ends."""
        lines = self.notes.read_text().splitlines() if self.notes.exists() else []
        return Counter(line.partition(" ")[2] for line in lines if line.startswith(f"{word} "))

    def upgrade(self, *words: object, by: Path, version: str) -> None:
        """One upgrade, at a moment that the seed chooses."""
        time.sleep(self.choose.uniform(0.0, 8.0))
        drain = self.choose.random() < 0.4
        before = Counter(row[0] for row in self.rows("JobStatus"))
        interrupted = self.noted("begin")
        options = ("-drain", "-limit", 120) if drain else ()
        said = run(by, "-upgrade", *words, *options, cwd=self.work, CONDOR_CONFIG=str(self.config))
        package = next(self.prefix.glob("lib/python3*/site-packages/condor_py/__init__.py")).read_text()
        self.expect(f'"{version}' in package, f"{version} is not installed after {words}: {said}")
        after = Counter(row[0] for row in self.rows("JobStatus"))
        self.expect(after["5"] >= min(before["5"], 3), f"held jobs are lost: {before}, {after}")
        running = f"{self.clusters['running']}.0"
        if drain and self.noted("end")[running] == 0:
            again = self.noted("begin")[running] > max(1, interrupted[running])
            self.expect(not again, "a drain has interrupted a job")
        found = re.search(r"was off for (\d+) s", said)
        self.off.append(float(found[1]) if found else -1.0)
        self.say(f"upgrade {words[0]}{' with a drain' if drain else ''}: off for {self.off[-1]:.0f} s")

    def talk(self, environment: Path) -> None:
        """Tools of one version ask and change the daemons of another: served, or refused in one line."""
        job = f"{self.clusters['held']}.0"
        package = next(environment.glob("lib/python3*/site-packages/condor_py/__main__.py"))
        for words in TALKS:
            command = [environment / "bin" / "python", "-I", package, *(word.replace("@", job) for word in words)]
            done = subprocess.run(
                command, cwd=self.work, env={**os.environ, "CONDOR_CONFIG": str(self.config)}, capture_output=True,
                text=True, stdin=subprocess.DEVNULL, check=False, timeout=120,
            )  # fmt: skip
            said = done.stdout + done.stderr
            self.expect("Traceback" not in said, f"{environment.name}: {' '.join(words)} fails: {said[-1500:]}")
            self.expect(done.returncode >= 0, f"{environment.name}: {' '.join(words)} dies: {done.returncode}")
            self.talks += 1
        (self.work / "talk.sub").write_text(
            f"executable = {self.work}/job.sh\nlog = all.log\narguments = 1 $(Cluster).$(Process)\nqueue 2\n"
        )
        told = run(environment / "bin" / "condor_submit", "talk.sub", cwd=self.work, CONDOR_CONFIG=str(self.config))
        self.expect("submitted to cluster" in told, f"{environment.name}: condor_submit: {told}")
        self.expected += 2
        self.ends += 2

    def carry_out(self, old: Path, new: Path) -> None:
        """There, back, and there again."""
        for place in (self.prefix, self.old):
            run(sys.executable, "-m", "venv", place, cwd=self.top)
            run(place / "bin" / "pip", "install", "-q", old, cwd=self.top)
        was, now = (re.search(r"condor_py-([^-]+)-", path.name)[1] for path in (old, new))  # type: ignore[index]
        self.tool("condor_master")
        self.wait(lambda: self.tool("condor_status", "-af", "Name", check=False).startswith("slot1"), "a slot")
        (self.work / "early.sub").write_text("executable = /bin/true\nlog = early.log\nqueue 3\n")
        self.tool("condor_submit", "early.sub")
        self.tool("condor_wait", "-wait", "120", "early.log")
        self.fill()
        ours = ROOT / "bin" / "condor_setup"
        self.wait(lambda: self.noted("begin"), "jobs run")
        self.say("the pool is full")
        self.talk_as_this_version()
        self.upgrade("-from", new, "-prefix", self.prefix, by=ours, version=now)
        self.talk(self.old)
        self.upgrade("-back", by=self.prefix / "bin" / "condor_setup", version=was)
        self.talk_as_this_version()
        (self.work / "again.sub").write_text(
            f"executable = {self.work}/job.sh\nlog = all.log\narguments = 12 $(Cluster).0\nqueue\n"
        )
        self.submit("again", "condor_submit", "again.sub")
        self.upgrade("-back", "-prefix", self.prefix, by=ours, version=now)
        self.finish()

    def talk_as_this_version(self) -> None:
        """Tools of this tree at the daemons of the old version."""
        place = self.top / "this"
        if not place.exists():
            (place / "bin").mkdir(parents=True)
            (place / "bin" / "python").symlink_to(sys.executable)
            (place / "bin" / "condor_submit").symlink_to(ROOT / "bin" / "condor_submit")
            site = place / "lib" / "python3" / "site-packages"
            site.mkdir(parents=True)
            (site / "condor_py").symlink_to(ROOT / "condor_py")
        self.talk(place)

    def history(self) -> Counter[str]:
        """How often each job is in the history."""
        return Counter(self.tool("condor_history", "-af:,", "ClusterId", "ProcId").replace(", ", ".").split())

    def finish(self) -> None:
        """Let everything end, and compare what has become of it."""
        self.tool("condor_release", self.clusters["held"])
        self.tool("condor_qedit", self.clusters["idle"], "Requirements", "true")
        spooled = self.clusters["spooled"]
        self.wait(lambda: {row[0] for row in self.rows("ClusterId")} <= {spooled}, f"the end of {self.left()}")
        self.wait(lambda: all(row[1] == "4" for row in self.rows("ClusterId", "JobStatus")), "spooled jobs end")
        self.tool("condor_transfer_data", spooled)
        self.wait(lambda: not self.rows("ClusterId"), "an empty queue")
        for number in (0, 1):
            out = self.work / f"spooled.{number}.out"
            self.expect(out.exists() and out.read_text() == "from the spool\n", f"{out.name} did not come back")
        large = (self.work / "large.bin").read_bytes()
        for number in range(3):
            back = self.work / f"back.{number}.bin"
            self.expect(back.exists() and back.read_bytes() == large, f"{back.name} is not what was sent")
        text = (self.work / "all.log").read_text()
        submitted, terminated = (
            Counter(re.findall(rf"^{kind} \((\d+\.\d+)\.\d+\)", text, re.M)) for kind in ("000", "005")
        )
        self.expect(
            len(submitted) == self.expected, f"{self.expected} jobs were submitted, not {len(submitted)} by the log"
        )
        self.expect(set(submitted) == set(terminated), f"without an end: {sorted(set(submitted) - set(terminated))}")
        self.expect(set(terminated.values()) == {1}, f"ended twice by the event log: {terminated.most_common(3)}")
        ends = self.noted("end")
        twice = {job: count for job, count in ends.items() if count > 1}
        self.expect(not twice, f"ended twice: {twice}")
        lacking = sorted(set(self.noted("begin")) - set(ends))
        events = [re.findall(rf"^\d+ \({re.escape(job)}\..*?^\.\.\.$", text, re.M | re.S) for job in lacking]
        self.expect(
            len(ends) == self.ends,
            f"{len(ends)} programs have ended, not {self.ends}: not {lacking}, whose events are {events}",
        )
        history = self.history()
        self.expect(
            len(history) == self.expected + 4, f"{len(history)} jobs are in the history, not {self.expected + 4}"
        )
        self.expect(set(history.values()) == {1}, f"twice in the history: {history.most_common(3)}")
        told = (self.work / "chain.dag.dagman.out").read_text()
        self.expect("EXITING WITH STATUS 0" in told, "the DAG has not succeeded")
        check = self.tool("condor_store_check", check=False)
        self.expect("nothing is wrong" in check, f"the spool is not in order: {check}")
        usage = sum(float(word) for word in self.tool("condor_userprio", "-af", "WeightedAccumulatedUsage").split())
        self.expect(usage > 50, f"the usage of some version is lost: {usage}")

    def left(self) -> list[list[str]]:
        """What is in the queue."""
        return self.rows("ClusterId", "ProcId", "JobStatus", "HoldReason")

    def stop(self) -> None:
        """Leave nothing running."""
        if (self.prefix / "bin" / "condor_off").exists():
            self.tool("condor_off", "-master", "-fast", check=False)
        self.wait(lambda: not self.processes(), "no process is left", 60)
        for pid in self.processes():
            os.kill(pid, 9)

    def processes(self) -> list[int]:
        """Processes of the pool."""
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                if str(self.top).encode() in path.read_bytes() and path.parent.name != str(os.getpid()):
                    found.append(int(path.parent.name))
            except OSError:
                continue
        return found


def plan(commits: list[str], rounds: int, choose: Random) -> list[str]:
    """The old version of each round: all of them before one comes again."""
    chosen: list[str] = []
    while len(chosen) < rounds:
        chosen += choose.sample(commits, len(commits))
    return chosen[:rounds]


def carry_out(campaign: Campaign) -> None:
    """All rounds."""
    if not (ROOT / ".git").exists():
        raise CannotRun("this is no checkout of git: there are no older versions")
    top = Path(tempfile.mkdtemp(prefix="condor_py-upgrades-"))
    top.chmod(0o755)
    off: list[float] = []
    talks = 0
    rounds = plan(campaign.options.commits, campaign.size, campaign.choose)
    try:
        wheels = {commit: wheel(commit, top / "wheels") for commit in ("", *dict.fromkeys(rounds))}
        for number, commit in enumerate(rounds):
            place = top / f"round{number}"
            place.mkdir()

            def found(text: str, number: int = number, commit: str = commit) -> None:
                campaign.found(f"round {number} (from {commit}): {text}")

            trial = Trial(place, campaign.choose, found)
            try:
                trial.carry_out(wheels[commit], wheels[""])
            except Failed as error:
                found(str(error))
            finally:
                trial.stop()
            off, talks = off + trial.off, talks + trial.talks
            campaign.step()
            if not campaign.options.keep:
                shutil.rmtree(place, ignore_errors=True)
    finally:
        if not campaign.options.keep:
            shutil.rmtree(top, ignore_errors=True)
    campaign.figures |= {"from": dict(Counter(rounds)), "off_s": off, "talks": talks}


def options(parser: argparse.ArgumentParser) -> None:
    """Options of this campaign."""
    parser.add_argument("-from", dest="commits", nargs="+", default=list(COMMITS), metavar="COMMIT",
                        help="older versions")  # fmt: skip
    parser.add_argument("-keep", action="store_true", help="leave the directories with pools and environments")


if __name__ == "__main__":
    sys.exit(campaigns.main(carry_out, name="upgrades", about=__doc__, unit="rounds", size=3, options=options))
