"""Which executor runs a job: the one place that knows them all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from condor_py.classad import ClassAd
from condor_py.daemon.starter import ownviews
from condor_py.daemon.starter.jobfamily import JobFamily
from condor_py.daemon.starter.startersetup import StarterSetup
from condor_py.starter.executor import Executor
from condor_py.starter.processes import ProcessExecutor


def executor_of(setup: StarterSetup, family: JobFamily, job_ad: ClassAd, log: Callable[[str], None]) -> Executor:
    """The executor of a job; ``family`` is what the slot does with processes of the machine."""
    settings = setup.settings
    interval = settings.cgroup_polling_interval if family.grouped else settings.pid_snapshot_interval
    if wants_docker(job_ad):
        from condor_py.starter.docker import DockerExecutor

        return DockerExecutor(settings.docker, family, setup.slot_ad, job_ad, log, interval)
    cover = partial(ownviews.cover_of, settings, job_ad, log)
    return ProcessExecutor(family, job_ad, cover, interval)


def wants_docker(job_ad: ClassAd) -> bool:
    """Whether a job runs in a container of docker's: universe docker, a docker_image, or an image in a repository."""
    if job_ad.text("WantDocker") is None and job_ad.text("WantDockerImage") is None:
        return False
    return any(job_ad.eval_bool(name, False) is True for name in ("WantDocker", "WantDockerImage"))
