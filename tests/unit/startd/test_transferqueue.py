"""Which file transfers may begin: limits, turns of users, age, the load of the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.core.slots.transferqueue import TransferQueue
from condor_py.lang.config import load
from condor_py.lang.config.builders.starter import transfer_queue
from condor_py.model.errors import ConfigError
from condor_py.model.settings.starter import TransferQueueSettings

FREE = TransferQueueSettings(uploads=2, downloads=1, high_load=0, low_load=0)


def asked(*wanted: str) -> TransferQueue:
    """A queue in which these asked in this order: claim, a colon, user; claims that begin with d have output."""
    queue = TransferQueue()
    for one in wanted:
        claim, _, user = one.partition(":")
        queue.ask(claim, not claim.startswith("d"), user)
    return queue


def test_no_more_begin_than_may_and_the_next_follows() -> None:
    queue = asked("u1:a", "u2:a", "u3:a", "d1:a", "d2:a")
    assert queue.begin(FREE, 0.0) == (["u1", "u2", "d1"], [])
    assert queue.waiting == 2
    assert queue.over("u2")
    assert not queue.over("u2")
    assert queue.begin(FREE, 1.0) == (["u3"], [])
    queue.over("d2")
    assert queue.waiting == 0


def test_zero_is_no_limit() -> None:
    free = TransferQueueSettings(uploads=0, downloads=0, high_load=0)
    assert len(asked(*(f"u{n}:a" for n in range(300))).begin(free, 0.0)[0]) == 300


def test_users_with_fewer_transfers_and_an_older_turn_come_first() -> None:
    queue = asked("u1:a", "u2:a", "u3:a", "u4:b", "u5:c")
    assert queue.begin(FREE, 0.0)[0] == ["u1", "u4"]
    queue.over("u1")
    assert queue.begin(FREE, 1.0)[0] == ["u5"]
    queue.over("u4")
    assert queue.begin(FREE, 2.0)[0] == ["u2"]


def test_an_old_transfer_loses_its_place_only_to_one_that_waits() -> None:
    aged = TransferQueueSettings(uploads=1, longest=100, high_load=0)
    queue = asked("u1:a")
    queue.begin(aged, 0.0)
    assert queue.begin(aged, 500.0) == ([], [])
    queue.ask("u2", True, "b")
    assert queue.begin(aged, 501.0) == (["u2"], ["u1"])


def test_a_loaded_disk_lets_fewer_begin() -> None:
    """2.0: one at first, another each minute while the mean of those under way is below 1.8."""
    settings = TransferQueueSettings(uploads=9)
    queue = asked(*(f"u{n}:a" for n in range(6)))
    begun = queue.begin(settings, 1000.0)[0]
    assert len(begun) == 1
    for second in range(1001, 1400):
        begun += queue.begin(settings, float(second))[0]
    assert len(begun) == 3
    assert queue.begin(settings, 2000.0)[0] == []
    queue.over(begun[0])
    assert len(queue.begin(settings, 2001.0)[0]) == 0, "the disk has had too much"


def test_a_transfer_counts_for_the_load_until_it_ends() -> None:
    settings = TransferQueueSettings(uploads=1)
    queue = asked(*(f"u{n}:a" for n in range(100)))
    for second in range(100):
        assert queue.begin(settings, 1000.0 + second)[0] == [f"u{second}"]
        queue.over(f"u{second}")
    assert queue._short.mean > 0.75


def test_the_throttle_is_a_number_or_a_span(tmp_path: Path) -> None:
    def read(text: str) -> tuple[float, float]:
        path = tmp_path / "c"
        path.write_text(f"FILE_TRANSFER_DISK_LOAD_THROTTLE = {text}\n")
        found = transfer_queue(load({"CONDOR_CONFIG": str(path)}))
        return found.low_load, found.high_load

    assert read("5 to 6.5") == (5.0, 6.5)
    assert read("10") == (9.0, 10.0)
    for wrong in ("fast", "6 to 5", "1 to"):
        with pytest.raises(ConfigError, match="FILE_TRANSFER_DISK_LOAD_THROTTLE must be a number"):
            read(wrong)
    path = tmp_path / "c"
    path.write_text("FILE_TRANSFER_DISK_LOAD_THROTTLE_LONG_HORIZON = 9m\n")
    with pytest.raises(ConfigError, match="_LONG_HORIZON = 9m names no NAME:SECONDS"):
        transfer_queue(load({"CONDOR_CONFIG": str(path)}))


def test_more_begin_while_the_disk_is_idle_one_at_a_time() -> None:
    """Each time that the bound is reached, not before the last step is ``increment_wait`` seconds ago."""
    settings = TransferQueueSettings(uploads=0, low_load=2, high_load=5, increment_wait=10)
    queue = asked(*(f"u{n}:a" for n in range(9)))
    begun = [len(queue.begin(settings, now)[0]) for now in (0.0, 1.0, 9.0, 10.0)]
    assert begun[0] > 0
    assert begun[1:3] == [0, 0], "it has to wait"
    for number in range(9):
        queue.over(f"u{number}")
    queue.ask("late", True, "a")
    assert queue.begin(settings, 11.0)[0] == ["late"], "there is room"
    bound = queue._bound
    queue.begin(settings, 100.0)
    assert queue._bound == bound, "few transfers raise no bound"
