"""Small rules of the tools: hints on terminals, orders of rows, bounds of numbers, words of tables."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import entry, tokens
from condor_py.cli.output.conversion import Conversion
from condor_py.cli.suggest import unknown_functions
from condor_py.cli.userprio.questions import Charts
from condor_py.cli.waiting import Around, why_it_waits
from condor_py.cli.who import daemons
from condor_py.client.pool import Pool
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.exprtree import parse
from condor_py.model.messages.master import MasterStatus


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch, program: str, *words: str) -> list[str]:
    """The lines of standard error on a terminal."""
    said = Terminal()
    monkeypatch.setattr("sys.stdout", io.StringIO())
    monkeypatch.setattr("sys.stderr", said)
    entry.main(program, list(words))
    return said.getvalue().splitlines()


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("-maxidle 5x", "condor_submit_dag: -maxidle takes a whole number, not 5x"),
        ("-MaxJobs -3", "condor_submit_dag: -MaxJobs -3 is less than 0"),
        ("-maxpre -3", "condor_submit_dag: -maxpre -3 is less than 0"),
        ("-maxpost -3", "condor_submit_dag: -maxpost -3 is less than 0"),
        ("-maxhold -1", "condor_submit_dag: -maxhold -1 is less than 0"),
        ("-priority -3", ""),
        ("-priority +3", ""),
        ("-maxidle 5", ""),
    ],
)
def test_numbers_of_submit_dag(spool: Spool, monkeypatch: pytest.MonkeyPatch, words: str, hint: str) -> None:
    Path("d.dag").write_text("JOB A a.sub\n")
    Path("a.sub").write_text("executable = /bin/true\nqueue\n")
    said = on_terminal(monkeypatch, "condor_submit_dag", "-no_submit", *words.split(), "d.dag")
    assert [line for line in said if line.startswith("condor_submit_dag: ")] == ([hint] if hint else [])


@pytest.mark.parametrize(
    ("text", "number"),
    [("5", 5), (" -7s", -7), ("+3", 3), ("9" * 18, int("9" * 18)), ("-9223372036854775808", -(1 << 63)),
     ("9223372036854775807", (1 << 63) - 1)],
)  # fmt: skip
def test_seconds_of_tokens(text: str, number: int) -> None:
    assert tokens.seconds(text) == number


@pytest.mark.parametrize("text", ["", "x", "9223372036854775808", "-9223372036854775809", "0" * 40 + "1", "1" * 32])
def test_what_is_no_number_of_seconds(text: str) -> None:
    with pytest.raises(ValueError):
        tokens.seconds(text)


def test_functions_that_do_not_exist_are_found_wherever_they_are() -> None:
    tree = parse("strcatt(size(zork(1)), [a = 1; b = ifThenElze(true, 2, 3)])")
    assert dict(unknown_functions(tree.node)) == {
        "strcatt()": "strcat", "zork()": "one of the functions in the manual", "ifThenElze()": "ifthenelse",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("fmt", "text"), [("%5d|", "   42|"), ("%é", "%é"), ("a%", "a%"), ("%%d", "%%d"), ("%5", "%5")]
)
def test_formats_without_a_conversion_are_text(fmt: str, text: str) -> None:
    found = Conversion(fmt)
    assert found.text(42) == text


def test_submitters_with_most_use_come_first() -> None:
    def stretch(begin: int, use: float) -> Any:
        return SimpleNamespace(begin=begin, end=begin + 100, use=use, priority=use + 1)

    found = {f"u{number:02}": [stretch(1000, float(number % 23))] for number in range(24)}
    charts = Charts(found)
    order = sorted(found, key=lambda name: (-found[name][0].use, name))
    assert [one.name for one in charts.use] == order[:20]
    assert [one.name for one in charts.priority] == order[:20]
    assert charts.left_out == order[20:]
    assert (charts.begin, charts.end - charts.begin) == (1000, 100)


def test_a_row_for_each_daemon(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_DAEMON_LIST", "MASTER SCHEDD")
    monkeypatch.setattr(daemons, "_status", lambda pool: MasterStatus({}, []))
    monkeypatch.setattr(daemons, "_pid", lambda pool, name: 77 if name == "SCHEDD" else 0)
    monkeypatch.setattr(daemons, "_parent", lambda pid: "5")
    monkeypatch.setattr(daemons, "_program", lambda pid: "/x/main.py")
    lines = daemons.table(Pool()).splitlines()
    assert lines[3:5] == [
        "Daemon       Alive  PID    PPID   Exit   Addr                     Executable",
        "------       -----  ---    ----   ----   ----                     ----------",
    ]
    rows = {line.split()[0]: line for line in lines[5:]}
    assert rows["Schedd"].startswith("Schedd       yes    77     5      no     <")
    assert rows["Schedd"].endswith("/x/main.py")
    assert rows["Master"].startswith("Master       no     no     no     0      <")


def test_a_crontab_that_does_not_parse_is_no_time_to_wait_for() -> None:
    job = ClassAd('[ JobStatus = 1; JobUniverse = 5; CronHour = "zork"; Requirements = true ]')
    found = why_it_waits(job, Around([], 1795888800))
    assert not any("its time" in reason.text for reason in found)


HISTORY = """\
Name = "a"
UpdatesTotal = 30
UpdatesSequenced = 20
UpdatesLost = 5
UpdatesHistory = "0x0C20"
"""


def test_each_change_of_lost_updates_has_a_line(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(HISTORY.encode())))
    assert spool.run("condor_updates_stats").out == (
        "*** Name/Machine = 'a' MyType = '*Unknown*' ***\n Type: Main\n"
        "   Stats: Total=30, Seq=20, Lost=5 (25.00%)\n"
        "     0: Ok\n  ...\n     4: Missed\n  ...\n     6: Ok\n  ...\n    10: Missed\n    11: Ok\n  ...\n    15: Ok\n\n"
    )


@pytest.mark.parametrize(
    ("program", "words", "said"),
    [
        ("condor_off", "-subsystem zork", "condor_off: zork is not in DAEMON_LIST"),
        ("condor_off", "-subsystem sched", "condor_off: sched is not in DAEMON_LIST: did you mean schedd?"),
        ("condor_set_shutdown", "-exec reboot",
         "condor_set_shutdown: MASTER_SHUTDOWN_reboot is not set: the master will run nothing when it ends"),
    ],
)  # fmt: skip
def test_daemons_and_programs_that_are_not_configured(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, program: str, words: str, said: str
) -> None:
    monkeypatch.setenv("_CONDOR_DAEMON_LIST", "MASTER SCHEDD STARTD")
    found = on_terminal(monkeypatch, program, *words.split())
    assert any(line.lower().startswith(said.lower()) for line in found), found
    monkeypatch.setenv("_CONDOR_MASTER_SHUTDOWN_reboot", "/sbin/reboot")
    if program == "condor_set_shutdown":
        assert not any("is not set" in line for line in on_terminal(monkeypatch, program, *words.split()))


def test_options_of_store_cred_and_places(spool: Spool) -> None:
    for word in ("-version", "--version"):
        assert spool.run("condor_store_cred", word).out.startswith("$CondorVersion: ")
    done = spool.run("condor_transfer_data", "-name", "elsewhere", "7")
    assert done.code == 1
    assert "condor_transfer_data: unknown host elsewhere" in done.err
    done = spool.run("condor_config_val", "-check-if", "true")
    assert (done.out, done.code) == ('# ok: "true" \ntrue\n', 0)
    assert spool.run("condor_config_val", "-macro:path", "/a//b///c").out == "/a/b/c\n"
    assert spool.run("condor_config_val", "-macro", "/a//b///c").out == "/a//b///c\n"
