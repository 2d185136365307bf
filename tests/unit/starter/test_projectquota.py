"""Quotas of projects: a job's directory takes so much and no more, and others feel nothing. It runs where the kernel
has such quotas: elsewhere in a test machine (tests/engines/machine)."""

from __future__ import annotations

import errno
import gc
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from condor_py.machine.run import projectquota
from condor_py.machine.run.projectquota import ProjectQuota, has_quotas

NOBODY = 65534


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Where a small file system with quotas is mounted."""
    if os.geteuid() != 0 or not shutil.which("mkfs.ext4"):
        pytest.skip("only root may mount, with mkfs.ext4")
    image, found = tmp_path / "image", tmp_path / "place"
    found.mkdir()
    with image.open("wb") as file:
        file.truncate(64 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", "-O", "quota,project", image], check=True)
    words = ["mount", "-o", "loop,prjquota", str(image), str(found)]
    if subprocess.run(words, capture_output=True, check=False).returncode != 0:
        pytest.skip("this kernel has no quotas of projects (ext4 with CONFIG_QFMT_V2)")
    yield found
    subprocess.run(["umount", "-l", found], check=True)


def write(path: Path, kb: int) -> int:
    """As an ordinary account; the number of the error, 0 for none."""
    child = os.fork()
    if child == 0:
        os.chdir(path.parent)  # others may not enter what lies above
        os.setresuid(NOBODY, NOBODY, NOBODY)
        try:
            with open(path.name, "wb", buffering=0) as file:
                for _ in range(kb):
                    file.write(bytes(1024))
        except OSError as error:
            os._exit(error.errno or 255)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_directory_takes_what_it_may(place: Path) -> None:
    assert has_quotas(str(place))
    places = [place / "one", place / "two"]
    quotas = [ProjectQuota(number, 4096) for number in (17, 18)]
    for quota, scratch in zip(quotas, places, strict=True):
        quota.make(str(scratch))
        os.chown(scratch, NOBODY, NOBODY)
    (places[0] / "deep").mkdir()
    (places[0] / "deep").chmod(0o777)
    assert write(places[0] / "deep" / "much", 8000) in (errno.EDQUOT, errno.ENOSPC)
    assert write(places[1] / "some", 3000) == 0, "the other one feels nothing"
    assert [quota.look(str(scratch)) for quota, scratch in zip(quotas, places, strict=True)] == [True, False]
    (places[0] / "deep" / "much").unlink()
    assert quotas[0].look(str(places[0])), "it was exceeded"
    quotas[0].remove(str(places[0]))
    assert not places[0].exists()
    quotas[0].make(str(places[0]))
    assert not quotas[0].look(str(places[0])), "the next job begins anew"


def test_other_file_systems_have_none() -> None:
    assert not has_quotas("/proc")
    assert not has_quotas("/no/such/place")


class Kernel:
    """A simulated file system with quotas: what was set, and how many bytes are used. ``fails``: it has none."""

    def __init__(self, used: int = 0, fails: bool = False) -> None:
        self.set: list[tuple[str, int, tuple[int, ...]]] = []
        self.given: list[tuple[str, int]] = []
        self.used, self.fails = used, fails

    def quota(self, path: str, command: int, project: int, data: bytearray) -> None:
        if self.fails:
            raise OSError(errno.ESRCH, "No such process", path)
        if command >> 8 == 0x800008:
            self.set.append((path, project, struct.unpack("=8QI4x", data)))
        else:
            data[:] = struct.pack("=8QI4x", 0, 0, self.used, 0, 0, 0, 0, 0, 0)

    def give(self, path: str, project: int) -> None:
        self.given.append((path, project))


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    made = Kernel()
    monkeypatch.setattr(projectquota, "_quota", made.quota)
    monkeypatch.setattr(projectquota, "_give", made.give)
    return made


def test_only_the_blocks_of_a_directory_are_limited(tmp_path: Path, kernel: Kernel) -> None:
    place = str(tmp_path / "scratch")
    ProjectQuota(17, 4096).make(place)
    assert kernel.set == [(place, 0x40000011, (4096, 0, 0, 0, 0, 0, 0, 0, 1))]
    assert kernel.given == [(place, 0x40000011)]
    assert os.stat(place).st_mode & 0o777 == 0o700


def test_a_directory_without_room_for_a_block_is_full(tmp_path: Path, kernel: Kernel) -> None:
    quota = ProjectQuota(17, 4096)
    quota.make(str(tmp_path / "scratch"))
    found = []
    for used in (0, 4032, 4033, 0):
        kernel.used = used * 1024
        found.append(quota.look(str(tmp_path / "scratch")))
    kernel.fails = True
    assert [*found, quota.look(str(tmp_path / "scratch"))] == [False, False, True, True, True]


def test_a_quota_that_cannot_be_set_says_so(tmp_path: Path, kernel: Kernel) -> None:
    kernel.fails = True
    with pytest.raises(OSError, match=r"Failed to limit the scratch directory by a quota: .*No such process") as error:
        ProjectQuota(17, 4096).make(str(tmp_path / "scratch"))
    assert error.value.errno == errno.ESRCH


def test_what_is_made_in_a_directory_is_of_its_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attributes, told = struct.Struct("=5I8x"), []

    def ioctl(descriptor: int, request: int, data: bytes) -> bytes:
        if request == 0x801C581F:
            return attributes.pack(0x10, 2, 3, 0, 5)
        told.append((request, attributes.unpack(data), os.readlink(f"/proc/self/fd/{descriptor}")))
        return data

    monkeypatch.setattr("fcntl.ioctl", ioctl)
    monkeypatch.setattr(projectquota, "_quota", lambda *words: None)
    gc.collect()  # it closes what tests before this one have forgotten
    before = len(os.listdir("/proc/self/fd"))
    ProjectQuota(17, 4096).make(str(tmp_path / "scratch"))
    assert told == [(0x401C5820, (0x210, 2, 3, 0x40000011, 5), str(tmp_path / "scratch"))]
    assert len(os.listdir("/proc/self/fd")) == before
