"""Runs a case of submit_cases.py with any condor_submit_dag, and keeps what it said and wrote."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from submit_cases import CASES, KNOBS, words

REAL = os.environ.get("CONDOR_PY_REAL_HTCONDOR", "/usr")


def prepare(name: str, home: Path) -> None:
    for path, text in CASES[name][0].items():
        target = home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def surroundings(name: str, place: Path, home: Path, more: dict[str, str]) -> dict[str, str]:
    """The environment of a run; condor_dagman is a program that does nothing."""
    programs = place / "bin"
    programs.mkdir()
    (programs / "condor_dagman").write_text("#!/bin/sh\n")
    (programs / "condor_dagman").chmod(0o755)
    config = place / "config"
    knobs = "".join(f"{knob} = {value}\n" for knob, value in KNOBS.get(name, {}).items())
    files = "SCHEDD_ADDRESS_FILE = /address\nSCHEDD_DAEMON_AD_FILE = /ad\n"
    config.write_text(f"RELEASE_DIR = {REAL}\nLOCAL_DIR = {place}\n{files}{knobs}")
    return {"CONDOR_CONFIG": str(config), "HOME": str(home), "LANG": "C.UTF-8", **more,
            "PATH": f"{programs}:{more['PATH']}"}  # fmt: skip


def run(name: str, place: Path, home: Path, tool: list[str], env: dict[str, str]) -> list[dict[str, object]]:
    found = []
    for command in CASES[name][1]:
        done = subprocess.run([*tool, *words(command)], cwd=home, env=env, capture_output=True, text=True, timeout=60,
                              check=False)  # fmt: skip
        files = {str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()}
        subs = {file: (home / file).read_text() for file in sorted(files) if file.endswith(".condor.sub")}
        shown = {"code": done.returncode, "out": done.stdout, "err": done.stderr, "files": sorted(files), "subs": subs}
        found.append(json.loads(same(json.dumps(shown), place, home)))
    return found


def same(text: str, place: Path, home: Path) -> str:
    """Without what differs from machine to machine and from version to version, and without the usage."""
    text = text.replace(str(home), "HOME").replace(str(place), "PLACE")
    text = re.sub(r"-CsdVersion .*?'\$", "-CsdVersion V", text)
    return re.sub(r"Usage: condor_submit_dag[^\"]*", "USAGE", text)


def main() -> None:
    found = {}
    for name in CASES:
        with tempfile.TemporaryDirectory() as directory:
            place = Path(directory)
            home = place / "home"
            home.mkdir()
            prepare(name, home)
            env = surroundings(name, place, home, {"PATH": f"{REAL}/bin:/usr/bin:/bin"})
            found[name] = run(name, place, home, [f"{REAL}/bin/condor_submit_dag"], env)
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("submit.json")
    target.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
