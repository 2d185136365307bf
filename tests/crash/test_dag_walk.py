"""condor_dagman and the schedd are killed while random DAGs run: no node is lost, none runs more often than it may."""

from __future__ import annotations

import os
from collections.abc import Iterator

import dag_walk
import pytest
from pool import PersonalPool

#: One worker runs all tests: the pool is made once.
pytestmark = pytest.mark.xdist_group("dag_walk")

#: Seeds of this run: some for the suite, ``CONDOR_PY_DAG_WALKS=FIRST:LAST`` for others (tests/crash/dag).
_FIRST, _, _LAST = os.environ.get("CONDOR_PY_DAG_WALKS", "0:3").partition(":")


@pytest.fixture(scope="module")
def dag_pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PersonalPool]:
    """One pool for all walks; its master starts a killed schedd again at once."""
    made = PersonalPool(
        tmp_path_factory.mktemp("dags") / "pool", cpus=8, MASTER_BACKOFF_CONSTANT="0", MASTER_BACKOFF_FACTOR="0.01",
        DAGMAN_AVOID_SLASH_TMP="false",
    )  # fmt: skip
    made.start()
    try:
        yield made
    finally:
        made.stop()


@pytest.mark.parametrize("seed", range(int(_FIRST), int(_LAST)))
def test_a_walk(dag_pool: PersonalPool, seed: int) -> None:
    walked = dag_walk.run(dag_pool, seed)
    assert walked.is_removed or walked.code == str(walked.world.code)
