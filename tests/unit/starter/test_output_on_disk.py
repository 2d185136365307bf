"""Output gets onto the medium: contents first, then the names."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from condor_py.machine.run.medium import Flusher, Medium, flush_tree
from condor_py.machine.run.spool import JobSpool


class Disk:
    """Notes what is flushed."""

    def __init__(self, top: Path, failing: int = 0) -> None:
        self.top, self.failing = top, failing
        self.flushed: list[str] = []

    def file(self, handle: int) -> None:
        self._note(os.readlink(f"/proc/self/fd/{handle}"))

    def folder(self, path: str) -> None:
        self._note(path)

    def _note(self, path: str) -> None:
        if self.failing:
            raise OSError(self.failing, os.strerror(self.failing))
        self.flushed.append(os.path.relpath(path, self.top))

    @property
    def medium(self) -> Medium:
        return Medium(self.file, self.folder)


def test_contents_come_before_the_names_up_to_the_directory_of_the_job(tmp_path: Path) -> None:
    (tmp_path / "iwd/a/b").mkdir(parents=True)
    (tmp_path / "iwd/a/b/out").write_text("x")
    disk = Disk(tmp_path)
    flusher = Flusher(disk.medium, f"{tmp_path}/iwd")
    flusher.named(f"{tmp_path}/iwd/a/b/out")
    flusher.finish()
    assert disk.flushed == ["iwd/a/b/out", "iwd", "iwd/a", "iwd/a/b"]


def test_what_is_empty_or_no_file_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    disk = Disk(tmp_path)
    flusher = Flusher(disk.medium, str(tmp_path))
    for name in ("empty", "pipe", "gone"):
        flusher.named(f"{tmp_path}/{name}")
    flusher.named("/dev/null")
    flusher.finish()
    assert disk.flushed == []


def test_a_disk_that_fails_is_told_with_the_name_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(OSError, match="out") as failure:
        Flusher(Disk(tmp_path, errno.EIO).medium, str(tmp_path)).named(f"{tmp_path}/out")
    assert failure.value.errno == errno.EIO
    Flusher(Disk(tmp_path, errno.EINVAL).medium, str(tmp_path)).named(f"{tmp_path}/out")  # it is on no disk


def test_a_checkpoint_is_on_the_medium_before_it_replaces_the_last_one(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    spool = JobSpool(str(tmp_path), "3.1", None, "/elsewhere")
    target = spool.prepare()
    os.mkdir(f"{target}/d")
    Path(target, "d/state").write_text("x")
    flush_tree(disk.medium, target)
    name = os.path.relpath(target, tmp_path)
    assert disk.flushed[:4] == [name, f"{name}/d/state", f"{name}/d", "3/1"]
    spool.commit(disk.medium)
    assert disk.flushed[-3:] == ["3/1", "3", "."]
    assert Path(spool.directory, "d/state").read_text() == "x"
