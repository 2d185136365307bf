"""joblib with the HTCondor backend."""

import json
import os

import joblib
from joblib_htcondor import register_htcondor


def square(number):
    return number * number, os.environ.get("_CONDOR_SLOT", "")


if __name__ == "__main__":
    register_htcondor()
    with joblib.parallel_config(
        backend="htcondor", n_jobs=-1, request_cpus=1, request_memory="200MB", request_disk="100MB", poll_interval=1,
        extra_directives={"getenv": "true"},
    ):  # fmt: skip
        answers = joblib.Parallel()(joblib.delayed(square)(number) for number in range(4))
    print(json.dumps({"squares": [value for value, _ in answers], "in_slots": all(slot for _, slot in answers)}))
