"""The batch display of condor_q: what is folded, what is counted, how wide it is."""

from __future__ import annotations

from condor_py.cli.q.batch import fold, table
from condor_py.lang.classad import ClassAd


def job(cluster: int, proc: int, **attributes: str) -> ClassAd:
    """A job's ad."""
    common = {"ClusterId": str(cluster), "ProcId": str(proc), "Owner": '"bob"', "JobStatus": "1", "JobUniverse": "5"}
    return ClassAd.from_text_items(list((common | attributes).items()))


def rows(*jobs: ClassAd) -> list[list[str]]:
    """The words of the rows of the table."""
    return [line.split() for line in table(fold(jobs, False), "_", None).splitlines()[1:]]


def test_more_jobs_than_were_submitted_are_a_dash() -> None:
    two = {"TotalSubmitProcs": "2"}
    assert rows(job(1, 0, **two), job(1, 1, **two), job(1, 2, **two)) == [
        ["bob", "ID:", "1", "_", "_", "3", "2", "1.0-2"],
    ]  # fmt: skip
    factory = {"TotalSubmitProcs": "9", "JobMaterializeNextProcId": "4"}
    assert rows(job(1, 3, **factory))[0][3:] == ["3", "_", "1", "9", "1.3"]


def test_done_of_two_factories_in_one_batch_is_that_of_htcondor() -> None:
    """HTCondor takes all jobs of the batch so far from what a factory has made: 5 - 2 and 6 - 5 here."""
    name = {"JobBatchName": '"both"', "TotalSubmitProcs": "9"}
    first = [job(1, proc, **name, JobMaterializeNextProcId="5") for proc in (3, 4)]
    second = [job(2, proc, **name, JobMaterializeNextProcId="6") for proc in (3, 4, 5)]
    assert rows(*first, *second)[0][2:] == ["4", "_", "5", "18", "1.3", "...", "2.5"]
    assert rows(*second)[0][2:] == ["3", "_", "3", "9", "2.3-5"]
    plain = [job(3, proc, JobBatchName='"both"', TotalSubmitProcs="4") for proc in (1, 2)]
    assert rows(*first, *plain)[0][2:] == ["5", "_", "4", "13", "1.3", "...", "3.2"]


def test_an_empty_batch_name_is_a_name() -> None:
    assert rows(job(1, 0, JobBatchName='""'), job(2, 0, JobBatchName='""'))[0][:2] == ["bob", "_"]
    assert len(rows(job(1, 0, JobBatchName='""'), job(2, 0, JobBatchName='""'))) == 1


def test_only_the_first_job_of_a_dag_is_its_manager() -> None:
    found = rows(job(3, 0, JobUniverse="7"), job(3, 1, JobUniverse="7", JobStatus="5"), job(4, 0, DAGManJobId="3"))
    assert found == [["bob", "DAG:", "3", "_", "_", "1", "1", "_", "4.0"]]
    assert len(rows(job(3, 0, JobUniverse="7"), job(4, 0, DAGManJobId="0"))) == 2


def test_an_unknown_owner_fills_its_column() -> None:
    jobs = (job(1, 0, Owner="undefined"), job(2, 0, Owner='"sixsix"'))
    assert table(fold(jobs, False), "_", None).splitlines()[1].startswith("[????] ID: 1 ")
    assert table(fold((job(1, 0, Owner='"x"'),), False), "_", None).startswith("OWNER    BATCH_NAME ")


def test_a_node_whose_manager_is_not_shown_has_a_row_of_its_own() -> None:
    found = rows(job(8, 1, TotalSubmitProcs="2"), job(12, 0, DAGManJobId="8", TotalSubmitProcs="1"))
    assert [row[-1] for row in found] == ["8.1", "12.0"]


def test_counts_below_zero_take_no_room() -> None:
    heading = table(fold([job(1, 0, TotalSubmitProcs="-1234567")], False), "_", None).splitlines()[0]
    assert "DONE   RUN    IDLE" in heading
    wide = table(fold([job(1, 0, TotalSubmitProcs="1234567")], False), "_", None).splitlines()[0]
    assert "DONE    RUN    IDLE" in wide
