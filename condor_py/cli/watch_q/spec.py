"""The options of condor_watch_q. Their minimum lengths make every abbreviation unique, as in HTCondor's."""

from __future__ import annotations

import sys
from typing import NamedTuple

from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, UsageError
from condor_py.cli.watch_q.states import CONDITIONS, Grouper

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
        "It reads the event logs of the jobs and shows their states anew whenever half a second has passed. Without a "
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
        Opt("interval", 1, "SECONDS", help="seconds between two looks (0.5)", convert=float, group=_BEHAVIOR),
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
        *_switch("refresh", 2, 5, "draw anew in place of appending (on a terminal)", _DISPLAY),
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
    number, unit = (text, "w") if text[-1:].isdigit() else (text[:-1], text[-1:])
    if unit not in _UNITS:
        raise WatchError(f"condor_watch_q: error: Unknown unit specifier provided for -exited-row-decay: {unit}", SPEC)
    if not number.isdigit():
        raise WatchError("condor_watch_q: error: Invalid time value provided for -exited-row-decay", SPEC)
    return int(number) * _UNITS[unit]


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
