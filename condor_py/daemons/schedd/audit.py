"""SCHEDD_AUDIT_LOG: who has asked for which change of the queue, a line a request, in a log of its own.

Requests of other accounts come through the schedd. The account of the pool writes the queue itself; its tools say with
the wakeup what they have changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.client.accounts import account_name
from condor_py.client.wire import Peer
from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.common.strangers import may_command
from condor_py.lang.config import Config
from condor_py.lang.config.builders import daemon as daemon_knobs
from condor_py.model.errors import CondorError
from condor_py.model.messages import queue as say
from condor_py.model.messages.wakeups import named

if TYPE_CHECKING:
    from collections.abc import Callable

    from condor_py.model.messages.codec import Message
    from condor_py.model.messages.wakeups import Change
    from condor_py.model.settings.daemon import LogSettings

_NAME = "SCHEDD_AUDIT"
#: How tools of versions that had no `Change` began their text about a submit; its clusters followed.
_SUBMIT_IN_WORDS = "submit "
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
        """Note what an account has asked for."""
        if self._log is not None:
            text = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} ..."
            self._log.write(f"user={account_name(peer.uid)} uid={peer.uid} pid={peer.pid}: {text}")

    def note(self, peer: Peer, change: Change) -> None:
        """Note a change by an account; new jobs in the log of the schedd, too."""
        if change.kind == "submit":
            self._announce(peer, _clusters(change))
        self.write(peer, _described(change))

    def changed(self, peer: Peer, change: Change | None, text: str) -> None:
        """Note what a tool of the account of the pool has changed, which one of an older version says as ``text``."""
        if not may_command(peer):
            return
        if change is not None:
            self.note(peer, change)
        elif text:
            if text.startswith(_SUBMIT_IN_WORDS):
                self._announce(peer, text.removeprefix(_SUBMIT_IN_WORDS))
            self.write(peer, text)

    def asked(self, peer: Peer, request: Message) -> None:
        """Note a request that is carried out."""
        text = _asked(request)
        if text:
            self.write(peer, text)

    def _announce(self, peer: Peer, clusters: str) -> None:
        self._complain(f"New jobs of {account_name(peer.uid)}: {clusters}")


def _described(change: Change) -> str:
    """Return a change in words."""
    match change.kind:
        case "submit":
            return f"submit {_clusters(change)}"
        case "edit":
            return f"set {', '.join(f'{name} = {text}' for name, text in change.assignments)} of {_jobs(change)}"
        case "spooled":
            return f"input files of {_jobs(change)} have arrived"
    about = change.records or _jobs(change)
    return f"{change.kind} {about}" + (f" (reason: {change.reason})" if change.reason else "")


def _clusters(submit: Change) -> str:
    """Return the clusters of a submit: the first and the last."""
    return f"cluster{'s' * (len(submit.clusters) > 1)} {' to '.join(map(str, submit.clusters))}"


def _jobs(change: Change) -> str:
    names = [*map(str, change.jobs), *(f"cluster {number}" for number in change.clusters)]
    more = change.count - len(names)
    shown = ", ".join(names) + (f" and {more} more" if more > 0 else "")
    where = [] if change.constraint is None else [f"jobs for which {change.constraint}"]
    return " and ".join([*([shown] if shown else []), *where])


def _asked(request: Message) -> str:
    """Return a request in words; "" for what changes nothing, and for a submit, which is noted when it has numbers."""
    match request:
        case say.Act(ids=ids, clusters=clusters, constraint=constraint, action=action, reason=reason):
            return _described(named(action, ids, clusters, constraint=constraint, reason=reason))
        case say.Edit(ids=ids, clusters=clusters, constraint=constraint, assignments=assignments):
            return _described(named("edit", ids, clusters, constraint=constraint, assignments=assignments))
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
            return _described(named("spooled", ids))
    return ""
