"""Finds condor_py for programs of another environment, which have only this directory in PYTHONPATH."""

import importlib.util
import os
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - a program of an older Python may come here
    raise ImportError("condor_py needs Python 3.11 or later, and this is " + sys.version.split()[0])

#: The directory condor_py.
HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def find() -> None:
    """Makes ``import condor_py`` work, without showing this environment the other one's packages."""
    if "condor_py" in sys.modules or importlib.util.find_spec("condor_py") is not None:
        return
    start = os.path.join(HOME, "__init__.py")
    spec = importlib.util.spec_from_file_location("condor_py", start, submodule_search_locations=[HOME])
    if spec is None or spec.loader is None:
        raise ImportError(f"there is no condor_py in {HOME}")
    package = importlib.util.module_from_spec(spec)
    sys.modules["condor_py"] = package
    spec.loader.exec_module(package)


find()
