"""Every state of a small pool, and whether each is as it must be.

One schedd and one startd with the real cores, a disk that keeps what was committed, and a connection that keeps the
order of messages. In every state each thing that may happen next is tried: a message arrives, a batch is committed, a
program exits, a process is killed (the schedd also between the effects of a batch), the connection breaks, a user asks
for something, time passes beyond all leases. In no state may a job be lost, have two live programs, be twice in the
history, or be said to have ended when it did not; the invariants of both cores hold; when nothing is left to do, the
log of each job tells of every start of its program; and from every state there is a way on, without another fault, to
the end of all jobs.

    tests/model/run                         one scope for each thing that may go wrong
    tests/model/run schedd link+schedd      some scopes: one fault, two faults in either order
    tests/model/run -pairs                  every two things that may go wrong, with themselves too
    tests/model/run -most 20000 job+schedd  at most so many states

A scope is a sum of words: schedd, startd and starter (the process is killed once), link (the connection breaks),
eviction, pause (all leases end), hold (a user holds and releases), remove, vacate, job (one job more), cpu (one slot
more); calm is nothing.

Prints a line of JSON for each scope: states, steps, seconds, whether all states were visited, and what was wrong: the
way there as a list of actions, which ``World.do`` takes again. Exit status 1 when something was wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, replace
from itertools import combinations_with_replacement
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]

from model_search import Found, search
from model_world import Scope

#: What each word of a scope adds to a pool in which nothing goes wrong.
WORDS: dict[str, dict[str, int | tuple[str, ...]]] = {
    "calm": {},
    "schedd": {"schedd_deaths": 1},
    "startd": {"startd_deaths": 1},
    "starter": {"starter_deaths": 1},
    "link": {"broken_links": 1},
    "eviction": {"evictions": 1},
    "pause": {"pauses": 1},
    "hold": {"requests": 2, "kinds": ("hold", "release")},
    "remove": {"requests": 1, "kinds": ("remove",)},
    "vacate": {"requests": 1, "kinds": ("vacate",)},
    "job": {"jobs": 1},
    "cpu": {"cpus": 1},
}
#: Seconds between two lines of progress on a terminal.
_OFTEN = 2.0


def scope_of(name: str) -> Scope:
    """The scope that a sum of words names. ValueError: a word is unknown."""
    scope = Scope(schedd_deaths=0, kinds=())
    for word in name.split("+"):
        if word not in WORDS:
            raise ValueError(f"there is no scope {word!r}: a sum of {', '.join(WORDS)}")
        for field, more in WORDS[word].items():
            scope = replace(scope, **{field: getattr(scope, field) + more})
    return replace(scope, kinds=tuple(dict.fromkeys(scope.kinds)))


def pairs() -> list[str]:
    """Every two words, a word with itself too."""
    words = [word for word in WORDS if word not in ("calm", "cpu")]
    return ["+".join(pair) for pair in combinations_with_replacement(words, 2)]


class _Progress:
    """Shows on a terminal how far a search is."""

    def __init__(self, name: str) -> None:
        self._name, self._shown = name, time.monotonic()

    def show(self, found: Found) -> None:
        """Shows it, if the last time is a while ago."""
        if sys.stderr.isatty() and time.monotonic() - self._shown > _OFTEN:
            self._shown = time.monotonic()
            sys.stderr.write(f"\r{self._name}: {found.states} states, {found.steps} steps ")
            sys.stderr.flush()


def told(name: str, scope: Scope, found: Found, seconds: float) -> dict[str, object]:
    """What is printed of a search."""
    way, why = found.wrong or (found.stuck, "no way leads to an end of all jobs" if found.stuck else "")
    return {
        "scope": name, "states": found.states, "steps": found.steps, "ends": found.ends, "complete": found.is_complete,
        "seconds": round(seconds, 1), "wrong": why, "way": [list(action) for action in way or ()], **asdict(scope),
    }  # fmt: skip


def main(arguments: list[str]) -> int:
    """Runs the searches; the exit status."""
    parser = argparse.ArgumentParser(
        prog="tests/model/run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    parser.add_argument("-h", "-help", "--help", action="help", help="print this")
    parser.add_argument("-most", type=int, default=10**9, metavar="STATES", help="states of a scope at most")
    parser.add_argument("-pairs", action="store_true", help="every two things that may go wrong")
    parser.add_argument("scope", nargs="*", help=f"a sum of {', '.join(WORDS)}; without, each word")
    asked = parser.parse_args(arguments)
    try:
        scopes = {name: scope_of(name) for name in asked.scope or (pairs() if asked.pairs else WORDS)}
    except ValueError as error:
        parser.error(str(error))
    status = 0
    for name, scope in scopes.items():
        begun = time.monotonic()
        found = search(scope, asked.most, _Progress(name).show)
        status = 1 if found.wrong or found.stuck else status
        print(json.dumps(told(name, scope, found, time.monotonic() - begun)), flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
