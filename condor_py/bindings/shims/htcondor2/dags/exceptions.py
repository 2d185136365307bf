"""``htcondor2.dags.exceptions``."""

from condor_py.bindings.dags.exceptions import *  # noqa: F403
