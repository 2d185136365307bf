"""How long a diamond of 100,000 nodes takes in virtual time, and how much memory: ``python bench_dag_simulation.py``.

The limits for 100,000 nodes are 30 s and 500 MB, from the text of the .dag file to its end with the critical path.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from condor_py.core.dag.paths import critical_path
from condor_py.lang.dag.build import build
from condor_py.model.settings.dagman import DagmanSettings
from condor_py.simulate.dagruns import DagSimulation, Job, Need, Plan, Slot

SECONDS, MEGABYTES = 30.0, 500


class Text:
    """One file in memory."""

    def __init__(self, text: str) -> None:
        self.text = text

    def read(self, path: str) -> str:
        return self.text

    def enter(self, path: str) -> None:
        raise AssertionError(path)


def main() -> None:
    """Prints the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    middle = " ".join(f"N{node}" for node in range(count - 2))
    text = "JOB A a.sub\nJOB Z a.sub\n" + "".join(f"JOB N{node} a.sub\n" for node in range(count - 2))
    text += f"PARENT A CHILD {middle}\nPARENT {middle} CHILD Z\n"
    settings = DagmanSettings()
    begun = time.process_time()
    dag, _ = build(["t.dag"], Text(text), "/", settings.language)
    read = time.process_time()
    job = [Job(Need(1, 128), 60.0)]
    outcome = DagSimulation([Slot(Need(8, 16_000, 1e9))], settings).go(Plan(dag, lambda node: job))
    path = critical_path(dag, outcome.times)
    took, memory = time.process_time() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{count} nodes of 60 s on 8 cores end after {outcome.seconds / 86400:.1f} days, critical path "
        f"{path.seconds:.0f} s: {took:.1f} s of CPU ({read - begun:.1f} s of them reading), {memory} MB "
        f"(limits {SECONDS:.0f} s, {MEGABYTES} MB)"
    )
    assert outcome.code == 0
    assert took < SECONDS, took
    assert memory < MEGABYTES, memory


if __name__ == "__main__":
    main()
