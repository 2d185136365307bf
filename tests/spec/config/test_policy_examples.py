"""The manual's policy examples load unchanged, mean what they mean to HTCondor, and do what the manual says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from condor_py.core.slots.policy import Policy, View
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import Config, load
from condor_py.lang.config.builders.startd import startd
from condor_py.lang.config.lint import lint
from condor_py.model.errors import ConfigError
from tests.spec.config.policy_examples import EXAMPLES

#: What lint says of the examples as they stand in the manual; each is a mistake of the manual.
FOUND = {
    "macros": ["MachineBusy: unbalanced parentheses"],
    "two tiers": ["NonSuspendableSlotState: unbalanced parentheses"],
    "desktop with the manual's macros": ["WANT_SUSPEND: the expression does not parse, $(JustCpu) is not defined"],
    "test job": ["MachineBusy: unbalanced parentheses"],
    "parallel jobs": ['RANK: "DedicatedScheduler@full.host.name" * 1000000: * does not work on strings'],
    "vanilla forms": ["MachineBusy: unbalanced parentheses"],
    "hooks": [
        "SLOT4_JOB_HOOK_KEYWORD: there is no hook of this keyword: no WEB_HOOK_... is set",
        "DATABASE_HOOK_FETCH_WORK: there is no program /usr/local/condor/fetch/database/fetch_work.php",
    ],
    "memory, by the manual": [
        f"{knob}: there is no function isDefined" for knob in ("MAXJOBRETIREMENTTIME", "PREEMPT", "WANT_SUSPEND")
    ],
}
#: Knobs whose defaults, or what is detected, differ.
OTHERWISE = {"daemon_list", "num_cpus", "memory", "rank"}
FOUND["desktop with the manual's macros"].append("MachineBusy: unbalanced parentheses")


def config_of(path: Path, text: str, subsystem: str = "TOOL") -> Config:
    path.write_text(text)
    return load({**os.environ, "CONDOR_CONFIG": str(path)}, subsystem=subsystem)


def test_examples_mean_what_they_mean_to_htcondor(htcondor, tmp_path: Path) -> None:
    texts = [f"LOCAL_DIR = /var/lib/condor\nRELEASE_DIR = /usr\n{text}" for text in EXAMPLES.values()]
    wrong = []
    for text, answer in zip(texts, htcondor([(text, ["*"]) for text in texts]), strict=True):
        config = config_of(tmp_path / "c", text)
        theirs = {name.lower(): value for name, value in answer.items()}
        for macro in config.macros:
            ours, other = config.expanded(macro.name), theirs.get(macro.name.lower())
            if macro.name.lower() not in ("daemon_list", "num_cpus", "memory", "rank") and not isinstance(
                other, (int, float)
            ):
                wrong += [(macro.name, ours, other)] if ours != other else []
    assert wrong == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_lint_finds_only_what_is_wrong(tmp_path: Path, name: str) -> None:
    config = config_of(tmp_path / "c", EXAMPLES[name], "MASTER")
    found = [f"{one.knob}: {one.message}" for one in lint(config) if one.severity != "note"]
    expected = FOUND.get(name, [])
    assert len(found) == len(expected), found
    assert all(any(one.startswith(start) for one in found) for start in expected), found


def slot(**attributes: object) -> ClassAd:
    """A slot that is unclaimed, on an idle machine, on Wednesday at 3 o'clock in the morning."""
    ad = {"State": "Unclaimed", "Activity": "Idle", "SlotID": 1, "ClockDay": 3, "ClockMin": 180, "KeyboardIdle": 5000}
    ad |= {"LoadAvg": 0.0, "CondorLoadAvg": 0.0, "CpuBusyTime": 0, "EnteredCurrentActivity": 0, "JobStart": 0}
    return ClassAd({**ad, **attributes})


def job(**attributes: object) -> ClassAd:
    return ClassAd({"Owner": "alice", "JobUniverse": 5, "ImageSize": 100, "RequestMemory": 100, **attributes})


def ask(tmp_path: Path, name: str, knob: str, my: ClassAd, target: ClassAd) -> bool | float | None:
    """The value of ``knob`` for a slot and a job, in the startd's own way."""
    settings = startd(config_of(tmp_path / "c", EXAMPLES[name], "STARTD"))
    policy = Policy(settings.types[0].policy)
    for attribute, text in settings.types[0].policy.attrs:
        if text:
            my.set_text(attribute, text)
    view = View(lambda: my, target)
    return policy.number(knob, view) if knob == "RANK" else policy.truth(knob, view)


@pytest.mark.parametrize(
    ("name", "knob", "my", "target", "expected"),
    [
        ("default", "START", slot(), job(), True),
        ("default", "WANT_VACATE", slot(), job(), False),
        ("test job", "SUSPEND", slot(KeyboardIdle=1), job(Owner="coltrane"), False),
        ("time of day", "START", slot(), job(), True),
        ("time of day", "START", slot(ClockMin=600), job(), False),
        ("time of day", "START", slot(ClockMin=600, ClockDay=6), job(), True),
        ("desktop", "START", slot(), job(), True),
        ("desktop", "START", slot(KeyboardIdle=10), job(), False),
        ("desktop", "START", slot(LoadAvg=1.0), job(), False),
        ("desktop", "START", slot(LoadAvg=1.0, State="Claimed"), job(), True),
        ("desktop", "SUSPEND", slot(KeyboardIdle=10), job(), True),
        ("desktop", "WANT_SUSPEND", slot(), job(), True),
        ("desktop", "PREEMPT", slot(Activity="Suspended"), job(), True),
        ("not a desktop", "START", slot(KeyboardIdle=10), job(), True),
        ("not a desktop", "SUSPEND", slot(KeyboardIdle=10), job(), False),
        ("not a desktop", "CONTINUE", slot(KeyboardIdle=10), job(), True),
        ("interactive jobs preferred", "RANK", slot(), job(InteractiveJob=True), 1),
        ("interactive jobs preferred", "RANK", slot(SlotID=2), job(InteractiveJob=True), 0),
        ("interactive jobs only", "START", slot(), job(), False),
        ("interactive jobs only", "START", slot(), job(InteractiveJob=True), True),
        ("people ranked", "RANK", slot(), job(Owner="garrison"), 10),
        ("one user, and idle", "START", slot(), job(Owner="coltrane"), True),
        ("one user, and idle", "START", slot(), job(), False),
        ("one user, or idle", "START", slot(KeyboardIdle=0), job(), False),
        ("vanilla forms", "WANT_VACATE", slot(), job(), True),
        ("parallel jobs", "START", slot(), job(Scheduler="DedicatedScheduler@full.host.name"), True),
        ("parallel jobs", "SUSPEND", slot(), job(Scheduler="DedicatedScheduler@full.host.name"), False),
    ],
)
def test_examples_do_what_the_manual_says(
    tmp_path: Path, name: str, knob: str, my: ClassAd, target: ClassAd, expected: bool | float
) -> None:
    assert ask(tmp_path, name, knob, my, target) == expected


def test_two_tiers_work_once_the_parenthesis_is_closed(tmp_path: Path) -> None:
    """As printed, an expression of the slot does not parse: the startd says so and does not start on it."""
    text = EXAMPLES["two tiers"]
    cores = int(config_of(tmp_path / "c", "").string("DETECTED_CORES"))
    closed = text.replace('"_State")', '"_State"))')
    policy = Policy(startd(config_of(tmp_path / "c", closed, "STARTD")).types[0].policy)
    attrs = dict(policy.settings.attrs)

    def suspends(my: ClassAd) -> bool | None:
        for name, value in attrs.items():
            my.set_text(name, value)
        return policy.truth("SUSPEND", View(lambda: my, job(IsSuspendableJob=True)))

    assert suspends(slot(SlotID=1)) is False
    assert suspends(slot(SlotID=cores + 1, slot1_State="Claimed")) is True
    assert suspends(slot(SlotID=cores + 1, slot1_State="Unclaimed")) is False


def test_the_missing_parenthesis_of_the_manual_matters_only_where_it_is_used(tmp_path: Path) -> None:
    config = config_of(tmp_path / "c", EXAMPLES["macros"] + "PREEMPT = $(MachineBusy)\n", "STARTD")
    with pytest.raises(ConfigError, match="PREEMPT"):
        Policy(startd(config).types[0].policy)
