"""``htcondor2.dags.formatter``."""

from condor_py.bindings.dags.formatter import *  # noqa: F403
