"""The events that tell of a transfer of a run's files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs import jobevents
from condor_py.core.jobs.actions import delete
from condor_py.lang.classad import ClassAd
from condor_py.model.events import Transfer
from condor_py.model.ids import JobId

if TYPE_CHECKING:
    from condor_py.core.jobs.books import Books

#: Steps of event 040: transfers begun, ended.
INPUT_STEPS = (Transfer.INPUT_STARTED, Transfer.INPUT_FINISHED)
OUTPUT_STEPS = (Transfer.OUTPUT_STARTED, Transfer.OUTPUT_FINISHED)


def tell(core: Books, job: JobId, ad: ClassAd, steps: tuple[Transfer, Transfer], transfer: tuple[float, ...]) -> None:
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
