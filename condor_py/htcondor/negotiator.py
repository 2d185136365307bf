"""``Negotiator``: users' priorities and usage. Edits are durable when they return, whether the daemon runs or not."""

from __future__ import annotations

from condor_py.classad import ClassAd
from condor_py.htcondor import session
from condor_py.htcondor.errors import HTCondorException
from condor_py.model.errors import CondorError

_HOUR = 3600.0


class Negotiator:
    """The accountant of this machine's pool."""

    def __init__(self, location: ClassAd | None = None) -> None:
        """``location`` may be the ad of the local negotiator; HTCondorLocateError for another one."""
        session.check_location(location, "negotiator")

    def getPriorities(self, rollup: bool = False) -> list[ClassAd]:
        """One ad a submitter and group; with ``rollup`` a group's usage is that of its subtree."""
        from condor_py.tools.userprio.source import accounting_ads, rolled_up

        ads = accounting_ads(session.pool())
        return rolled_up(ads) if rollup else ads

    def getResourceUsage(self, user: str) -> list[ClassAd]:
        """The slots charged to a submitter: ``Name``, and ``StartTime`` in Unix seconds."""
        from condor_py.tools.userprio.source import holdings, load_accountant

        _check(user)
        accountant = load_accountant(session.pool())
        if accountant is None:
            return []
        return [ClassAd({"Name": item.slot, "StartTime": item.start}) for item in holdings(accountant, user)]

    def setPriority(self, user: str, priority: float) -> None:
        """Set the real priority, at least 0."""
        if priority < 0:
            raise ValueError("User priority must be non-negative")
        _edit("setprio", user, float(priority))

    def setFactor(self, user: str, factor: float) -> None:
        """Set the priority factor, at least 1."""
        if factor < 1:
            raise ValueError("Priority factors must be >= 1")
        _edit("setfactor", user, float(factor))

    def setCeiling(self, user: str, ceiling: int) -> None:
        """Limit the weighted slots in use; at least 0."""
        if ceiling <= -1:
            raise ValueError("Ceiling must be greater than -1.")
        _edit("setceiling", user, int(ceiling))

    def setUsage(self, user: str, usage: float) -> None:
        """Set the accumulated usage, in hours."""
        if usage < 0:
            raise ValueError("Usage must be non-negative")
        _edit("setaccum", user, float(usage) * _HOUR)

    def setBeginUsage(self, user: str, when: int) -> None:
        """Set when usage began, in Unix seconds."""
        _edit("setbegin", user, int(when))

    def setLastUsage(self, user: str, when: int) -> None:
        """Set when usage ended, in Unix seconds."""
        _edit("setlast", user, int(when))

    def resetUsage(self, user: str) -> None:
        """Set the accumulated usage to zero."""
        _edit("resetusage", user)

    def resetAllUsage(self) -> None:
        """Set everybody's accumulated usage to zero."""
        _carry_out("resetall", ())

    def deleteUser(self, user: str) -> None:
        """Forget a submitter."""
        _edit("delete", user)


def _check(user: str) -> None:
    if not isinstance(user, str):
        raise TypeError("user must be a string")
    if "@" not in user:
        raise ValueError("You must specify the submitter (user@domain)")


def _edit(name: str, user: str, *values: float) -> None:
    _check(user)
    _carry_out(name, (user, *values))


def _carry_out(name: str, arguments: tuple[object, ...]) -> None:
    from condor_py.tools.userprio.edit import Edit, apply

    try:
        apply(session.pool(), Edit(name, arguments, "", "", name))
    except CondorError as error:
        raise HTCondorException(str(error)) from None
