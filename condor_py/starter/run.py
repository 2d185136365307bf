"""One run of a job from sandbox to report. The caller owns the waiting: ``begin``, ``execute``, and ``conclude``
and ``clear`` when the process has ended.
"""

from __future__ import annotations

import errno
import os
import resource
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from condor_py.model.report import ExitReport, Usage
from condor_py.model.settings.starter import TransferSettings
from condor_py.model.states import HoldCode, VacateCode
from condor_py.starter.dataflow import is_done
from condor_py.starter.destination import InvalidCheckpoint, latest, new_one
from condor_py.starter.environment import job_environment
from condor_py.starter.failures import TransferError
from condor_py.starter.family import Processes, reap_all
from condor_py.starter.identity import Account, UnknownAccount, account, account_of, as_user
from condor_py.starter.job import Job
from condor_py.starter.manifest import write_environment, write_manifest
from condor_py.starter.mapping import map_staged
from condor_py.starter.plugins import record_of
from condor_py.starter.process import (
    Ending,
    StartError,
    Within,
    check_directory,
    collect,
    open_streams,
    program_of,
    set_limits,
    spawn,
)
from condor_py.starter.sandbox import (
    Sandbox,
    create_scratch,
    disk_usage,
    hand_over,
    open_plain,
    remove_scratch,
    replace_job_ad,
)
from condor_py.starter.spawning import Program
from condor_py.starter.spool import JobSpool
from condor_py.starter.transfer import Catalogue, Progress, Transfer

#: Output of less is there in a moment, in KB.
_MUCH_KB = 10_000
_NO_REACTIVATION = (
    "Rescheduling self-checkpoint job after checkpoint upload because reactivating the claim would have failed."
)
#: Characters that are read of what a wrapper tells.
_MOST_OF_A_REASON = 2000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a starter runs jobs. ``base_environment`` is that of environment.base_environment.

    ``wrapper`` is USER_JOB_WRAPPER, empty for none.
    """

    slot: str
    access_point: str
    sandbox: Sandbox
    machine_ad: str
    base_environment: dict[str, str]
    wrapper: str = ""
    transfer: TransferSettings = field(default_factory=TransferSettings)
    #: Takes lines for the starter's log.
    log: Callable[..., None] = print


class Stage(NamedTuple):
    """How far a run came: see ``Run.stage``."""

    report: ExitReport
    before: Catalogue
    checkpoint: int
    progress: Progress | None


class Run:
    """One run. ``report`` grows as things happen; times are handed in by the caller."""

    def __init__(self, place: Place, processes: Processes, job: Job, report: ExitReport, job_ad: str) -> None:
        self.place = place
        self.job = job
        self.report = report
        self._job_ad = job_ad
        self._processes = processes
        self._owner: Account | None = None
        #: The group, limits and directories that its program gets (set before ``execute``).
        self.within = Within()
        #: The program sees directories that others do not.
        self.hides = False
        #: Where the program finds its temporary files; "" is in the scratch directory.
        self.tmp = ""
        self.variables: dict[str, str] = {}  # that only this run has
        #: Whom the program runs as when that is not the owner (set before ``begin``).
        self.runner: Account | None = None
        self._transfer: Transfer | None = None
        self._before = Catalogue({})
        self.process: Program | None = None
        self.stopped = False
        self._final = False
        self._suspended = False
        #: The program was ended to make room for the sessions of an interactive job.
        self.dismissed = False
        self._ending: Ending | None = None
        self._spool: JobSpool | None = None
        #: What the ended program wanted to keep is at its destination.
        self._saved = False
        #: The number of the last checkpoint of the job, -1 for none.
        self.checkpoint = job.checkpoint_number
        #: The program wanted a checkpoint, has it, and may be started again.
        self.paused = False
        self._executed = 0.0
        #: CPU seconds (user, system) of ended sessions.
        self._session_cpu = (0.0, 0.0)
        self._peak_kb = 0
        self._image_kb = 0
        self._core_file: str | None = None
        self._begun = 0.0

    def start(self, now: float) -> bool:
        """Prepares everything and starts the program. False when the run is already over: see ``report``."""
        return self.begin(now) and self.fetch(lambda: now) and self.execute()

    def begin(self, now: float) -> bool:
        """Makes the scratch directory; ``fetch`` and ``execute`` must follow. False when the run is over."""
        self._begun = now
        self.report = replace(self.report, start_time=now)

        def make() -> None:
            self._owner = self._account()
            if self.place.transfer.spool and self.job.leaves_files:
                self._spool = JobSpool(self.place.transfer.spool, self.job.job_id, self._owner, self.job.iwd)
            create_scratch(self.place.sandbox, self._owner, self._job_ad, self.place.machine_ad)

        return self._attempt(make) and not self._skips()

    def _skips(self) -> bool:
        """Whether the job need not run at all, because its output is there."""
        if not self.job.skip_if_dataflow:
            return False
        with as_user(self._owner):
            done = is_done(self.job)
        if done:
            self.report = replace(self.report, exit_code=0, skipped=True)
            remove_scratch(self.place.sandbox)
        return done

    def fetch(self, clock: Callable[[], float]) -> bool:
        """Brings the input. False when the run is over."""

        def bring() -> None:
            with as_user(self._owner):
                check_directory(self.job.iwd)
                try:
                    self._prepare()
                except TransferError as error:
                    self._send_failure_files(error, clock)
                    raise

        done = self._attempt(bring)
        if not self.report.input_transfer:
            self._came(clock())
        return done

    @property
    def brings_much(self) -> bool:
        """Whether bringing the input may take a while. What an earlier run has left may be anything."""
        transfer = self._transferring()
        if transfer is None:
            return False
        try:
            with as_user(self._owner):
                return transfer.is_much() or (self._spool is not None and self._spool.found() is not None)
        except OSError:
            return False  # the transfer will tell

    @property
    def invalid_checkpoint(self) -> str:
        """Why the checkpoint that came is no good; "" when it is."""
        return "" if self._transfer is None else self._transfer.invalid

    def _transferring(self) -> Transfer | None:
        if self.job.transfer and self._transfer is None:
            place = self.place
            self._transfer = Transfer(self.job, place.sandbox, place.slot, place.access_point, place.transfer)
            self._transfer.log = place.log
        return self._transfer

    def news_of_plugins(self, now: float) -> list[dict[str, str]]:
        """What plugins told since the last call, as attributes of a record a transfer; it is put into the history of
        transfers."""
        transfer = self._transfer
        if transfer is None:
            return []
        told = transfer.record(now)
        return [record_of(kind, [one for of, one in told if of == kind]) for kind in sorted({kind for kind, _ in told})]

    def stage(self) -> Stage:
        """What a child that did a step of the run tells of it."""
        progress = None if self._transfer is None else self._transfer.progress()
        return Stage(self.report, self._before, self.checkpoint, progress)

    def take(self, stage: Stage) -> None:
        """Takes over what a child did."""
        self.report, self._before, self.checkpoint, progress = stage
        if self._transfer is not None and progress is not None:
            self._transfer.take(progress)

    def execute(self) -> bool:
        """Starts the program. False when the run is over."""
        return self._attempt(self._execute)

    def change(self, job: Job, job_ad: str) -> None:
        """Another job ad, from a hook, before ``execute``."""
        self.job = job
        self._job_ad = job_ad
        with as_user(self._owner):
            replace_job_ad(self.place.sandbox, job_ad)

    def _transfer_failed(self, error: TransferError) -> None:
        """Holds the job, or gives the run up where another try may do better."""
        if error.holds:
            self._fail(error.code, error.subcode, str(error))
        else:
            reasons = {"vacate_code": int(error.code), "vacate_subcode": error.subcode}
            self.report = replace(self.report, error=str(error), **reasons)  # type: ignore[arg-type]

    def _attempt(self, step: Callable[[], None]) -> bool:
        """Does one step of the start. False, with the reason in ``report``, when it failed."""
        try:
            step()
        except StartError as error:
            failed = error.code == HoldCode.FAILED_TO_CREATE_PROCESS
            self._fail(error.code, error.subcode, f"Error from {self.place.slot}: {error}" if failed else str(error))
        except TransferError as error:
            self._transfer_failed(error)
        except InvalidCheckpoint as error:
            self._distrust(str(error))
        except UnknownAccount as error:
            self._fail(HoldCode.FAILED_TO_ACCESS_USER_ACCOUNT, 0, str(error))
        except RecursionError:
            self._fail(HoldCode.UPLOAD_FILE_ERROR, errno.ELOOP, "Directories are nested too deeply")
        except OSError as error:
            self.report = replace(self.report, error=f"starter on {self.place.slot}: {error}")
        else:
            return True
        remove_scratch(self.place.sandbox)
        return False

    def _distrust(self, why: str) -> None:
        """The checkpoint is not what it was: the next run takes the one before."""
        reason = f"{why.rstrip('.')}, aborting."
        if self._transfer is not None:
            self._transfer.invalid = reason
        self.report = replace(self.report, error=reason)

    def _account(self) -> Account | None:
        """As root the owner's account; otherwise there is only ours."""
        return account(self.job.owner) if os.geteuid() == 0 else account_of(os.geteuid())

    def _prepare(self) -> None:
        place, transfer = self.place, self._transferring()
        if transfer is None:
            map_staged(self.job, place.sandbox.scratch, place.transfer, place.log)
        else:
            left_behind = None if self._spool is None else self._spool.found()
            if self._spool is None or not self.job.wishes.checkpoint_destination:
                self._before = transfer.fetch_input(left_behind)
            else:
                self._before = transfer.fetch_input(None, latest(self.job, self._spool.directory))
            if self.job.wishes.manifest:
                write_manifest(place.sandbox.scratch, self.job.wishes.manifest, "in")
                write_environment(place.sandbox.scratch, self.job.wishes.manifest, self.environment())

    @property
    def owner(self) -> Account | None:
        """Whose rights the job has; None when they are simply ours."""
        return self.runner or self._owner

    @property
    def submitter(self) -> Account | None:
        """Whose files the job's are at the access point, whoever it runs as."""
        return self._owner

    @property
    def directory(self) -> str:
        """Where the program runs."""
        return self.place.sandbox.scratch if self.job.transfer else self.job.iwd

    def environment(self) -> dict[str, str]:
        """The program's environment."""
        found = job_environment(self.place.base_environment | self.variables, self.job, self.owner, self.place.sandbox)
        if self.tmp:
            own = dict(self.job.environment)
            found.update((name, self.tmp) for name in ("TMPDIR", "TMP", "TEMP") if name not in own)
        if self.place.wrapper:
            found["_CONDOR_WRAPPER_ERROR_FILE"] = self._wrapper_errors
        return found

    @property
    def _wrapper_errors(self) -> str:
        """Where USER_JOB_WRAPPER tells why it did not execute the job."""
        return f"{self.place.sandbox.scratch}/.job_wrapper_failure"

    def _execute(self) -> None:
        job, sandbox, cwd = self.job, self.place.sandbox, self.directory
        if self.runner is not None:
            hand_over(sandbox, self._owner or self.runner, self.runner, not job.staged)
        with as_user(self.owner):
            streams = open_streams(job, cwd, sandbox.scratch, self.place.slot)
        try:
            set_limits(job.core_limit, job.stack_limit)
            program, arguments = program_of(job, sandbox.scratch), job.arguments
            if self.place.wrapper:  # USER_JOB_WRAPPER is executed with the job's command line
                program, arguments = self.place.wrapper, (program, *arguments)
            self.process = spawn(program, arguments, cwd, self.environment(), streams, self.owner, self.within)
            if job.nice:
                nicer = max(job.nice, os.getpriority(os.PRIO_PROCESS, self.process.pid))
                os.setpriority(os.PRIO_PROCESS, self.process.pid, nicer)
        finally:
            streams.close()

    def refuse(self, code: int, reason: str, subcode: int = 0) -> None:
        """The job is held before its program runs."""
        self._fail(code, subcode, reason)
        remove_scratch(self.place.sandbox)

    def give_up(self, reason: str) -> None:
        """The run failed for a reason that is not the job's."""
        self.report = replace(self.report, error=reason)
        if self.process is None:
            remove_scratch(self.place.sandbox)

    def clean(self) -> None:
        """Removes what a transfer that was stopped has left."""
        remove_scratch(self.place.sandbox)

    def _fail(self, code: int, subcode: int, reason: str) -> None:
        self.report = replace(self.report, hold_code=int(code), hold_subcode=subcode, hold_reason=reason)

    def _came(self, now: float) -> None:
        """Notes that the input transfer is over, and what it brought."""
        if self._transfer is not None and not self._transfer.refused:
            came = self._transfer.came
            usage = replace(self.report.usage, bytes_received=came.bytes, files_received=came.files)
            self.report = replace(self.report, input_transfer=(self._begun, now), usage=usage)

    def _send_failure_files(self, error: TransferError, clock: Callable[[], float]) -> None:
        """What a job wants to have of a run that failed comes back even though its input did not come."""
        transfer = self._transfer
        if transfer is None or transfer.refused or not error.holds:
            return
        self._came(clock())
        begun = clock()
        with suppress(TransferError, OSError):
            transfer.send_named(self.job.wishes.failure_files)
        self.report = replace(self.report, output_transfer=(begun, clock()))

    def started(self, now: float) -> None:
        """Notes when the program was executed, or when that failed."""
        pid = 0 if self.process is None else self.process.pid
        self.report = replace(self.report, exec_time=now, pid=pid)

    # -- ending it ---------------------------------------------------------------------------------

    def soft_kill(self, number: int = 0, *, final: bool = False) -> None:
        """The kill signal, to the program itself only; a suspended one is continued before so that it can react.

        ``final``: the output is to come back as if the program had ended by itself.
        """
        self._stop()
        self._final = self._final or final
        if self.process is not None and not self.program_is_over:
            if self._suspended:
                self.continue_all()
            self._processes.send([self.process.pid], number or self.job.kill_signal)

    def hard_kill(self) -> None:
        """SIGKILL to the whole family."""
        self._stop()
        self._processes.kill_family(self._family)

    def _stop(self) -> None:
        """A program that ended by itself did so before anybody stopped it, though sessions keep its slot; one
        that waits to be started again did not."""
        if not self.program_is_over or self.dismissed or self.paused:
            self.stopped = True

    def dismiss(self) -> None:
        """Ends the program of an interactive job, which only waited for the first session."""
        if self.process is not None and not self.program_is_over and not self.dismissed:
            self.dismissed = True
            self._processes.send(self._family(), signal.SIGTERM)

    def suspend_all(self) -> int:
        """SIGSTOP to the whole family; how many processes."""
        self._suspended = True
        return self._processes.send(self._family(), signal.SIGSTOP)

    def continue_all(self) -> int:
        """SIGCONT to the whole family; how many processes."""
        self._suspended = False
        return self._processes.send(self._family(), signal.SIGCONT)

    def sample(self) -> dict[str, str]:
        """Looks at the job's processes: usage as attributes for an update."""
        used = self._processes.usage(self._family())
        counted = self._ending is None or self._processes.counts_ended
        spent = self._session_cpu if counted or self._ending is None else self._with_sessions(self._ending)
        self._peak_kb = max(self._peak_kb, used.rss_kb)
        self._image_kb = max(self._image_kb, used.image_kb)
        return {
            "ResidentSetSize_RAW": str(used.rss_kb),
            "ImageSize_RAW": str(used.image_kb),
            "NumPids": str(used.processes),
            "RemoteUserCpu": repr(round(used.user_cpu + spent[0], 2)),
            "RemoteSysCpu": repr(round(used.sys_cpu + spent[1], 2)),
        }

    def _peak(self, waited_kb: int) -> int:
        """Peak resident KB. What the kernel reports of the ended process includes our own size at the fork, so it
        counts only where it is larger; otherwise the samples do."""
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return max(self._peak_kb, waited_kb if waited_kb > own else 0)

    def _family(self) -> set[int]:
        return self._processes.descendants(os.getpid())

    @property
    def program_is_over(self) -> bool:
        """True once the ended program was collected; until ``conclude``, sessions may still use the slot."""
        return self._ending is not None

    def program_ended(self) -> Ending:
        """Collects the ended program."""
        assert self.process is not None
        if self._ending is None:
            self._ending = collect(self.process)
        return self._ending

    def _with_sessions(self, ending: Ending) -> tuple[float, float]:
        return ending.user_cpu + self._session_cpu[0], ending.sys_cpu + self._session_cpu[1]

    def session_ended(self, user_cpu: float, sys_cpu: float) -> None:
        """Counts what an ended session used (seconds) as the job's, where nothing else has counted it."""
        if not self._processes.counts_ended:
            self.add_session(user_cpu, sys_cpu)

    def counted(self) -> tuple[float, float]:
        """CPU seconds (user, system) of the ended program and of ended sessions."""
        return self._with_sessions(self.program_ended())

    def add_session(self, user_cpu: float, sys_cpu: float) -> None:
        """Counts seconds of CPU that neither the program nor what it waited for has used."""
        self._session_cpu = (self._session_cpu[0] + user_cpu, self._session_cpu[1] + sys_cpu)

    def conclude(self, now: float) -> None:
        """Collects the ended program and kills what it left behind; the sandbox is still there."""
        assert self.process is not None
        ending = self.program_ended()
        while not reap_all():
            self._processes.kill_family(self._family)
        self._take_back()
        self._core_file = self._keep_core(self.process.pid) if ending.core_dumped else None
        user_cpu, sys_cpu = self._with_sessions(ending)
        disk_kb, files = disk_usage(self.place.sandbox.scratch)
        peak_kb = self._peak(ending.max_rss_kb)
        usage = Usage(
            user_cpu, sys_cpu, max_rss_kb=peak_kb, disk_kb=disk_kb, scratch_files=files, image_kb=self._image_kb
        )
        self.report = replace(
            self.report,
            exit_code=ending.exit_code,
            exit_signal=ending.exit_signal,
            core_dumped=self._core_file is not None,
            vacated=self.stopped,
            end_time=now,
            usage=usage,
        )
        if self.place.wrapper:
            self._look_for_wrapper_errors()

    @property
    def sends_much(self) -> bool:
        """Whether bringing the output back may take a while, so that others should know of it."""
        if self._transfer is not None and self.stopped and not self._final:
            return self.saves_much and self._at_checkpoint() and not self._saved
        if self._transfer is None:
            return False
        job = self.job
        places = (job.output_destination, job.stdout, job.stderr, *job.output_remaps.values())
        return self.report.usage.disk_kb > _MUCH_KB or any("://" in place for place in places)

    def _look_for_wrapper_errors(self) -> None:
        """If the wrapper tells why it did not execute the job, what ended was not the job: it will run again."""
        try:
            with as_user(self.owner), open_plain(self._wrapper_errors) as file:
                text = file.read(_MOST_OF_A_REASON).strip().replace("\n", "|")
        except FileNotFoundError:
            return
        except OSError as error:
            text = error.strerror or ""
        self.report = replace(self.report, error=f"The job wrapper failed to execute the job: {text}")

    def _take_back(self) -> None:
        """The files of a program that ran as somebody else are the owner's again."""
        if self.runner is not None and self._owner is not None:
            hand_over(self.place.sandbox, self.runner, self._owner)

    def clear(self, clock: Callable[[], float]) -> ExitReport:
        """Copies output back and clears the sandbox, after ``conclude``."""
        begun = clock()
        self._bring_back(self._core_file)
        if self._transfer is not None and self._sends:
            failed = self.report.hold_code in (HoldCode.DOWNLOAD_FILE_ERROR, HoldCode.MAX_TRANSFER_OUTPUT_SIZE_EXCEEDED)
            self.report = replace(self.report, output_transfer=(begun,) if failed else (begun, clock()))
        remove_scratch(self.place.sandbox)
        return self.report

    def _keep_core(self, pid: int) -> str | None:
        """Renames the job's core file to ``core.CLUSTER.PROC``; None when it left none where it ran (os_proc.cpp)."""
        place = self.place.sandbox.scratch if self.job.transfer else self.job.iwd
        kept = f"core.{self.job.job_id}"
        for name in (f"core.{pid}", "core"):
            try:
                with as_user(self._owner):
                    os.rename(os.path.join(place, name), os.path.join(place, kept))
            except OSError:
                continue
            return kept
        return None

    @property
    def _sends(self) -> bool:
        """Whether the end of the run brings anything back."""
        is_final = self._final or not self.stopped
        return is_final or self.job.when_to_transfer == "ON_EXIT_OR_EVICT" or self._at_checkpoint()

    def _bring_back(self, core_file: str | None) -> None:
        """Output to where the job wants it; of a run that was stopped what the next one is to find."""
        transfer = self._transfer
        if transfer is None or self.report.error:
            return
        try:
            if self.stopped and not self._final:
                if self._sends:
                    self._leave_behind(transfer)
            else:
                with as_user(self._owner):
                    self._send_results(transfer, core_file)
        except TransferError as error:
            if not self.stopped:
                self._transfer_failed(error)
        except OSError as error:
            self._fail(HoldCode.DOWNLOAD_FILE_ERROR, error.errno or 0, f"{error.strerror}: {error.filename}")
        except RecursionError:
            self._fail(HoldCode.DOWNLOAD_FILE_ERROR, errno.ELOOP, "Directories are nested too deeply")
        usage = replace(
            self.report.usage,
            bytes_sent=transfer.went.bytes,
            bytes_received=transfer.came.bytes,
            files_sent=transfer.went.files,
            files_received=transfer.came.files,
        )
        self.report = replace(self.report, usage=usage)

    def _send_results(self, transfer: Transfer, core_file: str | None) -> None:
        wishes = self.job.wishes
        transfer.send_streams()
        if wishes.success is not None and wishes.success != self.report.outcome:
            transfer.send_named(wishes.failure_files)
            return
        if wishes.manifest:
            write_manifest(self.place.sandbox.scratch, wishes.manifest, "out")
            transfer.added_output.append(wishes.manifest)
        transfer.send_output(self._before, core_file)

    # -- checkpoints -------------------------------------------------------------------------------

    def _at_checkpoint(self) -> bool:
        """Whether the program ended with checkpoint_exit_code."""
        code = self.job.wishes.checkpoint_exit_code
        return code is not None and self._ending is not None and self._ending.exit_code == code

    def _leave_behind(self, transfer: Transfer) -> None:
        """Saves the checkpoint, or all that changed, for the next run. TransferError, OSError."""
        if self._spool is None or self._saved:
            return
        names = self.job.wishes.checkpoint_files if self._at_checkpoint() else None
        with as_user(self._owner):
            changed = transfer.changed(self._before) if names is None else list(names)
            if names is None:
                scratch = self.place.sandbox.scratch
                listed = (name for name in self.job.output_files or () if os.path.lexists(os.path.join(scratch, name)))
                changed = list(dict.fromkeys((*changed, *listed)))
        if self.job.wishes.checkpoint_destination:
            self._upload(transfer, changed)
            return
        target = self._spool.prepare()
        with as_user(self._owner):
            transfer.save(target, changed)
        self._spool.commit()

    def _upload(self, transfer: Transfer, names: list[str]) -> None:
        """Sends a checkpoint to its destination. Other files of a stopped run have no place there. TransferError,
        OSError."""
        if self._spool is None or not self._at_checkpoint():
            return
        self._spool.open()
        with as_user(self._owner):
            checkpoint = new_one(self.job, self._spool.directory, self.checkpoint)
            transfer.upload(checkpoint, names)
        # The number is used up even when the checkpoint did not get there: something of it may have.
        self.checkpoint, self._saved = checkpoint.number, True

    def pauses(self) -> bool:
        """After the program ended: whether it only wanted a checkpoint, which ``save`` makes."""
        if self._ending is None or self._transfer is None or self.stopped or not self._at_checkpoint():
            return False
        while not reap_all():
            self._processes.kill_family(self._family)
        self.paused = True
        return True

    @property
    def saves_much(self) -> bool:
        """Whether ``save`` may take a while."""
        return bool(self.job.wishes.checkpoint_destination)

    def save(self) -> bool:
        """Keeps the checkpoint of a run that paused. False when that failed, and the run is over."""
        assert self._transfer is not None
        try:
            self._take_back()
            self._leave_behind(self._transfer)
        except (TransferError, OSError) as error:
            self._fail(HoldCode.FAILED_TO_CHECKPOINT, -1, f"Starter failed to upload checkpoint: {error}")
            return False
        if not self._saved:
            self.checkpoint, self._saved = self.checkpoint + 1, True
        return True

    def not_saved(self) -> None:
        """``save`` failed, and is not to be tried again."""
        self.paused, self._saved = False, True

    def saved(self, now: float) -> dict[str, str]:
        """What is to be told of a checkpoint that ``save`` made, or that did not get to its destination."""
        self._saved = True
        if self._transfer is not None and self._transfer.lost:
            return {"CheckpointNumber": str(self.checkpoint), "FailedCheckpoint": "true"}
        seconds = max(0, int(now - (self._executed or self.report.exec_time)))
        told = {"CheckpointNumber": self.checkpoint, "LastCkptTime": int(now), "NewlyCommittedTime": seconds}
        return {name: str(value) for name, value in told.items()}

    def resumes(self, now: float) -> bool:
        """Starts the program of a run that paused. False when the run is over."""
        ending = self._ending
        self.paused = False
        if ending is None:
            return False
        try:
            self._execute()
        except StartError as error:
            self._fail(error.code, error.subcode, str(error))
            return False
        except OSError as error:
            self.report = replace(self.report, error=f"starter on {self.place.slot}: {error}")
            return False
        self._executed = now
        self.add_session(ending.user_cpu, ending.sys_cpu)
        self._ending = None
        self._saved = False
        return True

    def give_way(self) -> None:
        """The run ends at its checkpoint, because its claim takes no more."""
        self.paused = False
        reasons = {"error": _NO_REACTIVATION, "vacate_code": int(VacateCode.SUCCESSFUL_CHECKPOINT)}
        self.report = replace(self.report, **reasons)  # type: ignore[arg-type]
