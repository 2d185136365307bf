"""``use POLICY``, ``use ROLE`` and ``use SECURITY``: when jobs start and stop, which daemons run, who may ask."""

from __future__ import annotations

USE_FRAGMENTS = """
if ! defined PolicyExprFragments
  use FEATURE : POLICY_EXPR_FRAGMENTS
endif
STARTD_LATCH_EXPRS = $(STARTD_LATCH_EXPRS) CpuBusy
CpuBusyTimer=IfThenElse(CpuBusyValue is 1, time() - CpuBusyTime, 0)
"""


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

_DESKTOP = (
    USE_FRAGMENTS
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

POLICY = {
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
  error : PREEMPT_IF requires an argument: the name of a configuration variable that holds the condition
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
  error : WANT_HOLD_IF requires 3 arguments: policy_variable, subcode, reason_text
endif
if defined WANT_HOLD
  WANT_HOLD = (JobUniverse != 1 && $($(1))) || $(WANT_HOLD)
else
  WANT_HOLD = (JobUniverse != 1 && $($(1)))
endif
WANT_HOLD_SUBCODE = ifThenElse($($(1)), $(2) , $(WANT_HOLD_SUBCODE:UNDEFINED))
WANT_HOLD_REASON = ifThenElse($($(1)), "$(3+)", $(WANT_HOLD_REASON:UNDEFINED))
""",
    "OnlyRegisteredCheckpointDestinations": """
TOOL_CLASSAD_USER_MAP_NAMES = $(TOOL_CLASSAD_USER_MAP_NAMES) checkpoint_destination_map
SCHEDD_CLASSAD_USER_MAP_NAMES = $(SCHEDD_CLASSAD_USER_MAP_NAMES) checkpoint_destination_map
CLASSAD_USER_MAPFILE_checkpoint_destination_map = $(CHECKPOINT_DESTINATION_MAPFILE)
CLASSAD_USER_MAP_PREFIX_checkpoint_destination_map = TRUE
JOB_TRANSFORM_NAMES = $(JOB_TRANSFORM_NAMES) ValidateCheckpointDestination
JOB_TRANSFORM_ValidateCheckpointDestination @=end
EVALSET CheckpointDestinationValid = ifthenelse(undefined =?= \
userMap("checkpoint_destination_map", CheckpointDestination), undefined, True)
@end
IMMUTABLE_JOB_ATTRS = $(IMMUTABLE_JOB_ATTRS) CheckpointDestinationValid
SUBMIT_REQUIREMENT_NAMES = $(SUBMIT_REQUIREMENT_NAMES) RejectInvalidCheckpointDestination
SUBMIT_REQUIREMENT_RejectInvalidCheckpointDestination = CheckpointDestination =?= undefined || \
CheckpointDestinationValid =?= True
SUBMIT_REQUIREMENT_RejectInvalidCheckpointDestination_REASON = \
"There is no entry for this checkpoint_destination in CHECKPOINT_DESTINATION_MAPFILE; it may lack a / at its end."
""",
}


ROLE = {
    "Personal": """
CONDOR_HOST=127.0.0.1
COLLECTOR_HOST=$(CONDOR_HOST):0
DAEMON_LIST=MASTER COLLECTOR NEGOTIATOR STARTD SCHEDD
RunBenchmarks=0
""",
    "Execute": "DAEMON_LIST=$(DAEMON_LIST) STARTD",
    "Submit": "DAEMON_LIST=$(DAEMON_LIST) SCHEDD",
    "CentralManager": "DAEMON_LIST=$(DAEMON_LIST) COLLECTOR NEGOTIATOR",
    "get_htcondor_central_manager": "use SECURITY : get_htcondor_idtokens\nuse ROLE : CentralManager",
    "get_htcondor_submit": "use SECURITY : get_htcondor_idtokens\nuse ROLE : Submit",
    "get_htcondor_execute": "use SECURITY : get_htcondor_idtokens\nuse ROLE : Execute",
}


_STRONG = """
SEC_DEFAULT_ENCRYPTION=required
SEC_DEFAULT_INTEGRITY=required
SEC_DEFAULT_AUTHENTICATION=required
"""

SECURITY = {
    "HOST_BASED": """
ALLOW_ADMINISTRATOR=$(CONDOR_HOST)
ALLOW_READ=*
ALLOW_WRITE=$(FULL_HOSTNAME) $(IPV4_ADDRESS) $(IPV6_ADDRESS)
ALLOW_DAEMON=$(FULL_HOSTNAME) $(IPV4_ADDRESS) $(IPV6_ADDRESS)
ALLOW_NEGOTIATOR=$(CONDOR_HOST)
ALLOW_NEGOTIATOR_SCHEDD=$(ALLOW_NEGOTIATOR) $(FLOCK_NEGOTIATOR_HOSTS)
ALLOW_WRITE_COLLECTOR=$(ALLOW_WRITE) $(FLOCK_FROM)
ALLOW_WRITE_STARTD=$(ALLOW_WRITE) $(FLOCK_FROM)
ALLOW_READ_COLLECTOR=$(ALLOW_READ) $(FLOCK_FROM)
ALLOW_READ_STARTD=$(ALLOW_READ) $(FLOCK_FROM)
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
    "FIPS": "FIPS = True\nuse SECURITY : Strong\nSEC_DEFAULT_CRYPTO_METHODS = AES,3DES",
    "get_htcondor_idtokens": """
use SECURITY : recommended
SEC_READ_AUTHENTICATION_METHODS = $(SEC_DEFAULT_AUTHENTICATION_METHODS),ANONYMOUS
SEC_CLIENT_AUTHENTICATION_METHODS = $(SEC_DEFAULT_AUTHENTICATION_METHODS),ANONYMOUS
TRUST_DOMAIN = $(CONDOR_HOST)
""",
}
