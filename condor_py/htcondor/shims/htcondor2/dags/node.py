"""``htcondor2.dags.node``."""

from condor_py.htcondor.dags.node import *  # noqa: F403
