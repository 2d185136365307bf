"""Resource usage of a container, seen from outside: by the control group and the network of its processes. Its group is
found by its id, without asking the engine, which is slow."""

from __future__ import annotations

import os
from typing import NamedTuple

from condor_py.machine.probes import process
from condor_py.machine.probes.jobgroup import JobGroup

_ROOT = "/sys/fs/cgroup"
#: Where podman and docker make the group of a container, themselves or through systemd.
_PLACES = ("libpod_parent/libpod-{}", "docker/{}", "machine.slice/libpod-{}.scope", "system.slice/docker-{}.scope")
#: What a process is called that is about to become the first one of a container (runc's).
_MAKER = "runc:["
#: Hierarchies of version 1 that measure.
_MEASURING = ("memory", "cpuacct", "freezer", "pids")


class ContainerUsage(NamedTuple):
    """As FamilyUsage, of everything that is and was in the container; ``rss_kb`` is its peak where the kernel reports
    that, else its present value. ``received`` and ``sent`` are bytes that came and went over its own network, -1 where
    it has the machine's or that is unknown."""

    user_cpu: float = 0.0
    sys_cpu: float = 0.0
    rss_kb: int = 0
    image_kb: int = 0
    processes: int = 0
    received: int = -1
    sent: int = -1


class ContainerGroup:
    """The group of one container, from the moment on that there is one."""

    def __init__(self, container: str, root: str = _ROOT) -> None:
        self._id, self._root = container, root
        self._parts: dict[str, str] = {}
        #: The group of the first process, once its usage was requested.
        self._used: JobGroup | None = None

    def first(self) -> int:
        """The first process of the container; 0 as long as it is being made, and where its group is unknown."""
        self._find()
        if not self._parts:
            return 0
        group = JobGroup(self._parts)
        members = [found for pid in group.members() if (found := process.stat(pid)) is not None]
        group.forget()
        oldest = min(members, key=lambda found: (found.start_ticks, found.pid), default=None)
        return oldest.pid if oldest is not None and _is_inside(oldest.pid) else 0

    def _find(self) -> None:
        if self._parts or not self._id:
            return
        for place in _PLACES:
            path = f"/{place.format(self._id)}"
            found = {name: _directory(self._root, name, path) for name in (*_MEASURING, "")}
            self._parts = {name or "unified": directory for name, directory in found.items() if directory}
            if self._parts:
                return

    def usage(self, pid: int) -> ContainerUsage:
        """Return the usage of the container with this first process; an empty one when that is gone. The kernel's peak
        of memory counts from the first call: the memory of the engine's own program before it became that process is
        not the job's."""
        group = self._used or self._begin(pid)
        if group is None:
            return ContainerUsage()
        try:
            used, members, peak_kb = group.usage(), group.members(), group.peak_kb()
        finally:
            group.forget()
        found = process.usage(members or {pid})
        received, sent = traffic(pid)
        return ContainerUsage(
            used.user_cpu or found.user_cpu, used.sys_cpu or found.sys_cpu,
            max(used.rss_kb or found.rss_kb, peak_kb), found.image_kb, found.processes, received, sent,
        )  # fmt: skip

    def _begin(self, pid: int) -> JobGroup | None:
        parts = _parts(pid, self._root) if pid else {}
        if parts:
            self._used = JobGroup(parts)
            self._used.begin_peak()
        return self._used

    def abandoned(self, pid: int) -> bool:
        """Whether the engine's program that keeps the container (podman's conmon, docker's shim) is gone: its first
        process was left to init, or to us or our parent, which adopt orphans."""
        found = process.stat(pid)
        return found is not None and found.parent in (1, os.getpid(), os.getppid())


def _is_inside(pid: int) -> bool:
    """Whether a process sees the directories of a container, and is its program."""
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            if file.read().startswith(_MAKER):
                return False
        return not os.path.samestat(os.stat(f"/proc/{pid}/root"), os.stat("/"))
    except OSError:
        return False


def _parts(pid: int, root: str) -> dict[str, str]:
    """The directories of the group of a process. None is shared with us: that would not be the container's."""
    own = set(_lines("self"))
    found = {}
    for line in _lines(str(pid)):
        _, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if line in own or path == "/":
            continue
        for name in names.split(",") if names else ("",):
            directory = _directory(root, name, path)
            if directory:
                found[name or "unified"] = directory
    return found


def _directory(root: str, controller: str, path: str) -> str:
    """Return the directory of a group; "" where it cannot be seen, or has no measurements."""
    if controller and controller not in _MEASURING:
        return ""
    places = (f"{root}/{controller}",) if controller else (f"{root}/unified", root)
    return next((place + path for place in places if os.path.exists(f"{place}{path}/cgroup.procs")), "")


def _lines(pid: str) -> list[str]:
    try:
        with open(f"/proc/{pid}/cgroup", encoding="utf-8", errors="surrogateescape") as file:
            return file.read().splitlines()
    except OSError:
        return []


def traffic(pid: int) -> tuple[int, int]:
    """Bytes that came and went over the network of a process; -1 for both where that is ours, or it is gone."""
    try:
        if os.readlink(f"/proc/{pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            return -1, -1
        with open(f"/proc/{pid}/net/dev", encoding="ascii", errors="replace") as file:
            rows = [line.replace(":", " ").split() for line in file.readlines()[2:]]
    except OSError:
        return -1, -1
    counted = [(int(row[1]), int(row[9])) for row in rows if len(row) > 9 and row[0] != "lo"]
    return sum(received for received, _ in counted), sum(sent for _, sent in counted)
