"""condor_top of a daemon prints what HTCondor 25.14's prints of the same ads."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_runner import Spool, run

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "top"
OLD, NEW = str(GOLDEN / "older.ad"), str(GOLDEN / "newer.ad")


@pytest.mark.parametrize(("options", "expected"), [
    ((), "default"), (("-c", "all"), "all"), (("--columns", "count"), "count"), (("-columns=count",), None),
])  # fmt: skip
def test_of_two_files(options: tuple[str, ...], expected: str | None, spool: Spool) -> None:
    for files in ((OLD, NEW), (NEW, OLD)):
        done = run("condor_top", *options, *files)
        if expected is None:
            assert done.code == 1
        else:
            assert done.out == (GOLDEN / f"{expected}.txt").read_text()


def test_more_attributes_and_another_order(spool: Spool) -> None:
    done = run("condor_top", "-c", "count", "--attrs=JobsStarted,Nothing", "-s", "TotalCt", OLD, NEW)
    names = [line.split()[-1] for line in done.out.splitlines()[8:]]
    assert names == ["Big", "Timer_x", "JobsStarted", "SCGetAutoCluster", "Command_QMGMT", "Odd"]


def test_of_the_history(spool: Spool) -> None:
    path = spool.path.parent / "schedd_daemon_history"
    mark = "*** ProcId = -1 Owner = \n"
    path.write_text("X = 1\n" + mark + Path(OLD).read_text() + mark + Path(NEW).read_text() + mark)
    assert run("condor_top", "-H").out == (GOLDEN / "default.txt").read_text()
    path.write_text(Path(OLD).read_text() + mark)
    done = run("condor_top", "--history")
    assert (done.code, "does not contain 2 ClassAds" in done.err) == (1, True)


@pytest.mark.parametrize(("words", "told"), [
    ((OLD,), "Bad arguments or more/less than 2 files"),
    ((OLD, OLD), "same timestamp"),
    ((OLD, "nowhere"), "nowhere"),
    (("-history", OLD, NEW), "cannot be combined"),
    (("-history", "-startd"), "only supported for Schedd"),
    (("-sort", "SIZE"), "cannot sort by SIZE"),
    (("-delay", "0"), "-delay is a number of seconds"),
    (("-schedd", "-delay", "inf"), "inf is not a valid value for -delay"),
    (("-schedd",), "Did not receive any Schedd ads"),
])  # fmt: skip
def test_what_is_refused(words: tuple[str, ...], told: str, spool: Spool) -> None:
    done = run("condor_top", *words)
    assert done.code == 1
    assert told in done.err
    assert "Traceback" not in done.err


def test_without_a_terminal_one_picture_is_printed(spool: Spool) -> None:
    spool.add(1, 3)
    done = run("condor_top")
    assert done.code == 0
    assert done.out.count("sleep 60") == 3
    assert "No condor_master is running" in done.out
    assert "\x1b" not in done.out
