"""Reading one ad after the other from a text in any format, as HTCondor's iterator over files of ads does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.formats.old import put_line
from condor_py.lang.classad.kernel import native
from condor_py.lang.classad.record import Binding, parse_attributes

if TYPE_CHECKING:
    from condor_py.lang.classad.ad import ClassAd
    from condor_py.lang.classad.nodes import AdNode

#: JSONLines: every line is an ad. NewLines is found by FileAuto only: every line is an ad in new format.
FORMS = ("Old", "New", "JSON", "XML", "JSONLines", "FileAuto")
_BLANKS = " \t\n\v\f\r"
_BLANK = re.compile(r"[ \t\n\v\f\r]*")
_BLANK_OR_COMMENT = re.compile(r"[ \t\v\f\r]*(?:[\n#]|\Z)")


def read_ads(text: str, form: str = "FileAuto") -> Iterator[ClassAd]:
    """All ads of ``text``. ``form`` is one of FORMS; "FileAuto" checks the beginning.

    ClassAdParseError where a format other than "Old" is violated. An ad that does not end is one too, although
    HTCondor takes it for the end of the text.
    """
    form = detect(text) if form == "FileAuto" else form
    reader = AdReader(text, form)
    while not reader.at_end:
        reader.skip_space()
        ad = reader.next()
        if reader.complaint is not None and form != "Old":
            raise reader.complaint
        if ad is not None:
            yield ad


def detect(text: str) -> str:
    """The format that ``text`` seems to have, by its first characters."""
    bare = text.lstrip(_BLANKS)
    if bare.startswith("<"):
        return "XML"
    first, rest = bare[:1], bare[1:].lstrip(_BLANKS)
    if first == "[":
        return "JSON" if rest[:1] in ("{", "]") and rest else "New"
    if first == "{":
        return "New" if rest[:1] == "[" else "JSON"
    return "Old"


class AdReader:
    """The ads of ``text`` from ``at``, which moves behind each one.

    A reader of JSON or new ads that met the opening bracket of a list steps over commas between ads and over the
    closing bracket; one that starts behind it does not.
    """

    def __init__(self, text: str, form: str, at: int = 0) -> None:
        self.text = text
        self.form = form
        self.at = at
        #: What was wrong with the ad that was read last.
        self.complaint: ClassAdParseError | None = None
        self._in_list = False
        self._kind = "end"

    @property
    def at_end(self) -> bool:
        """Whether nothing is left to read."""
        return self.at >= len(self.text)

    def skip_space(self) -> None:
        """Skip spaces and line ends."""
        match = _BLANK.match(self.text, self.at)
        if match is not None:
            self.at = match.end()

    def next(self) -> ClassAd | None:
        """Return the next ad; None at the end, for a bad one (``complaint``) and for an empty one.

        As in HTCondor what follows an empty ad is read as lines of the old format.
        """
        self.complaint = None
        read = _READERS.get(self.form)
        if read is None:
            return self._next_old()
        try:
            ad = read(self)
        except ClassAdParseError as error:
            self.complaint = error
            ad = None
        self.at = min(self.at, len(self.text))
        if ad is not None and not ad.attrs:
            return self._next_old()
        return ad

    def _listed(self, read_one: Callable[[], ClassAd], opening: str, closing: str) -> ClassAd | None:
        """``read_one``, once more where a list begins, continues or ends."""
        begin = self.at
        try:
            return read_one()
        except ClassAdParseError:
            if self._kind == (closing if self._in_list else opening):
                self._in_list = not self._in_list
            elif not (self._in_list and self._kind == ","):
                if self._only_space_from(begin):
                    return None
                raise
        begin = self.at
        try:
            return read_one()
        except ClassAdParseError:
            empty = self._in_list and self._kind == closing
            if self._only_space_from(self.at if empty else begin):
                return None
            raise

    def _only_space_from(self, begin: int) -> bool:
        match = _BLANK.match(self.text, begin)
        return match is not None and match.end() >= len(self.text)

    def _read_json(self) -> ClassAd | None:
        return self._listed(self._json_ad, "[", "]")

    def _json_ad(self) -> ClassAd:
        from condor_py.lang.classad.formats.json import JsonParser

        parser = JsonParser(self.text, self.at, self._kind)
        try:
            return _ad_of(parser.object())
        finally:
            self.at, self._kind = min(parser.at, len(self.text)), parser.kind

    def _read_json_line(self) -> ClassAd | None:
        """An ad that is a line; what is behind it on the line is passed over."""
        from condor_py.lang.classad.formats.json import JsonParser

        newline = self.text.find("\n", self.at)
        end = len(self.text) if newline < 0 else newline + 1
        line = self.text[self.at : end]
        self.at = end
        parser = JsonParser(line, 0, self._kind)
        try:
            return _ad_of(parser.object())
        finally:
            self._kind = parser.kind

    def _read_new(self) -> ClassAd | None:
        return self._listed(self._new_ad, "{", "}")

    def _new_ad(self) -> ClassAd:
        from condor_py.lang.classad.ad import ClassAd

        ad = ClassAd()
        try:
            ad.attrs, self.at = parse_attributes(self.text, self.at)
        except ClassAdParseError as error:
            from condor_py.lang.classad.formats.tokens import next_token

            token = next_token(self.text, self.at, json=False)
            previous = "end"
            while token.start < error.offset and token.kind != "end":
                previous = token.kind
                token = next_token(self.text, token.end, previous, json=False)
            token = next_token(self.text, error.offset, previous, json=False)
            self.at, self._kind = min(token.read, len(self.text)), token.kind
            raise
        return ad

    def _read_xml(self) -> ClassAd | None:
        from condor_py.lang.classad.formats.xml import XmlParser

        parser = XmlParser(self.text, self.at)
        try:
            node = parser.ad()
        finally:
            self.at = parser.at
        return None if node is None else _ad_of(node)

    def _next_old(self) -> ClassAd | None:
        """Lines up to the next empty one; a bad line ends the ad, what follows it is skipped (in the old format)."""
        from condor_py.lang.classad.ad import ClassAd

        ad = ClassAd()
        if native is not None and self.form == "Old" and not self._at_blank_or_comment():
            found = native.next_old(self.text, self.at)
            if found is not None:
                ad.attrs, self.at = found
                return ad if ad.attrs else None
        self._read_lines(ad)
        return ad if ad.attrs else None

    def _at_blank_or_comment(self) -> bool:
        return _BLANK_OR_COMMENT.match(self.text, self.at) is not None

    def _read_lines(self, ad: ClassAd) -> None:
        complaint: str | None = None
        while not self.at_end:
            newline = self.text.find("\n", self.at)
            end = len(self.text) if newline < 0 else newline + 1
            line = self.text[self.at : end].rstrip("\r\n")
            self.at = end
            bare = line.strip(_BLANKS)
            if not bare:
                break
            if complaint is None and bare[0] != "#":
                complaint = put_line(ad, line)
            if complaint is not None and self.form != "Old":
                break
        if complaint is not None:
            self.complaint = ClassAdParseError(complaint)


def _ad_of(node: AdNode) -> ClassAd:
    from condor_py.lang.classad.ad import ClassAd

    ad = ClassAd()
    for name, item in node.items:
        ad.put(Binding(name, None, item))
    return ad


_READERS: dict[str, Callable[[AdReader], ClassAd | None]] = {
    "JSON": AdReader._read_json,
    "JSONLines": AdReader._read_json_line,
    "New": AdReader._read_new,
    "XML": AdReader._read_xml,
}
