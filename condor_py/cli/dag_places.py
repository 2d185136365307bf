"""Errors in .dag files, by name: the lines that are to blame, the nodes of a cycle, files that are not there.

These lines go to standard error, next to HTCondor's own messages, which say less.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from shutil import which

from condor_py.client.dag.files import DagFiles
from condor_py.core.dag.scripts import MACROS
from condor_py.lang.classad import ClassAdError, parse
from condor_py.lang.dag import commands as made
from condor_py.lang.dag.check.checker import Checked, CheckOptions, check
from condor_py.lang.dag.commands import ParseError, Statement
from condor_py.lang.dag.keywords import ALL_NODES, Command
from condor_py.lang.dag.reader import FileProblem, Reader, joined
from condor_py.model.spelling import nearest

#: Larger files are not read once more.
_MOST = 4 << 20
#: Larger ones are not checked when they are submitted.
_SMALL = 1 << 20


def places(checked: Checked) -> Iterator[str]:
    """The line of each error, and the nodes of a cycle."""
    texts: dict[str, list[str]] = {}
    seen: set[tuple[str, int]] = set()
    for error in checked.errors:
        source, number = error.place.source, error.place.line
        if number <= 0 or (source, number) in seen:
            continue
        seen.add((source, number))
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
    yield from (f"WARNING: {line}" for line in _unconnected(found, directory))
    if not any(isinstance(one, made.Node | made.Splice) or _includes(one) for one in found):
        yield f"WARNING: {file}: it has no nodes"
    elif all(
        one.command is Command.FINAL for one in found if isinstance(one, made.Node | made.Splice) or _includes(one)
    ):
        yield f"WARNING: {file}: it has no nodes but the FINAL node"


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
        yield from _wrong_script(command, directory)
    elif isinstance(command, made.Dot):
        yield from _wrong_place("DOT", command.file, directory)
        if command.include and not os.path.exists(joined(directory, command.include)):
            yield f"the file {command.include} that DOT includes is not there"
    elif isinstance(command, made.NodeStatusFile):
        yield from _wrong_place("NODE_STATUS_FILE", command.file, directory)
    elif isinstance(command, made.Named) and command.command is Command.JOBSTATE_LOG:
        yield from _wrong_place("JOBSTATE_LOG", command.value, directory)


def _wrong_place(what: str, file: str, directory: str) -> Iterator[str]:
    """A file that DAGMan writes, in a directory that is not there."""
    path = joined(directory, file)
    if not os.path.isdir(os.path.dirname(path)):
        yield f"there is no directory {os.path.dirname(path)} for the file {file} of {what}"
    elif os.path.isdir(path):
        yield f"the file {file} of {what} is a directory"


def _wrong_script(command: made.Script, directory: str) -> Iterator[str]:
    """A script that cannot be run, or has macros that do not exist."""
    try:
        words = shlex.split(command.line)
    except ValueError:
        yield f"the {command.kind} script of {command.node} has an odd number of quotation marks: {command.line}"
        return
    whose = f"the {command.kind} script of {command.node}"
    program = words[0] if words and "$" not in words[0] else ""
    path = joined(directory, program)
    if program and not os.path.exists(path):
        if "/" in program or which(program) is None:
            yield f"the program {program} of {whose} is not there"
    elif program and os.path.isdir(path):
        yield f"{program} of {whose} is a directory, no program"
    elif program and not os.access(path, os.X_OK):
        yield f"{program} of {whose} is no program: it lacks the right to be executed"
    for word in words[1:]:
        if word[:1] == "$" and word not in MACROS and (like := nearest(word, MACROS)):
            yield f"{whose} has no macro {word}; did you mean {like}?"


def _useless(found: list[Statement]) -> Iterator[str]:
    """Yield commands about nodes, splices and categories that do not exist."""
    nodes = {one.name for one in found if isinstance(one, made.Node)}
    splices = {one.name for one in found if isinstance(one, made.Splice)}
    categories = {one.name for one in found if isinstance(one, made.Category)}
    described: set[str] = set()
    scripts: set[tuple[str, str]] = set()
    all_scripts = {(one.node, one.kind.upper()) for one in found if isinstance(one, made.Script)}
    yield from _pins(found)
    for one in found:
        yield from (f"{one.place}: {text}" for text in _odd_values(one))
        if isinstance(one, made.Script):
            key = one.node, one.kind.upper()
            if key in scripts:
                yield f"{one.place}: {one.node} has another {one.kind} script: only the last one counts"
            scripts.add(key)
        elif isinstance(one, made.SubmitDescription):
            if one.name in described:
                yield f"{one.place}: the submit description {one.name} is there twice"
            described.add(one.name)
        elif isinstance(one, made.Number) and one.command is Command.MAXJOBS:
            if one.node not in categories and not splices:
                yield f"{one.place}: no node is in the category {one.node}"
        elif isinstance(one, made.Number) and one.command is Command.PRE_SKIP:
            if one.node in nodes and (one.node, "PRE") not in all_scripts and ("ALL_NODES", "PRE") not in all_scripts:
                yield f"{one.place}: PRE_SKIP {one.node}: the node has no PRE script"
        elif isinstance(one, made.SavePoint) and one.node not in nodes and one.node.upper() != ALL_NODES:
            if not splices:
                yield f"{one.place}: there is no node {one.node}"
        elif isinstance(one, made.Connect):
            for name in (one.parent, one.child):
                if name not in splices:
                    yield f"{one.place}: there is no splice {name}"


def _pins(found: list[Statement]) -> Iterator[str]:
    """Pins of nodes whose numbers have a hole below them."""
    taken: dict[tuple[str, Command], dict[int, made.Number]] = {}
    for one in found:
        if isinstance(one, made.Number) and one.command in (Command.PIN_IN, Command.PIN_OUT):
            taken.setdefault((one.node, one.command), {})[one.value] = one
    for (node, command), pins in taken.items():
        for number, one in sorted(pins.items()):
            if number > 1 and number - 1 not in pins:
                yield f"{one.place}: {command.name} {node} {number}: the node has no such pin {number - 1}"


def _unconnected(found: list[Statement], directory: str) -> Iterator[str]:
    """CONNECT of splices whose pins do not fit, which DAGMan refuses."""
    splices = {one.name: one for one in found if isinstance(one, made.Splice)}
    for one in found:
        if not isinstance(one, made.Connect) or one.parent not in splices or one.child not in splices:
            continue
        outs = _pin_count(splices[one.parent], directory, Command.PIN_OUT)
        ins = _pin_count(splices[one.child], directory, Command.PIN_IN)
        if outs == 0:
            yield f"{one.place}: CONNECT {one.parent} {one.child}: {one.parent} has no PIN_OUT"
        if ins == 0:
            yield f"{one.place}: CONNECT {one.parent} {one.child}: {one.child} has no PIN_IN"
        if outs and ins and outs != ins:
            yield f"{one.place}: CONNECT {one.parent} {one.child}: {outs} PIN_OUT do not fit {ins} PIN_IN"


def _pin_count(splice: made.Splice, directory: str, kind: Command) -> int | None:
    """The greatest number of the pins in the file of a splice; None if the file cannot be read or includes others."""
    inside = joined(directory, splice.directory) if splice.directory else directory
    try:
        text = DagFiles().read(joined(inside, splice.file)) if is_small(joined(inside, splice.file)) else ""
    except FileProblem:
        return None
    found = list(Reader(text, splice.file, inside).commands())
    if not text or any(isinstance(one, ParseError) or _includes(one) for one in found):
        return None
    return max((one.value for one in found if isinstance(one, made.Number) and one.command is kind), default=0)


def _odd_values(one: Statement) -> Iterator[str]:
    """Values of one command that are accepted and hardly meant."""
    if isinstance(one, made.Named) and one.command is Command.SET_JOB_ATTR:
        name, equals, text = one.value.partition("=")
        if not equals:
            yield f"SET_JOB_ATTR {one.value} gives no value: write NAME = VALUE"
            return
        try:
            parse(text)
        except ClassAdError:
            yield f"SET_JOB_ATTR {name.strip()} = {text.strip()}: this is no expression; a string has quotation marks"
    elif isinstance(one, made.Vars):
        for name, value in one.pairs:
            bare = name.removeprefix("+").removeprefix("My.")
            if not (bare[:1].isalpha() or bare[:1] == "_"):
                yield f"VARS {one.node}: {name} is not the name of a variable"
            if len(value) > 1 and value[0] == value[-1] == "'":
                yield f'VARS {one.node}: the single quotes become part of {name}; write {name}="{value[1:-1]}"'
    elif isinstance(one, made.Splice) and "+" in one.name:
        yield f"the splice {one.name}: + separates the names of splices and nodes; choose another name"
