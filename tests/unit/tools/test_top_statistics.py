"""condor_top of a daemon prints what HTCondor 25.14's prints of the same ads."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from types import SimpleNamespace

import pytest
from tool_runner import Spool, run

from condor_py.cli import entry
from condor_py.cli.top import daemons
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "top"
OLD, NEW = str(GOLDEN / "older.ad"), str(GOLDEN / "newer.ad")


@pytest.mark.parametrize(("options", "expected"), [
    ((), "default"), (("-c", "all"), "all"), (("--columns", "count"), "count"), (("-columns=count",), None),
])  # fmt: skip
def test_of_two_files(options: tuple[str, ...], expected: str | None, spool: Spool) -> None:
    for files in ((OLD, NEW), (NEW, OLD)):
        done = run("condor_top", *options, *files)
        if expected is None:
            assert done.code == 2
        else:
            assert done.out == (GOLDEN / f"{expected}.txt").read_text()


def test_more_attributes_and_another_order(spool: Spool) -> None:
    done = run("condor_top", "-c", "count", "--attrs=JobsStarted,Nothing", "-s", "TotalCt", OLD, NEW)
    names = [line.split()[-1] for line in done.out.splitlines()[8:]]
    assert names == ["Big", "Timer_x", "JobsStarted", "SCGetAutoCluster", "Command_QMGMT", "Odd"]


def test_of_the_history(spool: Spool) -> None:
    path = spool.path.parent / "schedd_daemon_history"
    mark = "*** ProcId = -1 Owner = \n"
    path.write_text("X = 1\n" + mark + Path(OLD).read_text() + mark + Path(NEW).read_text() + mark)
    assert run("condor_top", "-H").out == (GOLDEN / "default.txt").read_text()
    path.write_text(Path(OLD).read_text() + mark)
    done = run("condor_top", "--history")
    assert (done.code, "does not contain 2 ClassAds" in done.err) == (1, True)


@pytest.mark.parametrize(("words", "told"), [
    ((OLD,), "Bad arguments or more/less than 2 files"),
    ((OLD, OLD), "same timestamp"),
    ((OLD, "nowhere"), "nowhere"),
    (("-history", OLD, NEW), "cannot be combined"),
    (("-history", "-startd"), "only supported for Schedd"),
    (("-sort", "SIZE"), "cannot sort by SIZE"),
    (("-delay", "0"), "-delay is a number of seconds"),
    (("-schedd", "-delay", "inf"), "inf is not a valid value for -delay"),
    (("-schedd", "-nosuch"), "-nosuch"),
    (("-schedd",), "Did not receive any Schedd ads"),
])  # fmt: skip
def test_what_is_refused(words: tuple[str, ...], told: str, spool: Spool) -> None:
    done = run("condor_top", *words)
    assert done.code == (2 if words[-1] in ("SIZE", "0", "inf", "-nosuch") else 1)
    assert told in done.err
    assert "Traceback" not in done.err


def test_without_a_terminal_one_picture_is_printed(spool: Spool) -> None:
    spool.add(1, 3)
    done = run("condor_top")
    assert done.code == 0
    assert done.out.count("sleep 60") == 3
    assert "No condor_master is running" in done.out
    assert "\x1b" not in done.out


DAEMON = """MyType = "Scheduler"
Name = "lab"
MonitorSelfTime = 1795001300
MonitorSelfAge = 90061
MonitorSelfSysCpuTime = 59
MonitorSelfUserCpuTime = 3600
MonitorSelfImageSize = 2500000
MonitorSelfResidentSetSize = 999
RecentDaemonCoreDutyCycle = 0.12345
RecentStatsLifetime = 1200
RecentStatsTickTime = 1795001240
DCCommandsPerSecond_20m = 0.5
DCCommandsPerSecond_4h = 7.0
"""
STATUS = """\
Schedd lab status at 2026-11-18 11:28:20:
Uptime: 1 day, 1:01:01
SysCpuTime: 0:00:59    UserCpuTime: 1:00:00
Memory: 2.5 G    RSS: 999.0 K

Recent DC status at 2026-11-18 11:27:20:
Duty Cycle (last 1200s): 12.35%    Ops/second (last 20m): 0.500

"""
NOTHING = "Did not get any comparable runtime attributes from daemon ClassAd, exiting early.\n"


def publish(spool: Spool, kind: str, *texts: str) -> None:
    AdStore(f"{spool.path.parent}/ads").publish(kind, [ClassAd(f"[{text.replace(chr(10), ';')}]") for text in texts])


def test_a_daemon_that_runs(spool: Spool) -> None:
    publish(spool, "SCHEDD", DAEMON)
    assert run("condor_top", "-schedd") == (STATUS, NOTHING, 0)
    assert run("condor_top", "-schedd", "-name", "lab", "-once") == (STATUS, NOTHING, 0)
    done = run("condor_top", "-schedd", "-name", "other")
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith("Error: Did not receive any Schedd ads from Collector ")
    assert run("condor_top", "-schedd", "-once", "-attrs", "Missing") == (STATUS, "", 0)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ["Recent DC status at 1970-01-01 00:00:00:", ""]),
        ("MonitorSelfTime = 60\n", ["Recent DC status at 1970-01-01 00:01:00:", ""]),
        ("RecentDaemonCoreDutyCycle = 0.5\n", ["Recent DC status at 1970-01-01 00:00:00:", "Duty Cycle: 50.00%    "]),
        ("DCCommandsPerSecond_4h = 7.0\nDCCommandsPerSecond_4m = 0.25\n",
         ["Recent DC status at 1970-01-01 00:00:00:", "Ops/second (last 4m): 0.250"]),
        ("DCCommandsPerSecond_4h = 7.0\n",
         ["Recent DC status at 1970-01-01 00:00:00:", "Ops/second (last 4h): 7.000"]),
        ("MonitorSelfResidentSetSize = 1000\nMonitorSelfImageSize = 1e15\n",
         ["Memory: 1000.0 P    RSS: 1.0 M", "", "Recent DC status at 1970-01-01 00:00:00:", ""]),
        ("MonitorSelfSysCpuTime = 5.9\n", ["SysCpuTime: 0:00:05", "", "Recent DC status at 1970-01-01 00:00:00:", ""]),
    ],
)  # fmt: skip
def test_what_a_daemon_does_not_publish_is_left_out(spool: Spool, text: str, lines: list[str]) -> None:
    publish(spool, "NEGOTIATOR", text + 'MyType = "Negotiator"\nName = "n"\n')
    shown = run("condor_top", "-negotiator", "-once").out.split("\n")
    assert shown[0].startswith("Negotiator n status at 1970-01-01 00:0")
    assert shown[-2 - len(lines) : -2] == lines


@pytest.mark.parametrize(
    ("listed", "words", "said"),
    [
        ("MASTER, SCHEDD, STARTD", (), "Schedd"),
        ("MASTER, NEGOTIATOR, STARTD", (), "Startd"),
        ("MASTER, NEGOTIATOR", (), "Negotiator"),
        ("MASTER", (), "Master"),
        ("MASTER, SCHEDD", ("-master",), "Master"),
        ("MASTER, SCHEDD", ("-negotiator",), "Negotiator"),
        ("MASTER, SCHEDD", ("-startd",), "Startd"),
    ],
)
def test_the_daemon_that_is_meant(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, listed: str, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.setenv("_CONDOR_DAEMON_LIST", listed)
    kinds = {"SCHEDD": "Scheduler", "STARTD": "StartD", "NEGOTIATOR": "Negotiator", "MASTER": "DaemonMaster"}
    for kind, my_type in kinds.items():
        publish(spool, kind, f'MyType = "{my_type}"\nName = "{kind}"\n')
    done = run("condor_top", "-once", "-live", *words)
    assert done.out.startswith(f"{said} {said.upper()} status at ")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def daemon(name: str, at: int, more: str = "") -> str:
    """The older or the newer ad of a daemon, ``at`` seconds later than it says."""
    text = (GOLDEN / f"{name}.ad").read_text()
    lines = [line for line in text.splitlines() if not line.startswith(("MyCurrentTime", "StatsLifetime"))]
    times = {"older": 1795000000, "newer": 1795001300}
    return "\n".join([*lines, f"MyCurrentTime = {times[name] + at}", more])


def test_two_ads_of_a_daemon_are_compared(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(spool, "SCHEDD", daemon("older", 0))
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        publish(spool, "SCHEDD", daemon("newer", 0))

    monkeypatch.setattr(daemons, "_count_down", wait)
    done = run("condor_top", "-schedd", "-delay", "7.5")
    assert (done.err, done.code, waits) == ("", 0, [7.5])
    begin = done.out.index("DC status from ")
    rows = (GOLDEN / "default.txt").read_text().splitlines()
    assert [line.split()[-1:] for line in done.out[begin:].splitlines()[5:]] == [line.split()[-1:] for line in rows[5:]]
    monkeypatch.setenv("_CONDOR_STATISTICS_WINDOW_QUANTUM", "33")
    publish(spool, "SCHEDD", daemon("older", 0))
    assert run("condor_top", "-schedd").code == 0
    monkeypatch.delenv("_CONDOR_STATISTICS_WINDOW_QUANTUM")
    publish(spool, "SCHEDD", daemon("older", 0))
    assert run("condor_top", "-schedd").code == 0
    assert waits == [7.5, 33, 240]


def test_a_daemon_that_was_started_again_is_compared_with_itself(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    ads = [daemon("newer", 0), daemon("older", 0).replace("DaemonStartTime = 1795000000", "DaemonStartTime = 1")]
    publish(spool, "SCHEDD", ads.pop())
    left = [daemon("older", 0), daemon("newer", 0)]
    monkeypatch.setattr(daemons, "_count_down", lambda seconds: publish(spool, "SCHEDD", left.pop(0)))
    done = run("condor_top", "-schedd", "-delay", "1")
    assert (done.err, done.code, left) == ("", 0, [])
    assert done.out.count("DC status from ") == 1


def test_a_terminal_is_drawn_again_and_again(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(spool, "SCHEDD", daemon("older", 0))
    turns = [0]

    def wait(seconds: float) -> None:
        turns[0] += 1
        if turns[0] > 2:
            raise KeyboardInterrupt
        publish(spool, "SCHEDD", daemon("newer", 10 * turns[0]))

    shown = Terminal()
    monkeypatch.setattr(daemons, "_count_down", wait)
    monkeypatch.setattr("sys.stdout", shown)
    with contextlib.redirect_stderr(io.StringIO()) as said:
        assert entry.main("condor_top", ["-schedd", "-live", "-delay", "1"]) == 0
    assert said.getvalue() == ""
    assert shown.getvalue().count("\033[H\033[JSchedd lab status at ") == 2
    assert shown.getvalue().endswith("\n\n")


def test_attributes_that_a_daemon_does_not_publish_are_named_on_a_terminal(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(spool, "SCHEDD", DAEMON)
    said = Terminal()
    with contextlib.redirect_stdout(io.StringIO()):
        monkeypatch.setattr("sys.stderr", said)
        assert entry.main("condor_top", ["-schedd", "-once", "-attrs", "MonitorSelfAgee, Name,,Zork"]) == 0
    assert said.getvalue().splitlines() == [
        "condor_top: the Schedd publishes no MonitorSelfAgee: did you mean MonitorSelfAge?",
        "condor_top: the Schedd publishes no Zork",
    ]


def test_a_person_is_told_how_long_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    naps: list[float] = []

    def sleep(seconds: float) -> None:
        naps.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(daemons, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    said = Terminal()
    monkeypatch.setattr("sys.stderr", said)
    daemons._count_down(2.5)
    assert naps == [1.0, 1.0, 0.5]
    assert said.getvalue() == (
        "\rUpdating ClassAd in     2 s\rUpdating ClassAd in     1 s\rUpdating ClassAd in     0 s"
        "\rUpdating ClassAd ..........\n\n"
    )
    monkeypatch.setattr("sys.stderr", io.StringIO())
    daemons._count_down(1.0)
    assert naps[3:] == [1.0]
