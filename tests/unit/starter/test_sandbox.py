"""The scratch directory of one job after the other: the files of the ads are written anew, and what a job did to them
does not reach the next."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from condor_py.machine.run import machinetools
from condor_py.machine.run import sandbox as sandboxes
from condor_py.machine.run.identity import Account
from condor_py.machine.run.logicalvolume import LogicalVolume
from condor_py.machine.run.projectquota import ProjectQuota
from condor_py.machine.run.sandbox import (
    Sandbox,
    ScratchVolume,
    append_job_ad,
    create_root,
    create_scratch,
    encrypted,
    hand_over,
    remove_scratch,
    remove_tree,
    replace_job_ad,
    why_not_encrypted,
)
from condor_py.machine.run.volume import Volume
from condor_py.model.settings.starter import StarterSettings


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    made = create_root(str(tmp_path), 1)
    create_scratch(made, None, "A = 1\nB = 2\n", "Memory = 1\n")
    return made


def inode(path: str) -> int:
    return os.stat(path).st_ino


def test_the_next_job_gets_its_ads_in_the_same_files(sandbox: Sandbox) -> None:
    before = inode(sandbox.scratch)
    with open(sandbox.job_ad) as same:
        remove_scratch(sandbox)
        assert not os.path.exists(sandbox.scratch)
        create_scratch(sandbox, None, "A = 3\n", "Memory = 1\nCpus = 1\n")
        assert same.read() == "A = 3\n"
    assert inode(sandbox.scratch) == before
    assert Path(sandbox.job_ad).read_text() == "A = 3\n"
    assert Path(sandbox.machine_ad).read_text() == "Memory = 1\nCpus = 1\n"
    assert sorted(os.listdir(sandbox.scratch)) == [".job.ad", ".machine.ad"]


@pytest.mark.parametrize("again", [False, True])
def test_an_ad_that_does_not_fit_on_the_disk_is_no_ad(tmp_path: Path, again: bool) -> None:
    """A disk that fills up takes the beginning of what is written, and says nothing."""
    made = create_root(str(tmp_path), 1)
    if again:
        create_scratch(made, None, "A = 1\n", "Memory = 1\n")
        remove_scratch(made)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError) as failed:
            create_scratch(made, None, "A = 1\n" * 500, "Memory = 1\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert failed.value.errno == errno.EFBIG


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
    found = SimpleNamespace(why_not=lambda: "there is no such group" if group == "wrong" else "")
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


# ---- who may do what ----------------------------------------------------------------------------------------

ANN, BOB = Account("ann", 2001, 2002, "/", ()), Account("bob", 2003, 2004, "/", ())


def facts(path: str) -> tuple[int, int, int]:
    found = os.lstat(path)
    return found.st_uid, found.st_gid, found.st_mode & 0o777


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives directories away")
@pytest.mark.parametrize("mode", [0o700, 0o755])
def test_the_scratch_directory_is_the_owners(tmp_path: Path, mode: int) -> None:
    made = create_root(str(tmp_path), 1, mode)
    assert facts(made.root) == (0, 0, 0o755)
    for text in ("A = 1\n", "A = \udcff\n"):
        create_scratch(made, ANN, text, "M = 1\n")
        assert facts(made.scratch) == (2001, 2002, mode)
        for path in (made.job_ad, made.machine_ad):
            assert facts(path) == (2001, 2002, 0o644)
        assert Path(made.job_ad).read_bytes() == text.encode("utf-8", "surrogateescape")
        remove_scratch(made)
        assert facts(made.spare(2001)) == (0, 0, 0o700), "nobody enters it meanwhile"
    create_scratch(made, BOB, "B = 1\n", "")
    assert facts(made.scratch) == (2003, 2004, mode)
    assert os.path.isdir(made.spare(2001)), "another account does not get it"
    found = made.account()
    assert found is None or found.uid == 2003


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives directories away")
def test_files_that_another_account_may_have_open_are_replaced(tmp_path: Path) -> None:
    made = create_root(str(tmp_path), 1)
    for uid, gid in ((2003, 2002), (2001, 2004)):
        create_scratch(made, ANN, "A = 1\n", "M = 1\n")
        os.chown(made.job_ad, uid, gid)
        with open(made.job_ad) as theirs:
            remove_scratch(made)
            create_scratch(made, ANN, "A = 2\n", "M = 1\n")
            assert theirs.read() == "A = 1\n"
        assert facts(made.job_ad) == (2001, 2002, 0o644)
        remove_scratch(made)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives directories away")
@pytest.mark.parametrize("linked", [True, False])
def test_files_are_handed_over(tmp_path: Path, linked: bool) -> None:
    made = create_root(str(tmp_path), 1)
    create_scratch(made, ANN, "A = 1\n", "")
    os.link(made.job_ad, str(tmp_path / "elsewhere"))
    hand_over(made, ANN, BOB, linked)
    assert facts(made.scratch)[:2] == (2003, 2004)
    assert facts(made.job_ad)[:2] == ((2003, 2004) if linked else (2001, 2002))
    assert facts(made.machine_ad)[:2] == (2003, 2004)


def test_the_ad_of_the_job_is_replaced_and_added_to(sandbox: Sandbox) -> None:
    append_job_ad(sandbox, {"B": "3", "C": '"\udcff"'})
    assert Path(sandbox.job_ad).read_bytes() == b'A = 1\nB = 2\nB = 3\nC = "\xff"\n'
    before = inode(sandbox.job_ad)
    with open(sandbox.job_ad, errors="replace") as kept:
        replace_job_ad(sandbox, "D = 4\n")
        assert inode(sandbox.job_ad) != before
        assert kept.read().startswith("A = 1")
    assert Path(sandbox.job_ad).read_text() == "D = 4\n"
    os.unlink(sandbox.job_ad)
    with pytest.raises(FileNotFoundError):
        append_job_ad(sandbox, {"B": "3"})


def test_what_a_former_process_has_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "dir_1" / "scratch" / "deep").mkdir(parents=True)
    made = create_root(str(tmp_path), 1)
    assert os.listdir(made.root) == []
    assert (made.disk_kb, made.over_disk(), made.encrypted) == (0, False, False)


class Limit:
    """What limits a scratch directory."""

    size_kb = 64

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []

    def look(self, scratch: str) -> bool:
        self.calls.append(("look", scratch))
        return True

    def make(self, scratch: str) -> None:
        self.calls.append(("make", scratch))
        os.mkdir(scratch)

    def remove(self, scratch: str) -> None:
        self.calls.append(("remove", scratch))


def test_a_limited_directory_is_made_and_removed_by_its_limit(tmp_path: Path) -> None:
    limit = Limit()
    made = Sandbox(str(tmp_path), volume=limit)  # type: ignore[arg-type]
    create_scratch(made, None, "A = 1\n", "")
    assert (made.over_disk(), made.disk_kb, made.encrypted) == (True, 64, False)
    remove_scratch(made)
    assert limit.calls == [("make", made.scratch), ("look", made.scratch), ("remove", made.scratch)]


@pytest.mark.parametrize(
    ("disabled", "tools", "mounts", "volumes", "why"),
    [
        (True, "", True, True, "DISABLE_EXECUTE_DIRECTORY_ENCRYPTION is true"),
        (False, "no cryptsetup", True, True, "no cryptsetup"),
        (False, "", True, True, ""),
        (False, "", False, True, "scratch directories cannot be file systems of their own"),
        (False, "", True, False, "scratch directories cannot be file systems of their own"),
    ],
)
def test_why_directories_are_not_encrypted(
    monkeypatch: pytest.MonkeyPatch, disabled: bool, tools: str, mounts: bool, volumes: bool, why: str
) -> None:
    monkeypatch.setattr(sandboxes.encryption, "why_not", lambda: tools)
    monkeypatch.setattr(sandboxes, "may_mount", lambda: mounts)
    monkeypatch.setattr(sandboxes, "may_make_volumes", lambda: volumes)
    settings = StarterSettings("/x", disable_execute_directory_encryption=disabled)
    assert why_not_encrypted(settings) == why


@pytest.mark.parametrize(("group", "made"), [("fits", LogicalVolume), ("wrong", Volume), ("", Volume)])
def test_an_encrypted_directory_is_where_volumes_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: str, made: type
) -> None:
    found = SimpleNamespace(why_not=lambda: "there is no such group" if group == "wrong" else "")
    monkeypatch.setattr(sandboxes, "group_of", lambda disk: found)
    box = encrypted(Sandbox(str(tmp_path)), ScratchVolume(group=group), 64, "")
    assert type(box.volume) is made
    assert (box.encrypted, box.disk_kb) == (True, 64)


def test_directories_that_cannot_be_removed_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(path: str) -> None:
        raise OSError(errno.EBUSY, "busy")

    monkeypatch.setattr(sandboxes.trees, "remove", fails)
    remove_tree(str(tmp_path))
    assert tmp_path.exists()


def test_a_file_that_cannot_be_written_whole_is_replaced(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    with open(sandbox.job_ad) as before:
        remove_scratch(sandbox)
        monkeypatch.setattr(os, "pwrite", lambda descriptor, data, at: len(data) - 1)
        create_scratch(sandbox, None, "A = 7\n", "")
        assert before.read() == "A = 1\nB = 2\n"
    assert Path(sandbox.job_ad).read_text() == "A = 7\n"
