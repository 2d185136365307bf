"""The output of condor_config_val for the configuration of files and environment: one knob, many, files, text."""

from __future__ import annotations

import sys
from functools import cache

from condor_py.cli.config_val.nearest import suggest_knob
from condor_py.lang.config.settings import DEFAULT, DETECTED, ENVIRONMENT, OVERRIDE, Config, Setting
from condor_py.lang.config.shown import shown_default
from condor_py.lang.config.templates import TEMPLATES
from condor_py.lang.config.templates import template as template_text
from condor_py.lang.macro import Expander, trace
from condor_py.lang.macro.templates import expand_arguments, parse_calls
from condor_py.model.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

    from condor_py.cli.options import Args
    from condor_py.lang.macro import Macro


class Look:
    """The style in which values are shown. ``uses`` adds counts of use (-verbose:use), ``info`` the knob's
    description."""

    __slots__ = ("form", "info", "uses", "verbose")

    def __init__(self, verbose: bool, uses: bool, info: bool, form: str) -> None:
        self.verbose = verbose
        self.uses = uses
        self.info = info
        self.form = form


def look_of(args: Args) -> Look:
    """Return the style that the command line asks for."""
    verbose, uses = args.has("info"), False
    for use in args.all("verbose"):
        words = (use.colon or "").replace(":", ",").split(",")
        uses = uses or any(word == "use" or (len(word) >= 2 and "usage".startswith(word)) for word in words)
        verbose = "terse" not in words
    form = args.last("json", "toml")
    return Look(verbose, uses, args.has("info"), form.name if form else "")


def assignment(name: str, value: str, indent: str = "   ") -> str:
    """``NAME = value``, or a ``@=end`` block for a value of several lines."""
    if "\n" not in value:
        return f"{name} = {value}"
    return f"{name} @=end{block(value, indent)}\n@end"


def block(value: str, indent: str) -> str:
    """Return a value of several lines, each on its own line behind ``indent``; a single line unchanged."""
    if "\n" not in value:
        return value
    return "".join(f"\n{indent}{line}" for line in value.split("\n") if line)


def print_trace(old: Macro) -> None:
    """A setting that a later one replaces (-trace)."""
    print(f" # trace: {old.name}\n  # was: {old.value}\n  # set at: {Setting(old.name, old.value, old.origin).place}")


def sources(config: Config, last: str | None) -> None:
    """The configuration files: paths on stdout, words about them on stderr."""
    local = [path for path in config.files if path != config.root]
    words("Configuration source:\n")
    if last is not None:
        print(f"Reconfig with {last} appended")
    print(f"\t{config.root}")
    if local:
        words("Local configuration source:\n" if len(local) == 1 else "Local configuration sources:\n")
        print("".join(f"\t{path}\n" for path in local), end="")
        words("\n")


def condition(text: str, config: Config) -> int:
    """Whether ``if TEXT`` is understood (-check-if), and what it is."""
    from condor_py.lang.config.templates import template
    from condor_py.lang.macro.conditions import ConditionError, evaluate_condition

    def has_template(category: str, name: str) -> bool:
        return template(category, name) is not None

    try:
        value = evaluate_condition(text, config.expand, config.raw, has_template)
    except ConditionError as error:
        print(f'# not supported: "{text}" {error}')
    else:
        print(f'# ok: "{text}" \n{"true" if value else "false"}')
    return 0


def names(args: Args, config: Config) -> int:
    """Print each NAME of the command line; 1 when one is not defined."""

    look = look_of(args)
    if look.form and not args.has("macro"):
        from condor_py.cli.config_val.structured import print_local

        return print_local(config, args.positional, look.form)
    missing = 0
    rest = iter(args.positional)
    for name in rest:
        if name.lower() == "use":
            print_template(next(rest, ""), expanded=args.has("expanded"), verbose=look.verbose)
        elif args.has("macro"):
            _macro(args, config, name, verbose=look.verbose)
        elif not _knob(args, config, name, look):
            missing += 1
    return 1 if missing and not look.info else 0


def _knob(args: Args, config: Config, name: str, look: Look) -> bool:
    """Print the value of ``name``; whether it is defined."""
    found = config.setting(name)
    value = _value(args, config, found, name)
    shown_name = found.name if found else name.upper()
    if value is None:
        words(f"Not defined: {shown_name}\n")
        if found is None:
            suggest_knob(name, config)
    else:
        print(assignment(shown_name, value) if look.verbose else value)
    if look.verbose:
        if found is not None:
            _details(args, config, found, look)
        print()
    return value is not None


def _value(args: Args, config: Config, found: Setting | None, name: str) -> str | None:
    if args.has("default"):
        return shown_default(config, name)
    if found is None:
        return None
    return found.raw if args.has("raw") else _expanded(config, name)


def _expanded(config: Config, name: str) -> str | None:
    """The expanded value of ``name``; a misused macro function is reported and leaves no value, as in HTCondor."""
    try:
        return config.expanded(name)
    except ConfigError as error:
        words(f"{error}\n")
        return None


def _details(args: Args, config: Config, found: Setting, look: Look) -> None:
    if look.info:
        from condor_py.cli.config_val.knob import print_description

        print_description(found.name)
    print(f" # at: {found.place}")
    if not args.has("raw") and not args.has("default"):
        print(f" # raw: {block(f'{found.name} = {found.raw}', ' #   ')}")
    if look.info:
        from condor_py.cli.config_val.knob import print_expected

        print_expected(found.name)
    if look.uses:
        print(f" # use_count: {used(config.uses.get(found.name.lower(), 0), _references(config, found.name))}")


def _references(config: Config, name: str) -> int:
    """Return how many settings refer to ``name``, plus how often it was put into the values shown so far."""
    key = name.lower()
    return config.references.get(key, 0) + config.uses.get(key, 0)


def used(uses: int, references: int) -> str:
    """The two counts as HTCondor writes them."""
    return f"{uses} / {references}" if references else str(uses)


# -- many ----------------------------------------------------------------------------------------------------


def dump(args: Args, config: Config) -> None:
    """Every knob, or those whose names match one of the patterns of the command line."""
    look, known = look_of(args), config.names()
    chosen = _usage_filter(args, config)
    if look.form:
        from condor_py.cli.config_val.structured import print_local

        patterns = dict.fromkeys(args.positional or ("",))
        wanted = dict.fromkeys(name for pattern in patterns for name in _matching(known, pattern) if chosen(name))
        print_local(config, list(wanted), look.form)
        return
    print(f"# Configuration from machine: {config.string('FULL_HOSTNAME', '<unknown hostname>')}")
    for pattern in args.positional or ("",):
        if pattern:
            print(f"\n# Parameters with names that match {pattern}:")
        names = _matching(known, pattern)
        if not names:
            sys.stdout.flush()
            suggest_knob(pattern, config)
        for name in names:
            found = config.setting(name)
            if found is not None and chosen(name):
                _dump_one(args, config, name, found, look)
    if not look.verbose:
        print("# Contributing configuration file(s):")
        for path in config.files:
            print(f"#\t{path}")


def _usage_filter(args: Args, config: Config) -> Callable[[str], bool]:
    """Whether a name is shown: all are, without -used and -unused."""
    if not args.has("used") and not args.has("unused"):
        return lambda name: True
    mentioned = _used(config)
    return lambda name: (name.lower() in mentioned) is not args.has("unused")


def _matching(known: Sequence[str], pattern: str) -> list[str]:
    import re

    try:
        matches = re.compile(pattern, re.IGNORECASE).search
    except re.error:
        return []
    return [name for name in known if matches(name)]


def _dump_one(args: Args, config: Config, name: str, found: Setting, look: Look) -> None:
    default = shown_default(config, name)
    if args.has("default"):
        print(assignment(name, default or ""))
    elif args.has("expanded"):
        print(assignment(name, _expanded(config, name) or ""))
    else:
        print(assignment(found.name, found.raw))
    if not look.verbose:
        return
    if look.info:
        from condor_py.cli.config_val.knob import print_description

        print_description(name)
    print(f" # at: {found.place}")
    if args.has("expanded"):
        print(f" # raw: {block(found.raw, ' #     ')}")
    else:
        print(f" # expanded: {block(_expanded(config, name) or '', ' #     ')}")
    if default:
        print(f" # default: {block(default, ' #     ')}")
    if look.info:
        from condor_py.cli.config_val.knob import print_expected

        print_expected(name)
    if look.uses:
        print(f" # use_count: {used(config.uses.get(name.lower(), 0), _references(config, name))}")


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
    from condor_py.lang.config.summary import statistics

    for name, number in statistics(config).items():
        print(f"{'IsSorted' if name == 'Sorted' else name} = {number}")


# -- text ----------------------------------------------------------------------------------------------------


def _macro(args: Args, config: Config, text: str, *, verbose: bool) -> None:
    """Expand ``text``; with -verbose also a mask of the references of its top level that gave something."""
    import re

    expander = Expander(config.raw, env=config.environ)
    result = expander.expand_keeping_dollar(text)
    use = args.last("macro")
    if use is not None and use.colon and "path".startswith(use.colon):
        result = re.sub(r"/{2,}", "/", result)
    if not verbose:
        print(result)
        return
    print(f"{text} expands to: {result}")
    print(f" # exist: 0x{_exist_mask(expander, text):X}" if "$" in text else " # exist: 0x0")


def _exist_mask(expander: Expander, text: str) -> int:
    from condor_py.lang.macro.expand import find_reference

    mask = start = bit = 0
    while (found := find_reference(text, start)) is not None:
        if expander.expand_keeping_dollar(text[found.start : found.end]):
            mask |= 1 << min(bit, 31)
        bit += 1
        start = found.end
    return mask


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
        from condor_py.cli.suggest import hint
        from condor_py.model.spelling import nearest

        wanted, names = (name, known[1]) if known is not None else (category, [row[0] for row in TEMPLATES.values()])
        like = nearest(wanted.lower(), [key.lower() for key in names])
        hint(f"There is no template {wanted}" + (f": did you mean {like}?" if like else ""))
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
    """``text`` with the lines ``use CATEGORY : NAME`` replaced by their settings."""
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


def words(text: str) -> None:
    """``text`` on stderr, in its place among the values on stdout."""
    sys.stdout.flush()
    sys.stderr.write(text)
    sys.stderr.flush()
