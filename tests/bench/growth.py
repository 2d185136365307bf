"""How cost grows with the queue: ``python tests/bench/growth.py [options]``.

For each number of jobs, a pool of its own gets so many that wait. Measured are ``condor_submit``, memory of the schedd,
``condor_q`` of one line a job and of totals, ``condor_submit`` to end of 500 other jobs of /bin/true among them, the
start of a schedd with them, and ``condor_rm`` until all have left. It takes about a minute for all up to 100,000, and
ten for 1,000,000.

    -sizes A,B,...   numbers of jobs (1000,10000,100000,1000000)
    -json FILE       where the figures go (growth.json), a list of objects; written after each size
    -svg FILE        where the picture goes (growth.svg)
    -draw            draw the figures of the file again, and measure nothing
    -help            this
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
os.environ.setdefault("BENCH_ROOT", str(ROOT))
sys.path[:0] = [str(place) for place in (ROOT, ROOT / "tests" / "e2e", HERE) if str(place) not in sys.path]

from table import Options, positive

from condor_py.cli.plots import scale
from condor_py.cli.plots.svg import COLOURS, document, escaped

#: Jobs of /bin/true that run among those that wait.
_AMONG = 500
#: Names of figures, and what they are called in the picture, for each of its charts.
CHARTS = (
    (
        "seconds",
        {
            "submit": "condor_submit",
            "rm": "condor_rm until all have left",
            "start": "start of the schedd",
            "q": "condor_q -nobatch",
            "totals": "condor_q -totals",
        },
    ),
    ("milliseconds a job of /bin/true among them", {"dispatch": "from submit to end, 8 slots"}),
    ("MB", {"memory": "memory of the schedd"}),
)
_WIDTH, _LEFT, _RIGHT, _TOP, _HEIGHT = 720, 64, 14, 12, 220


class Line(NamedTuple):
    """A name and its points, number of jobs and figure."""

    name: str
    points: Sequence[tuple[float, float]]


def measure(jobs: int) -> dict[str, float]:
    """Return the figures of a queue of so many jobs."""
    from rows.common import lines_in, memory_mb, pool_of, seconds, submit, tool, wait_for
    from rows.dispatch import burst
    from rows.restart import alone

    with pool_of(CLAIM_WORKLIFE="-1") as pool:
        burst(pool, 100, "warm.log")
        found = {"jobs": float(jobs), "submit": submit(pool, jobs, 1, "requirements = false")}
        wait_for(lambda: lines_in(pool.work / "many.log", b"000 (") >= jobs, "the schedd has seen them", 900)
        os.sync()  # or each sync of the schedd's waits for what these have left to be written
        found["memory"] = memory_mb(pool.pid("schedd"))
        found["q"] = seconds(tool(pool, "condor_q", "-nobatch"))
        found["totals"] = seconds(tool(pool, "condor_q", "-totals"))
        found["dispatch"] = burst(pool, _AMONG, "among.log") * 1000 / _AMONG
        begin = time.monotonic()
        tool(pool, "condor_rm", "-all")()
        wait_for(lambda: lines_in(pool.work / "many.log", b"009 (") >= jobs, "they have left", 900)
        found["rm"] = time.monotonic() - begin
    with pool_of() as pool:
        submit(pool, jobs, 1, "requirements = false")
        wait_for(lambda: lines_in(pool.work / "many.log", b"000 (") >= jobs, "the schedd has seen them", 900)
        found["start"] = alone(pool)
    return found


def place(value: float, low: float, high: float, begin: float, end: float) -> float:
    """Return where a value is on a logarithmic axis, of which ``low`` is at ``begin`` and ``high`` at ``end``."""
    return begin + (end - begin) * math.log(value / low) / math.log(high / low)


def decades(values: Sequence[float]) -> list[float]:
    """Return the powers of ten around all values."""
    low = math.floor(math.log10(min(values)) + 1e-9)
    high = max(low + 1, math.ceil(math.log10(max(values)) - 1e-9))
    return [10.0**power for power in range(low, high + 1)]


def chart(unit: str, lines: Sequence[Line]) -> str:
    """Return an ``<svg>`` element: figures against jobs, both axes logarithmic, and the figures of each line below."""
    across = decades([x for line in lines for x, _ in line.points])
    up = decades([y for line in lines for _, y in line.points])
    right, bottom, body = _WIDTH - _RIGHT, _TOP + _HEIGHT, []
    for mark in up:
        y = place(mark, up[0], up[-1], bottom, _TOP)
        body.append(f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        body.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{scale.number(mark)}</text>')
    for mark in across:
        x = place(mark, across[0], across[-1], _LEFT, right)
        anchor = "end" if mark == across[-1] else "middle"
        body.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom}"/>')
        body.append(f'<text x="{x:.1f}" y="{bottom + 17}" text-anchor="{anchor}">{scale.number(mark)}</text>')
    body.append(f'<text x="{_LEFT}" y="{bottom + 34}">jobs in the queue</text>')
    for index, line in enumerate(lines):
        body += _drawn(line, index, across, up)
        y = bottom + 54 + 18 * index
        body.append(f'<rect class="k{index % COLOURS}" x="{_LEFT}" y="{y - 9}" width="10" height="10"/>')
        words = f"{line.name}: {', '.join(scale.number(value) for _, value in line.points)}"
        body.append(f'<text x="{_LEFT + 15}" y="{y}">{escaped(words)}</text>')
    body.append(f'<path class="axis" d="M{_LEFT},{_TOP}V{bottom}H{right}"/>')
    height = bottom + 54 + 18 * len(lines)
    return (
        f'<svg class="plot" role="img" viewBox="0 0 {_WIDTH} {height}" aria-label="{escaped(unit)}">'
        f"{''.join(body)}</svg>"
    )


def _drawn(line: Line, index: int, across: Sequence[float], up: Sequence[float]) -> list[str]:
    """The line and its points."""
    colour, bottom = index % COLOURS, _TOP + _HEIGHT
    dots = [
        (place(x, across[0], across[-1], _LEFT, _WIDTH - _RIGHT), place(y, up[0], up[-1], bottom, _TOP))
        for x, y in line.points
    ]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in dots)
    return [
        f'<polyline class="line k{colour}" points="{points}"><title>{escaped(line.name)}</title></polyline>',
        *(f'<circle class="k{colour}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in dots),
    ]


def picture(figures: Sequence[dict[str, Any]]) -> str:
    """Return the picture of all figures, a file of its own."""
    charts = []
    for unit, names in CHARTS:
        lines = [
            Line(words, [(row["jobs"], max(row[name], 1e-3)) for row in figures if name in row])
            for name, words in names.items()
        ]
        charts.append((unit, chart(unit, [line for line in lines if line.points])))
    return document(charts, "Cost by the number of jobs in the queue")


def main(words: Sequence[str]) -> int:
    """Measure, write the figures and draw them."""
    parser = Options("growth.py")
    parser.add_argument("-sizes", type=_sizes, default=[1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("-json", type=Path, default=Path("growth.json"))
    parser.add_argument("-svg", type=Path, default=Path("growth.svg"))
    parser.add_argument("-draw", action="store_true")
    wish = parser.parse_args(words)
    if wish.help:
        print(__doc__)
        return 0
    figures: list[dict[str, Any]] = []
    if wish.draw:
        try:
            figures = json.loads(wish.json.read_text())
        except (OSError, ValueError) as error:
            parser.error(f"no figures in {wish.json}: {error}")
    for jobs in () if wish.draw else wish.sizes:
        figures.append({name: round(value, 4) for name, value in measure(jobs).items()})
        print(json.dumps(figures[-1]), flush=True)
        wish.json.write_text(json.dumps(figures, indent=1) + "\n")
    wish.svg.write_text(picture(figures))
    return 0


def _sizes(word: str) -> list[int]:
    return [positive(part) for part in word.split(",")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
