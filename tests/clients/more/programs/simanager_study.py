"""simanager: a study of two simulations, each with its number, submitted to HTCondor."""

import glob
import json
import os
import time

from simanager import SimulationStudy, job_run_htcondor

os.mkdir("master")
with open("master/main.sh", "w") as file:
    file.write("grep number config.yaml\n")
os.chmod("master/main.sh", 0o755)
with open("master/config.yaml", "w") as file:
    file.write("number: 0\n")
study = SimulationStudy(
    "study",
    os.getcwd(),
    "master",
    "main.sh",
    "config.yaml",
    [{"parameter_name": "number", "inspection_method": "custom", "values": [1, 2], "force_type": "int"}],
)
study.initialize_folders()
job_run_htcondor(
    study,
    initial_instructions="#!/bin/sh\ncd $1",
    final_instructions="touch remote_finished\n",
    bump_schedd=False,
)
begun = time.monotonic()
names = [f"study/out/{name}.out" for name in sorted(os.listdir("study/scan"))]
while not all(os.path.exists(f"{name}/remote_finished") for name in glob.glob("study/scan/*")):
    if time.monotonic() - begun > 60:
        break
    time.sleep(0.2)
texts = []
for name in names:
    with open(name) as file:
        texts.append(file.read().strip())
print("")
print(json.dumps(texts))
