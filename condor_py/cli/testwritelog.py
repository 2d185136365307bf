"""condor_testwritelog: lines for a log that is rotated as the logs of daemons are (WRITELOG_LOG, MAX_WRITELOG_LOG)."""

from __future__ import annotations

import random
import sys
import time

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, parse
from condor_py.model.copies import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SUBSYSTEM = "WRITELOG"
#: Where the random numbers begin.
_SEED = 42
_STARS = "*" * 32

_SPEC = ToolSpec(
    name="condor_testwritelog",
    usage="[-count count] [-sleep time] [-write mark] [-r min max] [-Seed seed] [-log logname] [-verbose] [-debug] "
    "[ textdata ]",
    summary="Write lines to a log, to test how logs are rotated.",
    positional="textdata",
    positional_help="the text of each line",
    description=(
        "The log is WRITELOG_LOG, or WritelogLog in the directory LOG; MAX_WRITELOG_LOG, MAX_NUM_WRITELOG_LOG, "
        "WRITELOG_DEBUG and the other knobs of logs hold for it. Each line has its number, which counts down to 1, and "
        "the text."
    ),
    options=(
        Opt("count", 1, "COUNT", "how many lines (0)", convert=int),
        Opt("sleep", 1, "SECONDS", "wait before each line", convert=int),
        Opt("write", 1, "MARK", "begin each line with a mark, to tell writers of one log apart", dash_value=True),
        Opt("r", 1, "MIN MAX", "wait before each line for so many seconds, drawn at random", convert=int),
        Opt("Seed", 1, "SEED", "the beginning of the random numbers (42)", convert=int, dash_value=True),
        Opt("log", 1, "NAME", "another log: a path, or a name in the directory LOG", takes="file"),
        Opt("verbose", 1, help="accepted; there are no messages of D_FULLDEBUG"),
        Opt("debug", 1, help="show the lines on standard error, too"),
        Opt("help", 1, help="this text"),
    ),
    examples=(
        ("_CONDOR_MAX_WRITELOG_LOG=1000 condor_testwritelog -count 50 hello", "a log that is rotated on the way"),
    ),
    unknown="condor_testwritelog: unknown option {arg}",
    see_also=("condor_preen",),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_testwritelog."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    pauses = _pauses(args)
    for word in args.positional:
        sys.stderr.write(f"FillData: {word}\n")
    write = _log(args)
    for line in (_STARS, "STARTING: condor_testwritelog", _STARS):
        write(line)
    text, mark = args.positional[-1] if args.positional else "(null)", args.text("write")
    for number in range(args.number("count", 0), 0, -1):
        for pause in pauses:
            time.sleep(pause())
        write(f"{number},{text}" if mark is None else f"{mark},{number},{text}")
    for line in (_STARS, "ENDING: condor_testwritelog", _STARS):
        write(line)
    return 0


def _pauses(args: Args) -> list[Callable[[], float]]:
    """The waits before each line, as functions that return seconds. UsageError."""
    pauses: list[Callable[[], float]] = []
    fixed, drawn = args.number("sleep"), args.last("r")
    if fixed is not None:
        pauses.append(lambda: max(0, fixed))
    if drawn is not None:
        low, high = drawn.values
        if high <= low or low < 0:
            raise UsageError("Range must be non-negative", _SPEC, "r", "value", f"{low} {high}")
        seed = args.number("Seed")
        numbers = random.Random(_SEED if seed is None else seed)
        pauses.append(lambda: low + numbers.randrange(high - low))
    return pauses


def _log(args: Args) -> Callable[[str], None]:
    """The function that writes a line. CondorError."""
    import os

    from condor_py.client.pool import open_pool
    from condor_py.daemons.common.logfile import DaemonLog
    from condor_py.lang.config.builders.daemon import log

    config = open_pool(_SUBSYSTEM).config
    settings = log(config, _SUBSYSTEM)
    name = args.text("log")
    if name is not None:
        settings = changed(settings, path=os.path.join(config.path("LOG"), name))
    made = DaemonLog(settings, _SUBSYSTEM)
    if args.has("debug"):
        made.copy_to(_show)
    return made.write


def _show(line: bytes) -> None:
    sys.stderr.write(line.decode(errors="replace"))
