"""``htcondor.dags.walk_order``."""

from condor_py.bindings.dags.walk_order import *  # noqa: F403
