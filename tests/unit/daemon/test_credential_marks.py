"""Marks of users without jobs, whose credentials condor_credd removes after a while."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.daemons.schedd.upkeep import CredentialMarks
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import StoreError
from condor_py.model.settings.credentials import CredentialSettings
from condor_py.store.credentials import TokenFiles


class Queue:
    """A queue in which alice has a job, and bob had one before."""

    def __init__(self) -> None:
        self.user_records = {2: ClassAd.from_text_items([("User", '"bob@example.net"')])}
        self.error: Exception | None = None

    def clusters(self) -> list[int]:
        return [1, 2, 3]

    def cluster(self, number: int) -> ClassAd:
        if self.error is not None:
            raise self.error
        return ClassAd.from_text_items([("Owner", '"alice"')])


@pytest.mark.parametrize("error", [StoreError("job_queue.log: Input/output error"), RecursionError("too deep")])
def test_a_look_for_users_without_jobs_that_fails_is_not_the_last(tmp_path: Path, error: Exception) -> None:
    """One seemed to be under way, so that no user was marked until the schedd was started again."""
    tokens, queue, logged, later = TokenFiles(str(tmp_path)), Queue(), list[str](), list[Callable[[], None]]()
    for user in ("alice", "bob"):
        tokens.put(user, "box", "use", b"token")
    loop = SimpleNamespace(after=lambda seconds, call: later.append(call))
    shared: Any = SimpleNamespace(loop=loop, log=logged.append, queue=queue)
    marks = CredentialMarks(shared, lambda: CredentialSettings(oauth=str(tmp_path)))
    queue.error = error
    marks.begin()
    assert len(logged) == 1
    assert str(error) in logged[0]
    assert not (tmp_path / "bob.mark").exists()
    queue.error = None
    marks.begin()
    while later:
        later.pop()()
    assert (tmp_path / "bob.mark").exists()
    assert not (tmp_path / "alice.mark").exists()
