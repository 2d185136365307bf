"""conpy: functions as tasks of its area."""

import json
import operator
import os

import conpy


def main():
    tasks = [{"task": operator.mul, "args": [number, number], "kwargs": {}} for number in range(3)]
    made = conpy.condor_submit("squares", "work", tasks, quiet=True, sleep=1, request_resubmission_options=False)
    print(json.dumps([os.path.exists(path) for path in made]))


if __name__ == "__main__":
    main()
