"""The control group of a job: its limits, what is counted in it, and what the end of a job says of memory."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from condor_py.daemons.starter import jobfamily
from condor_py.daemons.starter.jobfamily import JobFamily, clear_group, clear_groups, group_name
from condor_py.lang.classad import ClassAd
from condor_py.machine.probes import jobgroup, process
from condor_py.machine.probes.jobgroup import GroupUsage, Limits
from condor_py.model.report import ExitReport, Usage
from condor_py.model.settings.starter import StarterSettings

MB = 1024 * 1024


class Group:
    """A control group that only remembers."""

    def __init__(self) -> None:
        self.directories = ("/group",)
        self.limits_memory = True
        self.hides = False
        self.kills = 0
        self.peak = 0
        self.used = GroupUsage(0.0, 0.0, 0)
        self.pids: set[int] = set()
        self.calls: list[Any] = []
        self.takes_limits = True

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda: self.calls.append(name)

    def thread_files(self) -> tuple[str, ...]:
        return ()

    def limit(self, limits: Limits) -> bool:
        self.calls.append(limits)
        return self.takes_limits

    def members(self) -> set[int]:
        return self.pids

    def usage(self) -> GroupUsage:
        return self.used

    def cpu(self) -> tuple[float, float]:
        return self.used.user_cpu, self.used.sys_cpu

    def oom_kills(self) -> int:
        return self.kills

    def peak_kb(self) -> int:
        return self.peak


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> Group:
    made = Group()

    def create(base: str, name: str, **more: Any) -> Group:
        made.calls.append((base, name, more))
        return made

    monkeypatch.setattr(jobgroup, "create", create)
    return made


def family(slot: str = "Memory = 100; Cpus = 2", **settings: Any) -> JobFamily:
    return JobFamily(StarterSettings("/execute/of_us", **settings), "slot1_2@here", ClassAd(f"[{slot}]"))


def job(text: str = "") -> ClassAd:
    return ClassAd(f"[JobUniverse = 5; {text}]")


def limits_of(group: Group) -> list[Limits]:
    return [call for call in group.calls if isinstance(call, Limits)]


def test_groups_are_named_after_execute_slot_and_starter(group: Group) -> None:
    family(cgroup_ignore_cache_memory=False)
    assert group.calls == [
        ("htcondor", f"_execute_of__us_slot1_2@here.{os.getpid()}", {"cache": True, "hidden": ()}),
    ]
    assert group_name("/a_b", "slot1@x", 7) == "_a__b_slot1@x.7"
    group.calls.clear()
    assert not family(base_cgroup="").grouped
    assert family().grouped
    assert family().counts_ended
    assert not family(base_cgroup="").counts_ended
    assert [call[2]["cache"] for call in group.calls if isinstance(call, tuple)] == [False, False]


@pytest.mark.parametrize(
    ("slot", "settings", "text", "limits"),
    [
        ("", {}, "", Limits(100 * MB, 0, 0, False, 2, 6144)),
        ("", {"disable_swap_for_job": False}, "", Limits(100 * MB, 0, 0, True, 2, 6144)),
        ("", {"cgroup_memory_limit_policy": "soft"}, "", Limits(0, 100 * MB, 0, False, 2, 6144)),
        ("", {"cgroup_memory_limit_policy": "none"}, "", Limits(0, 0, 0, False, 2, 6144)),
        ("", {"cgroup_low_memory_limit": "7"}, "", Limits(100 * MB, 0, 7 * MB, False, 2, 6144)),
        ("", {"cgroup_low_memory_limit": "TARGET.Low"}, "Low = 3.7", Limits(100 * MB, 0, 3 * MB, False, 2, 6144)),
        ("", {"cgroup_low_memory_limit": "true"}, "", Limits(100 * MB, 0, 0, False, 2, 6144)),
        ("", {"cgroup_pids_limit_expr": ""}, "", Limits(100 * MB, 0, 0, False, 2, 0)),
        ("", {"cgroup_pids_limit_expr": "0 - 5"}, "", Limits(100 * MB, 0, 0, False, 2, 0)),
        ("", {"cgroup_pids_limit_expr": "Memory + 1"}, "", Limits(100 * MB, 0, 0, False, 2, 101)),
        ("Cpus = 0.5", {"cgroup_pids_limit_expr": "5"}, "", Limits(0, 0, 0, False, 1, 5)),
        ("Memory = 9", {"cgroup_pids_limit_expr": "5"}, "", Limits(9 * MB, 0, 0, False, 1, 5)),
        ("Memory = 9; Cpus = 3.9", {"cgroup_pids_limit_expr": "5"}, "", Limits(9 * MB, 0, 0, False, 3, 5)),
        (
            "",
            {
                "cgroup_memory_limit_policy": "custom",
                "cgroup_hard_memory_limit_expr": "Memory * 2 + TARGET.More",
                "cgroup_soft_memory_limit_expr": "50",
            },
            "More = 1",
            Limits(201 * MB, 50 * MB, 0, False, 2, 6144),
        ),
        ("", {"cgroup_memory_limit_policy": "custom"}, "", Limits(0, 0, 0, False, 2, 6144)),
    ],
)
def test_limits_are_those_of_slot_and_configuration(
    group: Group, slot: str, settings: dict[str, Any], text: str, limits: Limits
) -> None:
    made = family(slot or "Memory = 100; Cpus = 2", **settings)
    made.prepare(job(text))
    assert limits_of(group) == [limits]
    assert group.calls[-1] == "begin"


def test_a_virtual_machine_has_its_program_beside_its_memory(group: Group) -> None:
    made = family()
    made.prepare(ClassAd("[JobUniverse = 13]"))
    overhead = StarterSettings().virtual.overhead
    assert overhead > 0
    assert limits_of(group)[0].hard == (100 + overhead) * MB
    made.prepare(job())
    assert limits_of(group)[1].hard == 100 * MB


PLAIN = {"cgroup_pids_limit_expr": "5"}


def test_limits_are_set_again_only_where_a_job_may_change_them(group: Group) -> None:
    made = family(cgroup_pids_limit_expr="")
    made.prepare(job())
    made.prepare(job())
    assert len(limits_of(group)) == 1
    custom = {"cgroup_memory_limit_policy": "custom", "cgroup_hard_memory_limit_expr": "TARGET.N", **PLAIN}
    for settings in ({"cgroup_pids_limit_expr": "TARGET.N"}, {**PLAIN, "cgroup_low_memory_limit": "TARGET.N"}, custom):
        group.calls.clear()
        made = family(**settings)
        for number in (1, 1, 2):
            made.prepare(job(f"N = {number}"))
        assert len(limits_of(group)) == 2, settings


def test_a_group_that_takes_no_limit_runs_no_job(group: Group) -> None:
    group.takes_limits = False
    with pytest.raises(OSError, match="the limit of memory cannot be set"):
        family().prepare(job())


@pytest.mark.parametrize(
    ("settings", "within"),
    [
        ({}, (0, 0)),
        ({"job_renice_increment": "7"}, (7, 0)),
        ({"job_renice_increment": "Wish + 1"}, (4, 0)),
        ({"job_renice_increment": "30"}, (19, 0)),
        ({"job_renice_increment": "0 - 3"}, (0, 0)),
        ({"job_renice_increment": "nothing"}, (10, 0)),
        ({"rlimit_as_expr": "5"}, (0, 5 * MB)),
        ({"rlimit_as_expr": "-5"}, (0, 0)),
        ({"rlimit_as_expr": "MY.Memory * 2 + TARGET.Wish"}, (0, 203 * MB)),
        ({"rlimit_as_expr": "nothing"}, (0, 0)),
        ({"rlimit_as_expr": "1e30"}, (0, 2**63 - MB)),
    ],
)
def test_niceness_and_address_space(settings: dict[str, Any], within: tuple[int, int]) -> None:
    found = family(base_cgroup="", **settings).within(job("Wish = 3"))
    assert (found.niceness, found.address_space, found.door) == (*within, None)


def test_the_group_counts_what_has_ended(group: Group) -> None:
    made = family()
    group.used = GroupUsage(5e6, 6e6, 0)
    mine = made.usage([os.getpid()])
    assert (mine.user_cpu, mine.sys_cpu) == (5e6, 6e6)
    assert mine.rss_kb > 1000
    group.used = GroupUsage(0.0, 0.0, 77)
    mine = made.usage([os.getpid()])
    assert mine.rss_kb == 77
    assert mine.user_cpu > 0
    assert made.uncounted((1.0, 0.0)) == (0.0, 0.0)
    group.used = GroupUsage(5e6, 6e6, 0)
    assert made.uncounted((1e6, 7e6)) == (4e6, 0.0)
    assert made.uncounted((1e6, 2e6)) == (4e6, 4e6)
    assert family(base_cgroup="").uncounted((1.0, 7.0)) == (0.0, 0.0)


REPORT = ExitReport("claim", "7.3", 1, usage=Usage(max_rss_kb=95 * 1024))
SMALL = ExitReport("claim", "7.3", 1, usage=Usage(max_rss_kb=50 * 1024))
EDGE = ExitReport("claim", "7.3", 1, usage=Usage(max_rss_kb=90 * 1024))
NOTHING = ExitReport("claim", "7.3", 1)


def _over(used: int) -> str:
    return (
        f"Job has gone over cgroup memory limit of 100 megabytes. Last measured usage: {used} megabytes.  "
        "Consider resubmitting with a higher request_memory."
    )


@pytest.mark.parametrize(
    ("settings", "report", "hold"),
    [
        ({}, REPORT, (34, 102, _over(100), "")),
        ({"always_hold_on_oom": False}, REPORT, (34, 102, _over(95), "")),
        ({"always_hold_on_oom": False}, EDGE, (34, 102, _over(90), "")),
        ({"always_hold_on_oom": False}, SMALL, (0, 0, "", "Worker node is out of memory")),
        ({"always_hold_on_oom": False}, NOTHING, (0, 0, "", "Worker node is out of memory")),
        (
            {"always_hold_on_oom": False, "cgroup_memory_limit_policy": "none"},
            SMALL,
            (34, 102, "Job has encountered an out-of-memory event.", ""),
        ),
        ({"cgroup_memory_limit_policy": "none"}, SMALL, (34, 102, "Job has encountered an out-of-memory event.", "")),
    ],
)
def test_a_job_that_the_kernel_killed_for_memory_is_held_or_runs_elsewhere(
    group: Group, settings: dict[str, Any], report: ExitReport, hold: tuple[int, int, str, str]
) -> None:
    made = family(**settings)
    assert made.judge(report) == report, "no job was prepared"
    made.prepare(job())
    assert made.judge(report) == report
    assert not made.too_big()
    group.kills = 1
    judged = made.judge(report)
    assert (judged.hold_code, judged.hold_subcode, judged.hold_reason, judged.error) == hold
    assert made.too_big() is (settings.get("cgroup_memory_limit_policy") != "none")
    if made.too_big():
        group.kills = 0
        assert made.judge(report) == judged, "it was seen"
        made.prepare(job())
        assert not made.too_big()
        assert made.judge(report) == report, "the next job has used nothing yet"


def test_where_the_kernel_keeps_no_limit_what_is_seen_counts(group: Group) -> None:
    group.limits_memory = False
    group.pids = {os.getpid()}
    seen = process.usage([os.getpid()]).rss_kb // 1024
    for memory, over in ((seen + 1000, False), (seen - 32, False), (0, False), (1, seen > 65)):
        made = family(f"Memory = {memory}")
        made.prepare(job())
        assert made.too_big() is over, memory


def test_the_peak_that_the_kernel_saw_counts_if_that_is_wanted(group: Group) -> None:
    group.peak = 99 * 1024
    for wanted, peak in ((False, 95), (True, 99)):
        group.calls.clear()
        made = family(cgroup_use_peak_memory=wanted)
        made.prepare(job())
        assert ("begin_peak" in group.calls) is wanted
        made.uncounted((0.0, 0.0))
        assert made.judge(REPORT).usage.max_rss_kb == peak * 1024
    made.prepare(job())
    assert made.judge(REPORT) == REPORT, "the next job has its own"
    group.peak = 1
    made.uncounted((0.0, 0.0))
    assert made.judge(REPORT) == REPORT


def test_processes_of_a_job_are_those_below_its_program_and_those_of_the_group(group: Group) -> None:
    with subprocess.Popen(["sleep", "1000"]) as one, subprocess.Popen(["sleep", "1000"]) as two:
        try:
            made = family()
            assert {one.pid, two.pid} <= made.descendants(os.getpid())
            made.helpers.add(two.pid)
            assert two.pid not in made.descendants(os.getpid())
            assert made.descendants(one.pid) == set()
            group.pids = {one.pid, 2**22 + 1}
            assert made.descendants(one.pid) == {one.pid}
            assert made.kill_family(lambda: [two.pid] if process.alive(two.pid) else []) == set()
            assert group.calls[-1] == "kill"
            one.kill()
        finally:
            one.kill()
            two.kill()


def test_a_job_that_goes_on_is_counted_from_now_on_and_its_group_goes_with_the_starter(group: Group) -> None:
    made = family()
    for act, called in ((made.again, "begin"), (made.join, "join"), (made.close, "clear")):
        group.calls.clear()
        act()
        assert group.calls == [called]
    plain = family(base_cgroup="")
    group.calls.clear()
    for act in (plain.again, plain.join, plain.close, lambda: plain.prepare(job())):
        act()
    assert group.calls == []
    assert not plain.too_big()


@pytest.mark.parametrize(
    ("slot", "asked", "hidden"),
    [
        ('AssignedGPUs = "GPU-1"; GPUs_GPU_1 = [DeviceUuid = "u1"]', ["GPU-u1"], True),
        ('AssignedGPUs = "GPU-1, GPU-2"; GPUs_GPU_1 = [DeviceUuid = "u1"]', None, False),
        ("Cpus = 1", [], True),
    ],
)
def test_devices_of_other_slots_are_hidden(
    group: Group, monkeypatch: pytest.MonkeyPatch, slot: str, asked: list[str] | None, hidden: bool
) -> None:
    seen: list[list[str]] = []

    def others(uuids: Any) -> tuple[tuple[int, int], ...]:
        seen.append(list(uuids))
        return ((195, 1),)

    monkeypatch.setattr("condor_py.daemons.starter.jobfamily.others", others)
    warning = "there is no control of devices here: the job may open GPUs of other slots"
    made = family(slot)
    assert seen == ([] if asked is None else [asked])
    assert made.warning == (warning if hidden else "")
    group.hides = True
    assert family(slot).warning == ""
    group.hides = False
    assert family(slot, starter_hide_gpu_devices=False).warning == ""
    assert family(slot, base_cgroup="").warning == made.warning


def test_groups_that_dead_starters_left_are_cleared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cleared: list[str] = []

    class Left:
        def __init__(self, name: str) -> None:
            self.directories = (f"/cgroup/htcondor/{name}",)

        def clear(self) -> None:
            cleared.append(os.path.basename(self.directories[0]))

    names = ["_e_slot1@here.12", "_e_slot1@here.123", "_e_slot1_4@here.5", "_e_other_slot1@here.5", "_e_junk"]
    monkeypatch.setattr(
        jobgroup, "left_over", lambda base, prefix: [Left(name) for name in names if name.startswith(prefix)]
    )
    clear_groups(StarterSettings("/e"))
    assert cleared == ["_e_slot1@here.12", "_e_slot1@here.123", "_e_slot1_4@here.5"]
    cleared.clear()
    clear_group(StarterSettings("/e"), "slot1@here", 12)
    assert cleared == ["_e_slot1@here.12"]


def test_processes_that_dead_starters_tracked_by_a_group_are_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    cleared: list[tuple[int, int]] = []
    monkeypatch.setattr(jobgroup, "left_over", lambda base, prefix: [])
    monkeypatch.setattr(jobfamily, "clear_tracked", lambda lowest, highest: cleared.append((lowest, highest)))
    clear_groups(StarterSettings("/e"))
    clear_groups(StarterSettings("/e", tracking_gids=(700, 710)))
    assert cleared == [(0, 0), (700, 710)]


def test_without_tracking_groups_no_process_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(process, "with_groups", lambda lowest, highest: asked.append((lowest, highest)) or {5})
    monkeypatch.setattr(process, "kill_family", lambda find: set(find()))
    assert (jobfamily.clear_tracked(0, 0), asked) == (set(), [])
    assert (jobfamily.clear_tracked(700, 710), asked) == ({5}, [(700, 710)])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives processes groups")
def test_what_a_job_left_in_its_tracking_group_ends_with_the_starter() -> None:
    gid = 60000 + os.getpid() % 5000
    made = JobFamily(StarterSettings("/e", base_cgroup=""), "slot1@here", ClassAd(), gid)
    with subprocess.Popen(["sleep", "1000"], extra_groups=[gid]) as left:
        made.close()
        assert left.wait(60) == -9
