"""What tests of file transfer share: submit lines, the hold of a job, a job of shell lines."""

from __future__ import annotations

from pool import PersonalPool, wait_for

TRANSFER = "should_transfer_files = YES\nlog = job.log\n"
#: Shell lines of a job of three steps that counts them in the file "state" and ends each but the last as a checkpoint.
STEPS = (
    "n=0; test -f state && n=$(cat state)\nn=$((n+1)); echo $n >state; echo step $n\nsleep 1.1\n"
    "test $n -lt 3 && exit 85\nexit 0\n"
)


def hold_of(pool: PersonalPool, cluster: int) -> tuple[str, str, str]:
    """Code, subcode and reason of the hold of a job."""
    wait_for(lambda: pool.status_of(f"{cluster}.0") == 5, "the job is held")
    done = pool.tool("condor_q", str(cluster), "-af:t", "HoldReasonCode", "HoldReasonSubCode", "HoldReason")
    code, subcode, reason = done.stdout.strip().split("\t")
    return code, subcode, reason


def records(pool: PersonalPool, kind: str) -> list[dict[str, str]]:
    """The records of transfers of a kind of the jobs of a test, oldest first."""
    found: list[dict[str, str]] = []
    attributes: dict[str, str] = {}
    for line in (pool.spool / "epoch_history").read_text().splitlines():
        if line.startswith("*** "):
            if line.startswith(f"*** {kind} ") and int(attributes["ClusterId"]) >= pool.first_cluster:
                found.append(attributes)
            attributes = {}
        else:
            name, _, text = line.partition(" = ")
            attributes[name] = text
    return found
