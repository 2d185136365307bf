"""E-mails about jobs: who gets one of what, and HTCondor's words."""

from __future__ import annotations

import pytest
from world import World

from condor_py.core.jobs.actions import perform
from condor_py.core.jobs.effects import Mail
from condor_py.model.ids import JobId
from condor_py.model.report import Usage

NEVER, ALWAYS, COMPLETE, ERROR, START = "01234"
CASES = [
    (NEVER, {"exit_code": 1}, []),
    (ALWAYS, {"exit_code": 0}, ["Condor Job 1.0"]),
    (COMPLETE, {"exit_code": 0}, ["Condor Job 1.0"]),
    (ERROR, {"exit_code": 0}, []),
    (ERROR, {"exit_code": 1}, ["Condor Job 1.0"]),
    (ERROR, {"exit_signal": 9}, ["Condor Job 1.0"]),
    (START, {"exit_code": 0}, ["Condor Job 1.0 has started"]),
    (ERROR, {"hold_code": 13, "hold_reason": "no file"}, ["Condor Job 1.0 put on hold"]),
    (COMPLETE, {"hold_code": 13, "hold_reason": "no file"}, []),
]


def run(**attributes: str) -> tuple[World, JobId]:
    world = World()
    world.connect()
    (job,) = world.submit(1, **attributes)
    world.match(job)
    world.started(job)
    return world, job


def mails(world: World) -> list[Mail]:
    return [effect for effect in world.seen if isinstance(effect, Mail)]


@pytest.mark.parametrize(("wish", "ending", "subjects"), CASES)
def test_who_wants_what(wish: str, ending: dict[str, object], subjects: list[str]) -> None:
    world, job = run(JobNotification=wish)
    world.ended(job, **ending)
    assert [mail.subject for mail in mails(world)] == subjects
    assert {mail.to for mail in mails(world)} <= {"alice@example.net"}


@pytest.mark.parametrize(("wish", "count"), [(ALWAYS, 1), (ERROR, 0)])
def test_a_hold_that_the_job_asked_for_is_no_error(wish: str, count: int) -> None:
    world, job = run(JobNotification=wish, OnExitHold="true")
    world.ended(job, exit_code=0)
    assert len(mails(world)) == count


def test_a_hold_by_hand_sends_nothing() -> None:
    world, job = run(JobNotification=ALWAYS)
    ad = world.queue.job(job)
    assert ad is not None
    world.written(perform("hold", job, ad, actor="alice", reason=None, subcode=None, now=world.now)[1])
    world.ended(job, vacated=True, exit_signal=15)
    assert mails(world) == []


def test_the_text_of_an_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    world, job = run(
        JobNotification=ALWAYS, Cmd='"/bin/false"', Args='"1 2"', Iwd='"/home/alice"', NotifyUser='"bob, a@b.c"',
        EmailAttributes='"RequestCpus, Owner, NoSuch"', ImageSize="35",
    )  # fmt: skip
    world.now += 3700
    world.ended(job, exit_code=1, usage=Usage(61.0, 10.5, bytes_sent=1024, bytes_received=1_600_000))
    (mail,) = mails(world)
    assert mail.to == "bob, a@b.c"
    lines = mail.text.split("\n")
    assert lines[:3] == ["Condor job 1.0", "\t/bin/false 1 2", "\tsubmitted from directory /home/alice"]
    assert lines[3:5] == ["exited normally with status 1", ""]
    assert [
        line for line in lines if line.startswith(("Real", "Virtual", "Allocation", "Remote ", "Total Remote"))
    ] == [
        "Real Time:             0+01:01:40",
        "Virtual Image Size:  35 Kilobytes",
        "Allocation/Run time:       0+01:01:40",
        "Remote User CPU Time:      0+00:01:01",
        "Remote System CPU Time:    0+00:00:10",
        "Total Remote CPU Time:     0+00:01:11",
        "Allocation/Run time:       0+01:01:40",
    ]
    assert "    1.5 MB Run Bytes Received By Job\n    1.0 KB Run Bytes Sent By Job\n" in mail.text
    assert "    1.5 MB Total Bytes Received By Job\n" in mail.text
    assert mail.text.endswith('\n\nRequestCpus = 1\nOwner = "alice"\n')


def test_the_line_about_a_program_that_could_not_be_executed() -> None:
    world, _ = run(JobNotification=ERROR, Cmd='"/no/such"', Arguments='"a b"', Iwd='"/home/alice"')
    world.ended(JobId(1, 0), hold_code=6, hold_subcode=2, hold_reason="Failed to execute '/no/such'")
    (mail,) = mails(world)
    assert mail.subject == "Condor Job 1.0 put on hold"
    begin, end = mail.text.split("\nis being put on hold.\n\n")
    assert begin == "Condor job 1.0\n\t/no/such a b\n\tsubmitted from directory /home/alice\n"
    assert end == "Error from slot1_1@vm: Failed to execute '/no/such'"
