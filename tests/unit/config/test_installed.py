"""BIN, SBIN and LIBEXEC are where the commands of this installation lie, unless RELEASE_DIR says where others are."""

from __future__ import annotations

from pathlib import Path

from condor_py.daemons.common.ownprograms import is_ours
from condor_py.lang.config import load
from condor_py.lang.config.installed import tools_directory


def commands(directory: Path) -> str:
    """The directory, with commands in it."""
    directory.mkdir(parents=True)
    (directory / "condor_config_val").touch()
    return str(directory)


def test_the_commands_are_there_and_have_no_sbin() -> None:
    config = load({"CONDOR_CONFIG": "ONLY_ENV"})
    place = config.string("BIN")
    assert (Path(place) / "condor_config_val").exists()
    assert [config.string(name) for name in ("SBIN", "LIBEXEC", "LIB")] == [place, place, f"{Path(place).parent}/lib"]
    assert is_ours(f"{place}/condor_gpu_discovery")


def test_whoever_sets_release_dir_gets_its_directories(tmp_path: Path) -> None:
    root = tmp_path / "condor_config"
    for place in ("/usr", "/opt/condor"):  # the first is what HTCondor's table has
        root.write_text(f"RELEASE_DIR = {place}\n")
        config = load({"CONDOR_CONFIG": str(root)})
        found = [config.string(name) for name in ("BIN", "SBIN", "LIBEXEC", "LIB")]
        assert found == [f"{place}/{name}" for name in ("bin", "sbin", "libexec", "lib")]


def test_which_commands_are_those_of_an_installation(tmp_path: Path) -> None:
    checkout, environment = tmp_path / "checkout", tmp_path / "environment"
    package = str(checkout / "condor_py")
    assert tools_directory(str(environment), package) == ""
    ours = commands(checkout / "bin")
    assert tools_directory(str(environment), package) == ours
    commands(checkout / ".venv" / "bin")
    assert tools_directory(str(checkout / ".venv"), package) == ours
    theirs = commands(environment / "bin")
    assert tools_directory(str(environment), package) == theirs


def test_packages_of_a_user(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "python3.11" / "site-packages" / "condor_py"
    assert tools_directory("/usr/nowhere", str(package)) == ""
    place = commands(tmp_path / "bin")
    assert tools_directory("/usr/nowhere", str(package)) == place
