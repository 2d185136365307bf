"""What transforms and requirements of the schedd make of jobs that arrive: where changes go, and who is refused."""

from __future__ import annotations

import pytest

from condor_py.lang.submit.admission import Admitted, Refused, apply_submit_policy
from condor_py.model.settings.submit_policy import Requirement, SubmitPolicy

AD = [("Owner", '"alice"'), ("ClusterId", "7"), ("A", "1"), ("Cmd", '"x"')]


def admit(*rules: str, procs: list[dict[str, str]], first: int | None = None, factory: bool = False) -> Admitted:
    """Jobs after rules."""
    policy = SubmitPolicy(tuple((f"T{number}", text) for number, text in enumerate(rules)), (), lambda name: None)
    items = [list(job.items()) for job in procs]
    return apply_submit_policy(AD, items, policy, is_factory=factory, first=first)


def shown(found: Admitted) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The cluster ad's differences and the jobs."""
    ad = dict(found.ad)
    given = dict(AD)
    changes = {name: text for name, text in ad.items() if given.get(name) != text}
    return changes | dict.fromkeys(given.keys() - ad.keys(), "-"), [dict(items) for items in found.procs]


TWO = [{"Args": '"0"', "JobStatus": "1"}, {"Args": '"1"', "JobStatus": "1"}]


@pytest.mark.parametrize(
    ("rule", "cluster", "jobs"),
    [
        ("SET B 2", {"B": "2"}, TWO),
        ("SET A 2", {"A": "2"}, TWO),
        ("SET a 2", {"a": "2", "A": "-"}, TWO),
        ("DELETE A", {"A": "-"}, TWO),
        ("DELETE None", {}, TWO),
        ("SET A 1", {}, TWO),
        ("EVALSET B ProcId", {}, [{**TWO[0], "B": "0"}, {**TWO[1], "B": "1"}]),
        ("SET JobStatus 5", {}, [{**job, "JobStatus": "5"} for job in TWO]),
        ("DELETE Args", {}, [{"JobStatus": "1"}] * 2),
        ("SET Args \"9\"", {"Args": '"9"'}, [{"JobStatus": "1"}] * 2),
        ('REQUIREMENTS Args == "1"\nSET A 2', {}, [TWO[0], {**TWO[1], "A": "2"}]),
        ('REQUIREMENTS Args == "1"\nDELETE A', {}, [TWO[0], {**TWO[1], "A": "undefined"}]),
        ("SET B undefined", {"B": "undefined"}, TWO),
        ('SET Owner "x"\nSET User "x"\nSET OsUser "x"\nSET MyType "x"\nSET TargetType "x"\nSET ProcId 9\n'
         "SET ClusterId 9", {}, TWO),
    ],
)  # fmt: skip
def test_changes_of_new_jobs(rule: str, cluster: dict[str, str], jobs: list[dict[str, str]]) -> None:
    assert shown(admit(rule, procs=TWO)) == (cluster, jobs)


@pytest.mark.parametrize(
    ("rule", "jobs"),
    [
        ("SET B 2", [{**job, "B": "2"} for job in TWO]),
        ("SET A 2", [{**job, "A": "2"} for job in TWO]),
        ("SET A 1", TWO),
        ("DELETE A", [{**job, "A": "undefined"} for job in TWO]),
        ("EVALSET B ProcId", [{**TWO[0], "B": "4"}, {**TWO[1], "B": "5"}]),
        ("DELETE Args", [{"JobStatus": "1"}] * 2),
    ],
)
def test_changes_of_jobs_that_join_a_cluster_stay_with_them(rule: str, jobs: list[dict[str, str]]) -> None:
    assert shown(admit(rule, procs=TWO, first=4)) == ({}, jobs)


def test_rules_know_whether_jobs_are_made_later() -> None:
    rule = "if $(LateMaterialization)\nSET Late $(IsClusterAd)\nendif"
    assert shown(admit(rule, procs=TWO, factory=True))[0] == {"Late": "0"}
    assert shown(admit(rule, procs=TWO))[0] == {}


def test_no_jobs_are_no_change() -> None:
    assert shown(admit("SET B 2", procs=[])) == ({}, [])


@pytest.mark.parametrize("text", ["ProcId + 1", "random(5)", "RANDOM(5)", 'split(GlobalJobId, "#")[1]'])
def test_equal_jobs_are_looked_at_one_by_one_where_they_may_come_out_differently(text: str) -> None:
    """The text may be in a rule, in the cluster ad, or in a job."""
    asked: list[str] = []

    def knob(name: str) -> str:
        asked.append(name)
        return "1"

    for ad, job, rule in (
        (AD, [], f"SET B $(k)\nSET C {text}"),
        ([*AD, ("C", text)], [], "SET B $(k)"),
        (AD, [("C", text)], "SET B $(k)"),
        (AD, [], f"REQUIREMENTS {text} =!= 99\nSET B $(k)"),
    ):
        asked.clear()
        apply_submit_policy(ad, [job] * 3, SubmitPolicy((("T", rule),), (), knob))
        assert len(asked) == 3, (ad, job, rule)
    asked.clear()
    apply_submit_policy(AD, [[]] * 3, SubmitPolicy((("T", "SET B $(k)"),), (), knob))
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("requirement", "outcome"),
    [
        (Requirement("R", "true"), ()), (Requirement("R", "1"), ()), (Requirement("R", "0.5"), ()),
        (Requirement("R", "false"), "Submit requirement R not met.\n"),
        (Requirement("R", "0"), "Submit requirement R not met.\n"),
        (Requirement("R", "0.0", '"no"'), "no"), (Requirement("R", "false", "5"), "Submit requirement R not met.\n"),
        (Requirement("R", "false", "None"), "Submit requirement R not met.\n"),
        (Requirement("R", "None"), "Submit requirement R evaluated to non-boolean.\n"),
        (Requirement("R", '"x"'), "Submit requirement R evaluated to non-boolean.\n"),
        (Requirement("R", "JOB.A == 1 && TARGET.A == 1 && SCHEDD.Name == \"s\" && MY.Name == \"s\""), ()),
        (Requirement("R", "A == 2", 'strcat(JOB.Owner, "@", Name)', is_warning=True), ("alice@s",)),
        (Requirement("R", "A == 2", "", is_warning=True), ("Submit requirement R not met.\n",)),
        (Requirement("R", "JobStatus == 1 && ProcId >= 0"), ()),
        (Requirement("R", "ProcId == 0", 'strcat("job ", JOB.ProcId)'), "job 1"),
    ],
)  # fmt: skip
def test_requirements_of_the_schedd(requirement: Requirement, outcome: str | tuple[str, ...]) -> None:
    policy = SubmitPolicy((), (requirement,), lambda name: None, (("Name", '"s"'),))
    if isinstance(outcome, tuple):
        assert apply_submit_policy(AD, [[], []], policy).warnings == outcome
        return
    with pytest.raises(Refused) as caught:
        apply_submit_policy(AD, [[], []], policy)
    assert str(caught.value) == f"Failed to commit job submission into the queue.\nERROR: {outcome}"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("SET B\n", "Failed to apply a required job transform: JOB_TRANSFORM_T0, line 1: SET needs 2 arguments\n"),
        ("SET JobNice 50", "Failed to apply the job transforms: JobNice"),
    ],
)
def test_rules_that_cannot_be_carried_out_refuse_the_jobs(rule: str, said: str) -> None:
    with pytest.raises(Refused) as caught:
        admit(rule, procs=TWO)
    assert str(caught.value).startswith(f"Failed to commit job submission into the queue.\nERROR: {said}")


def test_what_is_wrong_with_rules_is_said_once() -> None:
    found = admit("SET B ((", "[ set_C = 1; ]", "[ = ]", "REQUIREMENTS ((\nSET D 1", procs=TWO)
    assert shown(found) == ({"C": "1"}, TWO)
    assert found.warnings[0].startswith("JOB_TRANSFORM_T2 is ignored: Could not parse transform classad T2: ")
    assert found.warnings[1:] == (
        "JOB_TRANSFORM_T3 is ignored: invalid REQUIREMENTS : ((",
        "JOB_TRANSFORM_T0: SET B invalid expression : ((",
    )
