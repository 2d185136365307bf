"""E-mails about jobs: who gets one of what, and HTCondor's words."""

from __future__ import annotations

import json

import pytest
from world import World

from condor_py.core.jobs import notify
from condor_py.core.jobs.actions import perform
from condor_py.core.jobs.effects import Mail, Notify
from condor_py.model.ids import JobId
from condor_py.model.notices import Notice
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


def notices(world: World) -> list[Notice]:
    return [effect.notice for effect in world.seen if isinstance(effect, Notify)]


URL = "https://hooks.example/a"


@pytest.mark.parametrize(("wish", "ending", "subjects"), CASES)
def test_a_url_gets_what_a_mail_would_say_and_no_mail_is_sent(
    wish: str, ending: dict[str, object], subjects: list[str]
) -> None:
    world, job = run(JobNotification=wish, NotifyUrl=f'"{URL}"')
    world.ended(job, **ending)
    assert [notice.url for notice in notices(world)] == [URL] * len(subjects)
    assert mails(world) == []


def test_who_names_an_address_as_well_gets_both() -> None:
    world, job = run(JobNotification=COMPLETE, NotifyUrl=f'"{URL}"', NotifyUser='"bob@example.net"')
    world.ended(job, exit_code=0)
    assert (len(notices(world)), len(mails(world))) == (1, 1)


def test_the_document_of_a_notice() -> None:
    world, job = run(
        JobNotification=COMPLETE, NotifyUrl=f'"{URL}"', JobBatchName='"night \udcff"', Cmd='"/home/alice/run.sh"',
        Args='"--password secret"', QDate="1700000000",
    )  # fmt: skip
    world.ended(job, exit_signal=9)
    (notice,) = notices(world)
    found = json.loads(notice.document)
    assert (notice.owner, notice.job, notice.line) == ("alice", "1.0", found["text"])
    assert found["text"] == "Job 1.0 (night ?) of alice died on signal 9 (Killed)"
    assert {name: found[name] for name in ("version", "event", "job", "owner", "command", "submitted", "time")} == {
        "version": 1, "event": "completed", "job": "1.0", "owner": "alice", "command": "run.sh",
        "submitted": 1700000000, "time": world.now,
    }  # fmt: skip
    assert (found["exit_code"], found["exit_signal"]) == (None, 9)
    assert "secret" not in notice.document


def test_a_notice_of_a_hold_has_its_reason_and_is_short() -> None:
    world, job = run(JobNotification=ERROR, NotifyUrl=f'"{URL}"', JobBatchName=f'"{"n" * 90_000}"')
    world.ended(job, hold_code=13, hold_reason="no file" * 10_000)
    (notice,) = notices(world)
    found = json.loads(notice.document)
    assert (found["event"], found["reason_code"], found["exit_code"]) == ("held", 13, None)
    assert "no file" in found["text"]
    assert len(notice.document) + len(notice.line) < 6_000


@pytest.mark.parametrize("url", ["1 + 1", "undefined", "error", '""', "NotifyUrl"])
def test_a_url_that_is_no_text_is_none(url: str) -> None:
    world, job = run(JobNotification=COMPLETE, NotifyUrl=url)
    world.ended(job, exit_code=0)
    assert notices(world) == []


def test_a_desktop_gets_notices_as_well() -> None:
    world, job = run(JobNotification=COMPLETE)
    world.core.state.settings = world.core.settings.changed(notify_desktop=True)
    world.ended(job, exit_code=0)
    assert [(notice.url, notice.line) for notice in notices(world)] == [
        ("", "Job 1.0 of alice exited normally with status 0")
    ]
    assert len(mails(world)) == 1


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0.0, "0.0 B "), (1023.0, "1023.0 B "), (1024.0, "1.0 KB"), (1536.0, "1.5 KB"), (100 * 1024.0**2, "100.0 MB"),
        (1000 * 1024.0**3, "1000.0 GB"), (1000 * 1024.0**4, "1000.0 TB"), (5000 * 1024.0**4, "5000.0 TB"),
    ],
)  # fmt: skip
def test_amounts_have_units(amount: float, text: str) -> None:
    assert notify._metric(amount) == text
