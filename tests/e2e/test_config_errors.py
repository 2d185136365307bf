"""Configuration that cannot be read: one line with file and line, the right exit code, and no daemon starts on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pool import PersonalPool, wait_for

from condor_py.lang.config.builders.isolation import promise_of

ERRORS = {
    "missing file": ("A = 1\ninclude : {0}/none\n", "2", "can't open file {0}/none: No such file or directory"),
    "circle": ("include : {0}/condor_config\n", "1", "includes nested too deep at {0}/condor_config"),
    "command": ("\ninclude command into {0}/cache : false\n", "2", "false exited with error 1"),
    "no command": ("include command : /no/such\n", "1", "not a valid command, /no/such: No such file or directory"),
    "template": ("use FEATURE : GPU\n", "1", "use FEATURE: does not recognise GPU, did you mean GPUs?"),
    "category": ("use FEATUER : GPUs\n", "1", "there is no category FEATUER, did you mean FEATURE?"),
    "if": ("A = 1\nif true\nB = 2\n", "3", "endif(s) not found before end-of-file, for the if of line 2"),
    "endif": ("A = 1\nendif\n", "2", "endif without matching if"),
    "condition": ("if 1 > 2\nendif\n", "1", "1 > 2 is not a valid if condition because complex conditionals are not"),
    "error": ("error : stop here\n", "1", "stop here"),
    "identifier": ("A-B = 1\n", "1", "Illegal Identifier: <A-B>"),
    "block": ("A @=end\nx\n", "1", "Found end-of-file while scanning for '@end'"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_nothing_starts_on_a_configuration_that_cannot_be_read(stopped_pool: PersonalPool, name: str) -> None:
    text, line, reason = (part.format(stopped_pool.directory) for part in ERRORS[name])
    path = stopped_pool.directory / "condor_config"
    path.write_text(text)
    stopped_pool.environment["CONDOR_CONFIG"] = str(path)
    place = f"Configuration Error Line {line} while reading global config source {path}: "
    for tool in (["condor_master"], ["condor_config_val", "SPOOL"]):
        done = stopped_pool.tool(*tool, check=False)
        assert done.returncode == 1
        assert done.stdout == ""
        assert done.stderr.startswith(place)
        assert reason in done.stderr
        assert done.stderr.count("\n") == 1
    assert not stopped_pool.log.exists() or not any(stopped_pool.log.iterdir())


def test_a_local_file_that_is_missing_is_named_with_its_knob(stopped_pool: PersonalPool, tmp_path: Path) -> None:
    path = tmp_path / "condor_config"
    path.write_text("# one\nLOCAL_CONFIG_FILE = /no/file\n")
    stopped_pool.environment["CONDOR_CONFIG"] = str(path)
    done = stopped_pool.tool("condor_master", check=False)
    assert done.returncode == 1
    assert done.stderr == f"ERROR: Can't read config source /no/file (LOCAL_CONFIG_FILE of {path}, line 2)\n"


def test_isolation_that_is_not_there_is_told_at_every_place(stopped_pool: PersonalPool) -> None:
    """Who sets ENCRYPT_EXECUTE_DIRECTORY must not believe that scratch directories are encrypted."""
    pool = stopped_pool
    pool.knob("ENCRYPT_EXECUTE_DIRECTORY", "true")
    pool.knob("DISABLE_EXECUTE_DIRECTORY_ENCRYPTION", "true")  # the reason where the machine can
    said = pool.tool("condor_master").stderr
    assert ("scratch directories are not encrypted" in said) is bool(promise_of("ENCRYPT_EXECUTE_DIRECTORY"))
    wait_for(pool.ready, "the pool is up")
    log = (pool.log / "StartLog").read_text()
    assert "WARNING: ENCRYPT_EXECUTE_DIRECTORY is set, but scratch directories are not encrypted" in log
    shown = pool.tool("condor_status", "-af", "IsolationNotProvided").stdout.split("\n")[0]
    assert shown == "ENCRYPT_EXECUTE_DIRECTORY"
