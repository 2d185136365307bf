"""Job transforms and submit requirements: what the schedd makes of submitted jobs."""

from __future__ import annotations

import pytest

from condor_py.lang.submit.admission import Refused, apply_submit_policy
from condor_py.model.settings.submit_policy import Requirement, SubmitPolicy

AD = [("Owner", '"alice"'), ("ClusterId", "7"), ("JobUniverse", "5"), ("RequestMemory", "100"), ("Cmd", '"/bin/true"')]
PROCS = [[("Args", '"0"'), ("JobStatus", "1")], [("Args", '"1"'), ("JobStatus", "5")]]
SCHEDD = (("Name", '"vm"'),)


def policy(*rules: str, requirements: tuple[Requirement, ...] = ()) -> SubmitPolicy:
    """Transforms T0, T1 ... and requirements."""
    macros = {"limit": "50", "mem": "$(limit)0", "number": "ProcId"}
    named = tuple((f"T{number}", text) for number, text in enumerate(rules))
    return SubmitPolicy(named, requirements, lambda name: macros.get(name.lower()), SCHEDD)


def admitted(*rules: str, requirements: tuple[Requirement, ...] = ()) -> tuple[dict[str, str], list[dict[str, str]]]:
    found = apply_submit_policy(AD, PROCS, policy(*rules, requirements=requirements))
    return dict(found.ad), [dict(items) for items in found.procs]


def test_without_policy_jobs_are_taken_as_they_come() -> None:
    found = apply_submit_policy(AD, PROCS, SubmitPolicy())
    assert (found.ad, found.procs, found.warnings) == (AD, PROCS, ())


def test_what_all_jobs_share_becomes_the_clusters() -> None:
    ad, procs = admitted('SET Site "north"\nDELETE Cmd\nRENAME RequestMemory Memory')
    assert ad == {"Owner": '"alice"', "ClusterId": "7", "JobUniverse": "5", "Memory": "100", "Site": '"north"'}
    assert procs == [dict(items) for items in PROCS]


@pytest.mark.parametrize(
    "rules", ["EVALSET Number ProcId", "EVALSET Number $(number)", "x = $(number)\nEVALSET Number $(x)"]
)
def test_what_differs_stays_with_the_job(rules: str) -> None:
    ad, procs = admitted(rules)
    assert "Number" not in ad
    assert [job["Number"] for job in procs] == ["0", "1"]


def test_only_some_jobs_are_changed() -> None:
    ad, procs = admitted('REQUIREMENTS Args == "1"\nSET Second true\nDELETE Cmd\nDELETE Args')
    assert ad["Cmd"] == '"/bin/true"'
    assert procs == [
        {"Args": '"0"', "JobStatus": "1"},
        {"JobStatus": "5", "Second": "true", "Cmd": "undefined"},
    ]


def test_rules_follow_one_another_and_share_macros() -> None:
    ad, _ = admitted("x = 1\nSET A $(x)", "REQUIREMENTS A == 1\nSET B $(x) + $(mem)", "[ set_C = B; ]")
    assert (ad["A"], ad["B"], ad["C"]) == ("1", "1 + 500", "B")


def test_identity_is_not_for_rules() -> None:
    ad, procs = admitted('SET Owner "root"\nSET ClusterId 1\nSET ProcId 9\nSET A 1')
    assert (ad["Owner"], ad["ClusterId"], ad["A"]) == ('"alice"', "7", "1")
    assert all("ProcId" not in job and "Owner" not in job for job in procs)


def test_a_transform_may_hold_jobs() -> None:
    _, procs = admitted("SET JobStatus 5")
    assert [job["JobStatus"] for job in procs] == ["5", "5"]


def test_requirements_see_the_transformed_job_and_the_schedd() -> None:
    check = Requirement("Big", 'RequestMemory > 500 && SCHEDD.Name == "vm" && JOB.Owner == "alice" && MY.Name == "vm"')
    with pytest.raises(Refused, match="Submit requirement Big not met"):
        admitted(requirements=(check,))
    ad, _ = admitted("SET RequestMemory 501", requirements=(check,))
    assert ad["RequestMemory"] == "501"


@pytest.mark.parametrize(
    ("requirement", "text"),
    [
        (Requirement("R", "false"), "Submit requirement R not met.\n"),
        (Requirement("R", "false", '"No, " + 1'), "Submit requirement R not met.\n"),
        (Requirement("R", "false", 'strcat("Only ", RequestMemory, " MB")'), "Only 100 MB"),
        (Requirement("R", "Nothing"), "Submit requirement R evaluated to non-boolean.\n"),
        (Requirement("R", "0"), "Submit requirement R not met.\n"),
        (Requirement("R", 'Args != "1"', '"Job " + Args'), "Submit requirement R not met.\n"),
    ],
)
def test_refusals(requirement: Requirement, text: str) -> None:
    with pytest.raises(Refused) as refusal:
        admitted(requirements=(requirement,))
    assert str(refusal.value) == f"Failed to commit job submission into the queue.\nERROR: {text}"


def test_the_first_refusal_counts_and_warnings_do_not_refuse() -> None:
    warn = Requirement("W", "false", '"Mind"', is_warning=True)
    found = apply_submit_policy(AD, PROCS, policy(requirements=(warn, Requirement("Ok", "true"))))
    assert found.warnings == ("Mind",)
    with pytest.raises(Refused, match="Submit requirement No not met"):
        admitted(requirements=(warn, Requirement("No", "false"), Requirement("Later", "false")))


def test_rules_that_break_refuse_the_jobs_and_bad_expressions_warn() -> None:
    with pytest.raises(Refused, match="required job transform: JOB_TRANSFORM_T0, line 2: FROB is not a valid"):
        admitted("SET A 1\nFROB b c")
    found = apply_submit_policy(AD, PROCS, policy("SET A ((\nSET B 1", "REQUIREMENTS ((\nSET C 1"))
    assert dict(found.ad)["B"] == "1"
    assert found.warnings == (
        "JOB_TRANSFORM_T1 is ignored: invalid REQUIREMENTS : ((",
        "JOB_TRANSFORM_T0: SET A invalid expression : ((",
    )


def test_thousands_of_equal_jobs_are_looked_at_once() -> None:
    looked: list[str] = []

    def macro(name: str) -> str:
        looked.append(name)
        return "1"

    rules = SubmitPolicy((("T", "SET A $(x)"),), (), macro)
    found = apply_submit_policy(AD, [[("JobStatus", "1")]] * 5000, rules)
    assert len(looked) == 1
    assert dict(found.ad)["A"] == "1"


def test_rules_give_no_job_a_value_that_no_job_may_have() -> None:
    for rule in ('SET AccountingGroup "a b"', "SET JobNice 50", 'EVALSET AccountingGroup strcat("a", " ", "b")'):
        with pytest.raises(Refused, match=r"Failed to apply the job transforms: .* is invalid"):
            admitted(rule)
    assert admitted('SET AccountingGroup "group_a.alice"')[0]["AccountingGroup"] == '"group_a.alice"'


@pytest.mark.parametrize("rule", ["EVALSET Number ProcId", "EVALSET Number $(number)"])
def test_jobs_that_are_equal_may_come_out_differently(rule: str) -> None:
    """The number of a job, which a macro of the pool names, tells them apart."""
    found = apply_submit_policy(AD, [[("JobStatus", "1")]] * 3, policy(rule))
    assert [dict(items)["Number"] for items in found.procs] == ["0", "1", "2"]
    later = apply_submit_policy(AD, [[("JobStatus", "1")]] * 2, policy(rule), first=5)
    assert [dict(items)["Number"] for items in later.procs] == ["5", "6"]


def test_a_job_that_says_nothing_else_is_idle() -> None:
    rule = "REQUIREMENTS JobStatus == 1\nSET Waits true"
    found = apply_submit_policy(AD, [[], [("JobStatus", "5")]], policy(rule))
    assert [dict(items) for items in found.procs] == [{"Waits": "true"}, {"JobStatus": "5"}]
