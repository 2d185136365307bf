"""What the event logs have of jobs when a schedd starts: the compiled look and its twin find the same."""

from __future__ import annotations

import random
from typing import Any

import pytest

from condor_py.store import logreader, logreader_py

compiled = pytest.mark.skipif(not logreader.COMPILED, reason="the extension is not built")
END = b"...\n"
#: Pieces of logs: heads that count, heads that nearly do, ends of events, and what else users put there.
PIECES = (
    b"000 (001.000.000) 2026-11-21 07:15:18 Job submitted\n", b"001 (001.000.000) x\n", b"005 (1.1.0)\n",
    b"012 (0000000000000000000000001.0.0) x\n", b"009 (2.-1.-1) x\n", b"009 (2.-0.0) x\n", b"013 (3.5.0) x",
    b"000 (9999999999999999999.0.0) x\n", b"000 (1.1000000000000000000.0) x\n", b"000 (1.999999999999999999.0) x\n",
    b"00 (1.0.0)\n", b"0000 (1.0.0)\n", b"00a (1.0.0)\n", b"000 (1.0.)\n", b"000 (1..0)\n", b"000 (-1.0.0)\n",
    b"000 (1.0.0\n", b"000  (1.0.0)\n", b"000 (1.--1.0)\n", b"000 (1.0.--1)\n", b"000 (1.0.0)", b" 000 (1.0.0)\n",
    b"...", b"....\n", b"...\r\n", b"..\n", b"\r\n", b"\n", b"\0", b"\xff\n", b"\t(1) Normal termination\n", b"0",
)  # fmt: skip


def told(reader: Any, data: bytes, clusters: list[int]) -> dict[int, dict[int, tuple[int, ...]]]:
    found: dict[int, dict[int, tuple[int, ...]]] = reader.events(data, data.rfind(b"\n...\n") + 1, clusters)
    return found


@compiled
@pytest.mark.parametrize("part", range(4))
def test_both_find_the_same_events(part: int) -> None:
    rng = random.Random(part)
    counted = 0
    for _ in range(1500):
        pieces = [rng.choice(PIECES) + (END if rng.random() < 0.7 else b"") for _ in range(rng.randrange(14))]
        data = b"".join(pieces)[rng.randrange(3) :]
        clusters = sorted(rng.sample((1, 2, 3, 4), rng.randrange(4)))
        ours = told(logreader, data, clusters)
        twins = told(logreader_py, data, clusters)
        assert [(cluster, list(procs.items())) for cluster, procs in ours.items()] == [
            (cluster, list(procs.items())) for cluster, procs in twins.items()
        ], data
        counted += len(ours)
    assert counted > 200


@compiled
def test_both_find_the_events_of_many_jobs() -> None:
    rng = random.Random(7)
    heads = [
        b"%03d (%d.%03d.000) x\n" % (rng.choice((0, 1, 5, 999)), rng.randrange(5), rng.randrange(2000))
        for _ in range(20_000)
    ]
    data = END.join(heads) + END
    assert told(logreader, data, [0, 2, 4]) == told(logreader_py, data, [0, 2, 4])


@pytest.mark.parametrize("reader", [logreader, logreader_py])
def test_jobs_that_have_had_the_same_share_what_tells_it(reader: Any) -> None:
    data = b"".join(b"%03d (1.%d.0) x\n...\n" % (number, proc) for number in (0, 1, 5) for proc in range(50))
    procs = told(reader, data, [1])[1]
    assert set(procs.values()) == {(0, 1, 5)}
    assert len({id(numbers) for numbers in procs.values()}) == 1
    assert list(procs) == list(range(50))


@pytest.mark.parametrize("reader", [logreader, logreader_py])
def test_one_job_with_very_many_events(reader: Any) -> None:
    count = 200_000
    assert told(reader, b"021 (1.0.0) x\n...\n" * count, [1]) == {1: {0: (21,) * count}}


@compiled
def test_what_is_no_place_in_the_data_is_refused() -> None:
    with pytest.raises(ValueError, match="not so many bytes"):
        logreader.events(b"x", 2, [])
    data = b"000 (1.0.0) x\n"
    assert logreader.events(data, len(data), ["a", 1 << 70, -1]) == {}  # type: ignore[list-item]
    assert logreader.events(data, len(data), [1 << 70, 1]) == {1: {0: (0,)}}
    with pytest.raises(TypeError):
        logreader.events(data, len(data), [[]])  # type: ignore[list-item]
