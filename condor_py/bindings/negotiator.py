"""``Negotiator``: users' priorities and usage. Edits are durable when they return, whether the daemon runs or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.bindings import session
from condor_py.bindings.errors import HTCondorException, HTCondorIOError
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool

_HOUR = 3600.0


class Negotiator:
    """The accountant of this machine's pool."""

    def __init__(self, location: ClassAd | None = None) -> None:
        """``location`` is the ad of a negotiator, as ``Collector.locate`` returns it; None for the local one."""
        self._pool = session.pool_for(location if isinstance(location, ClassAd) else None)
        self._addr = session.address_of(location, self._pool)

    def _here(self) -> Pool:
        if not session.is_local(self._pool, self._addr):
            raise HTCondorIOError("Unable to connect to the negotiator")
        return self._pool

    def _edit(self, name: str, user: str, *values: float) -> None:
        _check(user)
        self._carry_out(name, (user, *values))

    def _carry_out(self, name: str, arguments: tuple[object, ...]) -> None:
        from condor_py.client.priority_edits import Edit, apply

        try:
            apply(self._here(), Edit(name, arguments, "", "", name))
        except CondorError as error:
            raise HTCondorException(str(error)) from None

    def getPriorities(self, rollup: bool = False) -> list[ClassAd]:
        """One ad a submitter and group; with ``rollup`` a group's usage is that of its subtree."""
        from condor_py.client.accounting_ads import accounting_ads, rolled_up

        ads = accounting_ads(self._here())
        return rolled_up(ads) if rollup else ads

    def getResourceUsage(self, user: str) -> list[ClassAd]:
        """The slots charged to a submitter: ``Name``, and ``StartTime`` in Unix seconds."""
        from condor_py.client.accounting_ads import holdings, load_accountant

        _check(user)
        accountant = load_accountant(self._here())
        if accountant is None:
            return []
        return [ClassAd({"Name": item.slot, "StartTime": item.start}) for item in holdings(accountant, user)]

    def setPriority(self, user: str, priority: float) -> None:
        """Set the real priority, at least 0."""
        _check(user)
        if priority < 0:
            raise ValueError("User priority must be non-negative")
        self._edit("setprio", user, float(priority))

    def setFactor(self, user: str, factor: float) -> None:
        """Set the priority factor, at least 1."""
        _check(user)
        if factor < 1:
            raise ValueError("Priority factors must be >= 1")
        self._edit("setfactor", user, float(factor))

    def setCeiling(self, user: str, ceiling: int) -> None:
        """Limit the weighted slots in use; at least 0."""
        _check(user)
        if ceiling <= -1:
            raise ValueError("Ceiling must be greater than -1.")
        self._edit("setceiling", user, int(ceiling))

    def setUsage(self, user: str, usage: float) -> None:
        """Set the accumulated usage, in hours."""
        _check(user)
        if usage < 0:
            raise ValueError("Usage must be non-negative")
        self._edit("setaccum", user, float(usage) * _HOUR)

    def setBeginUsage(self, user: str, when: int) -> None:
        """Set when usage began, in Unix seconds."""
        self._edit("setbegin", user, int(when))

    def setLastUsage(self, user: str, when: int) -> None:
        """Set when usage ended, in Unix seconds."""
        self._edit("setlast", user, int(when))

    def resetUsage(self, user: str) -> None:
        """Set the accumulated usage to zero."""
        self._edit("resetusage", user)

    def resetAllUsage(self) -> None:
        """Set the accumulated usage of all users to zero."""
        self._carry_out("resetall", ())

    def deleteUser(self, user: str) -> None:
        """Forget a submitter."""
        self._edit("delete", user)


def _check(user: str) -> None:
    if not isinstance(user, str):
        raise TypeError("user must be a string")
    if "@" not in user:
        raise ValueError("You must specify the submitter (user@uid.domain)")
