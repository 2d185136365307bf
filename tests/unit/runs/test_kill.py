"""Which signal a job gets that is to end, and how long it may take to obey."""

from __future__ import annotations

import signal

import pytest

from condor_py.core.runs.facts import KillRules, kill_rules, signal_number
from condor_py.lang.classad import ClassAd
from condor_py.model.states import Universe, VacateCode

REASONS = (VacateCode.PREEMPT, VacateCode.REMOVED, VacateCode.REMOVED_WITH_OUTPUT, VacateCode.USER_HOLD)
ALL = {"KillSig": "SIGUSR1", "RemoveKillSig": "INT", "HoldKillSig": "HUP"}


def rules(universe: Universe = Universe.VANILLA, **attributes: object) -> KillRules:
    return kill_rules(ClassAd({"JobUniverse": int(universe), **attributes}))


def signals(found: KillRules) -> list[str]:
    """Names by reason: preempted, removed, removed with output, held."""
    return [signal.Signals(found.signal(int(code))).name for code in REASONS]


@pytest.mark.parametrize(
    ("attributes", "names"),
    [
        ({}, "SIGTERM SIGTERM SIGTERM SIGTERM"),
        ({"KillSig": "SIGUSR1"}, "SIGUSR1 SIGUSR1 SIGUSR1 SIGUSR1"),
        ({"KillSig": "9"}, "SIGKILL SIGKILL SIGKILL SIGKILL"),
        ({"KillSig": "NoSuch"}, "SIGTERM SIGTERM SIGTERM SIGTERM"),
        ({"KillSig": "SIGUSR1", "RemoveKillSig": "INT"}, "SIGINT SIGINT SIGINT SIGINT"),
        (ALL, "SIGINT SIGINT SIGINT SIGINT"),
        ({"HoldKillSig": "HUP"}, "SIGTERM SIGTERM SIGTERM SIGTERM"),
    ],
)
def test_on_a_slot_the_signal_of_a_removal_is_that_of_everything(attributes: dict[str, str], names: str) -> None:
    found = rules(**attributes)
    assert signals(found) == names.split()
    assert found.patience is None, "the startd counts it"


@pytest.mark.parametrize("universe", [Universe.LOCAL, Universe.SCHEDULER])
@pytest.mark.parametrize(
    ("attributes", "names"),
    [
        ({}, "SIGTERM SIGTERM SIGTERM SIGTERM"),
        ({"KillSig": "SIGUSR1"}, "SIGUSR1 SIGUSR1 SIGUSR1 SIGUSR1"),
        ({"RemoveKillSig": "INT"}, "SIGTERM SIGINT SIGINT SIGTERM"),
        ({"HoldKillSig": "HUP"}, "SIGTERM SIGTERM SIGTERM SIGHUP"),
        (ALL, "SIGUSR1 SIGINT SIGINT SIGHUP"),
    ],
)
def test_at_the_schedd_every_reason_has_its_signal(universe: Universe, attributes: dict[str, str], names: str) -> None:
    assert signals(rules(universe, **attributes)) == names.split()


@pytest.mark.parametrize(
    ("attributes", "seconds"),
    [({}, 30.0), ({"KillSigTimeout": 7}, 7.0), ({"JobMaxVacateTime": 5, "KillSigTimeout": 7}, 5.0)],
)
def test_a_job_of_the_schedd_says_how_long_it_may_take(attributes: dict[str, int], seconds: float) -> None:
    found = rules(Universe.LOCAL, **attributes)
    assert [found.wait(int(code)) for code in REASONS] == [seconds] * len(REASONS)


def test_a_removed_job_of_the_scheduler_universe_takes_its_time_unless_it_says_how_long() -> None:
    """condor_dagman runs the FINAL node of a removed DAG, however long that takes, as in HTCondor."""
    found = rules(Universe.SCHEDULER, RemoveKillSig="SIGUSR1")
    assert [found.wait(int(code)) for code in REASONS] == [30.0, None, None, 30.0]
    assert found.wait(int(VacateCode.STARTD_SHUTDOWN)) == 30.0, "the schedd must come to its end"
    assert rules(Universe.SCHEDULER, JobMaxVacateTime=5).wait(int(VacateCode.REMOVED)) == 5.0


def test_a_job_that_wants_no_signal_gets_none() -> None:
    assert rules(KillSig="0").signal(0) == 0


@pytest.mark.parametrize(("text", "number"), [("SIGTERM", 15), ("hup", 1), ('"KILL"', 9), ("0", 0), ("ALRM ", 14)])
def test_signals(text: str, number: int) -> None:
    assert signal_number(text) == number
    assert signal_number(None, 3) == signal_number("SIG_DFL", 3) == 3


def test_a_virtual_machine_is_saved_switched_off_or_shut_down() -> None:
    """Whatever signals its job names: they mean nothing to it. MACHINE_EVICT is SIGTSTP."""
    assert signals(rules(Universe.VM, **ALL)) == ["SIGTSTP", "SIGKILL", "SIGTERM", "SIGKILL"]
