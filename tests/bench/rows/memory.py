"""Memory of the schedd."""

from __future__ import annotations

from collections.abc import Iterator

from table import Row

from rows.common import lines_in, memory_mb, pool_of, submit, wait_for

#: What the schedd of HTCondor 25.14 held 100,000 jobs in, recorded.
_RECORDED = 440.0


def rows(quick: bool) -> Iterator[Row]:
    jobs = 1_000 if quick else 100_000
    with pool_of() as pool:
        empty = memory_mb(pool.pid("schedd"))
        submit(pool, jobs, 10, "requirements = false")
        wait_for(lambda: lines_in(pool.work / "many.log", b"000 (") >= jobs, "the schedd has seen them", 300)
        held = memory_mb(pool.pid("schedd"))
        yield Row("memory of the schedd, no jobs", empty, "MB")
        yield Row(f"memory of the schedd, {jobs:,} jobs", held, "MB", 80, _RECORDED, "HTCondor, recorded")
    with pool_of() as pool:
        late = jobs * 10
        submit(pool, late, 1, "requirements = false\nmax_idle = 100")
        wait_for(lambda: lines_in(pool.work / "many.log", b"000 (") >= 100, "the first are there", 300)
        held = memory_mb(pool.pid("schedd"))
        yield Row(f"memory of the schedd, {late:,} jobs in a late cluster", held, "MB", 60)
