"""How condor_dag_checker shows what it found."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from condor_py.lang.dag.check.checker import Checked
from condor_py.lang.dag.commands import ParseError

_Value = int | str | bool | list[int]


def _by_length(item: tuple[str, object]) -> tuple[int, str]:
    """HTCondor's order of attributes in JSON."""
    return len(item[0]), item[0].lower()


def as_text(found: Sequence[Checked]) -> str:
    """The errors, a line each; nothing for a file without any."""
    out = []
    for one in found:
        lines = [str(error) for error in one.errors]
        if one.figures.cycle:
            lines.append(f"{one.file}:0 Cycle detected: {one.figures.cycle}")
        if lines:
            out.append(f"Detected {len(lines)} issue{'s' if len(lines) > 1 else ''} in {one.file}:\n")
            out += [f"\t* {line}\n" for line in lines]
            out.append("\n")
    return "".join(out)


def as_statistics(found: Sequence[Checked]) -> str:
    """The figures, a line each."""
    out = []
    for one in found:
        values = one.figures.values
        lines = [f"{name} = {_shown(values[name])}\n" for name in sorted(values, key=str.lower)]
        out.append(f"=== {one.file} statistics ===\n{''.join(lines)}\n")
    return "".join(out)


def _shown(value: _Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"{{ {','.join(map(str, value))} }}"
    return str(value) if isinstance(value, int) else json.dumps(value, ensure_ascii=False)


def as_json(found: Sequence[Checked]) -> str:
    """A list of one object a file: its errors and figures."""
    shown = []
    for one in found:
        values: dict[str, object] = {"DagFile": one.file, **one.figures.values}
        if one.errors:
            values |= {"NumErrors": len(one.errors), "Errors": [_error(error) for error in one.errors]}
        ordered = dict(sorted(values.items(), key=_by_length))
        shown.append(json.dumps(ordered, indent=2, ensure_ascii=False))
    return "[\n" + ",\n".join(shown) + "\n]\n"


def _error(error: ParseError) -> dict[str, object]:
    values: dict[str, object] = {
        "Reason": error.reason,
        "SourceFile": error.place.source,
        "SourceLine": error.place.line,
    }
    if error.command is not None:
        values["DagCommand"] = error.command.name
    return dict(sorted(values.items(), key=_by_length))


SHOW: dict[str, Callable[[Sequence[Checked]], str]] = {"": as_text, "Statistics": as_statistics, "JSON": as_json}
