"""HyperQueue by its Python package, for where its program ``hq`` is missing: ``python peer_hyperqueue.py JOBS CORES``
prints the seconds for many /bin/true, from the submit to the end, on a server and one worker of its own.

``python peer_hyperqueue.py -serve DIR CORES`` keeps server and worker in DIR, and reads orders from its standard input,
a line of JSON each: ``{"jobs": 600, "words": ["/bin/true"], "done": "FILE"}``. FILE appears when all of them have
ended. Exit code 3 where HyperQueue (``pip install hyperqueue``) is not installed.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def _burst(client: Any, directory: str, jobs: int, words: Sequence[str]) -> float:
    """Seconds for so many programs."""
    from hyperqueue import Job  # type: ignore[import-not-found]

    begin = time.perf_counter()
    job = Job(default_workdir=directory)
    for _ in range(jobs):
        job.program(list(words), stdout=None, stderr=None)
    client.wait_for_jobs([client.submit(job)])
    return time.perf_counter() - begin


def main(words: Sequence[str]) -> int:
    """Print the seconds, or serve orders until the end of the input."""
    try:
        from hyperqueue import LocalCluster
        from hyperqueue.cluster import WorkerConfig  # type: ignore[import-not-found]
    except ImportError:
        return 3
    if words[0] == "-serve":
        with LocalCluster(words[1], WorkerConfig(cores=int(words[2]))) as cluster:
            client = cluster.client()
            for line in sys.stdin:
                order = json.loads(line)
                took = _burst(client, words[1], order["jobs"], order["words"])
                Path(f"{order['done']}.part").write_text(f"{took}\n")
                os.rename(f"{order['done']}.part", order["done"])
        return 0
    cores = WorkerConfig(cores=int(words[1]))
    with tempfile.TemporaryDirectory() as directory, LocalCluster(directory, cores) as cluster:
        os.chdir(directory)
        print(_burst(cluster.client(), directory, int(words[0]), ["/bin/true"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
