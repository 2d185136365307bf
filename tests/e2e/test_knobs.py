"""Knobs of daemons in general: names, files and limits."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path

from pool import PersonalPool, wait_for

FINISHED = "Finished Negotiation Cycle"


def test_names_addresses_and_limits(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    farewell = pool.directory / "farewell"
    farewell.write_text(f"#!/bin/sh\necho gone >{pool.work}/gone\n")
    farewell.chmod(0o755)
    knobs = {
        "DISABLE_SETUID": "true", "CGROUP_ALL_DAEMONS": "true", "DEFAULT_MASTER_SHUTDOWN_SCRIPT": str(farewell),
        "MASTER_NAME": "boss", "SCHEDD_ADDRESS_FILE": f"{pool.directory}/schedd.here",
        "SCHEDD_MAX_FILE_DESCRIPTORS": "777",
        "CREATE_CORE_FILES": "false", "ACCOUNTING_DOMAIN": "accounts.example", "SCHED_UNIV_RENICE_INCREMENT": "7",
        "KEEP_POOL_HISTORY": "true", "POOL_HISTORY_SAMPLING_INTERVAL": "1",
        "SHADOW_RENICE_INCREMENT": "4", "STRICT_CLASSAD_EVALUATION": "true",
        "NETWORK_HOSTNAME": "lab.example.org", "MASTER_ATTRS": "Building", "SCHEDD_ATTRS": "Building, Answer",
        "Building": '"B12"', "SCHEDD_Answer": "6 * 7",
    }  # fmt: skip
    for name, value in knobs.items():
        pool.knob(name, value)
    pool.start()
    assert pool.tool("condor_status", "-master", "-af", "Name").stdout == "boss@lab.example.org\n"
    started = ["DaemonStartTime", "MASTER_StartTime", "SCHEDD_StartTime", "RealUid"]
    master = pool.tool("condor_status", "-master", "-af", *started, "MasterIpAddr").stdout.split()
    assert master[0] == master[1] <= master[2]
    assert master[3] == str(os.getuid())
    assert master[4].startswith("<")
    slot = pool.tool("condor_status", "-af", "Name", "Machine").stdout.split()
    assert slot == ["slot1@lab.example.org", "lab.example.org"]
    assert "&alias=lab.example.org&" in pool.tool("condor_status", "-schedd", "-af", "MyAddress").stdout
    assert pool.tool("condor_status", "-master", "-af", "Building", "Answer").stdout == "B12 undefined\n"
    assert pool.tool("condor_status", "-schedd", "-af", "Building", "Answer").stdout == "B12 42\n"
    assert (pool.directory / "schedd.here").read_text().startswith("<")
    ad = pool.spool / ".schedd_classad"
    wait_for(lambda: 'Name = "lab.example.org"\n' in ad.read_text(), "the ad is in a file, too")
    schedd = pool.pid("schedd")
    assert resource.prlimit(schedd, resource.RLIMIT_NOFILE)[0] == 777
    assert resource.prlimit(schedd, resource.RLIMIT_CORE)[0] == 0
    pool.submit("universe = scheduler\nexecutable = /bin/sh\narguments = \"-c 'nice > nice.out'\"\nqueue\n")
    nice = pool.work / "nice.out"
    wait_for(lambda: nice.read_text() == f"{max(7, os.nice(0))}\n", lambda: f"it is nice: {nice.read_text()}")
    pool.submit("universe = local\nexecutable = /bin/sh\narguments = \"-c 'nice > local.out'\"\nqueue\n")
    nice = pool.work / "local.out"
    wait_for(lambda: nice.exists() and nice.read_text() == f"{min(19, os.nice(0) + 4)}\n", "its starter is nice")
    sleeps = "executable = /bin/sleep\narguments = 100\naccounting_group_user = ada\n"
    pool.submit(f"{sleeps}requirements = Memory > 0\nqueue\n")  # of the job: it has none
    pool.submit(f"{sleeps}requirements = TARGET.Memory > 0\nqueue\n")
    wait_for(lambda: pool.queue("JobStatus") == [["1"], ["2"]], lambda: f"one runs: {pool.queue('JobStatus')}")
    used = ["condor_status", "-claimed", "-af", "RemoteOwner"]
    wait_for(lambda: pool.tool(*used).stdout == "ada@accounts.example\n", "it is charged in the domain of the accounts")
    listed = ["condor_stats", "-usergrouplist"]
    wait_for(lambda: "ada@accounts.example" in pool.tool(*listed).stdout, "the history of the pool knows it")
    assert "NoNewPrivs:\t1\n" in Path(f"/proc/{schedd}/status").read_text(), "setuid programs give no rights"
    grouped = "SCHEDD_for_" in Path(f"/proc/{schedd}/cgroup").read_text()
    assert grouped or "no control group for the SCHEDD" in (pool.log / "MasterLog").read_text()
    pool.tool("condor_off", "-fast", "-master")
    wait_for(lambda: (pool.work / "gone").exists(), "the master becomes its last program")


def test_a_daemon_that_is_not_needed_goes_for_good_and_one_that_dies_is_mourned(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    mailer, mails = pool.directory / "mailer", pool.directory / "mails"
    mailer.write_text(f"#!/bin/sh\ncat >> {mails}\n")
    mailer.chmod(0o755)
    for name, value in {
        "SENDMAIL": str(mailer), "NEGOTIATOR_ADMIN_EMAIL": "ops@example.org", "EMAIL_SIGNATURE": "-- the lab",
        "STARTD.DAEMON_SHUTDOWN": 'State == "Unclaimed" && Activity == "Idle"',
    }.items():  # fmt: skip
        pool.knob(name, value)
    pool.tool("condor_master")
    log = pool.log / "MasterLog"
    wait_for(lambda: "The STARTD does not want to be started again" in log.read_text(), "the idle startd has gone")
    wait_for(lambda: (pool.spool / "ads" / "NEGOTIATOR.ads").exists(), "the negotiator serves")
    pool.kill("negotiator", signal.SIGSEGV)
    wait_for(lambda: mails.exists() and "-- the lab" in mails.read_text(), "there is a mail")
    text = mails.read_text()
    assert "To: ops@example.org\n" in text
    assert ": condor_negotiator died (11)\n" in text
    assert "condor_startd" not in text


def test_a_queue_takes_so_many_jobs_and_no_more(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("MAX_JOBS_SUBMITTED", "3")
    pool.submit("executable = /bin/true\nqueue 2\n")
    (pool.work / "more.sub").write_text("executable = /bin/true\nqueue 2\n")
    done = pool.tool("condor_submit", "more.sub", check=False)
    assert done.returncode == 1
    assert "Number of submitted jobs would exceed MAX_JOBS_SUBMITTED" in done.stderr
    pool.knob("CONDOR_Q_SHOW_OLD_SUMMARY", "true")
    shown = pool.tool("condor_q").stdout
    assert shown.endswith("\n\n2 jobs; 0 completed, 0 removed, 2 idle, 0 running, 0 held, 0 suspended\n\n")


def test_numbers_of_a_new_queue_and_names_without_a_time(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("SCHEDD_CLUSTER_INITIAL_VALUE", "500")
    pool.knob("GLOBAL_JOB_ID_WITH_TIME", "false")
    pool.knob("SCHEDD_NAME", "s@lab")
    assert [pool.submit("executable = /bin/true\nqueue 2\n") for _ in range(2)] == [500, 501]
    assert pool.queue("GlobalJobId") == [[f"s@lab#{job}"] for job in ("500.0", "500.1", "501.0", "501.1")]
    pool.knob("SCHEDD_CLUSTER_INITIAL_VALUE", "9")
    assert pool.submit("executable = /bin/true\nqueue\n") == 502, "the queue counts on"


def test_a_cycle_that_reads_the_configuration_is_not_followed_by_another(pool: PersonalPool) -> None:
    """Each one asked for the next: 25 a second, for ever."""
    reads = "NEGOTIATOR_READ_CONFIG_BEFORE_CYCLE = true\n"
    pool.configure(f"{reads}NEGOTIATOR_SLOT_CONSTRAINT = false\n")
    before = pool.logged("NegotiatorLog").count(FINISHED)
    pool.submit("executable = /bin/true\nlog = run.log\nqueue\n")

    def cycles() -> int:
        return pool.logged("NegotiatorLog").count(FINISHED) - before

    wait_for(cycles, "there is a cycle")
    assert pool.queue("JobStatus") == [["1"]]
    Path(pool.environment["CONDOR_CONFIG"]).write_text(f"{reads}NEGOTIATOR_SLOT_CONSTRAINT = true\n")
    pool.tool("condor_reschedule")
    pool.wait("run.log")
    assert cycles() < 10
