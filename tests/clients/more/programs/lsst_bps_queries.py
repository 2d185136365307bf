"""lsst-ctrl-bps-htcondor: what describes a job of Rubin's batch production, and asks queue, history and pool."""

import json
import time
from pathlib import Path

import htcondor
from lsst.ctrl.bps.htcondor import lssthtc

job = lssthtc.HTCJob("visit", label="isr", initcmds={"executable": "/bin/sh", "log": "visit.log"})
job.add_job_cmds({"arguments": "\"-c 'exit 3'\"", "request_memory": "64"})
job.add_job_attrs({"bps_job_label": "isr", "bps_run": "u/tester/run"})
description = str(Path("visit.sub").absolute())
lssthtc.htc_write_condor_file(description, job.name, job.cmds, job.attrs)
submit = lssthtc.htc_create_submit_from_file(description)
schedd = htcondor.Schedd()
cluster = schedd.submit(submit, count=1).cluster()
constraint = 'bps_run =?= "u/tester/run"'
begun = time.monotonic()
while time.monotonic() - begun < 60:
    found = lssthtc.condor_search(constraint, hist=1, schedds={"here": schedd})
    (ad,) = [ad for jobs in found.values() for ad in jobs.values()]
    if ad["JobStatus"] == lssthtc.JobStatus.COMPLETED:
        break
    time.sleep(0.2)
slots = lssthtc.condor_status("PartitionableSlot")
print(
    json.dumps(
        [
            lssthtc.htc_version() == htcondor.__version__,
            ad["ClusterId"] == cluster,
            ad["bps_job_label"],
            ad["ExitCode"],
            [slot.split("@")[0] for slot in slots],
        ]
    )
)
