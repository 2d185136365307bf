"""The nodes and names of one .dag file, or of one splice, while the DAG is being built."""

from __future__ import annotations

from array import array

from condor_py.lang.dag.graph import NONE, Dag, Kind
from condor_py.lang.dag.keywords import ALL_NODES
from condor_py.lang.dag.messages import VERBOSE, Log


def full_name(name: str, munge: str) -> str:
    """Return the name of a node in a run of several files: ``0.A``."""
    return munge + name if munge and name.upper() != ALL_NODES else name


class Scope:
    """The names that a file can use. ``prefix`` is the name of the splice with its ``+``; "root" at the top.

    ``edges_from`` is the number of edges when it began: all edges between its nodes come behind them.
    """

    def __init__(self, prefix: str = "root", directory: str = "", edges_from: int = 0) -> None:
        self.prefix = prefix
        self.directory = directory
        self.edges_from = edges_from
        self.names: dict[str, int] = {}
        self.order: list[int] = []
        self.services: list[int] = []
        self.final = NONE
        self.provisioner = NONE
        self.splices: dict[str, Scope] = {}
        self.pins_in: dict[int, list[int]] = {}
        self.pins_out: dict[int, list[int]] = {}
        self.throttles: dict[str, int] = {}
        self.descriptions: dict[str, str] = {}
        self.initial: list[int] = []
        self.terminal: list[int] = []

    def find(self, name: str, log: Log) -> int:
        """Return the node of this name; NONE, and a message, if it does not exist."""
        node = self.names.get(name, NONE)
        if node == NONE:
            log.say(f"ERROR: Node {name} not found!", VERBOSE)
        return node

    def find_all(self, name: str, log: Log, dag: Dag, stop: str = "") -> list[int]:
        """Return the nodes that a command names: one, or with ALL_NODES every ordinary one. Raises Failed without any;
        ``stop`` is what ends that message."""
        if name.upper() == ALL_NODES:
            found = [node for node in self.order if dag.kinds[node] == Kind.JOB]
        else:
            node = self.find(name, log)
            found = [] if node == NONE else [node]
        if not found:
            raise log.error(f"ERROR: Unknown node {name} referenced{stop}")
        return found

    def describe(self, name: str, description: str, log: Log) -> None:
        """Keep a submit description under its name."""
        if name in self.descriptions:
            log.say(f"Warning: Inline Description name '{name}' used multiple time. Overwritting...")
        self.descriptions[name] = description

    def limit(self, category: str, most: int, log: Log) -> None:
        """MAXJOBS of a category."""
        old = self.throttles.get(category, NONE)
        if old not in (NONE, most):
            log.warning(f"Warning: new maxjobs value {most} for category {category} overrides old value {old}", 3)
        self.throttles[category] = most

    def close(self, dag: Dag, starts: array[int], ends: array[int], log: Log) -> None:
        """The file is read: lift its splices, note where it begins and ends."""
        for name in sorted(self.splices):
            self._lift(name, self.splices[name], dag, log)
        self.splices = {}
        if self.directory:
            for node in self.order:
                _prefix_directory(dag, node, self.directory)
            self.directory = ""
        if self.prefix != "root":
            with_parents = set(ends[self.edges_from :])
            with_children = set(starts[self.edges_from :])
            self.initial = [node for node in self.order if node not in with_parents]
            self.terminal = [node for node in self.order if node not in with_children]

    def rename(self, dag: Dag) -> None:
        """A splice's nodes and categories get its prefix; categories that begin with + belong to the whole DAG."""
        self.names = {}
        for node in self.order:
            dag.names[node] = self.prefix + dag.names[node]
            self.names[dag.names[node]] = node
            category = dag.categories.get(node)
            if category is not None:
                dag.categories[node] = self._scoped(category)
        self.throttles = {self._scoped(name): most for name, most in sorted(self.throttles.items())}

    def _scoped(self, category: str) -> str:
        return category if category.startswith("+") else self.prefix + category

    def _lift(self, name: str, splice: Scope, dag: Dag, log: Log) -> None:
        for category, most in sorted(splice.throttles.items()):
            mine = self.throttles.get(category, NONE)
            if mine not in (NONE, most):
                text = f"Warning: higher-level ({self.prefix}) maxjobs value of {mine} for category {category}"
                log.warning(f"{text} overrides splice {name} value of {most}", 2)
            else:
                self.throttles[category] = most
        self.order += splice.order
        for node in splice.order:
            self.names[dag.names[node]] = node
        for key, text in sorted(splice.descriptions.items()):
            if self.descriptions.setdefault(key, text) != text:
                mine_is = f"splice {self.prefix}" if self.prefix != "root" else "root"
                log.say(
                    f"WARNING: Conflicting inline descriptions using the same name '{key}' between {mine_is} and "
                    f"splice {name}."
                )


def _prefix_directory(dag: Dag, node: int, directory: str) -> None:
    own = dag.directories[node]
    if not own.startswith("/") and directory != ".":
        dag.directories[node] = f"{directory.rstrip('/')}/{own}" if own else directory
