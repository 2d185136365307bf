"""The hook that prepares a job at the access point: it changes the run, holds the job, or sends it back."""

from __future__ import annotations

import os

from hook_programs import hook, told
from pool import PersonalPool, wait_for


def job(keyword: str, more: str = "") -> str:
    """A job with the hooks of ``keyword``."""
    return (
        "executable = /bin/sh\narguments = \"-c 'env; grep ^Extra .job.ad'\"\noutput = out\nlog = log\n"
        f'should_transfer_files = YES\n+HookKeyword = "{keyword}"\n{more}queue\n'
    )


def attributes(pool: PersonalPool, cluster: int, *names: str) -> list[str]:
    """Attributes of a job in the queue."""
    return pool.tool("condor_q", str(cluster), "-af:t", *names).stdout.strip().split("\t")


def test_a_hook_at_the_access_point_changes_holds_and_sends_back(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("SHADOW_RENICE_INCREMENT", "9")
    pool.knob("SCHEDD_ENVIRONMENT", "\"OF_SCHEDD='of the schedd'\"")
    hook(pool, "SHADOW_PREPARE_JOB", f"echo $OF_SCHEDD $(nice) >{pool.work}/seen\necho 'Extra = \"yes\"'", "CHANGE")
    (pool.work / "hook_change").symlink_to(pool.work / "hook_SHADOW_PREPARE_JOB")
    for keyword, code in (("HOLD", 190), ("BACK", 390)):
        path = pool.work / f"hook_{keyword}"
        path.write_text(f"#!/bin/sh\necho 'HookStatusMessage = \"no luck\"'\necho 'HookStatusCode = {code}'\n")
        path.chmod(0o755)
        pool.knob(f"{keyword}_HOOK_SHADOW_PREPARE_JOB", str(path))
    pool.knob("LATE_HOOK_SHADOW_PREPARE_JOB", "/bin/sleep")
    pool.knob("LATE_HOOK_SHADOW_PREPARE_JOB_ARGS", "1000")
    pool.start()

    changed = pool.submit(job("change"))
    pool.wait("log")
    out = (pool.work / "out").read_text()
    assert 'Extra = "yes"' in out, "the run has what the hook printed"
    assert "OF_SCHEDD" not in out
    pool.recorded([[str(changed), "undefined"]], "ClusterId", "Extra")  # the queue has not
    assert (pool.work / "seen").read_text() == f"of the schedd {max(9, os.nice(0))}\n"
    assert told(pool, "SHADOW_PREPARE_JOB")["ClusterId"] == str(changed)

    held = pool.submit(job("hold"))
    wait_for(lambda: pool.status_of(f"{held}.0") == 5, "the job is held")
    code, subcode, reason = attributes(pool, held, "HoldReasonCode", "HoldReasonSubCode", "HoldReason")
    assert (code, subcode) == ("48", "190")
    assert reason == "SHADOW_PREPARE_JOB (hook_HOLD) failed (reported status 190): no luck"

    back = pool.submit(job("back", "requirements = NumShadowStarts =!= 1\n"))
    wait_for(lambda: attributes(pool, back, "NumVacates") == ["1"], "the job is sent back")
    assert attributes(pool, back, "JobStatus", "NumJobStarts", "VacateReasonCode") == ["1", "0", "48"]
    wait_for(lambda: (7, f"{back}.0") in pool.events("log"), "and its log tells of it")

    late = pool.submit(job("late"))
    wait_for(lambda: pool.status_of(f"{late}.0") == 2, "its hook works")
    pool.tool("condor_rm", str(late))
    wait_for(lambda: pool.status_of(f"{late}.0") is None, "a removed job does not wait for its hook")
    assert (9, f"{late}.0") in pool.events("log")
