"""condor_prio: changes the priority of jobs."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, UsageError, parse
from condor_py.cli.suggest import hint, hint_at_absent
from condor_py.client.progress import ticking
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.unparse import quote_string
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId

if TYPE_CHECKING:
    from condor_py.client.elsewhere import OtherSchedd
    from condor_py.client.pool import Pool
    from condor_py.client.queue_view import QueueView
    from condor_py.model.selection import Selection

_SUCCESS = 1
_USAGE = (
    "[{+|-}priority ] [-p priority] [ -a ] [-n schedd_name] [ -pool pool_name ] "
    "[user | cluster | cluster.proc | -a] ..."
)


def _priority_of(text: str) -> int:
    """Convert a priority. ValueError for what is no whole number of 32 bits, which is what HTCondor keeps."""
    if abs(number := int(text)) >= 1 << 31:
        raise ValueError(text)
    return number


_SPEC = ToolSpec(
    name="condor_prio",
    usage=_USAGE,
    summary="Change the priority of jobs.",
    positional="USER | CLUSTER | CLUSTER.PROC",
    positional_help="whose priority to change; +N or -N raises or lowers it",
    description=(
        "A job with a higher priority is started before your other jobs. -p sets it, +N and -N change it by N. "
        "Success prints nothing."
    ),
    options=(
        Opt(
            "p",
            EXACT,
            "N",
            "the new priority",
            convert=_priority_of,
            dash_value=True,
            invalid="condor_prio: -p needs a whole number, not {value}",
        ),
        Opt("pool", EXACT, "HOST", "with -n: the pool of that schedd"),
        Opt("n", EXACT, "NAME", "the schedd to ask"),
        Opt("a", EXACT, help="all jobs"),
        Opt("version", EXACT, help="the version and the platform"),
        Opt("help", EXACT, help="this text"),
    ),
    examples=(("condor_prio -p 5 25.0", "job 25.0 goes before jobs of priority 0"),),
    exit_status="0; 1 when a job could not be changed (stderr says why) or the command line is wrong. A job that does "
    "not exist is only named.",
    unknown="You must specify a new priority or priority adjustment.",
    numbers=True,
    see_also=("condor_q", "condor_qedit"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_prio."""
    # Whatever begins with -a means -a.
    args = parse(_SPEC, ["-a" if arg.startswith("-a") else arg for arg in argv])
    if args.has("help") or args.has("version"):
        from condor_py.cli.common import handle_help_and_version

        handle_help_and_version(args)
        return 0
    if not argv:
        raise _usage("")
    targets, step = _targets(args)
    value = args.number("p")
    if value is None and step is None:
        signed = [word for word in targets if word[:1] in "+-"]
        raise _usage("You must specify a new priority or priority adjustment.\n", " ".join(signed))
    if not targets and not args.has("a"):
        hint("condor_prio: no job is named: give job ids, clusters or users, or -a for all jobs")
    from condor_py.cli.common import check_place, elsewhere
    from condor_py.client.pool import open_pool

    pool = open_pool()
    if args.has("pool") and not args.has("n"):
        raise CondorError("condor_prio: -pool also requires -n to be specified")
    if (other := elsewhere(args, pool, "n")) is not None:
        return 0 if _change_elsewhere(other, targets, args.has("a"), value, step) else 1
    check_place(args, pool, "condor_prio: No such schedd named {name} in local pool", "n")
    return 0 if _change(pool, targets, args.has("a"), value, step) else 1


def _usage(lead: str, culprit: str = "") -> UsageError:
    return UsageError(f"{lead}Usage: condor_prio {_USAGE}", _SPEC, argument=culprit)


def _targets(args: Args) -> tuple[list[str], int | None]:
    """The words that name jobs, and the relative change if one is given."""
    step: int | None = None
    targets = []
    for word in args.positional:
        if re.fullmatch(r"[-+]\d+", word):
            step = int(word)
        else:
            targets.append(word)
    return targets, step


def _change(pool: Pool, targets: list[str], everything: bool, value: int | None, step: int | None) -> bool:
    """Change the jobs; False when a job could not be changed."""
    from condor_py.model.selection import Selection

    if everything and not targets and value is not None:  # then no process need look up which they are
        return _set(pool, Selection(constraint="true"), value)
    view = pool.read_queue()
    hint_at_absent(view, [word for word in targets if not re.fullmatch(r"\d+\.\d+", word)])
    chosen: list[JobId] = []
    for word in targets:
        found = _named(word, view)
        if not found and re.fullmatch(r"\d+\.\d+", word):
            sys.stderr.write(f"Couldn't retrieve current priority for {word}.\n")
        elif not found and word[:1].isdigit() and not word.isdigit():  # an account may begin with a digit, too
            sys.stderr.write(f'Warning: unrecognized "{word}" skipped\n')
        chosen.extend(found)
    if everything:
        chosen.extend(JobId(cluster, proc) for cluster, procs in view.groups() for proc in procs)
    by_priority: dict[int, list[JobId]] = {}
    for job in dict.fromkeys(chosen):
        current = _priority(view.job(job)) if step is not None else 0
        by_priority.setdefault(value if value is not None else current + (step or 0), []).append(job)
    changed = [_set(pool, Selection(ids=tuple(ids)), priority) for priority, ids in by_priority.items()]
    return all(changed)


def _change_elsewhere(
    other: OtherSchedd, targets: list[str], everything: bool, value: int | None, step: int | None
) -> bool:
    """The same in another pool: whose jobs these are is asked first, as the priorities of some may differ."""
    found = other.jobs("true" if everything else " || ".join(_meaning(word) for word in targets) or "false")
    known = {f"{ad.eval_int('ClusterId', 0)}.{ad.eval_int('ProcId', 0)}": _priority(ad) for ad in found}
    for word in targets:
        if re.fullmatch(r"\d+\.\d+", word) and word not in known:
            sys.stderr.write(f"Couldn't retrieve current priority for {word}.\n")
    refused = False
    for job, current in known.items():
        try:
            other.edit(job, {"JobPrio": str(value if value is not None else current + (step or 0))})
        except CondorError as error:
            refused = True
            sys.stderr.write(f"Couldn't set new priority for {job}: {error}\n")
    return not refused


def _meaning(word: str) -> str:
    """The constraint that a word of the command line means."""
    if re.fullmatch(r"\d+(\.\d+)?", word):
        cluster, _, proc = word.partition(".")
        return f"(ClusterId == {cluster}" + (f" && ProcId == {proc})" if proc else ")")
    if word[:1].isdigit():
        sys.stderr.write(f'Warning: unrecognized "{word}" skipped\n')
        return "false"
    return f"({'User' if '@' in word else 'Owner'} == {quote_string(word)})"


def _set(pool: Pool, jobs: Selection, priority: int) -> bool:
    """Changes jobs, and names those that could not be changed, with the reason; False when there are some."""
    with ticking("condor_prio: changing the queue") as ticker:
        done = pool.edit(jobs, [("JobPrio", str(priority))], ticker.told)
    refused = [job for job in jobs.ids or done if done.get(job) != _SUCCESS]
    if refused:
        view = pool.read_queue()
        for job in refused:
            sys.stderr.write(f"Couldn't set new priority for {job}: {_why(view.job(job))}\n")
    return not refused


def _why(ad: ClassAd | None) -> str:
    """The reason why a job could not be changed."""
    if ad is None:
        return "it has left the queue."
    return f"it is a job of {ad.eval_str('Owner', 'nobody')}, which only they and administrators may change."


def _named(word: str, view: QueueView) -> list[JobId]:
    """The jobs that a word of the command line means."""
    if re.fullmatch(r"\d+\.\d+", word):
        job = JobId(*map(int, word.split(".")))
        return [job] if str(job) == word and view.job(job) is not None else []
    if re.fullmatch(r"\d+", word):
        return [JobId(cluster, proc) for cluster, procs in view.groups() if cluster == int(word) for proc in procs]
    name = quote_string(word)
    names = zip(view.texts("Owner"), view.texts("User"), strict=True)  # an account may have an @, too
    return [JobId(cluster, proc) for cluster, procs in view.groups() for proc in procs if name in next(names)]


def _priority(ad: ClassAd | None) -> int:
    return ad.eval_int("JobPrio", 0) if ad is not None else 0
