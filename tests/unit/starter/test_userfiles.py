"""Files that a user may have replaced: nothing but a plain file is opened, and nobody waits."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from condor_py.machine.run.copying import copy_content
from condor_py.machine.run.userfiles import open_user_file, user_file


@pytest.mark.parametrize("name", ["pipe", "link", "directory", "nothing"])
@pytest.mark.parametrize("mode", ["r", "w", "a", "rb"])
@pytest.mark.promise("S59")
def test_only_plain_files_are_opened(tmp_path: Path, name: str, mode: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("said")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "directory").mkdir()
    if name == "nothing" and mode in "wa":
        pytest.skip("this makes the file")
    with pytest.raises(OSError):
        user_file(str(tmp_path / name), mode)
    assert (tmp_path / "file").read_text() == "said"


def test_a_pipe_that_somebody_reads_is_not_written_either(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(OSError) as caught:
        user_file(str(tmp_path / "pipe"), "w")
    os.close(reader)
    assert caught.value.errno == errno.EINVAL


def test_texts_are_written_and_read(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    for mode, text in (("w", "one\udcff\n"), ("a", "two\n")):
        with user_file(path, mode) as file:
            file.write(text)
    with user_file(path) as file:
        assert file.read() == "one\udcff\ntwo\n"
    with user_file(path, errors="replace") as file:
        assert file.read() == "one\ufffd\ntwo\n"


def test_a_link_is_followed_where_its_rights_are_those_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("said")
    (tmp_path / "link").symlink_to("file")
    with user_file(str(tmp_path / "link"), links=True) as file:
        assert file.read() == "said"


def test_a_file_of_another_account_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("said")
    os.close(open_user_file(str(tmp_path / "file"), owner=os.geteuid()))
    with pytest.raises(PermissionError):
        open_user_file(str(tmp_path / "file"), owner=os.geteuid() + 1)


@pytest.mark.parametrize("there", [False, True])
def test_what_is_copied_ends(tmp_path: Path, there: bool) -> None:
    """A device may have no end, and a pipe no writer: the starter of a job would copy for ever."""
    source, made = tmp_path / "source", tmp_path / "made"
    source.write_bytes(bytes(range(256)) * 5000)
    if there:
        made.write_bytes(b"x" * 2_000_000)
    copy_content(str(source), str(made))
    assert made.read_bytes() == source.read_bytes()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for name in ("/dev/zero", str(tmp_path / "link"), str(tmp_path / "pipe")):
        with pytest.raises(OSError, match="Invalid argument"):
            copy_content(name, str(made))
    with pytest.raises(OSError, match="Invalid argument"):
        copy_content(str(source), str(tmp_path / "pipe"))
    with pytest.raises(OSError, match="same file"):
        copy_content(str(source), str(source))
    assert source.stat().st_size == 1_280_000
    copy_content("/proc/self/status", str(made))
    assert "Name:" in made.read_text()


def test_a_copy_has_the_holes_of_the_file(tmp_path: Path) -> None:
    """A job makes a file of terabytes at no cost; its copy must cost as little."""
    source, made = tmp_path / "source", tmp_path / "made"
    with source.open("wb") as file:
        file.write(b"begin" * 1000)
        file.seek(3 << 40)
        file.write(b"middle")
        file.truncate(4 << 40)
    copy_content(str(source), str(made))
    assert made.stat().st_size == 4 << 40
    assert made.stat().st_blocks * 512 < 1 << 20
    with made.open("rb") as file:
        assert file.read(5005) == b"begin" * 1000 + bytes(5)
        file.seek((3 << 40) - 3)
        assert file.read(12) == b"\0\0\0middle\0\0\0"
    source.write_bytes(b"")
    os.truncate(source, 1 << 30)
    copy_content(str(source), str(made))
    assert (made.stat().st_size, made.stat().st_blocks) == (1 << 30, 0)


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EIO])
def test_a_file_with_holes_is_copied_without_the_kernel_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fails(*words: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "sendfile", fails)
    with (tmp_path / "source").open("wb") as file:
        file.seek(1 << 20)
        file.write(b"end")
    if number == errno.EIO:
        with pytest.raises(OSError, match="Input/output error"):
            copy_content(str(tmp_path / "source"), str(tmp_path / "made"))
    else:
        copy_content(str(tmp_path / "source"), str(tmp_path / "made"))
        assert (tmp_path / "made").read_bytes() == (tmp_path / "source").read_bytes()
