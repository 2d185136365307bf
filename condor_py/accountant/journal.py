"""Operations for the accountant log (``Accountantnew.log``), gathered into one transaction at a time."""

from __future__ import annotations

from condor_py.model.record import DESTROY_AD, NEW_AD, SET, Change

ACCOUNTANT_KEY = "Accountant."
CUSTOMER_PREFIX = "Customer."
RESOURCE_PREFIX = "Resource."


def real_text(value: float) -> str:
    """A real number as the log has it: six decimals."""
    return f"{value:.6f}"


def string_text(value: str) -> str:
    """A string literal in old ClassAd syntax."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Journal:
    """The operations since the last ``take``; setting an attribute again replaces the earlier value."""

    __slots__ = ("_at", "_ops")

    def __init__(self) -> None:
        self._ops: list[Change | None] = []
        self._at: dict[str, dict[str, int]] = {}

    def create(self, key: str) -> None:
        """A new ad with the accountant's types."""
        self._ops.append(Change(NEW_AD, key, "*", "*"))

    def set(self, key: str, name: str, text: str) -> None:
        """Attribute ``name`` of the ad ``key`` becomes the expression ``text``."""
        op = Change(SET, key, name, text)
        at = self._at.setdefault(key, {})
        if name in at:
            self._ops[at[name]] = op
        else:
            at[name] = len(self._ops)
            self._ops.append(op)

    def destroy(self, key: str) -> None:
        """The ad ``key`` goes; what was set on it in this transaction is forgotten."""
        for at in self._at.pop(key, {}).values():
            self._ops[at] = None
        self._ops.append(Change(DESTROY_AD, key))

    def take(self) -> tuple[Change, ...]:
        """The transaction so far, which is then empty."""
        ops = tuple(op for op in self._ops if op is not None)
        self._ops.clear()
        self._at.clear()
        return ops
