"""Files of a spool, and those that jobs leave, damaged at random: nothing that was not touched may be lost, and nothing
goes without a word.

    python tests/crash/damage.py --kind queue --count 10000 [--seed N]

Case N of a kind has the seed N, which is printed where it fails: ``--seed N --count 1`` repeats it. ``damaged`` makes
a case of any bytes: one or more bits or bytes, blocks that are zeroed, overwritten, removed, repeated, exchanged, bytes
put between others, an end that is missing. What must be true afterwards the judge of each kind says: it returns what is
wrong, a line each. The kinds schedd, negotiator and histories start a pool for each case, and run only where they are
named.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]


class Case(NamedTuple):
    """Bytes and what became of them; ``touched`` are the places of the first bytes that are not as they were, from and
    to (not included), one where something was put between others."""

    data: bytes
    damaged: bytes
    touched: list[tuple[int, int]]


def _bits(rng: random.Random, data: bytes) -> Case:
    made, places = bytearray(data), [rng.randrange(len(data)) for _ in range(rng.choice((1, 1, 1, 2, 5)))]
    for place in places:
        made[place] ^= 1 << rng.randrange(8)
    return Case(data, bytes(made), [(place, place + 1) for place in places])


def _bytes(rng: random.Random, data: bytes) -> Case:
    made, places = bytearray(data), [rng.randrange(len(data)) for _ in range(rng.choice((1, 1, 2, 4)))]
    for place in places:
        made[place] = rng.choice((rng.randrange(256), rng.choice(b' \n\r\t".0123456789')))
    return Case(data, bytes(made), [(place, place + 1) for place in places])


def _block(rng: random.Random, data: bytes) -> tuple[int, int]:
    size = rng.choice((2, 7, 30, 100, 512, 512))
    begin = rng.randrange(len(data))
    if size == 512 and rng.random() < 0.7:
        begin = begin // 512 * 512
    return begin, min(len(data), begin + size)


def _zeroed(rng: random.Random, data: bytes) -> Case:
    begin, end = _block(rng, data)
    return Case(data, data[:begin] + bytes(end - begin) + data[end:], [(begin, end)])


def _overwritten(rng: random.Random, data: bytes) -> Case:
    begin, end = _block(rng, data)
    other = rng.randbytes(end - begin) if rng.random() < 0.5 else bytes(rng.choices(data, k=end - begin))
    return Case(data, data[:begin] + other + data[end:], [(begin, end)])


def _removed(rng: random.Random, data: bytes) -> Case:
    begin, end = _block(rng, data)
    return Case(data, data[:begin] + data[end:], [(begin, end)])


def _repeated(rng: random.Random, data: bytes) -> Case:
    begin, end = _block(rng, data)
    return Case(data, data[:end] + data[begin:], [(begin, end)])


def _exchanged(rng: random.Random, data: bytes) -> Case:
    (a, b), (c, d) = sorted((_block(rng, data), _block(rng, data)))
    if b > c:
        return _zeroed(rng, data)
    return Case(data, data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:], [(a, b), (c, d)])


def _inserted(rng: random.Random, data: bytes) -> Case:
    at = rng.randrange(len(data) + 1)
    size = rng.randrange(1, 40)
    some = rng.randbytes(size) if rng.random() < 0.5 else bytes(rng.choices(data, k=size))
    return Case(data, data[:at] + some + data[at:], [(max(0, at - 1), at + 1)])


def _truncated(rng: random.Random, data: bytes) -> Case:
    end = rng.randrange(len(data))
    return Case(data, data[:end], [(end, len(data))])


_WAYS: tuple[Callable[[random.Random, bytes], Case], ...] = (
    _bits, _bits, _bits, _bytes, _bytes, _zeroed, _overwritten, _removed, _repeated, _exchanged, _inserted, _truncated,
)  # fmt: skip


def damaged(rng: random.Random, data: bytes) -> Case:
    """Some damage of ``data``, which is not empty."""
    while True:
        case = rng.choice(_WAYS)(rng, data)
        if case.damaged != data:
            return case


def kinds() -> dict[str, Callable[[random.Random, Path], list[str]]]:
    """The judges of the kinds of files."""
    import damage_of_files
    import damage_of_logs

    return {
        "queue": damage_of_logs.queue,
        "accountant": damage_of_logs.accountant,
        "index": damage_of_logs.index,
        "history": damage_of_files.history,
        "event": damage_of_files.event,
        "nodes": damage_of_files.nodes,
        "rescue": damage_of_files.rescue,
    }


def pools() -> dict[str, Callable[[random.Random, Path], list[str]]]:
    """The judges that start a pool."""
    from damage_of_pools import Damaged, histories, judged, negotiator, schedd

    def alone(make: Callable[[random.Random, Path], Damaged]) -> Callable[[random.Random, Path], list[str]]:
        return lambda rng, place: judged([make(rng, place)], place)

    return {"schedd": alone(schedd), "negotiator": alone(negotiator), "histories": alone(histories)}


@contextmanager
def folder() -> Iterator[Path]:
    """A folder in memory, where there is one."""
    made = Path(tempfile.mkdtemp(prefix="damage", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def failures(kind: str, seeds: range) -> Iterator[tuple[int, str]]:
    """What is wrong in the cases of these seeds: (seed, a line)."""
    judge = (kinds() | pools())[kind]
    for seed in seeds:
        with folder() as place:
            try:
                wrong = judge(random.Random(f"{kind} {seed}"), place)
            except Exception as error:  # the campaign goes on, and tells
                import traceback

                wrong = [f"{type(error).__name__}: {error}; {traceback.format_exc().splitlines()[-3].strip()}"]
        for line in wrong:
            yield seed, line


def main() -> int:
    """The program; 1 when anything is wrong."""
    parser = argparse.ArgumentParser(description="Damage files at random, and see what becomes of the rest.")
    names = sorted(kinds() | pools())
    parser.add_argument(
        "--kind", choices=names, action="append", help="may be repeated; all without a pool unless given"
    )
    parser.add_argument("--count", type=int, default=1000, help="cases of each kind")
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    words = parser.parse_args()
    bad = 0
    for kind in words.kind or sorted(kinds()):
        begin, seeds = time.monotonic(), set()
        for seed, line in failures(kind, range(words.seed, words.seed + words.count)):
            print(f"{kind}, seed {seed}: {line}", flush=True)
            seeds.add(seed)
        bad += len(seeds)
        took = time.monotonic() - begin
        last = words.seed + words.count - 1
        print(f"{kind}: seeds {words.seed} to {last}: {len(seeds)} of {words.count} failed ({took:.0f} s)", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
