"""The macro functions: ``$CHOICE``, ``$INT``, ``$SUBSTR`` and the others (manual: "Special Macros")."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from condor_py.lang.macro.errors import MacroError

if TYPE_CHECKING:
    from condor_py.lang.macro.evaluate import Evaluated, Evaluator


_INTEGER = re.compile(r"\s*[+-]?\d+\s*\Z", re.ASCII)
_LEADING_INTEGER = re.compile(r"\s*[+-]?\d+", re.ASCII)
_REAL = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*\Z", re.ASCII)
_DIRECTIVE = re.compile(r"%[-+ #0]*\d*(?:\.\d*)?(?:hh|h|ll|l|L|q|j|z|t)?([a-zA-Z%])")
#: The widest field and the greatest precision of a format, and the longest number that is read, in characters.
_WIDEST = 1000
_LONGEST_NUMBER = 400
_FORMAT_LETTERS = {"INT": "diouxXc", "REAL": "eEfFgGaA", "STRING": "sv"}


class Expander(Protocol):
    """The members of `condor_py.lang.macro.expand.Expander` that functions use."""

    @property
    def directory(self) -> str: ...
    @property
    def evaluate(self) -> Evaluator: ...
    @property
    def lookup(self) -> Callable[[str], str | None]: ...
    def argument(self, name: str) -> str: ...
    def nested(self, text: str) -> str: ...
    def random_below(self, count: int) -> int: ...


def call(expander: Expander, function: str, body: str) -> str:
    """The value of ``$function(body)``; MacroError when an argument is wrong."""
    if function in _FUNCTIONS:
        return _FUNCTIONS[function](expander, body)

    suffix = ""
    if function == "BASENAME" and "," in body:
        body, suffix = body.rsplit(",", 1)
    return filename_part(function, expander.argument(body), expander.directory, suffix.lstrip())


def to_integer(expander: Expander, text: str) -> int | None:
    """The integer that ``text`` is or evaluates to (reals truncated, booleans 0 or 1); None otherwise."""
    if _INTEGER.match(text):
        return int(text) if len(text) <= _LONGEST_NUMBER else None
    value = expander.evaluate(text)
    return int(value) if isinstance(value, (int, float)) and value == value and abs(value) < 2**63 else None


def _real_of(expander: Expander, text: str) -> float | None:
    if _REAL.match(text):
        return float(text)
    value = expander.evaluate(text)
    return float(value) if isinstance(value, (int, float)) else None


def _integer_argument(expander: Expander, function: str, what: str, text: str) -> int:
    value = to_integer(expander, expander.argument(text))
    if value is None:
        raise MacroError(f"${function}() macro: {text.strip()} is invalid {what}")
    return value


def _random_choice(expander: Expander, body: str) -> str:
    items = _nonempty(body.split(","))
    if len(items) == 1 and (listed := expander.lookup(items[0])) is not None:
        items = _nonempty(re.split(r"[,\s]+", expander.nested(listed)))
    if not items:
        raise MacroError("$RANDOM_CHOICE() macro is empty")
    return items[expander.random_below(len(items))]


def _nonempty(items: list[str]) -> list[str]:
    return [item.strip() for item in items if item.strip()]


def _random_integer(expander: Expander, body: str) -> str:
    numbers: list[int] = []
    parts = _nonempty(body.split(","))
    for index, what in enumerate(("min", "max", "step")):
        if index == 2 and len(parts) == 2:
            numbers.append(1)
            break
        match = _LEADING_INTEGER.match(parts[index]) if index < len(parts) else None
        if match is None:
            raise MacroError(f"$RANDOM_INTEGER({body}) macro: invalid {what}")
        numbers.append(int(match[0][:_LONGEST_NUMBER]))
    low, high, step = numbers
    if step < 1:
        raise MacroError(f"$RANDOM_INTEGER({body}) macro: invalid step")
    if low > high:
        raise MacroError(f"$RANDOM_INTEGER({body}) macro: min > max")
    return str(low + expander.random_below((step + high - low) // step) * step)


def _choice(expander: Expander, body: str) -> str:
    index_text, comma, rest = body.partition(",")
    if not comma:
        raise MacroError("$CHOICE() macro: no list")
    index_text = index_text.strip()
    index = to_integer(expander, expander.argument(index_text))
    if index is None or index < 0:
        raise MacroError(f"$CHOICE() macro: '{index_text}' is invalid index")
    if "," not in rest:
        listed = expander.lookup(rest.strip())
        if listed is None:
            raise MacroError(f'$CHOICE() macro: no list named "{rest.strip()}"')
        rest = expander.nested(listed)
    items = rest.split(",")
    if index >= len(items):
        raise MacroError(f"$CHOICE() macro: index {index} is out of range")
    return items[index].strip()


def _substr(expander: Expander, body: str) -> str:
    parts = body.split(",", 2)
    if len(parts) < 2:
        raise MacroError("$SUBSTR() macro: no length specified")
    start = _integer_argument(expander, "SUBSTR", "start index", parts[1])
    length = None if len(parts) < 3 else _integer_argument(expander, "SUBSTR", "length", parts[2])
    value = expander.lookup(parts[0])
    if value is None:
        return ""
    text = expander.nested(value)
    if start < 0:
        start = max(0, len(text) + start)
    text = text[start:]
    if length is None:
        return text
    return text[:length] if length >= 0 else text[: max(0, len(text) + length)]


def _int(expander: Expander, body: str) -> str:
    name, fmt = _split_format("INT", body)
    text = expander.argument(name)
    value = to_integer(expander, text)
    if value is None:
        raise MacroError(f"$INT() macro: {text} does not evaluate to an integer")
    return str(value) if fmt is None else _formatted("INT", fmt, value)


def _real(expander: Expander, body: str) -> str:
    name, fmt = _split_format("REAL", body)
    text = expander.argument(name)
    value = _real_of(expander, text)
    if value is None:
        raise MacroError(f"$REAL() macro: {text} does not evaluate to a real")
    if fmt is None:
        return f"{value:.16G}"
    shown = _formatted("REAL", fmt, value)
    return shown if "." in shown else shown + ".0"


def _string(expander: Expander, body: str) -> str:
    name, fmt = _split_format("STRING", body)
    text = expander.argument(name)
    value = expander.evaluate(text)
    if isinstance(value, str):
        text = value
    return text if fmt is None else _formatted("STRING", fmt, text)


def _eval(expander: Expander, body: str) -> str:
    raw = expander.lookup(body)
    if raw is None:
        raw = body
    text = expander.nested(raw)
    value = expander.evaluate(text)
    if value is None:
        return text if "$" in raw else ""
    return unparse(value)


def unparse(value: Evaluated) -> str:
    """An evaluated value as ``$EVAL`` shows it: strings without quotes, other values as ClassAd text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)):
        return str(value)
    if isinstance(value, float):
        from condor_py.lang.classad import value_text

        return value_text(value, old=False)
    return value.text


def _formatted(function: str, fmt: str, value: object) -> str:
    try:
        return fmt % value
    except (OverflowError, TypeError, ValueError) as error:  # %c of what is no character
        raise MacroError(f"${function}() macro: '{fmt}' does not suit {value}: {error}") from None


def _split_format(function: str, body: str) -> tuple[str, str | None]:
    """The name and the printf format of ``NAME,FORMAT``; the format has exactly one directive that fits."""
    name, comma, fmt = body.partition(",")
    if not comma:
        return name, None
    directives = [found for found in _DIRECTIVE.finditer(fmt) if found[1] != "%"]
    if len(directives) != 1 or directives[0][1] not in _FORMAT_LETTERS[function]:
        raise MacroError(f"${function}() macro: '{fmt}' is not a valid format specifier")
    if any(len(number) > 4 or int(number) > _WIDEST for number in re.findall(r"\d+", directives[0][0])):
        raise MacroError(f"${function}() macro: '{fmt}' is wider than {_WIDEST} characters")
    # Python's % knows the same flags and letters; length modifiers have no meaning for it.
    directive = re.sub(r"(hh|h|ll|l|L|q|j|z|t)(?=[a-zA-Z]\Z)", "", directives[0][0])
    directive = directive[:-1] + {"v": "s", "a": "e", "A": "E"}.get(directive[-1], directive[-1])
    return name, fmt[: directives[0].start()] + directive + fmt[directives[0].end() :]


_FUNCTIONS: dict[str, Callable[[Expander, str], str]] = {
    "RANDOM_CHOICE": _random_choice,
    "RANDOM_INTEGER": _random_integer,
    "CHOICE": _choice,
    "SUBSTR": _substr,
    "INT": _int,
    "REAL": _real,
    "STRING": _string,
    "EVAL": _eval,
}


_NAME = 2
_EXTENSION = 1
_PATH = 4
_DIRECTORIES = 8


def filename_part(function: str, path: str, directory: str = "", suffix: str = "") -> str:
    """Return the part of ``path`` that ``$function()`` keeps; ``directory`` completes relative paths for the letter
    ``f``."""
    letters = {"DIRNAME": "p", "BASENAME": "nx"}.get(function, function[1:].lower())
    parts = 0
    for letter, part in (("x", _EXTENSION), ("n", _NAME), ("p", _PATH), ("d", _DIRECTORIES)):
        if letter in letters:
            parts |= part
    path = _unquoted(path)
    if "f" in letters and directory and not path.startswith("/"):
        path = directory.rstrip("/") + "/" + (path[2:] if path.startswith("./") else path)
    if "w" in letters or "u" in letters:
        path = _with_separator(path, letters)
    # A backslash is no separator here, except for "d" (as in HTCondor).
    result = _select(path, parts, letters.count("d"), "b" in letters, suffix)
    if "q" not in letters:
        return result
    quote = "'" if "a" in letters else '"'
    return quote + result + quote


def _with_separator(path: str, letters: str) -> str:
    last = [letter for letter in letters if letter in "wu"][-1]
    return path.replace("/", "\\") if last == "w" else path.replace("\\", "/")


def _unquoted(path: str) -> str:
    if len(path) > 1 and path[0] == path[-1] and path[0] in "\"'":
        path = path[1:-1]
    if path.startswith('"'):
        path = path[1:]
        if path.endswith('"'):
            path = path[:-1]
    return path


def _select(path: str, parts: int, depth: int, bare: bool, suffix: str) -> str:
    name_at = path.rfind("/") + 1
    # A dot at the very start of the name is no extension.
    dot = path.rfind(".", name_at + 1)
    extension_at = dot if dot >= 0 else len(path)
    if suffix and path[name_at:].lower().endswith(suffix.lower()):
        extension_at = len(path) - len(suffix)
        parts &= ~_EXTENSION
    if not name_at and parts & (_NAME | _EXTENSION):
        parts &= ~(_PATH | _DIRECTORIES)
    end = extension_at if parts & 3 == _NAME else len(path)
    if parts == _EXTENSION:
        return path[extension_at + bare :]
    if parts in (_NAME, _NAME | _EXTENSION):
        return path[name_at:end]
    if not parts & _DIRECTORIES:
        return path[: max(0, name_at - bare)] if parts == _PATH else path[:end]
    if not name_at:
        return ""
    start = _directories_start(path, depth)
    return path[start : name_at - bare] if parts & 3 == 0 else path[start:end]


def _directories_start(path: str, depth: int) -> int:
    """Return the index at which the last ``depth`` directories of ``path`` begin."""
    starts = [index + 1 for index, letter in enumerate(path) if letter in "/\\"]
    kept = starts[: max(0, len(starts) - depth)]
    return kept[-1] if kept else 0
