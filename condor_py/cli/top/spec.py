"""The options of condor_top: ours, and those of HTCondor's condor_top, which shows how busy a daemon is."""

from __future__ import annotations

import math

from condor_py.cli.common import HELP, VERSION
from condor_py.cli.options import EXACT, Opt, ToolSpec


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
        "Shows who uses what of the machine, how much of it he is entitled to, and every job, and looks again every "
        "two seconds. Keys sort and filter the tables, and hold, release and remove jobs; ? tells which. Without a "
        "terminal, or on one that cannot move its cursor, one picture is printed. With an option of a daemon, with "
        "-live, or with two files of ads it shows how busy a daemon is, as HTCondor's condor_top does."
    ),
    positional="FILE",
    positional_help="two ads of a daemon, an older and a newer one: statistics of the time between them",
    options=(
        Opt("once", 1, help="print everything once and end; of a daemon what its ad says now"),
        Opt("batch", 1, same_as="once"),
        Opt("delay", 1, "SECONDS", "seconds between two looks (2; of a daemon STATISTICS_WINDOW_QUANTUM)",
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
        ("condor_top", "look at the machine"),
        ("condor_top -once -sort MEM", "who uses most memory, on paper"),
        ("condor_top -schedd -delay 10", "how busy the schedd is"),
    ),
    exit_status="0 after q and ^C, 128 and its number after another signal, 1 when something failed.",
    see_also=("condor_q", "condor_status", "condor_userprio", "condor_watch_q"),
)  # fmt: skip
#: Each of them asks for the statistics of a daemon.
OF_DAEMONS = (
    "schedd", "startd", "collector", "negotiator", "master", "live", "history", "name", "columns", "attrs", "pool",
)  # fmt: skip
