"""mcmtest: its submission of a description and its job, which is followed through the log."""

import json
import time

from mcmtest.lib.condor import CondorJob, condor_submit

with open("job_one.jdl", "w") as file:
    file.write("executable = /bin/echo\narguments = one\noutput = out_one.txt\nlog = log_one.txt\nqueue 1\n")
number = condor_submit("job_one.jdl")
job = CondorJob("log_one.txt")
begun = time.monotonic()
while job.status != "JOB_TERMINATED" and time.monotonic() - begun < 60:
    time.sleep(0.2)
    job.update()
with open("out_one.txt") as file:
    text = file.read().strip()
print(json.dumps([str(job.cluster) == number, job.status, job.code, text]))
