"""A real Grid Engine of one machine in a directory: qmaster and execd with a cell and ports of their own. Nothing of
the machine is touched."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from pool import wait_for
from slurm_engine import free_port, kill_all

_PROGRAMS = Path("/usr/lib/gridengine")
_SHARED = Path("/usr/share/gridengine")
_BOOTSTRAP = """\
admin_user root
default_domain none
ignore_fqdn false
spooling_method berkeleydb
spooling_lib libspoolb
spooling_params {top}/spooldb
binary_path /usr/lib/gridengine
qmaster_spool_dir {top}/spool/qmaster
security_mode none
listener_threads 2
worker_threads 2
scheduler_threads 1
"""
_PARALLEL = """\
pe_name smp
slots 99
user_lists NONE
xuser_lists NONE
start_proc_args NONE
stop_proc_args NONE
allocation_rule $pe_slots
control_slaves FALSE
job_is_first_task TRUE
urgency_slots min
accounting_summary FALSE
qsort_args NONE
"""


class GridEngine:
    """Started by ``start``; what runs with ``environment`` uses it."""

    def __init__(self, top: Path) -> None:
        if os.geteuid() != 0 or not (_PROGRAMS / "sge_qmaster").exists() or not (_PROGRAMS / "sge_execd").exists():
            pytest.skip("a private Grid Engine needs root, and gridengine-master and gridengine-exec of Debian")
        self.top = top
        port, other = free_port(), free_port()
        self.environment = {
            "SGE_ROOT": str(top), "SGE_CELL": "default", "SGE_ARCH": "lx-amd64", "SGE_QMASTER_PORT": str(port),
            "SGE_EXECD_PORT": str(other),
        }  # fmt: skip

    def start(self) -> None:
        """All of it, until its queue takes jobs."""
        top, host = self.top, socket.gethostname()
        for name in ("default/common", "spool/qmaster/job_scripts", "spool/execd", "spooldb"):
            (top / name).mkdir(parents=True)
        for name in ("bin", "lib", "util", "utilbin"):
            shutil.copytree(Path("/var/lib/gridengine") / name, top / name, symlinks=True)
        common = top / "default" / "common"
        (common / "bootstrap").write_text(_BOOTSTRAP.format(top=top))
        (common / "act_qmaster").write_text(f"{host}\n")
        (common / "host_aliases").write_text(f"{host} localhost\n")
        config = (_SHARED / "default-configuration").read_text()
        config = config.replace("/var/spool/gridengine/execd", f"{top}/spool/execd").replace(" 1000", " 0")
        (top / "configuration").write_text(config)
        self.tool("spoolinit", "berkeleydb", "libspoolb", f"{top}/spooldb", "init")
        self.tool("spooldefaults", "configuration", f"{top}/configuration")
        self.tool("spooldefaults", "complexes", str(_SHARED / "util/resources/centry"))
        self.tool("spooldefaults", "usersets", str(_SHARED / "util/resources/usersets"))
        self.tool("spooldefaults", "managers", "root")
        self.tool("sge_qmaster")
        wait_for(lambda: "MEMTOT" in self.tool("qhost"), lambda: "the qmaster answers: " + self.tool("qhost"))
        self.tool("qconf", "-as", host)
        self._set("qconf -Ap", _PARALLEL)
        schedule = self.tool("qconf", "-ssconf")
        lines = [line for line in schedule.splitlines() if not line.startswith(("schedule_interval", "flush_"))]
        lines += ["schedule_interval 0:0:1", "flush_submit_sec 1", "flush_finish_sec 1"]
        self._set("qconf -Msconf", "\n".join(lines) + "\n")
        self.tool("sge_execd")
        wait_for(lambda: host in self.tool("qconf", "-sel"), "the execd is there")
        queue = {"qname": "all.q", "hostlist": host, "slots": "8", "pe_list": "smp", "load_thresholds": "NONE"}
        rows = (line.split(None, 1) for line in self.tool("qconf", "-sq").splitlines() if line.strip())
        self._set("qconf -Aq", "".join(f"{name} {queue.get(name, value)}\n" for name, value in rows))
        wait_for(lambda: "all.q" in self.tool("qstat", "-f"), lambda: "the queue is there: " + self.tool("qstat", "-f"))

    def _set(self, words: str, text: str) -> None:
        path = self.top / "settings"
        path.write_text(text)
        self.tool(*words.split(), str(path))

    def tool(self, name: str, *words: str) -> str:
        """What a program of Grid Engine prints."""
        environment = {"PATH": "/usr/bin:/bin", **self.environment}
        done = subprocess.run(
            [str(_PROGRAMS / name), *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False, cwd="/",
        )  # fmt: skip
        return done.stdout + done.stderr

    def stop(self) -> None:
        """All of it, and whatever its jobs have left."""
        kill_all(f"SGE_ROOT={self.top}\0".encode())
