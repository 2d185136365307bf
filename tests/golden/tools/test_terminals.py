"""Tables on terminals of several widths, against what the tools of HTCondor 25.14 print there; and colors.

Names that are not ASCII are the exception: HTCondor counts their bytes, and its columns stand askew.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
_MAIN = _HERE.parents[2] / "condor_py" / "__main__.py"


def _cases() -> Iterator[tuple[int, str, list[str]]]:
    text = (_HERE / "terminals.txt").read_text(encoding="utf-8", errors="surrogateescape")
    found: list[tuple[int, str, list[str]]] = []
    for line in text.split("\n")[:-1]:
        head = re.fullmatch(r"\[(\d+)\] \$ (.*)", line)
        if head is not None:
            found.append((int(head[1]), head[2], []))
        elif found:
            found[-1][2].append(line)
    return iter(found)


def on_terminal(columns: int, words: list[str], **variables: str) -> str:
    """What a tool writes to a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {"PATH": os.environ["PATH"], "CONDOR_CONFIG": "ONLY_ENV", "TZ": "UTC", "TERM": "xterm", **variables}
    command = [sys.executable, "-I", str(_MAIN), *words]
    with subprocess.Popen(
        command, env=environment, cwd=_HERE, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL
    ):
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # the other side has closed the terminal
            pass
        os.close(ours)
    return shown.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


@pytest.mark.parametrize(("columns", "command", "expected"), list(_cases()))
def test_terminal(columns: int, command: str, expected: list[str]) -> None:
    assert on_terminal(columns, command.split()) == "".join(line + "\n" for line in expected)


@pytest.mark.parametrize(("variables", "colors"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colors_where_they_mean_something_and_are_wanted(variables: dict[str, str], colors: bool) -> None:
    words = ["condor_watch_q", "-files", "states.log", "-exit", "any,held", "-no-refresh"]
    shown = on_terminal(80, words, **variables)
    assert ("\033[31mID: 41" in shown) is colors
    assert ("\033[" in shown) is colors


@pytest.mark.parametrize(
    "words",
    [
        ["condor_q", "-jobads", "jobs.ads"],
        ["condor_history", "-file", "history"],
        ["condor_status", "-ads", "slots.ads"],
        ["condor_wait", "alloc.log"],
        ["condor_userlog", "alloc.log"],
        ["condor_watch_q", "-files", "states.log", "-exit", "any,held"],
        ["condor_hold", "-name", "nosuch", "1"],
        ["condor_submit", "-dry-run", "-", "session_x.sub"],
        ["condor_config_val", "SPOOL"],
    ],
    ids=lambda words: words[0],
)
def test_tools_import_nothing_heavy_unless_they_show_help(words: list[str]) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(_MAIN.parents[1])!r}); from condor_py.cli.entry import main; "
        "main(sys.argv[1], sys.argv[2:]); heavy = ('rich', 'typer', 'click', 'asyncio', 'psutil'); "
        "sys.stderr.write('imported: ' + str([name for name in heavy if name in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, *words], cwd=_HERE,
        env={"CONDOR_CONFIG": "ONLY_ENV", "PATH": os.environ["PATH"]},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr.endswith("imported: []")


def test_columns_of_names_that_are_not_ascii(tmp_path: Path) -> None:
    """On a terminal they stand under each other; in a pipe they are as wide as HTCondor's."""
    names = ["alice", "J\u00f6rg", "Jo\u0308rg", "\u65e5\u672c\u8a9e", "x"]
    ads = tmp_path / "ads"
    ads.write_text("\n".join(f'ClusterId = {n}\nProcId = 0\nOwner = "{name}"\n' for n, name in enumerate(names, 1)))
    words = ["condor_q", "-jobads", str(ads), "-af:h", "Owner", "ClusterId"]
    shown = on_terminal(80, words).splitlines()
    blanks = (2, 3, 3, 1, 6)  # to the seventh column
    assert shown[1:] == [f"{name}{' ' * blanks[n]}{n + 1}        " for n, name in enumerate(names)]
    piped = subprocess.run(
        [sys.executable, "-I", str(_MAIN), *words], env={"CONDOR_CONFIG": "ONLY_ENV"}, check=True,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert {len(line) for line in piped.stdout.splitlines()[1:]} == {len("\u65e5\u672c\u8a9e".encode()) + 10}


def test_a_person_is_told_what_a_job_lacks() -> None:
    files = ["-jobads", "analysis/jobs.ads", "-slotads", "analysis/full.ads"]
    shown = on_terminal(80, ["condor_q", *files, "-analyze", "-machine", "vm", "1", "2"])
    assert shown.count("Why it waits: ") == 1, "a running job does not wait"
    assert "Why it waits: cpus: wants 1, 0 of 4 free; " in shown
    assert "\nIt will never run here: no slot is large enough: cpus: wants 64, there is 4; " in shown
