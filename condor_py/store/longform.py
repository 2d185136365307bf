"""The long form in files: ``Name = expression`` lines, one blank line between ads."""

from __future__ import annotations

from functools import cache

from condor_py.lang.classad import ClassAd, ClassAdParseError, is_valid, parse
from condor_py.lang.classad.kernel import native
from condor_py.model.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator


@cache
def _plain() -> re.Pattern[str]:
    """Values that need no parser to be seen as sound."""
    import re

    return re.compile(r'-?\d+(?:\.\d+)?|"[^"\\]*"|true|false|undefined')


def ad_text(ad: ClassAd) -> str:
    """The lines of one ad, those of the ad it is chained to included. A line end in a value is a space there."""
    merged = ad.merged()
    if native is not None and (printed := native.print_old(merged)) is not None:
        text = str(printed)
        if text.count("\n") == len(merged):
            return text
    return "".join([f"{name} = {_one_line(text)}\n" for name, text in ad.text_items()])


def _one_line(text: str) -> str:
    return text.replace("\n", " ") if "\n" in text else text


def ads_text(ads: Iterable[ClassAd]) -> str:
    """The lines of several ads."""
    return "\n".join(map(ad_text, ads))


def ad_of_lines(lines: Iterable[str], where: str) -> ClassAd:
    """The ad of some lines. Raises StoreError naming ``where`` for a line that is no assignment."""
    ad = ClassAd()
    for line in lines:
        name, equals, text = line.partition("=")
        if not equals or not name.strip():
            raise StoreError(f"{where}: not an attribute: {line[:60]!r}")
        ad.set_text(name.strip(), text.strip())
    return ad


def checked_ad(lines: Iterable[str], where: str) -> ClassAd:
    """``ad_of_lines`` of lines that may be damaged: every value must parse. Raises StoreError."""
    ad = ClassAd()
    for line in lines:
        name, _, text = line.partition("=")
        name, text = name.strip(), text.strip()
        if not _plain().fullmatch(text):
            try:
                parse(text)
            except ClassAdParseError as error:
                raise StoreError(f"{where}: not an attribute: {line[:60]!r}") from error
        if not name:
            raise StoreError(f"{where}: not an attribute: {line[:60]!r}")
        ad.set_text(name, text)
    return ad


def sound_ad(text: str) -> ClassAd | None:
    """Return the ad of lines that are all sound, soon; None where ``checked_ad`` has to look at each."""
    found = None if native is None else native.next_old(text, 0)
    if found is None or not found[0] or len(found[0]) != len(text.splitlines()) or "\x1f" in text:
        return None
    ad = ClassAd()
    ad.attrs = found[0]
    others = [binding.raw or "" for binding in ad.attrs.values() if not binding.is_as_read]
    return ad if all(_plain().fullmatch(raw) or is_valid(raw) for raw in others) else None


def ads_of_text(text: str, where: str) -> Iterator[ClassAd]:
    """The ads of a text. Raises StoreError as ``ad_of_lines``."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line:
            lines.append(line)
        elif lines:
            yield ad_of_lines(lines, where)
            lines = []
    if lines:
        yield ad_of_lines(lines, where)
