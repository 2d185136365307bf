"""What a command line of condor_q asks for: which jobs, and how to show them."""

from __future__ import annotations

import re
from typing import NamedTuple

from condor_py.model.errors import CondorError
from condor_py.tools.options import Args, UsageError, Use
from condor_py.tools.output import ads as forms
from condor_py.tools.q.spec import SPEC

_ID = re.compile(r"(\d+)(?:\.(\d+))?\Z")
_HOLD = re.compile(r"(\d+)?(?:/(\d+))?")
#: Displays that never fold jobs into batches.
_UNBATCHED = ("run", "idle", "hold", "hold-codes", "factory", "jobset", "autocluster", "group-by")
_FILLERS = "b?*.-_#z"


class Request(NamedTuple):
    """The meaning of a command line.

    ``display`` is "batch", "long", "custom", "print-format", "totals", "analyze" or a key of columns.DISPLAYS.
    ``ids`` are clusters with a proc or None; ``users`` names; ``constraints`` expressions that all must hold.
    ``my_jobs`` is the default restriction to one's own jobs; ``partial`` says that clusters may be seen in part.
    ``width`` is the cut that ``-wide:N`` asks for; None leaves it to the terminal, 0 means never.
    """

    args: Args
    display: str
    ids: tuple[tuple[int, int | None], ...]
    users: tuple[str, ...]
    constraints: tuple[str, ...]
    my_jobs: bool
    partial: bool
    filler: str
    form: str
    ordered: bool
    attributes: tuple[str, ...] | None
    limit: int | None
    width: int | None

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
    users.extend(args.texts("submitter"))
    constraints = [*args.texts("constraint"), *_hold_constraints(args), *_mode_constraints(args)]
    narrow = any(args.has(name) for name in ("constraint", "run", "hold", "hold-codes", "idle"))
    form, ordered = _form(args)
    return Request(
        args=args,
        display=display,
        ids=tuple(ids),
        users=tuple(users),
        constraints=tuple(constraints),
        my_jobs=not (ids or users or args.has("allusers")),
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
    if args.has("batch") and (args.has("autoformat") or args.has("format")):
        raise CondorError("Error: -batch conflicts with -format and -af")
    states = {use.name for use in args.uses} & {"run", "hold", "hold-codes", "idle"}
    if len(states - {"hold-codes"}) > 1:
        raise UsageError("-run and -hold/held or -idle are incompatible", SPEC, kind="unknown")
    if "hold-codes" in states and states & {"run", "idle"}:
        raise UsageError("-hold-codes incompatible with -idle or -run", SPEC, kind="unknown")


def _display(args: Args, batch_is_default: bool) -> str:
    if any(args.has(name) for name in ("long", "xml", "json", "toml")):
        return "long"
    for name, display in (
        ("autoformat", "custom"), ("format", "custom"), ("print-format", "print-format"),
        ("forecast", "forecast"), ("better-analyze", "analyze"), ("reverse-analyze", "analyze"),
        ("totals", "totals"),
        ("grid", "grid"), ("io", "io"),
        ("autocluster", "autocluster"), ("group-by", "group-by"), ("jobset", "jobset"),
    ):  # fmt: skip
        if args.has(name):
            return display
    batch = args.last("batch", "nobatch")
    if batch is not None and batch.name == "batch":
        return "batch"
    for name in ("hold-codes", "hold", "run", "idle", "factory"):
        if args.has(name):
            return name
    if batch is None and batch_is_default and not args.has("unmatchable"):
        return "batch"
    return "dag" if args.has("dag") else "jobs"


def _positional(args: Args) -> tuple[list[tuple[int, int | None]], list[str]]:
    ids: list[tuple[int, int | None]] = []
    users: list[str] = []
    for word in args.positional:
        match = _ID.match(word)
        if match:
            ids.append((int(match[1]), None if match[2] is None else int(match[2])))
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
        ("grid", "JobUniverse == 9"),
    ):
        if args.has(name):
            found.append(constraint)
    return found


def _hold_constraints(args: Args) -> list[str]:
    found: list[str] = []
    for use in args.all("hold") + args.all("hold-codes"):
        match = _HOLD.match(use.colon or "")
        if match and match[1]:
            found.append(f"HoldReasonCode == {match[1]}")
        if match and match[2]:
            found.append(f"HoldReasonSubCode == {match[2]}")
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
    if not args.has("attributes"):
        return None
    return tuple(word for text in args.texts("attributes") for word in re.split(r"[\s,]+", text) if word)


def _limit(args: Args) -> int | None:
    limit = args.number("limit")
    if limit is not None and limit <= 0:
        raise CondorError(f"Error: {limit} is not a valid for -limit.")
    return limit


def _width(args: Args) -> int | None:
    use: Use | None = args.last("wide")
    if use is None:
        return None
    return int(use.colon) if use.colon is not None and use.colon.isdigit() else 0


def _filler(args: Args) -> str:
    """The character that stands for 0 in the batch display: a blank for ``b``, "" to print 0 for ``z``."""
    filler = "_"
    for word in re.split("[,:]", args.colon("batch") or ""):
        if word[:1] and word[0] in _FILLERS:
            filler = {"b": " ", "z": ""}.get(word[0], word[0])
    return filler


def describe(request: Request) -> str:
    """The query in words, a line each, for ``-dry-run``."""
    named = [f"{cluster}" if proc is None else f"{cluster}.{proc}" for cluster, proc in request.ids]
    lines = [f"jobs: {' '.join([*named, *request.users])}"] if named or request.users else []
    lines += [f"constraint: {text}" for text in request.constraints]
    lines.append(f"only my jobs: {'yes' if request.my_jobs else 'no'}")
    return "".join(line + "\n" for line in lines)
