"""HTCondor's Python bindings by the name that programs import: ``import condor_py.htcondor as htcondor2``."""

import sys

from condor_py.bindings import *  # noqa: F403
from condor_py.bindings.__main__ import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
