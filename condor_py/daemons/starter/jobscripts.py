"""PreCmd and PostCmd: programs that a job wants run before and after its own (STARTER_ALLOW_JOB_PRE_AND_POST_CMD).

They run as the job's user in its directory, outside of any container, within the limits of the slot. Nothing here
blocks: the starter continues with the ``then`` of a script.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import replace

from condor_py.daemons.common.loop import Loop, now
from condor_py.daemons.starter.jobfamily import JobFamily
from condor_py.lang.classad import ClassAd, is_true, parse, quote_string
from condor_py.machine.probes import process
from condor_py.machine.run.environment import job_environment
from condor_py.machine.run.job import arguments_of, environment_of
from condor_py.machine.run.process import OF_THE_MACHINE
from condor_py.machine.run.run import Run
from condor_py.machine.run.spawning import Launch, start
from condor_py.model.arguments import ArgumentError, join_v2
from condor_py.model.signals import signal_text
from condor_py.model.states import HoldCode, Universe

#: The niceness of a script, where the starter's is not higher.
_NICENESS = 10
_CODES = {"Pre": HoldCode.PRE_SCRIPT_FAILED, "Post": HoldCode.POST_SCRIPT_FAILED}
_IGNORED = "STARTER_ALLOW_JOB_PRE_AND_POST_CMD evaluated to false, PreCmd and PostCmd will be ignored"


class JobScripts:
    """The scripts of one run. ``tell`` takes attributes for the job's ad, ``log`` lines of the StarterLog."""

    def __init__(
        self,
        loop: Loop,
        family: JobFamily,
        log: Callable[[str], None],
        run: Run,
        job: ClassAd,
        tell: Callable[[Run, dict[str, str]], None],
    ) -> None:
        self._loop, self._family, self._log = loop, family, log
        self._run, self._job, self._tell = run, job, tell
        self._pid = 0

    def before(self, then: Callable[[bool], None]) -> None:
        """Run PreCmd; ``then`` receives whether the program may start. If not, the report of the run has the reason."""
        self._run_one("Pre", {}, then)

    def after(self, then: Callable[[], None]) -> None:
        """Run PostCmd when the program has ended; what it fails with is in the report of the run."""
        ending = self._run.program_ended()
        name, value = "EXIT_CODE", ending.exit_code
        if ending.exit_signal is not None:
            name, value = "EXIT_SIGNAL", ending.exit_signal
        self._run_one("Post", {f"_CONDOR_MAINJOB_{name}": str(value)}, lambda ok: then())

    def stop(self) -> None:
        """Kill the script that runs, and what it has started."""
        if self._pid:
            process.send(process.session_pids(self._pid), signal.SIGKILL)

    def _run_one(self, kind: str, variables: dict[str, str], then: Callable[[bool], None]) -> None:
        path = self._job.eval_str(f"{kind}Cmd", None)
        if not path:
            then(True)
            return
        path = os.path.join(self._run.directory, path)
        begun = now()
        try:
            words = arguments_of(self._job, kind)
            child = self._start(kind, path, words, variables)
        except (ArgumentError, OSError, subprocess.SubprocessError) as error:
            code = getattr(error, "errno", None) or 0
            if kind == "Pre" and code in OF_THE_MACHINE:
                self._run.give_up(f"Failed to execute '{path}': {os.strerror(code)}")
                then(False)
                return
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            self._refuse(kind, HoldCode.FAILED_TO_CREATE_PROCESS, f"Failed to execute '{path}': {why}", code)
            then(False)
            return
        self._pid = child.pid
        self._log(f"About to exec {kind} script: {path} {join_v2(list(words))}".rstrip())

        def ended(status: int) -> None:
            self._pid = 0
            child.returncode = os.waitstatus_to_exitcode(status)
            then(self._judge(kind, child.pid, begun, child.returncode))

        self._loop.on_exit(child.pid, ended)

    def _start(
        self, kind: str, path: str, words: tuple[str, ...], variables: dict[str, str]
    ) -> subprocess.Popen[bytes]:
        """ArgumentError, OSError, SubprocessError."""
        run = self._run
        own = replace(run.job, environment=environment_of(self._job, kind))
        environment = job_environment({**run.place.base_environment, **variables}, own, run.owner, run.place.sandbox)
        run.give_away()
        self._family.prepare(self._job)
        launch = Launch(
            (f"condor_{kind}script", *words), environment, run.directory, run.owner, path,
            enter=self._family.join, niceness=_NICENESS,
        )  # fmt: skip
        return start(launch, subprocess.DEVNULL, subprocess.DEVNULL, subprocess.DEVNULL)

    def _judge(self, kind: str, pid: int, begun: float, code: int) -> bool:
        """Compare the end of a script with what the job wants, and return whether it is that."""
        how = {f"{kind}ExitBySignal": "false", f"{kind}ExitCode": str(code)}
        if code < 0:
            reason = quote_string(f"died on signal {-code} ({signal_text(-code)})")
            how = {f"{kind}ExitBySignal": "true", f"{kind}ExitSignal": str(-code), f"{kind}ExitReason": reason}
        wanted = wanted_status(self._job, kind)
        failed = wanted is not None and code != wanted
        if failed and code >= 0 and kind == "Pre":  # there is no exit code of the program
            how["ExitCode"] = str(code)
        if failed or kind == "Post":
            times = {
                f"{kind}JobPid": str(pid),
                f"{kind}JobStartDate": str(int(begun)),
                f"{kind}JobDuration": repr(round(max(0.0, now() - begun), 6)),
            }
            self._tell(self._run, {**times, **how})
        self._log(f"{kind} script ended with " + (f"signal {-code}" if code < 0 else f"status {code}"))
        if failed:
            self._log(f"{kind} script failed, putting job on hold.")
            self._refuse(kind, _CODES[kind], f"{kind} script failed.")
        return not failed

    def _refuse(self, kind: str, code: int, reason: str, subcode: int = 0) -> None:
        self._family.kill_family(lambda: self._family.descendants(os.getpid()))
        if kind == "Pre":
            self._run.refuse(code, reason, subcode)
        else:
            self._run.hold(code, reason, subcode)


def wanted_status(job: ClassAd, kind: str) -> int | None:
    """Return the exit code of a successful script, or its signal below 0 (SuccessPreExitCode and its like); None where
    any end is one."""
    code, number = job.eval_int(f"Success{kind}ExitCode", None), job.eval_int(f"Success{kind}ExitSignal", None)
    if code is None and number is None:
        return None
    return -(number or 0) if job.eval_bool(f"Success{kind}ExitBySignal", False) is True else code or 0


def scripts_wanted(allowed: str, slot: ClassAd, job: ClassAd, log: Callable[[str], None]) -> bool:
    """Whether a job has scripts and may run them: ``allowed`` is an expression about slot (MY) and job (TARGET)."""
    if job.text("PreCmd") is None and job.text("PostCmd") is None:
        return False
    if job.eval_int("JobUniverse", Universe.VANILLA) == Universe.SCHEDULER:
        return False
    if not any(job.eval_str(name, None) for name in ("PreCmd", "PostCmd")):
        return False
    if allowed and is_true(slot.raw(parse(allowed), job)):
        return True
    log(_IGNORED)
    return False
