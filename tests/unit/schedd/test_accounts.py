"""What the queue says about time and usage: of the last run, of all runs, and of all jobs of a user."""

from __future__ import annotations

import pytest
from world import World

from condor_py.core.jobs.effects import UserEvent
from condor_py.core.jobs.events import JobsRecorded
from condor_py.core.jobs.jobad import submitter_of
from condor_py.lang.classad import ClassAd
from condor_py.lang.events import JobEvicted, JobTerminated
from condor_py.model.ids import JobId
from condor_py.model.report import Usage

START = 1000


@pytest.fixture
def twice() -> tuple[World, JobId]:
    """A job on two cores: submitted at 1000, 10 s of set-up, evicted after 95 s; then a second run to the end.

    All moments of the second run differ from each other, from those of the reports, and from the first run's.
    """
    world = World()
    world.slot_cpus = 2
    world.connect()
    (job,) = world.submit(1, LeaveJobInQueue="true", QDate="900")
    world.match(job)
    world.now = 1010
    world.started(job)
    world.now = 1110
    usage = Usage(60.0, 6.5, bytes_sent=100, bytes_received=30, files_sent=2, files_received=1)
    world.ended(
        job, vacated=True, pid=4711, start_time=1001.0, exec_time=1009.0, end_time=1105.0, usage=usage,
        output_transfer=(1106.0, 1108.0),
    )  # fmt: skip
    assert world.core.runs[job].number == 2, "the claim took its job again"
    world.now = 1115
    world.started(job)
    world.now = 1190
    usage = Usage(30.0, 4.0, bytes_sent=10, bytes_received=3, files_sent=1, files_received=1)
    world.ended(
        job, exit_code=3, pid=4712, start_time=1112.0, exec_time=1114.0, end_time=1164.0, usage=usage,
        input_transfer=(1112.5, 1113.5), output_transfer=(1165.0, 1175.0),
    )  # fmt: skip
    assert world.status(job) == 4
    return world, job


@pytest.mark.parametrize(
    ("name", "text"),
    [
        # The schedd's own clock: from the start of each run to the end of its clean-up, times the slot weight of 2.
        ("LastRemoteWallClockTime", "80.0"),
        ("RemoteWallClockTime", "190.0"),
        ("CumulativeSlotTime", "380.0"),
        # Only what the run that finished took counts as committed, as the starter measured it.
        ("CommittedTime", "52"),
        ("CommittedSlotTime", "104.0"),
        ("CompletionDate", "1164"),
        ("RemoteUserCpu", "30.0"),
        ("RemoteSysCpu", "4.0"),
        ("CumulativeRemoteUserCpu", "90.0"),
        ("CumulativeRemoteSysCpu", "10.5"),
        ("CpusUsage", "0.68"),
        ("ActivationSetupDuration", "5"),
        ("ActivationExecutionDuration", "50"),
        ("ActivationDuration", "63"),
        ("ActivationTeardownDuration", "11"),
        ("BytesSent", "110.0"),
        ("BytesRecvd", "33.0"),
        (
            "TransferOutputStats",
            "[ CedarSizeBytesTotal = 110; CedarFilesCountTotal = 3; CedarSizeBytesLastRun = 10;"
            " CedarFilesCountLastRun = 1 ]",
        ),
        ("InitialWaitDuration", "100"),
        ("JobStartDate", "1000"),
        ("JobLastStartDate", "1000"),
        ("JobCurrentStartDate", "1110"),
        ("JobCurrentFinishTransferOutputDate", "1175"),
        ("NumJobStarts", "2"),
        ("JobRunCount", "2"),
        ("NumJobMatches", "2"),
        ("NumOutputTransferStarts", "2"),
        ("NumVacates", "1"),
        ("LastVacateTime", "1110"),
        ("ExitCode", "3"),
        ("NumJobCompletions", "1"),
    ],
)
def test_after_two_runs(twice: tuple[World, JobId], name: str, text: str) -> None:
    world, job = twice
    ad = world.queue.job(job)
    assert ad is not None
    assert ad.text(name) == text


def test_totals_of_the_user_and_fields_of_the_events(twice: tuple[World, JobId]) -> None:
    world, job = twice
    evicted, terminated = (effect.event for effect in world.told(UserEvent) if effect.event.number in (4, 5))
    assert isinstance(evicted, JobEvicted)
    assert isinstance(terminated, JobTerminated)
    assert evicted.run_remote == (60.0, 6.5)
    assert (terminated.run_remote, terminated.total_remote) == ((30.0, 4.0), (90.0, 10.5))
    cells = dict(terminated.resources)
    assert (cells["TimeExecuteUsage"], cells["TimeSlotBusyUsage"]) == ("50", "63")
    assert (cells["CpusUsage"], cells["RequestCpus"], cells["Cpus"]) == ("0.68", "1", "2")
    assert "AssignedCpus" not in cells
    user = world.queue.user
    user.set_int("TotalCompletedJobs", 7)
    user.set_real("CompletedJobsCpuTime", 1000.0)
    user.set_int("CompletedJobsSlotTime", 5000)
    world.core.handle(JobsRecorded([job]), world.now)
    world.turn()
    names = ("TotalCompletedJobs", "CompletedJobsCpuTime", "CompletedJobsSlotTime")
    assert [user.evaluate(name) for name in names] == [8, 1034.0, 5380]


def test_a_run_that_was_nearly_too_short_to_measure_has_no_cpus_usage(twice: tuple[World, JobId]) -> None:
    world, _ = twice
    (job,) = world.submit(2, LeaveJobInQueue="true")
    world.match(job)
    world.started(job)
    world.ended(job, exit_code=0, pid=1, exec_time=1190.0, start_time=1190.0, end_time=1190.9)
    ad = world.queue.job(job)
    assert ad is not None
    assert ad.text("CpusUsage") is None
    assert ad.text("ActivationExecutionDuration") == "0"


def test_a_crash_with_a_core_names_its_file() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1, LeaveJobInQueue="true", Iwd='"/home/alice"')
    world.match(job)
    world.started(job)
    world.ended(job, exit_signal=11, core_dumped=True)
    ad = world.queue.job(job)
    assert ad is not None
    names = ("ExitBySignal", "ExitSignal", "ExitCode", "JobCoreDumped", "JobCoreFileName", "ExitReason")
    reason = '"died on signal 11 (Segmentation fault)"'
    assert [ad.text(name) for name in names] == ["true", "11", None, "true", '"/home/alice/core.1.0"', reason]


@pytest.mark.parametrize(
    ("owner", "user", "submitter"),
    [
        ("alice", "alice@example.net", "alice@d"),
        ("alice@example.net", "alice@example.net", "alice@d"),
        ("alice@dom.example", "alice@dom.example@example.net", "alice@dom.example@d"),
        (None, "alice@example.net", "alice@d"),
        ("alice@example.net", None, "alice@d"),
    ],
)
def test_the_submitter_of_an_account_that_has_an_at_sign(owner: str | None, user: str | None, submitter: str) -> None:
    """The usage of one account is no other's."""
    texts = {"Owner": owner, "User": user}
    ad = ClassAd.from_text_items([(name, f'"{text}"') for name, text in texts.items() if text is not None])
    assert submitter_of(ad, "d") == submitter
