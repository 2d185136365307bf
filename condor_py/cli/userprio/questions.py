"""The questions of condor_userprio that HTCondor does not answer: -whatif, -plot and -explain."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from condor_py.cli.output.files import replace
from condor_py.cli.plots.blocks import levels
from condor_py.cli.plots.scale import moment
from condor_py.cli.times import period
from condor_py.cli.userprio import explain, plot, whatif
from condor_py.cli.userprio.history import read
from condor_py.cli.userprio.past import Times, face_to_face, look_back, named
from condor_py.client.accounting_ads import accounting_ads
from condor_py.model.errors import CondorError, StoreError
from condor_py.model.texts import printable
from condor_py.store.cyclelog import records

if TYPE_CHECKING:
    from condor_py.cli.options import Args
    from condor_py.cli.userprio import Names
    from condor_py.client.pool import Pool
    from condor_py.model.cyclerecords import CycleRecord

_DAY = 86400


def answer(args: Args, names: Names, pool: Pool) -> None:
    """Answers what was asked. Raises CondorError."""
    if args.has("whatif"):
        what_if(args, pool)
    elif args.has("explain"):
        explain_submitter(args, pool)
    else:
        plot_series(args, names, pool)


def what_if(args: Args, pool: Pool) -> None:
    """The shares now, and after changes."""
    ads = accounting_ads(pool)
    queued = None if args.has("allusers") else whatif.with_jobs(pool)
    users = whatif.users_of(ads, 0 if args.has("allusers") else pool.now() - _DAY, queued)
    changes = [change for use in args.all("whatif") for change in use.values]
    after = whatif.changed(ads, users, changes)
    sys.stdout.writelines(f"{line}\n" for line in whatif.lines(ads, users, after, whatif.weight_of(pool)))


def _period(args: Args, pool: Pool) -> tuple[int, int]:
    """The time that -since and -until name; without them the last day for -explain, else all that is on record."""
    if not args.has("since") and not args.has("until"):
        return (pool.now() - _DAY if args.has("explain") else 0), pool.now() + 1
    return period("condor_userprio", args.text("since") or "1970-01-02", args.text("until"), None, pool.now())


def plot_series(args: Args, names: Names, pool: Pool) -> None:
    """Priority and use over time, on the terminal or into a file."""
    found = {name: parts for name, parts in read(pool, *_period(args, pool)).items() if names.means(name)}
    if not found:
        raise CondorError("condor_userprio: nothing is on record of the use of these users in this time")
    charts = plot.Charts(found)
    path = args.text("svg")
    if path is None:
        sys.stdout.writelines(f"{line}\n" for line in plot.text_lines(charts, get_terminal_size().columns, levels()))
        return
    replace("condor_userprio", path, plot.document(charts))


def explain_submitter(args: Args, pool: Pool) -> None:
    """Why somebody got what he got."""
    path, (since, until) = pool.config.path("NEGOTIATION_HISTORY"), _period(args, pool)
    times = look_back(_records(path, since), since, until)
    if not times.end:
        raise CondorError("condor_userprio: no negotiation cycles are on record for this time (NEGOTIATION_HISTORY)")
    who = pool.owner if args.text("explain") == "me" else args.text("explain") or ""
    others = [name for word in args.positional for name in _on_record(times, word)]
    for number, name in enumerate(_on_record(times, who)):
        against = face_to_face(_records(path, since), name, explain.compared(times, name, others), since, until)
        lines = [*([""] if number else []), *explain.lines(times, name, against)]
        sys.stdout.writelines(f"{printable(line)}\n" for line in lines)


def _records(path: str, since: int) -> Iterator[CycleRecord]:
    """The records of cycles. CondorError when they cannot be read."""
    try:
        yield from records(path, since) if path else ()
    except StoreError as error:
        raise CondorError(f"condor_userprio: {error}") from None


def _on_record(times: Times, word: str) -> list[str]:
    """The submitters whom a word means. CondorError for nobody."""
    found = named(times, word)
    if not found:
        stretch = f"from {moment(times.begin)} to {moment(times.end)}"
        raise CondorError(f"condor_userprio: {word} had no jobs in the queue {stretch}: nothing is on record")
    return found
