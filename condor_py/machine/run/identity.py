"""Accounts, and doing file work as the job's owner when the daemon is root."""

from __future__ import annotations

import grp
import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class UnknownAccount(Exception):
    """The owner of a job has no account on this machine."""


class NotInGroup(Exception):
    """An account cannot have a group as its first one."""

    def __init__(self, group: str, why: str) -> None:
        super().__init__(f"Could not install primary unix group {group} from supplemental groups: {why}")


class Account(NamedTuple):
    """An entry of the password database with its supplementary groups."""

    name: str
    uid: int
    gid: int
    home: str
    groups: tuple[int, ...]


#: Accounts that are remembered at a time.
_MANY = 1024


class _Accounts:
    """Accounts that were looked up. ``mark`` is a group id that every account has as well, None for no such group."""

    def __init__(self) -> None:
        self._known: dict[str, Account] = {}
        self._mark: int | None = None

    def of(self, name: str) -> Account:
        """The account of a user name; UnknownAccount when there is none."""
        known = self._known.get(name)
        if known is None:
            known = self._read(name)
            if len(self._known) >= _MANY:
                self._known.clear()
            self._known[name] = known
        return known

    def _read(self, name: str) -> Account:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            raise UnknownAccount(f"no account named {name!r} on this machine") from None
        groups = os.getgrouplist(name, entry.pw_gid)
        if self._mark is not None:
            groups.append(self._mark)
        return Account(name, entry.pw_uid, entry.pw_gid, entry.pw_dir, tuple(groups))

    def mark(self, gid: int) -> None:
        """Every account has the group ``gid`` from now on."""
        self._mark = gid
        self._known.clear()

    def forget(self) -> None:
        """Reads the password database afresh from now on."""
        self._known.clear()


_accounts = _Accounts()


def account(name: str) -> Account:
    """The account of a user name; UnknownAccount when there is none."""
    return _accounts.of(name)


def account_of(uid: int) -> Account | None:
    """The account of a user id; None when there is none."""
    try:
        return account(pwd.getpwuid(uid).pw_name)
    except (KeyError, UnknownAccount):
        return None


def account_for(owner: str) -> Account | None:
    """Return whose rights a job of ``owner`` gets. UnknownAccount, also for an owner whose rights cannot be given.

    Only root can give the rights of others: the pool of an ordinary account runs no jobs of others as itself.
    """
    if os.geteuid() == 0:
        return account(owner)
    ours = account_of(os.geteuid())
    if ours is not None and ours.name != owner and account(owner).uid != ours.uid:
        raise UnknownAccount(f"this pool belongs to {ours.name} and cannot run jobs of {owner}")
    return ours


def with_primary_group(who: Account | None, group: str) -> Account | None:
    """The same account with one of its groups as the first ("" for the one that it has). NotInGroup."""
    if not group or who is None:
        return who
    try:
        gid = grp.getgrnam(group).gr_gid
    except KeyError:
        raise NotInGroup(group, "there is no such group") from None
    if gid == who.gid:
        return who
    if gid not in who.groups:
        raise NotInGroup(group, f"{who.name} is not in it")
    if os.geteuid() != 0:
        raise NotInGroup(group, "only a pool of root can change it")
    return who._replace(gid=gid)


def mark_accounts(gid: int) -> None:
    """Give the group ``gid`` to all processes that this process starts from now on, so that they can be found by it."""
    _accounts.mark(gid)


def forget_accounts() -> None:
    """Reads the password database afresh from now on (reconfig)."""
    _accounts.forget()


@contextmanager
def as_user(who: Account | None) -> Iterator[None]:
    """File access inside happens with the rights of ``who``. Without root there is only one identity, and nothing
    changes.
    """
    if who is None or os.geteuid() != 0 or who.uid == 0:
        yield
        return
    groups = os.getgroups()
    gid = os.getegid()
    os.setgroups(who.groups)
    os.setegid(who.gid)
    os.seteuid(who.uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(gid)
        os.setgroups(groups)
