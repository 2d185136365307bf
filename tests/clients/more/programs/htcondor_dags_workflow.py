"""htcondor-dags, the package that became htcondor.dags: a DAG with a join node."""

import json

import htcondor
import htcondor_dags as dags

dag = dags.DAG()
first = dag.layer(name="a", submit_description=htcondor.Submit({"executable": "/bin/true"}), vars=[{"x": "1"}] * 3)
first.child_layer(name="b", submit_description=htcondor.Submit({"executable": "/bin/true"}), vars=[{"y": "2"}] * 2)
dags.write_dag(dag, "out")
with open("out/dagfile.dag") as file:
    lines = file.read().splitlines()
print(json.dumps([sum(line.startswith(word) for line in lines) for word in ("JOB", "PARENT", "VARS")]))
