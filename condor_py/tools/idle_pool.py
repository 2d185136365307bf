"""A word to people, not to programs, when nothing will happen because no daemon runs."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.access.pool import Pool


def say_when_nothing_runs(pool: Pool, *, on_screen: bool = True) -> None:
    """One line on standard error, on a terminal only, when this machine has no condor_master.

    ``on_screen``: only when the output goes to the terminal as well.
    """
    if not sys.stderr.isatty() or (on_screen and not sys.stdout.isatty()):
        return
    from condor_py.access.lockfile import lock_holder

    if lock_holder(pool.paths.daemon_lock("MASTER")):
        return
    who = "start it with condor_master" if pool.owns_spool else "ask whoever owns the pool to start it"
    sys.stdout.flush()
    sys.stderr.write(f"No condor_master is running on this machine: {who}\n")
