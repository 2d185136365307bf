"""A real Slurm of one machine in a directory: munge, controller and node daemon with a key, ports and a configuration
of their own. Nothing of the machine is touched."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from pool import kill, of_processes, wait_for
from slurm_lines import LINES

_NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel")
_PLACES = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"
_CONFIG = (
    LINES
    + """\
SlurmctldDebug=error
SchedulerParameters=sched_min_interval=100000,sched_interval=2,bf_interval=2
KillWait=1
MessageTimeout=2
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs=32 RealMemory=4000 Gres=gpu:4 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
PartitionName=other Nodes={host} MaxTime=INFINITE State=UP
PartitionName=short Nodes={host} MaxTime=60 State=UP
"""
)


def missing() -> list[str]:
    """The programs of Slurm that this machine lacks."""
    return [name for name in _NEEDED if shutil.which(name, path=_PLACES) is None]


class Slurm:
    """Started by ``start``; what runs with ``environment`` uses it. ``more``: lines for its configuration."""

    def __init__(self, top: Path, more: str = "") -> None:
        if missing() or os.geteuid() != 0:
            pytest.skip("a private Slurm needs root and the Debian packages slurm-wlm and munge")
        self.top = top
        self._more = more
        self.environment = {"SLURM_CONF": str(top / "slurm.conf")}

    def start(self) -> None:
        """All of it, until the node takes jobs."""
        for name in ("state", "spool"):
            (self.top / name).mkdir(parents=True)
        port, node_port = free_port(), free_port()
        host = socket.gethostname().partition(".")[0]
        config = _CONFIG.format(host=host, port=port, node_port=node_port, top=self.top) + self._more
        (self.top / "slurm.conf").write_text(config)
        # Any device is a GPU to Slurm, which does not open it.
        devices = "".join(f"NodeName={host} Name=gpu File=/dev/{name}\n" for name in ("null", "zero", "full", "random"))
        (self.top / "gres.conf").write_text(devices)
        key = self.top / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        self._daemon("munged", "--force", f"--key-file={key}", f"--socket={self.top}/munge.socket",
                     f"--pid-file={self.top}/munged.pid", f"--log-file={self.top}/munged.log",
                     f"--seed-file={self.top}/munged.seed")  # fmt: skip
        self._daemon("slurmctld")
        self._daemon("slurmd")
        wait_for(lambda: "idle" in self.tool("sinfo", "-h", "-o", "%T"), "the node is there")

    def pause(self) -> None:
        """The controller hears what it is asked, and does nothing."""
        os.kill(self._pid("slurmctld"), signal.SIGSTOP)

    def go_on(self) -> None:
        """The controller does what it has heard meanwhile."""
        os.kill(self._pid("slurmctld"), signal.SIGCONT)

    def crash(self, *known: str) -> None:
        """The controller dies and is started again, once it has written down that the jobs of these names run: what it
        has not it forgets, and one that it thinks to be waiting it kills and starts anew."""
        state = self.top / "state" / "job_state"
        wait_for(lambda: {self.jobs().get(name) for name in known} <= {"RUNNING"}, "the jobs run")
        for name in known:
            number = self.answer("squeue", "-h", f"--name={name}", "-o", "%i").strip()
            self.answer("scontrol", "update", f"JobId={number}", f"AdminComment=saved-{name}")
        saved = [f"saved-{name}".encode() for name in known]
        wait_for(lambda: state.exists() and all(word in state.read_bytes() for word in saved), "the jobs are saved")
        os.kill(self._pid("slurmctld"), signal.SIGKILL)
        self._daemon("slurmctld")
        wait_for(lambda: "idle" in (told := self.tool("sinfo", "-h", "-o", "%T")) or "mix" in told, "it is back")

    def kill_controller(self, mark: str) -> bool:
        """The controller dies once it has written down what it knows of its jobs now, and is started again; whether it
        was killed. ``mark`` is a word that it has not seen."""
        numbers = self.tool("squeue", "-h", "-o", "%i").split()
        marked = [number for number in numbers if not self.tool("scontrol", "update", f"JobId={number}",
                                                                f"AdminComment={mark}-{number}-")]  # fmt: skip
        state = self.top / "state" / "job_state"
        try:
            wait_for(lambda: not marked or f"{mark}-{marked[-1]}-".encode() in state.read_bytes(), "it is saved", 15)
            os.kill(self._pid("slurmctld"), signal.SIGKILL)
        except (AssertionError, OSError, ValueError):
            return False
        self._daemon("slurmctld")
        return True

    def resume(self) -> None:
        """What an administrator does after a crash: the node takes jobs again that a controller has drained, which had
        found one of its jobs not to start, and jobs that it holds for that may start."""
        if "drain" in self.tool("sinfo", "-h", "-o", "%T"):
            host = self.tool("sinfo", "-h", "-N", "-o", "%N").split()[0]
            self.tool("scontrol", "update", f"NodeName={host}", "State=RESUME")
        for line in self.tool("squeue", "-h", "-t", "PENDING", "-o", "%i %r").splitlines():
            number, _, reason = line.partition(" ")
            if "held" in reason:
                self.tool("scontrol", "release", number)

    def _pid(self, name: str) -> int:
        return int((self.top / f"{name}.pid").read_text())

    def _daemon(self, name: str, *words: str) -> None:
        program = shutil.which(name, path=_PLACES)
        assert program is not None
        subprocess.run(
            [program, *words], env={"PATH": _PLACES, **self.environment}, check=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.top,
        )  # fmt: skip

    def tool(self, *words: str) -> str:
        """What a command of Slurm prints."""
        environment = {"PATH": _PLACES, **self.environment}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, cwd="/")
        return done.stdout + done.stderr

    def answer(self, *words: str) -> str:
        """What a command prints that works: while the controller is slow, commands fail after MessageTimeout."""
        environment = {"PATH": _PLACES, **self.environment}
        found: list[str] = []

        def works() -> bool:
            done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, cwd="/")
            found[:] = [done.stdout, done.stderr]
            return done.returncode == 0

        wait_for(works, lambda: f"{words}: {found}")
        return found[0]

    def jobs(self, states: str = "all") -> dict[str, str]:
        """State by name of all its jobs; of several with a name the last."""
        lines = self.answer("squeue", "-h", f"--states={states}", "-o", "%j %T").splitlines()
        return dict(line.split() for line in reversed(lines))

    def stop(self) -> None:
        """All of it, and whatever its jobs have left."""
        for name in ("slurmctld", "slurmd", "munged"):
            with suppress(OSError, ValueError):
                os.kill(self._pid(name), signal.SIGKILL)
        kill_all(f"SLURM_CONF={self.top}/".encode())


def kill_all(mark: bytes) -> None:
    """Kills every process with ``mark`` in its environment or command line, also one that it has just started; returns
    when none is left, and nothing is written any more."""

    def none_is_left() -> bool:
        found = {pid for name in ("environ", "cmdline") for pid, data in of_processes(name) if mark in data + b"\0"}
        for pid in found:
            kill(pid)
        return not found

    wait_for(none_is_left, lambda: f"nothing with {mark!r} is left")


#: The kernel gives none of these to connections, so that a daemon which begins anew finds its port free; each worker
#: has others.
_PORTS = iter(range(10_000 + os.getpid() % 1000 * 20, 32_000))


def free_port() -> int:
    """A port of this machine that nobody uses; another one each time."""
    for port in _PORTS:
        with socket.socket() as sock, suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")
