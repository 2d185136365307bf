"""A week on a machine, as it is recorded: history, runs, negotiation cycles and a queue."""

from __future__ import annotations

import random

from tool_runner import Spool

from condor_py.lang.classad import ClassAd, quote_string
from condor_py.model.cyclerecords import CycleRecord, GroupRecord, Reason, SubmitterRecord
from condor_py.model.ids import JobId
from condor_py.model.settings.history import CycleHistorySettings, HistorySettings
from condor_py.store.cyclelog import CycleLog
from condor_py.store.epochs import EPOCH, SPAWN, EpochWriter, RunRecord
from condor_py.store.history import HistoryWriter

WEEK, HOUR = 604_800, 3600
#: Texts that a user may choose.
HOSTILE = (
    "</title></script><script>document.title='owned'</script><img src=http://127.0.0.1:9/x onerror=alert(1)>"
    "&\"'\x07\x1b[2J"
)
USERS = {"alice": (4.0, 8192, 1200), "bob": (1.0, 1024, 900), "carol": (2.0, 512, 700), "dave": (1.0, 128, 10)}


class World:
    """Jobs of four users in the week before ``now``, from a seed."""

    def __init__(self, spool: Spool, now: int, jobs: int = 400, seed: int = 7) -> None:
        self.folder, self.now = spool.path.parent, now
        self.random = random.Random(seed)
        self.history = HistoryWriter(str(self.folder / "history"))
        self.epochs = EpochWriter(HistorySettings(epoch_path=str(self.folder / "epoch_history")))
        made = sorted((self._job(number) for number in range(jobs)), key=lambda job: job[0])
        for ended, ad in made:
            self.history.append([ad], ended)
            self._runs(ad, ended)
        self.history.close()

    def _job(self, number: int) -> tuple[int, ClassAd]:
        chance = self.random
        owner = chance.choice(list(USERS))
        cpus, memory, used = USERS[owner]
        queued = self.now - chance.randrange(HOUR, WEEK + 2 * 86400)
        wait, wall = int(chance.expovariate(1 / 900)), int(chance.expovariate(1 / 3000)) + 5
        ended = min(queued + wait + wall, self.now - 1)
        wall = max(1, ended - queued - wait)
        fate = chance.random()
        texts = {
            "ClusterId": str(100 + number), "ProcId": "0", "Owner": f'"{owner}"', "User": f'"{owner}@example.net"',
            "Cmd": quote_string(f"/home/{owner}/" + (HOSTILE if number % 50 == 0 else "simulate")),
            "JobUniverse": "5", "QDate": str(queued), "RequestCpus": str(int(cpus)), "CpusProvisioned": str(int(cpus)),
            "RequestMemory": str(memory), "ResidentSetSize_RAW": str(int(used * 1024 * chance.uniform(0.5, 1.0))),
            "ResidentSetSize": str(used * 1024), "MemoryUsage": "((ResidentSetSize + 1023) / 1024)",
            "EnteredCurrentStatus": str(ended), "NumShadowStarts": "1", "LastHoldReasonCode": "0",
        }  # fmt: skip
        del texts["LastHoldReasonCode"]
        if fate < 0.05:
            texts |= {"JobStatus": "3", "RemoteWallClockTime": "0.0", "RemoveReason": '"via condor_rm"'}
        else:
            code = "0" if fate > 0.2 else "1"
            texts |= {
                "JobStatus": "4", "ExitBySignal": "false", "ExitCode": code, "CompletionDate": str(ended),
                "JobStartDate": str(queued + wait), "JobCurrentStartDate": str(queued + wait),
                "RemoteWallClockTime": f"{wall}.0", "CumulativeRemoteUserCpu": f"{wall * cpus * 0.4:.3f}",
                "CumulativeRemoteSysCpu": "1.0",
            }  # fmt: skip
        if fate > 0.95:
            texts |= {"LastHoldReason": quote_string(f"<b>disk</b> {HOSTILE}"), "LastHoldReasonCode": "12"}
        if owner == "carol":
            texts |= {"AcctGroup": '"physics"', "AccountingGroup": '"physics.carol"'}
        return ended, ClassAd.from_text_items(texts.items())

    def _runs(self, ad: ClassAd, ended: int) -> None:
        begin = ad.eval_int("JobStartDate", 0)
        if not begin:
            return
        names = ("Owner", "ClusterId", "ProcId", "CpusProvisioned", "JobUniverse", "Cmd")
        items = [(name, ad.text(name) or "") for name in names]
        job, owner = JobId(ad.eval_int("ClusterId", 0), 0), ad.eval_str("Owner", "")
        if job.cluster % 10 == 0:
            cut = [("ShadowBday", str(begin - 700)), ("VacateReasonCode", "1022"), ("VacateReason", '"<i>vacated</i>"')]
            self.epochs.append([RunRecord(EPOCH, job, 0, owner, items + cut)], begin - 100)
        self.epochs.append([RunRecord(SPAWN, job, 1, owner, [*items, ("ShadowBday", str(begin))])], ended)
        self.epochs.append([RunRecord(EPOCH, job, 1, owner, [*items, ("ShadowBday", str(begin))])], ended)

    def cycles(self, every: int = 600) -> None:
        """Records of cycles of the whole week: alice and carol want the machine, and bob in the second half."""
        log = CycleLog(CycleHistorySettings(str(self.folder / "negotiation_history")))
        for begin in range(self.now - WEEK, self.now, every):
            late = begin > self.now - WEEK / 2
            record = CycleRecord(begin, begin + every, 10, every, 8.0 * every, 0.5 * every, 0.25 * every)
            record.submitters["alice@example.net"] = _part(every, 5.0, 1000.0, 4.5, 8.0)
            record.submitters["physics.carol@example.net"] = _part(every, 1.5, 1000.0, 2.0, 2.0, "physics")
            if late:
                bob = record.submitters["bob@example.net"] = _part(every, 1.0, 4000.0, 1.2, 6.0)
                bob.waiting, bob.idle = every, 5
                bob.reasons["submitter limit exceeded"] = Reason(every, 5)
                bob.lost["alice@example.net"] = 1
            record.groups["physics"] = GroupRecord(2.0, 2.0 * every, 2.0 * every, 1.5 * every)
            log.append(record, begin)


def _part(every: int, use: float, factor: float, due: float, asked: float, group: str = "") -> SubmitterRecord:
    return SubmitterRecord(
        real=max(0.5, use), factor=factor, share=due / 8, group=group, use=use, present=every, used=use * every,
        asked=asked * every, entitled=due * every, due=min(due, asked) * every, matched=3,
    )  # fmt: skip
