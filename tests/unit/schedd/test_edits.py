"""Which attributes of queued jobs may be changed by whom."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from condor_py.core.jobs.requests import edit
from condor_py.core.jobs.rights import Caller, RefusedEdit
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.selection import Selection
from condor_py.model.settings.submit_policy import EditRules

JOB = JobId(1, 0)


class OneJob:
    """A queue of one job."""

    def job(self, job: JobId) -> ClassAd | None:
        return ClassAd.from_text_items([("Owner", '"alice"')]) if job == JOB else None

    def jobs(self) -> Iterator[tuple[JobId, ClassAd]]:
        return iter(())

    cluster = procs_of = job  # type: ignore[assignment]


def change(name: str, rules: EditRules | None = None, *, superuser: bool = False) -> list[str]:
    """The names that an edit writes."""
    caller = Caller("alice", superuser)
    results, records = edit(OneJob(), caller, Selection((JOB,)), [(name, "5")], rules)  # type: ignore[arg-type]
    assert results == {JOB: 1}
    return [record.name for record in records]


@pytest.mark.parametrize("name", ["ClaimId", "ClaimIds", "PublicClaimId", "RemoteHost"])
def test_what_the_schedd_decides_is_protected(name: str) -> None:
    with pytest.raises(RefusedEdit, match=f'Update of protected attribute "{name}" is not allowed'):
        change(name, superuser=True)


@pytest.mark.parametrize(
    "name", ["Owner", "ProcId", "clusterid", "JobUniverse", "MyType", "User", "GlobalJobId", "TargetType"]
)
def test_identity_is_immutable(name: str) -> None:
    with pytest.raises(RefusedEdit, match=f'Update of immutable attribute "{name}" is not allowed'):
        change(name, superuser=True)


def test_configured_attributes() -> None:
    rules = EditRules(frozenset({"acctgroup"}), frozenset({"jobprio"}), frozenset({"token"}))
    assert change("Anything", rules) == ["Anything"]
    with pytest.raises(RefusedEdit, match='immutable attribute "AcctGroup"'):
        change("AcctGroup", rules, superuser=True)
    with pytest.raises(RefusedEdit, match='protected attribute "JobPrio"'):
        change("JobPrio", rules)
    assert change("JobPrio", rules, superuser=True) == ["JobPrio"]


def test_secure_attributes_are_passed_over_or_refused() -> None:
    assert change("TotalSubmitProcs") == []
    with pytest.raises(RefusedEdit, match='secure attribute "TotalSubmitProcs"'):
        change("TotalSubmitProcs", EditRules(refuse_secure=True))


@pytest.mark.parametrize(
    "assignment", [("AccountingGroup", '"q q"'), ("accountinggroup", 'strcat("a", "\u00a0")'), ("JobNice", "-20")]
)
def test_values_that_no_job_may_have_are_refused(assignment: tuple[str, str]) -> None:
    with pytest.raises(RefusedEdit, match=f"Update aborted: {assignment[0]} = .* is invalid"):
        edit(OneJob(), Caller("alice", True), Selection((JOB,)), [assignment], None)  # type: ignore[arg-type]


class Jobs(OneJob):
    """A queue of one job with these states."""

    def __init__(self, **states: int) -> None:
        self.items = [("Owner", '"alice"'), *((name, str(state)) for name, state in states.items())]

    def job(self, job: JobId) -> ClassAd | None:
        return ClassAd.from_text_items(self.items) if job == JOB else None


def with_status(text: str, **states: int) -> list[tuple[str, str]]:
    """What an edit of JobStatus writes into the job of these states."""
    _, records = edit(Jobs(**states), Caller("alice", False), Selection((JOB,)), [("JobStatus", text)])  # type: ignore[arg-type]
    return [(record.name, record.value) for record in records]


def test_an_edit_of_the_status_records_the_one_before() -> None:
    assert with_status("2", JobStatus=1) == [("JobStatus", "2"), ("LastJobStatus", "1")]
    assert with_status("1", JobStatus=1) == [("JobStatus", "1")]
    assert with_status("5", JobStatus=3) == [("JobStatus", "5"), ("JobStatusOnRelease", "3"), ("LastJobStatus", "3")]


@pytest.mark.parametrize("states", [{"JobStatus": 3}, {"JobStatus": 5, "LastJobStatus": 3},
                                    {"JobStatus": 5, "JobStatusOnRelease": 3}])  # fmt: skip
def test_a_removed_job_does_not_come_back_by_an_edit(states: dict[str, int]) -> None:
    with pytest.raises(RefusedEdit, match=r"Changing JobStatus of removed job 1\.0 to 2 is invalid"):
        with_status("2", **states)
    assert with_status("3", **states)[0] == ("JobStatus", "3")
