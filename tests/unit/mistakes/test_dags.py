"""Recorded mistakes in DAG files are answered with the culprit's name; correct DAGs with nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from condor_py.cli import entry

HERE = Path(__file__).parent
RECORDED: dict[str, dict[str, str]] = tomllib.loads((HERE / "dags.toml").read_text())


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "config").write_text(f"LOCAL_DIR = {tmp_path}/local\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "config"))
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")
    for name in ("a.sub", "b.sub"):
        (tmp_path / "home" / name).write_text("executable = /bin/true\nqueue\n")
    (tmp_path / "home" / "inner.dag").write_text("JOB In a.sub\n")
    pins = "JOB In a.sub\nPIN_IN In 1\nPIN_OUT In 1\n"
    (tmp_path / "home" / "fitting.dag").write_text(pins)
    (tmp_path / "home" / "pins.dag").write_text(f"{pins}PIN_OUT In 2\n")
    return tmp_path / "home"


def answer(program: str, text: str, place: Path, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    for old in place.glob("c.dag*"):
        old.unlink()
    (place / "c.dag").write_text(f"{text}\n" if text else "")
    words = ["-no_submit", "c.dag"] if program == "condor_submit_dag" else ["c.dag"]
    code = entry.main(program, words)
    said = capfd.readouterr()
    return code, said.out + said.err


@pytest.mark.parametrize("program", RECORDED)
def test_each_mistake_is_named(program: str, place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    missed = {}
    for text, named in RECORDED[program].items():
        code, said = answer(program, text, place, capfd)
        if named not in said or (code == 0 and "WARNING" not in said):
            missed[text] = said
    assert missed == {}


def test_a_missing_dag_file_is_named(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for program in ("condor_submit_dag", "condor_dag_checker"):
        assert entry.main(program, ["nosuch.dag"]) == 1
        said = capfd.readouterr()
        assert "nosuch.dag" in said.out + said.err


@pytest.mark.parametrize("line", ["SPLICE S in\0ner.dag", "JOB A a\0.sub DIR b", "CONFIG a\0b", "JOBSTATE_LOG a\0b"])
@pytest.mark.parametrize("program", RECORDED)
def test_a_null_byte_is_refused_with_its_line(
    program: str, line: str, place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, said = answer(program, f"JOB Alpha a.sub\n{line}", place, capfd)
    assert code == 1
    assert "Line 2 contains a null byte" in said
    assert "internal error" not in said


@pytest.mark.parametrize("line", ["ENV SET", "ENV SET \u2028", "ENV GET ,", "ENV GET , \u2003"])
@pytest.mark.parametrize("program", RECORDED)
def test_an_environment_without_variables_is_refused(
    program: str, line: str, place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, said = answer(program, f"JOB Alpha a.sub\n{line}", place, capfd)
    assert code == 1
    assert "c.dag:2 Failed to parse ENV command: No environment variables provided" in said


@pytest.mark.parametrize("text", tomllib.loads((HERE / "correct.toml").read_text())["dags"])
def test_what_is_correct_is_left_in_peace(text: str, place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert answer("condor_dag_checker", text, place, capfd) == (0, "")
