"""-summary and -writeconfig: the settings as a configuration file, source by source."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from condor_py.config.params import PARAMS
from condor_py.config.settings import DEFAULT, DETECTED, ENVIRONMENT, Config, Setting
from condor_py.model.version import CONDOR_VERSION
from condor_py.tools.config_val_show import assignment, location

if TYPE_CHECKING:
    from condor_py.macro import Origin
    from condor_py.tools.options import Args

_COMMENTS = {"default": "#def#", "detected": "#detected#", "environment": "#env#", "matches_default": "#"}


class _Filter(NamedTuple):
    """What is written: kinds of settings, those of them as comments, and the form."""

    kinds: frozenset[str]
    comments: frozenset[str]
    source: bool = False
    sort: bool = False


def write(args: Args, config: Config) -> int:
    """Write as the command line asks; 0, or 2 when the file cannot be written."""
    summary = args.last("summary")
    if summary is not None:
        detected = bool(summary.colon) and "detected".startswith(str(summary.colon))
        kinds = {"file", "environment"} | ({"detected"} if detected else set())
        text = _text(config, _Filter(frozenset(kinds), frozenset()))
        sys.stdout.write(f"# condor_config_val {CONDOR_VERSION}\n{text}" if text else "")
        return 0
    use = args.last("writeconfig")
    target = "-" if use is None else str(use.values[0])
    text = _text(config, _filter(use.colon if use else None))
    if target == "-":
        sys.stdout.write(text)
        return 0
    try:
        with open(target, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
    except OSError as error:
        sys.stderr.write(f"Failed to create configuration file {target}: {error.strerror}.\n")
        return 2
    return 0


def _filter(options: str | None) -> _Filter:
    """The words of ``-writeconfig:WORD,WORD``; without any: what is set, and what repeats defaults as comments."""
    if options is None:
        return _Filter(frozenset({"file", "environment", "matches_default"}), frozenset({"matches_default"}))
    kinds: set[str] = set()
    comments: set[str] = set()
    words = options.replace(":", ",").split(",")
    comment = False
    for word in words:
        kind = next((name for name in _COMMENTS if len(word) >= 3 and name.startswith(word)), "")
        comment = comment or (len(word) >= 3 and "comment".startswith(word))
        if kind:
            kinds.add(kind)
            if comment:
                comments.add(kind)
    if "only" not in words or "file" in words:
        kinds |= {"file", "environment"}
    forms = {form: any(len(word) >= 3 and form.startswith(word) for word in words) for form in ("source", "sort")}
    return _Filter(frozenset(kinds), frozenset(comments), **forms)


def _kind(found: Setting) -> str:
    if found.origin == DEFAULT:
        return "default"
    if found.origin == DETECTED:
        return "detected"
    param = PARAMS.get(found.name.lower())
    if param is not None and param[1] == found.raw:
        return "matches_default"
    return "environment" if found.origin == ENVIRONMENT else "file"


def _chosen(config: Config, chosen: _Filter) -> Iterator[tuple[Setting, str]]:
    """The settings that the filter lets pass, by name, with what stands before each."""
    for name in config.names():
        macro = config.macros.get(name)
        found = Setting(macro.name, macro.value, macro.origin) if macro is not None else config.setting(name)
        if found is None:
            continue
        kind = _kind(found)
        if kind in chosen.kinds:
            yield found, _COMMENTS[kind] if kind in chosen.comments else ""


def _text(config: Config, chosen: _Filter) -> str:
    order = {source: index for index, source in enumerate((DETECTED.source, DEFAULT.source, *config.files))}

    def place(item: tuple[Setting, str]) -> tuple[int, int, int]:
        origin: Origin = item[0].origin
        return order.get(origin.source, len(order)), origin.line, origin.offset

    items = list(_chosen(config, chosen))
    lines: list[str] = []
    last = ""
    for found, comment in items if chosen.sort else sorted(items, key=place):
        if not chosen.sort and found.origin.source != last:
            last = found.origin.source
            lines += ["", "#", f"# from {last}", "#"]
        lines.append(comment + assignment(found.name, found.raw, "#   " if comment else "   "))
        if chosen.source:
            lines.append(f" # at: {location(found.origin)}")
    return "".join(f"{line}\n" for line in lines)
