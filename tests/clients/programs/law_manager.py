"""law's HTCondor job manager: job files, submit, query in queue and history, cancel."""

import json
import os
import time

import law

law.contrib.load("htcondor")

factory = law.htcondor.HTCondorJobFileFactory(dir=os.path.join(os.getcwd(), "jobs"), mkdtemp=False)
manager = law.htcondor.HTCondorJobManager()


def job_file(name, command):
    script = os.path.abspath(f"{name}.sh")
    with open(script, "w") as file:
        file.write(f"#!/bin/bash\n{command}\n")
    os.chmod(script, 0o755)
    path, _ = factory(
        file_name=f"{name}.jdl", executable=law.JobInputFile(script), arguments=name, universe="vanilla",
        log=os.path.abspath(f"{name}.log"), stdout=os.path.abspath(f"{name}.out"),
        stderr=os.path.abspath(f"{name}.err"), postfix_output_files=False,
    )  # fmt: skip
    return path


good, bad, long = (
    manager.submit(job_file(name, command))
    for name, command in (("good", "echo fine"), ("bad", "exit 3"), ("long", "sleep 600"))
)


def status(job):
    return manager.query(job)


def wait(job, states):
    deadline = time.time() + 60
    while time.time() < deadline:
        found = status(job)
        if found["status"] in states:
            return found
        time.sleep(0.1)
    raise SystemExit(f"{job}: {found}")


answer = {
    "version": law.htcondor.get_htcondor_version(),
    "good": wait(good, {"finished", "failed"})["status"],
    "bad": [wait(bad, {"finished", "failed"})[key] for key in ("status", "code")],
    "long": wait(long, {"running"})["status"],
}
manager.cancel(long)
answer["cancelled"] = wait(long, {"failed", "finished"})["status"]
print(json.dumps(answer))
