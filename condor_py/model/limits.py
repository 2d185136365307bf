"""Processors and memory that this process may use, less where a control group (version 1 or 2) limits it. Pure
functions of the kernel's files, which ``read`` gives (None or "" for a file that does not exist)."""

from __future__ import annotations

from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: The text of a file; None or "" when there is none.
Read = Callable[[str], "str | None"]

ROOT = "/sys/fs/cgroup"
#: Version 1 writes "no limit" as the largest multiple of the page size in a signed 64-bit number.
_NO_LIMIT = 1 << 62


def _own_paths(read: Read) -> Iterator[tuple[str, str]]:
    """(controller list, path) of each hierarchy this process is in; the controller list of version 2 is empty."""
    for line in (read("/proc/self/cgroup") or "").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        yield controllers, path


def directories(read: Read, controller: str) -> list[str]:
    """The directories that may limit this process for ``controller``, its own first, up to the root of the
    mount.

    A container without a name space of its own sees a path that is not mounted there: then only the root
    counts.
    """
    found: list[str] = []
    for controllers, path in _own_paths(read):
        if controllers and controller not in controllers.split(","):
            continue
        base = f"{ROOT}/{controller}" if controllers else ROOT
        parts = [part for part in path.split("/") if part]
        found += ["/".join([base, *parts[:count]]) for count in range(len(parts), -1, -1)]
    return found


def memory_limit(read: Read) -> int | None:
    """The smallest memory limit in bytes; None when there is none."""
    limits = []
    for directory in directories(read, "memory"):
        for name in ("memory.high", "memory.max", "memory.limit_in_bytes"):
            text = (read(f"{directory}/{name}") or "").strip()
            if text.isdigit() and int(text) < _NO_LIMIT:
                limits.append(int(text))
    return min(limits, default=None)


def cpu_limit(read: Read) -> float | None:
    """The smallest quota in cpus (quota / period); None when there is none."""
    limits = []
    for directory in directories(read, "cpu"):
        words = (read(f"{directory}/cpu.max") or "").split()
        if not words:
            quota = (read(f"{directory}/cpu.cfs_quota_us") or "").strip()
            words = [quota, (read(f"{directory}/cpu.cfs_period_us") or "").strip()]
        if len(words) == 2 and words[0].isdigit() and words[1].isdigit() and int(words[1]) > 0:
            limits.append(int(words[0]) / int(words[1]))
    return min(limits, default=None)


def usable_cpus(read: Read, allowed: int) -> int:
    """Cpus of the ``allowed`` ones, cut down to the whole cpus of a quota; at least 1."""
    limit = cpu_limit(read)
    return max(1, allowed if limit is None else min(allowed, int(limit)))


def meminfo_kb(read: Read, name: str) -> int:
    """A value of /proc/meminfo in KB; 0 when the line is missing."""
    for line in (read("/proc/meminfo") or "").splitlines():
        key, _, value = line.partition(":")
        if key == name:
            return int(value.split()[0])
    return 0


def memory_mb(read: Read) -> int:
    """Physical memory in MB, or the smaller limit of this process's control group."""
    total = meminfo_kb(read, "MemTotal") // 1024
    limit = memory_limit(read)
    return total if limit is None else min(total, limit // (1024 * 1024))
