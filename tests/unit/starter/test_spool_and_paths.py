"""What runs leave in the spool, the paths of transferred files, and how files are copied and mapped."""

from __future__ import annotations

import errno
import os
import socket
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.run import copying, places, trees
from condor_py.machine.run.copying import Copier, LinkToDirectory, Moved, copy_content
from condor_py.machine.run.failures import TransferError, method_of, scheme_of
from condor_py.machine.run.identity import Account
from condor_py.machine.run.job import read_job
from condor_py.machine.run.mapping import freeze, map_into, map_staged
from condor_py.machine.run.spool import JobSpool, copy_names
from condor_py.model.settings.starter import TransferSettings

ANN = Account("ann", 2001, 2002, "/", ())


def mode(path: Path | str) -> int:
    return stat.S_IMODE(os.lstat(path).st_mode)


# ---- the spool ----------------------------------------------------------------------------------------------


def test_a_set_takes_the_place_of_the_old_one_when_it_is_complete(tmp_path: Path) -> None:
    spool = JobSpool(str(tmp_path), "70001.3", None, "/home", 0o750)
    assert spool.directory == f"{tmp_path}/1/3/cluster70001.proc3.subproc0"
    assert spool.found() is None
    arriving = spool.prepare()
    assert (arriving, mode(arriving)) == (f"{spool.directory}.tmp", 0o750)
    (Path(arriving) / "a").touch()
    assert spool.found() is None, "it is not complete"
    spool.commit()
    assert (spool.found(), os.listdir(spool.directory)) == (spool.directory, ["a"])
    (Path(spool.prepare()) / "half").touch()
    assert os.listdir(spool.prepare()) == [], "what a killed starter has left goes"
    spool.commit()
    assert (os.listdir(spool.directory), os.listdir(os.path.dirname(spool.directory))) == (
        [], ["cluster70001.proc3.subproc0"],
    )  # fmt: skip
    os.rename(spool.directory, f"{spool.directory}.old")
    assert spool.found() == f"{spool.directory}.old", "a starter was killed as it put a set in place"
    spool.prepare()
    spool.commit()
    assert spool.found() == spool.directory


def test_a_directory_is_made_once(tmp_path: Path) -> None:
    spool = JobSpool(str(tmp_path), "7.20003", None, f"{tmp_path}/7/3/cluster7.proc20003.subproc0/", 0o711)
    assert spool.directory == f"{tmp_path}/7/3/cluster7.proc20003.subproc0.checkpoint"
    spool.open()
    (Path(spool.directory) / "a").touch()
    assert (mode(spool.directory), mode(f"{tmp_path}/7/3")) == (0o711, 0o755)
    spool.open()
    assert os.listdir(spool.directory) == ["a"]


@pytest.mark.parametrize(("root", "owner"), [(True, ANN), (True, None), (False, ANN)])
def test_only_root_gives_a_directory_to_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: bool, owner: Account | None
) -> None:
    given: list[tuple[Any, ...]] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 5)
    monkeypatch.setattr(os, "chown", lambda *words: given.append(words))
    spool = JobSpool(str(tmp_path), "7.3", owner, "/home")
    spool.open()
    path = spool.prepare()
    expected = [(spool.directory, 2001, 2002), (path, 2001, 2002)] if root and owner is not None else []
    assert given == expected


def test_names_are_copied_with_their_directories(tmp_path: Path) -> None:
    source, target = tmp_path / "s", tmp_path / "t"
    (source / "d" / "e").mkdir(parents=True)
    (source / "a").write_text("123")
    (source / "d" / "b").write_text("45")
    (source / "d" / "e" / "c").write_text("6")
    (source / "d" / "link").symlink_to("b")
    assert copy_names(str(source), str(target), ["a", "d/e/c"]) == (4, 2)
    assert (target / "d" / "e" / "c").read_text() == "6"
    total, count = copy_names(str(source), str(target), ["d"])
    assert (total, count) == (2 + 1 + len("b"), 3)
    assert os.readlink(target / "d" / "link") == "b"
    assert copy_names(str(source), str(target), []) == (0, 0)


def test_what_is_neither_file_nor_directory_is_left_out(tmp_path: Path) -> None:
    """A program at its checkpoint may have a socket or a pipe open that it talks through."""
    source = tmp_path / "s"
    (source / "d").mkdir(parents=True)
    os.mkfifo(source / "d" / "pipe")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(source / "d" / "socket"))
    (source / "d" / "state").write_text("x")
    assert copy_names(str(source), str(tmp_path / "t"), ["d"]) == (1, 1)
    assert os.listdir(tmp_path / "t" / "d") == ["state"]


def test_a_link_of_a_checkpoint_replaces_the_file_of_the_input(tmp_path: Path) -> None:
    source, target = tmp_path / "s", tmp_path / "t"
    (source / "d").mkdir(parents=True)
    (source / "d" / "newest").symlink_to("step7")
    (target / "d").mkdir(parents=True)
    (target / "d" / "newest").write_text("of the input")
    copy_names(str(source), str(target), ["d"])
    assert os.readlink(target / "d" / "newest") == "step7"


def test_a_directory_that_forbids_writes_is_copied_with_its_mode(tmp_path: Path) -> None:
    source, target = tmp_path / "s", tmp_path / "t"
    (source / "d" / "e").mkdir(parents=True)
    (source / "d" / "e" / "state").write_text("x")
    for directory in (source / "d" / "e", source / "d"):
        directory.chmod(0o500)
    copy_names(str(source), str(target), ["d"])
    assert [mode(str(target / path)) for path in ("d", "d/e")] == [0o500, 0o500]
    assert (target / "d" / "e" / "state").read_text() == "x"
    for directory in (target, source):
        trees.remove(str(directory))


# ---- paths --------------------------------------------------------------------------------------------------


def test_directories_above_a_file_are_made_below_the_top_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        places.make_above(f"{tmp_path}/a/b/file", str(tmp_path), private=True)
        places.make_above(f"{tmp_path}/c/d/file", str(tmp_path), private=False)
        places.make_above(f"{tmp_path}/a/b/file", str(tmp_path), private=False)
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)
    assert [mode(tmp_path / name) for name in ("a", "a/b", "c", "c/d")] == [0o700, 0o700, 0o755, 0o755]
    places.make_above(f"{tmp_path}/none/x/file", f"{tmp_path}/none", private=True)
    assert not (tmp_path / "none").exists(), "the top has to be there"
    places.make_above(f"{tmp_path}/a/../../{tmp_path.name}.x/file", str(tmp_path), private=True)
    assert not os.path.exists(f"{tmp_path}.x")


def test_what_is_in_a_scratch_directory_besides_the_files_of_the_job() -> None:
    assert places.path_of("file:///x") == "/x"
    assert {
        ".job.ad", ".machine.ad", "tmp", "var", ".condor_container_launched", ".starter.log", ".condor_creds",
        "_condor_stdout", "_condor_stderr",
    } == places.OURS  # fmt: skip


@pytest.mark.parametrize(
    ("name", "scheme", "method"),
    [
        ("http://h/x", "http", "http"), ("HTTP://h", "http", "http"), ("a.b+s3://h", "a.b+s3", "s3"), ("/x", "", ""),
        ("x", "", ""), ("://x", "", ""), ("a b://x", "", ""), ("a-b.c+d://x", "a-b.c+d", "d"), ("a-b://x", "a-b", "b"),
        ("a.b://x", "a.b", "b"), ("a/b://x", "", ""),
    ],
)  # fmt: skip
def test_schemes_and_methods(name: str, scheme: str, method: str) -> None:
    assert scheme_of(name) == scheme
    if scheme:
        assert method_of(name) == method


# ---- copies -------------------------------------------------------------------------------------------------


def test_a_copy_has_the_mode_and_content_of_its_source(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_bytes(b"x" * 100_000)
    source.chmod(0o751)
    target.write_text("longer than nothing")
    target.chmod(0o600)
    moved = Moved()
    Copier(moved, lambda error, path: None).copy(str(source), str(target))
    assert (target.read_bytes(), mode(target)) == (source.read_bytes(), 0o751)
    assert (moved.bytes, moved.files) == (100_000, 1)
    (tmp_path / "link").symlink_to("a")
    Copier(moved, lambda error, path: None).copy(str(tmp_path / "link"), str(tmp_path / "c"))
    assert not (tmp_path / "c").is_symlink()
    (tmp_path / "d").mkdir()
    (tmp_path / "to_directory").symlink_to("d")
    with pytest.raises(LinkToDirectory) as caught:
        Copier(moved, lambda error, path: None).copy(str(tmp_path / "to_directory"), str(tmp_path / "e"))
    assert (caught.value.errno, caught.value.filename) == (errno.EISDIR, str(tmp_path / "to_directory"))


def test_links_in_a_directory_are_copied_as_files_and_what_has_no_place_stays(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "a").write_text("a")
    (tmp_path / "s" / "link").symlink_to("a")
    (tmp_path / "s" / "b").write_text("b")
    moved = Moved()
    place = lambda source, there: "" if source.endswith("/b") else there  # noqa: E731
    Copier(moved, lambda error, path: None, place=place).copy(str(tmp_path / "s"), str(tmp_path / "t"))
    assert sorted(os.listdir(tmp_path / "t")) == ["a", "link"]
    assert not (tmp_path / "t" / "link").is_symlink()
    assert moved.files == 2


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOSYS, errno.EIO])
def test_a_file_system_that_cannot_copy_in_the_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fails(*words: Any) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "sendfile", fails)
    (tmp_path / "a").write_text("content")
    if number == errno.EIO:
        with pytest.raises(OSError, match="Input/output error") as caught:
            copy_content(str(tmp_path / "a"), str(tmp_path / "b"))
        assert (caught.value.filename, caught.value.filename2) == (f"{tmp_path}/a", f"{tmp_path}/b")
        return
    copy_content(str(tmp_path / "a"), str(tmp_path / "b"))
    assert (tmp_path / "b").read_text() == "content"


def test_modes_of_others_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(path: str, mode: int) -> None:
        raise PermissionError(errno.EPERM, "no")

    for name, bits in (("a", 0o751), ("b", 0o600)):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(bits)
    with monkeypatch.context() as patched:
        patched.setattr(os, "chmod", refuses)
        copying._keep_mode(str(tmp_path / "a"), str(tmp_path / "b"))
    assert mode(tmp_path / "b") == 0o600
    os.mkfifo(tmp_path / "pipe", 0o600)
    copying._keep_mode(str(tmp_path / "a"), str(tmp_path / "pipe"))
    assert mode(tmp_path / "pipe") == 0o600, "neither a file nor a directory"


# ---- common files -------------------------------------------------------------------------------------------


@pytest.fixture
def staged(tmp_path: Path) -> Path:
    top = tmp_path / "staged"
    (top / "d" / "e").mkdir(parents=True)
    for name in ("a", "d/b", "d/e/c"):
        (top / name).write_text(name)
    (top / "a").chmod(0o751)
    (top / "link").symlink_to("d")
    os.mkfifo(top / "pipe")
    return top


def test_frozen_trees_are_for_reading(staged: Path) -> None:
    outside = staged.parent / "outside"
    outside.mkdir()
    (staged / "d" / "away").symlink_to(outside)
    pipe = mode(staged / "pipe")
    freeze(str(staged))
    assert {name: mode(staged / name) for name in ("", "a", "d", "d/b", "d/e", "d/e/c")} == {
        "": 0o500, "a": 0o555, "d": 0o500, "d/b": 0o444, "d/e": 0o500, "d/e/c": 0o444,
    }  # fmt: skip
    assert mode(staged / "pipe") == pipe
    assert mode(outside) != 0o500, "links are not followed"


@pytest.mark.parametrize("links", [True, False])
def test_frozen_files_are_mapped_beside_what_is_there(staged: Path, tmp_path: Path, links: bool) -> None:
    freeze(str(staged))
    scratch = tmp_path / "scratch"
    (scratch / "d").mkdir(parents=True)
    (scratch / "d" / "b").write_text("own")
    said: list[tuple[Any, ...]] = []
    job = replace(read_job(ClassAd({"ClusterId": 7, "ProcId": 3}), "here"), staged=(str(staged),))
    settings = TransferSettings(hard_links=links, tests=True)
    map_staged(job, str(scratch), settings, lambda *words: said.append(words))
    assert {str(path.relative_to(scratch)): path.read_text() for path in scratch.rglob("*") if path.is_file()} == {
        "a": "a", "d/b": "own", "d/e/c": "d/e/c",
    }  # fmt: skip
    assert os.path.samefile(scratch / "a", staged / "a") == links
    assert (mode(scratch / "d" / "e"), mode(scratch / "a")) == (0o755, 0o555)
    assert said[0] == ("Mapping common files into job's initial working directory...",)
    assert said[1][0].startswith("cxfer: sizeOnDisk (mapping) = ")
    assert said[1][1] == "D_TEST"
    said.clear()
    map_staged(job, str(scratch), TransferSettings(), lambda *words: said.append(words))
    assert len(said) == 1


def test_files_that_cannot_be_mapped_hold_no_job(staged: Path, tmp_path: Path) -> None:
    job = replace(read_job(ClassAd({"ClusterId": 7, "ProcId": 3}), "here"), staged=(str(staged),))
    with pytest.raises(TransferError, match=r"Failed to map files. \(.*Stale file handle") as caught:
        map_staged(job, str(tmp_path), TransferSettings(), lambda *words: None)
    assert (caught.value.holds, caught.value.subcode) == (False, 3)


@pytest.mark.parametrize("number", [errno.EXDEV, errno.EMLINK, errno.EPERM, errno.ENOTSUP, errno.ENOSPC])
def test_where_there_are_no_links_files_are_copied(
    staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fails(*words: Any, **more: Any) -> None:
        raise OSError(number, os.strerror(number))

    freeze(str(staged))
    monkeypatch.setattr(os, "link", fails)
    (tmp_path / "scratch").mkdir()
    if number == errno.ENOSPC:
        with pytest.raises(OSError, match="No space left"):
            map_into(str(staged), str(tmp_path / "scratch"), True)
        return
    map_into(str(staged), str(tmp_path / "scratch"), True)
    assert (tmp_path / "scratch" / "d" / "e" / "c").read_text() == "d/e/c"
