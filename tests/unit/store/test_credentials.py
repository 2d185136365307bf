"""The files of credentials: private, swept with their mark, and never outside of their directory."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from condor_py.store.credentials import (
    MOST_FILES,
    CredentialFiles,
    TicketFiles,
    TokenFiles,
    file_name,
    is_name,
    read_private,
)


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("box", True), ("box_read-2+3=4.5", True), ("..box", True), ("", False), (".", False), ("..", False),
        ("a/b", False), ("../root/box", False), ("a b", False), ("a\n", False), ("a\0", False), ("a*b", False),
        ("ä", False), ("a" * 201, False),
    ],
)  # fmt: skip
def test_names(name: str, good: bool) -> None:
    assert is_name(name) is good


def test_file_names() -> None:
    assert [file_name("box", "read"), file_name("box"), file_name("", "read")] == ["box_read", "box", ""]


def swept(files: CredentialFiles, now: float, delay: int) -> list[str]:
    """Forget the users who have had no jobs for so long."""
    users = files.due(now, delay)
    for user in users:
        files.forget(user)
    return users


def test_tokens_are_private_and_swept_with_their_mark(tmp_path: Path) -> None:
    files = TokenFiles(f"{tmp_path}/deep/tokens")
    files.make()
    files.make()
    files.mark("alice")  # who has nothing
    assert os.listdir(files.top) == []
    files.put("alice", "box", "top", b"1")
    files.put("alice", "box", "use", b"22")
    files.put("alice", "box", "meta", b"333")
    files.put("alice.mark", "box", "use", b"of a user of such a name")
    assert list(files.of_user("alice")) == ["box.top", "box.use"]
    assert read_private(files.path("alice", "box", "use")) == b"22"
    assert swept(files, 1e12, 0) == []
    files.mark("alice")
    files.mark("alice.mark")
    files.clear_mark("alice")  # a directory of that name is left alone
    assert os.path.isdir(f"{files.top}/alice.mark")
    files.clear_mark("alice.mark")
    files.remove("alice", "box")
    assert files.of_user("alice") == {}
    assert os.listdir(f"{files.top}/alice") == []
    files.put("bob", "box", "use", b"3")
    files.mark("bob")
    os.utime(f"{files.top}/bob.mark", (1000, 1000))
    assert os.stat(f"{files.top}/bob.mark").st_mode & 0o777 == 0o600
    assert swept(files, 1009, 10) == []
    assert swept(files, 1010, 10) == ["bob"]
    assert sorted(os.listdir(files.top)) == ["alice", "alice.mark"]


@pytest.mark.promise("S33")
def test_a_user_has_so_many_files(tmp_path: Path) -> None:
    files = TokenFiles(str(tmp_path))
    files.put("alice", "box", "use", b"")
    for number in range(MOST_FILES - 1):
        (tmp_path / "alice" / f"s{number}.use").touch()
    files.put("alice", "box", "use", b"again")
    with pytest.raises(OSError, match="uota"):
        files.put("alice", "more", "use", b"")


def test_tickets(tmp_path: Path) -> None:
    files = TicketFiles(str(tmp_path))
    files.mark("alice")
    files.put("alice", "cred", b"1")
    files.put("alice", "cc", b"2")
    files.put("bob", "cc", b"3")
    files.mark("alice")
    assert swept(files, 1e12, 10) == ["alice"]
    assert sorted(os.listdir(tmp_path)) == ["bob.cc"]


@pytest.mark.parametrize(("kind", "folder"), [(TokenFiles, "alice"), (TicketFiles, ".")])
def test_nothing_stays_of_what_was_being_stored_at_a_kill(
    tmp_path: Path, kind: type[CredentialFiles], folder: str
) -> None:
    """No command could name it, and it outlived the credential whose copy it is."""
    (tmp_path / "alice").mkdir()
    gone = subprocess.Popen(["/bin/true"])
    gone.wait()
    left, others = tmp_path / folder / f"alice.cred.tmp{gone.pid}", tmp_path / folder / f"bob.cred.tmp{os.getpid()}"
    for path in (left, others):
        path.write_text("secret")
    assert kind(str(tmp_path)).tidy() == [os.path.normpath(left)]
    assert not left.exists()
    assert others.exists()


def test_the_monitor_of_a_site(tmp_path: Path) -> None:
    files = TokenFiles(str(tmp_path))
    found = []
    for text in (None, "", "x", "-1", "1", "99999999999999999999999", f"{os.getpid()}\n"):
        if text is not None:
            (tmp_path / "pid").write_text(text)
        found.append(files.monitor())
    assert found == [0, 0, 0, 0, 0, 0, os.getpid()]


def test_only_private_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "box.use"
    path.write_text("x")
    path.chmod(0o644)
    (tmp_path / "link").symlink_to(path)
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name in ("box.use", "link", "pipe", "none", "."):
        with pytest.raises(OSError, match=r".+"):
            read_private(str(tmp_path / name))
    assert read_private(str(path), trusting=True) == b"x"
