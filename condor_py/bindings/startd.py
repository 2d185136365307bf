"""``Startd``: draining this machine, and evicting its jobs."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, cast

from condor_py.bindings import histories, session
from condor_py.bindings.enums import CompletionType, DrainType, HistorySrc, VacateType
from condor_py.bindings.errors import HTCondorException, HTCondorIOError
from condor_py.lang.classad import ClassAd, ExprTree
from condor_py.model.messages.codec import A, Request
from condor_py.model.messages.common import Reconfig
from condor_py.model.messages.machine import CancelDrain, Drain, Rehome, Vacate

if TYPE_CHECKING:
    from condor_py.model.messages.kinds import DrainHow, OnCompletion


class Startd:
    """The startd of this machine."""

    def __init__(self, location: ClassAd | None = None) -> None:
        """``location`` is the ad of a startd, as ``Collector.locate`` returns it; None for the local one."""
        self._pool = session.pool_for(location if isinstance(location, ClassAd) else None)
        self._addr = session.address_of(location, self._pool)

    def _ask(self, request: Request[A], failed: str) -> A:
        """The startd's answer; HTCondorIOError with the words ``failed`` when it cannot be reached."""
        if not session.is_local(self._pool, self._addr):
            raise HTCondorIOError(failed)
        try:
            return session.ask(self._pool, "startd", request)
        except HTCondorIOError:
            raise HTCondorIOError(failed) from None

    def drainJobs(
        self,
        drain_type: DrainType = DrainType.Graceful,
        on_completion: CompletionType = CompletionType.Nothing,
        check_expr: str | None = None,
        start_expr: str | None = None,
        reason: str | None = None,
    ) -> str:
        """Take no more jobs and let go of those that run; the id of the request, for ``cancelDrainJobs``.

        ``check_expr`` must be true of every slot for draining to begin; ``start_expr`` lets jobs in meanwhile.
        """
        for name, value in (("check_expr", check_expr), ("start_expr", start_expr)):
            if value is not None and not isinstance(value, str):
                raise TypeError(f"{name} must be a string")
        answer = self._ask(
            Drain(
                how=cast("DrainHow", DrainType(drain_type).name.lower()),
                reason=reason or "",
                on_completion=cast("OnCompletion", CompletionType(on_completion).name.lower()),
                check=check_expr or "",
                start=start_expr or "",
            ),
            "Startd failed to start draining jobs.",
        )
        return answer.request_id

    def history(
        self,
        constraint: str | ExprTree | None = None,
        projection: list[str] = [],  # noqa: B006  (never changed; the default that HTCondor's documentation names)
        match: int = -1,
        since: int | str | ExprTree | None = None,
    ) -> list[ClassAd]:
        """The runs that STARTD_HISTORY holds, the newest first."""
        if not session.is_local(self._pool, self._addr):
            raise HTCondorIOError(f"Failed to connect to {self._addr}")
        return histories.walk(self._pool, HistorySrc.StartdJob, constraint, projection, match, since)

    def rehome(
        self,
        schedd_name: str | None = None,
        schedd_pool: str | None = None,
        timeout: int = 0,
        cancel: bool = False,
        reboot: bool = False,
    ) -> None:
        """Evict all jobs, and offer the machine to a schedd without a negotiator from now on (``cancel``: no longer).
        ``reboot``: the machine is restarted when the last job is gone. HTCondorException when it is refused."""
        request = Rehome(schedd_name or "", schedd_pool or "", bool(cancel), bool(reboot))
        try:
            self._ask(request, f"Failed to start REHOME command to {self._addr}")
        except HTCondorIOError:
            raise
        except HTCondorException as error:
            why = f"Received failure from {self._addr} in response to REHOME request: error code 0: {error}"
            raise HTCondorException(f"Startd failed to process rehome request: {why}") from None
        with suppress(HTCondorIOError):  # it may not be there; it reads the setting when it starts
            session.ask(self._pool, "schedd", Reconfig())

    def cancelDrainJobs(self, request_id: str | None = None) -> None:
        """End a draining: that of ``request_id``, or whatever there is."""
        self._ask(CancelDrain(request_id), "Startd failed to cancel draining jobs.")

    def vacateSlot(self, slot_name: str | None = None, vacate_fast: VacateType = VacateType.Graceful) -> None:
        """Evict the job of a slot."""
        if not slot_name:
            raise ValueError("slot_name must be a non-empty string")
        self._ask(Vacate(slot_name, vacate_fast != VacateType.Fast), "Startd failed send to vacate claim command.")

    def vacate(self, vacate_fast: VacateType = VacateType.Graceful) -> None:
        """Evict all jobs."""
        self._ask(Vacate(None, vacate_fast != VacateType.Fast), "Startd failed send to vacate all claims command.")
