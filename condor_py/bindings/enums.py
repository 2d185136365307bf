"""The enumerations of the module, with HTCondor's numbers."""

from __future__ import annotations

from enum import IntEnum, IntFlag

from condor_py.model.event_types import JobEventType as JobEventType


class AdType(IntEnum):
    """Kinds of ads that a collector holds."""

    Startd = 0
    Schedd = 1
    Master = 2
    StartdPrivate = 5
    Submitter = 6
    Collector = 7
    License = 8
    Any = 10
    Negotiator = 13
    HAD = 14
    Generic = 15
    Credd = 16
    Grid = 19
    Placementd = 20
    Defrag = 22
    Accounting = 23
    Slot = 24
    StartDaemon = 25

    @staticmethod
    def from_MyType(my_type: str) -> AdType | None:
        """The kind of an ad by its MyType; None for a type that is none of a daemon."""
        return _BY_MY_TYPE.get(my_type)


_BY_MY_TYPE = {
    "Machine": AdType.Slot,
    "MachinePrivate": AdType.StartdPrivate,
    "StartD": AdType.StartDaemon,
    "Scheduler": AdType.Schedd,
    "DaemonMaster": AdType.Master,
    "Submitter": AdType.Submitter,
    "Negotiator": AdType.Negotiator,
    "Accounting": AdType.Accounting,
    "Collector": AdType.Collector,
    "License": AdType.License,
    "HAD": AdType.HAD,
    "CredD": AdType.Credd,
    "Grid": AdType.Grid,
    "PlacementD": AdType.Placementd,
    "Generic": AdType.Generic,
    "Any": AdType.Any,
}


class DaemonType(IntEnum):
    """Daemons that can be located."""

    none = 0
    Any = 1
    Master = 2
    Schedd = 3
    Startd = 4
    Collector = 5
    Negotiator = 6
    Credd = 13
    Placementd = 15
    HAD = 17
    Generic = 18


class DaemonCommand(IntEnum):
    """Commands that ``send_command`` can send to a daemon."""

    DaemonOn = 469
    DaemonOff = 467
    DaemonOffFast = 468
    DaemonOffPeaceful = 469
    DaemonsOn = 483
    DaemonsOff = 454
    DaemonsOffFast = 461
    DaemonsOffPeaceful = 484
    OffFast = 60006
    OffForce = 60042
    OffGraceful = 60005
    OffPeaceful = 60015
    Reconfig = 60004
    Restart = 453
    RestartPeaceful = 485
    SetForceShutdown = 60041
    SetPeacefulShutdown = 60016


class JobAction(IntEnum):
    """Actions that ``Schedd.act`` can do to jobs."""

    Hold = 1
    Release = 2
    Remove = 3
    RemoveX = 4
    Vacate = 5
    VacateFast = 6
    Suspend = 8
    Continue = 9


class JobStatus(IntEnum):
    """Values of the job attribute JobStatus."""

    IDLE = 1
    RUNNING = 2
    REMOVED = 3
    COMPLETED = 4
    HELD = 5
    TRANSFERRING_OUTPUT = 6
    SUSPENDED = 7


class QueryOpt(IntFlag):
    """Options of the answer of ``Schedd.query``."""

    Default = 0
    AutoCluster = 1
    GroupBy = 2
    DefaultMyJobsOnly = 4
    SummaryOnly = 8
    IncludeClusterAd = 16
    IncludeJobsetAds = 32


class TransactionFlag(IntFlag):
    """Options of a change. Every change is durable when it returns, with any option."""

    Default = 0
    NonDurable = 1
    SetDirty = 4
    ShouldLog = 8


class DrainType(IntEnum):
    """The time that jobs get when a startd drains."""

    Graceful = 0
    Quick = 10
    Fast = 20


class CompletionType(IntEnum):
    """Actions of a drained startd."""

    Nothing = 0
    Resume = 1
    Exit = 2
    Restart = 3
    Reconfig = 4


class VacateType(IntEnum):
    """Ways to evict a job."""

    Graceful = 0
    Fast = 1


class SubmitMethod(IntEnum):
    """Values of the job attribute JobSubmitMethod; 100 and above are free for users."""

    CondorSubmit = 0
    DAGMan = 1
    PythonBindings = 2
    HTCondorJobSubmit = 3
    HTCondorDagSubmit = 4
    HTCondorJobSetSubmit = 5
    UserSet = 100
    MinReserved = 0
    MaxReserved = 100


class SubsystemType(IntEnum):
    """Names under which a program can read the configuration."""

    Master = 1
    Collector = 2
    Negotiator = 3
    Schedd = 4
    Shadow = 5
    Startd = 6
    Starter = 7
    GAHP = 8
    Dagman = 9
    SharedPort = 10
    Daemon = 11
    Tool = 12
    Submit = 13
    Job = 14
    Auto = 15


class LogLevel(IntEnum):
    """Categories of log messages, and flags of how they look."""

    Always = 0
    Error = 1
    Status = 2
    Job = 4
    Machine = 5
    Config = 6
    Protocol = 7
    Priv = 8
    DaemonCore = 9
    Verbose = 10
    Security = 11
    Network = 14
    Hostname = 22
    Audit = 24
    Terse = 0
    FullDebug = 1024
    SubSecond = 1 << 26
    Timestamp = 1 << 27
    PID = 1 << 28
    NoHeader = 1 << 31


class HistorySrc(IntEnum):
    """Kinds of history."""

    ScheddJob = 0
    StartdJob = 1
    JobEpoch = 2
    Daemon = 3


class CredType(IntEnum):
    """Kinds of credentials; none is kept here."""

    Password = 36
    Kerberos = 32
    OAuth = 40


class FileTransferEventType(IntEnum):
    """Values of ``Type`` in a FILE_TRANSFER event."""

    IN_QUEUED = 1
    IN_STARTED = 2
    IN_FINISHED = 3
    OUT_QUEUED = 4
    OUT_STARTED = 5
    OUT_FINISHED = 6


class CommonFilesEventType(IntEnum):
    """Values of ``Type`` in a COMMON_FILES event."""

    TransferQueued = 1
    TransferStarted = 2
    TransferFinished = 3
    WaitStarted = 4
    WaitFinished = 5


# Names of the older bindings.
AdTypes = AdType
CredTypes = CredType
DaemonCommands = DaemonCommand
DaemonTypes = DaemonType
DrainTypes = DrainType
QueryOpts = QueryOpt
TransactionFlags = TransactionFlag
VacateTypes = VacateType
