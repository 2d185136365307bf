"""A moment of the fuzzer of the daemons' cores, which runs as long as asked with tests/attack/run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "attack"))

import fuzz_daemons
from hostile import VALUES, attributes

#: The attributes are found in sources that others have read.
pytestmark = pytest.mark.xdist_group("sources")


@pytest.mark.parametrize("seed", range(1))
def test_no_daemon_fails_over_an_ad(seed: int) -> None:
    failures = [failure for failure in fuzz_daemons.run(seed, 1) if failure is not None]
    assert not failures, failures[0]


@pytest.mark.parametrize("value", VALUES[:8])
@pytest.mark.parametrize("name", ["RequestDisk", "RequestMemory", "RequestCpus", "RequestVirtualMemory", "Rank"])
@pytest.mark.promise("S18")
def test_what_a_job_asks_for_may_be_any_number(name: str, value: str, tmp_path: Path) -> None:
    fuzz_daemons.one({name: value}, str(tmp_path))


def test_the_attributes_that_daemons_read_are_found() -> None:
    assert {"RequestDisk", "JobNice", "KillSig", "NumShadowStarts", "UserLog", "PartitionableSlot"} <= {*attributes()}
