"""The command line with which a container is made for a job, in HTCondor's order."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from condor_py.classad import ClassAd, is_true, parse
from condor_py.model.settings.starter import DockerSettings
from condor_py.model.states import HoldCode
from condor_py.starter.executor import Execution
from condor_py.starter.process import StartError
from condor_py.submit.args import parse_arguments

#: What tells containers of HTCondor's from others.
LABEL = "org.htcondorproject=True"


#: What a repository calls an image: host and port, path, tag, digest. Nothing that an engine takes for an option, or
#: for a place on this machine.
_NAME = re.compile(
    r"[A-Za-z0-9][\w.-]*(:\d+)?(/[A-Za-z0-9_][\w.-]*)*(:[A-Za-z0-9_][\w.-]*)?(@[A-Za-z0-9+.]+:[0-9a-fA-F]+)?\Z",
    re.ASCII,
)
_PLACES = (
    "dir",
    "oci",
    "oci-archive",
    "docker-archive",
    "docker-daemon",
    "containers-storage",
    "ostree",
    "sif",
    "tarball",
)


def is_name(image: str) -> bool:
    """Whether an image is named as repositories name them."""
    return _NAME.match(image) is not None and image.partition(":")[0].lower() not in _PLACES


def check_image(image: str) -> None:
    """StartError 35 for what is no name of an image."""
    if not is_name(image):
        raise StartError(HoldCode.INVALID_DOCKER_IMAGE, 0, f"Cannot pull image {image}: that is no name of an image")


def place_label(execute: str) -> str:
    """What tells containers of one pool from those of others: where its starters have their directories."""
    return f"condor_py.execute={execute}"


def create_words(
    settings: DockerSettings,
    slot_ad: ClassAd,
    job_ad: ClassAd,
    execution: Execution,
    name: str,
    image: str,
    variables: Mapping[str, str],
) -> list[str]:
    """The arguments of ``create`` for a job, whose environment is ``variables``. StartError for what the job may not
    have, ArgumentError for DOCKER_EXTRA_ARGUMENTS."""
    job, owner = execution.job, execution.owner
    words = [f"--cpu-shares={100 * max(1, int(slot_ad.eval_real('Cpus', 1.0) or 1))}"]
    if memory := slot_ad.eval_int("Memory", 0):
        words.append(f"--memory={memory}m")
    if is_true(slot_ad.raw(parse(settings.drop_capabilities), job_ad)):
        words += ["--cap-drop=all", "--cap-add=SYS_PTRACE", "--security-opt", "no-new-privileges"]
    if settings.under_init:
        words.append("--init")
    execute = os.path.dirname(execution.place.sandbox.root)
    words += ["--name", name, "--label", LABEL, "--label", place_label(execute)]
    if settings.keeps_no_log:
        words += ["--log-driver", "none"]
    words += [word for variable, value in variables.items() for word in ("--env", f"{variable}={value}")]
    for volume in dict.fromkeys((execution.place.sandbox.scratch, execution.directory)):
        if ":" in volume:  # the engine would see two directories
            raise StartError(HoldCode.IWD_ERROR, 0, f"A container cannot work in {volume}: its name has a colon")
        words += ["--volume", f"{volume}:{volume}"]
    words += ["--workdir", execution.directory]
    uid, gid = (os.geteuid(), os.getegid()) if owner is None else (owner.uid, owner.gid)
    words += ["--user", f"{uid}:{gid}"]
    words += [word for group in (owner.groups if owner is not None else ()) for word in ("--group-add", str(group))]
    if job.stdin != os.devnull:
        words.append("--interactive")
    words += _network_words(settings, job_ad)
    words += parse_arguments(settings.extra_arguments)[0] if settings.extra_arguments else []
    if settings.shm_size:
        words += ["--shm-size", str(settings.shm_size)]
    return words + _command_words(job_ad, execution, image)


def _network_words(settings: DockerSettings, job_ad: ClassAd) -> list[str]:
    """StartError 35 for a network that jobs may not have."""
    network = job_ad.eval_str("DockerNetworkType", None) or ""
    if network in ("", "nat"):
        return []
    if network not in ("none", "host", *settings.networks):
        text = f"Docker job requested network {network}, which DOCKER_NETWORKS does not allow"
        raise StartError(HoldCode.INVALID_DOCKER_IMAGE, 0, text)
    return [f"--network={network}"]


def _command_words(job_ad: ClassAd, execution: Execution, image: str) -> list[str]:
    """The image, and what is run in it: the job's program if it has one, else that of the image."""
    job = execution.job
    command = f"./{os.path.basename(job.cmd)}" if job.transfer and job.transfer_executable and job.cmd else job.cmd
    if not command:
        return [image, *job.arguments]
    if job_ad.eval_bool("DockerOverrideEntrypoint", False) is True:
        return ["--entrypoint", command, image, *job.arguments]
    return [image, command, *job.arguments]
