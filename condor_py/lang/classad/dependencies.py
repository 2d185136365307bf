"""The attributes that an expression can read. They decide whether it can distinguish two ads."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from condor_py.lang.classad.columns import computed
from condor_py.lang.classad.nodes import AdNode, Attr, Binary, Call, ListNode, Literal, Node, children
from condor_py.lang.classad.record import Binding, Record

#: Is among the names of an expression that may read anything, or whose value changes from call to call.
OPAQUE = "\0"

#: Functions that make names while they are evaluated, or whose value may differ from call to call.
_OPAQUE_CALLS = frozenset(("eval", "random", "debug"))
#: Names that mean an ad as a whole.
_WHOLE_ADS = frozenset(("my", "self", "target", "other", "parent", "toplevel", "root", "ad", "left", "right"))


def names_in(node: Node) -> frozenset[str]:
    """The attribute names written in an expression, in lower case; OPAQUE too where that is not the whole story."""
    found = set()
    work = [node]
    while work:
        node = work.pop()
        kind = type(node)
        if kind is Literal:
            continue
        if kind is Attr:
            assert isinstance(node, Attr)
            found.add(node.key)
            if node.scope is None and node.key in _WHOLE_ADS:
                found.add(OPAQUE)
            elif type(node.scope) is Attr and node.scope.scope is None and node.scope.key in _WHOLE_ADS:
                # MY.x reads x of an ad; an attribute of the name MY would be read too.
                found.add(node.scope.key)
                continue
        elif (kind is Call and node.name.lower() in _OPAQUE_CALLS) or (  # type: ignore[attr-defined]
            isinstance(node, Binary) and node.op == "[]" and not _is_index(node.right)
        ):
            found.add(OPAQUE)
        work.extend(children(node))
    return frozenset(found)


def _is_index(node: Node) -> bool:
    """Whether a subscript is a number, which cannot select an attribute."""
    return isinstance(node, Literal) and type(node.value) is int


class Names:
    """The names that an attribute reaches, directly or through the attributes that it names, over a set of ads."""

    def __init__(self, ads: Iterable[Record]) -> None:
        self._ads = list(ads)
        self._of_binding: dict[int, frozenset[str]] = {}
        self._direct: dict[str, frozenset[str]] = {}

    def closure(self, roots: Iterable[str]) -> frozenset[str]:
        """``roots`` (lower case) and every name reached from them."""
        found = set(roots)
        work: AbstractSet[str] = set(found)
        while work:
            self._learn(work)
            work = frozenset().union(*[self._direct[name] for name in work]) - found
            found |= work
        return frozenset(found)

    def _learn(self, keys: Iterable[str]) -> None:
        """Looks what the attributes of the names ``keys`` name, for all that are not known yet in one go."""
        new = tuple([key for key in keys if key not in self._direct])
        if new:
            for key, bindings in zip(new, computed(self._ads, new), strict=True):
                self._direct[key] = frozenset().union(*map(self._in_binding, bindings))

    def _in_binding(self, binding: Binding) -> frozenset[str]:
        known = self._of_binding.get(id(binding))
        if known is None:
            known = self._of_binding[id(binding)] = names_in(binding.node)
        return known


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
