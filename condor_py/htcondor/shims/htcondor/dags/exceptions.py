"""``htcondor.dags.exceptions``."""

from condor_py.htcondor.dags.exceptions import *  # noqa: F403
