"""Whom a job runs as, when that is not its owner, and what is left of an account that only jobs use."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.lang.classad import ClassAd, is_true, parse
from condor_py.machine.probes import process
from condor_py.machine.run.identity import Account, UnknownAccount, account
from condor_py.model.states import Universe


def runner_of(setup: StarterSetup, ad: ClassAd, complain: Callable[[str], None]) -> Account | None:
    """Whom a job runs as that may not run as its owner, or does not want to; None for the owner. Only root can let
    it."""
    accounts = setup.settings.accounts
    if os.geteuid() != 0:
        return None
    allowed = is_true(setup.slot_ad.raw(parse(accounts.allow_owner), ad))
    if allowed and ad.eval_bool("RunAsOwner", True) is not False:
        return None
    is_machine = ad.eval_int("JobUniverse", Universe.VANILLA) == Universe.VM
    return _unless_root(accounts.of_slot(setup.slot_name, is_machine=is_machine), complain)


def _unless_root(name: str, complain: Callable[[str], None]) -> Account:
    """The account of a name; nobody's where there is none, or where it is root's."""
    try:
        found = account(name)
    except UnknownAccount as error:
        complain(f"{error}: the job runs as nobody")
        return account("nobody")
    if found.uid:
        return found
    complain(f"jobs must not run as {name}: the job runs as nobody")
    return account("nobody")


def clear_account(pattern: str, runner: Account | None) -> None:
    """Kills all that a dedicated account (one whose name is like ``pattern``) still runs."""
    if pattern and runner is not None and runner.uid and os.geteuid() == 0 and re.fullmatch(pattern, runner.name):
        process.kill_family(lambda: process.user_pids(runner.uid))
