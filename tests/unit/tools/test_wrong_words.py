"""Words that a command cannot take: one line and the exit status say so, and nothing is changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

WRONG = {
    "condor_config_val -": "- is not a valid argument",
    "condor_q -": "Error: unrecognized argument -",
    "condor_hold -": "Unrecognized option: -",
    "condor_history -": "Error: Unknown argument -",
    "condor_status -": "Error:  Unknown option -",
    "condor_qusers -": "Error: unexpected argument: -",
    "condor_who -": "Error: - is not a valid argument",
    "condor_drain -": "ERROR: unexpected argument: -",
    "condor_off -": 'ERROR: invalid argument "-"',
    "condor_transfer_data -": "Unrecognized option: -",
    "condor_qedit -constraint ( Foo 1": "condor_qedit: invalid constraint: (",
    "condor_qedit 1.0,2.x Foo 5": "condor_qedit: 1.0,2.x is no job id; say CLUSTER or CLUSTER.PROC",
    "condor_qedit 1.0 -edits:/none": "condor_qedit: -edits requires a filename as an argument",
    "condor_prio -p x 1.0": "condor_prio: -p needs a whole number, not x",
    "condor_history -since (": "Error: invalid -since constraint: (",
    "condor_history -since 1.x": "Error: invalid -since constraint: 1.x",
    "condor_history -file /none": "Error opening history file /none: No such file or directory",
    "condor_status -constraint (": "Error: invalid constraint",
    "condor_status -format %d (": "Error:  Parse error of: (",
    "condor_status -af Name (": "Error:  Parse error of: (",
    "condor_status -print-format /none": "Can't open select file: /none",
    "htcondor dag submit none.dag": "Error while trying to run dag submit:",
    "htcondor eventlog read none.log": "Error while trying to run eventlog read:",
    "htcondor eventlog histogram none.log": "Error while trying to run eventlog histogram:",
    "condor_hold -constraint (": "DCSchedd::actOnJobs:1:Can't insert constraint into ClassAd",
    "condor_release": "You did not specify any jobs",
    "condor_tail x": "Invalid Job ID: x",
    "condor_transfer_data": "You did not specify any jobs",
    "condor_wait none.log": "Couldn't open none.log: No such file or directory",
    "condor_ping ODD": 'ERROR: Could not understand TOKEN "ODD".',
    "condor_adstash -odd": "condor_adstash: error: unrecognized arguments: -odd",
    "condor_metrics -odd": "Error: unrecognized argument -odd",
    "condor_preen -n": "Error: unrecognized argument -n",
    "condor_report -since x": "condor_report: -since x: write a day (2026-11-21), a time (2026-11-21T18:00 or 18:00), "
    "yesterday, 2h, 3d, or Unix seconds",
}


@pytest.mark.parametrize("command", WRONG)
def test_what_is_wrong_is_said_in_the_first_line(spool: Spool, command: str) -> None:
    spool.add(1)
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [ClassAd({"MyType": "Machine", "Name": "slot1@vm"})])
    before = spool.path.read_bytes()
    done = spool.run(*command.split())
    assert (done.err.splitlines()[0], done.code != 0) == (WRONG[command], True)
    assert spool.path.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("+5 {me}@example.net", ["1.0", "2.0", "2.1"]),
        ("+5 {me}", ["1.0", "2.0", "2.1"]),
        ("+5 zoe", ["3.0"]),
        ("+5 zoe@elsewhere.org", []),
        ("+5 2", ["2.0", "2.1"]),
        ("+5 2.1 3", ["2.1", "3.0"]),
        ("+5 -a", ["1.0", "2.0", "2.1", "3.0"]),
    ],
)
def test_whose_priorities_are_changed(spool: Spool, words: str, changed: list[str]) -> None:
    spool.add(1)
    spool.add(2, 2)
    spool.add(3, owner="zoe")
    spool.run("condor_prio", *words.format(me=spool.me).split())
    assert [job for job, priority in spool.values("JobPrio").items() if priority == "5"] == changed


def test_which_jobs_are_edited(spool: Spool) -> None:
    for cluster in (1, 2, 3):
        spool.add(cluster, 2)
    for words, jobs in (
        ("-constraint ClusterId==3 A 1", {"3.0", "3.1"}),
        ("1.1 B 2", {"1.1"}),
        ("2 C 3", {"2.0", "2.1"}),
    ):
        *_, name, _ = words.split()
        done = spool.run("condor_qedit", *words.split())
        assert done.out == f'Set attribute "{name}" for {len(jobs)} matching jobs.\n'
        assert {job for job, text in spool.values(name).items() if text is not None} == jobs


KINDS = {
    "Count": "unsigned integer", "Depth": "signed integer", "File": "filename", "LongJob": "boolean true/false",
    "Never": "forbidden", "Odd": "expression", "Site": "string",
}  # fmt: skip


def test_what_the_schedd_can_do(spool: Spool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With its commands of its own, and where the help about them is."""
    name = spool.run("condor_config_val", "FULL_HOSTNAME").out.strip() or os.uname().nodename
    assert spool.run("condor_submit", "-capabilities").out == f"Schedd {name}\n Has Late Materialization enabled\n"
    commands = 'LongJob = true\nSite = "x"\nCount = 5\nDepth = -1\nOdd = undefined\nNever = error\nFile = "file:x"'
    monkeypatch.setenv("_CONDOR_EXTENDED_SUBMIT_COMMANDS", commands)
    help_file = tmp_path / "help"
    help_file.write_text("Ask the operators.\n")
    monkeypatch.setenv("_CONDOR_EXTENDED_SUBMIT_HELPFILE", str(help_file))
    told = spool.run("condor_submit", "-capabilities").out
    assert told.startswith(f"Schedd {name}\n Has Late Materialization enabled\n Has Extended submit commands:\n")
    kinds = dict(line.strip().split(" value is ") for line in told.splitlines() if " value is " in line)
    assert {name.strip(): kind for name, kind in kinds.items()} == KINDS
    assert told.endswith(" Has Extended help:\n\tAsk the operators.\n\n")
    help_file.unlink()
    raw = spool.run("condor_submit", "-capabilities:2").out
    assert "# Raw ad:\n#  ExtendedSubmitCommands = [ LongJob = true; Site = " in raw
    assert raw.endswith(f" Has Extended help:\n\t{help_file} cannot be read: No such file or directory\n")
    monkeypatch.setenv("_CONDOR_EXTENDED_SUBMIT_HELPFILE", "https://help.example.net")
    assert spool.run("condor_submit", "-capabilities").out.endswith("\thttps://help.example.net\n")


def test_a_dag_is_given_to_condor_dagman(spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.bindings.session._pool", None)  # the configuration is read once a process
    (tmp_path / "t.dag").write_text("JOB A a.sub\n")
    assert spool.run("htcondor", "dag", "submit", "t.dag") == ("", "DAG 1 was submitted.\n", 0)
    assert spool.values("JobUniverse") == {"1.0": "7"}
    assert spool.values("JobSubmitMethod") == {"1.0": "4"}
    assert spool.run("htcondor", "dag", "histogram", "1").err.splitlines()[-1] == (
        f"Could not find file: {tmp_path}/t.dag.nodes.log"
    )
    spool.set("1.0", "UserLog", '"/some/log"')
    assert spool.run("htcondor", "dag", "histogram", "1").err.splitlines()[-1] == "Job 1 is no DAG."
