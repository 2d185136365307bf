"""How fast condor_dagman runs DAGs on a pool of its own: a chain, independent nodes, a fan, ``python bench_dag.py``.

For comparison, HTCondor 25.14 on two cores (intervals of one second): a chain of 40 nodes 99.9 s, 1,000 independent
nodes 45.1 s. What make and HyperQueue need for the same graphs is measured beside it when they are there (``--peers``).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

from pool import PersonalPool

_SUB = "executable = /bin/true\nshould_transfer_files = no\nrequest_disk = 1\nqueue\n"
#: Seconds a DAG may take before the bench gives up.
_PATIENCE = 300


def edges_of(kind: str, count: int) -> list[tuple[int, int]]:
    """The edges of a graph of ``count`` nodes."""
    if kind == "chain":
        return [(node, node + 1) for node in range(count - 1)]
    if kind == "fan":  # one in front of all, one behind
        return [(0, node) for node in range(1, count - 1)] + [(node, count - 1) for node in range(1, count - 1)]
    return []


def run_dag(pool: PersonalPool, kind: str, count: int) -> float:
    """Seconds from condor_submit_dag to the end of condor_dagman's job."""
    name = f"{kind}{count}.dag"
    lines = [f"JOB N{node} true.sub" for node in range(count)]
    lines += [f"PARENT N{parent} CHILD N{child}" for parent, child in edges_of(kind, count)]
    (pool.work / "true.sub").write_text(_SUB)
    (pool.work / name).write_text("\n".join(lines) + "\n")
    begun = time.monotonic()
    pool.tool("condor_submit_dag", name)
    pool.wait(f"{name}.dagman.log", _PATIENCE)
    took = time.monotonic() - begun
    out = (pool.work / f"{name}.dagman.out").read_text()
    assert "All jobs Completed!" in out, out[-2000:]
    return took


def run_make(kind: str, count: int) -> float | None:
    """Seconds that ``make -j8`` needs for the same graph; None without make."""
    make = shutil.which("make")
    if make is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        parents: dict[int, list[int]] = {}
        for parent, child in edges_of(kind, count):
            parents.setdefault(child, []).append(parent)
        rules = ["all: " + " ".join(f"n{node}" for node in range(count))]
        rules += [
            f"n{node}: {' '.join(f'n{one}' for one in parents.get(node, []))}\n\t@/bin/true" for node in range(count)
        ]
        (Path(folder) / "Makefile").write_text("\n".join(rules) + "\n")
        begun = time.monotonic()
        subprocess.run([make, "-s", "-j8"], cwd=folder, check=True)
        return time.monotonic() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="store_true")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    pool = PersonalPool(folder / "pool", cpus=8, DAGMAN_AVOID_SLASH_TMP="false")
    pool.start()
    try:
        for kind, count in (("chain", 40), ("independent", 1000), ("fan", 502)):
            took = run_dag(pool, kind, count)
            line = f"{kind:12} {count:5} nodes  {took:7.2f} s  {1000 * took / count:7.1f} ms a node"
            make = run_make(kind, count) if asked.peers else None
            print(line + (f"  make -j8 {make:6.2f} s, ratio {took / make:6.1f}" if make else ""), flush=True)
    finally:
        pool.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
