"""Days of a desktop machine: an owner who comes and goes, jobs that want to run. Seeded, in virtual time."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from startd_bench import Bench, ev, fx, job_ad
from startd_bench import settings as startd_settings

from condor_py.model.report import ExitReport
from condor_py.model.settings.startd import SlotPolicy, SlotType

DAY = 86400
STEP = 30
#: Start after 15 minutes without the owner, suspend when he types, evict after 10 minutes, 2 minutes to leave.
POLICY = SlotPolicy(
    start="KeyboardIdle > 900",
    is_owner="START =?= False",
    want_suspend="True",
    suspend="KeyboardIdle < 60",
    continue_="KeyboardIdle > 300",
    preempt='Activity == "Suspended" && MyCurrentTime - EnteredCurrentActivity > 600',
    max_job_retirement_time="0",
    machine_max_vacate_time="120",
)


class Desk:
    """The owner: present in working hours with breaks, typing now and then."""

    def __init__(self, random_: random.Random) -> None:
        self._random = random_
        self.idle = 5000

    def step(self, second: int) -> int:
        """Seconds since the last key, at a time of day."""
        hour = second % DAY / 3600
        typing = 0.4 if 9 <= hour < 17 and not 12 <= hour < 13 else 0.002
        self.idle = self._random.randrange(30) if self._random.random() < typing else self.idle + STEP
        return self.idle


class Day:
    """The machine with its schedd and its starters."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        types = (SlotType(1, 1, False, "50%", POLICY), SlotType(2, 1, True, "50%", POLICY))
        self.bench = Bench(startd_settings(types=types, slots_connected_to_keyboard=3, claim_worklife=7200))
        self.desk = Desk(self.random)
        self.ends: dict[str, tuple[str, int, float]] = {}
        self.paused: set[str] = set()
        self.idle: set[str] = set()
        self.starters: set[str] = set()
        self.seen: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        self.number = 0

    def take(self, effects: list[fx.Effect]) -> None:
        for effect in effects:
            self.seen[type(effect).__name__] += 1
            match effect:
                case fx.ClaimGranted(_, claim, _, _):
                    self.idle.add(claim)
                case fx.StartStarter(claim, _):
                    self.starters.add(claim)
                case fx.StartJob(claim, job, run):
                    self.ends[claim] = (job, run, self.bench.now + self.random.randrange(60, 4 * 3600))
                case fx.SuspendJob(claim):
                    assert claim not in self.paused
                    self.paused.add(claim)
                case fx.ContinueJob(claim):
                    self.paused.discard(claim)
                case fx.SoftKill(claim) if self.random.random() < 0.7:
                    self.end(claim, vacated=True)
                case fx.HardKill(claim):
                    self.end(claim, vacated=True)
                case fx.StopStarter(claim):
                    assert claim not in self.ends
                    self.starters.discard(claim)
                    self.idle.discard(claim)

    def end(self, claim: str, vacated: bool) -> None:
        if claim in self.ends:
            job, run, _ = self.ends.pop(claim)
            self.paused.discard(claim)
            self.ended["evicted" if vacated else "finished"] += 1
            self.idle.add(claim)
            self.take(self.bench.do(ev.RunEnded(ExitReport(claim, job, run, vacated=vacated))))

    def schedd(self) -> None:
        """Claims what is free, runs jobs on what it has, gives back now and then."""
        for claim in sorted(self.starters & self.idle):
            if claim in self.idle and self.random.random() < 0.9:
                self.number += 1
                self.take(self.bench.do(ev.Ready(claim, 4)))
                if claim not in self.idle:
                    continue
                self.idle.discard(claim)
                self.take(self.bench.do(ev.Activate(claim, f"{self.number}.0", 1, job_ad())))
                if claim not in self.ends:
                    self.idle.add(claim)
            elif claim in self.idle:
                self.idle.discard(claim)
                self.take(self.bench.do(ev.ReleaseClaim(claim)))
        if self.random.random() < 0.3:
            self.number += 1
            slot = self.random.choice(("slot1@vm", "slot2@vm"))
            self.take(self.bench.do(ev.ClaimRequest(f"r{self.number}", slot, "a@b", "a", job_ad())))

    def live(self, seconds: int) -> None:
        for second in range(0, seconds, STEP):
            keyboard = self.desk.step(second)
            self.take(self.bench.wait(STEP, keyboard_idle=keyboard))
            for claim, (_, _, when) in list(self.ends.items()):
                if when <= self.bench.now and claim not in self.paused:
                    self.end(claim, vacated=False)
            self.schedd()
            if keyboard < 60:
                running = {info.claim_id for info in self.bench.startd.claims() if info.activity == "Busy"}
                assert not running & set(self.ends) - self.fresh(), "no job runs while the owner types"

    def fresh(self) -> set[str]:
        """Jobs that began since the last poll: the policy has not seen them yet."""
        return {info.claim_id for info in self.bench.startd.claims() if info.started >= self.bench.now}


@pytest.mark.parametrize("seed", [1, 2])
def test_a_day_of_a_desktop(seed: int) -> None:
    day = Day(seed)
    begun = day.bench.now
    day.live(DAY)
    assert day.ended["finished"] > 5
    assert day.ended["evicted"] > 2
    assert min(day.seen[name] for name in ("SuspendJob", "ContinueJob", "SoftKill", "HardKill")) > 0
    ads = day.bench.ads()
    for slot in ("slot1@vm", "slot2@vm"):
        spent = sum(int(text) for name, text in ads[slot].text_items() if name.startswith("TotalTime"))
        assert abs(spent - (day.bench.now - begun)) < 20, "every second is in one place"
    day.take(day.bench.do(ev.Shutdown("graceful")))
    for _ in range(3):
        day.take(day.bench.wait(3600))
    assert day.bench.startd.exiting, "every claim ends"
    assert not day.ends
