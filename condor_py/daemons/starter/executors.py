"""Choice of the executor that runs a job: the one place that knows them all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial

from condor_py.daemons.starter.jobfamily import JobFamily
from condor_py.daemons.starter.starterfacts import cores_of
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.lang.classad import ClassAd, is_true, is_valid, parse
from condor_py.machine.run.executor import Execution, Executor
from condor_py.machine.run.identity import as_user
from condor_py.machine.run.means import means
from condor_py.machine.run.namespaces import Namespaces
from condor_py.machine.run.processes import Cover, ProcessExecutor
from condor_py.model.settings.containers import DefaultContainer
from condor_py.model.settings.starter import StarterSettings
from condor_py.model.states import Universe


def executor_of(setup: StarterSetup, family: JobFamily, job_ad: ClassAd, log: Callable[[str], None]) -> Executor:
    """The executor of a job; ``family`` is what the slot does with processes of the machine. The job ad gets the image
    of the default container, where it is put into that."""
    settings = setup.settings
    interval = settings.cgroup_polling_interval if family.grouped else settings.pid_snapshot_interval
    universe = job_ad.eval_int("JobUniverse", Universe.VANILLA)
    if universe == Universe.VANILLA:
        _put_into_default(settings.default_container, setup.slot_ad, job_ad, log)
    if universe == Universe.VM:
        from condor_py.machine.run.vm.executor import VmExecutor

        return VmExecutor(settings.virtual, family, job_ad, log, interval)
    asks = _asks_for_container(job_ad)
    if asks and wants_docker(setup.slot_ad, job_ad):
        from condor_py.machine.run.docker import DockerExecutor, Within

        within = Within(setup.slot_ad, tuple(sorted(cores_of(setup, job_ad))), setup.images)
        return DockerExecutor(settings.docker, family, within, job_ad, log, interval)
    unasked = settings.singularity.job
    if (asks or unasked) and wants_singularity(unasked, setup.slot_ad, job_ad):
        from condor_py.machine.run.singularity import SingularityExecutor

        return SingularityExecutor(settings.singularity, family, setup.slot_ad, job_ad, log, interval)
    cover = partial(cover_of, settings, job_ad, log)
    if universe == Universe.JAVA:
        from condor_py.machine.run.java import JavaExecutor

        return JavaExecutor(settings.java, family, job_ad, cover, log, interval)
    return ProcessExecutor(family, job_ad, cover, interval)


def _wants(ad: ClassAd, *names: str) -> bool:
    return any(ad.eval_bool(name, False) is True for name in names)


#: What a job asks for a container by, in lower case.
_FOR_CONTAINERS = frozenset(("wantcontainer", "wantdocker", "wantdockerimage", "wantsif", "wantsandboximage"))


def _asks_for_container(ad: ClassAd) -> bool:
    """Whether a job may want a container; asked of each, and few do."""
    return not _FOR_CONTAINERS.isdisjoint(ad.merged())


def wants_docker(slot_ad: ClassAd, job_ad: ClassAd) -> bool:
    """Whether a job runs in a container of docker's: universe docker; or a docker_image or an image in a repository,
    where docker works (or nothing else does)."""
    if _wants(job_ad, "WantDocker"):
        return True
    if not _wants(job_ad, "WantDockerImage"):
        return False
    return slot_ad.eval_bool("HasDocker") is True or slot_ad.eval_bool("HasSingularity") is not True


#: Where a job reaches its starter that sees the network of the machine.
_LOOPBACK = "127.0.0.1"


def chirp_address(setup: StarterSetup, job_ad: ClassAd, log: Callable[[str], None]) -> str:
    """Return the address at which a job reaches the Chirp server of its starter: that of DOCKER_NETWORK_NAME for a
    container with a network of its own."""
    settings = setup.settings.docker
    if settings.networkless or not _asks_for_container(job_ad) or not wants_docker(setup.slot_ad, job_ad):
        return _LOOPBACK
    if job_ad.eval_str("DockerNetworkType", None) in ("host", "none"):
        return _LOOPBACK
    from condor_py.machine.probes.machine import LOOPBACK, interface

    found = interface(settings.network_name)
    if found is LOOPBACK:
        log(f"Failed to find Docker network '{settings.network_name}' for IO Proxy.")
    return found.address


def wants_singularity(unasked: str, slot_ad: ClassAd, job_ad: ClassAd) -> bool:
    """Whether a job runs in a container of singularity's: it has an image for it, or SINGULARITY_JOB (``unasked``) says
    so of a vanilla job or of a node of a parallel one."""
    if _wants(job_ad, "WantSIF", "WantSandboxImage", "WantDockerImage"):
        return True
    universe = job_ad.eval_int("JobUniverse", Universe.VANILLA)
    if unasked in ("", "false") or universe not in (Universe.VANILLA, Universe.PARALLEL):
        return False
    return is_valid(unasked) and is_true(slot_ad.raw(parse(unasked), job_ad))


def _put_into_default(default: DefaultContainer, slot_ad: ClassAd, job_ad: ClassAd, log: Callable[[str], None]) -> None:
    """USE_DEFAULT_CONTAINER: gives the image of the default container to a job that does not ask for any."""
    if not default.wanted or _wants(job_ad, "WantContainer", "WantDocker"):
        return
    if not is_valid(default.wanted) or not is_true(slot_ad.raw(parse(default.wanted), job_ad)):
        return
    image = slot_ad.raw(parse(default.image), job_ad) if is_valid(default.image) else None
    if not isinstance(image, str) or not image:
        log("USE_DEFAULT_CONTAINER is true, but DEFAULT_CONTAINER_IMAGE is no string: no container for this job")
        return
    log(f"USE_DEFAULT_CONTAINER is true, the job runs in {image}")
    if image.startswith("docker:"):
        job_ad.set_str("DockerImage", image.removeprefix("docker:").removeprefix("//"))
        job_ad.set_bool("WantDockerImage", True)
    else:
        job_ad.set_str("ContainerImage", image)
        job_ad.set_bool("WantSIF" if image.endswith(".sif") else "WantSandboxImage", True)


#: Where programs look for it when they know nothing else.
_TMP = "/tmp"
_TEMPORARY = "/tmp /var/tmp"


#: Universes of jobs that run in slots, as processes of the machine.
_ISOLATED = (Universe.VANILLA, Universe.JAVA, Universe.PARALLEL)


def cover_of(
    settings: StarterSettings, job_ad: ClassAd, log: Callable[[str], None], execution: Execution
) -> Cover | None:
    """Makes the directories; None for a job that sees what everybody sees."""
    covered = settings.mount_under_scratch
    if execution.place.sandbox.encrypted:  # what a job writes elsewhere is not
        covered = f"{_TEMPORARY} {' '.join(_places(covered, job_ad))}"
    wanted = covered or settings.use_pid_namespaces or settings.no_job_networking
    universe = job_ad.eval_int("JobUniverse", Universe.VANILLA)
    if not wanted or universe not in _ISOLATED:
        return None
    able = means()
    pairs: list[tuple[str, str]] = []
    if settings.per_job_namespaces and covered and able.mounts:
        pairs = list(_pairs(covered, job_ad, log, execution))
    apart = settings.per_job_namespaces and settings.use_pid_namespaces and able.processes
    private = settings.mount_private_dev_shm and universe != Universe.PARALLEL  # whose nodes talk through it
    shared_memory = private and bool(pairs or apart)
    networkless = settings.no_job_networking and able.network
    own = Namespaces(tuple(pairs), shared_memory, apart, networkless, able.unprivileged)
    tmp = _TMP if any(place == _TMP for _, place in pairs) else ""
    return None if own.empty else Cover(own, tmp)


def _pairs(
    covered: str, job_ad: ClassAd, log: Callable[[str], None], execution: Execution
) -> Iterator[tuple[str, str]]:
    for place in dict.fromkeys(_places(covered, job_ad)):
        reason = _unfit(place, execution)
        if reason:
            log(f"MOUNT_UNDER_SCRATCH: {place} stays that of the machine: {reason}")
            continue
        directory = f"{execution.place.sandbox.scratch}{place}"
        with as_user(execution.owner):
            os.makedirs(directory, 0o700, exist_ok=True)
        yield directory, place


def _places(text: str, job_ad: ClassAd) -> list[str]:
    """The directories that the knob names: an expression about the job, or simply a list."""
    value = job_ad.eval_text(text) if is_valid(text) else None
    words = (value if isinstance(value, str) else text).replace(",", " ").split()
    return [os.path.normpath(word) for word in words]


def _unfit(place: str, execution: Execution) -> str:
    """Why a directory cannot be covered; "" when it can."""
    if not place.startswith("/") or not os.path.isdir(place):
        return "there is no such directory"
    if _below(execution.place.sandbox.scratch, place):
        return "the scratch directory is in it"
    if not execution.job.transfer and _below(execution.job.iwd, place):
        return "the job works in it"
    return ""


def _below(path: str, place: str) -> bool:
    return os.path.commonpath((os.path.realpath(path), os.path.realpath(place))) == os.path.realpath(place)
