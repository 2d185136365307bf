"""condor_history: the jobs that left the queue (cli.md 6)."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from condor_py.classad.ad import ClassAd
from condor_py.classad.errors import ClassAdParseError
from condor_py.classad.exprtree import ExprTree, parse
from condor_py.classad.nodes import Literal
from condor_py.model.errors import CondorError
from condor_py.store.history import HistoryRecord, backwards, forwards, history_files
from condor_py.tools import options
from condor_py.tools.common import HELP, check_place, handle_help_and_version
from condor_py.tools.options import Args, Opt, ToolSpec
from condor_py.tools.output import ads as forms
from condor_py.tools.output import renderers
from condor_py.tools.output.autoformat import add_autoformat, add_format
from condor_py.tools.output.mask import Column, Mask
from condor_py.tools.output.terminal import display_width
from condor_py.tools.output.values import integer, is_true
from condor_py.tools.progress import Meter

_SOURCE, _RESTRICT, _FORM = "Sources", "Restrictions", "Output forms"
_NEEDS_ONE = "Error: Argument {spelling} requires another parameter"
_NEEDS_NUMBER = "Error: Argument -match requires a number value as a parameter."
_NEEDS_ATTRIBUTE = (
    "Error: Argument {spelling} requires at least one attribute parameter\n\t\te.g. condor_history {spelling} ClusterId"
)


def _leading_number(text: str) -> int:
    """C's atoi."""
    match = re.match(r"\s*[-+]?\d+", text)
    return int(match[0]) if match else 0


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
    Opt("match", 1, "N", same_as="limit", missing=_NEEDS_NUMBER, convert=_leading_number, dash_value=True),
    Opt("limit", 3, "N", "stop after N jobs", missing=_NEEDS_NUMBER, convert=_leading_number, dash_value=True,
        group=_RESTRICT),
    Opt("scanlimit", 4, "N", "stop after reading N ads", convert=_leading_number, dash_value=True, group=_RESTRICT,
        missing="Error: Argument {spelling} requires a number value  as a parameter."),
    Opt("file", 2, "FILE", "read this history file", group=_SOURCE, takes="file", missing=_NEEDS_ONE),
    Opt("userlog", 1, "FILE", "read jobs from an event log", group=_SOURCE, takes="file", missing=_NEEDS_ONE),
    Opt("local", 2, help="read the history file of this machine (the default)", group=_SOURCE),
    Opt("startd", 3, help="read STARTD_HISTORY", group=_SOURCE),
    Opt("schedd", 3, help="read HISTORY (the default)", group=_SOURCE),
    Opt("stream-results", 6, colon="...", hidden=True),
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
    Opt("debug", 3, help="log messages on stderr", colon="FLAGS"),
    Opt("diagnostic", 4, hidden=True),
    Opt("name", 1, "NAME", "the schedd to ask", group=_SOURCE,
        missing="Error: Argument -name requires name of a remote schedd\n"
        "\t\te.g. condor_history -name submit.example.com "),
    Opt("pool", 1, "HOST", "the pool to ask; this machine is the only one", group=_SOURCE, missing=_NEEDS_ONE),
    Opt("version", 1, help="the version and the platform"),
)  # fmt: skip

_SPEC = ToolSpec(
    name="condor_history",
    usage="[source] [restriction-list] [options]",
    summary="Show the jobs that left the queue.",
    positional="CLUSTER | CLUSTER.PROC | OWNER",
    positional_help="show only these jobs",
    description="It reads the history file and needs no daemon. The newest job comes first.",
    options=_OPTIONS,
    examples=(("condor_history -limit 3", "the three jobs that ended last"),),
    unknown="Error: Unknown argument {arg}",
    usage_stream="stdout",
    see_also=("condor_q", "condor_wait"),
)
SPECS = (_SPEC,)


class Query(NamedTuple):
    """Which records to show: the ids or the owners, AND the constraint; where to stop.

    Whoever names jobs gets what lies before the last of them in the history, as in HTCondor.
    """

    ids: tuple[tuple[int, int | None], ...]
    owners: tuple[str, ...]
    constraint: ExprTree | None
    since: ExprTree | None
    limit: int | None
    scan_limit: int | None
    #: The source has one record a job, and the newest first.
    one_each: bool


def main(argv: list[str]) -> int:
    """Run condor_history."""
    args = options.parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    if sum(args.has(name) for name in ("xml", "json", "jsonl", "toml")) > 1:
        raise CondorError("Error: Cannot use more than one of XML and JSON[L]")
    if args.has("forwards") and (args.has("since") or args.has("completedsince")):
        raise CondorError("Error: Argument -forwards cannot be combined with -since.")
    printer = _Printer(args)
    query = _query(args, printer.where)
    sys.stdout.write(printer.start())
    extracted: list[HistoryRecord] = []
    for ad, record in _matching(_records(args), query):
        sys.stdout.write(printer.show(ad))
        if record is not None:
            extracted.append(record)
    sys.stdout.write(printer.end())
    if args.has("extract"):
        _extract(args.text("extract") or "", extracted)
    return 0


# ---- the query ----------------------------------------------------------------------------------------------


def _query(args: Args, where: str) -> Query:
    ids: list[tuple[int, int | None]] = []
    owners: list[str] = []
    for word in args.positional:
        match = re.match(r"\+?(\d+)(?:\.(\d+))?", word)
        if match:
            ids.append((int(match[1]), None if match[2] is None else int(match[2])))
        else:
            owners.append(word)
    texts = args.texts("constraint") + ([where] if where else [])
    if args.has("extract") and not (ids or owners or texts):
        raise CondorError("Error: -extract requires a constraint for which ClassAds to copy")
    return Query(
        tuple(ids), tuple(name.lower() for name in owners), _constraint(texts), _since(args),
        args.number("limit") or None, args.number("scanlimit") or None,
        not any(args.has(name) for name in ("forwards", "epochs", "transfer-history", "daemon")),
    )  # fmt: skip


def _constraint(texts: list[str]) -> ExprTree | None:
    if not texts:
        return None
    combined = " && ".join(f"({text})" for text in texts)
    try:
        return parse(combined)
    except ClassAdParseError as error:
        raise CondorError(f"Error:  could not parse constraint ( {combined} )") from error


def _since(args: Args) -> ExprTree | None:
    use = args.last("since", "completedsince")
    if use is None:
        return None
    text = str(use.values[0])
    match = re.match(r"(\d+)(?:\.(\d+))?\Z", text)
    if use.name == "completedsince":
        text = f"CompletionDate <= {text}"
    elif match:
        text = f"ClusterId == {match[1]}" + (f" && ProcId == {match[2]}" if match[2] else "")
    try:
        tree = parse(text)
    except ClassAdParseError as error:
        raise _bad_since(use.name, str(use.values[0])) from error
    if isinstance(tree.node, Literal):
        raise _bad_since(use.name, str(use.values[0]))
    return tree


def _bad_since(name: str, text: str) -> CondorError:
    if name == "completedsince":
        return CondorError(f"Error: '{text}' not valid parameter for -completedsince ")
    return CondorError(f"Error: invalid -since constraint: {text}\n\tconstraint must be a job-id, or expression.")


def _matching(
    records: Iterator[tuple[ClassAd | None, HistoryRecord | None]], query: Query
) -> Iterator[tuple[ClassAd, HistoryRecord | None]]:
    read = found = 0
    missing = _Missing(query)
    meter = Meter(None, "records read")
    for ad, record in records:
        if query.scan_limit is not None and read >= query.scan_limit:
            break
        read += 1
        meter.at(read)
        if ad is None and record is not None:
            if query.ids and not query.owners and query.since is None and not _id_matches(record, query):
                continue
            ad = record.ad()
        assert ad is not None
        missing.saw(ad)
        if query.since is not None and is_true(ad.raw(query.since)):
            break
        if _matches(ad, query):
            found += 1
            meter.done()
            yield ad, record
            if found == query.limit:
                break
        if missing.none and record is not None and query.one_each:
            break
    meter.done()


class _Missing:
    """Which of the jobs that were named have not been found yet: of a cluster, as many as it had."""

    def __init__(self, query: Query) -> None:
        self._left: dict[tuple[int, int | None], int | None] = dict.fromkeys(query.ids)
        self._named = bool(query.ids)

    @property
    def none(self) -> bool:
        """Whether jobs were named and all of them were seen."""
        return self._named and not self._left

    def saw(self, ad: ClassAd) -> None:
        """Counts a job."""
        cluster, proc = ad.eval_int("ClusterId", -1), ad.eval_int("ProcId", -1)
        self._left.pop((cluster, proc), None)
        whole = (cluster, None)
        if whole in self._left:
            known = self._left[whole]
            left = (ad.eval_int("TotalSubmitProcs", 0) if known is None else known) - 1
            if left == 0:
                del self._left[whole]
            else:
                self._left[whole] = left


def _id_matches(record: HistoryRecord, query: Query) -> bool:
    """By the banner alone, which saves reading the ad; a banner without ids decides nothing."""
    job = record.job()
    return job is None or any(job.cluster == c and p in (None, job.proc) for c, p in query.ids)


def _matches(ad: ClassAd, query: Query) -> bool:
    if query.ids or query.owners:
        cluster, proc = ad.eval_int("ClusterId"), ad.eval_int("ProcId")
        named = any(cluster == c and p in (None, proc) for c, p in query.ids)
        if not named and (ad.eval_str("Owner") or "").lower() not in query.owners:
            return False
    return query.constraint is None or is_true(ad.raw(query.constraint))


# ---- the sources --------------------------------------------------------------------------------------------


def _records(args: Args) -> Iterator[tuple[ClassAd | None, HistoryRecord | None]]:
    """Ads or unread records, newest first unless ``-forwards``; jobs of an event log in its order."""
    if args.has("userlog"):
        from condor_py.tools.userlog import jobs_of_log

        path = args.text("userlog") or ""
        if not os.access(path, os.R_OK):
            raise CondorError(f"Error: Can't open userlog {path}")
        return ((ad, None) for ad in jobs_of_log(path))
    if args.has("directory"):
        if args.has("epochs"):
            return _runs_of(_epoch_files(args), args)
        if args.has("search"):
            return _directory(args.text("search") or "")
        if not args.has("file"):
            raise CondorError("Error: No search directory found for locating history files.")
    if any(args.has(name) for name in ("epochs", "transfer-history", "daemon", "type")):
        path = args.text("file") or args.text("search") or _configured(args)
        return _runs_of(history_files(path), args)
    return _files(args)


def _files(args: Args) -> Iterator[tuple[ClassAd | None, HistoryRecord | None]]:
    explicit = args.text("file") or args.text("search")
    path = explicit if explicit is not None else _configured(args)
    if explicit is not None and not os.access(path, os.R_OK):
        raise CondorError(f"Error opening history file {path}: {_why_unreadable(path)}")
    oldest_first = args.has("forwards")
    files = [path] if explicit is not None else history_files(path)
    for name in reversed(files) if oldest_first else files:
        for record in forwards(name) if oldest_first else backwards(name):
            yield None, record


def _runs_of(files: list[str], args: Args) -> Iterator[tuple[ClassAd | None, HistoryRecord | None]]:
    """Records of runs, transfers and daemons, of the kinds that the command line names."""
    kinds = _kinds(args)
    oldest_first = args.has("forwards")
    use = args.last("epochs")
    for name in reversed(files) if oldest_first else files:
        for record in forwards(name) if oldest_first else backwards(name):
            if "ALL" in kinds or _kind(record) in kinds:
                yield None, record
        if use is not None and use.colon == "d" and args.has("directory"):
            os.unlink(name)


_TRANSFERS = {"i": "INPUT", "o": "OUTPUT", "c": "CHECKPOINT"}


def _kinds(args: Args) -> set[str]:
    """The kinds of records to show; "ALL" for all."""
    kinds = {kind for kind in re.split(r"[\s,]+", (args.text("type") or "").upper()) if kind}
    if "TRANSFER" in kinds or (args.has("transfer-history") and not args.colon("transfer-history")):
        kinds |= {*_TRANSFERS.values()}
    for letter in (args.colon("transfer-history") or "").lower():
        if letter not in _TRANSFERS:
            raise CondorError(f"Error: Unknown -transfer-history extra attribute '{letter}'")
        kinds.add(_TRANSFERS[letter])
    if args.has("daemon"):
        kinds.add(_daemon(args))
    return kinds or {"EPOCH" if args.has("epochs") else "JOB"}


def _kind(record: HistoryRecord) -> str:
    """The word after the stars of a banner; records of jobs have none."""
    word = record.banner.split(" ", 2)[1]
    return "JOB" if word == "Offset" or "=" in word else word


def _daemon(args: Args) -> str:
    return (args.colon("daemon") or "SCHEDD").upper()


def _epoch_files(args: Args) -> list[str]:
    """The files of single jobs (``job.runs.C.P.ads``), that of the newest job first."""
    from condor_py.tools.access import open_pool

    directory = args.text("search") or open_pool().config.path("JOB_EPOCH_HISTORY_DIR")
    if not directory:
        raise CondorError("Error: No Job Run Instance recordings to read.")
    try:
        found = [re.fullmatch(r"job\.runs\.(\d+)\.(\d+)\.ads", name) for name in os.listdir(directory)]
    except OSError as error:
        raise CondorError(f"Error opening history directory {directory}: {error.strerror}") from error
    jobs = sorted(((int(match[1]), int(match[2]), match[0]) for match in found if match), reverse=True)
    return [os.path.join(directory, name) for _, _, name in jobs]


def _why_unreadable(path: str) -> str:
    try:
        with open(path, "rb"):
            return "Permission denied"
    except OSError as error:
        return error.strerror or str(error)


def _configured(args: Args) -> str:
    """The path of the history file that the configuration names."""
    from condor_py.tools.access import open_pool

    pool = open_pool()
    check_place(args, pool, f"Unable to locate remote schedd (name={{name}}, pool={args.text('pool') or ''}).")
    if args.has("daemon"):
        knob = f"{_daemon(args)}_DAEMON_HISTORY"
        return pool.config.path(knob) or _none(f"Error: No daemon history to read: {knob} undefined")
    if args.has("epochs") or args.has("transfer-history"):
        return pool.config.path("JOB_EPOCH_HISTORY") or _none("Error: No Job Run Instance recordings to read.")
    if args.has("startd"):
        return pool.config.path("STARTD_HISTORY") or _none("Error: STARTD_HISTORY is not configured.")
    return pool.paths.history or _none("Error: HISTORY is not configured, no job history is kept.")


def _none(message: str) -> str:
    raise CondorError(message)


def _directory(path: str) -> Iterator[tuple[ClassAd | None, HistoryRecord | None]]:
    """Single records (``history.C.P``), the newest first."""
    from condor_py.tools.adfile import read_ads

    try:
        with os.scandir(path) as entries:
            files = [(entry.stat().st_mtime, entry.path) for entry in entries if entry.name.startswith("history.")]
    except OSError as error:
        raise CondorError(f"Error opening history directory {path}: {error.strerror}") from error
    for _, name in sorted(files, reverse=True):
        for ad in read_ads(name, "long"):
            yield ad, None


def _extract(path: str, records: list[HistoryRecord]) -> None:
    sys.stdout.write(f"\nWriting {len(records)} matched ads to {path}...\n")
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            for record in records:
                file.write(f"{record.text}{record.banner}\n")
    except OSError as error:
        raise CondorError(f"Error: cannot write {path}: {error.strerror}") from error


# ---- the output ---------------------------------------------------------------------------------------------


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
            Column("CompletionDate", "  COMPLETED", 11, "%Y", _completed, truncate=True),
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


def _completed(value: Any, ad: ClassAd) -> int | None:
    """CompletionDate; a job that never completed has none, or 0."""
    return integer(value) or None


class _Printer:
    """The output that the command line asks for, ad by ad: ``start``, ``show`` each, ``end``."""

    def __init__(self, args: Args) -> None:
        self.where = ""
        self.mask: Mask | None = None
        self.form = next((form for form in ("xml", "json", "jsonl", "toml", "long") if args.has(form)), "")
        self._shown = False
        if self.form:
            names = re.split(r"[\s,]+", ",".join(args.texts("attributes"))) if args.has("attributes") else None
            self._frame = forms.HISTORY_FRAMES[self.form]
            self._render = forms.renderer(self.form, names, True)
            return
        self.mask, self._heading = _mask(args)
        if args.has("print-format"):
            self._take_print_format(args.text("print-format") or "")
        self.mask.max_width = _cut(args)

    def _take_print_format(self, path: str) -> None:
        from condor_py.tools.output.printformat import parse_print_format

        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                chosen = parse_print_format(file.read().splitlines())
        except OSError as error:
            raise CondorError(
                f"Can't open select file: {path}\nError: cannot execute print-format file {path}"
            ) from error
        for message in chosen.messages:
            sys.stderr.write(message + "\n")
        self.mask, self._heading, self.where = chosen.mask, chosen.header, chosen.where

    def start(self) -> str:
        """What comes before the first ad, whether there is one or not."""
        return self.mask.heading() if self.mask is not None and self._heading else ""

    def show(self, ad: ClassAd) -> str:
        """One ad."""
        if self.mask is not None:
            return self.mask.display(ad)
        lead = self._frame.between if self._shown else self._frame.header
        self._shown = True
        return f"{lead}{self._frame.before}{self._render(ad)}{self._frame.after}"

    def end(self) -> str:
        """What comes after the last ad."""
        if self.mask is not None:
            return ""
        return self._frame.footer if self._shown else self._frame.empty


def _mask(args: Args) -> tuple[Mask, bool]:
    """The columns, and whether they have a heading line."""
    mask = Mask()
    for use in args.uses:
        if use.name == "autoformat":
            if not add_autoformat(mask, use.values, use.colon):
                raise CondorError(f"Error: invalid expression : {_first_bad(use.values)}")
        elif use.name == "format" and not add_format(mask, use.values[0], use.values[1]):
            raise CondorError(f"Error: invalid expression : {use.values[1]}")
    if mask.columns:
        return mask, mask.has_headings()
    if args.has("transfer-history") and not args.has("print-format"):
        raise CondorError(
            "Error: -transfer-history does not have a default print table. "
            "Please use -long, -json, -xml, or a custom print format."
        )
    return _daemon_table() if args.has("daemon") else _table(), True


def _first_bad(expressions: tuple[str, ...]) -> str:
    for expression in expressions:
        try:
            parse(expression)
        except ClassAdParseError:
            return expression
    return ""


def _cut(args: Args) -> int | None:
    use = args.last("wide")
    if use is not None:
        asked = 0 if use.colon is None else _leading_number(use.colon)
        return asked if asked > 0 else None
    if args.has("autoformat") or args.has("format"):
        return None
    width = display_width()
    return None if width is None else width - 1
