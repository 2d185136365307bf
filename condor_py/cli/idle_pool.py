"""A word to people, not to programs, when nothing will happen because no daemon runs."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.client.pool import Pool


def say_when_nothing_runs(pool: Pool, *, on_screen: bool = True) -> None:
    """One line on standard error, on a terminal only, when this machine has no condor_master.

    ``on_screen``: only when the output goes to the terminal as well.
    """
    if on_screen and not sys.stdout.isatty():
        return
    if text := when_nothing_runs(pool):
        sys.stdout.flush()
        sys.stderr.write(f"{text}\n")


def when_nothing_runs(pool: Pool) -> str:
    """Return what helps when this machine has no condor_master, for a person at a terminal; otherwise ""."""
    return _no_master(pool) if sys.stderr.isatty() else ""


def say_that_it_waits(pool: Pool) -> None:
    """Write, also to a program, that a tool waits until this machine has a condor_master."""
    if text := _no_master(pool):
        sys.stdout.flush()
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def _no_master(pool: Pool) -> str:
    """Return what helps when this machine has no condor_master, or why the caller cannot know; otherwise ""."""
    from condor_py.client.lockfile import lock_holder
    from condor_py.client.pool import why_closed

    if text := why_closed(pool.paths):
        return text
    if lock_holder(pool.paths.daemon_lock("MASTER")):
        return ""
    who = "start it with condor_master" if pool.owns_spool else "ask the owner of the pool to start it"
    return f"No condor_master is running on this machine: {who}"


def with_remedy(error: str, pool: Pool) -> str:
    """Return an error text, on a terminal with a line about what helps when this machine has no condor_master."""
    return "\n".join(filter(None, (error, when_nothing_runs(pool))))
