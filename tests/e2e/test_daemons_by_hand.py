"""Daemons that a user starts by hand, by the names of their programs, and programs of an administrator's in
DAEMON_LIST."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from pool import MAIN, PersonalPool, wait_for


def test_three_daemons_without_a_master_run_a_job(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.tool("condor_schedd", "-b", "-pidfile", "schedd.pid", "-a", "mine")
    pool.tool("condor_startd", "-b", "-pidfile", str(pool.directory / "pid"), "-n", "bench")
    other = pool.directory / "other"
    negotiator = subprocess.Popen(
        [sys.executable, "-I", "-S", str(MAIN), "condor_negotiator", "-f", "-log", str(other), "-sock", "n"],
        env=pool.environment,
        cwd=pool.work,
    )
    pool.submit("executable = /bin/true\nlog = job.log\nqueue\n")
    pool.wait("job.log")
    assert int((pool.log / "schedd.pid").read_text()) == pool.pid("schedd")
    assert "STARTING UP" in (pool.log / "SchedLog.mine").read_text()
    assert "STARTING UP" in (other / "NegotiatorLog").read_text()
    assert pool.tool("condor_status", "-startd", "-af", "Machine", "-limit", "1").stdout
    assert "bench@" in pool.tool("condor_status", "-af", "Name").stdout

    second = pool.tool("condor_schedd", "-f", "-t", check=False)
    assert second.returncode == 1
    assert f"is held by process {pool.pid('schedd')}" in second.stderr

    for daemon, pidfile in (("schedd", "schedd.pid"), ("startd", str(pool.directory / "pid"))):
        pool.tool(f"condor_{daemon}", "-k", pidfile)
        wait_for(lambda: not (pool.log / "schedd.pid").exists(), "the pid file goes with the daemon")
    negotiator.terminate()
    assert negotiator.wait() == 0
    wait_for(lambda: pool.processes() == [], "nothing is left")


def test_a_daemon_logs_to_the_terminal_and_leaves_in_time(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    daemon = subprocess.Popen(
        [sys.executable, "-I", "-S", str(MAIN), "condor_negotiator", "-t", "-local-name", "bench", "-r", "1"],
        env=pool.environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert daemon.stderr is not None
    assert "** condor_negotiator (condor_NEGOTIATOR) STARTING UP" in daemon.stderr.readline()
    assert not (pool.log / "NegotiatorLog").exists()
    daemon.terminate()
    assert "EXITING WITH STATUS 0" in daemon.stderr.read()
    assert daemon.wait() == 0


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["condor_schedd", "-v"], 0, "$CondorVersion: "),
        (["condor_collector", "-f"], 1, "there is no collector process"),
        (["condor_shadow", "-f", "<127.0.0.1:9>"], 1, "there are no shadow processes"),
        (["condor_startd", "-pidfile"], 1, "DaemonCore: ERROR: -pidfile needs another argument."),
        (["condor_schedd", "-k", "no such\nfile"], 1, "DaemonCore: ERROR: Can't open pid file "),
        (["condor_negotiator", "-log", "/dev/null/x"], 1, "can't create directory /dev/null/x: Not a directory"),
        (["condor_schedd", "-dynamic"], 1, "Error: unrecognized argument -dynamic"),
        (["condor_startd", "cellar"], 1, "Error:  Unknown option cellar"),
    ],
)
def test_options_of_daemons(stopped_pool: PersonalPool, words: list[str], code: int, told: str) -> None:
    done = stopped_pool.tool(*words, check=False)
    assert (done.returncode, told in done.stdout + done.stderr) == (code, True), done
    assert "Traceback" not in done.stderr


def test_programs_of_an_administrator_are_daemons(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    told = pool.work / "told"
    beacon = pool.script("beacon", f'echo "$LIGHT $*" $$ >> {told}\nexec sleep 600\n')
    pool.knob("DAEMON_LIST", "MASTER SCHEDD BEACON CELLAR GONE HAD ADSTASH")
    pool.knob("ADSTASH_INTERFACE", "jsonfile")
    pool.knob("BEACON", beacon)
    pool.knob("BEACON_ARGS", "\"-far 'and wide'\"")
    pool.knob("BEACON_ENVIRONMENT", "LIGHT=red")
    pool.knob("CELLAR", "$(LIBEXEC)/condor_rooster")
    pool.knob("CELLAR.ROOSTER_INTERVAL", "77")
    pool.knob("GONE", pool.work / "nosuch")
    pool.knob("MASTER_BACKOFF_CONSTANT", "600")
    failed = pool.tool("condor_master", check=False)
    assert (failed.returncode, "condor_gone does not start" in failed.stderr) == (1, True), failed
    log = pool.log / "MasterLog"
    wait_for(lambda: "ROOSTER_INTERVAL=77" in (pool.log / "RoosterLog").read_text(), "the second name counts")
    assert f'Started process "{beacon}"' in log.read_text()
    assert "DAEMON_LIST: not part of this pool, ignored: HAD" in log.read_text()

    def lines() -> list[str]:
        return told.read_text().splitlines()

    wait_for(lambda: len(lines()) == 1, "the program runs")
    words, _, pid = lines()[0].rpartition(" ")
    assert words == "red -far and wide"
    assert f"Beacon       yes    {pid} " in pool.tool("condor_who", "-daemons").stdout
    assert 'BEACON = "Alive"' in pool.tool("condor_who", "-quick").stdout
    wait_for(lambda: "Total processing time" in (pool.log / "adstash.log").read_text(), "condor_adstash has looked")
    pool.tool("condor_off", "-daemon", "adstash")
    wait_for(lambda: "SIGTERM: Exiting" in (pool.log / "adstash.log").read_text(), "and it is stopped")
    os.kill(int(pid), signal.SIGKILL)
    wait_for(lambda: len(lines()) == 2, "it is started again")
    pool.tool("condor_off", "-daemon", "beacon", "-peaceful")
    wait_for(lambda: "died due to signal 15" in log.read_text(), "condor_off stops it")
    pool.tool("condor_on", "-daemon", "beacon")
    wait_for(lambda: len(lines()) == 3, "condor_on starts it")
