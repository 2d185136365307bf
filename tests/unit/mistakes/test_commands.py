"""Recorded mistakes on command lines are answered with the culprit's name and an exit status that is not 0."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path

import pytest

from condor_py.cli import entry

HERE = Path(__file__).parent
RECORDED: dict[str, str] = tomllib.loads((HERE / "commands.toml").read_text())["commands"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "config").write_text(f"LOCAL_DIR = {tmp_path}/local\nSPOOL = {tmp_path}/spool\n")
    (tmp_path / "spool").mkdir()
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("line", "named"), RECORDED.items())
def test_each_mistake_is_named(line: str, named: str, place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program, *words = shlex.split(line)
    code = entry.main(program, words)
    said = capfd.readouterr()
    assert code != 0
    assert named in said.out + said.err
