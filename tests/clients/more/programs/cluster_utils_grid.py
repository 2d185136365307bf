"""cluster-utils: a search over a grid of parameters, whose jobs report to the program that submitted them.

It calls condor_submit_bid, the program of its authors' pool that submits with a bid; here one that forgets the bid.
"""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pandas

Path.home().joinpath(".cache").mkdir(exist_ok=True)

Path("bin").mkdir()
Path("bin/condor_submit_bid").write_text('#!/bin/sh\nexec condor_submit "$2"\n')
os.chmod("bin/condor_submit_bid", 0o755)
Path("point.py").write_text(
    "from cluster_utils import cluster_main\n"
    "@cluster_main\n"
    "def main(working_dir, id, x, y):\n"
    "    return {'result': x * x + y}\n"
    "if __name__ == '__main__':\n"
    "    main()\n"
)
Path("grid.json").write_text(
    json.dumps(
        {
            "optimization_procedure_name": "grid",
            "results_dir": os.path.relpath("results", Path.home()),
            "script_relative_path": "point.py",
            "run_in_working_dir": True,
            "remove_jobs_dir": False,
            "fixed_params": {},
            "restarts": 1,
            "samples": None,
            "environment_setup": {"pre_job_script": None},
            "cluster_requirements": {
                "request_cpus": 1, "request_gpus": 0, "cuda_requirement": None, "memory_in_mb": 256, "bid": 10
            },
            "hyperparam_list": [{"param": "x", "values": [2, 3]}, {"param": "y", "values": [10, 20]}],
        }
    )
)  # fmt: skip
_, terminal = pty.openpty()  # it looks for keys that are pressed meanwhile
done = subprocess.run(
    [sys.executable, "-m", "cluster_utils.grid_search", "grid.json"],
    env=os.environ | {"PATH": f"{Path('bin').absolute()}:{os.environ['PATH']}"},
    capture_output=True, text=True, stdin=terminal, check=False,
)  # fmt: skip
if done.returncode:
    sys.exit(done.stdout[-2000:] + done.stderr[-2000:])
table = pandas.concat([pandas.read_csv(path) for path in Path("results").rglob("all_data.csv")])
print(json.dumps([sorted(int(number) for number in table["result"])]))
