"""What a starter tells the startd about the run of a job."""

from __future__ import annotations

from typing import Any

from condor_py.daemon.common.link import Link
from condor_py.daemon.common.loop import now
from condor_py.model.report import ExitReport
from condor_py.starter.run import Run


class Teller:
    """Speaks over the link to the startd."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def attributes(self, run: Run, attributes: dict[str, str]) -> None:
        """Something about the run for the schedd, now."""
        self._send(run, "update", attributes=attributes)
        self._link.flush()

    def sample(self, attributes: dict[str, str]) -> None:
        """What the job uses, for the startd."""
        self._link.send({"op": "sample", "attributes": attributes})

    def delayed(self, run: Run, attributes: dict[str, str]) -> None:
        """What the job wants changed in its ad, by the way; nothing where that is nothing."""
        if attributes:
            self._send(run, "delayed", attributes=attributes)

    def notice(self, run: Run, text: str, *, critical: bool) -> None:
        """Something for the user's event log."""
        self._send(run, "notice", text=text, critical=critical)

    def plugins(self, run: Run) -> None:
        """What transfer plugins told."""
        for record in run.news_of_plugins(now()):
            self.attributes(run, record)

    def started(self, run: Run, door: str) -> None:
        """The program was executed, or that failed; ``door`` is where sessions come in."""
        report = run.report
        transfer, scratch = report.input_transfer, run.place.sandbox.scratch
        self._send(run, "started", pid=report.pid, when=report.exec_time, scratch=scratch, transfer=transfer, door=door)

    def suspended(self, run: Run, processes: int | None) -> None:
        """So many processes of the job are stopped; None: it goes on."""
        self._send(run, "suspended", processes=processes)

    def checkpointed(self) -> None:
        """A program has its checkpoint, and waits to hear whether it may go on."""
        self._link.send({"op": "checkpointed"})

    def ended(self, report: ExitReport, *, at_once: bool = False) -> None:
        """The run is over."""
        self._link.send({"op": "ended", "report": report.to_wire()})
        if at_once:
            self._link.flush()

    def _send(self, run: Run, operation: str, **told: Any) -> None:
        self._link.send({"op": operation, **told, "job": run.report.job, "run": run.report.run})
