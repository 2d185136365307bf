"""Makes inputs of a seed: documents of a parser, and what damage, splices and extremes of size leave of them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from condor_py.lang.classad import ClassAdException
from condor_py.model.errors import CondorError

#: Pieces that readers of texts trip over.
PIECES = (
    "[", "]", "{", "}", "(", ")", ";", ",", "=", "=?=", "=!=", "?:", "?", ":", "&&", "||", "!", "~", "<<", ">>>",
    "%", "%s", "%n", "/", "*", "-", '"', "'", "\\", "\\u12", "\\u0000", "\\ud800", "\\x", "\n", "\r\n", "\r", "\0",
    "\ufeff", " ", "\t", "\v", "\x1c", "\x85", "\u2028", "0x", "1e", "1e999", "-0.0", "0", "-1", "1", "255",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551616", "2147483648",
    "9" * 400, "9" * 5000, "INF", "NaN", "true", "null", "undefined", "error", "MY.", "TARGET.", ".", "..", "#", "//",
    "/*", "*/", "...", "***", "$", "$$", "$(", "$$(", "$(A)", "$INT(", "$ENV(", "@", "@=", "&lt;", "&#0;", "&#x110000;",
    "<c>", "</c>", '<a n="', '"/>', "<e>", "<i>", "<![CDATA[", "<!--", "<?xml", "\\/Expr(", ")\\/", "\u00e9", "\u0130",
    "\u00b2", "\u0663", "\U0001f600", "\u202e", "|", "^", "`", "/../", "~root", "-", "--", "+", "1.2.3", "1.0",
    "2026-02-30", "1969-12-31T23:59:59", "24:00:61", "0000-00-00", "9999-12-31", "00:00",
)  # fmt: skip
#: Bytes that are no UTF-8.
RAW = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\x80", b"\xfe\xff", b"\xef\xbb\xbf")
_TOKEN = re.compile(rb"[A-Za-z_]+|[0-9]+|\s+|[^\w\s]")
_NUMBERS = (
    b"0", b"-1", b"1", b"2", b"7", b"99", b"1000", b"-5", b"2147483647", b"2147483648", b"4294967296", b"1e3", b"0.5",
    b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809", b"00", b"007", b"1_0", b"0x10",
    b"9" * 30, b"9" * 4400, "\u00b2".encode(), "\u0663".encode(),
)  # fmt: skip
#: One input of so many is of extreme size.
_RARELY = 400
_LONG, _DEEP = 1 << 20, 100_000


class Maker:
    """All chance of one input. ``pool``: whole documents that earlier inputs found worth keeping."""

    def __init__(self, seed: str, words: Sequence[str] = (), pool: Sequence[bytes] = ()) -> None:
        self.chance = random.Random(seed)
        self._words = words
        self._pool = pool

    def pick(self, documents: Sequence[str | bytes]) -> bytes:
        """One of these documents, or one that was kept."""
        if self._pool and self.chance.random() < 0.3:
            return self.chance.choice(self._pool)
        return _encoded(self.chance.choice(documents))

    def piece(self) -> bytes:
        """A word of the language, or one that no reader likes."""
        draw = self.chance.random()
        if self._words and draw < 0.6:
            return _encoded(self.chance.choice(self._words))
        return self.chance.choice(RAW) if draw > 0.95 else _encoded(self.chance.choice(PIECES))

    def lines(self, choices: Sequence[str], most: int = 12) -> str:
        """Some of these lines in any order."""
        return "".join(f"{self.chance.choice(choices)}\n" for _ in range(self.chance.randint(0, most)))

    def damaged(self, data: bytes, other: Callable[[], bytes]) -> bytes:
        """A document as it is, or after some changes; ``other`` makes one to splice with."""
        chance = self.chance
        for _ in range(chance.choice((0, 1, 1, 2, 3, 6))):
            data = chance.choice(_CHANGES)(self, data, other)
        return self._extreme(data) if chance.randrange(_RARELY) == 0 else data

    def _extreme(self, data: bytes) -> bytes:
        chance = self.chance
        at = chance.randint(0, len(data))
        piece = self.piece() or b"("
        kind = chance.randrange(5)
        if kind == 0:  # deep
            return data[:at] + piece * _DEEP + data[at:] if len(piece) < 8 else data + b"(" * _DEEP
        if kind == 1:  # a long line
            return data[:at] + b"x" * _LONG + data[at:]
        if kind == 2:  # many lines
            lines = data.splitlines(keepends=True) or [b"\n"]
            line = chance.choice(lines)
            return data + line * min(20_000, _LONG // (len(line) + 1))
        if kind == 3:
            return data.replace(b"\n", b"\r\n") if chance.random() < 0.5 else b"\xef\xbb\xbf" + data
        return data[:at] + piece * min(5000, _LONG // (len(piece) + 1)) + data[at:]

    # changes: what a document becomes

    def _insert(self, data: bytes, other: Callable[[], bytes]) -> bytes:
        at = self._boundary(data)
        return data[:at] + self.piece() * self.chance.choice((1, 1, 1, 2, 50)) + data[at:]

    def _cut(self, data: bytes, other: Callable[[], bytes]) -> bytes:
        at = self._boundary(data)
        return data[:at] + data[at + self.chance.choice((1, 1, 2, 5, 40)) :]

    def _end(self, data: bytes, other: Callable[[], bytes]) -> bytes:
        return data[: self.chance.randint(0, len(data))]

    def _flip(self, data: bytes, other: Callable[[], bytes]) -> bytes:
        if not data:
            return self.piece()
        at = self.chance.randrange(len(data))
        return data[:at] + bytes([self.chance.randrange(256)]) + data[at + 1 :]

    def _double(self, data: bytes, other: Callable[[], bytes]) -> bytes:
        at, end = sorted((self._boundary(data), self._boundary(data)))
        end = min(end, at + 200)
        return data[:at] + data[at:end] * self.chance.choice((2, 2, 3, 30)) + data[end:]

    def _replace(self, data: bytes, other: Callable[[], bytes]) -> bytes:
        found = self._token(data)
        if found is None:
            return data + self.piece()
        word = self.chance.choice(_NUMBERS) if found[0].isdigit() and self.chance.random() < 0.7 else self.piece()
        return data[: found.start()] + word + data[found.end() :]

    def _line(self, data: bytes, other: Callable[[], bytes]) -> bytes:
        """Lines moved, doubled, left out, joined."""
        chance = self.chance
        lines = data.splitlines(keepends=True)
        if not lines:
            return data
        line = lines.pop(chance.randrange(len(lines)))
        for _ in range(chance.choice((0, 1, 1, 2))):
            lines.insert(chance.randint(0, len(lines)), line if chance.random() < 0.8 else line.rstrip(b"\r\n"))
        return b"".join(lines)

    def _splice(self, data: bytes, other: Callable[[], bytes]) -> bytes:
        mate = other()
        at, cut = self._boundary(data), self._boundary(mate)
        if self.chance.random() < 0.5:
            return data[:at] + mate[cut:]
        return data[:at] + mate[cut : cut + 100] + data[at:]

    def _token(self, data: bytes) -> re.Match[bytes] | None:
        return _TOKEN.search(data, self.chance.randrange(len(data))) if data else None

    def _boundary(self, data: bytes) -> int:
        """A place between two tokens, or any place."""
        found = self._token(data)
        if found is None or self.chance.random() < 0.25:
            return self.chance.randint(0, len(data))
        return found.start()


_CHANGES: tuple[Callable[[Maker, bytes, Callable[[], bytes]], bytes], ...] = (
    Maker._insert, Maker._insert, Maker._cut, Maker._cut, Maker._end, Maker._flip, Maker._double, Maker._replace,
    Maker._replace, Maker._replace, Maker._line, Maker._line, Maker._splice,
)  # fmt: skip


def _encoded(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def grown(data: bytes, chance: random.Random, size: int) -> bytes:
    """A document with one of its pieces repeated until it has about ``size`` bytes."""
    lines = data.splitlines(keepends=True)
    at = end = 0
    if lines and chance.random() < 0.5:
        first = chance.randrange(len(lines))
        at = sum(map(len, lines[:first]))
        end = at + len(lines[first])
    else:
        at = chance.randint(0, len(data))
        end = min(len(data), at + chance.choice((1, 1, 2, 5, 20, 1000)))
    piece = data[at:end] or b"("
    return data[:at] + piece * (size // len(piece)) + data[end:]


def _nothing(place: str) -> None:
    """Needs no preparation."""


@dataclass(frozen=True)
class Parser:
    """A parser of condor_py. ``make`` makes a whole document of its language, ``read`` gives one to the parser and
    checks what comes of it: AssertionError, or any error that is none of ``errors``, is a finding. ``where`` is a text
    that every error names; ``words`` are of the language. ``prepare`` gets the directory in which ``read`` will run."""

    name: str
    make: Callable[[Maker], bytes]
    read: Callable[[bytes], None]
    words: Sequence[str] = ()
    errors: tuple[type[BaseException], ...] = (CondorError, ClassAdException)
    where: str = ""
    prepare: Callable[[str], None] = _nothing


def text_of(data: bytes) -> str:
    """The text of a file as condor_py reads it."""
    return data.decode("utf-8", "surrogateescape")
