"""Many new jobs written as lines: the bytes are those that their records give."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.client import submission as submission_module
from condor_py.client.submission import SubmittedCluster, submission
from condor_py.client.submitevents import write_submit_events
from condor_py.client.userlog import UserLogs
from condor_py.model.errors import CondorError
from condor_py.model.settings.userlog import UserLogSettings
from condor_py.store import logreader
from condor_py.store import records as records_module
from condor_py.store.adlog import format_entries
from condor_py.store.event_log import EventReader
from condor_py.store.job_queue import JobQueue

pytestmark = pytest.mark.skipif(not logreader.COMPILED, reason="the extension is not built")

VALUES = {
    "Args": ['"1"', '"a b"', '"ü"', '""', "undefined"], "JobStatus": ["1", "5", "2", '"5"'], "Owner": ['"eve"'],
    "ProcId": ["99"], "jobstatus": ["5"], "Out": ['"o.1"'], "ClaimId": ['"x"'], "JobNice": ["5"], "X_1": ["1 +  2"],
    "KillSig": ['"TERM"'], "JobPrio": ["3"],
}  # fmt: skip
BAD = [("JobNice", "50"), ("Args", '"a\n"'), ("Args", '"\0"'), ("KillSig", '"NONE"')]


def made(rng: random.Random, bad: bool) -> list[list[tuple[str, str]]]:
    names = rng.sample(list(VALUES), rng.randrange(5))
    count = rng.randrange(40)
    procs = [[(name, rng.choice(VALUES[name])) for name in names if rng.random() < 0.9] for _ in range(count)]
    if bad and procs:
        rng.choice(procs).append(rng.choice(BAD))
    return procs


def records(clusters: list[SubmittedCluster], queue: JobQueue) -> bytes | str:
    try:
        return format_entries(submission(queue, clusters, "alice", "alice@x", 'the "schedd"', 1000))
    except (CondorError, ValueError) as error:
        return f"{type(error).__name__} {error}"


def test_lines_and_records_are_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, quick, queue = random.Random(4), 0, JobQueue(str(tmp_path / "job_queue.log"), readonly=True)
    monkeypatch.setattr(submission_module, "_TOGETHER", 4)
    one_pass = records_module.job_lines
    for number in range(300):
        ad = [("Cmd", '"/bin/true"'), ("Owner", '"eve"'), *([("JobStatus", "5")] if number % 7 == 0 else [])]
        clusters = [SubmittedCluster(at, ad, made(rng, rng.random() < 0.1)) for at in (7, 8)]
        found = []
        for function in (one_pass, lambda *_: None):
            used: list[object] = []

            def job_lines(*words: object, make: Callable[..., object] = function, log: list[object] = used) -> object:
                log.append(make(*words))
                return log[-1]

            monkeypatch.setattr(records_module, "job_lines", job_lines)
            found.append(records(clusters, queue))
            quick += any(lines is not None for lines in used)
        assert found[0] == found[1]
    assert quick > 60


def test_whoever_submits_without_a_schedd_tells_of_every_job(tmp_path: Path) -> None:
    queue = JobQueue(str(tmp_path / "job_queue.log"))
    ad = [("UserLog", f'"{tmp_path}/log"'), ("Iwd", '"/"'), ("Owner", '""'), ("SubmitEventNotes", '"all"')]
    procs = [[("Args", f'"{proc}"')] for proc in range(40)]
    procs[5].append(("SubmitEventNotes", '"five"'))
    procs[6].append(("UserLog", f'"{tmp_path}/six"'))
    with queue.transaction() as transaction:
        transaction.extend(submission(queue, [SubmittedCluster(3, ad, procs)], "root", "root@x", "s", 1000))
    assert queue.count() == 40
    queue.close()
    reader = JobQueue(queue.path, readonly=True)
    write_submit_events(reader, [3], UserLogs(UserLogSettings(), print), "<here>", 1000)
    reader.close()
    told = {event.proc: event.text for name in ("log", "six") for event in EventReader(str(tmp_path / name)).all()}
    assert sorted(told) == list(range(40))
    assert [proc for proc, text in told.items() if "five" in text] == [5]
    assert {text.replace(f"(003.{proc:03d}.", "(003.P.") for proc, text in told.items() if proc not in (5, 6)} == {
        told[0].replace("(003.000.", "(003.P.")
    }
    assert len(EventReader(str(tmp_path / "six")).all()) == 1


def test_what_a_schedd_told_before_it_died_is_not_told_again(tmp_path: Path) -> None:
    queue = JobQueue(str(tmp_path / "job_queue.log"))
    ad = [("UserLog", f'"{tmp_path}/log"'), ("Iwd", '"/"'), ("Owner", '""')]
    with queue.transaction() as transaction:
        transaction.extend(submission(queue, [SubmittedCluster(3, ad, [[]] * 20)], "root", "root@x", "s", 1000))
    logs = UserLogs(UserLogSettings(), print)
    write_submit_events(queue, [3], logs, "<here>", 1000)
    whole = (tmp_path / "log").read_text()
    (tmp_path / "log").write_text("".join(f"{event}...\n" for event in whole.split("...\n")[:7]))
    for _ in range(2):
        write_submit_events(queue, [3], logs, "<here>", 1000)
        assert (tmp_path / "log").read_text() == whole
    queue.close()
