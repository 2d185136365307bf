"""One declarative table per tool, and HTCondor's rules for reading a command line with it.

From a `ToolSpec` come the parser (here), the ``-help`` text (`command`), and man pages and shell completions
(`generate`). The rules of spelling are those of HTCondor's ``is_dash_arg_prefix``:
one dash and a prefix of at least ``min_length`` characters, two dashes and the whole name, case sensitive, the
first match in table order wins. typer cannot express these rules, and importing it costs 50 ms (100 ms more when it
converts a value, for pydantic), so a correct command line is read without it. Commands that HTCondor does not have
(condor_setup, condor_report, condor_metrics ...) are spelled like the others and read by the same parser.
"""

from __future__ import annotations

import sys

from condor_py.model.copies import changed
from condor_py.model.errors import CondorError
from condor_py.model.texts import leading_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, overload

#: ``min_length`` of an option that must be written in full.
EXACT = 0


class Opt:
    """One option.

    ``arg`` names its values in help, one word a value (``"FMT EXPR"`` takes two); None makes it a flag.
    ``colon`` names the text that may follow the name after a colon (``-af:jh``); None forbids a colon.
    ``variadic`` options take every following argument up to the next one that starts with a dash.
    The value of an ``optional`` one is the next argument, unless that starts with a dash or there is none.
    ``dash_value`` accepts a value that itself starts with a dash.
    ``missing`` is the error text when a value is missing; ``{spelling}`` and ``{name}`` are filled in.
    ``convert`` turns each value from text; on ValueError the user sees ``invalid`` ({value} is filled in too).
    ``same_as`` makes this another spelling of the option of that name. ``hidden`` keeps it out of help.
    ``takes`` completes the value in shells: "file", "dir" or "" (nothing).
    """

    __slots__ = (
        "arg",
        "colon",
        "convert",
        "dash_value",
        "group",
        "help",
        "hidden",
        "invalid",
        "min_length",
        "missing",
        "name",
        "optional",
        "same_as",
        "takes",
        "variadic",
    )

    def __init__(
        self,
        name: str,
        min_length: int = 1,
        arg: str | None = None,
        help: str = "",
        colon: str | None = None,
        variadic: bool = False,
        dash_value: bool = False,
        missing: str = "",
        invalid: str = "",
        convert: Callable[[str], Any] = str,
        same_as: str = "",
        group: str = "Options",
        hidden: bool = False,
        takes: str = "",
        optional: bool = False,
    ) -> None:
        self.name = name
        self.min_length = min_length
        self.arg = arg
        self.help = help
        self.colon = colon
        self.variadic = variadic
        self.dash_value = dash_value
        self.missing = missing
        self.invalid = invalid
        self.convert = convert
        self.same_as = same_as
        self.group = group
        self.hidden = hidden
        self.takes = takes
        self.optional = optional

    @property
    def key(self) -> str:
        """The name under which uses of this option are found."""
        return self.same_as or self.name

    @property
    def value_count(self) -> int:
        """Return how many arguments follow the option (0 for flags and for variadic options)."""
        return 0 if self.arg is None or self.variadic else len(self.arg.split())


class ToolSpec:
    """A tool: its name, the usage words after the name, its options in matching order, and its texts.

    ``missing`` and ``invalid`` are the default texts for a missing or refused value; ``unknown`` the text for an
    unknown option, in which ``{arg}`` is the argument. After errors of the kinds in ``usage_after`` ("unknown",
    "missing", "value", "" for a tool's own) the help follows on ``usage_stream`` ("stdout" or "stderr").
    ``sections`` are further headings of the manual page with their texts, laid out as they are, or a function that
    makes them.
    ``numbers`` lets arguments such as ``-5`` pass as positional ones, ``dash`` a ``-`` alone.
    """

    __slots__ = (
        "dash",
        "description",
        "examples",
        "exit_status",
        "invalid",
        "missing",
        "name",
        "numbers",
        "options",
        "positional",
        "positional_help",
        "sections",
        "see_also",
        "summary",
        "unknown",
        "usage",
        "usage_after",
        "usage_stream",
    )

    def __init__(
        self,
        name: str,
        usage: str,
        options: tuple[Opt, ...],
        summary: str,
        positional: str = "",
        positional_help: str = "",
        description: str = "",
        examples: tuple[tuple[str, str], ...] = (),
        exit_status: str = "0 on success, 1 when something failed or the command line is wrong.",
        see_also: tuple[str, ...] = (),
        sections: tuple[tuple[str, str], ...] | Callable[[], tuple[tuple[str, str], ...]] = (),
        missing: str = "{tool}: -{name} requires another argument",
        invalid: str = "{tool}: {value} is not a valid value for -{name}",
        unknown: str = "Error: unrecognized argument {arg}",
        usage_after: tuple[str, ...] = ("unknown",),
        usage_stream: str = "stderr",
        numbers: bool = False,
        dash: bool = True,
    ) -> None:
        self.name = name
        self.usage = usage
        self.options = options
        self.summary = summary
        self.positional = positional
        self.positional_help = positional_help
        self.description = description
        self.examples = examples
        self.exit_status = exit_status
        self.see_also = see_also
        self.sections = sections
        self.missing = missing
        self.invalid = invalid
        self.unknown = unknown
        self.usage_after = usage_after
        self.usage_stream = usage_stream
        self.numbers = numbers
        self.dash = dash


class UsageError(CondorError):
    """A command line that cannot be understood: ``option`` is the table name concerned, ``kind`` what is wrong.

    ``argument`` is what cannot be understood, as it was written: an unknown option, or a refused value.
    """

    def __init__(self, text: str, spec: ToolSpec, option: str = "", kind: str = "", argument: str = "") -> None:
        super().__init__(text)
        self.spec = spec
        self.option = option
        self.kind = kind
        self.argument = argument


class Use:
    """One occurrence of an option: its table name, how it was spelled, the text after the colon, its values.

    ``position`` is its index among the arguments. A positional argument is a Use with an empty name.
    """

    __slots__ = ("colon", "name", "position", "spelling", "values")

    def __init__(self, name: str, spelling: str, colon: str | None, values: tuple[Any, ...], position: int) -> None:
        self.name = name
        self.spelling = spelling
        self.colon = colon
        self.values = values
        self.position = position


class Args:
    """A command line that was understood: every use of an option in order, and the positional arguments."""

    def __init__(self, spec: ToolSpec, uses: tuple[Use, ...]) -> None:
        self.spec = spec
        #: Options and positional arguments in the order of the command line.
        self.uses = uses
        #: The positional arguments in order.
        self.positional: tuple[str, ...] = tuple(use.values[0] for use in uses if not use.name)
        self._names = {use.name for use in uses}

    def has(self, name: str) -> bool:
        """True when option ``name`` was given."""
        return name in self._names

    def all(self, name: str) -> list[Use]:
        """Every use of option ``name``, in order."""
        return [use for use in self.uses if use.name == name]

    def last(self, *names: str) -> Use | None:
        """The last use of any of these options."""
        found = [use for use in self.uses if use.name in names]
        return found[-1] if found else None

    if TYPE_CHECKING:

        @overload
        def text(self, name: str, default: None = None) -> str | None: ...

        @overload
        def text(self, name: str, default: str) -> str: ...

    def text(self, name: str, default: str | None = None) -> str | None:
        """The (last) value of option ``name`` as text, else ``default``."""
        use = self.last(name)
        return default if use is None else str(use.values[0])

    def texts(self, name: str) -> list[str]:
        """The first value of every use of option ``name``."""
        return [str(use.values[0]) for use in self.all(name)]

    if TYPE_CHECKING:

        @overload
        def number(self, name: str, default: None = None) -> int | None: ...

        @overload
        def number(self, name: str, default: int) -> int: ...

    def number(self, name: str, default: int | None = None) -> int | None:
        """The (last) value of option ``name``, which the table converts with int, else ``default``."""
        use = self.last(name)
        return default if use is None else int(use.values[0])

    def colon(self, name: str) -> str | None:
        """The colon text of the last use of ``name``; None without use or colon."""
        use = self.last(name)
        return None if use is None else use.colon


def parse(spec: ToolSpec, argv: Sequence[str]) -> Args:
    """The command line with its values converted as the table says. Raises UsageError."""
    converters = {option.key: option for option in spec.options if option.convert is not str}
    uses = [_convert(spec, converters[use.name], use) if use.name in converters else use for use in scan(spec, argv)]
    _check_names(spec, uses)
    _check_colons(spec, uses)
    _tell_of_idle(spec, uses)
    return Args(spec, tuple(uses))


#: Options whose (last) value is an expression about ads, in every tool that has them.
_EXPRESSIONS = ("format", "sort")
#: Options whose value is a condition, unless the tool takes a time there (condor_report -since).
_CONDITIONS = ("constraint", "slotconstraint", "schedd-constraint", "since", "start", "check", "wait-for-ready")


def _check_names(spec: ToolSpec, uses: Sequence[Use]) -> None:
    """On a terminal, name attributes that are probably misspelled in a constraint, a column or a list."""
    texts = [str(use.values[-1]) for use in uses if use.name in _EXPRESSIONS]
    texts += [str(value) for use in uses if use.name in ("autoformat", "aaf") for value in use.values]
    lists = [str(use.values[0]) for use in uses if use.name == "attributes"]
    texts += [name for names in lists for name in names.replace(",", " ").split()]
    asked = [use for use in uses if use.name in _CONDITIONS and use.values]
    times = [option.name for option in spec.options if option.arg == "TIME"] if asked else []
    conditions = [str(use.values[-1]) for use in asked if use.name not in times]
    if (texts or conditions) and sys.stderr.isatty():
        from condor_py.cli.suggest import warn_of_names

        warn_of_names(texts, conditions)


def _hint_at_number(spec: ToolSpec, use: Use) -> None:
    """On a terminal, name values that are no numbers but count as one, as in HTCondor."""
    for text in use.values:
        number = leading_number(text)
        if text.strip().lstrip("+-") != str(abs(number)):
            from condor_py.cli.suggest import hint

            hint(f"{spec.name}: {use.spelling} takes a whole number: {text} counts as {number}")


def _check_colons(spec: ToolSpec, uses: Sequence[Use]) -> None:
    """On a terminal, name a text behind a colon that should be a number."""
    if sys.stderr.isatty():
        counted = {option.key for option in spec.options if option.colon in ("N", "SECONDS")}
        for use in uses:
            if use.name in counted and use.colon and not use.colon.isdecimal():
                sys.stderr.write(f"{spec.name}: {use.spelling}: {use.colon} is no number\n")


#: How the help of an option begins that does nothing; the reason follows.
ACCEPTED = "accepted; "


def _tell_of_idle(spec: ToolSpec, uses: Sequence[Use]) -> None:
    """On a terminal, name options that are accepted for scripts and do nothing."""
    if not sys.stderr.isatty():
        return
    reasons = {option.key: option.help.removeprefix(ACCEPTED) for option in spec.options if is_idle(option)}
    for name in dict.fromkeys(use.name for use in uses if use.name in reasons):
        sys.stderr.write(f"{spec.name}: -{name} does nothing: {reasons[name]}\n")


def is_idle(option: Opt) -> bool:
    """Whether an option is accepted and does nothing."""
    return option.help.startswith(ACCEPTED)


def _convert(spec: ToolSpec, option: Opt, use: Use) -> Use:
    if option.convert is leading_number:
        _hint_at_number(spec, use)
    try:
        return changed(use, values=tuple(option.convert(value) for value in use.values))
    except ValueError:
        given = " ".join(use.values)
        template = option.invalid or spec.invalid
        text = template.format(tool=spec.name, name=option.name, spelling=use.spelling, value=given)
        raise UsageError(text, spec, option.key, kind="value", argument=given) from None


def match_option(options: Sequence[Opt], arg: str) -> tuple[Opt, str | None] | None:
    """The option that ``arg`` (with its dashes) names and its colon text, or None."""
    exact = arg.startswith("--")
    body = arg[2:] if exact else arg[1:]
    word, has_colon, colon = body.partition(":")
    if not word:
        return None
    for option in options:
        if has_colon and option.colon is None:
            continue
        if exact or option.min_length == EXACT:
            matches = word == option.name
        else:
            matches = len(word) >= option.min_length and option.name.startswith(word)
        if matches:
            return option, colon if has_colon else None
    return None


def scan(spec: ToolSpec, argv: Sequence[str]) -> list[Use]:
    """The uses of options and the positional arguments of ``argv`` in order, values still text.

    Raises UsageError for an unknown option or a missing value.
    """
    uses: list[Use] = []
    at = 0
    while at < len(argv):
        arg = argv[at]
        if not arg.startswith("-") or (arg == "-" and spec.dash) or (spec.numbers and arg[1:].isdigit()):
            uses.append(Use("", arg, None, (arg,), at))
            at += 1
            continue
        found = match_option(spec.options, arg)
        if found is None:
            raise UsageError(spec.unknown.format(arg=arg, tool=spec.name), spec, kind="unknown", argument=arg)
        option, colon = found
        values, after = _take_values(spec, option, arg, argv, at + 1)
        uses.append(Use(option.key, arg, colon, values, at))
        at = after
    return uses


def _take_values(spec: ToolSpec, option: Opt, arg: str, argv: Sequence[str], start: int) -> tuple[tuple[str, ...], int]:
    if option.variadic:
        end = start
        while end < len(argv) and not argv[end].startswith("-"):
            end += 1
        if end == start:
            raise missing_value(spec, option, arg)
        lone_dash = end < len(argv) and argv[end] == "-"
        return tuple(argv[start:end]), end + (1 if lone_dash else 0)
    end = start + option.value_count
    if option.optional and (end > len(argv) or argv[start].startswith("-")):
        return (), start
    values = tuple(argv[start:end])
    refused = not option.dash_value and any(value.startswith("-") and value != "-" for value in values)
    if len(values) < option.value_count or refused:
        raise missing_value(spec, option, arg)
    return values, end


def missing_value(spec: ToolSpec, option: Opt, arg: str) -> UsageError:
    """The error of an option whose value is missing."""
    template = option.missing or spec.missing
    text = template.format(tool=spec.name, name=option.name, spelling=arg.split(":")[0])
    return UsageError(text, spec, option.key, kind="missing")
