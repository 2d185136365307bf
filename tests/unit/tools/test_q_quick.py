"""condor_q answers alike whether it reads every ad or only what it needs."""

from __future__ import annotations

import random

import pytest
from tool_runner import Done, Spool, run

from condor_py.cli.q import quick
from condor_py.cli.q.source import Source

COMMANDS = (
    "",
    "-nobatch",
    "-nobatch -wide:70",
    "-allusers",
    "-nobatch -allusers",
    "-long -allusers",
    "-long:nosort -allusers",
    "-long -attributes Args,JobStatus,Extra -allusers",
    "-json -allusers",
    "-totals",
    "-totals -allusers",
    "-af ClusterId ProcId",
    "-af:h ClusterId Args Extra Owner JobStatus -allusers",
    "-af:jr Extra MemoryUsage RequestMemory -allusers",
    "-af:lrng Extra ClaimId ServerTime -allusers",
    '-af 2+JobPrio strcat(Owner,"x") MY.Args {Args} time()>0 Missing -allusers',
    "-format %d JobPrio -format :%s: Args -format %v\\n Extra -allusers",
    "-nobatch -aaf Extra Args -allusers",
    "1",
    "1.0 3.1 99",
    "-nobatch 2 3.0",
    "-long 3.1",
    "-af Extra 2.1 1",
    "-limit 3 -nobatch -allusers",
    "-limit 2",
    "-cputime -nobatch -allusers",
    "-cumulative-time -nobatch -allusers",
    "-constraint JobStatus==5 -nobatch -allusers",
    "-constraint Extra>0&&ProcId<3 -allusers",
    '-constraint Args=="1"||MY.Extra -af ClusterId ProcId Args -allusers',
    "-constraint RequestMemory>100 -constraint JobPrio<20 -totals",
    "-constraint Extra -limit 2 -nobatch -allusers",
    "-constraint JobUniverse=!=7&&ServerTime>100 -long -allusers 1 2.0 3.1",
    "-constraint 1+ -allusers",
    "-constraint Missing -nobatch",
)
OWN: dict[str, tuple[str, ...]] = {
    "JobStatus": ("1", "2", "5", "7", "2 + 3", "undefined", "6"),
    "Args": ('"1"', '"a b"', '""', '"ü"', "undefined", "Extra", "7"),
    "args": ('"other spelling"',),
    "Extra": ("1", "1.0", "true", '"x"', "JobPrio * 2", "{1,2}", "[ a = 1 ]", "time() > 0", "-5", "error", '"1"'),
    "JobPrio": ("-3", "17", "12345", "1.5"),
    "Owner": ('"somebody-with-a-long-name"', '"bob"'),
    "ClaimId": ('"<1.2.3.4>#secret"',),
    "ServerTime": ("5",),
    "RemoteUserCpu": ("90.5", "undefined"),
    "ShadowBday": ("1795212563",),
    "RemoteWallClockTime": ("3600.0",),
    "LastRemoteWallClockTime": ("60",),
    "ResidentSetSize": ("2048", "5000000"),
    "TransferringInput": ("true",),
    "TransferQueued": ("true", "false"),
    "JobDescription": ('"described"',),
    "Cmd": ('"/usr/bin/env"', "undefined"),
    "JobUniverse": ("7", "5", "4 + 3"),
    "ImageSize": ("123456789",),
}


def fill(spool: Spool, rng: random.Random) -> None:
    cluster = 0
    for _ in range(rng.randrange(1, 6)):
        cluster += rng.choice((1, 1, 2, 9000))
        common = {"MemoryUsage": "((ResidentSetSize + 1023) / 1024)"} if rng.random() < 0.7 else {}
        common |= {"RequestMemory": "ifthenelse(MemoryUsage =!= undefined,MemoryUsage,(ImageSize + 1023) / 1024)"}
        common |= {name: rng.choice(OWN[name]) for name in rng.sample(sorted(OWN), 4) if name not in ("args", "Owner")}
        if rng.random() < 0.2:
            common["DAGManJobId"] = "1"
        if rng.random() < 0.3:
            common["JobBatchName"] = '"batch"'
        spool.add(cluster, rng.randrange(1, 7), rng.choice((None, None, "carol")), **common)
    for job in list(spool.values("ProcId")):
        for name in rng.sample(sorted(OWN), rng.randrange(5)):
            spool.set(job, name, rng.choice(OWN[name]))


def both(monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[Done, Done]:
    quickly = run("condor_q", *words)
    with monkeypatch.context() as patch:
        patch.setattr(quick, "groups_of", lambda *_, **__: None)
        return quickly, run("condor_q", *words)


@pytest.mark.parametrize("seed", range(12))
def test_both_ways_give_the_same_answer(spool: Spool, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    rng = random.Random(seed)
    fill(spool, rng)
    monkeypatch.setattr("time.time", lambda: 1795214000.0)
    if seed % 2:
        monkeypatch.setattr("condor_py.client.pool.Pool.is_superuser", False)
    for command in COMMANDS:
        quickly, fully = both(monkeypatch, *command.split())
        assert quickly == fully, command


def test_most_questions_read_few_ads(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(1, 30)
    read: list[object] = []
    original = Source.each

    def counting(self, groups):  # type: ignore[no-untyped-def]
        for ad in original(self, groups):
            read.append(ad)
            yield ad

    monkeypatch.setattr(Source, "each", counting)
    for command in ("", "-nobatch", "-af ClusterId Args", "-totals", "1.3"):
        read.clear()
        assert run("condor_q", *command.split()).code == 0
        assert len(read) <= 1, command
