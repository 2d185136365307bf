"""Slots that the startd offers to this schedd, without a negotiator (STARTD_DIRECT_ATTACH_SCHEDD_NAME). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from condor_py.core.jobs import reuse, turns
from condor_py.core.jobs.events import SlotsOffered
from condor_py.lang.classad import ClassAd, symmetric_match
from condor_py.model.ids import JobId
from condor_py.model.settings.negotiator import NegotiatorSettings

if TYPE_CHECKING:
    from condor_py.core.jobs.books import Books

#: What a partitionable slot is divided into.
_AMOUNTS = ("Cpus", "Memory", "Disk")


def looked_at(slots: Iterable[ClassAd]) -> tuple[str, ...]:
    """The attributes of jobs that slots look at."""
    from condor_py.core.match.significant import significant_attributes  # few schedds are without a negotiator

    return significant_attributes(slots, NegotiatorSettings())


def offered(core: Books, event: SlotsOffered) -> None:
    """Asks for a claim on each unclaimed slot that suits a waiting job; the startd has the last word."""
    slots = event.slots
    if event.alone and core.autoclusters.set_significant(looked_at(slots)):
        reuse.regroup(core)
    holds = Counter(claim.info.submitter for claim in core.claims.values())
    for slot in slots:
        if slot.get("State") == "Unclaimed" and not slot.eval_bool("DynamicSlot", False):
            _fill(core, slot.flat_copy(), holds)


def _fill(core: Books, left: ClassAd, holds: Counter[str]) -> None:
    """``left`` is what is still free of the slot, ``holds`` how many slots each submitter has."""
    divided = left.eval_bool("PartitionableSlot", False)
    while len(core.runs) + len(core.claims.asked) < core.settings.max_jobs_running:
        best = _best(core, left, holds)
        if best is None:
            return
        submitter, job = best
        ad = core.jobs.job(job)
        turns.take(core, job, core.ask_slot, job, left.eval_str("Name", ""), submitter)
        holds[submitter] += 1
        if not divided or ad is None or not _take(left, ad):
            return


def _best(core: Books, slot: ClassAd, holds: Counter[str]) -> tuple[str, JobId] | None:
    """The next job for a slot, with its submitter: who has the fewest slots, and his first job that fits."""
    only = core.settings.direct_attach_submitter

    def fits(autocluster: int) -> bool:
        return symmetric_match(core.autoclusters.representative(autocluster), slot)

    for submitter in sorted(core.idle.submitters(), key=lambda name: (holds[name], name)):
        if only in ("", submitter, submitter.partition("@")[0]):
            job = core.idle.best(submitter, fits)
            if job is not None:
                return submitter, job
    return None


def _take(left: ClassAd, job: ClassAd) -> bool:
    """What a job asks for is not free any more; whether a cpu is."""
    for name in _AMOUNTS:
        have, asked = left.eval_real(name, 0.0), job.eval_real(f"Request{name}", 0.0, left)
        left.set_int(name, int(have - asked))
    return left.eval_int("Cpus", 0) > 0
