"""condor-assistant: its list of jobs, written as a description and submitted."""

import glob
import json
import os
import subprocess
import time

from condor_assistant import condor_booklist

with open("greet.sh", "w") as file:
    file.write("#!/bin/sh\necho hello $*\n")
os.chmod("greet.sh", 0o755)
book = condor_booklist("greet.sh", "greetings", "work")
book.Requirements = "true"
book.set_Request_memory("100 MB")
book.add_Argument(["one", "two"])
book.submit()
begun = time.monotonic()
texts: list[str] = []
while len(texts) < 2 and time.monotonic() - begun < 60:
    time.sleep(0.2)
    for name in glob.glob("condor/greetings/*/*.log"):
        subprocess.run(["condor_wait", "-wait", "60", name], check=False, stdout=subprocess.DEVNULL)
    texts = []
    for name in sorted(glob.glob("condor/greetings/*/*.out")):
        with open(name) as file:
            texts.append(file.read().strip())
print("")
print(json.dumps(texts))
