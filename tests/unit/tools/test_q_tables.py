"""The tables of condor_q: batches folded and squeezed, totals, where the words of a job come from."""

from __future__ import annotations

import pytest

from condor_py.cli.q.batch import Batch, Facts, Members, _squeeze, fold, table
from condor_py.cli.q.totals import Totals, footer, is_plain
from condor_py.lang.classad import ClassAd


def job(cluster: int, proc: int, **attributes: str) -> ClassAd:
    common = {"ClusterId": str(cluster), "ProcId": str(proc), "Owner": '"bob"', "JobStatus": "1", "JobUniverse": "5"}
    return ClassAd.from_text_items(list((common | attributes).items()))


def lines(*jobs: ClassAd, filler: str = "_", width: int | None = None, keep_hold: bool = False) -> list[str]:
    return table(fold(jobs, False), filler, width, keep_hold=keep_hold).splitlines()


# ---- batches ------------------------------------------------------------------------------------------------------


def test_each_state_is_counted_in_its_column() -> None:
    """Suspended jobs count as idle, those that bring their output back as running, removed ones nowhere."""
    states = (1, 1, 1, 7, 2, 2, 6, 5, 5, 5, 5, 5, 3, 4)
    jobs = [job(1, proc, JobStatus=str(status), TotalSubmitProcs="20") for proc, status in enumerate(states)]
    assert [batch.counters() for batch in fold(jobs, False)] == [(6, 3, 4, 5, 20)]
    assert [batch.counters() for batch in fold(jobs, True)] == [(0, 3, 4, 5, 20)]
    assert lines(*jobs)[1].split()[3:] == ["6", "3", "4", "5", "20", "1.0-13"]


def test_the_column_of_holds_is_there_where_jobs_are_held() -> None:
    assert "HOLD" not in lines(job(1, 0))[0]
    assert "HOLD" in lines(job(1, 0), keep_hold=True)[0]
    assert "HOLD" in lines(job(1, 0, JobStatus="5"))[0]
    assert "HOLD" in lines()[0]


def test_nothing_is_shown_for_a_count_of_none() -> None:
    assert lines(job(1, 0, TotalSubmitProcs="1"))[1].split()[3:] == ["_", "_", "1", "1", "1.0"]
    assert lines(job(1, 0, TotalSubmitProcs="1"), filler="")[1].split()[3:] == ["0", "0", "1", "1", "1.0"]
    assert lines(job(1, 0, TotalSubmitProcs="1"), filler="-")[1].split()[3:] == ["-", "-", "1", "1", "1.0"]


@pytest.mark.parametrize(
    ("jobs", "ids"),
    [
        ([(3, 0)], "3.0"), ([(3, 0), (3, 4)], "3.0-4"), ([(3, 0), (4, 2)], "3.0 ... 4.2"), ([(3, 1)], "3.1"),
        ([(3, 2), (5, 0)], "3.2 ... 5.0"),
    ],
)  # fmt: skip
def test_the_ids_of_a_batch(jobs: list[tuple[int, int]], ids: str) -> None:
    (batch,) = fold([job(*one, JobBatchName='"b"') for one in jobs], False)
    assert batch.job_ids() == ids


def test_batches_of_one_name_belong_to_one_owner() -> None:
    named = {"JobBatchName": '"night"', "TotalSubmitProcs": "1"}
    found = fold([job(1, 0, **named), job(2, 0, **named, Owner='"eve"'), job(3, 0, **named), job(4, 0)], False)
    assert [(batch.owner, batch.name, batch.job_ids()) for batch in found] == [
        ("bob", "night", "1.0 ... 3.0"), ("eve", "night", "2.0"), ("bob", "ID: 4", "4.0"),
    ]  # fmt: skip
    assert [batch.counters()[4] for batch in found] == [2, 1, 0]


def test_a_dag_counts_its_nodes() -> None:
    """DONE and TOTAL are those of the DAG; its own job is in no counter; nodes add to the states alone."""
    dag = job(3, 0, JobUniverse="7", JobStatus="2", DAG_NodesTotal="9", DAG_NodesDone="4", JobBatchName='"d.dag+3"')
    node = {"DAGManJobId": "3", "TotalSubmitProcs": "5"}
    found = fold([dag, job(4, 0, **node, JobStatus="2"), job(5, 0, **node), job(5, 1, **node, JobStatus="5")], False)
    assert [(batch.name, batch.counters(), batch.job_ids()) for batch in found] == [
        ("d.dag+3", (4, 1, 1, 1, 9), "4.0 ... 5.1"),
    ]  # fmt: skip
    early = fold([job(3, 0, JobUniverse="7", TotalSubmitProcs="1")], False)[0]
    assert (early.counters(), early.job_ids()) == ((0, 0, 0, 0, 1), "0.0")
    assert len(fold([job(3, 1, JobUniverse="7"), job(4, 0, DAGManJobId="3")], False)) == 2  # no job 0 of cluster 3


def test_a_batch_where_a_cluster_does_not_tell_has_no_sums() -> None:
    named = {"JobBatchName": '"night"'}
    (batch,) = fold([job(1, 0, **named, TotalSubmitProcs="7"), job(2, 0, **named)], False)
    assert batch.counters() == (0, 0, 2, 0, 0)


def test_columns_take_the_width_of_their_widest_cell() -> None:
    owner, name = "a_user_of_16_chr", "a batch with twenty-four"
    heading, row = lines(job(1, 0, Owner=f'"{owner}"', JobBatchName=f'"{name}"', QDate="86400"))
    assert heading.startswith(f"{'OWNER':<16} {'BATCH_NAME':<24}    SUBMITTED   DONE   RUN    IDLE  TOTAL JOB_IDS")
    assert row.startswith(f"{owner} {name}   1/2  ")
    assert lines()[0].startswith("OWNER BATCH_NAME      SUBMITTED   DONE")
    assert lines(job(1, 0, Owner='"x"', JobBatchName='"y"'))[0].startswith("OWNER    BATCH_NAME    SUBMITTED")
    many = lines(job(1, 0, TotalSubmitProcs="1234567"))
    assert many[0].endswith("DONE    RUN    IDLE  TOTAL  JOB_IDS")
    assert many[1].endswith("1234566      _      1 1234567 1.0")


@pytest.mark.parametrize("width", [60, 70, 80, 90, 100, 120])
def test_a_narrow_terminal_cuts_rows_one_short_of_its_width(width: int) -> None:
    name = "n" * 60
    for line in lines(job(1, 0, Owner=f'"{"o" * 40}"', JobBatchName=f'"{name}"'), width=width):
        assert len(line) <= width - 1


@pytest.mark.parametrize(
    ("widths", "room", "columns"),
    [
        ((10, 10, 10), 30, (10, 10)),  # everything fits
        ((30, 30, 3), 30, (13, 16)),  # a third of the 3 above 27 for each, and 8 more: ids are cut to one column
        ((30, 30, 3), 50, (21, 24)),
        ((12, 40, 3), 50, (12, 33)),  # what one leaves goes to the other
        ((40, 12, 3), 50, (33, 12)),
        ((30, 30, 3), 27, (12, 14)),
        ((30, 30, 3), 10, (4, 7)),
        ((30, 30, 20), 30, (9, 11)),
        ((30, 30, 20), 54, (21, 23)),  # long ids are halved where the others are short of more than seven columns
        ((30, 30, 20), 57, (18, 20)),  # and each has less than ten above the least
        ((30, 30, 9), 54, (21, 24)),
        ((14, 14, 10), 30, (11, 14)),
        ((13, 14, 10), 30, (9, 11)),
    ],
)
def test_owner_and_name_share_what_a_terminal_leaves(
    widths: tuple[int, int, int], room: int, columns: tuple[int, int]
) -> None:
    """By the rule of HTCondor: at least 8 columns for the owner, 10 for the name and 9 for ids, the rest in thirds."""
    assert _squeeze(*widths, room) == columns


def test_facts_may_be_shared_by_clusters() -> None:
    """A program may give clusters whose first jobs are alike: the numbers are those of each."""
    facts = Facts(job(1, 0, TotalSubmitProcs="3", QDate="5"))
    batch = Batch(Members(facts, 5, (1, 0), (1, 2), 3, {1: 3}))
    batch.add_cluster(Members(facts, 5, (1, 0), (1, 2), 3, {1: 3}), False)
    batch.add_cluster(Members(facts, 6, (2, 0), (2, 1), 2, {1: 1, 5: 1}), False)
    assert batch.counters() == (1, 0, 4, 1, 6)
    assert batch.job_ids() == "1.0 ... 2.1"
    assert (facts.owner, facts.parent, facts.made, facts.nodes, facts.is_dag) == ("bob", None, -1, None, False)
    assert Facts(job(1, 0, DAGManJobId="0")).parent is None
    assert Facts(job(1, 0, DAGManJobId="1")).parent == 1


# ---- totals -------------------------------------------------------------------------------------------------------


def test_totals_count_every_state_but_no_dag() -> None:
    states = (1, 1, 1, 1, 2, 6, 3, 3, 4, 5, 5, 5, 7, 7, 7, 7, 7, 8, 0)
    totals = Totals().add_all(job(1, proc, JobStatus=str(state)) for proc, state in enumerate(states))
    totals.add(job(2, 0, JobUniverse="7"))
    assert totals.text() == "17 jobs; 1 completed, 2 removed, 4 idle, 2 running, 3 held, 5 suspended"


@pytest.mark.parametrize(
    ("universe", "status", "counted", "jobs"),
    [
        ("5", "2", True, 3), (None, "2", True, 3), ("7", "2", True, 0), ("5", None, True, 0), ("5", "1 + 1", False, 0),
        ("4 + 1", "2", False, 0), ("5", "9", True, 0), ("5", "-2", False, 0), ("5", "²", False, 0),
    ],
)  # fmt: skip
def test_totals_by_texts_of_the_queue(universe: str | None, status: str | None, counted: bool, jobs: int) -> None:
    totals = Totals()
    assert totals.add_text(universe, status, 3) is counted
    assert totals.counts == [0, 0, 0, jobs, 0, 0]


def test_numbers_of_up_to_eighteen_digits_need_no_evaluation() -> None:
    texts = (None, "", "0", "12", "9" * 18, "9" * 19, "1.5", "x")
    assert [is_plain(text) for text in texts] == [True, False, True, True, True, False, False, False]


def test_the_block_of_totals() -> None:
    query, mine, everyone = Totals(), Totals(), Totals()
    query.add_kind(5, 1, 1)
    mine.add_kind(5, 2, 2)
    everyone.add_kind(5, 5, 3)
    one, two, three = query.text(), mine.text(), everyone.text()
    assert footer(query, ("bob", mine), everyone, blank_before=True) == (
        f"\nTotal for query: {one} \nTotal for bob: {two} \nTotal for all users: {three}\n\n"
    )
    assert footer(query, None, everyone, blank_before=False) == (
        f"Total for query: {one} \nTotal for all users: {three}\n\n"
    )
    assert footer(query, ("bob", mine), None, blank_before=False) == f"Total for query: {one}{' ' * 51}\n\n"
