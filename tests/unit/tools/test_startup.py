"""What a command imports before it answers, and how its process ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from condor_py.client.pool import Pool
from condor_py.client.wire import encode, listen
from condor_py.model.messages.wakeups import Done

_MAIN = Path(__file__).resolve().parents[3] / "condor_py" / "__main__.py"
#: Modules of ours that a common call may import.
_MOST = 110
#: The same of one that asks for a change of jobs, and of one that queues a job and tells the schedd.
_MOST_OF_EDITS, _MOST_OF_SUBMIT = 130, 145
#: Modules of Python that cost more than all of ours.
_DEAR = {"site", "inspect", "dataclasses", "json", "importlib"}


def _python(*words: str) -> str:
    done = subprocess.run([sys.executable, "-I", *words], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _run(text: str) -> str:
    return _python("-S", "-c", f"import sys; sys.path.append({str(_MAIN.parents[1])!r}); {text}")


def test_installed_packages_are_there_once_they_are_made_known() -> None:
    known = "from condor_py.model import packages; packages.make_known(); packages.make_known(); "
    assert "No module named 'psutil'" in _run("import psutil")
    assert _run(f"{known} import psutil, typer; print(psutil.__name__)") == "psutil\n"
    assert "No module named 'no_such_package'" in _run(f"{known} import no_such_package")


@pytest.mark.parametrize("command", [("condor_q", "-help"), ("condor_status", "-help"), ("htcondor", "-help")])
def test_help_needs_an_installed_package_and_finds_it(command: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(_MAIN), *command], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr, done.stdout.startswith(f"Usage: {command[0]}")) == (0, "", True)


@pytest.mark.parametrize(
    "command",
    [
        ("condor_version",),
        ("condor_config_val", "SPOOL"),
        ("condor_status",),
        ("condor_q",),
        ("condor_submit", "-dry-run", "/dev/null", "one.sub"),
    ],
)
def test_common_calls_import_little(command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules of Python that cost more than all of ours, and how many of ours there may be."""
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.sub").write_text("executable = /bin/true\nqueue\n")
    said = _python("-S", "-X", "importtime", str(_MAIN), *command)
    imported = {line.rpartition("|")[2].strip() for line in said.splitlines() if line.startswith("import time:")}
    assert "condor_py.cli.entry" in imported
    assert not imported & {*_DEAR, "typing", "re", "copy", "signal"}
    assert sum(name.startswith("condor_py") for name in imported) <= _MOST


@pytest.mark.parametrize("words", ["hold 1", "release 1", "rm 1", "prio -p 1 1.0", "qedit 1 Foo 1"])
def test_commands_about_jobs_import_little(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they ask the schedd for, and not what the schedd is made of."""
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.sub").write_text("executable = /bin/true\nqueue\n")
    _python("-S", str(_MAIN), "condor_submit", "one.sub")
    if words == "release 1":
        _python("-S", str(_MAIN), "condor_hold", "1")
    said = _python("-S", "-X", "importtime", str(_MAIN), *f"condor_{words}".split())
    imported = {line.rpartition("|")[2].strip() for line in said.splitlines() if line.startswith("import time:")}
    assert "condor_py.core.jobs.requests" in imported
    assert not imported & {*_DEAR, "condor_py.lang.events"}
    assert sum(name.startswith("condor_py") for name in imported) <= _MOST_OF_EDITS


def test_forecasts_import_no_simulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.sub").write_text("executable = /bin/true\nqueue\n")
    _python("-S", str(_MAIN), "condor_submit", "one.sub")
    for option in ("-why", "-better-analyze"):  # which contain all that -forecast needs
        said = _python("-S", "-X", "importtime", str(_MAIN), "condor_q", option, "1")
        imported = {line.rpartition("|")[2].strip() for line in said.splitlines() if line.startswith("import time:")}
        assert "condor_py.simulate.outlook" in imported
        assert not imported & {"condor_py.simulate.simulation", "condor_py.core.jobs.core", "condor_py.core.slots.core"}


def test_a_submit_that_a_schedd_hears_of_imports_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.sub").write_text("executable = /bin/true\nqueue\n")
    address = Pool().paths.socket("schedd")
    Path(address).parent.mkdir(parents=True, exist_ok=True)
    schedd = listen(address, 0o600)
    schedd.setblocking(True)

    def answer() -> None:
        with schedd.accept()[0] as client:
            client.recv(1 << 16)
            client.sendall(encode(Done()))

    with schedd:
        answering = Thread(target=answer, daemon=True)
        answering.start()
        said = _python("-S", "-X", "importtime", str(_MAIN), "condor_submit", "one.sub")
        answering.join(60)
    assert "1 job(s) submitted to cluster 1." in said
    imported = {line.rpartition("|")[2].strip() for line in said.splitlines() if line.startswith("import time:")}
    assert "condor_py.cli.entry" in imported
    assert not imported & _DEAR  # messages use typing and re
    assert sum(name.startswith("condor_py") for name in imported) <= _MOST_OF_SUBMIT


def test_the_end_keeps_code_and_output_and_what_waits_for_it() -> None:
    text = "import atexit; from condor_py.model.exiting import leave; atexit.register(print, 'last'); print('first');"
    assert _run(f"{text} leave(0)") == "first\nlast\n"
    words = [sys.executable, "-I", "-S", str(_MAIN), "condor_q", "-nosuch"]
    assert subprocess.run(words, capture_output=True, check=False).returncode == 1
    thread = "import threading, time; threading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start();"
    assert _run(f"{thread} {text} leave(0)") == "first\nthread\nlast\n"


def test_a_package_beside_ours_hides_no_module_of_python(tmp_path: Path) -> None:
    """Where pip installs packages there may be one with the name of a module of Python's."""
    (tmp_path / "condor_py").symlink_to(_MAIN.parent)
    (tmp_path / "enum.py").write_text("raise SystemExit('the wrong one')\n")
    text = (tmp_path / "condor_py" / "__main__.py").read_text()
    (tmp_path / "main.py").write_text(
        text.replace("os.path.realpath(__file__)", repr(str(tmp_path / "condor_py" / "x")))
    )
    assert _python("-S", str(tmp_path / "main.py"), "condor_version", "-opsys") == "LINUX\n"
