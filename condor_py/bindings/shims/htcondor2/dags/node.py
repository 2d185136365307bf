"""``htcondor2.dags.node``."""

from condor_py.bindings.dags.node import *  # noqa: F403
