"""What the startd tells the schedd, as events of the core; and the other way round what makes a data slot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from condor_py.core.jobs.effects import StageFiles
from condor_py.core.jobs.events import (
    ClaimGranted,
    ClaimLost,
    ClaimRefused,
    Event,
    FilesStaged,
    RunDelayed,
    RunEnded,
    RunNotice,
    RunStarted,
    RunSuspended,
    RunUpdate,
    StagingStep,
    StartdConnected,
)
from condor_py.core.jobs.state import ClaimInfo
from condor_py.lang.classad import ClassAd
from condor_py.model.commonfiles import staging_id
from condor_py.model.ids import JobId
from condor_py.model.messages import claims as say
from condor_py.model.messages import runs
from condor_py.model.messages.codec import Message
from condor_py.model.messages.runs import CatalogWanted
from condor_py.model.record import is_attribute_name, is_one_line
from condor_py.model.texts import one_line


def event_of(message: Message) -> Event | None:
    """The event of a message; None for one that is none."""
    match message:
        case runs.AboutRun():
            return _of_run(message)
        case say.RunEnded(report, code, reason):
            return RunEnded(report, code, reason)
        case say.Granted():
            return ClaimGranted(message.id, claim_of(message))
        case say.NotGranted(request_id, reason, fault):
            return ClaimRefused(request_id, reason, fault)
        case say.Lost(claim_id, code, reason, idle):
            return ClaimLost(claim_id, code, reason, idle)
        case say.Claims(claims):
            return StartdConnected(tuple(map(claim_of, claims)))
        case say.StagingStep(catalog, step, when, ok, path, attributes, claim_id):
            return StagingStep(claim_id, catalog, step, when, ok, path, tuple(attributes.items()))
        case say.FilesStaged(claim_id):
            return FilesStaged(claim_id)
    return None


def _of_run(message: runs.AboutRun) -> Event | None:
    job, run = JobId.parse(message.job), message.run
    match message:
        case say.RunStarted():
            times = tuple(message.transfer)
            return RunStarted(message.claim, job, run, message.pid, message.when, message.scratch, times)
        case say.RunUpdate():
            return RunUpdate(message.claim, job, run, _fit(message.attributes))
        case say.RunDelayed():
            return RunDelayed(message.claim, job, run, _fit(message.attributes))
        case say.RunNotice():
            return RunNotice(message.claim, job, run, message.text, message.critical)
        case say.RunSuspended():
            return RunSuspended(message.claim, job, run, message.processes)
    return None


def claim_of(told: say.ClaimTold) -> ClaimInfo:
    """A claim of a message."""
    slot_ad = ClassAd.from_text_items(told.ad.items())
    run = told.job, told.run
    return ClaimInfo(told.claim, told.slot, told.submitter, slot_ad, *run, told.data, tuple(told.staged))


def stage_message(effect: StageFiles) -> say.Activate:
    """What tells the startd to make a data slot; the ad of the job that asked goes with it."""
    catalogs = [CatalogWanted(**asdict(one)) for one in effect.catalogs]
    return say.Activate(effect.claim_id, str(staging_id(effect.job)), 1, catalogs=catalogs)


def _fit(attributes: Mapping[str, str]) -> Mapping[str, str]:
    """Return what the queue can hold of attributes that hooks, plugins and jobs made: one line, with proper names."""
    if is_one_line("".join(attributes.values())) and all(map(is_attribute_name, attributes)):
        return attributes
    return {name: one_line(text) for name, text in attributes.items() if is_attribute_name(name)}
