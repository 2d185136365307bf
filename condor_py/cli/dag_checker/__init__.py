"""condor_dag_checker: what is wrong with .dag files, before they run."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from condor_py.cli.options import Opt, ToolSpec
from condor_py.client.dag.files import DagFiles
from condor_py.core.dag.finished import Ending, audit
from condor_py.daemons.dagman.nodeslog import NodesLog
from condor_py.lang.config.builders.dagman import dagman
from condor_py.lang.config.settings import Config
from condor_py.lang.dag.build import Builder
from condor_py.lang.dag.check.checker import Checked
from condor_py.lang.dag.commands import ParseError
from condor_py.lang.dag.graph import Dag
from condor_py.lang.dag.messages import DagError
from condor_py.lang.dag.reader import FileProblem
from condor_py.model.errors import CondorError, StoreError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.lang.config.settings import Config
    from condor_py.lang.submit.errors import ParseFailure
    from condor_py.lang.submit.submit_file import SubmitFile


_SPEC = ToolSpec(
    name="condor_dag_checker",
    usage="[options] dag-file [dag-file ...]",
    summary="Check .dag files before they run.",
    description="It prints nothing about a file without errors. Options may be shortened and written in any case.",
    positional="dag-file",
    positional_help="the files to check, each by itself",
    options=(
        Opt("help", 1, help="this text"),
        Opt("AllowIllegalChars", 5, help="let names of nodes contain +"),
        Opt("CheckExternalFiles", 8, help="check submit descriptions, scripts and sub-DAGs too"),
        Opt("CheckJDL", 8, help="check the submit descriptions of the nodes too: can jobs be made of them?"),
        Opt("CheckScripts", 8, help="see whether the scripts are there"),
        Opt("CheckSubDags", 8, help="check the files of sub-DAGs too"),
        Opt(
            "Finished",
            3,
            help="check what a finished DAG has left: was every node run as often as it may, after "
            "its parents, and does the rescue file say what the nodes log says? Several files are one DAG then",
        ),
        Opt("JSON", 4, help="print what was found, and the statistics, as JSON"),
        Opt("JoinNodes", 4, help="join many parents and many children through an empty node (the default)"),
        Opt("NoJoinNodes", 6, help="do not"),
        Opt("Statistics", 4, help="print figures of the graph instead of errors"),
        Opt("Strict", 6, help="with the options that read other files: it is an error when one is missing"),
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
        from condor_py.cli.command import help_after_error

        sys.stderr.write(f"{error}\n")
        sys.stdout.write(help_after_error(_SPEC, sys.stdout))
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


_Value = int | str | bool | list[int]


def _by_length(item: tuple[str, object]) -> tuple[int, str]:
    """HTCondor's order of attributes in JSON."""
    return len(item[0]), item[0].lower()


def as_text(found: Sequence[Checked]) -> str:
    """The errors, a line each; nothing for a file without any."""
    out = []
    for one in found:
        lines = [str(error) for error in one.errors]
        if one.figures.cycle:
            lines.append(f"{one.file}:0 Cycle detected: {one.figures.cycle}")
        if lines:
            out.append(f"Detected {len(lines)} issue{'s' if len(lines) > 1 else ''} in {one.file}:\n")
            out += [f"\t* {line}\n" for line in lines]
            out.append("\n")
    return "".join(out)


def as_statistics(found: Sequence[Checked]) -> str:
    """The figures, a line each."""
    out = []
    for one in found:
        values = one.figures.values
        lines = [f"{name} = {_shown(values[name])}\n" for name in sorted(values, key=str.lower)]
        out.append(f"=== {one.file} statistics ===\n{''.join(lines)}\n")
    return "".join(out)


def _shown(value: _Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"{{ {','.join(map(str, value))} }}"
    return str(value) if isinstance(value, int) else json.dumps(value, ensure_ascii=False)


def as_json(found: Sequence[Checked]) -> str:
    """A list of one object a file: its errors and figures."""
    shown = []
    for one in found:
        values: dict[str, object] = {"DagFile": one.file, **one.figures.values}
        if one.errors:
            values |= {"NumErrors": len(one.errors), "Errors": [_error(error) for error in one.errors]}
        ordered = dict(sorted(values.items(), key=_by_length))
        shown.append(json.dumps(ordered, indent=2, ensure_ascii=False))
    return "[\n" + ",\n".join(shown) + "\n]\n"


def _error(error: ParseError) -> dict[str, object]:
    values: dict[str, object] = {
        "Reason": error.reason,
        "SourceFile": error.place.source,
        "SourceLine": error.place.line,
    }
    if error.command is not None:
        values["DagCommand"] = error.command.name
    return dict(sorted(values.items(), key=_by_length))


SHOW: dict[str, Callable[[Sequence[Checked]], str]] = {"": as_text, "Statistics": as_statistics, "JSON": as_json}


_START, _END = "(CONDOR_DAGMAN) STARTING UP", re.compile(r"EXITING WITH STATUS (\d+)")
_USING, _WRITING = re.compile(r"USING RESCUE DAG (.+)"), re.compile(r"Writing Rescue DAG to (.+)\.\.\.")
_RECOVERY, _LOG = "Running in RECOVERY mode", re.compile(r"Default node log file is: <(.*)>")
_DONE = "DONE "
#: Exit code of a condor_dagman that wants to be started again.
_RESTART = 3


class _Life:
    """The last run of a DAG according to .dagman.out; a condor_dagman in recovery continues the run before it."""

    def __init__(self, text: str) -> None:
        self.code: int | None = None
        self.using = self.written = self.log = ""
        for part in text.split(_START)[1:]:
            if _RECOVERY not in part:
                self.using, self.written = _last(_USING, part), ""
            self.written = _last(_WRITING, part) or self.written
            self.log = _last(_LOG, part) or self.log
            code = _last(_END, part)
            self.code = int(code) if code else None


def _last(pattern: re.Pattern[str], text: str) -> str:
    found: list[str] = pattern.findall(text)
    return found[-1] if found else ""


def problems_of(files: Sequence[str], config: Config) -> list[str]:
    """Return the problems of the DAG of these files. Raises CondorError when its files cannot be read."""
    primary = files[0]
    life = _Life(_text(f"{primary}.dagman.out"))
    settings = dagman(config)
    builder = Builder(DagFiles(), os.getcwd(), settings.language, several=len(files) > 1)
    try:
        for number, file in enumerate(files):
            builder.add(file, number)
        dag = builder.finish()
    except DagError as error:
        raise CondorError(str(error)) from None
    ending = Ending(
        None if life.code == _RESTART and not _ends_with_3(dag) else life.code,
        _done_in(life.written) if life.written else None,
        _done_in(life.using) if life.using else frozenset(),
    )
    log = life.log or f"{primary}.nodes.log"
    if not os.path.exists(log):
        raise CondorError(f"{log} is not there")
    try:
        return audit(dag, ending, [event for event, _ in NodesLog(log).read()], settings.node_failure_tolerance)
    except StoreError as error:
        raise CondorError(str(error)) from None


def _ends_with_3(dag: Dag) -> bool:
    """Whether 3 may be the end of the DAG, and not a wish to be started again."""
    return any((abort.status if abort.returns is None else abort.returns) == _RESTART for abort in dag.aborts.values())


def _done_in(file: str) -> frozenset[str]:
    """The nodes that a rescue file calls done."""
    lines = _text(file).split("\n")
    return frozenset(line.removeprefix(_DONE).strip() for line in lines if line.startswith(_DONE))


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError as error:
        raise CondorError(f"Cannot read {path}: {error.strerror}") from None


_COMMON = "commoninputfiles"
_BEHIND = "\nqueue\n"


class Outside(DagFiles):
    """The file system, and the submit language with the settings of the pool."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def exists(self, path: str) -> bool:
        """Whether there is something at ``path``."""
        return os.path.exists(path)

    def job_problem(self, text: str | None, path: str, directory: str, every: bool) -> tuple[str, str]:
        """Return the error in a submit description; see `dagman.check.checker.Outside`."""
        name = path
        if text is None:
            try:
                text = self.read(os.path.join(directory, path))
            except FileProblem as error:
                return str(error), ""
        else:
            name = "internal-jdl"
        with _in_directory(directory):
            return self._problem(text, name, every)

    def _problem(self, text: str, name: str, every: bool) -> tuple[str, str]:
        from condor_py.client.surroundings import surroundings
        from condor_py.lang.config.builders.submit import submit as submit_settings
        from condor_py.lang.submit.errors import ParseFailure, SubmitError
        from condor_py.lang.submit.submit_file import parse

        settings = submit_settings(self._pool.config).changed(skip_filechecks=True)
        try:
            # A description without a queue statement makes one job.
            file = parse(text + _BEHIND, name, settings=settings, surroundings=surroundings())
        except ParseFailure as error:
            return _unread(error, text), ""
        except SubmitError as error:
            return _first_message(error), ""
        del file.statements[1:]
        try:
            common = _make(file, every)
        except SubmitError as error:
            return f"Submit:-1:{_first_message(error)}", ""
        except CondorError as error:
            return str(error), ""
        warnings = [line for line in file.messages.warnings().split("WARNING: ") if line]
        warnings += [line.replace("by condor_submit.", "by DAGMAN.") for line in file.unused().values()]
        if warnings:
            return "Submit warning: " + "|".join(f"Submit:0:{line.rstrip()}" for line in reversed(warnings)), ""
        return "", common


def _unread(error: ParseFailure, text: str) -> str:
    """Return why a description could not be read."""
    word, _, args = text.split("\n")[error.line - 1].strip().partition(" ")
    if word.lower() == "queue" and args:
        return f"Invalid queue args: {args.strip()}"
    return f"Failed to parse to queue line: {error.detail}".rstrip("\n")


def _make(file: SubmitFile, every: bool) -> str:
    """Make the first job, or every one; its CommonInputFiles. Raises SubmitError."""
    from condor_py.lang.submit.build import BuildOptions, clusters_of

    common = ""
    for draft in clusters_of(file):
        made = draft.make(1, BuildOptions(user="dagman", check_executable=False))
        found = made.attributes.get(_COMMON)
        common = found[1] if found else common
        for _ in made.own:
            if not every:
                return common
    return common


def _first_message(error: CondorError) -> str:
    """The message of an error without the word in front of it."""
    text = str(getattr(error, "report", error)).strip("\n")
    return text.partition("ERROR: ")[2].split("\nWARNING: ")[0].rstrip("\n") or text


@contextmanager
def _in_directory(directory: str) -> Iterator[None]:
    """Submit descriptions see their files from the directory of the process."""
    before = os.getcwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)
