"""Where the events of a job go is an expression of its owner's: it may cost him something, and nobody else."""

from __future__ import annotations

from getpass import getuser
from pathlib import Path
from time import process_time

import pytest

from condor_py.client.userlog import UserLogs
from condor_py.core.jobs.effects import UserEvent
from condor_py.lang.classad import ClassAd
from condor_py.lang.events import JobReleased
from condor_py.model.settings.userlog import UserLogSettings

DOUBLING = {"A0": "1", **{f"A{n}": f"A{n - 1} + A{n - 1}" for n in range(1, 45)}}


def event(proc: int, **texts: str) -> UserEvent:
    event = JobReleased(cluster=1, proc=proc, time=1000.0, reason="enough")
    return UserEvent(ClassAd.from_text_items(texts.items()), event, (event.proc,))


@pytest.mark.parametrize("attribute", ["UserLog", "DAGManNodesLog"])
def test_the_name_of_a_log_costs_its_owner_no_more_than_he_may_spend(attribute: str, tmp_path: Path) -> None:
    logs = UserLogs(UserLogSettings(), print)
    before = process_time()
    for proc in range(20):
        costly = {attribute: 'strcat("/tmp/", A44)', **DOUBLING}
        logs.add(event(proc, Owner='"mallory"', Iwd='"/tmp"', **costly))
    assert process_time() - before < 2.0
    logs.add(event(30, Owner=f'"{getuser()}"', UserLog='"job.log"', Iwd=f'"{tmp_path}"'))
    logs.flush()
    assert "(001.030.000)" in (tmp_path / "job.log").read_text()
