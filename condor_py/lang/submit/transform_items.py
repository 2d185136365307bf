"""TRANSFORM statements that make several ads of one: the rows of their items."""

from __future__ import annotations

from collections.abc import Iterator

from condor_py.lang.macro.expand import Expander
from condor_py.lang.macro.lines import LineReader
from condor_py.lang.submit.items import ItemSources, MatchOptions, load, read_inline, split_item
from condor_py.lang.submit.queue_args import QueueArgs, QueueError, parse_queue
from condor_py.lang.submit.text import evaluate
from condor_py.lang.submit.transform import Transform, TransformError


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
