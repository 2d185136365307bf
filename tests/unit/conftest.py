"""The source archive and the wheel that is made from it, once for all tests of a worker that want them; they belong to
one group, so that there is one worker."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_BUILT = ("__pycache__", "*.so", "*.egg-info", ".venv*", ".git", "build", "dist", ".*_cache", ".hypothesis")


def _run(*words: str, cwd: Path) -> None:
    """Run Python, without compiling anything: a compiler would make the wheel one of this Python and machine."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env={**os.environ, "CONDOR_PY_PURE": "1", "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout without what was made in it."""
    place = tmp_path_factory.mktemp("archive") / "checkout"
    shutil.copytree(_ROOT, place, ignore=shutil.ignore_patterns(*_BUILT), symlinks=True)
    return place


@pytest.fixture(scope="session")
def archive(checkout: Path) -> Path:
    """The unpacked source archive; compressing it would show nothing more."""
    top = checkout.parent
    _run("setup.py", "-q", "sdist", "--formats=tar", "--dist-dir", str(top), cwd=checkout)
    with tarfile.open(next(top.glob("*.tar"))) as file:
        file.extraction_filter = getattr(tarfile, "data_filter", None)  # not in the first versions of Python 3.11
        file.extractall(top / "unpacked")
    return next((top / "unpacked").iterdir())


@pytest.fixture(scope="session")
def wheel(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel for every Python, made from the archive without a network."""
    place = tmp_path_factory.mktemp("wheel")
    _run("-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", str(place), ".", cwd=archive)
    (found,) = place.glob("*.whl")
    return found
