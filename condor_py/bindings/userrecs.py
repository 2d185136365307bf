"""The part of ``Schedd`` about users and projects: asking for their records, adding, enabling, removing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from condor_py.bindings import session
from condor_py.bindings.errors import HTCondorException
from condor_py.bindings.place import AtSchedd
from condor_py.lang.classad import ClassAd, ExprTree
from condor_py.model.errors import CondorError

_FAILED = "Error when performing user or project action on the schedd."
_REASON = "Python-initiated action"
#: Whom to act on.
UserSpec = list[str] | str | ExprTree | list[ClassAd]


class UserRecords(AtSchedd):
    """Records of users (``name@domain``) and of projects. Only administrators of a pool change them.

    The changing methods return an ad with NumAds, how many records were acted on, and Result, 0 for success.
    """

    def queryUserAds(
        self,
        constraint: str | ExprTree = "",
        projection: list[str] = [],  # noqa: B006  (never changed; the default that HTCondor's documentation names)
        callback: Callable[[ClassAd], Any] | None = None,
        limit: int = -1,
    ) -> list[Any]:
        """The records of users for which ``constraint`` is true; the arguments are those of ``query``."""
        return self._records("Owner", constraint, projection, callback, limit)

    def queryProjectAds(
        self,
        constraint: str | ExprTree = "",
        projection: list[str] = [],  # noqa: B006
        callback: Callable[[ClassAd], Any] | None = None,
        limit: int = -1,
    ) -> list[Any]:
        """The records of projects for which ``constraint`` is true; the arguments are those of ``query``."""
        return self._records("Project", constraint, projection, callback, limit)

    def _records(
        self,
        kind: str,
        constraint: str | ExprTree,
        projection: list[str],
        callback: Callable[[ClassAd], Any] | None,
        limit: int,
    ) -> list[Any]:
        from condor_py.core.jobs.userrecs import counted

        failed = "Failed to fetch ads from schedd, errmsg="
        names = session.projection_of(projection)
        wanted = session.constraint_of(constraint, failed)
        pool = self._here(f"{failed}CEDAR:6001:Failed to connect to {self._addr}")
        found = [
            session.projected(ad, names) for ad in counted(pool.read_queue().table, kind) if session.is_true(ad, wanted)
        ]
        ads = found if limit < 0 else found[:limit]
        if callback is None:
            return ads
        return [item for item in map(callback, ads) if item is not None]

    def addUserRec(self, user_spec: list[str] | str | list[ClassAd]) -> ClassAd:
        """Add records of users who have none yet; those who are disabled are enabled."""
        return self._act("Owner", "enable", user_spec, create=True)

    def enableUserRec(self, user_spec: UserSpec) -> ClassAd:
        """Let users submit again."""
        return self._act("Owner", "enable", user_spec)

    def disableUserRec(self, user_spec: UserSpec, reason: str | None = None) -> ClassAd:
        """Refuse the submits of users from now on, with a reason that they are shown."""
        return self._act("Owner", "disable", user_spec, reason)

    def removeUserRec(self, user_spec: UserSpec, reason: str | None = None) -> ClassAd:
        """Remove records of users; who has jobs is disabled instead."""
        return self._act("Owner", "remove", user_spec, reason)

    def updateUserRec(self, user_attributes: list[ClassAd]) -> ClassAd:
        """Set attributes in records of users. Each ad names them by User or by Requirements."""
        return self._act("Owner", "edit", user_attributes)

    def addProjectRec(self, project_spec: list[str] | str | list[ClassAd]) -> ClassAd:
        """Add records of projects."""
        return self._act("Project", "enable", project_spec, create=True)

    def enableProjectRec(self, project_spec: UserSpec) -> ClassAd:
        """Enable projects again."""
        return self._act("Project", "enable", project_spec)

    def disableProjectRec(self, project_spec: UserSpec, reason: str | None = None) -> ClassAd:
        """Mark projects as disabled."""
        return self._act("Project", "disable", project_spec, reason)

    def removeProjectRec(self, user_spec: UserSpec, reason: str | None = None) -> ClassAd:
        """Remove records of projects that no job belongs to."""
        return self._act("Project", "remove", user_spec, reason)

    def updateProjectRec(self, project_attributes: list[ClassAd]) -> ClassAd:
        """Set attributes in records of projects. Each ad names them by Name or by Requirements."""
        return self._act("Project", "edit", project_attributes)

    def _act(self, kind: str, action: str, spec: Any, reason: str | None = None, create: bool = False) -> ClassAd:
        requests = _requests(kind, spec, create)
        if not requests:
            raise HTCondorException(_FAILED)
        if action == "edit" and not (isinstance(spec, list) and isinstance(spec[0], ClassAd)):
            raise HTCondorException("Edit requires a list of ads.")
        if action in ("disable", "remove") and isinstance(spec, list) and isinstance(spec[0], ClassAd):
            raise HTCondorException(f"{action.capitalize()} mixed users and projects not implemented.")
        pool = self._here(_FAILED)
        try:
            return pool.act_on_users(kind, action, requests, reason or _REASON)
        except (CondorError, ValueError) as error:
            raise HTCondorException(f"{_FAILED} {error}") from None


def _requests(kind: str, spec: Any, create: bool) -> list[Any]:
    """The requests that a program's words make. TypeError for what names no user."""
    from condor_py.core.jobs.userrecs import UserRequest

    if isinstance(spec, str):
        return [UserRequest(spec, create=create)]
    if isinstance(spec, ExprTree):
        return [UserRequest(None, str(spec), create=create)]
    if not isinstance(spec, list):
        raise TypeError("The userrec_spec must be list of strings, a list of ClassAd, a string, or an ExprTree.")
    if all(isinstance(item, str) for item in spec):
        return [UserRequest(item, create=create) for item in spec]
    if not all(isinstance(item, ClassAd) for item in spec):
        raise TypeError("All elements of the userrec list must be strings or classads")
    return [_of_ad(kind, ad, create) for ad in spec]


def _of_ad(kind: str, ad: ClassAd, create: bool) -> Any:
    from condor_py.core.jobs.userrecs import UserRequest

    name = ad.get("Name" if kind == "Project" else "User")
    constraint = ad.text("Requirements")
    return UserRequest(name if isinstance(name, str) else None, constraint, tuple(ad.text_items()), create)
