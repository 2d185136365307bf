"""The enumerations of the first version, with its names and numbers (some differ from those of the second)."""

from __future__ import annotations

from typing import Any

from condor_py.bindings import enums as second
from condor_py.bindings.first.numbered import numbered

_MODULE = "htcondor.htcondor"


def _like(name: str, source: Any, without: str = "", **more: int) -> Any:
    members = {member: int(value) for member, value in source.__members__.items() if member not in without.split()}
    return numbered(_MODULE, name, {**members, **more})


AdTypes: Any = _like("AdTypes", second.AdType, "Placementd", None_=-1)
AdTypes.names["None"] = AdTypes.names.pop("None_")
setattr(AdTypes, "None", AdTypes.None_)
BlockingMode: Any = numbered(_MODULE, "BlockingMode", {"NonBlocking": 0, "Blocking": 1})
CredTypes: Any = _like("CredTypes", second.CredType)
DaemonCommands: Any = _like(
    "DaemonCommands", second.DaemonCommand, "RestartPeaceful", DaemonsOn=455, DaemonOffPeaceful=483, Reconfig=60012,
    RestartPeacful=485,
)  # fmt: skip
DaemonTypes: Any = _like("DaemonTypes", second.DaemonType, "none Placementd", None_=0)
DaemonTypes.names["None"] = DaemonTypes.names.pop("None_")
setattr(DaemonTypes, "None", DaemonTypes.None_)
DrainTypes: Any = _like("DrainTypes", second.DrainType)
EntryType: Any = numbered(
    _MODULE,
    "EntryType",
    {
        "Init": 0,
        "Error": 1,
        "NoChange": 2,
        "Reset": 3,
        "NewClassAd": 101,
        "DestroyClassAd": 102,
        "SetAttribute": 103,
        "DeleteAttribute": 104,
    },
)
FileTransferEventType: Any = _like("FileTransferEventType", second.FileTransferEventType)
JobAction: Any = _like("JobAction", second.JobAction)
JobEventType: Any = numbered(
    _MODULE, "JobEventType", {name: int(value) for name, value in second.JobEventType.__members__.items()}
)
JobStatus = second.JobStatus
LockType: Any = numbered(_MODULE, "LockType", {"ReadLock": 0, "WriteLock": 1})
LogLevel: Any = _like("LogLevel", second.LogLevel, Audit=27, Verbose=256, NoHeader=-(1 << 31))
ProvisionerState: Any = numbered(
    _MODULE,
    "ProvisionerState",
    {
        "New": 0,
        "ProvisioningStarted": 1,
        "ProvisioningComplete": 2,
        "DeprovisioningStarted": 3,
        "DeprovisioningComplete": 4,
    },
)
QueryOpts: Any = _like("QueryOpts", second.QueryOpt, ClusterAds=80, JobsetAds=96)
SubsystemType: Any = _like("SubsystemType", second.SubsystemType, "Auto")
TransactionFlags: Any = _like("TransactionFlags", second.TransactionFlag, "Default", None_=0)
TransactionFlags.names["None"] = TransactionFlags.names.pop("None_")
setattr(TransactionFlags, "None", TransactionFlags.None_)
VacateTypes: Any = numbered(_MODULE, "VacateTypes", {"Graceful": 1, "Fast": 2})
