"""condor_hold and its like, condor_prio, condor_qedit: the jobs that words mean, and the words about each outcome."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import act, prio
from condor_py.cli.options import UsageError, parse
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId

HOLD = next(spec for spec in act.SPECS if spec.name == "condor_hold")
IGNORED = "Warning, -constraint is ignored for fully qualified job ids\n"


@pytest.mark.parametrize(
    ("words", "jobs", "constraint", "phrase", "said"),
    [
        ("1.2 30.4", ["1.2", "30.4"], "", "", ""),
        ("7", [], "ClusterId == 7", " in cluster 7", ""),
        ("ann", [], 'Owner == "ann"', ' of user "ann"', ""),
        ("1.x", [], 'Owner == "1.x"', ' of user "1.x"', ""),
        ("7 ann", [], 'ClusterId == 7 || Owner == "ann"',
         ' matching constraint (ClusterId == 7 || Owner == "ann")', ""),
        ("1.0 7", ["1.0"], "ClusterId == 7", " in cluster 7", ""),
        ("-con A", [], "(A)", " matching constraint (A)", ""),
        ("-con A -con B", [], "(A) && (B)", " matching constraint ((A) && (B))", ""),
        ("7 -con A", [], "(A) && (ClusterId == 7)", " matching constraint ((A) && (ClusterId == 7))", ""),
        ("1.0 -con A", ["1.0"], "", "", IGNORED),
        ("1.0 7 -con A", ["1.0"], "(A) && (ClusterId == 7)", " matching constraint ((A) && (ClusterId == 7))", IGNORED),
        ("-all", [], "true", "", ""),
        ("1.0 -all", ["1.0"], "true", "", ""),
        ("-all -con A", [], "(A)", " matching constraint (A)", ""),
        ("-held", [], "JobStatus == 5", "", ""),
        ("-all -held", [], "JobStatus == 5", "", ""),
        ("7 -held", [], "(ClusterId == 7) && JobStatus == 5", " in cluster 7", ""),
        ("-con A -held", [], "((A)) && JobStatus == 5", " matching constraint (A)", ""),
        (
            "1.2 -held", [], "((ClusterId == 1 && ProcId == 2)) && JobStatus == 5",
            " matching constraint ((ClusterId == 1 && ProcId == 2))", "",
        ),
        ("0 0.5 1.0", ["1.0"], "", "", "Invalid cluster # from 0.\nInvalid cluster # from 0.5.\n"),
    ],
)  # fmt: skip
def test_the_jobs_that_words_mean(
    words: str, jobs: list[str], constraint: str, phrase: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = act._understand(parse(HOLD, words.split()), "hold")
    assert ([str(job) for job in found.jobs], found.constraint, found.phrase) == (jobs, constraint, phrase)
    assert (found.action, capsys.readouterr().err) == ("hold", said)


@pytest.mark.parametrize("words", ["7 -all", "ann -all", "-con A -all", "-con A -all -con B"])
def test_all_is_no_constraint_more(words: str) -> None:
    with pytest.raises(CondorError, match="condor_hold: can't mix -all with other constraints"):
        act._understand(parse(HOLD, words.split()), "hold")


@pytest.mark.parametrize(("words", "said"), [("", "You did not specify any jobs"), ("-all 7", ""), ("-all 1.0", "")])
def test_words_that_name_no_jobs(words: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        act._understand(parse(HOLD, words.split()), "hold")
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("program", "words", "action", "number"),
    [
        ("condor_rm", "1.0", "remove", 3), ("condor_rm", "1.0 -forcex", "removex", 4),
        ("condor_rm", "1.0 -transfer", "remove-transfer", 10), ("condor_hold", "1.0", "hold", 1),
        ("condor_release", "1.0", "release", 2), ("condor_suspend", "1.0", "suspend", 8),
        ("condor_continue", "1.0", "continue", 9), ("condor_vacate_job", "1.0", "vacate", 5),
        ("condor_vacate_job", "1.0 -fast", "vacate-fast", 6),
    ],
)  # fmt: skip
def test_each_action_has_the_number_of_htcondor(
    spool: Spool, program: str, words: str, action: str, number: int
) -> None:
    """JobAction of enum_utils.h, which -long shows."""
    spool.add(1, JobStatus="2")
    assert f"\nJobAction = {number}\n" in spool.run(program, "-long", *words.split()).out
    spec = next(spec for spec in act.SPECS if spec.name == program)
    assert act._understand(parse(spec, words.split()), "remove" if program == "condor_rm" else action).action == action


#: What is said of job 1.0: of success, a wrong state, and what is so already.
WORDS = {
    "remove": ("marked for removal", "already marked for removal", "already marked for removal", "remove"),
    "remove-transfer": (
        "marked for removal after file transfer", "already marked for removal", "already marked for removal",
        "transfer and remove",
    ),
    "removex": (
        "removed locally (remote state unknown)", "not in `X' state to be forcibly removed",
        "not in `X' state to be forcibly removed", "remove",
    ),
    "hold": ("held", "already held", "already held", "hold"),
    "release": ("released", "not held to be released", "not held to be released", "release"),
    "suspend": ("suspended", "not running to be suspended", "already suspended", "suspend"),
    "continue": ("continued", "not running to be continued", "already running", "continue"),
    "vacate": ("vacated", "not running to be vacated", "not running to be vacated", "vacate"),
    "vacate-fast": (
        "fast-vacated", "not running to be fast-vacated", "not running to be fast-vacated", "fast-vacate",
    ),
}  # fmt: skip


@pytest.mark.parametrize("action", WORDS)
def test_the_words_about_each_outcome(action: str) -> None:
    """AR_ERROR is 0, AR_SUCCESS 1, AR_NOT_FOUND 2, AR_BAD_STATUS 3, AR_ALREADY_DONE 4, AR_PERMISSION_DENIED 5."""
    done, wrong, already, verb = WORDS[action]
    job = JobId(1, 0)
    assert act.told(action, job, 1) == (f"Job 1.0 {done}", True)
    assert act.told(action, job, 3) == (f"Job 1.0 {wrong}", False)
    assert act.told(action, job, 4) == (f"Job 1.0 {already}", False)
    assert act.told(action, job, 5) == (f"Permission denied to {verb} job 1.0", False)
    assert act.told(action, job, 2) == act.told(action, job, None) == ("Job 1.0 not found", False)
    assert act.told(action, job, 0) == ("No result found for job 1.0", False)


def test_the_words_about_many() -> None:
    many = {action: words.many for action, words in act._ACTIONS.items()}
    assert many == {action: words[0] for action, words in WORDS.items()}


def test_totals_and_the_result_ad(spool: Spool) -> None:
    """Of single jobs HTCondor counts none, and of a group none that is in another state."""
    spool.add(1, 12)
    spool.run("condor_hold", "1.3")
    out = spool.run("condor_hold", "-long", "-totals", "1").out.splitlines()
    assert out[:5] == [
        "ActionResult = 1", "ActionResultType = 1", "IsQueueSuperUser = " + out[2].rpartition(" ")[2], "JobAction = 1",
        "TotalJobAds = 12",
    ]  # fmt: skip
    jobs = out[5 : out.index("")]
    assert jobs == sorted(jobs)
    assert jobs[:3] == ["job_1_0 = 1", "job_1_1 = 1", "job_1_10 = 1"]
    single = spool.run("condor_release", "-totals", "1.3").out.splitlines()
    assert single == [
        "0 Succeeded, 0 Failed, 0 Not Found, 0 Bad Status, 0 Already Done, 0 Permission Denied", "Job 1.3 released",
    ]  # fmt: skip
    failed = spool.run("condor_release", "-long", "1.3").out.splitlines()
    assert (failed[0], failed[5]) == ("ActionResult = 0", "job_1_3 = 3")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


THREE = "; ".join(f"Job 1.{number} not running to be suspended" for number in range(3))


@pytest.mark.parametrize(
    ("procs", "said"),
    [(1, "Job 1.0 not running to be suspended"), (3, THREE), (4, f"{THREE} and 1 more")],
)
def test_a_person_reads_why_nothing_was_done(
    spool: Spool, procs: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from condor_py.cli import entry

    spool.add(1, procs)
    error = _Terminal()
    monkeypatch.setattr(sys, "stderr", error)
    assert entry.main("condor_suspend", ["1"]) == 1
    assert error.getvalue().endswith(f"Couldn't find/suspend all jobs in cluster 1\n{said}\n")


# -- condor_prio


@pytest.mark.parametrize(
    ("text", "number"), [("5", 5), ("-5", -5), ("2147483647", 2147483647), ("-2147483647", -2147483647)]
)
def test_priorities(spool: Spool, text: str, number: int) -> None:
    spool.add(1)
    assert spool.run("condor_prio", "-p", text, "1.0").code == 0
    assert spool.values("JobPrio") == {"1.0": str(number)}
    for beyond in ("2147483648", "-2147483648", "1.5"):
        assert spool.run("condor_prio", "-p", beyond, "1.0").code == 1


class _Elsewhere:
    """Another pool with two jobs."""

    def __init__(self, refuses: str = "") -> None:
        self.asked = ""
        self.edits: list[tuple[str, dict[str, str]]] = []
        self._refuses = refuses

    def jobs(self, constraint: str) -> list[ClassAd]:
        self.asked = constraint
        return [ClassAd({"ClusterId": 1, "ProcId": proc, "JobPrio": proc}) for proc in (0, 2)]

    def edit(self, job: str, values: dict[str, str]) -> int:
        if job == self._refuses:
            raise CondorError("no")
        self.edits.append((job, values))
        return 1


@pytest.mark.parametrize(
    ("targets", "everything", "constraint"),
    [
        (["1"], False, "(ClusterId == 1)"),
        (["1.2", "7"], False, "(ClusterId == 1 && ProcId == 2) || (ClusterId == 7)"),
        (["ann"], False, '(Owner == "ann")'),
        (["ann@x"], False, '(User == "ann@x")'),
        (["1"], True, "true"),
        ([], False, "false"),
    ],
)
def test_the_jobs_of_another_pool(targets: list[str], everything: bool, constraint: str) -> None:
    other: Any = _Elsewhere()
    prio._change_elsewhere(other, targets, everything, 5, None)
    assert other.asked == constraint
    assert other.edits == [("1.0", {"JobPrio": "5"}), ("1.2", {"JobPrio": "5"})]


def test_steps_in_another_pool(capsys: pytest.CaptureFixture[str]) -> None:
    other: Any = _Elsewhere("1.0")
    assert prio._change_elsewhere(other, ["1.0", "1.9", "1.2", "1x"], False, None, -3) is False
    assert other.edits == [("1.2", {"JobPrio": "-1"})]
    assert capsys.readouterr().err == (
        'Warning: unrecognized "1x" skipped\nCouldn\'t retrieve current priority for 1.9.\n'
        "Couldn't set new priority for 1.0: no\n"
    )
    assert prio._change_elsewhere(_Elsewhere(), ["1.0"], False, 0, -3) is True  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "priorities"),
    [
        ("-p 5 1.0", ["5", "1", "2"]),
        ("+10 1", ["10", "11", "2"]),
        ("+10 -5 1.0", ["-5", "1", "2"]),
        ("-p 5 +10 1.0", ["5", "1", "2"]),
        ("+10 1.0 1 1.0", ["10", "11", "2"]),
        ("-p 0 -a", ["0", "0", "0"]),
        ("-p 7 -all", ["7", "7", "7"]),
        ("-p 7 -a 1.0", ["7", "7", "7"]),
        ("+1 -a 1.0", ["1", "2", "3"]),
        ("+1 01.0", ["0", "1", "2"]),
    ],
)
def test_changes_of_priorities(spool: Spool, words: str, priorities: list[str]) -> None:
    spool.add(1, 2)
    spool.set("1.1", "JobPrio", "1")
    spool.add(2, JobPrio="2")
    assert spool.run("condor_prio", *words.split()).code == 0
    assert list(spool.values("JobPrio").values()) == priorities


# -- condor_qedit


def query(*lines: str) -> str:
    return "\n".join(["--- effective query ----", "FROM local (local)", *lines, "------------------------", ""])


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("25.0 A 1", ["QEDIT BY JOBID : 25.0 ", "ONLY_MY_JOBS = false", "A = 1"]),
        ("25.0 26.1 B=2 A 1", ["QEDIT BY JOBID : 25.0 26.1 ", "ONLY_MY_JOBS = false", "A = 1", "B = 2"]),
        (
            "25 26.1 A=1",
            ["QEDIT BY CONSTRAINT : ( (ClusterId == 25 || ( ClusterId == 26 && ProcId == 1 )) )",
             "ONLY_MY_JOBS = false", "A = 1"],
        ),
        ("ann A 1", ['QEDIT BY CONSTRAINT : ( (Owner=="ann") )', "ONLY_MY_JOBS = false", "A = 1"]),
        ("-con X>1 A -5", ["QEDIT BY CONSTRAINT : ( (X>1) )", "ONLY_MY_JOBS = true", "A = -5"]),
        ("-owner ann A 1", ['QEDIT BY CONSTRAINT : ( (Owner=="ann") )', "ONLY_MY_JOBS = false", "A = 1"]),
        ("-jobids 1.2,,3.4 A 1", ["QEDIT BY JOBID : 1.2 3.4 ", "ONLY_MY_JOBS = false", "A = 1"]),
        (
            "-jobids 1 -con X A 1",
            ["QEDIT BY CONSTRAINT : ( (X) && (ClusterId == 1 ) )", "ONLY_MY_JOBS = false", "A = 1"],
        ),
    ],
)  # fmt: skip
def test_what_is_edited(spool: Spool, words: str, lines: list[str]) -> None:
    assert spool.run("condor_qedit", "-diagnostic", *words.split()) == (query(*lines), "", 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("25.0 A", "condor_qedit : expression required after attribute A"),
        ("25.0", "condor_qedit : Error - no attributes specifed."),
        ("-jobids x A 1", "condor_qedit: x is no job id; say CLUSTER or CLUSTER.PROC"),
        ("-edits none 25.0", "Can't open file of edits: none"),
        ("25.0 A = B", "Update aborted, illegal value for : A"),
        ("25.0 A==B", "Update aborted, illegal value for : A"),
        ("ann 5 1", 'Update aborted, illegal attribute-name specified for attribute "5".'),
    ],
)
def test_what_cannot_be_edited(spool: Spool, words: str, said: str) -> None:
    done = spool.run("condor_qedit", *words.split())
    assert (done.out, done.code) == ("", 1)
    assert done.err.splitlines()[0] == said


def test_a_word_of_no_characters_is_nobody(spool: Spool) -> None:
    spool.add(1)
    done = spool.run("condor_qedit", "", "A", "1")
    assert (done.err, done.code) == (f'Failed to set attribute "A" by constraint: ( (Owner=="") )\n{_FAILED}', 1)


_FAILED = "Queue transaction failed.  No attributes were set.\n"


@pytest.mark.parametrize(
    ("words", "out", "err"),
    [
        ("1.0 B 2 A 1", 'Can Set attribute "A" for 1 matching jobs.\nCan Set attribute "B" for 1 matching jobs.\n', ""),
        ("1 A 1", 'Can Set attribute "A" for 2 matching jobs.\n', ""),
        ("-constraint ProcId==1 A 1", 'Can Set attribute "A" for 1 matching jobs.\n', ""),
        ("9.0 A 1", "", f'Failed to set attribute "A" for job 9.0.\n{_FAILED}'),
        ("9 A 1", "", f'Failed to set attribute "A" by constraint: ( (ClusterId == 9 ) )\n{_FAILED}'),
        ("-constraint false A 1", "", f'Failed to set attribute "A" by constraint: ( (false) )\n{_FAILED}'),
        ("1.0 ClaimId 1", "", 'Update of protected attribute "ClaimId" is not allowed.\n'),
    ],
)
def test_a_dry_run_tells_what_an_edit_would_do_and_changes_nothing(
    spool: Spool, words: str, out: str, err: str
) -> None:
    spool.add(1, procs=2)
    assert spool.run("condor_qedit", "-dry-run", *words.split()) == (out, err, 1 if err else 0)
    assert spool.values("A") == {"1.0": None, "1.1": None}
