"""Accounts of jobs: whose rights a job gets, and file work with them."""

from __future__ import annotations

import grp
import os
import pwd
from types import SimpleNamespace

import pytest
from apart import apart

from condor_py.machine.run import identity
from condor_py.machine.run.identity import (
    Account,
    NotInGroup,
    UnknownAccount,
    account,
    account_for,
    account_of,
    as_user,
    forget_accounts,
    mark_accounts,
    with_primary_group,
)

ANN, BOB = Account("ann", 2001, 2002, "/home/ann", (2002, 50)), Account("bob", 2003, 2002, "/home/bob", (2002,))


class Database:
    """A password database; ``asked`` has the names that were looked up."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *accounts: Account) -> None:
        self.accounts = {each.name: each for each in accounts}
        self.asked: list[str] = []
        monkeypatch.setattr(identity, "_accounts", identity._Accounts())
        monkeypatch.setattr(pwd, "getpwnam", self._named)
        monkeypatch.setattr(pwd, "getpwuid", self._numbered)
        monkeypatch.setattr(os, "getgrouplist", lambda name, gid: list(self.accounts[name].groups))

    @staticmethod
    def _entry(found: Account) -> SimpleNamespace:
        return SimpleNamespace(pw_name=found.name, pw_uid=found.uid, pw_gid=found.gid, pw_dir=found.home)

    def _named(self, name: str) -> SimpleNamespace:
        self.asked.append(name)
        return self._entry(self.accounts[name])

    def _numbered(self, uid: int) -> SimpleNamespace:
        return self._entry({each.uid: each for each in self.accounts.values()}[uid])


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Database:
    return Database(monkeypatch, ANN, BOB)


def test_an_account_is_looked_up_once_until_the_configuration_is_read_again(database: Database) -> None:
    assert account("ann") == account("ann") == ANN
    assert database.asked == ["ann"]
    forget_accounts()
    assert account("ann") == ANN
    assert database.asked == ["ann", "ann"]


def test_a_name_without_an_account(database: Database) -> None:
    for _ in range(2):
        with pytest.raises(UnknownAccount, match="no account named 'eve' on this machine"):
            account("eve")
    assert database.asked == ["eve", "eve"], "there may be one later"


def test_few_accounts_are_remembered(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "_MANY", 1)
    for name in ("ann", "bob", "bob", "ann"):
        account(name)
    assert database.asked == ["ann", "bob", "ann"]


def test_a_group_marks_every_account(database: Database) -> None:
    account("ann")
    mark_accounts(77)
    assert account("ann").groups == (2002, 50, 77)
    assert account("bob").groups == (2002, 77)


def test_the_account_of_an_id(database: Database) -> None:
    assert account_of(2003) == BOB
    assert account_of(9) is None


def test_root_gives_the_rights_of_every_owner(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert account_for("ann") == ANN
    with pytest.raises(UnknownAccount):
        account_for("eve")


def test_an_ordinary_pool_runs_the_jobs_of_its_own_account(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 2001)
    assert account_for("ann") == ANN
    with pytest.raises(UnknownAccount, match="this pool belongs to ann and cannot run jobs of bob"):
        account_for("bob")
    database.accounts["ann2"] = Account("ann2", 2001, 1, "/", ())
    assert account_for("ann2") is not None, "another name of the same account"
    monkeypatch.setattr(os, "geteuid", lambda: 9)
    assert account_for("bob") is None, "an id without an account"


def test_the_first_group_of_an_account(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = {"lab": 50, "ours": 2002, "other": 60}
    monkeypatch.setattr(grp, "getgrnam", lambda name: SimpleNamespace(gr_gid=groups[name]))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert with_primary_group(ANN, "") is ANN
    assert with_primary_group(None, "lab") is None
    assert with_primary_group(ANN, "ours") is ANN
    changed = with_primary_group(ANN, "lab")
    assert changed == Account("ann", 2001, 50, "/home/ann", (2002, 50))
    begin = "Could not install primary unix group {} from supplemental groups: "
    with pytest.raises(NotInGroup, match=begin.format("none") + "there is no such group"):
        with_primary_group(ANN, "none")
    with pytest.raises(NotInGroup, match=begin.format("other") + "ann is not in it"):
        with_primary_group(ANN, "other")
    monkeypatch.setattr(os, "geteuid", lambda: 2001)
    with pytest.raises(NotInGroup, match="only a pool of root can change it"):
        with_primary_group(ANN, "lab")
    assert with_primary_group(ANN, "ours") is ANN


def rights() -> tuple[int, int, list[int]]:
    return os.geteuid(), os.getegid(), sorted(os.getgroups())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root acts for others")
@apart
def test_root_acts_for_others_and_is_itself_again() -> None:
    os.setgroups([0, 7])
    os.setegid(8)
    ours = rights()
    with as_user(ANN):
        assert rights() == (2001, 2002, [50, 2002])
    assert rights() == ours
    with pytest.raises(OSError, match="here"), as_user(ANN):
        raise OSError("here")
    assert rights() == ours
    for nothing in (None, Account("root", 0, 3, "/root", (3,))):
        with as_user(nothing):
            assert rights() == ours


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another account")
@apart
def test_others_have_one_identity() -> None:
    os.setgroups([])
    os.setegid(2002)
    os.seteuid(2003)
    ours = rights()
    with as_user(ANN):
        assert rights() == ours
    assert rights() == ours
