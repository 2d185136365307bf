"""Programs written for HTCondor run unchanged on this pool, and what they compute comes from its slots."""

from __future__ import annotations

import pytest
from client_pool import ClientPool

pytestmark = pytest.mark.xdist_group("clients")


def test_parsl_runs_apps_on_condor_blocks(clients: ClientPool) -> None:
    answer = clients.client("parsl_app")
    assert answer == {"results": [0, 1, 4, 9], "slots": ["slot1_1"], "states": ["RUNNING"]}
    clients.drained()


def test_dask_workers_are_jobs_and_go_when_scaled_down(clients: ClientPool) -> None:
    assert clients.client("dask_cluster") == {"sum": 285, "slots": 2, "jobs": 2, "left": 0}


def test_law_submits_queries_and_cancels(clients: ClientPool) -> None:
    assert clients.client("law_manager") == {
        "version": [25, 14, 0],
        "good": "finished",
        "bad": ["failed", 3],
        "long": "running",
        "cancelled": "failed",
    }


def test_b2luigi_runs_its_tasks_in_the_batch_system(clients: ClientPool) -> None:
    assert clients.client("b2luigi_task") == [[0, True], [1, True], [4, True]]
    clients.recorded([["0"]] * 4, "ExitCode")


def test_ipyparallel_engines_are_jobs(clients: ClientPool) -> None:
    answer = clients.client("ipyparallel_cluster")
    assert answer == {"squares": [number**2 for number in range(8)], "slots": 2, "in_slots": True}
    clients.drained()


def test_tardis_drones_live_and_die(clients: ClientPool) -> None:
    assert clients.client("tardis_site") == ["Running", "Running", "Stopped", "Deleted", "Deleted"]


@pytest.mark.parametrize("how", ["generic", "htcondor"])
def test_snakemake_with_a_generic_cluster_and_with_its_htcondor_executor(clients: ClientPool, how: str) -> None:
    assert clients.client("snakemake_workflow", how) == [[0, True], [1, True], [2, True]]
    clients.recorded([["0"]] * 4, "ExitCode")


def test_joblib_with_the_htcondor_backend(clients: ClientPool) -> None:
    assert clients.client("joblib_backend") == {"squares": [0, 1, 4, 9], "in_slots": True}


def test_toil_runs_a_workflow(clients: ClientPool) -> None:
    assert clients.client("toil_workflow") == {"squares": [0, 1], "in_slots": True}
    clients.drained()
