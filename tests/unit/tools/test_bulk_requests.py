"""Changes of many jobs that a tool leaves to the schedd: what happens when it does not get through them."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.client.asking import for_jobs
from condor_py.client.pool import open_pool
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.messages.codec import Refused
from condor_py.model.messages.queue import Act, Results
from condor_py.model.selection import Selection


class _Full:
    """A schedd that performs so many requests and refuses the others."""

    def __init__(self, requests: int) -> None:
        self._left = requests

    def ask(self, request: Any, body: bytes = b"", *, listen: Any = None) -> Any:
        self._left -= 1
        return Results([[*request.ids[0], len(request.ids), 1]]) if self._left >= 0 else Refused("the disk is full")


def test_an_error_in_the_middle_of_many_jobs_says_how_many_are_done() -> None:
    jobs = Selection(tuple(JobId(7, proc) for proc in range(10_000)))
    done = for_jobs(_Full(3), Act(action="hold"), jobs)  # type: ignore[arg-type]
    assert len(done) == 10_000
    with pytest.raises(CondorError, match=r"^the disk is full \(the first 8000 of 10000 jobs were seen to\)$"):
        for_jobs(_Full(2), Act(action="hold"), jobs)  # type: ignore[arg-type]
    with pytest.raises(CondorError, match=r"^the disk is full$"):
        for_jobs(_Full(0), Act(action="hold"), jobs)  # type: ignore[arg-type]


@contextmanager
def _dying_schedd() -> Iterator[None]:
    """One that hears one request and is gone."""
    path = Path(open_pool().paths.socket("schedd"))
    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.bind(str(path))
        door.listen()

        def die() -> None:
            link, _ = door.accept()
            link.recv(1)
            path.unlink()
            link.close()

        thread = threading.Thread(target=die)
        thread.start()
        yield
        thread.join()


@pytest.mark.parametrize("words", [("condor_hold",), ("condor_prio", "-p", "7")])
def test_a_schedd_that_dies_meanwhile_does_not_keep_its_owner_from_changing_the_queue(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr("condor_py.client.pool._LONG_QUEUE", 0)
    spool.add(5, procs=3)
    with _dying_schedd():
        done = spool.run(*words, "-a" if words[0] == "condor_prio" else "-all")
    assert (done.code, done.err) == (0, "")
    changed = spool.values("JobStatus" if words[0] == "condor_hold" else "JobPrio")
    assert set(changed.values()) == {"5" if words[0] == "condor_hold" else "7"}


def test_condor_prio_of_all_jobs_names_those_of_others(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(5, procs=2)
    spool.add(6, procs=2, owner="somebody")
    monkeypatch.setenv("_CONDOR_QUEUE_SUPER_USERS", "nobody")
    monkeypatch.setattr(os, "geteuid", lambda: spool.path.stat().st_uid)
    monkeypatch.setattr("condor_py.client.pool.Pool.is_superuser", False)
    done = spool.run("condor_prio", "-p", "4", "-a")
    assert done.code == 1
    reason = "it is a job of somebody, which only they and administrators may change"
    assert done.err == "".join(f"Couldn't set new priority for 6.{proc}: {reason}.\n" for proc in (0, 1))
    assert spool.values("JobPrio") == {"5.0": "4", "5.1": "4", "6.0": "0", "6.1": "0"}
