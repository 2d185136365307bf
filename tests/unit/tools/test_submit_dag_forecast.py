"""condor_submit_dag -forecast: what it tells of a DAG without running it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_runner import Done, run

_DIAMOND = "JOB A a\nJOB B a\nJOB C a\nJOB D a\nPARENT A CHILD B C\nPARENT B C CHILD D\n"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a DAG, a machine of two cores without daemons, and a history in it."""
    local = tmp_path / "local"
    (local / "spool").mkdir(parents=True)
    config = tmp_path / "condor_config"
    config.write_text(f"LOCAL_DIR = {local}\nSPOOL = {local}/spool\nHISTORY = {local}/spool/history\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(config))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    (work / "t.dag").write_text(_DIAMOND.replace(" a\n", " a.sub\n"))
    (work / "a.sub").write_text("executable = /bin/true\nqueue\n")
    return work


def forecast(*words: str) -> Done:
    return run("condor_submit_dag", "-forecast", *words, "t.dag")


def test_the_forecast_tells_timeline_path_and_end_and_writes_nothing(desk: Path) -> None:
    (desk / "known").write_text("B 120 # the long one\n* 60\n")
    before = sorted(path.name for path in desk.iterdir())
    done = forecast("-durations", "known")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[1].startswith("Forecast of t.dag: 4 nodes on ")
    assert "Durations: 4 given" in lines
    rows = [line.split() for line in lines if line[1:3] == "  " and line[0] in "ABCD"]
    assert [row[0] for row in rows] == ["A", "B", "C", "D"]
    assert [row[2] for row in rows] == ["0+00:01:00", "0+00:02:00", "0+00:01:00", "0+00:01:00"]
    assert "Critical path: 0+00:04:00  A > B > D" in lines
    assert sorted(path.name for path in desk.iterdir()) == before


def test_the_last_run_tells_how_long_nodes_take_and_unknown_ones_take_an_hour(desk: Path) -> None:
    assert "Durations: 4 unknown" in forecast().out
    (desk / "t.dag.nodes.log").write_text(
        '000 (007.000.000) 2026-11-22 10:00:00 Job submitted from host: <x>\n    DAG Node: A\n...\n'
        "001 (007.000.000) 2026-11-22 10:00:10 Job executing on host: <x>\n...\n"
        "005 (007.000.000) 2026-11-22 10:00:40 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n"
    )  # fmt: skip
    out = forecast().out
    assert "Durations: 1 from the last run, 3 the mean of all" in out
    assert "Critical path: 0+00:01:30  A > B > D" in out


def test_a_rescue_file_and_bad_descriptions_are_heeded(desk: Path) -> None:
    (desk / "t.dag.rescue001").write_text("DONE A\nDONE B\n")
    (desk / "a.sub").write_text("executable = /bin/true\nrequest_cpus = many cores\nqueue\n")
    out = forecast("-durations", "30").out
    assert "Done already: 2" in out
    assert "WARNING: node C: " in out
    assert "C > D" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-durations", "nowhere"), "ERROR: -durations nowhere: neither seconds nor a file (No such file "
                                    "or directory)"),
        (("-durations", "bad"), "ERROR: bad:2: a node and its seconds are wanted, not 'B soon'"),
        (("-durations", "-3"), "Error: Option -durations (-durations) requires an additional argument"),
    ],
)  # fmt: skip
def test_durations_that_are_none_are_refused(desk: Path, words: tuple[str, ...], said: str) -> None:
    (desk / "bad").write_text("A 3\nB soon\n")
    done = forecast(*words)
    assert (done.code, done.err.splitlines()[0]) == (1, said)


def test_what_can_never_run_is_said(desk: Path) -> None:
    (desk / "a.sub").write_text("executable = /bin/true\nrequest_cpus = 100000\nqueue\n")
    assert forecast().err.startswith("ERROR: node A will never run: its job asks for 100000 core(s), ")


def test_a_dag_that_cannot_be_read_is_said_in_the_words_of_condor_dagman(desk: Path) -> None:
    (desk / "t.dag").write_text("JOB A a.sub\nPARENT A CHILD Z\n")
    done = forecast()
    assert done.code == 1
    assert "ERROR: Unknown child node Z specified" in done.err
    (desk / "t.dag").write_text("SUBDAG EXTERNAL S t.dag\n")
    assert forecast().err.strip() == "ERROR: t.dag is a sub-DAG of itself"
