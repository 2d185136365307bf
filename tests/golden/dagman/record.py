"""Runs the cases with the real condor_dagman and keeps what it says: ``python record.py`` as an ordinary account,
with TMPDIR outside /tmp.

CONDOR_PY_REAL_HTCONDOR names the installation. Each case is read with -Dot, which runs nothing and needs no pool.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from language_cases import CASES, DAGS, FLAGS, KNOBS

REAL = Path(os.environ.get("CONDOR_PY_REAL_HTCONDOR", "/usr"))
VERSION = "$CondorVersion: 25.14.0 2026-11-20 BuildID: 1 $"


def run(name: str, home: Path) -> dict[str, object]:
    """What condor_dagman makes of a case: its exit code, the lines about the DAG, nodes and edges of its DOT file."""
    for path, text in CASES[name].items():
        target = home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    dags = DAGS.get(name, ["t.dag"])
    (home / "extra.dag").write_text("DOT graph.out OVERWRITE\n")
    config = home / "config"
    config.write_text(f"RELEASE_DIR = {REAL}\nLOCAL_DIR = {home}\nCONDOR_HOST = 127.0.0.1\nLOG = {home}\n")
    command = [str(REAL / "bin/condor_dagman"), "-f", "-l", ".", "-Lockfile", "t.lock"]
    for dag in dags:
        command += ["-Dag", dag]
    command += ["-CsdVersion", VERSION, "-AllowVersionMismatch", "-Dot", *FLAGS.get(name, [])]
    first = home / dags[0]
    if first.exists() and b"DOT" not in first.read_bytes() and not first.read_bytes().endswith(b"\\"):
        with first.open("ab") as file:
            file.write(b"\nDOT graph.out OVERWRITE\n")
    env = {"PATH": f"{REAL}/bin:/usr/bin:/bin", "CONDOR_CONFIG": str(config), "_CONDOR_DAGMAN_LOG": str(home / "out"),
           "HOME": str(home), "USER": os.environ.get("USER", ""), "LANG": "C.UTF-8",
           **{f"_CONDOR_{knob}": value for knob, value in KNOBS.get(name, {}).items()}}  # fmt: skip
    done = subprocess.run(command, cwd=home, env=env, capture_output=True, timeout=60, check=False)
    lines = [re.sub(r"^\d\d/\d\d/\d\d \d\d:\d\d:\d\d ", "", line) for line in (home / "out").read_text().split("\n")]
    return {"code": done.returncode, "log": about(lines, home), **graph(home)}


def about(lines: list[str], home: Path) -> list[str]:
    """The lines between the one that begins to read and the one that is of something else."""
    start = next(at for at, line in enumerate(lines) if line.startswith("Parsing "))
    found = []
    for line in lines[start + 1 :]:
        if line.startswith(("Dag contains", "Aborting DAG", "**** ", "Unable to write .dot", "Writing .dot")):
            break
        if not line.startswith(
            ("Removing any/all", "Running: ", "Disabling log", "Adjusting edges", "Caught", "Stack")
        ):
            found.append(line.replace(str(home), "HOME"))
    return [line for line in found if line]


def graph(home: Path) -> dict[str, object]:
    places = [path for path in home.rglob("graph.out*") if path.is_file()]
    if not places:
        return {"nodes": None, "edges": None}
    text = places[0].read_text()
    nodes = re.findall(r'^    "(.*)" \[shape', text, re.M)
    return {"nodes": nodes, "edges": [list(edge) for edge in re.findall(r'^    "(.*)" -> "(.*)";', text, re.M)]}


def main() -> None:
    found = {}
    for name in CASES:
        with tempfile.TemporaryDirectory() as home:
            found[name] = run(name, Path(home))
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("language.json")
    target.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
