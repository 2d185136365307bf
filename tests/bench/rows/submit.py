"""condor_submit of many jobs."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from table import Row

from rows.common import pool_of, seconds, tool


def _write_and_sync(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.write(descriptor, data)
    os.fdatasync(descriptor)
    os.close(descriptor)


def rows(quick: bool) -> Iterator[Row]:
    jobs = 1_000 if quick else 100_000
    text = "executable = /bin/true\narguments = $(Process)\noutput = o.$(Process)\n"
    with pool_of(start=False) as pool:
        (pool.work / "many.sub").write_text(f"{text}queue {jobs}\n")
        took = seconds(tool(pool, "condor_submit", "-terse", "many.sub"))
        data = (pool.spool / "job_queue.log").read_bytes()
        limit = seconds(lambda: _write_and_sync(pool.work / "copy", data))
        yield Row(f"condor_submit of {jobs:,}", jobs / took, "/s", 50_000, jobs / limit, "writing its bytes")
    with pool_of() as pool:
        few = jobs // 10
        (pool.theirs / "job.sub").write_text(f"{text}hold = true\nqueue {few}\n")
        pool.as_stranger("condor_q")
        begin = time.perf_counter()
        pool.submit_as_stranger(f"{text}hold = true\nqueue {few}\n")
        took = time.perf_counter() - begin
        yield Row(f"condor_submit of {few:,} by an ordinary account", few / took, "/s", 25_000)
