"""What a pool leaves on its machine: processes, directories, mounts, control groups, loop devices, sockets, containers.

``traces`` is taken when a pool is idle; the same is to be there after the kills.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pool import PersonalPool

_CGROUPS = Path("/sys/fs/cgroup")
#: What daemons keep in SPOOL and LOG, and files that are there only at times.
_KEPT = re.compile(
    r"spool/(job_queue\.log.*|history.*|.*_history(\.\d+T\d+)?|Accountantnew\.log.*|ads(/\w+\.ads)?|spool_version"
    r"|\.schedd_\w+|grid(/\w+)?|local_univ_execute|grid/\w+/(jobs|notices)|.*\.lock)"
    r"|log/([A-Z]\w+Log(\.\w+)*|\.?\w+\.lock|\.?InstanceLock|\.\w+_address|\w+_history|daemon_sock(/\w+)?)"
)


#: Empty directories that podman makes where temporary files go, and leaves when it is killed.
_OF_ENGINES = re.compile(r"storage\d+")


def traces(pool: PersonalPool) -> Counter[str]:
    """All that there is of a pool now, without the numbers of processes."""
    mark = str(pool.directory)
    found: Counter[str] = Counter()
    found.update(f"process {_words(pid)}" for pid in pool.processes() if not (_is_launcher(pid) or _is_forgotten(pid)))
    found.update(f"in EXECUTE {path.name}" for path in _entries(pool.execute))
    local = pool.execute.parent
    for top in (pool.spool, pool.log):
        names = (str(path.relative_to(local)) for path in _below(top, 4))
        found.update(name for name in names if not _KEPT.fullmatch(name) and not _came_late(local / name))
    names = (path.name for path in _entries(pool.directory / "tmp"))
    found.update(f"temporary {name}" for name in names if not _OF_ENGINES.fullmatch(name))
    found.update(f"mount {line.split()[4]}" for line in _lines("/proc/self/mountinfo") if mark in line)
    found.update(f"control group {name}" for name in _groups(mark.replace("/", "_")))
    found.update(f"loop device for {name}" for name in _loops() if mark in name)
    sockets = {line.split()[-1] for line in _lines("/proc/net/unix") if mark in line}
    found.update(f"socket {name}" for name in sockets)
    return found


def _is_launcher(pid: int) -> bool:
    """Whether a process was forked by a daemon and has its command line: the launcher of its starters, which the schedd
    has from its first local job on."""
    with suppress(OSError, IndexError):
        parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        return "daemons/main.py" in _words(pid) and _words(pid) == _words(parent)
    return False


def _is_forgotten(pid: int) -> bool:
    """Whether it is the monitor of a container that is over, which podman did not hear of, as it was killed."""
    with suppress(OSError):
        return "/conmon " in _words(pid) and not Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return False


def _came_late(path: Path) -> bool:
    """Whether it is a notice of a batch job that a Slurm, whose controller was killed, has started again when all was
    over: its directory was gone. The next gridmanager removes it."""
    said = path.with_suffix(".said")
    with suppress(OSError):
        return path.parent.name == "notices" and "can't cd to" in said.read_text(errors="replace")
    return False


def differences(before: Counter[str], now: Counter[str]) -> list[str]:
    """What there is more than before."""
    return sorted(now - before)


def _words(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:160].strip()
    return ""


def _entries(top: Path) -> list[Path]:
    return list(top.iterdir()) if top.is_dir() else []


def _below(top: Path, depth: int) -> Iterator[Path]:
    for path in _entries(top):
        yield path
        if depth > 1 and path.is_dir() and not path.is_symlink():
            with suppress(FileNotFoundError):
                yield from _below(path, depth - 1)


def _lines(name: str) -> list[str]:
    return Path(name).read_text(errors="replace").splitlines()


def _groups(mark: str) -> Iterator[str]:
    for top, folders, _ in os.walk(_CGROUPS):
        yield from (os.path.relpath(os.path.join(top, name), _CGROUPS) for name in folders if mark in name)


def _loops() -> Iterator[str]:
    for path in Path("/sys/block").glob("loop*/loop/backing_file"):
        with suppress(OSError):
            yield path.read_text().strip()
