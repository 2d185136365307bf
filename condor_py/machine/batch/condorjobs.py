"""Jobs for the schedd of another pool of HTCondor: the ad that is submitted, and the reports of the other schedd."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping

from condor_py.lang.classad import ClassAd, finite, quote_string
from condor_py.lang.submit.env import join_environment
from condor_py.model.arguments import join_v2, split_v1
from condor_py.model.attributes import is_known
from condor_py.model.gridjobs import Ending, Seen, Stand
from condor_py.model.states import OF_SCHEDD, ON_CLAIMS, UNIVERSE_NAMES, HoldCode, JobStatus, Universe

#: Which gridmanager has submitted a job, and what it calls it: HTCondor's names for that.
ORIGIN, NAME = "SubmitterId", "SubmitterGlobalJobId"
#: What a job there has of the attributes of its job here: words ``NAME:DIGEST``. A comparison shows what was edited.
HAS = "SubmitterAttributes"
#: The universes in which jobs run there, by number.
#: Attributes that mean the same there, and that a submit file would set otherwise.
_SAME = (
    "Arguments", "Args", "Environment", "Env", "EnvDelim", "RequestCpus", "RequestMemory", "RequestDisk", "RequestGPUs",
    "RequireGPUs", "JobPrio", "KillSig", "RemoveKillSig", "HoldKillSig", "KillSigTimeout", "JobMaxVacateTime",
    "MaxJobRetirementTime", "WantDocker", "DockerImage", "WantContainer", "ContainerImage", "WantGracefulRemoval",
    "OnExitRemove", "OnExitHold", "JobBatchName", "AllowedJobDuration", "AllowedExecuteDuration", "Rank",
    "PreserveRelativePaths", "TransferInputSizeMB", "EncryptInputFiles", "EncryptOutputFiles",
)  # fmt: skip
_REMOTE = "remote_"
#: What belongs to this queue alone; Chirp attributes are the running job's own.
_OURS = ("grid", "routed", "routename", "chirp")
#: Two ways each of saying the same.
_WORDS = (frozenset(("args", "arguments")), frozenset(("env", "envdelim", "environment")))
#: What would be a macro there, ``$(NAME)`` or ``$NAME(...)``; ``$$(NAME)`` is left for the match.
_MACRO = re.compile(r"(?<!\$)\$(?=\w*\()")
#: The job stays until its output has been fetched, and a day longer: a gridmanager that fetched it may die before it
#: knows.
_STAYS = "JobStatus == 4 && (StageOutFinish =?= undefined || time() - StageOutFinish < 86400)"
#: What a job here shows of its counterpart while that runs.
_MIRRORED = (
    "ImageSize", "MemoryUsage", "ResidentSetSize", "DiskUsage", "NumJobStarts", "NumRestarts", "JobCurrentStartDate",
    "JobStartDate", "JobLastStartDate", "JobCurrentStartExecutingDate", "RemoteWallClockTime", "BytesSent",
    "BytesRecvd",
    "CpusProvisioned", "MemoryProvisioned", "DiskProvisioned", "CpusUsage", "LastRemoteHost", "ProportionalSetSizeKb",
    "CumulativeRemoteUserCpu", "CumulativeRemoteSysCpu", "ExitReason",
)  # fmt: skip
_ENDS = (
    "JobStatus", "HoldReason", "HoldReasonCode", "HoldReasonSubCode", "RemoveReason", "StageInFinish", "ExitBySignal",
    "ExitCode", "ExitSignal", "RemoteUserCpu", "RemoteSysCpu", "CompletionDate", "ClusterId", "ProcId", NAME,
)  # fmt: skip
#: The attributes that a look asks for.
LOOKED_AT = (*_ENDS, *_MIRRORED)
_STANDS: dict[int, Stand] = {
    JobStatus.IDLE: Stand.WAITS,
    JobStatus.RUNNING: Stand.RUNS,
    JobStatus.TRANSFERRING_OUTPUT: Stand.RUNS,
    JobStatus.SUSPENDED: Stand.SUSPENDED,
    JobStatus.HELD: Stand.HELD,
    JobStatus.COMPLETED: Stand.OVER,
    JobStatus.REMOVED: Stand.STOPPED,
}


def constraint_of(origin: str, names: Iterable[str] = ()) -> str:
    """All jobs that a gridmanager has submitted; those of some names."""
    named = " || ".join(f"{NAME} =?= {quote_string(name)}" for name in names)
    return f"{ORIGIN} =?= {quote_string(origin)}" + (f" && ({named})" if named else "")


def description(ad: ClassAd, name: str, origin: str) -> dict[str, str]:
    """The submit description of a job for the other schedd: its files come along, and what its owner has set.

    ``remote_X`` of a job here is X there; what else depends on slots here, such as Requirements, stays here.
    """
    universe = ad.eval_int("Remote_JobUniverse", Universe.VANILLA)
    if universe not in (*ON_CLAIMS, *OF_SCHEDD):
        universe = Universe.VANILLA
    transfers = (ad.eval_str("ShouldTransferFiles", "YES") or "YES").upper() != "NO"
    found = {
        "universe": UNIVERSE_NAMES[universe].lower(),
        "executable": ad.eval_str("Cmd", ""),
        "initialdir": ad.eval_str("Iwd", ""),
        "transfer_executable": "true" if ad.eval_bool("TransferExecutable", True) else "false",
        "should_transfer_files": "YES" if transfers else "NO",
        "notification": "never",
        "leave_in_queue": _STAYS,
    }
    if transfers:
        found["when_to_transfer_output"] = ad.eval_str("WhenToTransferOutput", "ON_EXIT") or "ON_EXIT"
    for command, attribute in (
        ("input", "In"), ("output", "Out"), ("error", "Err"), ("transfer_input_files", "TransferInput"),
        ("transfer_output_files", "TransferOutput"), ("transfer_output_remaps", "TransferOutputRemaps"),
    ):  # fmt: skip
        value = ad.eval_str(attribute, None)
        if value is not None and value != "/dev/null":
            found[command] = f'"{value}"' if command == "transfer_output_remaps" else value
    more = _more(ad)
    found |= {f"MY.{attribute}": text for attribute, text in more.items()}
    found[f"MY.{HAS}"] = quote_string(_digests(more))
    found[f"MY.{ORIGIN}"] = quote_string(origin)
    found[f"MY.{NAME}"] = quote_string(name)
    return {name: _MACRO.sub("$(DOLLAR)", text) for name, text in found.items()}


def _digests(attributes: Mapping[str, str]) -> str:
    return " ".join(f"{name}:{_digest(text)}" for name, text in attributes.items())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def edits(ad: ClassAd, has: str) -> dict[str, str]:
    """Return the changes to make there, as expressions by name, after ``ad`` was edited here. ``has`` is the remote
    job's own record of its attributes; an attribute that is gone here becomes undefined. All other changes by the other
    pool stay."""
    before = {name.lower(): (name, digest) for name, _, digest in (word.partition(":") for word in has.split())}
    now = _more(ad)
    found = {name: text for name, text in now.items() if before.get(name.lower(), ("", ""))[1] != _digest(text)}
    kept = {name.lower() for name in now}
    found |= {name: "undefined" for lowered, (name, _) in before.items() if lowered not in kept}
    return found | {HAS: quote_string(_digests(now))} if found else {}


def _more(ad: ClassAd) -> dict[str, str]:
    """Attributes that mean the same there; those of a user's own; and ``remote_X`` as X, which prevails."""
    found: dict[str, tuple[str, str]] = {}
    for attribute in _SAME:
        if (text := ad.text(attribute)) is not None:
            found[attribute.lower()] = attribute, text
    remote: dict[str, tuple[str, str]] = {}
    for attribute, text in ad.pairs():
        lowered = attribute.lower()
        if lowered.startswith(_REMOTE):
            if lowered != "remote_jobuniverse":
                remote[lowered[len(_REMOTE) :]] = attribute[len(_REMOTE) :], text
        elif not is_known(attribute) and not lowered.startswith(_OURS) and not lowered.endswith("_raw"):
            found.setdefault(lowered, (attribute, text))
    for words in _WORDS:
        if not words.isdisjoint(remote):  # whatever the syntax of either
            found = {name: value for name, value in found.items() if name not in words}
    return _in_new_syntax(dict((found | remote).values()))


def _in_new_syntax(found: dict[str, str]) -> dict[str, str]:
    """Arguments and environment in the syntax that counts there: a submit sets it to nothing unless it is given."""
    old = ClassAd.from_text_items([(name, found.pop(name)) for name in ("Args", "Env", "EnvDelim") if name in found])
    args, env = old.eval_str("Args", None), old.eval_str("Env", None)
    if args is not None:
        found.setdefault("Arguments", quote_string(join_v2(split_v1(args))))
    if env is not None:
        pairs = (word.partition("=") for word in env.split(old.eval_str("EnvDelim", None) or ";") if "=" in word)
        found.setdefault("Environment", quote_string(join_environment({name: value for name, _, value in pairs})))
    return found


def id_of(ad: ClassAd) -> str:
    """``CLUSTER.PROC``."""
    return f"{ad.eval_int('ClusterId', 0)}.{ad.eval_int('ProcId', 0)}"


def is_incomplete(ad: ClassAd) -> bool:
    """Whether the input of a job has not come, and no process brings it if its gridmanager died meanwhile."""
    waits = ad.eval_int("HoldReasonCode", 0) == HoldCode.SPOOLING_INPUT
    return ad.eval_int("JobStatus", 0) == JobStatus.HELD and waits


def seen(ad: ClassAd, reported: Mapping[str, str]) -> Seen:
    """Return the state of a job; ``reported`` are the attributes that have been reported already."""
    status = ad.eval_int("JobStatus", 0)
    stand = _STANDS.get(status, Stand.WAITS)
    if is_incomplete(ad):
        stand = Stand.WAITS  # all has come, and the schedd has not noticed yet
    reason = ad.eval_str("HoldReason", "") if stand is Stand.HELD else ad.eval_str("RemoveReason", "")
    changes = {name: text for name, text in mirrored(ad).items() if reported.get(name) != text}
    code, subcode = (
        ad.eval_int(name, 0) if stand is Stand.HELD else 0 for name in ("HoldReasonCode", "HoldReasonSubCode")
    )
    return Seen(id_of(ad), stand, reason, changes or None, code, subcode)


def mirrored(ad: ClassAd) -> dict[str, str]:
    """Return the attributes that the job here gets from its counterpart, as expressions."""
    return {name: text for name in _MIRRORED if (text := ad.text(name)) is not None}


def ending(ad: ClassAd) -> Ending:
    """Describe how a job that has completed there ended."""
    by_signal = bool(ad.eval_bool("ExitBySignal", False))
    began = ad.eval_int("JobCurrentStartExecutingDate", 0) or ad.eval_int("JobCurrentStartDate", 0)
    return Ending(
        exit_code=None if by_signal else ad.eval_int("ExitCode", 0),
        exit_signal=ad.eval_int("ExitSignal", 0) if by_signal else None,
        user_cpu=_real(ad, "RemoteUserCpu"),
        sys_cpu=_real(ad, "RemoteSysCpu"),
        max_rss_kb=ad.eval_int("ResidentSetSize", 0),
        began=float(began),
        ended=float(ad.eval_int("CompletionDate", 0)),
        changes=mirrored(ad),
    )


def _real(ad: ClassAd, name: str) -> float:
    return float(finite(ad.raw(name)) or 0.0)


def ads_of(found: Iterable[Mapping[str, str]]) -> list[ClassAd]:
    """The ads of an answer."""
    return [ClassAd.from_text_items(items.items()) for items in found]
