"""``htcondor.dags.edges``."""

from condor_py.htcondor.dags.edges import *  # noqa: F403
