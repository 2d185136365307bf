"""``Startd``: draining this machine, and evicting its jobs."""

from __future__ import annotations

from typing import Any

from condor_py.classad import ClassAd, ExprTree
from condor_py.htcondor import histories, session
from condor_py.htcondor.enums import CompletionType, DrainType, VacateType


class Startd:
    """The startd of this machine."""

    def __init__(self, location: ClassAd | None = None) -> None:
        """``location`` may be the ad of the local startd; HTCondorLocateError for another one."""
        session.check_location(location, "startd")

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
        answer = _ask(
            {
                "op": "drain",
                "how": DrainType(drain_type).name.lower(),
                "reason": reason or "",
                "on_completion": CompletionType(on_completion).name.lower(),
                "check": check_expr or "",
                "start": start_expr or "",
            }
        )
        return str(answer.get("request_id", ""))

    def history(
        self,
        constraint: str | ExprTree | None = None,
        projection: list[str] | None = None,
        match: int = -1,
        since: int | str | ExprTree | None = None,
    ) -> list[ClassAd]:
        """The runs that STARTD_HISTORY holds, the newest first."""
        return histories.walk("STARTD_HISTORY", constraint, projection, match, since)

    def cancelDrainJobs(self, request_id: str | None = None) -> None:
        """End a draining: that of ``request_id``, or whatever there is."""
        _ask({"op": "cancel-drain", "request_id": request_id})

    def vacateSlot(self, slot_name: str | None = None, vacate_fast: VacateType = VacateType.Graceful) -> None:
        """Evict the job of a slot."""
        if not slot_name:
            raise ValueError("slot_name must be a non-empty string")
        _ask({"op": "vacate", "slot": slot_name, "graceful": vacate_fast != VacateType.Fast})

    def vacate(self, vacate_fast: VacateType = VacateType.Graceful) -> None:
        """Evict all jobs."""
        _ask({"op": "vacate", "slot": None, "graceful": vacate_fast != VacateType.Fast})


def _ask(head: dict[str, Any]) -> dict[str, Any]:
    return session.ask("startd", head)
