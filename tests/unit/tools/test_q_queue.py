"""condor_q on a queue file, with no daemon running."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest
from tool_runner import Spool


def _title(text: str) -> str:
    """The title line without address and time."""
    return re.sub(r" : <.*", "", text.splitlines()[2])


def test_an_empty_queue(spool: Spool) -> None:
    done = spool.run("condor_q")
    assert done.code == 0
    assert re.fullmatch(r"-- Schedd: \S+ : <\S+\.\.\. @ \d\d/\d\d/\d\d \d\d:\d\d:\d\d", done.out.splitlines()[2])
    assert done.out.splitlines()[3] == "OWNER BATCH_NAME      SUBMITTED   DONE   RUN    IDLE   HOLD  TOTAL JOB_IDS"
    assert done.out.endswith(
        "Total for all users: 0 jobs; 0 completed, 0 removed, 0 idle, 0 running, 0 held, 0 suspended\n\n"
    )


def test_only_my_jobs_unless_asked(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    from condor_py.client.pool import Pool

    monkeypatch.setattr(Pool, "is_superuser", property(lambda pool: False))
    spool.add(25, procs=2)
    spool.add(26, owner="bob")
    mine = spool.run("condor_q", "-nobatch").out.splitlines()
    assert [line.split()[0] for line in mine[4:6]] == ["25.0", "25.1"]
    assert mine[7:10] == [
        "Total for query: 2 jobs; 0 completed, 0 removed, 2 idle, 0 running, 0 held, 0 suspended ",
        f"Total for {spool.me}@example.net: 2 jobs; 0 completed, 0 removed, 2 idle, 0 running, 0 held, 0 suspended ",
        "Total for all users: 3 jobs; 0 completed, 0 removed, 3 idle, 0 running, 0 held, 0 suspended",
    ]
    everyone = spool.run("condor_q", "-all", "-nobatch").out
    assert "  26.0   bob " in everyone
    assert "Total for " + spool.me not in everyone
    assert "  26.0   bob " in spool.run("condor_q", "bob", "-nobatch").out
    assert spool.run("condor_q", "-af", "ClusterId", "ProcId").out == "25 0\n25 1\n"
    assert spool.run("condor_q", "26.0", "-af", "ClusterId").out == "26\n"


def test_limit_shows_the_newest(spool: Spool) -> None:
    spool.add(25, procs=3)
    spool.add(26)
    assert spool.run("condor_q", "-limit", "2", "-af", "ClusterId", "ProcId").out == "25 2\n26 0\n"


def test_the_time_of_the_query_is_in_the_ads(spool: Spool) -> None:
    before = int(time.time())
    spool.add(25, JobStatus="2", ShadowBday=str(before - 100))
    assert int(spool.run("condor_q", "-af", "ServerTime").out) >= before
    shown = re.search(r" 0\+(\d\d):(\d\d):(\d\d) R ", spool.run("condor_q", "-nobatch").out)
    assert shown is not None
    hours, minutes, seconds = map(int, shown.groups())
    assert 100 <= 3600 * hours + 60 * minutes + seconds <= time.time() - before + 100


def test_procs_show_what_their_cluster_says(spool: Spool) -> None:
    spool.add(25, JobPrio="7")
    assert spool.run("condor_q", "-af", "JobPrio").out == "7\n"
    assert "JobPrio = 7\n" in spool.run("condor_q", "-long").out


def test_a_constraint_that_does_not_parse(spool: Spool) -> None:
    done = spool.run("condor_q", "-c", "((")
    assert done.code == 1
    assert re.fullmatch(r"\n-- Failed to fetch ads from: <\S+ : \S+\n\n", done.err)


def test_a_submitter(spool: Spool) -> None:
    spool.add(25, owner="bob")
    assert _title(spool.run("condor_q", "-submitter", "bob").out) == "-- Submitter: bob@example.net"
    assert spool.run("condor_q", "-submitter", "nosuch") == (
        "",
        "Error: Collector has no record of schedd/submitter\n",
        1,
    )


def test_several_submitters(mixed: Spool) -> None:
    for names in (("physics.bob", mixed.me), (mixed.me, "physics.bob"), (mixed.me, "physics.bob", "nosuch")):
        words = [word for name in names for word in ("-submitter", name)]
        assert mixed.run("condor_q", *words, "-af", "ClusterId").out.split() == ["1", "1", "1", "2", "2", "3", "4"]
        shown = ", ".join(f"{name}@example.net" for name in names if name != "nosuch")
        assert _title(mixed.run("condor_q", *words, "-nobatch").out) == f"-- Submitter: {shown}"


def test_a_wrong_name(spool: Spool) -> None:
    done = spool.run("condor_q", "-name", "nosuch")
    assert (done.code, done.err.splitlines()[0]) == (1, "Error: unknown host nosuch")


def test_another_pool_is_refused(spool: Spool) -> None:
    done = spool.run("condor_q", "-pool", "elsewhere.example.org")
    assert (done.code, done.err.splitlines()[0][:44]) == (1, "Error: unknown host elsewhere.example.org: t")
    assert spool.run("condor_q", "-pool", "localhost", "-totals").code == 0


def test_claim_ids_are_nobodys_business(spool: Spool) -> None:
    spool.add(25)
    spool.set("25.0", "ClaimId", '"secret"')
    assert "secret" not in spool.run("condor_q", "-long").out
    assert spool.run("condor_q", "-af", "ClaimId").out == "undefined\n"


def test_autoclusters_count_jobs_that_need_the_same(spool: Spool) -> None:
    spool.add(25, procs=2, RequestCpus="1", RequestMemory="128", Requirements="true")
    spool.add(26, procs=1, RequestCpus="2", RequestMemory="128", Requirements="true")
    rows = [line.split() for line in spool.run("condor_q", "-auto").out.splitlines()[4:]]
    assert [(row[1], row[3], row[4]) for row in rows] == [("2", "1", "128"), ("1", "2", "128")]


def test_factories_are_clusters_with_counts(spool: Spool) -> None:
    spool.add(85, procs=2, JobMaterializeLimit="2", JobMaterializeNextProcId="2", JobMaterializePaused="0",
              JobMaterializeDigestFile='"/spool/85.digest"')  # fmt: skip
    spool.add(86)
    lines = spool.run("condor_q", "-factory").out.splitlines()
    assert lines[4].split() == [
        "85.", spool.me, "11/20", "22:09", "2", "2", "0", "2", "0", "2", "Norm", "/spool/85.digest",
    ]  # fmt: skip
    assert len(lines) == 5


def test_a_dry_run_says_what_it_would_ask(spool: Spool) -> None:
    spool.add(25)
    done = spool.run("condor_q", "-dry", "25", "-con", "JobPrio > 1")
    assert done.err == "\ncondor_q batch\njobs: 25\nconstraint: JobPrio > 1\nonly my jobs: no\n"
    assert "ID: 25" not in done.out
    done = spool.run("condor_q", "-dry:jobs.ads", "25")  # HTCondor reads the file, as -jobads does
    assert (done.err.splitlines()[0], done.code) == ("Error: unrecognized argument -dry:jobs.ads", 1)


def test_configuration_decides_the_defaults(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(25)
    monkeypatch.setenv("_CONDOR_CONDOR_Q_DASH_BATCH_IS_DEFAULT", "false")
    assert " ID      OWNER            SUBMITTED     RUN_TIME ST PRI SIZE CMD" in spool.run("condor_q").out


# ---- what is asked about jobs in sum -----------------------------------------------------------------------------


@pytest.fixture
def mixed(spool: Spool) -> Spool:
    """Three idle jobs of one kind, two held ones of another, one of somebody else in a group."""
    spool.add(1, 3, JobStatus="1", RequestMemory="Size * 2", Size="64", Args='"a"')
    spool.add(2, 2, JobStatus="5", RequestMemory="512", HoldReasonCode="13", HoldReasonSubCode="2", Args='"b"')
    spool.add(3, 1, owner="bob", JobStatus="2", AccountingGroup='"physics.bob"', JobUniverse="7")
    spool.add(4, 1, JobStatus="5", HoldReasonCode="26", JobMaterializeDigestFile='"x"')
    return spool


def test_group_by_tells_how_many_jobs_agree_and_which(mixed: Spool) -> None:
    done = mixed.run("condor_q", "-group-by", "-af", "Args", "JobCount", "JobIds")
    assert done.out.splitlines() == ["a 3 1.0 ... 1.2", "b 2 2.0 2.1", "undefined 2 3.0 4.0"]
    done = mixed.run("condor_q", "-group-by", "-attributes", "JobStatus", "-constraint", "JobCount > 2", "-long")
    assert (
        done.out == 'Id = 1\nJobCount = 3\nJobIds = "1.0 ... 1.2"\nJobStatus = 1\n\nId = 2\nJobCount = 3\n'
        'JobIds = "2.0 ... 4.0"\nJobStatus = 5\n\n'
    )


def test_autocluster_ads_tell_what_slots_look_at(mixed: Spool) -> None:
    done = mixed.run("condor_q", "-autocluster", "-long", "-constraint", "ClusterId == 1")
    assert (
        done.out == 'AutoClusterId = 1\nJobCount = 3\nJobIds = "1.0 ... 1.2"\nRequestMemory = Size * 2\nSize = 64\n\n'
    )


def test_totals_as_an_ad(mixed: Spool) -> None:
    done = mixed.run("condor_q", "-totals", "-allusers", "-af", "Jobs", "Held", "AllusersJobs", "SchedulerRunning")
    assert done.out == "6 3 6 1\n\n"
    done = mixed.run("condor_q", "-totals", "-af", "MyJobs", "bob")
    assert done.out.split() == ["undefined" if os.geteuid() == 0 else "6", "undefined"]


def test_cluster_ads_of_factories(mixed: Spool) -> None:
    assert mixed.run("condor_q", "-factory", "-af", "ClusterId", "ProcId", "JobsHeld").out == "4 undefined 1\n"
    assert mixed.run("condor_q", "-allusers", "-factory:clusters", "-af", "ClusterId").out == "1\n2\n3\n4\n"
    assert mixed.run("condor_q", "-factory:x") == ("", "Error: unknown option x for -factory\n", 1)
    assert " Norm x" in mixed.run("condor_q", "-factory").out


def test_submitters_are_names_of_shares(mixed: Spool) -> None:
    assert mixed.run("condor_q", "-submitter", "physics.bob", "-af", "ClusterId").out == "3\n"
    assert mixed.run("condor_q", "-submitter", "bob").err == "Error: Collector has no record of schedd/submitter\n"
    assert mixed.run("condor_q", "-submitter", f"{mixed.me}@example.net", "-af:j", "JobStatus").out.count("\n") == 6


def test_hold_codes_may_be_several(mixed: Spool) -> None:
    assert mixed.run("condor_q", "-hold:13/2,26", "-af", "ClusterId").out.split() == ["2", "2", "4"]
    done = mixed.run("condor_q", "-hold:26,x", "-af", "ClusterId")
    assert tuple(done) == ("4\n", 'Warning "x" is not a hold code and/or subcode. ignoring\n', 0)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("-batch -autocluster", "Error: -batch conflicts with -autocluster"),
        ("-unmatchable -batch", "Error: -batch conflicts with -unmatchable"),
        ("-stream-results -dag", "-stream-results and -dag are incompatible"),
        ("-submitter x -name y", "Cannot query both schedd's and submitters"),
        ("-direct quill", "Error: -direct may only take 'schedd' as an option."),
    ],
)
def test_what_cannot_be_asked_together(mixed: Spool, words: str, text: str) -> None:
    done = mixed.run("condor_q", *words.split())
    assert (done.code, done.err.splitlines()[0]) == (1, text)


def test_ids_with_a_dot_and_names_in_any_case(mixed: Spool) -> None:
    assert mixed.run("condor_q", "1.", "+2", "-af", "ClusterId").out.split() == ["1", "1", "1", "2", "2"]
    assert mixed.run("condor_q", "BOB", "-af", "ClusterId").out == "3\n"


def test_formats(mixed: Spool) -> None:
    assert mixed.run("condor_q", "1.0", "-format", "%% %d%%\\n", "ClusterId").out == "% 1%\n"
    assert (
        mixed.run("condor_q", "1.0", "-long", "-af", "JobStatus").out == "ClusterId = 1\nJobStatus = 1\nProcId = 0\n\n"
    )
    assert mixed.run("condor_q", "99", "-af:h", "Owner").out == "Owner\n"
    assert "INSTANCE ID CMD" in mixed.run("condor_q", "-grid:ec2").out


# ---- analysis ---------------------------------------------------------------------------------------------------

_SLOTS = """Name = "slot1@m"
Machine = "m"
State = "Claimed"
Arch = "X86_64"
Memory = 100
RemoteUser = "bob@example.net"
Requirements = true

Name = "slot2@m"
Machine = "m"
State = "Unclaimed"
Arch = "X86_64"
Memory = 50
Requirements = true
"""


def _analyse(spool: Spool, tmp_path: Path, *words: str) -> str:
    (tmp_path / "slots.ads").write_text(_SLOTS)
    return spool.run("condor_q", *words, "-slotads", str(tmp_path / "slots.ads")).out


def test_steps_that_decide_nothing_are_left_out_unless_asked(spool: Spool, tmp_path: Path) -> None:
    spool.add(1, Requirements='true && TARGET.Memory > 1000 && TARGET.Arch == "X86_64"')
    table = _analyse(spool, tmp_path, "1", "-better-analyze").partition("----- --------- ---------\n")[2]
    assert table.splitlines()[0] == "[1]           0  TARGET.Memory > 1000"
    assert table.splitlines()[1] == ""
    table = _analyse(spool, tmp_path, "1", "-better-analyze:noprune").partition("----- --------- ---------\n")[2]
    assert table.splitlines()[:4] == [
        "   [0]      always  true",
        " * [1]           0  TARGET.Memory > 1000",
        "   [2]           0  [0]T && [1]",
        '   [3]           2  TARGET.Arch == "X86_64"',
    ]


def test_analysis_with_user_priorities(spool: Spool, tmp_path: Path) -> None:
    spool.add(1, Requirements="TARGET.Memory > 60")
    (tmp_path / "prios").write_text(
        f'Name1 = "{spool.me}@example.net"\nPriority1 = 20.0\nName2 = "bob@example.net"\nPriority2 = 10.0\n'
    )
    told = _analyse(spool, tmp_path, "1", "-better-analyze", "-userprios", str(tmp_path / "prios"))
    assert f"Submittor {spool.me}@example.net has a priority of 20.000\n" in told
    assert "Run analysis summary considering user priority.  Of 2 slots on 1 machines," in told
    assert "      1 slots match but are serving users with a better priority in the pool\n" in told
    assert "      0 slots match but are currently offline\n\n" in told


def test_the_source_of_a_found_request_is_shown(spool: Spool, tmp_path: Path) -> None:
    source = '"history: 99 % of 3 jobs, 1.2 headroom"'
    found = {"RequestMemory": "AutoRequestMemory", "AutoRequestMemory": "384", "MemoryRequestSource": source}
    spool.add(1, Requirements="TARGET.Memory >= RequestMemory", **found)
    told = _analyse(spool, tmp_path, "1", "-better-analyze")
    assert f"    RequestMemory = AutoRequestMemory (mb)\n    MemoryRequestSource = {source}\n" in told
    assert "    AutoRequestMemory = 384" in told


def test_jobs_that_no_slot_takes(spool: Spool, tmp_path: Path) -> None:
    spool.add(1, 2, Requirements="TARGET.Memory > 1000")
    spool.add(2, Requirements="true")
    assert _analyse(spool, tmp_path, "-better-analyze", "-unmatchable").splitlines()[3:] == [
        "No slots match autocluster 1, jobs : 1.0 1.1"
    ]


def test_the_refusal_of_an_autocluster_is_told_as_that(spool: Spool, tmp_path: Path) -> None:
    """A job that was not refused itself hears what its like heard, and no job hears of others."""
    refused = {"LastRejMatchTime": "1763700000", "LastRejMatchReason": '"no match found"'}
    spool.add(1, 1, Requirements="TARGET.Memory > 1000", **refused)
    spool.add(2, 1, Requirements="TARGET.Memory > 1000")
    spool.add(3, 1, Requirements="TARGET.Memory > 2000")
    ends = _analyse(spool, tmp_path, "-analyze").split("constraints\n\n")
    assert "Last failed match: " in ends[1]
    assert "\nReason for last match failure: no match found\n" in ends[1]
    assert "Last failed match for this autocluster: " in ends[2]
    assert "\n\tReason: no match found\n" in ends[2]
    assert "failed" not in ends[3]


def test_slots_behind_a_line_that_is_no_attribute_are_not_read(spool: Spool, tmp_path: Path) -> None:
    spool.add(1, 1, Requirements="true")
    (tmp_path / "bad.ads").write_text(_SLOTS + '\nName = "slot3@m"\nwhat is this\n\n' + _SLOTS)
    done = spool.run("condor_q", "-analyze", "-slotads", str(tmp_path / "bad.ads"))
    assert "Of 2 slots on 1 machines," in done.out
    assert done.err.endswith("bad.ads: slots from this line on are not read: what is this\n")


def test_the_schedd_judges_local_jobs(spool: Spool, tmp_path: Path) -> None:
    spool.add(1, 1, JobUniverse="12", Requirements="true")
    told = _analyse(spool, tmp_path, "-better-analyze")
    assert "\nWARNING: Analysis is not complete for Scheduler or Local universe jobs.\n" in told
    assert "This schedd's StartLocalUniverse evalutes to true for this job.\n" in told
    assert _analyse(spool, tmp_path, "-better-analyze", "-unmatchable").splitlines()[3:] == []


def test_only_nodes_with_a_name_are_marked_as_nodes(spool: Spool) -> None:
    spool.add(1, JobUniverse="7")
    spool.add(2, DAGManJobId="1", DAGNodeName='"a"')
    spool.add(3, DAGManJobId="0")
    rows = [line.split() for line in spool.run("condor_q", "-dag", "-nobatch").out.splitlines()[4:7]]
    assert [row[1] for row in rows] == [spool.me, "|-a", spool.me]


def test_jobs_show_their_autocluster_when_it_is_asked_for(spool: Spool) -> None:
    """No file has it: jobs that no slot can tell apart have one number, whatever part of the queue is shown."""
    spool.add(25, procs=2)
    spool.add(26, RequestMemory="77")
    spool.add(27)
    assert spool.run("condor_q", "-af", "ClusterId", "AutoClusterId").out == "25 1\n25 1\n26 2\n27 1\n"
    assert spool.run("condor_q", "26", "-af", "AutoClusterId").out == "2\n"
    assert spool.run("condor_q", "-constraint", "AutoClusterId == 2", "-af", "ClusterId").out == "26\n"
    assert "RequestMemory" in spool.run("condor_q", "27", "-af", "AutoClusterAttrs").out.split(",")


def test_a_user_whose_name_has_more_than_letters(spool: Spool) -> None:
    for number, owner in enumerate(("user@dom.example", "DOM\\user", "machine$", "0digit"), 1):
        spool.add(number, owner=owner)
        assert spool.run("condor_q", owner, "-af", "ClusterId").out == f"{number}\n"
        assert spool.run("condor_prio", "-p", "7", owner).code == 0
        assert spool.run("condor_q", owner, "-af", "JobPrio").out == "7\n"


@pytest.mark.parametrize("form", ["json", "new"])
def test_ads_are_read_in_the_form_that_is_named(spool: Spool, tmp_path: Path, form: str) -> None:
    (tmp_path / "ads").write_text("ClusterId = 7\nProcId = 0\n")
    assert spool.run("condor_q", "-jobads", "ads", "-af", "ClusterId").out == "7\n"
    for option in ("jobads", "slotads"):
        done = spool.run("condor_q", f"-{option}:{form}", "ads", "-better-analyze:summary")
        assert (done.err.partition(":")[0], done.code) == ("ads", 1)
