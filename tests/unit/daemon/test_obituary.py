"""What a daemon that died leaves: mail, and its last words in its log."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from condor_py.daemons.common.service import run_service
from condor_py.daemons.master.obituary import Death, obituary, worth_a_mail
from condor_py.model.errors import ConfigError


def death(status: int, failures: int = 1, log: str = "/nowhere/StartLog") -> Death:
    return Death("STARTD", "lab.example.org", status, failures, 12.0, log)


@pytest.mark.parametrize(
    ("status", "failures", "worth"),
    [
        (-signal.SIGSEGV, 1, True),
        (1, 4, True),
        (1, 5, False),  # the same again and again
        (0, 1, False),
        (-signal.SIGKILL, 1, False),  # somebody did it
    ],
)
def test_what_is_worth_a_mail(status: int, failures: int, worth: bool) -> None:
    assert worth_a_mail(death(status, failures)) is worth


def test_it_says_who_died_of_what_and_what_the_log_said_last(tmp_path: Path) -> None:
    log = tmp_path / "StartLog"
    log.write_text("".join(f"line {n}\n" for n in range(300)))
    subject, text = obituary(death(-signal.SIGSEGV, log=str(log)), 3)
    assert subject == "Problem lab.example.org: condor_startd died (11)"
    assert '"condor_startd" on "lab.example.org" died due to SIGSEGV.' in text
    assert "in 12 seconds" in text
    assert text.endswith("line 297\nline 298\nline 299\n")
    assert "line 296" not in text


def test_without_a_log_it_is_short() -> None:
    subject, text = obituary(death(4), 200)
    assert subject == "Problem lab.example.org: condor_startd exited (4)"
    assert text.splitlines()[0] == '"condor_startd" on "lab.example.org" exited with status 4.'
    assert len(text.splitlines()) == 2


def test_a_daemon_whose_python_lacks_a_package_leaves_the_remedy_in_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lacking:
        subsystem = "STARTD"

        def __init__(self, local_name: str) -> None:
            raise ModuleNotFoundError("No module named 'psutil'", name="psutil")

    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOG", str(tmp_path))
    with pytest.raises(ModuleNotFoundError):
        run_service(Lacking)
    (line,) = (tmp_path / "StartLog").read_text().splitlines()
    assert "has no package 'psutil': run " in line
    assert "or name another Python in CONDOR_PY_PYTHON" in line


def test_a_daemon_with_a_name_of_its_own_leaves_its_words_in_its_own_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Second:
        subsystem = "SCHEDD"

        def __init__(self, local_name: str) -> None:
            raise ConfigError(f"no {local_name}")

    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOG", str(tmp_path))
    monkeypatch.setenv("_CONDOR_SCHEDD.XYZZY.SCHEDD_LOG", str(tmp_path / "Second"))
    assert run_service(Second, "xyzzy") == 1
    assert (tmp_path / "Second").read_text().endswith('ERROR "no xyzzy"\n')
    assert not (tmp_path / "SchedLog").exists()
