"""Lint: what it finds, and where it is silent."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

import condor_py
from condor_py.lang.config import Config, load
from condor_py.lang.config.annotate import annotated
from condor_py.lang.config.lint import lint, needs_restart
from condor_py.lang.config.templates import TEMPLATES

MANY = "9" * 5000
CRON = "STARTD_CRON_JOBLIST = x\nSTARTD_CRON_x_EXECUTABLE = /bin/true\nSTARTD_CRON_x"


def found(path: Path, text: str) -> list[str]:
    """The findings about a configuration as "severity line KNOB: message"."""
    path.write_text(text)
    config = load({"CONDOR_CONFIG": str(path)}, subsystem="MASTER")
    return [f"{one.severity} {one.line} {one.knob}: {one.message}" for one in lint(config)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NEGOTIATOR_INTERVALL = 5", "warning 1 NEGOTIATOR_INTERVALL: there is no knob of this name, did you mean"),
        ("MY_OWN = 5", "note 1 MY_OWN: there is no knob of this name, and no other setting refers to it"),
        (
            "\nCLAIM_WORKLIFE = soon",
            "error 2 CLAIM_WORKLIFE: 'soon' is not valid, it must be an integer (default 1200)",
        ),
        ("SCHEDD.JOB_START_COUNT = 0", "error 1 SCHEDD.JOB_START_COUNT: '0' is not valid, it must be an integer of at"),
        ("NEGOTIATOR_USE_SLOT_WEIGHTS = perhaps", "error 1 NEGOTIATOR_USE_SLOT_WEIGHTS: 'perhaps' is not valid, it"),
        ("MAX_SCHEDD_LOG = large", "error 1 MAX_SCHEDD_LOG: 'large' is not valid, it must be a size"),
        ("PREEMPT = (a && (b)", "error 1 PREEMPT: unbalanced parentheses, 1 ( not closed: (a && (b)"),
        ("START = $INT(X)\nX = a b", "error 1 START: $INT() macro: a b does not evaluate to an integer"),
        ("START = 1 +", "error 1 START: the expression does not parse"),
        (
            "PREEMPT = $(CpuBusy) && True",
            "error 1 PREEMPT: the expression does not parse, $(CpuBusy) is not defined (use FEATURE : POLICY_E",
        ),
        ("START = KeyboradIdle > 5", "warning 1 START: HTCondor knows no attribute KeyboradIdle: did you"),
        ("START = MY.Lab =?= True", "warning 1 START: no slot has an attribute Lab: STARTD_ATTRS lists what"),
        ("SLOT1_START = False", "warning 1 SLOT1_START: this can never be true: no job will ever start"),
        ("START = Memory > 5 && Memory < 3", "warning 1 START: Memory < 3 and Memory > 5 are never both true"),
        (
            'SLOT_TYPE_1_START = OpSys == "WINDOWS" && TARGET.x',
            "warning 1 SLOT_TYPE_1_START: this can never be true (of an unclaimed slot here it is false)",
        ),
        ('START = State == "Claimed"', "warning 1 START: this can never be true (of an unclaimed slot her"),
        ("START = JobStart > 5 && TARGET.y", "warning 1 START: this can never be true (of an unclaimed sl"),
        ("IS_OWNER = TARGET.JobPrio > 3", "warning 1 IS_OWNER: TARGET.JobPrio is always UNDEFINED here, a"),
        (
            'IS_OWNER = (START == False)\nSTART = TARGET.Owner == "a"',
            "warning 1 IS_OWNER: START is UNDEFINED while there is no job to ask for TARGET.Owner, so this is as well",
        ),
        ("WANT_VACATE = MemoryUsage > 5", "warning 1 WANT_VACATE: UNDEFINED in the first seconds of a job"),
        ("PREEMPT = TARGET.KeyboardIdle > 5", "warning 1 PREEMPT: TARGET.KeyboardIdle asks the job, but K"),
        (
            "GROUP_NAMES = physics\nGROUP_QUOTA_phisics = 5",
            "warning 2 GROUP_QUOTA_phisics: this does nothing, because phisics is not in GROUP_NAMES: did you mean ph",
        ),
        (
            "GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_b = 0.5",
            "warning 2 GROUP_QUOTA_DYNAMIC_b: this does nothing, because b is not in GROUP_NAMES",
        ),
        ("GROUP_NAMES = a.b", "warning 1 GROUP_NAMES: a.b is ignored, because a is not in the list"),
        ("GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = 20", "error 2 GROUP_QUOTA_DYNAMIC_a: 20 is not a part of the"),
        (
            "GROUP_NAMES = a, b\nGROUP_QUOTA_DYNAMIC_a = 0.6\nGROUP_QUOTA_DYNAMIC_b = 0.6",
            "warning 3 GROUP_QUOTA_DYNAMIC_b: the dynamic quotas of all groups add up to 1.2: each gets less",
        ),
        ("GROUP_SORT_EXPR = GroupUsage / GroupQuota", "warning 1 GROUP_SORT_EXPR: GroupUsage is always UNDEFINED here"),
        ("PREEMPTION_REQUIREMENTS = True", "warning 1 PREEMPTION_REQUIREMENTS: any user may preempt any other"),
        ("DAEMON_LIST = MASTER KBDD", "note 1 DAEMON_LIST: KBDD is no daemon of this pool, nothing is started"),
        ("JOB_TRANSFORM_NAMES = A", "warning 1 JOB_TRANSFORM_NAMES: it lists A, but JOB_TRANSFORM_A is not set"),
        ("STARTD_ATTRS = A, Cpus", "note 1 STARTD_ATTRS: it lists A, but A is not set"),
        ("SLOT_TYPE_2 = 50%", "warning 1 SLOT_TYPE_2: no slot of this type is made, as NUM_SLOTS_TYPE_2 is not set"),
        (
            "SCHEDD_PREEMPTION_RANK = 0.0",
            "warning 1 SCHEDD_PREEMPTION_RANK: no parallel job is preempted, as SCHEDD_PREEMPTION_REQUIREMENTS is not"
            " set",
        ),
        ("SUSPEND = isUndefned(TARGET.x)", "warning 1 SUSPEND: there is no function isUndefned: error: did you m"),
    ],
)
def test_what_is_wrong(tmp_path: Path, text: str, expected: str) -> None:
    first, *_ = found(tmp_path / "c", text + "\n")
    assert first.startswith(expected)


@pytest.mark.parametrize(
    "text",
    [
        "MY_OWN = KeyboardIdle > 5\nSTART = $(MY_OWN)",
        "MY_OWN = 5\nCLAIM_WORKLIFE = $INT(MY_OWN)",
        "STARTD_ATTRS = IsDesktop\nIsDesktop = True\nSLOT1_IsDesktop = False",
        'REASON = "a ( b"\nSTART = $(REASON) != ""',
        "SLOT_TYPE_1_START = True\nNUM_SLOTS_TYPE_1 = 1",
        "START = TARGET.MyOwnFlag =?= True && KeyboardIdle > 5\nWANT_VACATE = (MemoryUsage ?: 0) > 5",
        "STARTD_ATTRS = IsDesktopSlot\nIsDesktopSlot = True\nSTART = TARGET.IsDesktopSlat",
        "MACHINE_RESOURCE_Cogs = 2\nSTARTD_LATCH_EXPRS = Busy\nBusy = LoadAvg > 1\nSTARTD_SLOT_ATTRS = State\n"
        'START = MY.TotalCogs > 1 && MY.BusyValue != 1 && MY.slot1_State != "Claimed"',
        'IS_OWNER = (START =?= False)\nSTART = TARGET.Owner == "a"',
        "IS_OWNER = (START == False)\nSTART = KeyboardIdle > 5",
        "PREEMPT = (SUSPEND && (WANT_SUSPEND == False))\nIS_OWNER = (START =?= False)",
        "CLAIM_WORKLIFE =\nSTART =\nSCHEDD_INTERVAL = 60 * 5",
    ],
)
def test_what_is_right(tmp_path: Path, text: str) -> None:
    assert found(tmp_path / "c", text + "\n") == []


def test_macros_that_double_each_other_are_checked_in_time(tmp_path: Path) -> None:
    lines = [f"A{number} = $(A{number - 1}) $(A{number - 1})" for number in range(1, 32)]
    began = time.process_time()
    said = [line for line in found(tmp_path / "c", "\n".join(["A0 = x", *lines])) if line.startswith("error")]
    assert time.process_time() - began < 1
    assert [line.split()[2] for line in said] == [f"A{number}:" for number in range(20, 32)]


def test_the_macro_that_lacks_a_parenthesis_is_named(tmp_path: Path) -> None:
    text = "CPUBusy = LoadAvg > 1\nBusy = ($(CPUBusy) || (KeyboardIdle < 60)\nPREEMPT = $(Busy)\n"
    assert found(tmp_path / "c", text) == [
        "error 2 Busy: unbalanced parentheses, 1 ( not closed: ($(CPUBusy) || (KeyboardIdle < 60)",
        "error 3 PREEMPT: the expression does not parse, see Busy",
    ]


def test_what_waits_for_a_restart(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("NUM_CPUS = 2\nSPOOL = /s\nSCHEDD_INTERVAL = 5\n")
    new.write_text("NUM_CPUS = 4\nSPOOL = /s\nSCHEDD_INTERVAL = 6\n")
    before, after = ({"CONDOR_CONFIG": str(path)} for path in (old, new))
    assert needs_restart(load(before, subsystem="SCHEDD"), load(after, subsystem="SCHEDD")) == []
    (only,) = needs_restart(load(before, subsystem="STARTD"), load(after, subsystem="STARTD"))
    assert str(only) == (
        f"warning: {new}, line 1: NUM_CPUS: the change from 2 to 4 takes effect when the daemon restarts"
    )


def test_defaults_and_the_annotated_file_are_right(tmp_path: Path) -> None:
    assert found(tmp_path / "c", "") == []
    assert found(tmp_path / "c", annotated()) == []
    everything = re.sub(r"^#(?=[A-Za-z_.0-9]+ =|use )", "", annotated(), flags=re.MULTILINE)
    assert found(tmp_path / "c", everything) == []


@pytest.mark.parametrize("category", TEMPLATES)
def test_templates_are_right(tmp_path: Path, category: str) -> None:
    label, templates = TEMPLATES[category]
    for name in templates:
        arguments = "8, 17, 1, 5" if "HOURS" in name or "DESKTOP" in name else "Trigger, 60, /c, d, e, f"
        arguments = "Trigger, Periodic, 60, /c, d, e" if name == "Monitor" else arguments
        text = f"use {label} : {name}({arguments})\nTrigger = Cpus > 1\n"
        assert [one for one in found(tmp_path / "c", text) if not one.startswith("note")] == [], name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MEMORY = 16 GB", "error 1 MEMORY: '16 GB' is not valid, it must be an integer"),
        (
            "GROUP_NAMES = group_bio\nGROUP_ACCEPT_SURPLUS_group_bio = flase",
            "error 2 GROUP_ACCEPT_SURPLUS_group_bio: 'flase' is not valid, it must be True or False; the nego",
        ),
        ("GROUP_NAMES = g\nGROUP_QUOTA_g = two", "error 2 GROUP_QUOTA_g: 'two' is not valid"),
        ("NUM_SLOTS_TYPE_1 = one", "error 1 NUM_SLOTS_TYPE_1: 'one' is not valid"),
        ("STARTD.MAX_STARTD_LOG = 5 Zb", "error 1 STARTD.MAX_STARTD_LOG: '5 Zb' is not valid"),
        ("CGROUP_MEMORY_LIMIT_POLICY = hrad", "error 1 CGROUP_MEMORY_LIMIT_POLICY: 'hrad' is not one of hard, soft"),
        ("SLOT_CONFIG_FAILURE_MODE = STOP", "error 1 SLOT_CONFIG_FAILURE_MODE: 'STOP' is not one of CONTINUE"),
        (
            "DAEMON_LIST = MASTER DEFRAG\nDEFRAG_DRAINING_SCHEDULE = gracefull",
            "error 2 DEFRAG_DRAINING_SCHEDULE: 'gracefull' is not one of graceful, quick, fast, did you mean graceful",
        ),
    ],
)
def test_what_keeps_a_daemon_from_starting(tmp_path: Path, text: str, expected: str) -> None:
    first, *_ = found(tmp_path / "c", text + "\n")
    assert first.startswith(expected)


def test_a_daemon_that_is_not_listed_need_not_start(tmp_path: Path) -> None:
    for words, errors in (("MASTER", 0), ("MASTER web", 1)):
        told = found(tmp_path / "c", f"DAEMON_LIST = {words}\nWEB_INTERFACE = nowhere\n")
        assert len([one for one in told if one.startswith("error 2 WEB_INTERFACE: ")]) == errors, told


def test_each_refused_setting_is_found_at_once(tmp_path: Path) -> None:
    text = "MEMORY = 16 GB\nDISK = 5 TB\nMAX_JOBS_RUNNING = many\nSTARTER_JOB_ENVIRONMENT = A\n"
    assert [one.split(":")[0] for one in found(tmp_path / "c", text)] == [
        "error 1 MEMORY",
        "error 2 DISK",
        "error 3 MAX_JOBS_RUNNING",
        "error 4 STARTER_JOB_ENVIRONMENT",
    ]


def test_a_condition_on_the_subsystem_counts_for_that_daemon(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_text("if $(IsStartd)\n  MEMORY = 16 GB\nendif\n")

    def seen(subsystem: str) -> Config:
        return load({"CONDOR_CONFIG": str(path)}, subsystem=subsystem)

    assert lint(seen("TOOL")) == []
    path.write_text("A = 1\nB = $(A)\nif $(IsStartd)\n  MEMORY = 16 GB\nendif\nC = $(B)$(C)\n")
    errors = [one for one in lint(seen("TOOL"), seen) if one.severity == "error"]
    assert [(one.knob, one.line) for one in errors] == [("MEMORY", 4)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"NUM_SLOTS_TYPE_{MANY} = 1", "warning 1 NUM_SLOTS_TYPE"),
        (f"SLOT{MANY}_EXECUTE = /tmp", ""),
        (f"ENABLE_BACKFILL = true\nBACKFILL_SYSTEM = COMMAND\nSLOT{MANY}_BACKFILL_COMMAND = /b", "error 3 SLOT"),
        (f"{CRON}_PERIOD = {MANY}s", ""),
        (f"{CRON}_PERIOD = {MANY}h", ""),
        (
            f"{CRON}_PERIOD = \u0663s",
            "error 3 STARTD_CRON_x_PERIOD: '\u0663s' is not a number with s, m or h behind it",
        ),
        (f"MACHINE_RESOURCE_x = {MANY}", ""),
    ],
)
def test_numbers_of_thousands_of_digits_and_foreign_ones(tmp_path: Path, text: str, said: str) -> None:
    told = "\n".join(found(tmp_path / "c", text))
    assert told.startswith(said)
    assert bool(told) == bool(said)


def test_a_user_config_below_another_home_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".condor").mkdir()
    user_file = tmp_path / ".condor" / "user_config"
    user_file.write_text("MEMORY = 100\n")
    monkeypatch.setattr("os.geteuid", lambda: 65534)
    config = load({"CONDOR_CONFIG": "ONLY_ENV", "HOME": str(tmp_path)})
    (found,) = lint(config)
    assert (found.severity, found.knob, found.file) == ("warning", "USER_CONFIG_FILE", str(user_file))
    assert found.message.startswith("is not read: the home directory of this account is ")
    config.files.append(str(user_file))
    assert [one for one in lint(config) if one.knob == "USER_CONFIG_FILE"] == []
    user_file.unlink()
    assert lint(load({"CONDOR_CONFIG": "ONLY_ENV", "HOME": str(tmp_path)})) == []


def test_lint_builds_the_settings_of_every_daemon() -> None:
    """Whatever a daemon reads of ``config.builders`` is read by lint as well."""
    package = Path(condor_py.__file__).parent
    read = re.compile(r"^\s*from condor_py\.lang\.config\.builders(?:\.(\w+))? import (.+)$", re.MULTILINE)
    used: set[tuple[str, str]] = set()
    for file in (package / "daemons").rglob("*.py"):
        text = file.read_text()
        for module, names in read.findall(text):
            for name in names.split(","):
                original, _, alias = name.strip().partition(" as ")
                if module:
                    used.add((module, original))
                else:
                    calls = re.findall(rf"\b{alias or original}\.(\w+)\(config", text.replace("self.config", "config"))
                    used.update((original, call) for call in calls)
    builders = (package / "lang/config/lint/starting.py").read_text()
    missing = {f"{module}.{name}" for module, name in used if f"{module}.{name}" not in builders}
    assert missing <= _NOT_BUILDERS


#: What daemons import of config.builders that reads no settings at their start, or reads only text.
_NOT_BUILDERS = {
    "daemon.names", "daemon.address", "daemon.debug_level", "daemon.sign_of_life", "daemon.shutdown_program",
    "daemon.KNOWN", "daemon.listed", "daemon.programs", "dagman.told",
    "containers.docker", "containers.volume_names", "machine.probes", "checkpoints.condor_ids", "isolation.promise_of",
    "paths.paths", "router.router_hooks", "starter.enforces_disk", "expressions.install",
}  # fmt: skip
