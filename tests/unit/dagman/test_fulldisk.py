"""A full disk ends no DAG: condor_dagman waits for room, and obeys while it waits."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path

import pytest

from condor_py.daemons.dagman.fulldisk import Patience
from condor_py.daemons.dagman.nodeslog import NodesLog, post_event
from condor_py.daemons.dagman.outlog import OutLog
from condor_py.daemons.dagman.quitting import Quit
from condor_py.daemons.dagman.waiting import Waiter
from condor_py.model.errors import NoSpace, StoreError


@pytest.fixture
def waiter() -> Waiter:
    """A waiter that does not wait."""
    made = Waiter()
    made.wait = lambda seconds: None  # type: ignore[method-assign]
    return made


def test_what_finds_no_room_is_written_as_soon_as_there_is(waiter: Waiter, tmp_path: Path) -> None:
    log = OutLog(str(tmp_path / "out"), 3)
    refusals: list[Exception] = [NoSpace("full"), OSError(errno.EDQUOT, "quota"), NoSpace("full")]

    def write() -> None:
        if refusals:
            raise refusals.pop()

    Patience(log, waiter).write(write)
    assert not refusals
    assert (tmp_path / "out").read_text().count("waiting for room") == 1


def test_what_fails_for_another_reason_is_told(waiter: Waiter, tmp_path: Path) -> None:
    patience = Patience(OutLog(str(tmp_path / "out"), 3), waiter)
    for error in (StoreError("damaged"), OSError(errno.EACCES, "no")):
        with pytest.raises(type(error)):
            patience.write(lambda error=error: (_ for _ in ()).throw(error))  # type: ignore[misc]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 3), (signal.SIGUSR1, 2)])
def test_who_waits_for_room_ends_when_told_to(
    number: signal.Signals, code: int, waiter: Waiter, tmp_path: Path
) -> None:
    (tmp_path / "t.dag.nodes.log").symlink_to("/dev/full")
    nodes = NodesLog(str(tmp_path / "t.dag.nodes.log"), Patience(OutLog(str(tmp_path / "out"), 3), waiter))
    os.kill(os.getpid(), number)
    with pytest.raises(Quit) as ended:
        nodes.append([post_event("A", (1, 0, 0), 1.0, 0, None)])
    assert ended.value.code == code


def test_lines_of_the_log_wait_for_room(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.symlink_to("/dev/full")
    log = OutLog(str(path), 3)
    log.say("first")
    log.flush()
    log.say("second")
    log.flush()
    path.unlink()
    log.farewell(0)
    words = [line.split(" ", 2)[2] for line in path.read_text().splitlines()]
    assert words[:2] == ["first", "second"]
    assert words[2].endswith("EXITING WITH STATUS 0")
    path.unlink()
    path.mkdir()
    log.say("lost")
    log.farewell(0)
