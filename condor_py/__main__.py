"""``python -I -S .../condor_py/__main__.py PROGRAM ARGS...`` runs a tool; ``python -m condor_py`` lists them."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
try:
    import condor_py  # noqa: F401
except ImportError as error:  # an older Python
    sys.exit(str(error))
sys.path.append(sys.path.pop(0))  # where packages are installed, no name hides a module of Python's

if len(sys.argv) > 1 and sys.argv[1].startswith(("condor_", "classad_", "htcondor")):
    if sys.argv[1] == "condor_complete" and len(sys.argv) > 2 and not sys.argv[2].startswith("-"):
        from condor_py.cli.complete.words import run

        sys.exit(run(sys.argv[2:]))  # a shell waits: nothing else is imported
    from condor_py.cli.startup import lighten
    from condor_py.model.exiting import leave

    lighten()
    from condor_py.cli.entry import main

    leave(main(sys.argv[1], sys.argv[2:]))
else:
    from condor_py.cli.application import application

    application()()
