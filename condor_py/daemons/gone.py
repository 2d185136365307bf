"""Waits until the master of this environment's pool has ended: ``gone.py [SECONDS]``. Exit 1 when it has not in
time.
"""

from __future__ import annotations

import os
import sys


def main(patience: float) -> int:
    """Take the pool's lock and release it: no process holds it once the master is gone."""
    from condor_py.client.lockfile import AlreadyRunning, take_lock
    from condor_py.lang.config import load
    from condor_py.lang.config.builders.paths import paths

    lock = paths(load(os.environ)).daemon_lock("MASTER")
    if not os.path.exists(lock):
        return 0
    try:
        os.close(take_lock(lock, patience))
    except AlreadyRunning as error:
        sys.stderr.write(f"the master still runs: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 30.0))
