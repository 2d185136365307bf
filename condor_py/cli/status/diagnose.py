"""condor_status -diagnose: what a command line means, without reading any ad.

Standard output has what HTCondor prints there: the constraints as they are made. Standard error has what is asked and
shown, in HTCondor's order and in our words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from condor_py.cli.options import Args, Use
from condor_py.cli.status.displays import AVAILABLE, CLAIMED_COMPACT, COMPACT, DISPLAYS, Display
from condor_py.cli.status.modes import Chosen, Style
from condor_py.cli.status.select import annex, capabilities, constraints, sort_expressions

_LINE = "----------\n"
#: How wide and how a column of -af is shown: a heading makes it as wide as that, a label takes what it needs.
_WITH_HEADING, _WITH_LABEL, _PLAIN, _JOB_ID = 0xC, 0x0, 0x4, 0x14
_OF_MODE = {"avail": AVAILABLE, "claimed": 'State == "Claimed"', "cod": "NumCODClaims"}
_GPUS_COMPACT = (
    "AvailableGPUs isnt undefined && (size(AvailableGPUs) > 0 || (PartitionableSlot && AssignedGPUs isnt undefined))"
)
_STARTD_GPUS = "TotalGPUs > 0 || size(DetectedGPUs) > 0"


class Diagnosis(NamedTuple):
    """The texts for standard output and standard error."""

    out: str
    err: str


def diagnosis(args: Args, chosen: Chosen, display: Display, argv: Sequence[str]) -> Diagnosis:
    """Return what ``-diagnose`` shows of the command line. CondorError for what does not parse."""
    wanted = [str(constraint) for constraint in constraints(args, chosen, display.where, args.positional)]
    made = "".join([*_of_mode(args, chosen), _LINE, *_of_words(args, chosen), "Result of making query ad was:  0\n"])
    return Diagnosis(made, _asked(args, chosen, display, argv, wanted))


def _of_mode(args: Args, chosen: Chosen) -> Iterator[str]:
    """The constraints of options that choose what is shown."""
    if chosen.mode is not None and chosen.mode.my_type:
        yield f"Setting generic ad type to {chosen.mode.my_type}\n"
    if chosen.name in _OF_MODE and not chosen.compact:
        yield f"Adding OR constraint [{_OF_MODE[chosen.name]}]\n"
    yield from (f"Adding constraint [{text}]\n" for text in capabilities(args))
    if chosen.compact and not (args.has("java") or args.has("vm")):
        shown = {"avail": AVAILABLE, "claimed": CLAIMED_COMPACT, "gpus": _GPUS_COMPACT}
        yield f"Adding constraint [{shown.get(chosen.name, COMPACT)}]\n"
    elif chosen.mode is not None and chosen.style is Style.CUSTOM:
        where = _STARTD_GPUS if chosen.name == "startd-gpus" else DISPLAYS[chosen.mode.style].where
        yield from (f"Adding constraint [{where}]\n" for _ in range(bool(where)))


def _of_words(args: Args, chosen: Chosen) -> Iterator[str]:
    """Yield what each word of the command line adds, in their order."""
    for use in args.uses:
        number, values = use.position + 1, [str(value) for value in use.values]
        if use.name == "":
            what = f'RemoteUser == "{values[0]}"' if chosen.name == "claimed" else _named(values[0])
            yield f"Arg {number} ({values[0]}) --- adding constraint[{what}]\n"
        elif use.name == "format":
            yield f"Arg {number} --- register format [{values[0]}] for [{values[1]}]\n"
        elif use.name == "autoformat":
            yield from _of_columns(use)
        elif use.name == "sort" and values[0] in sort_expressions(args):
            yield f"Adding constraint [{values[0]} =!= UNDEFINED]\n"
        elif use.name == "statistics":
            yield f"[STATISTICS_TO_PUBLISH = {values[0]}]\n"
        elif use.name == "constraint":
            yield f"[{values[0]}]\n"
        elif use.name in ("annex-slots", "annex-name"):
            yield f"[{annex(use)}]\n"


def _named(name: str) -> str:
    return f'Name=="{name}" || Machine=="{name}"'


def _of_columns(use: Use) -> Iterator[str]:
    """The columns of -af."""
    flags = use.colon or ""
    form = "%r" if set(flags) & {"r", "o"} else "%V" if "V" in flags else "%v"
    if "j" in flags:
        yield f"Arg {use.position + 2} --- register format [%v] width=0, opt=0x{_JOB_ID:x} [ClusterId]\n"
    for index, text in enumerate(map(str, use.values)):
        label, width, how = "", 0, _PLAIN
        if "h" in flags:
            width, how = -len(text), _WITH_HEADING
        elif "l" in flags:
            label, how = f"{text} = ", _WITH_LABEL
        shape = f"[{label}{form}] width={width}, opt=0x{how:x}"
        yield f"Arg {use.position + 2 + index} --- register format {shape} [{text}]\n"


def _asked(args: Args, chosen: Chosen, display: Display, argv: Sequence[str], wanted: Sequence[str]) -> str:
    mode = chosen.mode
    sorting = sort_expressions(args) or ([] if args.has("sort") else ["Machine", "Name"])
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
