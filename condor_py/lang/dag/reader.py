"""A .dag file as a sequence of commands."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple, Protocol

from condor_py.lang.dag import commands as made
from condor_py.lang.dag.commands import Node, ParseError, Place, Statement, SubmitDescription
from condor_py.lang.dag.keywords import ALL_NODES, KEYWORDS, NODE_COMMANDS, RESERVED, Command, normal
from condor_py.lang.dag.words import WHITE, Bad, Words, integer
from condor_py.model.errors import CondorError

#: White space that Python knows and DAGMan does not.
_ODD = re.compile("[\v\f\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


class Statements:
    """The commands of ``text``, as lines. ``odd``: it has white space that separates no words.

    A command whose last line is continued by the end of the file does not count, as in DAGMan.
    """

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        self._lines = enumerate(lines, 1)
        self.odd = _ODD.search(text) is not None

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Number of its last line, and text, of each command."""
        parts: list[str] = []
        white = WHITE if self.odd else None
        for number, raw in self._lines:
            line = raw.strip(white)
            if not line or line[0] == "#" or line.startswith("//"):
                continue
            if line[-1] == "\\":
                parts.append(line[:-1])
                continue
            yield number, " ".join((*parts, line))
            parts.clear()

    def description(self, end: str) -> tuple[str, str]:
        """The lines up to the one that is, or begins with, ``end``, and the text behind ``end``. Bad without one."""
        if not end:
            raise Bad("No inline description closing token specified (@=TOKEN)")
        found: list[str] = []
        for _, raw in self._lines:
            line = raw.strip(WHITE)
            if not line or line[0] == "#" or line.startswith("//"):
                continue
            if line == end or line.startswith(end + " "):
                return "".join(f"{text}\n" for text in found), line[len(end) :]
            found.append(line)
        raise Bad(f"Missing inline description closing token: {end}")


def closing(opening: str) -> str | None:
    """The line that ends a description which begins with ``opening``; None when it begins none."""
    if opening.startswith("{"):
        return "}"
    if opening.startswith("@="):
        return "@" + opening[2:] if len(opening) > 2 else ""
    return None


#: Files of splices and INCLUDEs that may be open at a time, each within the one before.
DEEPEST = 64
#: Letters of a word that is no command which an error shows.
_SHOWN = 200


class FileProblem(CondorError):
    """A .dag file cannot be read, or a directory not entered: why, in HTCondor's words."""


class Files(Protocol):
    """Access to .dag files: the only input and output of this package."""

    def read(self, path: str) -> str:
        """The text of a file; ``path`` is absolute. Raises FileProblem."""

    def enter(self, path: str) -> None:
        """FileProblem when ``path`` is no directory that can be entered; its text is the system's."""


def joined(directory: str, name: str) -> str:
    """The path of ``name`` as seen from ``directory``. Raises FileProblem for an empty name."""
    if not name:
        raise FileProblem("No file path provided")
    return posixpath.join(directory, name)


def keyword_of(line: str) -> Command | None:
    """The command whose keyword a line begins with."""
    return KEYWORDS.get(normal(Words(line).next()))


class Reader:
    """The commands of the text of ``source``, as seen from ``directory``."""

    def __init__(self, text: str, source: str, directory: str, any_characters: bool = False) -> None:
        self.lines = Statements(text)
        self._source = source
        self._file = posixpath.basename(source)
        self._directory = directory
        self._any_characters = any_characters

    def understand(self, number: int, line: str) -> Statement | ParseError:
        """The command of a line."""
        place = Place(self._source, number)
        words = Words(line)
        keyword = words.next().replace("-", "_")
        command = KEYWORDS.get(keyword.upper())
        if command is None:
            return ParseError(
                place, f"'{keyword if len(keyword) <= _SHOWN else keyword[:_SHOWN] + '...'}' is not a valid DAG command"
            )
        context = Context(place, self._file, self._directory, self._any_characters, self.lines)
        try:
            return parse_command(command, keyword.upper(), words, context)
        except Bad as error:
            return ParseError(place, str(error), command)

    def commands(self, only: Collection[Command] | None = None) -> Iterator[Statement | ParseError]:
        """All commands, and what could not be understood. With ``only``, other commands are passed over whether they
        are right or not; unknown keywords are not."""
        for number, line in self.lines:
            if only is not None:
                command = keyword_of(line)
                if command is not None and command not in only:
                    self._pass_over(command, number, line)
                    continue
            yield self.understand(number, line)

    def _pass_over(self, command: Command, number: int, line: str) -> None:
        if command in NODE_COMMANDS or command is Command.SUBMIT_DESCRIPTION:
            self.understand(number, line)


# The commands that may end in a description of several lines.

_ILLEGAL = "+"
#: The submit description of a node whose description is in the .dag file itself.
INLINE = "INLINE"


def parse_node(command: Command, place: Place, words: Words, lines: Statements, any_characters: bool) -> Node:
    """JOB, FINAL, PROVISIONER, SERVICE, or SUBDAG behind its EXTERNAL. Raises Bad."""
    name = words.next()
    if not name:
        raise Bad("Missing node name")
    if name.upper() in RESERVED:
        raise Bad("Node name is a reserved word")
    if not any_characters and _ILLEGAL in name:
        raise Bad("Node name contains illegal charater")
    submit = words.next(trim=True)
    if not submit:
        raise Bad("No submit description provided")
    description: str | None = None
    end = closing(submit) if command is not Command.SUBDAG else None
    if end is not None:
        description, behind = lines.description(end)
        words.restart(behind)
        submit = INLINE
    directory, noop, done = _settings(words)
    return Node(command, place, name, submit, description or None, directory, noop, done)


def _settings(words: Words) -> tuple[str, bool, bool]:
    """Read the words allowed behind the description: (DIR, NOOP, DONE)."""
    directory = ""
    given: set[str] = set()
    while token := words.next():
        word = normal(token)
        if word == "DIR":
            directory = words.next(trim=True)
            if not directory:
                raise Bad("No directory path provided for DIR subcommand")
        elif word in ("NOOP", "DONE"):
            given.add(word)
        else:
            raise Bad(f"Unexpected token '{token}'")
    return directory, "NOOP" in given, "DONE" in given


def parse_submit_description(place: Place, words: Words, lines: Statements) -> SubmitDescription:
    """SUBMIT-DESCRIPTION behind its keyword. Raises Bad."""
    name = words.next()
    if not name:
        raise Bad("No submit description name provided")
    end = closing(words.next())
    if end is None:
        raise Bad("No inline description provided")
    description, _ = lines.description(end)
    return SubmitDescription(Command.SUBMIT_DESCRIPTION, place, name, description)


class Context(NamedTuple):
    """The context of a command: its file (``file`` is its last part), the directory in force, whether any character may
    be part of a node's name, and the lines behind it."""

    place: Place
    file: str
    directory: str
    any_characters: bool
    lines: Statements


def parse_command(command: Command, keyword: str, words: Words, context: Context) -> Statement:
    """The command of a line whose keyword has been read. Raises Bad."""
    try:
        found = _parse(command, keyword, words, context)
    except Bad as error:
        raise (Bad(words.error) if words.error else error) from None
    if words.error:
        raise Bad(words.error)
    return found


def _parse(command: Command, keyword: str, words: Words, context: Context) -> Statement:
    if command in NODE_COMMANDS:
        _external(command, words)
        return parse_node(command, context.place, words, context.lines, context.any_characters)
    if command is Command.SUBMIT_DESCRIPTION:
        return parse_submit_description(context.place, words, context.lines)
    if command is Command.PARENT:
        return _parent(words, context.place, weak=keyword == "WEAK")
    if command is Command.CONFIG:
        return _config(words, context)
    if command is Command.SAVE_POINT_FILE:
        return _save_point(words, context)
    return _PARSERS[command](words, command, context.place)


def _external(command: Command, words: Words) -> None:
    if command is Command.SUBDAG and normal(words.next()) != "EXTERNAL":
        raise Bad("Missing EXTERNAL keyword")


def _need(words: Words, missing: str, trim: bool = False) -> str:
    word = words.next(trim)
    if not word:
        raise Bad(missing)
    return word


def _node(words: Words) -> str:
    return _need(words, "No node name specified")


def _end(words: Words) -> None:
    junk = words.next()
    if junk:
        raise Bad(f"Unexpected token '{junk}'")


def _number(text: str, wrong: str, least: int | None = None, most: int | None = None) -> int:
    try:
        value = integer(text)
    except ValueError:
        raise Bad(wrong) from None
    if (least is not None and value < least) or (most is not None and value > most):
        raise Bad(wrong)
    return value


def _splice(words: Words, command: Command, place: Place) -> Statement:
    name = _need(words, "Missing splice name")
    file = _need(words, "Missing DAG file", trim=True)
    token = words.next()
    directory = ""
    if token:
        if normal(token) != "DIR":
            raise Bad(f"Unexpected token '{token}'")
        directory = words.next(trim=True)
        _end(words)
        if not directory:
            raise Bad("No directory path provided for DIR subcommand")
    return made.Splice(command, place, name, file, directory)


def _parent(words: Words, place: Place, weak: bool) -> Statement:
    if weak and normal(words.next()) != "PARENT":
        raise Bad("WEAK dependency missing PARENT keyword")
    token = words.next()
    if not token or normal(token) == "CHILD":
        raise Bad("No parent node(s) specified")
    parents: list[str] = []
    children: list[str] = []
    target = parents
    wrong = "Missing CHILD specifier"
    while token:
        if normal(token) == "CHILD":
            target, wrong = (children, "") if words.peek() else (target, "No children node(s) specified")
        else:
            target.append(token)
        token = words.next()
    if wrong:
        raise Bad(wrong)
    return made.ParentChild(Command.PARENT, place, sorted(set(parents)), sorted(set(children)), weak)


def _script(words: Words, command: Command, place: Place) -> Statement:
    defer: tuple[int, int] | None = None
    debug: tuple[str, str] | None = None
    while (token := words.next()).upper() not in ("PRE", "POST", "HOLD"):
        if normal(token) == "DEFER":
            status = _need(words, "DEFER missing status value")
            code = _number(status, f"Invalid DEFER status value '{status}'")
            seconds = _need(words, "DEFER missing time value")
            defer = code, _number(seconds, f"Invalid DEFER time value '{seconds}'")
        elif normal(token) == "DEBUG":
            debug = _debug(words)
        else:
            raise Bad("Missing script type (PRE, POST, HOLD) and optional sub-commands (DEFER, DEBUG)")
    node = _node(words)
    line = words.remain()
    if not line:
        raise Bad("No script specified")
    return made.Script(command, place, node, token.upper(), line, defer, debug)


def _debug(words: Words) -> tuple[str, str]:
    file = _need(words, "DEBUG missing filename")
    stream = _need(words, "DEBUG missing output stream type (STDOUT, STDERR, ALL)")
    if stream.upper() not in ("STDOUT", "STDERR", "ALL"):
        raise Bad(f"Unknown DEBUG output stream type '{stream}'")
    return file, stream.upper()


def _retry(words: Words, command: Command, place: Place) -> Statement:
    node = _node(words)
    token = _need(words, "Missing max retry value")
    most = _number(token, f"Invalid max retry value '{token}' (Must be positive integer)", least=0)
    token = words.next()
    if not token:
        return made.Retry(command, place, node, most)
    if normal(token) != "UNLESS_EXIT":
        raise Bad(f"Unexpected token '{token}'")
    token = _need(words, "UNLESS-EXIT missing exit code")
    unless = _number(token, f"Invalid UNLESS-EXIT code '{token}' specified")
    _end(words)
    return made.Retry(command, place, node, most, unless)


def _abort(words: Words, command: Command, place: Place) -> Statement:
    node = _node(words)
    token = _need(words, "Missing exit status to abort on")
    status = _number(token, f"Invalid exit status '{token}' specified")
    token = words.next()
    if not token:
        return made.AbortDagOn(command, place, node, status)
    if normal(token) != "RETURN":
        raise Bad(f"Unexpected token '{token}'")
    token = _need(words, "RETURN is missing value")
    code = _number(token, f"Invalid RETURN code '{token}' (Must be between 0 and 255)", least=0, most=255)
    _end(words)
    return made.AbortDagOn(command, place, node, status, code)


def _vars(words: Words, command: Command, place: Place) -> Statement:
    node = _node(words)
    prepend = {"PREPEND": True, "APPEND": False}.get(normal(words.peek()))
    if prepend is not None:
        words.next()
    pairs: dict[str, str] = {}
    while (pair := words.pair()) is not None:
        key, value = pair
        if key in ("+", "My."):
            raise Bad("Variable name must contain at least one alphanumeric character")
        if key[0] == "+":
            key = "My." + key[1:]
        if key.lower().startswith("queue"):
            raise Bad(f"Illegal variable name '{key}': name can not begin with 'queue'")
        pairs[key] = value
    if not pairs:
        raise Bad("No key=value pairs specified")
    return made.Vars(command, place, node, tuple(sorted(pairs.items())), prepend)


#: The number that follows the node.
_NUMBERS = {Command.PRIORITY: "priority value", Command.PRE_SKIP: "exit code"}


def _node_number(words: Words, command: Command, place: Place) -> Statement:
    node = _node(words)
    what = _NUMBERS[command]
    token = _need(words, f"Missing {what}")
    value = _number(token, f"Invalid {what} '{token}'")
    _end(words)
    return made.Number(command, place, node, value)


def _tolerance(words: Words, command: Command, place: Place) -> Statement:
    node = _node(words)
    token = _need(words, "Missing failure tolerance value")
    percent = token.endswith("%")
    if percent:
        token = token[:-1]
        if not token:
            raise Bad("Empty percentage specified for failure tolerance")
    elif words.peek() == "%":
        percent = True
        words.next()
    value = _number(token, f"Invalid tolerance value '{token}'", least=0)
    mode = normal(words.peek())
    if mode in ("FAIL_FAST", "WAIT"):
        words.next()
    else:
        mode = ""
    _end(words)
    return made.Tolerance(command, place, node, value, percent, mode)


def _save_point(words: Words, context: Context) -> Statement:
    node = _node(words)
    if node.upper() == ALL_NODES:
        raise Bad("ALL_NODES cannot be used for save point file command")
    file = words.next(trim=True)
    if file:
        _end(words)
    return made.SavePoint(Command.SAVE_POINT_FILE, context.place, node, file or f"{node}-{context.file}.save")


def _category(words: Words, command: Command, place: Place) -> Statement:
    node = _node(words)
    name = _need(words, "No category name specified")
    _end(words)
    return made.Category(command, place, node, name)


def _max_jobs(words: Words, command: Command, place: Place) -> Statement:
    name = _need(words, "No category name specified")
    token = _need(words, "No throttle limit specified")
    limit = _number(token, f"Invalid throttle limit '{token}'", least=0)
    _end(words)
    return made.Number(command, place, name, limit)


def _config(words: Words, context: Context) -> Statement:
    file = _need(words, "No configuration file specified", trim=True)
    _end(words)
    if not file.startswith("/"):
        file = f"{context.directory}/{file}"
    return made.Named(Command.CONFIG, context.place, file)


def _file(words: Words, command: Command, place: Place) -> Statement:
    file = _need(words, "No include file specified", trim=True)
    _end(words)
    return made.Named(command, place, file)


def _done(words: Words, command: Command, place: Place) -> Statement:
    node = _node(words)
    _end(words)
    return made.Named(command, place, node)


def _dot(words: Words, command: Command, place: Place) -> Statement:
    file = _need(words, "No file specified", trim=True)
    flags = {"UPDATE": False, "OVERWRITE": False}
    include = ""
    while token := words.next():
        word = normal(token)
        wanted = not word.startswith("DONT_")
        if word.removeprefix("DONT_") in flags:
            flags[word.removeprefix("DONT_")] = wanted
        elif word == "INCLUDE":
            include = _need(words, "Missing INCLUDE header file")
        else:
            raise Bad(f"Unexpected token '{token}'")
    return made.Dot(command, place, file, flags["UPDATE"], flags["OVERWRITE"], include)


def _node_status(words: Words, command: Command, place: Place) -> Statement:
    file = _need(words, "No file specified", trim=True)
    seconds, always = 60, False
    while token := words.next():
        if normal(token) == "ALWAYS_UPDATE":
            always = True
        else:
            seconds = _number(token, f"Unexpected token '{token}'")
    return made.NodeStatusFile(command, place, file, seconds, always)


def _env(words: Words, command: Command, place: Place) -> Statement:
    token = _need(words, "Missing action (SET or GET) and variables")
    action = normal(token)
    if action not in ("SET", "GET"):
        raise Bad(f"Unexpected token '{token}'")
    variables = words.remain()
    if action == "GET":
        variables = ",".join(variables.replace(",", " ").split())
    if not variables.strip():
        raise Bad("No environment variables provided")
    return made.Env(command, place, variables, action == "SET")


def _set_job_attr(words: Words, command: Command, place: Place) -> Statement:
    line = words.remain()
    if not line:
        raise Bad("No attribute line (key = value) provided")
    return made.Named(command, place, line)


def _reject(words: Words, command: Command, place: Place) -> Statement:
    _end(words)
    return made.Reject(command, place)


def _connect(words: Words, command: Command, place: Place) -> Statement:
    parent, child = words.next(), words.next()
    if not parent or not child:
        raise Bad("Missing splice(s) to connect")
    _end(words)
    return made.Connect(command, place, parent, child)


def _pin(words: Words, command: Command, place: Place) -> Statement:
    node = _node(words)
    token = _need(words, "No pin number specified")
    value = _number(token, f"Invalid pin number '{token}'", least=1)
    _end(words)
    return made.Number(command, place, node, value)


_PARSERS: dict[Command, Callable[[Words, Command, Place], Statement]] = {
    Command.SPLICE: _splice,
    Command.SCRIPT: _script,
    Command.RETRY: _retry,
    Command.ABORT_DAG_ON: _abort,
    Command.VARS: _vars,
    Command.PRIORITY: _node_number,
    Command.PRE_SKIP: _node_number,
    Command.TOLERANCE: _tolerance,
    Command.DONE: _done,
    Command.CATEGORY: _category,
    Command.MAXJOBS: _max_jobs,
    Command.INCLUDE: _file,
    Command.JOBSTATE_LOG: _file,
    Command.DOT: _dot,
    Command.NODE_STATUS_FILE: _node_status,
    Command.SET_JOB_ATTR: _set_job_attr,
    Command.ENV: _env,
    Command.REJECT: _reject,
    Command.PIN_IN: _pin,
    Command.PIN_OUT: _pin,
    Command.CONNECT: _connect,
}
