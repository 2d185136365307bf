"""condor_gpu_discovery: the GPUs of this machine as attributes, for the startd and for people."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace

from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, UsageError, parse
from condor_py.cli.suggest import hint
from condor_py.machine.probes.gpu.devices import Gpu, cores_per_unit
from condor_py.model.texts import as_integer

_TELL = "What to tell of each device"
_FORM = "Form"
_NAMES = "Names of devices"
_WHERE = "Where to look"

_SPEC = ToolSpec(
    name="condor_gpu_discovery",
    usage="[options]",
    summary="Show the GPUs of this machine as attributes.",
    description=(
        "DetectedGPUs lists the devices; 0 when there are none. Those of NVIDIA are asked for through NVML, the "
        "library of its driver, by way of the Python package nvidia-ml-py; a device that is partitioned (MIG) is shown "
        "as its parts. Where there are none, AMD's are read from the kernel's topology in /sys/class/kfd, and where "
        "there are none either, GPUs are asked for through the OpenCL loader, libOpenCL.so.1. The startd runs this "
        "program when `use FEATURE: GPUs` is configured."
    ),
    options=(
        Opt("help", 1, help="this text"),
        Opt("properties", 1, help="name, memory, capability, driver", group=_TELL),
        Opt("extra", 3, help="also clock and compute units", group=_TELL),
        Opt("nested", 2, help="one nested ad a device (the default)", group=_FORM),
        Opt("not-nested", 6, help="attributes with a prefix instead of nested ads", group=_FORM),
        Opt("no-nested", 5, same_as="not-nested", hidden=True),
        Opt("dynamic", 3, help="also temperature, power, fan and errors", group=_TELL),
        Opt("cron", 4, help="without DetectedGPUs, for a job of startd cron", group=_FORM),
        Opt("mixed", 3, help="do not put what all devices share in Common", group=_FORM),
        Opt("hetero", 3, same_as="mixed", hidden=True),
        Opt("opencl", EXACT, help="OpenCL devices (only GPUs)", group=_WHERE),
        Opt("cuda", EXACT, help="NVIDIA devices", group=_WHERE),
        Opt("hip", EXACT, help="AMD devices; with -cuda after those of NVIDIA", group=_WHERE),
        Opt("verbose", 4, help="tell on stderr what is done"),
        Opt("diagnostic", 4, help="tell on stderr why nothing was found"),
        Opt("repeat", EXACT, "N", help="list the devices N times (2)", group=_FORM, optional=True),
        Opt("divide", EXACT, "N", help="as -repeat, and divide GlobalMemoryMb by N", group=_FORM, optional=True),
        Opt("packed", EXACT, help="when repeating, repeat each device and not the list", group=_FORM),
        Opt("config", EXACT, help="in the syntax of configuration files", group=_FORM),
        Opt("tag", 3, "NAME", help="DetectedNAME instead of DetectedGPUs", group=_NAMES),
        Opt("by-index", 4, help="a number (CUDA0)", group=_NAMES),
        Opt("uuid", 2, help="the whole UUID", group=_NAMES),
        Opt("short-uuid", EXACT, help="the first eight digits of the UUID (the default)", group=_NAMES),
        Opt("prefix", 3, "NAME", help="instead of CUDA, GPU (AMD) or OCL before numbers", group=_NAMES),
        Opt("device", 3, "N", help="only this device (number or name); may be repeated", group=_WHERE),
        Opt("simulate", 3, help="simulate N devices of model D, and so on", colon="D,N,...", group=_WHERE),
        Opt("nvcuda", EXACT, help="accepted; the library is found in any case", hidden=True),
        Opt("cudart", 6, help="accepted; the library is found in any case", hidden=True),
        Opt("dirty-environment", 4, help="accepted; the environment does not change what is found", group=_WHERE),
    ),
    examples=(
        ("condor_gpu_discovery -properties -extra", "all that does not change"),
        ("condor_gpu_discovery -divide 2", "each device is to be shared by two slots"),
        ("condor_gpu_discovery -simulate:4,2 -properties", "two simulated A100"),
    ),
    exit_status="0 when the devices could be listed (also when there are none), 1 for a wrong command line.",
    unknown="option {arg} is not valid",
    missing="Error: -{name} requires an argument",
    usage_after=("unknown", "missing", "value", ""),
    see_also=("condor_status", "condor_config_val"),
)
SPECS = (_SPEC,)
#: The topology of the kernel's driver for AMD's devices.
_KFD = "/sys/class/kfd/kfd/topology/nodes"
#: Variables that choose among devices, by family.
_CHOOSING = {
    "CUDA": ("CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"),
    "GPU": ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"),
    "OCL": ("GPU_DEVICE_ORDINAL",),
}
#: Names and values of a device in the order in which they are shown.
Properties = dict[str, str]


def main(argv: list[str]) -> int:
    """Run condor_gpu_discovery."""
    args = parse(_SPEC, argv)
    if args.has("help"):
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(_SPEC))
        return 0
    prefix = args.text("prefix")
    if prefix is not None and len(prefix) > 80:
        raise UsageError("Error: -prefix should be less than 80 characters", _SPEC, "prefix", "value")
    found = _devices(args)
    if found is None:
        sys.stdout.write('condor_gpu_discovery_error = "Failed to enumerate GPU devices"\n')
        sys.stderr.write("# Failed to enumerate GPU devices, aborting.\n")
        return 1
    sys.stdout.write(_text(args, prefix or (found[0].family if found else "CUDA"), found))
    return 0


def _devices(args: Args) -> list[Gpu] | None:
    """The devices, simulated or real; None when other kinds of devices are requested than are simulated."""
    if args.has("simulate"):
        from condor_py.machine.probes.gpu import simulated

        try:
            models = simulated.choose(args.colon("simulate"))
        except simulated.UnknownModel:
            text = f"Error: simulation must be in range of 0-{simulated.ALL}"
            given = f"-simulate:{args.colon('simulate')}"
            raise UsageError(text, _SPEC, "simulate", "value", argument=given) from None
        return None if args.has("opencl") and not args.has("cuda") else simulated.devices(models)
    return _real(args)


def _real(args: Args) -> list[Gpu]:
    """The devices that are asked for: without a word on it those of NVIDIA, else of AMD, else those of OpenCL."""
    cuda, hip, opencl = (args.has(name) for name in ("cuda", "hip", "opencl"))
    any_kind = not (cuda or hip or opencl)
    found = _nvidia(args) if cuda or any_kind else []
    if hip or (any_kind and not found):
        from condor_py.machine.probes.gpu import amd

        found += [replace(gpu, index=len(found) + gpu.index) for gpu in amd.devices(_KFD)]
    if not found and (opencl or any_kind):
        found = _opencl(args)
    return found


def _opencl(args: Args) -> list[Gpu]:
    from condor_py.machine.probes.gpu import opencl

    try:
        return opencl.devices()
    except opencl.NoLibrary as problem:
        if args.has("diagnostic") or args.has("verbose"):
            sys.stderr.write(f"# no OpenCL devices: {problem}\n")
        return []


def _nvidia(args: Args) -> list[Gpu]:
    from condor_py.machine.probes.gpu import nvidia

    try:
        return nvidia.devices()
    except nvidia.NoLibrary as problem:
        if problem.present:
            sys.stderr.write(f"condor_gpu_discovery: this machine has an NVIDIA device, but {problem}\n")
        elif args.has("diagnostic") or args.has("verbose"):
            sys.stderr.write(f"# no NVIDIA devices: {problem}\n")
        return []


def _text(args: Args, prefix: str, found: list[Gpu]) -> str:
    chosen = [(_id(args, prefix, gpu), gpu) for gpu in found if _wanted(args, gpu)]
    lines = _detected(args, [name for name, _ in chosen], bool(found))
    if any(args.has(name) for name in ("properties", "extra", "dynamic")):
        times, divided = _repetition(args)
        plain = {name: _properties(gpu, args.has("extra")) for name, gpu in sorted(chosen, key=lambda pair: pair[0])}
        common = {} if args.has("mixed") else _common(list(plain.values()), divided)
        if args.has("dynamic"):
            for name, gpu in chosen:
                plain[name].update(_dynamic(gpu))
        if divided:
            plain = {name: _divided(properties, times) for name, properties in plain.items()}
        lines += _lines(args, prefix, common, plain)
    return "".join(f"{line}\n" for line in lines)


def _id(args: Args, prefix: str, gpu: Gpu) -> str:
    if gpu.part:
        return gpu.uuid
    kind = args.last("uuid", "short-uuid", "by-index")
    if (kind is not None and kind.name == "by-index") or not gpu.uuid:
        return f"{prefix}{gpu.index}"
    return f"GPU-{gpu.uuid if kind is not None and kind.name == 'uuid' else gpu.uuid[:8]}"


def _wanted(args: Args, gpu: Gpu) -> bool:
    """Whether a device is among those of -device, CUDA_VISIBLE_DEVICES and GPU_DEVICE_ORDINAL; all are, without."""
    texts = [*args.texts("device"), *(os.environ.get(name) for name in _CHOOSING[gpu.family])]
    names = {word for text in texts if text for word in re.split(r"[,\s]+", text) if word}
    if not names:
        return True
    if gpu.uuid in names:
        return True
    whole = gpu.uuid.removeprefix("MIG-") if gpu.part else f"GPU-{gpu.uuid}"
    if not whole.startswith("GPU-"):  # a part with a name of its own
        return False
    return str(gpu.index) in names or any(whole.startswith(name) for name in names if name[:4] == "GPU-")


def _repetition(args: Args) -> tuple[int, bool]:
    """Return how often the list is shown, and whether memory is divided by that number.

    The last of -repeat and -divide decides; without a number of its own it takes that of the other.
    """
    times, divide = 0, False
    for use in args.uses:
        if use.name in ("repeat", "divide"):
            times = _number(use.values[0]) if use.values else times or 2
            divide = use.name == "divide"
    return max(1, times), divide and times > 0


def _number(text: str) -> int:
    if not text.isdecimal():
        hint(f"condor_gpu_discovery: {text} is not a number of times")
    return as_integer(text) if text.isdecimal() else 0


def _detected(args: Args, names: list[str], any_device: bool) -> list[str]:
    tag = args.text("tag") or "GPUs"
    times, _ = _repetition(args)
    shown = [name for name in names for _ in range(times)] if args.has("packed") else names * times
    lines = []
    if not args.has("cron"):
        quote = "" if args.has("config") or not any_device else '"'
        lines.append(f"Detected{tag}={quote}{', '.join(shown) if any_device else 0}{quote}")
    if args.has("config"):
        lines.append(f"NUM_DETECTED_{tag}={len(names)}")
    return lines


def _properties(gpu: Gpu, extra: bool) -> Properties:
    """Return the properties that do not change while the device works."""
    found: dict[str, str | None] = {
        "Capability": f"{gpu.capability[0]}.{gpu.capability[1]}" if gpu.capability else None,
        "DeviceName": f'"{gpu.name}"' if gpu.name else None,
        "DevicePciBusId": f'"{gpu.pci_id}"' if gpu.pci_id else None,
        "DeviceUuid": f'"{gpu.uuid}"' if gpu.uuid else None,
        "DriverVersion": f"{gpu.driver // 1000}.{gpu.driver % 100}" if gpu.driver else None,
        "ECCEnabled": None if gpu.ecc is None else str(gpu.ecc).lower(),
        "GlobalMemoryMb": None if gpu.memory_mb is None else str(gpu.memory_mb),
        "MaxSupportedVersion": str(gpu.driver) if gpu.driver else None,
        "OpenCLVersion": gpu.opencl or None,
        "WarpSize": None if gpu.warp_size is None else str(gpu.warp_size),
    }
    if extra:
        digits = 0 if gpu.family == "OCL" else 2
        found["ClockMhz"] = None if gpu.clock_mhz is None else f"{gpu.clock_mhz:.{digits}f}"
        found["ComputeUnits"] = str(gpu.units) if gpu.units else None
        found["CoresPerCU"] = str(cores_per_unit(gpu.capability)) if gpu.capability and gpu.family == "CUDA" else None
    return {name: value for name, value in found.items() if value is not None}


def _dynamic(gpu: Gpu) -> Properties:
    now = gpu.dynamic
    found = {
        "BoardTempC": now.board_temperature,
        "DieTempC": now.die_temperature,
        "EccErrorsDoubleBit": now.double_bit_errors,
        "EccErrorsSingleBit": now.single_bit_errors,
        "FanSpeedPct": now.fan_percent,
        "PowerUsage_mw": now.power_mw,
    }
    return {name: str(value) for name, value in found.items() if value is not None}


def _common(devices: list[Properties], divided: bool) -> Properties:
    """Return the properties that all devices share; not the memory when it is to be divided."""
    if not devices:
        return {}
    first = devices[0]
    return {
        name: value
        for name, value in first.items()
        if all(device.get(name) == value for device in devices) and not (divided and name == "GlobalMemoryMb")
    }


def _divided(properties: Properties, times: int) -> Properties:
    memory = properties.get("GlobalMemoryMb")
    if memory is None:
        return properties
    return {**properties, "DeviceMemoryMb": memory, "GlobalMemoryMb": str(int(memory) // times)}


def _lines(args: Args, prefix: str, common: Properties, devices: dict[str, Properties]) -> list[str]:
    nested = not args.has("not-nested")
    lines = []
    if common:
        shared = [f"{name}={value}" for name, value in sorted(common.items())]
        lines += [f"Common=[ {'; '.join(shared)}; ]"] if nested else [prefix + text for text in shared]
    for device, properties in devices.items():
        own = [f"{name}={value}" for name, value in sorted(properties.items()) if name not in common]
        name = re.sub("[-/]", "_", device)
        if nested:
            if properties:
                lines.append(f"{name}=[ {''.join(f'{text}; ' for text in (f'id={chr(34)}{device}{chr(34)}', *own))}]")
        else:
            lines += [name + text for text in own]
    return lines
