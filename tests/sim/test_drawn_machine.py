"""The machine that runs jobs many times: who starts when, and how sure that is."""

from __future__ import annotations

import pytest

from condor_py.simulate.outlook import Likely, Room, Runs, User, Waits, outlook
from condor_py.simulate.runtimes import Sample

ANN, BEN = User("ann"), User("ben")
#: So many equal run times are drawn as they are.
MINUTE = Sample((60.0,) * 30)
ONE = (1.0, 100.0)


def starts(found: list[Likely | None]) -> list[float | None]:
    return [None if one is None else round(one.start.middle) for one in found]


def test_jobs_start_as_those_before_them_end() -> None:
    found = outlook([Room((2.0, 1000.0))], [], [Waits(ANN, ONE, MINUTE)] * 5)
    assert starts(found) == [0, 0, 60, 60, 120]
    assert [one.end.middle for one in found if one] == [60, 60, 120, 120, 180]


def test_what_runs_gives_back_what_it_holds() -> None:
    running = [Runs(BEN, 0, ONE, 20.0, MINUTE), Runs(BEN, 0, (2.0, 500.0), 50.0, MINUTE)]
    waiting = [Waits(ANN, (2.0, 100.0), MINUTE), Waits(ANN, ONE, MINUTE), Waits(ANN, (3.0, 600.0), MINUTE)]
    assert starts(outlook([Room((0.0, 0.0))], running, waiting)) == [10, 40, 100]


def test_a_job_that_fits_nowhere_keeps_nobody_and_never_starts() -> None:
    found = outlook([Room((2.0, 1000.0))], [], [Waits(ANN, (3.0, 1.0), MINUTE), Waits(ANN, ONE, MINUTE)])
    assert starts(found) == [None, 0]


def test_static_slots_have_one_job_at_a_time() -> None:
    rooms = [Room((4.0, 1000.0), whole=True), Room((4.0, 1000.0), whole=True)]
    running = [Runs(BEN, 0, (0.0, 0.0), 30.0, MINUTE)]
    assert starts(outlook(rooms, running, [Waits(ANN, ONE, MINUTE)] * 3)) == [0, 30, 60]


def test_who_has_less_for_his_priority_comes_first() -> None:
    waiting = [*[Waits(User("ann", 1.0), ONE, MINUTE)] * 4, *[Waits(User("ben", 3.0), ONE, MINUTE)] * 4]
    assert starts(outlook([Room((4.0, 1000.0))], [], waiting)) == [0, 0, 0, 60, 0, 60, 60, 60]


def test_a_claim_takes_the_next_job_of_its_user_as_long_as_it_lasts() -> None:
    running = [Runs(BEN, 0, ONE, 0.0, MINUTE)]
    waiting = [Waits(ANN, ONE, MINUTE), *[Waits(BEN, ONE, MINUTE)] * 2]
    assert starts(outlook([Room((0.0, 0.0))], running, waiting, worklife=100.0)) == [120, 60, 180]
    assert starts(outlook([Room((0.0, 0.0))], running, waiting)) == [60, 120, 180]


@pytest.mark.parametrize("mixed", [False, True])
def test_the_farther_off_the_less_sure(mixed: bool) -> None:
    spread = Sample(tuple(float(seconds) for seconds in range(30, 300, 5)))
    waiting = [Waits(ANN, (1.0 + (mixed and number % 2), 1.0), spread) for number in range(60)]
    found = [one for one in outlook([Room((4.0, 100.0))], [], waiting) if one is not None]
    assert len(found) == 60
    for one in found:
        assert one.start.early <= one.start.middle <= one.start.late
        assert one.start.middle < one.end.middle
    widths = [one.start.late - one.start.early for one in found]
    assert widths[0] == 0
    assert widths[10] < widths[59]
