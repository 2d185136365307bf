"""Files that many jobs share: staged once in a data slot, linked into every job, and gone when nobody needs them."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator

import pytest
from pool import PersonalPool, wait_for
from shared_pool import STRANGER, SharedPool

_JOB = """
universe = vanilla
shell = cat a d/x own.$(Process) > out; stat -c '%i %h' a >> out; until [ -e {gate} ]; do sleep 0.05; done
transfer_common_input = a, d{more}
transfer_input_files = own.$(Process)
transfer_output_files = out
transfer_output_remaps = "out = out.$(Process)"
should_transfer_files = YES
request_memory = 1
request_disk = 10
log = job.log
"""


@pytest.fixture
def sharing(restarted: PersonalPool) -> Iterator[PersonalPool]:
    """A pool with files to share; its data slots stay for two seconds."""
    restarted.configure("KEEP_DATA_CLAIM_IDLE = 2\n")
    work = restarted.work
    (work / "a").write_text("common\n")
    (work / "d").mkdir()
    (work / "d" / "x").write_text("in a directory\n")
    for number in range(6):
        (work / f"own.{number}").write_text(f"own {number}\n")
    yield restarted
    restarted.tool("condor_rm", "-all", check=False)
    restarted.tool("condor_vacate", "-fast")  # the data slots


def _slots(pool: PersonalPool) -> dict[str, list[str]]:
    """Name, then state, memory and catalogs of all data slots."""
    names = ("Name", "State", "Cpus", "Memory", "Disk", "catalogs")
    answer = pool.tool("condor_status", "-const", "IsDataSlot", "-af", *names)
    return {line.split()[0]: line.split()[1:] for line in answer.stdout.splitlines()}


def _outputs(pool: PersonalPool, jobs: range) -> list[tuple[str, ...]]:
    """Checks what the jobs have read; the inode of the common file that each had, and how many names it had."""
    files = []
    for number in jobs:
        *lines, file = (pool.work / f"out.{number}").read_text().splitlines()
        assert lines == ["common", "in a directory", f"own {number}"]
        files.append(tuple(file.split()))
    return files


def _common_events(pool: PersonalPool) -> list[str]:
    return [one.strip() for one in (pool.work / "job.log").read_text().split("...\n") if one.startswith("047")]


def test_files_are_staged_once_and_leave_with_the_last_job(sharing: PersonalPool) -> None:
    pool, gate = sharing, sharing.work / "gate"
    epochs = pool.spool / "epoch_history"
    before = epochs.read_text() if epochs.exists() else ""
    cluster = pool.submit(_JOB.format(gate=gate, more="") + "queue 6\n")

    def four_run() -> bool:
        return sum(status == ["2"] for status in pool.queue("JobStatus")) == 4

    wait_for(four_run, "four jobs on four cpus, the data slot has none")

    def catalogs() -> str:
        return "; ".join(" ".join(slot[4:]) for slot in _slots(pool).values())

    wait_for(lambda: re.fullmatch(r"{ catalog_\d+ }", catalogs()), "a data slot is shown")
    assert [slot[:3] for slot in _slots(pool).values()] == [["Claimed", "0", "0"]]
    gate.touch()
    pool.wait("job.log")
    assert len({inode for inode, _ in _outputs(pool, range(6))}) == 1
    started, finished = _common_events(pool)
    assert f"({cluster:03d}.-1000.000)" in started
    assert "Common files event: TransferStarted" in started
    assert "Common files event: TransferFinished" in finished
    wait_for(lambda: not _slots(pool), "the data slot goes when nobody has needed it for a while")
    wait_for(lambda: not os.listdir(pool.execute), "its files are gone")
    told = epochs.read_text().removeprefix(before)
    assert told.count(f"*** COMMON ClusterId={cluster} ") == 1
    assert told.count("\nCommonFilesMappedTime = ") == 6


_PLUGIN = """#!/bin/sh
if [ "$1" = -classad ]; then
  printf 'MultipleFileSupport = false\\nSupportedMethods = "slow"\\nPluginType = "FileTransfer"\\n'
  exit 0
fi
echo once >> %(work)s/fetched
until [ -e %(work)s/arrived ]; do sleep 0.05; done
echo slow > "$2"
"""


@pytest.fixture
def slow(sharing: PersonalPool) -> PersonalPool:
    """A pool where common files that are slow://... take until the file ``arrived`` is there."""
    plugin = sharing.work / "slow_plugin"
    plugin.write_text(_PLUGIN % {"work": sharing.work})
    plugin.chmod(0o755)
    sharing.configure(f"FILETRANSFER_PLUGINS = {plugin}\nKEEP_DATA_CLAIM_IDLE = 60\n")
    return sharing


def _fetches(pool: PersonalPool) -> int:
    fetched = pool.work / "fetched"
    return len(fetched.read_text().split()) if fetched.exists() else 0


def _all_are(pool: PersonalPool, status: int) -> bool:
    return {tuple(row) for row in pool.queue("JobStatus")} == {(str(status),)}


def _kill_data_slot(pool: PersonalPool) -> None:
    def shown() -> str:
        return pool.tool("condor_status", "-const", "IsDataSlot", "-af", "StarterPid").stdout

    wait_for(lambda: shown().strip().isdigit(), "the data slot is shown")
    os.kill(int(shown()), signal.SIGKILL)


def test_a_killed_data_slot_is_made_anew(slow: PersonalPool) -> None:
    """And a killed schedd takes it over, while the jobs run on."""
    pool, gate = slow, slow.work / "gate"
    pool.submit(_JOB.format(gate=gate, more=", slow://x/file") + "queue 3\n")
    wait_for(lambda: _fetches(pool) == 1, "the files are on their way")
    wait_for(lambda: _all_are(pool, 9), "everybody waits for them")
    _kill_data_slot(pool)
    wait_for(lambda: _fetches(pool) == 2, "somebody else fetches them")
    (pool.work / "arrived").touch()
    wait_for(lambda: _all_are(pool, 2), "all run")
    pool.kill("schedd")
    wait_for(lambda: _all_are(pool, 2), "the new schedd finds them")
    gate.touch()
    pool.wait("job.log")
    gate.unlink()
    pool.submit(_JOB.format(gate=gate, more=", slow://x/file").replace("job.log", "later.log") + "queue 1\n")
    pool.kill("startd")
    wait_for(lambda: _all_are(pool, 2), "a new startd stages what is needed")
    gate.touch()
    pool.wait("later.log")
    _outputs(pool, range(3))


def test_a_job_without_its_data_slot_still_has_its_files(slow: PersonalPool) -> None:
    pool, gate = slow, slow.work / "gate"
    (pool.work / "arrived").touch()
    text = _JOB.format(gate=gate, more=", slow://x/file")
    text = text.replace("shell = ", f"shell = until [ -e {pool.work}/read ]; do sleep 0.05; done; ")
    cluster = pool.submit(f"{text}queue 2\n")
    for proc in range(2):
        pool.started("job.log", f"{cluster}.{proc}")  # they have got what they share
    _kill_data_slot(pool)
    wait_for(lambda: not _slots(pool), "the data slot is gone")
    (pool.work / "read").touch()
    gate.touch()
    pool.wait("job.log")
    _outputs(pool, range(2))
    assert _fetches(pool) == 1


def test_where_it_is_forbidden_or_fails_jobs_fetch_their_files_themselves(sharing: PersonalPool) -> None:
    pool, gate = sharing, sharing.work / "gate"
    gate.touch()
    job = f"{pool.submit(_JOB.format(gate=gate, more=', missing') + 'queue 2')}.0"
    wait_for(lambda: _all_are(pool, 5), "they cannot be fetched, and the jobs are held for it")
    reasons = [" ".join(row) for row in pool.queue("HoldReasonCode", "HoldReason")]
    assert all(reason.startswith("13 Transfer input files failure at access point") for reason in reasons)
    wait_for(lambda: (12, job) in pool.events("job.log"), "the log tells of it")
    assert len(_common_events(pool)) == 2
    # What failure_files names comes back even so: two transfers, each begun and ended.
    assert [number for number, one in pool.events("job.log") if one == job] == [0, 40, 40, 40, 40, 21, 4, 12]
    pool.tool("condor_rm", "-all")
    pool.configure("FORBID_COMMON_FILE_TRANSFER = true\n")
    pool.submit(_JOB.format(gate=gate, more="").replace("job.log", "own.log") + "queue 2\n")
    pool.wait("own.log")
    assert [names for _, names in _outputs(pool, range(2))] == ["1", "1"]
    assert "\n047 " not in (pool.work / "own.log").read_text()


def test_accounts_share_nothing_and_cannot_spoil_what_is_shared(shared: SharedPool) -> None:
    """Also those that a job runs as because it may not run as its owner."""
    pool = shared
    accounts = "".join(f"SLOT1_{number}_USER = games\n" for number in range(1, 6))
    pool.configure(f"STARTER_ALLOW_RUNAS_OWNER = false\nKEEP_DATA_CLAIM_IDLE = 1\n{accounts}")
    (pool.theirs / "a").write_text("theirs\n")
    text = (
        "shell = stat -c '%U %a' a; chmod u+w a; echo spoiled > a; cat a; id -un\n"
        "log = job.log\noutput = o.$(Process)\n"
        f"should_transfer_files = YES\ntransfer_common_input = {pool.theirs}/a\nMY.DAGManJobId = 77\n"
        "request_memory = 1\nqueue 2\n"
    )
    pool.submit_as_stranger(text)
    pool.tool("condor_wait", "-wait", "60", str(pool.theirs / "job.log"))
    for number in range(2):
        assert (pool.theirs / f"o.{number}").read_text().split() == [STRANGER, "444", "theirs", "games"]
    pool.submit(text)
    pool.wait("job.log")
    assert len(_common_events(pool)) == 2, "root fetches files of its own"
    assert (pool.work / "o.0").read_text().split() == ["root", "444", "theirs", "games"]
