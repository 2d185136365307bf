"""The priority kernel beside memory copies, and the ClassAd language beside the C++ engine."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from table import Row


def _priority(count: int) -> Iterator[Row]:
    import bench_priority as bench

    arrays = bench.make_arrays(count)
    goals = {"decay": 1.3, "shares": 1.5, "limits": 1.5}
    for name, (touched, action) in bench.calls(import_module("condor_py.core.accounts._kernel"), arrays).items():
        took, copied = bench.in_turns(action, bench.copier(arrays, touched), bench.ROUNDS)
        yield Row(f"priorities, {count:,} submitters: {name}", took / copied, "copies", goals.get(name), 1, "a copy")


def _language(rounds: int) -> Iterator[Row]:
    import bench_classad as bench

    try:
        import classad2
        import htcondor2  # noqa: F401 - registers the same functions
    except ImportError:
        return
    for name, (ours, theirs) in bench.compare(classad2, rounds).items():
        if theirs is not None:
            yield Row(f"ClassAds: {name}", theirs / ours, "x", 2, 1, "C++ engine")


def rows(quick: bool) -> Iterator[Row]:
    yield from _priority(10_000 if quick else 1_000_000)
    yield from _language(1 if quick else 7)
