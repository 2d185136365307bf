"""Interface of the executors that run the program of a job: processes of this machine (``processes``), and others that
can keep these promises. There is one executor a run; neither the run (``run``) nor the starter's daemon knows which one
it has."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from condor_py.machine.run.family import FamilyUsage
from condor_py.machine.run.identity import Account
from condor_py.machine.run.job import Job
from condor_py.machine.run.process import Ending, Streams
from condor_py.machine.run.sandbox import Place
from condor_py.machine.run.session import SessionPlace, SessionRequest
from condor_py.model.report import ExitReport


@dataclass(slots=True)
class Execution:
    """The program to execute: that of ``job``, in ``directory``, with the rights of ``owner`` (None: ours)."""

    job: Job
    place: Place
    directory: str
    owner: Account | None


class Executor(Protocol):
    """The calls come in this order: ``fetch``, ``prepare``, ``start`` (again after each checkpoint), ``collect`` when
    the program is over, ``end``, ``close``. A run that fails or is stopped early is closed without the rest.

    A program is stood for by a process, ``pid``, which ends when it has ended. The signals may come at any time
    between ``start`` and ``end``; what is gone already is no error.
    """

    #: 0 as long as nothing was started.
    pid: int
    #: Where the program finds its temporary files when that is not in its scratch directory (from ``prepare`` on).
    tmp: str
    #: Seconds between the first looks at what the job uses, and between all later ones.
    first_looks: tuple[float, ...]
    look_interval: float

    # -- the start

    @property
    def fetches_much(self) -> bool:
        """Whether ``fetch`` may take a while: then a child does it, which is killed when the job is stopped."""

    def fetch(self, execution: Execution) -> None:
        """Brings what the program needs besides its input (an image). One of verdict.FAILURES when it cannot be had."""

    def prepare(self, execution: Execution) -> None:
        """Everything that has to be there before the program can be started, limits above all; at most a moment.
        StartError, OSError."""

    def start(self, execution: Execution, environment: Mapping[str, str]) -> None:
        """Starts the program. StartError when that fails and it is the job's fault, OSError when it is not."""

    # -- while it runs

    def watch(self) -> int:
        """Once after each start, at once: a descriptor that is readable when the program has ended, for the caller to
        close. OSError."""

    def signal(self, number: int) -> None:
        """A signal to the program itself, if it still runs."""

    def kill(self) -> None:
        """Kills everything of the job."""

    def suspend(self) -> int:
        """Suspend all processes of the job; return their number."""

    def resume(self) -> int:
        """Let all processes of the job continue; return how many."""

    def dismiss(self) -> None:
        """Ends the program gently, which has only waited for a session and must not disturb it."""

    def usage(self) -> FamilyUsage:
        """Return the resource usage of all living processes of the job now."""

    @property
    def counts_ended(self) -> bool:
        """Whether ``usage`` also counts the CPU of what has ended since the program was started."""

    @property
    def traffic(self) -> tuple[int, int]:
        """Bytes that came and went over the network of the job; -1 for both where it has no network of its own."""

    def news(self) -> dict[str, str]:
        """Attributes that the job's ad is to have now; each change is returned once."""

    def over_limit(self) -> bool:
        """Whether the job uses more memory than it may."""

    # -- sessions next to the program

    def admit(self) -> None:
        """The program was started: from now on sessions may enter."""

    @property
    def ready(self) -> bool:
        """Whether a session can be started now: what surrounds the program may still be in the making."""

    def enter(
        self, request: SessionRequest, place: SessionPlace, streams: Streams, owner: Account | None
    ) -> subprocess.Popen[bytes]:
        """Starts a session next to the program, where it sees what the program sees; found, measured and killed with
        it. OSError, SubprocessError."""

    # -- the end

    @property
    def refused(self) -> bool:
        """Whether the program that was collected has not run at all, or was not let run to its end: it has no outcome
        and no output, and ``judge`` knows why."""

    def collect(self) -> Ending:
        """Describe how the program ended; once, when ``pid`` has ended."""

    def end(self) -> None:
        """Nothing of the job lives any more when this returns."""

    def uncounted(self, counted: tuple[float, float]) -> tuple[float, float]:
        """Seconds of CPU (user, system) that the job has used beyond what is ``counted``."""

    def judge(self, report: ExitReport) -> ExitReport:
        """The report of the run, in the light of what only we know (the kernel has killed it for its memory)."""

    def close(self) -> None:
        """Remove what is left of the run, at any stage."""
