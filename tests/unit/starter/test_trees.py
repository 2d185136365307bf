"""Trees that a job made are removed and handed over whatever is in them, and nothing outside of them is touched."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from condor_py.machine.run import trees
from condor_py.machine.run.identity import Account
from condor_py.machine.run.sandbox import Sandbox, create_scratch, replace_job_ad

JOB, OTHER, GROUP = 65_532, 65_533, 65_531
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="files of several accounts need root")


def nest(top: Path, depth: int) -> None:
    """Directories in directories, each with a file; paths get far too long to be named."""
    directory = os.open(top, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("a-rather-long-name", dir_fd=directory)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=directory))
        inner = os.open("a-rather-long-name", os.O_RDONLY, dir_fd=directory)
        os.close(directory)
        directory = inner
    os.close(directory)


@contextmanager
def account(uid: int) -> Iterator[None]:
    """Without root's rights."""
    os.setegid(uid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def test_a_tree_deeper_than_anything_is_removed(tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    nest(tmp_path / "top", 3000)
    trees.remove(str(tmp_path / "top"))
    assert list(tmp_path.iterdir()) == []
    trees.remove(str(tmp_path / "top"))


@pytest.mark.promise("S58")
def test_links_pipes_and_hidden_names_go_and_what_they_point_to_stays(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    top = tmp_path / "top"
    (top / "a" / "b").mkdir(parents=True)
    for name in (".1", ".2", "a/.1", "a/b/.1", "a/b/.2"):
        (top / name).mkdir()
    (top / "link").symlink_to(outside)
    (top / "a" / "link").symlink_to(outside / "kept")
    (top / "a" / "broken").symlink_to("nowhere")
    os.mkfifo(top / "a" / "pipe")
    os.link(outside / "kept", top / "a" / "b" / "hard")
    trees.remove(str(top))
    assert not top.exists()
    assert (outside / "kept").read_text() == "kept"
    (tmp_path / "link").symlink_to(outside)
    trees.remove(str(tmp_path / "link"))
    assert [path.name for path in tmp_path.iterdir()] == ["outside"]


@as_root
def test_locked_directories_are_removed_without_the_rights_of_root() -> None:
    home = Path(tempfile.mkdtemp())  # where everybody can get
    os.chown(home, JOB, JOB)
    with account(JOB):
        for mode in (0, 0o100, 0o200, 0o400, 0o500):
            locked = home / "top" / f"{mode:o}"
            (locked / "inner" / "more").mkdir(parents=True)
            (locked / "file").touch()
            (locked / "inner").chmod(mode)
            locked.chmod(mode)
        (home / "top").chmod(0)
        trees.remove(str(home / "top"))
    assert os.listdir(home) == []
    home.rmdir()


@as_root
def test_only_what_belongs_to_the_giver_is_handed_over(tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "deep").mkdir(parents=True)
    roots = tmp_path / "roots"
    roots.write_text("secret")
    os.link(roots, top / "deep" / "hard")
    for name in ("mine", "deep/mine"):
        (top / name).touch()
        os.chown(top / name, JOB, JOB)
    (top / "link").symlink_to(roots)
    os.lchown(top / "link", JOB, JOB)
    os.chown(top / "deep", JOB, JOB)
    trees.hand_over(str(top), JOB, OTHER, GROUP)
    names = (".", "mine", "deep", "deep/mine", "deep/hard")
    owners = {name: ((found := os.lstat(top / name)).st_uid, found.st_gid) for name in names}
    assert owners == dict.fromkeys(names[:4], (OTHER, GROUP)) | {"deep/hard": (0, 0)}
    assert roots.stat().st_uid == 0


@as_root
@pytest.mark.parametrize("kind", ["link", "file"])
def test_only_a_directory_is_handed_over(tmp_path: Path, kind: str) -> None:
    (tmp_path / "roots").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("roots")
    with pytest.raises(NotADirectoryError):
        trees.hand_over(str(tmp_path / kind), 0, OTHER, GROUP)
    assert {path.lstat().st_uid for path in tmp_path.iterdir()} == {0}


def test_a_link_to_a_directory_is_not_measured(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_bytes(bytes(8192))
    (tmp_path / "link").symlink_to("there")
    assert trees.measure(str(tmp_path / "link")) == (0, 0)


@as_root
def test_a_tree_of_any_depth_can_be_handed_over(tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    nest(tmp_path / "top", 2000)
    trees.hand_over(str(tmp_path / "top"), 0, OTHER, OTHER)
    assert (tmp_path / "top" / "a-rather-long-name" / "file").stat().st_uid == OTHER
    trees.remove(str(tmp_path / "top"))


@as_root
def test_a_scratch_directory_is_the_owners_only_when_it_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An owner who is quick enough must not make us change a file of root's through a link."""
    sandbox = Sandbox(str(tmp_path))
    victim = tmp_path / "victim"
    victim.touch()
    chown = os.chown

    def slow_chown(path: str, uid: int, gid: int) -> None:
        chown(path, uid, gid)
        if os.stat(sandbox.scratch).st_uid == JOB:
            os.unlink(sandbox.job_ad)
            os.symlink(victim, sandbox.job_ad)

    monkeypatch.setattr(os, "chown", slow_chown)
    create_scratch(sandbox, Account("job", JOB, JOB, "/", ()), "A = 1\n", "B = 2\n")
    assert victim.stat().st_uid == 0
    assert (tmp_path / "scratch" / ".machine.ad").stat().st_uid == JOB


def test_the_job_ad_is_replaced_and_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    sandbox = Sandbox(str(tmp_path))
    (tmp_path / "victim").write_text("kept")
    os.symlink(tmp_path / "victim", sandbox.job_ad)
    replace_job_ad(sandbox, "A = 1\n")
    assert (tmp_path / "victim").read_text() == "kept"
    assert Path(sandbox.job_ad).read_text() == "A = 1\n"


def test_who_has_not_the_time_for_a_tree_is_told(tmp_path: Path) -> None:
    (tmp_path / "top" / "in").mkdir(parents=True)
    with pytest.raises(TimeoutError):
        trees.remove(str(tmp_path / "top"), -1.0)
    trees.remove(str(tmp_path / "top"), 60.0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("few", "over"), [(1, True), (2, False)])
def test_a_few_entries_are_removed_whatever_the_time(tmp_path: Path, few: int, over: bool) -> None:
    (tmp_path / "top").mkdir()
    for name in "ab":
        (tmp_path / "top" / name).touch()
    if over:
        with pytest.raises(TimeoutError):
            trees.remove(str(tmp_path / "top"), -1.0, few)
        assert len(list((tmp_path / "top").iterdir())) == 1
    else:
        trees.remove(str(tmp_path / "top"), -1.0, few)
        assert not (tmp_path / "top").exists()


def test_a_file_with_several_names_counts_where_they_all_are(tmp_path: Path) -> None:
    (tmp_path / "top" / "in").mkdir(parents=True)
    (tmp_path / "top" / "a").write_bytes(bytes(8192))
    alone = trees.measure(str(tmp_path / "top"))
    os.link(tmp_path / "top" / "a", tmp_path / "top" / "in" / "b")
    assert trees.measure(str(tmp_path / "top")) == (alone[0], alone[1] + 1), "both names are here: once"
    os.link(tmp_path / "top" / "a", tmp_path / "c")
    assert trees.measure(str(tmp_path / "top")) == (alone[0] - 8, alone[1] + 1), "one is elsewhere: there"
    assert trees.measure(str(tmp_path / "top"), linked=True) == (alone[0] + 8, alone[1] + 1)


@as_root
@pytest.mark.parametrize(("more", "given"), [({}, True), ({"linked": True}, True), ({"linked": False}, False)])
def test_files_with_another_name_are_handed_over_unless_they_are_common(
    tmp_path: Path, more: dict[str, bool], given: bool
) -> None:
    (tmp_path / "top").mkdir()
    for name in ("alone", "shared"):
        (tmp_path / "top" / name).touch()
        os.chown(tmp_path / "top" / name, JOB, JOB)
    os.link(tmp_path / "top" / "shared", tmp_path / "elsewhere")
    gc.collect()  # it closes what tests before this one have forgotten
    before = len(os.listdir("/proc/self/fd"))
    trees.hand_over(str(tmp_path / "top"), JOB, OTHER, GROUP, **more)
    assert len(os.listdir("/proc/self/fd")) == before
    assert (tmp_path / "top" / "alone").stat().st_uid == OTHER
    assert ((tmp_path / "elsewhere").stat().st_uid == OTHER) is given


def test_no_descriptor_is_left(tmp_path: Path) -> None:
    (tmp_path / "top" / "in" / "deep").mkdir(parents=True)
    (tmp_path / "top" / "in" / "file").touch()
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    trees.measure(str(tmp_path / "top"))
    trees.measure(str(tmp_path / "none"))
    trees.remove(str(tmp_path / "top"))
    trees.remove(str(tmp_path / "none"))
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(("most", "count"), [(1, 2), (3, 3), (4, 3)])
def test_a_walk_ends_where_there_is_too_much(tmp_path: Path, most: int, count: int) -> None:
    for name in "abc":
        (tmp_path / name).touch()
    assert trees.measure(str(tmp_path), most=most)[1] == count


def test_what_is_filled_again_and_again_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "top").mkdir()
    (tmp_path / "top" / "file").touch()
    rounds: list[int] = []
    monkeypatch.setattr(trees, "_empty", lambda top, clock: rounds.append(top))
    with pytest.raises(OSError, match="Directory not empty"):
        trees.remove(str(tmp_path / "top"))
    assert len(rounds) == trees._ROUNDS
