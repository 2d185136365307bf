"""Input to where a batch job runs, output to where its owner wants it: HTCondor's file transfer on a shared disk."""

from __future__ import annotations

import errno
import json
import os
import stat
from dataclasses import dataclass, replace
from typing import NamedTuple

from condor_py.client.disk import DISK
from condor_py.daemons.common.loop import now
from condor_py.daemons.common.remover import Remover
from condor_py.daemons.gridmanager.host import Host
from condor_py.lang.classad import ClassAd
from condor_py.machine.batch.notices import BEGAN, ENDED, SAID
from condor_py.machine.batch.wrapper import Program, script
from condor_py.machine.run import trees
from condor_py.machine.run.failures import TransferError
from condor_py.machine.run.job import Job, read_job
from condor_py.machine.run.places import STDERR_NAME, STDOUT_NAME
from condor_py.machine.run.results import send_results
from condor_py.machine.run.sandbox import Sandbox
from condor_py.machine.run.transfer import Catalogue, Transfer
from condor_py.model.gridjobs import Ending
from condor_py.model.states import HoldCode

#: What lay in the directory of a job when it began; what the batch system runs.
_CATALOGUE, _SCRIPT = "files", "script"
_MUCH = 32 << 20


class Moved(NamedTuple):
    """The amount that a transfer moved."""

    bytes: int
    files: int


class Refused(NamedTuple):
    """Why a job is held."""

    code: int
    subcode: int
    reason: str


@dataclass(frozen=True, slots=True)
class Sandboxes:
    """The directories of one user's attempts: ``jobs/NAME/`` with ``scratch/``, and ``notices/NAME.*``."""

    top: str

    def make(self) -> None:
        """The directories above them."""
        for path in (self.jobs, self.notices):
            os.makedirs(path, 0o700, exist_ok=True)

    @property
    def jobs(self) -> str:
        """Has a directory for each attempt."""
        return f"{self.top}/jobs"

    @property
    def notices(self) -> str:
        """Has what the scripts of all attempts tell."""
        return f"{self.top}/notices"

    def of(self, name: str) -> Sandbox:
        """That of one attempt."""
        return Sandbox(f"{self.jobs}/{name}")

    def script(self, name: str) -> str:
        """Path of the script that the batch system runs."""
        return f"{self.jobs}/{name}/{_SCRIPT}"

    def names(self) -> set[str]:
        """All attempts that have files here."""
        found = set(os.listdir(self.jobs))
        return found | {name.rpartition(".")[0] for name in os.listdir(self.notices)}

    def remove(self, name: str, remover: Remover) -> None:
        """Nothing of an attempt is needed any more. Its notices go last: they tell of it as long as it is there."""
        remover.take_away(f"{self.jobs}/{name}")
        for ending in (SAID, ENDED, BEGAN):
            try:
                os.unlink(f"{self.notices}/{name}{ending}")
            except FileNotFoundError:
                continue


def job_of(ad: ClassAd) -> Job:
    """The job of an ad; files are transferred unless it says should_transfer_files = NO."""
    job = read_job(ad, "")
    wants = (ad.eval_str("ShouldTransferFiles", "YES") or "YES").upper() != "NO"
    return job if job.transfer is wants else replace(job, transfer=wants)


class Stager:
    """The transfers of one engine's jobs."""

    def __init__(self, host: Host, sandboxes: Sandboxes, system: str, variable: str) -> None:
        self._host = host
        self._sandboxes = sandboxes
        self._system = system
        self._variable = variable

    def _transfer(self, job: Job, sandbox: Sandbox) -> Transfer:
        host = self._host
        name = f"batch {self._system}"
        return Transfer(job, sandbox.scratch, name, host.access_point, host.transfer, self._log, now, DISK)

    def _log(self, text: str, *more: object, **rest: object) -> None:
        self._host.log(text)

    def is_much(self, job: Job, name: str) -> bool:
        """Whether the input may take a while to come, and others should not wait for it."""
        return job.transfer and self._transfer(job, self._sandboxes.of(name)).is_much()

    def stage_in(self, job: Job, name: str) -> Moved | Refused:
        """A fresh directory with the input of a job and the script that runs it."""
        sandbox = self._sandboxes.of(name)
        try:
            _check_directory(job)
            trees.remove(sandbox.root)
            os.makedirs(sandbox.root)
            os.mkdir(sandbox.scratch, 0o700)
            came = Moved(0, 0)
            if job.transfer:
                transfer = self._transfer(job, sandbox)
                before = transfer.fetch_input()
                _write(f"{sandbox.root}/{_CATALOGUE}", json.dumps(before.entries))
                came = Moved(transfer.came.bytes, transfer.came.files)
            _write(self._sandboxes.script(name), script(self._program(job, sandbox, name)))
        except TransferError as error:
            return Refused(int(error.code), error.subcode, str(error))
        except OSError as error:
            return Refused(int(HoldCode.UPLOAD_FILE_ERROR), error.errno or 0, f"{error.strerror}: {error.filename}")
        return came

    def _program(self, job: Job, sandbox: Sandbox, name: str) -> Program:
        scratch = sandbox.scratch
        here = scratch if job.transfer else job.iwd
        program = os.path.join(here, os.path.basename(job.cmd)) if job.transfer and job.transfer_executable else job.cmd
        given = job.stdin != os.devnull
        name_there = os.path.basename(job.stdin) if job.transfer and job.transfer_stdin else job.stdin
        stdin = os.path.join(here, name_there) if given else os.devnull
        out = os.path.join(here, stream(job.stdout, STDOUT_NAME, job.transfer and job.transfer_stdout))
        err = os.path.join(here, stream(job.stderr, STDERR_NAME, job.transfer and job.transfer_stderr))
        return Program(
            job=f"{job.job_id} of {job.owner}",
            directory=here,
            program=os.path.join(here, program),
            arguments=job.arguments,
            environment={"_CONDOR_SCRATCH_DIR": scratch, "_CONDOR_JOB_IWD": here, **job.environment},
            stdin=stdin,
            stdout=out,
            stderr=out if is_merged(job) else err,
            notices=f"{self._sandboxes.notices}/{name}",
            variable=self._variable,
            is_script=is_script(os.path.join(here, program)) if job.transfer and job.transfer_executable else None,
        )

    def brings_much(self, job: Job, name: str) -> bool:
        """Whether the output may take a while to go."""
        places = (job.output_destination, job.stdout, job.stderr, *job.output_remaps.values())
        return job.transfer and (any("://" in place for place in places) or self._is_large(name))

    def _is_large(self, name: str) -> bool:
        size = 0
        try:
            with os.scandir(self._sandboxes.of(name).scratch) as found:
                for entry in found:
                    status = entry.stat(follow_symlinks=False)
                    size += status.st_size
                    if stat.S_ISDIR(status.st_mode) or size > _MUCH:
                        return True
        except OSError:
            return False
        return False

    def stage_out(self, job: Job, name: str, ending: Ending) -> Moved | Refused:
        """Brings the output back."""
        if not job.transfer:
            return Moved(0, 0)
        transfer = self._transfer(job, self._sandboxes.of(name))
        outcome = ending.exit_code if ending.exit_signal is None else -ending.exit_signal
        try:
            send_results(transfer, job.wishes, outcome, self._catalogue(name), None)
        except TransferError as error:
            return Refused(int(error.code), error.subcode, str(error))
        except (OSError, RecursionError) as error:
            number = getattr(error, "errno", 0) or 0
            return Refused(int(HoldCode.DOWNLOAD_FILE_ERROR), number, str(error))
        return Moved(transfer.went.bytes, transfer.went.files)

    def _catalogue(self, name: str) -> Catalogue:
        try:
            with open(f"{self._sandboxes.jobs}/{name}/{_CATALOGUE}", encoding="utf-8") as file:
                entries = json.load(file)
        except (OSError, ValueError):
            return Catalogue({})
        return Catalogue({key: (value[0], value[1]) for key, value in entries.items()})


def stream(place: str, name: str, is_brought: bool) -> str:
    """The file of a standard stream where the job runs: ``name`` if it is brought to ``place`` afterwards."""
    return name if is_brought and place != os.devnull else place


def is_merged(job: Job) -> bool:
    """Whether both streams are one file."""
    same = job.stderr == job.stdout and job.transfer_stderr is job.transfer_stdout
    return same and job.stdout != os.devnull


def _check_directory(job: Job) -> None:
    if not os.path.isdir(job.iwd):
        reason = f"Cannot access initial working directory {job.iwd}: No such file or directory"
        raise TransferError(HoldCode.IWD_ERROR, errno.ENOENT, reason)


def is_script(program: str) -> bool | None:
    """Whether a program that is here begins with the name of its interpreter; None if it cannot be read."""
    try:
        descriptor = os.open(program, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(descriptor, 2) == b"#!"
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o700)
    try:
        data = text.encode("utf-8", "surrogateescape")
        while data:
            data = data[os.write(descriptor, data) :]
    finally:
        os.close(descriptor)
