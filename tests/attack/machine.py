"""A live pool on a machine that turns against it: directories that cannot be written any more (read-only, input/output
errors). Its clock jumps in tests/campaigns/clocks.py, which uses the same library.

The daemons tell, lose nothing, and go on when it is over. A library loaded into every process of the pool (shim.c)
makes it so: the clock and the file systems of the real machine are left alone.
"""

from __future__ import annotations

import errno
import mmap
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE.parent / "e2e"))

from pool import PersonalPool, wait_for

DAEMONS = ("master", "schedd", "startd", "negotiator")
#: Seconds that a directory stays as it is.
_BAD_FOR = 4.0


class Machine:
    """What the shim does in all processes of a pool."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "control"
        self._path.write_bytes(bytes(512))
        self._library = folder / "shim.so"
        compiler = shutil.which("cc") or shutil.which("gcc") or "cc"
        words = ["-O1", "-shared", "-fPIC", "-o", str(self._library), str(_HERE / "shim.c"), "-ldl"]
        subprocess.run([compiler, *words], check=True)
        with open(self._path, "r+b") as file:
            self._control = mmap.mmap(file.fileno(), 512)

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self._library), "FAULTS_CONTROL": str(self._path)}

    def clock(self, seconds: int) -> None:
        """The clock is wrong by so much from now on."""
        self._control[:8] = struct.pack("q", seconds)

    def fail(self, path: Path | None, number: int = 0) -> None:
        """Nothing below ``path`` can be changed any more; None: all is well again."""
        text = b"" if path is None else os.fsencode(path)
        self._control[8:12] = struct.pack("i", 0)
        self._control[12:] = text.ljust(500, b"\0")
        self._control[8:12] = struct.pack("i", number if path is not None else 0)


class Life:
    """A pool with jobs that come and go while things happen to it."""

    def __init__(self, folder: Path) -> None:
        self.machine = Machine(folder)
        self.pool = PersonalPool(folder / "pool", cpus=4)
        self.pool.environment.update(self.machine.environment)
        self.pool.start()
        self._pids = {name: self.pool.pid(name) for name in DAEMONS}
        self.submitted: list[str] = []
        self._long = self.pool.submit("executable = /bin/sleep\narguments = 100000\nlog = long.log\nqueue\n")
        wait_for(lambda: self.pool.status_of(f"{self._long}.0") == 2, "the long job runs")

    def submit(self, *, may_fail: bool) -> None:
        """Three short jobs. A refusal is one line."""
        (self.pool.work / "short.sub").write_text("executable = /bin/true\nlog = short.log\nqueue 3\n")
        done = self.pool.tool("condor_submit", "short.sub", check=False)
        assert "Traceback" not in done.stderr, done.stderr
        found = re.search(r"submitted to cluster (\d+)", done.stdout)
        assert found or may_fail, done.stderr
        if found:
            self.submitted += [f"{found[1]}.{proc}" for proc in range(3)]

    def check(self, what: str) -> None:
        """All jobs that were accepted come to their end, once; the long one runs on; every daemon is what it was."""
        self.submit(may_fail=False)
        for job in self.submitted:
            wait_for(lambda job=job: self.pool.status_of(job) is None, f"{job} ends after {what}", 60)
        ended = [job for number, job in self.pool.events("short.log") if number == 5]
        assert sorted(ended) == sorted(self.submitted), f"after {what}: {sorted(set(self.submitted) ^ set(ended))}"
        kept = sorted(".".join(row) for row in self.pool.history("ClusterId", "ProcId"))
        assert kept == sorted(self.submitted), f"the history after {what}: {set(self.submitted) ^ set(kept)}"
        for name, pid in self._pids.items():
            assert self.pool.pid(name) == pid, f"the {name} ended after {what}"
        assert self.pool.status_of(f"{self._long}.0") == 2, f"the long job ended after {what}"

    def complaints(self, number: int) -> int:
        """How often schedd, startd and negotiator told of an error."""
        texts = (path.read_text(errors="replace") for path in self.pool.log.glob("*Log") if path.name != "MasterLog")
        words = re.compile("read-only" if number == errno.EROFS else "input/output error", re.IGNORECASE)
        return sum(len(words.findall(text)) for text in texts)


def failing_directory(life: Life, chance: random.Random) -> int:
    """SPOOL, EXECUTE and LOG, each read-only or with errors for a while."""
    places = {"SPOOL": life.pool.spool, "EXECUTE": life.pool.execute, "LOG": life.pool.log}
    for name, path in chance.sample(sorted(places.items()), 3):
        number = chance.choice([errno.EROFS, errno.EIO])
        life.submit(may_fail=False)
        before = life.complaints(number)
        life.machine.fail(path, number)
        try:
            until = time.monotonic() + _BAD_FOR
            while time.monotonic() < until:
                life.submit(may_fail=True)
                time.sleep(0.2)
        finally:
            life.machine.fail(None)
        life.check(f"{os.strerror(number)} in {name}")
        assert name == "LOG" or life.complaints(number) > before, f"nobody tells of {name}"
    return 3


def attack(until: float, seed: int) -> int:
    """Faults of a live pool until a monotonic time, each kind once at least; how many."""
    chance, count = random.Random(seed), 0
    folder = Path(tempfile.mkdtemp(prefix="machine-", dir="/tmp"))
    folder.chmod(0o755)
    life = Life(folder)
    try:
        while not count or time.monotonic() < until:
            count += failing_directory(life, chance)
        return count
    finally:
        life.machine.fail(None)
        life.pool.stop()
        shutil.rmtree(folder, ignore_errors=True)
