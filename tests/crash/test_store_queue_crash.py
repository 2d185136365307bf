"""The job queue when the machine stops at any operation: what was acknowledged is there, once, in order."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from faultfs import Crash, FaultFs, after_crashes
from queue_steps import PATH, STEPS, State, open_queue, recovered_step, state_of, step

from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.store.check import check_spool
from condor_py.store.fs import FileId
from condor_py.store.job_queue import JobQueue


def write(fs: FaultFs) -> Iterator[JobQueue]:
    """Play the scenario with two writers that take turns; yield the one that has done a step."""
    writers = [open_queue(fs), open_queue(fs)]
    for number in range(STEPS):
        step(writers[number % 2], number)
        yield writers[number % 2]


def acknowledged_steps(fs: FaultFs) -> int:
    """How many steps of the scenario are done when the machine stops."""
    done = 0
    with suppress(Crash):
        for _ in write(fs):
            done += 1
    return done


def all_states() -> tuple[list[State], int]:
    """The states of the whole scenario, which a reader has, too, and the number of operations."""
    fs = FaultFs()
    states: list[State] = [{}]
    reader = open_queue(fs, readonly=True)
    for writer in write(fs):
        states.append(state_of(writer))
        reader.refresh()
        assert state_of(reader) == states[-1]
    return states, fs.operation


FULL, OPERATIONS = all_states()


@pytest.mark.parametrize("crash_at", range(1, OPERATIONS + 1))
def test_crash_at_every_operation(crash_at: int) -> None:
    for _, acknowledged, after in after_crashes(acknowledged_steps, crash_at, range(25)):
        queue = open_queue(after)
        state = state_of(queue)
        reached = recovered_step(state)
        assert reached in (acknowledged, acknowledged + 1), "an acknowledged step is lost, or one too many is there"
        if reached:
            assert state == FULL[reached], "a step is there in part"
        # the next writer goes on from there as if nothing had been
        for number in range(reached, STEPS):
            step(queue, number)
        assert state_of(queue) == state_of(open_queue(after, readonly=True)) == FULL[STEPS]
        assert check_spool("/spool", after) == []


def test_the_rewrite_is_on_the_medium_before_anything_is_added_to_it() -> None:
    """A second process that writes to a file whose name was not synced syncs the directory first."""
    fs = FaultFs()
    first = open_queue(fs)
    step(first, 0)
    fs.fail_at = {fs.operation + 7: errno.EIO}  # create, two writes, sync, link, rename, this sync
    with pytest.raises(StoreError, match="durable"):
        first.compact(1)
    assert fs.log[-1].startswith("sync_dir")
    second = open_queue(fs)
    step(second, 1)
    queue = open_queue(fs.after_crash(1))
    assert recovered_step(state_of(queue)) == 2


def attempt(queue: JobQueue, number: int) -> str:
    """A step; the words of its failure."""
    try:
        step(queue, number)
    except StoreError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("again", [False, True])
def test_an_error_at_every_operation(code: int, again: bool) -> None:
    """A transaction that fails is refused, says why, and leaves no trace; the next one works."""
    for fail_at in range(1, OPERATIONS + 1):
        fs = FaultFs(fail_at={fail_at: code, **({fail_at + 1: code} if again else {})}, seed=fail_at)
        queue = open_queue(fs)
        reader = open_queue(fs, readonly=True)
        done = 0
        failures = 0
        while done < STEPS:
            error = attempt(queue, done)
            if error:
                failures += 1
                assert failures <= 3
                assert PATH in error
                assert ("no space left" in error) == (code == errno.ENOSPC)
                # with two failures in a row the taking back has failed too, and the outcome is open
                if not again:
                    state = state_of(open_queue(fs, readonly=True))
                    assert state.get("0.0", {}).get("Step") == (str(done - 1) if done else None)
                queue.refresh()
                done = recovered_step(state_of(queue))
                continue
            done += 1
            reader.refresh()
            assert state_of(reader) == FULL[done]
        assert state_of(open_queue(fs, readonly=True)) == FULL[STEPS]
        assert check_spool("/spool", fs) == []


class StaleFs(FaultFs):
    """From an operation on, the files that are open then cannot be used: the server has forgotten their handles."""

    def __init__(self, stale_at: int) -> None:
        super().__init__()
        self._stale_at = stale_at
        self._last_good = 0

    def _usable(self, handle: int) -> None:
        if self.operation >= self._stale_at and not self._last_good:
            self._last_good = self._next_handle - 1
        if self._last_good >= handle:
            raise OSError(errno.ESTALE, "Stale file handle")

    def write(self, handle: int, data: bytes) -> None:
        self._usable(handle)
        super().write(handle, data)

    def read_at(self, handle: int, offset: int, size: int) -> bytes:
        self._usable(handle)
        return super().read_at(handle, offset, size)

    def fstat(self, handle: int) -> FileId:
        self._usable(handle)
        return super().fstat(handle)

    def truncate(self, handle: int, size: int) -> None:
        self._usable(handle)
        super().truncate(handle, size)

    def sync(self, handle: int) -> None:
        self._usable(handle)
        super().sync(handle)


def test_handles_that_become_stale_at_every_operation() -> None:
    """The transaction at hand fails; the same queue, and one that only reads, go on with the file."""
    for stale_at in range(1, OPERATIONS + 1):
        fs = StaleFs(stale_at)
        queue, reader = open_queue(fs), open_queue(fs, readonly=True)
        done = failures = 0
        while done < STEPS:
            if error := attempt(queue, done):
                failures += 1
                assert failures <= 2, (stale_at, error)
                assert PATH in error
                refreshed(queue)
                done = recovered_step(state_of(queue))
                continue
            done += 1
            refreshed(reader)
            assert state_of(reader) == FULL[done]
        assert state_of(open_queue(fs, readonly=True)) == FULL[STEPS]
        assert check_spool("/spool", fs) == []


def refreshed(queue: JobQueue) -> None:
    """Reads what is new, at the second try if the first finds a stale handle."""
    try:
        queue.refresh()
    except StoreError:
        queue.refresh()


def test_reader_sees_prefixes_of_a_growing_file() -> None:
    """Whatever part of the bytes is there, a reader has the state after some transaction."""
    fs = FaultFs()
    writer = open_queue(fs)
    ends = [0]
    states: list[State] = [{}]
    for number in range(4):
        step(writer, number)
        states.append(state_of(writer))
        ends.append(len(fs.names[PATH].data))
    whole = bytes(fs.names[PATH].data)
    follower_fs = FaultFs()
    handle = follower_fs.open_append(PATH, 0o600)
    reader = open_queue(follower_fs, readonly=True)
    for size in range(len(whole)):
        follower_fs.write(handle, whole[size : size + 1])
        reader.refresh()
        reached = recovered_step(state_of(reader))
        assert reached == max(i for i, end in enumerate(ends) if end <= size + 1)
        if reached:
            assert state_of(reader) == states[reached]


def test_a_transaction_taken_back_is_forgotten_by_readers() -> None:
    """A reader that saw a transaction before its sync failed goes back with the file."""
    fs = FaultFs()
    writer = open_queue(fs)
    step(writer, 0)
    reader = open_queue(fs, readonly=True)
    inode = fs.names[PATH]
    size = len(inode.data)
    handle = fs.open_append(PATH, 0o600)
    fs.write(handle, b"105 \n103 1.0 JobPrio 11\n106 \n")
    reader.refresh()
    assert reader.job(JobId(1, 0)).text("JobPrio") == "11"  # type: ignore[union-attr]
    fs.truncate(handle, size)
    fs.write(handle, b"105 \n103 1.1 JobPrio 12\n106 \n")
    reader.refresh()
    assert reader.job(JobId(1, 0)).text("JobPrio") is None  # type: ignore[union-attr]
    assert reader.job(JobId(1, 1)).text("JobPrio") == "12"  # type: ignore[union-attr]
