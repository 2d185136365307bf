"""The texts of history records. Of jobs of one cluster that nobody has looked at, what they share is printed once, and
nothing is made of what their lines say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from condor_py.classad import ClassAd
from condor_py.classad.record import Record, lower
from condor_py.store.logreader import own_texts, printed
from condor_py.store.longform import ad_text

_ENVIRONMENT = (b"Env = ", b"Environment = ")
#: What a banner tells.
_OWNER, _CLUSTER, _PROC, _COMPLETED = _TOLD = ("Owner", "ClusterId", "ProcId", "CompletionDate")
_KEYS = tuple(map(str.lower, _TOLD))
#: Of so few jobs what they share is not worth to be worked out: short ones that have run leave some ten at a time.
_FEW = 20
#: What a job deletes.
_GONE = "\0gone"


def record_texts(ads: Iterable[ClassAd], environment: bool) -> Iterator[tuple[bytes, str]]:
    """The lines of each ad, chained ads included, and what its banner says of it. Without ``environment`` that of the
    job is left out."""
    for _, some in groupby(ads, lambda ad: id(ad.parent)):
        group = list(some)
        shared = _shared_lines(group[0].parent) if len(group) > _FEW else []
        texts = printed(group, shared) if shared else [None] * len(group)
        words = _words_of_many(group) if len(group) > _FEW else [_words(ad) for ad in group]
        for ad, text, told in zip(group, texts, words, strict=True):
            body = ad_text(ad).encode("utf-8", "surrogateescape") if text is None else text
            yield body if environment else _without_environment(body), told


def integer(ad: ClassAd, name: str) -> int:
    """The integer literal of an attribute, -1 when it is none."""
    text = ad.text(name)
    try:
        return int(text) if text is not None else -1
    except ValueError:
        return -1


def _shared_lines(parent: Record | None) -> list[tuple[bytes, bytes]]:
    """Lower-case name and line of each attribute of a parent, in storage order; none where it is not plain."""
    if not isinstance(parent, ClassAd) or parent.parent is not None:
        return []
    items = parent.text_items()
    if not all(name.isascii() and name.isidentifier() for name, _ in items):
        return []
    return [(lower(name).encode(), f"{name} = {text}\n".encode("utf-8", "surrogateescape")) for name, text in items]


def _without_environment(body: bytes) -> bytes:
    return b"".join([line for line in body.splitlines(keepends=True) if not line.startswith(_ENVIRONMENT)])


def _words(ad: ClassAd) -> str:
    owner = ad.text(_OWNER)
    name = owner[1:-1] if owner is not None and owner[:1] == '"' else "?"
    return _told(str(integer(ad, _CLUSTER)), str(integer(ad, _PROC)), name, str(integer(ad, _COMPLETED)))


def _told(cluster: str, proc: str, owner: str, completed: str) -> str:
    return f'ClusterId = {cluster} ProcId = {proc} Owner = "{owner}" CompletionDate = {completed}'


def _words_of_many(group: list[ClassAd]) -> list[str]:
    """The same of ads chained to one parent, of which none is read where all say it in plain words."""
    parent = group[0].parent
    inherited = [parent.attrs.get(key) if parent is not None else None for key in _KEYS]
    instead = [binding.text if binding is not None else None for binding in inherited]
    columns = own_texts(group, _KEYS, _GONE)
    for column, text in zip(columns, instead, strict=True):
        if None in column:
            column[:] = [text if own is None else own for own in column]
    owners, *numbers = [set(column) for column in columns]
    if not all(map(_is_name, owners)) or not all(_is_number(text) for column in numbers for text in column):
        return [_words(ad) for ad in group]
    rows = zip(*columns, strict=True)
    return [
        _told(cluster or "-1", proc or "-1", owner[1:-1] if owner else "?", done or "-1")
        for owner, cluster, proc, done in rows
    ]


def _is_name(text: str | None) -> bool:
    return text is None or (text[1:-1].isalnum() and text[:1] == '"' == text[-1:] and text.isascii())


def _is_number(text: str | None) -> bool:
    return text is None or (text.isascii() and text.isdigit() and (text[0] != "0" or text == "0"))
