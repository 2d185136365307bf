"""``Submit``: a submit description as a mapping from commands to their texts, with the queue statement apart."""

from __future__ import annotations

import copy
import os
import re
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from condor_py.bindings import session
from condor_py.bindings.enums import SubmitMethod
from condor_py.bindings.errors import HTCondorException
from condor_py.lang.classad import ClassAd, ExprTree
from condor_py.lang.macro.lines import SPACE
from condor_py.lang.macro.macro_set import MacroSet, Origin

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.lang.config import Config
    from condor_py.lang.submit.macros import Macros
    from condor_py.lang.submit.submit_file import SubmitFile, Surroundings
    from condor_py.model.settings.submit import SubmitSettings

#: The name of descriptions in messages.
_NAME = "<submit>"
_ODD_NAME = re.compile(r"[^A-Za-z0-9_./]")


class Submit(MutableMapping[str, str]):
    """A submit description, made by a program.

    ``input`` is the text of a submit description (with a queue statement or without) or a mapping; ``queue`` the
    arguments of the queue statement. Commands can be set but not removed: one with an empty text has no effect.
    """

    def __init__(self, input: Mapping[str, Any] | str | None = None, queue: str | None = None, **kwargs: str) -> None:
        self._table = MacroSet()
        self._queue: str | None = None
        self._behind = ""  # the text behind the queue statement, where its items may be
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
        from condor_py.lang.submit.queue_args import queue_arguments
        from condor_py.lang.submit.submit_file import read_to_queue

        file = self._file()
        try:
            statement = read_to_queue(file, text)
        except (StatementError, MacroError) as error:
            raise ValueError(str(error)) from None
        if statement is not None:
            self._queue = queue_arguments(statement.text)
            if self._queue is None:
                raise ValueError(f"line {statement.origin.line} is no submit command: {statement.text}")
            self._behind = statement.lines.rest()

    # -- a mapping ----------------------------------------------------------------------------------------------------

    def _set(self, name: str, text: str) -> None:
        if not isinstance(name, str):
            raise TypeError("key must be a string")
        if name.lower() == "queue":
            raise ValueError("the queue statement can not be specified in a dictionary")
        if name.startswith("+"):
            name = "MY." + name[1:]
        if "$" in text:  # an earlier value of the same name is put in, as in a description
            from condor_py.lang.macro.errors import MacroError
            from condor_py.lang.macro.expand import expand_self

            try:
                text = expand_self(text, name, self._macros().lookup, env=os.environ)
            except MacroError as error:
                raise ValueError(str(error)) from None
        self._table.set(name, text, Origin(_NAME))

    def __getitem__(self, key: str) -> str:
        if not isinstance(key, str):
            raise TypeError("key must be a string")
        name = "my." + key[1:] if key.startswith("+") else key
        text = self._table.text(name)
        if text is None:
            raise KeyError(key)
        return text

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
        return iter([macro.name for macro in self._table])

    def __len__(self) -> int:
        return len(list(self._table))

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
        head, _, self._behind = text.partition("\n")
        self._queue = head.strip()

    def itemdata(self, qargs: str | None = None) -> Iterator[dict[str, str]] | None:
        """The items of the queue statement (or of ``qargs``), each as variable -> text, those too that a slice leaves
        out, as in HTCondor; None for one without items."""
        own = self
        if qargs is not None:
            own = Submit()
            own._table = self._table
            own.setQArgs(qargs)
        try:
            statement = own._parsed(own._statement()).statements[-1]
        except HTCondorException as error:
            raise ValueError(str(error)) from None
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
        """The text of a command with its macros replaced. HTCondorException says which of them has no value."""
        from condor_py.lang.macro.errors import MacroError

        if not isinstance(attr, str):
            raise TypeError("attr must be a string")
        try:
            return self._macros().expand(self[attr])
        except MacroError as error:
            raise HTCondorException(report(error)) from None

    # -- towards condor_submit ----------------------------------------------------------------------------------------

    def text(self, queue: str | None = None) -> str:
        """The whole description as condor_submit reads it, with ``queue`` as the queue statement if given."""
        lines = [f"{macro.name} = {macro.value}\n" for macro in self._table]
        return "".join(lines) + (self._statement() if queue is None else f"queue {queue}\n")

    def parsed(self, queue: str | None = None, pool: Pool | None = None) -> SubmitFile:
        """The description as the submit language reads it, for ``pool``. HTCondorException says what is wrong with
        it."""
        for macro in self._table:
            if _ODD_NAME.search(macro.name.removeprefix("MY.")):
                raise HTCondorException(f"{macro.name!r} is no name of a command")
            if "\0" in macro.value:
                raise HTCondorException(f"{macro.name} has a zero byte, which no value can hold")
        return self._parsed(self._statement() if queue is None else f"queue {queue}\n", pool)

    def _parsed(self, statement: str, pool: Pool | None = None) -> SubmitFile:
        return parse_text(statement, pool, [(macro.name, macro.value.strip(SPACE)) for macro in self._table])

    def _statement(self) -> str:
        """The queue statement, with the lines of its items."""
        from condor_py.lang.macro.errors import MacroError
        from condor_py.lang.submit.queue_args import QueueError, parse_queue

        if not self._queue:
            return "queue\n"
        lines: list[str] = []
        try:
            is_open = parse_queue(self._macros().expand(self._queue), lambda _count: 1).source == "<"
        except (QueueError, MacroError):
            is_open = False
        for line in self._behind.split("\n") if is_open else ():
            lines.append(f"{line}\n")
            if line.lstrip(SPACE).startswith(")"):
                break
        return f"queue {self._queue}\n{''.join(lines)}"

    def _file(self) -> SubmitFile:
        """A description that shares the commands of this one; without a configuration it has the default settings."""
        from condor_py.lang.submit.submit_file import new_file
        from condor_py.model.settings.submit import SubmitSettings

        try:
            settings = _settings(None)
        except HTCondorException:  # is due when jobs are made
            settings = SubmitSettings()
        file = new_file(_NAME, settings, surroundings())
        file.table = self._table
        return file

    def _macros(self) -> Macros:
        return self._file().macros(self._table)

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

        file = self.parsed()
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

        if not isinstance(options, dict):
            raise TypeError("options must be a dict")
        if not Path(filename).exists():
            raise HTCondorException(f"{filename} does not exist")
        return Submit(dagsubmit.description(filename, dagsubmit.checked(options)))

    @staticmethod
    def from_dag_options() -> None:
        """Print the options of ``from_dag``, their types and what they do."""
        from condor_py.bindings import dagsubmit

        sys.stdout.write(dagsubmit.table())


def _text(name: object, value: object) -> str:
    """A value of a description that a program gave, as its text. TypeError for what has none."""
    if not isinstance(value, (ClassAd, ExprTree, str, int, float, Path, bytes)):
        raise TypeError(f"the value of {name} must be a string")
    return text_of(value)


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


def _settings(pool: Pool | None) -> SubmitSettings:
    """The settings of a pool (None: the one that is configured now), with what the program has assigned to ``param``
    since: it counts for jobs that this process makes. HTCondorException when they are wrong."""
    from condor_py.lang.config.settings import OVERRIDE
    from condor_py.model.errors import CondorError

    present = session.pool().config
    assigned = tuple((macro.name, macro.value) for macro in present.macros if macro.origin is OVERRIDE)
    try:
        return _settings_of(present if pool is None else pool.config, assigned)
    except CondorError as error:
        raise HTCondorException(report(error)) from None


@lru_cache(maxsize=1)
def _settings_of(config: Config, assigned: tuple[tuple[str, str], ...]) -> SubmitSettings:
    from condor_py.lang.config.builders.submit import submit
    from condor_py.lang.config.settings import OVERRIDE

    mixed = copy.copy(config)
    mixed.macros = config.macros.copy()
    for name, value in assigned:
        mixed.macros.set(name, value, OVERRIDE)
    return submit(mixed)


def parse_text(text: str, pool: Pool | None = None, commands: Sequence[tuple[str, str]] = ()) -> SubmitFile:
    """A description read by the submit language behind ``commands``, with the settings of a pool (None: the one that is
    configured now).

    HTCondorException says what is wrong with it.
    """
    from condor_py.lang.submit.submit_file import parse
    from condor_py.model.errors import CondorError

    try:
        file = parse(text, _NAME, settings=_settings(pool), surroundings=surroundings(), defines=commands)
    except CondorError as error:
        raise HTCondorException(report(error)) from None
    if file.failure is not None:
        raise HTCondorException(report(file.failure))
    return file


def report(error: Exception) -> str:
    """An error in one line, without the prefix that the command prints."""
    text = str(getattr(error, "report", error)).strip()
    return " ".join(line.strip().removeprefix("ERROR: ") for line in text.splitlines() if line.strip())
