"""How soon each tool prints, on the empty queue of a running pool: from the start of the command to its first byte.

The commands are those that pip installs from a wheel, in an environment of their own.

Run it through tests/bench/run. Beside each figure stand the bare interpreter (``python -I -S -c pass``), which nothing
written in Python can beat, and what of the rest is the tool. Arguments name tools; without any all are measured.
``-X importtime`` shows where time goes: ``python -X importtime -I -S condor_py/__main__.py condor_q``.
"""

from __future__ import annotations

import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1] / "e2e")]

from pool import ROOT, PersonalPool

from condor_py.cli.entry import PROGRAMS

#: Milliseconds that a tool may take.
LIMIT = 80.0
ROUNDS = 11
#: What a tool is asked to do; tools that are not here print their version or, where they have none, their help.
ASKED = {
    "classad_eval": ("1 + 1",),
    "condor_check_userlogs": ("run.log",),
    "condor_config_val": ("SPOOL",),
    "condor_continue": ("1",),
    "condor_history": (),
    "condor_hold": ("1",),
    "condor_now": ("1.0", "2.0"),
    "condor_off": ("nosuch",),
    "condor_on": ("nosuch",),
    "condor_preen": ("-verbose",),
    "condor_prio": ("-p", "1", "1.0"),
    "condor_q": (),
    "condor_qedit": ("1.0", "Foo", "1"),
    "condor_qsub": ("-test", "-print", "run.sh"),
    "condor_reconfig": (),
    "condor_release": ("1",),
    "condor_reschedule": (),
    "condor_restart": ("nosuch",),
    "condor_rm": ("1",),
    "condor_run": ("-help",),
    "condor_set_shutdown": ("-exec", "x"),
    "condor_ssh_to_job": ("1.0",),
    "condor_status": (),
    "condor_store_check": (),
    "condor_submit": ("-dry-run", "-", "job.sub"),
    "condor_suspend": ("1",),
    "condor_tail": ("1.0",),
    "condor_transform_ads": ("-rules", "rules", "ads"),
    "condor_userlog": ("run.log",),
    "condor_userprio": ("-allusers",),
    "condor_vacate": ("nosuch",),
    "condor_vacate_job": ("1",),
    "condor_version": (),
    "condor_wait": ("run.log",),
    "condor_watch_q": (),
    "condor_who": (),
}


def first_byte(command: list[str], environment: dict[str, str], place: Path) -> float:
    """Milliseconds until the command prints something, on either stream, or ends."""
    reading, writing = os.pipe()
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment, cwd=place, stdin=subprocess.DEVNULL, stdout=writing, stderr=writing
    )
    os.close(writing)
    select.select([reading], [], [], 30)
    taken = time.perf_counter() - begin
    with os.fdopen(reading, "rb") as rest:
        rest.read()
    process.wait()
    return taken * 1000


def prepare(place: Path) -> None:
    """The files that the commands name."""
    (place / "job.sub").write_text("executable = /bin/true\nqueue\n")
    (place / "run.sh").write_text("#!/bin/sh\n")
    (place / "rules").write_text("SET Foo 1\n")
    (place / "ads").write_text("ClusterId = 1\nProcId = 0\n")
    (place / "run.log").write_bytes((ROOT / "tests" / "golden" / "tools" / "alloc.log").read_bytes())


def installed(place: Path) -> Path:
    """The directory of the commands of a wheel of this checkout, installed below ``place``."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(place), str(ROOT)], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place / "env")], check=True)
    python = str(place / "env" / "bin" / "python")
    wheels = [str(path) for path in place.glob("*.whl")]
    subprocess.run([*pip, "--python", python, "install", "--no-deps", *wheels], check=True)
    return place / "env" / "bin"


def measure(pool: PersonalPool, commands: Path, names: list[str]) -> int:
    """Prints the table; how many tools are over the limit."""
    environment = {name: value for name, value in pool.environment.items() if name != "CONDOR_PY_PYTHON"}
    bare = [first_byte([sys.executable, "-I", "-S", "-c", "pass"], environment, pool.work) for _ in range(ROUNDS)]
    floor = statistics.median(bare)
    print(f"bare interpreter: {floor:.0f} ms; limit {LIMIT:.0f} ms; median and best of {ROUNDS}\n")
    print(f"{'tool':<24} {'median':>7} {'best':>6} {'tool':>6}  arguments")
    over = 0
    for name in names:
        arguments = ASKED.get(name, ("-version",))
        command = [str(commands / name), *arguments]
        times = [first_byte(command, environment, pool.work) for _ in range(ROUNDS)]
        median = statistics.median(times)
        over += median > LIMIT
        mark = " !" if median > LIMIT else ""
        print(f"{name:<24} {median:7.0f} {min(times):6.0f} {median - floor:6.0f}  {' '.join(arguments)}{mark}")
    return over


def main() -> int:
    """Everything, or the tools that are named."""
    names = sys.argv[1:] or sorted(name for name in PROGRAMS if (ROOT / "bin" / name).exists())
    with tempfile.TemporaryDirectory() as directory:
        pool = PersonalPool(Path(directory, "pool"))
        prepare(pool.work)
        pool.start()
        try:
            over = measure(pool, installed(Path(directory, "installed")), names)
        finally:
            pool.stop()
    print(f"\n{over} of {len(names)} tools are over the limit")
    return 0


if __name__ == "__main__":
    sys.exit(main())
