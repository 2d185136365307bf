"""The parts of an attack, one after the other, each for so many seconds: ``attack.py [SECONDS] [PART ...]``."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent / "campaigns")]


def ads_in_daemons(until: float, seed: int) -> int:
    """Hostile ads through the cores of all daemons."""
    import fuzz_daemons

    count = 0
    while time.monotonic() < until:
        for failure in fuzz_daemons.run(seed, 3):
            count += 1
            if failure is not None:
                raise failure
            if time.monotonic() > until:
                break
        seed += 1
    return count


def hostile_account(until: float, seed: int) -> int:
    """An account that attacks the daemons of a real pool over their sockets."""
    import hostile_account

    return hostile_account.attack(until, seed)


def texts(until: float, seed: int) -> int:
    """Inputs of all parsers, as tests/campaigns/run inputs makes them."""
    import inputs

    return inputs.attack(until, seed)


def paths(until: float, seed: int) -> int:
    """An account that puts links in place of what belongs to its jobs."""
    import hostile_paths

    return hostile_paths.attack(until, seed)


def jobs(until: float, seed: int) -> int:
    """An account whose jobs are the attack."""
    import hostile_jobs

    return hostile_jobs.attack(until, seed)


def nasty_values(until: float, seed: int) -> int:
    """Attributes of jobs with every value, by every way into the queue."""
    import nasty_values

    rounds: list[str] = []
    found = nasty_values.run(seed, rounds.append, seconds=30.0, until=until)
    assert not found, "\n".join(line for line in rounds if line.startswith("FOUND"))
    return len(rounds)


def faulty_machine(until: float, seed: int) -> int:
    """A disk, a memory and a clock that fail for a while."""
    import faults

    return faults.attack(until, seed)


def live_machine(until: float, seed: int) -> int:
    """Directories of a live pool that fail."""
    import machine

    return machine.attack(until, seed)


PARTS: dict[str, Callable[[float, int], int]] = {
    "texts": texts,
    "daemons": ads_in_daemons,
    "account": hostile_account,
    "paths": paths,
    "jobs": jobs,
    "values": nasty_values,
    "faults": faulty_machine,
    "machine": live_machine,
}


def main(words: list[str]) -> int:
    """The exit status: 1 when something was found, which is printed with the seed that finds it again."""
    seconds = float(words.pop(0)) if words and words[0].replace(".", "").isdigit() else 60.0
    seed = random.SystemRandom().randrange(1 << 30)
    found = 0
    for name in words or PARTS:
        print(f"{name}: seed {seed}, {seconds:g} s ...", flush=True)
        try:
            count = PARTS[name](time.monotonic() + seconds, seed)
        except Exception as error:
            found = 1
            print(f"{name}: FOUND {type(error).__name__}: {error}")
        else:
            print(f"{name}: {count} attacks, nothing found")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
