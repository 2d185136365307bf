"""The parsed commands of a .dag file. Every one has its keyword and its place."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.lang.dag.keywords import SYNTAX, Command


class Place(NamedTuple):
    """A line of a file, as errors name it."""

    source: str
    line: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}"


class ParseError(NamedTuple):
    """A command that could not be understood; ``command`` is None when even its keyword is unknown."""

    place: Place
    reason: str
    command: Command | None = None

    def __str__(self) -> str:
        if self.command is None:
            return f"{self.place} {self.reason}"
        return f"{self.place} Failed to parse {self.command.name} command: {self.reason}"

    @property
    def syntax(self) -> str:
        """The syntax of the command, for messages."""
        return "Not a valid command" if self.command is None else SYNTAX[self.command]


class Node(NamedTuple):
    """JOB, FINAL, PROVISIONER, SERVICE or SUBDAG EXTERNAL. ``description`` is that of several lines, None without."""

    command: Command
    place: Place
    name: str
    submit: str
    description: str | None = None
    directory: str = ""
    noop: bool = False
    done: bool = False


class SubmitDescription(NamedTuple):
    """SUBMIT-DESCRIPTION: a name and the text of a submit description."""

    command: Command
    place: Place
    name: str
    description: str


class Splice(NamedTuple):
    """SPLICE: a DAG file whose nodes become nodes of this DAG."""

    command: Command
    place: Place
    name: str
    file: str
    directory: str = ""


class ParentChild(NamedTuple):
    """Names in order, each once."""

    command: Command
    place: Place
    parents: list[str]
    children: list[str]
    weak: bool = False


class Script(NamedTuple):
    """``kind`` is PRE, POST or HOLD. ``defer`` is the exit code and the seconds to wait; ``debug`` the file and what of
    the output goes into it (STDOUT, STDERR, ALL)."""

    command: Command
    place: Place
    node: str
    kind: str
    line: str
    defer: tuple[int, int] | None = None
    debug: tuple[str, str] | None = None


class Retry(NamedTuple):
    """``unless`` is 0 without UNLESS-EXIT."""

    command: Command
    place: Place
    node: str
    most: int
    unless: int = 0


class AbortDagOn(NamedTuple):
    """ABORT-DAG-ON: the exit status of a node that ends the DAG, and what the DAG then returns."""

    command: Command
    place: Place
    node: str
    status: int
    returns: int | None = None


class Vars(NamedTuple):
    """``prepend`` is None when neither PREPEND nor APPEND is there. ``pairs`` are in the order of their names."""

    command: Command
    place: Place
    node: str
    pairs: tuple[tuple[str, str], ...]
    prepend: bool | None = None


class Number(NamedTuple):
    """PRIORITY, PRE_SKIP, MAXJOBS, PIN_IN and PIN_OUT: a node (or category) and a number."""

    command: Command
    place: Place
    node: str
    value: int


class Tolerance(NamedTuple):
    """The number of jobs of a node that may fail (``percent``: of 100); ``mode`` is "", FAIL_FAST or WAIT."""

    command: Command
    place: Place
    node: str
    value: int
    percent: bool = False
    mode: str = ""


class Named(NamedTuple):
    """DONE with a node; CONFIG, INCLUDE and JOBSTATE_LOG with a file; SET_JOB_ATTR with its line."""

    command: Command
    place: Place
    value: str


class Category(NamedTuple):
    """CATEGORY: the category of a node."""

    command: Command
    place: Place
    node: str
    name: str


class Dot(NamedTuple):
    """DOT: the file to draw the DAG into, and when."""

    command: Command
    place: Place
    file: str
    update: bool = False
    overwrite: bool = False
    include: str = ""


class NodeStatusFile(NamedTuple):
    """``seconds`` between two writes at least; ``always``: also when nothing changed."""

    command: Command
    place: Place
    file: str
    seconds: int = 60
    always: bool = False


class SavePoint(NamedTuple):
    """SAVE_POINT_FILE: the file that is written before the node starts for the first time."""

    command: Command
    place: Place
    node: str
    file: str


class Env(NamedTuple):
    """ENV SET (``is_set``) or GET, and the variables."""

    command: Command
    place: Place
    variables: str
    is_set: bool


class Reject(NamedTuple):
    """REJECT: the DAG file must not be run."""

    command: Command
    place: Place


class Connect(NamedTuple):
    """CONNECT: two splices that are joined by their pins."""

    command: Command
    place: Place
    parent: str
    child: str


Statement = (
    Node
    | SubmitDescription
    | Splice
    | ParentChild
    | Script
    | Retry
    | AbortDagOn
    | Vars
    | Number
    | Tolerance
    | Named
    | Category
    | Dot
    | NodeStatusFile
    | SavePoint
    | Env
    | Reject
    | Connect
)
