"""What the daemons write of their own lives: STARTD_HISTORY, SCHEDD_DAEMON_HISTORY, logs named after jobs."""

from __future__ import annotations

import re
import socket

from pool import PersonalPool, wait_for


def lines(pool: PersonalPool, *words: str) -> list[str]:
    return pool.tool("condor_history", *words).stdout.splitlines()


def test_runs_and_the_schedds_ads_are_recorded(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("STARTER_LOG_NAME_APPEND", "JobId")
    pool.knob("STARTD_PER_JOB_HISTORY_DIR", str(pool.work))
    pool.knob("STARTD_EVENTLOG", "$(LOG)/EpEvents")
    pool.start()
    cluster = pool.submit(
        "executable = /bin/sh\narguments = \"-c 'exit $(Process)'\"\nenvironment = A=1\nlog = job.log\nqueue 2\n"
    )
    pool.wait("job.log")
    told = ("-af:j", "ExitCode", "JobStatus", "RemoteHost", "BadputCausedByDraining")
    here = socket.gethostname()
    wait_for(lambda: len(lines(pool, "-startd", *told)) == 2, "both runs are in the startd's history")
    runs = sorted(lines(pool, "-startd", "-name", here, *told))
    assert [run.split()[:3] for run in runs] == [[f"{cluster}.0", "0", "4"], [f"{cluster}.1", "1", "4"]]
    assert all(run.split()[3].startswith("slot1_") and run.endswith("false") for run in runs)
    wait_for(lambda: len(list(pool.work.glob("history.*#*"))) == 2, "one file a run, named after the global id")
    assert (pool.log / f"StarterLog.{cluster}.0").read_text().count("Create_Process succeeded") == 1
    assert lines(pool, "-daemon", "-af", "MyType", "RecordWriteDate > 0") == ["Scheduler true"]
    assert len(lines(pool, "-daemon")[1].split()) == 12, "date, time, and a figure in each of ten columns"
    pool.tool("condor_reconfig")
    wait_for(lambda: "EP_RECONFIG" in (pool.log / "EpEvents").read_text(), "the event log tells of the reconfiguration")
    told = (pool.log / "EpEvents").read_text()
    assert re.match(r"100 \(000\.000\.000\) [-0-9]+ [:0-9]+\.\d{3} EP_STARTUP\n  NumSlots = 1\n\.\.\.\n101 ", told)
    assert re.search(
        rf'106 \(001\.001\.000\) .* EP_ACTIVATE_CLAIM\n  JobId = "{cluster}.0"\n  RemoteUser = .*\n  StarterPid', told
    )
    pool.stop()
    assert re.search(r"\d EP_SHUTDOWN\n  ExitCode = 0\n\.\.\.\n$", (pool.log / "EpEvents").read_text())
    last = (pool.spool / "schedd_daemon_history").read_text().splitlines()[-1]
    assert last.startswith("*** SCHEDD CurrentTime=")
