"""The command line with which a container is made for a job, in HTCondor's order."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from condor_py.lang.classad import ClassAd, finite, is_true, is_valid, parse
from condor_py.machine.run.dockervolumes import volumes_of
from condor_py.machine.run.engine import LABEL, place_label
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.process import StartError
from condor_py.model.arguments import parse_arguments
from condor_py.model.settings.containers import DockerSettings
from condor_py.model.states import HoldCode

#: An engine refuses longer names of a machine.
_LONGEST_HOSTNAME = 63
#: The directory in which the driver of NVIDIA lists its devices.
_NVIDIA = "/proc/driver/nvidia/gpus"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A container to be made for ``execution``: its name, image and environment. ``cores`` are the cpus that the slot
    is bound to, empty for all."""

    execution: Execution
    name: str
    image: str
    variables: Mapping[str, str]
    cores: Sequence[int] = ()


def create_words(
    settings: DockerSettings, slot_ad: ClassAd, job_ad: ClassAd, wanted: Wanted, log: Callable[[str], None]
) -> list[str]:
    """The arguments of ``create`` for a job. StartError for what the job may not have, ArgumentError for
    DOCKER_EXTRA_ARGUMENTS."""
    execution, owner = wanted.execution, wanted.execution.owner
    words = list(_limit_words(slot_ad, wanted.cores))
    if is_true(slot_ad.raw(parse(settings.drop_capabilities), job_ad)):
        words += ["--cap-drop=all", "--cap-add=SYS_PTRACE", "--security-opt", "no-new-privileges"]
    if settings.under_init:
        words.append("--init")
    execute = os.path.dirname(execution.place.sandbox.root)
    words += ["--name", wanted.name, f"--label={LABEL}", f"--label={place_label(execute)}"]
    if settings.keeps_no_log:
        words += ["--log-driver", "none"]
    elif settings.log_driver:
        words += ["--log-driver", settings.log_driver]
    words += _each("-e", (f"{name}={value}" for name, value in sorted(wanted.variables.items())))
    words += _each("--volume", volumes_of(settings, slot_ad, job_ad, execution, log))
    words += _each("--device", devices_of(slot_ad.eval_str("AssignedGPUs", None) or "", settings.maps_all_gpus))
    words += ["--workdir", execution.directory]
    uid, gid = (os.geteuid(), os.getegid()) if owner is None else (owner.uid, owner.gid)
    words += ["--user", f"{uid}:{gid}"]
    words += _each("--group-add", map(str, owner.groups if owner is not None else ()))
    if execution.job.stdin != os.devnull:
        words.append("--interactive")
    words += network_words(settings, slot_ad, job_ad)
    if not settings.networkless:
        words += _each("-p", map(str, service_ports(job_ad).values()))
    if (job_ad.eval_str("DockerPullPolicy", None) or "").lower() == "always":
        words += ["--pull", "always"]
    words += extra_words(settings)
    words += _memory_words(settings, slot_ad, job_ad)
    return words + _command_words(job_ad, execution, wanted.image)


def extra_words(settings: DockerSettings) -> list[str]:
    """DOCKER_EXTRA_ARGUMENTS. ArgumentError."""
    return parse_arguments(settings.extra_arguments)[0] if settings.extra_arguments else []


def _each(option: str, values: Iterable[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


def _limit_words(slot_ad: ClassAd, cores: Sequence[int]) -> Iterable[str]:
    if cores:
        yield f"--cpuset-cpus={','.join(map(str, sorted(cores)))}"
    else:
        yield f"--cpu-shares={100 * max(1, int(slot_ad.eval_real('Cpus', 1.0) or 1))}"
    if memory := slot_ad.eval_int("Memory", 0):
        yield f"--memory={memory}m"


def _memory_words(settings: DockerSettings, slot_ad: ClassAd, job_ad: ClassAd) -> list[str]:
    """DOCKER_SHM_SIZE: bytes, or an expression about slot and job."""
    text = settings.shm_size
    size = finite(slot_ad.raw(parse(text), job_ad)) if is_valid(text) else None
    return ["--shm-size", str(int(size))] if size else []


def network_words(settings: DockerSettings, slot_ad: ClassAd, job_ad: ClassAd) -> list[str]:
    """The network, and the name of the machine inside, with the job's id. StartError 35 for a network that jobs may not
    have."""
    network = "none" if settings.networkless else job_ad.eval_str("DockerNetworkType", None) or ""
    if network == "host":
        return ["--network=host"]
    if network not in ("", "nat", "none", *settings.networks):
        text = f"Docker job requested network {network}, which DOCKER_NETWORKS does not allow"
        raise StartError(HoldCode.INVALID_DOCKER_IMAGE, 0, text)
    words = [f"--network={network}"] if network not in ("", "nat") else []
    owner = job_ad.eval_str("Owner", None) or "unknown"
    cluster, proc = job_ad.eval_int("ClusterId", 1), job_ad.eval_int("ProcId", 1)
    name = f"{owner}-{cluster}.{proc}-{slot_ad.eval_str('Machine', None) or 'host'}"
    return [*words, "--hostname", name[:_LONGEST_HOSTNAME]]


def service_ports(job_ad: ClassAd) -> dict[str, int]:
    """The port inside of each of the job's services (container_service_names). StartError 35 for one without."""
    found = {}
    for name in (job_ad.eval_str("ContainerServiceNames", None) or "").replace(",", " ").split():
        port = job_ad.eval_int(f"{name}_ContainerPort", None)
        if port is None:
            text = f"Requested container service '{name}' did not specify a port, or that is not a number."
            raise StartError(HoldCode.INVALID_DOCKER_IMAGE, 0, text)
        found[name] = port
    return found


def devices_of(assigned: str, maps_all: bool, told: str = _NVIDIA) -> list[str]:
    """The device files of the GPUs of a slot: CUDA<n>, or the beginnings of their UUIDs."""
    names = assigned.replace(",", " ").split()
    if not names:
        return []
    found = ["/dev/nvidiactl", "/dev/nvidia-uvm"]
    if names[0].startswith("CUDA"):
        return found + [f"/dev/nvidia{name.removeprefix('CUDA')}" for name in names]
    minors = _nvidia_minors(told)
    for name in names:
        matching = [minor for uuid, minor in minors.items() if maps_all or uuid.startswith(name)]
        found += [f"/dev/nvidia{minor}" for minor in (matching if maps_all else matching[:1])]
    return list(dict.fromkeys(found))


def _nvidia_minors(told: str) -> dict[str, int]:
    """The numbers of GPUs by UUID, from their driver."""
    found = {}
    for entry in sorted(os.listdir(told)) if os.path.isdir(told) else ():
        try:
            with open(f"{told}/{entry}/information", encoding="ascii", errors="replace") as file:
                text = file.read()
        except OSError:
            continue
        uuid, minor = re.search(r"GPU UUID:\s*(\S+)", text), re.search(r"Device Minor:\s*(\d+)", text)
        if uuid and minor:
            found[uuid[1]] = int(minor[1])
    return found


def _command_words(job_ad: ClassAd, execution: Execution, image: str) -> list[str]:
    """The image, and what is run in it: the job's program if it has one, else that of the image."""
    job = execution.job
    command = job.cmd
    if command and job.transfer and job.transfer_executable:
        above = execution.place.sandbox.scratch if job.remote_iwd else "."
        command = f"{above}/{os.path.basename(command)}"
    waits = ["86400"] if job_ad.eval_bool("InteractiveJob", False) is True else []
    arguments = [*job.arguments, *waits]
    if not command:
        return [image, *arguments]
    if job_ad.eval_bool("DockerOverrideEntrypoint", False) is True:
        return ["--entrypoint", command, image, *arguments]
    return [image, command, *arguments]
