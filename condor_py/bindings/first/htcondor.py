"""``htcondor``, first version: ``import htcondor``."""

from __future__ import annotations

from condor_py.bindings import commands as _commands
from condor_py.bindings.commands import enable_debug, enable_log, platform, version
from condor_py.bindings.credd import CredCheck
from condor_py.bindings.errors import (
    HTCondorEnumError,
    HTCondorException,
    HTCondorInternalError,
    HTCondorIOError,
    HTCondorLocateError,
    HTCondorReplyError,
    HTCondorTypeError,
    HTCondorValueError,
)
from condor_py.bindings.first import classad
from condor_py.bindings.first.daemons import (
    Claim,
    Collector,
    Credd,
    CredStatus,
    Negotiator,
    Param,
    RemoteParam,
    SecMan,
    Startd,
    Token,
    TokenRequest,
    send_command,
    set_subsystem,
)
from condor_py.bindings.first.enums import (
    AdTypes,
    BlockingMode,
    CredTypes,
    DaemonCommands,
    DaemonTypes,
    DrainTypes,
    EntryType,
    FileTransferEventType,
    JobAction,
    JobEventType,
    JobStatus,
    LockType,
    LogLevel,
    ProvisionerState,
    QueryOpts,
    SubsystemType,
    TransactionFlags,
    VacateTypes,
)
from condor_py.bindings.first.logs import EventIterator, FileLock, JobEvent, JobEventLog, LogReader, lock, read_events
from condor_py.bindings.first.places import DaemonLocation
from condor_py.bindings.first.raising import raises_first
from condor_py.bindings.first.schedds import BulkQueryIterator, EditResult, HistoryIterator, QueryIterator, Schedd, poll
from condor_py.bindings.first.submits import QueueItemsIterator, Submit, SubmitJobsIterator, SubmitResult, Transaction
from condor_py.bindings.session import reload_config

send_alive = raises_first(_commands.send_alive)
set_ready_state = raises_first(_commands.set_ready_state)
#: The configuration of this process.
param = Param()


def log(level: int, msg: str) -> None:
    """A line for the debug output, when that is on."""
    _commands.log(int(level), str(msg))


def enable_classad_extensions() -> None:
    """Nothing: all functions of HTCondor are part of the language."""


__all__ = [
    "AdTypes", "BlockingMode", "BulkQueryIterator", "Claim", "Collector", "CredCheck", "CredStatus", "CredTypes",
    "Credd", "DaemonCommands", "DaemonLocation", "DaemonTypes", "DrainTypes", "EditResult", "EntryType",
    "EventIterator", "FileLock", "FileTransferEventType", "HTCondorEnumError", "HTCondorException",
    "HTCondorIOError", "HTCondorInternalError", "HTCondorLocateError", "HTCondorReplyError", "HTCondorTypeError",
    "HTCondorValueError", "HistoryIterator", "JobAction", "JobEvent", "JobEventLog", "JobEventType", "JobStatus",
    "LockType", "LogLevel", "LogReader", "Negotiator", "ProvisionerState", "QueryIterator", "QueryOpts",
    "QueueItemsIterator", "RemoteParam", "Schedd", "SecMan", "Startd", "Submit", "SubmitJobsIterator",
    "SubmitResult", "SubsystemType", "Token", "TokenRequest", "Transaction", "TransactionFlags", "VacateTypes",
    "classad", "enable_classad_extensions", "enable_debug", "enable_log", "lock", "log", "param", "platform",
    "poll", "read_events", "reload_config", "send_alive", "send_command", "set_ready_state", "set_subsystem",
    "version",
]  # fmt: skip
