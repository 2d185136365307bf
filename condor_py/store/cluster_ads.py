"""Ads of clusters that keep what sets them apart from others of their family until they are read.

Who submits from a loop has thousands of clusters whose ads agree in nearly all of their attributes. Ads that have the
same attributes in the same order are of one family, if they say the same of most: they share the attributes of the
family, and each keeps the lines of those in which it differs.
"""

from __future__ import annotations

from functools import lru_cache

from condor_py.lang.classad.record import Binding
from condor_py.store import stored_ad
from condor_py.store.stored_ad import StoredAd, lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Family: TypeAlias = dict[str, Binding]

#: An ad may differ from its family in this part of the attributes.
_PART = 4
#: Families with the same attributes, and sets of attributes, that are remembered.
_FAMILIES = 4
_SETS = 256


class ClusterAd(StoredAd):
    """A StoredAd whose lines, while it is unread, are those in which it differs from ``family``."""

    __slots__ = ("family",)

    def __init__(self) -> None:
        super().__init__()
        self.family: Family = {}

    def unread(self) -> dict[str, Binding]:
        assert self.lines is not None
        found = dict(self.family)
        stored_ad.fill(found, self.lines)
        return found

    def kind(self, names: frozenset[bytes]) -> object:
        """Something that is the same for unread ads of a family that say the same of ``names`` (lower-case); None for
        one that was read."""
        if self.lines is None:
            return None
        return id(self.family), tuple([line for line in self.lines.split(b"\n") if _name_of(line) in names])

    def rest(self) -> None:
        """Stay as it is: see ``Families``."""

    def differ(self, family: Family, lines: bytes) -> None:
        """Become unread again."""
        self.let_go(lines)
        self.family = family


class Families:
    """The families of a queue's clusters."""

    def __init__(self) -> None:
        #: By the names of their attributes, as they are spelled.
        self._families: dict[tuple[str, ...], list[Family]] = {}

    def rest(self, ad: ClusterAd) -> None:
        """Have an ad that was read share what its family says, if it is plain enough. Where it differs too much from
        all that are known it begins a family."""
        if ad.lines is not None or ad.scope is not None or ad.parent is not None:
            return
        attrs = ad.attrs
        if len(self._families) >= _SETS:
            self._families.clear()
        known = self._families.setdefault(tuple([binding.name for binding in attrs.values()]), [])
        for family in known:
            apart = [own for own, shared in zip(attrs.values(), family.values(), strict=True) if not _same(own, shared)]
            if len(apart) * _PART <= len(attrs):
                break
        else:
            family, apart = dict(attrs), []
            known[_FAMILIES - 1 :] = []
            known.insert(0, family)
        lines = lines_of(apart)
        if lines is not None:
            ad.differ(family, lines)


@lru_cache(maxsize=64)
def as_bytes(names: tuple[str, ...]) -> frozenset[bytes]:
    """Return names as ``ClusterAd.kind`` takes them."""
    return frozenset([name.encode("utf-8", "surrogateescape") for name in names])


def _name_of(line: bytes) -> bytes:
    return line.partition(b" ")[0].lower()


def _same(one: Binding, other: Binding) -> bool:
    return one is other or (one.raw is not None and one.raw == other.raw)
