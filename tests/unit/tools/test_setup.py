"""bin/.setup: what makes it install again; what tests/run installs."""

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


@pytest.mark.parametrize(("setting", "asked"), [({}, True), ({"CONDOR_PY_CLIENTS": "0"}, False)])
def test_the_client_programs_may_be_left_out(root: Path, setting: dict[str, str], asked: bool) -> None:
    (root / "tests" / "clients").mkdir(parents=True)
    shutil.copy(SETUP.parents[1] / "tests" / "run", root / "tests")
    install = root / "tests" / "clients" / "install"
    install.write_text(f"#!/bin/sh\n: > {root}/clients\n")
    install.chmod(0o755)
    oracle = str(root / "venv" / "bin" / "python")
    environment = {**os.environ, "CONDOR_PY_VENV": str(root / "venv"), "CONDOR_PY_ORACLE24": oracle, **setting}
    if not setting:
        environment.pop("CONDOR_PY_CLIENTS", None)
    subprocess.run([str(root / "tests" / "run"), "tests/unit"], env=environment, check=True, capture_output=True)
    assert (root / "clients").exists() == asked
    assert "-m pytest tests/unit" in (root / "asked").read_text()
