"""``htcondor2.dags.rescue``."""

from condor_py.bindings.dags.rescue import *  # noqa: F403
from condor_py.bindings.dags.rescue import _rescue as _rescue
