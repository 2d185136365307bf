"""Submit.from_dag of the bindings."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py import bindings as htcondor
from condor_py.bindings import HTCondorException, Submit


@pytest.fixture
def dag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    config = tmp_path / "config"
    config.write_text(f"LOCAL_DIR = {tmp_path}/local\n")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "condor_dagman").write_text("#!/bin/sh\n")
    (programs / "condor_dagman").chmod(0o755)
    monkeypatch.setenv("CONDOR_CONFIG", str(config))
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    htcondor.reload_config()
    path = tmp_path / "t.dag"
    path.write_text("JOB A x.sub\n")
    return path


def test_the_description_is_that_of_condor_submit_dag(dag: Path) -> None:
    found = Submit.from_dag("t.dag", {"MaxIdle": 3, "batch-name": "mine", "force": True})
    assert found["universe"] == "scheduler"
    assert " -Dag t.dag -MaxIdle 3 " in found["arguments"]
    assert found["My.JobBatchName"] == '"mine"'
    assert dag.with_name("t.dag.condor.sub").exists()


def test_the_configuration_of_a_dag_lies_beside_it_with_use_dag_dir(dag: Path) -> None:
    dag.write_text("JOB A x.sub\nCONFIG my.conf\n")
    dag.with_name("my.conf").write_text("DAGMAN_MAX_JOBS_IDLE = 3\n")
    for options in ({"UseDagDir": True, "Force": True}, {"Force": True}):
        environment = Submit.from_dag("t.dag", options)["environment"]
        assert f"_CONDOR_DAGMAN_CONFIG_FILE={dag.parent}/my.conf " in environment


def test_files_of_an_earlier_run_are_in_the_way(dag: Path) -> None:
    Submit.from_dag("t.dag")
    with pytest.raises(HTCondorException, match="already exists"):
        Submit.from_dag("t.dag")
    assert Submit.from_dag("t.dag", {"force": True})


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"SaveFile": "x", "DoRescueFrom": 1}, RuntimeError),
        ({"MaxIdle": "x"}, TypeError),
        ({"Notification": ""}, ValueError),
        ({"nonsense": 1}, KeyError),
    ],
)
def test_options_that_cannot_be(dag: Path, options: dict[str, str | int | bool], error: type[Exception]) -> None:
    with pytest.raises(error):
        Submit.from_dag("t.dag", options)
