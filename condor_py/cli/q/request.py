"""The request on a command line of condor_q: which jobs, and how to show them."""

from __future__ import annotations

import sys
from functools import cache

from condor_py.cli.options import Args, UsageError, Use
from condor_py.cli.output import forms
from condor_py.cli.output.terminal import display_width
from condor_py.cli.q.spec import SPEC
from condor_py.model.errors import CondorError
from condor_py.model.states import Universe
from condor_py.model.texts import as_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable


@cache
def _id() -> re.Pattern[str]:
    import re

    return re.compile(r"\+?(\d+)(?:\.(-?\d+)?)?\Z")


@cache
def _hold() -> re.Pattern[str]:
    import re

    return re.compile(r"(\d+)(?:/(\d+))?")


#: Options that choose how to show what was found: the last one counts.
_FORMATS = {
    "autoformat": "custom", "format": "custom", "print-format": "print-format", "totals": "totals", "grid": "grid",
    "io": "io",
}  # fmt: skip
#: Displays that never fold jobs into batches.
_UNBATCHED = ("run", "idle", "factory")
_FILLERS = "b?*.-_#z"
#: Displays and forms that -why cannot be combined with.
_NOT_WITH_WHY = (
    "long", "xml", "toml", "autoformat", "format", "print-format", "aaf", "attributes", "better-analyze",
    "reverse-analyze", "forecast", "totals", "autocluster", "group-by", "factory", "jobset", "dag", "batch", "nobatch",
    "hold-codes", "grid", "io", "unmatchable", "dry-run",
)  # fmt: skip


class Request:
    """The meaning of a command line.

    ``display`` is "batch", "long", "custom", "print-format", "totals", "analyze" or a key of columns.DISPLAYS.
    ``ids`` are clusters with a proc or None; ``users`` names; ``constraints`` expressions that all must hold.
    ``rows`` says what the query is about: "jobs", "clusters", "jobsets", "autocluster", "group-by" or "totals".
    ``my_jobs`` is the default restriction to one's own jobs; ``partial`` says that clusters may be seen in part.
    ``width`` is the cut that ``-wide:N`` asks for; None leaves it to the terminal, 0 means never.
    """

    __slots__ = (
        "args",
        "attributes",
        "constraints",
        "display",
        "filler",
        "form",
        "ids",
        "limit",
        "my_jobs",
        "ordered",
        "partial",
        "rows",
        "submitters",
        "users",
        "width",
    )

    def __init__(
        self,
        args: Args,
        display: str,
        rows: str,
        ids: tuple[tuple[int, int | None], ...],
        users: tuple[str, ...],
        submitters: tuple[str, ...],
        constraints: tuple[str, ...],
        my_jobs: bool,
        partial: bool,
        filler: str,
        form: str,
        ordered: bool,
        attributes: tuple[str, ...] | None,
        limit: int | None,
        width: int | None,
    ) -> None:
        self.args = args
        self.display = display
        self.rows = rows
        self.ids = ids
        self.users = users
        self.submitters = submitters
        self.constraints = constraints
        self.my_jobs = my_jobs
        self.partial = partial
        self.filler = filler
        self.form = form
        self.ordered = ordered
        self.attributes = attributes
        self.limit = limit
        self.width = width

    @property
    def asks_for_autoclusters(self) -> bool:
        """True when the command line names AutoClusterId or AutoClusterAttrs, which no file of the queue has."""
        values = (str(value).lower() for use in self.args.uses for value in use.values)
        return any("autoclusterid" in value or "autoclusterattrs" in value for value in values)

    @property
    def folds(self) -> bool:
        """True when a cluster number also means the DAG nodes and late members of that cluster."""
        return self.display in ("batch", "dag")


def understand(args: Args, *, batch_is_default: bool = True) -> Request:
    """The request of a parsed command line. Raises UsageError or CondorError as condor_q words them."""
    _check_conflicts(args)
    display = _display(args, batch_is_default)
    if args.has("aaf") and display in ("batch", "custom", "long", "totals"):
        if display == "batch":
            raise CondorError(
                "Error: -aaf cannot be used with -batch mode output (the default), did you intend to use -af ?"
            )
        raise CondorError("Error: output formatting options conflict with -aaf options")
    ids, users = _positional(args)
    submitters = tuple(text.rpartition("@")[0] or text for text in args.texts("submitter"))
    constraints = [*args.texts("constraint"), *_hold_constraints(args), *_mode_constraints(args)]
    narrow = any(args.has(name) for name in ("constraint", "run", "hold", "hold-codes", "idle"))
    form, ordered = _form(args)
    return Request(
        args=args,
        display=display,
        rows=_rows(args, display),
        ids=tuple(ids),
        users=tuple(users),
        submitters=submitters,
        constraints=tuple(constraints),
        my_jobs=not (ids or users or submitters or args.has("allusers")),
        partial=narrow or any(proc is not None for _, proc in ids),
        filler=_filler(args),
        form=form,
        ordered=ordered,
        attributes=_attributes(args),
        limit=_limit(args),
        width=_width(args),
    )


def _check_conflicts(args: Args) -> None:
    if args.has("xml") and args.has("json"):
        raise CondorError("Error: Cannot print as both XML and JSON")
    if args.has("currentrun") and args.has("cumulative-time"):
        first, second = [use.name for use in args.uses if use.name in ("currentrun", "cumulative-time")][:2]
        raise CondorError(f"Error: -{second} can't be used with -{first}")
    _check_batch(args)
    if args.has("why"):
        other = args.last(*_NOT_WITH_WHY)
        if other is not None:
            raise CondorError(f"Error: -why conflicts with {other.spelling}; its form for programs is -json")
        if args.has("jobads") or args.has("userlog"):
            raise CondorError("Error: -why needs the pool; it cannot be used with jobs from a file")
    states = {use.name for use in args.uses} & {"run", "hold", "hold-codes", "idle"}
    if len(states - {"hold-codes"}) > 1:
        raise UsageError("-run and -hold/held or -idle are incompatible", SPEC, kind="unknown")
    if "hold-codes" in states and states & {"run", "idle"}:
        raise UsageError("-hold-codes incompatible with -idle or -run", SPEC, kind="unknown")


def _check_batch(args: Args) -> None:
    """Raise CondorError for options that cannot be combined."""
    streamed = args.has("stream-results")
    if args.has("submitter") and (args.has("name") or args.has("address")):
        raise CondorError("Cannot query both schedd's and submitters")
    for use in args.all("factory"):
        _check_factory(use.colon or "")
    if streamed and (args.has("dag") or args.has("batch")):
        last = args.last("stream-results", "dag", "batch")
        what = "dag or -batch" if last is None or last.name == "stream-results" else last.name
        raise UsageError(f"-stream-results and -{what} are incompatible", SPEC, kind="unknown")
    aggregate = next((name for name in ("group-by", "autocluster") if args.has(name)), None)
    if args.has("unmatchable") and not args.has("better-analyze"):
        if args.last("batch", "nobatch") is not None:
            raise CondorError("Error: -batch conflicts with -unmatchable")
        if aggregate is not None:
            raise CondorError("Error: -autocluster conflicts with -unmatchable")
    if not _batch_asked(args):
        return
    if args.has("autoformat") or args.has("format"):
        raise CondorError("Error: -batch conflicts with -format and -af")
    if aggregate is not None and not _is_long(args):
        raise CondorError(f"Error: -batch conflicts with -{aggregate}")


def _check_factory(words: str) -> None:
    for word in words.replace(",", " ").split():
        if not any(known.startswith(word.lower()) for known in ("clusters_only", "late_materialize")):
            raise CondorError(f"Error: unknown option {word} for -factory")


def _batch_asked(args: Args) -> bool:
    use = args.last("batch", "nobatch")
    return use is not None and use.name == "batch"


def _is_long(args: Args) -> bool:
    return any(args.has(name) for name in ("long", "xml", "json", "toml"))


def _rows(args: Args, display: str) -> str:
    """Return the kind of rows: jobs, clusters, job sets, groups or totals.

    Without a schedd to query, whole ads and values are those of jobs, or of clusters.
    """
    if display in ("long", "custom", "print-format") and (args.has("jobads") or args.has("userlog")):
        return "clusters" if args.has("factory") else "jobs"
    if args.has("totals") and display in ("long", "custom"):
        return "totals"
    for name in ("autocluster", "group-by"):
        if args.has(name):
            return name
    if args.has("factory"):
        return "clusters"
    return "jobsets" if args.has("jobset") else "jobs"


def _display(args: Args, batch_is_default: bool) -> str:
    if args.has("why"):
        return "why"
    analysis = args.last("forecast", "better-analyze", "reverse-analyze")
    if analysis is not None and analysis.name != "forecast":
        return "analyze"
    if _is_long(args):
        return "long"
    if analysis is not None:
        return "forecast"
    uses = [use for use in args.uses if use.name in _FORMATS and use.values != ("!",)]  # ``-pr !``: no default file
    chosen = uses[-1] if uses else None
    if chosen is not None:
        formatted = args.has("autoformat") or args.has("format")
        if formatted and any(use.name == "print-format" for use in uses):
            return "print-format"
        if chosen.name == "grid" and chosen.colon == "ec2":
            return "grid:ec2"
        return "custom" if chosen.name == "totals" and formatted else _FORMATS[chosen.name]
    for name in ("autocluster", "group-by", "jobset"):
        if args.has(name):
            return name
    if _batch_asked(args):
        return "batch"
    for name in ("hold-codes", "hold"):
        if args.has(name):
            return name
    batched = batch_is_default and not any(args.has(name) for name in ("nobatch", "unmatchable", *_UNBATCHED))
    return "batch" if batched else next((name for name in ("dag", *_UNBATCHED) if args.has(name)), "jobs")


def _positional(args: Args) -> tuple[list[tuple[int, int | None]], list[str]]:
    ids: list[tuple[int, int | None]] = []
    users: list[str] = []
    for word in args.positional:
        match = _id().match(word)
        if match:
            proc = as_integer(match[2] or "-1")
            ids.append((as_integer(match[1]), proc if proc >= 0 else None))
        else:
            users.append(word)
    return ids, users


def _mode_constraints(args: Args) -> list[str]:
    found: list[str] = []
    for name, constraint in (
        ("run", "JobStatus == 2 || JobStatus == 6 || JobStatus == 7"),
        ("hold", "JobStatus == 5"),
        ("hold-codes", "JobStatus == 5"),
        ("idle", "JobStatus == 1"),
        ("grid", f"JobUniverse == {Universe.GRID}"),
    ):
        if args.has(name):
            found.append(constraint)
    return found


def _hold_constraints(args: Args) -> list[str]:
    """``-hold:CODE/SUB,CODE``: jobs with one of these codes."""
    found: list[str] = []
    for use in args.all("hold") + args.all("hold-codes"):
        wanted: list[str] = []
        for word in (use.colon or "").replace(",", " ").split():
            match = _hold().match(word)
            if match is None:
                sys.stderr.write(f'Warning "{word}" is not a hold code and/or subcode. ignoring\n')
                continue
            sub = "" if match[2] is None else f" && HoldReasonSubCode == {match[2]}"
            wanted.append(f"(HoldReasonCode == {match[1]}{sub})")
        if wanted:
            found.append(" || ".join(wanted))
    return found


def _form(args: Args) -> tuple[str, bool]:
    form, ordered = forms.form_of(args.colon("long"))
    if args.has("json"):
        form = forms.JSON
    if args.has("xml"):
        form = forms.XML
    if args.has("toml"):
        form = forms.TOML
    return form, ordered


def _attributes(args: Args) -> tuple[str, ...] | None:
    """The attributes that the command line names: by ``-attributes``, and in the expressions of ``-af``. None, which
    are all, where it names none."""
    names = [word for text in args.texts("attributes") for word in text.replace(",", " ").split()]
    expressions = expressions_of(args)
    if expressions and (_is_long(args) or args.has("group-by")):
        names += referenced(expressions)
        if not args.has("group-by"):
            names += ["ClusterId", "ProcId"]
    return tuple(names) or None


def expressions_of(args: Args) -> list[str]:
    """Return the expressions that ``-af`` and ``-format`` print."""
    found: list[str] = []
    for use in args.uses:
        if use.name == "autoformat":
            found += map(str, use.values)
        elif use.name == "format":
            found.append(str(use.values[1]))
    return found


def referenced(expressions: Iterable[str]) -> list[str]:
    """The attributes that these expressions refer to, those that do not parse aside."""
    from condor_py.lang.classad.errors import ClassAdParseError
    from condor_py.lang.classad.references import attribute_references

    found: list[str] = []
    for expression in expressions:
        try:
            references = attribute_references(expression)
        except ClassAdParseError:
            continue
        found += [*references.my, *references.target]
    return found


def _limit(args: Args) -> int | None:
    limit = args.number("limit")
    if limit is not None and limit <= 0:
        raise CondorError(f"Error: {limit} is not a valid for -limit.")
    return limit


def _width(args: Args) -> int | None:
    use: Use | None = args.last("wide")
    if use is None:
        return None
    if use.colon is None:
        return 0
    import re

    match = re.match(r"\s*\+?(\d+)", use.colon)
    return as_integer(match[1]) if match and as_integer(match[1]) else display_width() or 80


def _filler(args: Args) -> str:
    """The character that represents 0 in the batch display: a blank for ``b``, "" to print 0 for ``z``."""
    filler = "_"
    for word in (args.colon("batch") or "").replace(":", ",").split(","):
        if word[:1] and word[0] in _FILLERS:
            filler = {"b": " ", "z": ""}.get(word[0], word[0])
    return filler


def describe(request: Request) -> str:
    """The query in words, a line each, for ``-dry-run``."""
    named = [f"{cluster}" if proc is None else f"{cluster}.{proc}" for cluster, proc in request.ids]
    named += [*request.users, *request.submitters]
    lines = [f"jobs: {' '.join(named)}"] if named else []
    lines += [f"constraint: {text}" for text in request.constraints]
    lines.append(f"only my jobs: {'yes' if request.my_jobs else 'no'}")
    return "".join(line + "\n" for line in lines)
