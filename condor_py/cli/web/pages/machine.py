"""The machine: its daemons, load and room on disks, what lint says of the configuration, damage of the store, logs.

Findings of lint and logs name paths and values that not every account may read: they are for administrators.
"""

from __future__ import annotations

import json
import os
import pwd
import time
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from condor_py.cli.web.checks import Checks, Result
from condor_py.cli.web.live import stamp
from condor_py.cli.web.page import NUMBER, TEXT, TRUTH, WHOLE, Forbidden, NotHere, Page, Parameter, array, maybe, record
from condor_py.client.lockfile import lock_holder
from condor_py.lang.config.builders.daemon import KNOWN, built_in, listed, programs
from condor_py.machine.probes import machine, process
from condor_py.machine.probes.reader import read_file
from condor_py.machine.run.userfiles import open_user_file
from condor_py.model.errors import CondorError
from condor_py.model.texts import printable_lines
from condor_py.model.version import CONDOR_VERSION

if TYPE_CHECKING:
    from condor_py.cli.web.live import Watch
    from condor_py.cli.web.page import Asked, Data
    from condor_py.client.pool import Pool
    from condor_py.lang.classad import ClassAd

#: Lines and bytes of a log that are shown, and findings of lint.
LINES, _TAIL, _MOST_FINDINGS = 120, 64 << 10, 200
#: Seconds between two looks at the configuration and two questions to the master, and that checks may take.
_LINT_PAUSE, _MASTER_PAUSE, _MASTER_PATIENCE, _LINT_PATIENCE, _STORE_PATIENCE = 20.0, 5.0, 1.0, 60.0, 3600.0
#: Seconds for which a wish for a check counts.
_WISH = 600
#: The share of a disk that is free below which it is nearly full.
_SCARCE = 0.05
_RESOURCES = ("cpu", "memory", "io")


class _Usage(NamedTuple):
    """CPU seconds of a process when it was looked at (monotonic seconds), and its share of a core before that."""

    start: int
    cpu: float
    when: float
    share: float | None


class _Known:
    """State that the page keeps for a pool."""

    def __init__(self, watch: Watch) -> None:
        self.checks = Checks(lambda: watch.tell("daemons"))
        self.usage: dict[int, _Usage] = {}
        self._status: tuple[dict[str, int], frozenset[str]] = ({}, frozenset())
        self._asked = -_MASTER_PAUSE
        self._wish = 0

    def check_store(self, pool: Pool, wish: int, now: int) -> None:
        """Start the full check of the store: once for a wish (Unix seconds), however often its page is fetched."""
        if self._wish < wish <= now and now - wish < _WISH:
            self._wish = wish
            self.checks.start("store", ["condor_store_check", pool.paths.spool], _STORE_PATIENCE)

    def status(self, pool: Pool) -> tuple[dict[str, int], frozenset[str]]:
        """Return the processes that the master runs, by name, and the daemons that condor_off has stopped."""
        if time.monotonic() - self._asked >= _MASTER_PAUSE:
            self._status = _master_status(pool)
            self._asked = time.monotonic()
        return self._status


_known: WeakKeyDictionary[Watch, _Known] = WeakKeyDictionary()


def view(watch: Watch, asked: Asked) -> Data:
    """Return the state of the machine and of the programs of the pool."""
    known = _known.get(watch)
    if known is None:
        known = _known[watch] = _Known(watch)
    pool, everything = watch.pool, asked.viewer.administrator
    if wish := asked.number("check", 0):
        if not everything:
            raise Forbidden("The full check of the store is for administrators.")
        known.check_store(pool, wish, asked.now)
    return {
        "machine": _machine(watch),
        "daemons": _daemons(watch, known),
        "disks": _disks(pool),
        "lint": _lint(pool, known, everything),
        "store": _store(pool, known, everything),
        "logs": _logs(pool) if everything else [],
        "log": _log(pool, asked.text("log")) if everything and asked.text("log") else None,
        "administrator": everything,
    }


# ---- machine ---------------------------------------------------------------------------------------------------------


def _machine(watch: Watch) -> Data:
    slots = watch.slots()
    first = slots[0] if slots else None

    def text(name: str) -> str:
        return first.eval_str(name, "") if first is not None else ""

    meminfo = _meminfo()
    return {
        "host": watch.pool.settings.host,
        "system": text("OpSysLongName") or text("OpSysAndVer"),
        "kernel": os.uname().release,
        "cpus": os.cpu_count() or 1,
        "load": list(os.getloadavg()),
        "memory": meminfo.get("MemTotal", 0) / 1024,
        "available": meminfo.get("MemAvailable", 0) / 1024,
        "swap": meminfo.get("SwapTotal", 0) / 1024,
        "swap_free": meminfo.get("SwapFree", 0) / 1024,
        "booted": machine.boot_time(),
        "pressure": {name: _pressure(name) for name in _RESOURCES},
    }


def _meminfo() -> dict[str, int]:
    """Return the amounts of /proc/meminfo in KB."""
    found = {}
    for line in (read_file("/proc/meminfo") or "").splitlines():
        name, _, rest = line.partition(":")
        words = rest.split()
        if words and words[0].isdecimal():
            found[name] = int(words[0])
    return found


def _pressure(name: str) -> float | None:
    """Return the part of the last minute in which some task waited for a resource; None where the kernel does not
    tell."""
    for word in (read_file(f"/proc/pressure/{name}") or "").split():
        if word.startswith("avg60="):
            return float(word[6:]) / 100
    return None


def _disks(pool: Pool) -> list[Data]:
    """Return the file systems of the pool's directories: bytes, and files as far as their number is limited."""
    found: dict[int, Data] = {}
    for name, path in (("SPOOL", pool.paths.spool), ("EXECUTE", pool.paths.execute), ("LOG", pool.paths.log)):
        try:
            device, room = os.stat(path).st_dev, os.statvfs(path)
        except OSError as error:
            found[-len(found) - 1] = {
                "names": [name], "path": path, "total": None, "free": None, "files_free": None, "scarce": True,
                "problem": error.strerror or "cannot be read",
            }  # fmt: skip
            continue
        if device in found:
            found[device]["names"].append(name)
            continue
        files = room.f_favail / room.f_files if room.f_files else None
        part = room.f_bavail / room.f_blocks if room.f_blocks else 0.0
        found[device] = {
            "names": [name],
            "path": path,
            "total": room.f_blocks * room.f_frsize,
            "free": room.f_bavail * room.f_frsize,
            "files_free": files,
            "scarce": part < _SCARCE or (files is not None and files < _SCARCE),
            "problem": "",
        }
    return list(found.values())


# ---- daemons ---------------------------------------------------------------------------------------------------------


def _master_status(pool: Pool) -> tuple[dict[str, int], frozenset[str]]:
    from condor_py.model.messages.codec import Refused
    from condor_py.model.messages.master import Status

    try:
        answer = pool.ask("master", Status(), timeout=_MASTER_PATIENCE)
    except CondorError:
        return {}, frozenset()
    if isinstance(answer, Refused):
        return {}, frozenset()
    return {name: pid for name, pid in answer.daemons.items() if isinstance(pid, int)}, frozenset(answer.off)


def _daemons(watch: Watch, known: _Known) -> list[Data]:
    pool = watch.pool
    pids, off = known.status(pool)
    mine = {*KNOWN, *programs(pool.config)} - built_in(pool.config)
    names = ["MASTER", *(name for name in dict.fromkeys(listed(pool.config)) if name in mine)]
    rows = []
    for name in names:
        lock = pool.paths.daemon_lock(name)
        watch.follow("daemons", lock)
        pid = lock_holder(lock) or pids.get(name, 0)
        rows.append(_daemon(name, pid if pid and process.alive(pid) else 0, name in off, _ad(watch, name), known))
    if os.getpid() not in {row["pid"] for row in rows}:
        rows.append(_daemon("condor_web", os.getpid(), False, None, known))
    for pid in known.usage.keys() - {row["pid"] for row in rows}:
        del known.usage[pid]
    return rows


def _ad(watch: Watch, name: str) -> ClassAd | None:
    """Return the ad of a daemon; of the startd that of one of its slots."""
    try:
        ads = watch.ads(name)
    except CondorError:
        return None
    return ads[0] if ads else None


def _daemon(name: str, pid: int, is_off: bool, ad: ClassAd | None, known: _Known) -> Data:
    stat = process.stat(pid) if pid else None
    published = ad.eval_str("CondorVersion", "") if ad is not None else ""
    return {
        "name": name,
        "pid": pid or None,
        "state": "running" if pid else "off" if is_off else "down",
        "account": _account(pid),
        "since": machine.boot_time() + stat.start_ticks / os.sysconf("SC_CLK_TCK") if stat is not None else None,
        "memory": stat.rss_kb / 1024 if stat is not None else None,
        "cpu_seconds": stat.user_cpu + stat.sys_cpu if stat is not None else None,
        "cpu": _share(stat, known.usage) if stat is not None else None,
        "version": _version(CONDOR_VERSION if pid == os.getpid() else published),
    }


def _share(stat: process.ProcessStat, usage: dict[int, _Usage]) -> float | None:
    """Return the part of a core that a process used since it was looked at before, a second ago at least."""
    now, cpu = time.monotonic(), stat.user_cpu + stat.sys_cpu
    before = usage.get(stat.pid)
    if before is None or before.start != stat.start_ticks:
        usage[stat.pid] = _Usage(stat.start_ticks, cpu, now, None)
        return None
    if now - before.when < 1.0:
        return before.share
    share = max(0.0, (cpu - before.cpu) / (now - before.when))
    usage[stat.pid] = _Usage(stat.start_ticks, cpu, now, share)
    return share


def _account(pid: int) -> str:
    try:
        return pwd.getpwuid(os.stat(f"/proc/{pid}").st_uid).pw_name if pid else ""
    except (OSError, KeyError):
        return ""


def _version(text: str) -> str:
    """Return the version of condor_py out of CondorVersion, that of HTCondor where it names no other."""
    words = text.split()
    own = next((word.removeprefix("condor_py-") for word in words if word.startswith("condor_py-")), "")
    return own or (words[1] if len(words) > 1 else "")


# ---- checks ----------------------------------------------------------------------------------------------------------


def _lint(pool: Pool, known: _Known, everything: bool) -> Data:
    """Return the findings of ``condor_config_val -lint``; to others than administrators only how many there are."""
    stamps = tuple(stamp(file) for file in pool.config.files)
    result = known.checks.keep_fresh(
        "lint", ["condor_config_val", "-lint", "-json"], stamps, _LINT_PAUSE, _LINT_PATIENCE
    )
    found, problem = _findings(result)
    counts = {name: sum(one.get("severity") == name for one in found) for name in ("error", "warning", "note")}
    return {
        "running": result.running,
        "when": result.when or None,
        "counts": counts,
        "findings": found[:_MOST_FINDINGS] if everything else [],
        "problem": problem if everything or not problem else "The configuration cannot be checked.",
    }


def _findings(result: Result) -> tuple[list[dict[str, Any]], str]:
    if result.code is None:
        return [], ""
    begin, end = result.output.find("["), result.output.rfind("]")
    try:
        found = json.loads(result.output[begin : end + 1])
    except ValueError:
        return [], next((line for line in result.output.splitlines() if line.strip()), "lint said nothing")
    return [one for one in found if isinstance(one, dict)], ""


def _store(pool: Pool, known: _Known, everything: bool) -> Data:
    """Return the files of the spool that were damaged and mended, and what the last full check found."""
    result = known.checks.last("store")
    lines = result.output.splitlines()
    return {
        "damaged": _damaged(pool.paths.spool),
        "running": result.running,
        "checked": result.when or None,
        "sound": result.code == 0 if result.code is not None else None,
        "lines": lines[:_MOST_FINDINGS] if everything else [],
    }


def _damaged(spool: str) -> list[Data]:
    """Return the copies of damaged files that a daemon or condor_store_check -repair has kept, the newest first."""
    found: list[Data] = []
    try:
        with os.scandir(spool) as entries:
            for entry in entries:
                if ".damaged" in entry.name and entry.is_file(follow_symlinks=False):
                    seen = entry.stat(follow_symlinks=False)
                    found.append({"file": entry.name, "bytes": seen.st_size, "when": seen.st_mtime})
    except OSError:
        return []
    return sorted(found, key=lambda one: -one["when"])[:LINES]


# ---- logs ------------------------------------------------------------------------------------------------------------


def _logs(pool: Pool) -> list[Data]:
    """Return the logs of the daemons that exist, with the time of their last line."""
    found = []
    for name, path in _paths(pool).items():
        try:
            seen = os.stat(path)
        except OSError:
            continue
        found.append({"name": name, "bytes": seen.st_size, "when": seen.st_mtime})
    return found


def _paths(pool: Pool) -> dict[str, str]:
    names = ["MASTER", *dict.fromkeys(listed(pool.config))]
    return {name: path for name in names if (path := pool.config.path(f"{name}_LOG"))}


def _log(pool: Pool, name: str) -> Data:
    """Return the last lines of a log, the newest first, without control characters."""
    path = _paths(pool).get(name)
    if path is None:
        raise NotHere("There is no such log.")
    try:
        descriptor = open_user_file(path)
        with open(descriptor, "rb") as file:
            size = os.fstat(descriptor).st_size
            file.seek(max(0, size - _TAIL))
            text = file.read(_TAIL).decode("utf-8", "replace")
    except OSError as error:
        raise NotHere(f"The log cannot be read: {error.strerror}") from None
    lines = text.split("\n")
    if size > _TAIL:
        del lines[0]
    return {"name": name, "lines": [printable_lines(line) for line in reversed(lines) if line][:LINES]}


_DAEMON = record(
    name=TEXT, pid=maybe(WHOLE), state=TEXT, account=TEXT, since=maybe(NUMBER), memory=maybe(NUMBER),
    cpu_seconds=maybe(NUMBER), cpu=maybe(NUMBER), version=TEXT,
)  # fmt: skip
_MACHINE = record(
    host=TEXT, system=TEXT, kernel=TEXT, cpus=WHOLE, load=array(NUMBER), memory=NUMBER, available=NUMBER, swap=NUMBER,
    swap_free=NUMBER, booted=WHOLE, pressure=record(**dict.fromkeys(_RESOURCES, maybe(NUMBER))),
)  # fmt: skip
_DISK = record(
    names=array(TEXT), path=TEXT, total=maybe(NUMBER), free=maybe(NUMBER), files_free=maybe(NUMBER), scarce=TRUTH,
    problem=TEXT,
)  # fmt: skip
_FINDING = record(severity=TEXT, knob=TEXT, file=TEXT, line=WHOLE, message=TEXT)
_LINT = record(
    running=TRUTH, when=maybe(NUMBER), counts=record(error=WHOLE, warning=WHOLE, note=WHOLE), findings=array(_FINDING),
    problem=TEXT,
)  # fmt: skip
_STORE = record(
    damaged=array(record(file=TEXT, bytes=WHOLE, when=NUMBER)), running=TRUTH, checked=maybe(NUMBER),
    sound=maybe(TRUTH), lines=array(TEXT),
)  # fmt: skip
PAGE = Page(
    "machine",
    "Machine",
    view,
    record(
        machine=_MACHINE,
        daemons=array(_DAEMON),
        disks=array(_DISK),
        lint=_LINT,
        store=_STORE,
        logs=array(record(name=TEXT, bytes=WHOLE, when=NUMBER)),
        log=maybe(record(name=TEXT, lines=array(TEXT))),
        administrator=TRUTH,
    ),
    (
        Parameter("log", "the log whose last lines are shown (administrators)"),
        Parameter("check", "the time now, in Unix seconds: starts the full check of the store (administrators)", WHOLE),
    ),
    ("daemons", "slots"),
)
