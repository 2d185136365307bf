"""The source archive holds everything, and the wheel is made from it without a network."""

from __future__ import annotations

import email
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import condor_py
from condor_py.cli.entry import PROGRAMS

#: One worker runs all tests: the archive is made once, also for those of what is installed.
pytestmark = pytest.mark.xdist_group("packages")

ROOT = Path(__file__).resolve().parents[2]


def files(top: Path) -> set[str]:
    return {str(path.relative_to(top)) for path in top.rglob("*") if path.is_file() or path.is_symlink()}


@pytest.mark.parametrize("folder", ["bin", "completions", "condor_py", "debian", "docs", "etc", "man", "tests"])
def test_the_archive_holds_the_repository(archive: Path, checkout: Path, folder: str) -> None:
    assert files(archive / folder) >= files(checkout / folder)


def test_what_is_run_may_be_run(archive: Path) -> None:
    assert all(os.access(archive / name, os.X_OK) for name in ("bin/condor_submit", "bin/quickstart", "tests/run"))
    assert {"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "SECURITY.md"} <= files(archive)


def test_the_wheel_holds_what_is_meant_and_nothing_else(archive: Path, wheel: Path) -> None:
    assert wheel.name == f"condor_py-{condor_py.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as file:
        infos = {info.filename.partition(".data/")[2] or info.filename: info for info in file.infolist()}
    made = {name for name in infos if ".dist-info/" in name}
    package = {name for name in files(archive) if name.startswith("condor_py/") and not name.endswith((".c", ".h"))}
    commands = {f"scripts/{name}" for name in (".condor_py", *PROGRAMS)}
    pages = {f"data/share/man/man1/{program}.1" for program in PROGRAMS}
    pages |= {f"data/share/man/man5/{page.name}" for page in (archive / "man" / "man5").iterdir()}
    shared = {f"data/share/condor_py/{name}" for name in files(archive / "etc")}
    shared |= {f"data/share/condor_py/completions/condor.{shell}" for shell in ("bash", "zsh", "fish")}
    assert set(infos) - made == package - {"condor_py/ARCHITECTURE.md"} | commands | pages | shared
    for name in files(archive / "etc"):
        is_program = os.access(archive / "etc" / name, os.X_OK)
        assert bool(infos[f"data/share/condor_py/{name}"].external_attr >> 16 & 0o100) == is_program, name


def test_the_metadata_tell_what_an_index_shows(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        (name,) = (name for name in file.namelist() if name.endswith("/METADATA"))
        metadata = email.message_from_bytes(file.read(name))
    for field in ("Author", "Summary", "Project-URL", "License-File", "Description-Content-Type", "Keywords"):
        assert metadata[field], field
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert {"gpu", "grid"} <= set(metadata.get_all("Provides-Extra", []))
    classifiers = metadata.get_all("Classifier", [])
    assert [f"Programming Language :: Python :: 3.{minor}" in classifiers for minor in range(10, 15)] == [False] + 4 * [
        True
    ]
    assert metadata.get_payload().startswith("# condor_py\n")


def test_without_a_compiler_what_is_written_in_c_is_left_out(archive: Path) -> None:
    built = archive.parent / "built"
    words = [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", str(built), "--build-temp", str(built)]
    environment = {name: value for name, value in os.environ.items() if name != "CONDOR_PY_PURE"} | {"CC": "/bin/false"}
    done = subprocess.run(words, cwd=archive, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("warning: build_ext: building extension ") == 5
    assert not list(built.rglob("*.so"))


def test_the_trials_in_fresh_roots_are_named() -> None:
    words = [str(ROOT / "tests" / "trial" / "run"), "-list", "-python", "/opt/3.12"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    found = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    assert list(found) == ["bullseye", "bookworm", "trixie", "testing", "bookworm-3.12"]
    for system in ("bookworm", "trixie", "testing"):
        assert {"build", "wheel", "wheel-pure", "source", "source-without-compiler", "quickstart", "deb"} <= set(
            found[system]
        )
