"""Information about its claims for a schedd that has come back."""

from __future__ import annotations

from dataclasses import dataclass

from condor_py.core.slots.state import Slot


@dataclass(frozen=True, slots=True)
class ClaimInfo:
    """A claim; ``job`` is empty and ``run`` 0 when it is idle. ``pid`` 0: the job's process is not there yet."""

    claim_id: str
    slot_name: str
    submitter: str
    state: str
    activity: str
    job: str = ""
    run: int = 0
    pid: int = 0
    started: float = 0.0
    #: Whether its slot is a data slot, and the keys of the catalogs that this has.
    data: bool = False
    staged: tuple[str, ...] = ()


def claim_info(slot: Slot) -> ClaimInfo:
    """The facts of a claimed slot."""
    claim, run = slot.the_claim, slot.run
    return ClaimInfo(
        claim_id=claim.claim_id,
        slot_name=slot.name,
        submitter=claim.submitter,
        state=slot.state.value,
        activity=slot.activity.value,
        job=run.job if run is not None else "",
        run=run.number if run is not None else 0,
        pid=run.pid if run is not None else 0,
        started=run.started if run is not None else 0.0,
        data=slot.data,
        staged=tuple(one.key for one in slot.catalogs),
    )
