"""What condor_mcp answers about the pool of session_pool.py."""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("mcp.server.mcpserver", reason="the extra mcp is not installed")
sys.path.insert(0, str(Path(__file__).parent))

from session_pool import spool
from tool_runner import Spool

from condor_py.cli.mcp import looking
from condor_py.cli.mcp.limits import Limits
from condor_py.client.pool import Pool

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["spool"]
LIMITS = Limits(50, 100_000)
DRAINED = "machine lab is being drained (new kernel)"
SHARED = "physics.ann@example.net uses 4 of the 5 in use, and its share is 50%"
TOO_LARGE = "no slot is large enough: memory: wants 48.8 GB, there is 1000 MB on slot1@lab"
NO_SLOT = 'no slot meets its Requirements: TARGET.OpSys == "CPM"'
AT_SLURM = "it waits at batch slurm login.example.org (PENDING)"
HELP = {
    DRAINED: "condor_drain -cancel lab",
    SHARED: "it has its share while others wait; condor_userprio -explain physics.ann@example.net says why",
    TOO_LARGE: "let it ask for less: condor_qedit 1.2 RequestMemory 1000",
    NO_SLOT: "condor_qedit 8.0 Requirements changes them; condor_q -better-analyze 8.0 counts the slots of each",
    "it is held: no disk": "make the files that it transfers available; then condor_release 3.0",
    "it is held: memory": "let it ask for more first, e.g. condor_qedit 3.1 RequestMemory 2048; "
    "then condor_release 3.1",
    AT_SLURM: "the remote system starts it",
    "it waits for its time: it starts at 18:10:00": "nothing needs to be done",
}
FINAL = {TOO_LARGE, NO_SLOT, "it is held: no disk", "it is held: memory"}


def rows(found: Iterable[BaseModel], names: str) -> list[str]:
    """Return some fields of each row."""
    return ["|".join(str(getattr(row, name)) for name in names.split()) for row in found]


BATCH, JOB = "jobs owner name done running idle held total", "id owner batch state cpus memory_mb slot note command"
JOBS = {
    "1.0": "1.0|ann|night|running|4|777|slot1_1@lab||/bin/sleep 60",
    "1.1": f"1.1|ann|night|idle|1|128||{DRAINED}|/bin/sleep 60",
    "1.2": f"1.2|ann|night|idle|1|50000||{DRAINED}|/bin/sleep 60",
    "3.1": "3.1|bea||held|1|128||it is held: memory|/bin/sleep 60",
    "4.0": "4.0|bea||suspended|1|2|slot1_2@lab||/opt/run.sh -v secret",
    "9.0": f"9.0|dan||idle|1|128||{AT_SLURM}|/bin/sleep 60",
}


def test_the_queue(spool: Spool) -> None:
    found = looking.queue(Pool(), looking.asked([], ""), False, 50, LIMITS)
    assert rows(found.batches, BATCH) == [
        "11.0|dan|ID: 11|0|0|1|0|1", "9.0|dan|ID: 9|0|0|1|0|1", "8.0|dan|ID: 8|0|0|1|0|1", "7.0|dan|ID: 7|0|0|0|0|1",
        "6.0-1|cyd|d.dag+5|3|1|1|0|7", "4.0|bea|ID: 4|0|0|1|0|1", "3.0-1|bea|ID: 3|0|0|0|2|2",
        "1.0 ... 2.1|ann|night|0|1|3|0|5",
    ]  # fmt: skip
    assert {batch.submitted for batch in found.batches} == {"2026-11-28T16:00:00"}
    assert found.totals == {
        "idle": 7, "running": 2, "completed": 1, "held": 2, "suspended": 1, "transferring_output": 1, "removed": 1,
    }  # fmt: skip
    assert (found.jobs, found.left_out) == ([], "")


def test_some_jobs_of_the_queue(spool: Spool) -> None:
    found = looking.queue(Pool(), looking.asked(["1", "3.1", "4", "9"], ""), True, 50, LIMITS)
    assert rows(found.jobs, JOB) == list(JOBS.values())
    assert set(rows(found.jobs, "since submitted")) == {"2026-11-28T17:00:00|2026-11-28T16:00:00"}
    assert (found.totals, found.left_out) == ({"idle": 3, "running": 1, "held": 1, "suspended": 1}, "")
    cut = looking.queue(Pool(), looking.asked([], "JobPrio > 0"), True, 2, LIMITS)
    assert (rows(cut.jobs, JOB), cut.totals) == ([JOBS["1.0"], JOBS["1.1"]], {"idle": 2, "running": 1})
    assert cut.left_out == "1 of 3 left out: narrow the question with jobs or a constraint"


def test_attributes_of_a_job(spool: Spool) -> None:
    whole = looking.job(Pool(), "3.0", [], LIMITS)
    assert (whole.where, len(whole.attributes), whole.left_out) == ("queue", 29, "")
    expected = {"HoldReason": '"no disk"', "Requirements": "TARGET.Memory >= RequestMemory", "ProcId": "0"}
    assert expected.items() <= whole.attributes.items()
    for job, names, where, attributes in (
        ("1.0", ["Owner", "requestmemory", "None"], "queue", {"Owner": '"ann"', "RequestMemory": "128"}),
        ("21.1", ["Owner", "JobStatus"], "history", {"Owner": '"ann"', "JobStatus": "3"}),
    ):
        found = looking.job(Pool(), job, names, LIMITS)
        assert (found.id, found.where, found.attributes) == (job, where, attributes)


#: Jobs that wait or are held -> the reasons.
WAITING = {
    "1.1": [DRAINED, SHARED], "1.2": [DRAINED, TOO_LARGE], "3.0": ["it is held: no disk"],
    "3.1": ["it is held: memory"], "6.0": [DRAINED], "8.0": [DRAINED, NO_SLOT], "9.0": [AT_SLURM],
    "11.0": ["it waits for its time: it starts at 18:10:00"],
}  # fmt: skip


def reasons(explained: Any) -> list[str]:
    """Return the texts of reasons, whose help and finality are as expected."""
    assert [(why.help, why.final) for why in explained.reasons] == [
        (HELP[why.text], why.text in FINAL) for why in explained.reasons
    ]
    return [why.text for why in explained.reasons]


def test_why_jobs_wait(spool: Spool) -> None:
    found = looking.why(Pool(), looking.asked(["1", "3", "4", "8", "20", "21", "99"], ""), LIMITS).explained
    assert [(one.jobs, one.count, one.state) for one in found] == [
        (["1.0"], 1, "running on slot1_1@lab since 2026-11-28T17:48:20"), (["1.1"], 1, "idle"), (["1.2"], 1, "idle"),
        (["3.0"], 1, "held"), (["3.1"], 1, "held"), (["4.0"], 1, "suspended"), (["8.0"], 1, "idle"),
        (["21.1"], 1, "removed at 2026-11-28T17:48:20: too long"),
        (["21.0"], 1, "ended by signal 11 at 2026-11-28T17:46:40"),
        (["20.0"], 1, "ended with exit code 0 at 2026-11-28T17:45:00"),
        (["99"], 0, "neither in the queue nor in the history"),
    ]  # fmt: skip
    assert {one.jobs[0]: reasons(one) for one in found if one.reasons} == {
        job: WAITING[job] for job in ("1.1", "1.2", "3.0", "3.1", "8.0")
    }


def test_why_all_jobs_wait(spool: Spool) -> None:
    found = looking.why_all(Pool(), False, LIMITS)
    assert {one.jobs[0]: reasons(one) for one in found.explained} == WAITING
    assert (found.explained[0].jobs, found.explained[0].count, found.left_out) == (["1.1", "2.0"], 2, "")
    assert [one.state for one in found.explained] == [*["idle"] * 2, *["held"] * 2, *["idle"] * 4]


def test_the_history(spool: Spool) -> None:
    found = looking.history(Pool(), looking.asked([], ""), 50, LIMITS)
    names = "id owner state command submitted ended exit_code exit_signal wall_seconds memory_mb requested_memory_mb "
    assert rows(found.jobs, f"{names} starts reason") == [
        "21.1|ann|removed|/bin/sleep 60|2026-11-28T16:36:40|2026-11-28T17:48:20|None|None|0|0|0|1|too long",
        "21.0|ann|completed|/bin/sleep 60|2026-11-28T16:36:40|2026-11-28T17:46:40|None|11|0|0|0|1|",
        "20.0|ann|completed|/bin/sleep 60|2026-11-28T16:36:40|2026-11-28T17:45:00|0|None|60|77|100|1|",
    ]
    assert (found.records_read, found.left_out) == (3, "")
    one = looking.history(Pool(), looking.asked(["21"], ""), 1, LIMITS)
    assert (one.jobs, one.records_read) == (found.jobs[:1], 1)
    assert one.left_out == "older jobs are left out: narrow the question with jobs or a constraint"


def test_the_slots(spool: Spool) -> None:
    found = looking.slots(Pool(), LIMITS)
    assert rows(found.slots, "name state activity cpus memory_mb gpus load user job seconds") == [
        "slot1|Unclaimed|Idle|3.0|1000|0|0.25|||100", "slot1_1|Claimed|Busy|4.0|1000|1|0.25|physics.ann|1.0|100",
        "slot1_2|Claimed|Suspended|1.0|1000|0|0.25|bea|4.0|100", "slot2|Owner|Idle|1.0|100|0|0.25|||100",
        "slot3|Drained|Retiring|3.0|1000|0|0.25|||100",
    ]  # fmt: skip
    assert rows([found.cpus, found.memory_mb, found.gpus], "used total") == ["8.0|12.0", "3000.0|4100.0", "1.0|1.0"]
    assert found.problem == "No condor_master is running on this machine: start it with condor_master"


def test_the_users(spool: Spool) -> None:
    found = looking.users(Pool(), LIMITS)
    assert found.me == pwd.getpwuid(os.getuid()).pw_name
    assert rows(found.users, "name priority weighted_slots entitled running idle held") == [
        "physics.ann|1500.0|4.0|0.5|1|3|0", "bea|500.0|1.0|0.25|1|0|2", "cyd|4000.0|0.0|None|2|1|0",
        "dan|None|0.0|None|0|3|0",
    ]  # fmt: skip
    assert [user.share for user in found.users] == [4 / 14, 1 / 14, 0, 0]
