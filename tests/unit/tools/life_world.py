"""Jobs whose runs are on record, for tests of pictures of their lives."""

from __future__ import annotations

import time

from tool_runner import Spool

from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.settings.history import HistorySettings
from condor_py.store.epochs import EPOCH, SPAWN, EpochWriter, RunRecord
from condor_py.store.history import HistoryWriter

T = 1_795_900_000
HOSTILE = "</text><script>alert(1)</script>\x1b[2J\x00\ud800&\"'"


def epoch(proc: int = 0, begin: int = T, end: int = T + 60, **more: object) -> ClassAd:
    """The record of a run of a job of cluster 7."""
    texts = {
        "ClusterId": 7, "ProcId": proc, "QDate": T - 30, "JobCurrentStartDate": begin, "EpochWriteDate": end,
        "EpochAdType": "EPOCH", "JobStatus": 2, "ExitCode": 0, "ExitBySignal": False, "RemoteHost": "slot1_1@lab",
        "RequestCpus": 2, "RequestMemory": 512, "RunInstanceID": 0, "Owner": "alice", "NumShadowStarts": 1,
    } | more  # fmt: skip
    return ClassAd(texts)


def write(spool: Spool) -> None:
    """Write cluster 7: 7.0 was evicted and completed, 7.1 completed, 7.2 runs; 8.0 ended without a record of its
    run."""
    folder, now = spool.path.parent, int(time.time())
    writer = EpochWriter(HistorySettings(epoch_path=str(folder / "epoch_history")))
    found = [
        epoch(0, now - 900, now - 600, VacateReasonCode=1007, VacateReason="preempted", QDate=now - 950,
              UsageRecord="100 1.50 100 5.0; 290 1.00 400 6.0"),
        epoch(0, now - 500, now - 100, RunInstanceID=1, QDate=now - 950, UsageRecord="200 2.00 300 9.0"),
        epoch(1, now - 800, now - 300, QDate=now - 950),
    ]  # fmt: skip
    for ad in found:
        job = JobId(7, ad.eval_int("ProcId", 0))
        writer.append([RunRecord(SPAWN, job, 0, "alice", [("Owner", '"alice"')])], ad.eval_int("EpochWriteDate", 0))
        items = [item for item in ad.pairs() if item[0] not in ("EpochWriteDate", "EpochAdType", "RunInstanceID")]
        number = ad.eval_int("RunInstanceID", 0)
        writer.append([RunRecord(EPOCH, job, number, "alice", items)], ad.eval_int("EpochWriteDate", 0))
    past = HistoryWriter(str(folder / "history"))
    for cluster, proc in ((7, 0), (7, 1), (8, 0)):
        begin = {(7, 0): now - 500, (7, 1): now - 800}.get((cluster, proc), now - 400)
        ad = epoch(proc, begin, now - 5, ClusterId=cluster, JobStatus=4, CompletionDate=now - 100, Cmd="/bin/x",
                   QDate=now - 950)  # fmt: skip
        for name in ("EpochAdType", "EpochWriteDate"):
            del ad[name]
        past.append([ad], now - 100)
    past.close()
    spool.add(7, procs=3, JobStatus="2", JobCurrentStartDate=str(now - 200), RemoteHost='"slot1_3@lab"')
    for proc in (0, 1):
        spool.set(f"7.{proc}", "JobStatus", "4")
