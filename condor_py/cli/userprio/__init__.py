"""condor_userprio: shows and changes the priorities of users."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.common import HELP, VERSION, check_pool
from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.cli.userprio.rows import Wanted
    from condor_py.client.pool import Pool
    from condor_py.lang.classad import ClassAd

_DAY = 86400
_USAGE = "[options] [edit-option | display-options [usernames]]"
_USAGE_LINE = f"usage: condor_userprio {_USAGE}"
_BAD_DURATION = "condor_userprio: -duration requires a positive integer number of seconds"
_NEEDS_ATTRIBUTE = "Error: Argument {spelling} requires at least one attribute parameter"

_EDIT, _SHOW, _FROM = "Edit options", "Display options", "Where from"
_ASK = "Questions (not in HTCondor)"
_QUESTIONS = ("whatif", "plot", "svg", "explain")


def _seconds(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 2**31 - 1:
        raise ValueError(text)
    return int(text)


def _edit(name: str, arg: str, text: str, shortest: int = 1) -> Opt:
    return Opt(name, shortest, arg, text, group=_EDIT, dash_value=True)


_SPEC = ToolSpec(
    name="condor_userprio",
    usage=_USAGE,
    summary="Show and change the priorities of users.",
    positional="USER",
    positional_help="show only these users: user@domain, or the name before the @",
    description=(
        "A smaller number is a better priority. The effective priority is the real priority, which follows the use "
        "of the machine, times the factor. Without options it shows who used the machine during the last day."
    ),
    options=(
        _edit("setprio", "USER VALUE", "set the real priority"),
        _edit("setfactor", "USER VALUE", "set the priority factor, at least 1"),
        _edit("setfloor", "USER VALUE", "the slot weight that the user gets before others"),
        _edit("setceiling", "USER VALUE", "the slot weight that the user may use at most; -1 for no limit"),
        Opt("duration", 1, "SECONDS", "make -setfactor, -setfloor or -setceiling a lease of that time", group=_EDIT,
            convert=_seconds, invalid=_BAD_DURATION, dash_value=True),
        _edit("cancelceilinglease", "USER", "end the lease on the ceiling now"),
        _edit("cancelfloorlease", "USER", "end the lease on the floor now"),
        _edit("cancelfactorlease", "USER", "end the lease on the factor now"),
        _edit("setbegin", "USER TIME", "set the time of the first use, in Unix seconds"),
        _edit("setaccum", "USER SECONDS", "set the accumulated usage"),
        _edit("setlast", "USER TIME", "set the time of the last use, in Unix seconds"),
        _edit("resetusage", "USER", "set the accumulated usage to zero"),
        _edit("delete", "USER", "forget the record", 3),
        Opt("resetall", 1, help="set the accumulated usage of all users to zero", group=_EDIT),
        Opt("long", 1, help="show whole ads", group=_SHOW),
        Opt("constraint", 1, "EXPR", "only records for which EXPR is true", group=_SHOW,
            missing="Error: Argument {spelling} requires another parameter"),
        Opt("legacy", 3, help="with -long: one ad with numbered attributes", group=_SHOW),
        Opt("modular", 3, help="with -long: one ad a record", group=_SHOW),
        Opt("af", 2, "EXPR", colon="LETTERS", variadic=True, same_as="autoformat", missing=_NEEDS_ATTRIBUTE),
        Opt("autoformat", 5, "EXPR", "print values; LETTERS are of jlhVr,tng", colon="LETTERS", variadic=True,
            group=_SHOW, missing=_NEEDS_ATTRIBUTE),
        Opt("debug", 1, help="accepted; messages go to standard error in any case", colon="LEVEL", hidden=True),
        Opt("hierarchical", 2, help="users under their groups (the default)", group=_SHOW),
        Opt("heir", 1, same_as="hierarchical", hidden=True),
        Opt("flat", 2, help="users and groups in one list", group=_SHOW),
        Opt("grouprollup", 1, help="usage of a group includes its subgroups", group=_SHOW),
        Opt("grouporder", 1, help="groups first, then users", group=_SHOW),
        Opt("quotas", 1, help="quotas of groups", group=_SHOW),
        Opt("surplus", 1, help="how groups use surplus", group=_SHOW),
        Opt("sortkey", 2, help="sort keys of groups", group=_SHOW),
        Opt("all", 1, help="all columns", group=_SHOW),
        Opt("most", 2, help="the most useful columns (the default)", group=_SHOW),
        Opt("groupid", 1, help="numbers of groups", group=_SHOW),
        Opt("order", 1, help="order of groups", group=_SHOW),
        Opt("activefrom", 1, "MONTH DAY YEAR", "who used the machine since that day", group=_SHOW),
        Opt("allusers", 1, help="all users, whenever they used the machine", group=_SHOW),
        Opt("usage", 2, help="usage columns", group=_SHOW),
        Opt("priority", 4, help="priority columns, without groups", group=_SHOW),
        Opt("getreslist", 6, "USER", "the slots that the user holds", group=_SHOW),
        Opt("inputfile", 2, "FILE", "show the numbered ad in FILE", group=_FROM, takes="file"),
        Opt("pool", 1, "HOST", "the pool to ask; this machine is the only one", group=_FROM),
        Opt("name", 1, "NAME", "the negotiator to ask", group=_FROM),
        Opt("collector", 3, help="ask no negotiator for users that are not found", group=_FROM),
        Opt("negotiator", 3, help="accepted; the negotiator is asked in any case", group=_FROM),
        Opt("whatif", 2, "CHANGE", "shares now and after changes, which are not made: USER=FACTOR, or USER=RATIO*OTHER "
            "for the factor that gives USER a share RATIO times OTHER's", variadic=True, group=_ASK,
            missing="condor_userprio: -whatif needs USER=FACTOR or USER=RATIO*OTHER"),
        Opt("explain", 2, "USER", "why USER (me: you) got this share, in words with figures, compared with the users "
            "named behind it (without any, with those who used more); about the last day without -since", group=_ASK),
        Opt("plot", 2, help="draw priority and use of the users over time, on the terminal", group=_ASK),
        Opt("svg", 2, "FILE", "draw them as SVG into FILE", group=_ASK, takes="file"),
        Opt("since", 2, "TIME", "for -explain and -plot: from then on (2026-11-21, 18:00, yesterday, 12h, 3d)",
            group=_ASK),
        Opt("until", 2, "TIME", "for -explain and -plot: up to then", group=_ASK),
        HELP,
        VERSION,
    ),
    examples=(
        ("condor_userprio", "who used the machine during the last day"),
        ("condor_userprio -allusers -all", "everything about all users"),
        ("condor_userprio -setfactor bob@example.net 10000", "bob counts ten times as much as others"),
        ("condor_userprio -whatif alice=2*bob", "what factor would give alice twice the share of bob"),
        ("condor_userprio -explain alice bob -since yesterday", "why alice got fewer slots than bob last night"),
        ("condor_userprio -plot -since 14d", "priority and use over two weeks"),
    ),
    missing=_USAGE_LINE + "\n-{name} needs more arguments; see condor_userprio -help",
    unknown=_USAGE_LINE + "\n{arg} is not an option; see condor_userprio -help",
    usage_after=(),
    see_also=("condor_status", "condor_q"),
)  # fmt: skip
SPECS = (_SPEC,)


class Names(NamedTuple):
    """The users named on the command line: full names (exact) and short ones (what is before the ``@``)."""

    full: tuple[str, ...]
    short: tuple[str, ...]

    def matches(self, ad: ClassAd) -> bool:
        """Whether an Accounting ad is about one of them; everything is when there are none."""
        return self.means(ad.eval_str("Name", ""))

    def means(self, name: str) -> bool:
        """Whether a full name is one of them."""
        if not self.full and not self.short:
            return True
        return name in self.full or name.partition("@")[0] in self.short


def main(argv: list[str]) -> int:
    """Run condor_userprio."""
    args = parse(_SPEC, argv)
    if args.has("help") or args.has("version"):
        from condor_py.cli.common import handle_help_and_version

        handle_help_and_version(args)
        return 0
    names = _names(args)
    from condor_py.cli.userprio.edit import requested_edit

    edit = requested_edit(args)
    use = args.last("getreslist")
    if edit is None and use is None and args.has("inputfile"):
        _show_file(args, names, args.text("inputfile", ""))
        return 0
    from condor_py.client.pool import open_pool

    pool = open_pool()
    check_pool(args, pool)
    known = _negotiator_known(args, pool)
    if edit is not None:
        from condor_py.cli.userprio.edit import carry_out

        carry_out(pool, edit)
    elif use is not None:
        _resource_list(pool, use.values[0], args.has("long"))
    elif any(args.has(name) for name in _QUESTIONS):
        from condor_py.cli.userprio import questions

        questions.answer(args, names.means, pool)
    elif known:
        _show(args, names, _from_pool(args, names, pool))
    else:
        from condor_py.cli.idle_pool import say_when_nothing_runs

        say_when_nothing_runs(pool)
    return 0


def _names(args: Args) -> Names:
    """The users named; whatever else is no option is a wrong command line."""
    for word in args.positional:
        if not word[:1].isalpha() and word != "<none>":
            raise UsageError(_SPEC.unknown.format(arg=word), _SPEC, kind="unknown", argument=word)
    full = tuple(word for word in args.positional if "@" in word or word == "<none>")
    return Names(full, tuple(word for word in args.positional if word not in full))


def _negotiator_known(args: Args, pool: Pool) -> bool:
    """Whether -name is about the negotiator of this machine; says so on stderr when it is not."""
    name = args.text("name")
    if name is None or name.lower() == pool.settings.host.lower():
        return True
    sys.stderr.write(f"condor_userprio: Can't locate negotiator '{name}' in {args.text('pool') or 'local pool'}\n")
    return False


def _from_pool(args: Args, names: Names, pool: Pool) -> list[ClassAd]:
    from condor_py.client.accounting_ads import accounting_ads, rolled_up

    found = [ad for ad in accounting_ads(pool) if names.matches(ad)]
    if len(found) < len(names.full) + len(names.short) and not args.has("collector"):
        sys.stderr.write("Not all user(s) found in collector, querying negotiator...\n")
    return rolled_up(found) if args.has("grouprollup") else found


def _show_file(args: Args, names: Names, path: str) -> None:
    """Shows the numbered ad of a file. -long prints it unchanged, as HTCondor does, but for -modular."""
    from condor_py.cli.output.ads import renderer
    from condor_py.client.accounting_ads import unnumbered

    ad = _from_file(path)
    form = args.last("modular", "legacy")
    if args.has("long") and not args.has("autoformat") and (form is None or form.name == "legacy"):
        sys.stdout.write(renderer("long", None, True)(ad).removesuffix("\n"))
        return
    ads = unnumbered(ad)
    if args.has("long") or args.has("autoformat"):
        for number, one in enumerate(ads, 1):
            one.remove("LastUpdate")
            one.set_int("SubmittorId", number)
    _show(args, names, ads)


def _from_file(path: str) -> ClassAd:
    """The numbered ad of a file. Several ads in the file count as one."""
    from condor_py.cli.adfile import parse_ads
    from condor_py.lang.classad import ClassAd

    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except OSError as error:
        raise CondorError(f"Can't open file of userprio ads: {path}") from error
    merged = ClassAd()
    for ad in parse_ads(text, path, "auto"):
        for name, value in ad.text_items():
            merged.set_text(name, value)
    return merged


def _show(args: Args, names: Names, ads: list[ClassAd]) -> None:
    chosen = _constrained(args, ads)
    if args.has("autoformat"):
        _print_values(args, chosen)
    elif args.has("long"):
        _print_ads(args, chosen)
    elif chosen:
        from condor_py.cli.userprio.rows import arrange
        from condor_py.cli.userprio.table import lines

        text = "\n".join(lines(arrange(chosen, _wanted(args, names))))
        sys.stdout.write(text + "\n")


def _constrained(args: Args, ads: list[ClassAd]) -> list[ClassAd]:
    from condor_py.lang.classad import ClassAdParseError, is_true
    from condor_py.lang.classad import parse as parse_expression

    for text in args.texts("constraint"):
        try:
            expression = parse_expression(text)
        except ClassAdParseError:
            raise CondorError(f"Error:  could not parse constraint {text}") from None
        ads = [ad for ad in ads if is_true(ad.raw(expression))]
    return ads


def _print_values(args: Args, ads: list[ClassAd]) -> None:
    from condor_py.cli.output.autoformat import add_columns
    from condor_py.cli.output.mask import Mask

    mask = Mask()
    add_columns(mask, args.all("autoformat"), "Error: Invalid expression: ")
    if mask.has_headings():
        sys.stdout.write(mask.heading())
    for ad in ads:  # a column is as wide as its widest value so far, as in HTCondor
        sys.stdout.write(mask.row(mask.cells(ad)))


def _print_ads(args: Args, ads: list[ClassAd]) -> None:
    from condor_py.cli.output.ads import renderer
    from condor_py.client.accounting_ads import numbered

    render = renderer("long", None, True)
    if args.has("legacy") and args.has("grouprollup"):
        sys.stdout.write(render(numbered(ads)).removesuffix("\n"))
        return
    for ad in ads:
        text = render(ad)
        sys.stdout.write("\n" + text.removesuffix("\n") if args.has("modular") else text)


def _wanted(args: Args, names: Names) -> Wanted:
    """Return the details of the table that are asked for."""
    from condor_py.cli.userprio.rows import NEVER, Detail, Wanted

    kinds = {
        "quotas": Detail.QUOTAS, "surplus": Detail.SURPLUS, "sortkey": Detail.SORT_KEY, "all": Detail.ALL,
        "most": Detail.MOST, "groupid": Detail.GROUP_ID, "order": Detail.ORDER,
        "usage": Detail.USAGE | Detail.BEGIN | Detail.LAST, "priority": Detail.PRIORITIES,
    }  # fmt: skip
    details = Detail(0)
    for name, kind in kinds.items():
        if args.has(name):
            details |= kind
    layout = args.last("hierarchical", "flat", "grouporder")
    since = int(time.time()) - _DAY
    for use in args.uses:
        if use.name == "activefrom":
            since = _midnight(use.values)
        elif use.name == "allusers":
            since = NEVER
    if names.full or names.short:
        since = NEVER
    return Wanted(
        details,
        hierarchical=layout is None or layout.name == "hierarchical",
        explicit_layout=layout is not None,
        group_order=args.has("grouporder"),
        explicit_quotas=args.has("quotas") or args.has("surplus"),
        since=since,
    )


#: Of a calendar; C has no times much later.
_LAST_YEAR = 9_999


def _midnight(values: tuple[str, ...]) -> int:
    """The beginning of the day MONTH DAY YEAR in local time; years below 50 are of this century."""
    from condor_py.cli.suggest import hint
    from condor_py.model.texts import leading_number

    month, day, year = (max(-_LAST_YEAR, min(leading_number(value), _LAST_YEAR)) for value in values)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        hint(f"condor_userprio: -activefrom takes month, day and year: {' '.join(values)[:60]} is no date")
    if year < 1900:
        year += 2000 if year < 50 else 1900
    return int(time.mktime((year, month, day, 0, 0, 0, 0, 0, -1)))


def _resource_list(pool: Pool, name: str, whole_ad: bool) -> None:
    from condor_py.cli.output.conversion import date, elapsed
    from condor_py.cli.userprio.edit import full_name
    from condor_py.client.accounting_ads import holdings, load_accountant

    full_name(name, "update the priority of")
    accountant = load_accountant(pool)
    if accountant is None:
        raise CondorError("failed to send GET_RESLIST command to negotiator")
    held = holdings(accountant, name)
    if whole_ad:
        for number, slot in enumerate(held, 1):
            sys.stdout.write(f'Name{number} = "{slot.slot}"\nStartTime{number} = {slot.start}\n')
        return
    lines = [("Resource Name", " Start Time", " Match Time"), ("-------------", " ----------", " ----------")]
    now = pool.now()
    lines += [(slot.slot, date(slot.start), elapsed(now - slot.start)) for slot in held]
    lines.append(("-------------", " ------------", " ------------"))
    for first, second, third in lines:
        sys.stdout.write(f"{first:<30} {second:>12} {third:>12}\n")
    sys.stdout.write(f"Number of Resources Used: {len(held)}\n")
