"""Ads that programs published in addition to those of the daemons, with ``Collector.advertise`` and
condor_advertise.

They are in one file of the published ads, each with what it was published as and the time when it expires. Machines
that are offline or absent (no longer renewed) are in a log as well, see ``RememberedSettings``.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

from condor_py.lang.classad import ClassAd
from condor_py.model.errors import StoreError
from condor_py.model.settings.remembered import RememberedSettings
from condor_py.store.ad_store import AdStore, NotAds
from condor_py.store.fs import describe
from condor_py.store.table import AdTable

_FILE = "ADVERTISED"
_KIND, _UNTIL = "CondorPyAdvertisedAs", "CondorPyAdvertisedUntil"
_MACHINES = "STARTD"
#: Expires never, in Unix seconds.
_NEVER = 2**31 - 1


class Advertised:
    """The ads of programs, kept in the directory of the published ads."""

    def __init__(self, store: AdStore, remembered: RememberedSettings | None = None) -> None:
        self._store = store
        self._remembered = remembered or RememberedSettings()

    @property
    def any(self) -> bool:
        """Whether anything may be there; asked often."""
        return self._store.stamp(_FILE) is not None or bool(self._remembered.log)

    def read(self, kind: str, now: int, *, absent: bool = False) -> list[ClassAd]:
        """Return what was published as ``kind`` and has not expired; absent machines only if asked for. StoreError."""
        ads, changed = self._now(now)
        if changed:
            with suppress(StoreError):  # who may not write it down knows it all the same
                self._replace(lambda ad: True, [], now)
        return [_bare(ad) for ad in ads if ad.get(_KIND) == kind and (absent or ad.get("Absent") is not True)]

    def update(self, kind: str, ads: Iterable[ClassAd], now: int, lifetime: int) -> None:
        """Publish ads until ``lifetime`` seconds from ``now``, or as long as their ClassAdLifetime says; one of the
        same name and type gives way. StoreError."""
        new = []
        for ad in ads:
            copy = ad.flat_copy()
            copy[_KIND], copy[_UNTIL] = kind, now + max(1, ad.eval_int("ClassAdLifetime", lifetime))
            copy["LastHeardFrom"] = now
            if self._remembered.log and kind == _MACHINES and ad.eval_bool("Offline", False):
                copy[_UNTIL] = _after(now, self._remembered.offline_seconds)
            new.append(copy)
        self._put(new, now)

    def remove(self, kind: str, is_meant: Callable[[ClassAd], bool], now: int) -> None:
        """Take the ads of ``kind`` away that ``is_meant`` accepts; what is to be remembered of them becomes absent.
        StoreError."""

        def meant(ad: ClassAd) -> bool:
            return ad.get(_KIND) == kind and is_meant(ad)

        with self._locked():
            ads = self._now(now)[0]
            absent = self._left(filter(meant, ads), now)
            self._write([*(ad for ad in ads if not meant(ad)), *absent])

    def left(self, kind: str, ads: Iterable[ClassAd], now: int) -> None:
        """A daemon takes back ``ads``, which it has published as ``kind``: what is to be remembered of them becomes
        absent. StoreError."""
        if not self._remembered.keeps_invalidated:
            return
        copies = []
        for ad in ads:
            copy = ad.flat_copy()
            copy[_KIND] = kind
            copies.append(copy)
        self._put(self._left(copies, now), now)

    def returned(self, kind: str, ads: Iterable[ClassAd], now: int) -> None:
        """A daemon publishes ``ads`` as ``kind``: they are absent no more. StoreError."""
        if not self.any:
            return
        names = {ad.eval_str("Name", "") for ad in ads}

        def is_back(ad: ClassAd) -> bool:
            return ad.get(_KIND) == kind and ad.get("Absent") is True and ad.eval_str("Name", "") in names

        if any(map(is_back, self._now(now)[0])):
            self._replace(lambda ad: not is_back(ad), [], now)

    def _left(self, ads: Iterable[ClassAd], now: int) -> list[ClassAd]:
        """Return the ads that are remembered of ads that are taken back."""
        if not self._remembered.keeps_invalidated:
            return []
        return [absent for ad in ads if (absent := self._absent(ad, now)) is not None]

    def _put(self, new: list[ClassAd], now: int) -> None:
        """Ads of the same name and type give way."""
        if new:
            names = {_identity(ad) for ad in new}
            self._replace(lambda ad: _identity(ad) not in names, new, now)

    def merge(self, kind: str, updates: Mapping[str, Mapping[str, int]], now: int) -> None:
        """Gives ads of ``kind`` attributes, by their names; names that are not there are passed over. StoreError."""
        known = [ad for ad in self._now(now)[0] if ad.get(_KIND) == kind and ad.eval_str("Name", "") in updates]
        fresh = []
        for ad in known:
            copy = ad.flat_copy()
            for name, value in updates[ad.eval_str("Name", "")].items():
                copy[name] = value
            fresh.append(copy)
        self._put(fresh, now)

    def _replace(self, stays: Callable[[ClassAd], bool], new: list[ClassAd], now: int) -> None:
        with self._locked():
            self._write([*filter(stays, self._now(now)[0]), *new])

    def _write(self, ads: list[ClassAd]) -> None:
        self._remember(ads)
        self._store.publish(_FILE, ads)

    def _now(self, now: int) -> tuple[list[ClassAd], bool]:
        """The ads that count, and whether one of them has become absent just now."""
        found, changed = [], False
        for ad in self._read():
            if ad.eval_int(_UNTIL, 0) <= now:
                absent = self._absent(ad, now)
                if absent is None:
                    continue
                ad, changed = absent, True
            found.append(ad)
        return found, changed

    def _read(self) -> list[ClassAd]:
        """The file, or what is remembered when it is gone, or is what a crash of the machine has made of it."""
        if self._store.stamp(_FILE) is not None:
            with suppress(NotAds):
                return self._store.read(_FILE)
        if not os.path.exists(self._remembered.log):
            return []
        return [ad.flat_copy() for ad in AdTable(self._remembered.log).ads.values()]

    def _absent(self, ad: ClassAd, now: int) -> ClassAd | None:
        """Return the ad that is remembered of a machine whose ad has expired; None when none is kept."""
        settings = self._remembered
        if not settings.log or not settings.absent or ad.get(_KIND) != _MACHINES or ad.get("Absent") is True:
            return None
        if ad.eval_str("MyType", "") != "Machine" or ad.eval_text(settings.absent) is not True:
            return None
        copy = ad.flat_copy()
        copy["Absent"], copy["LastHeardFrom"], copy["MyCurrentTime"] = True, now, now
        copy[_UNTIL] = _after(now, settings.absent_seconds)
        copy["ClassAdLifetime"] = copy[_UNTIL] - now
        return copy

    def _remember(self, ads: Iterable[ClassAd]) -> None:
        """The log has exactly the machines that are to be remembered. They are on disk on return."""
        path = self._remembered.log
        wanted = {_key(ad): dict(ad.text_items()) for ad in ads if _is_remembered(ad)}
        if not path:
            return
        table = AdTable(path)
        gone = [key for key, ad in table.ads.items() if key not in wanted and ad.has(_KIND)]
        fresh = {key: items for key, items in wanted.items() if _items(table, key) != items}
        if not gone and not fresh:
            return
        with table.transaction() as transaction:
            for key in gone + [key for key in fresh if key in table.ads]:
                transaction.destroy(key)
            for key, items in fresh.items():
                transaction.new_ad(key, "Machine")
                for name, text in items.items():
                    transaction.set(key, name, text)

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


def _key(ad: ClassAd) -> str:
    """The key of a machine in the log, as HTCondor's collector makes it: its name without spaces in it."""
    return f"<{''.join(str(ad.eval_str('Name', '')).split())}>"


def _is_remembered(ad: ClassAd) -> bool:
    if ad.get(_KIND) != _MACHINES:
        return False
    return ad.get("Absent") is True or ad.eval_bool("Offline", False) is True


def _items(table: AdTable, key: str) -> dict[str, str] | None:
    ad = table.ads.get(key)
    return None if ad is None else dict(ad.text_items())


def _after(now: int, seconds: int) -> int:
    return now + seconds if seconds > 0 else _NEVER


def _identity(ad: ClassAd) -> tuple[object, ...]:
    return tuple(ad.eval_str(name, "") for name in (_KIND, "MyType", "Name", "Machine"))


def _bare(ad: ClassAd) -> ClassAd:
    copy = ad.flat_copy()
    copy.remove(_KIND)
    copy.remove(_UNTIL)
    return copy
