"""How many attributes a process remembers, so that ads share them: what many jobs have left is forgotten again."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from condor_py.lang.classad import record

FEW, USUAL = 16, 32_768


@pytest.fixture
def few() -> Iterator[None]:
    """A process that knows few."""
    record.know(FEW)
    yield
    record.know(USUAL)


def test_what_was_not_asked_for_lately_is_forgotten(few: None) -> None:
    binding = record.bind("JobNumber", "-1")
    known = sys.getrefcount(binding)
    assert record.bind("JobNumber", "-1") is binding
    for number in range(2 * FEW + 1):
        record.bind("JobNumber", str(number))
    assert sys.getrefcount(binding) == known - 1
    assert record.bind("JobNumber", "-1") is not binding


def test_what_is_asked_for_again_and_again_stays(few: None) -> None:
    binding = record.bind("Owner", '"alice"')
    for number in range(10 * FEW):
        record.bind("JobNumber", str(number))
        assert record.bind("Owner", '"alice"') is binding


@pytest.mark.parametrize("pairs", [0, -1])
def test_less_than_one_is_refused(pairs: int) -> None:
    with pytest.raises(ValueError, match="at least one"):
        record.know(pairs)
