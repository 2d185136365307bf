"""htc-utils: its classes write and submit three jobs; its tool condor_batch writes a file of two that is submitted.

Its class Wait is of no use: it wants the cluster, which is only read when condor_submit writes nothing to stderr.
"""

import json
import subprocess
from pathlib import Path

from htc_utils.bindings import Job, Submit


def texts() -> list[str]:
    for log in Path("logs").glob("condor_*.log"):
        subprocess.run(["condor_wait", "-wait", "60", log], check=True, stdout=subprocess.DEVNULL)
    return sorted(path.read_text().strip() for path in Path("logs").glob("stdout_*.log"))


job = Job("classes")
job.attr("executable", "/bin/echo")
job.attr("arguments", "one")
job.logging("logs", create=True)
job.attr("queue")
for word in ("two", "three"):
    job.subattr("arguments", word)
    job.subattr("queue")
job.commit()
Submit(job).execute()
by_classes = texts()
Path("commands").write_text("/bin/echo four\n/bin/echo five\n")
subprocess.run(["condor_batch", "-n", "tool", "--infile", "commands"], check=True, stdout=subprocess.DEVNULL)
subprocess.run(["condor_submit", "tool.job"], check=True, capture_output=True)
print(json.dumps([by_classes, texts()]))
