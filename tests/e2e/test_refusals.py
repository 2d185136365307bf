"""A message that is refused whole, between schedd and startd: its job is held with the reason, and no slot is lost.

Nothing that a user can write leads there, so somebody between the two spoils what they say.
"""

from __future__ import annotations

import os
import selectors
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from pool import PersonalPool, wait_for

from condor_py.client import wire

#: One worker runs all tests: their pool is made once.
pytestmark = pytest.mark.xdist_group("refusals")

Head = dict[str, Any]
#: More than any number in a message may be.
TOO_LARGE = 1 << 70


class Meddler:
    """Stands between schedd and startd; ``spoil`` changes heads by their word."""

    def __init__(self, path: str) -> None:
        self.spoil: dict[str, Callable[[Head], object]] = {}
        self.met = 0
        os.rename(path, f"{path}.real")
        self._real = f"{path}.real"
        self._door = wire.listen(path, 0o600)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._door, selectors.EVENT_READ, self._accept)
        self._over = False
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _accept(self) -> None:
        there, _ = self._door.accept()
        there.setblocking(True)
        startd = wire.connect(self._real)
        for source, target in ((there, startd), (startd, there)):
            self._selector.register(source, selectors.EVENT_READ, self._passing(source, target, wire.Decoder()))
        self.met += 1

    def _passing(self, source: socket.socket, target: socket.socket, decoder: wire.Decoder) -> Callable[[], None]:
        def passed() -> None:
            try:
                data = source.recv(65536)
                for head, body in decoder.feed(data):
                    self.spoil.get(head.get("op", ""), lambda _: None)(head)
                    target.sendall(wire.encode(head, body))
            except ConnectionError:  # one of the two was killed
                data = b""
            if not data:
                self._selector.unregister(source)
                with suppress(OSError):
                    target.shutdown(socket.SHUT_WR)

        return passed

    def _work(self) -> None:
        while not self._over:
            for key, _ in self._selector.select(0.05):
                key.data()

    def close(self) -> None:
        self._over = True
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def meddled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[PersonalPool, Meddler]]:
    """A pool whose schedd comes to the startd through a meddler."""
    pool = PersonalPool(tmp_path_factory.mktemp("meddled") / "pool", cpus=1, MASTER_BACKOFF_CONSTANT="0")
    with pool.running():
        meddler = Meddler(str(pool.log / "daemon_sock" / "startd"))
        try:
            pool.kill("schedd")
            wait_for(lambda: meddler.met, "the schedd has come back")
            yield pool, meddler
            pool.stop()
        finally:
            meddler.close()


def holds(pool: PersonalPool, meddler: Meddler, word: str, spoil: Callable[[Head], object], reason: str) -> None:
    """With its messages of that word spoilt a job is held for that reason; the next job gets the slot."""
    meddler.spoil[word] = spoil
    cluster = pool.submit("executable = /bin/true\nlog = job.log\nqueue\n")
    wait_for(lambda: pool.status_of(f"{cluster}.0") == 5, f"{word}: the job is held")
    meddler.spoil.clear()
    assert reason in pool.tool("condor_q", "-hold", "-af", "HoldReason", str(cluster)).stdout
    pool.tool("condor_release", str(cluster))
    pool.wait("job.log")


def spoil_first_report(head: Head) -> None:
    """Not the one that comes in its place."""
    if "hold_code" not in head["report"]:
        head["report"]["core_dumped"] = 7


def test_a_job_whose_message_is_refused_is_held_and_the_slot_serves_on(meddled: tuple[PersonalPool, Meddler]) -> None:
    pool, meddler = meddled
    too_long = "run is too large a number"
    holds(pool, meddler, "activate", lambda head: head.update(run=TOO_LARGE), f"activate: {too_long}")
    holds(pool, meddler, "claim", lambda head: head.update(victims=7), "claim: victims must be")
    holds(pool, meddler, "granted", lambda head: head.update(submitter=7), "granted: submitter must be")
    wrong = "ended: report has a wrong part: core_dumped"
    holds(pool, meddler, "ended", spoil_first_report, wrong)


@pytest.mark.parametrize(("part", "times"), [("run", 1), ("core_dumped", 2)])
def test_a_run_whose_end_cannot_be_told_at_all_is_given_up_and_runs_again(
    part: str, times: int, meddled: tuple[PersonalPool, Meddler]
) -> None:
    pool, meddler = meddled
    spoilt: list[Head] = []

    def spoil(head: Head) -> None:
        if len(spoilt) < times:
            head["report"][part] = TOO_LARGE
            spoilt.append(head)

    meddler.spoil["ended"] = spoil
    cluster = pool.submit("executable = /bin/true\nlog = job.log\nqueue\n")
    pool.wait("job.log")
    numbers = [number for number, job in pool.events("job.log") if job == f"{cluster}.0"]
    assert len(spoilt) == times
    assert numbers.count(1) == 2
    assert numbers[-1] == 5
