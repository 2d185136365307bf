"""condor_q: reads the command line, finds the jobs, shows them."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.idle_pool import say_when_nothing_runs
from condor_py.cli.options import Args, parse
from condor_py.cli.output.terminal import display_width
from condor_py.cli.q import batch, quick
from condor_py.cli.q.request import Request, describe, referenced, understand
from condor_py.cli.q.source import (
    BadConstraint,
    Source,
    aggregated,
    factory_constraints,
    is_offline,
    job_key,
    open_source,
    saved_key,
    select,
    server_time,
)
from condor_py.cli.q.spec import SPEC, SPECS
from condor_py.cli.q.totals import Totals, footer
from condor_py.client.progress import ticking
from condor_py.lang.classad.ad import ClassAd
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError
from condor_py.model.ids import grouped
from condor_py.model.later import Later
from condor_py.model.states import JobStatus
from condor_py.store.adlog import collector_paused

TYPE_CHECKING = False


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from condor_py.cli.output import ads as forms
    from condor_py.cli.output import autoformat, printformat
    from condor_py.cli.output import mask as masks
    from condor_py.cli.output.mask import Mask
    from condor_py.cli.output.printformat import PrintFormat
    from condor_py.cli.q import columns, jobs, long
    from condor_py.cli.q.columns import Clock
    from condor_py.client.pool import Pool
    from condor_py.client.queue_view import Groups
else:
    autoformat, forms, masks, printformat = (
        Later(f"condor_py.cli.output.{name}") for name in ("autoformat", "ads", "mask", "printformat")
    )
    columns, jobs, long = (Later(f"condor_py.cli.q.{name}") for name in ("columns", "jobs", "long"))

__all__ = ["SPECS", "main"]

#: Options whose output is for a program.
_FOR_PROGRAMS = ("xml", "toml", "json", "jsonl")


def main(argv: list[str]) -> int:
    """Run condor_q."""
    args = parse(SPEC, argv)
    if handle_help_and_version(args):
        return 0
    if args.has("plot"):
        return _draw(args)
    pool = _pool(args)
    batched = pool is None or pool.config.boolean("CONDOR_Q_DASH_BATCH_IS_DEFAULT")
    request = understand(args, batch_is_default=batched)
    if pool is not None and not pool.config.boolean("CONDOR_Q_ONLY_MY_JOBS"):
        request = changed(request, my_jobs=False)
    chosen = _print_format(args) if request.display == "print-format" else None
    with ticking("condor_q: reading the queue", quiet=any(map(args.has, _FOR_PROGRAMS))):
        source = open_source(args, pool)
    if request.asks_for_autoclusters and source.view is not None:
        source.number_autoclusters()
    with collector_paused(source.online):
        code = _answer(request, source, chosen)
    if pool is not None:
        say_when_nothing_runs(pool)
        _say_what_waits_in_vain(request, source)
        _name_what_is_not_there(request, source)
    return code


def _draw(args: Args) -> int:
    """Draw the jobs that are named, with what the history knows of them."""
    jobs = args.positional
    are_ids = all(part.isascii() and part.isdigit() for word in jobs for part in word.split(".", 1))
    if not jobs or not are_ids or any(use.name not in ("", "plot") for use in args.uses):
        raise CondorError("condor_q: -plot takes numbers of jobs or clusters and no other option: condor_q 12.0 -plot")
    from condor_py.cli.history import main as history

    return history([*jobs, "-plot"])


def _name_what_is_not_there(request: Request, source: Source) -> None:
    """On a terminal, below the table: jobs and users of the command line that the queue and the machine do not know."""
    if source.view is None or not (sys.stdout.isatty() and sys.stderr.isatty()):
        return
    from condor_py.cli.suggest import hint_at_absent

    jobs = [f"{cluster}" if proc is None else f"{cluster}.{proc}" for cluster, proc in request.ids]
    hint_at_absent(source.view, [*jobs, *request.users])


def _say_what_waits_in_vain(request: Request, source: Source) -> None:
    """On a terminal, below the table: the jobs that this pool cannot run."""
    if request.display not in ("batch", "jobs") or not (sys.stdout.isatty() and sys.stderr.isatty()):
        return
    from condor_py.cli.waiting.terminal import waiting_in_vain

    sys.stdout.flush()
    sys.stderr.write(waiting_in_vain(source))


def _answer(request: Request, source: Source, chosen: PrintFormat | None) -> int:
    args = request.args
    if chosen is None:
        groups = quick.groups_of(request, source, mine=_mine_only(request, source))
        if groups is not None:
            sys.stdout.writelines(_shown_quickly(request, source, groups))
            return 0
    try:
        with ticking("condor_q: selecting jobs", quiet=any(map(args.has, _FOR_PROGRAMS))):
            found = _find(request, source, chosen)
    except BadConstraint as error:
        if not source.online:
            raise
        sys.stderr.write(f"\n-- Failed to fetch ads from: {source.address}\n\n")
        if sys.stderr.isatty():  # HTCondor does not say why
            sys.stderr.write(f"{error}\n")
        return 1
    if args.has("dry-run"):
        sys.stderr.write(f"\ncondor_q {request.display}\n{describe(request)}")
        if request.display != "analyze" or source.online:  # a file is analyzed all the same
            found = []
    if args.has("capture-raw-results"):
        _capture(args.colon("capture-raw-results") or "-", found)
    sys.stdout.write(_shown(request, source, found, chosen))
    return 0


def _shown_quickly(request: Request, source: Source, groups: Groups) -> Iterator[str]:
    """The output about jobs whose ads need not all be read."""
    if request.display == "why":
        yield _why(request, source, groups)
        return
    if request.display == "long":
        ads = source.each(groups)
        if request.form == forms.LONG:
            yield from long.texts(ads, "sorted" if request.ordered else "storage", request.attributes)
        else:
            yield from forms.write_ads(ads, request.form, request.attributes, request.ordered)
        return
    if request.display == "custom":
        mask = _custom_mask(request.args)
        if mask is not None:
            texts = quick.custom(mask, source, groups)
            if mask.has_headings():
                yield next(texts)
            yield from _trimmed(request.args, texts)
        return
    yield source.title()
    blank = request.display != "totals"
    if request.display == "batch":
        folded = quick.folded(source, groups, request.partial)
        yield batch.table(folded, request.filler, _width(request), keep_hold=False)
    elif request.display == "jobs":
        appended = masks.Mask()
        _append_columns(request.args, appended)
        clock = _clock(request, source)
        mask = jobs.job_mask(columns.DISPLAYS["jobs"], clock, appended.columns)
        yield from quick.table(mask, clock, source, groups, _width(request))
    yield _totals(request, source, source.totals(groups), blank_before=blank)


def _capture(path: str, found: list[ClassAd]) -> None:
    """``-capture-raw-results``: the ads that the query found, as they are."""
    text = "".join(forms.write_ads(found, forms.LONG, None, False))
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        with open(path.lstrip("+"), "a" if path.startswith("+") else "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise CondorError(f"Error: cannot write {path.lstrip('+')}: {error.strerror}") from error


def _pool(args: Args) -> Pool | None:
    """The pool, unless jobs come from a file."""
    if is_offline(args):
        return None
    from condor_py.client.pool import open_pool

    return open_pool()


def _find(request: Request, source: Source, chosen: PrintFormat | None) -> list[ClassAd]:
    """The jobs to show, in job id order; ``-limit`` keeps the newest."""
    extra = [chosen.where] if chosen is not None and chosen.where else []
    display = columns.DISPLAYS.get(request.display)
    if display is not None and display.constraint:
        extra.append(display.constraint)
    if request.rows in ("autocluster", "group-by"):
        return aggregated(request, source, extra, _group_names(request, chosen))
    if request.rows == "jobsets":
        return _job_sets(request, source)
    jobs = source.own_jobs() if _mine_only(request, source) else source.jobs
    if request.rows == "clusters":
        jobs = source.factories()
        if _mine_only(request, source):
            jobs = [ad for ad in jobs if ad.eval_str("Owner") == source.owner]
        extra += factory_constraints(request.args)
    found = sorted(select(jobs, request, extra), key=job_key if source.online else saved_key)
    if request.args.has("unmatchable") and request.display != "analyze":
        from condor_py.cli.q.analysis.report import unmatchable

        found = unmatchable(request, source, found)
    if not source.online:
        source.now = server_time(found)
    if request.rows == "totals":
        return [_summary(request, source, found)]
    if request.limit is not None and source.online:
        found = found[-request.limit :]
    return found


def _job_sets(request: Request, source: Source) -> list[ClassAd]:
    from condor_py.core.jobs.jobsets import job_sets

    if source.pool is None or not source.pool.config.boolean("USE_JOBSETS"):
        return []
    return select(job_sets(source.own_jobs() if _mine_only(request, source) else source.jobs), request)


def _summary(request: Request, source: Source, found: list[ClassAd]) -> ClassAd:
    """The ad of ``-totals -long`` and ``-totals -af``."""
    from condor_py.client.aggregates import summary

    mine = (source.user, source.own_jobs()) if _mine_only(request, source) else None
    return summary(found, source.jobs if source.online else found, mine, source.now)


def _group_names(request: Request, chosen: PrintFormat | None) -> list[str]:
    """The attributes that ``-group-by`` groups by: those that the command line or the print format names."""
    from condor_py.client.aggregates import COUNTED

    names = list(request.attributes or ())
    if chosen is not None:
        names += referenced(column.source for column in chosen.mask.columns)
    counted = {name.lower() for name in COUNTED}
    return [name for name in names if name.lower() not in counted]


def _mine_only(request: Request, source: Source) -> bool:
    return request.my_jobs and source.online and not source.superuser


def _shown(request: Request, source: Source, found: list[ClassAd], chosen: PrintFormat | None) -> str:
    if request.display == "long":
        attributes = request.attributes if request.rows in ("jobs", "clusters") else None
        return "".join(forms.write_ads(found, request.form, attributes, request.ordered))
    if request.display == "custom":
        return _custom(request.args, found) + ("\n" if request.rows == "totals" else "")
    if request.display == "analyze":
        from condor_py.cli.q.analysis.report import analysis

        return f"\n\n-- {source.saved_title or source.label}\n" + analysis(request, source, found)
    if request.display == "why":
        return _why(request, source, grouped(map(job_key, found)))
    if request.display == "forecast":
        from condor_py.cli.q.forecast import forecast_text

        seconds = request.args.colon("forecast")
        return source.title() + forecast_text(source.pool, source.jobs, found, seconds)
    if chosen is not None:
        return _by_print_format(request, source, found, chosen)
    if request.display == "totals":
        return source.title() + _footer(request, source, found, blank_before=False)
    return source.title() + _table(request, source, found) + _dag_notes(request, found)


def _why(request: Request, source: Source, groups: Groups) -> str:
    """``-why``: what jobs wait for."""
    from condor_py.cli.q.why import why_text

    return why_text(source, groups, as_json=request.args.has("json"), each=bool(request.ids), width=_width(request))


def _dag_notes(request: Request, found: list[ClassAd]) -> str:
    """Return why nodes failed and others are held (ours). In a pipe only with -verbose, so that programs that read
    HTCondor's table can read ours.
    """
    if not request.args.has("dag") or not (sys.stdout.isatty() or request.args.has("verbose")):
        return ""
    failed: list[str] = []
    held: list[ClassAd] = []
    for ad in found:
        failed += _failed(ad)
        if ad.has("DAGManJobId") and ad.eval_int("JobStatus") == JobStatus.HELD:
            held.append(ad)
    lines = ["", "Failed nodes:", *failed] if failed else []
    if held:
        lines += ["", "Held nodes:", *(_held(ad) for ad in held[:_MOST_HELD])]
        if len(held) > _MOST_HELD:
            lines.append(f"  and {len(held) - _MOST_HELD} more: condor_q -hold")
    return "".join(f"{line}\n" for line in lines)


def _table(request: Request, source: Source, found: list[ClassAd]) -> str:
    width = _width(request)
    if request.args.has("dag"):
        nameless = sum(ad.has("DAGManJobId") and not ad.has("DAGNodeName") for ad in found)
        sys.stderr.write("DAG node job with no DAGNodeName attribute!\n" * nameless)
    if request.display == "batch":
        folded = batch.fold(found, request.partial, by_node=request.args.has("dag"))
        keep_hold = request.args.has("global")
        text = batch.table(folded, request.filler, width, keep_hold=keep_hold)
        return text + _footer(request, source, found, blank_before=True)
    clock = _clock(request, source)
    name = request.display
    display = columns.DISPLAYS[name] if name != "group-by" else columns.grouped(_group_names(request, None))
    mask = masks.Mask()
    _append_columns(request.args, mask)
    if name in ("hold-codes", "dag") or (name == "hold" and request.args.has("dag")):
        text = _grouped_table(name, clock, found, width)
    else:
        text = jobs.job_table(display, clock, found, width, mask.columns)
    return text + (_footer(request, source, found, blank_before=True) if display.totals else "")


def _grouped_table(name: str, clock: Clock, found: list[ClassAd], width: int | None) -> str:
    mask = masks.Mask(columns.DISPLAYS[name].columns(clock))
    mask.max_width = None if width is None else width - 1
    if name == "hold-codes":
        return mask.heading() + jobs.rows_text(mask, jobs.hold_code_rows(mask, found))
    tree = name == "dag"
    rows = jobs.under_parents(found, mask, jobs.OWNER_WIDTH if tree and clock.cpu else None)
    jobs.fit_standard(mask, clock, found, width, tree=tree)
    return mask.heading() + jobs.rows_text(mask, rows)


def _clock(request: Request, source: Source) -> Clock:
    args = request.args
    return columns.Clock(
        source.now,
        cpu=args.has("cputime"),
        cumulative=args.has("cumulative-time"),
        schedd_host=source.schedd_host,
    )


def _footer(request: Request, source: Source, found: Sequence[ClassAd], *, blank_before: bool) -> str:
    return _totals(request, source, Totals().add_all(found), blank_before=blank_before)


def _totals(request: Request, source: Source, query: Totals, *, blank_before: bool) -> str:
    if source.old_summary:
        return f"\n{query.text()}\n\n"
    if not source.online:
        return footer(query, None, None, blank_before=blank_before)
    mine = (source.user, source.mine()) if _mine_only(request, source) else None
    return footer(query, mine, source.everyone(), blank_before=blank_before)


def _width(request: Request) -> int | None:
    """The width to cut at: of ``-wide:N`` or the terminal; None for none. Reasons of holds are never cut."""
    if request.width is not None:
        return request.width or None
    uncut = request.args.has("aaf") or request.display in ("hold", "hold-codes")
    return None if uncut else display_width()


def _custom(args: Args, found: list[ClassAd]) -> str:
    """``-af`` and ``-format``; nothing at all when an expression does not parse."""
    mask = _custom_mask(args)
    if mask is None:
        return ""
    if args.has("dag"):
        found = jobs.in_tree_order(found)
    rows = [mask.cells(ad) for ad in found]
    heading = mask.heading() if mask.has_headings() else ""
    return heading + "".join(_trimmed(args, map(mask.row, rows)))


def _trimmed(args: Args, rows: Iterable[str]) -> Iterator[str]:
    """Yield rows of ``-af`` and ``-format``; lines that ``-wide`` leaves whole have no blanks at their ends either."""
    if not args.has("wide") or args.colon("wide"):
        yield from rows
        return
    yield "\n".join(line.rstrip(" \t") for line in "".join(rows).split("\n"))


def _custom_mask(args: Args) -> Mask | None:
    """The columns of ``-af`` and ``-format``; None when an expression does not parse."""
    mask = masks.Mask()
    return mask if _add_custom(args, mask) else None


def _add_custom(args: Args, mask: Mask) -> bool:
    """Add the columns of ``-af`` and ``-format``; False when an expression does not parse."""
    try:
        autoformat.add_columns(mask, args.uses)
    except CondorError:
        return False
    return True


def _append_columns(args: Args, mask: Mask) -> None:
    for use in args.all("aaf"):
        refused = (use.colon or "").lstrip("VrTY")
        if refused:
            raise CondorError(
                f"Error: {refused} is invalid -aaf format qualifier. only one of V,r,T, or Y is permitted."
            )
        if not autoformat.add_autoformat(mask, use.values, use.colon, append=True):
            raise CondorError(f"Error: -aaf: {' '.join(use.values)} is not a list of expressions")


def _print_format(args: Args) -> PrintFormat:
    chosen = printformat.read_print_format(args.text("print-format", ""), columns.Clock(0).renderers())
    _append_columns(args, chosen.mask)
    if args.has("autoformat") or args.has("format"):
        _add_custom(args, chosen.mask)
        chosen.title, chosen.summary = False, "none"
    return chosen


def _by_print_format(request: Request, source: Source, found: list[ClassAd], chosen: PrintFormat) -> str:
    mask = chosen.mask
    width = _width(request)
    mask.max_width = None if width is None else width - 1
    ads = found
    if chosen.aggregate == "autocluster" and request.rows == "jobs":
        from condor_py.client.aggregates import autoclusters

        ads = autoclusters(found)
    if chosen.group_by:
        ads = sorted(ads, key=lambda ad: _group_key(ad, chosen.group_by))
    rows = [mask.cells(ad) for ad in ads]
    if chosen.aggregate == "unique":
        rows = _distinct(rows)
    text = source.title() if chosen.title else ""
    if chosen.header and mask.has_headings():
        text += mask.heading()
    text += "".join(map(mask.row, rows))
    if chosen.summary == "standard":
        text += _footer(request, source, found, blank_before=True)
    return text


def _group_key(ad: ClassAd, expressions: list[str]) -> list[str]:
    from condor_py.cli.output.values import source_of, value_text

    return [value_text(ad.raw(source_of(expression))) for expression in expressions]


def _distinct(rows: list[list[object]]) -> list[list[object]]:
    seen: set[tuple[str, ...]] = set()
    kept = []
    for row in rows:
        key = tuple(repr(cell) for cell in row)
        if key not in seen:
            seen.add(key)
            kept.append(row)
    return kept


_MOST_HELD = 10


def _failed(ad: ClassAd) -> Iterator[str]:
    """Yield lines on the failed nodes in the ad of a condor_dagman."""
    if not ad.has("DAG_FailedNodes"):
        return
    stories = ad.eval("DAG_FailedNodes")
    for story in stories if isinstance(stories, list) else ():
        if isinstance(story, ClassAd):
            node, reason, submit, place = (
                story.eval_str(name) or "?" for name in ("Node", "Reason", "Submit", "Place")
            )
            yield f"  {ad.eval_int('ClusterId', 0)} {node}: {reason}"
            yield f"      submitted from {submit}, node of {place}"
            tail = story.eval("Tail") if story.has("Tail") else ()
            if isinstance(tail, list):
                yield from (f"      | {line}" for line in tail if isinstance(line, str))


def _held(ad: ClassAd) -> str:
    job = f"{ad.eval_int('ClusterId', 0)}.{ad.eval_int('ProcId', 0)}"
    where = f" ({file})" if (file := ad.eval_str("JobSubmitFile")) else ""
    node = f"{ad.eval_int('DAGManJobId', 0)} {ad.eval_str('DAGNodeName') or '?'}"
    return f"  {node} {job}{where}: {ad.eval_str('HoldReason') or ''}"
