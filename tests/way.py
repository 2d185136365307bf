#!/usr/bin/env python3
"""Print how many files of the package one job enters: those of each daemon, of all, and of condor_submit.

    tests/way.py [-files]

A copy of the package, whose daemons write down each file in which a function is called, runs a pool in a temporary
directory. One /bin/true runs to be past what happens once, then another one is followed from its submit until it has
left the queue. With -files the files are listed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Seconds for which a file that is entered is not noted again.
NOTED_FOR = 0.3
#: Put in front of the programs: a line "PROGRAM SECONDS FILE" for a file that is entered.
TRACER = """
import sys as _sys, time as _time
def _follow():
    noted, base = {}, %(package)r
    program = _sys.argv[1] if len(_sys.argv) > 1 else "?"
    def entered(frame, event, argument):
        file = frame.f_code.co_filename
        if event == "call" and frame.f_code.co_flags & 1 and file.startswith(base):  # a function, no body of a module
            now = _time.time()
            if now - noted.get(file, 0) > %(pause)s:
                noted[file] = now
                with open(%(log)r, "a") as out:  # anew each time: programs close what they do not know
                    out.write(f"{program} {now} {file[len(base) + 1:]}\\n")
    _sys.setprofile(entered)
_follow()
"""
PATIENCE = 60.0


def traced_copy(directory: Path, log: Path) -> Path:
    """Copy the package and its commands; both ways to start a program follow it."""
    package = directory / "condor_py"
    shutil.copytree(ROOT / "condor_py", package)
    shutil.copytree(ROOT / "bin", directory / "bin", symlinks=True)
    for program in (package / "__main__.py", package / "daemons" / "main.py"):
        text = program.read_text(encoding="utf-8")
        head, import_, rest = text.partition("\nimport ")
        program.write_text(
            head + TRACER % {"log": str(log), "package": str(package), "pause": NOTED_FOR} + import_ + rest
        )
    return directory / "bin"


def follow(directory: Path) -> dict[str, set[str]]:
    """Run the two jobs; program -> files that the second one entered."""
    log = directory / "entered"
    log.touch(mode=0o666)
    tools = traced_copy(directory, log)
    environment = {
        "PATH": f"{tools}:/usr/bin:/bin",
        "HOME": str(directory),
        "CONDOR_CONFIG": "ONLY_ENV",
        "CONDOR_PY_PYTHON": sys.executable,
        "_CONDOR_LOCAL_DIR": str(directory / "pool"),
    }
    (directory / "true.sub").write_text("executable = /bin/true\nlog = true.log\nqueue\n")

    def run(*words: str) -> str:
        return subprocess.run(words, env=environment, cwd=directory, check=True, capture_output=True, text=True).stdout

    def job() -> None:
        run("condor_submit", "true.sub")
        end = time.monotonic() + PATIENCE
        while run("condor_q", "-af", "ClusterId"):
            if time.monotonic() > end:
                sys.exit(f"the job has not left the queue after {PATIENCE:.0f} s")

    run("condor_master")
    try:
        run("condor_status", "-af", "Name")
        job()
        time.sleep(2 * NOTED_FOR)  # what the first one entered is noted anew
        begin = time.time()
        job()
    finally:
        run("condor_off", "-master", "-fast")
    entered: dict[str, set[str]] = defaultdict(set)
    for line in log.read_text().splitlines():
        program, seconds, file = line.split()
        if float(seconds) >= begin:
            entered[program].add(file)
    return entered


def main(argv: list[str]) -> int:
    """Print the figures."""
    with tempfile.TemporaryDirectory(prefix="way", ignore_cleanup_errors=True) as name:
        entered = follow(Path(name))
    daemons = {program: files for program, files in entered.items() if program.isupper()}
    rows = {**daemons, "all daemons": set().union(*daemons.values()), "condor_submit": entered["condor_submit"]}
    for program, files in rows.items():
        print(f"{program:<24}{len(files):>8,}")
        if "-files" in argv:
            print("".join(f"    {file}\n" for file in sorted(files)), end="")
    return 0


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main(sys.argv[1:]))
