"""Two dask workers as HTCondor jobs compute something, then go."""

import json
import os
import subprocess
import time

from dask.distributed import Client
from dask_jobqueue.htcondor import HTCondorCluster


def queue():
    return subprocess.run(["condor_q", "-af", "JobStatus"], capture_output=True, text=True, check=True).stdout.split()


def slot_of(number):
    return number * number, os.environ.get("_CONDOR_SLOT", "")


def main():
    cluster = HTCondorCluster(
        cores=1, memory="500MB", disk="100MB", log_directory="logs", scheduler_options={"dashboard_address": None},
        job_extra_directives={"getenv": "true"}, worker_extra_args=["--no-dashboard"],
    )  # fmt: skip
    os.makedirs("logs", exist_ok=True)
    with cluster, Client(cluster) as client:
        cluster.scale(2)
        client.wait_for_workers(2, timeout=80)
        answers = client.gather(client.map(slot_of, range(10)))
        jobs = len(queue())
        cluster.scale(0)
        deadline = time.time() + 30
        while queue() and time.time() < deadline:
            time.sleep(0.1)
        left = len(queue())
    total, slots = sum(value for value, _ in answers), len({slot for _, slot in answers})
    print(json.dumps({"sum": total, "slots": slots, "jobs": jobs, "left": left}))


if __name__ == "__main__":
    main()
