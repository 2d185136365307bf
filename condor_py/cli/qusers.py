"""condor_qusers: shows, adds, enables, disables, changes and removes records of users and projects."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from condor_py.cli.common import check_place, handle_help_and_version
from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, UsageError, parse
from condor_py.cli.output.autoformat import add_autoformat, add_format, first_bad
from condor_py.cli.output.mask import Column, Mask
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.core.jobs.userrecs import UserRequest
    from condor_py.lang.classad.ad import ClassAd

_WHOM, _DO, _SHOW = "Whom", "Actions", "Output forms"
_OPTIONS = (
    Opt("help", 1, help="this text"),
    Opt("version", 1, help="the version and the platform"),
    Opt("debug", 3, help="accepted; messages go to standard error in any case", colon="FLAGS"),
    Opt("verbose", 4, help="name the schedd and its version first"),
    Opt("raw-results", 3, help="print the schedd's answer to a change", group=_DO),
    Opt("user", 1, "NAME", "the user or project of this name", group=_WHOM,
        missing="Error: -user requires a username argument"),
    Opt("add", 3, help="add records; those that exist are enabled", group=_DO),
    Opt("enable", 2, help="let users or projects have new jobs again", group=_DO),
    Opt("disable", 2, help="refuse new jobs; those in the queue run", group=_DO),
    Opt("suspend", 3, help="-disable with MaxJobsRunning=0: no job starts, either", group=_DO),
    Opt("unsuspend", 3, help="-enable without a limit on running jobs", group=_DO),
    Opt("reason", 2, "TEXT", "with -disable or -remove: the reason that refused users see", group=_DO, dash_value=True,
        missing="Error: -reason requires a argument"),
    Opt("remove", 3, help="remove records; users who have jobs are disabled instead", group=_DO),
    Opt("rm", EXACT, same_as="remove"),
    Opt("delete", 2, same_as="remove"),
    Opt("reset", 2, help="not supported, as in HTCondor: -edit MaxJobsRunning=delete removes the limit", hidden=True),
    Opt("edit", 2, help="set the attributes that ATTR=EXPR name; ATTR=delete removes one", group=_DO),
    Opt("projects", 4, help="records of projects instead of users; with :also both, to look at", colon="also",
        group=_WHOM),
    Opt("usage", 2, help="columns with the time that jobs took", group=_SHOW),
    Opt("daily", 2, help="not supported: no statistics by hour and day are kept", colon="rescale", hidden=True),
    Opt("wide", 1, help="do not cut rows", colon="N", group=_SHOW),
    Opt("long", 1, help="whole records; FORM is json, jsonl, xml, new, newl or long", colon="FORM", group=_SHOW),
    Opt("format", 1, "FMT EXPR", "print EXPR by a printf format; may be repeated", group=_SHOW, dash_value=True,
        missing="Error: -format requires format and attribute parameters"),
    Opt("autoformat", 5, "EXPR", "print values; LETTERS are of lhVr,tngTY", colon="LETTERS", variadic=True, group=_SHOW,
        missing="Error: -autoformat requires at least one attribute parameter"),
    Opt("af", 2, "EXPR", colon="LETTERS", variadic=True, same_as="autoformat",
        missing="Error: -autoformat requires at least one attribute parameter"),
    Opt("aaf", 3, "EXPR", "append values to the columns; LETTERS are of VrTY", colon="LETTERS", variadic=True,
        group=_SHOW, missing="Error: -aaf requires at least one attribute parameter"),
    Opt("pool", 1, "HOST", "the pool to ask; this machine is the only one",
        missing="Error: -pool requires a hostname argument"),
    Opt("name", 1, "NAME", "the schedd to ask", missing="ERROR: -name requires a schedd-name argument"),
    Opt("constraint", 1, "EXPR", "records for which EXPR is true; not with -add", group=_WHOM, dash_value=True,
        missing="Error: -constraint requires and expresion argument"),
)  # fmt: skip
_SPEC = ToolSpec(
    name="condor_qusers",
    usage="[-add | -enable | -disable | -suspend | -unsuspend | -remove | -edit] [options] [NAME | ATTR=EXPR] ...",
    summary="Show, add, enable, disable, change and remove records of users and projects.",
    positional="NAME | ATTR=EXPR",
    positional_help="users (NAME or NAME@DOMAIN) or projects; with -edit the new values of attributes",
    description=(
        "Without an action it shows the records. A user's record is made by the user's first submit, or by -add. "
        "MaxJobsRunning in a record is the most jobs of the user or project that run at a time; jobs that run already "
        "are not stopped. A disabled user is refused at submit, with the reason. With "
        "ALLOW_SUBMIT_FROM_KNOWN_USERS_ONLY only users with a record can submit. Once a project has a record, the "
        "first job that names another one makes its record. All users may look; only an administrator of the pool "
        "changes records. The actions may be written without their dash, as first word."
    ),
    options=_OPTIONS,
    examples=(
        ("condor_qusers", "users, their limits and their jobs"),
        ('condor_qusers -disable bob -reason "talk to admin"', "bob submits no more jobs"),
        ("condor_qusers -edit alice MaxJobsRunning=10", "alice has ten running jobs at most"),
        ("condor_qusers -edit alice MaxJobsRunning=delete", "alice has no limit any more"),
        ("condor_qusers -projects -add optics", "the jobs of the project optics are counted"),
    ),
    exit_status="0; 1 when something failed or nothing of that name exists (4), 2 for a wrong command line.",
    unknown="Error: unexpected argument: {arg}",
    dash=False,
    see_also=("condor_q", "condor_userprio", "condor_submit"),
)
SPECS = (_SPEC,)

#: Actions, by option and by first word, with what the schedd is asked for.
_ACTIONS = {
    "add": "enable", "enable": "enable", "unsuspend": "enable", "disable": "disable", "suspend": "disable",
    "remove": "remove", "edit": "edit",
}  # fmt: skip
_WORDS = {
    "add": "add", "delete": "remove", "disable": "disable", "edit": "edit", "enable": "enable", "remove": "remove",
    "rm": "remove", "query": "query", "reset": "reset",
}  # fmt: skip
_IMPLIED = {"suspend": "MaxJobsRunning=0", "unsuspend": "MaxJobsRunning=undefined"}


class _Wish:
    """Request of a command line. ``action`` is "query" or an option of the group of actions."""

    def __init__(self, args: Args) -> None:
        self.args = args
        self.action = "query"
        self.adds = False
        self.names: list[str] = []
        self.edits: list[str] = []
        for use in args.uses:
            self._take(use.name, use.values)
        self.kind = "Project" if args.has("projects") else "Owner"
        self.both = (args.colon("projects") or "").lower() in ("a", "al", "als", "also")
        self.constraint = args.text("constraint")
        self.reason = args.text("reason")

    def _take(self, name: str, values: tuple[Any, ...]) -> None:
        if name == "user":
            self.names.append(values[0])
        elif name in _ACTIONS or name == "reset":
            self._choose(name)
        elif not name:
            self._word(values[0])

    def _word(self, word: str) -> None:
        if self.action == "query" and word.lower() in _WORDS:
            if word.lower() != "query":
                self._choose(_WORDS[word.lower()])
        elif "=" in word:
            self.edits.append(word)
        else:
            self.names.append(word)

    def _choose(self, name: str) -> None:
        before = self.action
        if before != "query" and _ACTIONS.get(before) != _ACTIONS.get(name):
            raise _error("", "unknown", code=1)
        self.adds = self.adds or name == "add"
        self.action = name
        if name in _IMPLIED:
            self.edits.append(_IMPLIED[name])

    @property
    def request(self) -> str:
        """The action of the schedd."""
        return _ACTIONS.get(self.action, "")

    @property
    def what(self) -> str:
        """The kind of records, as messages name it."""
        return "projects" if self.kind == "Project" else "users"


def _error(text: str, kind: str = "", code: int = 1) -> UsageError:
    error = UsageError(text, _SPEC, kind=kind)
    error.exit_code = code
    return error


def main(argv: list[str]) -> int:
    """Run condor_qusers."""
    try:
        args = parse(_SPEC, argv)
    except UsageError as error:
        error.exit_code = 2 if error.kind == "unknown" else 1
        raise
    if handle_help_and_version(args):
        return 0
    wish = _Wish(args)
    _check(wish)
    mask = _mask(wish) if wish.action == "query" and not args.has("long") else None
    from condor_py.client.pool import open_pool

    pool = open_pool()
    check_place(args, pool, "Error: 1 Can't find address of schedd {name}")
    if args.has("verbose"):
        from condor_py.model.version import CONDOR_VERSION

        sys.stdout.write(f"Schedd {pool.schedd_name} {CONDOR_VERSION}\n")
    if wish.action == "query":
        return _show(pool, wish, mask)
    return _change(pool, wish)


def _check(wish: _Wish) -> None:
    """Refuse what cannot be done. CondorError."""
    args = wish.args
    if args.has("daily"):
        raise CondorError("Error: -daily is not supported: no statistics by hour and day are kept")
    if args.has("long") and (args.has("format") or args.has("autoformat")):
        raise CondorError("Error: -long cannot be used with -format or -af")
    if wish.action == "reset":
        raise CondorError("Unsupported command reset: -edit MaxJobsRunning=delete removes the limit")
    if wish.edits and wish.request not in ("edit", "disable", "enable"):
        raise _error("<attr>=<expr> arguments only work with -edit, -suspend and -unsuspend", "unknown", code=2)
    if wish.reason is not None and wish.request not in ("disable", "remove"):
        raise CondorError("-reason argument can only be used with -disable or -remove argument")
    if wish.constraint is not None:
        from condor_py.lang.classad.exprtree import is_valid

        if not is_valid(wish.constraint):
            raise CondorError(f"Error: invalid constraint expression: {wish.constraint}")


# -- looking ---------------------------------------------------------------------------------------


def _show(pool: Pool, wish: _Wish, mask: Mask | None) -> int:
    ads = _chosen(pool, wish)
    if mask is None:
        from condor_py.cli.output import ads as forms

        form, ordered = forms.form_of(wish.args.colon("long"))
        sys.stdout.writelines(forms.write_ads(ads, form, ordered=ordered))
        return 0
    cells = [mask.cells(ad) for ad in ads]
    rows = [mask.row(each) for each in cells]  # the first time the columns grow
    heading = mask.heading() if mask.has_headings() else ""
    rows = [mask.row(each) for each in cells]
    sys.stdout.writelines([heading, *rows])
    return 0


def _chosen(pool: Pool, wish: _Wish) -> list[ClassAd]:
    """The records that were asked for, by name."""
    from condor_py.core.jobs.userrecs import counted
    from condor_py.lang.classad import is_true, parse

    table = pool.read_queue().table
    kinds = ("Owner", "Project") if wish.both else (wish.kind,)
    condition = None if wish.constraint is None else parse(wish.constraint)
    names = {name.lower() for name in wish.names}
    found: dict[str, ClassAd] = {}
    for kind in kinds:
        for number, ad in enumerate(counted(table, kind), 1):
            if condition is not None and not is_true(ad.evaluate(condition)):
                continue
            called = [ad.eval_str(attribute, "") for attribute in ("User", "Owner", "Name")]
            if names and names.isdisjoint(map(str.lower, filter(None, called))):
                continue
            key = called[0] or called[2]
            found[key if key not in found else f"{key}{number:06d}"] = ad
    return [ad for _, ad in sorted(found.items())]


def _mask(wish: _Wish) -> Mask:
    """The columns of the table. CondorError for an expression that is none."""
    args, mask = wish.args, Mask()
    for use in args.uses:
        if use.name == "format" and not add_format(mask, use.values[0], use.values[1]):
            raise _error(f"Error: -format arg '{use.values[1]}' is not a valid expression", code=2)
        if use.name == "autoformat" and not add_autoformat(mask, use.values, use.colon):
            raise _error(f"Error: -autoformat arg '{first_bad(use.values)}' is not a valid expression", code=2)
    if not mask.columns:
        mask.columns += _columns(wish)
        _append(args, mask)
        mask.max_width = _width(args)
    return mask


def _append(args: Args, mask: Mask) -> None:
    for use in args.all("aaf"):
        if len(use.colon or "") > 1 or not set(use.colon or "") <= set("TVYr"):
            text = f"Error: {use.colon} is invalid -aaf format qualifier. only one of V,r,T, or Y is permitted."
            raise _error(text, code=2)
        if not add_autoformat(mask, use.values, use.colon, append=True):
            raise _error(f"Error: -aaf arg '{first_bad(use.values)}' is not a valid expression", code=2)


def _width(args: Args) -> int | None:
    """Columns of a row; None for all that it has."""
    from condor_py.cli.output.terminal import display_width

    width = display_width()
    return None if args.has("wide") or width is None else width - 1


#: Columns of the tables: expression, heading, printf format ("" for text), and what is in the place of nothing.
_Row = tuple[str, str, str, str]
_IDLE: _Row = ("NumIdle", "JOBS:Idle", "%9d", "")
_RUNNING: _Row = ("NumRunning", "Running", "%7d", "")
_HELD: _Row = ("NumHeld", "   Held", "%7d", "")
_PENDING: _Row = ("NumCompleted + NumRemoved", "Pending", "%d", "")
_BRIEF: tuple[_Row, ...] = (
    ("NumIdle", "Idle", "%d", ""), ("NumRunning", "Running", "%d", ""), ("NumHeld", "Held", "%d", "")
)  # fmt: skip
_TIMES: tuple[_Row, ...] = (
    ("TotalCompletedJobs ?: 0", "Completed", "%9d", ""),
    ("CompletedJobsSlotTime", "  SlotTime", "%T", " "),
    ("CompletedJobsCpuTime", "  CpuTime", "%T", " "),
    ("TotalRemovedJobs ?: 0", "Removed", "%7d", ""),
    ("RemovedJobsCpuTime", "RmvdCpuTime", "%T", " "),
    ("RemovedJobsSlotTime", "RmvdSlotTime", "%T", " "),
)
_USERS: tuple[_Row, ...] = (
    ("User", "USER", "", ""),
    ("OsUser", "OS_USER", "", ""),
    ('{"no", "yes"}[Enabled ?: 0]', "ENABLED", "", "_"),
    ('MaxJobsRunning ?: "default"', "MAX_RUN", "", ""),
    _IDLE, _RUNNING, _HELD,
    ("TotalRemovedJobs ?: 0 + NumRemoved", "Removed", "%7d", ""),
    ("TotalCompletedJobs ?: 0 + NumCompleted", "Completed", "%9d", ""),
)  # fmt: skip
_PROJECT: _Row = ("Name ?: User", "NAME", "", "")
_TABLES: dict[tuple[str, bool], tuple[_Row, ...]] = {
    ("Owner", False): _USERS,
    ("Owner", True): (("User", "USER", "", ""), *_TIMES, _PENDING, *_BRIEF),
    ("Project", False): (_PROJECT, _IDLE, _RUNNING, _HELD, *_TIMES, _PENDING),
    ("Project", True): (_PROJECT, *_TIMES, _PENDING, *_BRIEF),
}


def _columns(wish: _Wish) -> list[Column]:
    """The columns of a table, by the rules of print-format files."""
    from condor_py.cli.output.printformat import parse_print_format

    lines = ["SELECT"]
    for source, heading, printf, missing in _TABLES[wish.kind, wish.args.has("usage")]:
        words = [source, f"AS '{heading}'"]
        words += ["WIDTH AUTO"] if printf != "%T" else []
        words += [f"PRINTF {printf}"] if printf else []
        words += [f"OR '{missing}'"] if missing else []
        lines.append(" ".join(words))
    return parse_print_format(lines).mask.columns


# -- changing --------------------------------------------------------------------------------------


def _change(pool: Pool, wish: _Wish) -> int:
    """Ask for the change and print the outcome; the exit code."""
    named = _named(wish)
    if wish.both:
        raise CondorError(f"Error: {named} failed - -projects:also is not implemented")
    requests = _requests(wish, named)
    try:
        answer = pool.act_on_users(wish.kind, wish.request, requests, wish.reason or "")
    except (CondorError, ValueError) as error:
        raise CondorError(f"Error: {named} failed - {error}") from None
    code, count = answer.eval_int("Result", 0), answer.eval_int("NumAds", -1)
    outcome = "failed" if code else "succeeded" if count else "did nothing"
    sys.stdout.write(f"{named} {outcome}: {answer.eval_str('ErrorString', '').rstrip()}\n")
    if wish.args.has("raw-results"):
        lines = [f"    {name} = {text}\n" for name, text in answer.text_items() if name != "ErrorString"]
        sys.stdout.writelines(sorted(lines, key=str.lower))
    return code


def _named(wish: _Wish) -> str:
    """The action, as messages name it."""
    if wish.edits and wish.request == "disable":
        return "suspend"
    if wish.edits and wish.request == "enable" and not wish.adds and wish.kind == "Owner":
        return "unsuspend"
    return "add" if wish.adds else wish.request


def _requests(wish: _Wish, named: str) -> list[UserRequest]:
    """Whom and what to change. CondorError where that is not said."""
    from condor_py.core.jobs.userrecs import UPDATE, UserRequest

    items = tuple(_assignment(text) for text in wish.edits)
    if sys.stderr.isatty():
        from condor_py.cli.suggest import warn_of_names

        warn_of_names([name for name, _ in items])
    if named == "unsuspend":
        items = (*items, ("Enabled", "true"), (UPDATE, "true"))
    elif wish.request == "enable":
        items = ()
    takes_constraint = named == "unsuspend" or wish.request != "enable"
    if wish.constraint is not None and takes_constraint:
        return [UserRequest(None, wish.constraint, items)]
    if wish.names:
        return [UserRequest(name, None, items, wish.adds) for name in wish.names]
    if wish.request == "edit" and wish.edits:
        raise CondorError("Error: no name or constraint - don't know which users or projects to edit")
    if wish.request == "edit":
        raise CondorError("Error: -edit needs the attributes to change, as ATTR=EXPR")
    raise CondorError(f"Error: {named} {wish.what} - no names specified")


def _assignment(text: str) -> tuple[str, str]:
    """Return name and expression of ``ATTR=EXPR``. CondorError."""
    from condor_py.lang.classad.exprtree import is_valid
    from condor_py.model.record import is_attribute_name

    name, _, expression = text.partition("=")
    if not is_attribute_name(name.strip()) or not is_valid(expression):
        raise CondorError(f"Error: not a valid classad assignment: {text}")
    return name.strip(), expression.strip()
