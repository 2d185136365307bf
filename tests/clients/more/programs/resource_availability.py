"""resource-availability-monitoring: a test job of its own kind, run, waited for and judged."""

import json
import os
import pathlib
import time

import htcondor
from resource_availability_monitoring.condor_job import HTCondorJob

here = pathlib.Path.cwd()
(here / "site").mkdir()
script = here / "site" / "test.sh"
script.write_text("#!/bin/sh\nprintf 'tests:\\n- {name: one, passed: true, message: fine}\\n' > result.yaml\n")
script.chmod(0o755)
names = {"executable": "test.sh", "AccountingGroup": "sitetest", "arguments": "", "universe": "vanilla"}
files = {"output_file": "result.yaml", "output": "out", "error": "err", "log": "log"}
job = HTCondorJob(
    {
        "timeout": 60,
        "site": "here",
        "job": names | files,
        "requirements": {"cpu": 1, "memory": 100, "disk": 1000, "gpu": 0, "requirements": ""},
    },
    "site",
    time.time(),
    htcondor.Schedd(),
    here,
    here / "work",
)
job.submit_job()
job.wait_for_job()
job.parse_job_output()
begun = time.monotonic()
while job.runtime < 0 and time.monotonic() - begun < 10:  # the history comes after the event of the log
    job.get_condor_history_details()
print("")
print(json.dumps([job.succeeded, job.has_passed(), job.runtime >= 0]), flush=True)
os._exit(0)
