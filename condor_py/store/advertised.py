"""Ads that programs published beside those of the daemons, with ``Collector.advertise``.

They lie in one file of the published ads, each with what it was published as and the time when it expires.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from condor_py.classad import ClassAd
from condor_py.model.errors import StoreError
from condor_py.store.ad_store import AdStore
from condor_py.store.fs import describe

_FILE = "ADVERTISED"
_KIND, _UNTIL = "CondorPyAdvertisedAs", "CondorPyAdvertisedUntil"


class Advertised:
    """The ads of programs, kept in the directory of the published ads."""

    def __init__(self, store: AdStore) -> None:
        self._store = store

    def read(self, kind: str, now: int) -> list[ClassAd]:
        """What was published as ``kind`` and has not expired. StoreError."""
        return [_bare(ad) for ad in self._store.read(_FILE) if ad.get(_KIND) == kind and _lives(ad, now)]

    def update(self, kind: str, ads: Iterable[ClassAd], now: int, lifetime: int) -> None:
        """Publish ads until ``lifetime`` seconds from ``now``; one of the same name and type gives way. StoreError."""
        new = []
        for ad in ads:
            copy = ad.flat_copy()
            copy[_KIND], copy[_UNTIL] = kind, now + lifetime
            copy["LastHeardFrom"] = now
            new.append(copy)
        names = {_identity(ad) for ad in new}
        self._replace(lambda ad: _lives(ad, now) and _identity(ad) not in names, new)

    def remove(self, kind: str, is_meant: Callable[[ClassAd], bool], now: int) -> None:
        """Take the ads of ``kind`` away that ``is_meant`` accepts. StoreError."""
        self._replace(lambda ad: _lives(ad, now) and not (ad.get(_KIND) == kind and is_meant(ad)), [])

    def _replace(self, stays: Callable[[ClassAd], bool], new: list[ClassAd]) -> None:
        with self._locked():
            self._store.publish(_FILE, [*filter(stays, self._store.read(_FILE)), *new])

    @contextmanager
    def _locked(self) -> Iterator[None]:
        path = os.path.join(self._store.directory, ".advertised.lock")
        try:
            os.makedirs(self._store.directory, 0o755, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        except OSError as error:
            raise StoreError(describe(error, "cannot publish ads", path)) from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _identity(ad: ClassAd) -> tuple[object, ...]:
    return tuple(ad.eval_str(name, "") for name in (_KIND, "MyType", "Name", "Machine"))


def _lives(ad: ClassAd, now: int) -> bool:
    return (ad.eval_int(_UNTIL, 0) or 0) > now


def _bare(ad: ClassAd) -> ClassAd:
    copy = ad.flat_copy()
    copy.remove(_KIND)
    copy.remove(_UNTIL)
    return copy
