"""A toil workflow whose jobs are HTCondor jobs."""

import json
import os

from toil.common import Toil
from toil.job import Job


def leaf(job, number):
    return number * number, os.environ.get("_CONDOR_SLOT", "")


def root(job):
    return [job.addChildJobFn(leaf, number, memory="200M", disk="10M", cores=1).rv() for number in range(2)]


if __name__ == "__main__":
    parser = Job.Runner.getDefaultArgumentParser()
    options = parser.parse_args([
        "file:" + os.path.abspath("jobstore"), "--batchSystem", "htcondor", "--statePollingWait", "1",
        "--workDir", os.path.abspath("."), "--maxCores", "4", "--logWarning",
        "--batchLogsDir", os.path.abspath("."),
    ])  # fmt: skip
    with Toil(options) as workflow:
        answers = workflow.start(Job.wrapJobFn(root, memory="200M", disk="10M", cores=1))
    print(json.dumps({"squares": [value for value, _ in answers], "in_slots": all(slot for _, slot in answers)}))
