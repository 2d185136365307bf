"""The pages of the pool and the queue say what condor_status and condor_q say, whatever changes and whoever restarts.

CONDOR_PY_WEB_CHANGES=10000 makes that many changes.
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "web"),
                str(Path(__file__).parents[1] / "unit" / "tools")]  # fmt: skip

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("jinja2")

from pool import PersonalPool, wait_for
from server import Server
from tool_runner import run

CHANGES = int(os.environ.get("CONDOR_PY_WEB_CHANGES") or 40)
_TOTALS = re.compile(r"(\d+) (completed|removed|idle|running|held|suspended)")
_DEEDS = ("condor_hold", "condor_release", "condor_rm", "condor_qedit", "condor_prio")


@pytest.fixture
def pool(own_pool: PersonalPool) -> PersonalPool:
    """A pool whose daemons may die."""
    return own_pool


@pytest.fixture
def web(pool: PersonalPool, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The pages of a pool; tools of this process find the pool, too."""
    for name, value in pool.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(pool.work)
    server = Server(pool)
    try:
        yield server
    finally:
        server.stop()
    assert server.complaints() == ""


def jobs_of_condor_q() -> dict[str, int]:
    line = next(line for line in run("condor_q", "-allusers").out.splitlines() if line.startswith("Total for all"))
    return {word: int(count) for count, word in _TOTALS.findall(line)}


def jobs_of_the_page(server: Server) -> dict[str, int]:
    counts: dict[str, int] = server.json("/queue")["counts"]
    running = counts["running"] + counts["transferring_output"]
    return {
        **{word: counts[word] for word in ("completed", "removed", "idle", "held", "suspended")},
        "running": running,
    }


def slots_of_condor_status() -> Counter[str]:
    return Counter(run("condor_status", "-af", "State").out.split())


def slots_of_the_page(server: Server) -> Counter[str]:
    groups = server.json("/pool")["groups"]
    return Counter(slot["state"] for group in groups for slot in group["slots"])


def batches_of_condor_q() -> set[tuple[str, str]]:
    rows = run("condor_q", "-allusers", "-af", "Owner", "JobBatchName", "ClusterId").out.splitlines()
    words = [row.split() for row in rows]
    return {(owner, f"ID: {cluster}" if name == "undefined" else name) for owner, name, cluster in words}


def batches_of_the_page(server: Server) -> set[tuple[str, str]]:
    """The batches of all pages of the queue: each has 100 rows."""
    first = server.json("/queue")
    pages = [first, *(server.json(f"/queue?page={number}") for number in range(2, first["pages"] + 1))]
    return {(row["owner"], row["name"]) for page in pages for row in page["batches"]}


def agree(server: Server) -> None:
    """Wait until pages and tools say the same: what a tool reads is a moment older or newer than a page."""

    def said() -> list[tuple[Any, Any]]:
        return [
            (jobs_of_the_page(server), jobs_of_condor_q()),
            (slots_of_the_page(server), slots_of_condor_status()),
            (batches_of_the_page(server), batches_of_condor_q()),
        ]

    wait_for(lambda: all(page == tool for page, tool in said()), lambda: f"pages and tools agree: {said()}", 30)


def change(pool: PersonalPool, dice: random.Random, number: int) -> None:
    """Change something in the queue, as users do."""
    if dice.random() < 0.3:
        held = "hold = true\n" if dice.random() < 0.3 else ""
        name = f"batch_name = batch{dice.randrange(5)}\n" if dice.random() < 0.5 else ""
        seconds = dice.choice([0, 3000])
        job = f"executable = /bin/sleep\narguments = {seconds}\nrequest_memory = 10\n{held}{name}"
        text = f"{job}queue {dice.randint(1, 3)}\n"
        (pool.work / "change.sub").write_text(text)
        assert run("condor_submit", "change.sub").code == 0
        return
    deed, cluster = dice.choice(_DEEDS), str(dice.randint(1, max(1, number // 3)))
    words = {"condor_qedit": [cluster, "Note", str(number)], "condor_prio": ["-p", str(number % 20), cluster]}
    run(deed, *words.get(deed, [cluster]))


def test_pages_say_what_the_tools_say_through_changes_and_restarts(pool: PersonalPool, web: Server) -> None:
    dice = random.Random(34)
    daemons = ["schedd", "startd", "negotiator", "master"]
    agree(web)
    for number in range(1, CHANGES + 1):
        change(pool, dice, number)
        if number % max(1, CHANGES // 10) == 0:
            agree(web)
        if daemons and number % max(1, CHANGES // 5) == 0:
            restart(pool, daemons.pop(0))
            agree(web)
    assert sum(jobs_of_condor_q().values()) > 0


def restart(pool: PersonalPool, daemon: str) -> None:
    """Let a daemon die; the master starts it again, and of the master the test does."""
    before = pool.pid(daemon)
    pool.kill(daemon)
    if daemon == "master":
        wait_for(lambda: not pool.serves("schedd"), "the daemons have followed their master")
        pool.start()
    else:
        wait_for(lambda: pool.serves(daemon) and pool.pid(daemon) != before, f"the {daemon} is back")
    wait_for(pool.ready, "the pool is ready")
