"""Where the events of a job go, and in which form."""

from __future__ import annotations

import errno
import os
import pwd
from collections.abc import Callable
from pathlib import Path
from types import MethodType, SimpleNamespace
from typing import Any

import pytest

from condor_py.client import userlog
from condor_py.client.lateevents import LateEvents
from condor_py.client.userlog import UserLogs
from condor_py.core.jobs import jobevents
from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.effects import UserEvent
from condor_py.core.jobs.jobevents import submit_event
from condor_py.daemons.common.guard import FaultGuard
from condor_py.daemons.schedd.daemon import ScheddDaemon
from condor_py.lang.classad import ClassAd
from condor_py.lang.events import JobAborted, JobEvent, JobHeld, JobReleased
from condor_py.model.ids import JobId
from condor_py.model.report import Usage
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.settings.userlog import EventLogSettings, UserLogSettings
from condor_py.store.event_log import EventReader
from condor_py.store.fs import RealFs
from condor_py.store.job_queue import JobQueue
from condor_py.store.records import NewProc, submit_records

WHEN = 1_795_245_318.25


def told(ad: ClassAd, event: JobEvent) -> UserEvent:
    return UserEvent(ad, event, (event.proc,))


def job_ad(tmp_path: Path, **attributes: str) -> ClassAd:
    owner = pwd.getpwuid(os.geteuid()).pw_name
    items = {"Owner": f'"{owner}"', "Iwd": f'"{tmp_path}"', "UserLog": '"job.log"'}
    items |= {"RequestMemory": "100 + 28", "Note": '"x"', **attributes}
    return ClassAd.from_text_items(items.items())


EVENTS: dict[int, Callable[[ClassAd], JobEvent]] = {
    0: lambda ad: submit_event(JobId(7, 1), ad, "<127.0.0.1:9618>", WHEN),
    9: lambda ad: JobAborted(cluster=7, proc=1, time=WHEN, reason="because"),
    13: lambda ad: JobReleased(cluster=7, proc=1, time=WHEN, reason="because"),
}


def write(ad: ClassAd, settings: UserLogSettings, *numbers: int) -> list[str]:
    """Events 9 and the like of job 7.1; complaints."""
    complaints: list[str] = []
    logs = UserLogs(settings, complaints.append)
    for number in numbers:
        logs.add(told(ad, EVENTS[number](ad)))
    logs.flush()
    return complaints


@pytest.mark.parametrize(
    ("options", "stamp"),
    [
        ("", "2026-11-21 07:15:18 "),
        ("UTC", "2026-11-21 07:15:18Z "),
        ("ISO_DATE, SUB_SECOND", "2026-11-21 07:15:18.250 "),
        ("LEGACY", "11/21 07:15:18 "),
        ("!ISO_DATE UTC", "11/21 07:15:18Z "),
        ("XML", "2026-11-21 07:15:18 "),
    ],
)
def test_default_userlog_format_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str, stamp: str
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    write(job_ad(tmp_path), UserLogSettings(format_options=options), 13)
    assert (tmp_path / "job.log").read_text().startswith("013 (007.001.000) " + stamp)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock of the logs."""
    moment = [1000.0]
    monkeypatch.setattr("condor_py.client.userlog.monotonic", lambda: moment[0])
    return moment


def test_events_that_find_no_room_are_written_when_there_is_room_again_in_their_order(
    tmp_path: Path, now: list[float]
) -> None:
    log = tmp_path / "job.log"
    log.symlink_to("/dev/full")
    complaints: list[str] = []
    logs = UserLogs(UserLogSettings(), complaints.append)
    ad = job_ad(tmp_path)
    for number in (0, 13):
        logs.add(told(ad, EVENTS[number](ad)))
        logs.flush()
    assert logs.late.jobs() == {JobId(7, 1)}
    assert len(complaints) == 1, "said once"
    log.unlink()
    logs.add(told(ad, EVENTS[9](ad)))
    logs.flush()
    assert not log.exists(), "a log that was full a moment ago is not tried each time"
    now[0] += 1.0
    logs.retry()
    assert [event.number for event in EventReader(str(log)).all()] == [0, 13, 9]
    assert not logs.late
    assert len(complaints) == 2, "and that it works again"


def test_how_long_a_log_waits_counts_from_when_it_failed(tmp_path: Path, now: list[float]) -> None:
    """And not from an earlier time, whose events have been written since."""
    log, complaints = tmp_path / "job.log", list[str]()
    logs = UserLogs(UserLogSettings(), complaints.append)
    ad = job_ad(tmp_path)

    def flush() -> None:
        logs.add(told(ad, EVENTS[13](ad)))
        logs.flush()
        logs.retry()

    log.symlink_to("/dev/full")
    flush()
    log.unlink()
    now[0] += 80_000.0
    flush()
    assert not logs.late
    log.unlink()
    log.mkdir()
    now[0] += 80_000.0
    flush()
    assert logs.late, "it has only just failed"
    now[0] += 90_000.0
    flush()
    assert not logs.late
    assert "2 events are lost" in complaints[-1]


def test_pauses_get_longer_and_other_logs_do_not_wait(tmp_path: Path, now: list[float]) -> None:
    (tmp_path / "job.log").mkdir()
    logs = UserLogs(UserLogSettings(), lambda text: None)
    ad, other = job_ad(tmp_path), job_ad(tmp_path, UserLog='"other.log"')
    tried: list[str] = []
    original = userlog.append

    def append(path: str, *words: Any, **named: Any) -> None:
        tried.append(os.path.basename(path))
        original(path, *words, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(userlog, "append", append)
        for _ in range(100):
            logs.add(told(ad, EVENTS[13](ad)))
            logs.add(told(other, EVENTS[13](other)))
            logs.flush()
            logs.retry()
            now[0] += 1.0
    assert tried.count("other.log") == 100
    assert tried.count("job.log") == 7  # at 0, 1, 3, 7, 15, 31, 63 s


def late_logs(tmp_path: Path, now: list[float]) -> tuple[UserLogs, list[str]]:
    complaints: list[str] = []
    logs = UserLogs(UserLogSettings(), complaints.append)
    logs.late.keep_in(str(tmp_path / "late"), now[0])
    return logs, complaints


def test_what_waits_for_more_than_a_moment_outlives_the_schedd(tmp_path: Path, now: list[float]) -> None:
    log, ad = tmp_path / "job.log", job_ad(tmp_path)
    other = job_ad(tmp_path, UserLog='"other.log"')
    log.mkdir()
    (tmp_path / "other.log").mkdir()
    logs, _ = late_logs(tmp_path, now)
    for number in (0, 13):
        logs.add(told(ad, EVENTS[number](ad)))
        logs.add(told(other, EVENTS[number](other)))
    logs.flush()
    assert logs.late.jobs() == {JobId(7, 1)}, "its job stays in the queue"
    now[0] += 3.0
    logs.retry()
    assert logs.late.jobs() == set(), "now it may leave"
    log.rmdir()
    now[0] += 300.0
    logs.retry()
    log_text = log.read_text()
    logs, _ = late_logs(tmp_path, now)  # and the first one is dead
    logs.retry()
    assert log.read_text() == log_text, "what was written is not written again"
    (tmp_path / "other.log").rmdir()
    now[0] += 300.0
    logs.retry()
    assert [event.number for event in EventReader(str(tmp_path / "other.log")).all()] == [0, 13]
    assert not logs.late
    assert not list((tmp_path / "late").iterdir())


def test_a_node_of_a_dag_stays_in_the_queue_until_its_dag_can_know(tmp_path: Path, now: list[float]) -> None:
    """For an hour; condor_dagman takes a job that is neither in the queue nor ended in its log for lost."""
    ad = job_ad(tmp_path, DAGManNodesLog='"away/nodes.log"', DAGManJobId="5")
    logs, _ = late_logs(tmp_path, now)
    logs.add(told(ad, EVENTS[13](ad)))
    logs.flush()
    now[0] += 3000.0
    logs.retry()
    assert logs.late.jobs() == {JobId(7, 1)}
    now[0] += 1000.0
    logs.retry()
    assert not logs.late.jobs()


@pytest.mark.parametrize("path", ["nodes.log", "x" * 300, "file/nodes.log", "circle"])
def test_a_node_of_a_dag_may_leave_whose_log_nobody_can_write(tmp_path: Path, now: list[float], path: str) -> None:
    """Its path is no file's; what waits is written when it becomes one."""
    ad = job_ad(tmp_path, DAGManNodesLog=f'"{path}"', DAGManJobId="5")
    (tmp_path / "nodes.log").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "circle").symlink_to("circle")
    logs, complaints = late_logs(tmp_path, now)
    logs.add(told(ad, EVENTS[13](ad)))
    logs.flush()
    assert len(complaints) == 1
    now[0] += 3.0
    logs.retry()
    assert not logs.late.jobs()
    (tmp_path / "nodes.log").rmdir()
    now[0] += 100.0
    logs.retry()
    assert (tmp_path / "nodes.log").exists() == (path == "nodes.log")


def test_a_job_that_no_dag_manages_may_leave_before_its_log_of_nodes_is_written(
    tmp_path: Path, now: list[float]
) -> None:
    ad = job_ad(tmp_path, DAGManNodesLog='"nodes.log"')
    (tmp_path / "nodes.log").mkdir()
    logs, _ = late_logs(tmp_path, now)
    logs.add(told(ad, EVENTS[13](ad)))
    logs.flush()
    now[0] += 3.0
    logs.retry()
    assert not logs.late.jobs()


def test_what_was_written_and_not_noted_is_not_written_twice(tmp_path: Path, now: list[float]) -> None:
    """The schedd died when the first of two events that waited was in the log."""
    log, ad = tmp_path / "job.log", job_ad(tmp_path)
    log.mkdir()
    logs, _ = late_logs(tmp_path, now)
    for number in (0, 13):
        logs.add(told(ad, EVENTS[number](ad)))
    logs.flush()
    logs.close()
    texts = [entry.text for entry in logs.late.events_of((str(log), ad.eval_str("Owner", "") or ""))]
    log.rmdir()
    log.write_text(texts[0])
    with next((tmp_path / "late").iterdir()).open("a") as file:
        file.write('["torn')
    logs, complaints = late_logs(tmp_path, now)
    logs.retry()
    assert log.read_text() == "".join(texts)
    assert not complaints


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_an_event_whose_flush_has_failed_is_not_written_twice(
    tmp_path: Path, now: list[float], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    flushes: list[int] = []

    def fail_once(self: RealFs, handle: int) -> None:
        flushes.append(handle)
        if len(flushes) == 1:
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(RealFs, "sync", fail_once)
    ad = job_ad(tmp_path)
    logs = UserLogs(UserLogSettings(fsync=True), lambda text: None)
    logs.late.keep_in(str(tmp_path / "late"), now[0])
    for one in (0, 13):
        logs.add(told(ad, EVENTS[one](ad)))
    logs.flush()
    assert logs.late.jobs() == {JobId(7, 1)}, "its job stays until its events are on the disk"
    now[0] += 2.0
    logs.retry()
    assert [event.number for event in EventReader(str(tmp_path / "job.log")).all()] == [0, 13]
    assert not logs.late
    assert len(flushes) > 1


def test_the_events_that_wait_count_for_a_schedd_that_starts(tmp_path: Path, now: list[float]) -> None:
    queue = JobQueue(str(tmp_path / "job_queue.log"), uid_domain="example.net")
    ad = job_ad(tmp_path)
    with queue.transaction() as transaction:
        transaction.extend(submit_records(7, list(ad.local_items()), [NewProc(1, [], 5, "x")]))
    logs, _ = late_logs(tmp_path, now)
    for number in (0, 13):
        logs.add(told(ad, EVENTS[number](ad)))
    (tmp_path / "job.log").mkdir()
    logs.flush()
    (tmp_path / "job.log").rmdir()
    assert logs.logged(queue).get(JobId(7, 1)) == (0, 13)


def test_one_account_keeps_no_more_than_it_may(
    tmp_path: Path, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("condor_py.client.lateevents._MOST", 1000)
    (tmp_path / "job.log").mkdir()
    logs, complaints = late_logs(tmp_path, now)
    ad = job_ad(tmp_path)
    for _ in range(100):
        logs.add(told(ad, EVENTS[13](ad)))
        logs.flush()
    name = ad.eval_str("Owner", "") or ""
    assert sum(len(entry.text) for entry in logs.late.events_of((str(tmp_path / "job.log"), name))) <= 1000
    assert "too many events wait" in complaints[-1]


def test_the_directory_of_a_log_and_the_batch_of_a_job(tmp_path: Path) -> None:
    ad = job_ad(tmp_path, UserLog='"new/place/job.log"', JobBatchName='"night"', SubmitEventNotes='"notes"')
    write(ad, UserLogSettings(), 0)
    lines = (tmp_path / "new" / "place" / "job.log").read_text().splitlines()
    assert lines[1:] == ["    notes", "..."]  # which HTCondor loses, and by which htmap tells its jobs apart
    write(job_ad(tmp_path, JobBatchName='"night"'), UserLogSettings(), 0)
    assert '    [ JobBatchName = "night" ]' in (tmp_path / "job.log").read_text()


def test_job_ad_information_follows_every_event(tmp_path: Path) -> None:
    ad = job_ad(tmp_path, JobAdInformationAttrs='"RequestMemory, Note NoSuch"')
    write(ad, UserLogSettings(), 13, 9)
    events = EventReader(str(tmp_path / "job.log")).read()
    assert [event.number for event in events] == [13, 28, 9, 28]
    assert "RequestMemory = 128\n" in events[1].text
    assert 'Note = "x"\n' in events[1].text
    assert "NoSuch" not in events[1].text
    assert 'TriggerEventTypeName = "ULOG_JOB_ABORTED"' in events[3].text


def test_a_node_of_a_workflow_writes_both_logs(tmp_path: Path) -> None:
    ad = job_ad(tmp_path, DAGManNodesLog=f'"{tmp_path}/nodes.log"', DAGManNodesMask='"0,9"', UserLogUseXML="true")
    write(ad, UserLogSettings(), 13, 9)
    assert (tmp_path / "job.log").read_text().count("<c>") == 2
    assert [event.number for event in EventReader(str(tmp_path / "nodes.log")).read()] == [9]


def test_the_global_log_has_the_events_of_jobs_without_a_log(tmp_path: Path) -> None:
    ad = job_ad(tmp_path)
    ad.remove("UserLog")
    path = tmp_path / "EventLog"
    write(ad, UserLogSettings(event_log=EventLogSettings(str(path), format_options="JSON", attributes=("Note",))), 13)
    assert [event.number for event in EventReader(str(path)).read()] == [8, 13, 28]
    assert '"Note": "x"' in path.read_text()


def test_a_global_log_that_cannot_be_written_is_complained_about(tmp_path: Path) -> None:
    settings = UserLogSettings(event_log=EventLogSettings(str(tmp_path / "no" / "EventLog")))
    (complaint,) = write(job_ad(tmp_path), settings, 13)
    assert "global event log" in complaint or "event log" in complaint
    assert (tmp_path / "job.log").exists()


def test_what_a_log_does_not_tell_is_not_made_up(tmp_path: Path) -> None:
    """A schedd that starts looks at every log, whatever its owner has made of it, and is not held up by any."""
    queue = JobQueue(str(tmp_path / "job_queue.log"), uid_domain="example.net")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge").write_text("000 (003.000.000) 2026-11-21 07:15:18 x\n...\n")
    os.truncate(tmp_path / "huge", 1 << 40)
    with open(tmp_path / "huge", "ab") as file:
        file.write(b"\n...\n012 (003.001.000) 2026-11-21 07:15:18 x\n...\n")
    names = {1: "pipe", 2: "new", 3: "huge"}
    with queue.transaction() as transaction:
        for cluster, name in names.items():
            ad = list(job_ad(tmp_path, UserLog=f'"{name}"').local_items())
            transaction.extend(submit_records(cluster, ad, [NewProc(proc, [], 5, "x") for proc in (0, 1)]))
    complaints: list[str] = []
    logs = UserLogs(UserLogSettings(), complaints.append)
    logged = logs.logged(queue)
    found = {job: logged.get(job) for job, _ in queue.jobs()}
    assert {job: events for job, events in found.items() if events is not None} == {
        JobId(2, 0): (), JobId(2, 1): (), JobId(3, 1): (0, 12)
    }  # fmt: skip
    assert [job for job in found if logged.is_partly(job)] == [JobId(3, 1)]
    assert len(complaints) == 1


def test_what_was_written_of_a_node_its_dag_knows(tmp_path: Path) -> None:
    """A node may have no log of its own: without a look at that of its DAG a submit event would be lost with a schedd
    that dies, and the node would be submitted again."""
    queue = JobQueue(str(tmp_path / "job_queue.log"))
    (tmp_path / "nodes.log").write_text("000 (001.000.000) 2026-11-21 07:15:18 x\n...\n")
    (tmp_path / "own.log").write_text(
        "000 (002.000.000) 2026-11-21 07:15:18 x\n...\n001 (002.000.000) 2026-11-21 07:15:18 x\n...\n"
    )
    with queue.transaction() as transaction:
        for cluster, own in ((1, ""), (2, "own.log"), (3, "")):
            ad = job_ad(tmp_path, UserLog=f'"{own}"', DAGManNodesLog='"nodes.log"')
            transaction.extend(submit_records(cluster, list(ad.local_items()), [NewProc(0, [], 5, "x")]))
        ad = job_ad(tmp_path, UserLog='"own.log"', DAGManNodesLog='"nodes.log"', DAGManNodesMask='"0, 5"')
        transaction.extend(submit_records(4, list(ad.local_items()), [NewProc(0, [], 5, "x")]))
    (tmp_path / "own.log").open("a").write("000 (004.000.000) 2026-11-21 07:15:18 x\n...\n")
    logged = UserLogs(UserLogSettings(), str).logged(queue)
    found = {job.cluster: logged.get(job) for job, _ in queue.jobs()}
    assert found == {1: (0,), 2: (), 3: (), 4: (0,)}


def _event(number: int, cluster: int, proc: int) -> str:
    return f"{number:03} ({cluster:03}.{proc:03}.000) 2026-11-21 07:15:18 x\n...\n"


@pytest.fixture
def three_jobs(tmp_path: Path) -> JobQueue:
    """Jobs 1.0, 1.1 and 1.2, whose log is job.log, and 2.0 and 2.1, the second of which has other.log."""
    queue = JobQueue(str(tmp_path / "job_queue.log"), uid_domain="example.net")
    with queue.transaction() as transaction:
        ad = list(job_ad(tmp_path).local_items())
        transaction.extend(submit_records(1, ad, [NewProc(proc, [], 5, "x") for proc in range(3)]))
        procs = [NewProc(0, [], 5, "x"), NewProc(1, [("UserLog", '"other.log"')], 5, "x")]
        transaction.extend(submit_records(2, ad, procs))
    return queue


def _found(tmp_path: Path, queue: JobQueue) -> dict[str, object]:
    """What each job is known to have had: by a queue as it is, and by one that was just opened."""
    found = []
    for each in (queue, JobQueue(str(tmp_path / "job_queue.log"), uid_domain="example.net")):
        logged = UserLogs(UserLogSettings(), str).logged(each)
        found.append({str(job): logged.get(job) for job, _ in each.jobs()})
        for cluster in each.clusters():
            told = {logged.get(job) for job, _ in each.procs_of(cluster)}
            assert not logged.are_alike(cluster) or len(told) == 1
    assert found[0] == found[1]
    return dict(found[0])


def test_each_job_has_what_its_own_log_tells(tmp_path: Path, three_jobs: JobQueue) -> None:
    log, other = tmp_path / "job.log", tmp_path / "other.log"
    log.write_text("".join(_event(0, 1, proc) for proc in range(3)) + _event(0, 2, 0) + _event(5, 2, 1))
    other.write_text(_event(0, 2, 1) + _event(1, 2, 1) + _event(9, 1, 0))
    assert _found(tmp_path, three_jobs) == dict.fromkeys(("1.0", "1.1", "1.2", "2.0"), (0,)) | {"2.1": (0, 1)}
    with log.open("a") as file:
        file.write(_event(12, 1, 1))
    assert _found(tmp_path, three_jobs)["1.1"] == (0, 12)
    assert _found(tmp_path, three_jobs)["1.0"] == (0,)


def test_a_log_that_is_another_one_when_the_schedd_starts_counts_as_it_is(tmp_path: Path, three_jobs: JobQueue) -> None:
    """Nothing is kept of what a log once had: it may have been cut, replaced, taken away, or be torn."""
    log = tmp_path / "job.log"
    whole = "".join(_event(0, 1, proc) for proc in range(3))
    log.write_text(whole + _event(12, 1, 0))
    jobs = ("1.0", "1.1", "1.2")
    assert [_found(tmp_path, three_jobs)[job] for job in jobs] == [(0, 12), (0,), (0,)]
    os.truncate(log, len(_event(0, 1, 0)) * 2)
    assert [_found(tmp_path, three_jobs)[job] for job in jobs] == [(0,), (0,), ()]
    (tmp_path / "new").write_text(_event(0, 1, 2))
    os.replace(tmp_path / "new", log)
    assert [_found(tmp_path, three_jobs)[job] for job in jobs] == [(), (), (0,)]
    log.write_text("x" * len(whole))
    assert [_found(tmp_path, three_jobs)[job] for job in jobs] == [(), (), ()]
    log.write_text(whole[:-3])
    assert [_found(tmp_path, three_jobs)[job] for job in jobs] == [(0,), (0,), ()]
    log.unlink()
    assert [_found(tmp_path, three_jobs)[job] for job in jobs] == [(), (), ()]


ENDED = {
    "ExitBySignal": "true", "ExitSignal": "11", "JobCoreFileName": '"/home/core.7.1"', "RemoteUserCpu": "61.0",
    "RemoteSysCpu": "2.0", "CumulativeRemoteUserCpu": "3600.0", "CumulativeRemoteSysCpu": "86400.0",
    "BytesSent": "30.0", "BytesRecvd": "40.0", "CpusUsage": "0.5", "RequestCpus": "1", "CpusProvisioned": "2",
    "ActivationDuration": "9", "ActivationExecutionDuration": "7",
}  # fmt: skip


@pytest.mark.parametrize(("core", "line"), [(True, "(1) Corefile in: /home/core.7.1"), (False, "(0) No core file")])
def test_what_the_queue_knows_of_an_ending_is_in_its_event(tmp_path: Path, core: bool, line: str) -> None:
    ad = job_ad(tmp_path, **ENDED)
    schedd = Schedd(JobQueue(str(tmp_path / "job_queue.log"), uid_domain="example.net"), ScheddSettings(), 0)
    usage = Usage(bytes_sent=3, bytes_received=4)
    event = jobevents.terminated(schedd.state, JobId(7, 1), ad, usage, core_dumped=core, when=WHEN)
    assert event is not None
    logs = UserLogs(UserLogSettings(), str)
    logs.add(told(ad, event))
    logs.flush()
    assert (tmp_path / "job.log").read_text().splitlines()[1:-1] == [
        "\t(0) Abnormal termination (signal 11)",
        f"\t{line}",
        "\t\tUsr 0 00:01:01, Sys 0 00:00:02  -  Run Remote Usage",
        "\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage",
        "\t\tUsr 0 01:00:00, Sys 1 00:00:00  -  Total Remote Usage",
        "\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Total Local Usage",
        "\t3  -  Run Bytes Sent By Job",
        "\t4  -  Run Bytes Received By Job",
        "\t30  -  Total Bytes Sent By Job",
        "\t40  -  Total Bytes Received By Job",
        "\tPartitionable Resources :    Usage  Request Allocated ",
        "\t   Cpus                 :     0.50        1         2 ",
        "\t   Memory (MB)          :               128           ",
        "\t   TimeExecute (s)      :     7                       ",
        "\t   TimeSlotBusy (s)     :     9                       ",
    ]


def test_a_hold_has_its_codes_in_the_event(tmp_path: Path) -> None:
    logs = UserLogs(UserLogSettings(), str)
    event = JobHeld(cluster=7, proc=1, time=WHEN, reason="no file", code=13, subcode=2)
    logs.add(told(job_ad(tmp_path), event))
    logs.flush()
    assert (tmp_path / "job.log").read_text().splitlines()[1:] == ["\tno file", "\tCode 13 Subcode 2", "..."]


@pytest.mark.parametrize("fsync", [False, True])
def test_the_events_of_a_workflow_are_always_on_the_medium(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fsync: bool
) -> None:
    """HTCondor's ENABLE_USERLOG_FSYNC is about the logs of users alone: condor_dagman submits again what it misses."""
    flushed: list[str] = []
    monkeypatch.setattr(RealFs, "sync", lambda _, handle: flushed.append(os.readlink(f"/proc/self/fd/{handle}")))
    ad = job_ad(tmp_path, DAGManJobId="1", DAGManNodesLog=f'"{tmp_path}/nodes.log"')
    write(ad, UserLogSettings(fsync=fsync), 13)
    assert sorted(flushed) == [*([f"{tmp_path}/job.log"] if fsync else []), f"{tmp_path}/nodes.log"]


def node_queue(tmp_path: Path) -> JobQueue:
    """A queue with node 7.1 of a DAG, which has a log of its own."""
    queue = JobQueue(str(tmp_path / "job_queue.log"), uid_domain="example.net")
    ad = job_ad(tmp_path, DAGManJobId="1", DAGManNodesLog=f'"{tmp_path}/nodes.log"')
    with queue.transaction() as transaction:
        transaction.extend(submit_records(7, list(ad.local_items()), [NewProc(1, [], 1, "x")]))
    return queue


def tell(queue: JobQueue, logs: UserLogs, *numbers: int) -> None:
    ad = queue.job(JobId(7, 1))
    assert ad is not None
    for number in numbers:
        logs.add(told(ad, EVENTS[number](ad)))
    logs.flush()


def numbers_of(path: Path) -> list[int]:
    return [event.number for event in EventReader(str(path)).read()]


def test_an_event_that_died_between_two_logs_is_in_each_once(tmp_path: Path) -> None:
    queue = node_queue(tmp_path)
    tell(queue, UserLogs(UserLogSettings(), print), 0)
    nodes = (tmp_path / "nodes.log").read_bytes()
    tell(queue, UserLogs(UserLogSettings(), print), 13)
    (tmp_path / "nodes.log").write_bytes(nodes)  # the schedd died before it wrote this one
    logs = UserLogs(UserLogSettings(), print)
    assert logs.logged(queue).get(JobId(7, 1)) == (0,)
    tell(queue, logs, 13, 9)
    assert numbers_of(tmp_path / "job.log") == [0, 13, 9]
    assert numbers_of(tmp_path / "nodes.log") == [0, 13, 9]


def test_another_event_than_the_one_that_is_there_is_written(tmp_path: Path) -> None:
    queue = node_queue(tmp_path)
    tell(queue, UserLogs(UserLogSettings(), print), 0)
    nodes = (tmp_path / "nodes.log").read_bytes()
    tell(queue, UserLogs(UserLogSettings(), print), 13)
    (tmp_path / "nodes.log").write_bytes(nodes)
    logs = UserLogs(UserLogSettings(), print)
    logs.logged(queue)
    tell(queue, logs, 9, 13)
    assert numbers_of(tmp_path / "job.log") == [0, 13, 9, 13]


def test_the_log_of_a_dag_is_written_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A schedd that starts takes what is in it for told, in the logs of all nodes."""
    written: list[str] = []
    real = userlog.append
    monkeypatch.setattr(userlog, "append", lambda path, *a, **k: (written.append(Path(path).name), real(path, *a, **k)))
    logs = UserLogs(UserLogSettings(), print)
    for name in ("a.log", "b.log"):
        ad = job_ad(tmp_path, DAGManJobId="1", DAGManNodesLog=f'"{tmp_path}/nodes.log"', UserLog=f'"{name}"')
        logs.add(told(ad, EVENTS[13](ad)))
    logs.flush()
    assert written == ["a.log", "b.log", "nodes.log"]


def test_events_that_wait_are_tried_again_also_when_a_try_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They waited until the schedd had another event to write, or for ever."""
    logged: list[str] = []
    due: list[Callable[[], None]] = []
    ad = job_ad(tmp_path, UserLog='"away/job.log"')
    logs = UserLogs(UserLogSettings(), logged.append)
    logs.add(told(ad, EVENTS[9](ad)))
    schedd: Any = SimpleNamespace(
        userlogs=logs,
        guard=FaultGuard(logged.append),
        loop=SimpleNamespace(after=lambda seconds, call: due.append(call)),
        _logs_due=False,
    )
    for name in ("_flush_logs", "_retry_logs"):
        setattr(schedd, name, MethodType(getattr(ScheddDaemon, name), schedd))

    def fails(*words: Any) -> None:
        raise RecursionError("too deep")

    schedd._flush_logs()
    (tmp_path / "away").mkdir()
    with monkeypatch.context() as broken:
        broken.setattr(logs, "retry", fails)
        due.pop()()
    assert "RecursionError" in logged[-1]
    monkeypatch.setattr(logs.late, "due", lambda moment: LateEvents.due(logs.late, moment + 10.0))
    due.pop()()
    assert "(007.001.000)" in (tmp_path / "away" / "job.log").read_text()
    assert due == []
