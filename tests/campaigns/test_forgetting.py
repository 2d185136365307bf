"""The file system that forgets (``forgetfs.c``) keeps what was flushed, and forgets what Linux may forget."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from forgetting import MODELS, ForgetfulDirectory
from hanging import missing

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=missing() or "it can be mounted"),
    pytest.mark.xdist_group("forgetting"),  # its tests share what was compiled and mounted
]
SEEDS = range(60)


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForgetfulDirectory]:
    made = ForgetfulDirectory(tmp_path_factory.mktemp("forgetting"))
    yield made
    made.close()


def outcomes(disk: ForgetfulDirectory, model: str, work: Callable[[Path], None]) -> set[str]:
    """What is found after many crashes behind the same work; files as NAME=CONTENT, sorted."""
    found = set()
    for seed in SEEDS:
        for path in sorted(disk.path.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        disk.save()
        work(disk.path)
        disk.crash()
        disk.recover(seed, model)
        files = sorted(path for path in disk.path.rglob("*") if path.is_file())
        texts = [f"{path.relative_to(disk.path)}={path.read_bytes().decode('latin-1')}" for path in files]
        found.add(" ".join(texts))
    return found


def write(path: Path, text: bytes, *, sync: bool = False, flags: int = 0) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | flags, 0o644)
    os.write(handle, text)
    if sync:
        os.fdatasync(handle)
    os.close(handle)


def sync_directory(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


@pytest.mark.parametrize("model", MODELS)
def test_what_was_flushed_stays(disk: ForgetfulDirectory, model: str) -> None:
    def work(top: Path) -> None:
        write(top / "a", b"one", sync=True)
        sync_directory(top)
        write(top / "b", b"two", flags=os.O_DSYNC)
        sync_directory(top)

    assert outcomes(disk, model, work) == {"a=one b=two"}


@pytest.mark.parametrize("model", MODELS)
def test_what_was_not_flushed_may_be_lost_torn_or_zero(disk: ForgetfulDirectory, model: str) -> None:
    def work(top: Path) -> None:
        write(top / "a", b"one", sync=True)
        sync_directory(top)
        write(top / "a", b"x" * 9000)

    found = outcomes(disk, model, work)
    assert {"a=one", f"a=one{'x' * 9000}"} <= found
    assert all(text.startswith("a=one") for text in found)
    assert any("\0" in text for text in found), "no block was lost in front of one that was written"
    assert any(5 < len(text) < 9000 and "\0" not in text for text in found), "no write was torn"


@pytest.mark.parametrize("model", MODELS)
def test_a_rename_is_done_or_not(disk: ForgetfulDirectory, model: str) -> None:
    def work(top: Path) -> None:
        write(top / "a", b"old", sync=True)
        write(top / "a.new", b"new", sync=True)
        sync_directory(top)
        os.rename(top / "a.new", top / "a")

    assert outcomes(disk, model, work) == {"a=old a.new=new", "a=new"}


def test_the_name_of_a_file_that_was_flushed(disk: ForgetfulDirectory) -> None:
    """A journal has it with the file, and all that was before; POSIX does not promise it."""

    def work(top: Path) -> None:
        write(top / "before", b"")
        write(top / "a", b"one", sync=True)

    assert outcomes(disk, "journal", work) == {"a=one before="}
    assert {"", "before=", "a=one before="} <= outcomes(disk, "strict", work)


def test_a_directory_and_its_names(disk: ForgetfulDirectory) -> None:
    def work(top: Path) -> None:
        (top / "d").mkdir()
        write(top / "d" / "a", b"one", sync=True)
        sync_directory(top / "d")

    assert outcomes(disk, "journal", work) == {"d/a=one"}
    assert outcomes(disk, "strict", work) == {"", "d/a=one"}


@pytest.mark.parametrize("model", MODELS)
def test_names_that_were_taken_away_may_be_back(disk: ForgetfulDirectory, model: str) -> None:
    def work(top: Path) -> None:
        write(top / "a", b"one", sync=True)
        sync_directory(top)
        os.unlink(top / "a")

    assert outcomes(disk, model, work) == {"a=one", ""}


@pytest.mark.parametrize("model", MODELS)
def test_a_mapping_is_kept_by_msync(disk: ForgetfulDirectory, model: str) -> None:
    def work(top: Path) -> None:
        with open(top / "a", "w+b") as file:
            file.write(b"-" * 10)
            file.flush()
            os.fsync(file.fileno())
            sync_directory(top)
            with mmap.mmap(file.fileno(), 10) as mapped:
                mapped[0:3] = b"yes"
                mapped.flush()
                mapped[5:7] = b"no"

    found = outcomes(disk, model, work)
    assert {"a=yes-------"} <= found <= {"a=yes-------", "a=yes--no---"}


@pytest.mark.parametrize("model", MODELS)
def test_a_file_that_is_written_again_in_its_place_may_be_empty(disk: ForgetfulDirectory, model: str) -> None:
    def work(top: Path) -> None:
        write(top / "a", b"old", sync=True)
        sync_directory(top)
        (top / "a").write_bytes(b"new")

    assert {"a=old", "a=", "a=new"} <= outcomes(disk, model, work)


@pytest.mark.parametrize("when", ["before", "unacked", "after"])
def test_it_crashes_at_a_flush(disk: ForgetfulDirectory, when: str) -> None:
    """The one that writes is answered only where the flush was acknowledged."""
    write(disk.path / "f", b"")
    disk.save()
    child = f"import os; h = os.open({str(disk.path / 'f')!r}, os.O_WRONLY); os.write(h, b'1'); os.fsync(h); "
    told = disk.path.parent / f"told.{when}"
    disk.arm(1, when)
    writer = subprocess.Popen([sys.executable, "-I", "-S", "-c", f"{child}open({str(told)!r}, 'w').close()"])
    assert disk.has_crashed(30)
    deadline = time.monotonic() + 30
    while when == "after" and not told.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    writer.kill()
    disk.recover(1, "journal")
    writer.wait(30)
    assert told.exists() == (when == "after")
    if when != "before":
        assert (disk.path / "f").read_bytes() == b"1"
