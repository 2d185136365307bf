"""condor_q at 100,000 jobs in ten clusters."""

from __future__ import annotations

from collections.abc import Iterator

from table import Row

from rows.common import median, pool_of, submit, tool

#: What is asked, the goal, and what condor_q of HTCondor 25.14 needed on the machine of its recording, in seconds.
_ASKED: tuple[tuple[tuple[str, ...], float, float | None], ...] = (
    (("-nobatch",), 0.5, 2.0),
    (("-af", "ClusterId", "ProcId"), 0.2, 0.63),
    (("-constraint", "Step == 3", "-af", "ClusterId", "ProcId"), 0.2, None),
    (("5.17",), 0.05, 0.074),
)


def rows(quick: bool) -> Iterator[Row]:
    jobs = 1_000 if quick else 100_000
    with pool_of(start=False) as pool:
        submit(pool, jobs, 10)
        for words, goal, recorded in _ASKED:
            took = median(3 if quick else 7, tool(pool, "condor_q", *words))
            beside = None if quick else recorded
            yield Row(f"condor_q {' '.join(words)}, {jobs:,} jobs", took, "s", goal, beside, "HTCondor, recorded")
