"""The configuration of a running pool: asked, set for good or until the restart, read again, and warned about."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import PersonalPool, wait_for

RUN_TIME = """ENABLE_PERSISTENT_CONFIG = True
PERSISTENT_CONFIG_DIR = {0}/persistent
ENABLE_RUNTIME_CONFIG = True
SETTABLE_ATTRS_CONFIG = FOO, MAX_JOBS_*, $policy.*
"""
TAKES_EFFECT = "The change will take effect on the next condor_reconfig."


def _configured(pool: PersonalPool, text: str) -> Path:
    """A pool that is to start reads ``text`` as its root file."""
    config = pool.directory / "condor_config"
    (pool.directory / "persistent").mkdir(exist_ok=True)
    config.write_text(text.format(pool.directory))
    pool.environment["CONDOR_CONFIG"] = str(config)
    return config


def _value(pool: PersonalPool, *words: str) -> str:
    return pool.tool("condor_config_val", *words).stdout.strip()


def test_a_daemon_tells_what_it_holds_not_what_the_file_says(pool: PersonalPool) -> None:
    config = pool.configure("FOO = $(BAR)x\nBAR = 1\nSCHEDD.BAR = 2\n")
    config.write_text("FOO = other\n")
    assert _value(pool, "FOO") == "other"
    assert _value(pool, "-master", "FOO") == "1x"
    assert _value(pool, "-schedd", "foo", "NOSUCH") == "2x\nNot defined"
    done = pool.tool("condor_config_val", "-schedd", "-verbose", "foo", "NOSUCH", check=False)
    place = f"{config}, line 1"
    assert done.stdout == f"FOO = 2x\n # at: {place}\n # raw: FOO = $(BAR)x\n\n\n"
    assert (done.stderr, done.returncode) == ("Not defined: NOSUCH\n", 1)
    told = json.loads(_value(pool, "-schedd", "-json", "FOO"))
    assert told == {"FOO": {"value": "2x", "raw": "$(BAR)x", "at": place}}
    assert _value(pool, "-startd", "-evaluate", "1 + Cpus", "START") == "undefined\ntrue"
    dump = _value(pool, "-negotiator", "-dump", "^foo$").splitlines()
    assert dump[0].startswith("# Configuration from negotiator on ")
    assert dump[1:] == [
        "",
        "# Parameters with names that match ^foo$:",
        "FOO = $(BAR)x",
        "# Contributing configuration file(s):",
        f"#\t{config}",
    ]
    summary = _value(pool, "-schedd", "-summary")
    assert f"#\n# from {config}\n#\nFOO = $(BAR)x\nBAR = 1\nSCHEDD.BAR = 2\n" in summary
    assert "LOCAL_DIR" in summary.partition("# from <Environment>")[2]
    done = pool.tool("condor_config_val", "-name", "elsewhere", "FOO", check=False)
    assert done.stderr.startswith("Can't find address for master 'elsewhere' in local pool\n")


@pytest.fixture(scope="module")
def settable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PersonalPool]:
    """A pool that knobs may be set in."""
    pool = PersonalPool(tmp_path_factory.mktemp("settable") / "pool")
    _configured(pool, "FOO = 0\n" + RUN_TIME)
    with pool.running():
        yield pool


@pytest.mark.xdist_group("settable")
def test_settings_of_run_time(settable: PersonalPool) -> None:
    pool = settable
    said = _value(pool, "-schedd", "-set", "FOO = $(FOO)1", "Max_Jobs_Running = 7")
    assert said.count("Successfully set configuration") == 2
    assert said.endswith(TAKES_EFFECT)
    _value(pool, "-schedd", "-rset", "FOO = $(FOO)2")
    assert _value(pool, "-schedd", "FOO") == "0"
    pool.tool("condor_reconfig")
    assert _value(pool, "-schedd", "FOO", "MAX_JOBS_RUNNING") == "012\n7"
    assert "<runtime>, line 0" in _value(pool, "-schedd", "-v", "FOO")
    directory = pool.directory / "persistent"
    assert f"{directory}/.config.SCHEDD.max_jobs_running, line 0" in _value(pool, "-schedd", "-v", "max_jobs_running")
    assert (directory / ".config.SCHEDD").read_text() == "RUNTIME_CONFIG_ADMIN = foo, max_jobs_running\n"
    wait_for(lambda: pool.tool("condor_status", "-schedd", "-af", "MaxJobsRunning").stdout == "7\n", "it is in force")

    before = pool.kill("schedd")
    wait_for(lambda: pool.pid("schedd") != before and pool.tool("condor_q", check=False).returncode == 0, "again")
    wait_for(lambda: pool.tool("condor_config_val", "-schedd", "FOO", check=False).returncode == 0, "it listens")
    assert _value(pool, "-schedd", "FOO", "MAX_JOBS_RUNNING") == "01\n7"

    _value(pool, "-schedd", "-unset", "FOO", "MAX_JOBS_RUNNING")
    assert list(directory.iterdir()) == []
    pool.tool("condor_reconfig", "-schedd")
    assert _value(pool, "-schedd", "FOO") == "0"


@pytest.mark.xdist_group("settable")
def test_settings_that_are_refused(settable: PersonalPool) -> None:
    pool = settable
    for words, reason in (
        (("-schedd", "-rset", "SPOOL = /tmp"), "no SETTABLE_ATTRS_... of user id"),
        (("-schedd", "-set", "MAX_JOBS_RUNNING = soon"), "'soon' is not valid, it must be an integer"),
        (("-schedd", "-set", "MAX_JOBS_RUNNING = 1\nSPOOL = /tmp"), "not one setting"),
        (("-schedd", "-set", "use POLICY:Nope"), "Nope"),
    ):
        done = pool.tool("condor_config_val", *words, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith(f'Attempt to set configuration "{words[2]}" on schedd ')
        assert reason in done.stderr
        assert "Traceback" not in done.stderr
    assert "Potential security problem, request refused" in (pool.log / "SchedLog").read_text()
    assert list((pool.directory / "persistent").iterdir()) == []


def test_without_permission_nothing_is_set(pool: PersonalPool) -> None:
    for option in ("-set", "-rset"):
        done = pool.tool("condor_config_val", option, "FOO = 1", check=False)
        assert done.returncode == 1
        assert "_CONFIG is false" in done.stderr


def test_bad_values_keep_the_old_ones(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    config = _configured(pool, "MAX_JOBS_RUNNING = 9\nNEGOTIATOR_INTERVAL = 50\nSTART = 1 + 1 == 2\nNUM_CPUS = 3\n")
    del pool.environment["_CONDOR_NUM_CPUS"]
    pool.start()
    config.write_text("MAX_JOBS_RUNNING = many\nNEGOTIATOR_INTERVAL = 51\nSTART = (Owner ==\nNUM_CPUS = 5\n")
    done = pool.tool("condor_reconfig", check=False)
    assert (done.returncode, done.stdout) == (1, 'Sent "Reconfig" command to local master\n')
    words = done.stderr.splitlines()
    assert any(line.startswith("schedd: MAX_JOBS_RUNNING") and line.endswith("stays 9") for line in words), words
    assert any(line.startswith("startd: START") and line.endswith("stays 1 + 1 == 2") for line in words), words
    change = "the change from 3 to 5 takes effect when the daemon restarts"
    assert any(line.startswith("startd: NUM_CPUS") and line.endswith(change) for line in words), words
    assert _value(pool, "-schedd", "MAX_JOBS_RUNNING", "NEGOTIATOR_INTERVAL") == "9\n51"
    assert _value(pool, "-startd", "START") == "1 + 1 == 2"
    log = (pool.log / "StartLog").read_text()
    assert change in log
    assert "START stays 1 + 1 == 2" in log
    config.write_text("MAX_JOBS_RUNNING = 4\nSTART = true\nNUM_CPUS = 3\n")
    assert pool.tool("condor_reconfig").stderr == ""
    assert _value(pool, "-schedd", "MAX_JOBS_RUNNING") == "4"


def test_a_bad_limit_of_transfers_keeps_no_job_waiting(pool: PersonalPool) -> None:
    log = pool.written("StartLog")
    rest = "BYTES_REQUIRED_TO_QUEUE_FOR_TRANSFER = 0\n"
    config = pool.configure(f"FILE_TRANSFER_DISK_LOAD_THROTTLE = 7\n{rest}")
    config.write_text(f"FILE_TRANSFER_DISK_LOAD_THROTTLE = fast\n{rest}")
    said = pool.tool("condor_reconfig", check=False).stderr
    assert said.startswith("startd: FILE_TRANSFER_DISK_LOAD_THROTTLE")
    assert said.endswith("stays 7\n")
    (pool.work / "in").write_text("more than nothing\n")
    program = pool.script("cat.sh", "cat in >out\n")
    how = "should_transfer_files = yes\ntransfer_input_files = in\ntransfer_output_files = out\nlog = job.log\n"
    pool.submit(f"executable = {program}\n{how}queue\n")
    pool.wait("job.log")
    assert (pool.work / "out").read_text() == "more than nothing\n"
    assert "ERROR" not in log()


def test_a_configuration_that_cannot_be_read_changes_nothing(pool: PersonalPool) -> None:
    config = pool.configure("FOO = 1\n")
    log = pool.written("StartLog")
    config.write_text("if true\nFOO = 2\n")
    done = pool.tool("condor_reconfig", check=False)
    assert done.returncode == 1
    assert str(config) in done.stderr
    os.kill(pool.pid("startd"), 1)
    wait_for(lambda: "Reconfig failed, the old configuration stays in force" in log(), "it is refused")
    config.write_text("FOO = 3\n")
    assert _value(pool, "-startd", "FOO") == "1"


def test_the_log_moves_and_intervals_change(pool: PersonalPool) -> None:
    pool.configure("NEGOTIATOR_INTERVAL = 3600\n")
    moved = pool.log / "Elsewhere"
    pool.configure(f"SCHEDD_LOG = {moved}\nNEGOTIATOR_INTERVAL = 3\n")
    wait_for(lambda: "Reconfigured" in moved.read_text(), "the schedd writes there")


def test_the_master_warns_of_what_is_probably_wrong(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    config = _configured(pool, "MAX_JOB_RUNNING = 10\nDAEMON_LIST = MASTER\n")
    done = pool.tool("condor_master")
    assert f"{config}, line 1: MAX_JOB_RUNNING" in done.stderr
    assert "MAX_JOBS_RUNNING" in done.stderr
    assert "MAX_JOBS_RUNNING" in (pool.log / "MasterLog").read_text()
    found = pool.tool("condor_config_val", "-lint", check=False)
    assert found.stdout.startswith(f"{config}\n")
    assert "MAX_JOBS_RUNNING" in found.stdout


def test_daemons_come_and_go_with_the_list(restarted: PersonalPool) -> None:
    pool = restarted
    pool.configure("DAEMON_LIST = MASTER SCHEDD NEGOTIATOR STARTD\n")
    pool.tool("condor_off", "-negotiator")
    wait_for(lambda: not (pool.spool / "ads" / "NEGOTIATOR.ads").exists(), "the negotiator is off")
    pool.configure("DAEMON_LIST = MASTER SCHEDD NEGOTIATOR\n")
    wait_for(lambda: not (pool.spool / "ads" / "STARTD.ads").exists(), "the startd stops")
    pool.configure("DAEMON_LIST = MASTER SCHEDD NEGOTIATOR STARTD\n")
    wait_for((pool.spool / "ads" / "STARTD.ads").exists, "the startd starts again")
    assert not (pool.spool / "ads" / "NEGOTIATOR.ads").exists()
    pool.tool("condor_on", "-negotiator")
