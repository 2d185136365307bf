"""Carrying out transform rules on an ad: one statement after the other, macros expanded when their line is reached."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from condor_py.lang.classad import ClassAd, ClassAdParseError, ListValue, parse, value_text
from condor_py.lang.macro.errors import MacroError, StatementError
from condor_py.lang.macro.evaluate import Evaluated, Unparsed
from condor_py.lang.macro.expand import Expander
from condor_py.lang.macro.statements import Assign, Command, Host, StatementReader
from condor_py.lang.submit.bounds import check_bounds
from condor_py.lang.submit.text import canonical, unquote
from condor_py.lang.submit.transform import ENVELOPE, STATEMENTS, Transform, TransformError
from condor_py.model.bounds import BOUNDED
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.lang.classad.functions.regexps import Match, Pattern

_ATTRIBUTE = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")
_BLANK = " \t\r\n"
_DEFAULTS = {"iscluster": "0", "isclusterad": "0", "islinux": "1", "iswindows": "0", "iterating": "0"}
_DEFAULTS["latematerialization"] = "0"


def _silent(_text: str) -> None:
    """Discard a step of which no log is wanted."""


def _nothing(_name: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Log:
    """The receivers of messages about a run: ``step`` for each statement, ``error`` for what is skipped; no newline."""

    step: Callable[[str], None] = _silent
    error: Callable[[str], None] = _silent


class Session:
    """The macros of one run over an ad: they live on from one set of rules to the next.

    ``settings`` looks a name up in the configuration, ``env`` serves ``$ENV()``, ``given`` are macros set from
    outside. ``items`` are the variables that a TRANSFORM statement names: they hide the others until the rules define
    the name again. ``counters`` are those that every TRANSFORM statement has (Row, Step and their like): any definition
    hides them. All names are in lower case.
    ``read`` gives the text of a file that the rules include (None: they may not).
    """

    def __init__(
        self,
        settings: Callable[[str], str | None] = _nothing,
        env: Mapping[str, str] | None = None,
        given: Mapping[str, str] | None = None,
        read: Callable[[str], str] | None = None,
    ) -> None:
        self.settings = settings
        self.env = env
        self.read = read
        self.given = {name.lower(): value for name, value in (given or {}).items()}
        self.macros: dict[str, str] = dict(self.given)
        self.items: dict[str, str] = {}
        self.counters: dict[str, str] = {}

    def define(self, name: str, value: str) -> None:
        """Set a macro; an item's variable of that name is gone until the next ad."""
        self.macros[name.lower()] = value
        self.items.pop(name.lower(), None)

    def forget(self) -> None:
        """Drop what the rules have set, as before the next ad."""
        self.macros = dict(self.given)


class Subject:
    """The ad under transformation. ``changed`` holds, in order, the lower-case names of what was set or deleted.

    An attribute that only the chained parent has is deleted by hiding it behind ``undefined``, as the queue does it.
    """

    __slots__ = ("ad", "changed")

    def __init__(self, ad: ClassAd) -> None:
        self.ad = ad
        self.changed: dict[str, None] = {}

    def set(self, name: str, text: str) -> None:
        """Give an attribute a new expression."""
        self.ad.set_text(name, text)
        self.changed[name.lower()] = None

    def delete(self, name: str) -> bool:
        """Remove an attribute; whether there was one."""
        if not self.ad.has(name):
            return False
        self.ad.remove(name)
        if self.ad.has(name):
            self.ad.set_text(name, "undefined")
        self.changed[name.lower()] = None
        return True

    def check_bounds(self) -> None:
        """TransformError when the rules gave an attribute a value that no job may have."""
        changed = [binding for key in BOUNDED & self.changed.keys() if (binding := self.ad.attrs.get(key)) is not None]
        try:
            check_bounds([(binding.name, binding.text) for binding in changed])
        except CondorError as error:
            raise TransformError(str(error)) from None


def applies(transform: Transform, ad: ClassAd) -> bool:
    """Whether the REQUIREMENTS of the rules accept the ad."""
    if not transform.requirements:
        return True
    value = ad.raw(parse(transform.requirements))
    return bool(value) if type(value) in (bool, int, float) else False


def run(transform: Transform, subject: Subject, session: Session, log: Log) -> None:
    """Transform an ad in place. TransformError for rules that cannot be carried out to their end."""
    _Run(transform, subject, session, log).carry_out()


class _Run:
    def __init__(self, transform: Transform, subject: Subject, session: Session, log: Log) -> None:
        self.transform = transform
        self.subject = subject
        self.session = session
        self.log = log
        self.expander = Expander(self._lookup, env=session.env, evaluate=self._evaluate)

    def carry_out(self) -> None:
        """Do what the statements of the rules say, in their order."""
        source = self.transform.source
        host = Host(lookup=self._lookup, expand=self.expander.expand)
        if self.session.read is not None:
            host = changed(host, read=self.session.read)
        line = 0
        try:
            for statement in StatementReader(self.transform.body, source, host, submit=True):
                line = statement.origin.line
                if isinstance(statement, Assign):
                    self.session.define(statement.name, statement.value)
                elif isinstance(statement, Command):
                    self._command(statement.text)
                else:
                    self.log.error(f"WARNING: {statement.text}")
        except StatementError as error:
            raise TransformError(f"{source}, line {error.line}: {error.reason}") from None
        except (MacroError, TransformError) as error:
            raise TransformError(f"{source}, line {line}: {error}") from None

    # Macros

    def _lookup(self, name: str) -> str | None:
        key = name.lower()
        session = self.session
        value = session.items.get(key)
        if value is None:
            value = session.macros.get(key)
        if value is None:
            value = session.counters.get(key)
        if value is None and key.startswith("my."):
            value = self._attribute(key[3:])
        if value is None:
            value = _DEFAULTS.get(key)
        return session.settings(name) if value is None else value

    def _attribute(self, name: str) -> str | None:
        """An attribute as ``$(MY.name)`` shows it: strings bare, anything else as its expression."""
        text = self.subject.ad.text(name)
        if text is None:
            return None
        bare = unquote(text)
        return text if bare is None else bare

    def _evaluate(self, expression: str) -> Evaluated | None:
        """The value of an expression in the ad, for ``$INT()`` and its relatives."""
        try:
            value = self.subject.ad.raw(parse(expression))
        except ClassAdParseError:
            return None
        if type(value) in (bool, int, float, str):
            return value  # type: ignore[no-any-return]
        return Unparsed(value_text(value))

    # Statements

    def _command(self, text: str) -> None:
        word, at = _token(text, 0)
        keyword = word.upper()
        if keyword in ENVELOPE:
            return
        count = STATEMENTS.get(keyword)
        if count is None:
            raise TransformError(f"{word} is not a valid transform keyword")
        first = _skip(text, at)
        if first >= len(text):
            raise TransformError(f"{keyword} needs {_ARGUMENTS[count]}")
        if text[first] == "/" and keyword in ("COPY", "RENAME", "DELETE"):
            self._on_matches(keyword, text, first)
            return
        name, at = _token(text, first)
        if len(name) > 1 and name[-1] in ",=":
            if keyword != "EVALMACRO":  # HTCondor sets an attribute that no reader can name
                self.log.error(f"ERROR: {keyword} {name} does nothing: put a space before the {name[-1]}")
                return
            name = name[:-1]
        if count == 1:
            self._delete(name)
            return
        self._with_value(keyword, name, self.expander.expand(_second(keyword, text, at)))

    def _with_value(self, keyword: str, name: str, value: str) -> None:
        if keyword == "RENAME" or keyword == "COPY":
            self._move(keyword, name, value)
        elif keyword == "EVALMACRO":
            self._evaluate_macro(name, value)
        elif keyword == "EVALSET":
            self._evaluate_set(name, value)
        else:
            self.log.step(f"{keyword} {name} to {value}")
            if keyword == "SET":
                self._set(name, value)
            elif not self.subject.ad.has(name):
                self.log.step(f"SET {name} to {value}")
                self._set(name, value)

    def _set(self, name: str, value: str) -> None:
        text = canonical(value) if value else None
        if text is None:
            self.log.error(f"ERROR: SET {name} invalid expression : {value}")
        elif not _ATTRIBUTE.match(name):
            self.log.error(f"ERROR: could not set {name} to {value}")
        else:
            self.subject.set(name, text)

    def _value_of(self, keyword: str, name: str, expression: str) -> object | None:
        """The value of an expression in the ad; None, and a message, when it cannot be had."""
        self.log.step(f"{keyword} {name} to {expression}")
        if canonical(expression) is None:
            self.log.error(f"ERROR: {keyword} {name} could not evaluate : {expression}")
            return None
        value: object = self.subject.ad.raw(parse(expression))
        return value

    def _evaluate_macro(self, name: str, expression: str) -> None:
        value = self._value_of("EVALMACRO", name, expression)
        if value is not None:
            shown = _shown(value)
            self.session.define(name, shown)
            self.log.step(f"          {name} = {shown}")

    def _evaluate_set(self, name: str, expression: str) -> None:
        value = self._value_of("EVALSET", name, expression)
        if value is None:
            return
        if not _ATTRIBUTE.match(name):
            self.log.error(f"ERROR: could not set {name} to {_shown(value)}")
            return
        self.subject.set(name, value_text(value))
        self.log.step(f"    SET {name} to {_shown(value)}")

    def _delete(self, name: str) -> None:
        self.log.step(f"DELETE {name}")
        self.subject.delete(name)

    def _move(self, keyword: str, name: str, new: str) -> None:
        self.log.step(f"{keyword} {name} to {new}")
        if not _ATTRIBUTE.match(new):
            self.log.error(f"ERROR: {keyword} {name} new name {new} is not valid")
            return
        text = self.subject.ad.text(name)
        if text is None:
            return
        if keyword == "RENAME":
            self.subject.delete(name)
        self.subject.set(new, text)

    def _on_matches(self, keyword: str, text: str, first: int) -> None:
        """COPY, RENAME or DELETE of every attribute whose name a regular expression finds."""
        end = text.find("/", first + 1)
        if end < 0:
            raise TransformError("invalid regex")
        options, at = _token(text, end + 1) if text[end + 1 : end + 2].strip() else ("", end + 1)
        pattern = _pattern(text[first + 1 : end], options)
        new = "" if keyword == "DELETE" else self.expander.expand(_second(keyword, text, at))
        if pattern is None:
            self.log.error(f"ERROR: Error compiling regex '{text[first + 1 : end]}'. this entry will be ignored.")
            return
        names = sorted(name for name, _ in self.subject.ad.text_items())
        found = [(name, match) for name in names if (match := _search(pattern, name)) is not None]
        for name, match in found:
            if keyword == "DELETE":
                self._delete(name)
            else:
                self._move(keyword, name, _substitute(new, match))


_ARGUMENTS = {1: "an argument", 2: "2 arguments"}


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _token(text: str, at: int) -> tuple[str, int]:
    """The word at ``at`` (behind spaces) and where it ends; a quoted one without its quotes."""
    start = _skip(text, at)
    if start < len(text) and text[start] in "\"'":
        end = text.find(text[start], start + 1)
        return (text[start + 1 :], len(text)) if end < 0 else (text[start + 1 : end], end + 1)
    end = start
    while end < len(text) and text[end] not in _BLANK:
        end += 1
    return text[start:end], end


def _second(keyword: str, text: str, at: int) -> str:
    """The rest of the line as second argument; a lone ``=`` or ``,`` before it does not count."""
    start = _skip(text, at)
    word, end = _token(text, start)
    if word in ("=", ",") and text[start] not in "\"'":
        start = _skip(text, end)
    if start >= len(text):
        raise TransformError(f"{keyword} needs 2 arguments")
    return text[start:].rstrip(_BLANK)


def _pattern(regex: str, options: str) -> Pattern | None:
    """The compiled pattern, never minding case; None when it is not valid. TransformError for unknown options."""
    from condor_py.lang.classad.functions.regexps import compile_pattern

    if set(options) - set("gim"):
        raise TransformError(f"invalid regex: the option {options} is not one of g, i, m")
    return compile_pattern(regex, "im" if "m" in options else "i")


def _search(pattern: Pattern, name: str) -> Match | None:
    """The match of a pattern in a name. TransformError where it cannot be found in reasonable time."""
    from condor_py.lang.classad.functions.backtrack import StepLimit

    try:
        return pattern.find(name.encode("utf-8", "surrogateescape"))
    except StepLimit:
        raise TransformError(f"the regex takes too long to find in {name}") from None


def _substitute(template: str, match: Match) -> str:
    r"""``template`` with ``\0`` (the match) and ``\1`` ... (its groups, up to the last that took part) filled in."""
    groups = range(1, match.re.groups + 1)
    count = max((number for number in groups if match.group(number) is not None), default=0)

    def fill(reference: re.Match[str]) -> str:
        number = int(reference[1])
        return reference[0] if number > count else (match.group(number) or b"").decode()

    return re.sub(r"\\([0-9])", fill, template)


def _shown(value: object) -> str:
    """A value as a macro holds it: strings bare."""
    return value if isinstance(value, str) and not isinstance(value, ListValue) else value_text(value)
