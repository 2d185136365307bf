"""The starter process: forked by the startd for one claim, runs job after job on it until the claim ends.

It talks to the startd over a socket pair. When that closes, the startd is gone: the job is killed and the starter
leaves. What comes next is decided by a pure core (``runs``): what happens goes in as events, and ``JobWork`` carries
out what comes of it.
"""

from __future__ import annotations

import os
import socket
from collections import deque
from dataclasses import replace

from condor_py.core.runs import events as on
from condor_py.core.runs.core import Course
from condor_py.core.runs.effects import Do, Effect, Step, Wait
from condor_py.core.runs.phases import Phase
from condor_py.daemons.common.guard import FaultGuard
from condor_py.daemons.common.link import Link
from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.common.loop import Loop, now, unset_timer
from condor_py.daemons.starter.jobwork import JobWork
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.machine.run.identity import mark_accounts
from condor_py.machine.run.namespaces import hide_mounts, may_mount
from condor_py.machine.run.sandbox import Sandbox, create_root, remove_tree
from condor_py.model.errors import CondorError
from condor_py.model.messages import runs as say
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode
from condor_py.store.fs import describe

#: Seconds between looks at the clock of a job that waits for its time.
_LOOK_AT_CLOCK = 10.0
#: Characters of an error that a HoldReason shows.
_SHOWN = 200
#: News without which the run cannot continue: the receiver answers them, or acts on them.
_AWAITED = frozenset(
    kind.op for kind in (say.Ready, say.RunStarted, say.CatalogsStaged, say.Checkpointed, say.RunEnded)
)


class StarterDaemon:
    """At most one run at a time."""

    def __init__(self, setup: StarterSetup, sock: socket.socket) -> None:
        self.setup = setup
        self.loop = Loop()
        self.log = DaemonLog(setup.log, "starter", pid=True, needed=False)
        self.log.write_banner("starter")
        self.log.write(f'Submitting machine is "{setup.host}"')
        self.guard = FaultGuard(self.log.write)
        self.loop.on_fault(self._fault)
        self._status = 0
        self.link = Link(self.loop, sock, self._message, self._startd_gone, hears=say.BY_STARTER)
        self.course = Course()
        self._to_do: deque[Effect] = deque()
        self._busy = False
        self._timer = unset_timer()
        self._due = 0.0  # when the job may execute that waits for its time
        sandbox = self._sandbox()
        if setup.tracking_gid:
            mark_accounts(setup.tracking_gid)
        self.work = JobWork(setup, self.loop, self.log, self.guard, self.link, sandbox, self.happened)
        self.loop.on_jump(self.work.clock_jumped)

    def _sandbox(self) -> Sandbox:
        setup = self.setup
        try:
            disk = setup.settings.scratch_volume
            if disk is None:
                return create_root(setup.execute, os.getpid(), setup.settings.scratch_mode)
            if disk.hidden and may_mount():
                hide_mounts()
            size = max(1, setup.slot_ad.eval_int("Disk", 0) or 0)
            return create_root(setup.execute, os.getpid(), setup.settings.scratch_mode, disk, size)
        except OSError as error:
            why = describe(error, "cannot make the scratch directory", str(error.filename or setup.execute))
            self.link.send(say.Unable(setup.claim_id, why))
            self.link.flush()
            raise

    def serve(self) -> int:
        """Until the claim ends; the exit status. One that is not 0 asks the startd to look for what is left."""
        self.link.send(say.Ready(self.setup.claim_id, os.getpid()))
        self.loop.run()
        self.work.close()
        remove_tree(self.work.place.sandbox.root)
        self.log.write(f"**** condor_starter (condor_STARTER) pid {os.getpid()} EXITING WITH STATUS {self._status}")
        return self._status

    def _fault(self, error: Exception) -> None:
        """Something about the job is more than we can deal with: it is held, and a new starter takes the next."""
        if isinstance(error, CondorError) and self.work.owed is not None:
            self.log.write(f"The job cannot be run: {error}")
            self._give_up(f"The job cannot be run: {error}")
            return
        self.guard.fault(error, "a turn of the starter")
        if self.work.owed is not None:
            self._give_up(f"The starter could not handle this job: {type(error).__name__}: {error}")

    def _give_up(self, reason: str, refused: ExitReport | None = None) -> None:
        """Hold the job at hand, or that of a report that was refused, and leave."""
        owed = self.work.take_owed() or refused
        if owed is not None:
            code = int(HoldCode.STARTD_HELD_JOB)
            held = replace(owed, hold_code=code, hold_reason=reason[:_SHOWN], end_time=now())
            self.work.tell.ended(held, at_once=True)
        self._status = 1
        self.loop.stop()
        self.guard.turn("the end of the starter", self.happened, say.StopStarter(self.setup.claim_id))

    # -- events and effects ------------------------------------------------------------------------

    def happened(self, event: on.Event) -> None:
        """Hand an event to the core and carry out its effects; events that come meanwhile follow."""
        self.work.hand_over()
        self._to_do.extend(self.course.handle(event, now()))
        if self._busy:
            return
        self._busy = True
        try:
            while self._to_do:
                effect = self._to_do.popleft()
                if type(effect) is Step:
                    self.work.take_step(effect)
                else:
                    self._do(effect)
        finally:
            self._to_do.clear()
            self._busy = False

    def _do(self, effect: Effect) -> None:
        match effect:
            case Wait(seconds):
                self._wait(seconds)
            case Do.CANCEL_WAIT:
                self._timer.cancel()
            case Do.LEAVE:
                self.work.leave()
                self.loop.stop()
            case _:
                self.work.carry_out(effect)

    def _wait(self, seconds: float) -> None:
        """A job that waits for its time looks at the clock now and then: timers stand still while a machine sleeps."""
        self._timer.cancel()
        if self.course.phase is Phase.DEFERRED:
            due = now() + seconds
            if self.work.owed is not None and abs(due - self._due) > 1.0:
                self.log.write(f"Job {self.work.owed.job} is deferred for {seconds:.0f} seconds")
            self._due, seconds = due, min(seconds, _LOOK_AT_CLOCK)
        self._timer = self.loop.after(seconds, lambda: self.happened(on.Tick()))

    # -- messages from the startd ------------------------------------------------------------------

    def _message(self, link: Link, message: Message, body: bytes) -> None:
        match message:
            case say.StartJob():
                self.work.hand_over()
                if (event := self.work.take(message, body)) is not None:
                    self.happened(event)
            case say.SoftKill() | say.HardKill() | say.SuspendJob() | say.ContinueJob() | say.StopStarter():
                self.happened(message)
            case say.Restart(may_go_on):
                self.happened(on.Done(Step.ASK_TO_GO_ON, may_go_on))
            case say.TransferTurn(granted):
                self.work.turn_came(granted=granted)
            case Refused():
                self._refused(message)

    def _refused(self, refusal: Refused) -> None:
        """Handle a refusal of our message by the daemon that forked us. Without its answer, or without the report, the
        job cannot continue: it is held, and a new starter takes the next."""
        self.log.write(f"ERROR not understood: {refusal.error}")
        if refusal.word not in _AWAITED:
            return
        is_report = refusal.word == say.RunEnded.op and refusal.job and refusal.run
        refused = ExitReport(refusal.claim, refusal.job, refusal.run) if is_report else None
        self._give_up(f"The message {refusal.word!r} of the starter was refused: {refusal.error}", refused)

    def _startd_gone(self, link: Link) -> None:
        self.happened(say.StopStarter(self.setup.claim_id))
