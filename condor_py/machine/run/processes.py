"""The executor of ordinary jobs: the program is a process of this machine, and everything that it starts its family."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import NamedTuple

from condor_py.lang.classad import ClassAd
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.family import Family, FamilyUsage, reap_all
from condor_py.machine.run.identity import Account
from condor_py.machine.run.namespaces import Namespaces, ProcessSpace, join
from condor_py.machine.run.process import Ending, Streams, Within, collect, launch
from condor_py.machine.run.session import SessionPlace, SessionRequest, limits_of, niceness_of, start_session
from condor_py.machine.run.spawning import Program, Started
from condor_py.model.report import ExitReport


class Cover(NamedTuple):
    """The private view of the program and its sessions. ``tmp`` is that of Executor."""

    own: Namespaces
    tmp: str = ""


class ProcessExecutor:
    """See Executor. ``family`` finds, limits and signals the processes of the slot; ``cover`` makes what only this job
    is to see, if there is anything."""

    fetches_much = False
    traffic = (-1, -1)
    first_looks: tuple[float, ...] = (0.05, 0.2, 0.75, 2.0, 5.0)

    def __init__(
        self,
        family: Family,
        job_ad: ClassAd,
        cover: Callable[[Execution], Cover | None] = lambda execution: None,
        look_interval: float = 1.0,
    ) -> None:
        self.pid = 0
        self.tmp = ""
        self.look_interval = look_interval
        self._family = family
        self._job_ad = job_ad
        self._make_cover = cover
        self._cover: Cover | None = None
        self._within = Within()
        self._program: Program | None = None
        self._space: ProcessSpace | None = None
        self._running = False
        self._niceness = 0
        #: Resource limits and niceness that sessions share with the program; None until the first of them.
        self._shared: tuple[dict[int, tuple[int, int]], int] | None = None

    # -- the start

    def fetch(self, execution: Execution) -> None:
        """Everything is here."""

    def prepare(self, execution: Execution) -> None:
        """Limits what the program may use, and makes what is its own."""
        self._family.prepare(self._job_ad)
        self._within = self._family.within(self._job_ad)
        self._cover = self._make_cover(execution)
        if self._cover is not None:
            self._within = replace(self._within, own=self._cover.own)
            self.tmp = self._cover.tmp

    def start(self, execution: Execution, environment: Mapping[str, str]) -> None:
        """Starts the program in a session of its own."""
        again = self._program is not None
        if self._space is not None:
            self._end_space(self._space)
        place, owner = execution.place, execution.owner
        self._niceness = max(execution.job.nice, self._within.niceness)
        self._program = launch(execution.job, place, execution.directory, environment, owner, self._within)
        self.pid = self._program.pid
        self._space = self._program.space if isinstance(self._program, Started) else None
        self._running = True
        if again:
            self._family.again()

    # -- while it runs

    def watch(self) -> int:
        """Of the program; as long as no process watches, one in a namespace is not reaped."""
        handle = os.pidfd_open(self.pid)
        if self._space is not None:
            self._space.go_on()
        return handle

    def _find(self) -> set[int]:
        return self._family.descendants(os.getpid())

    def _members(self) -> set[int]:
        """The family without our own process in it."""
        return self._find() - {self._space.first if self._space is not None else 0}

    def _end_space(self, space: ProcessSpace) -> None:
        """The namespace of a program that is over, with what it has left there, goes."""
        self._family.send([space.first], signal.SIGKILL)
        self.close()

    def signal(self, number: int) -> None:
        """To the program alone; its children do not get it."""
        if self._running:
            self._family.send([self.pid], number)

    def kill(self) -> None:
        """SIGKILL to the whole family."""
        self._family.kill_family(self._find)

    def suspend(self) -> int:
        """SIGSTOP to the whole family."""
        return self._family.send(self._members(), signal.SIGSTOP)

    def resume(self) -> int:
        """SIGCONT to the whole family."""
        return self._family.send(self._members(), signal.SIGCONT)

    def dismiss(self) -> None:
        """SIGTERM to the whole family."""
        if self._running:
            self._family.send(self._members(), signal.SIGTERM)

    def usage(self) -> FamilyUsage:
        """Of the whole family."""
        return self._family.usage(self._members())

    @property
    def counts_ended(self) -> bool:
        """A control group counts what has ended in it."""
        return self._family.counts_ended

    def news(self) -> dict[str, str]:
        """There is never any."""
        return {}

    def over_limit(self) -> bool:
        """Whether the family uses more memory than its control group may."""
        return self._family.too_big()

    # -- sessions

    def admit(self) -> None:
        """Nothing is done yet: hardly a job has sessions, and the first one looks for the limits of the program."""

    @property
    def ready(self) -> bool:
        """Always: nothing surrounds the program."""
        return True

    def enter(
        self, request: SessionRequest, place: SessionPlace, streams: Streams, owner: Account | None
    ) -> subprocess.Popen[bytes]:
        """A child of ours next to the program, in its group and with its limits, that sees its directories."""
        if self._shared is None:
            self._shared = self._limits()
        if self._cover is not None and self._cover.own.unprivileged:
            return start_session(request, place, streams, owner, self._prepare_session, self._inhabitant())
        with self._space.around() if self._space is not None else nullcontext():
            return start_session(request, place, streams, owner, self._prepare_session)

    def _inhabitant(self) -> int:
        """A process in the namespaces of a job that is not root's; 0 when no process is left there. OSError where the
        program had no network."""
        found = self._space.first if self._space is not None else self.pid if self._running else 0
        if not found and self._cover is not None and self._cover.own.network:
            raise OSError(3, "no process is left in the network of the job")
        return found

    def _prepare_session(self) -> None:
        """In the new process, with our rights."""
        self._family.join()
        if self._cover is not None and not self._cover.own.unprivileged:
            self._see(self._cover.own)
        limits, niceness = self._shared or self._limits()
        os.setpriority(os.PRIO_PROCESS, 0, niceness)
        for kind, pair in limits.items():
            resource.setrlimit(kind, pair)

    def _limits(self) -> tuple[dict[int, tuple[int, int]], int]:
        """Those of the program; what it was given, when it is over."""
        if self._running:
            return limits_of(self.pid), niceness_of(self.pid)
        space = self._within.address_space
        return {resource.RLIMIT_AS: (space, space)} if space else {}, max(self._niceness, niceness_of(0))

    def _see(self, own: Namespaces) -> None:
        """A session sees what the program sees, as long as there is a process that sees it. After that it does not get
        the network that the program did not have: OSError."""
        program = self.pid if self._running else 0  # another process may have its number already
        try:
            join(self._space.first if self._space is not None else program)
        except OSError:
            if own.network:
                raise

    # -- the end

    @property
    def refused(self) -> bool:
        """Never: what was started has run."""
        return False

    def collect(self) -> Ending:
        """Waits for the program."""
        assert self._program is not None
        ending = collect(self._program)
        self._running = False
        return ending

    def end(self) -> None:
        """Kill and collect the processes that the program has left."""
        while not reap_all():
            self._family.kill_family(self._find)
        if self._space is not None:
            self.close()

    def uncounted(self, counted: tuple[float, float]) -> tuple[float, float]:
        """Return the CPU usage of processes that no process waited for."""
        return self._family.uncounted(counted)

    def judge(self, report: ExitReport) -> ExitReport:
        """A job that the kernel killed for its memory is held."""
        return self._family.judge(report)

    def close(self) -> None:
        """Nothing is left of ended processes but their records."""
        if self._space is not None:
            self._space.close()
            self._space = None
