"""From .dag files to a `Dag`: `build` for the files of a command line, `Builder` for more control."""

from __future__ import annotations

import posixpath
import sys
from array import array
from collections.abc import Iterator, Sequence
from itertools import count

from condor_py.lang.dag import modify
from condor_py.lang.dag.commands import (
    Connect,
    Named,
    Node,
    Number,
    ParentChild,
    ParseError,
    Place,
    Reject,
    Splice,
    Statement,
)
from condor_py.lang.dag.graph import DONE, JOIN, NONE, NOOP, PRE_DONE, Dag, Kind
from condor_py.lang.dag.keywords import FIRST_PASS, KEYWORDS, RESERVED, SUBMIT_TIME, Command
from condor_py.lang.dag.messages import NORMAL, QUIET, VERBOSE, DagError, Failed, Log, Note
from condor_py.lang.dag.reader import DEEPEST, FileProblem, Files, Reader, joined, keyword_of
from condor_py.lang.dag.scope import Scope, full_name
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
    """Build one DAG of one file or ``several``. Files that are added later refer to nodes that exist already."""

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
        if len(self._open) == DEEPEST:
            self.log.say(f"ERROR: {shown}: more than {DEEPEST} files are within each other", QUIET)
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
        if submit[0] in "{@" or submit.endswith(SUBMIT_SUFFIX):
            return False
        dag = self._builder.dag
        node = scope.names[name] = dag.add_node(name, Kind.JOB, shared(submit), origin=self._origin + number)
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
            add_node(builder, scope, statement, munge, self._directory)
        elif isinstance(statement, Splice):
            add_splice(builder, scope, statement, munge, self._directory)
        elif isinstance(statement, ParentChild):
            add_edges(builder, scope, statement, munge)
        elif isinstance(statement, Reject):
            builder.log.say(f"DAG marked as rejected at {statement.place}")
            raise Failed
        elif statement.command is Command.INCLUDE and isinstance(statement, Named):
            builder.include(statement, scope, self._directory, munge)
        elif statement.command in PIN_COMMANDS:
            pin(builder, scope, statement, munge)
        elif statement.command not in SUBMIT_TIME:
            modify.modify(builder.dag, scope, builder.log, statement, munge, builder.settings)


__all__ = ["Builder", "Place", "build"]


#: What condor_submit_dag appends to the name of a .dag file.
SUBMIT_SUFFIX = ".condor.sub"
PIN_COMMANDS = frozenset({Command.CONNECT, Command.PIN_IN, Command.PIN_OUT})
_KINDS = {
    Command.JOB: Kind.JOB,
    Command.SUBDAG: Kind.JOB,
    Command.FINAL: Kind.FINAL,
    Command.PROVISIONER: Kind.PROVISIONER,
    Command.SERVICE: Kind.SERVICE,
}
_NO_PARENT = {
    Kind.FINAL: "Tried to add a parent to a Final node",
    Kind.PROVISIONER: "Tried to add parent to the PROVISIONER node",
    Kind.SERVICE: "Tried to add a parent to a SERVICE node",
}
_NO_CHILD = {
    Kind.FINAL: "Tried to add a child to a Final node",
    Kind.PROVISIONER: "Tried to add child to the PROVISIONER node",
    Kind.SERVICE: "Tried to add a child to a SERVICE node",
}

shared = sys.intern


def add_node(builder: Builder, scope: Scope, command: Node, munge: str, directory: str) -> None:
    """Add a node. Raises Failed."""
    log = builder.log
    name = full_name(command.name, munge)
    if name in scope.names:
        raise log.error(f"ERROR: Node {name} already exists in DAG.")
    if name in scope.splices:
        raise log.error(f"ERROR: Node name {name} already associated with a splice in DAG")
    submit, sub_dag = _submit(builder, scope, command, name)
    if builder.use_dag_dir:
        if command.directory:
            raise log.error("ERROR: Node DIR <directory> sub-command can not be used with -UseDagDir")
    else:
        directory = command.directory
    kind = _KINDS[command.command]
    flags = NOOP if command.noop else 0
    if command.done:
        if kind is Kind.JOB:
            flags |= DONE | PRE_DONE
        else:
            log.say(f"WARNING: {command.command.name} node {name} can not be marked as DONE")
            log.is_fatal(1)
    origin = builder.dag.origin(*command.place)
    number = builder.dag.add_node(name, kind, shared(submit), shared(directory), flags, origin)
    if sub_dag:
        builder.dag.sub_dags[number] = sub_dag
    scope.names[name] = number
    _place(builder, scope, number, kind, name)


def _submit(builder: Builder, scope: Scope, command: Node, name: str) -> tuple[str, str]:
    """(The submit file or the name of a description, the .dag file of a sub-DAG or "")."""
    submit = command.submit
    if command.command is Command.SUBDAG:
        return submit + SUBMIT_SUFFIX, submit
    if submit.endswith(SUBMIT_SUFFIX):
        if command.command is not Command.FINAL:
            builder.log.say("Error: The use of the JOB keyword for nested DAGs is prohibited.", NORMAL)
            raise Failed
        return submit, submit.removesuffix(SUBMIT_SUFFIX)
    if command.description is not None:
        submit = f"{name}-InlineDesc{next(builder.described)}"
        scope.describe(submit, command.description, builder.log)
    return submit, ""


def _place(builder: Builder, scope: Scope, number: int, kind: Kind, name: str) -> None:
    """Enter a new node into the scope by its kind. Raises Failed for a second one of a kind of which only one is
    allowed."""
    log, names = builder.log, builder.dag.names
    if kind is Kind.SERVICE:
        scope.services.append(number)
        return
    for only, what in ((Kind.FINAL, "final"), (Kind.PROVISIONER, "provisioner")):
        if kind is not only:
            continue
        there = getattr(scope, what)
        if there != NONE:
            log.error(f"Error: DAG already has a {what} node {names[there]}; attempting to add {what} node {name}")
            raise log.error(f"ERROR: Failed to add node {name} to DAG.")
        setattr(scope, what, number)
    scope.order.append(number)


def add_splice(builder: Builder, scope: Scope, command: Splice, munge: str, directory: str) -> None:
    """Add a splice. Raises Failed."""
    name = full_name(command.name, munge)
    if name in scope.names:
        raise builder.log.error(f"ERROR: Splice name {command.name} already associated with a node in DAG.")
    if name in scope.splices:
        raise builder.log.error(f"ERROR: Splice named {command.name} already exists in DAG.")
    scope.splices[name] = builder.splice(command, directory, munge)


def add_edges(builder: Builder, scope: Scope, command: ParentChild, munge: str) -> None:
    """Add edges from all parents to all children, through a node between them when both are many. Raises Failed."""
    parents = _ends(builder, scope, command.parents, munge, "parent")
    children = _ends(builder, scope, command.children, munge, "child")
    weak = command.weak
    if builder.settings.use_join_nodes and len(parents) > 1 and len(children) > 1:
        join = _join_node(builder, scope)
        if not _connect(builder, parents, [join], weak):
            raise builder.log.error(f"ERROR: failed to add dependency to join node {builder.dag.names[join]}")
        parents, weak = [join], False
    if not _connect(builder, parents, children, weak):
        raise builder.log.error("ERROR: failed to add dependency between nodes")


def _ends(builder: Builder, scope: Scope, names: list[str], munge: str, what: str) -> list[int]:
    found: set[int] = set()
    for name in names:
        full = full_name(name, munge)
        inner = scope.splices.get(full)
        if inner is not None:
            found.update(inner.terminal if what == "parent" else inner.initial)
            continue
        number = scope.find(full, builder.log)
        if number == NONE:
            raise builder.log.error(f"ERROR: Unknown {what} node {name} specified")
        found.add(number)
    return sorted(found)


def _join_node(builder: Builder, scope: Scope) -> int:
    name = f"_condor_join_node{next(builder.joins)}"
    if name in scope.names or name in scope.splices:
        raise builder.log.error(f"ERROR: Join node name {name} already in use in DAG!!!")
    number = builder.dag.add_node(name, Kind.JOB, "DNE.sub", "", NOOP | JOIN)
    scope.names[name] = number
    scope.order.append(number)
    return number


def _connect(builder: Builder, parents: list[int], children: list[int], weak: bool) -> bool:
    log, kinds, names = builder.log, builder.dag.kinds, builder.dag.names
    if not parents or not children:
        missing = " nor ".join(what for what, nodes in (("parent", parents), ("child", children)) if not nodes)
        log.say(f"ERROR: No {missing} nodes provided for dependency creation")
        return False
    for nodes, reasons in ((parents, _NO_CHILD), (children, _NO_PARENT)):
        for number in nodes:
            if kinds[number]:
                log.error(f"ERROR: {reasons[Kind(kinds[number])]} {names[number]}")
                return False
    for parent in parents:
        for child in children:
            builder.edge(parent, child, weak)
    return True


def pin(builder: Builder, scope: Scope, command: Statement, munge: str) -> None:
    """PIN_IN, PIN_OUT or CONNECT. Raises Failed."""
    if isinstance(command, Connect):
        _connect_splices(builder, scope, command, munge)
    elif isinstance(command, Number):
        name = full_name(command.node, munge)
        number = scope.find(name, builder.log)
        if number == NONE:
            raise builder.log.error(f"ERROR: node {name} not found!")
        table = scope.pins_in if command.command is Command.PIN_IN else scope.pins_out
        table.setdefault(command.value, []).append(number)


def _connect_splices(builder: Builder, scope: Scope, command: Connect, munge: str) -> None:
    log = builder.log
    parent = scope.splices.get(full_name(command.parent, munge))
    child = scope.splices.get(full_name(command.child, munge))
    for what, name, found in (("parent", command.parent, parent), ("child", command.child, child)):
        if found is None:
            log.error(f"ERROR: Connect {what} splice {name} does not exist")
    if parent is None or child is None:
        raise Failed
    _check_pins(builder, parent, child)
    for pin in range(1, max(parent.pins_out) + 1):
        for what, where, way, table in (
            ("parent", parent, "out", parent.pins_out), ("child", child, "in", child.pins_in),
        ):  # fmt: skip
            if pin not in table:
                name = where.prefix.removesuffix("+")
                raise log.error(f"ERROR: {what} splice {name} has no node for pin_{way} {pin}")
        for start in parent.pins_out[pin]:
            for end in child.pins_in[pin]:
                if not _connect(builder, [start], [end], weak=False):
                    raise log.error(f"ERROR: unable to add parent/child dependency for pin {pin}")
    _check_orphans(builder, child)


def _check_pins(builder: Builder, parent: Scope, child: Scope) -> None:
    """Both must have pins, and equally many. Raises Failed."""
    log = builder.log
    outer, inner = parent.prefix.removesuffix("+"), child.prefix.removesuffix("+")
    outs, ins = max(parent.pins_out, default=0), max(child.pins_in, default=0)
    if not outs:
        raise log.error(f"ERROR: parent splice {outer} has 0 pin_outs")
    if not ins:
        raise log.error(f"ERROR: child splice {inner} has 0 pin_ins")
    if outs != ins:
        text = f"ERROR: pin_in/out mismatch:  parent splice {outer} has {outs} pin_outs; child splice {inner} has {ins}"
        raise log.error(f"{text} pin_ins")


def _check_orphans(builder: Builder, child: Scope) -> None:
    """Every node of the child splice must wait for something now. Raises Failed."""
    with_parents = set(builder.ends[child.edges_from :])
    for number in child.order:
        if number not in with_parents:
            name = builder.dag.names[number]
            text = f"ERROR: child splice node {name} has no parents after making pin connections; add pin_in or parent"
            raise builder.log.error(text)
