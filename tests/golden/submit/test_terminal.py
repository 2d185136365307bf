"""What condor_submit adds on a terminal, and only there."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

MAIN = Path(__file__).parents[3] / "condor_py" / "__main__.py"
#: The tool, but its progress shows at once.
IMPATIENT = (
    f"import sys; sys.path.insert(0, {str(MAIN.parents[1])!r}); from condor_py.client import progress;"
    "from condor_py.cli import entry; "
    ""
    "progress.PATIENCE = 0.0; sys.exit(entry.main('condor_submit', sys.argv[1:]))"
)
TEXT = "executable = /bin/true\nreqest_memory = 10\nqueue {}\n"
WARNING = "WARNING: the line 'reqest_memory = 10' was unused by condor_submit. Is it a typo?"


def on_terminal(directory: Path, count: int) -> str:
    """What a dry run of ``count`` jobs writes to stderr, a terminal."""
    (directory / "job.sub").write_text(TEXT.format(count))
    ours, theirs = pty.openpty()
    environment = {"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_LOCAL_DIR": str(directory), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-I", "-c", IMPATIENT, "-dry-run", "out", "job.sub"]
    with subprocess.Popen(command, env=environment, cwd=directory, stdout=subprocess.DEVNULL, stderr=theirs) as tool:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # the other side has closed the terminal
            pass
        os.close(ours)
        assert tool.wait() == 0
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_gets_a_suggestion(tmp_path: Path) -> None:
    assert on_terminal(tmp_path, 1).endswith(f"{WARNING}\n         Did you mean request_memory?\n")


def test_large_submits_show_how_far_they_are(tmp_path: Path) -> None:
    shown = on_terminal(tmp_path, 3000)
    assert " of 3,000 jobs made" in shown
    assert shown.endswith(f"\r{WARNING}\n         Did you mean request_memory?\n")


def test_elsewhere_nothing_is_added(tmp_path: Path) -> None:
    (tmp_path / "job.sub").write_text(TEXT.format(3000))
    environment = {"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_LOCAL_DIR": str(tmp_path), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-I", "-c", IMPATIENT, "-dry-run", "out", "job.sub"]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == WARNING + "\n"
