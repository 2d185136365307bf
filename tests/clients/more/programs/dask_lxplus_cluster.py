"""dask-lxplus: its cluster for CERN's pool, without a container, with two workers that are jobs."""

import json
import os
import subprocess

from dask.distributed import Client
from dask_lxplus import CernCluster

if __name__ == "__main__":
    with (
        CernCluster(
            cores=1, memory="500MB", disk="100MB", container_runtime="none", batch_name="workers", log_directory="logs",
            death_timeout="60", scheduler_options={"host": "127.0.0.1", "port": 0, "dashboard_address": ":0"},
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        cluster.scale(jobs=2)
        client.wait_for_workers(2, timeout=90)
        squares = client.gather(client.map(lambda number: number * number, range(5)))
        slots = set(client.run(lambda: os.environ["_CONDOR_SLOT"]).values())
        names = subprocess.run(
            ["condor_q", "-af", "JobBatchName"], capture_output=True, text=True, check=True
        ).stdout.split()
    print(json.dumps([squares, len(slots), sorted(names)]))
