"""The schedd core under random events: thousands of seeds, the books checked after every one of them.

Users submit, hold, release, remove, vacate, suspend and edit; runs start, end and fail; claims are granted, refused and
lost; the startd goes and comes; time passes. ``World.turn`` ends every step with ``validate``.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace
from itertools import pairwise

import pytest
from world import Activate, Deactivate, ReleaseClaim, World, job_of

from condor_py.core.jobs.actions import ACTIONS, perform
from condor_py.core.jobs.effects import Leave, SizesWanted, UserEvent
from condor_py.core.jobs.events import (
    ClaimLost,
    ClaimRefused,
    ClaimReleased,
    Planned,
    PoliciesDue,
    Reconfigured,
    RunNow,
    SizesFound,
    StartdConnected,
    StartdLost,
    Tick,
)
from condor_py.core.jobs.immediate import CannotReassign
from condor_py.core.jobs.parts import ClaimInfo
from condor_py.core.jobs.rights import Caller
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import RequestClaim
from condor_py.model.plan import Match, Plan
from condor_py.model.record import SET, Change
from condor_py.model.report import Usage
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.settings.sizing import AutoRequests
from condor_py.model.sizes import Sizes

ALICE = "alice@example.net"
#: A job that asks for what like jobs have used.
AUTO = {
    "Cmd": '"/bin/sort"', "RequestMemory": "AutoRequestMemory", "AutoRequestMemory": "64",
    "MemoryRequestSource": '"default"',
}  # fmt: skip
#: Walks a part; CONDOR_PY_WALKS asks for more (10,000 take about two minutes).
SEEDS = int(os.environ.get("CONDOR_PY_WALKS", "150"))
#: What may follow an event in a job's log (image sizes, transfers and priority edits left out).
FOLLOWS: dict[int, set[int]] = {
    0: {1, 5, 9, 12, 22, 4, 21},
    1: {4, 5, 9, 10, 12, 21, 22, 1},
    4: {1, 5, 9, 12, 4, 22, 21},
    10: {11, 4, 5, 9, 12, 21, 22, 10},
    11: {10, 4, 5, 9, 12, 21, 22},
    12: {13, 9, 12},
    13: {1, 4, 5, 9, 12, 21, 22},
    21: {4},
    22: {23, 24},
    23: {1, 4, 5, 9, 10, 11, 12, 21, 22, 23},
    24: {1, 4, 5, 9, 12, 22, 21},
    5: {9},
    9: set(),
}


class Walk:
    """A world, the startd's side of it, and a source of chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        settings: dict[str, object] = {
            "job_start_delay": self.chance.choice([0, 0, 2]),
            "claim_worklife": self.chance.choice([-1, 5]),
            "max_jobs_running": self.chance.choice([2, 100]),
            "on_vacate_cool_down": self.chance.choice(["", "2"]),
        }
        self.world = World(**settings)
        self.world.connect()
        #: Chance for what came later than most of this: the walks of a seed stay what they were without it.
        self.late = random.Random(seed + 1_000_000)
        self.clusters = 0
        self.handled = 0
        self.asked: list[RequestClaim] = []
        self.active: dict[str, Activate] = {}
        self.claims: dict[str, ClaimInfo] = {}
        self.submitted: set[JobId] = set()

    # -- the startd's side -----------------------------------------------------------------------------------------

    def listen(self) -> None:
        """Takes what the core has told the startd since."""
        seen = self.world.seen
        while self.handled < len(seen):
            effect = seen[self.handled]
            self.handled += 1
            if isinstance(effect, RequestClaim):
                self.asked.append(effect)
            elif isinstance(effect, Activate) and effect.claim in self.claims:
                self.active[effect.claim] = effect
            elif isinstance(effect, ReleaseClaim) and self.claims.pop(effect.claim, None) is not None:
                self.active.pop(effect.claim, None)
                self.world.core.handle(ClaimReleased(effect.claim), self.world.now)
                self.world.turn()

    def running(self) -> JobId | None:
        runs = [job for job, run in self.world.core.runs.items() if run.claim_id in self.active]
        return self.chance.choice(sorted(runs)) if runs else None

    def any_job(self) -> JobId | None:
        jobs = sorted(self.world.queue.procs)
        return self.chance.choice(jobs) if jobs else None

    # -- steps -----------------------------------------------------------------------------------------------------

    def submit(self) -> None:
        self.clusters += 1
        extra: dict[str, str] = {}
        for name, text, odds in (
            ("KeepClaimIdle", "3", 4), ("OnExitRemove", "ExitCode == 0", 3), ("OnExitHold", "ExitCode == 3", 5),
            ("PeriodicHold", "NumJobStarts == 2", 8), ("PeriodicRelease", "NumHolds < 3", 3),
            ("PeriodicRemove", "NumShadowStarts > 4", 6), ("PeriodicVacate", "JobStatus == 2", 12),
            ("LeaveJobInQueue", "JobStatus == 4", 12), ("IsNoopJob", "true", 15), ("CronMinute", '"*/2"', 12),
            ("AllowedJobDuration", "6", 8), ("JobNotification", "1", 3), ("WantGracefulRemoval", "false", 4),
            ("NextJobStartDelay", "2", 8),
        ):  # fmt: skip
            if self.chance.randrange(odds) == 0:
                extra[name] = text
        if self.late.randrange(3) == 0:
            extra |= AUTO
        self.submitted |= set(self.world.submit(self.clusters, procs=self.chance.randint(1, 3), **extra))

    def negotiate(self) -> None:
        idle = [job for job in sorted(self.world.queue.procs) if job in self.world.core.idle]
        chosen = self.chance.sample(idle, min(len(idle), self.chance.randint(1, 3)))
        matches = tuple(Match(job, ALICE, "slot1@vm", 1.0) for job in chosen)
        self.world.core.handle(Planned(Plan(matches)), self.world.now)
        self.world.turn()

    def answer(self) -> None:
        if not self.asked:
            return
        request = self.asked.pop(0)
        if request.id not in self.world.core.claims.asked:
            return
        if self.chance.random() < 0.2:
            self.world.handle(ClaimRefused(request.id, "no"))
            return
        self.world.grant(request)
        info = f"<addr>#1#{self.world.claims}#secret"
        if info in self.world.core.claims:
            self.claims[info] = self.world.core.claims[info].info

    def start(self) -> None:
        if (job := self.running()) is not None:
            self.world.started(job)

    def end(self) -> None:
        if (job := self.running()) is None:
            return
        run = self.world.core.runs[job]
        ending: dict[str, object] = self.chance.choice(
            [{"exit_code": 0}, {"exit_code": 1}, {"exit_code": 3}, {"exit_signal": 9}, {"error": "the slot is broken"},
             {"hold_code": 13, "hold_subcode": 2, "hold_reason": "no such file"}]
        )  # fmt: skip
        if run.stop_code or self.chance.random() < 0.1:
            ending = {"vacated": True, "exit_signal": 15}
        self.active.pop(run.claim_id)
        usage = Usage(1.0, 0.5, self.late.choice([2000, 300_000, 900_000]))
        self.world.ended(job, usage=usage, **ending)
        if self.world.told(SizesWanted) and self.world.core.state.sizing.sizes is None:
            self.world.handle(SizesFound(Sizes(AutoRequests())))

    def act(self) -> None:
        job = self.any_job()
        ad = self.world.queue.job(job) if job is not None else None
        if job is None or ad is None:
            return
        action = self.chance.choice(ACTIONS)
        now = self.world.now
        _, records = perform(action, job, ad, actor="alice", reason=None, subcode=None, now=now)
        self.world.written(records)

    def edit(self) -> None:
        if (job := self.any_job()) is not None:
            self.world.written([Change(SET, str(job), "JobPrio", str(self.chance.randint(-3, 3)))])
            if self.late.randrange(3) == 0:
                request = self.late.choice(["auto", "300", "AutoRequestMemory", "undefined"])
                self.world.written([Change(SET, str(job), "RequestMemory", request)])

    def lose_claim(self) -> None:
        if self.claims:
            claim = self.chance.choice(sorted(self.claims))
            del self.claims[claim]
            idle = self.active.pop(claim, None) is None or self.chance.random() < 0.5  # the order was on its way
            self.world.handle(ClaimLost(claim, 1013, "Startd was shutdown", idle))

    def lose_startd(self) -> None:
        self.world.handle(StartdLost())
        self.asked.clear()
        self.world.now += self.chance.choice([0, 1, 3000])
        self.world.core.handle(PoliciesDue(), self.world.now)
        self.world.turn()
        kept = [
            replace(info, job=str(run.job), run=run.run) if (run := self.active.get(claim)) is not None else info
            for claim, info in self.claims.items()
        ]
        forgotten = self.chance.random() < 0.3
        if forgotten:
            self.claims.clear()
            self.active.clear()
        self.world.handle(StartdConnected(() if forgotten else tuple(kept)))

    def time_passes(self) -> None:
        self.world.now += self.chance.choice([1, 1, 2, 5, 60])
        self.world.core.handle(Tick(), self.world.now)
        self.world.turn()
        if self.chance.random() < 0.5:
            self.world.core.handle(PoliciesDue(), self.world.now)
            self.world.turn()

    def now(self) -> None:
        job, victims = self.any_job(), sorted(self.world.core.runs)
        if job is None or not victims:
            return
        try:
            self.world.core.handle(RunNow(Caller("alice"), job, victims[:2]), self.world.now)
        except CannotReassign:
            return
        self.world.turn()

    def reconfigure(self) -> None:
        delay = self.chance.choice([0, 1])
        self.world.core.handle(
            Reconfigured(ScheddSettings(uid_domain="example.net", job_start_delay=delay)), self.world.now
        )
        self.world.turn()

    def go(self, steps: int) -> None:
        choices = [
            (self.submit, 3), (self.negotiate, 6), (self.answer, 8), (self.start, 6), (self.end, 6), (self.act, 4),
            (self.edit, 1), (self.lose_claim, 1), (self.lose_startd, 1), (self.time_passes, 4), (self.now, 1),
            (self.reconfigure, 1),
        ]  # fmt: skip
        actions, weights = zip(*choices, strict=True)
        for action in self.chance.choices(actions, weights, k=steps):
            action()
            self.listen()

    def drain(self) -> None:
        """Everybody removes everything: in the end the queue is empty, whatever has happened."""
        for job in sorted(self.world.queue.procs):
            ad = self.world.queue.job(job)
            if ad is not None:
                records = perform("remove", job, ad, actor="alice", reason=None, subcode=None, now=self.world.now)[1]
                self.world.written(records)
                self.listen()
        for _ in range(300):
            if not self.world.queue.procs:
                return
            self.end()
            self.listen()
            self.time_passes()
            self.listen()


def check_stories(walk: Walk) -> None:
    """Every job that left was told of from its submit to its one end, in an order that makes sense."""
    stories: dict[JobId, list[int]] = {}
    left = [effect.jobs[0] for effect in walk.world.seen if isinstance(effect, Leave)]
    for effect in walk.world.seen:
        if isinstance(effect, UserEvent) and effect.event.number not in (6, 33, 40):
            stories.setdefault(job_of(effect), []).append(effect.event.number)
    for job in walk.submitted:
        story = stories[job]
        assert story[0] == 0, f"{job}: {story}"
        for before, after in pairwise(story):
            assert after in FOLLOWS[before], f"{job}: {after} after {before} in {story}"
        assert story[-1] in (5, 9), f"{job}: {story}"
        assert left.count(job) == 1, f"{job} left {left.count(job)} times: {story}"


@pytest.mark.parametrize("part", range(4))
def test_random_walks(part: int) -> None:
    for seed in range(part * SEEDS, part * SEEDS + SEEDS):
        walk = Walk(seed)
        try:
            walk.go(70)
            walk.drain()
            assert not walk.world.queue.procs, "jobs are left that nobody can remove"
            check_stories(walk)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}") from error
        assert not any(isinstance(effect, Deactivate) and effect.claim == "" for effect in walk.world.seen)
