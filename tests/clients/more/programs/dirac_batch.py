"""DIRAC: its class for a Condor batch system: two spooled pilots, their states, their output, one that is killed.

The module is loaded from its file: DIRAC itself copies it to the submit machine and runs it there without the rest.
"""

import importlib.metadata
import importlib.util
import json
import os
import time

spec = importlib.util.spec_from_file_location(
    "Condor", importlib.metadata.distribution("DIRAC").locate_file("DIRAC/Resources/Computing/BatchSystems/Condor.py")
)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)

with open("pilot.sh", "w") as file:
    file.write("#!/bin/sh\necho $DIRAC_PILOT_STAMP\n")
with open("sleeper.sh", "w") as file:
    file.write("#!/bin/sh\nsleep 600\n")
os.chmod("pilot.sh", 0o755)
os.chmod("sleeper.sh", 0o755)
here = os.getcwd()
batch = module.Condor()


def submit(name: str, stamps: list[str]) -> list[str]:
    return batch.submitJob(
        Executable=os.path.join(here, name),
        OutputDir=here,
        SubmitOptions="",
        JobStamps=stamps,
        NJobs=len(stamps),
        NumberOfProcessors=1,
    )["Jobs"]


def states(jobs: list[str]) -> list[str]:
    return [batch.getJobStatus(JobIDList=jobs)["Jobs"][job] for job in jobs]


pilots = submit("pilot.sh", ["aa", "bb"])
begun = time.monotonic()
while states(pilots) != ["Done", "Done"] and time.monotonic() - begun < 60:
    time.sleep(0.3)
ended = states(pilots)
files = batch.getJobOutputFiles(JobIDList=pilots, OutputDir=here, ErrorDir=here)["Jobs"]
texts = []
for job in pilots:
    with open(files[job]["Output"]) as file:
        texts.append(file.read().strip())
sleeper = submit("sleeper.sh", ["cc"])
before = batch.getCEStatus()
killed = batch.killJob(JobIDList=sleeper)
begun = time.monotonic()
while states(sleeper) != ["Aborted"] and time.monotonic() - begun < 30:
    time.sleep(0.3)
print(json.dumps([ended, texts, before["Waiting"] + before["Running"] >= 1, killed["Status"], states(sleeper)]))
