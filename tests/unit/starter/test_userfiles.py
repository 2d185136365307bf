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
