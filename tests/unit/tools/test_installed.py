"""The commands of an installed wheel: the same launchers as in bin, which find interpreter and package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from condor_py.cli.entry import PROGRAMS

#: One worker runs all tests: the wheel is made once, also for those of packages.
pytestmark = pytest.mark.xdist_group("packages")

_ROOT = Path(__file__).resolve().parents[3]
_VERSION = f"python{sys.version_info[0]}.{sys.version_info[1]}"


def _pip(*words: str, **environment: str) -> None:
    command = [sys.executable, "-m", "pip", *words]
    quiet = ["--quiet", "--no-deps", "--disable-pip-version-check"]
    done = subprocess.run([*command, *quiet], env=os.environ | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the commands in an environment of their own."""
    place = tmp_path_factory.mktemp("env")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    _pip("--python", str(place / "bin" / "python"), "install", "--no-compile", str(wheel))
    return place / "bin"


@pytest.fixture(scope="module")
def packages(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of packages of a user, with the commands in one below it."""
    place = tmp_path_factory.mktemp("user") / "lib" / _VERSION / "site-packages"
    _pip("install", "--no-compile", "--target", str(place), str(wheel))
    return place


def _run(*words: str, where: Path | None = None, **environment: str) -> tuple[int, str, str]:
    known = {"PATH": "/usr/local/bin:/usr/bin:/bin", "CONDOR_CONFIG": "ONLY_ENV", **environment}
    done = subprocess.run(words, cwd=where, env=known, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_all_commands_are_installed(installed: Path) -> None:
    assert {path.name for path in installed.iterdir()} >= set(PROGRAMS)
    assert all(os.access(installed / program, os.X_OK) for program in PROGRAMS)


def test_commands_run_from_anywhere_and_through_links(installed: Path, tmp_path: Path) -> None:
    link = tmp_path / "cv"
    link.symlink_to(installed / "condor_version")
    for command, where in (
        ([str(installed / "condor_version")], tmp_path),
        ([str(link)], tmp_path),
        (["./condor_version"], installed),
        (["sh", "condor_version"], installed),
    ):
        code, out, err = _run(*command, where=where)
        assert (code, err, len(out.splitlines())) == (0, "", 2)


def test_the_package_and_the_interpreter_are_those_of_the_environment(installed: Path, tmp_path: Path) -> None:
    code, out, err = _run(str(installed / "condor_config_val"), "BIN", where=tmp_path)
    assert (code, out, err) == (0, f"{installed}\n", "")


def test_another_python_is_named_in_the_environment(installed: Path, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$@"\n')
    python.chmod(0o755)
    code, out, _ = _run(str(installed / "condor_q"), "-all", where=tmp_path, CONDOR_PY_PYTHON=str(python))
    assert code == 0
    assert out.startswith("-I -S ")
    assert out.endswith("/condor_py/__main__.py condor_q -all\n")


def test_packages_of_a_user_have_their_commands_too(packages: Path) -> None:
    """Not in an environment: the interpreter is the one by whose version the directory is called."""
    place = packages.parents[2] / "bin"
    place.mkdir()
    for name in (".condor_py", "condor_version"):
        shutil.copy(packages / "bin" / name, place / name)
    (place / _VERSION).symlink_to(sys.executable)
    assert _run(str(place / "condor_version"), "-opsys") == (0, "LINUX\n", "")


def test_an_editable_installation_finds_the_checkout(tmp_path: Path) -> None:
    """Of which only Python's own search for packages knows."""
    place = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    (packages,) = place.glob("lib/python*/site-packages")
    (packages / "editable.pth").write_text(f"{_ROOT}\n")
    for name in (".condor_py", "condor_version"):
        shutil.copy(_ROOT / "bin" / name, place / "bin" / name)
    assert _run(str(place / "bin" / "condor_version"), "-opsys") == (0, "LINUX\n", "")


def test_condor_setup_finds_what_is_installed_with_the_commands(installed: Path) -> None:
    (packages,) = installed.parent.glob("lib/python*/site-packages")
    known = f"import sys; sys.path.append({str(packages)!r})"
    code = f"{known}; from condor_py.cli.setup import plan; print(*plan.places())"
    status, out, err = _run(str(installed / "python"), "-I", "-S", "-c", code)
    assert (status, err) == (0, "")
    found = [Path(place) for place in out.split()]
    assert found[0] == installed
    assert all(place.is_relative_to(installed.parent) and place.is_dir() for place in found)


def test_a_cron_script_finds_the_commands(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    script = installed.parent / "share" / "condor_py" / "cron" / "back-in-service"
    status, out, err = _run(str(script), _CONDOR_LOCAL_DIR=str(tmp_path))
    assert (status, out) == (1, "")
    assert err.startswith("ERROR: Can't find address for startd")  # of condor_drain: there is no pool


def test_modules_in_c_that_do_not_load_are_named_and_done_without(packages: Path, tmp_path: Path) -> None:
    """As those of another Python or a newer C library."""
    packages = shutil.copytree(packages, tmp_path / "lib" / _VERSION / "site-packages")
    modules = ("lang/classad/_native", "store/_logreader", "core/accounts/_kernel", "machine/run/_spawn")
    for module in modules:
        (packages / "condor_py" / f"{module}.so").write_bytes(b"no module\n" * 100)
    (tmp_path / "bin").symlink_to(packages / "bin")
    status, out, err = _run(str(tmp_path / "bin" / "condor_version"), "-compiled", CONDOR_PY_PYTHON=sys.executable)
    assert (status, err) == (0, "")
    lines = dict(line.split(": ", 1) for line in out.splitlines())
    for module in modules:
        name = "condor_py." + module.replace("/", ".")
        assert lines.pop(name) == f"not in use: {packages}/condor_py/{module}.so: invalid ELF header"
    assert lines == {
        "condor_py.machine.probes._benchmark": "not in use: No module named 'condor_py.machine.probes._benchmark'"
    }
    ads = tmp_path / "ads"
    ads.write_text('ClusterId = 1\nProcId = 0\nOwner = "ann"\n')
    query = str(tmp_path / "bin" / "condor_q"), "-jobads", str(ads), "-af", 'strcat(Owner, "!")'
    assert _run(*query, CONDOR_PY_PYTHON=sys.executable) == (0, "ann!\n", "")
