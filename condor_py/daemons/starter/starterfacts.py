"""Facts that a starter reads from its setup and the ad of its slot, and the lines of its log about a start."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from condor_py.client.disk import DISK
from condor_py.daemons.common.loop import now
from condor_py.daemons.starter.sessions import Door
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.lang.classad import ClassAd, finite, is_true, parse, whole
from condor_py.machine.run.environment import THREAD_VARIABLES, SlotFacts, base_environment, inherited_environment
from condor_py.machine.run.identity import UnknownAccount, account_for
from condor_py.machine.run.job import Job
from condor_py.machine.run.sandbox import Place, Sandbox, encrypted, why_not_encrypted
from condor_py.model.copies import changed
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.settings.starter import StarterSettings, TransferSettings

#: STARTER_DISABLE_USER_SUPPLIED_TRANSFER_PLUGINS: plugins of jobs are not used, others may do their work.
_PASSED_OVER = 2
_NO_LIMIT = "-1"


def starting(job: Job, pid: int) -> list[str]:
    """Return the log lines about a start, in HTCondor's words."""
    universe = "VM" if job.is_machine else "VANILLA"
    return [
        f"Starting a {universe} universe job with ID: {job.job_id}",
        f"IWD: {job.iwd}",
        f"Output file: {job.stdout}",
        f"Error file: {job.stderr}",
        f"Running job as user {job.owner}",
        f"About to exec {' '.join((job.cmd, *job.arguments))}",
        f"Create_Process succeeded, pid={pid}",
    ]


def assigned(slot: ClassAd) -> tuple[tuple[str, str], ...]:
    """Custom resources with ids: (name, comma-separated ids)."""
    found = []
    for name, _ in slot.text_items("sorted"):
        if name.lower().startswith("assigned") and (ids := slot.eval_str(name, None)):
            found.append((name[len("assigned") :], ids))
    return tuple(found)


def gpu_uuids(slot: ClassAd) -> tuple[tuple[str, str], ...]:
    """The whole UUIDs of the slot's GPUs by the ids that the slot has: (id, "GPU-..."), where they are known."""
    found = []
    for device in (slot.eval_str("AssignedGPUs", None) or "").replace(",", " ").split():
        uuid = slot.eval_text(f"GPUs_{re.sub('[^A-Za-z0-9]', '_', device)}.DeviceUuid")
        if isinstance(uuid, str):
            found.append((device, uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"))
    return tuple(found)


def slot_facts(setup: StarterSetup) -> SlotFacts:
    """Return the facts about the slot that the environment of jobs has; called in the starter."""
    slot, settings = setup.slot_ad, setup.settings
    return SlotFacts(
        name=setup.slot_name,
        cpus=max(1, slot.eval_int("Cpus", 1) or 1),
        starter_pid=os.getpid(),
        ancestors=setup.ancestors,
        bin_dir=setup.bin_dir,
        assigned=assigned(slot),
        thread_variables=settings.num_threads_env_vars or THREAD_VARIABLES,
        extra=settings.job_environment,
        inherited=inherited_environment(settings.inherited, os.environ),
        devices=settings.device_variables,
        gpu_uuids=gpu_uuids(slot),
        sets_home=settings.sets_home_env,
        delayed_names=",".join(settings.chirp.delayed_names),
    )


def place_of(setup: StarterSetup, sandbox: Sandbox, log: Callable[..., None]) -> Place:
    """Return the place where the starter runs its jobs."""
    machine_ad = "".join(f"{name} = {text}\n" for name, text in setup.slot_ad.text_items("sorted"))
    environment = base_environment(slot_facts(setup), sandbox)
    wrapper, transfer = setup.settings.user_job_wrapper, _transfer_of(setup, ClassAd())
    medium = DISK if setup.settings.sync_output else None
    return Place(setup.slot_name, setup.host, sandbox, machine_ad, environment, wrapper, transfer, log, now, medium)


def place_for(setup: StarterSetup, plain: Place, job_ad: ClassAd) -> Place:
    """Return the place for a job: ``plain``, or one like it with other limits of transfers, or an encrypted one if the
    job or the configuration wants that. For a job that wants encryption and cannot have it, no scratch directory is
    made. That the configuration cannot have it, the startd has reported."""
    settings = setup.settings
    transfer = _transfer_of(setup, job_ad)
    if transfer != plain.transfer:
        plain = replace(plain, transfer=transfer)
    wanted = job_ad.eval_bool("EncryptExecuteDirectory", False)
    if not wanted and not settings.encrypt_execute_directory:
        return plain
    refused = why_not_encrypted(settings)
    if refused and not wanted:
        return plain
    size = max(1, setup.slot_ad.eval_int("Disk", 0) or 0)
    return replace(plain, sandbox=encrypted(plain.sandbox, settings.scratch_volume, size, refused))


def _transfer_of(setup: StarterSetup, job_ad: ClassAd) -> TransferSettings:
    """Return the settings of transfers with the limits that the configuration gives a job."""
    settings = setup.settings
    most = [_megabytes(text, job_ad) for text in (settings.max_transfer_input, settings.max_transfer_output)]
    if most == [settings.transfer.max_input_mb, settings.transfer.max_output_mb]:
        return settings.transfer
    return settings.transfer.changed(max_input_mb=most[0], max_output_mb=most[1])


def _megabytes(text: str, job_ad: ClassAd) -> int:
    """Return the megabytes that an expression allows a job; -1, no limit, where it gives no number."""
    number = None if text == _NO_LIMIT else finite(job_ad.raw(parse(text)))
    return -1 if number is None else whole(number)


def add_home(settings: StarterSettings, job_ad: ClassAd, owner: str) -> None:
    """Add the home directory of a job's owner to the starter's copy of its ad, where MOUNT_UNDER_SCRATCH refers to
    it."""
    if "oshomedir" not in settings.mount_under_scratch.lower():
        return
    with suppress(UnknownAccount):  # the run fails over it, in words
        account = account_for(owner)
        if account is not None:
            job_ad.set_str("OSHomeDir", account.home)


def cores_of(setup: StarterSetup, job_ad: ClassAd) -> frozenset[int]:
    """Return the cores of the slot that a job is bound to; none where ASSIGN_CPU_AFFINITY is not true of it."""
    if setup.cores and is_true(job_ad.raw(parse(setup.settings.assign_cpu_affinity))):
        return setup.cores
    return frozenset()


def log_of_job(setup: StarterSetup, job: str) -> LogSettings | None:
    """The log of a job (``cluster.proc``) by STARTER_LOG_NAME_APPEND = Cluster or JobId; None for that of the slot."""
    if setup.settings.log_name_append not in ("cluster", "jobid"):
        return None
    name = {"cluster": job.partition(".")[0], "jobid": job}.get(setup.settings.log_name_append)
    return None if name is None else changed(setup.log, path=f"{setup.log.path}.{name}")


def door_of(setup: StarterSetup) -> Door:
    """Return the access rule for sessions."""
    settings = setup.settings
    return Door(setup.door, setup.slot_name, setup.slot_ad, settings.enable_ssh_to_job, settings.queue_super_users)


def refuses_plugins(wish: str, slot_ad: ClassAd, ad: ClassAd) -> bool | None:
    """Return whether a transfer fails that needs a plugin of the job, False where such plugins are passed over, None
    where they run (STARTER_DISABLE_USER_SUPPLIED_TRANSFER_PLUGINS, which means that unless it is a number or true)."""
    value: object = slot_ad.raw(parse(wish), ad) if wish else False
    if type(value) is bool:
        return True if value else None
    if (type(value) is int or type(value) is float) and value > 0:
        return value < _PASSED_OVER or value >= _PASSED_OVER + 1
    return None
