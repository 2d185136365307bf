"""The selection of records that condor_history shows, and where it stops. Pure: records are passed in one by one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from condor_py.cli.common import check_place
from condor_py.cli.options import Args
from condor_py.cli.output.values import is_true
from condor_py.cli.suggest import hint
from condor_py.client.pool import Pool, open_pool
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.exprtree import ExprTree, parse
from condor_py.lang.classad.nodes import Literal
from condor_py.model.errors import CondorError, StoreError
from condor_py.model.ids import JobId
from condor_py.model.texts import as_integer
from condor_py.store.history import HistoryRecord, all_records, backwards, forwards, history_files

#: Seconds by which clocks may differ between the records of a history.
_CLOCKS = 5
_MOST_EXTRACTED = 100_000


class Query(NamedTuple):
    """The ids or the owners, AND the constraint; where to stop; the kinds of records that count ("ALL" for all).

    Read newest first, banners decide alone about records of other jobs: those are not read and count for nothing. A
    ``remote`` daemon receives the constraint only. ``once`` says that a job has one record in the source.
    """

    ids: tuple[tuple[int, int | None], ...]
    owners: frozenset[str]
    constraint: ExprTree | None
    since: ExprTree | None
    limit: int
    scan_limit: int
    kinds: frozenset[str]
    once: bool
    newest_first: bool
    remote: bool

    def wants(self, record: HistoryRecord) -> bool:
        """Whether the banner of a record says that it must be read; one that says nothing does not hide it."""
        if not self.newest_first:
            return True
        kind = record.kind()
        if kind and "ALL" not in self.kinds and kind not in self.kinds:
            return False
        if self.remote or not kind or not (self.ids or self.owners):
            return True
        fields = record.fields()
        cluster, owner = _number(fields.get("ClusterId")), fields.get("Owner", "").lower()
        if (self.ids and cluster <= 0) or (self.owners and not owner):
            return True
        return any(cluster == wanted for wanted, _ in self.ids) or owner in self.owners

    @property
    def may_stop(self) -> bool:
        """Whether reading may end before the history does."""
        return bool(self.ids) or self.since is not None or self.limit > 0 or self.scan_limit > 0

    def ids_name(self, job: JobId) -> bool:
        """Whether one of the ids is that of a job, or of its cluster."""
        return any(job.cluster == cluster and proc in (None, job.proc) for cluster, proc in self.ids)

    def matches(self, ad: ClassAd) -> bool:
        """Whether a record is shown."""
        if self.ids or self.owners:
            cluster, proc = ad.eval_int("ClusterId"), ad.eval_int("ProcId")
            named = any(cluster == c and p in (None, proc) for c, p in self.ids)
            if not named and ad.eval_str("Owner", "").lower() not in self.owners:
                return False
        return self.constraint is None or is_true(ad.raw(self.constraint))


class Search:
    """One walk through the history: ``take`` each ad; ``over`` says when nothing more can come."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self.read = self.found = 0
        #: Records that ``through`` has come to, and those of them that cannot be read.
        self.seen = self.malformed = 0
        self._stopped = False
        self._wanted = _Wanted(query)

    @property
    def over(self) -> bool:
        """Whether a limit is reached, or all the jobs that were named have been seen."""
        limit, most = self.query.limit, self.query.scan_limit
        return self._stopped or 0 < limit <= self.found or 0 < most <= self.read

    def through(
        self, records: Iterable[HistoryRecord], warn: Callable[[], object] = lambda: None
    ) -> Iterator[tuple[ClassAd, HistoryRecord]]:
        """Yield what is to be shown of records, until nothing more can come. ``warn`` is called at each record that
        cannot be read."""
        for record in records:
            self.seen += 1
            ad = self._read(record, warn)
            if ad is not None and self.take(ad, record):
                yield ad, record
            if self.over:
                return

    def _read(self, record: HistoryRecord, warn: Callable[[], object]) -> ClassAd | None:
        """Return the ad of a record; None for one that is not asked for or cannot be read."""
        if not self.query.wants(record) or not record.text:
            self.pass_over(record)
            return None
        try:
            return record.ad()
        except StoreError:
            self.malformed += 1
            warn()
            return None

    def take(self, ad: ClassAd, record: HistoryRecord) -> bool:
        """Whether to show the ad of a record."""
        self.read += 1
        if self.query.since is not None and is_true(ad.raw(self.query.since)):
            self._stopped = True
            return False
        shown = self.query.matches(ad)
        self.found += shown
        self._stopped = self._wanted.all_seen(record, ad)
        return shown

    def pass_over(self, record: HistoryRecord) -> None:
        """A record that was not read, by its banner: it may be older than all that is wanted."""
        self._stopped = self._wanted.all_seen(record, None)


@dataclass(slots=True)
class _Item:
    """A job, or a cluster (``proc`` None), that was named; ``left`` procs of a cluster, None until the first came."""

    cluster: int
    proc: int | None
    submitted: int = -1
    left: int | None = None


class _Wanted:
    """The jobs that were named and may still come."""

    def __init__(self, query: Query) -> None:
        clusters = {cluster for cluster, proc in query.ids if proc is None}
        self._items = [_Item(c, p) for c, p in sorted(set(query.ids), key=str) if p is None or c not in clusters]
        self._named = bool(self._items) and not query.remote
        self._once, self._newest_first = query.once, query.newest_first

    def all_seen(self, record: HistoryRecord, ad: ClassAd | None) -> bool:
        """Counts a record (``ad`` None: for its time only); whether all that was named has been seen."""
        if not self._named:
            return False
        fields = record.fields()
        cluster, proc, written = (_number(fields.get(name), -1) for name in ("ClusterId", "ProcId", "CurrentTime"))
        if "CurrentTime" not in fields:
            written = _number(fields.get("CompletionDate"), -1)
        run = _number(fields.get("RunInstanceId"), -1)
        if ad is not None:
            cluster = cluster if cluster > 0 else ad.eval_int("ClusterId", -1)
            proc = proc if proc >= 0 else ad.eval_int("ProcId", -1)
            written = written if written >= 0 else ad.eval_int("CompletionDate", -1)
            run = run if run >= 0 else ad.eval_int("NumShadowStarts", -1)
        last = self._once or (self._newest_first and run == 0)
        self._items = [item for item in self._items if not _done(item, cluster, proc, written, last, ad)]
        return not self._items


def _done(item: _Item, cluster: int, proc: int, written: int, last: bool, ad: ClassAd | None) -> bool:
    """Whether nothing more of an item can come: it was ``last`` of its job, or the history is older by now."""
    if ad is not None and cluster == item.cluster:
        if item.submitted < 0:
            item.submitted = ad.eval_int("QDate", -1)
        if item.proc is not None:
            return last and item.proc == proc
        if item.left is None:
            item.left = ad.eval_int("TotalSubmitProcs", 0) or None
        if item.left is not None and last:
            item.left -= 1
        return item.left is not None and item.left <= 0
    return item.proc is None and written > 0 and item.submitted > written + _CLOCKS


def query_of(args: Args, where: str, kinds: frozenset[str], *, remote: bool, runs: bool) -> Query:
    """The query of a command line; ``where`` comes from a print format. CondorError says what is wrong with it."""
    ids: list[tuple[int, int | None]] = []
    owners: list[str] = []
    for word in args.positional:
        match = re.match(r"\+?(\d+)(?:\.(\d+))?", word)
        if match:
            ids.append((as_integer(match[1]), None if match[2] is None else as_integer(match[2])))
        else:
            owners.append(word)
    texts = args.texts("constraint") + ([where] if where else [])
    limit = args.number("limit")
    if args.has("extract"):
        _check_extract(remote, bool(ids or owners or texts))
        limit = _MOST_EXTRACTED if limit is None else limit
    direction = args.last("forwards", "backwards")
    newest_first = direction is None or direction.name == "backwards"
    return Query(
        tuple(ids), frozenset(name.lower() for name in owners), _constraint(texts), _since(args),
        limit or 0, args.number("scanlimit", 0), kinds, not runs, newest_first, remote,
    )  # fmt: skip


def _check_extract(remote: bool, restricted: bool) -> None:
    if remote:
        raise CondorError("Error: -extract can only be used when reading directly from a history file")
    if not restricted:
        raise CondorError("Error: -extract requires a constraint for which ClassAds to copy")


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
    if use.name == "completedsince" and type(ClassAd().eval_text(str(use.values[0]))) not in (int, float):
        hint(f"condor_history: {use.values[0]} is no time: -completedsince takes seconds since 1970")
    return tree


def _bad_since(name: str, text: str) -> CondorError:
    if name == "completedsince":
        return CondorError(f"Error: '{text}' not valid parameter for -completedsince ")
    return CondorError(f"Error: invalid -since constraint: {text}\n\tconstraint must be a job-id, or expression.")


_TRANSFERS = {"i": "INPUT", "o": "OUTPUT", "c": "CHECKPOINT"}


#: What -type may ask for.
_KINDS = ("JOB", "EPOCH", "SPAWN", "TRANSFER", "ALL", *_TRANSFERS.values())


def kinds_of(args: Args) -> frozenset[str]:
    """The kinds of records to show; "ALL" for all. An option that names a source restarts the list."""
    kinds: set[str] = set()
    for use in args.uses:
        if use.name == "transfer-history":
            kinds = {_transfer(letter) for letter in (use.colon or "").lower()} or set(_TRANSFERS.values())
        elif use.name == "daemon":
            kinds = {(use.colon or "schedd").upper()}
        elif use.name == "type":
            for kind in re.findall(r"[^\s,]+", str(use.values[0]).upper()):
                if kind not in _KINDS:
                    hint(f"condor_history: no record has the type {kind}: there are {', '.join(_KINDS)}")
                kinds |= set(_TRANSFERS.values()) if kind == "TRANSFER" else {kind}
    return frozenset(kinds or {"EPOCH" if args.has("epochs") or args.has("transfer-history") else "JOB"})


def _transfer(letter: str) -> str:
    if letter not in _TRANSFERS:
        raise CondorError(f"Error: Unknown -transfer-history extra attribute '{letter}'")
    return _TRANSFERS[letter]


#: Options that name a source, by the source.
_SOURCES = {"startd": "startd", "schedd": "schedd", "daemon": "daemon", "epochs": "epochs",
            "transfer-history": "epochs"}  # fmt: skip


def check_sources(args: Args) -> None:
    """One source only. Raises CondorError that names both options."""
    first = None
    for use in args.uses:
        if use.name in _SOURCES:
            if first is not None and _SOURCES[first.name] != _SOURCES[use.name]:
                raise CondorError(f"Error: {first.spelling} can not be used in association with -{use.name}.")
            first = use
    local, name = args.last("local"), args.last("name")
    if local is not None and name is not None:
        what = "Error: Arguments" if name.position < local.position else "Error:"
        raise CondorError(f"{what} -local and -name cannot be used together")
    if args.has("forwards") and (args.has("since") or args.has("completedsince")):
        raise CondorError("Error: Argument -forwards cannot be combined with -since.")
    if sum(args.has(form) for form in ("xml", "json", "jsonl", "toml")) > 1:
        raise CondorError("Error: Cannot use more than one of XML and JSON[L]")


def _number(text: str | None, default: int = 0) -> int:
    try:
        return default if text is None else int(text)
    except ValueError:
        return default


_HISTORY_OFF = (
    "Error: No passed search file and configuration key {knob} is unset.\n\n"
    "No history is kept without it; define {knob} in the configuration."
)


class _Refused(CondorError):
    """The daemon has no such history."""

    exit_code = 5


class Source(NamedTuple):
    """Files in the order in which they are read, or a ``history`` with its rotated files; ``delete`` removes each file
    when it was read."""

    files: tuple[str, ...] = ()
    delete: bool = False
    history: str = ""

    def names(self, newest_first: bool) -> list[str]:
        """The names of the files in the order in which they are read."""
        histories = history_files(self.history) if self.history else []
        return [*(histories if newest_first else reversed(histories)), *self.files]

    def records(self, newest_first: bool) -> Iterator[HistoryRecord]:
        """The records, file by file. CondorError names a file that cannot be read."""
        if self.history:
            for name in history_files(self.history):
                if not os.access(name, os.R_OK) and os.path.exists(name):  # one that is gone has been rotated
                    raise CondorError(f"Error opening history file {name}: {_why_unreadable(name)}")
            yield from all_records(self.history, newest_first=newest_first, rest=True)
        for name in self.files:
            if not os.access(name, os.R_OK):
                raise CondorError(f"Error opening history file {name}: {_why_unreadable(name)}")
            yield from backwards(name) if newest_first else forwards(name, rest=True)
            if self.delete:
                os.unlink(name)


def is_remote(args: Args) -> bool:
    """Whether a daemon is asked for its history. It is this machine's: its own configuration says where that is."""
    return args.has("name") or args.has("pool")


def configured(args: Args) -> str | None:
    """The file that the configuration names for -epochs, -transfer-history and -daemon, "" for none; None without
    these options. Raises CondorError where none is named."""
    if args.has("daemon"):
        knob = f"{_daemon(args)}_DAEMON_HISTORY"
        return open_pool().config.path(knob) or _none(f"Error: No daemon history to read: {knob} undefined")
    if args.has("epochs") or args.has("transfer-history"):
        config = open_pool().config
        path = config.path("JOB_EPOCH_HISTORY")
        if not path and not (args.has("epochs") and config.path("JOB_EPOCH_HISTORY_DIR")):
            raise CondorError("Error: No Job Run Instance recordings to read.")
        return path
    return None


def source(args: Args, newest_first: bool, named: str | None) -> Source:
    """The files to read; ``named`` is what ``configured`` said. CondorError says why there are none."""
    if is_remote(args):
        return Source(history=_of_daemon(args))
    if args.has("file"):
        return Source((args.text("file", ""),))
    if args.has("directory"):
        return _directory(args, newest_first)
    path = args.text("search") or named
    if not path:
        knob = _knob(args)
        path = open_pool().config.path(knob) or _none(_HISTORY_OFF.format(knob=knob))
    return Source(history=path)


def _knob(args: Args) -> str:
    if args.has("epochs") or args.has("transfer-history"):
        return "JOB_EPOCH_HISTORY"
    if args.has("daemon"):
        return f"{_daemon(args)}_DAEMON_HISTORY"
    return "STARTD_HISTORY" if args.has("startd") else "HISTORY"


def _daemon(args: Args) -> str:
    return (args.colon("daemon") or "SCHEDD").upper()


def _none(message: str) -> str:
    raise CondorError(message)


def _of_daemon(args: Args) -> str:
    """The path that the configuration of the daemon itself names, whose knobs may have its prefix (SCHEDD.HISTORY)."""
    daemon = "startd" if args.has("startd") else "schedd"
    pool = open_pool(daemon.upper())
    _check_daemon(args, pool, daemon)
    knob = _knob(args) + ("_DIR" if args.has("directory") else "")
    path = pool.config.path(knob)
    if not path:
        text = f"{knob} undefined in remote configuration. No such related history to be queried."
        raise _Refused(f"Error {_Refused.exit_code}: {text}")
    return path


def _check_daemon(args: Args, pool: Pool, daemon: str) -> None:
    asked, where = args.text("name"), args.text("pool", "")
    unknown = f"Unable to locate remote {daemon} (name={{name}}, pool={where})."
    if daemon == "schedd":
        check_place(args, pool, unknown)
        return
    name = pool.settings.startd_name.lower()
    if asked is not None and asked.lower() not in (name, name.partition("@")[0] + "@", name.rpartition("@")[2]):
        raise CondorError(unknown.format(name=asked))


def _directory(args: Args, newest_first: bool) -> Source:
    """The files of single jobs with their runs (``job.runs.C.P.ads``), that of the newest job first."""
    delete = (args.colon("epochs") or "").lower().startswith("d")
    for option, words in (("scanlimit", "-scanlimit"), ("limit", "-limit or -match")):
        if delete and args.has(option):
            raise CondorError(f"Error: -epoch:d (delete) cannot be used with {words}.")
    directory = args.text("search")
    if directory is None and args.has("epochs"):
        directory = open_pool().config.path("JOB_EPOCH_HISTORY_DIR")
    if not directory:
        raise CondorError("Error: No search directory found for locating history files.")
    if not os.path.isdir(directory):
        raise CondorError(f"Error: {directory} is not a valid directory.")
    found = [re.fullmatch(r"job\.runs\.(\d+)\.(\d+)\.ads", name) for name in os.listdir(directory)]
    jobs = sorted(((int(match[1]), int(match[2]), match[0]) for match in found if match), reverse=newest_first)
    return Source(tuple(os.path.join(directory, name) for _, _, name in jobs), delete)


def single_ads(args: Args) -> Iterator[ClassAd] | None:
    """Ads that have no banners: of an event log, of PER_JOB_HISTORY_DIR. None when the command line names none."""
    if args.has("userlog"):
        from condor_py.cli.userlog import jobs_of_log

        path = args.text("userlog", "")
        if not os.access(path, os.R_OK):
            raise CondorError(f"Error: Can't open userlog {path}")
        return iter(jobs_of_log(path))
    if args.has("directory") and args.has("search") and not args.has("epochs") and not is_remote(args):
        return _per_job(args.text("search", ""))
    return None


def _per_job(path: str) -> Iterator[ClassAd]:
    """Single records (``history.C.P``), the newest first."""
    from condor_py.cli.adfile import read_ads

    try:
        with os.scandir(path) as entries:
            files = [(entry.stat().st_mtime, entry.path) for entry in entries if entry.name.startswith("history.")]
    except OSError as error:
        raise CondorError(f"Error opening history directory {path}: {error.strerror}") from error
    for _, name in sorted(files, reverse=True):
        yield from read_ads(name, "long")


def _why_unreadable(path: str) -> str:
    try:
        with open(path, "rb"):
            return "Permission denied"
    except OSError as error:
        return error.strerror or str(error)


def in_queue(pool: Pool, query: Query) -> Iterator[ClassAd]:
    """Yield the jobs of the queue that were named; none where there is no queue to read."""
    try:
        view = pool.read_queue()
    except CondorError:
        return
    for cluster, proc in query.ids:
        for number in view.procs(cluster):
            ad = view.job(JobId(cluster, number)) if proc in (None, number) else None
            if ad is not None and query.matches(ad):
                yield ad


def epochs_of(pool: Pool, query: Query, since: int) -> Iterator[ClassAd]:
    """Yield the records of runs that ended ``since`` (Unix seconds), of the jobs that were named, the newest first."""
    for record in epoch_records(pool, since):
        job = record.job()
        if job is None or record.kind() != "EPOCH" or not query.ids_name(job):
            continue
        try:
            ad = record.ad()
        except StoreError:
            continue
        if query.matches(ad):
            yield ad


def epoch_records(pool: Pool, since: int) -> Iterator[HistoryRecord]:
    """Yield the records of JOB_EPOCH_HISTORY that were written ``since`` (Unix seconds), the newest first."""
    path = pool.config.path("JOB_EPOCH_HISTORY")
    for record in all_records(path) if path else ():
        written = record.written()
        if written is not None and written < since - _CLOCKS:
            return
        yield record


def add_use(pool: Pool, ad: ClassAd) -> None:
    """Add what is known so far of the use of a running job over time to its ad."""
    from condor_py.client.use_so_far import use_so_far
    from condor_py.model import usagerecord
    from condor_py.model.states import JobStatus

    if ad.eval_int("JobStatus", 0) == JobStatus.RUNNING:
        so_far = use_so_far(pool, JobId(ad.eval_int("ClusterId", 0), ad.eval_int("ProcId", 0)))
        if usagerecord.is_sound(so_far):
            ad[usagerecord.ATTRIBUTE] = so_far
