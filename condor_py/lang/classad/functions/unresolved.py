"""unresolved(): which names an attribute's expression uses that its ad lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from condor_py.lang.classad import evaluate
from condor_py.lang.classad.errors import ClassAdEvaluationError, ClassAdParseError
from condor_py.lang.classad.functions.backtrack import StepLimit
from condor_py.lang.classad.functions.regexps import compile_pattern
from condor_py.lang.classad.functions.types import find_binding
from condor_py.lang.classad.nodes import Attr
from condor_py.lang.classad.references import external_names
from condor_py.lang.classad.values import ERROR, UNDEFINED, ListValue

if TYPE_CHECKING:
    from condor_py.lang.classad.evaluate import Fn, State
    from condor_py.lang.classad.functions import Function
    from condor_py.lang.classad.nodes import Node
    from condor_py.lang.classad.record import Record


def unresolved(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """unresolved(name[, pattern]): the names that the attribute's expression uses and the ad lacks."""
    if len(args) not in (1, 2) or not isinstance(args[0], Attr):
        return ERROR
    found = find_binding(st, args[0])
    if found is not None:
        names = _missing(st, *found)
    elif args[0].scope is not None and type(evaluate.compiled(args[0].scope)(st)) is ListValue:
        names = []  # an attribute of each ad of a list: nothing is looked for
    else:
        return UNDEFINED
    if len(args) == 1:
        return ",".join(names)
    wanted = fns[1](st)
    if type(wanted) is not str:
        raise ClassAdEvaluationError("the pattern of unresolved() must be a string")
    pattern = compile_pattern(wanted, "i")
    if pattern is None:
        return ERROR
    try:
        return any(pattern.search(name) for name in names)
    except StepLimit:
        return ERROR


def _missing(st: State, node: Node, owner: Record) -> list[str]:
    """The names that ``node`` in ``owner`` refers to and that are nowhere; none where that is unknown."""
    try:
        names = external_names(owner, node, st)
    except ClassAdParseError:
        return []
    return [name[7:] if name[:7].lower() == "target." else name for name in names]


FUNCTIONS: dict[str, Function] = {"unresolved": unresolved}
