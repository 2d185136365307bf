"""condor_dag_checker: what is wrong with .dag files, before they run."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from condor_py.cli.options import Opt, ToolSpec

if TYPE_CHECKING:
    from condor_py.lang.config.settings import Config

_SPEC = ToolSpec(
    name="condor_dag_checker",
    usage="[options] dag-file [dag-file ...]",
    summary="Tell everything that is wrong with .dag files, before they run.",
    description="It says nothing about a file in which all is well. Options may be shortened and written in any case.",
    positional="dag-file",
    positional_help="the files to look at, each by itself",
    options=(
        Opt("help", 1, help="this text"),
        Opt("AllowIllegalChars", 5, help="let names of nodes contain +"),
        Opt("CheckExternalFiles", 8, help="look at submit descriptions, scripts and sub-DAGs too"),
        Opt("CheckJDL", 8, help="look at the submit descriptions of the nodes too: can jobs be made of them?"),
        Opt("CheckScripts", 8, help="see whether the scripts are there"),
        Opt("CheckSubDags", 8, help="look at the files of sub-DAGs too"),
        Opt(
            "Finished",
            3,
            help="look at what a DAG has left that has run: was every node run as often as it may, after "
            "its parents, and does the rescue file say what the nodes log says? Several files are one DAG then",
        ),
        Opt("JSON", 4, help="print what was found, and the statistics, as JSON"),
        Opt("JoinNodes", 4, help="join many parents and many children through an empty node (the default)"),
        Opt("NoJoinNodes", 6, help="do not"),
        Opt("Statistics", 4, help="print figures of the graph instead of errors"),
        Opt("Strict", 6, help="with the options that look at other files: it is an error when one is missing"),
        Opt("UseDagDir", 3, help="see other files from the directory of the .dag file"),
    ),
    exit_status="0 when nothing is wrong, 1 when something is, 2 when the command line is.",
    examples=(
        ("condor_dag_checker diamond.dag", "all errors of a file"),
        ("condor_dag_checker -CheckExternalFiles -Strict diamond.dag", "those of the files that it names too"),
        ("condor_dag_checker -stat diamond.dag", "how large the graph is"),
        ("condor_dag_checker -finished diamond.dag", "whether everything was right with its last run"),
    ),
    see_also=("condor_submit_dag", "condor_submit"),
)
SPECS = (_SPEC,)
_USAGE_ERROR = 2
_PRINTERS = ("JSON", "Statistics")


class _Refused(Exception):
    """A command line that cannot be understood."""


def main(argv: list[str]) -> int:
    """Run condor_dag_checker."""
    try:
        options, files, spelled = _understand(argv)
    except _Refused as error:
        sys.stderr.write(f"{error}\n")
        sys.stdout.write(_help())
        return _USAGE_ERROR
    if "help" in options:
        sys.stdout.write(_help())
        return 0
    return _check(options, files, spelled[0] if spelled else "")


def _help() -> str:
    from condor_py.cli.command import help_text

    return help_text(_SPEC)


def _understand(argv: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """(Options by their full names in order, .dag files, the names of what shapes the output). Raises _Refused."""
    options: list[str] = []
    files: list[str] = []
    printers: list[str] = []
    for arg in argv:
        if not arg.startswith("-"):
            files.append(arg)
            continue
        name = _option(arg)
        if name == "help":
            return ["help"], [], []
        options.append(name)
        if name in _PRINTERS:
            if printers and printers[0] != name:
                first = next(one for one in argv if one.startswith("-") and _option(one) == printers[0])
                raise _Refused(f"ERROR: Multiple print styles specified: {first} and {arg}\n")
            printers.append(name)
    if not files:
        raise _Refused("ERROR: No DAG file(s) provided for linting.")
    return options, files, printers


def _option(arg: str) -> str:
    """The option that an argument names: its first letters in any case, or what sorts before the name, as
    HTCondor compares it. Raises _Refused."""
    word = arg.lstrip("-").lower()
    if not word:
        raise _Refused(f"ERROR: Invalid option '{arg}' provided")
    for option in _SPEC.options:
        name, least = option.name.lower(), option.min_length
        if len(word) >= least and word[:least] == name[:least] and word <= name:
            return option.name
    raise _Refused(f"ERROR: Unknown command line option '{arg}'")


def _check(options: list[str], files: list[str], printer: str) -> int:
    from condor_py.cli.dag_checker.show import SHOW, Outside
    from condor_py.cli.dag_places import absent, places
    from condor_py.client.pool import open_pool
    from condor_py.lang.config.builders.dagman import dagman
    from condor_py.lang.dag.check.checker import CheckOptions, check

    pool = open_pool("TOOL")
    if "Finished" in options:
        return _check_finished(files, pool.config)
    language = dagman(pool.config).language
    everything = "CheckExternalFiles" in options
    joins = [option for option in options if option in ("JoinNodes", "NoJoinNodes")]
    checks = CheckOptions(
        any_characters=language.any_characters or "AllowIllegalChars" in options,
        use_join_nodes=joins[-1] == "JoinNodes" if joins else language.use_join_nodes,
        sub_dags=everything or "CheckSubDags" in options,
        jobs=everything or "CheckJDL" in options,
        scripts=everything or "CheckScripts" in options,
        strict="Strict" in options,
        use_dag_dir="UseDagDir" in options,
    )
    outside = Outside(pool)
    found = [check(file, outside, os.getcwd(), checks) for file in files]
    sys.stdout.write(SHOW[printer](found))
    sys.stdout.flush()
    for one in found:
        sys.stderr.writelines(f"{line}\n" for line in (*places(one), *absent(one.file, checks)))
    if sys.stderr.isatty():
        from condor_py.cli.suggest import meant_by_dag_commands

        reports = "\n".join(error.reason for one in found for error in one.errors)
        sys.stderr.writelines(f"{hint}\n" for hint in meant_by_dag_commands(reports))
    return 1 if any(one.errors or one.figures.cycle for one in found) else 0


def _check_finished(files: list[str], config: Config) -> int:
    from condor_py.cli.dag_checker.show import problems_of
    from condor_py.model.errors import CondorError

    try:
        problems = problems_of(files, config)
    except CondorError as error:
        sys.stderr.write(f"ERROR: {error}\n")
        return 1
    if problems:
        sys.stdout.write(f"Detected {len(problems)} issues in {files[0]} as it has run:\n")
        sys.stdout.writelines(f"\t* {problem}\n" for problem in problems)
    return 1 if problems else 0
