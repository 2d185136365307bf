"""The capacity of a machine, for DAGs in virtual time: its slots, the jobs on them and those that wait.

It is much coarser than `simulation.Simulation`, which asks the daemons' own decision logic about every job, and much
faster: one user's jobs, each with its request, started in the order of priority and age wherever they fit. Jobs with
equal requests form one line; a line whose first job fits nowhere does not keep the others from starting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import NamedTuple


class Need(NamedTuple):
    """The request of a job: cores, MB of memory, KB of disk, GPUs."""

    cpus: float = 1
    memory: float = 0
    disk: float = 0
    gpus: float = 0


@dataclass(slots=True)
class Slot:
    """A slot and what is free of it. A ``whole`` one has one job at a time, others as many as fit."""

    free: Need
    whole: bool = False
    busy: bool = False

    def fits(self, need: Need) -> bool:
        """Whether a job fits now."""
        free = self.free
        return not (self.whole and self.busy) and (
            need.cpus <= free.cpus and need.memory <= free.memory and need.disk <= free.disk and need.gpus <= free.gpus
        )

    def change(self, need: Need, sign: int) -> None:
        """Take what a job needs (-1), or give it back (1)."""
        free = self.free
        self.free = Need(
            free.cpus + sign * need.cpus,
            free.memory + sign * need.memory,
            free.disk + sign * need.disk,
            free.gpus + sign * need.gpus,
        )
        self.busy = sign < 0


class Machine:
    """Slots, and lines of jobs that wait for them. Jobs are numbers that the caller gives."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        self._slots = [replace(slot) for slot in slots]
        self._empty = tuple(slots)
        self._lines: dict[Need, list[tuple[int, int]]] = {}
        self._needs: dict[int, Need] = {}
        self._places: dict[int, Slot] = {}
        self._gone: set[int] = set()
        #: How many jobs run.
        self.running = 0

    def could_ever(self, need: Need) -> bool:
        """Whether a job would fit on the empty machine."""
        return need in self._lines or any(slot.fits(need) for slot in self._empty)

    def queue(self, job: int, need: Need, priority: int) -> None:
        """A job waits from now on. ``job`` numbers grow with time."""
        self._needs[job] = need
        heappush(self._lines.setdefault(need, []), (-priority, job))

    def start(self) -> Iterator[int]:
        """The jobs that start now, in order. The caller may queue and end jobs when it has them all."""
        full: set[Need] = set()
        while waiting := [(line[0], need) for need, line in self._lines.items() if need not in full]:
            (_, job), need = min(waiting)
            slot = next((slot for slot in self._slots if slot.fits(need)), None)
            if slot is None and job not in self._gone:
                full.add(need)
                continue
            heappop(self._lines[need])
            if not self._lines[need]:
                del self._lines[need]
            if slot is None or job in self._gone:
                self._gone.discard(job)
                continue
            slot.change(need, -1)
            self._places[job] = slot
            self.running += 1
            yield job

    def end(self, job: int) -> None:
        """A job is over, or is removed before it ran."""
        need, slot = self._needs.pop(job), self._places.pop(job, None)
        if slot is None:
            self._gone.add(job)
            return
        slot.change(need, 1)
        self.running -= 1
