"""A rewrite of the queue's log in steps, while others write: a stop of the machine or an error at any operation."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from faultfs import Crash, FaultFs, after_crashes
from queue_steps import PATH, STEPS, State, open_queue, recovered_step, state_of, step

from condor_py.model.errors import StoreError
from condor_py.store.check import check_spool
from condor_py.store.job_queue import JobQueue
from condor_py.store.table import Compaction


class Schedd:
    """A writer that rewrites the log in steps of two ads, one step after each of somebody's transactions."""

    def __init__(self, queue: JobQueue) -> None:
        self.queue = queue
        self.compaction: Compaction | None = None
        self.completed = 0

    def turn(self, number: int) -> None:
        """Begins a rewrite at every third turn unless one is on its way, or takes a step of it."""
        if self.compaction is None:
            if number % 3 == 0:
                self.compaction = self.queue.compaction(1)
        elif not self.compaction.step(2):
            compaction, self.compaction = self.compaction, None
            before = self.queue.sequence
            compaction.finish()
            self.completed += self.queue.sequence > before


def play(fs: FaultFs, done: Callable[[JobQueue], None], look: Callable[[], None]) -> Schedd:
    """Play the scenario with a schedd that rewrites and a second writer; ``done`` gets the writer after each step, and
    ``look`` is called after the schedd's turn."""
    writers = [open_queue(fs), open_queue(fs)]
    schedd = Schedd(writers[0])
    for number in range(STEPS):
        step(writers[number % 2], number)
        done(writers[number % 2])
        schedd.turn(number)
        look()
    return schedd


def acknowledged_steps(fs: FaultFs) -> int:
    """How many steps of the scenario are done when the machine stops."""
    done: list[JobQueue] = []
    with suppress(Crash):
        play(fs, done.append, lambda: None)
    return len(done)


def whole() -> tuple[list[State], int]:
    """The states of the whole scenario, which a reader has, too, and the number of operations."""
    fs = FaultFs()
    states: list[State] = [{}]
    reader = open_queue(fs, readonly=True)

    def look() -> None:
        reader.refresh()
        assert state_of(reader) == states[-1]

    schedd = play(fs, lambda writer: states.append(state_of(writer)), look)
    assert schedd.completed >= 1, "no rewrite in steps took place"
    return states, fs.operation


FULL, OPERATIONS = whole()


@pytest.mark.parametrize("part", range(4))
def test_a_crash_at_every_operation(part: int) -> None:
    for crash_at in range(1 + part, OPERATIONS + 1, 4):
        for _, acknowledged, after in after_crashes(acknowledged_steps, crash_at, range(12)):
            queue = open_queue(after)
            reached = recovered_step(state_of(queue))
            assert reached in (acknowledged, acknowledged + 1), "an acknowledged step is lost, or one too many is there"
            if reached:
                assert state_of(queue) == FULL[reached]
            for number in range(reached, STEPS):
                step(queue, number)
            assert state_of(open_queue(after, readonly=True)) == FULL[STEPS]
            assert check_spool("/spool", after) == []


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_an_error_at_every_operation_of_a_rewrite(code: int) -> None:
    """The rewrite is given up with one clear line, transactions go on, and a later rewrite works."""
    for fail_at in range(1, OPERATIONS + 1):
        fs = FaultFs(fail_at={fail_at: code}, seed=fail_at)
        queue, schedd = open_queue(fs), None
        done = 0
        complaints: list[str] = []
        while done < STEPS and len(complaints) < 3:
            try:
                schedd = schedd or Schedd(queue)
                step(queue, done)
                done = recovered_step(state_of(queue))
                schedd.turn(done - 1)
            except StoreError as error:
                complaints.append(str(error))
                if schedd is not None:
                    schedd.compaction = None
        assert state_of(queue) == state_of(open_queue(fs, readonly=True)) == FULL[STEPS]
        assert len(complaints) < 3
        assert all(PATH in complaint for complaint in complaints)
        fs.fail_at = {}
        queue.compaction(1).drop()
        compaction = queue.compaction(1)
        while compaction.step(3):
            pass
        compaction.finish()
        assert state_of(open_queue(fs, readonly=True)) == FULL[STEPS]


def test_a_rewrite_of_a_log_that_somebody_replaced_is_dropped() -> None:
    fs = FaultFs()
    queue, other = open_queue(fs), open_queue(fs)
    for number in range(4):
        step(queue, number)
    compaction = queue.compaction(0)
    compaction.step(2)
    other.compact(0)
    step(other, 4 if STEPS < 4 else 5)
    while compaction.step(100):
        pass
    compaction.finish()
    assert queue.sequence == other.sequence
    assert state_of(queue) == state_of(open_queue(fs, readonly=True)) == state_of(other)
    assert not any(name.endswith(".rewrite") for name in fs.names)
