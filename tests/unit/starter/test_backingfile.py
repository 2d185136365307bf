"""A volume group on a file: what is made of it, what is left alone, what stays behind.

Programs that do as losetup and LVM do, as far as it matters here, stand in for them: no kernel is asked.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from condor_py.daemons.startd.scratchdisks import ScratchDisks, with_disk
from condor_py.machine.run import backingfile, logicalvolume, machinetools
from condor_py.model.settings.startd import StartdSettings
from condor_py.model.settings.starter import BackingFile, ScratchVolume, StarterSettings

#: State is files: ``loop`` has the path of the file behind the device, ``pv`` is there when it is a physical volume,
#: ``vg`` has the name of the group on it, ``lv`` lines "name pool tags bytes"; ``other`` names groups elsewhere.
_TOOLS = """\
cd {top}
echo "${{0##*/}} $*" >>calls
for last; do :; done
case ${{0##*/}} in
losetup)
    case $* in
    *--associated*) [ ! -e loop ] || echo /dev/loop7 ;;
    *--show*) echo "$last" >loop; echo /dev/loop7 ;;
    *) rm loop ;;
    esac ;;
wipefs) [ ! -e kind ] || cat kind; [ ! -e pv ] || echo LVM2_member ;;
pvcreate) touch pv ;;
pvremove) rm pv ;;
pvs) [ ! -e vg ] || cat vg ;;
vgs) case $* in *vg_size*) echo 1048576000 838860800 4194304 ;; *) cat vg other 2>/dev/null; true ;; esac ;;
vgcreate) [ ! -e broken ] || {{ echo no room >&2; exit 5; }}; echo group >vg ;;
vgremove) [ ! -e busy ] || {{ echo in use >&2; exit 5; }}; rm -f vg lv ;;
lvs) cat lv 2>/dev/null; true ;;
lvcreate) : ;;
esac
"""
_NAMES = "losetup wipefs pvcreate pvremove pvs vgs vgcreate vgremove lvs lvcreate lvremove"


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in _NAMES.split():
        (programs / name).write_text("#!/bin/sh\n" + _TOOLS.format(top=tmp_path))
        (programs / name).chmod(0o755)
    for module in (machinetools, logicalvolume):
        monkeypatch.setattr(module, "PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setattr(logicalvolume, "MAPPER", str(programs))
    monkeypatch.setattr(backingfile, "_PATIENCE", 0.1)
    return tmp_path


@pytest.fixture
def file(top: Path) -> BackingFile:
    return BackingFile(str(top / "disk.img"), 2, "group")


def calls(top: Path) -> list[str]:
    """The programs that changed something."""
    asked = ("wipefs", "pvs", "vgs", "lvs", "losetup --noheadings")
    return [line.split()[0] for line in (top / "calls").read_text().splitlines() if not line.startswith(asked)]


@pytest.mark.parametrize("thin", [False, True])
def test_it_is_made_and_taken_away(top: Path, file: BackingFile, thin: bool) -> None:
    group = backingfile.set_up(file, thin)
    assert (group.name, group.pool) == ("group", "group_THINPOOL" if thin else "")
    assert os.stat(file.path).st_mode & 0o777 == 0o600
    assert os.stat(file.path).st_size >= 2 << 20
    assert os.stat(file.path).st_blocks * 512 >= 2 << 20, "nobody else takes its room"
    assert calls(top) == ["losetup", "pvcreate", "vgcreate", *(["lvcreate"] if thin else [])]
    assert list(backingfile.take_down(file)) == []
    assert not {"disk.img", "loop", "pv", "vg"} & set(os.listdir(top))


def test_what_a_killed_startd_left_is_made_anew(top: Path, file: BackingFile) -> None:
    backingfile.set_up(file, False)
    (top / "calls").unlink()
    backingfile.set_up(file, False)
    assert calls(top) == ["vgremove", "pvremove", "pvcreate", "vgcreate"]


def test_after_a_start_of_the_machine_the_file_has_no_device(top: Path, file: BackingFile) -> None:
    backingfile.set_up(file, False)
    (top / "loop").unlink()
    backingfile.set_up(file, False)
    assert (top / "loop").exists()
    assert (top / "vg").exists()


def refused(file: BackingFile) -> str:
    try:
        backingfile.set_up(file, False)
    except OSError as error:
        return str(error)
    return ""


def test_a_file_with_something_else_is_left_alone(top: Path, file: BackingFile) -> None:
    Path(file.path).write_bytes(bytes(3 << 20))
    (top / "kind").write_text("ext4\n")
    assert "there is something else on it (ext4)" in refused(file)
    (top / "kind").unlink()
    (top / "pv").touch()
    (top / "vg").write_text("precious\n")
    assert "there is the volume group precious on it" in refused(file)
    assert (top / "vg").read_text() == "precious\n"
    assert os.path.getsize(file.path) == 3 << 20
    assert not (top / "loop").exists(), "the device that we made for it is gone"


def test_a_file_whose_content_has_no_name_is_left_alone(top: Path, file: BackingFile) -> None:
    content = bytes(5000) + b"results of years" + bytes(3 << 20)
    Path(file.path).write_bytes(content)
    assert "there is something else on it; remove it if it may go" in refused(file)
    assert Path(file.path).read_bytes() == content
    assert not (top / "loop").exists()
    Path(file.path).write_bytes(bytes(3 << 20))
    assert refused(file) == "", "whoever was killed when it had just been made has left zeros"


def test_a_file_must_be_large_enough_and_a_file(top: Path, file: BackingFile) -> None:
    Path(file.path).write_bytes(b"small")
    assert "it has 0 MB, and 2 are needed" in refused(file)
    assert Path(file.path).read_bytes() == b"small"
    os.unlink(file.path)
    os.mkfifo(file.path)
    assert "it is no plain file" in refused(file)
    assert not (top / "calls").exists()


def test_nothing_is_left_of_what_cannot_be_made(top: Path, file: BackingFile) -> None:
    (top / "broken").touch()
    assert "vgcreate: no room" in refused(file)
    assert not {"disk.img", "loop", "pv"} & set(os.listdir(top))
    (top / "other").write_text("group\n")
    assert "there is another volume group group on this machine (LVM_AUTO_VG_NAME)" in refused(file)
    assert not {"disk.img", "loop", "pv"} & set(os.listdir(top))


def test_what_is_busy_stays_and_is_told(top: Path, file: BackingFile) -> None:
    backingfile.set_up(file, False)
    (top / "busy").touch()
    assert list(backingfile.take_down(file)) == ["vgremove: in use"]
    assert {"disk.img", "loop", "vg"} <= set(os.listdir(top))


def settings(file: BackingFile | None, **more: object) -> StarterSettings:
    disk = ScratchVolume(file=file)._replace(**more)  # type: ignore[arg-type]
    return StarterSettings(execute="/x", scratch_volume=disk)


def test_starters_are_told_of_the_group(top: Path, file: BackingFile) -> None:
    lines: list[str] = []
    disks = ScratchDisks(lines.append)
    (top / "lv").write_text("theirs||x|8388608\nours||htcondor_lv|4194304\n")
    told = disks.settled(settings(file))
    assert told.scratch_volume is not None
    assert (told.scratch_volume.group, told.scratch_volume.pool) == ("group", "")
    again = disks.settled(settings(file, hidden=True)).scratch_volume
    assert again is not None
    assert (again.group, again.hidden) == ("group", True)
    assert lines == [f"STARTD_ENFORCE_DISK_LIMITS: volume group group on {file.path}"]
    shown = with_disk(StartdSettings(), told)
    store = shown.disk_store
    assert store is not None
    assert (store.name, store.loopback, store.detected, store.foreign, store.extent) == (
        "group", True, 1048576000, 8388608, 4194304
    )  # fmt: skip
    assert shown.disk_kb is not None
    assert 819200 * 0.85 < shown.disk_kb < 819200, "a volume is larger than what its job may write"
    assert with_disk(StartdSettings(disk_kb=7), told).disk_kb == 7
    disks.take_down()
    assert not os.path.exists(file.path)


def test_without_a_group_each_job_has_a_file_and_the_log_says_so_once(
    top: Path, file: BackingFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logicalvolume, "MAPPER", str(top / "nothing"))
    lines: list[str] = []
    disks = ScratchDisks(lines.append)
    for _ in range(2):
        told = disks.settled(settings(file)).scratch_volume
        assert told is not None
        assert not told.group
    assert len(lines) == 1
    assert "(this kernel has no device mapper): scratch directories are files on loop devices" in lines[0]
    assert not os.path.exists(file.path)
    assert with_disk(StartdSettings(), disks.settled(settings(file))).disk_store is None


def test_what_losetup_and_lvm_are_asked(top: Path, file: BackingFile) -> None:
    backingfile.set_up(file, True)
    list(backingfile.take_down(file))
    asked = (top / "calls").read_text().replace(file.path, "FILE").splitlines()
    assert asked == [
        "losetup --noheadings --output NAME --associated FILE",
        "losetup --find --show FILE",
        "wipefs --noheadings --output TYPE /dev/loop7",
        "vgs --noheadings -o vg_name",
        "pvcreate --quiet --yes /dev/loop7",
        "vgcreate --quiet --yes --autobackup n group /dev/loop7",
        "lvcreate --quiet --yes --autobackup n --type thin-pool --extents 100%FREE --name group_THINPOOL group",
        "losetup --noheadings --output NAME --associated FILE",
        "wipefs --noheadings --output TYPE /dev/loop7",
        "pvs --noheadings -o vg_name /dev/loop7",
        "vgremove --quiet --yes --force group",
        "pvremove --quiet --yes /dev/loop7",
        "losetup --detach /dev/loop7",
    ]
