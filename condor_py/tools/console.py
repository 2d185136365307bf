"""What ``pip install`` makes the commands of: each is this function under the name of its program."""

from __future__ import annotations

import os
import sys

from condor_py.tools import entry


def main() -> int:
    """Runs the program by whose name we were called."""
    return entry.main(os.path.basename(sys.argv[0]), sys.argv[1:])
