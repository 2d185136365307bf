"""How long it takes to read a large DAG: 100,000 nodes with 400,000 edges.

``python tests/bench/bench_dag_parse.py [NODES]``; the limit for 100,000 nodes is 2 s. Two ways of writing the same
edges: a line an edge, and a line a parent.
"""

from __future__ import annotations

import resource
import sys
import time

from condor_py.lang.dag.build import build
from condor_py.model.settings.dagman import LanguageSettings

LIMIT = 2.0


class Text:
    """One file in memory."""

    def __init__(self, text: str) -> None:
        self.text = text

    def read(self, path: str) -> str:
        return self.text

    def enter(self, path: str) -> None:
        raise AssertionError(path)


def graph(nodes: int, a_line_an_edge: bool) -> str:
    lines = [f"JOB n{i} work.sub" for i in range(nodes)]
    for i in range(nodes):
        ends = [f"n{(i + step) % nodes}" for step in (1, 7, 31, 101) if i + step < nodes]
        if a_line_an_edge:
            lines += [f"PARENT n{i} CHILD {end}" for end in ends]
        elif ends:
            lines.append(f"PARENT n{i} CHILD {' '.join(ends)}")
    return "\n".join(lines) + "\n"


def main() -> int:
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    worst = 0.0
    for each in (False, True):
        files = Text(graph(nodes, each))
        best = 1e9
        for _ in range(3):
            start = time.perf_counter()
            dag, _notes = build(["t.dag"], files, "/", LanguageSettings())
            best = min(best, time.perf_counter() - start)
        how = "a line an edge" if each else "a line a parent"
        print(f"{how}: {len(dag)} nodes, {len(dag.children)} edges in {best:.2f} s")
        worst = max(worst, best)
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at most; limit {LIMIT} s")
    return 0 if worst < LIMIT or nodes != 100_000 else 1


if __name__ == "__main__":
    sys.exit(main())
