"""What condor_top draws."""

from __future__ import annotations

import pytest
from top_world import LINES, job, snapshot, type_keys

from condor_py.cli.output.terminal import screen_width
from condor_py.cli.top.picture import Line, heights, picture, plain, whole
from condor_py.cli.top.rows import Part, Snapshot
from condor_py.cli.top.state import State, settle
from condor_py.model.states import JobStatus


def drawn(state: State, seen: Snapshot, columns: int = 80, lines: int = LINES) -> list[str]:
    state = settle(state, seen, heights(state, seen, lines))
    return plain(picture(state, seen, columns, lines)).splitlines()


def style_of(shown: list[Line], text: str) -> str:
    return next(style for pieces in shown for piece, style in pieces if text in piece)


MANY = snapshot(*(job(number) for number in range(1, 301)))


def test_a_small_pool() -> None:
    seen = snapshot(job(1, status=JobStatus.RUNNING), job(2, owner="bob"))
    lines = drawn(State(), seen)
    assert lines[0].startswith("condor_top  lab  11/20 ")
    assert lines[0].endswith("load 0.50 0.25 0.10")
    assert lines[1] == "Cpus [||||||||||||||     ] 3/4   Mem [|                  ] 0.4/7.8 GB"
    assert lines[2] == "Jobs 2: 1 running, 1 idle   Slots 3: 3 claimed"
    assert " alice                       500.00      3    75%      50%      3       1      0" in lines
    assert " slot1_10   Claimed/Busy      1    128    0  1.00 alice          10.0 0+00:00:05" in lines
    assert " 1.0        alice       R 0+00:01:00    1    128           sleep" in lines
    assert lines[-1].startswith("q quit")


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (200, 60), (40, 10), (20, 5), (1, 1), (132, 3)])
@pytest.mark.parametrize("keys", [(), ("z",), ("?",), ("tab",), ("/", "x"), ("x",)])
def test_nothing_is_larger_than_the_screen(columns: int, lines: int, keys: tuple[str, ...]) -> None:
    state, _ = type_keys(State(), MANY, *keys)
    shown = drawn(state, MANY, columns, lines)
    assert len(shown) <= lines
    assert max(map(len, shown), default=0) <= columns


def test_the_last_lines_are_for_keys_and_questions_however_much_there_is() -> None:
    state, _ = type_keys(State(), MANY, "end", "x")
    shown = drawn(state, MANY)
    assert len(shown) == LINES
    assert shown[-1] == "Remove job 300.0? (y/n)"
    assert any(line.startswith(" 300.0 ") for line in shown)


def test_the_table_scrolls_with_the_cursor() -> None:
    state, _ = type_keys(State(), MANY, "end", "up", "up")
    shown = drawn(state, MANY)
    assert any(line.startswith(" 298.0 ") for line in shown)
    assert any(line.startswith(" 300.0 ") for line in shown)
    assert not any(line.startswith(" 1.0 ") for line in shown)


def test_one_table_alone() -> None:
    state, _ = type_keys(State(), MANY, "z")
    shown = drawn(state, MANY)
    assert sum(1 for line in shown if "sleep" in line) == LINES - 3 - 1 - 2
    assert not any("ENTITLED" in line for line in shown)


def test_the_job_under_the_cursor_says_why() -> None:
    seen = snapshot(job(1, status=JobStatus.HELD, note="held: no such file"))
    assert drawn(State(), seen)[-2] == "1.0: held: no such file"


def test_what_keeps_us_from_knowing_is_said() -> None:
    seen = snapshot(problem="No condor_master is running on this machine")
    assert drawn(State(), seen)[-2] == seen.problem


def test_text_of_jobs_moves_no_cursor() -> None:
    shown = drawn(State(), snapshot(job(1, command="\x1b[2Jboom\nbang")))
    assert any("?[2Jboom?bang" in line for line in shown)


def test_names_in_any_script_stay_in_their_columns() -> None:
    seen = snapshot(job(1, owner="中文中文中文中文", command="é" * 100), job(2, command="e" * 100))
    wide, narrow = (line for line in drawn(State(), seen) if line.startswith((" 1.0", " 2.0")))
    assert screen_width(wide) == screen_width(narrow) == 80
    assert screen_width(wide[: wide.index(" I ")]) == narrow.index(" I ")


def test_what_matters_stands_out() -> None:
    seen = snapshot(
        job(1), job(2, status=JobStatus.HELD, command="stuck"), job(3, status=JobStatus.RUNNING, command="busy")
    )
    shown = picture(State(panel=1), seen, 80, LINES)
    assert style_of(shown, "stuck") == "bad"
    assert style_of(shown, "busy") == "good"
    assert style_of(shown, " bob ") == "warn"  # waits, and has less than he is entitled to
    assert style_of(shown, " alice        ") == ""


def test_gpus_are_shown_where_there_are_some() -> None:
    assert "GPUs" in drawn(State(), snapshot(gpus=Part(1, 2)))[1]
    assert "GPUs" not in drawn(State(), snapshot())[1]


def test_everything_at_once_has_every_job_and_no_keys() -> None:
    text = plain(whole(State(), MANY, 100))
    assert text.count("sleep") == 300
    assert "q quit" not in text
    assert "^" in text  # what the tables are sorted by
