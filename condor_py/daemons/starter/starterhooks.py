"""The hooks of a job (manual: Job Hooks): programs that prepare it, receive its updates, and its end.

They run as the job's user in its scratch directory and read ads of ``Name = expression`` lines, in the ASCII order of
the names. Nothing here blocks: the starter continues with a hook's ``then``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from condor_py.daemons.common.hookpath import chosen, unusable
from condor_py.daemons.common.loop import Loop, Timer
from condor_py.daemons.common.program import Ended, Program
from condor_py.lang.classad import ClassAd, is_valid, quote_string
from condor_py.lang.classad.formats.old import sorted_lines, split_line
from condor_py.machine.run.run import Run
from condor_py.model.arguments import ArgumentError, split_v2
from condor_py.model.settings.starter import StarterHooks, StarterSettings
from condor_py.model.signals import exit_reason, signal_text
from condor_py.model.states import HoldCode

Pairs = tuple[tuple[str, str], ...]
#: A status up to this holds the job; a higher one sends it back to the queue.
_HIGHEST_HOLD = 299
_STATUS, _MESSAGE = "HookStatusCode", "HookStatusMessage"


class Prepared(NamedTuple):
    """The decision of a preparing hook: ``status`` 0 with changes of the job ad, else why the job does not start. A
    status below 0 is the signal that the hook died by; ``failed``: it could not be executed."""

    status: int
    message: str
    changes: Pairs = ()
    failed: bool = False

    @property
    def ok(self) -> bool:
        """Whether the job continues."""
        return self.status == 0 and not self.failed

    @property
    def holds(self) -> bool:
        """Whether the job is to be held; else it goes back to the queue."""
        return 0 <= self.status <= _HIGHEST_HOLD

    def end(self, run: Run) -> None:
        """The run is over, because the job is not ``ok``."""
        if self.holds:
            run.refuse(HoldCode.HOOK_PREPARE_JOB_FAILURE, self.message, self.status)
        else:
            run.give_up(self.message)


def hooks_for(settings: StarterSettings, job: ClassAd) -> StarterHooks | None:
    """The hooks of a job: STARTER_JOB_HOOK_KEYWORD, else the job's HookKeyword if the configuration knows it, else
    STARTER_DEFAULT_JOB_HOOK_KEYWORD."""
    if not settings.hooks:
        return None
    return chosen(settings.hooks, settings.job_hook_keyword, settings.default_job_hook_keyword, job)


class JobHooks:
    """The hooks of one run. ``log`` takes lines of the StarterLog."""

    def __init__(self, loop: Loop, log: Callable[[str], None], hooks: StarterHooks, run: Run, job: ClassAd) -> None:
        self._loop = loop
        self._log = log
        self._hooks = hooks
        self._run = run
        self.job = job
        self._running: Program | None = None
        self._limit = Timer(_nothing)

    def prepare(self, *, transferred: bool, then: Callable[[Prepared], None]) -> None:
        """Runs PREPARE_JOB_BEFORE_TRANSFER, or PREPARE_JOB when the input is ``transferred``."""
        name = "PREPARE_JOB" if transferred else "PREPARE_JOB_BEFORE_TRANSFER"
        path = self._hooks.prepare if transferred else self._hooks.prepare_before_transfer
        if not path:
            then(Prepared(0, ""))
            return
        failed = Prepared(0, f"failed to execute {name} ({path})", failed=True)
        try:
            arguments = split_v2(self._hooks.prepare_arguments)
        except ArgumentError as error:
            self._log(f"ERROR: {self._hooks.keyword}_HOOK_PREPARE_JOB_ARGS: {error}")
            then(failed)
            return
        if not self._start(path, arguments, self.job, lambda ended: then(decision(name, path, ended))):
            then(failed)
            return
        self._log(f"{name} ({path}) invoked.")

    def change(self, changes: Pairs) -> None:
        """Puts what a hook printed into the job ad."""
        self.job.set_texts(changes)

    def update(self, usage: dict[str, str]) -> None:
        """UPDATE_JOB_INFO: send the state of the job; the hook is not waited for."""
        path = self._hooks.update
        state = "Suspended" if self._run.suspended else "Running"
        if path and self._start(path, [], self._described(usage, (("JobState", quote_string(state)),)), _ignore):
            self._log(f"UPDATE_JOB_INFO ({path}) invoked.")

    def exited(self, usage: dict[str, str], then: Callable[[], None]) -> None:
        """JOB_EXIT: report the end of the job and wait for the hook, as long as its time-out allows."""
        path = self._hooks.exit
        report = self._run.report
        reason = "evict" if report.vacated else "exit"
        if not path or not self._start(path, [reason], self._described(usage, self._ending()), lambda ended: then()):
            then()
            return
        self._log(f'JOB_EXIT ({path}) invoked with reason: "{reason}"')
        if self._hooks.exit_timeout > 0:
            self._limit = self._loop.after(self._hooks.exit_timeout, self.stop)

    def stop(self) -> None:
        """Kills the hook that runs."""
        if self._running is not None:
            self._running.kill()

    def _ending(self) -> Pairs:
        report = self._run.report
        duration = max(0.0, report.end_time - report.exec_time)
        how: Pairs = (("ExitBySignal", "false"), ("ExitCode", str(report.exit_code or 0)))
        if (number := report.exit_signal) is not None:
            reason = ("ExitReason", quote_string(exit_reason(number)))
            how = (("ExitBySignal", "true"), ("ExitSignal", str(number)), reason)
        return (("JobState", '"Exited"'), *how, ("JobDuration", repr(round(duration, 6))))

    def _described(self, usage: dict[str, str], more: Pairs) -> ClassAd:
        report = self._run.report
        ad = self.job.copy()
        ad.set_texts((name.removesuffix("_RAW"), text) for name, text in usage.items())
        ad.set_texts((("JobPid", str(report.pid)), ("JobStartDate", str(int(report.exec_time)))))
        ad.set_texts(more)
        return ad

    def _start(self, path: str, arguments: list[str], ad: ClassAd, then: Callable[[Ended], None]) -> bool:
        problem = unusable(path)
        if problem:
            self._log(f"ERROR: the hook {path} {problem}: refusing to use it")
            return False

        def over(ended: Ended) -> None:
            if self._running is program:
                self._running = None
                self._limit.cancel()
            if ended.err:
                self._log(f"hook {path} printed to stderr: {ended.err.decode(errors='replace').rstrip()}")
            then(ended)

        try:
            program = Program(
                self._loop,
                [path, *arguments],
                on_end=over,
                environment=self._run.environment(),
                directory=self._run.place.sandbox.scratch if os.path.isdir(self._run.place.sandbox.scratch) else "/",
                stdin=sorted_lines(ad.text_items()).encode("utf-8", "surrogateescape"),
                user=self._run.owner,
            )
        except OSError as error:
            self._log(f"ERROR: cannot run the hook {path}: {error.strerror}")
            return False
        self._running = program
        return True


def decision(name: str, path: str, ended: Ended) -> Prepared:
    """Reads what a preparing hook printed and how it ended."""
    pairs: dict[str, tuple[str, str]] = {}
    said = b"" if ended.cut else ended.out
    for line in said.decode("utf-8", "surrogateescape").split("\n"):
        found = split_line(line)
        if found is not None and is_valid(found[1]):
            pairs[found[0].lower()] = found
    ad = ClassAd.from_text_items(pairs.values())
    reported = ad.eval_int(_STATUS, None)
    if ended.cut:  # a part of the changes would be another job than the hook wanted
        status, how = 1, f"printed more than {len(ended.out)} bytes"
    elif ended.exit_code is None:
        status, how = -ended.signal, f"died with signal {ended.signal} ({signal_text(ended.signal)})"
    elif reported is not None and reported >= 0:
        status, how = reported, f"reported status {reported:03d}"
    else:
        status, how = ended.exit_code, f"exited with status {ended.exit_code}"
    word = "failed" if status else "succeeded"
    message = ad.eval_str(_MESSAGE, None) or "<no message>"
    text = f"{name} ({os.path.basename(path)}) {word} ({how}): {message}"
    return Prepared(status, text if status or message != "<no message>" else "", tuple(pairs.values()))


def _ignore(ended: Ended) -> None:
    """Ignore the end of a hook that no step waits for."""


def _nothing() -> None:
    """The timer that is not set."""


def last_usage(run: Run) -> dict[str, str]:
    """Return the resource usage of an ended job, as the attributes of an update."""
    used = run.report.usage
    return {
        "ResidentSetSize": str(used.max_rss_kb),
        "ImageSize": str(used.image_kb),
        "MemoryUsage": "((ResidentSetSize + 1023) / 1024)",
        "RemoteUserCpu": repr(round(used.user_cpu, 2)),
        "RemoteSysCpu": repr(round(used.sys_cpu, 2)),
        "DiskUsage": str(used.disk_kb),
        "NumPids": "0",
    }
