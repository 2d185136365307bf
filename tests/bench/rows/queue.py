"""condor_q at 100,000 jobs in ten clusters."""

from __future__ import annotations

from collections.abc import Iterator

from table import Row

from rows.common import lines_in, median, pool_of, submit, tool, wait_for

#: What is asked, the goal, and what condor_q of HTCondor 25.14 needed on the machine of its recording, in seconds.
_ASKED: tuple[tuple[tuple[str, ...], float, float | None], ...] = (
    (("-nobatch",), 0.5, 2.0),
    (("-af", "ClusterId", "ProcId"), 0.2, 0.63),
    (("-constraint", "Step == 3", "-af", "ClusterId", "ProcId"), 0.2, None),
    (("5.17",), 0.05, 0.074),
    (("-why",), 0.5, None),
)


def rows(quick: bool) -> Iterator[Row]:
    jobs = 1_000 if quick else 100_000
    times = 3 if quick else 7
    with pool_of() as pool:
        submit(pool, jobs, 10, "requirements = false")
        wait_for(lambda: lines_in(pool.work / "many.log", b"000 (") >= jobs, "the schedd has seen them", 300)
        for words, goal, recorded in _ASKED:
            asked = f"condor_q {' '.join(words)}, {jobs:,} jobs"
            beside = None if quick else recorded
            yield Row(asked, median(times, tool(pool, "condor_q", *words)), "s", goal, beside, "HTCondor, recorded")
            everybodys = [*words, "-allusers"] if words[0][0] == "-" else list(words)
            theirs = median(times, lambda every=everybodys: pool.as_stranger("condor_q", *every))
            yield Row(f"  the same by an ordinary account, {words[0]}", theirs, "s", goal)
