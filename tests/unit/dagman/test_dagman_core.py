"""The core of DAGMan: what a running DAG does next."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from dag_world import Killed, World

from condor_py.core.dag import actions as a
from condor_py.core.dag import ending as listing
from condor_py.core.dag import rescue
from condor_py.core.dag.figures import job_ad, table
from condor_py.core.dag.rescue import progress_text, rescue_header
from condor_py.core.dag.run import Run
from condor_py.core.dag.states import DagStatus, NodeState
from condor_py.model.settings.dagman import DagmanSettings, ThrottleSettings

DIAMOND = "JOB A x\nJOB B x\nJOB C x\nJOB D x\nPARENT A CHILD B C\nPARENT B C CHILD D\n"


def failing(*names: str, times: int = 1000, code: int = 1) -> Callable[[str, int], int]:
    return lambda name, run: code if name in names and run < times else 0


def limits(**some: int) -> DagmanSettings:
    return DagmanSettings(throttles=ThrottleSettings(**some))


def test_every_node_runs_once_and_after_its_parents() -> None:
    world = World(DIAMOND)
    assert world.go() == 0
    assert dict(world.runs) == dict.fromkeys("ABCD", 1)
    submits = [event.name for event in world.log if event.number == 0]
    assert submits == ["A", "B", "C", "D"]
    assert world.said[-7] == "All jobs Completed!"
    assert not world.rescues


@pytest.mark.parametrize("recovers", [False, True])
def test_events_that_the_log_has_twice_count_once(monkeypatch: pytest.MonkeyPatch, recovers: bool) -> None:
    """As after a disk that wrote an event and said that it had not."""
    take = Run.job_event

    def take_twice(run: Run, event: a.JobEvent, now: int) -> None:
        take(run, event, now)
        take(run, event, now)

    monkeypatch.setattr(Run, "job_event", take_twice)
    world = World(DIAMOND, jobs_of=lambda name: 2)
    world.go(until=lambda: len(world.in_queue) == 2)
    assert (world.recover() if recovers else world.on()) == 0
    assert dict(world.runs) == dict.fromkeys("ABCD", 1)
    assert world.run.progress.counts.jobs_submitted == 8


def test_a_failed_node_makes_what_hangs_on_it_futile() -> None:
    world = World(DIAMOND, failing("B"))
    assert world.go() == 1
    assert (world.rescues, world.run.progress.course.status) == (1, DagStatus.NODE_FAILED)
    assert world.states()["D"] == NodeState.FUTILE
    progress = world.run.progress
    counts = progress.counts
    assert (counts.done, counts.failed, counts.futile, progress.unready_count) == (2, 1, 1, 0)
    assert progress.results.errors[1] == "Job proc (2.0.0) failed with status 1"
    assert progress.results.errors[3] == "Had an ancestor node fail"
    text = progress_text(rescue_header("t.dag"), progress.dag, 0, progress.states.raw())
    assert text.split("\n")[2:] == [
        "# Created 1/1/1970 00:00:00 UTC", "# Rescue DAG version: 2.1.0", "#", "# Total number of Nodes: 4",
        "# Nodes premarked DONE: 2", "# Nodes that failed: 1", "#   B,<ENDLIST>", "", "DONE A", "DONE C", "",
    ]  # fmt: skip


def test_weak_children_of_a_failed_node_run() -> None:
    text = "JOB A x\nJOB B x\nJOB C x\nJOB D x\n"
    world = World(text + "WEAK PARENT A CHILD B\nPARENT A CHILD C\nWEAK PARENT C CHILD D\n", failing("A"))
    assert world.go() == 1
    assert {name: state.name for name, state in world.states().items()} == {
        "A": "ERROR", "B": "DONE", "C": "FUTILE", "D": "FUTILE",
    }  # fmt: skip


def test_retries_end_with_success_or_with_their_number() -> None:
    world = World("JOB A x\nRETRY A 3\n", failing("A", times=2))
    assert (world.go(), world.runs["A"]) == (0, 3)
    world = World("JOB A x\nRETRY A 3\n", failing("A"))
    assert (world.go(), world.runs["A"]) == (1, 4)
    assert world.run.progress.results.errors[0].endswith("(after 3 node retries)")


def test_unless_exit_ends_retries() -> None:
    world = World("JOB A x\nRETRY A 3 UNLESS-EXIT 2\n", failing("A", code=2))
    assert (world.go(), world.runs["A"]) == (1, 1)
    assert "Aborting further retries of node A (last attempt returned 2)" in world.said


@pytest.mark.parametrize(("returns", "code", "status"), [("", 5, 3), (" RETURN 0", 0, 0), (" RETURN 9", 9, 3)])
def test_abort_dag_on(returns: str, code: int, status: int) -> None:
    world = World(f"JOB A x\nJOB B x\nABORT-DAG-ON A 5{returns}\n", failing("A", code=5))
    assert world.go() == code
    assert world.run.progress.course.status == status
    assert world.removed == ["DAG Abort: DAG is exiting and writing rescue file."]
    assert world.rescues == (1 if code else 0)


def test_scripts_run_around_the_job_and_know_of_it() -> None:
    text = "JOB A x\nSCRIPT PRE A pre $NODE $RETRY $MAX_RETRIES\nRETRY A 1\n"
    text += "SCRIPT POST A post $job $RETURN $JOBID $SUCCESS\n"
    world = World(text, failing("A", code=3))
    assert world.go() == 0  # the POST script succeeds, so the node does
    assert world.commands == [
        ("A", "PRE", ("pre", "A", "0", "1")),
        ("A", "POST", ("post", "A", "3", "1.0", "False")),
    ]
    assert [event.number for event in world.log] == [0, 1, 5, 16]


def test_a_failed_post_script_is_a_failed_node() -> None:
    world = World("JOB A x\nJOB B x\nPARENT A CHILD B\nSCRIPT POST A post\nRETRY A 2\n",
                  scripts=lambda name, kind, run: 4)  # fmt: skip
    assert (world.go(), world.runs["A"], world.runs["B"]) == (1, 3, 0)
    wanted = "Job failed due to DAGMAN error 0 and POST Script failed with status 4 (after 2 node retries)"
    assert world.run.progress.results.errors[0] == wanted


def test_a_failed_pre_script_keeps_the_job_from_running() -> None:
    world = World("JOB A x\nSCRIPT PRE A pre\nSCRIPT POST A post\nRETRY A 1\n", scripts=lambda name, kind, run: 1)
    assert (world.go(), world.runs["A"]) == (1, 0)
    assert world.script_runs == {("A", "PRE"): 2}


def test_always_run_post() -> None:
    world = World("JOB A x\nSCRIPT PRE A pre\nSCRIPT POST A post $PRE_SCRIPT_RETURN $RETURN\n", always_post=True,
                  scripts=lambda name, kind, run: 6 if kind == "PRE" else 0)  # fmt: skip
    assert (world.go(), world.runs["A"]) == (0, 0)
    assert world.commands[1] == ("A", "POST", ("post", "6", "-1004"))


def test_pre_skip_skips_the_job() -> None:
    world = World("JOB A x\nJOB B x\nPARENT A CHILD B\nSCRIPT PRE A pre\nPRE_SKIP A 6\n",
                  scripts=lambda name, kind, run: 6)  # fmt: skip
    assert (world.go(), world.runs["A"], world.runs["B"]) == (0, 0, 1)
    assert world.run.progress.counts.prerun == 0


def test_a_deferred_script_runs_again_later() -> None:
    world = World("JOB A x\nSCRIPT DEFER 4 60 PRE A pre\n", scripts=lambda name, kind, run: 4 if run == 0 else 0)
    start = world.now
    assert world.go(until=lambda: world.run.wake_at() is not None) == -1
    assert world.run.wake_at() == world.now - 1 + 60 or world.run.wake_at() >= start + 60
    assert world.on() == 0
    assert world.now >= start + 60


def test_a_macro_that_is_none_ends_the_dag() -> None:
    world = World("JOB A x\nSCRIPT POST A post $NOSUCH\n")
    assert world.go() == 1
    assert "Warning: unrecognized macro $NOSUCH in node A POST script arguments" in world.said
    lenient = DagmanSettings().changed(language=DagmanSettings().language.changed(strict=0))
    assert World("JOB A x\nSCRIPT POST A post $NOSUCH\n", settings=lenient).go() == 0


def many(count: int, more: str = "") -> str:
    return "".join(f"JOB n{i} x\n" for i in range(count)) + more


def test_limits_of_nodes_and_categories() -> None:
    world = World(many(20), settings=limits(max_jobs=3))
    assert (world.go(), world.most_in_queue) == (0, 3)
    world = World(many(20, "".join(f"CATEGORY n{i} c\n" for i in range(20)) + "MAXJOBS c 2\n"))
    assert (world.go(), world.most_in_queue) == (0, 2)
    assert world.run.progress.counts.deferred_by_category > 0
    world = World(many(20), settings=limits(max_idle=4))
    assert (world.go(), world.most_in_queue) == (0, 4)


def test_limits_of_scripts() -> None:
    world = World(many(9, "SCRIPT PRE ALL_NODES p\n"), settings=limits(max_pre=2))
    world.run.begin(world.now)
    world.do()
    assert len(world.commands) == 2
    assert world.on() == 0
    assert world.script_runs["n8", "PRE"] == 1


def test_priorities_go_first_and_the_longest_ready_next() -> None:
    world = World(many(4, "PRIORITY n2 5\nPRIORITY n3 -1\n"), settings=limits(max_submits_per_interval=1))
    assert world.go() == 0
    assert [event.name for event in world.log if event.number == 0] == ["n2", "n0", "n1", "n3"]


def test_depth_first() -> None:
    settings = limits(max_jobs=1).changed(submit_depth_first=True)
    world = World("JOB A x\nJOB B x\nJOB A1 x\nJOB B1 x\nPARENT A CHILD A1\nPARENT B CHILD B1\n", settings=settings)
    assert world.go() == 0
    assert [event.name for event in world.log if event.number == 0] == ["B", "B1", "A", "A1"]


def test_a_submit_that_fails_is_tried_again_after_a_growing_time() -> None:
    world = World("JOB A x\nJOB B x\n")
    world.refused = {"A": 3}
    start = world.now
    assert world.go() == 0
    assert world.now - start >= 1 + 2 + 4
    assert dict(world.runs) == {"A": 1, "B": 1}
    assert "Job submit try 3/6 failed, will try again in >= 4 seconds." in world.said


def test_a_submit_that_never_works_fails_the_node_without_retries() -> None:
    world = World("JOB A x\nRETRY A 3\nJOB B x\nPARENT A CHILD B\n")
    world.refused = {"A": 99}
    assert world.go() == 1
    assert "Node submit failed after 6 tries." in world.said
    assert world.states()["B"] == NodeState.FUTILE


def test_the_final_node_runs_at_last_and_decides() -> None:
    world = World(
        "JOB A x\nJOB B x\nPARENT A CHILD B\nFINAL F x\nSCRIPT POST F p $DAG_STATUS $FAILED_COUNT\n", failing("A")
    )
    assert world.go() == 0
    assert (world.rescues, world.runs["F"], world.runs["B"]) == (1, 1, 0)
    assert world.commands == [("F", "POST", ("p", "2", "1"))]
    assert World("JOB A x\nFINAL F x\n", failing("F")).go() == 1
    assert World("JOB A x\nFINAL F x\n").go() == 0


def test_removal_removes_jobs_and_runs_the_final_node() -> None:
    world = World("JOB A x\nJOB B x\n")
    world.go(until=lambda: len(world.in_queue) == 2)
    world.run.removed()
    world.do()
    assert world.code == 2
    assert world.removed == ["DAG Removed: User removed scheduler job from queue."]
    world = World("JOB A x\nFINAL F x\n")
    world.go(until=lambda: bool(world.in_queue))
    world.run.removed()
    world.do()
    assert world.code is None
    world.on()
    assert world.runs["F"] == 1


def test_a_halted_dag_lets_jobs_and_post_scripts_end() -> None:
    world = World("JOB A x\nJOB B x\nPARENT A CHILD B\nSCRIPT POST A p\n")
    world.go(until=lambda: bool(world.in_queue))
    world.run.halt()
    assert world.on() == 1
    assert (world.script_runs["A", "POST"], world.runs["B"]) == (1, 0)
    assert world.run.progress.course.status == DagStatus.HALTED


def test_a_resumed_dag_goes_on() -> None:
    world = World("JOB A x\nJOB B x\nPARENT A CHILD B\n")
    world.go(until=lambda: bool(world.in_queue))
    world.run.halt()
    world.run.resume()
    assert world.on() == 0


def test_nodes_wait_for_the_provisioner() -> None:
    world = World("JOB A x\nPROVISIONER P x\n")
    world.go(until=lambda: bool(world.in_queue))
    assert list(world.in_queue.values()) == ["P"]
    world.run.provisioned(world.now)
    assert world.on() == 0
    assert world.runs["A"] == 1
    assert World("JOB A x\nPROVISIONER P x\n").go() == 1


def test_service_nodes_end_with_the_dag_and_do_not_count() -> None:
    world = World("JOB A x\nSERVICE S x\n", failing("S"))
    assert world.go() == 0
    assert world.run.progress.total == 1


def test_a_cycle_is_found_at_the_end() -> None:
    world = World("JOB A x\nJOB B x\nJOB C x\nPARENT A CHILD B\nPARENT B CHILD C\nPARENT C CHILD B\n")
    assert (world.go(), world.runs["A"], world.run.progress.course.status) == (1, 1, DagStatus.CYCLE)
    assert world.said.count("... ERROR: a cycle exists in the dag, please check input") == 1


def test_several_jobs_of_a_node() -> None:
    world = World("JOB A x\nJOB B x\nPARENT A CHILD B\n", jobs_of=lambda name: 3)
    assert (world.go(), world.run.progress.counts.jobs_succeeded) == (0, 6)
    world = World("JOB A x\nTOLERANCE A 100%\n", failing("A"), jobs_of=lambda name: 3)
    assert world.go() == 0
    world = World("JOB A x\n", failing("A"), jobs_of=lambda name: 3)
    assert world.go() == 1
    assert world.removed[0].startswith("Node Error: DAG node A (1.0.0) reached failure tolerance after 1 failures.")


def test_a_hold_script_changes_nothing_else() -> None:
    world = World("JOB A x\nSCRIPT HOLD A h $JOBID\n")
    world.go(until=lambda: bool(world.in_queue))
    world.event(a.JobEvent(12, 1, 0, reason="because"))
    world.event(a.JobEvent(13, 1, 0))
    assert world.on() == 0
    assert world.commands == [("A", "HOLD", ("h", "1.0"))]


def test_a_parallel_job_ends_with_its_proc_0() -> None:
    """The other procs have no submit events; holds and removals are told of each."""
    world = World("JOB A x\n")
    world.go(until=lambda: bool(world.in_queue))
    for number in 12, 13, 9:
        world.event(a.JobEvent(number, 1, 1))
    assert world.run.progress.states[0] == NodeState.SUBMITTED
    assert world.run.progress.counts.held_jobs == 0
    assert world.on() == 0


def test_done_nodes_and_save_points() -> None:
    world = World(DIAMOND.replace("JOB A x", "JOB A x DONE") + "SAVE_POINT_FILE C\n")
    assert (world.go(), world.runs["A"], world.saved) == (0, 0, ["C"])


def test_empty_nodes_run_nowhere() -> None:
    world = World("JOB A x NOOP\nJOB B x\nPARENT A CHILD B\n")
    assert (world.go(), world.runs["A"], world.runs["B"]) == (0, 0, 1)


def random_dag(rng: random.Random) -> str:
    count = rng.randint(2, 9)
    lines = [f"JOB n{i} x{' NOOP' if rng.random() < 0.1 else ''}" for i in range(count)]
    for child in range(1, count):
        for parent in rng.sample(range(child), min(child, rng.randint(0, 2))):
            lines.append(f"{'WEAK ' if rng.random() < 0.2 else ''}PARENT n{parent} CHILD n{child}")
    for node in range(count):
        if rng.random() < 0.3:
            lines.append(f"RETRY n{node} {rng.randint(1, 2)}")
        for kind in ("PRE", "POST"):
            if rng.random() < 0.2:
                lines.append(f"SCRIPT {kind} n{node} s")
        if rng.random() < 0.1:
            lines.append(f"PRE_SKIP n{node} 5")
    if rng.random() < 0.2:
        lines.append("FINAL F x")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(200))
def test_killed_at_any_step_a_dag_runs_every_node_as_often_as_without(seed: int) -> None:
    rng = random.Random(seed)
    text = random_dag(rng)
    bad, bad_before = ({f"n{i}": rng.choice((0, 0, 1, 9)) for i in range(10)} for _ in range(2))
    always_post = rng.random() < 0.3

    def jobs(name: str, run: int) -> int:
        return 1 if run < bad.get(name, 0) else 0

    def scripts(name: str, kind: str, run: int) -> int:
        return (5 if run == 1 else 1) if kind == "PRE" and run < bad_before.get(name, 0) else 0

    whole = World(text, jobs, scripts, always_post=always_post)
    code = whole.go()
    killed = World(text, jobs, scripts, always_post=always_post)
    killed.steps_left = rng.randint(1, 40)
    begin: Callable[[], int] = killed.go
    while True:
        try:
            begin()
            break
        except Killed:
            killed.steps_left = rng.choice((-1, rng.randint(1, 20)))
            killed.code = None
            begin = killed.recover
    assert killed.code == code
    assert killed.runs == whole.runs
    assert {key: count for key, count in killed.script_runs.items() if key[1] == "PRE"} == {
        key: count for key, count in whole.script_runs.items() if key[1] == "PRE"
    }
    assert killed.states() == whole.states()
    counts, wanted = killed.run.progress.counts, whole.run.progress.counts
    assert (counts.done, counts.failed, counts.futile) == (wanted.done, wanted.failed, wanted.futile)
    assert (counts.submitted, counts.idle_jobs, counts.prerun, counts.postrun) == (0, 0, 0, 0)


@pytest.mark.parametrize("scripts", ["", "SCRIPT PRE F p\nSCRIPT POST F p $DAG_STATUS\nSCRIPT POST B p\n"])
@pytest.mark.parametrize("returns", ["", " RETURN 0"])
def test_killed_at_any_step_an_aborted_dag_runs_its_final_node_once(scripts: str, returns: str) -> None:
    text = f"JOB A x\nJOB B x\nJOB C x\nPARENT A CHILD C\nABORT-DAG-ON A 5{returns}\nFINAL F x\n{scripts}"
    for step in range(100):
        world = World(text, failing("A", code=5))
        world.steps_left = step
        try:
            code = world.go()
        except Killed:
            world.steps_left, world.code = -1, None
            code = world.recover()
        assert (step, code, world.runs["F"], world.runs["C"], world.states()["F"]) == (step, 0, 1, 0, NodeState.DONE)
        assert world.run.progress.course.status in ((0, 2) if returns else (3,))
        if world.steps_left > 0:
            return
    raise AssertionError("it takes more steps")


def test_the_figures_of_the_job_ad() -> None:
    world = World("JOB A x\nJOB B x\nJOB C x\nPARENT B CHILD C\n", settings=limits(max_jobs=1), jobs_of=lambda name: 3)
    world.go(until=lambda: bool(world.in_queue))
    world.event(a.JobEvent(1, 1, 0))
    world.event(a.JobEvent(12, 1, 1))
    found = job_ad(world.run.progress)
    wanted = {"Total": 3, "Queued": 1, "Ready": 1, "Unready": 1, "Done": 0}
    assert {name: found[f"DAG_Nodes{name}"] for name in wanted} == wanted
    wanted = {"Submitted": 3, "Idle": 1, "Held": 1, "Running": 1, "Completed": 0}
    assert {name: found[f"DAG_Jobs{name}"] for name in wanted} == wanted
    assert table(world.run.progress)[4] == "    0       0        1       0       1          1        0        0"
    assert found["DAGMan_MaxJobs"] == 1


def test_a_lowered_limit_takes_nodes_out_of_the_queue_and_runs_them_again() -> None:
    settings = DagmanSettings().changed(remove_jobs_after_limit_change=True)
    world = World(many(5), settings=settings)
    world.go(until=lambda: len(world.in_queue) == 5)
    world.run.limit(ThrottleSettings(max_jobs=2))
    world.do()
    assert len(world.in_queue) == 2
    world.most_in_queue = 0
    assert (world.on(), world.most_in_queue) == (0, 2)
    assert dict(world.runs) == {f"n{i}": 1 for i in range(5)}


def test_limits_of_users_stay_below_those_of_the_administrator() -> None:
    caps = ThrottleSettings(max_idle=1000, max_jobs=11, max_pre=20)
    found = ThrottleSettings(max_idle=5, max_jobs=13, max_pre=0).under(caps)
    assert (found.max_idle, found.max_jobs, found.max_pre) == (5, 11, 20)
    assert ThrottleSettings(max_jobs=7).under(ThrottleSettings(0, 0, 0, 0, 0, 0)).max_jobs == 7


def test_rescue_files() -> None:
    assert rescue.rescue_name("t.dag", False, 3) == "t.dag.rescue003"
    assert rescue.rescue_name("t.dag", True, 12) == "t.dag_multi.rescue012"
    assert rescue.rescue_number("t.dag.rescue012", "t.dag", False) == 12
    assert rescue.rescue_number("other", "t.dag", False) == 0
    there = {"t.dag.rescue001", "t.dag.rescue003"}
    gap = ["Warning: Found rescue DAG number 3, but not rescue DAG number 2"]
    assert rescue.last_rescue("t.dag", False, 100, there.__contains__) == (3, gap)
    assert (
        rescue.last_rescue("t.dag", False, 3, there.__contains__)[1][1] == "Warning: Hit maximum rescue DAG number: 3"
    )
    assert rescue.save_point_name("d/t.dag", "A.save", "/home") == "/home/d/save_files/A.save"
    assert rescue.save_point_name("t.dag", "./A.save", "/home") == "./A.save"


def test_a_rescue_file_may_keep_retries_and_passes_over_weakly_failed_nodes() -> None:
    text = "JOB A x\nJOB B x\nRETRY A 3 UNLESS-EXIT 7\nWEAK PARENT A CHILD B\n"
    world = World(text, failing("A"))
    world.go()
    progress = world.run.progress
    states, retries = progress.states.raw(), progress.tries.retries
    lines = progress_text(rescue_header("t.dag"), progress.dag, 0, states, retries).split("\n")
    assert lines[10:] == [
        "# Failed node with only weak child dependencies:", "DONE A", "# 3 of 3 retries already performed; 0 remaining",
        "RETRY A 0 UNLESS-EXIT 7", "DONE B", "",
    ]  # fmt: skip


def test_recovery_infers_failures_that_no_event_tells_of() -> None:
    """A weak child ran, so the PRE script of its parent had failed for good."""
    world = World("JOB A x\nJOB B x\nJOB C x\nWEAK PARENT A CHILD B\nPARENT A CHILD C\nSCRIPT PRE A p\n",
                  scripts=lambda name, kind, run: 1)  # fmt: skip
    world.go(until=lambda: bool(world.in_queue))
    assert world.recover() == 1
    assert dict(world.runs) == {"B": 1}
    assert {name: state.name for name, state in world.states().items()} == {"A": "ERROR", "B": "DONE", "C": "FUTILE"}
    assert world.script_runs["A", "PRE"] == 1


def test_a_submit_delay_spreads_submits_over_time() -> None:
    world = World(many(3), settings=DagmanSettings().changed(submit_delay=100))
    world.run.begin(world.now)
    world.run.turn(1000)
    world.do()
    assert len(world.in_queue) == 1
    assert world.run.wake_at() == 1100
    world.run.turn(1099)
    world.do()
    assert len(world.in_queue) == 1
    world.run.turn(1100)
    world.do()
    assert len(world.in_queue) == 2


def test_a_node_whose_jobs_are_nowhere_breaks_the_dag_off_with_a_rescue_file() -> None:
    world = World(DIAMOND)
    world.go(until=lambda: "B" in world.in_queue.values())
    world.run.lost([world.run.progress.dag.numbers["B"]])
    world.do()
    assert (world.code, world.rescues, world.run.progress.course.status) == (1, 1, DagStatus.ERROR)
    assert any(line.startswith("ERROR: DAGMan lost track of node B (ClusterId=2).") for line in world.said)


def test_a_node_within_its_tolerance_is_done_and_a_failure_for_the_jobstate_log() -> None:
    world = World("JOB A x\nTOLERANCE A 2\n", failing("A"), jobs_of=lambda name: 2)
    assert world.go() == 0
    assert world.noted == ["JOB_FAILURE"]


def test_the_list_of_failed_nodes() -> None:
    world = World(DIAMOND + "SCRIPT PRE B p $NODE\nRETRY B 1\n", failing("B"))
    world.go()
    begin = world.said.index("---------------------- Node ----------------------")
    assert world.said[begin : begin + 12] == [
        "---------------------- Node ----------------------", "      Node Name: B", "           Noop: false",
        "         NodeID: 1", "    Node Status: STATUS_ERROR    ", "Node return val: 1",
        "          Error: Job proc (4.0.0) failed with status 1 (after 1 node retries)", "Job Submit File: x",
        "     PRE Script: p $NODE", "          Retry: 1", " HTCondor Job ID: (4.0.0)",
        "PARENTS: A WAITING: 0 CHILDREN: D",
    ]  # fmt: skip


def test_the_list_of_exit_codes_has_a_place_for_jobs_that_were_removed() -> None:
    world = World("JOB A x\nSCRIPT POST A p $EXIT_CODE_LIST $EXIT_CODES\n", jobs_of=lambda name: 3)
    world.go(until=lambda: bool(world.in_queue))
    world.in_queue.clear()
    for event in (a.JobEvent(5, 1, 0, code=2), a.JobEvent(9, 1, 1), a.JobEvent(5, 1, 2, code=1)):
        world.event(event)
    world.on(until=lambda: bool(world.commands))
    assert world.commands == [("A", "POST", ("p", "2,,1", "1,2"))]


def test_scripts_know_after_a_restart_how_many_jobs_a_node_has() -> None:
    world = World("JOB A x\nSCRIPT POST A p $JOB_COUNT $JOBID\n", jobs_of=lambda name: 3)
    world.go(until=lambda: bool(world.in_queue))
    world.run = world.new_run()
    assert world.recover() == 0
    assert world.commands == [("A", "POST", ("p", "3", "1.2"))]


def test_of_very_many_failed_nodes_the_first_are_listed() -> None:
    world = World(many(10_002))
    progress = world.run.progress
    for node in range(10_002):
        progress.states.fail(node)
    lines = listing.failed(progress)
    assert sum(line.startswith("      Node Name: ") for line in lines) == 10_000
    assert lines[-2] == "... and more: only the first 10000 are listed"


def test_numbers_of_empty_nodes_go_on_where_they_were_and_a_broken_off_dag_is_known_as_such() -> None:
    world = World("JOB A x NOOP\nJOB B x NOOP\nJOB C x\nABORT-DAG-ON C 1\n", failing("C"))
    world.go()
    assert world.run.progress.course.is_aborted
    world.code = None
    world.run = world.new_run()
    world.run.begin(world.now, recovery=True)
    for event in world.log:
        world.run.job_event(event, world.now)
    assert world.run.progress.jobs.max_noop_id == 2
