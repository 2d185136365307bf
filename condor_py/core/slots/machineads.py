"""The attributes that all slots of a machine share, and the StartDaemon ad."""

from __future__ import annotations

import re
from collections.abc import Iterator

from condor_py.core.slots import virtual
from condor_py.core.slots.pool import COUNTERS, Pool
from condor_py.lang.classad import is_valid, quote_string
from condor_py.model.facts import MachineFacts
from condor_py.model.power import packets_text, states_text
from condor_py.model.settings.containers import ContainerAbilities
from condor_py.model.settings.java import JavaAbilities
from condor_py.model.settings.startd import DiskStore, MachineResource, StartdSettings
from condor_py.model.states import SlotState
from condor_py.model.version import CONDOR_VERSION, condor_platform

Pair = tuple[str, str]
_SINFUL = re.compile(r"<([^:>?]+):(\d+)")

#: What our starter can do, in the order of StarterAbilityList.
STARTER_ABILITIES = (
    "HasReconnect",
    "HasTDP",
    "HasJobDeferral",
    "HasFileTransfer",
    "HasPerFileEncryption",
    "HasJobTransferPlugins",
    "HasSelfCheckpointTransfers",
)
#: Those of containers, where they are there.
_CONTAINERS = (
    "HasContainer",
    "HasDocker",
    "HasDockerURL",
    "HasPidNamespaces",
    "HasSandboxImage",
    "HasSIF",
    "HasSingularity",
)
#: Abilities that jobs do not have to ask for, and those that we never have.
_FIXED_ABILITIES = (("HasOsUser", True), ("HasSshd", False))
_NEVER = 2147483647


def real(value: float) -> str:
    """A real in old ClassAd text: 8.0, 0.37."""
    return f"{value:.16G}" if value != int(value) else f"{int(value)}.0"


def count(value: float) -> str:
    """An amount in ClassAd text: an integer where it is whole."""
    return str(int(value)) if value == int(value) else real(value)


def flag(value: bool) -> str:
    """A boolean in ClassAd text."""
    return "true" if value else "false"


def constant_pairs(settings: StartdSettings, facts: MachineFacts) -> Iterator[Pair]:
    """Attributes that stay the same from poll to poll: names, operating system, processor, abilities."""
    yield "Machine", quote_string(facts.host)
    yield "UidDomain", quote_string(settings.uid_domain)
    yield "FileSystemDomain", quote_string(settings.filesystem_domain)
    if settings.collector_host:
        yield "COLLECTOR_HOST_STRING", quote_string(settings.collector_host)
    yield "CondorVersion", quote_string(CONDOR_VERSION)
    yield "CondorPlatform", quote_string(condor_platform(facts.cpu.arch, facts.os.platform_tag))
    yield "PrivateNetworkName", quote_string(settings.private_network or facts.host)
    yield "ExecuteVolume", quote_string(_volume(settings, facts))
    yield from _system_pairs(facts)
    yield from _processor_pairs(facts)
    yield from _ability_pairs(settings, facts)
    yield from _wake_pairs(settings, facts)
    yield "IsLocalStartd", "false"
    yield "TimeToLive", str(_NEVER)


def _system_pairs(facts: MachineFacts) -> Iterator[Pair]:
    os = facts.os
    yield "Arch", quote_string(facts.cpu.arch)
    yield "OpSys", quote_string(os.opsys)
    yield "OpSysAndVer", quote_string(os.and_ver)
    yield "OpSysName", quote_string(os.name)
    yield "OpSysShortName", quote_string(os.short_name)
    yield "OpSysLongName", quote_string(os.long_name)
    yield "OpSysLegacy", quote_string(os.opsys)
    yield "OpSysMajorVer", str(os.major_ver)
    yield "OpSysVer", str(os.opsys_ver)
    yield "UtsnameMachine", quote_string(os.uts_machine)
    yield "UtsnameNodename", quote_string(os.uts_nodename)
    yield "UtsnameRelease", quote_string(os.uts_release)
    yield "UtsnameSysname", quote_string(os.uts_sysname)
    yield "UtsnameVersion", quote_string(os.uts_version)


def _processor_pairs(facts: MachineFacts) -> Iterator[Pair]:
    cpu = facts.cpu
    for name, number in (
        ("CpuFamily", cpu.family),
        ("CpuModelNumber", cpu.model),
        ("CpuCacheSize", cpu.cache_kb),
    ):
        if number:
            yield name, str(number)
    if cpu.microarch:
        yield "Microarch", quote_string(cpu.microarch)
    for name in sorted(cpu.flags):
        yield f"has_{name}", "true"


def starter_pairs(settings: StartdSettings) -> Iterator[Pair]:
    """Abilities of a machine's starters."""
    for ability in STARTER_ABILITIES:
        yield ability, "true"
    if settings.mapping_method:
        yield "HasCommonFilesTransfer", "2"
        yield "MappingMethod", quote_string(settings.mapping_method)
    yield "HasFileTransferPluginMethods", quote_string(",".join(settings.transfer_methods))
    yield from container_pairs(settings.containers)
    yield "HasJobNetworking", flag(settings.job_networking)
    yield "HasVM", flag(bool(settings.virtual.kind))
    yield from java_pairs(settings.java)
    for ability, there in _FIXED_ABILITIES:
        yield ability, flag(there)


def container_pairs(found: ContainerAbilities) -> Iterator[Pair]:
    """Abilities of containers on this machine. What is installed and does not work is published with the reason."""
    runs_sandbox = bool(found.singularity) and (found.sandbox or found.sif)
    if found.docker or runs_sandbox:
        yield "HasContainer", "true"
        yield "HasDockerURL", "true"
    if found.docker or found.docker_broken:
        yield "HasDocker", flag(bool(found.docker))
    if found.docker:
        yield "DockerVersion", quote_string(found.docker)
    elif found.docker_broken:
        yield "DockerOfflineReason", quote_string(found.docker_broken)
    if found.networks:
        yield "DockerNetworks", quote_string(",".join(found.networks))
    for name in found.volumes:
        yield f"HasDockerVolume{name}", "true"
    if found.cached_mb >= 0:
        yield "DockerCachedImageSizeMb", str(found.cached_mb)
    if found.singularity:
        yield from _singularity_pairs(found)


def java_pairs(found: JavaAbilities) -> Iterator[Pair]:
    """The Java machine, where one works."""
    if found.any:
        yield "HasJava", "true"
    attributes = {
        "JavaVendor": found.vendor,
        "JavaVersion": found.version,
        "JavaSpecificationVersion": found.specification,
    }
    yield from ((attribute, quote_string(text)) for attribute, text in attributes.items() if text)


def _singularity_pairs(found: ContainerAbilities) -> Iterator[Pair]:
    works = found.sandbox or found.sif
    yield "HasSingularity", flag(works)
    yield "SingularityVersion", quote_string(found.singularity)
    if not works:
        yield "SingularityOfflineReason", quote_string(found.singularity_broken)
    if found.sandbox:
        yield "HasSandboxImage", "true"
    if found.sif:
        yield "HasSIF", "true"
    if works and found.pid_namespaces is not None:
        yield "HasPidNamespaces", flag(found.pid_namespaces)
    if found.user_namespaces is not None:
        yield "SingularityUserNamespaces", flag(found.user_namespaces)


def _ability_pairs(settings: StartdSettings, facts: MachineFacts) -> Iterator[Pair]:
    shares = ("HasCommonFilesTransfer",) if settings.mapping_method else ()
    runs = tuple(name for name, text in container_pairs(settings.containers) if text == "true" and name in _CONTAINERS)
    java = ("HasJava",) if settings.java.any else ()
    yield "StarterAbilityList", quote_string(",".join((*STARTER_ABILITIES, *shares, *runs, *java)))
    yield from starter_pairs(settings)
    yield "HasStartDaemonAd", "true"
    if settings.missing_isolation:
        yield "IsolationNotProvided", quote_string(",".join(settings.missing_isolation))
    if facts.user_namespaces:
        yield "HasUserNamespaces", "true"
    if settings.encrypts:
        yield "HasEncryptExecuteDirectory", "true"
    if settings.enforces_disk:
        yield from _disk_pairs(settings.disk_store)
    yield "HasRotationalScratch", flag(facts.rotational_scratch)


def _volume(settings: StartdSettings, facts: MachineFacts) -> str:
    """Name of the file system for scratch directories."""
    return settings.disk_store.name if settings.disk_store else facts.execute_volume


def _disk_pairs(store: DiskStore | None) -> Iterator[Pair]:
    """Whether jobs are limited to the disk that they requested, and the storage that it is on."""
    yield "IsEnforcingDiskUsage", "true"
    if store is None:
        return
    yield "LvmBackingStore", quote_string(store.name)
    if store.loopback:
        yield "LvmUsingLoopback", "true"
    if store.thin:
        yield "LvmIsThinProvisioning", "true"
    yield "DiskQuantum", str(store.extent // 1024)


def _wake_pairs(settings: StartdSettings, facts: MachineFacts) -> Iterator[Pair]:
    """Attributes for waking this machine."""
    wake = facts.wake
    yield "Unhibernate", settings.power.unhibernate
    yield "IsWakeAble", flag(wake.is_wakeable)
    yield "IsWakeOnLanEnabled", flag(wake.is_enabled)
    yield "IsWakeOnLanSupported", flag(wake.is_supported)
    yield "WakeOnLanEnabledFlags", quote_string(packets_text(wake.enabled))
    yield "WakeOnLanSupportedFlags", quote_string(packets_text(wake.supported))
    if facts.hardware_address:
        yield "HardwareAddress", quote_string(facts.hardware_address)
    if facts.subnet_mask:
        yield "SubnetMask", quote_string(facts.subnet_mask)


def _power_pairs(pool: Pool) -> Iterator[Pair]:
    """The low power states of this machine, and the one that it is about to enter."""
    power = pool.power
    yield "CanHibernate", flag(bool(power.abilities.states))
    yield "HibernationLevel", str(int(power.target))
    yield "HibernationState", quote_string(power.target.name)
    yield "HibernationSupportedStates", quote_string(states_text(power.abilities.states))


def facts_pairs(pool: Pool) -> Iterator[Pair]:
    """Attributes that all slots share and that only new facts about the machine, or new settings, change."""
    facts, machine = pool.facts, pool.machine
    yield "MyAddress", quote_string(pool.address)
    yield "StartdIpAddr", quote_string(pool.address)
    yield "AddressV1", quote_string(_address_v1(pool.address))
    yield "DaemonStartTime", str(pool.born)
    yield "DaemonLastReconfigTime", str(pool.reconfigured)
    yield "TotalCpus", real(machine.cpus)
    yield "TotalMemory", str(machine.memory)
    yield "TotalDisk", str(machine.disk)
    yield "TotalVirtualMemory", str(machine.swap)
    yield "DetectedCpus", str(facts.cpus)
    yield "DetectedMemory", str(facts.memory_mb)
    store = pool.settings.disk_store
    yield "DetectedDisk", str(store.detected // 1024 if store else facts.disk_total_kb or facts.disk_kb)
    yield "MachineResources", quote_string(" ".join(machine.names()))
    yield "TotalLoadAvg", real(round(facts.load_avg, 6))


def changing_pairs(pool: Pool) -> Iterator[Pair]:
    """Attributes that all slots share and that change with time or with every event."""
    now = int(pool.now)
    yield from _power_pairs(pool)
    yield "MyCurrentTime", str(now)
    yield "LastHeardFrom", str(now)
    yield from _custom_pairs(pool)
    yield from virtual.machine_pairs(pool)
    yield "TotalSlots", str(sum([1 + len(slot.children) for slot in pool.slots]))
    local = now + pool.facts.utc_offset
    yield "ClockMin", str(local % 86400 // 60)
    # The first of January 1970 was a Thursday, day 4 of a week that begins with Sunday as 0.
    yield "ClockDay", str((local // 86400 + 4) % 7)
    for name in COUNTERS:
        yield name, str(pool.counters.totals[name])
        yield f"Recent{name}", str(pool.counters.recent(name, pool.now))
    yield "LastBenchmark", str(pool.last_benchmark)
    yield from pool.benchmark_results.items()
    yield from pool.about_self
    yield from _drain_pairs(pool)


def _address_v1(address: str) -> str:
    """A sinful string in the form of AddressV1: a list of ads, one for each way to get there."""
    match = _SINFUL.match(address)
    if match is None:
        return "{}"
    host, port, alias = match[1], match[2], re.search(r"[?&]alias=([^&>]+)", address)
    name = f' alias="{alias[1]}";' if alias else ""
    ways = ", ".join(f'[ p="{way}"; a="{host}"; port={port}; n="Internet";{name} ]' for way in ("primary", "IPv4"))
    return f"{{{ways}}}"


def _custom_pairs(pool: Pool) -> Iterator[Pair]:
    resources = {resource.name: resource for resource in pool.settings.resources}
    for name, amount in pool.machine.custom:
        resource = resources.get(name, MachineResource(name, amount))
        offline = [unit for unit in resource.ids if unit in pool.offline(name)]
        left = count(amount - len(offline))
        yield f"Total{name}", left
        found = (*resource.ids, *resource.offline) if resource.detected else ()
        yield f"Detected{name}", quote_string(", ".join(found)) if found else left
        yield from resource.attrs
        if offline or resource.offline:
            yield f"Offline{name}", quote_string(",".join(dict.fromkeys((*resource.offline, *offline))))


def _drain_pairs(pool: Pool) -> Iterator[Pair]:
    drain = pool.drain
    if drain.active:
        yield "Draining", "true"
        yield "DrainingRequestId", quote_string(drain.request_id)
        if drain.reason:
            yield "DrainReason", quote_string(drain.reason)
    if drain.last_start:
        yield "LastDrainStartTime", str(drain.last_start)
    if drain.last_stop:
        yield "LastDrainStopTime", str(drain.last_stop)
    if int(drain.badput):
        yield "TotalMachineDrainingBadput", str(int(drain.badput))
    if int(drain.unclaimed):
        yield "TotalMachineDrainingUnclaimedTime", str(int(drain.unclaimed))


def _use_pairs(pool: Pool) -> Iterator[Pair]:
    """Resources in use, of primary slots and of backfill slots."""
    found = pool.overlap()
    shown = {"TotalInUse": found.primary}
    if any(slot.backfill for slot in pool.slots):
        shown |= {"TotalBackfillInUse": found.backfill, "ExcessBackfill": found.excess}
    for prefix, amount in shown.items():
        yield f"{prefix}Cpus", count(amount.cpus)
        yield f"{prefix}Memory", str(amount.memory)
        yield f"{prefix}Disk", str(amount.disk)
        yield f"{prefix}GPUs", count(amount.get("GPUs"))
    busy = [slot for slot in pool.every_slot() if slot.state in (SlotState.CLAIMED, SlotState.PREEMPTING)]
    yield "TotalInUseSlots", str(sum(not slot.backfill for slot in busy))


def daemon_pairs(pool: Pool) -> Iterator[Pair]:
    """Attributes of the StartDaemon ad beyond the shared ones."""
    yield "MyType", quote_string("StartD")
    yield "Name", quote_string(pool.host)
    yield "UpdateSequenceNumber", str(pool.updates)
    volume = _volume(pool.settings, pool.facts)
    volumes = dict.fromkeys((volume, *(found.volume for found in pool.facts.slot_volumes)))
    yield "ExecuteVolumes", f"{{ {','.join(map(quote_string, volumes))} }}"
    yield from _use_pairs(pool)
    if store := pool.settings.disk_store:
        yield "LvmDetectedDisk", str(store.detected)
        yield "LvmNonCondorDiskUsage", str(store.foreign)
    for resource in pool.settings.resources:
        for unit, pairs in resource.properties:
            yield resource.property_name(unit), f"[ {'; '.join(f'{name} = {text}' for name, text in pairs)} ]"
        if resource.properties:
            units = ",".join(resource.property_name(unit) for unit, _ in resource.properties)
            yield f"Detected{resource.name}", f"{{ {units} }}"
    broken = [(slot.tag, slot.broken) for slot in pool.slots if slot.broken]
    for type_id in pool.layout.failed:
        broken.append((f"slot_type{type_id}", f"Could not create required number of type{type_id} slots"))
    if broken:
        yield "BrokenReasons", f"{{ {','.join(f'{name}BrokenReason' for name, _ in broken)} }}"
        for name, reason in broken:
            yield f"{name}BrokenReason", quote_string(reason)
    yield from ((name, text) for name, text in pool.settings.daemon_attrs if text and is_valid(text))
