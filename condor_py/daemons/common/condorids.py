"""The account of the pool itself: its programs that belong to no job run as it in a pool that root started.

It is what CONDOR_IDS says, else the account condor. Where there is neither HTCondor does not start as root; here such
programs run as root then, and the log says so. (The account nobody would be no better: jobs that may not run as their
owners run as nobody, and could take such a program over.)
"""

from __future__ import annotations

import errno
import os
import pwd
from collections.abc import Callable
from typing import NamedTuple

from condor_py.daemons.common.hookpath import unusable
from condor_py.daemons.common.ownprograms import is_ours
from condor_py.lang.config import Config
from condor_py.lang.config.builders.checkpoints import condor_ids
from condor_py.machine.run.identity import Account, UnknownAccount, account
from condor_py.model.errors import ConfigError

_NAME = "condor"


def condor_account(config: Config) -> Account | None:
    """The account; None when the programs run as our own account. ConfigError for CONDOR_IDS that name none."""
    if os.geteuid() != 0:
        return None
    ids = condor_ids(config, os.environ)
    if ids is None:
        try:
            return account(_NAME)
        except UnknownAccount:
            return None
    uid, gid = ids
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        raise ConfigError(f"CONDOR_IDS: there is no account with the user id {uid}", "CONDOR_IDS") from None
    return Account(entry.pw_name, uid, gid, entry.pw_dir, tuple(os.getgrouplist(entry.pw_name, gid)))


class Home(NamedTuple):
    """The account that programs of a daemon run as (None: the daemon's own), and their directory: LOG."""

    user: Account | None
    directory: str

    @property
    def is_root(self) -> bool:
        """Whether they have root's rights."""
        return os.geteuid() == 0 and (self.user is None or self.user.uid == 0)

    def user_for(self, program: str) -> Account | None:
        """The account that a program runs as."""
        return None if is_ours(program) else self.user

    def check(self, program: str) -> None:
        """Raise OSError for a program that another account may have changed, if it would run as root."""
        if not self.is_root or is_ours(program) or not os.path.exists(program):
            return
        if "writable" in (problem := unusable(program)):
            raise OSError(errno.EPERM, f"it {problem}: refusing to use it", program)

    def warn(self, what: str, tell: Callable[[str], None]) -> None:
        """Says so when ``what`` run as root."""
        if self.is_root:
            why = "there is no account condor, and CONDOR_IDS is not set" if self.user is None else "so says CONDOR_IDS"
            tell(f"WARNING: {what} run as root: {why}")
