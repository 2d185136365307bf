"""``htcondor2.dags``: describing DAGs in Python."""

from importlib import import_module as _import_module

_import_module("_condor_py_home")

from condor_py.bindings.dags import *  # noqa: E402, F403
from condor_py.bindings.dags import __all__ as __all__  # noqa: E402

for _name in ("dag", "edges", "exceptions", "formatter", "node", "walk_order", "writer"):
    _import_module(f"{__name__}.{_name}")
