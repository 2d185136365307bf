"""The small modules of condor_dagman: its log, the ends of PRE scripts, its cycles, its scripts, its waiter."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from condor_py.core.dag.progress import ScriptResult
from condor_py.daemons.dagman.cycles import EVENT, CycleTimes
from condor_py.daemons.dagman.fulldisk import Patience
from condor_py.daemons.dagman.nodeslog import NodesLog, noop_events, pre_skip_event
from condor_py.daemons.dagman.outlog import OutLog
from condor_py.daemons.dagman.scriptjobs import ScriptEnd, ScriptJobs, ScriptLog
from condor_py.lang.dag.graph import NodeScript
from condor_py.model.settings.daemon import LogSettings


def test_the_log_leaves_out_what_is_above_its_level_and_begins_lines_as_dagman_debug_wants(tmp_path: Path) -> None:
    log = OutLog(str(tmp_path / "out"), 1)
    log.say("left out", 2)
    log.test("nobody asked")
    look = LogSettings("", milliseconds=True, pid=True, categories=frozenset(("D_TEST",)), tells_category=True)
    log.configure(look)
    log.loud("two\nlines")
    log.test("asked")
    log.farewell(2)
    begin = rf"\d\d/\d\d/\d\d \d\d:\d\d:\d\d\.\d{{3}} \(pid:{os.getpid()}\) "
    lines = (tmp_path / "out").read_text().splitlines()
    wanted = [
        r"\(D_ALWAYS\) two", r"\(D_ALWAYS\) lines", r"\(D_TEST\) asked",
        rf"\(D_ALWAYS\) \*\*\*\* condor_dagman \(condor_DAGMAN\) pid {os.getpid()} EXITING WITH STATUS 2",
    ]  # fmt: skip
    assert len(lines) == len(wanted)
    assert all(re.fullmatch(begin + end, line) for end, line in zip(wanted, lines, strict=True)), lines


def test_a_log_that_cannot_be_written_ends_nothing(tmp_path: Path) -> None:
    log = OutLog(str(tmp_path / "nowhere" / "out"), 3)
    log.say("lost")
    log.flush()
    assert list(tmp_path.iterdir()) == []


def test_ends_of_pre_scripts_are_read_as_they_were_written_and_a_torn_one_not_at_all(tmp_path: Path) -> None:
    patience = Patience(OutLog(str(tmp_path / "out"), 3), None)  # type: ignore[arg-type]
    log = ScriptLog(str(tmp_path / "t.dag"), patience)
    assert log.read() == []
    log.add([("A", ScriptEnd(0, "PRE", 0, None)), ("B", ScriptEnd(1, "PRE", None, 9))])
    log.add([("A", ScriptEnd(0, "PRE", 3, None))])
    with open(log.path, "a") as file:
        file.write("016 (-01.000.000) 2026-01-01 00:0")
    found = ScriptLog(str(tmp_path / "t.dag"), patience).read()
    assert found == [("A", ScriptResult(0)), ("B", ScriptResult(None, 9)), ("A", ScriptResult(3))]
    assert [end.value for _, end in found] == [0, -9, 3]
    log.remove()
    assert ScriptLog(str(tmp_path / "t.dag"), patience).read() == []


def test_cycles_are_told_as_an_ad_and_as_a_line() -> None:
    cycles = CycleTimes()
    assert "EventCycleTimeCount = 0.0" in cycles.expression()
    assert "EventCycleTimeAvg" not in cycles.expression()
    for _ in range(2):
        with cycles.measured(EVENT):
            pass
    assert "EventCycleTimeCount=2.000; " in cycles.line()
    assert "EventCycleTimeStd = " in cycles.expression()


def test_events_of_empty_and_skipped_nodes_name_their_nodes(tmp_path: Path) -> None:
    log = NodesLog(str(tmp_path / "nodes.log"))
    log.append([*noop_events("A", 1, 1000.0), pre_skip_event("B", 2, 1001.0)])
    seen = [(event.number, event.name, event.subproc, event.code) for event, _ in log.read()]
    assert seen == [(0, "A", 1, None), (5, "", 1, 0), (34, "B", 2, None)]
    log.create(keep=True)
    assert log.size() > 0
    log.create(keep=False)
    assert log.size() == 0


def ended(scripts: ScriptJobs) -> list[ScriptEnd]:
    """Waits for the ends of scripts."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = list(scripts.ended())
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("no script ends")


@pytest.mark.parametrize(
    ("body", "code", "number"), [("exit 0", 0, None), ("exit 7", 7, None), ("kill -9 $$", None, 9)]
)  # fmt: skip
def test_scripts_end_with_a_code_or_by_a_signal(
    tmp_path: Path, body: str, code: int | None, number: int | None
) -> None:
    (tmp_path / "s.sh").write_text(f"#!/bin/sh\n{body}\n")
    (tmp_path / "s.sh").chmod(0o755)
    scripts = ScriptJobs()
    assert scripts.start(4, "POST", "A", ("s.sh",), str(tmp_path), NodeScript("s.sh")) == ""
    assert ended(scripts) == [ScriptEnd(4, "POST", code, number)]


def test_a_script_that_is_not_there_has_failed_with_1(tmp_path: Path) -> None:
    scripts = ScriptJobs()
    why = scripts.start(4, "PRE", "A", ("s.sh", "x"), str(tmp_path), NodeScript("s.sh x"))
    assert why == 'Create_Process: Cannot access specified executable "s.sh": errno = 2 (No such file or directory)'
    assert ended(scripts) == [ScriptEnd(4, "PRE", 1, None)]
