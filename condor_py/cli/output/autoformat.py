"""``-af`` / ``-autoformat`` and ``-format``: columns made from arguments."""

from __future__ import annotations

from condor_py.cli.output.mask import Column, Mask
from condor_py.cli.output.renderers import job_id
from condor_py.cli.output.values import is_reference
from condor_py.cli.suggest import hint
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.exprtree import is_valid, parse
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from condor_py.cli.options import Use


#: All that mean something after ``-af:``.
_LETTERS = "jlhVroTY,tng"


class Autoformat:
    """The letters after ``-af:`` (unknown letters are ignored, as HTCondor does)."""

    __slots__ = ("conversion", "heading", "job_id", "label", "prefix", "row_prefix", "suffix")

    def __init__(self, letters: str | None) -> None:
        self.conversion = "%v"
        self.heading = self.job_id = self.label = False
        self.prefix, self.suffix, self.row_prefix = " ", "", ""
        letters = letters or ""
        for letter in letters:
            self._separator(letter)
        self.label, self.heading, self.job_id = "l" in letters, "h" in letters, "j" in letters
        for letter, conversion in (("T", "%T"), ("Y", "%Y"), ("V", "%V"), ("o", "%r"), ("r", "%r")):
            if letter in letters:
                self.conversion = conversion

    def _separator(self, letter: str) -> None:
        if letter == ",":
            self.suffix = ","
        elif letter == "n":
            self.suffix = "\n"
        elif letter == "t":
            self.prefix = "\t"
        elif letter == "g":
            self.prefix, self.row_prefix = "", "\n"


def add_autoformat(mask: Mask, expressions: Sequence[str], letters: str | None, *, append: bool = False) -> bool:
    """Add the columns of one ``-af``; with ``append`` (``-aaf``) the mask keeps its own separators.

    False when an expression does not parse: the columns before it stay, nothing after it is added.
    """
    style = Autoformat(letters)
    unknown = "".join(letter for letter in letters or "" if letter not in _LETTERS)
    if unknown:
        hint(f"-af:{letters}: {unknown} means nothing here; the letters are {_LETTERS}")
    if not append:
        mask.prefix, mask.suffix, mask.row_prefix, mask.row_suffix = style.prefix, style.suffix, style.row_prefix, "\n"
    headings = style.heading or append or mask.has_headings()
    if style.job_id:
        heading = " ID" if headings else ""
        fmt = "ID = %v" if style.label else "%v"
        mask.columns.append(Column("ClusterId", heading, fmt=fmt, render=job_id, left=True, auto=headings))
    for expression in expressions:
        try:
            parse(expression)
        except ClassAdParseError:
            return False
        mask.columns.append(_column(expression, style, headings))
    return True


def _column(expression: str, style: Autoformat, headings: bool) -> Column:
    if not headings:
        label = expression + " = " if style.label else ""
        return Column(expression, fmt=label + style.conversion)
    heading = expression
    if not style.heading and not is_reference(expression) and len(expression) > 16:
        heading = "(expr)"
    return Column(expression, heading, -len(heading), style.conversion, auto=True)


def add_format(mask: Mask, fmt: str, expression: str) -> bool:
    """Add one ``-format FMT EXPR``; False when the expression does not parse."""
    if not mask.columns:
        mask.prefix = mask.suffix = mask.row_prefix = mask.row_suffix = ""
    try:
        parse(expression)
    except ClassAdParseError:
        hint(f"-format: not an expression: {expression}")
        return False
    mask.columns.append(Column(expression, fmt=fmt))
    return True


def add_columns(mask: Mask, uses: Iterable[Use], refusal: str = "") -> None:
    """Add the columns of -af and -format. CondorError: ``refusal`` and the first expression that does not parse."""
    for use in uses:
        if use.name == "autoformat" and not add_autoformat(mask, use.values, use.colon):
            raise CondorError(refusal + first_bad(use.values))
        if use.name == "format" and not add_format(mask, use.values[0], use.values[1]):
            raise CondorError(refusal + use.values[1])


def first_bad(expressions: Sequence[str]) -> str:
    """Return the first expression that does not parse, "" if all do."""
    return next((text for text in expressions if not is_valid(text)), "")
