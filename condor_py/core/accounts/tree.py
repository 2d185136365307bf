"""The accounting group that a submitter belongs to."""

from __future__ import annotations

from collections.abc import Iterable

#: Name of the root of the group tree.
ROOT = "<none>"


class GroupTree:
    """The names of the accounting groups, as a tree below ``<none>``.

    Made from GROUP_NAMES; ``ignored`` are the names left out: a child without its parent, a name given twice
    (case does not matter) and ``<none>``. ``names`` is breadth-first, alphabetical at each level, root first.
    """

    __slots__ = ("_cache", "_names", "children", "ignored", "names", "parent")

    def __init__(self, group_names: Iterable[str] = ()) -> None:
        self._names: dict[str, str] = {}
        self._cache: dict[str, str] = {}
        self.parent: dict[str, str] = {}
        self.children: dict[str, list[str]] = {ROOT: []}
        ignored: list[str] = []
        for name in sorted(group_names, key=str.lower):
            if not self._add(name):
                ignored.append(name)
        self.ignored = tuple(ignored)
        self.names = self._breadth_first()

    def _add(self, name: str) -> bool:
        lower = name.lower()
        head, dot, _ = lower.rpartition(".")
        parent = self._names.get(head) if dot else ROOT
        if lower == ROOT or lower in self._names or parent is None or not name:
            return False
        self._names[lower] = name
        self.parent[name] = parent
        self.children[name] = []
        self.children[parent].append(name)
        return True

    def _breadth_first(self) -> tuple[str, ...]:
        names = [ROOT]
        for name in names:
            names.extend(self.children[name])
        return tuple(names)

    def group_name(self, customer: str) -> str | None:
        """The configured spelling of a group if ``customer`` names one, else None."""
        return ROOT if customer == ROOT else self._names.get(customer.lower())

    def group_of(self, submitter: str) -> str:
        """The group of ``[group.]user@domain``: the deepest known group on the way down, else ``<none>``."""
        if not self.parent:
            return ROOT
        found = self._cache.get(submitter)
        if found is None:
            found = self._cache[submitter] = self._find(submitter)
        return found

    def _find(self, submitter: str) -> str:
        user, at, _ = submitter.rpartition("@")
        parts = (user if at else submitter).lower().split(".")[:-1]
        group = ROOT
        for depth in range(1, len(parts) + 1):
            known = self._names.get(".".join(parts[:depth]))
            if known is None:
                break
            group = known
        return group

    def lineage(self, group: str) -> tuple[str, ...]:
        """``group`` and its ancestors below the root; the root alone for the root."""
        if group == ROOT:
            return (ROOT,)
        line = [group]
        while (above := self.parent[line[-1]]) != ROOT:
            line.append(above)
        return tuple(line)
