"""Schedules of jobs that repeat, against a plain walk over the minutes."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from condor_py.core.jobs.crontab import BadSchedule, next_run, repeats, schedule_of
from condor_py.lang.classad import ClassAd


@pytest.fixture(params=["UTC", "America/New_York", "Australia/Lord_Howe"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Local time, with and without changes of the clock."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def job(**fields: str) -> ClassAd:
    return ClassAd.from_text_items([(f"Cron{name}", f'"{text}"') for name, text in fields.items()])


def local(text: str) -> int:
    return int(time.mktime(time.strptime(text, "%Y-%m-%d %H:%M:%S")))


def test_a_number_of_thousands_of_digits_is_too_large_as_a_smaller_one_is() -> None:
    assert schedule_of(job(Minute="9" * 5000)) == schedule_of(job(Minute="77"))
    assert schedule_of(job(Minute=f"5-{'9' * 5000}/{'0' * 5000}30")).minutes == {30}


MIDNIGHT = {"Minute": "0", "Hour": "0"}


@pytest.mark.parametrize(
    ("fields", "now", "expected"),
    [
        ({"Minute": "0,15,30"}, "2026-11-21 07:15:00", "2026-11-21 07:30:00"),
        ({"Minute": "*/20"}, "2026-11-21 07:59:59", "2026-11-21 08:00:00"),
        ({"Minute": "0", "Hour": "3"}, "2026-11-21 03:00:01", "2026-11-22 03:00:00"),
        ({"Minute": "5", "Hour": "0-6/2", "Month": "2"}, "2026-11-21 00:00:00", "2027-02-01 00:05:00"),
        ({**MIDNIGHT, "DayOfMonth": "29", "Month": "2"}, "2026-11-21 00:00:00", "2028-02-29 00:00:00"),
        ({**MIDNIGHT, "DayOfWeek": "7"}, "2026-11-21 00:00:00", "2026-11-22 00:00:00"),
        ({**MIDNIGHT, "DayOfMonth": "25", "DayOfWeek": "1"}, "2026-11-21 00:00:00", "2026-11-23 00:00:00"),
        ({**MIDNIGHT, "DayOfMonth": "25", "DayOfWeek": "1"}, "2026-11-24 00:00:00", "2026-11-25 00:00:00"),
    ],
)  # fmt: skip
def test_next_time(zone: str, fields: dict[str, str], now: str, expected: str) -> None:
    assert next_run(schedule_of(job(**fields)), local(now)) == local(expected)


NUMBERS = {"Minute": (0, 59), "Hour": (0, 23), "DayOfWeek": (0, 7)}


@st.composite
def fields(draw: st.DrawFn) -> dict[str, str]:
    made = {}
    for name, (least, greatest) in NUMBERS.items():
        value = st.integers(least, greatest).map(str)
        form = st.one_of(st.just("*"), value, st.lists(value, min_size=1, max_size=3).map(",".join))
        if draw(st.booleans()):
            made[name] = draw(form)
    return made or {"Minute": "*"}


@settings(max_examples=150, deadline=None, derandomize=True)
@given(fields=fields(), start=st.integers(1_700_000_000, 1_900_000_000))
def test_it_is_the_first_minute_that_fits(fields: dict[str, str], start: int) -> None:
    schedule = schedule_of(job(**fields))
    found = next_run(schedule, start)
    assert found > start
    assert found % 60 == 0

    def fits(when: int) -> bool:
        there = time.localtime(when)
        return (
            there.tm_min in schedule.minutes
            and there.tm_hour in schedule.hours
            and schedule.has_day(there.tm_mday, (there.tm_wday + 1) % 7)
        )

    assert fits(found)
    earlier = range(start + 60 - start % 60, found, 60)
    assert not any(fits(when) for when in (earlier if len(earlier) < 3000 else earlier[:1500]))


@pytest.mark.parametrize("text", ["x", "*/0", "5-1", "@daily"])
def test_what_is_no_schedule(text: str) -> None:
    with pytest.raises(BadSchedule, match="Invalid"):
        schedule_of(job(Minute=text))


def test_a_day_that_never_comes() -> None:
    with pytest.raises(BadSchedule, match="no such day"):
        next_run(schedule_of(job(DayOfMonth="31", Month="2")), 1_795_245_301)


@pytest.mark.parametrize(
    ("field", "least", "greatest"), [("Minute", 0, 59), ("Hour", 0, 23), ("DayOfMonth", 1, 31), ("Month", 1, 12)]
)
def test_values_out_of_range_mean_every_value(field: str, least: int, greatest: int) -> None:
    """As in HTCondor: a range is cut to what there is, and a number beyond it is as good as none."""
    index = ["Minute", "Hour", "DayOfMonth", "Month"].index(field)

    def values(text: str) -> set[int]:
        schedule = schedule_of(job(**{field: text}))
        return set((schedule.minutes, schedule.hours, schedule.days, schedule.months)[index])

    everything = set(range(least, greatest + 1))
    assert values(f"0-{greatest + 9}") == values(str(greatest + 1)) == values("*") == values("") == everything
    assert values(str(greatest)) == {greatest}
    assert values("2,,2") == everything, "what is empty is every value, too"


def test_days_of_the_week_are_seven_from_sunday() -> None:
    def weekdays(text: str) -> set[int]:
        return set(schedule_of(job(DayOfWeek=text)).weekdays)

    assert (weekdays("7"), weekdays("0"), weekdays("5-9")) == ({0}, {0}, {5, 6, 0})
    assert weekdays("*") == weekdays("0-6") == weekdays("8") == set(), "all of them do not matter"


def test_which_jobs_have_a_schedule() -> None:
    """Those that say so themselves, or whose cluster does."""
    plain, scheduled = ClassAd({"Owner": "alice"}), job(Minute="0")
    assert [repeats(ad) for ad in (plain, scheduled)] == [False, True]
    for parent, own in ((plain, scheduled), (scheduled, plain), (plain, plain)):
        ad = own.copy()
        ad.chain(parent)
        assert repeats(ad) is (scheduled in (parent, own))


@pytest.mark.parametrize(
    ("fields", "now", "expected"),
    [
        ({"Minute": "0-6"}, "2026-11-21 07:06:30", "2026-11-21 08:00:00"),
        ({"Minute": "0", "Hour": "1,2,3,4,5,6,7"}, "2026-11-21 07:00:30", "2026-11-22 01:00:00"),
        ({**MIDNIGHT, "DayOfWeek": "0-6"}, "2026-11-21 07:00:00", "2026-11-22 00:00:00"),
        ({**MIDNIGHT, "DayOfWeek": "7"}, "2026-11-21 07:00:00", "2026-11-22 00:00:00"),
        ({**MIDNIGHT, "DayOfWeek": "1-6"}, "2026-11-21 07:00:00", "2026-11-23 00:00:00"),
    ],
)
def test_seven_values_are_every_day_for_days_of_the_week_alone(fields: dict[str, str], now: str, expected: str) -> None:
    schedule = schedule_of(job(**fields))
    assert schedule is not None
    assert next_run(schedule, local(now)) == local(expected)
