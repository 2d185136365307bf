"""condor_watch_q's life: find the logs, then read and draw until something ends it (manual, condor_watch_q)."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from shutil import get_terminal_size
from typing import NamedTuple

from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, UsageError, parse
from condor_py.cli.output.terminal import is_terminal
from condor_py.cli.signals import interrupted_by
from condor_py.cli.watch_q.states import CONDITIONS, Cluster, Grouper, State, Tracker
from condor_py.client.pool import open_pool
from condor_py.client.screen import draw
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.texts import as_integer, printable

_WEEK = 7 * 86400
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": _WEEK, "M": 31 * 86400, "y": 365 * 86400}


def _switch(name: str, least: int, least_no: int, help_text: str, group: str) -> tuple[Opt, Opt]:
    """``-name`` and ``-no-name``."""
    return (
        Opt(name, least, help=help_text, group=group),
        Opt(f"no-{name}", least_no, help="the opposite of -" + name, group=group),
    )


_TRACKING, _BEHAVIOR, _DISPLAY = "Tracking options", "Behavior options", "Display options"
SPEC = ToolSpec(
    name="condor_watch_q",
    usage="[general options] [display options] [behavior options] [tracking options]",
    summary="Track the state of jobs over time.",
    description=(
        "It reads the event logs of the jobs and updates their states every half second. Without a "
        "tracking option it tracks all jobs of the user that are in the queue."
    ),
    options=(
        Opt("help", 1, help="this text"),
        Opt("debug", 3, help="accepted; messages go to standard error in any case"),
        Opt("users", 2, "USER", help="track the jobs of these users", variadic=True, group=_TRACKING),
        Opt("clusters", 2, "CLUSTER_ID", help="track these clusters", variadic=True, group=_TRACKING),
        Opt("larger-than", 1, "CLUSTER_ID", help="track clusters from this one on", convert=int, group=_TRACKING),
        Opt("files", 1, "FILE", help="track the jobs of these logs", variadic=True, group=_TRACKING, takes="file"),
        Opt("batches", 1, "BATCH_NAME", help="track the jobs of these batches", variadic=True, group=_TRACKING),
        Opt("collector", 4, "HOST", help="accepted; the pool is this machine", group=_TRACKING),
        Opt("schedd", 2, "NAME", help="accepted; the schedd is this machine's", group=_TRACKING),
        Opt("exit", EXACT, "GROUPER,JOB_STATUS[,EXIT_STATUS]", group=_BEHAVIOR,
            help="exit when all, any or none of the jobs are active, done, idle or held"),
        *_switch("exit-on-key-press", 5, 4, "exit when a key is pressed (on a terminal)", _BEHAVIOR),
        Opt("interval", 1, "SECONDS", help="seconds between two updates (0.5)", convert=float, group=_BEHAVIOR),
        Opt("groupby", 1, "batch|log|cluster", help="what makes a row (batch)", group=_DISPLAY),
        *_switch("display-exited", 2, 5, "show rows whose jobs have all left the queue", _DISPLAY),
        Opt("exited-row-decay", 5, "TIME[unit]", group=_DISPLAY,
            help="with -no-display-exited, for how long such a row stays; units s m h d w M y (1w)"),
        *_switch("decay-start-at-read", 3, 5, "count that time from the reading of the event", _DISPLAY),
        *_switch("table", 1, 4, "the table", _DISPLAY),
        *_switch("progress", 1, 4, "the progress bar", _DISPLAY),
        *_switch("row-progress", 2, 5, "the progress bars of the rows", _DISPLAY),
        Opt("summary", EXACT, help="the summary line", group=_DISPLAY),
        Opt("no-summary", 4, help="the opposite of -summary", group=_DISPLAY),
        Opt("summary-type", 8, "totals|percentages", help="what the summary line counts (totals)", group=_DISPLAY),
        *_switch("updated-at", 2, 4, "the line with the time", _DISPLAY),
        *_switch("abbreviate", 1, 4, "shorten the directories of event logs", _DISPLAY),
        *_switch("color", 5, 4, "colors (on a terminal)", _DISPLAY),
        *_switch("refresh", 2, 5, "redraw in place of appending (on a terminal)", _DISPLAY),
    ),
    examples=(
        ("condor_watch_q", "all my jobs"),
        ("condor_watch_q -clusters 17 -exit all,done,0 -exit any,held,1", "wait for the end of cluster 17"),
    ),
    exit_status="0 when nothing is left to track or a key or ^C ended it; what -exit says; 1 or 2 for mistakes.",
    missing="condor_watch_q: error: argument -{name}: expected one argument",
    invalid="condor_watch_q: error: argument -{name}: invalid value: '{value}'",
    unknown="condor_watch_q: error: unrecognized arguments: {arg}",
    see_also=("condor_q", "condor_wait"),
)  # fmt: skip


class WatchError(UsageError):
    """A mistake in the command line that exits with 2, as in HTCondor."""

    exit_code = 2


class ExitCheck(NamedTuple):
    """One -exit: when ``grouper`` holds for jobs in ``states``, the tool ends with ``code``."""

    grouper: Grouper
    status: str
    code: int


class Wish(NamedTuple):
    """The options of what to show. Times are seconds."""

    exits: tuple[ExitCheck, ...]
    on_key: bool
    interval: float
    group_by: str
    shows_exited: bool
    decay: int
    decay_from_read: bool
    shows_table: bool
    shows_progress: bool
    shows_row_progress: bool
    shows_summary: bool
    percentages: bool
    shows_time: bool
    abbreviates: bool
    colors: bool
    refreshes: bool


def wish_of(args: Args, can_color: bool) -> Wish:
    """The options with their defaults. Raises WatchError."""
    is_terminal = sys.stdout.isatty()
    interval = args.last("interval")
    return Wish(
        exits=tuple(_exit_check(text) for text in args.texts("exit")),
        on_key=_is_on(args, "exit-on-key-press", is_terminal),
        interval=0.5 if interval is None else max(0.0, float(interval.values[0])),
        group_by=_choice(args, "groupby", ("batch", "log", "cluster")),
        shows_exited=_is_on(args, "display-exited", True),
        decay=_decay(args.text("exited-row-decay")),
        decay_from_read=_is_on(args, "decay-start-at-read", False),
        shows_table=_is_on(args, "table", True),
        shows_progress=_is_on(args, "progress", True),
        shows_row_progress=_is_on(args, "row-progress", True),
        shows_summary=_is_on(args, "summary", True),
        percentages=_choice(args, "summary-type", ("totals", "percentages")) == "percentages",
        shows_time=_is_on(args, "updated-at", True),
        abbreviates=_is_on(args, "abbreviate", True),
        colors=_is_on(args, "color", can_color),
        refreshes=_is_on(args, "refresh", is_terminal) and is_terminal,
    )


def _is_on(args: Args, name: str, default: bool) -> bool:
    last = args.last(name, f"no-{name}")
    return default if last is None else last.name == name


def _choice(args: Args, name: str, choices: tuple[str, ...]) -> str:
    text = args.text(name)
    if text is None:
        return choices[0]
    if text not in choices:
        shown = ", ".join(f"'{choice}'" for choice in choices)
        choose = f"invalid choice: '{text}' (choose from {shown})"
        raise WatchError(f"condor_watch_q: error: argument -{name}: {choose}", SPEC)
    return text


def _exit_check(text: str) -> ExitCheck:
    parts = text.split(",")
    if len(parts) not in (2, 3):
        raise WatchError("condor_watch_q: error: invalid -exit specification", SPEC)
    try:
        grouper = Grouper(parts[0])
    except ValueError:
        known = ", ".join(each.value for each in Grouper)
        raise WatchError(
            f'condor_watch_q: error: invalid GROUPER "{parts[0]}", must be one of {{{known}}}', SPEC
        ) from None
    if parts[1] not in CONDITIONS:
        known = ", ".join(CONDITIONS)
        raise WatchError(f'condor_watch_q: error: invalid JOB_STATUS "{parts[1]}", must be one of {{{known}}}', SPEC)
    code = parts[2] if len(parts) == 3 else "0"
    try:
        return ExitCheck(grouper, parts[1], int(code))
    except ValueError:
        raise WatchError(f'condor_watch_q: error: exit_status must be an integer, but was "{code}"', SPEC) from None


def _decay(text: str | None) -> int:
    """Seconds of ``TIME[unit]``; without a unit they are weeks."""
    if text is None:
        return _WEEK
    number, unit = (text, "w") if text[-1:].isdecimal() else (text[:-1], text[-1:])
    if unit not in _UNITS:
        raise WatchError(f"condor_watch_q: error: Unknown unit specifier provided for -exited-row-decay: {unit}", SPEC)
    if not number.isdecimal():
        raise WatchError("condor_watch_q: error: Invalid time value provided for -exited-row-decay", SPEC)
    return as_integer(number) * _UNITS[unit]


def mistaken_words(args: Args) -> str | None:
    """Return a hint on what words without an option were probably meant as; None when there are none."""
    words = args.positional
    if not words:
        return None
    numbers = [word for word in words if word.isdigit()]
    if words[0].isdigit():
        return f"argument {words[0]}: to track specific cluster IDs, try -clusters {' '.join(numbers)}"
    users = [word for word in words if not word.isdigit()]
    return f"argument {words[0]}: to track jobs from specific users, try -users {' '.join(users)}"


#: Options of condor_q that people try, and what does the same here.
CONDOR_Q_OPTIONS = {
    "totals": "to only print totals, try -no-table",
    "userlog": "to track jobs from specific event logs, try -files",
    "nobatch": "to group by something other than batch name, try -groupby {batch,log,cluster}",
}


# DAGs, as condor_watch_q shows them: one row for all nodes, counted from the event log of the nodes.

#: Seconds between two checks for the number of nodes of a DAG that has not reported it yet.
_PAUSE = 2.0
_MANAGER_LOG, _NODES_LOG = ".dagman.log", ".nodes.log"


def log_of(ad: ClassAd) -> str:
    """The event log that describes a job, absolute: for a node that of its DAG; "" without one."""
    log = ad.eval_str("DAGManNodesLog") or ad.eval_str("UserLog", "")
    return os.path.normpath(os.path.join(ad.eval_str("Iwd") or "/", log)) if log else ""


def _queue() -> Iterable[tuple[int, ClassAd]]:
    return open_pool().read_queue().clusters()


class Dags:
    """The DAGs among the clusters that are watched. ``queue`` gives all clusters with their ads."""

    def __init__(self, queue: Callable[[], Iterable[tuple[int, ClassAd]]] = _queue) -> None:
        #: The batch name of each DAG by the event log of its nodes.
        self.logs: dict[str, str] = {}
        self._queue = queue
        self._nodes: dict[int, int] = {}
        self._batches: dict[int, str] = {}
        self._next = 0.0

    def found(self, number: int, ad: ClassAd) -> str:
        """A cluster of the queue. If it is the condor_dagman of a DAG, the event log of its nodes, else ""."""
        log = ad.eval_str("UserLog", "")
        if not ad.has("OtherJobRemoveRequirements") or not log.endswith(_MANAGER_LOG):
            return ""
        path = os.path.normpath(os.path.join(ad.eval_str("Iwd") or "/", log.removesuffix(_MANAGER_LOG) + _NODES_LOG))
        self._batches[number] = ad.eval_str("JobBatchName") or f"DAG: {number}"
        self._nodes[number] = ad.eval_int("DAG_NodesTotal", 0)
        self.logs[path] = self._batches[number]
        return path

    def batch_of(self, log: str) -> str | None:
        """The batch name of the DAG whose nodes a log describes."""
        return self.logs.get(log)

    def total(self, batch: str) -> int:
        """Return how many nodes the DAGs of a batch have, as far as they have reported."""
        return sum(self._nodes[number] for number, name in self._batches.items() if name == batch)

    def look_again(self) -> None:
        """Ask the queue for the names and numbers of nodes of DAGs that had not begun when it was asked before."""
        if all(self._nodes.values()) or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _PAUSE
        waiting = [number for number, nodes in self._nodes.items() if not nodes]
        try:
            for number, ad in self._queue():
                if number in waiting:
                    self.found(number, ad)
                    waiting.remove(number)
        except CondorError:
            return
        for number in waiting:  # it has left the queue
            del self._nodes[number], self._batches[number]


SPECS = (SPEC,)
_HEADINGS = {"batch": "BATCH", "log": "LOG", "cluster": "CLUSTER"}
#: Other ends than ^C restore the screen too.
_ENDS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_ENTER_SCREEN, _LEAVE_SCREEN, _ANEW = "\033[?1049h\033[H", "\033[?1049l", "\033[H\033[J"


def main(argv: list[str]) -> int:
    """Run condor_watch_q."""
    args = _parse(argv)
    if args.has("help"):
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(SPEC))
        return 0
    mistake = mistaken_words(args)
    if mistake is not None:
        raise UsageError(f"condor_watch_q: error: {mistake}", SPEC)
    if args.has("clusters") and args.has("larger-than"):
        raise CondorError("ERROR: Use of both -clusters and -larger-than flag is prohibited.")
    wish = wish_of(args, _can_color())
    found = _find(args)
    tracker = Tracker(
        found.logs, found.batches, found.procs, found.wanted, args.number("larger-than"), wish.decay_from_read,
        found.dags.logs,
    )  # fmt: skip
    if not found.logs:
        _warn("No jobs found, exiting...")
        return 0
    return _Screen(wish, tracker, found.dags).run()


def _parse(argv: list[str]) -> Args:
    try:
        return parse(SPEC, argv)
    except UsageError as error:
        for name, advice in CONDOR_Q_OPTIONS.items():
            if error.kind == "unknown" and any(word.startswith(f"-{name}") for word in argv):
                raise UsageError(f"condor_watch_q: error: argument -{name}: {advice}", SPEC) from None
        raise WatchError(str(error), SPEC, kind=error.kind, argument=error.argument) from None


def _warn(text: str) -> None:
    sys.stderr.write(f"WARNING: {text}\n")


def _can_color() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") != "dumb"


class _Found(NamedTuple):
    """The logs to read, what the queue knows of the clusters and of DAGs, and which clusters to look at (None: all)."""

    logs: list[str]
    batches: dict[int, str | None]
    procs: dict[int, int]
    wanted: frozenset[int] | None
    dags: Dags


def _find(args: Args) -> _Found:
    """The event logs of the jobs asked for: those in the queue, and those of files that are named."""
    users = _words(args, "users")
    clusters = {_number(word) for word in _words(args, "clusters")}
    batch_names = set(_words(args, "batches"))
    files = [os.path.abspath(path) for path in _words(args, "files")]
    from condor_py.client.pool import open_pool

    pool = open_pool()
    if not (users or clusters or batch_names or files):
        users = [pool.owner]
    logs = {path: True for path in files if _is_readable(path)}
    batches: dict[int, str | None] = {}
    procs: dict[int, int] = {}
    wanted = set(clusters)
    dags = Dags()
    if users or clusters or batch_names:
        for number, ad in pool.read_queue().clusters():
            batch = ad.eval_str("JobBatchName", None)
            if not (number in clusters or ad.eval_str("Owner", "") in users or batch in batch_names):
                continue
            batches[number] = batch
            procs[number] = ad.eval_int("TotalSubmitProcs", 0) or 1
            if batch_names:
                wanted.add(number)
            log = log_of(ad)
            if not log:
                _warn(f"Cluster {number} does not have a job event log file (set log=<path> in the submit description)")
                continue
            logs[dags.found(number, ad) or log] = True
    return _Found(list(logs), batches, procs, frozenset(wanted) if clusters or batch_names else None, dags)


def _words(args: Args, name: str) -> list[str]:
    return [str(word) for use in args.all(name) for word in use.values]


def _number(text: str) -> int:
    if not text.isdecimal():
        raise WatchError(f"condor_watch_q: error: argument -clusters: invalid value: '{text}'", SPEC)
    return as_integer(text)


def _is_readable(path: str) -> bool:
    if os.access(path, os.R_OK):
        return True
    reason = "File path does not exist" if not os.path.exists(path) else "no permission to read it"
    _warn(f"Could not open event log at {path} for reading, so it will be ignored. Reason: {reason}")
    return False


class _Screen:
    """Draws the tracked jobs again and again."""

    def __init__(self, wish: Wish, tracker: Tracker, dags: Dags) -> None:
        self._wish = wish
        self._tracker = tracker
        self._dags = dags
        self._in_screen = False
        self._last = ""

    def run(self) -> int:
        """Until an -exit condition holds, a key is pressed or a signal comes; the exit code."""
        try:
            with _keys(self._wish.on_key) as has_keys, interrupted_by(*_ENDS):
                self._enter()
                while True:
                    code = self._turn()
                    if code is not None:
                        return code
                    if _pressed(self._wish.interval, has_keys):
                        return 0
        except KeyboardInterrupt:
            return 0
        finally:
            self._leave()

    def _turn(self) -> int | None:
        self._dags.look_again()
        complaints = self._tracker.read()
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        if self._in_screen:
            draw(sys.stdout, _ANEW)
        for line in complaints:
            sys.stderr.write(f"{now} | {line}\n")
        draw(sys.stdout, self._text(now) + self._invitation() + "\n")
        sys.stdout.flush()
        for check in self._wish.exits:
            if check.grouper.holds(*self._tracker.matching(CONDITIONS[check.status])):
                self._leave()
                shown = f'"{check.grouper.value} {check.status}"'
                sys.stdout.write(f"Exiting with code {check.code} because of condition {shown} at {now}\n")
                return check.code
        return None

    def _text(self, now: str) -> str:
        wish = self._wish
        columns, height = get_terminal_size()
        rows, counts, total = self._rows()
        lines: list[str] = []
        if wish.shows_table:
            heading = _HEADINGS[wish.group_by]
            lines += [*table(heading, rows, columns, wish.shows_row_progress, wish.colors), ""]
        if wish.shows_progress:
            lines += [total_bar(counts, total, columns, wish.colors), ""]
        if wish.shows_summary:
            lines += [summary(counts, total, columns, wish.percentages), ""]
        if wish.shows_time:
            lines += [f"Updated at {now}", ""]
        if len(lines) > height:
            lines = [*lines[: max(1, height - 3)], "Insufficient terminal height to display full output!", ""]
        text = "\n".join(lines[:-1])
        if not wish.refreshes:
            text += "\n..."
        self._last = text
        return text

    def _invitation(self) -> str:
        if self._wish.exits:
            return ""
        return "\nPress any key to exit" if self._wish.on_key else "\nPress ^C to exit"

    def _rows(self) -> tuple[list[Row], Counter[State], int]:
        """The rows to show, and the sums over all groups, shown or not."""
        groups: dict[str, list[Cluster]] = {}
        for cluster in self._tracker.clusters.values():
            groups.setdefault(self._group(cluster), []).append(cluster)
        counts: Counter[State] = Counter()
        total = 0
        shown: list[tuple[tuple[bool, int], Row]] = []
        for name, clusters in groups.items():
            nodes = self._dags.total(name) if self._wish.group_by == "batch" else 0
            row = _row(printable(name) if is_terminal() else name, clusters, nodes)
            counts.update(row.counts)
            total += row.total
            if self._wish.shows_exited or any(self._is_fresh(cluster) for cluster in clusters):
                place = (all(cluster.is_done for cluster in clusters), min(cluster.number for cluster in clusters))
                shown.append((place, row))
        return [row for _, row in sorted(shown, key=lambda item: item[0])], counts, total

    def _group(self, cluster: Cluster) -> str:
        if self._wish.group_by == "cluster":
            return str(cluster.number)
        if self._wish.group_by == "batch":
            return self._dags.batch_of(cluster.log) or cluster.batch
        path = nice_path(cluster.log)
        return abbreviate(path) if self._wish.abbreviates else path

    def _is_fresh(self, cluster: Cluster) -> bool:
        if not cluster.is_done or cluster.ended is None:
            return True
        return time.time() - cluster.ended < self._wish.decay

    def _enter(self) -> None:
        if self._wish.refreshes:
            draw(sys.stdout, _ENTER_SCREEN)
            self._in_screen = True

    def _leave(self) -> None:
        """The terminal as it was, with the last picture on it."""
        if self._in_screen:
            draw(sys.stdout, f"{_LEAVE_SCREEN}{self._last}\n" if self._last else _LEAVE_SCREEN)
            sys.stdout.flush()
            self._in_screen = False


def _row(name: str, clusters: list[Cluster], nodes: int) -> Row:
    """One row; a DAG has at least as many jobs as it has ``nodes``."""
    counts: Counter[State] = Counter()
    for cluster in clusters:
        counts.update(cluster.counts)
    jobs = sorted(job for cluster in clusters for job in cluster.active_jobs())
    shown = [f"{job.cluster}.{job.proc}" for job in jobs]
    text = ", ".join(shown) if len(shown) < 3 else f"{shown[0]} ... {shown[-1]}"
    return Row(name, counts, max(nodes, sum(cluster.size for cluster in clusters)), text)


@contextlib.contextmanager
def _keys(wanted: bool) -> Iterator[bool]:
    """Keys are read as they are pressed, if standard input is a terminal; whether it is."""
    if not wanted or not sys.stdin.isatty():
        yield False
        return
    import termios
    import tty

    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    tty.setcbreak(handle)
    try:
        yield True
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def _pressed(seconds: float, has_keys: bool) -> bool:
    """Wait; return True as soon as a key is pressed, which is consumed."""
    if not has_keys:
        time.sleep(seconds)
        return False
    if not select.select([sys.stdin], [], [], seconds)[0]:
        return False
    os.read(sys.stdin.fileno(), 4096)
    return True


_RED, _GREEN, _YELLOW, _CYAN, _WHITE = "\033[31m", "\033[32m", "\033[33m", "\033[36m", "\033[97m"
_BRIGHT_YELLOW, _RESET = "\033[93m", "\033[0m"
#: The parts of a bar in order.
_BAR = (
    (State.IDLE, "-", _BRIGHT_YELLOW),
    (State.INPUT, ">", _CYAN),
    (State.RUNNING, "=", _CYAN),
    (State.OUTPUT, ">", _CYAN),
    (State.DONE, "#", _GREEN),
    (State.HELD, "!", _RED),
    (State.SUSPENDED, "!", _RED),
    (State.REMOVED, "!", _RED),
)
_ALWAYS = (State.IDLE, State.RUNNING, State.DONE)
_SUMMARY = (
    ("completed", (State.DONE,)),
    ("removed", (State.REMOVED,)),
    ("idle", (State.IDLE,)),
    ("running", (State.INPUT, State.RUNNING, State.OUTPUT)),
    ("held", (State.HELD,)),
    ("suspended", (State.SUSPENDED,)),
)
_WIDEST_BAR = 79
_NARROWEST_BAR = 10
_BAR_LABEL = "Total Progress: "


class Row(NamedTuple):
    """One group of clusters: its name, its jobs by state, how many they are, and which are active."""

    name: str
    counts: Counter[State]
    total: int
    jobs: str


def table(heading: str, rows: list[Row], columns: int, bars: bool, colors: bool) -> list[str]:
    """Heading and rows; columns of states in which no job is are left out."""
    states = [state for state in State if state in _ALWAYS or any(row.counts[state] for row in rows)]
    titles = [heading, *(state.value for state in states), "TOTAL", *(("JOB_IDS",) if rows else ())]
    cells = [
        [f"{row.name} ", *(f"{row.counts[state] or '-'} " for state in states), f"{row.total or '-'} ", f"{row.jobs} "]
        for row in rows
    ]
    widths = [max([len(title), *(len(line[at]) for line in cells)]) for at, title in enumerate(titles)]
    header = _line(titles, widths).rstrip()
    lines = [_line(line, widths) for line in cells]
    left = columns - len(lines[0]) if lines else columns
    has_bars = bars and left > _NARROWEST_BAR
    shown = []
    for row, line in zip(rows, lines, strict=True):
        text = line if has_bars else line[:columns]
        text = f"{_row_color(row)}{text}{_RESET}" if colors else text
        shown.append(text + progress_bar(row.counts, row.total, left, colors) if has_bars else text)
    return [header, *shown]


def _line(cells: list[str], widths: list[int]) -> str:
    last = len(cells) - 1
    return "  ".join(
        cell.ljust(width) if at == 0 or (at == last and at > len(_ALWAYS) + 1) else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(cells, widths, strict=False))
    )


def _row_color(row: Row) -> str:
    if row.counts[State.HELD]:
        return _RED
    if row.counts[State.DONE] == row.total:
        return _GREEN
    if row.counts[State.RUNNING]:
        return _CYAN
    return _YELLOW if row.counts[State.IDLE] else _WHITE


def progress_bar(counts: Counter[State], total: int, columns: int, colors: bool) -> str:
    """A bar whose parts are as long as the states are frequent; what rounding leaves goes to the longest part."""
    width = min(columns, _WIDEST_BAR) - 2
    lengths = [int(width * (counts[state] / total)) if total else 0 for state, _, _ in _BAR]
    lengths[lengths.index(max(lengths))] += width - sum(lengths)
    parts = [
        f"{color}{mark * length}{_RESET}" if colors else mark * length
        for (_, mark, color), length in zip(_BAR, lengths, strict=True)
        if length > 0
    ]
    return f"[{''.join(parts)}]"


def total_bar(counts: Counter[State], total: int, columns: int, colors: bool) -> str:
    """The bar of all jobs, with its label."""
    return _BAR_LABEL + progress_bar(counts, total, columns - len(_BAR_LABEL), colors)


def summary(counts: Counter[State], total: int, columns: int, percentages: bool) -> str:
    """``Total: 4 jobs; 1 idle, 3 running``; its words are cut as far as the line needs it."""
    sums = [(word, sum(counts[state] for state in states)) for word, states in _SUMMARY]
    if percentages:
        shares = (f"{round(100.0 * (number / total if total else 0))}% {word}" for word, number in sums)
        return f"Total: {total} jobs; {', '.join(shares)}"
    for letters in range(10, 1, -1):
        words = (f"{number} {word[:letters]}" for word, number in sums if number)
        text = f"Total: {total} jobs; {', '.join(words)}"
        if len(text) <= columns:
            break
    return text


def nice_path(path: str) -> str:
    """The shortest of the absolute path and those relative to the home and the present directory."""
    found = [os.path.abspath(path), os.path.join("~", os.path.relpath(path, os.path.expanduser("~")))]
    here = os.path.relpath(path, os.getcwd())
    if not here.startswith("../"):
        found.append(os.path.join(".", here))
    return min(found, key=len)


def abbreviate(path: str) -> str:
    """Every directory cut behind what all its neighbours have in common and one letter more."""
    parts = path.split("/")
    base = "" if parts[0] in ("~", ".") else "/"
    short = []
    for part in parts[:-1]:
        if part in ("", "~", "."):
            short.append(part)
            base = os.path.expanduser(part) if part else base
            continue
        try:
            neighbours = os.listdir(base or ".")
        except OSError:
            neighbours = []
        common = os.path.commonprefix(neighbours) if len(neighbours) > 1 else ""  # noqa: RUF071 - letters are meant
        short.append(part[: len(common) + 1])
        base = os.path.join(base, part)
    return "/".join([*short, parts[-1]])
