"""Whom jobs run as that may not run as their owner."""

from __future__ import annotations

import os

import pytest

from condor_py.daemons.starter.jobwork import runner_of
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import load
from condor_py.lang.config.builders.starter import job_accounts
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.settings.starter import StarterSettings

VANILLA, VM = 5, 13


def runner(universe: int, slot: str = "slot1@here", **knobs: str) -> tuple[str, list[str]]:
    """The account ("" for the owner's), and what the log says."""
    if os.geteuid() != 0:
        pytest.skip("only root runs jobs as somebody else")
    given = {"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_STARTER_ALLOW_RUNAS_OWNER": "false"}
    config = load(given | {f"_CONDOR_{name}": value for name, value in knobs.items()})
    settings = StarterSettings("/nowhere", accounts=job_accounts(config))
    setup = StarterSetup("", slot, ClassAd(), "", "", "", "", (), LogSettings(""), settings)
    said: list[str] = []
    found = runner_of(setup, ClassAd({"JobUniverse": universe}), said.append)
    return found.name if found else "", said


def test_virtual_machines_have_an_account_of_their_own() -> None:
    """VM_UNIV_NOBODY_USER comes before those of the slots, and is for nothing else."""
    knobs = {"VM_UNIV_NOBODY_USER": "games", "SLOT1_USER": "uucp", "NOBODY_SLOT_USER": "daemon"}
    assert runner(VM, **knobs) == ("games", [])
    assert runner(VM, "slot2@here", **knobs) == ("games", [])
    assert runner(VANILLA, **knobs) == ("uucp", [])
    assert runner(VANILLA, "slot2@here", **knobs) == ("daemon", [])
    assert runner(VM, SLOT1_USER="uucp") == ("uucp", [])
    assert runner(VM) == ("nobody", [])


@pytest.mark.parametrize("knob", ["VM_UNIV_NOBODY_USER", "SLOT1_USER", "NOBODY_SLOT_USER"])
def test_who_jobs_must_not_run_as(knob: str) -> None:
    assert runner(VM, **{knob: "root"}) == ("nobody", ["jobs must not run as root: the job runs as nobody"])
    name, (said,) = runner(VM, **{knob: "no-such-account"})
    assert (name, said) == ("nobody", "no account named 'no-such-account' on this machine: the job runs as nobody")


def test_the_owner_where_that_is_allowed() -> None:
    assert runner(VM, STARTER_ALLOW_RUNAS_OWNER="true", VM_UNIV_NOBODY_USER="games") == ("", [])
