"""Functions on HTCondor's own texts: arguments, environments, users."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad.errors import ClassAdEvaluationError
from condor_py.lang.classad.functions import costly, elements, list_of, on_values
from condor_py.lang.classad.values import ERROR, UNDEFINED, ListValue, int32

if TYPE_CHECKING:
    from condor_py.lang.classad.evaluate import Fn, State
    from condor_py.lang.classad.functions import Function
    from condor_py.lang.classad.nodes import Node

_BLANKS = " \t\n\r"


def split_arguments(text: str) -> list[str] | None:
    """The items of a new-syntax argument string: spaces separate, single quotes group, doubled ones are quotes.

    None where a quote is not closed.
    """
    found: list[str] = []
    item = ""
    inside = False
    at = 0
    while at < len(text):
        char = text[at]
        if char == "'":
            inside = True
            at += 1
            while True:
                end = text.find("'", at)
                if end < 0:
                    return None
                item += text[at:end]
                at = end + 1
                if text[at : at + 1] != "'":
                    break
                item += "'"
                at += 1
        elif char in _BLANKS:
            at += 1
            if inside:
                found.append(item)
                item, inside = "", False
        else:
            inside = True
            item += char
            at += 1
    if inside:
        found.append(item)
    return found


def join_arguments(items: list[str]) -> str:
    """The items as a new-syntax argument string, quoted only where needed."""
    result = ""
    for item in items:
        if result:
            result += " "
        if not item:
            result += "''"
        for char in item:
            if char in " \t\n\r'":
                result = result[:-1] if result.endswith("'") else result + "'"
                result += ("''" if char == "'" else char) + "'"
            else:
                result += char
    return result


def args_to_list(text: Any, version: Any = 2) -> Any:
    """argsToList(args[, version]): the items of an argument string of syntax 1 (old) or 2 (new)."""
    if type(text) is not str or type(version) is not int:
        return ERROR
    version = int32(version)
    if version not in (1, 2):
        return ERROR
    items = split_arguments(text) if version == 2 else text.translate(_AS_BLANK).split(" ")
    return ERROR if items is None else list_of([item for item in items if item or version == 2])


_AS_BLANK = {ord(char): " " for char in _BLANKS}


def list_to_args(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """listToArgs(list[, version]): the argument string of a list of strings."""
    if not 1 <= len(fns) <= 2:
        return ERROR
    version = fns[1](st) if len(fns) == 2 else 2
    if type(version) is not int or int32(version) not in (1, 2):
        return ERROR
    where = fns[0](st)
    if type(where) is not ListValue:
        return ERROR
    items: list[str] = []
    for value in elements(st, where):
        if type(value) is not str:
            return ERROR
        items.append(value)
    if int32(version) == 2:
        return join_arguments(items)
    if any(char in item for item in items for char in _BLANKS):
        return ERROR
    return " ".join(items)


def _environment(entries: list[str]) -> dict[str, str | None] | None:
    """The variables of ``NAME=value`` entries; None for one without a name or an equals sign."""
    table: dict[str, str | None] = {}
    for entry in entries:
        if not entry:
            continue
        name, equals, value = entry.partition("=")
        if not equals and "$$" in entry:
            table[entry] = None
        elif not equals or not name:
            return None
        else:
            table[name] = value
    return table


def _new_syntax(table: dict[str, str | None]) -> str:
    return join_arguments([name if value is None else f"{name}={value}" for name, value in sorted(table.items())])


#: Characters that, as the first of an old-syntax environment, stand between its variables instead of ``;``.
DELIMITERS = frozenset("!#$%&*+,-/:;<>?@^`|~\x1f")


def env_v1_to_v2(text: Any) -> Any:
    """envV1ToV2(env): an old-syntax environment (``A=1;B=2``) in new syntax."""
    if text is UNDEFINED:
        return UNDEFINED
    if type(text) is not str:
        return ERROR
    delimiter = ";"
    if text and text[0] in DELIMITERS:
        delimiter, text = text[0], text[1:]
    entries = [entry.lstrip(_BLANKS) for entry in text.replace("\n", delimiter).split(delimiter)]
    table = _environment(entries)
    return ERROR if table is None else _new_syntax(table)


def merge_environment(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """mergeEnvironment(env, …): new-syntax environments, later ones over earlier ones; undefined ones do not count."""
    merged: dict[str, str | None] = {}
    for fn in fns:
        text = fn(st)
        if text is UNDEFINED:
            continue
        items = split_arguments(text) if type(text) is str else None
        table = None if items is None else _environment(items)
        if table is None:
            return ERROR
        merged.update(table)
    return _new_syntax(merged)


def home_of(user: str) -> str | None:
    """The home directory of an account of this machine; None where there is none."""
    from pwd import getpwnam

    try:
        return getpwnam(user).pw_dir or None
    except (KeyError, UnicodeError, ValueError):
        return None


#: Finds home directories; CLASSAD_ENABLE_USER_HOME = false is a function that returns None.
find_home: Callable[[str], str | None] = home_of


def user_home(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """userHome(user[, default]): the home directory of a user of this machine; error where an argument fails."""
    if not 1 <= len(fns) <= 2:
        raise ClassAdEvaluationError("userHome() needs a user, and may have a default")
    try:
        values = [fn(st) for fn in fns]
    except ClassAdEvaluationError:
        return ERROR
    user, default = values[0], values[-1] if len(values) == 2 else UNDEFINED
    fallback = default if type(default) is str and default else None
    if type(user) is not str:
        return fallback or (UNDEFINED if user is UNDEFINED else ERROR)
    return find_home(user) or fallback or UNDEFINED


#: What CLASSAD_USER_MAP_NAMES maps: (map name, user) to a list of groups separated by commas, or None.
map_user: Callable[[str, str], str | None] = lambda name, user: None  # noqa: E731 - a hook to be replaced


def user_map(name: Any, user: Any, preferred: Any = UNDEFINED, *default: Any) -> Any:
    """userMap(map, user[, preferred[, default]]): the user's groups, or one of them."""
    fallback = default[0] if default else UNDEFINED
    if type(name) is not str or type(user) is not str:
        return ERROR if name is ERROR or user is ERROR else fallback
    output = map_user(name, user)
    if output is None:
        return fallback
    groups = [group.strip() for group in output.split(",") if group.strip()]
    if type(preferred) is str:
        for group in groups:
            if group.lower() == preferred.lower():
                return group
    return groups[0] if groups else fallback


def _user_map(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    if not 2 <= len(fns) <= 4:
        return ERROR
    values = [fn(st) for fn in fns]
    if len(fns) == 2 and all(type(value) is str for value in values):
        output = map_user(*values)
        return UNDEFINED if output is None else output
    return user_map(*values)


FUNCTIONS: dict[str, Function] = {
    "argstolist": on_values(args_to_list, 1, 2),
    "listtoargs": list_to_args,
    "envv1tov2": on_values(env_v1_to_v2, 1),
    "mergeenvironment": merge_environment,
    "userhome": costly(user_home, 1000),
    "usermap": _user_map,
}
