"""The environment a job starts with: nothing of the daemon's, HTCondor's variables, then the job's own."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import NamedTuple

from condor_py.machine.run.identity import Account
from condor_py.machine.run.job import Job
from condor_py.machine.run.sandbox import Sandbox
from condor_py.model.settings.starter import DeviceVariables
from condor_py.model.states import SCRATCH_MARK

THREAD_VARIABLES = (
    "CUBACORES",
    "GOMAXPROCS",
    "JULIA_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OMP_THREAD_LIMIT",
    "OPENBLAS_NUM_THREADS",
    "PYTHON_CPU_COUNT",
    "ROOT_MAX_THREADS",
    "TF_LOOP_PARALLEL_ITERATIONS",
    "TF_NUM_THREADS",
)


#: Those of GPUs, as long as ENVIRONMENT_FOR_AssignedGPUs says nothing else.
GPU_VARIABLES = (
    DeviceVariables("GPUs", (("GPU_DEVICE_ORDINAL", "(CUDA|OCL)", ""), ("CUDA_VISIBLE_DEVICES", "CUDA", "")), "10000"),
)


class SlotFacts(NamedTuple):
    """The facts about the slot in the environment. ``assigned`` maps a resource name to the ids given to the slot,
    ``gpu_uuids`` the id of a GPU to its whole UUID; ``sets_home`` is STARTER_SETS_HOME_ENV."""

    name: str
    cpus: int
    starter_pid: int
    ancestors: tuple[str, ...]
    bin_dir: str
    assigned: tuple[tuple[str, str], ...] = ()
    thread_variables: tuple[str, ...] = THREAD_VARIABLES
    extra: tuple[tuple[str, str], ...] = ()
    inherited: tuple[tuple[str, str], ...] = ()
    devices: tuple[DeviceVariables, ...] = GPU_VARIABLES
    gpu_uuids: tuple[tuple[str, str], ...] = ()
    sets_home: bool = True
    delayed_names: str = "Chirp*"


def base_environment(slot: SlotFacts, sandbox: Sandbox) -> dict[str, str]:
    """The part that is the same for every job of a claim."""
    scratch = sandbox.scratch
    environment = dict(slot.inherited)
    environment.update(dict.fromkeys(slot.thread_variables, str(slot.cpus)))
    environment.update(
        BATCH_SYSTEM="HTCondor",
        CONDOR_STARTER_PID=str(slot.starter_pid),
        TMPDIR=scratch,
        TMP=scratch,
        TEMP=scratch,
        APPTAINER_CACHEDIR=scratch,
        SINGULARITY_CACHEDIR=scratch,
        _CHIRP_DELAYED_UPDATE_PREFIX=slot.delayed_names,
        _CONDOR_BIN=slot.bin_dir,
        _CONDOR_JOB_AD=sandbox.job_ad,
        _CONDOR_MACHINE_AD=sandbox.machine_ad,
        _CONDOR_JOB_PIDS="",
        _CONDOR_SCRATCH_DIR=scratch,
        _CONDOR_SLOT=slot.name.partition("@")[0],
    )
    for mark in slot.ancestors:
        name, _, value = mark.partition("=")
        environment[name] = value
    for name, ids in slot.assigned:
        environment[f"_CONDOR_Assigned{name}"] = ids
    for device in slot.devices:
        environment.update(device_variables(slot, device))
    if slot.sets_home:
        environment["HOME"] = "/"
    environment.update(slot.extra)
    return environment


def device_variables(slot: SlotFacts, device: DeviceVariables) -> dict[str, str]:
    """The variables that tell a job its devices; without any they hold a value that is no device."""
    ids = dict(slot.assigned).get(device.resource, "").replace(",", " ").split()
    if not ids:
        nothing = {name: device.unassigned for name, _, _ in device.variables}
        nothing[f"_CONDOR_Assigned{device.resource}"] = device.unassigned
        found = nothing if device.unassigned else {}
        return {**found, "NVIDIA_VISIBLE_DEVICES": "none"} if device.resource == "GPUs" else found
    found = {
        name: ",".join(_replaced(each, pattern, replacement) for each in ids)
        for name, pattern, replacement in device.variables
    }
    if device.resource == "GPUs":
        whole = dict(slot.gpu_uuids)
        visible = ",".join(whole.get(each, each) for each in ids)
        if whole and "CUDA_VISIBLE_DEVICES" in found:
            found["CUDA_VISIBLE_DEVICES"] = visible
        found["NVIDIA_VISIBLE_DEVICES"] = visible
    return found


def _replaced(unit: str, pattern: str, replacement: str) -> str:
    """Put ``replacement`` in place of what ``pattern`` finds first in an id; $1 (or \\1) is the first group, $0 all."""
    match = re.search(pattern, unit)
    if match is None:
        return unit

    def group(reference: re.Match[str]) -> str:
        number = int(reference[1])
        return match[number] or "" if number <= match.re.groups else ""

    return unit[: match.start()] + re.sub(r"[$\\](\d)", group, replacement) + unit[match.end() :]


def inherited_environment(patterns: tuple[str, ...], present: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Variables that jobs take over from the daemon (JOB_INHERITS_STARTER_ENVIRONMENT): names and patterns as those of
    getenv, case not minded, with ``!`` before what is left out. No patterns are none."""
    if not patterns:
        return ()
    from condor_py.lang.submit.env import import_environment

    found: dict[str, str | None] = {}
    import_environment(found, " ".join(patterns), present, v1=False)
    return tuple((name, value or "") for name, value in found.items())


def job_environment(base: dict[str, str], job: Job, owner: Account | None, sandbox: Sandbox) -> dict[str, str]:
    """The complete environment of one job."""
    environment = dict(base)
    environment["_CONDOR_JOB_IWD"] = job.directory(sandbox.scratch)
    environment.update((name, text.replace(SCRATCH_MARK, sandbox.scratch)) for name, text in job.environment.items())
    if owner is not None and "HOME" in base and not job.keeps_home:  # STARTER_SETS_HOME_ENV, whatever the job says
        environment["HOME"] = owner.home
    if job.is_node:
        path = environment.get("PATH") or os.environ.get("PATH", os.defpath)
        environment["PATH"] = f"{base.get('_CONDOR_BIN', '')}:{path}"
        if "CONDOR_CONFIG" in os.environ:
            environment["CONDOR_CONFIG"] = os.environ["CONDOR_CONFIG"]
    if job.proxy:
        moved = os.path.join(sandbox.scratch, os.path.basename(job.proxy))
        environment["X509_USER_PROXY"] = moved if job.transfer else os.path.join(job.iwd, job.proxy)
    return environment
