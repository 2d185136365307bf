"""Accountantnew.log: priorities and usage of submitters and groups, and the slots in use.

Keys: ``Accountant.`` (LastUpdateTime), ``Customer.NAME`` (a submitter ``user@domain``, a group, ``<none>``
for the root group), ``Resource.SLOT@ADDR``. Types are ``* *``; reals are written with six decimals, times
and counts as integers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from condor_py.lang.classad import ClassAd
from condor_py.model.texts import as_integer
from condor_py.store.adlog import DESTROY_AD, NEW_AD, SET, Record
from condor_py.store.fs import FileSystem
from condor_py.store.lock import Lock
from condor_py.store.table import LOCK_TIMEOUT, AdTable

if TYPE_CHECKING:
    from condor_py.store.mend import Image, Remedy

ACCOUNTANT = "Accountant."
_CUSTOMER = "Customer."
_RESOURCE = "Resource."
_ANY = "*"
#: A record of which there is less than that is none: a damaged key may have made it.
_ENOUGH = 2


def real(value: float) -> str:
    """A real as the accountant writes it."""
    return f"{value:f}"


def new_record(key: str) -> Record:
    """The 101 of any ad of this log."""
    return Record(NEW_AD, key, _ANY, _ANY)


def _unknown(key: str) -> str:
    """Why a key is none of the accounting; "" for one that is."""
    fits = key == ACCOUNTANT or any(key.startswith(prefix) and key != prefix for prefix in (_CUSTOMER, _RESOURCE))
    return "" if fits else f"{key!r} is no key of the accounting"


class AccountingRules:
    """Rules of the ads of the accounting."""

    def knows(self, key: str) -> str:
        return _unknown(key)

    def types(self, key: str, attributes: dict[str, str], witnesses: int) -> tuple[str, str] | None:
        return (_ANY, _ANY) if key == ACCOUNTANT or witnesses >= _ENOUGH else None

    def objection(self, record: Record, image: Image) -> str:
        return "nobody removes it" if record.op == DESTROY_AD and record.key == ACCOUNTANT else ""

    def remedies(self, image: Image, hurt: dict[str, list[int]], changed: bool) -> Iterator[Remedy]:
        return iter(())


class AccountantLog(AdTable):
    """The accountant's table at ``path``. Opening reads the whole log; one that does not exist is empty."""

    def __init__(
        self, path: str, fs: FileSystem | None = None, readonly: bool = False, lock: Lock | None = None
    ) -> None:
        super().__init__(path, fs, readonly=readonly, lock=lock)
        self._limit = 0

    @property
    def last_update(self) -> int:
        """The time of the last decay, 0 when there was none."""
        ad = self.ads.get(ACCOUNTANT)
        text = ad.text("LastUpdateTime") if ad is not None else None
        return as_integer(text) if text is not None and text.isdecimal() else 0

    def customers(self) -> dict[str, ClassAd]:
        """Ads of submitters and groups by name."""
        return self._named(_CUSTOMER)

    def resources(self) -> dict[str, ClassAd]:
        """Ads of slots in use by ``SLOT@ADDR``."""
        return self._named(_RESOURCE)

    def _named(self, prefix: str) -> dict[str, ClassAd]:
        start = len(prefix)
        return {key[start:]: ad for key, ad in self.ads.items() if key.startswith(prefix)}

    def compact_if_large(self, max_size: int, timeout: float = LOCK_TIMEOUT) -> bool:
        """Rewrite the log when it has passed ``max_size`` bytes (MAX_ACCOUNTANT_DATABASE_SIZE), without a
        copy.

        When the rewritten log is large by itself, the next rewrite waits until it has doubled. Raises
        StoreError.
        """
        if self.size <= max(max_size, self._limit):
            return False
        self.compact(0, timeout)
        self._limit = 2 * self.size
        return True

    def types_of(self, key: str, ad: ClassAd) -> tuple[str, str]:
        return _ANY, _ANY

    def _first_records(self) -> list[Record]:
        return [new_record(ACCOUNTANT), Record(SET, ACCOUNTANT, "LastUpdateTime", "0")]
