"""snakemake-executor-plugin-ihep: a workflow of two rules through its executor."""

import json
import os
import subprocess
import sys

with open("Snakefile", "w") as file:
    file.write(
        'rule last:\n    input: "first.txt"\n    output: "last.txt"\n    shell: "cat {input} {input} > {output}"\n'
        'rule first:\n    output: "first.txt"\n    shell: "echo one > {output}"\n'
    )
status = json.loads(
    subprocess.run(
        ["condor_status", "-schedd", "-json", "-attributes", "Name,MyAddress"],
        capture_output=True, text=True, check=True,
    ).stdout
)  # fmt: skip
collector = json.loads(
    subprocess.run(
        ["condor_status", "-collector", "-json", "-attributes", "MyAddress"], capture_output=True, text=True, check=True
    ).stdout
)
environment = os.environ | {
    "SCHEDD_NAME": status[0]["Name"],
    "CONDOR_COLLECTOR_HOST": collector[0]["MyAddress"].strip("<>").split("?")[0],
}
done = subprocess.run(
    [sys.executable, "-m", "snakemake", "--executor", "ihep", "--jobs", "2", "--seconds-between-status-checks", "1",
     "last"],
    env=environment, capture_output=True, text=True, check=False,
)  # fmt: skip
if done.returncode:
    sys.exit(done.stderr)
with open("last.txt") as file:
    print(json.dumps([file.read()]))
