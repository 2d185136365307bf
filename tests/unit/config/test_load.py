"""Where configuration comes from, in which order, and what an error says."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from condor_py.lang.config import Config, ConfigError, detected, installed, load, loader
from condor_py.lang.config.builders.daemon import daemon
from condor_py.lang.macro import Origin
from condor_py.lang.submit.env import parse_environment


def at(path: Path, text: str, **options: object) -> Config:
    """The configuration of a root file with this text and an environment with nothing else."""
    path.write_text(text)
    return load({"CONDOR_CONFIG": str(path)}, **options)  # type: ignore[arg-type]


def test_without_any_file_there_is_a_personal_pool(tmp_path: Path) -> None:
    config = load({"CONDOR_CONFIG": "ONLY_ENV", "XDG_STATE_HOME": str(tmp_path)})
    assert config.root == ""
    assert config.string("SPOOL") == f"{tmp_path}/condor_py/spool"
    assert config.path("DAEMON_SOCKET_DIR") == f"{tmp_path}/condor_py/log/daemon_sock"
    assert config.list("DAEMON_LIST") == ["MASTER", "SCHEDD", "NEGOTIATOR", "STARTD"]
    assert config.expression("RunBenchmarks") == "0"
    assert config.boolean("IsTool") is True


@pytest.fixture
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Directories in place of those of the machine, and a home."""
    directories = {"local_dir": f"{tmp_path}/lib", "log": f"{tmp_path}/log", "lock": f"{tmp_path}/run"}
    monkeypatch.setattr(detected, "MACHINE_DIRECTORIES", directories)
    monkeypatch.setattr(loader, "MACHINE_DIRECTORIES", directories)
    monkeypatch.setattr(detected, "MACHINE_FILES", (f"{tmp_path}/etc",))
    monkeypatch.setattr(loader, "MACHINE_FILES", (f"{tmp_path}/etc",))
    monkeypatch.setattr(detected, "condor_home", lambda: None)
    monkeypatch.setitem(detected._FIXED, "tilde", lambda _: None)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


def queue_below(directory: Path) -> None:
    (directory / "spool").mkdir(parents=True)
    (directory / "spool" / "job_queue.log").touch()


def directories_of(config: Config, below: Path) -> list[str]:
    return [config.path(name).removeprefix(f"{below}/") for name in ("LOCAL_DIR", "SPOOL", "LOG", "LOCK", "RUN")]


MACHINE = ["lib", "lib/spool", "log", "run", "run"]
OWN = [f"home/.local/state/condor_py{end}" for end in ("", "/spool", "/log", "/log", "/log")]


@pytest.mark.parametrize(
    ("root", "has_own", "has_machine", "expected"),
    [
        (True, False, False, MACHINE),
        (True, True, False, OWN),  # what is in a queue stays there
        (False, False, False, OWN),
        (False, False, True, MACHINE),
        (False, True, True, OWN),
    ],
)
def test_without_configuration_root_has_the_machines_pool_and_all_find_it(
    root: bool, has_own: bool, has_machine: bool, expected: list[str], homes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0 if root else 1000)
    if has_own:
        queue_below(homes / "home/.local/state/condor_py")
    if has_machine:
        queue_below(homes / "lib")
    assert directories_of(load({}), homes) == expected


def test_an_empty_configuration_of_the_machine_is_its_pool_for_everybody(
    homes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    queue_below(homes / "home/.local/state/condor_py")
    (homes / "etc").touch()
    assert directories_of(load({}), homes) == MACHINE
    assert directories_of(load({"CONDOR_CONFIG": f"{homes}/etc"}), homes) == MACHINE
    assert directories_of(load({"CONDOR_CONFIG": "/dev/null"}), homes) == OWN
    assert directories_of(load({"_CONDOR_LOCK": f"{homes}/l"}), homes) == ["lib", "lib/spool", "log", "l", "l"]


@pytest.mark.parametrize("setting", ["LOCAL_DIR = $(TOP)", "LOCAL_DIR = $(TOP)\nLOCK = $(LOG)"])
def test_where_local_dir_is_set_everything_is_below_it(setting: str, homes: Path) -> None:
    (homes / "etc").write_text(f"TOP = {homes}/top\n{setting}\n")
    assert directories_of(load({}), homes) == ["top", "top/spool", "top/log", "top/log", "top/log"]


def test_the_order_of_files_and_environment(tmp_path: Path) -> None:
    late = tmp_path / "config.d"
    late.mkdir()
    (late / "10-b").write_text("A = from b\nB = from b\nC = from b\n")
    (late / "05-a").write_text("A = from a\n")
    (late / ".hidden").write_text("A = hidden\n")
    (late / "20-c~").write_text("A = backup\n")
    (tmp_path / "local").write_text("B = from local\n")
    root = tmp_path / "condor_config"
    root.write_text(f"A = root\nD = root\nLOCAL_CONFIG_DIR = {late}\nLOCAL_CONFIG_FILE = $(CONFIG_ROOT)/local\n")
    config = load({"CONDOR_CONFIG": str(root), "_CONDOR_C": "from env", "_condor_Spool": "/s"})
    assert [config.string(name) for name in "ABCD"] == ["from b", "from local", "from env", "root"]
    assert config.path("SPOOL") == "/s"
    assert config.source("B") == Origin(str(tmp_path / "local"), 1)
    assert config.source("C") == Origin("<Environment>")
    assert config.files == [str(root), str(late / "05-a"), str(late / "10-b"), str(tmp_path / "local")]


def test_a_variable_of_the_environment_may_add_to_a_default(tmp_path: Path) -> None:
    """It may add to what a file says, and HTCondor never ends where there is only a default."""
    root = tmp_path / "condor_config"
    root.write_text("A = root\n")
    added = {"_CONDOR_A": "$(A) more", "_CONDOR_DAEMON_LIST": "$(DAEMON_LIST) WEB", "_CONDOR_NEW": "$(NEW)new"}
    config = load({"CONDOR_CONFIG": str(root), **added})
    assert config.string("A") == "root more"
    assert config.string("DAEMON_LIST") == f"{load({'CONDOR_CONFIG': str(root)}).string('DAEMON_LIST')} WEB"
    assert config.string("NEW") == "new"


def test_users_but_not_root_have_a_file_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pwd.getpwuid", lambda _uid: SimpleNamespace(pw_dir=str(tmp_path), pw_name="alice"))
    (tmp_path / ".condor").mkdir()
    (tmp_path / ".condor" / "user_config").write_text("A = $(A) user\n")
    (tmp_path / "other").write_text("A = other\n")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert at(tmp_path / "c", "A = root\n").string("A") == "root"
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    config = at(tmp_path / "c", "A = root\n")
    assert config.string("A") == "root user"
    assert config.files[-1] == str(tmp_path / ".condor" / "user_config")
    assert at(tmp_path / "c", f"A = root\nUSER_CONFIG_FILE = {tmp_path}/other\n").string("A") == "other"
    assert at(tmp_path / "c", "A = root\nUSER_CONFIG_FILE =\n").string("A") == "root"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("condor_py.lang.config.loader.account_home", lambda: "")
    assert at(tmp_path / "c", "A = root\nUSER_CONFIG_FILE = other\n").string("A") == "root", "not from any directory"


def test_a_local_file_may_name_further_ones(tmp_path: Path) -> None:
    (tmp_path / "one").write_text(f"LOCAL_CONFIG_FILE = {tmp_path}/one, {tmp_path}/two\n")
    (tmp_path / "two").write_text("A = two\n")
    config = at(tmp_path / "c", f"LOCAL_CONFIG_FILE = {tmp_path}/one\n")
    assert config.string("A") == "two"


def test_local_name_beats_subsystem_beats_plain(tmp_path: Path) -> None:
    text = "X = plain\nSCHEDD.X = schedd\nTWO.X = local\nY = <$(X)>\n"
    assert at(tmp_path / "c", text).string("Y") == "<plain>"
    assert at(tmp_path / "c", text, subsystem="SCHEDD").string("Y") == "<schedd>"
    config = at(tmp_path / "c", text, subsystem="SCHEDD", local_name="TWO")
    assert config.string("Y") == "<local>"
    assert config.setting("x").name == "TWO.X"  # type: ignore[union-attr]
    config = at(tmp_path / "c", text + "SCHEDD.TWO.X = $(X) both\n", subsystem="SCHEDD", local_name="TWO")
    assert config.string("Y") == "<local both>"


def test_daemon_list_of_roles_begins_with_the_master(tmp_path: Path) -> None:
    config = at(tmp_path / "c", "use ROLE : Submit\nuse ROLE : Execute\n")
    assert config.string("DAEMON_LIST") == "MASTER SCHEDD STARTD"
    assert at(tmp_path / "c", "DAEMON_LIST = MASTER\n").string("DAEMON_LIST") == "MASTER"
    config = at(tmp_path / "c", "AUTO_USE_ROLE_Submit = true\n")
    assert config.string("DAEMON_LIST") == "MASTER SCHEDD"
    config = at(tmp_path / "c", "use ROLE : Submit\nDAEMON_LIST = $(DAEMON_LIST) WEB\nuse FEATURE : GANGLIA\n")
    assert config.string("DAEMON_LIST") == "MASTER SCHEDD WEB GANGLIAD"


def test_a_daemon_is_added_to_those_that_start_without_a_configuration(tmp_path: Path) -> None:
    usual = "MASTER SCHEDD NEGOTIATOR STARTD"
    for text in ("DAEMON_LIST = $(DAEMON_LIST) WEB\n", "DAEMON_LIST += WEB\n"):
        assert at(tmp_path / "c", text).string("DAEMON_LIST") == f"{usual} WEB"
    assert at(tmp_path / "c", "use FEATURE : ADSTASH\n").string("DAEMON_LIST") == f"{usual} ADSTASH"
    text = "if defined use ROLE:Submit\nDAEMON_LIST = $(DAEMON_LIST) WEB\nendif\n"
    assert at(tmp_path / "c", text).string("DAEMON_LIST") == f"{usual} WEB"


def test_the_name_of_the_machine_can_be_completed_or_replaced(tmp_path: Path) -> None:
    config = at(tmp_path / "c", "NETWORK_HOSTNAME = box\nDEFAULT_DOMAIN_NAME = example.net\n")
    assert (config.string("HOSTNAME"), config.string("UID_DOMAIN")) == ("box", "box.example.net")
    config = at(tmp_path / "c", "NETWORK_HOSTNAME = box.example.org\nDEFAULT_DOMAIN_NAME = example.net\n")
    assert config.string("FULL_HOSTNAME") == "box.example.org"


def test_a_setting_that_repeats_the_default_has_no_source_of_its_own(tmp_path: Path) -> None:
    config = at(tmp_path / "c", "SPOOL = $(LOCAL_DIR)/spool\nSUSPEND = FALSE\n")
    assert config.source("SPOOL") == config.source("SUSPEND") == Origin("<Default>")


def test_defaults_and_trace_come_from_the_caller(tmp_path: Path) -> None:
    old: list[str] = []
    text = "A = 1\nA = 2\nA = $(A) 3\n"
    config = at(tmp_path / "c", text, defaults={"OWN": "x"}, trace=lambda macro: old.append(macro.value))
    assert config.string("own") == "x"
    assert old == ["1", "2"]


def test_a_command_may_be_the_configuration(tmp_path: Path) -> None:
    config = load({"CONDOR_CONFIG": "give me |"}, run=lambda command: (0, f"A = {command}\n"))
    assert config.string("A") == "give me"
    with pytest.raises(ConfigError, match="terminated with exit code 3"):
        load({"CONDOR_CONFIG": "give me |"}, run=lambda _command: (3, "A = 1\n"))


def test_a_missing_file_of_the_environment_is_two_lines(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load({"CONDOR_CONFIG": "/no/where"})
    assert str(caught.value).splitlines() == [
        "File specified in CONDOR_CONFIG environment variable:",
        '"/no/where" does not exist.',
    ]
    with pytest.raises(ConfigError, match="is a directory"):
        load({"CONDOR_CONFIG": str(tmp_path)})


def test_errors_name_the_included_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "more").write_text("OK = 1\nA-B = 2\n")
    with pytest.raises(ConfigError) as caught:
        at(tmp_path / "c", f"include : {tmp_path}/more\n")
    expected = (
        f"Configuration Error Line 2 while reading global config source {tmp_path}/more: Illegal Identifier: <A-B>"
    )
    assert str(caught.value) == expected
    with pytest.raises(ConfigError, match="ERROR: Can't read config source /no/file"):
        at(tmp_path / "c", "LOCAL_CONFIG_FILE = /no/file\n")
    with pytest.raises(ConfigError, match="not a valid regular expression"):
        at(tmp_path / "c", f"LOCAL_CONFIG_DIR = {tmp_path}\nLOCAL_CONFIG_DIR_EXCLUDE_REGEXP = (\n")


def test_warnings_are_kept(tmp_path: Path) -> None:
    config = at(tmp_path / "c", "A : 1\n")
    warning = f"Config source Warning \"{tmp_path}/c\", Line 1: obsolete use of ':' for parameter assignment at A : 1"
    assert config.warnings == [warning]


def test_values_of_all_kinds(tmp_path: Path) -> None:
    text = """N = 2 * (3 + $(M))
M = 4
R = 1e3
T = $(N) > 3
L = a, b c,,d
P = /a//b/$(M)
MAX_SCHEDD_LOG = 10 Mb
MAX_STARTD_LOG = 7 days
E =
"""
    config = at(tmp_path / "c", text)
    assert config.integer("N") == 14
    assert config.real("R") == 1000.0
    assert config.boolean("T") is True
    assert config.list("L") == ["a", "b", "c", "d"]
    assert config.path("P") == "/a/b/4"
    assert config.size("MAX_SCHEDD_LOG") == (10 * 1024 * 1024, False)
    assert config.size("MAX_STARTD_LOG") == (7 * 86400, True)
    assert config.integer("E", 5) == 5
    assert config.integer("CLAIM_WORKLIFE") == 1200
    assert config.expression("PREEMPTION_REQUIREMENTS") == "False"
    assert config.expanded("E") is None
    assert config.expanded("NOPE") is None
    assert config.integer("MAX_JOBS_RUNNING") == min(int(config.string("DETECTED_MEMORY")), 10000)


@pytest.mark.parametrize(
    ("line", "ask", "message"),
    [
        ("CLAIM_WORKLIFE = soon", "integer", "'soon' is not valid, it must be an integer"),
        (
            "JOB_START_COUNT = 0",
            "integer",
            "it must be an integer or an expression that evaluates to one of at least 1",
        ),
        ("NEGOTIATION_CYCLE_STATS_LENGTH = 101", "integer", "from 0 to 100 (default 3)"),
        ("NEGOTIATOR_USE_SLOT_WEIGHTS = perhaps", "boolean", "it must be True or False (default true)"),
        ("PRIORITY_HALFLIFE = x", "real", "it must be a number"),
        ("MAX_SCHEDD_LOG = large", "size", "it must be a size"),
    ],
)
def test_bad_values_name_the_knob_and_its_place(tmp_path: Path, line: str, ask: str, message: str) -> None:
    config = at(tmp_path / "c", f"# one\n{line}\n")
    name = line.split()[0]
    with pytest.raises(ConfigError) as caught:
        getattr(config, ask)(name)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f'{name} ("{tmp_path}/c", line 2): ')


def test_macros_in_a_circle_name_the_knob_and_its_place(tmp_path: Path) -> None:
    config = at(tmp_path / "c", "A = $(B)\nB = $(A)\n")
    with pytest.raises(ConfigError, match=r'A \("[^"]*/c", line 1\): macro \w contains itself: '):
        config.string("A")


def test_an_undefined_number_without_default_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="NOPE is not defined"):
        at(tmp_path / "c", "").integer("NOPE")


def test_the_machine_is_known(tmp_path: Path) -> None:
    files = {
        "/etc/hosts": "127.0.0.1 localhost\n",
        "/etc/os-release": 'PRETTY_NAME="AlmaLinux 9.3 (Shamrock)"\n',
        "/proc/meminfo": "MemTotal:       2097152 kB\n",
        "/c": "A = $(OPSYSANDVER) $(DETECTED_MEMORY) $(SUBSYSTEM) $(PID)\nPID = 7\nARCH = mine\n",
    }

    def read(path: str) -> str:
        if path not in files:
            raise FileNotFoundError(path)
        return files[path]

    (tmp_path / "c").write_text("")
    config = load({}, root="/c", subsystem="STARTD", read=read)
    assert config.string("A").startswith("AlmaLinux9 2048 STARTD ")
    assert config.string("PID") != "7"
    assert config.string("ARCH") == "mine"
    assert config.integer("NUM_CPUS") >= 1
    assert load({"OMP_THREAD_LIMIT": "1"}, root="/c", read=read).integer("NUM_CPUS") == 1

    files["/proc/self/cgroup"] = "4:memory:/build\n3:cpu,cpuacct:/build\n"
    files["/sys/fs/cgroup/memory/build/memory.limit_in_bytes"] = f"{512 << 20}\n"
    assert load({}, root="/c", read=read).integer("DETECTED_MEMORY") == 512, "what the container may use"


def test_a_template_that_says_what_only_our_table_says_is_a_setting(tmp_path: Path) -> None:
    """RunBenchmarks = 0 is the default here and not in HTCondor's table: who asks where it comes from is told."""
    config = at(tmp_path / "c", "use ROLE : Personal\nSPOOL = $(LOCAL_DIR)/spool\n")
    assert config.source("RunBenchmarks") == Origin(str(tmp_path / "c"), 1, "ROLE:Personal", 3)
    assert "spool" not in {macro.name.lower() for macro in config.macros}


def test_the_security_template_names_the_methods_of_htcondor(tmp_path: Path) -> None:
    config = at(tmp_path / "c", "use SECURITY : get_htcondor_idtokens\n")
    assert config.string("SEC_READ_AUTHENTICATION_METHODS") == "FS,IDTOKENS,SCITOKENS,SSL,ANONYMOUS"


def test_the_cache_of_pelican(tmp_path: Path) -> None:
    config = at(tmp_path / "c", "LOCAL_DIR = /l\nuse FEATURE : PelicanCache(10GB)\n")
    assert config.string("PELICANCACHE_SIZE") == "10GB"
    assert parse_environment(config.string("STARTD_ENVIRONMENT")) == {"NEAREST_CACHE": "unix://l/localcache/cache.sock"}
    assert parse_environment(config.string("PELICANCACHE_ENVIRONMENT"))["PELICAN_LOCALCACHE_SIZE"] == "10GB"


def test_the_interval_of_the_schedd_is_empty_in_the_table(tmp_path: Path) -> None:
    config = at(tmp_path / "c", "A = $(SCHEDD_INTERVAL:7)\n", subsystem="SCHEDD")
    assert config.raw("SCHEDD_INTERVAL") == ""
    assert daemon(config, "SCHEDD").update_interval == 300
    assert daemon(at(tmp_path / "c", "SCHEDD_INTERVAL = 9\n"), "SCHEDD").update_interval == 9


@pytest.mark.parametrize("packed", [False, True])
def test_the_commit_of_a_checkout(packed: bool, tmp_path: Path) -> None:
    package = str(tmp_path / "condor_py")
    assert installed.commit(package) == ""
    (tmp_path / ".git" / "refs" / "heads").mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert installed.commit(package) == ""
    name = "packed-refs" if packed else "refs/heads/main"
    text = f"# pack-refs\n{'b' * 40} refs/heads/old/main\n{'a' * 40} refs/heads/main\n" if packed else "a" * 40
    (tmp_path / ".git" / name).write_text(text)
    assert installed.commit(package) == "a" * 40
    (tmp_path / ".git" / "HEAD").write_text("c" * 40 + "\n")
    assert installed.commit(package) == "c" * 40
    (tmp_path / ".git" / "HEAD").write_bytes(b"\xff\n")
    assert installed.commit(package) == ""
