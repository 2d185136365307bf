"""What a pool has done, to be done once more: a line a job, QDate Owner RemoteWallClockTime RequestCpus."""

from __future__ import annotations

from condor_py.simulate.durations import Constant
from condor_py.simulate.simulation import Simulation

_FIELDS = 4
#: Neighbours in the trace that differ in nothing are one cluster of at most so many jobs.
_MOST = 1000


def read_trace(simulation: Simulation, path: str) -> int:
    """Submits the jobs of a trace, the first one at the start; how many. Jobs that never ran are left out. ValueError
    names the line; OSError."""
    found = sorted(_lines(path))
    first = found[0][0] if found else 0
    at = 0
    while at < len(found):
        moment, user, seconds, cpus = job = found[at]
        end = at + 1
        while end < len(found) and end - at < _MOST and found[end] == job:
            end += 1
        simulation.submit(user, end - at, Constant(seconds), at=float(moment - first), cpus=cpus)
        at = end
    return len(found)


def _lines(path: str) -> list[tuple[int, str, float, int]]:
    found = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            try:
                if len(words) != _FIELDS:
                    raise ValueError
                moment, user, seconds, cpus = int(words[0]), words[1], float(words[2]), words[3]
                wanted = int(float(cpus)) if cpus != "undefined" else 1
            except ValueError:
                raise ValueError(
                    f"{path}: line {number}: QDate, Owner, RemoteWallClockTime and RequestCpus are needed"
                ) from None
            if seconds > 0:
                found.append((moment, user, seconds, max(1, wanted)))
    return found
