"""``python -m condor_py.bindings --install`` in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """The site-packages of a new environment, which finds condor_py and what it requires."""
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    (found,) = (tmp_path / "env").glob("lib/python*/site-packages")
    (found / "base.pth").write_text(f"{ROOT}\n")
    return found


def python(packages: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(packages.parents[2] / "bin" / "python"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")


def module(packages: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return python(packages, "-m", "condor_py.bindings", *words)


def test_programs_find_the_modules_without_pythonpath(packages: Path) -> None:
    show = ("-c", "import classad2; print(classad2.ExprTree('1 + 1').eval())")
    assert python(packages, *show).returncode == 1
    assert module(packages, "--install").returncode == 0
    done = python(packages, *show)
    assert (done.stdout, done.stderr) == ("2\n", "")
    assert module(packages, "--install").returncode == 0  # again: nothing changes
    assert module(packages, "--remove").stdout == f"{packages / 'condor_py_bindings.pth'} is removed\n"
    assert python(packages, *show).returncode == 1
    assert module(packages, "--remove").stdout == ""


def test_a_module_that_is_there_stays(packages: Path) -> None:
    (packages / "htcondor.py").write_text("mine = True\n")
    done = module(packages, "--install")
    assert done.returncode == 1
    assert done.stderr.endswith(f" has a module htcondor already, {packages / 'htcondor.py'}\n")
    (packages / "htcondor.py").rename(packages / "later.py")
    assert module(packages, "--install").returncode == 0
    (packages / "later.py").rename(packages / "htcondor.py")
    assert python(packages, "-c", "import htcondor; print(htcondor.mine)").stdout == "True\n"


def test_without_an_argument_it_names_the_directory() -> None:
    words = [sys.executable, "-m", "condor_py.bindings"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == f"{ROOT / 'condor_py' / 'bindings' / 'shims'}\n"
    assert subprocess.run([*words, "--wrong"], capture_output=True, check=False, cwd=ROOT).returncode == 2
    assert not (Path(sysconfig.get_path("purelib")) / "condor_py_bindings.pth").exists()
