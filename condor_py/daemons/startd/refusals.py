"""Refusals of whole messages between this startd and the schedd or starters: no process waits for ever for the answer.

The job of a start or a report that cannot be sent is held, and a claim that the schedd cannot be informed of is given
up. News without a waiting process is lost, and the log says so. Each refusal is answered once: an answer that is
refused as well ends there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from condor_py.core.slots.info import ClaimInfo
from condor_py.core.slots.pending import ClaimDesk
from condor_py.daemons.common.loop import now
from condor_py.model.messages import claims as say
from condor_py.model.messages import runs
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode, VacateCode

#: Refusals that are remembered as answered.
_MOST_ANSWERED = 1000
#: Characters of an error that a HoldReason shows.
_SHOWN = 200
_GIVEN_UP = int(VacateCode.REMOVED)


class Told(Protocol):
    """The startd, as far as this needs it."""

    desk: ClaimDesk
    reports: dict[tuple[str, str, int], say.RunEnded]

    def to_schedd(self, message: Message) -> None:
        """Tells the schedd, if it is there."""

    def send_report(self, report: ExitReport) -> None:
        """Tells the schedd of the end of a run until it acknowledges that."""

    def ended(self, claim_id: str, report: ExitReport) -> None:
        """The run of a claim is over."""


class Refusals:
    """``claims`` are the claims of now, ``complain`` takes what is for the log."""

    def __init__(self, startd: Told, claims: Callable[[], list[ClaimInfo]], complain: Callable[[str], None]) -> None:
        self._startd, self._claims, self._complain = startd, claims, complain
        self._answered: set[tuple[str, str, str, int]] = set()

    def _is_new(self, told: Refused) -> bool:
        key = told.word, told.id or told.claim, told.job, told.run
        if key in self._answered:
            return False
        if len(self._answered) >= _MOST_ANSWERED:
            self._answered.clear()
        self._answered.add(key)
        return True

    # -- the schedd refuses ------------------------------------------------------------------------

    def by_schedd(self, told: Refused) -> None:
        """End the wait for what the schedd would have done with a message that it refused."""
        self._complain(f"The schedd says: {told.error}")
        is_new = self._is_new(told)
        if told.word == say.RunEnded.op:
            self._report_refused(told, is_new)
        if not is_new:
            return
        match told.word:
            case say.Granted.op:
                self._startd.to_schedd(say.NotGranted(told.id, self._reason(told), fault=True))
                self._give_up(told.claim)
            case say.Lost.op:
                self._startd.to_schedd(say.Lost(told.claim, _GIVEN_UP, self._reason(told)))
            case say.Claims.op:
                for info in self._claims():
                    self._give_up(info.claim_id)
                self._startd.to_schedd(say.Claims(()))

    def _report_refused(self, told: Refused, is_new: bool) -> None:
        """A report that only holds the job takes its place; after one that is refused, too, the claim is given up."""
        reports = self._startd.reports
        run = told.claim, told.job, told.run
        if reports.pop(run, None) is not None and is_new:
            self._startd.send_report(self._held(*run, told))
            return
        for key in [key for key in reports if key[0] == told.claim]:
            del reports[key]
        self._lose(told.claim, told)

    def _lose(self, claim_id: str, told: Refused) -> None:
        self._startd.to_schedd(say.Lost(claim_id, _GIVEN_UP, self._reason(told)))
        self._give_up(claim_id)

    def _give_up(self, claim_id: str) -> None:
        self._startd.desk.release(claim_id, now())

    # -- a starter refuses -------------------------------------------------------------------------

    def by_starter(self, claim_id: str, told: Refused) -> None:
        """A job that a starter cannot be told of is held; the starter waits for the next."""
        self._complain(f"ERROR the starter of {claim_id.rpartition('#')[0]}#... {told.error}")
        info = next((info for info in self._claims() if info.claim_id == claim_id), None)
        if told.word != runs.Start.op or info is None:
            return
        if info.job:
            self._startd.ended(claim_id, self._held(claim_id, info.job, info.run, told))
        else:
            self._lose(claim_id, told)

    def _held(self, claim_id: str, job: str, run: int, told: Refused) -> ExitReport:
        held = int(HoldCode.STARTD_HELD_JOB)
        return ExitReport(claim_id, job, run, hold_code=held, hold_reason=self._reason(told), end_time=now())

    def _reason(self, told: Refused) -> str:
        return f"The message {told.word!r} about this job was refused: {told.error}"[:_SHOWN]
