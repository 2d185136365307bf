"""condor_status: what the daemons publish about slots, queues and themselves."""

from __future__ import annotations

import os
import sys

from condor_py.cli.adfile import NoAdFile, read_ads
from condor_py.cli.common import check_pool, handle_help_and_version
from condor_py.cli.options import Args, parse
from condor_py.cli.output import ads as forms
from condor_py.cli.output.autoformat import add_autoformat, add_columns, first_bad
from condor_py.cli.output.mask import Mask
from condor_py.cli.output.printformat import PrintFormat, read_print_format
from condor_py.cli.output.terminal import display_width
from condor_py.cli.status.compact import Row, fold_rows
from condor_py.cli.status.displays import COMPACT_DISPLAYS, DISPLAYS, Display, activity, slot_count_tag, slots
from condor_py.cli.status.modes import Chosen, Style, choose
from condor_py.cli.status.select import BadConstraint, constraints, ordered, select, sort_key
from condor_py.cli.status.spec import SPEC, SPECS
from condor_py.cli.status.totals import Totals
from condor_py.client.lockfile import lock_holder
from condor_py.lang.classad import quote_string
from condor_py.lang.classad.ad import ClassAd
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError
from condor_py.model.texts import as_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from condor_py.client.pool import Pool


__all__ = ["SPECS", "main"]


# Where condor_status's ads come from: what this pool's daemons have published, or a file.

#: Kinds whose ads the startd publishes; the others are files of their own.
_STARTD_KINDS = ("SLOTS", "STARTD")
_DAEMON_AD = "startd"
#: What MyType says in a file of mixed ads.
_TYPES = {
    "SCHEDD": "scheduler",
    "SUBMITTERS": "submitter",
    "MASTER": "daemonmaster",
    "NEGOTIATOR": "negotiator",
    "ACCOUNTING": "accounting",
    "COLLECTOR": "collector",
    "STARTD": _DAEMON_AD,
}


class NothingPublished(CondorError):
    """No daemon has published anything."""


def read(args: Args, kind: str, my_type: str, pool: Pool) -> list[ClassAd]:
    """Return the published ads of a kind. Raises CondorError when nothing is published at all."""
    from condor_py.store.ad_store import AdStore

    check_pool(args, pool)
    if args.has("direct") and kind in _STARTD_KINDS:
        pool.freshen()
    store = AdStore(pool.paths.ads)
    kinds = store.kinds()
    if kinds in ([], ["ACCOUNTING"]) or _was_killed(pool):  # the negotiator's records outlive a pool that was stopped
        extra = "" if args.has("expert") else f"No daemon has published anything in {store.directory}: is it running?"
        from condor_py.cli.idle_pool import with_remedy

        raise NothingPublished(with_remedy(f"Error: communication error\n{extra}", pool))
    if kind in ("ANY", ""):
        return _of_kind([ad for each in [*kinds, "COLLECTOR"] for ad in pool.ads(each)], kind, my_type)
    if kind == "COLLECTOR":
        return pool.ads(kind)
    if args.has("absent") and kind in _STARTD_KINDS:
        return _of_kind(pool.ads("STARTD", absent=True), kind, my_type)
    name = "STARTD" if kind in _STARTD_KINDS else kind
    others = "ADVERTISED" in kinds  # what programs advertised, such as machines that sleep
    return _of_kind(pool.ads(name) if others else store.read(name), kind, my_type)


def _was_killed(pool: Pool) -> bool:
    """Whether every daemon that there was is gone without a word: what they published is not true any more."""
    try:
        names = os.listdir(pool.paths.lock)
    except OSError:
        names = []
    locks = [f"{pool.paths.lock}/{name}" for name in names if name.endswith(".lock") and name[0] != "."]
    locks.append(pool.paths.daemon_lock("MASTER"))
    locks = [path for path in locks if os.path.exists(path)]
    return bool(locks) and not any(lock_holder(path) for path in locks)


def check_direct(args: Args, name: str, pool: Pool) -> None:
    """Refuse a ``-direct`` that names no daemon of this machine. Raises CondorError."""
    host = pool.settings.host.lower()
    wanted = name.lower()
    known = {host, host.partition(".")[0], "localhost", pool.schedd_name.lower(), pool.settings.startd_name.lower()}
    if wanted in known or wanted in {ad.eval_str("Name", "").lower() for ad in pool.ads("STARTD")}:
        return
    daemon = "schedd" if args.has("schedd") or args.has("submitters") else "startd"
    reason = f"Can't find address for {daemon} {name}" if "@" in name else f"unknown host {name}"
    raise CondorError(f"Error: Failed to locate {daemon} {name}\n{reason}")


def _of_kind(ads: list[ClassAd], kind: str, my_type: str) -> list[ClassAd]:
    """Return the ads of a kind; ads without MyType count as slots."""
    if kind == "ANY":
        return ads
    if kind == "SLOTS":
        return [ad for ad in ads if _type(ad) in ("machine", "slot", "")]
    wanted = (my_type or _TYPES.get(kind, kind)).lower()
    return [ad for ad in ads if _type(ad) == wanted]


def _type(ad: ClassAd) -> str:
    return ad.eval_str("MyType", "").lower()


# condor_status -group-by: which of the ads say the same of some attributes.


def words(texts: Iterable[str]) -> list[str]:
    """Return the names in lists that commas or spaces separate."""
    return [word for text in texts for word in text.replace(",", " ").split()]


def grouped(found: Iterable[ClassAd], names: Sequence[str]) -> str:
    """For each group an ad with what its members say of ``names``, how many they are, and their own names. Expressions
    are compared as they are written."""
    groups: dict[tuple[str | None, ...], list[str]] = {}
    for ad in found:
        member = ad.eval_str("Name") or ad.eval_str("Machine") or "?"
        groups.setdefault(tuple([ad.text(name) for name in names]), []).append(member)
    return "".join(_ad(number, names, *group) + "\n" for number, group in enumerate(groups.items(), 1))


def _ad(number: int, names: Sequence[str], values: tuple[str | None, ...], members: list[str]) -> str:
    own = {"Id": str(number), "Count": str(len(members)), "Members": quote_string(" ".join(members))}
    shown = {name: text for name, text in zip(names, values, strict=True) if text is not None}
    lines = sorted((own | shown).items(), key=lambda item: item[0].lower())
    return "".join(f"{name} = {text}\n" for name, text in lines)


#: Print-format names of this tool.
_RENDERERS: dict[str, tuple[Any, str | None]] = {
    "ACTIVITY_OR_OCU": (activity, None),
    "SLOT_COUNT_TAG": (slot_count_tag, None),
}
_MIN_NAME = 12
#: From so many columns on -wide:N is as wide as -wide.
_WIDE_FROM = 100


def main(argv: list[str]) -> int:
    """Run condor_status."""
    args = parse(SPEC, argv)
    if handle_help_and_version(args):
        return 0
    chosen = choose(args)
    display = _display(chosen)
    chosen_format = _print_format(args) if args.has("print-format") else None
    if chosen_format is not None and chosen_format.where:
        display = changed(display, where=chosen_format.where)
    elif chosen.style in (Style.CUSTOM, Style.LONG):
        unasked = args.has("ads") and chosen.style is Style.LONG  # a file is not queried
        display = changed(display, where="" if unasked else _mode_where(chosen))
    if args.has("diagnose"):
        from condor_py.cli.status.diagnose import diagnosis

        found_out = diagnosis(args, chosen, display, argv)
        sys.stdout.write(found_out.out)
        sys.stderr.write(found_out.err)
        return 1
    _target(args)
    pool = None
    if not args.has("ads") or args.has("direct"):
        from condor_py.client.pool import open_pool

        pool = open_pool()
    try:
        found = _find(args, chosen, display, pool)
    except BadConstraint as error:
        if not args.has("ads"):
            if sys.stderr.isatty():  # HTCondor does not say which
                sys.stderr.write(f"condor_status: the constraint ( {error.text} ) cannot be parsed\n")
            raise
        sys.stderr.write(f"Invalid constraint expression : ( ({error.text}) )\n")
        return 0
    except NoAdFile as error:
        sys.stderr.write(f"{error}\n")  # with status 0, as HTCondor
        return 0
    if args.has("merge"):
        sys.stdout.write(_merged(args, chosen, display, found, chosen_format))
    else:
        sys.stdout.write(_shown(args, chosen, display, found, chosen_format))
    if args.has("group-by"):
        sys.stdout.write(grouped(found, words(args.texts("attributes")) or words(args.texts("group-by"))))
    if pool is not None and sys.stderr.isatty() and not args.has("ads"):
        sys.stderr.write(f"\n-- Pool: {pool.paths.local_dir}\n")  # an account may see the machine's or its own
    return 0


def _merged(
    args: Args, chosen: Chosen, display: Display, found: list[ClassAd], chosen_format: PrintFormat | None
) -> str:
    """-merge: the ads found and those of a file, by where they are; the same sort key makes two ads the same."""
    path = args.text("merge", "")
    try:
        of_file = read_ads(path, "long")
    except NoAdFile as error:
        sys.stderr.write(f"{error}\n")
        of_file = []
    theirs = {sort_key(ad, args): ad for ad in ordered(of_file, args, chosen.compact)}
    ours = {sort_key(ad, args) for ad in found}
    groups = (
        ("only in the query", [ad for ad in found if sort_key(ad, args) not in theirs]),
        (f"in both the query and in '{path}'", [ad for ad in found if sort_key(ad, args) in theirs]),
        (f"only in '{path}'", [ad for key, ad in theirs.items() if key not in ours]),
    )
    text = ""
    for where, ads in groups:
        if ads:
            gap = "\n" if text and groups[1][1] else ""  # as HTCondor: around what is in both
            shown = _shown(args, chosen, display, ads, chosen_format)
            text += f"{gap}The following ads were found {where}:\n{shown}"
    return text


def _display(chosen: Chosen) -> Display:
    table = COMPACT_DISPLAYS if chosen.compact else DISPLAYS
    return table.get(chosen.style) or DISPLAYS.get(chosen.style) or Display(list)


def _mode_where(chosen: Chosen) -> str:
    """Return the constraint of a mode for -long and -af, which do not use its table and its constraint."""
    mode = chosen.mode
    if mode is None or chosen.name not in ("gpus", "broken", "startd-broken"):
        return ""
    return DISPLAYS[mode.style].where


def _find(args: Args, chosen: Chosen, display: Display, pool: Pool | None) -> list[ClassAd]:
    """Return the selected ads in order; from a file ads of every kind, as in HTCondor."""
    kind, my_type = (chosen.mode.kind, chosen.mode.my_type) if chosen.mode is not None else ("SLOTS", "")
    direct, path = args.text("direct"), args.text("ads")
    if pool is not None and direct is not None:
        check_direct(args, direct, pool)
    if path is not None:
        ads = read_ads(path, args.colon("ads") or "long")
    else:
        assert pool is not None
        ads = read(args, kind, my_type, pool)
    known = [name for ad in ads for name in (ad.eval_str("Name"), ad.eval_str("Machine")) if name]
    wanted = constraints(args, chosen, display.where, known)
    found = select(ads, wanted, args.number("limit"))
    return ordered(found, args, chosen.compact)


def _shown(
    args: Args, chosen: Chosen, display: Display, found: list[ClassAd], chosen_format: PrintFormat | None
) -> str:
    shaped = chosen.style in (Style.LONG, Style.CUSTOM) or args.has("totals")
    if args.has("aaf") and shaped and chosen_format is None:
        raise CondorError("Error: output formatting options conflict with -aaf options")
    if chosen.compact and chosen.style in (Style.LONG, Style.CUSTOM):
        found = [row.ad for row in fold_rows([Row(Mask(), ad) for ad in found])]
    if args.has("totals") and chosen.style is Style.LONG:
        return _whole_ads(args, [])
    if args.has("totals") and chosen.style is not Style.CUSTOM:
        if chosen.compact:
            sys.stderr.write("Warning: ignoring -compact option because -total option is also set\n")
        return _only_totals(args, chosen, found)
    if chosen.style is Style.LONG:
        return _whole_ads(args, found)
    if chosen_format is not None:
        return _by_print_format(args, chosen_format, found)
    if chosen.style is Style.CUSTOM:
        return _custom(args, chosen, found)
    return _table(args, chosen, display, found) if found else ""


def _whole_ads(args: Args, found: list[ClassAd]) -> str:
    use = args.last("long", "xml", "json", "toml")
    form, in_order = forms.form_of(args.colon("long"))
    if use is not None and use.name != "long":
        form = use.name
    attributes = words(args.texts("attributes")) or None
    return "".join(forms.write_ads(found, form, attributes, in_order, forms.STATUS_FRAMES))


def _table(args: Args, chosen: Chosen, display: Display, found: list[ClassAd]) -> str:
    wide = _is_wide(args)
    if chosen.style is Style.SLOTS and not chosen.compact:
        columns = slots(wide or (display_width() or 0) > _WIDE_FROM)
    else:
        columns = display.columns()
    mask = Mask(columns)
    totals = Totals(chosen.style, chosen.compact)
    if args.has("aaf"):
        _append_columns(args, mask)
        wide = True
    if chosen.style is Style.GRID:
        mask.columns[0].auto = wide  # the name
    width = _width(args)
    if chosen.compact:
        for ad in found:
            totals.add_compact(ad)
        folded = fold_rows([Row(mask, ad) for ad in found])
        mask.max_width = None if width is None else width - 1
        heading = mask.heading()
        lines = [row.text() for row in folded]
    else:
        for ad in found:
            totals.add(ad)
        cells = [(mask.cells(ad), ad) for ad in found]
        rows = [row for row, ad in cells if not _unremarkable(args, chosen, ad)]
        _fit_name(mask, display, width, wide)
        heading = mask.heading()
        lines = [mask.row(cells) for cells in rows]
    fit = wide or chosen.style is Style.SUBMITTERS
    return heading + "\n" + "".join(lines) + totals.text(fit)


def _unremarkable(args: Args, chosen: Chosen, ad: ClassAd) -> bool:
    """-healthy leaves out what is healthy and what says nothing about its health."""
    if chosen.name not in ("startd-health", "slot-health") or (args.colon("healthy") or "").startswith("v"):
        return False
    if ad.has("BrokenReasons") or ad.has("SlotBrokenReason"):
        return False
    healthy = ad.eval_bool("Healthy")
    return not ad.has("HealthExprs") if healthy is None else healthy


def _width(args: Args) -> int | None:
    """The width to cut at: -wide:N or the terminal; None for none."""
    if not args.has("wide"):
        return display_width()
    numbers = [as_integer(use.colon) for use in args.all("wide") if use.colon is not None and use.colon.isdecimal()]
    return numbers[-1] if numbers else None


def _is_wide(args: Args) -> bool:
    """-wide, but -wide:N only beyond 100 columns."""
    if not args.has("wide"):
        return False
    numbers = [as_integer(use.colon) for use in args.all("wide") if use.colon is not None and use.colon.isdecimal()]
    return not numbers or numbers[-1] > _WIDE_FROM


def _fit_name(mask: Mask, display: Display, width: int | None, wide: bool) -> None:
    """On a terminal the Name column gives way before rows are cut."""
    if width is None:
        return
    mask.max_width = width - 1
    if wide:
        return
    name = next((column for column in mask.columns if column.heading == "Name"), None)
    if not display.fixed or name is None:
        return
    machine = next((column.width for column in mask.columns if column.heading == "Machine"), 0)
    missing = display.fixed + name.width + machine - (width - 1)
    if missing > 0:
        name.width = max(_MIN_NAME, name.width - missing)
        name.auto, name.truncate = False, True


def _only_totals(args: Args, chosen: Chosen, found: list[ClassAd]) -> str:
    style = chosen.mode.style if chosen.style in (Style.CUSTOM, Style.LONG) and chosen.mode else chosen.style
    totals = Totals(style, False)
    for ad in found:
        totals.add(ad)
    return totals.text(_is_wide(args) or style is Style.SUBMITTERS) if found else ""


def _custom(args: Args, chosen: Chosen, found: list[ClassAd]) -> str:
    """-af and -format; nothing at all without an ad."""
    mask = Mask()
    add_columns(mask, args.uses, "Error:  Parse error of: ")
    if not found and not args.has("ads"):
        return ""
    target = _target(args)
    cells = [(mask.cells(ad, target), ad) for ad in found]
    rows = [row for row, ad in cells if not _unremarkable(args, chosen, ad)]
    heading = mask.heading() if mask.has_headings() and not args.has("totals") else ""
    return heading + "".join(mask.row(cells) for cells in rows)


def _target(args: Args) -> ClassAd | None:
    path = args.text("target")
    if path is None:
        return None
    try:
        return next(iter(read_ads(path, "long")), None)
    except CondorError:
        raise CondorError(f"Cannot open file {path}: errno: 2") from None


def _append_columns(args: Args, mask: Mask) -> None:
    for use in args.all("aaf"):
        if not add_autoformat(mask, use.values, use.colon, append=True):
            raise CondorError(f"Error:  Parse error of: {first_bad(use.values)}")


def _print_format(args: Args) -> PrintFormat:
    path = args.text("print-format", "")
    chosen = read_print_format(path, _RENDERERS, width_is_format=False)
    if chosen.aggregate:
        raise CondorError(f"print-format aggregation not supported\nError: invalid select file {path}")
    _append_columns(args, chosen.mask)
    add_columns(chosen.mask, args.uses, "Error:  Parse error of: ")
    return chosen


def _by_print_format(args: Args, form: PrintFormat, found: list[ClassAd]) -> str:
    mask = form.mask
    width = _width(args)
    mask.max_width = None if width is None else width - 1
    if not found:
        return ""
    rows = [mask.cells(ad) for ad in found]
    text = mask.heading() if form.header and mask.has_headings() else ""
    text += "".join(mask.row(cells) for cells in rows)
    return text
