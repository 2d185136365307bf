"""A submit description as read: its queue statements, each with the commands as they stood there."""

from __future__ import annotations

from functools import cache

from condor_py.lang.macro.errors import MacroError, StatementError
from condor_py.lang.macro.lines import first_word
from condor_py.lang.macro.macro_set import MacroSet, Origin
from condor_py.lang.macro.statements import Assign, Command, Host, StatementReader
from condor_py.lang.submit import text as classad_text
from condor_py.lang.submit import units
from condor_py.lang.submit.errors import Messages, ParseFailure, SubmitError
from condor_py.lang.submit.items import ItemSources, MatchOptions, load, read_inline
from condor_py.lang.submit.macros import Macros, default_macros
from condor_py.lang.submit.queue_args import QueueArgs, QueueError, fraction_of, parse_queue, queue_arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping, Sequence

    from condor_py.lang.macro.lines import LineReader
    from condor_py.model.settings.submit import SubmitSettings

_DAG_COMMANDS = (
    "JOB PROVISIONER FINAL SERVICE SPLICE SUBDAG PARENT SUBMIT-DESCRIPTION DONE PRE_SKIP SCRIPT PRIORITY VARS"
    " CATEGORY MAXJOBS ABORT-DAG-ON CONFIG ENV SET_JOB_ATTR DOT JOBSTATE_LOG NODE_STATUS_FILE SAVE_POINT_FILE REJECT"
)
_IS_A_DAG = "A DAG file was provided. Please provide a submit file or use condor_submit_dag."
_STRICT = {
    "false": "SubmitWarnEmptyMatches=false\nSubmitFailEmptyMatches=false\nSubmitWarnDuplicateMatches=false\n"
    "SubmitFailEmptyFields=false\nSubmitWarnEmptyFields=false",
    "true": "SubmitWarnEmptyMatches=true\nSubmitFailEmptyMatches=true\nSubmitWarnDuplicateMatches=true\n"
    "SubmitFailEmptyFields=false\nSubmitWarnEmptyFields=true",
    "harsh": "SubmitWarnEmptyMatches=true\nSubmitFailEmptyMatches=true\nSubmitWarnDuplicateMatches=true\n"
    "SubmitFailEmptyFields=true\nSubmitWarnEmptyFields=true",
}


#: The name of a description that is read from standard input.
STDIN = "<stdin>"


class Surroundings:
    """Inputs of a submit file from outside: the environment, randomness, the clock and the submitter's directory.

    ``random_below`` gives integers below its argument; ``now`` is Unix seconds; ``sources`` reads item files.
    """

    __slots__ = ("directory", "env", "now", "random_below", "sources")

    def __init__(
        self,
        env: Mapping[str, str],
        random_below: Callable[[int], int] | None,
        now: int,
        directory: str,
        sources: ItemSources,
    ) -> None:
        self.env = env
        self.random_below = random_below
        self.now = now
        self.directory = directory
        self.sources = sources


class QueueStatement:
    """One queue statement with its items, and the definitions that hold for its jobs.

    ``text`` is the statement as written, ``expanded`` without macros; ``is_argument`` if -queue brought it.
    """

    __slots__ = ("args", "expanded", "is_argument", "line", "table", "text")

    def __init__(
        self,
        args: QueueArgs,
        table: MacroSet,
        line: int,
        text: str = "queue",
        expanded: str = "queue",
        is_argument: bool = False,
    ) -> None:
        self.args = args
        self.table = table
        self.line = line
        self.text = text
        self.expanded = expanded
        self.is_argument = is_argument

    @property
    def rows(self) -> range:
        """The row numbers of the selected items; one row when there are no items to go through."""
        return self.args.slice.rows(len(self.args.items)) if self.args.mode else range(1)

    @property
    def step_count(self) -> int:
        """Jobs for each item; ``queue 0`` makes one."""
        return max(self.args.count, 1)

    @property
    def job_count(self) -> int:
        """The number of jobs that the statement makes."""
        return len(self.rows) * self.step_count

    def universe(self) -> str:
        """The universe as written. Jobs of one cluster must agree in it; they may differ in all else, as in HTCondor
        25."""
        return (self.table.text("universe") or self.table.text("jobuniverse") or "vanilla").lower()


class SubmitFile:
    """Everything read from a submit description.

    ``failure`` is set when reading stopped after at least one complete queue statement: it is due when the jobs
    before it have been made. ``used`` are the lower-case names that something has asked for and found, ``asked`` all
    that jobs were asked for.
    """

    __slots__ = (
        "asked",
        "defaults",
        "failure",
        "messages",
        "name",
        "settings",
        "statements",
        "surroundings",
        "table",
        "used",
    )

    def __init__(
        self,
        name: str,
        settings: SubmitSettings,
        surroundings: Surroundings,
        defaults: Mapping[str, str],
    ) -> None:
        self.name = name
        self.settings = settings
        self.surroundings = surroundings
        self.defaults = defaults
        self.statements: list[QueueStatement] = []
        self.messages = Messages()
        self.used: set[str] = set()
        self.asked: set[str] = set()
        self.failure: SubmitError | None = None
        #: Every command of the description, those behind the last queue statement too.
        self.table = MacroSet()

    @property
    def has_several_queues(self) -> bool:
        """True when the deprecation warning about several queue statements is due."""
        return len(self.statements) > 1

    @property
    def job_count(self) -> int:
        """The number of jobs that the description makes."""
        return sum(statement.job_count for statement in self.statements)

    def macros(self, table: MacroSet) -> Macros:
        """Look-up in ``table`` that counts uses for the whole description."""
        around = self.surroundings
        macros = Macros(
            table,
            self.defaults,
            env=around.env,
            random_below=around.random_below,
            directory=around.directory,
        )
        macros.used = self.used
        macros.asked = self.asked
        return macros

    def unused(self) -> dict[str, str]:
        """Warnings about lines and queue variables that nothing asked for, by lower-case name and in that order."""
        if not self.statements:
            return {}
        warnings = dict(self.macros(self.table).unused())
        for statement in self.statements:
            if count := fraction_of(queue_arguments(statement.expanded) or ""):
                warnings[f"queue {count}"] = f"queue {count}: {statement.args.count} is taken\n"
            for name in statement.args.variables:
                key = name.lower()
                defined = self.table.get(key)
                if key in self.used:
                    continue
                if defined is None:
                    warnings[key] = f"the Queue variable '{name}' was unused by condor_submit. Is it a typo?\n"
                elif defined.origin.line <= statement.line:  # the items have taken its value
                    warnings[key] = f"the line '{defined.name} = ' was unused by condor_submit. Is it a typo?\n"
        from condor_py.lang.submit.mistakes import partner_of

        given = {f"universe = {statement.universe()}" for statement in self.statements}
        for key in warnings:
            if (partner := partner_of(key)) and partner not in given:
                line = warnings[key].partition(" was unused")[0]
                warnings[key] = f"{line} does nothing: it needs {partner}\n"
        return {key: warnings[key] for key in sorted(warnings)}

    def meant(self, name: str) -> str:
        """Return the command or variable closest to a name that nothing asked for; "" without one, or for the name of a
        command."""
        from condor_py.lang.submit.manual import commands
        from condor_py.model.spelling import nearest

        if name in commands():
            return ""
        known = commands() | self.asked | {*self.used}
        return nearest(name, sorted(known - {name}))


def new_file(name: str, settings: SubmitSettings, surroundings: Surroundings) -> SubmitFile:
    """Return a description without commands."""
    defaults = default_macros(settings, "" if name == STDIN else name, surroundings.now)
    return SubmitFile(name, settings, surroundings, defaults)


def read_to_queue(file: SubmitFile, text: str) -> Command | None:
    """Read the commands of ``text`` into the table of ``file``, up to a line that is no command (a queue statement),
    which is returned; None without one. Raises StatementError and MacroError."""
    for statement in StatementReader(text, file.name, _Reader(file, (), None).host, submit=True):
        if isinstance(statement, Command):
            return statement
        if isinstance(statement, Assign):
            file.table.set(statement.name, statement.value, statement.origin)
    return None


def parse(
    text: str,
    name: str,
    *,
    settings: SubmitSettings,
    surroundings: Surroundings,
    defines: Sequence[tuple[str, str]] = (),
    appends: Sequence[str] = (),
    queue_args: str | None = None,
) -> SubmitFile:
    """Read a submit description.

    ``name`` is its file name as messages show it. ``defines`` are NAME=value arguments, which lines of the file
    replace; ``appends`` are lines put before each queue statement; ``queue_args`` is a queue statement (with its
    ``queue``) from the command line. Raises SubmitError when the first queue statement is not reached.
    """
    file = new_file(name, settings, surroundings)
    reader = _Reader(file, appends, queue_args)
    for define_name, value in defines:
        reader.table.set(define_name, value, Origin("<Argument>"))
    try:
        reader.read(text)
    except SubmitError as failure:
        if not file.statements:
            raise
        file.failure = failure
    return file


def _without_operator(text: str) -> tuple[str, str]:
    """Name and value of ``NAME value`` or ``NAME : value``."""
    match = _loose().match(text)
    return ("", "") if match is None else (match[1], match[2])


_OF_FACTORIES = ("max_materialize", "JobMaterializeLimit", "max_idle", "materialize_max_idle", "JobMaterializeMaxIdle")


@cache
def _loose() -> re.Pattern[str]:
    import re

    return re.compile(r"([A-Za-z_][\w.]*)(?:\s*:\s*|\s+)(.*)", re.DOTALL)


class _Reader:
    """Reads one description into a SubmitFile."""

    def __init__(self, file: SubmitFile, appends: Sequence[str], queue_args: str | None) -> None:
        self.file = file
        self.appends = appends
        self.queue_args = queue_args
        self.table = file.table
        self.macros = file.macros(self.table)
        sources = file.surroundings.sources
        self.host = Host(
            lookup=self._lookup,
            expand=self.macros.expand,
            read=sources.read,
            run=sources.run,
            template=self._template,
            env=file.surroundings.env,
        )

    def _lookup(self, name: str) -> str | None:
        value = self.macros.lookup(name)
        if value is not None:
            self.file.used.add(name.lower())
        return value

    def _template(self, category: str, name: str) -> str | None:
        if category.lower() == "strict":
            return _STRICT.get(name.lower()) if name else ""
        if category.lower() == "template":
            if not name:
                return ""
            return next((body for known, body in self.file.settings.templates if known.lower() == name.lower()), None)
        return None

    def read(self, text: str) -> None:
        """Carry out the statements; ParseFailure for the first that cannot be."""
        lines = 0
        try:
            for statement in StatementReader(text, self.file.name, self.host, submit=True):
                lines = statement.origin.line
                if isinstance(statement, Assign):
                    self._set(statement)
                elif isinstance(statement, Command):
                    lines = self._command(statement)
                else:
                    place = f'Warning "{statement.origin.source}", Line {statement.origin.line}'
                    self.file.messages.warn(f"{place}: {statement.text}\n")
        except StatementError as error:
            raise ParseFailure(self.file.name, error.line, error.reason) from None
        except MacroError as error:
            raise ParseFailure(self.file.name, lines, str(error)) from None
        self._warn_of_what_is_behind()
        if not self.file.statements:
            self._append(lines)
            self._queue(self.queue_args or "queue", text.count("\n"), None)

    def _warn_of_what_is_behind(self) -> None:
        """Commands behind the last queue statement have no job to count for."""
        last = self.file.statements[-1].line if self.file.statements else 0
        for macro in self.table:
            if last and macro.origin.source == self.file.name and macro.origin.line > last:
                text = f"{macro.name} = {macro.value} (line {macro.origin.line})"
                self.file.messages.warn(f"{text} comes after the last queue statement and does nothing\n")

    def _set(self, statement: Assign) -> None:
        self.table.set(statement.name, statement.value, statement.origin)

    def _command(self, command: Command) -> int:
        line = command.origin.line
        if queue_arguments(command.text) is None:
            closing = _IS_A_DAG if first_word(command.text).upper() in _DAG_COMMANDS.split() else ""
            raise ParseFailure(self.file.name, line, "", closing=closing)
        if command.origin.source != self.file.name:
            raise ParseFailure(self.file.name, line, "Queue statement not allowed in include file or command")
        if self.file.statements and self.file.settings.prevent_multi_queue:
            raise ParseFailure(self.file.name, line, "Extra data found after queue statement")
        self._append(line)
        if self.queue_args is not None:
            raise ParseFailure(self.file.name, line, "-queue argument conflicts with queue statement in submit file")
        self._queue(command.text, line, command.lines)
        if self._is_factory() and command.lines.next_statement() is not None:
            raise ParseFailure(self.file.name, command.lines.number, "Extra data found after queue statement")
        return command.lines.number

    def _is_factory(self) -> bool:
        """Whether the schedd makes the jobs of this description: then it has one queue statement, the last line."""
        return len(self.file.statements) == 1 and any((self.table.text(name) or "").strip() for name in _OF_FACTORIES)

    def _append(self, line: int) -> None:
        """Carry out what -append says. Between a name and its value a space or a colon is enough."""
        for extra in self.appends:
            try:
                for statement in StatementReader(extra, "<append>", self.host, submit=True):
                    if isinstance(statement, Command):
                        name, value = _without_operator(statement.text)
                        if not value or not name:
                            raise ParseFailure(self.file.name, line, f"-append {statement.text}: a command has a value")
                        self.table.set(name, value, statement.origin)
                    elif isinstance(statement, Assign):
                        self._set(statement)
            except StatementError as error:
                raise ParseFailure(self.file.name, line, error.reason) from None

    def _queue(self, text: str, line: int, lines: LineReader | None) -> None:
        try:
            expanded = self.macros.expand(text)
            args = parse_queue(queue_arguments(expanded) or "", classad_text.evaluate)
            if args.source == "<":
                if lines is None:
                    raise QueueError("unexpected error while attempting to read queue items from submit file.")
                read_inline(args, lines)
            load(args, self.file.surroundings.sources, self._match_options(args))
        except (QueueError, MacroError) as error:
            raise ParseFailure(self.file.name, lines.number if lines else line, str(error)) from None
        is_argument = text == self.queue_args
        self.file.statements.append(QueueStatement(args, self.table.copy(), line, text, expanded, is_argument))

    def _match_options(self, args: QueueArgs) -> MatchOptions:
        if args.mode != "matching":
            return MatchOptions()
        return MatchOptions(
            self._flag("SubmitWarnEmptyMatches", "submit_warn_empty_matches", True),
            self._flag("SubmitFailEmptyMatches", "submit_fail_empty_matches", False),
            self._flag("SubmitWarnDuplicateMatches", "submit_warn_duplicate_matches", True),
            self._flag("SubmitAllowDuplicateMatches", "submit_allow_duplicate_matches", False),
            self.macros.param("SubmitMatchDirectories", "submit_match_directories") or "yes",
        )

    def _flag(self, name: str, alt: str, default: bool) -> bool:
        value = self.macros.param(name, alt)
        if value is None:
            return default
        truth = units.parse_bool(value, classad_text.evaluate)
        if truth is None:
            raise self.file.messages.fail(f"{name}={value} is invalid, must eval to a boolean.\n")
        return truth
