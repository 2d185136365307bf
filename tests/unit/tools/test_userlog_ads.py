"""Ads of jobs from an event log (condor_q and condor_history -userlog): what each event changes."""

from __future__ import annotations

import getpass
import json
import os
from pathlib import Path

import pytest

from condor_py.cli.userlog import jobs_of_log
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError

SUBMIT = "000 (012.003.000) 2026-11-20 10:00:00 Job submitted from host: <127.0.0.1:9618?x>\n...\n"
EXECUTE = "001 (012.003.000) 2026-11-20 10:01:00 Job executing on host: <127.0.0.1:9620?y>\n...\n"
USAGE = (
    "\t\tUsr 0 00:01:10, Sys 0 00:00:05  -  Run Remote Usage\n\t\tUsr 0 00:00:01, Sys 0 00:00:02  -  Run Local Usage\n"
)
TOTAL = (
    "\t\tUsr 1 02:03:04, Sys 0 00:00:10  -  Total Remote Usage\n"
    "\t\tUsr 0 00:00:03, Sys 0 00:00:04  -  Total Local Usage\n"
)
BYTES = "".join(f"\t{number}  -  {what} Bytes {way} By Job\n" for number, (what, way) in enumerate(
    (("Run", "Sent"), ("Run", "Received"), ("Total", "Sent"), ("Total", "Received"))))  # fmt: skip
EVENTS = {
    "end": f"005 (012.003.000) 2026-11-20 10:05:30 Job terminated.\n\t(1) Normal termination (return value 3)\n"
           f"{USAGE}{TOTAL}{BYTES}...\n",
    "signal": f"005 (012.003.000) 2026-11-20 10:05:30 Job terminated.\n\t(0) Abnormal termination (signal 9)\n"
              f"\t(0) No core file\n{USAGE}{TOTAL}{BYTES}...\n",
    "evicted": f"004 (012.003.000) 2026-11-20 10:02:00 Job was evicted.\n\t(0) CPU times\n{USAGE}"
               "\t0  -  Run Bytes Sent By Job\n\t0  -  Run Bytes Received By Job\n...\n",
    "exception": "007 (012.003.000) 2026-11-20 10:02:00 Shadow exception!\n\tno disk\n"
                 "\t0  -  Run Bytes Sent By Job\n\t0  -  Run Bytes Received By Job\n...\n",
    "aborted": "009 (012.003.000) 2026-11-20 10:06:00 Job was aborted.\n\tvia condor_rm\n...\n",
    "suspended": "010 (012.003.000) 2026-11-20 10:02:00 Job was suspended.\n"
                 "\tNumber of processes actually suspended: 2\n...\n",
    "unsuspended": "011 (012.003.000) 2026-11-20 10:03:00 Job was unsuspended.\n...\n",
    "held": "012 (012.003.000) 2026-11-20 10:04:00 Job was held.\n\tmemory\n\tCode 34 Subcode 102\n...\n",
    "held by user": "012 (012.003.000) 2026-11-20 10:04:00 Job was held.\n\tvia condor_hold\n\tCode 1 Subcode 0\n...\n",
    "released": "013 (012.003.000) 2026-11-20 10:05:00 Job was released.\n\tvia condor_release\n...\n",
    "disconnected": "022 (012.003.000) 2026-11-20 10:05:00 Job disconnected, attempting to reconnect\n"
                    "    Socket closed\n    Trying to reconnect to slot1@vm <127.0.0.1:1>\n...\n",
}  # fmt: skip
AT = 1795168800  # 2026-11-20 10:00:00 UTC


@pytest.fixture(autouse=True)
def _place(spool: object) -> None:
    """A directory of its own, and times in UTC."""


def after(*names: str) -> ClassAd:
    """The ad of a job after these events."""
    Path("log").write_text(SUBMIT + "".join(EXECUTE if name == "execute" else EVENTS[name] for name in names))
    (found,) = jobs_of_log("log")
    return found


def test_a_job_that_was_submitted() -> None:
    ad = dict(after().items())
    del ad["ServerTime"]
    assert ad == {
        "MyType": "Job", "TargetType": "Machine", "JobStatus": 1, "LastJobStatus": 0, "JobPrio": 0, "ImageSize": 0,
        "Cmd": "???", "LastSuspensionTime": 0, "CompletionDate": 0, "NumJobStarts": 0, "TotalSuspensions": 0,
        "NumSystemHolds": 0, "LocalUserCpu": 0.0, "RemoteUserCpu": 0.0, "LocalSysCpu": 0.0, "RemoteSysCpu": 0.0,
        "RemoteWallClockTime": 0.0, "ClusterId": 12, "ProcId": 3, "QDate": AT, "EnteredCurrentStatus": AT,
        "GlobalJobId": f"localhost#12.3#{AT}", "Owner": getpass.getuser() if os.geteuid() else "root",
        "UserLog": "log", "SubmitHost": "<127.0.0.1:9618?x>",
    }  # fmt: skip


CPU = {
    "LastRemoteUserCpu": 70.0, "LastRemoteSysCpu": 5.0, "LastLocalUserCpu": 1.0, "LastLocalSysCpu": 2.0,
    "RemoteUserCpu": 93784.0, "RemoteSysCpu": 10.0, "LocalUserCpu": 3.0, "LocalSysCpu": 4.0,
}  # fmt: skip
RAN = {"NumJobStarts": 1, "JobCurrentStartDate": AT + 60}
HOST = "<127.0.0.1:9620?y>"


@pytest.mark.parametrize(
    ("names", "status", "before", "since", "changes"),
    [
        ("execute", 2, 1, 60, RAN | {"RemoteHost": HOST, "StartdIpAddr": HOST}),
        ("execute end", 4, 2, 330, RAN | CPU | {
            "LastRemoteHost": HOST, "RemoteHost": None, "CompletionDate": AT + 330, "ExitBySignal": False,
            "ExitCode": 3, "ExitSignal": None, "LastRemoteWallClockTime": 270.0, "RemoteWallClockTime": 270.0}),
        ("execute signal", 4, 2, 330, {"ExitBySignal": True, "ExitSignal": 9, "ExitCode": None}),
        ("end", 4, 1, 330, {"RemoteWallClockTime": 0.0, "LastRemoteWallClockTime": None}),
        ("execute evicted", 1, 2, 120, RAN | {"LastVacateTime": AT + 120, "LastVacateReason": ""}),
        ("execute evicted execute", 2, 1, 60, {"NumJobStarts": 2}),
        ("execute exception", 1, 2, 120, {"LastVacateReason": "no disk", "LastVacateTime": None}),
        ("execute suspended", 7, 2, 120, {"LastSuspensionTime": AT + 120, "TotalSuspensions": 1}),
        ("execute suspended unsuspended", 2, 7, 180, {"TotalSuspensions": 1}),
        ("execute held", 5, 2, 240, {"HoldReason": "memory", "HoldReasonCode": 34, "HoldReasonSubCode": 102,
                                     "NumSystemHolds": 1, "LastVacateTime": AT + 240, "LastVacateReason": "memory"}),
        ("held by user", 5, 1, 240, {"HoldReason": "via condor_hold", "HoldReasonCode": 1, "NumSystemHolds": 0,
                                     "LastVacateTime": None, "LastVacateReason": None}),
        ("held released", 1, 5, 300, {"ReleaseReason": "via condor_release", "NumSystemHolds": 1}),
        ("aborted", 3, 1, 360, {"RemoveReason": "via condor_rm"}),
    ],
)  # fmt: skip
def test_what_an_event_changes(names: str, status: int, before: int, since: int, changes: dict[str, object]) -> None:
    words = [names] if names in EVENTS else names.split()
    ad = after(*words)
    assert (ad["JobStatus"], ad["LastJobStatus"], ad["EnteredCurrentStatus"]) == (status, before, AT + since)
    assert {name: ad.get(name) for name in changes} == changes


def test_jobs_of_a_log_in_order_and_events_of_others() -> None:
    other = SUBMIT.replace("012.003", "009.000")
    Path("log").write_text(other + SUBMIT + EVENTS["aborted"].replace("012.003", "777.000") + "damage\n")
    assert [(ad["ClusterId"], ad["ProcId"], ad["JobStatus"]) for ad in jobs_of_log("log")] == [(9, 0, 1), (12, 3, 1)]
    with pytest.raises(CondorError, match=r"^Can't open user log: none: No such file or directory$"):
        jobs_of_log("none")


def test_sizes_of_a_job_and_what_is_told_without_a_start() -> None:
    size = "006 (012.003.000) 2026-11-20 10:02:00 Image size of job updated: 77\n{}...\n"
    more = "\t3  -  MemoryUsage of job (MB)\n\t2222  -  ResidentSetSize of job (KB)\n"
    Path("log").write_text(SUBMIT + size.format(""))
    (ad,) = jobs_of_log("log")
    assert (ad["ImageSize"], ad["ResidentSetSize"], ad["ProportionalSetSize"]) == (77, 0, -1)
    Path("log").write_text(SUBMIT + size.format(more + "\t1111  -  ProportionalSetSize of job (KB)\n"))
    (ad,) = jobs_of_log("log")
    assert (ad["ImageSize"], ad["ResidentSetSize"], ad["ProportionalSetSize"]) == (77, 2222, 1111)
    assert ad["JobStatus"] == 1


def test_times_of_several_runs_add_up() -> None:
    ad = after("execute", "evicted", "execute", "end")
    assert (ad["NumJobStarts"], ad["LastRemoteWallClockTime"], ad["RemoteWallClockTime"]) == (2, 270.0, 270.0)
    again = after("execute", "end", "execute", "end")
    assert (again["LastRemoteWallClockTime"], again["RemoteWallClockTime"]) == (270.0, 540.0)


def test_times_of_very_many_digits_are_long() -> None:
    """In events of XML and JSON they are texts, which the log need not have from a schedd."""
    common = {"EventTime": "2026-11-20T10:00:00", "Cluster": 12, "Proc": 3, "Subproc": 0}
    usage = f"Usr {'9' * 5000} 00:00:00, Sys 0 00:00:05"
    end = {"MyType": "JobTerminatedEvent", "EventTypeNumber": 5, "TerminatedNormally": True, "TotalRemoteUsage": usage}
    submit = {"MyType": "SubmitEvent", "EventTypeNumber": 0}
    Path("log").write_text("".join(json.dumps(event | common, indent=1) + "\n" for event in (submit, end)))
    (ad,) = jobs_of_log("log")
    assert ad["RemoteUserCpu"] > 1e20
    assert ad["RemoteSysCpu"] == 5.0


def test_a_job_that_cannot_be_brought_back_to_its_machine_is_idle() -> None:
    EVENTS["lost"] = (
        "024 (012.003.000) 2026-11-20 10:06:00 Job reconnection failed\n    gone\n"
        "    Can not reconnect to slot1@vm, rescheduling job\n...\n"
    )
    ad = after("execute", "lost")
    assert (ad["JobStatus"], ad["LastJobStatus"], ad["LastVacateTime"], ad["LastVacateReason"]) == (
        1, 2, AT + 360, "gone",
    )  # fmt: skip


def test_counts_grow_with_each_event() -> None:
    ad = after("execute", "suspended", "unsuspended", "suspended", "held", "released", "held")
    assert (ad["TotalSuspensions"], ad["NumSystemHolds"], ad["NumJobStarts"]) == (2, 2, 1)
    assert (ad["LastSuspensionTime"], ad["LastVacateTime"]) == (AT + 120, AT + 240)


def test_the_owner_of_a_log_without_a_name_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pwd.getpwuid", lambda user: {}[user])
    assert after()["Owner"] == str(os.geteuid())
