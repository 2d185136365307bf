"""The least that a short job needs, one job after the other: ``python bare_loop.py JOBS PROGRAM [WORD ...]``.

A scratch directory, a process, two lines in a log, one sync for many jobs. With the environment variable INPUT, this
file is copied into each scratch directory as ``in``, and what the program leaves in ``out`` is copied to ``copies``.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence


def bare_loop(jobs: int, words: Sequence[str] = ("/bin/true",), source: str = "") -> float:
    """Run the jobs in a temporary directory; seconds."""
    with tempfile.TemporaryDirectory() as directory:
        begin = time.perf_counter()
        log = os.open(f"{directory}/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.mkdir(f"{directory}/copies")
        for number in range(jobs):
            scratch = f"{directory}/dir_{number}"
            os.mkdir(scratch)
            if source:
                shutil.copyfile(source, f"{scratch}/in")
                os.chdir(scratch)
            pid = os.posix_spawn(words[0], list(words), {})
            handle = os.pidfd_open(pid)
            os.waitid(os.P_PIDFD, handle, os.WEXITED)
            os.close(handle)
            if source:
                shutil.copyfile(f"{scratch}/out", f"{directory}/copies/{number}")
                os.unlink(f"{scratch}/out")
                os.unlink(f"{scratch}/in")
            os.rmdir(scratch)
            os.write(log, b"001 (001.000.000) Job executing\n...\n005 (001.000.000) Job terminated\n...\n")
            if number % 20 == 19:
                os.fdatasync(log)
        os.close(log)
        os.chdir("/")
        return time.perf_counter() - begin


if __name__ == "__main__":
    print(bare_loop(int(sys.argv[1]), sys.argv[2:] or ("/bin/true",), os.environ.get("INPUT", "")))
