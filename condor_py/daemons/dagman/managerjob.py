"""The job of condor_dagman in the queue: what it says, and what condor_dagman writes into it."""

from __future__ import annotations

import posixpath

from condor_py.client.pool import Pool
from condor_py.daemons.common.oldobjects import give_memory_back
from condor_py.daemons.dagman.outlog import OutLog
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.lang.dag.options import DagmanOptions
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.selection import Selection

#: What says that the DAG has come to its end, with one of the codes after which its job leaves the queue: held at that
#: very moment the job starts again when it is released, and the DAG shall not.
EXIT_CODE, ENDS_JOB = "DAG_ExitCode", (0, 1, 2)


class ManagerJob:
    """``cluster`` is -1 when condor_dagman is no job: nothing is read or written then."""

    def __init__(self, pool: Pool, log: OutLog, identity: str) -> None:
        cluster, _, proc = identity.partition(".")
        self.pool = pool
        self._log = log
        known = cluster.isdecimal()
        self.id = JobId(int(cluster), int(proc.partition(".")[0] or 0)) if known else JobId(-1, -1)
        self.ad: ClassAd | None = None
        if known:
            pool.ask_schedd()
            self._look()
        else:
            log.loud(
                "No HTCondor ID available for DAGMan (running on command line?); DAG status will not be reported to "
                "ClassAd"
            )

    def _look(self) -> None:
        try:
            found = self.pool.read_queue().job(self.id)
        except CondorError as error:
            self._log.loud(f"WARNING: failed to connect to queue manager ({error})")
            return
        self.ad = None if found is None else found.flat_copy()
        self.pool.forget_queue()  # it has all jobs of the pool, and this is the only one that is needed
        give_memory_back()

    @property
    def cluster(self) -> int:
        """The number by which node jobs name their DAG."""
        return self.id.cluster

    @property
    def parent(self) -> int:
        """The DAG whose node this one is; 0 without a job, -1 for a DAG of its own."""
        if self.ad is None:
            return 0
        return self.ad.eval_int("DAGManJobId", -1) or -1

    def text(self, name: str, default: str = "") -> str:
        """A string attribute."""
        return (self.ad.eval_str(name, default) if self.ad is not None else default) or default

    def number(self, name: str, default: int = -1) -> int:
        """A number attribute."""
        found = self.ad.eval_int(name, default) if self.ad is not None else default
        return default if found is None else found

    def introduce(self, options: DagmanOptions, address: str) -> None:
        """Batch name, batch id and accounting group are those of the job, or are given to it; ``address`` is where
        condor_dagman takes commands, "" for nowhere."""
        texts = options.texts
        if self.ad is None:
            return
        fresh: dict[str, str] = {"DAG_Address": address} if address else {}
        texts["BatchId"] = self.text("JobBatchId") or fresh.setdefault("JobBatchId", f"{self.id}")
        default = f"{posixpath.basename(options.primary)}+{self.cluster}"
        texts["BatchName"] = self.text("JobBatchName") or fresh.setdefault("JobBatchName", default)
        texts["AcctGroup"] = self.text("AcctGroup")
        texts["AcctGroupUser"] = self.text("AcctGroupUser")
        self.write({name: quote_string(value) for name, value in fresh.items()})

    def write(self, values: dict[str, str]) -> bool:
        """Set attributes (name, ClassAd text). Return False, and log why, when that failed."""
        if self.ad is None or not values:
            return True
        try:
            self.pool.edit(Selection(ids=(self.id,)), list(values.items()))
        except (CondorError, OSError) as error:
            self._log.loud(f"WARNING: failed to set attributes of the DAGMan job ({error})")
            return False
        return True
