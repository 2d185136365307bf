"""The program of a run has begun."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from condor_py.core.jobs import jobevents, notify, staging, suspension
from condor_py.core.jobs.actions import delete
from condor_py.core.jobs.lifecycle import executing_records, input_records
from condor_py.core.jobs.parts import is_local
from condor_py.lang.classad import ClassAd
from condor_py.lang.events import Transfer
from condor_py.model.ids import JobId
from condor_py.model.messages.runs import RunStarted

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState


def started(core: ScheddState, event: RunStarted, *, is_node: bool = False) -> None:
    """The program of a run was executed; to be told once. ``is_node``: of node 0 of a parallel job, which has event 001
    when all nodes run."""
    run = core.run_of(event.job, event.claim, event.run)
    ad = core.jobs.job(event.job)
    if run is None or ad is None or run.executing:
        return
    run.begin()
    if ad.local_text("NumJobCoolDowns") is not None:
        core.out.apply(ad, [delete(event.job, "NumJobCoolDowns"), delete(event.job, "JobCoolDownExpiration")])
    claim = core.claims[run.claim_id]
    core.out.apply(ad, executing_records(event.job, ad, event))
    if run.common:
        staging.mapped(core, event.job, ad)
    core.out.apply(ad, input_records(event.job, ad, event.transfer))
    tell(core, event.job, ad, INPUT_STEPS, event.transfer)
    if is_node:
        pass
    elif is_local(event.claim):
        jobevents.executing(core, event.job, ad, "", ClassAd(), "", event.when)
    else:
        jobevents.executing(core, event.job, ad, claim.info.slot, claim.info.slot_ad, event.scratch, event.when)
    notify.started(core, event.job, ad)
    if verb := ad.eval_str("RunCommand", None):
        suspension.obey(core, run, event.job, ad, verb)


#: Steps of event 040: transfers begun, ended.
INPUT_STEPS = (Transfer.INPUT_STARTED, Transfer.INPUT_FINISHED)
OUTPUT_STEPS = (Transfer.OUTPUT_STARTED, Transfer.OUTPUT_FINISHED)


def tell(
    core: ScheddState, job: JobId, ad: ClassAd, steps: tuple[Transfer, Transfer], transfer: Sequence[float]
) -> None:
    """Events 040 of a transfer with its begin, unless that was told when it came, and its end."""
    if not transfer:
        return
    mark = "TransferringInput" if steps == INPUT_STEPS else "TransferringOutput"
    told = ad.local_text(mark) is not None
    for step, when in list(zip(steps, transfer, strict=False))[told:]:
        jobevents.transfer(core, job, ad, step, when)
    if told:
        marks = [name for name in (mark, "TransferQueued") if ad.local_text(name) is not None]
        core.out.apply(ad, [delete(job, name) for name in marks])
