"""How a configuration is read and asked: bytes, sources, errors with their places, facts of the machine, templates."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from condor_py.lang.config import Config, ConfigError, detected, load, loader, shown, table
from condor_py.lang.config.detected import Detected
from condor_py.lang.config.dynamic import Dynamic, listed, persistent_path, pieces
from condor_py.lang.config.lint.changes import check_changes
from condor_py.lang.config.lint.subject import Subject, names_in, place_of, value_of
from condor_py.lang.config.settings import OVERRIDE
from condor_py.lang.config.summary import kind_of, rank, settings, statistics
from condor_py.lang.config.templates import similar, spelled, template
from condor_py.lang.config.values import to_integer, to_real, to_size
from condor_py.lang.macro.evaluate import classad_evaluate

Read = Callable[..., Config]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def config(text: str, *, environ: dict[str, str] | None = None, **options: object) -> Config:
        (tmp_path / "c").write_text(text)
        return load({"CONDOR_CONFIG": str(tmp_path / "c"), **(environ or {})}, **options)  # type: ignore[arg-type]

    return config


# -- bytes and files


def test_bytes_that_are_not_utf_8_survive(tmp_path: Path) -> None:
    (tmp_path / "c").write_bytes(b"A = x\xffy\n")
    assert os.fsencode(load({"CONDOR_CONFIG": str(tmp_path / "c")}).string("A")) == b"x\xffy"
    assert os.fsencode(load({"CONDOR_CONFIG": f"/bin/cat {tmp_path}/c |"}).string("A")) == b"x\xffy"


def test_a_zero_byte_is_refused_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "c").write_bytes(b"A = x\nSPOOL = /a\0b\n")
    with pytest.raises(ConfigError, match=f"Line 2 while reading global config source {tmp_path}/c: a zero byte"):
        load({"CONDOR_CONFIG": str(tmp_path / "c")})


def test_a_name_with_a_zero_byte_is_no_file() -> None:
    with pytest.raises(FileNotFoundError):
        loader.read_text("a\0b")


def test_the_file_that_is_read_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [tmp_path / name for name in ("one", "two", "home/condor_config")]
    (tmp_path / "home").mkdir()
    monkeypatch.setattr(loader, "MACHINE_FILES", tuple(map(str, files[:2])))
    monkeypatch.setattr(loader, "condor_home", lambda: None)
    assert loader.find_root({}) == ""
    files[2].touch()
    assert loader.find_root({}) == ""
    monkeypatch.setattr(loader, "condor_home", lambda: str(tmp_path / "home"))
    for file in reversed(files):
        file.touch()
        assert loader.find_root({}) == str(file)
    assert loader.find_root({"CONDOR_CONFIG": "only_env"}) == "ONLY_ENV"
    assert loader.find_root({"CONDOR_CONFIG": "/bin/true | "}) == "/bin/true | "


@pytest.mark.parametrize("word", ["false", "F", "no", "N", "0"])
def test_local_files_may_be_missing_where_the_configuration_says_so(read: Read, word: str) -> None:
    text = "LOCAL_CONFIG_FILE = /no/file\nA = 1\n"
    assert read(f"{text}REQUIRE_LOCAL_CONFIG_FILE = {word}\n").string("A") == "1"
    with pytest.raises(ConfigError, match=r"Can't read config source /no/file \(LOCAL_CONFIG_FILE of .*/c, line 1\)"):
        read(f"{text}REQUIRE_LOCAL_CONFIG_FILE = true\n")


def test_directories_that_a_local_file_names_are_read_as_well(read: Read, tmp_path: Path) -> None:
    for name in ("first.d", "second.d"):
        (tmp_path / name / "below").mkdir(parents=True)
        (tmp_path / name / "file").write_text(f"A = $(A) {name}\n")
    (tmp_path / "local").write_text(f"LOCAL_CONFIG_DIR = {tmp_path}/second.d\n")
    text = f"LOCAL_CONFIG_DIR = {tmp_path}/first.d\nLOCAL_CONFIG_FILE = {tmp_path}/local\n"
    found = read(text)
    assert found.string("A").split() == ["first.d", "second.d"]
    assert [Path(file).name for file in found.files] == ["c", "file", "local", "file"]
    assert read(f"{text}LOCAL_CONFIG_DIR_EXCLUDE_REGEXP = ^f\n").string("A") == ""


def test_a_command_may_be_a_local_file(read: Read) -> None:
    found = read("LOCAL_CONFIG_FILE = /bin/echo A = 1, 2 |\n")
    assert (found.string("A"), found.files[-1]) == ("1, 2", "/bin/echo A = 1, 2 |")


def test_the_output_of_a_command_is_kept_in_a_file(read: Read, tmp_path: Path) -> None:
    text = f"include command into {tmp_path}/cache : /bin/echo A = 7\n"
    assert read(text).string("A") == "7"
    assert (tmp_path / "cache").read_text() == "A = 7\n"
    assert sorted(os.listdir(tmp_path)) == ["c", "cache"]
    (tmp_path / "cache").write_text("A = 8\n")
    assert read(text).string("A") == "8"
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        loader._save(str(tmp_path / "folder"), "text")
    assert sorted(os.listdir(tmp_path)) == ["c", "cache", "folder"]


def test_variables_of_the_environment(read: Read) -> None:
    found = read("A = a\n", environ={"_CONDOR_A": "  $(A) b ", "_condor_B ": "1", "_CONDOR_": "x", "CONDOR_C": "2"})
    assert (found.string("A").split(), found.string("B"), found.raw("C")) == (["a", "b"], "1", None)
    assert "" not in found.macros


def test_a_last_file_wins_over_the_environment(read: Read, tmp_path: Path) -> None:
    (tmp_path / "last").write_text("A = last\n")
    found = read("A = root\n", environ={"_CONDOR_A": "env"}, last=str(tmp_path / "last"))
    assert (found.string("A"), found.files[-1]) == ("last", f"{tmp_path}/last")
    with pytest.raises(ConfigError, match="Can't read config source /no/file"):
        read("", last="/no/file")


def test_only_what_differs_from_the_default_has_a_source(read: Read) -> None:
    text = "JOB_START_COUNT = 1\nCREATE_CORE_FILES = TRUE\nDAEMON_LIST = MASTER SCHEDD NEGOTIATOR STARTD\n"
    text += "TOOL.IsTool = true\n"
    names = {macro.name for macro in read(text).macros}
    assert names == {"DAEMON_LIST", "TOOL.IsTool"}
    kept = {macro.name for macro in read(text, keep_defaults=True).macros}
    assert kept == {"JOB_START_COUNT", "CREATE_CORE_FILES", "DAEMON_LIST", "TOOL.IsTool"}


def test_a_setting_that_returns_to_the_default_replaces_the_earlier_one(read: Read) -> None:
    assert read("JOB_START_COUNT = 5\nJOB_START_COUNT = 1\n").integer("JOB_START_COUNT") == 1


def test_a_default_of_the_table_counts_where_the_caller_has_another(read: Read) -> None:
    assert read("JOB_START_COUNT = 1\n", defaults={"JOB_START_COUNT": "5"}).integer("JOB_START_COUNT") == 1
    assert read("", defaults={"JOB_START_COUNT": "5"}).integer("JOB_START_COUNT") == 5


def test_a_file_of_the_user_that_does_not_exist_is_not_named(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 65534)
    assert [Path(file).name for file in read("USER_CONFIG_FILE = /not/there\n").files] == ["c"]


def test_a_template_without_a_condition_is_not_used(read: Read) -> None:
    found = read("AUTO_USE_FEATURE_PartitionableSlot =\nAUTO_USE_ROLE = true\n")
    assert (found.warnings, "SLOT_TYPE_1" in found.macros) == ([], False)


def test_domains_that_are_empty_are_the_name_of_the_machine(read: Read) -> None:
    found = read("UID_DOMAIN =\nFILESYSTEM_DOMAIN =\nNETWORK_HOSTNAME = a.b\n")
    assert (found.string("UID_DOMAIN"), found.string("FILESYSTEM_DOMAIN")) == ("a.b", "a.b")
    seen = found.seen_by("SCHEDD")
    assert (seen.subsystem, seen.string("HOSTNAME"), seen.string("UID_DOMAIN"), seen.files) == (
        "SCHEDD",
        "a",
        "a.b",
        found.files,
    )
    assert read("NETWORK_HOSTNAME = a\nDEFAULT_DOMAIN_NAME = b.c\n").string("FULL_HOSTNAME") == "a.b.c"


# -- values


@pytest.mark.parametrize(
    ("ask", "text", "message"),
    [
        ("integer", "A = x y", "it must be an integer or an expression that evaluates to one"),
        ("real", "A = x y", "it must be a number or an expression that evaluates to one"),
        ("boolean", "A = x y", "it must be True or False"),
        ("size", "A = x y", "it must be a size"),
        (
            "integer",
            "JOB_START_COUNT = 0",
            "it must be an integer or an expression that evaluates to one of at least 1 (default 1)",
        ),
        (
            "integer",
            "NEGOTIATION_CYCLE_STATS_LENGTH = 101",
            "it must be an integer or an expression that evaluates to one from 0 to 100 (default 3)",
        ),
        (
            "real",
            "PRIORITY_HALFLIFE = 0",
            "it must be a number or an expression that evaluates to one of at least 1e-05 (default 86400)",
        ),
        ("boolean", "CREATE_CORE_FILES = q", "it must be True or False (default true)"),
        ("size", "MAX_SCHEDD_LOG = q", "it must be a size (default $(MAX_DEFAULT_LOG))"),
    ],
)
def test_what_is_said_of_a_bad_value(read: Read, tmp_path: Path, ask: str, text: str, message: str) -> None:
    name, _, value = text.partition(" = ")
    with pytest.raises(ConfigError) as caught:
        getattr(read(f"{text}\n"), ask)(name)
    assert str(caught.value) == f'{name} ("{tmp_path}/c", line 1): {value!r} is not valid, {message}'
    assert caught.value.knob == name
    with pytest.raises(ConfigError) as caught:
        getattr(read("", environ={f"_CONDOR_{name}": value}), ask)(name)
    assert str(caught.value) == f"{name} (<Environment>): {value!r} is not valid, {message}"


@pytest.mark.parametrize(
    ("ask", "kind"),
    [("integer", "an integer"), ("real", "a number"), ("boolean", "True or False"), ("size", "a size such as 10 Mb")],
)
def test_what_is_said_of_a_value_that_does_not_exist(read: Read, ask: str, kind: str) -> None:
    with pytest.raises(ConfigError) as caught:
        getattr(read(""), ask)("NOPE")
    assert str(caught.value) == f"NOPE is not defined: set it to {kind}"


def test_the_bounds_of_a_number_are_values(read: Read) -> None:
    for value in (0, 100):
        assert read(f"NEGOTIATION_CYCLE_STATS_LENGTH = {value}\n").integer("NEGOTIATION_CYCLE_STATS_LENGTH") == value
    assert read("A = 5\n").size("A") == (5, False)
    assert read("").size("A", 7) == (7, False)
    assert (read("").real("A", 0.5), read("").boolean("A", False)) == (0.5, False)


def test_numbers_that_are_none() -> None:
    for text in ('real("NaN")', 'real("INF")', "9.3e18", "-9.3e18", ""):
        assert to_integer(text, classad_evaluate) is None
    assert to_integer("9.2e18", classad_evaluate) == 9200000000000000000
    for text in ("inf", "nan", "1_000", "infinity", "e", "-"):
        assert to_real(text, classad_evaluate) is None
    assert [to_real(text, classad_evaluate) for text in ("1e3", ".5", "-2.5E-1", "+1")] == [1000.0, 0.5, -0.25, 1.0]
    assert to_size("1.5h") == (5400, True)
    assert to_size("1s") == (1, True)


def test_a_knob_of_one_subsystem_has_the_range_and_default_of_the_knob(read: Read) -> None:
    found = read("SCHEDD.JOB_START_COUNT = 0\n", subsystem="SCHEDD")
    with pytest.raises(ConfigError, match=r"SCHEDD\.JOB_START_COUNT .* at least 1 \(default 1\)"):
        found.integer("JOB_START_COUNT")
    assert read("", subsystem="SCHEDD").default("IsSchedd") == "true"
    assert read("", subsystem="TOOL").boolean("IsSchedd") is False
    assert read("").default("NO_SUCH_KNOB") is None


def test_settings_are_taken_back_and_pinned(read: Read) -> None:
    before, after = read("A = 1\nB = $(A)\n"), read("A = 2\nB = 3\nC = 4\n")
    assert after.take_back("A", before)
    assert not after.take_back("A", before)
    assert after.take_back("C", before)
    assert (after.string("A"), after.raw("C")) == ("1", None)
    assert after.pin("B", before)
    assert not after.pin("B", before)
    assert after.raw("B") == "1"
    assert after.source("B") == before.source("B")


def test_names_are_told_once_and_in_order(read: Read) -> None:
    found = read("")
    assert [found.setting(name).name for name in ("opsys", "pid", "condorversion")] == ["OPSYS", "PID", "CondorVersion"]  # type: ignore[union-attr]
    names = read("zz_mine = 1\nspool = /s\n").names()
    assert names == sorted(names, key=str.lower)
    assert len({name.lower() for name in names}) == len(names)
    assert {"zz_mine", "SPOOL", "OPSYS", "CondorIsAdmin"} <= set(names)


def test_the_place_of_a_setting(read: Read, tmp_path: Path) -> None:
    found = read("A = 1\nuse FEATURE : PartitionableSlot\n", environ={"_CONDOR_B": "1"})
    found.macros.set("C", "1", OVERRIDE)
    places = {name: found.setting(name).place for name in ("A", "B", "C", "OPSYS", "MASTER_NAME", "SLOT_TYPE_1")}  # type: ignore[union-attr]
    assert places == {
        "A": f"{tmp_path}/c, line 1",
        "B": "<Environment>",
        "C": "<Over>",
        "OPSYS": "<Detected>",
        "MASTER_NAME": "<Default>",
        "SLOT_TYPE_1": f"{tmp_path}/c, line 2, use FEATURE:PartitionableSlot+2",
    }


def test_numbers_about_a_configuration(read: Read) -> None:
    found = read("A = 1\nBc = $(A)\n")
    found.uses.clear()
    found.references.clear()
    found.string("Bc")
    found.string("Bc")
    numbers = statistics(found)
    assert (numbers["Macros"], numbers["Used"], numbers["Referenced"], numbers["Files"]) == (2, 1, 2, 5)
    assert numbers["StringBytes"] == len("A1Bc$(A)")
    assert numbers["TablesBytes"] > 100
    assert (found.uses, found.references) == ({"bc": 2}, {"a": 2})


def test_kinds_of_settings_by_their_source(read: Read) -> None:
    environ = {"_CONDOR_JOB_START_COUNT": "1", "_CONDOR_MINE": "1", "_CONDOR_CREATE_CORE_FILES": "TRUE"}
    found = read("NEGOTIATOR_INTERVAL = 7\nHOSTNAME = x\n", environ=environ)
    kinds = {one.name: kind_of(one) for one in settings(found)}
    wanted = ("JOB_START_COUNT", "CREATE_CORE_FILES", "MINE", "NEGOTIATOR_INTERVAL", "HOSTNAME", "SCHEDD_INTERVAL")
    assert [kinds[name] for name in wanted] == ["same", "same", "environment", "file", "detected", "default"]
    assert rank(found) == {"<Detected>": 0, "<Default>": 1, found.files[0]: 2}


# -- the machine


def detected_with(files: dict[str, str], **environ: str) -> Detected:
    def text(path: str) -> str:
        if path not in files:
            raise FileNotFoundError(path)
        return files[path]

    return Detected("TOOL", "", environ, text)


def test_cores_and_cpus_of_a_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0: set(range(8))}[process])
    cores = "".join(f"processor : {n}\nphysical id\t: {n // 4}\nother : 1\ncore id\t: {n % 2}\n\n" for n in range(8))
    found = detected_with({"/proc/cpuinfo": cores})
    assert [found.initial(name) for name in ("detected_cpus", "detected_cores", "detected_physical_cpus")] == [
        "8",
        "8",
        "4",
    ]
    assert detected_with({}).initial("detected_physical_cpus") == "8"
    for environ, limit in (
        ({}, "8"),
        ({"OMP_THREAD_LIMIT": "4"}, "4"),
        ({"SLURM_CPUS_ON_NODE": "3"}, "3"),
        ({"OMP_THREAD_LIMIT": "4", "SLURM_CPUS_ON_NODE": "2"}, "2"),
        ({"OMP_THREAD_LIMIT": "99", "SLURM_CPUS_ON_NODE": "0"}, "8"),
        ({"OMP_THREAD_LIMIT": "many"}, "8"),
    ):
        assert detected_with({}, **environ).initial("detected_cpus_limit") == limit


def test_addresses_of_a_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    routes = {("AF_INET", "192.0.2.1"): "10.0.0.1", ("AF_INET6", "2001:db8::1"): "2001:db8::7"}
    monkeypatch.setattr(detected, "_source_address", lambda family, target: routes.get((family, target)))
    for four, six in (("10.0.0.1", "2001:db8::7"), ("127.0.0.1", None)):
        known = detected_with({})
        assert [known.fixed(name) for name in ("ip_address", "ipv4_address", "ipv6_address")] == [four, four, six]
        routes.clear()
    assert detected_with({}).fixed("ip_address_is_ipv6") == "false"


def test_accounts_that_the_system_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: object) -> object:
        raise KeyError

    monkeypatch.setattr("pwd.getpwuid", unknown)
    monkeypatch.setattr("pwd.getpwnam", unknown)
    assert detected_with({}).fixed("username") is None
    assert detected_with({}).fixed("tilde") is None
    assert loader.account_home() == ""
    monkeypatch.setattr("pwd.getpwuid", lambda _: SimpleNamespace(pw_name="ann", pw_dir="/home/ann"))
    monkeypatch.setattr("pwd.getpwnam", lambda name: SimpleNamespace(pw_dir=f"/home/{name}"))
    assert (detected_with({}).fixed("username"), detected_with({}).fixed("tilde")) == ("ann", "/home/condor")
    assert loader.account_home() == "/home/ann"


def test_names_of_automatic_macros() -> None:
    assert detected.canonical("condorVERSION") == "CondorVersion"
    assert detected.canonical("condorplatform") == "CondorPlatform"
    assert detected.canonical("CONDORISADMIN") == "CondorIsAdmin"
    assert (detected.canonical("opsys"), detected.canonical("pid"), detected.canonical("x")) == ("OPSYS", "PID", None)
    known = detected_with({})
    assert known.initial("pid") is None
    assert known.fixed("opsys") is None
    assert known.initial("have_ext_krb5") == "0"
    assert known.fixed("localname") == known.fixed("subsystem") == "TOOL"
    assert Detected("SCHEDD", "two", {}, lambda _: "").fixed("localname") == "two"
    assert Detected("SCHEDD", "", {}, lambda _: "", "/etc/x/c").initial("config_root") == "/etc/x"
    assert Detected("SCHEDD", "", {}, lambda _: "", "c").initial("config_root") == "."
    assert known.initial("config_root") is None
    assert set(detected.names()) >= {"OPSYS", "CondorVersion", "FULL_HOSTNAME"}


# -- settings of run time


def test_where_persistent_settings_are(read: Read) -> None:
    on = "ENABLE_PERSISTENT_CONFIG = true\n"
    assert persistent_path(read("PERSISTENT_CONFIG_DIR = /d\nENABLE_PERSISTENT_CONFIG = false\n")) == ""
    assert persistent_path(read(f"{on}PERSISTENT_CONFIG_DIR = /d\n", subsystem="SCHEDD")) == "/d/.config.SCHEDD"
    both = f"{on}PERSISTENT_CONFIG_DIR = /d\nSCHEDD_CONFIG = /own\n"
    assert persistent_path(read(both, subsystem="SCHEDD")) == "/own"


def test_persistent_settings_and_those_of_run_time(read: Read, tmp_path: Path) -> None:
    path = tmp_path / ".config.TOOL"
    assert listed(str(path)) == []
    path.write_text(" runtime_config_admin = a, b\n")
    (tmp_path / ".config.TOOL.a").write_text("A = persistent\nB = $(B) more\n")
    with pytest.raises(ConfigError) as caught:
        list(pieces(Dynamic(str(path))))
    assert str(caught.value) == f"{path} lists b, but {path}.b is not there"
    (tmp_path / ".config.TOOL.b").write_text("C = 1\n")
    dynamic = Dynamic(str(path), (("k", "A = run time"), ("l", "D = 2")))
    found = read("A = file\nB = file\n", dynamic=dynamic)
    assert [found.string(name) for name in "ABCD"] == ["run time", "file more", "1", "2"]
    assert [found.source(name).source for name in "ABD"] == ["<runtime>", f"{path}.a", "<runtime>"]  # type: ignore[union-attr]
    assert [found.source(name).line for name in "AD"] == [0, 1]  # type: ignore[union-attr]
    with pytest.raises(ConfigError, match="Configuration Error while reading <runtime>: "):
        read("", dynamic=Dynamic("", (("k", "A B C"),)))
    path.write_text("A = 1\n")
    with pytest.raises(ConfigError, match=r"not a list of persistent settings \(RUNTIME_CONFIG_ADMIN = \.\.\.\)"):
        listed(str(path))


def test_persistent_settings_of_another_account_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "list"
    path.write_text("RUNTIME_CONFIG_ADMIN = a\n")
    owner = path.stat().st_uid
    monkeypatch.setattr("os.geteuid", lambda: owner + 1)
    with pytest.raises(ConfigError) as caught:
        listed(str(path))
    assert str(caught.value) == (
        f"Configuration Error File <{path}>, running as uid {owner + 1} yet runtime config file owned by uid {owner}!"
    )
    with pytest.raises(ConfigError, match=f"cannot read the persistent setting {tmp_path}: Is a directory"):
        listed(str(tmp_path))


# -- templates and the table


@pytest.mark.parametrize(
    ("category", "name", "like"),
    [
        ("feature", "partitionableslots", "PartitionableSlot"),
        ("Featuer", "", "FEATURE"),
        ("polcy", "", "POLICY"),
        ("role", "persnal", "Personal"),
        ("feature", "zzz", ""),
        ("none", "x", ""),
        ("zzz", "", ""),
    ],
)
def test_templates_that_are_spelled_alike(category: str, name: str, like: str) -> None:
    assert similar(category, name) == like


def test_the_text_and_the_spelling_of_a_template() -> None:
    assert (template("feature", ""), template("none", "x"), template("feature", "none")) == ("", None, None)
    assert template(" Feature ", " jobshaveinstanceids ") == (
        "SYSTEM_JOB_MACHINE_ATTRS = $(SYSTEM_JOB_MACHINE_ATTRS) CloudInstanceID"
    )
    assert spelled("feature:partitionableslot") == "FEATURE:PartitionableSlot"
    assert (spelled("none:x"), spelled("role:none")) == ("none:x", "ROLE:none")


@pytest.mark.parametrize(
    ("use", "needs"),
    [
        *[
            (f"{name}(STARTD_CRON, a)", f"{name} requires at least 3 arguments: STARTD_CRON | SCHEDD_CRON, tag, {end}")
            for name, end in (
                ("OneShotCronHook", "executable [, args]"),
                ("ContinuousCronHook", "executable [, args]"),
            )
        ],
        (
            "PeriodicCronHook(STARTD_CRON, a, 60)",
            "PeriodicCronHook requires at least 4 arguments: STARTD_CRON | SCHEDD_CRON, tag, period, "
            "executable [, args]",
        ),
        ("Monitor(a, b, c, d)", "Monitor requires five or more arguments: resource, mode, period, executable, metrics"),
        ("ScheddUsermapFile(a)", "ScheddUsermapFile requires 2 arguments: map_name, map_file"),
        ("AssignAccountingGroup", "AssignAccountingGroup requires a map_file argument"),
        ("AssignProjectName", "AssignProjectName requires a map_name argument"),
        (
            "SetJobAttrFromUsermap(a, b)",
            "SetJobAttrFromUsermap requires at least 3 arguments: dest_attr, src_attr, map_name [, map_file]",
        ),
    ],
)
def test_templates_say_which_arguments_they_need(read: Read, use: str, needs: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(f"use FEATURE : {use}\n")
    assert str(caught.value).endswith(f"use FEATURE:{use.partition('(')[0]} is invalid: {needs}")


@pytest.mark.parametrize(
    ("name", "unit", "readers"),
    [
        ("NEGOTIATOR_INTERVAL", "seconds", "negotiator"),
        ("DEFAULT_PRIO_FACTOR", "", "negotiator"),
        ("MAX_HISTORY_LOG", "bytes", "schedd"),
        ("MEMORY", "", "startd"),
        ("NUM_SLOTS", "", "startd"),
        ("START", "", "startd"),
        ("MASTER_BACKOFF_CEILING", "seconds", "master"),
        ("HIGHPORT", "", ""),
    ],
)
def test_the_unit_and_the_readers_of_a_knob(name: str, unit: str, readers: str) -> None:
    knob = table.knob(name)
    assert knob is not None
    assert (knob.unit.lower(), knob.readers) == (unit, readers)


@pytest.fixture
def new_table() -> None:
    """The table as a new process reads it."""
    for one in (table._units, table._chosen, table.others, table._lines, table._used, table._families, shown._listed):
        one.cache_clear()


@pytest.mark.usefixtures("new_table")
def test_the_table_as_a_new_process_reads_it(read: Read) -> None:
    families = {"SLOT_TYPE_3": "SLOT_TYPE_<N>", "slot_type_1_partitionable": "SLOT_TYPE_<N>_PARTITIONABLE"}
    families |= {
        "GROUP_QUOTA_a.b": "GROUP_QUOTA_<groupname>",
        "GROUP_QUOTA_DYNAMIC_a": "GROUP_QUOTA_DYNAMIC_<groupname>",
    }
    assert {name: table.family(name).name for name in families} == families  # type: ignore[union-attr]
    assert table.family("XSLOT_TYPE_3X") is None
    accepted = table.knob("highport")
    assert accepted is not None
    assert (accepted.name, accepted.no_effect, accepted.default) == ("HIGHPORT", "nothing goes over a network", "")
    used = table.knob("Job_Start_Count")
    assert used is not None
    assert (used.name, used.default, used.kind, used.low, used.no_effect) == ("JOB_START_COUNT", "1", "i", 1.0, "")
    assert table.knob("NEGOTIATION_CYCLE_STATS_LENGTH").high == 100  # type: ignore[union-attr]
    assert table.other("highport") == ("HIGHPORT", "", "i", None, None)
    assert (table.other("no_such"), table.other("wrong\udcff")) == (None, None)
    assert [one.name for one in table.all_knobs()][-1].count("<") == 1
    assert {one.no_effect for one in table.all_knobs() if one.name in ("START", "HIBERNATE", "SLOT_TYPE_<N>")} == {""}
    assert shown.differs("DAEMON_LIST")
    assert not shown.differs("JOB_START_COUNT")
    assert shown.shown_default(read(""), "JOB_START_COUNT") == "1"
    assert shown.shown_default(read(""), "NO_SUCH_KNOB") is None


@pytest.mark.usefixtures("new_table")
def test_families_tell_chosen_parts_from_numbers() -> None:
    def name(knob: str) -> str:
        found = table.family(knob)
        return found.name if found else ""

    assert name("SLOT_TYPE_x_PARTITIONABLE") != "SLOT_TYPE_<N>_PARTITIONABLE"
    assert name("SLOT1_2_USER") == "SLOT<N>_USER"
    assert name("slot1_user") == "SLOT<N>_USER"
    assert name("SLOT1_USERS") == ""


# -- what lint asks about a setting


def test_where_a_setting_is_that_an_error_is_about(read: Read, tmp_path: Path) -> None:
    found = read("A = 1\nSLOT_TYPE_1_Start2 = x\nSCHEDD.B = 2\n", environ={"_CONDOR_C": "1"}, subsystem="SCHEDD")
    file = str(tmp_path / "c")
    assert place_of(found, "a") == ("A", file, 1)
    assert place_of(found, "B") == ("SCHEDD.B", file, 3)
    assert place_of(found, "START2") == ("SLOT_TYPE_1_Start2", file, 2)
    assert place_of(found, "C") == ("C", "<Environment>", 0)
    assert place_of(found, "NOPE") == ("NOPE", file, 0)
    assert place_of(found, "SPOOL") == ("SPOOL", "<Default>", 0)


def test_names_and_values_that_lint_sees(read: Read) -> None:
    assert names_in("$(A) $INT(B) $(C:$(D)) $ENV(E) x $$(F)") >= {"a", "b", "c", "d"}
    assert names_in("no macros") == set()
    found = read("A = $(B)\nB = $INT(C)\nC = x y\nD = 1\nLOOP = $(LOOP2)\nLOOP2 = $(LOOP)\n")
    assert (value_of(found, "D"), value_of(found, "NOPE"), value_of(found, "B")) == ("1", None, "$INT(C)")
    subject = Subject(found)
    assert subject.expand("$(D) $(D)") == "1 1"
    assert subject.expand("$(LOOP)") is None
    assert subject.referenced == {"b", "c", "loop", "loop2"}
    assert subject.undefined_in("$(X) $(D) $(Y:1) $(x) $(A) $INT(Z) $(Q)") == ["X", "Q"]


def test_what_is_set_for_one_slot_or_subsystem_is_set(read: Read) -> None:
    subject = Subject(read("SCHEDD.A = 1\nSLOT1_B = 2\nC =\nAD = 1\n"))
    assert [name for name in ("A", "B", "C", "D", "a", "AD") if subject.is_set(name)] == ["A", "B", "a", "AD"]


@pytest.mark.parametrize(
    "names",
    ["STARTD_ATTRS", "STARTD_EXPRS", "SYSTEM_STARTD_ATTRS", "SLOT1_STARTD_ATTRS", "SLOT_TYPE_2_STARTD_ATTRS",
     "SCHEDD_ATTRS", "MASTER_ATTRS", "NEGOTIATOR_ATTRS", "COLLECTOR_ATTRS", "SUBMIT_ATTRS", "SUBMIT_EXPRS"],
)  # fmt: skip
def test_what_goes_into_ads_is_an_expression(read: Read, names: str) -> None:
    subject = Subject(read(f"{names} = Mine +Other MY.Third NUM_CPUS\nMine = 1\n"))
    assert sorted(subject.attributes) == ["mine", "num_cpus", "other", "third"]
    assert subject.attributes["mine"] == names
    kinds = [subject.is_expression(name) for name in ("Mine", "SLOT1_Mine", "other", "NUM_CPUS", "Fourth", "START")]
    assert kinds == [True, True, True, False, False, True]


def test_changes_are_told_with_what_was_there(read: Read, tmp_path: Path) -> None:
    before, after = read("A = 1\nMACHINE_RESOURCE_a = 1\n"), read("MACHINE_RESOURCE_b = 2\nMEMORY = 1\nSTART = x\n")
    found = [(one.knob, one.file, one.line, one.message) for one in check_changes(before, after)]
    end = "takes effect when the daemon restarts"
    file = str(tmp_path / "c")
    assert found[0] == ("MACHINE_RESOURCE_a", "", 0, f"the change from 1 to nothing {end}")
    assert found[1] == ("MACHINE_RESOURCE_b", file, 1, f"the change from nothing to 2 {end}")
    assert [one[0] for one in found] == ["MACHINE_RESOURCE_a", "MACHINE_RESOURCE_b", "MEMORY"]
