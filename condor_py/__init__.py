"""HTCondor for one machine: the same commands, submit files, configuration and on-disk formats."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - any Python may come here, and all can read this file
    _found = "%s is Python %s" % (sys.executable or "this", sys.version.split()[0])  # noqa: UP031
    _text = "condor_py needs Python 3.11 or later, and " + _found + ": name another in CONDOR_PY_PYTHON"
    if sys.argv[:1] == ["-m"]:  # python -m condor_py
        sys.exit(_text)
    raise ImportError(_text)

__version__ = "0.3.0"
