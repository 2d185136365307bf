"""Quotas of projects: a job's directory takes so much and no more, and others feel nothing. It runs where the kernel
has such quotas: elsewhere in a test machine (tests/engines/machine)."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

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
