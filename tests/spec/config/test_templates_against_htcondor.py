"""Templates set what HTCondor's templates of the same name set, and the table's defaults are HTCondor's."""

from __future__ import annotations

import os
import re
from pathlib import Path

from condor_py.config import load
from condor_py.config.params import PARAMS
from condor_py.config.templates import TEMPLATES

CRON = "(STARTD_CRON,tag,60,/bin/x,args)"
ARGUMENTS = {
    "PREEMPT_IF": ["(TRIGGER)"],
    "WANT_HOLD_IF": ["(TRIGGER, 77, some text, with commas)"],
    "LIMIT_JOB_RUNTIMES": ["", "(100)"],
    "PREEMPT_IF_RUNTIME_EXCEEDS": ["", "(100)"],
    "HOLD_IF_RUNTIME_EXCEEDS": ["", "(100)"],
    "POLICY_HOURS_TO_START": ["", "(7,18,1,5)"],
    "DESKTOP_IDLE": ["", "(8,17)"],
    "DESKTOP_HOURS": ["", "(8,17,1,4)"],
    "PartitionableSlot": ["", "(1,75%)", "(2,cpus=1,mem=50%)"],
    "StaticSlots": ["", "(2,4,cpus=1,mem=10)"],
    "GPUs": ["", "(-extra)"],
    "Monitor": ["(a,b,c,d,e,f)"],
    "OneShotCronHook": ["(STARTD_CRON,tag,/bin/x,args)", "(STARTD_CRON,tag,/bin/x)"],
    "PeriodicCronHook": [CRON],
    "ContinuousCronHook": ["(STARTD_CRON,tag,/bin/x)"],
    "StartdCronOneShot": ["(tag,/bin/x)"],
    "StartdCronPeriodic": ["(tag,60,/bin/x)"],
    "StartdCronContinuous": ["(tag,/bin/x)"],
    "ScheddCronOneShot": ["(tag,/bin/x)"],
    "ScheddCronPeriodic": ["(tag,60,/bin/x)"],
    "ScheddCronContinuous": ["(tag,/bin/x)"],
    "ScheddUsermapFile": ["(map,/file)"],
    "AssignAccountingGroup": ["(/file)", "(/file,False)"],
    "REMOTE_CONFIG": ["", "(X,Y)"],
}
#: Who asks is not the same: the bindings never act as root, and only they find an IPv6 address.
SKIPPED = {("SECURITY", "USER_BASED"), ("SECURITY", "HOST_BASED")}
ALWAYS = [
    "WANT_SUSPEND",
    "WANT_VACATE",
    "SUSPEND",
    "CONTINUE",
    "PREEMPT",
    "START",
    "KILL",
    "MAXJOBRETIREMENTTIME",
    "IS_OWNER",
    "WANT_HOLD",
    "WANT_HOLD_REASON",
    "WANT_HOLD_SUBCODE",
    "STARTD_ATTRS",
    "STARTD_JOB_ATTRS",
    "DAEMON_LIST",
    "CpusUsage",
    "STARTD_LATCH_EXPRS",
    "CpuBusyTimer",
    "STARTD_CRON_JOBLIST",
    "SCHEDD_CRON_JOBLIST",
    "SLOT_TYPE_1",
    "SLOT_TYPE_2",
    "NUM_SLOTS_TYPE_1",
    "NUM_SLOTS_TYPE_2",
    "SUBMIT_REQUIREMENT_NAMES",
    "JOB_TRANSFORM_NAMES",
    "JOB_TRANSFORM_AssignAccountingGroup",
    "MAX_JOB_RUNTIME",
    "HOLD_REASON_MEMORY_EXCEEDED",
    "SETTABLE_ATTRS_CONFIG",
    "STARTD_CRON_tag_MODE",
    "STARTD_CRON_tag_PERIOD",
    "STARTD_CRON_tag_EXECUTABLE",
    "STARTD_CRON_tag_ARGS",
    "STARTD_CRON_tag_KILL",
    "SCHEDD_CRON_tag_MODE",
    "STARTD_CRON_GPUs_MONITOR_METRICS",
    "STARTD_CRON_GPUs_MONITOR_CONDITION",
]
#: Only one of these two is asked for its text (the bindings turn the rest into numbers), and one is random.
NOT_TEXT = {"SLOTS_CONNECTED_TO_KEYBOARD", "SLOTS_CONNECTED_TO_CONSOLE", "CLAIM_WORKLIFE"}
RANDOM = {"UWCS_PERIODIC_CHECKPOINT", "PERIODIC_CHECKPOINT"}
OURS = {"DAEMON_LIST", "PERSISTENT_CONFIG_DIR", "ALLOW_CONFIG"}


def _plain(value: object) -> str:
    """Without blanks and with one spelling of truth values."""
    return re.sub(r"\s+", "", str(value)).replace("True", "true").replace("False", "false")


def test_templates(htcondor, tmp_path: Path) -> None:
    cases = []
    for category, templates in TEMPLATES.values():
        for name, body in templates.items():
            if (category, name) in SKIPPED:
                continue
            knobs = set(re.findall(r"^\s*(\w+)\s*=", body, re.MULTILINE)) | set(ALWAYS)
            for arguments in ARGUMENTS.get(name, [""]):
                text = f"CONDOR_HOST = h\nTRIGGER = x > 3\nPREEMPT = a || b\nuse {category} : {name}{arguments}\n"
                cases.append((text, sorted(knobs - NOT_TEXT - RANDOM - OURS)))
    path = tmp_path / "c"
    wrong = []
    for (text, knobs), answer in zip(cases, htcondor(cases), strict=True):
        path.write_text(text)
        config = load({**os.environ, "CONDOR_CONFIG": str(path)})
        for knob in knobs:
            ours, theirs = config.expanded(knob), answer.get(knob)
            if _plain(ours) != _plain(theirs):
                wrong.append((text, knob, ours, theirs))
    assert wrong == []


#: Knobs whose defaults differ on purpose (a personal pool without collector), or that HTCondor keeps in its code. The
#: tools of 25.14.0 warn of a second queue statement (so do we), the bindings' table says that it is refused.
DELIBERATE = {
    "DAEMON_SOCKET_DIR",
    "CONDOR_HOST",
    "COLLECTOR_HOST",
    "ALLOW_ADMINISTRATOR",
    "DAEMON_LIST",
    "SHUTDOWN_GRACEFUL_TIMEOUT",
    "RunBenchmarks",
    "MODIFY_REQUEST_EXPR_REQUESTDISK",
    "ENABLE_KERNEL_TUNING",
    "MachineMaxVacateTime",
    "TRUNC_STARTD_LOG_ON_OPEN",
    "SCHEDD_INTERVAL",
    "SUBMIT_PREVENT_MULTI_QUEUE",
    "SYSTEM_STARTD_ATTRS",
}


def test_defaults(htcondor, tmp_path: Path) -> None:
    text = "LOCAL_DIR = /var/lib/condor\n"
    names = [param[0] for param in PARAMS.values() if param[0] not in DELIBERATE and "." not in param[0]]
    (answer,) = htcondor([(text, names)])
    path = tmp_path / "c"
    path.write_text(text)
    config = load({**os.environ, "CONDOR_CONFIG": str(path)})
    wrong = []
    for name in names:
        theirs = answer.get(name)
        if theirs is None:
            continue  # empty, or a default that HTCondor keeps in its code (see the reference for those)
        ours: object = config.expanded(name)
        if isinstance(theirs, bool):
            ours = config.boolean(name)
        elif isinstance(theirs, int):
            ours = config.integer(name)
        elif isinstance(theirs, float):
            ours = config.real(name)
        if ours != theirs and _plain(ours) != _plain(theirs):
            wrong.append((name, ours, theirs))
    assert wrong == []
    assert len(names) > 380
