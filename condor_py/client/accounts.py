"""Accounts of the machine: their names, and which may act on the jobs of all users."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def account_name(uid: int) -> str:
    """Return the name of an account, the number where there is no such account."""
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def is_super_user(account: str, listed: Iterable[str]) -> bool:
    """Return whether QUEUE_SUPER_USERS lists an account, by its name or by a group that it is in (``%NAME``)."""
    return any(account == name or (name.startswith("%") and _is_member(account, name[1:])) for name in listed)


def _is_member(account: str, name: str) -> bool:
    import grp
    import pwd

    try:
        group = grp.getgrnam(name)
        return account in group.gr_mem or pwd.getpwnam(account).pw_gid == group.gr_gid
    except (KeyError, ValueError):
        return False  # there is no such group, or no such account
