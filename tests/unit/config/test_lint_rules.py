"""Each rule of lint: a configuration with the mistake gets exactly these lines, one that is only near it gets none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from condor_py.lang.config import Config, load
from condor_py.lang.config.lint import known, lint, names
from condor_py.lang.config.lint.effects import check_effects, check_programs
from condor_py.lang.config.lint.expressions import check_expressions
from condor_py.lang.config.lint.files import check_files, check_sections, check_user_file
from condor_py.lang.config.lint.finding import Finding
from condor_py.lang.config.lint.groups import check_groups
from condor_py.lang.config.lint.names import check_names
from condor_py.lang.config.lint.policy import check_policy
from condor_py.lang.config.lint.starting import check_starting
from condor_py.lang.config.lint.subject import Subject
from condor_py.lang.config.lint.sums import check_sums
from condor_py.lang.config.lint.values import check_values
from condor_py.lang.config.lint.words import check_words
from condor_py.model.errors import ConfigError

Check = Callable[[Subject], Iterator[Finding]]

_NAMES = (
    ("use POLICY : ALWAYS_RUN_JOBS\nNUM_CPUSS = 1",
     ("warning NUM_CPUSS: there is no knob of this name, did you mean NUM_CPUS?",)),
    ("SLOT_TYPE_1_PARTITIONABEL = true",
     ("warning SLOT_TYPE_1_PARTITIONABEL: there is no knob of this name, did you mean SLOT_TYPE_1_PARTITIONABLE?",)),
    ("SLOT_TYPE_1_CONSUMPTON_POLICY = true",
     ("warning SLOT_TYPE_1_CONSUMPTON_POLICY: there is no knob of this name, did you mean "
      "SLOT_TYPE_1_CONSUMPTION_POLICY?",)),
    ("SLOT1_QQQQQQQ = 1",
     ("note SLOT1_QQQQQQQ: there is no knob of this name, and no other setting refers to it",)),
    ("ALOW_READ = *", ("warning ALOW_READ: there is no knob of this name, did you mean ALLOW_READ?",)),
    ("ALOW_WRITE = *", ("warning ALOW_WRITE: there is no knob of this name, did you mean ALLOW_WRITE?",)),
    ("CPUS_NUM = 1", ("note CPUS_NUM: there is no knob of this name, and no other setting refers to it",)),
    ("CPUS_SLOT_PARTITIONABLE = 1",
     ("note CPUS_SLOT_PARTITIONABLE: there is no knob of this name, and no other setting refers to it",)),
    ("DAEMON_LIST = MASTER SCHEDD2\nSCHEDD2 = /bin/true\nSCHEDD2.NUM_CPUS = 1", ()),
    ("SCHEDD2.NUM_CPUS = 1",
     ("warning SCHEDD2.NUM_CPUS: SCHEDD2 is no daemon or tool, did you mean SCHEDD.NUM_CPUS?",)),
    ("SCHEDD2.x.NUM_CPUS = 1",
     ("warning SCHEDD2.x.NUM_CPUS: SCHEDD2 is no daemon or tool, did you mean SCHEDD.NUM_CPUS?",)),
    ("TOL.NUM_CPUS = 1", ()),
    ("TOOI.NUM_CPUS = 1", ("warning TOOI.NUM_CPUS: TOOI is no daemon or tool, did you mean TOOL.NUM_CPUS?",)),
    ("TOOLL.NUM_CPUS = 1",
     ("warning TOOLL.NUM_CPUS: TOOLL is no daemon or tool, did you mean TOOL.NUM_CPUS?",)),
    ("START.NUM_CPUS = 1", ()),
    ("JOB_TRANSFORM_ = x",
     ("warning JOB_TRANSFORM_: there is no knob of this name, did you mean JOB_TRANSFORM_NAMES?",)),
    ("SUBMIT_REQUIREMENT_ = x",
     ("warning SUBMIT_REQUIREMENT_: there is no knob of this name, did you mean SUBMIT_REQUIREMENT_NAMES?",)),
    ("JOB_ROUTER_TRANSFORM_x = SET A 1", ()),
    ("JOB_ROUTER_CREATE_IDTOKEN_x = 1", ()),
    ("JOB_ROUTER_MAX_JOBSS = 1",
     ("warning JOB_ROUTER_MAX_JOBSS: there is no knob of this name, did you mean JOB_ROUTER_MAX_JOBS?",)),
    ("SYSTEM_PERIODIC_HOLD_NAMES = a\nSYSTEM_PERIODIC_HOLD_a_SUBCODE_REASON = x",
     ("warning SYSTEM_PERIODIC_HOLD_a_SUBCODE_REASON: nothing comes of it, because a_SUBCODE is not in "
      "SYSTEM_PERIODIC_HOLD_NAMES",)),
    ("SYSTEM_PERIODIC_HOLD_VANILLA = x",
     ("warning SYSTEM_PERIODIC_HOLD_VANILLA: nothing comes of it, because VANILLA is not in "
      "SYSTEM_PERIODIC_HOLD_NAMES",)),
    ("SUBMIT_REQUIREMENT_NMAES = x",
     ("warning SUBMIT_REQUIREMENT_NMAES: nothing comes of it, because NMAES is not in SUBMIT_REQUIREMENT_NAMES: "
      "did you mean SUBMIT_REQUIREMENT_NAMES?",)),
    ("SUBMIT_REQUIREMENT_NAMEES = x",
     ("warning SUBMIT_REQUIREMENT_NAMEES: nothing comes of it, because NAMEES is not in "
      "SUBMIT_REQUIREMENT_NAMES: did you mean SUBMIT_REQUIREMENT_NAMES?",)),
    ("STARTD_CRON_JOBLIST = x x_y\nSTARTD_CRON_x_y_PERIOD = 1", ()),
    ("STARTD_CRON_JOBLIST = one\nSTARTD_CRON_one_JOB_EXECUTABLE = /x", ()),
    ("STARTD_CRON_JOBLSIT = one",
     ("warning STARTD_CRON_JOBLSIT: there is no knob of this name, did you mean STARTD_CRON_JOBLIST?",)),
    ("STARTD_CRON_MX_JOB_LOAD = 1",
     ("warning STARTD_CRON_MX_JOB_LOAD: there is no knob of this name, did you mean STARTD_CRON_MAX_JOB_LOAD?",)),
    ("STARTD_CRON_QQQQQQ = 1",
     ("warning STARTD_CRON_QQQQQQ: there is no knob of this name: nothing reads it",)),
    ("STARTD_CRON_NAMES = 1",
     ("warning STARTD_CRON_NAMES: there is no knob of this name, did you mean STARTD_CRON_NAME?",)),
    ("MINE = $(STARTD_CRON_other_ARGS)\nSTARTD_CRON_other_ARGS = x",
     ("note MINE: there is no knob of this name, and no other setting refers to it",)),
    ("DAEMON_LIST = MASTER MYD\nMYD = /bin/true\nMYD_LOG = /x\nMYD_ARGS = 1\nMAX_MYD_LOG = 1",
     ("warning MAX_MYD_LOG: there is no knob of this name, did you mean MAX_HAD_LOG?",)),
    ("MYD_LOG = /x", ()),
    ("MYD_ARGS = /x", ("warning MYD_ARGS: there is no knob of this name, did you mean HAD_ARGS?",)),
    ("SCHEDD_FOO_LOG = /x", ()),
    ("SCHEDD_FOO_ARGS = x", ()),
    ("SCH_LOG = /x", ()),
    ("SCHED_LOG = /x", ("warning SCHED_LOG: SCHED is no daemon or tool, did you mean SCHEDD_LOG?",)),
    ("SCHEDDD_ARGS = x", ("warning SCHEDDD_ARGS: SCHEDDD is no daemon or tool, did you mean SCHEDD_ARGS?",)),
    ("X = $(SCHEDDD_ARGS)\nSCHEDDD_ARGS = x",
     ("note X: there is no knob of this name, and no other setting refers to it",)),
    ("MAX_NUM_SCHEDDD_LOG = 1",
     ("warning MAX_NUM_SCHEDDD_LOG: there is no knob of this name, did you mean MAX_NUM_SCHEDD_LOG?",)),
    ("HISTORY_LOG = x", ()),
    ("MAX_HISTORYY_LOG = x",
     ("warning MAX_HISTORYY_LOG: there is no knob of this name, did you mean MAX_HISTORY_LOG?",)),
    ("ALLOW_READ_FOO = *", ()),
    ("ALLOW_ALLOW = *", ()),
    ("ALLOW_READER = *", ("warning ALLOW_READER: there is no access level READER, did you mean ALLOW_READ?",)),
    ("QQQQ_READ = *", ("note QQQQ_READ: there is no knob of this name, and no other setting refers to it",)),
    ("MACHINE_RESOURCE_NAMES = COGS\nMODIFY_REQUEST_EXPR_REQUESTCOGGS = 1",
     ("warning MODIFY_REQUEST_EXPR_REQUESTCOGGS: there is no resource Coggs",)),
    ("STARTD.MACHINE_RESOURCE_COGS = 2\nMODIFY_REQUEST_EXPR_REQUESTCOGS = 1", ()),
    ("MODIFY_REQUEST_EXPR_REQUESTCPU = 1",
     ("warning MODIFY_REQUEST_EXPR_REQUESTCPU: there is no resource Cpu, did you mean "
      "MODIFY_REQUEST_EXPR_REQUESTCPUS?",)),
    ("MODIFY_REQUEST_EXPR_REQ = 1", ()),
    ("GROUP_NAMES = bio chem\nGROUP_QOUTA_chem = 1",
     ("warning GROUP_QOUTA_chem: there is no knob of this name, did you mean GROUP_QUOTA_chem?",)),
    ("GROUP_NAMES = bio\nGROUP_QQQQQQQ_bio = 1", ()),
    ("LIST_NAMES = bio\nQQQ_bio_x = 1",
     ("note LIST_NAMES: there is no knob of this name, and no other setting refers to it",)),
    ("SLOT_TYPE_1_MINE = 1\nX = $(MINE) $(X2)",
     ("note X: there is no knob of this name, and no other setting refers to it",)),
    ("STARTD_ATTRS = Mine\nSLOT_TYPE_1_Mine = 1", ()),
    ("STARTD.MINE = 1\nSTARTD_ATTRS = MINE", ()),
    ("CGROUP_QQQQQ = 1", ("warning CGROUP_QQQQQ: there is no knob of this name: nothing reads it",)),
    ("PREEMPT_VANILA = 1",
     ("warning PREEMPT_VANILA: there is no knob of this name, did you mean PREEMPT_VANILLA?",)),
    ("SLOT1_PREEMPT_VANILLA = 1", ()),
    ("SLOT_TYPE_1_MATCH_TIMEOUT = 1",
     ("warning SLOT_TYPE_1_MATCH_TIMEOUT: MATCH_TIMEOUT is the same for all slots: nothing reads this",)),
    ("SLOT1_update_interval = 1",
     ("warning SLOT1_update_interval: update_interval is the same for all slots: nothing reads this",)),
    ("SLOT_TYPE_1_MATCH_TIMEOUT = 1\nMATCH_TIMEOUT = $(SLOT_TYPE_1_MATCH_TIMEOUT)", ()),
    ("STARTD_ATTRS = MATCH_TIMEOUT\nSLOT_TYPE_1_MATCH_TIMEOUT = 1", ()),
    *((f"{prefix}_{part} = 1", ()) for prefix in ("SLOT_TYPE_1", "SLOT1") for part in (
        "START", "maxjobretirementtime", "SLOT_WEIGHT", "NUM_CLAIMS", "CONSUMPTION_CPUS", "HIBERNATE",
        "MODIFY_REQUEST_EXPR_REQUESTCPUS")),
    ("SLOT1_PREEMPT_VANILA = 1",
     ("warning SLOT1_PREEMPT_VANILA: there is no knob of this name, did you mean SLOT1_PREEMPT_VANILLA?",)),
    ("NEGOTIATOR_CYCLE_DELAYS_MINIMUM = 1",
     ("warning NEGOTIATOR_CYCLE_DELAYS_MINIMUM: there is no knob of this name: nothing reads it",)),
    ("MAXIMUM_JOBS_RUNNING = 1",
     ("note MAXIMUM_JOBS_RUNNING: there is no knob of this name, and no other setting refers to it",)),
    ("MAX_JOBS_RUNNING_AT_ONCE = 1",
     ("warning MAX_JOBS_RUNNING_AT_ONCE: there is no knob of this name: nothing reads it",)),
    ("SCHEDD_INTERVALL_TIME = 1",
     ("warning SCHEDD_INTERVALL_TIME: there is no knob of this name, did you mean SCHEDD_INTERVAL_TIMESLICE?",)),
    ("SUBMIT_TEMPLATE_x = A",
     ("warning SUBMIT_TEMPLATE_x: nothing comes of it, because x is not in SUBMIT_TEMPLATE_NAMES",)),
    ("X = 1\nSUBMIT_TEMPLATE_x = A",
     ("note X: there is no knob of this name, and no other setting refers to it",
      "warning SUBMIT_TEMPLATE_x: nothing comes of it, because x is not in SUBMIT_TEMPLATE_NAMES",)),
    ("JOB_ROUTER_ROUTE_NAMES = X\nJOB_ROUTER_ROUTE_y = A\nJOB_ROUTER_ROUTE_x = B",
     ("warning JOB_ROUTER_ROUTE_y: nothing comes of it, because y is not in JOB_ROUTER_ROUTE_NAMES",)),
    ("DAEMON_LIST = MASTER MYD\nMYD = /bin/true\nMYD_DEBUG = D_ALL\nTRUNC_MYD_LOG_ON_OPEN = true\n"
     "MYD_ENVIRONMENT = A=1",
     ()),
    ("MYD_DEBUG = D_ALL", ("warning MYD_DEBUG: there is no knob of this name, did you mean HAD_DEBUG?",)),
    ("SLOT_TYPE_1_STARTD_ATTRS = x", ()),
    ("SLOT1_START_VANILA = true",
     ("warning SLOT1_START_VANILA: there is no knob of this name, did you mean SLOT1_START_VANILLA?",)),
    ("COLLECTOR_FOO_LOG = x", ()),
    ("SYSTEM_PERIODIC_HOLD_NAMES = memory\nSYSTEM_PERIODIC_HOLD_memmory_REASON = x",
     ("warning SYSTEM_PERIODIC_HOLD_memmory_REASON: nothing comes of it, because memmory is not in "
      "SYSTEM_PERIODIC_HOLD_NAMES: did you mean SYSTEM_PERIODIC_HOLD_memory?",)),
    ("SUBMIT_TEMPLATE_NAMEE = x",
     ("warning SUBMIT_TEMPLATE_NAMEE: nothing comes of it, because NAMEE is not in SUBMIT_TEMPLATE_NAMES: did "
      "you mean SUBMIT_TEMPLATE_NAMES?",)),
    ("HOSTALLOW_REEAD = *",
     ("warning HOSTALLOW_REEAD: there is no access level REEAD, did you mean HOSTALLOW_READ?",)),
    ("DENY_WRIET = *", ("warning DENY_WRIET: there is no access level WRIET, did you mean DENY_WRITE?",)),
    ("DENY_WRIETE = *", ("warning DENY_WRIETE: there is no access level WRIETE, did you mean DENY_WRITE?",)),
    ("DENY_ADVERTISE_MASTERS = *",
     ("warning DENY_ADVERTISE_MASTERS: there is no access level ADVERTISE_MASTERS, did you mean "
      "DENY_ADVERTISE_MASTER?",)),
    ("DENY_REPLICATION = *",
     ("warning DENY_REPLICATION: there is no access level REPLICATION: there are READ, WRITE, ADMINISTRATOR, "
      "CONFIG, OWNER, DAEMON, NEGOTIATOR, ADVERTISE_MASTER and others",)),
    ("STARTD_CRON_JOBLIST = one\nSTARTD_CRON_one_ = x",
     ("warning STARTD_CRON_one_: cron programs have no setting : there are ARGS, CONDITION, CWD, ENV, "
      "EXECUTABLE, JOB_LOAD, KILL, METRICS, MODE, OPTIONS, PERIOD, PREFIX, RECONFIG, RECONFIG_RERUN, SLOTS, "
      "RUN_CONDITION",)),
    ("STARTD_CRON_JOBLIST = one\nSTARTD_CRON_two_three_EXECUTABLE = x",
     ("warning STARTD_CRON_two_three_EXECUTABLE: nothing comes of it, because two_three is not in "
      "STARTD_CRON_JOBLIST",)),
    ("STARTD_CRON_JOBLIST = one\nSTARTD_CRON_oen_EXECUTABLE = x",
     ("warning STARTD_CRON_oen_EXECUTABLE: nothing comes of it, because oen is not in STARTD_CRON_JOBLIST",)),
    ("STARTD_CRON_JOBLIST = one\nSTARTD_CRON_ONE_ARGS = x", ()),
    ("STARTD_CRON_JOBLIST = One\nSTARTD_CRON_one_ARGGS = x",
     ("warning STARTD_CRON_one_ARGGS: cron programs have no setting ARGGS, did you mean STARTD_CRON_One_ARGS?",)),
    ("STARTD_ATTRS = $INT(Gone)\nGROUP_NAMES = $INT(Gone)", ()),
    ("MODIFY_REQUEST_EXPR_REQUESTMEMORRY = 1",
     ("warning MODIFY_REQUEST_EXPR_REQUESTMEMORRY: there is no resource Memorry, did you mean "
      "MODIFY_REQUEST_EXPR_REQUESTMEMORY?",)),
    ("MODIFY_REQUEST_EXPR_REQUESTMEMORY = 1\nMODIFY_REQUEST_EXPR_REQUESTDISK = 1\n"
     "MODIFY_REQUEST_EXPR_REQUESTGPUS = 1",
     ()),
    ("MODIFY_REQUEST_EXPR_REQUESTDISKS = 1",
     ("warning MODIFY_REQUEST_EXPR_REQUESTDISKS: there is no resource Disks, did you mean "
      "MODIFY_REQUEST_EXPR_REQUESTDISK?",)),
    ("MODIFY_REQUEST_EXPR_REQUESTGPU = 1",
     ("warning MODIFY_REQUEST_EXPR_REQUESTGPU: there is no resource Gpu, did you mean "
      "MODIFY_REQUEST_EXPR_REQUESTGPUS?",)),
    ("GROUP_NAMES = bio\nQUOTA_GROUP_bio = 1",
     ("warning QUOTA_GROUP_bio: there is no knob of this name, did you mean GROUP_QUOTA_bio?",)),
    ("JOB_TRANSFORM_NAMES = fix\nTRANSFORM_JOB_fix = SET A 1",
     ("warning TRANSFORM_JOB_fix: there is no knob of this name, did you mean JOB_TRANSFORM_fix?",)),
    ("SLOT_TYPE_PARTITIONABLE_1 = true",
     ("warning SLOT_TYPE_PARTITIONABLE_1: there is no knob of this name, did you mean SLOT_TYPE_1_PARTITIONABLE?",)),
)  # fmt: skip


_POLICIES = (
    ("SYSTEM_PERIODIC_HOLD_memory = TARGET.Memory > 1",
     ("warning SYSTEM_PERIODIC_HOLD_memory: TARGET.Memory is always UNDEFINED here, as "
      "SYSTEM_PERIODIC_HOLD_memory is asked about the job alone",)),
    ("SYSTEM_PERIODIC_HOLD_NAMES = TARGET.Memory", ()),
    ("SYSTEM_PERIODIC_HOLD_a_REASON = TARGET.Memory", ()),
    ("SYSTEM_PERIODIC_HOLD_SUBCODE = TARGET.Memory", ()),
    ("SYSTEM_PERIODIC_RELEASE_a = TARGET.Memory > 1",
     ("warning SYSTEM_PERIODIC_RELEASE_a: TARGET.Memory is always UNDEFINED here, as SYSTEM_PERIODIC_RELEASE_a "
      "is asked about the job alone",)),
    ("SYSTEM_PERIODIC_REMOVE_a = TARGET.Memory > 1",
     ("warning SYSTEM_PERIODIC_REMOVE_a: TARGET.Memory is always UNDEFINED here, as SYSTEM_PERIODIC_REMOVE_a is "
      "asked about the job alone",)),
    ("SYSTEM_PERIODIC_VACATE_a = TARGET.Memory > 1",
     ("warning SYSTEM_PERIODIC_VACATE_a: TARGET.Memory is always UNDEFINED here, as SYSTEM_PERIODIC_VACATE_a is "
      "asked about the job alone",)),
    ("SYSTEM_PERIODIC_HOLD = TARGET.Memory > 1",
     ("warning SYSTEM_PERIODIC_HOLD: TARGET.Memory is always UNDEFINED here, as SYSTEM_PERIODIC_HOLD is asked "
      "about the job alone",)),
    ("SYSTEM_PERIODIC_RELEASE = TARGET.Memory > 1",
     ("warning SYSTEM_PERIODIC_RELEASE: TARGET.Memory is always UNDEFINED here, as SYSTEM_PERIODIC_RELEASE is "
      "asked about the job alone",)),
    ("SYSTEM_PERIODIC_REMOVE = TARGET.Memory > 1",
     ("warning SYSTEM_PERIODIC_REMOVE: TARGET.Memory is always UNDEFINED here, as SYSTEM_PERIODIC_REMOVE is "
      "asked about the job alone",)),
    ("SYSTEM_PERIODIC_VACATE = TARGET.Memory > 1",
     ("warning SYSTEM_PERIODIC_VACATE: TARGET.Memory is always UNDEFINED here, as SYSTEM_PERIODIC_VACATE is "
      "asked about the job alone",)),
    ("NEGOTIATOR_JOB_CONSTRAINT = TARGET.Memory > 1",
     ("warning NEGOTIATOR_JOB_CONSTRAINT: TARGET.Memory is always UNDEFINED here, as NEGOTIATOR_JOB_CONSTRAINT "
      "is asked about the job alone",)),
    ("NEGOTIATOR_SLOT_CONSTRAINT = TARGET.JobPrio > 1",
     ("warning NEGOTIATOR_SLOT_CONSTRAINT: TARGET.JobPrio is always UNDEFINED here, as "
      "NEGOTIATOR_SLOT_CONSTRAINT is asked about the slot alone",)),
    ("NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = TARGET.JobPrio > 1",
     ("warning NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT: TARGET.JobPrio is always UNDEFINED here, as "
      "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT is asked about the slot alone",)),
    ("RUNBENCHMARKS = TARGET.JobPrio > 1",
     ("warning RUNBENCHMARKS: TARGET.JobPrio is always UNDEFINED here, as RUNBENCHMARKS is asked about the slot "
      "alone",)),
    ("SLOT_WEIGHT = TARGET.JobPrio",
     ("warning SLOT_WEIGHT: TARGET.JobPrio is always UNDEFINED here, as SLOT_WEIGHT is asked about the slot "
      "alone, and then the slot weighs as much as it has cpus",)),
    ("IS_OWNER = TARGET.JobPrio > 1",
     ("warning IS_OWNER: TARGET.JobPrio is always UNDEFINED here, as IS_OWNER is asked about the slot alone, and "
      "then HTCondor's startd stops",)),
    ("IsOwner = TARGET.JobPrio > 1", ()),
    ("PREEMPT = MY.Foo > 1",
     ("warning PREEMPT: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("PREEMPT_VANILLA = MY.Foo > 1",
     ("warning PREEMPT_VANILLA: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("SLOT1_PREEMPT = MY.Foo > 1",
     ("warning SLOT1_PREEMPT: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("SLOT_TYPE_1_PREEMPT_VANILLA = MY.Foo > 1",
     ("warning SLOT_TYPE_1_PREEMPT_VANILLA: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("STARTD.PREEMPT = MY.Foo > 1",
     ("warning STARTD.PREEMPT: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("SUSPEND = MY.Foo > 1",
     ("warning SUSPEND: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("CONTINUE = MY.Foo > 1",
     ("warning CONTINUE: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("KILL = MY.Foo > 1", ("warning KILL: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("WANT_SUSPEND = MY.Foo > 1",
     ("warning WANT_SUSPEND: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("WANT_VACATE = MY.Foo > 1",
     ("warning WANT_VACATE: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("WANT_HOLD = MY.Foo > 1",
     ("warning WANT_HOLD: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("WANT_HOLD_REASON = MY.Foo",
     ("warning WANT_HOLD_REASON: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("WANT_HOLD_SUBCODE = MY.Foo",
     ("warning WANT_HOLD_SUBCODE: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("MAXJOBRETIREMENTTIME = MY.Foo",
     ("warning MAXJOBRETIREMENTTIME: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("MACHINEMAXVACATETIME = MY.Foo",
     ("warning MACHINEMAXVACATETIME: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("PREEMPTION_REQUIREMENTS = MY.Foo > 1",
     ("warning PREEMPTION_REQUIREMENTS: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("PREEMPTION_RANK = MY.Foo > 1",
     ("warning PREEMPTION_RANK: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("SCHEDD_PREEMPTION_REQUIREMENTS = MY.Foo > 1",
     ("warning SCHEDD_PREEMPTION_REQUIREMENTS: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("SCHEDD_PREEMPTION_RANK = MY.Foo > 1",
     ("warning SCHEDD_PREEMPTION_RANK: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("NEGOTIATOR_PRE_JOB_RANK = MY.Foo > 1",
     ("warning NEGOTIATOR_PRE_JOB_RANK: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("NEGOTIATOR_POST_JOB_RANK = MY.Foo > 1",
     ("warning NEGOTIATOR_POST_JOB_RANK: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("RANK = MY.Foo", ("warning RANK: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("START = MY.Foo", ("warning START: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("STARTD_CRON_JOBLIST = x\nSTART = MY.Foo =?= 1", ()),
    ("STARTD_CRON_JOBLIST = x\nPREEMPT = Foo > 1", ()),
    ("PREEMPT = MY.Foo >", ()),
    ("PREEMPT =", ()),
    ("GROUP_SORT_EXPR = GroupQuota > 5 && GroupQuota < 3",
     ("warning GROUP_SORT_EXPR: GroupQuota < 3 and GroupQuota > 5 are never both true: write || if one of them "
      "is enough, or leave one out",)),
    ("GROUP_SORT_EXPR = GroupQuota >", ()),
    ("STARTD_ATTRS = Mine\nMine = Cpus > 5 && Cpus < 3",
     ("warning Mine: Cpus < 3 and Cpus > 5 are never both true: write || if one of them is enough, or leave one "
      "out",)),
    ("Mine = Cpus > 5 && Cpus < 3", ()),
    ("START = Memory > 5 && Memory < 3 && Cpus",
     ("warning START: Memory < 3 and Memory > 5 are never both true: write || if one of them is enough, or leave "
      "one out",)),
    ("START = KeyboardIdle = 5", ()),
    ("START = isUndefned(KeyboardIdle)",
     ("warning START: there is no function isUndefned: error: did you mean isundefined()?",
      "warning START: this can never be true (of an unclaimed slot here it is error): no job will ever start",)),
    ("START = TARGET.KeyboardIdle > 5",
     ("warning START: TARGET.KeyboardIdle asks the job, but KeyboardIdle is an attribute of the slot: write "
      "MY.KeyboardIdle",)),
    ('START = "a" > 5',
     ("warning START: this can never be true (of an unclaimed slot here it is error): no job will ever start",)),
    ("START = 'KeyboardIdle' > 5",
     ("warning START: 'KeyboardIdle' in single quotes is the name of an attribute, no string: write "
      '"KeyboardIdle"',)),
    ("START = ! KeyboardIdle > 5",
     ("warning START: ! binds before >: this is (! KeyboardIdle) > …: write !(KeyboardIdle > 5)",)),
    ("START = 1 < KeyboardIdle < 5",
     ("warning START: 1 < KeyboardIdle < 5 compares the result of 1 < KeyboardIdle, true or false, with the "
      "rest: write 1 < KeyboardIdle && KeyboardIdle < 5",)),
    ("START = KeyboardIdle & 5", ()),
    ("START = KeyboardIdle == undefined",
     ("warning START: comparing with undefined by == is always undefined: write KeyboardIdle =?= undefined",
      "warning START: this can never be true (of an unclaimed slot here it is KeyboardIdle == undefined): no job "
      "will ever start",)),
    ('START = regexp("(", TARGET.Owner)',
     ('warning START: "(" is no regular expression: error: check brackets and backslashes; for a * as in file '
      "names write .*",)),
    ('START = TARGET.JobPrio > 1 && TARGET.JobPrio < 5 || TARGET.Owner == "x"', ()),
    ("START = Treu", ("warning START: Treu is the name of an attribute that no ad has, did you mean True?",)),
    ("START = Flase",
     ("warning START: Flase is the name of an attribute that no ad has, did you mean False?",)),
    ("PREEMPT = yes",
     ('warning PREEMPT: yes is the name of an attribute that no ad has: a string has quotation marks, "yes"',)),
    ("Yes = 1\nPREEMPT = Yes",
     ('warning PREEMPT: Yes is the name of an attribute that no ad has: a string has quotation marks, "Yes" '
      "($(Yes) is the macro)",)),
    ("START = foo == 1",
     ("note START: HTCondor knows no attribute foo: where no ad has it, it is UNDEFINED",)),
    ("PREEMPT = Foo > 1",
     ("warning PREEMPT: HTCondor knows no attribute Foo: where no ad has it, it is UNDEFINED",)),
    ("RANK = Foo > 1", ("note RANK: HTCondor knows no attribute Foo: where no ad has it, it is UNDEFINED",)),
    ("APPEND_REQUIREMENTS = Foo > 1",
     ("note APPEND_REQUIREMENTS: HTCondor knows no attribute Foo: where no ad has it, it is UNDEFINED",)),
    ("APPEND_REQ_VANILLA = Foo > 1",
     ("note APPEND_REQ_VANILLA: HTCondor knows no attribute Foo: where no ad has it, it is UNDEFINED",)),
    ("APPEND_RANK = Foo > 1",
     ("note APPEND_RANK: HTCondor knows no attribute Foo: where no ad has it, it is UNDEFINED",)),
    ("DEFAULT_RANK = Foo > 1",
     ("note DEFAULT_RANK: HTCondor knows no attribute Foo: where no ad has it, it is UNDEFINED",)),
    ("SYSTEM_PERIODIC_HOLD = Foo > 1",
     ("note SYSTEM_PERIODIC_HOLD: HTCondor knows no attribute Foo: where no ad has it, it is UNDEFINED",)),
    ("PREEMPT = isUndefined(Foo)", ()),
    ("PREEMPT = Foo =?= 1", ()),
    ("PREEMPT = (Foo ?: 0) > 1", ()),
    ("PREEMPT = RemoteUserPrio > 1",
     ("warning PREEMPT: RemoteUserPrio is always UNDEFINED here: only the negotiator knows it "
      "(PREEMPTION_REQUIREMENTS)",)),
    ("PREEMPT = RemoteUserResourcesInUse > 1",
     ("warning PREEMPT: RemoteUserResourcesInUse is always UNDEFINED here: only the negotiator knows it "
      "(PREEMPTION_REQUIREMENTS)",)),
    ("PREEMPT = RemoteGroupResourcesInUse > 1",
     ("warning PREEMPT: RemoteGroupResourcesInUse is always UNDEFINED here: only the negotiator knows it "
      "(PREEMPTION_REQUIREMENTS)",)),
    ("PREEMPT = RemoteGroupQuota > 1",
     ("warning PREEMPT: RemoteGroupQuota is always UNDEFINED here: only the negotiator knows it "
      "(PREEMPTION_REQUIREMENTS)",)),
    ("PREEMPT = SubmitterUserPrio > 1",
     ("warning PREEMPT: SubmitterUserPrio is always UNDEFINED here: only the negotiator knows it "
      "(PREEMPTION_REQUIREMENTS)",)),
    ("PREEMPT = SubmitterUserResourcesInUse > 1",
     ("warning PREEMPT: SubmitterUserResourcesInUse is always UNDEFINED here: only the negotiator knows it "
      "(PREEMPTION_REQUIREMENTS)",)),
    ("PREEMPT = SubmitterGroupResourcesInUse > 1",
     ("warning PREEMPT: SubmitterGroupResourcesInUse is always UNDEFINED here: only the negotiator knows it "
      "(PREEMPTION_REQUIREMENTS)",)),
    ("PREEMPT = SubmitterGroupQuota > 1",
     ("warning PREEMPT: SubmitterGroupQuota is always UNDEFINED here: only the negotiator knows it "
      "(PREEMPTION_REQUIREMENTS)",)),
    ('PREEMPT = SubmitterGroup == "x"',
     ("warning PREEMPT: SubmitterGroup is always UNDEFINED here: only the negotiator knows it "
      "(PREEMPTION_REQUIREMENTS)",)),
    ("PREEMPT = MY.RemoteUserPrio > 1",
     ("warning PREEMPT: RemoteUserPrio is always UNDEFINED here: only the negotiator knows it "
      "(PREEMPTION_REQUIREMENTS)",)),
    ("PREEMPT = TARGET.RemoteUserPrio > 1", ()),
    ("PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio", ()),
    ("NEGOTIATOR_PRE_JOB_RANK = RemoteUserPrio > 1", ()),
    ("NEGOTIATOR_SLOT_CONSTRAINT = RemoteUserPrio > 1", ()),
    ("SCHEDD_PREEMPTION_RANK = RemoteUserPrio",
     ("warning SCHEDD_PREEMPTION_RANK: RemoteUserPrio is always UNDEFINED here: only the negotiator knows it "
      "(PREEMPTION_REQUIREMENTS)",)),
    ('START = slot1_State == "Owner"', ()),
    ('START = MY.slot1_2_State == "Owner"', ()),
    ('START = MY.slotx_State == "Owner"',
     ("warning START: no slot has an attribute slotx_State: STARTD_ATTRS lists what slots have",)),
    ("START = True", ()),
    ("START = False", ("warning START: this can never be true: no job will ever start",)),
    ("START = 0", ("warning START: this can never be true: no job will ever start",)),
    ("START = 0.0", ("warning START: this can never be true: no job will ever start",)),
    ("START = 1", ()),
    ("START = undefined", ("warning START: this can never be true: no job will ever start",)),
    ('START = "yes"', ("warning START: this can never be true: no job will ever start",)),
    ("START = error", ("warning START: this can never be true: no job will ever start",)),
    ('START = MY.State == "Unclaimed"', ()),
    ('START = MY.State == "Claimed"',
     ("warning START: this can never be true (of an unclaimed slot here it is false): no job will ever start",)),
    ('START = State == "Owner"',
     ("warning START: this can never be true (of an unclaimed slot here it is false): no job will ever start",)),
    ('START = Activity == "Busy"',
     ("warning START: this can never be true (of an unclaimed slot here it is false): no job will ever start",)),
    ('START = Activity == "Idle"', ()),
    ('SLOT1_START = OpSys == "WINDOWS"',
     ("warning SLOT1_START: this can never be true (of an unclaimed slot here it is false): no job will ever "
      "start",)),
    ("OPSYSMAJORVER = 9\nSTART = OpSysMajorVer < 9",
     ("warning START: this can never be true (of an unclaimed slot here it is false): no job will ever start",)),
    ("OPSYSMAJORVER = 9\nSTART = OpSysMajorVer >= 9", ()),
    ("OPSYSVER = 90\nSTART = OpSysVer < 90",
     ("warning START: this can never be true (of an unclaimed slot here it is false): no job will ever start",)),
    ('START = OpSysAndVer == "x"',
     ("warning START: this can never be true (of an unclaimed slot here it is false): no job will ever start",)),
    ('START = OpSysName == "x"',
     ("warning START: this can never be true (of an unclaimed slot here it is false): no job will ever start",)),
    ('START = Arch == "x"',
     ("warning START: this can never be true (of an unclaimed slot here it is false): no job will ever start",)),
    ('START = Arch == "$(ARCH)"', ()),
    ('START = RemoteOwner == "x"',
     ("warning START: this can never be true (of an unclaimed slot here it is undefined): no job will ever start",)),
    ("START = TotalJobRunTime > 5",
     ("warning START: this can never be true (of an unclaimed slot here it is undefined): no job will ever start",)),
    ('START = JobId == "1.0" || TARGET.Owner == "x"', ()),
    ("START = TARGET.JobStart > 5", ()),
    ("START = KeyboardIdle > 5 && False",
     ("warning START: this can never be true (of an unclaimed slot here it is false): no job will ever start",)),
    ("START = TARGET.RequestCpus < 0 && TARGET.x", ()),
    ('WANT_VACATE = START == False\nSTART = TARGET.Owner == "a"', ()),
    ('IS_OWNER = START\nSTART = TARGET.Owner == "a"',
     ("warning IS_OWNER: START is UNDEFINED while there is no job to ask for TARGET.Owner, so this is as well, "
      "and then HTCondor's startd stops: compare with =?= or =!=",)),
    ('IS_OWNER = START =!= True\nSTART = TARGET.Owner == "a"', ()),
    ('IS_OWNER = TARGET.START\nSTART = TARGET.Owner == "a"',
     ("warning IS_OWNER: TARGET.START is always UNDEFINED here, as IS_OWNER is asked about the slot alone, and "
      "then HTCondor's startd stops",)),
    ('SLOT_WEIGHT = ifThenElse(START, 1, 2)\nSTART = TARGET.Owner == "a"',
     ("warning SLOT_WEIGHT: START is UNDEFINED while there is no job to ask for TARGET.Owner, so this is as "
      "well, and then the slot weighs as much as it has cpus: compare with =?= or =!=",)),
    ('RUNBENCHMARKS = START == False\nSTART = TARGET.Owner == "a"',
     ("warning RUNBENCHMARKS: START is UNDEFINED while there is no job to ask for TARGET.Owner, so this is as "
      "well: compare with =?= or =!=",)),
    ("RUNBENCHMARKS = START == False\nSTART = KeyboardIdle > 5", ()),
    ('SYSTEM_PERIODIC_HOLD = START == False\nSTART = TARGET.Owner == "a"', ()),
    ("IS_OWNER = START == False\nSTART = TARGET.Owner ==", ()),
    ("WANT_VACATE = MemoryUsage > 5",
     ("warning WANT_VACATE: UNDEFINED in the first seconds of a job, before MemoryUsage is known, and then "
      "HTCondor's startd stops: write (MemoryUsage ?: 0) or MemoryUsage =!= undefined && ...",)),
    ("WANT_VACATE = TARGET.MemoryUsage > 5",
     ("warning WANT_VACATE: UNDEFINED in the first seconds of a job, before TARGET.MemoryUsage is known, and "
      "then HTCondor's startd stops: write (TARGET.MemoryUsage ?: 0) or TARGET.MemoryUsage =!= undefined && ...",)),
    ("WANT_VACATE = (TARGET.MemoryUsage ?: 0) > 5", ()),
    ("WANT_VACATE = MemoryUsage =!= undefined && MemoryUsage > 5", ()),
    ("WANT_VACATE = CpusUsage > 5",
     ("warning WANT_VACATE: UNDEFINED in the first seconds of a job, before CpusUsage is known, and then "
      "HTCondor's startd stops: write (CpusUsage ?: 0) or CpusUsage =!= undefined && ...",)),
    ("WANT_VACATE = GPUsUsage > 5",
     ("warning WANT_VACATE: UNDEFINED in the first seconds of a job, before GPUsUsage is known, and then "
      "HTCondor's startd stops: write (GPUsUsage ?: 0) or GPUsUsage =!= undefined && ...",)),
    ("WANT_VACATE = GPUsMemoryUsage > 5",
     ("warning WANT_VACATE: UNDEFINED in the first seconds of a job, before GPUsMemoryUsage is known, and then "
      "HTCondor's startd stops: write (GPUsMemoryUsage ?: 0) or GPUsMemoryUsage =!= undefined && ...",)),
    ("WANT_VACATE = ResidentSetSize > 5",
     ("warning WANT_VACATE: UNDEFINED in the first seconds of a job, before ResidentSetSize is known, and then "
      "HTCondor's startd stops: write (ResidentSetSize ?: 0) or ResidentSetSize =!= undefined && ...",)),
    ("WANT_VACATE = ScratchDirFileCount > 5",
     ("warning WANT_VACATE: UNDEFINED in the first seconds of a job, before ScratchDirFileCount is known, and "
      "then HTCondor's startd stops: write (ScratchDirFileCount ?: 0) or ScratchDirFileCount =!= undefined && ...",)),
    ("WANT_VACATE = MY.MemoryUsage > 5", ()),
    ("WANT_VACATE = TARGET.ImageSize > 5", ()),
    ("PREEMPT = MemoryUsage > 5", ()),
    ("WANT_VACATE_VANILLA = MemoryUsage > 5",
     ("warning WANT_VACATE_VANILLA: UNDEFINED in the first seconds of a job, before MemoryUsage is known, and "
      "then HTCondor's startd stops: write (MemoryUsage ?: 0) or MemoryUsage =!= undefined && ...",)),
    ("STARTD_ATTRS = Foo\nFoo = 1\nPREEMPT = MY.Foo > 1", ()),
    ("SYSTEM_STARTD_ATTRS = Foo\nFoo = 1\nPREEMPT = MY.Foo > 1", ()),
    ("STARTD_JOB_ATTRS = Foo\nPREEMPT = MY.Foo > 1", ()),
    ("SYSTEM_STARTD_JOB_ATTRS = Foo\nPREEMPT = MY.Foo > 1", ()),
    ("STARTD_LATCH_EXPRS = Foo\nFoo = 1\nPREEMPT = MY.FooValue > 1 && MY.FooTime > 1", ()),
    ("STARTD_LATCH_EXPRS = Foo\nFoo = 1\nPREEMPT = MY.FooTimes > 1",
     ("warning PREEMPT: no slot has an attribute FooTimes: STARTD_ATTRS lists what slots have",)),
    ("PREEMPT = MY.NumDynamicSlotsTime > 1 && MY.NumDynamicSlotsValue > 1", ()),
    ("MACHINE_RESOURCE_Cogs = 2\nPREEMPT = MY.Cogs + MY.TotalCogs + MY.TotalSlotCogs + MY.DetectedCogs > 1 && "
     'MY.AssignedCogs != ""',
     ()),
    ("MACHINE_RESOURCE_INVENTORY_Cogs = /x\nPREEMPT = MY.Cogs + MY.TotalCogs > 1", ()),
    ("MACHINE_RESOURCE_NAMES = Cogs\nPREEMPT = MY.TotalCogs > 1",
     ("warning PREEMPT: no slot has an attribute TotalCogs: STARTD_ATTRS lists what slots have",)),
    ("SUBMIT_ATTRS = Foo\nFoo = 1\nSTART = TARGET.Foo > 1", ()),
    ("SUBMIT_ATTRS = Foo\nFoo = 1\nSYSTEM_PERIODIC_HOLD = Foo > 1", ()),
    ("SYSTEM_PERIODIC_HOLD = MY.JobStatuss > 1",
     ("warning SYSTEM_PERIODIC_HOLD: HTCondor knows no attribute JobStatuss: did you mean JobStatus?",)),
    ("SYSTEM_PERIODIC_HOLD = TARGET.Memory > 1 && TARGET.Cpus > 1",
     ("warning SYSTEM_PERIODIC_HOLD: TARGET.Memory is always UNDEFINED here, as SYSTEM_PERIODIC_HOLD is asked "
      "about the job alone",
      "warning SYSTEM_PERIODIC_HOLD: TARGET.Cpus is always UNDEFINED here, as SYSTEM_PERIODIC_HOLD is asked "
      "about the job alone",)),
    ("STARTD_ATTRS = Foo\nFoo = Bar > 1\nPREEMPT = MY.Foo", ()),
    ("DOCKER_VOLUME_DIR_a_MOUNT_IF = WantIt",
     ("warning DOCKER_VOLUME_DIR_a_MOUNT_IF: WantIt is the name of an attribute that no ad has: a string has "
      'quotation marks, "WantIt"',)),
    ("DOCKER_VOLUME_DIR_a_MOUNT_IF = treu",
     ("warning DOCKER_VOLUME_DIR_a_MOUNT_IF: treu is the name of an attribute that no ad has, did you mean True?",)),
    ("JOB_ROUTER_SOURCE_JOB_CONSTRAINT = WantJobRouter", ()),
    ("JOB_ROUTER_SOURCE_JOB_CONSTRAINT = Treu",
     ("warning JOB_ROUTER_SOURCE_JOB_CONSTRAINT: Treu is the name of an attribute that no ad has, did you mean "
      "True?",)),
    ("use POLICY : DESKTOP\nPREEMPT = MY.Foo > 1",
     ("warning PREEMPT: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ('START = JobId == "1.0"',
     ("warning START: this can never be true (of an unclaimed slot here it is undefined): no job will ever start",)),
    ("START = JobStart > 5",
     ("warning START: this can never be true (of an unclaimed slot here it is undefined): no job will ever start",)),
    ('START = GlobalJobId == "x"', ()),
    ('START = RemoteUser == "x"',
     ("warning START: this can never be true (of an unclaimed slot here it is undefined): no job will ever start",)),
    ('START = AccountingGroup == "x"', ()),
    ('START = ClientMachine == "x"',
     ("warning START: this can never be true (of an unclaimed slot here it is undefined): no job will ever start",)),
    ("START = TotalJobSuspendTime > 5",
     ("warning START: this can never be true (of an unclaimed slot here it is undefined): no job will ever start",)),
    ("START = TotalClaimRunTime > 5",
     ("warning START: this can never be true (of an unclaimed slot here it is undefined): no job will ever start",)),
    ("START = TotalClaimSuspendTime > 5",
     ("warning START: this can never be true (of an unclaimed slot here it is undefined): no job will ever start",)),
    ("START = LastPeriodicCheckpoint > 5",
     ("warning START: this can never be true (of an unclaimed slot here it is undefined): no job will ever start",)),
    ("START = 2.5", ()),
    ("START = -1", ()),
    ('START = Cpus == "a"',
     ('warning START: Cpus is a number, "a" a string: always error: compare with a number',)),
    ('START = Cpus > 1 && Memory == "a"',
     ('warning START: Memory is a number, "a" a string: always error: compare with a number',)),
    ("START = Cpus & 3 == 1",
     ("warning START: & works on integers; 3 == 1 is true or false: error: write && to join conditions",)),
    ("START = (Cpus & 3) == 1", ()),
    ("START = Cpus > 1 & Memory > 5",
     ("warning START: & works on integers; Cpus > 1 is true or false: error: write && to join conditions",)),
    ('START = 5 < "a"',
     ("warning START: this can never be true (of an unclaimed slot here it is error): no job will ever start",)),
    ("START = TARGET.Owner > 5",
     ("warning START: TARGET.Owner is a string, 5 a number: always error: compare with a string",)),
    ("START = $INT(Gone)", ()),
    ("START =\nPREEMPT = MY.Foo > 1",
     ("warning PREEMPT: no slot has an attribute Foo: STARTD_ATTRS lists what slots have",)),
    ("IS_OWNER =", ()),
    ("STARTD_JOB_ATTRS = Foo\nPREEMPT = Foo > 1", ()),
    ("SYSTEM_STARTD_JOB_ATTRS = Foo\nPREEMPT = Foo > 1", ()),
    ("SYSTEM_STARTD_ATTRS = Foo\nPREEMPT = Foo > 1", ()),
    ("STARTD_ATTRS = Foo\nPREEMPT = Foo > 1", ()),
    ("PREEMPT = START =?= Suspend && MY.Want_Vacate", ()),
    ("SLOT_TYPE_1_STARTD_ATTRS = Foo\nPREEMPT = MY.Foo > 1", ()),
)  # fmt: skip


_EXPRESSIONS = (
    ("START = (1 + 2", ("error START: unbalanced parentheses, 1 ( not closed: (1 + 2",)),
    ("START = 1 + 2)", ("error START: unbalanced parentheses, 1 ) too many: 1 + 2)",)),
    ("START = ((1 + 2", ("error START: unbalanced parentheses, 2 ( not closed: ((1 + 2",)),
    ('START = "(" == TARGET.x', ()),
    ('START = "\\"(" == TARGET.x', ()),
    ("START = (", ("error START: unbalanced parentheses, 1 ( not closed: (",)),
    ("START = )", ("error START: unbalanced parentheses, 1 ) too many: )",)),
    ("Mine = (LoadAvg > 1", ("error Mine: unbalanced parentheses, 1 ( not closed: (LoadAvg > 1",)),
    ("Mine = (LoadAvg > 1 $(Other)", ()),
    ("Mine = see (the paper", ()),
    ("Mine = a ( b", ()),
    ("Mine = a > b) && c", ("error Mine: unbalanced parentheses, 1 ) too many: a > b) && c",)),
    ("Mine = LoadAvg > 1)", ("error Mine: unbalanced parentheses, 1 ) too many: LoadAvg > 1)",)),
    ("Mine = ((LoadAvg > 1", ("error Mine: unbalanced parentheses, 2 ( not closed: ((LoadAvg > 1",)),
    ("Mine = (LoadAvg && 1", ("error Mine: unbalanced parentheses, 1 ( not closed: (LoadAvg && 1",)),
    ("Mine = (LoadAvg || 1", ("error Mine: unbalanced parentheses, 1 ( not closed: (LoadAvg || 1",)),
    ("Mine = (LoadAvg == 1", ("error Mine: unbalanced parentheses, 1 ( not closed: (LoadAvg == 1",)),
    ("Mine = (LoadAvg != 1", ("error Mine: unbalanced parentheses, 1 ( not closed: (LoadAvg != 1",)),
    ("Mine = (LoadAvg <= 1", ("error Mine: unbalanced parentheses, 1 ( not closed: (LoadAvg <= 1",)),
    ("Mine = (LoadAvg >= 1", ("error Mine: unbalanced parentheses, 1 ( not closed: (LoadAvg >= 1",)),
    ("Mine = (LoadAvg =?= 1", ("error Mine: unbalanced parentheses, 1 ( not closed: (LoadAvg =?= 1",)),
    ("Mine = (LoadAvg =!= 1", ("error Mine: unbalanced parentheses, 1 ( not closed: (LoadAvg =!= 1",)),
    ("Mine = (LoadAvg < 1", ("error Mine: unbalanced parentheses, 1 ( not closed: (LoadAvg < 1",)),
    ("Mine = (LoadAvg * 1", ("error Mine: unbalanced parentheses, 1 ( not closed: (LoadAvg * 1",)),
    ("Mine = (LoadAvg ? 1 : 2", ("error Mine: unbalanced parentheses, 1 ( not closed: (LoadAvg ? 1 : 2",)),
    ("Mine = $(X) + (Y", ("error Mine: unbalanced parentheses, 1 ( not closed: $(X) + (Y",)),
    ("NUM_CPUS = (1 + 2", ()),
    ("SCHEDD_NAME = (a > b", ()),
    ("START = 1 +",
     ("error START: the expression does not parse, expected an expression: the expression ends too early",)),
    ("START = $(Gone) && True", ("error START: the expression does not parse, $(Gone) is not defined",)),
    ("START = $(Gone) && $(Away)",
     ("error START: the expression does not parse, $(Gone), $(Away) are not defined",)),
    ("START = $(PolicyExprFragments) && $(Gone)",
     ("error START: the expression does not parse, $(PolicyExprFragments), $(Gone) are not defined (use FEATURE "
      ": POLICY_EXPR_FRAGMENTS sets PolicyExprFragments)",)),
    ("B = (1\nA = (1 > 2\nSTART = $(A) $(B)",
     ("error A: unbalanced parentheses, 1 ( not closed: (1 > 2",
      "error START: the expression does not parse, see A",)),
    ("A = (1 > 2\nSTART = $(A)\nPREEMPT = 1 +",
     ("error A: unbalanced parentheses, 1 ( not closed: (1 > 2",
      "error START: the expression does not parse, see A",
      "error PREEMPT: the expression does not parse, expected an expression: the expression ends too early",)),
    ('RANK = "a"', ('warning RANK: "a" is a string: as a rank it counts as 0',)),
    ('RANK = "1" + 2', ()),
    ('RANK = strcat("a")', ()),
    ('SLOT1_RANK = "a"', ('warning SLOT1_RANK: "a" is a string: as a rank it counts as 0',)),
    ('PREEMPTION_RANK = "a"', ('warning PREEMPTION_RANK: "a" is a string: as a rank it counts as 0',)),
    ('NEGOTIATOR_PRE_JOB_RANK = "a"',
     ('warning NEGOTIATOR_PRE_JOB_RANK: "a" is a string: as a rank it counts as 0',)),
    ('DEFAULT_RANK_VANILLA = "a"',
     ('warning DEFAULT_RANK_VANILLA: "a" is a string: as a rank it counts as 0',)),
    ('START = "a"', ()),
    ('RANK = ("a")', ()),
    ("RANK = 5", ()),
    ('RANK = "a',
     ("error RANK: the expression does not parse, expected an expression: the string has no end, or two operands "
      "follow one another",)),
    ("SYSTEM_PERIODIC_HOLD_NAMES = (a", ()),
    ("SYSTEM_PERIODIC_HOLD_x = a >",
     ("error SYSTEM_PERIODIC_HOLD_x: the expression does not parse, expected an expression: the expression ends "
      "too early",)),
    ("SYSTEM_PERIODIC_HOLD_x_REASON = strcat(",
     ("error SYSTEM_PERIODIC_HOLD_x_REASON: unbalanced parentheses, 1 ( not closed: strcat(",)),
    ("SUBMIT_REQUIREMENT_x = a >",
     ("error SUBMIT_REQUIREMENT_x: the expression does not parse, expected an expression: the expression ends "
      "too early",)),
    ("SUBMIT_REQUIREMENT_x_IS_WARNING = a >", ()),
    ("SUBMIT_REQUIREMENT_NAMES = a >", ()),
    ("STARTD_ATTRS = Mine\nMine = 1 +",
     ("error Mine: the expression does not parse, expected an expression: the expression ends too early",)),
    ("STARTD_ATTRS = Mine\nSLOT1_Mine = 1 +",
     ("error SLOT1_Mine: the expression does not parse, expected an expression: the expression ends too early",)),
    ("Mine = 1 +", ()),
    ("START = (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     ("error START: unbalanced parentheses, 1 ( not closed: "
      "(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...",)),
    ("START = (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     ("error START: unbalanced parentheses, 1 ( not closed: "
      "(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",)),
    ("START = (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     ("error START: unbalanced parentheses, 1 ( not closed: "
      "(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...",)),
    ("START = $INT(Gone)", ()),
    ("Mine = $INT(Gone) ( >", ()),
    ("Bb = (1 > 2\nAa = (1 > 2\nDd = (1 > 2\nCc = (1 > 2\nEe = (1 > 2\nFf = (1 > 2\nSTART = $(Ff) $(Dd) $(Ee) "
     "$(Cc) $(Bb) $(Aa)",
     ("error Bb: unbalanced parentheses, 1 ( not closed: (1 > 2",
      "error Aa: unbalanced parentheses, 1 ( not closed: (1 > 2",
      "error Dd: unbalanced parentheses, 1 ( not closed: (1 > 2",
      "error Cc: unbalanced parentheses, 1 ( not closed: (1 > 2",
      "error Ee: unbalanced parentheses, 1 ( not closed: (1 > 2",
      "error Ff: unbalanced parentheses, 1 ( not closed: (1 > 2",
      "error START: the expression does not parse, see Aa",)),
    ("SLOT_TYPE_1_CONSUMPTION_CPUS = 1 +",
     ("error SLOT_TYPE_1_CONSUMPTION_CPUS: the expression does not parse, expected an expression: the expression "
      "ends too early",)),
    ("SLOT1_HIBERNATE = 1 +",
     ("error SLOT1_HIBERNATE: the expression does not parse, expected an expression: the expression ends too "
      "early",)),
    ("SLOT_TYPE_1_START_BACKFILL = 1 +",
     ("error SLOT_TYPE_1_START_BACKFILL: the expression does not parse, expected an expression: the expression "
      "ends too early",)),
    ("SLOT1_FETCHWORKDELAY = 1 +",
     ("error SLOT1_FETCHWORKDELAY: the expression does not parse, expected an expression: the expression ends "
      "too early",)),
    ("CONSUMPTION_POLICY = 1 +", ()),
    ("WANT_HOLD_VANILLA = 1 +",
     ("error WANT_HOLD_VANILLA: the expression does not parse, expected an expression: the expression ends too "
      "early",)),
    ("UNHIBERNATE = 1 +",
     ("error UNHIBERNATE: the expression does not parse, expected an expression: the expression ends too early",)),
    ("EVICT_BACKFILL = 1 +",
     ("error EVICT_BACKFILL: the expression does not parse, expected an expression: the expression ends too early",)),
    ("DEFAULT_DRAINING_START_EXPR = 1 +",
     ("error DEFAULT_DRAINING_START_EXPR: the expression does not parse, expected an expression: the expression "
      "ends too early",)),
    ("NEGOTIATOR_SUBMITTER_CONSTRAINT = 1 +",
     ("error NEGOTIATOR_SUBMITTER_CONSTRAINT: the expression does not parse, expected an expression: the "
      "expression ends too early",)),
    ("MODIFY_REQUEST_EXPR_REQUESTCPUS = 1 +",
     ("error MODIFY_REQUEST_EXPR_REQUESTCPUS: the expression does not parse, expected an expression: the "
      "expression ends too early",)),
    ("DOCKER_VOLUME_DIR_x_MOUNT_IF = 1 +",
     ("error DOCKER_VOLUME_DIR_x_MOUNT_IF: the expression does not parse, expected an expression: the expression "
      "ends too early",)),
    ("DOCKER_VOLUME_DIR_x = 1 +", ()),
    ("JOB_DEFAULT_REQUESTCPUS = 1 +",
     ("error JOB_DEFAULT_REQUESTCPUS: the expression does not parse, expected an expression: the expression ends "
      "too early",)),
    ("DEFRAG_REQUIREMENTS = 1 +",
     ("error DEFRAG_REQUIREMENTS: the expression does not parse, expected an expression: the expression ends too "
      "early",)),
    ("DEFRAG_RANK = 1 +",
     ("error DEFRAG_RANK: the expression does not parse, expected an expression: the expression ends too early",)),
    ("DEFRAG_WHOLE_MACHINE_EXPR = 1 +",
     ("error DEFRAG_WHOLE_MACHINE_EXPR: the expression does not parse, expected an expression: the expression "
      "ends too early",)),
    ("DEFRAG_CANCEL_REQUIREMENTS = 1 +",
     ("error DEFRAG_CANCEL_REQUIREMENTS: the expression does not parse, expected an expression: the expression "
      "ends too early",)),
    ("SYSTEM_ON_VACATE_COOL_DOWN = 1 +",
     ("error SYSTEM_ON_VACATE_COOL_DOWN: the expression does not parse, expected an expression: the expression "
      "ends too early",)),
    ("JOB_ROUTER_SOURCE_JOB_CONSTRAINT = 1 +",
     ("error JOB_ROUTER_SOURCE_JOB_CONSTRAINT: the expression does not parse, expected an expression: the "
      "expression ends too early",)),
    ("DAEMON_SHUTDOWN = 1 +",
     ("error DAEMON_SHUTDOWN: the expression does not parse, expected an expression: the expression ends too "
      "early",)),
    ("SCHEDD.DAEMON_SHUTDOWN_FAST = 1 +",
     ("error SCHEDD.DAEMON_SHUTDOWN_FAST: the expression does not parse, expected an expression: the expression "
      "ends too early",)),
    ("ROOSTER_UNHIBERNATE = 1 +",
     ("error ROOSTER_UNHIBERNATE: the expression does not parse, expected an expression: the expression ends too "
      "early",)),
    ("ROOSTER_UNHIBERNATE_RANK = 1 +",
     ("error ROOSTER_UNHIBERNATE_RANK: the expression does not parse, expected an expression: the expression "
      "ends too early",)),
    ("DAGMAN_ON_EXIT_REMOVE = 1 +",
     ("error DAGMAN_ON_EXIT_REMOVE: the expression does not parse, expected an expression: the expression ends "
      "too early",)),
    ("STARTD_CRON_a_CONDITION = 1 +",
     ("error STARTD_CRON_a_CONDITION: the expression does not parse, expected an expression: the expression ends "
      "too early",)),
    ("SCHEDD_CRON_a_CONDITION = 1 +",
     ("error SCHEDD_CRON_a_CONDITION: the expression does not parse, expected an expression: the expression ends "
      "too early",)),
    ("KILL_VANILLA = 1 +",
     ("error KILL_VANILLA: the expression does not parse, expected an expression: the expression ends too early",)),
)  # fmt: skip


_VALUES = (
    ("X = $ENV(PATH)", ()),
    ("X = $ENV(NOT_THERE) $ENV(NEITHER)",
     ("warning X: the variable NOT_THERE is not in the environment: it is UNDEFINED",
      "warning X: the variable NEITHER is not in the environment: it is UNDEFINED",)),
    ("START = $ENV(NOT_THERE)",
     ("warning START: the variable NOT_THERE is not in the environment: it is UNDEFINED",)),
    ("X = $INT(Y)\nY = a b", ("error X: $INT() macro: a b does not evaluate to an integer",)),
    ("START = $INT(Gone)", ("error START: $INT() macro: Gone does not evaluate to an integer",)),
    ("X = $(NOT_THERE)\nY = $(X)", ("warning Y: $(NOT_THERE) is not defined and counts as nothing",)),
    ("START = (1 + $(NOT_THERE)", ()),
    ("START = 1 + 2 $(NOT_THERE)", ("warning START: $(NOT_THERE) is not defined and counts as nothing",)),
    ("START = $(NOT_THERE)", ("warning START: $(NOT_THERE) is not defined and counts as nothing",)),
    ("START = 1$(NOT_THERE)", ("warning START: $(NOT_THERE) is not defined and counts as nothing",)),
    ("X = $(X)", ()),
    ("X = $(NOT_THERE:5)", ()),
    ("X = $(NOT_THERE:)", ()),
    ("X = $(DETECTED_MEMRY)",
     ("warning X: $(DETECTED_MEMRY) is not defined and counts as nothing, did you mean $(DETECTED_MEMORY)?",)),
    ("X = $(NUM_CPUSS)",
     ("warning X: $(NUM_CPUSS) is not defined and counts as nothing, did you mean $(NUM_CPUS)?",)),
    ("X = $(ACTIVATIONTIMER)",
     ("warning X: $(ACTIVATIONTIMER) is not defined and counts as nothing (use FEATURE : POLICY_EXPR_FRAGMENTS "
      "sets it)",)),
    ("X = $(1)$(a b)", ()),
    ("MASTER.X = $(NOT_THERE)", ("warning MASTER.X: $(NOT_THERE) is not defined and counts as nothing",)),
    ("JOB_TRANSFORM_NAMES = $(NOT_THERE)", ()),
    ("SCHEDD.JOB_TRANSFORM_a = $(NOT_THERE)", ()),
    ("use FEATURE : PartitionableSlot", ()),
    ("GROUP_PRIO_FACTOR_a = x", ()),
    ("GROUP_PRIO_FACTOR_a = 0.999",
     ("warning GROUP_PRIO_FACTOR_a: '0.999' is less than 1, the least priority factor",)),
    ("GROUP_PRIO_FACTOR_a = 1.0", ()),
    ("NEGOTIATOR.DEFAULT_PRIO_FACTOR = 0",
     ("warning NEGOTIATOR.DEFAULT_PRIO_FACTOR: '0' is less than 1, the least priority factor",)),
    ("DEFAULT_PRIO_FACTOR = 2 / 4.0",
     ("warning DEFAULT_PRIO_FACTOR: '2 / 4.0' is less than 1, the least priority factor",)),
    ("NUM_SLOTS = -1", ("warning NUM_SLOTS: '-1' is not a number of slots",)),
    ("NUM_SLOTS = 0", ()),
    ("NUM_SLOTS_TYPE_2 = -2", ("warning NUM_SLOTS_TYPE_2: '-2' is not a number of slots",)),
    ("NUM_SLOTS_TYPE_2 = x", ()),
    ("X_LIMIT = 0", ()),
    ("X_LIMIT = -0.5",
     ("warning X_LIMIT: '-0.5' is not the limit of a concurrency token, which is a number from 0",)),
    ("X_LIMIT = 0.5", ()),
    ("X_LIMIT = 2 * 3", ()),
    ("X_LIMIT = true", ()),
    ("X_LIMIT =", ()),
    ("CONCURRENCY_LIMIT_DEFAULT = -1",
     ("warning CONCURRENCY_LIMIT_DEFAULT: -1 is less than nothing: Limit of a concurrency token without one of "
      "its own.",)),
    ("CONCURRENCY_LIMIT_DEFAULT = many",
     ("error CONCURRENCY_LIMIT_DEFAULT: 'many' is not valid, it must be an integer (default 2308032)",)),
    ("MATLAB.lic_LIMIT = many",
     ("warning MATLAB.lic_LIMIT: 'many' is not the limit of a concurrency token, which is a number from 0",)),
    ("X_LIMITS = many", ()),
    ("CONCURRENCY_LIMIT_DEFAULT_a = 0", ()),
    ("CONCURRENCY_LIMIT_DEFAULT_a = -1",
     ("warning CONCURRENCY_LIMIT_DEFAULT_a: '-1' is not the limit of a concurrency token, which is a number from "
      "0",)),
    ("CLAIM_WORKLIFE = -1", ()),
    ("CLAIM_WORKLIFE = -2", ()),
    ("SCHEDD_INTERVAL = -1",
     ("warning SCHEDD_INTERVAL: -1 is less than nothing: Seconds between two ads of the schedd; 300 when empty.",)),
    ("SCHEDD_INTERVAL = 0", ()),
    ("NEGOTIATOR_INTERVAL = -5",
     ("warning NEGOTIATOR_INTERVAL: -5 is less than nothing: Seconds between two negotiation cycles.",)),
    ("MAX_JOBS_RUNNING = -1",
     ("warning MAX_JOBS_RUNNING: -1 is less than nothing: Most jobs that run at a time.",)),
    ("NEGOTIATOR_CYCLE_DELAY = -1",
     ("error NEGOTIATOR_CYCLE_DELAY: '-1' is not valid, it must be an integer of at least 0 (default 20)",)),
    ("PRIORITY_HALFLIFE = -1.5",
     ("error PRIORITY_HALFLIFE: '-1.5' is not valid, it must be a number of at least 1e-05 (default 86400)",)),
    ("PRIORITY_HALFLIFE = 0",
     ("error PRIORITY_HALFLIFE: '0' is not valid, it must be a number of at least 1e-05 (default 86400)",)),
    ("PRIORITY_HALFLIFE = 1", ()),
    ("PRIORITY_HALFLIFE = x",
     ("error PRIORITY_HALFLIFE: 'x' is not valid, it must be a number of at least 1e-05 (default 86400)",)),
    ("JOB_RENICE_INCREMENT = -1", ()),
    ("RESERVED_MEMORY = -100",
     ("warning RESERVED_MEMORY: -100 is less than nothing: Megabytes kept from jobs.",)),
    ("RESERVED_DISK = -1",
     ("error RESERVED_DISK: '-1' is not valid, it must be an integer of at least 0 (default 0)",)),
    ("MASTER_BACKOFF_FACTOR = -1", ()),
    ("MASTER_BACKOFF_CEILING = -1",
     ("warning MASTER_BACKOFF_CEILING: -1 is less than nothing: Longest wait in seconds before a daemon is "
      "started again.",)),
    ("SHUTDOWN_GRACEFUL_TIMEOUT = -1",
     ("warning SHUTDOWN_GRACEFUL_TIMEOUT: -1 is less than nothing: Seconds for a graceful shutdown before it "
      "becomes fast.",)),
    ("SCHEDD.SHUTDOWN_GRACEFUL_TIMEOUT = -1",
     ("warning SCHEDD.SHUTDOWN_GRACEFUL_TIMEOUT: -1 is less than nothing: Seconds for a graceful shutdown before "
      "it becomes fast.",)),
    ("SLOT_TYPE_1_PARTITIONABLE = x", ()),
    ("MAX_HISTORY_LOG = -1",
     ("error MAX_HISTORY_LOG: '-1' is not valid, it must be an integer of at least 0 (default 20971520)",)),
    ("MAX_HISTORY_LOG = 5 days",
     ("error MAX_HISTORY_LOG: '5 days' is not valid, it must be an integer of at least 0 (default 20971520)",)),
    ("NUM_CLAIMS = 2 * 2", ()),
    ("NUM_CLAIMS = x", ("error NUM_CLAIMS: 'x' is not valid, it must be an integer of at least 0",)),
    ("MAX_HISTORY_LOG = 5 dayz",
     ("error MAX_HISTORY_LOG: '5 dayz' is not valid, it must be an integer of at least 0 (default 20971520)",)),
    ("MAX_HISTORY_ROTATIONS = 0",
     ("error MAX_HISTORY_ROTATIONS: '0' is not valid, it must be an integer of at least 1 (default 2)",)),
    ("MAX_HISTORY_ROTATIONS = 1", ()),
    ("NUM_CPUS = 0",
     ("error NUM_CPUS: '0' is not valid, it must be an integer of at least 1 (default $(DETECTED_CPUS_LIMIT))",)),
    ("NUM_CPUS = 1.5", ()),
    ('NUM_CPUS = "1"',
     ("error NUM_CPUS: '\"1\"' is not valid, it must be an integer of at least 1 (default $(DETECTED_CPUS_LIMIT))",)),
    ("NUM_CPUS =", ()),
    ("CREATE_CORE_FILES = 2", ()),
    ("CREATE_CORE_FILES = 1 > 2", ()),
    ("HIGHPORT = 70000", ()),
    ("HIGHPORT = 65535", ()),
    ("LOWPORT = -1", ()),
    ("JOB_START_COUNT = 0",
     ("error JOB_START_COUNT: '0' is not valid, it must be an integer of at least 1 (default 1)",)),
    ("JOB_START_COUNT = 1", ()),
    ("STARTER_UPLOAD_TIMEOUT = -1",
     ("warning STARTER_UPLOAD_TIMEOUT: -1 is less than nothing: Seconds without progress after which an output "
      "transfer fails.",)),
    ("MAX_CONCURRENT_UPLOADS = -1",
     ("error MAX_CONCURRENT_UPLOADS: '-1' is not valid, it must be an integer of at least 0 (default 100)",)),
    ("MAX_ACCEPTS_PER_CYCLE = -1",
     ("error MAX_ACCEPTS_PER_CYCLE: '-1' is not valid, it must be an integer of at least 0 (default 8)",)),
    ("DAGMAN_MAX_JOBS_IDLE = -1",
     ("warning DAGMAN_MAX_JOBS_IDLE: -1 is less than nothing: Most idle jobs before no more are submitted.",)),
    ("NEGOTIATOR_MAX_TIME_PER_CYCLE = -1",
     ("warning NEGOTIATOR_MAX_TIME_PER_CYCLE: -1 is less than nothing: Seconds after which a cycle ends.",)),
    ("ALIVE_INTERVAL = -1",
     ("warning ALIVE_INTERVAL: -1 is less than nothing: Seconds between two signs of life that a claim gets.",)),
    ("JOB_START_COUNT = $INT(Gone)",
     ("error JOB_START_COUNT: $INT() macro: Gone does not evaluate to an integer",)),
    ("START = $INT(Gone) $(NOT_THERE)", ("error START: $INT() macro: Gone does not evaluate to an integer",)),
    ("NEGOTIATION_CYCLE_STATS_LENGTH = 101",
     ("error NEGOTIATION_CYCLE_STATS_LENGTH: '101' is not valid, it must be an integer from 0 to 100 (default 3)",)),
    ("NEGOTIATION_CYCLE_STATS_LENGTH = 100", ()),
)  # fmt: skip


_AMOUNTS = (
    ("DETECTED_CPUS = 4\nNUM_CPUS = 32 + 1",
     ("warning NUM_CPUS: 33 cpus are far more than the 4 of this machine",)),
    ("DETECTED_CPUS = 0\nNUM_CPUS = 99", ()),
    ("DETECTED_CPUS =\nNUM_CPUS = x", ()),
    ("DETECTED_MEMORY = 4\nMEMORY = 33", ("warning MEMORY: 33 MB are far more than the 4 of this machine",)),
    ("MEMORY = 100\nDETECTED_MEMORY = 5000\nRESERVED_MEMORY = 101",
     ("warning RESERVED_MEMORY: 101 MB are all of the 100 MB of memory: none is for jobs",)),
    ("MEMORY =\nDETECTED_MEMORY = 100\nRESERVED_MEMORY = 100",
     ("warning RESERVED_MEMORY: 100 MB are all of the 100 MB of memory: none is for jobs",)),
    ("DETECTED_MEMORY = 0\nRESERVED_MEMORY = 100", ()),
    ("RESERVED_MEMORY = x", ()),
    ("RESERVED_DISK = x", ()),
    ("RESERVED_DISK = 0", ()),
    ("MAX_SLOT_TYPES = 3\nNUM_SLOTS_TYPE_3 = 1\nSLOT_TYPE_3 = 1", ()),
    ("MAX_SLOT_TYPES = 2.5\nNUM_SLOTS_TYPE_3 = 1\nSLOT_TYPE_3 = 1",
     ("warning NUM_SLOTS_TYPE_3: slot types are looked for up to 2: MAX_SLOT_TYPES is 2.5",)),
    ("MAX_SLOT_TYPES =\nNUM_SLOTS_TYPE_99 = 1\nSLOT_TYPE_99 = 1", ()),
    ("NUM_SLOTS_TYPE_11 = 1\nSLOT_TYPE_11 = 1",
     ("warning NUM_SLOTS_TYPE_11: slot types are looked for up to 10: MAX_SLOT_TYPES is 10",)),
    ("NUM_SLOTS_TYPE_10 = 1\nSLOT_TYPE_10 = 1", ()),
    ("num_slots_type_2 = 1",
     ("warning num_slots_type_2: SLOT_TYPE_2 is not set: nothing says what slots of this type have",)),
    ("NUM_SLOTS_TYPE_2 = x", ()),
    ("NUM_SLOTS_TYPE_2 =", ()),
    ("NUM_SLOTS_TYPE_1 = 1\nNUM_SLOTS_TYPE_2 = 1\nNUM_SLOTS_TYPE_3 = 1\nSLOT_TYPE_3 = 1",
     ("warning NUM_SLOTS_TYPE_2: SLOT_TYPE_2 is not set: nothing says what slots of this type have",)),
    ("NEGOTIATOR_INTERVAL = 1\nNEGOTIATOR_MIN_INTERVAL = 1", ()),
    ("NEGOTIATOR_INTERVAL = 1",
     ("warning NEGOTIATOR_INTERVAL: NEGOTIATOR_MIN_INTERVAL is 5, and so more than NEGOTIATOR_INTERVAL, which is "
      "1",)),
    ("NEGOTIATOR_MIN_INTERVAL = 9999",
     ("warning NEGOTIATOR_MIN_INTERVAL: NEGOTIATOR_MIN_INTERVAL is 9999, and so more than NEGOTIATOR_INTERVAL, "
      "which is 60",)),
    ("NEGOTIATOR_MIN_INTERVAL = x\nNEGOTIATOR_INTERVAL = 1", ()),
    ("NEGOTIATOR_MIN_INTERVAL = 5\nNEGOTIATOR_INTERVAL = -1", ()),
    ("NEGOTIATOR_MIN_INTERVAL = 2 * 3\nNEGOTIATOR_INTERVAL = 5.5",
     ("warning NEGOTIATOR_MIN_INTERVAL: NEGOTIATOR_MIN_INTERVAL is 6, and so more than NEGOTIATOR_INTERVAL, "
      "which is 5.5",)),
    ("SHUTDOWN_FAST_TIMEOUT = 1\nSHUTDOWN_GRACEFUL_TIMEOUT = 0.5\nLOWPORT = 7\nHIGHPORT = 6",
     ("warning SHUTDOWN_FAST_TIMEOUT: SHUTDOWN_FAST_TIMEOUT is 1, and so more than SHUTDOWN_GRACEFUL_TIMEOUT, "
      "which is 0.5",
      "warning LOWPORT: LOWPORT is 7, and so more than HIGHPORT, which is 6",)),
    ("VM_TYPE = kvm\nVM_MEMORY = 0",
     ("warning VM_TYPE: no virtual machine is offered without VM_MEMORY, the MB for all of them",)),
    ("VM_TYPE = kvm\nVM_MEMORY = x",
     ("warning VM_TYPE: no virtual machine is offered without VM_MEMORY, the MB for all of them",)),
    ("VM_TYPE = kvm\nDETECTED_MEMORY = 0\nVM_MEMORY = 101", ()),
    ("VM_TYPE = xen\nDETECTED_MEMORY = 100\nVM_MEMORY = 100.5",
     ("warning VM_MEMORY: 100.5 MB are more than the 100 MB of this machine",)),
    ("VM_MEMORY = 99999999", ()),
    ("GROUP_NAMES = a a b b", ("warning GROUP_NAMES: it lists a twice",)),
    ("GROUP_NAMES = a b a", ("warning GROUP_NAMES: it lists a twice",)),
    ("GROUP_NAMES = a A.b A.B", ("warning GROUP_NAMES: it lists A.B twice",)),
    ("GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = 0.5", ()),
    ("GROUP_NAMES = a b\nGROUP_QUOTA_a = 1\nGROUP_QUOTA_DYNAMIC_b = 0.5", ()),
    ("GROUP_NAMES = a b\nGROUP_QUOTA_a = 1\nGROUP_QUOTA_DYNAMIC_a = 0.5\nGROUP_QUOTA_b = 0\n"
     "GROUP_QUOTA_DYNAMIC_b = 0.5",
     ("warning GROUP_QUOTA_DYNAMIC_a: it does not count, because GROUP_QUOTA_a is set as well",
      "warning GROUP_QUOTA_DYNAMIC_b: it does not count, because GROUP_QUOTA_b is set as well",)),
    ("NUM_CPUS = 8\nGROUP_NAMES = a\nGROUP_QUOTA_a = 8.5",
     ("warning GROUP_QUOTA_a: 8.5 is more than the cpus of this machine, 8",)),
    ("NUM_CPUS = 8\nGROUP_NAMES = a b\nGROUP_QUOTA_a = 9\nGROUP_QUOTA_b = 10",
     ("warning GROUP_QUOTA_a: 9 is more than the cpus of this machine, 8",
      "warning GROUP_QUOTA_b: 10 is more than the cpus of this machine, 8",)),
    ("NUM_CPUS = 8\nGROUP_NAMES = a\nSTARTD.SLOT_WEIGHT = 1\nGROUP_QUOTA_a = 9",
     ("warning GROUP_QUOTA_a: 9 is more than the cpus of this machine, 8",)),
    ("NUM_CPUS = 8\nGROUP_NAMES = a\nslot_weight = Memory\nGROUP_QUOTA_a = 9", ()),
    ("NUM_CPUS = 8\nGROUP_NAMES = a\nNEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = true\nGROUP_QUOTA_a = 9", ()),
    ("NUM_CPUS = 8\nGROUP_NAMES = a a.b\nSLOT_WEIGHT = Memory\nGROUP_QUOTA_a = 9\nGROUP_QUOTA_a.b = 10",
     ("warning GROUP_QUOTA_a.b: 10 is more than GROUP_QUOTA_a, 9",)),
    ("NUM_CPUS = 8\nGROUP_NAMES = a a.b a.c\nGROUP_QUOTA_a = 0\nGROUP_QUOTA_a.b = 1",
     ("warning GROUP_QUOTA_a.b: the quotas of the groups of a add up to more than GROUP_QUOTA_a, 0",)),
    ("NUM_CPUS = 8\nGROUP_NAMES = A a.b A.c\nGROUP_QUOTA_A = 4\nGROUP_QUOTA_a.b = 2\nGROUP_QUOTA_A.c = 2.5",
     ("warning GROUP_QUOTA_A.c: the quotas of the groups of a add up to more than GROUP_QUOTA_a, 4",)),
    ("NUM_CPUS = 8\nGROUP_NAMES = a a.b a.c\nGROUP_QUOTA_a = 4\nGROUP_QUOTA_a.b = 4\nGROUP_QUOTA_a.c = 1",
     ("warning GROUP_QUOTA_a.c: the quotas of the groups of a add up to more than GROUP_QUOTA_a, 4",)),
    ("NUM_CPUS = 8\nGROUP_NAMES = a a.b a.c a.d\nGROUP_QUOTA_a = 4\nGROUP_QUOTA_a.b = 4\nGROUP_QUOTA_a.c = 5\n"
     "GROUP_QUOTA_a.d = 1",
     ("warning GROUP_QUOTA_a.c: 5 is more than GROUP_QUOTA_a, 4",)),
    ("NUM_CPUS = 8\nGROUP_NAMES = a a.b a.b.c\nGROUP_QUOTA_a = 4\nGROUP_QUOTA_a.b = 3\nGROUP_QUOTA_a.b.c = 4",
     ("warning GROUP_QUOTA_a.b.c: 4 is more than GROUP_QUOTA_a.b, 3",)),
    ("NUM_CPUS = 8\nGROUP_NAMES = a a.b b b.b\nGROUP_QUOTA_a = 4\nGROUP_QUOTA_b = 4\nGROUP_QUOTA_a.b = 3\n"
     "GROUP_QUOTA_b.b = 3",
     ()),
    ("NUM_CPUS = 8\nGROUP_NAMES = a b\nGROUP_QUOTA_a = x\nGROUP_QUOTA_b = 9",
     ("warning GROUP_QUOTA_b: 9 is more than the cpus of this machine, 8",)),
    ("GROUP_QUOTA_a = 9999", ()),
    ("NUM_CPUS = x\nDETECTED_CPUS = 4\nGROUP_NAMES = a\nGROUP_QUOTA_a = 5",
     ("warning GROUP_QUOTA_a: 5 is more than the cpus of this machine, 4",)),
    ("VM_TYPE =\nVM_MEMORY = 1", ()),
    ("NUM_CPUS = x\nDETECTED_CPUS = x\nGROUP_NAMES = a\nGROUP_QUOTA_a = 5", ()),
)  # fmt: skip


_GROUPS = (
    ("GROUP_NAMES = a a.b a.c.d c.x",
     ("warning GROUP_NAMES: a.c.d is ignored, because a.c is not in the list",
      "warning GROUP_NAMES: c.x is ignored, because c is not in the list",)),
    ("GROUP_NAMES = A a.b", ()),
    ("GROUP_NAMES =", ()),
    ("NEGOTIATOR.GROUP_NAMES = a.b", ()),
    ("GROUP_NAMES = a\nGROUP_QUOTA_A = 1", ()),
    ("GROUP_NAMES = physics bio\nGROUP_AUTOREGROUP_physic = true\nGROUP_ACCEPT_SURPLUS_Bio = true",
     ("warning GROUP_AUTOREGROUP_physic: this does nothing, because physic is not in GROUP_NAMES: did you mean "
      "physics?",)),
    ("GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = 1.0001",
     ("error GROUP_QUOTA_DYNAMIC_a: 1.0001 is not a part of the parent's quota: write a number from 0 to 1",)),
    ("GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = x", ()),
    ("GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = -1", ()),
    ("GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a =", ()),
    ("GROUP_NAMES = a b\nGROUP_QUOTA_DYNAMIC_a = 0.5\nGROUP_QUOTA_DYNAMIC_b = 0.501", ()),
    ("GROUP_NAMES = a b\nGROUP_QUOTA_DYNAMIC_a = 0.5\nGROUP_QUOTA_DYNAMIC_b = 0.502",
     ("warning GROUP_QUOTA_DYNAMIC_b: the dynamic quotas of all groups add up to 1.002: each gets less",)),
    ("GROUP_NAMES = a b c\nGROUP_QUOTA_DYNAMIC_a = 0.7\nGROUP_QUOTA_DYNAMIC_b = 0.7\nGROUP_QUOTA_DYNAMIC_c = 0.7",
     ("warning GROUP_QUOTA_DYNAMIC_b: the dynamic quotas of all groups add up to 1.4: each gets less",)),
    ("GROUP_NAMES = a b a.x b.x\nGROUP_QUOTA_DYNAMIC_a.x = 0.7\nGROUP_QUOTA_DYNAMIC_b.x = 0.7\n"
     "GROUP_QUOTA_DYNAMIC_a = 0.3\nGROUP_QUOTA_DYNAMIC_b = 0.7",
     ()),
    ("GROUP_NAMES = A A.x A.y\nGROUP_QUOTA_DYNAMIC_A.x = 0.7\nGROUP_QUOTA_DYNAMIC_a.Y = 0.7",
     ("warning GROUP_QUOTA_DYNAMIC_a.Y: the dynamic quotas of the groups of A add up to 1.4: each gets less",)),
    ("GROUP_NAMES = a b\nGROUP_QUOTA_DYNAMIC_a = 1.5\nGROUP_QUOTA_DYNAMIC_b = 0.7",
     ("error GROUP_QUOTA_DYNAMIC_a: 1.5 is not a part of the parent's quota: write a number from 0 to 1",)),
    ("GROUP_SORT_EXPR = MY.Quota + TARGET.GroupQuota + TARGET.Usage",
     ("warning GROUP_SORT_EXPR: Quota is always UNDEFINED here, groups are sorted by AccountingGroup, "
      "GroupQuota, GroupResourcesInUse, GroupResourcesAllocated",
      "warning GROUP_SORT_EXPR: Usage is always UNDEFINED here, groups are sorted by AccountingGroup, "
      "GroupQuota, GroupResourcesInUse, GroupResourcesAllocated",)),
    ("GROUP_SORT_EXPR = groupquota", ()),
    ("GROUP_SORT_EXPR =", ()),
    ("GROUP_SORT_EXPR = 1 +", ()),
    ("GROUP_SORT_EXPR = A + B",
     ("warning GROUP_SORT_EXPR: A is always UNDEFINED here, groups are sorted by AccountingGroup, GroupQuota, "
      "GroupResourcesInUse, GroupResourcesAllocated",
      "warning GROUP_SORT_EXPR: B is always UNDEFINED here, groups are sorted by AccountingGroup, GroupQuota, "
      "GroupResourcesInUse, GroupResourcesAllocated",)),
    ("PREEMPTION_REQUIREMENTS = False", ()),
    ("PREEMPTION_REQUIREMENTS =", ()),
    ("PREEMPTION_REQUIREMENTS = 1 +", ()),
    ("PREEMPTION_REQUIREMENTS = 1", ()),
    ("PREEMPTION_REQUIREMENTS = true",
     ("warning PREEMPTION_REQUIREMENTS: any user may preempt any other, who then preempts them: compare "
      "RemoteUserPrio and SubmitterUserPrio",)),
    ("PREEMPTION_REQUIREMENTS = undefined", ()),
    ("GROUP_QUOTA_ROUND_ROBIN_RATE = 1\nGROUP_QUOTA_MAX_ALLOCATION_ROUNDS = 3", ()),
    ("group_quota_max_allocation_rounds = 3", ()),
    ("GROUP_PRIO_FACTOR_a = 3",
     ("warning GROUP_PRIO_FACTOR_a: this does nothing, because a is not in GROUP_NAMES",)),
    ("GROUP_QUOTA_ = 3", ()),
    ("GROUP_QUOTA_DYNAMIC_q = 1.5",
     ("warning GROUP_QUOTA_DYNAMIC_q: this does nothing, because q is not in GROUP_NAMES",)),
    ("GROUP_NAMES = a\nGROUP_QUOTA_a = 5", ()),
    ("GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = $INT(Gone)", ()),
    ("GROUP_SORT_EXPR = $INT(Gone)", ()),
    ("PREEMPTION_REQUIREMENTS = $INT(Gone)", ()),
)  # fmt: skip


_EFFECTS = (
    ("JOB_TRANSFORM_NAMES = a, b\nJOB_TRANSFORM_b = SET A 1",
     ("warning JOB_TRANSFORM_NAMES: it lists a, but JOB_TRANSFORM_a is not set",)),
    ("JOB_TRANSFORM_NAMES = a\nSCHEDD.JOB_TRANSFORM_a = SET A 1", ()),
    ("JOB_TRANSFORM_NAMES = a\nJOB_TRANSFORM_a =",
     ("warning JOB_TRANSFORM_NAMES: it lists a, but JOB_TRANSFORM_a is not set",)),
    ("SCHEDD.JOB_TRANSFORM_NAMES = a",
     ("warning SCHEDD.JOB_TRANSFORM_NAMES: it lists a, but JOB_TRANSFORM_a is not set",)),
    ("SCHEDD_CLASSAD_USER_MAP_NAMES = a b\nCLASSAD_USER_MAPDATA_b = x",
     ("warning SCHEDD_CLASSAD_USER_MAP_NAMES: it lists a, but CLASSAD_USER_MAPFILE_a is not set",)),
    ("STARTD_CRON_JOBLIST = a b\nSTARTD_CRON_b_JOB_EXECUTABLE = /x",
     ("warning STARTD_CRON_JOBLIST: it lists a, but STARTD_CRON_a_EXECUTABLE is not set",)),
    ("STARTD_ATTRS = +a b MY.c",
     ("note STARTD_ATTRS: it lists +a, but a is not set",
      "note STARTD_ATTRS: it lists b, but b is not set",
      "note STARTD_ATTRS: it lists MY.c, but MY.c is not set",)),
    ("STARTD_ATTRS = a\nSLOT1_a = 1", ()),
    ("STARTD_ATTRS = a\nSTARTD_a = 1", ()),
    ("STARTD_ATTRS = a\nSTARTD.a = 1", ()),
    ("STARTD_ATTRS = a\nSTARTD_aa = 1", ("note STARTD_ATTRS: it lists a, but a is not set",)),
    ("SCHEDD_ATTRS = a", ("note SCHEDD_ATTRS: it lists a, but a is not set",)),
    ("SLOT_TYPE_1_STARTD_ATTRS = a", ()),
    ("STARTER_JOB_HOOK_KEYWORD = K\nK_HOOKS = /x",
     ("warning STARTER_JOB_HOOK_KEYWORD: there is no hook of this keyword: no K_HOOK_... is set",)),
    ("STARTER_JOB_HOOK_KEYWORD = K\nK_HOOK_FETCH_WORK = /x", ()),
    ("STARTD_JOB_HOOK_KEYWORD = k\nK_HOOK_FETCH_WORK = /x", ()),
    ("SLOT1_JOB_HOOK_KEYWORD = Q",
     ("warning SLOT1_JOB_HOOK_KEYWORD: there is no hook of this keyword: no Q_HOOK_... is set",)),
    ('JOB_ROUTER_ROUTE_a @=end\n[ GridResource = "foo x"; ]\n@end', ()),
    ('JOB_ROUTER_ROUTE_a @=end\n   GridResource = "condor x"\n SET GridResource "btch x"\n@end',
     ("warning JOB_ROUTER_ROUTE_a: GridResource btch is of no type of grid resources, did you mean batch?",)),
    ('JOB_ROUTER_ROUTE_a @=end\n SET  GridResource arc\n set gridresource "lfs"\n@end',
     ("warning JOB_ROUTER_ROUTE_a: GridResource lfs is of no type of grid resources, did you mean lsf?",)),
    ('JOB_ROUTER_ROUTE_a @=end\n SET MyGridResource "zzz x"\n@end', ()),
    ('JOB_ROUTER_ROUTE_NAMES = x\nJOB_ROUTER_ROUTE_x = SET GridResource "slurm"',
     ("warning JOB_ROUTER_ROUTE_x: GridResource slurm is a batch system: write batch slurm",)),
    ("JOB_ROUTER_ROUTE_a = GridResource = nordugrid x", ()),
    ("SCHEDD_PREEMPTION_REQUIREMENTS = true",
     ("warning SCHEDD_PREEMPTION_REQUIREMENTS: no parallel job is preempted, as SCHEDD_PREEMPTION_RANK is not set",)),
    ("SCHEDD_PREEMPTION_REQUIREMENTS = true\nSCHEDD_PREEMPTION_RANK = 1", ()),
    ("SCHEDD_PREEMPTION_RANK = 1",
     ("warning SCHEDD_PREEMPTION_RANK: no parallel job is preempted, as SCHEDD_PREEMPTION_REQUIREMENTS is not set",)),
    ("SCHEDD_PREEMPTION_RANK =", ()),
    ("DAEMON_LIST = MASTER schedd startd", ()),
    ("DAEMON_LIST = MASTER FOO", ("warning DAEMON_LIST: FOO is no daemon, nothing is started for it",)),
    ("DAEMON_LIST = MASTER STARTTD",
     ("warning DAEMON_LIST: STARTTD is no daemon, nothing is started for it, did you mean STARTD?",)),
    ("DAEMON_LIST = MASTER HAD HAAD",
     ("note DAEMON_LIST: HAD is no daemon of this pool, nothing is started for it",
      "warning DAEMON_LIST: HAAD is no daemon, nothing is started for it",)),
    ("DAEMON_LIST = MASTER FOO\nFOO_LOG = /x",
     ("warning DAEMON_LIST: FOO is no daemon, nothing is started for it",)),
    ("DAEMON_LIST = MASTER FOO\nMASTER.FOO = 1",
     ("note DAEMON_LIST: FOO is no daemon of this pool, nothing is started for it",)),
    ("DAEMON_LIST = MASTER FOO\nFOO = /bin/sh", ()),
    ("DAEMON_LIST = MASTER foo BAR\nFOO = /not/there\nBAR = /bin/sh",
     ("warning DAEMON_LIST: foo is /not/there, which is no program that can be executed",)),
    ("DAEMON_LIST = MASTER FOO BAR\nFOO = /bin\nBAR = /nix",
     ("warning DAEMON_LIST: FOO is /bin, which is no program that can be executed",
      "warning DAEMON_LIST: BAR is /nix, which is no program that can be executed",)),
    ("DAEMON_LIST = MASTER CREDMON_OAUTH",
     ("note DAEMON_LIST: CREDMON_OAUTH is no daemon of this pool, nothing is started for it",)),
    ("DAEMON_LIST = MASTER SCHEDD CREDMON_OAUTH",
     ("note DAEMON_LIST: CREDMON_OAUTH is no daemon of this pool, nothing is started for it",)),
    ("DAEMON_LIST = MASTER SCHEDD CREDMON_OAUTH\nAUTO_INCLUDE_CREDD_IN_DAEMON_LIST = true", ()),
    ("MASTER.DAEMON_LIST = MASTER FOO",
     ("warning MASTER.DAEMON_LIST: FOO is no daemon, nothing is started for it",)),
    ("SLOT_TYPE_0 = cpus=1", ()),
    ("SLOT_TYPE_1 = cpus=1",
     ("warning SLOT_TYPE_1: no slot of this type is made, as NUM_SLOTS_TYPE_1 is not set",)),
    ("SLOT_TYPE_1 = cpus=1\nNUM_SLOTS_TYPE_1 = 0", ()),
    ("SLOT_TYPE_10_PARTITIONABLE = true\nNUM_SLOTS_TYPE_1 = 1",
     ("warning SLOT_TYPE_10_PARTITIONABLE: no slot of this type is made, as NUM_SLOTS_TYPE_10 is not set",)),
    ("SLOT_TYPE_1_PARTITIONABLE =", ()),
    ("SLOT_TYPE_1_START = true", ()),
    ("SCHEDD_USERID = condor\nFOO = /bin/sh\nFOO_USERID = condor\nDAEMON_LIST = MASTER FOO\nSTARTD_USERID =",
     ("warning SCHEDD_USERID: only programs of DAEMON_LIST that are no daemons of condor_py run as an account of their "
      "own",)),
    ("MASTER.Negotiator_UserId = nobody",
     ("warning MASTER.Negotiator_UserId: only programs of DAEMON_LIST that are no daemons of condor_py run as an "
      "account of their own",)),
    ("HIGHPORT = 7\nLOWPORT = 8",
     ("note HIGHPORT: it has no effect here: nothing goes over a network",
      "note LOWPORT: it has no effect here: nothing goes over a network",)),
    ("SCHEDD.HIGHPORT = 7", ("note SCHEDD.HIGHPORT: it has no effect here: nothing goes over a network",)),
    ("COLLECTOR_PORT = 9618", ()),
    ("JOB_TRANSFORM_NAMES = $INT(Gone)", ()),
    ("STARTD_ATTRS = $INT(Gone)", ()),
    ("STARTER_JOB_HOOK_KEYWORD = $INT(Gone)", ()),
    ("DISABLE_SETUID = $INT(Gone)", ()),
    ("DISABLE_SETUID = false", ()),
    ("DISABLE_SETUID = true",
     ("warning DISABLE_SETUID: what it asks for does not exist here: programs with the setuid bit gain their "
      "rights in jobs as elsewhere on the machine",)),
    ("STARTER.DISABLE_SETUID = 1",
     ("warning STARTER.DISABLE_SETUID: what it asks for does not exist here: programs with the setuid bit gain "
      "their rights in jobs as elsewhere on the machine",)),
    ('JOB_ROUTER_ROUTE_a @=end\n [ x = 1;\n GridResource = "foo x"; ]\n@end', ()),
    ("use FEATURE : GPUs\nHIGHPORT = 1",
     ("note HIGHPORT: it has no effect here: nothing goes over a network",)),
    ("use POLICY : UWCS_DESKTOP", ()),
    ("STARTD_ATTRS = Xa\nXa = 1", ()),
    ("DAEMON_LIST = $INT(Gone)", ()),
    ("BIN = /not/there\nDAEMON_LIST = MASTER WEB",
     ("warning DAEMON_LIST: WEB is /not/there/condor_web, which is no program that can be executed",)),
    ("DAEMON_LIST = MASTER CREDD CREDMON_OAUTH COLLECTOR FOO",
     ("warning DAEMON_LIST: FOO is no daemon, nothing is started for it",)),
    ("DAEMON_LIST = FOO BAR",
     ("warning DAEMON_LIST: FOO is no daemon, nothing is started for it",
      "warning DAEMON_LIST: BAR is no daemon, nothing is started for it",)),
    ("DAEMON_LIST = STARTTD\nMASTER.STARTTD = 1",
     ("warning DAEMON_LIST: STARTTD is no daemon, nothing is started for it, did you mean STARTD?",)),
)  # fmt: skip


_WORDS = (
    ('MAX_HISTORYY = 1\nVM_TYPE = "KVM"', ()),
    ('VM_TYPE = "qemu"', ("error VM_TYPE: 'qemu' is not one of kvm, xen; no virtual machines are offered",)),
    ("VM_NETWORKING_TYPE = nat | user, bridge", ()),
    ('VM_NETWORKING_TYPE = "nat, usr"',
     ("error VM_NETWORKING_TYPE: 'usr' is not one of nat, user, bridge, did you mean user?",)),
    ("EVENT_LOG_FORMAT_OPTIONS = ISO_DATE !UTCC",
     ("error EVENT_LOG_FORMAT_OPTIONS: '!UTCC' is not one of ISO_DATE, UTC, SUB_SECOND, XML, JSON, LEGACY, did "
      "you mean !UTC?",)),
    ("EVENT_LOG_FORMAT_OPTIONS = UTCC",
     ("error EVENT_LOG_FORMAT_OPTIONS: 'UTCC' is not one of ISO_DATE, UTC, SUB_SECOND, XML, JSON, LEGACY, did "
      "you mean UTC?",)),
    ("USERLOG_FORMAT_OPTIONS = XMLL JSON",
     ("error USERLOG_FORMAT_OPTIONS: 'XMLL' is not one of ISO_DATE, UTC, SUB_SECOND, XML, JSON, LEGACY, did you "
      "mean XML?",)),
    ("SLOT1_CONSUMPTION_POLICY = maybe",
     ("error SLOT1_CONSUMPTION_POLICY: 'maybe' is not one of true, false, yes, no, t, f",)),
    ("STARTD.SLOT_CONFIG_FAILURE_MODE = STOP",
     ("error STARTD.SLOT_CONFIG_FAILURE_MODE: 'STOP' is not one of CONTINUE, CLEAR, ABORT",)),
    ("use POLICY : DESKTOP\nVM_TYPE = q",
     ("error VM_TYPE: 'q' is not one of kvm, xen; no virtual machines are offered",)),
    ("BENCHMARKS_a_MODE = q", ()),
    ("DEFAULT_UNIVERSE = vanila",
     ("error DEFAULT_UNIVERSE: 'vanila' is not one of container, docker, grid, java, local, parallel, scheduler, "
      "vanilla, vm, did you mean vanilla?; jobs that do not say are not queued",)),
    ("DEFAULT_UNIVERSE = 1",
     ("error DEFAULT_UNIVERSE: '1' is not one of container, docker, grid, java, local, parallel, scheduler, "
      "vanilla, vm; jobs that do not say are not queued",)),
    ("DEFAULT_UNIVERSE = 5", ()),
    ("DEFAULT_UNIVERSE = VANILLA", ()),
    ("SEC_x_y_AUTHENTICATION = PREFFERED",
     ("error SEC_x_y_AUTHENTICATION: 'PREFFERED' is not one of NEVER, OPTIONAL, PREFERRED, REQUIRED, did you "
      "mean PREFERRED?",)),
    ("SEC_AUTHENTICATION = x", ()),
    ("SCHEDD_DEBUG = D_ALL, -D_PID | D_FULLDEBUG:2", ()),
    ("SCHEDD_DEBUG = D_FULLDEBUG:3 D_ALL:",
     ("warning SCHEDD_DEBUG: D_FULLDEBUG:3: the levels of a category are 0, 1 and 2",)),
    ("SCHEDD_DEBUG = -D_FULLDBUG:1",
     ("warning SCHEDD_DEBUG: -D_FULLDBUG:1 is no debug category, did you mean D_FULLDEBUG?",)),
    ("SCHEDD_DEBUG = FULLDEBUG",
     ("warning SCHEDD_DEBUG: FULLDEBUG is no debug category, did you mean D_FULLDEBUG?",)),
    ("MINE_DEBUG = foo\nSCHEDD_DEBUG = $(MINE_DEBUG)", ("warning SCHEDD_DEBUG: foo is no debug category",)),
    ("MINE_DEBUG = D_FOO", ("warning MINE_DEBUG: D_FOO is no debug category",)),
    ("ALL_DEBUG = D_CATT", ("warning ALL_DEBUG: D_CATT is no debug category, did you mean D_CAT?",)),
    ("SCHEDD.SCHEDD_DEBUG = D_FOO", ("warning SCHEDD.SCHEDD_DEBUG: D_FOO is no debug category",)),
    ("SCHEDD_DEBUG =", ()),
    ("STATISTICS_TO_PUBLISH = schedd:2 STARTTD",
     ("warning STATISTICS_TO_PUBLISH: STARTTD is no daemon, did you mean STARTD?",)),
    ("STATISTICS_TO_PUBLISH = schedd:q", ()),
    ("STATISTICS_TO_PUBLISH = None", ()),
    ("STATISTICS_TO_PUBLISH = DEFAULT:1L, SCHEDD:NONE", ()),
    ("STATISTICS_TO_PUBLISH = DEFAULT:1R!L",
     ("note STATISTICS_TO_PUBLISH: !L of DEFAULT:1R!L has no effect here: values over the whole life are published",)),
    ("STARTD_CRON_a_METRICS = SUM:x PEEK:x",
     ("warning STARTD_CRON_a_METRICS: PEEK is no metric: there are SUM, PEAK",)),
    ("STARTD_CRON_a_b_METRICS = sum, FOO",
     ("warning STARTD_CRON_a_b_METRICS: FOO is no metric: there are SUM, PEAK",)),
    ("SCHEDD_CRON_a_METRICS = FOO", ()),
    ("CONDOR_HOST = a b", ("warning CONDOR_HOST: 'a b' is no name of a machine or domain: it has a space",)),
    ("CONDOR_HOST = a, b c, d",
     ("warning CONDOR_HOST: 'a, b c, d' is no name of a machine or domain: it has a space",)),
    ('CONDOR_HOST = "a b"',
     ('warning CONDOR_HOST: the quotation marks of "a b" are part of the name: leave them out',)),
    ("CONDOR_HOST = a:b, c:1, d:e",
     ("warning CONDOR_HOST: 'b' of a:b is no port",
      "warning CONDOR_HOST: 'e' of d:e is no port",)),
    ("CONDOR_HOST = a:", ("warning CONDOR_HOST: '' of a: is no port",)),
    ("CONDOR_HOST = <1.2.3.4:5?x>", ()),
    ("CONDOR_HOST = a:9618?sock=b:c", ()),
    ("COLLECTOR_HOST = $(CONDOR_HOST):9618", ()),
    ("COLLECTOR_HOST = a:96I8", ("warning COLLECTOR_HOST: '96I8' of a:96I8 is no port",)),
    ("SCHEDD_HOST = a:b", ()),
    ("SCHEDD_NAME = my name",
     ("warning SCHEDD_NAME: 'my name' is no name of a machine or domain: it has a space",)),
    ('SCHEDD.SCHEDD_NAME = "x"',
     ('warning SCHEDD.SCHEDD_NAME: the quotation marks of "x" are part of the name: leave them out',)),
    ("UID_DOMAIN = a, b", ()),
    ("NEGOTIATOR_HOST = a b", ()),
    ("MASTER_NEW_BINARY_RESTART = peacful",
     ("error MASTER_NEW_BINARY_RESTART: 'peacful' is not one of GRACEFUL, PEACEFUL, FAST, NEVER, did you mean "
      "PEACEFUL?",)),
    ("JOB_DEFAULT_NOTIFICATION = nevr",
     ("error JOB_DEFAULT_NOTIFICATION: 'nevr' is not one of never, always, complete, error, did you mean never?; "
      "jobs that do not say are not queued",)),
    ("VM_TYPE = $INT(Gone)", ()),
    ("SCHEDD_DEBUG = $INT(Gone)", ()),
)  # fmt: skip


_FILES = (
    ('SPOOL = "/not/there/x"', ()),
    ("SPOOL = relative", ("warning SPOOL: relative is no full path: daemons work in /",)),
    ("SCHEDD_LOG = SYSLOG", ()),
    ("SCHEDD_LOG = syslog", ("warning SCHEDD_LOG: syslog is no full path: daemons work in /",)),
    ("EVENT_LOG = SYSLOG", ("warning EVENT_LOG: SYSLOG is no full path: daemons work in /",)),
    ("EXECUTE = auto", ()),
    ("SPOOL = /", ()),
    ("SPOOL = /proc", ("warning SPOOL: /proc cannot be made in /proc",)),
    ("SPOOL = /sys/kernel/x", ("warning SPOOL: /sys/kernel/x cannot be made in /sys/kernel",)),
    ("SPOOL = /procs", ()),
    ("STARTD.SPOOL = relative", ("warning STARTD.SPOOL: relative is no full path: daemons work in /",)),
    ("SLOT10_EXECUTE = relative", ("warning SLOT10_EXECUTE: relative is no full path: daemons work in /",)),
    ("SLOT_EXECUTE = relative", ()),
    ("PER_JOB_HISTORY_DIR = /tmp/", ()),
    ("PER_JOB_HISTORY_DIR = /not/there:/b", ("warning PER_JOB_HISTORY_DIR: /not/there is not there",)),
    ("DOCKER_VOLUME_DIR_a = /not/there:/mnt", ("warning DOCKER_VOLUME_DIR_a: /not/there is not there",)),
    ("DOCKER_VOLUME_DIR_a = /tmp:/mnt", ()),
    ("DOCKER_VOLUME_DIR_a_MOUNT_IF = /not/there", ()),
    ("PER_JOB_HISTORY_DIR = $(SPOOL)", ()),
    ("PER_JOB_HISTORY_DIR = $(SPOOL)/", ()),
    ("STARTD_CRON_a_CWD = $(LOG)", ()),
    ("RELEASE_DIR = /not/there", ("note RELEASE_DIR: /not/there is not there",)),
    ("EVENT_LOG = $(LOG)/events", ()),
    ("EVENT_LOG = $(SPOOL)/x/events", ("warning EVENT_LOG: the directory {here}/pool/spool/x is not there",)),
    ("EVENT_LOG = /not/there/x", ("warning EVENT_LOG: the directory /not/there is not there",)),
    ("EVENT_LOG = /events", ()),
    ('EVENT_LOG = "/not/there/x"', ("warning EVENT_LOG: the directory /not/there is not there",)),
    ("HISTORY =", ()),
    ("USER_JOB_WRAPPER = /bin", ("warning USER_JOB_WRAPPER: /bin is a directory, no program",)),
    ('USER_JOB_WRAPPER = "/bin/sh"', ()),
    ("USER_JOB_WRAPPER = ./x", ("warning USER_JOB_WRAPPER: ./x is no full path",)),
    ("USER_JOB_WRAPPER = sh", ()),
    ("SINGULARITY = /not/there", ("note SINGULARITY: there is no program /not/there",)),
    ("MAIL = nosuchmail", ("note MAIL: there is no program nosuchmail in PATH",)),
    ("BACKFILL_COMMAND = sh -c /not/there", ()),
    ("BACKFILL_COMMAND = /not/there/prog -c x",
     ("warning BACKFILL_COMMAND: there is no program /not/there/prog",)),
    ("BACKFILL_COMMAND = /bin/sh", ()),
    ("FILETRANSFER_PLUGINS = /not/there,/bin/sh",
     ("warning FILETRANSFER_PLUGINS: there is no program /not/there",)),
    ("FILETRANSFER_PLUGINS = /bin/sh, /bin/cat", ()),
    ("CLASSAD_USER_MAPFILE_a = /not/there", ("warning CLASSAD_USER_MAPFILE_a: /not/there is not there",)),
    ("CLASSAD_USER_MAPFILE_a = /etc", ("warning CLASSAD_USER_MAPFILE_a: /etc is no file",)),
    ("CLASSAD_USER_MAPFILE_a = there", ()),
    ("SLOT1_USER = root", ()),
    ("SLOT1_USER = DOMAIN\\root", ()),
    ("SLOT1_USER = nosuch@root", ("warning SLOT1_USER: there is no account nosuch@root",)),
    ("SLOT1_USER = root@nosuch", ()),
    ("SLOT1_3_USER = nosuch", ("warning SLOT1_3_USER: there is no account nosuch",)),
    ("SLOT1_x_USER = nosuch", ()),
    ("NETWORK_INTERFACE = *", ()),
    ("NETWORK_INTERFACE = eth.99",
     ("warning NETWORK_INTERFACE: this machine has no network interface eth.99",)),
    ("NETWORK_INTERFACE = 10.0.0.*", ()),
    ("CLASSAD_USER_PYTHON_MODULES = json, nosuchmodule",
     ("warning CLASSAD_USER_PYTHON_MODULES: cannot load nosuchmodule: there is no module nosuchmodule in "
      "PYTHONPATH or among the installed packages",)),
    ("CLASSAD_USER_PYTHON_MODULES = json", ()),
    ("STARTD_CRON_a_EXECUTABLE = /not/there",
     ("warning STARTD_CRON_a_EXECUTABLE: there is no program /not/there",)),
    ("A_HOOK_OTHER = /not/there", ()),
    ("USER_JOB_WRAPPER = /not/there\nSPOOL = relative",
     ("warning USER_JOB_WRAPPER: there is no program /not/there",
      "warning SPOOL: relative is no full path: daemons work in /",)),
    ("use FEATURE : StartdCronPeriodic(a, 60, /not/there)", ()),
    ("EVENT_LOG = /bin/cat |", ()),
    ("SPOOL = $INT(Gone)", ()),
    ('BACKFILL_COMMAND = "/not/there" x', ("warning BACKFILL_COMMAND: there is no program /not/there",)),
    ('BACKFILL_COMMAND = /not/there" x', ("warning BACKFILL_COMMAND: there is no program /not/there",)),
    ("SPOOL = "
     "/tmp/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
     ()),
    ("DAEMON_SOCKET_DIR = "
     "/tmp/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
     ("warning DAEMON_SOCKET_DIR: the path has 91 characters: sockets need one of at most 90",)),
    ("DAEMON_SOCKET_DIR = "
     "/tmp/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
     ()),
    ("EVENT_LOG = /not/there/program |", ()),
    ("SPOOL = Xrelative", ("warning SPOOL: Xrelative is no full path: daemons work in /",)),
    ("PER_JOB_HISTORY_DIR = $(LOCAL_DIR)", ()),
    ("LOG = $(LOCAL_DIR)/l\nPER_JOB_HISTORY_DIR = $(LOG)", ()),
    ("LOCK = $(LOCAL_DIR)/k\nPER_JOB_HISTORY_DIR = $(LOCK)", ()),
    ("EXECUTE = $(LOCAL_DIR)/e\nPER_JOB_HISTORY_DIR = $(EXECUTE)", ()),
    ("DAEMON_SOCKET_DIR = $(LOCAL_DIR)/s\nPER_JOB_HISTORY_DIR = $(DAEMON_SOCKET_DIR)", ()),
    ("SPOOL = $(LOCAL_DIR)/sX\nPER_JOB_HISTORY_DIR = $(SPOOL)", ()),
    ("LOG = $(LOCAL_DIR)/l/\nPER_JOB_HISTORY_DIR = $(LOCAL_DIR)/l", ()),
    ("LOG = $(LOCAL_DIR)/l\nHISTORY = $(LOG)/history", ()),
    ("LOG = $(LOCAL_DIR)/l\nHISTORY = $(LOG)/more/history",
     ("warning HISTORY: the directory {here}/pool/l/more is not there",)),
    ("EXECUTE = "
     "/tmp/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
     ()),
    ("LOCAL_CONFIG_DIR = $(CONFIG_ROOT)/none, /nor/here",
     ("note LOCAL_CONFIG_DIR: {here}/none is not there",)),
    ("LOCAL_CONFIG_DIR = /nor/here", ("note LOCAL_CONFIG_DIR: /nor/here is not there",)),
    ("BACKFILL_COMMAND = /not/thereX y", ("warning BACKFILL_COMMAND: there is no program /not/thereX",)),
)  # fmt: skip


@pytest.fixture
def found(tmp_path: Path) -> Callable[[Check, str], tuple[str, ...]]:
    """The findings of one check about a configuration as "severity KNOB: message"."""

    def findings(check: Check, text: str) -> tuple[str, ...]:
        path = tmp_path / "condor_config"
        path.write_text(f"LOCAL_DIR = {tmp_path}/pool\n{text}\n")
        subject = Subject(load({"CONDOR_CONFIG": str(path), "PATH": "/usr/bin:/bin"}))
        lines = (f"{one.severity} {one.knob}: {one.message}" for one in check(subject))
        return tuple(line.replace(str(tmp_path), "{here}") for line in lines)

    return findings


Found = Callable[[Check, str], tuple[str, ...]]


@pytest.mark.parametrize(("text", "expected"), _NAMES)
def test_names_that_nothing_reads(found: Found, text: str, expected: tuple[str, ...]) -> None:
    assert found(check_names, text) == expected


@pytest.mark.parametrize(("text", "expected"), _POLICIES)
def test_policies_that_do_not_do_what_they_say(found: Found, text: str, expected: tuple[str, ...]) -> None:
    assert found(check_policy, text) == expected


@pytest.mark.parametrize(("text", "expected"), _EXPRESSIONS)
def test_expressions_that_do_not_parse(found: Found, text: str, expected: tuple[str, ...]) -> None:
    assert found(check_expressions, text) == expected


@pytest.mark.parametrize(("text", "expected"), _VALUES)
def test_values_out_of_range_and_macros_that_are_not_defined(
    found: Found, text: str, expected: tuple[str, ...]
) -> None:
    assert found(check_values, text) == expected


@pytest.mark.parametrize(("text", "expected"), _AMOUNTS)
def test_amounts_that_contradict_each_other(found: Found, text: str, expected: tuple[str, ...]) -> None:
    assert found(check_sums, text) == expected


@pytest.mark.parametrize(("text", "expected"), _GROUPS)
def test_groups_and_their_quotas(found: Found, text: str, expected: tuple[str, ...]) -> None:
    assert found(check_groups, text) == expected


@pytest.mark.parametrize(("text", "expected"), _EFFECTS)
def test_settings_that_nothing_comes_of(found: Found, text: str, expected: tuple[str, ...]) -> None:
    assert found(check_effects, text) == expected


@pytest.mark.parametrize(("text", "expected"), _WORDS)
def test_words_of_a_fixed_set(found: Found, text: str, expected: tuple[str, ...]) -> None:
    assert found(check_words, text) == expected


@pytest.mark.parametrize(("text", "expected"), _FILES)
def test_things_on_the_machine_that_settings_name(found: Found, text: str, expected: tuple[str, ...]) -> None:
    assert found(check_files, text) == expected


def test_all_of_a_disk_is_reserved(found: Found, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there").mkdir()
    asked: list[str] = []

    def size(path: str) -> SimpleNamespace:
        asked.append(path)
        if len(asked) > 3:
            raise OSError
        return SimpleNamespace(f_frsize=512, f_blocks=100 << 11)

    monkeypatch.setattr("os.statvfs", size)
    below = f"EXECUTE = {tmp_path}/there/not/yet\n"
    line = "warning RESERVED_DISK: 100 MB are all of the 100 MB of the disk: none is for jobs"
    assert found(check_sums, f"{below}RESERVED_DISK = 100") == (line,)
    assert found(check_sums, f"{below}RESERVED_DISK = 99") == ()
    assert found(check_sums, "EXECUTE =\nRESERVED_DISK = 101") == (line.replace("100 MB are", "101 MB are"),)
    assert asked == [f"{tmp_path}/there", f"{tmp_path}/there", "/"]
    assert found(check_sums, f"{below}RESERVED_DISK = 100") == ()  # where the size is not known


def test_what_may_not_be_read_is_not_judged(found: Found, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(path: str) -> None:
        raise PermissionError

    text = (
        "CLASSAD_USER_MAPFILE_a = /closed/map\nPER_JOB_HISTORY_DIR = /closed/jobs\nUSER_JOB_WRAPPER = /closed/program\n"
    )
    text += "EVENT_LOG = /closed/dir/log"
    assert len(found(check_files, text)) == 4
    monkeypatch.setattr("os.lstat", closed)
    assert found(check_files, text) == ()


def test_the_file_of_a_user_is_known_by_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".condor").mkdir()
    (tmp_path / ".condor" / "user_config").write_text("A = 1\n")
    (tmp_path / "link").symlink_to(tmp_path / ".condor" / "user_config")
    (tmp_path / "other").touch()
    monkeypatch.setattr("os.geteuid", lambda: 65534)
    monkeypatch.chdir(tmp_path)
    for files, named in ((["other"], True), (["gone"], True), (["other", "link"], False)):
        config = load({"CONDOR_CONFIG": "ONLY_ENV", "HOME": str(tmp_path)})
        config.files = [str(tmp_path / name) for name in files]
        lines = [(one.severity, one.knob, one.file, one.line) for one in check_user_file(config)]
        assert lines == [("warning", "USER_CONFIG_FILE", f"{tmp_path}/.condor/user_config", 0)] * named
    for change in ("_CONDOR_USER_CONFIG_FILE=", "_CONDOR_USER_CONFIG_FILE=/etc/hosts", "HOME=", "HOME=/not/there"):
        name, _, value = change.partition("=")
        environ = {"CONDOR_CONFIG": "ONLY_ENV", "HOME": str(tmp_path), name: value}
        assert list(check_user_file(load(environ))) == []
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert list(check_user_file(load({"CONDOR_CONFIG": "ONLY_ENV", "HOME": str(tmp_path)}))) == []


def test_directories_that_are_files(found: Found, tmp_path: Path) -> None:
    (tmp_path / "fileX").touch()
    assert found(check_files, f"SPOOL = {tmp_path}/fileX/") == (
        "warning SPOOL: {here}/fileX/ cannot be made: {here}/fileX is no directory",
    )
    assert found(check_files, f"SPOOL = {tmp_path}/fileX") == ("warning SPOOL: {here}/fileX is no directory",)
    assert found(check_files, f"PER_JOB_HISTORY_DIR = {tmp_path}/fileX") == (
        "warning PER_JOB_HISTORY_DIR: {here}/fileX is no directory",
    )


def test_programs_may_be_executed_by_somebody(found: Found, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.touch()
    for mode, wrong in ((0o100, False), (0o010, False), (0o001, False), (0o666, True), (0o602, True)):
        program.chmod(mode)
        lines = found(check_files, f"USER_JOB_WRAPPER = {program}")
        message = "warning USER_JOB_WRAPPER: {here}/program is no program: it lacks the right to be executed"
        assert lines == ((message,) if wrong else ()), oct(mode)


def test_a_file_without_settings_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("[startd]\n")
    (only,) = lint(load({"CONDOR_CONFIG": str(tmp_path / "c")}))
    assert (only.severity, only.knob, only.line) == ("warning", "[startd]", 1)
    assert lint(load({"CONDOR_CONFIG": "ONLY_ENV"})) == []
    assert [one.knob for one in lint(load({"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_NUM_CPUSS": "1"}))] == ["NUM_CPUSS"]


def test_lines_that_look_like_sections(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_text(
        "A = 1\n[startd]\nB @=end\n[no]\n@end\n  [Machine 2]  \nC = [x]\n[]\nD @=one\n[ a ]\n@two\n[b]\n@one\n[c]\n"
    )
    config = load({"CONDOR_CONFIG": "ONLY_ENV"})
    (tmp_path / "bytes").write_bytes(b"# \xff\n[all]\n")
    assert [one.line for one in check_sections(SimpleNamespace(files=[str(tmp_path / "bytes")]))] == [2]  # type: ignore[arg-type]
    config.files = [str(path), str(tmp_path / "gone"), "command |"]
    findings = list(check_sections(config))
    assert [(one.severity, one.knob, one.file, one.line) for one in findings] == [
        ("warning", name, str(path), line)
        for name, line in (("[startd]", 2), ("[Machine 2]", 6), ("[]", 8), ("[c]", 14))
    ]
    assert {one.message for one in findings} == {
        "there are no sections: the line does nothing, and what follows it counts for all daemons"
    }


def test_names_that_are_alike_as_a_new_process_finds_them(found: Found) -> None:
    for one in (known.all_names, names._all, names._speller, names._skeletons, names._families):
        one.cache_clear()
    for wrong, right in (
        ("ALOW_READ", "ALLOW_READ"),
        ("ALOW_WRITE", "ALLOW_WRITE"),
        ("PREEMPT_VANILA", "PREEMPT_VANILLA"),
        ("SLOT1_START_VANILA", "SLOT1_START_VANILLA"),
        ("NUM_CPUSS", "NUM_CPUS"),
        ("GROUP_QOUTA_bio", "GROUP_QUOTA_bio"),
        ("QUOTA_GROUP_bio", "GROUP_QUOTA_bio"),
        ("JOB_TRANSFROM_bio", "JOB_TRANSFORM_bio"),
        ("LOG_MAX_HISTORY", "MAX_HISTORY_LOG"),
    ):
        lines = [one for one in found(check_names, f"GROUP_NAMES = bio\n{wrong} = 1") if wrong in one]
        assert lines == [f"warning {wrong}: there is no knob of this name, did you mean {right}?"]
    (line,) = found(check_names, "SYSTEM_PERIODIC_HOLD_VANILLA = x")
    assert line.endswith(": nothing comes of it, because VANILLA is not in SYSTEM_PERIODIC_HOLD_NAMES")
    assert known.all_names()["start"] == "START"
    assert not [name for name in known.all_names().values() if "<" in name or "." in name]


@pytest.mark.parametrize(
    ("daemon", "text"),
    [
        ("CREDD", "SEC_CREDENTIAL_SWEEP_DELAY = x"),
        ("DEFRAG", "DEFRAG_INTERVAL = x"),
        ("ROOSTER", "ROOSTER_INTERVAL = x"),
        ("JOB_ROUTER", "JOB_ROUTER_POLLING_PERIOD = x"),
        ("GANGLIAD", "GANGLIAD_INTERVAL = x"),
        ("WEB", "WEB_INTERFACE = x"),
    ],
)
def test_only_daemons_that_run_have_to_start(tmp_path: Path, daemon: str, text: str) -> None:
    def refused(listed: str) -> list[tuple[str, str]]:
        path = tmp_path / "c"
        path.write_text(f"LOCAL_DIR = {tmp_path}\nDAEMON_LIST = {listed}\n{text}\nMAX_{daemon}_LOG = x\n")
        config = load({"CONDOR_CONFIG": str(path)})
        return [(one.knob, one.message.rpartition("; ")[2]) for one in check_starting(config, config.seen_by, {})]

    who = "condor_web does" if daemon == "WEB" else f"the {daemon.lower()} does"
    assert (f"MAX_{daemon}_LOG", f"{who} not start") in refused(f"MASTER, {daemon.lower()}")
    assert [one for one in refused("MASTER") if one[1] == f"{who} not start"] == []


_OF_SUBSYSTEMS = {
    "MASTER": "MASTER_BACKOFF_CONSTANT",
    "SCHEDD": "MAX_JOBS_RUNNING",
    "NEGOTIATOR": "PRIORITY_HALFLIFE",
    "STARTD": "NUM_SLOTS_TYPE_1",
    "STARTER": "CGROUP_IGNORE_CACHE_MEMORY",
    "CREDD": "CREATE_CORE_FILES",
    "DEFRAG": "DEFRAG_INTERVAL",
    "ROOSTER": "ROOSTER_INTERVAL",
    "JOB_ROUTER": "JOB_ROUTER_POLLING_PERIOD",
    "GANGLIAD": "GANGLIAD_INTERVAL",
    "WEB": "MAX_WEB_LOG",
    "GRIDMANAGER": "GRIDMANAGER_JOB_PROBE_INTERVAL",
    "SUBMIT": "MAX_JOBS_SUBMITTED",
    "DAGMAN": "DAGMAN_MAX_JOBS_IDLE",
    "PREEN": "PREEN_COREFILE_MAX_SIZE",
}


def test_a_setting_of_one_subsystem_keeps_that_one_from_starting(tmp_path: Path) -> None:
    path = tmp_path / "c"
    lines = [f"{subsystem}.{knob} = ?" for subsystem, knob in _OF_SUBSYSTEMS.items()]
    listed = "DAEMON_LIST = MASTER CREDD DEFRAG ROOSTER JOB_ROUTER GANGLIAD WEB"
    path.write_text("\n".join([f"LOCAL_DIR = {tmp_path}", listed, *lines, ""]))
    config = load({"CONDOR_CONFIG": str(path)})
    found = {
        one.knob: (one.line, one.message.rpartition("; ")[2]) for one in check_starting(config, config.seen_by, {})
    }
    tools = {"SUBMIT": "condor_submit", "DAGMAN": "condor_dagman", "PREEN": "condor_preen", "WEB": "condor_web"}
    assert found == {
        f"{subsystem}.{knob}": (line, f"{tools.get(subsystem, f'the {subsystem.lower()}')} does not start")
        for line, (subsystem, knob) in enumerate(_OF_SUBSYSTEMS.items(), 3)
    }


def test_tools_whose_settings_are_wrong(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_text(
        f"LOCAL_DIR = {tmp_path}\nDAEMON_LIST = MASTER\nMAX_JOBS_SUBMITTED = x\nDAGMAN_MAX_JOBS_IDLE = x\n"
        "PREEN_COREFILE_MAX_SIZE = x\n"
        "SUBMIT_SKIP_FILECHECKS = x\nSTARTER_UPDATE_INTERVAL = x\n"
    )
    config = load({"CONDOR_CONFIG": str(path)})
    found = {one.knob: one for one in check_starting(config, config.seen_by, {})}
    assert {knob: one.message.rpartition("; ")[2] for knob, one in found.items()} == {
        "DAGMAN_MAX_JOBS_IDLE": "condor_dagman does not start",
        "MAX_JOBS_SUBMITTED": "the schedd does not start",
        "PREEN_COREFILE_MAX_SIZE": "condor_preen does not start",
        "STARTER_UPDATE_INTERVAL": "the startd does not start",
        "SUBMIT_SKIP_FILECHECKS": "the schedd does not start",
    }
    assert {one.file for one in found.values()} == {str(path)}


def test_a_daemon_whose_configuration_cannot_be_read(tmp_path: Path) -> None:
    config = load({"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_DAEMON_LIST": "MASTER"})

    def seen(subsystem: str) -> Config:
        if subsystem == "STARTD":
            raise ConfigError("no\n  such file")
        return config

    findings = [one for one in check_starting(config, seen, {}) if one.knob == "STARTD"]
    assert findings == [Finding("error", "STARTD", "", 0, "it does not start: no such file")]


def test_what_cores_refuse(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_text(f"LOCAL_DIR = {tmp_path}\nDAEMON_LIST = MASTER\nA = 1\nSLOT1_B = 2\n")
    config = load({"CONDOR_CONFIG": str(path)})
    asked: list[str] = []

    def core(knob: str, message: str) -> Callable[[Config], object]:
        def build(seen: Config) -> object:
            asked.append(seen.subsystem)
            if knob == "" or knob in seen.macros or any(one.name.endswith(f"_{knob}") for one in seen.macros):
                raise ConfigError(message, knob)
            return None

        return build

    cores = {
        "STARTD": [core("A", f'A ("{path}", line 3): wrong'), core("B", "B: wrong\n  too"), core("", "nothing works")]
    }
    findings = [(one.knob, one.line, one.message) for one in check_starting(config, config.seen_by, cores)]
    assert findings == [
        ("A", 3, "wrong; the startd does not start"),
        ("SLOT1_B", 4, "wrong too; the startd does not start"),
        ("STARTD", 0, "nothing works; the startd does not start"),
    ]
    assert set(asked) == {"STARTD"}
    assert asked.count("STARTD") == 4


def test_programs_of_a_daemon_are_checked_although_another_daemon_refuses_its_own(found: Found) -> None:
    text = "STARTD_CRON_MAX_JOB_LOAD = x\nSTARTD_CRON_JOBLIST = a\nSCHEDD_CRON_JOBLIST = b\nBENCHMARKS_AUTOPUBLISH = x"
    assert found(check_programs, text) == (
        "error SCHEDD_CRON_b_EXECUTABLE: SCHEDD_CRON_b_EXECUTABLE is not set; the job is left out",
        "error BENCHMARKS_AUTOPUBLISH: X is not one of NEVER, ALWAYS, IF_CHANGED; NEVER is used",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SCHEDD_CLUSTER_INITIAL_VALUE = x", "SCHEDD_CLUSTER_INITIAL_VALUE: 'x' is not valid"),
        ("SCHEDD_NAME = $INT(Gone)", "SCHEDD_NAME: $INT() macro: Gone does not evaluate to an integer"),
        ("HOST_ALIAS = $INT(Gone)", "HOST_ALIAS: $INT() macro: Gone does not evaluate to an integer"),
        ("DAEMON_LIST = $INT(Gone)", "DAEMON_LIST: $INT() macro: Gone does not evaluate to an integer"),
        ("DAEMON_LIST = FOO\nFOO = $INT(Gone)", "FOO: $INT() macro: Gone does not evaluate to an integer"),
        (
            "DAEMON_LIST = CREDMON_OAUTH\nAUTO_INCLUDE_CREDD_IN_DAEMON_LIST = x",
            "AUTO_INCLUDE_CREDD_IN_DAEMON_LIST: 'x' is not valid, it must be True or False",
        ),
    ],
)
def test_one_bad_value_does_not_hide_the_others(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "c"
    path.write_text(f"LOCAL_DIR = {tmp_path}\n{text}\nMEMORY = 16 GB\n")
    errors = [
        f"{one.knob}: {one.message}" for one in lint(load({"CONDOR_CONFIG": str(path)})) if one.severity == "error"
    ]
    assert len(errors) == 2
    assert errors[0].startswith(said)
    assert errors[1].startswith("MEMORY: '16 GB' is not valid")
