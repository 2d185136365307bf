"""Where a job's files go and whether it need run at all: remaps in directories, limits, the scratch directory in the
environment, skip_if_dataflow."""

from __future__ import annotations

import os

from pool import PersonalPool, wait_for
from transfers import hold_of


def test_remaps_reach_into_directories_and_the_scratch_directory_is_known(pool: PersonalPool) -> None:
    program = pool.script(
        "make.sh", 'mkdir -p out/sub; for f in a b sub/c sub/d; do echo $f >out/$f; done; echo "$WHERE"; pwd\n'
    )
    (pool.work / "moved").mkdir()
    elsewhere = pool.directory / "elsewhere"
    elsewhere.write_text("elsewhere\n")
    pool.submit(
        f"executable = {program}\nshould_transfer_files = YES\nlog = job.log\noutput = job.out\n"
        f"environment = WHERE=$$(CondorScratchDir)/x\ntransfer_output_files = out, {elsewhere}\n"
        f'transfer_output_remaps = "out/a = {pool.work}/moved/A; out/sub = other; out/sub/d = D"\nqueue\n'
    )
    pool.wait("job.log")
    assert (pool.work / "elsewhere").read_text() == "elsewhere\n"
    where, scratch = (pool.work / "job.out").read_text().split()
    assert where == f"{scratch}/x"
    found = {str(path.relative_to(pool.work)): path.read_text() for path in pool.work.rglob("*") if path.is_file()}
    assert {name: text for name, text in found.items() if text in ("a\n", "b\n", "sub/c\n", "sub/d\n")} == {
        "moved/A": "a\n", "out/b": "b\n", "other/c": "sub/c\n", "D": "sub/d\n"
    }  # fmt: skip


def test_a_job_has_a_copy_of_the_log_of_its_starter(pool: PersonalPool) -> None:
    program = pool.script("look.sh", "until grep -q exec .starter.log; do sleep 0.1; done; cat .starter.log >seen\n")
    common = f"executable = {program}\nshould_transfer_files = YES\nlog = job.log\n"
    cluster = pool.submit(f"{common}output_directory = results\nstarter_log = starter.txt\nqueue\n")
    pool.wait("job.log")
    log, seen = (pool.work / "starter.txt").read_text(), (pool.work / "results/seen").read_text()
    assert f"universe job with ID: {cluster}.0" in seen
    assert log.startswith(seen)
    assert not (pool.work / "seen").exists()
    pool.submit(f"{common}starter_debug = true\nqueue\n")
    pool.wait("job.log")
    assert (pool.work / "seen").exists()
    assert not (pool.work / ".starter.log").exists()


def test_a_job_may_be_limited_to_directories(pool: PersonalPool) -> None:
    program = pool.script("copy.sh", "cp input result\n")
    (pool.work / "input").write_text("x\n")
    outside = pool.directory / "outside"
    common = f"executable = {program}\nshould_transfer_files = YES\nlog = job.log\ntransfer_input_files = input\n"
    limited = f'{common}+LimitDirectoryAccess = "{pool.work}"\n'
    pool.submit(f"{limited}queue\n")
    pool.wait("job.log")
    assert (pool.work / "result").read_text() == "x\n"
    refused = pool.submit(f'{limited}transfer_output_remaps = "result = {outside}"\nqueue\n')
    code, subcode, reason = hold_of(pool, refused)
    assert (code, subcode) == ("12", "13")
    assert str(outside) in reason
    assert not outside.exists()
    outside.write_text("secret\n")
    refused = pool.submit(f"{limited.replace('= input', f'= {outside}')}queue\n")
    assert hold_of(pool, refused)[:2] == ("13", "13")


def test_a_job_whose_output_is_newer_than_its_input_is_skipped(pool: PersonalPool) -> None:
    program = pool.script("build.sh", "echo built >result\n")
    source, result = pool.work / "source", pool.work / "result"
    source.write_text("x\n")
    result.write_text("old\n")
    text = (
        f"executable = {program}\nshould_transfer_files = YES\nlog = job.log\ntransfer_input_files = source\n"
        "transfer_output_files = result\nskip_if_dataflow = true\nqueue\n"
    )
    os.utime(program, (1000, 1000))
    os.utime(source, (2000, 2000))
    pool.submit(text)
    pool.wait("job.log")
    log = (pool.work / "job.log").read_text()
    assert result.read_text() == "old\n"
    assert "\n046 (" in log
    assert "Dataflow job was skipped." in log
    assert "\n001 (" not in log
    os.utime(result, (1500, 1500))
    pool.submit(text)
    pool.wait("job.log")
    assert result.read_text() == "built\n"
    wait_for(lambda: len(pool.history("ClusterId", "DataflowJobSkipped", "ExitCode")) == 2, "both are recorded")
    assert [row[1:] for row in pool.history("ClusterId", "DataflowJobSkipped", "ExitCode")] == [
        ["false", "0"], ["true", "0"]
    ]  # fmt: skip
