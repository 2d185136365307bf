"""condor_power and condor_power_state on the command line."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tool_runner import run

HARDWARE = "00:1a:2b:3c:4d:5e"
PACKET = b"\xff" * 6 + bytes.fromhex(HARDWARE.replace(":", "")) * 16


@pytest.fixture
def heard() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(10)
        yield listener


def machine(path: Path, **attributes: str) -> str:
    """A file with the ad of a machine, and another ad behind it."""
    items = {"HardwareAddress": HARDWARE, "SubnetMask": "255.255.255.255", "MyAddress": "<127.0.0.1:9618?x=y>"}
    lines = [f'{name} = "{value}"' for name, value in (items | attributes).items() if value]
    path.write_text("\n".join(lines) + '\n\nHardwareAddress = "ff:ff:ff:ff:ff:ff"\n')
    return str(path)


def test_the_machine_of_an_ad_is_woken(tmp_path: Path, heard: socket.socket) -> None:
    port = str(heard.getsockname()[1])
    done = run("condor_power", "-d", "-p", port, machine(tmp_path / "ad"))
    assert (done.code, done.out) == (0, "")
    told = f"Hardware address {HARDWARE}, subnet 255.255.255.255, broadcast address 127.0.0.1, port {port}"
    assert done.err.splitlines() == [told, "Packet sent."]
    assert heard.recv(1000) == PACKET


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ({"HardwareAddress": ""}, "the ad has no HardwareAddress"),
        ({"MyAddress": ""}, "the ad has no MyAddress"),
        ({"SubnetMask": "255.255"}, "malformed subnet: 255.255"),
        ({"MyAddress": "<far:1>"}, "malformed address: far"),
        ({"HardwareAddress": "00:1a:2b"}, "malformed hardware address: 00:1a:2b"),
    ],
)
def test_an_ad_that_does_not_say_whom_to_wake(tmp_path: Path, attributes: dict[str, str], why: str) -> None:
    done = run("condor_power", machine(tmp_path / "ad", **attributes))
    assert (done.code, done.err) == (1, f"condor_power: failed to send wake packet: {why}\n")


def test_empty_lines_before_an_ad_are_none_of_it(tmp_path: Path, heard: socket.socket) -> None:
    path = Path(machine(tmp_path / "ad"))
    path.write_text(f"\n\n{path.read_text()}")
    assert run("condor_power", "-p", str(heard.getsockname()[1]), str(path)).code == 0
    assert heard.recv(1000) == PACKET
    path.write_text("\n")
    done = run("condor_power", str(path))
    assert (done.code, done.err) == (1, "condor_power: failed to send wake packet: the ad has no HardwareAddress\n")


def test_words_that_are_not_understood(tmp_path: Path) -> None:
    assert run("condor_power", "a", "b").err == "condor_power: wrong number of arguments.\n"
    assert "cannot open file" in run("condor_power", str(tmp_path / "none")).err
    assert "malformed hardware address: x" in run("condor_power", "-m", "x").err
    assert "-p needs a number, not x" in run("condor_power", "-m", HARDWARE, "-p", "x").err
    assert "failed to send wake packet" in run("condor_power", "-m", HARDWARE, "-p", "99999999").err


def test_the_states_of_a_machine(tmp_path: Path) -> None:
    (tmp_path / "power").mkdir()
    state = tmp_path / "power/state"
    state.write_text("freeze mem disk")
    (tmp_path / "power/disk").write_text("platform [shutdown]")
    here = ("-sys", str(tmp_path), "-m", "/sys")
    assert run("condor_power_state", *here, "ad").out.splitlines() == [
        'HibernationMethod = "/sys"', "HibernationRawMask = 28", 'HibernationSupportedStates = "S3,S4,S5"'
    ]  # fmt: skip
    done = run("condor_power_state", *here, "-d", "set", "suspend")
    assert (done.code, done.err) == (0, "entering S3 by /sys\nPower level change.\n")
    assert state.read_text().startswith("mem")
    for words, why in (
        (("set", "S1"), "failed to switch the machine's power state: this machine does not support low power state S1"),
        (("set", "S9"), "S9 is no power state"),
        (("get",), "wrong number of arguments: ad or set STATE is needed"),
    ):
        done = run("condor_power_state", *here, *words)
        assert (done.code, done.err) == (1, f"condor_power_state: {why}\n")
    assert "unknown method apm" in run("condor_power_state", "-m", "apm", "ad").err
