"""Every word, name and amount that lint knows: what is right is left in peace, and what is wrong is named in full."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from condor_py.lang.config import load, table
from condor_py.lang.config.builders.isolation import promise_of
from condor_py.lang.config.lint import lint
from condor_py.lang.config.lint.effects import check_effects
from condor_py.lang.config.lint.files import check_files
from condor_py.lang.config.lint.finding import Finding
from condor_py.lang.config.lint.groups import check_groups
from condor_py.lang.config.lint.names import check_names
from condor_py.lang.config.lint.starting import check_starting
from condor_py.lang.config.lint.subject import Subject
from condor_py.lang.config.lint.sums import check_sums
from condor_py.lang.config.lint.values import check_values
from condor_py.lang.config.lint.words import check_words

Check = Callable[[Subject], Iterator[Finding]]
Found = Callable[[Check, str], list[str]]


@pytest.fixture
def found(tmp_path: Path) -> Found:
    """The findings of one check about a configuration as "severity KNOB: message"."""

    def findings(check: Check, text: str) -> list[str]:
        path = tmp_path / "condor_config"
        path.write_text(f"LOCAL_DIR = {tmp_path}/pool\n{text}\n")
        subject = Subject(load({"CONDOR_CONFIG": str(path), "PATH": "/usr/bin:/bin"}))
        return [f"{one.severity} {one.knob}: {one.message}" for one in check(subject)]

    return findings


# -- words

#: Knob, its words as the message shows them, further words that count, what another word leads to.
_WORDS = (
    ("MASTER_NEW_BINARY_RESTART", "GRACEFUL PEACEFUL FAST NEVER", "", ""),
    ("JOB_DEFAULT_NOTIFICATION", "never always complete error", "", "jobs that do not say are not queued"),
    ("SUBMIT_DEFAULT_SHOULD_TRANSFER_FILES", "yes no if_needed true false auto never always", "", ""),
    ("SUBMIT_REQUEST_MISSING_UNITS", "error warn", "", "nothing is said of missing units"),
    ("STARTD_CRON_a_MODE", "Periodic WaitForExit OneShot OnDemand", "", "it is left out"),
    ("SCHEDD_CRON_a_MODE", "Periodic WaitForExit OneShot OnDemand", "", "it is left out"),
    ("STARTD_CRON_AUTOPUBLISH", "NEVER ALWAYS IF_CHANGED", "", "NEVER is used"),
    ("SCHEDD_CRON_AUTOPUBLISH", "NEVER ALWAYS IF_CHANGED", "", "NEVER is used"),
    ("BENCHMARKS_AUTOPUBLISH", "NEVER ALWAYS IF_CHANGED", "", "NEVER is used"),
    ("VM_TYPE", "kvm xen", "", "no virtual machines are offered"),
    ("VM_NETWORKING_TYPE", "nat user bridge", "", ""),
    ("VM_NETWORKING_DEFAULT_TYPE", "nat user bridge", "", ""),
    ("EVENT_LOG_FORMAT_OPTIONS", "ISO_DATE UTC SUB_SECOND XML JSON LEGACY",
     "!ISO_DATE !UTC !SUB_SECOND !XML !JSON", ""),
    ("DEFAULT_USERLOG_FORMAT_OPTIONS", "ISO_DATE UTC SUB_SECOND XML JSON LEGACY",
     "!ISO_DATE !UTC !SUB_SECOND !XML !JSON", ""),
    ("LVM_HIDE_MOUNT", "auto true false", "", ""),
    ("STARTER_LOG_NAME_APPEND", "slot true false cluster clusterid jobid", "1 0", "it counts as Slot"),
    ("SINGULARITY_USE_PID_NAMESPACES", "auto true false yes no t f", "1 0", "it counts as auto"),
    ("SEC_DEFAULT_AUTHENTICATION", "NEVER OPTIONAL PREFERRED REQUIRED", "", ""),
    ("SEC_READ_ENCRYPTION", "NEVER OPTIONAL PREFERRED REQUIRED", "", ""),
    ("SEC_CLIENT_INTEGRITY", "NEVER OPTIONAL PREFERRED REQUIRED", "", ""),
    ("SEC_DEFAULT_NEGOTIATION", "NEVER OPTIONAL PREFERRED REQUIRED", "", ""),
    ("HISTORY_CONTAINS_JOB_ENVIRONMENT", "true false yes no t f", "1 0", ""),
    ("CONSUMPTION_POLICY", "true false yes no t f", "1 0", ""),
    ("SUBMIT_SKIP_FILECHECKS", "true false yes no t f", "1 0", ""),
    ("SLOT_CONFIG_FAILURE_MODE", "CONTINUE CLEAR ABORT", "", ""),
    ("CGROUP_MEMORY_LIMIT_POLICY", "hard soft none custom", "", ""),
    ("DEFRAG_DRAINING_SCHEDULE", "graceful quick fast", "", ""),
    ("JOB_EXECDIR_PERMISSIONS", "user group world", "", ""),
    ("BACKFILL_SYSTEM", "BOINC COMMAND", "", ""),
    ("LINUX_HIBERNATION_METHOD", "pm-utils systemd /sys /proc", "", ""),
    ("DEFAULT_UNIVERSE",
     "container docker grid java local parallel scheduler vanilla vm", "5 7 9 10 11 12 13",
     "jobs that do not say are not queued"),
)  # fmt: skip


@pytest.mark.parametrize(("knob", "shown", "more", "then"), _WORDS)
def test_the_words_of_a_knob(found: Found, knob: str, shown: str, more: str, then: str) -> None:
    words = [*shown.split(), *more.split()]
    lines = [f"L{number}.{knob} = {each}" for word in words for number, each in enumerate((word, word.swapcase()))]
    for word, line in zip((word for word in words for _ in range(2)), lines, strict=True):
        assert found(check_words, line) == [], word
    expected = f"error {knob}: 'qqqqqqqq' is not one of {', '.join(shown.split())}{f'; {then}' if then else ''}"
    assert found(check_words, f"{knob} = qqqqqqqq") == [expected]


_LISTS = ("VM_NETWORKING_TYPE", "EVENT_LOG_FORMAT_OPTIONS", "DEFAULT_USERLOG_FORMAT_OPTIONS")


@pytest.mark.parametrize(("knob", "shown"), [row[:2] for row in _WORDS])
def test_only_a_list_takes_two_words(found: Found, knob: str, shown: str) -> None:
    two = " ".join(shown.split()[:2])
    told = found(check_words, f"{knob} = {two}")
    assert told == [] if knob in _LISTS else told[0].startswith(f"error {knob}: '{two}' is not one of ")


def test_a_word_next_to_the_right_one_is_answered_with_that_one(found: Found) -> None:
    assert found(check_words, "VM_NETWORKING_TYPE = nat, brigde") == [
        "error VM_NETWORKING_TYPE: 'brigde' is not one of nat, user, bridge, did you mean bridge?"
    ]
    assert found(check_words, 'VM_NETWORKING_DEFAULT_TYPE = "nat"') == []
    assert found(check_words, "SLOT_TYPE_1_CONSUMPTION_POLICY = maybe")[0].startswith("error SLOT_TYPE_1_CONSUMPTION")
    assert found(check_words, "CONSUMPTION_POLICY = 1 == 1\nSLOT_TYPE_1_CONSUMPTION_POLICY = 2 > 1") == []
    assert found(check_words, "VM_TYPE =") == []


#: Categories of HTCondor's debug flags (condor_config_val -help-knob, D_...).
_CATEGORIES = [
    "ALWAYS",
    "ERROR",
    "STATUS",
    "ZKM",
    "JOB",
    "MACHINE",
    "CONFIG",
    "PROTOCOL",
    "PRIV",
    "DAEMONCORE",
    "FULLDEBUG",
    "SECURITY",
    "COMMAND",
    "MATCH",
    "NETWORK",
    "KEYBOARD",
    "PROCFAMILY",
    "IDLE",
    "THREADS",
    "ACCOUNTANT",
    "SYSCALLS",
    "CRON",
    "HOSTNAME",
    "PERF_TRACE",
    "LOAD",
    "25",
    "26",
    "AUDIT",
    "TEST",
    "STATS",
    "MATERIALIZE",
    "DYE",
    "ALL",
    "ANY",
    "PID",
    "FDS",
    "IDENT",
    "LEVEL",
    "CATEGORY",
    "CAT",
    "SUB_SECOND",
    "TIMESTAMP",
    "BACKTRACE",
    "FAILURE",
    "GENERIC",
    "LOCK",
    "UID",
    "NODATE",
    "NOHEADER",
    "EXPR",
    "PROC",
    "NFS",
    "CKPT",
    "GENERAL",
    "GRIDMANAGER",
    "WORKFLOW",
    "SECONDS",
]


def test_debug_categories(found: Found) -> None:
    text = " ".join(f"D_{name} -D_{name.lower()}:2, D_{name}:0|D_{name}:1" for name in _CATEGORIES)
    assert found(check_words, f"SCHEDD_DEBUG = {text}") == []
    assert found(check_words, "STARTD_DEBUG = D_FULDEBUG D_JOB:3 COMMAND D_QQQQQQQQQQ:1") == [
        "warning STARTD_DEBUG: D_FULDEBUG is no debug category, did you mean D_FULLDEBUG?",
        "warning STARTD_DEBUG: D_JOB:3: the levels of a category are 0, 1 and 2",
        "warning STARTD_DEBUG: COMMAND is no debug category, did you mean D_COMMAND?",
        "warning STARTD_DEBUG: D_QQQQQQQQQQ:1 is no debug category",
    ]
    assert found(check_words, "MY_DEBUG = other\nSCHEDD_DEBUG = $(MY_DEBUG) D_JOB")[0].startswith("warning SCHEDD_DEB")


_GROUPS = (
    "ALL", "DEFAULT", "DC", "SCHEDULER", "SCHEDD", "STARTD", "NEGOTIATOR", "COLLECTOR", "MASTER", "TRANSFER",
    "DAEMONCORE", "SHADOW", "STARTER", "GRIDMANAGER",
)  # fmt: skip


def test_daemons_of_statistics_and_kinds_of_metrics(found: Found) -> None:
    text = ", ".join(f"{name}:2R {name.lower()}" for name in _GROUPS)
    assert found(check_words, f"STATISTICS_TO_PUBLISH = {text}") == []
    assert found(check_words, "STATISTICS_TO_PUBLISH = SCHEDDD:1 qqqqqqqqqqqq") == [
        "warning STATISTICS_TO_PUBLISH: SCHEDDD is no daemon, did you mean SCHEDD?",
        f"warning STATISTICS_TO_PUBLISH: qqqqqqqqqqqq is no daemon: there are {', '.join(_GROUPS)}",
    ]
    assert found(check_words, "STARTD_CRON_a_METRICS = SUM:GPUs, peak:GPUsMemory") == []
    assert found(check_words, "STARTD_CRON_a_METRICS = AVERAGE:GPUs, PAEK:x") == [
        "warning STARTD_CRON_a_METRICS: AVERAGE is no metric: there are SUM, PEAK",
        "warning STARTD_CRON_a_METRICS: PAEK is no metric, did you mean PEAK?",
    ]


@pytest.mark.parametrize(
    "knob",
    ["CONDOR_HOST", "COLLECTOR_HOST", "SCHEDD_HOST", "CREDD_HOST", "NETWORK_HOSTNAME", "FULL_HOSTNAME", "UID_DOMAIN",
     "FILESYSTEM_DOMAIN", "DEFAULT_DOMAIN_NAME", "TRUST_DOMAIN", "HOST_ALIAS", "SCHEDD_NAME", "STARTD_NAME",
     "MASTER_NAME", "NEGOTIATOR_NAME"],
)  # fmt: skip
def test_names_of_machines_and_domains(found: Found, knob: str) -> None:
    assert found(check_words, f"{knob} = a-b.example.org") == []
    assert found(check_words, f'{knob} = "a.b"') == [
        f'warning {knob}: the quotation marks of "a.b" are part of the name: leave them out'
    ]
    assert found(check_words, f"{knob} = a b") == [
        f"warning {knob}: 'a b' is no name of a machine or domain: it has a space"
    ]


@pytest.mark.parametrize("knob", ["CONDOR_HOST", "COLLECTOR_HOST"])
def test_addresses_have_ports_that_are_numbers(found: Found, knob: str) -> None:
    assert found(check_words, f"{knob} = a:9618, b:9619?sock=x, [::1]") == []
    assert found(check_words, f"{knob} = a:9618, b:port?sock=x") == [
        f"warning {knob}: 'port' of b:port?sock=x is no port"
    ]
    assert found(check_words, "SCHEDD_HOST = a:port") == []


# -- names

_SUBSYSTEMS = [
    "MASTER",
    "SCHEDD",
    "STARTD",
    "STARTER",
    "NEGOTIATOR",
    "COLLECTOR",
    "SHADOW",
    "TOOL",
    "SUBMIT",
    "DAGMAN",
    "DEFRAG",
    "ROOSTER",
    "JOB_ROUTER",
    "GRIDMANAGER",
    "SHARED_PORT",
    "CREDD",
    "HAD",
    "REPLICATION",
    "KBDD",
    "TRANSFERER",
    "GAHP",
    "PROCD",
    "VM_GAHP",
    "GANGLIAD",
    "TRANSFERD",
    "ANNEXD",
    "VIEW_SERVER",
    "CONDOR_VIEW",
    "C_GAHP",
    "C_GAHP_WORKER_THREAD",
    "STATS",
    "JOB",
    "PREEN",
    "CLUSTER",
    "LEASEMANAGER",
    "QUILL",
    "DOCKER",
    "DBMSD",
    "HDFS",
    "SSHD",
    "PASSWD_CACHE",
    "TEST",
    "ALL",
    "DEFAULT",
    "EVENTD",
    "ADSTASH",
    "CREDMON_OAUTH",
    "CREDMON_KRB",
]


@pytest.mark.parametrize("name", _SUBSYSTEMS)
def test_the_prefix_of_a_knob_is_a_subsystem(found: Found, name: str) -> None:
    assert found(check_names, f"{name}.NUM_CPUS = 1\n{name.lower()}.MEMORY = 100\n{name}.local.DISK = 1") == []
    wrong = f"{name[:2]}{name[1:]}"  # a letter twice
    if len(name) > 3:
        assert found(check_names, f"{wrong}.NUM_CPUS = 1") == [
            f"warning {wrong}.NUM_CPUS: {wrong} is no daemon or tool, did you mean {name}.NUM_CPUS?"
        ]


_LEVELS = (
    "READ", "WRITE", "ADMINISTRATOR", "CONFIG", "OWNER", "DAEMON", "NEGOTIATOR", "ADVERTISE_MASTER", "ADVERTISE_STARTD",
    "ADVERTISE_SCHEDD", "CLIENT", "SOAP", "DEFAULT", "IMMEDIATE_FAMILY",
)  # fmt: skip


def test_levels_of_access(found: Found) -> None:
    hows = ("ALLOW", "DENY", "HOSTALLOW", "HOSTDENY")
    text = "".join(f"{how}_{level} = *\n{how}_{level}_SCHEDD = *\n" for how in hows for level in _LEVELS)
    assert [one for one in found(check_names, text) if "access level" in one] == []
    for how in hows:
        assert found(check_names, f"{how}_REEAD = *") == [
            f"warning {how}_REEAD: there is no access level REEAD, did you mean {how}_READ?"
        ]
    assert found(check_names, "ALLOW_QQQQQQQQ = *") == [
        "warning ALLOW_QQQQQQQQ: there is no access level QQQQQQQQ: there are READ, WRITE, ADMINISTRATOR, CONFIG, "
        "OWNER, DAEMON, NEGOTIATOR, ADVERTISE_MASTER and others"
    ]
    for level in _LEVELS[2:]:
        wrong = f"{level[:3]}{level[2:]}"
        assert found(check_names, f"DENY_{wrong} = *") == [
            f"warning DENY_{wrong}: there is no access level {wrong}, did you mean DENY_{level}?"
        ]


_CRON = (
    "ARGS", "CONDITION", "CWD", "ENV", "EXECUTABLE", "JOB_LOAD", "KILL", "METRICS", "MODE", "OPTIONS", "PERIOD",
    "PREFIX", "RECONFIG", "RECONFIG_RERUN", "SLOTS", "RUN_CONDITION",
)  # fmt: skip


@pytest.mark.parametrize("base", ["STARTD_CRON", "SCHEDD_CRON"])
def test_settings_of_cron_programs(found: Found, base: str) -> None:
    text = f"{base}_JOBLIST = one one_two\n" + "".join(f"{base}_one_{name} = x\n" for name in _CRON)
    assert found(check_names, text) == []
    for name in _CRON:
        assert found(check_names, f"{base}_JOBLIST = one\n{base}_other_{name} = x") == [
            f"warning {base}_other_{name}: nothing comes of it, because other is not in {base}_JOBLIST"
        ]
    assert found(check_names, f"{base}_JOBLIST = one one_two\n{base}_one_two_PERIOAD = x\n{base}_one_QQQQQQQQ = x") == [
        f"warning {base}_one_two_PERIOAD: cron programs have no setting PERIOAD, did you mean {base}_one_two_PERIOD?",
        f"warning {base}_one_QQQQQQQQ: cron programs have no setting QQQQQQQQ: there are {', '.join(_CRON)}",
    ]
    assert found(check_names, f"{base}_JOBLIST = x_y x z_longer\n{base}_x_y_PERIOD = 1") == []
    assert found(check_names, f"{base}_JOBLIST = memory\n{base}_memmory_PERIOD = 1m") == [
        f"warning {base}_memmory_PERIOD: nothing comes of it, because memmory is not in {base}_JOBLIST: "
        "did you mean memory?"
    ]


@pytest.mark.parametrize(
    ("start", "names", "endings"),
    [
        ("SYSTEM_PERIODIC_HOLD_", "SYSTEM_PERIODIC_HOLD_NAMES", "_REASON _SUBCODE"),
        ("SYSTEM_PERIODIC_RELEASE_", "SYSTEM_PERIODIC_RELEASE_NAMES", ""),
        ("SYSTEM_PERIODIC_REMOVE_", "SYSTEM_PERIODIC_REMOVE_NAMES", "_REASON"),
        ("SYSTEM_PERIODIC_VACATE_", "SYSTEM_PERIODIC_VACATE_NAMES", "_REASON _SUBCODE"),
        ("SUBMIT_REQUIREMENT_", "SUBMIT_REQUIREMENT_NAMES", "_REASON _IS_WARNING"),
        ("SUBMIT_TEMPLATE_", "SUBMIT_TEMPLATE_NAMES", ""),
        ("JOB_TRANSFORM_", "JOB_TRANSFORM_NAMES", ""),
        ("JOB_ROUTER_ROUTE_", "JOB_ROUTER_ROUTE_NAMES", ""),
    ],
)
def test_a_part_of_a_family_is_listed(found: Found, start: str, names: str, endings: str) -> None:
    text = f"{names} = memory\n" + "".join(f"{start}memory{end} = x\n" for end in ("", *endings.split()))
    assert found(check_names, text) == []
    for end in ("", *endings.split()):
        assert found(check_names, f"{names} = memory\n{start}memmory{end} = x") == [
            f"warning {start}memmory{end}: nothing comes of it, because memmory is not in {names}: "
            f"did you mean {start}memory?"
        ]
        assert found(check_names, f"{start}qqqqqqqqqq{end} = x\nMINE = 1 $({start}qqqqqqqqqq{end})")[0].startswith(
            "note MINE: there is no knob of this name"
        )


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("MODIFY_REQUEST_EXPR_REQUESTCPUS = 1", []),
        ("MODIFY_REQUEST_EXPR_REQUESTMEMORY = 1", []),
        ("MODIFY_REQUEST_EXPR_REQUESTDISK = 1", []),
        ("MODIFY_REQUEST_EXPR_REQUESTGPUS = 1", []),
        ("MODIFY_REQUEST_EXPR_REQUESTSWAP = 1", []),
        ("MACHINE_RESOURCE_COGS = 2\nMODIFY_REQUEST_EXPR_REQUESTCOGS = 1", []),
        ("MACHINE_RESOURCE_NAMES = COGS\nMODIFY_REQUEST_EXPR_REQUESTCOGS = 1", []),
        (
            "MODIFY_REQUEST_EXPR_REQUESTSWAPS = 1",
            ["there is no resource Swaps, did you mean MODIFY_REQUEST_EXPR_REQUESTSWAP?"],
        ),
        ("MODIFY_REQUEST_EXPR_REQUESTQQQQQQ = 1", ["there is no resource Qqqqqq"]),
        ("MAX_SCHEDDD_LOG = 1", ["there is no knob of this name, did you mean MAX_SCHEDD_LOG?"]),
        ("TRUNC_SHADDOW_LOG_ON_OPEN = 1", ["SHADDOW is no daemon or tool, did you mean TRUNC_SHADOW_LOG_ON_OPEN?"]),
        ("LOG_MAX_HISTORY = 1", ["there is no knob of this name, did you mean MAX_HISTORY_LOG?"]),
        ("JOB_ROUTER_QQQQQQQQQQQ = 1", ["there is no knob of this name"]),
        ("SCHEDD_QQQQQQQQQQQ = 1", ["there is no knob of this name: nothing reads it"]),
        ("QQQQQQQQQQQ = 1", ["there is no knob of this name, and no other setting refers to it"]),
        ("SLOT_TYPE_1_STARRT = True", ["there is no knob of this name, did you mean SLOT_TYPE_1_START?"]),
        ("GROUP_NAMES = bio\nGROUP_QOUTA_bio = 1", ["there is no knob of this name, did you mean GROUP_QUOTA_bio?"]),
        ("SLOT1_START_VANILLA = True\nPREEMPT_VANILLA = False", []),
        ("MINE = 1\nSTART = $(MINE)", []),
    ],
)
def test_names_that_are_not_there(found: Found, setting: str, expected: list[str]) -> None:
    assert [one.partition(": ")[2] for one in found(check_names, setting)] == expected


# -- what nothing comes of


@pytest.mark.parametrize(
    "name",
    ["HAD", "REPLICATION", "KBDD", "VIEW_SERVER", "TRANSFERD", "STARTER", "SHADOW", "GRIDMANAGER",
     "LEASEMANAGER", "QUILL", "ANNEXD", "HDFS", "DAGMAN", "CREDMON_OAUTH", "CREDMON_KRB", "VIEW_COLLECTOR", "DOCKERD",
     "EVENTD"],
)  # fmt: skip
def test_a_daemon_of_htcondor_that_is_not_here_is_a_note(found: Found, name: str) -> None:
    for word in (name, name.lower()):
        assert [one for one in found(check_effects, f"DAEMON_LIST = MASTER {word}") if "DAEMON_LIST" in one] == [
            f"note DAEMON_LIST: {word} is no daemon of this pool, nothing is started for it"
        ]


def test_words_of_the_list_of_daemons(found: Found) -> None:
    here = "MASTER COLLECTOR SHARED_PORT PROCD SCHEDD NEGOTIATOR STARTD CREDD DEFRAG ROOSTER JOB_ROUTER GANGLIAD"
    assert found(check_effects, f"DAEMON_LIST = {here} {here.lower()}") == []
    for name in here.split():
        wrong = f"{name[:2]}{name[1:]}"
        assert found(check_effects, f"DAEMON_LIST = {wrong}") == [
            f"warning DAEMON_LIST: {wrong} is no daemon, nothing is started for it, did you mean {name}?"
        ]
    assert found(check_effects, "DAEMON_LIST = MASTER QQQQQQQQQQQ") == [
        "warning DAEMON_LIST: QQQQQQQQQQQ is no daemon, nothing is started for it"
    ]
    assert found(check_effects, "DAEMON_LIST = MASTER QQQQQQQQQQQ\nQQQQQQQQQQQ = /bin/true") == []
    assert found(check_effects, "DAEMON_LIST = MASTER CREDD CREDMON_OAUTH credmon_krb") == []
    for path in (__file__, "/nosuch", "/tmp"):
        assert found(check_effects, f"DAEMON_LIST = MASTER QQQQQQQQQQQ\nQQQQQQQQQQQ = {path}") == [
            f"warning DAEMON_LIST: QQQQQQQQQQQ is {path}, which is no program that can be executed"
        ]


@pytest.mark.parametrize(
    ("names", "form", "others"),
    [
        ("JOB_TRANSFORM_NAMES", "JOB_TRANSFORM_{}", ()),
        ("JOB_ROUTER_ROUTE_NAMES", "JOB_ROUTER_ROUTE_{}", ()),
        ("JOB_ROUTER_PRE_ROUTE_TRANSFORM_NAMES", "JOB_ROUTER_TRANSFORM_{}", ()),
        ("JOB_ROUTER_POST_ROUTE_TRANSFORM_NAMES", "JOB_ROUTER_TRANSFORM_{}", ()),
        ("SUBMIT_TEMPLATE_NAMES", "SUBMIT_TEMPLATE_{}", ()),
        ("DOCKER_MOUNT_VOLUMES", "DOCKER_VOLUME_DIR_{}", ()),
        ("SUBMIT_REQUIREMENT_NAMES", "SUBMIT_REQUIREMENT_{}", ()),
        ("STARTD_CRON_JOBLIST", "STARTD_CRON_{}_EXECUTABLE", ("STARTD_CRON_{}_JOB_EXECUTABLE",)),
        ("SCHEDD_CRON_JOBLIST", "SCHEDD_CRON_{}_EXECUTABLE", ("SCHEDD_CRON_{}_JOB_EXECUTABLE",)),
        ("SCHEDD_CLASSAD_USER_MAP_NAMES", "CLASSAD_USER_MAPFILE_{}", ("CLASSAD_USER_MAPDATA_{}",)),
        ("SYSTEM_PERIODIC_HOLD_NAMES", "SYSTEM_PERIODIC_HOLD_{}", ()),
        ("SYSTEM_PERIODIC_RELEASE_NAMES", "SYSTEM_PERIODIC_RELEASE_{}", ()),
        ("SYSTEM_PERIODIC_REMOVE_NAMES", "SYSTEM_PERIODIC_REMOVE_{}", ()),
        ("SYSTEM_PERIODIC_VACATE_NAMES", "SYSTEM_PERIODIC_VACATE_{}", ()),
    ],
)
def test_each_name_of_a_list_is_defined(found: Found, names: str, form: str, others: tuple[str, ...]) -> None:
    assert found(check_effects, f"{names} = xyz") == [
        f"warning {names}: it lists xyz, but {form.format('xyz')} is not set"
    ]
    for each in (form, *others):
        lines = found(check_effects, f"{names} = xyz\n{each.format('xyz')} = SET A = 1")
        assert [one for one in lines if "it lists" in one] == []


@pytest.mark.parametrize("names", ["STARTD_ATTRS", "SUBMIT_ATTRS", "SCHEDD_ATTRS", "NEGOTIATOR_ATTRS", "MASTER_ATTRS"])
def test_each_attribute_of_a_list_is_defined(found: Found, names: str) -> None:
    assert found(check_effects, f"{names} = xyz +abc") == [
        f"note {names}: it lists xyz, but xyz is not set",
        f"note {names}: it lists +abc, but abc is not set",
    ]
    assert found(check_effects, f"{names} = xyz\nxyz = 1") == []


def test_grid_resources_of_routes(found: Found) -> None:
    types = ["arc", "azure", "batch", "condor", "ec2", "gce", "lsf", "nordugrid", "pbs", "sge"]
    names = "JOB_ROUTER_ROUTE_NAMES = R\nJOB_ROUTER_ROUTE_R @=end\n"
    for word in types:
        assert found(check_effects, f'{names} SET GridResource "{word} x"\n@end') == [], word
        assert found(check_effects, f"{names} GridResource = {word.upper()} x\n@end") == [], word
    assert found(check_effects, f"{names} GridResource = Slurm\n@end") == [
        "warning JOB_ROUTER_ROUTE_R: GridResource Slurm is a batch system: write batch slurm"
    ]
    assert found(check_effects, f"{names} GridResource = condorr a b\n@end") == [
        "warning JOB_ROUTER_ROUTE_R: GridResource condorr is of no type of grid resources, did you mean condor?"
    ]
    assert found(check_effects, f"{names} GridResource = qqqqqqqqq\n@end") == [
        "warning JOB_ROUTER_ROUTE_R: GridResource qqqqqqqqq is of no type of grid resources"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "STARTER_JOB_HOOK_KEYWORD = A",
            ["STARTER_JOB_HOOK_KEYWORD: there is no hook of this keyword: no A_HOOK_... is set"],
        ),
        ("STARTER_JOB_HOOK_KEYWORD = A\na_hook_JOB_EXIT = /x", []),
        ("STARTER_JOB_HOOK_KEYWORD =", []),
        ("SLOT_TYPE_2 = cpus=1", ["SLOT_TYPE_2: no slot of this type is made, as NUM_SLOTS_TYPE_2 is not set"]),
        (
            "SLOT_TYPE_2_PARTITIONABLE = true",
            ["SLOT_TYPE_2_PARTITIONABLE: no slot of this type is made, as NUM_SLOTS_TYPE_2 is not set"],
        ),
        (
            "SLOT_TYPE_2_BACKFILL = true",
            ["SLOT_TYPE_2_BACKFILL: no slot of this type is made, as NUM_SLOTS_TYPE_2 is not set"],
        ),
        (
            "SLOT_TYPE_2_NAME_PREFIX = a",
            ["SLOT_TYPE_2_NAME_PREFIX: no slot of this type is made, as NUM_SLOTS_TYPE_2 is not set"],
        ),
        ("SLOT_TYPE_2 = cpus=1\nNUM_SLOTS_TYPE_2 = 1", []),
        ("SLOT_TYPE_0 = cpus=1", []),
        ("SLOT_TYPE_2 =", []),
    ],
)
def test_settings_without_effect(found: Found, text: str, expected: list[str]) -> None:
    assert found(check_effects, text) == [f"warning {one}" for one in expected]


# -- amounts


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("NEGOTIATOR_MIN_INTERVAL", "NEGOTIATOR_INTERVAL"),
        ("SCHEDD_MIN_INTERVAL", "SCHEDD_INTERVAL"),
        ("SHUTDOWN_FAST_TIMEOUT", "SHUTDOWN_GRACEFUL_TIMEOUT"),
        ("MASTER_BACKOFF_CONSTANT", "MASTER_BACKOFF_CEILING"),
        ("STARTER_INITIAL_UPDATE_INTERVAL", "STARTER_UPDATE_INTERVAL"),
        ("PERIODIC_EXPR_INTERVAL", "MAX_PERIODIC_EXPR_INTERVAL"),
        ("MIN_TRACKING_GID", "MAX_TRACKING_GID"),
        ("STATISTICS_WINDOW_QUANTUM", "STATISTICS_WINDOW_SECONDS"),
        ("NEGOTIATOR_MAX_TIME_PER_PIESPIN", "NEGOTIATOR_MAX_TIME_PER_CYCLE"),
        ("LOWPORT", "HIGHPORT"),
    ],
)
def test_the_least_is_not_above_the_most(found: Found, low: str, high: str) -> None:
    assert found(check_sums, f"{low} = 50\n{high} = 50") == []
    assert found(check_sums, f"{low} = 51\n{high} = 0") == []
    assert found(check_sums, f"{low} = 51\n{high} = 50") == [
        f"warning {low}: {low} is 51, and so more than {high}, which is 50"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DETECTED_CPUS = 4\nNUM_CPUS = 32", []),
        ("DETECTED_CPUS = 4\nNUM_CPUS = 33", ["NUM_CPUS: 33 cpus are far more than the 4 of this machine"]),
        ("DETECTED_MEMORY = 100\nMEMORY = 800", []),
        ("DETECTED_MEMORY = 100\nMEMORY = 801", ["MEMORY: 801 MB are far more than the 100 of this machine"]),
        ("MEMORY = 100\nRESERVED_MEMORY = 99", []),
        (
            "MEMORY = 100\nRESERVED_MEMORY = 100",
            ["RESERVED_MEMORY: 100 MB are all of the 100 MB of memory: none is for jobs"],
        ),
        (
            "DETECTED_MEMORY = 200\nRESERVED_MEMORY = 200",
            ["RESERVED_MEMORY: 200 MB are all of the 200 MB of memory: none is for jobs"],
        ),
        ("MAX_SLOT_TYPES = 3\nSLOT_TYPE_3 = 1\nNUM_SLOTS_TYPE_3 = 1", []),
        (
            "MAX_SLOT_TYPES = 3\nSLOT_TYPE_4 = 1\nNUM_SLOTS_TYPE_4 = 1",
            ["NUM_SLOTS_TYPE_4: slot types are looked for up to 3: MAX_SLOT_TYPES is 3"],
        ),
        ("NUM_SLOTS_TYPE_1 = 1", []),
        ("NUM_SLOTS_TYPE_2 = 0", []),
        (
            "NUM_SLOTS_TYPE_2 = 1",
            ["NUM_SLOTS_TYPE_2: SLOT_TYPE_2 is not set: nothing says what slots of this type have"],
        ),
        ("VM_TYPE =", []),
        ("VM_TYPE = kvm", ["VM_TYPE: no virtual machine is offered without VM_MEMORY, the MB for all of them"]),
        ("VM_TYPE = kvm\nDETECTED_MEMORY = 100\nVM_MEMORY = 100", []),
        (
            "VM_TYPE = kvm\nDETECTED_MEMORY = 100\nVM_MEMORY = 101",
            ["VM_MEMORY: 101 MB are more than the 100 MB of this machine"],
        ),
        ("GROUP_NAMES = a, b, A", ["GROUP_NAMES: it lists A twice"]),
        ("NUM_CPUS = 8\nGROUP_NAMES = a\nGROUP_QUOTA_a = 8", []),
        (
            "NUM_CPUS = 8\nGROUP_NAMES = a\nGROUP_QUOTA_a = 9",
            ["GROUP_QUOTA_a: 9 is more than the cpus of this machine, 8"],
        ),
        (
            "DETECTED_CPUS_LIMIT = 4\nGROUP_NAMES = a\nGROUP_QUOTA_a = 9",
            ["GROUP_QUOTA_a: 9 is more than the cpus of this machine, 4"],
        ),
        ("NUM_CPUS = 8\nSLOT_WEIGHT = 1\nGROUP_NAMES = a\nGROUP_QUOTA_a = 9", []),
        ("NUM_CPUS = 8\nGROUP_NAMES = a b\nGROUP_QUOTA_a = 5\nGROUP_QUOTA_b = 5", []),
        (
            "GROUP_NAMES = a\nGROUP_QUOTA_a = 1\nGROUP_QUOTA_DYNAMIC_a = 1",
            ["GROUP_QUOTA_DYNAMIC_a: it does not count, because GROUP_QUOTA_a is set as well"],
        ),
        ("NUM_CPUS = 8\nGROUP_NAMES = a a.b a.c\nGROUP_QUOTA_a = 4\nGROUP_QUOTA_a.b = 2\nGROUP_QUOTA_a.c = 2", []),
        (
            "NUM_CPUS = 8\nGROUP_NAMES = a a.b a.c a.d\nGROUP_QUOTA_a = 4\nGROUP_QUOTA_a.b = 2\n"
            "GROUP_QUOTA_a.c = 3\nGROUP_QUOTA_a.d = 1",
            ["GROUP_QUOTA_a.c: the quotas of the groups of a add up to more than GROUP_QUOTA_a, 4"],
        ),
        (
            "NUM_CPUS = 8\nGROUP_NAMES = a a.b\nGROUP_QUOTA_a = 4\nGROUP_QUOTA_a.b = 5",
            ["GROUP_QUOTA_a.b: 5 is more than GROUP_QUOTA_a, 4"],
        ),
        ("NUM_CPUS = 8\nGROUP_NAMES = a a.b\nGROUP_QUOTA_a.b = 5", []),
    ],
)
def test_amounts_that_do_not_go_together(found: Found, text: str, expected: list[str]) -> None:
    assert found(check_sums, text) == [f"warning {one}" for one in expected]


def test_all_of_the_disk_is_reserved(found: Found) -> None:
    (one,) = found(check_sums, "RESERVED_DISK = 99999999999\nEXECUTE = /not/there")
    status = os.statvfs("/")
    size = float(status.f_frsize * status.f_blocks >> 20)
    assert one == f"warning RESERVED_DISK: 1e+11 MB are all of the {size:g} MB of the disk: none is for jobs"
    assert found(check_sums, "RESERVED_DISK = 1") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GROUP_NAMES = a.b", ["warning GROUP_NAMES: a.b is ignored, because a is not in the list"]),
        ("GROUP_NAMES = a.b A", []),
        (
            "GROUP_NAMES = bio\nGROUP_QUOTA_bioo = 1",
            ["warning GROUP_QUOTA_bioo: this does nothing, because bioo is not in GROUP_NAMES: did you mean bio?"],
        ),
        (
            "GROUP_NAMES = bio\nGROUP_PRIO_FACTOR_qqqqqq = 1",
            ["warning GROUP_PRIO_FACTOR_qqqqqq: this does nothing, because qqqqqq is not in GROUP_NAMES"],
        ),
        (
            "GROUP_ACCEPT_SURPLUS_qqqqqq = 1",
            ["warning GROUP_ACCEPT_SURPLUS_qqqqqq: this does nothing, because qqqqqq is not in GROUP_NAMES"],
        ),
        (
            "GROUP_AUTOREGROUP_qqqqqq = 1",
            ["warning GROUP_AUTOREGROUP_qqqqqq: this does nothing, because qqqqqq is not in GROUP_NAMES"],
        ),
        (
            "GROUP_QUOTA_DYNAMIC_qqqqqq = 1",
            ["warning GROUP_QUOTA_DYNAMIC_qqqqqq: this does nothing, because qqqqqq is not in GROUP_NAMES"],
        ),
        ("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS = 1\nGROUP_QUOTA_ROUND_ROBIN_RATE = 1\nGROUP_ACCEPT_SURPLUS = True", []),
        ("GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = 1", []),
        (
            "GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = 1.5",
            ["error GROUP_QUOTA_DYNAMIC_a: 1.5 is not a part of the parent's quota: write a number from 0 to 1"],
        ),
        ("GROUP_NAMES = a b\nGROUP_QUOTA_DYNAMIC_a = .66667\nGROUP_QUOTA_DYNAMIC_b = .33334", []),
        (
            "GROUP_NAMES = a b c\nGROUP_QUOTA_DYNAMIC_a = .5\nGROUP_QUOTA_DYNAMIC_b = .6\nGROUP_QUOTA_DYNAMIC_c = .5",
            ["warning GROUP_QUOTA_DYNAMIC_b: the dynamic quotas of all groups add up to 1.1: each gets less"],
        ),
        (
            "GROUP_NAMES = a a.b a.c\nGROUP_QUOTA_DYNAMIC_a = .5\nGROUP_QUOTA_DYNAMIC_a.b = .6\n"
            "GROUP_QUOTA_DYNAMIC_a.c = .5",
            ["warning GROUP_QUOTA_DYNAMIC_a.c: the dynamic quotas of the groups of a add up to 1.1: each gets less"],
        ),
        (
            'GROUP_SORT_EXPR = AccountingGroup == "x" ? 1 : GroupQuota + GroupResourcesInUse + GroupResourcesAllocated',
            [],
        ),
        (
            "GROUP_SORT_EXPR = Quota",
            [
                "warning GROUP_SORT_EXPR: Quota is always UNDEFINED here, groups are sorted by "
                "AccountingGroup, GroupQuota, GroupResourcesInUse, GroupResourcesAllocated"
            ],
        ),
        (
            "PREEMPTION_REQUIREMENTS = 1 < 2",
            [
                "warning PREEMPTION_REQUIREMENTS: any user may preempt any other, who then preempts them: "
                "compare RemoteUserPrio and SubmitterUserPrio"
            ],
        ),
        ("PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2", []),
    ],
)
def test_groups(found: Found, text: str, expected: list[str]) -> None:
    assert found(check_groups, text) == expected


# -- files


def test_directories_and_files_that_are_not_there(found: Found, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("")
    made = ("LOCAL_DIR", "SPOOL", "LOG", "LOCK", "RUN", "EXECUTE", "DAEMON_SOCKET_DIR", "LOCAL_UNIV_EXECUTE",
            "SLOT1_EXECUTE")  # fmt: skip
    there = ("PER_JOB_HISTORY_DIR", "JOB_EPOCH_HISTORY_DIR", "STARTD_PER_JOB_HISTORY_DIR", "STARTD_CRON_a_CWD",
             "SCHEDD_CRON_a_CWD", "BACKFILL_COMMAND_INITIALDIR", "BOINC_INITIALDIR", "DOCKER_VOLUME_DIR_a")  # fmt: skip
    read = ("CLASSAD_USER_MAPFILE_a", "JOB_ROUTER_ENTRIES_FILE", "INTERACTIVE_SUBMIT_FILE", "DAGMAN_CONFIG_FILE",
            "DAGMAN_INSERT_SUB_FILE", "PROTECTED_URL_TRANSFER_MAPFILE", "GRIDMANAGER_CONDOR_CONFIG",
            "CHECKPOINT_DESTINATION_MAPFILE", "EXTENDED_SUBMIT_HELPFILE", "DOCKER_TEST_IMAGE_PATH")  # fmt: skip
    written = ("EVENT_LOG", "HISTORY", "STARTD_HISTORY", "JOB_EPOCH_HISTORY", "NEGOTIATION_HISTORY", "STARTD_EVENTLOG",
               "JOB_QUEUE_LOG", "ACCOUNTANT_DATABASE_FILE", "FILE_TRANSFER_STATS_LOG", "COLLECTOR_PERSISTENT_AD_LOG",
               "SHADOW_RECONNECT_LOG", "MASTER_LOG", "SCHEDD_LOG", "STARTD_LOG", "STARTER_LOG", "NEGOTIATOR_LOG",
               "NEGOTIATOR_MATCH_LOG", "DEFRAG_LOG", "JOB_ROUTER_LOG", "ROOSTER_LOG", "GRIDMANAGER_LOG")  # fmt: skip
    accounts = ("SLOT1_USER", "SLOT1_2_USER", "NOBODY_SLOT_USER", "VM_UNIV_NOBODY_USER", "BACKFILL_COMMAND_OWNER",
                "BOINC_OWNER")  # fmt: skip
    cases = (
        (made, "relative", "relative is no full path: daemons work in /"),
        (made, f"{plain}/x/y", f"{plain}/x/y cannot be made: {plain} is no directory"),
        (made, f"{plain}", f"{plain} is no directory"),
        (made, "/proc/x", "/proc/x cannot be made in /proc"),
        (made, "/sys/x", "/sys/x cannot be made in /sys"),
        (made, f"{tmp_path}/new/more", ""),
        (made, "auto", ""),
        (there, "/not/there", "/not/there is not there"),
        (there, f"{plain}", f"{plain} is no directory"),
        (there, f"{tmp_path}", ""),
        (read, "/not/there", "/not/there is not there"),
        (read, f"{tmp_path}", f"{tmp_path} is no file"),
        (read, f"{plain}", ""),
        (read, "relative", ""),
        (written, f"{tmp_path}", f"{tmp_path} is a directory: a file is meant"),
        (written, "relative", "relative is no full path: daemons work in /"),
        (written, "/not/there", "the directory /not is not there"),
        (written, f"{tmp_path}/new", ""),
        (accounts, "root", ""),
        (accounts, "root@example.org", ""),
        (accounts, "no-such-account", "there is no account no-such-account"),
    )  # fmt: skip
    for knobs, value, message in cases:
        for knob in knobs:
            lines = [one for one in found(check_files, f"{knob} = {value}") if one.split()[1] == f"{knob}:"]
            assert lines == ([f"warning {knob}: {message}"] if message else []), (knob, value)


def test_programs_that_are_not_there(found: Found, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("")
    programs = (
        "USER_JOB_WRAPPER", "HIBERNATION_PLUGIN", "GPU_MONITOR", "BOINC_EXECUTABLE", "STARTD_CRON_a_EXECUTABLE",
        "SCHEDD_CRON_a_EXECUTABLE", "BENCHMARKS_a_EXECUTABLE", "A_HOOK_FETCH_WORK", "A_HOOK_REPLY_FETCH",
        "A_HOOK_PREPARE_JOB", "A_HOOK_PREPARE_JOB_BEFORE_TRANSFER", "A_HOOK_SHADOW_PREPARE_JOB",
        "A_HOOK_UPDATE_JOB_INFO", "A_HOOK_EVICT_CLAIM", "A_HOOK_JOB_EXIT", "A_HOOK_TRANSLATE_JOB",
        "A_HOOK_JOB_FINALIZE", "A_HOOK_JOB_CLEANUP", "LIBVIRT_XML_SCRIPT", "MASTER", "SCHEDD", "STARTD", "NEGOTIATOR",
        "STARTER",
    )  # fmt: skip
    optional = ("SINGULARITY", "DOCKER", "MAIL", "QEMU", "VIRSH")
    cases = (
        ("no-such-program", "there is no program no-such-program in PATH"),
        ("sh", ""),
        ("a/b", "a/b is no full path"),
        ("/not/there", "there is no program /not/there"),
        (f"{tmp_path}", f"{tmp_path} is a directory, no program"),
        (f"{plain}", f"{plain} is no program: it lacks the right to be executed"),
        ("/bin/sh", ""),
    )
    for value, message in cases:
        for knob in (*programs, *optional):
            severity = "note" if knob in optional else "warning"
            assert found(check_files, f"{knob} = {value}") == ([f"{severity} {knob}: {message}"] if message else [])
    assert found(check_files, "FILETRANSFER_PLUGINS = /bin/sh, /not/there /nor/here") == [
        "warning FILETRANSFER_PLUGINS: there is no program /not/there"
    ]
    commands = ("MACHINE_RESOURCE_INVENTORY_a", "BACKFILL_COMMAND", "SLOT1_BACKFILL_COMMAND", "ROOSTER_WAKEUP_CMD",
                "MASTER_SHUTDOWN_a", "JOB_ROUTER_ENTRIES_CMD")  # fmt: skip
    for knob in commands:
        assert found(check_files, f"{knob} = /bin/sh -c x") == []
        assert found(check_files, f"{knob} = word -c x") == []
        assert found(check_files, f'{knob} = "/not/there" -c x') == [f"warning {knob}: there is no program /not/there"]


def test_a_directory_of_sockets_has_a_short_path(found: Found, tmp_path: Path) -> None:
    long = f"{tmp_path}/{'x' * 100}"
    lines = found(check_files, f"DAEMON_SOCKET_DIR = {long}")
    assert lines == [f"warning DAEMON_SOCKET_DIR: the path has {len(long)} characters: sockets need one of at most 90"]
    exact = f"/tmp/{'x' * 85}"
    assert found(check_files, f"DAEMON_SOCKET_DIR = {exact}") == []


def test_an_interface_of_the_network(found: Found) -> None:
    assert found(check_files, "NETWORK_INTERFACE = lo\n") == []
    assert found(check_files, "NETWORK_INTERFACE = 127.0.0.1\n") == []
    assert found(check_files, "NETWORK_INTERFACE = nosuch0\n") == [
        "warning NETWORK_INTERFACE: this machine has no network interface nosuch0"
    ]


# -- values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X = $ENV(NOT_THERE)", ["warning X: the variable NOT_THERE is not in the environment: it is UNDEFINED"]),
        ("X = $(NOT_THERE_AT_ALL)", ["warning X: $(NOT_THERE_AT_ALL) is not defined and counts as nothing"]),
        (
            "FOO_BAR = 1\nX = $(FOO_BARR)",
            ["warning X: $(FOO_BARR) is not defined and counts as nothing, did you mean $(FOO_BAR)?"],
        ),
        (
            "X = $(CpuBusy)",
            [
                "warning X: $(CpuBusy) is not defined and counts as nothing "
                "(use FEATURE : POLICY_EXPR_FRAGMENTS sets it)"
            ],
        ),
        (
            "JOB_TRANSFORM_a = $(NOT_THERE)\nSUBMIT_TEMPLATE_a = $(NOT_THERE)\n"
            "JOB_ROUTER_ROUTE_a = $(NOT_THERE)\nA_HOOK_JOB_EXIT = $(NOT_THERE)",
            [],
        ),
        ("X = $(MY.a) $(TARGET.b) $(JOB.c) $(MACHINE.d) $(1) $(2+) $(3?) $(DOLLAR)", []),
        ("X = $(Y)\nZ = $(X)", ["warning Z: $(Y) is not defined and counts as nothing"]),
        ("DEFAULT_PRIO_FACTOR = 0.5", ["warning DEFAULT_PRIO_FACTOR: '0.5' is less than 1, the least priority factor"]),
        (
            "NICE_USER_PRIO_FACTOR = 0.5",
            ["warning NICE_USER_PRIO_FACTOR: '0.5' is less than 1, the least priority factor"],
        ),
        ("REMOTE_PRIO_FACTOR = 0.5", ["warning REMOTE_PRIO_FACTOR: '0.5' is less than 1, the least priority factor"]),
        ("GROUP_PRIO_FACTOR_a = 0.5", ["warning GROUP_PRIO_FACTOR_a: '0.5' is less than 1, the least priority factor"]),
        ("GROUP_PRIO_FACTOR_a = 1", []),
        ("NUM_SLOTS_TYPE_1 = -1", ["warning NUM_SLOTS_TYPE_1: '-1' is not a number of slots"]),
        ("NUM_SLOTS_TYPE_1 = 0", []),
        (
            "MATLAB_LIMIT = -1",
            ["warning MATLAB_LIMIT: '-1' is not the limit of a concurrency token, which is a number from 0"],
        ),
        (
            "MATLAB_LIMIT = many",
            ["warning MATLAB_LIMIT: 'many' is not the limit of a concurrency token, which is a number from 0"],
        ),
        (
            "CONCURRENCY_LIMIT_DEFAULT_a = many",
            [
                "warning CONCURRENCY_LIMIT_DEFAULT_a: 'many' is not the limit of a concurrency token, "
                "which is a number from 0"
            ],
        ),
        ("MATLAB_LIMIT = 0", []),
        ("MATLAB_LIMIT = many\nX = $(MATLAB_LIMIT)", []),
        (
            "MAX_JOBS_RUNNING = x",
            [
                "error MAX_JOBS_RUNNING: 'x' is not valid, it must be an integer "
                "(default MIN({$(DETECTED_MEMORY), 10000}))"
            ],
        ),
        (
            "MAX_SCHEDD_LOG = x",
            [
                "error MAX_SCHEDD_LOG: 'x' is not valid, it must be a size (10 Mb) or an age (7 days) "
                "(default $(MAX_DEFAULT_LOG))"
            ],
        ),
        (
            "CREATE_CORE_FILES = x",
            ["error CREATE_CORE_FILES: 'x' is not valid, it must be True or False (default true)"],
        ),
        *(
            (
                f'{knob}_EXTRA_ARGUMENTS = "a b',
                [
                    f"warning {knob}_EXTRA_ARGUMENTS: these arguments cannot be read, and nothing that needs them is "
                    "started: Unterminated double-quote."
                ],
            )
            for knob in ("DOCKER", "JAVA", "SINGULARITY")
        ),
        ("DOCKER_EXTRA_ARGUMENTS = --ulimit nofile=5 -v a:b", []),
        ("DOCKER_EXTRA_ARGUMENTS = \"-a 'b c'\"", []),
        ("DOCKER_EXTRA_ARGUMENTS =", []),
        ('SINGULARITY_EXTRA_ARGUMENTS = ifThenElse(TARGET.Big, "-w", "")', []),
        ('SINGULARITY_EXTRA_ARGUMENTS = "-w"', []),
        (
            "CONTAINER_REGEX_COMMON_BY_DEFAULT = (a",
            [
                "warning CONTAINER_REGEX_COMMON_BY_DEFAULT: '(a' is no regular expression, and is not used: missing ), "
                "unterminated subpattern at position 0"
            ],
        ),
        ("CONTAINER_REGEX_COMMON_BY_DEFAULT = .*[.]sif", []),
        (
            "SINGULARITY_TARGET_DIR = srv",
            ["warning SINGULARITY_TARGET_DIR: 'srv' is no full path: containers do not start with it"],
        ),
        ("SINGULARITY_TARGET_DIR = /srv", []),
        ("SINGULARITY_TARGET_DIR =", []),
        ("DOCKER_IMAGE_CACHE_SIZE = 0", []),
    ],
)
def test_values(found: Found, text: str, expected: list[str]) -> None:
    assert found(check_values, text) == expected


# -- what keeps daemons from starting


def test_each_daemon_that_a_setting_keeps_from_starting(tmp_path: Path) -> None:
    listed = "MASTER SCHEDD NEGOTIATOR STARTD CREDD DEFRAG ROOSTER JOB_ROUTER GANGLIAD"
    knobs = {
        **{f"MAX_{name}_LOG": f"the {name.lower()} does" for name in listed.split()},
        **{f"{name}_MAX_FILE_DESCRIPTORS": f"the {name.lower()} does" for name in listed.split()},
        **dict.fromkeys(("MAX_FILE_DESCRIPTORS", "CREATE_CORE_FILES", "MASTER_BACKOFF_CONSTANT"), "the master does"),
        **dict.fromkeys(
            ("MAX_JOBS_RUNNING", "SUBMIT_REQUIREMENT_a_IS_WARNING", "IGNORE_ATTEMPTS_TO_SET_SECURE_JOB_ATTRS",
             "MAX_CONCURRENT_UPLOADS", "A_HOOK_SHADOW_PREPARE_JOB_TIMEOUT", "MAX_HISTORY_LOG", "MAX_SHADOW_LOG",
             "MAX_STARTER_LOG", "SCHEDD_CRON_MAX_JOB_LOAD", "EVENT_LOG_MAX_SIZE", "SEC_CREDENTIAL_SWEEP_INTERVAL"),
            "the schedd does",
        ),
        **dict.fromkeys(
            ("PRIORITY_HALFLIFE", "MAX_NEGOTIATOR_MATCH_LOG", "MAX_NEGOTIATION_HISTORY_LOG"),
            "the negotiator does",
        ),
        **dict.fromkeys(
            ("NUM_SLOTS_TYPE_1", "STARTD_CRON_MAX_JOB_LOAD", "BENCHMARKS_MAX_JOB_LOAD",
             "DOCKER_PERFORM_TEST", "SINGULARITY_TEST_SANDBOX_TIMEOUT", "CGROUP_IGNORE_CACHE_MEMORY",
             "HIBERNATE_CHECK_INTERVAL"),
            "the startd does",
        ),
        "DEFRAG_INTERVAL": "the defrag does",
        "ROOSTER_INTERVAL": "the rooster does",
        "JOB_ROUTER_POLLING_PERIOD": "the job_router does",
        "GRIDMANAGER_JOB_PROBE_INTERVAL": "the gridmanager does",
        "MAX_GRIDMANAGER_LOG": "the gridmanager does",
        "DAGMAN_MAX_JOBS_IDLE": "condor_dagman does",
    }  # fmt: skip
    path = tmp_path / "c"
    text = "SUBMIT_REQUIREMENT_NAMES = a\nSUBMIT_REQUIREMENT_a = true\nA_HOOK_SHADOW_PREPARE_JOB = /x\n"
    lines = "".join(f"{knob} = ?\n" for knob in knobs)
    path.write_text(f"LOCAL_DIR = /pool\nDAEMON_LIST = {listed}\n{text}{lines}")
    config = load({"CONDOR_CONFIG": str(path)})
    findings = list(check_starting(config, config.seen_by, {}))
    assert {one.severity for one in findings} == {"error"}
    told = {one.knob: one.message.rpartition("; ")[2] for one in findings}
    assert told == {knob: f"{who} not start" for knob, who in knobs.items()}


def test_each_knob_without_effect_is_named_with_the_reason(tmp_path: Path) -> None:
    knobs = [(_example(one.name), one) for one in table.all_knobs() if one.no_effect]
    other = {"true": "false", "false": "true"}
    path = tmp_path / "condor_config"
    lines = [f"{name} = {other.get(one.default or '', '7')}\n" for name, one in knobs]
    path.write_text("".join(("LOCAL_DIR = /nowhere\n", *lines)))
    told = {found.knob.lower() for found in lint(load({"CONDOR_CONFIG": str(path)})) if "effect here" in found.message}
    told |= {name.lower() for name, one in knobs if promise_of(one.name.lower())}
    assert [name for name, _ in knobs if name.lower() not in told] == []


def _example(name: str) -> str:
    """A name of a family."""
    for part, chosen in (("<N>", "1"), ("<SUBSYS>", "SCHEDD")):
        name = name.replace(part, chosen)
    return re.sub("<[^>]*>", "Foo", name)
