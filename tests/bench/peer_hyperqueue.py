"""HyperQueue's side of the table: seconds for many /bin/true, from the submit to the end, on a server and one worker of
its own. ``python peer_hyperqueue.py JOBS CORES``; exit code 3 where HyperQueue (``pip install hyperqueue``) is not
here."""

from __future__ import annotations

import os
import sys
import tempfile
import time


def main(jobs: int, cores: int) -> int:
    """Prints the seconds."""
    try:
        from hyperqueue import Job, LocalCluster  # type: ignore[import-not-found]
        from hyperqueue.cluster import WorkerConfig  # type: ignore[import-not-found]
    except ImportError:
        return 3
    with tempfile.TemporaryDirectory() as directory, LocalCluster(directory, WorkerConfig(cores=cores)) as cluster:
        os.chdir(directory)
        client = cluster.client()
        begin = time.perf_counter()
        job = Job(default_workdir=directory)
        for _ in range(jobs):
            job.program(["/bin/true"], stdout=None, stderr=None)
        client.wait_for_jobs([client.submit(job)])
        print(time.perf_counter() - begin)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
