"""``htcondor2.dags.node``."""

from condor_py.bindings.dags.dag import *  # noqa: F403
