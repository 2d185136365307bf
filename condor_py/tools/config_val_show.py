"""What condor_config_val prints: one knob, many, files, templates."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from condor_py.config.params import PARAMS
from condor_py.config.settings import DEFAULT, DETECTED, ENVIRONMENT, OVERRIDE, Config, Setting
from condor_py.macro import Expander, Origin, trace

if TYPE_CHECKING:
    from condor_py.tools.options import Args

_EXPECTED = {"i": "INT", "r": "DOUBLE", "b": "BOOL", "p": "PATH", "s": "STRING", "e": "EXPRESSION", "z": "SIZE"}


def location(origin: Origin) -> str:
    """``FILE, line N`` and the template with its line; ``<Default>`` and the like without a line."""
    if origin in (DEFAULT, DETECTED, ENVIRONMENT, OVERRIDE):
        return origin.source
    template = f", use {origin.template}+{origin.offset}" if origin.template else ""
    return f"{origin.source}, line {origin.line}{template}"


def assignment(name: str, value: str, indent: str = "   ") -> str:
    """``NAME = value``, or a ``@=end`` block for a value of several lines."""
    if "\n" not in value:
        return f"{name} = {value}"
    return f"{name} @=end{_indented(value, indent)}\n@end"


def _indented(value: str, indent: str) -> str:
    return "".join(f"\n{indent}{line}" for line in value.split("\n") if line)


def sources(config: Config) -> None:
    """The configuration files: paths on stdout, words about them on stderr."""
    local = [path for path in config.files if path != config.root]
    _words("Configuration source:\n")
    print(f"\t{config.root}")
    if local:
        _words("Local configuration source:\n" if len(local) == 1 else "Local configuration sources:\n")
        print("".join(f"\t{path}\n" for path in local), end="")
        _words("\n")


def _words(text: str) -> None:
    sys.stdout.flush()
    sys.stderr.write(text)
    sys.stderr.flush()


def knob(args: Args, config: Config, name: str, *, remote: bool) -> bool:
    """Print the value of ``name``; whether it is defined. A daemon's answer about an undefined name goes to stdout."""
    found = config.setting(name)
    value = _value(args, config, found, name)
    shown_name = found.name if found else name.upper()
    if value is None:
        if remote:
            print("Not defined")
        else:
            _words(f"Not defined: {shown_name}\n")
    elif args.has("verbose") or args.has("info"):
        print(assignment(shown_name, value))
    else:
        print(value)
    if args.has("verbose") or args.has("info"):
        if found is not None:
            _details(args, found)
        print()
    return value is not None


def _value(args: Args, config: Config, found: Setting | None, name: str) -> str | None:
    if args.has("default"):
        return config.default(name)
    if found is None:
        return None
    if args.has("raw"):
        return found.raw
    value = config.expanded(name)
    if value is None or not args.has("evaluate") or args.last("master", "schedd", "startd", "negotiator") is None:
        return value
    from condor_py.macro.evaluate import classad_evaluate
    from condor_py.macro.functions import unparse

    result = classad_evaluate(value)
    return value if result is None else unparse(result)


def _details(args: Args, found: Setting) -> None:
    description = _description(found.name) if args.has("info") else ""
    if description:
        print(f" # description: {description}")
    print(f" # at: {location(found.origin)}")
    if not args.has("raw") and not args.has("default"):
        print(f" # raw: {_block(f'{found.name} = {found.raw}')}")
    if args.has("info"):
        _expected(found.name)


def _block(value: str) -> str:
    return _indented(value, " #   ") if "\n" in value else value


def _description(name: str) -> str:
    from condor_py.config.descriptions import DESCRIPTIONS

    wanted = name.lower()
    return next((text for group in DESCRIPTIONS.values() for key, text in group.items() if key.lower() == wanted), "")


def _expected(name: str) -> None:
    param = PARAMS.get(name.lower())
    if param is None:
        return
    low = "" if param[3] is None else f" from {param[3]:g}"
    high = "" if param[4] is None else f" to {param[4]:g}"
    print(f" # expected values : {_EXPECTED[param[2]]}{low}{high}")


def dump(args: Args, config: Config) -> None:
    """Every knob, or those whose names match one of the patterns of the command line."""
    print(f"# Configuration from machine: {config.string('FULL_HOSTNAME', '<unknown hostname>')}")
    verbose = args.has("verbose") or args.has("info")
    used = _used(config) if args.has("used") or args.has("unused") else None
    for pattern in args.positional or ("",):
        if pattern:
            print(f"\n# Parameters with names that match {pattern}:")
        for name in _matching(config, pattern):
            if used is not None and (name.lower() in used) is args.has("unused"):
                continue
            found = config.setting(name)
            if found is not None:
                _dump_one(args, config, name, found, verbose=verbose)
    if not verbose:
        print("# Contributing configuration file(s):")
        for path in config.files:
            print(f"#\t{path}")


def _matching(config: Config, pattern: str) -> list[str]:
    try:
        matches = re.compile(pattern, re.IGNORECASE).search
    except re.error:
        return []
    return [name for name in config.names() if matches(name)]


def _dump_one(args: Args, config: Config, name: str, found: Setting, *, verbose: bool) -> None:
    default = config.default(name)
    if args.has("default"):
        print(assignment(name, default or ""))
    elif args.has("expanded"):
        print(assignment(name, config.expanded(name) or ""))
    else:
        print(assignment(found.name, found.raw))
    if not verbose:
        return
    if args.has("info") and _description(name):
        print(f" # description: {_description(name)}")
    print(f" # at: {location(found.origin)}")
    if args.has("expanded"):
        print(f" # raw: {_deep_block(found.raw)}")
    else:
        print(f" # expanded: {_deep_block(config.expanded(name) or '')}")
    if default:
        print(f" # default: {_deep_block(default)}")
    if args.has("info"):
        _expected(name)


def _deep_block(value: str) -> str:
    return _indented(value, " #     ") if "\n" in value else value


def _used(config: Config) -> set[str]:
    """Lower-case names that the knobs that no file sets refer to."""
    found: set[str] = set()
    expander = Expander(config.raw, env=config.environ)
    for name in config.names():
        setting = config.setting(name)
        if setting is not None and setting.origin in (DEFAULT, DETECTED, ENVIRONMENT, OVERRIDE):
            found |= trace(setting.raw, expander)[1]
    return found


def stats(config: Config) -> None:
    """Numbers about the configuration."""
    print(f"Macros = {len(config.macros)}")
    print(f"Referenced = {len(_used(config))}")
    print(f"Files = {len(config.files)}")


def macro(args: Args, config: Config, text: str) -> None:
    """Expand ``text``; with -verbose also a mask of the references of its top level that gave something."""
    expander = Expander(config.raw, env=config.environ)
    result = expander.expand_keeping_dollar(text)
    use = args.last("macro")
    if use is not None and use.colon and "path".startswith(use.colon):
        result = re.sub(r"/{2,}", "/", result)
    if not args.has("verbose"):
        print(result)
        return
    print(f"{text} expands to: {result}")
    print(f" # exist: 0x{_exist_mask(expander, text):X}" if "$" in text else " # exist: 0x0")


def _exist_mask(expander: Expander, text: str) -> int:
    from condor_py.macro.scan import find_reference

    mask = start = bit = 0
    while (found := find_reference(text, start)) is not None:
        if expander.expand_keeping_dollar(text[found.start : found.end]):
            mask |= 1 << min(bit, 31)
        bit += 1
        start = found.end
    return mask


def template(text: str, *, expanded: bool) -> None:
    """``use CATEGORY`` lists templates, ``use CATEGORY:NAME`` prints one."""
    from condor_py.config.templates import TEMPLATES
    from condor_py.config.templates import template as template_text
    from condor_py.macro.templates import expand_arguments, parse_calls

    if not text:
        _words("use should be followed by a category or category:option argument\n")
    category, separator, name = re.sub(r"[=:]", "\0", text, count=1).partition("\0")
    if not separator and "." in text:
        category, _, name = text.partition(".")
        _words(f"{text} is not valid, assuming {category}:{name} was intended\n")
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
    print(_lines(_with_templates(body) if expanded else body) + "\n")


def _lines(text: str) -> str:
    return "\n".join(f"\t{line}" for line in text.split("\n") if line.strip())


def _with_templates(text: str, depth: int = 0) -> str:
    """``text`` with the lines ``use CATEGORY : NAME`` replaced by what they stand for."""
    from condor_py.config.templates import template as template_text
    from condor_py.macro.templates import expand_arguments, parse_calls

    lines: list[str] = []
    for line in text.split("\n"):
        match = re.match(r"\s*use\s+(\w+)\s*:\s*(.*)", line, re.IGNORECASE)
        if match is None or depth > 20:
            lines.append(line)
            continue
        for call in parse_calls(match[2]):
            body = template_text(match[1], call.name)
            if body is not None:
                lines.append(_with_templates(expand_arguments(body, call.arguments), depth + 1))
    return "\n".join(lines)
