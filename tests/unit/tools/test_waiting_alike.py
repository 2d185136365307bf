"""Jobs are judged together where they agree in all that decides: each attribute that decides is one of that."""

from __future__ import annotations

import pytest
from tool_runner import Spool

from condor_py.cli.waiting import Around, limited_records, why_it_waits
from condor_py.cli.waiting.alike import alike
from condor_py.client.queue_view import QueueView
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.store.job_queue import JobQueue

NOW = 1795213560
WANTS = {"RequestCpus": "4", "RequestMemory": "10", "Requirements": "TARGET.Memory >= RequestMemory", "JobStatus": "1"}
SLOTS = [
    ClassAd(
        """[ Name = "slot1@vm"; Machine = "vm"; SlotID = 1; State = "Unclaimed"; PartitionableSlot = true; Cpus = 0;
        Memory = 900; TotalSlotCpus = 4; TotalSlotMemory = 1000; MachineResources = "Cpus Memory"; Requirements = Start;
        Start = TARGET.Unwanted =!= true; WithinResourceLimits = TARGET.Strange =!= true ]"""
    )
]
ACCOUNTS = [
    ClassAd('[ Name = "alice@example.net"; WeightedResourcesUsed = 1.0; Ceiling = 1 ]'),
    ClassAd('[ Name = "bio.alice@example.net"; WeightedResourcesUsed = 2.0; Ceiling = 1 ]'),
    ClassAd('[ Name = "bio"; IsAccountingGroup = true; WeightedResourcesUsed = 2.0; EffectiveQuota = 1.0; '
            'SurplusPolicy = "no" ]'),
]  # fmt: skip
LIMITED = [ClassAd('[ MyType = "Project"; Name = "optics"; MaxJobsRunning = 1; NumRunning = 1 ]')]
LOCAL = ClassAd("[ StartLocalUniverse = TARGET.Wanted =?= true; StartSchedulerUniverse = TARGET.Wished =?= true ]")
LATER, HELD, REMOTE = {"DeferralTime": str(NOW + 100)}, {"JobStatus": "5", "HoldReason": '"a"'}, {"JobUniverse": "9"}
AROUND = Around(SLOTS, NOW, lambda: ACCOUNTS, lambda: LOCAL, limited=lambda: LIMITED)


def view_of(spool: Spool) -> QueueView:
    return QueueView(JobQueue(str(spool.path), readonly=True), NOW)


def judged(spool: Spool, cluster: int = 1) -> list[tuple[list[int], list[str]]]:
    """The jobs of a cluster that wait for the same, and the words and help of that."""
    view = view_of(spool)
    groups = [group for group in view.groups() if group[0] == cluster]
    found = alike(view, groups, AROUND)
    return [(one.procs, [f"{reason.text} {reason.help}" for reason in one.reasons]) for one in found]


@pytest.mark.parametrize(
    ("name", "text", "base"),
    [
        ("JobStatus", "5", {}), ("JobUniverse", "8", {}), ("Requirements", "TARGET.Nosuch", {}),
        ("CheckpointDestination", '"s3://a"', {}), ("DeferralTime", str(NOW + 9), {}),
        ("DeferralPrepTime", "200", LATER), ("ScheddInterval", "200", LATER),
        ("JobCoolDownExpiration", str(NOW + 9), {}),
        ("VacateReason", '"b"', {"JobCoolDownExpiration": str(NOW + 9)}), ("CronMinute", '"59"', {}),
        ("CronHour", '"3"', {}), ("CronDayOfMonth", '"5"', {}), ("CronMonth", '"3"', {}), ("CronDayOfWeek", '"1"', {}),
        ("User", '"bob@example.net"', {}), ("ProjectName", '"optics"', {}), ("AccountingGroup", '"bio.alice"', {}),
        ("AcctGroup", '"bio"', {}), ("LastRejMatchReason", '"concurrency limit x reached"', {}),
        ("HoldReason", '"b"', HELD), ("HoldReasonCode", "34", HELD), ("RequestCpus", "1", {}),
        ("RequestMemory", "77777", {}),
        ("GridResource", '"batch pbs"', REMOTE | {"GridJobId": '"1"'}), ("GridJobId", '"1"', REMOTE),
        ("GridJobStatus", '"Q"', REMOTE | {"GridJobId": '"1"'}), ("GridResourceUnavailableTime", "9", REMOTE),
        ("Unwanted", "true", {}), ("Wanted", "true", {"JobUniverse": "12"}), ("Wished", "true", {"JobUniverse": "7"}),
    ],
)  # fmt: skip
def test_a_job_that_differs_is_judged_apart(spool: Spool, name: str, text: str, base: dict[str, str]) -> None:
    spool.add(1, 3, owner="alice", **WANTS | base)
    alone = judged(spool)
    assert [procs for procs, _ in alone] == [[0, 1, 2]]
    spool.set("1.1", name, text)
    found = judged(spool)
    assert [procs for procs, _ in found] == [[0, 2], [1]]
    assert found[0] == ([0, 2], alone[0][1])
    view = view_of(spool)
    job = view.job(JobId(1, 1))
    assert job is not None
    assert found[1][1] == [f"{reason.text} {reason.help}" for reason in why_it_waits(job, AROUND)]


def test_jobs_that_say_the_same_in_other_words_are_told_together_in_order(spool: Spool) -> None:
    spool.add(1, 5, owner="alice", **WANTS)
    for job in ("1.1", "1.3"):
        spool.set(job, "RequestCpus", "2 * 2")
    assert [procs for procs, _ in judged(spool)] == [[0, 1, 2, 3, 4]]
    spool.set("1.2", "JobStatus", "2")
    assert [procs for procs, _ in judged(spool)] == [[0, 1, 3, 4]]


@pytest.mark.parametrize(
    ("entered", "queued", "since"),
    [(("9", "7", "8"), "5", 7), ((), "5", 5), (("x", "8", "9"), "5", 8), ((), "x", 0), (("9",), "5", 9)],
)
def test_the_first_of_them_says_since_when(spool: Spool, entered: tuple[str, ...], queued: str, since: int) -> None:
    spool.add(1, 3, owner="alice", **WANTS | {"QDate": queued})
    for proc, text in enumerate(entered):
        spool.set(f"1.{proc}", "EnteredCurrentStatus", text)
    view = view_of(spool)
    (one,) = alike(view, view.groups(), AROUND)
    assert one.since == since
    assert all(reason.since == since for reason in one.reasons)
    assert not one.held


def test_limits_of_users_and_projects_are_in_the_queue(spool: Spool) -> None:
    spool.add(1, 2, owner="alice", JobStatus="2")
    assert limited_records(view_of(spool)) == []
    records = {"0.2": ("Owner", "alice@example.net", "3"), "0.3": ("Owner", "bob@example.net", None)}
    queue = JobQueue(str(spool.path), uid_domain="example.net")
    with queue.transaction() as transaction:
        for key, (kind, user, limit) in records.items():
            transaction.new_ad(key, kind, "")
            transaction.set(key, "User", f'"{user}"')
            if limit is not None:
                transaction.set(key, "MaxJobsRunning", limit)
    queue.close()
    (found,) = limited_records(view_of(spool))
    assert (found.eval_str("User"), found.eval_int("NumRunning"), found.eval_int("MaxJobsRunning")) == (
        "alice@example.net", 2, 3,
    )  # fmt: skip
