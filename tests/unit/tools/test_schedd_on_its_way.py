"""Tools that ask the schedd wait for one that its master is about to start, and say what helps against any other."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from condor_py.client import pool as access
from condor_py.client import submission, submitting, wire
from condor_py.client.pool import NoSchedd, Pool
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.messages.codec import Answer
from condor_py.model.messages.master import MasterStatus
from condor_py.model.messages.queue import FirstCluster, Submitted
from condor_py.store.history import HistoryWriter
from condor_py.store.job_queue import JobQueue


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
        (_of_others, "no condor_master runs on this machine: ask the owner of the pool for condor_master"),
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


# schedds that die while they are asked

#: What a schedd does instead of an answer.
DIES, CLOSES = None, ()


def _serve(path: str, answers: Sequence[Answer | tuple[()] | None]) -> None:
    """A schedd that answers so many requests of one connection, each as it is told."""
    with wire.listen(path, 0o600) as sock:
        sock.setblocking(True)
        connection, _ = sock.accept()
        decoder = wire.Decoder()
        for answer in answers:
            while not list(decoder.feed(connection.recv(65536))):
                pass
            if answer is DIES:
                os.kill(os.getpid(), signal.SIGKILL)
            if answer is CLOSES:
                connection.close()
                signal.pause()
            connection.sendall(wire.encode(answer))
        connection.recv(1)


class Schedds:
    """Schedds that follow each other, as their master, a process of its own, starts them."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._master = 0

    def start(self, *lives: Sequence[Answer | tuple[()] | None]) -> None:
        self._master = os.fork()
        if self._master:
            return
        os.setpgid(0, 0)
        for answers in lives:
            if not (pid := os.fork()):
                _serve(self._path, answers)
                os._exit(0)
            os.waitpid(pid, 0)
        os._exit(0)

    def stop(self) -> None:
        if self._master:
            os.killpg(self._master, signal.SIGKILL)
            os.waitpid(self._master, 0)


@pytest.fixture
def schedds(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> Iterator[Schedds]:
    monkeypatch.setattr(Pool, "owns_spool", False)
    monkeypatch.setattr(submission, "to_body", lambda clusters: b"")
    Path(pool.paths.socket("schedd")).parent.mkdir(parents=True, exist_ok=True)
    made = Schedds(pool.paths.socket("schedd"))
    yield made
    made.stop()


def submit(pool: Pool) -> list[int]:
    return submitting.submit(pool, lambda first, *_: [SimpleNamespace(cluster=first)], lambda: 1)  # type: ignore[list-item]


def test_a_submit_is_queued_by_the_next_schedd_when_one_dies_before_it_has_answered(
    pool: Pool, schedds: Schedds
) -> None:
    schedds.start([DIES], [FirstCluster(7), Submitted()])
    assert submit(pool) == [7]


def queued(pool: Pool, cluster: int) -> None:
    """Leaves a queue with a cluster, which the caller may read."""
    with JobQueue(pool.paths.job_queue_log).transaction() as transaction:
        transaction.new_ad(f"0{cluster}.-1", "Job", "Machine")


def test_what_a_dying_schedd_has_not_queued_gets_the_next_number(pool: Pool, schedds: Schedds) -> None:
    queued(pool, 6)
    schedds.start([FirstCluster(7), DIES], [FirstCluster(8), Submitted()])
    assert submit(pool) == [8]


def test_what_a_dying_schedd_has_queued_is_not_queued_again(pool: Pool, schedds: Schedds) -> None:
    queued(pool, 7)
    schedds.start([FirstCluster(7), DIES], [FirstCluster(8), Submitted()])
    assert submit(pool) == [7]


def test_nor_is_what_has_left_the_queue_meanwhile(pool: Pool, schedds: Schedds) -> None:
    queued(pool, 6)
    for cluster in (7, 9):
        writer = HistoryWriter(pool.paths.history)
        writer.append([ClassAd({"ClusterId": cluster, "ProcId": 0, "Owner": "alice"})], pool.now())
        writer.close()
    schedds.start([FirstCluster(7), DIES], [FirstCluster(8), Submitted()])
    assert submit(pool) == [7]


def test_without_a_history_nobody_can_tell(pool: Pool, schedds: Schedds) -> None:
    pool.paths.history = ""
    schedds.start([FirstCluster(7), DIES], [FirstCluster(8), Submitted()])
    with pytest.raises(CondorError, match="condor_q tells whether cluster 7 is in the queue"):
        submit(pool)


@pytest.mark.parametrize("answers", [[CLOSES], [FirstCluster(7), CLOSES]])
def test_a_schedd_that_lives_and_closes_the_connection_is_not_asked_again(
    pool: Pool, schedds: Schedds, answers: Sequence[Answer | tuple[()] | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "_DYING", 0.05)
    schedds.start(answers, [FirstCluster(8), Submitted()])
    with pytest.raises(CondorError, match="the daemon closed the connection"):
        submit(pool)


def test_a_socket_that_is_just_being_replaced_is_closed_to_no_account(
    pool: Pool, schedds: Schedds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that a dead schedd has left goes away between two looks at it."""
    path, access_of = pool.paths.socket("schedd"), os.access
    wire.listen(path, 0o600).close()

    def replaced(name: str, mode: int) -> bool:
        if name == path and mode == os.W_OK:
            os.unlink(path)
            schedds.start([FirstCluster(7), Submitted()])
            monkeypatch.setattr(os, "access", access_of)
            return False
        return access_of(name, mode)

    monkeypatch.setattr(os, "access", replaced)
    assert submit(pool) == [7]


def test_a_socket_has_its_name_when_it_can_be_connected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who finds it never hears that nobody listens, also where one is replaced."""
    path = tmp_path / "door"
    wire.listen(str(path), 0o600).close()
    stale, listens = path.stat().st_ino, socket.socket.listen

    def listen(sock: socket.socket, backlog: int) -> None:
        assert path.stat().st_ino == stale
        listens(sock, backlog)

    monkeypatch.setattr(socket.socket, "listen", listen)
    with wire.listen(str(path), 0o600), wire.connect(str(path), 5.0):
        assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["door"]
