"""What callers may ask of a running condor_dagman, in the words of HTCondor's commands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from condor_py.core.dag.run import Run
from condor_py.daemons.dagman.outlog import OutLog
from condor_py.model.settings.dagman import ThrottleSettings

_HALT, _RESUME, _THROTTLE = 1, 2, 3
_LIMITS = {
    "DAGMan_MaxJobs": "max_jobs",
    "DAGMan_MaxIdle": "max_idle",
    "DAGMan_MaxPreScripts": "max_pre",
    "DAGMan_MaxPostScripts": "max_post",
    "DAGMan_MaxHoldScripts": "max_hold",
    "DAGMan_MaxSubmitsPerInterval": "max_submits_per_interval",
}


class Commands:
    """``is_paused``: nothing at all is done until somebody says resume. ``caps`` are the administrator's limits."""

    def __init__(self, run: Run, log: OutLog, caps: ThrottleSettings) -> None:
        self._run, self._log, self._caps = run, log, caps
        self.is_paused = False

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out a request."""
        command = request.get("DagCommand")
        if command == _HALT:
            self._halt(bool(request.get("IsPause")), str(request.get("HaltReason") or ""))
        elif command == _RESUME:
            self._resume()
        elif command == _THROTTLE:
            return {"Result": True, **self._throttle(request)}
        else:
            why = "No DAG command provided in request" if command is None else f"Unknown DAG command ({command})"
            return {"Result": False, "ErrorString": why + ("" if command is None else " provided")}
        return {"Result": True}

    def _halt(self, pause: bool, reason: str) -> None:
        say = self._log.say
        if pause:
            say("DAG Pause: Already-paused DAG" if self.is_paused else "DAG Pause: Freezing all work...")
            self.is_paused = True
        elif self._run.progress.is_halted:
            say("DAGMan is already halted")
        else:
            say("Halting DAGMan progess...")
            self._run.halt()
        if reason:
            say(f"{'Pause' if pause else 'Halt'} reason: {reason}")

    def _resume(self) -> None:
        if self.is_paused:
            self._log.say("DAG Un-Pause: Resuming work...")
            self.is_paused = False
        if self._run.progress.is_halted:
            self._log.say("Resuming DAG progress...")
            self._run.resume()

    def _throttle(self, request: dict[str, Any]) -> dict[str, int]:
        given = {
            field: max(int(request[name]), 0)
            for name, field in _LIMITS.items()
            if isinstance(request.get(name), int) and not isinstance(request.get(name), bool)
        }
        limits = replace(self._run.progress.limits, **given).under(self._caps)
        self._run.limit(limits)
        return {name: int(getattr(limits, field)) for name, field in _LIMITS.items()}
