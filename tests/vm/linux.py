"""The example of a machine that runs Linux: it is evicted while it counts, and counts on where it was."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "e2e"))

import small_machine
from pool import PersonalPool, wait_for

COUNTS = 8


def main() -> int:
    if reason := small_machine.why_not():
        print(f"skipped: {reason}")
        return 0
    with tempfile.TemporaryDirectory(prefix="vm-linux.") as top:
        pool = PersonalPool(Path(top) / "pool")
        for name, value in (("VM_TYPE", "kvm"), ("VM_MEMORY", "500")):
            pool.knob(name, value)
        pool.knob("VM_EMULATE", "true" if small_machine.why_not(kvm=True) else "false")
        pool.start()
        try:
            run(pool)
        finally:
            pool.stop()
    return 0


def run(pool: PersonalPool) -> None:
    place = pool.work / "machine"
    shutil.copytree(ROOT / "etc" / "examples" / "machines", place)
    subprocess.run(["./make-machine", str(COUNTS)], cwd=place, check=True)
    wait_for(lambda: "true" in pool.tool("condor_status", "-af", "HasVM").stdout, "a machine was tried")
    begun = time.monotonic()
    pool.tool("condor_submit", "machine.sub", cwd=place)
    wait_for(lambda: "count 3" in console(pool), "it counts", 120)
    print(f"count 3 after {time.monotonic() - begun:.1f} s")
    pool.tool("condor_vacate_job", "1.0")
    wait_for(lambda: pool.history("ExitCode") == [["0"]], "it switched itself off", 120)
    print(f"done after {time.monotonic() - begun:.1f} s")
    lines = [line for line in (place / "console").read_text().splitlines() if line.startswith("count")]
    assert lines == [f"count {number + 1}" for number in range(COUNTS)], lines
    assert (place / "disk.img").read_bytes().startswith(b"result 8\n")
    assert pool.history("NumJobStarts") == [["2"]]
    print("every count came once, and the result is on the disk")


def console(pool: PersonalPool) -> str:
    """What the machine has written so far."""
    return "".join(path.read_text() for path in pool.execute.glob("dir_*/scratch/console"))


if __name__ == "__main__":
    sys.exit(main())
