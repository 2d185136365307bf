"""The compiled half of this room where it could be built; the pure-Python twin takes over where it is None.

``CONDOR_PY_NO_EXT=1`` in the environment forces the twin (read once, when this module is imported).
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

#: Counts what these modules expect of the extension (csrc/native.h); one built from older sources is not used.
REVISION = 3


def _load() -> Any:
    if os.environ.get("CONDOR_PY_NO_EXT") == "1":
        return None
    try:
        module = import_module("condor_py.classad._native")
    except ImportError:
        return None
    return module if getattr(module, "REVISION", 0) == REVISION else None


#: The extension module ``condor_py.classad._native``, or None.
native: Any = _load()


def connect() -> None:
    """Hands the classes and functions of this room to the extension; called once they are all there."""
    if native is None:
        return
    from condor_py.classad import errors, evaluate, nodes, operators, record, values

    table: dict[str, Any] = {
        name: getattr(nodes, name)
        for name in (
            "Node", "Literal", "Attr", "Paren", "Unary", "Binary", "Ternary", "Call", "ListNode", "AdNode",
        )
    }  # fmt: skip
    table |= {"Binding": record.Binding, "Record": record.Record, "ListValue": values.ListValue}
    table |= {"RelTime": values.RelTime, "undefined": values.UNDEFINED, "error": values.ERROR}
    table |= {"computed": record.COMPUTED, "nothing": frozenset(), "keys": record.known_keys}
    table |= {"EvaluationError": errors.ClassAdEvaluationError, "ParseError": errors.ClassAdParseError}
    table |= {"apply": operators.apply, "unary": operators.apply_unary, "join": operators.combine}
    table |= {"compiled": evaluate.compiled, "deep_run": evaluate.run_deeper}
    table |= {"current_name": evaluate.current_name, "match_name": evaluate.match_name}
    table |= {"current_names": evaluate.CURRENT_NAMES, "match_names": evaluate.MATCH_NAMES}
    table |= {"make_ad_node": nodes.AdNode, "check_binding": record.Binding.check, "renamed": record.renamed}
    table |= {"lower": record.lower, "unparse": _unparse, "value_text": _value_text, "name_text": _name_text}
    native.connect(table)


def _unparse(node: Any, old: bool) -> str:
    from condor_py.classad.unparse import unparse

    return unparse(node, old=old)


def _value_text(value: Any, old: bool) -> str:
    from condor_py.classad.unparse import value_text

    return value_text(value, old=old)


def _name_text(name: str) -> str:
    from condor_py.classad.unparse import name_text

    return name_text(name)
