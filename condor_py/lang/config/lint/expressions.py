"""Expressions that do not parse, with the file and line of the macro that is to blame."""

from __future__ import annotations

import re
from collections.abc import Iterator

from condor_py.lang.config.lint.finding import Finding
from condor_py.lang.config.lint.known import known
from condor_py.lang.config.lint.subject import Subject, finding, names_in
from condor_py.lang.macro import Macro
from condor_py.lang.macro.expand import find_reference

_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
#: Any of these makes a text an expression rather than a name, a path or a sentence.
_OPERATOR = re.compile(r"&&|\|\||[=!<>]=|=\?=|=!=|[<>*?]|\$\(")


def check_expressions(subject: Subject) -> Iterator[Finding]:
    """Expressions that do not parse; parentheses that are not closed, in whichever macro."""
    from condor_py.lang.classad.analyze import analyze

    unbalanced = {macro.name.lower(): macro for macro in subject.settings if _is_unbalanced(subject, macro)}
    for macro in unbalanced.values():
        more = _depth(macro.value)
        what = f"{more} ( not closed" if more > 0 else f"{-more} ) too many"
        yield finding("error", macro, f"unbalanced parentheses, {what}: {_short(macro.value)}")
    for macro in subject.settings:
        if macro.name.lower() in unbalanced or not subject.is_expression(macro.name):
            continue
        text = (subject.expand(macro.value) or "").strip()
        found = analyze(text) if text else ()
        if not found or found[0].kind != "syntax":
            yield from _strings_as_numbers(macro, text)
            continue
        blamed = [unbalanced[name].name for name in sorted(names_in(macro.value)) if name in unbalanced]
        cause = f"see {blamed[0]}" if blamed else _cause(subject, macro, f"{found[0].message}: {found[0].hint}")
        yield finding("error", macro, f"the expression does not parse, {cause}")


_RANK = re.compile(r"(?:.*_)?RANK(?:_\w+)?\Z", re.IGNORECASE)


def _strings_as_numbers(macro: Macro, text: str) -> Iterator[Finding]:
    """A rank that is a string."""
    from condor_py.lang.classad import ClassAdError
    from condor_py.lang.classad.exprtree import parse
    from condor_py.lang.classad.nodes import Literal

    if '"' not in text:
        return
    try:
        node = parse(text).node
    except ClassAdError:
        return
    if isinstance(node, Literal) and isinstance(node.value, str) and _RANK.match(macro.name):
        yield finding("warning", macro, f"{text} is a string: as a rank it counts as 0")


def _cause(subject: Subject, macro: Macro, otherwise: str) -> str:
    """Macros without a value, and the template that would set them; ``otherwise`` when all have one."""
    missing = subject.undefined_in(macro.value)
    if not missing:
        return otherwise
    shown = ", ".join(f"$({name})" for name in missing)
    template = setter_of(missing[0])
    hint = f" ({template} sets {missing[0]})" if template else ""
    return f"{shown} {'is' if len(missing) == 1 else 'are'} not defined{hint}"


def setter_of(name: str) -> str:
    """The ``use`` line of a FEATURE that sets ``name``; "" when none does."""
    from condor_py.lang.config.templates import TEMPLATES

    label, templates = TEMPLATES["feature"]
    wanted = re.compile(rf"^{re.escape(name)}\s*=", re.IGNORECASE | re.MULTILINE)
    return next((f"use {label} : {one}" for one, text in templates.items() if wanted.search(text)), "")


def _is_unbalanced(subject: Subject, macro: Macro) -> bool:
    depth = _depth(macro.value)
    if not depth:
        return False
    if subject.is_expression(macro.name):
        return True
    if known(macro.name) is not None:
        return False
    return _OPERATOR.search(macro.value) is not None and _parses_when_closed(macro.value, depth)


def _parses_when_closed(text: str, depth: int) -> bool:
    """Whether ``text`` would be an expression with the missing parentheses added: prose would not."""
    from condor_py.lang.classad import ClassAdError, parse

    while (reference := find_reference(text)) is not None:
        text = text[: reference.start] + "x" + text[reference.end :]
    try:
        parse(text + ")" * depth if depth > 0 else "(" * -depth + text)
    except ClassAdError:
        return False
    return True


def _depth(text: str) -> int:
    """Return how many more ( than ) are outside of strings; macro references are balanced by themselves."""
    plain = _STRING.sub("", text)
    return plain.count("(") - plain.count(")")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:77] + "..."
