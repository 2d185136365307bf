"""``import htcondor2``: HTCondor's module for daemons and jobs, second version."""

from importlib import import_module as _import_module

_import_module("_condor_py_home")
classad = _import_module("classad2")

from condor_py import bindings as _ours  # noqa: E402

AdType = _ours.AdType
AdTypes = _ours.AdTypes
Collector = _ours.Collector
CommonFilesEventType = _ours.CommonFilesEventType
CompletionType = _ours.CompletionType
CredCheck = _ours.CredCheck
CredType = _ours.CredType
CredTypes = _ours.CredTypes
Credd = _ours.Credd
DAGMan = _ours.DAGMan
DaemonCommand = _ours.DaemonCommand
DaemonCommands = _ours.DaemonCommands
DaemonType = _ours.DaemonType
DaemonTypes = _ours.DaemonTypes
DrainType = _ours.DrainType
DrainTypes = _ours.DrainTypes
FileTransferEventType = _ours.FileTransferEventType
HTCondorException = _ours.HTCondorException
HistorySrc = _ours.HistorySrc
JobAction = _ours.JobAction
JobEvent = _ours.JobEvent
JobEventLog = _ours.JobEventLog
JobEventType = _ours.JobEventType
JobStatus = _ours.JobStatus
LogLevel = _ours.LogLevel
Negotiator = _ours.Negotiator
Placementd = _ours.Placementd
QueryOpt = _ours.QueryOpt
QueryOpts = _ours.QueryOpts
RemoteParam = _ours.RemoteParam
Schedd = _ours.Schedd
SecurityContext = _ours.SecurityContext
Startd = _ours.Startd
Submit = _ours.Submit
SubmitMethod = _ours.SubmitMethod
SubmitResult = _ours.SubmitResult
SubsystemType = _ours.SubsystemType
TransactionFlag = _ours.TransactionFlag
TransactionFlags = _ours.TransactionFlags
VacateType = _ours.VacateType
disable_debug = _ours.disable_debug
enable_debug = _ours.enable_debug
enable_log = _ours.enable_log
load_a_config_usermap_file = _ours.load_a_config_usermap_file
log = _ours.log
param = _ours.param
ping = _ours.ping
platform = _ours.platform
reload_config = _ours.reload_config
reload_config_usermaps = _ours.reload_config_usermaps
send_alive = _ours.send_alive
send_command = _ours.send_command
set_ready_state = _ours.set_ready_state
set_subsystem = _ours.set_subsystem
version = _ours.version
