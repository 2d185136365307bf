"""Operations for the accountant log (``Accountantnew.log``), gathered into one transaction at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count

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

    __slots__ = ("_at", "_ops")

    def __init__(self) -> None:
        self._ops: list[Change | tuple[str, str] | None] = []
        self._at: dict[str, dict[str, int]] = {}

    def create(self, key: str) -> None:
        """A new ad with the accountant's types."""
        self._ops.append(_change((NEW_AD, key, "*", "*")))

    def create_all(self, names: Sequence[str], ads: Iterable[tuple[str, Sequence[str]]]) -> None:
        """New ads: key, and the expression texts of the attributes ``names``."""
        ops, at = self._ops, self._at
        for key, texts in ads:
            ops.append(_change((NEW_AD, key, "*", "*")))
            at[key] = dict(zip(names, count(len(ops))))
            ops += [_change((SET, key, name, text)) for name, text in zip(names, texts, strict=True)]

    def mark(self, key: str, name: str) -> None:
        """Attribute ``name`` of the ad ``key`` has changed."""
        at = self._at.get(key)
        if at is None:
            at = self._at[key] = {}
        place = at.setdefault(name, len(self._ops))
        if place == len(self._ops):
            self._ops.append((key, name))
        else:
            self._ops[place] = key, name

    def destroy(self, key: str) -> None:
        """The ad ``key`` goes; what was set on it in this transaction is forgotten."""
        for at in self._at.pop(key, {}).values():
            self._ops[at] = None
        self._ops.append(Change(DESTROY_AD, key))

    def clear(self) -> None:
        """Forget the transaction so far."""
        self._ops.clear()
        self._at.clear()

    def take(self, text_of: Callable[[str, str], str]) -> tuple[Change, ...]:
        """The transaction so far, which is then empty; ``text_of`` a key and an attribute is the text of what was
        marked."""
        ops = tuple(
            [op if type(op) is Change else _change((SET, *op, text_of(*op))) for op in self._ops if op is not None]
        )
        self.clear()
        return ops
