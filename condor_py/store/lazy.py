"""Ads of jobs that keep their lines of the log until somebody looks.

A queue of 100,000 jobs opens in the time that finding the lines takes; who looks at one job pays for one. The bytes are
an ad's own 103 and 104 lines in the order of the log, all with its key.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from condor_py.classad import ClassAd, ExprTree
from condor_py.classad.record import Binding, Record, bind
from condor_py.store import logreader_py

_scope: Any = Record.__dict__["scope"]
_attrs: Any = Record.__dict__["attrs"]

_DELETED = re.compile(rb"^104 \S+ (.*)$", re.MULTILINE)
#: What a submit deletes of every job, and no cluster has.
_OF_EVERY_SUBMIT = b"JobPreparingTasks"
#: Applies lines to attributes; ``logreader`` puts the compiled one here.
fill: Callable[[dict[str, Binding], bytes], None] = logreader_py.fill


class LazyAd(ClassAd):
    """A ClassAd whose attributes are still lines of the log. The first look makes it an ordinary ClassAd.

    Until then the lines stand in the slot of ``scope``, which a job's ad does not use; both classes have the same
    layout, so that the object can change from one to the other and costs nothing afterwards. The store hands out read
    ads only, because the compiled evaluator looks into the slots itself.
    """

    __slots__ = ()

    def __init__(self, lines: bytes) -> None:
        _scope.__set__(self, lines)
        self.parent = None

    @property
    def attrs(self) -> dict[str, Binding]:
        found: dict[str, Binding] = {}
        lines = _scope.__get__(self)
        fill(found, lines)
        for key, name in deleted(lines):
            if key not in found and self.parent is not None and key in self.parent.attrs:
                found[key] = bind(name, "undefined")
        self.attrs = found
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


def read(ad: ClassAd) -> None:
    """Makes an ad an ordinary one if it is not yet."""
    ad.has("")


def deleted(lines: bytes) -> list[tuple[str, str]]:
    """Key and name of each attribute that the lines of an ad delete: they hide what a cluster ad says of it."""
    if lines.count(b"\n104 ") + lines.startswith(b"104 ") == lines.count(b" " + _OF_EVERY_SUBMIT + b"\n"):
        return []
    names = [name for name in _DELETED.findall(lines) if name != _OF_EVERY_SUBMIT]
    texts = [name.decode("utf-8", "surrogateescape") for name in names]
    return [(text.lower(), text) for text in texts]


def lines_of(ad: LazyAd) -> bytes:
    """The lines of an ad that nobody has looked at."""
    lines: bytes = _scope.__get__(ad)
    return lines
