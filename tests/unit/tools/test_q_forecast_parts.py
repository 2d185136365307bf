"""The parts of condor_q -forecast and -why: when slots become free, how spans are shown and moved, and by what jobs
are judged."""

from __future__ import annotations

import json
import time

import pytest
from tool_runner import Spool

from condor_py.cli.q import forecast as module
from condor_py.cli.q.forecast import (
    Prospect,
    Waiting,
    _demand,
    _end,
    _expected,
    _Future,
    _not_before,
    _row,
    _start,
    _wait,
)
from condor_py.cli.q.why import _ids, _spans, start_text
from condor_py.cli.waiting.alike import Alike
from condor_py.cli.waiting.reasons import Expected
from condor_py.client.pool import open_pool
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.settings.negotiator import NegotiatorSettings
from condor_py.simulate.outlook import Likely, Span
from condor_py.simulate.runtimes import Sample
from condor_py.store.ad_store import AdStore

NOW = 1795213560  # 2026-11-20 22:26:00 UTC


def ad(text: str) -> ClassAd:
    return ClassAd(f"[ {text} ]")


@pytest.fixture
def queue(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    monkeypatch.setattr("time.time", lambda: float(NOW))
    return spool


def sample(*seconds: float) -> Sample:
    return Sample(seconds)


# ---- times --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0+00:00"), (59.9, "0+00:00"), (60, "0+00:01"), (3599, "0+00:59"), (3600, "0+01:00"), (86399, "0+23:59"),
        (86400, "1+00:00"), (90061, "1+01:01"), (864000, "10+00:00"),
    ],
)  # fmt: skip
def test_a_wait_has_days_hours_and_minutes(seconds: float, text: str) -> None:
    assert _wait(seconds) == text


@pytest.mark.parametrize(
    ("slot", "end"),
    [
        ("JobStart = 900", 500), ("JobStart = 600", 200), ("JobStart = 401", 1), ("JobStart = 400", 600),
        ("JobStart = 100", 900), ("JobStart = 1100", 600), ("JobStart = 900; EnteredCurrentState = 700", 500),
        ("EnteredCurrentState = 700", 300), ("", 600),
    ],
)  # fmt: skip
def test_when_what_runs_on_a_slot_ends(slot: str, end: int) -> None:
    """Jobs like it run for 600 seconds on the average, and it is 1000; one that ran longer takes as long again."""
    assert _end(ad(slot), lambda slot: sample(500.0, 700.0), 1000) == 1000 + end


LIKELY = Likely(Span(10.0, 20.9, 40.0), Span(110.0, 120.0, 140.0))


def test_a_start_is_that_of_the_cycles_where_it_is_now_or_nothing_was_drawn() -> None:
    assert [_start(100, start, LIKELY) for start in (None, 99, 100, 101)] == [120, 99, 100, 120]
    assert [_start(100, start, None) for start in (None, 99, 101)] == [None, 99, 101]
    assert _expected(150, LIKELY, 100) == Expected(150, 110, 140)
    assert _expected(100, LIKELY, 100) == Expected(100)
    assert _expected(150, None, 100) == Expected(150)


@pytest.mark.parametrize(
    ("at", "start", "end"),
    [
        (None, (10.0, 20.0, 40.0), (110.0, 120.0, 140.0)), (5.0, (10.0, 20.0, 40.0), (110.0, 120.0, 140.0)),
        (40.0, (10.0, 20.0, 40.0), (110.0, 120.0, 140.0)), (50.0, (25.0, 50.0, 100.0), (140.0, 150.0, 170.0)),
    ],
)  # fmt: skip
def test_spans_are_moved_where_a_limit_of_the_pool_lets_jobs_start_later(
    at: float | None, start: tuple[float, ...], end: tuple[float, ...]
) -> None:
    likely = Likely(Span(10.0, 20.0, 40.0), Span(110.0, 120.0, 140.0))
    assert _not_before(likely, at) == Likely(Span(*start), Span(*end))


def test_spans_that_are_now_are_moved_as_a_whole() -> None:
    """A start later than the late one, but by less than a half of the middle, is no limit."""
    now = Likely(Span(0.0, 0.0, 0.0), Span(90.0, 100.0, 110.0))
    assert _not_before(now, 30.0) == Likely(Span(30.0, 30.0, 30.0), Span(120.0, 130.0, 140.0))
    narrow = Likely(Span(99.0, 100.0, 101.0), Span(199.0, 200.0, 201.0))
    assert _not_before(narrow, 150.0) is narrow
    assert _not_before(narrow, 151.0).start.middle == 151.0


@pytest.mark.usefixtures("queue")
def test_the_row_of_a_job_that_starts() -> None:
    job = JobId(7, 0)
    later = _Future({job: NOW + 90}, {job: LIKELY}, {}, {})
    ann = ad('Owner = "ann"')
    assert _row(ann, job, later, NOW).split() == [
        "7.0", "ann", "11/20/2026", "22:27:30", "0+00:01", "0+00:00", "to", "0+00:00", "11/20/2026", "22:28",
    ]  # fmt: skip
    assert _row(ad(""), job, later._replace(starts={job: NOW}), NOW).split() == [
        "7.0", "?", "11/20/2026", "22:26:00", "now", "11/20/2026", "22:28",
    ]  # fmt: skip
    assert _row(ann, job, later._replace(likely={}), NOW).endswith("0+00:01")


# ---- what jobs are judged by --------------------------------------------------------------------------------------


def remember(spool: Spool, *jobs: tuple[str, float, str]) -> None:
    """Write a history of completed jobs: owner, seconds, and more attributes."""
    text = ""
    for number, (owner, seconds, more) in enumerate(jobs, 100):
        text += f'ClusterId = {number}\nProcId = 0\nOwner = "{owner}"\nJobStatus = 4\nCmd = "/bin/x"\n{more}\n'
        text += f"RemoteWallClockTime = {seconds}\nJobUniverse = 5\n"
        text += f'*** Offset = 0 ClusterId = {number} ProcId = 0 Owner = "{owner}" CompletionDate = 1\n'
    (spool.path.parent / "history").write_text(text)


def test_run_times_come_from_like_jobs_of_the_history(queue: Spool) -> None:
    remember(queue, ("ann", 100.0, ""), ("ann", 300.0, ""), ("bob", 50.0, ""))
    times = module._Times(open_pool(), (), None)
    ann, bob, eve = (ad(f'Owner = "{name}"; Cmd = "/bin/x"; ClusterId = 1') for name in ("ann", "bob", "eve"))
    assert times.learnt
    assert (times.of(ann).mean, times.of(bob).mean, times.of(eve).mean) == (200.0, 50.0, 150.0)
    assert times.of(ann) is times.of(ann)
    slot = ad('RemoteOwner = "bob@example.net"; JobId = "9.0"')
    assert times.of_slot(slot).mean == 50.0
    running = ad(f"""Owner = "ann"; Cmd = "/bin/x"; ClusterId = 9; ProcId = 0; JobStatus = 2;
        JobCurrentStartDate = {NOW - 7}""")
    known = module._Times(open_pool(), [running], None)
    assert known.of_slot(slot).mean == 200.0
    assert known.of(ann).longer == (7.0,)
    idle = running.flat_copy()
    idle.set_int("JobStatus", 1)
    assert module._Times(open_pool(), [idle], None).of_slot(slot).mean == 50.0
    fixed = module._Times(open_pool(), (), "30")
    assert (fixed.of(ann).mean, fixed.of_slot(slot).mean, fixed.learnt, fixed.told([ann])) == (30.0, 30.0, False, "")


def test_the_last_line_says_what_the_forecast_knows(queue: Spool) -> None:
    remember(queue, ("ann", 100.0, ""), ("bob", 50.0, 'JobBatchName = "b"'), ("bob", 50.0, ""))
    times = module._Times(open_pool(), (), None)
    jobs = [ad(f'Owner = "{owner}"; Cmd = "{cmd}"; {more}') for owner, cmd, more in (
        ("ann", "/bin/x", ""), ("ann", "/bin/x", ""), ("ann", "/bin/y", ""), ("bob", "/bin/x", ""),
        ("eve", "/bin/x", ""),
        ("bob", "/bin/x", 'JobBatchName = "b"'))]  # fmt: skip
    assert times.told(jobs[:2]) == "Jobs judged: 2 by 1 run time of this program. New jobs are not foreseen.\n"
    assert times.told(jobs[2:]) == (
        "Jobs judged: 1 by 1 run time of this owner, 1 by 2 run times of this program, 1 by 3 run times of anybody, "
        "1 by 1 run time of this batch. New jobs are not foreseen.\n"
    )
    assert times.told(jobs).count(" by ") == 4, "the four that judge most jobs"
    assert times.told([]) == ""


# ---- demand -------------------------------------------------------------------------------------------------------


def wants(cluster: int, proc: int, owner: str = "ann", more: str = "") -> ClassAd:
    return ad(f"""ClusterId = {cluster}; ProcId = {proc}; Owner = "{owner}"; User = "{owner}@example.net";
        RequestCpus = 2; JobUniverse = 5; QDate = {cluster}; JobPrio = 0; JobStatus = 1; {more}""")


SLOT = ad(
    """Name = "slot1@m"; Machine = "m"; SlotID = 1; PartitionableSlot = true; Cpus = 1; Memory = 10; Disk = 100;
    TotalSlotCpus = 8; TotalSlotMemory = 1000; TotalSlotDisk = 1000; MachineResources = "Cpus Memory Disk";
    Requirements = TARGET.Wanted =!= false; Start = true"""
)


@pytest.mark.usefixtures("queue")
def test_jobs_that_slots_cannot_tell_apart_are_one_request() -> None:
    """In the order in which they are served: by priority, then by age."""
    jobs = [
        wants(2, 0), wants(1, 1), wants(1, 0), wants(3, 0, more="Wanted = false"), wants(4, 0),
        wants(9, 0, more="JobPrio = 5"), wants(5, 0, "bob", "RequestCpus = undefined"),
    ]  # fmt: skip
    ann, bob = _demand(open_pool(), jobs, [SLOT])
    assert (ann.name, bob.name) == ("ann@example.net", "bob@example.net")
    assert [list(request.jobs) for request in ann.requests] == [
        [JobId(9, 0), JobId(1, 0), JobId(1, 1), JobId(2, 0)], [JobId(3, 0)], [JobId(4, 0)],
    ]  # fmt: skip
    assert ann.requests[0].autocluster == ann.requests[2].autocluster != ann.requests[1].autocluster
    assert (ann.idle_weight, bob.idle_weight) == (12.0, 1.0)


@pytest.mark.usefixtures("queue")
def test_the_nodes_of_a_parallel_job_are_matched_together() -> None:
    node = "JobUniverse = 11; MinHosts = 3; MaxHosts = 3"
    jobs = [wants(1, 0), wants(2, 0, more=node), wants(2, 1, more=node.replace("3", "2")), wants(3, 0)]
    (ann,) = _demand(open_pool(), jobs, [SLOT])
    assert [list(request.jobs) for request in ann.requests] == [[JobId(1, 0), JobId(3, 0)], [JobId(2, 0)] * 3]
    others = ann.requests[1].others
    assert others is not None
    assert [list(request.jobs) for request in others] == [[JobId(2, 1)] * 2]
    assert (ann.requests[1].one_group, ann.requests[0].others) == (False, None)
    assert ann.idle_weight == 2 + 6 + 4 + 2
    (ann,) = _demand(open_pool(), [wants(2, 0, more=node + "; WantParallelSchedulingGroups = true")], [SLOT])
    assert ann.requests[0].one_group


def test_priorities_that_the_negotiator_publishes(queue: Spool) -> None:
    """Without a log of the accountant: the effective priority by the factor is the real one, at least one half."""
    users = [
        ClassAd({"Name": "ann@x", "Priority": 3000.0, "PriorityFactor": 1000.0, "Ceiling": 7}),
        ClassAd({"Name": "bob@x", "Priority": 100.0, "PriorityFactor": 1000.0}),
        ClassAd({"Name": "eve@x", "Priority": 4.0}),
        ClassAd({"Name": "group", "Priority": 9.0, "IsAccountingGroup": True}),
    ]
    AdStore(f"{queue.path.parent}/ads").publish("ACCOUNTING", users)
    accountant = module._accountant(open_pool())
    found = [accountant.effective_priority(name) for name in ("ann@x", "bob@x", "eve@x")]
    assert found == [3000.0, 500.0, 4.0]


# ---- the machine that is drawn ------------------------------------------------------------------------------------


def chances(*slots: ClassAd, asks: str = "RequestCpus = 2; RequestMemory = 100; RequestDisk = 10") -> Likely | None:
    """The spans of one job that runs exactly 100 seconds; what runs on slots takes 50 in all, and has run for 20."""
    prospect = Prospect(slots, NegotiatorSettings(), lambda user: 1.0)
    steady = sample(*[100.0] * 30)
    waiting = [Waiting(JobId(1, 0), "ann", ad(asks), steady)]
    found = prospect.likely(waiting, lambda slot: 20.0, lambda slot: sample(*[50.0] * 30), {}, 0.0)
    return found.get(JobId(1, 0))


def test_a_job_starts_where_there_is_room() -> None:
    static = ad('Name = "slot1@m"; Machine = "m"; SlotID = 1; Cpus = 2; Memory = 100; Disk = 10')
    busy = ad('Name = "slot1@m"; Machine = "m"; SlotID = 1; Cpus = 2; Memory = 100; Disk = 10; RemoteUser = "bob"')
    part = ad('Machine = "m"; SlotID = 1; DynamicSlot = true; Cpus = 7; Memory = 900; Disk = 900; RemoteUser = "bob"')
    elsewhere = ad(
        'Machine = "n"; SlotID = 1; DynamicSlot = true; Cpus = 7; Memory = 900; Disk = 900; RemoteUser = "b"'
    )
    small = ad('Machine = "m"; SlotID = 1; Cpus = 1; Memory = 100; Disk = 10')

    def middle(*slots: ClassAd) -> float | None:
        found = chances(*slots)
        return None if found is None else round(found.start.middle)

    assert middle(static) == 0
    assert middle(busy) == 30
    assert middle(SLOT, part) == 30
    assert middle(SLOT, elsewhere) is None
    assert middle(small) is None
    assert middle(small, static) == 0
    found = chances(static)
    assert found is not None
    assert round(found.end.middle) == 100


# ---- -why ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("procs", "spans", "text"),
    [
        ([3], [[3, 3]], "7.3"), ([0, 1, 2], [[0, 2]], "7.0-2"), ([0, 2], [[0, 0], [2, 2]], "7.0 ... 7.2"),
        ([1, 2, 4, 5, 6, 9], [[1, 2], [4, 6], [9, 9]], "7.1 ... 7.9"), ([4, 5], [[4, 5]], "7.4-5"),
    ],
)  # fmt: skip
def test_jobs_in_spans(procs: list[int], spans: list[list[int]], text: str) -> None:
    assert list(_spans(procs)) == spans
    assert _ids(Alike(7, procs, False, [], 0)) == text
    assert list(_spans([])) == []


@pytest.mark.usefixtures("queue")
def test_the_start_is_told_with_the_span_of_most_jobs() -> None:
    assert start_text(Expected(NOW)) == "about 22:26"
    assert start_text(Expected(NOW, NOW - 60, NOW + 60)) == "about 22:26 (8 of 10 such jobs: 22:25 to 22:27)"


def test_jobs_that_do_not_wait_are_told_as_well(queue: Spool) -> None:
    queue.add(1, 2, owner="ann", JobStatus="2", RemoteHost='"slot1@m"', EnteredCurrentStatus=str(NOW - 60))
    for job, status in (("1.1", "7"), ("2.0", "6"), ("3.0", "3"), ("4.0", "4")):
        if job[0] != "1":
            queue.add(int(job[0]), owner="ann", JobBatchName='"b"')
        queue.set(job, "JobStatus", status)
    queue.add(5, owner="ann", JobStatus="2", TransferringInput="true")
    queue.add(6, owner="ann", JobStatus="2", TransferringOutput="true", TransferQueued="true")
    lines = queue.run("condor_q", "-why", "1", "2", "3", "4", "5", "6").out.splitlines()[3:]
    assert lines == [
        "1.0 (ann): running on slot1@m since 11/20 22:25", "1.1 (ann): suspended on slot1@m since 11/20 22:25",
        "2.0 (ann): bringing its output back", "3.0 (ann): being removed", "4.0 (ann): completed",
        "5.0 (ann): fetching its input", "6.0 (ann): bringing its output back",
    ]  # fmt: skip
    found = json.loads(queue.run("condor_q", "-why", "1.1", "2.0", "-json").out)
    assert found == [
        {"owner": "ann", "batch": "ID: 1", "cluster": 1, "procs": [[1, 1]], "jobs": 1, "state": "suspended",
         "since": NOW - 60, "reasons": [], "slot": "slot1@m", "runs": []},
        {"owner": "ann", "batch": "b", "cluster": 2, "procs": [[0, 0]], "jobs": 1, "state": "bringing its output back",
         "since": 0, "reasons": [], "slot": None, "runs": []},
    ]  # fmt: skip
    gone = queue.run("condor_q", "-why", "77").out
    assert "None of these jobs is in the queue; condor_history -why tells how jobs ended" in gone


def test_twenty_runs_of_a_job_are_shown(queue: Spool) -> None:
    queue.add(1, owner="ann", JobStatus="2", NumShadowStarts="23")
    runs = ""
    for number in range(1, 23):
        runs += f'ClusterId = 1\nProcId = 0\nOwner = "ann"\nExitCode = {number}\nNumShadowStarts = {number}\n'
        runs += f"EpochWriteDate = {NOW + number}\nJobStatus = 2\n"
        runs += f'*** EPOCH ClusterId=1 ProcId=0 RunInstanceId={number - 1} Owner="ann" CurrentTime={NOW + number}\n'
    (queue.path.parent / "epoch_history").write_text(runs)
    lines = queue.run("condor_q", "-why", "1").out.splitlines()
    shown = [line for line in lines if "exited with status" in line]
    assert len(shown) == 20
    assert "exited with status 3;" in shown[0]
    assert lines[-1] == "These are the last 20 of 22; condor_history -why shows all."


def test_held_jobs_say_for_what(queue: Spool) -> None:
    queue.add(1, 3, owner="ann", JobStatus="5", HoldReason='"no disk"', EnteredCurrentStatus=str(NOW))
    lines = queue.run("condor_q", "-why", "1").out.splitlines()[3:]
    assert lines == [
        "1.0-2 (ann, ID: 1): 3 jobs held", "  held for     no disk", "  what helps   condor_release 1.0",
        "  since        11/20 22:26",
    ]  # fmt: skip
    assert time.time() == NOW
