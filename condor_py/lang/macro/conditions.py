"""The conditions of ``if`` and ``elif``, and the stack of open ``if`` blocks."""

from __future__ import annotations

from functools import cache

from condor_py.lang.macro.lines import SPACE, first_word
from condor_py.model.version import HTCONDOR_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

_TRUE = ("true", "yes", "t")
_FALSE = ("false", "no", "f")


@cache
def _number() -> re.Pattern[str]:
    import re

    return re.compile(r"-?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)


@cache
def _identifier() -> re.Pattern[str]:
    import re

    return re.compile(r"(?=[0-9_./]*[A-Za-z])[A-Za-z0-9_./]+\Z")


@cache
def _version() -> re.Pattern[str]:
    """Further numbers and letters after the third number do not count."""
    import re

    return re.compile(
        r"version\b\s*(!(?==))?(<=|>=|==|=|<|>)"
        r"\s*[vV]?(\d{1,18})\.(\d{1,18})(?:\.(\d{1,18}))?[A-Za-z0-9.\s]*\Z",
        re.IGNORECASE | re.ASCII,
    )


@cache
def _defined_use() -> re.Pattern[str]:
    import re

    return re.compile(r"use\s+([^:\s]+)\s*(?::(.*))?\Z", re.IGNORECASE | re.ASCII)


class ConditionError(ValueError):
    """A condition that is not valid; the text says why."""


def _boolean(text: str) -> bool | None:
    word = text.lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    return float(text) != 0 if _number().match(text) else None


def _compare_version(text: str) -> bool:
    match = _version().match(text)
    if match is None or int(match[3]) < 6:
        raise ConditionError("the version literal is invalid")
    ours = tuple(int(part) for part in HTCONDOR_VERSION.split("."))
    # A version of two numbers means any third one.
    theirs = (int(match[3]), int(match[4]), int(match[5]) if match[5] else ours[2])
    operator = match[2]
    result = (
        ("<" in operator and ours < theirs)
        or (">" in operator and ours > theirs)
        or ("=" in operator and ours == theirs)
    )
    return not result if match[1] else result


def _is_defined(name: str, lookup: Callable[[str], str | None], has_template: Callable[[str, str], bool]) -> bool:
    if not name:
        return False
    if _boolean(name) is not None:
        return True if _number().match(name) or name.lower() in ("true", "false") else _named(name, lookup)
    if _identifier().match(name):
        return bool(lookup(name))
    use = _defined_use().match(name)
    if use is None:
        raise ConditionError("defined argument must be param name, boolean, or number")
    if use[2] is not None and (" " in use[2] or "\t" in use[2]):
        raise ConditionError("defined use meta argument with internal spaces will never match")
    return has_template(use[1], use[2] or "")


def _named(word: str, lookup: Callable[[str], str | None]) -> bool:
    # "yes", "t" and the like count as defined unless a macro of that name is there and empty.
    value = lookup(word)
    return value is None or bool(value)


def evaluate_condition(
    text: str,
    expand: Callable[[str], str],
    lookup: Callable[[str], str | None],
    has_template: Callable[[str, str], bool],
) -> bool:
    """Whether the condition ``text`` holds.

    ``[!] ( true | false | yes | no | t | f | number | version OP X.Y[.Z] | defined NAME | defined use
    CATEGORY[:NAME] )`` after macro expansion; a text that expands to nothing is false. ConditionError for
    anything else.
    """
    import re

    expanded = (expand(text) if "$" in text else text).strip(SPACE)
    inverted = expanded.startswith("!")
    bare = expanded[1:].strip(SPACE) if inverted else expanded
    if not bare and "$" in text:
        return inverted
    word = first_word(bare).lower()
    value = _boolean(bare)
    if value is None:
        if word == "defined":
            value = _is_defined(bare[7:].strip(SPACE), lookup, has_template)
        elif re.match(r"version\b", bare, re.IGNORECASE) and (bare.split()[1:] or len(bare) == 7):
            value = _compare_version(bare)
        elif not bare or _identifier().match(bare):
            raise ConditionError("expression is not a conditional")
        else:
            raise ConditionError("complex conditionals are not supported")
    return value is not inverted


#: Blocks that may be open at once, as in HTCondor.
_MAX_OPEN = 63


class IfStack:
    """The ``if`` blocks around the current line."""

    __slots__ = ("_blocks", "_lines")

    def __init__(self) -> None:
        #: For each open block: is this branch taken, was one taken before or now, was ``else`` seen.
        self._blocks: list[list[bool]] = []
        self._lines: list[int] = []

    @property
    def enabled(self) -> bool:
        """Whether every open block takes its current branch."""
        return not self._blocks or all(block[0] for block in self._blocks)

    @property
    def open(self) -> bool:
        """Whether any block is open."""
        return bool(self._blocks)

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of the ``if`` of the open blocks, outermost first."""
        return tuple(self._lines)

    def statement(self, text: str, line: int, condition: Callable[[str], bool]) -> bool:
        """Handle ``text`` if it is if, elif, else or endif; whether it was. ConditionError if it is misplaced."""
        word = first_word(text).lower()
        rest = text[len(word) :]
        if word == "if":
            if len(self._blocks) >= _MAX_OPEN:
                raise ConditionError("if nesting too deep!")
            taken = self.enabled and _checked("if", rest, condition)
            self._blocks.append([taken, taken, False])
            self._lines.append(line)
        elif word in ("elif", "else"):
            self._alternative(word, rest, condition)
        elif word == "endif":
            if not self._blocks:
                raise ConditionError("endif without matching if")
            self._blocks.pop()
            self._lines.pop()
        else:
            return False
        return True

    def _alternative(self, word: str, rest: str, condition: Callable[[str], bool]) -> None:
        if not self._blocks:
            raise ConditionError(f"{word} without matching if")
        block = self._blocks[-1]
        if block[2]:
            raise ConditionError(f"{word} is not allowed after else")
        outer = all(other[0] for other in self._blocks[:-1])
        if block[1] or not outer:
            block[0] = False
        else:
            block[0] = block[1] = word == "else" or _checked("elif", rest, condition)
        block[2] = word == "else"


def _checked(word: str, text: str, condition: Callable[[str], bool]) -> bool:
    text = text.strip(SPACE)
    try:
        return condition(text)
    except ConditionError as error:
        raise ConditionError(f"{text} is not a valid {word} condition because {error}") from error
