"""Rules in the syntax before the transform language: one ClassAd of ``copy_``, ``delete_``, ``set_``, ``eval_set_``.

::

    [ Name = "n"; Requirements = expr; copy_A = "B"; delete_C = true; set_D = expr; eval_set_E = expr; F = value ]

They run in that order, whatever the order in the text; every other attribute becomes a macro, which ``eval_set_``
expressions may name as if it were an attribute of the ad (manual: "Job Router", routing table before 8.9.7).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from condor_py.lang.classad import ClassAd, ClassAdParseError
from condor_py.lang.macro.expand import Expander
from condor_py.lang.macro.lines import LineReader
from condor_py.lang.submit.items import ItemSources, MatchOptions, load, read_inline, split_item
from condor_py.lang.submit.queue_args import QueueArgs, QueueError, parse_queue
from condor_py.lang.submit.text import evaluate, references, unquote
from condor_py.lang.submit.transform import Transform, TransformError, read_rules

_KINDS = ("copy_", "delete_", "set_", "eval_set_")


def is_old(text: str) -> bool:
    """Whether rules are written as a ClassAd."""
    return text.lstrip().startswith("[")


def read_old_rules(text: str, name: str) -> Transform:
    """The rules of an old-style ad (macros of the configuration expanded). TransformError when it does not parse."""
    try:
        ad = ClassAd(text.strip())
    except ClassAdParseError as error:
        raise TransformError(f"Could not parse transform classad {name}: {error}") from None
    return read_rules("\n".join(_statements(ad, name)), name)


def _statements(ad: ClassAd, name: str) -> list[str]:
    kinds: dict[str, dict[str, str]] = {kind: {} for kind in _KINDS}
    macros: dict[str, str] = {}
    lines: list[str] = []
    for attribute, text in ad.text_items("sorted"):
        lowered = attribute.lower()
        kind = next((kind for kind in _KINDS if lowered.startswith(kind)), "")
        if kind:
            kinds[kind][attribute[len(kind) :]] = text
        elif lowered == "name":
            lines.append(f"NAME {unquote(text) or name}")
        elif lowered == "requirements":
            lines.append(f"REQUIREMENTS {_without_target(text)}")
        elif lowered == "targetuniverse":
            lines.append(f"UNIVERSE {text}")
        else:
            macros[attribute] = text
    lines += [f"{attribute} = {unquote(text) or text}" for attribute, text in macros.items()]
    lines += [f"COPY {attribute} {unquote(text) or text}" for attribute, text in kinds["copy_"].items()]
    lines += [f"DELETE {attribute}" for attribute in kinds["delete_"]]
    lines += [f"SET {attribute} {text}" for attribute, text in kinds["set_"].items()]
    wanted = frozenset().union(*(references(text) for text in kinds["eval_set_"].values()))
    borrowed = [attribute for attribute in macros if attribute.lower() in wanted and attribute not in kinds["set_"]]
    lines += [f"SET {attribute} {macros[attribute]}" for attribute in borrowed]
    lines += [f"EVALSET {attribute} {text}" for attribute, text in kinds["eval_set_"].items()]
    lines += [f"DELETE {attribute}" for attribute in borrowed]
    return lines


def _without_target(text: str) -> str:
    """Old Requirements see the job as TARGET; rules see it as the ad itself."""
    return re.sub(r'("(?:[^"\\]|\\.)*")|\bTARGET\.', lambda match: match[1] or "", text, flags=re.IGNORECASE)


class Iteration:
    """The rows of a TRANSFORM statement; ``variables`` gives those of each ad to be made."""

    def __init__(self, transform: Transform, expander: Expander, sources: ItemSources) -> None:
        """Read the statement and its items. TransformError when it cannot be understood."""
        try:
            args = parse_queue(expander.expand(transform.iterate), evaluate)
            if args.source == "<":
                read_inline(args, LineReader(transform.rest, transform.source))
            load(args, sources, MatchOptions())
        except QueueError as error:
            raise TransformError(f"{transform.source}: invalid TRANSFORM statement: {error}") from None
        self.args: QueueArgs = args

    def variables(self) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
        """For each ad the variables of its item and its counters (lower-case names).

        Nothing at all for a list without items: then the ad is transformed once, without variables.
        """
        args = self.args
        rows = range(len(args.items)) if args.mode else range(1)  # slices are ignored, as in HTCondor
        number = 0
        for row, index in enumerate(rows):
            counters = {"row": str(row), "itemindex": str(row), "iterating": "1"}
            items: dict[str, str] = {}
            if args.mode:
                names = [name.lower() for name in args.variables]
                items.update(zip(names, split_item(args.items[index], len(names), args.table), strict=False))
            for step in range(max(args.count, 1)):
                counters.update(step=str(step), xformid=str(number))
                number += 1
                yield dict(items), dict(counters)
