"""Commands that become an attribute directly, as manual.tsv declares them, and how each kind of value is written."""

from __future__ import annotations

from enum import Enum

from condor_py.lang.submit import text as classad_text
from condor_py.lang.submit import units
from condor_py.lang.submit.job import JobMaker, split_list, strip_quotes
from condor_py.lang.submit.manual import entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Kind(Enum):
    """The form in which the value of a simple command is written into the job."""

    EXPR = "an expression"
    BOOL = "true or false"
    INT = "an integer"
    UINT = "a non-negative integer"
    STRING = "a string"
    UNQUOTED = "a string, one pair of quotes around it removed"
    LIST = "a string list, separated by commas"
    FILE = "a path, made absolute from the job's directory"
    UNQUOTED_FILE = "such a path, one pair of quotes around it removed"
    UNQUOTED_LIST = "a string list, separated by commas, one pair of quotes around it removed"
    DISABLED = "nothing: the administrator has disabled the command"


class Simple:
    """One simple command; ``other`` spellings count only when the row before was not used."""

    __slots__ = ("attribute", "command", "kind", "other")

    def __init__(self, command: str, attribute: str, kind: Kind, other: bool = False) -> None:
        self.command = command
        self.attribute = attribute
        self.kind = kind
        self.other = other


def _rows() -> Iterator[Simple]:
    for entry in entries():
        if entry.becomes:
            kind, _, attribute = entry.becomes.partition(" ")
            yield from (Simple(name, attribute, Kind[kind], name != entry.command) for name in entry.spellings)
    for name in ("Remote_", "Remote_Remote_"):  # for the schedd of another pool: remote_<command> of the manual
        yield Simple(f"{name}grid_resource", f"{name}GridResource", Kind.STRING)


#: The commands of manual.tsv that become an attribute directly, in its order.
SIMPLE = tuple(_rows())
#: Commands that are accepted and do nothing here, each with the reason that is given to a user.
DOES_NOTHING = {name: why for entry in entries() if (why := entry.no_effect) for name in entry.spellings}


def extended(commands: Iterable[tuple[str, str]]) -> Iterator[Simple]:
    """The commands of EXTENDED_SUBMIT_COMMANDS, (name, expression text): the value tells the kind by example."""
    for name, text in commands:
        kind = _kind_of(text)
        if kind is not None:
            yield Simple(name, name, kind)


def _kind_of(text: str) -> Kind | None:
    """None for undefined, which is no command."""
    word = text.strip().lower()
    if word in ("undefined", "error"):
        return None if word == "undefined" else Kind.DISABLED
    value = classad_text.literal(text)
    if isinstance(value, bool):
        return Kind.BOOL
    if isinstance(value, int):
        return Kind.INT if value < 0 else Kind.UINT
    if isinstance(value, str):
        if "," in value:
            return Kind.UNQUOTED_LIST
        return Kind.UNQUOTED_FILE if value.lower().startswith("file") else Kind.UNQUOTED
    return Kind.EXPR


def set_simple(job: JobMaker, row: Simple) -> bool:
    """Carry out one simple command; False when it is not given."""
    value = job.param(row.command, row.attribute)
    if value is None:
        return False
    kind = row.kind
    if kind is Kind.DISABLED:
        raise job.fail(f"{row.command}={value} has been disabled by the administrator.\n")
    if kind is Kind.EXPR:
        job.assign_expr(row.attribute, value)
    elif kind is Kind.BOOL:
        truth = units.parse_bool(value, classad_text.evaluate)
        if truth is None:
            raise job.fail(f"{row.command}={value} is invalid, must eval to a boolean.\n")
        job.assign_bool(row.attribute, truth)
    elif kind in (Kind.INT, Kind.UINT):
        number = units.parse_int(value, classad_text.evaluate)
        if number is None:
            raise job.fail(f"{row.command}={value} is invalid, must eval to an integer.\n")
        if number < 0 and kind is Kind.UINT:
            raise job.fail(f"{row.command}={value} is invalid, must eval to a non-negative integer.\n")
        job.assign_int(row.attribute, number)
    else:
        job.assign_string(row.attribute, _string(job, kind, value))
    return True


def _string(job: JobMaker, kind: Kind, value: str) -> str:
    if kind is Kind.UNQUOTED:
        return strip_quotes(value)
    if kind is Kind.UNQUOTED_LIST:
        return ",".join(split_list(strip_quotes(value)))
    if kind is Kind.LIST:
        return ",".join(split_list(value))
    if kind is Kind.FILE:
        return job.full_path(value)
    if kind is Kind.UNQUOTED_FILE:
        return job.full_path(strip_quotes(value))
    return value
