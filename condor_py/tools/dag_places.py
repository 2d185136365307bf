"""What is wrong with .dag files, by name: the lines that are to blame, the nodes of a cycle, files that are not there.

These lines go to standard error, beside HTCondor's own words, which name less.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

from condor_py.dagman.check.checker import Checked, CheckOptions, check
from condor_py.dagman.language import commands as made
from condor_py.dagman.language.commands import ParseError, Statement
from condor_py.dagman.language.keywords import ALL_NODES, Command
from condor_py.dagman.language.reader import FileProblem, Reader, joined
from condor_py.tools.dag_files import DagFiles

#: Larger files are not read once more.
_MOST = 4 << 20
#: Larger ones are not looked at when they are submitted.
_SMALL = 1 << 20


def places(checked: Checked) -> Iterator[str]:
    """The line of each error, and the nodes of a cycle."""
    texts: dict[str, list[str]] = {}
    told: set[tuple[str, int]] = set()
    for error in checked.errors:
        source, number = error.place.source, error.place.line
        if number <= 0 or (source, number) in told:
            continue
        told.add((source, number))
        if source not in texts:
            texts[source] = _lines(source) or _lines(joined(os.path.dirname(checked.file) or ".", source))
        if number <= len(texts[source]):
            yield f"{error.place}: {texts[source][number - 1].strip()}"
    if checked.figures.loop:
        yield f"The nodes of a cycle: {' -> '.join(checked.figures.loop)}"


class _Files(DagFiles):
    """The files of a DAG alone: no submit description is read."""

    def exists(self, path: str) -> bool:
        return os.path.exists(path)

    def job_problem(self, text: str | None, path: str, directory: str, every: bool) -> tuple[str, str]:
        return "", ""


def cycle_in(file: str, options: CheckOptions) -> Iterator[str]:
    """A warning with the nodes of a cycle of a .dag file."""
    loop = check(file, _Files(), os.getcwd(), options).figures.loop
    if loop:
        yield f"WARNING: {file}: the nodes of a cycle: {' -> '.join(loop)}"


def is_small(path: str) -> bool:
    """Whether a .dag file is small enough to be read once more for advice."""
    try:
        return os.path.getsize(path) <= _SMALL
    except OSError:
        return False


def _lines(path: str) -> list[str]:
    try:
        if os.path.getsize(path) > _MOST:
            return []
        return DagFiles().read(path).split("\n")
    except (OSError, FileProblem):
        return []


def absent(file: str, options: CheckOptions = CheckOptions()) -> Iterator[str]:  # noqa: B008 (it is not changed)
    """A warning for each file that ``file`` names and that is not there, and for what of it does nothing."""
    text = "\n".join(_lines(file))
    if not os.path.isfile(file) or (not text and os.path.getsize(file)):
        return
    inside = os.path.dirname(file) if options.use_dag_dir else ""
    directory = joined(os.getcwd(), inside) if inside else os.getcwd()
    found = [
        one
        for one in Reader(text, os.path.basename(file), directory, options.any_characters).commands()
        if not isinstance(one, ParseError)
    ]
    described = {one.name for one in found if isinstance(one, made.SubmitDescription)}
    for command in found:
        for wrong in _wrong(command, directory, described):
            yield f"WARNING: {command.place}: {wrong}"
    yield from (f"WARNING: {line}" for line in _useless(found))
    if not any(isinstance(one, made.Node | made.Splice) or _includes(one) for one in found):
        yield f"WARNING: {file}: it has no nodes"


def _includes(command: Statement) -> bool:
    return command.command is Command.INCLUDE


def _wrong(command: Statement, directory: str, described: set[str]) -> Iterator[str]:
    """Files of one command that are not there."""
    if isinstance(command, made.Node | made.Splice) and command.directory:
        inside = joined(directory, command.directory)
        if not os.path.isdir(inside):
            yield f"the directory {command.directory} of {command.name} is not there"
            return
        directory = inside
    if isinstance(command, made.Node):
        known = command.description is not None or command.submit in described
        if not known and not os.path.exists(joined(directory, command.submit)):
            what = "DAG file" if command.command is Command.SUBDAG else "submit description"
            yield f"the {what} {command.submit} of node {command.name} is not there"
    elif isinstance(command, made.Splice) and not os.path.exists(joined(directory, command.file)):
        yield f"the DAG file {command.file} of splice {command.name} is not there"
    elif isinstance(command, made.Named) and command.command in (Command.INCLUDE, Command.CONFIG):
        if not os.path.exists(joined(directory, command.value)):
            yield f"the file {command.value} is not there"
    elif isinstance(command, made.Script):
        program = _program(command.line)
        if program and not os.path.exists(joined(directory, program)):
            yield f"the program {program} of the {command.kind} script of {command.node} is not there"


def _program(line: str) -> str:
    try:
        words = shlex.split(line)
    except ValueError:
        return ""
    return words[0] if words and "$" not in words[0] and "/" in words[0] else ""


def _useless(found: list[Statement]) -> Iterator[str]:
    """Commands about nodes, splices and categories that there are not."""
    nodes = {one.name for one in found if isinstance(one, made.Node)}
    splices = {one.name for one in found if isinstance(one, made.Splice)}
    categories = {one.name for one in found if isinstance(one, made.Category)}
    described: set[str] = set()
    for one in found:
        if isinstance(one, made.SubmitDescription):
            if one.name in described:
                yield f"{one.place}: the submit description {one.name} is there twice"
            described.add(one.name)
        elif isinstance(one, made.Number) and one.command is Command.MAXJOBS:
            if one.node not in categories and not splices:
                yield f"{one.place}: no node is of the category {one.node}"
        elif isinstance(one, made.SavePoint) and one.node not in nodes and one.node.upper() != ALL_NODES:
            if not splices:
                yield f"{one.place}: there is no node {one.node}"
        elif isinstance(one, made.Connect):
            for name in (one.parent, one.child):
                if name not in splices:
                    yield f"{one.place}: there is no splice {name}"
        elif isinstance(one, made.Named) and one.command is Command.SET_JOB_ATTR and "=" not in one.value:
            yield f"{one.place}: SET_JOB_ATTR {one.value} gives no value: write NAME = VALUE"
