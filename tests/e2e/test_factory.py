"""Late materialization for real: large clusters enter the queue at once and their jobs when there is room."""

from __future__ import annotations

from getpass import getuser

from pool import PersonalPool, wait_for

JOB = "executable = /bin/true\nlog = job.log\nerror = err.$(Process)\n"


def count(pool: PersonalPool) -> int:
    """Jobs in the queue."""
    return len(pool.queue("ProcId"))


def factory_ad(pool: PersonalPool, name: str) -> str:
    """An attribute of the factory's cluster ad, which its jobs show too."""
    return pool.tool("condor_q", "-af", name).stdout.partition("\n")[0]


def test_a_million_jobs_enter_the_queue_at_once(restarted: PersonalPool) -> None:
    pool, cluster = restarted, restarted.first_cluster
    (pool.work / "job.sub").write_text("executable = /bin/true\nmax_materialize = 100\nhold = true\nqueue 1000000\n")
    with pool.without("schedd"):
        done = pool.tool("condor_submit", "job.sub")
        assert done.stdout == f"Submitting job(s)\n1000000 job(s) submitted to cluster {cluster}.\n"
        assert count(pool) == 0
    wait_for(lambda: count(pool) == 100, "the first jobs of the factory")
    assert factory_ad(pool, "JobMaterializeNextProcId") == "100"
    pool.tool("condor_rm", f"{cluster}.7")
    wait_for(lambda: factory_ad(pool, "JobMaterializeNextProcId") == "101", "the job that takes its place")
    assert count(pool) == 100
    pool.tool("condor_rm", str(cluster))
    wait_for(lambda: count(pool) == 0, "an empty queue")
    wait_for(lambda: pool.tool("condor_q", "-factory").stdout.endswith("DIGEST\n"), "the factory goes after its jobs")
    wait_for(lambda: not (pool.spool / str(cluster % 10_000)).exists(), "the files of the factory are removed")


def test_every_job_of_a_factory_runs(pool: PersonalPool) -> None:
    items = "executable = /bin/echo\narguments = $(x) $(Process)\noutput = out.$(Process)\nlog = job.log\n"
    cluster = pool.submit(f"{items}max_materialize = 3\nqueue 2 x in (a b c d)\n")
    pool.wait("job.log")
    wait_for(lambda: (pool.log / "SchedLog").exists() and not (pool.spool / str(cluster)).exists(), "the files leave")
    assert [(pool.work / f"out.{proc}").read_text() for proc in range(8)] == [
        f"{'abcd'[proc // 2]} {proc}\n" for proc in range(8)
    ]
    events = pool.events("job.log")
    assert sorted(job for number, job in events if number == 5) == [f"{cluster}.{proc}" for proc in range(8)]
    text = (pool.work / "job.log").read_text()
    assert f"035 ({cluster:03}.-01.000)" in text
    assert f"036 ({cluster:03}.-01.000)" in text
    assert "\tMaterialized 8 jobs from 4 items.\tComplete\n" in text
    assert len(pool.history("ProcId")) == 8


def test_max_idle_counts_jobs_that_do_not_run(pool: PersonalPool) -> None:
    pool.submit("executable = /bin/sleep\narguments = 1000\nmax_idle = 5\nqueue 50\n")
    wait_for(
        lambda: sorted(row[0] for row in pool.queue("JobStatus")) == ["1"] * 5 + ["2"] * 4, "5 idle beside 4 running"
    )


def test_hold_release_and_restart(restarted: PersonalPool) -> None:
    pool = restarted
    cluster = pool.submit(f"{JOB}max_materialize = 4\nrequirements = Go =?= true\nqueue 10\n")
    wait_for(lambda: count(pool) == 4, "four jobs")
    pool.tool("condor_hold", str(cluster))
    assert factory_ad(pool, "JobMaterializePaused") == "1"
    pool.tool("condor_rm", f"{cluster}.0", f"{cluster}.1")
    killed = pool.kill("schedd")
    wait_for(lambda: pool.pid("schedd") != killed and pool.ready(), "the schedd comes back")
    wait_for(lambda: count(pool) == 2, "nothing is made while it is held")
    pool.tool("condor_release", str(cluster))
    wait_for(lambda: count(pool) == 4, "the factory goes on")
    assert [row[0] for row in pool.queue("ProcId")] == ["2", "3", "4", "5"]
    log = pool.work / "job.log"
    wait_for(lambda: "\n038 (" in log.read_text(), "the log tells that it goes on")
    text = log.read_text()
    by = f"(by user {getuser()})"
    assert f"Job Materialization Paused\n\tvia condor_hold {by}\n\tPauseCode 1\n\tHoldCode 1\n...\n" in text
    assert f"Job Materialization Resumed\n\tvia condor_release {by}\n...\n" in text
    assert text.index(f"\n037 ({cluster:03}.-01.000)") < text.index(f"\n038 ({cluster:03}.-01.000)")


def test_hold_and_release_while_there_is_no_schedd(restarted: PersonalPool) -> None:
    """The schedd that starts writes the events which nobody could write."""
    pool = restarted
    with pool.without("schedd"):
        cluster = pool.submit(f"{JOB}max_materialize = 4\nrequirements = Go =?= true\nqueue 10\n")
        pool.tool("condor_hold", str(cluster))
    log = pool.work / "job.log"
    wait_for(lambda: log.exists() and f"037 ({cluster:03}.-01.000)" in log.read_text(), "the hold in the event log")
    assert f"\tvia condor_hold (by user {getuser()})\n\tPauseCode 1\n" in log.read_text()
    with pool.without("schedd"):
        pool.tool("condor_release", str(cluster))
    wait_for(lambda: f"038 ({cluster:03}.-01.000)" in log.read_text(), "the release in the event log")
    wait_for(lambda: count(pool) == 4, "the factory goes on")
    with pool.without("schedd"):
        pass
    wait_for(lambda: count(pool) == 4, "the queue as it was")
    text = log.read_text()
    assert (text.count("037 ("), text.count("038 (")) == (1, 1)


def test_a_factory_waits_for_files_that_cannot_be_read_now(restarted: PersonalPool) -> None:
    pool, log = restarted, restarted.written("SchedLog")
    with pool.without("schedd"):
        cluster = pool.submit(f"{JOB}hold = true\nmax_materialize = 2\nqueue 5\n")
        (digest,) = (pool.spool / str(cluster % 10_000)).glob(f"*{cluster}.digest*")
        aside = digest.with_suffix(".aside")
        digest.rename(aside)
        digest.mkdir()
    wait_for(lambda: f"Factory {cluster} waits: cannot read {digest}: Is a directory" in log(), "it is told")
    digest.rmdir()
    aside.rename(digest)
    wait_for(lambda: count(pool) == 2, "the jobs are made")
    assert factory_ad(pool, "JobMaterializePaused ?: 0") == "0"
    assert f"Factory {cluster} continues" in log()
    assert (pool.work / "job.log").read_text().count(f"035 ({cluster:03}.-01.000)") == 1


def test_what_is_edited_in_the_cluster_holds_for_jobs_to_come(pool: PersonalPool) -> None:
    cluster = pool.submit(
        f"{JOB}hold = true\nmax_materialize = 2\npriority = $(Process)\narguments = $(Process)\nqueue 5\n"
    )
    wait_for(lambda: count(pool) == 2, "two jobs")
    done = pool.tool("condor_qedit", str(cluster), "JobPrio", "7", "Colour", '"red"')
    assert done.stdout == 'Set attribute "Colour" for 2 matching jobs.\nSet attribute "JobPrio" for 2 matching jobs.\n'
    assert factory_ad(pool, "EditedClusterAttrs") == "Colour,JobPrio"
    pool.tool("condor_rm", f"{cluster}.0", f"{cluster}.1")
    wait_for(lambda: [row[0] for row in pool.queue("ProcId")] == ["2", "3"], "two other jobs")
    assert pool.queue("JobPrio", "Colour", "Args") == [["7", "red", "2"], ["7", "red", "3"]]


def test_nobody_gets_more_jobs_than_he_may_have(pool: PersonalPool) -> None:
    pool.configure("MAX_JOBS_PER_OWNER = 5\n")
    cluster = pool.submit(f"{JOB}hold = true\nmax_materialize = 3\nqueue 10\n")
    pool.submit(f"{JOB}hold = true\nmax_materialize = 3\nqueue 10\n")
    wait_for(lambda: count(pool) == 5, "as many as the limit lets in")
    pool.tool("condor_rm", f"{cluster}.0")
    places = ([str(cluster), "3"], [str(cluster + 1), "2"])
    wait_for(lambda: any(job in places for job in pool.queue("ClusterId", "ProcId")), "another one takes its place")
    assert count(pool) == 5


def test_transforms_reach_the_jobs_of_a_factory(pool: PersonalPool) -> None:
    pool.configure(
        "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\n"
        'EVALSET Twice ProcId * 2\nSET Site "north"\nSET Late $(LateMaterialization)\n@end\n'
    )
    pool.submit(f"{JOB}hold = true\nmax_idle = 3\nqueue 3\n")
    wait_for(lambda: count(pool) == 3, "three jobs")
    assert pool.queue("Twice", "Site", "Late") == [[str(2 * n), "north", "1"] for n in range(3)]


def test_a_job_that_cannot_be_made_pauses_the_factory(pool: PersonalPool) -> None:
    cluster = pool.submit(f"{JOB}hold = true\nmax_materialize = 10\npriority = $(p)\nqueue p in (1 2 x 4)\n")
    wait_for(lambda: factory_ad(pool, "JobMaterializePaused") == "1", "the factory is paused")
    assert count(pool) == 2
    reason = factory_ad(pool, "JobMaterializePauseReason")
    assert reason == "job 2 cannot be made: priority=x is invalid, must eval to an integer."
    pool.tool("condor_rm", str(cluster))
    wait_for(lambda: count(pool) == 0, "the jobs leave")
    wait_for(lambda: pool.tool("condor_q", "-factory").stdout.endswith("DIGEST\n"), "and the factory after them")


def test_a_factory_without_its_file_is_paused_and_says_which(restarted: PersonalPool) -> None:
    pool = restarted
    cluster = pool.submit(f"{JOB}hold = true\nmax_materialize = 2\nqueue 3\n")
    wait_for(lambda: count(pool) == 2, "the first jobs")
    digest = pool.spool / str(cluster % 10_000) / f"condor_submit.{cluster}.digest"
    digest.unlink()
    pool.kill("schedd")
    pool.tool("condor_rm", f"{cluster}.0")
    wait_for(lambda: factory_ad(pool, "JobMaterializePaused") == "1", "the factory is paused")
    assert factory_ad(pool, "JobMaterializePauseReason") == f"its file {digest} is gone"
    pool.tool("condor_rm", str(cluster))
    wait_for(lambda: pool.tool("condor_q", "-factory").stdout.endswith("DIGEST\n"), "it leaves")


def test_jobs_of_a_factory_have_the_files_that_they_share_and_those_of_their_catalogs(
    pool: PersonalPool,
) -> None:
    pool.configure("KEEP_DATA_CLAIM_IDLE = 1\n")
    for name in ("shared.txt", "a.txt", "b.txt"):
        (pool.work / name).write_text(name)
    program = "shell = cat *.txt\noutput = out.$(Process)\nlog = job.log\nleave_in_queue = true\n"
    common = 'transfer_common_input = shared.txt\nmy.CommonInputCatalogs = "$(x)"\n'
    common += 'my._x_catalog_a = "a.txt"\nmy._x_catalog_b = "b.txt"\n'
    cluster = pool.submit(f"{program}{common}should_transfer_files = yes\nmax_materialize = 2\nqueue x in (a b)\n")
    wait_for(lambda: pool.queue("JobStatus") == [["4"], ["4"]], "both have run")
    assert [(pool.work / f"out.{proc}").read_text() for proc in (0, 1)] == ["a.txtshared.txt", "b.txtshared.txt"]
    assert pool.queue('join(",",RequestedCatalogs)') == [[f"ClusterId_{cluster},{name}"] for name in "ab"]
