"""Ganga: a job on its Condor backend, watched until it has ended."""

import json
import os
import subprocess
import sys

with open("steps.py", "w") as file:
    file.write(
        """import time
j = Job(name="hello", application=Executable(exe="echo", args=["hello"]), backend=Condor())
j.submit()
begun = time.time()
while j.status not in ("completed", "failed") and time.time() - begun < 60:
    runMonitoring()
    time.sleep(0.5)
print("ENDED", j.status, j.backend.id)
"""
    )
ganga = os.path.join(os.path.dirname(sys.executable), "ganga")
done = subprocess.run([ganga, "steps.py"], input="y\n" * 5, capture_output=True, text=True, check=False)
words = next((line.split() for line in done.stdout.splitlines() if line.startswith("ENDED")), [done.stderr[-500:]])
print(json.dumps([words[1:2], words[2:3] != ["None"]]))
