"""``htcondor.JobEventLog`` beside HTCondor's own reader."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from condor_py.bindings import HTCondorIOError, JobEventLog, JobEventType

_LOG = """\
000 (001.000.000) 2026-11-21 04:13:30 Job submitted from host: <127.0.0.1:39495?addrs=127.0.0.1-39495>
...
001 (001.000.000) 2026-11-21 04:13:33 Job executing on host: <127.0.0.1:1>
\tSlotName: slot1@vm
\tCpusProvisioned = 1
...
012 (001.000.000) 2026-11-21 04:13:33 Job was held.
\tvia condor_hold (by user tester)
\tCode 1 Subcode 0
...
005 (001.000.000) 2026-11-21 04:13:34 Job terminated.
\t(1) Normal termination (return value 3)
\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Remote Usage
\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage
\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Total Remote Usage
\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Total Local Usage
\t0  -  Run Bytes Sent By Job
\t0  -  Run Bytes Received By Job
\t0  -  Total Bytes Sent By Job
\t0  -  Total Bytes Received By Job
...
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "job.log"
    path.write_text(_LOG)
    return path


def test_events_are_those_of_htcondors_reader(log: Path) -> None:
    theirs = pytest.importorskip("htcondor2", reason="the HTCondor bindings are not installed here")
    for mine, other in zip(JobEventLog(str(log)).events(0), theirs.JobEventLog(str(log)).events(0), strict=True):
        assert {name: str(value) for name, value in mine.items()} == {name: str(value) for name, value in other.items()}
        assert (int(mine.type), mine.cluster, mine.proc, mine.timestamp) == (
            int(other.type), other.cluster, other.proc, other.timestamp,
        )  # fmt: skip
        assert repr(mine) == repr(other)


def test_it_goes_on_where_it_stopped(log: Path) -> None:
    reader = JobEventLog(str(log))
    assert [event.type for event in reader.events(0)][-1] == JobEventType.JOB_TERMINATED
    again = pickle.loads(pickle.dumps(reader))
    with log.open("a") as file:
        file.write("009 (001.001.000) 2026-11-21 04:14:00 Job was aborted.\n\tvia condor_rm\n...\n")
    for one in (reader, again):
        (event,) = one.events(0)
        assert (event.type, event.proc, event["Reason"]) == (JobEventType.JOB_ABORTED, 1, "via condor_rm")
        assert list(one.events(0)) == []
        one.close()
        assert list(one) == []


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(HTCondorIOError, match="Failed to open"):
        JobEventLog(str(tmp_path / "none.log"))
    with pytest.raises(ValueError, match="empty"):
        JobEventLog("")
