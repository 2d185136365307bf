"""A saved machine goes on only where it finds what it has left."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from condor_py.machine.run.vm import saved
from condor_py.machine.run.vm.executor import judged
from condor_py.machine.run.vm.keeper import End, Keeper, Work
from condor_py.machine.run.vm.machine import Failure, Machine
from condor_py.machine.run.vm.spec import Disk, VmSpec
from condor_py.model.report import ExitReport

SPEC = VmSpec("condor_1.0", 64, 1, (Disk("/ours/a.img", "vda", True),))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / saved.STATE).write_bytes(b"state")
    return tmp_path


def test_what_was_saved_is_found(place: Path) -> None:
    saved.note(str(place), SPEC, "qemu", "pc-i440fx-7.2")
    assert saved.find(str(place), SPEC, "qemu") == (saved.Saved(str(place / saved.STATE), "pc-i440fx-7.2"), "")
    saved.forget(str(place))
    assert saved.find(str(place), SPEC, "qemu") == (None, "")
    assert not list(place.iterdir())


@pytest.mark.parametrize(
    ("found", "driver"),
    [
        (replace(SPEC, memory=65), "qemu"),
        (replace(SPEC, cpus=2), "qemu"),
        (replace(SPEC, network="nat"), "qemu"),
        (replace(SPEC, disks=(Disk("/ours/a.img", "vda", False),)), "qemu"),
        (SPEC, "libvirt"),
    ],
)
def test_another_machine_does_not_go_on(place: Path, found: VmSpec, driver: str) -> None:
    saved.note(str(place), SPEC, "qemu", "pc")
    assert saved.find(str(place), found, driver) == (None, "the machine is another one now")


def test_a_disk_that_others_have_changed(place: Path, tmp_path: Path) -> None:
    """A disk that does not travel with the job may have been written since: its machine would spoil it."""
    disk = tmp_path / "shared.img"
    disk.write_bytes(b"before")
    shared = replace(SPEC, disks=(Disk(str(disk), "vda", True, ours=False),))
    saved.note(str(place), shared, "qemu", "pc")
    assert saved.find(str(place), shared, "qemu")[1] == ""
    os.utime(disk, ns=(1, 1))
    assert saved.find(str(place), shared, "qemu") == (None, "a disk has changed since")


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"\xff", b"{}", b"[" * 100_000])
def test_notes_that_cannot_be_read(place: Path, text: bytes) -> None:
    (place / saved.FACTS).write_bytes(text)
    found, why = saved.find(str(place), SPEC, "qemu")
    assert found is None
    assert why


def test_links_are_not_followed(place: Path, tmp_path: Path) -> None:
    saved.note(str(place), SPEC, "qemu", "pc")
    (place / saved.STATE).unlink()
    (place / saved.STATE).symlink_to("/etc/hostname")
    assert saved.find(str(place), SPEC, "qemu") == (None, "")


REPORT = ExitReport("<claim>", "1.0", 1)


@pytest.mark.parametrize(
    ("end", "said", "ran", "held", "word"),
    [
        (End.FAILED, "Image is not in qcow2 format", False, (6, 12), "VMGAHP_ERR_BAD_IMAGE: Image is"),
        (End.NOT_RESUMED, "Missing section", False, (6, 13), "VMGAHP_ERR_VM_INVALID_SUSPEND_FILE: Missing"),
        (End.FAILED, "a disk cannot be written", True, (34, 104), "is there room"),
    ],
)
def test_what_is_the_jobs_fault(end: End, said: str, ran: bool, held: tuple[int, int], word: str) -> None:
    report = judged(REPORT, end, said, ran=ran, slot="slot1@here")
    assert (report.hold_code, report.hold_subcode) == held
    assert word in report.hold_reason


@pytest.mark.parametrize(
    ("end", "said", "ran"),
    [
        (End.FAILED, "failed to initialize kvm: Permission denied", False),
        (End.FAILED, "cannot run /usr/bin/qemu: No such file", False),
        (End.FAILED, "qemu was ended by signal 11", True),
        (None, "", True),
    ],
)
def test_what_is_the_machines_fault(end: End | None, said: str, ran: bool) -> None:
    """The job runs again, and the startd learns that there is something wrong (1020)."""
    report = judged(REPORT, end, said, ran=ran, slot="slot1@here")
    assert (report.hold_code, report.vacate_code) == (0, 1020)
    assert said in report.error


def test_what_was_stopped_needs_no_judge() -> None:
    stopped = replace(REPORT, vacated=True)
    assert judged(stopped, None, "", ran=True, slot="s") is stopped
    for known in (replace(REPORT, hold_code=3), replace(REPORT, error="no disk")):
        assert judged(known, None, "", ran=True, slot="s") is known


@pytest.mark.parametrize(
    "said",
    ["KVM is not there", "cannot allocate memory", "cannot set up guest memory", "qemu does not answer",
     "qemu ended with 1", "no such Bridge", "LIBVIRT: x", "Could not open '/dev/net/tun'", "socket: y", "Error: z"],
)  # fmt: skip
def test_complaints_about_the_machine_do_not_hold_the_job(said: str) -> None:
    report = judged(REPORT, End.FAILED, said, ran=False, slot="s")
    assert (report.hold_code, report.vacate_code) == (0, 1020)
    odd = judged(REPORT, End.FAILED, "odd", ran=True, slot="s")
    assert (odd.hold_code, odd.vacate_code) == (0, 1020), "an image that is no good does not run"


class Wordy:
    """A machine whose program complains at length."""

    def start(self, saved: str = "") -> None:
        raise Failure("\ufffd" * 100_000)

    def off(self) -> None:
        """It never ran."""


def test_a_long_complaint_is_a_whole_message(place: Path) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    work = Work(str(place), lambda board, check: cast(Machine, Wordy()), lambda: (None, ""), lambda board: None, False)
    Keeper(work, theirs).serve()
    told = json.loads(ours.recv(1 << 20))
    assert (told["end"], set(told["said"])) == ("failed", {"\ufffd"})
    for sock in (ours, theirs):
        sock.close()
