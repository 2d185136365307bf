"""The queue statement: how many jobs, over which items, bound to which variables.

::

    queue [N] [VARS] [in|from|matching [files|dirs|any] [slice]] [items]
    slice  = [start:end:step], each part may be left out
    items  = ( one line ) | ( lines up to one that begins with ")" | words | file | command |
"""

from __future__ import annotations

from functools import cache

from condor_py.lang.macro.lines import SPACE, first_word
from condor_py.lang.submit.job import split_list
from condor_py.lang.submit.units import parse_int
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError
from condor_py.model.texts import as_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable


class QueueError(CondorError):
    """A queue statement that cannot be understood; ``str()`` is what HTCondor says of it."""


class Slice:
    """``[start:end:step]`` over the items, as in Python but with a positive step."""

    __slots__ = ("end", "start", "step")

    def __init__(self, start: int | None = None, end: int | None = None, step: int | None = None) -> None:
        self.start = start
        self.end = end
        self.step = step

    def rows(self, count: int) -> range:
        """The selected row numbers of ``count`` items, within the items."""
        first = 0 if self.start is None else self.start + (count if self.start < 0 else 0)
        last = count if self.end is None else self.end + (count if self.end < 0 else 0)
        return range(max(first, 0), min(last, count), max(self.step or 1, 1))


class TableOptions:
    """Options for splitting the lines of a table: ``from table(...)``. ``separator`` is one character."""

    __slots__ = ("header_row", "separator", "skip_rows", "trim")

    def __init__(self, header_row: int = 0, skip_rows: int = 0, separator: str = ",", trim: bool = True) -> None:
        self.header_row = header_row
        self.skip_rows = skip_rows
        self.separator = separator
        self.trim = trim


class QueueArgs:
    """A parsed queue statement.

    ``mode`` is "" (no items), "in", "from" or "matching"; ``what`` limits matching to "files" or "dirs" ("any" for
    both, "" where nothing was said). ``source`` is a file name, a command ending in ``|``, ``-`` for standard input,
    ``<`` when the items follow on the next lines, "" when ``items`` is complete.
    """

    __slots__ = ("count", "items", "mode", "slice", "source", "table", "variables", "what")

    def __init__(self) -> None:
        self.count = 1
        self.variables: list[str] = []
        self.mode = ""
        self.what = ""
        self.slice = Slice()
        self.table: TableOptions | None = None
        self.items: list[str] = []
        self.source = ""

    def forget_items(self) -> None:
        """Queue without items, once."""
        self.mode = ""


_DIGITS = "0123456789"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_QUEUE = frozenset(("queue", "iter", "itera", "iterat", "iterate"))
_MODES = ("in", "from", "matching")


@cache
def _keyword() -> re.Pattern[str]:
    import re

    return re.compile(r"(?:^|(?<=\s))(in|from|matching)(?=[\s(])", re.IGNORECASE | re.ASCII)


@cache
def _qualifier() -> re.Pattern[str]:
    import re

    return re.compile(r"(files|dirs|any|table)(?=[\s(])|(\[)(?=[^\s(]*[\s(])", re.IGNORECASE | re.ASCII)


@cache
def _slice() -> re.Pattern[str]:
    import re

    number = r"(\s*[+-]?\d+)?"
    return re.compile(rf"\[{number}(?::{number}(?::{number})?)?\]", re.ASCII)


def queue_arguments(line: str) -> str | None:
    """Return the text behind ``queue`` (or ``iterate``); None when ``line`` is no queue statement."""
    word = first_word(line)
    return line[len(word) :].strip(SPACE) if word.lower() in _QUEUE else None


def parse_queue(text: str, evaluate: Callable[[str], object]) -> QueueArgs:
    """The statement whose arguments (after ``queue``, macros expanded) are ``text``. Raises QueueError."""
    text = text.strip(SPACE)
    args = QueueArgs()
    low = text.lower()
    keyword = _keyword().search(text) if any(mode in low for mode in _MODES) else None
    if keyword is None:
        args.count = _count(text, evaluate)
        return args
    args.mode = keyword[1].lower()
    _items(args, _qualifiers(args, text[keyword.end() :].lstrip(SPACE)))
    number, args.variables = _split_variables(text[: keyword.start()].rstrip(SPACE))
    args.count = _count(number, evaluate)
    if not args.variables:
        args.variables = ["Item"]
    return args


def fraction_of(text: str) -> str:
    """Return the count of a queue statement, whose arguments are ``text``, that is a number with a fraction, which
    HTCondor leaves out; "" for other counts."""
    word = text.split(None, 1)[0] if text.strip() else ""
    whole, point, rest = word.partition(".")
    return word if point and whole.isdecimal() and rest.isdecimal() and rest.strip("0") else ""


def _count(text: str, evaluate: Callable[[str], object]) -> int:
    if not text:
        return 1
    number = parse_int(text, evaluate)
    if number is None:
        raise QueueError("Invalid Queue count expression")
    if not 0 <= number < 2**31 - 1:
        raise QueueError("Queue count out of range")
    return number


def _qualifiers(args: QueueArgs, text: str) -> str:
    """Take ``files``, ``dirs``, ``any``, ``table`` and slices from the front; the rest."""
    while not text.startswith("("):
        match = _qualifier().match(text)
        if match is None:
            break
        if match[2]:
            found = _slice().match(text)
            if found is None:
                raise QueueError("Invalid [::] statement")
            start, end, step = (as_integer(part) if part else None for part in found.groups())
            args.slice = Slice(start, end, step)
            text = text[found.end() :].lstrip(SPACE)
            continue
        word = match[1].lower()
        if (args.mode == "from") != (word == "table") or args.mode == "in":
            raise QueueError("Queue keyword conflict")
        text = text[match.end() :]
        if word == "table":
            text = _table(args, text)
        else:
            args.what = word
        text = text.lstrip(SPACE)
    return text


def _table(args: QueueArgs, text: str) -> str:
    """Take the options of ``table``; a bracket behind a space opens the items instead."""
    args.table = TableOptions()
    if not text.startswith("("):
        return text
    inside, closed, rest = text[1:].partition(")")
    if not closed:
        raise QueueError("Invalid TABLE options")
    for part in inside.split(","):
        name, _, value = (word.strip() for word in part.partition("="))
        args.table = _table_option(args.table, name.lower(), value)
    return rest


def _table_option(table: TableOptions | None, name: str, value: str) -> TableOptions | None:
    """The options with one more; what is no option and a value that does not fit change nothing, as in HTCondor."""
    if name == "standard":
        return None
    table = table or TableOptions(-1)
    if name == "csv":
        return TableOptions(-1)
    if name == "header" and (value.lower() == "none" or value.isdecimal()):
        return changed(table, header_row=-1 if value.lower() == "none" else int(value[:9]))
    if name == "skip" and value.isdecimal():
        return changed(table, skip_rows=int(value[:9]))
    if name == "trim" and value.lower() in _TRUTH:
        return changed(table, trim=_TRUTH[value.lower()])
    if name == "sep" and value:
        return changed(table, separator=value[0])
    return table


_TRUTH = {"true": True, "t": True, "yes": True, "1": True, "false": False, "f": False, "no": False, "0": False}


def _items(args: QueueArgs, text: str) -> None:
    is_closed = text.startswith("(") and text.endswith(")")
    if is_closed:
        text = text[1:-1]
    if text.startswith("("):  # items follow on the next lines; behind a second bracket, too, as in HTCondor
        args.source = "<"
        text = text[1:]
    elif args.mode == "from" and not is_closed:
        args.source = text.strip(SPACE)
        return
    text = text.strip(SPACE)
    if args.mode != "from":
        args.items = split_list(text)
    elif text or not args.source:
        args.items = [text]


def _split_variables(text: str) -> tuple[str, list[str]]:
    """(count expression, variables) of the text before the keyword.

    Going back from the end, everything made of letters, digits, ``_``, ``.``, commas and spaces belongs to the
    variables as long as digits have a letter before them.
    """
    start = at = len(text)
    while at > 0:
        letter = text[at - 1]
        if letter in _DIGITS:
            at -= 1
            while at > 0:
                letter = text[at - 1]
                if letter in _LETTERS:
                    break
                if letter not in _DIGITS:
                    letter = "!"
                    break
                at -= 1
        if letter in SPACE or letter in _LETTERS or letter in ",_.":
            start = at - 1
        else:
            break
        at -= 1
    return text[:start].strip(SPACE), split_list(text[start:])
