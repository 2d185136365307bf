"""Real processes that write one queue at the same time, and are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from condor_py.model.errors import LockTimeout
from condor_py.store.adlog import scan
from condor_py.store.check import check_spool
from condor_py.store.job_queue import JobQueue

ROOT = Path(__file__).parents[2]

# Writes transactions for ever: raises the common counter by one, marks the number as its own, then tells it.
WRITER = """
import os, signal, sys
from condor_py.store.fs import RealFs
from condor_py.store.job_queue import JobQueue

path, name, tear_at = sys.argv[1], sys.argv[2], int(sys.argv[3])

class TearingFs(RealFs):
    writes = 0
    def write(self, handle, data):
        self.writes += 1
        if self.writes == tear_at:
            os.write(handle, data[: len(data) * 2 // 3])
            os.kill(os.getpid(), signal.SIGKILL)
        super().write(handle, data)

queue = JobQueue(path, TearingFs())
while True:
    with queue.transaction() as tx:
        number = int(queue.ads["0.0"].text("Counter") or "0") + 1
        tx.set("0.0", "Counter", str(number))
        tx.set("0.0", f"By{number}", f'"{name}"')
        for extra in range(20):
            tx.set("0.0", f"Filler{extra}", '"' + "x" * 50 + '"')
    if number % 40 == 0:
        queue.compact(1)
    os.write(1, b"%d\\n" % number)
"""


def start(path: str, name: str, tear_at: int = -1) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, path, name, str(tear_at)], stdout=subprocess.PIPE, env=environment
    )


def numbers(process: subprocess.Popen[bytes], count: int) -> list[int]:
    """The next acknowledged numbers of a writer; fewer when it dies."""
    assert process.stdout is not None
    found = []
    while len(found) < count and (line := process.stdout.readline()).endswith(b"\n"):
        found.append(int(line))
    return found


def test_killed_writers_lose_nothing_that_they_told(tmp_path: Path) -> None:
    path = str(tmp_path / "job_queue.log")
    acknowledged: dict[int, str] = {}
    for round_number in range(3):
        names = [f"w{round_number}{i}" for i in range(3)]
        # the third tears a write in the middle by its own death
        writers = {name: start(path, name, 25 if name.endswith("2") else -1) for name in names}
        for name, process in writers.items():
            for number in numbers(process, 30):
                assert number not in acknowledged
                acknowledged[number] = name
            process.send_signal(signal.SIGKILL)
        for name, process in writers.items():
            for number in numbers(process, 1_000_000):
                assert number not in acknowledged
                acknowledged[number] = name
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
    queue = JobQueue(path)
    with queue.transaction() as tx:  # cuts what the last of the dead may have left
        tx.set("0.0", "Closed", "true")
    header = queue.ads["0.0"]
    last = int(header.text("Counter") or "0")
    assert last >= max(acknowledged)
    assert last <= len(acknowledged) + 9, "a number was given that nobody was told, beyond one a dead writer"
    for number in range(1, last + 1):
        owner = header.text(f"By{number}")
        assert owner is not None, "the order was kept and no number left out"
        if number in acknowledged:
            assert owner == f'"{acknowledged[number]}"', "an acknowledged transaction was overwritten"
    assert scan(Path(path).read_bytes(), path).length == os.path.getsize(path)
    assert check_spool(str(tmp_path)) == []


def test_a_dead_holder_does_not_keep_the_lock_and_a_live_one_is_named(tmp_path: Path) -> None:
    path = str(tmp_path / "job_queue.log")
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time\n"
            "from condor_py.store.job_queue import JobQueue\n"
            "with JobQueue(sys.argv[1]).transaction() as tx:\n"
            "    tx.set('0.0', 'A', '1')\n"
            "    print('inside', flush=True)\n"
            "    sys.stdin.read()\n",
            path,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    assert holder.stdout.readline() == b"inside\n"
    queue = JobQueue(path)
    with pytest.raises(LockTimeout, match=rf"pid {holder.pid} \(.*python"):
        queue.transaction(timeout=0.02).__enter__()
    holder.kill()
    holder.wait()
    with queue.transaction(timeout=5) as tx:
        tx.set("0.0", "B", "2")
    assert queue.ads["0.0"].text("A") is None
    assert queue.ads["0.0"].text("B") == "2"
    assert os.stat(path + ".lock").st_mode & 0o777 == 0o600
    holder.stdin.close()
    holder.stdout.close()
