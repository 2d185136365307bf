"""``import classad2`` for programs that know only that name."""

from condor_py.classad import *  # noqa: F403
