"""Where values come from and what is said of them: commands, automatic templates, facts of the machine, the table."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.lang.config import Config, load, table
from condor_py.lang.config.accepted import ACCEPTED
from condor_py.lang.config.annotate import annotated
from condor_py.lang.config.builders.checkpoints import condor_ids
from condor_py.lang.config.builders.grid import grid
from condor_py.lang.config.builders.starter import virtual
from condor_py.lang.config.detected import Detected, full_hostname
from condor_py.lang.config.dynamic import assigned
from condor_py.lang.config.lint.changes import check_changes, read_at_start
from condor_py.lang.config.lint.effects import check_programs
from condor_py.lang.config.lint.expressions import check_expressions
from condor_py.lang.config.lint.files import check_files
from condor_py.lang.config.lint.names import check_names
from condor_py.lang.config.lint.policy import check_policy, use_of
from condor_py.lang.config.lint.subject import Subject
from condor_py.lang.config.loader import run_command
from condor_py.lang.config.summary import kind_of, settings, statistics, summary
from condor_py.model.errors import ConfigError

Read = Callable[..., Config]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def config(text: str, subsystem: str = "TOOL", **environment: str) -> Config:
        path = tmp_path / "condor_config"
        path.write_text(f"LOCAL_DIR = /pool\n{text}\n")
        return load({"CONDOR_CONFIG": str(path), **environment}, subsystem=subsystem)

    return config


# -- loading


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("/bin/echo a  'b c'", "a 'b c'"),
        ("\"/bin/echo a 'b  c' d''e\"", "a b  c de"),
        ('"/bin/echo \'it\'\'s\' ""q"""', 'it\'s "q"'),
        ('"', ""),
    ],
)
def test_words_of_a_command(command: str, words: str) -> None:
    if not words:
        with pytest.raises(OSError, match="No such file"):
            run_command(command)
        return
    assert run_command(command) == (0, f"{words}\n")


def test_a_command_that_fails_has_its_status() -> None:
    assert run_command("/bin/false") == (1, "")


def test_templates_that_knobs_ask_for(read: Read) -> None:
    found = read("AUTO_USE_FEATURE_PartitionableSlot = $(X)\nX = true\nAUTO_USE_FEATURE_StaticSlots = false\n"
                 "AUTO_USE_FEATURE = true\nAUTO_USE_ROLE_NONE_SUCH = true\nAUTO_USE_POLICY_x = 1 2")  # fmt: skip
    assert found.string("SLOT_TYPE_1_PARTITIONABLE").upper() == "TRUE"
    first, second = found.warnings
    assert first.startswith("Configuration error while interpreting AUTO_USE_POLICY_x : ")
    assert second.startswith("Configuration error while interpreting AUTO_USE_ROLE_NONE_SUCH : ")
    assert "AUTO_USE_FEATURE " not in "".join(found.warnings)


def test_names_of_the_machine_in_the_table_of_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.uname()
    hosts = "# h.no.such\n127.0.0.1 localhost\n10.0.0.1 x.example h.example h # h.other\n10.0.0.2 h.later h\n"

    def named(name: str) -> str:
        system = os.uname_result((real.sysname, name, real.release, real.version, real.machine))
        monkeypatch.setattr(os, "uname", lambda: system)
        return full_hostname(Detected("TOOL", "", {}, lambda _path: hosts))

    assert named("h") == "h.example"
    assert named("other") == "other"
    assert named("a.b") == "a.b"


def test_kinds_of_settings(read: Read, tmp_path: Path) -> None:
    found = read("MY_OWN = 1\nCREATE_CORE_FILES = TRUE\nNEGOTIATOR_INTERVAL = 7", _CONDOR_FROM_ENV="1")
    kinds = {one.name: kind_of(one) for one in settings(found)}
    assert kinds["MY_OWN"] == "file"
    assert kinds["FROM_ENV"] == "environment"
    assert kinds["OPSYS"] == "detected"
    assert kinds["SCHEDD_INTERVAL"] == "default"
    told = dict(summary(found, detected=False))
    assert told[f"{tmp_path}/condor_config"] == [
        ("LOCAL_DIR", "/pool"), ("MY_OWN", "1"), ("NEGOTIATOR_INTERVAL", "7"),
    ]  # fmt: skip
    assert told["<Environment>"] == [("FROM_ENV", "1")]
    assert set(told) == {f"{tmp_path}/condor_config", "<Environment>"}
    assert "<Detected>" in dict(summary(found, detected=True))
    numbers = statistics(found)
    assert numbers["Files"] == len(found.files) + 4
    assert numbers["Macros"] == numbers["Sorted"] == len(list(found.macros))
    assert found.setting("MY_OWN").place == f"{tmp_path}/condor_config, line 2"  # type: ignore[union-attr]
    assert found.setting("FROM_ENV").place == "<Environment>"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "name"),
    [("A = 1", "A"), (" B=", "B"), ("use ROLE : Personal", "$ROLE.Personal"), ("USE role:x", "$role.x"), ("text", "")],
)
def test_what_a_setting_at_run_time_sets(text: str, name: str) -> None:
    assert assigned(text) == name


def test_the_account_of_the_pool(read: Read) -> None:
    assert condor_ids(read("CONDOR_IDS = 64.65"), {}) == (64, 65)
    assert condor_ids(read("CONDOR_IDS = 64.65"), {"CONDOR_IDS": "1.2"}) == (1, 2)
    assert condor_ids(read(""), {}) is None
    for text in ("64", "64.65.66", "a.b"):
        with pytest.raises(ConfigError, match=r"is not the user and the group id of an account, as in 64\.64"):
            condor_ids(read(f"CONDOR_IDS = {text}"), {})


def test_programs_of_machines_are_looked_for(read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (f"qemu-system-{os.uname().machine}", "virsh"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = virtual(read(""))
    assert (found.qemu, found.virsh) == (f"{tmp_path}/qemu-system-{os.uname().machine}", f"{tmp_path}/virsh")
    found = virtual(read("QEMU = /q\nVIRSH = /v"))
    assert (found.qemu, found.virsh) == ("/q", "/v")


# -- the table


def test_the_annotated_file_is_narrow_and_has_no_knob_without_effect() -> None:
    lines = annotated().partition("#" * 100)[2].splitlines()
    assert max(len(line) for line in lines if line.startswith("## ") and " " in line[4:]) <= 100
    assert not [line for line in lines if line.startswith("#") and line[1:].partition(" ")[0].lower() in ACCEPTED]
    assert not [line for line in lines if line.endswith("()")]


def test_what_the_table_says_of_a_knob() -> None:
    for name in ACCEPTED:
        assert table.knob(name).no_effect == ACCEPTED[name]  # type: ignore[union-attr]
        assert table.knob(name).readers == ""  # type: ignore[union-attr]
    for name, unit, readers in (
        ("NEGOTIATOR_INTERVAL", "Seconds", "negotiator"), ("PRIORITY_HALFLIFE", "Seconds", "negotiator"),
        ("JOB_START_COUNT", "", "schedd"), ("PREEMPT", "", "startd"), ("MASTER_BACKOFF_FACTOR", "", "master"),
        ("STARTER_UPDATE_INTERVAL", "Seconds", "starter"),
    ):  # fmt: skip
        knob = table.knob(name)
        assert knob is not None
        assert (knob.unit.lower(), knob.readers) == (unit.lower(), readers), name
    names = [one.name.lower() for one in table.all_knobs()]
    assert len(names) == len(set(names))
    for name, family in (
        ("SLOT_TYPE_7", "SLOT_TYPE_<N>"), ("slot_type_7_partitionable", "SLOT_TYPE_<N>_PARTITIONABLE"),
    ):  # fmt: skip
        assert table.family(name).name == family  # type: ignore[union-attr]
    assert table.family("NO_SUCH_KNOB") is None


# -- lint


@pytest.mark.parametrize(
    ("knob", "owner", "other"),
    [
        *[(name, "slot", True) for name in (
            "START", "WANT_VACATE", "SUSPEND", "CONTINUE", "PREEMPT", "KILL", "WANT_SUSPEND", "WANT_HOLD",
            "WANT_HOLD_REASON", "WANT_HOLD_SUBCODE", "RANK", "MAXJOBRETIREMENTTIME", "MACHINEMAXVACATETIME",
            "PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK", "NEGOTIATOR_PRE_JOB_RANK", "NEGOTIATOR_POST_JOB_RANK",
            "SLOT1_START", "SLOT_TYPE_1_RANK", "PREEMPT_VANILLA")],
        *[(name, "slot", False) for name in (
            "IS_OWNER", "SLOT_WEIGHT", "RUNBENCHMARKS", "NEGOTIATOR_SLOT_CONSTRAINT",
            "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT")],
        *[(name, "job", False) for name in (
            "SYSTEM_PERIODIC_HOLD", "SYSTEM_PERIODIC_RELEASE", "SYSTEM_PERIODIC_REMOVE", "SYSTEM_PERIODIC_VACATE",
            "NEGOTIATOR_JOB_CONSTRAINT", "SYSTEM_PERIODIC_HOLD_mine", "SYSTEM_PERIODIC_VACATE_mine")],
        *[(name, "job", True) for name in (
            "APPEND_REQUIREMENTS", "APPEND_REQ_VANILLA", "APPEND_RANK", "DEFAULT_RANK")],
    ],
)  # fmt: skip
def test_whom_an_expression_is_asked_about(knob: str, owner: str, other: bool) -> None:
    found = use_of(knob)
    assert found is not None
    assert (found.owner, found.other) == (owner, other)
    for name in ("SYSTEM_PERIODIC_HOLD_NAMES", "SYSTEM_PERIODIC_HOLD_REASON", "SYSTEM_PERIODIC_HOLD_a_SUBCODE", "LOG"):
        assert use_of(name) is None


@pytest.mark.parametrize(
    "name",
    ["MemoryUsage", "CpusUsage", "GPUsUsage", "GPUsMemoryUsage", "ResidentSetSize", "ScratchDirFileCount"],
)
@pytest.mark.parametrize("scope", ["", "TARGET."])
def test_what_is_not_known_in_the_first_seconds(read: Read, scope: str, name: str) -> None:
    name = scope + name
    subject = Subject(read(f"WANT_VACATE = {name} > 5"))
    (found,) = [one for one in check_policy(subject) if "first" in one.message]
    guarded = Subject(read(f"WANT_VACATE = ({name} ?: 0) > 5"))
    assert [one for one in check_policy(guarded) if "first" in one.message] == []
    assert found.message == (
        f"UNDEFINED in the first seconds of a job, before {name} is known, and then HTCondor's startd stops: "
        f"write ({name} ?: 0) or {name} =!= undefined && ..."
    )


@pytest.mark.parametrize(
    ("knob", "daemons"),
    [
        *[(name, ("every daemon",)) for name in (
            "SPOOL", "LOG", "lock", "DAEMON_SOCKET_DIR", "ENABLE_PERSISTENT_CONFIG", "ENABLE_RUNTIME_CONFIG",
            "PERSISTENT_CONFIG_DIR", "SCHEDD.SPOOL")],
        *[(name, ("startd",)) for name in (
            "NUM_CPUS", "MEMORY", "DISK", "RESERVED_MEMORY", "RESERVED_DISK", "RESERVED_SWAP", "NUM_SLOTS",
            "NUM_SLOTS_TYPE_12", "SLOT_TYPE_3", "SLOT_TYPE_3_PARTITIONABLE", "MAX_SLOT_TYPES", "MACHINE_RESOURCE_Cogs",
            "STARTD_RESOURCE_PREFIX", "SLOT_CONFIG_FAILURE_MODE", "BASE_CGROUP")],
        *[(name, ("schedd",)) for name in ("JOB_QUEUE_LOG", "LOCAL_UNIV_EXECUTE")],
        ("EXECUTE", ("startd", "schedd")), ("ACCOUNTANT_DATABASE_FILE", ("negotiator",)),
        ("SLOT_TYPE_3_START", ()), ("SPOOLER", ()), ("NUM_SLOTS_TYPE_x", ()),
    ],
)  # fmt: skip
def test_knobs_that_daemons_take_over_when_they_start(knob: str, daemons: tuple[str, ...]) -> None:
    assert read_at_start(knob) == daemons


def test_changes_that_wait_for_a_restart(read: Read) -> None:
    text = "SPOOL = /a\nMEMORY = 1\nJOB_QUEUE_LOG = /q\nSTART = x"
    for subsystem, knobs in (("STARTD", ["SPOOL", "MEMORY"]), ("SCHEDD", ["SPOOL", "JOB_QUEUE_LOG"]),
                             ("TOOL", ["SPOOL", "MEMORY", "JOB_QUEUE_LOG"]), ("MASTER", ["SPOOL"])):  # fmt: skip
        before = read("MEMORY = 2", subsystem)
        found = list(check_changes(before, read(text, subsystem)))
        assert sorted(one.knob for one in found) == sorted(knobs)
        assert {one.severity for one in found} == {"warning"}
        messages = {one.knob: (one.line, one.message) for one in found}
        assert messages["SPOOL"] == (2, "the change from /pool/spool to /a takes effect when the daemon restarts")


def test_programs_of_cron_that_are_left_out_are_named(read: Read) -> None:
    for base in ("STARTD_CRON", "SCHEDD_CRON"):
        text = f"{base}_JOBLIST = a b\n{base}_a_EXECUTABLE = /a\n{base}_a_PERIOD = x\n"
        found = [(one.severity, one.knob, one.line, one.message) for one in check_programs(Subject(read(text)))]
        assert found == [
            ("error", f"{base}_a_PERIOD", 4, "'x' is not a number with s, m or h behind it; the job is left out"),
            ("error", f"{base}_b_EXECUTABLE", 2, f"{base}_b_EXECUTABLE is not set; the job is left out"),
        ]
    (found,) = check_programs(Subject(read("BENCHMARKS_JOBLIST = a")))
    assert (found.knob, found.line) == ("BENCHMARKS_a_EXECUTABLE", 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("START = (a", "error START: unbalanced parentheses, 1 ( not closed: (a"),
        ("START = a))", "error START: unbalanced parentheses, 2 ) too many: a))"),
        ('START = ")" == "("', ""),
        ("MINE = (a > 1\nSTART = $(MINE)",
         "error MINE: unbalanced parentheses, 1 ( not closed: (a > 1|"
         "error START: the expression does not parse, see MINE"),
        ("MINE = a smile :)", ""),
        ("START = $(CpuBusy) $(NotThere) &&",
         "error START: the expression does not parse, $(CpuBusy), $(NotThere) are not defined "
         "(use FEATURE : POLICY_EXPR_FRAGMENTS sets CpuBusy)"),
        ('RANK = "5"', 'warning RANK: "5" is a string: as a rank it counts as 0'),
        ('NEGOTIATOR_PRE_JOB_RANK = "5"',
         'warning NEGOTIATOR_PRE_JOB_RANK: "5" is a string: as a rank it counts as 0'),
        ('START = "5"', ""),
        (f"START = ({'x' * 100}", f"error START: unbalanced parentheses, 1 ( not closed: ({'x' * 76}..."),
    ],
)  # fmt: skip
def test_expressions_that_do_not_parse(read: Read, text: str, message: str) -> None:
    found = [f"{one.severity} {one.knob}: {one.message}" for one in check_expressions(Subject(read(text)))]
    assert found == [one for one in message.split("|") if one]


@pytest.mark.parametrize(
    ("word", "meant"),
    [("Ture", ", did you mean True?"), ("flase", ", did you mean False?"),
     ("LINUX_qqqq", ': a string has quotation marks, "LINUX_qqqq"')],
)  # fmt: skip
def test_words_that_no_ad_has(read: Read, word: str, meant: str) -> None:
    found = [one.message for one in check_policy(Subject(read(f"START = OpSys == {word}")))]
    assert f"{word} is the name of an attribute that no ad has{meant}" in found


@pytest.mark.parametrize("before", ["LOG =", "use FEATURE : PartitionableSlot", "MINE = x|", "START = a"])
def test_each_setting_is_looked_at(read: Read, before: str) -> None:
    found = [one.message for one in check_files(Subject(read(f"{before}\nSPOOL = spool")))]
    assert found == ["spool is no full path: daemons work in /"]


def test_subsystems_of_four_letters_are_told(read: Read) -> None:
    (found,) = check_names(Subject(read("SSSD_ADMIN_EMAIL = x")))
    assert found.message == "SSSD is no daemon or tool, did you mean SSHD_ADMIN_EMAIL?"


def test_the_pool_of_grid_jobs(read: Read) -> None:
    assert grid(read("COLLECTOR_HOST = a.example")).pool == "a.example"
