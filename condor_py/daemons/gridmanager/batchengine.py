"""The engine of batch systems that share a disk with us: staging, commands one after the other and some at a time, and
the notices of the scripts that run the jobs."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from functools import partial

from condor_py.core.grid import events
from condor_py.core.grid.actions import Cancel, Clean, CleanOthers, Deed, Look, StageIn, StageOut, Submit
from condor_py.daemons.common.errand import Errand
from condor_py.daemons.common.program import Ended as ProgramEnded
from condor_py.daemons.common.program import Program
from condor_py.daemons.common.remover import Remover
from condor_py.daemons.common.watch import DirectoryWatch
from condor_py.daemons.gridmanager.host import Host
from condor_py.daemons.gridmanager.staging import Moved, Refused, Sandboxes, Stager, job_of
from condor_py.lang.classad import ClassAd
from condor_py.machine.batch import notices
from condor_py.machine.batch.lsf import Lsf
from condor_py.machine.batch.pbs import Pbs
from condor_py.machine.batch.sge import GridEngine
from condor_py.machine.batch.slurm import Slurm
from condor_py.machine.batch.system import BatchSystem, NotUnderstood, Order, order_of
from condor_py.machine.run.job import Job
from condor_py.model.errors import CondorError
from condor_py.model.gridjobs import Seen
from condor_py.model.ids import JobId
from condor_py.model.states import HoldCode

# The notices that the scripts of batch jobs leave: heard of at once where the kernel tells us (a disk of this
# machine), and with each look at the jobs wherever they come from.


class NoticeBoard:
    """Reports each beginning and each end once to the core."""

    def __init__(self, host: Host, directory: str) -> None:
        self._host = host
        self._directory = directory
        #: How often a job has begun, as far as the core knows.
        self._begun: dict[str, int] = {}
        self._ended: set[str] = set()
        DirectoryWatch(host.loop, directory, self._written)

    def read(self) -> None:
        """Looks at all notices."""
        for file in sorted(os.listdir(self._directory)):
            self._written(file)

    def forget(self, name: str) -> None:
        """A job's notices are to be removed."""
        self._begun.pop(name, None)
        self._ended.discard(name)

    def _written(self, file: str) -> None:
        name, dot, ending = file.rpartition(".")
        if dot + ending == notices.BEGAN:
            self._tell_beginning(name)
        elif dot + ending == notices.ENDED and name not in self._ended:
            if name not in self._begun:
                self._tell_beginning(name)
            self._tell_end(name)

    def _tell_beginning(self, name: str) -> None:
        job = self._host.job_named(name)
        found = None if job is None else notices.beginning(self._directory, name)
        known = self._begun.get(name, 0)
        if job is not None and found is not None and found.times > known:
            self._begun[name] = found.times
            self._host.tell(events.Began(job, found.number, found.when, found.host, again=known > 0))

    def _tell_end(self, name: str) -> None:
        job = self._host.job_named(name)
        found = None if job is None else notices.ending(self._directory, name)
        if job is not None and found is not None:
            self._ended.add(name)
            self._host.tell(events.Ended(job, found))


#: What a batch system says of a job that it does not want is shown so far.
_SHOWN = 500
#: So many jobs are kept as they were read when their input went, until their output comes.
_KEPT = 1000
#: Bytes of an answer: some 2 kB for each of a hundred thousand jobs.
_MOST = 1 << 28
#: In place of an exit status: it took too long; no command can have such arguments; it could not be executed.
_NONE, _IMPOSSIBLE, _ABSENT = -1, -2, -3
#: Exit status (or one of those), output and error output of a command.
_Answered = Callable[[int, str, str], None]


class BatchEngine:
    """All batch systems of one gridmanager."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._sandboxes = Sandboxes(host.directory)
        self._sandboxes.make()
        self._stagers: dict[str, Stager] = {}
        self._older: dict[str, BatchSystem] = {}
        self._read: dict[str, tuple[ClassAd, Job]] = {}
        self._remover = Remover(host.loop, host.log)
        self._errands: set[Errand] = set()
        self._board = NoticeBoard(host, self._sandboxes.notices)

    def carry_out(self, action: Deed) -> None:
        """Begins with an action. Nothing is held or edited in a batch system."""
        match action:
            case StageIn():
                self._stage_in(action)
            case Submit():
                self._submit(action)
            case Look(resource):
                self._look(resource)
            case Cancel():
                self._cancel(action)
            case StageOut():
                self._stage_out(action)
            case Clean(_, name, _):
                self._clean(name)
            case CleanOthers(names):
                for name in self._sandboxes.names() - names:
                    self._clean(name)

    def close(self) -> None:
        """Whatever is being copied for us is not wanted any more."""
        for errand in self._errands:
            errand.stop()

    def _system(self, resource: str) -> BatchSystem:
        words = resource.split()
        system = self._older.get(resource) or (SYSTEMS.get(words[1]) if len(words) == 2 else None)
        if system is None:
            raise CondorError(f"GridResource {resource!r} names no batch system that is known")
        return system

    def _is_older(self, resource: str, system: BatchSystem, printed: str) -> bool:
        """Whether an older version answers for a resource; its commands are used from now on."""
        if system.older is None or not system.is_older(printed):
            return False
        self._older[resource] = system.older
        self._host.log(f"{resource}: using the commands of an older version ({_line(printed)})")
        return True

    # -- files -------------------------------------------------------------------------------------

    def _stager(self, system: BatchSystem) -> Stager:
        found = self._stagers.get(system.name)
        if found is None:
            found = self._stagers[system.name] = Stager(self._host, self._sandboxes, system.name, system.variable)
        return found

    def _stage_in(self, action: StageIn) -> None:
        stager = self._stager(self._system(action.resource))
        job = job_of(action.ad)
        if len(self._read) < _KEPT:
            self._read[action.name] = action.ad, job
        work = partial(stager.stage_in, job, action.name)
        self._move(action.job, work, self._staged_in, in_child=stager.is_much(job, action.name))

    def _staged_in(self, job: JobId, answer: Moved | Refused) -> None:
        if isinstance(answer, Refused):
            self._host.tell(events.StageFailed(job, *answer))
        else:
            self._host.tell(events.StagedIn(job, *answer))

    def _stage_out(self, action: StageOut) -> None:
        stager = self._stager(self._system(action.resource))
        known, job = self._read.pop(action.name, (None, None))
        if job is None or known is not action.ad:
            job = job_of(action.ad)
        work = partial(stager.stage_out, job, action.name, action.ending)
        self._move(action.job, work, self._staged_out, in_child=stager.brings_much(job, action.name))

    def _staged_out(self, job: JobId, answer: Moved | Refused) -> None:
        if isinstance(answer, Refused):
            self._host.tell(events.StageFailed(job, *answer))
        else:
            self._host.tell(events.StagedOut(job, *answer))

    def _move(
        self,
        job: JobId,
        work: Callable[[], Moved | Refused],
        then: Callable[[JobId, Moved | Refused], None],
        *,
        in_child: bool,
    ) -> None:
        if not in_child:
            then(job, work())
            return

        def done(answer: Moved | Refused | None, why: str) -> None:
            self._errands.discard(errand)
            then(job, answer or Refused(int(HoldCode.UPLOAD_FILE_ERROR), 0, f"The transfer failed: {why}"))

        errand = Errand(self._host.loop, work, done)
        self._errands.add(errand)

    def _clean(self, name: str) -> None:
        self._board.forget(name)
        self._read.pop(name, None)
        try:
            self._sandboxes.remove(name, self._remover)
        except OSError as error:
            self._host.log(f"cannot remove what is left of {name}: {error.strerror}: {error.filename}")

    # -- commands ----------------------------------------------------------------------------------

    def _run(self, argv: list[str], then: _Answered) -> None:
        """Runs a command: ``then`` gets exit status, output and error output. One that takes too long is killed."""

        def ended(how: ProgramEnded) -> None:
            timer.cancel()
            out, err = (text.decode("utf-8", "replace") for text in (how.out, how.err))
            if how.exit_code is not None and not late:
                then(how.exit_code, out, err)
            else:
                then(_NONE, "", f"{err}\n{argv[0]}: timeout")

        late: list[bool] = []

        def too_late() -> None:
            late.append(True)  # a shell that outlives its child ends with a status of its own
            program.kill()

        host = self._host
        try:
            program = Program(
                host.loop, argv, on_end=ended, environment=host.environment, directory=host.directory, most=_MOST
            )
        except (OSError, ValueError) as error:
            host.loop.soon(partial(then, *_not_executed(argv[0], error)))
            return
        timer = host.loop.after(float(host.places.call_timeout), too_late)

    def _submit(self, action: Submit) -> None:
        system = self._system(action.resource)
        directory = self._sandboxes.of(action.name).scratch
        self._board.forget(action.name)  # earlier notices of a job of that name came too early: report them again
        try:
            order = order_of(action.name, self._sandboxes.script(action.name), directory, action.ad)
        except CondorError as error:
            self._refused(action.job, str(error), certain=True)
            return

        def answered(status: int, out: str, err: str) -> None:
            """Report the job's name in the batch system, or why it has none. An older notation is tried again."""
            if status == 0:
                try:
                    number = system.submitted(out, order)
                except NotUnderstood as error:
                    self._refused(action.job, str(error))
                    return
                self._host.tell(events.Submitted(action.job, number))
                return
            said = _without(err, order, system)
            if status == _IMPOSSIBLE:
                self._refused(action.job, err, certain=True)
            elif self._is_older(action.resource, system, said):
                self._submit(action)
            elif status in (_NONE, _ABSENT) or system.is_away(said):
                absent = status == _ABSENT
                self._host.tell(events.SubmitFailed(action.job, _line(err), away=True, certain=absent))
            else:
                self._refused(action.job, f"Error from {system.submit(order)[0]}: {_line(err or out)}")

        self._run(system.submit(order), answered)

    def _refused(self, job: JobId, reason: str, *, certain: bool = False) -> None:
        """A command that has failed, or was not understood, may have submitted the job before it did."""
        code, why = int(HoldCode.STARTD_HELD_JOB), f"Attempts to submit failed: {reason}"
        self._host.tell(events.SubmitFailed(job, why, certain=certain, code=code))

    def _look(self, resource: str) -> None:
        host, system = self._host, self._system(resource)
        jobs = filter(None, map(host.job_named, host.names()))
        commands = system.looks(host.owner, filter(None, map(host.remote_id, jobs)))
        found: dict[str, tuple[Seen, ...]] = {}
        failed: list[str] = []
        older: list[bool] = []
        waiting = len(commands)

        def answered(command: list[str], status: int, out: str, err: str) -> None:
            """Collect what one command found, and report it all after the last."""
            nonlocal waiting
            waiting -= 1
            older.append(self._is_older(resource, system, err))
            if status != 0:
                if not system.knows_nothing(err or out):
                    failed.append(_line(err or out))
            else:
                try:
                    for name, seen in system.looked(out, command, host.owner):
                        found[name] = (*found.get(name, ()), seen)
                except (NotUnderstood, ValueError) as error:
                    failed.append(str(error))
            if waiting:
                return
            if any(older):
                self._look(resource)
                return
            self._board.read()
            if failed:
                host.tell(events.LookFailed(resource, failed[0]))
            else:
                host.tell(events.Looked(resource, _by_our_names(system, found, host.names())))

        for command in commands:
            self._run(command, partial(answered, command))

    def _cancel(self, action: Cancel) -> None:
        system = self._system(action.resource)

        def answered(status: int, out: str, err: str) -> None:
            """Report that the job is cancelled, also where the batch system does not know it any more; or why not."""
            if status == 0 or system.knows_nothing(err + out):
                self._host.tell(events.Cancelled(action.job, action.remote_id))
            else:
                self._host.tell(events.CancelFailed(action.job, action.remote_id, _line(err or out)))

        self._run(system.cancel(action.remote_id), answered)


def _not_executed(command: str, error: OSError | ValueError) -> tuple[int, str, str]:
    """Return the answer for a command that was not executed, by fault of its arguments or of the system."""
    if isinstance(error, ValueError) or error.errno == errno.E2BIG:
        why = error.strerror if isinstance(error, OSError) else error
        return _IMPOSSIBLE, "", f"{command} cannot be given these arguments: {why}"
    return _ABSENT, "", f"{command} cannot be executed: {error.strerror} (is the batch system installed here?)"


def _without(printed: str, order: Order, system: BatchSystem) -> str:
    """An error without those words of the job that would say something about the batch system to all of its jobs."""
    for words in (order.queue, order.project, *order.extra, " ".join(order.extra)):
        if words and (system.is_away(words) or system.is_older(words)):
            printed = printed.replace(words, "")
    return printed


def _line(text: str) -> str:
    return " ".join(text.split())[:_SHOWN]


def _by_our_names(
    system: BatchSystem, found: dict[str, tuple[Seen, ...]], names: Iterable[str]
) -> dict[str, tuple[Seen, ...]]:
    """Map jobs found by the batch system's names to our names."""
    named = ((name, found.get(system.job_name(name))) for name in names)
    return {name: seen for name, seen in named if seen}


SYSTEMS: dict[str, BatchSystem] = {system.name: system for system in (Slurm(), GridEngine(), Pbs(), Lsf())}
