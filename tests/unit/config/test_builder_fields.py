"""Each knob that a builder reads by its name: its text in, its setting out, and what counts where it is not set."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TextIO

import pytest

from condor_py.lang.config import Config, load
from condor_py.lang.config.builders import (
    backfill,
    checkpoints,
    containers,
    credentials,
    cron,
    daemon,
    dagman,
    ganglia,
    grid,
    history,
    isolation,
    machine,
    negotiator,
    paths,
    preen,
    router,
    schedd,
    startd,
    starter,
    submit,
    web,
)
from condor_py.model.errors import ConfigError
from condor_py.model.settings.master import OWN_PREEN

Read = Callable[[str], Config]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def config(text: str) -> Config:
        path = tmp_path / "condor_config"
        path.write_text(f"LOCAL_DIR = /pool\nFULL_HOSTNAME = here\nUSER_CONFIG_FILE =\n{text}\n")
        return load({"CONDOR_CONFIG": str(path)})

    return config


def refused(build: Callable[[Config], object], config: Config) -> tuple[str, str]:
    """Knob and message of what ``build`` refuses."""
    with pytest.raises(ConfigError) as error:
        build(config)
    return error.value.knob, str(error.value)


# -- places


def test_paths_of_a_pool(read: Read) -> None:
    made = paths.paths(read("SPOOL = /s\nLOG = /l\nLOCK = /k\nEXECUTE = /e\nBIN = /b\nDAEMON_SOCKET_DIR = auto"))
    assert (made.local_dir, made.spool, made.log, made.lock) == ("/pool", "/s", "/l", "/k")
    assert (made.execute, made.bin, made.sockets, made.ads) == ("/e", "/b", "/k/daemon_sock", "/s/ads")
    assert (made.history, made.job_queue_log) == ("/s/history", "/s/job_queue.log")
    assert paths.paths(read("LOCK = /k\nDAEMON_SOCKET_DIR =")).sockets == "/k/daemon_sock"
    assert paths.paths(read("LOCK = /k\nDAEMON_SOCKET_DIR = /d//e")).sockets == "/d/e"


# -- gangliad


def test_settings_of_gangliad(read: Read) -> None:
    made = ganglia.ganglia(
        read(
            "GANGLIAD_INTERVAL = 7\nGANGLIAD_MIN_METRIC_LIFETIME = 8\nGANGLIAD_VERBOSITY = 2\n"
            "GANGLIAD_REQUIREMENTS = Cpus > 1\nGANGLIAD_PER_EXECUTE_NODE_METRICS = false\n"
            'GANGLIAD_DEFAULT_CLUSTER = "c"\n'
            'GANGLIAD_DEFAULT_MACHINE = "m"\nGANGLIAD_DEFAULT_IP = "i"\nGANGLIA_CONFIG = /g.conf\n'
            "GANGLIA_GMETRIC = /gm\n"
            "GANGLIA_LIB = lib.so \nGANGLIA_GSTAT_COMMAND = gs -x\nGANGLIAD_METRICS_CONFIG_DIR = /m.d\n"
            "GANGLIA_SEND_DATA_FOR_ALL_HOSTS = true\nGANGLIAD_WANT_RESET_METRICS = true"
        )
    )
    assert (made.interval, made.lifetime, made.config, made.gmetric) == (7, 8, "/g.conf", "/gm")
    assert (made.library, made.gstat, made.definitions, made.all_hosts, made.resets) == (
        "lib.so",
        "gs -x",
        "/m.d",
        True,
        True,
    )
    rules = made.rules
    assert (rules.verbosity, rules.requirements, rules.per_execute_node) == (2, "Cpus > 1", False)
    assert (rules.cluster, rules.machine, rules.ip) == ('"c"', '"m"', '"i"')


def test_settings_of_gangliad_that_are_not_given(read: Read) -> None:
    made = ganglia.ganglia(
        read("GANGLIA_CONFIG =\nGANGLIA_GSTAT_COMMAND =\nGANGLIAD_METRICS_CONFIG_DIR =\nETC = /etc/x")
    )
    assert (made.interval, made.lifetime, made.config) == (60, 86400, "/etc/ganglia/gmond.conf")
    assert made.gstat == "gstat --all --mpifile --gmond_ip=localhost --gmond_port=8649"
    assert (made.definitions, made.all_hosts, made.resets) == ("/etc/x/ganglia.d", False, False)
    assert (made.rules.verbosity, made.rules.per_execute_node) == (0, True)
    for knob in (
        "GANGLIAD_REQUIREMENTS",
        "GANGLIAD_DEFAULT_CLUSTER",
        "GANGLIAD_DEFAULT_MACHINE",
        "GANGLIAD_DEFAULT_IP",
    ):
        assert refused(ganglia.ganglia, read(f"{knob} = 1 +"))[0] == knob
    for knob in ("GANGLIAD_INTERVAL", "GANGLIAD_VERBOSITY", "GANGLIA_SEND_DATA_FOR_ALL_HOSTS"):
        assert refused(ganglia.ganglia, read(f"{knob} = soon"))[0] == knob


# -- jobs elsewhere


def test_limits_of_grid_resources(read: Read) -> None:
    knob = "GRIDMANAGER_MAX_SUBMITTED_JOBS_PER_RESOURCE"
    made = grid.grid(read(f"{knob} = 5, slurm, 7 pbs 8\n{knob}_BATCH = 9\nCOLLECTOR_HOST = pool"))
    assert (made.max_submitted[""].default, made.max_submitted[""].by_text) == (5, (("slurm", 7), ("pbs", 8)))
    assert made.max_submitted["batch"].default == 9
    assert sorted(made.max_submitted) == ["", "batch"]
    assert made.pool == "pool"
    assert grid.grid(read("COLLECTOR_HOST =\nCONDOR_HOST =")).pool == "NoPool"
    assert grid.grid(read(f"{knob} =")).max_submitted[""].default == 1000
    assert grid.grid(read(f"{knob} = 0")).max_submitted[""].default == 1000
    for text in ("x", "5, slurm", "5, slurm, x", "5 slurm 7 pbs", "5, slurm, 7, pbs, x"):
        words = text.replace(",", "")
        assert refused(grid.grid, read(f"{knob} = {text}")) == (
            knob,
            f"{knob}: {words!r} is not a number, or a number and pairs of TEXT, NUMBER",
        )


def test_how_often_grid_resources_are_asked(read: Read) -> None:
    knob = "GRIDMANAGER_JOB_PROBE_INTERVAL"
    assert grid.grid(read("")).probe_interval == {"": 60}
    made = grid.grid(read(f"{knob} = 7\n{knob}_BATCH = 8\n{knob}_CONDOR = 0\n{knob}_ARC = 9\n{knob}_EC2 = 10"))
    assert made.probe_interval == {"": 7, "batch": 8, "condor": 1, "arc": 9}
    for own in ("", "_BATCH", "_CONDOR", "_ARC"):
        assert refused(grid.grid, read(f"{knob}{own} = x"))[0] == f"{knob}{own}"


# -- daemons


@pytest.mark.parametrize(
    ("subsystem", "name"),
    [
        ("MASTER", "MasterLog"),
        ("SCHEDD", "SchedLog"),
        ("NEGOTIATOR", "NegotiatorLog"),
        ("STARTD", "StartLog"),
        ("CREDD", "CredLog"),
        ("CREDMON_OAUTH", "CredMonOAuthLog"),
        ("DEFRAG", "DefragLog"),
        ("JOB_ROUTER", "JobRouterLog"),
        ("ROOSTER", "RoosterLog"),
        ("GANGLIAD", "GangliadLog"),
        ("WEB", "WebLog"),
        ("STARTER", "StarterLog"),
        ("SHADOW", "ShadowLog"),
        ("NEGOTIATOR_MATCH", "MatchLog"),
        ("GRIDMANAGER", "GridmanagerLog"),
        ("DAGMAN", "default.dagman.out"),
        ("WRITELOG", "WritelogLog"),
        ("MYPROGRAM", "MasterLog"),
    ],
)
def test_the_usual_log_of_a_daemon(read: Read, subsystem: str, name: str) -> None:
    assert daemon.log(read(f"{subsystem}_LOG =\nLOG = /l"), subsystem).path == f"/l/{name}"


def test_a_daemon_at_a_terminal_has_no_file_for_its_log(read: Read) -> None:
    assert daemon.log(read("SCHEDD_LOG = /dev/stderr"), "SCHEDD").path == ""
    assert daemon.log(read("SCHEDD_LOG = /dev/stdout"), "SCHEDD").path == "/dev/stdout"


@pytest.mark.parametrize(
    ("text", "pid", "category"),
    [
        ("ALL_DEBUG = D_PID D_CAT\nSCHEDD_DEBUG = -D_PID", False, True),
        ("SCHEDD_DEBUG = D_PID:0, D_CAT:1", False, True),
        ("SCHEDD_DEBUG = -D_PID:2 D_CAT -D_LEVEL", True, False),
        ("SCHEDD_DEBUG = +D_PID", True, False),
        ("SCHEDD_DEBUG = D_ALL:2", True, True),
        ("SCHEDD_DEBUG = D_ALL|-D_PID", False, True),
        ("DEFAULT_DEBUG = D_LEVEL\nSCHEDD_DEBUG =", False, True),
        ("DEFAULT_DEBUG = D_CAT\nSCHEDD_DEBUG = D_PID", True, False),
    ],
)
def test_flags_of_a_log_are_taken_back(read: Read, text: str, pid: bool, category: bool) -> None:
    made = daemon.log(read(text), "SCHEDD")
    assert (made.pid, made.tells_category) == (pid, category)


def test_flags_of_a_log(read: Read) -> None:
    made = daemon.log(read("SCHEDD_DEBUG = D_PID, D_SUB_SECOND|D_CATEGORY D_TIMESTAMP"), "SCHEDD")
    assert (made.pid, made.milliseconds, made.tells_category, made.time_format) == (True, True, True, "")
    made = daemon.log(read("SCHEDD_DEBUG = d_cat\nALL_DEBUG = d_pid"), "SCHEDD")
    assert (made.pid, made.milliseconds, made.tells_category) == (True, False, True)
    made = daemon.log(read('SCHEDD_DEBUG = D_CATS\nDEBUG_TIME_FORMAT = "%T"\nLOGS_USE_TIMESTAMP = false'), "SCHEDD")
    assert (made.pid, made.tells_category, made.time_format, made.keep) == (False, False, "%T", 1)
    made = daemon.log(read("MAX_SCHEDD_LOG = 1 day\nMAX_NUM_SCHEDD_LOG = 0"), "SCHEDD")
    assert (made.max_bytes, made.max_age, made.keep) == (0, 86400, 0)
    made = daemon.log(read("MAX_SCHEDD_LOG =\nMAX_DEFAULT_LOG = 5"), "SCHEDD")
    assert (made.max_bytes, made.max_age) == (5, 0)


def test_facts_about_a_daemon(read: Read) -> None:
    made = daemon.daemon(
        read(
            "SCHEDD_CLUSTER_INITIAL_VALUE = 7\nDAEMON_SHUTDOWN = a > 1\nDAEMON_SHUTDOWN_FAST = b > 1\n"
            "PERSONAL_POOL_IS_PUBLIC = true\nDETECTED_CPUS = 3\nDETECTED_MEMORY = 4\nSCHEDD_INTERVAL = 5\n"
            "UPDATE_INTERVAL = 6\nCondorPlatform = p\nUID_DOMAIN = u\nFILESYSTEM_DOMAIN = f\nSTARTD_NAME = st"
        ),
        "SCHEDD",
    )
    assert (made.first_cluster, made.shutdown_when, made.shutdown_fast_when) == (7, "a > 1", "b > 1")
    assert (made.is_public, made.detected_cpus, made.detected_memory, made.update_interval) == (True, 3, 4, 5)
    assert (made.platform, made.uid_domain, made.file_system_domain) == ("p", "u", "f")
    assert made.startd_name.startswith("st@")
    plain = daemon.daemon(read("SCHEDD_INTERVAL ="), "SCHEDD")
    assert (plain.first_cluster, plain.is_public, plain.update_interval) == (1, False, 300)
    assert (plain.shutdown_when, plain.shutdown_fast_when) == ("", "")
    for knob in ("DAEMON_SHUTDOWN", "DAEMON_SHUTDOWN_FAST"):
        assert refused(lambda config: daemon.daemon(config, "SCHEDD"), read(f"{knob} = 1 +"))[0] == knob


def test_programs_of_the_site_that_the_master_runs(read: Read) -> None:
    text = (
        "DAEMON_LIST = MASTER COLLECTOR SCHEDD foo BAR ADSTASH WEB a-b none\nMASTER = /m\nCOLLECTOR = /c\nSCHEDD = /s\n"
        "FOO = /f \nBAR =\nLIBEXEC = /lib\nBIN = /bin\nFOO_USERID = me\nBAR_USERID = you\nSCHEDD_USERID = s\n"
    )
    assert daemon.programs(read(text)) == {"FOO": "/f", "ADSTASH": "/lib/condor_adstash", "WEB": "/bin/condor_web"}
    made, unknown = daemon.master(read(text))
    assert made.daemons == ("SCHEDD", "FOO", "ADSTASH", "WEB")
    assert unknown == ["BAR", "A-B", "NONE"]
    assert made.users == {"FOO": "me"}
    assert daemon.programs(read("DAEMON_LIST = WEB\nWEB = /mine")) == {"WEB": "/mine"}


def test_daemons_that_are_included(read: Read) -> None:
    lists = "DAEMON_LIST = MASTER SCHEDD"
    assert daemon.listed(read(f"{lists}\nAUTO_INCLUDE_CREDD_IN_DAEMON_LIST = true")) == ["MASTER", "SCHEDD", "CREDD"]
    assert daemon.listed(read(f"{lists}\nAUTO_INCLUDE_CREDD_IN_DAEMON_LIST = false")) == ["MASTER", "SCHEDD"]
    assert daemon.listed(read("DAEMON_LIST = MASTER\nAUTO_INCLUDE_CREDD_IN_DAEMON_LIST = true")) == ["MASTER"]
    for word in ("CREDMON_OAUTH", "CREDMON_KRB"):
        assert daemon.master(read(f"DAEMON_LIST = MASTER CREDD {word}"))[1] == []
        assert daemon.master(read(f"DAEMON_LIST = MASTER {word}"))[1] == [word]


def test_settings_of_the_master(read: Read) -> None:
    made, _ = daemon.master(
        read(
            "PUBLISH_OBITUARIES = false\nOBITUARY_LOG_LENGTH = 3\nBASE_CGROUP = b\n"
            "SCHEDD_ADMIN_EMAIL = a@b\nPREEN_ARGS ="
        )
    )
    assert (made.obituaries.send, made.obituaries.lines, made.base_cgroup) == (False, 3, "b")
    assert (made.obituaries.addresses["SCHEDD"], made.obituaries.addresses["STARTD"]) == ("a@b", "")
    assert (os.path.basename(made.preen), made.preen_arguments) == (OWN_PREEN, ())
    for text, words in (("", ("-m", "-r")), ("PREEN_ARGS = \"-m 'a b'\"", ("-m", "a b")), ("PREEN_ARGS = -r", ("-r",))):
        assert daemon.master(read(f"{text}\nPREEN ="))[0].preen_arguments == words
    assert daemon.master(read("PREEN ="))[0].preen == ""
    assert refused(lambda config: daemon.master(config), read('PREEN_ARGS = "-m'))[0] == "PREEN_ARGS"
    assert daemon.master(read("PUBLISH_OBITUARIES ="))[0].obituaries.send


@pytest.mark.parametrize(
    ("text", "yes"), [("", True), ("False", False), ("no", False), ("YES", True), ("0", False), ("1 + 1 == 2", True)]
)
def test_whether_the_master_and_the_daemons_start(read: Read, text: str, yes: bool) -> None:
    made, _ = daemon.master(read(f"START_MASTER = {text}\nSTART_DAEMONS = {text}"))
    assert (made.is_wanted, made.starts_daemons) == (yes, yes)


def test_settings_of_mail(read: Read) -> None:
    made = daemon.mail(read("CONDOR_SUPPORT_EMAIL = s\nCONDOR_ADMIN = a\nSENDMAIL ="))
    assert (made.support, made.admin, made.sendmail) == ("s", "a", "sendmail")


def test_levels_of_debug_categories(read: Read) -> None:
    def level(text: str) -> int:
        return daemon.debug_level(read(f"SCHEDD_DEBUG = {text}"), "SCHEDD", "D_JOB")

    assert [level(text) for text in ("D_JOB", "D_JOB:0", "D_JOB:2", "D_JOB:3", "D_JOBS", "XD_JOB", "-D_JOB")] == [
        1, 0, 2, 2, 0, 0, 0,
    ]  # fmt: skip
    startd_settings = startd.startd(read("STARTD_DEBUG = D_LOAD:2 D_KEYBOARD"))
    assert (startd_settings.log_load, startd_settings.log_idle) == (2, 1)


# -- the schedd and submits


def test_who_is_a_super_user_of_the_queue(read: Read) -> None:
    assert schedd.schedd(read("QUEUE_SUPER_USERS =")).queue_super_users == ("root", "condor")
    assert schedd.schedd(read("QUEUE_SUPER_USERS = a, b")).queue_super_users == ("a", "b")


def test_names_in_the_settings_of_the_schedd(read: Read) -> None:
    made = schedd.schedd(
        read(
            "UID_DOMAIN = u\nSCHEDD_NAME = s@h\nHOST_ALIAS = x\nTRANSFER_JOB_ATTRS = t\nINPUT_JOB_ATTRS =\n"
            "OUTPUT_JOB_ATTRS = o"
        )
    )
    assert (made.uid_domain, made.schedd_name) == ("u", "s@h")
    assert "&alias=x&" in made.schedd_address
    assert made.transfer_attributes == (("INPUT", ()), ("OUTPUT", ("o",)), ("CHECKPOINT", ("t",)))


@pytest.mark.parametrize(
    ("quanta", "window", "quantum"),
    [
        ({"_SCHEDULER": "3", "_SCHEDD": "4"}, 30, 3),
        ({"_SCHEDD": "4"}, 40, 4),
        ({"_SCHEDULER": "", "_SCHEDD": "4"}, 40, 4),
        ({}, 50, 5),
        ({"_SCHEDULER": "0"}, 1, 1),
    ],
)
def test_the_first_window_of_statistics_that_is_set_counts(
    read: Read, quanta: dict[str, str], window: int, quantum: int
) -> None:
    lines = ["STATISTICS_WINDOW_QUANTUM = 5", "STATISTICS_WINDOW_SECONDS = 50"]
    for end, text in quanta.items():
        seconds = f"{text}0" if text else ""
        lines += [f"STATISTICS_WINDOW_QUANTUM{end} = {text}", f"STATISTICS_WINDOW_SECONDS{end} = {seconds}"]
    made = schedd.schedd_statistics(read("\n".join(lines)))
    assert (made.window, made.quantum) == (window, quantum)


def test_the_levels_of_statistics(read: Read) -> None:
    levels = [schedd.schedd_statistics(read(f"STATISTICS_TO_PUBLISH = SCHEDD:{word}")).level for word in "01239"]
    assert levels == [0, 1, 2, 3, 1]


def test_limits_of_submission(read: Read) -> None:
    made = submit.limits(
        read(
            "ALLOW_SUBMIT_FROM_KNOWN_USERS_ONLY = true\nSCHEDD_USER_DEFAULT_PROPERTIES = a = 1\n"
            "SCHEDD_PROJECTREC_DEFAULT_PROPERTIES = b = 1"
        )
    )
    assert (made.known_users_only, made.user_defaults, made.project_defaults) == (True, "a = 1", "b = 1")
    plain = submit.limits(read(""))
    assert (plain.known_users_only, plain.user_defaults, plain.project_defaults) == (False, "", "")
    for knob in ("MAX_JOBS_SUBMITTED", "MAX_JOBS_PER_OWNER", "MAX_JOBS_PER_SUBMISSION"):
        assert refused(submit.limits, read(f"{knob} = x"))[0] == knob


def test_facts_that_submits_put_into_jobs(read: Read) -> None:
    made = submit.submit(
        read("ARCH = a\nOPSYS = o\nOPSYSANDVER = v1\nOPSYSVER = 12\nOPSYSMAJORVER = 1\nCondorPlatform = p")
    )
    assert (made.arch, made.opsys, made.opsys_and_ver, made.opsys_ver, made.opsys_major_ver) == (
        "a",
        "o",
        "v1",
        "12",
        "1",
    )
    assert made.condor_platform == "p"


def test_attributes_of_submits_that_are_forced(read: Read) -> None:
    made = submit.submit(read("SUBMIT_ATTRS = +a my.b MY.c d +gone e\na = 1\nb = 2\nc = 3\nd = 4\ne ="))
    assert (made.attributes, made.forced_attributes) == ((("d", "4"),), (("a", "1"), ("b", "2"), ("c", "3")))


def test_extended_commands_of_submits() -> None:
    environ = {
        "CONDOR_CONFIG": "ONLY_ENV",
        "_CONDOR_EXTENDED_SUBMIT_COMMANDS": "# text\n\n  \n A = 1 \nB = x == 2\na = 3",
    }
    assert submit.submit(load(environ)).extended_commands == (("a", "3"), ("B", "x == 2"))


def test_the_file_of_interactive_jobs(read: Read, tmp_path: Path) -> None:
    assert submit.submit(read("LIBEXEC = /not/there\nRELEASE_DIR = /not/there")).interactive_file == ""
    (tmp_path / "interactive.sub").touch()
    made = submit.submit(read(f"LIBEXEC = {tmp_path}"))
    assert made.interactive_file == str(tmp_path / "interactive.sub")
    assert submit.submit(read("INTERACTIVE_SUBMIT_FILE = /gone")).interactive_file == "/gone"


def test_ids_of_jobs_with_the_time(read: Read) -> None:
    for word in ("true", "false"):
        text = f"GLOBAL_JOB_ID_WITH_TIME = {word}"
        assert submit.submit_policy(read(text)).ids_with_time is (word == "true")
        more = f"{text}\nJOB_TRANSFORM_NAMES = a\nJOB_TRANSFORM_a = SET A 1"
        assert submit.submit_policy(read(more)).ids_with_time is (word == "true")


def test_what_transforms_know_of_the_schedd(read: Read) -> None:
    made = submit.submit_policy(
        read(
            "JOB_TRANSFORM_NAMES = a\nJOB_TRANSFORM_a = SET A 1\nSTART_SCHEDULER_UNIVERSE = s\n"
            "START_LOCAL_UNIVERSE = l\n"
            "DETECTED_CPUS = 3\nDETECTED_MEMORY = 4\nCondorPlatform = p\nSCHEDD_ATTRS = Mine\nMine = 5"
        )
    )
    ad = dict(made.schedd)
    assert (ad["StartSchedulerUniverse"], ad["StartLocalUniverse"]) == ("s", "l")
    assert (ad["DetectedCpus"], ad["DetectedMemory"], ad["CondorPlatform"], ad["Mine"]) == ("3", "4", '"p"', "5")
    assert ad["MyType"] == '"Scheduler"'
    assert ad["CondorVersion"].startswith('"$CondorVersion')


# -- the starter


@pytest.mark.parametrize("what", ["IO", "UPDATES", "DELAYED"])
def test_parts_of_chirp(read: Read, what: str) -> None:
    made = starter.starter(read(f"ENABLE_CHIRP_{what} = false")).chirp
    assert {"IO": made.files, "UPDATES": made.updates, "DELAYED": made.delayed} == {
        one: one != what for one in ("IO", "UPDATES", "DELAYED")
    }


def test_hooks_of_jobs(read: Read) -> None:
    (made,) = starter.starter(
        read("K_HOOK_PREPARE_JOB = /p\nK_HOOK_PREPARE_JOB_ARGS = -x y\nk_HOOK_JOB_EXIT = /e\nK_HOOK_OTHER = /o")
    ).hooks
    assert (made.keyword, made.prepare, made.prepare_arguments, made.exit) == ("K", "/p", "-x y", "/e")
    assert (made.prepare_before_transfer, made.update, made.exit_timeout) == ("", "", 30)
    for name in ("PREPARE_JOB", "PREPARE_JOB_BEFORE_TRANSFER", "UPDATE_JOB_INFO", "JOB_EXIT"):
        assert [one.keyword for one in starter.starter(read(f"STARTER.A_HOOK_{name} = /x")).hooks] == ["A"]
    assert starter.starter(read("A_HOOK_JOB_EXITS = /x\nA_HOOK_JOB_EXIT_TIMEOUT = 5")).hooks == ()


def test_urls_with_which_plugins_are_tested(read: Read) -> None:
    made = starter.transfer(
        read("HTTP_TEST_URL = http://x\nSTARTER.ftp_TEST_URL = ftp://y\ns3_TEST_URL =").seen_by("STARTER")
    )
    assert sorted(made.test_urls) == [("ftp", "ftp://y"), ("http", "http://x")]


@pytest.mark.parametrize(
    ("given", "prefix"),
    [
        ("", "52:54:00"),
        ("52:54:AB", "52:54:ab"),
        ('"aa:bb:"', "aa:bb"),
        ("00", "00"),
        ("00:11:22:33:44", "00:11:22:33:44"),
    ],
)
def test_the_hardware_addresses_of_virtual_machines(read: Read, given: str, prefix: str) -> None:
    assert starter.virtual(read(f"VM_NETWORKING_MAC_PREFIX = {given}")).mac_prefix == prefix


@pytest.mark.parametrize("given", ["x", "52:5", "00:11:22:33:44:55", "52-54", "1:2"])
def test_hardware_addresses_that_are_none(read: Read, given: str) -> None:
    assert refused(starter.virtual, read(f"VM_NETWORKING_MAC_PREFIX = {given}")) == (
        "VM_NETWORKING_MAC_PREFIX",
        f"VM_NETWORKING_MAC_PREFIX: {given!r} is not how a hardware address begins",
    )


def test_networks_of_virtual_machines(read: Read) -> None:
    on = "VM_NETWORKING = true\n"
    for text, networks, network in (
        ("", (), ""),
        (f"{on}VM_NETWORKING_TYPE = nat", ("nat",), "nat"),
        (f"{on}VM_NETWORKING_TYPE = nat, user", ("nat", "user"), "user"),
        (f"{on}VM_NETWORKING_TYPE = user nat NAT\nVM_NETWORKING_DEFAULT_TYPE = nat", ("user", "nat"), "nat"),
        (f"{on}VM_NETWORKING_TYPE = bridge nat", ("nat",), "nat"),
        (f"{on}VM_NETWORKING_TYPE = bridge\nVM_NETWORKING_BRIDGE_INTERFACE = Br0", ("bridge",), "bridge"),
        (f"{on}VM_NETWORKING_TYPE = user\nVM_NETWORKING_DEFAULT_TYPE = bridge", ("user",), "user"),
        ("VM_NETWORKING = false\nVM_NETWORKING_TYPE = nat", (), ""),
    ):
        made = starter.virtual(read(text))
        assert (made.networks, made.network) == (networks, network), text
    assert starter.virtual(read('VM_NETWORKING_BRIDGE_INTERFACE = "Br0"')).bridge == "Br0"


def test_drivers_of_virtual_machines(read: Read) -> None:
    assert starter.virtual(read("")).driver == "qemu"
    made = starter.virtual(read('LIBVIRT_XML_SCRIPT = /x\nLIBVIRT_XML_SCRIPT_ARGS = "-a \'b c\'"\nVM_TYPE = "KVM"'))
    with pytest.raises(ConfigError, match="LIBVIRT_XML_SCRIPT_ARGS: Unterminated double-quote"):
        starter.virtual(read('LIBVIRT_XML_SCRIPT_ARGS = "\nVM_TYPE = kvm'))
    assert (made.driver, made.xml_script, made.xml_arguments, made.kind) == ("libvirt", "/x", ("-a", "b c"), "kvm")
    assert starter.virtual(read("LIBVIRT_XML_SCRIPT = /x\nVM_DRIVER = QEMU")).driver == "qemu"
    assert starter.virtual(read("VM_DRIVER = libvirt")).driver == "libvirt"
    assert refused(starter.virtual, read("VM_DRIVER = xen")) == (
        "VM_DRIVER",
        "VM_DRIVER: 'xen' is not one of qemu, libvirt",
    )


def test_programs_of_virtual_machines(read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = starter.virtual(read("QEMU = /q\nVIRSH = /v"))
    assert (made.qemu, made.virsh) == ("/q", "/v")
    asked: list[tuple[str, str]] = []

    def which(name: str, path: str) -> str | None:
        asked.append((name, path))
        return str(tmp_path / "found") if name == "/usr/libexec/qemu-kvm" else None

    monkeypatch.setattr(starter, "shutil", SimpleNamespace(which=which))
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "there", "6.1.0", "#1", "riscv")))
    monkeypatch.setenv("PATH", "/mine")
    made = starter.virtual(read("QEMU =\nVIRSH ="))
    assert (made.qemu, made.virsh) == (str(tmp_path / "found"), "")
    places = "/mine:/usr/local/bin:/usr/bin:/bin:/usr/libexec"
    assert asked == [(name, places) for name in ("qemu-system-riscv", "/usr/libexec/qemu-kvm", "virsh")]


# -- files


def test_sizes_of_histories(read: Read) -> None:
    made = history.reconnects(read("SHADOW_RECONNECT_LOG_MAX = 5 Kb"))
    assert made.max_size == 5120
    assert history.daemon_history(read("MAX_DAEMON_HISTORY_LOG = 7"), "SCHEDD").max_size == 7
    assert history.history(read("ROTATE_HISTORY_DAILY = false\nROTATE_HISTORY_MONTHLY = false")).every == ""
    made = history.userlog(read("EVENT_LOG_FORMAT_OPTIONS = UTC\nEVENT_LOG_USE_XML = false")).event_log  # type: ignore[assignment]
    assert made.format_options == "UTC"  # type: ignore[attr-defined]
    assert history.userlog(read("")).event_log.format_options == "LEGACY"
    assert history.userlog(read("MAX_EVENT_LOG =")).event_log.max_size == history.userlog(read("")).event_log.max_size


def test_where_preen_looks(read: Read) -> None:
    made = preen.preen(read("SPOOL = /s\nEXECUTE = /e\nSLOT1_EXECUTE = /e\nSLOT2_EXECUTE = /f"))
    assert made.execute == ("/e", "/f")


# -- matching and accounts


def test_factors_of_groups(read: Read) -> None:
    made = negotiator.accountant(read("GROUP_NAMES = a b\nGROUP_PRIO_FACTOR_a = 5\nGROUP_PRIO_FACTOR_b = 0"))
    assert made.group_factors == (("a", 5.0),)
    none = load({"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_GROUP_PRIO_FACTOR_<none>": "7"})
    assert negotiator.accountant(none).group_factors == (("<none>", 7.0),)


def test_what_groups_take_from_all_groups(read: Read) -> None:
    made = negotiator.negotiator(
        read(
            "GROUP_NAMES = a b\nGROUP_ACCEPT_SURPLUS = true\nGROUP_AUTOREGROUP = true\nGROUP_ACCEPT_SURPLUS_b = false\n"
            "GROUP_AUTOREGROUP_b = false\nGROUP_QUOTA_DYNAMIC_a = 1\nGROUP_QUOTA_b = 0"
        )
    )
    assert [(one.accept_surplus, one.autoregroup, one.quota, one.dynamic) for one in made.groups] == [
        (True, True, 1.0, True),
        (False, False, 0.0, False),
    ]
    assert negotiator.negotiator(read("STARTD_RESOURCE_PREFIX = node")).slot_prefix == "node"
    assert negotiator.negotiator(read("STARTD_RESOURCE_PREFIX =")).slot_prefix == "slot"
    both = "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = n\nGROUP_DYNAMIC_MACH_CONSTRAINT = g"
    assert negotiator.negotiator(read(both)).slot_pool_size_constraint == "n"
    assert negotiator.negotiator(read("CONCURRENCY_LIMIT_DEFAULT = 5")).concurrency.default == 5.0
    names = "NEGOTIATOR_MATCH_EXPRS = a negotiatormatchexprB\na = 1\nnegotiatormatchexprB = 2"
    assert negotiator.negotiator(read(names)).match_exprs == (
        ("NegotiatorMatchExpra", "1"),
        ("negotiatormatchexprB", "2"),
    )


# -- containers


def test_where_singularity_is_looked_for(read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = ("/usr/bin/apptainer", "/usr/bin/singularity", "/usr/local/bin/apptainer", "/usr/local/bin/singularity")
    there: set[str] = set()
    real = os.path.exists
    monkeypatch.setattr("os.path.exists", lambda path: path in there if path in usual else real(path))
    nowhere = f"LIBEXEC = {tmp_path}"
    assert containers.singularity(read(nowhere)).command == f"{tmp_path}/apptainer"
    for path in reversed(usual):  # the first of those that are there counts
        there.add(path)
        assert containers.singularity(read(nowhere)).command == path
    assert containers.singularity(read("SINGULARITY = /gone")).command == "/gone"
    (tmp_path / "apptainer").touch()
    assert containers.singularity(read(nowhere)).command == f"{tmp_path}/apptainer"


@pytest.mark.parametrize(
    ("knobs", "logs"),
    [
        ("DOCKER_LOG_DRIVER_NAME = true", (True, "")),
        ("DOCKER_LOG_DRIVER_NAME = yes", (True, "")),
        ("DOCKER_LOG_DRIVER_NAME = 1", (True, "")),
        ("DOCKER_LOG_DRIVER_NAME = T", (True, "")),
        ("DOCKER_LOG_DRIVER_NAME = no", (False, "")),
        ("DOCKER_LOG_DRIVER_NAME = f", (False, "")),
        ("DOCKER_LOG_DRIVER_NAME = 0", (False, "")),
        ("DOCKER_LOG_DRIVER_NAME = local\nDOCKER_LOG_DRIVER_NONE = true", (True, "local")),
        ("DOCKER_LOG_DRIVER_NAME = none\nDOCKER_LOG_DRIVER_NONE = false", (False, "none")),
    ],
)
def test_words_of_the_log_of_containers(read: Read, knobs: str, logs: tuple[bool, str]) -> None:
    made = containers.docker(read(knobs))
    assert (made.keeps_no_log, made.log_driver) == logs


def test_the_program_that_docker_asks_for_passwords(read: Read, tmp_path: Path) -> None:
    default = f"SBIN = {tmp_path}"
    program = tmp_path / "condor_docker_pat_producer"
    assert containers.docker(read(default)).credentials_program == ""
    program.touch()
    assert containers.docker(read(default)).credentials_program == str(program)
    assert containers.docker(read("DOCKER_PAT_PRODUCER = /gone")).credentials_program == "/gone"


# -- the machine


def test_how_a_machine_sleeps(read: Read) -> None:
    made = machine.power(read("LINUX_HIBERNATION_METHOD = SystemD\nHIBERNATION_PLUGIN_ARGS = -a b"))
    assert (made.method, made.plugin_args) == ("SystemD", ("-a", "b"))
    assert refused(machine.power, read("LINUX_HIBERNATION_METHOD = sleep")) == (
        "LINUX_HIBERNATION_METHOD",
        "LINUX_HIBERNATION_METHOD: 'sleep' is not one of pm-utils, systemd, /sys, /proc",
    )


def test_how_machines_are_woken(read: Read) -> None:
    assert machine.rooster(read('ROOSTER_WAKEUP_CMD = "/bin/wake -x"')).command == '"/bin/wake -x"'
    for text in ("", '""', '" "'):
        assert refused(machine.rooster, read(f"ROOSTER_WAKEUP_CMD = {text}"))[0] == "ROOSTER_WAKEUP_CMD"


def test_inventories_and_resources_of_a_machine(read: Read) -> None:
    text = (
        "MACHINE_RESOURCE_INVENTORY_Tapes = /t\nMACHINE_RESOURCE_INVENTORY_None =\nMACHINE_RESOURCE_Cogs = 2\n"
        "MACHINE_RESOURCE_INVENTORY_Discs = /d\nMACHINE_RESOURCE_Empty =\nMACHINE_RESOURCE_cogs = 3\n"
    )
    made = startd.startd(read(text))
    assert made.inventories == (("Tapes", "/t"), ("Discs", "/d"))
    assert [(one.name, one.quantity) for one in made.resources] == [("Cogs", 3.0)]
    chosen = startd.startd(read(f"{text}MACHINE_RESOURCE_NAMES = discs"))
    assert (chosen.inventories, chosen.resources) == ((("Discs", "/d"),), ())


def test_policies_of_slots_and_of_the_vanilla_universe(read: Read) -> None:
    made = startd.startd(
        read(
            "NUM_SLOTS_TYPE_1 = 1\nNUM_SLOTS_TYPE_2 = 1\nSLOT_TYPE_1_SLOT_WEIGHT = 3\nSLOT_WEIGHT = 2\nIsOwner = o\n"
            "SLOT_TYPE_1_PREEMPT_VANILLA = p\nKILL_VANILLA = k\nCpuBusy = c\nSLOT2_NUM_CLAIMS = 2 * 2\nNUM_CLAIMS = x\n"
            "STARTD_JOB_HOOK_KEYWORD = all\nSLOT_TYPE_2_JOB_HOOK_KEYWORD = two\ntwo_HOOK_FETCH_WORK = /f\n"
        )
    )
    first, second = (one.policy for one in made.types)
    assert (first.slot_weight, second.slot_weight, first.is_owner, first.cpu_busy) == ("3", "2", "o", "c")
    assert (first.vanilla, second.vanilla) == ((("PREEMPT", "p"), ("KILL", "k")), (("KILL", "k"),))
    assert (first.num_claims, dict(made.overrides)[2].num_claims) == (None, 4)
    assert startd.startd(read("NUM_CLAIMS = 3.5")).types[0].policy.num_claims == 3
    assert (first.hook_keyword, second.hook_keyword) == ("all", "two")
    assert [(one.keyword, one.fetch_work, one.reply_fetch) for one in made.fetch_hooks] == [("two", "/f", "")]
    for name in ("SUSPEND", "CONTINUE", "PREEMPT", "KILL", "WANT_SUSPEND", "WANT_VACATE"):
        assert startd.startd(read(f"{name}_VANILLA = x")).types[0].policy.vanilla == ((name, "x"),)
    assert startd.startd(read("RANK_VANILLA = x")).types[0].policy.vanilla == ()
    assert startd.startd(read("CPU_BUSY = b")).types[0].policy.cpu_busy == "b"
    assert startd.startd(read("IS_OWNER = i")).types[0].policy.is_owner == "i"


def test_what_a_match_takes_from_a_slot(read: Read) -> None:
    def taken(word: str) -> tuple[tuple[str, str], ...]:
        return (
            startd.startd(read(f"CONSUMPTION_POLICY = {word}\nCONSUMPTION_MEMORY = m\nMACHINE_RESOURCE_gpus = 2"))
            .types[0]
            .policy.consumption
        )

    missing = "ifthenelse(target.Requestgpus =?= undefined,0,target.Requestgpus)"
    for word in ("true", "True", "1", "yes", "T", "y", "1 == 1", "2"):
        cpus, memory, *_, custom = taken(word)
        assert (cpus, memory, custom) == (
            ("Cpus", "quantize(target.RequestCpus,{1})"),
            ("Memory", "m"),
            ("gpus", missing),
        )
    for word in ("", "false", "0", "no", "x", "1 > 1"):
        assert taken(word) == ()


def test_attributes_of_slots_by_their_list(read: Read) -> None:
    made = startd.startd(
        read(
            "SYSTEM_STARTD_ATTRS = s\nSTARTD_ATTRS = a b\nSLOT_TYPE_1_STARTD_ATTRS = t\nSLOT1_STARTD_ATTRS = u\n"
            "NUM_SLOTS_TYPE_1 = 2\ns = 1\na = 2\nb = 3\nt = 4\nu = 5\nSLOT_TYPE_1_a = 6\nSLOT1_a = 7\nSLOT1_b = 8\n"
            "SLOT1_START = x"
        )
    )
    (only,) = made.types
    assert only.policy.attrs == (("s", "1"), ("a", "6"), ("b", "3"), ("t", "4"))
    assert dict(made.overrides)[1].attrs == (("s", "1"), ("a", "7"), ("b", "8"), ("t", "4"), ("u", "5"))
    assert made.daemon_attrs == (("s", "1"), ("a", "2"), ("b", "3"))
    lists = "SYSTEM_STARTD_SLOT_ATTRS = b\nSTARTD_SLOT_ATTRS = a\nSYSTEM_STARTD_JOB_ATTRS = c\nSTARTD_JOB_ATTRS = d\n"
    made = startd.startd(read(f"{lists}SYSTEM_STARTD_LATCH_EXPRS = e\nSTARTD_LATCH_EXPRS = f"))
    assert (made.slot_attrs, made.job_attrs, made.latched) == (("a", "b"), ("c", "d"), ("e", "f"))


def test_an_attribute_that_is_listed_and_not_set_stays_as_it_is(read: Read) -> None:
    made = startd.startd(read("STARTD_ATTRS = TotalCpus, MEMORY, gone, own\ngone =\nSLOT1_own ="))
    (only,) = made.types
    assert only.policy.attrs == (("gone", ""),)
    assert dict(made.overrides)[1].attrs == (("gone", ""), ("own", ""))


def test_amounts_that_were_chosen_are_told_from_defaults(read: Read) -> None:
    made = startd.startd(read(""))
    assert (made.num_cpus, made.memory_mb, made.disk_kb, made.job_networking) == (None, None, None, True)
    made = startd.startd(read("NUM_CPUS = 3\nMEMORY = 4\nDISK =\nNO_JOB_NETWORKING = true\nSTARTD_EVENTLOG = /e"))
    assert (made.num_cpus, made.memory_mb, made.disk_kb, made.job_networking) == (3, 4, None, False)
    assert made.events
    for word in ("CONTINUE", "clear", "Abort"):
        assert startd.startd(read(f"SLOT_CONFIG_FAILURE_MODE = {word}")).failure_mode == word.upper()
    assert refused(startd.startd, read("SLOT_CONFIG_FAILURE_MODE = stop")) == (
        "SLOT_CONFIG_FAILURE_MODE",
        "SLOT_CONFIG_FAILURE_MODE: 'STOP' is not one of CONTINUE, CLEAR, ABORT",
    )


def test_directories_of_slots(read: Read) -> None:
    made = machine.probes(read("SLOT2_EXECUTE = /b\nSLOT10_EXECUTE = /j\nSLOT3_EXECUTE =\nSLOT1_EXECUTES = /x"))
    assert made.slot_executes == ((2, "/b"), (10, "/j"))


# -- backfill, cron, router, web, tokens


def test_the_universe_of_boinc(read: Read) -> None:
    on = "ENABLE_BACKFILL = true\nBACKFILL_SYSTEM = BOINC\nBOINC_Executable = /b\nBOINC_Universe = "
    for word in ("", "Vanilla", "5"):
        assert backfill.backfill(read(on + word)) is not None
    for word in ("7", "java"):
        assert refused(backfill.backfill, read(on + word))[0] == "BOINC_Universe"


def test_a_slot_may_have_the_only_backfill_command(read: Read) -> None:
    on = "ENABLE_BACKFILL = true\nBACKFILL_SYSTEM = command\n"
    made = backfill.backfill(read(f"{on}SLOT3_BACKFILL_COMMAND = /c"))
    assert (getattr(made, "command", None), getattr(made, "of_slots", None)) == ("", ((3, "/c"),))


def test_loads_of_programs(read: Read) -> None:
    for base, build, load_of_one in (
        ("STARTD_CRON", cron.startd_cron, 0.01),
        ("SCHEDD_CRON", cron.schedd_cron, 0.01),
        ("BENCHMARKS", cron.benchmarks, 1.0),
    ):
        made = build(
            read(f"{base}_JOBLIST = a\n{base}_a_EXECUTABLE = /a\n{base}_a_PERIOD = 1\n{base}_a_MODE = x")
            if base == "BENCHMARKS"
            else read(f"{base}_JOBLIST = a\n{base}_a_EXECUTABLE = /a\n{base}_a_PERIOD = 1")
        )
        (job,) = made.jobs
        assert (made.name, made.log_non_zero_exit, job.load) == (base, False, load_of_one)
        assert (job.kill, job.reconfig, job.reconfig_rerun, job.slots, job.metrics) == (False, False, False, (), ())
        assert job.mode.value == ("OnDemand" if base == "BENCHMARKS" else "Periodic")


def test_routes_of_the_same_name_count_once(read: Read) -> None:
    made = router.job_router(
        read(
            "JOB_ROUTER_ROUTE_NAMES = a A\nJOB_ROUTER_ROUTE_a = UNIVERSE vanilla\n"
            "JOB_ROUTER_PRE_ROUTE_TRANSFORM_NAMES = p P q\n"
            "JOB_ROUTER_TRANSFORM_p = SET A 1\nJOB_ROUTER_TRANSFORM_q = SET B 1"
        )
    )
    assert made.routes == (("a", "UNIVERSE vanilla"),)
    assert [name.lower() for name in made.pre_route] == ["p", "q"]


@pytest.mark.parametrize("name", ["", 'a"b', "a\x07b"])
def test_names_that_a_router_cannot_have(read: Read, name: str) -> None:
    message = f"JOB_ROUTER_NAME: {name!r} is not a name"
    assert refused(router.job_router, read(f"JOB_ROUTER_NAME = {name}")) == ("JOB_ROUTER_NAME", message)


@pytest.mark.parametrize(
    ("text", "knob"),
    [
        ("WEB_INTERFACE = here", "WEB_INTERFACE"),
        ("WEB_INTERFACE = 0.0.0.0", "WEB_INTERFACE"),
        ("WEB_INTERFACE = ::", "WEB_INTERFACE"),
        ("WEB_PROXY_ADDRESSES = 127.0.0.1", "WEB_PROXY_ADDRESSES"),
        ("WEB_PROXY_ADDRESSES = 10.0.0.1, ::1", "WEB_PROXY_ADDRESSES"),
        ("WEB_PROXY_ADDRESSES = ::ffff:127.0.0.1", "WEB_PROXY_ADDRESSES"),
    ],
)
def test_places_where_pages_are_not_safe(read: Read, text: str, knob: str) -> None:
    assert refused(web.web, read(text))[0] == knob


@pytest.mark.parametrize(
    "text",
    [
        "",
        "WEB_INTERFACE = 127.0.0.2",
        "WEB_INTERFACE = ::1",
        "WEB_INTERFACE = 0.0.0.0\nWEB_PROXY_USER_HEADER = X-User\nWEB_PROXY_ADDRESSES = 10.0.0.1",
        "WEB_PROXY_ADDRESSES = 10.0.0.1, nginx, ::ffff:10.0.0.1",
    ],
)
def test_places_where_pages_are_safe(read: Read, text: str) -> None:
    assert web.web(read(text)).interface


def test_services_of_tokens(read: Read) -> None:
    assert credentials.local_services(read("")) == ("scitokens",)
    assert credentials.local_services(read("LOCAL_CREDMON_PROVIDER_NAME = a")) == ("a",)
    both = "LOCAL_CREDMON_PROVIDER_NAME = a\nLOCAL_CREDMON_PROVIDER_NAMES = b, c"
    assert credentials.local_services(read(both)) == ("b", "c")
    assert credentials.added_services(read("")) == ()
    assert credentials.added_services(read("LOCAL_CREDMON_PROVIDER_NAME = a")) == ("a",)
    assert credentials.added_services(read(both)) == ("b", "c")
    assert credentials.added_services(read(f"{both}\nSUBMIT_ADD_LOCAL_CREDMON_PROVIDERS = false")) == ()
    assert credentials.added_services(read(f"{both}\nSUBMIT_ADD_LOCAL_CREDMON_PROVIDER_NAMES = d")) == ("d",)


@pytest.mark.parametrize(("text", "ids"), [("", None), ("64.65", (64, 65)), (" 64.65 ", (64, 65)), ("0.0", (0, 0))])
def test_the_account_of_the_daemons(read: Read, text: str, ids: tuple[int, int] | None) -> None:
    config = read(f"CONDOR_IDS = {text}")
    assert checkpoints.condor_ids(config, {}) == ids
    assert checkpoints.condor_ids(config, {"CONDOR_IDS": "7.8"}) == (7, 8)


@pytest.mark.parametrize("text", ["64", "64.", "a.b", "1.2.3", "-1.2"])
def test_accounts_that_are_none(read: Read, text: str) -> None:
    assert refused(lambda config: checkpoints.condor_ids(config, {}), read(f"CONDOR_IDS = {text}")) == (
        "CONDOR_IDS",
        f"CONDOR_IDS: {text!r} is not the user and the group id of an account, as in 64.64",
    )


def test_limits_of_dagman(read: Read) -> None:
    limited = "DAGMAN_MAX_JOBS_IDLE = 7\n"
    assert dagman.caps(read(limited)).max_idle == 7
    assert dagman.caps(read(f"{limited}DAGMAN_DISABLE_ADMIN_THROTTLE_LIMITING = true")).max_idle == 0
    assert dagman.dagman(read("DAGMAN_NODE_RECORD_INFO = Retry")).record_retry
    assert not dagman.dagman(read("DAGMAN_NODE_RECORD_INFO = other")).record_retry
    told = dagman.told(read("DAGMAN_NODE_RECORD_INFO = Retry\nDAGMAN_RECORD_MACHINE_ATTRS = a b"))
    assert told[-2:] == ["DAGMAN_NODE_RECORD_INFO: Retry", "DAGMAN_RECORD_MACHINE_ATTRS: a b"]
    assert "DAGMAN_QUEUE_UPDATE_INTERVAL setting: 300.000000" in told
    assert [line for line in dagman.told(read("")) if ": " in line and " setting: " not in line] == []


# -- isolation


@pytest.mark.parametrize(
    ("path", "forbids"),
    [
        ("/proc/sys/user/max_user_namespaces", "0"),
        ("/proc/sys/kernel/unprivileged_userns_clone", "0"),
        ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"),
    ],
)
def test_kernels_that_let_only_root_make_namespaces(
    path: str, forbids: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)

    def opened(name: str, **how: str) -> TextIO:
        return open(tmp_path / "value" if name == path else tmp_path / "gone", **how)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(isolation, "open", opened, raising=False)
    for value, missing in ((forbids, True), ("0" if forbids == "1" else "1", False)):
        (tmp_path / "value").write_text(f"{value}\n")
        for knob in ("USE_PID_NAMESPACES", "no_job_networking", "MOUNT_UNDER_SCRATCH"):
            assert bool(isolation.promise_of(knob)) is missing, (knob, value)
        for knob in ("USE_GID_PROCESS_TRACKING", "STARTD_ENFORCE_DISK_LIMITS", "ENCRYPT_EXECUTE_DIRECTORY"):
            assert isolation.promise_of(knob)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("", 1200), ("CLAIM_WORKLIFE = 60 * 2", 120), ("CLAIM_WORKLIFE =", -1), ("use POLICY : DESKTOP", -1)],
)
def test_a_claim_lasts_without_end_where_nothing_is_said(read: Read, text: str, seconds: int) -> None:
    assert startd.startd(read(text)).claim_worklife == seconds
    assert schedd.schedd(read(text)).claim_worklife == seconds
