"""What ``pip install`` makes the commands of: each is this function under the name of its program."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Runs the program by whose name we were called."""
    program, argv = os.path.basename(sys.argv[0]), sys.argv[1:]
    if program == "condor_complete" and argv and not argv[-1].startswith("-"):
        from condor_py.tools.complete.words import run

        return run(argv)  # a shell waits: nothing else is imported
    from condor_py.tools import entry

    return entry.main(program, argv)
