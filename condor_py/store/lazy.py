"""Ads of jobs that keep their lines of the log until somebody looks.

A queue of 100,000 jobs opens in the time that finding the lines takes; who looks at one job pays for one. The bytes are
an ad's own 103 and 104 lines in the order of the log: as they stand there, or those that set something without
``103 KEY `` in front, and the others with 0 for the key.
"""

from __future__ import annotations

from functools import cache

from condor_py.lang.classad import ClassAd, ExprTree
from condor_py.lang.classad.record import Binding, Record, bind
from condor_py.store import logreader_py

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import Any

_scope: Any = Record.__dict__["scope"]
_attrs: Any = Record.__dict__["attrs"]


@cache
def _deleted() -> re.Pattern[bytes]:
    import re

    return re.compile(rb"^104 \S+ (.*)$", re.MULTILINE)


#: What a submit deletes of every job, and no cluster has.
_OF_EVERY_SUBMIT = b"JobPreparingTasks"
#: Applies lines to attributes; ``logreader`` puts the compiled one here.
fill: Callable[[dict[str, Binding], bytes], None] = logreader_py.fill
lines: Callable[[dict[str, Binding]], bytes | None] = logreader_py.lines


class LazyAd(ClassAd):
    """A ClassAd whose attributes are still lines of the log. The first look makes it an ordinary ClassAd.

    Until then the lines stand in the slot of ``scope``, which a job's ad does not use; both classes have the same
    layout, so that the object can change from one to the other and back (``rest``), and costs nothing while it is read.
    The compiled evaluator, which looks into the slots itself, has an ad read first.
    """

    __slots__ = ()

    def __init__(self, lines: bytes) -> None:
        _scope.__set__(self, lines)
        self.parent = None

    @property
    def attrs(self) -> dict[str, Binding]:
        found = self.attrs = _attributes(self)
        return found

    @attrs.setter
    def attrs(self, value: dict[str, Binding]) -> None:
        _scope.__set__(self, None)
        _attrs.__set__(self, value)
        object.__setattr__(self, "__class__", ClassAd)

    @property
    def scope(self) -> Record | None:  # type: ignore[override]
        return None

    def raw(self, expr: str | ExprTree, target: Record | None = None) -> Any:
        read(self)
        return self.raw(expr, target)

    def __eq__(self, other: object) -> bool:
        read(self)
        return self == other

    __hash__ = None


def rest(ad: ClassAd) -> None:
    """Makes an ad lines again, if it is plain enough: it costs a quarter of the memory until somebody looks again."""
    if type(ad) is not ClassAd or ad.scope is not None:
        return
    made = lines(ad.attrs)
    if made is None:
        return
    _attrs.__delete__(ad)
    object.__setattr__(ad, "__class__", LazyAd)
    _scope.__set__(ad, made)


def peek(ad: ClassAd) -> dict[str, Binding]:
    """The attributes of an ad, to be looked at and then forgotten: one that nobody has looked at stays as it is."""
    return _attributes(ad) if type(ad) is LazyAd else ad.attrs


def _attributes(ad: LazyAd) -> dict[str, Binding]:
    found: dict[str, Binding] = {}
    own = lines_of(ad)
    fill(found, own)
    for key, name in deleted(own):
        if key not in found and ad.parent is not None and key in ad.parent.attrs:
            found[key] = bind(name, "undefined")
    return found


def read(ad: ClassAd) -> None:
    """Makes an ad an ordinary one if it is not yet."""
    ad.has("")


def deleted(lines: bytes) -> list[tuple[str, str]]:
    """Key and name of each attribute that the lines of an ad delete: they hide what a cluster ad says of it."""
    if lines.count(b"\n104 ") + lines.startswith(b"104 ") == lines.count(b" " + _OF_EVERY_SUBMIT + b"\n"):
        return []
    names = [name for name in _deleted().findall(lines) if name != _OF_EVERY_SUBMIT]
    texts = [name.decode("utf-8", "surrogateescape") for name in names]
    return [(text.lower(), text) for text in texts]


def lines_of(ad: LazyAd) -> bytes:
    """The lines of an ad that nobody has looked at."""
    lines: bytes = _scope.__get__(ad)
    return lines
