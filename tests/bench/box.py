"""A box: a shell whose whole tree of processes is counted by a control group of its own.

What is started in a box (daemons, commands, jobs, and the control groups that they make for themselves) is below the
group of the box, so its CPU is counted to the last process, however short its life. A box has its own process ids and
mounts: whatever runs in it ends with it. For root on Linux, with version 1 or 2 of control groups.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

_SCRIPT = Path(__file__).resolve().parent / "in_box"
_CGROUPS = Path("/sys/fs/cgroup")
_NEEDED = ("unshare", "mount", "chroot")
#: What ends the output of a command, with its status behind it.
_END = "-- end of command --"
#: Seconds that a command may take.
_LIMIT = 400


class BoxError(Exception):
    """A command failed in its box, or took too long."""


class Memory(NamedTuple):
    """Memory of processes, in MB of 1,000,000 bytes: what they share counted once (PSS), and counted in each (RSS)."""

    pss: float
    rss: float


def hierarchy(top: Path = _CGROUPS) -> Path | None:
    """Return where groups that count CPU are made: version 2, next to version 1 or alone, before cpuacct."""
    for place, mark in (
        (top, "cgroup.controllers"),
        (top / "unified", "cgroup.controllers"),
        (top / "cpuacct", "cpuacct.usage"),
        (top / "cpu,cpuacct", "cpuacct.usage"),
    ):
        if (place / mark).exists():
            return place
    return None


def missing() -> str:
    """Why there can be no boxes here; empty where they can be."""
    if os.geteuid() != 0:
        return "needs root, for a control group"
    if hierarchy() is None:
        return "needs control groups below /sys/fs/cgroup"
    absent = [name for name in _NEEDED if shutil.which(name) is None]
    return f"needs {absent[0]}" if absent else ""


def seconds_of(name: str, text: str) -> float:
    """Return the seconds of CPU in ``cpu.stat`` (version 2) or ``cpuacct.usage`` (version 1). ValueError where the text
    has none."""
    if name == "cpuacct.usage":
        return int(text) / 1e9
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        if key == "usage_usec":
            return int(value) / 1e6
    raise ValueError(f"no usage_usec in {text!r}")


def memory_of(rollup: str) -> Memory:
    """Return the memory of a process by its ``smaps_rollup``."""
    found = {"Pss": 0, "Rss": 0}
    for line in rollup.splitlines():
        key, _, rest = line.partition(":")
        if key in found:
            found[key] = int(rest.split()[0]) * 1024
    return Memory(found["Pss"] / 1e6, found["Rss"] / 1e6)


def milliseconds(used: float, idle_rate: float, took: float, jobs: int) -> float:
    """Return milliseconds of CPU a job: ``used`` seconds in a time of ``took`` seconds, less what an idle system uses
    (``idle_rate`` seconds a second)."""
    return (used - idle_rate * took) * 1000 / jobs


class Box:
    """A shell in a box. ``work`` is its directory, which every account may enter, and is gone with the box; ``root`` is
    another root file system, which stays as it is."""

    def __init__(self, name: str, environment: Mapping[str, str] | None = None, root: Path | None = None) -> None:
        place = hierarchy()
        assert place is not None
        self._group = place / f"condor_py_bench.{os.getpid()}.{name}"
        self._top = Path(tempfile.mkdtemp(prefix=f"bench-{name}."))
        os.chmod(self._top, 0o755)
        self.work = self._top / "w"
        self.work.mkdir(mode=0o755)
        words = [str(_SCRIPT), str(self._group), str(place), str(self.work)]
        if root is not None:
            for part in ("upper", "work"):
                (self._top / part).mkdir()
            words += [str(root), str(self._top)]
        (self._group / "main").mkdir(parents=True)
        base = {name: os.environ[name] for name in ("TZ", "LANG") if name in os.environ}
        self._shell = subprocess.Popen(
            words,
            env={"PATH": os.environ.get("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"), **base, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def run(self, commands: str, *, check: bool = True, limit: float = _LIMIT) -> str:
        """Return what commands of the shell print. BoxError if the last one fails, unless ``check`` is false, or if
        they take longer than ``limit`` seconds. A daemon must not keep their output."""
        assert self._shell.stdin is not None
        self._shell.stdin.write(f"{{ {commands}\n}} </dev/null; echo '{_END}' $?\n".encode())
        self._shell.stdin.flush()
        text, status = self._answer(commands, limit)
        if check and status:
            raise BoxError(f"{commands}: exit status {status}\n{text[-2000:]}")
        return text

    def _answer(self, commands: str, limit: float) -> tuple[str, int]:
        assert self._shell.stdout is not None
        handle, data, deadline = self._shell.stdout.fileno(), b"", time.monotonic() + limit
        mark = f"{_END} ".encode()
        while not (mark in data and data.endswith(b"\n")):
            ready, _, _ = select.select([handle], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise BoxError(f"{commands}: took longer than {limit:g} seconds\n{data.decode(errors='replace')}")
            new = os.read(handle, 65536)
            if not new:
                raise BoxError(f"{commands}: the shell of the box has ended\n{data.decode(errors='replace')}")
            data += new
        text, _, status = data.partition(mark)
        return text.decode(errors="replace"), int(status)

    def cpu(self) -> float:
        """Seconds of CPU of everything that has run in the box."""
        for name in ("cpu.stat", "cpuacct.usage"):
            if (self._group / name).exists():
                return seconds_of(name, (self._group / name).read_text())
        raise BoxError(f"{self._group} does not count CPU")

    def pids(self) -> set[int]:
        """Processes in the box, as they are numbered outside; without its shell."""
        found: set[int] = set()
        for path in self._group.rglob("cgroup.procs"):
            with suppress(OSError):
                found.update(map(int, path.read_text().split()))
        return found - self._shells(found)

    def _shells(self, pids: set[int]) -> set[int]:
        return {pid for pid in pids if _parent(pid) == self._shell.pid}

    def commands(self) -> Iterator[tuple[int, str]]:
        """Process ids and command lines of what runs in the box."""
        for pid in self.pids():
            with suppress(OSError):
                line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
                yield pid, line.decode(errors="replace").strip()

    def memory(self, pids: set[int] | None = None) -> Memory:
        """Memory of all that runs in the box, or of some processes of it."""
        found = []
        for pid in self.pids() if pids is None else pids:
            with suppress(OSError):
                found.append(memory_of(Path(f"/proc/{pid}/smaps_rollup").read_text()))
        return Memory(sum(one.pss for one in found), sum(one.rss for one in found))

    def close(self) -> None:
        """End all that runs in the box, and remove its directory and its groups."""
        self._shell.kill()  # unshare: the kernel ends its child, the first process in there, and with that all others
        self._shell.wait()
        deadline = time.monotonic() + 30
        while (left := self.pids()) and time.monotonic() < deadline:
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
        while not _removed(self._group) and time.monotonic() < deadline:
            time.sleep(0.02)  # a process that was killed is in its group for a moment more
        # Groups that a killed system has made in other hierarchies of version 1; their names have its directory.
        for left in _CGROUPS.glob(f"*/*/*{self._top.name}*"):
            _removed(left)
        shutil.rmtree(self._top, ignore_errors=True)

    def __enter__(self) -> Box:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _removed(group: Path) -> bool:
    """Remove a control group and those below it; whether all of them are gone."""
    for path in sorted((path for path in group.rglob("*") if path.is_dir()), reverse=True):
        with suppress(OSError):
            path.rmdir()
    with suppress(OSError):
        group.rmdir()
    return not group.exists()


def _parent(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    return int(text.rpartition(")")[2].split()[1])
