"""``htcondor NOUN VERB``: one command for jobs, sets of jobs, DAGs, event logs and the state of the daemons.

Messages go to stderr, what a verb is asked for goes to stdout, as HTCondor's command of this name does it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from condor_py.cli.options import EXACT, Opt, ToolSpec
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.cli.nouns.words import Say


def _verbs() -> tuple[tuple[str, str], ...]:
    """The section of the manual page about nouns and verbs, made from what the parser knows."""
    from condor_py.cli.nouns.parser import described

    return (("NOUNS AND VERBS", described()),)


_SPEC = ToolSpec(
    name="htcondor",
    usage="[-h] [-v] [-V] [-q] NOUN VERB ...",
    summary="Manage jobs, sets of jobs, DAGs and event logs, and see how the daemons are.",
    positional="NOUN VERB ...",
    positional_help="a subject (job, jobset, dag, eventlog, server, ap, ep, cm, ocu, credential or snake) and what "
    "to do with it",
    description=(
        "After a noun or a verb, -h lists what may follow it. Messages go to standard error. The noun annex of "
        "HTCondor's command is refused."
    ),
    options=(
        Opt("h", EXACT, help="this text"),
        Opt("help", EXACT, same_as="h"),
        Opt("v", EXACT, help="print more"),
        Opt("verbose", EXACT, same_as="v"),
        Opt("V", EXACT, help="the version"),
        Opt("q", EXACT, help="print less"),
        Opt("quiet", EXACT, same_as="q"),
    ),
    examples=(
        ("htcondor job submit job.sub", "queues a job"),
        ("htcondor job status 12.0", "shows its state"),
        ("htcondor dag status 20", "shows the progress of a DAG"),
        ("htcondor server status", "shows whether the daemons work"),
    ),
    exit_status="0 on success, 1 when something failed, 2 when the command line is wrong.",
    see_also=("condor_submit", "condor_q", "condor_status", "condor_who"),
    sections=_verbs,
)
SPECS = (_SPEC,)
_ANNEX = "annex"
_NO_ANNEX = (
    "an annex adds machines that were rented to a pool, and this pool is one machine; a route of the job router or "
    "universe = grid sends jobs to other systems"
)


def main(argv: list[str]) -> int:
    """Run htcondor."""
    if argv[:1] in (["-help"], ["--help"]):
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(_SPEC))
        return 0
    from condor_py.cli.nouns.parser import parse_words
    from condor_py.cli.nouns.words import Say

    if next((word for word in argv if not word.startswith("-")), "") == _ANNEX:
        raise CondorError(f"htcondor {_ANNEX}: {_NO_ANNEX}")
    words = parse_words(argv)
    if isinstance(words, int):
        return words
    return _run(words.noun, words.verb, words.function, vars(words.given), Say(words.level))


def _run(noun: str, verb: str, function: str, given: dict[str, object], say: Say) -> int:
    """Run a verb and return its exit code; an error becomes two lines on stderr."""
    import importlib

    from condor_py.bindings.errors import HTCondorException

    module, _, name = function.partition(":")
    try:
        getattr(importlib.import_module(f"condor_py.cli.nouns.{module}"), name)(say, **given)
    except (CondorError, HTCondorException, OSError, ValueError, TypeError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        say.error(f"Error while trying to run {noun} {verb}:\n{error}")
        return 1
    return 0
