"""falconry: jobs with a dependency, run by its manager."""

import json
import os

from falconry import manager

os.makedirs("log", exist_ok=True)
for name, text in (("first", "echo one > one.txt"), ("second", "cat one.txt > two.txt")):
    with open(f"{name}.sh", "w") as file:
        file.write(f"#!/bin/sh\ncd {os.getcwd()}\n{text}\n")
    os.chmod(f"{name}.sh", 0o755)
boss = manager("manager")
from falconry import job

jobs = []
for name in ("first", "second"):
    one = job(name, boss.schedd)
    one.set_simple(os.path.abspath(f"{name}.sh"), os.path.abspath("log"))
    one.set_time(600)
    if jobs:
        one.add_job_dependency(*jobs)
    jobs.append(one)
    boss.add_job(one)
boss.start(1)
with open("two.txt") as file:
    print(json.dumps([file.read(), [str(one.get_status()) for one in jobs]]))
