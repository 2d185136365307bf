"""Ads of jobs that keep their lines of the log until they are read.

A queue of 100,000 jobs opens in the time that finding the lines takes; reading one job costs what one job costs. The
lines are an ad's own 103 and 104 lines in the order of the log: unchanged, or those that set something without
``103 KEY `` in front, and the others with 0 for the key.
"""

from __future__ import annotations

from functools import cache

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.record import Binding, Record, bind
from condor_py.store import logreader_py
from condor_py.store.logreader_py import HEAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable
    from typing import Any

#: The slot of Record, which stays empty while an ad is unread.
_attrs: Any = Record.__dict__["attrs"]


@cache
def _deleted() -> re.Pattern[bytes]:
    import re

    return re.compile(rb"^104 \S+ (.*)$", re.MULTILINE)


#: What a submit deletes of every job, and no cluster has.
_OF_EVERY_SUBMIT = b"JobPreparingTasks"
#: Applies lines to attributes; ``logreader`` puts the compiled one here.
fill: Callable[[dict[str, Binding], bytes], None] = logreader_py.fill


class StoredAd(ClassAd):
    """A ClassAd in one of two states: unread, when it has ``lines``, or read, when it has attributes.

    Whatever asks for its attributes reads it; ``rest`` makes it lines again. The compiled evaluator, which reads the
    slots itself, asks for the attributes of an ad whose slot is empty.
    """

    __slots__ = ("lines",)

    def __init__(self, lines: bytes | None = None) -> None:
        super().__init__()
        self.lines = lines
        if lines is not None:
            _attrs.__delete__(self)

    @property
    def attrs(self) -> dict[str, Binding]:
        """The attributes; an unread ad is read."""
        if self.lines is not None:
            self.attrs = self.unread()
        found: dict[str, Binding] = _attrs.__get__(self)
        return found

    @attrs.setter
    def attrs(self, value: dict[str, Binding]) -> None:
        self.lines = None
        _attrs.__set__(self, value)

    def unread(self) -> dict[str, Binding]:
        """Return the attributes that the lines of an unread ad say, and leave it unread."""
        assert self.lines is not None
        found: dict[str, Binding] = {}
        fill(found, self.lines)
        for key, name in deleted(self.lines):
            if key not in found and self.parent is not None and key in self.parent.attrs:
                found[key] = bind(name, "undefined")
        return found

    def rest(self) -> None:
        """Become lines again, if the ad is plain enough: unread, it takes a quarter of the memory."""
        if self.lines is not None or self.scope is not None:
            return
        made = lines_of(self.attrs.values())
        if made is not None:
            self.let_go(made)

    def let_go(self, lines: bytes) -> None:
        """Be unread, with these lines."""
        _attrs.__delete__(self)
        self.lines = lines


def lines_of(bindings: Iterable[Binding]) -> bytes | None:
    """The lines that ``fill`` makes these attributes of; None where one is no plain text."""
    made = []
    for binding in bindings:
        name, raw = binding.name, binding.raw
        if not name or name[0] == HEAD or not raw or not (name + raw).isascii() or " " in name or "\n" in name + raw:
            return None
        made.append(f"{name} {raw}\n")
    return "".join(made).encode()


def peek(ad: ClassAd) -> dict[str, Binding]:
    """Return the attributes of an ad for a short look: an unread ad stays unread."""
    return ad.unread() if isinstance(ad, StoredAd) and ad.lines is not None else ad.attrs


def deleted(lines: bytes) -> list[tuple[str, str]]:
    """Key and name of each attribute that the lines of an ad delete: they hide what a cluster ad says of it."""
    if lines.count(b"\n104 ") + lines.startswith(b"104 ") == lines.count(b" " + _OF_EVERY_SUBMIT + b"\n"):
        return []
    names = [name for name in _deleted().findall(lines) if name != _OF_EVERY_SUBMIT]
    texts = [name.decode("utf-8", "surrogateescape") for name in names]
    return [(text.lower(), text) for text in texts]
