"""condor_top: who uses what of the machine, live; or how busy a daemon is."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from condor_py.cli.common import HELP, VERSION, handle_help_and_version
from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, UsageError, parse

if TYPE_CHECKING:
    from condor_py.cli.top.look import Looker
    from condor_py.cli.top.state import State


def _seconds(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


_DAEMON = "Statistics of a daemon, as HTCondor's condor_top shows them"
SPEC = ToolSpec(
    name="condor_top",
    usage="[-once] [-delay SECONDS] [-sort COLUMN] [-mine] [-filter TEXT]\n"
    "       condor_top DAEMON-OPTIONS [-delay SECONDS] [-sort COLUMN] | FILE FILE",
    summary="Slots, users and jobs of this machine, live.",
    description=(
        "Shows what each user uses of the machine and is entitled to, and every job, and updates that every "
        "two seconds. Keys sort and filter the tables, and hold, release and remove jobs; ? tells which. Without a "
        "terminal, or on one that cannot move its cursor, one picture is printed. With an option of a daemon, with "
        "-live, or with two files of ads it shows how busy a daemon is, as HTCondor's condor_top does."
    ),
    positional="FILE",
    positional_help="two ads of a daemon, an older and a newer one: statistics of the time between them",
    options=(
        Opt("once", 1, help="print everything once and end; with a daemon, its current figures"),
        Opt("batch", 1, same_as="once"),
        Opt("delay", 1, "SECONDS", "seconds between two updates (2; of a daemon STATISTICS_WINDOW_QUANTUM)",
            convert=_seconds),
        Opt("sort", 1, "COLUMN", "sort the table of jobs by ID, OWNER, ST, TIME, CPUS, MEM, SLOT or CMD; the "
            "statistics of a daemon by one of their columns"),
        Opt("filter", 1, "TEXT", "show only what has this text"),
        Opt("mine", 1, help="show only your own jobs"),
        HELP,
        VERSION,
        Opt("columns", 1, "SET", "the columns: default, runtime, count or all", group=_DAEMON),
        Opt("live", 1, help="again and again (on a terminal)", group=_DAEMON),
        Opt("history", 2, help="of the two newest ads in schedd_daemon_history", group=_DAEMON),
        Opt("H", EXACT, same_as="history", group=_DAEMON),
        Opt("name", 1, "NAME", "of the daemon of this name", group=_DAEMON),
        Opt("attrs", 1, "NAME,...", "count these attributes as well", group=_DAEMON),
        Opt("pool", 1, "HOST", "the pool to ask; this machine is the only one", group=_DAEMON),
        Opt("schedd", 3, help="of the schedd", group=_DAEMON),
        Opt("startd", 3, help="of the startd", group=_DAEMON),
        Opt("collector", 3, help="of the collector, whose ad is made of what all daemons publish", group=_DAEMON),
        Opt("negotiator", 3, help="of the negotiator", group=_DAEMON),
        Opt("master", 2, help="of the master", group=_DAEMON),
    ),
    examples=(
        ("condor_top", "watch the machine"),
        ("condor_top -once -sort MEM", "who uses most memory, on paper"),
        ("condor_top -schedd -delay 10", "how busy the schedd is"),
    ),
    exit_status="0 after q and ^C, 128 and its number after another signal, 1 when something failed, 2 when the "
    "command line is wrong.",
    see_also=("condor_q", "condor_status", "condor_userprio", "condor_watch_q"),
)  # fmt: skip
#: Each of them asks for the statistics of a daemon.
OF_DAEMONS = (
    "schedd", "startd", "collector", "negotiator", "master", "live", "history", "name", "columns", "attrs", "pool",
)  # fmt: skip


SPECS = (SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_top."""
    try:
        return _run(argv)
    except UsageError as error:
        error.exit_code = 2  # that of HTCondor's script
        raise


def _run(argv: list[str]) -> int:
    args = parse(SPEC, _split(argv))
    if handle_help_and_version(args):
        return 0
    if args.positional or any(args.has(name) for name in OF_DAEMONS):
        from condor_py.cli.top.daemons import statistics

        return statistics(args)
    state = _wish(args)
    from condor_py.cli.top.look import Looker
    from condor_py.client.pool import open_pool

    pool = open_pool()
    looker = Looker(pool)
    if args.has("once") or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _once(looker, state)
    from condor_py.cli.top.screen import CannotDraw, run

    try:
        return run(pool, looker, state)
    except CannotDraw:
        return _once(looker, state, fits=True)


def _split(argv: list[str]) -> list[str]:
    """``--attrs=A,B`` as two words: HTCondor's tool takes its options so, too."""
    words: list[str] = []
    for word in argv:
        name, equals, value = word.partition("=")
        words += [name, value] if equals and name.startswith("--") else [word]
    return words


def _wish(args: Args) -> State:
    """Return the state that the command line chooses. UsageError."""
    from condor_py.cli.top.columns import JOBS
    from condor_py.cli.top.state import JOBS_PANEL, State

    state = State(filter=args.text("filter", ""), mine=args.has("mine"))
    delay = args.last("delay")
    if delay is not None:
        seconds = float(delay.values[0])
        if not 0.1 <= seconds <= 86400:
            raise UsageError("condor_top: -delay is a number of seconds from 0.1 to 86400", SPEC)
        state = state._replace(delay=seconds)
    wanted = args.text("sort")
    if wanted is not None:
        titles = [column.title for column in JOBS]
        if wanted.upper() not in titles:
            raise UsageError(f"condor_top: cannot sort by {wanted}; columns are {', '.join(titles)}", SPEC)
        sorts = list(state.sorts)
        sorts[JOBS_PANEL] = (titles.index(wanted.upper()), False)
        state = state._replace(sorts=tuple(sorts))
    return state


def _once(looker: Looker, state: State, *, fits: bool = False) -> int:
    """One picture without colour; ``fits`` leaves out what does not fit the terminal."""
    from shutil import get_terminal_size

    from condor_py.cli.top.picture import plain, whole

    seen = looker.snapshot()
    columns, lines = get_terminal_size()
    shown = whole(state, seen, columns)
    sys.stdout.write(plain(shown[: max(1, lines - 1)] if fits else shown))
    return 1 if seen.failed else 0
