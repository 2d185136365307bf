"""condor_upgrade_check: which checks are made, what each finds, and how much is told of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tool_runner import Spool

HEAD = "\nChecking HTCondor for possible issues with known incompatibilities upgrading to V26\n"
SAFE = (
    "    No issues found with installed HTCondor for known incompatibilities.\n"
    "    Upgrade to V26 should be safe.\n"
)  # fmt: skip
ALL = ["JOB-XFORM", "PY-API", "OLD-JRC", "AD-UNITS", "PASSWORD", "MULTI-Q", "TOK-PERM", "P-SLOT"]


@pytest.fixture
def config(spool: Spool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The configuration file of a pool, which has only places and a list of daemons."""
    path = tmp_path / "config"
    path.write_text(f"LOCAL_DIR = {tmp_path}/local\nDAEMON_LIST = MASTER, schedd, STARTD, JOB_ROUTER\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(path))
    return path


def add(config: Path, *lines: str) -> None:
    with config.open("a") as file:
        file.writelines(f"{line}\n" for line in lines)


def found(spool: Spool, tag: str) -> list[str]:
    """Return the lines that one check finds, without their indent."""
    done = spool.run("condor_upgrade_check", "-a", "-o", tag)
    assert (done.err, done.code) == ("", 0)
    assert done.out.startswith(HEAD)
    rest = done.out.removeprefix(HEAD)
    if rest == f"\n{SAFE}":
        return []
    first, *lines = rest.splitlines()
    assert first == ""
    assert all(line.startswith("    ") for line in lines)
    return [line[4:] for line in lines]


def test_transforms_in_brackets(spool: Spool, config: Path) -> None:
    add(config, "JOB_TRANSFORM_NAMES = a, b, c", "JOB_TRANSFORM_a =   [ set_x = 1; ]", "JOB_TRANSFORM_b = SET x 1")
    assert found(spool, "JOB-XFORM") == [
        "Found 1 job transform in the old syntax, which works here, but not",
        "with HTCondor since 25.8. Write statements (SET, DEFAULT, ...) instead:",
        "    - JOB_TRANSFORM_a",
    ]
    add(config, "JOB_TRANSFORM_c = [ ]")
    lines = found(spool, "JOB-XFORM")
    assert lines[0] == "Found 2 job transforms in the old syntax, which works here, but not"
    assert lines[2:] == ["    - JOB_TRANSFORM_a", "    - JOB_TRANSFORM_c"]


@pytest.mark.parametrize("word", ["DEFAULTS", "ENTRIES", "ENTRIES_CMD", "ENTRIES_FILE"])
def test_routes_in_the_old_syntax(spool: Spool, config: Path, word: str) -> None:
    assert found(spool, "OLD-JRC") == []
    add(config, f"JOB_ROUTER_{word} = x")
    assert found(spool, "OLD-JRC") == [
        "Warning:",
        "    Routes in the old syntax work here, but not with HTCondor since 24.10:",
        f"        - JOB_ROUTER_{word}",
        "    Write them as JOB_ROUTER_ROUTE_NAMES and JOB_ROUTER_ROUTE_<name>.",
    ]


@pytest.mark.parametrize(
    ("lines", "is_odd"),
    [
        (["RANK = TARGET.Memory"], True),
        (["RANK = 0"], False),
        (["RANK = -1.5"], False),
        (["RANK ="], False),
        ([], False),
        (["RANK = TARGET.Memory", "SLOT_TYPE_1 = cpus=1"], False),
        (["RANK = TARGET.Memory", "slot_type_2 = cpus=1"], False),
    ],
)
def test_a_rank_that_orders_nothing(spool: Spool, config: Path, lines: list[str], is_odd: bool) -> None:
    """It takes effect where slots are static, and a number is as good as none."""
    add(config, *lines)
    shown = found(spool, "P-SLOT")
    assert shown[:2] == (["Issue found with StartD Rank:", "    RANK = TARGET.Memory"] if is_odd else [])


@pytest.mark.parametrize(
    ("line", "is_odd"),
    [
        ("START = Memory > 10G", True),
        ("START = Memory > 10t", True),
        ("START = Memory > 10x", False),
        ("START = Memory > a1G", False),
        ("START = Memory > 10", False),
        ("JAVA_EXTRA_ARGUMENTS = -Xmx 10g", False),
        ("STARTD_CRON_x_PERIOD = at 10m", False),
        ("STARTD_CRON_x_PERIODS = at 10m", True),
        ("DCSTATISTICS_TIMESPANS = 1m:60, 2m:120", False),
    ],
)
def test_numbers_with_units(spool: Spool, config: Path, line: str, is_odd: bool) -> None:
    """Some knobs have such words that are not in ClassAd expressions."""
    add(config, line)
    assert [found for found in found(spool, "AD-UNITS") if found.startswith("    - ")] == (
        [f"    - {line.split()[0]}"] if is_odd else []
    )


@pytest.mark.parametrize(
    ("line", "is_odd"),
    [
        ("SEC_DEFAULT_AUTHENTICATION_METHODS = FS, password", True),
        ("SEC_READ_AUTHENTICATION_METHODS = PASSWORD", True),
        ("SEC_DEFAULT_AUTHENTICATION_METHODS = FS", False),
        ("MY_METHODS = PASSWORD", False),
    ],
)
def test_the_password_of_a_pool(spool: Spool, config: Path, line: str, is_odd: bool) -> None:
    add(config, line)
    assert bool(found(spool, "PASSWORD")) == is_odd


@pytest.mark.parametrize("knob", ["SEC_TOKEN_SYSTEM_DIRECTORY", "SEC_TOKEN_DIRECTORY"])
def test_tokens_that_others_may_use(spool: Spool, config: Path, tmp_path: Path, knob: str) -> None:
    place = tmp_path / "tokens"
    add(config, f"{knob} = {place}")
    assert found(spool, "TOK-PERM") == []
    place.mkdir(mode=0o700)
    (place / "a").touch(0o600)
    assert found(spool, "TOK-PERM") == []
    place.chmod(0o701)
    (place / "a").chmod(0o610)
    assert found(spool, "TOK-PERM") == [
        "Found 2 token directories or files that others may use:",
        f"    {place}: its permissions are 701, not 700",
        f"    {place}/a: its permissions are 610, not 600",
    ]


def test_places_of_tokens_that_are_none(spool: Spool, config: Path, tmp_path: Path) -> None:
    """A directory below ~ is that of each user, which is not looked for."""
    add(config, f"SEC_TOKEN_SYSTEM_DIRECTORY = {config}", "SEC_TOKEN_DIRECTORY = ~/tokens")
    (tmp_path / "~").mkdir()
    (tmp_path / "~" / "tokens").mkdir(mode=0o777)
    assert found(spool, "TOK-PERM") == [
        "Found 1 token directories or files that others may use:",
        f"    {config}: Not a directory",
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_token_of_another_account(spool: Spool, config: Path, tmp_path: Path) -> None:
    place = tmp_path / "tokens"
    place.mkdir(mode=0o700)
    (place / "a").touch(0o600)
    os.chown(place / "a", 12345, 0)
    add(config, f"SEC_TOKEN_DIRECTORY = {place}")
    assert found(spool, "TOK-PERM")[1:] == [f"    {place}/a: it belongs to user 12345"]


def made(spool: Spool, *words: str) -> list[str]:
    """Return the tags of the checks that are made."""
    done = spool.run("condor_upgrade_check", "-v", *words)
    assert (done.err, done.code) == ("", 0)
    tags = [line.rpartition("[")[2].removesuffix("]:") for line in done.out.splitlines() if line.startswith("Checking")]
    assert f"    {len(tags) - 1} checks tested against currently installed HTCondor.\n" in done.out
    return tags[1:]


@pytest.mark.parametrize(
    ("words", "tags"),
    [
        ("", []),  # nothing is newer than the release that this one follows
        ("-a", ALL),
        ("--all --no-warnings", [tag for tag in ALL if tag != "MULTI-Q"]),
        ("-a -n -w", ALL),
        ("-a -w -n", [tag for tag in ALL if tag != "MULTI-Q"]),
        ("-a -o warnings", ["MULTI-Q"]),
        ("-a -o warnings tok-perm", ["MULTI-Q", "TOK-PERM"]),
        ("-a -o P-SLOT -o PY-API", ["PY-API", "P-SLOT"]),
        ("-a -i P-SLOT -i PY-API", [tag for tag in ALL if tag not in ("P-SLOT", "PY-API")]),
        ("-a -o P-SLOT PY-API -i P-SLOT", ["PY-API"]),
    ],
)
def test_which_checks_are_made(spool: Spool, config: Path, words: str, tags: list[str]) -> None:
    assert made(spool, *words.split()) == tags


@pytest.mark.parametrize(
    ("daemons", "left_out"),
    [
        ("MASTER, STARTD, JOB_ROUTER", ["JOB-XFORM", "MULTI-Q"]),
        ("MASTER, SCHEDD, JOB_ROUTER", ["P-SLOT"]),
        ("MASTER, SCHEDD, STARTD", ["OLD-JRC"]),
        ("MASTER", ["JOB-XFORM", "OLD-JRC", "MULTI-Q", "P-SLOT"]),
    ],
)
def test_checks_of_daemons_that_do_not_run(spool: Spool, config: Path, daemons: str, left_out: list[str]) -> None:
    add(config, f"DAEMON_LIST = {daemons}")
    assert made(spool, "-a") == [tag for tag in ALL if tag not in left_out]


def test_how_much_is_told(spool: Spool, config: Path) -> None:
    add(config, "RANK = TARGET.Memory")
    words = ("condor_upgrade_check", "-a", "-o", "P-SLOT", "PY-API")
    issue = (
        "\n    Issue found with StartD Rank:\n        RANK = TARGET.Memory\n"
        "        does not order the jobs of a partitionable slot, which is the default since\n"
        "        23.0. Static slots (use FEATURE:StaticSlots, or SLOT_TYPE_1) have it take effect.\n"
    )
    assert spool.run(*words) == (HEAD + issue, "", 0)
    detailed = (
        f"{HEAD}\nChecking Python API Deprecation [PY-API]:\n        No issue found with check\n"
        f"\nChecking Enable P-Slots as default [P-SLOT]:\n{issue}"
        "        Check Enable P-Slots as default [P-SLOT] failed\n"
        "\nFinal Report:\n    2 checks tested against currently installed HTCondor.\n"
        "    Current install failed 1 checks.\n"
    )
    for more in (["-v"], ["-vv"], ["-v", "-v"]):
        assert spool.run(*words, *more).out == detailed
    assert spool.run("condor_upgrade_check", "-v", "-a", "-o", "PY-API").out == (
        f"{HEAD}\nChecking Python API Deprecation [PY-API]:\n        No issue found with check\n"
        f"\nFinal Report:\n    1 checks tested against currently installed HTCondor.\n{SAFE}"
    )


def test_the_lists_of_checks(spool: Spool, config: Path) -> None:
    lines = spool.run("condor_upgrade_check", "--tags").out.splitlines()
    assert lines[:4] == ["", "Incompatibility Check Tags:", "       TAGS   |  Check", "    " + "=" * 20]
    assert [line.split("|")[0].strip() for line in lines[4:]] == ALL
    assert lines[5] == "    PY-API    | 'Python API Deprecation'"
    dump = (
        "\nIncompatibility Checks for upgrading to HTCondor V26:\n    (For detailed descriptions use -v/--verbose)\n\n"
        "    (7/8) [TOK-PERM  ] 'Token Permissions'\n          Version : V23.7.1\n"
        "          Synopsis: Verify ownership and permissions of stored tokens\n"
    )
    assert spool.run("condor_upgrade_check", "-d", "-o", "TOK-PERM").out == dump
    more = "\n          The directories of tokens and the files in them are looked at.\n\n"
    assert spool.run("condor_upgrade_check", "-d", "-v", "-o", "TOK-PERM").out == dump + more
    text = spool.run("condor_upgrade_check", "-d", "-v", "-o", "P-SLOT").out
    assert text.endswith("\n\n          No detailed check description provided.\n\n")


@pytest.mark.parametrize("option", ["-ce", "-CE"])
def test_the_configuration_of_a_compute_element(
    spool: Spool, config: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    add(config, "RANK = TARGET.Memory")
    monkeypatch.setattr("condor_py.cli.upgrade_check._CE_CONFIG", str(config))
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    done = spool.run("condor_upgrade_check", option, "-a", "-o", "P-SLOT", "-v")
    assert done.out.startswith(HEAD.replace("HTCondor ", "HTCondor-CE "))
    assert "\n    1 checks tested against currently installed HTCondor-CE.\n" in done.out
    assert "        RANK = TARGET.Memory\n" in done.out


def test_what_a_check_is_not_told(spool: Spool, config: Path) -> None:
    done = spool.run("condor_upgrade_check", "-h")
    assert done.out.startswith("Usage: condor_upgrade_check [-h] [-ce]")
    done = spool.run("condor_upgrade_check", "more")
    assert (done.err.splitlines()[0], done.code) == (
        "condor_upgrade_check: error: unrecognized arguments: more", 2,
    )  # fmt: skip
    assert spool.run("condor_upgrade_check", "-i").code == 2
