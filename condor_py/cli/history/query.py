"""Which records condor_history shows, and where it stops. Pure: it is fed records one by one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from condor_py.cli.options import Args
from condor_py.cli.output.values import is_true
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.exprtree import ExprTree, parse
from condor_py.lang.classad.nodes import Literal
from condor_py.model.digits import as_integer
from condor_py.model.errors import CondorError
from condor_py.store.history import HistoryRecord

#: Seconds by which clocks may differ between the records of a history.
_CLOCKS = 5
_MOST_EXTRACTED = 100_000


class Query(NamedTuple):
    """The ids or the owners, AND the constraint; where to stop; the kinds of records that count ("ALL" for all).

    Read newest first, banners decide alone about records of other jobs: those are not read and count for nothing. A
    ``remote`` daemon is told the constraint only. ``once`` says that a job has one record in the source.
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

    def matches(self, ad: ClassAd) -> bool:
        """Whether a record is shown."""
        if self.ids or self.owners:
            cluster, proc = ad.eval_int("ClusterId"), ad.eval_int("ProcId")
            named = any(cluster == c and p in (None, proc) for c, p in self.ids)
            if not named and (ad.eval_str("Owner") or "").lower() not in self.owners:
                return False
        return self.constraint is None or is_true(ad.raw(self.constraint))


class Search:
    """One walk through the history: ``take`` each ad; ``over`` says when nothing more can come."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self.read = self.found = 0
        self._stopped = False
        self._wanted = _Wanted(query)

    @property
    def over(self) -> bool:
        """Whether a limit is reached, or all the jobs that were named have been seen."""
        limit, most = self.query.limit, self.query.scan_limit
        return self._stopped or 0 < limit <= self.found or 0 < most <= self.read

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
        limit or 0, args.number("scanlimit") or 0, kinds, not runs, newest_first, remote,
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
    return tree


def _bad_since(name: str, text: str) -> CondorError:
    if name == "completedsince":
        return CondorError(f"Error: '{text}' not valid parameter for -completedsince ")
    return CondorError(f"Error: invalid -since constraint: {text}\n\tconstraint must be a job-id, or expression.")


_TRANSFERS = {"i": "INPUT", "o": "OUTPUT", "c": "CHECKPOINT"}


def kinds_of(args: Args) -> frozenset[str]:
    """The kinds of records to show; "ALL" for all. An option that names a source begins the list anew."""
    kinds: set[str] = set()
    for use in args.uses:
        if use.name == "transfer-history":
            kinds = {_transfer(letter) for letter in (use.colon or "").lower()} or set(_TRANSFERS.values())
        elif use.name == "daemon":
            kinds = {(use.colon or "schedd").upper()}
        elif use.name == "type":
            for kind in re.findall(r"[^\s,]+", str(use.values[0]).upper()):
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
