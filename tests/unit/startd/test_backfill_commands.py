"""BACKFILL_SYSTEM = COMMAND: a program of its own for each slot that nobody wants."""

from __future__ import annotations

from typing import Any

from startd_bench import Bench, ev, fx, settings

from condor_py.model.settings.backfill import CommandSettings
from condor_py.model.settings.startd import SlotPolicy, SlotType, StartdSettings


def commands(count: int = 1, **command: Any) -> Bench:
    """A machine whose slots have backfill commands of their own."""
    return Bench(settings_of(CommandSettings(**{"command": "/bin/work", **command}), count))


def settings_of(command: CommandSettings | None, count: int = 1) -> StartdSettings:
    types = (SlotType(1, count, False, "auto", SlotPolicy(start_backfill="true")),)
    return settings(types=types, backfill=True, backfill_command=command)


def starts(bench: Bench) -> list[str]:
    return [effect.slot for effect in bench.effects if isinstance(effect, fx.StartBackfill)]


def test_each_slot_has_a_backfill_command_of_its_own() -> None:
    bench = commands(3, of_slots=((3, ""),))
    assert starts(bench) == ["slot1@vm", "slot2@vm"]
    assert bench.place("slot3") == "Unclaimed/Idle", "a slot without a command has nothing to do"
    for name in starts(bench):
        bench.do(ev.BackfillStarted(slot=name))
    bench.ask("slot1@vm")
    assert [effect.slot for effect in bench.effects if isinstance(effect, fx.StopBackfill)] == ["slot1@vm"]
    assert (bench.place("slot1"), bench.place("slot2")) == ("Backfill/Killing", "Backfill/Busy")
    bench.do(ev.BackfillGone(9, "slot1@vm"))
    assert (bench.place("slot1"), bench.place("slot2")) == ("Claimed/Idle", "Backfill/Busy")


def test_a_backfill_command_that_fails_waits_longer_and_longer() -> None:
    bench = commands(wait=10.0, longest_wait=35.0)
    waits = []
    for _ in range(4):
        bench.do(ev.BackfillStarted(slot="slot1@vm"))
        bench.wait(1)
        bench.do(ev.BackfillGone(256, "slot1@vm"))
        begun = bench.now
        while not starts(bench):
            bench.wait(1)
        waits.append(bench.now - begun)
    assert waits == [10, 20, 35, 35]
    bench.do(ev.BackfillStarted(slot="slot1@vm"))
    bench.do(ev.BackfillGone(0, "slot1@vm"))
    bench.wait(9)
    assert not starts(bench)
    bench.wait(1)
    assert starts(bench), "one that ends well waits as at first"
    bench.do(ev.BackfillStarted(ok=False, slot="slot1@vm"))
    bench.wait(9)
    assert not starts(bench), "what cannot be started waits too"


def test_a_command_that_was_killed_for_a_job_begins_at_once_afterwards() -> None:
    bench = commands()
    bench.do(ev.BackfillStarted(slot="slot1@vm"))
    bench.do(ev.Vacate(None))
    bench.do(ev.BackfillGone(9, "slot1@vm"))
    bench.wait(1)
    assert starts(bench)


def test_another_backfill_system_ends_what_runs() -> None:
    bench = commands()
    bench.do(ev.BackfillStarted(slot="slot1@vm"))
    plain = settings_of(None)
    bench.do(ev.Reconfig(plain))
    assert (bench.place("slot1"), bench.has(fx.StopBackfill)) == ("Backfill/Killing", True)
    bench.do(ev.BackfillGone(9, "slot1@vm"))
    bench.wait(1)
    assert starts(bench) == [""], "the client of all slots"
    bench.do(ev.BackfillStarted())
    bench.do(ev.Reconfig(plain.changed(backfill=False)))
    bench.do(ev.BackfillGone())
    bench.wait(1)
    assert bench.place("slot1") == "Unclaimed/Idle"
