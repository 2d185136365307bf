"""A job for which this pool has no plugin waits for ever: people are told when they submit and look."""

from __future__ import annotations

from pool import PersonalPool, wait_for
from screen import on_terminal

PLUGIN = (
    "executable = /bin/true\nshould_transfer_files = yes\ntransfer_input_files = gold://mine/ore\n"
    "when_to_transfer_output = on_exit\nqueue 2\n"
)
NO_PLUGIN = "no slot has a file transfer plugin for gold:// (HasFileTransferPluginMethods)"


def test_people_are_told_and_programs_are_not(pool: PersonalPool) -> None:
    first = pool.first_cluster
    (pool.work / "vain.sub").write_text(PLUGIN)
    code, shown = on_terminal(pool, "condor_submit", "vain.sub")
    assert code == 0
    assert shown.endswith(f"WARNING: nothing here will run this: {NO_PLUGIN}\n")
    assert NO_PLUGIN not in pool.tool("condor_submit", "vain.sub").stderr
    shown = on_terminal(pool, "condor_q")[1]
    assert shown.endswith(f"Will never run: {first}, {first + 1} ({NO_PLUGIN})\n")
    assert f"It will never run here: {NO_PLUGIN}\n" in on_terminal(pool, "condor_q", "-better-analyze", f"{first}.1")[1]
    rows = [line.split() for line in pool.tool("condor_q", "-forecast").stdout.splitlines()[4:]]
    told = {row[0]: " ".join(row[2:]) for row in rows}
    jobs = [f"{cluster}.{proc}" for cluster in (first, first + 1) for proc in (0, 1)]
    assert told == dict.fromkeys(jobs, f"never {NO_PLUGIN}")
    done = pool.tool("condor_q")
    assert "never" not in done.stdout + done.stderr
    pool.tool("condor_hold", "-all")
    code, shown = on_terminal(pool, "condor_q")
    assert code == 0
    assert "never" not in shown
    assert "error" not in shown
    code, shown = on_terminal(pool, "condor_q", "-constraint", "JobStatus ==")
    assert code == 1
    assert "could not parse constraint ( JobStatus == )" in shown
    assert "the constraint ( Memory > ) cannot be parsed" in on_terminal(pool, "condor_status", "-con", "Memory >")[1]


def test_jobs_of_a_cluster_are_judged_by_what_each_asks_for(pool: PersonalPool) -> None:
    """What the first job of a cluster asks for says nothing of the others, and a time to wait for ends."""
    program = "executable = /bin/sleep\narguments = 1000\nrequest_cpus = 1\nrequest_disk = 1\n"
    too_much = "no slot is large enough: memory: wants 900 TB"
    for items, waits in (("(900T, 10M)", 0), ("(10M, 900T)", 1)):
        (pool.work / "sizes.sub").write_text(f"{program}request_memory = $(size)\nqueue size in {items}\n")
        code, shown = on_terminal(pool, "condor_submit", "sizes.sub")
        assert code == 0
        cluster = int(pool.queue("ClusterId")[-1][0])
        assert f"WARNING: nothing here will run {cluster}.{waits}: {too_much}" in shown
        assert f"Will never run: {cluster}.{waits} ({too_much}" in on_terminal(pool, "condor_q")[1]
        pool.tool("condor_rm", str(cluster))
    (pool.work / "made.sub").write_text(f"{program}request_memory = $(size)\nmax_idle = 1\nqueue size in (900T, 10M)\n")
    shown = on_terminal(pool, "condor_submit", "made.sub")[1]
    assert "WARNING: nothing here will run" in shown
    made = shown.partition("submitted to cluster ")[2].partition(".")[0]
    wait_for(lambda: [made] in pool.queue("ClusterId"), "its first job is made")
    assert f"Will never run: {made}.0 ({too_much}" in on_terminal(pool, "condor_q")[1]
    pool.tool("condor_rm", made)
    (pool.work / "night.sub").write_text(f"{program}cron_hour = 3\nqueue\n")
    assert "nothing here" not in on_terminal(pool, "condor_submit", "night.sub")[1]
    assert "never" not in on_terminal(pool, "condor_q")[1]


def test_a_drained_machine_and_a_full_one_are_named(pool: PersonalPool) -> None:
    """The analysis and the forecast name who holds the machine, and the machine that is drained."""
    asks = "request_cpus = 4\nrequest_memory = 10\nrequest_disk = 1\n"
    cluster = pool.submit(f"executable = /bin/sleep\narguments = 1000\nrequest_cpus = 1\n{asks}queue 3\n")
    states = ("condor_q", str(cluster), "-af", "JobStatus")
    wait_for(lambda: pool.tool(*states).stdout.split().count("2") == 1, "a job to run")
    known = pool.tool(*states).stdout.split()
    waiting, runs = known.index("1"), known.index("2")
    said = pool.tool("condor_q", "-better-analyze", f"{cluster}.{waiting}").stdout
    assert "Why it waits: cpus: wants 4, 0 of 4 free on slot1@" in said
    assert "; held by " in said
    job = f"{cluster}.{waiting}"
    refusal = ("condor_q", job, "-af", "LastRejMatchReason")
    wait_for(lambda: pool.tool(*refusal).stdout.strip() != "undefined", "the negotiator to refuse the job")
    assert pool.tool(*refusal).stdout == "no match found: every slot was taken\n"
    slots = ("condor_status", "-af", "JobId")
    wait_for(lambda: f"{cluster}.{runs}" in pool.tool(*slots).stdout, "the slot to tell of its job")
    told = pool.tool("condor_q", "-why", job).stdout
    assert "\n  waits for    cpus: wants 4, 0 of 4 free on slot1@" in told
    assert f"(4): job {cluster}.{runs}, since " in told
    assert "\n  starts       about " in told
    rows = [line.split() for line in pool.tool("condor_q", "-forecast").stdout.splitlines()]
    starts = [row[2:4] for row in rows if row and row[0].startswith(f"{cluster}.")]
    assert len(starts) == 2
    assert starts == sorted(starts)
    host = pool.tool("condor_status", "-af", "Machine").stdout.split()[0]
    pool.tool("condor_drain", "-reason", "new disks", host)
    wait_for(lambda: "Drain" in pool.tool("condor_status", "-af", "State", "Draining").stdout.title(), "the drain")
    wait_for(lambda: "is being drained (new disks)" in pool.tool("condor_q", "-forecast").stdout, "the forecast")
    said = pool.tool("condor_q", "-better-analyze", str(cluster)).stdout
    assert f"is being drained (new disks)\nWhat helps: condor_drain -cancel {host}\n" in said
    assert "is being drained (new disks): condor_drain -cancel" in on_terminal(pool, "condor_q")[1]
    pool.tool("condor_drain", "-cancel", host)


def test_submit_does_not_wait_for_jobs_that_cannot_go_on(pool: PersonalPool) -> None:
    vain = 'executable = /bin/true\nrequirements = OpSys == "WINDOWS"\nqueue 2\n'
    (pool.work / "vain.sub").write_text(vain + "requirements = true\nhold = true\nqueue\n")
    done = pool.tool("condor_submit", "-wait", "vain.sub", check=False)
    assert done.returncode == 75
    assert ' will never run here: no slot meets its Requirements: OpSys == "WINDOWS"\n' in done.stderr
    assert "what helps: condor_release " in done.stderr
    assert "condor_submit: no job can continue; they stay in the queue, condor_rm " in done.stderr


def test_submit_waits_for_a_held_job_that_is_to_be_released(pool: PersonalPool) -> None:
    pool.configure("PERIODIC_EXPR_INTERVAL = 1\n")
    text = "executable = /bin/true\nhold = true\nperiodic_release = (time() - EnteredCurrentStatus) > 2\nqueue\n"
    (pool.work / "held.sub").write_text(text)
    assert pool.tool("condor_submit", "-wait", "held.sub", check=False).returncode == 0


def test_what_this_pool_can_run_is_not_warned_of(pool: PersonalPool) -> None:
    (pool.work / "fine.sub").write_text(PLUGIN.replace("gold", "https"))
    assert "WARNING" not in on_terminal(pool, "condor_submit", "fine.sub")[1]
