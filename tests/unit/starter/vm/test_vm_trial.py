"""The trial of virtual machines by the startd, with a script in qemu's place."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from condor_py.machine.run.vm.trial import try_machines
from condor_py.model.settings.virtual import VmAbilities, VmSettings

#: Greets as qemu's monitor does. With "no-host" beside it, it does not start with the processor of this machine.
FAKE = """#!/bin/sh
here=${0%/*}
echo "$*" >>"$here/calls"
env | sort >"$here/environment"
[ ! -e "$here/broken" ] || { cat "$here/broken" >&2; exit 1; }
case "$*" in *"-cpu host"*) [ ! -e "$here/no-host" ] || { echo "qemu: nested KVM" >&2; exit 1; } ;; esac
echo '{"QMP": {"version": {"qemu": {"major": 7, "minor": 2}}}}' >&0
read -r line
echo '{"return": {}}' >&0
read -r line
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory that the account of the trial may use."""
    path = Path(tempfile.mkdtemp(prefix="condor_trial."))
    path.chmod(0o777)
    (path / "qemu").write_text(FAKE)
    (path / "qemu").chmod(0o755)
    yield path
    shutil.rmtree(path)


def settings(place: Path, **more: object) -> VmSettings:
    made = VmSettings("kvm", 1000, most=3, networks=("nat",), network="nat", qemu=f"{place}/qemu", patience=20)
    return made.changed(**more)


def test_what_can_run_is_found_out(place: Path) -> None:
    found = try_machines(settings(place, hardware_vt=True), None)
    assert found == (VmAbilities("kvm", 1000, 3, ("nat",), True), "")
    (call,) = (place / "calls").read_text().splitlines()
    assert "-name condor_trial " in call
    assert " -cpu host -m 32 -smp 1 " in call
    assert call.endswith("-nic none")
    environment = dict(line.split("=", 1) for line in (place / "environment").read_text().splitlines())
    assert environment["PATH"] == os.environ["PATH"]
    assert Path(environment["HOME"]).name.startswith("vm_test.")
    assert set(environment) <= {"PATH", "HOME", "PWD", "OLDPWD", "SHLVL", "_"}, "nothing else of ours"


def test_a_small_memory_is_kept(place: Path) -> None:
    try_machines(settings(place, memory=16, host_processor=False), None)
    assert " -m 16 -smp 1 " in (place / "calls").read_text()


def test_without_the_processor_of_this_machine_qemus_own_is_tried(place: Path) -> None:
    (place / "no-host").touch()
    found, why = try_machines(settings(place), None)
    assert (found.kind, found.plain_because, why) == ("kvm", "nested KVM", "")
    assert ["-cpu host" in call for call in (place / "calls").read_text().splitlines()] == [True, False]


def test_what_does_not_run_says_why(place: Path) -> None:
    (place / "broken").write_text(f"qemu: {'x' * 400}\n")
    found, why = try_machines(settings(place), None)
    assert (found, why) == (VmAbilities(), "x" * 300)
    (place / "broken").write_text("qemu: no such machine\n")
    (place / "calls").unlink()
    assert try_machines(settings(place, emulates=True), None) == (VmAbilities(), "no such machine")
    assert len((place / "calls").read_text().splitlines()) == 1


def test_one_that_does_not_start_in_time(place: Path) -> None:
    (place / "qemu").write_text("#!/bin/sh\nread -r line\n")
    assert try_machines(settings(place, emulates=True, patience=0), None)[1] in (
        "it did not start within 0 seconds", "qemu does not answer",
    )  # fmt: skip


def test_the_paths_of_libvirts_sockets_are_short_enough(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever temporary files are: libvirt takes no path with more than 107 characters."""
    virsh = place / "virsh"
    virsh.write_text(f'#!/bin/sh\necho "$HOME" >>{place}/homes\nexit 1\n')
    virsh.chmod(0o755)
    long = place / ("x" * 60)
    long.mkdir()
    long.chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    assert try_machines(settings(place, driver="libvirt", virsh=str(virsh)), None)[0] == VmAbilities()
    homes = set((place / "homes").read_text().split())
    sockets = "con/libvirt/qemu/lib/domain-10000-condor_trial/monitor.sock"
    assert [len(f"{home}/{sockets}") < 108 for home in homes] == [True] * 2
    assert not any(os.path.exists(home) for home in homes)


@pytest.mark.skipif(os.geteuid() != 0, reason="the trial has the rights of another account only if root makes it")
def test_a_directory_that_the_account_cannot_reach_is_not_used(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As EXECUTE of a pool in root's home directory."""
    closed = place / "closed"
    closed.mkdir(0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(closed))
    assert try_machines(settings(place), None)[1] == ""
    environment = (place / "environment").read_text().splitlines()
    assert any(line.startswith("HOME=/tmp/vm_test.") for line in environment)
    assert not os.listdir(closed)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"kind": "xen"}, "VM_TYPE is xen, only kvm can be run here"),
        ({"memory": 0}, "VM_MEMORY is not set"),
        ({"driver": "libvirt"}, "there is no virsh (VIRSH), which is libvirt's"),
        ({"qemu": ""}, "there is no qemu (QEMU)"),
    ],
)
def test_what_is_not_set_up(place: Path, more: dict[str, object], why: str) -> None:
    assert try_machines(settings(place, **more), None) == (VmAbilities(), why)
    assert not (place / "calls").exists()
