"""What others say reaches a terminal without control characters, and a pipe to the byte."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from condor_py.client.screen import draw, guard_screens
from condor_py.model.texts import escaped_lines, printable_lines

_MAIN = Path(__file__).resolve().parents[3] / "condor_py" / "__main__.py"
#: It sets the window's title, clears it, writes over the line, turns the text around and uses an 8-bit escape.
_NASTY = "a\033]0;owned\007\033[2Jb\rc\bd\u202ee\u2028f\x9bg"
_JOB = "\n".join(
    f'{name} = "{_NASTY.replace(chr(13), chr(92) + "r")}"'
    for name in (
        "Owner", "User", "Cmd", "Args", "Arguments", "JobBatchName", "HoldReason", "Iwd", "AccountingGroup",
        "DAGNodeName", "RemoteHost", "GridResource", "Name", "Machine", "State", "Activity", "OpSys", "Arch",
    )
)  # fmt: skip
_JOB += """
MyType = "Job"
ClusterId = 7
ProcId = 0
JobStatus = 5
QDate = 1700000000
JobUniverse = 5
DAGManJobId = 3
"""
_LOG = f"""\
012 (007.000.000) 2026-11-24 03:00:00 Job was held.
\t{_NASTY.replace(chr(13), "")}
\tCode 1 Subcode 0
...
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "job.ads").write_text(_JOB)
    (tmp_path / "slot.ads").write_text(_JOB.replace('"Job"', '"Machine"'))
    (tmp_path / "history").write_text(_JOB + "*** Offset = 0 ClusterId = 7 ProcId = 0\n")
    (tmp_path / "event.log").write_text(_LOG)
    return tmp_path


def _run(place: Path, words: list[str], stdout: int) -> subprocess.Popen[bytes]:
    environment = {"PATH": os.environ["PATH"], "CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_LOCAL_DIR": str(place)}
    command = [sys.executable, "-I", str(_MAIN), *words]
    return subprocess.Popen(
        command, env=environment, cwd=place, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.STDOUT
    )


def on_terminal(place: Path, words: list[str]) -> str:
    """What a tool writes to a terminal, as text."""
    ours, theirs = pty.openpty()
    with _run(place, words, theirs):
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # the other side has closed the terminal
            pass
        os.close(ours)
    return shown.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


_COMMANDS = [
    "condor_q -jobads job.ads -allusers",
    "condor_q -jobads job.ads -nobatch",
    "condor_q -jobads job.ads -long",
    "condor_q -jobads job.ads -json",
    "condor_q -jobads job.ads -af Owner Cmd",
    "condor_q -jobads job.ads -format %s\\n Cmd",
    "condor_q -jobads job.ads -dag",
    "condor_q -jobads job.ads -hold",
    "condor_status -ads slot.ads",
    "condor_status -ads slot.ads -long",
    "condor_status -ads slot.ads -af Name",
    "condor_history -file history",
    "condor_history -file history -long",
    "condor_history -file history -af Cmd",
    "condor_wait -echo:long -num 0 event.log",
    "condor_wait -echo event.log",
    "condor_hold \033[2J",
    "condor_q -\033[2J",
]


@pytest.mark.parametrize("command", _COMMANDS)
@pytest.mark.promise("S71")
def test_nothing_that_others_say_moves_the_cursor(place: Path, command: str) -> None:
    shown = on_terminal(place, command.split(" "))
    assert shown
    assert shown == printable_lines(shown)


def test_a_pipe_gets_every_byte(place: Path) -> None:
    with _run(place, ["condor_q", "-jobads", "job.ads", "-af", "Cmd"], subprocess.PIPE) as done:
        out = done.communicate()[0]
    assert out == _NASTY.replace("\r", r"\r").encode() + b"\n"


def test_what_tools_draw_keeps_its_sequences(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(open(theirs, "wb", buffering=0), encoding="utf-8"))  # noqa: SIM115
    guard_screens()
    print("\033[31mred\033[0m", end=" ")
    draw(sys.stdout, "\033[31mred\033[0m")
    sys.stdout.writelines([" \x07", "\u3000."])
    sys.stdout.flush()
    shown = os.read(ours, 1000).decode()
    os.close(ours)
    sys.stdout.close()
    assert shown == "?[31mred?[0m \033[31mred\033[0m ?\u3000."


@pytest.mark.promise("S72")
def test_texts_for_logs_show_what_there_was() -> None:
    assert escaped_lines("a\tb\n\x1b[2J\x00\x9b\u2028\udc9b\u00e9") == "a b\n\\x1b[2J\\x00\\x9b\\u2028\\x9b\u00e9"
    assert escaped_lines("\ta\n\t\x07b") == " a\n\t\\x07b"  # as HTCondor indents lines
