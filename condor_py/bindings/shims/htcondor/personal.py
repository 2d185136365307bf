"""``htcondor.personal``: a pool of the caller's own."""

from importlib import import_module as _import_module

_import_module("_condor_py_home")

from condor_py.bindings.personal import PersonalPool as PersonalPool  # noqa: E402
from condor_py.bindings.personal import PersonalPoolState as PersonalPoolState  # noqa: E402
from condor_py.bindings.personal import SetCondorConfig as SetCondorConfig  # noqa: E402
