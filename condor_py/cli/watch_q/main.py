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

from condor_py.cli.options import Args, UsageError, parse
from condor_py.cli.output.terminal import is_terminal
from condor_py.cli.signals import interrupted_by
from condor_py.cli.watch_q import display
from condor_py.cli.watch_q.spec import CONDOR_Q_OPTIONS, SPEC, WatchError, Wish, mistaken_words, wish_of
from condor_py.cli.watch_q.states import CONDITIONS, Cluster, State, Tracker
from condor_py.client.pool import open_pool
from condor_py.client.screen import draw
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.texts import as_integer, printable

# DAGs, as condor_watch_q shows them: one row for all nodes, counted from the event log of the nodes.

#: Seconds between two checks for the number of nodes of a DAG that has not reported it yet.
_PAUSE = 2.0
_MANAGER_LOG, _NODES_LOG = ".dagman.log", ".nodes.log"


def log_of(ad: ClassAd) -> str:
    """The event log that tells of a job, absolute: for a node that of its DAG; "" without one."""
    log = ad.eval_str("DAGManNodesLog") or ad.eval_str("UserLog") or ""
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
        log = ad.eval_str("UserLog") or ""
        if not ad.has("OtherJobRemoveRequirements") or not log.endswith(_MANAGER_LOG):
            return ""
        path = os.path.normpath(os.path.join(ad.eval_str("Iwd") or "/", log.removesuffix(_MANAGER_LOG) + _NODES_LOG))
        self._batches[number] = ad.eval_str("JobBatchName") or f"DAG: {number}"
        self._nodes[number] = ad.eval_int("DAG_NodesTotal", 0) or 0
        self.logs[path] = self._batches[number]
        return path

    def batch_of(self, log: str) -> str | None:
        """The batch name of the DAG whose nodes a log tells of."""
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
            lines += [*display.table(heading, rows, columns, wish.shows_row_progress, wish.colors), ""]
        if wish.shows_progress:
            lines += [display.total_bar(counts, total, columns, wish.colors), ""]
        if wish.shows_summary:
            lines += [display.summary(counts, total, columns, wish.percentages), ""]
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

    def _rows(self) -> tuple[list[display.Row], Counter[State], int]:
        """The rows to show, and the sums over all groups, shown or not."""
        groups: dict[str, list[Cluster]] = {}
        for cluster in self._tracker.clusters.values():
            groups.setdefault(self._group(cluster), []).append(cluster)
        counts: Counter[State] = Counter()
        total = 0
        shown: list[tuple[tuple[bool, int], display.Row]] = []
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
        path = display.nice_path(cluster.log)
        return display.abbreviate(path) if self._wish.abbreviates else path

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


def _row(name: str, clusters: list[Cluster], nodes: int) -> display.Row:
    """One row; a DAG has at least as many jobs as it has ``nodes``."""
    counts: Counter[State] = Counter()
    for cluster in clusters:
        counts.update(cluster.counts)
    jobs = sorted(job for cluster in clusters for job in cluster.active_jobs())
    shown = [f"{job.cluster}.{job.proc}" for job in jobs]
    text = ", ".join(shown) if len(shown) < 3 else f"{shown[0]} ... {shown[-1]}"
    return display.Row(name, counts, max(nodes, sum(cluster.size for cluster in clusters)), text)


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
