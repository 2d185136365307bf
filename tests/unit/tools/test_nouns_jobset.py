"""htcondor jobset: all clusters of a set are queued or none, and what is said of sets that are in the queue."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.bindings import session
from condor_py.bindings.enums import JobAction, QueryOpt
from condor_py.bindings.errors import HTCondorException
from condor_py.cli.nouns import jobset
from condor_py.lang.classad import ClassAd

SET = """name = Trips
iterator = table From,To places
job {
    executable = /bin/echo
    arguments = $(From)
}
job To=From one.sub
job one.sub
"""


class FakeSchedd:
    """A schedd that remembers what it is asked for. ``refuses`` is the cluster that it does not take."""

    def __init__(self) -> None:
        self.submitted: list[tuple[str, list[dict[str, str]]]] = []
        self.acts: list[tuple[Any, ...]] = []
        self.queries: list[tuple[Any, ...]] = []
        self.refuses = 0
        self.sets: list[ClassAd] = []
        self.jobs: list[ClassAd] = []
        self.past: list[ClassAd] = []
        self.refused = 0

    def submit(self, description: Any, itemdata: Any) -> Any:
        if len(self.submitted) + 1 == self.refuses:
            raise HTCondorException("no room")
        self.submitted.append((str(description), list(itemdata)))
        return SimpleNamespace(cluster=lambda: 40 + len(self.submitted))

    def act(self, action: JobAction, constraint: str, reason: str) -> dict[str, int]:
        self.acts.append((action, constraint, reason))
        return {"TotalSuccess": 7, "TotalPermissionDenied": self.refused, "TotalError": self.refused}

    def query(self, constraint: str, projection: Any = (), opts: Any = None) -> list[ClassAd]:
        self.queries.append((constraint, tuple(projection), opts))
        return self.sets if opts == QueryOpt.IncludeJobsetAds else self.jobs

    def history(self, constraint: str, projection: Any) -> list[ClassAd]:
        self.queries.append((constraint, tuple(projection), "history"))
        return self.past


@pytest.fixture
def schedd(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> FakeSchedd:
    monkeypatch.setattr(session, "_pool", None)
    monkeypatch.setenv("_CONDOR_USE_JOBSETS", "true")
    fake = FakeSchedd()
    monkeypatch.setattr(jobset, "Schedd", lambda: fake)
    Path("trips.set").write_text(SET)
    Path("places").write_text("wisconsin, iowa # west\n\n# none\niowa,illinois\n")
    Path("one.sub").write_text("executable = /bin/echo\narguments = $(TO)\n")
    return fake


def test_a_set_is_queued(schedd: FakeSchedd, spool: Spool) -> None:
    done = spool.run("htcondor", "jobset", "submit", "trips.set")
    assert done == ("", "Submitted job set Trips containing 3 job clusters.\n", 0)
    items = [{"From": "wisconsin", "To": "iowa"}, {"From": "iowa", "To": "illinois"}]
    assert [given for _, given in schedd.submitted] == [items] * 3
    for (text, _), arguments in zip(schedd.submitted, ("$(From)", "$(From)", "$(TO)"), strict=True):
        assert f"arguments = {arguments}\n" in text
        assert 'MY.JobSetName = "Trips"\n' in text
        assert "MY.InJobSet = True\n" in text
    assert schedd.acts == []


@pytest.mark.parametrize("refuses", [1, 2, 3])
def test_a_set_is_queued_whole_or_not_at_all(schedd: FakeSchedd, spool: Spool, refuses: int) -> None:
    schedd.refuses = refuses
    done = spool.run("htcondor", "jobset", "submit", "trips.set")
    assert (done.out, done.code) == ("", 1)
    assert "no room" in done.err
    assert schedd.acts == [
        (JobAction.Remove, f"ClusterId == {40 + number}", "Aborted job set Trips submission.")
        for number in range(1, refuses)
    ]


def test_a_description_that_cannot_be_read_leaves_no_jobs(schedd: FakeSchedd, spool: Spool) -> None:
    Path("one.sub").write_text("executable = /bin/echo\nthis is no command\n")
    done = spool.run("htcondor", "jobset", "submit", "trips.set")
    assert (done.code, schedd.submitted) == (1, [])
    assert "this is no command" in done.err


def test_an_interrupted_submit_leaves_no_jobs(
    schedd: FakeSchedd, spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit = schedd.submit

    def interrupted(description: Any, itemdata: Any) -> Any:
        if schedd.submitted:
            raise ValueError("stop")
        return submit(description, itemdata)

    monkeypatch.setattr(schedd, "submit", interrupted)
    assert spool.run("htcondor", "jobset", "submit", "trips.set").code == 1
    assert [act[1] for act in schedd.acts] == ["ClusterId == 41"]


def test_a_column_may_have_any_name(schedd: FakeSchedd, spool: Spool) -> None:
    Path("trips.set").write_text(SET.replace("To=From", r"To=\q"))
    assert spool.run("htcondor", "jobset", "submit", "trips.set").code == 0
    assert r"arguments = $(\q)" in schedd.submitted[1][0]


def test_a_set_that_cannot_be_taken_back_names_the_first_mistake(
    schedd: FakeSchedd, spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def act(*words: Any) -> None:
        raise HTCondorException("gone")

    schedd.refuses = 3
    monkeypatch.setattr(schedd, "act", act)
    assert "no room" in spool.run("htcondor", "jobset", "submit", "trips.set").err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SET.replace("places", "none"),
         "Error opening table file none in trips.set at line 2:\nNo such file or directory"),
        (SET.replace("one.sub", "none.sub"),
         "Error opening submit description file none.sub in trips.set at line 7:\nNo such file or directory"),
        (SET.replace("From,To", "From"),
         "Mismatch between number of iterator names (1) and values (2) in places at line 1."),
    ],
)  # fmt: skip
def test_files_of_a_set(schedd: FakeSchedd, spool: Spool, text: str, said: str) -> None:
    Path("trips.set").write_text(text)
    done = spool.run("htcondor", "jobset", "submit", "trips.set")
    assert (done.out, done.code, schedd.submitted) == ("", 1, [])
    assert said in done.err


def test_sets_that_are_not_wanted(schedd: FakeSchedd, spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("trips.set").write_text("name = Trips\niterator = table From,To places\n")
    done = spool.run("htcondor", "jobset", "submit", "trips.set")
    assert done.err == (
        "Warning: No jobs found in trips.set\nSubmitted job set Trips containing 0 job clusters.\n"
    )  # fmt: skip
    monkeypatch.setenv("_CONDOR_USE_JOBSETS", "false")
    monkeypatch.setattr(session, "_pool", None)
    done = spool.run("htcondor", "jobset", "submit", "trips.set")
    assert done.code == 1
    assert "Job sets not enabled on this schedd by an administrator, because USE_JOBSETS is false" in done.err


def a_set(name: str, owner: str, **counts: int) -> ClassAd:
    return ClassAd({"JobSetName": name, "Owner": owner, **counts})


def test_names_of_sets(schedd: FakeSchedd, spool: Spool) -> None:
    schedd.sets = [a_set("b", "maximilian"), a_set("b", "ann"), a_set("a", "maximilian"), a_set("b", "ann")]
    assert spool.run("htcondor", "jobset", "list").out == "JOB_SET_NAME\nb\na\nb\n"
    done = spool.run("htcondor", "jobset", "list", "--allusers")
    assert done.out.splitlines() == ["OWNER       JOB_SET_NAME", "ann         b", "maximilian  a", "maximilian  b"]
    own = f'MyType == "JobSet" && Owner == "{spool.me}"'
    assert [query[0] for query in schedd.queries] == [own, 'MyType == "JobSet"']


def job(cluster: int, proc: int, status: int, universe: int = 5) -> ClassAd:
    return ClassAd({"ClusterId": cluster, "ProcId": proc, "JobStatus": status, "JobUniverse": universe})


@pytest.fixture
def trips(schedd: FakeSchedd) -> FakeSchedd:
    """A set with jobs in the queue and in the history."""
    counts = {"NumIdle": 1, "NumSchedulerIdle": 2, "NumHeld": 1, "NumCompleted": 1}
    schedd.sets = [a_set("Trips", "ann", **counts)]
    schedd.jobs = [job(12, 1, 1), job(12, 0, 5), job(9, 0, 1)]
    schedd.past = [job(9, 1, 4), job(7, 0, 3), job(7, 1, 3, universe=7)]
    return schedd


HEAD = (
    "Trips currently has 1 job idle, 0 jobs running, 1 job held, 2 jobs completed, 1 job removed, "
    "2 DAGMan scheduler jobs idle, and 1 DAGMan scheduler job removed.\n"
)
CLUSTERS = "\tJob cluster 7 with 2 total jobs\n\tJob cluster 9 with 2 total jobs\n\tJob cluster 12 with 2 total jobs\n"
JOBS = "\tJob 7.0 removed\n\tJob 7.1 removed\n\tJob 9.0 idle\n\tJob 9.1 completed\n\tJob 12.0 held\n\tJob 12.1 idle\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", f"{HEAD}Trips contains:\n{CLUSTERS}"),
        ("--nobatch", f"{HEAD}Trips contains:\n{JOBS}"),
        ("--skip-history", "Trips currently has 1 job idle, 0 jobs running, 1 job held, 1 job completed, and 2 DAGMan "
         "scheduler jobs idle.\nTrips contains:\n\tJob cluster 9 with 1 total job\n"
         "\tJob cluster 12 with 2 total jobs\n"),
    ],
)  # fmt: skip
def test_the_jobs_of_a_set(trips: FakeSchedd, spool: Spool, words: str, said: str) -> None:
    done = spool.run("htcondor", "jobset", "status", "trips", "--owner", "ann", *words.split())
    assert done == ("", said, 0)
    first, *rest = [query[0] for query in trips.queries]
    assert first == 'MyType == "JobSet" && Owner == "ann" && JobSetName == "trips"'
    assert rest == ['JobSetName == "Trips" && Owner == "ann"'] * (1 if words == "--skip-history" else 2)


def test_a_job_that_is_recorded_and_still_in_the_queue_counts_once(trips: FakeSchedd, spool: Spool) -> None:
    trips.past += [ad for ad in trips.jobs if ad["ClusterId"] == 9]
    assert (
        spool.run("htcondor", "jobset", "status", "trips", "--owner", "ann").err == f"{HEAD}Trips contains:\n{CLUSTERS}"
    )


def test_a_set_is_removed(schedd: FakeSchedd, spool: Spool) -> None:
    done = spool.run("htcondor", "jobset", "remove", "Trips")
    assert done == ("", f"Removed 7 jobs matching job set Trips for user {spool.me}.\n", 0)
    schedd.refused = 2
    done = spool.run("htcondor", "jobset", "remove", "Trips", "--owner", "ann")
    assert done.err == (
        "Removed 7 jobs matching job set Trips for user ann.\nWarning: Could not remove 4 matching jobs.\n"
    )  # fmt: skip
    assert schedd.acts == [
        (JobAction.Remove, f'JobSetName == "Trips" && Owner == "{owner}"',
         f"via htcondor jobset remove (by user {spool.me})")
        for owner in (spool.me, "ann")
    ]  # fmt: skip
