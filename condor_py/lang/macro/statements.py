"""Reading configuration and submit text: an iterator of statements that both languages share.

The reader carries out what the languages have in common (``if``, ``include``, ``use``, ``error``, ``@=``
blocks, ``+=``, the self-reference of ``A = $(A) x``) and passes on what is left: settings, and in submit
text other lines (``queue``). It is lazy: a condition sees the settings that the consumer has taken over
from the statements before it.

::

    NAME = value        NAME += value       NAME +, = value         NAME @=TAG ... @TAG
    if CONDITION  elif CONDITION  else  endif
    include : FILE                          include ifexist : FILE
    include command : COMMAND               include command into CACHE : COMMAND
    use CATEGORY : NAME, NAME(arguments)
    error : text                            warning : text
"""

from __future__ import annotations

from functools import cache

from condor_py.lang.macro.conditions import ConditionError, IfStack, evaluate_condition
from condor_py.lang.macro.errors import CommandFailed, MacroError, StatementError
from condor_py.lang.macro.expand import Lookup, expand_self
from condor_py.lang.macro.lines import LineReader, first_word
from condor_py.lang.macro.macro_set import Origin
from condor_py.lang.macro.templates import expand_arguments, parse_calls
from condor_py.model.copies import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Mapping

MAX_NESTING = 20


@cache
def _name_pattern() -> re.Pattern[str]:
    import re

    return re.compile(r"[A-Za-z0-9_./]+\Z")


@cache
def _operator() -> re.Pattern[str]:
    import re

    return re.compile(r"=|:|@=|\+([,;|&*]?)(\1?)=")


_BLANK = " \t\r\v\f"
#: Most lines: NAME = value, unless the name is one of _WORDS.
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./"
_BLANKS = " \t\r\v\f"
_WORDS = frozenset(("if", "elif", "else", "endif", "queue"))


class Assign:
    """A setting: ``value`` is text to store as it is (``+=`` and self-references are done)."""

    __slots__ = ("name", "origin", "value")

    def __init__(self, name: str, value: str, origin: Origin) -> None:
        self.name = name
        self.value = value
        self.origin = origin


class Command:
    """A submit line that is no setting, such as ``queue 5``; ``lines`` is where its item lines follow."""

    __slots__ = ("lines", "origin", "text")

    def __init__(self, text: str, origin: Origin, lines: LineReader) -> None:
        self.text = text
        self.origin = origin
        self.lines = lines


class Warning:
    """Something to tell the user that stops nothing."""

    __slots__ = ("origin", "text")

    def __init__(self, text: str, origin: Origin) -> None:
        self.text = text
        self.origin = origin


Statement = Assign | Command | Warning


def _listed(stack: IfStack) -> str:
    """The lines of the blocks that are open."""
    return " and ".join(str(number) for number in stack.lines)


def _refuse_file(path: str) -> str:
    raise OSError(f"include of {path} is not allowed here")


def _refuse_save(path: str, _text: str) -> None:
    raise OSError(f"include into {path} is not allowed here")


def _no_template(_category: str, _name: str) -> str | None:
    return None


def _nothing_similar(_category: str, _name: str) -> str:
    return ""


class Host:
    """The functions and names that a reader needs from its surroundings.

    ``lookup`` gives unexpanded text, ``expand`` expands; ``read`` the text of a file and ``run`` the output of a
    command line (both raise OSError; ``run`` may raise CommandFailed for an exit code other than 0), ``save`` writes
    the cache of ``include into``; ``template`` gives the text of ``use CATEGORY : NAME`` (any text for an existing
    category and name ""), None when it does not exist. ``prefixes`` are local name and subsystem.
    """

    __slots__ = ("env", "expand", "lookup", "opened", "prefixes", "read", "run", "save", "similar", "template")

    def __init__(
        self,
        lookup: Lookup,
        expand: Callable[[str], str],
        read: Callable[[str], str] = _refuse_file,
        run: Callable[[str], str] = _refuse_file,
        save: Callable[[str, str], None] = _refuse_save,
        template: Callable[[str, str], str | None] = _no_template,
        prefixes: tuple[str, ...] = (),
        opened: Callable[[str], None] = lambda _name: None,
        similar: Callable[[str, str], str] = _nothing_similar,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.lookup = lookup
        self.expand = expand
        self.read = read
        self.run = run
        self.save = save
        self.template = template
        self.prefixes = prefixes
        #: Called with the name of every file or command (with its "|") that an include reads.
        self.opened = opened
        #: The category (for an empty name) or template that is spelled most like one that does not exist; "" for none.
        self.similar = similar
        #: The environment, for what an assignment expands at once (``A = $F(A)``).
        self.env = env


class _Parts:
    """A line cut at its operator. ``extra``: other words stand between the first word and the operator."""

    __slots__ = ("between", "extra", "operator", "right", "word")

    def __init__(self, word: str, between: str, operator: str, right: str, extra: bool) -> None:
        self.word = word
        self.between = between
        self.operator = operator
        self.right = right
        self.extra = extra


def _cut(text: str) -> _Parts | None:
    """``text`` cut at its operator, None when it is one word. The operator is "" without one."""
    word = first_word(text).partition("=")[0].partition(":")[0]
    rest = text[len(word) :]
    if not rest:
        return None
    if rest[0] in "=:":
        return _Parts(word, "", rest[0], rest[1:].lstrip(_BLANK), False)
    after = rest.lstrip(_BLANK)
    at = next((index for index, letter in enumerate(after) if letter in "=:@+"), len(after))
    match = _operator().match(after, at) if at < len(after) else None
    if match is None:
        return _Parts(word, after, "", "", at > 0)
    return _Parts(word, after[:at].rstrip(_BLANK), match[0], after[match.end() :].lstrip(_BLANK), at > 0)


def _plain(text: str) -> tuple[str, str] | None:
    """Name and value of ``NAME = value``; None for anything else."""
    name, found, value = text.partition("=")
    name = name.rstrip(_BLANKS)
    return (name, value.lstrip(_BLANKS)) if found and name and not name.strip(_LETTERS) else None


_QUEUE = frozenset(("queue", "iter", "itera", "iterat", "iterate"))


class StatementReader:
    """Iterates over the statements of a text; StatementError for a bad one."""

    def __init__(self, text: str, source: str, host: Host, *, submit: bool = False) -> None:
        self._host = host
        self._submit = submit
        self._lines = LineReader(text, source)

    def __iter__(self) -> Iterator[Statement]:
        return self._read(self._lines, 0, None)

    def _read(self, lines: LineReader, depth: int, template: Origin | None) -> Iterator[Statement]:
        """The statements of one file or template."""
        if lines.first_zero:
            raise StatementError(lines.source, lines.first_zero, "a zero byte, which no name and no value can hold")
        stack = IfStack()
        while (line := lines.next_statement()) is not None:
            text = line.text
            origin = Origin(lines.source, line.number)
            if template is not None:
                origin = changed(template, offset=line.number - 1)
            if text.startswith(":") and (stack.open or text[1:4].strip() == "if"):
                text = text[1:]
            try:
                plain = _plain(text)
                if plain is not None and plain[0].lower() not in _WORDS:
                    if stack.enabled:
                        yield self._setting(*plain, origin)
                    continue
                if stack.statement(text, line.number, self._condition) or not stack.enabled:
                    continue
                yield from self._statement(text, origin, lines, depth, in_template=template is not None)
                if self._submit and first_word(text).lower() in _QUEUE:
                    if stack.open:
                        what = f"the if of line {_listed(stack)} has no endif before the queue statement"
                        yield Warning(what, origin)
                    stack = IfStack()  # no if continues behind a queue statement, as in HTCondor
            except (ConditionError, MacroError) as error:
                raise _error(origin, str(error)) from error
        if stack.open:
            text = f"endif(s) not found before end-of-file, for the if of line {_listed(stack)}"
            raise StatementError(lines.source, lines.number, text)

    def _condition(self, text: str) -> bool:
        host = self._host
        return evaluate_condition(text, host.expand, host.lookup, self._has_template)

    def _has_template(self, category: str, name: str) -> bool:
        return self._host.template(category, name) is not None

    def _statement(
        self, text: str, origin: Origin, lines: LineReader, depth: int, *, in_template: bool
    ) -> Iterator[Statement]:
        parts = _cut(text)
        if parts is None or (not parts.operator and self._submit):
            if self._submit:
                yield Command(text, origin, lines)
            elif not text.startswith("["):
                raise _error(origin, f"'{text}' is not a setting: expected NAME = value")
            return
        if not parts.operator:
            raise _error(origin, f"'{text}' is not a setting: expected NAME = value")
        if parts.operator == ":":
            handled = self._keyword(parts, origin, depth, in_template)
            if handled is not None:
                yield from handled
                return
        if self._submit and (parts.extra or parts.operator == ":" or parts.word.lower() == "queue"):
            yield Command(text, origin, lines)
            return
        if parts.operator == ":" and parts.word.lower() != "runbenchmarks" and not in_template:
            yield Warning(f"obsolete use of ':' for parameter assignment at {parts.word} : {parts.right}", origin)
        yield self._assign(parts, origin, lines)

    def _keyword(self, parts: _Parts, origin: Origin, depth: int, in_template: bool) -> Iterator[Statement] | None:
        """Carry out ``use :``, ``include :``, ``error :`` and ``warning :``; None for any other word."""
        word = parts.word.removeprefix("@").lower()
        if word == "use":
            return self._use(parts, origin, depth)
        if word == "error":
            raise _error(origin, self._host.expand(parts.right))
        if word == "warning":
            return iter((Warning(self._host.expand(parts.right), origin),))
        if word == "include" and not in_template:
            return self._include(parts, origin, depth)
        return None

    def _assign(self, parts: _Parts, origin: Origin, lines: LineReader) -> Assign:
        host = self._host
        # Names in the text of a template stay as they are.
        name = parts.word if origin.template else host.expand(parts.word)
        if self._submit and name[:1] in ("+", "-") and parts.operator == "=":
            return Assign("MY." + name[1:], parts.right if name[0] == "+" else "", origin)
        if not _name_pattern().match(name):
            raise _error(origin, f"Illegal Identifier: <{name}>")
        value = parts.right
        if parts.operator == "@=":
            value = _block(lines, parts.right, name)
            if not origin.template:
                origin = changed(origin, line=lines.number)
        elif parts.operator.startswith("+"):
            value = _append(host.lookup(name), parts.operator[1:-1], value)
        return self._setting(name, value, origin)

    def _setting(self, name: str, value: str, origin: Origin) -> Assign:
        if "$" in value:
            host = self._host
            value = expand_self(value, name, host.lookup, prefixes=host.prefixes, env=host.env)
        return Assign(name, value, origin)

    def _use(self, parts: _Parts, origin: Origin, depth: int) -> Iterator[Statement]:
        category = self._host.expand(parts.between)
        if not category:
            raise _error(origin, f"use needs a keyword before : {parts.right}")
        if self._host.template(category, "") is None:
            hint = _hint(self._host.similar(category, ""))
            raise _error(origin, f"at use {category}:{parts.right}: there is no category {category}{hint}")
        if depth + 1 >= MAX_NESTING:
            raise _error(origin, f"use {category}: {parts.right} nesting too deep")
        for call in parse_calls(parts.right):
            text = self._host.template(category, call.name)
            if text is None:
                hint = _hint(self._host.similar(category, call.name))
                raise _error(origin, f"use {category}: does not recognise {call.name}{hint}")
            label = f"{category.upper()}:{call.name}"
            inner = changed(origin, template=label, offset=0)
            body = LineReader(expand_arguments(text, call.arguments), origin.source)
            try:
                yield from self._read(body, depth + 1, inner)
            except StatementError as error:
                if error.reason.startswith("use "):
                    raise  # a template used by this one has named itself already
                raise _error(origin, f"use {label} is invalid: {error.reason}") from error

    def _include(self, parts: _Parts, origin: Origin, depth: int) -> Iterator[Statement]:
        host = self._host
        options = _include_options(parts.between, origin)
        target = host.expand(parts.right)
        piped = target.endswith("|")
        command = options.command or piped
        bare = target.rstrip("| ") if piped else target
        name = f"{target} |" if command and not piped else target
        try:
            if options.into is not None:
                name, text = self._cached(options, bare, name, origin)
            else:
                text = host.run(bare) if command else host.read(target)
        except CommandFailed as error:
            if options.into is None:
                text = error.output
                yield Warning(f"{bare} {error}", origin)
            elif options.if_exists:
                return
            else:
                raise _error(origin, f"{bare} {error}") from error
        except IsADirectoryError:
            text = ""  # as in HTCondor: a directory holds no settings
        except OSError as error:
            if options.if_exists:
                return
            what = f"not a valid command, {bare}: " if command else f"can't open file {bare}: "
            raise _error(origin, what + (error.strerror or str(error))) from error
        if depth + 1 >= MAX_NESTING:
            raise _error(origin, f"includes nested too deep at {target}: does a file include itself?")
        host.opened(name)
        yield from self._read(LineReader(text, name), depth + 1, None)

    def _cached(self, options: _IncludeOptions, command: str, name: str, origin: Origin) -> tuple[str, str]:
        """Name and text of the cache of ``include command into``; ``name`` when it was made just now."""
        host = self._host
        cache = host.expand(options.into or "")
        if not cache or cache.endswith("|"):
            what = "may not be a script" if cache else "expanded to ''"
            raise _error(origin, f"destination for 'include into' {what}")
        try:
            return cache, host.read(cache)
        except OSError:
            text = host.run(command)
        try:
            host.save(cache, text)
        except OSError as error:
            if options.if_exists:
                raise
            raise _error(origin, f"can't open '{cache}' for write: {error.strerror or error}") from error
        return name, text


class _IncludeOptions:
    __slots__ = ("command", "if_exists", "into")

    def __init__(self, if_exists: bool, command: bool, into: str | None) -> None:
        self.if_exists = if_exists
        self.command = command
        self.into = into


def _include_options(text: str, origin: Origin) -> _IncludeOptions:
    words = text.split()
    if_exists = words[:1] in (["ifexist"], ["ifexists"])
    if if_exists:
        del words[0]
    if not words:
        return _IncludeOptions(if_exists, False, None)
    if words[0] not in ("output", "command"):
        raise _error(origin, f"unexpected keyword(s) '{text}' after include")
    # As in HTCondor, further words after "command" or "into FILE" mean nothing.
    if words[1:2] != ["into"]:
        return _IncludeOptions(if_exists, True, None)
    if len(words) < 3:
        raise _error(origin, f"unexpected keyword(s) '{text}' after include: expected filename after keyword 'into'")
    return _IncludeOptions(if_exists, True, words[2])


def _block(lines: LineReader, tag: str, name: str) -> str:
    """The value of a ``name @=tag`` block: its lines without indentation, empty lines and comments."""
    collected: list[str] = []
    first = lines.number
    while (line := lines.next_statement()) is not None:
        if line.text == "@" + tag:
            return "\n".join(collected)
        collected.append(line.text)
    raise StatementError(lines.source, first, f"Found end-of-file while scanning for '@{tag}', the end of {name}")


def _append(current: str | None, separator: str, value: str) -> str:
    """The text of ``NAME +<separator>= value``."""
    if not current:
        return value
    if len(separator) == 2:
        return f"{current} {separator} {value}"
    return current + (separator or " ") + value


def _hint(similar: str) -> str:
    return f", did you mean {similar}?" if similar else ""


def _error(origin: Origin, reason: str) -> StatementError:
    return StatementError(origin.source, origin.line, reason)
