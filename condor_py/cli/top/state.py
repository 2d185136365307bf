"""The choices of condor_top's user, and the effect of each key on them. Pure: no I/O."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from condor_py.cli.top.columns import JOBS, PANELS, Column
from condor_py.cli.top.rows import SlotRow, Snapshot, UserRow, Wanted
from condor_py.model.ids import JobId

USERS_PANEL, SLOTS_PANEL, JOBS_PANEL = range(3)
#: Keys of actions: the action, and what is asked before it is done.
ACTIONS = {"h": ("hold", "Hold"), "r": ("release", "Release"), "x": ("remove", "Remove")}
_FASTEST, _SLOWEST = 0.5, 3600.0


class Cursor(NamedTuple):
    """A place in a table: the key of the row (a name or a job), where that was, and the first row that is shown."""

    key: object = None
    at: int = 0
    top: int = 0


class Act(NamedTuple):
    """Jobs to be held, released or removed."""

    action: str
    jobs: tuple[JobId, ...]


class Quit(NamedTuple):
    """The end."""


class Look(NamedTuple):
    """The pool is to be read now."""


class State(NamedTuple):
    """Everything that keys change. ``mode`` is "", "help", "filter" (``typed`` so far) or "confirm" (``asked``).

    ``sorts`` has a column and whether it is turned round for each table. ``delay`` in seconds.
    """

    panel: int = JOBS_PANEL
    zoomed: bool = False
    paused: bool = False
    mine: bool = False
    filter: str = ""
    mode: str = ""
    typed: str = ""
    asked: Act | None = None
    message: str = ""
    delay: float = 2.0
    sorts: tuple[tuple[int, bool], ...] = ((2, False), (0, False), (2, False))
    cursors: tuple[Cursor, ...] = (Cursor(), Cursor(), Cursor())
    tagged: frozenset[JobId] = frozenset()

    @property
    def wanted(self) -> Wanted:
        """The jobs to show, but for whose."""
        column, backwards = self.sorts[JOBS_PANEL]
        return Wanted(JOBS[column].title, backwards, self.filter)


Order = Act | Quit | Look | None


def entries(panel: int, state: State, seen: Snapshot) -> Sequence[UserRow | SlotRow | JobId]:
    """The rows of a table in order; of jobs their ids."""
    if panel == JOBS_PANEL:
        return seen.jobs.ordered(state.wanted._replace(owner=seen.me if state.mine else ""))
    rows: Sequence[UserRow | SlotRow] = seen.slots if panel == SLOTS_PANEL else seen.users
    columns = PANELS[panel][1]
    word = state.filter.lower()
    if word:
        rows = [row for row in rows if any(word in column.cell(row).lower() for column in columns if column.left)]
    return _sorted(rows, columns, *state.sorts[panel])


def _sorted(
    rows: Sequence[UserRow | SlotRow], columns: tuple[Column, ...], at: int, backwards: bool
) -> Sequence[UserRow | SlotRow]:
    first = sorted(rows, key=columns[0].key)
    return sorted(first, key=columns[at].key, reverse=columns[at].falls != backwards)


def key_of(entry: UserRow | SlotRow | JobId) -> object:
    """Return the identity of a row."""
    return entry if isinstance(entry, JobId) else entry.name


def settle(state: State, seen: Snapshot, heights: Sequence[int]) -> State:
    """Cursors on the rows they were on, wherever those are now; ``heights``: how many rows each table can show."""
    cursors = []
    for panel, cursor in enumerate(state.cursors):
        found = entries(panel, state, seen)
        cursors.append(_settled(cursor, found, max(1, heights[panel])))
    gone = {job for job in state.tagged if seen.jobs.owner(job) is None}
    return state._replace(cursors=tuple(cursors), tagged=state.tagged - gone)


def _settled(cursor: Cursor, found: Sequence[UserRow | SlotRow | JobId], height: int) -> Cursor:
    if not found:
        return Cursor()
    index = min(cursor.at, len(found) - 1)
    if cursor.at and cursor.key is not None and key_of(found[index]) != cursor.key:
        index = next((at for at, entry in enumerate(found) if key_of(entry) == cursor.key), index)
    top = min(cursor.top, index, max(0, len(found) - height))
    return Cursor(key_of(found[index]), index, max(top, index - height + 1))


def press(state: State, key: str, seen: Snapshot, heights: Sequence[int]) -> tuple[State, Order]:
    """Return the state after a key, and the order to carry out. Keys are letters, or names such as "up" and "enter"."""
    if state.mode == "confirm":
        asked, state = state.asked, state._replace(mode="", asked=None)
        if key in ("y", "Y"):
            return state._replace(tagged=frozenset()), asked
        return state._replace(message="Nothing was done."), None
    if state.mode == "filter":
        return _typed(state, key), None
    if state.mode == "help":
        return state._replace(mode=""), None
    state = state._replace(message="")
    if key == "q":
        return state, Quit()
    if key in ACTIONS:
        return _ask(state, *ACTIONS[key], seen), None
    if key in _MOVES:
        return _move(state, key, seen, heights), None
    if key == "space":
        return _tag(state, seen, heights), None
    if key == "g":
        return state, Look()
    return _choose(state, key), None


def _typed(state: State, key: str) -> State:
    """Letters of the filter, which works while it is typed."""
    if key == "enter":
        return state._replace(mode="")
    if key == "esc":
        return state._replace(mode="", filter="", typed="")
    letter = " " if key == "space" else key
    if key == "backspace":
        text = state.typed[:-1]
    elif len(letter) == 1 and letter.isprintable():
        text = state.typed + letter
    else:
        return state
    return state._replace(typed=text, filter=text)


def _choose(state: State, key: str) -> State:
    """Keys that change what is shown."""
    if key in ("?", "f1"):
        return state._replace(mode="help")
    if key == "/":
        return state._replace(mode="filter", typed=state.filter)
    if key == "esc":
        return state._replace(filter="", tagged=frozenset())
    if key in ("tab", "btab"):
        step = 1 if key == "tab" else -1
        return state._replace(panel=(state.panel + step) % len(PANELS))
    if key == "z":
        return state._replace(zoomed=not state.zoomed)
    if key == "p":
        return state._replace(paused=not state.paused)
    if key == "u":
        return state._replace(mine=not state.mine)
    if key in ("+", "-"):
        delay = state.delay * 2 if key == "+" else state.delay / 2
        delay = min(_SLOWEST, max(_FASTEST, delay))
        return state._replace(delay=delay, message=f"Every {delay:g} seconds.")
    if key in ("s", "S", "<", ">"):
        return _sort(state, key)
    return state._replace(message="? tells what the keys do.")


def _sort(state: State, key: str) -> State:
    """Another column to sort by, or the other way round; the cursor goes to the top."""
    column, backwards = state.sorts[state.panel]
    if key == "S":
        backwards = not backwards
    else:
        count = len(PANELS[state.panel][1])
        column, backwards = (column + (-1 if key == "<" else 1)) % count, False
    sorts = list(state.sorts)
    sorts[state.panel] = (column, backwards)
    return _moved(state._replace(sorts=tuple(sorts)), Cursor())


def _moved(state: State, cursor: Cursor) -> State:
    cursors = list(state.cursors)
    cursors[state.panel] = cursor
    return state._replace(cursors=tuple(cursors))


_MOVES = {
    "up": -1, "k": -1, "down": 1, "j": 1, "pgup": -10, "pgdn": 10, "home": -100, "end": 100,
}  # fmt: skip


def _move(state: State, key: str, seen: Snapshot, heights: Sequence[int]) -> State:
    found = entries(state.panel, state, seen)
    if not found:
        return state
    height, last = max(1, heights[state.panel]), len(found) - 1
    step = _MOVES[key]
    steps = {10: height, -10: -height, 100: last, -100: -last}
    cursor = state.cursors[state.panel]
    index = min(last, max(0, min(cursor.at, last) + steps.get(step, step)))
    return _moved(state, _settled(Cursor(key_of(found[index]), index, cursor.top), found, height))


def _tag(state: State, seen: Snapshot, heights: Sequence[int]) -> State:
    """Takes the job under the cursor into the set that actions are for, or out of it."""
    job = chosen(state)
    if state.panel != JOBS_PANEL or job is None:
        return state._replace(message="Jobs can be tagged: go to their table with Tab.")
    return _move(state._replace(tagged=state.tagged ^ {job}), "down", seen, heights)


def chosen(state: State) -> JobId | None:
    """The job under the cursor."""
    key = state.cursors[JOBS_PANEL].key
    return key if isinstance(key, JobId) else None


def _ask(state: State, action: str, verb: str, seen: Snapshot) -> State:
    """Asks before something is done to jobs; those of others are refused at once."""
    job = chosen(state)
    jobs = tuple(sorted(state.tagged)) or ((job,) if job is not None else ())
    if not jobs or state.panel != JOBS_PANEL:
        return state._replace(message=f"No job to {action}: choose one in the table of jobs.")
    owners = {each: seen.jobs.owner(each) for each in jobs}
    for each, owner in owners.items():
        if owner is None:
            return state._replace(message=f"Job {each} has left the queue.")
        if owner != seen.me and not seen.superuser:
            return state._replace(message=f"Job {each} belongs to {owner}: you cannot {action} it.")
    return state._replace(mode="confirm", asked=Act(action, jobs), message=_question(verb, jobs, owners, seen.me))


def _question(verb: str, jobs: tuple[JobId, ...], owners: dict[JobId, str | None], me: str) -> str:
    others = sorted({str(owner) for owner in owners.values() if owner != me})
    whose = f" of {', '.join(others)}" if others else ""
    what = f"job {jobs[0]}" if len(jobs) == 1 else f"{len(jobs)} jobs"
    return f"{verb} {what}{whose}? (y/n)"
