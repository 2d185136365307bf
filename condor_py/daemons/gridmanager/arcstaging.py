"""The files of jobs for ARC computing elements: gathered in a directory here, from which they go, and back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace

from condor_py.daemons.gridmanager.archttp import Credential, Service, fetch
from condor_py.daemons.gridmanager.staging import Moved, Refused, Sandboxes, Stager, is_script, job_of
from condor_py.lang.classad import ClassAd
from condor_py.machine.batch import arc
from condor_py.machine.batch.wrapper import Program
from condor_py.machine.run.job import Job
from condor_py.machine.run.places import STDERR_NAME, STDOUT_NAME
from condor_py.machine.run.sandbox import Sandbox
from condor_py.machine.run.transfer import Transfer
from condor_py.model.gridjobs import Ending
from condor_py.store.fs import RealFs, replace_file

#: Where a job goes and as whom; that all its input has come there.
_RECORD, _SENT = "arc", "sent"


def arc_job(ad: ClassAd) -> Job:
    """The job of an ad: its files are transferred whatever it says, but for the proxy, which shows who its owner is."""
    return replace(job_of(ad), transfer=True, proxy="")


class Records:
    """What is known here of attempts: it outlives a gridmanager, and the machine."""

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
        transfer = Transfer(job, sandbox, "arc", self._host.access_point, self._host.transfer)
        transfer.log = self._log
        return transfer

    def _program(self, job: Job, sandbox: Sandbox, name: str) -> Program:
        """All paths are those of the directory that the job has there."""
        base = os.path.basename(job.cmd)
        same = job.stderr == job.stdout and job.stdout != os.devnull
        return Program(
            job=f"{job.job_id} of {job.owner}",
            directory=".",
            program=f"./{base}" if job.transfer_executable else job.cmd,
            arguments=job.arguments,
            environment=job.environment,
            stdin=os.path.basename(job.stdin) if job.stdin != os.devnull else os.devnull,
            stdout=STDOUT_NAME if job.stdout != os.devnull else os.devnull,
            stderr=STDOUT_NAME if same else STDERR_NAME if job.stderr != os.devnull else os.devnull,
            notices=f"./{arc.SCRIPT}",
            variable=arc.VARIABLE,
            is_script=is_script(os.path.join(sandbox.scratch, base)) if job.transfer_executable else None,
        )

    def inputs(self, name: str) -> list[arc.Input]:
        """What goes there. OSError."""
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
