"""What a command line of condor_q asks for, and the tables that it shows."""

from __future__ import annotations

from typing import Any

import pytest

from condor_py.cli.options import UsageError, parse
from condor_py.cli.output.mask import Mask
from condor_py.cli.q.columns import DISPLAYS, Clock, grouped
from condor_py.cli.q.request import Request, describe, understand
from condor_py.cli.q.source import aggregated, factory_constraints, job_key, saved_key, select, server_time
from condor_py.cli.q.spec import SPEC
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError


def request(words: str, **more: bool) -> Request:
    return understand(parse(SPEC, words.split()), **more)


def ad(text: str) -> ClassAd:
    return ClassAd(f"[ {text} ]")


# ---- displays -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "display"),
    [
        ("", "batch"), ("-nobatch", "jobs"), ("-batch -nobatch", "jobs"), ("-nobatch -batch", "batch"),
        ("-dag", "batch"),
        ("-dag -nobatch", "dag"), ("-run", "run"), ("-run -batch", "batch"), ("-idle", "idle"), ("-hold", "hold"),
        ("-hold -nobatch", "hold"), ("-hold -batch", "batch"), ("-hold-codes", "hold-codes"), ("-factory", "factory"),
        ("-unmatchable", "jobs"), ("-io", "io"), ("-grid", "grid"), ("-grid:ec2", "grid:ec2"), ("-grid -io", "io"),
        ("-io -totals", "totals"), ("-totals -io", "io"), ("-totals", "totals"), ("-af A", "custom"),
        ("-format %s A", "custom"), ("-af A -totals", "custom"), ("-totals -af A", "custom"), ("-long", "long"),
        ("-xml", "long"), ("-json", "long"), ("-toml", "long"), ("-long -io", "long"), ("-autocluster", "autocluster"),
        ("-group-by", "group-by"), ("-jobset", "jobset"), ("-better-analyze", "analyze"),
        ("-reverse-analyze", "analyze"), ("-forecast", "forecast"), ("-forecast -long", "long"),
        ("-forecast -better-analyze", "analyze"), ("-better-analyze -forecast", "forecast"),
        ("-long -analyze", "analyze"),
        ("-why", "why"), ("-why -json", "why"), ("-pr f", "print-format"), ("-pr !", "batch"), ("-pr f -io", "io"),
    ],
)  # fmt: skip
def test_the_last_option_that_chooses_a_table_counts(words: str, display: str) -> None:
    assert request(words).display == display


def test_the_site_may_not_fold_jobs() -> None:
    assert [request(words, batch_is_default=False).display for words in ("", "-batch", "-dag", "-hold")] == [
        "jobs", "batch", "dag", "hold",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("", "jobs"), ("-factory", "clusters"), ("-jobset", "jobsets"), ("-autocluster", "autocluster"),
        ("-group-by", "group-by"), ("-totals", "jobs"), ("-totals -long", "totals"), ("-totals -af A", "totals"),
        ("-factory -long", "clusters"), ("-autocluster -long", "autocluster"), ("-jobads f -totals -long", "jobs"),
        ("-userlog f -autocluster -long", "jobs"), ("-jobads f -factory -af A", "clusters"), ("-jobads f -autocluster",
                                                                                            "autocluster"),
    ],
)  # fmt: skip
def test_what_a_row_is(words: str, rows: str) -> None:
    assert request(words).rows == rows


@pytest.mark.parametrize(
    ("words", "ids", "users"),
    [
        ("7 8.2 +9", ((7, None), (8, 2), (9, None)), ()), ("7.", ((7, None),), ()), ("7.-1", ((7, None),), ()),
        ("7.0", ((7, 0),), ()), ("ann 7x", (), ("ann", "7x")), ("7.x", (), ("7.x",)), ("7.0.0", (), ("7.0.0",)),
    ],
)  # fmt: skip
def test_words_are_clusters_jobs_or_users(words: str, ids: tuple[object, ...], users: tuple[str, ...]) -> None:
    found = request(words)
    assert (found.ids, found.users) == (ids, users)


@pytest.mark.parametrize(
    ("words", "constraints"),
    [
        ("-run", ["JobStatus == 2 || JobStatus == 6 || JobStatus == 7"]), ("-hold", ["JobStatus == 5"]),
        ("-idle", ["JobStatus == 1"]), ("-grid", ["JobUniverse == 9"]), ("-hold-codes", ["JobStatus == 5"]),
        ("-constraint A -constraint B -idle", ["A", "B", "JobStatus == 1"]),
        ("-hold:13", ["(HoldReasonCode == 13)", "JobStatus == 5"]),
        ("-hold:13/2,26", ["(HoldReasonCode == 13 && HoldReasonSubCode == 2) || (HoldReasonCode == 26)",
                           "JobStatus == 5"]),
    ],
)  # fmt: skip
def test_constraints_of_options(words: str, constraints: list[str]) -> None:
    assert list(request(words).constraints) == constraints


@pytest.mark.parametrize(
    ("words", "mine", "partial"),
    [
        ("", True, False), ("7", False, False), ("7.0", False, True), ("ann", False, False), ("-all", False, False),
        ("-submitter x", False, False), ("-constraint A", True, True), ("-run", True, True), ("-hold", True, True),
        ("-idle", True, True), ("-hold-codes", True, True), ("-io", True, False), ("-grid", True, False),
    ],
)  # fmt: skip
def test_whose_jobs_and_whether_clusters_are_whole(words: str, mine: bool, partial: bool) -> None:
    found = request(words)
    assert (found.my_jobs, found.partial) == (mine, partial)


@pytest.mark.parametrize(
    ("words", "filler"),
    [
        ("", "_"), ("-batch", "_"), ("-batch:b", " "), ("-batch:blank", " "), ("-batch:z", ""), ("-batch:-", "-"),
        ("-batch:?,*", "*"), ("-batch:x", "_"), ("-batch:x,#", "#"), ("-batch:.", "."),
    ],
)  # fmt: skip
def test_what_is_shown_for_none(words: str, filler: str) -> None:
    assert request(words).filler == filler


@pytest.mark.parametrize(
    ("words", "width"),
    [("", None), ("-wide", 0), ("-wide:40", 40), ("-wide:+40x", 40), ("-wide:0", 80), ("-wide:x", 80)],
)
def test_the_width(words: str, width: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.cli.q.request.display_width", lambda: None)
    assert request(words).width == width


@pytest.mark.parametrize(
    ("words", "attributes"),
    [
        ("", None), ("-attributes ,", None), ("-attributes A,B", ["A", "B"]),
        ("-long -af A+B", ["A", "B", "ClusterId", "ProcId"]),
        ("-af A", None), ("-group-by -af A B", ["A", "B"]), ("-group-by -format %s A", ["A"]),
        ("-long -attributes X -af TARGET.Y ((", ["X", "Y", "ClusterId", "ProcId"]),
        ("-long -af ((", ["ClusterId", "ProcId"]),
    ],
)  # fmt: skip
def test_attributes_that_are_named(words: str, attributes: list[str] | None) -> None:
    found = request(words).attributes
    assert (None if found is None else list(found)) == attributes


def test_small_facts_of_a_request() -> None:
    assert request("-submitter ann@x -submitter bob").submitters == ("ann", "bob")
    assert [request(words).limit for words in ("", "-limit 3")] == [None, 3]
    assert [request(words).folds for words in ("", "-dag -nobatch", "-nobatch", "-run")] == [True, True, False, False]
    asked = ("-af AutoClusterId", "-constraint autoclusterattrs", "-af A", "")
    assert [request(words).asks_for_autoclusters for words in asked] == [True, True, False, False]
    assert [request(words).form for words in ("-long", "-json", "-xml", "-toml", "-toml -json")] == [
        "long", "json", "xml", "toml", "toml",
    ]  # fmt: skip
    assert describe(request("7 8.1 ann -submitter s -constraint A")) == (
        "jobs: 7 8.1 ann s\nconstraint: A\nonly my jobs: no\n"
    )
    assert describe(request("")) == "only my jobs: yes\n"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("-xml -json", "Cannot print as both XML and JSON"), ("-limit 0", "0 is not a valid for -limit"),
        ("-limit -3", "-3 is not a valid for -limit"), ("-currentrun -cumulative-time",
                                                       "-cumulative-time can't be used with -currentrun"),
        ("-cumulative-time -currentrun", "-currentrun can't be used with -cumulative-time"),
        ("-why -jobads f", "-why needs the pool"), ("-why -userlog f", "-why needs the pool"),
        ("-run -hold", "-run and -hold/held or -idle are incompatible"), ("-idle -run", "are incompatible"),
        ("-hold-codes -idle", "-hold-codes incompatible with -idle or -run"), ("-hold-codes -run", "incompatible"),
        ("-stream-results -batch", "-stream-results and -batch are incompatible"),
        ("-batch -stream-results", "-stream-results and -dag or -batch are incompatible"),
        ("-submitter a -address b", "Cannot query both"),
        ("-unmatchable -nobatch", "-batch conflicts with -unmatchable"),
        ("-unmatchable -autocluster", "-autocluster conflicts with -unmatchable"),
        ("-batch -af A", "-batch conflicts with -format and -af"),
        ("-batch -format %s A", "-batch conflicts with -format"),
        ("-batch -group-by", "-batch conflicts with -group-by"), ("-aaf A", "-aaf cannot be used with -batch mode"),
        ("-aaf A -af B", "output formatting options conflict with -aaf"),
        ("-aaf A -totals", "conflict with -aaf options"),
        ("-aaf A -long", "conflict with -aaf options"), ("-factory:late,x", "unknown option x for -factory"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked(words: str, error: str) -> None:
    with pytest.raises((CondorError, UsageError), match=error.replace("(", r"\(")):
        request(words)


@pytest.mark.parametrize(
    "words",
    [
        "-hold -hold-codes",
        "-currentrun",
        "-cumulative-time",
        "-better-analyze -unmatchable -nobatch",
        "-nobatch -af A",
        "-batch -autocluster -long",
        "-aaf A -nobatch",
        "-aaf A -hold",
        "-submitter a",
        "-stream-results",
        "-factory:clusters,late",
        "-batch:x -nobatch -af A",
    ],
)
def test_what_can_be_asked_together(words: str) -> None:
    asked = words.split()[0].removeprefix("-").partition(":")[0]
    assert request(words).args.has(asked)


# ---- choosing jobs ------------------------------------------------------------------------------------------------


def job(cluster: int, proc: int, text: str = "") -> ClassAd:
    return ad(f'ClusterId = {cluster}; ProcId = {proc}; Owner = "Ann"; User = "ann@x"; JobStatus = 1; {text}')


JOBS = [
    job(7, 0), job(7, 1, "JobStatus = 5"), job(8, 0, "DAGManJobId = 7"), job(9, 0, 'JobBatchId = "7.0"'),
    job(10, 0, 'Owner = "bob"; User = "bob@x"; AccountingGroup = "bio.bob"'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", "7.0 7.1 8.0 9.0 10.0"), ("7", "7.0 7.1 8.0 9.0"), ("7 -nobatch", "7.0 7.1"), ("7.1", "7.1"),
        ("7.0", "7.0 8.0 9.0"), ("7.0 -nobatch", "7.0"), ("8 10", "8.0 10.0"), ("ann", "7.0 7.1 8.0 9.0"),
        ("BOB@x", "10.0"), ("bob 7.1", "7.1 10.0"), ("-submitter bio.bob", "10.0"), ("-submitter bob", ""),
        ("-submitter ANN", "7.0 7.1 8.0 9.0"), ("-hold", "7.1"), ("-constraint JobStatus==5", "7.1"),
        ("-constraint JobStatus", "7.0 7.1 8.0 9.0 10.0"), ("-constraint Nosuch", ""),
        ("7 -constraint ProcId==1", "7.1"),
    ],
)  # fmt: skip
def test_jobs_that_are_chosen(words: str, found: str) -> None:
    chosen = select(JOBS, request(words))
    assert " ".join("{}.{}".format(*job_key(one)) for one in chosen) == found


def test_orders_of_jobs() -> None:
    assert [job_key(one) for one in (job(7, 3), ad("ClusterId = 7"), ad(""))] == [(7, 3), (7, -1), (0, -1)]
    saved = sorted([ad("ProcId = 1"), job(9, 0), job(8, 1), job(8, 0)], key=saved_key)
    assert [job_key(one) for one in saved] == [(8, 0), (8, 1), (9, 0), (0, 1)]
    assert server_time([ad(""), ad("ServerTime = 5"), ad("ServerTime = 6")]) == 5


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("-factory", ["ProcId is undefined", "JobMaterializeDigestFile isnt undefined"]),
        ("-factory:clusters", ["ProcId is undefined"]), ("-factory:late", ["JobMaterializeDigestFile isnt undefined"]),
        ("-factory:L,C", ["ProcId is undefined", "JobMaterializeDigestFile isnt undefined"]),
    ],
)  # fmt: skip
def test_which_clusters_are_factories(words: str, found: list[str]) -> None:
    assert factory_constraints(parse(SPEC, [words])) == found


def test_groups_are_chosen_by_their_counts_and_jobs_by_all_else() -> None:
    from condor_py.cli.q.source import Source

    source = Source("x", [job(7, 0, "A = 1"), job(7, 1, "A = 1"), job(8, 0, "A = 2"), job(9, 0, "A = 1")], 5)

    def groups(words: str, *extra: str) -> list[str | None]:
        return [one.eval_str("JobIds") for one in aggregated(request(words), source, extra, ["A"])]

    assert groups("-group-by") == ["7.0 ... 9.0", "8.0"]
    assert len(groups("-group-by -limit 1")) == 1
    assert groups("-group-by -constraint JobCount==1") == ["8.0"]
    assert groups("-group-by -constraint ClusterId==9") == ["9.0"]
    assert groups("-group-by 8") == ["8.0"]
    assert groups("-group-by", "ClusterId == 8") == ["8.0"]


# ---- columns ------------------------------------------------------------------------------------------------------

RAN = {"RemoteUserCpu": 7.9, "ServerTime": 1000, "ShadowBday": 940, "RemoteWallClockTime": 500.0, "JobStatus": 2}


@pytest.mark.parametrize(
    ("change", "options", "seconds"),
    [
        ({}, {}, 60), ({"JobStatus": 6}, {}, 60), ({"JobStatus": 7}, {}, 60), ({}, {"cumulative": True}, 560),
        ({}, {"cpu": True}, 7), ({"RemoteUserCpu": None}, {}, None), ({"ServerTime": 0}, {}, -1),
        ({"ShadowBday": 0}, {}, 0), ({"JobStatus": 1}, {}, 0),
        ({"JobStatus": 1, "LastRemoteWallClockTime": 9.5}, {}, 9),
        ({"JobStatus": 5, "LastRemoteWallClockTime": 9.5}, {}, 9),
        ({"JobStatus": 4, "LastRemoteWallClockTime": 9.5}, {}, 0),
        ({"JobStatus": 1, "LastRemoteWallClockTime": 9.5}, {"cumulative": True}, 500),
        ({"JobStatus": 4}, {"cumulative": True}, 500),
    ],
)  # fmt: skip
def test_the_time_of_a_run(change: dict[str, object], options: dict[str, Any], seconds: int | None) -> None:
    told = ClassAd({name: value for name, value in (RAN | change).items() if value is not None})
    assert Clock(1000, **options).run_time(None, told) == seconds


def test_states_and_hosts() -> None:
    clock = Clock(1000, schedd_host="lab")
    assert [clock.status(None, ad(f"JobStatus = 1; JobCoolDownExpiration = {when}")) for when in (1000, 1001)] == [
        "I ", "Ic",
    ]  # fmt: skip
    assert clock.status(None, ad("")) is None
    assert [clock.host(None, ad(f'JobUniverse = {one}; RemoteHost = "slot1@m"')) for one in (5, 7, 12)] == [
        "slot1@m", "lab", "lab",
    ]  # fmt: skip
    assert Clock(1000).host(None, ad('JobUniverse = 7; RemoteHost = "slot1@m"')) == "slot1@m"
    assert set(clock.renderers()) == {"CPU_TIME", "JOB_STATUS", "REMOTE_HOST"}


FULL = ad(
    """ClusterId = 7; ProcId = 3; Owner = "ann"; QDate = 86400; RemoteUserCpu = 1.0; ServerTime = 1000;
    ShadowBday = 939;
    JobStatus = 2; JobPrio = 5; ImageSize = 2048; Cmd = "/bin/sleep"; Args = "60"; JobUniverse = 5; RequestCpus = 2;
    RequestMemory = 128; RequestDisk = 99; NumShadowStarts = 4; LastRemoteHost = "slot1@m"; RemoteHost = "slot2@m";
    HoldReasonCode = 13; HoldReasonSubCode = 2; HoldReason = "no disk"; EnteredCurrentStatus = 90061; BytesRecvd = 11.0;
    BytesSent = 22.0; NumJobStarts = 6; JobMaterializeLimit = 9; JobsPresent = 8; JobsRunning = 7; JobsIdle = 6;
    JobsHeld = 5; JobMaterializeNextProcId = 4; JobMaterializePaused = 0; JobMaterializeDigestFile = "/d"; JobCount = 3;
    AutoClusterId = 2; RequestCPUs = 2; Requirements = true; JobSetId = 1; JobSetName = "set"; NumCompleted = 1;
    NumRemoved = 2; NumIdle = 3; NumRunning = 4; NumHeld = 5; Id = 1; JobIds = "7.3"; DAGNodeName = "A";
    DAGManJobId = 6"""
)


@pytest.mark.parametrize(
    ("display", "heading", "cells"),
    [
        ("jobs", "ID OWNER SUBMITTED RUN_TIME ST PRI SIZE CMD",
         "7.3 ann 1/2 00:00 0+00:01:01 R 5 2.0 sleep 60"),
        ("dag", "ID OWNER/NODENAME SUBMITTED RUN_TIME ST PRI SIZE CMD",
         "7.3 A 1/2 00:00 0+00:01:01 R 5 2.0 sleep 60"),
        ("run", "ID OWNER SUBMITTED RUN_TIME HOST(S)", "7.3 ann 1/2 00:00 0+00:01:01 slot2@m"),
        ("idle", "ID OWNER UNIVERSE CPUS MEMORY STARTS LAST_HOST", "7.3 ann Vanilla 2 128 4 slot1@m"),
        ("hold", "ID OWNER HELD_SINCE CODE/SUB HOLD_REASON", "7.3 ann 1/2 01:01 13/2 no disk"),
        ("io", "ID OWNER RUNS ST INPUT OUTPUT RATE MISC", "7.3 ann 6 R 11.0 22.0 33.0 5"),
        ("factory", "ID OWNER SUBMITTED LIMIT PRESNT RUN IDLE HOLD NEXTID MODE DIGEST",
         "7.3 ann 1/2 00:00 9 8 7 6 5 4 Norm /d"),
        ("autocluster", "ID COUNT UNIVERSE CPUS MEMORY DISK REQUIREMENTS", "2 3 Vanilla 2 128 99 true"),
        ("jobset", "JOBSETID NAME OWNER COMPLETE REMOVED IDLE RUNNING HELD", "1 set ann 1 2 3 4 5"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("universal_time")
def test_tables_have_what_their_headings_say(display: str, heading: str, cells: str) -> None:
    mask = Mask(DISPLAYS[display].columns(Clock(1000)))
    assert mask.heading().split() == heading.split()
    assert mask.row(mask.cells(FULL)).split() == cells.split()


@pytest.mark.usefixtures("universal_time")
def test_the_table_of_jobs_is_that_of_htcondor_to_the_column() -> None:
    mask = Mask(DISPLAYS["jobs"].columns(Clock(1000)))
    assert mask.heading() == " ID      OWNER            SUBMITTED     RUN_TIME ST PRI SIZE CMD\n"
    assert mask.row(mask.cells(FULL)) == "   7.3   ann             1/2  00:00   0+00:01:01 R  5    2.0 sleep 60\n"
    assert Mask(DISPLAYS["jobs"].columns(Clock(1000, cpu=True))).heading().split()[3] == "CPU_TIME"


def test_tables_of_groups_have_the_attributes_that_are_named() -> None:
    mask = Mask(grouped(["Owner", "JobPrio"]).columns(Clock(1000)))
    assert mask.heading().split() == ["ID", "COUNT", "OWNER", "JOBPRIO", "JOB_IDS"]
    assert mask.row(mask.cells(FULL)).split() == ["1", "3", "ann", "5", "7.3"]


def test_which_tables_have_totals_and_constraints() -> None:
    assert {name for name, one in DISPLAYS.items() if one.totals} == {"jobs", "dag", "hold", "io"}
    assert {name for name, one in DISPLAYS.items() if one.constraint} == {"io", "factory", "jobset"}
    assert {name for name, one in DISPLAYS.items() if not one.standard} == {
        "hold-codes", "grid:ec2", "autocluster", "jobset",
    }  # fmt: skip
