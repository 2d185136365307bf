"""The terminal of condor_top: what is written where, which keys do what to the pool, and how it ends."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from top_world import job, snapshot

from condor_py.cli.top import screen
from condor_py.cli.top.columns import JOBS, SLOTS, USERS, heading, line
from condor_py.cli.top.look import Looker
from condor_py.cli.top.rows import JobRow, SlotRow, Snapshot, UserRow
from condor_py.cli.top.screen import CannotDraw, carry_out, run
from condor_py.cli.top.state import Act, State
from condor_py.client.pool import Pool
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

PLAIN = State()
ONE, TWO = JobId(1, 0), JobId(2, 0)


class World:
    """A pool, and a terminal whose user types ``keys``: text, or something that happens."""

    def __init__(self) -> None:
        self.results: dict[JobId, int] = {ONE: 1, TWO: 1}
        self.acts: list[tuple[str, tuple[JobId, ...]]] = []
        self.looks = 0
        self.seen: Snapshot = snapshot(job(1), job(2))
        self.keys: list[str | int | Callable[[], object]] = []
        self.lines: dict[int, str] = {}
        self.drawn: list[str] = []
        self.colors: dict[int, int] = {}
        self.row = 0
        self.ended = False
        self.cursor = 1
        self.encoding = "utf-8"
        self.waits: list[int] = []
        self.pool = cast(Pool, self)
        self.looker = cast(Looker, self)

    # -- the pool

    def act(self, action: str, wanted: Any) -> Any:
        self.acts.append((action, wanted.ids))
        return SimpleNamespace(results=self.results)

    def snapshot(self) -> Snapshot:
        self.looks += 1
        return self.seen

    # -- the window

    def getmaxyx(self) -> tuple[int, int]:
        return 24, 80

    def keypad(self, on: bool) -> None:
        assert on

    def erase(self) -> None:
        self.lines = {}

    def move(self, row: int, column: int) -> None:
        self.row = row

    def addstr(self, text: str, style: int) -> None:
        self.lines[self.row] = self.lines.get(self.row, "") + text

    def refresh(self) -> None:
        self.drawn.append("\n".join(text for _, text in sorted(self.lines.items())))

    def timeout(self, milliseconds: int) -> None:
        self.waits.append(milliseconds)

    def get_wch(self) -> str | int:
        if not self.keys:
            raise FakeError
        key = self.keys.pop(0)
        if callable(key):
            key()
            raise FakeError
        return key

    def run(self, *keys: str | int | Callable[[], object], state: State = PLAIN) -> int:
        self.keys = list(keys)
        return run(self.pool, self.looker, state)


class FakeError(Exception):
    """curses.error"""


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    names = "KEY_UP KEY_DOWN KEY_PPAGE KEY_NPAGE KEY_HOME KEY_END KEY_BTAB KEY_F1 KEY_ENTER KEY_BACKSPACE KEY_RESIZE"
    styles = "A_BOLD A_UNDERLINE A_REVERSE A_NORMAL COLOR_GREEN COLOR_RED COLOR_YELLOW COLOR_CYAN"

    def nothing(*words: object) -> None:
        """Nothing is to be done."""

    def end() -> None:
        made.ended = True

    def show(how: int) -> None:
        made.cursor = how

    fake = SimpleNamespace(
        error=FakeError, setupterm=nothing, tigetstr=lambda name: b"x", initscr=lambda: made, noecho=nothing,
        cbreak=nothing, set_escdelay=nothing, curs_set=show, endwin=end, start_color=nothing, has_colors=lambda: True,
        use_default_colors=nothing, init_pair=lambda number, *_: made.colors.update({number: 1}),
        color_pair=lambda number: number << 8, update_lines_cols=nothing,
        **{name: 1000 + number for number, name in enumerate(names.split())},
        **{name: 1 << number for number, name in enumerate(styles.split())},
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "curses", fake)
    monkeypatch.setattr(screen, "_is_gone", lambda handle: not made.keys)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(fileno=lambda: 0))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return made


def test_the_terminal_is_given_back_at_the_end(world: World) -> None:
    before = [signal.getsignal(number) for number in (1, 2, 3, 15)]
    assert world.run("q") == 0
    assert (world.ended, world.cursor, world.looks) == (True, 1, 1)
    assert [signal.getsignal(number) for number in (1, 2, 3, 15)] == before
    assert "sleep" in world.drawn[0]
    assert len(world.colors) == 6


def test_a_terminal_that_goes_away_ends_it(world: World) -> None:
    assert world.run() == 128 + signal.SIGHUP
    assert world.ended


@pytest.mark.parametrize(("number", "code"), [(2, 0), (15, 143), (1, 129), (3, 131)])
def test_signals_end_it_in_order(world: World, number: int, code: int) -> None:
    assert world.run(lambda: os.kill(os.getpid(), number), "x") == code
    assert world.ended


def test_an_action_is_done_when_it_is_confirmed_and_its_result_is_shown(world: World) -> None:
    assert world.run("h", "y", "q") == 0
    assert world.acts == [("hold", (ONE,))]
    assert world.looks == 2, "the pool has changed"
    assert "Hold job 1.0? (y/n)" in world.drawn[1]
    assert "Job 1.0 held." in world.drawn[2]
    world.acts.clear()
    world.run("h", "n", "q")
    assert world.acts == []


def test_the_pool_is_read_when_that_is_wished_and_keys_of_the_terminal_have_names(world: World) -> None:
    curses = sys.modules["curses"]
    assert world.run("g", curses.KEY_DOWN, "x", "\x1b", curses.KEY_RESIZE, "q") == 0
    assert world.looks == 2
    assert "Remove job 2.0? (y/n)" in world.drawn[3]
    assert "Nothing was done." in world.drawn[4]
    assert "Nothing was done." in world.drawn[5], "a terminal of another size is only drawn again"


def test_the_pool_is_read_again_in_time_unless_that_is_paused_or_a_question_is_open(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(monotonic=lambda: now[0])
    now = [100.0]
    monkeypatch.setattr(screen, "time", clock)

    def later() -> None:
        now[0] += 10

    world.run(later, "q", state=State(delay=2.0))
    assert world.looks == 2
    assert world.waits == [2000, 2000]
    world.looks, world.waits = 0, []
    world.run("p", later, "p", "q", state=State(delay=2.0))
    assert world.looks == 2, "one at the beginning, and one when it goes on"
    assert world.waits[1] == 3_600_000
    world.looks, world.waits = 0, []
    world.run("x", later, "n", "q", state=State(delay=2.0))
    assert world.looks == 2
    world.waits = []
    world.run("+", "q", state=State(delay=2.0))
    assert world.waits == [2000, 4000]


def test_what_the_terminal_cannot_show_is_replaced(world: World) -> None:
    world.encoding = "ascii"
    world.seen = snapshot(job(1, command="na\u00efve"))
    world.run("q")
    assert "na?ve" in world.drawn[0]


@pytest.mark.parametrize("reason", ["dumb", "no cursor", "unknown"])
def test_terminals_that_cannot_be_drawn_on(world: World, monkeypatch: pytest.MonkeyPatch, reason: str) -> None:
    def fail() -> None:
        raise FakeError

    if reason == "dumb":
        monkeypatch.setenv("TERM", "dumb")
    elif reason == "no cursor":
        monkeypatch.setattr(sys.modules["curses"], "tigetstr", lambda name: None)
    else:
        monkeypatch.setattr(sys.modules["curses"], "setupterm", fail)
    with pytest.raises(CannotDraw):
        world.run("q")
    assert world.looks == 0


def test_no_colour_where_none_is_wished(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    world.run("q")
    assert world.colors == {}


@pytest.mark.parametrize(
    ("results", "told"),
    [
        ({ONE: 1}, "Job 1.0 held."),
        ({}, "Job 1.0 not found."),
        ({ONE: 1, TWO: 1}, "2 of 2 jobs: hold worked."),
        ({ONE: 1, TWO: None}, "1 of 2 jobs: hold worked. Job 2.0 not found."),
    ],
)
def test_what_became_of_an_action(world: World, results: dict[JobId, Any], told: str) -> None:
    world.results = {one: result for one, result in results.items() if result is not None}
    assert carry_out(world.pool, Act("hold", tuple(results) or (ONE,))) == told


def test_a_pool_that_does_not_answer_is_told_in_one_line(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(action: str, wanted: object) -> None:
        raise CondorError("The schedd is away.\nStart it.")

    monkeypatch.setattr(world, "act", fail)
    assert carry_out(world.pool, Act("hold", (ONE,))) == "The schedd is away."


USER = UserRow("ann", None, 2.5, None, 0.256, 3, 4, 5)
SLOT = SlotRow("slot1_2", "Claimed", "Busy", 1.0, 128, 1, 0.5, "ann", "7.3", 90061)
JOB = JobRow(JobId(7, 3), "ann", JobStatus.HELD, -5, 2, 128, "slot1_2", "sim \x1b", "")


def test_cells_are_what_people_read() -> None:
    assert line(USERS, USER, 70).split() == ["ann", "-", "2.5", "-", "26%", "3", "4", "5"]
    assert line(USERS, USER._replace(slots=1234.5, priority=0.5, share=1.0), 70).split()[:4] == [
        "ann", "0.50", "1234", "100%",
    ]  # fmt: skip
    assert line(SLOTS, SLOT, 90).split() == [
        "slot1_2", "Claimed/Busy", "1", "128", "1", "0.50", "ann", "7.3", "1+01:01:01",
    ]  # fmt: skip
    assert line(JOBS, JOB, 90).split() == ["7.3", "ann", "H", "0+00:00:00", "2", "128", "slot1_2", "sim", "?"]
    assert line(JOBS, JOB._replace(status=99), 90).split()[2] == "?"


@pytest.mark.parametrize(
    ("column", "backwards", "mark"), [(0, False, "ID^"), (0, True, "IDv"), (3, False, "TIMEv"), (3, True, "TIME^")]
)
def test_an_arrow_tells_the_order(column: int, backwards: bool, mark: str) -> None:
    assert mark in heading(JOBS, 90, column, backwards).split()
    assert not set("^v") & set(heading(JOBS, 90))
