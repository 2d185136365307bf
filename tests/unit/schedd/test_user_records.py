"""Records of users and projects: who is added, enabled, disabled, changed and removed, and what the client is told."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from condor_py.core.jobs.userrecs import (
    ACTIONS,
    Answer,
    UserRequest,
    act,
    from_wire,
    project_refusal,
    refusal,
    shown,
    with_defaults,
)
from condor_py.lang.classad import ClassAd
from condor_py.model.record import DELETE, DESTROY_AD, NEW_AD, SET, Change


@dataclass
class Queue:
    """What the records are kept in."""

    user_records: dict[int, ClassAd] = field(default_factory=dict)
    jobs: dict[int, ClassAd] = field(default_factory=dict)
    next_user: int = 9

    def clusters(self) -> list[int]:
        return list(self.jobs)

    def cluster(self, cluster: int) -> ClassAd | None:
        return self.jobs.get(cluster)


@pytest.fixture
def queue() -> Queue:
    """Two users, of whom bob is disabled, and a project; alice has a job of the project."""
    return Queue(
        {
            2: ClassAd({"MyType": "Owner", "User": "alice@x", "Owner": "alice", "Enabled": True}),
            3: ClassAd({"User": "bob@x", "Owner": "bob", "Enabled": False, "DisableReason": "on leave"}),
            4: ClassAd({"MyType": "Project", "Name": "optics"}),
            5: ClassAd({"MyType": "Project", "Name": "idle"}),
        },
        {1: ClassAd({"User": "alice@x", "ProjectName": "optics"})},
    )


def did(queue: Queue, action: str, *requests: UserRequest, kind: str = "Owner", reason: str = "") -> Answer:
    return act(queue, kind, action, requests, "x", reason)


def test_users_and_projects_are_shown_apart(queue: Queue) -> None:
    assert [ad.eval_str("User") for ad in shown(queue, "Owner")] == ["alice@x", "bob@x"]
    assert [ad.eval_str("Name") for ad in shown(queue, "Project")] == ["optics", "idle"]


def test_who_is_disabled_is_enabled_and_the_reason_goes(queue: Queue) -> None:
    answer = did(queue, "enable", UserRequest("bob"))
    assert answer.records == [Change(SET, "0.3", "Enabled", "1"), Change(DELETE, "0.3", "DisableReason")]
    assert answer.count == 1
    answer = did(queue, "enable", UserRequest("alice@x"))
    assert (answer.records, answer.count, answer.code) == ([], 1, 0)


def test_who_is_disabled_is_told_why(queue: Queue) -> None:
    answer = did(queue, "disable", UserRequest("alice"), reason='no "more"')
    assert answer.records == [
        Change(SET, "0.2", "Enabled", "0"),
        Change(SET, "0.2", "DisableReason", '"no \\"more\\""'),
    ]
    assert did(queue, "disable", UserRequest("alice")).records == [Change(SET, "0.2", "Enabled", "0")]
    assert refusal(queue.user_records[3]) == "User bob@x is disabled : on leave\nUser is disabled"
    assert refusal(queue.user_records[2]) == refusal(None) == ""
    assert refusal(ClassAd({"User": "c@x", "Enabled": False})) == "User c@x is disabled\nUser is disabled"


def test_a_constraint_chooses_those_of_the_kind(queue: Queue) -> None:
    answer = did(queue, "disable", UserRequest(constraint="true"))
    assert [change.key for change in answer.records] == ["0.2", "0.3"]
    assert answer.count == 2
    assert did(queue, "disable", UserRequest(constraint='Owner == "carol"')).count == 0
    with pytest.raises(ValueError, match="cannot parse the constraint"):
        did(queue, "disable", UserRequest(constraint="(("))


def test_a_new_user_has_a_record_of_his_own(queue: Queue) -> None:
    items = (("Department", '"optics"'), ("Enabled", "true"), ("User", '"root"'), ("OsUser", '"root"'), ("A b", "1"))
    answer = did(queue, "enable", UserRequest("carol", items=items, create=True), UserRequest("dan@y", create=True))
    assert answer.records == [
        Change(NEW_AD, "0.9", "Owner"),
        Change(SET, "0.9", "User", '"carol@x"'),
        Change(SET, "0.9", "Owner", '"carol"'),
        Change(SET, "0.9", "OsUser", '"carol"'),
        Change(SET, "0.9", "Enabled", "1"),
        Change(SET, "0.9", "Department", '"optics"'),
        Change(NEW_AD, "0.10", "Owner"),
        Change(SET, "0.10", "User", '"dan@y"'),
        Change(SET, "0.10", "Owner", '"dan"'),
        Change(SET, "0.10", "OsUser", '"dan"'),
        Change(SET, "0.10", "Enabled", "1"),
    ]
    assert (answer.count, answer.set, answer.reserved, answer.invalid) == (2, 1, 1, 1)


@pytest.mark.parametrize(("text", "enabled"), [("false", "0"), ("FALSE", "0"), ("0", "0"), ("true", "1"), ("7", "1")])
def test_a_new_record_may_begin_disabled(queue: Queue, text: str, enabled: str) -> None:
    request = UserRequest("physics", items=(("Enabled", text),), create=True)
    assert did(queue, "enable", request, kind="Project").records == [
        Change(NEW_AD, "0.9", "Project"),
        Change(SET, "0.9", "Name", '"physics"'),
        Change(SET, "0.9", "Enabled", enabled),
    ]


@pytest.mark.parametrize("action", ACTIONS)
def test_who_is_not_there_is_not_made_by_the_way(queue: Queue, action: str) -> None:
    answer = did(queue, action, UserRequest("alice"), UserRequest("carol", create=action != "enable"))
    assert (answer.records, answer.code) == ([], 4), "all or none"
    assert did(queue, action, UserRequest("carol"), kind="Project").code == 0


@pytest.mark.parametrize(("kind", "word"), [("Owner", "user"), ("Project", "project")])
def test_nobody_in_particular_is_refused(queue: Queue, kind: str, word: str) -> None:
    answer = did(queue, "edit", UserRequest(), kind=kind)
    assert (answer.code, answer.error) == (1, f"SCHEDD:1:Dont know what {word} to act on.")
    assert answer.ad("edit").text("ErrorString") == f'"SCHEDD:1:Dont know what {word} to act on."'


def test_an_edit_leaves_alone_what_is_not_the_clients(queue: Queue) -> None:
    items = (("Quota", "7"), ("Name", '"x"'), ("_secret", "1"), ("MyType", '"x"'), ("Broken", "(("), ("Enabled", "0"))
    answer = did(queue, "edit", UserRequest("alice", items=items))
    assert answer.records == [Change(SET, "0.2", "Quota", "7")]
    ad = answer.ad("edit")
    assert (ad.eval_int("NumAds"), ad.eval_int("Result"), ad.eval_int("NumAttributesSet")) == (1, 0, 1)
    assert ad.eval_str("Warning") == (
        "Some updates were ignored because 3 were reserved attributes and 1 had invalid values"
    )
    only = did(queue, "edit", UserRequest("alice", items=(("_secret", "1"),))).ad("edit")
    assert only.eval_str("Warning") == "All updates were ignored because 1 were reserved attributes"
    assert not did(queue, "remove", UserRequest("bob")).ad("remove").has("NumAttributesSet")


def test_who_has_jobs_is_disabled_instead_of_removed(queue: Queue) -> None:
    assert did(queue, "remove", UserRequest("alice")).records == [Change(SET, "0.2", "Enabled", "0")]
    assert did(queue, "remove", UserRequest("bob")).records == [Change(DESTROY_AD, "0.3")]
    queue.user_records[3]["ocus"] = 1
    assert did(queue, "remove", UserRequest("bob")).records == [Change(SET, "0.3", "Enabled", "0")]


def test_a_project_with_jobs_stays(queue: Queue) -> None:
    answer = did(queue, "remove", UserRequest("optics"), kind="Project")
    assert (answer.records, answer.count, answer.error) == ([], 0, "SCHEDD:16:Project optics is in use")
    assert answer.code == 16
    assert did(queue, "remove", UserRequest("idle"), kind="Project").records == [Change(DESTROY_AD, "0.5")]


def test_a_request_of_somebody_else_is_looked_at() -> None:
    assert from_wire(["a", None, [["B", "1"]], 1]) == UserRequest("a", None, (("B", "1"),), True)
    for wrong in (["a", None, {}, 1], [1, None, [], 0], ["a", 1, [], 0], ["a"], ["a", None, [["B"]], 0]):
        with pytest.raises((ValueError, TypeError)):
            from_wire(wrong)


@pytest.mark.parametrize("name", ["Name", "Owner", "OsUser", "MyType", "TargetType", "Requirements", "_hidden"])
def test_what_tells_who_a_user_is_cannot_be_edited(queue: Queue, name: str) -> None:
    answer = did(queue, "edit", UserRequest("alice", items=((name, "1"),)))
    assert (answer.records, answer.reserved) == ([], 1)


def test_an_edit_removes_attributes_and_leaves_counts_alone(queue: Queue) -> None:
    items = (("Quota", "Delete"), ("NumIdle", "7"), ("DisableReason", '"x"'), ("MaxJobsRunning", "7"))
    answer = did(queue, "edit", UserRequest("alice", items=items))
    assert answer.records == [Change(DELETE, "0.2", "Quota"), Change(SET, "0.2", "MaxJobsRunning", "7")]
    assert (answer.set, answer.reserved) == (2, 2)
    assert did(queue, "edit", UserRequest("bob", items=(("DisableReason", '"x"'),))).set == 1, "bob is disabled"


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("0", Change(SET, "0.2", "MaxJobsRunning", "0")),
        ("2 + 3", Change(SET, "0.2", "MaxJobsRunning", "5")),
        ("-1", Change(DELETE, "0.2", "MaxJobsRunning")),
        ("2147483647", Change(DELETE, "0.2", "MaxJobsRunning")),
        ("undefined", Change(DELETE, "0.2", "MaxJobsRunning")),
        ('"many"', None),
        ("((", None),
    ],
)
def test_a_limit_comes_and_goes_with_disabling(queue: Queue, text: str, change: Change | None) -> None:
    answer = did(queue, "disable", UserRequest("alice", items=(("MaxJobsRunning", text), ("Other", "1"))))
    assert answer.records == [Change(SET, "0.2", "Enabled", "0"), *([change] if change else [])]


def test_projects_that_are_disabled_refuse_jobs_with_a_reason() -> None:
    assert project_refusal(ClassAd({"Name": "optics"})) == ""
    assert project_refusal(ClassAd({"Name": "optics", "Enabled": 0})) == "Project optics is suspended"
    why = project_refusal(ClassAd({"Name": "optics", "Enabled": False, "DisableReason": "no budget"}))
    assert why == "Project optics is suspended : no budget"


def test_new_records_have_the_default_attributes_of_the_configuration(queue: Queue) -> None:
    text = (
        'MaxJobsRunning = 5 * 2\nDepartment = strcat("of ", Owner)\n\nNoValue = Other\nUser = "x"\nNumIdle = 1\n'
        "Broken = ((\nno assignment\n_Hidden = 1\nLimits = {1, 2}"
    )
    request = UserRequest("carol", items=(("MaxJobsRunning", "7"),), create=True)
    records = act(queue, "Owner", "enable", [request], "x", defaults=text).records
    assert records[5:] == [
        Change(SET, "0.9", "MaxJobsRunning", "10"),
        Change(SET, "0.9", "Department", '"of carol"'),
        Change(SET, "0.9", "Limits", "{ 1,2 }"),
        Change(SET, "0.9", "MaxJobsRunning", "7"),
    ]
    made = [Change(NEW_AD, "0.9", "Project"), Change(SET, "0.9", "Name", '"optics"')]
    assert with_defaults(made, "") == made
