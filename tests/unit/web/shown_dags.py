"""A queue with a DAG, and DAGs of a few nodes, for tests of the page of DAGs."""

from __future__ import annotations

from array import array

from condor_py.lang.classad import ClassAd
from condor_py.lang.dag.graph import Dag, Kind
from condor_py.model.ids import JobId


def dag_of(count: int, edges: list[tuple[int, int]]) -> Dag:
    """A DAG with nodes N0, N1 and so on."""
    dag = Dag()
    for number in range(count):
        dag.numbers[f"N{number}"] = dag.add_node(f"N{number}", Kind.JOB, "job.sub")
    dag.order = list(range(count))
    dag.connect(array("i", [a for a, _ in edges]), array("i", [b for _, b in edges]), None)
    return dag


def ad_of(text: str) -> ClassAd:
    """An ad of lines NAME = VALUE."""
    return ClassAd.from_text_items(
        [(name, value) for name, _, value in (line.partition(" = ") for line in text.split("\n"))]
    )


DAGMAN = """ClusterId = 5
JobUniverse = 7
JobStatus = 2
Owner = "alice"
Cmd = "/usr/bin/condor_dagman"
Iwd = "/home/alice"
Arguments = "-f -l . -Dag a.dag"
JobBatchName = "a.dag+5"
DAG_NodesTotal = 3
DAG_NodesDone = 1
JobStartDate = 100
DAG_FailedNodes = {[Node = "C"; Reason = "PRE script failed"]}"""


class Queue:
    """A queue with a DAG of alice's and jobs that are none."""

    def __init__(self) -> None:
        self.ads = {
            5: ad_of(DAGMAN),
            6: ad_of('JobUniverse = 7\nJobStatus = 2\nOwner = "bob"\nCmd = "/bin/sleep"'),
            7: ad_of('JobUniverse = 5\nJobStatus = 2\nOwner = "bob"\nCmd = "/bin/condor_dagman"'),
        }

    def cluster_text(self, cluster: int, key: str) -> str | None:
        return self.ads[cluster].text(key)

    def job(self, job: JobId) -> ClassAd | None:
        return self.ads.get(job.cluster)


class World:
    """A watch, as far as the page reads it."""

    owner = "alice"

    def __init__(self) -> None:
        self.view = Queue()

    @property
    def jobs(self) -> World:
        return self

    @property
    def pool(self) -> World:
        return self

    @property
    def clusters(self) -> dict[int, ClassAd]:
        return self.view.ads

    def tell(self, subject: str) -> None:
        """Nobody listens."""
