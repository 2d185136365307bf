"""Sleeping and waking: on a machine made of files, and commands that are only noted."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from condor_py.machine.probes import machine as network
from condor_py.machine.probes.power import Power, PowerError
from condor_py.model.power import SleepState, packets_text, sleep_state, states_mask, states_text


class Box:
    """A machine whose /sys, /proc and programs lie below a directory; ``ran`` are the commands it was given."""

    def __init__(self, root: Path, codes: dict[str, int] | None = None) -> None:
        self.root, self.codes = root, codes or {}
        self.ran: list[str] = []
        self.power = Power(f"{root}/sys", f"{root}/proc", str(root), self.run)

    def run(self, argv: Sequence[str]) -> int:
        self.ran.append(" ".join(argv))
        return self.codes.get(self.ran[-1], 0)

    def file(self, name: str, text: str = "") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


def test_the_kernels_files(box: Box) -> None:
    assert box.power.abilities().method == "NONE"
    state = box.file("sys/power/state", "freeze standby mem disk\n")
    disk = box.file("sys/power/disk", "[platform] shutdown reboot suspend\n")
    assert (box.power.abilities().method, states_text(box.power.abilities().states)) == ("/sys", "S1,S3,S4,S5")
    for wanted, written in ((SleepState.S1, "standby"), (SleepState.S3, "mem"), (SleepState.S4, "disk")):
        state.write_text("freeze standby mem disk")
        box.power.enter(wanted)
        assert state.read_text().startswith(written)
    assert disk.read_text().startswith("platform")
    state.write_text("mem")
    disk.write_text("[disabled]")
    assert box.power.abilities().states == (SleepState.S3,)
    with pytest.raises(PowerError, match="does not support low power state S5"):
        box.power.enter(SleepState.S5)


def test_pm_utils_come_first_and_can_be_passed_over(box: Box) -> None:
    box.file("usr/bin/pm-is-supported")
    box.file("sys/power/state", "mem")
    box.codes["/usr/bin/pm-is-supported --hibernate"] = 1
    assert (box.power.abilities().method, box.power.abilities().states) == ("pm-utils", (SleepState.S3,))
    box.power.enter(SleepState.S3)
    assert box.ran[-1] == "/usr/sbin/pm-suspend"
    assert box.power.abilities("/SYS").method == "/sys"
    assert box.power.abilities("/proc").method == "NONE"


def test_systemd_where_it_runs(box: Box) -> None:
    box.file("usr/bin/systemctl")
    box.file("run/systemd/system/x")
    box.file("sys/power/state", "freeze mem disk")
    assert states_text(box.power.abilities().states) == "S3,S4,S5"
    for state, word in ((SleepState.S3, "suspend"), (SleepState.S4, "hibernate"), (SleepState.S5, "poweroff")):
        box.power.enter(state)
        assert box.ran[-1] == f"/usr/bin/systemctl {word}"
    box.codes["/usr/bin/systemctl suspend"] = 1
    with pytest.raises(PowerError, match="systemctl suspend failed with exit code 1"):
        box.power.enter(SleepState.S3)


def test_acpi_of_old_kernels(box: Box) -> None:
    sleep = box.file("proc/acpi/sleep", "S0 S3 S4 S5")
    assert states_text(box.power.abilities().states) == "S3,S4,S5"
    box.power.enter(SleepState.S4)
    assert sleep.read_text().startswith("4")
    box.power.enter(SleepState.S5)
    assert box.ran == ["/sbin/poweroff"]


def test_the_clock_that_wakes(box: Box) -> None:
    assert not box.power.wake_at(1_800_000_000)
    alarm = box.file("sys/class/rtc/rtc0/wakealarm")
    assert box.power.wake_at(1_800_000_000)
    assert alarm.read_text() == "1800000000"
    assert box.power.wake_at(0)
    assert alarm.read_text().startswith("0")


@pytest.mark.parametrize(
    ("text", "state"), [("RAM", 3), ("s3", 3), ("2", 2), ("Standby", 1), ("OFF", 5), ("disk", 4), ("0", 0), ("deep", 0)]
)
def test_names_of_states(text: str, state: int) -> None:
    assert sleep_state(text) == state


def test_what_is_told_of_states_and_packets() -> None:
    assert states_text([SleepState.S4, SleepState.S3, SleepState.NONE]) == "S3,S4"
    assert states_mask([SleepState.S3, SleepState.S4]) == 12
    assert packets_text(0) == "NONE"
    assert packets_text(0b100001) == "Physical Packet,Magic Packet"
    found = network.wake_answer(struct.pack("=III6s2x", 5, 0b100010, 0b100000, b""))
    assert (found.is_supported, found.is_enabled, found.is_wakeable) == (True, True, True)
    found = network.wake_answer(struct.pack("=III6s2x", 5, 0b100010, 0, b""))
    assert (found.is_supported, found.is_enabled, found.is_wakeable) == (True, False, False)


def test_an_interface_that_says_nothing_wakes_nobody() -> None:
    assert network.wake_facts("lo") == network.wake_facts("no-such-name") == network.WakeFacts()
