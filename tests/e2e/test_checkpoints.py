"""Jobs that checkpoint themselves: a claim that takes no more, what counts as committed, failing checkpoints."""

from __future__ import annotations

from pool import PersonalPool, wait_for
from transfers import STEPS, TRANSFER, hold_of


def test_a_claim_that_takes_no_more_ends_the_run_at_the_checkpoint(pool: PersonalPool) -> None:
    pool.configure("CLAIM_WORKLIFE = 0\n")
    program = pool.script("steps.sh", STEPS)
    pool.submit(f"executable = {program}\n{TRANSFER}output = o\ncheckpoint_exit_code = 85\nqueue\n")
    pool.wait("job.log")
    assert (pool.work / "o").read_text() == "step 1\nstep 2\nstep 3\n"
    numbers = [number for number, _ in pool.events("job.log")]
    assert [number for number in numbers if number in (1, 4, 5)] == [1, 4, 1, 4, 1, 5]
    log = (pool.work / "job.log").read_text()
    assert log.count("because reactivating the claim would have failed.") == 2
    wanted = ("NumJobStarts", "CheckpointNumber", "VacateReasonCode")
    wait_for(lambda: pool.history(*wanted) == [["3", "1", "undefined"]], "checkpoints are counted over all runs")
    ((committed, wall),) = pool.history("CommittedTime", "int(RemoteWallClockTime)")
    assert 3 <= int(committed) <= int(wall) + 1, "what led to a checkpoint counts"
    assert numbers.count(40) >= 3 * 2 + 2 * 2, "input of three runs, and two checkpoints"


def test_a_checkpoint_that_cannot_be_saved_holds_the_job(pool: PersonalPool) -> None:
    program = pool.script("link.sh", "mkdir d; touch d/a; ln -s d s; exit 85\n")
    cluster = pool.submit(
        f"executable = {program}\n{TRANSFER}checkpoint_exit_code = 85\ntransfer_checkpoint_files = s\nqueue\n"
    )
    code, subcode, reason = hold_of(pool, cluster)
    assert (code, subcode) == ("36", "-1")
    assert "Starter failed to upload checkpoint" in reason
