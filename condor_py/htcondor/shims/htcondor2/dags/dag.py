"""``htcondor2.dags.dag``."""

from condor_py.htcondor.dags.dag import *  # noqa: F403
