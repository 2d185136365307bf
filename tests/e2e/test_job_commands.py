"""Submit commands and knobs about the life of jobs, through the real tools and daemons."""

from __future__ import annotations

import json
import os
import stat
import threading
import time
from collections.abc import Iterator
from getpass import getuser
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from pool import PersonalPool, wait_for


def numbers(pool: PersonalPool, log: str = "job.log") -> list[int]:
    """The events of a log without image sizes."""
    return [number for number, _ in pool.events(log) if number != 6]


def held(pool: PersonalPool, cluster: int) -> list[str]:
    """Code, subcode and reason of a hold."""
    wait_for(lambda: pool.status_of(f"{cluster}.0") == 5, "the job is held")
    names = ("HoldReasonCode", "HoldReasonSubCode", "HoldReason", "NumHolds")
    return pool.tool("condor_q", str(cluster), "-af:t", *names).stdout.strip().split("\t")


def test_periodic_policies_and_allowed_durations(pool: PersonalPool) -> None:
    pool.configure("PERIODIC_EXPR_INTERVAL = 1\n")
    sleep = "executable = /bin/sleep\narguments = 100\n"
    hold = pool.submit(
        f'{sleep}log = hold.log\nperiodic_hold = NumJobStarts > 0\nperiodic_hold_reason = strcat("n", NumJobStarts)\n'
        "periodic_hold_subcode = 42\nqueue\n"
    )
    late = pool.submit(f"{sleep}log = late.log\nallowed_execute_duration = 1\nqueue\n")
    gone = pool.submit(f"{sleep}log = gone.log\nperiodic_remove = NumJobStarts > 0\nqueue\n")
    again = pool.submit(f"{sleep}log = again.log\nperiodic_vacate = NumShadowStarts == 1 && NumJobStarts == 1\nqueue\n")
    assert held(pool, hold) == ["3", "42", "n1", "1"]
    assert held(pool, late) == ["47", "0", "The job exceeded allowed execute duration of 00:01", "1"]
    wait_for(lambda: numbers(pool, "hold.log") == numbers(pool, "late.log") == [0, 1, 12], "their logs tell of it")
    wait_for(lambda: pool.status_of(f"{gone}.0") is None, "one is removed")
    assert numbers(pool, "gone.log") == [0, 1, 9]
    wait_for(lambda: numbers(pool, "again.log") == [0, 1, 4, 1], "one is vacated once")
    assert "Code 1000 Subcode 0" in (pool.work / "again.log").read_text()
    assert again


def test_noop_jobs_end_without_a_slot(pool: PersonalPool) -> None:
    pool.configure("START = false\n")
    cluster = pool.submit("executable = /bin/true\nnoop_job = true\nnoop_job_exit_code = 5\nlog = job.log\nqueue\n")
    pool.wait("job.log")
    assert numbers(pool) == [0, 5]
    wait_for(lambda: pool.history("ClusterId", "ExitCode", "JobStatus") == [[str(cluster), "5", "4"]], "recorded")


def test_retries(pool: PersonalPool) -> None:
    text = "executable = /bin/false\nlog = {0}.log\n{1}\nqueue\n"
    pool.submit(text.format("all", "max_retries = 2"))
    pool.submit(text.format("until", "max_retries = 9\nretry_until = NumJobCompletions == 2"))
    pool.submit(text.format("success", "max_retries = 9\nsuccess_exit_code = 1"))
    for log, runs in (("all", 3), ("until", 2), ("success", 1)):
        pool.wait(f"{log}.log")
        assert numbers(pool, f"{log}.log") == [0, *[1, 4] * (runs - 1), 1, 5]


def test_a_job_that_repeats(pool: PersonalPool) -> None:
    half_an_hour_from_now = (time.localtime().tm_min + 30) % 60  # not while we look
    cluster = pool.submit(
        f"executable = /bin/true\nlog = job.log\ncron_minute = {half_an_hour_from_now}\n"
        "cron_prep_time = 3600\non_exit_remove = false\nqueue\n"
    )
    ((due, queued),) = pool.queue("DeferralTime", "QDate")
    assert (int(due) % 60, time.localtime(int(due)).tm_min) == (0, half_an_hour_from_now)
    assert 1600 < int(due) - int(queued) <= 1800
    wait_for(lambda: pool.status_of(f"{cluster}.0") == 2, "it waits in its slot")
    assert numbers(pool) == [0]
    bad = pool.submit("executable = /bin/true\nlog = bad.log\ncron_hour = x\nqueue\n")
    assert held(pool, bad)[:3] == [
        "25", "0", "Invalid cron schedule parameters: Invalid parameter value 'x' for CronHour"
    ]  # fmt: skip


def test_condor_now(pool: PersonalPool) -> None:
    two = pool.submit("executable = /bin/sleep\narguments = 100\nrequest_cpus = 2\nlog = two.log\nqueue 2\n")
    wait_for(lambda: pool.queue("JobStatus") == [["2"], ["2"]], "both run")
    wide = pool.submit("executable = /bin/sleep\narguments = 100\nlog = wide.log\nrequest_cpus = 4\nqueue\n")
    other = pool.submit("executable = /bin/sleep\narguments = 100\npriority = 20\nlog = other.log\nqueue\n")
    done = pool.tool("condor_now", f"{two}.0", f"{two}.1", check=False)
    assert (done.returncode, done.stderr) == (1, "Unable to reassign slot: the now-job must be idle.\n")
    done = pool.tool("condor_now", "999999.0", f"{two}.1", check=False)
    assert done.stderr == "Unable to reassign slot: no such job (now-job).\n"
    pool.tool("condor_now", f"{wide}.0", f"{two}.0", f"{two}.1")
    wait_for(lambda: pool.status_of(f"{wide}.0") == 2, "the wide job runs")
    assert {pool.status_of(f"{two}.0"), pool.status_of(f"{two}.1"), pool.status_of(f"{other}.0")} == {1}


def test_starts_are_paced(pool: PersonalPool) -> None:
    pool.configure("JOB_START_DELAY = 2\n")
    pool.submit("executable = /bin/sleep\narguments = 100\nlog = job.log\nqueue 3\n")
    wait_for(lambda: numbers(pool).count(1) == 3, "all run")
    starts = sorted(int(row[0]) for row in pool.queue("JobCurrentStartDate"))
    assert starts[1] - starts[0] >= 2
    assert starts[2] - starts[1] >= 2


def test_signals_of_scheduler_universe_jobs(pool: PersonalPool) -> None:
    program = pool.work / "tell.sh"
    program.write_text(
        "#!/bin/sh\ntrap 'echo rm >>told; exit' USR1\ntrap 'echo hold >>told; exit' USR2\n"
        "trap 'echo kill >>told; exit' HUP\necho up >>told\nwhile :; do sleep 0.05; done\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    cluster = pool.submit(
        f"universe = scheduler\nexecutable = {program}\nlog = job.log\n"
        "kill_sig = SIGHUP\nremove_kill_sig = SIGUSR1\nhold_kill_sig = 12\nqueue\n"
    )
    told = pool.work / "told"

    def runs(lines: int) -> None:
        wait_for(lambda: told.exists() and len(told.read_text().split()) == lines, f"it runs ({lines})")

    runs(1)
    pool.tool("condor_hold", str(cluster))
    runs(2)
    wait_for(lambda: numbers(pool)[-1] == 12, "it is held")
    pool.tool("condor_release", str(cluster))
    runs(3)
    pool.tool("condor_vacate_job", str(cluster))
    runs(5)
    pool.tool("condor_rm", str(cluster))
    wait_for(lambda: pool.status_of(f"{cluster}.0") is None, "it is gone")
    assert told.read_text().split() == ["up", "hold", "up", "kill", "up", "rm"]


@pytest.fixture
def posted() -> Iterator[tuple[str, list[dict[str, object]]]]:
    """The URL of a server, and the documents that are posted there."""
    found: list[dict[str, object]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/hooks", found
    server.shutdown()
    server.server_close()


def test_mail_notices_event_log_and_records_of_runs(
    pool: PersonalPool, tmp_path: Path, posted: tuple[str, list[dict[str, object]]]
) -> None:
    url, documents = posted
    mailer = tmp_path / "mailer"
    mailer.write_text(f'#!/bin/sh\n{{ echo "$@"; cat; }} >>{tmp_path}/mails\n')
    mailer.chmod(0o755)
    pool.configure(
        f"MAIL = {mailer}\nSENDMAIL = /nonexistent\nEVENT_LOG = {tmp_path}/EventLog\nEVENT_LOG_MAX_SIZE = 1500\n"
        f"EVENT_LOG_JOB_AD_INFORMATION_ATTRS = Owner\nPER_JOB_HISTORY_DIR = {tmp_path}\nNOTIFY_URLS = {url}\n"
    )
    first = pool.submit("executable = /bin/false\nnotification = error\nnotify_user = me@vm\nlog = job.log\nqueue\n")
    second = pool.submit(f"executable = /bin/true\nnotify_url = {url}/a\nqueue\n")
    pool.wait("job.log")
    wait_for(lambda: (tmp_path / "mails").exists() and "exited normally" in (tmp_path / "mails").read_text(), "a mail")
    mails = (tmp_path / "mails").read_text()
    assert mails.startswith(f"-s [Condor] Condor Job {first}.0 me@vm\n")
    assert mails.count("-s [Condor]") == 1
    wait_for(lambda: documents, "a notice")
    assert [(one["job"], one["event"], one["exit_code"]) for one in documents] == [(f"{second}.0", "completed", 0)]
    wait_for(lambda: len(pool.history("ClusterId")) == 2, "both are recorded")
    record = tmp_path / f"history.{second}.0"
    wait_for(lambda: f"ClusterId = {second}\n" in record.read_text(), "and in a file of its own")
    asked = ("-epochs", "-type", "ALL", "-forwards", str(first), str(second), "-af", "ClusterId", "EpochAdType")
    runs = pool.tool("condor_history", *asked).stdout
    expected = {f"{cluster} {kind}" for cluster in (first, second) for kind in ("EPOCH", "SPAWN")}
    assert sorted(runs.splitlines()) == sorted(expected)
    htcondor2 = pytest.importorskip("htcondor2")
    seen = []
    for name in ("EventLog.old", "EventLog"):
        events = list(htcondor2.JobEventLog(str(tmp_path / name)).events(stop_after=0))
        assert int(events[0].type) == 8
        seen += [(event.cluster, int(event.type)) for event in events[1:]]
    assert {(first, 5), (first, 28), (second, 5)} & set(seen)


def test_the_master_preens(pool: PersonalPool) -> None:
    pool.configure("PREEN_INTERVAL = 1\nPREEN_ARGS = -r\n")
    junk = pool.spool / "junk"
    junk.write_text("x")
    old = time.time() - 4000
    os.utime(junk, (old, old))
    wait_for(lambda: not junk.exists(), "it is removed")
    wait_for(lambda: "junk - Removed" in pool.logged("MasterLog"), "the master says so")
    assert (pool.spool / "job_queue.log").exists()


def test_the_log_of_the_schedd_tells_what_becomes_of_jobs(pool: PersonalPool) -> None:
    cluster = pool.submit("executable = /bin/sleep\narguments = 1000\nqueue\n")
    for command in ("condor_hold", "condor_release", "condor_rm"):
        pool.tool(command, f"{cluster}.0")
    wait_for(lambda: pool.status_of(f"{cluster}.0") is None, "the job has left")
    told = [line.partition(") ")[2] for line in pool.logged("SchedLog").splitlines()]
    assert [line for line in told if line.startswith(("Job ", "New jobs "))] == [
        f"New jobs of {getuser()}: cluster {cluster}",
        f"Job {cluster}.0 put on hold: via condor_hold (by user {getuser()})",
        f"Job {cluster}.0 released from hold: via condor_release (by user {getuser()})",
        f"Job {cluster}.0 aborted: via condor_rm (by user {getuser()})",
    ]
