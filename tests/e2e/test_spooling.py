"""condor_submit -spool and condor_transfer_data: jobs whose files travel with them."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from pool import PersonalPool, wait_for
from shared_pool import STRANGER, SharedPool

SCRIPT = "#!/bin/sh\ncat in.txt data/deep more.txt shared.txt\necho made > out.txt\nmkdir made\necho deep > made/deep\n"
JOB = """executable = job.sh
transfer_input_files = sub/in.txt, data, files/
transfer_common_input = sub/shared.txt
transfer_output_files = out.txt, made
should_transfer_files = yes
output = streams/o;$(Process)
error = e.$(Process)
log = job.log
transfer_output_remaps = "out.txt = kept/renamed.txt; made = kept/folder"
queue 2
"""


def describe(folder: Path) -> None:
    """A description with its input files."""
    for name in ("sub", "data", "files"):
        (folder / name).mkdir()
    (folder / "sub/in.txt").write_text("one\n")
    (folder / "data/deep").write_text("two\n")
    (folder / "files/more.txt").write_text("three\n")
    (folder / "sub/shared.txt").write_text("four\n")
    (folder / "job.sh").write_text(SCRIPT)
    (folder / "job.sh").chmod(0o755)
    (folder / "job.sub").write_text(JOB)


def remove_originals(folder: Path) -> None:
    """The submitter tidies up: nothing of it may matter any more."""
    for name in ("sub/in.txt", "data/deep", "files/more.txt", "sub/shared.txt", "job.sh"):
        (folder / name).unlink()


def test_spooled_jobs_need_nothing_of_where_they_came_from(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("PERIODIC_EXPR_INTERVAL", "1")
    describe(pool.work)
    done = pool.tool("condor_submit", "-spool", "job.sub")
    assert "2 job(s) submitted to cluster 1." in done.stdout
    remove_originals(pool.work)
    pool.start()
    wait_for(lambda: pool.queue("JobStatus") == [["4"], ["4"]], "both have run")
    folder = pool.spool / "1/0/cluster1.proc0.subproc0"
    names = ("Iwd", "SUBMIT_Iwd", "Cmd", "SUBMIT_Cmd", "TransferInput", "LastHoldReasonCode", "StageInFinish > 0")
    rows = pool.queue(*names)
    assert rows[0] == [
        str(folder), str(pool.work), "job.sh", str(pool.work / "job.sh"), "in.txt,data,files/", "16", "true"
    ]  # fmt: skip
    assert not (pool.work / "streams").exists()

    done = pool.tool("condor_transfer_data", "1.0")
    assert done.stdout == "Fetching data files...\n"
    assert (pool.work / "streams/o;0").read_text() == "one\ntwo\nthree\nfour\n"
    assert (pool.work / "kept/renamed.txt").read_text() == "made\n"
    assert (pool.work / "kept/folder/deep").read_text() == "deep\n"
    assert not (pool.work / "job.sh").exists(), "what the job brought is not fetched"
    wait_for(lambda: pool.queue("ProcId") == [["1"]], "a job leaves when its output was fetched")
    wait_for(lambda: not folder.exists(), "and its files go")

    pool.tool("condor_rm", "1")
    wait_for(lambda: not (pool.spool / "1").exists(), "a removed job's files go, too")
    assert (pool.work / "job.log").read_text().count("\n005 (") == 2


def test_a_spooled_job_finds_its_input_at_the_paths_that_it_preserves(pool: PersonalPool) -> None:
    describe(pool.work)
    program = "#!/bin/sh\ncat sub/in.txt data/deep files/more.txt\nmkdir -p made\ncp sub/in.txt made/copy\n"
    (pool.work / "job.sh").write_text(program)
    text = JOB.replace("transfer_common_input", "preserve_relative_paths = true\n#").replace("out.txt, made", "made/")
    (pool.work / "job.sub").write_text(text.replace("queue 2", "queue"))
    assert pool.tool("condor_submit", "-spool", "job.sub").returncode == 0
    remove_originals(pool.work)
    wait_for(lambda: pool.queue("JobStatus") == [["4"]], "it has run")
    assert pool.tool("condor_transfer_data", f"{pool.first_cluster}.0").returncode == 0
    assert (pool.work / "streams/o;0").read_text() == "one\ntwo\nthree\n"
    assert (pool.work / "kept/folder/copy").read_text() == "one\n"


def test_the_event_log_is_in_the_spool_where_the_pool_wants_that(pool: PersonalPool) -> None:
    pool.configure("EVENT_LOGS_IN_SPOOL = true\n")
    cluster = pool.first_cluster
    job = "executable = /bin/true\ntransfer_executable = false\nlog = my logs/a job.log\nqueue 2\n"
    (pool.work / "log.sub").write_text(job)
    pool.tool("condor_submit", "-spool", "log.sub")
    wait_for(lambda: pool.queue("JobStatus") == [["4"], ["4"]], "both have run")
    log = pool.spool / str(cluster) / "1" / f"cluster{cluster}.proc1.subproc0" / "a job.log"
    wait_for(lambda: f"\n005 ({cluster:03}.001.000)" in log.read_text(), "the log tells of the end")
    events = [line.split(")")[0] for line in log.read_text().splitlines() if line[4:5] == "("]
    assert events[:2] == [f"000 ({cluster:03}.001.000", f"013 ({cluster:03}.001.000"]
    assert not (pool.work / "my logs").exists()
    spooled = log.read_text()  # a job whose output was fetched may leave, and takes its files along
    pool.tool("condor_transfer_data", f"{cluster}.1")
    assert (pool.work / "my logs/a job.log").read_text() == spooled


def test_jobs_wait_until_their_files_have_arrived(pool: PersonalPool) -> None:
    describe(pool.work)
    (pool.work / "data/deep").unlink()
    (pool.work / "sub/in.txt").unlink()
    done = pool.tool("condor_submit", "-spool", "job.sub", check=False)
    assert done.returncode == 1
    assert "cannot spool" in done.stderr
    assert "sub/in.txt: No such file or directory\nERROR: Failed to spool job files.\n" in done.stderr
    assert pool.queue("JobStatus", "HoldReasonCode") == [["5", "16"]] * 2
    cluster = str(pool.first_cluster)
    refused = pool.tool("condor_release", f"{cluster}.0", check=False)
    assert refused.returncode == 1
    pool.tool("condor_rm", cluster)
    wait_for(lambda: not (pool.spool / cluster).exists(), "what had arrived is gone")


def test_a_stranger_spools_into_the_pool_of_root(stopped_shared: SharedPool) -> None:
    shared = stopped_shared
    shared.knob("PERIODIC_EXPR_INTERVAL", "3600")  # jobs do not leave as soon as their output was fetched
    shared.start()
    describe(shared.theirs)
    uid = pwd.getpwnam(STRANGER).pw_uid
    for path in shared.theirs.rglob("*"):
        os.chown(path, uid, -1)
    done = shared.as_stranger("condor_submit", "-spool", "job.sub")
    assert done.returncode == 0, done.stderr
    remove_originals(shared.theirs)
    wait_for(lambda: shared.queue("JobStatus") == [["4"], ["4"]], "both have run")
    folder = shared.spool / "1/0/cluster1.proc0.subproc0"
    assert folder.stat().st_uid == uid
    assert folder.stat().st_mode & 0o777 == 0o700
    done = shared.as_stranger("condor_transfer_data", "-all")
    assert done.returncode == 0, done.stderr
    assert (shared.theirs / "streams/o;1").read_text() == "one\ntwo\nthree\nfour\n"
    assert shared.queue("StageOutFinish >= StageOutStart") == [["true"], ["true"]]


def test_nobody_brings_files_for_jobs_of_others(shared: SharedPool) -> None:
    describe(shared.work)
    (shared.work / "sub/in.txt").unlink()
    assert shared.tool("condor_submit", "-spool", "job.sub", check=False).returncode == 1
    probe = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from condor_py.client.pool import open_pool\nfrom condor_py.model.ids import JobId\n"
        "pool = open_pool(); pool.files_arrived([JobId(1, 0)], 1); print(pool.make_room([JobId(1, 0)]))\n"
    ).replace("JobId(1,", f"JobId({shared.first_cluster},")
    done = shared.python_as_stranger(probe)
    assert done.stdout == "{}\n", done.stderr
    assert shared.queue("JobStatus", "HoldReasonCode") == [["5", "16"]] * 2
