"""``htcondor.dags.writer``."""

from condor_py.bindings.dags.writer import *  # noqa: F403
