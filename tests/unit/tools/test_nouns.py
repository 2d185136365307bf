"""htcondor NOUN VERB: what it reads (sets of jobs, event logs, ads of daemons) and what it says of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from tool_runner import Spool, run

from condor_py.bindings.submit import Submit
from condor_py.cli.nouns import ep, health, snake
from condor_py.cli.nouns.jobset import read_set
from condor_py.cli.nouns.parser import described
from condor_py.cli.nouns.words import duration, size
from condor_py.core.jobs.jobsets import job_sets
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError

_SET = """# trips
name = Trips
iterator = table From,To {
    wisconsin,iowa   # west
    iowa,illinois
}
job {
    executable = /bin/echo
    arguments = $(From) $(to)
}
job A=To B=From {
    executable = /bin/echo
    arguments = $(a) $(B)
}
"""
_LOG = """000 (012.000.000) 2026-11-20 10:00:00 Job submitted from host: <127.0.0.1:9618?x>
...
000 (012.001.000) 2026-11-20 10:00:00 Job submitted from host: <127.0.0.1:9618?x>
...
001 (012.000.000) 2026-11-20 10:01:00 Job executing on host: <127.0.0.1:9618?x>
\tSlotName: slot1_1@here
\tGLIDEIN_ResourceName = "Madison"
...
004 (012.000.000) 2026-11-20 10:02:00 Job was evicted.
\t(0) Job terminated and was requeued
\t\tUsr 0 00:00:10, Sys 0 00:00:05  -  Run Remote Usage
\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage
\t0  -  Run Bytes Sent By Job
\t0  -  Run Bytes Received By Job
...
001 (012.000.000) 2026-11-20 10:03:00 Job executing on host: <127.0.0.1:9618?x>
\tSlotName: slot1_2@here
...
005 (012.000.000) 2026-11-20 10:05:30 Job terminated.
\t(1) Normal termination (return value 0)
\t\tUsr 0 00:01:10, Sys 0 00:00:05  -  Run Remote Usage
\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage
\t\tUsr 0 00:01:20, Sys 0 00:00:10  -  Total Remote Usage
\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Total Local Usage
\t0  -  Run Bytes Sent By Job
\t0  -  Run Bytes Received By Job
\t0  -  Total Bytes Sent By Job
\t0  -  Total Bytes Received By Job
...
009 (012.001.000) 2026-11-20 10:06:00 Job was aborted.
...
"""


def test_a_set_of_jobs_is_read(tmp_path: Path) -> None:
    (tmp_path / "trips.set").write_text(_SET)
    found = read_set(str(tmp_path / "trips.set"))
    assert found.name == "Trips"
    assert found.items == [{"From": "wisconsin", "To": "iowa"}, {"From": "iowa", "To": "illinois"}]
    assert [job.split("\n")[1] for job in found.jobs] == ["arguments = $(From) $(to)", "arguments = $(To) $(From)"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("iterator = table A {\n1\n}\n", "Required name not found in {path}"),
        ("name = x\n", "Required iterator not found in {path}"),
        ("name =\n", "Blank job set name found in {path} at line 1."),
        ("name = x\nname = y\n", "Job set name can only be set once, second name found in {path} at line 2."),
        ("colour = x\n", 'Unrecognized command "colour" in {path} at line 1.'),
        ("name = x\niterator = list A {\n", 'Unknown iterator type "list" in {path} at line 2.'),
        ("name = x\niterator = table A {\n1\n", "Unclosed bracket in {path} starting at line 2."),
        (
            "name = x\niterator = table A,B {\n1,2\n3\n}\n",
            "Mismatch between number of iterator names (2) and values (1) in {path} at line 4.",
        ),
        ("name = x\njob A {\n}\n", 'Unsupported mapping "A" in {path} at line 2.'),
        ("job A={x}=b {\n}\n", 'Unsupported mapping "A={x}=b" in {path} at line 1.'),
        ("job\n", "Malformed job command in {path} at line 1."),
        ("name\n", "Malformed name command in {path} at line 1."),
    ],
)
def test_what_is_wrong_with_a_set_is_said_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "odd.set"
    path.write_text(text)
    with pytest.raises(CondorError) as error:
        read_set(str(path))
    assert str(error.value) == said.replace("{path}", str(path))


def _job(cluster: int, name: str, owner: str, status: int, universe: int = 5) -> ClassAd:
    items = {"ClusterId": cluster, "JobStatus": status, "JobUniverse": universe, "JobSetName": name, "Owner": owner}
    return ClassAd(items)


def test_sets_are_counted_by_name_and_owner() -> None:
    jobs = [
        _job(9, "Trips", "ann", 1),
        _job(7, "trips", "ann", 4),
        _job(9, "Trips", "ann", 5),
        _job(9, "Trips", "ann", 2, universe=7),
        _job(8, "Trips", "bob", 9),
        ClassAd({"ClusterId": 1, "JobStatus": 1, "Owner": "ann"}),
    ]
    found = job_sets(jobs)
    assert [(ad["JobSetId"], ad["JobSetName"], ad["Owner"]) for ad in found] == [
        (7, "Trips", "ann"),
        (8, "Trips", "bob"),
    ]
    names = ("NumJobs", "NumIdle", "NumCompleted", "NumHeld", "NumRunning", "NumSchedulerRunning", "NumSchedulerJobs")
    assert [found[0][name] for name in names] == [3, 1, 1, 1, 0, 1, 1]


@pytest.mark.parametrize(
    ("ad", "points"),
    [
        ({"MyType": "DaemonMaster", "RecentDaemonCoreDutyCycle": 0.33}, 100),
        ({"MyType": "Collector", "RecentDaemonCoreDutyCycle": 0.96}, 63),
        ({"MyType": "Negotiator", "RecentDaemonCoreDutyCycle": 0.98}, 0),
        ({"MyType": "StartD", "RecentDaemonCoreDutyCycle": 0.95}, 95),
        ({"MyType": "Scheduler", "RecentDaemonCoreDutyCycle": 1.0}, 28),
        ({"MyType": "Scheduler", "TransferQueueNumUploading": 1}, 93),
        ({"MyType": "Scheduler", "FileTransferMBWaitingToDownload": 250, "TransferQueueDownloadWaitTime": 100000,
          "TransferQueueNumWaitingToDownload": 3}, 93),
        ({"MyType": "Scheduler", "FileTransferMBWaitingToDownload": 250, "TransferQueueDownloadWaitTime": 20,
          "TransferQueueNumWaitingToDownload": 3}, 100),
    ],
)  # fmt: skip
def test_the_points_of_a_daemon(ad: dict[str, object], points: int) -> None:
    found = health.daemon(ClassAd(ad))
    assert found is not None
    assert int(found.points) == points


def test_what_is_no_daemon_has_no_points() -> None:
    assert health.daemon(ClassAd({"MyType": "Machine"})) is None
    assert [health.word(points) for points in (0, 30, 60, 90)] == ["Bad", "Poor", "Decent", "Good"]
    assert health.word(300, 4) == "Good"


def test_times_and_sizes_in_words() -> None:
    assert [duration(seconds) for seconds in (0, 1, 59, 120, 7000, 97200)] == [
        "0 seconds", "1 second", "59 seconds", "2 minutes", "2 hours", "1 day 3 hours"
    ]  # fmt: skip
    assert [size(number) for number in (256, 1536, 3 << 20, 5 << 40)] == ["256 B", "1.500 KB", "3.000 MB", "5.000 TB"]


def test_the_jobs_of_an_event_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    log = tmp_path / "jobs.log"
    log.write_text(_LOG)
    done = run("htcondor", "eventlog", "read", str(log))
    assert (done.code, done.err) == (0, "")
    header, row = done.out.splitlines()
    assert " ".join(header.split()) == "Job Host Start Time Evict Time Evictions Wall Time Good Time CPU Usage"
    assert row.split("  ")[0] == "12.0"
    wanted = "12.0,slot1_2@here,11/20/26 10:01,11/20/26 10:05,1,0+00:04:30,0+00:02:30,0+00:01:30"
    assert run("htcondor", "eventlog", "read", "-csv", str(log)).out.splitlines()[1] == wanted
    assert '"Good Time": 150' in run("htcondor", "eventlog", "read", "-json", str(log)).out
    grouped = run("htcondor", "eventlog", "read", "-csv", "-groupby", "GLIDEIN_ResourceName", str(log)).out
    assert grouped.splitlines()[1] == "Madison,1,0+00:04:30,0+00:02:30,0+00:01:30,2,1,0"


def test_mistakes_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    done = run("htcondor")
    assert done.code == 2
    assert "A tool for managing HTCondor jobs and resources." in done.err
    assert run("htcondor", "job").code == 2
    wrong = run("htcondor", "job", "sing")
    assert (wrong.code, "invalid choice: 'sing'" in wrong.err) == (2, True)
    missing = run("htcondor", "eventlog", "read", "nowhere.log")
    assert (missing.code, missing.err) == (
        1,
        "Error while trying to run eventlog read:\nCould not find file: nowhere.log\n",
    )
    (tmp_path / "a.sub").write_text("executable = /bin/true\nqueue\n")
    far = run("htcondor", "job", "submit", str(tmp_path / "a.sub"), "--resource", "ec2")
    assert far.err.splitlines()[1] == "Error: EC2 resources must specify a --runtime argument"


def test_what_snakemake_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queued: list[dict[str, str]] = []

    class Schedd:
        def submit(self, description: Submit) -> SimpleNamespace:
            queued.append({name: description.expand(name) for name in ("executable", "arguments", "universe", "log")})
            return SimpleNamespace(cluster=lambda: 7)

    monkeypatch.setattr(snake, "Schedd", Schedd)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("Snakefile", "other", "snakemake"):
        (tmp_path / name).touch(0o755)
    said = run("htcondor", "snake", "submit").out
    assert said == f"Snakemake managment job submitted with JobID 7.0\nLogs can be found in {tmp_path}/logs\n"
    assert run("htcondor", "snake", "submit", "other", "--jobdir", "a", "--jobdir=b", "--", "--jobs", "a b").code == 0
    assert run("htcondor", "snake", "submit", "--jobdir", "c", "--", 'x"y').code == 0
    program = str(tmp_path / "snakemake")
    assert [(job["executable"], job["arguments"]) for job in queued] == [
        (program, f'"-s Snakefile --executor htcondor --htcondor-jobdir {tmp_path}/logs"'),
        (program, "\"-s other --executor htcondor --htcondor-jobdir b --jobs a' 'b\""),
        (program, '"-s Snakefile --executor htcondor --htcondor-jobdir c x""y"'),
    ]
    assert {job["universe"] for job in queued} == {"local"}
    assert (tmp_path / "b").is_dir()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["missing"], 1, "Could not find Snakefile: missing"),
        (["Snakefile"], 1, "Could not find 'snakemake' executable on PATH: is its environment active?"),
        (["Snakefile", "--jobdir", "--", "x"], 1, "--jobdir wants a directory"),
        (["--jobdir"], 2, "htcondor snake submit: error: argument --jobdir: expected one argument"),
    ],
)
def test_no_workflow_without_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], code: int, said: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Snakefile").touch()
    done = run("htcondor", "snake", "submit", *words)
    assert (done.code, done.err.rstrip().splitlines()[-1]) == (code, said)
    assert not (tmp_path / "logs").exists()


def test_the_slots_of_a_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    ads = [
        ClassAd(
            {"Name": "slot10@vm", "SlotType": "Static", "State": "Owner", "Activity": "Idle", "Cpus": 1, "Memory": 9}
        ),
        ClassAd({"Name": "slot1@vm", "SlotType": "Partitionable", "State": "Claimed", "Activity": "Busy", "Cpus": 12}),
    ]
    asked: list[str] = []

    class Collector:
        def query(self, kind: object, constraint: str) -> list[ClassAd]:
            asked.append(constraint)
            return ads

    monkeypatch.setattr(ep, "Collector", Collector)
    assert run("htcondor", "ep", "status", 'v"m').err == (
        "Slot       Type           State    Activity  Cpus    Memory\n"
        "slot10@vm  Static         Owner    Idle         1      9 MB\n"
        "slot1@vm   Partitionable  Claimed  Busy        12      0 MB\n"
        "\nTotal slots: 2\n\n"
    )
    assert asked == ['Machine == "v\\"m"']
    ads.clear()
    assert run("htcondor", "ep", "status", "vm").err.endswith("No slots found for execution point: vm\n")


def test_a_machine_is_offered_to_one_schedd(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[object, ...]] = []

    class Collector:
        def __init__(self, pool: str = "") -> None:
            self.pool = pool

        def locate(self, kind: object, name: str) -> ClassAd | None:
            return ClassAd({"Name": name + self.pool}) if name in ("vm", "ap") else None

    class Startd:
        def __init__(self, location: ClassAd) -> None:
            self.name = location["Name"]

        def rehome(self, *words: object) -> None:
            told.append((self.name, *words))

    monkeypatch.setattr(ep, "Collector", Collector)
    monkeypatch.setattr(ep, "Startd", Startd)
    assert run("htcondor", "ep", "rehome", "vm", "ap").err == "Sent rehome command to vm\n"
    again = run("htcondor", "ep", "rehome", "--cancel", "--schedd-pool", "there", "--timeout", "5", "vm", "gone")
    assert again.err == "Sent rehome cancel command to vm\n"
    assert told == [("vm", "ap", None, 0, False, False), ("vm", "gone", "there", 5, True, False)]
    assert "Cannot reach schedd gone" in run("htcondor", "ep", "rehome", "vm", "gone").err
    assert "no execution point pm" in run("htcondor", "ep", "rehome", "pm", "ap").err
    assert len(told) == 2


def test_the_manual_page_has_what_the_parser_takes() -> None:
    lines = described().splitlines()
    at = lines.index("htcondor job status [--resource RESOURCE] [--skip-history] JOB_ID")
    assert lines[at + 1] == "    Shows current status of a job when given a job id."
    assert lines[at + 2] == "        JOB_ID                job, as CLUSTER.PROC"
    assert "htcondor snake submit [--jobdir JOBDIR] [SNAKEFILE] [-- ARGUMENT ...]" in lines
    assert "htcondor ap status [HOSTNAMES ...]" in lines
    assert "--pause" not in described()  # accepted, but nothing to be told about
    named = {tuple(line.split()[1:3]) for line in lines if line.startswith("htcondor ")}
    for noun in {noun for noun, _ in named}:
        shown = run("htcondor", noun, "-h").out
        assert all(f"    {verb} " in shown for other, verb in named if other == noun)


@pytest.fixture
def spool(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    """A queue that the commands find, which read the configuration once a process."""
    monkeypatch.setattr("condor_py.bindings.session._pool", None)
    return spool


JOB_NOW = 1795213560
STATES = {
    1: ({"JobCoolDownExpiration": str(JOB_NOW + 60)}, """Job 21 is currently idle.
It was submitted 1 minute ago.
It requested 10.000 MB of memory.
It requested 10.000 KB of disk space.
The job is in cool down and will be retried in 1 minute.
Job has 0.0% goodput for 0 seconds of wall clock time.
"""),
    2: ({"JobStartDate": str(JOB_NOW - 3700), "MemoryUsage": "12", "DiskUsage": "2048", "TotalSuspensions": "1",
         "NumShadowStarts": "2", "NumJobStarts": "1", "TransferInStarted": str(JOB_NOW - 100),
         "TransferInFinished": str(JOB_NOW - 98), "RemoteWallClockTime": "100.0", "CommittedTime": "50"},
        """Job 22 is currently running.
It started running 1 hour ago.
It was submitted 1 minute ago.
Its current memory usage is 12.000 MB out of 10.000 MB requested.
Its current disk usage is 2.000 MB out of 10.000 KB requested.
It has been suspended 1 time.
HTCondor has attempted to start the job 2 times.
The job has started 1 time.
Input file transfer took 2 seconds.
Job has 50.0% goodput for 2 minutes of wall clock time.
"""),
    3: ({"EnteredCurrentStatus": str(JOB_NOW - 5)}, """Job 23 was removed.
It was removed 5 seconds ago.
It was submitted 1 minute ago.
Job has 0.0% goodput for 0 seconds of wall clock time.
"""),
    4: ({"CompletionDate": str(JOB_NOW - 5), "RemoteWallClockTime": "10.0", "CommittedTime": "10"},
        """Job 24 has completed.
It completed 5 seconds ago.
It was submitted 1 minute ago.
Job had 100.0% goodput for 10 seconds of wall clock time.
"""),
    5: ({"HoldReason": '"why"', "NumHolds": "2", "NumShadowStarts": "1", "NumJobStarts": "1",
         "EnteredCurrentStatus": str(JOB_NOW - 90000), "MemoryUsage": "1", "TransferInStarted": "5"},
        """Job 25 is currently held.
It has been held for 1 day 1 hour.
It was held because "why".
It has been held 2 times.
It was submitted 1 minute ago.
Its last memory usage was 1.000 MB out of 10.000 MB requested.
HTCondor has attempted to start the job 1 time.
The job has started 1 time.
Input file transfer was in progress when the job was held.
Job has 0.0% goodput for 0 seconds of wall clock time.
"""),
    6: ({"JobCurrentStartTransferOutputDate": str(JOB_NOW - 5)}, """Job 26 is currently transferring output.
It started transferring output 5 seconds ago.
It was submitted 1 minute ago.
Job has 0.0% goodput for 0 seconds of wall clock time.
"""),
    7: ({"EnteredCurrentStatus": str(JOB_NOW - 61), "TotalSuspensions": "3"}, """Job 27 is currently suspended.
It has been suspended for 1 minute.
It has been suspended 3 times.
It was submitted 1 minute ago.
Job has 0.0% goodput for 0 seconds of wall clock time.
"""),
    9: ({}, "Job 29 is in an unknown state (JobStatus = 9).\n"),
}  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_what_a_job_is_doing_in_words(spool: Spool, monkeypatch: pytest.MonkeyPatch, state: int) -> None:
    monkeypatch.setattr("time.time", lambda: float(JOB_NOW))
    attributes, text = STATES[state]
    requests = {"RequestMemory": "10", "RequestDisk": "10", "QDate": str(JOB_NOW - 60)}
    spool.add(20 + state, 1, **requests | {"JobStatus": str(state)} | attributes)
    assert spool.run("htcondor", "job", "status", str(20 + state)) == ("", text, 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("status 77", "No job found for ID 77."),
        ("status x", "x is not a job: CLUSTER.PROC is wanted"),
        ("status 1.1 --skip-history", "No job found for ID 1.1."),
        ("out 1", "The job has no standard output."),
        ("resources 1", "Job 1 is not running yet."),
        ("resources 77", "No jobs found for ID 77."),
        ("resources 1.x", "1.x is not a job: CLUSTER.PROC is wanted"),
        ("submit nowhere.sub", "Could not find file: nowhere.sub"),
        ("submit two.sub", "Can only submit one job at a time"),
        ("submit one.sub --resource slurm", "Slurm resources must specify a runtime argument"),
        ("submit one.sub --resource cloud", "Error: cloud resources are not supported: jobs run on this machine"),
    ],
)
def test_jobs_that_are_not_there(spool: Spool, tmp_path: Path, words: str, said: str) -> None:
    spool.add(1)
    (tmp_path / "one.sub").write_text("executable = /bin/true\nqueue\n")
    (tmp_path / "two.sub").write_text("executable = /bin/true\nqueue 2\n")
    done = spool.run("htcondor", "job", *words.split())
    assert (done.err.splitlines()[-1], done.code) == (said, 1)


def test_files_and_slot_of_a_job(spool: Spool, tmp_path: Path) -> None:
    for name in ("out", "err", "log"):
        (tmp_path / name).write_text(f"the {name}\n")
    attributes = {"Out": '"out"', "Err": '"err"', "UserLog": f'"{tmp_path}/log"', "Iwd": f'"{tmp_path}"'}
    spool.add(1, 2, **attributes, RemoteHost='"slot1@vm"', JobStatus="2")
    for name in ("out", "err", "log"):
        assert spool.run("htcondor", "job", name, "1") == (f"the {name}\n", "", 0)
    assert spool.run("htcondor", "job", "resources", "1.1") == ("", "Job is using resource slot1@vm\n", 0)


def test_sets_and_daemons_that_are_not_there(spool: Spool) -> None:
    assert spool.run("htcondor", "jobset", "list").err == "No active job sets found.\n"
    assert spool.run("htcondor", "jobset", "status", "x").err.splitlines()[-1] == (
        f'No active job sets found matching "x" for user {spool.me}.'
    )
    assert spool.run("htcondor", "server", "status").err == "There are no HTCondor daemons currently running\n"
    assert spool.run("htcondor", "ap", "status").code == 1
    assert spool.run("htcondor", "cm", "status").err.endswith("Failed to locate any Central Managers\n")
    assert spool.run("htcondor", "dag", "status", "3").err.endswith("No DAG found for ID 3.\n")
