"""A control group for a job: nothing that the job starts gets out of it, it limits memory, and it measures exactly.

Both versions of control groups are one thing here. A *part* is the job's directory in one hierarchy; version 2 has one
hierarchy, version 1 one a controller, and a machine may have both. Where a part may not be made (no root, a read-only
mount, a controller that is not there), there is none, and what it would have done is not done here.
"""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple, Protocol

from condor_py.machine.probes import process
from condor_py.machine.probes.devicefilter import Device, deny_attached, deny_listed

_ROOT = "/sys/fs/cgroup"
_TICKS = os.sysconf("SC_CLK_TCK")
#: Hierarchies of version 1 that are used, each with a directory of its own.
_CONTROLLERS = ("memory", "cpu", "cpuacct", "freezer", "pids")
#: The one that hides devices, where there are any to hide.
_DEVICES = "devices"
_SHARES_A_CPU = 100
#: The peak of memory in version 1; a write starts it again.
_PEAK = "memory.max_usage_in_bytes"
#: Where our own processes go in a group that we were given the care of (systemd's Delegate=yes).
_DAEMONS = "condor_daemons"
#: Bytes of the longest of the files that are read for every job.
_LONGEST = 65536


class GroupUsage(NamedTuple):
    """Seconds of CPU of everything that ran in the group since ``begin``; KB of memory, 0 where it is not measured."""

    user_cpu: float
    sys_cpu: float
    rss_kb: int


class Limits(NamedTuple):
    """Memory in bytes, 0 for none. ``swap`` False: the job may use no swap. ``cpus`` weigh against other jobs;
    ``processes`` (threads count) is how many there may be at a time, 0 for any number."""

    hard: int = 0
    soft: int = 0
    low: int = 0
    swap: bool = True
    cpus: int = 1
    processes: int = 0


def hierarchies(root: str = _ROOT, *, devices: bool = False) -> dict[str, str]:
    """Map the hierarchies where groups may be made to directories: "unified" (version 2) and controllers of version 1;
    that of devices only if it is wanted."""
    if os.path.exists(f"{root}/cgroup.controllers"):
        return {"unified": _own_place(root)}
    names = (*_CONTROLLERS, *((_DEVICES,) if devices else ()))
    found = {name: f"{root}/{name}" for name in names if os.path.isdir(f"{root}/{name}")}
    for name in ("cpu", "cpuacct"):
        if name not in found and os.path.isdir(f"{root}/cpu,cpuacct"):
            found[name] = f"{root}/cpu,cpuacct"
    if os.path.exists(f"{root}/unified/cgroup.controllers"):
        found["unified"] = f"{root}/unified"
    return found


def _own_place(root: str) -> str:
    """The root for root; for others their own group, which may have been delegated to them."""
    if os.geteuid() == 0:
        return root
    for line in _read("/proc/self/cgroup").splitlines():
        if line.startswith("0::/"):
            return (root + line[3:].rstrip("/")).removesuffix(f"/{_DAEMONS}")
    return root


class JobGroup:
    """The group of one job at a time. Make it with ``create``; ``close`` when nothing is in it any more.

    ``cache`` counts the page cache as memory of the job (CGROUP_IGNORE_CACHE_MEMORY is false).
    """

    def __init__(self, parts: Mapping[str, str], *, cache: bool = False) -> None:
        self._parts = dict(parts)
        self._cache = cache
        self._peak_before = 0
        self._kills_before = 0
        self._cpu_before = (0.0, 0.0)
        #: Files of the group that are read for every job, open.
        self._open: dict[tuple[str, ...], list[int]] = {}
        #: Whether the devices that were to be hidden are.
        self.hides = False
        #: Threads of ours that are in the parts of version 1 (thread_files); they are no processes of the job.
        self.threads = 0

    def expect_thread(self) -> None:
        """Leave a thread of ours out of the number of processes from now on."""
        self.threads += 1

    def begin(self) -> None:
        """The next job: what was used and killed before is not its."""
        self._kills_before = self._kills()
        self._cpu_before = self._cpu()

    @property
    def directories(self) -> tuple[str, ...]:
        """The directories of the group, one a hierarchy."""
        return tuple(dict.fromkeys(self._parts.values()))

    def join(self) -> None:
        """Takes the calling process into the group. OSError when a part that limits memory or processes refuses it."""
        for directory in self.directories:
            if not _write(f"{directory}/cgroup.procs", "0") and directory in self._limiting:
                raise OSError(errno.EAGAIN, "cannot join the control group", directory)

    def adopt(self, pid: int) -> bool:
        """Take another process into the group; False when a part refuses it."""
        taken = [_write(f"{directory}/cgroup.procs", str(pid)) for directory in self.directories]
        return all(taken)

    def thread_files(self) -> tuple[str, ...]:
        """The files of all parts of version 1 that take a thread of ours; its process stays where it is."""
        old = [directory for directory in self.directories if directory != self._parts.get("unified")]
        return tuple(f"{directory}/tasks" for directory in old)

    def doors(self, *, inside: bool) -> tuple[str, ...]:
        """The files into which a new process has to write itself; ``inside``: it is started by a thread that is in the
        parts of version 1. "*" is before that of version 2, "!" before others that must take it, a space before the
        rest."""
        unified = self._parts.get("unified")
        left = [directory for directory in self.directories if directory == unified or not inside]
        marks = dict.fromkeys(self._limiting, "!") | {unified: "*"}
        return tuple(f"{marks.get(directory, ' ')}{directory}/cgroup.procs" for directory in left)

    @property
    def _limiting(self) -> set[str]:
        return {self._parts[name] for name in ("unified", "memory", "pids") if name in self._parts}

    @property
    def limits_memory(self) -> bool:
        """Whether the kernel keeps the limits of memory."""
        unified = self._parts.get("unified")
        return "memory" in self._parts or (unified is not None and os.path.exists(f"{unified}/memory.max"))

    def members(self) -> set[int]:
        """Every process in the group."""
        directory = next((self._parts[name] for name in ("unified", "freezer", "pids", "memory", "cpu", "cpuacct")
                          if name in self._parts), None)  # fmt: skip
        found = set(map(int, _read(f"{directory}/cgroup.procs").split())) if directory else set()
        return found - {os.getpid()}  # a thread of ours may be in it (thread_files)

    def kill(self) -> None:
        """SIGKILL to everything in the group at once, where the kernel can (version 2, Linux 5.14)."""
        if "unified" in self._parts:
            _write(f"{self._parts['unified']}/cgroup.kill", "1")

    def hide(self, devices: Sequence[Device]) -> bool:
        """Let nothing in the group open these devices; return whether the kernel sees to that."""
        if _DEVICES in self._parts:
            self.hides = deny_listed(self._parts[_DEVICES], devices)
        else:
            self.hides = "unified" in self._parts and deny_attached(self._parts["unified"], devices)
        return self.hides

    def clear(self) -> bool:
        """Kills what is in the group and removes it; False when something cannot be killed."""
        self.kill()
        process.kill_family(self.members)
        return self.close()

    def limit(self, limits: Limits) -> bool:
        """Sets what the group may use; False when the kernel does not take the hard limit of memory."""
        done = True
        unified = self._parts.get("unified", "")
        if unified and os.path.exists(f"{unified}/memory.max"):
            done = _write(f"{unified}/memory.max", str(limits.hard) if limits.hard else "max")
            _write(f"{unified}/memory.high", str(limits.soft) if limits.soft else "max")
            _write(f"{unified}/memory.low", str(limits.low))
            if limits.hard and not limits.swap:
                _write(f"{unified}/memory.swap.max", "0")
            _write(f"{unified}/memory.oom.group", "1")
        memory = self._parts.get("memory")
        if memory:
            _write(f"{memory}/memory.memsw.limit_in_bytes", "-1")  # it may never be below the limit of memory
            done = _write(f"{memory}/memory.limit_in_bytes", str(limits.hard or -1)) and done
            if limits.hard and not limits.swap:
                _write(f"{memory}/memory.memsw.limit_in_bytes", str(limits.hard))
            _write(f"{memory}/memory.soft_limit_in_bytes", str(limits.soft or -1))
        self._weigh(limits.cpus)
        for name in ("pids", "unified"):
            if name in self._parts:
                own = self.threads if name == "pids" else 0
                _write(f"{self._parts[name]}/pids.max", str(limits.processes + own if limits.processes else "max"))
        return done

    def _weigh(self, cpus: int) -> None:
        if "unified" in self._parts:
            _write(f"{self._parts['unified']}/cpu.weight", str(min(10000, _SHARES_A_CPU * cpus)))
        if "cpu" in self._parts:
            _write(f"{self._parts['cpu']}/cpu.shares", str(_SHARES_A_CPU * cpus))

    def usage(self) -> GroupUsage:
        """Return the group's CPU time so far and its memory in KB now."""
        return GroupUsage(*self.cpu(), self._memory() // 1024)

    def cpu(self) -> tuple[float, float]:
        """Seconds of CPU (user, system) of everything that ran in the group since ``begin``."""
        (user, system), (user_before, system_before) = self._cpu(), self._cpu_before
        return user - user_before, system - system_before

    def _cpu(self) -> tuple[float, float]:
        """Version 2 counts exactly, also where it controls nothing; version 1 by ticks of the clock."""
        if "unified" in self._parts:
            spent = "".join(self._read("unified/cpu.stat"))
            return _field(spent, "user_usec") / 1e6, _field(spent, "system_usec") / 1e6
        if "cpuacct" in self._parts:
            ticks = "".join(self._read("cpuacct/cpuacct.stat"))
            return _field(ticks, "user") / _TICKS, _field(ticks, "system") / _TICKS
        return 0.0, 0.0

    def _read(self, *files: str) -> list[str]:
        """The texts of those files of the group, named PART/NAME, that are there."""
        descriptors = self._open.get(files)
        if descriptors is None:
            descriptors = self._open[files] = list(self._opened(files))
        try:
            return [os.pread(descriptor, _LONGEST, 0).decode("ascii", "replace") for descriptor in descriptors]
        except OSError:
            return []

    def _opened(self, files: Sequence[str]) -> Iterator[int]:
        for part, _, name in (file.partition("/") for file in files):
            with suppress(OSError, KeyError):
                yield os.open(f"{self._parts[part]}/{name}", os.O_RDONLY | os.O_CLOEXEC)

    def _memory(self) -> int:
        """Bytes of memory."""
        if "memory" in self._parts:
            found = _table(_read(f"{self._parts['memory']}/memory.stat"))
            names = ("total_rss", "total_swap", *(("total_cache",) if self._cache else ()))
        else:
            found = _table(_read(f"{self._parts.get('unified', '')}/memory.stat"))
            names = ("anon", "file" if self._cache else "shmem")  # what is shared is among the files
        return sum(found.get(name, 0) for name in names)

    def begin_peak(self) -> None:
        """The next job, where the peak is asked for: that of jobs before it is not its."""
        if "memory" in self._parts:
            _write(f"{self._parts['memory']}/{_PEAK}", "0")
        self._peak_before = self._highest()

    def peak_kb(self) -> int:
        """KB of memory that the group had at most since ``begin_peak``, as the kernel knows it; 0 where it does not.
        What is page cache now is taken away where that is not to count; page cache that is gone since is not known."""
        highest = self._highest()
        if highest <= self._peak_before:  # the peak of a job before this one
            return 0
        return max(0, highest - (0 if self._cache else self._cached())) // 1024

    def _highest(self) -> int:
        memory, unified = self._parts.get("memory"), self._parts.get("unified", "")
        text = _read(f"{memory}/{_PEAK}" if memory else f"{unified}/memory.peak").strip()
        return int(text) if text.isdecimal() else 0

    def _cached(self) -> int:
        """Bytes of the page cache, without shared memory, which the kernel counts with it."""
        if "memory" in self._parts:
            found = _table(_read(f"{self._parts['memory']}/memory.stat"))
            return found.get("total_cache", 0) - found.get("total_shmem", 0)
        found = _table(_read(f"{self._parts.get('unified', '')}/memory.stat"))
        return found.get("file", 0) - found.get("shmem", 0)

    def oom_kills(self) -> int:
        """Return how often the kernel killed a process here because memory was at its limit, since ``begin``."""
        return self._kills() - self._kills_before

    def _kills(self) -> int:
        return sum(
            [_field(text, "oom_kill") for text in self._read("memory/memory.oom_control", "unified/memory.events")]
        )

    def forget(self) -> None:
        """Closes what was opened to look at the group, which stays."""
        for descriptor in chain.from_iterable(self._open.values()):
            os.close(descriptor)
        self._open.clear()

    def close(self) -> bool:
        """Removes the group; False when something is still in it."""
        self.forget()
        return all(_remove(directory) for directory in self.directories)


def create(
    base: str,
    name: str,
    places: Mapping[str, str] | None = None,
    *,
    cache: bool = False,
    hidden: Sequence[Device] = (),
) -> JobGroup | None:
    """A new, empty group ``base/name``; None where none may be made. What is left in one of that name is killed.
    ``hidden`` are devices that nothing in it may open."""
    parts: dict[str, str] = {}
    for kind, place in (hierarchies(devices=bool(hidden)) if places is None else places).items():
        directory = f"{place}/{base}/{name}"
        try:
            os.makedirs(f"{place}/{base}", exist_ok=True)
            if kind == "unified":
                _delegate(place, base)
            if os.path.isdir(directory):
                JobGroup({kind: directory}).clear()
            os.makedirs(directory, exist_ok=True)
        except OSError:
            continue
        if os.access(f"{directory}/cgroup.procs", os.W_OK):
            parts[kind] = directory
    group = JobGroup(parts, cache=cache) if parts else None
    if group is not None and hidden:
        group.hide(hidden)
    return group


def resident(base: str, name: str, places: Mapping[str, str] | None = None) -> JobGroup | None:
    """The group ``base/name`` for a process that may have been in it before; what is in it stays. None where none may
    be made."""
    parts: dict[str, str] = {}
    for kind, place in (hierarchies() if places is None else places).items():
        directory = f"{place}/{base}/{name}"
        try:
            os.makedirs(directory, exist_ok=True)
        except OSError:
            continue
        if os.access(f"{directory}/cgroup.procs", os.W_OK):
            parts[kind] = directory
    return JobGroup(parts) if parts else None


def _delegate(place: str, base: str) -> None:
    """Lets the groups below ``base`` have the controllers that this place has."""
    if os.geteuid() != 0 and not _read(f"{place}/cgroup.subtree_control").strip():
        _step_aside(place)
    directory = place
    for word in ["", *base.split("/")]:
        directory = f"{directory}/{word}" if word else directory
        offered, given = _read(f"{directory}/cgroup.controllers").split(), f"{directory}/cgroup.subtree_control"
        for controller in {"memory", "cpu", "pids"}.intersection(offered).difference(_read(given).split()):
            _write(given, f"+{controller}")  # a write takes the kernel a millisecond, whatever comes of it


def _step_aside(place: str) -> None:
    """A group whose children have controllers may hold no processes itself: those that are in it, ours, go to one
    below. Nothing is done where we do not have the care of it."""
    leaf = f"{place}/{_DAEMONS}"
    try:
        os.makedirs(leaf, exist_ok=True)
    except OSError:
        return
    for pid in _read(f"{place}/cgroup.procs").split():
        _write(f"{leaf}/cgroup.procs", pid)


def left_over(base: str, prefix: str, places: Mapping[str, str] | None = None) -> list[JobGroup]:
    """Groups of former starters: those below ``base`` whose names begin with ``prefix``."""
    found: dict[str, dict[str, str]] = {}
    for kind, place in (hierarchies(devices=True) if places is None else places).items():
        for directory in glob.glob(f"{glob.escape(f'{place}/{base}/{prefix}')}*/"):
            found.setdefault(os.path.basename(directory.rstrip("/")), {})[kind] = directory.rstrip("/")
    return [JobGroup(parts) for parts in found.values()]


def _read(path: str) -> str:
    """The text of one of the kernel's files; "" where it is not there. Several are read for each job."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        parts = []
        while data := os.read(descriptor, 65536):
            parts.append(data)
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    return b"".join(parts).decode("ascii", "replace")


def _write(path: str, text: str) -> bool:
    """False when the kernel refuses: the file is not there, the process is gone, the value does not suit."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        os.write(descriptor, text.encode())
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _remove(directory: str) -> bool:
    try:
        for child in os.scandir(directory):
            if child.is_dir(follow_symlinks=False) and not _remove(child.path):
                return False
        os.rmdir(directory)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


@lru_cache(maxsize=64)
def _field(text: str, name: str) -> int:
    """The number of the ``name number`` line; 0 where there is none. Between two jobs the texts are the same."""
    _, found, rest = f"\n{text}".partition(f"\n{name} ")
    value = rest.partition("\n")[0]
    return int(value) if found and value.isdigit() else 0


def _table(text: str) -> dict[str, int]:
    """``name number`` lines."""
    pairs = (line.split() for line in text.splitlines())
    return {words[0]: int(words[1]) for words in pairs if len(words) == 2 and words[1].isdigit()}


class Inhabitant(Protocol):
    """A thread of ours in the group that starts programs there, known by ``handle`` to the code that starts them."""

    handle: Any

    def is_inside(self) -> bool:
        """Whether the kernel has let it in; waits until that is known."""

    def leave(self) -> None:
        """Ends it."""


class GroupDoor:
    """The way of programs into one group, with as little waiting for the kernel as can be.

    Moving a process into a group makes the kernel wait, once a hierarchy (some 10 ms each). In version 1 it need not be
    moved: a thread of ours, which may be elsewhere than its process, has been in the group since the starter began, and
    its children are born there. In version 2 the kernel itself lets a process be born in a group, unless it has killed
    that group by its file: then, and where the kernel is too old, the new process moves itself before it executes.

    ``close`` it before the group. ``enter`` makes an inhabitant of tasks files, where there can be one.
    """

    def __init__(self, group: JobGroup, enter: Callable[[tuple[str, ...]], Inhabitant] | None) -> None:
        self._group = group
        self._inhabitant: Inhabitant | None = None
        #: The files that a process started by the inhabitant still has to write itself into.
        self._left: tuple[str, ...] | None = None
        tasks = group.thread_files()
        if enter is not None and tasks:
            group.expect_thread()
            self._inhabitant = enter(tasks)

    def join(self) -> None:
        """Takes the calling process into the group. OSError."""
        self._group.join()

    def ways(self) -> tuple[tuple[str, ...], Any]:
        """See ``machine.run.spawning.Door``."""
        inhabitant = self._inhabitant
        if inhabitant is not None and inhabitant.is_inside():
            if self._left is None:
                self._left = self._group.doors(inside=True)
            return self._left, inhabitant.handle
        return self._group.doors(inside=False), None

    def close(self) -> None:
        """The inhabitant leaves the group, which cannot be removed before."""
        if self._inhabitant is not None:
            self._inhabitant.leave()
            self._inhabitant = None
