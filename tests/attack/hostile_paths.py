"""An account that puts links in place of whatever belongs to its jobs, while root's daemons and tools work on them.

Somebody else's private directory must stay unread and unchanged: its diary lies behind a closed door, in a directory
that is open by itself, so that whoever enters it with root's rights and then reads as the account would be caught.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from pool import wait_for
from shared_pool import STRANGER, SharedPool, usable_python

SECRET = "dear diary"
#: Runs as the account: exchanges its directories and files for links, as fast as it can.
SWAPPER = """
import glob, os, random, sys, time
theirs, private, execute, seed = sys.argv[1:5]
chance = random.Random(int(seed))
targets = [private + "/inner"] * 6 + [private + "/inner/diary", private, "/etc", "/proc/1/root", "/nonexistent"]
names = ["out", "_condor_stdout", "_condor_stderr", ".job.ad", ".machine.ad", ".job_wrapper_failure", "tmp", "kept"]
def put_link(path):
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            try:
                os.rmdir(path)
            except OSError:
                os.rename(path, f"{path}.away{chance.randrange(1 << 30)}")
        os.symlink(chance.choice(targets), path + ".new")
        os.rename(path + ".new", path)
    except OSError:
        pass
def put_back(path):
    try:
        os.unlink(path)
        os.mkdir(path)
    except OSError:
        pass
while True:
    work = theirs + "/work"
    put_back(work)
    time.sleep(chance.choice((0, 0, 0.01, 0.4)))
    put_link(work)
    time.sleep(chance.choice((0, 0, 0.01, 0.4)))
    for scratch in glob.glob(execute + "/dir_*/scratch"):
        put_link(f"{scratch}/{chance.choice(names)}")
    put_link(theirs + "/" + chance.choice(["out", "kept", "o", "e"]))
"""
JOB = """executable = /bin/sh
transfer_executable = false
arguments = "-c 'mkdir -p kept; echo x >kept/a; echo x >out; sleep {seconds}; exit {code}'"
output = o
error = e
initialdir = {where}
should_transfer_files = {transfer}
{more}queue
"""
MORE = "when_to_transfer_output = ON_EXIT_OR_EVICT\ntransfer_output_files = out, kept\ncheckpoint_exit_code = 85\n"


class Paths:
    """One pool under attack."""

    def __init__(self, pool: SharedPool, seed: int) -> None:
        self.pool = pool
        self.chance = random.Random(seed)
        self.said = ""
        self.count = 0

    def go(self, until: float) -> None:
        """Attacks until then."""
        steps: tuple[Callable[[], None], ...] = (self.submit, self.submit, self.enter, self.look, self.move, self.spool)
        while time.monotonic() < until:
            self.chance.choice(steps)()
            self.count += 1
            self.check()

    def jobs(self) -> list[str]:
        """What is in the queue."""
        return [f"{cluster}.{proc}" for cluster, proc in self.pool.queue("ClusterId", "ProcId")]

    def hear(self, *words: str) -> None:
        """What the account reads from a tool."""
        done = self.pool.as_stranger(*words)
        self.said += done.stdout + done.stderr

    def submit(self) -> None:
        """A job that works where links appear, or brings its files there."""
        transfer = self.chance.choice(("YES", "NO", "NO"))
        text = JOB.format(
            seconds=self.chance.choice((0, 2, 4)), code=self.chance.choice((0, 0, 85)) if transfer == "YES" else 0,
            where=self.pool.theirs / self.chance.choice(("work", "work", ".")), transfer=transfer,
            more=MORE if transfer == "YES" else "",
        )  # fmt: skip
        (self.pool.theirs / "job.sub").unlink(missing_ok=True)
        (self.pool.theirs / "job.sub").write_text(text)
        self.hear("condor_submit", "job.sub")
        if self.chance.random() < 0.5:
            self.enter()

    def enter(self) -> None:
        """Sessions read what lies in their directory."""
        for job in self.jobs()[-2:]:
            self.hear("condor_ssh_to_job", job, "cat diary inner/diary ./*; ls -la; pwd")

    def look(self) -> None:
        """Root looks at a job's output; what it shows must not be somebody else's."""
        for job in self.jobs()[:2]:
            self.said += self.pool.tool("condor_tail", job, "out", check=False).stdout

    def move(self) -> None:
        """Runs end in the middle: their files are left behind, fetched and removed."""
        self.pool.tool(self.chance.choice(("condor_vacate_job", "condor_hold", "condor_release", "condor_rm")), "-all",
                       check=False)  # fmt: skip

    def spool(self) -> None:
        """Files that travel with a job, fetched by root."""
        self.hear("condor_submit", "-spool", "job.sub")
        self.pool.tool("condor_transfer_data", "-all", check=False)

    def check(self) -> None:
        """AssertionError when anything came out of the private directory, or was changed in it."""
        private = self.pool.private
        assert SECRET not in self.said, f"it was read: {self.said[-2000:]}"
        self.said = ""
        assert sorted(os.listdir(private)) == ["inner"]
        assert os.listdir(private / "inner") == ["diary"]
        assert (private / "inner" / "diary").read_text() == SECRET + "\n"
        for path, mode in ((private, 0o700), (private / "inner", 0o755), (private / "inner" / "diary", 0o644)):
            status = path.stat()
            assert (status.st_uid, status.st_mode & 0o7777) == (0, mode), f"{path} was changed"
        assert all(os.path.exists(f"/proc/{self.pool.pid(name)}") for name in ("master", "schedd", "startd"))

    def check_files(self) -> None:
        """The same of the account's files, once nobody exchanges them any more."""
        for top, _, names in os.walk(self.pool.theirs):
            for name in names:
                path = Path(top, name)
                assert path.is_symlink() or SECRET not in path.read_text(errors="replace"), f"{path} has it"


def attack(until: float, seed: int) -> int:
    """How many steps were tried. AssertionError for what was found; the script must be root."""
    assert os.geteuid() == 0, "only root's pools run jobs of other accounts"
    top = Path(tempfile.mkdtemp(prefix="condor_py-paths-"))
    top.chmod(0o755)
    pool = SharedPool(top / "pool", cpus=4)
    (pool.theirs / "work").mkdir()
    os.chown(pool.theirs / "work", pool.theirs.stat().st_uid, pool.theirs.stat().st_gid)
    pool.knob("MOUNT_UNDER_SCRATCH", "/tmp")
    pool.knob("JOB_EXECDIR_PERMISSIONS", "world")
    paths = [str(pool.theirs), str(pool.private), str(pool.execute), str(seed)]
    pool.start()
    swapper = subprocess.Popen([usable_python(), "-I", "-c", SWAPPER, *paths], user=STRANGER, group="nogroup",
                               extra_groups=[], cwd="/")  # fmt: skip
    attacked = Paths(pool, seed)
    try:
        attacked.go(until)
        pool.tool("condor_rm", "-all", check=False)
        swapper.send_signal(signal.SIGKILL)
        swapper.wait()
        wait_for(lambda: not pool.starters(), "the slots are free again", 60)
        attacked.check()
        attacked.check_files()
        assert (pool.log / "StarterLog.slot1_1").exists(), "no job ran: nothing was attacked"
    finally:
        swapper.kill()
        swapper.wait()
        pool.stop()
        shutil.rmtree(top)
    return attacked.count
