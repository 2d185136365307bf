"""``import htcondor2`` for programs that know only that name."""

from condor_py.htcondor import *  # noqa: F403
from condor_py.htcondor import classad  # noqa: F401
