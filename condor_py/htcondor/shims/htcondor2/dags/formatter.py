"""``htcondor2.dags.formatter``."""

from condor_py.htcondor.dags.formatter import *  # noqa: F403
