"""The table of what condor_py is to reach: ``python tests/bench/table.py [options] [GROUP ...]``.

Prints ``work | ours | peer or limit | ratio | goal``. A group is a module of ``rows``, whose ``rows(quick)`` yields a
``Row`` a line; each runs in a process of its own. Figures are medians over the rounds. With ``-against`` (the root of
another checkout) rounds alternate, that one and ours, and its figures stand beside: compare nothing else, as machines
differ from minute to minute.

    -quick          small sizes, one round: whether everything runs, not how fast
    -rounds N       rounds (1; for figures that are told to others 7)
    -against ROOT   another checkout of condor_py, measured in turns with ours
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
#: In the order of the table; what takes long comes last.
GROUPS = ("dispatch", "tools", "queue", "bulk", "memory", "submit", "restart", "negotiation", "kernels", "idle", "web")
#: Units of which more is better; of all others less.
_MORE = ("/s", "x")
_WIDTH = 66


@dataclass(frozen=True)
class Row:
    """One line: what was done, our figure and its unit, what stands beside (a peer, a limit of the machine), and the
    goal in the same unit. ``x`` is "times as fast as", ``copies`` a memory copy of the same data. ``missing`` is why
    there is no figure of a peer."""

    work: str
    ours: float
    unit: str
    goal: float | None = None
    beside: float | None = None
    what: str = ""
    missing: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times as good as what stands beside."""
        if not self.beside or not self.ours:
            return None
        return self.ours / self.beside if self.unit in _MORE else self.beside / self.ours

    @property
    def reached(self) -> bool:
        """Whether the goal is."""
        return self.goal is None or (self.ours >= self.goal if self.unit in _MORE else self.ours <= self.goal)


def measure(group: str, root: Path, quick: bool) -> list[Row]:
    """The rows of a group for the condor_py at ``root``, in a fresh process; none, with a word, when that fails."""
    path = os.pathsep.join(map(str, (root, root / "tests" / "e2e", root / "tests" / "unit" / "negotiator", HERE)))
    environment = {**os.environ, "PYTHONPATH": path, "BENCH_ROOT": str(root)}
    words = [sys.executable, str(HERE / "table.py"), "-rows", group, *(["-quick"] if quick else [])]
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(f"{group}: failed with exit code {done.returncode} at {root}", file=sys.stderr)
    return [Row(**json.loads(line)) for line in done.stdout.splitlines()]


def _own_rows(group: str, quick: bool) -> None:
    """In the process of a group: a line of JSON a row."""
    from importlib import import_module

    # Before the benchmarks, which put their own checkout first: what is measured is the one of PYTHONPATH.
    package = Path(str(import_module("condor_py").__file__)).resolve()
    assert package.parents[1] == Path(os.environ["BENCH_ROOT"]).resolve(), package
    for row in import_module(f"rows.{group}").rows(quick):
        print(json.dumps(asdict(row)), flush=True)


def middle(rounds: Sequence[Sequence[Row]]) -> list[Row]:
    """One row for each work, with the medians of all rounds."""
    found: dict[str, list[Row]] = {}
    for rows in rounds:
        for row in rows:
            found.setdefault(row.work, []).append(row)
    result = []
    for work, same in found.items():
        beside = [row.beside for row in same if row.beside is not None]
        ours = statistics.median(row.ours for row in same)
        first = same[0]
        other = statistics.median(beside) if beside else None
        result.append(Row(work, ours, first.unit, first.goal, other, first.what, first.missing))
    return result


def figure(value: float | None, unit: str) -> str:
    """Three digits that count, and the unit."""
    if value is None:
        return "-"
    text = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{text}{unit}" if unit in _MORE else f"{text} {unit}".rstrip()


def line(row: Row, before: Row | None = None) -> str:
    """One line of the table."""
    beside = row.missing or "-" if row.beside is None else f"{row.what} {figure(row.beside, row.unit)}"
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
    goal = "-" if row.goal is None else f"{figure(row.goal, row.unit)}{'' if row.reached else '  not reached'}"
    old = "" if before is None else f" {figure(before.ours, before.unit):>12} |"
    return f"{row.work:<{_WIDTH}} |{old} {figure(row.ours, row.unit):>12} | {beside:<34} | {ratio:>6} | {goal}"


def main(words: list[str]) -> int:
    """Prints the table."""
    quick, rounds, against, groups = False, 1, None, []
    while words:
        word = words.pop(0)
        if word == "-rows":
            _own_rows(words.pop(0), "-quick" in words)
            return 0
        if word == "-quick":
            quick = True
        elif word in ("-rounds", "-against") and words:
            value = words.pop(0)
            rounds, against = (int(value), against) if word == "-rounds" else (rounds, Path(value).resolve())
        elif word in GROUPS:
            groups.append(word)
        else:
            print(f"{word}: no such group or option; groups: {' '.join(GROUPS)}\n\n{__doc__}", file=sys.stderr)
            return 2
    _table(tuple(groups) or GROUPS, quick, rounds, against)
    return 0


def _table(groups: Sequence[str], quick: bool, rounds: int, against: Path | None) -> None:
    begin = time.monotonic()
    before = f" {'before':>12} |" if against else ""
    print(f"{'work':<{_WIDTH}} |{before} {'ours':>12} | {'peer or limit':<34} | {'ratio':>6} | goal")
    for group in groups:
        theirs: list[list[Row]] = []
        ours: list[list[Row]] = []
        for _ in range(rounds):
            if against:
                theirs.append(measure(group, against, quick))
            ours.append(measure(group, ROOT, quick))
        old = {row.work: row for row in middle(theirs)}
        for row in middle(ours):
            print(line(row, old.get(row.work, row) if against else None), flush=True)
    print(f"\nAll of it took {(time.monotonic() - begin) / 60:.1f} minutes.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
