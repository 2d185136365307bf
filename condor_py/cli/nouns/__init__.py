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

_VERBS = """\
htcondor job submit [--resource TYPE] [--runtime SECONDS] [--email ADDRESS] FILE
                                    queue the one job that a submit description describes
htcondor job status [--skip-history] JOB
                                    what a job is doing, in words
htcondor job out JOB, job err JOB, job log JOB  [--skip-history]
                                    its standard output, standard error or event log
htcondor job resources JOB          the slot that it runs on
htcondor jobset submit FILE         queue the jobs of a set (USE_JOBSETS has to be true)
htcondor jobset list [--allusers]   the sets that have jobs in the queue
htcondor jobset status [--owner USER] [--skip-history] NAME
                                    how many jobs of a set are in which state
htcondor jobset remove [--owner USER] NAME
                                    remove the jobs of a set
htcondor dag submit FILE            give a DAG to condor_dagman
htcondor dag status DAG             how it is doing, in words and as a bar
htcondor dag halt [-r REASON] DAG, dag resume DAG
                                    start nothing more; go on
htcondor dag throttle [--nodes N] [--idle N] [--pre N] [--hold N] [--post N] [--submissions N] DAG
                                    change its limits and show all of them
htcondor dag resources [-history] DAG
                                    a row for each job: where it runs, its memory
htcondor dag histogram [-i | -c] DAG
                                    the states of its jobs over time, as a picture
htcondor eventlog read [-csv | -json] [-groupby ATTRIBUTE] LOG ...
                                    a row for each job of event logs
htcondor eventlog follow [-csv | -json] [-groupby ATTRIBUTE] LOG
                                    the same, again whenever the log grows
htcondor eventlog histogram [-i | -c] LOG
                                    the states of its jobs over time, as a picture
htcondor server status              the daemons of this machine and how they are
htcondor ap status [HOST ...]       how the schedd is
htcondor ap claims [--name NAME]    the slots that the schedd holds
htcondor ep status MACHINE          its slots
htcondor ep rehome [--schedd-pool POOL] [--cancel] [--timeout SECONDS] [--reboot] MACHINE SCHEDD
                                    evict its jobs, and offer it to one schedd
htcondor cm status                  how the collector and the negotiator are
htcondor ocu create FILE            keep a slot for an owner; FILE is an ad with Owner, OCUName, RequestCpus ...
htcondor ocu query [--raw]          the slots that owners keep
htcondor ocu status                 units and the jobs that want them, by submitter
htcondor ocu remove OCUID           give such a slot back
htcondor snake submit [--jobdir DIR] [SNAKEFILE] [-- ARGUMENT ...]
                                    queue a local job that runs Snakemake, whose rules become jobs
"""
_SPEC = ToolSpec(
    name="htcondor",
    usage="[-h] [-v] [-V] [-q] NOUN VERB ...",
    summary="Manage jobs, sets of jobs, DAGs and event logs, and see how the daemons are.",
    positional="NOUN VERB ...",
    positional_help="what it is about and what to do: job, jobset, dag, eventlog, server, ap, ep, cm, ocu or snake",
    description=(
        "After a noun or a verb, -h lists what may follow it. Messages go to standard error. The nouns annex "
        "and credential of HTCondor's command are not here."
    ),
    options=(
        Opt("h", EXACT, help="this text"),
        Opt("help", EXACT, same_as="h"),
        Opt("v", EXACT, help="tell more"),
        Opt("verbose", EXACT, same_as="v"),
        Opt("V", EXACT, help="the version"),
        Opt("q", EXACT, help="tell less"),
        Opt("quiet", EXACT, same_as="q"),
    ),
    examples=(
        ("htcondor job submit job.sub", "queues a job"),
        ("htcondor job status 12.0", "tells how it is going"),
        ("htcondor dag status 20", "tells how far a DAG is"),
        ("htcondor server status", "tells whether the daemons are well"),
    ),
    exit_status="0 on success, 1 when something failed, 2 when the command line is wrong.",
    see_also=("condor_submit", "condor_q", "condor_status", "condor_who"),
    sections=(("NOUNS AND VERBS", _VERBS),),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run htcondor."""
    if argv[:1] in (["-help"], ["--help"]):
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(_SPEC))
        return 0
    from condor_py.cli.nouns.parser import parse_words
    from condor_py.cli.nouns.words import Say

    words = parse_words(argv)
    if isinstance(words, int):
        return words
    return _run(words.noun, words.verb, words.function, vars(words.given), Say(words.level))


def _run(noun: str, verb: str, function: str, given: dict[str, object], say: Say) -> int:
    """The verb; whatever it could not do becomes two lines on stderr."""
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
