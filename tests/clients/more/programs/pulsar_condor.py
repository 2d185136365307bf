"""pulsar-app: Galaxy's runner on other machines, with its manager of Condor: a job to its end, one that is killed."""

import json
import os
import time

from pulsar.core import PulsarApp

app = PulsarApp(
    staging_directory=os.path.abspath("staging"),
    persistence_directory=os.path.abspath("persistence"),
    managers={"_default_": {"type": "queued_condor", "submit_request_memory": "64"}},
    tool_dependency_dir=None,
    private_token=None,
)
manager = app.managers["_default_"]
manager.set_state_change_callback(lambda status, job: None)


def ends(job: str) -> str:
    begun = time.monotonic()
    while manager.get_status(job) not in ("complete", "cancelled") and time.monotonic() - begun < 60:
        time.sleep(0.2)
    return manager.get_status(job)


job = manager.setup_job("1", "tool", "1.0")
manager.preprocess_and_launch(job, {"command_line": "echo from $_CONDOR_SLOT; exit 3"})
ended = ends(job)
text = manager.job_stdout_contents(job).decode().split()
long = manager.setup_job("2", "tool", "1.0")
manager.preprocess_and_launch(long, {"command_line": "sleep 600"})
begun = time.monotonic()
while manager.get_status(long) != "running" and time.monotonic() - begun < 60:
    time.sleep(0.2)
before = manager.get_status(long)
manager.kill(long)
print(json.dumps([ended, text[0], text[1].startswith("slot1_"), before, ends(long)]))
app.shutdown()
