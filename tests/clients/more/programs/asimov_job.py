"""asimov: a job through its HTCondor scheduler: submitted, seen in the queue, its record after the end."""

import json
import time

from asimov.scheduler import HTCondor

scheduler = HTCondor()
cluster = scheduler.submit(
    {"executable": "/bin/sleep", "arguments": "1", "log": "job.log", "output": "out", "error": "err"}
)
begun = time.monotonic()
record: dict[str, object] = {}
while not record and time.monotonic() - begun < 60:
    time.sleep(0.3)
    try:
        record = scheduler.collect_history(cluster)
    except ValueError:
        continue
print("")
print(json.dumps([cluster > 0, record.get("cpus")]))
