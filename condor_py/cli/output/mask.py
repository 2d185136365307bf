"""A print mask: columns that turn ads into rows, the machinery under every table and custom format.

The rules of widths, separators and missing values are those that HTCondor's tools share.
"""

from __future__ import annotations

from condor_py.cli.output import conversion
from condor_py.cli.output.conversion import Conversion
from condor_py.cli.output.terminal import cut, pad, text_width
from condor_py.cli.output.values import is_reference, number, raw_text, source_of, value_text
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.unparse import value_text as literal_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias

#: A renderer gets the value of its column's source and the ad; None means that there is nothing to show.
Renderer: TypeAlias = "Callable[[Any, ClassAd], Any]"


class _Missing:
    """The cell of a column that has nothing to show."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Any = _Missing()


class Column:
    """One column.

    ``source`` is an attribute name or an expression. ``render`` (a PRINTAS function) and ``fmt`` (a printf format)
    shape its value; with neither, only text prints. ``width`` counts bytes, 0 is no limit; ``left`` aligns left;
    ``auto`` lets the width grow to the widest cell; ``truncate`` cuts longer cells. ``alt`` fills the cell of a
    missing value: one character, or two the same for the whole width. ``prefix`` and ``suffix`` are False where
    the mask's separators are left out.
    """

    __slots__ = (
        "alt", "ask", "auto", "fmt", "heading", "hidden", "left", "prefix", "render", "source", "suffix", "truncate",
        "width",
    )  # fmt: skip

    def __init__(
        self,
        source: str,
        heading: str = "",
        width: int = 0,
        fmt: str | None = None,
        render: Renderer | None = None,
        *,
        left: bool = False,
        auto: bool = False,
        truncate: bool = False,
        prefix: bool = True,
        suffix: bool = True,
        alt: str = "",
    ) -> None:
        self.source = source
        self.heading = heading
        self.fmt = Conversion(fmt) if fmt is not None else None
        self.render = render
        self.width = abs(width)
        self.left = left or width < 0
        if self.fmt is not None and not width and self.fmt.kind is not conversion.TEXT:
            self.width = self.fmt.width
            self.left = self.left or self.fmt.left
        self.auto = auto
        self.truncate = truncate
        self.prefix = prefix
        self.suffix = suffix
        self.alt = alt
        self.hidden = False
        self.ask = source_of(source)

    def cell(self, ad: ClassAd, target: ClassAd | None = None) -> Any:
        """The value to show for ``ad``: a number, text, another ClassAd value, or MISSING."""
        fmt = self.fmt
        if self.render is not None:
            rendered = self.render(ad.raw(self.ask, target), ad)
            return MISSING if rendered is None else rendered
        if fmt is not None:
            if fmt.kind is conversion.TEXT:
                return fmt.before
            if fmt.kind is conversion.RAW:
                return self._raw(ad)
            if fmt.kind is conversion.STRING and isinstance(self.ask, str):
                return self._string(ad, target)
        return self.of_value(ad.raw(self.ask, target))

    @property
    def shows_value(self) -> bool:
        """Whether the cell depends on nothing but the value of an attribute: ``of_value`` of it."""
        kind = None if self.fmt is None else self.fmt.kind
        texts = (conversion.TEXT, conversion.RAW, conversion.STRING)
        return self.render is None and isinstance(self.ask, str) and kind not in texts

    def of_value(self, value: Any) -> Any:
        """The cell of a value of the source, where neither renderer nor text is asked for."""
        fmt = self.fmt
        if fmt is None or fmt.kind is conversion.VALUE:
            return value
        if fmt.kind is conversion.STRING:
            return value if isinstance(value, str) else MISSING
        found = number(value)
        return MISSING if found is None else found

    def _raw(self, ad: ClassAd) -> Any:
        if isinstance(self.ask, str):
            text = ad.text(self.source)
            return "undefined" if text is None else text
        return "undefined" if is_reference(self.source) else raw_text(self.source)

    def _string(self, ad: ClassAd, target: ClassAd | None) -> Any:
        text = ad.text(self.source)
        if text is None:
            return MISSING
        value = ad.raw(self.ask, target)
        return value if isinstance(value, str) else text

    def text(self, cell: Any) -> str:
        """The text of a cell before it is aligned."""
        fmt = self.fmt
        if cell is MISSING:
            return self._alternative()
        if fmt is None:
            return self._bare(cell)
        if fmt.kind is conversion.TEXT:
            return fmt.before
        if fmt.kind is conversion.VALUE:
            return fmt.text(value_text(cell, quoted=fmt.letter == "V"))
        if fmt.kind in (conversion.STRING, conversion.RAW):
            return fmt.text(cell if isinstance(cell, str) else value_text(cell))
        return fmt.text(cell).rjust(self.width)  # numbers stand at the right, whatever the heading does

    def measure(self, cell: Any) -> int:
        """The bytes that ``cell`` makes a growing column hold before any row is shown.

        Text counts without the format around it, and so do quotes; what is neither text nor number does not count.
        Rows that need more let the column grow when they are shown.
        """
        if isinstance(cell, str):
            return text_width(cell)
        found = number(cell)
        kind = None if self.fmt is None else self.fmt.kind
        if found is None or type(cell) is bool or kind in (None, conversion.TEXT, conversion.CHAR):
            return 0
        if kind in (conversion.VALUE, conversion.STRING, conversion.RAW):
            return len(literal_text(found, old=False))
        return text_width(self.text(found))

    def _bare(self, cell: Any) -> str:
        """A column without a format shows no numbers, in HTCondor's way."""
        if isinstance(cell, str):
            return cell
        return "" if number(cell) is not None else value_text(cell)

    def _alternative(self) -> str:
        if len(self.alt) < 2:
            return "" if self.alt == " " else self.alt
        char = self.alt[0]
        if self.width < 3:
            return char if self.width else ""
        return f"[{char * (self.width - 2)}]" if char == "?" else char * self.width

    def aligned(self, text: str) -> str:
        """``text`` in the width of the column."""
        if not self.width:
            return text
        if text_width(text) > self.width:
            return cut(text, self.width) if self.truncate else text
        return pad(text, self.width, self.left)


class Mask:
    """Columns and the separators between them: ``prefix`` before each column but the first, ``suffix`` after each
    but the last, ``row_prefix`` and ``row_suffix`` around rows. ``max_width`` cuts rows (not their suffix)."""

    def __init__(self, columns: Iterable[Column] = ()) -> None:
        self.columns: list[Column] = list(columns)
        self.prefix = " "
        self.suffix = ""
        self.row_prefix = ""
        self.row_suffix = "\n"
        self.max_width: int | None = None

    def cells(self, ad: ClassAd, target: ClassAd | None = None) -> list[Any]:
        """The cells of ``ad``; columns that grow have grown to hold their values afterwards."""
        cells = [column.cell(ad, target) for column in self.columns]
        for column, cell in zip(self.columns, cells, strict=True):
            if column.auto and cell is not MISSING:
                column.width = max(column.width, column.measure(cell))
        return cells

    def row(self, cells: list[Any]) -> str:
        """The row of these cells, with prefix and suffix."""
        parts: list[str] = []
        last = len(self.columns) - 1
        for index, (column, cell) in enumerate(zip(self.columns, cells, strict=True)):
            if column.hidden:
                continue
            if index and column.prefix:
                parts.append(self.prefix)
            text = column.text(cell)
            if column.auto:
                column.width = max(column.width, text_width(text))
            parts.append(column.aligned(text))
            if index < last and column.suffix:
                parts.append(self.suffix)
        return f"{self.row_prefix}{self._cut(''.join(parts))}{self.row_suffix}"

    def heading(self) -> str:
        """The heading line, left aligned over its columns, with the trailing spaces that HTCondor prints."""
        parts: list[str] = []
        last = len(self.columns) - 1
        for index, column in enumerate(self.columns):
            if column.hidden:
                continue
            if index and column.prefix:
                parts.append(self.prefix)
            parts.append(pad(column.heading, column.width, True))
            if index < last and column.suffix:
                parts.append(self.suffix)
        return f"{self.row_prefix}{self._cut(''.join(parts))}{self.row_suffix}"

    def display(self, ad: ClassAd) -> str:
        """The row of ``ad``, in the widths so far."""
        return self.row(self.cells(ad))

    def rows(self, ads: Iterable[ClassAd]) -> Iterator[str]:
        """Rows one by one; growing columns grow from row to row."""
        return (self.display(ad) for ad in ads)

    def has_headings(self) -> bool:
        """True when any column has a heading."""
        return any(column.heading for column in self.columns)

    def _cut(self, line: str) -> str:
        return line if self.max_width is None else cut(line, self.max_width)
