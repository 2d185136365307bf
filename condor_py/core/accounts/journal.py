"""Operations for the accountant log (``Accountantnew.log``), gathered into one transaction at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import count, repeat

from condor_py.model.record import DESTROY_AD, NEW_AD, SET, Change

ACCOUNTANT_KEY = "Accountant."
CUSTOMER_PREFIX = "Customer."
RESOURCE_PREFIX = "Resource."
#: There are many of them, and this makes one in half the time.
_change = partial(tuple.__new__, Change)


def real_text(value: float) -> str:
    """A real number as the log has it: six decimals."""
    return f"{value:.6f}"


def string_text(value: str) -> str:
    """A string literal in old ClassAd syntax."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Journal:
    """The operations since the last ``take``.

    What is marked as changed gets its text when the transaction is taken: what changes with every match of a cycle is
    formatted once.
    """

    __slots__ = ("_at", "_created", "_ops")

    def __init__(self) -> None:
        self._ops: list[Change | tuple[str, str] | None] = []
        self._at: dict[str, dict[str, int]] = {}
        #: Of the ads of ``create_all`` that are not in ``_at`` yet: where the first attribute is, and their names.
        self._created: dict[str, tuple[int, tuple[str, ...]]] = {}

    def create(self, key: str) -> None:
        """A new ad with the accountant's types."""
        self._ops.append(_change((NEW_AD, key, "*", "*")))

    def create_all(self, keys: Sequence[str], attributes: Mapping[str, Iterable[str]]) -> None:
        """New ads: their keys, and of each attribute the expression texts."""
        ops, start, names = self._ops, len(self._ops), tuple(attributes)
        width = 1 + len(names)
        ops += [None] * (width * len(keys))
        ops[start::width] = map(_change, zip(repeat(NEW_AD), keys, repeat("*"), repeat("*")))
        for first, (name, texts) in enumerate(attributes.items(), start + 1):
            ops[first::width] = map(_change, zip(repeat(SET), keys, repeat(name), texts))
        self._created.update(zip(keys, zip(count(start + 1, width), repeat(names)), strict=False))

    def _places(self, key: str) -> dict[str, int]:
        """Positions of the attributes of an ad that have not been requested yet."""
        first, names = self._created.pop(key, (0, ()))
        return dict(zip(names, count(first)))

    def mark(self, key: str, name: str) -> None:
        """Attribute ``name`` of the ad ``key`` has changed."""
        at = self._at.get(key)
        if at is None:
            at = self._at[key] = self._places(key)
        place = at.setdefault(name, len(self._ops))
        if place == len(self._ops):
            self._ops.append((key, name))
        else:
            self._ops[place] = key, name

    def destroy(self, key: str) -> None:
        """The ad ``key`` goes; what was set on it in this transaction is forgotten."""
        at = self._at.pop(key, None)
        for place in (self._places(key) if at is None else at).values():
            self._ops[place] = None
        self._ops.append(Change(DESTROY_AD, key))

    def clear(self) -> None:
        """Forget the transaction so far."""
        self._ops.clear()
        self._at.clear()
        self._created.clear()

    def take(self, text_of: Callable[[str, str], str]) -> tuple[Change, ...]:
        """The transaction so far, which is then empty; ``text_of`` a key and an attribute is the text of what was
        marked."""
        ops = tuple(
            [op if type(op) is Change else _change((SET, *op, text_of(*op))) for op in self._ops if op is not None]
        )
        self.clear()
        return ops


class NoJournal(Journal):
    """The journal of an accountant whose log is not written: it is always empty."""

    __slots__ = ()

    def create(self, key: str) -> None:
        """Nothing."""

    def create_all(self, keys: Sequence[str], attributes: Mapping[str, Iterable[str]]) -> None:
        """Nothing."""

    def mark(self, key: str, name: str) -> None:
        """Nothing."""

    def destroy(self, key: str) -> None:
        """Nothing."""
