"""bin/.setup: what makes it install again."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parents[3] / "bin" / ".setup"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with C sources at two depths, and an environment whose interpreter only notes that it was asked."""
    (tmp_path / "bin").mkdir()
    shutil.copy(SETUP, tmp_path / "bin")
    for name in ("pyproject.toml", "setup.py", "condor_py/room/one.c", "condor_py/room/csrc/two.c",
                 "condor_py/room/csrc/two.h"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n')
    python.chmod(0o755)
    return tmp_path


def installs(root: Path) -> bool:
    """Whether a run installs something."""
    (root / "asked").unlink(missing_ok=True)
    environment = {**os.environ, "CONDOR_PY_VENV": str(root / "venv")}
    script = f'say() {{ :; }}; root={root}; extras=test; . "$root/bin/.setup"'
    subprocess.run(["sh", "-e", "-c", script], env=environment, check=True)
    return (root / "asked").exists()


@pytest.mark.parametrize("name", ["pyproject.toml", "condor_py/room/one.c", "condor_py/room/csrc/two.c",
                                  "condor_py/room/csrc/two.h"])  # fmt: skip
def test_an_edit_of_what_is_built_installs_again(root: Path, name: str) -> None:
    assert installs(root)
    assert not installs(root)
    (root / name).write_text("edited")
    assert installs(root)
    assert not installs(root)
