"""pycondor: a job with two argument lists, and a DAG that is written."""

import json
import os
import subprocess

import pycondor

made = pycondor.Job(
    "echo", "/bin/echo", submit="submit", log="log", output="out", error="err", request_memory="100MB", request_cpus=1
)
made.add_arg("one", name="a")
made.add_arg("two", name="b")
made.build_submit(fancyname=False)
for name in ("echo_a", "echo_b"):
    subprocess.run(["condor_wait", "-wait", "60", f"log/{name}.log"], check=False, stdout=subprocess.DEVNULL)
texts = []
for name in sorted(os.listdir("out")):
    with open(f"out/{name}") as file:
        texts.append(file.read().strip())
print("")
print(json.dumps(texts))
