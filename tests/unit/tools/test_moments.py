"""Times and lengths as people write them, and the period that -since, -until and -last name."""

from __future__ import annotations

from calendar import timegm

import pytest
from tool_runner import Spool

from condor_py.cli.times import HINT, LAST, length, midnight, moment, period
from condor_py.model.errors import CondorError

#: Friday evening; the tests are in UTC.
NOW = timegm((2026, 11, 20, 18, 30, 15))
DAY, WEEK = 86400, 604800


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90), ("1 sec", 1), ("2secs", 2), ("5m", 300), ("5min", 300), ("5 mins", 300), ("2h", 7200),
        ("1.5 hours", 5400), ("3d", 3 * DAY), ("3 days", 3 * DAY), ("2w", 2 * WEEK), ("1 week", WEEK),
        ("2 weeks", 2 * WEEK),
        ("hour", 3600), ("day", DAY), ("week", WEEK), ("month", 30 * DAY), ("2 months", 60 * DAY), (" Week ", WEEK),
        ("0s", 0), ("", None), ("5", None), ("5 y", None), ("-5s", None), ("s", None), ("min", None), ("months", None),
        ("5sx", None), ("1.s", None), ("9" * 400 + "s", None),
    ],
)  # fmt: skip
def test_lengths(text: str, seconds: int | None) -> None:
    assert length(text) == seconds


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("now", (2026, 11, 20, 18, 30, 15)), ("Today", (2026, 11, 20)), ("yesterday", (2026, 11, 19)),
        ("2026-11-21", (2026, 11, 21)), ("2026-1-5", (2026, 1, 5)), ("2026-11-21T18:05", (2026, 11, 21, 18, 5)),
        ("2026-11-21t8:05:09", (2026, 11, 21, 8, 5, 9)), ("2026-11-21 23:59:59", (2026, 11, 21, 23, 59, 59)),
        ("1970-01-01", (1970, 1, 1)), ("1969-12-31", None), ("2024-02-29", (2024, 2, 29)), ("2026-02-29", None),
        ("2026-13-01", None), ("2026-12-31", (2026, 12, 31)), ("2026-00-01", None), ("2026-01-00", None),
        ("2026-01-01", (2026, 1, 1)), ("2026-04-31", None), ("2026-01-32", None), ("2026-01-31", (2026, 1, 31)),
        ("2026-01-01 24:00", None), ("2026-01-01 23:60", None), ("2026-01-01 23:59:60", None), ("2026-01-01 23", None),
        ("2026-01-01 00:00", (2026, 1, 1)), ("18:30:15", (2026, 11, 20, 18, 30, 15)), ("18:30", (2026, 11, 20, 18, 30)),
        ("18:30:16", (2026, 11, 19, 18, 30, 16)), ("7:05", (2026, 11, 20, 7, 5)), ("23:00", (2026, 11, 19, 23)),
        ("24:00", None), ("12:60", None), ("7:5", None), ("2h", (2026, 11, 20, 16, 30, 15)), ("tomorrow", None),
        ("", None), ("5", None),
    ],
)  # fmt: skip
def test_moments(spool: Spool, text: str, when: tuple[int, ...] | None) -> None:
    assert moment(text, NOW) == (None if when is None else timegm((*when, 0, 0, 0)[:6]))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10000000", 10000000), ("1795213560", 1795213560), ("1234567", None), (str(LAST), LAST), (str(LAST + 1), None),
        ("1" * 12, 111111111111), ("0000000000005", None), ("5000000000d", 0), ("1\u0661111111", None),
    ],
)  # fmt: skip
def test_seconds_since_the_epoch_have_eight_digits_at_least(text: str, found: int | None) -> None:
    assert moment(text, NOW) == found


def test_midnight(spool: Spool) -> None:
    assert midnight(NOW) == timegm((2026, 11, 20, 0, 0, 0))
    assert midnight(NOW, -20) == timegm((2026, 10, 31, 0, 0, 0))
    assert midnight(timegm((2026, 11, 20, 0, 0, 0)), 1) == timegm((2026, 11, 21, 0, 0, 0))


@pytest.mark.parametrize(
    ("since", "until", "last", "found"),
    [
        (None, None, None, (NOW + 1 - WEEK, NOW + 1)),
        (None, None, "2h", (NOW + 1 - 7200, NOW + 1)),
        (None, None, "9999 weeks", (0, NOW + 1)),
        ("2h", None, None, (NOW - 7200, NOW + 1)),
        ("2h", "1h", None, (NOW - 7200, NOW - 3600)),
        (None, "1h", None, (NOW - 3600 - WEEK, NOW - 3600)),
        (None, "1970-01-02", None, (0, DAY)),
        ("now", None, None, (NOW, NOW + 1)),
    ],
)
def test_periods(spool: Spool, since: str | None, until: str | None, last: str | None, found: tuple[int, int]) -> None:
    """What has ended in this very second counts; a week where nothing is named."""
    assert tuple(period("tool", since, until, last, NOW)) == found


@pytest.mark.parametrize(
    ("since", "until", "last", "said"),
    [
        ("1h", None, "1h", "tool: --last cannot be used with --since or --until"),
        (None, "1h", "1h", "tool: --last cannot be used with --since or --until"),
        (None, None, "x", "tool: --last x: write day, week, month, or a length such as 12h or 3d"),
        (None, None, "0s", "tool: --last 0s: write day, week, month, or a length such as 12h or 3d"),
        ("x", None, None, f"tool: --since x: {HINT}"),
        (None, "x", None, f"tool: --until x: {HINT}"),
        ("1h", "2h", None, "tool: nothing lies between --since and --until: the first is not before the second"),
        ("1h", "1h", None, "tool: nothing lies between --since and --until: the first is not before the second"),
    ],
)
def test_periods_that_make_no_sense(since: str | None, until: str | None, last: str | None, said: str) -> None:
    with pytest.raises(CondorError) as refused:
        period("tool", since, until, last, NOW, "--")
    assert str(refused.value) == said
    with pytest.raises(CondorError) as refused:
        period("tool", since, until, last, NOW)
    assert str(refused.value) == said.replace("--", "-")
