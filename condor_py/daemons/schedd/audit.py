"""SCHEDD_AUDIT_LOG: who has asked for which change of the queue, a line a request, in a log of its own.

Requests of other accounts come through the schedd. The account of the pool writes the queue itself; its tools say with
the wakeup what they have changed.
"""

from __future__ import annotations

import pwd
from typing import TYPE_CHECKING

from condor_py.client.wire import Peer
from condor_py.core.jobs.requests import Selection
from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.common.strangers import may_command
from condor_py.lang.config import Config
from condor_py.lang.config.builders import daemon as daemon_knobs
from condor_py.model.errors import CondorError
from condor_py.model.messages import queue as say

if TYPE_CHECKING:
    from collections.abc import Callable

    from condor_py.model.messages.codec import Message
    from condor_py.model.settings.daemon import LogSettings

_NAME = "SCHEDD_AUDIT"
#: How the entry of a submit begins; its clusters follow.
SUBMIT = "submit "
#: Characters of one entry.
_MOST_SHOWN = 2000


def audit_settings(config: Config) -> LogSettings | None:
    """The settings of the log; None when SCHEDD_AUDIT_LOG is empty."""
    return daemon_knobs.log(config, _NAME) if config.path(f"{_NAME}_LOG") else None


class AuditLog:
    """The log; without settings nothing is written."""

    def __init__(self, settings: LogSettings | None, complain: Callable[[str], None]) -> None:
        self._complain = complain
        self._log: DaemonLog | None = None
        self.configure(settings)

    def configure(self, settings: LogSettings | None) -> None:
        """Take new settings."""
        if settings is None:
            self._log = None
        elif self._log is not None:
            self._log.retune(settings)
        else:
            try:
                self._log = DaemonLog(settings, "schedd")
            except CondorError as error:
                self._complain(f"SCHEDD_AUDIT_LOG: {error}")

    def write(self, peer: Peer, text: str) -> None:
        """Note what an account has asked for. The log of the schedd hears of submits, too."""
        if text.startswith(SUBMIT):
            self._complain(f"New jobs of {_name(peer.uid)}: {text.removeprefix(SUBMIT)}")
        if self._log is not None:
            text = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} ..."
            self._log.write(f"user={_name(peer.uid)} uid={peer.uid} pid={peer.pid}: {text}")

    def changed(self, peer: Peer, text: str) -> None:
        """Note what a tool of the account of the pool says that it has changed."""
        if text and may_command(peer):
            self.write(peer, text)

    def asked(self, peer: Peer, request: Message) -> None:
        """Note a request that is carried out."""
        text = _told(request)
        if text:
            self.write(peer, text)


def _told(request: Message) -> str:
    """A request in words; "" for what changes nothing, and for a submit, which has its numbers later."""
    match request:
        case say.Act(action=action, reason=reason):
            return f"{action} {_jobs(request)}" + (f" (reason: {reason})" if reason else "")
        case say.Edit(assignments=assignments):
            return f"set {', '.join(f'{name} = {text}' for name, text in assignments)} of {_jobs(request)}"
        case say.RunNow(job, victims):
            return f"run {job} in the place of {', '.join(map(str, victims))}"
        case say.WriteEvent(job, _):
            return f"write an event of {job}"
        case say.Ocu(action=action, id=number) if action != "query":
            return f"{action} OCU {number or ''}".rstrip()
        case say.ManageElsewhere(action, clusters):
            return f"{action} {', '.join(map(str, clusters))}"
        case say.ActOnUsers(kind, action):
            return f"{action} {kind}"
        case say.SpoolBegin(ids):
            return f"transfer input files of {', '.join(map(str, ids))}"
        case say.SpoolEnd(ids=ids):
            return f"input files of {', '.join(map(str, ids))} have arrived"
    return ""


def _jobs(request: say.Act | say.Edit) -> str:
    return Selection(tuple(request.ids), request.constraint, tuple(request.clusters)).told


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
