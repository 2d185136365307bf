"""The program of a run has begun."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs import commands, jobevents, notify, staging, transfers
from condor_py.core.jobs.actions import delete
from condor_py.core.jobs.events import RunStarted
from condor_py.core.jobs.lifecycle import executing_records, input_records
from condor_py.core.jobs.state import is_local
from condor_py.lang.classad import ClassAd

if TYPE_CHECKING:
    from condor_py.core.jobs.books import Books


def started(core: Books, event: RunStarted) -> None:
    """The program of a run was executed; to be told once."""
    run = core.run_of(event.job, event.claim_id, event.run)
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
    transfers.tell(core, event.job, ad, transfers.INPUT_STEPS, event.transfer)
    if is_local(event.claim_id):
        jobevents.executing(core, event.job, ad, "", ClassAd(), "", event.when)
    else:
        jobevents.executing(core, event.job, ad, claim.info.slot, claim.info.slot_ad, event.scratch, event.when)
    notify.started(core, event.job, ad)
    if verb := ad.eval_str("RunCommand", None):
        commands.obey(core, event.job, ad, verb)
