"""Jobs that say the same of what is asked are found by their lines alone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from condor_py.core.jobs.jobevents import SUBMIT_NAMES, TELLING_MORE
from condor_py.model.ids import JobId, jobs_of
from condor_py.store.job_queue import JobQueue
from condor_py.store.logreader import COMPILED

_NAMES = ("JobStatus", "OsUser", "Owner", "Args", "A", "b", "JobPrio", "Iwd", "RequestCpus", "Rank")
_ASKED = ("rank", "osuser", "a", "jobstatus", "rank", "nobodysaysthis", "b", "requestcpus")
#: What jobs say beside their clusters when they come and when they are held or released.
_OWN = (
    "GlobalJobId", "ProcId", "Args", "Arguments", "In", "Out", "Err", "Env", "Environment", "TransferInput",
    "RequestMemory", "EnteredCurrentStatus", "LastJobStatus", "HoldReason", "HoldReasonCode", "HoldReasonSubCode",
    "NumHolds", "NumSystemHolds", "ReleaseReason", "LastHoldReason", "LastHoldReasonCode", "JobPrio", "RemoveReason",
)  # fmt: skip
#: What is asked of all jobs, when a schedd starts or somebody asks how many there are.
_OF_ALL = ("jobuniverse", "osuser", "owner", "accountinggroup", *SUBMIT_NAMES, *TELLING_MORE)
_VALUES = ("1", "2", '"x"', '"x', "undefined", "A + 1")


def _log(rng: random.Random, jobs: int) -> tuple[str, dict[tuple[str | None, ...], list[int]]]:
    """A log, and procs by what they said last of each name that is asked; None for nothing."""
    lines, kinds = ["107 1 CreationTimestamp 1795214128", "101 01.-1 Job Machine"], {}
    for proc in range(jobs):
        lines.append(f"101 1.{proc} Job Machine")
        said: dict[str, str | None] = {}
        for _ in range(rng.randrange(4)):
            name, value = rng.choice((*_NAMES, *map(str.upper, _NAMES))), rng.choice(_VALUES)
            deletes = rng.random() < 0.2
            lines.append(f"104 1.{proc} {name}" if deletes else f"103 1.{proc} {name} {value}")
            said[name.lower()] = "(deleted)" if deletes else value
        kinds.setdefault(tuple(map(said.get, _ASKED)), []).append(proc)
    return "".join(f"{line}\n" for line in lines), kinds


def test_jobs_are_told_apart_by_what_they_say_and_delete(tmp_path: Path) -> None:
    rng = random.Random(5)
    for turn in range(60):
        path = tmp_path / f"log{turn}"
        text, expected = _log(rng, rng.randrange(1, 80))
        path.write_text(text)
        queue = JobQueue(str(path), readonly=True)
        procs = list(queue.procs(1))
        assert queue.kinds(jobs_of(1, procs), _ASKED) == [jobs_of(1, some) for some in expected.values()]


@pytest.mark.skipif(not COMPILED, reason="the C module is not there")
def test_what_jobs_say_themselves_does_not_look_like_what_is_asked_of_all(tmp_path: Path) -> None:
    lines = ["107 1 CreationTimestamp 1795214128", "101 01.-1 Job Machine", "101 1.0 Job Machine"]
    lines += ["103 1.0 JobStatus 5", *(f"103 1.0 {name} 1" for name in _OWN)]
    (tmp_path / "log").write_text("".join(f"{line}\n" for line in [*lines, "104 1.0 JobPreparingTasks"]))
    queue = JobQueue(str(tmp_path / "log"), readonly=True)
    assert queue.mentioned(1, _OF_ALL) == ()
    assert queue.mentioned(1, ("holdreason", "user")) == ("holdreason",)
    assert queue.states(1, "jobuniverse") == ({5: 1}, [])


def test_ids_of_many_jobs_are_ids() -> None:
    ids = jobs_of(7, range(2, 5))
    assert ids == [JobId(7, 2), JobId(7, 3), JobId(7, 4)]
    assert {type(job) for job in ids} == {JobId}
    assert str(ids[0]) == "7.2"
