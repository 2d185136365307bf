"""The ClassAd: attributes kept as text, evaluated on demand. Compatible with ``classad2.ClassAd``.

Two faces. The mapping (``ad["A"]``, ``eval``, ``lookup``, ``matches``, …) is classad2's and converts to Python types.
The rest (``set_text``, ``text``, ``eval_int``, …) is what the rest of condor_py uses and deals in old-format text.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping

from condor_py.lang.classad import evaluate
from condor_py.lang.classad.errors import ClassAdError, ClassAdEvaluationError, ClassAdException
from condor_py.lang.classad.exprtree import ExprTree, parse
from condor_py.lang.classad.kernel import native
from condor_py.lang.classad.numbers import finite
from condor_py.lang.classad.record import (
    COMPUTED,
    Binding,
    Face,
    Record,
    bind,
    in_storage,
    known_keys,
    lower,
    parse_attributes,
)
from condor_py.lang.classad.recursion import with_deep_stack
from condor_py.lang.classad.unparse import quote_string, real_text, value_text
from condor_py.lang.classad.values import ERROR, PLAIN, UNDEFINED, real_to_int

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, overload

#: Types of values that represent nothing else.
_SURE = frozenset((bool, int, float, str))


class ClassAd(Record, MutableMapping[str, "Any"]):
    """A case-insensitive, case-preserving mapping of names to expressions, possibly chained to a parent ad.

    The mapping shows the own attributes; lookups and evaluation see those of the chained parent too.
    """

    __slots__ = ("__weakref__",)

    def __init__(self, input: str | Mapping[str, Any] | None = None) -> None:
        """Empty, from the text of one ad in new format, or from a mapping of Python values (without an empty name)."""
        self.attrs = {}
        self.parent = None
        self.scope = None
        if input is None:
            return
        if isinstance(input, str):
            self.attrs, _ = parse_attributes(input)
        elif isinstance(input, Mapping):
            for name, value in input.items():
                if name != "":
                    self[name] = value
        else:
            raise TypeError("input must be None, str, or dict")

    # ---- text: the face towards the rest of condor_py -------------------------------------------------------

    @classmethod
    def from_text_items(cls, items: Iterable[tuple[str, str]]) -> ClassAd:
        """An ad of (name, old-format text) pairs."""
        ad = cls()
        ad.set_texts(items)
        return ad

    def set_text(self, name: str, text: str) -> None:
        """Sets ``name`` to the expression ``text`` (old format), which is parsed when first needed.

        Text that does not parse counts as the value error; check with ``parse`` what people typed.
        """
        binding = bind(name, text)
        before = self.attrs.get(binding.key)
        if before is not None and before.name != name:
            binding = bind(before.name, text)
        self.attrs[binding.key] = binding

    def set_texts(self, pairs: Iterable[tuple[str, str]]) -> None:
        """``set_text`` for many, faster."""
        attrs = self.attrs
        for name, text in pairs:
            binding = bind(name, text)
            before = attrs.get(binding.key)
            if before is not None and before.name != name:
                binding = bind(before.name, text)
            attrs[binding.key] = binding

    def set_int(self, name: str, value: int) -> None:
        """Set ``name`` to a whole number."""
        self.set_text(name, str(int(value)))

    def set_real(self, name: str, value: float) -> None:
        """Set ``name`` to a real number."""
        self.set_text(name, real_text(float(value), old=True))

    def set_bool(self, name: str, value: bool) -> None:
        """Set ``name`` to true or false."""
        self.set_text(name, "true" if value else "false")

    def set_str(self, name: str, value: str) -> None:
        """Sets ``name`` to a string, quoted as the old format needs it."""
        self.set_text(name, quote_string(value))

    def text(self, name: str) -> str | None:
        """The expression as HTCondor prints it in old format; None when neither this ad nor its parent has it."""
        binding = self.find(lower(name))
        return None if binding is None else binding.text

    def local_text(self, name: str) -> str | None:
        """Like ``text`` without the chained parent."""
        binding = self.attrs.get(lower(name))
        return None if binding is None else binding.text

    def has(self, name: str) -> bool:
        """Whether this ad or its chained parent defines ``name``."""
        return self.find(lower(name)) is not None

    def remove(self, name: str) -> bool:
        """Removes an own attribute; False when there was none. (A parent's attribute of that name shows again.)"""
        return self.attrs.pop(lower(name), None) is not None

    def delete(self, name: str) -> None:
        """As HTCondor deletes: an attribute that the parent has is UNDEFINED here from now on."""
        key = lower(name)
        self.attrs.pop(key, None)
        if self.parent is not None and key in self.parent.attrs:
            self.set_text(name, "undefined")

    def chain(self, parent: ClassAd | None) -> None:
        """Makes ``parent`` supply what this ad lacks; None undoes it."""
        above: Record | None = parent
        while above is not None:
            if above is self:
                raise ClassAdError("an ad cannot be chained to itself")
            above = above.parent
        self.parent = parent

    def local_items(self) -> Iterator[tuple[str, str]]:
        """The own attributes as (name, text), in no particular order."""
        for binding in self.attrs.values():
            yield binding.name, binding._text or binding.text  # a property is a call

    def pairs(self) -> list[tuple[str, str]]:
        """All attributes, the parent's too, as (name, text), in no particular order: faster than ``text_items``."""
        return [(binding.name, binding.text) for binding in self.merged().values()]

    def text_items(self, order: str = "storage") -> list[tuple[str, str]]:
        """All attributes, the parent's too, as (name, text).

        ``order``: "storage" (length of name, then name without case) or "sorted" (name without case).
        """
        every = self.merged()
        keys = sorted(every) if order == "sorted" else in_storage(every)
        return [(binding.name, binding._text or binding.text) for binding in map(every.__getitem__, keys)]

    def copy(self) -> ClassAd:
        """A copy with the same chained parent. Cheap: the bindings are shared."""
        other = ClassAd()
        other.attrs = dict(self.attrs)
        other.parent = self.parent
        return other

    def flat_copy(self) -> ClassAd:
        """A copy that holds the parent's attributes itself."""
        other = ClassAd()
        other.attrs = self.merged()
        return other

    # ---- evaluation with types ------------------------------------------------------------------------------

    def raw(self, expr: str | ExprTree, target: Record | None = None) -> Any:
        """The value of an attribute (by name) or expression in this package's types; error beyond the limits.

        A name that neither this ad nor its parent has is undefined.
        """
        try:
            if isinstance(expr, ExprTree):
                return evaluate.run(expr.node, self, target)
            binding = self.find(lower(expr))
            if binding is None:
                return UNDEFINED
            value = binding.value
            return evaluate.run_binding(binding, self, target) if value is COMPUTED else value
        except ClassAdEvaluationError:
            return ERROR

    def evaluate(self, expr: str | ExprTree, target: Record | None = None) -> Any:
        """The value of an attribute (by name) or expression as a Python value, Value.Undefined or Value.Error."""
        value = self.raw(expr, target)
        if type(value) in PLAIN:
            return value
        from condor_py.lang.classad.convert import to_python

        return to_python(value)

    def eval_text(self, text: str, target: Record | None = None) -> Any:
        """The value of the expression ``text`` (old format) as a Python value. ClassAdParseError for bad text."""
        return self.evaluate(parse(text), target)

    if TYPE_CHECKING:

        @overload
        def eval_int(self, name: str, default: None = None, target: Record | None = None) -> int | None: ...

        @overload
        def eval_int(self, name: str, default: int, target: Record | None = None) -> int: ...

    def eval_int(self, name: str, default: int | None = None, target: Record | None = None) -> int | None:
        """An attribute as an integer: reals are truncated, booleans are 0 or 1, anything else is ``default``."""
        value = self.raw(name, target)
        kind = type(value)
        if kind is int:
            return int(value)
        if kind is float:
            return real_to_int(value)
        return int(value) if kind is bool else default

    if TYPE_CHECKING:

        @overload
        def eval_real(self, name: str, default: None = None, target: Record | None = None) -> float | None: ...

        @overload
        def eval_real(self, name: str, default: float, target: Record | None = None) -> float: ...

    def eval_real(self, name: str, default: float | None = None, target: Record | None = None) -> float | None:
        """An attribute as a finite real (see ``finite``); booleans convert, anything else is ``default``."""
        value = finite(self.raw(name, target))
        return default if value is None else float(value)

    if TYPE_CHECKING:

        @overload
        def eval_bool(self, name: str, default: None = None, target: Record | None = None) -> bool | None: ...

        @overload
        def eval_bool(self, name: str, default: bool, target: Record | None = None) -> bool: ...

    def eval_bool(self, name: str, default: bool | None = None, target: Record | None = None) -> bool | None:
        """An attribute as a boolean; numbers are true unless 0, anything else is ``default``."""
        value = self.raw(name, target)
        return bool(value) if type(value) in _NUMERIC else default

    if TYPE_CHECKING:

        @overload
        def eval_str(self, name: str, default: None = None, target: Record | None = None) -> str | None: ...

        @overload
        def eval_str(self, name: str, default: str, target: Record | None = None) -> str: ...

    def eval_str(self, name: str, default: str | None = None, target: Record | None = None) -> str | None:
        """An attribute that is a string, else ``default``."""
        value = self.raw(name, target)
        return value if type(value) is str else default

    # ---- the mapping of classad2 ----------------------------------------------------------------------------

    def __getitem__(self, key: str) -> Any:
        """A constant, list or ad as a Python value, any other expression as an ExprTree. KeyError when missing."""
        try:
            binding = self.attrs[known_keys[key]]  # mostly the name is known and the attribute this ad's own
        except (KeyError, TypeError):
            binding = self._binding(key)
        value = binding.value
        if type(value) in PLAIN:
            return value
        from condor_py.lang.classad.convert import node_to_python

        return node_to_python(binding.node)

    def __setitem__(self, key: str, value: Any) -> None:
        from condor_py.lang.classad.convert import from_python

        _check_key(key)
        if not key:
            raise ClassAdException("Insert(key, v) failed")
        self.put(Binding(key, None, from_python(value)))

    def __delitem__(self, key: str) -> None:
        _check_key(key)
        if not self.remove(key):
            raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        for binding in list(self.bindings()):
            yield binding.name

    def __len__(self) -> int:
        return len(self.attrs)

    def __contains__(self, key: Any) -> bool:
        _check_key(key)
        return self.find(lower(key)) is not None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassAd):
            return NotImplemented
        if len(self.attrs) != len(other.attrs):
            return False
        return all(_same_binding(binding, other.find(key)) for key, binding in self.attrs.items())

    __hash__ = None  # type: ignore[assignment]

    def _binding(self, key: str) -> Binding:
        _check_key(key)
        binding = self.find(lower(key))
        if binding is None:
            raise KeyError(key)
        return binding

    def lookup(self, attr: str) -> ExprTree:
        """The expression of an attribute. KeyError when missing."""
        return ExprTree.of(self._binding(attr).node)

    def eval(self, attr: str) -> Any:
        """The value of an attribute in this ad. KeyError when missing, ClassAdEvaluationError beyond the limits."""
        return finish_eval(self, attr, self.raw(attr) if isinstance(attr, str) else ERROR)

    def matches(self, ad: ClassAd) -> bool:
        """Whether the Requirements of ``ad`` accept this ad."""
        from condor_py.lang.classad.match import requirements_match

        return requirements_match(_check_ad(ad), self)

    def symmetricMatch(self, ad: ClassAd) -> bool:
        """Whether each ad's Requirements accept the other."""
        from condor_py.lang.classad.match import symmetric_match

        return symmetric_match(self, _check_ad(ad))

    def flatten(self, expr: ExprTree) -> Any:
        """``expr`` with everything computed that this ad determines: a value, or the ExprTree that is left."""
        from condor_py.lang.classad.flatten import flatten

        return flatten(self, _check_expr(expr))

    def externalRefs(self, expr: ExprTree) -> list[str]:
        """The names that ``expr`` refers to and this ad does not define (``['']`` when there are none)."""
        from condor_py.lang.classad.references import external_names

        node = _check_expr(expr).node
        return ",".join(with_deep_stack(lambda: external_names(self, node))).split(",")

    def internalRefs(self, expr: ExprTree) -> list[str]:
        """The names that ``expr`` refers to and this ad defines (``['']`` when there are none)."""
        from condor_py.lang.classad.references import internal_names

        node = _check_expr(expr).node
        return ",".join(with_deep_stack(lambda: internal_names(self, node))).split(",")

    def printOld(self) -> str:
        """The own attributes in old format, one a line, in storage order."""
        if native is not None:
            text: str | None = native.print_old(self.attrs)
            if text is not None:
                return text or "\n"
        from condor_py.lang.classad.formats.old import format_old

        return format_old([(binding.name, binding.text) for binding in self.bindings()]) or "\n"

    formatOld = printOld

    def printJson(self) -> str:
        """The own attributes as JSON."""
        if native is not None:
            text: str | None = native.print_json(self.attrs)
            if text is not None:
                return text
        from condor_py.lang.classad.formats.json import ad_to_json

        return ad_to_json(list(self.bindings()))

    formatJson = printJson

    def __str__(self) -> str:
        from condor_py.lang.classad.pretty import pretty_ad

        return pretty_ad(self)

    def __repr__(self) -> str:
        if native is not None:
            text: str | None = native.print_new(self.attrs)
            if text is not None:
                return text
        return value_text(self, old=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return (ClassAd, (repr(self),))


Face.ad = ClassAd
_NUMERIC = frozenset((bool, int, float))


def finish_eval(ad: ClassAd, attr: str, value: Any) -> Any:
    """Return the value of ``eval`` for an attribute for which ``raw`` returned ``value``."""
    if type(value) in _SURE or (value is UNDEFINED and ad.has(attr)):
        return value
    value = evaluate.run(ad._binding(attr).node, ad)  # once more, for what ``raw`` makes an error of
    if type(value) in PLAIN:
        return value
    from condor_py.lang.classad.convert import to_python

    return to_python(value)


def _check_key(key: object) -> None:
    if not isinstance(key, str):
        raise TypeError("ClassAd keys are strings")


def _check_ad(ad: object) -> ClassAd:
    if not isinstance(ad, ClassAd):
        raise TypeError("ad must be a ClassAd")
    return ad


def _check_expr(expr: object) -> ExprTree:
    if not isinstance(expr, ExprTree):
        raise TypeError("expr must be an ExprTree")
    return expr


def _same_binding(binding: Binding, other: Binding | None) -> bool:
    from condor_py.lang.classad.nodes import same

    return other is not None and same(binding.node, other.node)
