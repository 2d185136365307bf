"""Many short texts that take little more memory than their characters."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import overload


class PackedTexts(Sequence[str]):
    """The texts of a list as one text. One in a list of its own takes some sixty bytes more."""

    __slots__ = ("_all", "_ends")

    def __init__(self, texts: Iterable[str]) -> None:
        kept = texts if isinstance(texts, list) else list(texts)
        self._ends = array("Q", accumulate(map(len, kept)))
        self._all = "".join(kept)

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        end = self._ends[index]
        at = index % len(self._ends)
        return self._all[self._ends[at - 1] if at else 0 : end]
