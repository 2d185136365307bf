"""What the startd tells the schedd, as events of the core; and the other way round what makes a data slot."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from condor_py.access.wire import Head
from condor_py.classad import ClassAd
from condor_py.model.commonfiles import staging_id
from condor_py.model.ids import JobId
from condor_py.model.report import ExitReport
from condor_py.schedd.effects import (
    ClaimGranted,
    ClaimInfo,
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
    StageFiles,
    StagingStep,
    StartdConnected,
)


def event_of(head: Head) -> Event | None:
    """The event of a message; None for one that is none. KeyError and ValueError for one that lacks something."""
    operation = head.get("op")
    if operation in ("started", "update", "delayed", "notice", "suspended"):
        return _of_run(operation, head, (head["claim"], JobId.parse(head["job"]), head["run"]))
    match operation:
        case "ended":
            code, reason = head.get("vacate_code", 0), head.get("vacate_reason", "")
            return RunEnded(ExitReport.from_wire(head["report"]), code, reason)
        case "granted":
            return ClaimGranted(head["id"], claim_of(head))
        case "refused":
            return ClaimRefused(head["id"], head["reason"], bool(head.get("fault")))
        case "lost":
            return ClaimLost(head["claim"], head["code"], head["reason"])
        case "claims":
            return StartdConnected(tuple(claim_of(item) for item in head["claims"]))
        case "common":
            attributes = tuple((str(name), str(text)) for name, text in head["attributes"].items())
            done = bool(head["ok"]), str(head["path"]), attributes
            return StagingStep(head["claim"], head["catalog"], head["step"], head["when"], *done)
        case "staged":
            return FilesStaged(head["claim"])
    return None


def _of_run(operation: str, head: Head, run: tuple[str, JobId, int]) -> Event:
    match operation:
        case "started":
            return RunStarted(*run, head["pid"], head["when"], head["scratch"], tuple(head["transfer"]))
        case "update":
            return RunUpdate(*run, head["attributes"])
        case "delayed":
            return RunDelayed(*run, head["attributes"])
        case "notice":
            return RunNotice(*run, head["text"], bool(head["critical"]))
    return RunSuspended(*run, head["processes"])


def claim_of(item: dict[str, Any]) -> ClaimInfo:
    """A claim of a message."""
    slot_ad = ClassAd.from_text_items(item["ad"].items())
    job, run = item.get("job", ""), item.get("run", 0)
    data, staged = bool(item.get("data")), tuple(item.get("staged", ()))
    return ClaimInfo(item["claim"], item["slot"], item["submitter"], slot_ad, job, run, data, staged)


def stage_message(effect: StageFiles) -> Head:
    """What tells the startd to make a data slot; the ad of the job that asked goes with it."""
    job = str(staging_id(effect.job))
    catalogs = [asdict(one) for one in effect.catalogs]
    return {"op": "activate", "claim": effect.claim_id, "job": job, "run": 1, "catalogs": catalogs}
