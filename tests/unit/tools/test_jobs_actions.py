"""condor_rm, hold, release, suspend, continue, vacate_job, prio and qedit on a queue without daemons."""

from __future__ import annotations

import pytest
from tool_runner import Spool


def test_single_jobs_are_reported_one_by_one(spool: Spool) -> None:
    spool.add(25, procs=3)
    done = spool.run("condor_hold", "25.0", "25.2", "-reason", "my reason", "-subcode", "42")
    assert done == ("Job 25.0 held\nJob 25.2 held\n", "", 0)
    assert spool.values("JobStatus") == {"25.0": "5", "25.1": "1", "25.2": "5"}
    assert spool.values("HoldReason")["25.0"] == f'"my reason (by user {spool.me})"'
    assert spool.values("HoldReasonSubCode")["25.2"] == "42"


def test_failures_come_last_and_need_an_empty_line_when_nothing_succeeded(spool: Spool) -> None:
    spool.add(25)
    spool.run("condor_hold", "25.0")
    assert spool.run("condor_hold", "25.0") == ("", "\nJob 25.0 already held\n", 1)
    assert spool.run("condor_release", "999.0", "25.0") == ("Job 25.0 released\n", "Job 999.0 not found\n", 0)
    assert spool.run("condor_release", "25.0") == ("", "\nJob 25.0 not held to be released\n", 1)
    assert spool.run("condor_suspend", "25.0") == ("", "\nJob 25.0 not running to be suspended\n", 1)


@pytest.mark.parametrize("program", ["rm", "release", "suspend", "continue", "vacate_job"])
def test_a_subcode_is_only_for_hold(spool: Spool, program: str) -> None:
    spool.add(25)
    spool.run("condor_hold", "25.0", "-subcode", "7")
    done = spool.run(f"condor_{program}", "-subcode", "42", "25.0")
    assert (done.code, "option" in done.err) == (0 if program in ("rm", "release") else 1, False)
    assert spool.values("HoldReasonSubCode").get("25.0") in (None, "7")
    assert spool.run(f"condor_{program}", "-s", "x", "25.0").err.startswith("Invalid -subcode x!")


@pytest.mark.parametrize(
    ("argv", "phrase"),
    [
        (["25"], " in cluster 25"),
        (["25", "30"], " matching constraint (ClusterId == 25 || ClusterId == 30)"),
        (["-constraint", "JobPrio==0"], " matching constraint (JobPrio==0)"),
        (["30", "-con", "JobPrio==0"], " matching constraint ((JobPrio==0) && (ClusterId == 30))"),
        (["-all"], ""),
    ],
)
def test_groups_are_reported_once(spool: Spool, argv: list[str], phrase: str) -> None:
    spool.add(25)
    spool.add(30)
    assert spool.run("condor_hold", *argv) == (f"All jobs{phrase} have been held\n", "", 0)


def test_a_priority_that_is_refused_says_why(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.client.pool.Pool.is_superuser", False)
    spool.add(25, owner="bob")
    spool.add(26)
    refused = "it is a job of bob, which only they and administrators may change."
    assert spool.run("condor_prio", "-p", "5", "25.0") == ("", f"Couldn't set new priority for 25.0: {refused}\n", 1)
    assert spool.run("condor_prio", "+5", "26", "25") == ("", f"Couldn't set new priority for 25.0: {refused}\n", 1)
    assert spool.values("JobPrio") == {"25.0": "0", "26.0": "5"}


@pytest.mark.parametrize("word", ["high", "5x", "", "1.5"])
def test_a_priority_is_a_whole_number(spool: Spool, word: str) -> None:
    spool.add(25, JobPrio="3")
    done = spool.run("condor_prio", "-p", word, "25.0")
    assert done == ("", f"condor_prio: -p needs a whole number, not {word}\n", 1)
    assert spool.values("JobPrio") == {"25.0": "3"}


def test_a_user_is_a_group(spool: Spool) -> None:
    spool.add(25)
    assert spool.run("condor_hold", spool.me).out == f'All jobs of user "{spool.me}" have been held\n'
    assert spool.run("condor_rm", "nobody_here").err == ('\nCouldn\'t find/remove all jobs of user "nobody_here"\n')


def test_all_held_jobs(spool: Spool) -> None:
    spool.add(25)
    spool.add(26)
    spool.run("condor_hold", "25")
    done = spool.run("condor_rm", "-all", "-held")
    assert done.out == "All held jobs have been marked for removal\n"
    assert spool.values("JobStatus").get("26.0") == "1"


def test_totals_and_result_ad(spool: Spool) -> None:
    spool.add(25, procs=2)
    done = spool.run("condor_hold", "-totals", "25")
    assert done.out.splitlines()[0] == (
        "2 Succeeded, 0 Failed, 0 Not Found, 0 Bad Status, 0 Already Done, 0 Permission Denied"
    )
    ad = spool.run("condor_release", "-long", "25").out.splitlines()
    assert ad[0] == "ActionResult = 1"
    assert "JobAction = 2" in ad
    assert ad[-4:] == ["job_25_0 = 1", "job_25_1 = 1", "", "All jobs in cluster 25 have been released"]


@pytest.mark.parametrize(
    ("program", "argv", "first_line"),
    [
        ("condor_hold", ["25", "-all"], "condor_hold: can't mix -all with other constraints"),
        ("condor_hold", ["-constraint"], "condor_hold: -constraint requires another argument"),
        ("condor_hold", ["-subcode", "x", "25"], "Invalid -subcode x!"),
        ("condor_hold", ["0"], "Invalid cluster # from 0."),
        ("condor_rm", [], "You did not specify any jobs"),
        ("condor_rm", ["-name", "nosuch", "25"], "condor_rm: unknown host nosuch"),
    ],
)
def test_wrong_command_lines(spool: Spool, program: str, argv: list[str], first_line: str) -> None:
    done = spool.run(program, *argv)
    assert (done.code, done.out, done.err.splitlines()[0]) == (1, "", first_line)


def test_a_constraint_that_does_not_parse(spool: Spool) -> None:
    spool.add(25)
    assert spool.run("condor_hold", "-con", "((JobPrio") == (
        "",
        "DCSchedd::actOnJobs:1:Can't insert constraint into ClassAd\n"
        "Couldn't find/hold all jobs matching constraint (((JobPrio)\n",
        1,
    )


def test_priorities_are_set_and_moved(spool: Spool) -> None:
    spool.add(25, procs=2)
    spool.add(26, JobPrio="3")
    assert spool.run("condor_prio", "-p", "5", "25.0") == ("", "", 0)
    assert spool.run("condor_prio", "+2", "25", "26") == ("", "", 0)
    assert spool.run("condor_prio", "-4", "26.0") == ("", "", 0)
    assert spool.values("JobPrio") == {"25.0": "7", "25.1": "2", "26.0": "1"}
    missing = spool.run("condor_prio", "-p", "5", "999.0")
    assert missing == ("", "Couldn't retrieve current priority for 999.0.\n", 0)
    assert spool.run("condor_prio", "-p", "5", "999") == ("", "", 0)
    assert spool.run("condor_prio", "25.0").err.startswith(
        "You must specify a new priority or priority adjustment.\nUsage: condor_prio "
    )


def test_attributes_are_edited_in_one_transaction(spool: Spool) -> None:
    spool.add(25, procs=2)
    done = spool.run("condor_qedit", "25.0", "Foo", "1", "Bar", '"x"')
    assert done == ('Set attribute "Bar" for 1 matching jobs.\nSet attribute "Foo" for 1 matching jobs.\n', "", 0)
    assert spool.values("Foo") == {"25.0": "1", "25.1": None}
    assert spool.run("condor_qedit", "25", "JobPrio=-5").out == 'Set attribute "JobPrio" for 2 matching jobs.\n'
    assert spool.values("JobPrio") == {"25.0": "-5", "25.1": "-5"}


_FAILED = "Queue transaction failed.  No attributes were set.\n"
_REFUSED = "Transaction failed.  No attributes were set.\n"


@pytest.mark.parametrize(
    ("argv", "err"),
    [
        (["-con", "Foo==4444", "Foo", "4"], f'Failed to set attribute "Foo" by constraint: ( (Foo==4444) )\n{_FAILED}'),
        (["999.0", "Foo", "4"], f'Failed to set attribute "Foo" for job 999.0.\n{_FAILED}'),
        (["999", "Foo", "4"], f'Failed to set attribute "Foo" by constraint: ( (ClusterId == 999 ) )\n{_FAILED}'),
        (["25.0", "Foo", "(("], f"Update aborted, illegal value for : Foo\n{_REFUSED}"),
        (["25.0", "Foo", "=", "7"], f"Update aborted, illegal value for : Foo\n{_REFUSED}"),
        (["25.0", "Owner", '"bob"'], f'Update of immutable attribute "Owner" is not allowed.\n{_REFUSED}'),
        (["25.0", "-edits", "x"], "Can't open file of edits: x\n"),
    ],
)
def test_edits_that_fail(spool: Spool, argv: list[str], err: str) -> None:
    spool.add(25)
    assert spool.run("condor_qedit", *argv) == ("", err, 1)


def test_edits_from_a_file(spool: Spool) -> None:
    spool.add(25)
    spool.path.parent.joinpath("edits").write_text('Foo = 3\nBar = "y"\n')
    done = spool.run("condor_qedit", "25.0", "-edits", str(spool.path.parent / "edits"))
    assert done.out == 'Set attribute "Bar" for 1 matching jobs.\nSet attribute "Foo" for 1 matching jobs.\n'


def test_held_selects_among_named_jobs_and_alone(spool: Spool) -> None:
    spool.add(1, 2, JobStatus="5")
    spool.add(2, 2, JobStatus="1")
    done = spool.run("condor_release", "-held", "1.0", "2.0")
    assert done.out == (
        "All held jobs matching constraint ((ClusterId == 1 && ProcId == 0) || (ClusterId == 2 && ProcId == 0)) "
        "have been released\n"
    )
    assert spool.values("JobStatus") == {"1.0": "1", "1.1": "5", "2.0": "1", "2.1": "1"}
    assert spool.run("condor_rm", "-held").out == "All held jobs have been marked for removal\n"
    assert spool.run("condor_hold", "-all", "-constraint", "ClusterId == 2").out.startswith("All jobs matching")


def test_only_this_schedd_can_be_addressed(spool: Spool) -> None:
    spool.add(1)
    assert spool.run("condor_hold", "-addr", "<1.2.3.4:5>", "1.0").err == "Can't connect to daemon at <1.2.3.4:5>\n"
    assert spool.run("condor_hold", "-addr", "here", "1.0").err.startswith('condor_hold: "here" is not a valid address')
    assert spool.values("JobStatus") == {"1.0": "1"}


def test_words_that_name_nothing(spool: Spool) -> None:
    spool.add(1)
    assert spool.run("condor_prio", "-p", "5", "1.x").err == 'Warning: unrecognized "1.x" skipped\n'
    done = spool.run("condor_qedit", "1.0", "MY.A", "5")
    assert (done.code, done.err.splitlines()[0]) == (
        1, 'Update aborted, illegal attribute-name specified for attribute "MY.A".'
    )  # fmt: skip
    assert 'immutable attribute "JobUniverse"' in spool.run("condor_qedit", "1.0", "JobUniverse", "7").err
