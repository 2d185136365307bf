"""Messages of a starter about the run of its job."""

from __future__ import annotations

from condor_py.daemons.common.link import Link
from condor_py.daemons.common.loop import now
from condor_py.machine.run.run import Run
from condor_py.model.ids import JobId
from condor_py.model.messages import runs as say
from condor_py.model.report import ExitReport


class Teller:
    """Sends messages about the run of a job to the startd."""

    def __init__(self, link: Link, claim: str) -> None:
        self._link, self._claim = link, claim

    def attributes(self, run: Run, attributes: dict[str, str]) -> None:
        """Something about the run for the schedd, now."""
        self._link.send(say.RunUpdate(*_which(run), attributes))
        self._link.flush()

    def sample(self, attributes: dict[str, str]) -> None:
        """Send the job's resource usage to the startd."""
        self._link.send(say.Sample(self._claim, attributes))

    def delayed(self, run: Run, attributes: dict[str, str]) -> None:
        """Send the changes that the job wants in its ad with the next update; nothing is sent if there are none."""
        if attributes:
            self._link.send(say.RunDelayed(*_which(run), attributes))

    def notice(self, run: Run, text: str, *, critical: bool) -> None:
        """Something for the user's event log."""
        self._link.send(say.RunNotice(*_which(run), text, critical))

    def plugins(self, run: Run) -> None:
        """Send the reports of transfer plugins."""
        for record in run.news_of_plugins(now()):
            self.attributes(run, record)

    def started(self, run: Run, door: str) -> None:
        """The program was executed, or that failed; ``door`` is where sessions come in."""
        report = run.report
        transfer, scratch = report.input_transfer, run.place.sandbox.scratch
        self._link.send(say.RunStarted(*_which(run), report.pid, report.exec_time, scratch, transfer, door))

    def suspended(self, run: Run, processes: int | None) -> None:
        """So many processes of the job are stopped; None: it continues."""
        self._link.send(say.RunSuspended(*_which(run), processes))

    def checkpointed(self) -> None:
        """A program has its checkpoint, and waits until it is known whether it may continue."""
        self._link.send(say.Checkpointed(self._claim))

    def ended(self, report: ExitReport, *, at_once: bool = False) -> None:
        """The run is over."""
        self._link.send(say.RunEnded(report))
        if at_once:
            self._link.flush()


def _which(run: Run) -> tuple[str, JobId, int]:
    report = run.report
    return report.claim_id, JobId.parse(report.job), report.run
