"""``htcondor2.dags.dag``."""

from condor_py.bindings.dags.dag import *  # noqa: F403
