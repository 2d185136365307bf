"""Progress shows on a terminal, when work takes long, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import re
import socket
import struct
import sys
import termios
import threading
import time
from pathlib import Path
from typing import Any

import pyte
import pytest

from condor_py.cli import entry
from condor_py.client import progress
from condor_py.client.asking import for_jobs
from condor_py.client.progress import Line, Meter, amount, ticking, time_left
from condor_py.client.watch import FileWatch
from condor_py.client.wire import Client, Decoder, encode
from condor_py.model.ids import JobId
from condor_py.model.messages.queue import Act, Progress, Results
from condor_py.model.selection import Selection


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class _Screen:
    """A real terminal as standard error, and what a person sees on it."""

    def __enter__(self) -> _Screen:
        self._ours, self._theirs = os.openpty()
        self._seen = pyte.Screen(80, 24)
        self._feed = pyte.ByteStream(self._seen)
        self.resize(80)
        self._before = sys.stdout, sys.stderr, sys.__stderr__
        sys.stdout, sys.stderr = io.StringIO(), open(os.dup(self._theirs), "w", encoding="utf-8")
        return self

    def __exit__(self, *exc: object) -> None:
        sys.stderr.close()
        sys.stdout, sys.stderr, sys.__stderr__ = self._before  # type: ignore[misc]
        os.close(self._ours)
        os.close(self._theirs)

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self._seen.resize(24, columns)

    def lines(self) -> list[str]:
        """The lines that have text."""
        sys.stderr.flush()
        os.set_blocking(self._ours, False)
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._ours, 65536):
                self._feed.feed(data)
        return [line.rstrip() for line in self._seen.display if line.strip()]


@pytest.fixture
def screen() -> _Screen:
    """To be entered in the test: before that pytest sets the streams itself."""
    return _Screen()


@pytest.fixture(autouse=True)
def nothing_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that a test leaves behind is not cleared by the tools of other tests."""
    monkeypatch.setattr(progress, "_shown", None)


class Clock:
    """The time as tests set it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(time, "monotonic", found)
    return found


def test_a_meter_shows_after_its_patience_and_clears_itself(clock: Clock) -> None:
    err = _Terminal()
    with contextlib.redirect_stderr(err):
        meter = Meter(100000, "jobs")
        clock.now = 0.4
        meter.at(1000)
        assert err.getvalue() == ""
        clock.now = 0.6
        meter.at(12000)
        clock.now = 0.65
        meter.at(13000)
        assert err.getvalue() == "\r12,000 of 100,000 jobs"
        meter.done()
        assert err.getvalue().endswith("\r" + " " * 22 + "\r")
        counter = Meter(None, "records read")
        clock.now = 2.0
        counter.at(7)
    assert err.getvalue().endswith("\r7 records read")


def test_the_time_left_is_told_when_something_is_known_of_it(screen: _Screen, clock: Clock) -> None:
    with screen:
        meter = Meter(1000, "jobs made")
        clock.now = 2.0
        meter.at(100)
        assert screen.lines() == ["100 of 1,000 jobs made, 18 s left"]
        clock.now = 3.0
        meter.at(1000)
        assert screen.lines() == ["1,000 of 1,000 jobs made"]
        meter.done()
        assert screen.lines() == []
        share = Meter(None, "records read")
        clock.now = 13.0
        share.at(5000, 0.25)
        assert screen.lines() == ["5,000 records read, 25 %, 30 s left"]


def test_what_was_done_before_tells_nothing_of_the_time_left(screen: _Screen, clock: Clock) -> None:
    with screen:
        meter = Meter(100, "jobs ended")
        meter.before = 80
        clock.now = 10.0
        meter.at(90)
        assert screen.lines() == ["90 of 100 jobs ended, 10 s left"]
        clock.now = 20.0
        meter.total = 80
        meter.at(80)
        assert screen.lines() == ["80 of 80 jobs ended"]


@pytest.mark.parametrize(
    ("elapsed", "share", "told"),
    [
        (0.9, 0.5, ""), (5.0, 0.0, ""), (5.0, 1.0, ""), (5.0, -1.0, ""), (5.0, 7.0, ""), (1.0, 0.999, "1 s left"),
        (10.0, 0.5, "10 s left"), (60.0, 0.5, "1 min left"), (3600.0, 0.5, "1 h 0 min left"),
        (100.0, 0.01, "2 h 45 min left"), (90_000.0, 0.5, "1 d 1 h left"), (1e9, 1e-9, "11,574,074,062,500 d 0 h left"),
    ],
)  # fmt: skip
def test_lengths_of_time(elapsed: float, share: float, told: str) -> None:
    assert time_left(elapsed, share) == told


def test_counts() -> None:
    assert amount(1200, None, "jobs") == "1,200 jobs"
    assert amount(1200, 5000, "jobs") == "1,200 of 5,000 jobs"


def test_the_line_never_takes_a_second_row(screen: _Screen) -> None:
    with screen:
        line = Line()
        line.show("x" * 200)
        assert screen.lines() == ["x" * 79]
        screen.resize(20)  # the user makes the window narrower
        line.show("100 of 1,000 jobs made, 18 s left")
        assert screen.lines() == ["100 of 1,000 jobs m"]
        line.show("done")
        assert screen.lines() == ["done"]
        line.clear()
        assert screen.lines() == []
        screen.resize(1)
        line.show("text")
        assert screen.lines() == []


def test_control_characters_do_not_reach_the_terminal(screen: _Screen) -> None:
    with screen:
        Line().show("a\033[2Jb\nc")
        assert len(screen.lines()) == 1


def test_a_ticker_shows_while_its_body_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    err = _Terminal()
    with contextlib.redirect_stderr(err), ticking("condor_rm: changing the queue") as ticker:
        deadline = time.monotonic() + 60
        while not err.getvalue():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        ticker.at(3, 4)
        while "3 of 4" not in err.getvalue():
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert re.match(r"\rcondor_rm: changing the queue \.\.\. \d+ s", err.getvalue())
    assert "\rcondor_rm: 3 of 4 jobs" in err.getvalue()
    assert err.getvalue().endswith(" \r")


def test_a_ticker_of_shares(clock: Clock) -> None:
    with contextlib.redirect_stderr(_Terminal()):
        ticker = progress.Ticker("condor_store_check: reading the spool", "", is_shown=True)
    clock.now = 3.0
    ticker.at(50, 200)
    assert ticker.text() == "condor_store_check: 25 %, 9 s left"
    ticker.at(300, 200)
    assert ticker.text() == "condor_store_check: 100 %"


def test_quick_work_and_files_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 300.0)  # it is quick on a machine that stands still, too
    for stream in (io.StringIO(), _Terminal()):
        with contextlib.redirect_stderr(stream):
            with ticking("x"):
                pass
            meter = Meter(10, "jobs")
            meter.at(5)
            meter.done()
        assert stream.getvalue() == ""


def test_nothing_shows_where_a_pipe_reads_or_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    with contextlib.redirect_stderr(_Terminal()):
        assert Meter(10, "jobs").is_shown
        assert not Meter(10, "jobs", quiet=True).is_shown
        with ticking("x", quiet=True) as ticker:
            assert ticker.told is None
        with open(writer, "w") as out:
            monkeypatch.setattr(sys, "stdout", out)
            assert not Meter(10, "jobs").is_shown
    os.close(reader)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, entry.CondorError])
def test_an_interrupted_tool_leaves_no_line(
    screen: _Screen, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    with screen:

        def tool(argv: list[str]) -> int:
            Line().show("12 of 100 jobs")
            assert screen.lines() == ["12 of 100 jobs"]
            raise error("why")

        monkeypatch.setattr(entry, "_function", lambda program: tool)
        assert entry.main("condor_x", []) == (130 if error is KeyboardInterrupt else 1)
        sys.stderr.flush()
        told = {KeyboardInterrupt: "", ValueError: "condor_x: internal error: ValueError", entry.CondorError: "why"}
        first = next(iter(screen.lines()), "")
        assert first.startswith(told[error])
        assert "jobs" not in first


_SUBMIT = "000 (007.{:03d}.000) 2026-11-20 22:08:11 Job submitted from host: <127.0.0.1:9618>\n...\n"
_END = "005 (007.{:03d}.000) 2026-11-20 22:09:12 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n"


@pytest.mark.parametrize("options", [(), ("-status",), ("-echo",)])
def test_condor_wait_counts_the_jobs_that_have_ended(
    screen: _Screen, clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: tuple[str, ...]
) -> None:
    log = tmp_path / "run.log"
    log.write_text("".join(_SUBMIT.format(proc) for proc in range(4)) + _END.format(0))
    ends, seen = iter((1, 2, 3)), list[list[str]]()

    def wait(watch: FileWatch, timeout: float | None) -> None:
        seen.append(screen.lines())
        clock.now += 10.0
        with log.open("a") as file:
            file.write(_END.format(next(ends)))

    monkeypatch.setattr(FileWatch, "wait", wait)
    with screen:
        assert entry.main("condor_wait", [*options, str(log)]) == 0
        assert screen.lines() == []
    shown = [[], ["2 of 4 jobs ended, 20 s left"], ["3 of 4 jobs ended, 10 s left"]]
    assert seen == ([[], [], []] if options else shown), "what is printed anyway tells enough"


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> list[str]:
    """What the line has said, as often as anything could be said, in no time."""
    found: list[str] = []
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    monkeypatch.setattr(Line, "show", lambda self, text: found.append(text))
    return found


def test_condor_preen_counts_the_files(
    screen: _Screen, told: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    for folder in ("spool", "execute", "log"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "junk").touch()
    with screen:
        assert entry.main("condor_preen", []) == 0
    assert [text for text in told if "files" in text] == [f"{count} of 3 files checked" for count in (1, 2, 3)]


@pytest.mark.parametrize("option", ["-af", "-json", "-jsonl", "-xml", "-toml"])
def test_condor_history_counts_the_records_for_people(
    screen: _Screen, told: list[str], tmp_path: Path, option: str
) -> None:
    path = tmp_path / "history"
    path.write_text("".join(f"ProcId = {proc}\n*** Offset = 0 ClusterId = 7 ProcId = {proc}\n" for proc in range(4)))
    words = [option, "ProcId"] if option == "-af" else [option]
    with screen:
        assert entry.main("condor_history", ["-file", str(path), *words]) == 0
    shares = [(1, 25), (2, 50), (3, 75), (4, 100)]
    assert told == ([f"{count} records read, {share} %" for count, share in shares] if option == "-af" else [])


@pytest.mark.parametrize(("options", "shown"), [((), True), (("-terse",), False)])
def test_condor_submit_is_silent_for_programs(
    screen: _Screen, told: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: tuple[str, ...],
    shown: bool,
) -> None:  # fmt: skip
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    (tmp_path / "job.sub").write_text("executable = /bin/true\nqueue 3\n")
    with screen:
        words = [*options, "-dry-run", str(tmp_path / "out"), str(tmp_path / "job.sub")]
        assert entry.main("condor_submit", words) == 0
    assert told == ([f"{count} of 3 jobs made" for count in (1, 2, 3)] if shown else [])


# what the schedd tells


def test_a_request_about_many_jobs_is_told_how_far_it_is(tmp_path: Path) -> None:
    """The schedd gets two requests for 5,000 jobs, and sends messages before each answer."""
    path, heard = str(tmp_path / "socket"), list[tuple[int, int]]()
    asked: list[Any] = []

    def serve(door: socket.socket) -> None:
        link, _ = door.accept()
        decoder = Decoder()
        with link:
            for _ in range(2):
                while (found := decoder.next()) is None:
                    decoder.add(link.recv(65536))
                asked.append(found[0])
                count = len(found[0]["ids"])
                link.sendall(encode(Progress(count // 2, count)) + encode(Results([[7, 0, count, 1]])))

    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path)
        door.listen()
        thread = threading.Thread(target=serve, args=(door,))
        thread.start()
        jobs = Selection(tuple(JobId(7, proc) for proc in range(5000)))
        with Client(path) as client:
            for_jobs(client, Act(action="hold"), jobs, lambda done, total: heard.append((done, total)))
        thread.join(60)
    assert heard == [(2000, 5000), (4500, 5000)]
    assert [head["progress"] for head in asked] == [True, True]
