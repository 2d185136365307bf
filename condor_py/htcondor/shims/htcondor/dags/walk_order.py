"""``htcondor.dags.walk_order``."""

from condor_py.htcondor.dags.walk_order import *  # noqa: F403
