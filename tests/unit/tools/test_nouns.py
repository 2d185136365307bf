"""htcondor NOUN VERB: what it reads (sets of jobs, event logs, ads of daemons) and what it says of it."""

from __future__ import annotations

import json
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
from condor_py.store.ad_store import AdStore

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


def test_no_time_of_an_event_log_is_negative_where_the_clock_was_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    log = tmp_path / "jobs.log"
    log.write_text(
        "000 (1.0.0) 2026-11-29 04:11:00 Job submitted from host: <127.0.0.1:9618>\n...\n"
        "001 (1.0.0) 2026-11-29 04:11:10 Job executing on host: <127.0.0.1:9618>\n...\n"
        "004 (1.0.0) 2026-11-29 03:11:20 Job was evicted.\n\t(0) CPU times\n...\n"
        "001 (1.0.0) 2026-11-29 04:11:30 Job executing on host: <127.0.0.1:9618>\n...\n"
        "005 (1.0.0) 2026-11-29 03:11:40 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n"
    )
    done = run("htcondor", "eventlog", "read", "-csv", str(log))
    assert (done.code, done.err) == (0, "")
    assert "-1+" not in done.out


def test_the_jobs_of_an_event_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    log = tmp_path / "jobs.log"
    log.write_text(_LOG)
    done = run("htcondor", "eventlog", "read", str(log))
    assert (done.code, done.err) == (0, "")
    header, row = done.out.splitlines()
    assert " ".join(header.split()) == "Job Host Start Time Evict Time Evictions Wall Time Good Time CPU Usage"
    assert row.split("  ")[0] == "12.0"
    wanted = "12.0,slot1_2@here,11/20/26 10:01,11/20/26 10:05,1,270,150,90"
    assert run("htcondor", "eventlog", "read", "-csv", str(log)).out.splitlines()[1] == wanted
    assert json.loads(run("htcondor", "eventlog", "read", "-json", str(log)).out) == [
        {"Job ID": "12.0", "Submitted": True, "Executed": True, "starts": 2, "Host": "slot1_2@here",
         "Start Time": "11/20/26 10:01", "Evict Time": "11/20/26 10:05", "Evictions": 1, "Wall Time": 270,
         "Good Time": 150, "CPU Usage": 90, "last_exec_time": "11/20/26 10:03", "Return Value": 0},
    ]  # fmt: skip
    grouped = run("htcondor", "eventlog", "read", "-csv", "-groupby", "GLIDEIN_ResourceName", str(log)).out
    assert grouped.splitlines()[1] == "Madison,1,0+00:04:30,0+00:02:30,0+00:01:30,2,1,0"
    grouped = run("htcondor", "eventlog", "read", "-json", "-groupby", "GLIDEIN_ResourceName", str(log)).out
    assert json.loads(grouped) == {
        "Madison": {"Evictions": 1, "Wall Time": "0+00:04:30", "Good Time": "0+00:02:30", "CPU Usage": "0+00:01:30",
                    "Starts": 2, "Successes": 1, "Failures": 0},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "out"),
    [
        ("", "Job Host Start Time Evict Time Evictions Wall Time Good Time CPU Usage"),
        ("-json", "[]"),
        ("-csv -groupby GLIDEIN_ResourceName",
         "Site,Evictions,Wall Time,Good Time,CPU Usage,Job Starts,Job Successes,Job Failures"),
    ],
)  # fmt: skip
def test_no_event_log_is_one_without_jobs(words: str, out: str) -> None:
    done = run("htcondor", "eventlog", "read", *words.split())
    assert (" ".join(done.out.split()), done.err, done.code) == (out, "", 0)


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


#: What is told of a job of each state whose ad has nothing else.
BARE = {
    1: ["Job 3 is currently idle."],
    2: ["Job 3 is currently running."],
    3: ["Job 3 was removed."],
    4: ["Job 3 has completed."],
    5: ["Job 3 is currently held."],
    6: ["Job 3 is currently transferring output."],
    7: ["Job 3 is currently suspended."],
}


@pytest.mark.parametrize("state", BARE)
def test_no_time_and_no_size_is_told_of_a_job_that_has_none(spool: Spool, state: int) -> None:
    """A job without JobStartDate was said to run for 20,785 days."""
    names = ("QDate", "EnteredCurrentStatus", "CompletionDate", "RequestMemory", "RequestDisk")
    spool.add(3, 1, JobStatus=str(state), MemoryUsage="1", **dict.fromkeys(names, "undefined"))
    told = spool.run("htcondor", "job", "status", "3").err.splitlines()
    usage = [f"Its {'current' if state == 2 else 'last'} memory usage {'is' if state == 2 else 'was'} 1.000 MB."]
    tense = "had" if state == 4 else "has"
    goodput = [f"Job {tense} 0.0% goodput for 0 seconds of wall clock time."]
    assert told == BARE[state] + (usage if state not in (1, 5) else []) + goodput


def test_an_input_transfer_that_began_again_is_not_told_as_done(spool: Spool) -> None:
    """What is left of the run before ended before this one began: it was said to take a negative time."""
    spool.add(3, 1, JobStatus="2", TransferInStarted="1000", TransferInFinished="900")
    assert "Input file transfer is in progress." in spool.run("htcondor", "job", "status", "3").err.splitlines()


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
        *(
            (f"{verb} 1 --resource slurm", "Error: slurm resources are not supported: jobs run on this machine")
            for verb in ("status", "out", "err", "log", "resources")
        ),
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


def test_how_the_daemons_of_the_machine_are(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row for each of DAEMON_LIST, and one word for all: a daemon that is not there counts as bad."""
    monkeypatch.setenv("_CONDOR_DAEMON_LIST", "MASTER, schedd STARTD SCHEDD WEB")
    ready = ClassAd({"MASTER": "Alive", "MASTER_PID": 17, "SCHEDD": "Hung", "SCHEDD_PID": 1800, "STARTD": "Dead"})
    monkeypatch.setattr("condor_py.cli.who.daemons.readiness", lambda pool: ready)
    store = AdStore(f"{spool.path.parent}/ads")
    for kind, name, duty in (("MASTER", "DaemonMaster", 0.1), ("SCHEDD", "Scheduler", 0.97)):
        store.publish(kind, [ClassAd({"MyType": name, "RecentDaemonCoreDutyCycle": duty, "Name": "vm"})])
    assert spool.run("htcondor", "server", "status").err == (
        "Daemon   PID     Status    Health\n"
        "MASTER   17      Alive     Good\n"
        "SCHEDD   1800    Hung      Decent\n"
        "STARTD   -----   Dead      UNKNOWN\n"
        "WEB      -----   Missing   UNKNOWN\n"
        "\nOverall HTCondor Health: Poor\n\n"
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (60, "1 minute"), (3599, "60 minutes"), (3600, "1 hour"), (5400, "2 hours"), (86399, "24 hours"),
        (86400, "1 day 0 hours"), (172800, "2 days 0 hours"), (8_640_000, "100 days 0 hours"),
    ],
)  # fmt: skip
def test_where_one_unit_of_time_ends(seconds: int, words: str) -> None:
    assert duration(seconds) == words


def test_where_one_unit_of_size_ends() -> None:
    assert [size(number) for number in (1023, 1024, 1024**2 - 1, 1024**2, 1024**3, 1024**4, 1024**5)] == [
        "1023 B", "1.000 KB", "1023.999 KB", "1.000 MB", "1.000 GB", "1.000 TB", "1024.000 TB"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("ad", "points"),
    [
        ({"TransferQueueNumUploading": 1, "FileTransferUploadBytesPerSecond_1m": 5}, 100),
        ({"TransferQueueNumUploading": 1, "TransferQueueNumDownloading": 1}, 86),
        ({"FileTransferMBWaitingToUpload": 500, "TransferQueueUploadWaitTime": 9000}, 100),
        ({"FileTransferMBWaitingToUpload": 99, "TransferQueueUploadWaitTime": 9000,
          "TransferQueueNumWaitingToUpload": 3}, 100),
        ({"FileTransferMBWaitingToUpload": 100, "TransferQueueUploadWaitTime": 900,
          "TransferQueueNumWaitingToUpload": 3}, 93),
        ({"FileTransferMBWaitingToUpload": 100, "TransferQueueUploadWaitTime": 899,
          "TransferQueueNumWaitingToUpload": 3}, 100),
    ],
)  # fmt: skip
def test_the_points_of_a_schedd_that_moves_files(ad: dict[str, object], points: int) -> None:
    """A quarter of 28 points for each of four things that are in order; 72 are for its duty cycle."""
    where = {"MyType": "scheduler", "MyAddress": "<1.2.3.4:5>", "Machine": "vm"}
    found = health.daemon(ClassAd({**where, **ad}))
    assert found is not None
    assert (found.kind, round(found.points), found.address, found.machine) == ("SCHEDD", points, "<1.2.3.4:5>", "vm")


def test_words_for_points() -> None:
    assert [health.word(points) for points in (24.9, 25, 49.9, 50, 74.9, 75)] == [
        "Bad", "Poor", "Poor", "Decent", "Decent", "Good"
    ]  # fmt: skip
    kinds = ("DaemonMaster", "Collector", "Negotiator", "Scheduler", "StartD", "Machine", "")
    ads = [ClassAd({"MyType": kind}) for kind in kinds]
    assert [found.kind for found in health.daemons(ads)] == ["MASTER", "COLLECTOR", "NEGOTIATOR", "SCHEDD", "STARTD"]


@pytest.mark.parametrize(
    ("words", "informs", "errs"),
    [("", True, True), ("-v", True, True), ("-q", False, True), ("-v -q", True, True), ("-qqq", False, False),
     ("-q -q", False, True)],
)  # fmt: skip
def test_a_command_that_is_to_be_quiet(spool: Spool, words: str, informs: bool, errs: bool) -> None:
    """Once: no messages; three times: not even errors. What was asked for less often counts less."""
    spool.add(7)
    asked = spool.run("htcondor", *words.split(), "job", "status", "7")
    assert (asked.out, asked.err != "", asked.code) == ("", informs, 0)
    missing = spool.run("htcondor", *words.split(), "job", "status", "8.1", "--skip-history")
    said = "Error while trying to run job status:\nNo job found for ID 8.1.\n"
    assert (missing.err, missing.code) == (said if errs else "", 1)


@pytest.mark.parametrize("words", [["annex", "create"], ["-v", "annex"], ["-q", "-v", "annex", "-h"]])
def test_there_is_no_annex(words: list[str]) -> None:
    done = run("htcondor", *words)
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith("htcondor annex: an annex adds machines that were rented to a pool")


def test_the_help_of_the_command_and_of_its_parser() -> None:
    for word in ("-help", "--help"):
        done = run("htcondor", word)
        assert (done.out.startswith("Usage: htcondor "), done.err, done.code) == (True, "", 0)
    assert run("htcondor", "-h").out.startswith("usage: htcondor ")
    for word in ("-V", "--version"):
        assert run("htcondor", word).out.startswith("$CondorVersion: ")


def test_an_idle_job_that_was_tried_once(spool: Spool) -> None:
    spool.add(3, 1, NumShadowStarts="1", NumJobStarts="0", NumHolds="1")
    told = spool.run("htcondor", "job", "status", "3").err.splitlines()
    at = told.index("It has been held 1 time.")
    assert told[at + 1 : at + 3] == [
        "HTCondor has attempted to start the job 1 time.", "The job has started 0 times.",
    ]  # fmt: skip


def test_files_that_are_not_utf8_or_no_files(spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"\xff\n")
    spool.add(1, 1, Out='"out"', Iwd=f'"{tmp_path}"')
    assert spool.run("htcondor", "job", "out", "1").out == "\udcff\n"
    (tmp_path / "odd.set").write_bytes(b"name = Trips\niterator = table A {\n\xff\n}\njob {\n}\n")
    assert read_set(str(tmp_path / "odd.set")).items == [{"A": "\udcff"}]
    done = spool.run("htcondor", "job", "submit", str(tmp_path))
    assert (done.err.splitlines()[-1], done.code) == (f"Could not access file: {tmp_path}: Is a directory", 1)


def test_a_log_without_the_beginning_of_a_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That job is left out, and so is one that was removed before it started; the others are shown."""
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    log = tmp_path / "jobs.log"
    log.write_text(_LOG.partition("...\n")[0].replace("000 (012", "028 (011") + "...\n" + _LOG)
    rows = run("htcondor", "eventlog", "read", "-csv", str(log)).out.splitlines()
    assert [row.split(",")[0] for row in rows] == ["Job ID", "12.0"]


def test_a_slot_that_says_nothing_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    class Collector:
        def query(self, kind: object, constraint: str) -> list[ClassAd]:
            return [ClassAd({"Name": "slot1@vm", "SlotType": "Static", "Cpus": 1, "Memory": 2})]

    monkeypatch.setattr(ep, "Collector", Collector)
    rows = run("htcondor", "ep", "status", "vm").err.splitlines()
    assert rows[1].split() == ["slot1@vm", "Static", "Unknown", "Unknown", "1", "2", "MB"]


def test_the_logs_of_snakemake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queued: list[Submit] = []

    class Schedd:
        def submit(self, description: Submit) -> SimpleNamespace:
            queued.append(description)
            return SimpleNamespace(cluster=lambda: 7)

    monkeypatch.setattr(snake, "Schedd", Schedd)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("Snakefile", "snakemake"):
        (tmp_path / name).touch(0o755)
    assert run("htcondor", "snake", "submit", "--jobdir", "d").code == 0
    assert run("htcondor", "snake", "submit", "--jobdir", "d").code == 0  # where logs are already
    found = {name: str(queued[0][name]) for name in ("log", "output", "error", "getenv", "JobBatchName")}
    assert found == {
        "log": "d/snakemake-mgmt-$(ClusterId).log",
        "output": "d/snakemake-mgmt-$(ClusterId).out",
        "error": "d/snakemake-mgmt-$(ClusterId).err",
        "getenv": "true",
        "JobBatchName": "snakemake-mgmt-$(ClusterId)",
    }
    requests = [str(queued[0][f"request_{what}"]) for what in ("cpus", "memory", "disk")]
    assert requests == ["1", "512MB", "512MB"]


def test_slots_are_in_the_order_of_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["slot2@vm", "slot1_2@vm", "slot1@vm"]
    ads = [ClassAd({"Name": name}) for name in names]
    monkeypatch.setattr(ep, "Collector", lambda: SimpleNamespace(query=lambda kind, constraint: ads))
    rows = [line.split() for line in run("htcondor", "ep", "status", "vm").err.splitlines()[1:4]]
    assert [row[0] for row in rows] == sorted(names)
    assert [row[-3:] for row in rows] == [["0", "0", "MB"]] * 3


def test_the_heading_comes_again_on_every_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setattr("condor_py.cli.nouns.eventlog._HEADER_EVERY", 2)
    log = tmp_path / "jobs.log"
    log.write_text(
        "".join(f"000 (0{n}.000.000) 2026-11-20 10:00:00 Job submitted from host: <x>\n...\n" for n in range(10, 15))
    )
    rows = [line.split()[0] for line in run("htcondor", "eventlog", "read", str(log)).out.splitlines()]
    assert rows == ["Job", "10.0", "11.0", "Job", "12.0", "13.0", "Job", "14.0"]


def test_a_long_search_is_announced(spool: Spool) -> None:
    done = spool.run("htcondor", "job", "status", "77")
    assert done.err == (
        "Job 77 was not found in the active queue, checking history...\n(This may take a while, Ctrl-C to cancel.)\n"
        "Error while trying to run job status:\nNo job found for ID 77.\n"
    )
    (spool.path.parent / "history").write_text(
        'ClusterId = 77\nProcId = 0\nJobStatus = 4\nQDate = 1\n*** ProcId = 0 ClusterId = 77 Owner = "u"\n'
    )
    assert "Job 77 has completed." in spool.run("htcondor", "job", "status", "77").err.splitlines()


def test_options_for_resources_elsewhere_are_named(spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "a.sub").write_text("executable = /bin/true\nhold = true\nqueue\n")
    for words in (["--runtime", "60"], ["--email", "me@example.net", "--resource", "htcondor"]):
        done = spool.run("htcondor", "job", "submit", "a.sub", *words)
        assert done.err.splitlines()[0] == (
            "Warning: --runtime and --email do nothing without a --resource other than htcondor"
        )
        assert done.code == 0


def test_a_job_needs_its_tokens_before_it_is_queued(spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "a.sub").write_text("executable = /bin/true\nuse_oauth_services = box\nqueue\n")
    done = spool.run("htcondor", "job", "submit", "a.sub")
    assert (done.code, "Can't find address of credd" in done.err) == (1, True)
    assert not spool.path.exists()


def test_a_picture_is_of_the_jobs_in_each_state_unless_asked(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(
        "000 (1.0.0) 2026-11-20 10:00:00 Job submitted from host: <x>\n...\n"
        "001 (1.0.0) 2026-11-20 10:01:00 Job executing on host: <x>\n...\n"
    )
    for words, kind in (([], "Cumulative"), (["-c"], "Cumulative"), (["-i"], "Instant")):
        done = run("htcondor", "eventlog", "histogram", *words, str(log))
        assert done.out.startswith(f"DAG Event Log Histogram ({kind})")


def test_no_job_goes_to_an_annex(spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "a.sub").write_text("executable = /bin/true\nqueue\n")
    done = spool.run("htcondor", "job", "submit", "a.sub", "--annex-name", "x")
    assert (done.err.splitlines()[-1], done.code) == (
        "HPC Annex functionality has not been enabled by your HTCondor administrator.", 1,
    )  # fmt: skip
    assert not spool.path.exists()


@pytest.mark.parametrize(
    ("events", "good"),
    [
        ("001 (7.0.0) 2026-11-20 10:01:00 Job executing on host: <x>\n...\n"
         "004 (7.0.0) 2026-11-20 10:03:00 Job was evicted.\n\t(0) CPU times\n...\n", "0"),
        ("001 (7.0.0) 2026-11-20 10:01:00 Job executing on host: <x>\n...\n"
         "005 (7.0.0) 2026-11-20 10:03:00 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n",
         "120"),
        ("005 (7.0.0) 2026-11-20 10:03:00 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n",
         "0"),
    ],
)  # fmt: skip
def test_good_time_is_that_of_a_run_that_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, events: str, good: str
) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    log = tmp_path / "jobs.log"
    log.write_text(f"000 (7.0.0) 2026-11-20 10:00:00 Job submitted from host: <x>\n...\n{events}")
    head, row = run("htcondor", "eventlog", "read", "-csv", str(log)).out.splitlines()
    assert dict(zip(head.split(","), row.split(","), strict=True))["Good Time"] == good
