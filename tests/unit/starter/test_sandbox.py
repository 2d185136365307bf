"""The scratch directory of one job after the other: the files of the ads are written anew, and what a job did to them
does not reach the next."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from condor_py.machine.run import machinetools
from condor_py.machine.run import sandbox as sandboxes
from condor_py.machine.run.logicalvolume import LogicalVolume
from condor_py.machine.run.projectquota import ProjectQuota
from condor_py.machine.run.sandbox import Sandbox, ScratchVolume, create_root, create_scratch, remove_scratch
from condor_py.machine.run.volume import Volume


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    made = create_root(str(tmp_path), 1)
    create_scratch(made, None, "A = 1\nB = 2\n", "Memory = 1\n")
    return made


def inode(path: str) -> int:
    return os.stat(path).st_ino


def test_the_next_job_gets_its_ads_in_the_same_files(sandbox: Sandbox) -> None:
    before = inode(sandbox.job_ad), inode(sandbox.scratch)
    remove_scratch(sandbox)
    assert not os.path.exists(sandbox.scratch)
    create_scratch(sandbox, None, "A = 3\n", "Memory = 1\nCpus = 1\n")
    assert (inode(sandbox.job_ad), inode(sandbox.scratch)) == before
    assert Path(sandbox.job_ad).read_text() == "A = 3\n"
    assert Path(sandbox.machine_ad).read_text() == "Memory = 1\nCpus = 1\n"
    assert sorted(os.listdir(sandbox.scratch)) == [".job.ad", ".machine.ad"]


def link(path: str) -> None:
    os.link(path, path.replace("scratch/.job.ad", "kept"))


def opened(path: str) -> None:
    os.chmod(path, 0o666)


def linked_elsewhere(path: str) -> None:
    other = path.replace("scratch/.job.ad", "kept")
    os.rename(path, other)
    os.symlink(other, path)


def directory(path: str) -> None:
    os.unlink(path)
    os.mkdir(path)
    Path(path, "file").write_text("x")


def pipe(path: str) -> None:
    os.unlink(path)
    os.mkfifo(path, 0o644)


def gone(path: str) -> None:
    os.unlink(path)


@pytest.mark.parametrize("change", [link, opened, linked_elsewhere, directory, pipe, gone])
def test_a_file_that_a_job_changed_is_replaced(sandbox: Sandbox, change: Callable[[str], None]) -> None:
    change(sandbox.job_ad)
    remove_scratch(sandbox)
    create_scratch(sandbox, None, "A = 3\n", "Memory = 1\n")
    found = os.lstat(sandbox.job_ad)
    assert (oct(found.st_mode), found.st_nlink) == ("0o100644", 1)
    assert Path(sandbox.job_ad).read_text() == "A = 3\n"
    kept = Path(sandbox.root, "kept")
    assert not kept.exists() or kept.read_text() == "A = 1\nB = 2\n"


def test_a_directory_in_which_a_job_left_something_is_not_kept(sandbox: Sandbox) -> None:
    Path(sandbox.scratch, "left").write_text("x")
    remove_scratch(sandbox)
    assert os.listdir(sandbox.root) == []
    create_scratch(sandbox, None, "A = 3\n", "Memory = 1\n")
    assert sorted(os.listdir(sandbox.scratch)) == [".job.ad", ".machine.ad"]


def on_volume(tmp_path: Path) -> Sandbox:
    """Wherever the tests run: it is to be made, and that fails before anything is mounted."""
    root = create_root(str(tmp_path), 1).root
    return Sandbox(root, volume=Volume(root, 1024, thin=True))


def test_a_volume_that_takes_too_long_is_an_error_that_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker = tmp_path / "mkfs.ext4"
    maker.write_text("#!/bin/sh\nexec /bin/sleep 1000\n")
    maker.chmod(0o755)
    monkeypatch.setattr(machinetools, "PATH", str(tmp_path))
    monkeypatch.setattr(machinetools, "_PATIENCE", 0.1)
    sandbox = on_volume(tmp_path)
    with pytest.raises(OSError, match=r"mkfs\.ext4 took more than 0\.1 seconds"):
        create_scratch(sandbox, None, "", "")
    assert os.listdir(sandbox.root) == []


def test_a_volume_that_cannot_be_made_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = tmp_path / "mkfs.ext4"
    maker.write_text("#!/bin/sh\necho no such thing >&2\nexit 1\n")
    maker.chmod(0o755)
    monkeypatch.setattr(machinetools, "PATH", str(tmp_path))
    sandbox = on_volume(tmp_path)
    with pytest.raises(OSError, match=r"Failed to create .*: mkfs.ext4: no such thing") as raised:
        create_scratch(sandbox, None, "", "")
    assert raised.value.errno


@pytest.mark.parametrize(
    ("group", "thin", "quotas", "volumes", "made"),
    [
        ("fits", True, True, True, LogicalVolume),
        ("wrong", True, True, True, ProjectQuota),
        ("", True, True, True, ProjectQuota),
        ("", True, False, True, Volume),
        ("", False, True, True, Volume),
        ("wrong", False, True, False, type(None)),
        ("", True, False, False, type(None)),
    ],
)
def test_a_scratch_directory_is_limited_as_the_machine_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: str, thin: bool, quotas: bool, volumes: bool, made: type
) -> None:
    found = SimpleNamespace(why_not=lambda: "" if group == "fits" else "there is no such group")
    monkeypatch.setattr(sandboxes, "group_of", lambda disk: found)
    monkeypatch.setattr(sandboxes, "has_quotas", lambda path: quotas)
    monkeypatch.setattr(sandboxes, "may_make_volumes", lambda: volumes)
    disk = ScratchVolume(group=group, thin=thin)
    assert type(create_root(str(tmp_path), 7, disk=disk, disk_kb=64).volume) is made
    assert create_root(str(tmp_path), 7).volume is None


@pytest.mark.parametrize(("number", "kept"), [(errno.ENOTSUP, True), (errno.EIO, False)])
def test_a_directory_whose_attributes_cannot_be_read_is_not_kept(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, number: int, kept: bool
) -> None:
    def fail(path: object) -> list[str]:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "listxattr", fail)
    spare = sandbox.spare(os.stat(sandbox.scratch).st_uid)
    remove_scratch(sandbox)
    assert not os.path.exists(sandbox.scratch)
    assert os.path.isdir(spare) is kept
