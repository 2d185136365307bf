"""htcondor NOUN VERB: what it reads (sets of jobs, event logs, ads of daemons) and what it says of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from tool_runner import run

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
