"""typer-htcondor: its reader of event logs, as JSON and by the name of the resource."""

import json
import subprocess
import sys
from pathlib import Path

Path("jobs.sub").write_text("executable = /bin/sh\narguments = \"-c 'exit $(Process)'\"\nlog = jobs.log\nqueue 2\n")
subprocess.run(["condor_submit", "jobs.sub"], capture_output=True, check=True)
subprocess.run(["condor_wait", "-wait", "60", "jobs.log"], check=True, capture_output=True)


def read(*options: str) -> str:
    words = [sys.executable, "-m", "typer_htcondor.cli", "eventlog", "read", *options, "jobs.log"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


jobs = json.loads(read("--json"))
lines = read().splitlines()
print(
    json.dumps(
        [
            sorted([job["Executed"], job["starts"], job["Return Value"], job["Evictions"]] for job in jobs),
            all(job["Host"].startswith("slot1_") for job in jobs),
            [lines[0].split()[:2], len(lines)],
        ]
    )
)
