"""What is learnt of run times: whose count, how sure one is of few, and what running jobs tell."""

from __future__ import annotations

from random import Random
from statistics import fmean, median

import pytest

from condor_py.simulate.runtimes import UNKNOWN, Like, RunTimes, Sample

ANN = Like("ann", "/bin/fit", "night")


def drawn(sample: Sample, count: int = 4000) -> list[float]:
    """One draw from each of many guesses, ascending."""
    random = Random(7)
    return sorted(sample.learnt(random).draw(random, 1)[0] for _ in range(count))


@pytest.mark.parametrize(
    ("ended", "how"),
    [
        ([(ANN, 10.0)] * 5 + [(Like("ann", "/bin/fit"), 99.0)] * 5, "of this batch"),
        ([(ANN, 10.0)] * 2 + [(Like("ann", "/bin/fit"), 99.0)] * 5, "of this program"),
        ([(Like("ann", "/bin/plot"), 5.0)] * 6, "of this owner"),
        ([(Like("ben", "/bin/fit", "night"), 5.0)], "of anybody"),
        ([(ANN, 7.0)], "of this batch"),
        ([(ANN, 0.0)], ""),
        ([], ""),
    ],
)
def test_the_most_alike_jobs_count_of_which_there_are_enough(ended: list[tuple[Like, float]], how: str) -> None:
    assert RunTimes(ended).of(ANN).how == how


def test_nothing_known_takes_an_hour_or_very_much_more_or_less() -> None:
    values = drawn(Sample(()))
    assert Sample(()).mean == UNKNOWN
    assert 3000 < median(values) < 4200
    assert values[len(values) // 10] < 1000
    assert values[len(values) * 9 // 10] > 9000


def test_few_run_times_are_less_sure_than_many() -> None:
    few, many = Sample((500.0, 600.0, 700.0)), Sample(tuple(500.0 + number for number in range(200)))

    def width(sample: Sample) -> float:
        values = drawn(sample)
        return values[len(values) * 9 // 10] - values[len(values) // 10]

    assert width(few) > width(many)
    assert set(drawn(many)) <= set(many.times)


def test_equal_run_times_stay_nearly_equal() -> None:
    values = drawn(Sample((600.0,) * 6))
    assert 560 < values[len(values) // 10] < 600 < values[len(values) * 9 // 10] < 645


def test_jobs_that_run_longer_than_all_that_ended_make_estimates_longer() -> None:
    """Three of four jobs take a minute; those that do not have not ended yet."""
    ended = [(ANN, 60.0)] * 30
    naive, fair = RunTimes(ended).of(ANN), RunTimes(ended, [(ANN, 900.0)] * 10).of(ANN)
    assert fmean(drawn(naive)) == 60
    assert fmean(drawn(fair)) > 250


def test_a_running_job_is_compared_with_those_that_ran_longer() -> None:
    sample = Sample(tuple([60.0] * 30 + [1000.0] * 10))
    random = Random(1)
    assert {sample.learnt(random).rest(random, 100.0) for _ in range(20)} == {900.0}
    outlived = sorted(sample.learnt(random).rest(random, 2000.0) for _ in range(999))
    assert 1500 < outlived[499] < 2700


def test_two_very_different_run_times_do_not_overflow() -> None:
    values = drawn(Sample((1.0, 600.0)), 4000)
    assert max(values) <= 101 * 365 * 86400
