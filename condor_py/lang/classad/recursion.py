"""Room for deep recursion, where HTCondor's limits allow more nesting than Python's own limit."""

from __future__ import annotations

import sys

from condor_py.lang.classad.errors import ClassAdEvaluationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    _T = TypeVar("_T")

_ROOM = 20_000


def with_deep_stack(run: Callable[[], _T]) -> _T:
    """``run()``, and once more with stack for deeper recursion when Python's own limit got in the way.

    ClassAdEvaluationError where that is not enough.
    """
    try:
        return run()
    except RecursionError:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(limit + _ROOM)
        try:
            return run()
        except RecursionError:
            raise ClassAdEvaluationError("expression is nested too deeply") from None
        finally:
            sys.setrecursionlimit(limit)
