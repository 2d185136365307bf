"""The commands of the job router, without a pool."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_runner import Done, run


@pytest.mark.parametrize("dash", ["-", "--"])
@pytest.mark.usefixtures("spool")
def test_options_of_the_history_have_one_dash_or_two(dash: str) -> None:
    done = run("condor_router_history", f"{dash}start", "2026-01-02 03:04", f"{dash}show_records", f"{dash}show_iwd")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Routed job history from 2026-01-02 03:04 to ")
    assert done.out.endswith("\n\nJobID Status Site Runtime IWD\n")
    wrong = run("condor_router_history", f"{dash}days", "x")
    assert (wrong.code, wrong.err.splitlines()[0]) == (
        1, "Command line argument error: could not convert string to float: 'x'"
    )  # fmt: skip


ROUTES = """JOB_ROUTER_ROUTE_NAMES = Big Cluster Here
JOB_ROUTER_ROUTE_Big @=e
 REQUIREMENTS RequestMemory > 1000
 MaxJobs = 1
 UNIVERSE VANILLA
 SET Site "big"
@e
JOB_ROUTER_ROUTE_Cluster @=e
 REQUIREMENTS Owner == "alice"
 UNIVERSE GRID
 GridResource = batch slurm
 MaxIdleJobs = 7
@e
JOB_ROUTER_ROUTE_Here @=e
 REQUIREMENTS EditMe =?= true
 EditJobInPlace = true
 SET Edited $(MY.ClusterId) + 1
@e
JOB_ROUTER_PRE_ROUTE_TRANSFORM_NAMES = First
JOB_ROUTER_TRANSFORM_First = SET Pre 1
JOB_ROUTER_POST_ROUTE_TRANSFORM_NAMES = Last
JOB_ROUTER_TRANSFORM_Last = SET Post 2
"""
#: ClusterId, JobStatus, Owner, RequestMemory, and one more line.
JOBS = (
    (1, 1, "bob", 2000, ""),
    (2, 1, "bob", 3000, ""),
    (3, 1, "alice", 1, ""),
    (4, 1, "carol", 1, ""),
    (5, 2, "alice", 1, 'RoutedBy = "x"'),
    (6, 1, "carol", 1, "EditMe = true"),
)


@pytest.fixture
def routes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three routes, and a file with six jobs and an ad that is none."""
    (tmp_path / "config").write_text(f"LOCAL_DIR = {tmp_path}\n{ROUTES}")
    (tmp_path / "jobs").write_text(
        "".join(
            f'ClusterId = {cluster}\nProcId = 0\nJobStatus = {status}\nJobUniverse = 5\nOwner = "{owner}"\n'
            f"RequestMemory = {memory}\n{more}\n\n"
            for cluster, status, owner, memory, more in JOBS
        )
        + 'Owner = "nobody"\n'
    )
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def info(*words: str) -> Done:
    """What condor_job_router_info prints."""
    return run("condor_job_router_info", *words)


@pytest.mark.usefixtures("routes")
def test_routes_are_shown_in_their_order_with_their_rules() -> None:
    blocks = info("-config").out.strip().split("\n\n")
    assert blocks[0] == "Pre-Route Transform : First\n\tNAME First\n\tSET Pre 1"
    assert blocks[1] == "Post-Route Transform : Last\n\tNAME Last\n\tSET Post 2"
    assert blocks[2].splitlines()[:9] == [
        "Route 1",
        'Name         : "Big"',
        "Source       : Big",
        "Universe     : 5",
        "MaxJobs      : 1",
        "MaxIdleJobs  : 50",
        "GridResource : ",
        "Requirements : RequestMemory > 1000",
        "\tNAME Big",
    ]
    assert "\nMaxIdleJobs  : 7\nGridResource : batch slurm\n" in blocks[3]
    assert blocks[4].startswith("Route 3\n")
    assert len(blocks) == 5


@pytest.mark.usefixtures("routes")
def test_the_first_route_with_room_takes_an_idle_job() -> None:
    done = info("-match-jobs", "-jobads", "jobs")
    assert done.out == (
        "\nMatching jobs against routes to find candidate jobs.\n"
        "Found candidate job src=1.0,route=Big\n"
        "Found candidate job src=3.0,route=Cluster\n"
        "Found candidate job src=6.0,route=Here\n"
        "3 candidate jobs found\n"
    )
    assert done.err == "Skipping ad because it doesn't have a ClusterId and/or ProcId attribute\n"
    told = info("-match-jobs", "-diagnostic", "-jobads", "jobs").out
    assert told.startswith("Routes will be matched in this order: Big, Cluster, Here\n")
    assert "\nBig                      Big               0/      1       0/     50     none\n" in told
    assert "\nChecking Job src=2.0 against all routes\nno route found for src=2.0\n" in told
    assert "\n\tRoute Matches: Cluster\n" in told


@pytest.mark.usefixtures("routes")
def test_copies_are_written_and_jobs_changed_in_place() -> None:
    out = info("-route-jobs", "-", "-jobads", "jobs", "-ignore-prior-routing").out
    assert "4 candidate jobs found\n" in out  # that which ran, too
    first, *others = out.partition("submit_job as bob@ to local schedd:\n")[2].strip().split("\n\n")
    assert {"GridResource", "QDate", "ClusterId"}.isdisjoint(line.split(" = ")[0] for line in first.splitlines())
    for line in ("Site", "big"), ("RouteName", "Big"), ("RoutedFromJobId", "1.0"), ("Managed", "External"):
        assert f'{line[0]} = "{line[1]}"' in first.splitlines()
    assert {"Pre = 1", "Post = 2", "JobUniverse = 5"} <= set(first.splitlines())
    assert 'GridResource = "batch slurm"' in others[0]
    assert others[2].splitlines()[:3] == ["ClusterId = 6", "EditMe = true", "Edited = 6 + 1"]
    assert "RouteName" not in others[2]


def test_steps_are_told_and_a_file_takes_the_copies(routes: Path) -> None:
    out = info("-route-jobs", "out", "-log-steps", "-jobads", "jobs").out
    assert (
        "(src=1.0,route=Big): claimed job\n\tApplying pre-route transform: First\nSET Pre to 1\n"
        '\tApplying route: Big\nSET Site to "big"\n\tApplying post-route transform: Last\nSET Post to 2\n'
        "submit_job as bob@ to local schedd:\n(src=3.0"
    ) in out
    assert (routes / "out").read_text().count("RoutedFromJobId") == 2
    assert info("-route-jobs", "no/where", "-jobads", "jobs").err.endswith(
        "could not open no/where: No such file or directory\n"
    )


@pytest.mark.usefixtures("routes")
def test_without_jobs_there_is_nothing_to_match(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = "\nMatching jobs against routes to find candidate jobs.\nThere are no jobs to match\n"
    assert info("-match-jobs") == (nothing, "", 0)
    assert info("-match-jobs", "-jobads", "no") == (nothing, "Can't open file of job ads: no\n", 0)
    monkeypatch.setenv("_CONDOR_JOB_ROUTER_ROUTE_NAMES", "")
    monkeypatch.setenv("_CONDOR_JOB_ROUTER_PRE_ROUTE_TRANSFORM_NAMES", "")
    assert info("-match-jobs", "-jobads", "jobs").err.endswith("JobRouter is disabled.\n")


@pytest.mark.usefixtures("routes")
def test_a_limit_on_all_routed_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_JOB_ROUTER_MAX_JOBS", "2")
    lines = info("-match-jobs", "-jobads", "jobs").out.splitlines()
    assert [line for line in lines if "candidate job" in line][1:] == [
        "Found candidate job src=1.0,route=Big",
        "Found candidate job src=3.0,route=Cluster",
        "2 candidate jobs found",
    ]


@pytest.mark.parametrize("words", [[], ["-ignore-prior-routing"]])
def test_jobs_that_another_router_has_taken(routes: Path, words: list[str]) -> None:
    """They are candidates only where that is to be forgotten, and so is the state in which they are."""
    (routes / "taken").write_text(
        'ClusterId = 7\nProcId = 1\nJobStatus = 5\nJobUniverse = 5\nOwner = "alice"\nRequestMemory = 1\n'
        'Managed = "External"\nManagedManager = "other"\nRoutedBy = "other"\n\n'
        'ClusterId = 8\nProcId = 0\nJobStatus = 1\nJobUniverse = 5\nOwner = "alice"\nRequestMemory = 1\n'
        'Managed = "External"\nManagedManager = "other"\n'
    )
    out = info("-match-jobs", "-jobads", "taken", *words).out
    assert ("Found candidate job src=7.1,route=Cluster\n" in out) == bool(words)
    assert ("Found candidate job src=8.0,route=Cluster\n" in out) == bool(words)
    assert f"{2 if words else 0} candidate jobs found\n" in out


def test_copies_go_to_standard_error_where_that_is_asked_for(routes: Path) -> None:
    done = info("-route-jobs", "-2", "-jobads", "jobs")
    assert "RoutedFromJobId" not in done.out
    assert done.err.count("RoutedFromJobId = ") == 2
    for words in (["-route-jobs"], ["-route-jobs", "-config"]):
        done = info(*words)
        assert (done.out, done.err.splitlines()[0], done.code) == ("", "-route-jobs requires an argument", 1)
