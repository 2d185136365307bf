"""python_invoke(module, function, ...): functions of the Python modules that the configuration names
(CLASSAD_USER_PYTHON_MODULES; ``lang/config/builders/usermodules.py`` loads them).

A call has ``limit`` seconds, and its time counts as steps of the evaluation, so that the expressions of one account
pay for it like for anything else that takes long.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad.convert import from_python, to_python
from condor_py.lang.classad.errors import remember
from condor_py.lang.classad.evaluate import node_value
from condor_py.lang.classad.functions import limit_length
from condor_py.lang.classad.nodes import Literal
from condor_py.lang.classad.values import ERROR

if TYPE_CHECKING:
    from condor_py.lang.classad.evaluate import Fn, State
    from condor_py.lang.classad.functions import Function
    from condor_py.lang.classad.nodes import Node

#: Name of a module -> the module.
modules: dict[str, Any] = {}
#: Seconds that one call may take; 0 without limit.
limit = 0.0
#: Receives why a call failed.
complain: Callable[[str], None] = lambda text: None  # noqa: E731 - a hook to be replaced
_STEPS_A_SECOND = 10_000_000


class _TooLong(BaseException):
    """A call has taken all its time; no ``except Exception`` of a module catches it."""


def _invoke(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    if len(fns) < 2:
        return ERROR
    module, name, *values = [fn(st) for fn in fns]
    if type(module) is not str or type(name) is not str:
        return ERROR
    function = getattr(modules.get(module), name, None) if not name.startswith("_") else None
    if not callable(function):
        remember(f"python_invoke: there is no function {name} in a module {module} of CLASSAD_USER_PYTHON_MODULES")
        return ERROR
    return called(st, f"{module}.{name}", lambda: from_python(function(*map(to_python, values))))


def called(st: State, name: str, call: Callable[[], Node]) -> Any:
    """Return the value of the tree that ``call`` makes; error where it fails or takes too long."""
    begun = time.monotonic()
    try:
        tree = limited(call)
        if type(tree) is Literal and type(tree.value) is str:
            limit_length(len(tree.value))
    except _TooLong:
        return _failed(st, begun, f"{name} took more than {limit:g} s")
    except Exception as error:  # whatever a module does, the daemon goes on
        return _failed(st, begun, f"{name}: {type(error).__name__}: {error}")
    _pay(st, begun)
    return node_value(st, tree, st.ad)


def _failed(st: State, begun: float, why: str) -> Any:
    remember(why)
    complain(why)
    _pay(st, begun)
    return ERROR


def _pay(st: State, begun: float) -> None:
    """Count the time since ``begun`` as steps. The evaluation is not ended for it: the call is over."""
    st.steps = max(0, st.steps - int((time.monotonic() - begun) * _STEPS_A_SECOND))


def limited(call: Callable[[], Any]) -> Any:
    """Call a function of a module within ``limit``. Other threads than the first have no limit."""
    if not limit or threading.current_thread() is not threading.main_thread():
        return call()

    def over(number: int, frame: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, over)
    try:
        signal.setitimer(signal.ITIMER_REAL, limit)
        return call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


FUNCTIONS: dict[str, Function] = {"python_invoke": _invoke}
