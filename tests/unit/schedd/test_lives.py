"""What the queue, the event logs and everybody else are told in the life of a job, held in lives.txt beside this.

Names and forms of attributes are an interface: users query them, programs read them, a schedd that restarts goes by
them. Where one changes on purpose, ``python tests/unit/schedd/test_lives.py`` (with PYTHONPATH=.) writes the file anew.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from world import World

from condor_py.core.jobs.actions import perform
from condor_py.core.jobs.effects import Effect, Leave
from condor_py.core.jobs.events import ClaimLost, StartdConnected, StartdLost, Tick
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.runs import RunEnded, RunNotice, RunSuspended, RunUpdate
from condor_py.model.record import Change
from condor_py.model.report import ExitReport, Usage
from condor_py.model.states import VacateCode

HELD = Path(__file__).with_name("lives.txt")
OPS = {101: "new", 102: "destroy", 103: "set", 104: "delete"}


class Watched(World):
    """A world that writes down what it is told."""

    def __init__(self, **settings: object) -> None:
        self.lines: list[str] = []
        super().__init__(**settings)
        apply = self.queue.apply

        def noted(records: list[Change]) -> None:
            self.lines += [" ".join(("  ", OPS[op], key, name, value)).rstrip() for op, key, name, value in records]
            apply(records)

        self.queue.apply = noted  # type: ignore[method-assign]
        self._told = 0

    def step(self, what: str) -> None:
        """Everything since the last step was of this one."""
        self.lines += [f"   {text}" for effect in self.seen[self._told :] if (text := shown(effect))]
        self._told = len(self.seen)
        self.done = [*getattr(self, "done", []), f"- {what}", *self.lines]
        self.lines = []
        self.now += 100

    def act(self, job: JobId, action: str) -> None:
        ad = self.queue.job(job)
        assert ad is not None
        _, records = perform(action, job, ad, actor="alice", reason=None, subcode=None, now=self.now)
        self.written(records)


def shown(effect: Effect) -> str:
    """An effect of one job with its plain fields."""
    if isinstance(effect, Leave):
        return f"Leave(job={effect.jobs[0]!r})"
    fields = []
    for name in type(effect).__match_args__:
        value = getattr(effect, name)
        if not isinstance(value, ClassAd) and name not in ("items", "procs"):
            fields.append(f"{name}={value!r}")
    return f"{type(effect).__name__}({', '.join(fields)})"


def usual() -> Watched:
    """Runs, is suspended, sends its output back, ends."""
    world = Watched(job_machine_attrs=("Cpus",))
    world.connect()
    (job,) = world.submit(
        7, JobNotification="1", JobMachineAttrs='"Memory"', TransferInput='"a,http://x/b"', Cmd='"/bin/x"',
        AccountingGroup='"physics.alice"', Iwd='"/home/alice"', EmailAttributes='"QDate"',
    )  # fmt: skip
    world.step("submitted")
    world.match(job, submitter="physics.alice@example.net")
    world.step("matched")
    world.started(job)
    world.step("started")
    run = world.core.runs[job]
    world.handle(RunUpdate(run.claim_id, job, run.number, {"ImageSize_RAW": "5000", "ResidentSetSize_RAW": "3000"}))
    world.step("has grown")
    world.handle(RunNotice(run.claim_id, job, run.number, "look here", False))
    world.step("has something to say")
    world.handle(RunSuspended(run.claim_id, job, run.number, 3))
    world.step("is suspended")
    world.handle(RunSuspended(run.claim_id, job, run.number, None))
    world.step("goes on")
    checkpoint = {"CheckpointNumber": "1", "LastCkptTime": str(world.now), "NewlyCommittedTime": "55"}
    world.handle(RunUpdate(run.claim_id, job, run.number, checkpoint))
    world.step("has a checkpoint")
    world.handle(RunUpdate(run.claim_id, job, run.number, {"TransferringOutput": "true"}))
    world.step("sends its output")
    usage = Usage(3.0, 1.5, 4000, 77, 111, 222, 3, 4, 5, 6000)
    world.ended(
        job, exit_code=3, usage=usage, pid=4711, start_time=1200.0, exec_time=1210.0, end_time=1890.5,
        input_transfer=(1201.0, 1202.0), output_transfer=(1880.0, 1885.0),
    )  # fmt: skip
    world.step("has ended")
    return world


def hard() -> Watched:
    """Is evicted, held while it runs, released, lost, killed by a signal, held by its own policy, and removed."""
    world = Watched(preempted_pause=0)
    world.connect()
    policy = {"OnExitHold": "ExitBySignal", "OnExitHoldReason": '"no"', "OnExitHoldSubCode": "9"}
    (job,) = world.submit(8, **policy)
    world.match(job)
    world.started(job)
    world.step("started")
    why = "PREEMPT expression evaluated to True"
    report = dataclasses.replace(report_of(world, job), vacated=True, exit_signal=15, end_time=1050.0)
    world.core.handle(RunEnded(report, VacateCode.PREEMPT, why), world.now)
    world.handle(ClaimLost(report.claim_id, VacateCode.PREEMPT, why))
    world.step("evicted")
    world.match(job)
    world.started(job)
    world.act(job, "hold")
    world.step("to be held")
    world.ended(job, exit_signal=15, vacated=True)
    world.step("held")
    world.act(job, "release")
    world.step("released")
    world.match(job)
    world.started(job)
    world.handle(StartdLost())
    world.step("out of reach")
    world.handle(StartdConnected(()))
    world.step("lost")
    world.match(job)
    world.started(job)
    world.ended(job, exit_signal=11, core_dumped=True, pid=4711)
    world.step("held by its policy")
    world.act(job, "remove")
    world.step("removed")
    return world


def failing() -> Watched:
    """Fails before it begins: at its input, by its slot, and for nobody's fault."""
    world = Watched()
    world.connect()
    held, slot = world.submit(9, 2)
    world.match(held)
    world.ended(held, hold_code=13, hold_subcode=2, hold_reason="no input", exec_time=0.0)
    world.step("no input")
    world.match(slot)
    world.ended(slot, error="the slot is broken", exec_time=0.0)
    world.step("the slot failed")
    world.core.handle(Tick(), world.now)
    world.turn()
    world.match(slot)
    report = dataclasses.replace(report_of(world, slot), vacated=True)
    world.core.handle(RunEnded(report, VacateCode.DRAINING, "drained"), world.now)
    world.handle(ClaimLost(report.claim_id, VacateCode.DRAINING, "drained"))
    world.step("drained")
    world.act(slot, "remove")
    world.step("removed")
    return world


def report_of(world: World, job: JobId) -> ExitReport:
    run = world.core.runs[job]
    return ExitReport(run.claim_id, str(job), run.number)


LIVES = {"usual": usual, "hard": hard, "failing": failing}


def transcript() -> Iterator[str]:
    for name, live in LIVES.items():
        world = live()
        yield f"== {name}: {live.__doc__}"
        yield from world.done
        yield ""


def test_the_lives_of_jobs_are_told_as_they_are_held() -> None:
    assert list(transcript()) == HELD.read_text().split("\n")[:-1]


if __name__ == "__main__":
    HELD.write_text("".join(f"{line}\n" for line in transcript()))
