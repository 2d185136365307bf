"""condor_router_q, condor_router_rm and condor_router_history: which jobs they choose, and what they say of them."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from tool_runner import Done, Spool

from condor_py.cli import act
from condor_py.cli.q import main as q_main
from condor_py.cli.router import wrappers

ON_ROUTES = "RouteName =!= UNDEFINED"


@pytest.mark.parametrize(
    ("words", "constraint", "rest"),
    [
        ("", ON_ROUTES, []),
        ("-idle", f"{ON_ROUTES} && JobStatus == 1", []),
        ("-held", f"{ON_ROUTES} && JobStatus == 5", []),
        ("-route Slurm", f'{ON_ROUTES} && RouteName =?= "Slurm"', []),
        ('-site a"b', f'{ON_ROUTES} && RouteName =?= "a\\"b"', []),
        ("-constraint a||b", f"{ON_ROUTES} && (a||b)", []),
        ("-route Slurm -idle -all", f'{ON_ROUTES} && RouteName =?= "Slurm" && JobStatus == 1', ["-all"]),
        ("-long -idle", ON_ROUTES, ["-long", "-idle"]),
    ],
)
def test_jobs_that_are_chosen(
    monkeypatch: pytest.MonkeyPatch, spool: Spool, words: str, constraint: str, rest: list[str]
) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(q_main, "main", lambda argv: asked.append(argv) or 3)
    monkeypatch.setattr(act, "remove", lambda argv: asked.append(argv) or 4)
    assert spool.run("condor_router_q", *words.split()).code == 3
    assert spool.run("condor_router_rm", *words.split()).code == 4
    assert asked == [["-constraint", constraint, *rest], [*rest, "-constraint", constraint]]


@pytest.mark.parametrize("tool", ["condor_router_q", "condor_router_rm"])
def test_an_option_without_its_word(spool: Spool, tool: str) -> None:
    for option in ("-constraint", "-route", "-site"):
        done = spool.run(tool, "-idle", option)
        assert (done.out, done.code) == ("", 1)
        assert done.err.startswith(f"{tool}: {option} requires another argument\n")
    for option in ("-h", "-help", "--help"):
        done = spool.run(tool, option, "-nonsense")
        assert (done.out.startswith(f"Usage: {tool} "), done.err, done.code) == (True, "", 0)


HEAD = "   JOBS ST Route                GridResource\n"


@pytest.fixture
def routed(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    """Jobs of two routes, one of another user, and one that is on none."""
    slurm = {"RouteName": '"Slurm"', "GridResource": '"batch slurm"'}
    monkeypatch.setattr(wrappers, "os", SimpleNamespace(geteuid=lambda: 1000))
    spool.add(1, 2, **slurm)
    spool.add(2, 1, **slurm, JobStatus="2")
    spool.add(3, 1, **slurm, JobStatus="5")
    spool.add(4, 1, owner="alice", **slurm)
    spool.add(5, 1, RouteName='"Here"', JobStatus="4")
    spool.add(6, 1)
    spool.add(7, 1, RouteName='"Here"', JobStatus="7")
    return spool


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("-S", ["      1  7 Here", "      1  C Here", "      1  H Slurm                batch slurm",
                "      2  I Slurm                batch slurm", "      1  R Slurm                batch slurm"]),
        ("-R", ["      1  R Slurm                batch slurm"]),
        ("-H", ["      1  H Slurm                batch slurm"]),
        ("-I -route Here", ["      1  7 Here", "      1  C Here"]),
        ("-S -idle", ["      2  I Slurm                batch slurm"]),
        ("-constraint ClusterId==2 -S", ["      1  R Slurm                batch slurm"]),
        ("-S -route none", []),
    ],
)  # fmt: skip
def test_jobs_of_each_route_are_counted(routed: Spool, words: str, lines: list[str]) -> None:
    assert routed.run("condor_router_q", *words.split()) == (HEAD + "".join(f"{line}\n" for line in lines), "", 0)


def test_jobs_of_all_users_are_counted_where_the_pool_says_so(routed: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    one = ("condor_router_q", "-S", "-route", "Slurm", "-idle")
    assert routed.run(*one).out == f"{HEAD}      2  I Slurm                batch slurm\n"
    monkeypatch.setenv("_CONDOR_CONDOR_Q_ONLY_MY_JOBS", "false")
    assert routed.run(*one).out == f"{HEAD}      3  I Slurm                batch slurm\n"
    monkeypatch.delenv("_CONDOR_CONDOR_Q_ONLY_MY_JOBS")
    monkeypatch.setattr(wrappers, "os", SimpleNamespace(geteuid=lambda: 0))
    assert routed.run(*one).out == f"{HEAD}      3  I Slurm                batch slurm\n"
    done = routed.run("condor_router_q", "-S", "-constraint", "((")
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith("condor_router_q: RouteName =!= UNDEFINED && (((): ")


# -- condor_router_history

DAY = 86400
NOW = 1795888800  # 2026-11-28 18:00 UTC


def job(cluster: int, status: int, hours_ago: float, hours: float, **more: str) -> str:
    ad = {
        "ClusterId": str(cluster), "ProcId": "0", "JobStatus": str(status), "Owner": '"bob"', "Iwd": '"/home/bob"',
        "RemoteWallClockTime": str(hours * 3600), "EnteredCurrentStatus": str(int(NOW - hours_ago * 3600)),
        "CompletionDate": str(int(NOW - hours_ago * 3600)) if status == 4 else "0",
    } | more  # fmt: skip
    body = "".join(f"{name} = {text}\n" for name, text in ad.items())
    return f'{body}*** Offset = 0 ClusterId = {cluster} ProcId = 0 Owner = "bob" CompletionDate = {NOW}\n'


@pytest.fixture
def past(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    """Copies of three routes that ended, one two days ago, and a job that was never on a route."""
    monkeypatch.setattr(time, "time", lambda: float(NOW))
    records = [
        job(1, 4, 48, 5, RouteName='"Slurm"'),
        job(2, 4, 5, 2.5, RouteName='"Slurm"', SUBMIT_Iwd='"/sub"'),
        job(3, 3, 4, 0.5, RouteName='"Slurm"'),
        job(4, 4, 3, 10, RoutedFromRoute='"Big"'),
        job(5, 4, 2, 1),
        job(6, 9, 1, 0.25, RouteName='"Odd"'),
    ]
    path = spool.path.parent / "history"
    text = ""
    for record in records:
        text += record.replace("Offset = 0", f"Offset = {len(text)}")
    path.write_text(text)
    return spool


TABLE = """\
Site            Hours    Jobs    Runs
                      Completed Aborted
-------------------------------------------------------
Big                10       1     0
Slurm               2       1     1
Odd                 0       0     1
-------------------------------------------------------
TOTAL              12       2     2
"""


@pytest.mark.parametrize(
    ("words", "first", "rest"),
    [
        ("", "2026-11-27 18:00 to 2026-11-28 18:00", TABLE),
        ("--days=3", "2026-11-25 18:00 to 2026-11-28 18:00",
         TABLE.replace("Slurm               2       1     1\n", "").replace(
             "Big                10       1     0\n",
             "Big                10       1     0\nSlurm               8       2     1\n")
         .replace("TOTAL              12       2     2", "TOTAL              18       3     2")),
        ("-show_records", "2026-11-27 18:00 to 2026-11-28 18:00",
         "JobID Status Site Runtime\n6.0 U Odd 900\n4.0 C Big 36000\n3.0 X Slurm 1800\n2.0 C Slurm 9000\n"),
        ("-show_records -show_iwd -age 1 -days 2", "2026-11-25 18:00 to 2026-11-27 18:00",
         "JobID Status Site Runtime IWD\n1.0 C Slurm 18000 /home/bob\n"),
        ("-show_records -show_iwd --age=0.2", "2026-11-27 13:12 to 2026-11-28 13:12",
         "JobID Status Site Runtime IWD\n2.0 C Slurm 9000 /sub\n"),
    ],
)  # fmt: skip
def test_what_became_of_copies(past: Spool, words: str, first: str, rest: str) -> None:
    done: Done = past.run("condor_router_history", *words.split())
    assert (done.err, done.code) == ("", 0)
    assert done.out == f"Routed job history from {first}\n\n{rest}"


def test_no_history_is_kept(spool: Spool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("_CONDOR_HISTORY", "")
    done = spool.run("condor_router_history")
    assert (done.err, done.code) == ("condor_router_history: no history is kept (HISTORY)\n", 1)
    done = spool.run("condor_router_history", "word")
    assert (done.err.splitlines()[0], done.code) == ("Command line argument error: unknown argument word", 1)
    assert spool.run("condor_router_history", "-h").out.startswith("Usage: condor_router_history")
