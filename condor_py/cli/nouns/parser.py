"""The command line of ``htcondor``: a noun, a verb, and what the verb takes.

HTCondor's command reads it with argparse, and so do we: usage errors, shortened options and ``--`` are argparse's.
typer would double the CPU of ``htcondor job status`` (199 ms for 105), as it converts values with pydantic.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

_SKIP = (("--skip-history",), {"action": "store_true", "help": "do not search the history for jobs that are gone"})
_JOB = (("job_id",), {"help": "job, as CLUSTER.PROC"})
_RESOURCE = (("--resource",), {"help": "where the job runs; only htcondor exists here"})
_OWNER = (("--owner",), {"help": "whose sets, instead of your own"})
_SET = (("job_set_name",), {"help": "name of the set"})
_FORMS = (
    (("-json", "--json"), {"action": "store_true", "help": "as JSON"}),
    (("-csv", "--csv"), {"action": "store_true", "help": "as values with commas between them"}),
    (("-groupby", "--groupby"), {"choices": ["GLIDEIN_ResourceName"], "help": "one row for each value of this"}),
)
_MACHINE = (("ep_name",), {"help": "name of the machine"})
_DAG = (("dag_id",), {"help": "DAG ID: the cluster of its condor_dagman"})
_DAG_NUMBER = (("dag_id",), {"type": int, "help": "DAG ID: the cluster of its condor_dagman"})
_MODES = (
    (
        ("-c", "--cumulative"),
        {"action": "store_false", "dest": "instant", "default": False, "help": "jobs in each state (the default)"},
    ),
    (("-i", "--instant"), {"action": "store_true", "help": "jobs that get into each state"}),
)
_TYPE = (("type",), {"choices": ["password", "kerberos", "oauth2"], "help": "kind of credential"})
_SERVICE = (("--service",), {"metavar": "service", "help": "(OAuth2) name of the service"})
_HANDLE = (("--handle",), {"metavar": "handle", "help": "(OAuth2) handle that tells several tokens apart"})
_LIMITS = (
    (("--nodes",), "max_nodes", "most nodes with jobs in the queue"),
    (("--idle",), "max_idle", "most idle jobs"),
    (("--pre",), "max_pre", "most PRE scripts at work"),
    (("--hold",), "max_hold", "most HOLD scripts at work"),
    (("--post",), "max_post", "most POST scripts at work"),
    (("--submissions",), "max_submits", "most nodes in one submit cycle"),
)
_Option = tuple[tuple[str, ...], dict[str, Any]]
#: Columns of a line of the manual page, and where the meanings of options begin.
_LINE, _MEANINGS = 76, 30


class _Verb(NamedTuple):
    """A verb: its help, its arguments, the function that does it as ``module:function``, and options that exclude
    each other."""

    name: str
    help: str
    options: tuple[_Option, ...]
    function: str
    either: tuple[_Option, ...] = ()


class _Noun(NamedTuple):
    name: str
    help: str
    verbs: tuple[_Verb, ...]


_NOUNS = (
    _Noun("job", "Run operations on HTCondor jobs", (
        _Verb("submit", "Submits a job when given a submit file", (
            (("submit_file",), {"help": "submit description"}),
            _RESOURCE,
            (("--runtime",), {"type": int, "help": "seconds to have the resource for"}),
            (("--email",), {"help": "where to send notifications"}),
            (("--annex-name",), {"help": "annex that the job must run on"}),
        ), "job:submit"),
        _Verb("status", "Shows current status of a job when given a job id", (_JOB, _RESOURCE, _SKIP), "job:status"),
        _Verb("out", "Shows the standard output of a job", (_JOB, _RESOURCE, _SKIP), "job:out"),
        _Verb("err", "Shows the standard error of a job", (_JOB, _RESOURCE, _SKIP), "job:err"),
        _Verb("log", "Shows the event log of a job", (_JOB, _RESOURCE, _SKIP), "job:log"),
        _Verb("resources", "Shows resources used by a job when given a job id", (_JOB, _RESOURCE), "job:resources"),
    )),
    _Noun("jobset", "Run operations on HTCondor job sets", (
        _Verb("submit", "Submits a job set when given a job set file", (
            (("job_set_file",), {"help": "description of the set"}),), "jobset:submit"),
        _Verb("list", "List all active job sets", (
            (("--allusers",), {"action": "store_true", "help": "those of all users"}),), "jobset:list_sets"),
        _Verb("status", "Displays given active job set status", (
            _SET, _OWNER, (("--nobatch",), {"action": "store_true", "help": "a line for each job"}), _SKIP,
        ), "jobset:status"),
        _Verb("remove", "Removes a given job set", (_SET, _OWNER), "jobset:remove"),
    )),
    _Noun("dag", "Run operations on HTCondor DAGs", (
        _Verb("submit", "Submits a DAG when given a DAG file", ((("dag_filename",), {"help": "DAG file"}),),
              "dag:submit"),
        _Verb("status", "Shows current status of a DAG when given a DAG id", (_DAG,), "dag:status"),
        _Verb("halt", "Halts the progress of a DAG", (
            _DAG_NUMBER,
            (("-r", "--reason"), {"metavar": "MESSAGE", "help": "why, for the log of the DAG"}),
            (("-p", "--pause"), {"action": "store_true", "help": argparse.SUPPRESS}),
        ), "dag:halt"),
        _Verb("resume", "Resumes progress of a halted DAG", (_DAG_NUMBER,), "dag:resume"),
        _Verb("histogram", "Draws the states of the jobs of a DAG over time", (_DAG_NUMBER,), "dag:histogram", _MODES),
        _Verb("throttle", "Changes limits of a DAG", (
            _DAG_NUMBER, *((names, {"type": int, "dest": dest, "metavar": "N", "help": text})
                           for names, dest, text in _LIMITS),
        ), "dag:throttle"),
        _Verb("resources", "Shows resource usage for all jobs in a DAG", (
            _DAG, (("-history", "--history"), {"action": "store_true", "help": "jobs of the history"}),
        ), "dag:resources"),
    )),
    _Noun("eventlog", "Interacts with eventlogs", (
        _Verb("read", "Reads an eventlog", (
            (("log_files",), {"nargs": "*", "help": "event logs"}), *_FORMS), "eventlog:read"),
        _Verb("follow", "Follows an eventlog", ((("log_file",), {"help": "event log"}), *_FORMS), "eventlog:follow"),
        _Verb("histogram", "Draws the states of the jobs of an eventlog over time", (
            (("log_file",), {"help": "event log"}),), "eventlog:histogram", _MODES),
    )),
    _Noun("server", "Run operations on the local HTCondor system", (
        _Verb("status", "Displays status information about local daemons", (), "status:server"),)),
    _Noun("ap", "Run operations on pool access points", (
        _Verb("status", "Displays status information all/specified access points", (
            (("hostnames",), {"nargs": "*", "help": "access points"}),), "status:access_points"),
        _Verb("claims", "Displays active claims held by the access point", (
            (("--name",), {"help": "name or address of the access point"}),), "status:claims"),
    )),
    _Noun("ep", "Run operations on HTCondor execution points", (
        _Verb("status", "Displays the status of all slots on an execution point", (_MACHINE,), "ep:status"),
        _Verb("rehome", "Rehome an execution point, killing all running jobs", (
            _MACHINE,
            (("schedd_name",), {"help": "access point that it takes jobs of from now on"}),
            (("--schedd-pool",), {"help": "pool of the access point, instead of COLLECTOR_HOST"}),
            (("--cancel",), {"action": "store_true", "help": "withdraw an earlier rehome"}),
            (("--timeout",), {"type": int, "default": 0, "help": "seconds that it may take"}),
            (("--reboot",), {"action": "store_true", "help": "restart the machine (STARTD_REHOME_ALLOW_REBOOT)"}),
        ), "ep:rehome"),
    )),
    _Noun("cm", "Run operations on pool central managers", (
        _Verb("status", "Displays status information all central managers", (), "status:central_managers"),)),
    _Noun("ocu", "Run operations on HTCondor Owner Capacity Units (OCU)", (
        _Verb("create", "Creates an OCU when given an OCU request file", (
            (("request_file",), {"help": "file with an ad: Owner, RequestCpus, RequestMemory, RequestDisk"}),),
            "ocu:create"),
        _Verb("query", "Queries the existing OCUs in the system", (
            (("--raw",), {"action": "store_true", "help": "whole ads"}),), "ocu:query"),
        _Verb("status", "Shows current status of OCUs", (), "ocu:status"),
        _Verb("remove", "Remove an existing OCU", ((("ocu_id",), {"type": int, "help": "its OCUId"}),), "ocu:remove"),
    )),
    _Noun("credential", "Operations on credentials", (
        _Verb("list", "Lists one's own credentials", (), "credential:list_own"),
        _Verb("add", "Stores the content of a file", (
            _TYPE,
            (("credential_file",), {"metavar": "credential-file", "help": "file (SERVICE_HANDLE if no option says)"}),
            _SERVICE, _HANDLE,
        ), "credential:add"),
        _Verb("remove", "Deletes a credential", (_TYPE, _SERVICE, _HANDLE), "credential:remove"),
        _Verb("listall", "Lists the tokens of all users, for administrators", (), "credential:list_all"),
        _Verb("get", "Prints one's own access token of a service", (_TYPE, _SERVICE, _HANDLE), "credential:get"),
    )),
    _Noun("snake", "Run operations on Snakemake workflows via HTCondor", (
        _Verb("submit", "Submits a local job that runs Snakemake", (
            (("--jobdir",), {"help": "directory of its logs, instead of logs"}),
            (("words",), {"nargs": argparse.REMAINDER, "metavar": "[SNAKEFILE] [-- ARGUMENT ...]",
                          "help": "the workflow (Snakefile), and arguments of Snakemake"}),
        ), "snake:submit"),)),
)  # fmt: skip


class Words(NamedTuple):
    """A command line that was understood; ``given`` has the arguments of the verb's function."""

    noun: str
    verb: str
    function: str
    given: argparse.Namespace
    level: int


class _Unclear(Exception):
    """The command line is wrong; the text says how."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Unclear(f"{self.format_usage()}{self.prog}: error: {message}")


def parse_words(argv: list[str]) -> Words | int:
    """Return the parsed command line, or the exit code when it only asked for help or the version, or was wrong."""
    parser, nouns = _parsers()
    try:
        given = parser.parse_args(argv)
    except _Unclear as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except SystemExit:  # -h
        return 0
    if given.show_version:
        from condor_py.model.version import CONDOR_VERSION

        sys.stdout.write(f"{CONDOR_VERSION}\n")
        return 0
    if given.noun is None or given.verb is None:
        sys.stderr.write((nouns[given.noun] if given.noun else parser).format_help())
        return 2
    return _words(given)


def _words(given: argparse.Namespace) -> Words:
    noun, verb, function, level = given.noun, given.verb, given.function, given.verbose - given.quiet
    for name in ("noun", "verb", "function", "verbose", "quiet", "show_version"):
        delattr(given, name)
    return Words(noun, verb, function, given, level)


def _parsers() -> tuple[_Parser, dict[str, _Parser]]:
    parser = _Parser("htcondor", description="A tool for managing HTCondor jobs and resources.", allow_abbrev=False)
    parser.add_argument("-v", "--verbose", action="count", default=0, help="print more")
    parser.add_argument("-V", "--version", action="store_true", dest="show_version", help="the version")
    parser.add_argument("-q", "--quiet", action="count", default=0, help="print less")
    level = parser.add_subparsers(description="", help="types of objects that can be managed", dest="noun")
    nouns = {}
    for noun in _NOUNS:
        nouns[noun.name] = level.add_parser(noun.name, description=noun.help, help=noun.help)
        _add_verbs(nouns[noun.name], noun)
    return parser, nouns


def _add_verbs(parser: _Parser, noun: _Noun) -> None:
    level = parser.add_subparsers(description="", help=f"what can be done with {noun.name}", dest="verb")
    for verb in noun.verbs:
        one = level.add_parser(verb.name, description=verb.help, help=verb.help)
        one.set_defaults(function=verb.function)
        for names, settings in verb.options:
            one.add_argument(*names, **settings)
        if not verb.either:
            continue  # Python 3.11 cannot write the usage of an empty group
        group = one.add_mutually_exclusive_group()
        for names, settings in verb.either:
            group.add_argument(*names, **settings)


def described() -> str:
    """Return each verb as it is written, with what it does and what its options mean, for the manual page."""
    return "\n".join(line for noun in _NOUNS for verb in noun.verbs for line in _described(noun.name, verb))


def _described(noun: str, verb: _Verb) -> Iterator[str]:
    from textwrap import fill

    taken = [(_written(*one), one[1]["help"]) for one in (*verb.either, *verb.options)]
    taken = [(written, text) for written, text in taken if text != argparse.SUPPRESS]
    words = [f"[{written}]" if written.startswith("-") else written for written, _ in sorted(taken, key=_is_argument)]
    synopsis = " ".join(word.replace(" ", "\0") for word in words)  # nothing is cut between an option and its value
    command = f"htcondor {noun} {verb.name} "
    yield fill(command + synopsis, _LINE, subsequent_indent=" " * 8, break_on_hyphens=False).replace("\0", " ")
    yield f"    {verb.help}."
    for written, text in taken:
        start = f"        {written}"
        if len(start) >= _MEANINGS:
            yield start
            start = ""
        yield fill(start.ljust(_MEANINGS) + text, _LINE, subsequent_indent=" " * _MEANINGS, break_on_hyphens=False)


#: Kinds of condor_complete for arguments of verbs; the others are files, or names that only their owner knows.
_KINDS = {"job_id": "jobs", "dag_id": "clusters"}


def nouns_and_verbs() -> Iterator[str]:
    """Yield what may follow ``htcondor``, a noun and a verb, as condor_complete keeps it: ``htcondor/NOUN/VERB WORD``,
    a tab and what it means; ``=KIND`` is for any word of a kind."""
    general = ("-v\ttell more", "-q\ttell less", "-V\tthe version", "-h\twhat may follow")
    yield from (f"htcondor {option}" for option in general)
    for noun in _NOUNS:
        yield f"htcondor {noun.name}\t{noun.help}"
        for verb in noun.verbs:
            yield f"htcondor/{noun.name} {verb.name}\t{verb.help}"
            for names, settings in (*verb.options, *verb.either):
                if names[0] in _KINDS:
                    yield f"htcondor/{noun.name}/{verb.name} ={_KINDS[names[0]]}"
                elif names[0].startswith("-") and settings["help"] != argparse.SUPPRESS:
                    yield f"htcondor/{noun.name}/{verb.name} {names[-1]}\t{settings['help']}"


def _is_argument(taken: tuple[str, str]) -> bool:
    return not taken[0].startswith("-")


def _written(names: tuple[str, ...], settings: dict[str, Any]) -> str:
    """Return an option with its value, or an argument, as the manual page shows it."""
    name = names[0]
    if not name.startswith("-"):
        word = str(settings.get("metavar") or name.upper())
        return {"+": f"{word} ...", "*": f"[{word} ...]"}.get(str(settings.get("nargs")), word)
    if "action" in settings:
        return name
    return f"{name} {'|'.join(settings.get('choices', ())) or settings.get('metavar') or name.lstrip('-').upper()}"
