"""ja-htcondor-log-utilities: its table of the jobs of a log: one that ends, one that fails, one that is removed."""

import csv
import json
import subprocess
from pathlib import Path

Path("jobs.sub").write_text(
    "executable = /bin/sh\nlog = jobs.log\nrequest_memory = 64\nshould_transfer_files = YES\n"
    "arguments = \"-c '$(what)'\"\nqueue what from (\ntrue\nexit 3\nsleep 600\n)\n"
)
done = subprocess.run(["condor_submit", "-terse", "jobs.sub"], capture_output=True, text=True, check=True)
cluster = done.stdout.split(".")[0]
subprocess.run(["condor_wait", "-wait", "60", "-num", "2", "jobs.log"], check=True, capture_output=True)
subprocess.run(["condor_rm", f"{cluster}.2"], check=True, capture_output=True)
subprocess.run(["condor_wait", "-wait", "60", "jobs.log"], check=True, capture_output=True)
subprocess.run(["scaling-log-analyzer", "-o", "table", "jobs.log"], check=True, capture_output=True)
with open("table.csv", newline="") as file:
    rows = list(csv.DictReader(file, skipinitialspace=True))
names = ["Exit-code", "Aborted", "Evicted count", "Terminated normally", "in Xfer error"]
print(json.dumps([[row[name] for name in names] for row in rows]))
