"""The configuration lines of the policy examples in HTCondor's manual, by what they are for."""

from __future__ import annotations

MACROS = """MINUTE          = 60
HOUR            = (60 * $(MINUTE))
StateTimer      = (time() - EnteredCurrentState)
ActivityTimer   = (time() - EnteredCurrentActivity)
ActivationTimer = (time() - JobStart)

NonCondorLoadAvg        = (LoadAvg - CondorLoadAvg)
BackgroundLoad          = 0.3
HighLoad                = 0.5
StartIdleTime           = 15 * $(MINUTE)
ContinueIdleTime        = 5 * $(MINUTE)
MaxSuspendTime          = 10 * $(MINUTE)

KeyboardBusy            = KeyboardIdle < $(MINUTE)
ConsoleBusy             = (ConsoleIdle  < $(MINUTE))
CPUIdle                = $(NonCondorLoadAvg) <= $(BackgroundLoad)
CPUBusy                = $(NonCondorLoadAvg) >= $(HighLoad)
KeyboardNotBusy         = ($(KeyboardBusy) == False)
MachineBusy             = ($(CPUBusy) || $(KeyboardBusy)
"""

DEFAULT = """WANT_SUSPEND         = False
WANT_VACATE          = False
START                = True
SUSPEND              = False
CONTINUE             = True
PREEMPT              = False
# Kill jobs that take too long leaving gracefully.
MachineMaxVacateTime = 10 * $(MINUTE)
KILL                 = False
"""

TEST_JOB = """START      = ($(START)) || Owner == "coltrane"
SUSPEND    = ($(SUSPEND)) && Owner != "coltrane"
CONTINUE   = $(CONTINUE)
PREEMPT    = ($(PREEMPT)) && Owner != "coltrane"
KILL       = $(KILL)
"""

TIME_OF_DAY = """WorkHours = ( (ClockMin >= 480 && ClockMin < 1020) && \\
              (ClockDay > 0 && ClockDay < 6) )
AfterHours = ( (ClockMin < 480 || ClockMin >= 1020) || \\
               (ClockDay == 0 || ClockDay == 6) )
# Only start jobs after hours.
START = $(AfterHours)

MachineBusy = ( $(WorkHours) || $(CPUBusy) || $(KeyboardBusy) )
"""

DESKTOP = """STARTD_ATTRS = IsDesktop
START = ( ($(CPUIdle) || (State != "Unclaimed" && State != "Owner")) \\
          && (IsDesktop =!= True || (KeyboardIdle > $(StartIdleTime))) )
WANT_SUSPEND = ( $(SmallJob) || $(JustCpu) \\
                 || $(IsVanilla) )
WANT_VACATE  = ( $(ActivationTimer) > 10 * $(MINUTE) \\
                 || $(IsVanilla) )
SUSPEND = ( ((CpuBusyTime > 2 * $(MINUTE)) && ($(ActivationTimer) > 90)) \\
            || ( IsDesktop =?= True && $(KeyboardBusy) ) )
CONTINUE = ( $(CPUIdle) && ($(ActivityTimer) > 300) \\
             && (IsDesktop =!= True || (KeyboardIdle > $(ContinueIdleTime))) )
PREEMPT = ( ((Activity == "Suspended") && \\
            ($(ActivityTimer) > $(MaxSuspendTime))) \\
           || (SUSPEND && (WANT_SUSPEND == False)) )
MAXJOBRETIREMENTTIME = (IsDesktop =!= True) * 0
MachineMaxVacateTime = 10 * $(MINUTE)
KILL = False
"""

TWO_TIERS = """NUM_CPUS = $(DETECTED_CORES)*2
MEMORY = $(DETECTED_MEMORY)*2
IsSuspendableSlot = SlotID > $(DETECTED_CORES)
NonSuspendableSlotState = eval(strcat("slot",SlotID-$(DETECTED_CORES),"_State")
STARTD_SLOT_ATTRS = $(STARTD_SLOT_ATTRS) State
STARTD_ATTRS = $(STARTD_ATTRS) IsSuspendableSlot NonSuspendableSlotState

MyNonSuspendableSlotIsIdle = \\
  (NonSuspendableSlotState =!= "Claimed" && NonSuspendableSlotState =!= "Preempting")
START = \\
  IsSuspendableSlot!=True && IsSuspendableJob=!=True || \\
  IsSuspendableSlot && IsSuspendableJob==True && $(MyNonSuspendableSlotIsIdle)
SUSPEND = \\
  IsSuspendableSlot && $(MyNonSuspendableSlotIsIdle)!=True

WANT_SUSPEND = $(SUSPEND)

CONTINUE = ($(SUSPEND)) != True
"""

#: Name -> configuration, as the manual shows it.
EXAMPLES: dict[str, str] = {
    "macros": MACROS,
    "default": DEFAULT,
    "test job": MACROS + DEFAULT + TEST_JOB,
    "time of day": MACROS + TIME_OF_DAY,
    "desktop": f"use FEATURE : POLICY_EXPR_FRAGMENTS\n{DESKTOP}IsDesktop = True\n",
    "not a desktop": f"use FEATURE : POLICY_EXPR_FRAGMENTS\n{DESKTOP}",
    "desktop with the manual's macros": MACROS + DESKTOP + "IsDesktop = True\n",
    "two tiers": TWO_TIERS,
    "interactive jobs preferred": "RANK = ( (MY.SlotID == 1) && (TARGET.InteractiveJob =?= True) )\n",
    "interactive jobs only": "START = ( (MY.SlotID == 1) && (TARGET.InteractiveJob =?= True) )\n",
    "people preferred": (
        'RANK = Owner == "coltrane" || Owner == "tyner" \\\n    || Owner == "garrison" || Owner == "jones"\n'
    ),
    "people ranked": (
        'RANK = (Owner == "coltrane") + (Owner == "tyner") \\\n'
        '    + ((Owner == "garrison") * 10) + (Owner == "jones")\n'
    ),
    "one user, and idle": 'START = KeyboardIdle > 15 * $(MINUTE) && Owner == "coltrane"\n',
    "one user, or idle": 'START = KeyboardIdle > 15 * $(MINUTE) || Owner == "coltrane"\n',
    "benchmarks": "RunBenchmarks = (time() - LastBenchmark) >= (4 * $(HOUR))\n",
    "vanilla forms": MACROS
    + """WANT_SUSPEND            = True
WANT_VACATE             = $(ActivationTimer) > 10 * $(MINUTE)
SUSPEND                 = $(KeyboardBusy) || $(CPUBusy)
WANT_SUSPEND_VANILLA    = True
WANT_VACATE_VANILLA     = True
SUSPEND_VANILLA         = $(KeyboardBusy) || $(CPUBusy)
""",
    "slots with parts": """SLOT_TYPE_1 = cogs=50%,actuator=6,50%
SLOT_TYPE_1_PARTITIONABLE = TRUE
NUM_SLOTS_TYPE_1 = 1
SLOT_TYPE_2 = cogs=25%,actuator=1,25%
SLOT_TYPE_2_PARTITIONABLE = FALSE
NUM_SLOTS_TYPE_2 = 2
MACHINE_RESOURCE_Cogs = 16
MACHINE_RESOURCE_actuator = 8
""",
    "attributes of slots": """GenomeDBName = "FruitFlies"
GenomeDBSizeGB = 1729
HasLargeGenomeDB = GenomeDBSizeGB > 100
favorite_color = "blue"
favorite_season = "spring"
STARTD_ATTRS = GenomeDBName GenomeDBSizeGB HasLargeGenomeDB, favorite_color, favorite_season $(STARTD_ATTRS)
SLOT1_STARTD_ATTRS = favorite_movie
favorite_movie = "none"
SLOT2_favorite_color = "green"
SLOT3_favorite_season = "summer"
""",
    "parallel jobs": """DedicatedScheduler = "DedicatedScheduler@full.host.name"
STARTD_ATTRS = $(STARTD_ATTRS), DedicatedScheduler
SUSPEND    = Scheduler =!= $(DedicatedScheduler) && ($(SUSPEND))
PREEMPT    = Scheduler =!= $(DedicatedScheduler) && ($(PREEMPT))
RANK_FACTOR    = 1000000
RANK   = (Scheduler =?= $(DedicatedScheduler) * $(RANK_FACTOR)) \\
               + $(RANK:0)
START  = (Scheduler =?= $(DedicatedScheduler)) || ($(START))
""",
    "consumption": """SLOT_TYPE_1 = cpus=8
SLOT_TYPE_1_PARTITIONABLE = True
NUM_SLOTS_TYPE_1 = 1
SLOT_TYPE_1_CONSUMPTION_POLICY = True
SLOT_TYPE_1_CONSUMPTION_CPUS = TARGET.RequestCpus
SLOT_WEIGHT = Cpus
CONSUMPTION_MEMORY = quantize(target.RequestMemory,{128})
""",
    "transforms": """JOB_TRANSFORM_NAMES = AssignGroup, SL6ToDocker

JOB_TRANSFORM_AssignGroup @=end
   # map Owner to group using the existing accounting group attribute as requested group
   EVALSET AcctGroup = userMap("Groups",Owner,AcctGroup)
   EVALSET AccountingGroup = join(".",AcctGroup,Owner)
@end

JOB_TRANSFORM_SL6ToDocker @=end
   REQUIREMENTS JobUniverse==5 && WantSL6 && DockerImage =?= undefined
   SET  WantDocker = true
   SET  DockerImage = "SL6"
   SET  Requirements = TARGET.HasDocker && $(MY.Requirements)
@end
""",
    "requirements of submission": """SUBMIT_REQUIREMENT_NAMES = NotStandardUniverse, MinimalRequestMemory, NotChris
SUBMIT_REQUIREMENT_NotStandardUniverse = JobUniverse != 1
SUBMIT_REQUIREMENT_MinimalRequestMemory = RequestMemory > 512
SUBMIT_REQUIREMENT_NotChris = Owner != "chris"
SUBMIT_REQUIREMENT_NotChris_REASON = "Chris, you may only submit jobs to the instructional pool."
SUBMIT_REQUIREMENT_NAMES = OneGig $(SUBMIT_REQUIREMENT_NAMES)
SUBMIT_REQUIREMENT_OneGig = RequestMemory > 1024
SUBMIT_REQUIREMENT_OneGig_IS_WARNING = TRUE
""",
    "memory, by the manual": """MEMORY_EXCEEDED = (isDefined(MemoryUsage) && MemoryUsage > RequestMemory)
use POLICY : PREEMPT_IF(MEMORY_EXCEEDED)
""",
    "hooks": """STARTD_JOB_HOOK_KEYWORD = DATABASE
SLOT4_JOB_HOOK_KEYWORD = WEB
DATABASE_HOOK_DIR = /usr/local/condor/fetch/database
DATABASE_HOOK_FETCH_WORK = $(DATABASE_HOOK_DIR)/fetch_work.php
FetchWorkDelay = ifThenElse(State == "Claimed" && Activity == "Idle", 0, 300)
""",
    "a second schedd": """XYZZY           = $(SCHEDD)
XYZZY_ARGS      = -local-name xyzzy
DAEMON_LIST     = $(DAEMON_LIST) XYZZY
DC_DAEMON_LIST  = + XYZZY
XYZZY_LOG       = $(LOG)/SchedLog.xyzzy
SCHEDD.XYZZY.SCHEDD_NAME = XYZZY
SCHEDD.XYZZY.SCHEDD_LOG  = $(XYZZY_LOG)
SCHEDD.XYZZY.SPOOL       = $(SPOOL).XYZZY
""",
}
