"""-summary and -writeconfig: the settings as a configuration file, source by source."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.config_val.show import assignment
from condor_py.lang.config.params import PARAMS
from condor_py.lang.config.settings import Config, Setting
from condor_py.lang.config.summary import kind_of, rank, settings
from condor_py.model.copies import changed
from condor_py.model.version import CONDOR_VERSION

if TYPE_CHECKING:
    from condor_py.cli.options import Args

_COMMENTS = {"default": "#def#", "detected": "#detected#", "environment": "#env#", "same": "#"}
#: Word of -writeconfig:WORDS -> the kind of settings, and the shortest prefix that means it.
_KINDS = {"default": ("default", 3), "matches_default": ("same", 5), "detected": ("detected", 3)}
_KINDS["environment"] = ("environment", 3)


class _Filter(NamedTuple):
    """The selection to write: kinds of settings, those of them written as comments, and the form."""

    kinds: frozenset[str]
    comments: frozenset[str]
    source: bool = False
    sort: bool = False


def write(args: Args, config: Config) -> int:
    """Write as the command line asks; 0, or 2 when the file cannot be written."""
    summary = args.last("summary")
    if summary is not None:
        detected = any(len(word) >= 3 and "detected".startswith(word) for word in _words(summary.colon or ""))
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
    except OSError:
        sys.stderr.write(f"Failed to create configuration file {target}.\n")
        return 2
    return 0


def _words(options: str) -> list[str]:
    return options.replace(":", ",").split(",")


def _filter(options: str | None) -> _Filter:
    """The words of ``-writeconfig:WORD,WORD``; without any: what is set, and what repeats defaults as comments."""
    if options is None:
        return _Filter(frozenset({"file", "environment", "same"}), frozenset({"same"}))
    kinds: set[str] = set()
    comments: set[str] = set()
    words = _words(options)
    comment = only = False
    for word in words:
        comment = comment or (len(word) >= 3 and "comment".startswith(word))
        only = word == "only" or (only and word != "file")
        for name, (kind, least) in _KINDS.items():
            if len(word) >= least and name.startswith(word):
                kinds.add(kind)
                if comment:
                    comments.add(kind)
    if not only:
        kinds |= {"file", "environment"}
    elif not kinds and not any(len(word) >= 3 and "duplicate".startswith(word) for word in words):
        kinds.add("file")
    if "default" in kinds and "detected" not in kinds:
        kinds.add("detected")
        comments |= {"detected:default"} if "default" in comments else set()
    forms = {form: any(len(word) >= 3 and form.startswith(word) for word in words) for form in ("source", "sort")}
    return _Filter(frozenset(kinds), frozenset(comments), **forms)


def _chosen(config: Config, chosen: _Filter) -> Iterator[tuple[Setting, str]]:
    """The settings that the filter lets pass, by name, with what stands before each."""
    for found in settings(config):
        kind = str(kind_of(found))
        if kind == "file" and not found.raw and _default_is_empty(found.name):
            kind = "same"
        if kind not in chosen.kinds:
            continue
        if kind == "detected" and "detected:default" in chosen.comments:
            yield found, _COMMENTS["default"]
        else:
            yield found, _COMMENTS[kind] if kind in chosen.comments else ""


def _default_is_empty(name: str) -> bool:
    param = PARAMS.get(name.lower())
    return param is not None and not param[1]


def _text(config: Config, chosen: _Filter) -> str:
    order = rank(config)
    items = list(_chosen(config, chosen))
    if not chosen.sort:
        # Settings of one line (those of a template) stay in the order of their names, as in HTCondor.
        items.sort(key=lambda item: (order.get(item[0].origin.source, len(order)), item[0].origin.line))
    lines: list[str] = []
    last = ""
    for found, comment in items:
        source = found.origin.source
        if not chosen.sort and source != last:
            last = source
            lines += ["", "#", f"# from {source}", "#"]
        lines.append(comment + assignment(found.name, found.raw, "#   " if comment else "   "))
        if chosen.source:
            place = changed(found, origin=changed(found.origin, template="")).place
            lines.append(f" # at: {place}" if chosen.sort else place)
    return "".join(f"{line}\n" for line in lines)
