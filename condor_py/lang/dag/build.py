"""From .dag files to a `Dag`: `build` for the files of a command line, `Builder` for more control."""

from __future__ import annotations

import posixpath
from array import array
from collections.abc import Iterator, Sequence
from itertools import count

from condor_py.lang.dag import modify, structure
from condor_py.lang.dag.commands import Named, Node, ParentChild, ParseError, Place, Reject, Splice, Statement
from condor_py.lang.dag.graph import NONE, Dag, Kind
from condor_py.lang.dag.keywords import FIRST_PASS, KEYWORDS, RESERVED, SUBMIT_TIME, Command
from condor_py.lang.dag.messages import QUIET, VERBOSE, DagError, Failed, Log, Note
from condor_py.lang.dag.reader import FileProblem, Files, Reader, joined, keyword_of
from condor_py.lang.dag.scope import Scope
from condor_py.model.settings.dagman import LanguageSettings


def build(
    names: Sequence[str], files: Files, directory: str, settings: LanguageSettings, use_dag_dir: bool = False
) -> tuple[Dag, list[Note]]:
    """The DAG of these files together, as seen from ``directory`` (absolute), and what there is to say about it.

    Raises DagError, whose notes end with why.
    """
    builder = Builder(files, directory, settings, use_dag_dir, several=len(names) > 1)
    for number, name in enumerate(names):
        builder.add(name, number)
    builder.check_throttles()
    return builder.finish(), builder.log.notes


class Builder:
    """Builds one DAG of one file or ``several``. What is added later speaks of nodes that are there already."""

    def __init__(
        self, files: Files, directory: str, settings: LanguageSettings, use_dag_dir: bool = False, several: bool = False
    ) -> None:
        self.settings = settings
        self.dag = Dag()
        self.starts = array("i")
        self.ends = array("i")
        #: For each edge whether it is weak; None until there is a weak one.
        self.weak: bytearray | None = None
        self.log = Log(settings.strict)
        self.use_dag_dir = use_dag_dir
        self.root = Scope()
        self.joins = count()
        self.described = count()
        self._files = files
        self._directory = directory
        self._munge = several and settings.munge_names
        self._open: set[str] = set()

    def add(self, name: str, number: int) -> None:
        """Add the ``number``-th file of the command line. Raises DagError."""
        self.log.say(f"Parsing {name} ...", VERBOSE)
        if self._file(name, self.root, self._directory, f"{number}." if self._munge else ""):
            return
        self.log.say(f"Failed to parse {name}", QUIET)
        raise DagError(self.log.notes)

    def add_partial(self, name: str, failure: str = "Failed to parse dag file") -> None:
        """Add a rescue or save point file, which names nodes as the whole DAG does. Raises DagError."""
        use_dag_dir, self.use_dag_dir = self.use_dag_dir, False
        if not self._file(name, self.root, self._directory, ""):
            self.log.say(failure, QUIET)
            raise DagError(self.log.notes)
        self.use_dag_dir = use_dag_dir

    def check_throttles(self) -> None:
        """Say which categories have no nodes or no limit. Raises DagError when that is an error."""
        used = set(self.dag.categories.values())
        for name, most in sorted(self.root.throttles.items()):
            if name not in used:
                text = f"Warning: category {name} has no assigned nodes, so the throttle setting ({most}) will have no"
                self.log.warning(f"{text} effect", 2)
            if most == NONE:
                self.log.warning(f"Warning: category {name} has no throttle value set", 2)

    def finish(self) -> Dag:
        """The DAG, whole."""
        root, dag = self.root, self.dag
        dag.order, dag.services = root.order, root.services
        dag.final, dag.provisioner = root.final, root.provisioner
        dag.descriptions, dag.throttles, dag.numbers = root.descriptions, root.throttles, root.names
        dag.connect(self.starts, self.ends, self.weak)
        return dag

    # ---- files -----------------------------------------------------------------------------------------------

    def _file(self, name: str, scope: Scope, directory: str, munge: str) -> bool:
        """Read a file into a scope and close that. False when it failed; why has been said."""
        entered = self._enter(name, directory)
        if entered is None or not self._read(entered[0], entered[1], scope, munge, shown=name):
            return False
        scope.close(self.dag, self.starts, self.ends, self.log)
        return True

    def _enter(self, name: str, directory: str) -> tuple[str, str] | None:
        """The file's name and the directory from which it is seen: its own with -UseDagDir."""
        if not self.use_dag_dir:
            return name, directory
        own = posixpath.dirname(name) or "."
        try:
            target = joined(directory, own) if own != "." else directory
            self._files.enter(target)
        except FileProblem as error:
            text = f"Unable to chdir to {own}: {error}"
            self.log.say(f"ERROR: Failed to change into DAG directory {own}: {text}", QUIET)
            return None
        return posixpath.basename(name), target

    def _read(self, name: str, directory: str, scope: Scope, munge: str, shown: str) -> bool:
        try:
            path = joined(directory, name)
            text = self._files.read(path)
        except FileProblem as error:
            self.log.say(f"ERROR: Failed to open {shown}: {error}", QUIET)
            return False
        if path in self._open:
            self.log.say(f"ERROR: Recursive DAG file parsing detected with {path}", QUIET)
            return False
        self._open.add(path)
        try:
            reader = Reader(text, name, directory, self.settings.any_characters)
            _File(self, reader, name, directory, scope, munge, reader.lines.odd).read()
        except Failed:
            return False
        finally:
            self._open.discard(path)
        return True

    def splice(self, command: Splice, directory: str, munge: str) -> Scope:
        """The splice of a SPLICE command, read and with its names. Raises Failed."""
        inside = directory
        if command.directory and command.directory != ".":
            inside = joined(directory, command.directory)
            try:
                self._files.enter(inside)
            except FileProblem as error:
                text = f"Unable to chdir to {command.directory}: {error}"
                raise self.log.error(f"ERROR: Failed to change to directory {command.directory}: {text}") from None
        shown = command.directory or "."
        self.log.say(f"Parsing Splice {command.name} in directory {shown} with file {command.file}", VERBOSE)
        scope = Scope(f"{munge}{command.name}+", command.directory, len(self.starts))
        if not self._file(command.file, scope, inside, munge):
            raise self.log.error(f"ERROR: Failed to parse splice {command.name}'s DAG file {command.file}")
        if scope.final != NONE:
            raise self.log.error(f"ERROR: Splice {command.name} has a FINAL node. This is not permitted.")
        scope.rename(self.dag)
        return scope

    def include(self, command: Named, scope: Scope, directory: str, munge: str) -> None:
        """The commands of another file. Raises Failed."""
        entered = self._enter(command.value, directory)
        if entered is None or not self._read(entered[0], entered[1], scope, munge, shown=command.value):
            raise Failed

    # ---- edges -----------------------------------------------------------------------------------------------

    def edge(self, parent: int, child: int, weak: bool = False) -> None:
        """Add an edge."""
        if weak and self.weak is None:
            self.weak = bytearray(len(self.starts))
        self.starts.append(parent)
        self.ends.append(child)
        if self.weak is not None:
            self.weak.append(weak)


class _File:
    """The two passes over one file.

    The lines of large files are nearly all ``JOB name file`` and ``PARENT a CHILD b``: these two take a short cut,
    which knows nothing of splices, munged names, quotes or errors and leaves what has any to the long way.
    """

    def __init__(
        self, builder: Builder, reader: Reader, name: str, directory: str, scope: Scope, munge: str, odd: bool
    ) -> None:
        self._builder = builder
        self._reader = reader
        self._name = name
        self._directory = directory
        self._scope = scope
        self._munge = munge
        self._origin = builder.dag.origin(name)
        self._quick = not odd and not munge
        self._quick_nodes = self._quick and not builder.use_dag_dir

    def read(self) -> None:
        """Both passes. Raises Failed; the reason has been said."""
        numbers, lines = self._first_pass()
        waiting = zip(numbers, lines, strict=True)
        while (left := self._quick_edges(waiting)) is not None:
            self._carry_out(self._reader.understand(*left))

    def _first_pass(self) -> tuple[list[int], list[str]]:
        """Nodes and splices at once; the other lines, with their numbers, are returned."""
        numbers: list[int] = []
        waiting: list[str] = []
        for number, line in self._reader.lines:
            command = KEYWORDS.get(line.partition(" ")[0])
            if command is Command.JOB and self._quick_nodes and self._quick_node(number, line):
                continue
            if command is None:
                command = keyword_of(line)
            if command is None or command in FIRST_PASS:
                self._carry_out(self._reader.understand(number, line))
            elif command not in SUBMIT_TIME:
                numbers.append(number)
                waiting.append(line)
        return numbers, waiting

    def _quick_node(self, number: int, line: str) -> bool:
        """``JOB name file``, as nearly all lines of large files are. False: it needs a closer look."""
        words = line.split()
        if len(words) != 3 or '"' in line or "'" in line:
            return False
        _, name, submit = words
        scope = self._scope
        if name in scope.names or name in scope.splices or "+" in name or name.upper() in RESERVED:
            return False
        if submit[0] in "{@" or submit.endswith(structure.SUBMIT_SUFFIX):
            return False
        dag = self._builder.dag
        node = scope.names[name] = dag.add_node(name, Kind.JOB, structure.shared(submit), origin=self._origin + number)
        scope.order.append(node)
        return True

    def _quick_edges(self, waiting: Iterator[tuple[int, str]]) -> tuple[int, str] | None:
        """Carry out lines of the form ``PARENT a CHILD b c``; the first that needs a closer look, None at the end."""
        builder = self._builder
        names, kinds = self._scope.names, builder.dag.kinds
        starts, ends = builder.starts, builder.ends
        for number, line in waiting:
            words = line.split()
            if (
                words[0] != "PARENT"
                or len(words) < 4
                or words[2] != "CHILD"
                or not self._quick
                or builder.weak is not None
            ):
                return number, line
            parent = names.get(words[1], NONE)
            if len(words) == 4:
                child = names.get(words[3], NONE)
                if parent < 0 or child < 0 or kinds[parent] or kinds[child]:
                    return number, line
                starts.append(parent)
                ends.append(child)
                continue
            children = {names.get(word, NONE) for word in words[3:]}
            if parent < 0 or kinds[parent] or NONE in children or any(kinds[child] for child in children):
                return number, line
            starts.extend([parent] * len(children))
            ends.extend(sorted(children))
        return None

    def _carry_out(self, statement: Statement | ParseError) -> None:
        log = self._builder.log
        if isinstance(statement, ParseError):
            log.say(f"ERROR: {statement}", QUIET)
            log.say(f"       Example sytanx: {statement.syntax}", QUIET)
            raise Failed
        try:
            self._do(statement)
        except Failed:
            log.say(f"Processing error at {statement.place}", QUIET)
            raise

    def _do(self, statement: Statement) -> None:
        builder, scope, munge = self._builder, self._scope, self._munge
        if isinstance(statement, Node):
            structure.node(builder, scope, statement, munge, self._directory)
        elif isinstance(statement, Splice):
            structure.splice(builder, scope, statement, munge, self._directory)
        elif isinstance(statement, ParentChild):
            structure.dependencies(builder, scope, statement, munge)
        elif isinstance(statement, Reject):
            builder.log.say(f"DAG marked as rejected at {statement.place}")
            raise Failed
        elif statement.command is Command.INCLUDE and isinstance(statement, Named):
            builder.include(statement, scope, self._directory, munge)
        elif statement.command in structure.PIN_COMMANDS:
            structure.pins(builder, scope, statement, munge)
        elif statement.command not in SUBMIT_TIME:
            modify.modify(builder.dag, scope, builder.log, statement, munge, builder.settings)


__all__ = ["Builder", "Place", "build"]
