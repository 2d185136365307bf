"""The tools that command daemons: what they say, as HTCondor 25.14 says it, and what they leave behind."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from pool import PersonalPool, wait_for


def test_the_master_becomes_the_shutdown_program(restarted: PersonalPool) -> None:
    pool = restarted
    told = pool.work / "told"
    program = pool.work / "farewell"
    program.write_text(f"#!/bin/sh\necho gone > {told}\n")
    program.chmod(0o755)
    done = pool.tool("condor_set_shutdown", "-exec", "nosuch")
    assert done.stdout == 'Set exec to nosuch\nSent "Set-Shutdown-Program" command to local master\n'
    wait_for(lambda: "No shutdown program defined for 'MASTER_SHUTDOWN_NOSUCH'" in _log(pool), "the master says so")
    pool.tool("condor_off", "-master")
    wait_for(lambda: not pool.processes(), "the pool is down")
    assert not told.exists()

    pool.start()
    pool.configure(f"MASTER_SHUTDOWN_FAREWELL = {program}\n")
    pool.tool("condor_set_shutdown", "-exec", "farewell")
    pool.tool("condor_off", "-master")
    wait_for(lambda: told.exists() and told.read_text() == "gone\n", "the program ran")
    assert f"EXITING BY EXECING {program}" in _log(pool)


def test_preen_runs_when_it_is_turned_on(pool: PersonalPool) -> None:
    words = pool.work / "words"
    program = pool.script("clean", f'printf "%s\\n" "$@" >{words}\nexit 7\n')
    log = pool.written("MasterLog")
    pool.configure(f'PREEN = {program}\nPREEN_ARGS = -m "two words"\n')  # quotes are plain in the old syntax
    assert pool.tool("condor_on", "-preen").stdout == 'Sent "Spawn-Daemon" command for "preen" to local master\n'
    wait_for(lambda: ") exited with status 7" in log(), "it ran")
    assert words.read_text() == '-m\n"two\nwords"\n'
    pid = log().partition("Preen pid is ")[2].split()[0]
    assert f"Preen (pid {pid}) exited with status 7" in log()
    pool.configure("PREEN =\n")
    pool.tool("condor_on", "-daemon", "preen")
    wait_for(lambda: "WARNING: PREEN has no configured value" in log(), "there is none")


def test_preen_runs_in_its_turn_for_the_first_time(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("PREEN", str(pool.script("clean", "exit 0\n")))
    pool.knob("PREEN_INTERVAL", "1")
    pool.knob("DAEMON_LIST", "MASTER")
    pool.tool("condor_master")
    wait_for(lambda: _log(pool).count(") exited with status 0") >= 2, "it runs every second")
    assert "already running" not in _log(pool)


def test_exec_is_for_set_shutdown_only(pool: PersonalPool) -> None:
    done = pool.tool("condor_set_shutdown", check=False)
    assert done.stderr == 'ERROR: "-exec" required for condor_set_shutdown\nUse "-help" to see usage information\n'
    assert done.returncode == 1
    assert pool.tool("condor_off", "-exec", "x", check=False).returncode == 1


def _log(pool: PersonalPool) -> str:
    return (pool.log / "MasterLog").read_text()


def test_off_and_reconfig_wait_for_the_drain(restarted: PersonalPool) -> None:
    pool = restarted
    pool.configure("MAXJOBRETIREMENTTIME = 3600\n")
    job = f"until [ -e {pool.work}/gate ]; do sleep 0.05; done"
    cluster = pool.submit(f"executable = /bin/sh\narguments = \"-c '{job}'\"\nlog = run.log\nqueue\n")
    pool.started("run.log", f"{cluster}.0")
    log = pool.written("MasterLog")
    done = pool.tool("condor_reconfig", "-drain", "-reason", "new settings")
    assert done.stdout == 'Sent "Reconfig" command to local master\n'
    wait_for(lambda: "Retiring" in pool.tool("condor_status", "-af", "Activity").stdout, "it drains")
    assert pool.status_of(f"{cluster}.0") == 2
    (pool.work / "gate").touch()
    pool.wait("run.log")
    wait_for(lambda: "Drained" not in pool.tool("condor_status", "-af", "State").stdout, "it is back")
    pool.submit("executable = /bin/true\nlog = next.log\nqueue\n")
    pool.wait("next.log")
    pool.tool("condor_off", "-drain", "-startd")
    wait_for(lambda: "Draining before off" in log(), "it drains")
    wait_for(lambda: not _lives(pool, "startd"), "it is off")  # its ads go a moment before it
    assert _lives(pool, "schedd")
    pool.tool("condor_on", "-startd")
    wait_for(lambda: _lives(pool, "startd"), "it is on again")
    assert pool.tool("condor_off", "-reason", "x", check=False).returncode == 1


def test_a_drain_that_is_refused_or_cancelled_turns_nothing_off(restarted: PersonalPool) -> None:
    """The tools said that it was sent, the program for the end stayed set, and the next death of the startd counted as
    the end of the drain."""
    pool = restarted
    farewell = pool.script("farewell", f"touch {pool.work}/gone\n")
    pool.configure(f"MAXJOBRETIREMENTTIME = 3600\nMASTER_SHUTDOWN_FAREWELL = {farewell}\n")
    cluster = pool.submit("executable = /bin/sleep\narguments = 600\nlog = run.log\nqueue\n")
    pool.started("run.log", f"{cluster}.0")
    for words, why in (
        (("-check", "false", "-exec", "farewell"), "the startd does not drain: Draining check expression is false"),
        (("-exec", "nosuch"), "MASTER_SHUTDOWN_NOSUCH is not set"),
    ):
        done = pool.tool("condor_off", "-drain", *words, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith(f"condor_off: {why}")
    done = pool.tool("condor_off", "-drain", "-exec", "farewell")
    assert done.stdout == 'Set exec to farewell\nSent "Shutdown-Daemons" command to local master\n'
    done = pool.tool("condor_restart", "-drain", check=False)
    assert done.stderr == "condor_restart: the startd does not drain: Draining already in progress.\n"
    pool.tool("condor_drain", "-cancel")
    startd, schedd = pool.kill("startd"), pool.pid("schedd")
    wait_for(lambda: pool.serves("startd") and pool.pid("startd") != startd, "the startd is there again")
    assert pool.serves("schedd")
    assert pool.pid("schedd") == schedd
    assert pool.status_of(f"{cluster}.0") is not None
    pool.tool("condor_off", "-master", "-fast")
    wait_for(lambda: not pool.processes(), "the pool is down")
    assert not (pool.work / "gone").exists()


def test_a_pool_without_a_startd_has_nothing_to_drain(tmp_path: Path) -> None:
    pool = PersonalPool(tmp_path / "pool", DAEMON_LIST="MASTER SCHEDD")
    pool.tool("condor_master")
    try:
        assert pool.tool("condor_reconfig", "-drain").stdout == 'Sent "Reconfig" command to local master\n'
        wait_for(lambda: "Reconfigured" in _log(pool), "the master reads the configuration")
        assert "ERROR" not in _log(pool)
    finally:
        pool.stop()


def _lives(pool: PersonalPool, daemon: str) -> bool:
    try:
        return Path(f"/proc/{pool.pid(daemon)}").exists()
    except (OSError, ValueError):
        return False


_HINT = 'Use "-help" to see usage information\n'
_NOBODY = "Perhaps you need to query another pool.\n"
#: Command, stdout, stderr up to the usage, exit code; as HTCondor 25.14 says it of host HOST.
_SESSION = (
    ("reschedule", 'Sent "Reschedule" command to local schedd\n', "", 0),
    ("reschedule -startd", "", "ERROR: Can't specify a daemon flag with condor_reschedule.\n", 1),
    ("reschedule -all", 'Sent "Reschedule" command to schedd HOST\n', "", 0),
    ("reconfig", 'Sent "Reconfig" command to local master\n', "", 0),
    ("reconfig -all", 'Sent "Reconfig" command to master HOST\n', "", 0),
    ("reconfig -startd", 'Sent "Reconfig" command to local startd\n', "", 0),
    ("reconfig -negotiator", 'Sent "Reconfig" command to negotiator HOST\n', "", 0),
    ("reconfig -daemon nosuch", "", f"Can't find address for local nosuch\n{_NOBODY}", 1),
    ("reconfig nosuch", "", "condor_reconfig: unknown host nosuch\n", 1),
    ("off -bogus", "", 'ERROR: invalid argument "-bogus"\n', 1),
    ("off -f", "", f'ERROR: ambiguous parameter: "-f"\nPlease specify "-full" or "-fast"\n{_HINT}', 1),
    ("off -co", "", f'ERROR: ambigous parameter: "-co"\nPlease specify "-collector" or "-constraint"\n{_HINT}', 1),
    ("off -s", "", f'ERROR: ambiguous argument "-s"\nPlease specify "-subsystem", "-startd" or "-schedd"\n{_HINT}', 1),
    ("off -startd -schedd", "", "ERROR: can only specify one daemon flag.\n", 1),
    ("off -daemon", "", f"ERROR: -daemon requires another argument\n{_HINT}", 1),
    ("off -exec x", "", f'ERROR: "-exec" is not valid with condor_off without -drain\n{_HINT}', 1),
    ("on -fast", "", f'ERROR: "-fast" is not valid with condor_on\n{_HINT}', 1),
    ("vacate", 'Sent "Vacate-All-Claims" command to local startd\n', "", 0),
    ("vacate -fast", 'Sent "Vacate-All-Claims-Fast" command to local startd\n', "", 0),
    ("vacate slot1@HOST", 'Sent "Vacate-Claim" command to startd slot1@HOST\n', "", 0),
    (
        "vacate slot9@HOST",
        "",
        f"Can't find address for startd slot9@HOST\nCan't find address for slot9@HOST\n{_NOBODY}",
        1,
    ),
    ("vacate HOST", 'Sent "Vacate-All-Claims" command to startd HOST\n', "", 0),
    ("vacate -all -addr <127.0.0.1:9>", 'Sent "Vacate-All-Claims" command to startd HOST\n', "", 0),
    ("vacate -addr <127.0.0.1:9>", "", "Can't connect to daemon at <127.0.0.1:9>\n", 1),
    ("off -addr <127.0.0.1:9>", "", "Can't connect to daemon at <127.0.0.1:9>\n", 1),
    (
        "vacate -addr <127.0.0.1:9618?alias=HOST> <127.0.0.1:9>",
        'Sent "Vacate-All-Claims" command to daemon at <127.0.0.1:9618>\n',
        "Can't connect to daemon at <127.0.0.1:9>\n",
        1,
    ),
    (
        "vacate -addr <foo",
        "",
        "Address <foo is not valid.\nShould be of the form <ip.address.here:port>.\n"
        "For example: <123.456.789.123:6789>\n",
        1,
    ),
    ("vacate -addr foo", "", "condor_vacate: unknown host foo\n", 1),
    ("vacate -constraint SlotID==1 -fast", 'Sent "Vacate-Claim-Fast" command to startd slot1@HOST\n', "", 0),
    (
        "vacate -constraint SlotID==9",
        "",
        "Found no ClassAds when querying pool (local)\n"
        f"Can't find addresses for startd's for constraint 'SlotID==9'\n{_NOBODY}",
        1,
    ),
    ("vacate -peaceful", "", f'ERROR: "-peaceful" is not valid with condor_vacate\n{_HINT}', 1),
    ("off -negotiator", 'Sent "Kill-Daemon" command for "negotiator" to local master\n', "", 0),
    ("on -negotiator", 'Sent "Spawn-Daemon" command for "negotiator" to local master\n', "", 0),
    ("restart -startd -fast", 'Sent "Restart-Fast" command to local startd\n', "", 0),
    (
        "off -schedd -peaceful",
        'Sent "Set-Peaceful-Shutdown" command to local schedd\nSent "Kill-Daemon-Peacefully" command to local master\n',
        "",
        0,
    ),
    ("off -master", 'Sent "Kill-Daemon" command for "master" to local master\n', "", 0),
)


def test_the_words_of_a_session(restarted: PersonalPool) -> None:
    pool = restarted
    host = os.uname().nodename
    for command, out, err, code in _SESSION:
        words = command.replace("HOST", host).split()
        done = pool.tool(f"condor_{words[0]}", *words[1:], check=False)
        complaint = done.stderr.partition("Usage:")[0]
        expected = (out.replace("HOST", host), err.replace("HOST", host), code)
        assert (done.stdout, complaint, done.returncode) == expected, command
    wait_for(lambda: not pool.processes(), "the pool is down")
    done = pool.tool("condor_on", check=False)
    assert (done.stderr, done.returncode) == (f"Can't find address for local master\n{_NOBODY}", 1)


def test_a_stop_behind_a_restart_is_a_stop(restarted: PersonalPool) -> None:
    pool, log = restarted, restarted.written("MasterLog")
    assert "condor_MASTER) STARTING UP" in _log(pool)
    schedd = pool.kill("schedd", signal.SIGSTOP)  # the restart waits for it
    pool.tool("condor_restart")
    pool.tool("condor_off", "-master")
    os.kill(schedd, signal.SIGCONT)
    wait_for(lambda: not pool.processes(), "no process of the pool is left")
    assert "condor_MASTER) STARTING UP" not in log()
