"""htcondor-queue-poller: how many jobs of a kind all schedds have."""

import json
import os
import subprocess
import sys

import htcondor

schedd = htcondor.Schedd()
submitted = schedd.submit(htcondor.Submit({"executable": "/bin/sleep", "arguments": "600", "hold": "true"}), count=3)
poller = os.path.join(os.path.dirname(sys.executable), "htcondor_queue_poller")
done = subprocess.run(
    [poller, "--constraint", f"ClusterId == {submitted.cluster()} && JobStatus == 5"],
    capture_output=True, text=True, check=False,
)  # fmt: skip
schedd.act(htcondor.JobAction.Remove, f"ClusterId == {submitted.cluster()}")
print(json.dumps([done.stdout.strip(), done.returncode]))
