"""The executor of jobs in containers of singularity's, which is apptainer today. Its program is a process of this
machine, which runs with the rights of the job's owner; the container is what its children see."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from condor_py.lang.classad import ClassAd
from condor_py.machine.run.environment import job_environment
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.family import Family
from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.places import LAUNCHED_NAME
from condor_py.machine.run.process import Ending, StartError, Streams
from condor_py.machine.run.processes import ProcessExecutor
from condor_py.machine.run.session import SessionPlace, SessionRequest, start_inside
from condor_py.machine.run.singularitywords import (
    TEST_FAILED,
    Inside,
    dressed,
    first_complaint,
    inner_environment,
    test_words,
    write_launcher,
)
from condor_py.machine.run.spawning import Launch, answer_of, start
from condor_py.model.arguments import ArgumentError
from condor_py.model.report import ExitReport
from condor_py.model.settings.containers import SingularitySettings
from condor_py.model.states import HoldCode, VacateCode

_TMP = "/tmp"
_NOT_STARTED = "The container was not started: singularity has ended before the program began"


class SingularityExecutor(ProcessExecutor):
    """See Executor. ``family`` finds, limits and signals the processes of the slot."""

    def __init__(
        self,
        settings: SingularitySettings,
        family: Family,
        slot_ad: ClassAd,
        job_ad: ClassAd,
        log: Callable[[str], None],
        look_interval: float = 1.0,
    ) -> None:
        super().__init__(family, job_ad, look_interval=look_interval)
        apptainer = "apptainer" in (slot_ad.eval_str("SingularityVersion", None) or "apptainer")
        self._inside = Inside(settings, slot_ad, job_ad, apptainer)
        self._log = log
        self.fetches_much = settings.tests_image  # which may bring it
        #: The mark of a program that was started inside (SINGULARITY_USE_LAUNCHER); "" where none is left.
        self._mark = ""
        self._refused = False

    def fetch(self, execution: Execution) -> None:
        """Tries the image (SINGULARITY_RUN_TEST_BEFORE_JOB). StartError 45 when it is no good."""
        if self._inside.settings.uses_launcher:
            write_launcher(execution.place.sandbox.root)
        if not self._inside.settings.tests_image:
            return
        base = execution.place.base_environment
        environment = job_environment(base, execution.job, execution.owner, execution.place.sandbox)
        words = self._arguments(lambda: test_words(self._inside, execution, self._log))
        self._try_image(words, execution, inner_environment(self._inside, execution, environment))

    def _try_image(self, words: list[str], execution: Execution, environment: Mapping[str, str]) -> None:
        launch = Launch(words, environment, execution.directory, execution.owner, words[0], umask=0o022)
        seconds = self._inside.settings.test_timeout
        try:
            process = start(launch, subprocess.DEVNULL, subprocess.PIPE, subprocess.STDOUT)
        except OSError as error:
            raise OSError(error.errno, f"cannot run {words[0]}: {error.strerror}") from None
        answer = answer_of(process, seconds)
        if answer is None or process.returncode != 0:
            said = f"it took more than {seconds} seconds" if answer is None else answer[0].decode(errors="replace")
            text = f"Singularity test failed:{first_complaint(said)}"
            raise StartError(HoldCode.SINGULARITY_TEST_FAILED, TEST_FAILED, text)

    def _arguments(self, make: Callable[[], list[str]]) -> list[str]:
        try:
            return make()
        except ArgumentError as error:
            raise OSError(22, f"SINGULARITY_EXTRA_ARGUMENTS: {error}") from None

    def prepare(self, execution: Execution) -> None:
        """Limits what the program may use; the directories that only this job has, singularity makes itself."""
        super().prepare(execution)
        self.tmp = _TMP if _TMP in self._inside.scratch_places(execution) else ""
        if self._inside.settings.uses_launcher and execution.job.cmd:
            self._mark = f"{execution.place.sandbox.scratch}/{LAUNCHED_NAME}"

    def start(self, execution: Execution, environment: Mapping[str, str]) -> None:
        """Starts singularity's program, with that of the job in it."""
        try:
            job = dressed(self._inside, execution, self._log)
        except ArgumentError as error:
            raise OSError(22, f"SINGULARITY_EXTRA_ARGUMENTS: {error}") from None
        inner = inner_environment(self._inside, execution, environment)
        if self._mark:
            with as_user(execution.owner), suppress(OSError):  # of the run before, from a checkpoint on
                os.unlink(self._mark)
        self._log("Running job via singularity.")
        super().start(replace(execution, job=job), inner)

    def collect(self) -> Ending:
        """Waits for the program, if there was one."""
        ending = super().collect()
        self._refused = bool(self._mark) and not os.path.lexists(self._mark)
        return ending

    @property
    def refused(self) -> bool:
        """Whether singularity has ended before the program could begin."""
        return self._refused

    def judge(self, report: ExitReport) -> ExitReport:
        """A job whose container could not be started runs again."""
        if not self._refused or report.hold_code or report.vacated:
            return super().judge(report)
        return replace(report, error=report.error or _NOT_STARTED, vacate_code=int(VacateCode.CONTAINER_ERROR))

    def dismiss(self) -> None:
        """Sessions need the container, which lives as long as its program: it stays."""

    @property
    def ready(self) -> bool:
        """Whether the container is there."""
        return bool(self._family.innermost(self.pid))

    def enter(
        self, request: SessionRequest, place: SessionPlace, streams: Streams, owner: Account | None
    ) -> subprocess.Popen[bytes]:
        """A child of ours in the namespaces of the container, in its group and with its limits."""
        inner = self._family.innermost(self.pid)
        if not inner:
            raise OSError(3, "the container is not there (yet)")
        return start_inside(request, place, streams, owner, inner, self._prepare_session)
