"""Keeps what the real condor_dag_checker says of the cases: see record.py, which keeps what condor_dagman says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from checker_cases import CASES, COMMANDS

REAL = Path(os.environ.get("CONDOR_PY_REAL_HTCONDOR", "/usr"))


def run(name: str, home: Path) -> dict[str, object]:
    for path, text in CASES[name].items():
        target = home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    config = home / "config"
    config.write_text(f"RELEASE_DIR = {REAL}\nLOCAL_DIR = {home}\n")
    env = {"PATH": "/usr/bin:/bin", "CONDOR_CONFIG": str(config), "HOME": str(home), "LANG": "C.UTF-8"}
    found: dict[str, object] = {}
    for command in COMMANDS.get(name, ["t.dag", "-json t.dag", "-stat t.dag"]):
        done = subprocess.run([str(REAL / "bin/condor_dag_checker"), *command.split()], cwd=home, env=env,
                              capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
        found[command] = {"code": done.returncode, "out": done.stdout.replace(str(home), "HOME")}
        if done.returncode == 2:
            found[command] = {"code": 2, "err": done.stderr}
    return found


def main() -> None:
    found = {}
    for name in CASES:
        with tempfile.TemporaryDirectory() as home:
            found[name] = run(name, Path(home))
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("checker.json")
    target.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
