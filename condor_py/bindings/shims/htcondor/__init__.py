"""``import htcondor``: HTCondor's module for daemons and jobs, first version."""

from importlib import import_module as _import_module

_import_module("_condor_py_home")

from condor_py.bindings.first.htcondor import *  # noqa: E402, F403
from condor_py.model.version import HTCONDOR_VERSION as __version__  # noqa: E402, F401

classad = _import_module("classad")
