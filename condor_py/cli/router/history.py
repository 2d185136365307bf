"""condor_router_history: what each route of the job router did in a time."""

from __future__ import annotations

import getopt
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import localtime, strftime
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.options import EXACT, Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.lang.classad import ClassAd

_SPEC = ToolSpec(
    name="condor_router_history",
    usage="[--show_records] [--show_iwd] [--age DAYS] [--days DAYS] [--start 'YYYY-MM-DD HH:MM']",
    summary="Show how many jobs ended on each route of the job router, and how many hours they ran.",
    options=(
        Opt("show_records", EXACT, help="a line for each job instead of the summary"),
        Opt("show_iwd", EXACT, help="with --show_records: the working directories, too"),
        Opt("age", EXACT, "DAYS", "the time ends so many days ago (0)"),
        Opt("days", EXACT, "DAYS", "how many days it is long (1)"),
        Opt("start", EXACT, "TIME", "when it begins, as YYYY-MM-DD HH:MM"),
        Opt("help", EXACT, help="this text"),
        Opt("h", EXACT, same_as="help", help="this text"),
    ),
    examples=(("condor_router_history --days 7", "the last week"),),
    see_also=("condor_history", "condor_router_q"),
)
SPECS = (_SPEC,)
#: The options as getopt wants to know them.
_WORDS = [f"{option.name}=" if option.arg else option.name for option in _SPEC.options if not option.same_as]
_ONE_DASH = frozenset(f"-{option.name}" for option in _SPEC.options if not option.same_as)
_DAY = 86400.0
_LETTERS = "UIRXCHE"
_LINE = "-" * 55 + "\n"


@dataclass
class _Site:
    """The history of one route: hours and jobs by the letter of their last state."""

    name: str
    hours: dict[str, float] = field(default_factory=dict)
    jobs: dict[str, int] = field(default_factory=dict)

    def count(self, letter: str, hours: float, jobs: int = 1) -> None:
        """Jobs that ended so."""
        self.hours[letter] = self.hours.get(letter, 0.0) + hours
        self.jobs[letter] = self.jobs.get(letter, 0) + jobs

    def line(self) -> str:
        """A line of the summary."""
        aborted = sum(count for letter, count in self.jobs.items() if letter != "C")
        return f"{self.name:<15} {round(self.hours.get('C', 0.0)):>5} {self.jobs.get('C', 0):>7} {aborted:>5}\n"


class _Wish(NamedTuple):
    """The time, and what of it is shown."""

    start: float
    end: float
    records: bool
    directories: bool


def main(argv: list[str]) -> int:
    """Run condor_router_history, whose options may have one dash as those of other tools."""
    try:
        options, words = getopt.getopt([f"-{word}" if word in _ONE_DASH else word for word in argv], "h", _WORDS)
        if any(name in ("-h", "--help") for name, _ in options):
            handle_help_and_version(parse(_SPEC, ["-help"]))
            return 0
        wish = _understand(dict(options))
        if words:
            raise ValueError(f"unknown argument {words[0]}")
    except (getopt.GetoptError, ValueError, OverflowError) as error:
        raise UsageError(f"Command line argument error: {error}", _SPEC, kind="unknown") from None
    sys.stdout.writelines(_pages(wish))
    return 0


def _understand(options: dict[str, str]) -> _Wish:
    now = time.time()
    end = now - _DAY * float(options.get("--age", "0"))
    start = end - _DAY * float(options.get("--days", "1"))
    if "--start" in options:
        start = time.mktime(time.strptime(options["--start"], "%Y-%m-%d %H:%M"))
    localtime(start), localtime(end)
    return _Wish(start, end, "--show_records" in options, "--show_iwd" in options)


def _pages(wish: _Wish) -> Iterator[str]:
    first, last = (strftime("%Y-%m-%d %H:%M", localtime(moment)) for moment in (wish.start, wish.end))
    yield f"Routed job history from {first} to {last}\n\n"
    if wish.records:
        yield "JobID Status Site Runtime" + (" IWD" if wish.directories else "") + "\n"
    sites: dict[str, _Site] = {}
    for ad in _routed(wish):
        route, letter = _route(ad), _letter(ad)
        seconds = round(ad.eval_real("RemoteWallClockTime", 0.0))
        sites.setdefault(route, _Site(route)).count(letter, seconds / 3600)
        if wish.records:
            where = f" {ad.eval_str('SUBMIT_Iwd', '') or ad.eval_str('Iwd', '')}" if wish.directories else ""
            yield f"{ad.eval_int('ClusterId', 0)}.{ad.eval_int('ProcId', 0)} {letter} {route} {seconds}{where}\n"
    if not wish.records:
        yield from _summary(sites)


def _summary(sites: dict[str, _Site]) -> Iterator[str]:
    yield f"{'Site':<15} {'Hours':>5} {'Jobs':>7} {'Runs':>7}\n"
    yield f"{'':<15} {'':>5} {'Completed':>7} {'Aborted':>5}\n"
    yield _LINE
    total = _Site("TOTAL")
    for site in sorted(sites.values(), key=lambda site: (site.hours.get("C", 0.0), site.name), reverse=True):
        yield site.line()
        for letter, jobs in site.jobs.items():
            total.count(letter, site.hours[letter], jobs)
    yield _LINE
    yield total.line()


def _routed(wish: _Wish) -> Iterator[ClassAd]:
    """The copies that completed in the time, or were removed in it, newest first."""
    from condor_py.client.pool import Pool
    from condor_py.model.errors import StoreError
    from condor_py.store.history import records_newest_first

    path = Pool().config.path("HISTORY")
    if not path:
        raise CondorError("condor_router_history: no history is kept (HISTORY)")
    try:
        for record in records_newest_first(path):
            ad = record.ad()
            if _route(ad) and wish.start <= _ended(ad) <= wish.end:
                yield ad
    except StoreError as error:
        raise CondorError(f"condor_router_history: {error}") from None


def _route(ad: ClassAd) -> str:
    return ad.eval_str("RouteName", None) or ad.eval_str("RoutedFromRoute", "")


def _ended(ad: ClassAd) -> int:
    """Return when a copy ended (Unix seconds); removed ones never completed."""
    return ad.eval_int("CompletionDate", 0) or ad.eval_int("EnteredCurrentStatus", 0)


def _letter(ad: ClassAd) -> str:
    status = ad.eval_int("JobStatus", 0)
    return _LETTERS[status] if 0 <= status < len(_LETTERS) else "U"
