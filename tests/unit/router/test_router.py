"""The router's core: a queue in memory, and every action carried out on it as the daemon does it."""

from __future__ import annotations

from typing import Any

import pytest
from router_world import COPY, HERE, NOW, World, routed

from condor_py.core.routes.core import Router
from condor_py.model.ids import JobId
from condor_py.model.settings.router import RouterSettings


def test_a_job_gets_a_copy_and_is_tied_to_it() -> None:
    world = World(HERE)
    job = world.add(1, 'UserLog = "log"; DAGManNodesLog = "nodes"; NumHolds = 2; Owner = "ann"')
    world.poll()
    texts = {
        name: world.text(job, name) for name in ("Managed", "ManagedManager", "RoutedToJobId", "JobStatus", "Extra")
    }
    assert texts == {
        "Managed": '"External"', "ManagedManager": '"jobrouter"', "RoutedToJobId": '"101.0"',
        "JobStatus": "1", "Extra": None,
    }  # fmt: skip
    copy = {
        name: world.text(COPY, name) for name in ("RoutedFromJobId", "RoutedBy", "RouteName", "Extra", "Requirements")
    }
    assert list(copy.values()) == ['"1.0"', '"jobrouter"', '"Here"', "1", "true"]
    for name in ("UserLog", "DAGManNodesLog", "Managed", "GlobalJobId"):
        assert world.text(COPY, name) is None, name
    assert world.text(COPY, "JobUniverse") == "5"
    assert world.text(COPY, "Remote_JobUniverse") == "5"
    assert world.poll() == []


def test_the_job_shows_what_its_copy_does_and_ends_with_it() -> None:
    world = World(HERE)
    job = routed(world)
    world.set(COPY, JobStatus=2, NumJobStarts=1, RemoteUserCpu=3.5, ChirpX=7, JobCurrentStartDate=NOW)
    world.poll()
    assert [world.text(job, name) for name in ("JobStatus", "NumJobStarts", "RemoteUserCpu", "ChirpX")] == [
        "2", "1", "3.5", "7",
    ]  # fmt: skip
    world.set(COPY, JobStatus=1)
    world.poll()
    assert world.text(job, "JobStatus") == "1"
    world.set(COPY, JobStatus=4, ExitCode=3, ExitBySignal="false", CompletionDate=NOW + 50)
    world.poll()
    assert [world.text(job, name) for name in ("JobStatus", "ExitCode", "Managed", "ManagedManager")] == [
        "4", "3", '"ScheddDone"', '""',
    ]  # fmt: skip
    assert world.text(COPY, "LeaveJobInQueue") == "false"
    world.leave(COPY)
    assert world.poll() == []


def test_a_copy_that_is_removed_gives_its_job_back() -> None:
    world = World(HERE, max_jobs=1)
    job = routed(world)
    world.set(COPY, JobStatus=2)
    world.poll()
    world.act(COPY, "remove")
    assert world.poll() == []  # something of it may still run
    world.set(job, WantNot="true")
    world.leave(COPY)
    world.poll(seconds=10)
    assert [world.text(job, name) for name in ("Managed", "JobStatus", "EnteredCurrentStatus")] == [
        '"Schedd"', "1", str(world.now),
    ]  # fmt: skip
    world.poll()
    assert world.text(job, "RoutedToJobId") == '"102.0"', "it is routed again"


def test_holding_the_job_takes_its_copy_away() -> None:
    world = World(HERE)
    job = routed(world)
    world.act(job, "hold")
    world.poll()
    assert world.text(COPY, "JobStatus") == "3"
    assert world.text(job, "Managed") == '"External"', "nothing may start while the copy is on its way out"
    world.leave(COPY)
    world.poll()
    assert [world.text(job, "Managed"), world.text(job, "JobStatus")] == ['"Schedd"', "5"]
    assert world.router.throttles["here"].failed == 0
    world.act(job, "release")
    world.poll()
    assert world.text(job, "RoutedToJobId") == '"102.0"'


def test_a_hold_of_the_copy_is_shown_and_its_release() -> None:
    world = World(HERE)
    job = routed(world)
    world.set(COPY, JobStatus=5, HoldReason='"disk full"', HoldReasonCode=12, HoldReasonSubCode=3)
    world.poll()
    assert [world.text(job, name) for name in ("JobStatus", "HoldReason", "HoldReasonCode", "NumHolds")] == [
        "5", '"disk full"', "12", "1",
    ]  # fmt: skip
    world.act(COPY, "release")
    world.poll()
    assert [world.text(job, name) for name in ("JobStatus", "HoldReason", "HoldCopiedFromTargetJob")] == [
        "1",
        None,
        None,
    ]


def test_releasing_the_job_releases_its_copy() -> None:
    world = World(HERE)
    job = routed(world)
    world.set(COPY, JobStatus=5, HoldReason='"disk full"', HoldReasonCode=12)
    world.poll()
    world.act(job, "release")
    world.poll()
    world.poll()
    assert [world.text(each, "JobStatus") for each in (job, COPY)] == ["1", "1"]


@pytest.mark.parametrize(("release", "status"), [(True, "1"), (False, "5")])
def test_a_hold_of_the_copy_ends_with_the_copy(release: bool, status: str) -> None:
    world = World(HERE, release_on_hold=release)
    job = routed(world)
    world.set(COPY, JobStatus=5, HoldReason='"disk full"', HoldReasonCode=12)
    world.poll()
    world.leave(COPY)
    world.poll()
    assert [world.text(job, "JobStatus"), world.text(job, "HoldCopiedFromTargetJob")] == [status, None]


def test_a_copy_goes_when_its_job_is_removed() -> None:
    world = World(HERE)
    job = routed(world)
    world.leave(job)
    world.poll()
    assert world.text(COPY, "JobStatus") == "3"
    assert world.poll() == []


def test_a_copy_without_its_job_is_found_by_the_next_router() -> None:
    world = World(HERE)
    job = routed(world)
    world.leave(job)
    world.router = Router(world.settings, world, world.now)
    world.poll()
    assert world.text(COPY, "JobStatus") == "3"


def test_the_next_router_goes_on_with_what_it_finds() -> None:
    world = World(HERE)
    job = routed(world)
    world.set(COPY, JobStatus=4, ExitCode=0)
    world.router = Router(world.settings, world, world.now)
    world.poll()
    assert world.text(job, "JobStatus") == "4"


def test_a_route_takes_only_so_many_jobs() -> None:
    world = World(("Few", "UNIVERSE 5\nMaxJobs = 3\nMaxIdleJobs = 2"), HERE)
    for cluster in range(1, 7):
        world.add(cluster)
    world.poll()
    assert [world.router.counts()[name].jobs for name in ("few", "here")] == [2, 4]
    world = World(("Few", "UNIVERSE 5\nMaxJobs = 3\nMaxIdleJobs = 2"))
    jobs = [world.add(cluster) for cluster in range(1, 7)]
    world.poll()
    assert len(world.router.pairs.copies) == 2
    for copy in list(world.router.pairs.copies):
        world.set(copy, JobStatus=2)
    world.poll()
    world.poll()
    assert len(world.router.pairs.copies) == 3
    assert [world.text(job, "Managed") for job in jobs[:4]] == ['"External"'] * 3 + [None]


def test_all_together_are_so_many() -> None:
    world = World(HERE, max_jobs=2)
    for cluster in range(1, 5):
        world.add(cluster)
    world.poll()
    world.poll()
    assert len(world.router.pairs.copies) == 2


def test_routes_in_turn() -> None:
    world = World(("A", "UNIVERSE 5"), ("B", "UNIVERSE 5"), round_robin=True)
    for cluster in range(1, 5):
        world.add(cluster)
    world.poll()
    assert [world.text(JobId(cluster, 0), "RouteName") for cluster in range(101, 105)] == ['"A"', '"B"', '"A"', '"B"']


def test_who_is_routed() -> None:
    rules = "UNIVERSE 5\nREQUIREMENTS Want == 1 && target.ProcId >= 0"
    world = World(("A", rules), constraint='Owner != "bob"', owner="")
    world.add(1, "Want = 1")
    world.add(2)
    world.add(3, 'Want = 1; Owner = "bob"')
    world.add(4, "Want = 1; StageInStart = 3")
    world.add(5, 'Want = 1; Managed = "ScheddDone"')
    world.add(6, 'Want = 1; Managed = "External"; ManagedManager = "Lumberjack"')
    world.add(7, "Want = 1; JobStatus = 5")
    world.poll()
    assert [str(job) for job in sorted(world.router.pairs.sources)] == ["1.0"]
    assert world.router.pairs.copies == {COPY}, "a copy is not routed again"


def test_without_root_only_ones_own_jobs() -> None:
    world = World(HERE, owner="ann")
    world.add(1)
    world.add(2, 'Owner = "bob"')
    world.poll()
    assert world.router.pairs.sources == {JobId(1, 0)}


def test_idle_copies_of_a_route_that_vanished_are_taken_back() -> None:
    world = World(HERE)
    waits, runs = world.add(1), world.add(2)
    world.poll()
    world.set(JobId(102, 0), JobStatus=2)
    world.router.configure(
        RouterSettings(constraint="true", order=("Else",), routes=(("Else", "UNIVERSE 5\nMaxJobs=0"),)), NOW
    )
    world.poll()
    assert [world.text(JobId(cluster, 0), "JobStatus") for cluster in (101, 102)] == ["3", "2"]
    world.leave(COPY)
    world.poll()
    assert [world.text(job, "Managed") for job in (waits, runs)] == ['"Schedd"', '"External"']


def test_a_configuration_that_is_broken_takes_nobody_back() -> None:
    world = World(HERE)
    routed(world)
    world.router.configure(RouterSettings(enabled=False), NOW)
    world.add(2)
    assert world.poll() == []


def test_editing_in_place() -> None:
    world = World(("E", 'EditJobInPlace = Want\nSET Requirements true\nDELETE Want\nSET Owner "root"'))
    job = world.add(1, "Want = true")
    world.poll()
    assert [world.text(job, name) for name in ("Requirements", "Want", "Owner", "Managed")] == [
        "true",
        None,
        '"ann"',
        None,
    ]


def test_a_route_to_nowhere_is_told_once() -> None:
    world = World(("Grid", "SET A 1"))
    world.add(1)
    said = [action.says for _ in range(3) for action in world.poll()]
    assert said == ["(src=1.0,route=Grid): the route sets no GridResource"]
    world.leave(JobId(1, 0))
    world.add(1)
    assert [action.says for action in world.poll()] == said, "of a job that is gone nothing is remembered"
    assert not world.router.pairs.sources


def test_a_route_to_the_grid() -> None:
    world = World(("Grid", 'GridResource = "batch slurm"'))
    world.add(1, 'Out = "_out"; TransferOutputRemaps = "_out=/home/ann/o;x=y"; CurrentHosts = 1')
    world.poll()
    shown = [
        world.text(COPY, name)
        for name in ("JobUniverse", "GridResource", "Out", "TransferOutputRemaps", "CurrentHosts")
    ]
    assert shown == ["9", '"batch slurm"', '"/home/ann/o"', None, None]


def test_failures_slow_a_route_down_and_success_speeds_it_up() -> None:
    world = World(
        (
            "A",
            "UNIVERSE 5\nMaxIdleJobs = 1000\nJobFailureTest = ExitCode != 0\nFailureRateThreshold = 0.01",
        )
    )
    for cluster in range(1, 21):
        world.add(cluster)
    world.poll()
    for copy in list(world.router.pairs.copies):
        world.set(copy, JobStatus=4, ExitCode=1)
    world.poll()
    for cluster in range(30, 60):
        world.add(cluster)
    world.poll(seconds=600)
    throttle = world.router.throttles["a"]
    assert throttle.limit == pytest.approx(600 * 0.01)
    assert throttle.shown == "0.01 jobs/sec"
    assert len(world.router.pairs.sources) == 6
    for copy in list(world.router.pairs.copies):
        world.set(copy, JobStatus=4, ExitCode=0)
    world.poll()
    world.poll(seconds=600)
    assert throttle.limit == pytest.approx(30)


def test_commands_to_a_job_go_to_its_copy() -> None:
    world = World(HERE)
    job = routed(world)
    world.set(COPY, JobStatus=2)
    world.poll()
    world.act(job, "vacate")
    world.poll()
    assert [world.text(job, "RunCommand"), world.text(COPY, "RunCommand")] == [None, '"vacate"']


@pytest.mark.parametrize(("status", "forced"), [("1", "true"), ("2", None)])
def test_a_copy_that_waits_at_a_resource_that_is_away_is_given_up(status: str, forced: str | None) -> None:
    world = World(("Grid", 'GridResource = "batch slurm"'))
    routed(world)
    world.set(COPY, JobStatus=status, GridResourceUnavailableTime=NOW)
    world.act(COPY, "remove")
    world.poll()
    assert world.text(COPY, "JobLeaveForced") == forced
    assert world.poll() == []


def test_jobs_with_nonsense_in_their_ads_do_not_keep_others_here() -> None:
    world = World(HERE)
    nonsense = (
        'Cmd = "a\\nb\\"c"; Iwd = "/x"', "Cmd = {1,2}; Iwd = [a=1]", "Cmd = error; Owner = 5",
        'RouteName = 7; RoutedToJobId = "no.t"', "RoutedToJobId = 9; Managed = 3; ManagedManager = {}",
        'JobUniverse = "x"; GridResource = "condor a\\nb c"', "Requirements = 1/0; HookKeyword = 5",
        'RouterHookKeyword = [x=1]; GridResource = strcat("a", 1/0)',
    )  # fmt: skip
    for cluster, text in enumerate(nonsense, 1):
        world.add(cluster, text)
    last = world.add(50)
    world.poll()
    assert world.text(last, "RoutedToJobId") is not None
    assert world.poll() == []


def _breaks(patch: pytest.MonkeyPatch, step: str, job: JobId) -> None:
    """Let a step of the router fail for one job, in a way that nobody has foreseen."""
    does = getattr(Router, step)

    def fails(router: Router, about: JobId, *words: Any) -> Any:
        if about == job:
            raise RecursionError("too deep")
        return does(router, about, *words)

    patch.setattr(Router, step, fails)


_SAID = "(src=1.0): the job cannot be handled: RecursionError: too deep"


def test_a_job_that_cannot_be_routed_keeps_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(HERE)
    jobs = [world.add(cluster) for cluster in (1, 2)]
    with monkeypatch.context() as broken:
        _breaks(broken, "_routed", jobs[0])
        assert [action.says for action in world.poll() if action.says] == [_SAID]
        assert world.poll() == [], "it is said once"
    assert [world.text(job, "RoutedToJobId") is None for job in jobs] == [True, False]
    world.poll()
    assert world.text(jobs[0], "RoutedToJobId") is not None


def test_a_pair_that_cannot_be_handled_keeps_no_others_and_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the pairs that had changed learnt what became of its copy."""
    world = World(HERE)
    jobs = [world.add(cluster) for cluster in (1, 2)]
    world.poll()
    with monkeypatch.context() as broken:
        _breaks(broken, "_pair", jobs[0])
        for copy in (101, 102):
            world.set(JobId(copy, 0), JobStatus=2)
        assert [action.says for action in world.poll() if action.jobs == (jobs[0],)] == [_SAID]
    assert [world.text(job, "JobStatus") for job in jobs] == ["1", "2"]
    world.poll()
    assert [world.text(job, "JobStatus") for job in jobs] == ["2", "2"]


def test_a_route_gives_no_job_a_name_that_no_submitter_may_have() -> None:
    for place in ("", "\nEditJobInPlace = true"):
        world = World(("A", f'UNIVERSE 5\nSET AccountingGroup "a b"{place}'))
        job = world.add(1)
        [action] = world.poll()
        assert "failed to apply the route: AccountingGroup" in action.says
        assert (world.text(job, "AccountingGroup"), world.text(job, "Managed")) == (None, None)
