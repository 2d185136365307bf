"""``condor_config_val use``: what templates there are, and what one sets."""

from __future__ import annotations

from functools import cache

from condor_py.cli.config_val.aside import words
from condor_py.lang.config.templates import TEMPLATES
from condor_py.lang.config.templates import template as template_text
from condor_py.lang.macro.templates import expand_arguments, parse_calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_DEEPEST = 20


@cache
def _use() -> re.Pattern[str]:
    import re

    return re.compile(r"\s*use\s+(\w+)\s*:\s*(.*)", re.IGNORECASE)


def print_template(text: str, *, expanded: bool, verbose: bool) -> None:
    """``use CATEGORY`` lists templates, ``use CATEGORY:NAME`` prints one; with ``expanded`` also those that it uses."""
    import re

    if not text:
        words("use should be followed by a category or category:option argument\n")
    category, separator, name = re.sub(r"[=:]", "\0", text, count=1).partition("\0")
    if not separator and "." in text:
        category, _, name = text.partition(".")
        words(f"{text} is not valid, assuming {category}:{name} was intended\n")
    known = TEMPLATES.get(category.strip().lower())
    if known is not None and not name:
        print(f"use {known[0]} accepts")
        print("".join(f"  {key}\n" for key in sorted(known[1], key=str.lower)), end="")
        return
    calls = parse_calls(name)
    body = template_text(category, calls[0].name) if known is not None and calls else None
    if known is None or body is None:
        shown = f"{category}:{name}" if known is not None else category
        print(f"Not defined: use {shown.upper()}")
        return
    call = calls[0]
    label = next(key for key in known[1] if key.lower() == call.name.lower())
    if not expanded and not call.arguments:
        print(f"use {known[0]}:{label} is\n{_lines(body)}")
        return
    body = expand_arguments(body, call.arguments)
    print(f"use {known[0]}:{name} {'expands to' if expanded else 'is'}")
    print(_lines(_with_templates(body, verbose=verbose) if expanded else body) + "\n")


def _lines(text: str) -> str:
    return "\n".join(line if line.startswith(" #") else f"\t{line}" for line in text.split("\n") if line.strip())


def _with_templates(text: str, depth: int = 0, *, verbose: bool) -> str:
    """``text`` with the lines ``use CATEGORY : NAME`` replaced by what they stand for."""
    lines: list[str] = []
    for line in text.split("\n"):
        match = _use().match(line)
        if match is None or depth > _DEEPEST:
            lines.append(line)
            continue
        if verbose:
            lines += [line, f" #begin-expanding# use {match[1]} : {match[2]}"]
        for call in parse_calls(match[2]):
            body = template_text(match[1], call.name)
            if body is not None:
                lines.append(_with_templates(expand_arguments(body, call.arguments), depth + 1, verbose=verbose))
        if verbose:
            lines.append(f" #end-expanding# use {match[1]} : {match[2]}")
    return "\n".join(lines)
