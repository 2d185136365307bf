"""Whatever happens in whatever order: the books add up, nothing is leaked, every promise is kept."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given, settings
from startd_bench import Bench, ev, fx, job_ad
from startd_bench import settings as startd_settings

from condor_py.model.report import ExitReport
from condor_py.model.settings.startd import FetchHooks, SlotPolicy, SlotType

POLICY = SlotPolicy(
    preempt="TARGET.JobPrio =?= 9 && MY.TotalLoadAvg > 5",
    want_suspend="TARGET.JobPrio =?= 5",
    suspend="MY.TotalLoadAvg > 3",
    continue_="MY.TotalLoadAvg < 1",
    kill="MY.TotalLoadAvg > 7",
    want_vacate="MY.TotalLoadAvg < 8",
    is_owner="MY.TotalLoadAvg > 9",
    max_job_retirement_time="TARGET.JobPrio * 10",
    machine_max_vacate_time="30",
    run_benchmarks="MyCurrentTime - LastBenchmark > 100",
    start_backfill="MY.TotalLoadAvg < 2",
    evict_backfill="MY.TotalLoadAvg > 3",
    rank="TARGET.JobPrio",
    hook_keyword="F",
    fetch_work_delay="7",
)
HOOKS = (FetchHooks("F", "/fetch", "/reply", "/evict"),)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "ask",
                "ask",
                "activate",
                "activate",
                "ready",
                "end",
                "end",
                "starter_gone",
                "release",
                "better",
                "withdraw",
                "match",
                "benchmarked",
                "backfill",
                "fetched",
                "deactivate",
                "vacate",
                "suspend",
                "continue",
                "drain",
                "cancel",
                "schedd_gone",
                "schedd_back",
                "poll",
                "poll",
                "poll",
                "reconfig",
                "shutdown",
            ]
        ),
        st.integers(0, 7),
        st.integers(0, 10),
    ),
    max_size=60,
)


class Walker:
    """Plays the schedd, the starters and the time."""

    def __init__(self) -> None:
        types = (SlotType(1, 1, True, "75%", POLICY), SlotType(2, 1, False, "25%", POLICY))
        self.made_of = startd_settings(
            types=types, claim_worklife=100, killing_timeout=10, backfill=True, fetch_hooks=HOOKS
        )
        self.bench = Bench(self.made_of)
        self.claims: dict[str, str] = {}
        self.jobs: dict[str, tuple[str, int]] = {}
        self.starters: set[str] = set()
        self.killed: set[str] = set()
        self.benchmarks = 0
        self.client = "none"
        self.fetching: set[str] = set()
        self.number = 0
        self.carry_out(self.bench.effects)

    def step(self, what: str, which: int, amount: int) -> None:
        event = getattr(self, f"_{what}", self._plain)(what, which, amount)
        if event is not None:
            self.carry_out(self.bench.do(event))

    def carry_out(self, effects: list[fx.Effect]) -> None:
        """The daemon's part, with what it may rely on."""
        for effect in effects:
            if isinstance(effect, fx.ClaimGranted):
                assert effect.claim not in self.claims
                self.claims[effect.claim] = effect.slot_name
            elif isinstance(effect, fx.StartStarter):
                assert effect.claim not in self.starters
                self.starters.add(effect.claim)
            elif isinstance(effect, fx.StartJob):
                assert effect.claim in self.starters
                assert effect.claim not in self.jobs, "two jobs on one claim"
                self.jobs[effect.claim] = (effect.job, effect.run)
            elif isinstance(effect, fx.StopStarter):
                assert effect.claim not in self.jobs, "starter stopped under its job"
                self.starters.discard(effect.claim)
                self.claims.pop(effect.claim, None)
            elif isinstance(effect, fx.StartBenchmarks):
                self.benchmarks += 1
                assert self.benchmarks == 1, "benchmarks run twice at a time"
            elif isinstance(effect, fx.FetchWork):
                assert effect.slot_name not in self.fetching, "one fetch a slot at a time"
                self.fetching.add(effect.slot_name)
            elif isinstance(effect, fx.StartBackfill):
                assert self.client == "none"
                self.client = "starting"
            elif isinstance(effect, fx.StopBackfill):
                assert self.client in ("starting", "running")
                self.client = "stopping"
            elif isinstance(effect, fx.ClaimLost):
                self.claims.pop(effect.claim, None)
            elif isinstance(effect, (fx.SoftKill, fx.HardKill, fx.KillStarter, fx.SuspendJob, fx.ContinueJob)):
                assert effect.claim in self.jobs, f"{effect} for a claim without a job"
                if isinstance(effect, (fx.HardKill, fx.KillStarter)):
                    self.killed.add(effect.claim)
        assert set(self.jobs) <= self.bench.claim_ids()

    def _pick(self, among: object, which: int) -> str | None:
        found = sorted(among)  # type: ignore[call-overload]
        return found[which % len(found)] if found else None

    def _ask(self, what: str, which: int, amount: int) -> ev.Event:
        self.number += 1
        ad = job_ad(RequestCpus=str(1 + amount % 3), JobPrio=str(which))
        slot = "slot2@vm" if which == 0 else "slot1@vm"
        return ev.ClaimRequest(f"q{self.number}", slot, "alice@example.net", "alice", ad)

    def _better(self, what: str, which: int, amount: int) -> ev.Event | None:
        claim = self._pick(self.claims, which)
        if claim is None:
            return None
        self.number += 1
        ad = job_ad(RequestCpus=str(1 + amount % 3), JobPrio=str(which))
        request = ev.ClaimRequest(f"q{self.number}", self.claims[claim], "bob@example.net", "bob", ad)
        return ev.BetterClaim(request, amount > 5)

    def _benchmarked(self, what: str, which: int, amount: int) -> ev.Event | None:
        if not self.benchmarks:
            return None
        self.benchmarks = 0
        return ev.BenchmarksDone({"Mips": str(amount)})

    def _fetched(self, what: str, which: int, amount: int) -> ev.Event | None:
        slot = self._pick(self.fetching, which)
        if slot is None:
            return None
        self.fetching.discard(slot)
        self.number += 1
        job = job_ad(ClusterId=str(self.number), Owner='"f"', JobPrio=str(which), RequestCpus=str(1 + amount % 3))
        return ev.WorkFetched(slot, job if amount > 3 else None)

    def _backfill(self, what: str, which: int, amount: int) -> ev.Event | None:
        if self.client == "none":
            return None
        if self.client == "starting":
            self.client = "running" if which else "none"
            return ev.BackfillStarted(bool(which))
        self.client = "none"
        return ev.BackfillGone(which)

    def _activate(self, what: str, which: int, amount: int) -> ev.Event | None:
        claim = self._pick(self.claims, which)
        if claim is None:
            return None
        self.number += 1
        return ev.Activate(claim, f"{self.number}.0", 1, job_ad(JobPrio=str(amount)))

    def _ready(self, what: str, which: int, amount: int) -> ev.Event | None:
        claim = self._pick(self.starters - set(self.jobs), which)
        return ev.Ready(claim, 77) if claim else None

    def _end(self, what: str, which: int, amount: int) -> ev.Event | None:
        claim = self._pick(self.jobs, which)
        if claim is None:
            return None
        job, run = self.jobs.pop(claim)
        return ev.RunEnded(ExitReport(claim, job, run, vacated=amount > 5))

    def _starter_gone(self, what: str, which: int, amount: int) -> ev.Event | None:
        claim = self._pick(self.starters, which)
        if claim is None:
            return None
        self.starters.discard(claim)
        self.jobs.pop(claim, None)
        return ev.StarterGone(claim, 9)

    def _release(self, what: str, which: int, amount: int) -> ev.Event | None:
        claim = self._pick(self.claims, which)
        if claim is None:
            return None
        del self.claims[claim]
        return ev.ReleaseClaim(claim)

    def _deactivate(self, what: str, which: int, amount: int) -> ev.Event | None:
        claim = self._pick(self.jobs, which)
        return ev.Deactivate(claim, amount > 5, 1023, "removed") if claim else None

    def _suspend(self, what: str, which: int, amount: int) -> ev.Event | None:
        claim = self._pick(self.jobs, which)
        return ev.SuspendClaim(claim) if claim else None

    def _continue(self, what: str, which: int, amount: int) -> ev.Event | None:
        claim = self._pick(self.jobs, which)
        return ev.ContinueClaim(claim) if claim else None

    def _poll(self, what: str, which: int, amount: int) -> None:
        self.carry_out(self.bench.wait(amount * 4, load_avg=float(amount)))

    def _plain(self, what: str, which: int, amount: int) -> ev.Event | None:
        if what == "shutdown" and which:
            return None
        how = ("graceful", "quick", "fast")[amount % 3]
        return {
            "vacate": lambda: ev.Vacate((None, "slot1@vm", "slot2@vm")[which % 3], amount > 5),
            "drain": lambda: ev.Drain(how, start="TARGET.JobPrio =?= 3" if which > 4 else ""),  # type: ignore[arg-type]
            "withdraw": lambda: ev.WithdrawClaim(""),
            "match": lambda: ev.Match(("slot1@vm", "slot2@vm")[which % 2]),
            "cancel": lambda: ev.CancelDrain(),
            "schedd_gone": lambda: ev.ScheddGone(),
            "schedd_back": lambda: ev.ScheddBack(),
            "reconfig": lambda: ev.Reconfig(self.made_of),
            "shutdown": lambda: ev.Shutdown(("graceful", "fast", "peaceful")[amount % 3]),  # type: ignore[arg-type]
        }[what]()


@settings(max_examples=250, deadline=None, derandomize=True)
@given(STEPS)
def test_any_history_keeps_the_books(steps: list[tuple[str, int, int]]) -> None:
    walker = Walker()
    for step in steps:
        walker.step(*step)
    walker.bench.ads()
    # A fast shutdown ends everything, however confused the past was.
    walker.carry_out(walker.bench.do(ev.Shutdown("fast")))
    for claim in sorted(walker.jobs):
        job, run = walker.jobs.pop(claim)
        walker.carry_out(walker.bench.do(ev.RunEnded(ExitReport(claim, job, run, vacated=True))))
    if walker.client != "none":
        walker.bench.do(ev.BackfillGone())
    walker.bench.wait(1000)
    assert walker.bench.claim_ids() == set()
    assert walker.bench.startd.exiting
