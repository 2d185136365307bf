"""Staged files: read-only once they are complete, linked or copied, never in place of what a job has."""

from __future__ import annotations

import errno
import gc
import os
from pathlib import Path

import pytest

from condor_py.machine.run import trees
from condor_py.machine.run.mapping import freeze, map_into


@pytest.fixture
def staged(tmp_path: Path) -> Path:
    top = tmp_path / "staged"
    (top / "d" / "e").mkdir(parents=True)
    (top / "a").write_text("a")
    (top / "d" / "e" / "x").write_text("x")
    (top / "tool").write_text("#!/bin/sh")
    (top / "tool").chmod(0o755)
    (tmp_path / "elsewhere").write_text("not of the job")
    (tmp_path / "elsewhere").chmod(0o644)
    (top / "link").symlink_to(tmp_path / "elsewhere")
    freeze(str(top))
    return top


def test_frozen_files_cannot_be_written(staged: Path) -> None:
    modes = {path.name: path.stat().st_mode & 0o777 for path in (staged, *staged.rglob("*")) if not path.is_symlink()}
    assert modes == {"staged": 0o500, "a": 0o444, "d": 0o500, "e": 0o500, "x": 0o444, "tool": 0o555}
    assert (staged.parent / "elsewhere").stat().st_mode & 0o777 == 0o644, "links are not followed"


@pytest.mark.parametrize("link", [True, False])
def test_files_are_mapped_into_directories_of_the_job(staged: Path, tmp_path: Path, link: bool) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    map_into(str(staged), str(scratch), link)
    assert (scratch / "d" / "e" / "x").read_text() == "x"
    assert os.path.samefile(scratch / "a", staged / "a") == link
    assert os.access(scratch / "d", os.W_OK)
    assert not (scratch / "link").is_symlink()
    if link:
        assert trees.measure(str(scratch)) == (0, 5)
        assert trees.measure(str(scratch), linked=True)[0] > 0


def test_what_the_job_has_stays(staged: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (scratch / "a").write_text("mine")
    map_into(str(staged), str(scratch), True)
    assert (scratch / "a").read_text() == "mine"
    assert (staged / "a").read_text() == "a"


def test_files_that_have_not_all_come_are_not_mapped(tmp_path: Path) -> None:
    half = tmp_path / "half"
    half.mkdir()
    (half / "a").write_text("a")
    with pytest.raises(OSError, match="half"):
        map_into(str(half), str(tmp_path), True)


def test_files_that_go_meanwhile_are_missed(staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What somebody else does at the worst moment: between the last file and the end."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    link = os.link

    def then_remove(*arguments: object, **options: object) -> None:
        link(*arguments, **options)  # type: ignore[arg-type]
        trees.remove(str(staged.parent / "staged"))

    monkeypatch.setattr(os, "link", then_remove)
    with pytest.raises(OSError, match="staged"):
        map_into(str(staged), str(scratch), True)


def test_links_of_its_own_count_for_a_tree(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"x" * 100_000)
    os.link(tmp_path / "one", tmp_path / "two")
    assert trees.measure(str(tmp_path))[0] >= 97


@pytest.mark.parametrize(("number", "copied"), [(errno.EMLINK, True), (errno.ENOSPC, False)])
def test_files_that_cannot_be_linked_are_copied_unless_there_is_no_room(
    staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, copied: bool
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", fail)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    if copied:
        map_into(str(staged), str(scratch), True)
        assert (scratch / "a").read_text() == "a"
    else:
        with pytest.raises(OSError, match="No space left"):
            map_into(str(staged), str(scratch), True)


def descriptors() -> int:
    gc.collect()  # it closes what tests before this one have forgotten
    return len(os.listdir("/proc/self/fd"))


def test_trees_are_removed_without_a_descriptor_left(tmp_path: Path) -> None:
    before = descriptors()
    for number in range(20):
        (tmp_path / "top" / str(number) / "b" / "c").mkdir(parents=True)
    trees.remove(str(tmp_path / "top"))
    assert not (tmp_path / "top").exists()
    assert descriptors() == before
