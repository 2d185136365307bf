"""globus-compute-endpoint: its engine, whose workers are a block of parsl's provider for Condor, runs two functions."""

import json
import os
import sys
import uuid
from pathlib import Path

from globus_compute_common import messagepack
from globus_compute_common.messagepack.message_types import Task
from globus_compute_endpoint.engines import GlobusComputeEngine
from globus_compute_endpoint.engines.base import GCFuture
from globus_compute_sdk.serialize import ComputeSerializer
from parsl.launchers import SimpleLauncher
from parsl.providers import CondorProvider


def where(number: int) -> list:
    """What runs in the job."""
    import os

    return [number * number, os.environ["_CONDOR_SLOT"]]


def packed(identity: uuid.UUID, number: int) -> bytes:
    serializer = ComputeSerializer()
    parts = [serializer.serialize(part) for part in (where, (number,), {})]
    return messagepack.pack(Task(task_id=identity, task_buffer=serializer.pack_buffers(parts)))


if __name__ == "__main__":
    python = Path(sys.executable).parent
    engine = GlobusComputeEngine(
        address="127.0.0.1",
        encrypted=False,
        max_workers_per_node=1,
        provider=CondorProvider(
            nodes_per_block=1, init_blocks=1, min_blocks=1, max_blocks=1, cores_per_slot=1, mem_per_slot=0.5,
            worker_init=f"export PATH={python}:$PATH", launcher=SimpleLauncher(), requirements="",
        ),
    )  # fmt: skip
    engine.start(endpoint_id=uuid.uuid4(), run_dir=os.path.abspath("run"))
    answers = []
    for number in (3, 4):
        identity = uuid.uuid4()
        future = GCFuture(identity)
        engine.submit(future, packed(identity, number), resource_specification={})
        result = messagepack.unpack(future.result(timeout=80))
        answers.append(ComputeSerializer().deserialize(result.data))
    engine.shutdown()
    print(json.dumps([[square, slot.startswith("slot1_")] for square, slot in answers]))
