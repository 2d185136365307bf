"""The nodes, splices and edges that condor_dag_checker knows of: what is wrong with a command stops nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from condor_py.lang.dag.commands import Node, ParentChild, ParseError, Statement
from condor_py.lang.dag.keywords import Command

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
        self.inherited = 0
        self.splice_count = 0
        self.final = ""
        self.provisioner = ""
        self._use_join_nodes = use_join_nodes

    def has_splice(self, name: str) -> bool:
        """Whether a splice that could be read has this name."""
        return any(splice.scope == name for splice in self.splices)

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
