"""Jobs that say the same of what is asked are found by their lines alone."""

from __future__ import annotations

import random
from pathlib import Path

from condor_py.model.ids import JobId, jobs_of
from condor_py.store.job_queue import JobQueue

_NAMES = ("JobStatus", "OsUser", "Owner", "Args", "A", "b", "JobPrio", "Iwd", "RequestCpus", "Rank")
_ASKED = ("rank", "osuser", "a", "jobstatus", "rank", "nobodysaysthis", "b", "requestcpus")
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
        assert queue.kinds(1, procs, _ASKED) == list(expected.values())


def test_ids_of_many_jobs_are_ids() -> None:
    ids = jobs_of(7, range(2, 5))
    assert ids == [JobId(7, 2), JobId(7, 3), JobId(7, 4)]
    assert {type(job) for job in ids} == {JobId}
    assert str(ids[0]) == "7.2"
