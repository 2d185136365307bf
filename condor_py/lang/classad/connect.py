"""Connections between modules of this package, made once all of them are loaded: the evaluator gets the compiler, and
the extension the classes and functions that it needs.
"""

from __future__ import annotations

from condor_py.lang.classad import ad, errors, evaluate, exprtree, nodes, numbers, operators, record, unparse, values
from condor_py.lang.classad.kernel import native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def connect() -> None:
    """Pass the compiler to the evaluator, and the classes and functions of this package to the extension."""
    evaluate.compile_with(_compile)
    if native is None:
        return
    table: dict[str, Any] = {
        name: getattr(nodes, name)
        for name in (
            "Node", "Literal", "Attr", "Paren", "Unary", "Binary", "Ternary", "Call", "ListNode", "AdNode",
        )
    }  # fmt: skip
    table |= {"Binding": record.Binding, "Record": record.Record}
    table |= {"RelTime": values.RelTime, "undefined": values.UNDEFINED, "error": values.ERROR}
    table |= {"computed": record.COMPUTED, "nothing": frozenset(), "keys": record.known_keys}
    table |= {"EvaluationError": errors.ClassAdEvaluationError, "ParseError": errors.ClassAdParseError}
    table |= {"apply": operators.apply, "unary": operators.apply_unary, "join": operators.combine}
    table |= {"compiled": evaluate.compiled, "deep_run": evaluate.run_deeper}
    table |= {"current_name": evaluate.current_name, "match_name": evaluate.match_name}
    table |= {"current_names": evaluate.CURRENT_NAMES, "match_names": evaluate.MATCH_NAMES}
    table |= {"make_ad_node": nodes.AdNode, "check_binding": record.Binding.check, "renamed": record.renamed}
    table |= {"lower": record.lower, "value_text": _value_text, "name_text": _name_text}
    table |= {"raw_twin": _raw_twin, "real_to_int": values.real_to_int, "finite": numbers.finite}
    table |= {"to_python": _to_python, "item_twin": _item_twin, "eval_rest": ad.finish_eval}
    native.connect(table)
    native.take_methods(ad.ClassAd, exprtree.ExprTree)


#: Methods of ``ClassAd`` before the extension puts its own in their places.
_raw_twin = ad.ClassAd.raw
_item_twin = ad.ClassAd.__getitem__


def _compile(node: Any) -> Any:
    from condor_py.lang.classad.compile import build  # when the first expression is evaluated

    return build(node, 0)


def _to_python(value: Any) -> Any:
    from condor_py.lang.classad.convert import to_python

    return to_python(value)


def _value_text(value: Any, old: bool) -> str:
    return unparse.value_text(value, old=old)


def _name_text(name: str, old: bool) -> str:
    return unparse.name_text(name, old=old)
