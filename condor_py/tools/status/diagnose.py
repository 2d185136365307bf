"""condor_status -diagnose: what a command line means, without a look at any ad."""

from __future__ import annotations

from collections.abc import Sequence

from condor_py.tools.options import Args
from condor_py.tools.status.displays import Display
from condor_py.tools.status.modes import Chosen, Style
from condor_py.tools.status.select import constraints, sort_expressions


def diagnosis(args: Args, chosen: Chosen, display: Display, argv: Sequence[str]) -> str:
    """The text. CondorError for what does not parse."""
    mode = chosen.mode
    sorting = sort_expressions(args) or ([] if args.has("sort") else ["Machine", "Name"])
    wanted = [str(constraint) for constraint in constraints(args, chosen, display.where, args.positional)]
    lines = [
        f"diagnose: condor_status {' '.join(argv)}",
        "----------",
        f"Mode: {chosen.name}",
        f"Query type: {mode.kind or mode.name if mode is not None else ''}",
        f"PrettyPrint: {chosen.style.name.capitalize()}{' (compact)' if chosen.compact else ''}",
        f"Sort: {' '.join(f'[ {text} ]' for text in sorting)}".rstrip(),
        "",
        *_columns(chosen, display),
        "Requirements:",
        *(f"  {text}" for text in wanted or ["true"]),
    ]
    return "\n".join(lines) + "\n"


def _columns(chosen: Chosen, display: Display) -> list[str]:
    if chosen.style in (Style.CUSTOM, Style.LONG):
        return []
    lines = ["PrintMask:"]
    for column in display.columns():
        lines.append(f"  HEAD: '{column.heading}'  ATTR: '{column.source}'  WIDTH: {column.width or 'auto'}")
    return [*lines, ""]
