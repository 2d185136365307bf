"""The spans of condor_q -forecast hold for as many jobs as they say: the simulated pool then runs the jobs."""

from __future__ import annotations

from copy import deepcopy
from functools import cache

from condor_py.cli.q.forecast import Prospect, Waiting
from condor_py.core.jobs.demand import demand
from condor_py.core.match.forecast import forecast
from condor_py.core.match.snapshot import Snapshot
from condor_py.lang.classad import clock
from condor_py.model.ids import JobId
from condor_py.simulate.durations import Duration, Exponential, LogNormal, OneOf, Uniform
from condor_py.simulate.outlook import Likely
from condor_py.simulate.pool import machine
from condor_py.simulate.runtimes import Like, RunTimes, Sample
from condor_py.simulate.simulation import Simulation

#: When the forecast is made, in seconds after the start.
NOON = 1800.0


def of_cluster(job: JobId) -> Like:
    return Like("somebody", f"program {job.cluster}")


class Known(RunTimes):
    """Like jobs share one sample."""

    of = cache(RunTimes.of)


def moments(sim: Simulation, what: str) -> dict[JobId, float]:
    """When each job started for the first time, or ended, in seconds after the start."""
    found: dict[JobId, float] = {}
    for happening in sim.ledger.history:
        if happening.what == what:
            cluster, proc = map(int, happening.job.split("."))
            found.setdefault(JobId(cluster, proc), happening.when)
    return found


def foreseen(sim: Simulation) -> dict[JobId, Likely]:
    """What is foreseen of the jobs that wait, from what has ended until now."""
    started, ended = moments(sim, "start"), moments(sim, "end")
    here = sim.now - sim.start
    running = [(of_cluster(job), here - begun) for job, begun in started.items() if job not in ended]
    times = Known(((of_cluster(job), end - started[job]) for job, end in ended.items()), running)
    now = int(sim.now)
    with clock.frozen(now):
        slots = sim.slot_ads()
        waiting = demand(sim.schedd.state)
        snapshot = Snapshot(now, slots, waiting)
        by_job = {ad.eval_str("Name"): JobId(*map(int, ad.eval_str("JobId", "0.0").split("."))) for ad in slots}

        def sample(slot_name: str | None) -> Sample:
            return times.of(of_cluster(by_job[slot_name]))

        passed = {name: sim.now - sim.start - started.get(job, 0.0) for name, job in by_job.items()}
        ends = {
            str(ad.eval_str("Name")): now + max(1.0, sample(ad.eval_str("Name")).mean - passed[ad.eval_str("Name")])
            for ad in slots
            if ad.has("RemoteUser")
        }
        found = forecast(
            snapshot, deepcopy(sim.accountant), sim.settings.negotiator,
            lambda job: times.of(of_cluster(job)).mean, ends, most=60,
        )  # fmt: skip
        order = [
            Waiting(job, one.name, request.ad, times.of(of_cluster(job)))
            for one in waiting
            for request in one.requests
            for job in request.jobs
        ]
        return Prospect(slots, sim.settings.negotiator, sim.accountant.effective_priority).likely(
            order, lambda slot: passed[slot.eval_str("Name")], lambda slot: sample(slot.eval_str("Name")),
            {job: start - now for job, start in found.starts.items()}, sim.settings.schedd.claim_worklife,
        )  # fmt: skip


def share_that_holds(seed: int, cores: int, *work: tuple[str, int, int, Duration]) -> tuple[float, float]:
    sim = Simulation(facts=machine(cores), seed=seed)
    for user, jobs, cpus, duration in work:
        sim.submit(user, jobs, duration, at=0, cpus=cpus)
    sim.run(until=NOON)
    likely = foreseen(sim)
    sim.run()
    started, ended = moments(sim, "start"), moments(sim, "end")
    waits = {job: started[job] - NOON for job in likely}
    ends = {job: ended[job] - NOON for job in likely}
    good = sum(one.start.early - 2 <= waits[job] <= one.start.late + 2 for job, one in likely.items())
    also = sum(one.end.early - 2 <= ends[job] <= one.end.late + 2 for job, one in likely.items())
    return good / len(likely), also / len(likely)


WORK: tuple[tuple[int, tuple[tuple[str, int, int, Duration], ...]], ...] = (
    (4, (("ann", 60, 1, LogNormal(600, 0.6)),)),
    (8, (("ann", 70, 1, Exponential(900)), ("ben", 40, 1, LogNormal(500, 0.8)))),
    (8, (("ann", 50, 1, Uniform(200, 1500)), ("ben", 25, 2, Exponential(700)))),
    (4, (("ann", 60, 1, OneOf((60, 60, 60, 2400))),)),
)


def test_eight_of_ten_jobs_start_and_end_within_their_span() -> None:
    shares = [share_that_holds(seed, cores, *work) for cores, work in WORK for seed in range(4)]
    for which in ("start", "end"):
        held = sum(share[which == "end"] for share in shares) / len(shares)
        assert 0.7 <= held <= 0.9, which
