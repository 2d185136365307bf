"""ezdag: a DAG of two layers, written for condor_dagman."""

import json
import pathlib

from ezdag import DAG, Argument, Layer, Node, Option

dag = DAG("work")
first = Layer("/bin/echo", name="first", retries=2, submit_description={"request_cpus": 1})
first += [Node(arguments=[Argument("word", f"w{number}")]) for number in range(2)]
dag.attach(first)
last = Layer("/bin/cat", name="last", submit_description={"request_cpus": 1})
last += Node(arguments=[Option("number", 1)])
dag.attach(last)
pathlib.Path("out").mkdir()
dag.write(pathlib.Path("out"))
with open("out/work.dag") as file:
    lines = file.read().splitlines()
print(json.dumps([sum(line.startswith(word) for line in lines) for word in ("JOB", "PARENT", "RETRY", "VARS")]))
