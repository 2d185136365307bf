"""A pool whose tools the client programs find, and the interpreter that has these programs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from pool import ROOT, PersonalPool, wait_for

_HERE = Path(__file__).parent
#: The bindings under the names htcondor, htcondor2, classad and classad2.
SHIMS = ROOT / "condor_py" / "bindings" / "shims"


def interpreter() -> Path:
    """The Python of the client programs: of CONDOR_PY_CLIENTS, or of what ``tests/clients/install`` made."""
    return Path(os.environ.get("CONDOR_PY_CLIENTS", _HERE / ".venv")) / "bin" / "python"


class ClientPool(PersonalPool):
    """A pool whose tools the client programs find in PATH."""

    def __init__(self, directory: Path, cpus: int) -> None:
        super().__init__(directory, cpus=cpus)
        self.python = interpreter()
        self.environment |= {
            "PATH": f"{ROOT / 'bin'}:{self.python.parent}:{os.environ.get('PATH', '/usr/bin:/bin')}",
            "CONDOR_PY_PYTHON": sys.executable,
            "PYTHONPATH": f"{SHIMS}:{ROOT}",
            "USER": "tester",
        }

    def client(self, program: str, *words: str, seconds: float = 100.0) -> Any:
        """Runs ``programs/PROGRAM.py`` with the clients' interpreter; what its last line of output says in JSON."""
        path = shutil.copy(_HERE / "programs" / f"{program}.py", self.work)
        done = subprocess.run(
            [str(self.python), path, *words],
            env=self.environment,
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        assert done.returncode == 0, f"{program}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return json.loads(done.stdout.splitlines()[-1])

    def drained(self) -> None:
        """Waits until nothing is in the queue any more."""
        wait_for(lambda: not self.queue("ClusterId"), "the queue is empty", 30)
