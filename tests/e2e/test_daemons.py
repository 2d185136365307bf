"""The daemons: supervised, commanded, logged, reconfigured, drained."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from getpass import getuser
from pathlib import Path

from pool import MAIN, PATIENCE, PersonalPool, wait_for


def test_what_dies_is_restarted_with_growing_patience(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("MASTER_BACKOFF_CONSTANT", "30")
    pool.knob("DAEMON_LIST", "MASTER NEGOTIATOR")
    pool.tool("condor_master")
    first = pool.kill("negotiator")
    wait_for(lambda: pool.pid("negotiator") != first, "restarted at once the first time")
    wait_for(lambda: pool.serves("negotiator"), "and at work")
    pool.kill("negotiator")
    log = pool.log / "MasterLog"
    wait_for(lambda: "restarting condor_negotiator in 32 seconds" in log.read_text(), "the second time it waits")
    assert log.read_text().count("restarting condor_negotiator in") == 2
    assert not pool.serves("negotiator")


def test_what_cannot_be_started_at_all_is_tried_with_growing_patience_too(stopped_pool: PersonalPool) -> None:
    """A package that is being replaced has no interpreter for a moment: the master does not use up a core meanwhile."""
    pool = stopped_pool
    pool.knob("MASTER_RECOVER_FACTOR", "60")
    program = (
        f"import sys; sys.path.insert(0, {str(MAIN.parents[1])!r}); sys.executable = '/no/such/python'\n"
        "from condor_py.daemons.master.daemon import MasterDaemon\n"
        "master = MasterDaemon()\n"
        "def look():\n"
        f"    waits = 'restarting condor_negotiator in 11 seconds' in open({str(pool.log / 'MasterLog')!r}).read()\n"
        "    master.loop.after(0.5, master.loop.stop if waits else look)\n"
        "master.loop.after(0.5, look)\nmaster.loop.run()\n"
    )
    subprocess.run([sys.executable, "-c", program], env=pool.environment, check=True, timeout=60)
    log = (pool.log / "MasterLog").read_text()
    assert log.count("cannot start NEGOTIATOR: ") == 2
    assert "restarting condor_negotiator in 11 seconds" in log


def test_off_and_on(restarted: PersonalPool) -> None:
    pool = restarted
    done = pool.tool("condor_off", "-startd")
    assert done.stdout == 'Sent "Kill-Daemon" command for "startd" to local master\n'
    wait_for(lambda: not (pool.spool / "ads" / "STARTD.ads").exists(), "the startd is off")
    who = pool.tool("condor_who", "-quick", "-wait:60", 'STARTD == "Hold"').stdout
    assert 'STARTD = "Hold"' in who
    cluster = pool.submit("executable = /bin/true\nlog = job.log\nqueue\n")
    assert pool.status_of(f"{cluster}.0") == 1
    assert pool.tool("condor_on", "-startd").stdout == 'Sent "Spawn-Daemon" command for "startd" to local master\n'
    pool.wait("job.log")


def test_jobs_that_came_without_a_negotiator_start_once_it_is_there(restarted: PersonalPool) -> None:
    pool = restarted
    pool.tool("condor_off", "-negotiator")
    wait_for(lambda: not (pool.spool / "ads" / "NEGOTIATOR.ads").exists(), "the negotiator is off")
    cluster = pool.submit("executable = /bin/true\nrequest_memory = 17\nlog = unmatched.log\nqueue\n")
    pool.tool("condor_on", "-negotiator")
    pool.wait("unmatched.log")
    assert {(1, f"{cluster}.0"), (5, f"{cluster}.0")} <= set(pool.events("unmatched.log"))


def test_restart_gives_a_new_master_with_the_same_pool(restarted: PersonalPool) -> None:
    pool = restarted
    before = pool.pid("schedd")
    last = pool.submit("executable = /bin/true\nhold = true\nqueue\n")
    pool.tool("condor_restart")
    wait_for(lambda: pool.pid("schedd") != before and pool.ready(), "a new schedd serves")
    assert pool.status_of(f"{last}.0") == 5
    assert pool.submit("executable = /bin/true\nlog = job.log\nqueue\n") == last + 1
    pool.wait("job.log")
    assert (5, f"{last + 1}.0") in pool.events("job.log")


def test_reconfig_takes_new_policy(pool: PersonalPool) -> None:
    config = pool.configure("START = true\n")
    pool.submit("executable = /bin/true\nlog = one.log\nqueue\n")
    pool.wait("one.log")
    log = pool.written("StartLog")
    config.write_text("START = false\n")
    os.kill(pool.pid("master"), signal.SIGHUP)
    wait_for(lambda: "Reconfigured" in log(), "the startd read it")
    wait_for(lambda: pool.tool("condor_status", "-af", "Start").stdout.split() == ["false"], "and published it")
    cluster = pool.submit("executable = /bin/true\nlog = two.log\nqueue\n")
    wait_for(lambda: pool.queue("LastRejMatchReason")[0][0] != "undefined", "the job was considered and rejected")
    assert pool.status_of(f"{cluster}.0") == 1
    config.write_text("START = true\n")
    assert pool.tool("condor_reconfig").stdout == 'Sent "Reconfig" command to local master\n'
    pool.wait("two.log")


def test_a_broken_configuration_keeps_the_old_one(pool: PersonalPool) -> None:
    config = pool.configure("CLAIM_WORKLIFE = 100\n")
    log = pool.written("SchedLog")
    config.write_text("CLAIM_WORKLIFE = soon\n")
    assert pool.tool("condor_reconfig", "-schedd", check=False).returncode == 1
    wait_for(lambda: "CLAIM_WORKLIFE stays 100" in log(), "the value is refused")
    config.write_text("if\nCLAIM_WORKLIFE = 100\n")
    os.kill(pool.pid("schedd"), signal.SIGHUP)
    wait_for(lambda: "Reconfig failed, the old configuration stays in force" in log(), "all is refused")
    config.write_text("")
    pool.submit("executable = /bin/true\nlog = job.log\nqueue\n")
    pool.wait("job.log")


def test_a_pool_that_cannot_start_says_why(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("LOCAL_DIR", "/proc/nowhere")
    done = pool.tool("condor_master", check=False)
    assert done.returncode == 1
    assert "/proc/nowhere" in done.stderr
    assert "Traceback" not in done.stderr


def test_condor_master_names_the_daemon_that_does_not_serve_and_why(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("SCHEDD_INTERVAL", "soon")
    done = pool.tool("condor_master", check=False)
    assert done.returncode == 1
    (line,) = (line for line in done.stderr.splitlines() if "does not start: " in line)
    assert line.startswith("condor_master: condor_schedd does not start: SCHEDD_INTERVAL (<Environment>): 'soon' is")
    assert line.endswith(f"; see {pool.log}/SchedLog")
    assert (pool.spool / "ads" / "STARTD.ads").exists(), "the others serve"
    ready = pool.tool("condor_who", "-quick", "-af", "SCHEDD", "STARTD", "IsReady").stdout.split()
    assert ready == ["Dead", "Alive", "false"]


def test_a_daemon_that_fails_with_an_exception_says_which(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("DAEMON_LIST", "MASTER NEGOTIATOR")
    (pool.spool / "Accountantnew.log").mkdir(parents=True)
    done = pool.tool("condor_master", check=False)
    assert done.returncode == 1
    assert "condor_master: condor_negotiator does not start: " in done.stderr
    assert "Is a directory" in done.stderr
    assert "Traceback" not in done.stderr


def test_daemon_list(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("DAEMON_LIST", "MASTER, COLLECTOR, SCHEDD, HAD")
    pool.tool("condor_master")
    assert (pool.spool / "ads" / "SCHEDD.ads").exists(), "condor_master returns when the daemons serve"
    assert not (pool.log / "startd.lock").exists()
    assert "DAEMON_LIST: not part of this pool, ignored: HAD" in (pool.log / "MasterLog").read_text()


def test_logs_rotate_and_tell_the_story(restarted: PersonalPool) -> None:
    pool = restarted
    (pool.log / "StartLog.old").unlink(missing_ok=True)
    pool.configure("MAX_STARTD_LOG = 3000\n")
    cluster = pool.submit("executable = /bin/true\nlog = job.log\nqueue 20\n")
    pool.wait("job.log")
    assert (pool.log / "StartLog.old").exists()
    assert (pool.log / "StartLog").stat().st_size < 4000
    starter = (pool.log / "StarterLog.slot1_1").read_text()
    assert f"Starting a VANILLA universe job with ID: {cluster}." in starter
    assert "About to exec /bin/true" in starter
    assert "Process exited, pid=" in starter
    for name in ("MasterLog", "SchedLog", "NegotiatorLog"):
        assert "STARTING UP" in (pool.log / name).read_text()


def test_drain_and_cancel(pool: PersonalPool) -> None:
    cluster = pool.submit("executable = /bin/sleep\narguments = 100\nlog = job.log\nqueue\n")
    wait_for(lambda: pool.status_of(f"{cluster}.0") == 2, "it runs")
    host = pool.tool("condor_status", "-af", "Machine").stdout.split()[0]
    done = pool.tool("condor_drain", "-fast", "-verbose", f"slot1@{host}")
    assert "Sent request to drain the startd" in done.stdout
    assert re.search("Request id: [1-9]", done.stdout)
    wait_for(lambda: pool.tool("condor_status", "-af", "State").stdout.split() == ["Drained"], "drained")
    wait_for(lambda: pool.status_of(f"{cluster}.0") == 1, "the job is back in the queue")
    again = pool.tool("condor_drain", f"slot1@{host}", check=False)
    assert again.returncode == 1
    assert "error code 10001" in again.stderr
    assert (
        f"Sent request to cancel draining on slot1@{host}"
        in pool.tool("condor_drain", "-cancel", f"slot1@{host}").stdout
    )
    wait_for(lambda: pool.status_of(f"{cluster}.0") == 2, "it runs again")


def test_names_of_the_command_line_and_of_args_count(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("DAEMON_LIST", "MASTER SCHEDD")
    pool.knob("tower.MASTER_UPDATE_INTERVAL", "77")
    pool.knob("MAX_JOBS_RUNNING", "9")
    pool.knob("cellar.MAX_JOBS_RUNNING", "3")
    pool.knob("SCHEDD_ARGS", "-f -local-name cellar -a day")
    pool.tool("condor_master", "-n", "captain", "-local-name", "tower", "-a", "night")
    assert pool.tool("condor_status", "-master", "-af", "Name").stdout.startswith("captain@")
    assert pool.tool("condor_config_val", "-master", "MASTER_UPDATE_INTERVAL").stdout == "77\n"
    assert pool.tool("condor_config_val", "-schedd", "MAX_JOBS_RUNNING").stdout == "3\n"
    assert not (pool.log / "MasterLog").exists()
    log = (pool.log / "MasterLog.night").read_text()
    assert 'Started DaemonCore process "condor_schedd"' in log
    assert (pool.log / "SchedLog.day").exists()
    pool.tool("condor_restart")
    wait_for(lambda: (pool.log / "MasterLog.night").read_text().count("STARTING UP") == 2, "the master runs again")
    wait_for(lambda: pool.ready("master", "schedd"), "so does its daemon")
    assert pool.tool("condor_config_val", "-master", "MASTER_UPDATE_INTERVAL").stdout == "77\n"


def test_a_condition_on_the_schedd_and_its_address_count(pool: PersonalPool) -> None:
    assert pool.tool("condor_q", "-schedd-constraint", "TotalHeldJobs >= 0", "-totals").returncode == 0
    refused = pool.tool("condor_q", "-schedd-constraint", "TotalHeldJobs > 100", check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == "Error: Collector has no record of schedd/submitter\n"
    assert "Extra Info: " in pool.tool("condor_q", "-name", "nosuch", check=False).stderr
    assert "Extra Info: " not in pool.tool("condor_q", "-name", "nosuch", "-expert", check=False).stderr
    elsewhere = pool.tool("condor_transfer_data", "-addr", "<127.0.0.1:3>", "1", check=False)
    assert (elsewhere.returncode, elsewhere.stderr) == (1, "Can't connect to daemon at <127.0.0.1:3>\n")


def test_the_audit_log_tells_who_changed_what(pool: PersonalPool) -> None:
    log, me = pool.log / "SchedAuditLog", f"user={getuser()} uid={os.geteuid()} pid="
    cluster = pool.submit("executable = /bin/sleep\narguments = 100\nhold = true\nqueue 2\n")
    pool.tool("condor_qedit", f"{cluster}", "Mine", "7")
    pool.tool("condor_release", f"{cluster}.1", "-reason", "why not")
    pool.tool("condor_rm", "-constraint", "Mine == 7")
    lines: list[str] = []

    def is_told() -> bool:
        lines[:] = log.read_text().splitlines()[-4:]
        return "remove jobs" in lines[-1]

    wait_for(is_told, lambda: "\n".join(lines))
    assert all(me in line for line in lines)
    assert [line.partition(me)[2].partition(": ")[2] for line in lines] == [
        f"submit cluster {cluster}",
        f"set Mine = 7 of {cluster}.0, {cluster}.1, cluster {cluster}",
        f"release {cluster}.1 (reason: why not)",
        "remove jobs for which (Mine == 7)",
    ]


def test_master_in_the_foreground_with_a_pid_file(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pidfile = pool.directory / "pid"
    pool.knob("DAEMON_LIST", "MASTER SCHEDD")
    master = subprocess.Popen(
        [sys.executable, "-I", str(MAIN), "condor_master", "-f", "-pidfile", str(pidfile)], env=pool.environment
    )
    daemons = ("master", "schedd")
    wait_for(lambda: pool.ready(*daemons) and int(pidfile.read_text()) == master.pid, "it is up and its pid written")
    before = pool.pid("schedd")
    pool.tool("condor_restart")
    wait_for(lambda: pool.pid("schedd") != before and pool.ready(*daemons), "a new schedd serves")
    assert int(pidfile.read_text()) == master.pid
    pool.tool("condor_master", "-k", str(pidfile))
    assert master.wait(60 * PATIENCE) == 0
    assert not pidfile.exists()
    wait_for(lambda: pool.processes() == [], "nothing is left")


def test_a_master_without_its_pid_file_says_so_and_runs(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("DAEMON_LIST", "MASTER SCHEDD")
    done = pool.tool("condor_master", "-pidfile", str(pool.directory / "no" / "pid"))
    assert done.stderr.startswith("condor_master: DaemonCore: ERROR: Can't open pid file ")
    assert done.stderr.endswith("/no/pid: No such file or directory\n")
    wait_for(lambda: pool.ready("master", "schedd"), "the pool is up")


def test_a_master_that_is_not_to_start_goes_and_one_without_daemons_waits(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("DAEMON_LIST", "MASTER SCHEDD")
    pool.knob("START_MASTER", "False")
    assert pool.tool("condor_master").stderr == ""
    wait_for(lambda: pool.processes() == [], "it has gone")
    log = pool.log / "MasterLog"
    assert "START_MASTER was set to FALSE, shutting down." in log.read_text()
    pool.knob("START_MASTER", "True")
    pool.knob("START_DAEMONS", "False")
    assert pool.tool("condor_master").stderr == ""
    assert "START_DAEMONS flag was set to FALSE.  Not starting daemons." in log.read_text()
    pool.tool("condor_reconfig")
    assert "Started DaemonCore process" not in log.read_text()
    pool.tool("condor_on")
    wait_for(lambda: pool.serves("schedd"), "its daemon serves")


def test_signals_that_mean_nothing_end_no_daemon(pool: PersonalPool) -> None:
    for daemon, name in (("master", "MasterLog"), ("schedd", "SchedLog"), ("startd", "StartLog")):
        log, before = pool.written(name), pool.pid(daemon)
        for number in (signal.SIGUSR1, signal.SIGUSR2):
            pool.kill(daemon, number)
            wait_for(lambda: f"unregistered Signal {number} !" in log(), "it says so")  # noqa: B023
        assert pool.pid(daemon) == before


def test_reconfig_of_a_daemon_that_only_some_pools_have(pool: PersonalPool) -> None:
    pool.configure("DAEMON_LIST = MASTER SCHEDD NEGOTIATOR STARTD DEFRAG\n")
    wait_for(lambda: pool.serves("defrag"), "it serves")
    done = pool.tool("condor_reconfig", "-daemon", "defrag")
    assert done.stdout == 'Sent "Reconfig" command to local defrag\n'
    assert "Reconfigured" in (pool.log / "DefragLog").read_text()


def test_userprio_after_some_use(pool: PersonalPool) -> None:
    user = f"{getuser()}@example.net"
    pool.tool("condor_userprio", "-delete", user, check=False)  # and with it what earlier tests have used
    begun = time.monotonic()
    pool.submit("executable = /bin/sleep\narguments = 1\nlog = job.log\nqueue 2\n")
    pool.wait("job.log")
    wait_for(lambda: user in pool.tool("condor_userprio").stdout, "the user is accounted for")
    pool.tool("condor_userprio", "-setfactor", user, "50")
    shown = pool.tool("condor_userprio", "-af", "Name", "PriorityFactor").stdout
    assert f"{user} 50" in shown

    def usage() -> float:
        shown = pool.tool("condor_userprio", "-af", "Name", "WeightedAccumulatedUsage").stdout.splitlines()
        return next(float(used) for name, used in map(str.split, shown) if name == user)

    wait_for(lambda: usage() >= 1.0, "the use is charged")
    used = usage()
    seconds = time.monotonic() - begun + 1  # use is counted in whole seconds of the clock
    assert used <= 2 * seconds, "two cores at most"
    pool.tool("condor_userprio", "-delete", user)


def test_a_startd_of_another_pool_is_found_by_its_process(pool: PersonalPool, tmp_path: Path) -> None:
    other = PersonalPool(tmp_path / "other")
    found = other.tool("condor_who", "-allpids", "-startd", "-af", "StartdIpAddr", "MyType").stdout
    ours = pool.tool("condor_who", "-startd", "-af", "StartdIpAddr", "MyType").stdout
    assert ours.splitlines()[0] in found.splitlines()
