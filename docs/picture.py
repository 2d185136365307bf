"""Draws two pictures: docs/architecture.svg, packages and processes, from the imports in the code, and docs/life.svg,
the daemons and the states of a job, for README.

python docs/picture.py             writes both
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "condor_py"
PICTURE = ROOT / "docs" / "architecture.svg"
LIFE = ROOT / "docs" / "life.svg"

#: The layers from top to bottom, and the packages in them from left to right.
LAYERS = (
    ("commands", ("cli",)),
    ("processes", ("daemons",)),
    ("for programs and forecasts", ("bindings", "simulate")),
    ("the way to a pool", ("client",)),
    ("side effects", ("store", "machine")),
    ("decisions: pure", ("core",)),
    ("languages: pure", ("lang",)),
    ("types, settings, messages", ("model",)),
)
#: Processes: name, what it does, column, row, and the number of the one that starts it.
PROCESSES = (
    ("condor_master", "starts and watches the daemons", 0, 1, None),
    ("condor_schedd", "owns the jobs", 1, 0, 0),
    ("condor_negotiator", "owns the priorities", 1, 1, 0),
    ("condor_startd", "owns the slots", 1, 2, 0),
    ("condor_starter", "for a local job", 2, 0, 1),
    ("condor_starter", "one for each claim", 2, 2, 3),
    ("the job", "as its owner", 3, 0, 4),
    ("the job", "as its owner", 3, 2, 5),
)
_WIDTH, _ROW, _HIGH, _WIDE = 1040, 76, 40, 118
_TOP = 40
#: The head of an arrow.
_MARKER = (
    '<marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="9" markerHeight="9" orient="auto">'
    '<path d="M0,0 L8,4 L0,8 z" fill="#567"/></marker>'
)


@cache
def imports() -> dict[str, set[str]]:
    """Package -> the packages that its modules import."""
    found: dict[str, set[str]] = {name: set() for _, names in LAYERS for name in names}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).parts
        if len(parts) > 1 and parts[0] in found:
            found[parts[0]] |= _packages(path) & set(found) - {parts[0]}
    return found


def shown(found: dict[str, set[str]]) -> dict[str, set[str]]:
    """The imports without those that follow from others: client reaches all that it imports."""
    order = {name: (row, column) for row, (_, names) in enumerate(LAYERS) for column, name in enumerate(names)}
    reached: dict[str, set[str]] = {}
    for name in sorted(order, key=order.__getitem__, reverse=True):
        later = {target for target in found[name] if order[target] > order[name]}
        reached[name] = later.union(*(reached[target] for target in later))
    return {
        name: {
            target
            for target in targets
            if not any(target in reached[other] for other in targets if order[other] > order[name])
        }
        for name, targets in found.items()
    }


def _packages(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            if node.module == "condor_py":
                names.update(f"condor_py.{alias.name}" for alias in node.names)
    return {name.split(".")[1] for name in names if name.startswith("condor_py.")}


def picture() -> str:
    """The picture as SVG."""
    found = shown(imports())
    places = _places()
    height = _TOP + _ROW * len(LAYERS) + 250
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" '
        'font-size="14">',
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
        _MARKER,
        '<text x="16" y="24" font-size="16" font-weight="bold">Packages: who imports whom</text>',
        '<text x="320" y="24" fill="#555">(what follows from other lines is left out)</text>',
    ]
    lines += [line for name, targets in found.items() for line in _arrows(name, targets, places)]
    for number, (title, names) in enumerate(LAYERS):
        lines.append(f'<text x="16" y="{_TOP + number * _ROW + 28}" fill="#555">{title}</text>')
        lines += [_box(name, *places[name]) for name in names]
    lines += _processes(_TOP + _ROW * len(LAYERS) + 10)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _places() -> dict[str, tuple[int, int]]:
    """Package -> left upper corner of its box."""
    found = {}
    for row, (_, names) in enumerate(LAYERS):
        room = (_WIDTH - 220) / len(names)
        for column, name in enumerate(names):
            found[name] = (round(200 + room * (column + 0.5) - _WIDE / 2), _TOP + row * _ROW)
    return found


def _box(name: str, x: int, y: int) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{_WIDE}" height="{_HIGH}" rx="6" fill="#eef3fa" stroke="#345"/>'
        f'<text x="{x + _WIDE // 2}" y="{y + 27}" text-anchor="middle">{name}</text>'
    )


def _arrows(name: str, targets: set[str], places: dict[str, tuple[int, int]]) -> list[str]:
    """A line to each package that ``name`` imports; one that shows its names when the pointer is on it."""
    x, y = places[name]
    begin = f"{x + _WIDE // 2},{y + _HIGH}"
    lines = []
    for target in sorted(targets):
        to_x, to_y = places[target]
        end = f"{to_x + _WIDE // 2},{to_y}"
        if to_y <= y:
            side = to_x + (_WIDE // 6 if to_x > x else _WIDE * 5 // 6)
            end = f"{(x + to_x + _WIDE) // 2},{y + _HIGH + 26} {side},{to_y + _HIGH}"
        lines.append(_line(f"{begin} {end}", f"<title>{name} imports {target}</title>"))
    return lines


def _line(points: str, tip: str = "") -> str:
    return f'<polyline points="{points}" fill="none" stroke="#89a" marker-end="url(#end)">{tip}</polyline>'


def _processes(top: int) -> list[str]:
    """The tree of processes, from left to right."""
    lines = [f'<text x="16" y="{top + 16}" font-size="16" font-weight="bold">Processes: who starts whom</text>']
    for name, what, column, row, parent in PROCESSES:
        x, y = 16 + column * 262, top + 36 + row * 62
        if parent is not None:
            _, _, from_column, from_row, _ = PROCESSES[parent]
            lines.append(_line(f"{16 + from_column * 262 + 215},{top + 60 + from_row * 62} {x},{y + 24}"))
        lines.append(
            f'<rect x="{x}" y="{y}" width="215" height="48" rx="6" fill="#f7f3e8" stroke="#543"/>'
            f'<text x="{x + 107}" y="{y + 20}" text-anchor="middle">{name}</text>'
            f'<text x="{x + 107}" y="{y + 38}" text-anchor="middle" font-size="12" fill="#555">{what}</text>'
        )
    return lines


#: Boxes of the picture of a job's life: x, y, width, two lines, and the kind.
_LIFE = {
    "you": (6, 96, 142, "you", "type commands", "user"),
    "schedd": (226, 96, 178, "condor_schedd", "owns the jobs", "daemon"),
    "negotiator": (226, 196, 178, "condor_negotiator", "decides whose turn it is", "daemon"),
    "startd": (464, 96, 178, "condor_startd", "cuts the machine into slots", "daemon"),
    "starter": (464, 196, 178, "condor_starter", "one for each slot in use", "daemon"),
    "job": (702, 196, 150, "the job", "as its owner, with limits", "user"),
    "disk": (6, 196, 142, "disk", "queue, logs, history", "disk"),
    "idle": (226, 330, 118, "I  idle", "waits for a slot", "state"),
    "running": (436, 330, 118, "R  running", "has a slot", "state"),
    "completed": (646, 330, 150, "C  completed", "leaves for the history", "state"),
    "held": (330, 420, 118, "H  held", "waits for you", "state"),
    "removed": (646, 420, 150, "X  removed", "by condor_rm", "state"),
}
_FILLS = {
    "user": ("#f7f3e8", "#543"), "daemon": ("#eef3fa", "#345"), "disk": ("#f1f1f1", "#555"),
    "state": ("#eaf6ec", "#253"),
}  # fmt: skip
#: Arrows: points, text, and where the text is.
_STEPS = (
    ("148,112 226,112", "1 submit", (180, 104)),
    ("330,144 330,196", "2 who is next?", (376, 174)),
    ("404,112 464,112", "3 claim", (434, 104)),
    ("553,144 553,196", "4 start", (576, 174)),
    ("642,220 702,220", "5 run", (682, 212)),
    ("464,132 404,132", "6 ended", (434, 150)),
    ("226,132 148,132", "7 output", (180, 150)),
    ("250,144 148,210", "before each step", (274, 178)),
    ("344,346 436,346", "matched", (390, 338)),
    ("436,366 344,366", "evicted", (390, 382)),
    ("554,354 646,354", "ended", (600, 346)),
    ("470,378 430,420", "fails, or condor_hold", (528, 404)),
    ("350,420 305,378", "condor_release", (276, 404)),
    ("448,444 646,444", "condor_rm, from any state", (547, 436)),
)


def life() -> str:
    """The daemons, and the life of a job, as SVG."""
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 872 486" font-family="sans-serif" font-size="14">',
        '<rect width="872" height="486" fill="white"/>',
        _MARKER,
        '<text x="16" y="24" font-size="16" font-weight="bold">What happens to a job</text>',
        '<rect x="210" y="40" width="446" height="222" rx="8" fill="none" stroke="#345" stroke-dasharray="5 4"/>',
        '<text x="226" y="62" font-weight="bold">condor_master</text>',
        '<text x="352" y="62" font-size="12" fill="#555">starts and watches the daemons</text>',
        '<text x="16" y="300" font-size="16" font-weight="bold">Its states, as condor_q shows them</text>',
    ]
    for x, y, wide, name, what, kind in _LIFE.values():
        fill, stroke = _FILLS[kind]
        lines.append(
            f'<rect x="{x}" y="{y}" width="{wide}" height="48" rx="6" fill="{fill}" stroke="{stroke}"/>'
            f'<text x="{x + wide // 2}" y="{y + 20}" text-anchor="middle">{name}</text>'
            f'<text x="{x + wide // 2}" y="{y + 38}" text-anchor="middle" font-size="11" fill="#555">{what}</text>'
        )
    for points, text, (x, y) in _STEPS:
        lines.append(_line(points))
        lines.append(f'<text x="{x}" y="{y}" text-anchor="middle" font-size="12" fill="#234">{text}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    LIFE.write_text(life(), encoding="utf-8")
