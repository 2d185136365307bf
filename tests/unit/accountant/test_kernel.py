"""The C kernel and its Python twin give the same bits, and the C kernel handles buffers with care."""

from __future__ import annotations

import gc
import os
import random
import sys
from array import array
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import condor_py.core.accounts
from condor_py.core.accounts import kernel, kernel_py

compiled: Any = pytest.importorskip("condor_py.core.accounts._kernel", reason="the C extension is not built")

EXAMPLES = settings(max_examples=300)

weight = st.floats(0, 1e6, allow_subnormal=False)
signed = st.floats(-1e9, 1e9, allow_subnormal=False)
large = st.floats(0, 1e12, allow_subnormal=False)
busy = st.tuples(
    st.floats(0.0, 1e7), weight, signed, large, st.integers(0, 1 << 20), st.integers(-(1 << 31), 1 << 31), large
)
at_rest = st.just((0.5, 0.0, 0.0, 0.0, 0, 0, 0.0))
record = st.one_of(busy, at_rest)
TYPES = "dddd" + "qq" + "d"


def columns(rows: list[tuple[Any, ...]]) -> list[Any]:
    made: list[Any] = [array(code, [row[i] for row in rows]) for i, code in enumerate(TYPES)]
    return [*made, array("B", bytes(len(rows)))]


@EXAMPLES
@given(st.lists(record, max_size=40), st.floats(1e-9, 1.0), st.integers(1, 10**7))
def test_decay_agrees_with_the_twin(rows: list[tuple[Any, ...]], beta: float, dt: int) -> None:
    fast, slow = columns(rows), columns(rows)
    assert compiled.decay(beta, float(dt), *fast) == kernel_py.decay(beta, float(dt), *slow)
    assert fast == slow


@pytest.mark.parametrize("length", [255, 256, 257, 700])
@pytest.mark.parametrize("busy_at", [(), (0,), (256,), range(0, 700, 3)])
def test_many_records_decay_as_few_do(length: int, busy_at: Sequence[int]) -> None:
    rng = random.Random(length)
    busy = set(busy_at)
    rows: list[tuple[Any, ...]] = [
        (rng.uniform(0.5, 900), 2.5, -rng.uniform(0, 99), 1e6 + rng.random(), 3, rng.randrange(-60, 60), 1e5)
        if at in busy
        else (rng.uniform(0.5, 900), 0.0, 0.0, 3e9 * rng.random(), 0, 0, 2e3)
        for at in range(length)
    ]
    fast, slow = columns(rows), columns(rows)
    assert compiled.decay(0.97, 60.0, *fast) == kernel_py.decay(0.97, 60.0, *slow)
    assert fast == slow


@EXAMPLES
@given(st.lists(st.tuples(st.floats(0, 1e9), st.floats(1, 1e10), weight), min_size=1, max_size=60), weight)
def test_slices_agree_with_the_twin(rows: list[tuple[float, float, float]], pie: float) -> None:
    priority, factor, use = (array("d", column) for column in zip(*rows, strict=True))
    results = []
    for module in (compiled, kernel_py):
        eup, share, limit = (array("d", bytes(8 * len(rows))) for _ in range(3))
        module.effective(priority, factor, eup)
        normal = module.shares(eup, share)
        left = module.limits(share, use, pie, limit)
        results.append((eup, share, normal, limit, left))
    assert results[0] == results[1]
    assert sum(results[0][1]) == pytest.approx(1.0)


def sorted_by_both(eup: list[float], starved: list[float]) -> tuple[Any, Any]:
    columns = array("d", eup), array("d", starved)
    orders = []
    for module in (compiled, kernel_py):
        orders.append(array("q", bytes(8 * len(eup))))
        module.order(*columns, orders[-1])
    return orders[0], orders[1]


@EXAMPLES
@given(st.lists(st.tuples(st.sampled_from([0.5, 1.0, 500.0, 1e10, -1.0, 0.0, -0.0]), signed), max_size=80))
def test_order_is_the_stable_sort(rows: list[tuple[float, float]]) -> None:
    fast, slow = sorted_by_both([r[0] for r in rows], [r[1] for r in rows])
    assert fast == slow


@pytest.mark.parametrize("distinct", [1, 3, 40, 10**6])
@pytest.mark.parametrize("apart", [2.0**-40, 1.0, 1e6])
def test_order_of_many_with_ties_at_every_bit(distinct: int, apart: float) -> None:
    """Numbers that differ in their last bits only, in their first, or not at all; runs longer than a cache line."""
    rng = random.Random(distinct)

    def numbers() -> list[float]:
        return [500.0 + apart * rng.randrange(-distinct, distinct) for _ in range(5000)]

    fast, slow = sorted_by_both(numbers(), numbers())
    assert fast == slow


@EXAMPLES
@given(st.floats(-1e11, 1e11))
def test_six_decimals_is_what_the_log_would_give_back(x: float) -> None:
    assert kernel_py.six_decimals(x) == pytest.approx(float(f"{x:.6f}"), abs=1.1e-6, rel=0)


def test_the_formula_of_the_manual() -> None:
    """Half a half-life with 10 slots: RUP goes from 2 to 10 by 1 - sqrt(1/2)."""
    row = columns([(2.0, 10.0, 0.0, 0.0, 10, 0, 0.0)])
    kernel.decay(0.5**0.5, 43200.0, *row)
    assert row[0][0] == pytest.approx(2 * 0.5**0.5 + 10 * (1 - 0.5**0.5), abs=1e-6)
    assert row[3][0] == 432000.0
    assert row[7][0] == (kernel.CHANGED_PRIORITY | kernel.CHANGED_USAGE | kernel.CHANGED_WEIGHTED | kernel.IN_USE)


def test_bad_arguments_are_refused_and_nothing_stays_locked() -> None:
    good = columns([(1.0, 1.0, 0.0, 0.0, 1, 0, 0.0)] * 3)
    for position in range(8):
        for bad in (array("f", [1.0] * 3), array("d" if position != 3 else "q", [1] * 4), b"abc", None):
            arguments = list(good)
            arguments[position] = bad
            with pytest.raises((TypeError, ValueError, BufferError)):
                compiled.decay(0.5, 60.0, *arguments)
    with pytest.raises(ValueError, match="dt must be positive"):
        compiled.decay(0.5, 0.0, *good)
    lengths = "arrays differ in length: 3 and 4"
    with pytest.raises(ValueError, match="dt must be positive"):
        kernel_py.decay(0.5, 0.0, *good)
    with pytest.raises(ValueError, match=lengths):
        kernel_py.decay(0.5, 60.0, *good[:-1], array("B", bytes(4)))
    for column in good:
        column.append(1)  # BufferError if an export were left behind


def test_nothing_leaks() -> None:
    good = columns([(1.0, 1.0, 0.0, 0.0, 1, 0, 0.0)] * 1000)
    eup, share, out = array("d", [1.0] * 1000), array("d", bytes(8000)), array("q", bytes(8000))

    def exercise(times: int) -> None:
        for _ in range(times):
            compiled.decay(0.5, 60.0, *good)
            compiled.shares(eup, share)
            compiled.limits(share, eup, 10.0, share)
            compiled.order(eup, share, out)
            with pytest.raises(TypeError):
                compiled.order(eup, share, share)

    exercise(20)
    gc.collect()
    before = sys.getallocatedblocks(), [sys.getrefcount(column) for column in good]
    exercise(200)
    gc.collect()
    after = sys.getallocatedblocks(), [sys.getrefcount(column) for column in good]
    assert after[1] == before[1]
    assert abs(after[0] - before[0]) < 50


def test_the_environment_forces_the_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(condor_py.core.accounts, "kernel", kernel)  # importing again below replaces it
    monkeypatch.setenv("CONDOR_PY_NO_EXT", "1")
    monkeypatch.delitem(sys.modules, "condor_py.core.accounts.kernel")
    module = import_module("condor_py.core.accounts.kernel")
    assert not module.COMPILED
    assert module.decay is kernel_py.decay


@pytest.mark.parametrize("module", [kernel_py, compiled])
def test_flags_tell_what_is_to_be_written(module: Any) -> None:
    rows = columns(
        [
            (0.5, 0.0, 0.0, 0.0, 0, 0, 0.0),  # at rest
            (0.5, 0.25, 0.0, 0.0, 0, 0, 0.0),  # a quarter of a slot is in use
            (0.5, 0.0, 60.0, 0.0, 0, 0, 0.0),  # charged afterwards
            (0.5, 0.0, 0.0, 0.0, 0, 60, 0.0),
            (9.0, 0.0, 0.0, 0.0, 0, 0, 0.0),  # only a better priority
        ]
    )
    assert module.decay(0.5, 60.0, *rows) == 4
    use, weighted, plain = kernel.IN_USE, kernel.CHANGED_WEIGHTED, kernel.CHANGED_USAGE
    late = kernel.HAD_UNCHARGED
    assert list(rows[7]) == [
        0,
        use | weighted,
        use | weighted | late | kernel.CHANGED_PRIORITY,
        plain | late,
        kernel.CHANGED_PRIORITY,
    ]


@pytest.mark.parametrize("module", [kernel_py, compiled])
def test_columns_of_different_length_are_refused(module: Any) -> None:
    two, three = array("d", [1.0, 1.0]), array("d", [1.0, 1.0, 1.0])
    for call in (
        lambda: module.shares(two, three),
        lambda: module.limits(two, three, 1.0, two),
        lambda: module.effective(two, two, three),
        lambda: module.order(two, two, array("q", [0])),
    ):
        with pytest.raises(ValueError, match="arrays differ in length"):
            call()


@pytest.mark.skipif(os.environ.get("CONDOR_PY_NO_EXT") == "1", reason="the compiled parts are switched off")
def test_the_compiled_kernel_is_used_where_it_is_there() -> None:
    assert kernel.COMPILED
    assert kernel.decay is compiled.decay
