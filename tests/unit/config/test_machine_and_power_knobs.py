"""The knobs of virtual machines and of power, each with what it means."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.lang.config import Config, load
from condor_py.lang.config.builders.machine import power, rooster
from condor_py.lang.config.builders.starter import virtual
from condor_py.model.errors import ConfigError


def config(**knobs: str) -> Config:
    return load({"CONDOR_CONFIG": "ONLY_ENV", **{f"_CONDOR_{name}": value for name, value in knobs.items()}})


@pytest.mark.parametrize(
    ("knob", "text", "field", "value"),
    [
        ("VM_TYPE", '"KVM"', "kind", "kvm"),
        ("VM_MEMORY", "4096", "memory", 4096),
        ("VM_MAX_NUMBER", "7", "most", 7),
        ("VM_HARDWARE_VT", "true", "hardware_vt", True),
        ("VM_SOFT_SUSPEND", "false", "soft_suspend", False),
        ("VM_GAHP_REQ_TIMEOUT", "17", "patience", 17),
        ("VM_STATUS_INTERVAL", "30", "status_interval", 30),
        ("VM_RECHECK_INTERVAL", "90", "recheck_interval", 90),
        ("VM_NETWORKING_BRIDGE_INTERFACE", "br0", "bridge", "br0"),
        ("VM_MEMORY_OVERHEAD", "64", "overhead", 64),
        ("VM_EMULATE", "true", "emulates", True),
        ("QEMU", "/opt/qemu", "qemu", "/opt/qemu"),
        ("VIRSH", "/opt/virsh", "virsh", "/opt/virsh"),
        ("LIBVIRT_XML_SCRIPT_ARGS", "\"-v 'two words'\"", "xml_arguments", ("-v", "two words")),
    ],
)
def test_machines(knob: str, text: str, field: str, value: object) -> None:
    assert getattr(virtual(config(**{knob: text})), field) == value
    assert getattr(virtual(config()), field) != value or knob == "VM_SOFT_SUSPEND"


def test_networks() -> None:
    """A bridge that is not named is none; jobs that do not choose get the default, if it is one of them."""
    kinds = {"VM_NETWORKING": "true", "VM_NETWORKING_TYPE": "bridge, NAT"}
    assert virtual(config(**kinds)).networks == ("nat",)
    bridged = {**kinds, "VM_NETWORKING_BRIDGE_INTERFACE": "br0"}
    assert virtual(config(**bridged)).networks == ("bridge", "nat")
    assert virtual(config(**bridged)).network == "nat"
    assert virtual(config(**bridged, VM_NETWORKING_DEFAULT_TYPE="bridge")).network == "bridge"
    assert virtual(config(**bridged, VM_NETWORKING_DEFAULT_TYPE="user")).network == "nat"
    assert virtual(config(**bridged | {"VM_NETWORKING": "false"})).networks == ()


def test_what_runs_the_machines(tmp_path: Path) -> None:
    assert virtual(config()).driver == "qemu"
    assert virtual(config(LIBVIRT_XML_SCRIPT=str(tmp_path / "script"))).driver == "libvirt"
    assert virtual(config(LIBVIRT_XML_SCRIPT=str(tmp_path / "script"), VM_DRIVER="qemu")).driver == "qemu"
    with pytest.raises(ConfigError) as error:
        virtual(config(VM_DRIVER="vmware"))
    assert error.value.knob == "VM_DRIVER"


@pytest.mark.parametrize(
    ("knob", "text", "field", "value"),
    [
        ("HIBERNATE_CHECK_INTERVAL", "300", "interval", 300),
        ("HIBERNATION_OVERRIDE_WOL", "true", "override_wol", True),
        ("HIBERNATION_MINIMUM_UPTIME", "60", "awake", 60),
        ("UNHIBERNATE", "Cpus > 3", "unhibernate", "Cpus > 3"),
        ("HIBERNATION_PLUGIN", "/opt/sleep", "plugin", "/opt/sleep"),
        ("HIBERNATION_PLUGIN_ARGS", "-a b", "plugin_args", ("-a", "b")),
        ("LINUX_HIBERNATION_METHOD", "/sys", "method", "/sys"),
        ("HIBERNATION_SYS_DIRECTORY", "/elsewhere", "sys", "/elsewhere"),
        ("HIBERNATION_WAKE_EARLY", "77", "wake_early", 77),
    ],
)
def test_power(knob: str, text: str, field: str, value: object) -> None:
    assert getattr(power(config(**{knob: text})), field) == value
    assert getattr(power(config()), field) != value


def test_an_unknown_way_to_sleep_is_told() -> None:
    with pytest.raises(ConfigError) as error:
        power(config(LINUX_HIBERNATION_METHOD="bios"))
    assert error.value.knob == "LINUX_HIBERNATION_METHOD"


@pytest.mark.parametrize(
    ("knob", "text", "field", "value"),
    [
        ("ROOSTER_INTERVAL", "60", "interval", 60),
        ("ROOSTER_UNHIBERNATE", "Offline", "unhibernate", "Offline"),
        ("ROOSTER_UNHIBERNATE_RANK", "Memory", "rank", "Memory"),
        ("ROOSTER_WAKEUP_CMD", '"/opt/wake"', "command", '"/opt/wake"'),
        ("ROOSTER_MAX_UNHIBERNATE", "2", "most", 2),
    ],
)
def test_rooster(knob: str, text: str, field: str, value: object) -> None:
    assert getattr(rooster(config(**{knob: text})), field) == value
    assert getattr(rooster(config()), field) != value


def test_a_rooster_without_a_command_is_told() -> None:
    with pytest.raises(ConfigError) as error:
        rooster(config(ROOSTER_WAKEUP_CMD=""))
    assert error.value.knob == "ROOSTER_WAKEUP_CMD"
