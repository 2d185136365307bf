"""New jobs that came together are looked at a few at a time, so that nobody waits for all of them.

They are in the queue; the core hears of them piece by piece. What else was written is news at once: the others are what
the next batch may act on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from condor_py.model.record import NEW_AD, Change, Entry, NewJobs

#: Records that are news at once, and new jobs of one piece.
SOME_RECORDS = 2_000
_JOBS = 250


@dataclass(eq=False, slots=True)
class Intake:
    """New jobs that the core has not heard of, and who waits until it has. ``is_ours``: a client of ours brought
    them, and nobody else waits for them."""

    pieces: Iterator[Sequence[Entry]]
    waiting: list[Callable[[], None]]
    is_ours: bool = False


def split(records: Sequence[Entry]) -> tuple[Sequence[Entry], Sequence[Sequence[Entry]]]:
    """What is news at once, and where there are many new jobs the records that made them, piece by piece. The others of
    these jobs, and of their clusters, say nothing that the queue does not show."""
    pieces: list[Sequence[Entry]] = []
    for entry in records:
        if isinstance(entry, NewJobs):
            for cluster, procs in entry.jobs:
                parts = [procs[first : first + _JOBS] for first in range(0, len(procs), _JOBS)]
                pieces += [[NewJobs(((cluster, part),))] for part in parts]
    if len(pieces) <= 1 and len(records) <= SOME_RECORDS:
        return records, ()
    made = [entry for entry in records if type(entry) is Change and entry.op == NEW_AD]
    new = {entry.key for entry in made}
    jobs = [entry for entry in made if entry.key[0] != "0" and "-" not in entry.key]
    pieces += [jobs[first : first + _JOBS] for first in range(0, len(jobs), _JOBS)]
    others = [entry for entry in records if type(entry) is not NewJobs]
    return [entry for entry in others if type(entry) is not Change or entry.key not in new], pieces


def keys_of(piece: Sequence[Entry]) -> Iterator[str]:
    """The jobs of a piece."""
    for entry in piece:
        if isinstance(entry, NewJobs):
            yield from [f"{cluster}.{proc}" for cluster, procs in entry.jobs for proc in procs]
        elif isinstance(entry, Change):
            yield entry.key
