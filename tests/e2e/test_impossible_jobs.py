"""Jobs that ask for impossible things, in a real pool: they wait or are held, everybody else runs, no daemon ends."""

from __future__ import annotations

import pytest
from pool import PersonalPool, wait_for

DAEMONS = ("master", "schedd", "startd", "negotiator")
HOSTILE = (
    '+RequestDisk = -real("INF")',
    '+RequestDisk = real("INF")',
    '+RequestMemory = real("NaN")',
    "+RequestCpus = 1e300",
    '+Rank = real("INF")',
    "+NumShadowStarts = 9223372036854775807",
    '+JobLeaseDuration = real("INF")',
    '+MaxJobRetirementTime = real("INF")',
    '+KillSigTimeout = -real("INF")\n+JobMaxVacateTime = 1e300',
    "+CoreSize = 1e300\n+StackSize = -1",
    '+DeferralTime = real("INF")',
)


def test_no_job_stops_the_pool(pool: PersonalPool) -> None:
    before = {name: pool.pid(name) for name in DAEMONS}
    for wish in HOSTILE:
        pool.submit(f"executable = /bin/sleep\narguments = 0\nlog = bad.log\n{wish}\nqueue\n")
    cluster = pool.submit("executable = /bin/true\nlog = good.log\nqueue 4\n")
    pool.wait("good.log")
    assert sum(number == 5 for number, job in pool.events("good.log") if job.startswith(f"{cluster}.")) == 4
    wait_for(lambda: all(status != "2" for (status,) in pool.queue("JobStatus")), "nothing runs for ever")
    pool.tool("condor_rm", "-all")
    wait_for(lambda: not pool.queue("ClusterId"), "the queue is empty")
    assert {name: pool.pid(name) for name in DAEMONS} == before
    for log in pool.log.glob("*Log*"):
        told = [line for line in pool.logged(log.name).splitlines() if " ERROR " in line]
        assert not told, f"{log.name}: {told[0]}"


def test_priorities_and_signals_that_root_would_act_on_are_refused_and_clamped(pool: PersonalPool) -> None:
    for wish, reason in (("+JobNice = -20", "from 0 to 19"), ('+KillSig = "²"', "no such signal")):
        (pool.work / "bad.sub").write_text(f"executable = /bin/true\n{wish}\nqueue\n")
        done = pool.tool("condor_submit", "bad.sub", check=False)
        assert done.returncode == 1
        assert reason in done.stderr
    pool.submit(
        "executable = /bin/cat\narguments = /proc/self/stat\noutput = nice.txt\nlog = nice.log\n"
        "transfer_executable = false\n+JobNice = ifThenElse(ClusterId > 0, -20, 0)\n"
        '+KillSig = strcat("SIG", 99 + ProcId)\nqueue\n'
    )
    pool.wait("nice.log")
    assert int((pool.work / "nice.txt").read_text().rpartition(")")[2].split()[16]) >= 0


def nothing_failed(pool: PersonalPool) -> None:
    """No daemon speaks of a fault of its own."""
    for log in pool.log.glob("*Log*"):
        told = pool.logged(log.name)
        assert "Traceback" not in told, f"{log.name}: {told}"
        assert "given up" not in told, f"{log.name}: {told}"


SAFE = "executable = /bin/true\nlog = safe.log\n"


@pytest.mark.parametrize("name", ["a b", "a\u00a0b", "a\u2028b", "a\u0085b", "a\tb", "x" * 2000])
def test_names_that_no_submitter_may_have_are_refused(stopped_pool: PersonalPool, name: str) -> None:
    pool = stopped_pool
    for line in (f'+AccountingGroup = "{name}"', f'MY.AccountingGroup = "{name}"'):
        (pool.work / "bad.sub").write_text(f"executable = /bin/true\n{line}\nqueue\n")
        done = pool.tool("condor_submit", "bad.sub", check=False)
        assert (done.returncode, "the name of a submitter" in done.stderr) == (1, True), done.stderr
    cluster = pool.submit("executable = /bin/true\nhold = true\nqueue\n")
    done = pool.tool("condor_qedit", f"{cluster}.0", "AccountingGroup", f'"{name}"', check=False)
    assert (done.returncode, "the name of a submitter" in done.stderr + done.stdout) == (1, True), done.stderr


def test_a_submitter_without_a_proper_name_is_ignored_and_nobody_else(pool: PersonalPool) -> None:
    """The name comes of an expression, which no door can judge."""
    bad = pool.submit(f'{SAFE}+AccountingGroup = MyGroup\n+MyGroup = "a b"\nqueue 3\n')
    good = pool.submit(f"{SAFE}queue\n")
    wait_for(lambda: (5, f"{good}.0") in pool.events("safe.log"), "the other job has run")
    told = "has white space in it"
    wait_for(lambda: told in pool.tool("condor_q", "-af", "LastRejMatchReason").stdout, "the jobs hear why they wait")
    wait_for(lambda: pool.status_of(f"{good}.0") is None, "the other job has left the queue")
    assert pool.queue("ClusterId", "JobStatus") == [[str(bad), "1"]] * 3
    nothing_failed(pool)


@pytest.mark.parametrize("cpus", ["1e308", 'real("INF")', 'real("NaN")', "error", "-1e308"])
def test_what_jobs_ask_for_does_not_stop_the_sums_of_a_cycle(pool: PersonalPool, cpus: str) -> None:
    pool.submit(f"{SAFE}+RequestCpus = {cpus}\nqueue 3\n")
    good = pool.submit(f"{SAFE}queue\n")
    wait_for(lambda: (5, f"{good}.0") in pool.events("safe.log"), "the other job has run")
    nothing_failed(pool)


def test_arguments_that_cannot_be_read_hold_the_job(pool: PersonalPool) -> None:
    """Submit refuses them; an edit and a value of the slot's bring them in all the same."""
    quoted = pool.submit(f"{SAFE}hold = true\narguments = x\nqueue\n")
    pool.tool("condor_qedit", f"{quoted}.0", "Arguments", '"a \'b"')
    lines = pool.submit(f'{SAFE}hold = true\n+Arguments = "$$([formatTime(0, \\"a%nb\\")])"\nqueue\n')
    pool.tool("condor_release", str(quoted), str(lines))
    reasons = {}

    def held() -> bool:
        nonlocal reasons
        reasons = {row[0]: " ".join(row[1:]) for row in pool.queue("ClusterId", "HoldReason")}
        return "cannot be read" in reasons[str(quoted)] and "Cannot expand" in reasons[str(lines)]

    wait_for(held, lambda: f"both are held for what they say: {reasons}")
    assert reasons[str(quoted)].endswith("Arguments cannot be read: Unbalanced quote starting here: 'b"), reasons
    nothing_failed(pool)
