"""condor_history: the jobs that left the queue."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from condor_py.cli import options
from condor_py.cli.common import HELP, handle_help_and_version
from condor_py.cli.history import query as sources
from condor_py.cli.history.query import Query, Search, check_sources, kinds_of, query_of
from condor_py.cli.history.reading import ReadingMeter
from condor_py.cli.options import Args, Opt, ToolSpec
from condor_py.cli.output import ads as forms
from condor_py.cli.output import renderers
from condor_py.cli.output.autoformat import add_columns
from condor_py.cli.output.conversion import elapsed
from condor_py.cli.output.mask import Column, Mask
from condor_py.cli.output.terminal import cut, display_width, pad
from condor_py.cli.output.values import integer
from condor_py.client.pool import open_pool
from condor_py.lang.classad.ad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.texts import leading_number
from condor_py.store.history import HistoryRecord

if TYPE_CHECKING:
    from condor_py.cli.history.lives import Run

_SOURCE, _RESTRICT, _FORM = "Sources", "Restrictions", "Output forms"
_NEEDS_ONE = "Error: Argument {spelling} requires another parameter"
_NEEDS_NUMBER = "Error: Argument -match requires a number value as a parameter."
_NEEDS_ATTRIBUTE = (
    "Error: Argument {spelling} requires at least one attribute parameter\n\t\te.g. condor_history {spelling} ClusterId"
)


_OPTIONS = (
    Opt("long", 1, help="whole ads", group=_FORM),
    Opt("xml", 3, help="whole ads as XML", group=_FORM),
    Opt("toml", 3, help="whole ads as TOML", group=_FORM),
    Opt("jsonl", 5, help="whole ads as JSON, one a line", group=_FORM),
    Opt("json", 4, help="whole ads as JSON", group=_FORM),
    Opt("backwards", 1, help="newest first (the default)", group=_RESTRICT),
    Opt("nobackwards", 3, same_as="forwards"),
    Opt("forwards", 4, help="oldest first", group=_RESTRICT),
    Opt("wide", 1, help="do not cut rows (or cut them at N columns)", colon="N", group=_FORM),
    Opt("match", 1, "N", same_as="limit", missing=_NEEDS_NUMBER, convert=leading_number, dash_value=True),
    Opt("limit", 3, "N", "stop after N jobs", missing=_NEEDS_NUMBER, convert=leading_number, dash_value=True,
        group=_RESTRICT),
    Opt("scanlimit", 4, "N", "stop after reading N ads", convert=leading_number, dash_value=True, group=_RESTRICT,
        missing="Error: Argument {spelling} requires a number value  as a parameter."),
    Opt("file", 2, "FILE", "read this history file", group=_SOURCE, takes="file", missing=_NEEDS_ONE),
    Opt("userlog", 1, "FILE", "read jobs from an event log", group=_SOURCE, takes="file", missing=_NEEDS_ONE),
    Opt("local", 2, help="read the history file of this machine (the default)", group=_SOURCE),
    Opt("startd", 3, help="read STARTD_HISTORY, the jobs that ran here", group=_SOURCE),
    Opt("schedd", 3, help="read HISTORY (the default)", group=_SOURCE),
    Opt("stream-results", 6, help="accepted; results come in order in any case", colon="...", hidden=True),
    Opt("attributes", 2, "NAMES", "only these attributes in -long, -xml and -json", group=_FORM,
        missing="Error: Argument -attributes must be followed by a list of attributes"),
    HELP,
    Opt("format", 1, "FMT EXPR", "print EXPR by a printf format; may be repeated", group=_FORM, dash_value=True,
        missing="Error: Argument -format requires a spec and classad attribute name as parameters.\n"
        "\t\te.g. condor_history -format '%d' ClusterId"),
    Opt("af", 2, "EXPR", colon="LETTERS", variadic=True, same_as="autoformat", missing=_NEEDS_ATTRIBUTE),
    Opt("autoformat", 5, "EXPR", "print values; LETTERS are of jlhVr,tngTY", colon="LETTERS", variadic=True,
        group=_FORM, missing=_NEEDS_ATTRIBUTE),
    Opt("print-format", 2, "FILE", "columns as a print-format file says", colon="...", group=_FORM, takes="file",
        missing="Error: Argument -print-format requires a filename argument"),
    Opt("daemon", 3, help="read DAEMON_DAEMON_HISTORY, the ads of a daemon (the schedd's)", colon="DAEMON",
        group=_SOURCE),
    Opt("epochs", 2, help="one row for every execution attempt", colon="d", group=_SOURCE),
    Opt("transfer-history", 2, help="read the records of file transfers: of input, output, checkpoints", colon="ioc",
        group=_SOURCE),
    Opt("type", 2, "TYPES", "records of these kinds: JOB, with -epochs EPOCH; SPAWN, TRANSFER, ALL", group=_SOURCE,
        missing=_NEEDS_ONE),
    Opt("directory", 3, help="read a directory of single records", group=_SOURCE),
    Opt("search", 3, "DIR", "the directory, or the file, to search", group=_SOURCE, takes="dir", missing=_NEEDS_ONE),
    Opt("constraint", 1, "EXPR", "jobs for which EXPR is true", group=_RESTRICT, missing=_NEEDS_ONE, dash_value=True),
    Opt("since", 4, "EXPR|ID", "stop at this job, or when EXPR becomes true", group=_RESTRICT, missing=_NEEDS_ONE,
        dash_value=True),
    Opt("completedsince", 3, "TIME", "jobs that completed after TIME (Unix seconds)", group=_RESTRICT,
        missing="Error: Argument -completedsince requires another parameter."),
    Opt("extract", 2, "FILE", "copy the raw records to FILE", group=_FORM, takes="file",
        missing="Error: Argument -extract requires another parameter."),
    Opt("debug", 3, help="accepted; messages go to standard error in any case", colon="FLAGS"),
    Opt("diagnostic", 4, help="accepted; nothing is measured", hidden=True),
    Opt("no-librarian", 12, help="accepted; there is no librarian", hidden=True),
    Opt("name", 1, "NAME", "the schedd (with -startd the startd) whose configuration says where", group=_SOURCE,
        missing="Error: Argument -name requires name of a remote schedd\n"
        "\t\te.g. condor_history -name submit.example.com "),
    Opt("pool", 1, "HOST", "the pool to ask; this machine is the only one", group=_SOURCE, missing=_NEEDS_ONE),
    Opt("version", 1, help="the version and the platform"),
    Opt("why", 3, help="a line for each run: when and where it ran, why it ended, what followed; -json for programs "
        "(not in HTCondor)", group=_FORM),
    Opt("plot", 2, help="draw jobs that ended, cores in use (of the last run of each job; with -epochs of all runs) "
        "and waiting times over time by owner; of one job its runs, its use over time and what happened to it; of "
        "a cluster the runs of its jobs", group=_FORM),
    Opt("efficiency", 2, help="cpu, memory and time used against held, of each job or, with :batch, each batch; -json, "
        "-long and -af have them as attributes: CpuEfficiency, MemoryEfficiency and TimeEfficiency (0 to 1), "
        "CpuTimeUsed, CpuTimeHeld and TimeUsed (seconds), MemoryUsed and MemoryHeld (MB), TimeAllowed", colon="batch",
        group=_FORM),
    Opt("svg", 2, "FILE", "draw them as SVG into FILE", group=_FORM, takes="file"),
)  # fmt: skip

_WHY = """\
-why -json prints an array with an object for each run; a job that was removed while it did not run has one, too.

job, owner, run           the job, and the number of the run (0: none)
slot, began, ended        where and when it ran (Unix seconds; 0: not known)
kind                      exited, killed, held, removed, preempted, evicted, lost, failed, restarted or ended
code                      the exit code, signal, hold code or VacateReasonCode
why, then, text           the reason in words, what happened to the job then, both"""

SPEC = ToolSpec(
    name="condor_history",
    usage="[source] [restriction-list] [options]",
    summary="Show the jobs that left the queue.",
    positional="CLUSTER | CLUSTER.PROC | OWNER",
    positional_help="show only these jobs",
    description="It reads the history file and needs no daemon. The newest job comes first.",
    options=_OPTIONS,
    examples=(
        ("condor_history -limit 3", "the three jobs that ended last"),
        ("condor_history -why 7.0", "why each run of job 7.0 ended"),
        ("condor_history -efficiency 12", "cpu, memory and time of the jobs of cluster 12, used against held"),
        ("condor_history -plot -completedsince $(date -d -7days +%s)", "what ended in the last week, drawn"),
        ("condor_history 12.0 -plot", "the life of one job, also of one that runs"),
        ("condor_history 12 -plot -svg runs.svg", "the runs of the jobs of a cluster, as a picture"),
    ),
    unknown="Error: Unknown argument {arg}",
    dash=False,
    usage_stream="stdout",
    sections=(("Why as JSON", _WHY),),
    see_also=("condor_q", "condor_wait"),
)


SPECS = (SPEC,)

#: Options that name a source; without any of them all that the pool knows of a job is read.
_NAMED_SOURCES = (
    "file", "userlog", "startd", "daemon", "epochs", "transfer-history", "directory", "search", "name", "pool", "type",
)  # fmt: skip
#: Options whose output is for a program.
_FOR_PROGRAMS = ("xml", "json", "jsonl", "toml")
_MALFORMED = "\t*** Warning: Bad history file; skipping malformed ad(s)\n"


def main(argv: list[str]) -> int:
    """Run condor_history."""
    args = options.parse(SPEC, argv)
    if handle_help_and_version(args):
        return 0
    check_sources(args)
    _check_efficiency(args)
    if args.has("why"):
        from condor_py.cli.history.why import show_why

        show_why(args, _cut(args))
        return 0
    kinds, remote = kinds_of(args), sources.is_remote(args)
    named = sources.configured(args)
    drawn = args.has("plot") or args.has("svg")
    printer = Printer(args)
    runs = any(args.has(name) for name in ("epochs", "transfer-history", "daemon"))
    query = query_of(args, printer.where, kinds, remote=remote, runs=runs)
    if drawn and query.ids and not query.owners:
        from condor_py.cli.history.plot import draw_jobs

        one = len(query.ids) == 1 and query.ids[0][1] is not None
        draw_jobs(_runs(args, query, named), args, one=one)
        return 0
    if drawn:
        from condor_py.cli.history.plot import draw

        draw((ad for ad, _ in _found(args, query, named)), args)
        return 0
    copies = _Copies(args.text("extract"), query.newest_first)
    sys.stdout.write(printer.start())
    shown = False
    for ad in _shaped(args, copies.taken(_found(args, query, named))):
        shown = True
        sys.stdout.write(printer.show(ad))
    sys.stdout.write(printer.end())
    copies.finish()
    if not shown and args.positional and sys.stdout.isatty() and sys.stderr.isatty():
        sys.stdout.flush()
        sys.stderr.write(f"No record of {', '.join(args.positional)}\n")
    return 0


def _shaped(args: options.Args, ads: Iterator[ClassAd]) -> Iterator[ClassAd]:
    """The ads to show: with -efficiency what they made of what they held, too."""
    if not args.has("efficiency"):
        return ads
    from condor_py.cli.history.efficiency import of_batches, of_jobs

    return of_batches(ads) if args.colon("efficiency") else of_jobs(ads)


def _check_efficiency(args: options.Args) -> None:
    """Refuse what -efficiency cannot be about."""
    if not args.has("efficiency"):
        return
    kind = args.colon("efficiency")
    if kind not in (None, "batch"):
        raise CondorError(f"Error: -efficiency:{kind} is not known; there is -efficiency:batch")
    for other in ("epochs", "transfer-history", "daemon", "plot", "svg"):
        if args.has(other):
            raise CondorError(f"Error: -efficiency is about jobs and cannot be combined with -{other}")


def _found(args: options.Args, query: Query, named: str | None) -> Iterator[tuple[ClassAd, HistoryRecord | None]]:
    """Yield the ads that were asked for, each with its history record if it has one."""
    single = sources.single_ads(args)
    if single is None:
        source = sources.source(args, query.newest_first, named)
        meter = ReadingMeter(
            lambda: source.names(query.newest_first),
            newest_first=query.newest_first,
            quiet=any(map(args.has, _FOR_PROGRAMS)),
            may_stop=query.may_stop,
        )
        yield from _matching(source.records(query.newest_first), query, meter)
    else:
        yield from ((ad, None) for ad in _matching_ads(single, query))


def _runs(args: options.Args, query: Query, named: str | None) -> list[Run]:
    """Return the runs of the jobs that were asked for: by the records of runs first, which know most.

    Of each ad only its run is kept, as there may be very many.
    """
    from condor_py.cli.history.lives import run_of

    ended = [run for ad, _ in _found(args, query, named) if (run := run_of(ad)) is not None]
    if any(map(args.has, _NAMED_SOURCES)):
        return ended
    pool = open_pool()
    now = pool.now()
    running: list[Run] = []
    since = [run.queued for run in ended]
    single = query.ids[0] if len(query.ids) == 1 and query.ids[0][1] is not None else None
    for ad in sources.in_queue(pool, query):
        since.append(ad.eval_int("QDate", 0))
        if single is not None:
            sources.add_use(pool, ad)
        if (run := run_of(ad, now)) is not None:
            running.append(run)
    past = [run for ad in sources.epochs_of(pool, query, min(since, default=0)) if (run := run_of(ad)) is not None]
    return [*past, *running, *ended]


def _matching(
    records: Iterator[HistoryRecord], query: Query, meter: ReadingMeter
) -> Iterator[tuple[ClassAd, HistoryRecord]]:
    def metered() -> Iterator[HistoryRecord]:
        for record in records:
            meter.at(record)
            yield record

    def warn() -> None:
        if not query.remote:
            sys.stdout.write(_MALFORMED)

    for found in Search(query).through(metered(), warn):
        meter.done()
        yield found
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

    def taken(self, found: Iterator[tuple[ClassAd, HistoryRecord | None]]) -> Iterator[ClassAd]:
        """Yield the ads, and keep the records of those that have one."""
        for ad, record in found:
            if self._file is not None and record is not None:
                self._records.append(record)
            yield ad

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


# The table of 80 columns (-wide:80), which HTCondor has kept from its early days.

SHORT_WIDTH = 80
_HEADING = (" ", "ID     ", "OWNER         ", "  SUBMITTED", "    RUN_TIME", "ST", "  COMPLETED", "CMD            ")
_NUMBERS = ("ClusterId", "ProcId", "QDate", "CompletionDate", "JobStatus", "JobPrio", "ImageSize")
_UNKNOWN_STATUS = " "


class ShortTable:
    """Columns of fixed widths; a job that lacks one of its attributes is a row of question marks."""

    def heading(self) -> str:
        """The line above the jobs."""
        return _HEADING[0] + " ".join(_HEADING[1:]) + "\n"

    def display(self, ad: ClassAd) -> str:
        """The row of a job."""
        numbers = [integer(ad.raw(name)) for name in _NUMBERS]
        owner, command = ad.eval_str("Owner"), ad.eval_str("Cmd")
        if None in numbers or owner is None or command is None:
            return " --- ???? --- \n"
        cluster, proc, submitted, completed, status = [number or 0 for number in numbers[:5]]
        used = integer(ad.raw("RemoteWallClockTime"))
        used = integer(ad.raw("RemoteUserCpu")) if used is None else used
        command = _with_arguments(command, ad.eval_str("Args"))
        return (
            f"{cluster:4d}.{proc:<3d} {_short_cut(owner, 14)} {_date(submitted, ad):11} {_time(used or 0):12} "
            f"{_letter(status):2} {_date(completed, ad):11} {_short_cut(command, 15)}\n"
        )


def _with_arguments(command: str, arguments: str | None) -> str:
    room = 14 - len(command)
    return command if arguments is None or room <= 0 else f"{command} {arguments[:room]}"


def _short_cut(text: str, width: int) -> str:
    return pad(cut(text, width), width, True)


def _date(seconds: int, ad: ClassAd) -> str:
    return (renderers.date(seconds, ad) or "") if seconds else " ??? "


def _time(seconds: int) -> str:
    return elapsed(seconds) if seconds >= 0 else "[?????]"


def _letter(status: int) -> str:
    letters = "IRXCH>SFBP"
    return letters[status - 1] if 1 <= status <= len(letters) else _UNKNOWN_STATUS


def _moment(value: Any, ad: ClassAd) -> int | None:
    return integer(value)


def _table() -> Mask:
    return Mask(
        [
            Column("ClusterId", " ID         ", -12, render=renderers.job_id, auto=True),
            Column("Owner", "OWNER", -14, render=renderers.owner, truncate=True, alt="??"),
            Column("QDate", "  SUBMITTED", 11, "%Y", _moment, truncate=True, alt="??"),
            Column("RemoteWallClockTime ?:(RemoteUserCpu?:0)", "  RUN_TIME  ", 12, "%T", truncate=True),
            Column("JobStatus", "ST", -2, render=renderers.job_status, auto=True),
            Column("CompletionDate", "  COMPLETED", 11, "%Y", _moment, truncate=True),
            Column("Cmd", "CMD", 0, render=renderers.description),
        ]
    )


def _daemon_table() -> Mask:
    """``-daemon``: how busy the schedd was."""
    counts = (
        ("TotalRunningJobs", "RunningJobs", "%11d"), ("TotalIdleJobs", "  IdleJobs", "%10d"),
        ("TotalHeldJobs", "  HeldJobs", "%10d"), ("TransferQueueNumDownloading", "Download", "%8d"),
        ("TransferQueueNumWaitingToDownload", "Waiting", "%7d"),
        ("FileTransferMBWaitingToDownload", "WaitingMB", "%9.2f"), ("TransferQueueNumUploading", "  Upload", "%8d"),
        ("TransferQueueNumWaitingToUpload", "Waiting", "%7d"), ("FileTransferMBWaitingToUpload", "WaitingMB", "%9.2f"),
    )  # fmt: skip
    return Mask(
        [
            Column("RecordWriteDate", "TIMESTAMP  ", -11, "%Y", _moment, truncate=True, alt="??"),
            Column("(RecentDaemonCoreDutyCycle?:0) * 100", "DUTY_CYCLE", -10, "%7.2f%%", auto=True),
            *(Column(source, heading, -len(heading), fmt, auto=True) for source, heading, fmt in counts),
        ]
    )


class Printer:
    """The output that the command line asks for, ad by ad: ``start``, ``show`` each, ``end``."""

    def __init__(self, args: Args) -> None:
        self.where = ""
        self.mask: Mask | ShortTable | None = None
        self.form = next((form for form in ("xml", "json", "jsonl", "toml", "long") if args.has(form)), "")
        self._shown = False
        if self.form:
            names = [name for name in re.split(r"[\s,]+", ",".join(args.texts("attributes"))) if name] or None
            self._frame = forms.HISTORY_FRAMES[self.form]
            self._render = forms.renderer(self.form, names, True)
            return
        self.mask, self._heading = _mask(args)
        if args.has("print-format"):
            self.mask = self._print_format(args.text("print-format", ""))
            add_columns(self.mask, args.uses, "Error: invalid expression : ")
        self.mask.max_width = _cut(args)
        if self.mask.max_width == SHORT_WIDTH and is_standard(args):
            self.mask = ShortTable()

    def _print_format(self, path: str) -> Mask:
        from condor_py.cli.output.printformat import read_print_format

        chosen = read_print_format(path, refusal="cannot execute print-format file")
        self._heading, self.where = chosen.header, chosen.where
        return chosen.mask

    def start(self) -> str:
        """Return the text before the first ad, also where there is no ad."""
        if self.mask is None:
            return self._frame.header
        return self.mask.heading() if self._heading else ""

    def show(self, ad: ClassAd) -> str:
        """One ad."""
        if self.mask is not None:
            return self.mask.display(ad)
        lead = self._frame.between if self._shown else ""
        self._shown = True
        return f"{lead}{self._render(ad)}{self._frame.after}"

    def end(self) -> str:
        """Return the text after the last ad."""
        return "" if self.mask is not None else self._frame.footer


def is_standard(args: Args) -> bool:
    """Whether the table is asked for by nothing but -wide:80."""
    chosen = ("autoformat", "format", "print-format", "daemon", "efficiency")
    return args.has("wide") and not any(args.has(name) for name in chosen)


def _mask(args: Args) -> tuple[Mask, bool]:
    """The columns, and whether they have a heading line."""
    mask = Mask()
    add_columns(mask, args.uses, "Error: invalid expression : ")
    if mask.columns:
        return mask, mask.has_headings()
    if args.has("transfer-history") and not args.has("print-format"):
        raise CondorError(
            "Error: -transfer-history does not have a default print table. "
            "Please use -long, -json, -xml, or a custom print format."
        )
    if args.has("efficiency"):
        from condor_py.cli.history.efficiency import table

        return table(bool(args.colon("efficiency"))), True
    return _daemon_table() if args.has("daemon") else _table(), True


def _cut(args: Args) -> int | None:
    use = args.last("wide")
    if use is not None:
        asked = 0 if use.colon is None else leading_number(use.colon)
        return asked if asked > 0 else None
    if args.has("autoformat") or args.has("format"):
        return None
    width = display_width()
    return None if width is None else width - 1
