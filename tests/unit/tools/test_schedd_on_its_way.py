"""Tools that ask the schedd wait for one that its master is about to start, and say what helps against any other."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.client import pool as access
from condor_py.client import wire
from condor_py.client.pool import NoSchedd, Pool
from condor_py.model.messages.master import MasterStatus


class World:
    """A schedd that answers from the ``up``th try on, and what its master says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tries = 0
        self.up = 10**9
        self.off: tuple[str, ...] = ()
        self.answers = True
        monkeypatch.setattr(wire, "Client", self._connect)
        monkeypatch.setattr(Pool, "ask", self._ask)
        monkeypatch.setattr(access, "_POLL", 0.0)

    def _connect(self, path: str, timeout: float) -> str:
        self.tries += 1
        if self.tries < self.up:
            raise wire.WireError(f"cannot connect to {path}: Connection refused")
        return "connected"

    def _ask(self, *_: object, **__: object) -> MasterStatus:
        if not self.answers:
            raise wire.WireError("no answer in time")
        return MasterStatus(os.getpid(), {}, self.off)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pool:
    """With a master, which this process is."""
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    made = Pool()
    lock = Path(made.paths.daemon_lock("MASTER"))
    lock.parent.mkdir(parents=True)
    lock.write_text(f"{os.getpid()}\n")
    Path(made.paths.spool).mkdir()
    return made


@pytest.mark.parametrize("answers", [True, False])
def test_a_schedd_that_comes_back_is_waited_for(pool: Pool, world: World, answers: bool) -> None:
    world.up, world.answers = 5, answers
    assert str(pool.schedd()) == "connected"


def _off(pool: Pool, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.off = ("SCHEDD",)


def _no_master(pool: Pool, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(pool.paths.daemon_lock("MASTER")).unlink()


def _of_others(pool: Pool, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    _no_master(pool, world, monkeypatch)
    monkeypatch.setattr(Pool, "owns_spool", False)


@pytest.mark.parametrize(
    ("happens", "says"),
    [
        (_off, "the condor_schedd is off: start it with condor_on"),
        (_no_master, "no condor_master runs on this machine: start it with condor_master"),
        (_of_others, "no condor_master runs on this machine: ask whoever owns the pool for condor_master"),
    ],
)
def test_one_that_will_not_come_is_not(
    pool: Pool, world: World, monkeypatch: pytest.MonkeyPatch,
    happens: Callable[[Pool, World, pytest.MonkeyPatch], None], says: str,
) -> None:  # fmt: skip
    happens(pool, world, monkeypatch)
    with pytest.raises(NoSchedd) as told:
        pool.schedd()
    assert (str(told.value), world.tries) == (says, 1)


def test_one_that_never_comes_is_waited_for_so_long(pool: Pool, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_START_PATIENCE", 0.1)
    with pytest.raises(NoSchedd, match=r"^the condor_schedd does not come up: see .*SchedLog"):
        pool.schedd()
    assert world.tries > 1
