"""The table of what condor_py is to reach: ``python tests/bench/table.py [options] [ROW ...]``.

Prints ``work | ours | peer or limit | ratio | goal``, between two lines that say how busy the machine is, and how long
a bare interpreter takes to start there. A row is a module of ``rows``, whose ``rows(quick)`` yields a ``Row`` a line;
each runs in a process of its own. Figures are medians over the rounds. With ``-against`` (the root of another checkout)
rounds alternate, that one and ours, and its figures stand beside: compare nothing else, as machines differ from minute
to minute.

    -quick          small sizes, one round: whether everything runs, not how fast
    -rounds N       rounds (1; for figures that are told to others 7)
    -against ROOT   another checkout of condor_py, measured in turns with ours
    -peers A,B      only these peers of the rows that count CPU in control groups (parts of their names)
    -cache DIR      where the Debian root with the package of HTCondor is kept; made if it is missing (two minutes, a
                    network); without it, HTCondor is left out
    -json           a line of JSON a row
    -list           the names of all rows
    -help           this

A peer that is not installed, and a row that cannot be measured here, say why. Exit code 1 if a row failed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
#: In the order of the table, with what they are about; what takes long comes last.
GROUPS = {
    "dispatch": "short jobs a second, from submit to start, beside loops, GNU parallel and HyperQueue",
    "cpu": "CPU a short job, in control groups, beside all peers",
    "transfer": "the same with 10 kB of input and output by file transfer",
    "sleeps": "200 x sleep 1 on 2 slots, as a share of the ideal, beside all peers",
    "first": "from the start of an empty system to the first job's output, beside all peers",
    "running": "memory of one starter, and of 500 running jobs, beside all peers",
    "rates": "400 and 100,000 x /bin/true, jobs a second",
    "tools": "how long condor_q, condor_status and condor_submit take",
    "queue": "condor_q of 100,000 jobs",
    "bulk": "changes of 100,000 jobs",
    "memory": "memory of the schedd",
    "gone": "memory of the schedd after 100,000 jobs have left",
    "submit": "condor_submit of 100,000 jobs",
    "restart": "the start of a schedd",
    "negotiation": "negotiation cycles, the simulator",
    "kernels": "the priority kernel, ClassAds",
    "idle": "a pool without work",
    "web": "the pages of condor_web",
}
#: Units of which more is better; of all others less.
_MORE = ("/s", "x")
_WIDTH = 72


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


class Skipped(Exception):
    """Why a row cannot be measured here."""


def measure(group: str, root: Path, quick: bool) -> list[Row]:
    """The rows of a group for the condor_py at ``root``, in a fresh process. Skipped where it cannot be measured here,
    RuntimeError when it fails."""
    path = os.pathsep.join(map(str, (root, root / "tests" / "e2e", root / "tests" / "unit" / "negotiator", HERE)))
    environment = {**os.environ, "PYTHONPATH": path, "BENCH_ROOT": str(root)}
    words = [sys.executable, str(HERE / "table.py"), "-rows", group, *(["-quick"] if quick else [])]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            text, _ = process.communicate()
        except BaseException:  # interrupted: it has to tidy up before it ends
            process.terminate()
            raise
    if process.returncode:
        raise RuntimeError(f"failed with exit code {process.returncode} at {root}")
    lines = [json.loads(line) for line in text.splitlines()]
    for found in lines:
        if reason := found.get("skipped"):
            raise Skipped(reason)
    return [Row(**found) for found in lines]


def _own_rows(group: str, quick: bool) -> None:
    """In the process of a group: a line of JSON a row, or one that says why there is none."""
    from importlib import import_module

    from table import Skipped  # this file, as the module of a row knows it

    # Before the benchmarks, which put their own checkout first: what is measured is the one of PYTHONPATH.
    package = Path(str(import_module("condor_py").__file__)).resolve()
    assert package.parents[1] == Path(os.environ["BENCH_ROOT"]).resolve(), package
    try:
        for row in import_module(f"rows.{group}").rows(quick):
            print(json.dumps(asdict(row)), flush=True)
    except Skipped as reason:
        print(json.dumps({"skipped": str(reason)}))


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


def as_json(group: str, row: Row, before: Row | None, machine: Machine) -> str:
    """One line of JSON: the row, its ratio, and the machine when it was measured."""
    figures = {"row": group, **asdict(row), "ratio": row.ratio, "reached": row.reached}
    if before is not None:
        figures["before"] = before.ours
    return json.dumps({**figures, **asdict(machine)})


@dataclass(frozen=True)
class Machine:
    """How busy the machine is (the load average of a minute), and milliseconds until a bare interpreter has ended."""

    load: float
    interpreter: float

    @classmethod
    def now(cls) -> Machine:
        """Measure it."""
        took = []
        for _ in range(9):
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
            took.append(time.perf_counter() - begin)
        return cls(round(os.getloadavg()[0], 2), round(statistics.median(took) * 1000, 2))

    def __str__(self) -> str:
        system = f"{os.cpu_count()} processors, {platform.system()} {platform.release()}"
        return f"Load {self.load:g}, a bare interpreter {self.interpreter:g} ms, {system}."


class Options(argparse.ArgumentParser):
    """Options of a benchmark, whose mistakes are told in one line."""

    def __init__(self, name: str) -> None:
        super().__init__(prog=name, add_help=False)
        self.add_argument("-help", "-h", action="store_true")

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}; see {self.prog} -help", file=sys.stderr)
        sys.exit(2)


def _wishes(words: Sequence[str]) -> argparse.Namespace:
    parser = Options("table.py")
    parser.add_argument("-quick", action="store_true")
    parser.add_argument("-rounds", type=positive, default=1)
    parser.add_argument("-against", type=lambda word: Path(word).resolve())
    parser.add_argument("-peers", default="")
    parser.add_argument("-cache", default="")
    parser.add_argument("-json", action="store_true")
    parser.add_argument("-list", action="store_true")
    parser.add_argument("-rows", help=argparse.SUPPRESS)
    parser.add_argument("groups", nargs="*")
    wish = parser.parse_args(words)
    for name in wish.groups:
        if name not in GROUPS:
            parser.error(f"no row is called {name}; rows: {', '.join(GROUPS)}")
    return wish


def positive(word: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"{word!r} is no number above 0")
    return int(word)


def main(words: Sequence[str]) -> int:
    """Prints the table."""
    wish = _wishes(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was begun is ended
    if wish.help:
        print(__doc__)
    elif wish.list:
        print("\n".join(f"{name:<12} {about}" for name, about in GROUPS.items()))
    elif wish.rows:
        _own_rows(wish.rows, wish.quick)
    else:
        os.environ["BENCH_PEERS"] = wish.peers
        os.environ["BENCH_CACHE"] = str(Path(wish.cache).resolve()) if wish.cache else ""
        return _table(wish)
    return 0


def _table(wish: argparse.Namespace) -> int:
    begin, failed = time.monotonic(), False
    if not wish.json:
        before = f" {'before':>12} |" if wish.against else ""
        print(f"{Machine.now()}\n")
        print(f"{'work':<{_WIDTH}} |{before} {'ours':>12} | {'peer or limit':<34} | {'ratio':>6} | goal", flush=True)
    for group in wish.groups or GROUPS:
        try:
            for text in _lines(group, wish):
                print(text, flush=True)
        except Skipped as reason:
            print(json.dumps({"row": group, "skipped": str(reason)}) if wish.json else f"{group}: skipped, {reason}")
        except RuntimeError as error:
            print(f"{group}: {error}", file=sys.stderr)
            failed = True
    if not wish.json:
        print(f"\n{Machine.now()} All of it took {(time.monotonic() - begin) / 60:.1f} minutes.")
    return int(failed)


def _lines(group: str, wish: argparse.Namespace) -> list[str]:
    """The lines of a group; both checkouts in turns where there are two."""
    theirs: list[list[Row]] = []
    ours: list[list[Row]] = []
    machine = Machine.now()
    for _ in range(wish.rounds):
        if wish.against:
            theirs.append(measure(group, wish.against, wish.quick))
        ours.append(measure(group, ROOT, wish.quick))
    old = {row.work: row for row in middle(theirs)}
    rows = [(row, old.get(row.work, row) if wish.against else None) for row in middle(ours)]
    return [as_json(group, row, before, machine) if wish.json else line(row, before) for row, before in rows]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
