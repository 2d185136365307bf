"""One run of a job from sandbox to report. The caller owns the waiting: ``begin``, ``execute``, and ``conclude``
and ``clear`` when the process has ended.
"""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from condor_py.machine.run import trees
from condor_py.machine.run.destination import InvalidCheckpoint
from condor_py.machine.run.environment import job_environment
from condor_py.machine.run.executor import Execution, Executor
from condor_py.machine.run.failures import TransferError
from condor_py.machine.run.identity import Account, account_for, as_user, with_primary_group
from condor_py.machine.run.job import Job
from condor_py.machine.run.keeper import Keeper
from condor_py.machine.run.mapping import map_staged
from condor_py.machine.run.medium import Flusher
from condor_py.machine.run.plugins import record_of
from condor_py.machine.run.process import Ending, StartError, check_directory
from condor_py.machine.run.results import (
    how_it_failed,
    keep_core,
    send_results,
    with_transfers,
    wrapper_error,
    write_environment,
    write_manifest,
)
from condor_py.machine.run.sandbox import (
    Place,
    append_job_ad,
    clear_scratch,
    create_scratch,
    hand_over,
    replace_job_ad,
)
from condor_py.machine.run.tooldaemon import start_tool
from condor_py.machine.run.transfer import Catalogue, Progress, Transfer
from condor_py.machine.run.verdict import (
    FAILURES,
    aborting,
    held,
    out_of_disk,
    output_failed,
    restart_failed,
    start_failed,
    transfer_failed,
)
from condor_py.model.report import ExitReport, Usage, traffic_attributes
from condor_py.model.states import HoldCode, VacateCode

# skip_if_dataflow: a job whose output is newer than all that it is made of need not run.


def is_done(job: Job) -> bool:
    """Whether every named output file is newer than every input file, the program and the standard input.

    URLs do not count, nor do input files that are missing (file_transfer.cpp). Called with the rights of the job's
    owner.
    """
    names = [name for name in (*job.input_files, *job.common_files) if "://" not in name]
    must = [job.cmd] if job.stdin == os.devnull else [job.cmd, job.stdin]
    try:
        newest = max(_changed(job, name) for name in must)
        oldest = min((_changed(job, name) for name in job.output_files or ()), default=0)
    except OSError:
        return False
    for name in names:
        try:
            newest = max(newest, _changed(job, name))
        except OSError:
            continue
    return oldest > newest


def _changed(job: Job, name: str) -> int:
    return os.stat(os.path.join(job.iwd, name)).st_mtime_ns


#: Output of less is there in a moment, in KB.
_MUCH_KB = 10_000
_NO_REACTIVATION = (
    "Rescheduling self-checkpoint job after checkpoint upload because reactivating the claim would have failed."
)


class Stage(NamedTuple):
    """The stage of a run: see ``Run.stage``."""

    report: ExitReport
    before: Catalogue
    checkpoint: int
    progress: Progress | None


class Run:
    """One run. ``report`` grows in place as things happen; times are handed in by the caller. ``runner`` is the account
    that the program runs as when that is not the owner."""

    def __init__(
        self,
        place: Place,
        executor: Executor,
        job: Job,
        report: ExitReport,
        job_ad: str,
        runner: Account | None = None,
    ) -> None:
        self.place = place
        self.job = job
        self.report = report
        #: Whether its processes are stopped.
        self.suspended = False
        self._job_ad = job_ad
        self.executor = executor
        self._owner: Account | None = None
        #: The account whose rights the job has; None for our own.
        self.owner = runner
        self._variables: Mapping[str, str] = {}
        self.runner = runner
        self._transfer: Transfer | None = None
        self._before = Catalogue({})
        self.stopped = False
        self._final = False
        #: The program was ended to make room for the sessions of an interactive job.
        self.dismissed = False
        self._ending: Ending | None = None
        self._keeper = Keeper(job.checkpoint_number)
        self._executed = 0.0
        self.meter = Meter(executor)
        self._core_file: str | None = None
        self._begun = 0.0

    def begin(self, now: float) -> bool:
        """Makes the scratch directory; ``fetch`` and ``execute`` must follow. False when the run is over."""
        self._begun = self.report.start_time = now

        def make() -> None:
            self._owner = with_primary_group(account_for(self.job.owner), self.job.primary_group)
            self.owner = self.runner or self._owner
            if self.place.transfer.spool and self.job.leaves_files:
                transfer = self.place.transfer
                self._keeper.open(transfer.spool, self.job, self._owner, transfer.spool_mode, self.place.medium)
            create_scratch(self.place.sandbox, self._owner, self._job_ad, self.place.machine_ad)

        return self._attempt(make) and not self._skips()

    def set_back(self, seconds: float) -> None:
        """The clock was set, by so many seconds (less than 0): what was is as long ago as before."""
        self.report = self.report.moved(seconds)
        self._begun += seconds
        self._executed += seconds if self._executed else 0.0

    def _skips(self) -> bool:
        """Whether the job need not run at all, because its output is there."""
        if not self.job.skip_if_dataflow:
            return False
        with as_user(self._owner):
            done = is_done(self.job)
        if done:
            self.report = replace(self.report, exit_code=0, skipped=True)
            clear_scratch(self.place)
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
            self.give_away()  # an image is tried as the account that the program will run as
            self.executor.fetch(self._execution())
            self._take_back()

        done = self._attempt(bring)
        if not self.report.input_transfer:
            self._came(clock())
        return done

    def check_directory(self) -> None:
        """StartError when the submit directory cannot be entered: before output files are made, which would be
        emptied."""
        with as_user(self._owner):
            check_directory(self.job.iwd)

    @property
    def brings_much(self) -> bool:
        """Whether bringing the input may take a while. What an earlier run has left may be anything."""
        transfer = self._transferring()  # which takes over what a child does
        if self.executor.fetches_much:
            return True
        if transfer is None:
            return False
        try:
            with as_user(self._owner):
                return transfer.is_much() or self._keeper.left_behind is not None
        except OSError:
            return False  # the transfer will tell

    @property
    def invalid_checkpoint(self) -> str:
        """Why the checkpoint that came is no good; "" when it is."""
        return "" if self._transfer is None else self._transfer.invalid

    def _transferring(self) -> Transfer | None:
        if self.job.transfer and self._transfer is None:
            place = self.place
            self._transfer = Transfer(
                self.job,
                place.sandbox.scratch,
                place.slot,
                place.access_point,
                place.transfer,
                place.log,
                place.clock,
                place.medium,
            )
        return self._transfer

    def news_of_plugins(self, now: float) -> list[dict[str, str]]:
        """Return the plugins' reports since the last call, as attributes of a record a transfer, for its history."""
        transfer = self._transfer
        if transfer is None:
            return []
        reported = transfer.record(now)
        return [
            record_of(kind, [one for of, one in reported if of == kind])
            for kind in sorted({kind for kind, _ in reported})
        ]

    def stage(self) -> Stage:
        """Return the state that a child that did a step of the run reports."""
        progress = None if self._transfer is None else self._transfer.progress()
        return Stage(self.report, self._before, self._keeper.number, progress)

    def take(self, stage: Stage) -> None:
        """Takes over what a child did."""
        self.report, self._before, checkpoint, progress = stage
        self._keeper.take(checkpoint)
        if self._transfer is not None and progress is not None:
            self._transfer.take(progress)

    def execute(self, variables: Mapping[str, str]) -> bool:
        """Start the program; ``variables`` of its environment are those that only this run has. False when the run is
        over."""
        self._variables = variables

        def execute() -> None:
            self.give_away()
            execution = self._execution()
            self.executor.prepare(execution)
            self.executor.start(execution, self.environment())

        return self._attempt(execute)

    def change(self, job: Job, job_ad: str) -> None:
        """Another job ad, from a hook, before ``execute``."""
        self.job = job
        self._job_ad = job_ad
        with as_user(self._owner):
            replace_job_ad(self.place.sandbox, job_ad)

    def _attempt(self, step: Callable[[], None]) -> bool:
        """Does one step of the start. False, with the reason in ``report``, when it failed."""
        try:
            step()
        except FAILURES as error:
            if isinstance(error, InvalidCheckpoint) and self._transfer is not None:
                self._transfer.refuse_checkpoint(aborting(error))
            self.report = start_failed(self.report, error, self.place.slot)
        else:
            return True
        clear_scratch(self.place)
        return False

    def _prepare(self) -> None:
        place, transfer = self.place, self._transferring()
        if transfer is None:
            map_staged(self.job, place.sandbox.scratch, place.transfer, place.log)
        else:
            self._before = self._keeper.fetch_input(self.job, transfer)
            if self.job.wishes.manifest:
                write_manifest(place.sandbox.scratch, self.job.wishes.manifest, "in")
                write_environment(place.sandbox.scratch, self.job.wishes.manifest, self.environment())

    @property
    def submitter(self) -> Account | None:
        """The owner of the job's files at the access point, whatever account it runs as."""
        return self._owner

    @property
    def directory(self) -> str:
        """Directory in which the program runs."""
        return self.job.directory(self.place.sandbox.scratch)

    def environment(self) -> dict[str, str]:
        """The program's environment."""
        found = job_environment(
            {**self.place.base_environment, **self._variables}, self.job, self.owner, self.place.sandbox
        )
        if self.executor.tmp:
            own = self.job.environment
            found.update((name, self.executor.tmp) for name in ("TMPDIR", "TMP", "TEMP") if name not in own)
        if self.place.wrapper:
            found["_CONDOR_WRAPPER_ERROR_FILE"] = self._wrapper_errors
        return found

    @property
    def _wrapper_errors(self) -> str:
        """Path of the file in which USER_JOB_WRAPPER writes why it did not execute the job."""
        return f"{self.place.sandbox.scratch}/.job_wrapper_failure"

    def _execution(self) -> Execution:
        return Execution(self.job, self.place, self.directory, self.owner)

    def give_away(self) -> None:
        """Give the files to the account that the program runs as."""
        if self.runner is not None:
            hand_over(self.place.sandbox, self._owner or self.runner, self.runner, not self.job.staged)

    def start_tool(self) -> subprocess.Popen[bytes] | None:
        """Start the tool daemon beside the program; None without one. One that cannot be started holds the job."""
        tool = self.job.tool
        if tool is None:
            return None
        try:
            return start_tool(tool, self._execution(), self.executor, self.environment())
        except (StartError, OSError) as error:
            self.report = start_failed(self.report, error, self.place.slot)
        except ValueError as error:  # a name that no file can have
            self.report = held(
                self.report, HoldCode.FAILED_TO_CREATE_PROCESS, errno.EINVAL, f"tool_daemon_cmd: {error}"
            )
        self.executor.kill()
        return None

    def refuse(self, code: int, reason: str, subcode: int = 0) -> None:
        """The job is held before its program runs."""
        self.report = held(self.report, code, subcode, reason)
        clear_scratch(self.place)

    def hold(self, code: int, reason: str, subcode: int = 0) -> None:
        """The job is held although its program has run; its output does not come back."""
        self.report = held(self.report, code, subcode, reason)

    def give_up(self, reason: str) -> None:
        """The run failed for a reason that is not the job's."""
        self.report = replace(self.report, error=reason)
        if not self.executor.pid:
            clear_scratch(self.place)

    def clean(self) -> None:
        """Removes what a transfer that was stopped has left."""
        clear_scratch(self.place)

    def has_turn(self, now: float) -> None:
        """Notes that the input transfer, which has waited for its turn, begins."""
        self._begun = now

    def _came(self, now: float) -> None:
        """Notes that the input transfer is over, and what it brought."""
        if self._transfer is not None and not self._transfer.refused:
            usage = with_transfers(self.report.usage, self._transfer)
            self.report = replace(self.report, input_transfer=(self._begun, now), usage=usage)

    def _send_failure_files(self, error: TransferError, clock: Callable[[], float]) -> None:
        """Send the files that a job wants back from a failed run, even though its input did not come."""
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
        self.report.exec_time, self.report.pid = now, self.executor.pid

    # -- ending it ---------------------------------------------------------------------------------

    def stop(self, *, final: bool = False) -> None:
        """The run ends from outside; ``final``: the output is to come back as if the program had ended by itself."""
        self.stopped = True
        self._final = self._final or final

    def soft_kill(self, number: int = signal.SIGTERM) -> None:
        """A signal to the program itself only."""
        self.executor.signal(number)

    def hard_kill(self) -> None:
        """Kills everything of the job."""
        self.executor.kill()

    def dismiss(self) -> None:
        """Ends the program of an interactive job, which only waited for the first session."""
        if self.executor.pid and not self.program_is_over and not self.dismissed:
            self.dismissed = True
            self.executor.dismiss()

    def suspend_all(self) -> int:
        """Suspend the job; return the number of its processes."""
        self.suspended = True
        return self.executor.suspend()

    def continue_all(self) -> int:
        """Let the job continue; return how many processes."""
        self.suspended = False
        return self.executor.resume()

    def sample(self) -> dict[str, str]:
        """Looks at the job's processes: usage as attributes for an update."""
        return self.meter.look(self._ending)

    def news(self) -> dict[str, str]:
        """Return the new attributes for the job's ad; they are also added to the job's own copy."""
        found = self.executor.news()
        if found:
            with as_user(self.owner), suppress(OSError):
                append_job_ad(self.place.sandbox, found)
        return found

    @property
    def program_is_over(self) -> bool:
        """True once the ended program was collected; until ``conclude``, sessions may still use the slot."""
        return self._ending is not None

    def program_ended(self) -> Ending:
        """Collects the ended program."""
        if self._ending is None:
            self._ending = self.executor.collect()
        return self._ending

    def counted(self) -> tuple[float, float]:
        """CPU seconds (user, system) of the ended program and of ended sessions."""
        return self.meter.total(self.program_ended())

    def conclude(self, now: float) -> None:
        """Collect the ended program and kill its remaining processes; the sandbox is still there."""
        ending = self.program_ended()
        self.meter.add(*self.executor.uncounted(self.counted()))
        self.executor.end()
        self._take_back()
        self._core_file = self._keep_core(ending.own_pid or self.executor.pid) if ending.core_dumped else None
        sandbox = self.place.sandbox
        usage = with_transfers(self.meter.usage(ending, sandbox.scratch, sandbox.encrypted), self._transfer)
        report = self.report
        if not self.executor.refused:
            report.exit_code, report.exit_signal = ending.exit_code, ending.exit_signal
        report.core_dumped = self._core_file is not None
        report.vacated, report.end_time, report.usage = self.stopped, now, usage
        if sandbox.over_disk() and (self.stopped or ending.exit_code != 0):
            self.report = out_of_disk(self.report, sandbox.disk_kb)
        if self.place.wrapper and (error := wrapper_error(self._wrapper_errors, self.owner)):
            self.report = replace(self.report, error=error)

    @property
    def sends_much(self) -> bool:
        """Whether bringing the output back may take a while, so that others should know of it."""
        if self._transfer is not None and self.stopped and not self._final:
            return self.saves_much and self.at_checkpoint and not self._keeper.done
        if self._transfer is None:
            return False
        places = (self.job.output_destination, self.job.stdout, self.job.stderr, *self.job.output_remaps.values())
        return self.report.usage.disk_kb > _MUCH_KB or any("://" in place for place in places)

    def _take_back(self) -> None:
        """Give the files of a program that ran as another account back to the owner."""
        if self.runner is not None and self._owner is not None:
            hand_over(self.place.sandbox, self.runner, self._owner)

    def clear(self, clock: Callable[[], float]) -> ExitReport:
        """Copies output back and clears the sandbox, after ``conclude``."""
        begun = clock()
        self._bring_back(self._core_file)
        if self._transfer is not None and self._sends:
            self.report = replace(self.report, output_transfer=(begun, clock()))
        clear_scratch(self.place)
        return self.report

    def _keep_core(self, pid: int) -> str | None:
        with as_user(self._owner):
            return keep_core(self.place.sandbox.scratch if self.job.transfer else self.job.iwd, self.job.job_id, pid)

    @property
    def _sends(self) -> bool:
        """Whether the end of the run brings anything back."""
        if self.executor.refused:
            return False
        is_final = self._final or not self.stopped
        return is_final or self.job.when_to_transfer == "ON_EXIT_OR_EVICT" or self.at_checkpoint

    def _bring_back(self, core_file: str | None) -> None:
        """Output to where the job wants it; of a run that was stopped what the next one is to find."""
        transfer = self._transfer
        if self.report.error or self.report.hold_code or self.executor.refused:
            return
        if not self.stopped or self._final:
            self._flush_streams()
        if transfer is None or self.report.hold_code:
            return
        try:
            if self.stopped and not self._final:
                if self._sends:
                    self._keep(transfer)
            else:
                with as_user(self._owner):
                    send_results(transfer, self.job.wishes, self.report.outcome, self._before, core_file)
        except TransferError as error:
            if not self.stopped:
                with as_user(self._owner):
                    why = how_it_failed(self.report, transfer.scratch) if error.subcode == errno.ENOENT else ""
                self.report = transfer_failed(self.report, error, why)
        except (OSError, RecursionError) as error:
            self.report = output_failed(self.report, error)
        self.report = replace(self.report, usage=with_transfers(self.report.usage, transfer))

    def _flush_streams(self) -> None:
        """Wait until the output that went to the job's files while it ran is on the medium."""
        job = self.job
        if job.is_silent or self.place.medium is None:
            return
        flusher = Flusher(self.place.medium, job.iwd)
        streams = ((job.stdout, job.stream_output), (job.stderr, job.stream_error))
        try:
            with as_user(self._owner):
                for name, streamed in streams:
                    if name != os.devnull and (streamed or not job.transfer):
                        flusher.named(os.path.join(job.iwd, name))
                flusher.finish()
        except OSError as error:
            self.report = output_failed(self.report, error)

    # -- checkpoints -------------------------------------------------------------------------------

    @property
    def at_checkpoint(self) -> bool:
        """Whether the program ended because it wanted a checkpoint (with checkpoint_exit_code or a signal)."""
        wanted, ending = self.job.wishes.checkpoint_exit, self._ending
        if wanted is None or ending is None or self._transfer is None:
            return False
        return wanted == (-ending.exit_signal if ending.exit_signal else ending.exit_code)

    def _keep(self, transfer: Transfer) -> None:
        self._keeper.keep(self.job, transfer, self._before, at_checkpoint=self.at_checkpoint)

    def pause(self) -> None:
        """The ended program wanted a checkpoint, and is the only one to continue after that."""
        self.executor.end()

    @property
    def was_resumed(self) -> bool:
        """Whether the program was started again after a checkpoint."""
        return self._executed > 0.0

    @property
    def saves_much(self) -> bool:
        """Whether ``save`` may take a while."""
        return bool(self.job.wishes.checkpoint_destination)

    def save(self) -> bool:
        """Keeps the checkpoint of a run that paused. False when that failed, and the run is over."""
        assert self._transfer is not None
        try:
            self._take_back()
            self._keep(self._transfer)
        except (TransferError, OSError) as error:
            reason = f"Starter failed to upload checkpoint: {error}"
            self.report = held(self.report, HoldCode.FAILED_TO_CHECKPOINT, -1, reason)
            return False
        self._keeper.count()
        return True

    def not_saved(self) -> None:
        """``save`` failed, and is not to be tried again."""
        self._keeper.finish()

    def saved(self, now: float) -> dict[str, str]:
        """Return the attributes about a checkpoint that ``save`` made, or that did not get to its destination."""
        self._keeper.finish()
        lost = self._transfer is not None and self._transfer.lost
        return self._keeper.told(now, self._executed or self.report.exec_time, lost=lost)

    def resumes(self, now: float) -> bool:
        """Starts the program of a run that paused. False when the run is over."""
        ending = self._ending
        if ending is None:
            return False
        try:
            self.give_away()
            self.executor.start(self._execution(), self.environment())
        except (StartError, OSError) as error:
            self.report = restart_failed(self.report, error, self.place.slot)
            return False
        self._executed = now
        self.meter.add(ending.user_cpu, ending.sys_cpu)
        self._ending = None
        self._keeper.begin_again()
        return True

    def give_way(self) -> None:
        """The run ends at its checkpoint, because its claim takes no more."""
        code = int(VacateCode.SUCCESSFUL_CHECKPOINT)
        self.report = replace(self.report, error=_NO_REACTIVATION, vacate_code=code)


class Meter:
    """One run. CPU times are seconds (user, system), sizes KB."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        #: CPU of ended sessions, and of the program before its last restart.
        self._others = (0.0, 0.0)
        self._peak_kb = 0
        self._image_kb = 0

    def look(self, ending: Ending | None) -> dict[str, str]:
        """Usage as attributes for an update; ``ending`` is that of the program when only sessions are left."""
        used = self._executor.usage()
        spent = self._others if ending is None or self._executor.counts_ended else self.total(ending)
        self._peak_kb = max(self._peak_kb, used.rss_kb)
        self._image_kb = max(self._image_kb, used.image_kb)
        return {
            **traffic_attributes(*self._executor.traffic),
            "ResidentSetSize_RAW": str(used.rss_kb),
            "ImageSize_RAW": str(used.image_kb),
            "NumPids": str(used.processes),
            "RemoteUserCpu": repr(round(used.user_cpu + spent[0], 2)),
            "RemoteSysCpu": repr(round(used.sys_cpu + spent[1], 2)),
        }

    def add(self, user_cpu: float, sys_cpu: float) -> None:
        """Counts what neither the program nor anything it waited for has used."""
        self._others = (self._others[0] + user_cpu, self._others[1] + sys_cpu)

    def session_ended(self, user_cpu: float, sys_cpu: float) -> None:
        """Counts what an ended session used as the job's, where nothing else has counted it."""
        if not self._executor.counts_ended:
            self.add(user_cpu, sys_cpu)

    def total(self, ending: Ending) -> tuple[float, float]:
        """CPU of the ended program and of everything that was added."""
        return ending.user_cpu + self._others[0], ending.sys_cpu + self._others[1]

    def usage(self, ending: Ending, scratch: str, encrypted: bool = False) -> Usage:
        """All that an ended run has used; ``encrypted`` is whether its scratch directory was."""
        user_cpu, sys_cpu = self.total(ending)
        disk_kb, files = trees.measure(scratch)
        peak_kb = self._peak(ending.max_rss_kb)
        received, sent = self._executor.traffic
        return Usage(
            user_cpu, sys_cpu, max_rss_kb=peak_kb, disk_kb=disk_kb, scratch_files=files, encrypted=encrypted,
            image_kb=self._image_kb, net_received=received, net_sent=sent,
        )  # fmt: skip

    def _peak(self, waited_kb: int) -> int:
        """Peak resident size. What the kernel reports of the ended process includes our own size at the fork, so it
        counts only where it is larger; otherwise the samples do."""
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return max(self._peak_kb, waited_kb if waited_kb > own else 0)
