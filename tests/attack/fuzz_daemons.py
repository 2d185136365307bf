"""Hostile ads through the whole life of a job, in the cores of all daemons: nothing may fail over them, and the jobs of
others run as if they were not there.

The cores are driven without processes, so that a thousand lives take a second or two. ``tests/attack/run`` does it for
as long as asked, the test suite for a moment.
"""

from __future__ import annotations

import os
import pwd
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

_UNIT = Path(__file__).resolve().parent.parent / "unit"
for _room in ("schedd", "startd", "negotiator"):
    sys.path.insert(0, str(_UNIT / _room))

from hostile import bad_ads
from negotiator_pool import Pool, claimed, demand, partitionable, slot
from negotiator_pool import job_ad as wanted
from startd_bench import Bench, job_ad
from world import CLUSTER, World

from condor_py.client.userlog import UserLogs
from condor_py.core.jobs.actions import ACTIONS, perform
from condor_py.core.jobs.effects import Note, UserEvent
from condor_py.core.jobs.events import ClaimLost, PoliciesDue, Tick
from condor_py.core.match.trial import without_culprits
from condor_py.core.runs.facts import kill_rules
from condor_py.core.slots import effects as fx
from condor_py.core.slots import events as ev
from condor_py.daemons.common.daemonad import OwnAds
from condor_py.daemons.common.publish import ScheddAds
from condor_py.daemons.starter.jobfamily import JobFamily
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import load
from condor_py.lang.config.builders.daemon import daemon
from condor_py.machine.run.job import read_job
from condor_py.machine.run.jobad import job_ad_text, provisioned
from condor_py.model.ids import JobId
from condor_py.model.messages.runs import RunUpdate
from condor_py.model.settings.negotiator import NegotiatorSettings
from condor_py.model.settings.starter import StarterSettings
from condor_py.model.settings.userlog import UserLogSettings

_ME = pwd.getpwuid(os.geteuid()).pw_name
_SETTINGS = daemon(load({"CONDOR_CONFIG": "ONLY_ENV"}, subsystem="SCHEDD"), "SCHEDD")
_FAULT = re.compile(r"^ERROR", re.MULTILINE)


class Failure(AssertionError):
    """A daemon failed over an ad."""


def through_the_schedd(changes: dict[str, str], folder: str) -> None:
    """Submitted, matched, run twice, held, released, removed; its events formatted and its ads published."""
    world = World(periodic_expr_interval=1)
    world.connect()
    good = world.submit(1, Owner='"bob"', User='"bob@example.net"')
    bad = world.submit(2, **{**CLUSTER, "ClusterId": "2", **changes})[0]
    told: list[str] = []
    logs = UserLogs(UserLogSettings(), told.append)
    _live(world, bad)
    world.match(*good, submitter="bob@example.net")
    if good[0] in world.core.runs:
        world.started(good[0])
        world.ended(good[0], exit_code=0)
    if world.queue.job(good[0]) is not None:
        raise Failure("another user's job did not run")
    for effect in world.seen:
        if isinstance(effect, Note) and _FAULT.search(effect.text):
            raise Failure(effect.text)
        if isinstance(effect, UserEvent):
            ad = effect.ad.flat_copy()
            ad.set_str("Iwd", folder)
            ad.set_str("UserLog", "job.log")
            ad.set_str("Owner", _ME)
            ad.remove("OsUser")
            logs.add(UserEvent(ad, effect.event, effect.procs))
    logs.flush()


def _live(world: World, job: JobId) -> None:
    """A life of one job, as far as it gets."""
    core = world.core
    for round_ in range(2):
        core.handle(Tick(), world.now)
        core.handle(PoliciesDue(), world.now)
        world.turn()
        world.match(job, submitter=_submitter(world, job))
        if job in core.runs:
            world.started(job)
            run = core.runs.get(job)
            if run is not None:
                world.handle(RunUpdate(run.claim_id, job, run.number, {"RemoteUserCpu": "1.5", "ImageSize_RAW": "12"}))
        world.now += 100
        core.handle(PoliciesDue(), world.now)
        world.turn()
        if job in core.runs:
            if round_:
                world.ended(job, exit_code=1)
            else:
                world.handle(ClaimLost(core.runs[job].claim_id, 1013, "shut down"))
        world.now += 100
    for action in ACTIONS:
        ad = world.queue.job(job)
        if ad is not None:
            world.written(perform(action, job, ad, actor="alice", reason=None, subcode=None, now=world.now)[1])
            world.now += 10
            core.handle(PoliciesDue(), world.now)
            world.turn()


def _submitter(world: World, job: JobId) -> str:
    entry = world.core.idle.get(job)
    return entry.submitter if entry is not None else "alice@example.net"


def through_the_startd(changes: dict[str, str]) -> None:
    """Asked for, activated, polled, measured, suspended, deactivated, vacated."""
    bench = Bench()
    ad = job_ad(**changes)
    bench.ask(ad=ad)
    granted = [effect for effect in bench.effects if isinstance(effect, fx.ClaimGranted)]
    if granted:
        claim_id = granted[0].claim
        bench.do(ev.Ready(claim_id, 4711))
        bench.run(claim_id, ad=ad)
        bench.do(ev.RunUpdate(claim_id, JobId(1, 0), 1, {"RemoteUserCpu": "1.5", **changes}))
        bench.wait(5)
        bench.ads()
        bench.do(ev.ScheddGone())
        bench.wait(10)
        bench.do(ev.ScheddBack())
        bench.do(ev.Drain("graceful"))
        bench.wait(5)
        bench.startd.next_wakeup()
        bench.do(ev.Deactivate(claim_id, True, 1, "held"))
        bench.wait(5)
        bench.end(claim_id)
        bench.wait(1000)
    for line in bench.log:
        if _FAULT.search(line):
            raise Failure(line)


def through_the_negotiator(changes: dict[str, str]) -> None:
    """A request beside an honest one, on free and on claimed slots, with preemption allowed."""
    knobs = NegotiatorSettings(consider_preemption=True, preemption_requirements="true")
    slots = [partitionable(1, 4, 4096), claimed(slot(2), "carol@example.net"), slot(3)]
    slots[1].set_texts([(name, text) for name, text in changes.items() if name not in ("Name", "State")])
    pool = Pool(slots, knobs)
    bad = wanted()
    bad.set_texts(list(changes.items()))
    plan = pool.negotiate(demand("alice@example.net", (1, bad)), demand("bob@example.net", (1, wanted())))
    if not any(match.submitter == "bob@example.net" for match in plan.matches):
        raise Failure("another user's job was not matched")
    snapshot = pool.snapshot(demand("alice@example.net", (1, bad)))
    assert not without_culprits(snapshot, lambda part: None).rejections


def through_the_starter(changes: dict[str, str]) -> None:
    """Read as the starter does, with its limits worked out."""
    items = {**CLUSTER, "ClusterId": "1", "ProcId": "0", "Iwd": '"/tmp"', "Cmd": '"/bin/true"', **changes}
    ad = ClassAd.from_text_items(items.items())
    job = read_job(ad, "example.net")
    kill = kill_rules(ad)
    if not 0 <= job.nice <= 19 or not all(0 <= number <= 64 for number in (kill.soft, kill.removed, kill.held)):
        raise Failure(f"nice {job.nice}, signals {kill}")
    slot_ad = ClassAd.from_text_items([("Cpus", "1"), ("Memory", "128"), *changes.items()])
    family = JobFamily(StarterSettings("/tmp", job_renice_increment="MY.JobNice", base_cgroup=""), "slot1@vm", slot_ad)
    family.within(ad)
    job_ad_text(ad, provisioned(slot_ad), job, "/tmp/scratch")


def schedd_ads(changes: dict[str, str]) -> None:
    """The ads of the schedd and its submitters while such a job waits."""
    world = World()
    world.connect()
    world.submit(1, **{**CLUSTER, "ClusterId": "1", **changes})
    ScheddAds(world.core, OwnAds(900)).write(_SETTINGS, 1000)


def one(changes: dict[str, str], folder: str) -> None:
    """One hostile ad through everything. Failure, or whatever was raised, with the ad."""
    for part in (through_the_startd, through_the_negotiator, through_the_starter, schedd_ads):
        try:
            part(changes)
        except Exception as error:
            raise Failure(f"{part.__name__} with {changes}: {type(error).__name__}: {error}") from error
    try:
        through_the_schedd(changes, folder)
    except Exception as error:
        raise Failure(f"through_the_schedd with {changes}: {type(error).__name__}: {error}") from error


def run(seed: int, each: int) -> Iterator[Failure | None]:
    """All ads of a seed, one after the other; what failed."""
    with tempfile.TemporaryDirectory() as folder:
        for changes in bad_ads(seed, each):
            try:
                one(changes, folder)
            except Failure as failure:
                yield failure
            else:
                yield None
