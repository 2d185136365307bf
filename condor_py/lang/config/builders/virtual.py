"""Knobs of virtual machines."""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import DEFAULT, Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.virtual import LIBVIRT, QEMU, VmSettings

#: Where programs are looked for besides PATH.
_PLACES = "/usr/local/bin:/usr/bin:/bin:/usr/libexec"
_KVM_ONLY = "/usr/libexec/qemu-kvm"
_MAC_PREFIX = re.compile("[0-9a-f]{2}(:[0-9a-f]{2}){0,4}")


def virtual(config: Config) -> VmSettings:
    """VM_TYPE and what belongs to it; ConfigError names the knob."""
    networks = _networks(config)
    return build(
        VmSettings,
        config,
        kind=_bare(config, "VM_TYPE"),
        networks=networks,
        network=_network(config, networks),
        bridge=_bare(config, "VM_NETWORKING_BRIDGE_INTERFACE", lower=False),
        mac_prefix=_mac_prefix(config),
        driver=_driver(config),
        qemu=_program(config, "QEMU", f"qemu-system-{platform.machine()}", _KVM_ONLY),
        virsh=_program(config, "VIRSH", "virsh"),
        xml_script=_script(config),
        xml_arguments=tuple(shlex.split(config.string("LIBVIRT_XML_SCRIPT_ARGS"))),
    )


def _bare(config: Config, knob: str, *, lower: bool = True) -> str:
    """A word that may stand in quotes."""
    text = config.string(knob).strip().strip('"').strip()
    return text.lower() if lower else text


def _networks(config: Config) -> tuple[str, ...]:
    """The kinds of networks that jobs may have; none with VM_NETWORKING = false. A bridge has to be named."""
    if not config.boolean("VM_NETWORKING"):
        return ()
    named = _bare(config, "VM_NETWORKING_TYPE").replace(",", " ").split()
    there = bool(_bare(config, "VM_NETWORKING_BRIDGE_INTERFACE"))
    return tuple(dict.fromkeys(kind for kind in named if kind != "bridge" or there))


def _network(config: Config, networks: tuple[str, ...]) -> str:
    """The one for jobs that do not choose."""
    wanted = _bare(config, "VM_NETWORKING_DEFAULT_TYPE")
    if wanted in networks:
        return wanted
    return next((kind for kind in ("user", "nat") if kind in networks), networks[0] if networks else "")


def _mac_prefix(config: Config) -> str:
    given = _bare(config, "VM_NETWORKING_MAC_PREFIX").rstrip(":") or "52:54:00"
    if not _MAC_PREFIX.fullmatch(given):
        raise ConfigError(
            f"VM_NETWORKING_MAC_PREFIX: {given!r} is not how a hardware address begins", "VM_NETWORKING_MAC_PREFIX"
        )
    return given


def _driver(config: Config) -> str:
    """What runs the machines; a site that has a script for libvirt means libvirt."""
    word = _bare(config, "VM_DRIVER")
    if not word:
        return LIBVIRT if _script(config) else QEMU
    if word not in (QEMU, LIBVIRT):
        raise ConfigError(f"VM_DRIVER: {word!r} is not one of {QEMU}, {LIBVIRT}", "VM_DRIVER")
    return word


def _script(config: Config) -> str:
    """LIBVIRT_XML_SCRIPT, if somebody has set it and not only HTCondor's default."""
    return "" if config.source("LIBVIRT_XML_SCRIPT") in (None, DEFAULT) else config.path("LIBVIRT_XML_SCRIPT")


def _program(config: Config, knob: str, *names: str) -> str:
    """The path of a program: as it is set, or where it usually is; "" where it is not."""
    given = config.path(knob)
    if given:
        return given
    search = f"{os.environ.get('PATH', '')}:{_PLACES}"
    return next((found for name in names if (found := shutil.which(name, path=search))), "")
