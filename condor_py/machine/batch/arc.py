"""Jobs for an ARC computing element (A-REX): the REST interface 1.0, what is asked and what is understood.

Nothing is done here: ``daemons/gridmanager/archttp.py`` makes the requests. Statuses are those of the interface
("ACCEPTED", "RUNNING", ...); descriptions are ADL, the XML that it takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import escape

from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.gridjobs import Stand

#: The script that runs a job there, and what its notices begin with.
SCRIPT = "_condor_run"
#: ARC names the job in its environment.
VARIABLE = "GRID_GLOBAL_JOBID"
_WAITS = (
    "ACCEPTING", "ACCEPTED", "PREPARING", "PREPARED", "SUBMITTING", "QUEUING", "HELD", "OTHER",
)  # fmt: skip
_RUNS = ("RUNNING", "EXITINGLRMS", "EXECUTED", "FINISHING", "KILLING")
#: How a job may have ended.
ENDS = frozenset(("FINISHED", "FAILED", "KILLED", "WIPED"))
#: Its input may not have come yet, or never will.
INCOMPLETE = frozenset(("ACCEPTING", "ACCEPTED", "PREPARING", "KILLING", "KILLED"))
STANDS = dict.fromkeys(_WAITS, Stand.WAITS) | dict.fromkeys(_RUNS, Stand.RUNS)
_NAMESPACES = (
    'xmlns="http://www.eu-emi.eu/es/2010/12/adl" xmlns:ng-adl="http://www.nordugrid.org/es/2011/12/nordugrid-adl"'
)
_SLOT_END = "</SlotRequirement>"


class Input(NamedTuple):
    """A file for the directory of a job: its name there, where it is here, and whether it can be executed."""

    name: str
    path: str
    executable: bool


class Refusal(CondorError):
    """A request that the computing element did not fulfil. ``away``: it is unreachable, or has troubles of its own."""

    def __init__(self, text: str, away: bool = False) -> None:
        super().__init__(text)
        self.away = away


def base_of(resource: str) -> str:
    """The address of the interface for ``arc URL``; of the URL only the host is needed. CondorError for a text that is
    no URL."""
    words = resource.split()
    text = words[1] if len(words) == 2 else ""
    parts = urlsplit(text if "://" in text else f"https://{text}")
    try:
        port = parts.port or 443
    except ValueError:
        port = 0
    if not text or parts.scheme != "https" or not parts.hostname or not port:
        raise CondorError(f"grid_resource = {resource}: it should be arc https://HOST[:PORT][/arex]")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path.rstrip("/")
    if not path:
        path = "/arex"
    if "/rest" not in path:
        path += "/rest/1.0"
    return f"https://{host}:{port}{path}"


def all_jobs() -> str:
    """The request for the jobs of the caller, with their states (without states it would not tell them)."""
    return f"/jobs?state={','.join((*_WAITS, *_RUNS, *sorted(ENDS)))}"


def file_of(job: str, name: str = "") -> str:
    """The request for a file in the directory of a job, or for what there is."""
    return f"/jobs/{quote(job, safe='')}/session/{quote(name)}"


def these(ids: Iterable[str]) -> bytes:
    """The body of a request about jobs."""
    return json.dumps({"job": [{"id": one} for one in ids]}).encode()


def jobs_of(answer: bytes) -> list[dict[str, Any]]:
    """The jobs of an answer; one alone is no list there. Refusal when it is not understood."""
    if not answer.strip():
        return []
    try:
        found = json.loads(answer)["job"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Refusal("Invalid response (parsing json)", away=True) from None
    found = found if isinstance(found, list) else [found]
    return [one for one in found if isinstance(one, dict)]


def states_of(answer: bytes) -> dict[str, str]:
    """States by the ids of jobs."""
    return {str(one["id"]): str(one.get("state", "")) for one in jobs_of(answer) if "id" in one}


def entries_of(answer: bytes) -> tuple[list[str], list[str]]:
    """The files and the directories in a directory of a job."""
    try:
        listing = json.loads(answer) if answer.strip() else {}
        files, directories = (listing.get(kind, []) for kind in ("file", "dir"))
    except (ValueError, AttributeError, RecursionError):
        raise Refusal("Invalid response (parsing json)", away=True) from None
    return tuple(
        [str(one) for one in (found if isinstance(found, list) else [found]) if _is_plain(str(one))]
        for found in (files, directories)
    )  # type: ignore[return-value]


def _is_plain(name: str) -> bool:
    """Whether it is a name in a directory, and leads nowhere else."""
    return name not in ("", ".", "..") and "/" not in name and "\0" not in name


def created(answer: bytes) -> str:
    """The id of a job that was submitted. Refusal: what it says against it."""
    found = jobs_of(answer)
    if not found:
        raise Refusal("Invalid response (no job element)", away=True)
    if not str(found[0].get("status-code", "")).startswith("2") or "id" not in found[0]:
        raise Refusal(str(found[0].get("reason") or "no reason given"))
    return str(found[0]["id"])


def activities(answer: bytes) -> dict[str, Mapping[str, Any]]:
    """Return the detailed descriptions of jobs, by their ids."""
    found: dict[str, Mapping[str, Any]] = {}
    for one in jobs_of(answer):
        document = one.get("info_document")
        activity = document.get("ComputingActivity") if isinstance(document, dict) else None
        if isinstance(activity, dict) and "id" in one:
            found[str(one["id"])] = activity
    return found


def is_over(activity: Mapping[str, Any]) -> bool:
    """Whether the detailed report is up to date with the end of a job."""
    states = activity.get("State")
    return any(f"arcrest:{end}" in (states if isinstance(states, list) else [states]) for end in ENDS)


def failure(activity: Mapping[str, Any]) -> str:
    """Why a job has failed, in HTCondor's words and ARC's."""
    error = activity.get("Error")
    text = "; ".join(map(str, error)) if isinstance(error, list) else str(error or "")
    return f"ARC job failed: {text}" if text else "ARC job failed for unknown reason"


def description(ad: ClassAd, name: str, inputs: Iterable[Input]) -> bytes:
    """The ADL of a job, whose script brings program, arguments, streams and environment with it."""
    staged = "".join(
        f"<InputFile><Name>{escape(one.name)}</Name>{'<IsExecutable>true</IsExecutable>' * one.executable}</InputFile>"
        for one in inputs
    )
    return (
        f'<?xml version="1.0"?><ActivityDescription {_NAMESPACES}>'
        f"<ActivityIdentification><Name>{escape(name)}</Name></ActivityIdentification>"
        f"<Application><Executable><Path>{SCRIPT}</Path></Executable>{ad.eval_str('ArcApplication', '')}</Application>"
        f"<Resources>{_resources(ad)}</Resources>"
        f"<DataStaging>{staged}<OutputFile><Name>/</Name></OutputFile>{ad.eval_str('ArcDataStaging', '')}</DataStaging>"
        "</ActivityDescription>"
    ).encode("utf-8", "surrogateescape")


def _resources(ad: ClassAd) -> str:
    text = ad.eval_str("ArcResources", "") or ""
    cpus, memory = ad.eval_int("RequestCpus", 1), ad.eval_int("RequestMemory", 0)
    if cpus > 1:
        slots = f"<NumberOfSlots>{cpus}</NumberOfSlots><SlotsPerHost>{cpus}</SlotsPerHost>"
        if _SLOT_END in text:
            text = text.replace(_SLOT_END, slots + _SLOT_END, 1)
        else:
            text += f"<SlotRequirement>{slots}{_SLOT_END}"
    if memory > 0 and "<IndividualPhysicalMemory>" not in text:
        text += f"<IndividualPhysicalMemory>{memory << 20}</IndividualPhysicalMemory>"
    if queue := ad.eval_str("BatchQueue", ""):
        text += f"<QueueName>{escape(queue)}</QueueName>"
    for one in (ad.eval_str("ArcRte", "") or "").split(","):
        if words := one.split():
            options = "".join(f"<Option>{escape(word)}</Option>" for word in words[1:])
            text += f"<RuntimeEnvironment><Name>{escape(words[0])}</Name>{options}</RuntimeEnvironment>"
    return text
