"""Figures of condor_report from single records: what counts when, bounds of tables, advice, and rows."""

from __future__ import annotations

from typing import Any

import pytest

from condor_py.cli import report
from condor_py.cli.report import batches, figures, html, page, sizes
from condor_py.cli.report.advice import Advice, advice, megabytes
from condor_py.cli.report.figures import Amounts, Cut, Entitlement, Figures, Kind, Waits, largest, owner_of, waits_of
from condor_py.cli.report.parts import Advices, Column, Figure, Section, Table, Text
from condor_py.cli.report.records import SIZES, Job, Run, Values, job_of, label, run_of, values
from condor_py.cli.times import Period
from condor_py.cli.waiting.rows import Row
from condor_py.model.cyclerecords import CycleRecord, GroupRecord, SubmitterRecord
from condor_py.model.settings.sizing import AutoRequests
from condor_py.store.history import HistoryRecord

PERIOD = Period(1000, 2000)
HOUR = 3600.0


# ---- records ---------------------------------------------------------------------------------------------------------


def read(*lines: str, **names: Any) -> Values | None:
    return values(HistoryRecord("\n".join(lines) + "\n", "*** Offset = 0", "h", 0), **names)


@pytest.mark.parametrize(
    ("line", "texts", "numbers"),
    [
        ('Owner = "ann"', {"owner": "ann"}, {}),
        ('OWNER = "ann"', {"owner": "ann"}, {}),
        ('Owner = ""', {"owner": ""}, {}),
        ('Owner = "a\\"b"', {"owner": 'a"b'}, {}),
        ('Owner = strcat("a", "b")', {"owner": "ab"}, {}),
        ("Owner = undefined", {"owner": ""}, {}),
        ("ProcId = 5", {}, {"procid": 5.0}),
        ("RequestCpus = 1 + 1", {}, {"requestcpus": 2.0}),
        ("RequestCpus = undefined", {}, {}),
        ("RequestCpus = 999999999999999", {}, {"requestcpus": 999999999999999.0}),
        ("RequestCpus = 1e15", {}, {}),
        ("RequestCpus = -1e15", {}, {}),
        ("RequestCpus = 1e14 * 10", {}, {}),
        ("RequestCpus = nan", {}, {}),
        ("ExitBySignal = true", {}, {"exitbysignal": 1.0}),
        ("ExitBySignal = TRUE ", {}, {"exitbysignal": 1.0}),
        ("ExitBySignal = false", {}, {"exitbysignal": 0.0}),
        ("DiskUsage = 5", {}, {}),
        ("Other = 5", {}, {}),
        ("", {}, {}),
        ("   ", {}, {}),
    ],
)
def test_values_of_a_record(line: str, texts: dict[str, str], numbers: dict[str, float]) -> None:
    assert read(line) == Values(texts, numbers)


def test_records_that_cannot_be_read_and_names_of_sizes() -> None:
    assert read("Owner") is None
    assert read("RequestCpus = ((", "Owner = 5 5") is None
    assert read("DiskUsage = 5", numbers_of=SIZES) == Values({}, {"diskusage": 5.0})


def test_the_first_value_that_is_there_counts() -> None:
    found = Values({"a": "", "b": "x"}, {"one": 0.0, "two": 2.5})
    assert (found.number("one", "two"), found.number("none", "two"), found.number("none")) == (0.0, 2.5, 0.0)
    assert (found.whole("two"), found.text("a", "b"), found.text("a"), found.text("none")) == (2, "x", "", "")


ENDED = {
    "clusterid": 7, "procid": 3, "jobstatus": 4, "qdate": 1100, "jobstartdate": 1200, "completiondate": 1500,
    "enteredcurrentstatus": 1400, "remotewallclocktime": 300.5, "cumulativeremoteusercpu": 20,
    "cumulativeremotesyscpu": 5, "remoteusercpu": 900, "cpusprovisioned": 4, "requestcpus": 2, "requestmemory": 512,
    "residentsetsize_raw": 204800, "residentsetsize": 1, "jobuniverse": 5,
}  # fmt: skip
TEXTS = {"owner": "ann", "acctgroup": "physics", "cmd": "/opt/bin/run", "jobbatchname": "night"}


def job(**more: Any) -> Job:
    texts = {name: value for name, value in more.items() if isinstance(value, str)}
    numbers = {name: value for name, value in more.items() if not isinstance(value, str)}
    kept = {name: value for name, value in {**ENDED, **numbers}.items() if value is not None}
    return job_of(Values({**TEXTS, **texts}, kept))


def test_a_job_of_the_history() -> None:
    assert job() == Job(
        "7.3", "ann", "physics", "night", 4, "", 1100, 1200, 1500, 300.5, 25, 4, 512, 200.0, False, None
    )  # fmt: skip
    assert job().waited == 100


@pytest.mark.parametrize(
    ("more", "name", "value"),
    [
        ({"owner": ""}, "owner", "?"),
        ({"completiondate": 0}, "ended", 1400),
        ({"remotewallclocktime": -1.0}, "wall", 0.0),
        ({"cumulativeremoteusercpu": 0, "cumulativeremotesyscpu": 0, "remotesyscpu": 100}, "cpu", 1000),
        ({"cumulativeremoteusercpu": -50}, "cpu", 0.0),
        ({"cpusprovisioned": None}, "cpus", 2),
        ({"cpusprovisioned": 0}, "cpus", 1.0),
        ({"cpusprovisioned": -3}, "cpus", 1.0),
        ({"requestmemory": -5}, "memory", 0.0),
        ({"residentsetsize_raw": None}, "used", 1 / 1024),
        ({"residentsetsize_raw": -5}, "used", 0.0),
        ({"jobuniverse": 7}, "slotless", True),
        ({"holdreasoncode": 12}, "hold", (12, "")),
        ({"lastholdreasoncode": 13, "lastholdreason": "why"}, "hold", (13, "why")),
        (
            {"holdreason": "now", "lastholdreason": "then", "holdreasoncode": 1, "lastholdreasoncode": 2},
            "hold",
            (1, "now"),
        ),
        ({"jobstartdate": 0}, "waited", None),
        ({"qdate": 0}, "waited", None),
        ({"qdate": 1300}, "waited", 0),
        ({"exitcode": 3}, "failed", "exit code 3"),
        ({"exitcode": 3, "jobstatus": 3}, "failed", ""),
        ({"exitcode": 3, "jobstatus": 5}, "failed", ""),
        ({"exitbysignal": 1.0}, "failed", "a signal"),
        ({"exitbysignal": 1.0, "exitsignal": 9, "exitcode": 3}, "failed", "signal 9"),
        ({"exitbysignal": 1.0, "exitsignal": 9, "jobstatus": 3}, "failed", ""),
        ({"exitbysignal": 1.0, "exitsignal": 9, "jobstatus": 5}, "failed", ""),
        ({"exitbysignal": 0.0, "exitsignal": 9}, "failed", ""),
    ],
)
def test_what_is_told_of_a_job(more: dict[str, Any], name: str, value: object) -> None:
    assert getattr(job(**more), name) == value


def test_labels() -> None:
    assert label(Values(TEXTS, {})) == "night"
    assert label(Values({"cmd": "/opt/bin/run"}, {})) == "run"
    assert label(Values({"cmd": "/opt/bin/"}, {})) == label(Values({}, {})) == "?"


RUN = {"shadowbday": 1200, "jobcurrentstartdate": 1100, "epochwritedate": 1500, "cpusprovisioned": 4, "jobuniverse": 5}


@pytest.mark.parametrize(
    ("more", "run"),
    [
        ({}, Run("ann", "night", 1200, 1500, 4, None)),
        ({"shadowbday": None}, Run("ann", "night", 1100, 1500, 4, None)),
        ({"shadowbday": None, "jobcurrentstartdate": None}, None),
        ({"epochwritedate": 1200}, Run("ann", "night", 1200, 1200, 4, None)),
        ({"epochwritedate": 1199}, None),
        ({"jobuniverse": 12}, None),
        ({"cpusprovisioned": None, "requestcpus": 3}, Run("ann", "night", 1200, 1500, 3, None)),
        ({"cpusprovisioned": None}, Run("ann", "night", 1200, 1500, 1.0, None)),
        ({"vacatereasoncode": 0}, Run("ann", "night", 1200, 1500, 4, (0, ""))),
        ({"vacatereason": "gone"}, Run("ann", "night", 1200, 1500, 4, (0, "gone"))),
        ({"owner": ""}, Run("?", "night", 1200, 1500, 4, None)),
    ],
)
def test_a_run_of_the_records(more: dict[str, Any], run: Run | None) -> None:
    texts = {name: value for name, value in more.items() if isinstance(value, str)}
    numbers = {**RUN, **{name: value for name, value in more.items() if not isinstance(value, str)}}
    assert run_of(Values({**TEXTS, **texts}, {name: n for name, n in numbers.items() if n is not None})) == run


# ---- figures ---------------------------------------------------------------------------------------------------------


def made(**more: Any) -> Job:
    """A job of an hour on two cores."""
    return Job(
        "7.0", "ann", "", "night", 4, "", 1100, 1200, 1500, HOUR, 1800.0, 2.0, 2048.0, 1024.0, False, None
    )._replace(**more)  # fmt: skip


@pytest.mark.parametrize(("ended", "counts"), [(999, False), (1000, True), (1999, True), (2000, False)])
def test_jobs_count_when_they_ended_in_the_period(ended: int, counts: bool) -> None:
    found = Figures(PERIOD)
    assert found.job(made(ended=ended)) is counts
    assert found.total.jobs == counts


@pytest.mark.parametrize(
    ("owner", "batch", "counts"),
    [
        (None, None, True), ("ann", None, True), ("bea", None, False), (None, "night", True), (None, "7", True),
        (None, "7.0", False), (None, "nigh", False), ("bea", "night", False), ("ann", "7", True),
    ],
)  # fmt: skip
def test_whose_jobs_count(owner: str | None, batch: str | None, counts: bool) -> None:
    found = Figures(PERIOD, owner, batch)
    assert found.job(made()) is counts
    found.run(Run("ann", "night", 1100, 1200, 1.0, None), "7.0")
    assert found.runs == counts


def test_sums_over_jobs() -> None:
    found = Figures(PERIOD)
    for one in (
        made(), made(status=3, wall=2 * HOUR, group="physics"), made(failed="exit code 1", owner="bea"),
        made(slotless=True, group="physics"),
    ):  # fmt: skip
        found.job(one)
    assert found.total == Amounts(4, 3, 1, 1, 4.0, 8.0, 1.5, 8.0, 4.0)
    assert found.users["ann"] == Amounts(3, 2, 0, 1, 3.0, 6.0, 1.0, 6.0, 3.0)
    assert found.groups == {"physics": Amounts(2, 1, 0, 1, 2.0, 4.0, 0.5, 4.0, 2.0)}
    assert found.failures == {("bea", "exit code 1"): 1}
    assert list(found.finished.values("ann", *found.finished.bounds())) == [3.0]


def test_waiting_times_and_jobs_that_never_started() -> None:
    found = Figures(PERIOD)
    for owner, started in (("ann", 1105), ("ann", 1110), ("ann", 0), ("bea", 1400), ("bea", 0), ("bea", 0)):
        found.job(made(owner=owner, started=started))
    assert (found.waits("ann"), found.waits("bea"), found.waits("cyd")) == (
        (2, 5, 10, 10),
        (1, 300, 300, 300),
        (0, 0, 0, 0),
    )
    assert found.waits() == Waits(3, 10, 300, 300)
    assert found.never_started == {"ann": 1, "bea": 2}
    assert waits_of(range(20)) == Waits(20, 9, 17, 19)


def test_kinds_of_jobs_are_kept_apart_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Figures(PERIOD)
    for one in (made(), made(used=1500.0), made(used=3.0), made(cpus=1.0), made(slotless=True), made(wall=0.0)):
        found.job(one)
    assert [(kind.label, kind.cpus, kind.memory, kind.amounts.jobs, kind.largest) for kind in found.kinds.values()] == [
        ("night", 2.0, 2048.0, 3, 1500.0), ("night", 1.0, 2048.0, 1, 1024.0),
    ]  # fmt: skip
    monkeypatch.setattr(figures, "MOST_KINDS", 2)
    for name in ("a", "b", "night"):
        found.job(made(label=name))
    assert [(kind.label, kind.cpus, kind.memory, kind.amounts.jobs) for kind in found.kinds.values()] == [
        ("night", 2.0, 2048.0, 4), ("night", 1.0, 2048.0, 1), ("(others)", 0.0, 0.0, 2),
    ]  # fmt: skip


def test_reasons_are_counted_without_whose_they_were_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Figures(PERIOD)
    for number, reason in enumerate(("via condor_hold (by user ann)", "via condor_hold (by user bea) ", "x" * 500)):
        found.hold((1, reason), f"{number}.0")
    assert [(cut.reason, cut.count, cut.example) for cut in found.holds.values()] == [
        ("via condor_hold", 2, "1.0"), ("x" * 240, 1, "2.0"),
    ]  # fmt: skip
    monkeypatch.setattr(figures, "MOST_REASONS", 3)
    found.holds.clear()
    for code in (1, 2, 3, 4, 5, 6, 7, 8, 1):
        found.hold((code, "why"), "1.0")
    assert [(cut.code, cut.reason, cut.count) for cut in found.holds.values()] == [
        (1, "why", 2), (2, "why", 1), (3, "why", 1), (4, "(others)", 1), (5, "(others)", 1), (6, "(others)", 1),
        (0, "(others)", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("begin", "end", "hours", "runs"),
    [
        (1100, 1460, 0.2, 1), (900, 1360, 0.2, 1), (1640, 2100, 0.2, 0), (0, 5000, 1000 / 1800, 0), (500, 999, 0, 0),
        (500, 1000, 0, 1), (2001, 3000, 0, 0), (1500, 1500, 0, 1), (1820, 2000, 0.1, 0), (1819, 1999, 0.1, 1),
    ],
)  # fmt: skip
def test_runs_count_as_far_as_they_are_in_the_period(begin: int, end: int, hours: float, runs: int) -> None:
    found = Figures(PERIOD)
    found.run(Run("ann", "night", begin, end, 2.0, (1, "gone")), "7.0")
    assert (found.run_hours, found.runs, sum(cut.count for cut in found.cuts.values())) == (
        pytest.approx(hours), runs, runs,
    )  # fmt: skip
    assert found.badput == pytest.approx(runs * (end - begin) * 2 / 3600)
    going = Figures(PERIOD)
    going.run(Run("ann", "night", begin, end, 2.0, None), "7.0", ended=False)
    assert (going.run_hours, going.runs) == (pytest.approx(hours), 0)


def cycle(begin: int, end: int, **more: Any) -> CycleRecord:
    return CycleRecord(begin, end, **more)


@pytest.mark.parametrize(
    ("begin", "end", "counts"),
    [(1000, 1000, True), (999, 1000, False), (900, 1100, True), (1900, 2098, True), (1900, 2100, False)],
)
def test_cycles_count_by_the_middle_of_their_record(begin: int, end: int, counts: bool) -> None:
    found = Figures(PERIOD)
    found.cycles(cycle(begin, end, known=60))
    assert found.known == (60 if counts else 0)


def test_entitlement_and_quotas() -> None:
    records = [
        cycle(1000, 1060, known=60, weight=480.0, submitters={
            "physics.ann@d": SubmitterRecord(0.5, 4.0, group="physics", used=HOUR, asked=2 * HOUR, entitled=3 * HOUR,
                                             due=HOUR, waiting=5, lost={"bea@d": 1, "cyd@d": 2}),
            "bea@d": SubmitterRecord(used=HOUR / 2),
        }, groups={"physics": GroupRecord(5.0, 2 * HOUR, HOUR, HOUR / 2)}),
        cycle(1060, 1120, known=0, weight=999.0, submitters={
            "physics.ann@d": SubmitterRecord(0.75, 4.0, group="physics", used=HOUR, waiting=7),
        }, groups={"physics": GroupRecord(5.0, HOUR, 2 * HOUR, HOUR)}),
        cycle(1120, 1180, known=30, weight=60.0),
    ]  # fmt: skip
    everyone, ann = Figures(PERIOD), Figures(PERIOD, "ann")
    for record in records:
        everyone.cycles(record)
        ann.cycles(record)
    of_ann = Entitlement("physics", 2.0, 2.0, 3.0, 1.0, 12, 3.0, 4.0, 3)
    assert everyone.entitled == {"physics.ann@d": of_ann, "bea@d": Entitlement(used=0.5, priority=0.5, factor=1.0)}
    assert everyone.quotas == {"physics": Entitlement(used=1.5, asked=3.0, entitled=3.0, due=2.0)}
    assert (ann.entitled, ann.quotas) == ({"physics.ann@d": of_ann}, {})
    assert everyone.known == 90
    assert everyone.pool_weight() == pytest.approx(8.0)
    assert Figures(PERIOD).pool_weight() == 0.0


def test_drains_are_one_where_at_most_five_minutes_are_between(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Figures(Period(0, 10_000))
    for begin in (0, 60, 420, 781, 2000):
        found.cycles(cycle(begin, begin + 60, drained=HOUR if begin != 60 else 0.0))
    assert [(one.begin, one.end, one.hours) for one in found.drains] == [
        (0, 60, 1.0), (420, 480, 1.0), (781, 841, 1.0), (2000, 2060, 1.0),
    ]  # fmt: skip
    assert found.drained == 4.0
    found.cycles(cycle(2360, 2420, drained=HOUR))
    assert (found.drains[-1].begin, found.drains[-1].end, found.drains[-1].hours) == (2000, 2420, 2.0)
    monkeypatch.setattr(figures, "MOST_DRAINS", 4)
    found.cycles(cycle(5000, 5060, drained=HOUR))
    assert (len(found.drains), found.drained) == (4, 6.0)


@pytest.mark.parametrize(
    ("first", "since"), [(0, 1000), (1000, 1000), (1001, 1001), (1300, 1300), (1900, 1400), (2000, 1000), (2500, 1000)]
)
def test_charts_begin_with_the_first_record_and_show_ten_minutes_at_least(first: int, since: int) -> None:
    assert Figures(PERIOD, first=first).shown == (since, 2000)
    assert Figures(Period(1000, 1300), first=1200).shown == (1000, 1300)


@pytest.mark.parametrize(
    ("submitter", "group", "owner"),
    [
        ("ann@d", "", "ann"),
        ("ann", "", "ann"),
        ("physics.ann@d", "physics", "ann"),
        ("Physics.ann@d", "physics", "ann"),
        ("physics.ann@d", "", "physics.ann"),
        ("physicsann@d", "physics", "physicsann"),
        ("a@b@d", "", "a@b"),
        ("p.q.ann@d", "p.q", "ann"),
    ],
)
def test_the_account_behind_a_submitter(submitter: str, group: str, owner: str) -> None:
    assert owner_of(submitter, group) == owner


def test_the_largest_users_are_first() -> None:
    amounts = {name: Amounts(jobs=jobs, cores=cores) for name, jobs, cores in (
        ("ann", 1, 1.0), ("cyd", 2, 1.0), ("bea", 2, 1.0), ("dan", 0, 9.0))}  # fmt: skip
    assert largest(amounts) == ["dan", "bea", "cyd", "ann"]


# ---- batches ---------------------------------------------------------------------------------------------------------

EPOCH = {
    "clusterid": 7, "procid": 0, "jobcurrentstartdate": 1100, "epochwritedate": 1460, "totalsubmitprocs": 2,
    "jobuniverse": 5, "cpusprovisioned": 2, "jobstatus": 4, "qdate": 1050,
}  # fmt: skip


def added(found: batches.Batches, now: int = 0, **more: Any) -> batches.Batches:
    texts = {name: value for name, value in more.items() if isinstance(value, str)}
    numbers = {name: value for name, value in more.items() if not isinstance(value, str)}
    found.add(Values({"owner": "ann", "cmd": "/bin/x", **texts}, {**EPOCH, **numbers}), now)
    return found


@pytest.mark.parametrize(
    ("more", "counts"),
    [
        ({}, True), ({"totalsubmitprocs": 1}, False), ({"jobuniverse": 7}, False), ({"jobcurrentstartdate": 0}, False),
        ({"jobcurrentstartdate": 1460}, True), ({"jobcurrentstartdate": 1461}, False),
        ({"jobcurrentstartdate": 900, "epochwritedate": 1000}, True),
        ({"jobcurrentstartdate": 900, "epochwritedate": 999}, False),
        ({"jobcurrentstartdate": 1999, "epochwritedate": 3000}, True),
        ({"jobcurrentstartdate": 2000, "epochwritedate": 3000}, False),
    ],
)  # fmt: skip
def test_runs_of_batches_in_the_period(more: dict[str, Any], counts: bool) -> None:
    assert len(added(batches.Batches(PERIOD), **more).largest()) == counts


def test_the_largest_batches() -> None:
    found = batches.Batches(PERIOD)
    added(found)
    added(found, procid=1, jobstatus=3)
    added(found, procid=1, now=1820)
    added(found, clusterid=8, jobbatchname="night", cpusprovisioned=40)
    added(found, clusterid=9, owner="", cmd="", cpusprovisioned=0, requestcpus=9)
    first, second, third = found.largest()
    assert (first.cluster, first.name, first.hours) == (8, "night", 4.0)
    assert (second.cluster, second.name, second.hours, second.jobs) == (7, "x", pytest.approx(0.8), 2)
    assert second.outcomes() == {"running": 1, "completed": 1, "removed": 1}
    assert (third.owner, third.name, third.hours) == ("?", "?", 0.1)
    assert [one.cluster for one in found.largest(2)] == [8, 7]
    tied = batches.Batches(PERIOD)
    for cluster in (9, 7, 8):
        added(tied, clusterid=cluster)
    assert [one.cluster for one in tied.largest()] == [7, 8, 9]


def test_batches_and_their_runs_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    found = batches.Batches(PERIOD)
    for cluster in range(100, 141):
        added(found, clusterid=cluster)
    assert len(found.largest(99)) == 40
    assert len(found.largest()) == 5
    monkeypatch.setattr(batches, "_RUNS", 2)
    for proc in range(1, 4):
        added(found, clusterid=100, procid=proc)
    (batch,) = found.largest(1)
    assert (batch.cluster, len(batch.runs), batch.hours) == (100, 2, pytest.approx(0.8))


def test_times_within_a_run_of_a_batch() -> None:
    for at, kept in ((1100, 1100), (1460, 1460), (1099, 0), (1461, 0)):
        found = added(
            batches.Batches(PERIOD), jobcurrentstartexecutingdate=at, jobcurrentstarttransferoutputdate=at,
            runinstanceid=3, vacatereason="gone", vacatereasoncode=1007, jobstatus=2,
        )  # fmt: skip
        (run,) = found.largest()[0].runs
        assert (run.executed, run.left, run.number, run.queued, run.begin, run.end) == (kept, kept, 3, 1050, 1100, 1460)
        assert run.why == "gone"


# ---- advice ----------------------------------------------------------------------------------------------------------


def kind(cpus: float = 1.0, memory: float = 0.0, largest: float = 0.0, **amounts: Any) -> Kind:
    return Kind("ann", "x", cpus, memory, Amounts(**{"jobs": 2, "wall": 2.0, "cpu": 2.0, **amounts}), largest)


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (kind(memory=2048, largest=100), ("2 jobs asked for 2 GB each, and the largest used 100 MB", "128", 3.75)),
        (
            kind(memory=2048, largest=100, jobs=1),
            ("1 job asked for 2 GB each, and the largest used 100 MB", "128", 3.75),
        ),
        (kind(memory=2048, largest=1023.9), ("2 jobs asked for 2 GB each, and the largest used 1 GB", "1280", 1.5)),
        (kind(memory=2048, largest=1024), None),
        (kind(memory=256, largest=10), ("2 jobs asked for 256 MB each, and the largest used 10 MB", "64", 0.375)),
        (kind(memory=255, largest=10), None),
        (kind(memory=2048, largest=0), None),
        (
            kind(memory=2048, largest=100, wall=1 / 60),
            ("2 jobs asked for 2 GB each, and the largest used 100 MB", "128", 1 / 32),
        ),
        (kind(memory=2048, largest=100, wall=1 / 61), None),
        (
            kind(memory=100, largest=101),
            (
                "2 jobs asked for 100 MB each, and the largest had 101 MB: it may be put on hold "
                "where memory is enforced",
                "128",
                0.0,
            ),
        ),
        (kind(memory=100, largest=100), None),
    ],
)
def test_advice_on_memory(of: Kind, expected: tuple[str, str, float] | None) -> None:
    if expected is None:
        assert advice([of]) == []
    else:
        says, need, freed = expected
        (found,) = advice([of])
        assert found == Advice("ann", "x", of.amounts.jobs, pytest.approx(freed), says, f"request_memory = {need}")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (kind(cpus=4, cpu=2.0), ("2 jobs asked for 4 cores each and kept 1 busy", 1, 6.0)),
        (kind(cpus=4, cpu=3.0, jobs=1), ("1 job asked for 4 cores each and kept 1.5 busy", 2, 4.0)),
        (kind(cpus=4, cpu=3.99), ("2 jobs asked for 4 cores each and kept 2 busy", 2, 4.0)),
        (kind(cpus=4, cpu=4.0), None),
        (kind(cpus=4, cpu=0.0), ("2 jobs asked for 4 cores each and kept 0 busy", 1, 6.0)),
        (kind(cpus=1, cpu=0.0), None),
        (kind(cpus=1.5, cpu=0.0), ("2 jobs asked for 1.5 cores each and kept 0 busy", 1, 1.0)),
        (kind(cpus=4, cpu=0.0, wall=1 / 61), None),
    ],
)
def test_advice_on_cores(of: Kind, expected: tuple[str, int, float] | None) -> None:
    if expected is None:
        assert advice([of]) == []
    else:
        says, need, freed = expected
        assert advice([of]) == [
            Advice("ann", "x", of.amounts.jobs, pytest.approx(freed), says, f"request_cpus = {need}")
        ]  # type: ignore[arg-type]


def test_the_advice_that_frees_most_is_first() -> None:
    kinds = [kind(cpus=cpus, cpu=0.0) for cpus in (2, 9, 5)] + [
        Kind("ann", "(others)", 99.0, 0.0, Amounts(jobs=1, wall=9.0))
    ]
    assert [one.freed for one in advice(kinds)] == [16.0, 8.0, 2.0]
    assert len(advice(kinds, 2)) == 2
    assert len(advice([kind(cpus=2, cpu=0.0)] * 30)) == 20
    assert [megabytes(value) for value in (0.4, 512, 999, 1000, 1228.8)] == [
        "0 MB",
        "512 MB",
        "999 MB",
        "0.977 GB",
        "1.2 GB",
    ]


# ---- pages -----------------------------------------------------------------------------------------------------------


def table(section: Section) -> Table:
    return next(part for part in section.parts if isinstance(part, Table))


@pytest.mark.parametrize(("part", "whole", "text"), [(1, 3, "33.3 %"), (0, 5, "0.0 %"), (5, 5, "100.0 %"), (1, 0, "-")])
def test_percent(part: float, whole: float, text: str) -> None:
    assert page.percent(part, whole) == text


def test_figures_that_stand_out() -> None:
    found = Figures(PERIOD)
    assert [figure for figure, _ in page.summary(found)] == ["0", "0", "-", "-", "-", "0"]
    found.job(made())
    found.job(made(failed="exit code 1"))
    found.run(Run("ann", "night", 1100, 1460, 10.0, (1, "gone")), "7.0")
    assert [figure for figure, _ in page.summary(found)] == ["2", "1", "1 min 40 s", "50.0 %", "25.0 %", "1"]


@pytest.mark.parametrize(("count", "note"), [(40, ""), (41, " (the first 40 of 41; the JSON has all)")])
def test_tables_have_forty_rows(count: int, note: str) -> None:
    found = Figures(PERIOD)
    for number in range(count):
        found.job(made(owner=f"user{number:02}", failed=f"exit code {number}", hold=(number, "why")))
        found.entitled[f"user{number:02}@d"] = Entitlement(used=1.0)
    use = [part for part in page._use(found).parts if isinstance(part, Table)]
    assert [(len(one.rows), one.caption) for one in use] == [
        (40, f"Slot weight hours by user{note}"), (40, f"Jobs by user{note}"),
    ]  # fmt: skip
    failures = [part for part in page._failures(found).parts if isinstance(part, Table)]
    assert [(len(one.rows), one.caption) for one in failures] == [
        (40, f"Failures{note}"), (40, f"Jobs that are or were on hold, by their last reason{note}"),
    ]  # fmt: skip
    efficiency = table(page._efficiency(found))
    assert (len(efficiency.rows), efficiency.caption) == (40, f"Asked for and used{note}")


def test_the_row_of_a_user_and_of_a_group() -> None:
    one = Entitlement("physics", 2.0, 8.0, 6.0, 4.0, 90, 1234.5, 1000.0, 3)
    shown = ["2", "4", "6", "8", "50.0 %"]
    assert page._entitled_row("a@d", one, "user") == ["a@d", *shown, "1 min 30 s", "1,234.50", "1,000", "3"]
    assert page._entitled_row("physics", one, "group") == ["physics", *shown]
    assert (page._short("physics.ann@d", one), page._short("physics", one)) == ("ann", "physics")


@pytest.mark.parametrize("name", ["used", "asked", "due", "lost"])
def test_users_who_used_or_asked_for_something(name: str) -> None:
    entitled = {
        "ann@d": Entitlement(entitled=5.0),
        "bea@d": Entitlement(**{name: 1}),
        "cyd@d": Entitlement(used=2, asked=1),
    }
    chart, rows = page._entitlement("user", entitled)
    assert isinstance(rows, Table)
    assert isinstance(chart, Figure)
    assert [row[0] for row in rows.rows] == ["cyd@d", "bea@d"]
    assert rows.folded
    assert page._entitlement("group", {"a": Entitlement(entitled=5.0)}) == [
        Text("No group used or asked for anything in this time.")
    ]


def test_jobs_that_wait_now_are_listed_from_most_jobs_on() -> None:
    found = Figures(PERIOD)
    found.waiting = [
        Row(owner=owner, batch="b", jobs=jobs, since=since, text="x" * 300, **_REST)
        for owner, jobs, since in (("ann", 5, 60), ("bea", 1500, 120), ("cyd", 5, 0))
    ]
    shown = table(page._waiting(found))
    assert [row[:3] for row in shown.rows] == [["bea", "b", "1,500"], ["cyd", "b", "5"], ["ann", "b", "5"]]
    assert {len(row[4]) for row in shown.rows} == {240}


_REST = {name: None for name in Row._fields if name not in ("owner", "batch", "jobs", "since", "text")}


def test_waiting_times_by_user() -> None:
    found = Figures(PERIOD)
    for owner, waits in (("ann", (5, 60)), ("bea", (300,)), ("cyd", (None,))):
        for waited in waits:
            found.job(made(owner=owner, started=0 if waited is None else 1100 + waited))
    shown = table(page._waits(found))
    assert shown.rows == [
        ["all", "3", "1 min", "5 min", "5 min", "1"], ["bea", "1", "5 min", "5 min", "5 min", "0"],
        ["ann", "2", "5 s", "1 min", "1 min", "0"],
    ]  # fmt: skip


def test_reasons_are_listed_by_what_they_cost() -> None:
    cuts = {(n, r): Cut(n, r, count, hours, "7.0") for n, r, count, hours in (
        (2, "b", 1, 1.0), (1, "a", 5, 0.0), (3, "", 9, 1.0), (1, "", 5, 0.0))}  # fmt: skip
    found = page._reasons("Cut", cuts, lambda cut: [f"{cut.hours:.0f} h"])
    assert isinstance(found, Table)
    assert found.rows == [
        ["(no reason)", "3", "9", "1 h", "7.0"], ["b", "2", "1", "1 h", "7.0"], ["(no reason)", "1", "5", "0 h", "7.0"],
        ["a", "1", "5", "0 h", "7.0"],
    ]  # fmt: skip
    assert [column.heading for column in found.columns] == ["Reason", "Code", "Count", "Core-hours", "For example"]
    assert page._reasons("Cut", {}, lambda cut: []) == Text("Cut: none.")


def test_parts_as_html() -> None:
    columns = [Column("A<b>"), Column("B", words=True), Column("C")]
    shown = Table("Of <all>", columns, [["<i>", "x", "&"]])
    inside = (
        '<div class="wide" tabindex="0" role="region" aria-label="Of &lt;all&gt;"><table>'
        '<caption>Of &lt;all&gt;</caption><thead><tr><th scope="col">A&lt;b&gt;</th><th scope="col" class="text">B</th>'
        '<th scope="col">C</th></tr></thead><tbody><tr><th scope="row">&lt;i&gt;</th><td class="text">x</td>'
        "<td>&amp;</td></tr></tbody></table></div>"
    )
    assert html.rendered(shown) == inside
    assert html.rendered(shown._replace(folded=True)) == (
        f"<details><summary>Table: Of &lt;all&gt;</summary>{inside}</details>"
    )
    assert html.rendered(Text("a<b")) == "<p>a&lt;b</p>"
    assert html.rendered(Advices("H&", [("a<b:", "x = 1")])) == (
        '<h3>H&amp;</h3><ul class="says"><li>a&lt;b: <code>x = 1</code> would do.</li></ul>'
    )
    assert html.section(Section("use", "U&", [Text("x")])) == (
        '<section id="use" aria-labelledby="use-h"><h2 id="use-h">U&amp;</h2><p>x</p></section>'
    )
    assert html.cards([("1", "a&b")]) == '<ul class="cards"><li><b>1</b>a&amp;b</li></ul>'


# ---- sizes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("jobs", "fit", "times", "over", "effect"),
    [
        (5, 5, 1.0, 0, "all 5 jobs fit"),
        (5, 4, 1.0, 0, "4 of 5 jobs fit"),
        (5, 5, 1.5, 0, "all 5 jobs fit, 1.5 times as many run at once"),
        (5, 5, 4.0, 0, "all 5 jobs fit, 4 times as many run at once"),
        (5, 5, 10.4, 0, "all 5 jobs fit, 10 times as many run at once"),
        (5, 5, 4.0, 2, "all 5 jobs fit, 2 had more than they asked for"),
    ],
)
def test_what_a_request_would_do(jobs: int, fit: int, times: float, over: int, effect: str) -> None:
    request = sizes.Request("request_memory", "64M", jobs, fit, times, over)
    assert str(request) == f"request_memory = 64M: {effect}"


@pytest.mark.parametrize(
    ("asked", "used", "size", "requests"),
    [
        ([100.0] * 3, [50.0] * 3, 89.9, 1), ([100.0] * 3, [50.0] * 3, 90.0, 0), ([0.0] * 3, [50.0] * 3, 10.0, 0),
        ([100.0] * 3, [50.0, 50.0, 101.0], 200.0, 1), ([100.0] * 3, [50.0, 50.0, 100.0], 200.0, 0),
        ([0.0, 300.0, 0.0], [50.0, 300.0, 50.0], 100.0, 0),
    ],
)  # fmt: skip
def test_a_request_is_told_where_it_frees_a_tenth_or_jobs_had_more(
    asked: list[float], used: list[float], size: float, requests: int
) -> None:
    amounts = sizes.Amounts()
    for one in zip(asked, used, strict=True):
        amounts.add(*one, -1.0)
    assert len(list(sizes._request("request_memory", "1M", size, amounts))) == requests
    assert amounts.wasted == 0.0


@pytest.mark.parametrize(
    ("count", "quantiles"),
    [(1, [1, 1, 1, 1]), (2, [1, 2, 2, 2]), (10, [5, 9, 10, 10]), (100, [50, 90, 99, 100]), (101, [51, 91, 100, 101])],
)
def test_quantiles(count: int, quantiles: list[float]) -> None:
    assert sizes.Amounts().quantiles(list(range(count, 0, -1))) == quantiles
    assert sizes.Amounts().quantiles([]) == []


@pytest.mark.parametrize(
    ("resource", "asked", "used", "row"),
    [
        (
            sizes.MEMORY,
            (512.0, 512.0),
            (100.0, 200.0),
            ("memory", "512 MB", "100 MB", "200 MB", "200 MB", "200 MB", "3 GB h"),
        ),
        (
            sizes.MEMORY,
            (512.0, 2048.0),
            (0.5, 1.0),
            ("memory", "512 MB to 2 GB", "0.5 MB", "1 MB", "1 MB", "1 MB", "3 GB h"),
        ),
        (sizes.DISK, (0.0, 512.0), (1.0, 1.0), ("disk", "- to 512 MB", "1 MB", "1 MB", "1 MB", "1 MB", "3 GB h")),
        (sizes.CPUS, (0.0, 0.0), (0.5, 1.0), ("cpus", "-", "0.5", "1", "1", "1", "3 core h")),
        (sizes.GPUS, (1.0, 2.0), (0.5, 1.0), ("gpus", "1 to 2", "0.5", "1", "1", "1", "3 GPU h")),
        (
            sizes.TIME,
            (60.0, 60.0),
            (30.0, 90.0),
            ("time", "1 min", "30 s", "1 min 30 s", "1 min 30 s", "1 min 30 s", ""),
        ),
    ],
)
def test_the_row_of_a_resource(resource: sizes.Resource, asked: Any, used: Any, row: tuple[str, ...]) -> None:
    amounts = sizes.Amounts()
    for one in zip(asked, used, strict=True):
        amounts.add(*one, 1.5)
    assert sizes._row(resource, amounts) == row


def test_runs_that_were_ended_for_want_of_memory_or_disk() -> None:
    found = sizes.Sizes(PERIOD, AutoRequests())
    for code, when in ((102, 1000), (102, 1999), (104, 1500), (103, 1500), (102, 999), (102, 2000), (104, 2000)):
        found.run(Values({"owner": "ann", "cmd": "/bin/x"}, {"vacatereasonsubcode": code, "epochwritedate": when}))
    (group,) = found.groups.values()
    assert (group.over_memory, group.over_disk) == (2, 1)
    assert found.ordered() == [], "no job of it has completed"
    group.jobs = 1
    text = list(sizes.lines(found))
    assert text[0] == "ann: /bin/x: 1 job, 0 h"
    assert text[-2:] == ["  2 runs ended for want of memory.", "  1 run ended for want of disk."]


def test_groups_that_wasted_most_memory_are_first_and_twenty_are_shown() -> None:
    found = sizes.Sizes(PERIOD, AutoRequests())
    for number in range(21):
        group = found.groups["ann", "", f"/bin/{number:02}"] = sizes.Group("ann", "", f"/bin/{number:02}", 2, 1.0)
        group.of(sizes.MEMORY).add(100.0, 50.0, float(number))
        group.of(sizes.TIME).add(0.0, 60.0, 0.0)
    assert [group.program for group in found.ordered()][:2] == ["/bin/20", "/bin/19"]
    text = list(sizes.lines(found))
    assert text[-2:] == ["", "1 more, which wasted less, are shown by -json."]
    shown = sizes.section(found).parts[0]
    assert isinstance(shown, Table)
    assert shown.caption == (
        "Requests against what jobs of a batch and program used (the first 20 of 21 kinds of jobs)"
    )
    assert len(shown.rows) == 40
    assert shown.rows[0][:4] == ["ann, 20", "2", "memory", "100 MB"]
    del found.groups["ann", "", "/bin/00"]
    assert list(sizes.lines(found))[-1] != text[-1]
    assert "first 20" not in str(sizes.section(found).parts[0])
    assert text[1].split() == ["asked", "50", "%", "90", "%", "99", "%", "most", "not", "used"]
    assert text[2].split() == ["memory", *["100", "MB"], *["50", "MB"] * 4, "20", "GB", "h"]


@pytest.mark.parametrize("memory", [0.0, -5.0])
def test_no_advice_where_no_memory_was_asked_for(memory: float) -> None:
    assert advice([kind(memory=memory, largest=100)]) == []


@pytest.mark.parametrize(
    ("more", "kind_"),
    [
        ({}, "completed"), ({"exitcode": 3}, "failed"), ({"exitbysignal": 1.0}, "failed"),
        ({"jobstatus": 3}, "removed"),
        ({"jobstatus": 2, "vacatereason": "gone", "vacatereasoncode": 1007}, "evicted"),
        ({"jobstatus": 5, "vacatereason": "full", "vacatereasoncode": 12}, "held"),
    ],
)  # fmt: skip
def test_what_became_of_a_run_of_a_batch(more: dict[str, Any], kind_: str) -> None:
    assert added(batches.Batches(PERIOD), **more).largest()[0].outcomes() == {kind_: 1}


def test_the_figures_as_json() -> None:
    found = Figures(PERIOD, "ann", "night")
    found.job(made(failed="exit code 1", hold=(12, "no disk")))
    found.job(made(started=0))
    found.run(Run("ann", "night", 1100, 1460, 10.0, (1, "gone")), "7.0")
    found.batches = added(added(batches.Batches(PERIOD)), procid=1, jobcurrentstartdate=1050, epochwritedate=1300)
    found.waiting = [Row(owner="ann", batch="b", jobs=5, since=60, text="no slots", **_REST)]
    found.notes.append("a note")
    told = report.data(found, "lab", 5)
    assert [told[name] for name in ("host", "made", "since", "until", "user", "batch")] == [
        "lab", 5, 1000, 2000, "ann", "night",
    ]  # fmt: skip
    assert (told["jobs"]["jobs"], told["runs"], told["run_core_hours"], told["cut_short_core_hours"]) == (
        2,
        1,
        1.0,
        1.0,
    )
    assert told["users"]["ann"]["waiting"] == {"jobs": 1, "median": 100, "most": 100, "worst": 100, "never_started": 1}
    assert told["failures"] == [{"user": "ann", "how": "exit code 1", "jobs": 1}]
    assert told["holds"] == [{"code": 12, "reason": "no disk", "count": 1, "hours": 0.0, "example": "7.0"}]
    assert told["cut_short"] == [{"code": 1, "reason": "gone", "count": 1, "hours": 1.0, "example": "7.0"}]
    assert told["waiting_now"] == [{"owner": "ann", "batch": "b", "jobs": 5, "since": 60, "why": "no slots"}]
    assert told["batches"] == [{
        "cluster": 7, "owner": "ann", "name": "x", "core_hours": pytest.approx((360 + 250) * 2 / 3600), "jobs": 2,
        "runs": {"completed": 2}, "begin": 1050, "end": 1460,
    }]  # fmt: skip
    assert (told["every_hold"], told["notes"], told["waiting"]["jobs"]) == (False, ["a note"], 1)
    assert [one["instead"] for one in told["advice"]] == ["request_cpus = 1"]


def test_use_over_time_as_json_and_as_a_table() -> None:
    """Bins are ten seconds wide, and begin with the first of the period."""
    found = Figures(PERIOD)
    found.run(Run("ann", "night", 1005, 1020, 2.0, None), "7.0")
    found.run(Run("bea", "night", 1010, 1020, 1.0, None), "8.0")
    found.job(made(ended=1015))
    told = report.data(found, "lab", 5)["over_time"]
    assert (told["begin"], told["seconds"], len(told["cores"]["ann"]), list(told["cores"])) == (
        1000,
        10,
        100,
        ["ann", "bea"],
    )
    assert told["cores"]["ann"][:3] == [1.0, 2.0, 0.0]
    assert told["jobs"]["ann"][:3] == [0.0, 1.0, 0.0]
    slots = page._slots(found)
    cores, cores_table, jobs, jobs_table = slots.parts
    assert isinstance(cores, Figure)
    assert isinstance(jobs, Figure)
    assert isinstance(cores_table, Table)
    assert isinstance(jobs_table, Table)
    assert (cores.caption, jobs.caption) == ("Cores in use by user", "Jobs that left the queue, by user")
    assert (cores_table.caption, jobs_table.caption) == (
        "Cores in use (mean), by 40 s", "Jobs that left the queue, by 40 s",
    )  # fmt: skip
    assert [column.heading for column in cores_table.columns] == ["From", "ann", "bea"]
    assert [row[1:] for row in cores_table.rows] == [["0.75", "0.25"]], "rows without a figure are left out"
    assert [row[1:] for row in jobs_table.rows] == [["1"]]
    found.cycles(cycle(1000, 1010, known=10, weight=80.0))
    assert page._slots(found).parts[0][0] == "Cores in use by user; the dashed line is the whole pool"
    empty = page._slots(Figures(PERIOD))
    assert empty.parts[1] == empty.parts[3] == Text("Nothing in this time.")
