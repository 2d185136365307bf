"""condor_userlog: what the hosts gave to the jobs of event logs, and what became of it (manual, condor_userlog)."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from condor_py.cli.options import Args, Opt, ToolSpec, parse
from condor_py.cli.suggest import hint
from condor_py.lang import events
from condor_py.lang.events import CpuUsage, JobEvent
from condor_py.model.errors import CondorError
from condor_py.model.event_types import JobEventType
from condor_py.model.texts import as_integer
from condor_py.store.event_log import EventReader, typed

_EVICTED, _TERMINATED = JobEventType.JOB_EVICTED, JobEventType.JOB_TERMINATED
#: Executable error, shadow exception, failed reconnection: the run is over and was for nothing since its checkpoint.
_BROKEN = (JobEventType.EXECUTABLE_ERROR, JobEventType.SHADOW_EXCEPTION, JobEventType.JOB_RECONNECT_FAILED)

_SPEC = ToolSpec(
    name="condor_userlog",
    usage="[-total | -raw] [-debug] [-evict] [-j cluster[.proc]] [-all] [-hostname] logfile ...",
    summary="Summarize what hosts gave to the jobs of event logs.",
    description=(
        "For every run of a job it shows the host, the times, and how much of it counted: Good Time is the time of a "
        "run that ended by itself, or up to its last checkpoint. Summaries by host and by job follow."
    ),
    positional="logfile ...",
    positional_help="job event logs",
    options=(
        Opt("help", 1, help="this text"),
        Opt("total", 1, help="show the summaries only"),
        Opt("raw", 1, help="show the runs only, without headings"),
        Opt("debug", 1, help="say which events do not fit together"),
        Opt("evict", 1, help="only runs that ended with an eviction"),
        Opt("j", 1, "ID", "only this CLUSTER or CLUSTER.PROC"),
        Opt("all", 1, help="take back -j and -evict"),
        Opt("hostname", 2, help="show names of hosts instead of addresses"),
    ),
    examples=(("condor_userlog -total run.log", "how much of the time the jobs of run.log got was of use"),),
    exit_status="0, 1 when the command line is wrong.",
    unknown="",
    usage_after=("unknown", "missing", "usage"),
    see_also=("condor_wait", "condor_check_userlogs", "condor_history"),
)  # fmt: skip
SPECS = (_SPEC,)


class Run(NamedTuple):
    """One allocation of a host to a job. Times are Unix seconds, ``good`` and ``cpu`` seconds that counted."""

    cluster: int
    proc: int
    host: str
    start: int
    end: int
    good: int
    cpu: int

    @property
    def wall(self) -> int:
        """Seconds from start to end."""
        return self.end - self.start


class _Wish(NamedTuple):
    cluster: int | None
    proc: int | None
    evicted_only: bool
    is_debug: bool


def _first_letter(word: str) -> str:
    """An option by its first letter, which alone counts: ``-j``, ``-job`` and ``-jxyz`` are one."""
    if word.startswith("-ho"):
        return "-hostname"
    names = {"a": "-all", "j": "-j", "t": "-total", "d": "-debug", "e": "-evict", "r": "-raw", "h": "-help"}
    return names.get(word[1:2], word) if word.startswith("-") else word


def main(argv: list[str]) -> int:
    """Run condor_userlog."""
    args = parse(_SPEC, [_first_letter(word) for word in argv])
    if args.has("help") or not argv:
        from condor_py.cli.command import help_text

        sys.stderr.write(help_text(_SPEC))
        return 0 if argv else 1
    wish = _wish(args)
    for text in args.texts("j"):
        if not text.replace(".", "", 1).isdecimal():
            hint(f"condor_userlog: {text} is no CLUSTER or CLUSTER.PROC")
    runs: list[Run] = []
    was_read = False
    for path in args.positional:
        try:
            os.close(os.open(path, os.O_RDONLY))
        except OSError as error:
            sys.stderr.write(f"Can't access file: {path} (errno={error.errno})\n")
            continue
        was_read = True
        try:
            runs += _runs(path, wish)
        except CondorError as error:
            sys.stderr.write(f"Error: unable to read log file.\n{error}\n")
            return 0
    shown = _names(runs) if args.has("hostname") else {}
    if runs and not args.has("total"):
        _show_runs(runs, shown, heading=not args.has("raw"))
    if was_read and not args.has("raw"):
        _show_summaries(runs, shown)
    return 0


def _wish(args: Args) -> _Wish:
    cluster: int | None = None
    proc: int | None = None
    evicted = False
    for use in args.uses:
        if use.name == "all":
            cluster, proc, evicted = None, None, False
        elif use.name == "evict":
            evicted = True
        elif use.name == "j":
            first, _, second = use.values[0].partition(".")
            cluster = as_integer(first) if first.isdecimal() else None
            proc = as_integer(second) if second.isdecimal() else proc
    return _Wish(cluster, proc, evicted, args.has("debug"))


class _History:
    """The events of one log turned into runs; what does not fit is reported on stderr on request."""

    def __init__(self, wish: _Wish) -> None:
        self.wish = wish
        self.runs: list[Run] = []
        self._started: dict[tuple[int, int], events.Execute] = {}
        self._saved: dict[tuple[int, int], events.Checkpointed] = {}

    def add(self, event: JobEvent) -> None:
        """Take the next event of the log."""
        job = (event.cluster, event.proc)
        if type(event) is events.Execute:  # of the job, not of a node
            self._execute(event)
        elif isinstance(event, events.Checkpointed):
            self._saved[job] = event
        elif event.number in (_EVICTED, _TERMINATED, *_BROKEN):
            self._end(event)

    def _execute(self, event: events.Execute) -> None:
        """Of two starts on one host without an end between them the first counts, on two hosts the second."""
        job = (event.cluster, event.proc)
        before = self._started.get(job)
        if before is not None and before.host == event.host:
            self._debug(
                f"warning: discarding execute event (job {event.cluster}.{event.proc})\n"
                "  found before evict or termination event for previous execute event."
            )
            return
        if before is not None:
            self._debug(
                f"warning: discarding execute event (job {event.cluster}.{event.proc})\n"
                "  with no corresponding evict or termination event."
            )
        self._started[job] = event

    def _end(self, event: JobEvent) -> None:
        job = (event.cluster, event.proc)
        start = self._started.pop(job, None)
        if start is None:
            kind = {_EVICTED: "evicted ", _TERMINATED: "terminated "}.get(event.number, "")
            self._debug(f"internal error: can't find execute event for {kind}job {event.cluster}.{event.proc}!")
            return
        if self.wish.evicted_only and event.number != _EVICTED:
            return
        good, cpu = self._counted(int(start.time), event)
        host = sys.intern(start.host)  # millions of runs have a few hosts
        run = Run(event.cluster, event.proc, host, int(start.time), int(event.time), good, cpu)
        if run.wall < 0 or good < 0:
            self._debug(f"internal error: negative time computed for {event.cluster}.{event.proc}!")
            return
        self.runs.append(run)

    def _counted(self, start: int, event: JobEvent) -> tuple[int, int]:
        """The seconds of wall time and of processor time that the job keeps of a run."""
        if isinstance(event, events.JobTerminated):
            return int(event.time) - start, _whole(event.run_remote)
        if isinstance(event, events.JobEvicted) and event.checkpointed:
            return int(event.time) - start, _whole(event.run_remote)
        saved = self._saved.get((event.cluster, event.proc))
        if saved is None or saved.time < start:
            return 0, 0
        return int(saved.time) - start, _whole(saved.run_remote)

    def _debug(self, text: str) -> None:
        if self.wish.is_debug:
            sys.stderr.write(text + "\n")


def _whole(usage: CpuUsage) -> int:
    return int(usage.user) + int(usage.system)


def _runs(path: str, wish: _Wish) -> list[Run]:
    """The runs of one log. Raises CondorError when it is no event log."""
    history = _History(wish)
    is_empty = True
    for event in EventReader(path).events():
        is_empty = False
        if wish.cluster in (None, event.cluster) and wish.proc in (None, event.proc):
            history.add(typed(event))
    if is_empty:
        hint(f"condor_userlog: no event in {path}")
    return history.runs


def _address(host: str) -> str:
    """The address of a sinful string, without its port."""
    return host[1:].partition(":")[0]


def _names(runs: Iterable[Run]) -> dict[str, str]:
    """Address -> name of the host, for those that have one."""
    import socket

    found = {}
    for address in {_address(run.host) for run in runs}:
        try:
            found[address] = socket.gethostbyaddr(address)[0]
        except OSError:
            continue
    return found


# ---- tables -------------------------------------------------------------------------------------------------


def _date(seconds: int) -> str:
    parts = time.localtime(seconds)
    return f"{parts.tm_mon:2d}/{parts.tm_mday:<2d} {parts.tm_hour:02d}:{parts.tm_min:02d}"


def _span(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 86400}+{whole // 3600 % 24:02d}:{whole // 60 % 60:02d}"


def _show_runs(runs: Iterable[Run], names: dict[str, str], heading: bool) -> None:
    if heading:
        sys.stdout.write(
            f"\n{'Job':<8} {'Host':<15} {'Start Time':<11} {'Evict Time':<11} "
            f"{'Wall Time':>9} {'Good Time':>9} {'CPU Usage':>9}\n"
        )
    for run in runs:
        host = names.get(_address(run.host), _address(run.host))
        job = f"{run.cluster}.{run.proc}"
        sys.stdout.write(
            f"{job:<8.8} {host:<15.15} {_date(run.start):>11} {_date(run.end):>11} "
            f"{_span(run.wall):>9} {_span(run.good):>9} {_span(run.cpu):>9}\n"
        )


def _show_summaries(runs: list[Run], names: dict[str, str]) -> None:
    heading = (
        f"{'Host/Job':<15} {'Wall Time':>9} {'Good Time':>9} {'CPU Usage':>9} "
        f"{'Avg Alloc':>9} {'Avg Lost':>9} {'Goodput':>7} {'Util.':>6}"
    )
    hosts: dict[str, list[Run]] = {}
    for run in runs:
        hosts.setdefault(_address(run.host), []).append(run)
    sys.stdout.write(f"\n{heading}\n\n")
    for host in sorted(hosts):
        sys.stdout.write(_summary(names.get(host, host), hosts[host]))
    sys.stdout.write("\n")
    for (cluster, proc), its_runs in groupby(sorted(runs), itemgetter(0, 1)):
        sys.stdout.write(_summary(f"{cluster}.{proc}", list(its_runs)))
    sys.stdout.write("\n" + _summary("Total", runs))


def _summary(label: str, runs: list[Run]) -> str:
    wall = sum(run.wall for run in runs)
    good = sum(run.good for run in runs)
    cpu = sum(run.cpu for run in runs)
    kills = sum(run.wall != run.good for run in runs)
    average = wall // len(runs) if runs else 0
    lost = (wall - good) // kills if kills else 0
    goodput = 100 * good / wall if wall else 0.0
    use = 100 * cpu / good if good else 0.0
    return (
        f"{label:<15.15} {_span(wall):>9} {_span(good):>9} {_span(cpu):>9} {_span(average):>9} {_span(lost):>9} "
        f"{goodput:6.1f}% {use:5.1f}%\n"
    )
