"""Which executor runs a job: the one place that knows them all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from condor_py.classad import ClassAd
from condor_py.daemon.starter import privatedirs
from condor_py.daemon.starter.jobfamily import JobFamily
from condor_py.daemon.starter.startersetup import StarterSetup
from condor_py.starter.executor import Executor
from condor_py.starter.processes import ProcessExecutor


def executor_of(setup: StarterSetup, family: JobFamily, job_ad: ClassAd, log: Callable[[str], None]) -> Executor:
    """The executor of a job; ``family`` is what the slot does with processes of the machine."""
    settings = setup.settings
    interval = settings.cgroup_polling_interval if family.grouped else settings.pid_snapshot_interval
    cover = partial(privatedirs.cover_of, settings, job_ad, log)
    return ProcessExecutor(family, job_ad, cover, interval)
