"""Reports to the schedd, and refusals of whole messages between this startd and the schedd or starters: no process
waits for ever for the answer.

The job of a start or a report that cannot be sent is held, and a claim that the schedd cannot be informed of is given
up. News without a waiting process is lost, and the log says so. Each refusal is answered once: an answer that is
refused as well ends there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from condor_py.core.slots.pending import PendingClaims
from condor_py.core.slots.state import ClaimInfo
from condor_py.daemons.common.loop import now
from condor_py.model.messages import claims as say
from condor_py.model.messages import runs
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.messages.runs import RunEnded
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode, VacateCode

#: Refusals that are remembered as answered.
_MOST_ANSWERED = 1000
#: Characters of an error that a HoldReason shows.
_SHOWN = 200
_GIVEN_UP = int(VacateCode.REMOVED)


class Reports:
    """Ends of runs that the schedd has not acknowledged. ``to_schedd`` sends a message to it, if it is there."""

    def __init__(self, to_schedd: Callable[[Message], None]) -> None:
        self._to_schedd = to_schedd
        self._kept: dict[tuple[str, str, int], RunEnded] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def send(self, ended: RunEnded) -> None:
        """Send the report of a run and keep it until the schedd acknowledges it."""
        self._kept[(ended.claim, ended.report.job, ended.report.run)] = ended
        self._to_schedd(ended)

    def runs(self) -> Collection[tuple[str, str, int]]:
        """Claim, job and run of each."""
        return self._kept.keys()

    def messages(self) -> list[RunEnded]:
        """The reports as they were sent."""
        return list(self._kept.values())

    def drop(self, claim_id: str, job: str, run: int) -> bool:
        """Forgets the report of a run; whether there was one."""
        return self._kept.pop((claim_id, job, run), None) is not None

    def drop_all_of(self, claim_id: str) -> None:
        """Forgets the reports of a claim."""
        for run in [run for run in self._kept if run[0] == claim_id]:
            del self._kept[run]


class Refusals:
    """``claims`` are the claims of now, ``ended`` takes the claim and the report of a run that is over, ``complain``
    takes what is for the log."""

    def __init__(
        self,
        reports: Reports,
        pending: PendingClaims,
        claims: Callable[[], list[ClaimInfo]],
        to_schedd: Callable[[Message], None],
        ended: Callable[[str, RunEnded], None],
        complain: Callable[[str], None],
    ) -> None:
        self._reports, self._pending, self._claims = reports, pending, claims
        self._to_schedd, self._ended, self._complain = to_schedd, ended, complain
        self._answered: set[tuple[str, str, str, int]] = set()

    def _is_new(self, refusal: Refused) -> bool:
        key = refusal.word, refusal.id or refusal.claim, refusal.job, refusal.run
        if key in self._answered:
            return False
        if len(self._answered) >= _MOST_ANSWERED:
            self._answered.clear()
        self._answered.add(key)
        return True

    # -- the schedd refuses ------------------------------------------------------------------------

    def by_schedd(self, refusal: Refused) -> None:
        """End the wait for what the schedd would have done with a message that it refused."""
        self._complain(f"The schedd says: {refusal.error}")
        is_new = self._is_new(refusal)
        if refusal.word == RunEnded.op:
            self._report_refused(refusal, is_new)
        if not is_new:
            return
        match refusal.word:
            case say.Granted.op:
                self._to_schedd(say.ClaimRefused(refusal.id, self._reason(refusal), fault=True))
                self._pending.release(refusal.claim)
            case say.ClaimLost.op:
                self._to_schedd(say.ClaimLost(refusal.claim, _GIVEN_UP, self._reason(refusal)))
            case say.Claims.op:
                for info in self._claims():
                    self._pending.release(info.claim_id)
                self._to_schedd(say.Claims(()))

    def _report_refused(self, refusal: Refused, is_new: bool) -> None:
        """A report that only holds the job takes its place; after one that is refused, too, the claim is given up."""
        run = refusal.claim, refusal.job, refusal.run
        if self._reports.drop(*run) and is_new:
            self._reports.send(RunEnded(self._held(*run, refusal)))
            return
        self._reports.drop_all_of(refusal.claim)
        self._lose(refusal.claim, refusal)

    def _lose(self, claim_id: str, refusal: Refused) -> None:
        self._to_schedd(say.ClaimLost(claim_id, _GIVEN_UP, self._reason(refusal)))
        self._pending.release(claim_id)

    # -- a starter refuses -------------------------------------------------------------------------

    def by_starter(self, claim_id: str, refusal: Refused) -> None:
        """Hold a job whose start the starter refused; the starter waits for the next."""
        self._complain(f"ERROR the starter of {claim_id.rpartition('#')[0]}#... {refusal.error}")
        info = next((info for info in self._claims() if info.claim_id == claim_id), None)
        if refusal.word != runs.StartJob.op or info is None:
            return
        if info.job:
            self._ended(claim_id, RunEnded(self._held(claim_id, info.job, info.run, refusal)))
        else:
            self._lose(claim_id, refusal)

    def _held(self, claim_id: str, job: str, run: int, refusal: Refused) -> ExitReport:
        held = int(HoldCode.STARTD_HELD_JOB)
        return ExitReport(claim_id, job, run, hold_code=held, hold_reason=self._reason(refusal), end_time=now())

    def _reason(self, refusal: Refused) -> str:
        return f"The message {refusal.word!r} about this job was refused: {refusal.error}"[:_SHOWN]
