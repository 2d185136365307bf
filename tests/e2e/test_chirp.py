"""A job that chirps: its own ad in the queue, its event log, files at the access point."""

from __future__ import annotations

import sys

from pool import MAIN, PersonalPool, wait_for
from shared_pool import STRANGER, SharedPool, usable_python

CHIRP = f"{sys.executable} -I {MAIN} condor_chirp"
JOB = f"""#!/bin/sh
exec 2>&1
set -x
test -r "$_CONDOR_CHIRP_CONFIG" || exit 9
{CHIRP} get_job_attr Owner
{CHIRP} set_job_attr Progress 0.5 || exit 10
{CHIRP} get_job_attr Progress
{CHIRP} set_job_attr Owner '"somebody"' && exit 11
{CHIRP} set_job_attr_delayed ChirpStep 7 || exit 12
{CHIRP} get_job_attr_delayed ChirpStep
{CHIRP} set_job_attr_delayed Step 7 && exit 13
{CHIRP} ulog "half way there" || exit 14
{CHIRP} fetch input.txt here.txt || exit 15
cat here.txt >> more.txt
{CHIRP} put more.txt sub/result.txt || exit 16
echo again | {CHIRP} put -mode wa - sub/result.txt || exit 17
{CHIRP} remove gone.txt || exit 18
exit 0
"""


def test_a_job_chirps(pool: PersonalPool) -> None:
    (pool.work / "input.txt").write_text("from the access point\n")
    (pool.work / "gone.txt").write_text("")
    (pool.work / "sub").mkdir()
    program = pool.work / "job.sh"
    program.write_text(JOB)
    program.chmod(0o755)
    pool.submit(
        f"executable = {program}\nwant_io_proxy = true\noutput = o\nlog = job.log\nshould_transfer_files = yes\n"
        'transfer_output_files = ""\nleave_in_queue = true\nqueue\n'
    )
    pool.wait("job.log")
    said = (pool.work / "o").read_text()
    wait_for(lambda: pool.queue("JobStatus") == [["4"]], "the job is completed")
    assert pool.queue("ExitCode", "Progress", "ChirpStep") == [["0", "0.5", "7"]], said
    assert "half way there" in (pool.work / "job.log").read_text()
    assert 8 in [number for number, _ in pool.events("job.log")]
    assert (pool.work / "sub" / "result.txt").read_text() == "from the access point\nagain\n"
    assert not (pool.work / "gone.txt").exists()


def test_without_the_server(pool: PersonalPool) -> None:
    pool.configure("ENABLE_CHIRP = false\n")
    pool.submit("executable = /usr/bin/env\nwant_io_proxy = true\noutput = o\nlog = job.log\nqueue\n")
    pool.wait("job.log")
    assert "_CONDOR_CHIRP_CONFIG" not in (pool.work / "o").read_text()


def test_a_job_of_another_account_has_only_his_rights(shared: SharedPool) -> None:
    chirp = f"{usable_python()} -I {MAIN} condor_chirp"
    (shared.private / "secret").write_text("root's\n")
    (shared.theirs / "job.sh").write_text(
        f"#!/bin/sh\nexec 2>&1\nset -x\n{chirp} fetch {shared.private}/secret got && exit 20\n"
        f"{chirp} set_job_attr Progress 1 || exit 21\n{chirp} ulog hello || exit 22\n"
        f"echo mine > mine\n{chirp} put mine theirs.txt || exit 23\nstat -c %U:%a $_CONDOR_CHIRP_CONFIG\nexit 0\n"
    )
    (shared.theirs / "job.sh").chmod(0o755)
    shared.submit_as_stranger(
        "executable = job.sh\nwant_io_proxy = true\noutput = o\nlog = job.log\nshould_transfer_files = yes\n"
        'transfer_output_files = ""\nleave_in_queue = true\nqueue\n'
    )
    wait_for(lambda: shared.queue("JobStatus") == [["4"]], "the job is completed")
    said = (shared.theirs / "o").read_text()
    assert shared.queue("ExitCode", "Progress") == [["0", "1"]], said
    assert f"{STRANGER}:700" in said
    assert (shared.theirs / "theirs.txt").owner() == STRANGER
    assert "hello" in (shared.theirs / "job.log").read_text()
