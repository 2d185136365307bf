"""A real condor_schedd works on our spool, and we on what it wrote.

Wants the programs of HTCondor 25: ``CONDOR_PY_REAL_HTCONDOR`` names a directory with ``bin`` (and ``env.sh``, which is
sourced when it is there).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "e2e"))
from pool import PersonalPool, wait_for

REAL = os.environ.get("CONDOR_PY_REAL_HTCONDOR", "")
pytestmark = pytest.mark.skipif(not REAL, reason="CONDOR_PY_REAL_HTCONDOR does not name an HTCondor")

CONFIG = """
LOCAL_DIR = {top}
RELEASE_DIR = {real}
SBIN = {real}/{sbin}
BIN = {real}/bin
LIBEXEC = {real}/{libexec}
SPOOL = {spool}
LOG = {top}/log
EXECUTE = {top}/execute
LOCK = {top}/lock
use ROLE: Personal
DAEMON_LIST = MASTER COLLECTOR SCHEDD
USE_SHARED_PORT = False
COLLECTOR_HOST = 127.0.0.1:0
COLLECTOR_ADDRESS_FILE = {top}/log/.collector_address
NETWORK_INTERFACE = 127.0.0.1
UID_DOMAIN = example.net
TRUST_UID_DOMAIN = True
SEC_DEFAULT_AUTHENTICATION_METHODS = FS
CONDOR_IDS = {uid}.{gid}
ALLOW_ADMINISTRATOR = *
ALLOW_WRITE = *
ALLOW_READ = *
ALLOW_DAEMON = *
QUEUE_SUPER_USERS = root, condor, {user}
"""
#: What a submit description says for a job of each universe.
UNIVERSES = {
    "local": "", "scheduler": "", "parallel": "machine_count = 2\n", "grid": "grid_resource = batch slurm\n",
    "container": "container_image = busybox.sif\n", "docker": "docker_image = busybox\n",
    "vm": "vm_type = kvm\nvm_memory = 64\nvm_disk = a.img:vda:w\nvm_no_output_vm = true\n",
}  # fmt: skip
#: The real schedd takes no jobs of root's.
AS_SOMEBODY = "setpriv --reuid nobody --regid nogroup --clear-groups" if os.geteuid() == 0 else ""
#: A word of each submit description, so that both can be told apart.
HELD = 'universe = {universe}\nexecutable = /bin/true\nhold = true\n+From = "{who}"\n{more}queue\n'
NAMES = (
    "ClusterId",
    "ProcId",
    "JobStatus",
    "JobPrio",
    "Args",
    "HoldReason",
    "Note",
    "Cmd",
    "Iwd",
    "Requirements",
    "JobUniverse",
    "GridResource",
    "ContainerImage",
    "DockerImage",
    "JobVMMemory",
    "MachineCount",
    "MinHosts",
)


class RealPool:
    """HTCondor's master, collector and schedd on a spool."""

    def __init__(self, top: Path, spool: Path) -> None:
        for name in ("log", "execute", "lock"):
            (top / name).mkdir(parents=True)
        self.top = top
        self.config = top / "condor_config"
        user = os.environ.get("USER") or "root"
        places = {name: name if os.path.isdir(f"{REAL}/{name}") else "bin" for name in ("sbin", "libexec")}
        self.config.write_text(
            CONFIG.format(top=top, real=REAL, spool=spool, uid=os.getuid(), gid=os.getgid(), user=user, **places)
        )

    def run(self, command: str, check: bool = True) -> str:
        """A command of HTCondor's in its environment."""
        setup = f". {REAL}/env.sh; " if os.path.exists(f"{REAL}/env.sh") else f"PATH={REAL}/bin:{REAL}/sbin:$PATH; "
        environment = {"PATH": "/usr/bin:/bin", "CONDOR_CONFIG": str(self.config), "HOME": str(self.top)}
        done = subprocess.run(
            ["/bin/bash", "-c", setup + command],
            env=environment, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert not check or done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def start(self) -> None:
        self.run("condor_master")
        wait_for(lambda: self.run("condor_q -totals 2>&1", check=False).find("Total for") >= 0, "the schedd answers")

    def stop(self) -> None:
        self.run("condor_off -daemon master", check=False)
        lines = (self.top / "log" / "MasterLog").read_text().splitlines()
        pids = {line.partition("(pid:")[2].partition(")")[0] for line in lines if "(pid:" in line} - {""}
        wait_for(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids), "the master has ended", 60)

    def jobs(self) -> list[str]:
        return sorted(self.run(f"condor_q -allusers -af:tr {' '.join(NAMES)}").splitlines())


def ours(pool: PersonalPool) -> list[str]:
    return sorted(pool.tool("condor_q", "-allusers", "-af:tr", *NAMES).stdout.splitlines())


@pytest.fixture
def pools(tmp_path: Path) -> Iterator[tuple[PersonalPool, RealPool]]:
    """A pool of ours with jobs and without daemons, and a real one that will work on its spool."""
    for directory in (tmp_path, *tmp_path.parents[:2]):
        directory.chmod(0o755)  # somebody else is to find the schedd
    pool = PersonalPool(tmp_path / "pool", cpus=4)
    common = "executable = /bin/sleep\nlog = job.log\n"
    pool.submit(f"{common}arguments = 100$(Process)\nqueue 3\n")
    pool.submit(f'{common}arguments = "a \'b c\' ""d"""\n+Note = "x\\ty [ ; ]"\npriority = 7\nhold = true\nqueue 2\n')
    pool.submit(f'{common}requirements = Memory > 5 && regexp("a+", Machine)\nmax_materialize = 2\nqueue 5\n')
    pool.submit(f"{common}queue\n")
    pool.tool("condor_rm", "4")
    for universe, more in UNIVERSES.items():
        pool.submit(HELD.format(universe=universe, who="us", more=more))
    pool.tool("condor_qedit", "1.1", "Note", '"edited"')
    real = RealPool(tmp_path / "real", pool.spool)
    shutil.rmtree(pool.spool / "ads", ignore_errors=True)
    yield pool, real
    if (tmp_path / "real" / "log" / "MasterLog").exists():
        real.stop()


def test_a_spool_goes_there_and_comes_back(pools: tuple[PersonalPool, RealPool]) -> None:
    pool, real = pools
    before = ours(pool)
    assert len(before) >= 6
    real.start()
    theirs = real.jobs()
    # A factory may have made the rest of its jobs; the removed job of cluster 4 is led out at once.
    assert set(theirs) >= {line for line in before if not line.startswith("4\t")}
    real.run("condor_hold 1.0; condor_prio -p 3 1.1; condor_release 2.0; condor_rm 2.1")
    real.run("condor_qedit 1.2 Note '\"theirs\"'")
    for universe, more in UNIVERSES.items():
        (real.top / "job.sub").write_text("initialdir = /tmp\n" + HELD.format(universe=universe, who="them", more=more))
        real.run(f"{AS_SOMEBODY} condor_submit {real.top}/job.sub")
    wait_for(lambda: not any(line.startswith("2\t1\t") for line in real.jobs()), "the removed job has left")
    theirs = real.jobs()
    real.stop()
    assert ours(pool) == theirs
    assert pool.tool("condor_store_check").stdout.endswith("nothing is wrong\n")
    queued = pool.queue("From", "JobUniverse", "JobStatus")
    for who in ("us", "them"):
        assert sorted(universe for one, universe, status in queued if (one, status) == (who, "5")) == sorted(
            ["12", "7", "11", "9", "5", "5", "13"]
        ), who
    assert "2 1 3" in pool.tool("condor_history", "-af", "ClusterId", "ProcId", "JobStatus").stdout
    pool.start()
    pool.tool("condor_release", "-constraint", "JobUniverse == 12")
    ended = [["them", "0"], ["us", "0"]]
    wait_for(
        lambda: [row for row in sorted(pool.history("From", "ExitCode")) if row in ended] == ended, "both run here"
    )
    pool.stop()
