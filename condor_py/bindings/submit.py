"""``Submit``: a submit description as a mapping from commands to their texts, with the queue statement apart."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from condor_py.bindings import session
from condor_py.bindings.enums import SubmitMethod
from condor_py.bindings.errors import HTCondorException
from condor_py.lang.classad import ClassAd, ExprTree

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.lang.config import Config
    from condor_py.lang.submit.submit_file import SubmitFile, Surroundings


class Submit(MutableMapping[str, str]):
    """A submit description, made by a program.

    ``input`` is the text of a submit description (with a queue statement or without) or a mapping; ``queue`` the
    arguments of the queue statement. Commands can be set but not removed: one with an empty text has no effect.
    """

    def __init__(self, input: Mapping[str, Any] | str | None = None, queue: str | None = None, **kwargs: str) -> None:
        self._commands: dict[str, tuple[str, str]] = {}  # lower-case name -> (name, text)
        self._queue: str | None = None
        self._inline: list[str] = []  # the lines of "queue ... from (", without the brackets
        self._lacks_bracket = False
        self._method = int(SubmitMethod.PythonBindings)
        if isinstance(input, str):
            self._read(input)
        elif isinstance(input, Mapping):
            for name, value in input.items():
                self._set(name, _text(name, value))
        elif input is not None:
            raise TypeError("input must be a dictionary mapping string to strings, a string, or None")
        self.update(kwargs)
        if queue is not None:
            if not isinstance(queue, str):
                raise TypeError("queue must be a string")
            self.setQArgs(queue)

    # -- reading a text -----------------------------------------------------------------------------------------------

    def _read(self, text: str) -> None:
        from condor_py.lang.macro.errors import MacroError, StatementError
        from condor_py.lang.macro.statements import Assign, Command, Host, StatementReader
        from condor_py.lang.submit.queue_args import queue_arguments

        around = surroundings()
        host = Host(self.get, lambda value: value, around.sources.read, around.sources.run, lambda category, name: None)
        reader = StatementReader(text, "<submit>", host, submit=True)
        try:
            for statement in reader:
                if isinstance(statement, Assign):
                    self._set(statement.name, statement.value)
                elif isinstance(statement, Command):
                    arguments = queue_arguments(statement.text)
                    if arguments is None:
                        raise ValueError(f"line {statement.origin.line} is no submit command: {statement.text}")
                    self._queue = arguments.strip()
                    rest = text.splitlines()[statement.origin.line :]
                    self._take_inline(rest)
                    return
        except (StatementError, MacroError) as error:
            raise ValueError(str(error)) from None

    def _take_inline(self, rest: list[str]) -> None:
        if self._queue is None or not _is_open(self._queue):
            return
        end = next((number for number, line in enumerate(rest) if line.lstrip().startswith(")")), None)
        if end is not None:
            self._inline = [line.strip() for line in rest[:end] if not line.lstrip().startswith("#")]
        self._lacks_bracket = end is None  # who asks for the items is told

    # -- a mapping ----------------------------------------------------------------------------------------------------

    def _set(self, name: str, text: str) -> None:
        if not isinstance(name, str):
            raise TypeError("key must be a string")
        if name.lower() == "queue":
            raise ValueError("the queue statement can not be specified in a dictionary")
        if name.startswith("+"):
            name = "MY." + name[1:]
        key = name.lower()
        self._commands[key] = (self._commands[key][0] if key in self._commands else name, text)

    def __getitem__(self, key: str) -> str:
        if not isinstance(key, str):
            raise TypeError("key must be a string")
        name = "my." + key[1:] if key.startswith("+") else key
        try:
            return self._commands[name.lower()][1]
        except KeyError:
            raise KeyError(key) from None

    def __setitem__(self, key: str, value: str) -> None:
        if not isinstance(key, str):
            raise TypeError("key must be a string")
        if not isinstance(value, str):
            raise TypeError("value must be a string")
        self._set(key, value)

    def __delitem__(self, key: str) -> None:
        raise NotImplementedError(
            "Submit object keys can not be removed, but the empty string is defined to have no effect."
        )

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, _ in self._commands.values()])

    def __len__(self) -> int:
        return len(self._commands)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Submit({self})"

    # -- the queue statement ------------------------------------------------------------------------------------------

    def getQArgs(self) -> str:
        """The arguments of the queue statement; "" when there are none."""
        return self._queue or ""

    def setQArgs(self, args: str) -> None:
        """Replace the arguments of the queue statement; they may begin with ``queue``."""
        if not isinstance(args, str):
            raise TypeError("args must be a string")
        text = args.strip()
        first, _, rest = text.partition(" ")
        text = rest.strip() if first.lower() == "queue" else text
        head, _, lines = text.partition("\n")
        self._queue, self._inline, self._lacks_bracket = head.strip(), [], False
        self._take_inline(lines.splitlines())

    def itemdata(self, qargs: str | None = None) -> Iterator[dict[str, str]] | None:
        """The items of the queue statement (or of ``qargs``), each as variable -> text, those too that a slice leaves
        out, as in HTCondor; None for one without items."""
        own = self
        if qargs is not None:
            own = Submit()
            own._commands = dict(self._commands)
            own.setQArgs(qargs)
        if own._lacks_bracket:
            raise ValueError(f"the items of 'queue {own._queue}' have no closing bracket")
        statement = own.parsed().statements[-1]
        if not statement.args.mode:
            return None
        from condor_py.lang.submit.items import split_item

        names = statement.args.variables or ["Item"]
        if not statement.args.items:
            return None
        table = statement.args.table
        items = (split_item(item, len(names), table) for item in statement.args.items)
        return iter([dict(zip(names, item, strict=False)) for item in items])

    def expand(self, attr: str) -> str:
        """The text of a command with its macros replaced."""
        if not isinstance(attr, str):
            raise TypeError("attr must be a string")
        from condor_py.lang.macro.macro_set import MacroSet, Origin

        table = MacroSet()
        for name, text in self._commands.values():
            table.set(name, text, Origin("<submit>"))
        macros = self._empty().macros(table)
        return str(macros.expand(self[attr]))

    # -- towards condor_submit ----------------------------------------------------------------------------------------

    def text(self, queue: str | None = None) -> str:
        """The whole description as condor_submit reads it, with ``queue`` as the queue statement if given."""
        lines = [f"{name} = {text}\n" for name, text in self._commands.values()]
        if queue is not None:
            lines.append(f"queue {queue}\n")
        else:
            lines.append(f"queue {self._queue}\n" if self._queue else "queue\n")
            if self._queue and _is_open(self._queue):
                lines += [f"{line}\n" for line in self._inline] + ([] if self._lacks_bracket else [")\n"])
        return "".join(lines)

    def parsed(self, queue: str | None = None, pool: Pool | None = None) -> SubmitFile:
        """The description as the submit language reads it, for ``pool``. HTCondorException says what is wrong with
        it."""
        return parse_text(self.text(queue), pool)

    def _empty(self) -> SubmitFile:
        return parse_text("queue\n")

    def setSubmitMethod(self, method_value: SubmitMethod | int = -1, allow_reserved_values: bool = False) -> None:
        """Set the value of JobSubmitMethod; below 0 for no such attribute, below 100 only when allowed."""
        method = int(method_value)
        if 0 <= method < SubmitMethod.UserSet and not allow_reserved_values:
            raise ValueError("Submit method value must be 100 or greater, or allowed_reserved_values must be True.")
        self._method = method

    def getSubmitMethod(self) -> int:
        """Return the value of JobSubmitMethod."""
        return self._method

    def jobs(
        self,
        count: int = 0,
        itemdata: Any = None,
        clusterid: int = 1,
        procid: int = 0,
        qdate: int = 0,
        owner: str = "",
    ) -> NoReturn:
        """NotImplementedError, as in HTCondor's bindings: ``condor_submit -dry-run`` shows the ads."""
        raise NotImplementedError("condor_submit -dry-run shows the ads of the jobs")

    procs = jobs

    def issue_credentials(self) -> str | None:
        """Have the credentials ready that the jobs need, as condor_submit does. None: no page is to be visited.
        HTCondorException says what lacks."""
        from condor_py.client.credentials import prepare, wanted_services
        from condor_py.model.errors import CondorError

        file = self._empty() if not self else self.parsed()
        services = wanted_services(file, session.pool().config)
        if services is None:
            return None
        try:
            sends = prepare(session.pool(), file, services)
        except CondorError as error:
            raise HTCondorException(str(error)) from None
        if sends:
            self["MY.SendCredential"] = "true"
        return None

    @staticmethod
    def from_dag(filename: str, options: dict[str, int | bool | str] = {}) -> Submit:  # noqa: B006
        """The description of the condor_dagman job that runs the DAG of a file; see ``from_dag_options``.

        The description is in a file next to that of the DAG afterwards, as condor_submit_dag writes it.
        HTCondorException when the file, or condor_dagman, is not there, or when files of an earlier run are in the way.
        """
        from condor_py.bindings import dagsubmit
        from condor_py.bindings import dagsubmit as dagoptions

        if not isinstance(options, dict):
            raise TypeError("options must be a dict")
        if not Path(filename).exists():
            raise HTCondorException(f"{filename} does not exist")
        return Submit(dagsubmit.description(filename, dagoptions.checked(options)))

    @staticmethod
    def from_dag_options() -> None:
        """Print the options of ``from_dag``, their types and what they do."""
        from condor_py.bindings import dagsubmit as dagoptions

        sys.stdout.write(dagoptions.table())


def _text(name: object, value: object) -> str:
    """A value of a description that a program gave, as its text. TypeError for what has none."""
    if not isinstance(value, (ClassAd, ExprTree, str, int, float, Path, bytes)):
        raise TypeError(f"the value of {name} must be a string")
    return text_of(value)


def _is_open(queue: str) -> bool:
    """Whether the items of a queue statement go on in the next lines."""
    import re

    return re.search(r"(?:^|\s)(?:in|from)\s*(?:\[[^\]]*\]\s*)?\([^)]*\Z", queue, re.IGNORECASE) is not None


def text_of(value: object) -> str:
    """A value as the text of a command."""
    if isinstance(value, bytes):  # the bindings of HTCondor 24 take them; toil relies on it
        return value.decode("utf-8", "surrogateescape")
    return repr(value) if isinstance(value, ClassAd) else str(value)


def surroundings() -> Surroundings:
    """Return the surroundings that a description may refer to: the environment, files, commands, the clock."""
    import time
    import warnings
    from glob import glob as names

    from condor_py.lang.config.loader import read_text, run_command
    from condor_py.lang.submit.items import ItemSources
    from condor_py.lang.submit.submit_file import Surroundings

    def glob(pattern: str) -> list[str]:
        return sorted(name + "/" if os.path.isdir(name) and name[-1:] != "/" else name for name in names(pattern))

    sources = ItemSources(
        read_text, lambda command: run_command(command)[1], glob, lambda text: warnings.warn(text, stacklevel=2)
    )
    return Surroundings(os.environ, None, int(time.time()), os.getcwd(), sources)


def _with_assigned(config: Config) -> Config:
    """``config`` with what the program has assigned to ``param`` since: it counts for jobs that this process makes."""
    from condor_py.lang.config.settings import OVERRIDE

    present = session.pool().config
    assigned = [macro for macro in present.macros if macro.origin == OVERRIDE]
    if present is config or not assigned:
        return config
    mixed = copy.copy(config)
    mixed.macros = config.macros.copy()
    for macro in assigned:
        mixed.macros.set(macro.name, macro.value, macro.origin)
    return mixed


def parse_text(text: str, pool: Pool | None = None) -> SubmitFile:
    """A description read by the submit language, with the settings of a pool (None: the one that is configured now).

    HTCondorException says what is wrong with it.
    """
    from condor_py.lang.config.builders.submit import submit as submit_settings
    from condor_py.lang.submit.submit_file import parse
    from condor_py.model.errors import CondorError

    try:
        settings = submit_settings(_with_assigned((pool or session.pool()).config))
        file = parse(text, "<submit>", settings=settings, surroundings=surroundings())
    except CondorError as error:
        raise HTCondorException(report(error)) from None
    if file.failure is not None:
        raise HTCondorException(report(file.failure))
    return file


def report(error: Exception) -> str:
    """An error in one line, without the prefix that the command prints."""
    text = str(getattr(error, "report", error)).strip()
    return " ".join(line.strip().removeprefix("ERROR: ") for line in text.splitlines() if line.strip())
