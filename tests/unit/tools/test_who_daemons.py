"""condor_who about daemons: the readiness ad and waiting for it, the table of logs, and the parts of a snapshot."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import who
from condor_py.cli.who import daemons
from condor_py.client.pool import Pool
from condor_py.client.wire import WireError
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.messages.codec import Refused
from condor_py.model.messages.master import MasterStatus
from condor_py.store.ad_store import AdStore

ALL = {"MASTER": 5, "SCHEDD": 6, "NEGOTIATOR": 7, "STARTD": 8}


@pytest.fixture
def pool(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Pool:
    """A pool of four daemons."""
    monkeypatch.setenv("_CONDOR_DAEMON_LIST", "MASTER SCHEDD NEGOTIATOR STARTD ODD SCHEDD")
    return Pool()


def ready(
    monkeypatch: pytest.MonkeyPatch, pids: dict[str, int], off: tuple[str, ...] = (), starting: tuple[str, ...] = ()
) -> dict[str, str]:
    """Return the readiness ad of a pool in which these processes run; ``starting`` have not published yet."""
    monkeypatch.setattr(daemons, "_pid", lambda pool, name: pids.get(name, 0))
    monkeypatch.setattr(daemons, "_status", lambda pool: MasterStatus(5, {}, list(off)))
    monkeypatch.setattr(daemons, "_is_serving", lambda pool, name: name not in starting)
    ad = daemons.readiness(Pool())
    assert ad is not None
    return dict(ad.text_items())


def numbers(ad: dict[str, str]) -> list[int]:
    names = ("NumDaemons", "NumAlive", "NumDead", "NumHold", "NumHung", "NumStartup")
    return [int(ad[name]) for name in names]


def test_everything_is_ready(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    ad = ready(monkeypatch, ALL)
    assert {name: ad[name] for name in ALL} == dict.fromkeys(ALL, '"Alive"')
    assert {name: int(ad[f"{name}_PID"]) for name in ALL} == ALL
    assert (ad["IsReady"], ad["STARTD_State"], numbers(ad)) == ("true", '"Ready"', [4, 4, 0, 0, 0, 0])
    assert "?" in ad["MASTER_Addr"]
    assert ad["SCHEDD_Addr"] == ad["MASTER_Addr"].partition("?")[0] + '>"'


def test_one_starts_one_is_dead_and_one_was_stopped(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    ad = ready(monkeypatch, {**ALL, "NEGOTIATOR": 0}, starting=("STARTD",))
    assert (ad["STARTD"], ad["NEGOTIATOR"], ad["SCHEDD"]) == ('"Startup"', '"Dead"', '"Alive"')
    assert (ad["IsReady"], ad["STARTD_State"], numbers(ad)) == ("false", '"Startup"', [4, 2, 1, 0, 0, 1])
    assert "NEGOTIATOR_PID" not in ad
    assert "NEGOTIATOR_Addr" not in ad
    ad = ready(monkeypatch, {**ALL, "NEGOTIATOR": 0}, off=("NEGOTIATOR", "STARTD"))
    assert (ad["NEGOTIATOR"], ad["STARTD"], ad["IsReady"]) == ('"Hold"', '"Alive"', "true")
    assert numbers(ad) == [4, 3, 0, 1, 0, 0]
    ad = ready(monkeypatch, {**ALL, "STARTD": 0})
    assert ("STARTD_State" in ad, ad["IsReady"], numbers(ad)) == (False, "false", [4, 3, 1, 0, 0, 0])
    ad = ready(monkeypatch, ALL, starting=("SCHEDD",))
    assert (ad["IsReady"], ad["STARTD_State"], numbers(ad)) == ("false", '"Ready"', [4, 3, 0, 0, 0, 1])


def test_without_a_master_nothing_is_ready(pool: Pool, spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemons, "_pid", lambda pool, name: 0)
    assert daemons.readiness(pool) is None
    assert daemons.wait(pool, "true", 0.0) is None
    assert daemons.gone(pool) == "\nNo master has run here\n"
    lock = Path(pool.paths.daemon_lock("MASTER"))
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.write_text("4711\n")
    assert daemons.gone(pool) == f"\nMaster {pool.settings.address} pid=4711 Exited with code=0\n"
    assert spool.run("condor_who", "-quick").out == daemons.gone(pool)


def test_waiting_ends_when_it_is_true_or_the_time_is_over(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    polls: list[float] = []

    def sleep(seconds: float) -> None:
        polls.append(seconds)
        clock[0] += seconds

    monkeypatch.setattr(daemons, "time", SimpleNamespace(monotonic=lambda: clock[0], sleep=sleep))
    monkeypatch.setattr(daemons, "readiness", lambda pool: ClassAd({"N": len(polls)}))
    found = daemons.wait(pool, "N >= 3", 60.0)
    assert found is not None
    assert (found.eval_int("N"), polls) == (3, [0.1] * 3)
    polls.clear()
    late = daemons.wait(pool, "N >= 300", 0.5)
    assert late is not None
    assert late.eval_int("N") in (5, 6)
    polls.clear()
    assert daemons.wait(pool, "false", 0.0) is not None
    assert polls == []
    with pytest.raises(CondorError, match=r"invalid expression for DC_QUERY_READY ReadyRequirements.  Expr = '\('"):
        daemons.wait(pool, "(", 0.0)


def test_what_the_master_says(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[Any] = [MasterStatus(5, {"MINE": 9}, ["STARTD"]), Refused("no"), WireError("gone")]

    def ask(pool: Pool, daemon: str, request: object, timeout: float = 0.0) -> Any:
        assert (daemon, timeout) == ("master", 5.0)
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(Pool, "ask", ask)
    assert daemons._status(pool) == MasterStatus(5, {"MINE": 9}, ["STARTD"])
    assert (daemons._status(pool), daemons._status(pool)) == (None, None)


def test_programs_of_the_site_are_daemons_too(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_DAEMON_LIST", "MASTER MINE SCHEDD")
    monkeypatch.setenv("_CONDOR_MINE", "/bin/true")
    pool = Pool()
    assert daemons._names(pool) == ["MASTER", "MINE", "SCHEDD"]
    for status, pid in ((MasterStatus(5, {"MINE": 9}, []), 9), (MasterStatus(5, {}, []), 0), (None, 0)):
        monkeypatch.setattr(daemons, "_status", lambda pool, status=status: status)
        assert daemons._pid(pool, "MINE") == pid
    assert daemons._is_serving(pool, "MINE")
    assert daemons._is_serving(pool, "MASTER")
    assert not daemons._is_serving(pool, "SCHEDD")


def test_the_table_of_logs(pool: Pool, spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_STARTD_LOG", "/elsewhere/StartLog")
    monkeypatch.setattr(daemons, "_pid", lambda pool, name: 77 if name == "SCHEDD" else 0)
    log = Path(pool.paths.log)
    log.mkdir(parents=True)
    (log / "SchedLog").touch()
    (log / "SchedLog.old").touch()
    (log / "MasterLog").touch()
    lines = daemons.logs(Pool()).splitlines()
    assert lines[:5] == [
        "", f'LOG directory "{log}"', "", "Daemon       PID      Exit       Addr                     Log, Log.Old",
        "------       ---      ----       ----                     ---, -------",
    ]  # fmt: skip
    rows = {line.split()[0]: line for line in lines[5:]}
    assert list(rows) == ["Master", "Negotiator", "Schedd", "Startd"]
    assert rows["Master"] == f"{'Master':<13}{'':<9}{'':<11}{'':<25}MasterLog, "
    assert rows["Schedd"] == f"{'Schedd':<13}{'77':<9}{'':<11}{pool.settings.address} SchedLog, SchedLog.old"
    assert rows["Startd"].endswith(" , ")
    shown = spool.run("condor_who", "-verbose").out
    assert shown.startswith(daemons.logs(Pool()))


def test_processes(tmp_path: Path) -> None:
    assert daemons._parent(os.getpid()) == str(os.getppid())
    assert (daemons._parent(4194999), daemons._program(4194999)) == ("no", "")
    script = tmp_path / "daemon.py"
    script.write_text("import sys\nprint(flush=True)\nsys.stdin.read()\n")
    with subprocess.Popen([sys.executable, script, "x"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        assert daemons._program(program.pid) == str(script)
        program.communicate()


def test_the_parts_of_a_slot() -> None:
    """What changes is of the state, what does not of the set-up; the names and the time are of both."""
    slot = ClassAd(
        {"Name": "slot1@m", "MyType": "Machine", "MyCurrentTime": 5, "HasVM": False, "Cpus": 4, "State": "Claimed",
         "RemoteUser": "ann", "MonitorSelfAge": 9, "Requirements": True}
    )  # fmt: skip
    whole, config, state, claim = who.parts(slot, ClassAd({"ClusterId": 1}))
    assert whole is slot
    kinds = [ad.eval_str("MyType") for ad in (config, state, claim)]
    assert kinds == ["Slot.Config", "Slot.State", "Slot.Claim"]
    assert claim.eval_int("ClusterId") == 1
    assert state.eval_str("RemoteUser") == "ann"
    assert not config.has("RemoteUser")
    assert state.has("MonitorSelfAge")
    assert not state.has("Requirements")
    assert config.has("Requirements")
    for name in ("Name", "MyCurrentTime", "HasVM"):
        assert config.has(name), name
        assert state.has(name), name
    assert len(who.parts(slot, None)) == 3


SLOTS: list[dict[str, Any]] = [
    {"MyType": "Machine", "Machine": "m", "Name": f"slot{number}@m", "SlotID": number, "DSlotId": part, "JobId": job}
    for number, part, job in ((2, 0, "1.0"), (1, 10, "1.1"), (1, 2, "1.2"))
]


def names(spool: Spool, *words: str) -> list[str]:
    return spool.run("condor_who", *words, "-af", "Name").out.split()


def test_slots_with_jobs_in_their_order(spool: Spool) -> None:
    daemon: dict[str, Any] = {"MyType": "StartD", "Name": "m", "Machine": "m"}
    idle: dict[str, Any] = {"MyType": "Machine", "Name": "idle@m", "SlotID": 3, "Machine": "m"}
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [ClassAd(ad) for ad in (*SLOTS, idle, daemon)])
    assert spool.run("condor_who", "-af", "DSlotId").out.split() == ["2", "10", "0"]
    assert names(spool) == ["slot1@m", "slot1@m", "slot2@m"]
    assert names(spool, "-limit", "2") == ["slot1@m", "slot1@m"]
    assert names(spool, "-limit", "x") == names(spool)
    assert names(spool, "-constraint", "DSlotId == 10") == ["slot1@m"]
    assert names(spool, "-startd") == ["m"]
    assert spool.run("condor_who", "-constraint", "(").err == "Error: could not parse constraint (\n"
    title = "\n--Startd : m has 3 job(s) running:\n"
    assert spool.run("condor_who").out.startswith(title)
    assert spool.run("condor_who", "-startd").out.startswith("\nNAME ADDRESS")
    assert spool.run("condor_who", "-af:h", "Name").out.startswith(title + "Name")
    assert not spool.run("condor_who", "-af", "Name").out.startswith("\n")
    long = spool.run("condor_who", "-long").out
    assert long.count("\n\n") == 3
    kinds = [line for line in spool.run("condor_who", "-snap", "-long").out.splitlines() if line.startswith("MyType")]
    assert kinds == ['MyType = "Machine"', *(f'MyType = "Slot.{kind}"' for kind in ("Config", "State", "Claim"))] * 3
    whole = spool.run("condor_who", "-snap", "-long", "-startd").out
    kinds = [line for line in whole.splitlines() if line.startswith("MyType")]
    assert kinds[0] == 'MyType = "StartD"'
    assert kinds[1:4] == ['MyType = "Machine"', 'MyType = "Slot.Config"', 'MyType = "Slot.State"']
    assert len(kinds) == 1 + 3 * 4
    assert "xml" in spool.run("condor_who", "-long:xml").out


def test_every_startd_of_a_machine(spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each pool whose files may be read, in the order of the process ids; a starter holds the same file open."""
    logs = {"11": "b/log", "12": "a/log", "13": "a/log", "14": "gone/log", "15": "stopped/log"}
    pids = {"a": 7, "b": 30, "gone": 40, "stopped": 0}
    for name in ("a", "b", "stopped"):
        (tmp_path / name / "spool" / "ads").mkdir(parents=True)
    monkeypatch.setattr(os, "listdir", lambda path: [*logs, "self", "99"])
    monkeypatch.setattr(who, "_startd_log", lambda pid: f"{tmp_path}/{logs[pid]}" if pid in logs else None)

    def holder(path: str) -> int:
        return pids.get(Path(path).parts[-3], 0)

    monkeypatch.setattr(who, "lock_holder", holder)
    pool = Pool()
    found = [who.Place(f"{tmp_path}/{name}/spool/ads", pids[name]) for name in ("a", "b")]
    assert who.running(pool) == found
    pids["local"] = 20
    assert who.running(pool) == [found[0], who.Place(pool.paths.ads, 20), found[1]]
    assert spool.run("condor_who", "-pid", "31").out == ""


@pytest.mark.parametrize(
    ("asked", "same"),
    [("<1.2.3.4:5>", True), ("1.2.3.4:5", True), ("<1.2.3.4:5?other>", True), ("<1.2.3.4:6>", False), ("", False)],
)
def test_addresses(asked: str, same: bool) -> None:
    assert who._is_address(asked, "<1.2.3.4:5?addrs=x>") is same
