"""Built-in functions, in families that are imported when the first of them is called.

A function gets the evaluation state, the closures of its arguments and their trees, and returns a value. Most are
written on values and wrapped by ``on_values``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad.record import Record
from condor_py.lang.classad.values import ERROR, AbsTime, ListValue, RelTime

if TYPE_CHECKING:
    from condor_py.lang.classad.evaluate import Fn, State
    from condor_py.lang.classad.nodes import Node

    Function = Callable[[State, tuple[Fn, ...], tuple[Node, ...]], Any]

_FAMILIES: dict[str, str] = {}


def _family(module: str, names: str) -> None:
    for name in names.split():
        _FAMILIES[name] = module


_family("types", "isundefined iserror isstring isinteger isreal islist isclassad isboolean isabstime isreltime")
_family("types", "int real string bool ifthenelse eval unparse debug")
_family("unresolved", "unresolved")
_family("lists", "member identicalmember size sum avg min max anycompare allcompare")
_family("strings", "strcat join toupper tolower substr strcmp stricmp")
_family("strings", "split splitusername splitslotname")
_family("versions", "versioncmp versionle versionlt versionge versiongt versioneq version_in_range")
_family("regexps", "regexp regexpmember regexps replace replaceall stringlist_regexpmember")
_family("numbers", "floor ceil ceiling round pow quantize random")
_family("times", "time currenttime timezoneoffset daytime getyear getmonth getdayofyear getdayofmonth")
_family("times", "getdayofweek getdays gethours getminutes getseconds splittime formattime abstime reltime interval")
_family("stringlists", "stringlistsintersect stringlistsize stringlistsum stringlistavg stringlistmin stringlistmax")
_family("stringlists", "stringlistmember stringlistimember stringlistsubsetmatch stringlistisubsetmatch")
_family("condor", "mergeenvironment envv1tov2 listtoargs argstolist userhome usermap")
_family("python", "python_invoke")

_family("lists", "evalineachcontext countmatches")

_known: dict[str, Function | None] = {}


def find_function(name: str) -> Function | None:
    """The function of that name (without case), or None."""
    key = name.lower()
    if key not in _known:
        module = _FAMILIES.get(key)
        if module is None:
            return None
        from condor_py.model.later import loaded

        table: dict[str, Function] = loaded(f"condor_py.lang.classad.functions.{module}").FUNCTIONS
        for other, function in table.items():
            _known[other] = function
        _known.setdefault(key, None)
    return _known[key]


def add_function(name: str, function: Function) -> None:
    """Makes ``function`` one of the language, under a name in lower case, for this process."""
    _known[name] = function


def function_names() -> list[str]:
    """All built-in functions, in lower case."""
    return sorted(_FAMILIES)


def on_values(function: Callable[..., Any], least: int, most: int | None = None) -> Function:
    """A function of values from ``least`` to ``most`` (default: the same) of them; other counts are error."""
    limit = least if most is None else most

    def call(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
        if not least <= len(fns) <= limit:
            return ERROR
        values = [fn(st) for fn in fns]
        for value in values:
            if type(value) is not str:
                if isinstance(value, _STRUCTURED):
                    charge(st, _STRUCTURED_STEPS)
            elif len(value) > _LONG:
                charge(st, len(value) >> 3)
        result = function(*values)
        if type(result) is str:
            charge_result(st, len(result))
        elif type(result) is ListValue:
            charge(st, len(result))
        return result

    return call


def costly(function: Function, steps: int) -> Function:
    """Return ``function`` with each call charged ``steps`` in addition to CALL_STEPS, because it takes that long."""

    def call(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
        charge(st, steps)
        return function(st, fns, args)

    return call


_LONG = 256
_LONGEST = 1 << 22
#: Values that take time to convert to text, and the steps charged for that besides their length (charge_result).
_STRUCTURED = (ListValue, AbsTime, RelTime, Record)
_STRUCTURED_STEPS = 100
#: Steps charged for each element of a list.
_ELEMENT_STEPS = 4


def charge(st: State, steps: int) -> None:
    """Counts work that a function does. ClassAdEvaluationError beyond the limit of an evaluation."""
    st.steps -= steps
    if st.steps < 0:
        from condor_py.lang.classad.evaluate import too_long

        raise too_long()


def limit_length(length: int) -> None:
    """Refuses texts of more than four million characters as results, before they fill the memory."""
    if length > _LONGEST:
        from condor_py.lang.classad.errors import ClassAdEvaluationError

        raise ClassAdEvaluationError("a function makes a text that is too long")


def charge_result(st: State, length: int) -> None:
    """Counts a text of that length as the result of a function."""
    if length > _LONG:
        charge(st, length >> 3)
        limit_length(length)


def elements(st: State, value: ListValue) -> Iterator[Any]:
    """The values of a list's elements one by one, evaluated in the current ad (as HTCondor's functions do it)."""
    from condor_py.lang.classad.evaluate import node_value

    charge(st, _ELEMENT_STEPS * len(value.items))
    for node in value.items:
        yield node_value(st, node, st.ad)


def list_of(values: Iterable[Any]) -> ListValue:
    """A list of known values."""
    from condor_py.lang.classad.evaluate import as_node

    return ListValue(tuple(as_node(value) for value in values), None, True)
