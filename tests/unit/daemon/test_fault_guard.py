"""A fault in handling one thing ends that thing's turn, is told in the log, and stops nobody else."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

for room in ("schedd", "startd"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / room))

from startd_bench import Bench
from startd_bench import job_ad as startd_job
from world import World

from condor_py.client.wire import encode
from condor_py.core.jobs import starting
from condor_py.core.jobs.effects import Note
from condor_py.core.jobs.state import ScheddState
from condor_py.core.slots import effects as fx
from condor_py.core.slots import evaluation
from condor_py.core.slots import events as ev
from condor_py.core.slots.guard import answer
from condor_py.daemons.common.guard import FaultGuard
from condor_py.daemons.common.link import Link
from condor_py.daemons.common.loop import Loop
from condor_py.model.messages.codec import Message, Vocabulary
from condor_py.model.report import ExitReport


@pytest.fixture
def walled() -> tuple[Loop, list[str]]:
    """A loop with a guard, and its log."""
    loop, log = Loop(), list[str]()
    loop.on_fault(FaultGuard(log.append).fault)
    return loop, log


def failing(*_: object) -> None:
    raise OverflowError("cannot convert float infinity to integer")


def test_a_callback_that_fails_does_not_end_the_loop(walled: tuple[Loop, list[str]]) -> None:
    loop, log = walled
    seen: list[str] = []
    loop.soon(failing)
    loop.soon(lambda: seen.append("soon"))
    loop.after(0.0, failing)
    loop.after(0.0, lambda: seen.append("timer"))
    loop.at_turn_end(failing)
    loop.at_turn_end(lambda: seen.append("end"))
    loop.on_batch_end(failing)
    loop.turn(1.0)
    assert sorted(seen) == ["end", "soon", "timer"]
    assert len(log) == 1, "the same fault is told once a minute"
    assert "OverflowError: cannot convert float infinity" in log[0]
    assert "test_fault_guard.py" in log[0]


def test_what_is_done_again_and_again_goes_on_after_a_fault(walled: tuple[Loop, list[str]]) -> None:
    loop, log = walled
    calls: list[int] = []

    def now_and_then() -> None:
        calls.append(1)
        failing()

    loop.every(0.001, now_and_then)
    for _ in range(6):
        loop.turn(1.0)
    assert len(calls) >= 3
    assert len(log) == 1, "the same fault is told once a minute"


def test_a_descriptor_whose_callback_fails_rests_and_is_looked_at_again(walled: tuple[Loop, list[str]]) -> None:
    loop, _ = walled
    reader, writer = os.pipe()
    calls: list[int] = []

    def look() -> None:
        calls.append(1)
        failing()

    loop.read(reader, look)
    os.write(writer, b"x")
    loop.turn(0.0)
    loop.turn(0.0)
    assert len(calls) == 1, "the descriptor is readable all the time, and the others want their turn"
    while len(calls) < 2:
        loop.turn(0.1)
    loop.forget(reader)
    os.close(reader)
    os.close(writer)


class Bad(Message, op="bad"):
    pass


class Good(Message, op="good"):
    pass


def test_messages_behind_one_that_fails_are_handled(walled: tuple[Loop, list[str]]) -> None:
    loop, log = walled
    ours, theirs = socket.socketpair()
    seen: list[object] = []

    def take(link: Link, message: Message, body: bytes) -> None:
        if isinstance(message, Bad):
            failing()
        seen.append(message.op)

    link = Link(loop, ours, take, hears=Vocabulary(Bad, Good))
    theirs.sendall(encode({"op": "bad"}) + encode({"op": "good"}))
    while not seen:
        loop.turn(1.0)
    assert seen == ["good"]
    assert link.open
    assert "OverflowError" in log[0]
    link.close()
    theirs.close()


def test_no_time_is_too_far_away(walled: tuple[Loop, list[str]]) -> None:
    loop, log = walled
    seen: list[str] = []
    for seconds in (float("inf"), float("nan"), 1e300, 1e18):
        loop.after(seconds, failing)
    loop.after(0.001, lambda: seen.append("due"))
    for _ in range(3):
        loop.turn(0.1)
    assert (seen, log) == (["due"], [])


@pytest.mark.promise("S17")
def test_a_job_that_the_schedd_fails_over_is_held_and_the_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults that no ad is known to cause any more."""
    world = World()
    world.connect()
    bad, good = world.submit(1)[0], world.submit(2)[0]
    start: Callable[..., None] = starting.start

    def start_most(core: ScheddState, job: object, *more: object) -> None:
        if job == bad:
            failing()
        start(core, job, *more)

    monkeypatch.setattr(starting, "start", start_most)
    world.match(bad, good)
    ad = world.queue.job(bad)
    assert ad is not None
    assert world.status(bad) == 5
    assert "The schedd could not handle this job: OverflowError" in (ad.eval_str("HoldReason", "") or "")
    assert world.events(bad) == [0, 12]
    assert world.status(good) == 2
    assert any(isinstance(effect, Note) and "Traceback" in effect.text for effect in world.seen)


def test_a_run_whose_report_cannot_be_handled_ends_and_its_claim_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    world.connect()
    job = world.submit(1)[0]
    world.match(job)
    world.started(job)
    monkeypatch.setattr("condor_py.core.jobs.finish.usage_records", failing)
    world.ended(job, exit_code=0)
    assert world.status(job) == 5
    assert not world.core.runs
    assert all(claim.releasing for claim in world.core.claims.values())


def test_a_request_that_the_startd_fails_over_is_refused_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    request = ev.ClaimRequest("r1", "slot1@vm", "alice@example.net", "alice", startd_job())
    answers = answer(request, OverflowError("infinity"))
    refused = [effect for effect in answers if isinstance(effect, fx.ClaimRefused)]
    assert refused[0].fault
    assert "OverflowError: infinity" in refused[0].reason
    lost = answer(ev.RunEnded(ExitReport("claim", "1.0", 1)), KeyError("x"))
    assert any(isinstance(effect, fx.KillStarter) for effect in lost)


def test_a_slot_that_cannot_be_judged_does_not_keep_others_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    first, second = bench.running(), bench.running()
    look = evaluation._judge

    def judge(pool: object, slot: object) -> None:
        if getattr(slot, "claim", None) is not None and slot.claim.claim_id == first:  # type: ignore[attr-defined]
            failing()
        look(pool, slot)  # type: ignore[arg-type]

    monkeypatch.setattr(evaluation, "_judge", judge)
    bench.do(ev.ScheddGone())
    bench.wait(100_000)
    assert any("ERROR the look at this slot failed" in line for line in bench.log)
    assert any(isinstance(effect, fx.HardKill) and effect.claim == second for effect in bench.all_effects)


def test_what_comes_last_has_its_turn_after_all_others_but_not_never(walled: tuple[Loop, list[str]]) -> None:
    loop, _ = walled
    seen: list[str] = []

    def others() -> None:
        seen.append("others")
        loop.when_idle(others)

    loop.when_idle(lambda: seen.append("last"), last=True)
    loop.when_idle(lambda: seen.append("first"))
    while "last" not in seen:
        loop.turn(1.0)
    assert seen == ["first", "last"]
    loop.when_idle(others)
    loop.when_idle(lambda: seen.append("last of many"), last=True)
    while "last of many" not in seen:
        loop.turn(1.0)
    assert 100 < seen.count("others") < 400


def test_what_waits_for_an_idle_turn_lets_others_go_first_but_not_for_ever(walled: tuple[Loop, list[str]]) -> None:
    loop, _ = walled
    seen: list[str] = []

    def others() -> None:
        seen.append("others")
        if len(seen) < 50:
            loop.soon(others)

    loop.soon(others)
    loop.when_idle(lambda: seen.append("first"))
    loop.when_idle(lambda: seen.append("second"))
    while "second" not in seen:
        loop.turn(1.0)
    assert 2 < seen.index("first") < 20
    assert seen.index("first") + 2 < seen.index("second") < 40
    loop.when_idle(lambda: seen.append("third"))
    while "third" not in seen:
        loop.turn(1.0)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(24, "Too many open files", "/some/module.py"), "Too many open files"),
        (MemoryError(), "Cannot allocate memory"),
        (BlockingIOError(11, "Resource temporarily unavailable"), "Resource temporarily unavailable"),
        (ImportError("x.so: failed to map segment: Cannot allocate memory"), "Cannot allocate memory"),
    ],
)
def test_what_the_machine_lacks_is_one_line_of_the_log(error: Exception, text: str) -> None:
    log: list[str] = []

    def lacks() -> None:
        raise error

    assert not FaultGuard(log.append).turn("a step", lacks)
    assert log == [f"ERROR a step failed, the daemon continues: {text}"]
