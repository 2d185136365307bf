"""The templates of ``use CATEGORY : NAME``. Each sets the same knobs to the same values as HTCondor's of that name.

The text is configuration; ``$(1)``, ``$(2?)``, ``$(3+)``, ``$(0#)`` are the arguments in parentheses
(``macro.templates``).
"""

from __future__ import annotations

_ROLE = {
    "Personal": """
CONDOR_HOST=127.0.0.1
COLLECTOR_HOST=$(CONDOR_HOST):0
DAEMON_LIST=MASTER COLLECTOR NEGOTIATOR STARTD SCHEDD
RunBenchmarks=0
""",
    "Execute": "DAEMON_LIST=$(DAEMON_LIST) STARTD",
    "Submit": "DAEMON_LIST=$(DAEMON_LIST) SCHEDD",
    "CentralManager": "DAEMON_LIST=$(DAEMON_LIST) COLLECTOR NEGOTIATOR",
}

# Evict for the owner of the machine, without suspending first.
_EVICT_FOR_OWNER = """
WANT_SUSPEND=False
WANT_VACATE=True
SUSPEND=False
CONTINUE=True
KILL=False
MaxJobRetirementTime=0
CLAIM_WORKLIFE=
SLOTS_CONNECTED_TO_KEYBOARD=1000000
SLOTS_CONNECTED_TO_CONSOLE=1000000
IS_OWNER=(START =?= False)
"""

_WATCH_CPU = """
NonCondorLoadAvg=(LoadAvg - CondorLoadAvg)
CpuBusy=($(NonCondorLoadAvg) >= $(HighLoad))
STARTD_LATCH_EXPRS = $(STARTD_LATCH_EXPRS) CpuBusy
CpuBusyTimer=(CpuBusyValue * (time() - CpuBusyTime))
"""

_USE_FRAGMENTS = """
if ! defined PolicyExprFragments
  use FEATURE : POLICY_EXPR_FRAGMENTS
endif
STARTD_LATCH_EXPRS = $(STARTD_LATCH_EXPRS) CpuBusy
CpuBusyTimer=IfThenElse(CpuBusyValue is 1, time() - CpuBusyTime, 0)
"""

_DESKTOP = (
    _USE_FRAGMENTS
    + """
WANT_SUSPEND=($(SmallJob) || $(KeyboardNotBusy) || $(IsVanilla) ) && ( $(SUSPEND))
WANT_VACATE=$(ActivationTimer) > 600 || $(IsVanilla)
SUSPEND=($(KeyboardBusy) || ( ($(CpuBusyTimer) > 120) && $(ActivationTimer) > 90))
CONTINUE=($(CPUIdle) && ($(ActivityTimer) > 10) && (KeyboardIdle > $(ContinueIdleTime)))
PREEMPT=(((Activity == "Suspended") && ($(ActivityTimer) > $(MaxSuspendTime))) \
 || (SUSPEND && (WANT_SUSPEND == False)))
START=((KeyboardIdle > $(StartIdleTime)) && ( $(CPUIdle) || (State != "Unclaimed" && State != "Owner")) )
KILL=False
MaxJobRetirementTime=0
CLAIM_WORKLIFE=
SLOTS_CONNECTED_TO_KEYBOARD=1000000
SLOTS_CONNECTED_TO_CONSOLE=1000000
IS_OWNER=(START =?= False)
"""
)

_DESKTOP_IDLE = (
    """
if $(1?)
  use FEATURE : POLICY_HOURS_TO_START($(1+))
endif
"""
    + _WATCH_CPU
    + """
CpuIdle=($(NonCondorLoadAvg) <= $(BackgroundLoad))
PreemptKeyboardIdleTime=60
PreemptCpuBusyTime=120
PREEMPT=(KeyboardIdle < $(PreemptKeyboardIdleTime)) || ($(CpuBusyTimer) > $(PreemptCpuBusyTime))
START=(KeyboardIdle > $(StartIdleTime)) && $(CPUIdle)
if defined NoJobsHours
  PREEMPT = ($(PREEMPT)) && ($(NoJobsHours))
endif
if defined RunJobsHours
  START = ($(START)) || ($(RunJobsHours))
endif
"""
    + _EVICT_FOR_OWNER
)

_DESKTOP_HOURS = (
    "use FEATURE : POLICY_HOURS_TO_START($(1+))"
    + _WATCH_CPU
    + """
PREEMPT = $(NoJobsHours)
START = $(RunJobsHours)
"""
    + _EVICT_FOR_OWNER
)

_UWCS_KNOBS = (
    *("WANT_SUSPEND", "WANT_VACATE", "SUSPEND", "CONTINUE", "PREEMPT", "START", "KILL"),
    *("PERIODIC_CHECKPOINT", "PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK", "NEGOTIATOR_PRE_JOB_RANK"),
    *("NEGOTIATOR_POST_JOB_RANK", "MaxJobRetirementTime", "CLAIM_WORKLIFE"),
)

_UWCS_DESKTOP = "\n".join(
    [
        "use FEATURE : UWCS_DESKTOP_POLICY_VALUES",
        *(f"{knob}=$(UWCS_{knob})" for knob in _UWCS_KNOBS),
        "SLOTS_CONNECTED_TO_KEYBOARD=1024*1024",
        "IS_OWNER=(START =?= False)",
    ]
)


def _exceeded(knob: str, condition: str, action: str, before: str = "") -> str:
    """The text of a PREEMPT_IF or WANT_HOLD_IF template around one condition."""
    return f"{before}\n{knob} = {condition}\n{action}"


def _hold(knob: str, subcode: int, reason: str) -> str:
    return f"""
HOLD_REASON_{knob} = {reason}
use POLICY : WANT_HOLD_IF( {knob}, $(HOLD_SUBCODE_{knob}:{subcode}), $(HOLD_REASON_{knob}) )
"""


_CPUS = "(CpusUsage > Cpus + 0.8)"
_PUBLISH_CPUS = "use POLICY : STARTD_PUBLISH_CpusUsage"
_DISK = "(JobUniverse != 13 && DiskUsage =!= UNDEFINED && DiskUsage > Disk)"
_MEMORY = "(JobUniverse != 13 && MemoryUsage =!= UNDEFINED && MemoryUsage > Memory)"
_RUNTIME = '(JobState == "Running") && ((time() - JobCurrentStartDate) > $(MAX_JOB_RUNTIME))'

_POLICY = {
    "ALWAYS_RUN_JOBS": """
WANT_SUSPEND=False
WANT_VACATE=True
SUSPEND=False
CONTINUE=True
PREEMPT=False
START=True
KILL=False
PREEMPTION_REQUIREMENTS=False
NEGOTIATOR_CONSIDER_PREEMPTION=False
MaxJobRetirementTime=2147483647
CLAIM_WORKLIFE=1200
""",
    "DESKTOP": _DESKTOP,
    "DESKTOP_IDLE": _DESKTOP_IDLE,
    "DESKTOP_HOURS": _DESKTOP_HOURS,
    "UWCS_DESKTOP": _UWCS_DESKTOP,
    "LIMIT_JOB_RUNTIMES": """
MAX_JOB_RUNTIME=$(1:24*3600)
MaxJobRetirementTime=$(MAX_JOB_RUNTIME)+120
PREEMPT=(Activity == "Busy") && ((time() - EnteredCurrentActivity) > $(MAX_JOB_RUNTIME))
""",
    "PREEMPT_IF_RUNTIME_EXCEEDS": _exceeded(
        "PREEMPT_RUNTIME_EXCEEDS",
        _RUNTIME,
        "use POLICY : PREEMPT_IF(PREEMPT_RUNTIME_EXCEEDS)",
        "MAX_JOB_RUNTIME = $(1:24*3600)",
    ),
    "HOLD_IF_RUNTIME_EXCEEDS": """
MAX_JOB_RUNTIME = $(1:24*3600)
HOLD_REASON_RUNTIME_EXCEEDS = runtime exceeded maximum ($(MAX_JOB_RUNTIME) seconds)
HOLD_RUNTIME_EXCEEDS = """
    + _RUNTIME
    + """
use POLICY : WANT_HOLD_IF( HOLD_RUNTIME_EXCEEDS, $(HOLD_SUBCODE_RUNTIME_EXCEEDS:103), \
$(HOLD_REASON_RUNTIME_EXCEEDS) )
""",
    "STARTD_PUBLISH_CpusUsage": """
CpusUsage = ifthenelse(TotalLoadAvg > 0.0 && Activity!="Idle", \
CondorLoadAvg/TotalLoadAvg*MIN({TotalLoadAvg, $(DETECTED_CORES)}), 0)
STARTD_ATTRS = $(STARTD_ATTRS) CpusUsage
""",
    "PREEMPT_IF_CPUS_EXCEEDED": _exceeded(
        "CPU_EXCEEDED", _CPUS, "use POLICY : PREEMPT_IF(CPU_EXCEEDED)", _PUBLISH_CPUS
    ),
    "HOLD_IF_CPUS_EXCEEDED": _exceeded(
        "CPU_EXCEEDED", _CPUS, _hold("CPU_EXCEEDED", 101, "CPU usage exceeded request_cpus"), _PUBLISH_CPUS
    ),
    "PREEMPT_IF_DISK_EXCEEDED": _exceeded("DISK_EXCEEDED", _DISK, "use POLICY : PREEMPT_IF(DISK_EXCEEDED)"),
    "HOLD_IF_DISK_EXCEEDED": _exceeded(
        "DISK_EXCEEDED", _DISK, _hold("DISK_EXCEEDED", 104, "disk usage exceeded allocated disk")
    ),
    "PREEMPT_IF_MEMORY_EXCEEDED": _exceeded("MEMORY_EXCEEDED", _MEMORY, "use POLICY : PREEMPT_IF(MEMORY_EXCEEDED)"),
    "HOLD_IF_MEMORY_EXCEEDED": _exceeded(
        "MEMORY_EXCEEDED", _MEMORY, _hold("MEMORY_EXCEEDED", 102, "memory usage exceeded request_memory")
    ),
    "PREEMPT_IF": """
if ! $(1?)
  error : PREEMPT_IF needs the name of a configuration variable that holds the condition
endif
if defined PREEMPT
  PREEMPT = $($(1)) || $(PREEMPT)
else
  PREEMPT = $($(1))
endif
MAXJOBRETIREMENTTIME = ifthenelse($($(1)),-1,$(MAXJOBRETIREMENTTIME:0))
if defined WANT_SUSPEND
  WANT_SUSPEND = $($(1)) =!= true && $(WANT_SUSPEND)
else
  WANT_SUSPEND = $($(1)) =!= true
endif
""",
    "WANT_HOLD_IF": """
use POLICY : PREEMPT_IF($(1))
if ! $(3?)
  error : WANT_HOLD_IF needs three arguments: policy variable, subcode, text of the reason
endif
if defined WANT_HOLD
  WANT_HOLD = (JobUniverse != 1 && $($(1))) || $(WANT_HOLD)
else
  WANT_HOLD = (JobUniverse != 1 && $($(1)))
endif
WANT_HOLD_SUBCODE = ifThenElse($($(1)), $(2) , $(WANT_HOLD_SUBCODE:UNDEFINED))
WANT_HOLD_REASON = ifThenElse($($(1)), "$(3+)", $(WANT_HOLD_REASON:UNDEFINED))
""",
}


def _cron(family: str, mode: str, how: str, executable: int) -> str:
    """A template that adds one job to STARTD_CRON or SCHEDD_CRON (the first argument)."""
    period = "period, " if executable == 4 else ""
    return f"""
if ! $({executable}?)
  error : {family} needs these arguments: STARTD_CRON or SCHEDD_CRON, tag, {period}executable [, arguments]
endif
$(1)_JOBLIST=$($(1)_JOBLIST) $(2)
$(1)_$(2)_MODE={mode}
{how}
$(1)_$(2)_EXECUTABLE=$({executable})
if $({executable + 1}?)
  $(1)_$(2)_ARGS=$({executable + 1})
endif
"""


_FEATURE = {
    "POLICY_EXPR_FRAGMENTS": """
PolicyExprFragments=1
KeyboardBusy=(KeyboardIdle < $(MINUTE))
ConsoleBusy=(ConsoleIdle  < $(MINUTE))
KeyboardNotBusy=($(KeyboardBusy) == False)
JustCPU=($(CPUBusy) && ($(KeyboardBusy) == False))
MachineBusy=($(CPUBusy) || $(KeyboardBusy))
NonCondorLoadAvg=(LoadAvg - CondorLoadAvg)
CpuIdle=($(NonCondorLoadAvg) <= $(BackgroundLoad))
CpuBusy=($(NonCondorLoadAvg) >= $(HighLoad))
ActivationTimer=ifThenElse(JobStart =!= UNDEFINED, (time() - JobStart), 0)
LastCkpt=(time() - LastPeriodicCheckpoint)
""",
    "POLICY_HOURS_TO_START": """
WorkdayBeginHour=$(1:8)
WorkdayEndHour=$(2:12+5)
WorkdayBeginMinuteStartJobs=($(WorkdayBeginHour))*60 - 29.5
WorkdayBeginMinuteStopJobs=($(WorkdayBeginHour))*60 - 9.5
WorkdayEndMinute=($(WorkdayEndHour))*60 + 0.5
RunJobsHours=ClockMin < $INT(WorkdayBeginMinuteStartJobs) || ClockMin > $INT(WorkdayEndMinute)
NoJobsHours=ClockMin > $INT(WorkdayBeginMinuteStopJobs) && ClockMin < $INT(WorkdayEndMinute)
if $(3?)
  WorkweekFirstDay=$(3:1)
  WorkweekLastDay=$(4:5)
  IsWeekend=ClockDay < $INT(WorkweekFirstDay) || ClockDay > $INT(WorkWeekLastDay)
  IsWorkday=ClockDay >= $INT(WorkweekFirstDay) && ClockDay <= $INT(WorkWeekLastDay)
  RunJobsHours=$(IsWeekend) || $(RunJobsHours)
  NoJobsHours=$(IsWorkday) && $(NoJobsHours)
endif
RunJobsHours=($(RunJobsHours))
NoJobsHours=($(NoJobsHours))
""",
    "TESTINGMODE_POLICY_VALUES": """
TESTINGMODE_WANT_SUSPEND=False
TESTINGMODE_WANT_VACATE=True
TESTINGMODE_START=True
TESTINGMODE_SUSPEND=False
TESTINGMODE_CONTINUE=True
TESTINGMODE_PREEMPT=False
TESTINGMODE_KILL=False
TESTINGMODE_PERIODIC_CHECKPOINT=False
TESTINGMODE_PREEMPTION_REQUIREMENTS=False
TESTINGMODE_PREEMPTION_RANK=0
TESTINGMODE_CLAIM_WORKLIFE=1200
""",
    "UWCS_DESKTOP_POLICY_VALUES": _USE_FRAGMENTS
    + """
UWCS_WANT_SUSPEND=( $(SmallJob) || $(KeyboardNotBusy) || $(IsVanilla) ) && ( $(SUSPEND) )
UWCS_WANT_VACATE=( $(ActivationTimer) > 10 * $(MINUTE) || $(IsVanilla) )
UWCS_START=( (KeyboardIdle > $(StartIdleTime)) && ( $(CPUIdle) || (State != "Unclaimed" && State != "Owner")) )
UWCS_SUSPEND=( $(KeyboardBusy) || ( ($(CpuBusyTimer) > 2 * $(MINUTE)) && $(ActivationTimer) > 90 ) )
UWCS_CONTINUE=( $(CPUIdle) && ($(ActivityTimer) > 10) && (KeyboardIdle > $(ContinueIdleTime)) )
UWCS_PREEMPT=( ((Activity == "Suspended") && ($(ActivityTimer) > $(MaxSuspendTime))) \
 || (SUSPEND && (WANT_SUSPEND == False)) )
UWCS_MaxJobRetirementTime=0
UWCS_KILL=false
UWCS_PERIODIC_CHECKPOINT=$(LastCkpt) > (3 * $(HOUR) + $RANDOM_INTEGER(-30,30,1) * $(MINUTE) )
UWCS_NEGOTIATOR_PRE_JOB_RANK=(10000000 * My.Rank) + (1000000 * (RemoteOwner =?= UNDEFINED)) \
 - (100000 * Cpus) - Memory
UWCS_NEGOTIATOR_POST_JOB_RANK=(RemoteOwner =?= UNDEFINED) * \
(ifthenElse(isUndefined(KFlops), 1000, Kflops) - SlotID - 1.0e10*(Offline=?=True))
UWCS_PREEMPTION_REQUIREMENTS=((SubmitterGroup =?= RemoteGroup) && ($(StateTimer) > (1 * $(HOUR))) \
 && (RemoteUserPrio > TARGET.SubmitterUserPrio * 1.2)) || (MY.NiceUser == True)
UWCS_PREEMPTION_RANK=(RemoteUserPrio * 1000000) - ifThenElse(isUndefined(TotalJobRuntime), 0, TotalJobRuntime)
""",
    "GPUs": """
MACHINE_RESOURCE_INVENTORY_GPUs=$(LIBEXEC)/condor_gpu_discovery $(1) -properties $(GPU_DISCOVERY_EXTRA)
ENVIRONMENT_FOR_AssignedGPUs=GPU_DEVICE_ORDINAL=/(CUDA|OCL)//  CUDA_VISIBLE_DEVICES=/CUDA//
ENVIRONMENT_VALUE_FOR_UnAssignedGPUs=10000
use FEATURE : GPUsMonitor
""",
    "Monitor": """
if ! $(5?)
  error : Monitor needs five arguments or more: resource, mode, period, executable, metrics
endif
STARTD_CRON_JOBLIST = $(STARTD_CRON_JOBLIST) $(1)_MONITOR
STARTD_CRON_$(1)_MONITOR_MODE = $(2)
STARTD_CRON_$(1)_MONITOR_PERIOD = $(3)
STARTD_CRON_$(1)_MONITOR_EXECUTABLE = $(4)
STARTD_CRON_$(1)_MONITOR_METRICS = $(5+)
""",
    "GPUsMonitor": """
use FEATURE : Monitor( GPUs, WaitForExit, 300, $(GPU_MONITOR), SUM:GPUs, PEAK:GPUsMemory )
STARTD_CRON_GPUs_MONITOR_CONDITION = TotalGPUs > 0 && OpSys =!= "WINDOWS"
STARTD_JOB_ATTRS = $(STARTD_JOB_ATTRS) GPUsUsage GPUsMemoryUsage
""",
    "PartitionableSlot": """
NUM_SLOTS_TYPE_$(1:1)=1
SLOT_TYPE_$(1:1)_PARTITIONABLE=true
SLOT_TYPE_$(1:1)=$(2+:100%)
""",
    "StaticSlots": """
NUM_SLOTS_TYPE_$(1:1)=$(2:$(NUM_CPUS))
SLOT_TYPE_$(1:1)_PARTITIONABLE=false
SLOT_TYPE_$(1:1)=$(3+)
""",
    "ScheddUsermapFile": """
if ! $(2?)
  error : ScheddUsermapFile needs two arguments: name of the map, file
endif
SCHEDD_CLASSAD_USER_MAP_NAMES = $(SCHEDD_CLASSAD_USER_MAP_NAMES) $(1)
CLASSAD_USER_MAPFILE_$(1) = $(2)
""",
    "AssignAccountingGroup": """
if ! $(1?)
  error : AssignAccountingGroup needs the file of a map
endif
use FEATURE : ScheddUsermapFile(AssignAccountingGroup, $(1))
JOB_TRANSFORM_NAMES = $(JOB_TRANSFORM_NAMES) AssignAccountingGroup
JOB_TRANSFORM_AssignAccountingGroup @=end
COPY Owner = AcctGroupUser
COPY AcctGroup = RequestedAcctGroup
EVALSET AcctGroup = usermap("AssignAccountingGroup",AcctGroupUser,AcctGroup)
EVALSET AccountingGroup = join(".",AcctGroup,AcctGroupUser)
@end
IMMUTABLE_JOB_ATTRS = $(IMMUTABLE_JOB_ATTRS) AcctGroup AcctGroupUser AccountingGroup
if $(2:True)
  SUBMIT_REQUIREMENT_NAMES = $(SUBMIT_REQUIREMENT_NAMES) CheckRequestedGroup
  SUBMIT_REQUIREMENT_CheckRequestedGroup = RequestedAcctGroup is undefined || RequestedAcctGroup == AcctGroup
  SUBMIT_REQUIREMENT_CheckRequestedGroup_REASON = \
strcat("Permission denied setting accounting_group to ", RequestedAcctGroup)
endif
SUBMIT_REQUIREMENT_NAMES = $(SUBMIT_REQUIREMENT_NAMES) AssignAccountingGroup
SUBMIT_REQUIREMENT_AssignAccountingGroup = AcctGroup isnt undefined && AccountingGroup isnt undefined
SUBMIT_REQUIREMENT_AssignAccountingGroup_REASON = strcat("Submit requirement AssignAccountingGroup not met - \
Could not map '", Owner, "' to an accounting group ", RequestedAcctGroup)
""",
    "REMOTE_RUNTIME_CONFIG": """
ENABLE_RUNTIME_CONFIG=True
ALLOW_CONFIG=$(ALLOW_ADMINISTRATOR)
if $(0#)
  SETTABLE_ATTRS_CONFIG=$(SETTABLE_ATTRS_CONFIG) $(0)
endif
""",
    "REMOTE_CONFIG": """
ENABLE_PERSISTENT_CONFIG=True
PERSISTENT_CONFIG_DIR=$(SPOOL)
use FEATURE : REMOTE_RUNTIME_CONFIG($(0))
""",
    "OneShotCronHook": _cron("OneShotCronHook", "OneShot", "$(1)_$(2)_KILL=true\n$(1)_$(2)_RECONFIG_RERUN=true", 3),
    "PeriodicCronHook": _cron("PeriodicCronHook", "Periodic", "$(1)_$(2)_PERIOD=$(3)", 4),
    "ContinuousCronHook": _cron("ContinuousCronHook", "WaitForExit", "$(1)_$(2)_PERIOD=0", 3),
    "StartdCronOneShot": "use FEATURE : OneShotCronHook(STARTD_CRON, $(0))",
    "StartdCronPeriodic": "use FEATURE : PeriodicCronHook(STARTD_CRON, $(0))",
    "StartdCronContinuous": "use FEATURE : ContinuousCronHook(STARTD_CRON, $(0))",
    "ScheddCronOneShot": "use FEATURE : OneShotCronHook(SCHEDD_CRON, $(0))",
    "ScheddCronPeriodic": "use FEATURE : PeriodicCronHook(SCHEDD_CRON, $(0))",
    "ScheddCronContinuous": "use FEATURE : ContinuousCronHook(SCHEDD_CRON, $(0))",
}

_STRONG = """
SEC_DEFAULT_ENCRYPTION=required
SEC_DEFAULT_INTEGRITY=required
SEC_DEFAULT_AUTHENTICATION=required
"""

_SECURITY = {
    "HOST_BASED": """
ALLOW_ADMINISTRATOR=$(CONDOR_HOST)
ALLOW_READ=*
ALLOW_WRITE=$(FULL_HOSTNAME) $(IPV4_ADDRESS) $(IPV6_ADDRESS)
ALLOW_DAEMON=$(FULL_HOSTNAME) $(IPV4_ADDRESS) $(IPV6_ADDRESS)
ALLOW_NEGOTIATOR=$(CONDOR_HOST)
LEGACY_ALLOW_SEMANTICS=TRUE
""",
    "WITH_AUTHENTICATION": "SEC_DEFAULT_AUTHENTICATION=required\nSEC_DEFAULT_INTEGRITY=required",
    "STRONG": _STRONG,
    "USER_BASED": """
if $(CondorIsAdmin)
  authuser=condor
else
  authuser=$(USERNAME)
endif
use SECURITY : recommended($(authuser))
if ! $(CondorIsAdmin)
  ALLOW_WRITE = $(authuser)@$(UID_DOMAIN)
endif
""",
    "recommended": "use SECURITY : recommended_v24_0($(1+))",
    "recommended_v24_0": """
SECURITY_MODEL = 24.0
use SECURITY : Strong
SEC_READ_AUTHENTICATION = OPTIONAL
SEC_CLIENT_AUTHENTICATION = OPTIONAL
ALLOW_ADMINISTRATOR = $(1:condor)@* condor@password $(2:root@*) $(3+)
ALLOW_DAEMON = $(1:condor)@*  condor@password
ALLOW_NEGOTIATOR = $(1:condor)@* condor@password
ALLOW_WRITE = *
ALLOW_READ = *
""",
    "recommended_v9_0": """
SECURITY_MODEL = 9.0
use SECURITY : Strong
SEC_READ_AUTHENTICATION = OPTIONAL
SEC_READ_ENCRYPTION = OPTIONAL
SEC_READ_INTEGRITY = OPTIONAL
ALLOW_ADMINISTRATOR = $(1:condor)@* condor_pool@* $(2:root@*) $(3+)
ALLOW_DAEMON = $(1:condor)@*  condor_pool@*
ALLOW_NEGOTIATOR = $(1:condor)@* condor_pool@*
ALLOW_WRITE = *
ALLOW_READ = *
""",
}

#: Category (lower case) -> its name and its templates by the usual spelling of their names.
TEMPLATES: dict[str, tuple[str, dict[str, str]]] = {
    "role": ("ROLE", _ROLE),
    "policy": ("POLICY", _POLICY),
    "feature": ("FEATURE", _FEATURE),
    "security": ("SECURITY", _SECURITY),
}


def template(category: str, name: str) -> str | None:
    """The text of ``use CATEGORY : NAME`` (any case), None when there is none; "" for a category and no name."""
    found = TEMPLATES.get(category.strip().lower())
    if found is None:
        return None
    if not name:
        return ""
    wanted = name.strip().lower()
    return next((text.strip("\n") for known, text in found[1].items() if known.lower() == wanted), None)


def similar(category: str, name: str) -> str:
    """The template of ``category`` that is spelled most like ``name`` (the category, without a name); "" for none."""
    from difflib import get_close_matches

    found = TEMPLATES.get(category.strip().lower())
    if not name:
        known = {key: one[0] for key, one in TEMPLATES.items()}
    else:
        known = {one.lower(): one for one in found[1]} if found else {}
    close = get_close_matches((name or category).strip().lower(), known, 1)
    return known[close[0]] if close else ""
