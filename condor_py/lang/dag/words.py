"""The words of a line of a .dag file.

Blanks, tabs and carriage returns separate words. Quotes (" or ') hold words together; inside them a backslash takes
the next character as it is. The quotes stay part of the word unless they are trimmed. Outside quotes a backslash is
like any other character.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[^ \t\r]+")
_BLANKS = " \t\r"
_QUOTES = "\"'"
#: What C's isspace calls white space.
WHITE = " \t\n\v\f\r"
_INTEGER = re.compile(r"[ \t\n\v\f\r]*([+-]?\d+)", re.ASCII)


class Bad(Exception):
    """A command that cannot be understood: the reason, in HTCondor's words."""


class Words:
    """The words of ``text``, taken one after another. ``error`` tells what is wrong with the quotes, if something is:
    it counts more than whatever else is found wrong with the line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.error = ""

    def next(self, trim: bool = False) -> str:
        """The next word, "" at the end. ``trim``: without its quotes."""
        found = _WORD.search(self.text, self.at)
        if found is None:
            self.at = len(self.text)
            return ""
        word = found.group()
        if '"' not in word and "'" not in word:
            self.at = found.end()
            return word
        return self._quoted(found.start(), trim)

    def peek(self) -> str:
        """The next word, which stays where it is."""
        at = self.at
        word = self.next()
        self.at = at
        return word

    def remain(self) -> str:
        """All that is left of the line, without white space around it."""
        rest = self.text[self.at :].strip(WHITE)
        self.at = len(self.text)
        return rest

    def restart(self, text: str) -> None:
        """Continue with another text: the one behind a description of several lines."""
        self.text = text
        self.at = 0

    def pair(self) -> tuple[str, str] | None:
        """The next ``key=value``, with spaces allowed around ``=``; the quotes around the value are gone.

        None at the end of the line, or when there is something else, which ``error`` then tells.
        """
        key = self._key()
        if key is None or not self._operator():
            return None
        value = self.next()
        if not value:
            self.error = self.error or "Key value pair missing value: Unexpected error"
            return None
        return key, value[1:-1] if value[0] in _QUOTES else value

    def _key(self) -> str | None:
        text, start = self.text, self.at
        while start < len(text) and text[start] in _BLANKS:
            start += 1
        end = start
        while end < len(text) and text[end] not in " \t\r=\"'":
            end += 1
        self.at = end
        if end < len(text) and text[end] in _QUOTES:
            self.error = "Key contains quotation mark"
        elif end == len(text):
            if end > start:
                self.error = "Key value pair missing operator and value"
        elif end == start:
            self.error = "Key value pair missing key"
        else:
            return text[start:end]
        return None

    def _operator(self) -> bool:
        """Step over the one ``=``, to the first character of the value."""
        seen = False
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "=":
                if seen:
                    self.error = "Key value pair missing value: Double operator"
                    return False
                seen = True
            elif char not in _BLANKS:
                if not seen:
                    self.error = "Key value pair missing value: Failed to locate operator"
                return seen
            self.at += 1
        self.error = "Key value pair missing value: No value specified"
        return False

    def _quoted(self, at: int, trim: bool) -> str:
        text, size = self.text, len(self.text)
        word = ""
        quote = ""
        while at < size:
            char = text[at]
            if quote:
                if char == "\\":
                    at += 1
                    word += text[at : at + 1]
                elif char == quote:
                    word += "" if trim else char
                    quote = ""
                else:
                    word += char
            elif char in _QUOTES:
                word += "" if trim else char
                quote = char
            elif char in _BLANKS:
                if word:
                    break
            else:
                word += char
            at += 1
        self.at = at
        if quote:
            self.at = size
            self.error = "Invalid quoting: no ending quote found"
            return ""
        return word


def integer(text: str) -> int:
    """The number at the beginning of ``text``, whatever follows it. ValueError without one of 32 bits."""
    found = _INTEGER.match(text)
    value = int(found.group(1)) if found else 1 << 40
    if not -(1 << 31) <= value < 1 << 31:
        raise ValueError(text)
    return value
