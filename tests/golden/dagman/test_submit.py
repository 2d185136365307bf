"""condor_submit_dag says, and writes into its submit file, what HTCondor's does."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from condor_py.cli import entry

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from submit_cases import CASES, words
from submit_run import prepare, same, surroundings

RECORDED: dict[str, list[dict[str, Any]]] = json.loads((HERE / "submit.json").read_text())
#: Where ours does better: no submit file is left half written, sub-DAGs with DIR are found, a file that
#: cannot be opened is told in one line, and -MaxHold reaches condor_dagman.
HALF_WRITTEN = ("bad insert env", "insert sub file missing", "env bad pair")
NAMED = "there is no such DAG file, or it cannot be read\n"
BETTER = ("recurse", "recurse directory", "recurse missing")


def run(name: str, place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> list[Any]:
    home = place / "home"
    home.mkdir()
    prepare(name, home)
    for key, value in surroundings(name, place, home, {"PATH": os.environ["PATH"]}).items():
        monkeypatch.setenv(key, value)
    monkeypatch.chdir(home)
    found = []
    for command in CASES[name][1]:
        code = entry.main("condor_submit_dag", words(command))
        said = capfd.readouterr()
        err = "".join(line for line in said.err.splitlines(True) if not line.endswith(NAMED))
        files = sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())
        subs = {file: (home / file).read_text() for file in files if file.endswith(".condor.sub")}
        shown = {"code": code, "out": said.out, "err": err, "files": files, "subs": subs}
        found.append(json.loads(same(json.dumps(shown), place, home)))
    return found


@pytest.mark.parametrize("name", [name for name in CASES if name not in BETTER])
def test_case(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    found, recorded = run(name, tmp_path, monkeypatch, capfd), RECORDED[name]
    if name in HALF_WRITTEN:
        assert not found[0]["subs"]
        for one in (found[0], recorded[0]):
            del one["files"], one["subs"]
    if name == "all limits":
        submit = found[0]["subs"]["t.dag.condor.sub"]
        assert submit.count(" -MaxPost 4 -MaxHold 5 ") == 1
        found[0]["subs"]["t.dag.condor.sub"] = submit.replace(" -MaxHold 5", "")
    assert found == recorded


def test_sub_dags_get_their_submit_files_in_their_directories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    [found] = run("recurse", tmp_path, monkeypatch, capfd)
    assert found["code"] == 0
    assert set(found["subs"]) == {"t.dag.condor.sub", "i.dag.condor.sub", "d/o.dag.condor.sub"}
    assert found["subs"]["i.dag.condor.sub"] == RECORDED["recurse"][0]["subs"]["i.dag.condor.sub"]
    line = "Recursive submit command: <condor_submit_dag -no_submit -update_submit -Priority 3 -verbose -AutoRescue 1"
    assert found["out"].count(f"{line} -do_recurse ") == 2


@pytest.mark.parametrize("name", ["recurse missing", "recurse directory"])
def test_a_sub_dag_that_is_not_there_ends_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    [found] = run(name, tmp_path, monkeypatch, capfd)
    assert (found["code"], found["subs"]) == (1, {})
    assert found["err"].endswith("Recursive submit(s) failed; exiting without attempting top-level submit\n")
