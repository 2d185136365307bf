"""The tool daemon that runs beside the current job of a starter: its start, its signals and its end."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from condor_py.daemons.common.loop import Loop

if TYPE_CHECKING:
    from condor_py.machine.run.run import Run


class ToolDaemons:
    """The tool daemon of the run, if it has one; ``left`` is called when it has ended by itself. It keeps the slot when
    the program has ended."""

    def __init__(self, loop: Loop, left: Callable[[], None], log: Callable[[str], None]) -> None:
        self._loop = loop
        self._left = left
        self._log = log
        self._run: Run | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._handle = -1

    @property
    def runs(self) -> bool:
        """Whether there is one, and it has not ended."""
        return self._process is not None

    def begin(self, run: Run) -> None:
        """Start the tool daemon of a run whose program was started, if it wants one."""
        self.forget()
        if run.job.tool is None:
            return
        process = run.start_tool()
        if process is None:
            return
        self._run, self._process, self._handle = run, process, os.pidfd_open(process.pid)
        self._loop.read(self._handle, self._ended)
        self._log(f"Tool daemon of job {run.job.job_id} started, pid={process.pid}")

    def signal(self, number: int) -> None:
        """The tool daemon gets the kill signal of its job, too."""
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(self._process.pid, number)

    def forget(self) -> None:
        """The run ends: it kills and collects all that is left."""
        if self._process is not None:
            self._loop.forget(self._handle)
            os.close(self._handle)
            self._run, self._process, self._handle = None, None, -1

    def _ended(self) -> None:
        process, run = self._process, self._run
        assert process is not None
        assert run is not None
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except ChildProcessError:  # it was killed with the job
            self.forget()
            return
        process.returncode = os.waitstatus_to_exitcode(status)
        run.meter.session_ended(usage.ru_utime, usage.ru_stime)
        self._log(f"Tool daemon of job {run.job.job_id} ended, status={process.returncode}")
        self.forget()
        self._left()
