"""The attributes that every job starts with, before any command is read."""

from __future__ import annotations

from condor_py.lang.submit.job import Attributes
from condor_py.lang.submit.text import canonical, quote
from condor_py.model.settings.submit import SubmitSettings

#: JobSubmitMethod of condor_submit.
SUBMIT_METHOD = 0

_START_VALUES = {
    "RemoteWallClockTime": "0.0",
    "RemoteUserCpu": "0.0",
    "RemoteSysCpu": "0.0",
    "CumulativeRemoteUserCpu": "0.0",
    "CumulativeRemoteSysCpu": "0.0",
    "ExitStatus": "0",
    "NumCkpts": "0",
    "NumJobStarts": "0",
    "NumJobCompletions": "0",
    "NumRestarts": "0",
    "NumSystemHolds": "0",
    "CommittedTime": "0",
    "CommittedSlotTime": "0",
    "CumulativeSlotTime": "0",
    "TotalSuspensions": "0",
    "LastSuspensionTime": "0",
    "CumulativeSuspensionTime": "0",
    "CommittedSuspensionTime": "0",
    "ExitBySignal": "false",
}


def base_attributes(settings: SubmitSettings, now: int) -> Attributes:
    """Start values of a job submitted at ``now``, with the attributes that the configuration adds."""
    attributes = {
        "MyType": quote("Job"),
        "TargetType": quote("Machine"),
        "QDate": str(now),
        "JobSubmitMethod": str(SUBMIT_METHOD),
        "Owner": "undefined",
        **_START_VALUES,
    }
    for name, expression in settings.attributes:
        text = canonical(expression)
        if text is not None:
            attributes[name] = text
    attributes["CondorVersion"] = attributes["SubmitVersion"] = quote(settings.condor_version)
    attributes["CondorPlatform"] = quote(settings.condor_platform)
    return {name.lower(): (name, text) for name, text in attributes.items()}


def round_value(text: str, rule: str) -> str | None:
    """An integer text rounded up as SCHEDD_ROUND_ATTR says, None when the rule does not apply to it.

    ``rule`` is a percentage of the number's order of magnitude ("25%") or a power of ten ("4").
    """
    if not text.removeprefix("-").isdecimal() or rule in ("", "0"):
        return None
    value = int(text)
    if rule.endswith("%"):
        percent = float(rule[:-1])
        if value == 0 or percent == 0:
            return text
        import math  # few say a percentage

        magnitude = int(math.log(abs(value / 5)) / math.log(10) + 1)
        step = 10.0**magnitude * percent / 100
        return str(int(math.ceil(value / step) * step))
    base = 10 ** int(rule)
    return str((value + base - 1) // base * base)
