"""Knobs that become one setting together, or whose text has a grammar of its own: what daemons make of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.lang.config import Config, load
from condor_py.lang.config.builders.containers import docker
from condor_py.lang.config.builders.cron import benchmarks, startd_cron
from condor_py.lang.config.builders.daemon import debug_level, log
from condor_py.lang.config.builders.paths import paths
from condor_py.lang.config.builders.schedd import schedd
from condor_py.lang.config.builders.startd import startd
from condor_py.lang.config.builders.starter import device_variables, starter
from condor_py.model.errors import ConfigError


@pytest.fixture
def read(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A function that reads a configuration from its text."""

    def config(text: str) -> Config:
        path = tmp_path / "condor_config"
        path.write_text(f"LOCAL_DIR = /pool\n{text}\n")
        return load({"CONDOR_CONFIG": str(path)})

    return config


@pytest.mark.parametrize(
    ("knobs", "level"),
    [
        ("", 0),
        ("SCHEDD_DEBUG = D_FULLDEBUG", 1),
        ("SCHEDD_DEBUG = d_fulldebug:1", 1),
        ("SCHEDD_DEBUG = D_PID D_FULLDEBUG:2", 2),
        ("SCHEDD_DEBUG = D_FULLDEBUG:9", 2),
        ("ALL_DEBUG = D_FULLDEBUG", 1),
        ("STARTD_DEBUG = D_FULLDEBUG", 0),
        ("SCHEDD_DEBUG = -D_FULLDEBUG", 0),
        ("SCHEDD_DEBUG = D_FULLDEBUGGING", 0),
    ],
)
def test_the_level_of_a_category(read, knobs: str, level: int) -> None:  # type: ignore[no-untyped-def]
    assert debug_level(read(knobs), "SCHEDD", "D_FULLDEBUG") == level


def test_a_log_is_limited_by_its_size_or_its_age(read) -> None:  # type: ignore[no-untyped-def]
    made = log(read("MAX_SCHEDD_LOG = 2 Mb\nMAX_NUM_SCHEDD_LOG = 3\nSCHEDD_DEBUG = D_PID|D_SUB_SECOND"), "SCHEDD")
    assert (made.path, made.max_bytes, made.max_age, made.keep) == ("/pool/log/SchedLog", 2 << 20, 0, 3)
    assert (made.pid, made.milliseconds, made.truncate) == (True, True, False)
    made = log(
        read("MAX_DEFAULT_LOG = 2 days\nSCHEDD_LOG = /x/S\nTRUNC_SCHEDD_LOG_ON_OPEN = true\nSCHEDD_DEBUG ="), "SCHEDD"
    )
    assert (made.path, made.max_bytes, made.max_age, made.keep) == ("/x/S", 0, 2 * 86400, 1)
    assert (made.pid, made.milliseconds, made.truncate) == (False, False, True)


@pytest.mark.parametrize(
    ("knobs", "form"),
    [
        ("SCHEDD_DEBUG = D_TIMESTAMP", ""),
        ("LOGS_USE_TIMESTAMP = true", ""),
        ('DEBUG_TIME_FORMAT = "%H:%M "', "%H:%M "),
        ("SCHEDD_DEBUG = D_TIMESTAMPS", "%m/%d/%y %H:%M:%S"),
    ],
)
def test_the_times_of_a_log(read, knobs: str, form: str) -> None:  # type: ignore[no-untyped-def]
    assert log(read(knobs), "SCHEDD").time_format.strip() == form.strip()


def test_files_of_a_pool_are_in_its_spool_unless_they_are_named(read) -> None:  # type: ignore[no-untyped-def]
    made = paths(read(""))
    assert (made.history, made.job_queue_log) == ("/pool/spool/history", "/pool/spool/job_queue.log")
    assert (made.accountant_log, made.ads) == ("/pool/spool/Accountantnew.log", "/pool/spool/ads")
    made = paths(read("HISTORY = /h\nJOB_QUEUE_LOG = /q\nACCOUNTANT_DATABASE_FILE = /a\nDAEMON_SOCKET_DIR = /s"))
    assert (made.history, made.job_queue_log, made.accountant_log, made.sockets) == ("/h", "/q", "/a", "/s")


def test_resources_of_a_machine_are_counted_or_named(read) -> None:  # type: ignore[no-untyped-def]
    text = "MACHINE_RESOURCE_Cogs = 2.5\nMACHINE_RESOURCE_Tapes = a b 3\nMACHINE_RESOURCE_Id = x7\n"
    found = {one.name: (one.quantity, one.ids) for one in startd(read(text)).resources}
    assert found == {"Cogs": (2.5, ()), "Tapes": (3, ("a", "b", "3")), "Id": (1, ("x7",))}
    assert [one.name for one in startd(read(f"{text}MACHINE_RESOURCE_NAMES = tapes")).resources] == ["Tapes"]
    (product,) = startd(read("MACHINE_RESOURCE_Cogs = 2 * 4")).resources
    assert (product.quantity, product.ids) == (8, ())


def test_resources_that_are_offline_are_not_counted(read) -> None:  # type: ignore[no-untyped-def]
    text = "MACHINE_RESOURCE_Cogs = 5\nOFFLINE_MACHINE_RESOURCE_Cogs = 2\nMACHINE_RESOURCE_Tapes = a b b c\n"
    made = startd(read(f"{text}OFFLINE_MACHINE_RESOURCE_Tapes = b, d"))
    found = {one.name: (one.quantity, one.ids, one.offline) for one in made.resources}
    assert found == {"Cogs": (3, (), ()), "Tapes": (2, ("a", "c"), ("b", "b"))}
    assert made.offline == (("tapes", ("b", "d")),)


@pytest.mark.parametrize(
    ("word", "means"),
    [("", "slot"), ("true", "slot"), ("False", ""), ("0", ""), ("ClusterId", "cluster"), ("JobId", "jobid"),
     ("slot", "slot"), ("1", "slot"), ("anything", "slot"), ("cluster", "cluster")],
)  # fmt: skip
def test_what_the_names_of_starter_logs_end_with(read, word: str, means: str) -> None:  # type: ignore[no-untyped-def]
    assert starter(read(f"STARTER_LOG_NAME_APPEND = {word}")).log_name_append == means


def test_hooks_of_a_keyword(read) -> None:  # type: ignore[no-untyped-def]
    (made,) = starter(
        read("STARTER.MINE_HOOK_PREPARE_JOB = /p\nMINE_HOOK_JOB_EXIT = /e\nMINE_HOOK_JOB_EXIT_TIMEOUT = 7\n"
             "MINE_HOOK_UPDATE_JOB_INFO = /u\nMINE_HOOK_PREPARE_JOB_BEFORE_TRANSFER = /b\nFOO_HOOK_FETCH_WORK = /f")
    ).hooks  # fmt: skip
    assert (made.keyword.upper(), made.exit, made.exit_timeout, made.update) == ("MINE", "/e", 7, "/u")
    assert made.prepare_before_transfer == "/b"
    (made,) = starter(read("STARTER.Other_HOOK_JOB_EXIT = /e")).hooks
    assert (made.keyword, made.exit_timeout) == ("Other", 30)


def test_variables_of_devices(read) -> None:  # type: ignore[no-untyped-def]
    found = device_variables(
        read("ENVIRONMENT_FOR_AssignedCogs = COGS NUMBERS=/cog(.)/no$1/ ID=,x,,\n"
             "ENVIRONMENT_VALUE_FOR_UnAssignedCogs = none")
    )  # fmt: skip
    made = next(one for one in found if one.resource == "Cogs")
    assert made.unassigned == "none"
    assert made.variables == (("COGS", "", ""), ("NUMBERS", "cog(.)", "no$1"), ("ID", "x", ""))
    found = device_variables(read("ENVIRONMENT_FOR_AssignedCogs = A=/b/c/,D=/e/f/, G"))
    made = next(one for one in found if one.resource == "Cogs")
    assert made.variables == (("A", "b", "c"), ("D", "e", "f"), ("G", "", ""))
    with pytest.raises(ConfigError, match=r"ENVIRONMENT_FOR_AssignedCogs: '\(' is no pattern"):
        device_variables(read("ENVIRONMENT_FOR_AssignedCogs = A=/(/x/"))
    with pytest.raises(ConfigError, match=r"'=x' is not NAME or NAME=/pattern/replacement/"):
        device_variables(read("ENVIRONMENT_FOR_AssignedCogs = A =x"))


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("A=1 B='x y'", (("A", "1"), ("B", "x y"))),
        ("\"A=1 B=it''s\"", (("A", "1"), ("B", "its"))),
        ('"Q=""x"""', (("Q", '"x"'),)),
        ("", ()),
    ],
)
def test_the_environment_of_all_jobs(read, text: str, pairs: tuple[tuple[str, str], ...]) -> None:  # type: ignore[no-untyped-def]
    assert starter(read(f"STARTER_JOB_ENVIRONMENT = {text}")).job_environment == pairs


@pytest.mark.parametrize(
    ("text", "patterns"),
    [("true", ("*",)), ("YES", ("*",)), ("false", ()), ("0", ()), ("HOME, PATH*;!PATHX", ("HOME", "PATH*", "!PATHX"))],
)
def test_what_jobs_inherit(read, text: str, patterns: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    assert starter(read(f"JOB_INHERITS_STARTER_ENVIRONMENT = {text}")).inherited == patterns


def test_programs_of_the_startd(read) -> None:  # type: ignore[no-untyped-def]
    text = """STARTD_CRON_JOBLIST = A B
STARTD_CRON_A_EXECUTABLE = /a
STARTD_CRON_A_PERIOD = 5m
STARTD_CRON_A_METRICS = SUM:GPUs, PEAK:GPUsMemory, sums, SUM:
STARTD_CRON_B_EXECUTABLE = /b
STARTD_CRON_B_MODE = OneShot
STARTD_CRON_B_ARGS = x y
STARTD_CRON_B_CWD = /tmp
STARTD_CRON_B_KILL = true
"""
    bench = "BENCHMARKS_JOBLIST = C\nBENCHMARKS_C_EXECUTABLE = /c\n"
    assert [(one.load, one.period) for one in benchmarks(read(bench)).jobs] == [(1.0, 0)]
    a, b = startd_cron(read(text)).jobs
    assert (a.name, a.period, a.load, a.metrics) == ("A", 300, 0.01, (("SUM", "GPUs"), ("PEAK", "GPUsMemory")))
    assert (b.period, b.load, b.arguments, b.directory, b.kill) == (0, 0.01, "x y", "/tmp", True)


@pytest.mark.parametrize(
    ("knobs", "logs"),
    [
        ("", (True, "")),
        ("DOCKER_LOG_DRIVER_NAME = false", (False, "")),
        ("DOCKER_LOG_DRIVER_NAME = journald", (False, "journald")),
        ("DOCKER_LOG_DRIVER_NAME = none", (True, "none")),
        ("DOCKER_LOG_DRIVER_NAME = false\nDOCKER_LOG_DRIVER_NONE = true", (True, "")),
        ("DOCKER_LOG_DRIVER_NAME =\nDOCKER_LOG_DRIVER_NONE = false", (False, "")),
    ],
)
def test_logs_of_containers(read, knobs: str, logs: tuple[bool, str]) -> None:  # type: ignore[no-untyped-def]
    made = docker(read(knobs))
    assert (made.keeps_no_log, made.log_driver) == logs


@pytest.mark.parametrize(("word", "mode"), [("user", 0o700), ("Group", 0o750), ("world", 0o755)])
def test_permissions_of_spool_directories(read, word: str, mode: int) -> None:  # type: ignore[no-untyped-def]
    config = read(f"JOB_SPOOL_PERMISSIONS = {word}")
    assert starter(config).transfer.spool_mode == schedd(config).spool_mode == mode


def test_permissions_of_spool_directories_that_do_not_exist(read) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ConfigError, match="JOB_SPOOL_PERMISSIONS: 'all' is not one of user, group, world"):
        schedd(read("JOB_SPOOL_PERMISSIONS = all"))
