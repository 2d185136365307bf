"""iceprod: the part of its server that submits tasks in one batch, looks at the queue and history, and removes jobs.

Its scripts begin with a program of IceCube's file system, which is not here: exit status 127.
"""

import asyncio
import json
import subprocess
import time
from pathlib import Path

from iceprod.core.config import Dataset, Job, Task
from iceprod.server.config import IceProdConfig
from iceprod.server.plugins.condor import CondorSubmit

Path("etc").mkdir()
Path("given.txt").write_text("given")
config = IceProdConfig(filename="etc/config.json", save=False)
config["queue"]["site"] = "here"
config["queue"]["batchopts"] = {"OwnAttribute": "7"}
submit = CondorSubmit(config, Path("submit").absolute(), Path("credentials").absolute())


def dataset(script: str) -> Dataset:
    made = Dataset(
        "set", 1, 2, 2, 1, "processing", 0.5, "group", "user", False,
        {
            "version": 3.2,
            "options": {},
            "steering": {"parameters": {}},
            "tasks": [
                {
                    "name": "step",
                    "trays": [{"modules": [{"src": script, "args": "$(job)"}]}],
                    "data": [
                        {"movement": "input", "remote": str(Path("given.txt").absolute()), "local": "given.txt"}
                    ],
                }
            ],
        },
    )  # fmt: skip
    made.fill_defaults()
    made.validate()
    return made


def tasks(script: str, count: int) -> list[Task]:
    of = dataset(script)
    return [
        Task(
            of, Job(of, f"job{number}", number, "processing"), f"task{number}", 0, "step", [],
            {"cpu": 1, "memory": 0.064, "disk": 0.001}, "queued", "", {}, instance_id=f"instance{number}",
        )
        for number in range(count)
    ]  # fmt: skip


def submitted(script: str, count: int) -> dict:
    return asyncio.run(submit.submit(tasks(script, count), Path("submit/all.jel").absolute()))


started = time.time()
Path("step.sh").write_text("#!/bin/sh\ncat given.txt; echo\necho index $1\n")
jobs = submitted(str(Path("step.sh").absolute()), 2)
begun = time.monotonic()
while submit.get_jobs() and time.monotonic() - begun < 60:
    time.sleep(0.2)
ended = {job: ad for job, ad in submit.get_history(since=int(started)) if job in jobs}
texts = [Path(jobs[job].submit_dir, "condor.err").read_text().strip().rpartition("/")[2] for job in sorted(jobs)]
Path("long.sh").write_text("#!/bin/sh\nsleep 600\n")
(long,) = submitted(str(Path("long.sh").absolute()), 1)
seen = submit.get_jobs()[long]
submit.remove(long, reason="enough")
begun = time.monotonic()
while submit.get_jobs() and time.monotonic() - begun < 30:
    time.sleep(0.2)
reason = subprocess.run(
    ["condor_history", str(long), "-af", "RemoveReason"], capture_output=True, text=True, check=True
).stdout.strip()
print(
    json.dumps(
        [
            sorted((job.task_id, job.instance_id, job.extra["ExitCode"]) for job in ended.values()),
            texts,
            [seen.task_id, seen.status.name in ("IDLE", "RUNNING")],
            reason,
        ]
    )
)
