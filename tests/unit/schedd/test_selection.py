"""Which jobs a constraint means: those for which it is true, and no others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from condor_py.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.schedd.requests import Caller, Selection, act, edit, select


class ThreeJobs:
    """A queue of three held jobs, one of which has the attribute Foo."""

    def __init__(self) -> None:
        self.ads = {
            JobId(1, proc): ClassAd({"Owner": "alice", "JobStatus": 5, "ClusterId": 1, "ProcId": proc})
            for proc in range(3)
        }
        self.ads[JobId(1, 1)]["Foo"] = "bar"

    def job(self, job: JobId) -> ClassAd | None:
        return self.ads.get(job)

    def jobs(self) -> Iterator[tuple[JobId, ClassAd]]:
        return iter(self.ads.items())


@pytest.mark.parametrize(
    ("constraint", "procs"),
    [
        ('Foo == "bar"', [1]),
        ("Bar == 1", []),
        ("undefined", []),
        ("error", []),
        ("ProcId / 0 == 1", []),
        ('"true"', []),
        ("ProcId", [1, 2]),
        ("ProcId > 0.5", [1, 2]),
        ("true", [0, 1, 2]),
        ("Foo isnt undefined", [1]),
    ],
)
def test_only_jobs_for_which_it_is_true(constraint: str, procs: list[int]) -> None:
    jobs = ThreeJobs()
    assert [job.proc for job, _ in select(jobs, constraint)] == procs  # type: ignore[arg-type]
    selection = Selection(constraint=constraint)
    results, _ = act(jobs, Caller("alice"), "remove", selection, None, None, 0)  # type: ignore[arg-type]
    assert [job.proc for job in results] == procs
    results, _ = edit(jobs, Caller("alice"), selection, [("Bar", "1")])  # type: ignore[arg-type]
    assert [job.proc for job in results] == procs
