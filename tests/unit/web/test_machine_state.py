"""The page of the machine in numbers: memory, disks, daemons, and what checks have found, each at its bounds."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.cli.web.checks import Checks, Result
from condor_py.cli.web.page import Asked, Forbidden, NotHere, Viewer
from condor_py.cli.web.pages import machine
from condor_py.client.pool import Pool
from condor_py.lang.classad import ClassAd
from condor_py.machine.probes.process import ProcessStat
from condor_py.model.errors import CondorError
from condor_py.model.messages.codec import Refused
from condor_py.model.messages.master import MasterStatus
from condor_py.model.version import CONDOR_VERSION

NOW = 1_000_000


class Watch:
    """A watch of a pool in a directory. ``published`` are ads by kind, and subjects that change are noted."""

    def __init__(self) -> None:
        self.pool = Pool()
        for path in (self.pool.paths.spool, self.pool.paths.log, self.pool.paths.execute):
            os.makedirs(path, exist_ok=True)
        self.published: dict[str, list[ClassAd]] = {}
        self.followed: list[tuple[str, str]] = []
        self.changed: list[str] = []

    def ads(self, kind: str) -> list[ClassAd]:
        if kind == "NEGOTIATOR":
            raise CondorError("its ads are damaged")
        return self.published.get(kind, [])

    def slots(self) -> list[ClassAd]:
        return self.published.get("STARTD", [])

    def tell(self, subject: str) -> None:
        self.changed.append(subject)

    def follow(self, subject: str, path: str) -> None:
        self.followed.append((subject, path))


class Started:
    """Checks that are started but do not run."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.commands: list[tuple[str, list[str], float]] = []
        patch.setattr(Checks, "start", self._start)

    def _start(self, name: str, command: list[str], patience: float) -> Result:
        self.commands.append((name, list(command), patience))
        return Result(running=True)


@pytest.fixture
def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    return Watch()


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    return Started(monkeypatch)


@pytest.fixture
def known(watch: Any) -> machine._Known:
    return machine._Known(watch)


# ---- the machine -----------------------------------------------------------------------------------------------------

MEMINFO = "MemTotal:  4096 kB\nMemAvailable:  1024 kB\nSwapTotal: 2048 kB\nSwapFree: 512 kB\nodd\nHuge: x kB\nBare: 7\n"
PRESSURE = "some avg10=1.00 avg60=2.50 avg300=0.00 total=5\nfull avg10=0.00 avg60=9.00 avg300=0.00 total=5\n"


def test_memory_is_in_megabytes_and_pressure_a_part_of_the_time(watch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"/proc/meminfo": MEMINFO, "/proc/pressure/cpu": PRESSURE, "/proc/pressure/io": "some avg10=1.00"}
    monkeypatch.setattr(machine, "read_file", files.get)
    monkeypatch.setattr(os, "getloadavg", lambda: (1.0, 2.0, 3.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 12)
    monkeypatch.setattr("condor_py.machine.probes.machine.boot_time", lambda: 777)
    found = machine._machine(watch)
    assert (found["memory"], found["available"], found["swap"], found["swap_free"]) == (4.0, 1.0, 2.0, 0.5)
    assert found["pressure"] == {"cpu": 0.025, "memory": None, "io": None}
    assert (found["load"], found["cpus"], found["booted"]) == ([1.0, 2.0, 3.0], 12, 777)
    assert (found["kernel"], found["host"]) == (os.uname().release, watch.pool.settings.host)
    assert machine._meminfo() == {
        "MemTotal": 4096, "MemAvailable": 1024, "SwapTotal": 2048, "SwapFree": 512, "Bare": 7,
    }  # fmt: skip


def test_a_kernel_that_tells_nothing(watch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "read_file", lambda path: None)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    found = machine._machine(watch)
    assert [found[name] for name in ("memory", "available", "swap", "swap_free", "cpus")] == [0, 0, 0, 0, 1]
    assert set(found["pressure"].values()) == {None}


@pytest.mark.parametrize(
    ("slots", "system"),
    [
        ([], ""),
        ([{}], ""),
        ([{"OpSysAndVer": "Debian12"}], "Debian12"),
        ([{"OpSysLongName": "Debian GNU/Linux 12", "OpSysAndVer": "Debian12"}], "Debian GNU/Linux 12"),
        ([{"OpSysAndVer": "Debian12"}, {"OpSysLongName": "another"}], "Debian12"),
    ],
)
def test_the_system_is_that_of_the_first_slot(watch: Any, slots: list[dict[str, Any]], system: str) -> None:
    watch.published["STARTD"] = [ClassAd(slot) for slot in slots]
    assert machine._machine(watch)["system"] == system


# ---- disks -----------------------------------------------------------------------------------------------------------


class Disks:
    """File systems by the directories of the pool: (device, blocks, blocks free, files, files free); or an error."""

    def __init__(self, watch: Any, patch: pytest.MonkeyPatch, *disks: Any) -> None:
        paths = watch.pool.paths
        self._of = dict(zip((paths.spool, paths.execute, paths.log), disks, strict=True))
        fake = SimpleNamespace(**{**vars(os), "stat": self._stat, "statvfs": self._statvfs})
        patch.setattr(machine, "os", fake)

    def _stat(self, path: str) -> Any:
        if isinstance(self._of[path], OSError):
            raise self._of[path]
        return SimpleNamespace(st_dev=self._of[path][0])

    def _statvfs(self, path: str) -> Any:
        _, blocks, free, files, left = self._of[path]
        return SimpleNamespace(
            f_blocks=blocks, f_bavail=free, f_bfree=free + 1, f_frsize=4096, f_bsize=1, f_files=files, f_favail=left,
            f_ffree=left + 1,
        )  # fmt: skip


def test_bytes_and_files_that_are_left(watch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    Disks(watch, monkeypatch, (1, 1000, 500, 200, 50), (2, 1000, 500, 0, 0), (1, 1000, 500, 200, 50))
    paths = watch.pool.paths
    assert machine._disks(watch.pool) == [
        {"names": ["SPOOL", "LOG"], "path": paths.spool, "total": 4_096_000, "free": 2_048_000, "files_free": 0.25,
         "scarce": False, "problem": ""},
        {"names": ["EXECUTE"], "path": paths.execute, "total": 4_096_000, "free": 2_048_000, "files_free": None,
         "scarce": False, "problem": ""},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("disk", "scarce"),
    [
        ((1, 1000, 49, 0, 0), True),
        ((1, 1000, 50, 0, 0), False),
        ((1, 1000, 900, 1000, 49), True),
        ((1, 1000, 900, 1000, 50), False),
        ((1, 1000, 10, 1000, 900), True),
        ((1, 1000, 10, 1000, 10), True),
        ((1, 0, 0, 0, 0), True),
    ],
)
def test_below_a_twentieth_of_bytes_or_files_a_disk_is_nearly_full(
    watch: Any, monkeypatch: pytest.MonkeyPatch, disk: tuple[int, ...], scarce: bool
) -> None:
    Disks(watch, monkeypatch, disk, disk, disk)
    (found,) = machine._disks(watch.pool)
    assert found["scarce"] is scarce


def test_each_directory_that_cannot_be_seen_has_a_row(watch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    Disks(watch, monkeypatch, OSError(2, "No such file or directory"), OSError(), (5, 1000, 500, 0, 0))
    first, second, third = machine._disks(watch.pool)
    assert first == {
        "names": ["SPOOL"], "path": watch.pool.paths.spool, "total": None, "free": None, "files_free": None,
        "scarce": True, "problem": "No such file or directory",
    }  # fmt: skip
    assert (second["names"], second["problem"]) == (["EXECUTE"], "cannot be read")
    assert (third["names"], third["problem"], third["scarce"]) == (["LOG"], "", False)


# ---- daemons ---------------------------------------------------------------------------------------------------------


def test_the_master_is_asked_each_five_seconds(
    watch: Any, known: machine._Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    clock = SimpleNamespace(now=1.0)  # the machine has just booted
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)

    def ask(pool: Pool) -> tuple[dict[str, int], frozenset[str]]:
        asked.append(clock.now)
        return {"SCHEDD": 7}, frozenset()

    monkeypatch.setattr(machine, "_master_status", ask)
    for now in (1.0, 1.1, 5.9, 6.0, 6.1, 10.9, 11.5):
        clock.now = now
        assert known.status(watch.pool) == ({"SCHEDD": 7}, frozenset())
    assert asked == [1.0, 6.0, 11.5]


def test_what_the_master_answers(watch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    answers: list[Any] = [
        MasterStatus(pid=1, daemons={"SCHEDD": 7, "STARTD": None, "ODD": "8"}, off=["NEGOTIATOR"]),
        Refused(error="no"),
    ]

    def ask(self: Pool, daemon: str, request: Any, timeout: float) -> Any:
        asked.append((daemon, type(request).__name__, timeout))
        if not answers:
            raise CondorError("it does not run")
        return answers.pop(0)

    monkeypatch.setattr(Pool, "ask", ask)
    assert machine._master_status(watch.pool) == ({"SCHEDD": 7}, frozenset({"NEGOTIATOR"}))
    assert machine._master_status(watch.pool) == ({}, frozenset())
    assert machine._master_status(watch.pool) == ({}, frozenset())
    assert asked == [("master", "Status", 1.0)] * 3


def test_which_daemons_run(watch: Any, known: machine._Known, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock of a daemon says which process it is, then the master; a process that is gone counts for nothing."""
    monkeypatch.setenv("_CONDOR_DAEMON_LIST", "MASTER, COLLECTOR, SCHEDD, STARTD, NEGOTIATOR, SCHEDD, ODD, MINE, CREDD")
    monkeypatch.setenv("_CONDOR_MINE", "/opt/mine")
    watch.pool = Pool()
    me, parent, gone = os.getpid(), os.getppid(), (1 << 22) + 1
    locks = {watch.pool.paths.daemon_lock("MASTER"): parent, watch.pool.paths.daemon_lock("CREDD"): gone}
    monkeypatch.setattr(machine, "lock_holder", lambda path: locks.get(path, 0))
    known._asked, known._status = float("inf"), ({"MASTER": 1, "STARTD": 1, "MINE": me}, frozenset({"NEGOTIATOR"}))
    known.usage = {gone: machine._Usage(1, 1.0, 1.0, None), parent: machine._Usage(1, 1.0, 1.0, None)}
    rows = machine._daemons(watch, known)
    assert [(row["name"], row["state"], row["pid"]) for row in rows] == [
        ("MASTER", "running", parent), ("SCHEDD", "down", None), ("STARTD", "running", 1), ("NEGOTIATOR", "off", None),
        ("MINE", "running", me), ("CREDD", "down", None),
    ]  # fmt: skip
    assert set(known.usage) == {1, me, parent}
    assert watch.followed == [("daemons", watch.pool.paths.daemon_lock(row["name"])) for row in rows]


def test_condor_web_has_a_row_where_it_is_no_daemon_of_the_list(watch: Any, known: machine._Known) -> None:
    known._asked, known._status = float("inf"), ({}, frozenset())
    assert machine._daemons(watch, known)[-1]["name"] == "condor_web"
    known._status = {"MASTER": os.getpid()}, frozenset()
    assert [row["name"] for row in machine._daemons(watch, known)] == ["MASTER", "SCHEDD", "NEGOTIATOR", "STARTD"]


def process(cpu: float = 5.0, start: int = 700, system: float = 0.0) -> ProcessStat:
    return ProcessStat(4711, "S", 0, 0, 0, cpu, system, 100.0, 100.0, start, 1 << 20, 3072)


def test_the_figures_of_a_daemon(known: machine._Known, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "condor_py.machine.probes.process.stat", lambda pid: process(5.0, 700, 2.5) if pid == 4711 else None
    )
    monkeypatch.setattr("condor_py.machine.probes.machine.boot_time", lambda: 10_000)
    monkeypatch.setattr(os, "sysconf", lambda name: {"SC_CLK_TCK": 100}[name])
    monkeypatch.setattr(time, "monotonic", lambda: 105.0)
    known.usage[4711] = machine._Usage(700, 7.0, 100.0, None)
    ad = ClassAd({"CondorVersion": "$CondorVersion: 25.14.0 2026-11-20 BuildID: x $"})
    row = machine._daemon("SCHEDD", 4711, False, ad, known)
    assert row.pop("cpu") == pytest.approx(0.1)
    assert row == {
        "name": "SCHEDD", "pid": 4711, "state": "running", "account": "", "since": 10_007.0, "memory": 3.0,
        "cpu_seconds": 7.5, "version": "25.14.0",
    }  # fmt: skip
    nothing = {"since": None, "memory": None, "cpu_seconds": None, "cpu": None, "version": "", "account": ""}
    for is_off, state in ((True, "off"), (False, "down")):
        assert machine._daemon("SCHEDD", 0, is_off, None, known) == {
            "name": "SCHEDD", "pid": None, "state": state, **nothing,
        }  # fmt: skip


def test_the_share_of_a_core_is_measured_over_a_second_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    usage: dict[int, machine._Usage] = {}
    found = []
    for now, stat in (
        (100.0, process(1.0)), (100.9, process(3.0)), (101.0, process(2.0, system=0.5)), (101.5, process(9.0)),
        (104.0, process(3.0, system=0.5)), (106.0, process(2.0)), (107.0, process(2.0)),
    ):  # fmt: skip
        clock.now = now
        found.append(machine._share(stat, usage))
    assert found == [None, None, 1.5, 1.5, pytest.approx(1 / 3), 0.0, 0.0]
    assert usage == {4711: machine._Usage(700, 2.0, 107.0, 0.0)}


def test_the_account_of_a_process() -> None:
    import pwd

    assert machine._account(os.getpid()) == pwd.getpwuid(os.geteuid()).pw_name
    assert machine._account(0) == machine._account((1 << 22) + 1) == ""


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("", ""),
        ("$CondorVersion:", ""),
        ("$CondorVersion: 25.14.0", "25.14.0"),
        ("$CondorVersion: 25.14.0 2026-11-20 BuildID: 1 $", "25.14.0"),
        ("$CondorVersion: 25.14.0 2026-11-20 BuildID: condor_py-0.3.0 $", "0.3.0"),
    ],
)
def test_versions(text: str, version: str) -> None:
    assert machine._version(text) == version


def test_ads_that_cannot_be_read_or_are_not_there(watch: Any) -> None:
    watch.published["SCHEDD"] = [ClassAd({"A": 1}), ClassAd({"A": 2})]
    found = machine._ad(watch, "SCHEDD")
    assert found is not None
    assert found.eval_int("A", 0) == 1
    assert machine._ad(watch, "NEGOTIATOR") is machine._ad(watch, "MASTER") is None


# ---- checks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wishes", "count"),
    [
        ([NOW], 1), ([NOW, NOW], 1), ([NOW, NOW - 1], 1), ([NOW - 1, NOW], 2), ([NOW + 1], 0), ([0], 0),
        ([NOW - 599], 1), ([NOW - 600], 0), ([NOW - 5000], 0),
    ],
)  # fmt: skip
def test_a_wish_counts_once_and_for_ten_minutes(
    watch: Any, known: machine._Known, started: Started, wishes: list[int], count: int
) -> None:
    for wish in wishes:
        known.check_store(watch.pool, wish, NOW)
    assert started.commands == [("store", ["condor_store_check", watch.pool.paths.spool], 3600.0)] * count


def test_only_an_administrator_may_wish_for_a_check(watch: Any, started: Started) -> None:
    for administrator in (False, True):
        asked = Asked(Viewer("ann", administrator), {"check": str(NOW)}, (), NOW)
        if administrator:
            machine.view(watch, asked)
        else:
            with pytest.raises(Forbidden):
                machine.view(watch, asked)
    assert [name for name, _, _ in started.commands] == ["store", "lint"]
    assert started.commands[1] == ("lint", ["condor_config_val", "-lint", "-json"], 60.0)


def test_the_end_of_a_check_is_a_change_of_the_daemons(
    watch: Any, known: machine._Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "condor_py.cli.web.checks.subprocess.run", lambda *_, **__: SimpleNamespace(stdout=b"x", returncode=0)
    )
    known.checks._run("lint", ["condor_version"], 1.0)
    assert watch.changed == ["daemons"]


@pytest.mark.parametrize(
    ("problem", "output"),
    [
        (subprocess.TimeoutExpired("x", 60), "condor_version took longer than 60 seconds"),
        (OSError(2, "No such file or directory"), "condor_version cannot be started: No such file or directory"),
    ],
)
def test_a_check_that_does_not_end_or_begin(monkeypatch: pytest.MonkeyPatch, problem: Exception, output: str) -> None:
    def run(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(time, "time", lambda: 77.0)
    checks = Checks(lambda: None)
    checks._run("x", ["condor_version", "-v"], 60.0)
    assert checks.last("x") == Result(output, -1, 77.0, False)
    assert checks.last("y") == Result("", None, 0.0, False)


@pytest.mark.parametrize(
    ("looks", "commands"),
    [
        ([(1, 100.0)], 1), ([(1, 100.0), (1, 999.0)], 1), ([(1, 100.0), (2, 119.9)], 1), ([(1, 100.0), (2, 120.0)], 2),
        ([(1, 1.0)], 1), ([(1, 100.0), (2, 110.0), (3, 121.0)], 2),
    ],
)  # fmt: skip
def test_a_check_is_fresh_while_its_key_is_the_same(
    monkeypatch: pytest.MonkeyPatch, looks: list[tuple[int, float]], commands: int
) -> None:
    """And it begins once in twenty seconds at most."""
    begun: list[Any] = []
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    monkeypatch.setattr("threading.Thread", lambda **made: SimpleNamespace(start=lambda: begun.append(made["args"])))
    checks = Checks(lambda: None)
    for key, now in looks:
        clock.now = now
        checks.keep_fresh("x", ["lint"], key, 20.0, 60.0)
        checks._results["x"] = Result("", 0, now)
    assert begun == [("x", ["lint"], 60.0)] * commands


def findings(*severities: str) -> str:
    return json.dumps([{"severity": name} for name in severities])


@pytest.mark.parametrize(
    ("result", "found", "problem"),
    [
        (Result("[]", None), 0, ""),
        (Result("[]", 0), 0, ""),
        (Result(f"said\n{findings('error', 'note')}\n2 findings", 1), 2, ""),
        (Result('[{"severity": "error"}, 5, "x"]', 0), 1, ""),
        (Result("\n  \nno such file\nmore", 1), 0, "no such file"),
        (Result("  \n", 1), 0, "lint said nothing"),
        (Result("", -1), 0, "lint said nothing"),
    ],
)
def test_what_lint_has_found(result: Result, found: int, problem: str) -> None:
    made, said = machine._findings(result)
    assert (len(made), said) == (found, problem)


def test_findings_are_counted_and_the_first_of_them_shown(
    watch: Any, known: machine._Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = {"lint": Result(findings(*["error"] * 150, *["warning"] * 99, "note", "odd"), 1, 55.5)}
    monkeypatch.setattr(Checks, "keep_fresh", lambda self, name, *_: results[name])
    assert machine._lint(watch.pool, known, True) == {
        "running": False, "when": 55.5, "counts": {"error": 150, "warning": 99, "note": 1}, "problem": "",
        "findings": [*[{"severity": "error"}] * 150, *[{"severity": "warning"}] * 50],
    }  # fmt: skip
    results["lint"] = Result("/etc/secret: no such file", 1, 56.0, running=True)
    assert machine._lint(watch.pool, known, True)["problem"] == "/etc/secret: no such file"
    assert machine._lint(watch.pool, known, False) == {
        "running": True, "when": 56.0, "counts": {"error": 0, "warning": 0, "note": 0}, "findings": [],
        "problem": "The configuration cannot be checked.",
    }  # fmt: skip
    results["lint"] = Result()
    assert machine._lint(watch.pool, known, False)["problem"] == ""
    assert machine._lint(watch.pool, known, False)["when"] is None


@pytest.mark.parametrize(("code", "sound"), [(None, None), (0, True), (1, False), (-1, False)])
def test_what_the_check_of_the_store_has_found(
    watch: Any, known: machine._Known, code: int | None, sound: bool | None
) -> None:
    lines = [f"line {number}" for number in range(250)]
    known.checks._results["store"] = Result("\n".join(lines), code, 7.0 if code is not None else 0.0, code is None)
    found = machine._store(watch.pool, known, True)
    assert (found["sound"], found["running"], found["checked"]) == (
        sound,
        code is None,
        7.0 if code is not None else None,
    )
    assert found["lines"] == lines[:200]
    assert machine._store(watch.pool, known, False) == {**found, "lines": []}


def test_damaged_files_are_listed_from_the_newest_on(watch: Any) -> None:
    spool = Path(watch.pool.paths.spool)
    for number in range(125):
        path = spool / f"history.damaged.{number}"
        path.write_bytes(b"x" * number)
        os.utime(path, (number * 7919 % 125, number * 7919 % 125))
    (spool / "history").write_text("sound")
    (spool / "folder.damaged").mkdir()
    found = machine._damaged(str(spool))
    assert [one["when"] for one in found] == list(range(124, 4, -1))
    assert {(one["file"], one["bytes"]) for one in found} <= {(f"history.damaged.{n}", n) for n in range(125)}
    assert machine._damaged(f"{spool}/nowhere") == []


# ---- logs ------------------------------------------------------------------------------------------------------------


def test_logs_that_exist_are_listed_in_the_order_of_the_daemons(watch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_DAEMON_LIST", "MASTER, STARTD, SCHEDD, STARTD, ODD")
    watch.pool = Pool()
    for name, size in (("SchedLog", 5), ("StartLog", 7)):
        path = Path(watch.pool.paths.log, name)
        path.write_bytes(b"x" * size)
        os.utime(path, (size, size))
    assert machine._logs(watch.pool) == [
        {"name": "STARTD", "bytes": 7, "when": 7.0}, {"name": "SCHEDD", "bytes": 5, "when": 5.0},
    ]  # fmt: skip


@pytest.mark.parametrize(("extra", "first"), [(0, "first"), (1, "second")])
def test_half_a_line_of_a_long_log_is_left_out(watch: Any, extra: int, first: str) -> None:
    """Up to 64 KB a log is read as a whole; the beginning of more is cut, and empty lines are not shown."""
    size = 64 << 10
    text = b"x" * extra + b"first\nsecond\n"
    text += b"\n" * (size + extra - len(text) - len(b"last\n")) + b"last\n"
    Path(watch.pool.paths.log, "SchedLog").write_bytes(text)
    expected = ["last", "second", "first"] if first == "first" else ["last", "second"]
    assert machine._log(watch.pool, "SCHEDD") == {"name": "SCHEDD", "lines": expected}


def test_the_newest_hundred_and_twenty_lines_are_shown(watch: Any) -> None:
    Path(watch.pool.paths.log, "SchedLog").write_text("".join(f"{number}\n" for number in range(500)))
    lines = machine._log(watch.pool, "SCHEDD")["lines"]
    assert lines == [str(number) for number in range(499, 379, -1)]
    with pytest.raises(NotHere, match=r"^There is no such log\.$"):
        machine._log(watch.pool, "ODD")
    with pytest.raises(NotHere, match=r"^The log cannot be read: No such file or directory$"):
        machine._log(watch.pool, "MASTER")


def test_the_whole_page_of_an_administrator_and_of_others(watch: Any, started: Started) -> None:
    Path(watch.pool.paths.log, "SchedLog").write_text("a line\n")
    whole = machine.view(watch, Asked(Viewer("root", True), {"log": "SCHEDD"}, (), NOW))
    assert (whole["administrator"], whole["log"]) == (True, {"name": "SCHEDD", "lines": ["a line"]})
    assert [log["name"] for log in whole["logs"]] == ["SCHEDD"]
    assert machine.view(watch, Asked(Viewer("root", True), {}, (), NOW))["log"] is None
    others = machine.view(watch, Asked(Viewer("ann", False), {"log": "SCHEDD"}, (), NOW))
    assert (others["administrator"], others["log"], others["logs"]) == (False, None, [])
    (own,) = (row for row in whole["daemons"] if row["pid"] == os.getpid())
    assert own["version"] == machine._version(CONDOR_VERSION) != ""
