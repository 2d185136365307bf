"""condor_router_q and condor_router_rm: condor_q and condor_rm for the copies that the job router has made."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import NamedTuple

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.options import EXACT, Opt, ToolSpec, UsageError, parse
from condor_py.lang.classad import quote_string

_CHOICE = (
    Opt("route", EXACT, "NAME", "only jobs on this route"),
    Opt("site", EXACT, same_as="route", arg="NAME", help="the same"),
    Opt("idle", EXACT, help="only idle jobs"),
    Opt("held", EXACT, help="only held jobs"),
    Opt("constraint", EXACT, "EXPR", "only jobs for which EXPR is true", dash_value=True),
)
_SUMMARIES = (
    Opt("S", EXACT, help="how many jobs are in which state on each route"),
    Opt("R", EXACT, help="the same for running jobs"),
    Opt("I", EXACT, help="the same for jobs that do not run"),
    Opt("H", EXACT, help="the same for held jobs"),
)
_HELP = (Opt("help", EXACT, help="this text"), Opt("h", EXACT, same_as="help", help="this text"))
_Q = ToolSpec(
    name="condor_router_q",
    usage="[-S | -R | -I | -H] [-route NAME] [-idle | -held] [-constraint EXPR] [options of condor_q]",
    summary="Show the jobs that are on a route of the job router.",
    description="Other options, and all words after them, go to condor_q.",
    options=(*_SUMMARIES, *_CHOICE, *_HELP),
    examples=(("condor_router_q -S", "how many jobs are where"),),
    see_also=("condor_q", "condor_router_rm", "condor_job_router_info"),
)
_RM = ToolSpec(
    name="condor_router_rm",
    usage="[-route NAME] [-idle | -held] [-constraint EXPR] [options of condor_rm]",
    summary="Remove the copies that are on a route of the job router; their jobs wait here again.",
    description=(
        "Other options, and all words after them, go to condor_rm. `condor_rm` with the id of a job "
        "removes the job and its copy."
    ),
    options=(*_CHOICE, *_HELP),
    examples=(("condor_router_rm -route Slurm -idle", "take back what does not run yet"),),
    see_also=("condor_rm", "condor_router_q"),
)
SPECS = (_Q, _RM)
_STATES = {"-R": " && JobStatus == 2", "-I": " && JobStatus != 2", "-H": " && JobStatus == 5"}
_LETTERS = dict(enumerate("UIRXCHE"))


class _Chosen(NamedTuple):
    """The jobs that are meant, whether only their numbers are wanted, and what goes to the other tool."""

    constraint: str
    summary: bool
    rest: list[str]


def router_q(argv: list[str]) -> int:
    """Run condor_router_q."""
    chosen = _choose(_Q, argv)
    if chosen is None:
        return 0
    if chosen.summary:
        sys.stdout.write(_summary(chosen.constraint))
        return 0
    from condor_py.cli.q.main import main as condor_q

    return condor_q(["-constraint", chosen.constraint, *chosen.rest])


def router_rm(argv: list[str]) -> int:
    """Run condor_router_rm."""
    chosen = _choose(_RM, argv)
    if chosen is None:
        return 0
    from condor_py.cli.act import remove

    return remove([*chosen.rest, "-constraint", chosen.constraint])


def _choose(spec: ToolSpec, argv: list[str]) -> _Chosen | None:
    """Takes the tool's own options, which come first; None after -help."""
    constraint, summary, at = "RouteName =!= UNDEFINED", False, 0
    while at < len(argv):
        word = argv[at]
        value = argv[at + 1] if at + 1 < len(argv) else None
        if word in ("-h", "-help", "--help"):
            handle_help_and_version(parse(spec, ["-help"]))
            return None
        if spec is _Q and word in ("-S", *_STATES):
            summary, constraint = True, constraint + _STATES.get(word, "")
        elif word in ("-idle", "-held"):
            constraint += f" && JobStatus == {1 if word == '-idle' else 5}"
        elif word in ("-constraint", "-route", "-site"):
            if value is None:
                raise UsageError(f"{spec.name}: {word} requires another argument", spec, kind="missing")
            constraint += f" && ({value})" if word == "-constraint" else f" && RouteName =?= {quote_string(value)}"
            at += 1
        else:
            break
        at += 1
    return _Chosen(constraint, summary, argv[at:])


def _summary(constraint: str) -> str:
    """The jobs of each state, route and resource, as a table."""
    from condor_py.client.pool import Pool
    from condor_py.lang.classad import ClassAdParseError, is_true
    from condor_py.lang.classad import parse as parse_expression
    from condor_py.model.errors import CondorError

    try:
        wanted = parse_expression(constraint)
    except ClassAdParseError as error:
        raise CondorError(f"condor_router_q: {constraint}: {error}") from None
    pool = Pool()
    mine = None if os.geteuid() == 0 or not pool.config.boolean("CONDOR_Q_ONLY_MY_JOBS") else pool.owner
    counts: Counter[tuple[str, str, str]] = Counter()
    for _, ad in pool.read_queue().table.jobs():
        if is_true(ad.evaluate(wanted)) and mine in (None, ad.eval_str("Owner", "")):
            letter = _LETTERS.get(ad.eval_int("JobStatus", 0), str(ad.eval_int("JobStatus", 0)))
            counts[ad.eval_str("RouteName", ""), ad.eval_str("GridResource", ""), letter] += 1
    lines = [f"{'JOBS':>7} {'ST':>2} {'Route':<20} GridResource\n"]
    for (route, resource, letter), count in sorted(counts.items()):
        lines.append(f"{count:>7} {letter:>2} {route:<20} {resource}".rstrip() + "\n")
    return "".join(lines)
