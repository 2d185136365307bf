"""condor_history: the jobs that left the queue."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TextIO

from condor_py.cli import options
from condor_py.cli.common import handle_help_and_version
from condor_py.cli.history import query as sources
from condor_py.cli.history.output import Printer
from condor_py.cli.history.query import Query, Search, check_sources, kinds_of, query_of
from condor_py.cli.history.spec import SPEC
from condor_py.client.progress import Meter
from condor_py.lang.classad.ad import ClassAd
from condor_py.model.errors import CondorError, StoreError
from condor_py.store.history import HistoryRecord

SPECS = (SPEC,)

_MALFORMED = "\t*** Warning: Bad history file; skipping malformed ad(s)\n"


def main(argv: list[str]) -> int:
    """Run condor_history."""
    args = options.parse(SPEC, argv)
    if handle_help_and_version(args):
        return 0
    check_sources(args)
    kinds, remote = kinds_of(args), sources.is_remote(args)
    named = sources.configured(args)
    drawn = args.has("plot") or args.has("svg")
    printer = Printer(args)
    runs = any(args.has(name) for name in ("epochs", "transfer-history", "daemon"))
    query = query_of(args, printer.where, kinds, remote=remote, runs=runs)
    if drawn:
        from condor_py.cli.history.plot import draw

        draw((ad for ad, _ in _found(args, query, named)), args)
        return 0
    copies = _Copies(args.text("extract"), query.newest_first)
    sys.stdout.write(printer.start())
    shown = False
    for ad, record in _found(args, query, named):
        shown = True
        sys.stdout.write(printer.show(ad))
        if record is not None:
            copies.take(record)
    sys.stdout.write(printer.end())
    copies.finish()
    if not shown and args.positional and sys.stdout.isatty() and sys.stderr.isatty():
        sys.stdout.flush()
        sys.stderr.write(f"No record of {', '.join(args.positional)}\n")
    return 0


def _found(args: options.Args, query: Query, named: str | None) -> Iterator[tuple[ClassAd, HistoryRecord | None]]:
    """Yield the ads that were asked for, each with its history record if it has one."""
    single = sources.single_ads(args)
    if single is None:
        yield from _matching(sources.source(args, query.newest_first, named).records(query.newest_first), query)
    else:
        yield from ((ad, None) for ad in _matching_ads(single, query))


def _matching(records: Iterator[HistoryRecord], query: Query) -> Iterator[tuple[ClassAd, HistoryRecord]]:
    search, meter = Search(query), Meter(None, "records read")
    for number, record in enumerate(records, 1):
        if search.over:
            break
        meter.at(number)
        if not query.wants(record) or not record.text:
            search.pass_over(record)
            continue
        try:
            ad = record.ad()
        except StoreError:
            if not query.remote:
                sys.stdout.write(_MALFORMED)
            continue
        if search.take(ad, record):
            meter.done()
            yield ad, record
    meter.done()


def _matching_ads(ads: Iterator[ClassAd], query: Query) -> Iterator[ClassAd]:
    """Ads without banners: each counts."""
    search = Search(query)
    nowhere = HistoryRecord("", "***", "", 0)
    for ad in ads:
        if search.over:
            break
        if search.take(ad, nowhere):
            yield ad


class _Copies:
    """-extract: the records that were shown, as they are, in a file, the oldest first."""

    def __init__(self, path: str | None, newest_first: bool) -> None:
        self._path, self._newest_first = path, newest_first
        self._records: list[HistoryRecord] = []
        self._file: TextIO | None = None
        if path is not None:
            try:
                self._file = open(path, "w", encoding="utf-8", errors="surrogateescape")  # noqa: SIM115 - until finish
            except OSError as error:
                raise CondorError(
                    f"Error: Failed to open extraction file {path} ({error.errno}): {error.strerror}"
                ) from error

    def take(self, record: HistoryRecord) -> None:
        """One that was shown."""
        if self._file is not None:
            self._records.append(record)

    def finish(self) -> None:
        """Writes them. Raises CondorError."""
        if self._file is None:
            return
        if self._newest_first:
            sys.stdout.write(f"\nWriting {len(self._records)} matched ads to {self._path}...\n")
            self._records.reverse()
        try:
            with self._file:
                self._file.writelines(f"{record.text}{record.banner}\n" for record in self._records)
        except OSError as error:
            raise CondorError(f"Error: cannot write {self._path}: {error.strerror}") from error
