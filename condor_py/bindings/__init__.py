"""HTCondor's Python bindings, for the pool of this machine: ``import condor_py.bindings as htcondor2``.

The names are those of ``htcondor2`` 25, with the exceptions of the older ``htcondor``. Programs that import
``htcondor2``, ``classad2``, ``htcondor`` or ``classad`` by these names find them in the directory that
``python -m condor_py.bindings`` prints: put it into PYTHONPATH. ``htcondor`` and ``classad`` there are the first
version, with what the second no longer has (``condor_py.bindings.first``).

Queue and priorities are files: asking works without running daemons, and a change is durable when a call returns.
Errors are ``HTCondorException`` and its subclasses; what one machine has not (credentials, tokens, slots for other
pools) answers as HTCondor does where it is not configured.
"""

from __future__ import annotations

from condor_py.bindings.collector import Collector
from condor_py.bindings.commands import (
    SecurityContext,
    disable_debug,
    enable_debug,
    enable_log,
    load_a_config_usermap_file,
    log,
    ping,
    platform,
    reload_config_usermaps,
    send_alive,
    send_command,
    set_ready_state,
    set_subsystem,
    version,
)
from condor_py.bindings.credd import CredCheck, Credd, Placementd
from condor_py.bindings.dagman import DAGMan
from condor_py.bindings.enums import (
    AdType,
    AdTypes,
    CommonFilesEventType,
    CompletionType,
    CredType,
    CredTypes,
    DaemonCommand,
    DaemonCommands,
    DaemonType,
    DaemonTypes,
    DrainType,
    DrainTypes,
    FileTransferEventType,
    HistorySrc,
    JobAction,
    JobEventType,
    JobStatus,
    LogLevel,
    QueryOpt,
    QueryOpts,
    SubmitMethod,
    SubsystemType,
    TransactionFlag,
    TransactionFlags,
    VacateType,
    VacateTypes,
)
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
from condor_py.bindings.events import JobEvent, JobEventLog
from condor_py.bindings.negotiator import Negotiator
from condor_py.bindings.params import Param, RemoteParam
from condor_py.bindings.schedd import Schedd
from condor_py.bindings.session import reload_config
from condor_py.bindings.startd import Startd
from condor_py.bindings.submit import Submit
from condor_py.bindings.submitting import SubmitResult
from condor_py.lang import classad

#: The configuration of this process.
param = Param()

__all__ = [
    "AdType", "AdTypes", "Collector", "CommonFilesEventType", "CompletionType", "CredCheck", "CredType",
    "CredTypes", "Credd", "DAGMan", "DaemonCommand", "DaemonCommands", "DaemonType", "DaemonTypes", "DrainType",
    "DrainTypes", "FileTransferEventType", "HTCondorEnumError", "HTCondorException", "HTCondorIOError",
    "HTCondorInternalError", "HTCondorLocateError", "HTCondorReplyError", "HTCondorTypeError", "HTCondorValueError",
    "HistorySrc", "JobAction", "JobEvent", "JobEventLog", "JobEventType", "JobStatus", "LogLevel", "Negotiator",
    "Param", "Placementd", "QueryOpt", "QueryOpts", "RemoteParam", "Schedd", "SecurityContext", "Startd", "Submit",
    "SubmitMethod", "SubmitResult", "SubsystemType", "TransactionFlag", "TransactionFlags", "VacateType",
    "VacateTypes", "classad", "disable_debug", "enable_debug", "enable_log", "load_a_config_usermap_file", "log",
    "param", "ping", "platform", "reload_config", "reload_config_usermaps", "send_alive", "send_command",
    "set_ready_state", "set_subsystem", "version",
]  # fmt: skip
