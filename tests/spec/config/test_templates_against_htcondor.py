"""Templates set what HTCondor's templates of the same name set, and the table's defaults are HTCondor's."""

from __future__ import annotations

import os
import re
from pathlib import Path

from condor_py.lang.config import load
from condor_py.lang.config.params import PARAMS
from condor_py.lang.config.templates import TEMPLATES, template
from condor_py.lang.macro.evaluate import classad_evaluate

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
    "AssignProjectName": ["(map)", "(map, /file)"],
    "SetJobAttrFromUsermap": ["(Attr, Owner, map)", "(Attr, Owner, map, /file)"],
    "ChildCollector": ["(3)", "(3, 9999)"],
    "LIBRARIAN": ["", "(10GB)", "(10GB, /file)"],
    "CommonCloudAttributesAWS": ["", "(-x)"],
    "PelicanCache": ["", "(10GB)", "(10GB, /cache, other.org)"],
    "recommended": ["", "(me@*)", "(me@*, you@*, others@*)"],
}
#: Random, or other defaults than HTCondor's (see DELIBERATE), or texts of messages in our own words.
NOT_COMPARED = {
    "uwcs_periodic_checkpoint",
    "periodic_checkpoint",
    "daemon_list",
    "persistent_config_dir",
    "allow_config",
    "submit_requirement_rejectinvalidcheckpointdestination_reason",
}
BEFORE = """LOCAL_DIR = /var/lib/condor
RELEASE_DIR = /usr
CONDOR_HOST = h
TRIGGER = x > 3
PREEMPT = a || b
DEFAULT_CHECKPOINT_DESTINATION = x
CHECKPOINT_DESTINATION_MAPFILE = /map
SEC_DEFAULT_AUTHENTICATION_METHODS = FS
"""


def _plain(value: object) -> str:
    """Without blanks and with one spelling of truth values; numbers that the bindings computed as they are written."""
    return re.sub(r"\s+", "", str(value)).lower()


def _same(ours: str | None, theirs: object) -> bool:
    if ours is None or theirs is None or _plain(ours) == _plain(theirs):
        return (ours or None) == (theirs or None) or _plain(ours) == _plain(theirs)
    if isinstance(theirs, (int, float)):
        value = classad_evaluate(ours)
        return isinstance(value, (int, float)) and float(value) == float(theirs)
    return False


def _changed(base: dict[str, object], now: dict[str, object]) -> dict[str, object]:
    """What a template changed, by lower-case name."""
    return {name.lower(): value for name, value in now.items() if name not in base or base[name] != value}


def test_templates(htcondor, tmp_path: Path) -> None:
    cases = [(BEFORE, ["*"])]
    for category, templates in TEMPLATES.values():
        for name in templates:
            for arguments in ARGUMENTS.get(name, [""]):
                cases.append((f"{BEFORE}use {category} : {name}{arguments}\n", ["*"]))
    base, *answers = htcondor(cases)
    known = {name.lower() for name in base}
    path = tmp_path / "c"
    wrong = []
    compared = 0
    for (text, _), answer in zip(cases[1:], answers, strict=True):
        assert "TRIGGER" in answer, text
        path.write_text(text)
        config = load({**os.environ, "CONDOR_CONFIG": str(path)})
        assert config.warnings == []
        theirs = _changed(base, answer)
        plain = {name.lower(): value for name, value in answer.items()}
        mine = {macro.name.lower() for macro in config.macros} | set(theirs)
        # Knobs of daemons that are not here, whose defaults follow what the template sets.
        skipped = NOT_COMPARED | {name for name in theirs if config.setting(name) is None and name in known}
        if "use SECURITY" in text:
            # The bindings never act as root, and only they find an IPv6 address.
            skipped |= {name for name in mine if name.startswith("allow_") or name in ("condorisadmin", "authuser")}
        for knob in sorted(mine - skipped):
            expected = theirs.get(knob, plain.get(knob))
            compared += 1
            if not _same(config.expanded(knob), expected):
                wrong.append((text.splitlines()[-1], knob, config.expanded(knob), expected))
    assert wrong == []
    assert compared > 1000


def test_every_template_of_htcondor_is_known(htcondor, tmp_path: Path) -> None:
    names = """ROLE Personal Submit Execute CentralManager get_htcondor_submit
    POLICY Always_Run_Jobs Desktop Desktop_Idle Desktop_Hours UWCS_Desktop Limit_Job_Runtimes
    Preempt_If_Runtime_Exceeds Hold_If_Runtime_Exceeds Preempt_If_Cpus_Exceeded Hold_If_Cpus_Exceeded
    Preempt_If_Disk_Exceeded Hold_If_Disk_Exceeded Preempt_If_Memory_Exceeded Hold_If_Memory_Exceeded Preempt_If
    Want_Hold_If Startd_Publish_CpusUsage OnlyRegisteredCheckpointDestinations
    FEATURE Remote_Runtime_Config Remote_Config GPUs Monitor GPUsMonitor PartitionableSlot StaticSlots
    AssignAccountingGroup ScheddUserMapFile SetJobAttrFromUserMap AssignProjectName OneShotCronHook
    StartdCronOneShot StartdCronPeriodic StartdCronContinuous ScheddCronOneShot ScheddCronPeriodic
    ScheddCronContinuous UWCS_Desktop_Policy_Values ChildCollector CommonCloudAttributesAWS JobsHaveInstanceIDs
    DefaultCheckpointDestination PelicanRetryPolicy PelicanCache Librarian
    SECURITY Host_Based User_Based With_Authentication Strong Recommended FIPS get_htcondor_idtokens"""
    category, wanted = "", []
    for word in names.split():
        category = word if word.lower() in TEMPLATES else category
        if word != category:
            wanted.append((category, word))
    questions = "".join(f"if defined use {category}:{name}\nT{index} = yes\nendif\n"
                        for index, (category, name) in enumerate(wanted))  # fmt: skip
    labels = [f"T{index}" for index in range(len(wanted))]
    (answer,) = htcondor([(questions, labels)])
    assert [pair for label, pair in zip(labels, wanted, strict=True) if answer[label] != "yes"] == []
    assert [pair for pair in wanted if template(*pair) is None] == []


#: Knobs whose defaults differ on purpose (a personal pool without collector), or that HTCondor keeps in its code. The
#: tools of 25.14.0 warn of a second queue statement (so do we), the bindings' table says that it is refused.
DELIBERATE = {
    "DAEMON_SOCKET_DIR",
    "CONDOR_HOST",
    "COLLECTOR_HOST",
    "ALLOW_ADMINISTRATOR",
    "DAEMON_LIST",
    "MOUNT_UNDER_SCRATCH",
    "SHUTDOWN_GRACEFUL_TIMEOUT",
    "RunBenchmarks",
    "MODIFY_REQUEST_EXPR_REQUESTDISK",
    "ENABLE_KERNEL_TUNING",
    "MachineMaxVacateTime",
    "TRUNC_STARTD_LOG_ON_OPEN",
    "SUBMIT_PREVENT_MULTI_QUEUE",
    "SYSTEM_STARTD_ATTRS",
}


def test_defaults(htcondor, tmp_path: Path) -> None:
    text = "LOCAL_DIR = /var/lib/condor\nRELEASE_DIR = /usr\n"
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
