"""Jobs a second of few and of very many short jobs; ``dispatch`` has 2,000 and 10,000."""

from __future__ import annotations

from collections.abc import Iterator

from bare_loop import bare_loop
from table import Row

from rows.common import pool_of
from rows.dispatch import burst, gnu_parallel, hyperqueue

_SIZES, _QUICK = (400, 100_000), (50, 100)
#: Jobs of the loop and of peers at most: they need the same for each.
_MOST = 2_000


def rows(quick: bool) -> Iterator[Row]:
    with pool_of(CLAIM_WORKLIFE="-1") as pool:
        burst(pool, 100, "warm.log")
        for jobs in _QUICK if quick else _SIZES:
            rate = jobs / burst(pool, jobs, f"run{jobs}.log")
            few = min(jobs, _MOST)
            work = f"{jobs:,} x /bin/true, 8 slots"
            yield Row(work, rate, "/s", 1500, few / bare_loop(few), "bare loop")
            for name, peer in (("GNU parallel", gnu_parallel), ("HyperQueue", hyperqueue)):
                took = peer(few)
                if isinstance(took, str):
                    yield Row(f"{work}, and {name}", rate, "/s", missing=took)
                else:
                    yield Row(f"{work}, and {name}", rate, "/s", None, few / took, name)
