"""What root asks for to isolate jobs, on a machine that does not let root do it, is told and not offered."""

from __future__ import annotations

from functools import partial

import pytest

from condor_py.daemons.startd import abilities as isolation
from condor_py.machine.run.means import Means
from condor_py.model.settings.startd import StartdSettings
from condor_py.model.settings.starter import ScratchVolume, StarterSettings

_ALL = StarterSettings(
    execute="/x", use_pid_namespaces=True, no_job_networking=True, mount_under_scratch="/tmp",
    scratch_volume=ScratchVolume(),
)  # fmt: skip


def told(starter: StarterSettings, monkeypatch: pytest.MonkeyPatch, **able: bool) -> tuple[set[str], bool, list[str]]:
    """The knobs that the slots show as missing, whether jobs have a network, and the lines of the log."""
    for name in ("may_mount", "may_make_volumes", "quick"):
        monkeypatch.setattr(isolation, name, partial(able.get, name, True))
    mounts = able.get("may_mount", True)
    monkeypatch.setattr(isolation, "means", lambda: Means(mounts, mounts and able.get("quick", True), mounts))
    lines: list[str] = []
    knobs = isolation.with_isolation(StartdSettings(job_networking=False), starter, lines.append)
    return set(knobs.missing_isolation), knobs.job_networking, lines


def test_nothing_is_missing_where_root_can(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(_ALL, monkeypatch) == (set(), False, [])


def test_a_root_that_may_not_mount_isolates_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    missing, networking, lines = told(_ALL, monkeypatch, may_mount=False)
    assert missing == {
        "USE_PID_NAMESPACES", "NO_JOB_NETWORKING", "MOUNT_UNDER_SCRATCH", "STARTD_ENFORCE_DISK_LIMITS"
    }  # fmt: skip
    assert networking
    assert len(lines) == 4
    assert told(StarterSettings(execute="/x"), monkeypatch, may_mount=False) == (set(), False, [])


@pytest.mark.parametrize(
    ("lacking", "knob", "word"),
    [
        ("quick", "USE_PID_NAMESPACES", "the C module"),
        ("may_make_volumes", "STARTD_ENFORCE_DISK_LIMITS", "no loop devices"),
    ],
)
@pytest.mark.promise("S70")
def test_what_it_takes_is_named(lacking: str, knob: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    missing, _, lines = told(_ALL, monkeypatch, **{lacking: False})
    assert missing == {knob}
    assert lines[0].startswith(f"WARNING: {knob} is set, but")
    assert word in lines[0]


def test_knobs_that_contradict_each_other_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    starter = StarterSettings(execute="/x", use_pid_namespaces=True, per_job_namespaces=False)
    missing, _, lines = told(starter, monkeypatch)
    assert missing == {"USE_PID_NAMESPACES"}
    assert "PER_JOB_NAMESPACES" in lines[0]
