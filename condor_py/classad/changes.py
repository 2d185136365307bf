"""Records of a ClassAd log, (op, key, name, value), played on ads. csrc/changes.c does the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from condor_py.classad.ad import ClassAd
from condor_py.classad.kernel import native
from condor_py.model.record import DELETE, SET

_Record = tuple[int, str, str, str]


def _apply(ad: ClassAd, changes: Iterable[_Record]) -> list[Any]:
    done = []
    for change in changes:
        op, _, name, value = change
        if op == SET:
            ad.set_text(name, value)
        elif op == DELETE:
            ad.delete(name)
        done.append(change)
    return done


def _play(ads: Mapping[str, ClassAd], records: Sequence[_Record], other: Callable[[Any], None]) -> None:
    last_key, ad = "", None
    for record in records:
        op, key, name, value = record
        if op not in (SET, DELETE):
            other(record)
            last_key = ""
            continue
        if key != last_key:
            ad, last_key = ads.get(key), key
        if ad is None:
            continue
        if op == SET:
            ad.set_text(name, value)
        else:
            ad.delete(name)


#: ``apply(ad, changes)``: what sets and deletes attributes is done to one ad, whatever its key; all changes in a list.
apply: Callable[[ClassAd, Iterable[Any]], list[Any]] = _apply if native is None else native.apply
#: ``play(ads, records, other)``: the same for the ads of a table, by key; one that is not there is passed over.
#: ``other`` gets, in its turn, every record that does something else.
play: Callable[[Any, Sequence[Any], Callable[[Any], None]], None] = _play if native is None else native.play
