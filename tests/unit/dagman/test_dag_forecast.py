"""DAGs in virtual time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from dag_world import dag_of

from condor_py.core.dag.paths import LATENCY, critical_path, longest_wait, moments
from condor_py.lang.dag.graph import Dag
from condor_py.model.settings.dagman import DagmanSettings, ThrottleSettings
from condor_py.simulate.dagruns import DagSimulation, Job, Need, Outcome, Plan, Slot, Stuck

_DIAMOND = "JOB A a\nJOB B a\nJOB C a\nJOB D a\nPARENT A CHILD B C\nPARENT B C CHILD D\n"


def simulated(
    dag: Dag, seconds: dict[str, float], cores: int = 8, settings: DagmanSettings | None = None, **more: Need
) -> Outcome:
    """Run a DAG whose nodes take ``seconds`` (10 each else) and ask for one core (``more`` by name else)."""

    def jobs(node: int) -> list[Job]:
        name = dag.names[node]
        return [Job(more.get(name, Need(1, 100)), seconds.get(name, 10.0))]

    return DagSimulation([Slot(Need(cores, 8000, 1e9))], settings or DagmanSettings()).go(Plan(dag, jobs))


def order(dag: Dag, outcome: Outcome) -> list[str]:
    ran = [node for node in range(len(dag)) if outcome.times.begun[node] >= 0]
    return [dag.names[node] for node in sorted(ran, key=lambda node: outcome.times.begun[node])]


def test_a_diamond_takes_its_longest_path_when_there_is_room() -> None:
    dag = dag_of(_DIAMOND)
    outcome = simulated(dag, {"B": 50.0})
    assert outcome.code == 0
    assert outcome.seconds == pytest.approx(70 + 3 * LATENCY)
    path = critical_path(dag, outcome.times)
    assert [dag.names[node] for node in path.nodes] == ["A", "B", "D"]
    assert path.seconds == pytest.approx(outcome.seconds)
    assert longest_wait(dag, outcome.times) == (-1, 0.0)
    assert (outcome.core_seconds, outcome.most_running) == (80.0, 2)


def test_what_does_not_fit_waits_and_does_not_keep_others_from_starting() -> None:
    dag = dag_of("".join(f"JOB {name} a\n" for name in "ABCD") + "PRIORITY A 2\nPRIORITY B 1\n")
    outcome = simulated(dag, {"A": 30.0}, cores=2, B=Need(2, 100))
    assert order(dag, outcome) == ["A", "C", "D", "B"]  # B needs both cores; C and D use the one beside A meanwhile
    node, waited = longest_wait(dag, outcome.times)
    assert dag.names[node] == "B"
    assert waited == pytest.approx(30 + LATENCY)
    # memory counts as well
    outcome = simulated(dag, {}, cores=8, **dict.fromkeys("ABCD", Need(1, 4000)))
    assert outcome.most_running == 2
    with pytest.raises(Stuck) as stuck:
        simulated(dag, {}, cores=2, C=Need(3, 100))
    assert (stuck.value.node, stuck.value.need.cpus) == ("C", 3)


def test_limits_of_the_dag_count() -> None:
    dag = dag_of("".join(f"JOB N{i} a\n" for i in range(6)) + "".join(f"CATEGORY N{i} x\n" for i in range(3))
                 + "MAXJOBS x 1\n")  # fmt: skip
    assert simulated(dag, {}).seconds == pytest.approx(30 + 3 * LATENCY)
    narrow = DagmanSettings(throttles=ThrottleSettings(max_jobs=2))
    dag = dag_of("".join(f"JOB N{i} a\n" for i in range(6)))
    outcome = simulated(dag, {}, settings=narrow)
    assert (outcome.most_running, outcome.seconds) == (2, pytest.approx(30 + 3 * LATENCY))


def test_scripts_empty_final_service_provisioner_and_done_nodes_come_to_their_end() -> None:
    dag = dag_of(
        "JOB A a\nJOB B a NOOP\nJOB C a DONE\nJOB D a\nPARENT A CHILD B\nPARENT B C CHILD D\nSCRIPT PRE A x\n"
        "SCRIPT POST D y\nFINAL F a\nSERVICE S a\nPROVISIONER P a\n"
    )
    outcome = simulated(dag, {"S": 1000.0, "P": 15.0})
    assert outcome.code == 0
    ran = order(dag, outcome)
    assert (sorted(ran[:3]), ran[3:]) == (["A", "P", "S"], ["B", "D", "F"])
    assert 30 < outcome.seconds < 35
    assert [dag.names[node] for node in critical_path(dag, outcome.times).nodes] == ["A", "D", "F"]


def test_a_dag_inside_another_shares_its_machine() -> None:
    dag = dag_of("JOB A a\nSUBDAG EXTERNAL S inner.dag\nJOB D a\nPARENT A CHILD S\nPARENT S CHILD D\nJOB E a\n")
    inner = Plan(dag_of("JOB X a\nJOB Y a\n"), lambda node: [Job(Need(1, 100), 20.0)] * 2)
    plan = Plan(dag, lambda node: [Job(Need(1, 100), 10.0)], {dag.numbers["S"]: inner})
    outcome = DagSimulation([Slot(Need(2, 8000, 1e9))], DagmanSettings()).go(plan)
    assert outcome.seconds == pytest.approx(10 + 2 * 20 + 10 + 4 * LATENCY)
    assert outcome.core_seconds == 4 * 20 + 3 * 10


def test_a_dag_that_is_broken_off_takes_its_jobs_along() -> None:
    dag = dag_of("JOB A a\nJOB B a\nSUBDAG EXTERNAL S inner.dag\nABORT-DAG-ON A 0 RETURN 7\nFINAL F a\n")
    inner = Plan(dag_of("JOB X a\n"), lambda node: [Job(Need(1, 100), 500.0)])
    plan = Plan(dag, lambda node: [Job(Need(1, 100), 500.0 if dag.names[node] == "B" else 10.0)],
                {dag.numbers["S"]: inner})  # fmt: skip
    outcome = DagSimulation([Slot(Need(8, 8000, 1e9))], DagmanSettings()).go(plan)
    assert outcome.seconds == pytest.approx(20 + 2 * LATENCY)  # the FINAL node still runs
    assert (outcome.code, order(dag, outcome)[-1]) == (0, "F")


def test_moments_count_what_is_done_at_work_and_waiting() -> None:
    dag = dag_of("".join(f"JOB N{i} a\n" for i in range(8)))
    outcome = simulated(dag, {}, cores=2)
    found = moments(dag, outcome.times, outcome.seconds, 4)
    assert [(one.done, one.running, one.waiting) for one in found] == [(2, 0, 6), (4, 0, 4), (6, 0, 2), (8, 0, 0)]


def test_a_large_diamond_is_simulated_quickly() -> None:
    middle = " ".join(f"N{i}" for i in range(4998))
    dag = dag_of("JOB A a\nJOB Z a\n" + "".join(f"JOB N{i} a\n" for i in range(4998))
                 + f"PARENT A CHILD {middle}\nPARENT {middle} CHILD Z\n")  # fmt: skip
    outcome = simulated(dag, {}, cores=8)
    assert outcome.code == 0
    assert outcome.seconds == pytest.approx((2 + 625) * (10 + LATENCY))
