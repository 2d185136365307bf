"""coffea-casa: its cluster with spooled workers, here without a container, and the output of a worker that ended."""

import json
import os
import sys
from pathlib import Path

from coffea_casa import CoffeaCasaCluster
from dask.distributed import Client

Path("shipped.py").write_text("answer = 42\n")
if __name__ == "__main__":
    with (
        CoffeaCasaCluster(
            force_tcp=True, ship_env=False, cores=1, memory="500MB", disk="100MB", python=sys.executable,
            log_directory=str(Path("logs").absolute()), death_timeout="60", ship_paths=["shipped.py"],
            scheduler_port=0, dashboard_port=0,
            scheduler_options={"host": "127.0.0.1", "contact_address": None},
            job_extra_directives={"universe": "vanilla", "docker_image": ""},
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        cluster.scale(jobs=2)
        client.wait_for_workers(2, timeout=60)
        squares = client.gather(client.map(lambda number: number * number, range(5)))
        slots = set(client.run(lambda: os.environ["_CONDOR_SLOT"]).values())
        shipped = set(client.run(lambda: os.path.exists("shipped.py")).values())
    print(json.dumps([squares, len(slots), list(shipped)]))
