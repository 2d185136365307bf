"""condor_master and the daemons of a pool that takes the disk of a campaign (FUSE) for one of the machine's own:
``power_pool.py [SUBSYSTEM ...]``. So the schedd writes event logs itself, as on other disks, without a helper."""

from __future__ import annotations

import sys
from pathlib import Path

_HERE = Path(__file__).resolve()
sys.path.append(str(_HERE.parents[2]))

from condor_py.daemons.common import ownprograms
from condor_py.machine.probes import mounts


def main() -> int:
    """Runs the master, or a daemon that it starts."""
    ownprograms.DAEMONS = str(_HERE)
    mounts._LOCAL = mounts._LOCAL | {"fuse"}
    if len(sys.argv) > 1:
        from condor_py.daemons.main import main as daemon

        return daemon(*sys.argv[1:])
    from condor_py.cli.entry import main as tool

    return tool("condor_master", [])


if __name__ == "__main__":
    sys.exit(main())
