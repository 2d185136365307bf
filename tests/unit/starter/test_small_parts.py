"""What starters make of streams, programs, messages of wrappers and disks that are full."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.run import process
from condor_py.machine.run.identity import account
from condor_py.machine.run.job import Job, read_job
from condor_py.machine.run.results import wrapper_error
from condor_py.machine.run.spool import JobSpool
from condor_py.machine.run.verdict import out_of_disk
from condor_py.machine.run.volume import Volume
from condor_py.model.report import ExitReport, Usage


def job(**attributes: object) -> Job:
    bare = {"ClusterId": 7, "ProcId": 3, "Iwd": "/home/ann", "Cmd": "sub/run", "ShouldTransferFiles": "YES"}
    return read_job(ClassAd({**bare, **attributes}), "here")


@pytest.mark.parametrize(
    ("attributes", "path"),
    [
        ({}, "/scratch/run"),
        ({"TransferExecutable": False}, "/scratch/sub/run"),
        ({"TransferExecutable": False, "Cmd": "/bin/run"}, "/bin/run"),
        ({"ShouldTransferFiles": "NO"}, "/home/ann/sub/run"),
        ({"ShouldTransferFiles": "NO", "Cmd": "/bin/run"}, "/bin/run"),
    ],
)
def test_the_path_of_the_program(attributes: dict[str, object], path: str) -> None:
    assert process.program_of(job(**attributes), "/scratch") == path


@pytest.mark.parametrize(("names", "shared"), [(("out", "out"), True), (("out", "err"), False)])
@pytest.mark.parametrize("transfer", ["YES", "NO"])
def test_streams_of_one_name_are_one_file(tmp_path: Path, names: tuple[str, str], shared: bool, transfer: str) -> None:
    (tmp_path / "scratch").mkdir()
    wanted = job(Iwd=str(tmp_path), ShouldTransferFiles=transfer, Out=names[0], Err=names[1])
    streams = process.open_streams(wanted, str(tmp_path / "scratch"), "slot1@here")
    try:
        assert os.path.sameopenfile(streams.stdout, streams.stderr) is shared
        os.write(streams.stdout, b"first")
        os.write(streams.stderr, b"second")
    finally:
        streams.close()
    written = {path.name: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert sorted(written.values()) == (["firstsecond"] if shared else ["first", "second"])


def test_messages_of_a_wrapper(tmp_path: Path) -> None:
    path = tmp_path / "message"
    assert wrapper_error(str(path), None) == ""
    path.write_text(" no licence\ntoday \n")
    assert wrapper_error(str(path), None) == "The job wrapper failed to execute the job: no licence|today"
    path.unlink()
    path.mkdir()
    assert wrapper_error(str(path), None).startswith("The job wrapper failed to execute the job: ")
    assert not wrapper_error(str(path), None).endswith(": ")


def test_a_job_that_wrote_too_much_is_held() -> None:
    report = out_of_disk(ExitReport("c", "7.3", 1, usage=Usage(disk_kb=3 * 1024 * 1024)), 1536)
    assert (report.hold_code, report.hold_subcode) == (34, 104)
    assert report.hold_reason == (
        "Job has exceeded allocated disk (1.50 MB). Last measured usage: 3.00 GB. "
        "Consider increasing the value of request_disk."
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives directories away")
@pytest.mark.parametrize("act", ["open", "prepare"])
def test_the_spool_of_a_job_is_its_owners(tmp_path: Path, act: str) -> None:
    nobody = account("nobody")
    spool = JobSpool(str(tmp_path), "7.3", nobody, "/home/ann")
    if act == "open":
        spool.open()
        path = Path(spool.directory)
    else:
        path = Path(spool.prepare())
    found = path.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (nobody.uid, nobody.gid, 0o700)


@pytest.mark.parametrize("thin", [True, False])
def test_a_volume_is_set_aside_without_a_descriptor_left(tmp_path: Path, thin: bool) -> None:
    before = len(os.listdir("/proc/self/fd"))
    image = Volume(str(tmp_path), 64, thin)._set_aside()
    size = os.path.getsize(image)
    assert size > 64 * 1024
    assert (os.stat(image).st_blocks * 512 >= size) is not thin
    assert len(os.listdir("/proc/self/fd")) == before
