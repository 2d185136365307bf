"""The engine of ARC computing elements (``grid_resource = arc URL``): each request is made by a child."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from condor_py.client.disk import DISK
from condor_py.core.grid import events
from condor_py.core.grid.actions import Cancel, Clean, CleanOthers, Deed, Edit, Look, Order, StageIn, StageOut, Submit
from condor_py.daemons.common.errand import Errand
from condor_py.daemons.common.loop import now
from condor_py.daemons.common.remover import Remover
from condor_py.daemons.gridmanager import archttp
from condor_py.daemons.gridmanager.archttp import Credential, Found, Service, fetch
from condor_py.daemons.gridmanager.host import Host, mark_of
from condor_py.daemons.gridmanager.staging import (
    Moved,
    Refused,
    Sandboxes,
    Stager,
    is_merged,
    is_script,
    job_of,
    stream,
)
from condor_py.lang.classad import ClassAd
from condor_py.machine.batch import arc
from condor_py.machine.batch.wrapper import Program
from condor_py.machine.run.job import Job
from condor_py.machine.run.places import STDERR_NAME, STDOUT_NAME
from condor_py.machine.run.sandbox import Sandbox
from condor_py.machine.run.transfer import Transfer
from condor_py.model.errors import CondorError
from condor_py.model.gridjobs import Ending, Seen, Stand
from condor_py.model.ids import JobId
from condor_py.model.states import HoldCode
from condor_py.store.fs import RealFs, replace_file

#: How much of what the other side says is shown.
_SHOWN = 500
#: Children that move files or submit at a time.
_AT_A_TIME = 8
#: Seconds until output is fetched again where the other side was away.
_AGAIN = 30
#: The result of a request: its value, or the error and whether the other side did not answer.
_Answered = Callable[[Any, str, bool], None]


def _try(work: Callable[[], Any]) -> tuple[Any, str, bool]:
    """In the child: what came of it."""
    try:
        return work(), "", False
    except arc.Refusal as error:
        return None, str(error)[:_SHOWN], error.away
    except OSError as error:
        return None, f"{error.strerror}: {error.filename}", False


class ArcEngine:
    """All computing elements that one gridmanager gives jobs to."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._sandboxes = Sandboxes(host.directory)
        self._sandboxes.make()
        self._stager = ArcStager(host, self._sandboxes, "arc", arc.VARIABLE)
        self._records = Records(self._sandboxes)
        self._remover = Remover(host.loop, host.log)
        self._errands: set[Errand] = set()
        self._waiting: deque[tuple[Callable[[], Any], _Answered]] = deque()
        self._busy = 0
        #: Names of jobs there end with it: what is ours, and no other gridmanager's.
        self._mark = f"@{mark_of(host.directory)}"
        #: Names of jobs that are being submitted, and of those whose end is known.
        self._coming: set[str] = set()
        self._over: set[str] = set()
        #: By resource: ids there that are not ours, and ids that were ordered to go.
        self._foreign: dict[str, set[str]] = {}
        self._leaving: set[str] = set()

    def carry_out(self, action: Deed) -> None:
        """Begins with an action. Nothing is held or edited there."""
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
            case Clean():
                self._clean(action)
            case Order() | Edit() | CleanOthers():
                pass  # a look finds jobs without an owner there, and the engine of batch systems finds them here

    def close(self) -> None:
        """The gridmanager leaves."""
        for errand in self._errands:
            errand.stop()

    def _run(self, work: Callable[[], Any], then: _Answered) -> None:
        def done(answer: tuple[Any, str, bool] | None, why: str) -> None:
            self._errands.discard(errand)
            then(*(answer or (None, why, True)))

        errand = Errand(self._host.loop, partial(_try, work), done)
        self._errands.add(errand)

    def _in_turn(self, work: Callable[[], Any], then: _Answered) -> None:
        """As ``_run``, some at a time."""
        self._waiting.append((work, then))
        self._next()

    def _next(self) -> None:
        while self._waiting and self._busy < _AT_A_TIME:
            self._busy += 1
            work, then = self._waiting.popleft()
            self._run(work, partial(self._had_turn, then))

    def _had_turn(self, then: _Answered, value: Any, error: str, away: bool) -> None:
        self._busy -= 1
        then(value, error, away)
        self._next()

    def _service(self, resource: str, credential: Credential) -> Service:
        return Service(arc.base_of(resource), credential, float(self._host.places.call_timeout))

    # -- there -------------------------------------------------------------------------------------

    def _stage_in(self, action: StageIn) -> None:
        """The input is gathered here: it can go only to a job that is there."""
        try:
            arc.base_of(action.resource)
            credential = credential_of(action.ad)
        except CondorError as error:
            self._host.tell(events.StageFailed(action.job, int(HoldCode.UNSPECIFIED), 0, str(error)))
            return
        job, name = arc_job(action.ad), action.name

        def work() -> Moved | Refused:
            came = self._stager.stage_in(job, name)
            if isinstance(came, Moved):
                self._records.make(name, action.resource, credential)
            return came

        def done(value: Moved | Refused | None, error: str, away: bool) -> None:
            if isinstance(value, Moved):
                self._records.note(name, action.resource, credential)
                self._host.tell(events.StagedIn(action.job, *value))
            else:
                why = value or Refused(int(HoldCode.UPLOAD_FILE_ERROR), 0, f"The transfer failed: {error}")
                self._host.tell(events.StageFailed(action.job, *why))

        self._in_turn(work, done)

    def _submit(self, action: Submit) -> None:
        name = action.name
        service = self._service(action.resource, credential_of(action.ad))
        self._coming.add(name)

        def work() -> str:
            inputs = self._stager.inputs(name)
            description = arc.description(action.ad, name + self._mark, inputs)
            number = archttp.submit(service, description, inputs)
            self._records.sent(name)
            return number

        def done(value: str | None, error: str, away: bool) -> None:
            self._coming.discard(name)
            if value is not None:
                self._host.tell(events.Submitted(action.job, value))
            else:
                code, reason = int(HoldCode.STARTD_HELD_JOB), f"Attempts to submit failed: {error}"
                self._host.tell(events.SubmitFailed(action.job, reason, away=away, certain=False, code=code))

        self._in_turn(work, done)

    # -- how they stand ----------------------------------------------------------------------------

    def _look(self, resource: str) -> None:
        """Once for each credential that jobs of ours there have."""
        host, known = self._host, dict[str, str]()
        services: dict[Credential, Service] = {}
        names = list(host.names())
        self._records.keep(names)
        for name in names:
            job, record = host.job_named(name), self._records.of(name)
            if job is None or record is None or record[0] != resource:
                continue
            services.setdefault(record[1], self._service(*record))
            if remote_id := host.remote_id(job):
                known[remote_id] = name
        foreign = self._foreign.setdefault(resource, set())
        over = set(self._over)

        def work() -> list[tuple[Credential, list[Found]]]:
            return [
                (credential, archttp.look(service, known, foreign, over, self._mark))
                for credential, service in services.items()
            ]

        def done(value: list[tuple[Credential, list[Found]]] | None, error: str, away: bool) -> None:
            if value is None:
                host.tell(events.LookFailed(resource, error))
            else:
                self._looked(resource, value)

        self._run(work, done)

    def _looked(self, resource: str, answers: list[tuple[Credential, list[Found]]]) -> None:
        """Remove jobs that belong to no job here. A job whose input was on the way when a gridmanager died may lack
        some of it: it is removed, too, before the look is over, so that it never runs together with its successor."""
        seen: dict[str, tuple[Seen, ...]] = {}
        doubtful: list[tuple[Service, list[str]]] = []
        for credential, found in answers:
            unwanted: list[str] = []
            for one in found:
                job = self._host.job_named(one.name) if one.name else None
                if not one.name:
                    self._foreign[resource].add(one.id)
                elif one.name in self._coming:
                    continue
                elif job is None or one.id in self._leaving or self._is_doubtful(one):
                    unwanted.append(one.id)
                else:
                    seen[one.name] = (*seen.get(one.name, ()), self._seen(job, one))
            if unwanted:
                doubtful.append((self._service(resource, credential), unwanted))

        self._leaving = {one for _, ids in doubtful for one in ids}

        def work() -> None:
            for service, ids in doubtful:
                for action in ("kill", "clean"):
                    archttp.tell(service, action, ids)

        def done(value: None, error: str, away: bool) -> None:
            self._host.tell(events.LookFailed(resource, error) if error else events.Looked(resource, seen))

        if doubtful:
            self._run(work, done)
        else:
            self._host.tell(events.Looked(resource, seen))

    def _is_doubtful(self, one: Found) -> bool:
        return one.state in arc.INCOMPLETE and not self._records.is_sent(one.name)

    def _seen(self, job: JobId, one: Found) -> Seen:
        if one.ending is not None:
            self._over.add(one.name)
            self._host.tell(events.Ended(job, one.ending))
        if one.ending is not None or one.name in self._over:
            return Seen(one.id, Stand.OVER, word=one.state)
        if one.failure:
            return Seen(one.id, Stand.STOPPED, one.failure, word=one.state)
        return Seen(one.id, arc.STANDS.get(one.state, Stand.RUNS), word=one.state)

    # -- the end -----------------------------------------------------------------------------------

    def _cancel(self, action: Cancel) -> None:
        record = self._records.of(action.name)
        if record is None:
            why = "nothing is left here of the job's credential"
            self._host.tell(events.CancelFailed(action.job, action.remote_id, why))
            return
        work = partial(archttp.tell, self._service(*record), "kill", [action.remote_id])

        def done(value: list[str] | None, error: str, away: bool) -> None:
            if why := error or "; ".join(value or ()):
                self._host.tell(events.CancelFailed(action.job, action.remote_id, why))
            else:
                self._host.tell(events.Cancelled(action.job, action.remote_id))

        self._run(work, done)

    def _stage_out(self, action: StageOut) -> None:
        record = self._records.of(action.name)
        if record is None:
            why = "File stage-out failed: nothing is left here of the job's credential"
            self._host.tell(events.StageFailed(action.job, int(HoldCode.DOWNLOAD_FILE_ERROR), 0, why))
            return
        remote_id, service = self._host.remote_id(action.job), self._service(*record)
        job = arc_job(action.ad)
        work = partial(self._stager.bring, service, remote_id, job, action.name, action.ending)

        def done(value: Moved | Refused | None, error: str, away: bool) -> None:
            if isinstance(value, Moved):
                self._host.tell(events.StagedOut(action.job, *value))
            elif away:
                self._host.log(f"the output of {action.job} cannot be fetched yet: {error}")
                self._host.loop.after(float(_AGAIN), lambda: self._stage_out(action))
            else:
                why = value or Refused(int(HoldCode.DOWNLOAD_FILE_ERROR), 0, f"File stage-out failed: {error}")
                self._host.tell(events.StageFailed(action.job, *why))

        self._in_turn(work, done)

    def _clean(self, action: Clean) -> None:
        """A job that is over leaves nothing there; any other ends."""
        record = self._records.of(action.name)
        if record is not None and action.remote_id:
            self._run(partial(archttp.drop, self._service(*record), [action.remote_id]), lambda *_: None)
        self._records.forget(action.name)
        self._over.discard(action.name)
        try:
            self._sandboxes.remove(action.name, self._remover)
        except OSError as error:
            self._host.log(f"cannot remove what is left of {action.name}: {error.strerror}: {error.filename}")


def credential_of(ad: ClassAd) -> Credential:
    """Return the credential of a job for ARC: its token or its proxy. CondorError if it has neither."""
    directory = ad.eval_str("Iwd", "/") or "/"
    token, proxy = (ad.eval_str(name, "") or "" for name in ("ScitokensFile", "x509userproxy"))
    if not token and not proxy:
        raise CondorError("ARC job has no credentials")
    return Credential(*(os.path.join(directory, path) if path else "" for path in (token, "" if token else proxy)))


#: Files about an attempt: its resource and credential; a mark that all its input has come there.
_RECORD, _SENT = "arc", "sent"


def arc_job(ad: ClassAd) -> Job:
    """The job of an ad: its files are always transferred, except the proxy, which identifies its owner."""
    return replace(job_of(ad), transfer=True, proxy="")


class Records:
    """The records of attempts kept on this machine: they survive a gridmanager, and a reboot."""

    def __init__(self, sandboxes: Sandboxes) -> None:
        self._sandboxes = sandboxes
        self._known: dict[str, tuple[str, Credential] | None] = {}

    def make(self, name: str, resource: str, credential: Credential) -> None:
        """Before a job is submitted. OSError."""
        data = json.dumps([resource, *credential]).encode()
        replace_file(RealFs(), self._path(name, _RECORD), data, 0o600, durable=True)
        RealFs().sync_dir(self._sandboxes.jobs)

    def of(self, name: str) -> tuple[str, Credential] | None:
        """The resource of an attempt, and its credential; None for one that was not submitted."""
        if name not in self._known:
            self._known[name] = self._read(name)
        return self._known[name]

    def _read(self, name: str) -> tuple[str, Credential] | None:
        try:
            with open(self._path(name, _RECORD), encoding="ascii") as file:
                resource, token, proxy = json.load(file)
        except (OSError, ValueError):
            return None
        return resource, Credential(token, proxy)

    def note(self, name: str, resource: str, credential: Credential) -> None:
        """A child has made the record of an attempt."""
        self._known[name] = resource, credential

    def keep(self, names: Iterable[str]) -> None:
        """Of other attempts nothing is needed."""
        self._known = {name: self._known[name] for name in names if name in self._known}

    def sent(self, name: str) -> None:
        """All its input has come there. OSError."""
        replace_file(RealFs(), self._path(name, _SENT), b"", 0o600, durable=False)

    def is_sent(self, name: str) -> bool:
        """Whether it has."""
        return os.path.exists(self._path(name, _SENT))

    def forget(self, name: str) -> None:
        """Nothing of it is needed."""
        self._known.pop(name, None)

    def _path(self, name: str, file: str) -> str:
        return f"{self._sandboxes.jobs}/{name}/{file}"


class ArcStager(Stager):
    """The transfers of such jobs."""

    def _transfer(self, job: Job, sandbox: Sandbox) -> Transfer:
        return Transfer(job, sandbox.scratch, "arc", self._host.access_point, self._host.transfer, self._log, now, DISK)

    def _program(self, job: Job, sandbox: Sandbox, name: str) -> Program:
        """All paths are those of the directory that the job has there."""
        base = os.path.basename(job.cmd)
        out = stream(job.stdout, STDOUT_NAME, job.transfer_stdout)
        return Program(
            job=f"{job.job_id} of {job.owner}",
            directory=".",
            program=f"./{base}" if job.transfer_executable else job.cmd,
            arguments=job.arguments,
            environment=job.environment,
            stdin=os.path.basename(job.stdin) if job.stdin != os.devnull and job.transfer_stdin else job.stdin,
            stdout=out,
            stderr=out if is_merged(job) else stream(job.stderr, STDERR_NAME, job.transfer_stderr),
            notices=f"./{arc.SCRIPT}",
            variable=arc.VARIABLE,
            is_script=is_script(os.path.join(sandbox.scratch, base)) if job.transfer_executable else None,
        )

    def inputs(self, name: str) -> list[arc.Input]:
        """List the input files of an attempt. OSError."""
        found = list(_files(self._sandboxes.of(name).scratch))
        return [arc.Input(arc.SCRIPT, self._sandboxes.script(name), True), *found]

    def bring(self, service: Service, remote_id: str, job: Job, name: str, ending: Ending) -> Moved | Refused:
        """Its output comes here, and goes to where its owner wants it. Refusal while the other side is away."""
        wanted = [STDOUT_NAME, STDERR_NAME, *job.wishes.failure_files]
        wanted += [one.strip("/") for one in job.output_files or () if not os.path.isabs(one)]
        wanted = [os.path.normpath(one) for one in wanted if ".." not in one.split("/")]
        known = frozenset(self._catalogue(name).entries)
        fetch(service, remote_id, self._sandboxes.of(name).scratch, wanted, known, job.output_files is None)
        return self.stage_out(job, name, ending)


def _files(top: str, below: str = "") -> Iterator[arc.Input]:
    with os.scandir(os.path.join(top, below)) as entries:
        for entry in entries:
            name = os.path.join(below, entry.name)
            if entry.is_dir():
                yield from _files(top, name)
            else:
                yield arc.Input(name, entry.path, bool(entry.stat().st_mode & 0o111))
