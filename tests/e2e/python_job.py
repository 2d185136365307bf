"""A Python program that runs beside a pool."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

from pool import PATIENCE, ROOT, PersonalPool

_SHIMS = ROOT / "condor_py" / "bindings" / "shims"


def run(pool: PersonalPool, program: str) -> object:
    """What the program, which finds ``htcondor2`` and ``classad2`` under these names, left in ``answer``."""
    text = "import json, time, htcondor2, classad2\n" + textwrap.dedent(program) + "\nprint(json.dumps(answer))\n"
    done = subprocess.run(
        [sys.executable, "-c", text],
        env=pool.environment | {"PYTHONPATH": f"{ROOT}:{_SHIMS}"},
        cwd=pool.work,
        capture_output=True,
        text=True,
        timeout=120 * PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
