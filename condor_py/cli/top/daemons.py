"""condor_top of a daemon: its ad now and a while later, the two newest of its history, or two files."""

from __future__ import annotations

import itertools
import sys
import time
from typing import TYPE_CHECKING

from condor_py.cli.common import check_pool
from condor_py.cli.options import Args
from condor_py.cli.output.terminal import display_width
from condor_py.cli.top import runtimes
from condor_py.client.screen import draw
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.lang.classad import ClassAd

_DAEMONS = ("schedd", "startd", "collector", "negotiator", "master")
#: What MyType calls a daemon's ad.
_TYPES = {"Scheduler": "Schedd", "Machine": "Startd", "StartD": "Startd", "DaemonMaster": "Master"}
_CLEAR = "\033[H\033[J"


def statistics(args: Args) -> int:
    """Shows them; the exit code. CondorError."""
    if args.positional and args.has("history"):
        raise CondorError("Error: -history cannot be combined with ClassAd files.")
    try:
        if args.positional:
            return _of_files(args)
        return _of_history(args) if args.has("history") else _of_daemon(args)
    except KeyboardInterrupt:
        sys.stdout.write("\n")
        return 0


def _shown(args: Args, old: ClassAd, new: ClassAd) -> list[str]:
    columns = (args.text("columns") or "default").lower()
    columns = columns if columns in runtimes.SETS else "default"
    more = [name.strip() for name in args.text("attrs", "").split(",") if name.strip()]
    found = runtimes.rows(old, new, more)
    by = runtimes.sort_column(args.text("sort", ""), columns)
    width = display_width()
    table = runtimes.table(found, runtimes.SETS[columns], by)
    return [*runtimes.between(old, new), runtimes.span(old, new), *(line[: width and width - 1] for line in table)]


def _write(lines: list[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


# ---- two ads that are there ---------------------------------------------------------------------------------


def _of_files(args: Args) -> int:
    from condor_py.cli.adfile import read_ads

    if len(args.positional) != 2:
        raise CondorError(f"Error: Bad arguments or more/less than 2 files passed:\n{' '.join(args.positional)}")
    ads = []
    for path in args.positional:
        found = read_ads(path, "auto")
        if not found:
            raise CondorError(f"Error: {path} does not contain any (valid) ClassAds")
        ads.append(found[0])
    old, new = sorted(ads, key=lambda ad: ad.eval_int("MyCurrentTime", 0))
    _write(_shown(args, old, new))
    return 0


def _of_history(args: Args) -> int:
    from condor_py.client.pool import open_pool

    if _wanted(args, None) != "schedd":
        raise CondorError("Error: -history is only supported for Schedd daemon ads.")
    path = f"{open_pool().paths.spool}/schedd_daemon_history"
    ads = _history_ads(path)
    if len(ads) < 2:
        raise CondorError(f"History file {path} does not contain 2 ClassAds")
    pairs = list(itertools.pairwise(ads))
    alike = (
        pair for pair in reversed(pairs) if _started(pair[0]) is not None and _started(pair[0]) == _started(pair[1])
    )
    old, new = next(alike, pairs[-1])
    if not runtimes.timed(new):
        return _nothing_to_compare()
    _write(_shown(args, old, new))
    return 0


def _started(ad: ClassAd) -> int | None:
    return ad.eval_int("DaemonStartTime", None)


def _history_ads(path: str) -> list[ClassAd]:
    """The ads of a history file, the oldest first. CondorError."""
    from condor_py.store.longform import ads_of_text

    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        raise CondorError(f"Error: Unable to open {path}") from None
    text = "\n".join("" if line.startswith("***") else line for line in lines)
    return list(ads_of_text(text + "\n", path))


def _nothing_to_compare() -> int:
    sys.stdout.flush()
    sys.stderr.write("Did not get any comparable runtime attributes from daemon ClassAd, exiting early.\n")
    return 0


# ---- a daemon that runs -------------------------------------------------------------------------------------


def _of_daemon(args: Args) -> int:
    from condor_py.client.pool import open_pool

    pool = open_pool()
    check_pool(args, pool)
    daemon = _wanted(args, pool)
    old = _ad(pool, daemon, args.text("name"))
    title, name = _title(old, daemon), old.eval_str("Name", "")
    _write([*runtimes.status(title, name, old), *runtimes.recent(old)])
    _hint_at_attributes(args, old, title)
    if not runtimes.timed(old) and not args.has("attrs"):
        return _nothing_to_compare()
    if args.has("once"):
        return 0
    use = args.last("delay")
    delay = float(use.values[0]) if use is not None else pool.config.integer("STATISTICS_WINDOW_QUANTUM")
    live = args.has("live") and sys.stdout.isatty()
    while True:
        _count_down(delay)
        new = _ad(pool, daemon, name)
        if _started(new) != _started(old):  # another daemon by now: it is compared with itself the next time
            old = new
            continue
        if live:
            draw(sys.stdout, _CLEAR)
            _write(runtimes.status(title, name, new))
        _write(_shown(args, old, new))
        if not live:
            return 0
        old = new


def _hint_at_attributes(args: Args, ad: ClassAd, title: str) -> None:
    """A person at a terminal hears which of the attributes of -attrs the daemon does not publish."""
    from condor_py.cli.suggest import hint
    from condor_py.model.spelling import nearest

    names = [name.strip() for name in args.text("attrs", "").split(",")]
    for name in names:
        if name and not ad.has(name):
            like = nearest(name, ad.keys())
            hint(f"condor_top: the {title} publishes no {name}" + (f": did you mean {like}?" if like else ""))


def _wanted(args: Args, pool: Pool | None) -> str:
    """The daemon that is asked for; else the first of those that the machine runs."""
    asked = args.last(*_DAEMONS)
    if asked is not None:
        return asked.name
    if args.has("pool"):
        return "collector"
    if pool is None:
        return "schedd"
    runs = [word.lower() for word in pool.config.list("DAEMON_LIST")]
    return next((daemon for daemon in _DAEMONS if daemon in runs), "master")


def _ad(pool: Pool, daemon: str, name: str | None) -> ClassAd:
    if daemon == "startd":
        pool.freshen()
    found = [ad for ad in pool.ads(daemon.upper()) if name is None or ad.eval_str("Name") == name]
    if not found:
        raise CondorError(f"Error: Did not receive any {daemon.capitalize()} ads from Collector {pool.settings.host}")
    return found[0]


def _title(ad: ClassAd, daemon: str) -> str:
    return _TYPES.get(ad.eval_str("MyType", ""), daemon.capitalize())


def _count_down(seconds: float) -> None:
    """Waits; tells a person how long."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if sys.stderr.isatty():
            draw(sys.stderr, f"\rUpdating ClassAd in {int(left):>5d} s")
            sys.stderr.flush()
        time.sleep(min(1.0, left))
    if sys.stderr.isatty():
        draw(sys.stderr, "\rUpdating ClassAd ..........\n\n")
