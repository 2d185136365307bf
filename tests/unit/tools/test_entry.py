"""What every program does: exit codes, one line for errors, quiet ends, launchers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tool_runner import run

from condor_py.cli import entry, version

_ROOT = Path(__file__).resolve().parents[3]
_MAIN = _ROOT / "condor_py" / "__main__.py"


def _fail(argv: list[str]) -> int:
    raise KeyError("lost")


def _interrupt(argv: list[str]) -> int:
    raise KeyboardInterrupt


def test_an_unknown_program_is_one_line() -> None:
    assert run("condor_nosuch") == ("", "condor_py: no such program: condor_nosuch\n", 1)


def test_an_internal_error_is_one_line_and_says_how_to_see_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONDOR_PY_TRACEBACK", raising=False)
    monkeypatch.setattr(version, "main", _fail)
    done = run("condor_version")
    assert done.code == 1
    assert done.err == ("condor_version: internal error: KeyError: 'lost' (set CONDOR_PY_TRACEBACK=1 to see where)\n")
    monkeypatch.setenv("CONDOR_PY_TRACEBACK", "1")
    with pytest.raises(KeyError):
        entry.main("condor_version", [])


def test_an_interrupt_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version, "main", _interrupt)
    assert run("condor_version") == ("", "", 130)


def _tool(redirections: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A tool started by a shell that redirects its streams."""
    script = f'exec "$@" {redirections}'
    command = ["/bin/sh", "-c", script, "sh", sys.executable, "-I", str(_MAIN), *words]
    environment = {name: value for name, value in os.environ.items() if name != "CONDOR_PY_TRACEBACK"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_do_no_harm(closed: str) -> None:
    done = _tool(closed, "condor_version")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("many", [1, 3000])
def test_a_full_disk_behind_standard_output_is_one_line(tmp_path: Path, many: int) -> None:
    ads = tmp_path / "some.ads"
    ads.write_text("\n".join(f"ClusterId = {n}\nProcId = 0\n" for n in range(1, many + 1)))
    done = _tool(">/dev/full", "condor_q", "-jobads", str(ads), "-af", "ClusterId", "ProcId")
    assert done.returncode == 1
    assert done.stderr == "condor_q: cannot write to standard output: No space left on device\n"


def test_an_error_nobody_reads_is_quiet() -> None:
    done = _tool("2>&1 | true; exit 0", "condor_q", "-bogus")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_package_that_python_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(argv: list[str]) -> int:
        raise ModuleNotFoundError("No module named 'psutil'", name="psutil")

    monkeypatch.setattr(version, "main", lacking)
    done = run("condor_version")
    assert done.code == 1
    start = _ROOT / "bin" / "quickstart"
    assert done.err.startswith(f"condor_version: {sys.executable} has no package 'psutil': run {start}, or ")
    assert done.err.count("\n") == 1


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    ads = tmp_path / "many.ads"
    ads.write_text("\n".join(f'ClusterId = {n}\nProcId = 0\nOwner = "a"\n' for n in range(1, 3000)))
    command = [sys.executable, "-I", str(_MAIN), "condor_q", "-jobads", str(ads), "-af", "ClusterId", "Owner"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait() == 128 + signal.SIGPIPE
    assert process.stderr.read() == b""
    process.stderr.close()


def test_version_is_two_lines_that_programs_parse() -> None:
    done = run("condor_version")
    first, second = done.out.splitlines()
    assert first.startswith("$CondorVersion: 25.")
    assert first.endswith(" $")
    assert second.startswith("$CondorPlatform: ")
    assert run("condor_q", "-version").out == run("condor_rm", "-v").out == done.out
    assert run("condor_version", "-o", "-arch").out == f"LINUX\n{os.uname().machine.upper()}\n"
    assert [line.split(":")[0] for line in run("condor_version", "-compiled").out.splitlines()] == [
        "condor_py.lang.classad._native",
        "condor_py.store._logreader",
        "condor_py.core.accounts._kernel",
        "condor_py.machine.run._spawn",
        "condor_py.machine.probes._benchmark",
    ]
    wrong = run("condor_version", "x")
    assert (wrong.code, wrong.err.splitlines()[0]) == (1, "ERROR: invalid argument: 'x'")


@pytest.mark.parametrize("program", sorted(entry.PROGRAMS))
def test_every_program_has_a_launcher(program: str) -> None:
    launcher = _ROOT / "bin" / program
    assert os.access(launcher, os.X_OK)
    assert f"program={program}" in launcher.read_text()


def test_launchers_work_from_anywhere_and_through_links(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "CONDOR_PY_PYTHON": sys.executable}
    link = tmp_path / "cv"
    link.symlink_to(_ROOT / "bin" / "condor_version")
    for command, where in (
        ([str(_ROOT / "bin" / "condor_version")], tmp_path),
        ([str(link)], tmp_path),
        (["./condor_version"], _ROOT / "bin"),
        (["sh", "condor_version"], _ROOT / "bin"),
    ):
        done = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr, len(done.stdout.splitlines())) == (0, "", 2)


def test_a_launcher_keeps_arguments_as_they_are(tmp_path: Path) -> None:
    ads = tmp_path / "a b.ads"
    ads.write_text('ClusterId = 1\nProcId = 0\nOwner = "x"\n')
    done = subprocess.run(
        [str(_ROOT / "bin" / "condor_q"), "-jobads", str(ads), "-format", "%s * $HOME\\n", 'strcat("a ", Owner)'],
        env={"PATH": os.environ["PATH"], "CONDOR_PY_PYTHON": sys.executable},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "a x * $HOME\n"
