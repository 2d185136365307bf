"""``htcondor2.dags.writer``."""

from condor_py.htcondor.dags.writer import *  # noqa: F403
