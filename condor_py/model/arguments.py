"""Command-line arguments in the old (V1) and the new (V2, double-quoted) syntax.

V1: spaces separate, nothing can quote them, a double quote is written ``\\"``. V2: the whole value stands in
double quotes (``""`` is one of them), inside it single quotes protect spaces and ``''`` is a single quote.
"""

from __future__ import annotations

from functools import cache

from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_BLANKS = " \t\n\r"


@cache
def _blank_run() -> re.Pattern[str]:
    import re

    return re.compile(r"[ \t\n\r]+")


@cache
def _special() -> re.Pattern[str]:
    import re

    return re.compile(r"[ \t\n\r']+")


class ArgumentError(CondorError):
    """Arguments or an environment that do not follow the syntax."""


def is_v2_quoted(text: str) -> bool:
    """True when the first character that is no space is a double quote."""
    return text.lstrip().startswith('"')


def unquote_v2(text: str) -> str:
    """The inside of a double-quoted value, with ``""`` undone. Raises ArgumentError."""
    text = text.strip()
    out: list[str] = []
    at = 1
    while True:
        end = text.find('"', at)
        if end < 0:
            raise ArgumentError("Unterminated double-quote.")
        out.append(text[at:end])
        if text.startswith('""', end):
            out.append('"')
            at = end + 2
            continue
        break
    if end + 1 < len(text):
        raise ArgumentError(
            "Unexpected characters following double-quote.  Did you forget to escape the double-quote by repeating "
            f"it?  Here is the quote and trailing characters: {text[end:]}\n"
        )
    return "".join(out)


def split_v1(raw: str) -> list[str]:
    """The words of a raw V1 text, which are separated by spaces."""
    return [word for word in _blank_run().split(raw) if word]


def split_v2(raw: str) -> list[str]:
    """The words of a raw V2 text. Raises ArgumentError for an open single quote."""
    if "'" not in raw:
        return split_v1(raw)
    words: list[str] = []
    word: list[str] = []
    open_word = False
    at = 0
    while at < len(raw):
        char = raw[at]
        if char == "'":
            open_word = True
            at = _quoted(raw, at, word)
        elif char in _BLANKS:
            if open_word:
                words.append("".join(word))
                word, open_word = [], False
            at += 1
        else:
            open_word = True
            word.append(char)
            at += 1
    if open_word:
        words.append("".join(word))
    return words


def _quoted(raw: str, start: int, word: list[str]) -> int:
    at = start + 1
    while True:
        end = raw.find("'", at)
        if end < 0:
            raise ArgumentError(f"Unbalanced quote starting here: {raw[start:]}")
        word.append(raw[at:end])
        if not raw.startswith("''", end):
            return end + 1
        word.append("'")
        at = end + 2


def join_v2(words: list[str]) -> str:
    """The raw V2 text of these words, quoting as HTCondor does: only around spaces and single quotes."""
    return " ".join(_special().sub(_in_quotes, word) if word else "''" for word in words)


def _in_quotes(found: re.Match[str]) -> str:
    """Quote blanks and single quotes that follow one another."""
    return "'" + found[0].replace("'", "''") + "'"


def parse_arguments(text: str) -> tuple[list[str], bool]:
    """The words of an ``arguments`` command and whether it was in the old syntax. Raises ArgumentError."""
    if is_v2_quoted(text):
        return split_v2(unquote_v2(text)), False
    raw = text
    if '"' in text:
        import re

        bare = re.search(r'(?<!\\)"', text)
        if bare is not None:
            raise ArgumentError(f"Found illegal unescaped double-quote: {text[bare.start() :]}")
        raw = text.replace('\\"', '"')
    return split_v1(raw), True


def words_of(text: str) -> list[str]:
    """The words of a command line or of arguments in the configuration, in either syntax. ArgumentError."""
    return split_v2(unquote_v2(text)) if is_v2_quoted(text) else split_v1(text)


def parse_v2(text: str) -> list[str]:
    """The words of an ``arguments2`` command, which must be quoted. Raises ArgumentError."""
    if not is_v2_quoted(text):
        raise ArgumentError("Expecting double-quoted input string (V2 format).")
    return split_v2(unquote_v2(text))
