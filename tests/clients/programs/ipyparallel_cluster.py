"""ipyparallel engines as HTCondor jobs."""

import json
import os
import sys

import ipyparallel
from traitlets.config import Config

#: The default template without its assumption that ipengine lies in the working directory with nothing to be told.
TEMPLATE = f"""
universe            = vanilla
executable          = {os.path.dirname(sys.executable)}/ipengine
transfer_executable = False
getenv              = True
arguments           = "{{program_args}}"
queue {{n}}
"""

config = Config()
config.HTCondorEngineSetLauncher.batch_template = TEMPLATE
cluster = ipyparallel.Cluster(engines="htcondor", n=2, controller_ip="127.0.0.1", config=config)
with cluster as client:
    client.wait_for_engines(2, timeout=80)
    view = client[:]
    squares = view.map_sync(lambda number: number**2, range(8))
    slots = view.apply_sync(lambda: __import__("os").environ.get("_CONDOR_SLOT", ""))
print(json.dumps({"squares": squares, "slots": len(set(slots)), "in_slots": all(slots)}))
