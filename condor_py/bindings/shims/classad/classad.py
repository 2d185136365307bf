"""The names of ``classad`` under the name of its inner module."""

from condor_py.bindings.first.classad import *  # noqa: F403
