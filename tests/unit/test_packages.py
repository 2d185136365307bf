"""The source archive holds everything, and the wheel is made from it without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from condor_py.cli.entry import PROGRAMS

#: One worker runs all tests: the archive is made once.
pytestmark = pytest.mark.xdist_group("packages")

ROOT = Path(__file__).resolve().parents[2]
BUILT = ("__pycache__", "*.so", "*.egg-info", ".venv*", ".git", "build", "dist", ".*_cache", ".hypothesis")


def run(*words: str, cwd: Path) -> None:
    """Runs Python. There is no compiler: the compiled parts are optional, and their twins are what is tested here."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env={**os.environ, "CC": "/bin/false", "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source archive."""
    top = tmp_path_factory.mktemp("archive")
    shutil.copytree(ROOT, top / "checkout", ignore=shutil.ignore_patterns(*BUILT), symlinks=True)
    run("setup.py", "-q", "sdist", "--dist-dir", str(top), cwd=top / "checkout")
    with tarfile.open(next(top.glob("*.tar.gz"))) as file:
        file.extraction_filter = getattr(tarfile, "data_filter", None)  # not in the first versions of Python 3.11
        file.extractall(top / "unpacked")
    return next((top / "unpacked").iterdir())


def files(top: Path) -> set[str]:
    return {str(path.relative_to(top)) for path in top.rglob("*") if path.is_file() or path.is_symlink()}


@pytest.mark.parametrize("folder", ["bin", "completions", "condor_py", "docs", "etc", "man", "tests"])
def test_the_archive_holds_the_repository(archive: Path, folder: str) -> None:
    assert files(archive / folder) >= files(archive.parent.parent / "checkout" / folder)


def test_what_is_run_may_be_run(archive: Path) -> None:
    assert all(os.access(archive / name, os.X_OK) for name in ("bin/condor_submit", "bin/quickstart", "tests/run"))
    assert {"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "SECURITY.md"} <= files(archive)


def test_a_wheel_comes_of_the_archive_without_a_network(archive: Path, tmp_path: Path) -> None:
    run("-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", str(tmp_path), ".", cwd=archive)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        infos = wheel.infolist()
        names = [info.filename for info in infos]
    package = {name for name in names if name.startswith("condor_py/")}
    modules = {name for name in files(archive) if name.startswith("condor_py/") and name.endswith(".py")}
    assert modules <= package
    assert {"condor_py/py.typed", "condor_py/machine/run/libexec/cleanup_locally_mounted_checkpoint"} <= package
    pages = {name.rpartition("/")[2] for name in names if "/share/man/man1/" in name}
    assert pages == {f"{program}.1" for program in PROGRAMS}
    assert not [name for name in names if name.startswith(("tests/", "docs/"))]
    top = "/data/share/condor_py/"
    shared = {name.partition(top)[2]: info for name, info in zip(names, infos, strict=True) if top in name}
    there = {str(path.relative_to(archive / "etc")) for path in (archive / "etc").rglob("*") if path.is_file()}
    assert {name for name in shared if not name.startswith("completions/")} == there
    for name in there:
        is_program = os.access(archive / "etc" / name, os.X_OK)
        assert bool(shared[name].external_attr >> 16 & 0o100) == is_program, name
