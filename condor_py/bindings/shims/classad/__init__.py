"""``import classad``: HTCondor's module for ClassAds, first version."""

from importlib import import_module as _import_module

_import_module("_condor_py_home")

from condor_py.bindings.first.classad import *  # noqa: E402, F403
from condor_py.bindings.first.classad import ClassAd as _ClassAd  # noqa: E402
from condor_py.bindings.first.classad import ExprTree as _ExprTree  # noqa: E402
from condor_py.model.version import HTCONDOR_VERSION as __version__  # noqa: E402, F401

_ClassAd.__module__ = _ExprTree.__module__ = "classad.classad"
