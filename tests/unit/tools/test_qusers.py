"""condor_qusers on a queue of its own: what it shows, what it changes, and what it refuses."""

from __future__ import annotations

import json

import pytest
from tool_runner import Done, Spool

from condor_py.store.job_queue import JobQueue


@pytest.fixture
def users(spool: Spool) -> Spool:
    """Users alice (with jobs of the project optics) and bob, who is disabled."""
    spool.add(1, 3, "alice", ProjectName='"Optics"')
    spool.add(2, 2, "alice", JobStatus="5")
    spool.add(3, 1, "alice", JobUniverse="7", JobStatus="2")
    spool.set("1.1", "JobStatus", "2")
    spool.set("1.2", "JobStatus", "6")
    assert qusers(spool, "-add", "alice", "bob") == Done("add succeeded: \n", "", 0)
    assert qusers(spool, "-disable", "bob", "-reason", "on leave").code == 0
    return spool


def qusers(spool: Spool, *words: str) -> Done:
    return spool.run("condor_qusers", *words)


def values(spool: Spool, *words: str) -> list[str]:
    return qusers(spool, "-af", *words).out.splitlines()


def records(spool: Spool) -> list[tuple[str, dict[str, str]]]:
    """Types and attributes of the records, as the queue log has them."""
    queue = JobQueue(str(spool.path), readonly=True)
    found = [(ad.eval_str("MyType", ""), dict(ad.text_items())) for ad in queue.user_records.values()]
    queue.close()
    return found


def test_the_table_has_users_their_limits_and_their_jobs(users: Spool) -> None:
    assert qusers(users, "-edit", "alice", "MaxJobsRunning=7").out == "edit succeeded: \n"
    assert qusers(users).out == (
        "USER              OS_USER ENABLED MAX_RUN JOBS:Idle Running    Held Removed Completed\n"
        "alice@example.net alice   yes     7               1       2       2       0         0\n"
        "bob@example.net   bob     no      default         0       0       0       0         0\n"
    )
    assert qusers(users, "bob", "-usage").out.splitlines()[1].split() == ["bob@example.net", *"000000"]
    assert qusers(users, "-aaf", "DisableReason").out.splitlines()[2].endswith(" on leave     ")
    assert values(users, "NumJobs", "NumSchedulerRunning", "-constraint", 'Owner == "alice"') == ["5 1"]
    assert values(users, "User", "-user", "ALICE") == ["alice@example.net"]


def test_projects_are_shown_apart_or_with_the_users(users: Spool) -> None:
    assert " ".join(qusers(users, "-projects").out.split()) == (
        "NAME JOBS:Idle Running Held Completed SlotTime CpuTime Removed RmvdCpuTime RmvdSlotTime Pending"
    )
    assert qusers(users, "-projects", "-add", "optics", "idle").code == 0
    assert values(users, "Name", "NumIdle", "NumRunning", "-projects") == ["idle 0 0", "optics 1 2"]
    assert values(users, "Name ?: Owner", "-projects:also") == ["alice", "bob", "idle", "optics"]
    ads = json.loads(qusers(users, "-projects", "-long:json").out)
    assert [(ad["MyType"], ad["Name"]) for ad in ads] == [("Project", "idle"), ("Project", "optics")]
    assert qusers(users, "-projects", "-rm", "idle").code == 0
    in_use = qusers(users, "-projects", "-rm", "OPTICS")
    assert (in_use.out, in_use.code) == ("remove failed: SCHEDD:16:Project optics is in use\n", 16)
    assert qusers(users, "-projects:also", "-rm", "optics").code == 1


def test_suspending_sets_a_limit_of_no_jobs_and_unsuspending_takes_it_back(users: Spool) -> None:
    assert qusers(users, "-suspend", "alice", "-reason", "maintenance").out == "suspend succeeded: \n"
    assert values(users, "Enabled", "MaxJobsRunning", "DisableReason", "-user", "alice") == ["0 0 maintenance"]
    assert qusers(users, "-unsuspend", "alice").out == "unsuspend succeeded: \n"
    assert values(users, "Enabled", "MaxJobsRunning", "DisableReason", "-user", "alice") == ["1 undefined undefined"]
    assert qusers(users, "-disable", "alice", "MaxJobsRunning=-3").code == 0
    assert values(users, "Enabled", "MaxJobsRunning", "-user", "alice") == ["0 undefined"]


def test_records_are_those_of_htcondor(users: Spool) -> None:
    assert qusers(users, "add", "carol@example.org", 'Department="Math"').code == 0
    kind, carol = records(users)[-1]
    assert (kind, carol) == (
        "Owner",
        {"MyType": '"Owner"', "User": '"carol@example.org"', "Owner": '"carol"', "OsUser": '"carol"', "Enabled": "1"},
    )
    edited = qusers(users, "edit", "carol@example.org", 'Department="Math"', "Enabled=false", "NumIdle=4", "-raw")
    assert edited.out == (
        "edit succeeded: \n    NumAds = 1\n    NumAttributesSet = 1\n    Result = 0\n"
        '    Warning = "Some updates were ignored because 1 were reserved attributes"\n'
    )
    assert values(users, "Department", "Enabled", "NumIdle", "-user", "carol@example.org") == ["Math 1 0"]
    assert qusers(users, "-edit", "-constraint", 'Department =?= "Math"', "department = delete").code == 0
    assert "Department" not in records(users)[-1][1]
    assert qusers(users, "-remove", "-constraint", "true").code == 0
    assert values(users, "Owner", "Enabled") == ["alice 0"], "who has jobs is disabled"


def test_who_is_not_there_fails_and_is_not_made(users: Spool) -> None:
    for words in (("-enable", "zoe"), ("-disable", "zoe"), ("-rm", "zoe"), ("-edit", "zoe", "A=1")):
        done = qusers(users, *words)
        assert (done.code, done.out.partition(": ")[2]) == (4, "SCHEDD:4:No record of user zoe@example.net\n"), words
    assert qusers(users, "-disable", "-constraint", "false") == Done("disable did nothing: \n", "", 0)
    assert values(users, "Owner") == ["alice", "bob"]


@pytest.mark.parametrize(
    ("words", "text", "code"),
    [
        ("-add", "Error: add users - no names specified", 1),
        ("-enable -projects", "Error: enable projects - no names specified", 1),
        ("-disable", "Error: disable users - no names specified", 1),
        ("-remove", "Error: remove users - no names specified", 1),
        ("-edit A=1", "Error: no name or constraint - don't know which users or projects to edit", 1),
        ("-edit bob A=((", "Error: not a valid classad assignment: A=((", 1),
        ("-edit bob 1A=1", "Error: not a valid classad assignment: 1A=1", 1),
        ("bob A=1", "<attr>=<expr> arguments only work with -edit, -suspend and -unsuspend", 2),
        ("-reason x bob", "-reason argument can only be used with -disable or -remove argument", 1),
        ("-constraint ((", "Error: invalid constraint expression: ((", 1),
        ("-disable -constraint ((", "Error: invalid constraint expression: ((", 1),
        ("-af ((", "Error: -autoformat arg '((' is not a valid expression", 2),
        ("-aaf:Vr User", "Error: Vr is invalid -aaf format qualifier. only one of V,r,T, or Y is permitted.", 2),
        ("-long -af User", "Error: -long cannot be used with -format or -af", 1),
        ("-daily", "Error: -daily is not supported: no statistics by hour and day are kept", 1),
        ("-reset bob", "Unsupported command reset: -edit MaxJobsRunning=delete removes the limit", 1),
        ("-name elsewhere", "Error: 1 Can't find address of schedd elsewhere", 1),
        ("-user", "Error: -user requires a username argument", 1),
        ("-bogus", "Error: unexpected argument: -bogus", 2),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_named_in_one_line(spool: Spool, words: str, text: str, code: int) -> None:
    done = qusers(spool, *words.split())
    assert (done.out, done.err.splitlines()[0], done.code) == ("", text, code)


def test_two_actions_at_once_are_refused(spool: Spool) -> None:
    done = qusers(spool, "-add", "bob", "-disable")
    assert (done.out, done.code) == ("", 1)
    assert "Usage: condor_qusers" in done.err


@pytest.mark.parametrize("name", ["a\nb", "a\0b"])
def test_names_that_no_log_can_hold_are_refused(spool: Spool, name: str) -> None:
    done = qusers(spool, "-add", name)
    assert done.code == 1
    assert done.err.startswith("Error: add failed - ")


@pytest.mark.parametrize("name", ['q"uote', "sp ace", "back\\slash", "ümlaut", "\udcff"])
def test_odd_names_come_back_as_they_are(spool: Spool, name: str) -> None:
    assert qusers(spool, "-add", name).code == 0
    assert values(spool, "Owner") == [name]
