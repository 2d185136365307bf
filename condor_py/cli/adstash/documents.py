"""The documents that ads become in a search engine, and the types of their fields. The layout is that of HTCondor's
index, so that both may write to one."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from condor_py.lang.classad import ClassAd, ExprTree, Value
from condor_py.model.states import JobStatus

#: A document with its id.
Document = tuple[str, dict[str, Any]]

#: Attributes that every projection has: they make the id and the time of a document.
REQUIRED = ("ClusterId", "CompletionDate", "EnteredCurrentStatus", "EpochWriteDate", "GlobalJobId", "JobStatus",
            "JobUniverse", "LastRemoteHost", "MyType", "ProcId", "RemoteHost")  # fmt: skip
_UNIVERSES = {1: "Standard", 2: "Pipe", 3: "Linda", 4: "PVM", 5: "Vanilla", 6: "PVMD", 7: "Scheduler", 8: "MPI",
              9: "Grid", 10: "Java", 11: "Parallel", 12: "Local"}  # fmt: skip
_STATUSES = {0: "Unexpanded", 1: "Idle", 2: "Running", 3: "Removed", 4: "Completed", 5: "Held", 6: "Error"}
_ENDED = (JobStatus.REMOVED, JobStatus.COMPLETED, 6)
#: Characters of a text that are kept, and to how many it is cut when it has more.
_LONGEST, _CUT = 256, 253
_LEFT_OUT = "left-out"
#: Names that are not in the table, and their type.
_PATTERNS = (
    (re.compile(r"(.*)(Date)"), "date"),
    (re.compile(r"(.*)(Provisioned)"), "long"),
    (re.compile(r"(Request)([A-Za-df-z].*)"), "long"),
    (re.compile(r"(want|has|is)([A-Z_].*)", re.IGNORECASE), "boolean"),
)

_EPOCH: dict[str, object] = {"type": "date", "format": "epoch_second"}
#: How an index declares a field of each type.
_DECLARED: dict[str, dict[str, object]] = {
    "full-text": {"type": "text"},
    "keyword": {"type": "keyword"},
    "text": {"type": "keyword", "index": "false"},
    "double": {"type": "double"},
    "long": {"type": "long"},
    "date": _EPOCH,
    "boolean": {"type": "boolean"},
    "nested": {"type": "nested", "dynamic": True},
}


class Fields(NamedTuple):
    """The types of fields by name, and how an index treats those that it does not know."""

    types: dict[str, str]
    templates: tuple[dict[str, object], ...]

    def mappings(self) -> dict[str, object]:
        """Return the ``mappings`` of an index."""
        moments = dict.fromkeys(("adstash_runtime", "condor_history_runtime"), _EPOCH)
        properties: dict[str, object] = {"metadata": {"properties": moments, "type": "nested", "dynamic": True}}
        properties |= {name: _DECLARED[kind] for name, kind in self.types.items() if kind != _LEFT_OUT}
        return {
            "dynamic_templates": list(self.templates),
            "properties": properties,
            "date_detection": False,
            "numeric_detection": False,
        }


#: The ``settings`` of a new index.
SETTINGS: dict[str, object] = {
    "analysis": {"analyzer": {"analyzer_keyword": {"tokenizer": "keyword", "filter": "lowercase"}}},
    "mapping.total_fields.limit": 5000,
}


def _template(name: str, mapping: dict[str, object], **match: str) -> dict[str, object]:
    return {name: {**match, "mapping": mapping}}


@cache
def of_jobs() -> Fields:
    """Return the fields of the records of jobs and of their runs."""
    with open(os.path.join(os.path.dirname(__file__), "fields.tsv"), encoding="utf-8") as file:
        rows = (line.rstrip("\n").split("\t", 1) for line in file if not line.startswith("#"))
        types = dict(rows)
    unsearched: dict[str, object] = {"type": "keyword", "index": "false", "ignore_above": _LONGEST}
    words: dict[str, object] = {"type": "keyword", "norms": "false", "ignore_above": _LONGEST}
    long, boolean = _DECLARED["long"], _DECLARED["boolean"]
    return Fields(
        types,
        (
            _template("raw_expressions", unsearched, match="*_EXPR"),
            _template("date_attrs", dict(_EPOCH), match="*Date"),
            _template("provisioned_attrs", long, match="*Provisioned"),
            _template("resource_request_attrs", long, match_pattern="regex", match="^Request[A-Z].*$"),
            _template("target_boolean_attrs", boolean, match_pattern="regex", match="^(Want|Has|Is)[A-Z_].*$"),
            _template("strings_as_keywords", words, match_mapping_type="string"),
        ),
    )


_OF_TRANSFERS = {
    "full-text": "AttemptError ErrorString TransferError",
    "keyword": "Endpoint ErrorType ErrorMessage FailedName FailureType DebugErrorType GLIDEIN_ResourceName "
    "GLIDEIN_Site GlobalJobId HttpCacheHitOrMiss HttpCacheHost Owner PelicanClientVersion ProjectName ScheddName "
    "ServerVersion StartdName StartdSlot TransferHostName TransferLocalMachineName TransferProtocol TransferType",
    "text": "TransferFileName TransferUrl",
    "double": "AttemptTime ConnectionTimeSeconds TimeToFirstByte",
    "long": "Attempt Attempts AttemptFileBytes ClusterId ErrorCode LibcurlReturnCode NumShadowStarts PelicanErrorCode "
    "ProcId TransferFileBytes TransferHttpStatusCode TransferTotalBytes TransferTries",
    "date": "AttemptEndTime EpochWriteDate RecordTime TransferEndTime TransferStartTime",
    "boolean": "FinalAttempt Retryable TransferSuccess",
}


@cache
def of_transfers() -> Fields:
    """Return the fields of the records of file transfers."""
    words: dict[str, object] = {"type": "keyword", "index": "false", "norms": "false", "ignore_above": _LONGEST}
    return Fields(
        {name: kind for kind, names in _OF_TRANSFERS.items() for name in names.split()},
        (_template("strings_as_keywords", words, match_mapping_type="string"),),
    )


@cache
def _spellings(fields: Callable[[], Fields]) -> dict[str, str]:
    return {name.lower(): name for name in fields().types}


# -- values -----------------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Return a value of an ad as JSON has it: null for undefined, texts for errors and expressions."""
    if isinstance(value, Value):
        return None if value is Value.Undefined else "error"
    if isinstance(value, ClassAd):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, bool | int | float):
        return value
    return _text(value)


def _text(value: object) -> str:
    """Text that every reader of JSON takes: without halves of characters."""
    shown = str(plain(value)) if isinstance(value, list | tuple) else str(value)
    return shown.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _shortened(value: Any) -> Any:
    return f"{value[:_CUT]}..." if isinstance(value, str) and len(value) > _LONGEST else value


def _converted(kind: str, value: Any) -> Any:
    """A value as its type wants it. ValueError, TypeError, OverflowError."""
    if kind in ("long", "date"):
        return int(value)
    if kind == "double":
        number = float(value)
        if not math.isfinite(number):
            raise ValueError(number)
        return number
    if kind == "boolean":
        return bool(value)
    if kind == "nested":
        if not isinstance(value, ClassAd):
            raise ValueError("not an ad")
        return plain(value)
    return _text(value)


# -- jobs and their runs ----------------------------------------------------------------------------------------------


def of_job(ad: ClassAd, launched: int) -> Iterator[Document]:
    """Yield the document of a job or of a run; none for an ad without GlobalJobId. ``launched`` is its time if the ad
    has none."""
    if not ad.eval_str("GlobalJobId", "") or ad.eval_str("TaskType", "") == "ROOT":
        return
    host = ad.eval_str("RemoteHost", None) or ad.eval_str("LastRemoteHost", None) or "UNKNOWN@UNKNOWN"
    document: dict[str, Any] = {
        "RecordTime": _moment(ad, launched),
        "ScheddName": _text(ad.eval_str("GlobalJobId", "").split("#")[0]),
        "StartdSlot": _text(host.split("@")[0]),
        "StartdName": _text(host.split("@")[-1]),
        "Status": _STATUSES.get(ad.eval_int("JobStatus", -1), "Unknown"),
        "Universe": _UNIVERSES.get(ad.eval_int("JobUniverse", -1), "Unknown"),
    }
    for name in ad:
        found = _field(ad, name)
        if found is not None:
            document[found[0]] = _shortened(found[1])
    yield f"{document['GlobalJobId']}#{document['RecordTime']}", document


def _moment(ad: ClassAd, launched: int) -> int:
    names = ["EpochWriteDate", "EnteredCurrentStatus"]
    if ad.eval_int("JobStatus", 0) in _ENDED:
        names.insert(0, "CompletionDate")
    return next((moment for name in names if (moment := ad.eval_int(name, 0)) > 0), launched)


def _known(name: str) -> tuple[str, str]:
    """The spelling and the type of a field; "" for names that nothing is known about."""
    spelling = _spellings(of_jobs).get(name.lower())
    if spelling is not None:
        return spelling, of_jobs().types[spelling]
    for pattern, kind in _PATTERNS:
        match = pattern.fullmatch(name)
        if match:
            return "".join(part.capitalize() for part in match.groups()), kind
    return name.lower(), ""


def _field(ad: ClassAd, name: str) -> tuple[str, Any] | None:
    """Name and value of a field; None for what is left out."""
    field, kind = _known(name)
    if kind == _LEFT_OUT:
        return None
    value = ad.eval(name)
    if isinstance(value, Value):
        return f"{field}_EXPR", _shortened(_text(ad.text(name) or ""))
    try:
        converted = _converted(kind, value)
    except (ValueError, TypeError, OverflowError):
        return f"{field}_STRING", _text(value)
    return None if kind == "date" and converted == 0 else (field, converted)


# -- transfers --------------------------------------------------------------------------------------------------------


def of_transfer(ad: ClassAd, launched: int) -> Iterator[Document]:
    """Yield a document for each attempt of each file that a plugin has moved, or one for a record without any."""
    slot, _, machine = ad.eval_str("RemoteHost", "").partition("@")
    schedd, job = _job_of(ad)
    common: dict[str, Any] = {
        "RecordTime": ad.eval_int("EpochWriteDate", launched),
        "ScheddName": schedd or None,
        "ClusterId": ad.eval_int("ClusterId", job[0]) or None,
        "ProcId": ad.eval_int("ProcId", job[1]),
        "StartdSlot": slot or None,
        "StartdName": machine or slot or None,
    }
    lists: list[tuple[str, list[Any]]] = []
    for name, value in ad.items():
        if name.endswith("PluginResultList"):
            lists.append((name, value if isinstance(value, list) else []))
        else:
            common.update([_of_transfer(name, _computed(ad, name, value))])
    pairs = [(name, each) for name, found in lists for each in found if isinstance(each, ClassAd)]
    for result in (each for name, one in pairs for each in _results(name, one)) if pairs else ({},):
        document = {**common, **result}
        yield _transfer_id(document), document


def _computed(ad: ClassAd, name: str, value: Any) -> Any:
    return ad.eval(name) if isinstance(value, ExprTree) else value


def _job_of(ad: ClassAd) -> tuple[str, tuple[int, int]]:
    """The schedd and the job that GlobalJobId names."""
    match = re.match(r"([^#]*)#(\d{1,18})\.(\d{1,18})", ad.eval_str("GlobalJobId", ""))
    return (match[1], (int(match[2]), int(match[3]))) if match else ("", (0, 0))


def _of_transfer(name: str, value: Any) -> tuple[str, Any]:
    """Name and value of a field."""
    field = _spellings(of_transfers).get(name.lower(), name.lower())
    kind = of_transfers().types.get(field, "")
    if value is None or value is Value.Undefined:
        return field, None
    try:
        converted = _converted(kind, value)
    except (ValueError, TypeError, OverflowError):
        return f"{field.lower()}_string", _shortened(_text(value))
    return field, converted if kind == "full-text" else _shortened(converted)


_NUMBERED = re.compile(r"(\D+)(\d{1,9})")
_WAYS = {"InputPluginResultList": "download", "OutputPluginResultList": "upload"}
#: Attempts of one file that get a document, at most.
_MOST_ATTEMPTS = 1000


def _results(name: str, ad: ClassAd) -> Iterator[dict[str, Any]]:
    """The attempts of one file; the last has what is known about the whole."""
    result: dict[str, Any] = {}
    attempts: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    for attribute, value in ad.items():
        if attribute.lower() == "developerdata" and isinstance(value, ClassAd):
            attempts = _attempts(value)
        elif attribute.lower() == "transfererrordata" and isinstance(value, list):
            errors = [_error(each) for each in value if isinstance(each, ClassAd)]
        else:
            result.update([_of_transfer(attribute, _computed(ad, attribute, value))])
    scheme = str(result.get("TransferUrl") or "unknown:").split("+", maxsplit=1)[-1].split(":", maxsplit=1)[0]
    result["TransferProtocol"] = result.get("TransferProtocol") or scheme
    result["TransferType"] = result.get("TransferType") or _WAYS.get(name, "unknown")
    for number, attempt in enumerate(attempts or [{"Attempts": 1, "Attempt": 0, "FinalAttempt": True}]):
        error = errors[number] if number < len(errors) else {}
        whole = {key: result.get(key) for key in ("TransferProtocol", "TransferType", "TransferUrl")}
        yield {**attempt, **(result if attempt["FinalAttempt"] else whole), **error}


def _attempts(ad: ClassAd) -> list[dict[str, Any]]:
    """DeveloperData: attributes with a number are of that attempt."""
    many = min(ad.eval_int("Attempts", 1), _MOST_ATTEMPTS)
    common: dict[str, Any] = {"Attempts": many}
    single: dict[int, dict[str, Any]] = {}
    for attribute, value in ad.items():
        match = _NUMBERED.fullmatch(attribute) if many > 0 and ad.has("Attempts") else None
        if match is None:
            common.update([_of_transfer(attribute, _computed(ad, attribute, value))])
            continue
        stem = f"Attempt{match[1][8:]}" if match[1].lower().startswith("transfer") else match[1]
        single.setdefault(int(match[2]), {}).update([_of_transfer(stem, _computed(ad, attribute, value))])
    return [
        {**common, "Attempt": number, "FinalAttempt": number + 1 >= many, **single.get(number, {})}
        for number in range(max(1, many))
    ]


def _error(ad: ClassAd) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for attribute, value in ad.items():
        if attribute.lower() == "developerdata" and isinstance(value, ClassAd):
            for inner, inner_value in value.items():
                field, shown = _of_transfer(inner, _computed(value, inner, inner_value))
                found[f"Debug{field}" if ad.has(field) else field] = shown
        else:
            found.update([_of_transfer(attribute, _computed(ad, attribute, value))])
    return found


def _transfer_id(document: dict[str, Any]) -> str:
    def part(name: str, default: object) -> object:
        value = document.get(name)
        return default if value is None else value

    job = f"{part('ClusterId', 0)}.{part('ProcId', 0)}"
    way = f"{part('TransferProtocol', 'unknown')}#{part('TransferType', 'unknown')}"
    attempt = f"{part('Attempt', 0)}_{part('Attempts', 1)}"
    starts, moment = part("NumShadowStarts", 0), part("RecordTime", 0)
    return f"{part('ScheddName', 'unknown')}#{job}#{starts}#{way}#{moment}#{attempt}"
