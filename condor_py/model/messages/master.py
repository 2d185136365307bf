"""Requests of condor_on, condor_off, condor_restart, condor_set_shutdown and condor_who to the master."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from condor_py.model.messages.codec import Answer, Request, Vocabulary
from condor_py.model.messages.common import BY_EVERYBODY
from condor_py.model.messages.kinds import How
from condor_py.model.messages.machine import DrainWish
from condor_py.model.messages.wakeups import Done


class MasterStatus(Answer):
    """The pids of the master and of its daemons by name, and the daemons that condor_off has stopped."""

    pid: int
    daemons: dict[str, Any]
    off: Sequence[str]


class Status(Request[MasterStatus], op="status"):
    """Ask for the daemons that run. Every user may ask."""


class Command(Request[Done]):
    """Something about the daemon of that name ("": all of them). With ``drain`` the startd drains first; ``program`` is
    that of SetShutdown."""

    how: How = "graceful"
    daemon: str = ""
    drain: DrainWish | None = None
    program: str | None = None


class On(Command, op="on"):
    """Start."""


class Off(Command, op="off"):
    """Stop."""


class Restart(Command, op="restart"):
    """Stop and start."""


class RestartMaster(Command, op="restart-master"):
    """Stop everything, then start a new master in place of this one."""


class OffMaster(Command, op="off-master"):
    """As Shutdown, after a drain."""


class ReconfigDrained(Command, op="reconfig-drained"):
    """As Reconfig, after a drain; the startd is restarted."""


class SetShutdown(Request[Done], op="set-shutdown"):
    """Run MASTER_SHUTDOWN_<program> at the end."""

    program: str


BY_MASTER = Vocabulary(
    *BY_EVERYBODY, Status, On, Off, Restart, RestartMaster, OffMaster, ReconfigDrained, SetShutdown
)  # fmt: skip
