"""File systems for scratch directories, with a simulated machine: which programs are run, and what a failure leaves."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.machine.run import encryption, filesystem, logicalvolume, machinetools, volume
from condor_py.machine.run.machinetools import run, write_down
from condor_py.machine.run.projectquota import ProjectQuota
from condor_py.machine.run.sandbox import Sandbox
from condor_py.machine.run.volume import Volume


class Machine:
    """Notes the programs that are run; ``fails`` is the one that fails."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.fails = ""
        self.mounted: list[str] = []
        self.removed: list[str] = []
        monkeypatch.setattr(filesystem, "run", self._run)
        monkeypatch.setattr(os.path, "ismount", self.mounted.__contains__)
        monkeypatch.setattr(filesystem, "unmount", self.mounted.remove)
        monkeypatch.setattr(encryption, "encrypt", lambda root, device: f"{device}.encrypted")
        monkeypatch.setattr(encryption, "remove", self.removed.append)

    def _run(self, *words: str) -> str:
        self.asked.append(words)
        if words[0] == self.fails:
            raise OSError(f"{words[0]}: no")
        if words[0] == "mount":
            self.mounted.append(words[-1])
            os.mkdir(f"{words[-1]}/lost+found")
            os.chmod(words[-1], 0o755)
        return ""


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


FORMAT = ("mkfs.ext4", "-q", "-F", "-m", "0", "-b", "4096", "-O", "^has_journal", "-E", "lazy_itable_init=1,nodiscard")


def test_a_file_becomes_the_file_system_of_a_job(machine: Machine, tmp_path: Path) -> None:
    place, image = str(tmp_path / "scratch"), str(tmp_path / ".volume")
    made = Volume(str(tmp_path), 1000, thin=True)
    made.exceeded = True
    made.make(place)
    assert machine.asked == [
        (*FORMAT, image), ("mount", "-t", "ext4", "-o", "loop,nosuid,nodev,noatime", image, place),
    ]  # fmt: skip
    assert (os.listdir(place), os.stat(place).st_mode & 0o777) == ([], 0o700)
    found = os.stat(image)
    assert (found.st_size, stat.S_IMODE(found.st_mode)) == (1024 * (1000 + 4096 + 30), 0o600)
    assert made.bytes == found.st_size
    assert not made.exceeded, "that was the job before"
    made.remove(place)
    assert (os.listdir(tmp_path), machine.mounted, machine.removed) == ([], [], [str(tmp_path)])
    assert volume.remove(str(tmp_path), place) is False


def test_what_is_mounted_twice_is_unmounted_twice(machine: Machine, tmp_path: Path) -> None:
    place = str(tmp_path / "scratch")
    Volume(str(tmp_path), 1000, thin=True).make(place)
    machine.mounted.append(place)
    assert volume.remove(str(tmp_path), place) is True
    assert machine.mounted == []
    (tmp_path / ".volume").touch()
    assert volume.remove(str(tmp_path), place) is True, "nothing is at the place"


def test_what_has_lost_its_file_is_unmounted_all_the_same(machine: Machine, tmp_path: Path) -> None:
    """Two were removing it, or one that was killed."""
    place = str(tmp_path / "scratch")
    Volume(str(tmp_path), 1000, thin=True).make(place)
    (tmp_path / ".volume").unlink()
    assert volume.remove(str(tmp_path), place) is True
    assert (os.listdir(tmp_path), machine.mounted) == ([], [])


@pytest.mark.parametrize("thin", [True, False])
def test_blocks_are_set_aside_unless_it_is_thin(machine: Machine, tmp_path: Path, thin: bool) -> None:
    Volume(str(tmp_path), 1000, thin=thin).make(str(tmp_path / "scratch"))
    found = os.stat(tmp_path / ".volume")
    assert (found.st_blocks == 0) == thin
    assert found.st_size == 1024 * 5126


def test_an_encrypted_one_is_made_on_what_encrypts(machine: Machine, tmp_path: Path) -> None:
    made = Volume(str(tmp_path), 1000, thin=True, encrypted=True)
    made.make(str(tmp_path / "scratch"))
    device = f"{tmp_path}/.volume.encrypted"
    assert machine.asked[0][-1] == device
    assert machine.asked[1][3:6] == ("-o", "nosuid,nodev,noatime", device), "it is no file"


@pytest.mark.parametrize("fails", ["mkfs.ext4", "mount"])
def test_what_cannot_be_made_leaves_nothing(machine: Machine, tmp_path: Path, fails: str) -> None:
    machine.fails = fails
    with pytest.raises(OSError, match=f"Failed to create a volume for the scratch directory: {fails}: no") as caught:
        Volume(str(tmp_path), 1000, thin=True).make(str(tmp_path / "scratch"))
    assert caught.value.errno == errno.EIO
    assert os.listdir(tmp_path) == []


def test_what_is_encrypted_is_told(tmp_path: Path) -> None:
    made = Volume(str(tmp_path), 1000)
    assert not Sandbox(str(tmp_path), volume=made).encrypted
    made.encrypted = True
    assert Sandbox(str(tmp_path), volume=made).encrypted
    assert not Sandbox(str(tmp_path), volume=ProjectQuota(7, 5)).encrypted


def test_what_is_refused_is_not_begun(machine: Machine, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no key") as caught:
        Volume(str(tmp_path), 1000, thin=True, refused="no key").make(str(tmp_path / "scratch"))
    assert caught.value.errno == errno.EPERM
    assert (machine.asked, os.listdir(tmp_path)) == ([], [])


def test_a_left_over_of_the_other_kind_is_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(logicalvolume, "remove", lambda *words: asked.append(words) or True)
    assert volume.remove(str(tmp_path), "/place") is True
    assert asked == [(str(tmp_path), "/place")]


@pytest.mark.parametrize(
    ("used_kb", "left_kb", "over"), [(1000, 64, False), (1001, 64, True), (1000, 63, True), (0, 5000, False)]
)
def test_a_job_has_written_too_much(monkeypatch: pytest.MonkeyPatch, used_kb: int, left_kb: int, over: bool) -> None:
    made = Volume("/root", 1000)
    state = SimpleNamespace(f_blocks=50 + used_kb // 1, f_bfree=50, f_frsize=1024, f_bavail=left_kb)
    monkeypatch.setattr(os, "statvfs", lambda path: state)
    assert made.look("/place") is over
    state.f_blocks, state.f_bavail = 50, 5000
    assert made.look("/place") is over, "also when it has removed that again"

    def fails(path: str) -> Any:
        raise OSError(5, "no")

    monkeypatch.setattr(os, "statvfs", fails)
    assert made.look("/place") is over


@pytest.mark.parametrize(
    ("ours", "loops", "maker", "may"), [(0, True, True, True), (5, True, True, False), (0, False, True, False),
                                        (0, True, False, False)]
)  # fmt: skip
def test_machines_that_can(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ours: int, loops: bool, maker: bool, may: bool
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: ours)
    monkeypatch.setattr(volume, "_CONTROL", str(tmp_path / "control"))
    monkeypatch.setattr(volume, "PATH", str(tmp_path))
    if loops:
        (tmp_path / "control").touch()
    if maker:
        (tmp_path / "mkfs.ext4").touch(0o755)
    assert volume.may_make_volumes() is may


# ---- encryption ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "mapper", "program", "target", "why"),
    [
        (5, True, True, True, "only root can encrypt scratch directories"),
        (0, False, True, True, "this kernel has no device mapper"),
        (0, True, False, True, "there is no cryptsetup (cryptsetup-bin)"),
        (0, True, True, False, "this kernel's device mapper cannot encrypt (dm-crypt)"),
        (0, True, True, True, ""),
    ],
)
def test_machines_that_cannot_encrypt(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ours: int, mapper: bool, program: bool, target: bool, why: str
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: ours)
    monkeypatch.setattr(encryption, "MAPPER", str(tmp_path / "mapper"))
    monkeypatch.setattr(encryption, "PATH", str(tmp_path))
    monkeypatch.setattr(encryption, "_MODULES", (str(tmp_path / "loaded"), str(tmp_path / "there")))
    if mapper:
        (tmp_path / "mapper").mkdir()
    if program:
        (tmp_path / "cryptsetup").touch(0o755)
    if target:
        (tmp_path / "loaded" / "dm_crypt").mkdir(parents=True)
    assert encryption.why_not() == why


@pytest.mark.parametrize("busy", [True, False])
def test_what_encrypts_goes_with_the_last_that_has_it_open(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, busy: bool
) -> None:
    asked: list[tuple[str, ...]] = []

    def close(*words: str) -> str:
        asked.append(words)
        if busy and "--deferred" not in words:
            raise OSError("busy")
        return ""

    monkeypatch.setattr(encryption, "run", close)
    monkeypatch.setattr(encryption, "_device", lambda name: str(tmp_path / name))
    encryption.remove(str(tmp_path))
    assert asked == []
    (tmp_path / ".encrypted").write_text("condor_1-enc")
    (tmp_path / "condor_1-enc").touch()
    encryption.remove(str(tmp_path))
    deferred = [("cryptsetup", "close", "--deferred", "condor_1-enc")] if busy else []
    assert asked == [("cryptsetup", "close", "condor_1-enc"), *deferred]
    assert not (tmp_path / ".encrypted").exists()
    for text in (b"", b"condor_2-enc", b"\xff"):  # killed before anything was made
        (tmp_path / ".encrypted").write_bytes(text)
        encryption.remove(str(tmp_path))
        assert not (tmp_path / ".encrypted").exists()
    assert len(asked) == 1 + busy


# ---- the machine's programs ---------------------------------------------------------------------------------


def program(top: Path, text: str) -> None:
    (top / "tool").write_text(f"#!/bin/sh\n{text}\n")
    (top / "tool").chmod(0o755)


def test_programs_of_the_machine_have_a_plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(machinetools, "PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(machinetools, "_UDEV", str(tmp_path / "udev"))
    monkeypatch.setenv("SECRET", "x")
    program(tmp_path, 'env | sort | grep -v "^_=\\|^SHLVL\\|^OLDPWD"; cat; echo "$*"')
    path = f"PATH={tmp_path}:/usr/bin:/bin\nPWD=/\n"
    assert run("tool", "a", "b", data=b"in\n") == f"DM_DISABLE_UDEV=1\nLC_ALL=C\n{path}in\na b\n"
    (tmp_path / "udev").touch()
    assert run("tool") == f"LC_ALL=C\n{path}\n"


@pytest.mark.parametrize(
    ("text", "why"), [("echo ' no such thing ' >&2; exit 3", "tool: no such thing"), ("exit 3", "tool: exit status 3"),
                      ("printf '\\377' >&2; exit 1", "tool: \ufffd")]
)  # fmt: skip
def test_programs_that_fail_say_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, why: str) -> None:
    monkeypatch.setattr(machinetools, "PATH", f"{tmp_path}:/usr/bin:/bin")
    program(tmp_path, text)
    with pytest.raises(OSError) as caught:
        run("tool")
    assert str(caught.value) == why
    program(tmp_path, "exec sleep 1000")
    monkeypatch.setattr(machinetools, "_PATIENCE", 0.05)
    with pytest.raises(OSError, match=r"tool took more than 0\.05 seconds") as late:
        run("tool")
    assert late.value.errno == errno.ETIMEDOUT


def test_what_is_about_to_be_made_is_written_down_once(tmp_path: Path) -> None:
    path = tmp_path / "mark"
    write_down(str(path), "name")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("name", 0o600)
    with pytest.raises(FileExistsError):
        write_down(str(path), "other")
    assert path.read_text() == "name"
