"""condor_q at 100,000 jobs, in ten clusters and in a cluster each, as a loop of condor_submit makes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

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


#: The same of a cluster a job.
_OF_LOOP: tuple[tuple[tuple[str, ...], float], ...] = (
    (("condor_q",), 0.5),
    (("condor_q", "-nobatch"), 1.0),
    (("condor_q", "-af", "ClusterId", "ProcId"), 0.5),
    (("condor_q", "517.0"), 0.1),
    (("condor_prio", "-p", "3", "517.0"), 0.2),
)


def rows(quick: bool) -> Iterator[Row]:
    jobs = 1_000 if quick else 100_000
    times = 3 if quick else 7
    yield from _of_few_clusters(jobs, times, quick)
    with pool_of(start=False) as pool:
        (pool.work / "one.sub").write_text("executable = /bin/true\narguments = 1\nqueue\n")
        pool.tool("condor_submit", "-terse", "one.sub")
        _multiply(pool.spool / "job_queue.log", jobs)
        for words, goal in _OF_LOOP:
            tool(pool, *words)()  # which leaves an index of the log
            yield Row(f"{' '.join(words)}, {jobs:,} clusters", median(times, tool(pool, *words)), "s", goal)


def _multiply(log: Path, clusters: int) -> None:
    """Make a queue of one job, whose cluster is 1, one of many such clusters."""
    head, begin, made = log.read_text().rpartition("105 \n")
    made = made.replace("NextClusterNum 2", "NextClusterNum \1").replace("ClusterId 1\n", "ClusterId \0\n")
    for key, other in ((" 01.-1 ", " 0\0.-1 "), (" 1.-2 ", " \0.-2 "), (" 1.0 ", " \0.0 "), ("#1.0#", "#\0.0#")):
        made = made.replace(key, other)
    later = begin + "".join(line for line in made.splitlines(keepends=True) if line[4:7] not in ("0.0", "0.2"))
    with log.open("w") as file:
        file.write(head + begin + made.replace("\1", str(clusters + 1)).replace("\0", "1"))
        file.writelines(later.replace("\0", str(cluster)) for cluster in range(2, clusters + 1))


def _of_few_clusters(jobs: int, times: int, quick: bool) -> Iterator[Row]:
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
