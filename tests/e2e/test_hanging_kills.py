"""Kills of the schedd while an account's file system is slow or does not answer: each event is in its log once."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections.abc import Iterator

import pytest
from hanging import HangingDirectory, hanging_directory
from pool import wait_for
from shared_pool import SharedPool

#: One worker runs all tests: the pool is made once.
pytestmark = pytest.mark.xdist_group("restarted_shared")

_HEAD = re.compile(r"^(\d{3}) \((\d+)\.(\d+)\.\d+\)", re.MULTILINE)
_STATES = {"000", "001", "005", "012", "013"}


@pytest.fixture
def hung(restarted_shared: SharedPool) -> Iterator[HangingDirectory]:
    """Where the other account has its log."""
    made = hanging_directory(restarted_shared.work / "hanging")
    yield made
    made.close()


@pytest.mark.parametrize("seed", range(2))
def test_each_event_is_there_once(restarted_shared: SharedPool, hung: HangingDirectory, seed: int) -> None:
    chance = random.Random(seed)
    pool, cluster = restarted_shared, restarted_shared.first_cluster
    log = hung.path / "job.log"
    hung.slow(20)
    pool.submit_as_stranger(f"executable = /bin/sleep\narguments = 0.3\nlog = {log}\nqueue 12\n")
    for _ in range(4):
        time.sleep(chance.uniform(0.0, 0.8))  # the moment of a kill
        if chance.random() < 0.5:
            hung.hang()
        master = pool.kill("master", signal.SIGSTOP)
        killed = pool.kill("schedd")
        hung.slow(20)  # before the next schedd begins, and loses its patience with a log that it cannot read
        os.kill(master, signal.SIGCONT)
        wait_for(lambda killed=killed: pool.serves("schedd") and pool.pid("schedd") != killed, "another is there")
    hung.answer()
    wait_for(lambda: pool.queue("ProcId") == [], "all have run")
    wait_for(lambda: not any((pool.spool / "late_events").glob("*")), "nothing waits")
    found: dict[str, list[str]] = {}
    for number, *job in _HEAD.findall(hung.read("job.log")):
        if number in _STATES:
            found.setdefault("{}.{}".format(*map(int, job)), []).append(number)
    assert found == {f"{cluster}.{proc}": ["000", "001", "005"] for proc in range(12)}
