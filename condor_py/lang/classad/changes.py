"""Records of a ClassAd log, (op, key, name, value), played on ads. csrc/changes.c does the same."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.exprtree import is_valid
from condor_py.lang.classad.kernel import native
from condor_py.model.record import DELETE, SET, is_one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

_Record = tuple[int, str, str, str]
_Jobs = Mapping[int, Mapping[int, ClassAd]]


def _apply(ad: ClassAd, changes: Iterable[Any]) -> list[Any]:
    done = []
    for change in changes:
        op, _, name, value = change
        if op == SET:
            ad.set_text(name, value)
        elif op == DELETE:
            ad.delete(name)
        done.append(change)
    return done


#: ``apply(ad, changes)``: do to one ad what sets and deletes attributes, whatever its key. Returns all changes.
apply: Callable[[ClassAd, Iterable[Any]], list[Any]] = _apply if native is None else native.apply


@cache
def _job() -> re.Pattern[str]:
    import re

    return re.compile(r"([1-9][0-9]{0,17})\.(0|[1-9][0-9]{0,17})", re.ASCII)


def _found(ads: Mapping[str, ClassAd], jobs: _Jobs | None, key: str) -> ClassAd | None:
    job = None if jobs is None else _job().fullmatch(key)
    found = None if jobs is None or job is None else jobs.get(int(job[1]), {}).get(int(job[2]))
    return ads.get(key) if found is None else found


def _play(
    ads: Mapping[str, ClassAd], records: Sequence[_Record], other: Callable[[Any], None], jobs: _Jobs | None = None
) -> None:
    last_key, ad = "", None
    for record in records:
        op, key, name, value = record
        if op not in (SET, DELETE):
            other(record)
            last_key = ""
            continue
        if key != last_key:
            ad, last_key = _found(ads, jobs, key), key
        if ad is None:
            continue
        if op == SET:
            ad.set_text(name, value)
        else:
            ad.delete(name)


#: ``play(ads, records, other, jobs)``: set and delete attributes of the ads of a table, by key; one that is missing is
#: passed over. ``other`` gets, in its turn, every record that does something else. With ``jobs`` (None: without) keys
#: like 7.0 are those of jobs, whose ads are found there by cluster and proc, or else with the others.
play: Callable[..., None] = _play if native is None else native.play


def is_storable(text: str) -> bool:
    """Whether the queue can hold an expression: it parses, and is one line of text."""
    return is_one_line(text) and is_valid(text)
