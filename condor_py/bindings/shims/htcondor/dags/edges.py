"""``htcondor.dags.edges``."""

from condor_py.bindings.dags.edges import *  # noqa: F403
