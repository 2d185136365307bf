"""Logical volumes: what LVM is asked, what its answers mean, and which volumes stay noted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.machine.run import logicalvolume
from condor_py.machine.run.logicalvolume import LogicalVolume, Room, VolumeGroup

FIGURES = ["--noheadings", "--units", "b", "--nosuffix"]


@pytest.fixture
def lvm(monkeypatch: pytest.MonkeyPatch) -> tuple[list[list[str]], dict[str, str | OSError]]:
    """What LVM was asked, and its answers by the beginning of the command."""
    asked: list[list[str]] = []
    answers: dict[str, str | OSError] = {}

    def run(*words: str, **more: object) -> str:
        asked.append(list(words))
        for start, answer in answers.items():
            if " ".join(words).startswith(start):
                if isinstance(answer, OSError):
                    raise answer
                return answer
        return ""

    monkeypatch.setattr(logicalvolume, "run", run)
    monkeypatch.setattr(logicalvolume, "take_off", lambda place: asked.append(["take off", place]))
    return asked, answers


Lvm = tuple[list[list[str]], dict[str, str | OSError]]
VOLUMES = (
    "  a|||100\n  b||htcondor_lv|200\n  c||x,htcondor_lv,y|300\n  d|pool|x|400\n  pool|||500\n  e|pool|htcondor_lv|7\n"
)


def test_room_is_what_lvm_says_without_the_volumes_of_others(lvm: Lvm) -> None:
    asked, answers = lvm
    answers["vgs"] = "  1000 600 4\n"
    answers["lvs --noheadings --units b --nosuffix --separator"] = VOLUMES
    answers["lvs --noheadings --units b --nosuffix -o"] = "  2000 25.00 8\n"
    assert VolumeGroup("g").room() == Room(1000, 600, 600, 4)
    assert asked == [
        ["vgs", *FIGURES, "-o", "vg_size,vg_free,vg_extent_size", "g"],
        ["lvs", *FIGURES, "--separator", "|", "-o", "lv_name,pool_lv,lv_tags,lv_size", "g"],
    ]
    asked.clear()
    assert VolumeGroup("g", "pool").room() == Room(2000, 1500, 400, 8)
    assert asked[0] == ["lvs", *FIGURES, "-o", "lv_size,data_percent,vg_extent_size", "g/pool"]


def test_a_group_that_lvm_does_not_have_offers_nothing(lvm: Lvm, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answers = lvm
    monkeypatch.setattr(logicalvolume, "cannot_make", lambda: "")
    assert VolumeGroup("g").why_not() == ""
    assert VolumeGroup("g", "pool").why_not() == ""
    assert asked == [["vgs", "g"], ["lvs", "g/pool"]]
    answers["vgs"] = OSError("no such\n  group")
    assert VolumeGroup("g").why_not() == "no such group"
    monkeypatch.setattr(logicalvolume, "cannot_make", lambda: "no lvm")
    assert VolumeGroup("g").why_not() == "no lvm"


def test_why_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logicalvolume, "MAPPER", str(tmp_path / "mapper"))
    monkeypatch.setattr(logicalvolume, "PATH", str(tmp_path))
    assert logicalvolume.cannot_make() == "this kernel has no device mapper"
    (tmp_path / "mapper").mkdir()
    assert logicalvolume.cannot_make() == "there is no lvcreate (lvm2)"
    (tmp_path / "lvcreate").write_text("")
    (tmp_path / "lvcreate").chmod(0o755)
    assert logicalvolume.cannot_make() == ""


def test_what_jobs_can_share_leaves_what_a_volume_takes_besides() -> None:
    free = 100 << 30
    whole = free // 1024
    assert VolumeGroup("g", "pool").offered_kb(free, 3) == whole
    one, three = (VolumeGroup("g").offered_kb(free, jobs) for jobs in (1, 3))
    assert whole * 0.9 < three < one < whole
    assert one - three == pytest.approx(2 * 8192 / (1 + logicalvolume.OWN_PART), abs=2)
    assert VolumeGroup("g").offered_kb(1 << 20, 1000) == int(1024 * 0.9 / (1 + logicalvolume.OWN_PART))


def made(root: Path, group: VolumeGroup, change: Callable[[LogicalVolume], None] | None = None) -> str:
    volume = LogicalVolume(str(root), 10 << 10, group=group)
    if change is not None:
        change(volume)
    return volume._set_aside()


def test_volumes_are_noted_before_they_are_made(lvm: Lvm, tmp_path: Path) -> None:
    asked, answers = lvm
    first = made(tmp_path, VolumeGroup("g"))
    name = first.removeprefix("/dev/g/")
    assert name.startswith("condor_")
    size = LogicalVolume(str(tmp_path), 10 << 10).bytes // 1024
    common = ["lvcreate", "--quiet", "--yes", "--autobackup", "n", "--name"]
    assert asked == [[*common, name, "--addtag", "htcondor_lv", "--size", f"{size}k", "--wipesignatures", "y", "g"]]
    second = made(tmp_path, VolumeGroup("g", "pool", 3)).removeprefix("/dev/g/")
    thin = ["--virtualsize", f"{size + 3 * 1024}k", "--thinpool", "pool"]
    assert asked[1] == [*common, second, "--addtag", "htcondor_lv", *thin, "g"]
    assert (tmp_path / ".logical_volumes").read_text().split() == [f"g/{name}", f"g/{second}"]

    asked.clear()
    answers[f"lvs g/{name}"] = OSError(f'lvs: Failed to find logical volume "g/{name}"')
    assert logicalvolume.remove(str(tmp_path), "/place")
    remover = ["lvremove", "--quiet", "--force", "--autobackup", "n"]
    assert asked == [["take off", "/place"], ["lvs", f"g/{name}"], ["lvs", f"g/{second}"], [*remover, f"g/{second}"]]
    assert not (tmp_path / ".logical_volumes").exists()
    assert not logicalvolume.remove(str(tmp_path), "/place")


def test_a_volume_that_is_busy_stays_noted(lvm: Lvm, tmp_path: Path) -> None:
    _, answers = lvm
    busy, other = (made(tmp_path, VolumeGroup("g")).removeprefix("/dev/") for _ in range(2))
    answers[f"lvremove --quiet --force --autobackup n {busy}"] = OSError("in use")
    with pytest.raises(OSError, match="in use"):
        logicalvolume.remove(str(tmp_path), "/place")
    assert (tmp_path / ".logical_volumes").read_text().split() == [busy]
    assert other != busy
    answers.clear()
    assert logicalvolume.remove(str(tmp_path), "/place")


def test_a_volume_stays_noted_as_long_as_lvm_does_not_say_that_it_is_gone(lvm: Lvm, tmp_path: Path) -> None:
    _, answers = lvm
    name = made(tmp_path, VolumeGroup("g")).removeprefix("/dev/")
    answers["lvs"] = answers["lvremove"] = OSError("lvs took more than 60 seconds")
    with pytest.raises(OSError, match="took more than"):
        logicalvolume.remove(str(tmp_path), "/place")
    assert (tmp_path / ".logical_volumes").read_text().split() == [name]
    answers["lvs"] = OSError('lvs: Volume group "g" not found')
    assert logicalvolume.remove(str(tmp_path), "/place")
    assert not (tmp_path / ".logical_volumes").exists()


@pytest.mark.parametrize("left", [b"", b"\0" * 60, b"\xff\xfe", b"g/root\n-f\n"])
def test_a_file_that_a_power_failure_has_left_names_no_volume(lvm: Lvm, tmp_path: Path, left: bytes) -> None:
    asked, _ = lvm
    (tmp_path / ".logical_volumes").write_bytes(left)
    assert not logicalvolume.remove(str(tmp_path), "/place")
    assert asked == []
