"""The picture of condor_top: lines of pieces of text, each with a style, for a screen of any size."""

from __future__ import annotations

import time
from collections.abc import Sequence

from condor_py.cli.output.terminal import screen_cut, screen_width
from condor_py.cli.top.columns import PANELS, Column, Row, heading, line
from condor_py.cli.top.rows import JobRow, Part, SlotRow, Snapshot, UserRow
from condor_py.cli.top.state import JOBS_PANEL, State, chosen, entries, key_of
from condor_py.model.states import JobStatus
from condor_py.model.texts import printable

#: Pieces of a line with their styles: "", "title", "head", "focus", "cursor", "bar", "good", "bad", "warn", "dim".
Line = list[tuple[str, str]]

_HEAD = 3
_FOOT = 2
_KEYS = "q quit  ? help  Tab table  s sort  / filter  u mine  h hold  r release  x remove"
_LEAST_ROWS = 3
_COUNTED = (
    (JobStatus.RUNNING, "running"), (JobStatus.IDLE, "idle"), (JobStatus.HELD, "held"),
    (JobStatus.SUSPENDED, "suspended"), (JobStatus.TRANSFERRING_OUTPUT, "transferring output"),
    (JobStatus.BLOCKED, "blocked"), (JobStatus.REMOVED, "removed"), (JobStatus.COMPLETED, "completed"),
)  # fmt: skip
HELP = (
    "q, ^C        quit                          ?   this text",
    "Tab          next table                    z   one table alone",
    "up down j k  the row                       PgUp PgDn Home End",
    "s  <  >      sort by another column        S   the other way round",
    "/            show only what has this text  Esc show everything again",
    "u            only your own jobs            p   pause     g  look again now",
    "+  -         look less or more often",
    "space        tag a job: what comes next is done to all tagged jobs",
    "h            hold                          r   release",
    "x            remove",
    "",
    "Jobs: R running  I idle  H held  S suspended  > output  X removed  C completed",
    "Cpus, Mem, GPUs: how much of the machine is claimed, and how much there is.",
    "SHARE is what a user has of the pool now; ENTITLED is what their priority gives",
    "them. MEM is in MB: what a running job uses, what others ask for.",
    "",
    "Any key goes back.",
)


def heights(state: State, seen: Snapshot, lines: int) -> tuple[int, ...]:
    """Return the number of rows of each table on a screen of ``lines`` lines."""
    counts = [len(entries(panel, state, seen)) for panel in range(len(PANELS))]
    if state.zoomed:
        room = max(0, lines - _HEAD - _FOOT - 1)
        return tuple(room if panel == state.panel else 0 for panel in range(len(PANELS)))
    return _shared(counts, max(0, lines - _HEAD - _FOOT - len(PANELS)), state.panel)


def _shared(counts: list[int], room: int, focused: int) -> tuple[int, ...]:
    """``room`` dealt out: a few rows for each table, the rest for the one with the keys, then for who needs more."""
    given = [0] * len(counts)
    order = [focused, *(panel for panel in range(len(counts)) if panel != focused)]
    few = [min(count, max(_LEAST_ROWS, room // 4)) for count in counts]
    for wanted in (few, counts):
        for panel in order:
            more = min(wanted[panel] - given[panel], room)
            given[panel] += more
            room -= more
    given[focused] += room
    return tuple(given)


def picture(state: State, seen: Snapshot, columns: int, lines: int) -> list[Line]:
    """The screen; ``state`` is settled. Never more than ``lines`` lines, none longer than ``columns``."""
    if state.mode == "help":
        shown = [[(text, "")] for text in ("condor_top: keys", "", *HELP)]
        shown[0] = [(shown[0][0][0], "title")]
    else:
        shown = [*_header(state, seen, columns)]
        room = heights(state, seen, lines)
        for panel in range(len(PANELS)):
            if not state.zoomed or panel == state.panel:
                shown += _table(panel, state, seen, columns, room[panel])
        shown = shown[: max(0, lines - _FOOT)]
        shown += [[] for _ in range(lines - _FOOT - len(shown))]
        shown += _footer(state, seen)
    return [_clipped(pieces, columns) for pieces in shown[:lines]]


def whole(state: State, seen: Snapshot, columns: int) -> list[Line]:
    """Everything, however many lines that takes, without cursor and keys."""
    shown = [*_header(state, seen, columns)]
    if seen.problem:
        shown.append([(seen.problem, "bad")])
    for panel in range(len(PANELS)):
        count = len(entries(panel, state, seen))
        shown += [[], *_table(panel, state._replace(panel=-1), seen, columns, count)]
    return [_clipped(pieces, columns) for pieces in shown]


def plain(shown: Sequence[Line]) -> str:
    """The text of lines, without styles."""
    return "".join("".join(text for text, _ in pieces).rstrip() + "\n" for pieces in shown)


def _clipped(pieces: Line, columns: int) -> Line:
    left, kept = columns, []
    for text, style in pieces:
        text = screen_cut(text, left)
        left -= screen_width(text)
        if text:
            kept.append((text, style))
    return kept


# ---- above the tables ---------------------------------------------------------------------------------------


def _header(state: State, seen: Snapshot, columns: int) -> list[Line]:
    stamp = time.strftime("%m/%d %H:%M:%S", time.localtime(seen.now))
    load = " ".join(f"{value:.2f}" for value in seen.load)
    choices = [
        *([f"only {seen.me}"] if state.mine else []),
        *([f"filter: {state.filter}"] if state.filter else []),
        *(["paused"] if state.paused else []),
    ]
    first: Line = [("condor_top", "title"), (f"  {seen.host}  {stamp}  load {load}", "")]
    if choices:
        first.append((f"  [{', '.join(choices)}]", "warn"))
    return [first, _bars(seen, columns), _jobs_line(seen)]


def _bars(seen: Snapshot, columns: int) -> Line:
    parts = [("Cpus", seen.cpus, 1.0, ""), ("Mem", seen.memory, 1024.0, " GB")]
    if seen.gpus.total:
        parts.append(("GPUs", seen.gpus, 1.0, ""))
    size = max(4, min(30, columns // len(parts) - 21))
    shown: Line = []
    for name, part, unit, suffix in parts:
        filled = 0 if not part.total else round(size * min(1.0, part.used / part.total))
        shown += [
            (f"{name} [", ""), ("|" * filled, "bar"), (" " * (size - filled), ""),
            (f"] {_amounts(part, unit)}{suffix}   ", ""),
        ]  # fmt: skip
    return shown


def _amounts(part: Part, unit: float) -> str:
    if unit == 1.0:
        return f"{part.used:g}/{part.total:g}"
    return f"{part.used / unit:.1f}/{part.total / unit:.1f}"


def _jobs_line(seen: Snapshot) -> Line:
    counts = seen.jobs.counts()
    by_state = [f"{counts[state]} {word}" for state, word in _COUNTED if counts.get(state)]
    claimed = sum(1 for slot in seen.slots if slot.state == "Claimed")
    jobs = f"Jobs {sum(counts.values())}" + (f": {', '.join(by_state)}" if by_state else "")
    return [(f"{jobs}   Slots {len(seen.slots)}: {claimed} claimed", "")]


# ---- tables -------------------------------------------------------------------------------------------------


def _table(panel: int, state: State, seen: Snapshot, columns: int, height: int) -> list[Line]:
    name, shape = PANELS[panel]
    found = entries(panel, state, seen)
    focused = panel == state.panel
    at, backwards = state.sorts[panel]
    title = " " + heading(shape, columns - 1, at, backwards)
    shown: list[Line] = [[(title.ljust(columns), "focus" if focused else "head")]]
    cursor = state.cursors[panel]
    top = cursor.top if state.panel >= 0 else 0
    for entry in found[top : top + height]:
        row = seen.jobs.row(entry) if panel == JOBS_PANEL else entry  # type: ignore[arg-type]
        if row is not None:
            shown.append(_row(shape, row, state, columns, on_cursor=focused and key_of(entry) == cursor.key))  # type: ignore[arg-type]
    if not found:
        shown.append([(f" no {name}", "dim")])
    return shown[: height + 1]


def _row(shape: tuple[Column, ...], row: Row, state: State, columns: int, *, on_cursor: bool) -> Line:
    tagged = isinstance(row, JobRow) and row.id in state.tagged
    text = ("*" if tagged else " ") + line(shape, row, columns - 1)
    blanks = " " * (columns - screen_width(text)) if on_cursor else ""
    return [(text + blanks, "cursor" if on_cursor else _style(row))]


def _style(row: Row) -> str:
    if isinstance(row, JobRow):
        if row.status in (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT):
            return "good"
        return "bad" if row.status == JobStatus.HELD else ""
    if isinstance(row, SlotRow):
        return "good" if row.activity == "Busy" else "dim" if row.state == "Unclaimed" else "warn"
    return "warn" if _is_behind(row) else ""


def _is_behind(row: UserRow) -> bool:
    """Whether a user who waits has less than they are entitled to."""
    return bool(row.idle and row.entitled is not None and (row.share or 0.0) < row.entitled - 0.005)


# ---- below them ---------------------------------------------------------------------------------------------


def _footer(state: State, seen: Snapshot) -> list[Line]:
    if state.mode == "filter":
        last: Line = [(f"Show only what has: {state.typed}_   (Enter keeps it, Esc shows everything)", "warn")]
    elif state.mode == "confirm":
        last = [(state.message, "bad")]
    elif state.message:
        last = [(state.message, "warn")]
    else:
        last = [(_KEYS, "dim")]
    return [_about(state, seen), last]


def _about(state: State, seen: Snapshot) -> Line:
    """Return the problem that keeps data from being read, or the note on the job under the cursor."""
    if seen.problem:
        return [(seen.problem, "bad")]
    job = chosen(state) if state.panel == JOBS_PANEL else None
    row = seen.jobs.row(job) if job is not None else None
    return [(f"{row.id}: {printable(row.note)}", "")] if row is not None and row.note else []
