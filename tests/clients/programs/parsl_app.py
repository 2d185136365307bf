"""Runs python_apps of parsl on a block of HTCondor workers."""

import json
import os

import parsl
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.providers import CondorProvider


@parsl.python_app
def square(number):
    import os

    return number * number, os.environ.get("_CONDOR_SLOT", "")


provider = CondorProvider(
    nodes_per_block=1,
    init_blocks=1,
    max_blocks=1,
    cores_per_slot=1,
    worker_init=f"export PATH={os.environ['PATH']} PYTHONPATH={os.environ['PYTHONPATH']}\n",
)
executor = HighThroughputExecutor(
    label="condor", address="127.0.0.1", max_workers_per_node=1, provider=provider, encrypted=False
)
with parsl.load(Config(executors=[executor], strategy="none", run_dir="runinfo")):
    results = [future.result(timeout=80) for future in [square(number) for number in range(4)]]
    states = [status.state.name for status in provider.status(list(provider.resources))]
slots = sorted({slot for _, slot in results})
print(json.dumps({"results": [value for value, _ in results], "slots": slots, "states": states}))
