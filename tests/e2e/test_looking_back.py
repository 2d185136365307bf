"""Two real users on a real pool: what condor_report and condor_userprio -explain tell an ordinary account is so."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from pool import wait_for
from shared_pool import STRANGER, SharedPool

_JOBS = "executable = /bin/sleep\narguments = 1\nlog = {log}\nqueue {count}\n"


def test_why_and_how_much(stopped_shared: SharedPool) -> None:
    pool = stopped_shared
    pool.knob("NEGOTIATION_HISTORY_INTERVAL", "1")
    pool.knob("NEGOTIATOR_INTERVAL", "2")
    for knob in ("JOB_USAGE_RECORD_INTERVAL", "CGROUP_POLLING_INTERVAL", "PID_SNAPSHOT_INTERVAL"):
        pool.knob(knob, "1")
    pool.start()
    pool.submit("executable = /bin/true\nlog = first.log\nqueue\n")
    pool.submit_as_stranger("executable = /bin/true\nlog = first.log\nqueue\n")
    wait_for(lambda: len(pool.history("ClusterId")) == 2, "both have a record")
    me = pool.history("User")[0][0].rpartition("@")[2]
    stranger, root = f"{STRANGER}@{me}", f"root@{me}"
    pool.tool("condor_userprio", "-setfactor", stranger, "100000")
    pool.submit(_JOBS.format(log="many.log", count=12))
    pool.submit_as_stranger(_JOBS.format(log="many.log", count=4))
    pool.wait("many.log")
    wait_for(lambda: len(pool.history("ClusterId")) == 18, "all have ended", 60)

    def why() -> str:
        return pool.as_stranger("condor_userprio", "-explain", "me", "root").stdout

    wait_for(lambda: "Factor: that of" in why(), "the record tells why")
    text = why()
    ratio = re.search(rf"Factor: that of {stranger} is ([\d.]+) times that of {root}", text)
    assert ratio, text
    assert 10 < float(ratio[1]) <= 100, "the mean over the time, which began with the same factor"
    assert f"Priority: while both had jobs, the share of {stranger} was " in text
    assert "up to 4 jobs waited" in text
    assert f"While jobs waited, others held on average (slot weight): {root} " in text

    counted = pool.as_stranger("condor_history", "-af", "Owner").stdout.split()

    def report() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(pool.as_stranger("condor_report", "-last", "1h", "-json").stdout)
        return found

    wait_for(lambda: report()["entitlement"][stranger]["used"] > 0, "what was used has been charged")
    told = report()
    assert {name: one["jobs"] for name, one in told["users"].items()} == {
        "root": counted.count("root"), STRANGER: counted.count(STRANGER)}  # fmt: skip
    assert counted.count("root") == 13
    runs = pool.as_stranger("condor_history", "-epochs", "-af", "EpochWriteDate - ShadowBday").stdout.split()
    assert told["runs"] == len(runs) == 18
    assert told["run_core_hours"] * 3600 == pytest.approx(sum(map(int, runs)))
    assert told["entitlement"][root]["used"] > told["entitlement"][stranger]["used"]
    assert told["waiting"]["worst"] == max(
        int(one) for one in pool.as_stranger("condor_history", "-af", "JobStartDate - QDate").stdout.split()
    )
    page = pool.theirs / "mine.html"
    done = pool.as_stranger("condor_report", "-user", "me", "-o", str(page))
    assert (done.returncode, done.stderr) == (0, "")
    assert "<title>Use of " in page.read_text()
    drawn = pool.as_stranger("condor_userprio", "-plot").stdout
    assert root in drawn.partition("Slot weight in use")[2], "the accountant's log is closed to others, the records not"
    _draws_the_life_of_a_job(pool)


def _draws_the_life_of_a_job(pool: SharedPool) -> None:
    """Its owner sees the use of a running job; when it has ended everyone does, in the record of the run."""
    pool.submit_as_stranger("executable = /bin/sleep\narguments = 600\nlog = life.log\nqueue\n")
    (job,) = pool.as_stranger("condor_q", "-af", "ClusterId").stdout.split()

    def drawn() -> str:
        return pool.as_stranger("condor_history", f"{job}.0", "-plot").stdout

    wait_for(lambda: "memory (MB): from 0 to " in drawn(), "the starter has noted its use")
    assert "> running" in drawn()
    pool.as_stranger("condor_rm", job)
    wait_for(lambda: "r removed" in drawn(), "the run has a record")
    assert "memory (MB): from 0 to " in drawn()
    text = pool.as_stranger("condor_history", "-epochs", job, "-af", "UsageRecord").stdout
    assert re.fullmatch(r"\d+ 0\.\d\d [\d.]+ [\d.]+(; \d+ 0\.\d\d [\d.]+ [\d.]+)+\n", text)
