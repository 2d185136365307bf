"""condor_dag_checker says of every case what HTCondor's says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from condor_py.cli.dag_checker import main

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from checker_cases import CASES

RECORDED: dict[str, dict[str, dict[str, Any]]] = json.loads((HERE / "checker.json").read_text())
QUESTIONS = [(name, command) for name, commands in RECORDED.items() for command in commands]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    config = tmp_path / "config"
    config.write_text(f"LOCAL_DIR = {tmp_path}/local\n")
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("CONDOR_CONFIG", str(config))
    monkeypatch.chdir(place)
    return place


@pytest.mark.parametrize(("name", "command"), QUESTIONS)
def test_case(name: str, command: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, text in CASES[name].items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_bytes(text.encode())
    recorded = RECORDED[name][command]
    code = main(command.split())
    said = capsys.readouterr()
    assert code == recorded["code"]
    if code == 2:
        assert said.err.strip() == recorded["err"].strip()
    else:
        assert said.out.replace(str(home), "HOME") == recorded["out"]


def test_what_is_better_than_the_original(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts with arguments are found, sub-DAGs are no submit descriptions, -UseDagDir needs no directory."""
    (home / "t.dag").write_text("JOB A x\nSCRIPT PRE A p.sh $JOB 1\nSUBDAG EXTERNAL B i.dag\n")
    (home / "p.sh").write_text("")
    (home / "i.dag").write_text("JOB A x\n")
    assert main(["-UseDagDir", "-CheckScripts", "-CheckJDL", "t.dag"]) == 0
    assert capsys.readouterr().out == ""
