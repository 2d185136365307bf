"""Everything that is wrong with a .dag file, without stopping at the first error."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from condor_py.lang.dag import commands as made
from condor_py.lang.dag.commands import Node, ParentChild, ParseError, Place, Statement
from condor_py.lang.dag.cycles import find_cycle
from condor_py.lang.dag.keywords import ALL_NODES, Command
from condor_py.lang.dag.reader import DEEPEST, FileProblem, Files, Reader, joined

# Figures of a graph, and whether it has a cycle, as condor_dag_checker reports them.

_COUNTERS = {Command.SERVICE: "NumServiceNodes", Command.SUBDAG: "NumSubDAGs"}


@dataclass(slots=True)
class Figures:
    """Attribute -> number, text, truth value or list of numbers. ``cycle`` describes a cycle, "" without one;
    ``loop`` are the names of its nodes, the first again at the end."""

    values: dict[str, int | str | bool | list[int]] = field(default_factory=dict)
    cycle: str = ""
    loop: tuple[str, ...] = ()


def figures(members: Members) -> Figures:
    """The figures of a whole DAG."""
    nodes = members.nodes
    found = Figures()
    values = found.values
    values["TotalNodes"] = len(members.numbers)
    for number in members.numbers:
        counter = _counter(nodes, number)
        if counter:
            values[counter] = int(values.get(counter, 0)) + 1  # type: ignore[arg-type]
    edges = sum(len(nodes.children[number]) for number in members.numbers)
    for name, value in (
        ("NumArcs", edges), ("NumSplices", members.splice_count), ("FinalNode", members.final),
        ("ProvisionerNode", members.provisioner),
    ):  # fmt: skip
        if value:
            values[name] = value
    if any(nodes.kinds[number] in (Command.JOB, Command.SUBDAG) for number in members.numbers):
        _shape(members, found)
    return found


def _counter(nodes: Nodes, number: int) -> str:
    kind = nodes.kinds[number]
    if kind is Command.JOB:
        return "NumJoinNodes" if nodes.names[number].startswith(JOIN_PREFIX) else "NumNodes"
    return _COUNTERS.get(kind, "")


def _shape(members: Members, found: Figures) -> None:
    nodes = members.nodes
    walk = _Walk(nodes)
    starts = False
    for number in members.numbers:
        if nodes.kinds[number] in APART:
            walk.seen[number] = 1
        elif not nodes.has_parent[number]:
            starts = True
            if walk.from_node(number):
                break
    left = [nodes.names[number] for number in members.numbers if not walk.seen[number]]
    if not starts:
        found.cycle = "No initial nodes discovered"
    elif walk.cycle:
        found.cycle = " -> ".join(nodes.names[number] for number in walk.cycle)
    elif left:
        found.cycle = f"Failed to visit nodes {','.join(left)}"
    if found.cycle:
        loop = find_cycle(members.numbers, lambda number: sorted(nodes.children[number]))
        found.loop = tuple(nodes.names[number] for number in loop)
        found.values |= {"IsCyclic": True, "DetectedCycle": found.cycle}
    else:
        widths = [width for width in walk.widths if width]
        found.values |= {"GraphHeight": walk.height, "GraphWidth": max(widths), "WidthByDepth": widths}


class _Walk:
    """Depth first; each node counts at the depth at which it is first met."""

    def __init__(self, nodes: Nodes) -> None:
        self.seen = bytearray(len(nodes.names))
        self.widths = [0]
        self.height = 1
        self.cycle: list[int] = []
        self._children = nodes.children

    def from_node(self, start: int) -> bool:
        """Walk on from a node. True when that ends in a cycle, which ``cycle`` then is."""
        path = [start]
        on_path = {start}
        ahead = [iter(self._meet(start, 0))]
        while path:
            child = next(ahead[-1], None)
            if child is None:
                on_path.discard(path.pop())
                ahead.pop()
            elif child in on_path:
                self.cycle = [*path, child]
                return True
            elif not self.seen[child]:
                ahead.append(iter(self._meet(child, len(path))))
                path.append(child)
                on_path.add(child)
        return False

    def _meet(self, number: int, depth: int) -> list[int]:
        self.seen[number] = 1
        self.widths += [0] * (depth + 1 - len(self.widths))
        self.widths[depth] += 1
        self.height = max(self.height, depth + 1)
        return sorted(self._children[number])


class Outside(Files, Protocol):
    """Access of the checker to files and submit descriptions."""

    def exists(self, path: str) -> bool:
        """Whether there is something at ``path``, which is absolute."""

    def job_problem(self, text: str | None, path: str, directory: str, every: bool) -> tuple[str, str]:
        """Return the mistake in a submit description, "" for none, and the CommonInputFiles of its jobs.

        The description is ``text``, or with None the file ``path``, as seen from ``directory``. ``every``: check all
        jobs and not only the first.
        """


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of condor_dag_checker."""

    any_characters: bool = False
    use_join_nodes: bool = True
    sub_dags: bool = False
    jobs: bool = False
    scripts: bool = False
    strict: bool = False
    use_dag_dir: bool = False


@dataclass(slots=True)
class Checked:
    """One .dag file: what is wrong with it, and its figures."""

    file: str
    errors: list[ParseError]
    figures: Figures


def check(file: str, outside: Outside, directory: str, options: CheckOptions) -> Checked:
    """Check a .dag file as seen from ``directory``, which is absolute."""
    members = Members(Nodes(), options.use_join_nodes)
    errors: list[ParseError] = []
    try:
        text = outside.read(joined(directory, file))
    except FileProblem as error:
        reason = f"Failed to open DAG {posixpath.basename(file)}: {error}"
        errors.append(ParseError(Place(file, 0), reason))
        return Checked(file, errors, figures(members))
    if options.use_dag_dir:
        directory = joined(directory, posixpath.dirname(file) or ".")
    checker = _Checker(outside, options, members, errors, {file})
    checker.read(text, file, directory)
    return Checked(file, errors, figures(members))


class _Checker:
    """Checks one DAG with its includes and splices; a sub-DAG has a checker of its own."""

    def __init__(
        self, outside: Outside, options: CheckOptions, members: Members, errors: list[ParseError], open_files: set[str]
    ) -> None:
        self._outside = outside
        self._options = options
        self._members = members
        self._errors = errors
        self._open = open_files
        self._common: list[str] = []

    def read(self, text: str, source: str, directory: str, first_error_ends: bool = False) -> None:
        """Check the text of a file: its nodes at once, then its other commands in the order of their kinds."""
        reader = Reader(text, source, directory, self._options.any_characters)
        later: list[Statement] = []
        broken: list[ParseError] = []
        missing: dict[str, ParseError] = {}
        for command in reader.commands():
            if isinstance(command, ParseError):
                broken.append(command)
                if first_error_ends:
                    break
            elif isinstance(command, made.Node):
                self._node(command, directory, missing)
            elif isinstance(command, made.Splice):
                self._splice(command, directory)
            elif isinstance(command, made.Named) and command.command is Command.INCLUDE:
                self._include(command, directory)
            else:
                later.append(command)
        self._errors += broken
        self._members.inherit()
        later.sort(key=lambda command: command.command)
        configured = False
        for command in later:
            is_config = command.command is Command.CONFIG
            self._later(command, directory, is_config and configured, missing)
            configured |= is_config
        if self._options.strict:
            self._errors += [missing[name] for name in sorted(missing)]

    def _say(self, command: Statement, reason: str) -> None:
        if reason:
            self._errors.append(wrong(command, reason))

    # ---- nodes and files -------------------------------------------------------------------------------------

    def _node(self, command: made.Node, directory: str, missing: dict[str, ParseError]) -> None:
        self._say(command, self._members.add(command))
        if command.command is Command.SUBDAG:
            if self._options.sub_dags:
                self._sub_dag(command, directory)
            return
        if not self._options.jobs:
            return
        inside = self._inside(command.directory, directory)
        if inside is None and command.description is None:
            self._say(command, "No such file or directory")
            return
        path = joined(inside or directory, command.submit)
        if command.description is None and not self._outside.exists(path):
            missing.setdefault(command.submit, wrong(command, "Submit JDL does not exist"))
            return
        self._jobs(command, command.description, command.submit, inside or directory)

    def _jobs(self, command: Statement, text: str | None, path: str, directory: str) -> None:
        problem, common = self._outside.job_problem(text, path, directory, self._options.strict)
        if not problem and common:
            if self._common and self._common[0] != common:
                problem = "Multiple differing common input transfer lists declared in DAG"
            self._common = self._common or [common]
        self._say(command, problem)

    def _inside(self, name: str, directory: str) -> str | None:
        """The directory of a DIR; None when it cannot be entered."""
        if not name:
            return directory
        try:
            self._outside.enter(joined(directory, name))
        except FileProblem:
            return None
        return joined(directory, name)

    def _sub_dag(self, command: made.Node, directory: str) -> None:
        inside = self._inside(command.directory, directory)
        if inside is None:
            self._say(command, "No such file or directory" if self._options.strict else "")
            return
        path = joined(inside, command.submit)
        if not self._outside.exists(path):
            self._say(command, f"{command.submit} does not exist" if self._options.strict else "")
            return
        here = joined(directory, command.place.source)
        if path in self._open | {here}:
            self._say(command, "Recursive sub-DAG detected")
            return
        if len(self._open) >= DEEPEST:
            self._say(command, f"more than {DEEPEST} files are within each other")
            return
        errors: list[ParseError] = []
        options = replace(self._options, any_characters=False)
        inner = _Checker(
            self._outside, options, Members(Nodes(), options.use_join_nodes), errors, self._open | {here, path}
        )
        try:
            inner.read(self._outside.read(path), command.submit, inside, first_error_ends=True)
        except FileProblem as error:
            self._say(command, str(error))
        for found in errors:
            self._say(command, f"{found.place}>{found.reason}")

    def _splice(self, command: made.Splice, directory: str) -> None:
        failed = f"Failed to read splice {command.name}: "
        splice = self._members.add_splice(command.name)
        if splice is None:
            self._say(command, f"Splice name {command.name} is already defined in the DAG")
            return
        inside = self._inside(command.directory, directory)
        if inside is None:
            self._say(command, failed + "No such file or directory")
            return
        outer = self._members

        def read(text: str) -> None:
            outer.name_splice(splice, command.name)
            self._members = splice
            self.read(text, command.file, inside)
            self._members = outer

        self._other_file(command, joined(inside, command.file), failed, "Recursive splicing detected", read)

    def _include(self, command: made.Named, directory: str) -> None:
        self._other_file(
            command,
            joined(directory, command.value),
            "Failed to read include file: ",
            "Recursive file inclusion detected",
            lambda text: self.read(text, command.value, directory),
        )

    def _other_file(self, command: Statement, path: str, failed: str, again: str, read: Callable[[str], None]) -> None:
        try:
            text = self._outside.read(path)
        except FileProblem as error:
            self._say(command, f"{failed}{error}")
            return
        if path in self._open:
            self._say(command, again)
            return
        if len(self._open) == DEEPEST:
            self._say(command, f"{failed}more than {DEEPEST} files are within each other")
            return
        self._open.add(path)
        read(text)
        self._open.discard(path)

    # ---- what speaks of nodes --------------------------------------------------------------------------------

    def _later(
        self, command: Statement, directory: str, is_second_config: bool, missing: dict[str, ParseError]
    ) -> None:
        if isinstance(command, made.ParentChild):
            self._members.connect(command, self._errors)
        elif isinstance(command, made.Category):
            self._say(command, self._category(command))
        elif isinstance(command, made.Reject):
            self._errors.append(ParseError(command.place, "DAG marked with REJECT command"))
        elif isinstance(command, made.SubmitDescription):
            missing.pop(command.name, None)
            if self._options.jobs:
                self._jobs(command, command.description, command.name, directory)
        elif isinstance(command, made.Named) and command.command is Command.CONFIG:
            self._config(command, is_second_config)
        else:
            self._modifier(command, directory)

    def _category(self, command: made.Category) -> str:
        known = command.node in self._members.by_name or command.node.upper() == ALL_NODES
        return "" if known else f"References to undefined nodes: {command.node}"

    def _config(self, command: made.Named, is_second: bool) -> None:
        if is_second:
            self._say(command, "DAG configuration file is already defined")
        elif not self._outside.exists(command.value):
            self._say(command, f"Configuration file {command.value} does not exist")

    def _modifier(self, command: Statement, directory: str) -> None:
        if isinstance(command, made.Script) and self._options.scripts:
            program = (command.line.split(None, 1) or [command.line])[0]  # white space of other alphabets is a name
            if not self._outside.exists(joined(directory, program)):
                self._say(command, "Script file does not exist")
        name = _modified(command)
        if name is None:
            return
        if name.upper() == ALL_NODES:
            if command.command is Command.DONE:
                self._say(command, "ALL_NODES can not be used with DONE command")
        elif self._members.has_splice(name):
            self._say(command, f"Cannot be applied to splice {name}")
        elif name not in self._members.by_name:
            self._say(command, f"References undefined node {name}")


def _modified(command: Statement) -> str | None:
    """Return the node that a command names; None when it names none."""
    if isinstance(command, made.Script | made.Retry | made.AbortDagOn | made.Vars | made.Tolerance):
        return command.node
    if isinstance(command, made.Number) and command.command in (Command.PRIORITY, Command.PRE_SKIP):
        return command.node
    if isinstance(command, made.Named) and command.command is Command.DONE:
        return command.value
    return None


#: Nodes that nothing waits for and that wait for nothing.
APART = frozenset({Command.FINAL, Command.SERVICE, Command.PROVISIONER})
JOIN_PREFIX = "_condor_join_node"


@dataclass(slots=True)
class Nodes:
    """All nodes of a DAG, its splices' too, by number."""

    names: list[str] = field(default_factory=list)
    kinds: list[Command] = field(default_factory=list)
    children: list[set[int]] = field(default_factory=list)
    has_parent: bytearray = field(default_factory=bytearray)
    joins: int = 0

    def add(self, name: str, kind: Command) -> int:
        """A new node; its number."""
        self.names.append(name)
        self.kinds.append(kind)
        self.children.append(set())
        self.has_parent.append(0)
        return len(self.names) - 1


class Members:
    """The members of a .dag file, or of the splice ``scope``."""

    def __init__(self, nodes: Nodes, use_join_nodes: bool, scope: str = "") -> None:
        self.nodes = nodes
        self.scope = scope
        self.numbers: list[int] = []
        self.by_name: dict[str, int] = {}
        self.splices: list[Members] = []
        self._names_of_splices: set[str] = set()
        self.inherited = 0
        self.splice_count = 0
        self.final = ""
        self.provisioner = ""
        self._use_join_nodes = use_join_nodes

    def has_splice(self, name: str) -> bool:
        """Whether a splice that could be read has this name."""
        return name in self._names_of_splices

    def _has(self, name: str) -> bool:
        return name in self.by_name or self.has_splice(name)

    def add(self, command: Node) -> str:
        """Add a node; what is wrong with it, "" for nothing."""
        name, kind = command.name, command.command
        if self._has(name):
            return f"Node {name} is already defined in the DAG"
        if kind is Command.FINAL and self.final:
            return "Final node is already defined in the DAG"
        if kind is Command.FINAL and self.scope:
            return "Spliced DAGs can not contain a final node"
        if kind is Command.PROVISIONER and self.provisioner:
            return "Provisioner node is already defined in the DAG"
        self.by_name[name] = self.nodes.add(name, kind)
        self.numbers.append(self.by_name[name])
        if kind is Command.FINAL:
            self.final = name
        elif kind is Command.PROVISIONER:
            self.provisioner = name
        return ""

    def add_splice(self, name: str) -> Members | None:
        """A new splice, which has no name before it has been read; None when the name is taken."""
        if self._has(name):
            return None
        self.splices.append(Members(self.nodes, self._use_join_nodes))
        return self.splices[-1]

    def name_splice(self, splice: Members, name: str) -> None:
        """A splice is about to be read."""
        splice.scope = name
        self._names_of_splices.add(name)

    def inherit(self) -> None:
        """Take over the nodes of the splices, under the names that they have here."""
        for splice in self.splices[self.inherited :]:
            self.splice_count += 1 + splice.splice_count
            for number in splice.numbers:
                name = f"{splice.scope}+{self.nodes.names[number]}"
                self.nodes.names[number] = name
                self.by_name[name] = number
            self.numbers += splice.numbers
        self.inherited = len(self.splices)
        self.numbers.sort()

    def connect(self, command: ParentChild, errors: list[ParseError]) -> None:
        """Add the edges of a PARENT command, as far as there are its nodes."""
        lost_parents: list[str] = []
        lost_children: list[str] = []
        parents = [n for name in command.parents for n in self._ends(command, name, True, lost_parents, errors)]
        children = [n for name in command.children for n in self._ends(command, name, False, lost_children, errors)]
        if lost_parents or lost_children:
            reason = "References to undefined nodes:"
            for what, lost in (("Parents", lost_parents), ("Children", lost_children)):
                reason += f" {what} [{','.join(lost)}]" if lost else ""
            errors.append(wrong(command, reason))
        nodes = self.nodes
        if self._use_join_nodes and len(parents) > 1 and len(children) > 1:
            nodes.joins += 1
            join = nodes.add(f"{JOIN_PREFIX}{nodes.joins}", Command.JOB)
            self.numbers.append(join)
            nodes.has_parent[join] = 1
            for parent in parents:
                nodes.children[parent].add(join)
            parents = [join]
        for parent in parents:
            nodes.children[parent].update(children)
            for child in children:
                nodes.has_parent[child] = 1

    def _ends(
        self, command: ParentChild, name: str, is_parent: bool, lost: list[str], errors: list[ParseError]
    ) -> list[int]:
        """The nodes that a name in a PARENT command means."""
        nodes = self.nodes
        number = self.by_name.get(name)
        if number is not None:
            found = [number]
        elif self.has_splice(name):
            prefix = f"{name}+"
            found = [n for n in self.numbers if nodes.names[n].startswith(prefix) and self._is_end(n, is_parent)]
        else:
            lost.append(name)
            return []
        for apart in (n for n in found if nodes.kinds[n] in APART):
            errors.append(wrong(command, f"{nodes.kinds[apart].name} node {name} can not have dependencies"))
        return [n for n in found if nodes.kinds[n] not in APART]

    def _is_end(self, number: int, is_parent: bool) -> bool:
        """Whether a splice ends (as a parent), or begins, with a node."""
        return not (self.nodes.children[number] if is_parent else self.nodes.has_parent[number])


def wrong(command: Statement, reason: str) -> ParseError:
    """Return an error about a command that could be parsed."""
    return ParseError(command.place, reason, command.command)
