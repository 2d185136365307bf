"""What the log of a job tells of its runs, by the numbers of its events."""

from __future__ import annotations

from itertools import pairwise

#: Events after which a run is over and its job is not; the end of a job needs the run.
_INTERRUPTIONS = (4, 7, 9, 12, 24)
#: Those after which a run is over.
_ENDS = (5, *_INTERRUPTIONS)


def story_of(numbers: list[int]) -> str:
    """What is wrong with the events of one job (image sizes left out); empty when they tell a consistent story."""
    if numbers[:1] != [0] or numbers.count(0) != 1:
        return "submitted other than once, first"
    running = False
    for before, number in pairwise(numbers):
        if before in (5, 9):
            return f"goes on with {number} after it ended"
        if number == 1 and running:
            return "starts twice without having ended in between"
        running = number == 1 or (running and number not in _INTERRUPTIONS)
        if number == 5 and before not in (1, 23):
            return f"terminates after {before}"
        if number == 5 and not running:
            return "terminates without having started"
    return "" if numbers[-1] in (5, 9) else f"ends with {numbers[-1]}"


def told_runs(numbers: list[int]) -> int:
    """How often a program may have begun by what the log of its job tells: a start, or the end of a run whose start
    nobody heard of."""
    runs, running = 0, False
    for number in numbers:
        if number == 1 or (number in _ENDS and not running):
            runs += 1
        running = number == 1 or (running and number not in _ENDS)
    return runs
