#!/usr/bin/env python3
"""Upgrades a busy pool from older versions to this one, back and forth again: nothing is lost, nothing ends twice.

    .venv/bin/python tests/upgrade.py [--keep] [COMMIT...]

For each COMMIT (default: one before containers, DAGs and grids were whole, and the last one before 0.3.0) it builds a
wheel, installs it into an environment of its own, starts a pool there, and fills it: running, idle and held jobs, a
DAG, a factory, spooled jobs, a job of the local universe, jobs in the history. Then, while all of that goes on,
condor_setup -upgrade puts this version in its place, -back -drain the old one, and -back this one again. In the end
every job has ended once by its event log, its output and the history, the spool is in order and nothing runs.

It needs git, pip with an index, and three minutes for a COMMIT. Its last line is JSON; exit 1 when something is wrong.
--keep leaves the directory with pool and environment.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMITS = ["cc57b434", "d125b243"]
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
}


def run(*words: object, cwd: Path, check: bool = True, **environment: str) -> str:
    """Runs a command; what it prints."""
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if check and done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def wheel(source: Path, into: Path) -> Path:
    """A wheel of some sources, with its modules in C."""
    words = ("wheel", "-q", "--no-build-isolation", "--no-deps", "-w", into, source)
    run(sys.executable, "-m", "pip", *words, cwd=into.parent)
    return next(into.glob("*.whl"))


def sources(commit: str, into: Path) -> Path:
    """The sources of a commit; "" is the present working tree."""
    into.mkdir()
    name = commit or run("git", "stash", "create", cwd=ROOT).strip() or "HEAD"
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", name], stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "x"], cwd=into, input=archive, check=True)
    return into


class Trial:
    """One environment and its pool."""

    def __init__(self, top: Path, commit: str) -> None:
        self.top = top
        self.commit = commit
        self.prefix = top / "env"
        self.work = top / "work"
        self.work.mkdir()
        self.notes = self.work / "notes"
        self.config = top / "condor_config"
        self.config.write_text(
            f"LOCAL_DIR = {top}/pool\nNUM_CPUS = 8\nMEMORY = 8000\nSTARTD_DETECT_GPUS = false\n"
            f"CONDOR_IDS = {os.geteuid()}.{os.getegid()}\nUID_DOMAIN = example.net\nDAGMAN_USE_STRICT = 0\n"
        )
        self.wrong: list[str] = []
        self.clusters: dict[str, str] = {}

    def tool(self, *words: object, check: bool = True) -> str:
        """Runs a command of the environment, whichever version that has now."""
        return run(
            self.prefix / "bin" / str(words[0]), *words[1:], cwd=self.work, check=check, CONDOR_CONFIG=str(self.config)
        )

    def expect(self, holds: object, what: str) -> None:
        """Notes what does not hold."""
        if not holds:
            self.wrong.append(what)
            print(f"WRONG: {what}", flush=True)

    def wait(self, holds: object, what: str, seconds: float = 120.0) -> None:
        """Waits for something; what does not come is wrong."""
        deadline = time.monotonic() + seconds
        while not holds():  # type: ignore[operator]
            if time.monotonic() > deadline:
                self.expect(False, what)
                return
            time.sleep(0.3)

    def fill(self) -> None:
        """Submits a bit of everything."""
        script = self.work / "job.sh"
        script.write_text(SCRIPT.format(notes=self.notes))
        script.chmod(0o755)
        (self.work / "input.txt").write_text("from the spool\n")
        head = f"executable = {script}\nlog = all.log\n"
        for name, text in SUBMITS.items():
            (self.work / f"{name}.sub").write_text(head + text)
            self.clusters[name] = self.submitted(self.tool("condor_submit", f"{name}.sub"))
        spooled = (
            "should_transfer_files = YES\ntransfer_input_files = input.txt\n"
            "arguments = 4 $(Cluster).$(Process) input.txt\noutput = spooled.$(Process).out\nqueue 2\n"
        )
        (self.work / "spooled.sub").write_text(head + spooled)
        self.clusters["spooled"] = self.submitted(self.tool("condor_submit", "-spool", "spooled.sub"))
        (self.work / "node.sub").write_text(head + "arguments = 5 $(Cluster).$(Process)\nqueue\n")
        (self.work / "chain.dag").write_text(DAG)
        self.clusters["dag"] = self.submitted(self.tool("condor_submit_dag", "chain.dag"))

    @staticmethod
    def submitted(text: str) -> str:
        """The number of a new cluster."""
        found = re.search(r"cluster (\d+)", text)
        if found is None:
            sys.exit(text)
        return found[1]

    def rows(self, *attributes: str) -> list[list[str]]:
        """Rows of the queue."""
        return [line.split() for line in self.tool("condor_q", "-allusers", "-af", *attributes).splitlines()]

    def began(self) -> Counter[str]:
        """How often each job began."""
        return Counter(line[6:] for line in self.lines() if line.startswith("begin "))

    def lines(self) -> list[str]:
        """What jobs have noted."""
        return self.notes.read_text().splitlines() if self.notes.exists() else []

    def upgrade(self, *words: object, by: Path, version: str) -> float:
        """One upgrade; seconds that the pool was off."""
        busy = self.rows("ClusterId", "ProcId", "JobStatus")
        before = Counter(status for _, _, status in busy)
        said = run(by, "-upgrade", *words, cwd=self.work, CONDOR_CONFIG=str(self.config))
        print(said, flush=True)
        self.expect(before["2"] > 0 and before["5"] >= 3, f"running and held jobs before: {before}")
        shown = self.tool("condor_version")
        package = next(self.prefix.glob("lib/python3*/site-packages/condor_py/__init__.py")).read_text()
        self.expect(f'"{version}"' in package and "CondorVersion" in shown, f"{version} is installed")
        self.expect(sum(row[2] == "5" for row in self.rows("ClusterId", "ProcId", "JobStatus")) >= 3, "jobs are held")
        found = re.search(r"was off for (\d+) s", said)
        return float(found[1]) if found else -1.0

    def carry_out(self, old: Path, new: Path) -> dict[str, object]:
        """There, back, and there again."""
        begin = time.monotonic()
        run(sys.executable, "-m", "venv", self.prefix, cwd=self.top)
        run(self.prefix / "bin" / "pip", "install", "-q", old, cwd=self.top)
        was, now = (re.search(r"condor_py-([^-]+)-", path.name)[1] for path in (old, new))  # type: ignore[index]
        self.tool("condor_master")
        self.wait(lambda: self.tool("condor_status", "-af", "Name", check=False).startswith("slot1"), "a slot")
        (self.work / "early.sub").write_text("executable = /bin/true\nlog = early.log\nqueue 3\n")
        self.tool("condor_submit", "early.sub")
        self.tool("condor_wait", "-wait", "60", "early.log")
        self.fill()
        running = self.clusters["running"]
        self.wait(lambda: self.began()[f"{running}.0"] and self.began()[f"{running}.1"], "long jobs run")
        ours = ROOT / "bin" / "condor_setup"
        off = [self.upgrade("-from", new, "-prefix", self.prefix, by=ours, version=now)]
        self.expect(self.began()[f"{running}.0"] >= 1, "it ran before")
        self.wait(lambda: self.began()[f"{running}.0"] == 2, "an interrupted job runs again")
        interrupted = self.began()
        off.append(self.upgrade("-back", "-drain", "-limit", 100, by=self.prefix / "bin" / "condor_setup", version=was))
        self.expect(self.began()[f"{running}.0"] == interrupted[f"{running}.0"], "a drain interrupts nothing")
        # What goes on after a drain: the DAG, the factory, and one more job that runs.
        (self.work / "again.sub").write_text(
            f"executable = {self.work}/job.sh\nlog = all.log\narguments = 20 $(Cluster).0\nqueue\n"
        )
        self.clusters["again"] = self.submitted(self.tool("condor_submit", "again.sub"))
        self.wait(lambda: self.began()[f"{self.clusters['again']}.0"], "a job of the old version, after the way back")
        off.append(self.upgrade("-back", "-prefix", self.prefix, by=ours, version=now))
        self.finish()
        return {
            "from": self.commit, "version": was, "to": now, "off_s": off, "jobs": len(self.ended()),
            "began_twice": sum(number > 1 for number in self.began().values()),
            "wrong": self.wrong, "seconds": round(time.monotonic() - begin),
        }  # fmt: skip

    def ended(self) -> Counter[str]:
        """How often each job of the history is there."""
        return Counter(self.tool("condor_history", "-af:,", "ClusterId", "ProcId").replace(", ", ".").split())

    def finish(self) -> None:
        """Lets everything end, and looks at what has become of it."""
        self.tool("condor_release", self.clusters["held"])
        self.tool("condor_qedit", self.clusters["idle"], "Requirements", "true")
        spooled = self.clusters["spooled"]
        self.wait(lambda: {row[0] for row in self.rows("ClusterId")} == {spooled}, "all jobs end", 240)
        self.wait(lambda: all(row[1] == "4" for row in self.rows("ClusterId", "JobStatus")), "spooled jobs end")
        self.tool("condor_transfer_data", spooled)
        self.wait(lambda: not self.rows("ClusterId"), "an empty queue")
        for number in (0, 1):
            out = self.work / f"spooled.{number}.out"
            self.expect(out.exists() and out.read_text() == "from the spool\n", f"{out} came back")
        text = (self.work / "all.log").read_text()
        submitted, terminated = (
            Counter(re.findall(rf"^{kind} \((\d+\.\d+)\.\d+\)", text, re.M)) for kind in ("000", "005")
        )
        expected = 2 + 6 + 3 + 3 + 25 + 1 + 2 + _NODES + 1
        self.expect(len(submitted) == expected, f"{expected} jobs were submitted, not {len(submitted)}")
        self.expect(set(submitted) == set(terminated), f"without an end: {sorted(set(submitted) - set(terminated))}")
        self.expect(set(terminated.values()) == {1}, f"ended twice by the event log: {terminated.most_common(3)}")
        ends = Counter(line[4:] for line in self.lines() if line.startswith("end "))
        self.expect(
            len(ends) == expected and set(ends.values()) == {1}, f"ended twice: {ends.most_common(3)}, {len(ends)}"
        )
        history = self.ended()
        self.expect(len(history) == expected + 3 + 1, f"{len(history)} jobs are in the history, not {expected + 4}")
        self.expect(set(history.values()) == {1}, f"twice in the history: {history.most_common(3)}")
        node_log = (self.work / "chain.dag.dagman.out").read_text()
        self.expect("EXITING WITH STATUS 0" in node_log, "the DAG has succeeded")
        self.expect("nothing is wrong" in self.tool("condor_store_check", check=False), "the spool is in order")
        usage = sum(float(word) for word in self.tool("condor_userprio", "-af", "WeightedAccumulatedUsage").split())
        self.expect(usage > 100, f"the usage of all versions is known: {usage}")

    def stop(self) -> None:
        """Nothing is left running."""
        self.tool("condor_off", "-master", "-fast", check=False)
        mark = str(self.top).encode()

        def left() -> list[str]:
            found = []
            for path in Path("/proc").glob("[0-9]*/environ"):
                try:
                    if mark in path.read_bytes() and path.parent.name != str(os.getpid()):
                        found.append(path.parent.name)
                except OSError:
                    continue
            return found

        self.wait(lambda: not left(), "no process is left", 30)


def main(words: list[str]) -> int:
    """All trials."""
    if "-h" in words or "--help" in words:
        print(__doc__)
        return 0
    keep = "--keep" in words
    top = Path(tempfile.mkdtemp(prefix="condor_py-upgrade-"))
    top.chmod(0o755)
    results: list[dict[str, object]] = []
    try:
        (top / "new").mkdir()
        new = wheel(sources("", top / "new" / "source"), top / "new" / "wheel")
        for commit in [word for word in words if word != "--keep"] or COMMITS:
            place = top / commit
            place.mkdir()
            trial = Trial(place, commit)
            old = wheel(sources(commit, place / "source"), place / "wheel")
            try:
                results.append(trial.carry_out(old, new))
            finally:
                trial.stop()
    finally:
        if not keep:
            shutil.rmtree(top)
    print(json.dumps({"upgrades": results}))
    return int(any(result["wrong"] for result in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
