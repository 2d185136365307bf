"""condor_watch_q: its pictures are those of HTCondor 25.14 on the same event logs."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
import tty
from pathlib import Path

import pytest
from tool_runner import Spool, run

from condor_py.cli.watch_q.main import abbreviate

_ROOT = Path(__file__).resolve().parents[3]
_LOGS = _ROOT / "tests" / "golden" / "tools"
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")

_PICTURE = """\
BATCH    REMOVED  HELD  IDLE  RUN  DONE  TOTAL  JOB_IDS
ID: 41        -     1     1    1     -      3   41.0 ... 41.2 [------=====!!!!!]
ID: 42        1     -     -    -     -      1                 [!!!!!!!!!!!!!!!!]

Total Progress: [-----------------===============!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!]

Total: 4 jobs; 1 removed, 1 idle, 1 running, 1 held

Updated at TIME
...
Exiting with code 3 because of condition "any held" at TIME
"""


@pytest.fixture(autouse=True)
def _place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


def _watch(*words: str) -> tuple[str, str, int]:
    done = run("condor_watch_q", *words)
    return _TIME.sub("TIME", done.out), done.err, done.code


def test_the_picture_of_a_log() -> None:
    assert _watch("-files", str(_LOGS / "states.log"), "-exit", "any,held,3") == (_PICTURE, "", 3)


def test_percentages_groups_and_parts_that_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_LOGS)
    out, _, code = _watch(
        "-files", "states.log", "-exit", "any,held", "-groupby", "cluster", "-summary-type", "percentages",
        "-no-updated-at", "-no-progress", "-no-row-progress",
    )  # fmt: skip
    assert code == 0
    assert out == (
        "CLUSTER  REMOVED  HELD  IDLE  RUN  DONE  TOTAL  JOB_IDS\n"
        "41            -     1     1    1     -      3   41.0 ... 41.2 \n"
        "42            1     -     -    -     -      1                 \n\n"
        "Total: 4 jobs; 0% completed, 25% removed, 25% idle, 25% running, 25% held, 0% suspended\n...\n"
        'Exiting with code 0 because of condition "any held" at TIME\n'
    )
    out, _, _ = _watch("-files", "states.log", "alloc.log", "-groupby", "log", "-exit", "any,idle", "-no-progress")
    assert out.splitlines()[:2] == [
        "LOG            REMOVED  IDLE  RUN  DONE  TOTAL  JOB_IDS",
        "./states.log        1     1    -     2      4   41.2   [-----#############!!!!!]",
    ]
    out, _, _ = _watch("-files", "states.log", "-no-display-exited", "-exit", "any,held", "-no-progress")
    assert "ID: 42" not in out
    assert "Total: 4 jobs" in out


def test_a_picture_that_is_higher_than_the_terminal_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = _PICTURE.splitlines()
    for height, shown in ((10, whole[:9]), (9, whole[:6]), (4, whole[:1]), (2, whole[:1])):
        monkeypatch.setenv("LINES", str(height))
        monkeypatch.setenv("COLUMNS", "80")
        out, _, _ = _watch("-files", str(_LOGS / "states.log"), "-exit", "any,held,3")
        cut = [] if height == 10 else ["Insufficient terminal height to display full output!"]
        assert out.splitlines()[:-2] == [*shown, *cut]


@pytest.mark.parametrize(
    ("words", "text", "code"),
    [
        ("12 13 x", "argument 12: to track specific cluster IDs, try -clusters 12 13", 1),
        ("alice bob 3", "argument alice: to track jobs from specific users, try -users alice bob", 1),
        ("-totals", "argument -totals: to only print totals, try -no-table", 1),
        ("-exit foo", "invalid -exit specification", 2),
        ("-exit foo,bar", 'invalid GROUPER "foo", must be one of {all, any, none}', 2),
        ("-exit all,bar", 'invalid JOB_STATUS "bar", must be one of {active, done, idle, held}', 2),
        ("-exited-row-decay 3x", "Unknown unit specifier provided for -exited-row-decay: x", 2),
    ],
)
def test_mistakes(words: str, text: str, code: int) -> None:
    out, err, status = _watch(*words.split())
    assert (out, err.splitlines()[0], status) == ("", f"condor_watch_q: error: {text}", code)


def test_my_jobs_are_found_in_the_queue_without_any_daemon(spool: Spool, tmp_path: Path) -> None:
    assert _watch() == ("", "WARNING: No jobs found, exiting...\n", 0)
    (tmp_path / "run.log").write_bytes((_LOGS / "states.log").read_bytes())
    spool.add(41, 3, UserLog='"run.log"', Iwd=f'"{tmp_path}"', JobBatchName='"sweep"')
    spool.add(43)
    spool.add(44, owner="somebody", UserLog='"/nosuch"')
    out, err, code = _watch("-exit", "none,done", "-no-row-progress")
    assert code == 0
    assert out.splitlines()[1].split()[0] == "sweep"
    assert err == (
        "WARNING: Cluster 43 does not have a job event log file (set log=<path> in the submit description)\n"
    )
    assert _watch("-batches", "sweep", "-exit", "any,held,4")[2] == 4


def test_on_a_terminal_it_has_a_screen_of_its_own_and_a_key_ends_it() -> None:
    ours, theirs = pty.openpty()
    tty.setcbreak(theirs)
    environment = {**os.environ, "CONDOR_CONFIG": "ONLY_ENV", "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    environment.pop("NO_COLOR", None)
    words = ["condor_watch_q", "-files", str(_LOGS / "states.log"), "-interval", "0.05"]
    watching = subprocess.Popen(
        [sys.executable, "-I", str(_ROOT / "condor_py" / "__main__.py"), *words],
        stdin=theirs, stdout=theirs, env=environment,
    )  # fmt: skip
    seen = b""
    deadline = time.monotonic() + 60
    while seen.count(b"Press any key") < 2 and time.monotonic() < deadline:
        seen += os.read(ours, 65536)
    os.write(ours, b"q")
    deadline = time.monotonic() + 60
    while watching.poll() is None and time.monotonic() < deadline:
        if select.select([ours], [], [], 0.1)[0]:  # else it waits for room for its next picture, and not for a key
            seen += os.read(ours, 65536)
    assert watching.wait(60) == 0
    assert select.select([theirs], [], [], 0)[0] == []  # the key is not typed into the shell behind it
    while select.select([ours], [], [], 0)[0]:
        seen += os.read(ours, 65536)
    os.close(theirs)
    assert seen.startswith(b"\x1b[?1049h\x1b[H")
    assert b"\x1b[31mID: 41" in seen
    _, left, behind = seen.partition(b"\x1b[?1049l")
    last = behind.decode().replace("\r\n", "\n")
    assert left
    assert last.startswith("BATCH    REMOVED  HELD")  # the last picture stays
    assert re.search(r"\nUpdated at [-:\d ]+\n\Z", last)
    os.close(ours)


def test_batches_are_named_as_their_submit_events_say(tmp_path: Path) -> None:
    head = "000 (007.000.000) 2023-11-14 22:13:20 Job submitted from host: <1.2.3.4:5>\n"
    (tmp_path / "a.log").write_text(head + '    [ JobBatchName = "my batch" ]\n...\n')
    shown, _, _ = _watch("-files", str(tmp_path / "a.log"), "-exit", "all,idle")
    assert shown.splitlines()[1].startswith("my batch ")


def test_logs_that_cannot_be_read_are_left_out(spool: Spool, tmp_path: Path) -> None:
    out, err, code = _watch("-files", f"{tmp_path}/none.log", str(_LOGS / "states.log"), "-exit", "any,held,3")
    assert (err, code) == (
        f"WARNING: Could not open event log at {tmp_path}/none.log for reading, so it will be ignored. "
        "Reason: File path does not exist\n", 3,
    )  # fmt: skip
    assert "Total: 4 jobs" in out
    assert _watch("-clusters", "7", "-larger-than", "3")[1:] == (
        "ERROR: Use of both -clusters and -larger-than flag is prohibited.\n", 1,
    )  # fmt: skip
    assert _watch("-clusters", "x")[1].splitlines()[0] == (
        "condor_watch_q: error: argument -clusters: invalid value: 'x'"
    )


def test_paths_are_cut_where_they_still_differ_from_their_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A directory keeps what all next to it have in common, and one letter more."""
    for name in ("runs-one", "runs-two", "runs-two/alone"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert abbreviate("~/runs-two/alone/x.log") == "~/runs-t/a/x.log"
    assert abbreviate("./runs-one/x.log") == "./runs-o/x.log"
    assert abbreviate("x.log") == "x.log"
    assert abbreviate("./none/such/x.log") == "./none/s/x.log"
