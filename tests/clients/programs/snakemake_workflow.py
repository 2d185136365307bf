"""A snakemake workflow on HTCondor: with its executor, or with condor_submit as a generic cluster's command."""

import json
import os
import subprocess
import sys

SNAKEFILE = """
rule all:
    input: "sum.txt"

rule part:
    output: "part{n}.txt"
    shell: "echo {wildcards.n} $_CONDOR_SLOT > {output}"

rule sum:
    input: expand("part{n}.txt", n=range(3))
    output: "sum.txt"
    shell: "cat {input} > {output}"
"""
SUBMIT = """#!/bin/sh
condor_submit -terse - <<END | sed 's/ - .*//'
executable = $1
getenv = true
log = snakemake.log
should_transfer_files = no
queue
END
"""
STATUS = """#!/bin/sh
case $(condor_q "$1" -af JobStatus) in
    5|3) echo failed ;;
    '') case $(condor_history "$1" -limit 1 -af JobStatus ExitCode) in '4 0') echo success ;; *) echo failed ;; esac ;;
    *) echo running ;;
esac
"""
GENERIC = ["--executor", "cluster-generic", "--cluster-generic-submit-cmd", "./submit.sh",
           "--cluster-generic-status-cmd", "./status.sh"]  # fmt: skip


def main(how):
    for name, text in (("Snakefile", SNAKEFILE), ("submit.sh", SUBMIT), ("status.sh", STATUS)):
        with open(name, "w") as file:
            file.write(text)
        os.chmod(name, 0o755)
    options = GENERIC if how == "generic" else ["--executor", "htcondor"]
    command = [sys.executable, "-m", "snakemake", "--jobs", "3", "--latency-wait", "10", "--quiet", "all",
               "--seconds-between-status-checks", "1", "--shared-fs-usage", "persistence", "input-output",
               "software-deployment", "sources", "source-cache", "storage-local-copies", *options]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    with open("sum.txt") as file:
        rows = [line.split() for line in file]
    print(json.dumps([[int(row[0]), len(row) == 2] for row in rows]))


main(sys.argv[1])
