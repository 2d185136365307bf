"""Rows of condor_q's tables: widths that fit, nodes under their DAGs, hold codes, jobs that are named or newest."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tool_runner import Spool

from condor_py.cli.output.mask import Mask
from condor_py.cli.q.columns import DISPLAYS, Clock
from condor_py.cli.q.jobs import Extent, fit_widths, hold_code_rows, in_tree_order, job_table, rows_text, under_parents
from condor_py.cli.q.quick import _newest, named
from condor_py.lang.classad import ClassAd

CLOCK = Clock(1000)


def job(cluster: int, proc: int = 0, **more: object) -> ClassAd:
    return ClassAd({"ClusterId": cluster, "ProcId": proc, "Owner": "ann", "JobStatus": 1, "JobUniverse": 5} | more)


def mask(name: str = "jobs", clock: Clock = CLOCK) -> Mask:
    return Mask(DISPLAYS[name].columns(clock))


# ---- widths -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("extent", "width", "widths"),
    [
        # Widths of cluster, proc, owner and size; nothing changes unless one of ids and owner needs more.
        (Extent(9998, 998, 14), 80, (5, 3, -14, 4)), (Extent(9999, 0, 3), 80, (5, 3, -14, 7)),
        (Extent(10000, 0, 3), 80, (6, 3, -14, 7)), (Extent(1234567, 0, 3), 80, (8, 3, -14, 7)),
        (Extent(1, 999, 3), 80, (5, 3, -14, 7)), (Extent(1, 1000, 3), 80, (5, 4, -14, 7)),
        (Extent(1, 0, 15), 80, (5, 3, 14, 7)), (Extent(1, 0, 15), 81, (5, 3, 15, 7)),
        (Extent(1, 0, 30), 90, (5, 3, 24, 7)), (Extent(1, 0, 30), 200, (5, 3, 30, 7)),
        (Extent(1, 0, 30), None, (5, 3, -14, 7)),
    ],
)  # fmt: skip
def test_columns_are_widened_where_ids_or_owners_need_it(
    extent: Extent, width: int | None, widths: tuple[int, ...]
) -> None:
    shown = mask()
    fit_widths(shown, CLOCK, extent, width, lambda: 12345.6)
    found = [shown.columns[at].width for at in (0, 1, 2, 7)]
    assert [abs(one) for one in found] == [abs(one) for one in widths]
    cpu = Clock(1000, cpu=True)
    unchanged = mask(clock=cpu)
    fit_widths(unchanged, cpu, Extent(10**6, 10**6, 99), 200, lambda: 12345.6)
    assert [abs(unchanged.columns[at].width) for at in (0, 1, 2, 7)] == [5, 3, 14, 4]


def test_large_numbers_are_shown_whole() -> None:
    lines = job_table(DISPLAYS["jobs"], CLOCK, [job(123456, 1234), job(7, 0)], None).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["123456.1234", "7.0"]
    assert lines[1].index(".") == lines[2].index(".")
    assert job_table(DISPLAYS["jobs"], CLOCK, [], 80).splitlines() == [mask().heading().rstrip("\n")]


def test_rows_are_cut_one_short_of_the_terminal() -> None:
    long = job(7, Cmd="/bin/" + "x" * 200)
    assert [len(line) for line in job_table(DISPLAYS["jobs"], CLOCK, [long], 90).splitlines()][1] == 89
    assert job_table(DISPLAYS["jobs"], CLOCK, [long], None).splitlines()[1].endswith("x" * 200)
    shown = mask()
    assert not rows_text(shown, [shown.cells(job(7))]).endswith(" \n")


# ---- trees --------------------------------------------------------------------------------------------------------


def ids(jobs: list[ClassAd]) -> list[str]:
    return [f"{one.eval_int('ClusterId')}.{one.eval_int('ProcId')}" for one in jobs]


DAG = [
    job(1), job(2, JobUniverse=7), job(3, DAGManJobId=2, DAGNodeName="A", JobUniverse=7), job(4, DAGManJobId=2,
    DAGNodeName="B"), job(4, 1, DAGManJobId=2, DAGNodeName="B"), job(5, DAGManJobId=3, DAGNodeName="C"),
    job(6, DAGManJobId=99, DAGNodeName="D"), job(7),
]  # fmt: skip


def test_nodes_are_behind_their_dags() -> None:
    """Of a node with two procs the second is where its id is."""
    assert ids(in_tree_order(DAG)) == ["1.0", "2.0", "3.0", "5.0", "4.0", "4.1", "6.0", "7.0"]
    shown = mask("dag")
    names = [row[2] for row in under_parents(DAG, shown)]
    assert names == ["ann", "ann", " |-A", "  |-C", " |-B", " |-B", "|-D", "ann"]
    assert [row[2] for row in under_parents(DAG, shown, 3)][2:4] == [" |-", "  |"]


def test_a_job_that_is_its_own_manager_is_shown_once() -> None:
    odd = [job(1, DAGManJobId=1), job(2, DAGManJobId=3), job(3, DAGManJobId=2)]
    assert sorted(ids(in_tree_order(odd))) == ["1.0", "2.0", "3.0"]


# ---- hold codes ---------------------------------------------------------------------------------------------------


def test_a_row_for_each_hold_code_has_its_oldest_job() -> None:
    """In the order of their texts, as HTCondor has them."""
    held = [
        job(1, HoldReasonCode=3, HoldReasonSubCode=0), job(2, HoldReasonCode=13, HoldReasonSubCode=2),
        job(3, HoldReasonCode=3, HoldReasonSubCode=0), job(4, HoldReasonCode=13), job(5), job(6, HoldReasonCode=3,
        HoldReasonSubCode=10), job(7, HoldReasonCode=3, HoldReasonSubCode=9),
    ]  # fmt: skip
    shown = mask("hold-codes")
    rows = [shown.row(cells).split()[1:4] for cells in hold_code_rows(shown, held)]
    assert [row[0] for row in rows] == ["?", "13/2", "13", "3/0", "3/10", "3/9"]
    assert [row[1] for row in rows if "/" in row[0]] == ["1", "2", "1", "1"]


# ---- jobs that are named ------------------------------------------------------------------------------------------

GROUPS: list[tuple[int, Sequence[int]]] = [(7, [0, 1, 2]), (8, [0]), (9, [3, 5])]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (((7, None),), [(7, [0, 1, 2])]), (((7, 1), (9, 5)), [(7, [1]), (9, [5])]), (((9, 4),), []),
        (((7, 1), (7, None)), [(7, [0, 1, 2])]), (((6, None),), []), (((9, None), (7, 2), (7, 0)), [(7, [0, 2]),
        (9, [3, 5])]),
    ],
)  # fmt: skip
def test_named_jobs(wanted: tuple[tuple[int, int | None], ...], found: list[tuple[int, Sequence[int]]]) -> None:
    assert named(GROUPS, wanted) == found


@pytest.mark.parametrize(
    ("limit", "found"),
    [(1, [(9, [5])]), (2, [(9, [3, 5])]), (3, [(8, [0]), (9, [3, 5])]), (5, [(7, [1, 2]), (8, [0]), (9, [3, 5])]),
     (9, GROUPS)],
)  # fmt: skip
def test_the_newest_jobs(limit: int, found: list[tuple[int, Sequence[int]]]) -> None:
    assert _newest(GROUPS, limit) == found


# ---- the same by both ways ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "", "-nobatch", "-totals", "-af ClusterId ProcId Owner", "-long", "-json", "1", "2.1 -nobatch", "3", "4",
        "-limit 2 -nobatch", "-constraint JobStatus==5 -nobatch", "-af:h ClusterId", "-format %d ClusterId",
        "-af JobPrio", "-af Nosuch ServerTime", "-af JobPrio+1 Odd", "-af:V Owner Odd", "-af:jr Odd", "-format %d Odd",
        "-constraint Odd>3 -af ClusterId ProcId", "-constraint size(Owner)==3 -af ClusterId", "-nobatch -cputime",
        "-nobatch -wide:60", "-long -attributes JobPrio,Owner", "-af strcat(Owner,JobPrio)", "-format %s Owner",
        "-constraint JobPrio==7 -nobatch", "-constraint Nosuch", "5 -nobatch", "-long:sorted", "-xml", "-toml",
        "-nobatch -aaf Odd", "-wide:70", "-batch:z", "5.1 3 -af ProcId", "-nobatch -cumulative-time",
        "-constraint ServerTime>0 -af ProcId", "-af ClaimId", "-limit 1 -long",
        "-wide -af:h Owner Odd", "-wide -format %-30s\\n Owner", "-wide -format %-30s Owner", "-wide:0 -af:lh Odd",
    ],
)  # fmt: skip
def test_tables_are_the_same_whether_ads_are_read_or_not(
    spool: Spool, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", lambda: 1795213560.0)
    spool.add(1, 2, owner="ann", JobBatchName='"night"')
    spool.add(2, 3, owner="a_user_with_a_long_name", QDate="1 + 1", JobStatus="4 + 1")
    spool.add(3, owner="ann", JobUniverse="7", JobStatus="2", DAG_NodesTotal="5", DAG_NodesDone="2")
    spool.add(4, 2, owner="ann", DAGManJobId="3", TotalSubmitProcs="undefined")
    spool.set("2.1", "JobStatus", "5")
    spool.add(5, 4, owner="eve", Odd="JobPrio * 2", JobStatus="2", ShadowBday="1795213500", RemoteWallClockTime="7.0")
    for job, name, text in (
        ("5.1", "JOBPRIO", "7"), ("5.2", "Odd", "size(Owner)"), ("5.2", "RemoteUserCpu", "90061.5"),
        ("5.3", "ShadowBday", "undefined"), ("5.3", "ImageSize", "204800000"), ("5.3", "ClaimId", '"secret"'),
        ("5.0", "JobCoolDownExpiration", "1795213999"), ("2.2", "Owner", '"ann"'), ("2.2", "QDate", "1795000000"),
    ):  # fmt: skip
        spool.set(job, name, text)
    quick = spool.run("condor_q", "-all", *words.split()).out
    monkeypatch.setattr("condor_py.cli.q.quick.groups_of", lambda request, source, mine: None)
    assert spool.run("condor_q", "-all", *words.split()).out == quick
