"""Checkpoints at a destination: sent and brought by a plugin of the job, listed with checksums, cleared in the end."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pool import PersonalPool, wait_for
from transfers import STEPS, TRANSFER, hold_of, records

#: keep://PATH is PATH below {kept}; what it brings may be spoiled by a program of the job.
PLUGIN = """
import os, re, shutil, sys
upload = "-upload" in sys.argv
given = open(sys.argv[sys.argv.index("-infile") + 1]).read()
with open(sys.argv[sys.argv.index("-outfile") + 1], "w") as out:
    for local, url in re.findall(r'LocalFileName = "([^"]*)"; Url = "([^"]*)"', given):
        there = url.replace("keep:/", "{kept}")
        here, there = (local, there) if upload else (there, local)
        try:
            os.makedirs(os.path.dirname(there), exist_ok=True)
            shutil.copy(here, there)
        except OSError:
            if not {polite}:
                raise
            out.write('[ TransferSuccess = false; TransferError = "no room"; TransferUrl = "%s" ]\\n' % url)
        else:
            out.write('[ TransferSuccess = true; TransferUrl = "%s" ]\\n' % url)
if not upload and os.path.exists("spoil"):
    open("state", "w").write("9")
"""


def with_destination(pool: PersonalPool, polite: bool = False, **knobs: str) -> tuple[str, Path]:
    """A pool whose runs end at their checkpoints, with a destination; what a job says of it, and where that is. The
    plugin tells of files that it cannot move if it is ``polite``, and fails as a whole otherwise."""
    kept = pool.work / "kept"
    text = PLUGIN.replace("{kept}", str(kept)).replace("{polite}", str(polite))
    plugin = pool.script("keep_plugin", text, "/usr/bin/env python3")
    knobs |= {"CLAIM_WORKLIFE": "0", "CHECKPOINT_DESTINATION_MAPFILE": str(mapfile_of(pool))}
    pool.configure("".join(f"{name} = {value}\n" for name, value in knobs.items()))
    return f"transfer_plugins = keep={plugin}\ncheckpoint_destination = keep://a/b\ncheckpoint_exit_code = 85\n", kept


def mapfile_of(pool: PersonalPool) -> Path:
    """The file that says how destinations are cleared; only some tests have it."""
    return pool.work / "destinations"


def rooms(pool: PersonalPool, cluster: int) -> Path:
    """The job's directory in the spool."""
    return pool.spool / str(cluster % 10_000) / "0" / f"cluster{cluster}.proc0.subproc0"


def test_a_job_goes_on_from_its_destination(pool: PersonalPool) -> None:
    asked, kept = with_destination(pool, CHECKPOINT_JOB_ATTRS="JobPrio")
    program = pool.script("steps.sh", "mkdir -p d/e; echo deep >>d/e/f; test -s made || echo new >made\n" + STEPS)
    (pool.work / "input").mkdir()
    (pool.work / "input" / "given").write_text("as it was")
    cluster = pool.submit(
        f"executable = {program}\n{TRANSFER}output = o\n{asked}transfer_checkpoint_files = state, d, given, made\n"
        "transfer_input_files = input/given\nleave_in_queue = true\nqueue\n"
    )
    pool.wait("job.log")
    assert (pool.work / "made").read_text() == "new\n", "what the first run made comes back"
    assert not (pool.work / "given").exists(), "what the job did not touch does not"
    assert (pool.work / "o").read_text() == "step 1\nstep 2\nstep 3\n"
    ((top_id,),) = pool.queue("GlobalJobId")
    top = kept / "a" / "b" / top_id.replace("#", "_")
    assert {each.name for each in top.iterdir()} >= {"0001"}
    assert (top / "0001" / "d" / "e" / "f").read_text() == "deep\n" * 2, (
        "the second run found the directory of the first"
    )
    manifest = rooms(pool, cluster) / "_condor_checkpoint_MANIFEST.0001"
    *lines, last = manifest.read_text().splitlines()
    assert [line.partition(" *")[2] for line in lines] == ["state", "d/e/f", "given", "made", "_condor_stdout"]
    for line in lines:
        checksum, _, name = line.partition(" *")
        assert hashlib.sha256((top / "0001" / name).read_bytes()).hexdigest() == checksum
    above = "".join(f"{line}\n" for line in lines).encode()
    assert last == f"{hashlib.sha256(above).hexdigest()} *{manifest.name}"
    wait_for(lambda: len(records(pool, "CHECKPOINT")) == 2, "a record a checkpoint")
    record = records(pool, "CHECKPOINT")[-1]
    assert (record["ClusterId"], record["JobPrio"]) == (str(cluster), "0")
    assert record["CheckpointPluginResultList"].count("TransferUrl") == 5


def test_what_was_spoiled_on_the_way_is_not_used(pool: PersonalPool) -> None:
    asked, _ = with_destination(pool)
    program = pool.script("steps.sh", STEPS)
    (pool.work / "spoil").touch()
    cluster = pool.submit(
        f"executable = {program}\n{TRANSFER}output = o\n{asked}transfer_checkpoint_files = state\n"
        "transfer_input_files = spoil\ntransfer_output_files =\nleave_in_queue = true\nqueue\n"
    )
    log = pool.work / "job.log"
    wait_for(lambda: "did not have expected checksum" in log.read_text(), "event 021 says which file was spoiled")
    wait_for(lambda: (rooms(pool, cluster) / "_condor_checkpoint_FAILURE.0000").exists(), "it is not used again")
    wait_for(lambda: log.read_text().count("Job executing") >= 2, "the job starts from the beginning")
    pool.tool("condor_rm", str(cluster))


def test_a_destination_whose_plugin_fails_holds_the_job(pool: PersonalPool) -> None:
    asked, kept = with_destination(pool)
    kept.touch()
    program = pool.script("steps.sh", STEPS)
    cluster = pool.submit(f"executable = {program}\n{TRANSFER}{asked}transfer_checkpoint_files = state\nqueue\n")
    code, subcode, reason = hold_of(pool, cluster)
    assert (code, subcode) == ("36", "-1")
    assert "Starter failed to upload checkpoint" in reason
    assert (rooms(pool, cluster) / "_condor_checkpoint_FAILURE.0000").exists(), "says what may lie there"


def test_a_job_goes_on_without_a_checkpoint_that_did_not_arrive(pool: PersonalPool) -> None:
    log = pool.written("StarterLog.slot1_1")
    asked, kept = with_destination(pool, polite=True)
    mapfile = mapfile_of(pool)
    mapfile.write_text(f"* keep:// cleanup_locally_mounted_checkpoint,-prefix,\\0,-path,{kept}\n")
    kept.touch()  # nothing can be put below it
    program = pool.script("steps.sh", STEPS)
    cluster = pool.submit(f"executable = {program}\n{TRANSFER}{asked}transfer_checkpoint_files = state\nqueue\n")
    wait_for(lambda: "Failed to transfer checkpoint: " in log(), "the log tells of it")
    wait_for(lambda: (pool.work / "job.log").read_text().count("Job executing") >= 2, "the job starts again")
    ((status, committed),) = pool.queue("JobStatus", "CommittedTime")
    assert status != "5"
    assert committed == "0"
    kept.unlink()
    pool.wait("job.log")
    number = "CheckpointNumber"
    wait_for(lambda: pool.history(f"{number} >= 2") == [["true"]], "no number is used twice")
    top = kept / "a" / "b"
    wait_for(lambda: not top.exists() or not any(top.iterdir()), "nothing is left, neither of what failed")
    wait_for(lambda: not rooms(pool, cluster).exists(), "the lists are gone")


def test_checkpoints_are_cleared_when_nobody_needs_them(restarted: PersonalPool) -> None:
    """In a pool where no other test leaves checkpoints."""
    pool, log = restarted, restarted.written("SchedLog")
    asked, kept = with_destination(pool, DEFAULT_NUM_EXTRA_CHECKPOINTS="0")
    mapfile = mapfile_of(pool)
    rule = f"* keep:// cleanup_locally_mounted_checkpoint,-prefix,\\0,-path,{kept}\n"
    mapfile.write_text(rule)
    program = pool.script("steps.sh", "mkdir -p d/e; echo deep >>d/e/f\n" + STEPS)
    job = (
        f"executable = {program}\n{TRANSFER}output = o\n{asked}transfer_checkpoint_files = state, d\n"
        "transfer_output_files =\nleave_in_queue = true\nqueue\n"
    )
    cluster = pool.submit(job)
    pool.wait("job.log")
    ((name,),) = pool.queue("GlobalJobId")
    place = kept / "a" / "b" / name.replace("#", "_")
    wait_for(lambda: [each.name for each in place.iterdir()] == ["0001"], "only the last one is kept")

    mapfile.write_text("")  # now nobody can say how to clear the destination
    waits = pool.spool / "checkpoint-cleanup" / name_of_owner(pool) / f"cluster{cluster}.proc0.subproc0"
    pool.tool("condor_qedit", str(cluster), "LeaveJobInQueue", "false")  # it leaves at once
    wait_for(lambda: waits.exists() and not rooms(pool, cluster).exists(), "the list waits")
    pool.recorded([["1"]], "CheckpointNumber")
    wait_for(lambda: "Failed to find checkpoint destination" in log(), "the log says why")
    assert f"{waits} - Failed to find checkpoint destination" in pool.tool("condor_preen").stdout
    mapfile.write_text(rule)
    assert pool.tool("condor_preen").stdout == ""
    assert not waits.exists()
    assert not place.exists()
    assert place.parent.exists(), "the destination itself stays"


def name_of_owner(pool: PersonalPool) -> str:
    """The owner of the pool's only job."""
    return pool.queue("Owner")[0][0]
