"""CONDOR_IDS: what belongs to the pool and to no job runs as its account, not as root."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest
from pool import wait_for
from shared_pool import STRANGER, SharedPool

HAS_CONDOR = "condor" in {entry.pw_name for entry in pwd.getpwall()}
TELL = "#!/bin/sh\nid -un > {file}.new; pwd >> {file}.new; cat > /dev/null; mv {file}.new {file}; {more}\n"


def script(pool: SharedPool, name: str, more: str = "") -> Path:
    """A program that writes down whom it runs as, and where."""
    folder = pool.directory / "programs"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(TELL.format(file=pool.theirs / f"told.{name}", more=more))
    path.chmod(0o755)
    return path


def told(pool: SharedPool, name: str) -> list[str]:
    path = pool.theirs / f"told.{name}"
    return path.read_text().splitlines() if path.exists() else []


def configure(pool: SharedPool) -> None:
    pool.knob("STARTD_CRON_JOBLIST", "S")
    pool.knob("STARTD_CRON_S_EXECUTABLE", str(script(pool, "startd", "echo Cooked = 1")))
    pool.knob("STARTD_CRON_S_PERIOD", "60")
    pool.knob("SCHEDD_CRON_JOBLIST", "D")
    pool.knob("SCHEDD_CRON_D_EXECUTABLE", str(script(pool, "schedd")))
    pool.knob("SCHEDD_CRON_D_PERIOD", "60")
    pool.knob("STARTD_JOB_HOOK_KEYWORD", "F")
    pool.knob("F_HOOK_FETCH_WORK", str(script(pool, "fetch")))
    pool.knob("FetchWorkDelay", "10")
    pool.knob("MACHINE_RESOURCE_INVENTORY_TOYS", str(script(pool, "inventory", "echo DetectedToys = 2")))


@pytest.mark.promise("S43")
def test_programs_of_the_pool_run_as_its_account_in_log(stopped_shared: SharedPool) -> None:
    pool, entry = stopped_shared, pwd.getpwnam(STRANGER)
    configure(pool)
    pool.knob("CONDOR_IDS", f"{entry.pw_uid}.{entry.pw_gid}")
    pool.start()
    for name in ("startd", "schedd", "fetch"):
        wait_for(lambda name=name: told(pool, name), f"the program of the {name} has run")
        assert told(pool, name) == [STRANGER, str(pool.log)]
    assert told(pool, "inventory")[0] == STRANGER


def test_ids_that_are_none_stop_the_pool_with_one_line(stopped_shared: SharedPool) -> None:
    for ids, why in (("64", "is not the user and the group id"), ("4242424.1", "no account with the user id 4242424")):
        stopped_shared.knob("CONDOR_IDS", ids)
        done = stopped_shared.tool("condor_master", check=False)
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        assert why in done.stderr


def test_programs_of_the_pool_run_as_the_account_condor_where_there_is_one(stopped_shared: SharedPool) -> None:
    pool = stopped_shared
    if not HAS_CONDOR:
        pytest.skip("this machine has no account condor (tests/surroundings -s condor makes one)")
    configure(pool)
    pool.theirs.chmod(0o777)
    pool.start()
    for name in ("startd", "schedd", "fetch", "inventory"):
        wait_for(lambda name=name: told(pool, name), f"the program of {name} has run")
        assert told(pool, name)[0] == "condor"
    assert pool.tool("condor_config_val", "-tilde").stdout.strip() == pwd.getpwnam("condor").pw_dir


@pytest.mark.skipif(HAS_CONDOR, reason="this machine has the account")
@pytest.mark.promise("S44")
def test_without_an_account_they_run_as_root_and_the_log_says_so(stopped_shared: SharedPool) -> None:
    pool = stopped_shared
    configure(pool)
    os.chmod(pool.directory / "programs" / "schedd", 0o777)
    pool.start()
    wait_for(lambda: told(pool, "startd") and told(pool, "fetch"), "they have run")
    assert told(pool, "startd") == ["root", str(pool.log)]
    warning = "run as root: there is no account condor, and CONDOR_IDS is not set"
    assert f"WARNING: the programs of STARTD_CRON_JOBLIST {warning}" in (pool.log / "StartLog").read_text()
    wait_for(
        lambda: "writable by all accounts" in (pool.log / "SchedLog").read_text(), "what others may write is refused"
    )
    assert not told(pool, "schedd")
