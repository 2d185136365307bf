"""condor_stats: the history of the pool (KEEP_POOL_HISTORY)."""

from __future__ import annotations

import sys

from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, parse
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HOUR = 3600
_DAY = 24 * _HOUR
#: Query -> the set of data that it asks for (store/pool_history.py); None for that of checkpoint servers.
_QUERIES = {
    "userlist": 0, "userquery": 0, "resourcelist": 1, "resourcequery": 1, "resgrouplist": 2, "resgroupquery": 2,
    "usergrouplist": 3, "usergroupquery": 3, "ckptlist": None, "ckptquery": None,
}  # fmt: skip
_NAMED = {"lastday": _DAY, "lastweek": 7 * _DAY, "lastmonth": 30 * _DAY}
#: Longest name that is asked for.
_LONGEST = 200
_NO_DATA = "No Data.\n"


def _opt(name: str, help: str, arg: str | None = None, group: str = "What to show") -> Opt:
    return Opt(name, EXACT, arg, help, group=group)


_TIMES = "Times"
SPEC = ToolSpec(
    name="condor_stats",
    usage="[-f FILE] [-orgformat] [-lastday | -lastweek | -lastmonth | -lasthours H | -from M D Y [-to M D Y]] QUERY",
    summary="Show the history of slots and submitters.",
    description=(
        "Reads what the pool has kept of the past: with KEEP_POOL_HISTORY = true the master takes a sample of slots "
        "and submitters every POOL_HISTORY_SAMPLING_INTERVAL seconds and writes means of 4, 16 and 64 samples into "
        "POOL_HISTORY_DIR. Of queries the last one counts. A line begins with the percentage of the time that had "
        "passed. "
        "For a slot follow the seconds for which its keyboard was idle, its load and its state; for a platform the "
        "numbers of slots that were Unclaimed, Matched, Claimed, Preempting, Owner, Shutdown, Delete, Backfill and "
        "Drained; for a submitter the numbers of its running and idle jobs."
    ),
    options=(
        _opt("resourcelist", "the names of slots"),
        _opt("resourcequery", "the history of a slot", "NAME"),
        _opt("resgrouplist", "the names of platforms, and Total"),
        _opt("resgroupquery", "the history of all slots of a platform", "NAME"),
        _opt("userlist", "the names of submitters, each with its machine"),
        _opt("userquery", "the history of a submitter at a machine", "NAME/MACHINE"),
        _opt("usergrouplist", "the names of submitters, and Total"),
        _opt("usergroupquery", "the history of a submitter", "NAME"),
        _opt("ckptlist", "nothing: there are no checkpoint servers"),
        _opt("ckptquery", "nothing", "NAME"),
        _opt("lastday", "of the last day; without a time, too", group=_TIMES),
        _opt("lastweek", "of the last week", group=_TIMES),
        _opt("lastmonth", "of the last 30 days", group=_TIMES),
        _opt("lasthours", "of the last hours", "HOURS", _TIMES),
        _opt("from", "since the beginning of a day", "MONTH DAY YEAR", _TIMES),
        _opt("to", "until the beginning of a day", "MONTH DAY YEAR", _TIMES),
        Opt("f", EXACT, "FILE", "write into a file", group="Output", takes="file"),
        _opt("orgformat", "lines as they are in the files of the history", group="Output"),
        Opt(
            "timedat", EXACT, "FILE", "also write the times of each tenth of the whole into a file", group="Output",
            takes="file",
        ),
        Opt("pool", EXACT, "HOST", "refused: there is one pool on this machine", hidden=True),
        Opt("help", 1, help="this text"),
    ),
    examples=(
        ("condor_stats -resgroupquery Total -lastweek", "how many slots were in use in the last week"),
        ("condor_stats -usergrouplist", "whose jobs ran or waited in the last day"),
    ),
    exit_status="0; 1 when the command line is wrong or nothing can be read or written.",
    unknown="condor_stats: unknown option {arg}",
    see_also=("condor_status", "condor_report"),
)  # fmt: skip

SPECS = (SPEC,)


def stats(argv: list[str]) -> int:
    """Run condor_stats."""
    args = parse(SPEC, argv)
    if args.has("help"):
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(SPEC))
        return 0
    if args.has("pool"):
        raise CondorError("condor_stats: -pool is not supported: there is one pool on this machine")
    query, name = _query(args)
    begin, end = _times(args)
    if len(name) > _LONGEST:
        raise CondorError("Command line argument is too long")
    if (times := args.text("timedat")) is not None:
        _write(times, list(_timeline(begin, end)))
    lines = list(_answer(query, name, begin, end, args.has("orgformat"))) or [_NO_DATA]
    path = args.text("f")
    if path is None:
        sys.stdout.writelines(lines)
    else:
        _write(path, lines)
    return 0


def _query(args: Args) -> tuple[str, str]:
    """The last query, and the name that it asks for."""
    uses = [use for use in args.uses if use.name in _QUERIES]
    if not uses:
        raise CondorError("condor_stats: no query: -resgroupquery Total, -usergrouplist and others ask for something")
    return uses[-1].name, str(uses[-1].values[0]) if uses[-1].values else ""


def _times(args: Args) -> tuple[int, int]:
    """The first and the last second, by the options in their order."""
    import time

    now = int(time.time())
    begin, end = now - _DAY, now
    for use in args.uses:
        name = use.name
        if name in _NAMED:
            begin, end = now - _NAMED[name], now
        elif name == "lasthours":
            begin, end = now - _HOUR * _number(str(use.values[0])), now
        elif name == "from":
            begin = _day(*map(str, use.values))
        elif name == "to":
            end = _day(*map(str, use.values))
    if not 0 <= begin <= now or end < begin:
        raise CondorError("condor_stats: the time must begin in the past, and before it ends")
    return begin, end


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise CondorError(f"condor_stats: {text} is no number")
    return int(text)


def _day(month: str, day: str, year: str) -> int:
    """The beginning of a day, in local time; years below 50 are those after 2000."""
    import time

    numbers = [_number(text) for text in (month, day, year)]
    whole = numbers[2] + (2000 if numbers[2] < 50 else 1900 if numbers[2] < 1900 else 0)
    try:
        return int(time.mktime((whole, numbers[0], numbers[1], 0, 0, 0, 0, 0, -1)))
    except (OverflowError, ValueError):
        raise CondorError(f"condor_stats: {month} {day} {year} is no day") from None


def _answer(query: str, name: str, begin: int, end: int, original: bool) -> Iterator[str]:
    import os

    from condor_py.lang.config import load
    from condor_py.lang.config.builders.history import pool_history
    from condor_py.store import pool_history as files

    kept = pool_history(load(os.environ, subsystem="TOOL"))
    number = _QUERIES[query]
    if number is None:
        return
    data = files.Set(number)
    if query.endswith("list"):
        yield from (f"{each}\n" for each in files.names(kept.directory, data, begin, end))
    elif original:
        yield from files.whole_lines(kept.directory, data, name, begin, end)
    else:
        for part, text in files.figures(kept.directory, data, name, begin, end):
            yield _slot(part, text) if data is files.Set.SLOTS else f"{part:.2f}{text}"


def _slot(part: float, text: str) -> str:
    """A line about a slot, with the name of its state."""
    from condor_py.store.pool_history import STATES

    words = text.split()
    try:
        idle, load, number = int(words[0]), float(words[1]), int(words[2])
    except (ValueError, IndexError):
        return ""
    load = min(load, 1e30)
    names = ("UNCLAIMED", "MATCHED", "CLAIMED", "PRE-EMPTING", *(state.upper() for state in STATES[4:]))
    state = names[number - 1] if 1 <= number <= len(names) else "UNKNOWN"
    return f"{_single(round(part, 2)):f}\t{idle}\t{_single(load):f}\t{state}\n"


def _single(number: float) -> float:
    """The nearest number of 32 bits, which is what HTCondor prints."""
    import struct

    found: float = struct.unpack("f", struct.pack("f", number))[0]
    return found


def _timeline(begin: int, end: int) -> Iterator[str]:
    import time

    step = int((end - begin) / 10)
    for at in range(11):
        yield f"{at * 10:.2f}\t{time.asctime(time.localtime(begin + step * at))}\n"


def _write(path: str, lines: list[str]) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(lines)
    except OSError:
        raise CondorError(f"Failed to open file {path}") from None
