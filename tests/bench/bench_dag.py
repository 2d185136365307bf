"""How fast condor_dagman runs DAGs on a pool of its own: a chain, independent nodes, a fan, ``python bench_dag.py``.

GNU make (-j8) and HyperQueue (a worker of eight cores) run the same graphs beside it; who is not installed is left
out with a line (``pip install condor_py[bench]``). Neither keeps a log from which it could go on after a crash: make
has none, HyperQueue runs without its journal. HTCondor 25.14 on two cores (intervals of one second) needed 99.9 s for
the chain of 40 nodes and 45.1 s for the 1,000 independent ones.
"""

from __future__ import annotations

import json
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


#: Runs a graph of standard input, as JSON (number of nodes, edges), and prints the seconds. The client looks for the
#: end once a second.
_HYPERQUEUE = """
import contextlib, io, json, sys, time
try:
    from hyperqueue import Job
    from hyperqueue.cluster import LocalCluster, WorkerConfig
except ImportError:
    sys.exit(3)
count, edges = json.load(sys.stdin)
parents = {}
for parent, child in edges:
    parents.setdefault(child, []).append(parent)
with contextlib.redirect_stdout(sys.stderr), LocalCluster() as cluster:
    cluster.start_worker(WorkerConfig(cores=8))
    client = cluster.client()
    begun = time.monotonic()
    job, tasks = Job(), []
    for node in range(count):
        tasks.append(job.program(["/bin/true"], deps=[tasks[one] for one in parents.get(node, [])]))
    client.wait_for_jobs([client.submit(job)])
    took = time.monotonic() - begun
print(took)
"""


def run_hyperqueue(kind: str, count: int) -> float | None:
    """Seconds that HyperQueue needs for the same graph; None without it."""
    graph = json.dumps([count, edges_of(kind, count)])
    words = [sys.executable, "-c", _HYPERQUEUE]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            words, cwd=folder, input=graph, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    if done.returncode == 3:
        return None
    assert not done.returncode, done.stderr[-2000:]
    return float(done.stdout.split()[-1])


PEERS = {"make -j8": run_make, "HyperQueue": run_hyperqueue}


def compared(kind: str, count: int, took: float) -> str:
    """What the peers need for the same graph, with ratios."""
    found = []
    for name, peer in PEERS.items():
        seconds = peer(kind, count)
        if seconds is None:
            found.append(f"{name} is not installed")
        else:
            found.append(f"{name} {seconds:6.2f} s, ratio {took / seconds:5.1f}")
    return "; ".join(found)


def main() -> None:
    """Prints the figures."""
    folder = Path(tempfile.mkdtemp())
    pool = PersonalPool(folder / "pool", cpus=8, DAGMAN_AVOID_SLASH_TMP="false")
    pool.start()
    try:
        for kind, count in (("chain", 40), ("independent", 1000), ("fan", 502)):
            took = run_dag(pool, kind, count)
            line = f"{kind:12} {count:5} nodes  {took:7.2f} s  {1000 * took / count:7.1f} ms a node"
            print(f"{line}  {compared(kind, count, took)}", flush=True)
    finally:
        pool.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
