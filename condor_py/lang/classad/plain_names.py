"""What an expression depends on, where that is told by the names in it."""

from __future__ import annotations

from condor_py.lang.classad.nodes import AdNode, Attr, Call, ListNode, Node, children

#: Functions whose value depends on their arguments alone.
_PURE = frozenset(("ifthenelse", "isundefined", "iserror", "int", "real", "string", "floor", "ceiling", "round"))
#: Names that mean something that no attribute says.
_SPECIAL = frozenset(
    ("target", "other", "my", "self", "parent", "root", "toplevel", "currenttime", "ad", "left", "right")
)


def plain_names(node: Node) -> set[str] | None:
    """The plain attribute names in an expression, in lower case; None when its value depends on anything else."""
    found: set[str] = set()
    work = [node]
    while work:
        current = work.pop()
        if isinstance(current, (AdNode, ListNode)) or (isinstance(current, Call) and current.name.lower() not in _PURE):
            return None
        if isinstance(current, Attr):
            key = current.name.lower()
            if current.scope is not None or current.absolute or key in _SPECIAL or not key.isascii():
                return None
            found.add(key)
        work.extend(children(current))
    return found
